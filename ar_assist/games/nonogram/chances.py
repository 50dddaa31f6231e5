"""How likely each cell of a line is filled, over all fillings of the line; compiled by numba.

Forward and backward over the blocks (Baum et al. 1970), each at the starts that line solving leaves
it. Importing this module raises ImportError where numba is not installed (extra `fast`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import Clue
from ar_assist.games.nonogram.lines import Line, block_starts

Odds = NDArray[np.float64]  # (lines, cells) log odds that a cell is filled
Ints = NDArray[np.int64]


class Lines:
    """All rows, or all columns, of a grid at line solving's fixed point."""

    def __init__(self, clues: Sequence[Clue], length: int, lines: Sequence[Line]) -> None:
        shape = len(clues), max(1, *map(len, clues))
        self._counts = np.array([len(clue) for clue in clues])
        self._blocks, self._first, self._last = (np.zeros(shape, np.int64) for _ in range(3))
        for index, (clue, line) in enumerate(zip(clues, lines, strict=True)):
            starts = block_starts(clue, length, *line)
            assert starts is not None, "line solving has already found a filling"
            if all(where.bit_count() == 1 for where in starts):
                self._counts[index] = 0  # it has nothing to tell: every cell is known
                continue
            for block, where in enumerate(starts):
                self._blocks[index, block] = clue[block]
                self._first[index, block] = (where & -where).bit_length() - 1
                self._last[index, block] = where.bit_length() - 1

    def chances(self, odds: Odds) -> Odds:
        """(lines, cells) chance that a cell is filled, over all fillings of its line.

        A filling is as likely as its cells are, each for itself. Of a line whose cells are all
        known nothing is told: 0.
        """
        filled = np.zeros(odds.shape)
        for_all = np.ascontiguousarray(odds)
        _chances(for_all, self._counts, self._blocks, self._first, self._last, filled)
        return filled


@njit(cache=True)
def _chances(odds: Odds, counts: Ints, blocks: Ints, first: Ints, last: Ints, filled: Odds) -> None:
    for line in range(len(odds)):
        count = counts[line]
        if count:
            _line(
                odds[line],
                blocks[line, :count],
                first[line, :count],
                last[line, :count],
                filled[line],
            )


@njit(cache=True)
def _line(odds: Odds, blocks: Ints, first: Ints, last: Ints, filled: Odds) -> None:
    """Fill in (cells,) the chances of one line with blocks.

    A cell's likelier value weighs 1, so that weights stay within what a float holds.
    """
    length, count = len(odds), len(blocks)
    sums = np.zeros(length + 1)  # log weight of the cells before each, if all were filled
    gaps = np.empty(length)  # weight of each cell if it is empty
    for cell in range(length):
        sums[cell + 1] = sums[cell] + min(0.0, odds[cell])
        gaps[cell] = np.exp(min(0.0, -odds[cell]))
    begun = np.zeros((count, length + 1))  # weight of each block if it starts at a cell
    ended = np.zeros((count, length + 1))  # the same by the cell behind the block
    for block in range(count):
        for start in range(first[block], last[block] + 1):
            end = start + blocks[block]
            begun[block, start] = ended[block, end] = np.exp(sums[end] - sums[start])
    before = _ways(gaps, ended, blocks, first, last)
    from_last = (length - last - blocks)[::-1]
    to_first = (length - first - blocks)[::-1]
    behind = _ways(gaps[::-1], begun[::-1, ::-1], blocks[::-1], from_last, to_first)
    change = np.zeros(length + 1)  # of the chance, from cell to cell
    ways = np.zeros(length)
    for block in range(count):
        total = 0.0
        for start in range(first[block], last[block] + 1):
            end = start + blocks[block]
            ways[start] = before[block, start] * begun[block, start]
            ways[start] *= behind[count - 1 - block, length - end]
            total += ways[start]
        if total > 0:
            for start in range(first[block], last[block] + 1):
                change[start] += ways[start] / total
                change[start + blocks[block]] -= ways[start] / total
    filled[:] = np.cumsum(change)[:length]


@njit(cache=True)
def _ways(gaps: Odds, ended: Odds, blocks: Ints, first: Ints, last: Ints) -> Odds:
    """(blocks, cells + 1) weight of all that may lie before a block which starts at a cell.

    Up to a factor for each block.
    """
    ways = np.zeros(ended.shape)
    ways[0, 0] = 1.0
    for cell in range(last[0]):
        ways[0, cell + 1] = ways[0, cell] * gaps[cell]
    for block in range(1, len(blocks)):
        size = blocks[block - 1]
        weight = most = 0.0
        for cell in range(first[block - 1] + size, last[block]):  # that is empty behind a block
            weight += ways[block - 1, cell - size] * ended[block - 1, cell]
            weight *= gaps[cell]
            ways[block, cell + 1] = weight
            most = max(most, weight)
        if most > 0:
            ways[block] /= most
    return ways
