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
HALF_PX = CELL_PX // 2  # the same where contents are compared: detail enough
RIM_PX = 1  # of such a cell, left out: frames and gaps are on all
COMPARED = 150  # cells compared with each other: pairs enough, and quick
MIN_FILL = 0.8  # of the best sheared basis' fill: the upright one is kept down to this
PHASE_STEP_PX = 2  # of HALF_PX, a sixth of a cell: contents agree over a quarter
NEAR_PX = 5  # of CELL_PX: a border is sought so far from where contents or profiles have it
PHASE_CELLS = 80  # cells compared at each phase: enough to hold equals
AS_ALIKE = 0.9  # of the content of a lattice at half the pitch: chance may take the rest
ALTERNATING, CLEARLY = 3.0, 8.0  # times what chance makes of the difference of two means
MIN_SURROUNDED = 16  # cells: fewer hold too few equals
DECISIVE = 0.6  # the content's distance must fall to this share to overrule the profiles,
NOISE = 0.01  # and by this much: cells that are all empty differ in noise alone

SHEARS = [
    np.array([[1, x, 0], [y, 1, 0], [0, 0, 1]], np.float64)
    for x, y in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
]


def settle(image: Image, fit: Fit) -> Fit | None:
    """The same lattice with cell borders on integer grid units and its box around the board."""
    settled = _settled(image, fit)
    if settled is None:
        return None
    alternations = _alternations(image, settled)
    for limit, as_alike in ((CLEARLY, 0.0), (ALTERNATING, AS_ALIKE)):
        cells = np.where(alternations > limit, 2.0, 1.0)  # that make one, along x and y
        if (cells == 1).all():
            continue
        joined = _settled(image, _rebased(settled, np.diag([*cells, 1.0])))
        # Halves have equals, and whole tiles too, but not two tiles that are taken for one.
        if joined and joined.content >= as_alike * settled.content:
            return joined
    return settled


def _settled(image: Image, fit: Fit) -> Fit | None:
    fit = _upright_basis(fit)
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


def _alternations(image: Image, fit: Fit) -> NDArray[np.float64]:
    """(2,) how clearly cells alternate along x and along y, times what chance makes of it.

    At half a tile's pitch left and right halves alternate, so that the mean of all even cells
    differs from that of all odd ones by more than chance makes of it (an F test). Cells at either
    end have no say: where the cut is a little off they hold a piece of the ground.
    """
    cells = _cut(_smooth(image, fit), fit.box)
    found = []
    for axis in (0, 1):
        before = np.cumsum(fit.support, axis=1 - axis)
        between = fit.support & (before > 1) & (before < before.max(axis=1 - axis, keepdims=True))
        found.append(_alternation(np.moveaxis(cells, axis, 1), np.moveaxis(between, axis, 1)))
    return np.array(found)


def _alternation(cells: Maps, chosen: Mask) -> float:
    """Squared difference of the means of even and odd rows of (R, C, ...) cells, over chance.

    Chance is what the spread of the cells explains, or that of whole rows, for light falls off.
    """
    apart, chance = np.zeros(cells.shape[2:]), 1e-6
    for parity in (0, 1):
        rows = [row[some] for row, some in zip(cells, chosen, strict=True)][parity::2]
        rows = [row for row in rows if len(row)]
        some = np.concatenate(rows) if rows else cells[:0, 0]
        if len(rows) < 2 or len(some) < 3:
            return 0.0
        means = np.stack([row.mean(axis=0) for row in rows])
        spread = (
            some.var(axis=0).sum() / (len(some) - 1),
            means.var(axis=0).sum() / (len(rows) - 1),
        )
        apart = some.mean(axis=0) - apart
        chance += float(max(spread))
    return float((apart**2).sum()) / chance


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


Profile = tuple[NDArray[np.float64], ...]  # variance, edge strength, mean level; by position


def _profiles(smooth: Maps, fit: Fit) -> tuple[Profile, Profile]:
    """Along x and along y: variance across cells, strength of edges and level, (CELL_PX,) each."""
    cells = _cut(smooth, fit.box)[fit.support]
    variance, level = cells.var(axis=0).sum(axis=-1), cells.mean(axis=(0, 3))
    edges = []
    for dx, dy in ((1, 0), (0, 1)):
        strength = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, dx, dy)))[..., None]
        mean = _cut(strength, fit.box)[fit.support].mean(axis=0)[..., 0]
        edges.append(mean.mean(axis=1 - dx))
    return (
        (variance.mean(axis=0), edges[0], level.mean(axis=0)),
        (variance.mean(axis=1), edges[1], level.mean(axis=1)),
    )


def _cut(picture: Maps, box: Box) -> Maps:
    """(rows, cols, CELL_PX, CELL_PX, C): cells of a picture of the box with a margin of one."""
    inner = picture[CELL_PX:-CELL_PX, CELL_PX:-CELL_PX]
    cells: Maps = inner.reshape(box.rows, CELL_PX, box.cols, CELL_PX, -1).transpose(0, 2, 1, 3, 4)
    return cells


def _phase(smooth: Maps, fit: Fit, profiles: tuple[Profile, Profile]) -> tuple[int, int]:
    """Where cells begin, px of -CELL_PX / 2 … CELL_PX / 2 along x and y.

    The profiles propose, the content may overrule them: all phases are tried in steps.
    """
    first = (_border(profiles[0]) // 2, _border(profiles[1]) // 2)
    steps = range(0, HALF_PX, PHASE_STEP_PX)
    wrapped = [(_wrapped(first[0] + x), _wrapped(first[1] + y)) for y in steps for x in steps]
    where = np.argwhere(_surrounded(fit.support))
    few = where[:: max(1, len(where) // PHASE_CELLS)]
    small = _halved(smooth)
    distance = [_distance(_contents(small, few, at)) for at in wrapped]
    best = int(np.argmin(distance))
    if distance[best] < DECISIVE * distance[0] - NOISE:
        return 2 * wrapped[best][0], 2 * wrapped[best][1]
    x, y = ((_border(p) + HALF_PX) % CELL_PX - HALF_PX for p in profiles)
    return x, y


def _wrapped(phase: int) -> int:
    return (phase + HALF_PX // 2) % HALF_PX - HALF_PX // 2


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
    variance, edges = (np.log(_smoothed_around(p / (p.mean() + 1e-6)) + 1e-3) for p in profile[:2])
    return int((edges - variance).argmax())


def _smoothed_around(profile: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.concatenate([profile[-2:], profile, profile[:2]])
    return np.convolve(padded, np.ones(5) / 5, "valid")


def _symmetric(profile: Profile, at: int) -> float:
    """The axis near `at` about which edges and level mirror best, px: frames are symmetric.

    A gap's middle is found so even where the variance is flat along the whole gap.
    """
    axes = at + np.arange(-NEAR_PX, NEAR_PX + 0.01, 0.25)
    distance = np.arange(0.25, CELL_PX / 2, 0.25)
    cost = np.zeros(len(axes))
    for values in profile[1:]:
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
    where = np.argwhere(fit.support)
    some = where[:: max(1, len(where) // COMPARED)]
    distance = _distance(_contents(_halved(_smooth(image, fit)), some, (0, 0)))
    return float(max(0.0, 1 - 2 * np.sqrt(max(distance, 0.0))))


def _halved(smooth: Maps) -> Maps:
    size = smooth.shape[1] // 2, smooth.shape[0] // 2
    return np.asarray(cv2.resize(smooth, size, interpolation=cv2.INTER_AREA), np.float32)


def _contents(small: Maps, where: NDArray[np.int64], phase: tuple[int, int]) -> Maps:
    """(N, D) the inner parts of some cells (N, 2) row, column, of a halved picture of the box."""
    side = HALF_PX - 2 * RIM_PX
    windows = np.lib.stride_tricks.sliding_window_view(small, (side, side), axis=(0, 1))
    y, x = (HALF_PX * (where + 1) + phase[::-1] + RIM_PX).T
    cells: Maps = windows[y, x].reshape(len(where), -1)
    return cells


def _distance(cells: Maps) -> float:
    """Median over cells (N, D) of the distance to the nearest other, as a share of the mean.

    Less the mean cell: what all share says nothing.
    """
    features = cells - cells.mean(axis=0)
    energy = np.einsum("nd,nd->n", features, features)
    apart = energy[:, None] + energy - 2 * features @ features.T
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(axis=1)) / (2 * energy.mean() + 1e-6))
