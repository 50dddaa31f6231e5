"""Colours of a canonical picture of a board, by places in cells from the grid's top left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.canonical import CELL, MARGIN, SIDE, SIZE, FloatArray

MIDDLE = 0.30  # cells: the middle of a disc; dots that mark moves fill less than half of it
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])  # the ways to a square's own


def pixels(xy: NDArray[np.float64]) -> NDArray[np.int32]:
    """(...) the pixels, counted row by row, at (..., 2) points given in cells from the top left."""
    at = np.clip(np.rint((xy + MARGIN) * CELL - 0.5).astype(np.int32), 0, SIDE - 1)
    return np.asarray(at[..., 1] * SIDE + at[..., 0], np.int32)


def sample(board: FloatArray, xy: NDArray[np.float64]) -> FloatArray:
    """(..., 3) colours at (..., 2) points given in cells from the grid's top left."""
    return board.reshape(-1, 3).take(pixels(xy), axis=0)


def centres(around: int = 0) -> NDArray[np.float64]:
    """(8, 8, 2) x, y of the squares' middles, in cells; or with so many more on every side."""
    along = np.arange(-around, SIZE + around)
    return np.asarray(np.stack(np.meshgrid(along, along), axis=-1) + 0.5, np.float64)


def middle_colours(
    board: FloatArray, middles: NDArray[np.float64], reach: NDArray[np.float64] | float = MIDDLE
) -> FloatArray:
    """(8, 8, K, 3) colours from the middle of a disc at each place, `reach` cells around it."""
    grid = np.linspace(-1, 1, 9)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    points = points[np.hypot(*points.T) <= 1]
    away = np.broadcast_to(reach, (SIZE, SIZE))[..., None, None] * points
    return sample(board, middles[:, :, None] + away)
