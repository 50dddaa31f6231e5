"""The rules of nonograms: clues, cells, notation. Pure Python.

Notation, on one line: row clues, column clues and cells, as in `2 1,1 0 : 1 1 ? : ##./x.x/...`.
A clue's numbers are joined by commas, 0 is a line without blocks, ? a clue in doubt; cells are
`#` filled, `x` crossed (known to be empty), `.` unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

Clue = tuple[int, ...]  # lengths of the blocks, first to last; () is a line without blocks
Cells = tuple[tuple[int, ...], ...]
Axis = Literal["row", "column"]

FILLED, UNKNOWN, CROSSED = 1, 0, -1
DOUBTFUL = 0.3  # certainty below which an entry is neither built on nor called a mistake
MAX_SIDE = 500  # cells: beyond it a printed puzzle has no use and a search no end
_SIGNS = {FILLED: "#", UNKNOWN: ".", CROSSED: "x"}
_VALUES = {sign: value for value, sign in _SIGNS.items()}


@dataclass(frozen=True)
class NonogramBoard:
    """Clues (None: in doubt) and what the player has entered so far."""

    row_clues: tuple[Clue | None, ...]
    col_clues: tuple[Clue | None, ...]
    cells: Cells  # rows of FILLED, UNKNOWN, CROSSED
    # Whether the game ends only when the empty cells are crossed too: no part of the puzzle.
    wants_crosses: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        rows, cols = self.size
        check_size(rows, cols)
        if len(self.cells) != rows or any(len(row) != cols for row in self.cells):
            raise ValueError(f"{rows} row clues and {cols} column clues do not fit the cells given")

    @property
    def size(self) -> tuple[int, int]:
        """Rows, columns."""
        return len(self.row_clues), len(self.col_clues)

    def __str__(self) -> str:
        grid = "/".join("".join(_SIGNS[value] for value in row) for row in self.cells)
        return f"{_clues_text(self.row_clues)} : {_clues_text(self.col_clues)} : {grid}"

    def with_cells(self, cells: Sequence[Sequence[int]]) -> NonogramBoard:
        """The same puzzle with other entries."""
        return replace(self, cells=tuple(map(tuple, cells)))

    def record(self) -> dict[str, Any]:
        """The log's `board` without geometry."""
        rows, cols = self.size
        return {
            "rows": rows,
            "cols": cols,
            "row_clues": [None if clue is None else list(clue) for clue in self.row_clues],
            "col_clues": [None if clue is None else list(clue) for clue in self.col_clues],
            "cells": [list(row) for row in self.cells],
        }

    def lines(self) -> Iterator[tuple[Axis, int, Clue | None, tuple[int, ...]]]:
        """Every line: axis, index, clue and cells."""
        for index, (clue, row) in enumerate(zip(self.row_clues, self.cells, strict=True)):
            yield "row", index, clue, row
        for index, clue in enumerate(self.col_clues):
            yield "column", index, clue, tuple(row[index] for row in self.cells)


def puzzle(rows: Sequence[Sequence[int]], cols: Sequence[Sequence[int]]) -> NonogramBoard:
    """An empty board with these clues; ValueError says which clue cannot be."""
    check_size(len(rows), len(cols))
    blank = ((UNKNOWN,) * len(cols),) * len(rows)
    board = NonogramBoard(tuple(map(tuple, rows)), tuple(map(tuple, cols)), blank)
    check_clues(board)
    return board


def check_size(rows: int, cols: int) -> None:
    """ValueError if no puzzle can have this size."""
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
        raise ValueError(f"a nonogram has 1 to {MAX_SIDE} rows and columns, not {rows}x{cols}")


def check_clues(board: NonogramBoard) -> None:
    """ValueError if a clue does not fit its line, or the two sums differ; doubtful ones may be."""
    for axis, index, clue, line in board.lines():
        if clue is None:
            continue
        if any(block < 1 for block in clue):
            raise ValueError(f"{axis} {index + 1}: a block has at least one cell: {list(clue)}")
        if room(clue) > len(line):
            raise ValueError(
                f"{axis} {index + 1}: {list(clue)} needs {room(clue)} of {len(line)} cells"
            )
    if None not in board.row_clues and None not in board.col_clues:
        by_row, by_col = (sum(map(sum, known(c))) for c in (board.row_clues, board.col_clues))
        if by_row != by_col:
            raise ValueError(f"the row clues fill {by_row} cells, the column clues {by_col}")


def known(clues: Sequence[Clue | None]) -> list[Clue]:
    """The clues that are not in doubt."""
    return [clue for clue in clues if clue is not None]


def room(clue: Clue) -> int:
    """The least cells that hold the blocks with a gap between them."""
    return sum(clue) + max(len(clue) - 1, 0)


def clue_of(line: Sequence[int]) -> Clue:
    """The clue of a line whose cells are all known: its runs of filled cells."""
    return tuple(len(list(run)) for value, run in groupby(line) if value == FILLED)


def puzzle_of(cells: Sequence[Sequence[int]]) -> NonogramBoard:
    """The empty puzzle whose clues describe these filled and other cells."""
    return puzzle(
        [clue_of(row) for row in cells], [clue_of(col) for col in zip(*cells, strict=True)]
    )


def is_solution(board: NonogramBoard, cells: Sequence[Sequence[int]]) -> bool:
    """Whether the filled cells satisfy every clue."""
    rows = [clue_of(row) for row in cells]
    cols = [clue_of(col) for col in zip(*cells, strict=True)]
    return rows == list(board.row_clues) and cols == list(board.col_clues)


def parse(notation: str) -> NonogramBoard:
    """The inverse of str(board); ValueError says what is wrong."""
    parts = [part.strip() for part in notation.split(":")]
    if len(parts) != 3:
        raise ValueError(f"a nonogram is 'row clues : column clues : cells', not {notation!r}")
    rows, cols = (tuple(map(_parse_clue, part.split())) for part in parts[:2])
    try:
        cells = tuple(tuple(_VALUES[sign] for sign in row) for row in parts[2].split("/"))
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is no cell: use '#', 'x' or '.'") from None
    board = NonogramBoard(rows, cols, cells)
    check_clues(board)
    return board


def _parse_clue(text: str) -> Clue | None:
    if text == "?":
        return None
    if text == "0":
        return ()
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is no clue: use numbers joined by commas, 0 or ?") from None


def _clues_text(clues: Sequence[Clue | None]) -> str:
    return " ".join(
        "?" if clue is None else ",".join(map(str, clue)) if clue else "0" for clue in clues
    )
