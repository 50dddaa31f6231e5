"""Cut a board's cells as if its lines were straight and its light even.

A homography knows nothing of the lens, and a rectified picture nothing of lamps. What cells share
shows both: their frames lie where the lines run, and *mates*, cells that show the same picture,
differ by the light alone. Lenses and light are smooth, so that a polynomial over the board tells
them from what single cells do; and it counts only as far as it foretells cells that it was not
fitted to.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import distance

from ar_assist.games.tiles import (
    CELL,
    EDGE,
    NOISE,
    SIDE,
    Array,
    Indices,
    cut,
    drawings,
    face,
    from_mosaic,
    level,
    mates,
    mosaic,
    opponent,
    pool,
    shapes,
    softened,
    spread,
)
from ar_assist.registration import best_offsets
from ar_assist.types import Image, Lattice

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

COARSE = 2  # cell px to one, where mates are sought that may lie some px off
REACHES = 2, 1  # such px that mates may lie off, by round: they lie nearer after the first
# Cell px to one at which frames are sought: by a template from the middle of the board, then from
# all that was like it, and the last one finely.
TEMPLATES = 2, 2, 1
REACH = 8  # cell px: frames are sought so far off the lattice, a quarter of a cell
SPILL = 2  # cell px of the rim, left out: there the next cell's edges show
AMID = 6  # the first template is of one in so many cells, those amid the board
MIN_CELLS = 12  # with a frame: fewer tell no polynomial of degree 3
LIKE_ENOUGH = 0.6  # NCC with the template, as a share of the usual: it has the frame
# Degree of a field over the board, and cells' worth of belief that it is flat.
BENDING = (3, 0.3)  # a lens bends lines as the cube of the distance from its axis
FALLOFF = (2, 0.1)  # light falls off as the square of it; more would follow the pictures
DOUBT = 1.0  # px: a cell that lies off the smooth field by more is doubted
DOUBT_LIGHT = 0.03  # of light, and of its tint: the same
ROUNDS = 8  # of pairing squares of one colour each, and evening their light, at most
SHADE = 0.2  # of a difference in tone, which light makes, counts for as much as one in colour
FEW = 3  # squares with which each is paired at most: kinds have more, and pairs of them
ALIKE = 0.01  # of a colour: as far off the same may always be
STRIPS = slice(None, SPILL), slice(-SPILL, None)  # cell px along two borders of a cell
SIDES = 3  # at which a square ends: at one it may touch its like
FOLDS = 4  # a field is judged by the quarter of the cells that it was not fitted to
WORTHS = np.linspace(0, 1, 11)  # shares of a field that may be believed


def straightened(picture: Image, lattice: Lattice, rim: int = 0) -> Array:
    """(R, C, CELL, CELL, 3) BGR cells, with lines straightened and light evened.

    The outer `rim` rows and columns follow, but have no say: they may be no part of the board.
    """
    return straight_and_lit(picture, lattice, rim)[1]


def straight_and_lit(picture: Image, lattice: Lattice, rim: int = 0) -> tuple[Array, Array]:
    """The cells with lines straightened, in the light that falls on them and in even light."""
    grid = lattice.rows, lattice.cols
    row, col = np.indices(grid)
    inside = (np.minimum(row, grid[0] - 1 - row) >= rim) & (
        np.minimum(col, grid[1] - 1 - col) >= rim
    )
    cells, pairs, contrast = _straight_lines(softened(picture, lattice), lattice, inside.ravel())
    cells = cells.reshape(*grid, CELL, CELL, 3)
    light = _light(cells, pairs, inside & (contrast <= NOISE).reshape(grid))
    gain = np.exp(light.reshape(*grid, 3)).astype(np.float32)
    smooth = cv2.resize(gain, (grid[1] * CELL, grid[0] * CELL))  # no step parts ground from ground
    gains = from_mosaic(np.asarray(smooth, np.float32))
    return cells, np.asarray((cells + NOISE) / gains - NOISE, np.float32)


def _light(cells: Array, pairs: Indices, plain: Mask) -> Floats:
    """(N, 3) logarithm of the light that falls on (R, C, CELL, CELL, 3) cells, by channel.

    By mates (M, 2) that show a drawing; where these are too few, by squares of one colour each
    among `plain` cells (R, C): which of these are equal is told better when the light is even.
    """
    grid = cells.shape[:2]
    basis = _basis((grid[0], grid[1]), FALLOFF[0])
    seen = np.log(level(face(cells.reshape(-1, CELL, CELL, 3))) + NOISE)

    def field(pairs: Indices) -> Floats:
        a, b = pairs.T
        steps = seen[b] - seen[a]
        tone = steps.mean(1, keepdims=True)  # light changes that most, and all channels alike
        steps = np.hstack([tone, steps - tone]) / DOUBT_LIGHT
        found = basis @ _fitted(basis[b] - basis[a], steps, FALLOFF[1]) * DOUBT_LIGHT
        return np.asarray(found[:, :1] + found[:, 1:])

    if len(pairs) >= MIN_CELLS:
        return field(pairs)
    light: Floats = np.zeros(seen.shape)
    squares = (plain & _ends_around(cells)).ravel()
    if np.count_nonzero(squares) < MIN_CELLS:
        return light
    for _ in range(ROUNDS):
        before, pairs = pairs, _of_one_colour(seen - light, squares)
        if np.array_equal(pairs, before):
            break
        light = field(pairs)
    return light


def _of_one_colour(logs: Floats, squares: Mask) -> Indices:
    """(M, 2) pairs of `squares` (N,) that are as near in colour as mates usually are.

    `logs` (N, 3) of levels: light moves all channels of one alike, so that ratios of channels tell
    more than tone.
    """
    some = np.flatnonzero(squares)
    tone = logs[some].mean(1, keepdims=True)
    colours = np.hstack([logs[some] - tone, SHADE * tone])
    apart = distance.squareform(distance.pdist(colours))
    usual = max(float(np.median(apart[tuple(mates(apart).T)])), ALIKE)
    np.fill_diagonal(apart, np.inf)
    nearest = np.sort(apart, axis=1)[:, FEW - 1, None]
    near = (apart <= nearest) & (apart < 2 * usual)
    return some[np.argwhere(np.triu(near | near.T))]


def _ends_around(cells: Array) -> Mask:
    """(R, C) where what (R, C, CELL, CELL, 3) cells show does not run on into others on most sides:
    an uneven ground, which does, is no square under uneven light."""
    amid, along = level(face(cells.reshape(-1, CELL, CELL, 3))), slice(CELL // 4, -CELL // 4)
    top, bottom = (cells[:, :, at, along].mean((2, 3)) for at in STRIPS)
    left, right = (cells[:, :, along, at].mean((2, 3)) for at in STRIPS)
    own = np.stack([top, bottom, left, right])
    beyond = [
        np.roll(bottom, 1, 0),
        np.roll(top, -1, 0),
        np.roll(right, 1, 1),
        np.roll(left, -1, 1),
    ]
    off = np.linalg.norm(np.stack([own, beyond]) - amid.reshape(*cells.shape[:2], 3), axis=-1)
    return np.asarray((off.max(0) > NOISE).sum(0) >= SIDES)


def _straight_lines(soft: Image, lattice: Lattice, inside: Mask) -> tuple[Array, Indices, Array]:
    """(N, CELL, CELL, 3) cells along lines that are straight; (M, 2) mates among them; and (N,)
    the contrast of cells when these were sought.

    By the frames that cells share, then by mates, which are told better when cells lie better.
    """
    grid = lattice.rows, lattice.cols
    bend = _bend_of_frames(cut(soft, lattice), inside)
    basis = _basis(grid, BENDING[0])
    for reach in REACHES:
        cells = cut(soft, lattice, bend).reshape(-1, CELL, CELL, 3)
        grey = opponent(cells)[0]
        apart, shift = shapes(drawings(pool(grey[..., None], COARSE)[..., 0]), reach)
        contrast = spread(face(cells)).mean(1)
        pairs = mates(apart)
        pairs = pairs[((contrast > NOISE) & inside)[pairs].all(1)]
        a, b = pairs.T
        steps = _register(grey, pairs, COARSE * shift[a, b])
        field = basis @ _fitted(basis[b] - basis[a], steps / DOUBT, BENDING[1])
        if not field.any():
            return cells, pairs, contrast
        bend = (bend + DOUBT * field.reshape(*grid, 2)).astype(np.float32)
    return cut(soft, lattice, bend).reshape(-1, CELL, CELL, 3), pairs, contrast


def _bend_of_frames(cells: Array, inside: Mask) -> Array:
    """(R, C, 2) x, y cell px by which what (R, C, CELL, CELL, 3) cells share lies off the lattice.

    Cells amid the board make the first template; the next ones are of all that was like the last.
    """
    grid = cells.shape[:2]
    contrast = spread(face(cells.reshape(-1, CELL, CELL, 3))).mean(1)
    busy = inside & (contrast > max(NOISE, float(np.median(contrast[inside])) / 2))
    place = np.argwhere(np.ones(grid, bool))  # (N, 2) row, column
    flat = np.zeros((*grid, 2), np.float32)
    if busy.sum() < MIN_CELLS:
        return flat
    basis = np.column_stack([_basis(grid, BENDING[0]), np.ones(len(place))])
    from_middle = np.abs(place - np.median(place[busy], axis=0)).sum(1)
    amid = np.argsort(np.where(busy, from_middle, np.inf), kind="stable")
    framed = amid[: max(MIN_CELLS, int(busy.sum()) // AMID)]
    edges, offset = _edges(cells), np.zeros((len(place), 2))
    for scale in TEMPLATES:
        likeness, offsets, at_rim = _found_frames(edges, scale, place[framed], offset[framed])
        like = ~at_rim & (likeness > LIKE_ENOUGH * float(np.median(likeness[framed])))
        framed = np.flatnonzero(busy & like)
        if len(framed) < MIN_CELLS:
            return flat
        steps = offsets[framed]
        away = steps - np.median(steps, axis=0)  # where cells begin is for the finder to say
        found = _fitted(basis[framed], away / DOUBT, BENDING[1])
        offset = DOUBT * basis @ found
    return (DOUBT * basis[:, :-1] @ found[:-1]).reshape(flat.shape).astype(np.float32)


def _found_frames(
    edges: Array, scale: int, places: Indices, offset: Floats
) -> tuple[Array, Array, Mask]:
    """Where all cells (N,) show what those at `places` (M, 2), row and column, do on average: NCC,
    x, y cell px (N, 2) off the lattice, and whether that is at the rim of the search.

    `offset` (M, 2) says where these were found last; `scale` edges (R * CELL, C * CELL, 2) are one.
    """
    cell, reach, spill = (px // scale for px in (CELL, REACH, SPILL))
    size, border = np.array(edges.shape[1::-1]) // scale, 2 * (reach - spill,)
    area = np.asarray(cv2.resize(edges, size.tolist(), interpolation=cv2.INTER_AREA), np.float32)
    area = np.pad(area, (border, border, (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(area, 2 * (cell - 2 * spill,), axis=(0, 1))
    at = np.rint(offset[:, ::-1] / scale).astype(int).clip(-reach, reach) + reach
    y, x = (cell * places + at).T
    template = np.moveaxis(windows[y, x].mean(0), 0, -1)
    likeness, offsets, at_rim = best_offsets(area, template, cell, reach)
    return likeness.ravel(), scale * offsets.reshape(-1, 2), at_rim.ravel()


def _edges(cells: Array) -> Array:
    """(R * CELL, C * CELL, 2) strength of vertical and horizontal edges over their local mean."""
    grey = cv2.GaussianBlur(opponent(mosaic(cells)[None])[0][0], (0, 0), 0.8)
    x, y = (np.abs(cv2.Scharr(grey, cv2.CV_32F, *step)) for step in ((1, 0), (0, 1)))
    area = (2 * CELL + 1, 2 * CELL + 1)
    local = cv2.blur(x + y, area) + 0.03 * float((x + y).max()) + 1e-3
    return np.dstack([x / (x + local), y / (y + local)])


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


def _basis(grid: tuple[int, int], degree: int) -> Floats:
    """(N, K) polynomials over the board's cells in reading order, without the constant one."""
    rows, cols = grid
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, cols), indexing="ij")
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)][1:]
    basis = np.stack([x.ravel() ** i * y.ravel() ** j for i, j in powers], 1)
    centred: Floats = basis - basis.mean(0)
    return centred


def _fitted(design: Floats, steps: NDArray[np.floating], ridge: float) -> Floats:
    """(K, D) coefficients with which `design` (M, K) explains `steps` (M, D), in units of doubt.

    Each column is believed to the share that best foretells the steps left out of the fit.
    """
    found = np.zeros((design.shape[1], steps.shape[1]))
    if len(steps) < MIN_CELLS:
        return found
    fold = np.arange(len(steps)) % FOLDS
    for k, step in enumerate(steps.T):
        # The last fit leaves none out.
        fits = _robust(design, step, np.arange(FOLDS + 1)[:, None] != fold, ridge)
        foretold = np.einsum("mk,mk->m", design, fits[fold])
        cost = np.log1p((step - WORTHS[:, None] * foretold) ** 2).sum(1)
        found[:, k] = WORTHS[int(cost.argmin())] * fits[-1]
    return found


def _robust(design: Floats, step: NDArray[np.floating], used: Mask, ridge: float) -> Floats:
    """(F, K) ridge regressions, each on the steps that are `used` (F, M).

    Weighed anew by how well each step fits (Cauchy's weights, unit 1).
    """
    weight: Floats = np.ones(used.shape)
    found: Floats = np.zeros((len(used), design.shape[1]))
    for _ in range(4):
        weighed = design.T * (weight * used)[:, None]
        normal = weighed @ design + ridge * np.eye(design.shape[1])
        by_steps = (weighed @ step)[..., None]
        found = np.asarray(np.linalg.solve(normal, by_steps)[..., 0], np.float64)
        weight = 1 / (1 + (found @ design.T - step) ** 2)
    return found
