"""Lattices that fill a quad from side to side: the outline of all tiles, or corners set by hand.

Where cells begin is known then, and only how many there are is asked: of all counts the one whose
borders stand out the most from what lies between them.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ar_assist.find.cells import measured
from ar_assist.find.lattice import LONGEST, Box, Fit
from ar_assist.find.period import PERIOD_PX, against_local, axis_seeds, strongest_channel
from ar_assist.find.quads import Quad
from ar_assist.types import Image, Lattice, homography
from ar_assist.warp import rectify

RECTIFIED_PX = 800  # longest side of a quad's rectified picture
HALVES = (1, 1), (2, 1), (1, 2), (2, 2)  # that make a cell, downward and across
BY_HAND = 0.25  # cells: corners that a hand set are right to half of that
FEWEST = 2  # rows or columns of a board
OFF_LINE = 0.06  # cells: a border is sought so far from its place
BETWEEN = np.arange(0.2, 0.81, 0.1)  # of a cell: where there is no border
CLEAREST = 2.0  # deviations: one border says no more, for a line may be drawn anywhere
EVIDENCE = 3.0  # deviations of all borders: chance makes no more of them


def filling(image: Image, quad: Quad) -> list[Fit]:
    """Lattices that fill a quad which was set by hand, to a part of a cell, likely ones first."""
    plane = quad.plane(RECTIFIED_PX)
    picture = rectify(image, plane)
    w, h = plane.size_wh
    (across, _), (down, _) = map(_likeliest, _strengths(picture))
    steps = ((seed.p[0], seed.q[1]) for seed in axis_seeds(picture))
    cells = [(h / q / high, w / p / wide) for p, q in steps for high, wide in HALVES]
    shapes = [(r, c) for rows, cols in cells for r in _counts(rows) for c in _counts(cols)]
    if across and down:
        shapes.append((down, across))
    as_set = (of_cells(quad, rows, cols) for rows, cols in dict.fromkeys(shapes))
    fits = filter(None, (measured(image, fit) for fit in as_set))
    return sorted(fits, key=lambda fit: -fit.score)


def filled(image: Image, picture: Image, quad: Quad) -> Fit | None:
    """The lattice that fills an outline, of which `picture` is the rectified inside; None: its
    borders do not show."""
    (cols, across), (rows, down) = map(_likeliest, _strengths(picture))
    return measured(image, of_cells(quad, rows, cols)) if min(across, down) > EVIDENCE else None


def _counts(cells: float) -> list[int]:
    """How many whole cells so many may be, to a part of one at either end."""
    counts = {round(cells - BY_HAND), round(cells + BY_HAND)}
    return sorted(count for count in counts if count >= FEWEST)


def of_cells(quad: Quad, rows: int, cols: int) -> Fit:
    """A quad cut into cells."""
    border = Lattice((0, 0), (1, 1), rows, cols).corners
    frame_from_grid = homography(border, quad.corners)
    return Fit(frame_from_grid, Box(0, 0, cols, rows), np.ones((rows, cols), bool), likeness=1.0)


def _strengths(picture: Image) -> list[NDArray[np.float32]]:
    """Along x (W,), along y (H,): 0 to 1, how strong edges across the axis are in the mean, each
    against its surroundings, so that a faint border counts as much as the drawings."""
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.8)
    strengths = []
    for axis, step in enumerate(((1, 0), (0, 1))):
        edges = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, *step)))
        strengths.append(np.asarray(against_local(edges).mean(axis), np.float32))
    return strengths


def _likeliest(strength: NDArray[np.float32]) -> tuple[int, float]:
    """Into how many cells an axis (L,) of a picture is cut, and the evidence of that in deviations;
    0 cells where it is too short to tell.

    The evidence is that of all borders between cells: how far each stands above what lies between
    them.
    """
    best = 0, 0.0
    for count in range(FEWEST, min(LONGEST, len(strength) // PERIOD_PX[0]) + 1):
        cell = len(strength) / count
        reach = max(1, round(OFF_LINE * cell))
        highest = ndimage.maximum_filter1d(strength, 2 * reach + 1, mode="nearest")
        on, off = (
            highest[np.rint(np.add.outer(phases, np.arange(least, count)) * cell - 0.5).astype(int)]
            for phases, least in ((np.zeros(1), 1), (BETWEEN, 0))
        )
        clear = np.clip((on - off.mean()) / (off.std() + 1e-3), -CLEAREST, CLEAREST)
        best = max(best, (count, float(clear.sum() / np.sqrt(count))), key=lambda of: of[1])
    return best
