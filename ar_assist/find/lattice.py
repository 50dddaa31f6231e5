"""Grow a seed into a whole lattice of cells, and find where its cells begin.

A lattice that fits locally is followed outward as chessboard finders do (Geiger et al., ICRA 2012):
the mean of all cells known so far is the template; every neighbour is registered against it, and a
robust homography through the registered cells predicts the next ring. What differs from cell to
cell averages out of the template; what tiles share (frame, gap, silhouette) stays.

*Grid units*: x in columns, y in rows; `frame_from_grid` maps them to frame px.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, stats

from ar_assist.find.lens import DECISIVE, LensBend, RadialLens, seen_lens
from ar_assist.find.period import MAX_ASPECT, Seed, reduced, strongest_channel
from ar_assist.registration import best_offsets
from ar_assist.types import Homography, Image, Plane, Points, transform
from ar_assist.warp import rectify

CELL_PX = 16  # side of a cell while growing: enough for frames, little enough to be fast
REACH_PX = 5  # a cell is sought this far from its predicted place, at CELL_PX
LONGEST = 44  # cells; the largest known link games have 30, …
MAX_CELLS = 720  # … and 480 in all: more are a keyboard, a text or a carpet, and slow to read
FIT_CELLS = 0.08  # a cell further than this from the homography, in cells, does not support it
ROUGH_CELLS = 0.15  # the same while the map is affine and the template of few cells
LIKE_ENOUGH = 0.6  # NCC of a member, as a share of the members' median; what lies beyond has 0.5
MAX_FORESHORTENING = 27.0  # of a cell's area: half of the view from 60 degrees, three times as deep
SURE = 0.85  # the same for a member that has no neighbours: the last tiles of a game
MIN_SUPPORT = 6  # cells; a homography has 8 degrees of freedom, an affine map 6
LOOK_AHEAD = 2  # cells: as wide a gap of cleared columns is looked across …
FURTHER = 4  # … and once where nothing follows
TRIES = 400  # of RANSAC: enough where a third agree, and a lattice of fewer is none
CHANCE = 0.01  # that cells on an affine map seem to leave it as perspective makes them, or that a
# row is empty amid others
ROUNDS = 7  # 4, then 8, 13, 22, 36 cells a side: the largest board is reached

Mask = NDArray[np.bool_]
Maps = NDArray[np.float32]


@dataclass(frozen=True)
class Box:
    """A range of cells of a lattice: columns x … x + cols, rows y … y + rows."""

    x: int
    y: int
    cols: int
    rows: int

    @property
    def corners(self) -> NDArray[np.float64]:
        """(4, 2) grid units: top left, then clockwise."""
        right, bottom = self.x + self.cols, self.y + self.rows
        around = [[self.x, self.y], [right, self.y], [right, bottom], [self.x, bottom]]
        return np.array(around, np.float64)

    def grown(self, by: int) -> Box:
        return Box(self.x - by, self.y - by, self.cols + 2 * by, self.rows + 2 * by)

    def holds_more_than(self, other: Box) -> bool:
        left, top = self.x <= other.x, self.y <= other.y
        right = self.x + self.cols >= other.x + other.cols
        bottom = self.y + self.rows >= other.y + other.rows
        return left and top and right and bottom and self != other

    def centres(self) -> NDArray[np.float64]:
        """(rows, cols, 2) grid units."""
        c, r = np.meshgrid(np.arange(self.cols), np.arange(self.rows))
        return np.stack([c + self.x + 0.5, r + self.y + 0.5], axis=-1)


@dataclass(frozen=True, eq=False)
class Fit:
    """A lattice as it lies in a frame."""

    frame_from_grid: Homography
    box: Box  # the cells that belong to the board
    support: Mask  # (rows, cols) of the box: the cell was registered and agrees with the homography
    likeness: float  # median NCC of the supporting cells with their mean
    bend: LensBend | None = None  # of grid units, where a lens is seen
    content: float = 0.0  # 0 to 1: how much more alike the nearest other cell is than the average

    @property
    def sides(self) -> NDArray[np.float64]:
        """(2,) px: how wide and high a cell amid the box is seen."""
        middle = self.box.x + self.box.cols / 2, self.box.y + self.box.rows / 2
        ends = transform(self.frame_from_grid, np.array([[0, 0], [1, 0], [0, 1]]) + middle)
        return np.asarray(np.hypot(*(ends[1:] - ends[0]).T), np.float64)

    def moved(self, x: float, y: float) -> Fit:
        """The same with every cell so many grid units further right and down."""
        return self.under(np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]))

    def under(self, grid_from_new: Homography) -> Fit:
        """The same with every cell where the map leads it, in grid units."""
        bend = self.bend and self.bend.under(grid_from_new)
        return replace(self, frame_from_grid=self.frame_from_grid @ grid_from_new, bend=bend)

    def to_frame(self, points: Points) -> Points:
        """Map (..., 2) grid units to frame px."""
        return transform(self.frame_from_grid, self.bend.bent(points) if self.bend else points)

    def corners_in(self, other: Fit) -> Points:
        """(4, 2) the box's corners in another lattice's grid units."""
        other_from_frame = np.linalg.inv(other.frame_from_grid).astype(np.float64)
        return transform(other_from_frame, transform(self.frame_from_grid, self.box.corners))

    @property
    def regularity(self) -> float:
        """0 to 1: a large, full lattice of cells that are alike in frame."""
        count = float(self.support.sum())
        size = count / (count + 12)  # twelve cells may agree by chance
        return float(self.likeness * np.sqrt(count / self.support.size) * size)

    @property
    def score(self) -> float:
        """0 to 1: regular, and its cells come in equal groups."""
        return self.regularity * (0.25 + 0.75 * self.content)


def rectified(
    image: Image, frame_from_grid: Homography, box: Box, cell_px: int, bend: LensBend | None = None
) -> Image:
    """The box's cells, upright and straight, `cell_px` px wide and high each."""
    scale = 1 / cell_px
    half = 0.5 * scale
    grid_from_picture = np.array([[scale, 0, box.x + half], [0, scale, box.y + half], [0, 0, 1]])
    frame_from_picture = frame_from_grid @ grid_from_picture
    size_wh = box.cols * cell_px, box.rows * cell_px
    if bend:
        return rectify(image, Plane(frame_from_picture, size_wh, bend.under(grid_from_picture)))
    picture = cv2.warpPerspective(
        image,
        frame_from_picture,
        size_wh,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(picture, np.uint8)


def grow(image: Image, seed: Seed, least: float) -> Fit | None:
    """Follow the lattice of a seed as far as it goes; None: it is no lattice.

    It is given up as soon as it is not as regular as the `least` that is asked for: a lattice is
    so once its 64 nearest cells are known, and most seeds are none.
    """
    p, q = reduced(seed.p, seed.q)
    frame_from_grid = np.array(
        [[p[0], q[0], seed.centre[0]], [p[1], q[1], seed.centre[1]], [0, 0, 1]]
    )
    box = Box(-2, -2, 4, 4)
    support = np.ones((4, 4), bool)
    last = box
    for round_ in range(ROUNDS):
        nodes = _register(image, frame_from_grid, box, support)
        step = _fit(nodes, box, FIT_CELLS if round_ > 2 else ROUGH_CELLS)
        if step is None:
            return None
        moved, support, likeness = step
        frame_from_grid = frame_from_grid @ moved
        frame_from_grid /= frame_from_grid[2, 2]
        inner, support = _cropped(box, support, np.zeros_like(support))
        fit = Fit(frame_from_grid, inner, support, likeness)
        if _is_too_large(inner) or (round_ and fit.regularity < least):
            return None
        if round_ == ROUNDS - 1 or (round_ > 2 and inner == last):
            return fit
        last = inner
        margin = max(2, min(inner.cols, inner.rows) // 3) if round_ < ROUNDS - 3 else 1
        box, support = inner.grown(margin), np.pad(support, margin)
    return None


def completed(image: Image, fit: Fit) -> Fit | None:
    """The same lattice with every ring of cells that belongs to it, finely fitted.

    Called when cells begin where tiles do: a template that holds one whole tile sees further than
    one made of parts of four. Where a lens bends the lattice it is followed without its distortion.
    """
    followed = _followed_out(image, fit)
    if followed is None:
        return None
    fit, grid, seen = followed
    found = seen_lens(grid, seen, (image.shape[1], image.shape[0]), FIT_CELLS)
    if found:
        lens, straight_from_grid, gain = found
        bent = bent_by(lens, straight_from_grid, fit)
        if bends_little(bent):  # this costs the lattice none of its cells
            fit = bent
        elif gain >= DECISIVE:
            fit = _completed_through(lens, straight_from_grid, image, fit) or fit
    return fit if is_plausible(fit) else None


def _followed_out(image: Image, fit: Fit) -> tuple[Fit, Points, Points] | None:
    """The lattice followed to its ends; and the cells that look like its own, (N, 2) each in grid
    units and in px: also those that leave it at its ends, as a lens makes them."""
    before, step = fit.box, _step_out(image, fit, LOOK_AHEAD)
    for _ in range(1, ROUNDS):
        if step is None or _is_too_large(step.fit.box):
            return None
        if step.fit.box == before:
            further = _step_out(image, step.fit, FURTHER)
            if further is None or not further.fit.box.holds_more_than(before):
                break
            step = further
        before, step = step.fit.box, _step_out(image, step.fit, LOOK_AHEAD)
    if step is None or _is_too_large(step.fit.box):
        return None
    fit, nodes = step.fit, step.nodes
    like = nodes.usable & (nodes.likeness > LIKE_ENOUGH * fit.likeness)
    like &= _connected(like, step.box, fit.box)
    grid = step.box.centres()[like].astype(np.float32)
    return fit, grid, transform(step.registered_from, grid + nodes.offset[like])


@dataclass(frozen=True, eq=False)
class _Step:
    """A lattice after one more look around it."""

    fit: Fit
    nodes: _Nodes
    box: Box  # of the nodes
    registered_from: Homography  # they were looked for where this frame_from_grid has them


def _step_out(image: Image, fit: Fit, ahead: int) -> _Step | None:
    """Look for cells up to so many around those that are known; None: even these are none."""
    box, support = fit.box.grown(ahead), np.pad(fit.support, ahead)
    nodes = _register(image, fit.frame_from_grid, box, support)
    agreed = _fit(nodes, box, FIT_CELLS)
    if agreed is None:
        return None
    moved, support, likeness = _bent(nodes, box, *agreed)
    frame_from_grid = fit.frame_from_grid @ moved
    inner, support = _cropped(box, support, nodes.likeness > SURE * likeness)
    after = Fit(frame_from_grid / frame_from_grid[2, 2], inner, support, likeness)
    return _Step(after, nodes, box, fit.frame_from_grid)


def _connected(some: Mask, box: Box, inner: Box) -> Mask:
    """(rows, cols) of the box: the cells of the inner one, and those that `some` lead to."""
    top, left = inner.y - box.y, inner.x - box.x
    among = np.zeros_like(some)
    among[top : top + inner.rows, left : left + inner.cols] = True
    parts, _ = ndimage.label(some | among, np.ones((3, 3)))
    connected: Mask = parts == parts[top, left]
    return connected


def bent_by(lens: RadialLens, straight_from_grid: Homography, fit: Fit) -> Fit:
    """The lattice with a lens."""
    grid_from_frame = np.asarray(np.linalg.inv(fit.frame_from_grid))
    return replace(fit, bend=LensBend(straight_from_grid, lens, grid_from_frame))


def bends_little(fit: Fit) -> bool:
    """Whether a lens moves the corners of the box by less than cells may be off."""
    corners = fit.box.corners.astype(np.float32)
    return bool(fit.bend is None or np.abs(fit.bend.bent(corners) - corners).max() < FIT_CELLS)


def _completed_through(
    lens: RadialLens, straight_from_grid: Homography, image: Image, fit: Fit
) -> Fit | None:
    """The lattice followed in the undistorted picture, and where the distorted one shows it."""
    straight = replace(fit, frame_from_grid=straight_from_grid)
    followed = _followed_out(lens.undistorted(image), straight)
    if followed is None:
        return None
    fit = followed[0]
    centres = fit.box.centres()[fit.support].astype(np.float32)
    seen = lens.distort(transform(fit.frame_from_grid, centres))
    found, _ = cv2.findHomography(centres, seen)
    if found is None:
        return None
    as_seen = replace(fit, frame_from_grid=np.asarray(found, np.float64))
    return bent_by(lens, fit.frame_from_grid, as_seen)


def _is_too_large(box: Box) -> bool:
    return max(box.cols, box.rows) > LONGEST or box.cols * box.rows > MAX_CELLS


def is_plausible(fit: Fit) -> bool:
    """Whether the lattice may be a rectangle of cells seen by a camera: near cells are larger,
    but no more than MAX_FORESHORTENING times, and none lies behind the camera."""
    z = fit.box.corners @ fit.frame_from_grid[2, :2] + fit.frame_from_grid[2, 2]
    if z.min() <= 1e-6:
        return False
    # The area of a cell goes with the inverse cube of its depth.
    near = z.max() < MAX_FORESHORTENING ** (1 / 3) * z.min()
    return bool(near and fit.sides.max() < MAX_ASPECT * fit.sides.min())


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Cells registered against the template, (rows, cols) each."""

    likeness: Maps  # NCC at the best offset
    offset: Maps  # (rows, cols, 2) cells
    usable: Mask  # inside the frame and not at the rim of the search
    support: Mask  # of the round before


def _register(image: Image, frame_from_grid: Homography, box: Box, support: Mask) -> _Nodes:
    picture = rectified(image, frame_from_grid, box.grown(1), CELL_PX)
    features = _features(picture)
    inner = features[CELL_PX:-CELL_PX, CELL_PX:-CELL_PX]
    cells = inner.reshape(box.rows, CELL_PX, box.cols, CELL_PX, -1).transpose(0, 2, 1, 3, 4)
    template = cells[support].mean(axis=0)
    start = CELL_PX - REACH_PX
    area = features[start:-start, start:-start]
    likeness, offset_px, at_rim = best_offsets(area, template, CELL_PX, REACH_PX)
    usable = _inside(image, frame_from_grid, box) & ~at_rim
    return _Nodes(likeness, offset_px / np.float32(CELL_PX), usable, support)


def _features(picture: Image) -> Maps:
    """(H, W, 3): strength of vertical and of horizontal edges, grey; each over its local mean."""
    smooth = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8)
    area = (2 * CELL_PX + 1, 2 * CELL_PX + 1)
    grey = cv2.cvtColor(smooth, cv2.COLOR_BGR2GRAY).astype(np.float32)
    grey -= cv2.blur(grey, area)
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, area), 0)) + 4
    return np.dstack([edges(smooth, CELL_PX), grey / spread / 4])


def edges(smooth: Image, cell_px: int) -> Maps:
    """(H, W, 2): strength of vertical and of horizontal edges, over its mean in the cells around:
    a faint frame counts as much as one that the light is on."""
    gx = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, 1, 0)))
    gy = strongest_channel(np.abs(cv2.Scharr(smooth, cv2.CV_32F, 0, 1)))
    both = gx + gy
    side = 2 * cell_px + 1
    local = cv2.blur(both, (side, side)) + 0.03 * float(both.max()) + 1e-3
    return np.dstack([gx / (gx + local), gy / (gy + local)])


def _inside(image: Image, frame_from_grid: Homography, box: Box) -> Mask:
    """Whether each cell's centre lies in the frame and before the camera."""
    h, w = image.shape[:2]
    centres = box.centres()
    x, y, z = np.moveaxis(centres @ frame_from_grid[:, :2].T + frame_from_grid[:, 2], -1, 0)
    ahead: Mask = z > 1e-6
    z = np.where(ahead, z, 1)
    inside: Mask = ahead & (x > 0) & (y > 0) & (x < (w - 1) * z) & (y < (h - 1) * z)
    return inside


def _fit(nodes: _Nodes, box: Box, tolerance: float) -> tuple[Homography, Mask, float] | None:
    """The map that moves predicted cells onto registered ones, the cells that agree, their NCC."""
    enough = LIKE_ENOUGH * float(np.median(nodes.likeness[nodes.support]))
    good = nodes.usable & (nodes.likeness > enough)
    if good.sum() < MIN_SUPPORT:
        return None
    predicted = box.centres()[good].astype(np.float32)
    seen = predicted + nodes.offset[good].astype(np.float32)
    found = map_between(predicted, seen, tolerance)
    if found is None or found[1].sum() < MIN_SUPPORT:
        return None
    moved, agree = found
    support = np.zeros_like(good)
    support[good] = agree
    return moved, support, float(np.median(nodes.likeness[support]))


def map_between(from_: Points, to: Points, tolerance: float) -> tuple[Homography, Mask] | None:
    """The map that most of (N, 2) cells bear out to `tolerance`, and which of them do.

    It is affine where cells are few or their places rough, unless they show that it is not.
    """
    few, rough = len(from_) <= 2 * MIN_SUPPORT, tolerance >= ROUGH_CELLS
    affine = affine_of_most(from_, to, tolerance) if few or rough else None
    if rough or (affine is None and few):
        return affine
    bent = homography_of_most(from_, to, tolerance)
    if bent and affine and not _is_bent(from_, to, (affine[0], bent[0]), tolerance):
        return affine
    return bent or affine


def affine_of_most(from_: Points, to: Points, tolerance: float) -> tuple[Homography, Mask] | None:
    """The affine map, (3, 3), of (N, 2) points that most bear out to `tolerance`, and which do."""
    moved, agree = cv2.estimateAffine2D(
        from_, to, method=cv2.RANSAC, ransacReprojThreshold=tolerance
    )
    return None if moved is None else (np.vstack([moved, [0, 0, 1]]), agree.ravel().astype(bool))


def homography_of_most(
    from_: Points, to: Points, tolerance: float
) -> tuple[Homography, Mask] | None:
    """The same of homographies."""
    moved, agree = cv2.findHomography(from_, to, cv2.RANSAC, tolerance, maxIters=TRIES)
    return None if moved is None else (np.asarray(moved, np.float64), agree.ravel().astype(bool))


def _is_bent(
    from_: Points, to: Points, maps: tuple[Homography, Homography], tolerance: float
) -> bool:
    """Whether (N, 2) cells leave the affine map as the homography says: an F test of the two terms
    that it has more. What lies beyond the tolerance is as wrong by either."""
    flat, bent = (
        np.minimum(((to - transform(moved, from_)) ** 2).sum(1), tolerance**2).sum()
        for moved in maps
    )
    free = to.size - 8
    return bool(free > 0 and stats.f.sf((flat - bent) / 2 * free / (bent + 1e-9), 2, free) < CHANCE)


def _bent(
    nodes: _Nodes, box: Box, moved: Homography, support: Mask, likeness: float
) -> tuple[Homography, Mask, float]:
    """The same with the cells that leave the homography as their neighbours do.

    A lens that nobody calibrated bends the rim of a large board by more than FIT_CELLS, but from
    one cell to the next it bends it little.
    """
    predicted = box.centres()
    seen = predicted + nodes.offset
    away = (seen - transform(moved, predicted)).astype(np.float32)
    weight = cv2.blur(support.astype(np.float32), (3, 3), borderType=cv2.BORDER_CONSTANT)
    around = cv2.blur(away * support[..., None], (3, 3), borderType=cv2.BORDER_CONSTANT)
    bend = around / np.maximum(weight, 1e-6)[..., None]
    follows = np.hypot(*np.moveaxis(away - bend, -1, 0)) < FIT_CELLS
    good = nodes.usable & (nodes.likeness > LIKE_ENOUGH * likeness) & (weight > 0.2)
    bent = support | (good & follows)
    if bent.sum() > support.sum():
        refit, _ = cv2.findHomography(predicted[bent], seen[bent])
        moved = moved if refit is None else np.asarray(refit, np.float64)
    return moved, bent, float(np.median(nodes.likeness[bent]))


def _cropped(box: Box, support: Mask, sure: Mask) -> tuple[Box, Mask]:
    """The box of the supporting cells that have two supporting neighbours, or are sure alone."""
    around = cv2.boxFilter(
        support.astype(np.float32), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    held = support & ((around > 2.5) | sure)
    held = held if held.sum() >= 4 else support
    top, bottom = _ends(held)
    left, right = _ends(held[top:bottom].T)
    inner = Box(box.x + left, box.y + top, right - left, bottom - top)
    return inner, support[top:bottom, left:right]


def _ends(held: Mask) -> tuple[int, int]:
    """The first of (R, C) rows that holds cells, and the one after the last.

    A cell alone beyond an empty row is a stray one where the others are so full that no row of
    theirs would be empty: of all that lies around a large board something may look like its cells.
    """
    count = held.sum(axis=1)
    rows = np.flatnonzero(count)
    for end in (0, -1):
        row, *others = rows if end == 0 else rows[::-1]
        if count[row] > 1 or len(others) < 2:
            continue
        share = count[others].sum() / (abs(others[-1] - others[0]) + 1) / held.shape[1]
        between = (abs(others[0] - row) - 1) * held.shape[1]
        if between and (1 - share) ** between < CHANCE:
            rows = rows[1:] if end == 0 else rows[:-1]
    return int(rows[0]), int(rows[-1]) + 1
