"""Fit the 8 x 8 grid of an Othello board to a picture, from a quad that is roughly right.

Each of the 18 grid lines is looked for in the board's canonical picture (canonical.py) near its
expected place, one cell's length at a time: a line is a ridge or valley (printed line, groove), the
outer border also a step (felt to frame). The corners then move by the least-squares fit to all
places found, with those that disagree weighted down (iteratively reweighted least squares,
Holland & Welsch 1977), and the picture is warped anew.
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

from ar_assist.games.othello.canonical import (
    BOARD,
    CELL,
    MARGIN,
    SIZE,
    FloatArray,
    lab,
    turned,
    warped,
)
from ar_assist.types import Image, Points, homography, transform

STRETCH = np.arange(-CELL * 5 // 16, CELL * 5 // 16)  # px along a line that are averaged
RIDGE_PX = 3  # px from a line's middle to the felt beside it, in the canonical picture
REACHES = (0.25, 0.2, 0.2)  # cells searched to either side in a fit; steps fill 0.19 of them
VOTED_PX = round(0.4 * CELL)  # a rough corner is sought so far to either side …
VOTES = 2  # after the first the board fills its picture, and its lines are where they count
VOTED_STEPS = 9  # … at so many places: a tenth of a cell apart, which the fit bridges easily
ENOUGH = 12.0  # Lab units: a line need hardly be stronger, but the edges of discs are
SEEN = 1.5  # weight of a typical inner line from which the board has visible lines …
BORDER_TRUST = 0.25  # … which then go before the border: frames have several edges
FAINTEST = 1.0  # Lab units: what stands out less is noise
EVERYWHERE = 0.75  # share of the crossings at which two tones take turns alike; the edges of discs
# in turn do not
Nearness = tuple[float, float]  # px of the canonical picture: an inner line or the border that is
# nearer is where the grid has it; at the border line, felt and frame end side by side
FITTED_PX: Nearness = (2.5, 5.0)
VOTED_FOR_PX: Nearness = (5.0, 7.0)  # before the fit: most of a step of the vote further
LEAST = 1e-3  # weight that keeps the fit solvable where nothing is seen
LOOSE_PX = 3.0  # px of the canonical picture: half weight; the edges of a groove are so far off

# Cells from the top: lines are looked at around their crossings, where discs hide them least.
ALONG = np.array([0.25, *range(1, SIZE), SIZE - 0.25])
OUTSIDE = np.array([-0.5, *ALONG, SIZE + 0.5])  # … and one cell's length beyond the border


def _design() -> NDArray[np.float64]:
    """(81, 4) share of each corner's shift in the shift of each place on the upright lines."""
    u = np.repeat(np.arange(SIZE + 1) / SIZE, len(ALONG))
    v = np.tile(ALONG / SIZE, SIZE + 1)
    return np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)


DESIGN = _design()
# What a move of all four corners does to a line depends on the line's own two ends alone: votes
# are summed by line and whole shifts of its ends, and then by moves.
MOVES = np.array(  # (81, 2) px along x that the two upper corners move, or the two lower ones
    list(product(np.linspace(-VOTED_PX, VOTED_PX, VOTED_STEPS), repeat=2)), np.float32
)
_U, _V = np.arange(SIZE + 1) / SIZE, ALONG / SIZE
_ENDS = np.rint(MOVES @ np.stack([1 - _U, _U])).astype(int) + VOTED_PX  # (81, 9) of each line
_UPPER, _LOWER = np.mgrid[: 2 * VOTED_PX + 1, : 2 * VOTED_PX + 1]
_BETWEEN = np.rint(np.multiply.outer(1 - _V, _UPPER) + np.multiply.outer(_V, _LOWER)).astype(int)


def _line_strength(board: Image, along: NDArray[np.float64]) -> tuple[FloatArray, FloatArray]:
    """(len(along), SIDE) ridge and step strength of upright lines at places along them, Lab units.

    Averaged along the line before its size is taken, so that felt texture and the round edges of
    discs mostly cancel. What is left of those begins as a bend: felt on one side, a disc on the
    other. A line differs from both its sides, and in the same way, which their product tells.
    """
    middles = ((MARGIN + along) * CELL).astype(int)
    strips = board[middles[:, None] + STRETCH].mean(axis=1, dtype=np.float32)
    colours = lab(strips)
    left, right = np.roll(colours, RIDGE_PX, axis=1), np.roll(colours, -RIDGE_PX, axis=1)
    alike = np.einsum("ijk,ijk->ij", colours - left, colours - right)
    return np.sqrt(np.maximum(alike, 0)), _size((right - left) / 2)


def _turns(board: Image, reach: int, along: NDArray[np.float64]) -> FloatArray:
    """(lines, len(along), 2 * reach + 1) how much two tones that take turns do so across upright
    lines, Lab units; 0 where there are no two.

    Chequered boards may have no other lines. Where four squares meet, the lower half of a strip
    differs from the upper one, on the right of a line as much as on the left, but the other way
    round; and from each line to the next, along it and beside it, that changes its sign. Tones do
    so alike all over the board.
    """
    middles = ((MARGIN + along) * CELL).astype(int)
    upper, lower = (
        lab(board[middles[:, None] + half].mean(axis=1, dtype=np.float32))
        for half in np.split(STRETCH, 2)
    )
    down = lower - upper
    turn = (np.roll(down, -RIDGE_PX, axis=1) - np.roll(down, RIDGE_PX, axis=1)) / 4
    across = np.stack([_across(each, reach) for each in np.moveaxis(turn, -1, 0)], axis=-1)
    line = np.arange(len(across))
    across *= (1 - 2 * (np.add.outer(line, np.rint(along).astype(int)) % 2))[..., None, None]
    within = slice((len(line) - SIZE + 1) // 2, -((len(line) - SIZE + 1) // 2))
    crossings = across[within, np.isin(along, line[within])][..., reach, :].reshape(-1, 3)
    tone = np.median(crossings, axis=0)
    size = float(np.linalg.norm(tone))
    alike = np.linalg.norm(crossings - tone, axis=1) < size / 2
    if size < FAINTEST or alike.mean() < EVERYWHERE:
        return np.zeros(across.shape[:-1], np.float32)
    return np.asarray(np.maximum(across @ (tone / size), 0), np.float32)


def _size(colours: NDArray[Any]) -> FloatArray:
    """(H, W) Euclidean length of (H, W, 3); einsum, as numpy's norm takes five times as long."""
    length: FloatArray = np.sqrt(np.einsum("ijk,ijk->ij", colours, colours))
    return length


def _profiles(
    board: Image, reach: int, along: NDArray[np.float64]
) -> tuple[FloatArray, FloatArray]:
    """(lines, len(along), 2 * reach + 1) strength across each upright line at places along it.

    As an inner line, and as the border.
    """
    ridge, step = _line_strength(board, along)
    return _across(ridge, reach), _across(np.maximum(ridge, step), reach)


def _across(strength: FloatArray, reach: int) -> FloatArray:
    """(lines, places, 2 * reach + 1) of a (places, SIDE) strength, what lies around each line."""
    lines = np.arange(round(strength.shape[1] / CELL - 2 * MARGIN) + 1)
    xs = ((MARGIN + lines) * CELL).astype(int)[:, None] + np.arange(-reach, reach + 1)
    return strength[:, xs].transpose(1, 0, 2)


def _board_profiles(board: Image, reach: int) -> FloatArray:
    """(9, len(ALONG), 2 * reach + 1) strength across each upright line of the board."""
    inner, border = _profiles(board, reach, ALONG)
    return np.concatenate([border[:1], inner[1:-1], border[-1:]])


def _likely(profiles: FloatArray) -> FloatArray:
    """The same, over its median and saturated: the edges of discs outdo lines otherwise.

    Of two equals the one that is nearer to its place is the likelier.
    """
    places = profiles.shape[2]
    away = np.abs(np.linspace(-1, 1, places))
    stands_out = np.maximum(profiles - np.median(profiles, axis=2, keepdims=True), 0)
    return np.asarray(stands_out / (1 + stands_out / ENOUGH) * (1 - 0.5 * away), np.float32)


def _offsets(profiles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(lines, places) px that each upright line lies to the right of its place; weights."""
    likely = _likely(profiles)
    peak, reach = likely.argmax(axis=2), profiles.shape[2] // 2
    inner = np.clip(peak, 1, 2 * reach - 1)[..., None]
    before, at, after = (np.take_along_axis(profiles, inner + d, 2)[..., 0] for d in (-1, 0, 1))
    curvature = np.maximum(2 * at - before - after, 1e-6)
    vertex = np.clip((after - before) / (2 * curvature), -0.5, 0.5)
    # Canonical pixels start at -0.5, so a grid line lies half a pixel before its pixel's centre.
    return (peak - reach + 0.5 + vertex).astype(np.float32), likely.max(axis=2)


def _trust(weights: FloatArray, lined: bool) -> FloatArray:
    """(9, 1) how much each upright line's word counts, given the weights of what was found."""
    trust = np.ones((SIZE + 1, 1), np.float32)
    if lined and np.median(weights[1:-1]) > SEEN:
        trust[[0, -1]] = BORDER_TRUST
    else:
        trust[1:-1] = LEAST  # no lines: what was found inside are the edges of discs
    return trust


def _voted_shifts(board: Image, lined: bool) -> FloatArray:
    """(4,) px along x that the corners move: of all moves in steps, the one on most lines.

    Unlike a fit it can't be caught by the edges of discs or the further edges of a frame.
    """
    likely = _likely(_board_profiles(board, VOTED_PX))
    votes = np.asarray(cv2.dilate(likely.reshape(-1, likely.shape[2]), np.ones((1, 5), np.uint8)))
    votes = votes.reshape(likely.shape) * _trust(likely.max(axis=2), lined)[..., None]
    by_ends = votes[:, np.arange(len(ALONG))[:, None, None], _BETWEEN].sum(axis=1)
    by_move = by_ends[np.arange(SIZE + 1), _ENDS[:, None], _ENDS[None]].sum(axis=2)
    upper, lower = np.unravel_index(by_move.argmax(), by_move.shape)
    return np.concatenate([MOVES[upper], MOVES[lower][::-1]])


def _fitted_shifts(board: Image, reach: int, lined: bool) -> FloatArray:
    """(4,) px along x that the corners move by the least-squares fit to the upright lines."""
    offsets, weights = _offsets(_board_profiles(board, reach))
    target, trust = offsets.ravel(), ((weights + LEAST) * _trust(weights, lined)).ravel()
    shifts: NDArray[Any] = np.zeros(4)
    for _ in range(8):
        residual = DESIGN @ shifts - target
        weight = trust / (1 + (residual / LOOSE_PX) ** 2)
        normal = DESIGN.T * weight
        shifts = np.linalg.solve(normal @ DESIGN + 1e-6 * np.eye(4), normal @ target)
    return shifts.astype(np.float32)


def voted(picture: Image, corners: Points, lined: bool = True) -> Points:
    """(4, 2) plane px: the grid's outer corners to a tenth of a cell, from 0.4 cells off.

    Not `lined`: what may look like inner lines is none, and the border alone decides.
    """
    for _ in range(VOTES):
        corners = _moved(picture, corners, partial(_voted_shifts, lined=lined))
    return corners


def fitted(picture: Image, corners: Points, lined: bool = True) -> Points:
    """(4, 2) plane px: the grid's outer corners, from some that are a tenth of a cell off."""
    for reach in REACHES:
        shifts = partial(_fitted_shifts, reach=round(reach * CELL), lined=lined)
        corners = _moved(picture, corners, shifts)
    return corners


def shifted(corners: Points, cells: NDArray[Any]) -> Points:
    """(4, 2) plane px: the corners so many cells to the right and down, each alone or alike."""
    return transform(homography(BOARD, corners), BOARD + CELL * cells)


def _moved(picture: Image, corners: Points, shifts: Callable[[Image], FloatArray]) -> Points:
    """The corners after the shifts that the upright and the level lines want."""
    board = warped(picture, corners)
    level = shifts(turned(board))
    moved = BOARD + np.stack([shifts(board), level[[0, 3, 2, 1]]], axis=1)
    return transform(homography(BOARD, corners), moved)


@dataclass(frozen=True)
class Support:
    """Shares of the cells' lengths of grid lines that are where a grid of 8 x 8 has them."""

    inner: float  # of the 14 inner lines
    border: float  # of the outer border
    beyond: float  # of a side's 9 lines' first length outside the border, on the worst side
    upright: float  # of the 7 inner lines of a direction; a grid that is sheared along one …
    level: float  # … shows few of the other

    @property
    def merit(self) -> float:
        """Orders grids that are shifted against each other by whole cells."""
        return self.inner + (self.border - self.beyond) / 2


def support(board: Image, shown: NDArray[np.bool_], nearness: Nearness = FITTED_PX) -> Support:
    """How well a canonical picture shows the lines of the grid; `shown`: where it shows anything.

    A plane's picture may end at the board: then nothing tells whether the grid goes on.
    """
    return supports(board, shown, nearness)[0, 0]


def supports(
    board: Image, shown: NDArray[np.bool_], nearness: Nearness = FITTED_PX
) -> dict[tuple[int, int], Support]:
    """The same for each window of 8 x 8 in the canonical picture of a larger grid, by row, col."""
    upright = _Lines.of(board, shown, nearness)
    level = _Lines.of(turned(board), shown.T, nearness)
    rows, cols = (len(lines.inner) - 1 for lines in (level, upright))
    return {
        (row, col): _support(upright.window(col, row), level.window(row, col))
        for row in range(rows - SIZE + 1)
        for col in range(cols - SIZE + 1)
    }


def _support(upright: NDArray[np.bool_], level: NDArray[np.bool_]) -> Support:
    """From where the upright and the level lines of a board are there, (9, 11) each."""
    inside = np.stack([upright[:, 1:-1], level[:, 1:-1]])
    beyond = max(there[:, end].mean() for there in (upright, level) for end in (0, -1))
    inner, border = inside[:, 1:-1], inside[:, [0, -1]]
    ways = inner.mean(axis=(1, 2)).tolist()
    return Support(float(inner.mean()), float(border.mean()), float(beyond), *ways)


@dataclass(frozen=True, eq=False)
class _Lines:
    """Where the upright lines of a canonical picture are there, at places along them."""

    along: NDArray[np.float64]  # (places,) cells from the top
    inner: NDArray[np.bool_]  # (lines, places) there as an inner line
    border: NDArray[np.bool_]  # (lines, places) there as the border
    shown: NDArray[np.bool_]  # (lines, places)

    @classmethod
    def of(cls, board: Image, shown: NDArray[np.bool_], nearness: Nearness) -> _Lines:
        cols, rows = (round(side / CELL - 2 * MARGIN) for side in board.shape[1::-1])
        along = np.unique(np.add.outer(np.arange(rows - SIZE + 1), OUTSIDE))
        kinds = zip(_profiles(board, VOTED_PX, along), nearness, strict=True)
        inner, border = (_is_there(profiles, px) for profiles, px in kinds)
        inner |= _is_there(_turns(board, VOTED_PX, along), nearness[0])
        ys, xs = (((MARGIN + at) * CELL).astype(int) for at in (along, np.arange(cols + 1)))
        seen = shown[np.ix_(ys, xs)].T
        return cls(along, inner, border, seen)

    def window(self, line: int, place: int) -> NDArray[np.bool_]:
        """(9, 11) of the board that begins there: along its lines and beyond their ends."""
        lines, places = (
            np.arange(line, line + SIZE + 1),
            np.searchsorted(self.along, place + OUTSIDE),
        )
        there = self.inner[np.ix_(lines, places)]
        there[[0, -1]] = self.border[np.ix_(lines[[0, -1]], places)]
        there[:, [0, -1]] &= self.shown[np.ix_(lines, places[[0, -1]])]
        return there


def _is_there(profiles: FloatArray, nearness_px: float) -> NDArray[np.bool_]:
    """(lines, places) whether a line stands out near its place."""
    offsets, weights = _offsets(profiles)
    return np.asarray((np.abs(offsets) <= nearness_px) & (weights > FAINTEST))
