"""Guesses at what lines leave open on large boards, such as photographs.

A SAT solver finds no solution of a board with thousands of open cells, though there are many. What
helps is to know how likely each cell is filled: rows and columns tell each other what they hold of
their common cells, until they agree (belief propagation; Pearl 1988), where a line weighs all its
fillings at once, forward and backward over its blocks (Baum et al. 1970). The surest cells are
entered, with all that follows by lines, and the rest is weighed anew (decimation; Mezard, Parisi &
Zecchina 2002). Guesses may be wrong, so every board on the way is handed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import CROSSED, FILLED, UNKNOWN, Clue
from ar_assist.games.nonogram.grid import Grid, Propagator

Odds = NDArray[np.float64]  # (lines, cells) log odds that a cell is filled

KNOWN = 30.0  # log odds of a cell that is entered
MOST = 8.0  # log odds that one line may tell another: no word is final
CERTAIN = 1e-9  # chances are kept so far from 0 and 1
DAMPING = 0.5  # share of what a line said before: undamped, rows and columns swing
FIRST_ROUNDS, ROUNDS = 60, 6  # of messages before the first guesses, and between later ones
SHARE = 0.01  # of the open cells that are entered at a time


def narrowed(
    row_clues: Sequence[Clue], col_clues: Sequence[Clue], grid: Grid, lines_of: Propagator
) -> Iterator[Grid]:
    """Boards with ever more cells guessed, until all are or the guesses contradict each other."""
    rows, cols = _Lines(row_clues, len(col_clues)), _Lines(col_clues, len(row_clues))
    from_rows = from_cols = np.zeros((len(row_clues), len(col_clues)))
    rounds = FIRST_ROUNDS
    while grid.open_cells():
        cells = np.array(grid.cells())
        known, is_open = KNOWN * np.sign(cells), cells == UNKNOWN
        for _ in range(rounds):
            heard = np.where(is_open, from_cols, known)
            from_rows = DAMPING * from_rows + (1 - DAMPING) * rows.told(heard)
            heard = np.where(is_open, from_rows, known)
            from_cols = DAMPING * from_cols + (1 - DAMPING) * cols.told(heard.T).T
        rounds = ROUNDS
        guessed = _entered(grid, np.where(is_open, from_rows + from_cols, 0), lines_of)
        if guessed is None:
            return
        grid = guessed
        yield grid


def _entered(grid: Grid, odds: Odds, lines_of: Propagator) -> Grid | None:
    """The grid with its surest cells entered; None where neither value of one goes."""
    count = max(1, round(SHARE * np.count_nonzero(odds)))
    for place in np.argsort(-np.abs(odds), axis=None, kind="stable")[:count].tolist():
        i, j = divmod(place, odds.shape[1])
        if grid.value(i, j) != UNKNOWN:
            continue  # it has followed from another
        likely, other = (FILLED, CROSSED) if odds[i, j] > 0 else (CROSSED, FILLED)
        after = _with_cell(grid, i, j, likely, lines_of) or _with_cell(grid, i, j, other, lines_of)
        if after is None:
            return None
        grid = after
    return grid


def _with_cell(grid: Grid, i: int, j: int, value: int, lines_of: Propagator) -> Grid | None:
    after = grid.copy()
    after.set(i, j, value)
    return after if lines_of.run(after, [i], [j]) else None


class _Lines:
    """All rows, or all columns, with the sums over all their fillings."""

    def __init__(self, clues: Sequence[Clue], length: int) -> None:
        most = max(1, *(len(clue) for clue in clues))
        self._length = length
        self._counts = np.array([len(clue) for clue in clues])
        self._has = np.arange(most) < self._counts[:, None]  # (lines, blocks)
        self._blocks = np.zeros(self._has.shape, int)
        self._mirrored = np.zeros(self._has.shape, int)
        for line, clue in enumerate(clues):
            self._blocks[line, : len(clue)] = clue
            self._mirrored[line, : len(clue)] = clue[::-1]

    def told(self, heard: Odds) -> Odds:
        """What each line adds to the odds of its cells that the lines across have told it."""
        chance = np.clip(self.chances(heard), CERTAIN, 1 - CERTAIN)
        return np.asarray(np.clip(np.log(chance / (1 - chance)) - heard, -MOST, MOST))

    def chances(self, odds: Odds) -> NDArray[np.float64]:
        """(lines, cells) chance that a cell is filled, over all fillings of its line.

        A filling is as likely as its cells are, each for itself.
        """
        filled, empty = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
        before = self._ways(filled, empty, self._blocks)
        behind = self._ways(filled[:, ::-1], empty[:, ::-1], self._mirrored)
        lines, length = np.arange(len(odds))[:, None], self._length
        whole = before[length + 1, lines[:, 0], self._counts][:, None]
        sums = _sums(filled)
        change = np.zeros((len(odds), length + 1))  # of the chance, from cell to cell
        for block in range(self._has.shape[1]):
            end = np.arange(length) + self._blocks[:, block, None]
            fits = (end <= length) & self._has[:, block, None]
            end = np.where(fits, end, length)
            rest = np.maximum(self._counts - 1 - block, 0)[:, None]
            ways = before[:length, :, block].T + behind[length - end, lines, rest]
            ways += sums[lines, end] - sums[:, :length] - whole
            starts = np.where(fits, np.exp(np.where(fits, ways, 0)), 0)
            change[:, :length] += starts
            np.subtract.at(change, (np.broadcast_to(lines, end.shape), end), starts)
        return np.cumsum(change, axis=1)[:, :length]

    def _ways(self, filled: Odds, empty: Odds, blocks: NDArray[np.int64]) -> NDArray[np.float64]:
        """(length + 2, lines, blocks + 1) log sum over what may lie before a cell: so many blocks.

        Each has a gap behind it; there is an empty cell beyond the end, for that of the last.
        """
        lines, numbers = np.arange(len(blocks))[:, None], np.arange(blocks.shape[1])
        sums, empty = _sums(filled), np.pad(empty, ((0, 0), (0, 1)))
        ways = np.full((self._length + 2, len(blocks), blocks.shape[1] + 1), -np.inf)
        ways[0, :, 0] = 0
        for cell in range(self._length + 1):
            gap = empty[:, cell, None]
            start = cell - blocks
            fits = (start >= 0) & self._has
            start = np.where(fits, start, 0)
            block = ways[start, lines, numbers] + sums[:, cell, None] - sums[lines, start]
            ways[cell + 1] = ways[cell] + gap
            longer = np.where(fits, block + gap, -np.inf)
            ways[cell + 1, :, 1:] = np.logaddexp(ways[cell + 1, :, 1:], longer)
        return ways


def _sums(odds: Odds) -> Odds:
    """(lines, cells + 1) sums up to each cell."""
    return np.pad(np.cumsum(odds, axis=1), ((0, 0), (1, 0)))
