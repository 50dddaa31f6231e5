"""What line solving leaves open, as a satisfiability problem.

The starts of the blocks in order encoding (Tamura et al., "Compiling finite linear CSP into SAT",
2009): a variable says "block i starts at s or before". Only open lines are encoded, and of them
only blocks that can still move. CaDiCaL solves it in a child process, which a time limit can end;
it comes with python-sat, the extra `fast`. The process stays for the next question, as it takes
about as long to start as most boards to solve.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from ar_assist.games.nonogram.board import CROSSED, FILLED, Cells, Clue
from ar_assist.games.nonogram.grid import Grid, bits_of
from ar_assist.games.nonogram.lines import Line, block_starts

TRUE = 2**31 - 1  # literal where line solving has decided; no variable has this number


def available() -> bool:
    """Whether python-sat is installed."""
    return find_spec("pysat") is not None


def solutions(
    row_clues: Sequence[Clue], col_clues: Sequence[Clue], grid: Grid, wanted: int, seconds: float
) -> tuple[list[Cells], bool]:
    """Up to `wanted` solutions of a grid at line solving's fixed point; whether these are all."""
    cells, formula = formula_of(row_clues, col_clues, grid)
    header = array("i", [len(cells), wanted, len(formula.literals)])
    answer = _CHILD.ask(header.tobytes() + formula.literals.tobytes(), wanted, seconds)
    complete = answer[-1:] == ["end"]
    models = answer[:-1] if complete else answer
    known = grid.cells()
    return [filled_in(known, cells, [bit == "1" for bit in model]) for model in models], complete


def formula_of(
    row_clues: Sequence[Clue], col_clues: Sequence[Clue], grid: Grid
) -> tuple[list[tuple[int, int]], Formula]:
    """The open cells of a grid, whose variables are 1, 2, … in this order, and what they obey."""
    cells = grid.open_cells()
    formula = Formula(len(cells))
    variables = {cell: number for number, cell in enumerate(cells, 1)}
    for axis, clues, lines in ((0, row_clues, grid.rows), (1, col_clues, grid.cols)):
        length = len(grid.cols) if axis == 0 else len(grid.rows)
        for index, (clue, line) in enumerate(zip(clues, lines, strict=True)):
            unknown = bits_of(((1 << length) - 1) & ~(line[0] | line[1]))
            if not unknown:
                continue
            own = {j: variables[(index, j) if axis == 0 else (j, index)] for j in unknown}
            _encode_line(formula, clue, length, line, own)
    return cells, formula


def filled_in(known: Cells, cells: Sequence[tuple[int, int]], filled: Sequence[bool]) -> Cells:
    """The cells of a grid, those that are open filled, or else crossed."""
    values = [list(row) for row in known]
    for (i, j), is_filled in zip(cells, filled, strict=True):
        values[i][j] = FILLED if is_filled else CROSSED
    return tuple(map(tuple, values))


class Formula:
    """Clauses of a CNF, flat; variables are handed out from those of interest on."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.literals = array("i")

    def new(self) -> int:
        self.variables += 1
        return self.variables

    def add(self, *clause: int) -> None:
        """Add a clause, less its false constants; one with a true constant says nothing."""
        if TRUE not in clause:
            self.literals.extend([literal for literal in clause if literal != -TRUE])
            self.literals.append(0)

    def clauses(self) -> Iterator[list[int]]:
        """The clauses, one by one."""
        begin = 0
        literals = self.literals.tolist()
        for place, literal in enumerate(literals):
            if literal == 0:
                yield literals[begin:place]
                begin = place + 1


class _Block:
    """A block and its variables: `by(s)` is "starts at s or before"."""

    def __init__(self, formula: Formula, length: int, starts: int) -> None:
        self.length = length
        self.first = (starts & -starts).bit_length() - 1
        self.last = starts.bit_length() - 1
        self._by = [formula.new() for _ in range(self.first, self.last)]
        for s in range(self.first, self.last):
            formula.add(-self.by(s), self.by(s + 1))
        for s in range(self.first + 1, self.last):
            if not starts >> s & 1:
                formula.add(-self.by(s), self.by(s - 1))

    def by(self, s: int) -> int:
        if s < self.first:
            return -TRUE
        return TRUE if s >= self.last else self._by[s - self.first]


def _encode_line(
    formula: Formula, clue: Clue, length: int, line: Line, variables: dict[int, int]
) -> None:
    """The clauses of one line; `variables` of its unknown cells."""
    starts = block_starts(clue, length, *line)
    assert starts is not None, "line solving has already found a filling"
    blocks = [_Block(formula, block, start) for block, start in zip(clue, starts, strict=True)]

    def filled(j: int) -> int:
        return variables.get(j) or (TRUE if line[0] >> j & 1 else -TRUE)

    for block in blocks:
        if block.first == block.last:
            continue
        for j in range(block.first, block.last + block.length):
            formula.add(-block.by(j), block.by(j - block.length), filled(j))
    for before, after in pairwise(blocks):
        step = before.length + 1
        for s in range(before.first, min(before.last, after.last - step + 1)):
            formula.add(-after.by(s + step), before.by(s))
    for i in range(len(blocks) + 1):  # the gap before block i
        low = blocks[i - 1].first + blocks[i - 1].length if i else 0
        high = blocks[i].last if i < len(blocks) else length
        for j in range(low, high):
            begun = blocks[i - 1].by(j - blocks[i - 1].length) if i else TRUE
            next_begun = blocks[i].by(j) if i < len(blocks) else -TRUE
            formula.add(-begun, next_begun, -filled(j))


class _Child:
    """The process that solves: one question at a time, killed where one takes too long."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = threading.Lock()
        atexit.register(self._end)

    def ask(self, question: bytes, wanted: int, seconds: float) -> list[str]:
        """The lines of the answer, as far as they came in time."""
        with self._asking, ThreadPoolExecutor(1) as reader:
            if self._process is None or self._process.poll() is not None:
                self._process = _started()
            answer = reader.submit(_answer, self._process, question, wanted)
            try:
                wait([answer], seconds)
            finally:
                if not answer.done():
                    self._process.kill()
            return answer.result()

    def _end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.communicate()  # it ends where there are no more questions


_CHILD = _Child()


def _started() -> subprocess.Popen[bytes]:
    command = [sys.executable, str(Path(__file__).with_name("sat_child.py"))]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _answer(process: subprocess.Popen[bytes], question: bytes, wanted: int) -> list[str]:
    """So many models, or "end" after the last one; less where the process is killed."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(question)
        process.stdin.flush()
    lines: list[str] = []
    while len(lines) < wanted and lines[-1:] != ["end"]:
        line = process.stdout.readline().decode("ascii")
        if not line.endswith("\n"):  # cut short
            process.communicate()
            break
        lines.append(line.strip())
    return lines
