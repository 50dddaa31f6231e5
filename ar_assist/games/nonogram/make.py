"""A picture into a puzzle: dark pixels are the filled cells, at best with one solution."""

from __future__ import annotations

import math
import time
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    Cells,
    check_size,
    puzzle_of,
)
from ar_assist.games.nonogram.solver import Outcome, solve
from ar_assist.types import Image

Threshold = Literal["otsu", "adaptive"] | int
ADAPTIVE_SHARE = 0.25  # of the shorter side: vicinity whose mean a cell is compared with
MAX_ROUNDS = 200  # of altering a cell and solving again; a handful is usual
TRIED = 24  # open cells tried in a round
SOLVE_LINES = 40_000  # lines solved to see whether the solution is the only one


def cells_of(picture: Image, rows: int, cols: int, threshold: Threshold = "otsu") -> Cells:
    """FILLED and CROSSED cells of a picture in black and white, its aspect kept.

    What the grid has more than the picture's aspect is cut off the picture evenly.
    ValueError if it is all one colour.
    """
    check_size(rows, cols)
    grey = _cut_to_aspect(
        np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), rows, cols
    )
    small = np.asarray(cv2.resize(grey, (cols, rows), interpolation=cv2.INTER_AREA), np.uint8)
    dark = _dark(small, threshold)
    if dark.all() or not dark.any():
        raise ValueError("the picture is all one colour at this size and threshold")
    return tuple(tuple(FILLED if cell else CROSSED for cell in row) for row in dark.tolist())


def _cut_to_aspect(grey: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.uint8]:
    height, width = grey.shape
    keep_w = min(width, max(1, round(height * cols / rows)))
    keep_h = min(height, max(1, round(width * rows / cols)))
    top, left = (height - keep_h) // 2, (width - keep_w) // 2
    return grey[top : top + keep_h, left : left + keep_w]


def _dark(small: NDArray[np.uint8], threshold: Threshold) -> NDArray[np.bool_]:
    if threshold == "adaptive":
        side = 2 * round(ADAPTIVE_SHARE * min(small.shape) / 2) + 1
        mean = cv2.blur(small.astype(np.float32), (side, side))
        return np.asarray(small < mean - 1)
    if threshold == "otsu":
        value, _ = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        return np.asarray(small <= value)
    return np.asarray(small < threshold)


def make_unique(cells: Cells, seconds: float | None = None) -> tuple[Cells, int]:
    """Alter few cells until the clues have one solution; the cells and how many were altered.

    While there are other solutions, a cell in which they differ is altered: the one that leaves
    the fewest cells open. None is altered twice, or two would take turns for ever. `seconds`: for
    all of it, None: without the SAT solver. ValueError if that does not come to an end.
    """
    grid = [list(row) for row in cells]
    altered: set[tuple[int, int]] = set()
    end = math.inf if seconds is None else time.monotonic() + seconds
    for _ in range(MAX_ROUNDS):
        left = None if seconds is None else end - time.monotonic()
        if left is not None and left <= 0:
            raise ValueError(
                f"the time ended: {len(altered)} cells altered, several solutions still"
            )
        outcome = solve(puzzle_of(grid), wanted=2, lines=SOLVE_LINES, seconds=left)
        if outcome.verdict == "one":
            return tuple(map(tuple, grid)), len(altered)
        candidates = _candidates(outcome, altered)
        if not candidates:
            break
        row, col = min(candidates, key=lambda cell: _left_open(grid, cell))
        grid[row][col] = -grid[row][col]
        altered.add((row, col))
    raise ValueError("no puzzle with one solution was found near this picture: try another size")


def _candidates(outcome: Outcome, altered: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some of the cells in which the solutions differ, or else may differ; none that is altered."""
    is_open = np.array(outcome.known) == UNKNOWN
    differ = is_open
    if len(outcome.solutions) == 2:
        one, other = (np.array(solution) for solution in outcome.solutions)
        differ = one != other
    for places in (differ, is_open):
        cells = [(int(i), int(j)) for i, j in np.argwhere(places)]
        left = [cell for cell in cells if cell not in altered]
        if left:
            return left[:: -(-len(left) // TRIED)]
    return []


def _left_open(grid: list[list[int]], cell: tuple[int, int]) -> int:
    changed = [row[:] for row in grid]
    changed[cell[0]][cell[1]] *= -1
    board = puzzle_of(changed)
    known = solve(board, wanted=1, lines=0).known
    return sum(value == UNKNOWN for row in known for value in row)
