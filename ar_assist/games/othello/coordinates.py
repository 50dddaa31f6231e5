"""Coordinates printed beside a board: a to h along two sides, 1 to 8 along the others.

Around the fitted grid, glyphs beside the middles of the outer squares are sought, and within these
squares near their corners, as chess sites print them. A network names them (coordinates.npz,
trained by coordinates_training.py). A single sign means little, for many look alike on their sides
or heads, so a row of them is weighed as a whole: for each way that the board may be turned or
mirrored, how much likelier the glyphs are as *its* coordinates than as any signs. The camera's
orientation is given up only where one way explains them far better than every other one.

Coordinates stand upright to the board, or on their heads, as apps show them that let white sit
below. Some apps number the rows from below, as on a chess board: then the signs tell which way is
up, and the board is still read, and its squares named, from the top left. A mirrored board is one
whose very signs are mirrored, as some cameras show what they see.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.ink import (
    PATCH,
    Glyph,
    classify,
    depth_of,
    glyphs_of,
    ink_of,
    patch_of,
)
from ar_assist.games.othello.canonical import SIZE, UNIT, FloatArray, shrunk
from ar_assist.types import Image, Points, homography

LETTERS, NUMBERS = "abcdefgh", "12345678"
NO_SIGN = 16  # class of all that is no upright coordinate; before it: a to h in either case, 1 to 8
MODEL = Path(__file__).with_name("coordinates.npz")

PX = 64  # px of a cell where glyphs are cut: the smallest that can be named has 8 of them
AROUND = 1.25  # cells seen around the board
STROKE = 0.17  # cells: half of the thickest stroke, and more than half of a frame's stripes
REACH = 0.4  # cells within which ink is equally dark: a sign's height
LENGTHS = (0.11, 0.7)  # cells: the longer side of a sign
EDGE = 0.4  # cells from the border up to which signs stand within squares …
OFF_CORNER = 0.2  # … and from the square's middle, at least: signs nearer to it are on discs
LINE = 0.04  # cells: half of the widest grid line, which is no part of a sign beside it
OFF_MIDDLE = 0.22  # cells that a sign may be off its square's middle: rims stand up, letters lean
IN_ROW = 0.12  # cells: signs of a row are so nearly at the same place
LEAST_LIKELY = 0.02  # chance of a sign that the network never gives up
ENOUGH = 12.0  # nats: five signs that are sure; text that is none has never half of it
LEAD = 8.0  # nats, over the next best way to turn the board


class Turn(NamedTuple):
    """How the picture's view of a board is brought to the board's own."""

    mirrored: bool  # first, left to right
    quarters: int  # then, counterclockwise

    def apply(self, cells: NDArray[Any]) -> NDArray[Any]:
        """(..., N, N) cells as the picture has them to cells as the board has them."""
        return np.rot90(cells[..., ::-1] if self.mirrored else cells, self.quarters, (-2, -1))

    def undo(self, cells: NDArray[Any]) -> NDArray[Any]:
        """The inverse of apply."""
        back = np.rot90(cells, -self.quarters, (-2, -1))
        return back[..., ::-1] if self.mirrored else back

    def corners(self, corners: Points) -> Points:
        """(4, 2) corners, clockwise in the picture, from the board's own top left on."""
        (top_left, top_right), (bottom_left, bottom_right) = self.apply(np.array([[0, 1], [3, 2]]))
        return corners[[top_left, top_right, bottom_right, bottom_left]]


TURNS = [Turn(mirrored, quarters) for mirrored, quarters in product((False, True), range(4))]
AS_SEEN = TURNS[0]


FROM_ABOVE, FROM_BELOW = np.arange(SIZE), np.arange(SIZE)[::-1]  # numberings of the rows


def _expected(numbering: NDArray[np.int64]) -> NDArray[np.int64]:
    """(turns, 4 sides, 8) class of each sign: left, top, right and bottom, from the top left."""
    own = np.zeros((SIZE + 2, SIZE + 2), int)
    own[[0, -1], 1:-1] = np.arange(SIZE)
    own[1:-1, [0, -1]] = SIZE + numbering[:, None]
    seen = np.stack([turn.undo(own) for turn in TURNS])
    sides = seen[:, 1:-1, 0], seen[:, 0, 1:-1], seen[:, 1:-1, -1], seen[:, -1, 1:-1]
    return np.stack(sides, axis=1)


EXPECTED = np.stack([_expected(FROM_ABOVE), _expected(FROM_BELOW)])


@dataclass(frozen=True, eq=False)
class _Signs:
    """Glyphs beside the outer squares or in them, all darker or all lighter than their ground."""

    side: NDArray[np.int64]  # (N,) 0 to 3: left, top, right, bottom; from 4 on within the squares
    square: NDArray[np.int64]  # (N,) from the top or left
    place: NDArray[np.float64]  # (N, 2) cells from the border, and within squares from the middle
    patches: FloatArray  # (N, PATCH, PATCH)


def turn_of(picture: Image, corners: Points) -> Turn:
    """How coordinates beside a board say that it is turned; AS_SEEN where none are read surely.

    `corners` (4, 2) plane px are those of the fitted grid, as the picture has them.
    """
    strips = _strips(picture, corners)
    evidence = np.max([_evidence(_signs(strips, dark)) for dark in (True, False)], axis=0)
    beside, within = evidence[..., :4].sum(axis=-1), evidence[..., 4:].sum(axis=-1)
    evidence = np.maximum(beside, within).max(axis=0)  # never both: chance has fewer rows to add up
    *_, second, first = np.sort(evidence)
    if first < ENOUGH or first - second < LEAD:
        return AS_SEEN
    return TURNS[int(evidence.argmax())]


def _strips(picture: Image, corners: Points) -> list[NDArray[np.uint8]]:
    """Grey pictures of what lies beside each side of the board and of its outer squares, PX to a
    cell.
    """
    small, start = shrunk(picture, corners, cell_px=PX)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    beside = (-AROUND, 0), (0, -AROUND), (SIZE, 0), (0, SIZE)
    within = (0, 0), (0, 0), (SIZE - 1, 0), (0, SIZE - 1)
    strips = []
    for side, origin in enumerate(beside + within):
        deep, long = round((AROUND if side < 4 else 1) * PX), SIZE * PX
        outline = (UNIT * SIZE - origin) * PX - 0.5
        matrix = homography(start, outline.astype(np.float32))
        size = (long, deep) if side % 2 else (deep, long)
        strip = cv2.warpPerspective(grey, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        strips.append(np.asarray(strip, np.uint8))
    return strips


def _signs(strips: list[NDArray[np.uint8]], dark: bool) -> _Signs:
    """The glyphs of a sign's size at a sign's place."""
    places, patches = [], []
    for side, strip in enumerate(strips):
        depth = depth_of(strip, STROKE * PX, dark)
        ink = ink_of(depth if side < 4 else _without_lines(depth), REACH * PX)
        for glyph in glyphs_of(ink):
            place = _place(glyph, side)
            if place is not None:
                places.append(place)
                patches.append(patch_of(ink, glyph))
    found = np.array(places).reshape(-1, 4)
    stacked = np.array(patches, np.float32).reshape(-1, PATCH, PATCH)
    return _Signs(found[:, 0].astype(int), found[:, 1].astype(int), found[:, 2:], stacked)


def _without_lines(depth: FloatArray) -> FloatArray:
    """A strip of squares without their lines, which signs may touch."""
    off_lines = [
        np.abs(along - np.rint(along)) > LINE
        for along in ((np.arange(length) + 0.5) / PX for length in depth.shape)
    ]
    return np.where(np.outer(*off_lines), depth, 0).astype(np.float32)


def _place(glyph: Glyph, side: int) -> tuple[int, int, float, float] | None:
    """The side, the square that a glyph stands beside or in, and its place there (see _Signs);
    None: no sign.
    """
    if not LENGTHS[0] <= max(glyph.width, glyph.height) / PX <= LENGTHS[1]:
        return None
    x, y = ((at + 0.5) / PX for at in glyph.centre)
    along, outward = (x, y) if side % 2 else (y, x)
    square = int(along)
    off = along - square - 0.5
    if side < 4:
        away = AROUND - outward if side < 2 else outward
        return (side, square, away, 0.0) if abs(off) <= OFF_MIDDLE else None
    away = outward if side < 6 else 1 - outward
    return (side, square, away, off) if away <= EDGE and abs(off) >= OFF_CORNER else None


def _evidence(signs: _Signs) -> NDArray[np.float64]:
    """(numberings, turns, 8) nats by which each side's best row speaks for each; 0: none does."""
    evidence = np.zeros((*EXPECTED.shape[:2], 8))
    if not len(signs.side):
        return evidence
    likelihood = _likelihood(signs)  # (N, numberings, turns, 2)
    in_row = np.abs(signs.place - signs.place[:, None]).max(axis=-1) <= IN_ROW  # (N, N)
    for side in range(8):
        ours = signs.side == side
        rows = np.zeros((ours.sum(), *likelihood.shape[1:]))
        for square in range(SIZE):
            here = ours & (signs.square == square)
            beside = in_row[ours][:, here, None, None, None]
            each = np.where(beside, likelihood[here], -np.inf)
            best = each.max(axis=1, initial=-np.inf)
            rows += np.where(np.isfinite(best), best, 0)
        evidence[..., side] = rows.max(axis=(0, 3), initial=0)
    return evidence


def _likelihood(signs: _Signs) -> NDArray[np.float64]:
    """(N, numberings, turns, 2) nats: how much likelier each glyph is as the sign that a turn has
    there than as any sign, upright and on its head.
    """
    upright = np.stack([turn.apply(signs.patches) for turn in TURNS], axis=1)
    both = np.stack([upright, upright[..., ::-1, ::-1]], axis=2)
    chances = classify(MODEL, both.reshape(-1, PATCH, PATCH))
    chances = np.maximum(chances, LEAST_LIKELY).reshape(*both.shape[:3], -1)
    expected = np.moveaxis(EXPECTED[..., signs.side % 4, signs.square], -1, 0)[..., None, None]
    chosen = np.take_along_axis(chances[:, None], expected, axis=-1)[..., 0]
    nats = np.log(chosen * (NO_SIGN + 1), dtype=np.float64)
    nats[:, 1:, :, 1] = -np.inf  # seen from the other side they would run as usual
    return np.asarray(nats)
