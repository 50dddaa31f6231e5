"""A reading held against the true board: place, shape, and the cells through geometry.

Labels of a link board are arbitrary, so they are compared as a partition; a reading from another
corner or in a mirror is right if its corners say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ar_assist.evaluate import geometry
from ar_assist.evaluate.placed import PlacedBoard
from ar_assist.types import Cell, Points, transform

# Less overlap than this is another thing than the board: half is the customary bar in detection.
FOUND_IOU = 0.5
UNREAD = -9  # no read cell, or several, fell into this cell


@dataclass(frozen=True, eq=False)
class Match:
    """How well a reading fits."""

    iou: float
    corner_tiles: float | None  # mean distance of the corners in the board's own plane
    drift: Points | None  # (4, 2) px, drawn corners minus true ones
    shape: bool  # rows and columns are right
    wrong_cells: float  # share of the true cells
    cause: str  # why the reading is not exact; "" when it is


def match_boards(
    read: PlacedBoard, true: PlacedBoard, game: str, unsure: frozenset[Cell] = frozenset()
) -> Match:
    """Compare a reading with the truth; cells in `unsure` may be read either way."""
    overlap = geometry.iou(read.corners, true.corners)
    if overlap < FOUND_IOU:
        return Match(overlap, None, None, False, 1.0, "elsewhere")
    order = list(geometry.best_order(read.corners, true.corners))
    across = set(order[:2]) in ({0, 1}, {2, 3})  # its rows lie along the true rows
    shape = (read.rows, read.cols) == ((true.rows, true.cols) if across else (true.cols, true.rows))
    wrong, cause = _compare(read, true, game, unsure)
    return Match(
        iou=overlap,
        corner_tiles=_corner_error(read.corners[order], true),
        drift=read.corners[order] - true.corners,
        shape=shape,
        wrong_cells=wrong,
        cause=cause if shape else "rows x columns",
    )


def _corner_error(corners: Points, true: PlacedBoard) -> float:
    """Mean distance in tiles, measured in the board's plane, so that a tilt does not weigh."""
    to_grid = true.grid_from_frame
    off = transform(to_grid, corners) - transform(to_grid, true.corners)
    return float(np.hypot(*off.T).mean())


def _compare(
    read: PlacedBoard, true: PlacedBoard, game: str, unsure: frozenset[Cell]
) -> tuple[float, str]:
    """Share of wrong cells, and what is wrong."""
    if true.cells is None:
        return 0.0, _compare_clues(read, true)
    seen, truth = _laid_over(read, true), np.array(true.cells)
    sure = np.ones(truth.shape, bool)
    for r, c in unsure:
        sure[r, c] = False
    seen, truth = seen[sure], truth[sure]
    wrong = wrong_labels(seen, truth) if game == "link" else int((seen != truth).sum())
    cause = describe(seen, truth) if wrong else _compare_clues(read, true)
    return wrong / max(truth.size, 1), cause


def _compare_clues(read: PlacedBoard, true: PlacedBoard) -> str:
    known = bool(true.row_clues or true.col_clues)
    same = (read.row_clues, read.col_clues) == (true.row_clues, true.col_clues)
    return "clues" if known and not same else ""


def _laid_over(read: PlacedBoard, true: PlacedBoard) -> NDArray[np.int64]:
    """(rows, cols) of the true board: the label of the one read cell that falls into each."""
    true_from_read = true.grid_from_frame @ read.frame_from_grid
    fallen = transform(true_from_read, read.grid_centres)[..., ::-1]
    spots = np.floor(fallen).astype(np.int64).reshape(-1, 2)
    labels = np.array(read.cells).ravel()
    on = ((spots >= 0) & (spots < (true.rows, true.cols))).all(1)
    flat = spots[on] @ (true.cols, 1)
    seen = np.full(true.rows * true.cols, UNREAD)
    seen[flat] = labels[on]
    seen[np.bincount(flat, minlength=seen.size) > 1] = UNREAD
    return seen.reshape(true.rows, true.cols)


def wrong_labels(seen: NDArray[np.int64], truth: NDArray[np.int64]) -> int:
    """Cells that are wrong when every read kind is taken for the true kind that suits it best.

    The best one-to-one pairing of kinds: Kuhn, The Hungarian method, 1955. What is no tile
    (empty, stone, hole) must be read as just that.
    """
    plain = int(((seen == truth) & (truth <= 0)).sum())
    table = contingency(seen, truth)
    return int(truth.size - plain - table[linear_sum_assignment(table, maximize=True)].sum())


def contingency(seen: NDArray[np.int64], truth: NDArray[np.int64]) -> NDArray[np.int64]:
    """(read kinds, true kinds): how many tiles of a true kind got which label."""
    both = (seen > 0) & (truth > 0)
    kinds, row = np.unique(seen[both], return_inverse=True)
    true_kinds, col = np.unique(truth[both], return_inverse=True)
    table = np.zeros((len(kinds), len(true_kinds)), np.int64)
    np.add.at(table, (row, col), 1)
    return table


def describe(seen: NDArray[np.int64], truth: NDArray[np.int64]) -> str:
    """The kinds of faults in a wrong reading."""
    table = contingency(seen, truth)
    faults = {
        "tiles left out": bool(((truth > 0) & (seen == UNREAD)).any()),
        "empties left out": bool(((truth <= 0) & (seen == UNREAD)).any()),
        "empty read as tile": bool(((truth <= 0) & (seen > 0)).any()),
        "tile read as empty": bool(((truth > 0) & (seen <= 0) & (seen != UNREAD)).any()),
        "kinds merged": bool(((table > 0).sum(1) > 1).any()),
        "kinds split": bool(((table > 0).sum(0) > 1).any()),
    }
    return ", ".join(fault for fault, is_so in faults.items() if is_so) or "values"
