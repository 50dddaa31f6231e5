"""Telling tiles from ground by how cells are made."""

import numpy as np

from ar_assist.games.link import ground
from ar_assist.games.tiles import CELL, NOISE, SIDE, Array


def sprites(count: int, rng: np.random.Generator) -> Array:
    """Dark tiles with a faint line at their border; some pictures are large, and reach near it."""
    cells = np.full((count, CELL, CELL, 3), 26, np.float32)
    cells[:, :2] = cells[:, -2:] = cells[:, :, :2] = cells[:, :, -2:] = 44
    for cell in cells:
        margin = rng.choice([3, 9], p=[0.3, 0.7])
        size = CELL - 2 * margin
        colour = rng.uniform(80, 250, 3)
        cell[margin:-margin, margin:-margin][rng.random((size, size)) < 0.6] = colour
    return cells


def test_a_faint_frame_tells_where_pictures_reach_into_the_rim() -> None:
    rng = np.random.default_rng(0)
    tiles, bare = sprites(90, rng), np.full((70, CELL, CELL, 3), 24, np.float32)
    cells = np.concatenate([tiles, bare]) + rng.normal(0, 4, (160, CELL, CELL, 3))
    is_tile = np.arange(160) < 90
    inside = np.arange(160) < 110
    found = ground.frame(cells.astype(np.float32), inside, inside & ~is_tile, ~is_tile)
    assert found
    misfit, limit = found
    assert ((misfit < limit) == is_tile).all()


def test_there_is_no_frame_where_tiles_have_none() -> None:
    rng = np.random.default_rng(0)
    cells = rng.normal(60, 30, (160, CELL, CELL, 3)).astype(np.float32)
    inside = np.arange(160) < 110
    nothing = np.zeros(160, bool)
    assert ground.frame(cells, inside, nothing, nothing) is None


def test_a_ground_whose_colour_changes_shows_nothing() -> None:
    x = np.linspace(-40, 40, SIDE, dtype=np.float32)
    ramp = np.stack([128 + x, 128 - x, 128 + 0 * x], 1) + np.zeros((1, SIDE, 1, 1), np.float32)
    drawn = ramp.copy()
    drawn[:, 8:16, 8:16] += (60, -30, 0)
    assert ground.contrasts(ramp)[0] < NOISE
    assert ground.contrasts(drawn)[0] > 2 * NOISE


def test_faint_pictures_are_parted_from_a_quiet_ground() -> None:
    rng = np.random.default_rng(0)
    is_tile = np.zeros((5, 6), bool)
    is_tile[1:4, 1:5] = True
    is_tile[2, 3] = False
    cells = rng.normal(120, 1, (5, 6, CELL, CELL, 3)).astype(np.float32)
    tiles = cells[is_tile]
    tiles[:, 2:-2, 2:-2] -= 12
    tiles[:, 10:22, 10:22] += rng.uniform(14, 22, (len(tiles), 1, 1, 1))
    cells[is_tile] = tiles
    inside = np.zeros((5, 6), bool)
    inside[1:-1, 1:-1] = True
    seen = ground.shown(cells, inside.ravel())
    assert (seen.plain == ~is_tile.ravel()).all()
    assert (seen.empty == ~is_tile.ravel()).all()
    assert (seen.contrast[is_tile.ravel()] < 2 * NOISE).all()  # beside a busier ground: nothing
