"""What both searches keep: a table of the positions seen, and moves in order of promise.

A list of moves is a row of numbers `weight << 6 | square`, so that the least number is the most
promising move; a search takes one row for each count of empty squares, as its lines have one
position of each. Moves are picked from a row one by one, as the first few mostly suffice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, typeof
from numpy.typing import NDArray

from ar_assist.games.othello.fast import U

ENTRY = np.dtype(
    [
        ("own", np.uint64),
        ("theirs", np.uint64),
        ("lower", np.int16),  # bounds of the value for the owner of `own`
        ("upper", np.int16),
        ("best", np.int8),  # the square of the best move found
        ("depth", np.int8),  # plies searched; EXACT: to the end of the game
    ],
    align=True,
)
OPEN = 1 << 20  # beyond any bound: the value is not known
EXACT = 100  # depth of a search that sees the end
HASH_A, HASH_B = U(0x9E3779B97F4A7C15), U(0xC2B2AE3D27D4EB4F)  # odd, well-mixed constants
MOST_MOVES = 34  # no position is known with more; 33 are reached in play


def new_table(bits: int) -> NDArray[Any]:
    """An empty table of 2**bits positions."""
    return np.zeros(1 << bits, ENTRY)


def new_rows() -> NDArray[np.int32]:
    """Room for the moves of a line of positions, by the number of empty squares."""
    return np.empty((65, MOST_MOVES), np.int32)


TABLE = typeof(new_table(0))  # type: ignore[no-untyped-call]  # their numba types
ROWS = typeof(new_rows())  # type: ignore[no-untyped-call]


@njit(cache=True)
def slot_of(own: U, theirs: U, size: int) -> int:
    """Where a position lives in a table of `size` (a power of two)."""
    mixed = own * HASH_A ^ (theirs * HASH_B + (theirs >> U(29)))
    mixed ^= mixed >> U(32)
    return int(mixed & U(size - 1))


@njit(cache=True)
def known(entry: Any, alpha: int, beta: int) -> int:
    """The value within (alpha, beta) as far as an entry's bounds tell it; OPEN if they don't."""
    if entry.lower >= beta or entry.lower == entry.upper:
        return int(entry.lower)
    return int(entry.upper) if entry.upper <= alpha else OPEN


@njit(cache=True)
def keep(
    entry: Any, own: U, theirs: U, depth: int, alpha: int, beta: int, value: int, best: int
) -> None:
    """Put what a search within (alpha, beta) found into its place in the table."""
    if entry.own != own or entry.theirs != theirs or entry.depth != depth:
        entry.own, entry.theirs, entry.depth = own, theirs, depth
        entry.lower, entry.upper = -32768, 32767
    if value < beta:
        entry.upper = min(entry.upper, value)
    if value > alpha:
        entry.lower = max(entry.lower, value)
    entry.best = best


@njit(cache=True)
def next_move(row: Any, index: int, count: int) -> int:
    """The square of the most promising move in row[index:count], which is put to row[index]."""
    least = index
    for other in range(index + 1, count):
        if row[other] < row[least]:
            least = other
    row[index], row[least] = row[least], row[index]
    return int(row[index] & 63)
