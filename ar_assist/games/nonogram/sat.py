"""What line solving leaves open, as a satisfiability problem.

The starts of the blocks in order encoding (Tamura et al., "Compiling finite linear CSP into SAT",
2009): a variable says "block i starts at s or before". Only open lines are encoded, and of them
only blocks that can still move. CaDiCaL solves it in a child process, which a time limit can end;
it comes with python-sat, the extra `fast`.
"""

from __future__ import annotations

import subprocess
import sys
from array import array
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from ar_assist.games.nonogram.board import CROSSED, FILLED, Cells, Clue
from ar_assist.games.nonogram.grid import Grid, bits_of
from ar_assist.games.nonogram.lines import Line, block_starts

Literal = int | bool  # a constant where line solving has decided


def available() -> bool:
    """Whether python-sat is installed."""
    return find_spec("pysat") is not None


def solutions(
    row_clues: Sequence[Clue], col_clues: Sequence[Clue], grid: Grid, wanted: int, seconds: float
) -> tuple[list[Cells], bool]:
    """Up to `wanted` solutions of a grid at line solving's fixed point; whether these are all."""
    cells = grid.open_cells()
    formula = _Formula(len(cells))
    variables = {cell: number for number, cell in enumerate(cells, 1)}
    for axis, clues, lines in ((0, row_clues, grid.rows), (1, col_clues, grid.cols)):
        length = len(grid.cols) if axis == 0 else len(grid.rows)
        for index, (clue, line) in enumerate(zip(clues, lines, strict=True)):
            unknown = bits_of(((1 << length) - 1) & ~(line[0] | line[1]))
            if not unknown:
                continue
            own = {j: variables[(index, j) if axis == 0 else (j, index)] for j in unknown}
            _encode_line(formula, clue, length, line, own)
    output = _run(array("i", [len(cells), wanted, len(formula.literals)]), formula, seconds)
    found = output.split()
    complete = bool(found) and found[-1] == "end"
    models = found[:-1] if complete else found
    models = [model for model in models if len(model) == len(cells)]  # one may be cut short
    return [_filled_in(grid, cells, model) for model in models], complete


class _Formula:
    """Clauses of a CNF, flat; variables are handed out from those of interest on."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.literals = array("i")

    def new(self) -> int:
        self.variables += 1
        return self.variables

    def add(self, *clause: Literal) -> None:
        """Add a clause, less its false constants; one with a true constant says nothing."""
        if any(literal is True for literal in clause):
            return
        self.literals.extend(literal for literal in clause if literal is not False)
        self.literals.append(0)


def _not(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


class _Block:
    """A block and its variables: `by(s)` is "starts at s or before"."""

    def __init__(self, formula: _Formula, length: int, starts: int) -> None:
        self.length = length
        self.first = (starts & -starts).bit_length() - 1
        self.last = starts.bit_length() - 1
        self._by = [formula.new() for _ in range(self.first, self.last)]
        for s in range(self.first, self.last):
            formula.add(_not(self.by(s)), self.by(s + 1))
        for s in range(self.first + 1, self.last):
            if not starts >> s & 1:
                formula.add(_not(self.by(s)), self.by(s - 1))

    def by(self, s: int) -> Literal:
        if s < self.first:
            return False
        return True if s >= self.last else self._by[s - self.first]


def _encode_line(
    formula: _Formula, clue: Clue, length: int, line: Line, variables: dict[int, int]
) -> None:
    """The clauses of one line; `variables` of its unknown cells."""
    starts = block_starts(clue, length, *line)
    assert starts is not None, "line solving has already found a filling"
    blocks = [_Block(formula, block, start) for block, start in zip(clue, starts, strict=True)]

    def filled(j: int) -> Literal:
        return variables.get(j, bool(line[0] >> j & 1))

    for block in blocks:
        if block.first == block.last:
            continue
        for j in range(block.first, block.last + block.length):
            formula.add(_not(block.by(j)), block.by(j - block.length), filled(j))
    for before, after in pairwise(blocks):
        step = before.length + 1
        for s in range(before.first, min(before.last, after.last - step + 1)):
            formula.add(_not(after.by(s + step)), before.by(s))
    for i in range(len(blocks) + 1):  # the gap before block i
        low = blocks[i - 1].first + blocks[i - 1].length if i else 0
        high = blocks[i].last if i < len(blocks) else length
        for j in range(low, high):
            begun = blocks[i - 1].by(j - blocks[i - 1].length) if i else True
            next_begun = blocks[i].by(j) if i < len(blocks) else False
            formula.add(_not(begun), next_begun, _not(filled(j)))


def _run(header: array[int], formula: _Formula, seconds: float) -> str:
    """The child's output, as far as it came in time."""
    command = [sys.executable, str(Path(__file__).with_name("sat_child.py"))]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        output, _ = child.communicate(header.tobytes() + formula.literals.tobytes(), seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        output, _ = child.communicate()
    return output.decode("ascii")


def _filled_in(grid: Grid, cells: Sequence[tuple[int, int]], model: str) -> Cells:
    values = [list(row) for row in grid.cells()]
    for (i, j), bit in zip(cells, model, strict=True):
        values[i][j] = FILLED if bit == "1" else CROSSED
    return tuple(map(tuple, values))
