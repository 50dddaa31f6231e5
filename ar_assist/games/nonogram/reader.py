"""Reading a nonogram: the line grid, the clues beside it, the cells in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.ink import Glyph
from ar_assist.games.nonogram.board import CROSSED, FILLED, UNKNOWN, NonogramBoard
from ar_assist.games.nonogram.clues import ClueReading, read_clues
from ar_assist.games.nonogram.layout import (
    CELL_PX,
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
INNER = 0.56  # of a cell's side: its middle, free of lines when the lattice is a little off
FILL_AT = 0.45  # of the way from paper to ink; digits look paler than a filled cell does
MARK_AT = 0.15  # of the contrast of ink: marks are thin and often pale, paper is even
MARK_AREA = (0.02, 0.07)  # of a cell's middle: below nothing, above a mark
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
    return _reading(best) if best else None


def _rank(found: _Found) -> tuple[bool, float]:
    return found.settled.cells is not None, found.layout.score


def _look(grey: NDArray[np.uint8], grid: LineGrid) -> _Found | None:
    """The clues around one line grid, dark digits or light ones."""
    dark, light = (find_layout(sheet) for sheet in spread(grey, grid, (True, False)))
    layout = max(filter(None, (dark, light)), key=lambda found: found.score, default=None)
    if layout is None:
        return None
    puzzle = upright(grid, layout)
    (sheet,) = spread(grey, puzzle, (layout is dark,), clue_margin(puzzle), CELL_PX)
    clues = read_clues(sheet, layout)
    if clues is None:
        return None
    settled = settle(clues.rows, clues.cols)
    lines = *settled.row_clues, *settled.col_clues
    if lines.count(None) > MOST_IN_DOUBT * len(lines):
        return None
    return _Found(sheet, layout, clues, settled)


def _reading(found: _Found) -> Reading[NonogramBoard]:
    sheet, layout, settled = found.sheet, found.layout, found.settled
    cells, certainty = _read_cells(sheet, layout, found.clues.glyphs)
    board = NonogramBoard(
        settled.row_clues, settled.col_clues, tuple(tuple(int(v) for v in row) for row in cells)
    )
    left, top, right, bottom = layout.left, layout.top, sheet.cols, sheet.rows
    outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    corners = transform(sheet.picture_from_grid, outline)
    confidence = SURE if settled.cells is not None else UNPROVED
    return Reading(board, corners, certainty, confidence * float(certainty.min()))


def _read_cells(
    sheet: Sheet, layout: Layout, digits: list[Glyph]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Values (rows, cols) and certainty (rows, cols) of the cells."""
    grey = sheet.grey.astype(np.float32)
    middles = _middles(grey, sheet, layout)
    level = np.median(middles, axis=2)
    paper, stroke, full = _levels(grey, sheet, level, digits)
    depth = (level - paper) / full
    marks = (np.abs(middles - level[..., None]) > MARK_AT * abs(stroke)).mean(2)
    values = np.full(level.shape, UNKNOWN)
    values[marks > np.mean(MARK_AREA)] = CROSSED
    values[depth > FILL_AT] = FILLED
    return values, _certainty(depth, marks)


def _certainty(depth: NDArray[np.float32], marks: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from the nearest border between two values, 0 to 1."""
    fill = np.abs(depth - FILL_AT) / FILL_AT
    low, high = MARK_AREA
    mark = np.abs(marks - (low + high) / 2) / (high - low) * 2
    either = np.where(depth > FILL_AT, fill, np.minimum(fill, mark))
    return np.asarray(np.clip(either, 0, 1), np.float32)


def _middles(grey: NDArray[np.float32], sheet: Sheet, layout: Layout) -> NDArray[np.float32]:
    """(rows, cols, N) grey levels in the middle of every cell."""
    offsets = np.linspace(-INNER / 2, INNER / 2, max(7, round(INNER * sheet.cell)))
    rows = np.arange(layout.top, sheet.rows)[:, None] + 0.5 + offsets
    cols = np.arange(layout.left, sheet.cols)[:, None] + 0.5 + offsets
    ys = np.rint((rows + sheet.origin[1]) * sheet.cell - 0.5).astype(int)
    xs = np.rint((cols + sheet.origin[0]) * sheet.cell - 0.5).astype(int)
    cut = grey[ys[:, :, None, None], xs[None, None]]  # row, dy, column, dx
    return np.asarray(cut.transpose(0, 2, 1, 3).reshape(len(rows), len(cols), -1), np.float32)


def _levels(
    grey: NDArray[np.float32], sheet: Sheet, level: NDArray[np.float32], digits: list[Glyph]
) -> tuple[NDArray[np.float32], float, float]:
    """(rows, cols) the paper's level, to which light falls off like a plane; and how far from it
    thin strokes are, and filled cells.
    """
    inks, papers = [], []
    for glyph in digits:
        area = np.s_[max(glyph.y0 - 1, 0) : glyph.y1 + 1, max(glyph.x0 - 1, 0) : glyph.x1 + 1]
        cut, weight = grey[area].ravel(), sheet.ink[area].ravel()
        inks.append(cut[weight >= np.quantile(weight, 0.9)].mean())
        papers.append(cut[weight <= np.quantile(weight, 0.1)].mean())
    stroke = float(np.median(inks) - np.median(papers))
    sign, faint = float(np.sign(stroke)), abs(stroke)
    # Cells that are blank: those on the paper's side of the middle between the extremes.
    y, x = np.mgrid[: level.shape[0], : level.shape[1]]
    terms = np.stack([np.ones(level.size), x.ravel(), y.ravel()], axis=1)
    towards_ink = sign * level
    blank = (towards_ink <= towards_ink.min() + FILL_AT * faint).ravel()
    plane = np.full(level.shape, np.median(level.ravel()[blank]))
    full = faint
    for _ in range(3):
        if blank.sum() < 9:
            break
        fit = np.linalg.lstsq(terms[blank], level.ravel()[blank], rcond=None)[0]
        plane = (terms @ fit).reshape(level.shape)
        depth = sign * (level - plane)
        # Thin strokes are blurred: cells deeper than digits are filled and tell what ink is.
        full = float(np.median(depth[depth > faint])) if (depth > faint).any() else faint
        blank = (depth < FILL_AT * full).ravel()
    return plane.astype(np.float32), stroke, sign * full
