"""Tell cells that a line crosses which the game draws over them: the way of a pair that goes."""

from __future__ import annotations

import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link.colours import Mask
from ar_assist.games.link.ground import QUIET
from ar_assist.games.tiles import CELL, Array

BORDER = 2  # cell px on either side of a border
INWARD = CELL // 4  # cell px from it, where a line is as wide as there, and a drawing hardly
HALF_WIDTH = 2  # cell px of the middle of a side, where such lines run
BESIDE = slice(5, 9)  # cell px from the middle that show what is beside them
ALIKE = 0.5  # of how far a line stands out: it changes by less along its way


def crossed(cells: Array) -> Mask:
    """(R, C) which of (R, C, CELL, CELL, 3) cells a line comes into and leaves, through the middles
    of two sides.

    Equal pieces of it lie in several cells, and would be tiles. No tile's picture goes on beyond
    two of its sides.
    """
    beside, below = _over_right(cells), _over_right(tiles.turned(cells)).T
    count = np.zeros(cells.shape[:2], int)
    count[:, :-1] += beside
    count[:, 1:] += beside
    count[:-1] += below
    count[1:] += below
    return np.asarray(count >= 2)


def _over_right(cells: Array) -> Mask:
    """(R, C - 1) where a line goes on over the right side of a cell."""
    places = slice(-INWARD - BORDER, -INWARD), slice(-BORDER, None)
    left = [_stands_out(cells[:, :-1, :, at]) for at in places]
    places = slice(0, BORDER), slice(INWARD, INWARD + BORDER)
    right = [_stands_out(cells[:, 1:, :, at]) for at in places]
    along = np.stack([*left, *right])  # (4, R, C - 1, 3)
    usual = along.mean(0)
    height = np.linalg.norm(usual, axis=-1)
    off = np.linalg.norm(along - usual, axis=-1).max(0)
    return np.asarray((height > QUIET) & (off < ALIKE * height))


def _stands_out(strips: Array) -> Array:
    """(R, C, 3) by how much the middle of (R, C, CELL, K, 3) strips differs from both sides of
    it."""
    profile = strips.mean(3)
    middle = CELL // 2
    centre = profile[:, :, middle - HALF_WIDTH : middle + HALF_WIDTH].mean(2)
    before = profile[:, :, middle - BESIDE.stop : middle - BESIDE.start].mean(2)
    after = profile[:, :, middle + BESIDE.start : middle + BESIDE.stop].mean(2)
    # Of a line both sides differ; of an edge, one does.
    low, high = centre - before, centre - after
    return np.asarray(np.where(low * high > 0, np.where(np.abs(low) < np.abs(high), low, high), 0))
