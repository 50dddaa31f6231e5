"""Exact endgames, compiled by numba: negamax with a table of positions seen.

Far from the end, moves are tried first that leave the opponent fewest moves ("fastest first"); near
the end, squares in regions with an odd number of empties ("parity"); both from Gunnar Andersson's
description of his solver (2001). Values are final disc differences for the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ar_assist.games.othello.evaluation import evaluate
from ar_assist.games.othello.fast import (
    ONE,
    ZERO,
    U,
    flipped,
    legal_moves,
    lowest,
    popcount,
)

SMALL = 7  # empties up to which parity alone orders the moves: sorting no longer pays
VALUED = 14  # empties from which the evaluation helps to order the moves
VALUE = 16  # 1/UNIT discs of evaluation that count as a tenth of a reply
LOST = 64  # the worst value, and minus the best one
INVALID = 1000  # beyond any value: a search that ran out of nodes
QUADRANTS = np.array([0x0F0F0F0F, 0xF0F0F0F0, 0x0F0F0F0F << 32, 0xF0F0F0F0 << 32], np.uint64)
CORNERS = U(0x8100000000000081)
HASH_A, HASH_B = U(0x9E3779B97F4A7C15), U(0xC2B2AE3D27D4EB4F)  # odd, well-mixed constants

Table = tuple[Any, Any, Any, Any, Any]


def new_table(bits: int) -> Table:
    """An empty table of 2**bits positions: own, theirs, lower bound, upper bound, best move."""
    size = 1 << bits
    return (
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint64),
        np.zeros(size, np.int16),
        np.zeros(size, np.int16),
        np.zeros(size, np.int8),
    )


@njit(cache=True)
def slot_of(own: U, theirs: U, size: int) -> int:
    """Where a position lives in a table of `size` (a power of two)."""
    mixed = own * HASH_A ^ (theirs * HASH_B + (theirs >> U(29)))
    mixed ^= mixed >> U(32)
    return int(mixed & U(size - 1))


@njit(cache=True)
def final_score(own: U, theirs: U) -> int:
    """The disc difference at the end; empty squares go to the winner."""
    difference = popcount(own) - popcount(theirs)
    empties = 64 - popcount(own) - popcount(theirs)
    if difference > 0:
        return difference + empties
    return difference - empties if difference < 0 else 0


@njit(cache=True)
def last_square(own: U, theirs: U, square: int) -> int:
    """The value with one empty square left."""
    difference = popcount(own) - popcount(theirs)
    flips = flipped(own, theirs, square)
    if flips:
        return difference + 1 + 2 * popcount(flips)
    flips = flipped(theirs, own, square)
    if flips:
        return difference - 1 - 2 * popcount(flips)
    return difference + 1 if difference > 0 else (difference - 1 if difference < 0 else 0)


@njit(cache=True)
def odd_regions(empty: U) -> U:
    """The quadrants that have an odd number of empty squares."""
    odd = ZERO
    for quadrant in QUADRANTS:
        if popcount(empty & quadrant) & 1:
            odd |= quadrant
    return odd


# Recursive functions get their types written out: numba cannot cache them otherwise.
@njit("int64(uint64, uint64, int64, int64, int64[::1])", cache=True)
def small(own: U, theirs: U, alpha: int, beta: int, nodes: Any) -> int:
    """The exact value of a position with up to SMALL empties, within (alpha, beta), fail-soft."""
    nodes[0] += 1
    empty = ~(own | theirs)
    if empty & (empty - ONE) == ZERO:
        return last_square(own, theirs, lowest(empty)) if empty else final_score(own, theirs)
    odd = odd_regions(empty)
    best = -INVALID
    for part in (empty & odd, empty & ~odd):
        while part:
            square = lowest(part)
            part &= part - ONE
            flips = flipped(own, theirs, square)
            if flips == ZERO:
                continue
            after = own | flips | (ONE << U(square))
            value = -small(theirs & ~flips, after, -beta, -max(alpha, best), nodes)
            if value > best:
                best = value
                if best >= beta:
                    return best
    if best > -INVALID:
        return best
    if legal_moves(theirs, own) == ZERO:
        return final_score(own, theirs)
    return -small(theirs, own, -beta, -alpha, nodes)


@njit(cache=True)
def ordered(
    own: U, theirs: U, moves: U, first: int, tables: Any, squares: Any, weights: Any
) -> int:
    """Fill in the moves, most promising first; returns how many."""
    empty = ~(own | theirs)
    by_value = popcount(empty) >= VALUED
    odd = odd_regions(empty)
    count = 0
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        bit = ONE << U(square)
        flips = flipped(own, theirs, square)
        replies = legal_moves(theirs & ~flips, own | flips | bit)
        weight = 10 * (popcount(replies) + popcount(replies & CORNERS))
        if bit & odd:
            weight -= 5
        if bit & CORNERS:
            weight -= 10
        if by_value:
            weight += evaluate(theirs & ~flips, own | flips | bit, tables) // VALUE
        if square == first:
            weight = -INVALID
        at = count
        while at > 0 and weights[at - 1] > weight:
            weights[at], squares[at] = weights[at - 1], squares[at - 1]
            at -= 1
        weights[at], squares[at] = weight, square
        count += 1
    return count


@njit(cache=True)
def _keep(
    table: Table, slot: int, own: U, theirs: U, alpha: int, beta: int, best: int, square: int
) -> None:
    """Put what a search found into the table."""
    owns, thems, lowers, uppers, firsts = table
    if owns[slot] != own or thems[slot] != theirs:
        owns[slot], thems[slot] = own, theirs
        lowers[slot], uppers[slot] = -LOST, LOST
    if best < beta:
        uppers[slot] = min(uppers[slot], best)
    if best > alpha:
        lowers[slot] = max(lowers[slot], best)
    firsts[slot] = square


@njit(
    "int64(uint64, uint64, int64, int64,"
    "Tuple((uint64[::1], uint64[::1], int16[::1], int16[::1], int8[::1])),"
    "Tuple((uint16[:, :, ::1], int64[::1], int16[:, ::1], uint16[::1])), int64[::1])",
    cache=True,
)
def solve(own: U, theirs: U, alpha: int, beta: int, table: Table, tables: Any, nodes: Any) -> int:
    """The exact value within (alpha, beta), fail-soft; INVALID once nodes[0] exceeds nodes[1]."""
    empties = 64 - popcount(own | theirs)
    if empties <= SMALL:
        return small(own, theirs, alpha, beta, nodes)
    nodes[0] += 1
    if nodes[0] > nodes[1]:
        return INVALID
    moves = legal_moves(own, theirs)
    if moves == ZERO:
        if legal_moves(theirs, own) == ZERO:
            return final_score(own, theirs)
        value = solve(theirs, own, -beta, -alpha, table, tables, nodes)
        return -value if abs(value) != INVALID else INVALID
    owns, thems, lowers, uppers, firsts = table
    slot = slot_of(own, theirs, len(owns))
    first = -1
    if owns[slot] == own and thems[slot] == theirs:
        lower, upper = int(lowers[slot]), int(uppers[slot])
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta, first = max(alpha, lower), min(beta, upper), firsts[slot]
    squares, weights = np.empty(34, np.int8), np.empty(34, np.int32)
    count = ordered(own, theirs, moves, first, tables, squares, weights)
    best, best_square, floor = -INVALID, -1, alpha
    for index in range(count):
        square = squares[index]
        flips = flipped(own, theirs, square)
        mine, yours = own | flips | (ONE << U(square)), theirs & ~flips
        if index == 0:
            value = solve(yours, mine, -beta, -floor, table, tables, nodes)
        else:
            value = solve(yours, mine, -floor - 1, -floor, table, tables, nodes)
            if abs(value) != INVALID and floor < -value < beta:
                value = solve(yours, mine, -beta, value, table, tables, nodes)
        if abs(value) == INVALID:
            return INVALID
        if -value > best:
            best, best_square = -value, square
            floor = max(floor, best)
            if best >= beta:
                break
    _keep(table, slot, own, theirs, alpha, beta, best, best_square)
    return best
