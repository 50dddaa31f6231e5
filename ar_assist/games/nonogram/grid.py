"""A grid in solving: rows and columns as bits, kept in step, line by line to a fixed point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ar_assist.games.nonogram.board import CROSSED, FILLED, UNKNOWN, Cells, Clue
from ar_assist.games.nonogram.lines import Line, solve_line

_MAX_CACHE = 200_000  # line states kept: some 50 MB


class Grid:
    """What is known of every cell, by rows and by columns; bit j of row i is cell (i, j)."""

    def __init__(self, rows: list[Line], cols: list[Line]) -> None:
        self.rows = rows
        self.cols = cols

    @classmethod
    def of(cls, cells: Sequence[Sequence[int]]) -> Grid:
        """The grid with these cells."""
        return cls([_bits(row) for row in cells], [_bits(col) for col in zip(*cells, strict=True)])

    def copy(self) -> Grid:
        """An independent grid with the same cells."""
        return Grid(self.rows[:], self.cols[:])

    def cells(self) -> Cells:
        """FILLED, CROSSED and UNKNOWN, row by row."""
        width = range(len(self.cols))
        return tuple(
            tuple((filled >> j & 1) * FILLED + (crossed >> j & 1) * CROSSED for j in width)
            for filled, crossed in self.rows
        )

    def value(self, row: int, col: int) -> int:
        """One cell."""
        filled, crossed = self.rows[row]
        return (filled >> col & 1) * FILLED + (crossed >> col & 1) * CROSSED

    def set(self, row: int, col: int, value: int) -> None:
        """Enter a cell that is unknown."""
        _enter(self.rows, row, 1 << col, value)
        _enter(self.cols, col, 1 << row, value)

    def open_cells(self) -> list[tuple[int, int]]:
        """The unknown cells, row by row."""
        every = (1 << len(self.cols)) - 1
        return [
            (i, j)
            for i, (filled, crossed) in enumerate(self.rows)
            for j in bits_of(every & ~filled & ~crossed)
        ]

    def count(self) -> int:
        """How many cells are known."""
        return sum((filled | crossed).bit_count() for filled, crossed in self.rows)


class Propagator:
    """Line solving over a whole grid, remembering every line state that it has solved."""

    def __init__(self, row_clues: Sequence[Clue], col_clues: Sequence[Clue]) -> None:
        self.row_clues = row_clues
        self.col_clues = col_clues
        self.solved = 0  # lines solved so far: the unit of work budgets
        self._cache: dict[tuple[Clue, int, int, int], Line | None] = {}

    def run(self, grid: Grid, rows: Iterable[int], cols: Iterable[int]) -> bool:
        """Solve these lines and all that follow from them, in place; False: a contradiction."""
        dirty_rows, dirty_cols = set(rows), set(cols)
        while dirty_rows or dirty_cols:
            if not self._pass(self.row_clues, grid.rows, grid.cols, dirty_rows, dirty_cols):
                return False
            if not self._pass(self.col_clues, grid.cols, grid.rows, dirty_cols, dirty_rows):
                return False
        return True

    def run_all(self, grid: Grid) -> bool:
        """Solve every line to a fixed point."""
        return self.run(grid, range(len(grid.rows)), range(len(grid.cols)))

    def _pass(
        self,
        clues: Sequence[Clue],
        lines: list[Line],
        across: list[Line],
        dirty: set[int],
        dirty_across: set[int],
    ) -> bool:
        """Solve the dirty lines of one axis once; what changed goes to the lines across."""
        length = len(across)
        for index in sorted(dirty):
            filled, crossed = lines[index]
            solved = self.line(clues[index], length, filled, crossed)
            if solved is None:
                return False
            if solved == (filled, crossed):
                continue
            lines[index] = solved
            bit = 1 << index
            for j in bits_of(solved[0] & ~filled):
                across[j] = across[j][0] | bit, across[j][1]
                dirty_across.add(j)
            for j in bits_of(solved[1] & ~crossed):
                across[j] = across[j][0], across[j][1] | bit
                dirty_across.add(j)
        dirty.clear()
        return True

    def line(self, clue: Clue, length: int, filled: int, crossed: int) -> Line | None:
        """solve_line, remembered."""
        key = clue, length, filled, crossed
        try:
            return self._cache[key]
        except KeyError:
            self.solved += 1
            if len(self._cache) >= _MAX_CACHE:
                self._cache.clear()
            solved = self._cache[key] = solve_line(clue, length, filled, crossed)
            return solved


def bits_of(bits: int) -> list[int]:
    """The places of the set bits."""
    places = []
    while bits:
        low = bits & -bits
        places.append(low.bit_length() - 1)
        bits ^= low
    return places


def _bits(line: Sequence[int]) -> Line:
    filled = sum(1 << j for j, value in enumerate(line) if value == FILLED)
    crossed = sum(1 << j for j, value in enumerate(line) if value == CROSSED)
    return filled, crossed


def _enter(lines: list[Line], index: int, bit: int, value: int) -> None:
    filled, crossed = lines[index]
    if (filled | crossed) & bit or value == UNKNOWN:
        raise ValueError("only an unknown cell can be entered")
    lines[index] = (filled | bit, crossed) if value == FILLED else (filled, crossed | bit)
