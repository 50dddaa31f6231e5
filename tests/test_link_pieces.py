"""Pieces of link tiles, on a lattice finer than the board, are joined."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import PITCH, cells_of, cleared, picture, same_partition, shuffled
from sklearn.cluster import AgglomerativeClustering

from ar_assist.games.link import reader
from ar_assist.games.link.pieces import differ_at_edges, joined, run_on
from ar_assist.look import TRUST
from ar_assist.types import Lattice


@pytest.mark.parametrize("pairs", [0, 16])
@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 2), (3, 1), (1, 3)])
def test_pieces_of_tiles_are_joined(down: int, along: int, pairs: int) -> None:
    truth = cleared(shuffled(6, 8, 16, 8), pairs)
    image, lattice = picture(truth)
    dx, dy = lattice.pitch_xy
    pitch = dx / along, dy / down
    finer = Lattice(lattice.origin_xy, pitch, lattice.rows * down, lattice.cols * along)
    assert same_partition(cells_of(reader.read(image, finer)), truth)


@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 3)])
def test_pieces_are_known_by_coming_and_going_as_one(down: int, along: int) -> None:
    """Even where each is read as a kind of its own."""
    tile = np.random.default_rng(4).random((8, 10)) < 0.6
    fine = np.kron(tile, np.ones((down, along), bool))
    labels = np.where(fine, 1 + np.arange(fine.size).reshape(fine.shape), 0)
    lattice = Lattice((7.0, 5.0), (30 / along, 40 / down), *fine.shape)
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    assert joined(lattice, tuple(map(tuple, labels.tolist()))) == whole
    assert joined(whole, tuple(map(tuple, (tile * labels[::down, ::along]).tolist()))) == whole


@pytest.mark.parametrize(("down", "along"), [(2, 1), (1, 3)])
def test_pieces_of_plain_tiles_are_equal_as_dealt_ones_seldom_are(down: int, along: int) -> None:
    tile = cleared(shuffled(6, 8, 12, 9), 4)
    fine = np.kron(tile, np.ones((down, along), int))
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    finer = Lattice(whole.origin_xy, (30 / along, 40 / down), *fine.shape)
    assert joined(finer, tuple(map(tuple, fine.tolist()))) == whole
    assert joined(whole, tuple(map(tuple, tile.tolist()))) == whole


@pytest.mark.parametrize(("top", "left"), [(1, 0), (0, 1), (1, 1)])
def test_a_tile_that_is_partly_on_the_lattice_is_joined_whole(top: int, left: int) -> None:
    tile = cleared(shuffled(6, 8, 12, 9), 4)
    whole = Lattice((7.0, 5.0), (30.0, 40.0), *tile.shape)
    for down, along in ((2, 1), (1, 2)):
        up, off = min(top, down - 1), min(left, along - 1)
        fine = np.kron(tile, np.ones((down, along), int))[up : len(tile) * down - up, off:]
        origin = whole.origin_xy[0] + off * 30 / along, whole.origin_xy[1] + up * 40 / down
        finer = Lattice(origin, (30 / along, 40 / down), *fine.shape)
        assert joined(finer, tuple(map(tuple, fine.tolist()))) == whole


def test_whole_lines_that_slid_are_no_pieces() -> None:
    """Two rows went left and two went right: they end alike, but once each."""
    labels = np.arange(1, 41).reshape(4, 10)
    labels[0, 7:], labels[1, 5:], labels[2:, :4] = 0, 0, 0
    lattice = Lattice((7.0, 5.0), (30.0, 40.0), 4, 10)
    assert joined(lattice, tuple(map(tuple, labels.tolist()))) == lattice


def _with_bars_at_edges() -> np.ndarray:
    """(40, 32, 32, 3) cells with bars of several colours above and below, two px off the border."""
    rng = np.random.default_rng(4)
    cells = np.full((40, 32, 32, 3), 230, np.float32) + rng.normal(0, 3, (40, 32, 32, 3))
    for cell in cells:
        for row in (2, 25):
            cell[row : row + 5, 2:30] = rng.choice([[90, 60, 200], [200, 170, 60], [230] * 3])
    return cells.astype(np.float32)


def _differ_at_edges(cells: np.ndarray, bare: np.ndarray | None = None) -> bool:
    grid = cells.reshape(-1, 8, *cells.shape[1:])
    none = np.zeros(grid.shape[:2], bool)
    empty = none if bare is None else bare
    return differ_at_edges(grid, ~empty, empty)


@pytest.mark.parametrize("turned", [False, True])
def test_bars_of_a_calendar_that_a_lattice_lies_half_a_cell_off_are_no_tiles(turned: bool) -> None:
    """The day's second bar above, the next week's first one below."""
    cells = _with_bars_at_edges()
    tiles = cells.swapaxes(1, 2) if turned else cells
    assert _differ_at_edges(tiles)
    assert not _differ_at_edges(np.roll(tiles, 16, axis=2 if turned else 1)), "in the middle"


@pytest.mark.parametrize("ground", [230, 70])
def test_cards_have_pips_at_two_edges_and_stand_out_from_the_ground(ground: int) -> None:
    """Days without a bar are as pale as the others: nothing ends there."""
    cells, bare = _with_bars_at_edges(), np.zeros((5, 8), bool)
    bare[1:3, 2:4] = bare[4, 5:] = True
    cells[bare.ravel()] = ground
    assert _differ_at_edges(cells, bare) == (ground == 230)


def test_tiles_that_differ_everywhere_alike_may_be_tiles() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        plain = rng.uniform(0, 255, (8, 1, 1, 3)) + rng.normal(0, 4, (8, 32, 32, 3))
        kinds = rng.integers(0, 255, (20, 5, 5, 3)).astype(np.uint8)
        photos = np.stack([cv2.resize(kind, (32, 32)) for kind in np.repeat(kinds, 2, 0)])
        for tiles in (plain, photos):
            assert not _differ_at_edges(tiles.astype(np.float32))


def _of_one_picture(step: np.ndarray) -> np.ndarray:
    """(8, 9, 32, 32, 3) cells of a code of modules, each cell `step` (2,) modules wide and deep."""
    modules = np.random.default_rng(3).integers(0, 2, (60, 60)).astype(np.uint8) * 255
    picture = cv2.cvtColor(np.kron(modules, np.ones((14, 14), np.uint8)), cv2.COLOR_GRAY2BGR)
    across, down = step * 14 / 32, np.array([-step[1], step[0]]) * 14 / 32
    affine = np.column_stack([across, down, [400, 0]])
    ways = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    sheet = cv2.warpAffine(picture, affine, (9 * 32, 8 * 32), flags=ways)
    return sheet.reshape(8, 32, 9, 32, 3).swapaxes(1, 2).astype(np.float32)


def test_a_code_that_is_cut_along_its_diagonals_runs_on() -> None:
    cells, tile = _of_one_picture(np.array([2.0, 1.0])), np.ones((8, 9), bool)
    groups = AgglomerativeClustering(24).fit_predict(cells.reshape(72, -1))
    assert run_on(cells, tile, groups)
    others = np.random.default_rng(5).permutation(72)
    strangers = cells.reshape(72, 32, 32, 3)[others].reshape(cells.shape)
    assert not run_on(strangers, tile, groups[others]), "pictures that touch"
    cells[:, :, [0, 1, 2, -3, -2, -1]] = cells[:, :, :, [0, 1, 2, -3, -2, -1]] = 90
    shade = np.linspace(0, 60, 9)[None, :, None, None, None]
    shaded = (cells + shade).astype(np.float32)
    assert not run_on(shaded, tile, groups), "gaps before a ground that changes"


@pytest.mark.parametrize("seed", range(4))
def test_what_runs_on_around_round_tiles_is_ground(seed: int) -> None:
    truth = shuffled(6, 8, 12, seed)
    image, lattice = picture(np.zeros_like(truth))
    rng = np.random.default_rng(seed)
    clouds = rng.integers(80, 200, (8, 10, 3)).astype(np.uint8)
    image[:] = cv2.resize(clouds, image.shape[1::-1], interpolation=cv2.INTER_CUBIC)
    ends = cv2.convexHull(np.array([[21, 0], [10, 18], [-10, 18], [-21, 0], [-10, -18], [10, -18]]))
    for (r, c), kind in np.ndenumerate(truth):
        middle = np.array([c + 3.5, r + 3.5]) * PITCH
        cv2.fillConvexPoly(image, (middle + ends).astype(int), (120, 60, 40), cv2.LINE_AA)
        at = middle.astype(int).tolist()
        cv2.putText(image, chr(64 + kind), (at[0] - 11, at[1] + 10), 0, 1.0, (90, 220, 230), 3)
    reading = reader.read(cv2.GaussianBlur(image, (0, 0), 0.8), lattice)
    assert same_partition(cells_of(reading), truth)
    assert reading is not None and reading.confidence > TRUST
