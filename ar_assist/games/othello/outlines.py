"""The outlines of discs, from how whole squares with discs differ from empty ones.

A look is what a kind of square shows: (P, C) colours of its CELL x CELL px, row by row.
"""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.games.othello.canonical import CELL, FloatArray
from ar_assist.games.othello.felt import DISTINCT

RAYS = 24  # ways from a square's middle along which the edge of a disc is sought
SMALLEST_PX = 0.2 * CELL  # radius of the smallest disc: dots that mark moves are smaller
ROUND = 1.2  # the longest of an outline's radii over the shortest, each over an oval's there, less
# a tenth of them at either end; those of a square have 1.3
SIZES = 1.25  # radius of one kind of discs over the other's, around which a line may be drawn
BESIDE_PX = 3  # from an edge to where what is beside it shows
_TURN = np.arange(RAYS) * 2 * np.pi / RAYS
WAYS = np.stack([np.cos(_TURN), np.sin(_TURN)])  # (2, RAYS) along x and y
OVAL = np.stack([np.ones(RAYS), np.cos(2 * _TURN), np.sin(2 * _TURN)], axis=1)  # its radii ** -2
STEPS = np.arange(0, 0.7 * CELL, 0.25).astype(np.float32)  # px from the middle to the corners …
INSIDE = np.multiply.outer(np.abs(WAYS).max(axis=0), STEPS) < (CELL - 1) / 2  # … and no further


def outlines(differences: FloatArray) -> FloatArray:
    """(N, RAYS) px from the middle to where discs end; (N, P, 3) how they differ from no disc."""
    sizes = np.linalg.norm(differences, axis=-1)
    steps = np.broadcast_to(STEPS, INSIDE.shape)
    along = np.stack([_along_rays(size, steps)[..., 0] for size in sizes])
    # Half of what most of a disc differs by: a mark on the empty squares may differ by more.
    usual = [np.median(np.append(size[size > DISTINCT], DISTINCT)) for size in sizes]
    differs = (along > np.array(usual)[:, None, None] / 2) & INSIDE
    last = len(STEPS) - 1 - differs[..., ::-1].argmax(axis=-1)
    return np.asarray(np.where(differs.any(axis=-1), STEPS[last], 0), np.float32)


def are_discs(radii: FloatArray) -> bool:
    """Whether (N, RAYS) px from the middle are the outlines of discs of about one size.

    They may be oval: a page may squeeze its discs, as what holds them is not square.
    """
    if radii.min() < SMALLEST_PX:
        return False
    of_oval = OVAL @ np.linalg.lstsq(OVAL, radii.T**-2.0, rcond=None)[0]  # (RAYS, N) px ** -2
    short, long = np.quantile(radii.T * np.sqrt(of_oval), (0.1, 0.9), axis=0)
    usual = np.median(radii, axis=1)
    return bool((long < ROUND * short).all() and usual.max() < SIZES * usual.min())


def edge_of(look: FloatArray, outline: FloatArray) -> float:
    """Lab units by which a look differs at an outline, or just within it, from just outside.

    A disc has an edge of its own, be it a mere line; where an empty square has none, it is no disc.
    """
    within = _along_rays(look, outline[:, None] + np.arange(-BESIDE_PX, 1))
    outside = _along_rays(look, outline[:, None] + BESIDE_PX)
    return float(np.median(np.linalg.norm(within - outside, axis=-1).max(axis=1)))


def _along_rays(look: FloatArray, radii: FloatArray) -> FloatArray:
    """(RAYS, N, C) what a look shows at (RAYS, N) px from its middle, along the rays."""
    at = ((CELL - 1) / 2 + radii * way[:, None] for way in WAYS)
    x, y = (np.clip(each, 0, CELL - 1).astype(np.float32) for each in at)
    picture = np.ascontiguousarray(look.reshape(CELL, CELL, -1))
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR).reshape(*radii.shape, -1))
