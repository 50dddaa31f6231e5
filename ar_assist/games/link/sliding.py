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
GROWTH = 4  # how much wider the next one is: the last beam gets most of the nodes
WIDEST = 8192  # positions, for the memory that they take: some 60 MB
GAMES = 1  # nodes that games get for each node of the beam before


def search(puzzle: Puzzle, nodes: int, seed: int) -> tuple[int, Ints, int]:
    """Verdict, the best order found (cells, two by two) and the nodes that it took."""
    field = open_field(puzzle, nodes, seed)
    plies = len(puzzle.cell) // 2
    best, line = ints(0), open_line(puzzle)
    width = FIRST_WIDTH
    while True:
        before = field.notes[NODES]
        verdict, order = sweep(puzzle, field, width)
        if len(order) > len(best):
            best = order
        cost, left = before - field.notes[NODES], field.notes[NODES]
        if verdict == UNKNOWN:
            learn(puzzle, field, min(GAMES * cost, left), line)
            left = field.notes[NODES]
            if 2 * line.length[0] > len(best):
                best = line.order[: 2 * line.length[0]]
            if line.length[0] == plies:
                verdict = CLEARS
        if verdict != UNKNOWN or left <= plies * BRANCHES:
            return verdict, best, nodes - left
        share = left // (1 + GAMES)
        width = max(1, min(WIDEST, GROWTH * width, width * share // cost))
