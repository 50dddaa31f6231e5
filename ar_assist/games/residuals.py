"""What is left of the difference of two cells when all is taken off that a camera does to equals.

Two pictures of one tile differ, to first order, by a shift (their slopes), a gain, an offset and a
blur (their Laplacian); a regression on these, after Lucas and Kanade (1981), takes them off. The
rest is weighed by the noise that mates on this very board show, more along edges than on even
ground. Kinds that are alike but for one stroke differ in one *spot* by many times the noise, where
a mean over the whole cell says nothing.
"""

from __future__ import annotations

import numpy as np

from ar_assist.games.tiles import (
    EDGE,
    NOISE,
    SIDE,
    Array,
    Differences,
    Indices,
    drawings,
    mates,
    opponent,
    pool,
    resampled,
)

NEIGHBOURS = 12  # cells that each is compared with finely: those beyond are unlike it anyway
CHUNK = 64  # pairs at a time: what is worked out of them stays in the cache
CAMERA = (0.15, 0.5, 0.5, 0.4)  # usual gain; shift x, y, px; blur, px²: what equals differ by
SPOT = 3  # px: half a side of a spot, the width of a stroke
OUTLIER = 9.0  # times the variance: of a false mate, not of noise
EVEN, EDGY = 2.2, 0.02  # first guess: of the median square; per squared slope


def finely(look: Differences, cells: Array) -> Differences:
    """The differences with two more parts, `rest` and `spot`, of (N, CELL, CELL, 3) cells."""
    base = look.parts.sum(0)
    pairs = _near(base)
    grey = drawings(opponent(cells)[0])
    planes = _planes(np.concatenate([grey, resampled(grey)]))
    couples = mates(base)
    noise = _noise(*_residuals(planes, couples, _shifts(look, couples)))

    n = len(cells)
    itself = np.stack([np.arange(n), np.arange(n) + n], 1)
    near = _unexplained(planes, pairs, _shifts(look, pairs), noise)
    slack = _unexplained(planes, itself, np.zeros((n, 2), np.float32), noise)
    more = [_spread(part, pairs, look.shape) for part in near]
    parts, slack = np.concatenate([look.parts, more]), np.concatenate([look.slack, slack])
    return Differences(parts.astype(np.float32), look.shift, slack)


def _planes(grey: Array) -> Array:
    """(N, 4, H, W): (N, H, W) grey levels, their slopes in x and y, and their Laplacian."""
    slope_y, slope_x = np.gradient(grey, axis=(1, 2))
    bend = np.gradient(slope_y, axis=1) + np.gradient(slope_x, axis=2)
    return np.stack([grey, slope_x, slope_y, bend], 1).astype(np.float32)


def _shifts(look: Differences, pairs: Indices) -> Array:
    """(M, 2) x, y cell px between the cells of pairs (M, 2)."""
    between: Array = look.shift[pairs[:, 0], pairs[:, 1]]
    return between


def _near(base: Array) -> Indices:
    """(M, 2) pairs of which one is among the other's NEIGHBOURS nearest."""
    n = len(base)
    count = min(NEIGHBOURS + 1, n)  # itself among them
    nearest = np.argpartition(base, count - 1, axis=1)[:, :count]
    near = np.zeros((n, n), bool)
    np.put_along_axis(near, nearest, True, 1)
    return np.argwhere(np.triu(near | near.T, 1))


def _residuals(planes: Array, pairs: Indices, shifts: Array) -> tuple[Array, Array]:
    """(M, SIDE, SIDE) unexplained grey levels of pairs (M, 2), and their mean squared slopes."""
    windows = np.lib.stride_tricks.sliding_window_view(planes, (SIDE, SIDE), axis=(2, 3))
    i, j = pairs.T
    dx, dy = shifts.astype(int).T
    a, b = windows[i, :, EDGE, EDGE], windows[j, :, EDGE + dy, EDGE + dx]
    both = np.empty((len(pairs), 5, SIDE, SIDE), np.float32)
    np.add(a, b, out=both[:, :4])
    both[:, :4] /= 2
    np.subtract(a[:, 0], b[:, 0], out=both[:, 4])
    slopes: Array = both[:, 1] ** 2 + both[:, 2] ** 2
    flat = both.reshape(len(pairs), 5, -1)
    flat -= flat.mean(2, keepdims=True)
    causes, change = flat[:, :4], flat[:, 4]
    # A ridge: nothing is explained by more than a camera does.
    ridge = np.diag(2 * (NOISE / np.array(CAMERA, np.float32)) ** 2)
    normal = causes @ causes.swapaxes(1, 2) + ridge
    by = np.linalg.solve(normal, causes @ change[..., None])
    left = change - (by.swapaxes(1, 2) @ causes)[:, 0]
    return left.reshape(-1, SIDE, SIDE), slopes


def _noise(left: Array, slopes: Array) -> tuple[float, float]:
    """Variance of equal cells' residuals: on even ground, and more per squared slope.

    A least-squares fit weighed by the variance itself, without the outliers of false mates.
    """
    square, slope = left.ravel() ** 2, slopes.ravel()
    even, edgy = EVEN * float(np.median(square)) + 1, EDGY
    for _ in range(4):
        variance = even + edgy * slope
        kept = square < OUTLIER * variance
        x, y, weight = slope[kept], square[kept], variance[kept] ** -2.0
        normal = np.array([[weight.sum(), weight @ x], [weight @ x, weight @ x**2]])
        found = np.linalg.solve(normal + 1e-9 * np.eye(2), [weight @ y, (weight * x) @ y])
        even, edgy = max(float(found[0]), 1.0), max(float(found[1]), 0.0)
    return even, edgy


def _unexplained(planes: Array, pairs: Indices, shifts: Array, noise: tuple[float, float]) -> Array:
    """(2, M): over the noise, in the whole cell and in the spot that differs most."""
    found = [np.zeros((2, 0), np.float32)]
    for at in range(0, len(pairs), CHUNK):
        some = slice(at, at + CHUNK)
        left, slopes = _residuals(planes, pairs[some], shifts[some])
        over = left**2 / (noise[0] + noise[1] * slopes)
        blocks = pool(over[..., None], SPOT)[..., 0]
        spots = blocks[:, 1:] + blocks[:, :-1]
        spots = (spots[..., 1:] + spots[..., :-1]) / 4
        found.append(np.sqrt([blocks.mean((1, 2)), spots.max((1, 2))]).astype(np.float32))
    return np.concatenate(found, 1)


def _spread(values: Array, pairs: Indices, shape: Array) -> Array:
    """(N, N) of (M,) values of some pairs; others get what their difference in shape suggests."""
    i, j = pairs.T
    usual = float(np.median(shape[i, j])) + 1e-6
    part: Array = np.maximum(shape / usual, 1) * np.float32(np.median(values))
    part[i, j] = part[j, i] = values
    np.fill_diagonal(part, 0)
    return part
