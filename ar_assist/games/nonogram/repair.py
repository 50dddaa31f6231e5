"""Doubtful clues settled by the rules: rows and columns fill the same cells, and can be filled.

Guesses are tried from the likeliest on. A reading counts as settled when it has a solution by
the rules and no other reading that is nearly as likely has one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ar_assist.games.nonogram.board import Cells, Clue
from ar_assist.games.nonogram.clues import Guess
from ar_assist.games.nonogram.grid import Grid, Propagator

MARGIN = 3.0  # nats: a reading is settled if its rivals are 20 times less likely
MAX_CHANGES = 4  # lines that may be read otherwise than best
MAX_COMBINATIONS = 40_000  # looked at; most fail at the sums
MAX_TRIALS = 80  # readings given to the line solver


@dataclass(frozen=True)
class Settled:
    """The clues (None: in doubt), and what line solving makes of them where all are known."""

    row_clues: tuple[Clue | None, ...]
    col_clues: tuple[Clue | None, ...]
    cells: Cells | None  # None: the clues are in doubt or contradict each other
    cost: float  # nats: what the repair had to go against the digits


def settle(rows: Sequence[Sequence[Guess]], cols: Sequence[Sequence[Guess]]) -> Settled:
    """The likeliest clues that can be a puzzle; lines whose clue stays open are None."""
    lines = [*rows, *cols]
    found: list[tuple[float, list[Clue], Cells]] = []
    trials = 0
    if all(lines):
        for cost, picks in _combinations(lines, len(rows)):
            if trials == MAX_TRIALS or (found and cost > found[0][0] + MARGIN):
                break
            trials += 1
            clues = [line[pick].clue for line, pick in zip(lines, picks, strict=True)]
            cells = _solve(clues[: len(rows)], clues[len(rows) :])
            if cells is not None:
                found.append((cost, clues, cells))
    if not found:
        return _unsettled(lines, len(rows))
    cost, clues, cells = found[0]
    agreed: list[Clue | None] = [
        clue if all(other[i] == clue for _, other, _ in found) else None
        for i, clue in enumerate(clues)
    ]
    certain = cells if None not in agreed else None
    return Settled(tuple(agreed[: len(rows)]), tuple(agreed[len(rows) :]), certain, cost)


def _unsettled(lines: Sequence[Sequence[Guess]], rows: int) -> Settled:
    """The clues that the digits alone leave no doubt about."""
    clues = [
        line[0].clue if line and line[0].clue and _margin(line) > MARGIN else None for line in lines
    ]
    return Settled(tuple(clues[:rows]), tuple(clues[rows:]), None, 0.0)


def _margin(line: Sequence[Guess]) -> float:
    return line[1].cost if len(line) > 1 else float("inf")


def _combinations(lines: Sequence[Sequence[Guess]], rows: int) -> Iterator[tuple[float, list[int]]]:
    """Picks of one guess a line whose sums agree, cheapest first, few lines changed."""
    excess = [
        [sum(guess.clue) * (1 if i < rows else -1) for guess in line]
        for i, line in enumerate(lines)
    ]
    balance = sum(line[0] for line in excess)
    changes = sorted(
        (guess.cost, i, pick, excess[i][pick] - excess[i][0])
        for i, line in enumerate(lines)
        for pick, guess in enumerate(line)
        if pick
    )
    queue: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(MAX_COMBINATIONS):
        if not queue:
            return
        cost, chosen = heapq.heappop(queue)
        touched = {changes[k][1]: changes[k][2] for k in chosen}  # line: pick
        balanced = balance + sum(changes[k][3] for k in chosen) == 0
        if balanced and len(touched) == len(chosen):
            yield cost, [touched.get(i, 0) for i in range(len(lines))]
        # Every set of changes once: the last one moves on, or another joins behind it.
        following = chosen[-1] + 1 if chosen else 0
        if following < len(changes):
            if len(chosen) < MAX_CHANGES:
                heapq.heappush(queue, (cost + changes[following][0], (*chosen, following)))
            if chosen:
                moved = cost - changes[chosen[-1]][0] + changes[following][0]
                heapq.heappush(queue, (moved, (*chosen[:-1], following)))


def _solve(row_clues: list[Clue], col_clues: list[Clue]) -> Cells | None:
    """What line solving makes of the clues; None if they contradict each other."""
    grid = Grid([(0, 0)] * len(row_clues), [(0, 0)] * len(col_clues))
    return grid.cells() if Propagator(row_clues, col_clues).run_all(grid) else None
