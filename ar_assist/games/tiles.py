"""Cells of a regular board: cut them from the rectified picture, compare them, group them.

Knows no game. A board's cells were drawn from few pictures, so most cells have *mates* that show
the same thing. Mates do two jobs here: they say how much equal cells differ on this very board
(noise, blur, JPEG), which is the unit of every distance, and they show what the camera did to the
picture (bent lines, uneven light), which is then taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering

from ar_assist.types import Image, Lattice

Array = NDArray[np.float32]
Indices = NDArray[np.int64]

CELL = 32  # px a side of a cut cell: sprites of 20 px keep their detail, 480 cells stay fast
EDGE = 4  # px of a cell's rim left out of its face: frames, gaps and hint marks live there
SIDE = CELL - 2 * EDGE  # px a side of a face
POOL = 3  # px: colour is compared in blocks, cameras give it no more detail
BROAD = 6.0  # px, sigma: light falls off and glare spreads more slowly than pictures change
NOISE = 5.0  # grey levels: contrast under this is no content (sensor noise, JPEG, dithering)
CONTENT = 0.3  # usual difference of shapes: less is no drawing
CLEANEST = 0.01  # share of the usual difference: no board is cleaner than this
ROUNDS = 2  # of straightening: mates are found better after the first
RIDGE = 0.3  # mates' worth of belief that the camera is straight and the light even
DOUBT = 1.0  # px: a mate that lies off the smooth field by more is doubted
DOUBT_LIGHT = 10.0  # grey levels, and percent of contrast: the same for light
GAP = 6.0  # log odds per e-fold between the merges within kinds and those between
CLEAR = 1.5  # e-folds: a wider gap is no better
USUAL_SIZE, SIZE_SPREAD = 4.5, 0.6  # cells of a kind, and the spread of its log, in common games
# Log odds that a merge joins unlike cells, at the level and per e-fold above it: a logistic fit.
UNLIKE, UNLIKE_STEP = 1.3, 5.3


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared differences of all pairs of cells; unlike cells are about 1 apart."""

    shape: Array  # (N, N) grey detail
    chroma: Array  # (N, N) colour
    tone: Array  # (N, N) brightness
    shift: Array  # (N, N, 2) x, y cell px: how far cell j's content lies off cell i's

    def among(self, chosen: NDArray[np.bool_]) -> Distances:
        """Only those among some of the cells."""
        return Distances(
            *(
                part[np.ix_(chosen, chosen)]
                for part in (self.shape, self.chroma, self.tone, self.shift)
            )
        )


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which cells show the same."""

    labels: Indices  # (N,) 0.. in order of first appearance
    margin: Array  # (N,) log odds of the cell's group against the nearest other grouping
    weights: NDArray[np.float64]  # (3,) of shape, chroma, tone: like cells are less than 1 apart
    score: float  # how clearly the groups stand apart


def cut(picture: Image, lattice: Lattice, bend: Array | None = None) -> Array:
    """(R, C, CELL, CELL, 3) BGR of all cells; `bend` (R, C, 2) x, y cell px moves each."""
    rows, cols = lattice.rows, lattice.cols
    pitch = np.array(lattice.pitch_xy)
    coarser = float(pitch.mean()) / CELL
    # A Gaussian against aliasing, where the picture is finer than the cut.
    soft = cv2.GaussianBlur(picture, (0, 0), 0.4 * coarser) if coarser > 1 else picture
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
    mosaic = cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cells = mosaic.reshape(rows, CELL, cols, CELL, 3).swapaxes(1, 2)
    return cells.astype(np.float32)


def face(cells: Array) -> Array:
    """(N, SIDE, SIDE, ...) the inner part of (N, CELL, CELL, ...)."""
    inner = slice(EDGE, CELL - EDGE)
    part: Array = cells[:, inner, inner]
    return part


def opponent(cells: Array) -> tuple[Array, Array]:
    """Luminance (N, H, W) and two colour differences (N, H, W, 2) of BGR cells."""
    grey = cells @ np.array([0.114, 0.587, 0.299], np.float32)
    return grey, cells[..., ::2] - grey[..., None]


def pool(planes: Array, block: int) -> Array:
    """Means of blocks: (N, H, W, K) to (N, H // block, W // block, K)."""
    n, h, w, k = planes.shape
    blocks = planes.reshape(n, h // block, block, w // block, block, k)
    means: Array = blocks.mean((2, 4)).astype(np.float32)
    return means


def detail(grey: Array) -> Array:
    """(N, H, H) less its own Gaussian blur of BROAD cell px: what slow light cannot change."""
    side = grey.shape[1]
    at = np.arange(side, dtype=np.float32)
    kernel = np.exp(-(((at - at[:, None]) * (CELL / side / BROAD)) ** 2) / 2)
    kernel /= kernel.sum(1, keepdims=True)
    sharp: Array = (grey - kernel @ grey @ kernel.T).astype(np.float32)
    return sharp


def compare(cells: Array, reach: int, block: int = 1) -> Distances:
    """Distances of (N, CELL, CELL, 3) cells; shapes at 1/block scale, within ±reach px of it.

    What all cells have in common (frame, ground, bevel) tells nothing and is taken off first.
    """
    grey, colour = opponent(cells)
    fine = pool(grey[..., None], block)[..., 0]
    shape, shift = _shape_distances(detail((fine - np.median(fine, 0)).astype(np.float32)), reach)
    chroma, tone = (
        _level_distances(pool(face(plane), POOL).reshape(len(cells), -1))
        for plane in (colour, grey[..., None])
    )
    return Distances(shape, chroma, tone, shift * block)


def _shape_distances(grey: Array, reach: int) -> tuple[Array, Array]:
    """Least 1 - NCC of (N, H, H) cells within shifts of ±reach px, and where: (N, N, 2) px.

    Written |a - b|² / (|a|² + |b|² + noise), which is 1 - NCC for equal energies and makes two
    blank cells equal instead of comparing their noise.
    """
    n, side = len(grey), grey.shape[1]
    edge = side * EDGE // CELL
    noise = 2 * (NOISE * (side - 2 * edge)) ** 2

    def moved(dx: int, dy: int) -> Array:
        part = grey[:, edge + dy : side - edge + dy, edge + dx : side - edge + dx].reshape(n, -1)
        flat: Array = (part - part.mean(1, keepdims=True)).astype(np.float32)
        return flat

    def differ(b: Array) -> Array:
        energy = energy_still[:, None] + np.einsum("nd,nd->n", b, b)
        apart: Array = np.maximum(energy - 2 * (still @ b.T), 0) / (energy + noise)
        return apart

    still = moved(0, 0)
    energy_still = np.einsum("nd,nd->n", still, still)
    best = differ(still)
    shift = np.zeros((n, n, 2), np.float32)
    # Moving one cell by s is moving the other by -s, so half of the shifts will do.
    for dx, dy in ((x, y) for x in range(reach + 1) for y in range(-reach, reach + 1)):
        if (dx, dy) > (0, 0):
            distance = differ(moved(dx, dy))
            for sign, way in ((1, distance), (-1, distance.T)):
                closer = way < best
                best = np.where(closer, way, best)
                shift[closer] = sign * dx, sign * dy
    return ((best + best.T) / 2).astype(np.float32), shift


def _level_distances(levels: Array) -> Array:
    """Squared distances of (N, D) levels, over the board's own variance."""
    levels = levels - levels.mean(0)
    energy = np.einsum("nd,nd->n", levels, levels)
    usual = 2 * energy.mean() + 2 * NOISE**2 * levels.shape[1]
    distance: Array = np.maximum(energy[:, None] + energy - 2 * levels @ levels.T, 0) / usual
    return distance


def mates(distance: Array) -> Indices:
    """(M, 2) pairs of cells that are each other's nearest."""
    other = distance.copy()
    np.fill_diagonal(other, np.inf)
    near, first = other.argmin(1), np.arange(len(other))
    pairs: Indices = np.stack([first, near], 1)[(near[near] == first) & (first < near)]
    return pairs


def settle(picture: Image, lattice: Lattice, rim: int = 0) -> Array:
    """(R, C, CELL, CELL, 3) BGR cells, with lines straightened and light evened by mates.

    The outer `rim` rows and columns follow, but have no say: they may be no part of the board.
    """
    grid = lattice.rows, lattice.cols
    row, col = np.indices(grid)
    inside = (np.minimum(row, grid[0] - 1 - row) >= rim) & (
        np.minimum(col, grid[1] - 1 - col) >= rim
    )
    inside = inside.ravel()
    bend = np.zeros((*grid, 2), np.float32)
    for _ in range(ROUNDS):
        cells = cut(picture, lattice, bend).reshape(-1, CELL, CELL, 3)
        look = compare(cells, reach=2, block=2)
        contrast = face(cells).std((1, 2)).mean(1)
        pairs = mates(look.shape)
        pairs = pairs[((contrast > NOISE) & inside)[pairs].all(1)]
        a, b = pairs.T
        steps = _register(opponent(cells)[0], pairs, look.shift[a, b])
        bend = (bend + DOUBT * _smooth_field(grid, pairs, steps / DOUBT)).astype(np.float32)
    cells = cut(picture, lattice, bend).reshape(-1, CELL, CELL, 3)
    levels = np.column_stack([face(cells).mean((1, 2)), 100 * np.log(contrast + NOISE)])
    light = _smooth_field(grid, pairs, (levels[b] - levels[a]) / DOUBT_LIGHT) * DOUBT_LIGHT
    offset, gain = light[..., None, None, :3], np.exp(light[..., 3:, None, None] / 100)
    return ((cells.reshape(*grid, CELL, CELL, 3) - offset) / gain).astype(np.float32)


def _register(grey: Array, pairs: Indices, shift: Array) -> Array:
    """(M, 2) x, y px by which b's content lies off a's, from whole px `shift` (M, 2).

    One step of Lucas and Kanade (1981): the shift that best explains the difference by slopes.
    """
    windows = np.lib.stride_tricks.sliding_window_view(grey, (SIDE, SIDE), axis=(1, 2))
    dx, dy = shift.astype(int).T
    a, b = windows[pairs[:, 0], EDGE, EDGE], windows[pairs[:, 1], EDGE + dy, EDGE + dx]
    slope_y, slope_x = np.gradient((a + b) / 2, axis=(1, 2))
    slopes = np.stack([slope_x, slope_y], -1).reshape(len(pairs), SIDE**2, 2)
    change = (a - b).reshape(len(pairs), SIDE**2, 1)
    change = change - change.mean(1, keepdims=True)
    # Noise in the slopes, so that cells without detail say "no shift" instead of nonsense.
    normal = slopes.swapaxes(1, 2) @ slopes + (NOISE * SIDE) ** 2 * np.eye(2)
    step = np.linalg.solve(normal, slopes.swapaxes(1, 2) @ change)[..., 0]
    found: Array = shift + np.clip(step, -2, 2)
    return found


def _smooth_field(grid: tuple[int, int], pairs: Indices, steps: Array) -> Array:
    """(R, C, K) cubic polynomials over the board that differ by `steps` (M, K) from a to b.

    `pairs` (M, 2) are cells in reading order. Ridge regression, weighed anew by how well each
    pair fits (Cauchy's weights, unit 1), for some mates are false.
    """
    rows, cols = grid
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, cols), indexing="ij")
    powers = [(i, j) for i in range(4) for j in range(4) if 0 < i + j < 4]
    basis = np.stack([x.ravel() ** i * y.ravel() ** j for i, j in powers], 1)
    basis -= basis.mean(0)
    design = basis[pairs[:, 1]] - basis[pairs[:, 0]]
    fields = np.zeros((len(powers), steps.shape[1]))
    for k, step in enumerate(steps.T):
        weight = np.ones(len(step))
        for _ in range(4):
            normal = (design.T * weight) @ design + RIDGE * np.eye(len(powers))
            fields[:, k] = np.linalg.solve(normal, design.T @ (weight * step))
            weight = 1 / (1 + (design @ fields[:, k] - step) ** 2)
    return (basis @ fields).reshape(rows, cols, -1).astype(np.float32)


def group(look: Distances, size_odds: Callable[[int], float]) -> Grouping:
    """Group cells by agglomerative clustering, cut where the evidence is best.

    Each part of the distance counts by how far it stands above its own noise within groups, as in
    Fisher's linear discriminant, so that colour decides on a board of plain squares, shape before
    a grey camera, and neither is drowned by the other's noise. Noise is first judged by mates, in
    three ways, then by the best groups found. `size_odds` is the log odds of a group's size.
    """
    parts = np.array([look.shape, look.chroma, look.tone])

    def attempt(uses: tuple[int, ...], a: Indices, b: Indices) -> Grouping:
        weights = _weigh(parts, uses, a, b)
        merges, heights = _linkage(np.tensordot(weights, parts, 1))
        level, score = _level(merges, heights, size_odds)
        labels, margin = _cut_tree(merges, heights, level, size_odds)
        return Grouping(labels, margin, weights / level, score)

    # Shape alone, or colour alone on boards of plain squares, where light or ground misleads all.
    starts = ((0, 1, 2), (0,) if np.median(look.shape) > CONTENT else (1, 2))
    best = max((attempt(u, *mates(parts[list(u)].sum(0)).T) for u in starts), key=lambda g: g.score)
    for _ in range(ROUNDS):
        better = attempt((0, 1, 2), *np.nonzero(np.triu(best.labels[:, None] == best.labels, 1)))
        if better.score <= best.score:
            break
        best = better
    return best


def _weigh(parts: Array, uses: tuple[int, ...], a: Indices, b: Indices) -> NDArray[np.float64]:
    """(3,) weights of the parts, so that the mean over the pairs a, b of equal cells is 1."""
    within = parts[:, a, b].mean(1) if len(a) else np.zeros(3)
    usual = np.median(parts, (1, 2))
    used = np.isin(np.arange(3), uses)
    weights = used * np.maximum(usual - within, 0) / (within + CLEANEST) ** 2
    unit = weights @ within
    return weights / (unit + CLEANEST)


def _linkage(distance: Array) -> tuple[Indices, NDArray[np.float64]]:
    """Merges (N - 1, 2) of average linkage, and their heights."""
    tree = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.0, metric="precomputed", linkage="average"
    ).fit(distance)
    return tree.children_, tree.distances_


def _level(
    merges: Indices, heights: NDArray[np.float64], size_odds: Callable[[int], float]
) -> tuple[float, float]:
    """The height that parts like from unlike, and its score.

    The widest gap (in logs) between merges, if sizes of groups are likely below it.
    """
    n = len(merges) + 1
    height = np.maximum(heights, 1)  # 1: what equal cells differ by
    gap = np.log(height[1:] / height[:-1])
    size, odds, score = np.ones(2 * n - 1, int), n * size_odds(1), np.zeros(n - 2)
    for m, (a, b) in enumerate(merges[:-1]):
        size[n + m] = size[a] + size[b]
        odds += size_odds(size[n + m]) - size_odds(size[a]) - size_odds(size[b])
        usual = np.log(n / (n - 1 - m) / USUAL_SIZE) / SIZE_SPREAD
        score[m] = GAP * min(gap[m], CLEAR) + odds - usual**2 / 2
    cut = int(score.argmax())
    return float(np.sqrt(height[cut] * height[cut + 1])), float(score[cut])


def _cut_tree(
    merges: Indices,
    heights: NDArray[np.float64],
    level: float,
    size_odds: Callable[[int], float],
) -> tuple[Indices, Array]:
    """The most likely groups among all that the tree allows: labels and margins, (N,) each.

    Every merge is within a group or between groups, by its height against `level`; groups have
    likely sizes. The sum of all log odds is maximised by dynamic programming from the leaves up.
    """
    n = len(merges) + 1
    unlike = UNLIKE + UNLIKE_STEP * np.log(np.maximum(heights, 1) / level)
    size = np.ones(2 * n - 1, int)
    whole = np.zeros(2 * n - 1)  # log likelihood of all under the node being one group
    split = np.full(2 * n - 1, -np.inf)  # … of the best partition of it into several
    best = np.full(2 * n - 1, size_odds(1))
    for node, ((a, b), odds) in enumerate(zip(merges, unlike, strict=True), n):
        size[node] = size[a] + size[b]
        whole[node] = whole[a] + whole[b] - np.logaddexp(0, odds)
        split[node] = best[a] + best[b] - np.logaddexp(0, -odds)
        best[node] = max(whole[node] + size_odds(size[node]), split[node])
    return _read_off(merges, whole + [size_odds(s) for s in size], split)


def _read_off(
    merges: Indices, whole: NDArray[np.float64], split: NDArray[np.float64]
) -> tuple[Indices, Array]:
    """Walk from the root down to the chosen groups; margins against one merge more or less."""
    n = len(merges) + 1
    group, margin = np.arange(2 * n - 1), np.full(2 * n - 1, np.inf)
    joined = np.zeros(2 * n - 1, bool)
    for node in range(2 * n - 2, n - 1, -1):
        inside = joined[node] or whole[node] >= split[node]
        if inside and not joined[node]:
            margin[node] = min(margin[node], whole[node] - split[node])
        for child in merges[node - n]:
            joined[child] = inside
            if inside:
                group[child], margin[child] = group[node], margin[node]
            else:
                margin[child] = split[node] - whole[node]
    order: dict[int, int] = {}
    labels = [order.setdefault(int(label), len(order)) for label in group[:n]]
    return np.array(labels), margin[:n].astype(np.float32)
