"""The mid-game search, compiled by numba: principal variation search with a table.

Values are in 1/UNIT discs for the side to move (see evaluation.py). The table keeps, for each
position, the last search's depth, bounds and best move; the caller deepens one ply at a time, so
that the best moves of one search order the next. Lines that a shallower search finds far outside
the window are cut (Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm",
1995); the margins are about one standard deviation of what the deeper search changes.
"""

from __future__ import annotations

from typing import Any

from numba import int64, njit, uint64

from ar_assist.games.othello.evaluation import TABLES, UNIT, evaluate
from ar_assist.games.othello.fast import (
    CORNERS,
    ONE,
    ZERO,
    U,
    after,
    final_score,
    legal_moves,
    lowest,
    popcount,
)
from ar_assist.games.othello.positions import OPEN, ROWS, TABLE, keep, known, next_move, slot_of

WORST = 64 * UNIT
STOPPED = 1_000_000  # beyond any value: the search ran out of nodes
SORTED_DEPTH = 3  # plies left from which moves are ordered by their evaluation
PROBED_DEPTH = 4  # plies left from which a shallower search may cut
MARGIN, MARGIN_PLY = (
    5 * UNIT // 2,
    UNIT // 2,
)  # by which it must exceed the bound, and per ply saved
MOBILITY = UNIT // 2  # what a reply of the opponent costs, in the order of moves


@njit(cache=True)
def _order(own: U, theirs: U, moves: U, first: int, depth: int, tables: Any, row: Any) -> int:
    """Fill in a row of moves (see positions.py); returns how many."""
    count = 0
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        yours, mine = after(own, theirs, square)
        replies = legal_moves(yours, mine)
        weight = MOBILITY * (popcount(replies) + popcount(replies & CORNERS))
        if depth >= SORTED_DEPTH:
            weight += evaluate(yours, mine, tables)
        if square == first:
            weight = -STOPPED
        row[count] = weight << 6 | square
        count += 1
    return count


@njit(cache=True)
def _last_ply(own: U, theirs: U, moves: U, beta: int, tables: Any, nodes: Any) -> int:
    """The best evaluation after one move, or the first that reaches beta."""
    best = -WORST
    while moves and best < beta:
        square = lowest(moves)
        moves &= moves - ONE
        nodes[0] += 1
        yours, mine = after(own, theirs, square)
        best = max(best, -evaluate(yours, mine, tables))
    return best


@njit(int64(uint64, uint64, int64, int64, int64, TABLE, TABLES, ROWS, int64[::1]), cache=True)
def search(
    own: U,
    theirs: U,
    depth: int,
    alpha: int,
    beta: int,
    table: Any,
    tables: Any,
    rows: Any,
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
        value = search(theirs, own, depth, -beta, -alpha, table, tables, rows, nodes)
        return -value if abs(value) != STOPPED else STOPPED
    if depth == 1:
        return _last_ply(own, theirs, moves, beta, tables, nodes)
    entry = table[slot_of(own, theirs, len(table))]
    first = -1
    if entry.own == own and entry.theirs == theirs:
        first = int(entry.best)
        if entry.depth == depth:
            value = known(entry, alpha, beta)
            if value != OPEN:
                return value
            alpha, beta = max(alpha, int(entry.lower)), min(beta, int(entry.upper))
    if depth >= PROBED_DEPTH and beta - alpha == 1:
        shallow = depth // 2 - (depth - depth // 2) % 2  # as odd or even as the depth
        margin = MARGIN + MARGIN_PLY * (depth - shallow)
        for bound, sign in ((beta + margin, 1), (alpha - margin, -1)):
            if abs(bound) < WORST:
                value = search(own, theirs, shallow, bound - 1, bound, table, tables, rows, nodes)
                if value == STOPPED:
                    return STOPPED
                if (value >= bound) == (sign > 0):
                    return beta if sign > 0 else alpha
    row = rows[64 - popcount(own | theirs)]
    count = _order(own, theirs, moves, first, depth, tables, row)
    best, best_square, floor = -STOPPED, -1, alpha
    for index in range(count):
        square = next_move(row, index, count)
        yours, mine = after(own, theirs, square)
        ceiling = beta if index == 0 else floor + 1
        value = -search(yours, mine, depth - 1, -ceiling, -floor, table, tables, rows, nodes)
        if index > 0 and abs(value) != STOPPED and floor < value < beta:
            value = -search(yours, mine, depth - 1, -beta, -value, table, tables, rows, nodes)
        if abs(value) == STOPPED:
            return STOPPED
        if value > best:
            best, best_square = value, square
            floor = max(floor, best)
            if best >= beta:
                break
    keep(entry, own, theirs, depth, alpha, beta, best, best_square)
    return best
