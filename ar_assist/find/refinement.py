"""A lattice fitted to all that its cells share, to a hundredth of a cell.

While it is followed a cell lies where it is most like the mean of a few, and what is drawn in it
draws it aside: cells are off by some hundredths, and so is the homography through them. Once all
are known it is known as well how much each pixel of a cell differs from tile to tile, and counts
by as little (inverse variances): lines that all share place the cells, drawings do not.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.find.lattice import (
    FIT_CELLS,
    MIN_SUPPORT,
    Fit,
    bends_little,
    bent_by,
    edges,
    is_plausible,
    map_between,
    rectified,
)
from ar_assist.find.lens import DECISIVE, seen_lens
from ar_assist.types import Image, Points

CELL_PX = 24  # side of a cell here: frames are a pixel wide and wider
SAME = 0.05  # of the mean variance: what is blank in all cells tells no more than that
REACH = 0.2  # of a cell: further off the picture is no slope that leads back


def refined(image: Image, fit: Fit) -> Fit:
    """The lattice, and the lens that bends it, where its cells are seen against each other; as it
    is, where cells that are none lead it to what no camera sees."""
    centres = fit.box.centres()[fit.support].astype(np.float32)
    offsets = _offsets(image, fit)
    near = np.hypot(*offsets.T) < REACH
    if near.sum() < MIN_SUPPORT:
        return fit
    centres, seen = centres[near], centres[near] + offsets[near]
    led = _bent(image, fit, centres, fit.to_frame(seen)) or _straight(fit, centres, seen)
    return led if is_plausible(led) else fit


def _straight(fit: Fit, centres: Points, seen: Points) -> Fit:
    """The lattice through cells (N, 2) that are `seen` there, grid units; bent as before."""
    found = map_between(centres, seen, FIT_CELLS)
    return fit if found is None else fit.under(found[0] / found[0][2, 2])


def _bent(image: Image, fit: Fit, centres: Points, seen: Points) -> Fit | None:
    """The same with the lens that is likeliest now that cells (N, 2) are known to be `seen` there,
    px; None: they say too little of one."""
    found = seen_lens(centres, seen, (image.shape[1], image.shape[0]), FIT_CELLS)
    if found is None:
        return None
    lens, straight_from_grid, gain = found
    frame_from_grid, _ = cv2.findHomography(centres, seen)
    if frame_from_grid is None:
        return None
    as_seen = replace(fit, frame_from_grid=np.asarray(frame_from_grid, np.float64))
    bent = bent_by(lens, straight_from_grid, as_seen)
    return bent if bends_little(bent) or gain >= DECISIVE else None


def _offsets(image: Image, fit: Fit) -> NDArray[np.float32]:
    """(N, 2) how far each supporting cell lies off its place, in cells.

    One step of Gauss and Newton from the mean cell (Lucas and Kanade 1981; Baker and Matthews 2004,
    whose slopes are the template's, so that one solution serves all cells).
    """
    picture = rectified(image, fit.frame_from_grid, fit.box.grown(1), CELL_PX, fit.bend)
    smooth = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8)
    strength = edges(smooth, CELL_PX)
    slopes = np.gradient(strength, axis=(1, 0))
    cells, *across = (_cut(values, fit) for values in (strength, *slopes))
    away = cells - cells.mean(axis=0)
    variance = (away**2).mean(axis=0)
    weight = 1 / (variance + SAME * variance.mean() + 1e-6)
    slope = np.stack([values.mean(axis=0) for values in across])
    weighted = slope * weight
    # No cell was let into the lattice from further than that: where lines run one way alone, their
    # place along them is as it was.
    known = np.eye(2) / (FIT_CELLS * CELL_PX) ** 2
    steps = np.linalg.solve(weighted @ slope.T + known, -weighted @ away.T).T
    return np.asarray(steps / CELL_PX, np.float32)


def _cut(values: NDArray[np.float32], fit: Fit) -> NDArray[np.float32]:
    """(N, D) supporting cells of maps (H, W, C) of the box with a margin of one."""
    inner = values[CELL_PX:-CELL_PX, CELL_PX:-CELL_PX]
    cells = inner.reshape(fit.box.rows, CELL_PX, fit.box.cols, CELL_PX, -1).swapaxes(1, 2)
    return cells[fit.support].reshape(int(fit.support.sum()), -1)
