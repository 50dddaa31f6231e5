"""Tell tiles that were dealt from what a wrong lattice, a menu or another puzzle shows.

Tiles are dealt at random: what keeps to lines, or to every second one, was not. Labels are (R, C),
zero where a cell is empty; tiles are masks of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ar_assist.games.link.board import LinkBoard
from ar_assist.games.link.colours import Mask
from ar_assist.games.link.pieces import odds_of_halves
from ar_assist.games.tiles import Indices

LEAST_TILES = 6  # fewer happen by chance; a board known from before may have them
ONE_PARITY, MANY = 0.95, 12  # share of so many tiles or more: one real board in 600 has it
MOST_STREWN = 1 / 3  # of the cells of the last tiles' box hold some
MOST_IN_LINE = 0.75  # of the tiles of a board that is seen for the first time
HALVES = 6  # bits of evidence: one real board in 64 looks as halves of tiles do, if it is full
MISREAD = 0.1  # of the tiles at most: with more a board that was dealt may look so as well
SHEARED, FILLED = 0.85, 0.6  # a shear leaves so much of the tiles' box, and they fill so much of it
IN_LINES = 5.0  # nats of evidence: one dealt board in 150 whose larger kinds are few has it
SHARING = 4.5  # nats of evidence: one dealt board in 3600 has it (11 of 40000 that were drawn), …
# … but one in 40 that a game with gravity deals backwards, so that it can be solved: none of 600
# has this. It is asked of boards of which all kinds are even; what repeats in lines has far more.
SURELY_SHARING = 9.0
REPEATED = 2.5  # nats of evidence: one dealt board in 13000 has it (3 of 40000 that were drawn)
FEW_TILES = 16  # of a board without walls of stones: one in 300 that were dealt shares lines
OFTEN = 1 / 4  # couples a step apart, of the tiles: what comes again but once has half as many


def is_too_fine(tile: Mask) -> bool:
    """Whether tiles lie on every second row, column or diagonal alone: a board has others too."""
    odd = _oddness(tile)
    return odd.shape[1] >= MANY and bool((np.abs(odd.mean(1) - 0.5) >= ONE_PARITY - 0.5).any())


def are_halves(board: LinkBoard) -> bool:
    """Whether each kind lies on every second row, column or diagonal alone: halves of tiles do,
    tops in even rows and bottoms in odd ones.

    Of 2 ^ (n - 1) ways to deal n tiles of a kind to even and odd lines one does so; and as many
    times more as there are ways to choose the tiles that lie `apart`, for a few are misread. Halves
    of one tile come and go together: rows and columns that do not are none.
    """
    cells = np.array(board.cells)
    tile = cells > 0
    kinds, of_kind = np.unique(cells[tile], return_inverse=True)
    on_odd = np.stack([np.bincount(of_kind, odd) for odd in _oddness(tile)])
    apart = np.minimum(on_odd, np.bincount(of_kind) - on_odd).sum(1)
    ways = np.log2(len(on_odd) * special.comb(len(of_kind), apart))
    ends = np.array([odds_of_halves(tile.T), odds_of_halves(tile), 0.0]) / np.log(2)
    evidence = len(of_kind) - len(kinds) - ways + np.minimum(ends, 0)
    return bool(((apart <= MISREAD * len(of_kind)) & (evidence > HALVES)).any())


def _oddness(tile: Mask) -> Indices:
    """(3, N) of tiles' rows, columns and diagonals: 1 where it is odd."""
    row, col = np.nonzero(tile)
    odd: Indices = np.stack([row, col, row + col]) % 2
    return odd


def is_one_line(tile: Mask) -> bool:
    """Whether nearly all tiles lie in one row or column: a menu, whose buttons have equals too."""
    return bool(max(tile.sum(0).max(), tile.sum(1).max()) > MOST_IN_LINE * tile.sum())


def is_sheared(tile: Mask) -> bool:
    """Whether tiles fill a parallelogram: the lattice runs along a diagonal of the board's."""
    row, col = np.nonzero(tile)
    if len(row) < LEAST_TILES:
        return False
    skewed = [(row, col + row), (row, col - row), (row + col, col), (row - col, col)]
    area, *others = ((int(np.ptp(r)) + 1) * (int(np.ptp(c)) + 1) for r, c in [(row, col), *skewed])
    is_flat = min(np.ptp(row), np.ptp(col)) < 2  # two lines are soon cleared at their ends
    return not is_flat and min(others) <= SHEARED * area and len(row) >= FILLED * min(others)


def are_strewn(tile: Mask, groups: Indices) -> bool:
    """Whether few tiles lie about on much bare ground, equal ones each another step apart and most
    in different rows and columns.

    What a menu or a page repeats it repeats in lines, and its lines the same step apart.
    """
    row, col = np.nonzero(tile)
    i, j = np.triu_indices(len(groups), 1)
    a, b = (of[groups[i] == groups[j]] for of in (i, j))
    steps = np.stack([row[b] - row[a], col[b] - col[a]], 1)  # downward, in reading order
    is_askew = (steps != 0).all(1)
    is_bare = tile.sum() <= MOST_STREWN * tile.size
    return bool(is_bare and len(np.unique(steps, axis=0)) == len(steps) < 2 * is_askew.sum())


def is_in_lines(tile: Mask, groups: Indices) -> bool:
    """Whether most kinds of three tiles or more keep to a row or to a column each, or a large kind
    has its lines to itself.

    Tiles are dealt at random; a lattice whose steps are no whole tiles shows the same in each line,
    and one that is too fine the same frames in every second.
    """
    row, col = np.nonzero(tile)
    sizes = np.bincount(groups)
    kinds = np.flatnonzero(sizes > 2)
    in_line = [g for g in kinds if min(np.ptp(row[groups == g]), np.ptp(col[groups == g])) == 0]
    share = np.concatenate([np.bincount(row), np.bincount(col)]) / len(groups)
    evidence = -sum(np.log((share ** sizes[g]).sum()) for g in in_line)
    alone = any(
        np.isin(line, line[groups == g]).sum() == sizes[g]
        for g in np.flatnonzero(sizes >= MANY)
        for line in (row, col)
    )
    return alone or bool(2 * len(in_line) > len(kinds) and evidence > IN_LINES)


def share_lines(board: LinkBoard) -> bool:
    """Whether equal tiles share rows, or columns, more than dealt ones do: these are the cells of a
    nonogram, tinted along the cursor's lines, or digits of its clues.
    """
    places, groups, sizes = _dealt(board)
    has_walls = len(groups) > FEW_TILES  # else the kind that is left out is most of what tells
    are_pairs = has_walls and not (sizes % 2).any()
    enough = SURELY_SHARING if are_pairs else SHARING
    for line in places:
        held = np.zeros((len(sizes), line.max() + 1))
        np.add.at(held, (groups, line), 1)
        equal = special.comb(held, 2).sum(1, keepdims=True)
        couples = special.comb(held.sum(0), 2).sum(keepdims=True)
        if _against_dealing(equal, couples, sizes, has_walls)[0] > enough:
            return True
    return False


def is_repeated(board: LinkBoard) -> bool:
    """Whether equal tiles lie the same step apart, in rows and columns, more than dealt ones do:
    lines of a text, keys or ornaments come again so.

    Judged as in `share_lines`, for the step with the most evidence; there are many steps to choose
    from, and each is as likely to have it by chance (Bonferroni). What repeats does so all over:
    the few couples that are as far apart as the board's ends say nothing of the rest.
    """
    (row, col), groups, sizes = _dealt(board)
    i, j = np.triu_indices(len(groups), 1)
    steps, of_couple = np.unique(
        (row[j] - row[i]) * 2 * board.cols + col[j] - col[i], return_inverse=True
    )
    same = groups[i] == groups[j]
    at = groups[i[same]] * len(steps) + of_couple[same]
    equal = np.bincount(at, minlength=len(sizes) * len(steps)).reshape(len(sizes), len(steps))
    couples = np.bincount(of_couple)
    often = couples >= OFTEN * len(groups)
    evidence = _against_dealing(equal[:, often], couples[often], sizes)
    return bool((evidence > REPEATED + np.log(len(steps))).any())


def _dealt(board: LinkBoard) -> tuple[Indices, Indices, Indices]:
    """(2, N) rows and columns of the tiles, (N,) their kinds from 0, (K,) tiles of each."""
    cells = np.array(board.cells)
    _, groups, sizes = np.unique(cells[cells > 0], return_inverse=True, return_counts=True)
    return np.array(np.nonzero(cells > 0)), groups, sizes


def _against_dealing(
    equal: NDArray[Any], couples: NDArray[Any], sizes: Indices, has_walls: bool = True
) -> NDArray[Any]:
    """(S,) nats of evidence that too many of (S,) `couples` of tiles are `equal`, (K, S) by kind.

    As large a part is equal as of all couples, if tiles are dealt. Evidence against that is half
    the binomial deviance of the equal ones. The kind that has most is left out where there may be
    walls: these are built of stones.
    """
    of_all = special.comb(sizes, 2) / special.comb(sizes.sum(), 2)
    most = (equal - of_all[:, None] * couples).argmax(0)
    equal_of_most = has_walls * equal[most, np.arange(len(most))]
    seen, others = equal.sum(0) - equal_of_most, couples - equal_of_most
    left_out = has_walls * of_all[most]
    rest = 1 - left_out
    share = np.divide(of_all.sum() - left_out, rest, out=np.zeros_like(rest), where=rest > 0)
    usual = share * others
    deviance = special.kl_div(seen, usual) + special.kl_div(others - seen, others - usual)
    return np.where(seen > usual, deviance, 0.0)
