"""How sure it is that a cell holds a tile, or is empty."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from drawn import (
    PITCH,
    amid_noise,
    bordered,
    cells_of,
    cleared,
    on_waves,
    paint_squares,
    picture,
    same_partition,
    shuffled,
)

from ar_assist.games.link import clipping, reader, telling
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.ground import Shown
from ar_assist.games.link.telling import DROPPED
from ar_assist.games.tiles import CELL, EDGE


def test_an_empty_cell_that_shows_as_much_as_tiles_is_not_sure() -> None:
    """A lamp's light takes a tile's frame and its middle: what is left is still a picture."""
    truth = cleared(shuffled(7, 10, 14, 6), 2)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (90, 20, 60))
    empty = tuple(np.argwhere(truth == 0)[0])
    y, x = (empty[0] + 3) * PITCH, (empty[1] + 3) * PITCH
    before = reader.read(framed, lattice)
    cv2.rectangle(framed, (x + 8, y + 8), (x + 39, y + 39), (255, 255, 255), 3)
    after = reader.read(framed, lattice)
    assert before is not None and after is not None
    assert cells_of(after)[empty] == cells_of(before)[empty] == 0
    assert before.certainty[empty] >= SURE > after.certainty[empty]


@pytest.mark.parametrize("is_ground", [True, False])
def test_plain_cells_are_surely_empty_only_where_their_colour_shows_beside(is_ground: bool) -> None:
    truth = np.ones((7, 10), int)
    truth[3, 2:4] = truth[1, 6:8] = 0
    truth[truth > 0] = shuffled(6, 11, 14, 6).ravel()
    image, lattice = picture(np.zeros_like(truth), ground=40 if is_ground else 200)
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        face = np.random.default_rng(kind).integers(60, 140, 3) if kind else 40
        image[y : y + PITCH, x : x + PITCH] = face
        if kind:
            size, ink = (16, 4 + int(kind)), (240, 250 - 12 * int(kind), 15 * int(kind))
            cv2.ellipse(image, (x + 24, y + 24), size, 25 * int(kind), 0, 360, ink, -1)
    reading = reader.read(amid_noise(image), lattice)
    bare = cells_of(reading) == 0
    assert reading is not None
    assert (bare == (truth == 0)).all()
    assert (reading.certainty[bare] > 0.9).all() == is_ground
    assert (reading.certainty[bare] < SURE).all() != is_ground


def test_plain_cells_that_run_on_into_each_other_are_not_surely_tiles() -> None:
    """Those of a gap in which a wallpaper shows are alike too, and no colour beside the board."""
    truth = shuffled(6, 8, 8, 8)
    image, lattice = picture(np.zeros_like(truth), ground=255)
    colours = np.random.default_rng(2).integers(20, 230, (9, 3))
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = colours[kind]
    reading = reader.read(image, lattice)
    assert reading is not None
    assert same_partition(cells_of(reading), truth)
    around = np.pad(truth, 1)
    runs_on = np.zeros(truth.shape, bool)
    for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        runs_on |= np.roll(around, step, (0, 1))[1:-1, 1:-1] == truth
    assert 0 < runs_on.sum() < 20
    assert (reading.certainty[runs_on] < SURE).all()
    assert (reading.certainty[~runs_on] > 0.9).all()


def test_what_is_overexposed_is_not_surely_empty() -> None:
    """A picture may hold white tiles in its white parts; a page that is white all over none."""
    truth = cleared(shuffled(6, 10, 10, 0), 4)
    _, lattice = picture(truth)
    reading = reader.read(on_waves(truth, 0, white_from=9), lattice)
    assert reading is not None
    (left, right), sure = ((0, 3), (0, 8)), reading.certainty
    assert truth[left] == truth[right] == reading.cells[left] == reading.cells[right] == 0
    assert sure[right] <= DROPPED < 0.9 < sure[left]
    page = reader.read(*picture(truth, ground=255))
    assert page is not None
    assert (page.certainty[truth == 0] > 0.9).all()


@pytest.mark.parametrize(
    ("ground", "has_drawings", "is_sure"),
    [(255, False, False), (225, False, True), (255, True, True)],
)
def test_on_a_page_that_is_white_for_the_camera_no_gap_between_plain_squares_is_sure(
    ground: int, has_drawings: bool, is_sure: bool
) -> None:
    """One kind of them may be as white."""
    truth = cleared(shuffled(6, 10, 10, 3), 6)
    image, lattice = picture(truth if has_drawings else 0 * truth, ground=ground)
    if not has_drawings:
        paint_squares(image, truth, np.random.default_rng(3).integers(0, 220, (11, 3)))
    reading = reader.read(image, lattice)
    assert reading is not None and reading.confidence > 0.9
    assert same_partition(cells_of(reading), truth)
    assert (reading.certainty[truth == 0] >= SURE).all() == is_sure
    assert is_sure or (reading.certainty[truth == 0] < SURE).all()


@pytest.mark.parametrize(
    ("ground", "evened", "is_hidden"), [(60, 255, 1), (240, 255, 1), (240, 238, 0)]
)
def test_what_is_white_may_hold_a_tile(ground: int, evened: int, is_hidden: bool) -> None:
    """A lamp's reflection, or a white tile that a bright page lets no one see; but light may fall
    on the page so that a part of it is white, and in even light is as the rest."""
    cells = np.full((1, 4, CELL, CELL, 3), ground, np.float32)
    even = cells.copy()
    cells[0, 0], even[0, 0] = 255, evened
    bare = np.array([True, True, True, False])
    hidden = clipping.overexposed(cells, even, bare, np.zeros_like(bare))
    assert hidden.tolist() == [is_hidden, False, False, False]


@pytest.mark.parametrize(("width", "is_hidden"), [(0, False), (clipping.SPOT + 1, True)])
def test_a_lamp_on_a_bright_page_is_told_by_a_tile_that_it_hides_in_part(
    width: int, is_hidden: bool
) -> None:
    cells = np.full((2, 4, CELL, CELL, 3), 225, np.float32)
    cells[0, 1:3] = 255
    cells[0, 0, :, EDGE : EDGE + width] = 255
    bare, doubt = np.ones(8, bool), np.arange(8) == 0
    hidden = clipping.overexposed(cells, np.full_like(cells, 225), bare, doubt)
    assert hidden.tolist() == [False, is_hidden, is_hidden] + 5 * [False]


def test_a_light_of_the_wallpaper_in_a_gap_between_framed_tiles_is_ground() -> None:
    """It shows more than the ground does elsewhere, but has no frame and runs on into it."""
    truth = cleared(shuffled(6, 10, 10, 0), 8)
    image, lattice = picture(truth)
    bare = truth == 0
    row, col = np.argwhere(bare[:, :-1] & bare[:, 1:])[0]
    y, x = np.indices(image.shape[:2]) / PITCH - (np.array([row, col]) + 3.5)[:, None, None]
    light = 40 * np.exp(-(np.square(y) + np.square(x)) / (2 * 0.2**2))
    image = np.where((image == 60), image + light[..., None], image).astype(np.uint8)
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(reading.cells, truth)
    assert reading.certainty[row, col] > 0.9


def on_ground(contrast: np.ndarray, bare: np.ndarray, quiet: np.ndarray, is_plain: bool) -> Shown:
    """What cells show of which the `bare` ones are ground."""
    nothing = np.zeros_like(bare)
    return Shown(
        contrast=contrast,
        limit=4.0,
        plain=bare,
        faint=bare,
        apart=contrast,
        quiet=quiet,
        runs_into_ground=quiet.any(1),
        beside=bare,
        empty=bare,
        guessed=nothing,
        chequered=nothing,
        is_plain=is_plain,
    )


@pytest.mark.parametrize("is_plain", [True, False])
def test_a_cell_with_borders_is_hardly_known_by_a_colour_that_a_picture_has(is_plain: bool) -> None:
    """One of four bare cells beside four tiles runs on into no other."""
    bare = np.arange(8) < 4
    quiet = np.zeros((8, 4), bool)
    quiet[:3, 0] = True
    contrast = np.where(bare, 1, 20).astype(np.float32)
    nothing = np.zeros(8, bool)
    most = telling._most_of_ground(
        on_ground(contrast, bare, quiet, is_plain), ~bare, bare, nothing, nothing
    )
    assert most[:3].tolist() == [1, 1, 1]
    assert (most[3] == DROPPED) != is_plain


@pytest.mark.parametrize(
    ("usual", "lacks_frame", "is_sure"),
    [(0.3, False, False), (1.5, False, True), (0.3, True, True)],
)
def test_what_shows_little_is_surely_ground_only_where_ground_shows_hardly_less(
    usual: float, lacks_frame: bool, is_sure: bool
) -> None:
    """Dark sprites in a washed-out picture, on a clean ground; noise makes as much elsewhere, and
    the lights of a wallpaper, which have no frame, show more."""
    bare = np.arange(8) < 5
    contrast = np.where(bare, usual, 20).astype(np.float32)
    contrast[4] = 2.5
    nothing, quiet, frameless = np.zeros(8, bool), np.ones((8, 4), bool), np.zeros(8, bool)
    frameless[4] = lacks_frame
    seen = on_ground(contrast, bare, quiet, True)
    most = telling._most_of_ground(seen, ~bare, bare, nothing, frameless)
    assert most[:4].tolist() == [1, 1, 1, 1]
    assert (most[4] == 1) == is_sure


def test_where_most_bare_cells_hold_pale_tiles_the_ground_around_the_board_tells() -> None:
    """Grey sprites on grey ground before a camera without colour."""
    inside, tile = np.arange(10) < 8, np.arange(10) < 2
    contrast = np.where(tile, 20, 3.0).astype(np.float32)
    contrast[-3:] = 0.4, 0.2, 0.2  # one gap in the board, and what lies around
    nothing, quiet = np.zeros(10, bool), np.ones((10, 4), bool)
    seen = on_ground(contrast, ~tile, quiet, is_plain=True)
    most = telling._most_of_ground(seen, tile, inside & ~tile, nothing, nothing)
    assert (most[inside & ~tile] == [*5 * [DROPPED], 1]).all()


@pytest.mark.parametrize(("grain", "is_sure"), [(0.05, False), (0.15, True)])
def test_what_stands_out_of_even_ground_is_not_surely_ground(grain: float, is_sure: bool) -> None:
    """A picture of thin lines in the colour of the ground, which shows half as much again."""
    rng = np.random.default_rng(3)
    bare = np.arange(60) < 40
    contrast = np.where(bare, 3.7 * np.exp(rng.normal(0, grain, 60)), 20).astype(np.float32)
    contrast[39] = 5.5
    nothing, quiet = np.zeros(60, bool), np.ones((60, 4), bool)
    seen = on_ground(contrast, bare, quiet, True)
    most = telling._most_of_ground(seen, ~bare, bare, nothing, nothing)
    assert (most[:39] == 1).all()
    assert (most[39] == 1) == is_sure


@pytest.mark.parametrize("on_picture", [False, True])
@pytest.mark.parametrize("odd", [0, 1])
def test_tiles_hidden_in_part_say_nothing_of_a_plain_ground(on_picture: bool, odd: int) -> None:
    """Before a picture more may lie under what hides them; and so where a mate is not seen."""
    tile = np.zeros((5, 6), bool)
    tile[1:3, 1:5] = True
    none = np.zeros_like(tile)
    survey = SimpleNamespace(bordered=True, on_picture=on_picture, tile=tile, open_=none)
    hidden, sizes = np.zeros((3, 4), bool), np.array([4, 2, 2 + odd])
    hidden[0, 0] = True
    seen = np.ones((3, 4), np.float32)
    empties = reader._by_mates(survey, seen, sizes, hidden, None)[2]
    assert (empties == (DROPPED if on_picture or odd else 1)).all()
