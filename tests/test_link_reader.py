"""Reading link boards: drawn ones in many conditions, and real pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from test_tiles import PITCH, amid_noise, cleared, picture, same_partition, shuffled

from ar_assist import replay
from ar_assist.games import GAMES, tiles
from ar_assist.games.link import confidence, reader, suspects, telling
from ar_assist.games.link.advice import DOUBTFUL
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.ground import Shown
from ar_assist.games.link.paths import link, links
from ar_assist.games.link.telling import DROPPED
from ar_assist.look import TRUST
from ar_assist.types import Frame, Image, Lattice, Reading


def cells_of(reading: Reading | None) -> np.ndarray:
    assert reading is not None
    return np.array(reading.board.cells)


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
    assert before.certainty[empty] >= DOUBTFUL > after.certainty[empty]


def test_the_last_pair_and_the_cleared_board_are_read() -> None:
    """Of so few tiles neither frame nor groups can be told: they are known from before."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth)
    before = reader.read(image, lattice)
    one, other = (np.argwhere(truth == kind)[:2] for kind in (1, 2))
    for pairs in ((one, other), (one,), (one,), (), ()):
        left = np.zeros_like(truth)
        for pair in pairs:
            left[tuple(pair.T)] = truth[tuple(pair[0])]
        before = reader.read(picture(left)[0], None, before)
        assert same_partition(cells_of(before), left)
    full = reader.read(picture(truth)[0], None, before)
    assert full is not None and full.board.left == truth.size


def test_an_end_that_nobody_saw_come_is_none() -> None:
    """A blank page, a message over the board, or two tiles that are no pair."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth)
    full = reader.read(image, lattice)
    left = np.zeros_like(truth)
    blank = picture(left)[0]
    assert reader.read(blank, None, full) is None
    pairs = [np.argwhere(truth == kind)[:2] for kind in (1, 2)]
    for pair in pairs:
        left[tuple(pair.T)] = truth[tuple(pair[0])]
    known = reader.read(picture(left)[0], None, full)
    assert known is not None and known.board.left == 4
    assert reader.read(blank, None, known) is None
    no_pair = np.zeros_like(truth)
    for pair in pairs:
        no_pair[tuple(pair[0])] = truth[tuple(pair[0])]
    assert reader.read(picture(no_pair)[0], None, known) is None
    last = np.where(truth == 1, left, 0)
    known = reader.read(picture(last)[0], None, known)
    assert known is not None and known.board.left == 2
    cv2.putText(
        blank, "YOU WON", (3 * PITCH, 7 * PITCH), cv2.FONT_HERSHEY_DUPLEX, 3, (0, 0, 255), 9
    )
    assert reader.read(blank, None, known) is None


@pytest.mark.parametrize("tiles", [0, 8, 30])
def test_what_a_hand_hides_may_be_the_mates_of_odd_kinds(tiles: int) -> None:
    """A few hidden tiles leave many kinds odd; where many are hidden it may be no board at all."""
    truth = shuffled(7, 10, 24, 6)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (90, 20, 60))
    hand = np.zeros(truth.shape, bool)
    hand[2:, 5:].flat[:tiles] = True
    rng = np.random.default_rng(3)
    for r, c in np.argwhere(hand):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        skin = rng.normal((130, 160, 200), 25, (PITCH // 8, PITCH // 8, 3)).clip(0, 255)
        framed[y : y + PITCH, x : x + PITCH] = cv2.resize(skin.astype(np.uint8), (PITCH, PITCH))
    reading = reader.read(framed, lattice)
    if tiles == 30:
        assert reading is None or reading.confidence < TRUST
        return
    found = cells_of(reading)
    assert reading is not None and reading.confidence >= TRUST
    assert same_partition(found[~hand], truth[~hand])
    assert (reading.certainty[hand] < DOUBTFUL).all()


def test_hidden_cells_lie_together_and_are_few_but_as_many_as_the_odd_kinds() -> None:
    together, apart = np.zeros((7, 10), bool), np.zeros((7, 10), bool)
    together[2:4, 3:6] = True
    apart[::3, ::4] = True
    assert confidence.unexplained(6, together, 40) == 0
    assert confidence.unexplained(7, together, 40) == 7
    assert confidence.unexplained(6, together, 20) == 6
    assert confidence.unexplained(6, apart, 60) == 6


def test_the_last_tiles_are_read_with_the_mate_beyond_a_cleared_line() -> None:
    """Of four kinds one odd one is too many, if its mate is not looked for."""
    truth = np.zeros((4, 9), int)
    truth[[0, 0, 0, 0, 1, 1, 1, 3], [0, 4, 6, 7, 2, 6, 8, 4]] = [1, 1, 2, 3, 4, 3, 4, 2]
    image, lattice = picture(truth)
    upper = Lattice(lattice.origin_xy, lattice.pitch_xy, 2, 9)
    assert same_partition(cells_of(reader.read(image, upper)), truth)
    truth[3, 4] = 5
    assert reader.read(picture(truth)[0], upper) is None


@pytest.mark.parametrize("turn", range(4))
def test_the_mate_beyond_three_cleared_lines_of_a_side_is_found(turn: int) -> None:
    """Of what lies around on the other sides nothing need be like the board."""
    truth = np.zeros((5, 9), int)
    truth[[0, 0, 0, 0, 1, 1, 1, 4], [0, 4, 6, 7, 2, 6, 8, 4]] = [1, 1, 2, 3, 4, 3, 4, 2]
    truth = np.rot90(truth, turn)
    image, lattice = picture(truth)
    held = np.rot90(np.arange(45).reshape(5, 9) < 18, turn)
    (top, left), (bottom, right) = np.argwhere(held)[[0, -1]]
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = int(bottom - top) + 1, int(right - left) + 1
    part = Lattice((x + left * dx, y + top * dy), (dx, dy), rows, cols)
    assert same_partition(cells_of(reader.read(image, part)), truth)


def test_a_single_tile_and_the_kind_that_misses_one_are_one_mishap() -> None:
    assert confidence.mishaps(np.array([1, 3, 4, 4])) == 1
    assert confidence.mishaps(np.array([1, 1, 1, 3, 4])) == 3
    assert confidence.mishaps(np.array([3, 5, 1, 4])) == 2
    assert confidence.mishaps(np.array([2, 4])) == 0


def strewn(places: tuple[list[int], list[int]]) -> np.ndarray:
    """(7, 7) with three pairs, one after the other, at such rows and columns."""
    cells = np.zeros((7, 7), int)
    cells[places] = [1, 1, 2, 2, 3, 3]
    return cells


def test_three_pairs_are_what_is_left_of_a_board_only_if_they_lie_about() -> None:
    """A page repeats its icons too: in lines, or the same step apart; or not each of them."""
    last = strewn(([0, 3, 2, 4, 5, 6], [0, 5, 0, 6, 4, 2]))
    assert same_partition(cells_of(reader.read(*picture(last))), last)
    in_lines = strewn(([0, 0, 3, 3, 6, 6], [1, 4, 0, 3, 2, 6]))
    same_step = strewn(([0, 3, 1, 4, 2, 5], [0, 2, 3, 5, 1, 3]))
    beside_another = strewn(([0, 3, 2, 4, 5, 6], [0, 5, 0, 6, 4, 2]))
    beside_another[1, 3] = 4
    for page in (in_lines, same_step, beside_another, last[:, last.any(0)][:6, :3]):
        assert reader.read(*picture(page)) is None


def last_tiles() -> np.ndarray:
    """(7, 8) with four pairs."""
    truth = np.zeros((7, 8), int)
    truth[[0, 3, 2, 4, 5, 6, 6, 1], [0, 5, 0, 7, 4, 2, 5, 3]] = [1, 1, 2, 2, 3, 3, 4, 4]
    return truth


STONES = [1, 4, 3], [1, 4, 1]


def test_stones_that_may_be_ground_say_nothing_against_the_last_tiles() -> None:
    image, lattice = picture(last_tiles())
    for r, c in zip(*STONES, strict=True):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y : y + PITCH, x : x + PITCH] = 110
        cv2.circle(image, (x + 24, y + 24), 12, (80, 80, 80), 5)
    reading = reader.read(image, lattice)
    assert same_partition(cells_of(reading), last_tiles())
    assert reading is not None and reading.confidence >= TRUST
    assert (reading.certainty[STONES] < DOUBTFUL).all()


def toned(truth: np.ndarray, tones: int) -> tuple[Image, Lattice]:
    """Letters on faces whose colours go by their kinds, with gaps of ground between."""
    colours = np.random.default_rng(0).integers(40, 160, (tones, 3)).tolist()
    image, lattice = picture(np.zeros_like(truth), ground=30)
    for (r, c), kind in np.ndenumerate(truth):
        x, y = (c + 3) * PITCH, (r + 3) * PITCH
        far = x + PITCH - 3, y + PITCH - 3
        cv2.rectangle(image, (x + 2, y + 2), far, colours[kind % tones], -1)
        letter, at = chr(64 + kind), (x + PITCH // 4, y + 3 * PITCH // 4)
        cv2.putText(image, letter, at, cv2.FONT_HERSHEY_SIMPLEX, PITCH / 45, (220, 220, 220), 2)
    return image, lattice


@pytest.mark.parametrize("tones", [3, 5])
def test_tiles_have_mates_though_few_share_the_colour_of_their_faces(tones: int) -> None:
    """One tone is no frame, though it is around different pictures, and those in others have none:
    pieces of a wallpaper would have no mates either."""
    truth = shuffled(8, 10, 20, 0)
    assert same_partition(cells_of(reader.read(*toned(truth, tones))), truth)


@pytest.mark.parametrize("seed", [2, 4])
def test_a_marked_tile_is_known_by_its_mates_where_tiles_share_no_frame(seed: int) -> None:
    truth = shuffled(8, 10, 20, seed)
    image, lattice = toned(truth, 3)
    marked = bordered(image, np.array([[4, 5]]), (0, 0, 255), 6)
    assert same_partition(cells_of(reader.read(marked, lattice)), truth)


def bordered(
    image: Image, cells: np.ndarray, colour: tuple[int, int, int], width: int = 4
) -> Image:
    """With a border drawn just inside each of those (r, c)."""
    drawn = image.copy()
    for r, c in cells:
        y, x, off = (r + 3) * PITCH, (c + 3) * PITCH, width // 2
        far = PITCH - 1 - off
        cv2.rectangle(drawn, (x + off, y + off), (x + far, y + far), colour, width)
    return drawn


@pytest.mark.parametrize("left", [56, 42, 28])
@pytest.mark.parametrize("seed", range(3))
def test_a_board_that_is_half_cleared_is_read_on_a_wallpaper(left: int, seed: int) -> None:
    """Most cells show a picture that no other does: the tiles are those with one frame."""
    full = shuffled(7, 12, 14, seed)
    truth = cleared_to(full, left, seed)
    image, lattice = picture(truth)
    bare = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) == 60
    image[bare] = wallpaper(image, seed)[bare]
    assert same_partition(cells_of(reader.read(image, lattice)), truth)


def cleared_to(full: np.ndarray, left: int, seed: int) -> np.ndarray:
    """The board with so many tiles left, pairs of each kind; every outer line holds some."""
    rng, board = np.random.default_rng(seed), full.copy()
    while (board > 0).sum() > left:
        places = np.argwhere(board == rng.choice(board[board > 0]))
        fewer = board.copy()
        for place in rng.permutation(places)[:2]:
            fewer[tuple(place)] = 0
        if fewer[0].any() and fewer[-1].any() and fewer[:, 0].any() and fewer[:, -1].any():
            board = fewer
    return board


def wallpaper(image: Image, seed: int) -> Image:
    """Of the picture's size: blotches and leaves of many colours."""
    rng = np.random.default_rng(seed)
    size_wh = image.shape[1::-1]
    octaves = [
        cv2.resize(rng.normal(0, 60, (n, n, 3)), size_wh, interpolation=cv2.INTER_CUBIC)
        for n in (6, 20, 70)
    ]
    return np.clip(110 + np.sum(octaves, 0), 0, 255).astype(np.uint8)


def vignette(image: Image, rng: np.random.Generator) -> Image:
    h, w = image.shape[:2]
    y, x = np.mgrid[:h, :w]
    fall = 1 - 0.9 * ((x / w - 0.5) ** 2 + (y / h - 0.4) ** 2)
    return np.clip(
        image * fall[..., None] * 0.8 + 30 + rng.normal(0, 3, image.shape), 0, 255
    ).astype(np.uint8)


CONDITIONS = {
    "clean": lambda image, rng: image,
    "grey": lambda image, rng: cv2.cvtColor(
        cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR
    ),
    "noise": lambda image, rng: np.clip(image + rng.normal(0, 12, image.shape), 0, 255).astype(
        np.uint8
    ),
    "blur": lambda image, rng: cv2.GaussianBlur(image, (0, 0), 2),
    "vignette": vignette,
    "jpeg": lambda image, rng: cv2.imdecode(
        cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 30])[1], cv2.IMREAD_COLOR
    ),
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("pairs", [0, 8])
def test_reads_exactly(condition: str, pairs: int) -> None:
    truth = cleared(shuffled(7, 10, 14, 4), pairs)
    image, lattice = picture(truth)
    found = cells_of(reader.read(CONDITIONS[condition](image, np.random.default_rng(0)), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


@pytest.mark.parametrize("seed", range(4))
def test_kinds_that_were_told_apart_do_not_run_together_as_the_board_empties(seed: int) -> None:
    truth = shuffled(5, 8, 10, seed)
    left = np.where(np.isin(truth, [1, 2, 3, 4]), truth, 0)

    def seen(cells: np.ndarray) -> tuple[Image, Lattice]:
        """Kind 2 is kind 1 but for one stroke."""
        image, lattice = picture(np.where(cells == 2, 1, cells))
        for r, c in np.argwhere(cells == 2):
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            cv2.line(image, (x + 20, y + 38), (x + 28, y + 36), (120, 120, 120), 2)
        noise = np.random.default_rng(seed).normal(0, 4, image.shape)
        blurred = cv2.GaussianBlur(image, (0, 0), 2) + noise
        return np.clip(blurred, 0, 255).astype(np.uint8), lattice

    before = reader.read(*seen(truth))
    assert same_partition(cells_of(before), truth)
    after = reader.read(*seen(left), before)
    assert (cells_of(after) == np.where(left > 0, cells_of(before), 0)).all()


def test_labels_are_numbered_in_reading_order() -> None:
    image, lattice = picture(shuffled(6, 8, 10, 5))
    kinds = list(dict.fromkeys(cells_of(reader.read(image, lattice)).ravel().tolist()))
    assert kinds == list(range(1, len(kinds) + 1))


def test_kinds_that_look_quite_otherwise_are_known_by_their_places() -> None:
    image, lattice = picture(cleared(shuffled(6, 8, 12, 2), 2))
    before = reader.read(image, lattice)
    again = reader.read(255 - image, lattice, before)
    assert before is not None
    assert again is not None
    assert again.board == before.board


@pytest.mark.parametrize("pairs", [0, 4, 12])
@pytest.mark.parametrize("ground", [0, 60, 150])
def test_light_frames_that_touch_each_other_are_no_ground(ground: int, pairs: int) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), pairs)
    image, lattice = picture(truth, ground)
    found = cells_of(reader.read(bordered(image, np.argwhere(truth), (230, 230, 230)), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


def test_a_marked_tile_is_known_by_its_mates() -> None:
    """A border around the tile that the player picked is not the frame that tiles have."""
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    picked = np.argwhere(truth)[:1]
    for colour, least in (((0, 220, 250), DOUBTFUL), ((0, 40, 250), 0.5)):
        framed = bordered(image, np.argwhere(truth), (230, 230, 230))
        reading = reader.read(bordered(framed, picked, colour), lattice)
        assert same_partition(cells_of(reading), truth)
        assert reading is not None
        assert reading.certainty[tuple(picked[0])] > least


def tinted(image: Image, cells: np.ndarray, colour: tuple[int, int, int], share: float) -> Image:
    """With a colour that takes so large a share of each of those (r, c)."""
    drawn = image.copy()
    for r, c in cells:
        cell = drawn[(r + 3) * PITCH : (r + 4) * PITCH, (c + 3) * PITCH : (c + 4) * PITCH]
        cell[:] = (1 - share) * cell + share * np.array(colour)
    return drawn


@pytest.mark.parametrize(
    ("colour", "count"),
    [((0, 220, 250), 1), ((250, 110, 40), 1), ((0, 0, 0), 1), ((250, 110, 40), 2), ((0, 0, 0), 2)],
)
def test_a_tile_under_a_tint_is_there_but_doubted_unless_it_was_read_before(
    colour: tuple[int, int, int], count: int
) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    picked = np.argwhere(truth == truth[tuple(np.argwhere(truth)[0])])[:count]
    chosen = tinted(framed, picked, colour, 0.4)
    first = reader.read(chosen, lattice)  # to read it again so does not make it surer
    for before, is_sure in ((None, False), (first, False), (reader.read(framed, lattice), True)):
        reading = reader.read(chosen, lattice, before)
        assert reading is not None
        assert same_partition(cells_of(reading), truth)
        assert ((reading.certainty[tuple(picked.T)] > 0.9) == is_sure).all()


def test_an_empty_cell_under_a_tint_is_no_tile() -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    chosen = tinted(framed, np.argwhere(truth == 0)[:1], (0, 220, 250), 0.4)
    assert same_partition(cells_of(reader.read(chosen, lattice)), truth)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_tile_under_a_broad_mark_is_there_but_doubted_unless_it_was_read_before(
    is_known: bool,
) -> None:
    truth = cleared(shuffled(7, 10, 14, 6), 10)
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (230, 230, 230))
    picked = np.argwhere(truth)[:1]
    before = reader.read(framed, lattice) if is_known else None
    reading = reader.read(bordered(framed, picked, (0, 40, 250), 7), lattice, before)
    assert same_partition(cells_of(reading), truth)
    assert reading is not None
    assert (reading.certainty[tuple(picked[0])] > DOUBTFUL) == is_known


def test_a_plain_cell_of_the_colour_beside_the_board_is_empty() -> None:
    """Two are cleared, so that the ground runs on nowhere, and a strip of it is all around."""
    truth = shuffled(7, 10, 14, 6)
    mate = next(tuple(cell) for cell in np.argwhere(truth == truth[2, 3]) if tuple(cell) != (2, 3))
    truth[mate], truth[5, 7], truth[2, 3] = truth[5, 7], 0, 0
    image, lattice = picture(truth, ground=200)
    framed = bordered(amid_noise(image), np.argwhere(truth), (90, 20, 60))
    for r, c in np.argwhere(truth):  # a side that shows below a thick tile ends its ground
        y, x = (r + 4) * PITCH, (c + 3) * PITCH
        framed[y : y + 5, x + 1 : x + PITCH - 1] = (120, 70, 40)
    found = cells_of(reader.read(framed, lattice))
    assert ((found == 0) == (truth == 0)).all()


def on_leather(image: Image, truth: np.ndarray) -> Image:
    """Thick tiles on a rough ground, brighter at the top: cells beside them show a side."""
    rough = np.random.default_rng(0).normal(0, 9, image.shape[:2])
    light = np.linspace(1.6, 0.4, len(image))[:, None, None]
    ground = (cv2.GaussianBlur(rough, (0, 0), 1)[..., None] + (15, 55, 75)) * light
    drawn = ground.clip(0, 255).astype(np.uint8)
    corners = [((r + 3) * PITCH, (c + 3) * PITCH) for r, c in np.argwhere(truth)]
    for y, x in corners:
        drawn[y + 3 : y + PITCH + 6, x : x + PITCH + 10] = (40, 150, 40)
        drawn[y + 2 : y + PITCH + 3, x : x + PITCH + 5] = (150, 200, 210)
    for y, x in corners:
        drawn[y : y + PITCH, x : x + PITCH] = image[y : y + PITCH, x : x + PITCH]
    return drawn


@pytest.mark.parametrize("seed", range(3))
def test_the_sides_of_tiles_that_show_in_empty_cells_are_no_tiles(seed: int) -> None:
    """Two cells show the same side, and are mates."""
    truth = shuffled(7, 12, 14, seed)
    gaps, corners = ((2, 4), (3, 4), (5, 7), (5, 8)), ((0, 0), (0, 11), (6, 0), (6, 11))
    for gap, corner in zip(gaps, corners, strict=True):
        mate = next(tuple(m) for m in np.argwhere(truth == truth[gap])[::-1] if tuple(m) != gap)
        truth[mate], truth[corner], truth[gap] = truth[corner], 0, 0
    image, lattice = picture(truth)
    framed = bordered(image, np.argwhere(truth), (210, 230, 240))
    found = cells_of(reader.read(on_leather(framed, truth), lattice))
    assert ((found == 0) == (truth == 0)).all()


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
    assert (reading.certainty[bare] <= DOUBTFUL).all() != is_ground


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
    assert (reading.certainty[stones] < DOUBTFUL).all()
    assert (reading.certainty[~stones] > DOUBTFUL).mean() > 0.9
    assert reading.confidence >= TRUST


@pytest.mark.parametrize(("gain", "offset"), [(0.6, 0), (0.8, 50), (1.15, 5)])
def test_kinds_keep_their_labels_in_another_exposure(gain: float, offset: float) -> None:
    """Even where the game has shuffled the tiles."""
    truth = shuffled(6, 8, 12, 2)
    later = np.random.default_rng(1).permutation(truth.ravel()).reshape(truth.shape)
    image, lattice = picture(truth)
    before = reader.read((image * 0.8).astype(np.uint8), lattice)
    lit = np.clip(picture(later)[0] * 0.8 * gain + offset, 0, 255).astype(np.uint8)
    label = dict(zip(truth.ravel().tolist(), cells_of(before).ravel().tolist(), strict=True))
    again = cells_of(reader.read(lit, lattice, before))
    assert again.tolist() == [[label[kind] for kind in row] for row in later.tolist()]


def test_keeps_labels_and_grid_of_the_reading_before() -> None:
    truth = shuffled(6, 8, 10, 7)
    first = reader.read(*picture(truth))
    later = truth.copy()
    later[0] = 0  # the whole first row went
    partner = {int(kind): np.argwhere(later == kind) for kind in np.unique(later) if kind}
    for where in partner.values():
        if len(where) % 2:
            later[tuple(where[0])] = 0
    image, lattice = picture(later)
    second = cells_of(reader.read(image, lattice, first))
    assert second.shape == later.shape
    assert (second[later > 0] == cells_of(first)[later > 0]).all()


def test_squares_of_plain_colour() -> None:
    truth = cleared(shuffled(6, 8, 8, 8), 5)
    palette = np.array(
        [
            [255, 255, 255],
            [0, 0, 220],
            [220, 0, 0],
            [0, 180, 0],
            [0, 220, 220],
            [0, 0, 0],
            [70, 70, 70],
            [140, 140, 140],
            [220, 0, 220],
        ],
        np.uint8,
    )
    image, lattice = picture(np.zeros_like(truth), ground=255)
    for (r, c), kind in np.ndenumerate(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = palette[kind]
    found = cells_of(reader.read(image, lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


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
    assert (reading.certainty[runs_on] < DOUBTFUL).all()
    assert (reading.certainty[~runs_on] > 0.9).all()


@pytest.mark.parametrize("noise", [3, 8])
def test_squares_of_near_colours_seen_by_a_camera(noise: float) -> None:
    truth = cleared(shuffled(6, 9, 9, 1), 5, 1)
    image, lattice = picture(np.zeros_like(truth), ground=225)
    greys = [[level] * 3 for level in (0, 60, 140, 250)]
    bright = [[0, 0, 220], [220, 0, 0], [0, 180, 0], [0, 220, 220], [220, 0, 220]]
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            y, x = (r + 3) * PITCH, (c + 3) * PITCH
            image[y + 2 : y + PITCH - 2, x + 2 : x + PITCH - 2] = (greys + bright)[kind - 1]
    rng = np.random.default_rng(0)
    seen = vignette(cv2.GaussianBlur(image, (0, 0), 2), rng) + rng.normal(0, noise, image.shape)
    found = cells_of(reader.read(np.clip(seen, 0, 255).astype(np.uint8), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


def on_waves(truth: np.ndarray, seed: int, white_from: int = 16) -> np.ndarray:
    """Sprites without frames on a picture of many colours, seen by a noisy camera.

    White from some column on, of (6, 10) sprites with three of ground around.
    """
    y, x = np.mgrid[: 12 * PITCH, : 16 * PITCH] / PITCH
    waves = [np.sin(y / 2 + x / 3 + k) * 30 + np.cos(x / 2 - y / 3 + 2 * k) * 24 for k in range(3)]
    image = np.stack(waves, -1) + 130
    image[:, white_from * PITCH :] = 270
    for (r, c), kind in np.ndenumerate(truth):
        if kind:
            rng = np.random.default_rng(kind)
            spots = rng.uniform(-11, 11, (3, 2)) + (np.array([c, r]) + 3.5) * PITCH
            for spot in spots.astype(int).tolist():
                cv2.circle(image, spot, 7, rng.integers(0, 256, 3).tolist(), -1)
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 1) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("seed", range(3))
def test_sprites_on_a_picture(seed: int) -> None:
    truth = cleared(shuffled(6, 10, 10, seed), 4)
    _, lattice = picture(truth)
    found = cells_of(reader.read(on_waves(truth, seed), lattice))
    assert same_partition(found, truth)
    assert ((found == 0) == (truth == 0)).all()


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


@pytest.mark.parametrize("confidence", [0.3, 0.9])
def test_a_board_that_was_hardly_believed_may_be_none_after_all(confidence: float) -> None:
    """Two kinds come by chance: of a home screen's icons too, once some seemed to be equal."""
    truth = shuffled(6, 10, 6, 2)
    known = reader.read(*picture(truth))
    assert known is not None
    few = np.where(truth <= 2, truth, 0)
    again = reader.read(picture(few)[0], None, replace(known, confidence=confidence))
    assert (again is None) == (confidence < 0.5)


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
    is_doubted = reading.certainty <= DOUBTFUL
    assert (is_doubted == ((truth == 1) & is_lost)).all()


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
    most = telling._most_of_ground(on_ground(contrast, bare, quiet, is_plain), ~bare, bare, nothing)
    assert most[:3].tolist() == [1, 1, 1]
    assert (most[3] == DROPPED) != is_plain


@pytest.mark.parametrize(("usual", "is_sure"), [(0.3, False), (1.5, True)])
def test_what_shows_little_is_surely_ground_only_where_ground_shows_hardly_less(
    usual: float, is_sure: bool
) -> None:
    """Dark sprites in a washed-out picture, on a clean ground; noise makes as much elsewhere."""
    bare = np.arange(8) < 5
    contrast = np.where(bare, usual, 20).astype(np.float32)
    contrast[4] = 2.5
    nothing, quiet = np.zeros(8, bool), np.ones((8, 4), bool)
    most = telling._most_of_ground(on_ground(contrast, bare, quiet, True), ~bare, bare, nothing)
    assert most[:4].tolist() == [1, 1, 1, 1]
    assert (most[4] == 1) == is_sure


def test_where_most_bare_cells_hold_pale_tiles_the_ground_around_the_board_tells() -> None:
    """Grey sprites on grey ground before a camera without colour."""
    inside, tile = np.arange(10) < 8, np.arange(10) < 2
    contrast = np.where(tile, 20, 3.0).astype(np.float32)
    contrast[-3:] = 0.4, 0.2, 0.2  # one gap in the board, and what lies around
    nothing, quiet = np.zeros(10, bool), np.ones((10, 4), bool)
    seen = on_ground(contrast, ~tile, quiet, is_plain=True)
    most = telling._most_of_ground(seen, tile, inside & ~tile, nothing)
    assert (most[inside & ~tile] == [*5 * [DROPPED], 1]).all()


@pytest.mark.parametrize(("grain", "is_sure"), [(0.05, False), (0.15, True)])
def test_what_stands_out_of_even_ground_is_not_surely_ground(grain: float, is_sure: bool) -> None:
    """A picture of thin lines in the colour of the ground, which shows half as much again."""
    rng = np.random.default_rng(3)
    bare = np.arange(60) < 40
    contrast = np.where(bare, 3.7 * np.exp(rng.normal(0, grain, 60)), 20).astype(np.float32)
    contrast[39] = 5.5
    nothing, quiet = np.zeros(60, bool), np.ones((60, 4), bool)
    most = telling._most_of_ground(on_ground(contrast, bare, quiet, True), ~bare, bare, nothing)
    assert (most[:39] == 1).all()
    assert (most[39] == 1) == is_sure


def test_kinds_that_show_far_less_than_most_may_be_what_lies_behind() -> None:
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, 256, (9, tiles.CELL, tiles.CELL, 3)).astype(np.float32)
    blank = np.full_like(drawn[:1], 90) + rng.normal(0, 1, drawn[:1].shape)
    kinds = np.concatenate([drawn, blank]).astype(np.float32)
    assert np.flatnonzero(suspects.show_little(kinds)).tolist() == [9]
    assert not suspects.show_little(kinds[-5:]).any()  # too few to say what is usual
    assert not suspects.show_little(np.repeat(blank, 9, axis=0).astype(np.float32)).any()


@pytest.mark.slow
def test_real_pictures_by_their_true_corners(data: Path) -> None:
    """Nearly every board is exact; no reading that is trusted offers a wrong pair."""
    exact, files = 0, sorted((data / "link").glob("*.json"))
    for path in files:
        truth = json.loads(path.read_text())
        cells = np.array(truth["cells"])
        rows, cols = cells.shape
        lattice = Lattice((3 * PITCH - 0.5, 3 * PITCH - 0.5), (PITCH, PITCH), rows, cols)
        image = cv2.imread(str(path.parent / truth["image"]))
        plane = cv2.getPerspectiveTransform(np.float32(truth["corners"]), lattice.corners)
        size = (cols + 6) * PITCH, (rows + 6) * PITCH
        reading = reader.read(cv2.warpPerspective(image, plane, size), lattice)
        for r, c in truth.get("link", []):
            cells[r, c] = -1
        if reading is None or reading.certainty.shape != cells.shape:
            continue
        found = np.array(reading.board.cells)
        sure = cells >= 0
        right = same_partition(found[sure], cells[sure])
        exact += right
        if reading.confidence >= TRUST:
            clear = reading.certainty >= DOUBTFUL
            for pair in links(reading.board, Rules()):
                if clear[pair.a] and clear[pair.b] and sure[pair.a] and sure[pair.b]:
                    assert cells[pair.a] == cells[pair.b] > 0, (path.stem, pair)
    assert exact >= len(files) - 2


def test_real_pictures_as_the_program_sees_them(data: Path) -> None:
    """Found, read and advised upon: all exact but where a pair fades, and every hint right."""
    for path in sorted((data / "link").glob("*.json")):
        truth = json.loads(path.read_text())
        cells = np.array(truth["cells"])
        image = cv2.imread(str(path.parent / truth["image"]))
        view = replay.still(Frame(0, 0.0, image), [GAMES["link"]])
        assert view.reading is not None, path.stem
        assert view.reading.certainty.shape == cells.shape, path.stem
        sure = np.ones(cells.shape, bool)
        for cell in truth.get("link", []):
            sure[tuple(cell)] = False
        found = np.array(view.reading.board.cells)
        assert same_partition(found[sure], cells[sure]), path.stem
        assert view.advice is not None and view.advice.moves, path.stem
        hint = view.advice.moves[0].link
        board = LinkBoard(tuple(map(tuple, cells.tolist())))
        assert link(board, Rules(), hint.a, hint.b) is not None, path.stem
