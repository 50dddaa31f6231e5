"""What is no link board though cells of it have equals."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, cleared, picture, same_partition, shuffled

from ar_assist.games.link import dealing, reader
from ar_assist.games.link.board import LinkBoard
from ar_assist.games.link.survey import Survey
from ar_assist.types import Image, Lattice


def test_a_lattice_along_a_diagonal_is_none_of_the_board() -> None:
    """All tiles would be read, but beside each other would be those that are not. Tiles may lie as
    if they were sheared: then their edges run along the lattice's lines."""
    truth = shuffled(7, 12, 14, 5)
    aslant = np.zeros((7, 18), int)
    for r, line in enumerate(truth):
        aslant[r, 6 - r : 18 - r] = line
    upright, lattice = picture(aslant)
    image = picture(truth)[0]
    shear = np.array([[1, -1, 9.5 * PITCH - 0.5], [0, 1, 0]], np.float64)
    size = upright.shape[1], upright.shape[0]
    sheared = cv2.warpAffine(image, shear, size, borderValue=(60, 60, 60))
    assert reader.read(np.asarray(sheared, np.uint8), lattice) is None
    read = reader.read(upright, lattice)
    assert read is not None and same_partition(read.cells, aslant)


@pytest.mark.parametrize("axis", [0, 1])
def test_kinds_that_keep_to_every_second_line_are_halves_of_tiles(axis: int) -> None:
    tops, bottoms = shuffled(4, 8, 8, 1), shuffled(4, 8, 8, 2) + 8
    halves = np.stack([tops, bottoms], 1).reshape(8, 8)
    assert reader.read(*picture(halves if axis == 0 else halves.T)) is None
    assert reader.read(*picture(shuffled(8, 8, 16, 1))) is not None
    two_tiles = np.array([[1, 2, 1, 2], [1, 3, 1, 3], [1, 4, 1, 4]])
    assert reader.read(*picture(two_tiles if axis else two_tiles.T)) is None


@pytest.mark.parametrize(("swapped", "are_halves"), [(0, True), (2, True), (4, False)])
def test_halves_have_few_tiles_on_other_lines(swapped: int, are_halves: bool) -> None:
    """With an eighth of them there a board that was dealt may look so as well."""
    tops, bottoms = shuffled(4, 8, 8, 1), shuffled(4, 8, 8, 2) + 8
    cells = np.stack([tops, bottoms], 1).reshape(8, 8)
    cells[[0, 1], :swapped] = cells[[1, 0], :swapped]
    board = board_of(cells)
    assert dealing.are_halves(board) == are_halves


@pytest.mark.parametrize("is_turned", [False, True])
def test_halves_of_tiles_come_and_go_together(is_turned: bool) -> None:
    """On sparse boards pairs lie by chance on even rows or on odd ones alone; but by themselves."""
    rng = np.random.default_rng(1)
    halves = np.repeat(rng.random((4, 10)) < 0.5, 2, axis=0)
    alone = rng.random((8, 10)) < 0.5
    for tile, are_halves in ((halves, True), (alone, False)):
        cells = np.zeros((8, 10), int)
        for odd in range(2):
            row, col = np.nonzero(tile[odd::2])
            cells[2 * row + odd, col] = 1 + odd + 2 * (np.arange(len(row)) // 2)
        cells = cells.T if is_turned else cells
        board = board_of(cells)
        assert dealing.are_halves(board) == are_halves


def test_a_column_of_buttons_is_no_board() -> None:
    """Some have equals, and so have the corners of the window beside them."""
    buttons = np.zeros((10, 3), int)
    buttons[:, 1] = [1, 2, 1, 3, 4, 5, 5, 3, 4, 2]
    buttons[1, 2] = buttons[6, 0] = 8
    assert reader.read(*picture(buttons)) is None
    buttons[7:10, [0, 2]] = [[10, 1], [11, 10], [1, 11]]
    assert reader.read(*picture(buttons)) is not None


def test_a_lattice_that_skips_every_second_diagonal_is_refused() -> None:
    """Turned by 45 degrees, a lattice goes through all tiles and as many places between them."""
    kinds = shuffled(6, 10, 10, 7)
    row, col = np.indices((10, 12))
    sparse = np.where((row + col) % 2, 0, np.resize(kinds, (10, 12)))
    assert reader.read(*picture(sparse)) is None
    assert reader.read(*picture(kinds)) is not None


@pytest.mark.parametrize("is_dealt", [True, False])
def test_kinds_that_keep_to_a_line_each_are_not_dealt(is_dealt: bool) -> None:
    groups = np.tile(np.arange(4), 6)
    dealt = np.random.default_rng(1).permutation(groups)
    assert dealing.is_in_lines(np.ones((6, 4), bool), dealt if is_dealt else groups) != is_dealt


def test_the_only_kind_of_more_than_two_may_lie_in_a_line_by_chance() -> None:
    pairs = np.repeat(np.arange(18), 2).reshape(4, 9)
    pairs = np.random.default_rng(1).permutation(pairs.ravel()).reshape(4, 9)
    pairs[2, :4] = 18
    _, groups = np.unique(pairs, return_inverse=True)
    assert not dealing.is_in_lines(np.ones((4, 9), bool), groups.ravel())


def board_of(cells: np.ndarray) -> LinkBoard:
    return LinkBoard(tuple(map(tuple, cells.tolist())))


def tinted() -> np.ndarray:
    """(7, 8) a nonogram's cells: open and some filled, tinted in two columns each but for these."""
    cells = np.empty((7, 8), int)
    open_and_filled = np.random.default_rng(1).permutation(np.repeat([1, 2], [8, 20]))
    cells[:, [0, 1, 4, 6]] = open_and_filled.reshape(7, 4)
    cells[:, [2, 5]], cells[:, [3, 7]] = 3, 4
    cells[[0, 3, 2, 6], [2, 5, 3, 7]] = 1
    return cells


@pytest.mark.parametrize("axis", [0, 1])
def test_cells_that_are_tinted_by_lines_are_no_tiles(axis: int) -> None:
    cells = tinted()
    dealt = np.random.default_rng(1).permutation(cells.ravel()).reshape(cells.shape)
    boards = [np.swapaxes(board, 0, axis) for board in (cells, dealt)]
    assert [reader.read(*picture(board)) is None for board in boards] == [True, False]


@pytest.mark.parametrize("axis", [0, 1])
def test_a_wall_of_stones_amid_dealt_tiles_is_no_reason_to_refuse_a_board(axis: int) -> None:
    truth = shuffled(8, 12, 12, 5)
    truth[:, 6], truth[4, 3:9] = 13, 13
    board = board_of(np.swapaxes(truth, 0, axis))
    assert not dealing.share_lines(board)
    assert not dealing.is_repeated(board)


def test_a_board_of_pairs_that_a_game_dealt_backwards_may_share_lines() -> None:
    """Columns fall, and equal tiles come down beside each other; of odd kinds it would be none."""
    rows = (
        "9 9  2 12  4 5",
        "8 3 11 11  6 3",
        "8 6  1 12  2 3",
        "8 2 10  7  6 4",
        "9 1  1  7 10 4",
        "3 2  5  8  4 5",
        "7 9  1  7  6 5",
    )
    dealt = np.array([row.split() for row in rows], int)
    reading = reader.read(*picture(dealt))
    assert reading is not None and same_partition(reading.cells, dealt)
    dealt[6, 4] = 13
    assert dealing.share_lines(board_of(dealt))


def test_few_tiles_that_keep_to_their_rows_were_not_dealt() -> None:
    """The icons of a phone, three rows for five: no stones, which the kind that tells may be."""
    icons = LinkBoard(((1, 2, 2, 1), (3, 3, 2, 2), (4, 4, 4, 4)))
    assert dealing.share_lines(icons)
    assert not dealing.share_lines(LinkBoard(((1, 2, 4, 1), (4, 3, 2, 4), (2, 4, 3, 2))))


def test_few_tiles_that_all_come_again_the_same_step_away_are_no_board() -> None:
    """The halves of sticks on a mahjong tile, and the upper halves once more."""
    cells = np.array([[1, 1, 0, 0], [2, 3, 4, 0], [0, 1, 1, 0], [0, 2, 3, 4]])
    dealt = np.array([[1, 4, 0, 0], [2, 1, 3, 0], [0, 2, 1, 0], [0, 4, 3, 1]])
    assert [dealing.is_repeated(board_of(some)) for some in (cells, dealt)] == [True, False]


@pytest.mark.parametrize("axis", [0, 1])
def test_few_tiles_at_the_ends_that_are_equal_by_chance_are_no_reason_to_refuse_a_board(
    axis: int,
) -> None:
    """Six of the eight tiles that have another four rows down and eight columns on."""
    rows = (
        "10  8 7 2  1  9  7 6  1  2  6  8",
        " 7  4 0 0 11  4 11 6 10  2  1  6",
        " 5  9 0 7 10 11  6 5  2  3  8  0",
        " 5  5 0 8  9  4  8 2  3  6 11  0",
        " 9  9 8 4  0  8  3 6 10  8  3  2",
        " 4  7 3 7  0  9  6 3  7  4  5  3",
        " 3 10 7 1  0  0  0 9  0  9 10  5",
    )
    truth = np.array([row.split() for row in rows], int)
    assert not dealing.is_repeated(board_of(np.swapaxes(truth, 0, axis)))


@pytest.mark.parametrize("axis", [0, 1])
def test_an_ornament_that_comes_again_is_no_board(axis: int) -> None:
    """Six kinds, each with its mate the same step away; dealt among the same cells it is one."""
    cells = np.zeros((8, 9), int)
    ornament = np.array([[1, 0, 2, 0], [0, 3, 4, 0], [5, 0, 0, 6]])
    cells[:3, :4], cells[4:7, 5:] = ornament, ornament
    dealt = cells.copy()
    dealt[dealt > 0] = np.random.default_rng(2).permutation(cells[cells > 0])
    boards = [np.swapaxes(board, 0, axis) for board in (cells, dealt)]
    assert [reader.read(*picture(board)) is None for board in boards] == [True, False]


def test_of_a_wallpaper_no_further_lines_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on all around, and is as repeated there: each look at it would be dearer."""
    looked_at = []

    def counted(image: Image, lattice: Lattice) -> Survey | None:
        looked_at.append((lattice.rows, lattice.cols))
        return survey(image, lattice)

    survey = reader.surveyed
    monkeypatch.setattr(reader, "surveyed", counted)
    cells = np.tile(shuffled(6, 15, 15, 3), (3, 1))[:14]
    here_and_there = np.random.default_rng(0).choice(66, 33, replace=False)
    again = cells[7:13, 2:13].ravel()  # not quite, for a piece that always has the same neighbour
    again[here_and_there] = np.sort(again[here_and_there])  # may be one of a larger tile
    cells[7:13, 2:13] = again.reshape(6, 11)
    image, whole = picture(cells)
    (x, y), pitch = whole.origin_xy, whole.pitch_xy
    part = Lattice((x + 2 * pitch[0], y + pitch[1]), pitch, 12, 11)
    assert reader.read(image, part) is None
    assert looked_at == [(part.rows, part.cols)]


@pytest.mark.parametrize("is_turned", [False, True])
def test_frames_that_a_lattice_twice_too_fine_shows_in_every_second_line_are_no_kind(
    is_turned: bool,
) -> None:
    groups = shuffled(3, 8, 10, 4).copy()
    groups[1::2] = 11
    groups = groups.T if is_turned else groups
    full = np.ones(groups.shape, bool)
    assert dealing.is_in_lines(full, groups.ravel())
    groups[0, 0], groups[-1, -1] = 11, 11  # dealt as any other
    assert not dealing.is_in_lines(full, groups.ravel())


@pytest.mark.parametrize("truth", [((1, 2), (2, 1)), ((1, 2, 0), (0, 0, 3), (2, 1, 3))])
@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 2)])
def test_halves_of_a_few_discs_are_no_board(
    truth: tuple[tuple[int, ...], ...], down: int, along: int
) -> None:
    """The first four discs of Othello, or a puzzle's digits: each half comes twice."""
    image, whole = picture(np.array(truth))
    (dx, dy), rows, cols = whole.pitch_xy, down * whole.rows, along * whole.cols
    assert reader.read(image, Lattice(whole.origin_xy, (dx / along, dy / down), rows, cols)) is None


def chessboard() -> Image:
    square = np.indices((14, 14)).sum(0) % 2 * 200 + 20
    return np.repeat(np.kron(square, np.ones((PITCH, PITCH)))[..., None], 3, 2).astype(np.uint8)


def noise() -> Image:
    return np.random.default_rng(0).integers(0, 256, (14 * PITCH, 14 * PITCH, 3), np.uint8)


def letters() -> Image:
    """A keyboard: cells alike in frame, all different."""
    image = np.full((14 * PITCH, 14 * PITCH, 3), 40, np.uint8)
    for i in range(64):
        r, c = divmod(i, 8)
        x, y = (c + 3) * PITCH, (r + 3) * PITCH
        cv2.rectangle(image, (x + 3, y + 3), (x + PITCH - 3, y + PITCH - 3), (90, 90, 90), -1)
        cv2.putText(image, chr(33 + i), (x + 12, y + 34), 0, 1, (240, 240, 240), 2)
    return image


@pytest.mark.parametrize("make", [chessboard, noise, letters])
def test_no_link_board(make: object) -> None:
    lattice = Lattice((3 * PITCH - 0.5, 3 * PITCH - 0.5), (PITCH, PITCH), 8, 8)
    assert reader.read(make(), lattice) is None  # type: ignore[operator]


def test_no_lattice_no_board() -> None:
    assert reader.read(noise(), None) is None


@pytest.mark.parametrize("across", ["nothing", "bars", "equal bars", "sockets", "some sockets"])
def test_bars_between_the_lines_of_a_lattice_are_cut_by_it(across: str) -> None:
    """As days of a calendar are: some bars lie within cells, and come again. Sockets that tiles
    were taken from are alike, though not every cell may have one."""
    rng = np.random.default_rng(0)
    truth = np.array(
        [
            [1, 0, 0, 2, 0, 0, 3],
            [0, 4, 0, 0, 0, 1, 0],
            [0, 0, 3, 0, 2, 0, 0],
            [4, 0, 0, 0, 0, 0, 0],
            [0, 0, 5, 0, 0, 5, 0],
        ]
    )
    image, lattice = picture(truth, ground=160)
    above = (truth[:-1] == 0) & (truth[1:] == 0)
    for r, c in np.argwhere(above)[::2] if across.endswith("bars") else ():
        y, x = (r + 4) * PITCH, (c + 3) * PITCH
        colour = rng.integers(0, 256, 3) if across == "bars" else 40
        image[y - 5 : y + 5, x + 4 : x + PITCH - 4] = colour
    cols = {"sockets": 7, "some sockets": 3}.get(across, 0)
    for r, c in np.argwhere(truth[:, :cols] == 0):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        cv2.rectangle(image, (x + 1, y + 1), (x + PITCH - 2, y + PITCH - 2), (60,) * 3, 2)
    assert (reader.read(image, lattice) is None) == across.endswith("bars")


@pytest.mark.parametrize("seed", range(2))
def test_the_grain_of_the_wood_that_tiles_lie_on_is_not_cut_by_the_lattice(seed: int) -> None:
    """It lies across the borders between empty cells, but amid them as well."""
    truth = cleared(shuffled(8, 12, 24, seed), 18, seed)
    image, lattice = picture(truth)
    grain = np.random.default_rng(seed).normal(0, 1, (len(image), 1)).astype(np.float32)
    grain = cv2.GaussianBlur(grain, (1, 19), 0, sigmaY=3)
    wood = np.clip(60 + 14 * grain / grain.std(), 0, 255).astype(np.uint8)
    ground = (image == 60).all(-1)
    image[ground] = np.broadcast_to(wood[..., None], image.shape)[ground]
    reading = reader.read(image, lattice)
    assert reading is not None and same_partition(np.array(reading.board.cells), truth)


@pytest.mark.parametrize("seed", [0, 2])
@pytest.mark.parametrize("own", [True, False])
def test_pictures_that_are_as_far_apart_as_others_are_no_equals(own: bool, seed: int) -> None:
    """Days of a calendar: where bars lie comes again, but hues and numbers are each day's `own`."""
    rng = np.random.default_rng(seed)
    truth = shuffled(4, 7, 5, seed)
    hues = rng.integers(60, 200, (6, 3))
    image, lattice = picture(np.zeros_like(truth))
    for day, ((r, c), kind) in enumerate(np.ndenumerate(truth), 1):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        cell = image[y : y + PITCH, x : x + PITCH]
        cell[:] = 235
        cv2.rectangle(cell, (0, 0), (PITCH - 1, PITCH - 1), (190,) * 3)
        number = str(day if own else kind)
        cv2.putText(
            cell, number, (3, 11), cv2.FONT_HERSHEY_SIMPLEX, 0.35, (20,) * 3, 1, cv2.LINE_AA
        )
        for bar in range(3):
            if (kind + 2) >> bar & 1:
                hue = rng.integers(60, 200, 3) if own else hues[kind]
                cell[13 + 8 * bar : 19 + 8 * bar, 4:-4] = hue
    reading = reader.read(image, lattice)
    assert (reading is None) == own


def test_equals_that_lie_near_others_are_believed_where_all_else_speaks_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As strong moire and mirrored light part them."""
    monkeypatch.setattr(reader, "share_within", lambda *of: 1.2 * reader.MOST_WITHIN)
    truth = shuffled(6, 8, 12, 4)
    reading = reader.read(*picture(truth))
    assert reading is not None and same_partition(reading.cells, truth)
    monkeypatch.setattr(reader, "SURELY", reading.confidence + 0.001)
    assert reader.read(*picture(truth)) is None
