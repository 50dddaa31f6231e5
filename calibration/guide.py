"""What the collected views still lack, in words, so that few views make a good calibration."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.fit import coverage_map
from calibration.target import Image, View

THIRDS = (("upper left", "top", "upper right"), ("left", "middle", "right"),
          ("lower left", "bottom", "lower right"))  # fmt: skip
TILTED = 1.15  # ratio of opposite sides of the target: about 25 degrees at an arm's length
NEAR = 0.25  # of the picture's area
MIN_SHARPNESS = 0.12  # of the contrast, per px across an edge: below it corners are off by 0.2 px
MOVED = 0.06  # of the picture's width: a view nearer to a kept one adds nothing
ENOUGH = 12  # views, when nothing is missing

TILTS = {
    "left": "turn the target so that its left side comes nearer",
    "right": "turn the target so that its right side comes nearer",
    "top": "lean the target so that its upper side comes nearer",
    "bottom": "lean the target so that its lower side comes nearer",
}


def wanted(views: Sequence[View], size_wh: tuple[int, int]) -> str:
    """The next view to show, in words; "" when nothing is missing."""
    cells = coverage_map(views, size_wh)
    thirds = [np.array_split(rows, 3, axis=1) for rows in np.array_split(cells, 3, axis=0)]
    for r, row in enumerate(thirds):
        for c, cell in enumerate(row):
            if cell.mean() < 0.5:
                return f"show the target in the {THIRDS[r][c]} of the picture"
    sides = [_nearer_side(view) for view in views]
    for side, words in TILTS.items():
        if side not in sides:
            return words
    if not any(_area(view, size_wh) > NEAR for view in views):
        return "bring the target nearer, till it fills half of the picture"
    if len(views) < ENOUGH:
        return f"{ENOUGH - len(views)} more views, from anywhere"
    return ""


def objection(image: Image, view: View, kept: Sequence[View], size_wh: tuple[int, int]) -> str:
    """Why this view should not be kept; "" when it should."""
    if sharpness(image, view) < MIN_SHARPNESS:
        return "the picture is blurred: hold still, or give more light"
    for other in kept:
        if len(other.image_points) != len(view.image_points):
            continue
        if np.abs(other.image_points - view.image_points).max() < MOVED * size_wh[0]:
            return "this view is like one that is kept already: move the target"
    return ""


def sharpness(image: Image, view: View) -> float:
    """Steepest step across the target's edges per px, as a share of its contrast."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    x, y, w, h = cv2.boundingRect(view.image_points.astype(np.float32))
    inside = np.asarray(grey[max(0, y) : y + h, max(0, x) : x + w], np.float32)
    if inside.size == 0:
        return 0.0
    low, high = np.percentile(inside, (10, 90))
    steps = np.abs(np.diff(inside, axis=1))
    return float(np.percentile(steps, 98) / max(high - low, 1.0))


def _nearer_side(view: View) -> str:
    """Which side of the target is nearest the camera, as seen in the picture; "" when flat."""
    corners = _outer_corners(view)
    centre = corners.mean(axis=0)
    sides = np.roll(corners, -1, axis=0) - corners
    middles = corners + sides / 2 - centre
    lengths = np.hypot(*sides.T)
    best = int(lengths.argmax())
    if lengths[best] < TILTED * lengths[(best + 2) % 4]:
        return ""
    x, y = middles[best]
    if abs(x) > abs(y):
        return "left" if x < 0 else "right"
    return "top" if y < 0 else "bottom"


def _area(view: View, size_wh: tuple[int, int]) -> float:
    corners = _outer_corners(view).astype(np.float32)
    return float(cv2.contourArea(corners)) / (size_wh[0] * size_wh[1])


def _outer_corners(view: View) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(4, 2) px of the target's extreme corners, in order around it."""
    homography, _ = cv2.findHomography(view.object_points[:, :2], view.image_points)
    low, high = view.object_points[:, :2].min(axis=0), view.object_points[:, :2].max(axis=0)
    flat = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    return np.asarray(cv2.perspectiveTransform(flat[None], homography)[0], np.float64)
