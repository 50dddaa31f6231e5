"""Reading a nonogram: the line grid, the clues beside it, the cells in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.ink import INK_THRESHOLD
from ar_assist.games.nonogram.board import DOUBTFUL, Cells, NonogramBoard
from ar_assist.games.nonogram.clues import ClueReading, read_clues
from ar_assist.games.nonogram.entries import Colours, read_entries
from ar_assist.games.nonogram.layout import BESIDE, Layout, clue_margin, find_layout, upright
from ar_assist.games.nonogram.linegrid import MIN_SIDE, LineGrid, find_grids
from ar_assist.games.nonogram.repair import Settled, settle
from ar_assist.games.nonogram.sheet import NEAR, Sheet, spread
from ar_assist.types import Image, Reading, homography, transform

MAX_GRIDS = 3  # line grids looked at: the screen may hold a keyboard or a calendar as well
SURE_LAYOUT = 1.5  # score of a layout beyond which no other grid is looked at, if its clues agree
SURE = 0.97  # confidence of clues that agree in every row and column
MOST_IN_DOUBT = 0.5  # of the clues: what has more is chess or patterns rather than digits
SAME = 2 / 3  # of the clues of a known board: so many are no other puzzle's by chance
GROWTH = 2  # lines at each side of a grid that may not have been seen
SPARED = 0.15  # of a cell, beside grid lines and panels' borders
CLUE_INK = 0.03  # of the place beside a line: a thin 1 takes so much
UNPROVED = 0.3  # confidence of clues that nothing confirms


@dataclass(frozen=True, eq=False)
class _Found:
    sheet: Sheet
    layout: Layout
    dark: bool  # digits on light paper
    clues: ClueReading
    settled: Settled


@dataclass(frozen=True, eq=False)
class Seen:
    """How a board's clues were seen, to see them again."""

    layout: Layout  # upright
    dark: bool
    solution: Cells | None  # the cells that follow from them
    open_shade: Colours | None  # of the cells, if theirs tell entries


def read(
    picture: Image, before: Reading[NonogramBoard] | None = None
) -> Reading[NonogramBoard] | None:
    """The nonogram in a picture taken from any side; None if there is none.

    Where no grid is found whose clues agree, since filled cells may hide its lines and clues that
    are done are dimmed, that of `before`, in the same px, is kept, if most clues are still there.
    """
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    best = _found(grey)
    if before and (best is None or best.settled.cells is None):
        best = _again(grey, before) or best
    return _reading(picture, best, before) if best else None


def _again(grey: NDArray[np.uint8], before: Reading[NonogramBoard]) -> _Found | None:
    """The clues of a known board where they are still seen: games dim those that are done."""
    seen, board = before.evidence, before.board
    if not isinstance(seen, Seen) or seen.solution is None:
        return None
    layout, known = seen.layout, Settled(board.row_clues, board.col_clues, seen.solution, 0.0)
    picture_from_grid = homography(layout.outline, before.corners)
    grid = LineGrid(picture_from_grid, layout.bottom, layout.right, before.certainty.size)
    found = _clues_of(grey, grid, layout, seen.dark)
    if found is None:
        return None
    same = [now == then for now, then in zip(found.settled.clues, known.clues, strict=True)]
    return replace(found, settled=known) if np.mean(same) >= SAME else None


def _found(grey: NDArray[np.uint8]) -> _Found | None:
    """The likeliest puzzle in a grey picture: between lines, or else between tones."""
    lines = find_grids(grey)[:MAX_GRIDS]
    best = _likeliest(grey, lines, None)
    if best and best.settled.cells is not None:
        return best
    tones = find_grids(grey, of_tones=True)[:MAX_GRIDS]
    rarer = _likeliest(grey, tones, best)
    if rarer is not best and rarer and not _has_ink_in_corner(rarer):
        best = rarer
    if best and best.settled.cells is not None:
        return best
    others = [grid for grid in tones if not any(grid.is_like(other) for other in lines)]
    beyond = (_look_beyond(grey, grid) for grid in (*lines, *others))
    return next((found for found in beyond if found), best)


def _look_beyond(grey: NDArray[np.uint8], grid: LineGrid) -> _Found | None:
    """The clues around a grid with lines at its border that were not seen; None: they don't agree.

    Numbers tell that a line is there: in pale light, or among filled cells, its own border may not.
    """
    larger = grid.grown(GROWTH)
    for dark, sheet in zip((True, False), spread(grey, larger, (True, False)), strict=True):
        layout = find_layout(sheet)
        found = layout and _clues_of(grey, larger, layout, dark)
        if not found:
            continue
        ends = _up_to_number(found, larger)
        if min(ends.size) < MIN_SIDE:
            continue
        if ends != layout:
            found = _clues_of(grey, larger, ends, dark)
        if found is None or found.settled.cells is None or _has_ink_in_corner(found):
            continue
        if _up_to_ink(found, (ends.bottom + 1, ends.right + 1)) == ends:
            return found
    return None


def _up_to_number(found: _Found, larger: LineGrid) -> Layout:
    """The layout up to the last line of the grid proper, or of those beyond that have a number."""
    layout = found.layout
    rows, cols = _turned_size(larger, layout)
    ends = []
    for guesses, begin, end, whole in (
        (found.clues.rows, layout.top, layout.bottom, rows),
        (found.clues.cols, layout.left, layout.right, cols),
    ):
        last = min(whole - GROWTH, end)
        while last < end and guesses[last - begin] and guesses[last - begin][0].clue:
            last += 1
        ends.append(last)
    return replace(layout, bottom=ends[0], right=ends[1])


def _has_ink_in_corner(found: _Found) -> bool:
    """Whether ink stands just outside the first cell's corner, between the clues.

    That of a line before the first stands there, one without blocks, without which the others agree
    as well. Where the border is no line it's easily lost.
    """
    layout, (x, y) = found.layout, found.sheet.origin
    down, across = (
        slice(*(max(round((at + end) * found.sheet.cell), 0) for end in (SPARED - 1, -SPARED)))
        for at in (layout.top + y, layout.left + x)
    )
    spot = found.sheet.ink[down, across]
    return bool(spot.size and float((spot > INK_THRESHOLD).mean()) > CLUE_INK)


def _likeliest(
    grey: NDArray[np.uint8], grids: list[LineGrid], best: _Found | None
) -> _Found | None:
    """The likeliest of the puzzles around grids and of the one known so far."""
    refused: list[LineGrid] = []
    for grid in grids:
        if any(grid.is_like(other) for other in refused):
            continue
        found = _look(grey, grid)
        if found is None:
            refused.append(grid)
        elif best is None or _rank(found) > _rank(best):
            best = found
        if best and best.settled.cells is not None and best.layout.score > SURE_LAYOUT:
            break
    return best


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
        found = _clues_to_the_end(grey, grid, layout, dark)
        if found and found.settled.cells is not None:
            return found
        first = first or found
    return first


def _clues_to_the_end(
    grey: NDArray[np.uint8], grid: LineGrid, layout: Layout, dark: bool
) -> _Found | None:
    """The clues of a layout without the last lines that have none: what goes on like the grid
    beyond its end, buttons, say, that stand in line with its columns."""
    found = _clues_of(grey, grid, layout, dark)
    if found is None:
        return None
    longer = _up_to_ink(found, _turned_size(grid, layout))
    if longer != layout:  # digits that touch may look like none; else a clue was not seen
        whole = _clues_of(grey, grid, longer, dark)
        if whole is not None and whole.settled.cells is not None:
            return whole
        return replace(found, settled=replace(found.settled, cells=None))
    more_rows, more_cols = not found.clues.rows[-1], not found.clues.cols[-1]
    shorter = replace(layout, bottom=layout.bottom - more_rows, right=layout.right - more_cols)
    if shorter == layout or min(shorter.size) < MIN_SIDE:
        return found
    return _clues_to_the_end(grey, grid, shorter, dark)


def _turned_size(grid: LineGrid, layout: Layout) -> tuple[int, int]:
    """Rows and columns of a grid that the layout sets upright."""
    return (grid.rows, grid.cols) if layout.turn % 2 == 0 else (grid.cols, grid.rows)


def _up_to_ink(found: _Found, size: tuple[int, int]) -> Layout:
    """The layout with the lines left out at the end where ink stands as a clue would, if any.

    `size`: up to so many rows and columns.
    """
    layout, ink = found.layout, found.sheet.ink
    x, y = found.sheet.origin
    sides = (
        (ink, (y, x), layout.bottom, size[0], layout.left),
        (ink.T, (x, y), layout.right, size[1], layout.top),
    )
    ends = []
    for across, (along, out), end, whole, edge in sides:
        for line in range(end, whole):
            places = (line + along + SPARED, line + 1 + along - SPARED)
            beside = (edge + out - BESIDE, edge + out - SPARED)
            (a, b), (c, d) = (
                [max(round(at * found.sheet.cell), 0) for at in span] for span in (places, beside)
            )
            spot = across[a:b, c:d]
            if spot.size and float((spot > INK_THRESHOLD).mean()) > CLUE_INK:
                end = line + 1
        ends.append(end)
    return replace(layout, bottom=ends[0], right=ends[1])


def _clues_of(grey: NDArray[np.uint8], grid: LineGrid, layout: Layout, dark: bool) -> _Found | None:
    puzzle = upright(grid, layout)
    (sheet,) = spread(grey, puzzle, (dark,), clue_margin(puzzle), is_upright=True)
    found = _settled(sheet, layout, dark)
    if found is None or found.settled.cells is not None:
        return found
    # Apps dim the clues of complete lines, or set them in badges: what is seen so is believed only
    # if all agree then.
    others = (each() for each in (sheet.with_dimmed, lambda: sheet.without_paper(grey)))
    again = (_settled(other, layout, dark) for other in others)
    return next((each for each in again if each and each.settled.cells is not None), found)


def _settled(sheet: Sheet, layout: Layout, dark: bool) -> _Found | None:
    clues = read_clues(sheet, layout)
    if clues is None:
        return None
    settled = settle(clues.rows, clues.cols)
    if settled.clues.count(None) > MOST_IN_DOUBT * len(settled.clues):
        return None
    return _Found(sheet, layout, dark, clues, settled)


def _reading(
    picture: Image, found: _Found, before: Reading[NonogramBoard] | None
) -> Reading[NonogramBoard]:
    sheet, layout, settled = found.sheet, found.layout, found.settled
    known = before.evidence if before else None
    shade = known.open_shade if isinstance(known, Seen) else None
    colours = sheet.of(picture)
    entries = read_entries(colours, sheet, layout, found.clues.glyphs, settled.cells, shade)
    cells = tuple(tuple(map(int, row)) for row in entries.values)
    # Where open cells keep a shade of their own from look to look, the game wants none left.
    keep_shade = shade is not None and entries.open_shade is not None
    board = NonogramBoard(settled.row_clues, settled.col_clues, cells, keep_shade)
    corners = transform(sheet.picture_from_grid, layout.outline)
    seen = Seen(replace(layout, turn=0), found.dark, settled.cells, entries.open_shade)
    confidence = SURE if settled.cells is not None else UNPROVED
    sure = float((entries.certainty >= DOUBTFUL).mean())  # no advice builds on the others
    return Reading(board, corners, entries.certainty, confidence * sure, seen)
