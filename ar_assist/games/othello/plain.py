"""The search in plain Python integers, for machines without numba: weaker, but the same shape."""

from __future__ import annotations

from ar_assist.games.othello.board import (
    ALL,
    STEPS,
    OthelloBoard,
    legal_moves,
    shifted,
    squares,
)
from ar_assist.games.othello.search import Found

USUAL = 5  # the strength that the depths below are for
EXACT_EMPTIES = 10  # solved to the end: about a tenth of a second
PLIES = 3  # looked ahead before that
SIMPLE = 5  # empties up to which sorting the moves no longer pays
CORNERS = 0x8100000000000081
CORNER_DISCS = 8.0  # what a corner is worth, in discs of the final difference
MOVE_DISCS = 1.0  # what a move more than the opponent has is worth

Bounds = tuple[int, int]


def _rays() -> list[list[tuple[int, int, bool]]]:
    """For each square its rays: the first square, all squares, whether they go up in bits."""
    rays: list[list[tuple[int, int, bool]]] = [[] for _ in range(64)]
    for square in range(64):
        for step, mask in STEPS:
            first = at = shifted(1 << square, step, mask)
            ray = 0
            while at:
                ray |= at
                at = shifted(at, step, mask)
            if ray & ~first:
                rays[square].append((first, ray, step > 0))
    return rays


RAYS = _rays()


def _flipped(own: int, theirs: int, square: int) -> int:
    """As board.flipped; rays that don't begin with an opponent's disc cost next to nothing."""
    flips = 0
    for first, ray, upward in RAYS[square]:
        if first & theirs:
            stops = ray & ~theirs
            if not stops:
                continue
            if upward:
                end = stops & -stops
                if end & own:
                    flips |= ray & (end - 1)
            else:
                end = 1 << stops.bit_length() - 1
                if end & own:
                    flips |= ray & -(end << 1)
    return flips


def search(own: int, theirs: int, strength: int) -> Found:
    """The best moves: exact near the end, else a few plies deep."""
    empties = 64 - (own | theirs).bit_count()
    exact = empties <= EXACT_EMPTIES + (strength - USUAL) // 2
    plies = max(1, PLIES + (strength - USUAL) // 2)
    seen: dict[tuple[int, int], Bounds] = {}
    ranking: list[tuple[float, int]] = []
    best = -65.0
    for square in _fastest_first(own, theirs, legal_moves(own, theirs)):
        flips = _flipped(own, theirs, square)
        mine, yours = theirs & ~flips, own | flips | 1 << square
        if exact:
            value = float(-_solve(mine, yours, -64, -int(max(best, -64)), seen))
        else:
            value = -_look_ahead(mine, yours, plies - 1, -65.0, -best)
        ranking.append((value, square))
        best = max(best, value)
    ranking.sort(key=lambda pair: -pair[0])
    moves = tuple((s, value if value == best else None) for value, s in ranking)
    return Found(moves, empties if exact else plies, exact, len(seen))


def _score(own: int, theirs: int) -> int:
    return OthelloBoard(own, theirs).score(1)


def _fastest_first(own: int, theirs: int, moves: int) -> list[int]:
    """The moves, those first that leave the opponent fewest replies."""
    replies = {}
    for square in squares(moves):
        flips = _flipped(own, theirs, square)
        after = legal_moves(theirs & ~flips, own | flips | 1 << square)
        replies[square] = after.bit_count() + 2 * (after & CORNERS).bit_count()
    return sorted(replies, key=replies.__getitem__)


def _solve(
    own: int, theirs: int, alpha: int, beta: int, seen: dict[tuple[int, int], Bounds]
) -> int:
    """The exact value within (alpha, beta), fail-soft."""
    empty = ALL & ~(own | theirs)
    count = empty.bit_count()
    if count <= SIMPLE:
        return _solve_simply(own, theirs, alpha, beta, empty)
    moves = legal_moves(own, theirs)
    if not moves:
        if not legal_moves(theirs, own):
            return _score(own, theirs)
        return -_solve(theirs, own, -beta, -alpha, seen)
    lower, upper = seen.get((own, theirs), (-64, 64))
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    alpha, beta = max(alpha, lower), min(beta, upper)
    best = -65
    for square in _fastest_first(own, theirs, moves):
        flips = _flipped(own, theirs, square)
        floor = max(alpha, best)
        mine, yours = theirs & ~flips, own | flips | 1 << square
        value = -_solve(mine, yours, -floor - 1 if best > -65 else -beta, -floor, seen)
        if best > -65 and floor < value < beta:
            value = -_solve(mine, yours, -beta, -value, seen)
        best = max(best, value)
        if best >= beta:
            break
    seen[own, theirs] = (
        max(lower, best) if best > alpha else lower,
        min(upper, best) if best < beta else upper,
    )
    return best


def _solve_simply(own: int, theirs: int, alpha: int, beta: int, empty: int) -> int:
    """As _solve, for the last few squares: no table, no order."""
    best, rest = -65, empty
    while rest:
        bit = rest & -rest
        rest ^= bit
        flips = _flipped(own, theirs, bit.bit_length() - 1)
        if not flips:
            continue
        after = own | flips | bit
        if empty == bit:
            return 2 * after.bit_count() - 64
        floor = max(alpha, best)
        best = max(best, -_solve_simply(theirs & ~flips, after, -beta, -floor, empty ^ bit))
        if best >= beta:
            return best
    if best > -65:
        return best
    if not legal_moves(theirs, own):
        return _score(own, theirs)
    return -_solve_simply(theirs, own, -beta, -alpha, empty)


def _look_ahead(own: int, theirs: int, plies: int, alpha: float, beta: float) -> float:
    """The estimated value within (alpha, beta), fail-soft."""
    moves = legal_moves(own, theirs)
    replies = legal_moves(theirs, own)
    if not moves and not replies:
        return float(_score(own, theirs))
    if plies == 0:
        corners = (own & CORNERS).bit_count() - (theirs & CORNERS).bit_count()
        mobility = moves.bit_count() - replies.bit_count()
        return CORNER_DISCS * corners + MOVE_DISCS * mobility
    if not moves:
        return -_look_ahead(theirs, own, plies, -beta, -alpha)
    best = -65.0
    for square in squares(moves):
        flips = _flipped(own, theirs, square)
        after = own | flips | 1 << square
        floor = max(alpha, best)
        best = max(best, -_look_ahead(theirs & ~flips, after, plies - 1, -beta, -floor))
        if best >= beta:
            break
    return best
