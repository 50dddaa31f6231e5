"""The grid of cells in any picture: closed areas between lines, linked to their neighbours.

No line is traced. Lines and edges part the picture into areas, light ones and dark ones; every
area is known by its centre and its second moments. Seen in the metric of its own moments a cell
is a unit square, whatever the perspective, so the neighbours across its sides are one step away
and those across its corners √2 steps: links need no direction, and an empty grid can't be taken
for its diagonals. What grows from a seed gives a homography; with it cells beyond a gap join, and
at the border rows are added as long as their far line is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ar_assist.types import Homography, Points, transform

SHRINKS = (1, 3)  # of the picture: for small cells and for large ones; px below are of both
MIN_CELL_PX = 5.0  # side of a cell between its lines; digits in smaller ones can't be read
LINE_PX = 7  # the widest line
VICINITY_PX = 41  # two or three cells
CREST_PX = 3  # square in which a line ends where it is half as deep as at its middle; a wider one
# would cut thin lines next to crosses
PASSAGE_PX = 2  # what is so narrow parts areas all the same: beside a filled cell no line is seen,
# but its edge; along it areas may run together
MIN_CELLS = 12  # of a grid: half a 5x5, as filled neighbours may have run together
MIN_SHARE = 0.2  # of a grid's cells: filled ones run together, but 220 puzzles show a third of
# theirs at least. Texture's areas lie anywhere, and here and there one on a lattice of so many
MIN_SEED = 8  # cells that a homography is trusted to start from
MIN_DEPTH = 3.0  # grey levels that a line differs from both its sides
NOISE_DEPTH = 6.0  # of the mean difference from the median of nine pixels, likewise
NOISY = 0.7  # of that mean: dim light or moire. There a blur as wide as thin lines takes more of
# the noise than of them; where there is less noise, it costs small cells their lines
BLUR_PX = 1.5  # standard deviation of that blur
TONES = 2.0  # times what a line differs by at least, that panels or tiles do near by
HALO = 0.45  # of the depth of the line next to it
NOISE_CAP = 6  # grey levels: differences beyond it are edges and not noise
# A cell's area by that of the parallelogram of its moments; a circle's is 1.05.
FULLNESS = (0.8, 1.1)
SQUARE_STEP = np.sqrt(12)  # side of a square whose variance is 1 in each direction
STEPS = (0.92, 1.6)  # of a side, from centre to centre: blurred lines take a third of small cells
DIAGONAL = 1.2  # of the nearest neighbour's step: between a side and √2, a diagonal
SIZE_RATIO = 1.6  # between neighbouring cells' areas, tilt and broken borders included
AREA_SHARE = (0.35, 1.2)  # of the grid's cell, that an area between its lines has
FIT_TOLERANCE = 0.2  # of a cell: centres further off the common homography are not of the grid
GAP_CELLS = 3  # how far from the cells known so far others may join at once
LINE_TOLERANCE = 0.09  # of a cell: how far a line may lie from its place
LINE_SUPPORT = 0.5  # of a line's length that must be seen, texture discounted
CROSS_SUPPORT = 0.12  # of the lines across a strip at the border: filled neighbours hide the line
# between them, a strip that is no row shows none
MIN_SIDE = 4  # cells
SAME = 0.3  # of a cell: grids whose corners are so near are one
STRAY_SHARE = 0.25  # of the usual number of areas in a row: rows at the border with fewer must
# show their lines
MAX_SIDE = 60  # cells: larger grids can't be read by a camera, …
LARGE_CELL_PX = 9.0  # … unless their cells are as large as on a page


@dataclass(frozen=True)
class LineGrid:
    """A grid of cells and the map to it."""

    picture_from_grid: Homography  # the centre of the cell at (x, y) is (x + 0.5, y + 0.5)
    rows: int
    cols: int
    seen: int  # cells that were seen as closed areas

    @property
    def outline(self) -> Points:
        """(4, 2) px of the corners."""
        x, y = self.cols, self.rows
        return transform(self.picture_from_grid, np.array([[0, 0], [x, 0], [x, y], [0, y]], float))

    def enlarged(self, times: int) -> LineGrid:
        """The same in a picture so many times as large."""
        rim = (times - 1) / 2  # pixel centres are at integers
        enlarge = np.array([[times, 0, rim], [0, times, rim], [0, 0, 1.0]])
        return replace(self, picture_from_grid=enlarge @ self.picture_from_grid)

    def grown(self, cells: int) -> LineGrid:
        """The same with so many cells more on every side."""
        shift = np.array([[1, 0, -cells], [0, 1, -cells], [0, 0, 1.0]])
        rows, cols = self.rows + 2 * cells, self.cols + 2 * cells
        return LineGrid(self.picture_from_grid @ shift, rows, cols, self.seen)

    def is_like(self, other: LineGrid) -> bool:
        """Whether it is the same grid, seen in another way."""
        if (self.rows, self.cols) != (other.rows, other.cols):
            return False
        inverse = np.linalg.inv(other.picture_from_grid).astype(np.float64)
        there = transform(inverse, self.outline)
        own = transform(inverse, other.outline)
        return float(np.abs(there - own).max()) < SAME


@dataclass(frozen=True, eq=False)
class _Areas:
    """Closed areas that may be cells."""

    centres: NDArray[np.float64]  # (N, 2) px
    moments: NDArray[np.float64]  # (N, 2, 2) px², covariance
    borders: NDArray[np.uint8]  # 1 on lines and edges

    @property
    def sizes(self) -> NDArray[np.float64]:
        """(N,) area in px² of the parallelogram that has these moments."""
        return np.asarray(SQUARE_STEP**2 * np.sqrt(np.linalg.det(self.moments)), np.float64)


def find_grids(grey: NDArray[np.uint8], of_tones: bool = False) -> list[LineGrid]:
    """The grids in a picture, the one of most cells first.

    `of_tones`: what parts them from what is beside may be but a pale tone. Beside digits a panel
    and its white tiles are both light, as beside light digits all else is dark.
    """
    smooth = np.asarray(cv2.GaussianBlur(grey, (3, 3), 0), np.uint8)
    noise = _noise(smooth)
    if noise > NOISY:
        smooth = np.asarray(cv2.GaussianBlur(grey, (0, 0), BLUR_PX), np.uint8)
        noise = _noise(smooth)
    least = max(MIN_DEPTH, NOISE_DEPTH * noise)
    grids: list[LineGrid] = []
    for times in SHRINKS:
        shrunk = _shrunk(smooth, times)
        edges = _edges(shrunk, least, of_tones)
        dark, light = (
            _areas(edges, _lines(shrunk, hat, least))
            for hat in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)
        )
        found = [*_grids(dark), *_grids(light)]
        for grid in _grids(_joined(dark, light)):
            if not any(grid.is_like(other) for other in found):
                found.append(grid)
        grids += [grid.enlarged(times) for grid in found]
    return sorted(filter(_is_legible, grids), key=lambda grid: -grid.seen)


def _is_legible(grid: LineGrid) -> bool:
    """The areas of a texture go on to its end, and to look for so many digits takes minutes."""
    if grid.seen < MIN_SHARE * grid.rows * grid.cols:
        return False
    is_large = max(grid.rows, grid.cols) > MAX_SIDE
    return not is_large or cell_px(grid.picture_from_grid, grid.rows, grid.cols) >= LARGE_CELL_PX


def cell_px(picture_from_grid: Homography, rows: int, cols: int) -> float:
    """Side of a typical cell in the picture."""
    middle = np.array([cols / 2, rows / 2])
    ends = transform(picture_from_grid, middle + np.array([[0, 0], [1, 0], [0, 1.0]]))
    return float(np.sqrt(abs(np.linalg.det((ends[1:] - ends[0]).astype(float)))))


def _noise(grey: NDArray[np.uint8]) -> float:
    """Grey levels that a pixel differs from the median of nine, in the mean and without edges."""
    return float(np.minimum(cv2.absdiff(grey, cv2.medianBlur(grey, 3)), NOISE_CAP).mean())


def _shrunk(grey: NDArray[np.uint8], times: int) -> NDArray[np.uint8]:
    """Means of squares; what is left over at the right and the bottom is cut off."""
    width, height = (max(side // times, 1) for side in grey.shape[::-1])
    whole = grey[: times * height, : times * width]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _square(side_px: int) -> NDArray[np.uint8]:
    return np.ones((side_px, side_px), np.uint8)


def _edges(grey: NDArray[np.uint8], least: float, of_tones: bool) -> NDArray[np.uint8]:
    """(H, W) 255 where light and dark meet: parted at the middle of the extremes near by.

    Less half of what a line differs by at least: what is even, but for noise, is all light. The
    extremes `of_tones` are of what is wider than a line, where that has more than one.
    """
    middle, _ = _middle(grey)
    if of_tones:
        wide = cv2.morphologyEx(grey, cv2.MORPH_CLOSE, _square(LINE_PX))
        wide = cv2.morphologyEx(wide, cv2.MORPH_OPEN, _square(LINE_PX))
        between, apart = _middle(np.asarray(wide, np.uint8))
        middle = np.where(apart > TONES * least, between, middle)
    bound = cv2.blur(middle, (VICINITY_PX, VICINITY_PX)) - np.float32(least / 2)
    light = cv2.compare(grey.astype(np.float32), bound, cv2.CMP_GT)
    return np.asarray(cv2.morphologyEx(light, cv2.MORPH_GRADIENT, _square(PASSAGE_PX)), np.uint8)


def _middle(grey: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(H, W) the middle of the extremes near by, and by how much these differ."""
    vicinity = _square(VICINITY_PX)
    lightest, darkest = cv2.dilate(grey, vicinity), cv2.erode(grey, vicinity)
    middle = cv2.addWeighted(lightest, 0.5, darkest, 0.5, 0)
    return np.asarray(middle, np.uint8), np.asarray(cv2.subtract(lightest, darkest), np.uint8)


def _lines(grey: NDArray[np.uint8], hat: int, least: float) -> NDArray[np.uint8]:
    """(H, W) 255 where it differs from both sides by so many grey levels, up to the widest line."""
    depth = cv2.morphologyEx(grey, hat, _square(LINE_PX))
    crest = cv2.dilate(depth, _square(CREST_PX))
    bound = np.maximum(HALO * np.arange(256), least).astype(np.uint8)  # of whole levels
    return np.asarray(cv2.compare(depth, cv2.LUT(crest, bound), cv2.CMP_GT), np.uint8)


def _areas(edges: NDArray[np.uint8], lines: NDArray[np.uint8]) -> _Areas:
    """The light areas and the dark ones, parted by lines and by narrow passages."""
    # Contours join pixels by their corners too: widened, lines part areas that touch so as well.
    parted = cv2.bitwise_not(cv2.bitwise_or(edges, cv2.dilate(lines, _square(PASSAGE_PX))))
    centres, moments = _parallelograms(np.asarray(parted, np.uint8))
    return _Areas(centres, moments, np.asarray(cv2.bitwise_or(edges, lines), np.uint8))


def _joined(one: _Areas, other: _Areas) -> _Areas:
    """The areas of both, each once: lines may be darker than open cells and lighter than filled."""
    is_new = np.ones(len(other.centres), bool)
    if len(one.centres):
        distance, nearest = cKDTree(one.centres).query(other.centres)
        alike = np.abs(np.log(other.sizes / one.sizes[nearest])) < np.log(SIZE_RATIO)
        is_new = ~(alike & (distance < SAME * np.sqrt(other.sizes)))
    return _Areas(
        np.concatenate([one.centres, other.centres[is_new]]),
        np.concatenate([one.moments, other.moments[is_new]]),
        np.asarray(cv2.bitwise_or(one.borders, other.borders), np.uint8),
    )


def _parallelograms(
    parted: NDArray[np.uint8],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres (N, 2) and covariances (N, 2, 2), px, of the areas that may be whole cells.

    Only an area's outline counts: what stands in a cell, a digit or a cross, is a hole in it.
    """
    m = _moments(_outlines(parted), parted.size / 8)
    m = m[m[:, 0] > 0]
    area = m[:, 0]
    x, y = m[:, 1] / area, m[:, 2] / area
    xx, xy, yy = m[:, 3] / area - x * x, m[:, 4] / area - x * y, m[:, 5] / area - y * y
    # A parallelogram's area follows from its moments.
    full = area / (SQUARE_STEP**2 * np.sqrt(np.maximum(xx * yy - xy**2, 1e-9)))
    whole = (full > FULLNESS[0]) & (full < FULLNESS[1])
    # Parting took a pixel at the left and the top; the outline runs through pixel centres.
    centres = np.stack([x, y], axis=1) - (PASSAGE_PX - 1) / 2
    growth = (1 + (PASSAGE_PX - 0.5) / np.sqrt(area)) ** 2
    moments = (np.stack([xx, xy, xy, yy]) * growth).T.reshape(-1, 2, 2)
    return centres[whole], moments[whole]


def _outlines(parted: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """(K, 1, 2) px of the outer contours of areas that have any extent."""
    contours, tree = cv2.findContours(parted, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return []
    outer = tree[0, :, 3] < 0
    return [contour for contour in compress(contours, outer) if len(contour) > 2]  # type: ignore[misc]


def _moments(outlines: list[NDArray[np.int32]], largest: float) -> NDArray[np.float64]:
    """(N, 6) area, and the moments x, y, xx, xy, yy, of those within outlines of a cell's size.

    As cv2.moments has them, by Green's theorem edge by edge, but of all outlines at once: there
    are hundreds, most of them specks.
    """
    if not outlines:
        return np.zeros((0, 6))
    lengths = np.array([len(outline) for outline in outlines])
    x, y = np.ascontiguousarray(np.concatenate(outlines)[:, 0].T)
    first = np.cumsum(lengths) - lengths
    width, height = (
        np.maximum.reduceat(at, first) - np.minimum.reduceat(at, first) for at in (x, y)
    )
    fits = (np.minimum(width, height) + 1 >= MIN_CELL_PX) & ((width + 1) * (height + 1) <= largest)
    if not fits.any():
        return np.zeros((0, 6))
    chosen = np.repeat(fits, lengths)
    x, y, lengths = x[chosen].astype(float), y[chosen].astype(float), lengths[fits]
    first = np.cumsum(lengths) - lengths
    behind = np.arange(1, len(x) + 1)
    behind[first + lengths - 1] = first
    x1, y1 = x[behind], y[behind]
    cross = x * y1 - x1 * y
    terms = (
        cross / 2,
        cross * (x + x1) / 6,
        cross * (y + y1) / 6,
        cross * (x * x + x * x1 + x1 * x1) / 12,
        cross * (x * (2 * y + y1) + x1 * (y + 2 * y1)) / 24,
        cross * (y * y + y * y1 + y1 * y1) / 12,
    )
    sums = np.stack([np.add.reduceat(term, first) for term in terms], axis=1)
    return np.asarray(sums * np.sign(sums[:, :1]), np.float64)  # whichever way the outline runs


def _grids(areas: _Areas) -> list[LineGrid]:
    if len(areas.centres) < MIN_SEED:
        return []
    links = _links(areas)
    free = np.ones(len(areas.centres), bool)
    grids = []
    for seed in np.argsort([-len(link) for link in links], kind="stable").tolist():
        if len(links[seed]) < 4:
            break
        if not free[seed]:
            continue
        members, places = _grow(seed, areas.centres, links, free)
        free[members] = False
        if len(members) >= MIN_SEED:
            grid = _complete(areas, members, places, free)
            if grid is not None:
                grids.append(grid)
    return grids


def _links(areas: _Areas) -> list[list[int]]:
    """For each area the neighbours across its sides: mutual, of like size, one step away."""
    centres = areas.centres
    nearest = np.asarray(cKDTree(centres).query(centres, k=min(10, len(centres)))[1])[:, 1:]
    metric = np.linalg.inv(areas.moments)
    steps = centres[nearest] - centres[:, None]
    distance = np.sqrt(np.einsum("nki,nij,nkj->nk", steps, metric, steps)) / SQUARE_STEP
    size = areas.sizes
    alike = np.abs(np.log(size[nearest] / size[:, None])) < np.log(SIZE_RATIO)
    near = (distance > STEPS[0]) & (distance < STEPS[1]) & alike
    nearest_step = np.where(near, distance, np.inf).min(axis=1, keepdims=True)
    near &= distance < DIAGONAL * nearest_step
    one, other = np.nonzero(near)[0], nearest[near]
    there, back = one * len(centres) + other, other * len(centres) + one
    mutual = np.sort(there[np.isin(there, back)])
    links: list[list[int]] = [[] for _ in centres]
    for i, j in zip(*(part.tolist() for part in divmod(mutual, len(centres))), strict=True):
        links[i].append(j)
    return links


def _grow(
    seed: int, centres: NDArray[np.float64], links: list[list[int]], free: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Members and their (x, y) places, link by link from a seed that has four neighbours."""
    place = {seed: (0, 0)}
    taken = {(0, 0)}
    # Points and steps are complex numbers: of so few of them numpy would take longer.
    at = (centres @ [1, 1j]).tolist()
    axes = {seed: _axes(centres[links[seed]] - centres[seed])}
    for cell in (queue := [seed]):
        right, down = axes[cell]
        area = _cross(right, down)
        for other in links[cell]:
            if other in place or not free[other]:
                continue
            step = at[other] - at[cell]
            x, y = _cross(step, down) / area, _cross(right, step) / area
            dx, dy = round(x), round(y)
            spot = place[cell][0] + dx, place[cell][1] + dy
            if abs(dx) + abs(dy) != 1 or max(abs(x - dx), abs(y - dy)) > 0.25 or spot in taken:
                continue
            place[other] = spot
            taken.add(spot)
            # The axes follow the perspective: half of each change is taken over.
            axes[other] = ((right + step * dx) / 2, down) if dx else (right, (down + step * dy) / 2)
            queue.append(other)
    return np.array(list(place), np.int64), np.array(list(place.values()), np.int64)


def _cross(a: complex, b: complex) -> float:
    return (a.conjugate() * b).imag


def _axes(steps: NDArray[np.float64]) -> tuple[complex, complex]:
    """Of the steps to the neighbours the one most nearly rightward, and one to its right."""
    every = np.concatenate([steps, -steps]) @ [1, 1j]
    units = every / np.abs(every)
    right = int(np.argmax(units.real))
    down = int(np.argmax((units / units[right]).imag))
    return complex(every[right]), complex(every[down])


def _complete(
    areas: _Areas, members: NDArray[np.int64], places: NDArray[np.int64], free: NDArray[np.bool_]
) -> LineGrid | None:
    """The whole grid that the members belong to; cells that join are no longer free."""
    matrix = _robust_fit(areas.centres[members], places)
    if matrix is None:
        return None
    for _ in range(MAX_SIDE // GAP_CELLS):
        cells = _cells_of(areas, matrix, places)
        if cells is None or len(cells[0]) < MIN_SEED:
            return None
        settled = len(cells[0]) == len(members)
        members, places = cells
        fitted, _ = cv2.findHomography(places + 0.5, areas.centres[members])
        if fitted is None:
            return None
        matrix = np.asarray(fitted, np.float64)
        if settled:
            break
    free[members] = False
    if len(members) < MIN_CELLS:
        return None
    return _bounded(areas.borders, matrix, places)


def _robust_fit(centres: NDArray[np.float64], places: NDArray[np.int64]) -> Homography | None:
    if min(np.ptp(places, axis=0)) < 1:
        return None
    extent = np.ptp(centres, axis=0) / np.maximum(np.ptp(places, axis=0), 1)
    tolerance = FIT_TOLERANCE * float(np.hypot(*extent)) / np.sqrt(2)
    matrix, _ = cv2.findHomography(places + 0.5, centres, cv2.RANSAC, tolerance)
    return None if matrix is None else np.asarray(matrix, np.float64)


def _cells_of(
    areas: _Areas, matrix: Homography, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The areas that lie on the grid near known places, and their own places."""
    if abs(np.linalg.det(matrix)) < 1e-12:
        return None
    inverse = np.linalg.inv(matrix).astype(np.float64)
    at = transform(inverse, areas.centres).astype(float)
    spots = np.floor(at).astype(np.int64)
    near = np.all(
        (at > places.min(axis=0) - GAP_CELLS) & (at < places.max(axis=0) + 1 + GAP_CELLS), 1
    )
    on_grid = near & np.all(np.abs(at - spots - 0.5) < FIT_TOLERANCE, axis=1)
    chosen = np.flatnonzero(on_grid)
    # Steps of a hundredth of a cell tell the size of a cell there.
    right, down = (
        transform(matrix, at[chosen] + offset) - areas.centres[chosen]
        for offset in (np.array([0.01, 0]), np.array([0, 0.01]))
    )
    cell = 1e4 * np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0])
    share = areas.sizes[chosen] / np.maximum(cell, 1e-6)
    whole = (share > AREA_SHARE[0]) & (share < AREA_SHARE[1])
    chosen = chosen[whole]
    _, first = np.unique(spots[chosen], axis=0, return_index=True)
    chosen = chosen[np.sort(first)]
    return chosen, spots[chosen]


def _bounded(
    borders: NDArray[np.uint8], matrix: Homography, places: NDArray[np.int64]
) -> LineGrid | None:
    """The places that are well filled, and beyond them while far and cross lines are there."""
    low, high = _filled_range(places)
    ends = [int(low[0]), int(low[1]), int(high[0]), int(high[1])]  # left, top, right, bottom

    def is_line(side: int, at: int) -> bool:
        across = ends[1 - side % 2], ends[3 - side % 2]
        return _support(borders, matrix, side % 2, [at], across) > LINE_SUPPORT

    for side, outward in enumerate((-1, -1, 1, 1)):
        axis = side % 2
        while ends[axis + 2] - ends[axis] < MAX_SIDE and is_line(side, ends[side] + outward):
            strip = sorted((ends[side], ends[side] + outward))
            crossing = range(ends[1 - axis], ends[3 - axis] + 1)
            if _support(borders, matrix, 1 - axis, crossing, (strip[0], strip[1])) < CROSS_SUPPORT:
                break
            ends[side] += outward
    left, top, right, bottom = ends
    if min(right - left, bottom - top) < MIN_SIDE:
        return None
    shift = np.array([[1, 0, left], [0, 1, top], [0, 0, 1.0]])
    return LineGrid(matrix @ shift, bottom - top, right - left, len(places))


def _filled_range(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and end of the columns and rows, those left out that only a few stray areas fill."""
    low, high = places.min(axis=0), places.max(axis=0) + 1
    for axis in (0, 1):
        counts = np.bincount(places[:, axis] - low[axis], minlength=high[axis] - low[axis])
        filled = np.flatnonzero(counts > STRAY_SHARE * np.median(counts))
        high[axis] = low[axis] + filled[-1] + 1
        low[axis] += filled[0]
    return low, high


def _support(
    borders: NDArray[np.uint8],
    matrix: Homography,
    axis: int,
    lines: Sequence[int],
    across: tuple[int, int],
) -> float:
    """The share of these grid lines' length (x = line, or y = line) where a border is seen.

    Less what is seen a quarter of a cell aside, for in texture borders are everywhere.
    """
    along = np.arange(across[0], across[1], 0.125) + 0.0625
    # Within the tolerance, and a pixel at least, to both sides.
    middle = np.array([lines[0], along[0]] if axis == 0 else [along[0], lines[0]], float)
    step = transform(matrix, middle + np.eye(2)[axis]) - transform(matrix, middle)
    reach = max(LINE_TOLERANCE, 1 / float(np.hypot(*step)))
    offsets = np.add.outer([-0.25, 0, 0.25], np.linspace(-reach, reach, 5)).ravel()
    line, a, b = np.meshgrid(np.array(lines, float), along, offsets, indexing="ij")
    points = transform(matrix, np.stack([line + b, a] if axis == 0 else [a, line + b], axis=-1))
    x, y = np.rint(points).astype(int).transpose(3, 0, 1, 2)
    inside = (x >= 0) & (y >= 0) & (x < borders.shape[1]) & (y < borders.shape[0])
    seen = inside & (borders[np.where(inside, y, 0), np.where(inside, x, 0)] > 0)
    before, at, behind = seen.reshape(*seen.shape[:2], 3, 5).any(axis=3).mean(axis=(0, 1))
    return float(at - (before + behind) / 2)
