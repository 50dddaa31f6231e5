"""Where the cells of a grown lattice begin, which way its rows run, and how far it reaches.

A lattice vector says nothing of where a cell starts. Two facts do: what cells share (gaps, frames,
grid lines) lies on their borders, so that the variance *across* cells is least there; and a cell
that is cut in the right place has equals elsewhere on a board of equal tiles, while one that is cut
through the middle is made of two neighbours and has none.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find.lattice import Box, Fit, Maps, Mask, completed, rectified
from ar_assist.find.period import strongest_channel
from ar_assist.types import Homography, Image

CELL_PX = 24  # side of a cell here: a pixel is 4 % of a tile, sub-pixel fits do the rest
COMPARED = 150  # cells compared with each other: pairs enough, and quick
MIN_FILL = 0.8  # of the best sheared basis' fill: the upright one is kept down to this
PHASE_STEP_PX = 3  # an eighth of a cell: contents agree over a quarter
PHASE_CELLS = 80  # cells compared at each phase: enough to hold equals
ALTERNATING = 0.3  # of NCC: chance moves means of a few dozen cells by less
MIN_SURROUNDED = 16  # cells: fewer hold too few equals
DECISIVE = 0.6  # the content's distance must fall to this share to overrule the profiles,
NOISE = 0.01  # and by this much: cells that are all empty differ in noise alone

SHEARS = [
    np.array([[1, x, 0], [y, 1, 0], [0, 0, 1]], np.float64)
    for x, y in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
]


def settle(image: Image, fit: Fit) -> Fit | None:
    """The same lattice with cell borders on integer grid units and its box around the board."""
    fit = _upright_basis(_whole_pitch(image, fit))
    smooth = _smooth(image, fit)
    profiles = _profiles(smooth, fit)
    phase_px = _phase(smooth, fit, profiles)
    fine = [_symmetric(p, at) for p, at in zip(profiles, phase_px, strict=True)]
    # Sample i of a profile is a pixel centre, (i + ½) / CELL_PX of a cell.
    x, y = ((f + 0.5) / CELL_PX for f in fine)
    shift = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
    return measured(image, replace(fit, frame_from_grid=fit.frame_from_grid @ shift))


def measured(image: Image, fit: Fit) -> Fit | None:
    """A lattice whose cells begin right: completed, and its content compared."""
    final = completed(image, fit)
    return None if final is None else replace(final, content=_content(image, final))


def _smooth(image: Image, fit: Fit) -> Maps:
    """The box's cells with a margin of one, noise and moire smoothed."""
    picture = rectified(image, fit.frame_from_grid, fit.box.grown(1), CELL_PX)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.float32)


def _whole_pitch(image: Image, fit: Fit) -> Fit:
    """The lattice at twice its pitch along an axis where every second cell is of another sort.

    At half a tile's pitch left and right halves alternate; the mean of all even cells then differs
    from that of all odd ones, more than the means of two other halves of the board do.
    """
    cells = _cut(_smooth(image, fit), fit.box, (0, 0))
    doubled = np.eye(3)
    for axis in (0, 1):
        index = np.indices(fit.support.shape)[1 - axis]
        alternating = _likeness_of_means(cells, fit.support, index % 2 == 0)
        by_pairs = _likeness_of_means(cells, fit.support, index // 2 % 2 == 0)
        if alternating < by_pairs - ALTERNATING:
            doubled[axis, axis] = 2
    return fit if (doubled == np.eye(3)).all() else _rebased(fit, doubled)


def _likeness_of_means(cells: Maps, support: Mask, part: Mask) -> float:
    """NCC of the mean cells of a part of the board and of the rest."""
    if not (support & part).any() or not (support & ~part).any():
        return 1.0
    means = [cells[support & p].mean(axis=0).ravel() for p in (part, ~part)]
    a, b = (m - m.mean() for m in means)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-6))


def _upright_basis(fit: Fit) -> Fit:
    """Of the bases that a tilted view leaves open, the one in which the board fills its box best.

    Seen from 60 degrees a square's diagonal may look shorter than its side; a rectangular board
    under a sheared basis is a parallelogram, which fills little of its box.
    """
    sheared = [_rebased(fit, shear) for shear in SHEARS]
    best = max(sheared, key=lambda s: s.support.mean())
    return best if fit.support.mean() < MIN_FILL * best.support.mean() else fit


def _rebased(fit: Fit, basis: Homography) -> Fit:
    """The same nodes under another basis."""
    grid = fit.box.centres()[fit.support]
    # Centres go to centres: without the half the floor would depend on rounding.
    nodes = np.rint((grid - 0.5) @ np.linalg.inv(basis)[:2, :2].T).astype(int)
    low, high = nodes.min(axis=0), nodes.max(axis=0) + 1
    support = np.zeros((high - low)[::-1], bool)
    support[nodes[:, 1] - low[1], nodes[:, 0] - low[0]] = True
    box = Box(int(low[0]), int(low[1]), support.shape[1], support.shape[0])
    return replace(fit, frame_from_grid=fit.frame_from_grid @ basis, box=box, support=support)


Profile = tuple[NDArray[np.float64], NDArray[np.float64]]  # variance, edge strength; by position


def _profiles(smooth: Maps, fit: Fit) -> tuple[Profile, Profile]:
    """Along x and along y: variance across cells and mean strength of edges, (CELL_PX,) each."""
    cells = _cut(smooth, fit.box, (0, 0))[fit.support]
    variance = cells.var(axis=0).sum(axis=-1)
    edges = []
    for dx, dy in ((1, 0), (0, 1)):
        strength = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, dx, dy)))[..., None]
        mean = _cut(strength, fit.box, (0, 0))[fit.support].mean(axis=0)[..., 0]
        edges.append(mean.mean(axis=1 - dx))
    return (variance.mean(axis=0), edges[0]), (variance.mean(axis=1), edges[1])


def _cut(picture: Maps, box: Box, phase_px: tuple[int, int]) -> Maps:
    """(rows, cols, CELL_PX, CELL_PX, C): cells of a picture of the box with a margin of one."""
    x, y = CELL_PX + phase_px[0], CELL_PX + phase_px[1]
    inner = picture[y : y + box.rows * CELL_PX, x : x + box.cols * CELL_PX]
    cells: Maps = inner.reshape(box.rows, CELL_PX, box.cols, CELL_PX, -1).transpose(0, 2, 1, 3, 4)
    return cells


def _phase(smooth: Maps, fit: Fit, profiles: tuple[Profile, Profile]) -> tuple[int, int]:
    """Where cells begin, px of -CELL_PX / 2 … CELL_PX / 2 along x and y.

    The profiles propose, the content may overrule them: all phases are tried in steps.
    """
    first = (_border(profiles[0]), _border(profiles[1]))
    steps = range(-CELL_PX // 2, CELL_PX // 2, PHASE_STEP_PX)
    phases = [first, *((first[0] + x, first[1] + y) for y in steps for x in steps)]
    wrapped = [tuple((p + CELL_PX // 2) % CELL_PX - CELL_PX // 2 for p in at) for at in phases]
    few = np.zeros_like(fit.support)
    rows, cols = np.nonzero(_surrounded(fit.support))
    every = max(1, len(rows) // PHASE_CELLS)
    few[rows[::every], cols[::every]] = True
    distance = [_distance(_cut(smooth, fit.box, (x, y))[few]) for x, y in wrapped]
    best = int(np.argmin(distance))
    decided = distance[best] < DECISIVE * distance[0] - NOISE
    x, y = wrapped[best if decided else 0]
    return x, y


def _surrounded(support: Mask) -> Mask:
    """Cells with all eight neighbours, if there are enough: beside a hole the ground shows, and
    that differs more from tiles than tiles from each other."""
    inner = cv2.erode(support.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=0) > 0
    return inner if inner.sum() >= MIN_SURROUNDED else support


def _border(profile: Profile) -> int:
    """Where a cell may begin by the profiles alone, px.

    On a border little differs from cell to cell and the edges that all share are strong (compared
    as ratios: whichever of the two has the contrast decides).
    """
    variance, edges = (np.log(_smoothed_around(p / (p.mean() + 1e-6)) + 1e-3) for p in profile)
    return int((edges - variance).argmax())


def _smoothed_around(profile: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.concatenate([profile[-2:], profile, profile[:2]])
    return np.convolve(padded, np.ones(5) / 5, "valid")


def _symmetric(profile: Profile, at: int) -> float:
    """The axis near `at` about which both profiles mirror best, px: frames are symmetric.

    A gap's middle is found so even where the variance is flat along the whole gap.
    """
    reach = CELL_PX // 3
    axes = at + np.arange(-3, 3.01, 0.25)
    distance = np.arange(0.25, reach, 0.25)
    cost = np.zeros(len(axes))
    for values in profile:
        right, left = (
            np.interp(
                (axes[:, None] + s * distance) % CELL_PX,
                np.arange(CELL_PX + 1),
                np.append(values, values[0]),
            )
            for s in (1, -1)
        )
        cost += ((right - left) ** 2).mean(axis=1) / (values.var() + 1e-6)
    return float(axes[int(cost.argmin())])


def _content(image: Image, fit: Fit) -> float:
    smooth = _smooth(image, fit)
    distance = _distance(_cut(smooth, fit.box, (0, 0))[fit.support])
    return float(max(0.0, 1 - 2 * np.sqrt(distance)))


def _distance(cells: Maps) -> float:
    """Median over cells of the distance to the nearest other cell, as a share of the mean distance.

    The inner 80 % at half resolution, less the mean cell: what all share says nothing.
    """
    step = max(1, len(cells) // COMPARED)
    rim = CELL_PX // 12
    inner = cells[::step, rim:-rim, rim:-rim]
    n, side = len(inner), inner.shape[1] // 2
    small = inner[:, : 2 * side, : 2 * side].reshape(n, side, 2, side, 2, -1).mean(axis=(2, 4))
    features = (small - small.mean(axis=0)).reshape(n, -1)
    energy = (features**2).sum(axis=1)
    apart = energy[:, None] + energy - 2 * features @ features.T
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(axis=1)) / (2 * energy.mean() + 1e-6))
