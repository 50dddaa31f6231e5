"""Discs that can never be turned again, which bound how a game can end."""

from __future__ import annotations

from numba import njit

from ar_assist.games.othello.fast import ZERO, U

NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
ALL = U(0xFFFFFFFFFFFFFFFF)
SIDES = ~(NOT_A & NOT_H)  # files a and h, where lines along ranks end
ENDS = U(0xFF000000000000FF)  # ranks 1 and 8


@njit(cache=True)
def _full(empty: U, shift: U, up: U, down: U) -> U:
    """The squares whose line in a direction has no empty square; up, down: where steps may end."""
    rising = falling = empty
    for _ in range(7):
        rising |= (rising << shift) & up
        falling |= (falling >> shift) & down
    return ~(rising | falling)


@njit(cache=True)
def stable(own: U, theirs: U) -> U:
    """Discs of `own` that are stable for sure; there may be more.

    A disc can't be turned along a line that is full, that ends beside it, or on which a stable disc
    of its own colour stands next to it; if that holds for all four lines, it is stable.
    """
    empty = ~(own | theirs)
    ranks = _full(empty, U(1), NOT_A, NOT_H) | SIDES
    files = _full(empty, U(8), ALL, ALL) | ENDS
    rising = _full(empty, U(9), NOT_A, NOT_H) | SIDES | ENDS
    falling = _full(empty, U(7), NOT_H, NOT_A) | SIDES | ENDS
    found, before = own & ranks & files & rising & falling, ZERO
    while found != before:
        before = found
        along = ranks | (found << U(1)) | (found >> U(1))
        along &= files | (found << U(8)) | (found >> U(8))
        along &= rising | (found << U(9)) | (found >> U(9))
        along &= falling | (found << U(7)) | (found >> U(7))
        found = own & along
    return found
