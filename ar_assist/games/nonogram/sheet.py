"""A line grid seen straight on with what is around it: the ink, and glyphs that may be digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.ink import (
    INK_THRESHOLD,
    MIN_CONTRAST,
    PATCH,
    Glyph,
    Ink,
    depth_of,
    glyphs_of,
    ink_of,
    patch_of,
    pieces_of,
    without_glyphs,
)
from ar_assist.games.nonogram.digits import NO_DIGIT, classify
from ar_assist.games.nonogram.linegrid import LineGrid, cell_px
from ar_assist.games.nonogram.strikes import parted
from ar_assist.types import Homography, transform

CELL_PX = (30.0, 44.0)  # side of a cell when it is read: less loses strokes, more is only slow
LAYOUT_PX = (30.0, 30.0)  # … and when only the layout is asked for: digits as large as PATCH
NEAR = 3.0  # cells around the grid that tell the layout: a digit beside it, and the ink around
MOST_SHRUNK = 1.5  # times that a picture may shrink without a blur
STROKE = 0.3  # of a cell: half the widest stroke of a digit, and more
CLEAR = 0.9  # chance of one digit
DEEP = 0.7  # of full ink: what is less may be a sign dimmed to half, beside others
GLYPH_SIDE = (0.2, 1.05)  # of a cell: the longer side of a glyph
NOISE = 5.0  # times the depth of most places, which are bare: noise goes twice as deep as usually
LINE_LENGTH = 1.1  # of a cell: straight ink that is longer is a grid line
BETWEEN = 0.25  # of a cell, from its middle: lines there are none of the grid's
SAME_TONE = 0.35  # of a sign's depth: what differs less from it is no paper that it stands on
OPEN_SHARE = 0.1  # of what is around a sign may be so: a line that it stands near, blurred corners


@dataclass(frozen=True, eq=False)
class Sheet:
    """A line grid seen straight on, with the ink and the glyphs around it."""

    picture_from_grid: Homography  # (3, 3) px of the picture from grid units (columns, rows)
    rows: int
    cols: int
    cell: float  # px of a cell on the sheet
    origin: tuple[float, float]  # x, y, cells from the sheet's corner to the grid's
    depth: NDArray[np.float32]  # sheet px: grey levels that the ink differs from the paper
    bare: NDArray[np.float32]  # the same less the grid's lines
    ink: Ink
    glyphs: list[Glyph]  # digit-sized ink, sheet px

    def of(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture that the sheet was spread from, grey or in colour, in sheet px."""
        picture_from_sheet = self.picture_from_grid @ _grid_from_sheet(self.cell, self.origin)
        source = cell_px(self.picture_from_grid, self.rows, self.cols)
        return _warped(picture, picture_from_sheet, source / self.cell, self.depth.shape)

    def patches(self, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """(len(chosen), PATCH, PATCH) of some glyphs, as the network wants them."""
        cut = [patch_of(self.ink, self.glyphs[i]) for i in chosen]
        return np.array(cut, np.float32).reshape(-1, PATCH, PATCH)

    def strengths(self) -> NDArray[np.float32]:
        """(N,) grey levels that the deepest of each glyph differs from the paper."""
        boxes = [np.s_[glyph.y0 : glyph.y1, glyph.x0 : glyph.x1] for glyph in self.glyphs]
        return np.array([self.depth[box].max() for box in boxes], np.float32)

    def with_dimmed(self) -> Sheet:
        """The same, but what is pale beside full ink is seen as if that were not there: else it
        lacks its paler strokes, or is none. It counts if it is clearly a digit, this way up.
        """
        deep = _digit_sized(self.ink, glyphs_of(self.ink, DEEP), self.cell, True)
        rest = without_glyphs(self.bare, self.ink, DEEP)
        within = _within(self.origin, (self.rows, self.cols), self.cell)
        rest = _ink(rest, self.cell, float(np.median(rest)), within)
        dimmed = replace(
            self, ink=rest, glyphs=_digit_sized(rest, glyphs_of(rest), self.cell, True)
        )
        chances = classify(dimmed.patches(np.arange(len(dimmed.glyphs))))
        clear = list(compress(dimmed.glyphs, chances[:, :NO_DIGIT].max(axis=1) > CLEAR))
        ink = self.ink.copy()
        for glyph in clear:
            box = np.s_[glyph.y0 : glyph.y1, glyph.x0 : glyph.x1]
            ink[box] = rest[box]
        return replace(self, ink=ink, glyphs=[*deep, *clear])

    def without_paper(self, grey: NDArray[np.uint8]) -> Sheet:
        """The same without ink that goes on as paper: what is narrow between round badges, in which
        digits stand, is as light as these, or as dark. `grey`: the picture that was spread.

        A badge parts its digit from all else of its tone, as in an opening by reconstruction
        (Vincent 1993), which would also take digits that touch a line.
        """
        tones, ink = self.of(grey), self.ink.copy()
        labels, is_glyph, stats = pieces_of(ink)
        is_glyph &= stats[:, 2:4].max(axis=1) <= GLYPH_SIDE[1] * self.cell  # no others are read
        for piece in np.flatnonzero(is_glyph).tolist():
            x, y, w, h = stats[piece, :4].tolist()
            box = np.s_[max(y - 2, 0) : y + h + 2, max(x - 2, 0) : x + w + 2]
            own = labels[box] == piece
            if self._goes_on(own, tones[box], self.depth[box]):
                ink[box][own] = 0
        return replace(self, ink=ink, glyphs=_digit_sized(ink, glyphs_of(ink), self.cell, True))

    @staticmethod
    def _goes_on(
        own: NDArray[np.bool_], tones: NDArray[np.uint8], depth: NDArray[np.float32]
    ) -> bool:
        """Whether its `own` px of (H, W), or more than a few, have others of their tone beside."""
        mask = own.astype(np.uint8)
        near, far = (cv2.dilate(mask, np.ones((side, side), np.uint8)) > 0 for side in (3, 5))
        deepest = own & (depth > INK_THRESHOLD * depth[own].max())
        apart = np.abs(tones[far & ~near].astype(float) - np.median(tones[deepest]))
        return bool((apart < SAME_TONE * depth[own].max()).mean() > OPEN_SHARE)

    def places(self) -> NDArray[np.float64]:
        """(N, 2) centres of the glyphs in grid units."""
        centres = np.array([glyph.centre for glyph in self.glyphs]).reshape(-1, 2)
        return (centres + 0.5) / self.cell - self.origin


def spread(
    picture: NDArray[np.uint8],
    grid: LineGrid,
    darks: Sequence[bool],
    margin: float = NEAR,
    is_upright: bool = False,
) -> list[Sheet]:
    """The grid in a grey picture and so many cells around: a sheet for each way of the digits.

    `darks`: dark on light, or light on dark. One that is not known to be upright tells the layout.
    """
    rows, cols, picture_from_grid = grid.rows, grid.cols, grid.picture_from_grid
    source = cell_px(picture_from_grid, rows, cols)
    cell = float(np.clip(source, *(CELL_PX if is_upright else LAYOUT_PX)))
    (x0, y0), (x1, y1) = _surroundings(picture_from_grid, rows, cols, margin, picture.shape)
    shape = round((y1 - y0) * cell), round((x1 - x0) * cell)
    picture_from_sheet = picture_from_grid @ _grid_from_sheet(cell, (-x0, -y0))
    grey = _warped(picture, picture_from_sheet, source / cell, shape)
    between = _between(shape[0], rows, cell, y0), _between(shape[1], cols, cell, x0)
    sheets = []
    for dark in darks:
        depth = depth_of(grey, STROKE * cell, dark)
        bare = _without_lines(depth, cell, *between)
        ink = _ink(bare, cell, float(np.median(depth)), _within((-x0, -y0), (rows, cols), cell))
        found = _digit_sized(ink, glyphs_of(ink), cell, is_upright)
        sheets.append(
            Sheet(picture_from_grid, rows, cols, cell, (-x0, -y0), depth, bare, ink, found)
        )
    return sheets


def _warped(
    picture: NDArray[np.uint8],
    picture_from_sheet: Homography,
    shrunk: float,
    shape: tuple[int, ...],
) -> NDArray[np.uint8]:
    """A sheet of `shape`, which shows a picture that many times smaller."""
    if shrunk > MOST_SHRUNK:  # needs a blur against aliasing
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.4 * shrunk), np.uint8)
    warped = cv2.warpPerspective(
        picture,
        picture_from_sheet,
        shape[1::-1],
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(warped, np.uint8)


def _grid_from_sheet(cell: float, origin: tuple[float, float]) -> Homography:
    """Grid units from px of a sheet on which the grid's corner is so many cells from its own."""
    x, y = origin
    return np.array([[1 / cell, 0, 0.5 / cell - x], [0, 1 / cell, 0.5 / cell - y], [0, 0, 1]])


def _surroundings(
    picture_from_grid: Homography, rows: int, cols: int, margin: float, shape: tuple[int, ...]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The range of x and y, in cells, out to the margin: no further than the picture goes."""
    height, width = shape[:2]
    border = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    inverse = np.linalg.inv(picture_from_grid)
    # Border points beyond the horizon say nothing of where the picture ends.
    weights = border @ inverse[2, :2] + inverse[2, 2]
    centre = picture_from_grid @ np.array([cols / 2, rows / 2, 1])
    same_side = weights * centre[2] > 0
    low, high = np.array([-margin, -margin]), np.array([cols + margin, rows + margin])
    if same_side.all():
        seen = transform(inverse.astype(np.float64), border)
        low = np.maximum(low, np.minimum(np.floor(seen.min(axis=0)), 0))
        high = np.minimum(high, np.maximum(np.ceil(seen.max(axis=0)), [cols, rows]))
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def _between(size: int, count: int, cell: float, begin: float) -> NDArray[np.bool_]:
    """(size,) px of a sheet's side that are well between two of the grid's lines."""
    at = (np.arange(size) + 0.5) / cell + begin
    return np.asarray((at > 0) & (at < count) & (np.abs(at % 1 - 0.5) < BETWEEN))


def _within(origin: tuple[float, float], size: tuple[int, int], cell: float) -> tuple[slice, slice]:
    """The px of the sheet that the grid takes."""
    (x, y), (rows, cols) = origin, size
    return (
        slice(round(y * cell), round((y + rows) * cell)),
        slice(round(x * cell), round((x + cols) * cell)),
    )


def _ink(bare: NDArray[np.float32], cell: float, usual: float, within: tuple[slice, slice]) -> Ink:
    """The ink of the sheet: heavy marks in the grid make no clues beside it pale."""
    least = max(MIN_CONTRAST, NOISE * usual)
    beside = bare.copy()
    beside[within] = 0
    ink = ink_of(beside, cell, least)
    ink[within] = ink_of(bare, cell, least)[within]
    return ink


def _without_lines(
    depth: NDArray[np.float32], cell: float, rows: NDArray[np.bool_], cols: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """The depth above that of grid lines: a digit beside a bold one is as deep as any other.

    What is printed along between two of them, in these rows and columns of px, strikes out a clue.
    """
    length = round(LINE_LENGTH * cell)
    level = cv2.morphologyEx(depth, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    upright = cv2.morphologyEx(depth, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
    level[(level > MIN_CONTRAST) & rows[:, None]] = 0
    upright[(upright > MIN_CONTRAST) & cols] = 0
    lines = cv2.dilate(cv2.max(level, upright), np.ones((3, 3), np.uint8))
    return np.asarray(np.maximum(depth - lines, 0), np.float32)


def _digit_sized(ink: Ink, found: list[Glyph], cell: float, is_upright: bool) -> list[Glyph]:
    """The glyphs that may be digits, those of struck clues parted.

    Upright ones that may be one digit, or two that touch, are for clues.py to tell.
    """
    low, high = (share * cell for share in GLYPH_SIDE)
    large = [glyph for glyph in found if glyph.side >= low]
    parts = [
        part
        for glyph in large
        for part in ([glyph] if is_upright and glyph.side <= high else parted(ink, glyph, high))
    ]
    return [part for part in parts if low <= part.side <= high]
