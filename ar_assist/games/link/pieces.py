"""Tell cells that are only pieces of tiles: a lattice may be two or three times too fine, or cut
through what it does not fit.

Labels are (R, C), zero where a cell is empty.
"""

from __future__ import annotations

from math import ceil

import numpy as np
from scipy.spatial import distance

from ar_assist.games import tiles
from ar_assist.games.link.colours import SAME, Mask
from ar_assist.games.link.ground import SEAM, seams
from ar_assist.games.tiles import CELL, EDGE, Array, Indices
from ar_assist.registration import between_others
from ar_assist.types import Lattice

PIECES = 2, 3  # cells to a tile along an axis
ONE_TILE = 7.0  # log odds that cells are pieces: a thousand to one, as most lattices are right
FEW, MANY = 6, 40  # tiles: of so few, most finds in any picture are wrong; of so many, hardly one
# Of the borders between empty cells, and how many at least: a pointer, or what a game draws as a
# pair goes, lies across fewer.
CUT_THROUGH = 0.25, 3
AS_MUCH = 0.5  # times: what shows so much amid empty cells lies across their borders by chance
# Times as much as in the middle that cells differ at two opposite edges, where a lattice cuts what
# they show: plain colours and photographs differ everywhere alike (0.9 to 1.05), other tiles less.
CUT_EDGES = 1.25
# Cell px from the border, on either side, at which one picture that is cut shows much the same: a
# correlation of 0.6 and more of codes of black and white modules, 0.36 at most of 171 true boards,
# of those that show half as much there as in their middle: gaps show less.
RIM_PX, RUN_ON, AS_IN_MIDDLE = 2, 0.5, 0.5
# Of the variance there that equals have among themselves: ground (0.9 and more of tiles before soft
# colours). Of codes of modules it is less on one side at least (0.66 at most of 90 lattices).
AS_STRANGERS = 0.8
GRADIENT = 2.0  # grey levels a cell px: noise and JPEG leave less
# Times as much as askew that edges vary along the lattice's lines: on right ones 18 (the median of
# 209 drawn boards), on sheared ones 1 along the likest of their lines, and in one of a hundred 5.
ALONG = 5.0
MISREAD = 0.1  # share of cells read wrong: more on a lattice that cuts pictures in pieces


def joined(lattice: Lattice, cells: tuple[tuple[int, ...], ...]) -> Lattice:
    """The lattice with those (R, C) labelled cells joined that are only pieces of tiles.

    Along the likelier axis alone: pieces make lines equal, which says nothing of the other one.
    """
    labels = np.array(cells)
    (odds_down, down, top), (odds, along, left) = _likeliest(labels.T), _likeliest(labels)
    if max(odds_down, odds) <= ONE_TILE:
        return lattice
    if odds_down > odds:
        along, left = 1, 0
    else:
        down, top = 1, 0
    # a lattice that begins or ends within a tile misses the rest of that
    top, left = top and top - down, left and left - along
    (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
    rows, cols = ceil((lattice.rows - top) / down), ceil((lattice.cols - left) / along)
    return Lattice((x + left * dx, y + top * dy), (along * dx, down * dy), rows, cols)


def may_be_pieces(cells: tuple[tuple[int, ...], ...]) -> bool:
    """Whether (R, C) labelled cells are rather pieces than tiles, though perhaps too few to tell:
    the fewer there are, the likelier a find is no board.
    """
    labels = np.array(cells)
    share = np.clip((np.count_nonzero(labels) - FEW) / (MANY - FEW), 0, 1)
    odds = max(_likeliest(labels.T)[0], _likeliest(labels)[0])
    return bool(odds > share * ONE_TILE)


def _likeliest(labels: Indices) -> tuple[float, int, int]:
    """Log odds that cells along x are pieces of tiles, of how many, and where the first whole tile
    begins.

    Pieces of a tile come and go together, and a piece has always the same piece beside it: another
    piece of the picture, or its equal where tiles are plain.
    """
    a, b = labels[:, :-1], labels[:, 1:]
    ways = []
    for pieces, first in ((p, f) for p in PIECES for f in range(p)):
        within = _within(labels.shape[1], pieces, first)
        both = (a > 0) & (b > 0) & within
        unlike = both & (a != b)
        bound = _odds_of_bound(a[unlike], b[unlike]), _odds_of_bound(b[unlike], a[unlike])
        odds = _odds_of_ends(labels > 0, within) + max(*bound, _odds_of_equals(a[both], b[both]))
        ways.append((odds, pieces, first))
    return max(ways, key=lambda way: way[0])


def odds_of_halves(tile: Mask) -> float:
    """Log odds of where along rows (R, C) tiles give way to empty cells, if every two cells are the
    halves of one."""
    return max(_odds_of_ends(tile, _within(tile.shape[1], 2, first)) for first in range(2))


def _within(cols: int, pieces: int, first: int) -> Mask:
    """(cols - 1,) which borders along a row lie within tiles of so many cells."""
    within: Mask = (np.arange(cols - 1) - first) % pieces != pieces - 1
    return within


def _odds_of_ends(tile: Mask, within: Mask) -> float:
    """Log odds of where along rows (R, C) tiles give way to empty cells or these to tiles: nowhere
    within a tile. By chance it may be anywhere.

    An edge that goes on in the next row is the same one: what is left of a board has straight ones.
    """
    edge = np.diff(tile.astype(int), axis=1)
    begins = (edge != 0) & (edge != np.vstack([np.zeros_like(edge[:1]), edge[:-1]]))
    between = np.broadcast_to(~within, begins.shape)[begins]
    return _log_odds(between, float((~within).mean()))


def _odds_of_bound(a: Indices, b: Indices) -> float:
    """Log odds of couples (N,), (N,) of labels: that one says the other.

    By chance two couples that begin alike end alike as often as any two.
    """
    if len(a) < 2:
        return 0.0
    order = np.argsort(a, kind="stable")
    a, b = a[order], b[order]
    share = np.bincount(b) / len(b)
    return _log_odds((b[1:] == b[:-1])[a[1:] == a[:-1]], float(share @ share))


def _odds_of_equals(a: Indices, b: Indices) -> float:
    """Log odds of couples (N,), (N,) of labels: that they are equal, and not by chance."""
    if not len(a):
        return 0.0
    share = np.bincount(np.concatenate([a, b])) / (2 * len(a))
    return _log_odds(a == b, float(share @ share))


def _log_odds(seen: Mask, chance: float) -> float:
    """Of (N,) trials: that they come true but for misreadings, and not by `chance` alone."""
    chance = float(np.clip(chance, MISREAD, 1 - MISREAD))
    come, fail = np.log((1 - MISREAD) / chance), np.log(MISREAD / (1 - chance))
    return float(come * seen.sum() + fail * (~seen).sum())


def cuts_pictures(cells: Array, empty: Mask) -> bool:
    """Whether pictures lie across the borders between `empty` (R, C) ones of the cells (R, C, CELL,
    CELL, 3), as words and bars of a page do between the lines that it is cut into.

    The grain of wood does too, but shows amid cells about as much.
    """
    across, down = seams(cells)
    beside, below = across[empty[:, :-1] & empty[:, 1:]], down[empty[:-1] & empty[1:]]
    along, upright = _amid(cells[empty])
    return (_are_cut(beside, below) and not _show_as_much(along, beside)) or (
        _are_cut(below, beside) and not _show_as_much(upright, below)
    )


def _amid(cells: Array) -> tuple[Array, Array]:
    """(N, K, 3) each: what (N, CELL, CELL, 3) cells show across their middles as `seams` tell it of
    borders, to the right and downward."""
    middle, inner = slice(CELL // 2 - SEAM, CELL // 2 + SEAM), slice(EDGE, -EDGE)
    return cells[:, inner, middle].mean(1), cells[:, middle, inner].mean(2)


def _show_as_much(amid: Array, across: Array) -> bool:
    """Whether profiles (N, K, 3) amid cells show about as much as those (M, K, 3) across borders,
    in the upper quarter of either."""
    ours, theirs = (float(np.quantile(_changes(of), 1 - CUT_THROUGH[0])) for of in (amid, across))
    return ours > AS_MUCH * theirs


def differ_at_edges(cells: Array, tile: Mask, bare: Mask) -> bool:
    """Whether what parts `tile` (R, C) ones of the cells (R, C, CELL, CELL, 3) lies at two opposite
    edges rather than amid them, and they do not end there, where `bare` ones follow.

    It does where a lattice lies half a cell off, and cuts the bars of a calendar or a list: days
    without any are of the same paper. The pips of cards lie at two edges as well.
    """
    differ = np.abs(cells[tile] - np.median(cells[tile], axis=0)).mean((0, 3))
    return (_are_at_ends(differ.mean(0)) and not _end(cells, tile, bare)) or (
        _are_at_ends(differ.mean(1)) and not _end(cells.swapaxes(0, 1), tile.T, bare.T)
    )


def _are_at_ends(differ: Array) -> bool:
    """Whether tiles differ (CELL,) more at both ends than in the middle."""
    quarter = len(differ) // 4
    ends = differ[1:quarter].mean(), differ[-quarter:-1].mean()
    return bool(min(ends) > CUT_EDGES * differ[quarter:-quarter].mean())


def _end(cells: Array, tile: Mask, bare: Mask) -> bool:
    """Whether most (R, C) tiles beside a bare cell, to their left or right, are of another colour
    by what most of each cell shows."""
    beside = (tile[:, :-1] & bare[:, 1:]) | (bare[:, :-1] & tile[:, 1:])
    paper = np.median(cells, axis=(2, 3))
    steps = np.linalg.norm(np.diff(paper, axis=1), axis=-1)
    return bool(beside.any() and np.median(steps[beside]) > SAME)


def run_on(cells: Array, tile: Mask, groups: Indices) -> bool:
    """Whether what `tile` (R, C) ones of the cells (R, C, CELL, CELL, 3) show runs on from each to
    the next, both across and down: they are one picture, cut, as a code of modules is along its
    diagonals, where cells have their equals. Gaps are all alike, and pictures that touch strangers.

    The ground around round tiles runs on too, but does not depend on which of the (N,) groups, row
    by row, they are in.
    """
    if not (_runs_on_across(cells, tile) and _runs_on_across(tiles.turned(cells), tile.T)):
        return False
    shown, rims = cells[tile], (RIM_PX, -1 - RIM_PX)
    sides = (side for rim in rims for side in (shown[:, rim], shown[:, :, rim]))
    return any(_differ_by_kind(side, groups) for side in sides)


def _runs_on_across(cells: Array, tile: Mask) -> bool:
    """The same from each tile to the next on its right."""
    beside = tile[:, :-1] & tile[:, 1:]
    if beside.sum() < FEW:
        return False
    shown = (
        cells[:, :-1, :, -1 - RIM_PX][beside],
        cells[:, 1:, :, RIM_PX][beside],
        cells[:, :, :, CELL // 2][tile],
    )
    ends, begins, middles = (of - of.mean(0) for of in shown)
    end, begin, middle = (float(np.square(of).mean()) for of in (ends, begins, middles))
    shared = float((ends * begins).mean())
    return min(end, begin) > AS_IN_MIDDLE * middle and shared > RUN_ON * np.sqrt(end * begin)


def _differ_by_kind(shown: Array, groups: Indices) -> bool:
    """Whether what is shown (N, …) differs less among the equals of a group than among all (the
    within mean square of an analysis of variance)."""
    _, kind, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    flat = shown.reshape(len(shown), -1)
    means = np.zeros((len(sizes), flat.shape[1]))
    np.add.at(means, kind, flat)
    within = np.square(flat - (means / sizes[:, None])[kind]).sum() / max(1, len(flat) - len(sizes))
    return bool(within < AS_STRANGERS * flat.var(0, ddof=1).sum())


def edges_run_along(cells: Array, tile: Mask) -> bool:
    """Whether edges that tiles share run along the lines of the lattice, (R, C, CELL, CELL, 3)
    cells, and not askew by a cell a line, as where these are diagonals of the board's."""
    return _run_down(cells, tile) and _run_down(tiles.turned(cells), tile.T)


def _run_down(cells: Array, tile: Mask) -> bool:
    """Whether the edges that tiles share to their left and right run straight down.

    Shared is what gradients have in common: their mean over their root mean square. Summed along
    lines that run as edges do (Radon's transform) they lie on few of them and leave others bare.
    """
    gradients = np.gradient(cells[between_others(tile, axis=0)], axis=2)
    usual = np.square(gradients).mean(0).sum(-1) + 3 * GRADIENT**2
    shared = np.linalg.norm(gradients.mean(0), axis=-1) / np.sqrt(usual)
    y, x = np.indices(shared.shape)
    down, *askew = (shared[y, (x + by * y) % CELL].mean(0).var() for by in (0, 1, -1))
    return bool(down > ALONG * max(askew))


def _are_cut(profiles: Array, others: Array) -> bool:
    """Whether many of (N, K, 3) profiles across borders are of pictures, by the `others` (M, K, 3),
    of borders that run the other way.

    No picture is like the next. Sockets that tiles were taken from are, on however many cells, but
    these have four sides; and the lines of a ground lie on all of its borders.
    """
    level = profiles - profiles.mean(1, keepdims=True)
    flat = level.reshape(len(level), level.shape[1] * 3)
    alike = distance.cdist(flat, flat, "chebyshev") < SAME
    of_pictures = alike.sum(1) == 1
    share, least = CUT_THROUGH
    shows = _show(profiles)
    if len(others) >= least and not _show(others).any() and not shows.all():
        of_pictures |= shows
    return bool(of_pictures.sum() >= max(least, share * len(profiles)))


def _show(profiles: Array) -> Mask:
    """(N,) which of (N, K, 3) profiles across borders show anything."""
    return np.asarray(_changes(profiles) > SAME)


def _changes(profiles: Array) -> Array:
    """(N,) grey levels by which (N, K, 3) profiles change."""
    return np.asarray(np.ptp(profiles, axis=1).max(-1))
