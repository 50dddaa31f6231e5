"""Find planes in a picture that may hold a board.

Candidates come from lattices of cells, from quads, and, last, from the picture as a whole (a
screenshot, or a board that fills the view). Games decide which of them shows a board.
"""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.find.blobs import blob_lattices
from ar_assist.find.cells import measured, settle
from ar_assist.find.lattice import Box, Fit, grow
from ar_assist.find.period import SCALES, Seed, seeds
from ar_assist.find.quads import Quad, quads
from ar_assist.types import Candidate, Homography, Image, Lattice, Plane, homography, transform

WORK_PX = (
    1280  # longest side of the picture that is searched: webcams give no more detail than this
)
SMALL_BOARD_CELLS = 200  # boards up to this size are rectified at full cell size
CELL_PX = (48, 32)  # longer side of a rectified cell, on small boards and on large ones
QUAD_PX = 1280  # longest side of a rectified quad
MARGIN_CELLS = 3  # rectified around a lattice, so that readers see clues and missed rows
MAX_GROWN = 6  # seeds grown at one scale; the right one is nearly always among the first three
CONVINCING = 0.45  # score of a lattice after which finer scales are not searched
MIN_SCORE = 0.1  # lattices below it are chance: a few cells that agree
SAME_PERIOD = 0.2  # relative difference of lattice vectors that are one lattice's


def find(image: Image) -> list[Candidate]:
    """Candidate planes of a frame: lattices, then quads, then the whole frame, each best first."""
    scale = max(1.0, max(image.shape[:2]) / WORK_PX)
    size = (round(image.shape[1] / scale), round(image.shape[0] / scale))
    work = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    half = 0.5 * (scale - 1)  # pixel centres are at integers
    frame_from_work = np.array([[scale, 0, half], [0, scale, half], [0, 0, 1]])
    whole = Quad(Plane(np.eye(3), size).corners, 0.0)
    return [
        *(_of_lattice(frame_from_work, fit) for fit in lattices(work)),
        *(_of_quad(frame_from_work, quad) for quad in [*quads(work), whole]),
    ]


def rectify(image: Image, plane: Plane) -> Image:
    """The plane's picture, upright, perspective removed."""
    picture = cv2.warpPerspective(
        image,
        plane.frame_from_plane,
        plane.size_wh,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
    )
    return np.asarray(picture, np.uint8)


def lattices(image: Image) -> list[Fit]:
    """Lattices of cells, best first. Coarse scales first, for they cost least."""
    fits: list[Fit] = []
    for scale in reversed(SCALES):
        if any(fit.score > CONVINCING for fit in fits):
            break
        grown = 0
        for seed in seeds(image, scale):
            if grown == MAX_GROWN or (fits and fits[-1].score > CONVINCING):
                break
            if any(_belongs(seed, fit) for fit in fits):
                continue
            grown += 1
            fit = _followed(image, seed)
            if fit:
                fits.append(fit)
    if not any(fit.score > CONVINCING for fit in fits):
        sparse = (measured(image, fit) for fit in blob_lattices(image))
        fits += [fit for fit in sparse if fit and fit.score > MIN_SCORE]
    return sorted(fits, key=lambda fit: -fit.score)


def _followed(image: Image, seed: Seed) -> Fit | None:
    fit = grow(image, seed)
    if fit is None or fit.regularity < MIN_SCORE:
        return None
    fit = settle(image, fit)
    return fit if fit and fit.score > MIN_SCORE else None


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


def _of_lattice(frame_from_work: Homography, fit: Fit) -> Candidate:
    frame_from_grid, rows, cols = _upright(frame_from_work @ fit.frame_from_grid, fit.box)
    middle = np.array([cols / 2, rows / 2])
    around = transform(
        frame_from_grid, middle + np.array([[-0.5, 0], [0.5, 0], [0, -0.5], [0, 0.5]])
    )
    sides = np.hypot(*(around[1] - around[0])), np.hypot(*(around[3] - around[2]))
    longer = CELL_PX[0] if rows * cols <= SMALL_BOARD_CELLS else CELL_PX[1]
    px, py = (round(longer * side / max(sides)) for side in sides)
    lattice = Lattice(
        (MARGIN_CELLS * px - 0.5, MARGIN_CELLS * py - 0.5), (float(px), float(py)), rows, cols
    )
    grid_from_plane = np.array(
        [[1 / px, 0, 0.5 / px - MARGIN_CELLS], [0, 1 / py, 0.5 / py - MARGIN_CELLS], [0, 0, 1]]
    )
    size = ((cols + 2 * MARGIN_CELLS) * px, (rows + 2 * MARGIN_CELLS) * py)
    return Candidate(Plane(frame_from_grid @ grid_from_plane, size), lattice, float(fit.score))


def _of_quad(frame_from_work: Homography, quad: Quad) -> Candidate:
    """The quad's content at the scale it has in the frame; its aspect is the outline's own."""
    corners = transform(frame_from_work, quad.corners)
    top, right, bottom, left = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    sides = np.array([max(top, bottom), max(left, right)])
    width, height = np.rint(sides * min(1.0, QUAD_PX / sides.max())).astype(int)
    plane = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    return Candidate(Plane(homography(plane, corners), (int(width), int(height))), None, quad.score)


def _upright(frame_from_grid: Homography, box: Box) -> tuple[Homography, int, int]:
    """The box at the grid's origin, turned by quarters until its rows run most nearly rightward."""
    rows, cols = box.rows, box.cols
    turned = frame_from_grid @ np.array([[1, 0, box.x], [0, 1, box.y], [0, 0, 1.0]])
    best = (-np.inf, turned, rows, cols)
    for _ in range(4):
        left, right = transform(turned, np.array([[0, rows / 2], [cols, rows / 2]]))
        along = (right - left) / np.hypot(*(right - left))
        best = max(best, (float(along[0]), turned, rows, cols), key=lambda b: b[0])
        # New x runs up the old y: the old top-left corner becomes the new top-right one.
        turned = turned @ np.array([[0, 1, 0], [-1, 0, rows], [0, 0, 1.0]])
        rows, cols = cols, rows
    return best[1], best[2], best[3]
