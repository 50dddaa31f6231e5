"""Convex quadrilaterals that stand out: a lit screen, a window, a sheet, a board's own outline.

Rough outlines come from contours of several binary pictures (after Suzuki and Abe, 1985); each is
then refined on the picture's own edges: along every side the strongest step of the same direction
is sought, a line is fitted robustly through these points, and neighbouring lines are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find.period import strongest_channel
from ar_assist.types import Homography, Image, Plane, Points, homography, transform

ROUGH_PX = 640  # longest side of the picture in which outlines are sought
MIN_AREA = 0.02  # of the picture: smaller boards cannot be read
CORNER_EPSILON = (0.015, 0.03, 0.06)  # of the outline's length: polygons ever coarser
ROUNDED = 0.1  # of the area, may lie beyond it within four sides: a square's that is rounded by a
# third of its side does
MIN_ANGLE_SINE = 0.35  # of a corner: 60 degrees of tilt leave more
SAMPLES = 48  # along a side
SAME_ROUGH = 0.02  # of the diagonal: outlines whose corners are this close are one
SAME_IOU = 0.9  # quads that overlap more are one
MAX_QUADS = 8

Grey = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Quad:
    """Four corners and how well the picture's edges bear them out."""

    corners: Points  # (4, 2) px: top left, then clockwise
    score: float  # 0 to 1: share of the outline on an edge, times the root of the area's share

    def seen_through(self, other_from_image: Homography) -> Quad:
        """The same in other px."""
        return Quad(transform(other_from_image, self.corners), self.score)

    def plane(self, longest_px: float) -> Plane:
        """Its content at the scale it has, or smaller; the aspect is the outline's own."""
        top, right, bottom, left = np.hypot(*(np.roll(self.corners, -1, axis=0) - self.corners).T)
        sides = np.array([max(top, bottom), max(left, right)])
        width, height = np.rint(sides * min(1.0, longest_px / sides.max())).astype(int).tolist()
        flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        return Plane(homography(flat, self.corners), (width, height))


def quads(image: Image) -> list[Quad]:
    """Quadrilaterals of a picture, best first."""
    scale = max(1.0, max(image.shape[:2]) / ROUGH_PX)
    size = (round(image.shape[1] / scale), round(image.shape[0] / scale))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    brightest = strongest_channel(image)
    grey = np.asarray(cv2.GaussianBlur(brightest, (0, 0), 0.5 + 0.3 * scale), np.uint8)
    hulls = _hulls(small)
    found: list[Quad] = []
    # Along its sides a screen and a hand before it may be one: corners, where they show, go first.
    for of_four_sides in (_by_corners, _along_sides):
        more: list[Quad] = []
        refined: list[Points] = []
        for outline in filter(_is_plausible, _cornered(map(of_four_sides, hulls))):
            # A rough one that edges do not bear out says nothing against one that lies near it.
            if not any(_lie_near(outline, other) for other in refined):
                quad = _refined(grey, (outline + 0.5) * scale - 0.5, reach=3 * scale + 2)
                if quad is not None:
                    more.append(quad)
                    refined.append(outline)
        found = _distinct_quads([*found, *sorted(more, key=lambda quad: -quad.score)])
    return sorted(found, key=lambda quad: -quad.score)[:MAX_QUADS]


def binary_pictures(small: Image) -> Iterator[Grey]:
    """Pictures in which a screen's region or outline may be one piece."""
    smooth = cv2.GaussianBlur(small, (0, 0), 1.0)
    brightest = strongest_channel(np.asarray(smooth, np.uint8))
    colour = np.asarray(cv2.cvtColor(smooth, cv2.COLOR_BGR2HSV)[..., 1], np.uint8)
    for channel in (brightest, colour):
        _, split = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield np.asarray(split, np.uint8)
        yield np.asarray(255 - split, np.uint8)
    side = max(small.shape) // 8 * 2 + 1  # a quarter of the picture: wider than a window's frame
    for sign in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
        local = cv2.adaptiveThreshold(brightest, 255, cv2.ADAPTIVE_THRESH_MEAN_C, sign, side, 4)
        yield np.asarray(local, np.uint8)
    for low in (20, 60):
        edges = np.maximum.reduce(
            [cv2.Canny(np.ascontiguousarray(c), low, 3 * low) for c in cv2.split(smooth)]
        )
        yield np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), np.uint8)


def _hulls(small: Image) -> list[Points]:
    """(N, 2) px each: of the contours that may be outlines."""
    least = MIN_AREA * small.shape[0] * small.shape[1]
    lists = (
        cv2.findContours(binary, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
        for binary in binary_pictures(small)
    )
    large = (
        contour for contours in lists for contour in contours if cv2.contourArea(contour) >= least
    )
    return [np.asarray(cv2.convexHull(contour), np.float32) for contour in large]


def _by_corners(hull: Points) -> Points:
    """(N, 1, 2) px: the corners of a convex outline; none: they are not four."""
    length = cv2.arcLength(hull, True)
    polygons = (cv2.approxPolyDP(hull, epsilon * length, True) for epsilon in CORNER_EPSILON)
    return next((np.asarray(p, np.float32) for p in polygons if len(p) == 4), hull[:0])


def _along_sides(hull: Points) -> Points:
    """The same of four sides along it, whatever lies between them: a phone has no corners, nor has
    a screen what something touches there."""
    if len(hull) < 4:
        return hull[:0]
    return np.asarray(cv2.approxPolyN(hull, 4, None, ROUNDED), np.float32)


def _cornered(polygons: Iterable[Points]) -> Iterator[Points]:
    """(4, 2) px: those that have four corners, clockwise."""
    return (clockwise(p.reshape(4, 2)) for p in polygons if p.size == 8)


def clockwise(corners: Points) -> Points:
    """From the corner nearest the top left of the picture, clockwise as seen."""
    centre = corners.mean(axis=0)
    angle = np.arctan2(corners[:, 1] - centre[1], corners[:, 0] - centre[0])
    ordered = corners[np.argsort(angle)]
    return np.roll(ordered, -int(ordered.sum(axis=1).argmin()), axis=0)


def _is_plausible(corners: Points) -> bool:
    """Whether the quadrilateral can be a rectangle seen from no more than about 65 degrees."""
    side = np.roll(corners, -1, axis=0) - corners
    length = np.hypot(*side.T)
    if length.min() < 8:
        return False
    before = np.roll(side, 1, axis=0)
    sine = (before[:, 0] * side[:, 1] - before[:, 1] * side[:, 0]) / (length * np.roll(length, 1))
    return bool(sine.min() > MIN_ANGLE_SINE)


def _lie_near(corners: Points, other: Points) -> bool:
    """Whether all corners lie near another's."""
    near = SAME_ROUGH * np.hypot(*(corners[2] - corners[0]))
    return bool(np.abs(corners - other).max() < near)


def _distinct_quads(found: list[Quad]) -> list[Quad]:
    kept: list[Quad] = []
    for quad in found:
        if all(_iou(quad.corners, other.corners) < SAME_IOU for other in kept):
            kept.append(quad)
    return kept


def _iou(a: Points, b: Points) -> float:
    """Intersection over union of two convex quadrilaterals."""
    shared, _ = cv2.intersectConvexConvex(a, b)
    union = cv2.contourArea(a) + cv2.contourArea(b) - shared
    return float(shared / union) if union > 0 else 0.0


def _refined(grey: Grey, corners: Points, reach: float) -> Quad | None:
    """The quad on the picture's edges; None where these bear out too little of it."""
    lines, support = [], []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        fitted = _fitted_side(grey, start, end, reach)
        if fitted is None:
            return None
        lines.append(fitted[0])
        support.append(fitted[1])
    refined = np.array([np.cross(lines[i - 1], lines[i]) for i in range(4)])
    if np.abs(refined[:, 2]).min() < 1e-9:
        return None
    points = (refined[:, :2] / refined[:, 2:]).astype(np.float32)
    if np.abs(points - corners).max() > 4 * reach or not _is_plausible(points):
        return None
    h, w = grey.shape
    share = min(1.0, float(cv2.contourArea(points)) / (w * h))
    return Quad(points, float(np.mean(support) * np.sqrt(share)))


def _fitted_side(
    grey: Grey, start: Points, end: Points, reach: float
) -> tuple[NDArray[np.float64], float] | None:
    """Homogeneous line along the strongest edge near a side, and the share of samples on it."""
    along = end - start
    normal = np.array([-along[1], along[0]]) / np.hypot(*along)
    t = np.linspace(0.04, 0.96, SAMPLES)[:, None]
    offset = np.arange(-reach, reach + 0.5)
    points = (start + t * along)[:, None] + offset[None, :, None] * normal
    x_map, y_map = (np.ascontiguousarray(points[..., i], np.float32) for i in (0, 1))
    profile = cv2.remap(grey, x_map, y_map, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(profile, np.float32)
    step = np.diff(profile, axis=1)
    # A screen's border is a step of one direction along the whole side.
    step *= np.sign(np.median(step[np.arange(SAMPLES), np.abs(step).argmax(axis=1)])) or 1
    best = step.argmax(axis=1)
    strong = step.max(axis=1) > max(4.0, 0.3 * float(np.median(step.max(axis=1))))
    if strong.sum() < SAMPLES // 3:
        return None
    # A step's place is the mean of its slope around the steepest sample.
    near = np.clip(best[:, None] + np.arange(-2, 3), 0, step.shape[1] - 1)
    slope = np.maximum(np.take_along_axis(step, near, axis=1), 0) + 1e-6
    place = (slope * offset[near]).sum(axis=1) / slope.sum(axis=1) + 0.5
    on_edge = start + t * along + place[:, None] * normal
    vx, vy, x, y = cv2.fitLine(
        on_edge[strong].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
    ).ravel()
    away = np.abs((on_edge[:, 0] - x) * vy - (on_edge[:, 1] - y) * vx)
    agree = strong & (away < max(1.5, 0.3 * reach))
    if agree.sum() < SAMPLES // 3:
        return None
    vx, vy, x, y = cv2.fitLine(
        on_edge[agree].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
    ).ravel()
    return np.array([vy, -vx, vx * y - vy * x], np.float64), float(agree.mean())
