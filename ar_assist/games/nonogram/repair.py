"""Doubtful clues settled by the rules: rows and columns fill the same cells, and can be filled.

A search over the lines' guesses. Lines narrow each other's guesses: cells in which all guesses of
a line agree rule out guesses of the lines across, and a guess is out as well once the reading would
cost more than is allowed. A reading counts as settled when it is not proved to have no solution,
and all others that are nearly as likely are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ar_assist.games.nonogram.board import Cells, Clue, NonogramBoard
from ar_assist.games.nonogram.clues import Guess
from ar_assist.games.nonogram.grid import Grid, bits_of
from ar_assist.games.nonogram.lines import Line, solve_line
from ar_assist.games.nonogram.solver import solve

MARGIN = 3.0  # nats: a reading is settled if what is 20 times less likely is no puzzle
MAX_COST = 4.5  # nats: what goes further against the digits is 90 times less likely than they are;
# more often than that a grid lies askew or a clue was not seen (right readings came to 4.2)
MAX_STEPS = 300  # guesses taken for granted, 2 ms each or more: readings that agree take a few
SOLVED_LINES = 2_000  # work of the solver on one reading: most that are wrong contradict soon


@dataclass(frozen=True)
class Settled:
    """The clues (None: in doubt), and what solving makes of them where all are known."""

    row_clues: tuple[Clue | None, ...]
    col_clues: tuple[Clue | None, ...]
    cells: Cells | None  # None: the clues are in doubt or contradict each other
    cost: float  # nats: what the repair had to go against the digits

    @property
    def clues(self) -> tuple[Clue | None, ...]:
        """Of the rows, then of the columns."""
        return *self.row_clues, *self.col_clues


def settle(rows: Sequence[Sequence[Guess]], cols: Sequence[Sequence[Guess]]) -> Settled:
    """The likeliest clues that can be a puzzle; lines whose clue stays open are None."""
    found = _likeliest(rows, cols) if all(rows) and all(cols) else []
    if not found:
        return _unsettled([*rows, *cols], len(rows))
    best = found[0]
    agreed: list[Clue | None] = [
        clue if all(other.clues[i] == clue for other in found) else None
        for i, clue in enumerate(best.clues)
    ]
    certain = best.cells if None not in agreed else None
    return Settled(tuple(agreed[: len(rows)]), tuple(agreed[len(rows) :]), certain, best.cost)


def _likeliest(rows: Sequence[Sequence[Guess]], cols: Sequence[Sequence[Guess]]) -> list[_Reading]:
    """The rivals of the best reading and it, best first; none if that takes too long."""
    limit = MARGIN  # a low one prunes more, so it is raised by and by
    steps = MAX_STEPS
    while True:
        found, steps = _search(rows, cols, limit, steps)
        least = found[0].cost if found else limit
        if not steps or least > MAX_COST:
            return []
        if found and _rivals(least) <= limit:
            return found
        limit = _rivals(least) if found else MARGIN + limit


def _rivals(cost: float) -> float:
    """What rivals of the best reading cost at most: the more that goes against the digits, the
    less all of them tell, for a font or a blur that makes one 5 look like a 6 does so to others.
    """
    return 2 * cost + MARGIN


def _unsettled(lines: Sequence[Sequence[Guess]], rows: int) -> Settled:
    """The clues that the digits alone leave no doubt about."""
    clues = [line[0].clue if line and line[0].clue and _is_sure(line) else None for line in lines]
    return Settled(tuple(clues[:rows]), tuple(clues[rows:]), None, 0.0)


def _is_sure(line: Sequence[Guess]) -> bool:
    """Whether the first guess has no rival and goes little against its digits."""
    best = line[0].cost
    return best <= MAX_COST and all(guess.cost > _rivals(best) for guess in line[1:2])


@dataclass(frozen=True)
class _Reading:
    """A guess for every line, rows first, that is not proved to have no solution."""

    cost: float  # nats
    clues: list[Clue]
    cells: Cells  # as far as the solver knows them


def _search(
    rows: Sequence[Sequence[Guess]], cols: Sequence[Sequence[Guess]], limit: float, steps: int
) -> tuple[list[_Reading], int]:
    """The readings of at most this cost that may be puzzles, but for those that are no rivals of
    the best; best first. And how many of the steps are left; 0: there may be other readings.
    """
    found: list[_Reading] = []
    start = _Guesses([list(line) for line in (*rows, *cols)], len(rows))
    stack = [(start, list(range(len(start.lines))))]
    while stack and steps:
        here, touched = stack.pop()
        if here.cost() > limit:
            continue
        steps -= 1
        if not here.narrow(touched, limit) or here.balanced_cost() > limit:
            continue
        line = here.least_open()
        if line is not None:
            # The cheapest guess last: it is looked at first and lowers the limit for the others.
            stack += [(here.with_only(line, guess), [line]) for guess in here.lines[line][::-1]]
            continue
        cells = here.solved()
        if cells is not None:
            found.append(_Reading(here.cost(), [guess[0].clue for guess in here.lines], cells))
            limit = min(limit, _rivals(found[-1].cost))
    found = [reading for reading in found if reading.cost <= limit]
    return sorted(found, key=lambda reading: reading.cost), steps


class _Guesses:
    """What is left of every line's guesses, and the cells that follow."""

    def __init__(self, lines: list[list[Guess]], rows: int) -> None:
        self.lines = lines  # rows, then columns; cheapest first
        self._rows = rows
        self._cells: list[Line] = [(0, 0)] * len(lines)

    def with_only(self, line: int, guess: Guess) -> _Guesses:
        """A copy in which one line has one guess."""
        other = _Guesses(list(self.lines), self._rows)
        other._cells = list(self._cells)
        other.lines[line] = [guess]
        return other

    def cost(self) -> float:
        """The least that a reading costs."""
        return sum(guesses[0].cost for guesses in self.lines)

    def balanced_cost(self) -> float:
        """The least that a reading costs in which rows and columns fill equally many cells."""
        excess = [
            [sum(guess.clue) * (1 if i < self._rows else -1) for guess in guesses]
            for i, guesses in enumerate(self.lines)
        ]
        # Changes of the excess are reached line by line; entry `middle` is no change.
        middle = sum(max(abs(e - each[0]) for e in each) for each in excess)
        costs = np.full(2 * middle + 1, np.inf)
        costs[middle] = self.cost()
        for guesses, each in zip(self.lines, excess, strict=True):
            if len(guesses) == 1:
                continue
            longer = costs.copy()
            for guess, e in zip(guesses[1:], each[1:], strict=True):
                change, price = e - each[0], guess.cost - guesses[0].cost
                to, source = max(change, 0), max(-change, 0)
                part = longer[to : len(costs) - source]
                np.minimum(part, costs[source : len(costs) - to] + price, out=part)
            costs = longer
        wanted = middle - sum(each[0] for each in excess)
        return float(costs[wanted]) if 0 <= wanted < len(costs) else float("inf")

    def least_open(self) -> int | None:
        """The line with the fewest guesses, but more than one; None if there is none."""
        doubtful = [i for i, guesses in enumerate(self.lines) if len(guesses) > 1]
        return min(doubtful, key=lambda i: len(self.lines[i]), default=None)

    def narrow(self, touched: Iterable[int], limit: float) -> bool:
        """Let lines rule out each other's guesses, those touched first; False: nothing is left."""
        queue = dict.fromkeys(touched)
        slack = limit - self.cost()
        while queue and slack >= 0:
            line = next(iter(queue))
            del queue[line]
            before = self.lines[line][0].cost
            agreed = _agreed(self.lines[line], self._length(line), self._cells[line])
            if agreed is None:
                return False
            self.lines[line], cells = agreed
            queue.update(dict.fromkeys(self._enter(line, cells)))
            slack -= self.lines[line][0].cost - before
            queue.update(dict.fromkeys(self._drop(slack)))
        return slack >= 0

    def _length(self, line: int) -> int:
        return len(self.lines) - self._rows if line < self._rows else self._rows

    def _enter(self, line: int, cells: Line) -> list[int]:
        """Write a line and its cells across; the lines that this touches."""
        before, self._cells[line] = self._cells[line], cells
        first, bit = (self._rows, line) if line < self._rows else (0, line - self._rows)
        filled, crossed = cells[0] & ~before[0], cells[1] & ~before[1]
        for j in bits_of(filled):
            across = self._cells[first + j]
            self._cells[first + j] = across[0] | 1 << bit, across[1]
        for j in bits_of(crossed):
            across = self._cells[first + j]
            self._cells[first + j] = across[0], across[1] | 1 << bit
        return [first + j for j in bits_of(filled | crossed)]

    def _drop(self, slack: float) -> list[int]:
        """Drop guesses that cost too much more than their line's best; the lines they were of."""
        dropped = []
        for i, guesses in enumerate(self.lines):
            if guesses[-1].cost - guesses[0].cost > slack:
                self.lines[i] = [g for g in guesses if g.cost - guesses[0].cost <= slack]
                dropped.append(i)
        return dropped

    def solved(self) -> Cells | None:
        """The cells that the first guesses tell with little work; None: they have no solution."""
        clues = tuple(guesses[0].clue for guesses in self.lines)
        rows, cols = clues[: self._rows], clues[self._rows :]
        known = Grid(self._cells[: self._rows], self._cells[self._rows :]).cells()
        outcome = solve(NonogramBoard(rows, cols, known), lines=SOLVED_LINES)
        return None if outcome.verdict == "none" else outcome.known


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
