"""Kinds of tiles that may be none, or several."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, amid_noise, cells_of, cleared, picture, same_partition, shuffled

from ar_assist.games import tiles
from ar_assist.games.link import reader, suspects
from ar_assist.games.link.advice import SURE
from ar_assist.games.link.survey import surveyed
from ar_assist.look import TRUST


@pytest.mark.parametrize(
    ("bare", "is_whole", "hides"), [(4, False, False), (8, False, True), (4, True, True)]
)
def test_tiles_without_a_drawing_may_hide_some_if_they_are_many(
    bare: int, is_whole: bool, hides: bool
) -> None:
    groups = np.repeat(np.arange(6), [4, 4, 4, 4, 4, bare])
    found = suspects.may_hide_drawings(groups, groups == 5, is_whole)
    assert found[groups == 5].all() == hides
    assert not found[groups < 5].any()
    # A board of plain squares.
    assert not suspects.may_hide_drawings(groups, groups > 0, is_whole).any()


def test_of_several_kinds_without_a_drawing_each_may_be_pieces_of_what_lies_behind() -> None:
    groups = np.repeat(np.arange(6), 4)
    found = suspects.may_hide_drawings(groups, groups > 3, is_whole=False)
    assert (found == (groups > 3)).all()


def test_kinds_that_are_made_unlike_most_others_may_be_stones() -> None:
    groups = np.repeat(np.arange(8), 4)
    for first in (7, 6):
        assert (suspects.may_be_stones(groups, groups >= first) == (groups >= first)).all()
    assert not suspects.may_be_stones(groups, groups >= 5).any()  # kinds of colours of their own
    assert not suspects.may_be_stones(groups, np.arange(32) == 20).any()  # one tile is marked


def test_no_advice_rests_on_stones_amid_tiles_with_a_frame() -> None:
    truth = cleared(shuffled(6, 8, 12, 2), 5)
    image, lattice = picture(truth)
    stones = np.zeros(truth.shape, bool)
    for r, c in np.argwhere(truth == 0)[:6]:
        x, y = (c + 3) * PITCH, (r + 3) * PITCH
        cv2.circle(image, (x + PITCH // 2, y + PITCH // 2), PITCH // 3, (90, 120, 130), -1)
        cv2.circle(image, (x + PITCH // 3, y + PITCH // 3), PITCH // 8, (200, 190, 170), -1)
        stones[r, c] = True
    reading = reader.read(image, lattice)
    assert reading is not None
    assert (cells_of(reading)[stones] > 0).all()
    assert (reading.certainty[stones] < SURE).all()
    assert (reading.certainty[~stones] >= SURE).mean() > 0.9
    assert reading.confidence >= TRUST


@pytest.mark.parametrize(("colour", "is_lost"), [((110, 254, 254), True), ((90, 200, 200), False)])
def test_faces_that_light_may_have_washed_out_may_be_two_kinds(
    colour: tuple[int, int, int], is_lost: bool
) -> None:
    """Yellow faces without eyes or mouth, where other tiles show theirs: a camera gives no more
    than 255 of green and red."""
    truth = shuffled(6, 10, 12, 3)
    image, lattice = picture(truth)
    for r, c in np.argwhere(truth == 1):
        middle = int((c + 3.5) * PITCH), int((r + 3.5) * PITCH)
        cv2.circle(image, middle, PITCH // 3, colour, -1, cv2.LINE_AA)
    reading = reader.read(amid_noise(image), lattice)
    assert same_partition(cells_of(reading), truth)
    is_doubted = reading.certainty < SURE
    assert (is_doubted == ((truth == 1) & is_lost)).all()


def test_kinds_that_show_far_less_than_most_may_be_what_lies_behind() -> None:
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, 256, (9, tiles.CELL, tiles.CELL, 3)).astype(np.float32)
    blank = np.full_like(drawn[:1], 90) + rng.normal(0, 1, drawn[:1].shape)
    kinds = np.concatenate([drawn, blank]).astype(np.float32)
    assert np.flatnonzero(suspects.show_little(kinds)).tolist() == [9]
    assert not suspects.show_little(kinds[-5:]).any()  # too few to say what is usual
    assert not suspects.show_little(np.repeat(blank, 9, axis=0).astype(np.float32)).any()


def test_a_kind_that_shows_little_is_none_of_what_lies_behind_if_it_has_the_frame() -> None:
    """A candle on a white tile, before a sky that is no ground of one colour."""
    truth = cleared(shuffled(7, 10, 12, 1), 5, 1)
    image, lattice = picture(truth)
    y, x = np.mgrid[: image.shape[0], : image.shape[1]] / PITCH
    sky = np.stack([70 + 40 * np.sin(y / 3 + k) + 30 * np.cos(x / 4 - y / 5) for k in range(3)], -1)
    image = np.where(image == 60, sky, image).astype(np.uint8)
    pale = int(np.bincount(truth[truth > 0]).argmax())
    for r, c in np.argwhere(truth == pale):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y + 5 : y + PITCH - 5, x + 5 : x + PITCH - 5] = 235
        cv2.circle(image, (x + PITCH // 2, y + PITCH // 2), 10, (190, 232, 250), -1, cv2.LINE_AA)
    reading = reader.read(image, lattice)
    assert same_partition(cells_of(reading), truth)
    assert (reading.certainty >= SURE).all()


@pytest.mark.parametrize(("tone", "hides"), [(120, False), (150, True)])
def test_where_no_tile_of_the_ground_s_tone_is_seen_empty_cells_may_be_such_tiles(
    tone: int, hides: bool
) -> None:
    """Before a camera without colour: tiles of 200 would show anywhere."""
    level = np.array([[200, 200, 120], [tone, tone, 118], [200, 200, 121]], np.float32)
    cells = np.ones((3, 3, tiles.CELL, tiles.CELL, 3), np.float32) * level[..., None, None, None]
    bare = np.zeros((3, 3), bool)
    bare[:, 2] = True
    assert (suspects.hide_tiles(cells, bare, ~bare) == (bare & hides)).all()


def test_a_drawing_in_the_tone_of_its_face_shows_as_much_as_its_colour_does() -> None:
    rng = np.random.default_rng(2)
    kinds = rng.integers(0, 256, (10, tiles.CELL, tiles.CELL, 3)).astype(np.float32)
    kinds[9] += 128 - (kinds[9] @ np.float32(tiles.LUMINANCE))[..., None]
    assert not suspects.show_little(kinds).any()


@pytest.mark.parametrize("fall", [0, 120])
def test_a_ground_of_several_colours_is_known_though_it_is_made_even(fall: int) -> None:
    truth = cleared(shuffled(6, 8, 12, 2), 8)
    image, lattice = picture(truth)
    plain = picture(np.zeros_like(truth))[0]
    slope = (fall * np.linspace(0, 1, image.shape[1]))[:, None].astype(np.uint8)
    image = np.where(image == plain, image + slope, image).astype(np.uint8)
    survey = surveyed(image, lattice)
    assert survey is not None
    assert survey.is_uneven == (fall > 0)


def test_kinds_of_colours_that_a_grey_camera_lacks_are_doubted_and_take_nothing_from_others() -> (
    None
):
    """Squares that differ in tone alone, beside drawings; a pair hides none."""
    kinds = np.repeat(np.arange(1, 16), [4, 4, 4, *[2] * 12])
    truth = np.random.default_rng(4).permutation(kinds).reshape(6, 6)
    image, lattice = picture(truth)
    for (r, c), kind in np.ndenumerate(truth):
        if kind < 3:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y + 6 : y + PITCH - 6, x + 6 : x + PITCH - 6] = (0, 110, 140)[kind]
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    noisy = grey + np.random.default_rng(1).normal(0, 2, grey.shape)
    reading = reader.read(cv2.merge([noisy.clip(0, 255).astype(np.uint8)] * 3), lattice)
    assert same_partition(cells_of(reading), truth)
    assert ((reading.certainty > SURE) == (truth > 3)).all()
    assert reading.confidence > TRUST
