"""Exact endgames, compiled by numba: alpha-beta with a table of positions seen, in three stages.

Far from the end (`solve`), those moves go first that a shallow mid-game search likes and that
leave the opponent few replies; nearer to it (`_solve_soon`), the replies alone tell ("fastest
first"); at the end (`_solve_last`), squares in regions with an odd number of empty ones go first
("parity"). All are described by Gunnar Andersson ("Writing an Othello program", 2001). Lines are
cut where discs that can't be turned any more bound the result, and where the table has a reply that
refutes them ("enhanced transposition cutoff", Schaeffer and Plaat, 1996). Values are final disc
differences for the side to move, fail-soft: beyond the window (alpha, beta) they are bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, njit, uint64
from numpy.typing import NDArray

from ar_assist.games.othello.board import STEPS, shifted
from ar_assist.games.othello.evaluation import TABLES, UNIT, evaluate
from ar_assist.games.othello.fast import (
    CORNERS,
    ONE,
    ZERO,
    U,
    after,
    final_score,
    flipped,
    legal_moves,
    lowest,
    popcount,
)
from ar_assist.games.othello.midgame import WORST, search
from ar_assist.games.othello.positions import (
    EXACT,
    OPEN,
    ROWS,
    TABLE,
    keep,
    known,
    next_move,
    slot_of,
)
from ar_assist.games.othello.stability import stable

LAST = 6  # empties up to which parity alone orders the moves: sorting no longer pays
SOON = 11  # empties up to which the replies alone do
DEEPER = 16  # empties from which a move is searched one ply deep to order it …
EMPTIES_PER_PLY = 3  # … and one ply more for each so many
REPLY = 20  # what a reply of the opponent costs in the order of moves …
DISC, ODD, CORNER = 6, 3, 6  # … beside a disc of its value, an odd region, a corner
LOST = 64  # the worst value, and minus the best one
INVALID = 1000  # beyond any value: a search that ran out of nodes
RANK_1, FILE_A = U(0xFF), U(0x0101010101010101)
FILE_TO_RANK = U(0x0102040810204080)  # times file a: the same bits on rank 8


def _neighbours() -> NDArray[np.uint64]:
    """(64,) the squares around each: a move turns none unless the opponent has one of them."""
    around = [sum(shifted(1 << square, *step) for step in STEPS) for square in range(64)]
    return np.array(around, np.uint64)


def _diagonals() -> NDArray[np.uint64]:
    """(64, 2) the other squares on both diagonals through each."""
    row, column = np.divmod(np.arange(64), 8)
    pairs = np.stack([np.equal.outer(x, x) for x in (row - column, row + column)])
    pairs &= ~np.eye(64, dtype=bool)
    return np.asarray((pairs * (ONE << np.arange(64, dtype=U))).sum(axis=2, dtype=U).T.copy())


def _turned_discs() -> NDArray[np.uint8]:
    """(8, 256) how many discs a move to each place of a full line turns, by the mover's discs."""
    turned = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for own in range(256):
            before = [k for k in range(place) if own >> k & 1]
            beyond = [k for k in range(place + 1, 8) if own >> k & 1]
            turned[place, own] += place - before[-1] - 1 if before else 0
            turned[place, own] += beyond[0] - place - 1 if beyond else 0
    return turned


NEIGHBOURS, DIAGONALS, TURNED = _neighbours(), _diagonals(), _turned_discs()


@njit(cache=True)
def _turned(own: U, square: U) -> int:
    """How many discs the last move of a game turns, to `square` by the owner of `own`."""
    row, column = square >> U(3), square & U(7)
    turned = TURNED[column, own >> (row << U(3)) & RANK_1]
    turned += TURNED[row, (own >> column & FILE_A) * FILE_TO_RANK >> U(56)]
    turned += TURNED[column, (own & DIAGONALS[square, U(0)]) * FILE_A >> U(56)]
    turned += TURNED[column, (own & DIAGONALS[square, U(1)]) * FILE_A >> U(56)]
    return int(turned)


@njit(cache=True)
def _last_square(own: U, theirs: U, square: U) -> int:
    """The value with one empty square left."""
    turned = _turned(own, square)
    if turned:
        return 2 * (popcount(own) + turned) - 62
    turned = _turned(theirs, square)
    if turned:
        return 62 - 2 * (popcount(theirs) + turned)
    return final_score(own, theirs)


@njit(cache=True)
def odd_regions(empty: U) -> U:
    """The quadrants that have an odd number of empty squares."""
    parity = empty ^ empty >> U(1)
    parity ^= parity >> U(2)  # the first square of every four in a row has that of its four
    parity &= U(0x1111111111111111)
    parity ^= parity >> U(8)
    parity ^= parity >> U(16)
    return (parity & U(0x0000001100000011)) * U(0x0F0F0F0F)


# Recursive functions get their types written out: numba cannot cache them otherwise.
@njit(int64(uint64, uint64, uint64, int64, int64), cache=True)
def _solve_last(own: U, theirs: U, empty: U, alpha: int, beta: int) -> int:
    """The value of a position with up to LAST empty squares."""
    if empty & (empty - ONE) == ZERO:
        return _last_square(own, theirs, U(lowest(empty))) if empty else final_score(own, theirs)
    odd = odd_regions(empty)
    best = -INVALID
    for part in (odd & CORNERS, odd & ~CORNERS, ~odd & CORNERS, ~odd & ~CORNERS):
        rest = empty & part
        while rest:
            square = U(lowest(rest))
            bit = rest & (ZERO - rest)
            rest ^= bit
            if NEIGHBOURS[square] & theirs == ZERO:
                continue
            flips = flipped(own, theirs, square)
            if flips == ZERO:
                continue
            yours, mine = theirs & ~flips, own | flips | bit
            value = -_solve_last(yours, mine, empty ^ bit, -beta, -max(alpha, best))
            if value > best:
                best = value
                if best >= beta:
                    return best
    if best > -INVALID:
        return best
    if legal_moves(theirs, own) == ZERO:
        return final_score(own, theirs)
    return -_solve_last(theirs, own, empty, -beta, -alpha)


@njit(cache=True)
def _fastest_first(own: U, theirs: U, moves: U, first: int, row: Any) -> int:
    """Fill in a row of moves (see positions.py); returns how many."""
    odd, count = odd_regions(~(own | theirs)), 0
    while moves:
        square = lowest(moves)
        bit = moves & (ZERO - moves)
        moves ^= bit
        replies = legal_moves(*after(own, theirs, square))
        weight = REPLY * (popcount(replies) + popcount(replies & CORNERS))
        weight -= ODD * int(bit & odd != ZERO) + CORNER * int(bit & CORNERS != ZERO)
        row[count] = (-INVALID if square == first else weight) << 6 | square
        count += 1
    return count


@njit(cache=True)
def _most(own: U, theirs: U, alpha: int) -> int:
    """An upper bound of the value by the opponent's stable discs, where it may be below alpha."""
    if 64 - 2 * popcount(theirs) > alpha:
        return LOST
    return 64 - 2 * popcount(stable(theirs, own))


@njit(int64(uint64, uint64, int64, int64, TABLE, ROWS, int64[::1]), cache=True)
def _solve_soon(own: U, theirs: U, alpha: int, beta: int, table: Any, rows: Any, nodes: Any) -> int:
    """The value of a position with up to SOON empty squares."""
    empty = ~(own | theirs)
    empties = popcount(empty)
    if empties <= LAST:
        return _solve_last(own, theirs, empty, alpha, beta)
    nodes[0] += 1
    most = _most(own, theirs, alpha)
    if most <= alpha:
        return most
    moves = legal_moves(own, theirs)
    if moves == ZERO:
        if legal_moves(theirs, own) == ZERO:
            return final_score(own, theirs)
        return -_solve_soon(theirs, own, -beta, -alpha, table, rows, nodes)
    entry = table[slot_of(own, theirs, len(table))]
    first = -1
    if entry.own == own and entry.theirs == theirs:
        value = known(entry, alpha, beta)
        if value != OPEN:
            return value
        first = int(entry.best)
    row = rows[empties]
    count = _fastest_first(own, theirs, moves, first, row)
    best, best_square = -INVALID, -1
    for index in range(count):
        square = next_move(row, index, count)
        yours, mine = after(own, theirs, square)
        value = -_solve_soon(yours, mine, -beta, -max(alpha, best), table, rows, nodes)
        if value > best:
            best, best_square = value, square
            if best >= beta:
                break
    keep(entry, own, theirs, EXACT, alpha, beta, best, best_square)
    return best


@njit(cache=True)
def _order(
    own: U, theirs: U, moves: U, first: int, hints: Any, tables: Any, rows: Any, nodes: Any
) -> int:
    """Fill in this position's row of moves; returns how many."""
    empties = 64 - popcount(own | theirs)
    plies = 1 + (empties - DEEPER) // EMPTIES_PER_PLY
    row, count = rows[empties], 0
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        yours, mine = after(own, theirs, square)
        replies = legal_moves(yours, mine)
        if empties >= DEEPER:
            value = search(yours, mine, plies, -WORST, WORST, hints, tables, rows, nodes)
        else:
            value = evaluate(yours, mine, tables)
        weight = REPLY * (popcount(replies) + popcount(replies & CORNERS)) + DISC * value // UNIT
        row[count] = (-WORST if square == first else weight) << 6 | square
        count += 1
    return count


@njit(cache=True)
def _refutation(own: U, theirs: U, moves: U, beta: int, table: Any) -> int:
    """What a move is worth that reaches beta by what the table knows; -INVALID without one."""
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        yours, mine = after(own, theirs, square)
        entry = table[slot_of(yours, mine, len(table))]
        if entry.own == yours and entry.theirs == mine and -entry.upper >= beta:
            return -int(entry.upper)
    return -INVALID


@njit(int64(uint64, uint64, int64, int64, TABLE, TABLE, TABLES, ROWS, int64[::1]), cache=True)
def solve(
    own: U,
    theirs: U,
    alpha: int,
    beta: int,
    table: Any,
    hints: Any,
    tables: Any,
    rows: Any,
    nodes: Any,
) -> int:
    """The exact value; INVALID once nodes[0] exceeds nodes[1].

    Nodes are positions with more than LAST empty squares; `hints` is the mid-game search's table.
    """
    empties = 64 - popcount(own | theirs)
    if empties <= SOON:
        return _solve_soon(own, theirs, alpha, beta, table, rows, nodes)
    nodes[0] += 1
    if nodes[0] > nodes[1]:
        return INVALID
    most = _most(own, theirs, alpha)
    if most <= alpha:
        return most
    moves = legal_moves(own, theirs)
    if moves == ZERO:
        if legal_moves(theirs, own) == ZERO:
            return final_score(own, theirs)
        value = solve(theirs, own, -beta, -alpha, table, hints, tables, rows, nodes)
        return -value if abs(value) != INVALID else INVALID
    entry = table[slot_of(own, theirs, len(table))]
    first = -1
    if entry.own == own and entry.theirs == theirs:
        value = known(entry, alpha, beta)
        if value != OPEN:
            return value
        alpha, beta = max(alpha, int(entry.lower)), min(beta, int(entry.upper))
        first = int(entry.best)
    value = _refutation(own, theirs, moves, beta, table)
    if value >= beta:
        return value
    count = _order(own, theirs, moves, first, hints, tables, rows, nodes)
    row = rows[empties]
    best, best_square, floor = -INVALID, -1, alpha
    for index in range(count):
        square = next_move(row, index, count)
        yours, mine = after(own, theirs, square)
        ceiling = beta if index == 0 else floor + 1
        value = -solve(yours, mine, -ceiling, -floor, table, hints, tables, rows, nodes)
        if index > 0 and abs(value) != INVALID and floor < value < beta:
            value = -solve(yours, mine, -beta, -value, table, hints, tables, rows, nodes)
        if abs(value) == INVALID:
            return INVALID
        if value > best:
            best, best_square = value, square
            floor = max(floor, best)
            if best >= beta:
                break
    keep(entry, own, theirs, EXACT, alpha, beta, best, best_square)
    return best
