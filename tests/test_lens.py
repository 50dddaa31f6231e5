"""A lens that nobody calibrated is seen in a board's lattice, and its bend taken out."""

import itertools
from dataclasses import replace

import cv2
import numpy as np
import pytest
from views import GREY_FRAME, TinyBoard, cell_quad, view_of

from ar_assist import look
from ar_assist.find import find
from ar_assist.find.lens import DECISIVE, LensBend, RadialLens, seen_lens
from ar_assist.overlay import draw
from ar_assist.overlay.marks import YELLOW
from ar_assist.player import cell_at
from ar_assist.types import (
    Frame,
    Image,
    Lattice,
    Mark,
    Plane,
    Points,
    Reading,
    View,
    transform,
)
from ar_assist.warp import rectify
from calibration import Camera

SIZE = (1280, 720)
ROWS, COLS, PITCH = 13, 24, 46  # a board that fills the picture
ORIGIN = np.array([88, 61])
FRAME_FROM_GRID = np.array([[44.0, 4, 90], [-3, 43, 80], [1e-4, 2e-4, 1]])


def board(rows: int = ROWS, cols: int = COLS, beside: float | None = None) -> Image:
    """A picture of framed tiles with blocks of colour, twelve kinds of them.

    `beside`: two columns to either side of the board hang such things too, so many cells too near.
    """
    rng = np.random.default_rng(7)
    kinds = rng.integers(40, 230, (12, 5, 5, 3), np.uint8)
    image = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
    places = list(itertools.product(range(rows), range(cols)))
    if beside is not None:
        places += itertools.product(range(rows), (beside - 2, cols + 1 - beside))
    for row, col in places:
        x, y = ORIGIN + np.rint([PITCH * col, PITCH * row]).astype(int)
        x += (COLS - cols) * PITCH // 2
        image[y + 1 : y + PITCH - 1, x + 1 : x + PITCH - 1] = 235
        drawing = cv2.resize(kinds[rng.integers(12)], (30, 30), interpolation=cv2.INTER_NEAREST)
        image[y + 8 : y + 38, x + 8 : x + 38] = drawing
    return image


def through(lens: RadialLens, image: Image) -> Image:
    places = lens.undistort(np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), -1))
    return np.asarray(cv2.remap(image, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.uint8)


def grid_and_px(lens: RadialLens, noise: float, seed: int = 0) -> tuple[Points, Points]:
    """Cells of a tilted board, and where they are seen, off by `noise` cells."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(COLS), np.arange(ROWS))
    grid = np.stack([x.ravel(), y.ravel()], -1).astype(np.float32)
    off = grid + rng.normal(0, noise, grid.shape)
    return grid, lens.distort(transform(FRAME_FROM_GRID, off))


@pytest.mark.parametrize("bow", [-0.2, -0.03, 0.05])
def test_distortion_is_undone(bow: float) -> None:
    lens = RadialLens(bow, SIZE)
    points = np.stack(np.meshgrid(np.linspace(0, 1279, 9), np.linspace(0, 719, 7)), -1)
    there = lens.distort(points)
    assert np.abs(there - points).max() > 5
    np.testing.assert_allclose(lens.undistort(there), points, atol=0.01)


@pytest.mark.parametrize("bow", [-0.15, -0.04, 0.03])
def test_the_lens_is_told_from_a_lattice(bow: float) -> None:
    grid, px = grid_and_px(RadialLens(bow, SIZE), noise=0.03)
    px[::11] += 30  # cells that were registered wrongly
    found = seen_lens(grid, px, SIZE, tolerance=0.08)
    assert found
    assert found[0].bow == pytest.approx(bow, abs=0.01)


def test_a_slight_bend_is_told_by_cells_that_are_seen_sharply() -> None:
    lens = RadialLens(-0.04, SIZE)
    grid, px = grid_and_px(lens, noise=0.005)
    some = (np.abs(grid - (12, 6)) < (6, 4)).all(axis=1)
    found = seen_lens(grid[some], px[some], SIZE, tolerance=0.08)
    assert found
    assert found[0].bow == pytest.approx(lens.bow, abs=0.01)
    assert found[2] > DECISIVE


def corner_error(lens: RadialLens, grid: Points, px: Points) -> float:
    """Cells that the corner furthest off is from where the lens shows it."""
    found = seen_lens(grid, px, SIZE, tolerance=0.08)
    low, high = grid.min(axis=0) - 0.5, grid.max(axis=0) + 0.5
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    if found:
        seen = found[0].distort(transform(found[1], corners))
    else:
        seen = transform(cv2.findHomography(grid, px)[0], corners)
    straight = transform(np.asarray(np.linalg.inv(FRAME_FROM_GRID)), lens.undistort(seen))
    return float(np.hypot(*(straight - corners).T).max())


def test_a_bend_that_is_hardly_seen_still_brings_corners_nearer() -> None:
    """A board too small, and seen too roughly, to prove what most webcams have."""
    lens, errors = RadialLens(-0.04, SIZE), []
    for seed in range(20):
        grid, px = grid_and_px(lens, noise=0.02, seed=seed)
        some = (np.abs(grid - (11.5, 6)) < (6, 3.6)).all(axis=1)
        errors.append(corner_error(lens, grid[some], px[some]))
    assert np.median(errors) < 0.024  # 0.029 with a lens only where it is decisively likelier


def test_a_picture_without_distortion_shows_hardly_any_lens() -> None:
    none = RadialLens(0.0, SIZE)
    errors = [corner_error(none, *grid_and_px(none, noise=0.03, seed=seed)) for seed in range(20)]
    assert np.median(errors) < 0.015
    assert max(errors) < 0.04


def test_few_cells_that_are_off_together_tell_no_strong_lens() -> None:
    """As templates and leaning pictures make them: by a little, and more so at the ends."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = np.meshgrid(np.arange(-3, 4), np.arange(-2, 3))
        from_middle = np.stack([x.ravel(), y.ravel()], -1)
        off = rng.normal(0, 0.006, from_middle.shape) + 0.015 * (from_middle / (3, 2)) ** 3
        grid = from_middle + np.array([12, 6])
        px = transform(FRAME_FROM_GRID, grid + off)
        found = seen_lens(grid, px, SIZE, tolerance=0.08)
        assert found is None or abs(found[0].bow) < 0.03
        assert found is None or found[2] < DECISIVE
        assert corner_error(RadialLens(0.0, SIZE), grid, px) < 0.05


def test_things_that_hang_beside_a_board_tell_no_lens() -> None:
    """They look like tiles, and lie off the lattice by as much on either side."""
    candidate = next(find(board(rows=7, cols=12, beside=0.2)))
    assert candidate.lattice is not None
    assert (candidate.lattice.rows, candidate.lattice.cols) == (7, 12)
    assert candidate.plane.bend is None


@pytest.mark.parametrize("rows", [1, 2])
def test_cells_in_a_line_tell_no_lens(rows: int) -> None:
    lens = RadialLens(-0.15, SIZE)
    y, x = np.indices((rows, 40))
    lines = np.stack([x.ravel(), y.ravel()], -1).astype(np.float32)
    assert seen_lens(lines, lens.distort(lines * 30 + 20), SIZE, tolerance=0.08) is None


def test_the_corners_of_a_board_that_is_bent_a_little_are_its_own() -> None:
    rows, cols, lens = 6, 10, RadialLens(-0.08, SIZE)
    candidate = next(find(through(lens, board(rows, cols))))
    assert candidate.lattice
    left, top = ORIGIN[0] + (COLS - cols) * PITCH // 2, ORIGIN[1]
    right, bottom = left + cols * PITCH, top + rows * PITCH
    outer = np.array([(left, top), (right, top), (right, bottom), (left, bottom)]) - 0.5
    found = candidate.plane.to_frame(candidate.lattice.corners)
    assert np.abs(found - lens.distort(outer)).max() < 0.015 * PITCH


def test_a_bent_board_is_found_to_its_corners_and_straightened() -> None:
    straight, lens = board(), RadialLens(-0.12, SIZE)
    candidate = next(find(through(lens, straight)))
    lattice = candidate.lattice
    assert lattice
    assert (lattice.rows, lattice.cols) == (ROWS, COLS)
    far = ORIGIN + np.array([COLS * PITCH, ROWS * PITCH])
    outer = np.array([ORIGIN, (far[0], ORIGIN[1]), far, (ORIGIN[0], far[1])]) - 0.5
    found = candidate.plane.to_frame(lattice.corners)
    assert np.abs(found - lens.distort(outer)).max() < 0.1 * PITCH
    flat = transform(candidate.plane.frame_from_plane, lattice.corners)  # a homography alone
    assert np.abs(flat - lens.distort(outer)).max() > 0.2 * PITCH

    picture = rectify(through(lens, straight), candidate.plane).astype(int)
    for corner, inward in zip(lattice.corners, [(1, 1), (-1, 1), (-1, -1), (1, -1)], strict=True):
        tile, ground = (
            corner + share * np.array(inward) * lattice.pitch_xy for share in (0.1, -0.1)
        )
        (x, y), (beside_x, beside_y) = np.rint([tile, ground]).astype(int)
        assert picture[y, x].min() > 200
        assert picture[beside_y, beside_x].max() < 100


def test_a_bent_plane_is_straightened_right_to_its_sides() -> None:
    lens = RadialLens(-0.15, (250, 190))
    ramps = np.stack(np.meshgrid(np.arange(250), np.arange(190)), -1)
    seen = lens.distort(ramps)
    for axis in (0, 1):
        straight = lens.undistorted(np.repeat(ramps[..., axis, None], 3, 2).astype(np.uint8))
        is_in = ((seen > 0) & (seen < (249, 189))).all(axis=-1)
        assert np.abs(straight[..., 0] - seen[..., axis])[is_in].max() < 1


def test_other_px_of_a_bent_plane_are_the_same_places() -> None:
    lens = RadialLens(-0.1, SIZE)
    bend = LensBend(FRAME_FROM_GRID, lens, np.asarray(np.linalg.inv(FRAME_FROM_GRID)))
    plane = Plane(FRAME_FROM_GRID, (COLS, ROWS), bend)
    plane_from_new = np.array([[0, 0.5, 1], [0.5, 0, 2], [0, 0, 1]])
    points = np.array([[0, 0], [20, 3], [7, 30]], np.float32)
    theirs = plane.seen_as(plane_from_new, (ROWS, COLS))
    np.testing.assert_allclose(
        theirs.to_frame(points), plane.to_frame(transform(plane_from_new, points)), atol=0.01
    )
    np.testing.assert_allclose(theirs.to_plane(theirs.to_frame(points)), points, atol=0.01)


def test_marks_follow_the_bend() -> None:
    grey = np.full((SIZE[1], SIZE[0], 3), 128, np.uint8)
    view = view_of(grey, (Mark("fill", cell_quad(0, 0)),))
    assert view.plane
    frame_from_plane = view.plane.frame_from_plane
    lens = RadialLens(-0.5, SIZE)
    bend = LensBend(frame_from_plane, lens, np.asarray(np.linalg.inv(frame_from_plane)))
    bent = replace(view, plane=replace(view.plane, bend=bend))
    changed = (draw(bent) != grey).any(axis=2)
    changed[-40:] = False  # the status line
    row, col = np.nonzero(changed)
    centre = cell_quad(0, 0).mean(axis=0)
    (x, y), (flat_x, flat_y) = bent.plane.to_frame(centre), view.plane.to_frame(centre)
    assert np.hypot(x - flat_x, y - flat_y) > 5
    assert np.hypot(col.mean() - x, row.mean() - y) < 1.5


STRONG = Camera(SIZE[0], SIZE[1], 900.0, 900.0, 645.0, 352.0, (-0.35, 0.12))


def seen_by(camera: Camera, view: View) -> View:
    """A view of a red frame that this camera saw."""
    red = np.full((SIZE[1], SIZE[0], 3), (0, 0, 200), np.uint8)
    return replace(view, frame=Frame(0, 0.0, red, lens=camera))


def test_marks_are_drawn_on_the_cameras_own_picture_as_its_lens_bends() -> None:
    view = seen_by(STRONG, view_of(GREY_FRAME, (Mark("fill", cell_quad(0, 9)),)))
    image = draw(view)
    assert image.shape == (SIZE[1], SIZE[0], 3)
    changed = (image != (0, 0, 200)).any(axis=2)
    changed[-40:] = False  # the status line
    row, col = np.nonzero(changed)
    assert view.plane
    straight = view.plane.to_frame(cell_quad(0, 9).mean(axis=0)[None])
    (x, y), (far_x, far_y) = STRONG.distort(straight)[0], straight[0]
    assert np.hypot(x - far_x, y - far_y) > 20
    assert np.hypot(col.mean() - x, row.mean() - y) < 2
    assert cell_at(view, (float(x), float(y))) == (0, 9)


def test_cells_that_the_lens_does_not_show_are_not_in_view() -> None:
    """They are black in the straight picture, and in its frame."""
    height, width = STRONG.shown.shape
    plane = Plane(np.array([[1.0, 0, 5], [0, 1, 5], [0, 0, 1]]), (width - 10, height - 10))
    cells = np.zeros((6, 10), int)
    board = TinyBoard(tuple(map(tuple, cells.tolist())))
    corners = Lattice((0, 0), (1, 1), 1, 1).corners * np.float32(plane.size_wh)
    reading = Reading(board, corners, np.ones((6, 10), np.float32), 0.9)
    read, in_view = look._as_far_as_seen(reading, plane, STRONG.shown, known=None)
    assert in_view is not None
    assert in_view[1:-1, 1:-1].all()
    assert in_view.sum() == 4 * 8, "the sides are hollow"
    assert (read.certainty[~in_view] == 0).all()


def test_a_long_path_follows_the_bend_between_its_corners() -> None:
    grey = np.full((SIZE[1], SIZE[0], 3), 128, np.uint8)
    ends = np.stack([cell_quad(0, 0).mean(axis=0), cell_quad(0, 9).mean(axis=0)])
    view = view_of(grey, (Mark("path", ends),))
    assert view.plane
    frame_from_plane = view.plane.frame_from_plane
    lens = RadialLens(-0.5, SIZE)
    bend = LensBend(frame_from_plane, lens, np.asarray(np.linalg.inv(frame_from_plane)))
    plane = replace(view.plane, bend=bend)
    image = draw(replace(view, plane=plane))
    middle, straight = plane.to_frame(ends.mean(axis=0)), plane.to_frame(ends).mean(axis=0)
    assert np.hypot(*(middle - straight)) > 5
    x, y = np.rint(middle).astype(int)
    column = np.flatnonzero((image[:-40, x] == YELLOW).all(axis=1))
    assert abs(column.mean() - y) < 1.5
