"""The search with gravity: over orders. Runs as plain Python and compiled alike.

A removal moves tiles, so orders matter and nothing is safe to take at once. A wide beam comes
first, which may prove the board lost; then rounds, each of a few games that learn and a narrow beam
led by what they learned; then a wider beam. Each round learns from nothing: many short rounds clear
more boards than a long one, which settles on one line.
"""

from __future__ import annotations

from ar_assist.games.link.beams import BRANCHES, sweep
from ar_assist.games.link.lanes import ints
from ar_assist.games.link.playouts import learn
from ar_assist.games.link.positions import NODES, Field, open_field
from ar_assist.games.link.puzzle import CLEARS, UNKNOWN, Ints, Puzzle

FIRST_WIDTH = 4  # positions of the first wide beam
GROWTH = 4  # how much wider the next one is
WIDEST = 8192  # positions, for the memory that they take: some 60 MB
ROUNDS = 8  # after a wide beam; games and beam of a round take such a part of its nodes each
SHARE = 3  # so wide beams take one node in so many


def search(puzzle: Puzzle, nodes: int, seed: int) -> tuple[int, Ints, int]:
    """Verdict, the best order found (cells, two by two) and the nodes that it took."""
    field = open_field(puzzle, nodes, seed)
    least = len(puzzle.cell) // 2 * BRANCHES  # nodes: fewer end no beam
    best, likings = ints(0), ints(len(puzzle.pair_a))
    width = FIRST_WIDTH
    while True:
        before = field.notes[NODES]
        verdict, order = sweep(puzzle, field, width, likings)
        if len(order) > len(best):
            best = order
        cost = before - field.notes[NODES]
        for _ in range(ROUNDS):
            if verdict == UNKNOWN and field.notes[NODES] > least:
                likings = ints(len(puzzle.pair_a))
                verdict, order = go_round(puzzle, field, cost // ROUNDS, width // ROUNDS, likings)
                if len(order) > len(best):
                    best = order
        left = field.notes[NODES]
        if verdict != UNKNOWN or left <= least:
            return verdict, best, nodes - left
        width = max(1, min(WIDEST, GROWTH * width, width * (left // SHARE) // cost))


def go_round(
    puzzle: Puzzle, field: Field, nodes: int, width: int, likings: Ints
) -> tuple[int, Ints]:
    """Games for so many nodes, then a beam that they lead; its verdict and the longest order."""
    line = learn(puzzle, field, nodes, likings)
    played = line.order[: 2 * line.length[0]]
    if len(played) == len(puzzle.cell):
        return CLEARS, played
    verdict, order = sweep(puzzle, field, max(1, width), likings)
    return verdict, order if len(order) > len(played) else played
