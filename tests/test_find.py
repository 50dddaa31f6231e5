"""Boards are found on real pictures, turned, tilted and pasted among clutter."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

import cv2
import numpy as np
import pytest

from ar_assist.evaluate.geometry import iou
from ar_assist.find import (
    ANOTHER_PLACE,
    blobs,
    find,
    outlines,
    refinement,
    search,
    subdivision,
)
from ar_assist.find.cells import CELL_PX, PHASES, _border, placed, settle
from ar_assist.find.lattice import FIT_CELLS, Box, Fit, _cropped, map_between
from ar_assist.find.lens import RadialLens
from ar_assist.find.period import (
    WINDOW_PX,
    _autocorrelations,
    _half_ring,
    _promise,
    axis_seeds,
    edge_strength,
)
from ar_assist.find.quads import Quad, _along_sides, _cornered, quads
from ar_assist.find.refinement import refined
from ar_assist.scene import open_scene
from ar_assist.types import Candidate, homography, transform
from ar_assist.warp import rectify

CELL = 0.2  # of a tile: how far a corner of the lattice may be off, lens distortion included
SIDES = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def load(path: Path) -> tuple[np.ndarray, dict]:
    return cv2.imread(str(path)), json.loads(path.with_suffix(".json").read_text())


def in_cells(candidate: Candidate, corners: np.ndarray) -> np.ndarray:
    """(4, 2) corners of the board in cells of the candidate's lattice, wherever that ends."""
    assert candidate.lattice is not None
    in_plane = candidate.plane.to_plane(corners)
    return (in_plane - candidate.lattice.origin_xy) / candidate.lattice.pitch_xy


def error(candidate: Candidate, corners: np.ndarray) -> float:
    """Cells between the candidate's lattice and the truth, over all quarter turns."""
    if candidate.lattice is None:
        return np.inf
    seen = [candidate.plane.to_plane(np.roll(corners, -turn, axis=0)) for turn in range(4)]
    lattice = candidate.lattice
    return min(float(np.abs((s - lattice.corners) / lattice.pitch_xy).max()) for s in seen)


def best_error(
    image: np.ndarray, corners: np.ndarray, tried: int = 4, enough: float = CELL
) -> float:
    """Of so many candidates; those after one that is good enough are not sought."""
    best = np.inf
    for candidate in islice(find(image), tried):
        best = min(best, error(candidate, corners))
        if best < enough:
            break
    return best


LINK = [
    "tsinghua_colorcapture.jpg",
    "tsinghua_graycapture.jpg",
    "ldt_monitor_a.png",
    "colour_llk_10x16_a.png",
    "fruit_grid_9x8.png",
    "pokemon_java_10x10.png",
]


@pytest.mark.parametrize("name", LINK)
def test_link_boards_are_found_whole(data: Path, name: str) -> None:
    image, truth = load(data / "link" / name)
    assert best_error(image, np.array(truth["corners"], np.float32)) < CELL


def test_tiles_with_a_shaded_side_are_cut_in_the_middle_of_their_gaps(data: Path) -> None:
    image, truth = load(data / "link" / "deepin_llk_10x16.png")
    assert best_error(image, np.array(truth["corners"], np.float32), tried=1) < CELL / 2


def test_cells_begin_in_the_middle_of_gaps_that_a_rough_lattice_hid() -> None:
    scene = open_scene("scene:tier=phone,seed=63000,seconds=0.1")
    corners = np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)
    assert best_error(next(iter(scene)).image, corners, tried=1) < 0.03


@pytest.mark.parametrize("degrees", [90, 180, 37])
def test_a_turned_and_tilted_board_is_found(data: Path, degrees: float) -> None:
    image, truth = load(data / "link" / "tsinghua_colorcapture.jpg")
    clutter = cv2.resize(cv2.imread(str(data / "clutter" / "office_80722988.png")), (1280, 720))
    h, w = image.shape[:2]
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    flat = (SIDES - 0.5) * (w, h) @ turn.T
    depth = 1 + 0.35 * flat[:, 1] / h  # about 35 degrees of tilt
    quad = (flat / depth[:, None] * 0.8 + (640, 360)).astype(np.float32)
    frame_from_image = homography((SIDES * (w, h) - 0.5).astype(np.float32), quad)
    view = cv2.warpPerspective(
        image, frame_from_image, (1280, 720), dst=clutter, borderMode=cv2.BORDER_TRANSPARENT
    )
    corners = transform(frame_from_image, np.array(truth["corners"]))
    assert best_error(view, corners) < CELL


def test_the_rectified_picture_shows_the_lattice_where_it_says(data: Path) -> None:
    image, truth = load(data / "link" / "tsinghua_graygroundtruth.jpg")
    candidate = next(iter(find(image)))
    lattice = candidate.lattice
    assert lattice is not None
    assert (lattice.rows, lattice.cols) == (truth["rows"], truth["cols"])
    picture = rectify(image, candidate.plane)
    assert picture.shape[1::-1] == candidate.plane.size_wh
    assert lattice.corners.min() > 0
    assert (lattice.corners.max(axis=0) < candidate.plane.size_wh).all()


def test_no_lattice_is_offered_twice_in_one_place(data: Path) -> None:
    """But at once in another, by a part of a cell, where its cells agree better."""
    image, _ = load(data / "link" / "douyin_llk_2.png")
    offered = [c for c in islice(find(image), 12) if c.lattice]
    assert offered
    for i, one in enumerate(offered):
        for back, other in enumerate(offered[:i][::-1]):
            assert one.lattice and other.lattice
            if one.lattice.rows * one.lattice.cols != other.lattice.rows * other.lattice.cols:
                continue  # the border may be the same, the cells are not
            apart = error(other, one.plane.to_frame(one.lattice.corners))
            assert apart > (CELL if back else ANOTHER_PLACE - 1e-3)


def test_finding_repeats_to_the_byte(data: Path) -> None:
    image, _ = load(data / "link" / "douyin_llk_2.png")
    first, second = (list(islice(find(image), 2)) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.plane.frame_from_plane, b.plane.frame_from_plane)


@pytest.mark.parametrize(
    "name", ["doc_chart.jpg", "doc_dark_table.jpg", "sudoku_desk_a.jpg", "sudoku_table.jpg"]
)
def test_sheets_and_grids_are_outlined(data: Path, name: str) -> None:
    image, truth = load(data / "planes" / name)
    corners = np.array(truth["corners"], np.float32)
    assert max(iou(quad.corners, corners) for quad in outlines(image)) > 0.97


def test_lattices_of_a_busy_picture_leave_no_outline_out(data: Path) -> None:
    image, truth = load(data / "planes" / "doc_chart.jpg")
    outlined = next(plane for plane in find(image) if plane.lattice is None).plane
    w, h = outlined.size_wh
    corners = outlined.to_frame(np.float32([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5)
    assert iou(corners, np.array(truth["corners"], np.float32)) > 0.97


def test_a_drawn_quad_is_found_to_a_quarter_pixel() -> None:
    corners = np.array([[150.3, 80.7], [520.6, 110.2], [480.4, 390.9], [120.8, 350.1]], np.float32)
    large = np.full((480 * 8, 640 * 8, 3), 60, np.uint8)
    cv2.fillConvexPoly(large, np.rint((corners + 0.5) * 8 - 0.5).astype(np.int32), (200, 210, 190))
    image = cv2.resize(large, (640, 480), interpolation=cv2.INTER_AREA)
    found = quads(cv2.GaussianBlur(image, (0, 0), 1.0))
    assert np.abs(found[0].corners - corners).max() < 0.25


def test_a_rounded_screen_that_something_dark_touches_is_outlined_along_its_sides() -> None:
    w, h, radius = 180, 360, 27  # a phone's, px
    inner = np.float32([[radius, radius], [w - radius, radius], [w - radius, h - radius]])
    inner = np.vstack([inner, [[radius, h - radius]]])
    turned = cv2.getRotationMatrix2D((w / 2, h / 2), 63, 1.0)
    turned[:, 2] += (230, 60)
    middles = cv2.transform(inner[None], turned)[0]
    image = np.full((480, 640, 3), (40, 70, 110), np.uint8)
    cv2.fillConvexPoly(image, np.rint(middles).astype(np.int32), (10, 10, 10))
    for start, end in zip(middles, np.roll(middles, -1, axis=0), strict=True):
        ends = (tuple(np.rint(p).astype(int).tolist()) for p in (start, end))
        cv2.line(image, *ends, (10, 10, 10), 2 * radius, cv2.LINE_AA)
    corners = cv2.transform(np.float32([[[0, 0], [w, 0], [w, h], [0, h]]]), turned)[0]
    assert max(iou(quad.corners, corners) for quad in quads(image)) > 0.98


@pytest.mark.parametrize("sides", [3, 4, 5])
def test_an_outline_has_four_sides_if_there_are_so_many(sides: int) -> None:
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    hull = 99 * np.stack([np.cos(angles), np.sin(angles)], -1)[:, None].astype(np.float32)
    four = list(_cornered([_along_sides(hull)]))
    assert len(four) == (sides == 4)


def test_the_whole_frame_comes_last_and_nothing_breaks_on_an_empty_one() -> None:
    blank = np.full((360, 640, 3), 127, np.uint8)
    candidates = list(find(blank))
    assert candidates[-1].lattice is None
    assert candidates[-1].plane.size_wh == (640, 360)
    noise = np.random.default_rng(0).integers(0, 256, (120, 200, 3), dtype=np.uint8)
    assert list(find(noise))[-1].plane.size_wh == (200, 120)


def test_balls_on_a_chequered_ground_are_found() -> None:
    """The ground repeats more than the board, of which half is gone, and balls have no sides."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:720, :1280] // 23
    image = np.where(((x + y) % 2)[..., None], 205, 190).astype(np.uint8) * np.ones(3, np.uint8)
    colours = rng.integers(20, 170, (9, 3)).tolist()
    for row, col in np.argwhere(rng.random((8, 12)) < 0.6).tolist():
        middle = 320 + 54 * col + 27, 140 + 54 * row + 27
        cv2.circle(image, middle, 22, colours[int(rng.integers(9))], -1, cv2.LINE_AA)
    corners = np.array([[320, 140], [968, 140], [968, 572], [320, 572]], np.float32) - 0.5
    assert best_error(image, corners, tried=8) < CELL


HALF_CLEARED = ["1111111000", "1111100000", "0000111111", "0000111111"]


def test_cells_that_looked_like_the_boards_do_not_shear_it() -> None:
    rng = np.random.default_rng(9)
    pitch, image = 40, rng.normal(225, 3, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    colours = rng.integers(30, 200, (6, 3)).tolist()
    for row, col in np.argwhere(np.array([list(line) for line in HALF_CLEARED]) == "1"):
        at = 120 + pitch * int(col), 140 + pitch * int(row)
        cv2.circle(image, at, 15, colours[rng.integers(6)], -1, cv2.LINE_AA)
    support = np.zeros((6, 12), bool)
    for row, line in enumerate(support):
        line[row : row + 7] = True  # a parallelogram, most of it on bare ground
    frame_from_grid = np.array([[pitch, 0, 60.0], [0, pitch, 80.0], [0, 0, 1]])
    fit = settle(image, Fit(frame_from_grid, Box(0, 0, 12, 6), support, likeness=0.5))
    assert fit is not None
    assert (fit.box.cols, fit.box.rows) == (10, 4)
    first = transform(fit.frame_from_grid, np.array([[fit.box.x + 0.5, fit.box.y + 0.5]]))[0]
    assert np.abs(first - (120, 140)).max() < 2


def test_a_tilted_board_whose_rows_slid_aside_is_not_sheared() -> None:
    """Its rows fill a parallelogram as well, whose steps look shorter from here."""
    rng = np.random.default_rng(3)
    rows, pitch = (3, 7, 7, 9, 8), 40
    flat = rng.normal(90, 3, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    for row, length in enumerate(rows):
        for x, y in ((80 + pitch * col, 80 + pitch * row) for col in range(length)):
            cv2.rectangle(flat, (x + 2, y + 2), (x + 37, y + 37), (225, 240, 240), -1)
            letter = "AKMRSZ"[rng.integers(6)]
            cv2.putText(flat, letter, (x + 10, y + 30), 0, 0.9, (60, 30, 20), 2, cv2.LINE_AA)
    seen = np.array([[1, -0.62, 180], [0, 0.9, 0]])
    image = np.asarray(cv2.warpAffine(flat, seen, (640, 480)), np.uint8)
    support = np.arange(9) < np.array(rows)[:, None]
    frame_from_grid = np.vstack([seen, [0, 0, 1]]) @ [[pitch, 0, 80], [0, pitch, 80], [0, 0, 1]]
    fit = settle(image, Fit(frame_from_grid, Box(0, 0, 9, 5), support, likeness=0.9))
    assert fit is not None
    assert (fit.box.cols, fit.box.rows) == (9, 5)


def test_middles_of_tiles_and_corners_between_them_are_no_cells_of_one_lattice() -> None:
    """Coins of a few kinds, and where four meet another small disc: a lattice along diagonals."""
    rng = np.random.default_rng(7)
    rows, cols, pitch = 6, 9, 48
    image = rng.normal(60, 3, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    for row, col in product(range(rows + 1), range(cols + 1)):
        corner = 80 + pitch * col, 70 + pitch * row
        cv2.circle(image, corner, 12, (190, 190, 180), 2, cv2.LINE_AA)
        if row < rows and col < cols:
            x, y = corner[0] + pitch // 2, corner[1] + pitch // 2
            cv2.circle(image, (x, y), 16, (190, 190, 180), 2, cv2.LINE_AA)
            letter = "AKMRSZ"[rng.integers(6)]
            cv2.putText(image, letter, (x - 7, y + 7), 0, 0.6, (220, 220, 90), 2, cv2.LINE_AA)
    half = np.array([[pitch, -pitch], [pitch, pitch]]) / 2
    frame_from_grid = np.vstack([np.column_stack([half, [320, 46]]), [0, 0, 1]])
    support = np.ones((6, 6), bool)
    fit = settle(image, Fit(frame_from_grid, Box(2, 0, 6, 6), support, likeness=0.9))
    assert fit is not None
    assert sorted((fit.box.cols, fit.box.rows)) == [rows, cols]
    assert np.abs(fit.sides - pitch).max() < 1


@pytest.mark.parametrize("seed", range(3))
def test_faces_with_a_pale_lower_edge_are_cut_where_they_meet(seed: int) -> None:
    """Mirrored about the pale edge they are as alike as about the line between two tiles."""
    rows, cols, (width, height) = 8, 14, (50, 60)
    kinds = np.random.default_rng(seed).permutation(np.repeat(np.arange(28), 4))
    face = np.full((height, width, 3), (20, 15, 150), np.float32)
    face[-15:] += (110, 110, 40)
    face[[0, -1]] = face[:, [0, -1]] = (15, 12, 130)
    image = np.full((720, 960, 3), (50, 100, 50), np.float32)
    image += np.random.default_rng(seed).normal(0, 3, image.shape)
    for n, (r, c) in zip(kinds, product(range(rows), range(cols)), strict=True):
        tile, rng = face.copy(), np.random.default_rng(n)
        for x, y in rng.integers((12, 14), (38, 46), (5, 2)).tolist():
            cv2.circle(tile, (x, y), 5, (240, 240, 240), 2)
        y, x = 130 + r * height, 130 + c * width
        image[y : y + height, x : x + width] = tile
    image = cv2.GaussianBlur(image, (0, 0), 0.8).clip(0, 255).astype(np.uint8)
    corners = SIDES * (cols * width, rows * height) + 129.5
    assert best_error(image, corners.astype(np.float32), tried=1) < 0.05


def test_small_pictures_are_cut_at_their_borders_though_ground_shows_between() -> None:
    """Cut through the middle, cells are half ground, half tile, and have equals by that.

    Where the lattice ends is left open: black cells beside the board may be taken for its own. A
    doubtful one of halves of tiles may be offered before.
    """
    scene = open_scene("scene:tier=relock,seed=31003,seconds=0.1")
    corners = np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)
    offered = [in_cells(c, corners) for c in islice(find(next(iter(scene)).image), 3)]
    seen = next(s for s in offered if np.abs(np.ptp(s, axis=0) - (15, 6)).max() < CELL)
    assert np.abs(seen - np.rint(seen)).max() < CELL


def test_cells_of_bare_ground_are_no_equals_that_speak_for_a_shear() -> None:
    scene = open_scene("scene:tier=partial,seed=54000,seconds=0.1")
    corners = np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)
    assert best_error(next(iter(scene)).image, corners, tried=1) < CELL


def test_pictures_that_are_much_alike_do_not_speak_for_a_shear() -> None:
    """Clocks: cut askew their hands hardly make cells less alike, and ground makes some unlike."""
    scene = open_scene("scene:tier=tripod,seed=65001,seconds=0.1")
    corners = np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)
    assert best_error(next(iter(scene)).image, corners, tried=10) < CELL


def test_borders_are_sought_where_tiles_meet() -> None:
    """Wide margins are alike on all tiles, and more so than their ends, where holes begin."""
    rng = np.random.default_rng(5)
    image = np.full((480, 640, 3), 130, np.uint8)
    for row, col in np.argwhere(rng.random((6, 9)) < 0.65).tolist():
        x, y = 60 + 56 * col, 50 + 56 * row
        image[y : y + 56, x : x + 56] = 225
        image[y + 54 : y + 56, x : x + 56] = 150
        centre, turn = (x + 28, y + 27), rng.choice(8) * np.pi / 4
        hand = int(centre[0] + 12 * np.cos(turn)), int(centre[1] + 12 * np.sin(turn))
        cv2.circle(image, centre, 16, (60, 120, 60), 3, cv2.LINE_AA)
        cv2.line(image, centre, hand, (30, 30, 30), 3, cv2.LINE_AA)
    light = np.linspace(1.1, 0.8, 480)[:, None, None]
    lit = cv2.GaussianBlur((image * light).clip(0, 255).astype(np.uint8), (0, 0), 1.5)
    corners = np.array([[60, 50], [564, 50], [564, 386], [60, 386]], np.float32) - 0.5
    assert best_error(lit, corners, tried=1) < CELL


def test_light_that_changes_slowly_does_not_hide_gaps() -> None:
    """The ground in gaps is light in one place and dark in another; faces are all white."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:560, :640].astype(np.float32)
    light = np.exp(-((x - 320) ** 2 + (y - 200) ** 2) / 150**2)
    image = (20 + 215 * light[..., None] * (0.7, 1, 0.7)).astype(np.uint8)
    for row, col in np.ndindex(10, 14):
        left, top = 40 + 40 * col, 50 + 48 * row
        cv2.rectangle(image, (left + 6, top + 7), (left + 33, top + 40), (245, 240, 235), -1)
        colour = (rng.integers(0, 2, 3) * 200).tolist()
        axes = rng.integers(3, 9, 2).tolist()
        cv2.ellipse(image, (left + 20, top + 24), axes, 0, 0, 360, colour, -1)
    seen = cv2.GaussianBlur(image, (0, 0), 1.0) + rng.normal(0, 5, image.shape)
    corners = np.float32([[40, 50], [600, 50], [600, 530], [40, 530]]) - 0.5
    assert best_error(np.clip(seen, 0, 255).astype(np.uint8), corners) < CELL


def test_a_face_without_any_noise_is_no_more_a_border_than_one_with_a_little() -> None:
    """In a clean picture the margin of a plain face differs from cell to cell even less than frames
    do."""
    edges, picture = np.full(CELL_PX, 0.2), np.full(CELL_PX, 1.0)
    edges[0] = 5.0
    picture[[23, 0, 1]] = 0.05
    noisy, clean = picture.copy(), picture.copy()
    noisy[11:14], clean[11:14] = 0.05, 0.0
    at_frame, on_face = np.flatnonzero(np.isin(PHASES, (0, 12)))
    gain = _border(clean, edges) - _border(noisy, edges)
    assert abs(gain[at_frame]) < 0.1
    assert 0 < gain[on_face] < 1


def test_thousands_of_equal_blobs_are_no_tiles() -> None:
    """A board on a chequered cloth: its squares are soon left out, and tiles are found."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:800, :1280] // 16
    image = np.where(((x + y) % 2)[..., None], 220, 90).astype(np.uint8) * np.ones(3, np.uint8)
    image[200:500, 400:820] = 60
    for row, col in np.argwhere(rng.random((6, 9)) < 0.4).tolist():
        corner = 400 + 46 * col + 5, 200 + 46 * row + 15
        cv2.rectangle(image, corner, (corner[0] + 40, corner[1] + 40), (200, 230, 235), -1)
    found = blobs._blobs(image)
    assert 10 < len(found.centres) < 100


def test_a_board_parted_by_three_cleared_columns_is_found_whole() -> None:
    """Framed tiles on a dark page, seen from the side."""
    rng = np.random.default_rng(8)
    image = np.full((720, 1280, 3), 36, np.uint8)
    drawings = rng.integers(90, 255, (8, 5, 5), np.uint8)
    for row, col in np.ndindex(5, 13):
        if col not in (6, 7, 8):
            corner = np.array([220 + 60 * col, 180 + 60 * row])
            cv2.rectangle(image, (corner + 2).tolist(), (corner + 57).tolist(), (70, 70, 70), -1)
            x, y = (corner + 12).tolist()
            image[y : y + 36, x : x + 36] = cv2.resize(rng.choice(drawings), (36, 36))[..., None]
    flat = np.array([[220, 180], [1000, 180], [1000, 480], [220, 480]], np.float32) - 0.5
    sides = np.array([[0, 0], [1280, 0], [1280, 720], [0, 720]], np.float32)
    tilt = homography(sides, sides + np.array([[60, 40], [-20, 120], [-80, -90], [30, -20]]))
    tilted = np.asarray(cv2.warpPerspective(cv2.GaussianBlur(image, (0, 0), 1), tilt, (1280, 720)))
    assert best_error(tilted, transform(tilt, flat), tried=1) < CELL


def last_tiles() -> tuple[np.ndarray, np.ndarray]:
    """A page with eight tiles of a 4 x 6 board, and that board's corners, px.

    Two that touch are one white blob; buttons and leaves beside them are as large as a tile.
    """
    rng = np.random.default_rng(5)
    image = np.full((720, 1280, 3), (115, 205, 115), np.uint8)
    for x, y in [(150, 560), (230, 560), (310, 560), (1050, 90), (1090, 330), (1010, 610)]:
        cv2.rectangle(image, (x, y), (x + 52, y + 44), (200, 120, 40), -1)
    tiles = [(0, 0), (0, 1), (1, 3), (2, 0), (3, 2), (3, 3), (0, 4), (2, 5)]
    for row, col in tiles:
        corner = np.array([500 + 48 * col, 220 + 48 * row])
        cv2.rectangle(image, corner.tolist(), (corner + 46).tolist(), (225, 250, 245), -1)
        colour = rng.integers(20, 180, 3).tolist()
        cv2.circle(image, (corner + 23).tolist(), int(rng.integers(9, 16)), colour, -1)
    corners = np.array([[500, 220], [788, 220], [788, 412], [500, 412]], np.float32) - 0.5
    return cv2.GaussianBlur(image, (0, 0), 1.2), corners


def test_the_last_tiles_are_found_though_some_touch_and_other_things_look_alike() -> None:
    image, flat = last_tiles()
    turn = cv2.getRotationMatrix2D((640, 360), 17, 1.0)
    turned = np.asarray(cv2.warpAffine(image, turn, (1280, 720)))
    corners = cv2.transform(flat[None], turn)[0].astype(np.float32)
    assert best_error(turned, corners, tried=3) < CELL


@pytest.mark.parametrize("far", range(4))
def test_the_last_tiles_are_placed_in_perspective(far: int) -> None:
    """One side of the page is far: two fifths shorter, and an eighth of the way to its middle."""
    image, flat = last_tiles()
    sides = np.array([[0, 0], [1280, 0], [1280, 720], [0, 720]], np.float32)
    ends, seen = [far, (far + 1) % 4], sides.copy()
    shorter = 0.7 * sides[ends] + 0.3 * sides[ends].mean(0)
    seen[ends] = shorter + (sides.mean(0) - shorter) / 8
    tilt = homography(sides, seen)
    tilted = np.asarray(cv2.warpPerspective(image, tilt, (1280, 720)))
    assert best_error(tilted, transform(tilt, flat), tried=3, enough=CELL / 2) < CELL / 2


def test_the_last_tiles_on_a_screen_are_found_amid_keyboards() -> None:
    """Whose keys are as equal and far more: five of them, seen from the side."""
    page, flat = last_tiles()
    image = np.full_like(page, 60)
    for x, y in [(30, 30), (30, 500), (530, 20), (990, 60), (960, 500)]:
        tilt = np.array([[1, 0.15, x], [0.1, 1, y]])
        for row, col in np.ndindex(4, 7):
            corner = np.array([36 * col, 36 * row])
            key = cv2.transform((corner + 30 * SIDES)[None], tilt)[0]
            cv2.fillConvexPoly(image, np.rint(key).astype(np.int32), (20, 20, 20))
    image[190:440, 450:840] = page[190:440, 450:840]
    screen = np.array([[450, 190], [839, 190], [839, 439], [450, 439]], np.float32)
    found = blobs.blob_lattices(image, [Quad(screen, 1.0)])
    off = [np.abs(transform(fit.frame_from_grid, fit.box.corners) - flat).max() for fit in found]
    assert min(off) < CELL * 48


def test_blobs_that_lie_on_one_lattice_are_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in the whole picture and those in the screen's outline."""
    page, flat = last_tiles()
    found = list(blobs.blob_lattices(page, [Quad(flat, 1.0)]))
    followed = []
    monkeypatch.setattr(search, "_of_blobs", lambda image, fit: followed.append(fit) or [])
    monkeypatch.setattr(search, "blob_lattices", lambda image, outlined: [*found, *found])
    list(search._stages(page, [], [], []))
    assert 0 < len(followed) <= len(found)


@pytest.mark.parametrize("lean", [0.0, 0.03])
def test_few_cells_tell_perspective_where_there_is_some(lean: float) -> None:
    """In cells: eight tiles of a board, registered to a fiftieth."""
    cells = np.array([[5, 0], [0, 1], [2, 1], [5, 1], [0, 3], [2, 3], [3, 3], [5, 3]], np.float32)
    truth = np.array([[1, 0.02, 0.01], [-0.01, 1, 0.03], [lean, lean / 2, 1]])
    rng = np.random.default_rng(2)
    seen = (transform(truth, cells) + rng.normal(0, 0.005, cells.shape)).astype(np.float32)
    found = map_between(cells, seen, FIT_CELLS)
    assert found is not None
    moved, agree = found
    assert agree.all()
    assert np.abs(transform(moved, cells) - transform(truth, cells)).max() < 0.02
    assert (moved[2, :2] == 0).all() == (lean == 0)


@pytest.mark.parametrize("bow", [0.0, -0.04])
def test_a_lattice_that_is_a_little_off_is_led_to_what_its_tiles_share(bow: float) -> None:
    """Faces and drawings differ from tile to tile, and none shows by itself where it ends."""
    rng = np.random.default_rng(0)
    image = np.full((720, 1280, 3), 90, np.uint8)
    for row, col in np.ndindex(6, 9):
        x, y = 400 + 48 * col, 200 + 48 * row
        face, *inks = rng.integers(0, 256, (4, 3)).tolist()
        cv2.rectangle(image, (x + 2, y + 2), (x + 45, y + 45), face, -1)
        for ink in inks:
            centre = (x + int(rng.integers(8, 40)), y + int(rng.integers(8, 40)))
            cv2.circle(image, centre, int(rng.integers(3, 8)), ink, -1)
    ends = np.array([[400, 200], [832, 200], [832, 488], [400, 488]], np.float32) - 0.5
    seen = np.array([[250, 100], [1050, 190], [990, 640], [300, 560]], np.float32)
    tilted = cv2.warpPerspective(image, homography(ends, seen), (1280, 720), flags=cv2.INTER_AREA)
    lens = RadialLens(bow, (1280, 720))
    bent = cv2.GaussianBlur(lens_seen(tilted, lens), (0, 0), 1.0)
    corners, nodes = lens.distort(seen), Box(0, 0, 9, 6).corners.astype(np.float32)
    off_before, off_after = [], []
    for _ in range(3):
        before = corners + rng.normal(0, 3, (4, 2)).astype(np.float32)  # of cells of 80 px
        fit = Fit(homography(nodes, before), Box(0, 0, 9, 6), np.ones((6, 9), bool), 0.9)
        off_before.append(np.abs(before - corners).max())
        off_after.append(np.abs(placed(bent, refined(bent, fit)).to_frame(nodes) - corners).max())
    assert np.mean(off_after) < np.mean(off_before) / 2


@pytest.mark.parametrize("squeezed", [1.0, 0.0])
def test_a_lattice_is_not_led_to_what_no_camera_sees(
    monkeypatch: pytest.MonkeyPatch, squeezed: float
) -> None:
    """Places of cells that are none may make any map, even one that has no width."""
    rng = np.random.default_rng(0)
    image = cv2.GaussianBlur(rng.integers(0, 256, (200, 240, 3), np.uint8), (0, 0), 2)
    fit = Fit(np.diag([24.0, 24, 1]), Box(2, 2, 5, 4), np.ones((4, 5), bool), 0.9)
    led = replace(fit, frame_from_grid=fit.frame_from_grid @ np.diag([squeezed, 1, 1]))
    monkeypatch.setattr(refinement, "_bent", lambda *_: led)
    assert refined(image, fit) is (led if squeezed else fit)


def first_frame(tier: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A rendered scene's first frame, and its board's corners in it."""
    scene = open_scene(f"scene:tier={tier},seed={seed},seconds=1")
    frame = next(iter(scene))
    return frame.image, np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)


def test_a_near_board_that_leans_far_back_is_found() -> None:
    """Its near cells are seen sixteen times as large as its far ones."""
    assert best_error(*first_frame("oblique60", 66101)) < CELL


def test_a_lattice_that_is_not_read_is_offered_once_more_where_its_cells_agree() -> None:
    image, corners = first_frame("oblique60", 66010)
    errors = [error(candidate, corners) for candidate in islice(find(image), 3)]
    there, again = (off for off in errors if off < CELL)
    assert again < 0.8 * there


def lens_seen(image: np.ndarray, lens: RadialLens) -> np.ndarray:
    """The picture as the lens shows it."""
    grid = np.stack(np.meshgrid(*map(np.arange, lens.size_wh)), axis=-1)
    x, y = np.moveaxis(lens.undistort(grid), -1, 0)
    return cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def swollen(tiles: list[tuple[int, int, int]], pitch: float, by: float) -> blobs._Blobs:
    """Outlines of tiles (row, column, how many touch in a row), each `by` px longer and higher."""
    centres = np.array([[col + across / 2, row + 0.5] for row, col, across in tiles]) * pitch
    sides = np.array([[across * pitch + by, pitch + by] for *_, across in tiles])
    moments = np.column_stack([sides**2 / 12, np.zeros(len(tiles))])
    quads = centres[:, None] + sides[:, None] * (SIDES - 0.5)
    return blobs._Blobs(centres, moments, np.full((len(tiles), 3), 90.0), quads)


@pytest.mark.parametrize("pitch", [20, 24, 28])
def test_a_small_tiles_outline_has_the_shade_of_its_face(pitch: int) -> None:
    """Rather than that of the ground, though the frame between them is but a pixel wide."""
    face, ground = (225, 250, 245), (115, 205, 115)
    fine = np.full((1920, 2560, 3), ground, np.uint8)
    places = np.array([(0, 0), (2, 0), (4, 1), (1, 2), (3, 3), (5, 3)])
    side, frame = 8 * pitch, 8  # an eighth of a px each
    for x, y in 480 + side * places:
        cv2.rectangle(fine, (x, y), (x + side - 1, y + side - 1), (70, 70, 70), -1)
        inner = x + side - 1 - frame, y + side - 1 - frame
        cv2.rectangle(fine, (x + frame, y + frame), inner, face, -1)
    small = cv2.resize(fine, (320, 240), interpolation=cv2.INTER_AREA)
    found = blobs._blobs(np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.uint8))
    middles = 60 + pitch * (places + 0.5)
    for middle in middles:
        rims = found.rims[np.linalg.norm(found.centres - middle, axis=1) < 3]
        assert len(rims) > 1
        apart = np.linalg.norm(rims[:, None] - np.array([face, ground]), axis=-1)
        assert (apart[:, 0] < apart[:, 1]).all()


TOUCHING = [(0, 0, 1), (1, 2, 1), (1, 4, 2), (3, 1, 1), (3, 3, 2), (4, 0, 1), (4, 5, 1)]


def test_two_small_tiles_that_touch_are_swollen_as_one() -> None:
    alike = blobs._tiles(swollen(TOUCHING, pitch=20, by=8), blobs.SHADES)
    assert (alike[0] == [across for *_, across in TOUCHING]).all()


def test_outlines_of_small_tiles_are_larger_than_their_pitch() -> None:
    seen = swollen(TOUCHING, pitch=20, by=3)
    found = blobs._along_sides_of(0, seen, blobs._tiles(seen, blobs.SHADES))
    assert found is not None
    _, basis, of = found
    assert len(of) == sum(across for *_, across in TOUCHING) - 1  # all others agree
    assert np.abs(basis - 20 * np.eye(2)).max() < 0.5


def test_a_doubtful_lattice_is_offered_before_dearer_evidence_is_sought(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    doubtful = Fit(np.eye(3), Box(0, 0, 4, 4), np.ones((4, 4), bool), likeness=0.8)
    assert search.MIN_SCORE < doubtful.score < search.LIKELY

    def stages(*_: object) -> Iterator[list[Fit]]:
        yield [doubtful]
        raise AssertionError("sought further")

    monkeypatch.setattr(search, "_stages", stages)
    assert next(search.lattices(np.zeros((99, 99, 3), np.uint8), [])) is doubtful


def test_a_carpet_of_more_cells_than_any_board_has_is_not_offered() -> None:
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 256, (9, 8, 8, 3), np.uint8)
    image = np.full((420, 420, 3), 200, np.uint8)
    for row, col in np.ndindex(28, 28):
        y, x = 14 + 14 * row, 14 + 14 * col
        image[y : y + 8, x : x + 8] = rng.choice(kinds)
    lattices = [c.lattice for c in find(image) if c.lattice]
    assert all(lattice.rows * lattice.cols <= 720 for lattice in lattices)


@pytest.mark.parametrize(
    ("steps", "side", "is_part"),
    [
        (((1, 0), (0, 1)), 5, True),
        (((1, 0), (0, 1)), 10, False),
        (((0.5, 0.5), (-0.5, 0.5)), 5, False),
    ],
)
def test_tiles_are_no_part_of_a_lattice_with_other_steps_or_far_more_cells(
    steps: tuple, side: int, is_part: bool
) -> None:
    """Diagonals that are half as long lead to every tile, and to as many places between; what is
    far larger runs on into something else."""
    tiles = Fit(np.diag([50.0, 50, 1]), Box(0, 0, 4, 4), np.ones((4, 4), bool), 1.0)
    turned = np.eye(3)
    turned[:2, :2] = 50 * np.array(steps).T
    turned[:2, 2] = 25 - turned[:2, :2] @ [0.5, 0.5]  # the first tile's centre is a cell's
    other = Fit(turned, Box(-1, -1, side, side), np.ones((side, side), bool), 1.0)
    assert search._is_part(tiles, other) == is_part


@pytest.mark.parametrize(("fill", "rows"), [(0.8, 8), (0.15, 10)])
def test_one_cell_beyond_an_empty_row_belongs_to_a_sparse_board_alone(
    fill: float, rows: int
) -> None:
    support = np.zeros((12, 14), bool)
    support[:8] = np.random.default_rng(4).random((8, 14)) < fill
    support[[0, 7], [0, 13]] = True
    support[9, 4] = True
    box, left = _cropped(Box(0, 0, 14, 12), support, np.ones_like(support))
    assert (box.x, box.y, box.cols, box.rows) == (0, 0, 14, rows)
    assert left.shape == (rows, 14)
    upside_down, _ = _cropped(Box(0, 0, 14, 12), support[::-1], np.ones_like(support))
    assert (upside_down.y, upside_down.rows) == (12 - rows, rows)


def test_an_edge_promises_less_than_a_faint_board() -> None:
    """It is as like itself as anything is, but along one direction alone."""
    edge, board = np.full((2, WINDOW_PX, WINDOW_PX, 3), 60, np.uint8)
    cv2.line(edge, (0, 20), (WINDOW_PX, 90), (250, 250, 250), 12, cv2.LINE_AA)
    rng = np.random.default_rng(5)
    for row, col in np.ndindex(4, 4):
        middle = 26 * np.array([col, row]) + 20
        cv2.circle(board, middle.tolist(), 10, (80, 80, 70), 1, cv2.LINE_AA)
        cv2.line(
            board, middle.tolist(), (middle + rng.integers(-6, 7, 2)).tolist(), (20, 20, 40), 2
        )
    maps = np.concatenate([_autocorrelations(edge_strength(of))[1] for of in (edge, board)])
    assert maps[0][_half_ring].max() > maps[1][_half_ring].max()
    assert np.diff(_promise(maps))[0] > 0.1


@pytest.mark.parametrize("cells", [(6, 8), (10, 5), (15, 9)])
def test_an_outline_that_tiles_fill_is_cut_by_its_borders(cells: tuple[int, int]) -> None:
    """Drawings repeat at half the pitch and at others more than the thin gaps do."""

    def cut(picture: np.ndarray) -> tuple[tuple[int, ...], tuple[float, ...]]:
        found = map(subdivision._likeliest, subdivision._strengths(picture))
        counts, evidence = zip(*found, strict=True)
        return counts, evidence

    cols, rows = cells
    rng = np.random.default_rng(cols)
    picture = np.full((rows * 40, cols * 30, 3), 225, np.uint8)
    for row, col in np.ndindex(rows, cols):
        x, y = 30 * col, 40 * row
        cv2.rectangle(picture, (x, y), (x + 29, y + 39), (150, 150, 150), 1)
        for dot in np.argwhere(rng.random((4, 2)) < 0.5):
            cv2.circle(
                picture, (int(x + 8 + 14 * dot[1]), int(y + 6 + 9 * dot[0])), 4, (40,) * 3, -1
            )
    assert cut(picture)[0] == cells
    assert (
        min(cut(picture)[1])
        > subdivision.EVIDENCE
        > min(cut(rng.integers(0, 256, picture.shape, np.uint8))[1])
    )


def test_a_few_drawings_without_frames_keep_the_lattice_that_their_places_make() -> None:
    """What they share beside their places is nothing: a template of them loses the outer ones."""
    rng = np.random.default_rng(2)
    image = np.full((400, 640, 3), (90, 170, 70), np.uint8)
    support = np.zeros((4, 7), bool)
    support[[0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3], [5, 0, 5, 6, 2, 3, 4, 1, 3, 5, 6]] = True
    for row, col in np.argwhere(support):
        turns = np.sort(rng.uniform(0, 2 * np.pi, 9))
        spikes = rng.uniform(5, 17, (9, 1)) * np.stack([np.cos(turns), np.sin(turns)], 1)
        middle = np.array([150 + 48 * col, 90 + 48 * row])
        points = np.rint(middle + spikes).astype(np.int32)
        cv2.fillPoly(image, [points], rng.integers(0, 256, 3).tolist(), cv2.LINE_AA)
    frame_from_grid = np.array([[48, 0, 126], [0, 48, 66], [0, 0, 1.0]])
    sparse = Fit(frame_from_grid, Box(0, 0, 7, 4), support, likeness=1.0)
    fits = search._of_blobs(image, sparse)
    assert fits[0].support.sum() < support.sum()
    assert fits[-1].box == sparse.box
    assert (fits[-1].support == support).all()


@pytest.mark.parametrize("width", [pytest.param(24, id="two"), pytest.param(48, id="one")])
def test_tiles_that_touch_and_are_outlined_as_pairs_are_cells_of_their_own(width: int) -> None:
    """High cards seen from the side: most blobs are two of them, and where these lie is a lattice.

    A card as wide as two stays one.
    """
    rng = np.random.default_rng(4)
    rows, cols = 5, 192 // width
    image = rng.normal((60, 150, 190), 3, (400, 400, 3)).clip(0, 255).astype(np.uint8)
    for row, col in np.ndindex(rows, cols):
        x, y, letter = 100 + width * col, 60 + 50 * row, int(rng.integers(9))
        cv2.rectangle(image, (x + 1, y + 1), (x + width - 2, y + 48), (235, 240, 240), -1)
        ink = [(30, 30, 30), (40, 40, 200), (40, 120, 20)][letter % 3]
        at = x + width // 2 - 8, y + 32
        cv2.putText(image, "AKQJ83579"[letter], at, 0, 0.75, ink, 2, cv2.LINE_AA)
    frame_from_grid = np.array([[48, 0, 99.5], [0, 50, 59.5], [0, 0, 1]])
    sparse = Fit(frame_from_grid, Box(0, 0, 4, rows), np.ones((rows, 4), bool), likeness=1.0)
    fits = search._of_blobs(image, sparse)
    assert len(fits) == 1
    assert (fits[0].box.cols, fits[0].box.rows) == (cols, rows)
    assert np.abs(fits[0].sides - (width, 50)).max() < 0.5


def test_a_diagonal_that_a_half_cleared_board_fills_better_is_no_axis_of_it() -> None:
    """Tiles have slid down to the lower left: two thirds of the sheared box are full, half of its
    own, whose sides are shorter."""
    scene = open_scene("scene:tier=gravity,seed=66000,seconds=0.1")
    corners = np.array(scene.truth["frames"][0]["board"]["corners"], np.float32)
    assert best_error(next(iter(scene)).image, corners, tried=4) < CELL


@pytest.mark.parametrize(
    ("tier", "seed"),
    [
        pytest.param("phone", 66006, id="the first few cells put them half a cell off"),
        pytest.param("handheld", 66002, id="every second quarter of a tile looks like one"),
    ],
)
def test_cells_of_touching_mahjong_tiles_are_whole_ones(tier: str, seed: int) -> None:
    scene = open_scene(f"scene:tier={tier},seed={seed},seconds=0.1")
    board = scene.truth["frames"][0]["board"]
    corners = np.array(board["corners"], np.float32)
    size = np.sort(np.array(board["cells"]).shape)
    errors = []
    offered = (c for c in islice(find(next(iter(scene)).image), 8) if c.lattice)
    for seen in (in_cells(c, corners) for c in offered):
        off = np.sort(np.ptp(seen, axis=0)) - size
        errors.append(max(np.abs(off).max(), np.abs(seen - np.rint(seen)).max()))
    assert min(errors) < CELL


def test_small_tiles_repeat_though_their_gaps_are_thin_and_their_drawings_dense() -> None:
    """Steps of 21 px, on a ground that changes; three tiles of ten are gone."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        shade = np.linspace(0, 1, 217)[:, None, None]
        picture = (1 - shade) * (90.0, 120, 240) + shade * (120.0, 40, 90)
        picture = np.repeat(picture, 301, axis=1).astype(np.uint8)
        for row, col in product(range(7), range(12)):
            if rng.random() < 0.3:
                continue
            tile = picture[46 + 21 * row :, 24 + 21 * col :][:19, :19]
            tile[:] = 43, 32, 30
            for at, is_along in zip(rng.integers(3, 16, 5), rng.random(5) < 0.5, strict=True):
                ends = ((3, at), (15, at)) if is_along else ((at, 3), (at, 15))
                cv2.line(tile, *np.array(ends).tolist(), (90, 190, 230), 1, cv2.LINE_AA)
        found = axis_seeds(cv2.GaussianBlur(picture, (0, 0), 0.7))
        off = [max(abs(step.p[0] - 21), abs(step.q[1] - 21)) for step in found]
        assert min(off) <= 1, seed
