"""Quadrilaterals in the picture: their overlap, and the order of their corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Points

# A quad can be read from any corner and either way round: four turns, each also mirrored.
ORDERS = tuple(
    tuple(int(i) for i in np.roll(order, -turn))
    for order in ((0, 1, 2, 3), (0, 3, 2, 1))
    for turn in range(4)
)


def area(polygon: NDArray[np.floating]) -> float:
    """Signed area in px² of an (N, 2) polygon by the shoelace formula."""
    x, y = polygon[:, 0], polygon[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def is_convex(quad: Points) -> bool:
    """Whether a quad is convex and not degenerate: the edges all turn the same way."""
    edges = np.roll(quad, -1, 0).astype(np.float64) - quad
    ahead = np.roll(edges, -1, 0)
    turns = edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0]
    return bool((turns > 0).all() or (turns < 0).all())


def iou(a: Points, b: Points) -> float:
    """Intersection over union of two convex quads; 0 if one is none."""
    if not (is_convex(a) and is_convex(b)):
        return 0.0
    first, second = _one_way_round(a), _one_way_round(b)
    overlap = area(clip(first, second))
    return overlap / (area(first) + area(second) - overlap)


def _one_way_round(quad: Points) -> NDArray[np.float64]:
    """The same quad with positive area."""
    points = quad.astype(np.float64)
    return points if area(points) > 0 else points[::-1]


def clip(subject: NDArray[np.float64], window: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of a convex polygon inside another, both of positive area; (N, 2), maybe empty.

    Sutherland and Hodgman, Reentrant polygon clipping, CACM 17(1), 1974.
    """
    for start, end in pairwise([*window, window[0]]):
        if not len(subject):
            break
        across = end - start
        offset = subject - start
        side = across[0] * offset[:, 1] - across[1] * offset[:, 0]  # positive: inside
        subject = _cut(subject, side)
    return subject


def _cut(polygon: NDArray[np.float64], side: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep the points with side >= 0, and put one where an edge crosses 0."""
    kept = []
    for i in range(len(polygon)):
        p, q, at_p, at_q = polygon[i - 1], polygon[i], side[i - 1], side[i]
        if (at_p < 0) != (at_q < 0):
            kept.append(p + (q - p) * (at_p / (at_p - at_q)))
        if at_q >= 0:
            kept.append(q)
    return np.array(kept).reshape(-1, 2)


def best_order(corners: Points, like: Points) -> tuple[int, ...]:
    """Which of the eight orders brings the corners nearest to those of another quad."""
    far = [float(np.hypot(*(corners[list(order)] - like).T).sum()) for order in ORDERS]
    return ORDERS[int(np.argmin(far))]


def inside(points: Points, size_wh: tuple[int, int]) -> NDArray[np.bool_]:
    """Which of (..., 2) points lie in a picture of that size."""
    x, y = points[..., 0], points[..., 1]
    w, h = size_wh
    return (x > -0.5) & (y > -0.5) & (x < w - 0.5) & (y < h - 0.5)
