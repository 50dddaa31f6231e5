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

BOWS = np.linspace(-0.28, 0.08, 19)  # webcams: from a wide angle's barrel to a slight pincushion
BARREL, PINCUSHION = 0.1, 0.02  # webcams: few bow more; cells that are off together may seem to
FINER = np.linspace(-0.015, 0.015, 7)  # around the best of these
BENT = 4.0  # times the tolerance: no lens moves cells further off the homography that fits best
MIN_CELLS = 24  # fewer lie on some homography whatever the lens is
LEAST_OFF = 0.01  # grid units: by so much cells are off whatever else is right, and off alike
ROUNDS = 3  # of a fit in which cells that are off weigh less
DECISIVE = 3.0  # log likelihood that a strong lens must add: chance adds 0.5, rarely so much


Size = tuple[int, int]  # px: width, height


@dataclass(frozen=True)
class RadialLens:
    """Radial distortion about the picture's middle: the division model (Fitzgibbon, CVPR 2001)."""

    bow: float  # per squared half diagonal; below 0: barrel
    size_wh: Size

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
    grid: Points, seen: Points, size_wh: Size, tolerance: float
) -> tuple[RadialLens, Homography, float] | None:
    """The likeliest lens, given where cells are seen, straight_from_grid, and how much likelier
    (log) that is than a homography alone.

    `grid` (N, 2) are their places in grid units, `seen` (N, 2) px; a cell may be off by up to
    `tolerance` grid units. None: a homography alone is likelier. A slight bend needs no more proof
    than that: most webcams have one, and where it is not believed the board is found too large.
    """
    if len(grid) < MIN_CELLS:
        return None
    _, near = cv2.findHomography(seen, grid, cv2.RANSAC, BENT * tolerance, maxIters=200)
    some = near.ravel() > 0 if near is not None else np.zeros(len(grid), bool)
    if some.sum() < MIN_CELLS or np.ptp(grid[some], axis=0).min() < 2:  # in a line they tell none
        return None
    grid, seen = grid[some], seen[some]
    rough = _Fits.of(BOWS, grid, seen, size_wh)
    usual = float(np.clip(np.sqrt(np.median(rough.off, axis=1).min()), LEAST_OFF, tolerance))
    bow = rough.bows[rough.likelihoods(usual).argmax()]
    found = _Fits.of(np.concatenate([[0.0], bow + FINER]), grid, seen, size_wh)
    likelihoods = found.likelihoods(usual)
    best = int(likelihoods.argmax())
    if np.isclose(found.bows[best], 0):
        return None
    straight_from_grid = np.linalg.inv(found.grid_from_straight[best])
    lens = RadialLens(float(found.bows[best]), size_wh)
    gain = float(likelihoods[best] - likelihoods[0])
    return lens, straight_from_grid / straight_from_grid[2, 2], gain


@dataclass(frozen=True, eq=False)
class _Fits:
    """What is left of where N cells are seen, under each of B bows."""

    bows: NDArray[np.float64]  # (B,)
    grid_from_straight: NDArray[np.float64]  # (B, 3, 3)
    off: NDArray[np.float64]  # (B, N) squared grid units

    @classmethod
    def of(cls, bows: NDArray[np.float64], grid: Points, seen: Points, size_wh: Size) -> _Fits:
        """Homographies that most of the cells bear out: the further one is off, the less it weighs
        (Cauchy's weights, at the scale of the median)."""
        straight = np.stack([RadialLens(float(bow), size_wh).undistort(seen) for bow in bows])
        weight = np.ones(straight.shape[:2])
        for _ in range(ROUNDS):
            found = _homographies(straight, grid, weight)
            fitted = (transform(h, s) for h, s in zip(found, straight, strict=True))
            off = ((np.stack(list(fitted)) - grid) ** 2).sum(-1, dtype=np.float64)
            usual = np.maximum(np.median(off, axis=1, keepdims=True), LEAST_OFF**2)
            weight = 1 / (1 + off / usual)
        return cls(bows, found, off)

    def likelihoods(self, usual: float) -> NDArray[np.float64]:
        """(B,) log, if a cell is usually off by so many grid units (Cauchy's, in two dimensions),
        and how likely such a lens is."""
        of_cells = -1.5 * np.log1p(self.off / usual**2).sum(1)
        most = np.where(self.bows < 0, BARREL, PINCUSHION)
        return np.asarray(of_cells - (self.bows / most) ** 2 / 2)


def _homographies(
    source: Points, target: Points, weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(B, 3, 3) target_from_source, of `source` (B, N, 2) and `target` (N, 2), all B at once, by
    `weight` (B, N).

    The direct linear transform (Hartley and Zisserman 2004, 4.1) of centred and scaled points.
    """
    ours, theirs = _normalising(source), _normalising(target[None])
    x, y = np.moveaxis(_moved(ours, source), -1, 0)
    u, v = np.moveaxis(_moved(theirs, target[None]), -1, 0)
    one, none = np.ones_like(x), np.zeros_like(x)
    first = np.stack([x, y, one, none, none, none, -u * x, -u * y, -u * one], -1)
    second = np.stack([none, none, none, x, y, one, -v * x, -v * y, -v * one], -1)
    rows = np.concatenate([first, second], 1)
    weighted = rows * np.tile(weight, 2)[..., None]
    least = np.linalg.eigh(rows.swapaxes(1, 2) @ weighted)[1][..., 0].reshape(-1, 3, 3)
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
