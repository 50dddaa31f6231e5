"""Cells of a regular board: cut them from the rectified picture and compare them.

Knows no game. A board's cells were drawn from few pictures, so most cells have *mates* that show
the same thing: they say how much equal cells differ on this very board (noise, blur, JPEG), which
is the unit of every distance, and what the camera did to the picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ar_assist.types import Image, Lattice

Array = NDArray[np.float32]
Indices = NDArray[np.int64]

CELL = 32  # px a side of a cut cell: sprites of 20 px keep their detail, 480 cells stay fast
EDGE = 4  # px of a cell's rim left out of its face: frames, gaps and hint marks live there
SIDE = CELL - 2 * EDGE  # px a side of a face
POOL = 3  # px: colour is compared in blocks, cameras give it no more detail
BROAD = 6.0  # px, sigma: light falls off and glare spreads more slowly than pictures change
NOISE = 5.0  # grey levels: contrast under this is no content (sensor noise, JPEG, dithering)
LUMINANCE = 0.114, 0.587, 0.299  # of BGR, ITU-R BT.601
OPPONENT = np.array([LUMINANCE, np.eye(3)[0] - LUMINANCE, np.eye(3)[2] - LUMINANCE], np.float32)
PARTS = "shape", "chroma", "tone", "rest", "spot"  # the last two: see residuals


@dataclass(frozen=True, eq=False)
class Differences:
    """How all pairs of cells differ: root mean squares, of which means keep their meaning."""

    parts: Array  # (K, N, N) in the order of PARTS, or the first of them
    shift: Array  # (N, N, 2) x, y cell px: how far cell j's content lies off cell i's
    slack: Array  # (K, N) what a cell differs by from itself, resampled

    @property
    def shape(self) -> Array:
        """(N, N) of grey detail."""
        first: Array = self.parts[0]
        return first

    def among(self, chosen: NDArray[np.bool_]) -> Differences:
        """Only those among some of the cells."""
        some = np.flatnonzero(chosen)
        block = some[:, None], some
        return Differences(self.parts[:, *block], self.shift[block], self.slack[:, some])


def softened(picture: Image, lattice: Lattice) -> Image:
    """The picture without what aliases in cut cells, where it is finer than these."""
    coarser = float(np.mean(lattice.pitch_xy)) / CELL
    soft = cv2.GaussianBlur(picture, (0, 0), 0.4 * coarser) if coarser > 1 else picture
    return np.asarray(soft, np.uint8)


def cut(soft: Image, lattice: Lattice, bend: Array | None = None) -> Array:
    """(R, C, CELL, CELL, 3) BGR of all cells of a `softened` picture.

    `bend` (R, C, 2) x, y cell px moves each.
    """
    rows, cols = lattice.rows, lattice.cols
    pitch = np.array(lattice.pitch_xy)
    steps = (np.arange(CELL, dtype=np.float32) + 0.5) / CELL
    move = np.zeros((rows, cols, 2), np.float32) if bend is None else bend / CELL
    col = np.arange(cols)[:, None] + steps + move[:, None, :, None, 0]
    row = np.arange(rows)[:, None, None, None] + steps[:, None, None] + move[:, None, :, None, 1]
    x, y = (
        (origin + step * places).astype(np.float32).reshape(rows * CELL, cols * CELL)
        for origin, step, places in zip(
            lattice.origin_xy, pitch, np.broadcast_arrays(col, row), strict=True
        )
    )
    whole = cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return from_mosaic(np.asarray(whole, np.float32)).copy()


def face(cells: Array) -> Array:
    """(N, SIDE, SIDE, ...) the inner part of (N, CELL, CELL, ...)."""
    inner = slice(EDGE, CELL - EDGE)
    part: Array = cells[:, inner, inner]
    return part


def mosaic(cells: Array) -> Array:
    """(R * CELL, C * CELL, 3) the picture that (R, C, CELL, CELL, 3) cells make side by side."""
    rows, cols = cells.shape[:2]
    return cells.swapaxes(1, 2).reshape(rows * CELL, cols * CELL, 3)


def from_mosaic(picture: Array) -> Array:
    """(R, C, CELL, CELL, 3) the cells of such a picture."""
    rows, cols = (side // CELL for side in picture.shape[:2])
    return picture.reshape(rows, CELL, cols, CELL, 3).swapaxes(1, 2)


def turned(cells: Array) -> Array:
    """(C, R, CELL, CELL, 3) the board of (R, C, CELL, CELL, 3) cells, mirrored about its diagonal:
    what lay across lies down."""
    return cells.swapaxes(0, 1).swapaxes(2, 3)


def opponent(cells: Array) -> tuple[Array, Array]:
    """Luminance (N, H, W) and two colour differences (N, H, W, 2) of BGR cells."""
    n, h, w = cells.shape[:3]
    tall = np.ascontiguousarray(cells).reshape(-1, w, 3)
    planes = np.asarray(cv2.transform(tall, OPPONENT), np.float32).reshape(n, h, w, 3)
    return np.ascontiguousarray(planes[..., 0]), planes[..., 1:]


def pool(planes: Array, block: int) -> Array:
    """Means of blocks: (N, H, W, K) to (N, H // block, W // block, K)."""
    n, h, w, k = planes.shape
    tall = np.ascontiguousarray(planes).reshape(n * h, w, k)
    means = cv2.resize(tall, (w // block, n * h // block), interpolation=cv2.INTER_AREA)
    return np.asarray(means, np.float32).reshape(n, h // block, w // block, k)


def level(planes: Array) -> Array:
    """(N, K) means of (N, H, H, K) square pictures."""
    return pool(planes, planes.shape[1])[:, 0, 0]


def spread(planes: Array) -> Array:
    """(N, K) standard deviations of (N, H, H, K) square pictures."""
    planes = np.ascontiguousarray(planes)
    off = planes - level(planes)[:, None, None]
    off *= off
    return np.sqrt(level(off))


def median_and_spread(values: Array, least: float) -> tuple[np.floating, float]:
    """The median of (N,) values, and their median absolute deviation, but `least` where that is
    less: for what is normal the standard one, whatever a few outliers are."""
    spread = float(stats.median_abs_deviation(values, scale="normal"))
    return np.median(values), max(spread, least)


def common(pictures: Array) -> Array:
    """(...) what most of (N, ...) pictures share: the median, px by px, of two the higher."""
    n = len(pictures)
    by_px = np.ascontiguousarray(pictures.reshape(n, -1).T)
    by_px.partition(n // 2, axis=1)
    median: Array = by_px[:, n // 2].reshape(pictures.shape[1:])
    return median


def detail(grey: Array) -> Array:
    """(N, H, H) less its own Gaussian blur of BROAD cell px: what slow light cannot change."""
    side = grey.shape[1]
    at = np.arange(side, dtype=np.float32)
    kernel = np.exp(-(((at - at[:, None]) * (CELL / side / BROAD)) ** 2) / 2)
    kernel /= kernel.sum(1, keepdims=True)
    sharp: Array = (grey - kernel @ grey @ kernel.T).astype(np.float32)
    return sharp


def compare(cells: Array, reach: int) -> Differences:
    """Shape, chroma and tone of (N, CELL, CELL, 3) cells; unlike ones differ by about 1.

    Shapes are compared at the best of all shifts within ±reach px.
    """
    grey, colour = opponent(cells)
    drawn = drawings(grey)
    shape, shift = shapes(drawn, reach)
    planes = colour, grey[..., None]
    (chroma, unit_c), (tone, unit_t) = map(_levels, planes)
    parts = [shape, squared(chroma, chroma) / unit_c, squared(tone, tone) / unit_t]
    slack = [_shape_slack(drawn), *map(_level_slack, planes, (unit_c, unit_t))]
    return Differences(np.sqrt(parts), shift, np.sqrt(slack))


def differences(cells: Array, others: Array) -> Array:
    """(3, N, K) shape, chroma and tone of N pictures against K others, as `compare` has them."""
    n = len(cells)
    grey, colour = opponent(np.concatenate([cells, others]))
    drawn = drawings(grey)
    there, back = _least(drawn[:n], drawn[n:], 1)[0], _least(drawn[n:], drawn[:n], 1)[0]
    levels = map(_levels, (colour, grey[..., None]))
    parts = [np.minimum(there, back.T), *(squared(at[:n], at[n:]) / unit for at, unit in levels)]
    return np.sqrt(parts)


def apart(cells: Array, others: Array) -> Array:
    """(N, K) summed squared differences of N pictures from K others."""
    squared: Array = (differences(cells, others) ** 2).sum(0)
    return squared


def drawings(grey: Array) -> Array:
    """What each of (N, H, H) grey cells shows of its own.

    What all have in common (frame, ground, bevel) tells nothing, nor do slow changes of light.
    """
    return detail(grey - common(grey))


def shapes(grey: Array, reach: int) -> tuple[Array, Array]:
    """Least 1 - NCC of (N, H, H) cells within shifts of ±reach px, and where: (N, N, 2) px."""
    apart, which = _least(grey, grey, reach)
    steps = np.array(_half_shifts(reach), np.float32)
    which = np.where(apart > apart.T, which.T + len(steps), which)
    return np.minimum(apart, apart.T), np.concatenate([steps, -steps]).take(which, axis=0)


def _half_shifts(reach: int) -> list[tuple[int, int]]:
    """Of the shifts within ±reach px: moving one cell by s is moving the other by -s."""
    square = ((x, y) for x in range(reach + 1) for y in range(-reach, reach + 1))
    return [shift for shift in square if shift >= (0, 0)]


def _least(grey: Array, others: Array, reach: int) -> tuple[Array, NDArray[np.uint8]]:
    """Least 1 - NCC of (N, H, H) cells and (K, H, H) moved ones, and at which half shift: (N, K).

    Written |a - b|² / (|a|² + |b|² + noise), which is 1 - NCC for equal energies and makes two
    blank cells equal instead of comparing their noise.
    """
    side = grey.shape[1]
    edge = side * EDGE // CELL
    noise = 2 * (NOISE * (side - 2 * edge)) ** 2

    def moved(cells: Array, dx: int, dy: int) -> tuple[Array, Array]:
        part = cells[:, edge + dy : side - edge + dy, edge + dx : side - edge + dx]
        part = part.reshape(len(cells), -1)
        part = part - part.mean(1, keepdims=True)
        return part, np.einsum("nd,nd->n", part, part)

    still, of_still = moved(grey, 0, 0)
    still *= 2
    of_still += noise
    most = np.full((len(grey), len(others)), -np.inf, np.float32)
    which = np.zeros(most.shape, np.uint8)
    for number, shift in enumerate(_half_shifts(reach)):
        other, of_other = moved(others, *shift)
        likeness = still @ other.T
        likeness += noise
        likeness /= of_still[:, None] + of_other
        np.copyto(which, number, where=likeness > most)
        np.maximum(most, likeness, out=most)
    return np.maximum(1 - most, 0), which


def _shape_slack(grey: Array) -> Array:
    """(N,) 1 - NCC of (N, H, H) cells from themselves, resampled."""
    edge = grey.shape[1] * EDGE // CELL
    inner = slice(edge, grey.shape[1] - edge)
    still, moved = grey[:, inner, inner], resampled(grey)[:, inner, inner]
    noise = 2 * NOISE**2 * still[0].size
    apart, *energy = (np.einsum("nij,nij->n", part, part) for part in (still - moved, still, moved))
    slack: Array = apart / (sum(energy) + noise)
    return slack


def _levels(planes: Array) -> tuple[Array, np.float32]:
    """(N, D) levels of blocks of POOL px in (N, CELL, CELL, K) planes, and the unit of their
    squared differences: the board's own variance."""
    levels = pool(face(planes), POOL).reshape(len(planes), -1)
    levels = levels - levels.mean(0)
    energy = np.einsum("nd,nd->n", levels, levels)
    return levels, np.float32(2 * energy.mean() + 2 * NOISE**2 * levels.shape[1])


def squared(levels: Array, others: Array) -> Array:
    """(N, K) squared distances of (N, D) levels from (K, D) others."""
    energy, of_others = (np.einsum("nd,nd->n", some, some) for some in (levels, others))
    apart: Array = np.maximum(energy[:, None] + of_others - 2 * levels @ others.T, 0)
    return apart


def _level_slack(planes: Array, unit: np.float32) -> Array:
    """(N,) squared differences of (N, CELL, CELL, K) levels from themselves, resampled."""
    moved = pool(face(resampled(planes)) - face(planes), POOL)
    slack: Array = np.einsum("nijk,nijk->n", moved, moved) / unit
    return slack


def resampled(planes: Array) -> Array:
    """(N, H, W, ...) pictures as pixels half a px up and left see them: equals lie no nearer."""
    n, h, w = planes.shape[:3]
    tall = np.ascontiguousarray(planes).reshape(n * h, w, -1)
    # what lies above a picture gets into its first row, which no comparison looks at
    between = cv2.blur(tall, (2, 2), anchor=(1, 1))
    return np.asarray(between, np.float32).reshape(planes.shape)


def mates(distance: NDArray[np.floating]) -> Indices:
    """(M, 2) pairs of cells that are each other's nearest."""
    other = distance.copy()
    np.fill_diagonal(other, np.inf)
    near, first = other.argmin(1), np.arange(len(other))
    pairs: Indices = np.stack([first, near], 1)[(near[near] == first) & (first < near)]
    return pairs
