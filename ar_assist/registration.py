"""Find how far cells of a grid lie off their places, by normalised cross-correlation."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Maps = NDArray[np.float32]


def best_offsets(
    area: Maps, template: Maps, cell_px: int, reach_px: int
) -> tuple[Maps, Maps, NDArray[np.bool_]]:
    """NCC of every cell at its best offset, (rows, cols); these offsets, (rows, cols, 2) x, y px,
    sub-pixel by a parabola; and whether they lie at the rim of the search.

    `area` (H, W, K) begins `reach_px` before the place of the `template` (h, w, K) in the first
    cell, and ends as far behind it in the last one; cells are `cell_px` apart.
    """
    match = cv2.matchTemplate(
        np.ascontiguousarray(area), np.ascontiguousarray(template), cv2.TM_CCOEFF_NORMED
    )
    side = 2 * reach_px + 1
    blocks = np.lib.stride_tricks.sliding_window_view(match, (side, side))[::cell_px, ::cell_px]
    rows, cols = blocks.shape[:2]
    around = blocks.reshape(rows, cols, side * side)
    dy, dx = np.divmod(around.argmax(axis=-1), side)
    at_rim = (dx == 0) | (dy == 0) | (dx == side - 1) | (dy == side - 1)
    row, col = np.mgrid[:rows, :cols] * cell_px
    y = np.clip(row + dy, 1, match.shape[0] - 2)
    x = np.clip(col + dx, 1, match.shape[1] - 2)
    fine_x = _parabola(match[y, x - 1], match[y, x], match[y, x + 1])
    fine_y = _parabola(match[y - 1, x], match[y, x], match[y + 1, x])
    offset = np.stack([dx - reach_px + fine_x, dy - reach_px + fine_y], axis=-1)
    return around.max(axis=-1), offset.astype(np.float32), at_rim


def _parabola(before: Maps, here: Maps, after: Maps) -> Maps:
    """Position of the summit through three samples, -0.5 to 0.5."""
    bend = before - 2 * here + after
    flat = np.abs(bend) < 1e-6
    summit = 0.5 * (before - after) / np.where(flat, 1, bend)
    fine: Maps = np.where(flat, 0, np.clip(summit, -0.5, 0.5)).astype(np.float32)
    return fine
