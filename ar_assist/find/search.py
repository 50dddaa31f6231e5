"""The search for lattices in a picture, from the cheapest evidence to the dearest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ar_assist.find.blobs import blob_lattices
from ar_assist.find.cells import compared, measured, parted, settle
from ar_assist.find.lattice import Fit, grow
from ar_assist.find.period import SCALES, Seed, axis_seeds, seeds
from ar_assist.find.quads import Quad
from ar_assist.find.subdivision import RECTIFIED_PX, filled
from ar_assist.types import Homography, Image, transform
from ar_assist.warp import rectify

MAX_GROWN = 8  # seeds grown at one scale: the best of as many places and periods
MAX_WEAK = 4  # weak lattices settled at last: of 124 boards none was found among them
MAX_QUADS = 3  # outlines searched from inside
CONVINCING = 0.45  # score of a lattice after which no more is sought at this scale
LIKELY = 0.3  # regularity of what is settled as soon as it has grown
MIN_SCORE = 0.1  # lattices below it are chance: a few cells that agree
ALIAS = 0.5  # of a lattice's score: less likely ones on the same place are not tried
SAME_BORDER = 0.3  # of a cell: lattices whose corners are so near are one
LARGER = 2.0  # times the cells: what one lattice has more than another may be another's
SAME_PERIOD = 0.2  # of a cell: steps this near to whole ones belong to a lattice


def lattices(image: Image, outlined: list[Quad]) -> Iterator[Fit]:
    """Lattices of cells: as they are found, then those that grew too irregular to be likely, then
    what is chance most of the time. To read one takes less time than to seek others.

    `outlined` are the picture's quads, best first.
    """
    known: list[Fit] = []
    weak: list[Fit] = []
    for stage in _stages(image, outlined, known, weak):
        for fit in sorted(stage, key=lambda f: -f.score):
            if not any(_is_alias(fit, better) for better in known):
                known.append(fit)
                if fit.score > MIN_SCORE:
                    yield fit
    for grown in sorted(weak, key=lambda f: -f.regularity)[:MAX_WEAK]:
        late = _settled(image, grown)
        if late and not any(_is_alias(late, better) for better in known):
            known.append(late)
            yield late
    yield from sorted((f for f in known if f.score <= MIN_SCORE), key=lambda f: -f.score)


def _stages(
    image: Image, outlined: list[Quad], known: list[Fit], weak: list[Fit]
) -> Iterator[list[Fit]]:
    """What each kind of evidence adds to what is known, the cheapest first.

    What grew but is `weak` is added to these: it will hardly be likely when it is settled.
    """
    for quad in outlined[:MAX_QUADS]:
        yield from _inside(image, quad, known, weak)
    for scale in reversed(SCALES):
        yield _grown(image, seeds(image, scale), known, weak)
    tried: list[Fit] = []
    for sparse in blob_lattices(image, outlined[:MAX_QUADS]):
        is_known = any(_is_part(sparse, fit) for fit in known)
        if not is_known and not any(_is_again(sparse, other) for other in tried):
            tried.append(sparse)
            yield _of_blobs(image, sparse)  # whatever the score: so many equal blobs are evidence


def _of_blobs(image: Image, sparse: Fit) -> list[Fit]:
    """The lattice through blobs as the picture shows it, and as it is, where that loses cells: of
    few drawings without frames nothing is shared by all but their place."""
    final = measured(image, sparse)
    if final is None:
        return []
    of_pairs = parted(image, final)
    if of_pairs:
        return [of_pairs]
    loses = final.support.sum() < sparse.support.sum()
    return [final, compared(image, sparse)] if loses else [final]


def _grown(
    image: Image, candidates: Iterable[Seed], known: list[Fit], weak: list[Fit]
) -> list[Fit]:
    fits: list[Fit] = []
    tried = 0
    for seed in candidates:
        if any(_belongs(seed, fit) for fit in [*known, *fits, *weak]):
            continue
        tried += 1
        fit = _followed(image, seed, np.eye(3), weak)
        if fit:
            fits.append(fit)
        if tried == MAX_GROWN or (fit and fit.score > CONVINCING):
            break
    return fits


def _followed(
    picture: Image, seed: Seed, frame_from_picture: Homography, weak: list[Fit]
) -> Fit | None:
    """The picture's lattice that grows from a seed; a weak one waits, as the frame shows it."""
    grown = grow(picture, seed, MIN_SCORE)
    if grown is None:
        return None
    if grown.regularity < LIKELY:
        weak.append(_seen_through(grown, frame_from_picture))
        return None
    return _settled(picture, grown)


def _settled(image: Image, grown: Fit) -> Fit | None:
    fit = settle(image, grown)
    return fit if fit and fit.score > MIN_SCORE else None


def _inside(image: Image, quad: Quad, known: list[Fit], weak: list[Fit]) -> Iterator[list[Fit]]:
    """Lattices along an outline's own axes, found in its rectified picture: one that fills it, and
    a convincing one, as soon as it is found."""
    plane = quad.plane(RECTIFIED_PX)
    picture = rectify(image, plane)
    whole = filled(image, picture, quad)
    if whole and whole.score > MIN_SCORE:
        yield [whole]
    fits: list[Fit] = []
    for seed in axis_seeds(picture):
        ends = np.stack([seed.centre, seed.centre + seed.p, seed.centre + seed.q])
        centre, p, q = plane.to_frame(ends).astype(float)
        in_frame = Seed(centre, p - centre, q - centre, 0)
        if any(_belongs(in_frame, fit) for fit in [*known, *fits, *weak]):
            continue
        fit = _followed(picture, seed, plane.frame_from_plane, weak)
        if fit:
            fit = measured(image, _seen_through(fit, plane.frame_from_plane))
        if fit and fit.score > MIN_SCORE:
            fits.append(fit)
        if fit and fit.score > CONVINCING:
            yield fits
            fits = []
    yield fits


def _seen_through(fit: Fit, frame_from_picture: Homography) -> Fit:
    return replace(fit, frame_from_grid=frame_from_picture @ fit.frame_from_grid, bend=None)


def _is_alias(fit: Fit, better: Fit) -> bool:
    """Whether it is the same lattice again, or a far less likely one on the same place: every
    board has some, such as its own diagonals."""
    if _is_again(fit, better):
        return True
    (x, y), box = fit.corners_in(better).mean(axis=0), better.box
    inside = 0 < x - box.x < box.cols and 0 < y - box.y < box.rows
    return bool(inside and fit.score < ALIAS * better.score)


def _is_again(fit: Fit, other: Fit) -> bool:
    """Whether both have as many cells between the same corners."""
    # From one seed rows run rightward, from another downward.
    seen, theirs = fit.corners_in(other), other.box.corners
    apart = min(np.abs(np.roll(seen, turn, axis=0) - theirs).max() for turn in range(4))
    return bool(apart < SAME_BORDER and fit.support.size == other.support.size)


def _is_part(sparse: Fit, fit: Fit) -> bool:
    """Whether the cells of the one are cells of the other, which has the same steps and is hardly
    larger.

    Of a lattice that is finer than the tiles they would be every second cell, say; a far larger one
    may run on into a keyboard or buttons, and be none for these.
    """
    if fit.support.size > LARGER * sparse.support.size:
        return False
    grid_from_frame = np.linalg.inv(fit.frame_from_grid).astype(np.float64)
    nodes = transform(sparse.frame_from_grid, sparse.box.centres()[sparse.support])
    cells = transform(grid_from_frame, nodes) - (fit.box.x + 0.5, fit.box.y + 0.5)
    whole = np.rint(cells)
    inside = ((whole >= 0) & (whole < (fit.box.cols, fit.box.rows))).all()
    middle = np.array([sparse.box.x + sparse.box.cols // 2, sparse.box.y + sparse.box.rows // 2])
    steps = transform(sparse.frame_from_grid, middle + np.array([[0, 0], [1, 0], [0, 1.0]]))
    is_on = bool(inside and np.abs(cells - whole).max() < SAME_BORDER)
    return is_on and _is_basis(transform(grid_from_frame, steps))


def _belongs(seed: Seed, fit: Fit) -> bool:
    """Whether the seed lies on the lattice and repeats as it does there."""
    grid_from_frame = np.linalg.inv(fit.frame_from_grid).astype(np.float64)
    points = np.stack([seed.centre, seed.centre + seed.p, seed.centre + seed.q])
    seen = transform(grid_from_frame, points).astype(float)
    x, y = seen[0] - (fit.box.x, fit.box.y)
    is_on = -1 < x < fit.box.cols + 1 and -1 < y < fit.box.rows + 1
    return is_on and _is_basis(seen)


def _is_basis(points: NDArray[np.floating]) -> bool:
    """Whether the steps from the first of (3, 2) points, grid units, to the others are whole and
    lead to every cell."""
    steps = points[1:] - points[0]
    whole = np.rint(steps)
    return bool(abs(np.linalg.det(whole)) == 1 and np.abs(steps - whole).max() < SAME_PERIOD)
