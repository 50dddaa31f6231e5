"""The mid-game search, compiled by numba: principal variation search with a table.

Values are in 1/UNIT discs for the side to move (see evaluation.py). The table keeps, for each
position, the last search's depth, bounds and best move; the caller deepens one ply at a time, so
that the best moves of one search order the next. Lines that a shallower search finds far outside
the window are cut (Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm",
1995); the margins are about one standard deviation of what the deeper search changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ar_assist.games.othello.endgame import CORNERS, final_score, slot_of
from ar_assist.games.othello.evaluation import UNIT, evaluate
from ar_assist.games.othello.fast import ONE, ZERO, U, flipped, legal_moves, lowest, popcount

WORST = 64 * UNIT
STOPPED = 1_000_000  # beyond any value: the search ran out of nodes
SORTED_DEPTH = 3  # plies left from which moves are ordered by their evaluation
PROBED_DEPTH = 4  # plies left from which a shallower search may cut
MARGIN, MARGIN_PLY = (
    5 * UNIT // 2,
    UNIT // 2,
)  # by which it must exceed the bound, and per ply saved
MOBILITY = UNIT // 2  # what a reply of the opponent costs, in the order of moves

Table = tuple[Any, Any, Any, Any, Any, Any]


def new_table(bits: int) -> Table:
    """An empty table of 2**bits positions: own, theirs, depth, lower, upper bound, best move."""
    size = 1 << bits
    return (
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint64),
        np.full(size, -1, np.int8),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.full(size, -1, np.int8),
    )


@njit(cache=True)
def ordered(
    own: U, theirs: U, moves: U, first: int, depth: int, tables: Any, squares: Any, weights: Any
) -> int:
    """Fill in the moves, most promising first; returns how many."""
    count = 0
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        flips = flipped(own, theirs, square)
        mine, yours = own | flips | (ONE << U(square)), theirs & ~flips
        replies = legal_moves(yours, mine)
        weight = MOBILITY * (popcount(replies) + popcount(replies & CORNERS))
        if depth >= SORTED_DEPTH:
            weight += evaluate(yours, mine, tables)
        if square == first:
            weight = -STOPPED
        at = count
        while at > 0 and weights[at - 1] > weight:
            weights[at], squares[at] = weights[at - 1], squares[at - 1]
            at -= 1
        weights[at], squares[at] = weight, square
        count += 1
    return count


@njit(cache=True)
def _keep(
    table: Table,
    slot: int,
    own: U,
    theirs: U,
    depth: int,
    alpha: int,
    beta: int,
    best: int,
    square: int,
) -> None:
    """Put what a search found into the table."""
    owns, thems, depths, lowers, uppers, firsts = table
    if owns[slot] != own or thems[slot] != theirs or depths[slot] != depth:
        owns[slot], thems[slot], depths[slot] = own, theirs, depth
        lowers[slot], uppers[slot] = -WORST, WORST
    if best < beta:
        uppers[slot] = min(uppers[slot], best)
    if best > alpha:
        lowers[slot] = max(lowers[slot], best)
    firsts[slot] = square


@njit(cache=True)
def _last_ply(own: U, theirs: U, moves: U, beta: int, tables: Any, nodes: Any) -> int:
    """The best evaluation after one move, or the first that reaches beta."""
    best = -WORST
    while moves and best < beta:
        square = lowest(moves)
        moves &= moves - ONE
        nodes[0] += 1
        flips = flipped(own, theirs, square)
        mine = own | flips | (ONE << U(square))
        best = max(best, -evaluate(theirs & ~flips, mine, tables))
    return best


@njit(
    "int64(uint64, uint64, int64, int64, int64,"
    "Tuple((uint64[::1], uint64[::1], int8[::1], int32[::1], int32[::1], int8[::1])),"
    "Tuple((uint16[:, :, ::1], int64[::1], int16[:, ::1], uint16[::1])), int64[::1])",
    cache=True,
)
def search(
    own: U,
    theirs: U,
    depth: int,
    alpha: int,
    beta: int,
    table: Table,
    tables: Any,
    nodes: Any,
) -> int:
    """The value within (alpha, beta), fail-soft; STOPPED once nodes[0] exceeds nodes[1]."""
    nodes[0] += 1
    if nodes[0] > nodes[1]:
        return STOPPED
    if depth == 0:
        return evaluate(own, theirs, tables)
    moves = legal_moves(own, theirs)
    if moves == ZERO:
        if legal_moves(theirs, own) == ZERO:
            return UNIT * final_score(own, theirs)
        value = search(theirs, own, depth, -beta, -alpha, table, tables, nodes)
        return -value if abs(value) != STOPPED else STOPPED
    if depth == 1:
        return _last_ply(own, theirs, moves, beta, tables, nodes)
    owns, thems, depths, lowers, uppers, firsts = table
    slot = slot_of(own, theirs, len(owns))
    first = -1
    if owns[slot] == own and thems[slot] == theirs:
        first = firsts[slot]
        if depths[slot] == depth:
            lower, upper = int(lowers[slot]), int(uppers[slot])
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
            alpha, beta = max(alpha, lower), min(beta, upper)
    if depth >= PROBED_DEPTH and beta - alpha == 1:
        shallow = depth // 2 - (depth - depth // 2) % 2  # as odd or even as the depth
        margin = MARGIN + MARGIN_PLY * (depth - shallow)
        for bound, sign in ((beta + margin, 1), (alpha - margin, -1)):
            if abs(bound) < WORST:
                value = search(own, theirs, shallow, bound - 1, bound, table, tables, nodes)
                if value == STOPPED:
                    return STOPPED
                if (value >= bound) == (sign > 0):
                    return beta if sign > 0 else alpha
    squares, weights = np.empty(34, np.int8), np.empty(34, np.int32)
    count = ordered(own, theirs, moves, first, depth, tables, squares, weights)
    best, best_square, floor = -STOPPED, -1, alpha
    for index in range(count):
        square = squares[index]
        flips = flipped(own, theirs, square)
        mine, yours = own | flips | (ONE << U(square)), theirs & ~flips
        ceiling = beta if index == 0 else floor + 1
        value = search(yours, mine, depth - 1, -ceiling, -floor, table, tables, nodes)
        if index > 0 and abs(value) != STOPPED and floor < -value < beta:
            value = search(yours, mine, depth - 1, -beta, value, table, tables, nodes)
        if abs(value) == STOPPED:
            return STOPPED
        if -value > best:
            best, best_square = -value, square
            floor = max(floor, best)
            if best >= beta:
                break
    _keep(table, slot, own, theirs, depth, alpha, beta, best, best_square)
    return best
