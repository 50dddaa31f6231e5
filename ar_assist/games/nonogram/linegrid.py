"""The grid of cells in any picture: closed cells between lines, linked to their neighbours.

No line is traced. The lines part the picture into cells; every cell is known by its centre and
its second moments. Seen in the metric of its own moments a cell is a unit square, whatever the
perspective, so the neighbours across its sides are one step away and those across its corners
√2 steps: links need no direction, and an empty grid can't be taken for its diagonals.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ar_assist.types import Homography, transform

MIN_CELL_PX = 7.0  # side of a cell between its lines; digits in smaller ones can't be read
MIN_CELLS = 16  # a grid of 5x5 with some cells filled or broken
CONTRAST_SHARE = 0.3  # of the local standard deviation: how much a line differs from its vicinity
MIN_CONTRAST = 3.0  # grey levels, above sensor noise
WINDOWS_PX = (15, 41)  # vicinity for thin and small, and for thick and large cells
SQUARE_STEP = np.sqrt(12)  # side of a square whose variance is 1 in each direction
STEPS = (0.92, 1.32)  # of a side, from centre to centre: up to a third is line; √2 is a diagonal
FIT_TOLERANCE = 0.2  # of a cell: centres further off the common homography are not of the grid


@dataclass(frozen=True)
class LineGrid:
    """Cells found, with integer (column, row) places, and the map to them."""

    picture_from_grid: Homography  # the centre of the cell at (x, y) is (x + 0.5, y + 0.5)
    places: NDArray[np.int64]  # (N, 2) column, row; the least of each is 0
    dark_lines: bool

    @property
    def size(self) -> tuple[int, int]:
        """Rows, columns."""
        cols, rows = self.places.max(axis=0) + 1
        return int(rows), int(cols)


def find_grids(grey: NDArray[np.uint8]) -> list[LineGrid]:
    """Grids of at least MIN_CELLS cells, the one of most cells first."""
    grids = []
    for dark in (True, False):
        for window in WINDOWS_PX:
            grids += _grids(_open_areas(grey, window, dark), dark)
    return sorted(grids, key=lambda grid: -len(grid.places))


def _open_areas(grey: NDArray[np.uint8], window: int, dark: bool) -> NDArray[np.uint8]:
    """1 where no line is."""
    values = grey.astype(np.float32)
    mean = cv2.boxFilter(values, -1, (window, window))
    square = cv2.sqrBoxFilter(values, cv2.CV_32F, (window, window))
    deviation = np.sqrt(np.maximum(square - mean * mean, 0))
    depth = mean - values if dark else values - mean
    return (depth < np.maximum(CONTRAST_SHARE * deviation, MIN_CONTRAST)).astype(np.uint8)


def _grids(areas: NDArray[np.uint8], dark: bool) -> list[LineGrid]:
    centres, moments = _cells(areas)
    if len(centres) < MIN_CELLS:
        return []
    links = _links(centres, moments)
    grids = []
    left = np.ones(len(centres), bool)
    for seed in np.argsort(-np.array([len(link) for link in links]), kind="stable"):
        if len(links[seed]) < 4:
            break
        if not left[seed]:
            continue
        members, places = _grow(int(seed), centres, links, left)
        left[members] = False
        grid = _fit(centres[members], places, dark) if len(members) >= MIN_CELLS else None
        if grid is not None:
            grids.append(grid)
    return grids


def _cells(areas: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres (N, 2) and covariances (N, 2, 2), px, of the areas that are like parallelograms."""
    # Neighbours are joined by sides only: a slanted line of one pixel must part its two sides.
    count, labels, stats, centres = cv2.connectedComponentsWithStats(areas, connectivity=4)
    area = stats[:, cv2.CC_STAT_AREA].astype(float)
    flat = labels.ravel()
    ys, xs = np.divmod(np.arange(flat.size), areas.shape[1])
    dx, dy = xs - centres[flat, 0], ys - centres[flat, 1]
    cov = np.empty((count, 2, 2))
    for (i, j), product in {(0, 0): dx * dx, (0, 1): dx * dy, (1, 1): dy * dy}.items():
        cov[:, i, j] = cov[:, j, i] = np.bincount(flat, product, count) / area
    cov += np.eye(2) / 12  # pixels have a size
    # A parallelogram's area follows from its moments; holes (a digit, a cross) take some of it.
    whole = SQUARE_STEP**2 * np.sqrt(np.maximum(np.linalg.det(cov), 1e-9))
    full = area / whole
    wanted = (area >= MIN_CELL_PX**2) & (area < areas.size / 8) & (full > 0.5) & (full < 1.2)
    wanted[0] = False  # the lines themselves
    return centres[wanted], cov[wanted]


def _links(centres: NDArray[np.float64], moments: NDArray[np.float64]) -> list[list[int]]:
    """For each cell the neighbours across its sides: mutual, of like size, one step away."""
    tree = cKDTree(centres)
    nearest = np.asarray(tree.query(centres, k=min(10, len(centres)))[1])[:, 1:]
    metric = np.linalg.inv(moments)
    steps = centres[nearest] - centres[:, None]
    distance = np.sqrt(np.einsum("nki,nij,nkj->nk", steps, metric, steps)) / SQUARE_STEP
    size = np.sqrt(np.linalg.det(moments))
    alike = np.abs(np.log(size[nearest] / size[:, None])) < np.log(1.6)
    near = (distance > STEPS[0]) & (distance < STEPS[1]) & alike
    one_way = {(i, int(j)) for i, row in enumerate(nearest) for j in row[near[i]]}
    links: list[list[int]] = [[] for _ in centres]
    for i, j in sorted(one_way):
        if (j, i) in one_way:
            links[i].append(j)
    return links


def _grow(
    seed: int, centres: NDArray[np.float64], links: list[list[int]], left: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Members and their (x, y) places, link by link from a seed that has four neighbours."""
    across, along = _axes(centres[links[seed]] - centres[seed])
    place: dict[int, tuple[int, int]] = {seed: (0, 0)}
    taken = {(0, 0)}
    axes = {seed: np.stack([across, along])}
    queue = [seed]
    for cell in queue:
        inverse = np.linalg.inv(axes[cell].T)
        for other in links[cell]:
            if other in place or not left[other]:
                continue
            step = inverse @ (centres[other] - centres[cell])
            whole = np.rint(step).astype(int)
            spot = (place[cell][0] + int(whole[0]), place[cell][1] + int(whole[1]))
            if np.abs(whole).sum() != 1 or np.abs(step - whole).max() > 0.25 or spot in taken:
                continue
            place[other] = spot
            taken.add(spot)
            # The axes follow the perspective: half of each change is taken over.
            turned = axes[cell].copy()
            axis = int(np.abs(whole).argmax())
            turned[axis] += 0.5 * ((centres[other] - centres[cell]) * whole[axis] - turned[axis])
            axes[other] = turned
            queue.append(other)
    members = np.array(list(place), np.int64)
    return members, np.array(list(place.values()), np.int64)


def _axes(steps: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the steps to the neighbours the one nearest to rightward and the one to downward."""
    both = np.concatenate([steps, -steps])
    lengths = np.hypot(*both.T)
    right = both[np.argmax(both[:, 0] / lengths)]
    crossed = (right[0] * both[:, 1] - right[1] * both[:, 0]) / (lengths * np.hypot(*right))
    return right, both[np.argmax(crossed)]


def _fit(centres: NDArray[np.float64], places: NDArray[np.int64], dark: bool) -> LineGrid | None:
    places = places - places.min(axis=0)
    if min(places.max(axis=0)) < 3:
        return None
    middles = places + 0.5
    matrix, _ = cv2.findHomography(middles, centres, cv2.RANSAC, _tolerance(centres, places))
    if matrix is None:
        return None
    back = transform(np.linalg.inv(matrix).astype(np.float64), centres)
    fits = np.abs(back - middles).max(axis=1) < FIT_TOLERANCE
    if fits.sum() < MIN_CELLS or fits.mean() < 0.6:
        return None
    matrix, _ = cv2.findHomography(middles[fits], centres[fits])
    first = places[fits].min(axis=0)
    shift = np.array([[1, 0, first[0]], [0, 1, first[1]], [0, 0, 1.0]])
    return LineGrid(matrix @ shift, places[fits] - first, dark)


def _tolerance(centres: NDArray[np.float64], places: NDArray[np.int64]) -> float:
    """FIT_TOLERANCE in px, by the size of a typical cell."""
    extent = np.ptp(centres, axis=0) / np.maximum(np.ptp(places, axis=0), 1)
    return float(FIT_TOLERANCE * np.hypot(*extent) / np.sqrt(2))
