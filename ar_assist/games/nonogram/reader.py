"""Reading a nonogram: the line grid, the clues beside it, the cells in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram.board import DOUBTFUL, NonogramBoard
from ar_assist.games.nonogram.clues import ClueReading, read_clues
from ar_assist.games.nonogram.entries import read_entries
from ar_assist.games.nonogram.layout import (
    BESIDE,
    CELL_PX,
    NEAR,
    Layout,
    Sheet,
    clue_margin,
    find_layout,
    spread,
    upright,
)
from ar_assist.games.nonogram.linegrid import LineGrid, find_grids
from ar_assist.games.nonogram.repair import Settled, settle
from ar_assist.types import Image, Reading, transform

MAX_GRIDS = 3  # line grids looked at: the screen may hold a keyboard or a calendar as well
SURE_LAYOUT = 1.5  # score of a layout beyond which no other grid is looked at, if its clues agree
SURE = 0.97  # confidence of clues that agree in every row and column
MOST_IN_DOUBT = 0.5  # of the clues: what has more is chess or patterns rather than digits
UNPROVED = 0.3  # confidence of clues that nothing confirms


@dataclass(frozen=True, eq=False)
class _Found:
    sheet: Sheet
    layout: Layout
    clues: ClueReading
    settled: Settled


def read(picture: Image) -> Reading[NonogramBoard] | None:
    """The nonogram in a picture taken from any side; None if there is none."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    best: _Found | None = None
    refused: list[LineGrid] = []
    for grid in find_grids(grey)[:MAX_GRIDS]:
        if any(grid.is_like(other) for other in refused):
            continue
        found = _look(grey, grid)
        if found is None:
            refused.append(grid)
        elif best is None or _rank(found) > _rank(best):
            best = found
        if best and best.settled.cells is not None and best.layout.score > SURE_LAYOUT:
            break
    return _reading(picture, best) if best else None


def _rank(found: _Found) -> tuple[bool, float]:
    return found.settled.cells is not None, found.layout.score


def _look(grey: NDArray[np.uint8], grid: LineGrid) -> _Found | None:
    """The clues around one line grid.

    Those that aren't set against it may begin anywhere, so they are believed only if they agree.
    """
    found = _clues_within(grey, grid, NEAR, BESIDE)
    if found is None or found.settled.cells is None:
        margin = clue_margin(grid)
        wider = _clues_within(grey, grid, margin, margin)
        if wider is not None and wider.settled.cells is not None:
            return wider
    return found


def _clues_within(
    grey: NDArray[np.uint8], grid: LineGrid, margin: float, reach: float
) -> _Found | None:
    """The clues that begin within reach of a grid, both in cells: dark digits or light ones.

    The likelier ones, unless only the others agree.
    """
    sheets = spread(grey, grid, (True, False), margin)
    layouts = [
        (find_layout(sheet, reach), dark) for sheet, dark in zip(sheets, (True, False), strict=True)
    ]
    possible = [(layout, dark) for layout, dark in layouts if layout]
    first: _Found | None = None
    for layout, dark in sorted(possible, key=lambda each: -each[0].score):
        found = _clues_of(grey, grid, layout, dark)
        if found and found.settled.cells is not None:
            return found
        first = first or found
    return first


def _clues_of(grey: NDArray[np.uint8], grid: LineGrid, layout: Layout, dark: bool) -> _Found | None:
    puzzle = upright(grid, layout)
    (sheet,) = spread(grey, puzzle, (dark,), clue_margin(puzzle), CELL_PX)
    clues = read_clues(sheet, layout)
    if clues is None:
        return None
    settled = settle(clues.rows, clues.cols)
    lines = *settled.row_clues, *settled.col_clues
    if lines.count(None) > MOST_IN_DOUBT * len(lines):
        return None
    return _Found(sheet, layout, clues, settled)


def _reading(picture: Image, found: _Found) -> Reading[NonogramBoard]:
    sheet, layout, settled = found.sheet, found.layout, found.settled
    seen = sheet.of(picture)
    cells, certainty = read_entries(seen, sheet, layout, found.clues.glyphs, settled.cells)
    board = NonogramBoard(
        settled.row_clues, settled.col_clues, tuple(tuple(int(v) for v in row) for row in cells)
    )
    left, top, right, bottom = layout.left, layout.top, sheet.cols, sheet.rows
    outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    corners = transform(sheet.picture_from_grid, outline)
    confidence = SURE if settled.cells is not None else UNPROVED
    sure = float((certainty >= DOUBTFUL).mean())  # the others are built on by no advice
    return Reading(board, corners, certainty, confidence * sure)
