"""Where the parts of a nonogram are: which cells are the grid, which side the clues are on.

A line grid may hold ruled clue areas as well as the cells, and may come in any quarter turn. The
digits decide: they stand above the columns and left of the rows, and never in the cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.nonogram.digits import NO_DIGIT, classify
from ar_assist.games.nonogram.linegrid import MIN_SIDE, LineGrid
from ar_assist.games.nonogram.sheet import Sheet
from ar_assist.types import Points

MARGIN = 0.6  # of the grid's longer side, looked at for clues: half is the longest clue there is
TEXTURE = 0.2  # of the depth of ink: what is paler is none, clues are dimmed to a third at most
DEEPEST = 0.9  # quantile of what may be digits: that deep are some digits, at least
BESIDE = 1.3  # cells from the grid's edge within which clues set against it begin
NOT_EVEN_A_DIGIT = 0.02  # chance: even of digits that touch the network doubts less
MIN_BESIDE = 0.6  # share of lines with a digit beside the grid; a line may be unread, …
MIN_ON_SIDE = 0.4  # … and of some puzzles half of the rows or columns are empty, without a 0
ON_LINE = 0.1  # of a cell: glyphs whose middle is so near to a grid line are pieces of it
MAX_INSIDE_FAR = 0.04  # … where clues may begin far off: then little else tells that a line of the
# grid is one of clues. Chosen between a stray in 36 cells and a row of two clues in 30 cells
MAX_INSIDE = 0.2  # digits per cell of the grid; crosses are sometimes taken for one


@dataclass(frozen=True)
class Layout:
    """The turn that sets the puzzle upright, and where its cells begin and end in the grid then."""

    turn: int  # quarter turns of the grid
    top: int
    left: int
    bottom: int  # rows and columns of the sheet: those without clues beyond are no cells
    right: int
    score: float  # 2: a digit beside every line and none inside
    reach: float  # cells from the grid within which every clue begins

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.bottom - self.top, self.right - self.left

    @property
    def outline(self) -> Points:
        """(4, 2) corners of the cells in the upright grid."""
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)


def upright(grid: LineGrid, layout: Layout) -> LineGrid:
    """The grid turned as the layout says, up to the last cells."""
    rows, cols, picture_from_grid = grid.rows, grid.cols, grid.picture_from_grid
    for _ in range(layout.turn):
        picture_from_grid = picture_from_grid @ np.array([[0, 1, 0], [-1, 0, rows], [0, 0, 1.0]])
        rows, cols = cols, rows
    return LineGrid(picture_from_grid, layout.bottom, layout.right, grid.seen)


def clue_margin(grid: LineGrid) -> float:
    """Cells around the grid that clues may take."""
    return float(np.ceil(MARGIN * max(grid.rows, grid.cols))) + 1


def find_layout(sheet: Sheet, reach: float = BESIDE) -> Layout | None:
    """The most likely layout over all quarter turns; None: this is no nonogram.

    Clues that aren't set against the grid, but against the outside or in the middle of their
    areas, begin within a wider reach; the longest come near to the grid all the same.
    """
    places = sheet.places()
    rows, cols = sheet.rows, sheet.cols
    near = np.all((places > -reach) & (places < np.array([cols, rows]) + reach), axis=1)
    places = places[near]
    possible = []
    for turn in range(4):
        if _may_have_clues(places, rows, cols, reach):
            possible.append((turn, places, rows, cols))
        places, rows, cols = _turned(places, rows), cols, rows
    if not possible:
        return None
    patches = sheet.patches(np.flatnonzero(near))
    is_ink = _is_ink(sheet.strengths()[near])
    layouts = []
    for turn, places, rows, cols in possible:
        digit = is_ink * (1 - classify(np.rot90(patches, -turn, (1, 2)))[:, NO_DIGIT])
        layouts.append(_layout(turn, places, digit, rows, cols, reach))
    return max((found for found in layouts if found), key=lambda found: found.score, default=None)


def _is_ink(strength: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(N,) glyphs that are not much paler than the deepest: noise on bare paper looks like digits,
    too, now and then.
    """
    return np.asarray(strength > TEXTURE * np.quantile(strength, DEEPEST))


def _may_have_clues(places: NDArray[np.float64], rows: int, cols: int, reach: float) -> bool:
    """Whether there is a layout, this way up, if all glyphs are digits: telling that is cheap."""
    x, y = places.T
    over, side = _clues_beside(x, y, np.ones(len(places), np.float32), rows, cols, reach)[2:]
    return bool(_have_clues(over, side).any())


def _have_clues(over: NDArray[np.float32], side: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where the shares of lines with a digit above and at the side are those of a puzzle."""
    enough = (over + side) / 2 >= MIN_BESIDE
    return np.asarray(enough & (np.minimum(over, side) >= MIN_ON_SIDE))


def _turned(places: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """(N, 2) the places in a grid of so many rows, turned by a quarter."""
    return np.stack([rows - places[:, 1], places[:, 0]], axis=1)


def _layout(
    turn: int,
    places: NDArray[np.float64],
    digit: NDArray[np.float32],
    rows: int,
    cols: int,
    reach: float,
) -> Layout | None:
    """The best first row and column for one turn: at most half of the grid is clues."""
    x, y = places.T
    above, before, over, side = _clues_beside(x, y, digit, rows, cols, reach)
    inside = _tally(x, y, digit, rows, cols)
    within = _means_from(_means_from(inside).T).T[: len(above), : len(before)]
    possible = _have_clues(over, side) & (within <= MAX_INSIDE)
    if reach > BESIDE:
        possible &= within <= MAX_INSIDE_FAR
        possible &= _touches(x, y, digit, inside)[: len(above), : len(before)]
    if not possible.any():
        return None
    score = np.where(possible, over + side - 4 * within, -np.inf)
    top, left = np.unravel_index(np.argmax(score), score.shape)
    bottom, right = _end(before[left]), _end(above[top])
    layout = Layout(turn, int(top), int(left), bottom, right, float(score[top, left]), reach)
    return layout if min(layout.size) >= MIN_SIDE else None


def _touches(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    digit: NDArray[np.float32],
    inside: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """(tops, lefts) whether clues may begin far from the grid that begins there.

    The longest come near to it. Where its first lines are clues, each of them holds digits, and one
    those of most clues, for every clue has a number.
    """
    rows, cols = inside.shape
    held = (inside > 0.5).astype(np.float32)
    over, side = np.ones((rows, cols), bool), np.ones((rows, cols), bool)
    over[0] = _beside(y, x, digit, 0, cols, BESIDE).max() > 0.5
    side[:, 0] = _beside(x, y, digit, 0, rows, BESIDE).max() > 0.5
    over[1:] = _are_clues(held)[:-1]
    side[:, 1:] = _are_clues(held.T)[:-1].T
    return over & side


def _are_clues(held: NDArray[np.float32]) -> NDArray[np.bool_]:
    """For every row and column: are all rows down to it clues of the columns from it on?"""
    share = _means_from(held)
    fullest = np.maximum.accumulate(share, axis=0)
    return np.logical_and.accumulate(share > 0, axis=0) & (fullest >= MIN_BESIDE)


def _clues_beside(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    digit: NDArray[np.float32],
    rows: int,
    cols: int,
    reach: float,
) -> tuple[NDArray[np.float32], ...]:
    """Chances of digits above (tops, cols) and before (lefts, rows) each first row and column, and
    their means, (tops, lefts) each, over the lines that then are the puzzle's.
    """
    tops, lefts = rows // 2 + 1, cols // 2 + 1
    above = np.stack([_beside(y, x, digit, top, cols, reach) for top in range(tops)])
    before = np.stack([_beside(x, y, digit, left, rows, reach) for left in range(lefts)])
    return above, before, _means_from(above)[:, :lefts], _means_from(before)[:, :tops].T


def _end(digit: NDArray[np.float32]) -> int:
    """The end of the lines that may have a digit beside: texture may go on like a grid."""
    return int(np.flatnonzero(digit > NOT_EVEN_A_DIGIT)[-1]) + 1


def _means_from(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """For every column the mean of it and those behind it, row by row."""
    sums = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(sums / np.arange(values.shape[1], 0, -1), np.float32)


def _beside(
    out: NDArray[np.float64],
    along: NDArray[np.float64],
    digit: NDArray[np.float32],
    edge: int,
    lines: int,
    reach: float,
) -> NDArray[np.float32]:
    """(lines,) the chance that a digit stands beside the edge, for every line."""
    near = (out < edge) & (out > edge - reach) & (along >= 0) & (along < lines)
    found = np.zeros(lines, np.float32)
    np.maximum.at(found, along[near].astype(int), digit[near])
    return found


def _tally(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    digit: NDArray[np.float32],
    rows: int,
    cols: int,
) -> NDArray[np.float32]:
    """(rows, cols) the chance that a digit stands in a cell."""
    within = (x >= 0) & (x < cols) & (y >= 0) & (y < rows)
    within &= (np.abs(x - np.rint(x)) > ON_LINE) & (np.abs(y - np.rint(y)) > ON_LINE)
    found = np.zeros((rows, cols), np.float32)
    np.maximum.at(found, (y[within].astype(int), x[within].astype(int)), digit[within])
    return found
