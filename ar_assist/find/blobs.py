"""Lattices of few tiles: equal blobs whose distances are whole multiples of one pitch.

When most tiles are gone no window repeats, but what is left still has one size and shape, and its
sides give the directions of the lattice. Blobs are compared by their second moments, which change
slowly under perspective; the pitch along each side is the one that makes all distances whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find.lattice import FIT_CELLS, Box, Fit
from ar_assist.find.period import MIN_SINE, reduced
from ar_assist.find.quads import binary_pictures, clockwise
from ar_assist.types import Image

MIN_SIDE_PX = 12  # of a blob: smaller tiles cannot be read
MAX_SIDE = 0.25  # of the picture's longer side
MIN_SOLIDITY = 0.85  # area over that of the convex hull: a tile's face has no bays
ALIKE = 0.25  # relative difference of second moments between neighbours of one kind of blob
RIM = 0.88  # of the way from the middle to the outline: inside a frame's blur
SHADES = 40.0  # grey levels between rims of one kind of blob: light falls off over a board
PITCH = np.arange(1.0, 1.61, 0.01)  # candidates, in sides of the blob: touching to wide gaps
MIN_VOTES = 2  # steps that are alike, at the least
MIN_BLOBS = 6  # fewer lie on some lattice by chance, and fix no homography
GROUPS = 2  # of equal blobs that are tried: the largest may be buttons or icons
MIN_FILL = 0.1  # of the lattice's box: blobs that fill less have no pitch in common
VOTERS = 150  # blobs amid the group that tell the steps: perspective differs less, and it is quick
NEAR_STEPS = 4  # steps to neighbours looked at, for each blob: beside, below and diagonal
SAME_STEP = 0.15  # of their length: steps that perspective makes differ
NEAR_CELLS = 6  # distances up to this many cells are compared; perspective bends longer ones

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Blobs:
    centres: Array  # (N, 2) px
    moments: Array  # (N, 3) px²: xx, yy, xy
    rims: Array  # (N, 3) BGR just inside the outline: of a tile's face, whatever is drawn on it
    quads: Array  # (N, 4, 2) px


def blob_lattices(image: Image) -> Iterator[Fit]:
    """Lattices through the largest groups of equal blobs, not yet fitted to the picture.

    Blobs are faces of tiles, which have one colour at the rim, or the pictures themselves.
    """
    blobs = _blobs(image)
    for shades in (SHADES, np.inf):
        left = np.ones(len(blobs.centres), bool)
        for _ in range(GROUPS if len(left) else 0):
            group = _largest_group(blobs, left, shades)
            if group.sum() < MIN_BLOBS:
                break
            left &= ~group
            centres = blobs.centres[group]
            for basis in (_basis_of_sides(centres, blobs.quads[group]), _basis_of_steps(centres)):
                fit = None if basis is None else _lattice_through(centres, basis)
                if fit is not None:
                    yield fit


def _blobs(image: Image) -> _Blobs:
    """Compact regions with four sides, each once."""
    longest = MAX_SIDE * max(image.shape[:2])
    centres: list[Array] = []
    moments: list[Array] = []
    rims: list[Array] = []
    quads: list[Array] = []
    for binary in binary_pictures(image):
        contours, _ = cv2.findContours(binary, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            _, _, w, h = cv2.boundingRect(contour)
            if min(w, h) < MIN_SIDE_PX or max(w, h) > longest:
                continue
            hull = np.asarray(cv2.convexHull(contour), np.int32)
            area = cv2.contourArea(contour)
            if area < MIN_SOLIDITY * cv2.contourArea(hull) or area < MIN_SIDE_PX**2:
                continue
            m = cv2.moments(hull)
            centres.append(np.array([m["m10"], m["m01"]]) / m["m00"])
            moments.append(np.array([m["mu20"], m["mu02"], m["mu11"]]) / m["m00"])
            rims.append(_rim(image, np.asarray(contour[:, 0], np.int32), centres[-1]))
            quads.append(_four_sides(hull))
    if not centres:
        return _Blobs(np.empty((0, 2)), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 4, 2)))
    blobs = _Blobs(np.array(centres), np.array(moments), np.array(rims), np.array(quads))
    once = _first_of_each(blobs)
    return _Blobs(*(values[once] for values in vars(blobs).values()))


def _rim(image: Image, contour: NDArray[np.int32], centre: Array) -> Array:
    """(3,) BGR: the median a little inside of a contour (N, 2)."""
    inside = np.rint(centre + RIM * (contour - centre)).astype(int)
    return np.asarray(np.median(image[inside[:, 1], inside[:, 0]], axis=0), np.float64)


def _four_sides(hull: NDArray[np.int32]) -> Array:
    """(4, 2): the polygon of the hull if it has four corners, else the least rectangle around."""
    polygon = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True)
    corners = polygon if len(polygon) == 4 else cv2.boxPoints(cv2.minAreaRect(hull))
    return np.asarray(clockwise(np.asarray(corners, np.float32).reshape(4, 2)), np.float64)


def _first_of_each(blobs: _Blobs) -> NDArray[np.intp]:
    """Indices of blobs that no earlier one lies on: several binary pictures show the same."""
    radius = np.sqrt(blobs.moments[:, :2].sum(axis=1))
    kept: list[int] = []
    for i, centre in enumerate(blobs.centres):
        apart = np.hypot(*(blobs.centres[kept] - centre).T)
        same = (apart < 0.5 * radius[i]) & (np.abs(radius[kept] / radius[i] - 1) < ALIKE)
        if not same.any():
            kept.append(i)
    return np.array(kept, np.intp)


def _largest_group(blobs: _Blobs, left: NDArray[np.bool_], shades: float) -> NDArray[np.bool_]:
    """Mask of the most blobs that are like one of them."""
    size = np.linalg.norm(blobs.moments, axis=1)
    apart = np.linalg.norm(blobs.moments[:, None] - blobs.moments[None], axis=2)
    shaded = np.linalg.norm(blobs.rims[:, None] - blobs.rims[None], axis=2)
    alike = (apart < 2 * ALIKE * np.minimum(size[:, None], size[None])) & (shaded < shades)
    alike &= left & left[:, None]
    group: NDArray[np.bool_] = alike[int(alike.sum(axis=1).argmax())]
    return group


def _basis_of_sides(centres: Array, quads: Array) -> Array | None:
    """(2, 2) lattice vectors in columns, px: along the blobs' mean sides."""
    right = np.median(quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3], axis=0) / 2
    down = np.median(quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1], axis=0) / 2
    sides = np.stack([right, down], axis=1)
    if abs(np.linalg.det(sides)) < MIN_SIDE_PX**2 / 2:
        return None
    offsets = np.linalg.solve(sides, (centres - centres[0]).T).T
    return np.asarray(sides * [_pitch(offsets[:, axis]) for axis in (0, 1)], np.float64)


def _basis_of_steps(centres: Array) -> Array | None:
    """(2, 2) lattice vectors in columns, px: the shortest steps that many blobs are apart.

    Round blobs have no sides.
    """
    from_middle = np.abs(centres - np.median(centres, axis=0)).sum(axis=1)
    amid = centres[np.argsort(from_middle, kind="stable")[:VOTERS]]
    steps = (amid[:, None] - amid[None])[np.triu_indices(len(amid), 1)]
    steps *= np.where(steps @ [1, 0.01] < 0, -1, 1)[:, None]
    length = np.hypot(*steps.T)
    near = np.argsort(length, kind="stable")[: NEAR_STEPS * len(amid)]
    steps, length = steps[near], length[near]
    apart = np.linalg.norm(steps[:, None] - steps[None], axis=2)
    same = apart < SAME_STEP * length[:, None]
    votes = same.sum(axis=1)
    found: list[Array] = []
    for i in np.flatnonzero(votes >= max(MIN_VOTES, votes.max() / 2)):
        step = steps[same[i]].mean(axis=0)
        if not found or _sine(found[0], step) > MIN_SINE:
            found.append(step)
        if len(found) == 2:
            return np.stack(reduced(*found), axis=1)  # right-handed: no mirror
    return None


def _sine(a: Array, b: Array) -> float:
    return float(abs(a[0] * b[1] - a[1] * b[0]) / (np.hypot(*a) * np.hypot(*b) + 1e-9))


def _lattice_through(centres: Array, basis: Array) -> Fit | None:
    """The lattice of such vectors (in columns) on which the most of the blobs lie."""
    middle = centres[int(np.abs(centres - np.median(centres, axis=0)).sum(axis=1).argmin())]
    cells = np.rint(np.linalg.solve(basis, (centres - middle).T).T)
    affine, agree = cv2.estimateAffine2D(
        cells.astype(np.float32), centres.astype(np.float32),
        method=cv2.RANSAC, ransacReprojThreshold=2 * FIT_CELLS * float(np.hypot(*basis[:, 0])),
    )  # fmt: skip
    if affine is None or agree.sum() < MIN_BLOBS:
        return None
    taken = cells[agree.ravel().astype(bool)].astype(int)
    low, high = taken.min(axis=0), taken.max(axis=0) + 1
    if len(taken) < MIN_FILL * np.prod(high - low):
        return None
    support = np.zeros((high - low)[::-1], bool)
    support[taken[:, 1] - low[1], taken[:, 0] - low[0]] = True
    # Blobs' centres lie at whole numbers so far, cells' centres at halves.
    frame_from_grid = np.vstack([affine, [0, 0, 1]]) @ np.array(
        [[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]]
    )
    box = Box(int(low[0]), int(low[1]), support.shape[1], support.shape[0])
    return Fit(frame_from_grid, box, support, likeness=1.0)


def _pitch(positions: Array) -> float:
    """The step of which all distances along one axis are most nearly whole multiples."""
    apart = np.abs(positions[:, None] - positions[None])[np.triu_indices(len(positions), 1)]
    near = apart[(apart > 0.5) & (apart < NEAR_CELLS)]
    if not len(near):
        return 1.1
    steps = near[:, None] / PITCH
    return float(PITCH[int(np.abs(steps - np.rint(steps)).mean(axis=0).argmin())])
