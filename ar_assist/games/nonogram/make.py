"""A picture into a puzzle: dark pixels are the filled cells, at best with one solution."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram import sat
from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    Cells,
    check_size,
    puzzle_of,
)
from ar_assist.games.nonogram.solver import solve
from ar_assist.types import Cell, Image

Threshold = Literal["otsu", "adaptive"] | int
Picture = list[list[int]]  # FILLED and CROSSED cells
ADAPTIVE_SHARE = 0.25  # of the shorter side: vicinity whose mean a cell is compared with
MAX_ROUNDS = 200  # of altering a cell and solving again; a handful is usual
TRIED = 24  # open cells tried in a round
MOST_SETS = 50  # of cells in which solutions differ, in a round
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
    grid: Picture = [list(row) for row in cells]
    altered: set[Cell] = set()
    end = None if seconds is None else time.monotonic() + seconds
    state = "nothing is known yet"
    for _ in range(MAX_ROUNDS):
        left = _left(end)
        if left is not None and left <= 0:
            raise ValueError(f"the time ended, cells altered: {len(altered)}; {state}")
        sets, known, is_decided = _others(grid, left)
        if is_decided and not sets:
            _restore(grid, altered, end)
            return tuple(map(tuple, grid)), len(altered)
        state = "several solutions still" if sets else "it is open whether there are others"
        if not _alter(grid, sets, known, altered):
            break
    raise ValueError("no puzzle with one solution was found near this picture: try another size")


def _others(
    grid: Picture, seconds: float | None, most: int = MOST_SETS
) -> tuple[list[list[Cell]], Cells, bool]:
    """As rivals() has them; without the SAT solver one set at most."""
    if seconds is not None and sat.available():
        from ar_assist.games.nonogram.rivals import rivals

        return rivals(grid, seconds, most)
    outcome = solve(puzzle_of(grid), wanted=2, lines=SOLVE_LINES)
    if len(outcome.solutions) < 2:
        return [], outcome.known, outcome.verdict == "one"
    one, other = (np.array(solution) for solution in outcome.solutions)
    return [_places(one != other)], outcome.known, False


def _alter(grid: Picture, sets: list[list[Cell]], known: Cells, altered: set[Cell]) -> bool:
    """Alter a cell of each set, or else one that lines leave open; False: there is none left."""
    left = [new for cells in sets if (new := [cell for cell in cells if cell not in altered])]
    if not left:
        is_open = _places(np.array(known) == UNKNOWN)
        left = [[cell for cell in is_open if cell not in altered]]
    tried, before = max(1, TRIED // len(left)), len(altered)
    for cells in left:
        if not cells or (len(altered) > before and not _is_rival(grid, cells)):
            continue
        some = cells[:: -(-len(cells) // tried)]
        row, col = min(some, key=lambda cell: _left_open(grid, cell)) if some[1:] else some[0]
        grid[row][col] *= -1
        altered.add((row, col))
    return len(altered) > before


def _restore(grid: Picture, altered: set[Cell], end: float | None) -> None:
    """Take back what was altered for nothing, since later alterations do as well without it."""
    for row, col in sorted(altered):
        left = _left(end)
        if left is not None and left <= 0:
            return
        grid[row][col] *= -1
        sets, _, is_decided = _others(grid, left, 1)
        if is_decided and not sets:
            altered.remove((row, col))
        else:
            grid[row][col] *= -1


def _left(end: float | None) -> float | None:
    """Seconds until then; None: there is no end."""
    return None if end is None else end - time.monotonic()


def _places(chosen: NDArray[np.bool_]) -> list[Cell]:
    return [(int(i), int(j)) for i, j in np.argwhere(chosen)]


def _is_rival(grid: Picture, cells: list[Cell]) -> bool:
    """Whether these cells flipped are another solution still, as long as none is altered."""
    return puzzle_of(_flipped(grid, cells)) == puzzle_of(grid)


def _left_open(grid: Picture, cell: Cell) -> int:
    known = solve(puzzle_of(_flipped(grid, [cell])), wanted=1, lines=0).known
    return sum(value == UNKNOWN for row in known for value in row)


def _flipped(grid: Picture, cells: Sequence[Cell]) -> Picture:
    changed = [row[:] for row in grid]
    for row, col in cells:
        changed[row][col] *= -1
    return changed
