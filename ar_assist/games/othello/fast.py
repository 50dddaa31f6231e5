"""Bitboards compiled by numba: the rules of board.py on unsigned 64-bit integers.

Importing this module raises ImportError where numba is not installed (extra `fast`).
Flips are found along the lines through a square by the carry of an addition (towards higher bits)
and by counting leading zeros (towards lower bits), as in the Edax and Zebra programs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ar_assist.games.othello.board import STEPS, shifted

U = np.uint64
ZERO, ONE = U(0), U(1)
NOT_EDGE_FILES = U(0x7E7E7E7E7E7E7E7E)  # files b to g: a run along a rank must not wrap
CORNERS = U(0x8100000000000081)
HIGHEST = ONE << U(63)


def _rays() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """(64, 8) the squares from each square on in each direction, four upward in bits first."""
    rays = np.zeros((64, 8), np.uint64)
    for square in range(64):
        for index, (step, mask) in enumerate(STEPS):
            at, ray = shifted(1 << square, step, mask), 0
            while at:
                ray |= at
                at = shifted(at, step, mask)
            rays[square, index] = ray
    return rays


RAYS = _rays()


def _popcount(_typing: Any, _bits: Any) -> Any:
    return types.int64(types.uint64), lambda _c, builder, _s, args: builder.ctpop(args[0])


def _lowest(_typing: Any, _bits: Any) -> Any:
    defined = ir.Constant(ir.IntType(1), 0)  # 64 for an empty set
    return types.int64(types.uint64), lambda _c, builder, _s, args: builder.cttz(args[0], defined)


def _leading_zeros(_typing: Any, _bits: Any) -> Any:
    defined = ir.Constant(ir.IntType(1), 0)
    return types.int64(types.uint64), lambda _c, builder, _s, args: builder.ctlz(args[0], defined)


popcount = cast("Callable[[U], int]", intrinsic(_popcount))  # how many bits are set
lowest = cast("Callable[[U], int]", intrinsic(_lowest))  # the number of the lowest set bit
leading_zeros = cast(
    "Callable[[U], int]", intrinsic(_leading_zeros)
)  # bits above the highest set one


@njit(cache=True, inline="always")
def _moves_along(own: U, through: U, shift: U) -> U:
    """Squares behind runs of `through` that start next to `own`, both ways along one direction."""
    up = through & (own << shift)
    down = through & (own >> shift)
    up |= through & (up << shift)
    down |= through & (down >> shift)
    pair_up, pair_down = through & (through << shift), through & (through >> shift)
    double = shift + shift
    up |= pair_up & (up << double)
    down |= pair_down & (down >> double)
    up |= pair_up & (up << double)
    down |= pair_down & (down >> double)
    return (up << shift) | (down >> shift)


@njit(cache=True)
def legal_moves(own: U, theirs: U) -> U:
    """The squares where the owner of `own` may move."""
    inner = theirs & NOT_EDGE_FILES
    moves = _moves_along(own, inner, U(1)) | _moves_along(own, theirs, U(8))
    moves |= _moves_along(own, inner, U(7)) | _moves_along(own, inner, U(9))
    return moves & ~(own | theirs)


@njit(cache=True)
def flipped(own: U, theirs: U, square: int | U) -> U:
    """The discs that a disc of `own` on `square` turns over; no branches, since none is likely."""
    flips = ZERO
    for index in range(4):
        ray = RAYS[square, index]
        end = ((theirs | ~ray) + ONE) & ray & own  # the carry runs through theirs
        flips |= (end - U(end != ZERO)) & ray
    for index in range(4, 8):
        ray = RAYS[square, index]
        stops = (ray & ~theirs) | ONE  # none is on a ray where a1 is theirs or beyond it
        end = (HIGHEST >> U(leading_zeros(stops))) & own & ray
        flips |= (ZERO - (end << ONE)) & ray
    return flips


@njit(cache=True)
def after(own: U, theirs: U, square: int) -> tuple[U, U]:
    """(own, theirs) as the opponent sees them after a move of the owner of `own`."""
    flips = flipped(own, theirs, square)
    return theirs & ~flips, own | flips | (ONE << U(square))


@njit(cache=True)
def final_score(own: U, theirs: U) -> int:
    """The disc difference at the end; empty squares go to the winner."""
    difference = popcount(own) - popcount(theirs)
    empties = 64 - popcount(own) - popcount(theirs)
    if difference > 0:
        return difference + empties
    return difference - empties if difference < 0 else 0


@njit("int64(uint64, uint64, int64)", cache=True)
def perft(own: U, theirs: U, depth: int) -> int:
    """How many lines of `depth` plies there are; a pass is a ply, the end is a line."""
    moves = legal_moves(own, theirs)
    if moves == ZERO:
        over = depth == 1 or legal_moves(theirs, own) == ZERO
        return 1 if over else perft(theirs, own, depth - 1)
    if depth == 1:
        return popcount(moves)
    lines = 0
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        yours, mine = after(own, theirs, square)
        lines += perft(yours, mine, depth - 1)
    return lines
