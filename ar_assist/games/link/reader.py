"""Read a link board from a rectified picture: which cells hold equal tiles, which are empty.

Tiles are known by what a link game must have: pictures that come again in even counts, all in the
same frame. Empty cells show the ground that runs on between and around the tiles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ar_assist.games import tiles
from ar_assist.games.link.board import LinkBoard
from ar_assist.games.tiles import CELL, EDGE, NOISE, Array
from ar_assist.types import Image, Lattice, Reading

Mask = NDArray[np.bool_]

ODD = -5.0  # log odds of an odd kind: a tile hidden, half removed or misread
PLAIN = 0.25  # of the usual contrast: cells under this show no picture
RIM = 6  # px of a cell's rim in which tiles share their frame
MISFIT = 1.3  # times the rim of nearly all tiles: no tile of this board
CLIP = 5.0  # spreads: one hint mark or pointer must not decide about a rim
SEAM = EDGE + 2  # px on either side of a border between cells


def read(
    picture: Image, lattice: Lattice | None, before: Reading[LinkBoard] | None = None
) -> Reading[LinkBoard] | None:
    """The link board in a rectified picture, or None where it shows none.

    `lattice` may be a row or column too large or too small; `before` is the last reading of the
    same board in the same plane px.
    """
    if lattice is None:
        return None
    for _ in range(3):
        sight = look(picture, lattice)
        if sight is None:
            return None
        grown = sight.extent()
        if grown == lattice:
            break
        lattice = grown
    return sight.reading()


def size_odds(size: int) -> float:
    return 0.0 if size % 2 == 0 else ODD


def lenient_odds(size: int) -> float:
    return -1.0 if size % 2 and size > 1 else 0.0


def grow(L: Lattice, top=1, bottom=1, left=1, right=1) -> Lattice:
    (x, y), (dx, dy) = L.origin_xy, L.pitch_xy
    return Lattice(
        (x - left * dx, y - top * dy), (dx, dy), L.rows + top + bottom, L.cols + left + right
    )


@dataclass(frozen=True, eq=False)
class Sight:
    lattice: Lattice
    cells: Array  # (R+2, C+2, ...)
    tile: Mask  # (R + 2, C + 2)
    doubt: Mask
    off_row: Mask
    off_col: Mask
    enough: int

    def extent(self) -> Lattice:
        t = self.tile

        def ends(count):
            n = len(count)
            outer = [1 if count[0] >= self.enough else 0, 1 if count[-1] >= self.enough else 0]
            inner = np.nonzero(count[1:-1])[0]
            if not len(inner):
                return None
            return (1 if outer[0] else -inner[0], 1 if outer[1] else -(n - 3 - inner[-1]))

        rows, cols = ends(self.off_row[:, 1:-1].sum(1)), ends(self.off_col[1:-1].sum(0))
        if rows is None or cols is None:
            return self.lattice
        return grow(self.lattice, *map(int, (*rows, *cols)))

    def reading(self):
        inner = self.cells[1:-1, 1:-1]
        tile = self.tile[1:-1, 1:-1]
        n = int(tile.sum())
        if n < 6:
            return None
        found = tiles.group(tiles.compare(inner[tile], reach=1), size_odds)
        counts = np.bincount(found.labels)
        odd = int((counts % 2).sum())
        board = np.zeros(tile.shape, int)
        board[tile] = found.labels + 1
        certainty = np.ones(tile.shape, np.float32)
        certainty[tile] = 1 / (1 + np.exp(-found.margin))
        certainty[self.doubt[1:-1, 1:-1]] = 0.3
        if len(counts) < 3 or odd > 0.3 * len(counts) or counts.max() > n / 2:
            return None
        return Reading(
            LinkBoard(tuple(tuple(int(v) for v in r) for r in board)),
            self.lattice.corners,
            certainty,
            float(certainty.min()),
        )


def look(picture, lattice):
    wide = grow(lattice)
    cells = tiles.settle(picture, wide)
    rows, cols = cells.shape[:2]
    flat = cells.reshape(-1, CELL, CELL, 3)
    inside = np.zeros((rows, cols), bool); inside[1:-1, 1:-1] = True; inside = inside.ravel()
    contrast = contrasts(flat)
    busy = contrast[inside & (contrast > 2 * NOISE)]
    usual = np.median(busy) if len(busy) else 0.0
    plain = contrast < max(PLAIN * usual, NOISE)
    squares = (plain & inside).sum() > 0.6*inside.sum()
    quiet = quiet_seams(cells)
    sides = quiet.reshape(-1, 4).sum(1)
    ground = grounds(cells, quiet, plain.reshape(rows, cols), inside.reshape(rows, cols), squares).ravel()
    some = np.nonzero(~ground)[0]
    if (~ground & inside).sum() < 6: return None
    diff = tiles.compare(flat[some], reach=1)
    ins = inside[some]
    found = tiles.group(diff.take(ins), lenient_odds)
    apart = np.tensordot(found.weights, np.array([diff.shape, diff.chroma, diff.tone]), 1)
    np.fill_diagonal(apart, np.inf)
    matched = np.zeros(len(flat), bool)
    matched[some[ins]] = apart[np.ix_(ins, ins)].min(1) < 1
    if matched.sum() < 4: return None
    matched[some[~ins]] = apart[np.ix_(~ins, matched[some])].min(1) < 1
    like = np.zeros((len(flat), len(flat)), bool); like[np.ix_(some, some)] = apart < 1
    place = np.arange(len(flat)); row, col = place // cols, place % cols
    off_row = (like & (row[:, None] != row)).any(1)
    off_col = (like & (col[:, None] != col)).any(1)
    sure = inside & matched
    misfit = rim_misfit(flat, sure)
    limit = MISFIT * np.quantile(misfit[sure], 0.95)
    odd_one = (misfit > limit) | (contrast > 2 * np.quantile(contrast[sure], 0.95) + NOISE) | (sides > np.quantile(sides[sure], 0.95))
    tile = ~ground & np.where(inside, matched | ~(plain | odd_one), matched & ~odd_one & ~plain)
    doubt = tile & (odd_one | ~matched)
    global DEBUG
    DEBUG = dict(plain=plain, ground=ground, matched=matched, misfit=misfit,odd=odd_one, limit=limit, contrast=contrast,shape=(rows,cols))
    return Sight(lattice, cells, tile.reshape(rows, cols), doubt.reshape(rows, cols), (tile & ~odd_one & off_row).reshape(rows, cols), (tile & ~odd_one & off_col).reshape(rows, cols), 1 if odd_one[~inside].mean() > 0.5 else 2)


def contrasts(cells):
    grey, colour = tiles.opponent(cells)
    d = tiles.face(tiles.detail(grey)).std((1, 2))
    c = tiles.face(colour).std((1, 2)).max(1)
    return np.hypot(d, c)


def rim_misfit(cells, sure):
    ring = np.ones((CELL, CELL), bool)
    ring[RIM:-RIM, RIM:-RIM] = False
    smooth = (
        cells
        + np.roll(cells, 1, 1)
        + np.roll(cells, -1, 1)
        + np.roll(cells, 1, 2)
        + np.roll(cells, -1, 2)
    ) / 5
    rims = smooth[:, ring].reshape(len(cells), -1)
    mid = np.median(rims[sure], 0)
    spread = 1.48 * np.median(np.abs(rims[sure] - mid), 0)
    return np.sqrt((np.minimum(np.abs(rims - mid) / np.hypot(spread, NOISE), CLIP) ** 2).mean(1))


def quiet_seams(cells):
    """(R, C, 4) where a cell runs on into its neighbour: top, right, bottom, left."""
    rows, cols = cells.shape[:2]
    quiet = np.zeros((rows, cols, 4), bool)
    across = np.concatenate([cells[:, :-1, EDGE:-EDGE, -SEAM:], cells[:, 1:, EDGE:-EDGE, :SEAM]], 3).mean(2)
    down = np.concatenate([cells[:-1, :, -SEAM:, EDGE:-EDGE], cells[1:, :, :SEAM, EDGE:-EDGE]], 2).mean(3)
    quiet[:, :-1, 1] = quiet[:, 1:, 3] = np.ptp(across, 2).max(-1) < 2 * NOISE
    quiet[:-1, :, 2] = quiet[1:, :, 0] = np.ptp(down, 2).max(-1) < 2 * NOISE
    return quiet


def grounds(cells, quiet, plain, inside, touching):
    """plain cells that belong to the ground"""
    rows, cols = plain.shape
    index = np.arange(rows * cols).reshape(rows, cols)
    right = quiet[:, :-1, 1] & plain[:, :-1] & plain[:, 1:]
    below = quiet[:-1, :, 2] & plain[:-1] & plain[1:]
    i = np.concatenate([index[:, :-1][right], index[:-1][below]])
    j = np.concatenate([index[:, 1:][right], index[1:][below]])
    n = rows * cols
    _, part = connected_components(coo_array((np.ones(len(i)), (i, j)), (n, n)), directed=False)
    size = np.bincount(part)
    p, ins = plain.ravel(), inside.ravel()
    known = p & (size[part] > 1)
    if touching:
        known &= np.isin(part, np.intersect1d(part[p & ~ins], part[p & ins]))
    if not known.any():
        return known.reshape(rows, cols)
    level = tiles.face(cells.reshape(-1, CELL, CELL, 3)).mean((1, 2))
    far = np.sqrt(((level[:, None] - level[None, known]) ** 2).sum(-1)).min(1)
    return (p & (far < 4 * NOISE)).reshape(rows, cols)
