"""Marks of the board, drawn in its perspective.

Every mark is a set of polygons in the unit square of its cell (a frame may go round a line of
cells), mapped by a homography into the frame. Each is painted twice: a dark halo, then the colour,
so that it stands out on any background. Kinds differ by shape and not only by colour; the colours
are those of Okabe and Ito (Color Universal Design, 2008), which colour-blind people can tell apart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.overlay.lettering import put_text
from ar_assist.types import Homography, Image, Lattice, Mark, Plane, Points, homography, transform

Colour = tuple[int, int, int]  # BGR
Contours = list[NDArray[np.float64]]  # closed, (N, 2) each; filled by the even-odd rule

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
YELLOW, ORANGE, VERMILLION = (66, 228, 240), (0, 159, 230), (0, 94, 213)
SKY, PURPLE = (233, 180, 86), (167, 121, 204)
ROLE_COLOURS: dict[str, Colour] = {"black": BLACK, "white": WHITE, "selected": SKY, "best": YELLOW}
KIND_COLOURS: dict[str, Colour] = {
    "frame": YELLOW,
    "path": YELLOW,
    "ring": SKY,
    "dot": SKY,
    "fill": SKY,
    "cross": ORANGE,
    "flip": PURPLE,
    "error": VERMILLION,
}

STROKE = 0.085  # width of a line in cells: bold, and yet the tile's picture shows
STROKE_MIN_PX = 2.5  # frame px: thinner lines vanish in video compression
STROKE_MAX = 0.3  # of a cell, however small it is
ON_TILE_MAX = 0.09  # …of frames and paths, which lie on tiles: more than half of a tile shows
HALO = 0.45  # of the stroke, on each side
SHIFT = 4  # fractional bits of the coordinates handed to OpenCV: 1/16 px
FAR_PX = 20_000.0  # points mapped further out than this are close to the horizon


def draw_mark(
    image: Image,
    mark: Mark,
    plane: Plane,
    cell_px: float,
    scale: float,
    text_px: int,
) -> None:
    """Draw one mark; `cell_px` is the side of a cell in plane px, `scale` of the line widths."""
    if mark.kind == "text":
        x, y = plane.to_frame(mark.points[0])
        put_text(image, mark.text, (float(x), float(y)), text_px, WHITE)
        return
    if mark.kind == "path":
        plane_from_unit = np.diag([cell_px, cell_px, 1.0])
        points = mark.points / cell_px
    else:
        quad = mark.points if len(mark.points) == 4 else _square(mark.points[0], cell_px)
        size = _cells_in(quad) if mark.kind == "frame" else np.ones(2)
        points = (size / 2)[None]
        plane_from_unit = homography(np.asarray(_UNIT * size, np.float32), quad)
    units = plane.seen_as(plane_from_unit, (1, 1))
    wanted = min(STROKE_MAX, _stroke(units.frame_from_plane, points.mean(axis=0), scale))
    stroke = min(wanted, ON_TILE_MAX) if mark.kind in ("frame", "path") else wanted
    halo = stroke * (1 + 2 * HALO)
    layers = [
        (colour, contours)
        for width, colour in ((halo, _halo_colour(mark)), (stroke, _colour(mark)))
        for contours in _polygons(mark, points, width, width - stroke, wanted - stroke)
    ]
    _fill(image, units, layers)


_UNIT = Lattice((0, 0), (1, 1), 1, 1).corners


def _cells_in(quad: Points) -> NDArray[np.float64]:
    """Columns and rows of a quad around one cell, or one line of cells: its narrow side is one."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    across_down = (sides[:2] + sides[2:]).astype(np.float64)
    return np.asarray(np.round(across_down / across_down.min()))


def _square(centre: Points, side: float) -> Points:
    return np.asarray(centre + (_UNIT - 0.5) * side, np.float32)


def _stroke(frame_from_unit: Homography, at: NDArray[np.float64], scale: float) -> float:
    """Width of a line in cells: STROKE, or what gives STROKE_MIN_PX in the frame."""
    here, right, below = transform(frame_from_unit, at + np.array([[0, 0], [0.1, 0], [0, 0.1]]))
    (a, b), (c, d) = right - here, below - here
    cell_px = 10 * math.sqrt(abs(float(a * d - b * c)))
    return scale * max(STROKE, STROKE_MIN_PX / max(cell_px, 1e-6))


def _colour(mark: Mark) -> Colour:
    return ROLE_COLOURS.get(mark.role, KIND_COLOURS[mark.kind])


def _halo_colour(mark: Mark) -> Colour:
    return WHITE if _colour(mark) == BLACK else BLACK


def _polygons(
    mark: Mark, points: Points, width: float, grow: float, beyond: float
) -> Iterator[Contours]:
    """The mark's outlines in cells with lines of `width`, `grow` of it being halo.

    A frame is wider by `beyond`, away from its tile.
    """
    if mark.kind == "path":
        yield from _polyline(points.astype(float), width, grow)
    elif mark.kind == "frame":
        middle = points[0].astype(float)
        offs = (middle + width / 2 + beyond, middle - width / 2)
        yield [middle + _BOX * np.maximum(off, 0) for off in offs]
    else:
        yield _SHAPES[mark.kind](width, grow / 2)
        if mark.role == "best":  # told from the others by shape: a dot in the middle
            yield [_circle(0.13 + grow / 2)]


def _polyline(points: NDArray[np.float64], width: float, grow: float) -> Iterator[Contours]:
    """A line with round joins and, to show its ends, discs twice as wide as itself."""
    for start, end in itertools.pairwise(points):
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        side = np.array([-along[1], along[0]]) * width / 2
        yield [np.array([start + side, end + side, end - side, start - side])]
    for corner in points[1:-1]:
        yield [_circle(width / 2, corner)]
    for end in (points[0], points[-1]):
        yield [_circle(width - grow / 2, end)]


def _circle(radius: float, centre: NDArray[np.float64] | float = 0.5) -> NDArray[np.float64]:
    return centre + radius * _ROUND


_ANGLES = np.linspace(0, 2 * np.pi, 28, endpoint=False)
_ROUND = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=-1)
_DIAMOND = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]], np.float64)
_BOX = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
_TRIANGLE = np.array([[0, -1], [0.87, 0.5], [-0.87, 0.5]], np.float64)


def _outline(shape: NDArray[np.float64], radius: float) -> Callable[[float, float], Contours]:
    """A closed line around the cell's centre."""

    def contours(width: float, _grow: float) -> Contours:
        return [0.5 + (radius + width / 2) * shape, 0.5 + max(0, radius - width / 2) * shape]

    return contours


def _solid(shape: NDArray[np.float64], radius: float) -> Callable[[float, float], Contours]:
    def contours(_width: float, grow: float) -> Contours:
        return [0.5 + (radius + grow) * shape]

    return contours


def _cross(width: float, grow: float) -> Contours:
    """An X; as two bars would paint their overlap out, it is one polygon of twelve corners."""
    r, w = 0.36 + grow, width / 2
    plus = [[w, w], [r, w], [r, -w], [w, -w], [w, -r], [-w, -r], [-w, -w], [-r, -w]]
    plus += [[-r, w], [-w, w], [-w, r], [w, r]]
    turn = np.array([[1, -1], [1, 1]]) / math.sqrt(2)
    return [0.5 + np.array(plus) @ turn.T]


def _warning(width: float, grow: float) -> Contours:
    """A triangle with a bar in it."""
    bar = np.array([0.5, 0.47]) + _BOX * [width / 2.4, 0.13 + grow / 2]
    return [*_outline(_TRIANGLE, 0.42)(width, grow), bar]


_SHAPES: dict[str, Callable[[float, float], Contours]] = {
    "ring": _outline(_ROUND, 0.36),
    "dot": _solid(_ROUND, 0.16),
    "fill": _solid(_BOX, 0.28),
    "cross": _cross,
    "flip": _outline(_DIAMOND, 0.26),
    "error": _warning,
}


def _fill(image: Image, units: Plane, layers: list[tuple[Colour, Contours]]) -> None:
    """Paint polygons one over the other; nothing if one of them comes near the horizon.

    `units` is the plane in the polygons' units.
    """
    outlines = [outline for _, contours in layers for outline in contours]
    if units.bend:
        outlines = [_dense(outline) for outline in outlines]
    points = np.concatenate(outlines)
    depth = points @ units.frame_from_plane[2, :2] + units.frame_from_plane[2, 2]
    if depth.min() * depth.max() <= 0:  # some are behind the camera
        return
    corners = units.to_frame(points.astype(np.float32))  # at once: a call costs more than a point
    if np.abs(corners).max() > FAR_PX:
        return
    fixed = np.rint(corners * (1 << SHIFT)).astype(np.int32)
    ends = np.cumsum([len(outline) for outline in outlines])
    pieces = iter([fixed[end - len(o) : end] for o, end in zip(outlines, ends, strict=True)])
    for colour, contours in layers:
        cv2.fillPoly(image, [next(pieces) for _ in contours], colour, cv2.LINE_AA, SHIFT)


def _dense(outline: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same outline with a point on each side at every unit, so that it can follow a bend."""
    along = np.roll(outline, -1, axis=0) - outline
    parts = 1 + np.hypot(*along.T).astype(int)  # of each side
    side = np.repeat(np.arange(len(outline)), parts)
    part = np.arange(len(side)) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.asarray(outline[side] + along[side] * (part / parts[side])[:, None])


def draw_corners(image: Image, corners: Points, line_px: float) -> None:
    """The board's corners as set by hand so far: a ring at each, lines between."""
    closed = corners if len(corners) < 4 else np.concatenate([corners, corners[:1]])
    layers = [
        (colour, contours)
        for colour, width in ((BLACK, 2 * line_px), (SKY, line_px))
        for contours in _polyline(closed.astype(float), width, width - line_px)
    ]
    _fill(image, Plane(np.eye(3), (image.shape[1], image.shape[0])), layers)
