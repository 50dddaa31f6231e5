"""Where tiles end: at straight borders on all four sides, along the lines of the lattice.

Whatever lies behind, a photograph or a pattern, hardly has an edge that follows a line of the
lattice for a whole side of a cell; a tile has four, if it is a square and not a bare picture. A
border is that of the cells on both sides of it: it says that one of them is a tile, and where there
is none, neither is.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link.colours import Mask
from ar_assist.games.link.framing import MOST, Frame
from ar_assist.games.tiles import CELL, Array

THIRDS = 3  # of a side: a border runs along all of them, an edge behind crosses one or two
REACH = 3  # cell px on either side of a line in which a border lies: lenses and bevels move it
CORNER = CELL // 6  # px at either end of a side, left out: tiles have round corners
STEP = 1.0  # grey levels: less is noise
OPEN = 2.0  # times less of a border than tiles have: none
LEAST = 0.1  # quantile of what tiles show: none shows less by more than a gap
GAP = 0.5  # e-folds between the heaps of tiles and ground


class Borders(NamedTuple):
    """What borders cells have, on the side where they show least of one."""

    off: Array  # (N,) times that tiles show more
    shared: Mask  # (N,) they have all four, but these may be their neighbours', or they are plain

    def frame(self, made: Frame | None) -> Frame:
        """What tells tiles by borders, and by how they are `made`, if that tells too: each counts
        by how far it is off what parts tiles from ground."""
        proved, open_ = (self.off < 1) & ~self.shared, self.off > OPEN
        if made is None:
            return Frame(self.off, proved, self.shared, open_)
        mine = np.where(self.shared, 0, _e_folds(self.off))  # these say nothing
        off = np.exp(mine + _e_folds(made.off))
        return Frame(off, (proved | made.proved) & (off < 1), made.shared, open_)


def borders(cells: Array, inside: Mask, plain: Mask) -> Borders | None:
    """The borders of (R, C, CELL, CELL, 3) cells; None where they do not tell tiles from ground.

    They do where those of tiles and of ground make two heaps with a gap between them, and hardly
    any cell around those (N,) `inside` has four. Where most tiles are `plain` squares, what lies
    over them may be as plain; elsewhere a plain one may be a part of what lies behind.
    """
    right, below = _edges(cells), _edges(tiles.turned(cells)).T
    across = np.pad(right, ((0, 0), (1, 1)), constant_values=np.inf)
    down = np.pad(below, ((1, 1), (0, 0)), constant_values=np.inf)
    weakest = np.min([across[:, :-1], across[:, 1:], down[:-1], down[1:]], 0)
    limit = _gap(weakest.ravel())
    has_all = weakest > limit
    tile, beyond = has_all.ravel() & inside, has_all.ravel() & ~inside
    if 2 * (tile & plain).sum() >= tile.sum() or beyond.sum() > (1 - MOST) * (~inside).sum():
        return None
    around = np.pad(has_all, 1)
    beside = around[:-2, 1:-1], around[2:, 1:-1], around[1:-1, :-2], around[1:-1, 2:]
    shared = np.all([has_all, *beside], 0).ravel() | (has_all.ravel() & plain)
    return Borders(((limit + STEP) / (weakest + STEP)).ravel(), shared)


def _e_folds(off: Array) -> Array:
    """(N,) how far cells are off the limit of a sign, to one: none is sure for itself."""
    return np.asarray(np.clip(np.log(np.maximum(off, 1e-3)), -1, 1))


def _edges(cells: Array) -> Array:
    """(R, C - 1) grey levels to 2 px across the borders between cells and the next to the right,
    in the third of each that shows least."""
    rows, cols = cells.shape[:2]
    length = (CELL - 2 * CORNER) // THIRDS
    along = slice(CORNER, CORNER + THIRDS * length)
    thirds = cells[:, :, along].reshape(rows, cols, THIRDS, length, CELL, 3).mean(3)
    beside = thirds[:, :-1, :, -REACH - 1 :], thirds[:, 1:, :, : REACH + 1]
    across = np.concatenate(beside, 3)
    steps = np.abs(across[:, :, :, 2:] - across[:, :, :, :-2]).max((3, 4))
    return np.asarray(steps.min(2), np.float32)


def _gap(weakest: Array) -> float:
    """What parts the two heaps that (N,) grey levels make (Otsu, 1979), in the widest gap between
    their middles; infinite, where there is none."""
    levels = np.sort(np.log(weakest + STEP))
    scaled = (levels - levels[0]) * (255 / max(levels[-1] - levels[0], STEP))
    cut, _ = cv2.threshold(scaled.astype(np.uint8), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ends = scaled.astype(np.uint8) <= cut
    low, high = int(ends.sum()) // 2, int(ends.sum() + len(levels)) // 2
    gaps = np.diff(levels[low : high + 1])
    if not len(gaps) or gaps.max() < GAP:
        return np.inf
    at = low + int(gaps.argmax())
    least = float(np.quantile(levels[at + 1 :], LEAST)) - GAP
    return float(np.exp(max(levels[at : at + 2].mean(), least)) - STEP)
