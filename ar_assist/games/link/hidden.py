"""Tiles that a reflection, a pointer or a finger hides in part: told by what still shows.

Such a tile is like no other, and its kind is odd for it. Two views of what shows are taken: light
on the glass adds grey and takes contrast, but neither shape nor hue, as far as it is even; what
covers a part leaves the rest as it was.
"""

from __future__ import annotations

import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link.ground import Mask
from ar_assist.games.tiles import NOISE, Array, Indices

BLOCK = 2  # cell px: what is compared
SHOWS = 0.5  # of a cell at the least
CLEARLY = 0.9  # of the distance to the next kind (Lowe 2004): further is no one's
MOST = 0.2  # of a board's tiles may be hidden: more is no reflection


def hidden_kinds(cells: Array, groups: Indices, unclear: Mask, bare: Mask) -> Indices:
    """(N,) the groups that `unclear` cells are of, by what they show and by being missing there;
    -1 for the others and where that is not told.

    (N, CELL, CELL, 3) cells; groups (N,), -1 for cells that are no tiles or unclear; `bare` ones
    show the ground, and an unclear cell that is most like these is none of the tiles. Only a group
    that is odd misses a tile, for they are dealt in pairs, and it is even with those that are told.
    """
    told = np.full(len(cells), -1)
    kinds = np.unique(groups[groups >= 0])
    if not len(kinds) or not 0 < unclear.sum() <= MOST * (groups >= 0).sum():
        return told
    pictures = np.stack([tiles.common(cells[groups == g]) for g in kinds])
    if bare.any():
        pictures = np.concatenate([pictures, tiles.common(cells[bare])[None]])
    if len(pictures) < 2:
        return told
    nearest, ratio = _nearest(cells[unclear], pictures, len(kinds))
    likely = np.where(ratio < CLEARLY, np.append(kinds, -1)[nearest], -1)
    for g in kinds:
        found = np.flatnonzero(likely == g)
        if (groups == g).sum() % 2 == 0:
            likely[found] = -1
        elif len(found) and len(found) % 2 == 0:
            likely[found[ratio[found].argmax()]] = -1  # the least clear one
    told[unclear] = likely
    return told


def _nearest(cells: Array, pictures: Array, count: int) -> tuple[Indices, Array]:
    """(N,) which of the pictures each cell is nearest to, and how near in units of the next, by the
    one of the two views that tells better; 1 where it is further than pictures are from each other.

    Those from `count` on are of the ground, which drawings leave free in part: it is no rival of
    what is covered.
    """
    seen, of = _planes(cells), _planes(pictures)
    views = np.stack([_veiled(seen, of), _covered(seen, of)])
    between = np.stack([_veiled(of, of), _covered(of, of)])
    between[:, np.arange(len(of)), np.arange(len(of))] = np.inf
    usual = np.median(between.min(2), axis=1)
    views[1, :, count:] = np.inf
    two = np.sort(views, axis=2)[..., :2]
    ratio = np.where(two[..., 0] < usual[:, None], two[..., 0] / two[..., 1], 1)
    best = ratio.argmin(0)
    at = np.arange(len(cells))
    nearest: Indices = views.argmin(2)[best, at]
    return nearest, ratio[best, at]


def _planes(cells: Array) -> Array:
    """(N, B, B, 3) luminance and colour differences of blocks of the faces."""
    grey, colour = tiles.opponent(tiles.face(cells))
    return tiles.pool(np.concatenate([grey[..., None], colour], -1), BLOCK)


def _veiled(seen: Array, of: Array) -> Array:
    """(N, K) 1 - NCC of pictures less their grey level."""
    noise = np.float32(NOISE**2 * seen[0].size)

    def unit(planes: Array) -> Array:
        planes = planes.copy()
        planes[..., 0] -= planes[..., 0].mean((1, 2), keepdims=True)
        flat = planes.reshape(len(planes), -1)
        scaled: Array = flat / np.sqrt((flat**2).sum(1, keepdims=True) + noise)
        return scaled

    apart: Array = 1 - unit(seen) @ unit(of).T
    return apart


def _covered(seen: Array, of: Array) -> Array:
    """(N, K) root mean square difference of the blocks that differ the least, with the noise."""
    apart: Array = ((seen[:, None] - of) ** 2).sum(-1).reshape(len(seen), len(of), -1)
    count = int(SHOWS * apart.shape[2])
    apart.partition(count, axis=2)
    rms: Array = np.sqrt(apart[..., :count].mean(2) + np.float32(NOISE**2))
    return rms
