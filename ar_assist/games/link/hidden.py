"""Tiles that a reflection, a pointer or a finger hides in part, or that pass for ground: told by
what shows, and by the mates that lack them.

Such a tile is like no other, and its kind is odd for it. Two views are taken: a lamp's reflection
adds light, smoothly and until the camera gives no more; what covers a part leaves the rest as it
was.
"""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link.colours import Mask
from ar_assist.games.tiles import NOISE, Array, Indices

BLOCK = 2  # cell px: what is compared
SHOWS = 0.5  # of a cell at the least
CLEARLY = 0.9  # of the distance to the next kind (Lowe 2004): further is no one's
MUCH_BETTER = 3  # times, in log odds: one view tells so, if it is to be believed against the other
MOST = 0.2  # of a board's tiles may be hidden: more is no reflection
GAMMA = 2.2  # cameras' tone curve, nearly: where it is undone, a reflection is a sum
DARK = 0.15  # of white: the curve is no steeper below, for lenses scatter light into what is black
REFLECTED = 4.0  # cell px, sigma: what a lamp adds changes more slowly, but for its edge
ALIKE = 1.0  # summed squared differences: unlike cells are 1 apart by shape, by chroma and by tone
ALONE = 3.0  # times as far lies the next: by all three, where the one is as far as by one of them
OUTLIER = 2 * NOISE  # grey levels: such an edge, or a finger; more of it tells no more


def hidden_kinds(
    cells: Array, clipped: Mask, groups: Indices, unclear: Mask, bare: Mask
) -> Indices:
    """(N,) the groups that `unclear` cells are of, by what they show and by being missing there;
    -1 for the others and where that is not told.

    (N, CELL, CELL, 3) cells, `clipped` where the camera gives no more. Groups (N,) are -1 for cells
    that are no tiles; an unclear tile is alone in its group. `bare` cells show the ground, and an
    unclear cell that is most like these is none of the tiles. As tiles are dealt in pairs, a group
    is even with those that are told.
    """
    told = np.full(len(cells), -1)
    kinds = np.unique(groups[groups >= 0])
    are_tiles = groups >= 0
    # Of a kind of two one may be alone for the other.
    hidden = max((unclear & are_tiles).sum(), (unclear & ~are_tiles).sum())
    if not len(kinds) or not 0 < hidden <= MOST * are_tiles.sum():
        return told
    pictures = np.stack([tiles.common(cells[groups == g]) for g in kinds])
    if bare.any():
        pictures = np.concatenate([pictures, tiles.common(cells[bare])[None]])
    if len(pictures) < 2:
        return told
    alone = groups[unclear][:, None] == kinds  # (N, K) which kind each is all of
    views = _views(cells[unclear], clipped[unclear], pictures, len(kinds))
    views[:, :, : len(kinds)][:, alone] = np.inf
    sizes = (groups == kinds[:, None]).sum(1)
    likely = _likely(views, alone, sizes)
    told[unclear] = np.where(likely >= 0, kinds[likely], -1)
    return told


def mates_on_ground(cells: Array, tile: Mask, groups: Indices) -> Indices:
    """(R, C) the group of which a cell that was taken for ground is the mate, or -1.

    Where moire or a photograph shows as much as faint tiles do, one at the border runs on into it.
    But an odd group lacks one tile; if one cell of ground looks as all its tiles do, and no other
    nearly so, that is the one. `groups` are the (N,) tiles', row by row, of (R, C, CELL, CELL, 3)
    cells.
    """
    found = np.full(tile.shape, -1)
    is_odd = np.bincount(groups)[groups] % 2 == 1
    if (~tile).sum() < 2 or not is_odd.any():
        return found
    apart = tiles.apart(cells[~tile], cells[tile][is_odd])
    places = np.argwhere(~tile)
    for kind in np.unique(groups[is_odd]):
        off = apart[:, groups[is_odd] == kind].max(1)
        nearest, next_ = np.argsort(off)[:2]
        if off[nearest] < min(ALIKE, off[next_] / ALONE):
            found[tuple(places[nearest])] = kind
    return found


def _likely(views: Array, alone: Mask, sizes: Indices) -> Indices:
    """(N,) which of (K,) kinds of such sizes cells are of, -1 where nothing tells; `alone` (N, K)
    are tiles that are all of a kind. Changes the (V, N, K or one more, the ground) views."""
    single = np.pad(alone.any(0), (0, views.shape[2] - alone.shape[1]))
    nearest, ratio = _nearest(views[:1], single)
    is_ground = (nearest == len(sizes)) & (ratio < CLEARLY)  # perhaps with a lamp on it
    views[:, :, np.flatnonzero(alone[is_ground].any(0))] = np.inf
    likely = _paired(*_nearest(views, single), alone, sizes)
    # What is missing still is what shows least: only kinds that are odd then are rivals, …
    shows = is_ground | (_nearest(views, single)[1] < CLEARLY)  # a kind that would be odd with it
    left = np.flatnonzero((likely < 0) & ~shows & ~alone.any(1))
    now = _sizes(likely, alone, sizes)
    views[:, :, np.flatnonzero(now % 2 == 0)] = np.inf
    likely[left] = _paired(*_nearest(views[:, left], single), alone[left], now)
    # … and the last one lies where nothing tells what is there.
    odd, unseen = np.flatnonzero(_sizes(likely, alone, sizes) % 2), left[likely[left] < 0]
    if len(odd) == len(unseen) == 1:
        likely[unseen] = odd
    return likely


def _sizes(likely: Indices, alone: Mask, sizes: Indices) -> Indices:
    """(K,) sizes of kinds with the cells (N,) that are `likely` of them, of which some were `alone`
    (N, K) in their kind."""
    more = (likely == np.arange(len(sizes))[:, None]).sum(1)
    now: Indices = np.where(alone[likely >= 0].any(0), 0, sizes + more)
    return now


def _paired(nearest: Indices, ratio: Array, alone: Mask, sizes: Indices) -> Indices:
    """(N,) which of (K,) kinds cells are of, -1 where that is not clear or leaves the kind odd.

    A tile that was `alone` (N, K) in its kind leaves none to be of it: such come last, as they are
    seen well enough to be none of the others; else the clearest come first.
    """
    likely, sizes = np.full(len(nearest), -1), sizes.copy()
    for cell in np.lexsort((ratio, alone.any(1))):
        kind = nearest[cell]
        is_clear = ratio[cell] < CLEARLY and kind < len(sizes) and sizes[kind] > 0
        if is_clear and not (sizes[alone[cell]] > 1).any():
            likely[cell] = kind
            sizes[kind] += 1
            sizes[alone[cell]] = 0
    for kind in np.flatnonzero(sizes % 2):
        found = np.flatnonzero(likely == kind)
        if len(found):
            likely[found[ratio[found].argmax()]] = -1
    return likely


def _nearest(views: Array, single: Mask) -> tuple[Indices, Array]:
    """(N,) which picture each cell is nearest to, and how near in units of the next, by the one of
    the (V, N, K) views that tells better; 1 where another tells otherwise and not much worse.

    A (K,) `single` unclear cell is no rival of others: it may be of their kind.
    """
    of_view, first = views.argmin(2), views.min(2) + 1e-6
    rivals = np.where(single, np.inf, views)
    np.put_along_axis(rivals, of_view[..., None], np.inf, 2)
    ratio = np.divide(first, rivals.min(2) + 1e-6, out=np.ones_like(first), where=first < np.inf)
    best = ratio.argmin(0)
    at = np.arange(views.shape[1])
    nearest: Indices = of_view[best, at]
    contrary = ((of_view != nearest) & (ratio[best, at] > ratio**MUCH_BETTER)).any(0)
    return nearest, np.where(contrary, 1, ratio[best, at])


def _views(cells: Array, clipped: Mask, pictures: Array, count: int) -> Array:
    """(2, N, K) how far cells are off pictures, seen either way; inf where that says nothing.

    What covers a tile may be like anything: none of the pictures is there where all are further
    off than these usually are from the next. Those from `count` on are of the ground, which
    drawings leave free in part: it is no rival of what is covered.
    """
    covered, between = _covered(cells, pictures), _covered(pictures, pictures)
    np.fill_diagonal(between, np.inf)
    covered[covered.min(1) >= np.median(between.min(1))] = np.inf
    covered[:, count:] = np.inf
    return np.stack([_reflected(cells, clipped, pictures), covered])


def _reflected(cells: Array, clipped: Mask, pictures: Array) -> Array:
    """(N, K) share of what shows of cells that pictures and a smooth reflection don't explain.

    Both as light, of which the camera shows the less the more there is: differences count by what
    they make of the cell's grey levels. What is left of them is robust (Geman and McClure 1985).
    """
    seen, of = (tiles.pool(tiles.face(some), BLOCK) / 255 for some in (cells, pictures))
    clipped_there = tiles.pool(tiles.face(clipped.astype(np.float32)), BLOCK)
    shows = (clipped_there == 0).astype(np.float32)
    steepness = 255 / GAMMA * np.maximum(seen, DARK) ** (1 - GAMMA)  # grey levels per light
    weight = shows * steepness**2
    weighed = _smooth(weight) + 1e-9
    off = seen.clip(0) ** GAMMA - (of.clip(0) ** GAMMA)[:, None]  # (K, N, …)
    apart = [((some - _smooth(some * weight) / weighed) * steepness) ** 2 for some in off]
    squared = np.sum(apart, axis=-1)
    left = squared / (squared + OUTLIER**2) * shows.max(-1)
    share: Array = (left.sum((2, 3)) / (shows.max(-1).sum((1, 2)) + 1)).T
    return share


def _smooth(planes: Array) -> Array:
    """(N, B, B, 3) planes of blocks, blurred."""
    sigma = REFLECTED / BLOCK
    return np.stack([cv2.GaussianBlur(plane, (0, 0), sigma) for plane in planes])


def _covered(cells: Array, pictures: Array) -> Array:
    """(N, K) root mean square difference of the blocks that differ the least, with the noise."""
    seen, of = _planes(cells), _planes(pictures)
    apart: Array = ((seen[:, None] - of) ** 2).sum(-1).reshape(len(seen), len(of), -1)
    count = int(SHOWS * apart.shape[2])
    apart.partition(count, axis=2)
    rms: Array = np.sqrt(apart[..., :count].mean(2) + np.float32(NOISE**2))
    return rms


def _planes(cells: Array) -> Array:
    """(N, B, B, 3) luminance and colour differences of blocks of the faces."""
    grey, colour = tiles.opponent(tiles.face(cells))
    return tiles.pool(np.concatenate([grey[..., None], colour], -1), BLOCK)
