"""What to enter next: one line at a time, why it follows, and what was entered wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    Axis,
    Cells,
    Clue,
    NonogramBoard,
    clue_of,
    is_solution,
)
from ar_assist.games.nonogram.grid import Grid, bits_of
from ar_assist.games.nonogram.lines import solve_line
from ar_assist.games.nonogram.solver import certain_clues, solve
from ar_assist.types import Advice

ADVICE_LINES = 20_000  # lines solved at most to know the solution: half a second
Entry = tuple[int, int, int]  # row, column, value


@dataclass(frozen=True)
class NonogramMove:
    """Cells that follow from one line, or all that is left (axis None)."""

    axis: Axis | None
    index: int
    cells: tuple[Entry, ...]
    mistakes: tuple[tuple[int, int], ...]  # entries that are wrong already
    why: str

    def record(self) -> dict[str, Any]:
        """The log's `hint`."""
        return {
            "line": [self.axis, self.index] if self.axis else None,
            "cells": [list(entry) for entry in self.cells],
            "mistakes": [list(cell) for cell in self.mistakes],
            "why": self.why,
        }


def advise(board: NonogramBoard) -> Advice[NonogramMove]:
    """The lines that say something now, the shortest reason first; at the end the whole solution.

    Entries that contradict every solution are mistakes: they are named, and nothing is built on
    them. Nothing is said while a clue is in doubt.
    """
    try:
        row_clues, col_clues = certain_clues(board)
    except ValueError as error:
        return Advice((), "no move", str(error))
    # Crosses are the player's own affair, but where the game waits for them.
    is_open = board.wants_crosses and any(UNKNOWN in row for row in board.cells)
    if is_solution(board, board.cells) and not is_open:
        return Advice((), "solved")
    blank = board.with_cells([[UNKNOWN] * board.size[1]] * board.size[0])
    outcome = solve(blank, lines=ADVICE_LINES)
    if outcome.verdict == "none":
        return Advice((), "no move", "the clues contradict each other")
    mistakes = _mistakes(board.cells, outcome.known)
    right = _without(board.cells, mistakes)
    if outcome.verdict != "one":  # what is entered may leave one solution, or none
        outcome = solve(board.with_cells(right), lines=ADVICE_LINES)
        if outcome.verdict == "none":
            return Advice((), "no move", "what is entered contradicts the clues")
    moves = _line_moves(Grid.of(right), row_clues, col_clues, mistakes)
    rest = _differing(outcome.known, right)
    if not moves and rest:
        moves = [NonogramMove(None, 0, rest[:1], mistakes, "no line alone says more: by trial")]
    if rest:
        moves.append(NonogramMove(None, 0, rest, mistakes, "all that is certain"))
    if not moves and mistakes:
        moves = [NonogramMove(None, 0, (), mistakes, "wrong entries")]
    if moves:
        return Advice(tuple(moves), "ready")
    reason = "several solutions" if outcome.verdict == "many" else "too hard to see further"
    return Advice((), "no move", reason)


def _mistakes(cells: Cells, known: Cells) -> tuple[tuple[int, int], ...]:
    return tuple(
        (i, j)
        for i, (row, certain) in enumerate(zip(cells, known, strict=True))
        for j, (value, truth) in enumerate(zip(row, certain, strict=True))
        if value * truth < 0
    )


def _without(cells: Cells, mistakes: tuple[tuple[int, int], ...]) -> Cells:
    wrong = set(mistakes)
    return tuple(
        tuple(UNKNOWN if (i, j) in wrong else value for j, value in enumerate(row))
        for i, row in enumerate(cells)
    )


def _differing(known: Cells, cells: Cells) -> tuple[Entry, ...]:
    """Certain cells that are not entered yet."""
    return tuple(
        (i, j, truth)
        for i, (row, certain) in enumerate(zip(cells, known, strict=True))
        for j, (value, truth) in enumerate(zip(row, certain, strict=True))
        if truth and not value
    )


def _line_moves(
    grid: Grid,
    row_clues: list[Clue],
    col_clues: list[Clue],
    mistakes: tuple[tuple[int, int], ...],
) -> list[NonogramMove]:
    """A move for every line that says more than is entered, most telling first."""
    moves = []
    axes: tuple[tuple[Axis, list[Clue], list[tuple[int, int]]], ...] = (
        ("row", row_clues, grid.rows),
        ("column", col_clues, grid.cols),
    )
    for axis, clues, lines in axes:
        length = len(grid.cols) if axis == "row" else len(grid.rows)
        for index, (clue, (filled, crossed)) in enumerate(zip(clues, lines, strict=True)):
            solved = solve_line(clue, length, filled, crossed)
            assert solved is not None, "the entries have been found to fit the clues"
            new = [(j, FILLED) for j in bits_of(solved[0] & ~filled)]
            new += [(j, CROSSED) for j in bits_of(solved[1] & ~crossed)]
            if new:
                cells = [(index, j, v) if axis == "row" else (j, index, v) for j, v in new]
                why = _why(axis, index, clue, length, (filled, crossed), solved)
                moves.append(NonogramMove(axis, index, tuple(sorted(cells)), mistakes, why))
    return sorted(moves, key=lambda move: (_fills(move) == 0, -len(move.cells)))


def _fills(move: NonogramMove) -> int:
    return sum(value == FILLED for _, _, value in move.cells)


def _why(
    axis: Axis,
    index: int,
    clue: Clue,
    length: int,
    line: tuple[int, int],
    solved: tuple[int, int],
) -> str:
    """The reason in a few words."""
    name = f"{axis} {index + 1} ({' '.join(map(str, clue)) or '0'})"
    if line[0] == solved[0]:
        runs = clue_of([FILLED if line[0] >> j & 1 else CROSSED for j in range(length)])
        if runs == clue:
            return f"{name}: all blocks are there, the rest is empty"
        return f"{name}: no block can reach these cells"
    if (solved[0] | solved[1]) == (1 << length) - 1:
        return f"{name}: the blocks fit in one way only"
    if not line[0] | line[1]:
        return f"{name}: these cells are filled however the blocks lie"
    return f"{name}: every way to fit the blocks agrees here"
