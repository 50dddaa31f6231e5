"""Solving nonograms: line solving, probing, then a SAT solver or plain search.

Work is counted in lines solved, so that a result repeats; only the SAT solver's child process is
ended by a clock, and only where the caller asked for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from ar_assist.games.nonogram import sat
from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    Cells,
    Clue,
    NonogramBoard,
    check_clues,
    is_solution,
)
from ar_assist.games.nonogram.grid import Grid, Propagator

PROBE_LINES = 500  # lines solved in probing before the SAT solver, which more makes no faster
MANY_OPEN = 5_000  # cells: of fewer the SAT solver decides nearly every board in seconds
SEARCH_LINES = 1_000_000  # lines solved in a plain search: half a minute or so
HAS_NUMBA = find_spec("numba") is not None
Verdict = Literal["none", "one", "many", "open"]


@dataclass(frozen=True)
class Outcome:
    """What a solver found out of a puzzle."""

    solutions: tuple[Cells, ...]  # each checked against every clue
    complete: bool  # there are no others
    known: Cells  # the cells that are alike in every solution, as far as it is known

    @property
    def verdict(self) -> Verdict:
        """How many solutions there are; "open" where the work ran out before it was known."""
        if len(self.solutions) > 1:
            return "many"
        if not self.complete:
            return "open"
        return "one" if self.solutions else "none"


def solve(
    board: NonogramBoard,
    wanted: int = 2,
    lines: int = SEARCH_LINES,
    seconds: float | None = None,
) -> Outcome:
    """Up to `wanted` solutions that keep the board's entries.

    `lines`: work of the plain search; `seconds`: time for the SAT solver, None: plain search only.
    ValueError if a clue is in doubt or can't be.
    """
    row_clues, col_clues = certain_clues(board)
    lines_of = Propagator(row_clues, col_clues)
    grid = Grid.of(board.cells)
    if not lines_of.run_all(grid):
        return Outcome((), True, board.cells)
    with_sat = seconds is not None and sat.available()
    search = _Search(lines_of, lines_of.solved + PROBE_LINES if with_sat else lines)
    if not search.probe(grid):
        return Outcome((), True, board.cells)
    if not grid.open_cells():
        return _checked(board, [grid.cells()], True, grid)
    if with_sat and seconds is not None:
        found, complete = _by_sat(lines_of, grid, wanted, seconds)
        return _checked(board, found, complete, grid)
    found = []
    for cells in search.solutions(grid):
        found.append(cells)
        if len(found) == wanted:
            return _checked(board, found, False, grid)
    return _checked(board, found, not search.exhausted, grid)


def _by_sat(
    lines_of: Propagator, grid: Grid, wanted: int, seconds: float
) -> tuple[list[Cells], bool]:
    """What SAT solvers find: on large boards one with guesses has half of the time, at most."""
    end, guessed = time.monotonic() + seconds, None
    if len(grid.open_cells()) >= MANY_OPEN and HAS_NUMBA:
        from ar_assist.games.nonogram import guess

        guessed = guess.solutions(grid, lines_of, wanted, seconds / 2)
        if guessed[1] or len(guessed[0]) == wanted:
            return guessed
    left = max(0.0, end - time.monotonic())
    found = sat.solutions(lines_of.row_clues, lines_of.col_clues, grid, wanted, left)
    return max(found, guessed or found, key=lambda each: (each[1], len(each[0])))


def certain_clues(board: NonogramBoard) -> tuple[list[Clue], list[Clue]]:
    """Row and column clues; ValueError if one is in doubt or can't be."""
    for axis, index, clue, _ in board.lines():
        if clue is None:
            raise ValueError(f"the clue of {axis} {index + 1} is in doubt")
    check_clues(board)
    return [c for c in board.row_clues if c is not None], [
        c for c in board.col_clues if c is not None
    ]


def _checked(board: NonogramBoard, found: Sequence[Cells], complete: bool, grid: Grid) -> Outcome:
    for cells in found:
        if not is_solution(board, cells):
            raise AssertionError(f"the solver made a wrong solution of {board}")
    known = found[0] if len(found) == 1 and complete else grid.cells()
    return Outcome(tuple(found), complete, known)


class _Search:
    """Probing and depth-first search within a budget of solved lines."""

    def __init__(self, lines_of: Propagator, lines: int) -> None:
        self._lines_of = lines_of
        self._limit = lines_of.solved + lines
        self.exhausted = False  # the budget ended before the search did

    def solutions(self, grid: Grid) -> Iterator[Cells]:
        """Every solution below a grid, until the budget ends."""
        stack = [grid]
        while stack:
            here = stack.pop()
            if not self.probe(here):
                continue
            open_cells = here.open_cells()
            if not open_cells:
                yield here.cells()
                continue
            if self._spent():
                self.exhausted = True
                return
            i, j = self._branch or open_cells[0]
            for value in (CROSSED, FILLED):
                child = self._tried(here, i, j, value)
                if child is not None:
                    stack.append(child)

    def probe(self, grid: Grid) -> bool:
        """Try both values of open cells until nothing follows any more; False: a contradiction."""
        changed = True
        while changed:
            changed = False
            self._branch: tuple[int, int] | None = None
            best = -1
            for i, j in self._by_promise(grid):
                if self._spent():
                    return True
                if grid.value(i, j):
                    continue
                either = [self._tried(grid, i, j, value) for value in (FILLED, CROSSED)]
                children = [child for child in either if child is not None]
                if not children:
                    return False
                if len(children) == 1:
                    grid.rows, grid.cols = children[0].rows, children[0].cols
                    changed = True
                    continue
                if self._agree(grid, *children):
                    changed = True
                    if not self._lines_of.run_all(grid):
                        return False
                    continue
                gain = min(child.count() for child in children)
                if gain > best:
                    best, self._branch = gain, (i, j)
        return True

    def _spent(self) -> bool:
        return self._lines_of.solved >= self._limit

    def _tried(self, grid: Grid, i: int, j: int, value: int) -> Grid | None:
        """The grid with a cell entered and all that follows by lines; None: a contradiction."""
        child = grid.copy()
        child.set(i, j, value)
        return child if self._lines_of.run(child, [i], [j]) else None

    def _agree(self, grid: Grid, one: Grid, other: Grid) -> bool:
        """Enter what is alike in both cases; whether there was anything."""
        before = grid.count()
        grid.rows = [(a[0] & b[0], a[1] & b[1]) for a, b in zip(one.rows, other.rows, strict=True)]
        grid.cols = [(a[0] & b[0], a[1] & b[1]) for a, b in zip(one.cols, other.cols, strict=True)]
        return grid.count() > before

    def _by_promise(self, grid: Grid) -> list[tuple[int, int]]:
        """Open cells, those in the most nearly finished lines first."""
        rows = [(filled | crossed).bit_count() for filled, crossed in grid.rows]
        cols = [(filled | crossed).bit_count() for filled, crossed in grid.cols]
        return sorted(grid.open_cells(), key=lambda cell: -rows[cell[0]] - cols[cell[1]])
