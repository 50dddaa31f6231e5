"""Where link boards end: lines and tiles at their border and beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn import PITCH, bordered, cells_of, cleared, picture, same_partition, shuffled

from ar_assist.find import find
from ar_assist.games.link import reader
from ar_assist.games.link.board import LinkBoard
from ar_assist.scene import open_scene
from ar_assist.types import Lattice, Plane, Reading, homography
from ar_assist.warp import rectify


def test_many_equal_pictures_in_a_line_of_their_own_are_none_of_the_board() -> None:
    """A strip of a window's border, cut into cells, has six mates in its row and none elsewhere."""
    truth = np.zeros((8, 12), int)
    truth[:7] = shuffled(7, 12, 14, 5)
    truth[7, :6] = truth.max() + 1
    image, lattice = picture(truth)
    reading = reader.read(image, lattice)
    assert same_partition(cells_of(reading), truth[:7])


def test_a_kind_that_lies_in_one_line_alone_is_no_reason_to_refuse_the_line() -> None:
    """One deal of 20 on a full board of 8 x 18 has one, in an outer row one of 80."""
    truth = shuffled(8, 18, 36, 5)
    kind = truth[0, 0]
    for col, mate in zip((1, 5, 9), map(tuple, np.argwhere(truth == kind)[1:]), strict=True):
        truth[mate], truth[0, col] = truth[0, col], kind
    assert (truth == kind).sum() == (truth[0] == kind).sum() == 4
    image, lattice = picture(truth)
    assert same_partition(cells_of(reader.read(image, lattice)), truth)


@pytest.mark.parametrize(("rows", "cols"), [(2, 5), (5, 10)])
def test_a_pair_that_has_a_line_to_itself_is_doubted_beside_many_tiles(
    rows: int, cols: int
) -> None:
    """Two words of a text beside the board look so; a few last tiles do, too."""
    truth = np.zeros((rows + 1, cols), int)
    truth[:rows] = shuffled(rows, cols, rows * cols // 2, 3)
    truth[rows, 3:5] = 30
    reading = reader.read(*picture(truth))
    assert reading is not None and reading.certainty.shape == truth.shape
    assert (reading.certainty[rows, 3:5] < 0.5).all() == (rows == 5)
    assert (reading.certainty[:rows] > 0.5).all()


def test_a_single_tile_beside_the_board_is_the_mate_of_an_odd_one() -> None:
    """Beside it other things lie: by itself it is no proof of a line."""
    scene = open_scene("scene:tier=tripod,seed=9880,seconds=8")
    truth = np.array(scene.truth["frames"][0]["board"]["cells"])
    seen = next(c for c in find(next(iter(scene)).image) if c.lattice)
    assert seen.lattice.cols < truth.shape[1]
    reading = reader.read(rectify(next(iter(scene)).image, seen.plane), seen.lattice)
    assert same_partition(cells_of(reading), truth)


def test_the_last_tiles_with_a_thick_side_are_no_part_of_what_lies_around(data: Path) -> None:
    image = cv2.imread(str(data / "link" / "douyin_llk_2.png"))
    truth = np.array(json.loads((data / "link" / "douyin_llk_2.json").read_text())["cells"])
    seen = next(c for c in find(image) if c.lattice)
    assert same_partition(cells_of(reader.read(rectify(image, seen.plane), seen.lattice)), truth)


@pytest.mark.parametrize("icons", [0, 4])
@pytest.mark.parametrize("is_below", [False, True])
def test_tiles_beyond_a_cleared_line_are_the_mates_of_odd_ones(is_below: bool, icons: int) -> None:
    """In a tool bar two may look so, but not all."""
    inner = shuffled(7, 8, 14, 4)
    truth = np.pad(inner, ((0, 0), (0, 2)))
    for row in (0, 4):  # two tiles lie beyond the last column but one
        truth[row, 2], truth[row, 9] = 0, inner[row, 2]
    board = truth[:, :8] if icons else truth.copy()
    truth[[1, 2, 5, 6][:icons], 9] = 30
    truth, board = (cells.T if is_below else cells for cells in (truth, board))
    image, lattice = picture(truth)
    shape = inner.T.shape if is_below else inner.shape
    found = reader.read(image, Lattice(lattice.origin_xy, lattice.pitch_xy, *shape))
    assert same_partition(cells_of(found), board)


@pytest.mark.parametrize("gap", [0, 1])
def test_single_tiles_beyond_an_empty_line_are_none_of_the_board(gap: int) -> None:
    """Beside the board a tile may have lost its mate to glare; further out it is another thing."""
    truth = shuffled(8, 9, 12, 4)
    line = np.zeros((8, 1), int)
    line[[2, 5]] = [[13], [14]]
    whole = np.hstack([truth, np.zeros((8, gap), int), line])
    found = cells_of(reader.read(*picture(whole)))
    assert same_partition(found, truth if gap else whole)


@pytest.mark.parametrize("sides", [(1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, -1), (-1, -1, 0, 1)])
def test_mends_the_lattice(sides: tuple[int, int, int, int]) -> None:
    """A row or column too many or too few on each side: top, bottom, left, right."""
    truth = shuffled(7, 10, 14, 6)
    image, lattice = picture(truth)
    top, bottom, left, right = sides
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    wrong = Lattice(
        (x - left * dx, y - top * dy),
        (dx, dy),
        lattice.rows + top + bottom,
        lattice.cols + left + right,
    )
    assert same_partition(cells_of(reader.read(image, wrong)), truth)


def test_a_blank_tile_beside_the_board_is_known_by_its_frame() -> None:
    """One of two white tiles is all of its row, and another tile of the next."""
    truth = np.zeros((8, 10), int)
    truth[2:] = shuffled(6, 10, 18, 6)
    pairs = np.flatnonzero(np.bincount(truth[truth > 0]) == 2)
    blank, other = pairs[0], pairs[1]
    for row, kind in enumerate((blank, other)):
        truth[tuple(np.argwhere(truth == kind)[0])] = 0
        truth[row, 3] = kind
    image, lattice = picture(truth, ground=90)
    framed = bordered(image, np.argwhere(truth), (250, 250, 250))
    for r, c in np.argwhere(truth):
        y, x = (r + 3) * PITCH, (c + 3) * PITCH
        if truth[r, c] == blank:
            framed[y : y + PITCH, x : x + PITCH] = 250
        framed[y + PITCH - 4 : y + PITCH, x : x + PITCH] = (60, 90, 120)
    below = Lattice((3 * PITCH - 0.5, 4 * PITCH - 0.5), lattice.pitch_xy, 7, 10)
    assert same_partition(cells_of(reader.read(framed, below)), truth)


def test_pieces_of_a_wallpaper_that_run_on_into_each_other_are_no_line_of_the_board() -> None:
    """Smooth ones that lie one above the other have mates in another line."""
    scene = open_scene("scene:tier=oblique45,seed=9982,seconds=8")
    board = scene.truth["frames"][0]["board"]
    truth = np.array(board["cells"])
    rows, cols = truth.shape
    board_in_plane = Lattice((48, 96), (48, 48), rows, cols)
    frame_from_plane = homography(board_in_plane.corners, np.array(board["corners"], np.float32))
    plane = Plane(frame_from_plane, (48 * (cols + 2), 48 * (rows + 3)))
    above = Lattice((48, 48), (48, 48), rows + 1, cols)
    found = cells_of(reader.read(rectify(next(iter(scene)).image, plane), above))
    assert found.shape == truth.shape


@pytest.mark.parametrize("cols", [9, 10])
def test_a_line_that_is_the_boards_from_outside_alone_is_left_out(
    monkeypatch: pytest.MonkeyPatch, cols: int
) -> None:
    """Looked at amid the board it is none, and without it it is one again."""
    truth = shuffled(8, 9, 12, 6)
    image, lattice = picture(np.pad(truth, ((0, 0), (0, 1))))

    def of_columns(count: int) -> Lattice:
        return Lattice(lattice.origin_xy, lattice.pitch_xy, 8, count)

    monkeypatch.setattr(reader, "extent", lambda sight: of_columns(19 - sight.lattice.cols))
    found = cells_of(reader.read(image, of_columns(cols)))
    assert found.shape == (8, 9)
    assert same_partition(found, truth)


def test_first_lines_whose_tiles_lack_the_sides_of_neighbours_are_the_boards() -> None:
    """Seen from above thick tiles show their sides, on the tiles below and to the right of them:
    the first row and column have rims of their own. Without these half of the kinds are odd."""
    truth = shuffled(8, 12, 24, 1)
    image, lattice = picture(truth, ground=110)
    for r, c in np.argwhere(truth):
        y, x = (r + 4) * PITCH, (c + 4) * PITCH
        image[y : y + 4, x - PITCH + 3 : x] = (40, 90, 30)
        image[y - PITCH + 3 : y + 4, x : x + 4] = (60, 120, 50)
    seen = cv2.GaussianBlur(image, (0, 0), 1)
    begun = Lattice((4 * PITCH - 0.5, 4 * PITCH - 0.5), lattice.pitch_xy, 7, 11)
    assert same_partition(cells_of(reader.read(seen, begun)), truth)


@pytest.mark.parametrize(("shared", "is_whole"), [(5, False), (6, True)])
def test_kinds_that_go_on_in_a_line_and_are_whole_there_are_the_boards(
    shared: int, is_whole: bool
) -> None:
    """Of fewer kinds things beside it may be."""
    cells = np.array([[1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]])
    beside = np.where(np.arange(12) < shared, np.arange(12) % 6 + 1, 0)[:, None]
    cells = np.concatenate([cells.ravel()[:, None], beside, beside], 1)
    board = LinkBoard(tuple(tuple(map(int, row)) for row in cells))
    reading = Reading(board, Lattice((0, 0), (1, 1), 12, 3).corners, np.ones(cells.shape), 1.0)
    inside = np.repeat([[True, False, False]], 12, axis=0)
    assert reader._goes_on(reading, inside) == is_whole
    assert not reader._goes_on(reading, np.ones_like(inside))


def test_a_board_is_read_without_what_stands_in_line_with_it_and_was_not_dealt() -> None:
    """Two columns of buttons, as far apart as tiles, with pictures that tiles have."""
    truth = cleared(shuffled(7, 10, 14, 0), 4)
    image, lattice = picture(np.concatenate([truth, np.tile([1, 2], (7, 1))], 1))
    board = replace(lattice, cols=lattice.cols - 2)
    reading = reader.read(image, board)
    assert reading is not None and same_partition(reading.cells, truth)
