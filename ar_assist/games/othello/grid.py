"""Fit the 8 x 8 grid of an Othello board to a picture, from a quad that is roughly right.

The board is warped to a *canonical* picture, where cells are CELL px squares. There each of the 18
grid lines is looked for near its expected place, one cell's length at a time: a line is a ridge or
valley (printed line, groove), the outer border also a step (felt to frame). The corners then move
by the least-squares fit to all places found, with those that disagree weighted down (iteratively
reweighted least squares, Holland & Welsch 1977), and the picture is warped anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
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
REACHES = (0.25, 0.2, 0.2)  # cells searched to either side in a fit; steps fill 0.19 of them
VOTED_PX = round(0.4 * CELL)  # a rough corner is sought so far to either side …
VOTES = 2  # after the first the board fills its picture, and its lines are where they count
VOTED_STEPS = 9  # … at so many places: a tenth of a cell apart, which the fit bridges easily
ENOUGH = 12.0  # Lab units: a line need hardly be stronger, but the edges of discs are
SEEN = 1.5  # weight of a typical inner line from which the board has visible lines …
BORDER_TRUST = 0.25  # … which then go before the border: frames have several edges
FAINTEST = 1.0  # Lab units: what stands out less is noise
AT_PLACE_PX = 2.5  # px of the canonical picture: a line that is nearer is where the grid has it
FRAME_PX = 5.0  # … and so near for the border, where line, felt and frame end side by side
LEAST = 1e-3  # weight that keeps the fit solvable where nothing is seen
LOOSE_PX = 3.0  # px of the canonical picture: half weight; the edges of a groove are so far off

# Cells from the top: lines are looked at around their crossings, where discs hide them least.
ALONG = np.array([0.25, *range(1, SIZE), SIZE - 0.25])
OUTSIDE = np.array([-0.5, *ALONG, SIZE + 0.5])  # … and one cell's length beyond the border
UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
BOARD = (UNIT * SIZE + MARGIN) * CELL - 0.5  # (4, 2) px of the board in the canonical picture
FloatArray = NDArray[np.float32]


def _design() -> NDArray[np.float64]:
    """(81, 4) share of each corner's shift in the shift of each place on the upright lines."""
    u = np.repeat(np.arange(SIZE + 1) / SIZE, len(ALONG))
    v = np.tile(ALONG / SIZE, SIZE + 1)
    return np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)


DESIGN = _design()
MOVES = np.array(  # (6561, 4) px that the corners move along x
    list(product(np.linspace(-VOTED_PX, VOTED_PX, VOTED_STEPS), repeat=4)), np.float32
)
_VOTED = np.rint(MOVES @ DESIGN.T).astype(np.int32) + VOTED_PX  # and the places of the lines then
_VOTED += np.arange(len(DESIGN), dtype=np.int32) * (2 * VOTED_PX + 1)


def canonical(picture: Image, corners: Points) -> FloatArray:
    """(SIDE, SIDE, 3) CIE L*a*b* of the board with its margin; corners (4, 2) plane px."""
    matrix = homography(corners, BOARD)
    warped = cv2.warpPerspective(picture, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(warped.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, np.float32)


def shown(picture: Image, corners: Points) -> NDArray[np.bool_]:
    """(SIDE, SIDE) where the canonical picture shows something, and no repeated rim."""
    matrix = homography(corners, BOARD)
    whole = np.ones(picture.shape[:2], np.uint8)
    return np.asarray(cv2.warpPerspective(whole, matrix, (SIDE, SIDE)) > 0)


def squares_of(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The part of such a picture that holds the squares, less a sixth of a cell at the rim."""
    first, last = round(CELL * (MARGIN + 1 / 6)), round(CELL * (MARGIN + SIZE - 1 / 6))
    return shown[first:last, first:last]


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


def _profiles(board: FloatArray, reach: int, along: NDArray[np.float64]) -> FloatArray:
    """(9, len(along), 2 * reach + 1) strength across each upright line at places along it."""
    ridge, step = line_strength(board)
    border = np.maximum(ridge, step)
    ys = ((MARGIN + along) * CELL).astype(int)
    xs = ((MARGIN + np.arange(SIZE + 1)) * CELL).astype(int)[:, None] + np.arange(-reach, reach + 1)
    profiles: FloatArray = ridge[ys[None, :, None], xs[:, None, :]]
    profiles[[0, -1]] = border[ys[None, :, None], xs[[0, -1], None, :]]
    return profiles


def _likely(profiles: FloatArray) -> FloatArray:
    """The same, over its median and saturated: the edges of discs outdo lines otherwise.

    Of two equals the one that is nearer to its place is the likelier.
    """
    places = profiles.shape[2]
    away = np.abs(np.linspace(-1, 1, places))
    stands_out = np.maximum(profiles - np.median(profiles, axis=2, keepdims=True), 0)
    return np.asarray(stands_out / (1 + stands_out / ENOUGH) * (1 - 0.5 * away), np.float32)


def _offsets(
    board: FloatArray, reach: int, along: NDArray[np.float64] = ALONG
) -> tuple[FloatArray, FloatArray]:
    """(9, len(along)) px that each upright line lies to the right of its place; weights."""
    profiles = _profiles(board, reach, along)
    likely = _likely(profiles)
    peak = likely.argmax(axis=2)
    inner = np.clip(peak, 1, 2 * reach - 1)[..., None]
    before, at, after = (np.take_along_axis(profiles, inner + d, 2)[..., 0] for d in (-1, 0, 1))
    curvature = np.maximum(2 * at - before - after, 1e-6)
    vertex = np.clip((after - before) / (2 * curvature), -0.5, 0.5)
    # Canonical pixels start at -0.5, so a grid line lies half a pixel before its pixel's centre.
    return (peak - reach + 0.5 + vertex).astype(np.float32), likely.max(axis=2)


def _trust(weights: FloatArray) -> FloatArray:
    """(9, 1) how much each upright line's word counts, given the weights of what was found."""
    trust = np.ones((SIZE + 1, 1), np.float32)
    if np.median(weights[1:-1]) > SEEN:
        trust[[0, -1]] = BORDER_TRUST
    else:
        trust[1:-1] = LEAST  # no lines: what was found inside are the edges of discs
    return trust


def _voted_shifts(board: FloatArray) -> FloatArray:
    """(4,) px along x that the corners move: of all moves in steps, the one on most lines.

    Unlike a fit it can't be caught by the edges of discs or the further edges of a frame.
    """
    profiles = _profiles(board, VOTED_PX, ALONG)
    likely = _likely(profiles)
    votes = np.asarray(cv2.dilate(likely.reshape(-1, likely.shape[2]), np.ones((1, 5), np.uint8)))
    votes *= np.repeat(_trust(likely.max(axis=2)), len(ALONG), axis=0)
    return np.asarray(MOVES[votes.ravel()[_VOTED].sum(axis=1).argmax()], np.float32)


def _fitted_shifts(board: FloatArray, reach: int) -> FloatArray:
    """(4,) px along x that the corners move by the least-squares fit to the upright lines."""
    offsets, weights = _offsets(board, reach)
    target, trust = offsets.ravel(), ((weights + LEAST) * _trust(weights)).ravel()
    shifts: NDArray[Any] = np.zeros(4)
    for _ in range(8):
        residual = DESIGN @ shifts - target
        weight = trust / (1 + (residual / LOOSE_PX) ** 2)
        normal = DESIGN.T * weight
        shifts = np.linalg.solve(normal @ DESIGN + 1e-6 * np.eye(4), normal @ target)
    return shifts.astype(np.float32)


def refine(picture: Image, corners: Points, rough: bool = True) -> Points:
    """(4, 2) plane px: the grid's outer corners; `rough` ones may be wrong by up to 0.4 cells."""
    for _ in range(VOTES if rough else 0):
        corners = _moved(picture, corners, _voted_shifts)
    for reach in REACHES:
        corners = _moved(picture, corners, partial(_fitted_shifts, reach=round(reach * CELL)))
    return corners


def _moved(picture: Image, corners: Points, shifts: Callable[[FloatArray], FloatArray]) -> Points:
    """The corners after the shifts that the upright and the level lines want."""
    board = canonical(picture, corners)
    level = shifts(board.transpose(1, 0, 2))
    moved = BOARD + np.stack([shifts(board), level[[0, 3, 2, 1]]], axis=1)
    return transform(homography(BOARD, corners), moved)


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


def support(board: FloatArray, shown: NDArray[np.bool_]) -> Support:
    """How well a canonical picture shows the lines of the grid; `shown`: where it shows anything.

    A plane's picture may end at the board: then nothing tells whether the grid goes on.
    """
    both = [_there(board, shown), _there(board.transpose(1, 0, 2), shown.T)]
    inside = np.stack([there[:, 1:-1] for there in both])
    beyond = max(there[:, end].mean() for there in both for end in (0, -1))
    return Support(float(inside[:, 1:-1].mean()), float(inside[:, [0, -1]].mean()), float(beyond))


def _there(board: FloatArray, shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(9, 11) whether each upright line is there at each place along it and beyond both ends."""
    offsets, weights = _offsets(board, round(0.4 * CELL), OUTSIDE)
    nearness = np.full((SIZE + 1, 1), AT_PLACE_PX)
    nearness[[0, -1]] = FRAME_PX
    there = (np.abs(offsets) <= nearness) & (weights > FAINTEST)
    xs = ((MARGIN + np.arange(SIZE + 1)) * CELL).astype(int)
    for end in (0, -1):
        there[:, end] &= shown[int((MARGIN + OUTSIDE[end]) * CELL), xs]
    return np.asarray(there)
