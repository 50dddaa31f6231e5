"""Kinds of tiles that may not be one kind of tile: all that is seen of their cells is alike, but
what is not seen may differ, or they are no tiles at all."""

from __future__ import annotations

import numpy as np

from ar_assist.games import tiles
from ar_assist.games.link.board import EMPTY
from ar_assist.games.link.colours import SAME, Mask, levels, off_colours
from ar_assist.games.link.ground import contrasts
from ar_assist.games.link.memory import SAME_KIND
from ar_assist.games.tiles import CELL, NOISE, Array, Indices
from ar_assist.srgb import CLIPPED

TWO_PAIRS = 4  # tiles: fewer are one kind
WASHED_OUT = 0.8  # of a tile's middle is clipped: noise and sharpened edges are darker
MOST_BLOCKS = 0.25  # of all kinds: blocks, and tiles in a reflection, which seem made otherwise too
SHOW_LITTLE = 3.0  # spreads (of the logarithm) below what kinds usually show
LEAST_SPREAD = 0.1  # of it: kinds are never more alike
USUAL_KINDS = 8  # or more tell what is usual
LEAST_DETAIL = 0.3  # grey levels: what rounding makes of nothing


def may_hide_drawings(groups: Indices, bare: Mask, is_whole: bool) -> Mask:
    """(N,) tiles that show no drawing where most kinds have one, and are more than kinds usually
    are, or of several such kinds: dark drawings on dark faces look so, and pieces of what lies
    behind; a game has one blank tile. Sockets that pairs were taken from look so too: where a board
    `is_whole` none is known, and what seems to be blank tiles may be these."""
    sizes, is_bare = np.bincount(groups), _are_mostly(bare, groups)
    hides = is_bare & ((sizes > np.median(sizes)) | (is_bare.sum() > 1) | is_whole)
    amid_drawings: Mask = hides[groups] & (2 * is_bare.sum() < len(sizes))
    return amid_drawings


def are_laid_bare(
    groups: Indices, bare: Mask, apart: Array, labels: Indices, had: Indices, board: Indices
) -> Mask:
    """(N,) squares that were under tiles: of groups that show no drawing where most have one, and
    that are none of the kinds known before, (K,) by their labels, from which cells are (N, K)
    `apart`. No move and no shuffle brings tiles that were nowhere, and those went in pairs: the
    ones that these cells `had` (N,), or, where tiles slide, the ones that the whole board (R, C)
    had and has no more.
    """
    is_known = apart.min(1) <= SAME_KIND
    is_bare, is_new = (_are_mostly(some, groups) for some in (bare, ~is_known))
    below: Mask = (is_bare & is_new)[groups] & (2 * is_bare.sum() < len(is_bare))
    seen = labels[apart.argmin(1)][~below & is_known]
    count = 1 + max(int(labels.max()), int(board.max()))
    lost = np.bincount(board[board != EMPTY], minlength=count) - np.bincount(seen, minlength=count)
    went = np.bincount(had[below & (had != EMPTY)])
    slid = lost.min() >= 0 and lost.sum() >= below.sum() and not (lost % 2).any()
    return below & (slid or not (went % 2).any())


def are_washed_out(groups: Indices, cells: Array) -> Mask:
    """(N,) tiles, (N, CELL, CELL, 3) as the picture has them, of kinds that may be two: their
    middle is clipped in two channels and even, where most kinds show a drawing. So do all faces of
    one outline if there is too much light. White is no sign of that: paper and blank tiles are."""
    inner = slice(CELL // 3, -(CELL // 3))
    sizes = np.bincount(groups)
    kinds = (groups == np.arange(len(sizes))[:, None]) / sizes[:, None]
    middles = np.tensordot(kinds, cells[:, inner, inner], 1)
    darkest, darker, _ = np.moveaxis(np.sort(middles, -1), -1, 0)
    clipped = (darker >= CLIPPED).mean((1, 2)) > WASHED_OUT
    is_white = darkest.mean((1, 2)) >= CLIPPED - 2 * NOISE
    even = middles.std((1, 2)).max(-1) < NOISE
    lost = clipped & even & ~is_white & (sizes >= TWO_PAIRS) & (2 * even.sum() < len(even))
    washed_out: Mask = lost[groups]
    return washed_out


def may_be_stones(groups: Indices, unlike: Mask) -> Mask:
    """(N,) tiles of kinds that are made `unlike` most: blocks that never go are so, and come again
    as tiles do. Blocks look alike; where many kinds are so, tiles have colours of their own."""
    is_unlike = _are_mostly(unlike, groups)
    stones: Mask = is_unlike[groups] & (is_unlike.mean() <= MOST_BLOCKS)
    return stones


def show_little(pictures: Array) -> Mask:
    """(K,) kinds that show far less than most: (K, CELL, CELL, 3) pieces of what lies behind."""
    shown = np.log(contrasts(tiles.face(pictures)) + LEAST_DETAIL)
    usual, spread = tiles.median_and_spread(shown, LEAST_SPREAD)
    little: Mask = (shown - usual < -SHOW_LITTLE * spread) & (len(shown) >= USUAL_KINDS)
    return little


def _are_mostly(some: Mask, groups: Indices) -> Mask:
    """(K,) groups of which most tiles are among `some` (N,)."""
    most: Mask = 2 * np.bincount(groups, some) > np.bincount(groups)
    return most


def hide_tiles(cells: Array, bare: Mask, framed: Mask) -> Mask:
    """(R, C) `bare` ones of (R, C, CELL, CELL, 3) cells that may be tiles of the ground's own tone,
    where colours that are not seen part the kinds: all, unless a pair of that tone is seen by the
    frame that tiles share."""
    if not bare.any():
        return bare
    level = levels(cells)
    of_its_tone = off_colours(level[framed], level[bare]) < SAME / 2
    return bare & bool(of_its_tone.sum() < 2)
