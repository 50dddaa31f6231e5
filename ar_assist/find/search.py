"""The search for lattices in a picture, from the cheapest evidence to the dearest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ar_assist.find.blobs import blob_lattices
from ar_assist.find.cells import measured, settle
from ar_assist.find.lattice import Box, Fit, grow
from ar_assist.find.period import SCALES, Seed, axis_seeds, seeds
from ar_assist.find.quads import Quad
from ar_assist.find.warp import rectify
from ar_assist.types import Image, Lattice, Points, transform

MAX_GROWN = 8  # seeds grown at one scale: the best of as many places and periods
MAX_QUADS = 3  # outlines searched from inside
CONVINCING = 0.45  # score of a lattice after which no more is sought at this scale
LIKELY = 0.3  # score of a lattice that is worth reading before others are sought
MIN_SCORE = 0.1  # lattices below it are chance: a few cells that agree
ALIAS = 0.5  # of a lattice's score: less likely ones on the same place are not tried
SAME_BORDER = 0.3  # of a cell: lattices whose corners are so near are one
SAME_PERIOD = 0.2  # of a cell: steps this near to whole ones belong to a lattice
RECTIFIED_PX = 800  # longest side of an outline's rectified picture


def lattices(image: Image, outlined: list[Quad]) -> Iterator[Fit]:
    """Lattices of cells: likely ones as they are found, then those that were doubtful.

    `outlined` are the picture's quads, best first.
    """
    known: list[Fit] = []
    for stage in _stages(image, outlined, known):
        fits = [fit for fit in stage if not any(_is_alias(fit, better) for better in known)]
        known += fits
        yield from sorted((f for f in fits if f.score > LIKELY), key=lambda f: -f.score)
    yield from sorted((f for f in known if f.score <= LIKELY), key=lambda f: -f.score)


def _stages(image: Image, outlined: list[Quad], known: list[Fit]) -> Iterator[list[Fit]]:
    """What each kind of evidence adds to what is known, the cheapest first."""
    for quad in outlined[:MAX_QUADS]:
        yield _inside(image, quad, known)
    for scale in reversed(SCALES):
        yield _grown(image, seeds(image, scale), known, MAX_GROWN)
    sparse = (measured(image, fit) for fit in blob_lattices(image))
    yield [fit for fit in sparse if fit and fit.score > MIN_SCORE]


def _grown(image: Image, candidates: Iterable[Seed], known: list[Fit], at_most: int) -> list[Fit]:
    fits: list[Fit] = []
    tried = 0
    for seed in candidates:
        if any(_belongs(seed, fit) for fit in [*known, *fits]):
            continue
        tried += 1
        fit = _followed(image, seed)
        if fit:
            fits.append(fit)
        if tried == at_most or (fit and fit.score > CONVINCING):
            break
    return fits


def _followed(image: Image, seed: Seed) -> Fit | None:
    fit = grow(image, seed)
    if fit is None or fit.regularity < MIN_SCORE:
        return None
    fit = settle(image, fit)
    return fit if fit and fit.score > MIN_SCORE else None


def _inside(image: Image, quad: Quad, known: list[Fit]) -> list[Fit]:
    """Lattices along an outline's own axes, found in its rectified picture."""
    plane = quad.plane(RECTIFIED_PX)
    picture = rectify(image, plane)
    fits: list[Fit] = []
    for seed in axis_seeds(picture):
        ends = np.stack([seed.centre, seed.centre + seed.p, seed.centre + seed.q])
        centre, p, q = plane.to_frame(ends).astype(float)
        if any(_belongs(Seed(centre, p - centre, q - centre, 0), fit) for fit in [*known, *fits]):
            continue
        fit = _followed(picture, seed)
        if fit is None:
            continue
        in_frame = replace(fit, frame_from_grid=plane.frame_from_plane @ fit.frame_from_grid)
        refined = measured(image, in_frame)
        if refined and refined.score > MIN_SCORE:
            fits.append(refined)
    return fits


def _is_alias(fit: Fit, better: Fit) -> bool:
    """Whether it is the same lattice again, or a far less likely one on the same place: every
    board has some, such as its own diagonals."""
    outer = transform(fit.frame_from_grid, _border(fit.box))
    seen = transform(np.linalg.inv(better.frame_from_grid).astype(np.float64), outer)
    if np.abs(seen - _border(better.box)).max() < SAME_BORDER:
        return True
    (x, y), box = seen.mean(axis=0), better.box
    inside = 0 < x - box.x < box.cols and 0 < y - box.y < box.rows
    return bool(inside and fit.score < ALIAS * better.score)


def _border(box: Box) -> Points:
    """(4, 2) grid units."""
    return Lattice((box.x, box.y), (1, 1), box.rows, box.cols).corners


def _belongs(seed: Seed, fit: Fit) -> bool:
    """Whether the seed lies on the lattice and repeats as it does there."""
    grid_from_frame = np.linalg.inv(fit.frame_from_grid).astype(np.float64)
    points = np.stack([seed.centre, seed.centre + seed.p, seed.centre + seed.q])
    centre, p, q = transform(grid_from_frame, points).astype(float)
    x, y = centre - (fit.box.x, fit.box.y)
    if not (-1 < x < fit.box.cols + 1 and -1 < y < fit.box.rows + 1):
        return False
    steps = np.stack([p - centre, q - centre])
    whole = np.rint(steps)
    is_basis = abs(np.linalg.det(whole)) == 1
    return bool(is_basis and np.abs(steps - whole).max() < SAME_PERIOD)
