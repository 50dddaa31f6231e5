"""The lens that nobody calibrated, as far as a lattice shows it.

A wide board seen by a webcam lies up to half a cell off any homography at its ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Homography, Image, Plane, Points, transform
from ar_assist.warp import rectify

BOWS = np.linspace(-0.28, 0.08, 73)  # webcams: from a wide angle's barrel to a slight pincushion
BENT = 4.0  # times the tolerance: no lens moves cells further off the homography that fits best
MIN_CELLS = 24  # fewer lie on some homography whatever the lens is
DECISIVE = 3.0  # log likelihood that a lens must add: chance adds 0.5, rarely as much as this


@dataclass(frozen=True)
class RadialLens:
    """Radial distortion about the picture's middle: the division model (Fitzgibbon, CVPR 2001)."""

    bow: float  # per squared half diagonal; below 0: barrel
    size_wh: tuple[int, int]  # px

    def undistort(self, points: NDArray[np.floating]) -> Points:
        """(..., 2) px of a picture without distortion, from px of the distorted one."""
        middle, unit = self._middle()
        off = (np.asarray(points, np.float64) - middle) / unit
        scale = 1 / (1 + self.bow * (off**2).sum(-1, keepdims=True))
        return np.asarray(middle + unit * off * scale, np.float32)

    def distort(self, points: NDArray[np.floating]) -> Points:
        """The inverse of `undistort`."""
        middle, unit = self._middle()
        off = (np.asarray(points, np.float64) - middle) / unit
        root = np.sqrt(np.maximum(1 - 4 * self.bow * (off**2).sum(-1, keepdims=True), 0))
        return np.asarray(middle + unit * off * 2 / (1 + root), np.float32)

    def undistorted(self, image: Image) -> Image:
        """The picture without distortion, of the same size."""
        none = np.eye(3)
        return rectify(image, Plane(none, self.size_wh, LensBend(none, self, none)))

    def _middle(self) -> tuple[NDArray[np.float64], float]:
        w, h = self.size_wh
        return np.array([w - 1, h - 1]) / 2, float(np.hypot(w, h) / 2)


@dataclass(frozen=True, eq=False)
class LensBend:
    """Where points of a plane are seen, as points of the plane that a homography takes there."""

    straight_from_plane: Homography  # px of the undistorted picture
    lens: RadialLens
    plane_from_frame: Homography  # the one that fits best without the lens

    def bent(self, points: Points) -> Points:
        """(..., 2) plane px of what is at `points` of a plane seen without distortion."""
        seen = self.lens.distort(transform(self.straight_from_plane, points))
        return transform(self.plane_from_frame, seen)

    def straight(self, points: Points) -> Points:
        """The inverse of `bent`."""
        seen = transform(np.asarray(np.linalg.inv(self.plane_from_frame)), points)
        undistorted = self.lens.undistort(seen)
        return transform(np.asarray(np.linalg.inv(self.straight_from_plane)), undistorted)

    def under(self, plane_from_new: Homography) -> LensBend:
        """The same for a plane with other px."""
        new_from_plane = np.asarray(np.linalg.inv(plane_from_new))
        return LensBend(
            self.straight_from_plane @ plane_from_new,
            self.lens,
            new_from_plane @ self.plane_from_frame,
        )


def seen_lens(
    grid: Points, seen: Points, size_wh: tuple[int, int], tolerance: float
) -> tuple[RadialLens, Homography] | None:
    """The lens that best explains where cells are seen, and straight_from_grid.

    `grid` (N, 2) are their places in grid units, `seen` (N, 2) px; a cell is usually off by up to
    `tolerance` grid units. None: a homography alone explains them nearly as well.
    """
    if len(grid) < MIN_CELLS:
        return None
    _, near = cv2.findHomography(seen, grid, cv2.RANSAC, BENT * tolerance, maxIters=200)
    some = near.ravel() > 0 if near is not None else np.zeros(len(grid), bool)
    if some.sum() < MIN_CELLS or np.ptp(grid[some], axis=0).min() < 2:  # in a line they tell none
        return None
    bows = np.concatenate([[0.0], BOWS])
    straight = np.stack([RadialLens(float(bow), size_wh).undistort(seen[some]) for bow in bows])
    found = _homographies(straight, grid[some])
    off = np.stack([transform(h, s) for h, s in zip(found, straight, strict=True)]) - grid[some]
    # Cauchy's, in two dimensions
    likelihood = -1.5 * np.log1p((off**2).sum(-1) / tolerance**2).sum(-1)
    best = int(likelihood.argmax())
    if likelihood[best] < likelihood[0] + DECISIVE:
        return None
    straight_from_grid = np.linalg.inv(found[best])
    return RadialLens(float(bows[best]), size_wh), straight_from_grid / straight_from_grid[2, 2]


def _homographies(source: Points, target: Points) -> NDArray[np.float64]:
    """(B, 3, 3) target_from_source, of `source` (B, N, 2) and `target` (N, 2), all B at once.

    The direct linear transform (Hartley and Zisserman 2004, 4.1) of centred and scaled points.
    """
    ours, theirs = _normalising(source), _normalising(target[None])
    x, y = np.moveaxis(_moved(ours, source), -1, 0)
    u, v = np.moveaxis(_moved(theirs, target[None]), -1, 0)
    one, none = np.ones_like(x), np.zeros_like(x)
    first = np.stack([x, y, one, none, none, none, -u * x, -u * y, -u * one], -1)
    second = np.stack([none, none, none, x, y, one, -v * x, -v * y, -v * one], -1)
    rows = np.concatenate([first, second], 1)
    least = np.linalg.eigh(rows.swapaxes(1, 2) @ rows)[1][..., 0].reshape(-1, 3, 3)
    return np.asarray(np.linalg.inv(theirs) @ least @ ours)


def _normalising(points: Points) -> NDArray[np.float64]:
    """(B, 3, 3) maps that centre (B, N, 2) points and make their usual distance 1."""
    middle = points.mean(1, dtype=np.float64)
    size = np.sqrt(((points - middle[:, None]) ** 2).sum(-1).mean(1))
    maps = np.zeros((len(points), 3, 3))
    maps[:, 0, 0] = maps[:, 1, 1] = 1 / size
    maps[:, :2, 2] = -middle / size[:, None]
    maps[:, 2, 2] = 1
    return maps


def _moved(maps: NDArray[np.float64], points: Points) -> NDArray[np.float64]:
    """(B, N, 2) points under affine maps (B, 3, 3)."""
    return np.asarray(points @ maps[:, :2, :2].swapaxes(1, 2) + maps[:, None, :2, 2])
