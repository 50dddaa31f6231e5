"""Iterative deepening over the compiled searches, from the root of the game tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ar_assist.games.othello import endgame, evaluation, midgame, positions
from ar_assist.games.othello.board import flipped, legal_moves, squares
from ar_assist.games.othello.fast import U
from ar_assist.games.othello.search import Found

USUAL = 5  # the strength that the budgets below are for; each step doubles or halves them
MIDGAME_NODES = 3_600_000  # about 0.9 seconds
ENDGAME_NODES = 700_000  # about 0.7 seconds, with what lies beyond them (see endgame.solve)
EXACT_EMPTIES = 21  # empties at the usual strength from which the end is in reach; one per step
FALL_BACK = 3  # a mid-game search after an exact one that failed gets so much fewer nodes
GLANCE = 12  # of the nodes of an exact search, one in so many goes into a mid-game search before it
GLANCE_NODES = 60_000  # … but no more
HINT_BITS = 14  # positions kept of the searches that order an endgame's moves
TABLE_BITS = 20  # positions kept, as a power of two: 25 MB
WIDTH = 2 * evaluation.UNIT  # half of the window around the last depth's value

ValueOf = Callable[[int, int, int, int], int | None]  # own, theirs, alpha, beta
Ranking = list[tuple[int, int | None]]  # (square, value), best first; None: not better than those


def search(own: int, theirs: int, strength: int) -> Found:
    """The best moves with the nodes that a strength allows."""
    scale = 2.0 ** (strength - USUAL)
    empties = 64 - (own | theirs).bit_count()
    if empties <= EXACT_EMPTIES + strength - USUAL:
        exact = solve(own, theirs, int(ENDGAME_NODES * scale))
        if exact:
            return exact
        scale /= FALL_BACK
    return deepen(own, theirs, int(MIDGAME_NODES * scale))


def solve(own: int, theirs: int, nodes: int) -> Found | None:
    """The exact best move and value; None if that takes more nodes.

    A mid-game search with a small part of the nodes says what to try first.
    """
    first = deepen(own, theirs, min(nodes // GLANCE, GLANCE_NODES))
    order = [square for square, _ in first.moves]
    guess = round(first.moves[0][1] or 0)
    counter = np.array([0, nodes])
    empties = 64 - (own | theirs).bit_count()
    bits = min(23, max(12, empties + 1))  # up to 200 MB where there is much to remember
    table, hints = positions.new_table(bits), positions.new_table(HINT_BITS)
    tables, rows = evaluation.load(), positions.new_rows()

    def value_of(mine: int, yours: int, alpha: int, beta: int) -> int | None:
        value = endgame.solve(U(mine), U(yours), alpha, beta, table, hints, tables, rows, counter)
        return None if abs(value) == endgame.INVALID else int(value)

    centre = guess - guess % 2
    ranking = _window(own, theirs, order, value_of, centre, 3, endgame.LOST)
    if ranking is None:
        return None
    moves = tuple((square, None if v is None else float(v)) for square, v in ranking)
    return Found(moves, empties, True, int(counter[0]) + first.nodes)


def deepen(own: int, theirs: int, nodes: int) -> Found:
    """Mid-game search, ply by ply, until the nodes are used up or the end is reached."""
    counter = np.array([0, nodes])
    table, tables, rows = positions.new_table(TABLE_BITS), evaluation.load(), positions.new_rows()
    order = list(squares(legal_moves(own, theirs)))
    best: Ranking = [(square, None) for square in order]
    reached, value = 0, 0
    for depth in range(1, 65 - (own | theirs).bit_count()):

        def value_of(
            mine: int, yours: int, alpha: int, beta: int, plies: int = depth - 1
        ) -> int | None:
            found = midgame.search(
                U(mine), U(yours), plies, alpha, beta, table, tables, rows, counter
            )
            return None if abs(found) == midgame.STOPPED else int(found)

        ranking = _window(own, theirs, order, value_of, value, WIDTH, midgame.WORST)
        if ranking is None:
            break
        best, reached, value = ranking, depth, ranking[0][1] or 0
        order = [square for square, _ in ranking]
    moves = tuple((s, None if v is None else v / evaluation.UNIT) for s, v in best)
    return Found(moves, reached, False, int(counter[0]))


def _window(
    own: int,
    theirs: int,
    order: list[int],
    value_of: ValueOf,
    centre: int,
    width: int,
    limit: int,
) -> Ranking | None:
    """Rank the moves within a window around the expected value, widened where it proves wrong."""
    alpha, beta = max(centre - width, -limit), min(centre + width, limit)
    while True:
        ranking = _rank(own, theirs, order, value_of, alpha, beta)
        if ranking is None:
            return None
        value = ranking[0][1] or 0
        if value <= alpha and alpha > -limit:
            alpha = max(alpha - (beta - alpha) * 2, -limit)
        elif value >= beta and beta < limit:
            beta = min(beta + (beta - alpha) * 2, limit)
        else:
            return ranking
        order = [square for square, _ in ranking]


def _rank(
    own: int, theirs: int, order: list[int], value_of: ValueOf, alpha: int, beta: int
) -> Ranking | None:
    """Principal variation search at the root: moves in `order`, those that beat the best first."""
    ranking: Ranking = []
    floor = alpha
    for square in order:
        flips = flipped(own, theirs, square)
        mine, yours = theirs & ~flips, own | flips | 1 << square
        ceiling = beta if not ranking else floor + 1
        value = value_of(mine, yours, -ceiling, -floor)
        if value is not None and ranking and floor < -value < beta:
            value = value_of(mine, yours, -beta, value)
        if value is None:
            return None
        if not ranking or -value > floor:
            ranking.insert(0, (square, -value))
            floor = max(floor, -value)
        else:
            ranking.append((square, None))
        if floor >= beta:
            rest = order[len(ranking) :]
            return ranking + [(later, None) for later in rest]
    return ranking
