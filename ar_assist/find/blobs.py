"""Lattices of few tiles: equal blobs whose distances are whole multiples of one pitch.

When most tiles are gone no window repeats, but what is left still has one size and shape, and its
sides give the directions of the lattice. Blobs are compared by their second moments, which change
slowly under perspective. Each blob's own sides say where the others around it should be, at one
pitch or another; the lattice that far more of them bear out than chance is followed outward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ar_assist.find.lattice import (
    FIT_CELLS,
    LONGEST,
    MAX_CELLS,
    Box,
    Fit,
    affine_of_most,
    homography_of_most,
)
from ar_assist.find.period import MIN_SINE, reduced
from ar_assist.find.quads import Quad, binary_pictures, clockwise
from ar_assist.types import Homography, Image, transform, within_quad

MIN_SIDE_PX = 12  # of a blob: smaller tiles cannot be read
MAX_SIDE = 0.25  # of the picture's longer side
MIN_SOLIDITY = 0.85  # area over that of the convex hull: a tile's face has no bays
MANY = 2 * MAX_CELLS  # blobs of one size: more than a board has, though pictures on tiles count
ALIKE = 0.25  # relative difference of second moments between neighbours of one kind of blob
RIM = 0.75  # of the way from the middle to the outline: inside a frame and what blur makes of it
SHADES = 40.0  # grey levels between rims of one kind of blob: light falls off over a board
MAX_ROW = 4  # tiles that touch and are taken for as many: a longer bar may be a panel
WHOLE = 0.33  # of a tile: bars are off whole ones by less; blur makes one longer, not each of them
PITCH = np.arange(0.85, 1.61, 0.01)  # candidates, in sides: swollen outlines to wide gaps
MIN_VOTES = 2  # steps that are alike, at the least
MIN_BLOBS = 5  # fewer lie on some lattice by chance
GROUPS = 4  # tries of each kind: the best may be of buttons or icons
MAX_GAP = 3  # cells from a blob to the nearest other: what lies beyond is no tile
MIN_FILL = 0.1  # of the lattice's box: blobs that fill less have no pitch in common
VOTERS = 150  # blobs amid the group that tell the steps: perspective differs less, and it is quick
NEAR_STEPS = 4  # steps to neighbours looked at, for each blob: beside, below and diagonal
SAME_STEP = 0.15  # of their length: steps that perspective makes differ
OFF_NODE = 0.15  # of a pitch: perspective moves the blobs around one by less
MIN_EVIDENCE = 3.0  # e-folds of the odds of so many blobs on a lattice against chance
NEAR_CELLS = 6  # distances up to this many cells are compared; perspective bends longer ones

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Blobs:
    centres: Array  # (N, 2) px
    moments: Array  # (N, 3) px²: xx, yy, xy
    rims: Array  # (N, 3) BGR just inside the outline: of a tile's face, whatever is drawn on it
    quads: Array  # (N, 4, 2) px

    def among(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> _Blobs:
        """Only some of them."""
        return _Blobs(*(values[chosen] for values in vars(self).values()))


def blob_lattices(image: Image, outlined: Sequence[Quad] = ()) -> Iterator[Fit]:
    """Lattices through equal blobs, not yet fitted to the picture: through all of them, then
    through those in each outline.

    Blobs are faces of tiles, which have one colour at the rim, or the pictures themselves. The keys
    of a keyboard beside a screen are equal as well, and more than the last tiles on it.
    """
    every = _blobs(image)
    within = [within_quad(quad.corners, every.centres) for quad in outlined]
    chosen = {some.tobytes(): some for some in (np.ones(len(every.centres), bool), *within)}
    for blobs, shades in product(map(every.among, chosen.values()), (SHADES, np.inf)):
        tiles = _tiles(blobs, shades)
        for found in [*_along_sides(blobs, tiles), *_along_steps(blobs, tiles)]:
            fit = _lattice_through(*found)
            if fit is not None:
                yield fit


def _along_sides(blobs: _Blobs, tiles: NDArray[np.int64]) -> Iterator[tuple[Array, Array, Array]]:
    """Centres (M, 2) of equal blobs, one blob's centre, lattice vectors (2, 2) around it, px.

    The vectors run along that blob's sides. First where the most blobs lie as they say, by far
    more than by chance.
    """
    local = [_along_sides_of(i, blobs, tiles) for i in range(len(tiles))]
    used = np.zeros(len(tiles), bool)
    tries = 0
    for i in np.argsort([-(found[0] if found else 0) for found in local], kind="stable"):
        found = local[i]
        if found is None or found[0] < MIN_EVIDENCE or tries == GROUPS:
            break
        if not used[i]:
            tries += 1
            used[found[2]] = True
            yield _parted(blobs, tiles[i])[0], blobs.centres[i], found[1]


def _along_sides_of(
    i: int, blobs: _Blobs, tiles: NDArray[np.int64]
) -> tuple[float, Array, NDArray[np.intp]] | None:
    """The evidence of a lattice along blob i's sides, its vectors, and which blobs lie on it.

    The evidence is the logarithm of the odds that so many lie there against chance.
    """
    sides = _sides(blobs.quads[i])
    if abs(np.linalg.det(sides)) < MIN_SIDE_PX**2 / 2:
        return None
    about = np.abs(np.linalg.solve(sides, (blobs.centres - blobs.centres[i]).T)).max(axis=0)
    group = np.where(about < NEAR_CELLS, tiles[i], 0)
    if group.sum() < MIN_BLOBS:
        return None
    # A small blob's sides are known but roughly; it is for all around to say which way they run.
    sides = np.median([_sides(quad) for quad in blobs.quads[group == 1]], axis=0)
    if abs(np.linalg.det(sides)) < MIN_SIDE_PX**2 / 2:
        return None
    centres, of = _parted(blobs, group)
    apart = centres - blobs.centres[i]
    offsets = np.linalg.solve(sides, apart.T).T
    reach = np.abs(offsets).max(axis=1)
    near = (reach > 0.5) & (reach < NEAR_CELLS)
    steps = offsets[near, :, None] / PITCH
    on = np.abs(steps - np.rint(steps)) < OFF_NODE
    together = on[:, 0].T.astype(float) @ on[:, 1].astype(float)
    x, y = np.unravel_index(int(together.argmax()), together.shape)
    agree = on[:, 0, x] & on[:, 1, y]
    whole = np.rint(steps[agree][:, [0, 1], [x, y]])
    if np.linalg.matrix_rank(whole) < 2:
        return None
    basis = np.linalg.lstsq(whole, apart[near][agree], rcond=None)[0].T
    count, chance = float(agree.sum()), (2 * OFF_NODE) ** 2 * float(near.sum())
    return count * np.log(count / chance) - count + chance, basis, of[near][agree]


def _along_steps(blobs: _Blobs, tiles: NDArray[np.int64]) -> Iterator[tuple[Array, Array, Array]]:
    """The same along the steps between equal blobs: round ones have no sides."""
    for _ in range(GROUPS if len(tiles) else 0):
        group = tiles[int((tiles > 0).sum(axis=1).argmax())]
        if group.sum() < MIN_BLOBS:
            break
        centres, _ = _parted(blobs, group)
        tiles = np.where((group > 0) | (group > 0)[:, None], 0, tiles)
        basis = _basis_of_steps(centres)
        if basis is not None:
            yield centres, centres[int(_from_middle(centres).argmin())], basis


def _from_middle(centres: Array) -> Array:
    """(N,) px, along the axes: how far centres (N, 2) lie from the midst of them."""
    off: Array = np.abs(centres - np.median(centres, axis=0)).sum(axis=1)
    return off


def _sides(quad: Array) -> Array:
    """(2, 2) px, in columns: rightward and downward sides of a quadrilateral (4, 2)."""
    right, down = quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]
    return np.stack([right, down], axis=1) / 2


def _blobs(image: Image) -> _Blobs:
    """Compact regions with four sides, each once."""
    longest = MAX_SIDE * max(image.shape[:2])
    centres: list[Array] = []
    moments: list[Array] = []
    rims: list[Array] = []
    quads: list[Array] = []
    for binary in binary_pictures(image):
        contours, _ = cv2.findContours(binary, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            _, _, w, h = cv2.boundingRect(contour)
            if min(w, h) < MIN_SIDE_PX or max(w, h) > longest:
                continue
            hull = np.asarray(cv2.convexHull(contour), np.int32)
            area = cv2.contourArea(contour)
            if area < MIN_SOLIDITY * cv2.contourArea(hull) or area < MIN_SIDE_PX**2:
                continue
            m = cv2.moments(hull)
            centres.append(np.array([m["m10"], m["m01"]]) / m["m00"])
            moments.append(np.array([m["mu20"], m["mu02"], m["mu11"]]) / m["m00"])
            rims.append(_rim(image, np.asarray(contour[:, 0], np.int32), centres[-1]))
            quads.append(_four_sides(hull))
    if not centres:
        return _Blobs(np.empty((0, 2)), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 4, 2)))
    blobs = _Blobs(np.array(centres), np.array(moments), np.array(rims), np.array(quads))
    blobs = blobs.among(_first_of_each(blobs))
    return blobs.among(~_are_texture(blobs))


def _rim(image: Image, contour: NDArray[np.int32], centre: Array) -> Array:
    """(3,) BGR: the median a little inside of a contour (N, 2)."""
    inside = np.rint(centre + RIM * (contour - centre)).astype(int)
    return np.asarray(np.median(image[inside[:, 1], inside[:, 0]], axis=0), np.float64)


def _four_sides(hull: NDArray[np.int32]) -> Array:
    """(4, 2): the polygon of the hull if it has four corners, else the least rectangle around."""
    polygon = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True)
    corners = polygon if len(polygon) == 4 else cv2.boxPoints(cv2.minAreaRect(hull))
    return np.asarray(clockwise(np.asarray(corners, np.float32).reshape(4, 2)), np.float64)


def _first_of_each(blobs: _Blobs) -> NDArray[np.intp]:
    """Indices of blobs that no earlier one lies on: several binary pictures show the same."""
    radius = _radius(blobs)
    kept = np.zeros(len(radius), bool)
    for i, near in enumerate(KDTree(blobs.centres).query_ball_point(blobs.centres, radius / 2)):
        same = [j for j in near if kept[j] and abs(radius[j] / radius[i] - 1) < ALIKE]
        kept[i] = not same
    return np.flatnonzero(kept)


def _are_texture(blobs: _Blobs) -> NDArray[np.bool_]:
    """(N,) blobs of which more are of one size than any board has: they are no tiles."""
    radius = _radius(blobs)
    ordered = np.sort(radius)
    ends = [np.searchsorted(ordered, times * radius) for times in (1 - ALIKE / 2, 1 + ALIKE / 2)]
    return np.asarray(ends[1] - ends[0] > MANY)


def _radius(blobs: _Blobs) -> Array:
    """(N,) px, of gyration."""
    radius: Array = np.sqrt(blobs.moments[:, :2].sum(axis=1))
    return radius


def _tiles(blobs: _Blobs, shades: float) -> NDArray[np.int64]:
    """(N, N) as how many blobs like i in a row blob j may be taken; 0: it is something else."""
    size = np.linalg.norm(blobs.moments, axis=1)
    apart = np.linalg.norm(blobs.moments[:, None] - blobs.moments[None], axis=2)
    tiles = (apart < 2 * ALIKE * np.minimum(size[:, None], size[None])).astype(np.int64)
    shaded = np.linalg.norm(blobs.rims[:, None] - blobs.rims[None], axis=2)
    if np.isfinite(shades):  # of any shade there are too many bars
        row = _in_a_row(blobs.moments)
        tiles = np.where(row > 1, row, tiles)
    return np.where(shaded < shades, tiles, 0)


def _in_a_row(moments: Array) -> NDArray[np.int64]:
    """(N, N) how many blobs like i touch each other in a row to make blob j; 0 or 1: it is no row.

    Under any view the moments of k in a row are k² times those of one along the row, and the same
    across.
    """
    one = _matrices(moments)
    times = np.linalg.inv(one)[:, None] @ one[None]
    middle = np.trace(times, axis1=2, axis2=3) / 2
    spread = np.sqrt(np.maximum(middle**2 - np.linalg.det(times), 0))
    across = np.maximum(middle - spread, 1e-6)
    length = np.sqrt((middle + spread) / across)
    row = np.rint(length).astype(np.int64)
    is_row = (row <= MAX_ROW) & (np.abs(length - row) < WHOLE) & (np.abs(across - 1) < 2 * ALIKE)
    return np.where(is_row, row, 0)


def _matrices(moments: Array) -> Array:
    """(N, 2, 2) px²: second moments as symmetric matrices."""
    xx, yy, xy = moments.T
    return np.stack([xx, xy, xy, yy], axis=-1).reshape(-1, 2, 2)


def _parted(blobs: _Blobs, group: NDArray[np.int64]) -> tuple[Array, NDArray[np.intp]]:
    """Centres (M, 2) px of a group's tiles, (N,) of which make up each blob, and whose they are."""
    moments = _matrices(blobs.moments)
    one = np.median(moments[group == 1], axis=0)
    centres = [blobs.centres[group == 1]]
    for j in np.flatnonzero(group > 1):
        values, vectors = np.linalg.eig(np.linalg.solve(one, moments[j]))
        # This direction is at right angles to the sides that lie across the row. What is left of
        # the moments is that of a stroke: a twelfth of its length squared.
        normal = vectors[:, int(values.argmax())]
        whole = moments[j] @ normal * np.sqrt(12 / (normal @ moments[j] @ normal))
        at = (np.arange(group[j]) + 0.5) / group[j] - 0.5
        centres.append(blobs.centres[j] + at[:, None] * whole)
    rows = np.where(group > 1, group, 0)
    of = np.concatenate([np.flatnonzero(group == 1), np.repeat(np.arange(len(rows)), rows)])
    return np.concatenate(centres), of


def _basis_of_steps(centres: Array) -> Array | None:
    """(2, 2) lattice vectors in columns, px: the shortest steps that many blobs are apart.

    Round blobs have no sides.
    """
    amid = centres[np.argsort(_from_middle(centres), kind="stable")[:VOTERS]]
    steps = (amid[:, None] - amid[None])[np.triu_indices(len(amid), 1)]
    steps *= np.where(steps @ [1, 0.01] < 0, -1, 1)[:, None]
    length = np.hypot(*steps.T)
    near = np.argsort(length, kind="stable")[: NEAR_STEPS * len(amid)]
    steps, length = steps[near], length[near]
    apart = np.linalg.norm(steps[:, None] - steps[None], axis=2)
    same = apart < SAME_STEP * length[:, None]
    votes = same.sum(axis=1)
    found: list[Array] = []
    for i in np.flatnonzero(votes >= max(MIN_VOTES, votes.max() / 2)):
        step = steps[same[i]].mean(axis=0)
        if not found or _sine(found[0], step) > MIN_SINE:
            found.append(step)
        if len(found) == 2:
            return np.stack(reduced(*found), axis=1)  # right-handed: no mirror
    return None


def _sine(a: Array, b: Array) -> float:
    return float(abs(a[0] * b[1] - a[1] * b[0]) / (np.hypot(*a) * np.hypot(*b) + 1e-9))


def _lattice_through(centres: Array, origin: Array, basis: Array) -> Fit | None:
    """The lattice of such vectors (in columns) at the origin on which the most of the blobs lie."""
    tolerance = 2 * FIT_CELLS * float(np.hypot(*basis[:, 0]))
    frame_from_cells = np.vstack([np.column_stack([basis, origin]), [0, 0, 1]])
    for reach in (NEAR_CELLS, LONGEST):  # the vectors hold around the origin, perspective bends
        cells = np.rint(transform(np.linalg.inv(frame_from_cells), centres))
        near = np.abs(cells).max(axis=1) <= reach
        mapped = _map_of_most(cells[near], centres[near], tolerance)
        if mapped is None:
            return None
        frame_from_cells, agree = mapped
        cells = cells[near]
    taken = cells[agree].astype(int)
    apart = np.abs(taken[:, None] - taken[None]).max(axis=2)
    taken = taken[((apart > 0) & (apart <= MAX_GAP)).any(axis=1)]
    if len(taken) < MIN_BLOBS:
        return None
    low, high = taken.min(axis=0), taken.max(axis=0) + 1
    if len(taken) < MIN_FILL * np.prod(high - low):
        return None
    support = np.zeros((high - low)[::-1], bool)
    support[taken[:, 1] - low[1], taken[:, 0] - low[0]] = True
    # Blobs' centres lie at whole numbers so far, cells' centres at halves.
    frame_from_grid = frame_from_cells @ np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    box = Box(int(low[0]), int(low[1]), support.shape[1], support.shape[0])
    return Fit(frame_from_grid, box, support, likeness=1.0)


def _map_of_most(
    cells: Array, centres: Array, tolerance_px: float
) -> tuple[Homography, NDArray[np.bool_]] | None:
    """The map from whole cells (N, 2) to px that most centres (N, 2) bear out, and which do.

    It is affine unless perspective makes more of them agree.
    """
    if len(cells) < MIN_BLOBS:
        return None
    from_, to = cells.astype(np.float32), centres.astype(np.float32)
    affine = affine_of_most(from_, to, tolerance_px)
    if affine is None or affine[1].sum() < MIN_BLOBS:
        return None
    bent = homography_of_most(from_, to, tolerance_px)
    return bent if bent and bent[1].sum() > affine[1].sum() else affine
