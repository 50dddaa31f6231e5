"""What the cells of a grid share: which of them show it best, and how far it lies off its place."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Maps = NDArray[np.float32]
Mask = NDArray[np.bool_]

MIN_BETWEEN = 8  # cells with others on both sides: each shows its borders along a whole side


def between_others(some: Mask, axis: int) -> Mask:
    """(R, C) `some` cells with others of them on both sides along an axis, if there are enough: one
    that has none ends in the ground there, so that at its border, where all should be alike, it
    differs most."""
    padded = np.pad(some, 1)
    before, after = (np.roll(padded, step, axis)[1:-1, 1:-1] for step in (1, -1))
    inner: Mask = some & before & after
    return inner if inner.sum() >= MIN_BETWEEN else some


def best_offsets(
    area: Maps, template: Maps, cell_px: int, reach_px: int
) -> tuple[Maps, Maps, Mask]:
    """Normalised cross-correlation (NCC) of every cell at its best offset, (rows, cols); these
    offsets, (rows, cols, 2) x, y px, sub-pixel by a parabola; whether they lie at the search's rim.

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
