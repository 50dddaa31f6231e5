"""The search with gravity: over orders. Runs as plain Python and compiled alike.

A removal moves tiles, so orders matter and nothing is safe to take at once. Beams clear easy
boards soonest, and prove boards lost; games that learn clear the hard ones. They take turns: after
each beam games for some nodes more, then a wider beam.
"""

from __future__ import annotations

from ar_assist.games.link.beams import BRANCHES, sweep
from ar_assist.games.link.lanes import ints
from ar_assist.games.link.playouts import learn, open_line
from ar_assist.games.link.positions import NODES, open_field
from ar_assist.games.link.puzzle import CLEARS, UNKNOWN, Ints, Puzzle

FIRST_WIDTH = 4  # positions of the first beam
GROWTH = 3  # the next one is wider by one in so many
WIDEST = 8192  # positions, for the memory that they take: some 60 MB


def search(puzzle: Puzzle, nodes: int, seed: int) -> tuple[int, Ints, int]:
    """Verdict, the best order found (cells, two by two) and the nodes that it took."""
    field = open_field(puzzle, nodes, seed)
    plies = len(puzzle.cell) // 2
    best, likings = ints(0), ints(len(puzzle.pair_a))
    width = FIRST_WIDTH
    while True:
        before = field.notes[NODES]
        verdict, order = sweep(puzzle, field, width, likings)
        if len(order) > len(best):
            best = order
        cost, left = before - field.notes[NODES], field.notes[NODES]
        if verdict == UNKNOWN:
            likings = ints(len(puzzle.pair_a))
            line = learn(puzzle, field, min(cost, left), likings)
            left = field.notes[NODES]
            if 2 * line.length[0] > len(best):
                best = line.order[: 2 * line.length[0]]
            if line.length[0] == plies:
                verdict = CLEARS
        if verdict != UNKNOWN or left <= plies * BRANCHES:
            return verdict, best, nodes - left
        wider = width + (width + GROWTH - 1) // GROWTH
        width = max(1, min(WIDEST, wider, width * (left // 2) // cost))
