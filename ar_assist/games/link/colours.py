"""The colours of cells, and which of them the ground has, at a place or in all.

Cells are (R, C, CELL, CELL, 3) as `straightened` cuts them, flat where the shape is (N, …).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import distance

from ar_assist.games import tiles
from ar_assist.games.tiles import CELL, EDGE, NOISE, Array

Mask = NDArray[np.bool_]

SAME = 4 * NOISE  # grey levels: plain cells as close as this are one ground
ONE_GROUND = 12 * NOISE  # grey levels: light makes no more of it on one ground
NEAREST = 4  # cells of ground tell its colour at a place
SLOPE_CELLS = 8  # of ground tell how light falls off over it
CORNER = 2  # px of a cell's corner: what lies between tiles
EVERYWHERE = 0.8  # of the places where four cells meet


def levels(cells: Array) -> Array:
    """(R, C, 3) mean colours of the faces of (R, C, CELL, CELL, 3) cells."""
    rows, cols = cells.shape[:2]
    return tiles.level(tiles.face(cells.reshape(-1, CELL, CELL, 3))).reshape(rows, cols, 3)


def off_colours(level: Array, known: Array) -> Array:
    """(…,) by how many grey levels cells are off the known colour (K, 3) that is most like them."""
    off: Array = distance.cdist(level.reshape(-1, 3), known).min(1).reshape(level.shape[:-1])
    return off


def off_nearest(level: Array, known: Mask) -> Array:
    """(R, C) by how many grey levels cells are off the likest of the NEAREST `known` ones: what
    shows at the other end of the board says little of the ground here."""
    places, of_known = np.argwhere(known), level[known]
    apart = np.square(np.indices(known.shape)[..., None] - places.T[:, None, None]).sum(0)
    nearest = np.argsort(apart, axis=-1, kind="stable")[..., :NEAREST]
    off: Array = np.linalg.norm(level[:, :, None] - of_known[nearest], axis=-1).min(-1)
    return off


def is_one_ground(colours: Array) -> bool:
    """Whether (N, 3) colours are those of one ground, but for the light; not, where none are."""
    return len(colours) > 0 and bool(np.ptp(colours, axis=0).max() < ONE_GROUND)


def evenly_lit(level: Array, known: Mask) -> Array:
    """(R, C, 3) levels without the slope that light has over `known` cells, if these are of one
    ground."""
    if known.sum() < SLOPE_CELLS:
        return level
    places = np.stack([np.ones(known.shape), *np.indices(known.shape)], -1)
    slope = np.linalg.lstsq(places[known], level[known], rcond=None)[0]
    even: Array = (level - places @ slope + level[known].mean(0)).astype(np.float32)
    return even if is_one_ground(even[known]) else level


def has_colour_of_ground(cells: Array, known: Mask) -> Mask:
    """(N,) cells whose middle has the colour of some known ground; all, where none is known."""
    level = tiles.level(middles(cells))
    if not known.any():
        return np.ones(len(cells), bool)
    near: Mask = off_colours(level, level[known]) < SAME
    return near


def has_colour_around(cells: Array) -> Mask:
    """(N,) cells whose middle has a colour that shows right beside the board or between tiles."""
    shown_there = np.concatenate([*colours_beside(cells), colour_between(cells)])
    same: Mask = (
        off_colours(tiles.level(middles(cells.reshape(-1, CELL, CELL, 3))), shown_there) < SAME
    )
    return same


def colours_beside(cells: Array) -> list[Array]:
    """(K, 3) colours that show right beside the board: above, below, to the left and to the right.

    The outer of (R, C, CELL, CELL, 3) cells lie around it. What they show further out may be else.
    """
    near, far = slice(EDGE // 2, EDGE * 2), slice(-EDGE * 2, -EDGE // 2)
    sides = cells[0, :, far], cells[-1, :, near], cells[:, 0, :, far], cells[:, -1, :, near]
    return [strip.mean((1, 2)) for strip in sides]


def colours_between(cells: Array) -> Array:
    """(R - 3, C - 3, 3) what shows where four cells of the board meet.

    Tiles that have gaps or round corners show the ground there; those that touch, their border.
    """
    rows, cols = cells.shape[:2]
    side = slice(-CORNER, None), slice(CORNER)
    corners = [
        cells[r : rows - 1 + r, c : cols - 1 + c, side[r], side[c]].mean((2, 3))
        for r, c in np.ndindex(2, 2)
    ]
    meeting: Array = np.mean(corners, 0)[1:-1, 1:-1]  # the others see what is around
    return meeting


def colour_between(cells: Array) -> Array:
    """(1, 3) the colour that shows nearly everywhere where four cells meet; (0, 3): none does."""
    meeting = colours_between(cells).reshape(-1, 3)
    if not len(meeting):
        return meeting
    usual: Array = np.median(meeting, 0)[None]
    shows = (off_colours(meeting, usual) < SAME).mean() >= EVERYWHERE
    return usual if shows else usual[:0]


def middles(cells: Array) -> Array:
    """(N, CELL / 2, CELL / 2, 3) where a neighbour's side or shadow does not reach."""
    inner = slice(CELL // 4, -CELL // 4)
    part: Array = cells[:, inner, inner]
    return part
