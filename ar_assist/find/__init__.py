"""Find planes in a picture that may hold a board.

Candidates come from lattices of cells, from quads, and, last, from the picture as a whole (a
screenshot, or a board that fills the view). Games decide which of them shows a board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import cv2
import numpy as np

from ar_assist.find.cells import begun, measured, placed
from ar_assist.find.lattice import Box, Fit, Mask
from ar_assist.find.quads import Quad, quads
from ar_assist.find.refinement import refined
from ar_assist.find.search import lattices
from ar_assist.find.subdivision import filling, of_cells
from ar_assist.types import Candidate, Homography, Image, Lattice, Plane, transform

__all__ = ["Quad", "find", "found_again", "outlines", "whole", "within"]

LATTICES = 12  # that are proposed at most: busy pictures have many, and their quads are asked too
WORK_PX = 1280  # longest side of the picture that is searched: enough for tiles of 20 px
LEAST_PX = 32  # shorter side of that picture: in a smaller one no tile can be told from another
SMALL_BOARD_CELLS = 200  # boards up to this size are rectified at full cell size
CELL_PX = (48, 32)  # longer side of a rectified cell, on small boards and on large ones
QUAD_PX = 1280  # longest side of a rectified quad
WHOLE_PX = 1920  # longest side of a frame that is read as it is: most cameras give no more, and
# small digits need each of its px
SAME: Homography = np.eye(3)
ANOTHER_PLACE = 0.03  # cells between corners: twice as far off, tiles that are much alike are one
MARGIN_CELLS = 3  # rectified around a lattice, so that readers see clues and missed rows


def outlines(image: Image) -> list[Quad]:
    """Quads that stand out in a frame, best first: lit screens, windows, sheets."""
    work, frame_from_work = _working_picture(image)
    return [quad.seen_through(frame_from_work) for quad in quads(work)] if _is_large(work) else []


def find(image: Image, outlined: list[Quad] | None = None) -> Iterator[Candidate]:
    """Candidate planes of a frame: lattices, then quads, then the whole frame.

    They are worked out one by one, cheap and likely ones first: stop at the first that is read.
    `outlined` are the frame's `outlines`, if they are known.
    """
    work, frame_from_work = _working_picture(image)
    if not _is_large(work):
        return
    in_frame = outlines(image) if outlined is None else outlined
    work_from_frame = np.asarray(np.linalg.inv(frame_from_work))
    fits = lattices(work, [quad.seen_through(work_from_frame) for quad in in_frame])
    for fit in islice(fits, LATTICES):
        at = placed(work, fit)
        yield _of_lattice(frame_from_work, at)
        again = refined(work, at)
        if np.abs(at.corners_in(again) - at.box.corners).max() > ANOTHER_PLACE:
            yield replace(_of_lattice(frame_from_work, again), is_again=True)
    yield from map(_of_quad, in_frame)
    yield whole(image, QUAD_PX)


def whole(image: Image, longest_px: int = WHOLE_PX) -> Candidate:
    """The plane of a frame as it is, for who finds a board from any side."""
    border = Plane(np.eye(3), (image.shape[1], image.shape[0])).corners
    return _of_quad(Quad(border, 0.0), longest_px)


def within(image: Image, plane: Plane) -> Iterator[Candidate]:
    """Candidate planes of a frame in one that was set by hand, upright as it is: itself, then with
    the lattices that fill it."""
    yield Candidate(plane, None, 1.0)
    work, frame_from_work = _working_picture(image)
    if not _is_large(work):
        return
    work_from_frame = np.asarray(np.linalg.inv(frame_from_work))
    plane_from_frame = np.asarray(np.linalg.inv(plane.frame_from_plane))
    for fit in filling(work, Quad(plane.corners, 1.0).seen_through(work_from_frame)):
        yield _of_lattice(frame_from_work, fit, plane_from_frame)


def found_again(
    image: Image, plane: Plane, lattice: Lattice, tiles: Mask, of_pieces: bool
) -> Candidate | None:
    """The cells of a lattice in a plane, followed again from those that hold `tiles` (rows, cols);
    None: they make no lattice.

    Followed from a few, before anything was read, they may lie askew; followed as pieces of tiles
    they may begin anywhere, else about where they do.
    """
    if not tiles.any():  # an empty puzzle's cells are all alike
        return None
    work, frame_from_work = _working_picture(image)
    work_from_plane = np.asarray(np.linalg.inv(frame_from_work) @ plane.frame_from_plane)
    quad = Quad(transform(work_from_plane, lattice.corners), 1.0)
    known = replace(of_cells(quad, lattice.rows, lattice.cols), support=tiles)
    fit = begun(work, known) if of_pieces else measured(work, placed(work, known))
    if fit is None:
        return None
    of_board = replace(fit, box=known.box, support=tiles)
    plane_from_frame = np.asarray(np.linalg.inv(plane.frame_from_plane))
    at = placed(work, refined(work, of_board))
    return _of_lattice(frame_from_work, at, plane_from_frame)


def _of_quad(quad: Quad, longest_px: int = QUAD_PX) -> Candidate:
    return Candidate(quad.plane(longest_px), None, quad.score)


def _working_picture(image: Image) -> tuple[Image, Homography]:
    """The picture that is searched, WORK_PX at most, and the map from it to the frame."""
    scale = max(1.0, max(image.shape[:2]) / WORK_PX)
    size = (max(1, round(image.shape[1] / scale)), max(1, round(image.shape[0] / scale)))
    work = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    half = 0.5 * (scale - 1)  # pixel centres are at integers
    return work, np.array([[scale, 0, half], [0, scale, half], [0, 0, 1]])


def _is_large(work: Image) -> bool:
    return bool(min(work.shape[:2]) >= LEAST_PX)


def _of_lattice(
    frame_from_work: Homography, fit: Fit, upright_from_frame: Homography = SAME
) -> Candidate:
    upright_from_fit = upright_from_frame @ frame_from_work @ fit.frame_from_grid
    fit_from_grid, rows, cols = _upright(upright_from_fit, fit.box)
    frame_from_grid = frame_from_work @ fit.frame_from_grid @ fit_from_grid
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
    bend = fit.bend and fit.bend.under(fit_from_grid @ grid_from_plane)
    plane = Plane(frame_from_grid @ grid_from_plane, size, bend)
    return Candidate(plane, lattice, float(fit.score))


def _upright(upright_from_fit: Homography, box: Box) -> tuple[Homography, int, int]:
    """fit_from_grid, rows and columns: the box at the grid's origin, turned by quarters until its
    rows run most nearly rightward in the picture that is upright."""
    rows, cols = box.rows, box.cols
    turned = np.array([[1, 0, box.x], [0, 1, box.y], [0, 0, 1.0]])
    best = (-np.inf, turned, rows, cols)
    for _ in range(4):
        ends = np.array([[0, rows / 2], [cols, rows / 2]])
        left, right = transform(upright_from_fit @ turned, ends)
        along = (right - left) / np.hypot(*(right - left))
        best = max(best, (float(along[0]), turned, rows, cols), key=lambda b: b[0])
        # New x runs up the old y: the old top-left corner becomes the new top-right one.
        turned = turned @ np.array([[0, 1, 0], [-1, 0, rows], [0, 0, 1.0]])
        rows, cols = cols, rows
    return best[1], best[2], best[3]
