"""Doubtful clues settled by the rules: rows and columns fill the same cells, and can be filled.

First the lines narrow each other's guesses: cells in which all guesses of a line agree rule out
guesses of the lines across, until nothing changes. What is left is tried from the likeliest on. A
reading counts as settled when it has a solution by the rules and no other reading that is nearly
as likely has one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ar_assist.games.nonogram.board import Cells, Clue
from ar_assist.games.nonogram.clues import Guess
from ar_assist.games.nonogram.grid import Grid, Propagator, bits_of
from ar_assist.games.nonogram.lines import Line, solve_line

MARGIN = 3.0  # nats: a reading is settled if its rivals are 20 times less likely
OPEN = 6.0  # nats: guesses less likely than that do not keep a cell open in narrowing
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
    narrowed = narrow(rows, cols)
    if narrowed is None:
        return _unsettled([*rows, *cols], len(rows))
    lines, paid = _rebased([*narrowed[0], *narrowed[1]])
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
        return _unsettled([*rows, *cols], len(rows))
    cost, clues, cells = found[0]
    agreed: list[Clue | None] = [
        clue if all(other[i] == clue for _, other, _ in found) else None
        for i, clue in enumerate(clues)
    ]
    certain = cells if None not in agreed else None
    return Settled(tuple(agreed[: len(rows)]), tuple(agreed[len(rows) :]), certain, paid + cost)


def narrow(
    rows: Sequence[Sequence[Guess]], cols: Sequence[Sequence[Guess]]
) -> tuple[list[list[Guess]], list[list[Guess]]] | None:
    """The guesses that the lines across allow; None if a line has none left.

    A line without guesses says nothing and allows everything.
    """
    axes = (
        [[guess for guess in line if guess.cost <= OPEN] for line in rows],
        [[guess for guess in line if guess.cost <= OPEN] for line in cols],
    )
    cells: tuple[list[Line], list[Line]] = [(0, 0)] * len(rows), [(0, 0)] * len(cols)
    changed = True
    while changed:
        changed = False
        for axis in (0, 1):
            for index, guesses in enumerate(axes[axis]):
                if guesses:
                    agreed = _agreed(guesses, len(cells[1 - axis]), cells[axis][index])
                    if agreed is None:
                        return None
                    axes[axis][index], line = agreed
                    changed |= line != cells[axis][index]
                    _enter(cells, axis, index, line)
    return axes


def _agreed(guesses: list[Guess], length: int, line: Line) -> tuple[list[Guess], Line] | None:
    """The guesses that fit a line and what they agree on; None if none fits."""
    fillings = [(guess, solve_line(guess.clue, length, *line)) for guess in guesses]
    fitting = [(guess, filling) for guess, filling in fillings if filling is not None]
    if not fitting:
        return None
    filled = crossed = -1
    for _, filling in fitting:
        filled, crossed = filled & filling[0], crossed & filling[1]
    return [guess for guess, _ in fitting], (filled, crossed)


def _enter(cells: tuple[list[Line], list[Line]], axis: int, index: int, line: Line) -> None:
    """Write a line and its cells across."""
    before, across = cells[axis][index], cells[1 - axis]
    cells[axis][index] = line
    for j in bits_of(line[0] & ~before[0]):
        across[j] = across[j][0] | 1 << index, across[j][1]
    for j in bits_of(line[1] & ~before[1]):
        across[j] = across[j][0], across[j][1] | 1 << index


def _rebased(lines: list[list[Guess]]) -> tuple[list[list[Guess]], float]:
    """The guesses with the best of each line at cost 0 again, and what that took off."""
    least = [line[0].cost if line else 0.0 for line in lines]
    rebased = [
        [Guess(guess.clue, guess.cost - low) for guess in line]
        for line, low in zip(lines, least, strict=True)
    ]
    return rebased, sum(least)


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
