"""Canonical pictures of Othello boards: straight on, with cells of CELL px and a margin around.

They are (SIDE, SIDE, 3), larger for grids of more cells; corners are clockwise from the top left.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Homography, Image, Points, homography

SIZE = 8  # cells to a side
CELL = 32  # px of a canonical cell: a 1 px printed line of a 300 px board still stands out
MARGIN = 1.5  # cells seen around the board: enough to notice that the grid goes on
SIDE = round(CELL * (SIZE + 2 * MARGIN))  # px of the canonical picture
UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)  # corners, in units of a side
FloatArray = NDArray[np.float32]
Cells = tuple[int, int]  # columns, rows
EIGHT = (SIZE, SIZE)


def outline(cells: Cells) -> Points:
    """(4, 2) px of a grid's corners in its canonical picture."""
    return np.asarray((UNIT * cells + MARGIN) * CELL - 0.5, np.float32)


BOARD = outline(EIGHT)


def warped(picture: Image, corners: Points, cells: Cells = EIGHT) -> Image:
    """The canonical picture of the grid that has its `corners`, (4, 2) px, in a `picture`."""
    matrix, size_wh = _canonical_from_plane(corners, cells)
    board = cv2.warpPerspective(picture, matrix, size_wh, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(board, np.uint8)


def lab(colours: NDArray[Any]) -> FloatArray:
    """CIE L*a*b* of (H, W, 3) BGR levels, whole ones or not."""
    scaled = np.asarray(colours, np.float32) / 255
    return np.asarray(cv2.cvtColor(scaled, cv2.COLOR_BGR2LAB), np.float32)


def shown(picture: Image, corners: Points, cells: Cells = EIGHT) -> NDArray[np.bool_]:
    """(SIDE, SIDE) where the canonical picture shows something, and no repeated rim."""
    matrix, size_wh = _canonical_from_plane(corners, cells)
    whole = np.ones(picture.shape[:2], np.uint8)
    return np.asarray(cv2.warpPerspective(whole, matrix, size_wh) > 0)


def _canonical_from_plane(corners: Points, cells: Cells) -> tuple[Homography, Cells]:
    """The map to the canonical picture of a grid, and that picture's width and height."""
    width, height = (round(CELL * (count + 2 * MARGIN)) for count in cells)
    return homography(corners, outline(cells)), (width, height)


def turned(board: Image) -> Image:
    """Its level lines upright; a copy, as strips cut across memory take three times as long."""
    return np.asarray(cv2.transpose(board), np.uint8)


def squares_of(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The part of such a picture that holds the squares, less a sixth of a cell at the rim."""
    first, last = round(CELL * (MARGIN + 1 / 6)), round(CELL * (MARGIN + SIZE - 1 / 6))
    return shown[first:last, first:last]


def shrunk(
    picture: Image, corners: Points, cells: Cells = EIGHT, cell_px: int = CELL
) -> tuple[Image, Points]:
    """The picture and corners at about the scale of the canonical picture, if they are larger.

    Areas are averaged; warping alone would skip pixels, and thin lines with them.
    """
    area = cv2.contourArea(corners.astype(np.float32))
    factor = cell_px * float(np.sqrt(cells[0] * cells[1] / area))
    if factor > 0.7:
        return picture, corners
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    scale = np.array(small.shape[1::-1], np.float32) / picture.shape[1::-1]
    return np.asarray(small, np.uint8), ((corners + 0.5) * scale - 0.5).astype(np.float32)
