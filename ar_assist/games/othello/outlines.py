"""The outlines of discs, from how whole squares with discs differ from empty ones.

A look is what a kind of square shows: (P, C) colours of its CELL x CELL px, row by row. Discs need
not lie in the middle of their squares: those of a font stand on its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.games.othello.canonical import CELL, FloatArray

RAYS = 24  # ways from a disc's middle along which its edge is sought
SMALLEST_PX = 0.2 * CELL  # radius of the smallest disc: dots that mark moves are smaller
ROUND = 1.2  # the longest of an outline's radii over the shortest, each over an oval's there, less
# a tenth of them at either end; those of a square have 1.3
SIZES = 1.25  # radius of one kind of discs over the other's, around which a line may be drawn
BESIDE_PX = 3  # from an edge to where what is beside it shows
_TURN = np.arange(RAYS) * 2 * np.pi / RAYS
WAYS = np.stack([np.cos(_TURN), np.sin(_TURN)])  # (2, RAYS) along x and y
OVAL = np.stack([np.ones(RAYS), np.cos(2 * _TURN), np.sin(2 * _TURN)], axis=1)  # its radii ** -2
STEPS = np.arange(0, 1.4 * CELL, 0.25).astype(np.float32)  # px, from corner to corner
PLACES = np.stack(np.meshgrid(np.arange(CELL), np.arange(CELL)), axis=-1).reshape(-1, 2)  # (P, 2)


@dataclass(frozen=True, eq=False)
class Outline:
    """Where a disc ends."""

    middle: FloatArray  # (2,) x, y px of its square
    radii: FloatArray  # (RAYS,) px from there

    @property
    def within(self) -> NDArray[np.bool_]:
        """(P,) the places that are no further from its middle than its edge mostly is."""
        away = np.linalg.norm(PLACES - self.middle, axis=1)
        return np.asarray(away <= np.median(self.radii))


def outline_of(difference: FloatArray, distinct: float) -> Outline:
    """Where a disc ends, of how its look differs from that of no disc, (P, 3).

    By less than `distinct`, Lab units, it does not differ.
    """
    size = np.linalg.norm(difference, axis=-1)
    # Half of what most of a disc differs by: a mark on the empty squares may differ by more.
    enough = float(np.median(np.append(size[size > distinct], distinct))) / 2
    its = size > enough
    middle = np.asarray((PLACES[its] if its.any() else PLACES).mean(axis=0), np.float32)
    at = middle[:, None, None] + WAYS[..., None] * STEPS  # (2, RAYS, steps)
    inside = ((at >= 0) & (at <= CELL - 1)).all(axis=0)
    steps = np.broadcast_to(STEPS, inside.shape)
    differs = (_along_rays(size, middle, steps)[..., 0] > enough) & inside
    last = len(STEPS) - 1 - differs[:, ::-1].argmax(axis=-1)
    return Outline(middle, np.where(differs.any(axis=-1), STEPS[last], 0).astype(np.float32))


def are_discs(outlines: Sequence[Outline]) -> bool:
    """Whether these are the outlines of discs of about one size.

    They may be oval: a page may squeeze its discs, as what holds them is not square.
    """
    radii = np.stack([outline.radii for outline in outlines])
    if radii.min() < SMALLEST_PX:
        return False
    of_oval = OVAL @ np.linalg.lstsq(OVAL, radii.T**-2.0, rcond=None)[0]  # (RAYS, N) px ** -2
    short, long = np.quantile(radii.T * np.sqrt(of_oval), (0.1, 0.9), axis=0)
    usual = np.median(radii, axis=1)
    return bool((long < ROUND * short).all() and usual.max() < SIZES * usual.min())


def edge_of(look: FloatArray, outline: Outline) -> float:
    """Lab units by which a look differs at an outline, or just within it, from just outside.

    A disc has an edge of its own, be it a mere line; where an empty square has none, it is no disc.
    """
    radii = outline.radii[:, None]
    within = _along_rays(look, outline.middle, radii + np.arange(-BESIDE_PX, 1))
    outside = _along_rays(look, outline.middle, radii + BESIDE_PX)
    return float(np.median(np.linalg.norm(within - outside, axis=-1).max(axis=1)))


def _along_rays(look: FloatArray, middle: FloatArray, radii: FloatArray) -> FloatArray:
    """(RAYS, N, C) what a look shows at (RAYS, N) px from a disc's middle, along the rays."""
    at = (start + radii * way[:, None] for start, way in zip(middle, WAYS, strict=True))
    x, y = (np.clip(each, 0, CELL - 1).astype(np.float32) for each in at)
    picture = np.ascontiguousarray(look.reshape(CELL, CELL, -1))
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR).reshape(*radii.shape, -1))
