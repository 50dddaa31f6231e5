"""Fit the 8 x 8 grid of an Othello board to a picture, from a quad that is roughly right.

The board is warped to a *canonical* picture, where cells are CELL px squares. There each of the 18
grid lines is looked for near its expected place, one cell's length at a time: a line is a ridge or
valley (printed line, groove), the outer border also a step (felt to frame). The corners then move
by the least-squares fit to all places found, with those that disagree weighted down (iteratively
reweighted least squares, Holland & Welsch 1977), and the picture is warped anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Image, Points, homography, transform

SIZE = 8  # cells to a side
CELL = 32  # px of a canonical cell: a 1 px printed line of a 300 px board still stands out
MARGIN = 1.5  # cells seen around the board: enough to notice that the grid goes on
SIDE = round(CELL * (SIZE + 2 * MARGIN))  # px of the canonical picture

RIDGE_PX = 3  # px from a line's middle to the felt beside it, in the canonical picture
REACHES = (0.45, 0.4, 0.3, 0.2, 0.15)  # cells searched to either side, coarse to fine
ENOUGH = 12.0  # Lab units: a line need hardly be stronger, but the edges of discs are
SEEN = 1.5  # weight of a typical inner line from which the board has visible lines …
BORDER_TRUST = 0.25  # … which then go before the border: frames have several edges
FAINTEST = 1.0  # Lab units: what stands out less is noise
AT_PLACE_PX = 2.5  # px of the canonical picture: a line that is nearer is where the grid has it
FRAME_PX = 5.0  # … and so near for the border, where line, felt and frame end side by side
LEAST = 1e-3  # weight that keeps the fit solvable where nothing is seen
LOOSE_PX = 2.0  # px of the canonical picture: a line that is so far off has half its weight

UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
BOARD = (UNIT * SIZE + MARGIN) * CELL - 0.5  # (4, 2) px of the board in the canonical picture
FloatArray = NDArray[np.float32]


def canonical(picture: Image, corners: Points) -> FloatArray:
    """(SIDE, SIDE, 3) CIE L*a*b* of the board with its margin; corners (4, 2) plane px."""
    matrix = homography(corners, BOARD)
    warped = cv2.warpPerspective(picture, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(warped.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, np.float32)


def shrunk(picture: Image, corners: Points) -> tuple[Image, Points]:
    """The picture and corners at about the canonical scale, if they are larger.

    Areas are averaged; warping alone would skip pixels, and thin lines with them.
    """
    factor = SIZE * CELL / float(np.sqrt(cv2.contourArea(corners.astype(np.float32))))
    if factor > 0.7:
        return picture, corners
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    scale = np.array(small.shape[1::-1], np.float32) / picture.shape[1::-1]
    return np.asarray(small, np.uint8), ((corners + 0.5) * scale - 0.5).astype(np.float32)


def line_strength(board: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(SIDE, SIDE) ridge and step strength of upright lines in a canonical picture, in Lab units.

    Averaged along the line before its size is taken, so that felt texture and the round edges of
    discs mostly cancel.
    """
    left, right = np.roll(board, RIDGE_PX, axis=1), np.roll(board, -RIDGE_PX, axis=1)
    along = (1, CELL * 5 // 8)
    ridge = cv2.blur(board - (left + right) / 2, along)
    step = cv2.blur((right - left) / 2, along)
    return _size(ridge), _size(step)


def _size(colours: NDArray[Any]) -> FloatArray:
    """(H, W) Euclidean length of (H, W, 3); einsum, as numpy's norm takes five times as long."""
    length: FloatArray = np.sqrt(np.einsum("ijk,ijk->ij", colours, colours))
    return length


def _profiles(board: FloatArray, reach: int, beyond: int) -> FloatArray:
    """(9, 8 + 2 * beyond, 2 * reach + 1) strength across each length of each upright line."""
    ridge, step = line_strength(board)
    border = np.maximum(ridge, step)
    ys = ((MARGIN + np.arange(-beyond, SIZE + beyond) + 0.5) * CELL).astype(int)
    xs = ((MARGIN + np.arange(SIZE + 1)) * CELL).astype(int)[:, None] + np.arange(-reach, reach + 1)
    profiles: FloatArray = ridge[ys[None, :, None], xs[:, None, :]]
    profiles[[0, -1]] = border[ys[None, :, None], xs[[0, -1], None, :]]
    return profiles


def _offsets(board: FloatArray, reach: int, beyond: int = 0) -> tuple[FloatArray, FloatArray]:
    """(9, 8) px that each length of an upright line lies to the right of its place; its weight.

    With `beyond`, so many lengths outside the border are added at both ends.
    """
    profiles = _profiles(board, reach, beyond)
    away = np.abs(np.arange(-reach, reach + 1)) / reach
    stands_out = np.maximum(profiles - np.median(profiles, axis=2, keepdims=True), 0)
    likely = stands_out / (1 + stands_out / ENOUGH) * (1 - 0.5 * away)  # the nearer of two equals
    peak = likely.argmax(axis=2)
    inner = np.clip(peak, 1, 2 * reach - 1)[..., None]
    before, at, after = (np.take_along_axis(profiles, inner + d, 2)[..., 0] for d in (-1, 0, 1))
    curvature = np.maximum(2 * at - before - after, 1e-6)
    vertex = np.clip((after - before) / (2 * curvature), -0.5, 0.5)
    # Canonical pixels start at -0.5, so a grid line lies half a pixel before its pixel's centre.
    return (peak - reach + 0.5 + vertex).astype(np.float32), likely.max(axis=2)


def _corner_shifts(offsets: FloatArray, weights: FloatArray) -> FloatArray:
    """(4,) px along x that the corners move, given (9, 8) offsets of the upright lines."""
    u = np.repeat(np.arange(SIZE + 1) / SIZE, SIZE)
    v = np.tile((np.arange(SIZE) + 0.5) / SIZE, SIZE + 1)
    design = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)
    trusted = weights + LEAST
    if np.median(weights[1:-1]) > SEEN:
        trusted[[0, -1]] *= BORDER_TRUST
    else:
        trusted[1:-1] = LEAST  # no lines: what was found inside are the edges of discs
    target, trust = offsets.ravel(), trusted.ravel()
    shifts: NDArray[Any] = np.zeros(4)
    for _ in range(8):
        residual = design @ shifts - target
        weight = trust / (1 + (residual / LOOSE_PX) ** 2)
        normal = design.T * weight
        shifts = np.linalg.solve(normal @ design + 1e-6 * np.eye(4), normal @ target)
    return shifts.astype(np.float32)


def refine(picture: Image, corners: Points) -> Points:
    """(4, 2) plane px: the grid's outer corners, from ones that are wrong by up to 0.4 cells."""
    for reach in REACHES:
        board = canonical(picture, corners)
        upright = _corner_shifts(*_offsets(board, round(reach * CELL)))
        level = _corner_shifts(*_offsets(board.transpose(1, 0, 2), round(reach * CELL)))
        moved = BOARD + np.stack([upright, level[[0, 3, 2, 1]]], axis=1)
        corners = transform(homography(BOARD, corners), moved)
    return corners


@dataclass(frozen=True)
class Support:
    """Shares of the cells' lengths of grid lines that are where a grid of 8 x 8 has them."""

    inner: float  # of the 14 inner lines
    border: float  # of the outer border
    beyond: float  # of a side's 9 lines' first length outside the border, on the worst side

    @property
    def merit(self) -> float:
        """Orders grids that are shifted against each other by whole cells."""
        return self.inner + (self.border - self.beyond) / 2


def support(board: FloatArray) -> Support:
    """How well a canonical picture shows the lines of the grid."""
    both = [_there(turned) for turned in (board, board.transpose(1, 0, 2))]
    inside = np.stack([there[:, 1:-1] for there in both])
    beyond = max(there[:, end].mean() for there in both for end in (0, -1))
    return Support(float(inside[:, 1:-1].mean()), float(inside[:, [0, -1]].mean()), float(beyond))


def _there(board: FloatArray) -> NDArray[np.bool_]:
    """(9, 10) whether each cell's length of each upright line is there, one beyond each end."""
    offsets, weights = _offsets(board, round(0.4 * CELL), beyond=1)
    nearness = np.full((SIZE + 1, 1), AT_PLACE_PX)
    nearness[[0, -1]] = FRAME_PX
    return (np.abs(offsets) <= nearness) & (weights > FAINTEST)
