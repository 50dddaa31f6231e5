"""What neighbours lay over tiles: the sides of thick ones, and their shadows.

Where such a neighbour is gone a tile shows its own edge there, and is unlike its equals.
"""

from __future__ import annotations

import numpy as np

from ar_assist.games.link.colours import Mask
from ar_assist.games.tiles import CELL, EDGE, NOISE, Array

REACH = 3 * CELL // 8  # cell px: what reaches further is light, or a drawing
FEWEST = 8  # tiles that have the neighbour, and that lack it: fewer have pictures of their own
# Standard errors: of what 12 px show in three colours, at four sides, nothing is so far off by
# chance, even where pictures are no normal noise.
SURE = 5.0


def even_sides(cells: Array, tile: Mask) -> Array:
    """(N, CELL, CELL, 3) the tiles among (R + 2, C + 2, CELL, CELL, 3) cells but the outermost:
    those that lack a neighbour made as if it were there, for so they were seen before."""
    inner = np.zeros_like(tile)
    inner[1:-1, 1:-1] = tile[1:-1, 1:-1]
    evened: Array = cells[inner]
    for turns in range(4):
        above = np.roll(np.rot90(tile, turns), 1, axis=0)
        lacks = ~np.rot90(above, -turns)[inner]
        turned = np.rot90(evened, turns, axes=(1, 2))
        step = _step(turned, lacks)
        turned[lacks, : len(step)] += step[:, None]
    return evened


def _step(cells: Array, lacks: Mask) -> Array:
    """(D, 3) by how much (N, CELL, CELL, 3) tiles with a neighbour above are off those that lack
    it, by depth, as far as it reaches into faces; the rest of a tile changes with the light. Means:
    of few kinds a median is one or the other by chance."""
    none = np.zeros((0, 3), np.float32)
    if min(lacks.sum(), (~lacks).sum()) < FEWEST:
        return none
    along = cells[:, :, EDGE:-EDGE].mean(2)
    off = along[:, :REACH] - along[:, REACH:-EDGE].mean(1, keepdims=True)
    under, bare = off[~lacks], off[lacks]
    step: Array = under.mean(0) - bare.mean(0)
    of_each = np.stack([under.var(0), bare.var(0)])
    counts = np.array([[[len(under)]], [[len(bare)]]])
    # few tiles may be alike by chance: they differ as all do
    variance = np.maximum(of_each, (counts * of_each).sum(0) / len(off))
    error = np.sqrt((variance / counts).sum(0))
    is_seen = (np.abs(step) > np.maximum(NOISE, SURE * error)).any(1)
    depth = int(np.flatnonzero(is_seen).max(initial=-1)) + 1
    return step[:depth] if EDGE < depth < REACH else none
