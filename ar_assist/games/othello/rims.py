"""The round edges of discs in a canonical picture of a board.

Discs of a real board stand up from it, so an edge is looked for up to a quarter of a square off
its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.canonical import SIZE, FloatArray
from ar_assist.games.othello.sampling import centres, pixels, sample

OFFSETS = np.linspace(-0.3, 0.3, 7)  # cells a disc's top may be off its place, in x and y
RADII = (0.30, 0.35, 0.40, 0.45)  # cells: discs fill 60 to 90 % of their square
RIM = 0.06  # cells from a disc's edge to where its inside and the felt outside are sampled
LINE = 0.04  # cells from a line's middle that may have its colour, which may be the disc's
IN_PLACE = 0.15  # cells, in x and y: a disc of an app is no further off, for want of a better fit
RINGS = 4  # that show what lies between two rims: a mark's outline is on one or two of them
ANGLES = 12  # places around the edge; a quarter of them may be hidden by neighbours or glare
OFF_PLACE = 8.0  # Lab units per cell: an edge must be this much stronger to be taken farther off


@dataclass(frozen=True, eq=False)
class _Rims:
    """The edges that a disc may have in each square: S squares, O offsets, R radii, A angles."""

    offsets: NDArray[np.float64]  # (O, 2) cells that a disc's middle is off its square's
    inside: NDArray[np.int32]  # (S, O, R, A) pixels next to the edge, in the disc
    beyond: NDArray[np.int32]  # … and on the felt
    on_felt: NDArray[np.bool_]  # … whether they are: beside the board and on its lines is none
    quarter: NDArray[np.int64]  # (S, O, R, 1) of the places on felt


@cache
def _rims() -> _Rims:
    around = _around()
    radii = np.array(RADII)[:, None, None]
    offsets = np.stack(np.meshgrid(OFFSETS, OFFSETS), axis=-1).reshape(-1, 2)
    middles = centres().reshape(-1, 1, 1, 1, 2) + offsets[:, None, None]
    beyond = middles + around * (radii + RIM)
    # A large disc in its place reaches up to the lines on all four sides, one astray to two.
    astray = (np.abs(offsets).max(axis=-1) > IN_PLACE)[:, None, None, None]
    off_lines = (np.abs(beyond - np.rint(beyond)) > LINE) | astray
    on_felt = np.all((beyond >= 0) & (beyond <= SIZE) & off_lines, axis=-1)
    quarter = on_felt.sum(axis=-1, keepdims=True) // 4
    inside = pixels(middles + around * (radii - RIM))
    return _Rims(offsets, inside, pixels(beyond), on_felt, quarter)


def round_edges(board: FloatArray) -> tuple[FloatArray, NDArray[np.float64], NDArray[np.float64]]:
    """The best round edge in each square.

    (8, 8) its strength, Lab units; (8, 8, 2) its middle and (8, 8) its radius, in cells.
    """
    rims = _rims()
    planes = [np.ascontiguousarray(plane).ravel() for plane in board.transpose(2, 0, 1)]
    contrast = [plane.take(rims.inside) - plane.take(rims.beyond) for plane in planes]
    typical = [_median(each) for each in contrast]  # (S, O, R, 1) of each channel
    length = np.sqrt(sum(each**2 for each in typical)) + 1e-6
    along = sum(each * (way / length) for each, way in zip(contrast, typical, strict=True))
    along = np.sort(np.where(rims.on_felt, along, np.inf), axis=-1)
    strength = np.take_along_axis(along, rims.quarter, axis=-1)[..., 0]  # (S, O, R)
    strength = strength - OFF_PLACE * np.hypot(*rims.offsets.T)[:, None]
    offset, radius = np.divmod(strength.reshape(SIZE * SIZE, -1).argmax(axis=-1), len(RADII))
    squares = (SIZE, SIZE)
    return (
        strength.max(axis=(1, 2)).astype(np.float32).reshape(squares),
        centres() + rims.offsets[offset].reshape(*squares, 2),
        np.array(RADII)[radius].reshape(squares),
    )


def _around() -> NDArray[np.float64]:
    """(A, 2) the ways from a disc's middle to its edge."""
    turn = np.arange(ANGLES) * 2 * np.pi / ANGLES
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _median(values: FloatArray) -> FloatArray:
    """(..., 1) of (..., ANGLES); numpy's own takes four times as long."""
    sides = ANGLES // 2 - 1, ANGLES // 2
    middle = np.partition(values, sides, axis=-1)[..., list(sides)]
    return np.asarray(middle.mean(axis=-1, keepdims=True), np.float32)


def rim_colours(board: FloatArray, middles: NDArray[np.float64]) -> FloatArray:
    """(8, 8, 3) the usual colour just inside the smallest disc at each place.

    A dot that marks a move is smaller: its edge is none but blur, and felt lies there.
    """
    rim = sample(board, middles[:, :, None] + (min(RADII) - RIM) * _around())
    return np.asarray(np.median(rim, axis=2), np.float32)


def between_rims(board: FloatArray, radius: float) -> FloatArray:
    """(8, 8, K, 3) colours from just inside the smallest disc's rim to inside that of a larger one,
    all around each square's middle: there marks are narrow, and discs are not."""
    away = np.linspace(min(RADII), radius, RINGS) - RIM
    rings = (away[:, None, None] * _around()).reshape(-1, 2)
    return sample(board, centres()[:, :, None] + rings)
