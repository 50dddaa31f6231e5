"""Put what tiles show on one even ground.

Sprites stand on the ground itself. Where the ground is a picture, equal sprites look unlike for
what shows around them; and so do equal tiles whose faces alternate between two tones.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ar_assist.games.link.ground import contrasts
from ar_assist.games.tiles import CELL, NOISE, Array, face, from_mosaic, mosaic

BLOCK = 4  # cell px: the ground is sought in the mean colours of such blocks
SIDE = CELL // BLOCK  # of a cell, in blocks
REACH = 1.5  # blocks, sigma: a ground changes more slowly
FITS = 4  # of the ground, each without what stuck out of the last
STICKS_OUT = 2 * NOISE  # grey levels off the ground at which a block of it counts half
RUNS_ON = 0.6  # of the blocks along borders lie on the ground: it runs on between tiles
EVEN = 0.9  # of these are of one colour: no picture, but faces that touch, or a plain ground
STEP = 2.0  # times what a ground changes between other cells: more, where tiles begin, is frames
ON_GROUND = 3 * NOISE  # grey levels off the ground at which a px is half ground, half tile
EDGE = 5  # cell px: where a drawing ends, as near it is as far off the ground as within
CORNER = 3, 8  # cell px from two borders: within a frame, and most drawings leave it free
EDGE_BLUR = 1.0  # cell px, sigma: what antialiasing and a camera make of the edge of a drawing
MOST = 0.8  # of the faces of a tone …
SCATTER = 0.3  # … are off it by less of the step to the other tone


def even_ground(cells: Array, as_seen: Array | None = None) -> Array:
    """(R, C, CELL, CELL, 3) cells, an uneven ground made of one colour if it runs on between tiles.

    Whether it does is asked of cells in even light; what is evened is `as_seen`, for equal tiles
    before a picture differ by that, and their light can't be told. The outer cells lie around the
    board: they don't say whether it runs on, nor whether it is uneven: where the faces of tiles
    touch, the ground around has another colour.
    """
    blocks, ground, border = _smooth_ground(cells)
    usual = _usual(ground)
    inner = slice(SIDE, -SIDE)
    along = border[inner, inner] > 0
    on_ground, of_one_colour = (
        (np.linalg.norm(blocks - some, axis=-1)[inner, inner][along] < STICKS_OUT).mean()
        for some in (ground, usual)
    )
    is_even = of_one_colour > EVEN * on_ground
    if is_even or on_ground <= RUNS_ON or _changes_with_tiles(ground, cells):
        return cells
    if as_seen is not None:
        cells, ground = as_seen, _smooth_ground(as_seen)[1]
    return from_mosaic(_on_one_ground(mosaic(cells), ground, _usual(ground))).copy()


def _smooth_ground(cells: Array) -> tuple[Array, Array, Array]:
    """(R * SIDE, C * SIDE, 3) the mean colours of blocks, and the smooth surface through those
    along borders (normalised convolution, Knutsson and Westin 1993); which blocks these are."""
    rows, cols = cells.shape[:2]
    size = (cols * SIDE, rows * SIDE)
    blocks = np.asarray(cv2.resize(mosaic(cells), size, interpolation=cv2.INTER_AREA), np.float32)
    edge = np.isin(np.arange(SIDE), (0, SIDE - 1))
    border = np.tile(edge[:, None] | edge, (rows, cols)).astype(np.float32)
    weight = border
    for _ in range(FITS):
        ground = _blurred(blocks * weight[..., None]) / (_blurred(weight)[..., None] + 1e-6)
        off = np.linalg.norm(blocks - ground, axis=-1)
        weight = border / (1 + (off / STICKS_OUT) ** 2)
    return blocks, ground, border


def _usual(ground: Array) -> Array:
    """(3,) the colour of the ground of the board."""
    inner = ground[SIDE:-SIDE, SIDE:-SIDE].reshape(-1, 3)
    return np.asarray(np.median(inner, axis=0), np.float32)


def _on_one_ground(picture: Array, ground: Array, usual: Array) -> Array:
    """The picture (H, W, 3) of all cells as if they stood on a ground of one `usual` colour (3,).

    What a px shows of a drawing is its alpha (matting with a known ground, Porter and Duff 1984):
    along an edge how far it is off the ground, as a share of what those around are; one within a
    drawing, where none near is ground; and none of the noise of the ground.
    """
    ground = np.asarray(cv2.resize(ground, picture.shape[1::-1]), np.float32)
    off = np.asarray(
        cv2.GaussianBlur(np.linalg.norm(picture - ground, axis=-1), (0, 0), 0.7), np.float32
    )
    near = np.ones((EDGE, EDGE))
    least = np.asarray(cv2.erode(off, near), np.float32)
    most = np.asarray(cv2.GaussianBlur(cv2.dilate(off, near), (0, 0), EDGE_BLUR), np.float32)
    along_edges = np.minimum(off / (most + 1e-3), 1) * _is_drawn(most)
    alpha = np.maximum(along_edges, _is_drawn(least))[..., None]
    drawn = picture - ground - alpha * (usual - ground)
    return np.asarray(usual + _is_drawn(off)[..., None] * drawn, np.float32)


def _is_drawn(off: Array) -> Array:
    """(H, W) 0 to 1: how likely px are no ground, by how many grey levels they are off it."""
    return np.asarray(off**2 / (off**2 + ON_GROUND**2), np.float32)


def even_faces(cells: Array) -> Array:
    """(R, C, CELL, CELL, 3) cells, faces that alternate between two tones made of one.

    Chequered or in stripes. The outer cells lie around the board: they are left as they are.
    """
    inner = cells[1:-1, 1:-1]
    near = np.minimum(np.arange(CELL), np.arange(CELL)[::-1])
    near_border = (near >= CORNER[0]) & (near < CORNER[1])
    level = np.median(inner[:, :, near_border[:, None] & near_border], axis=2)
    row, col = np.indices(level.shape[:2])
    for second in ((row + col) % 2 == 1, row % 2 == 1, col % 2 == 1):
        tones = _two_tones(level, second)
        if tones is not None and all(_show_pictures(inner[part]) for part in (~second, second)):
            return _on_one_tone(cells, tones[second.astype(int)], tones.mean(0))
    return cells


def _on_one_tone(cells: Array, tones: Array, one: Array) -> Array:
    """The cells, those of the board changed from their tones (rows, cols, 3) to one (3,)."""
    inner, tones = cells[1:-1, 1:-1], tones[:, :, None, None]
    off = np.linalg.norm(inner - tones, axis=-1)
    ground = ON_GROUND**2 / (off**2 + ON_GROUND**2)
    along_edges = ndimage.gaussian_filter(ground, EDGE_BLUR, axes=(2, 3))  # half ground
    evened = cells.copy()
    evened[1:-1, 1:-1] += np.maximum(ground, along_edges)[..., None] * (one - tones)
    return evened


def _show_pictures(cells: Array) -> bool:
    """Whether most of (N, CELL, CELL, 3) cells show something: they are no ground between tiles."""
    return bool(np.median(contrasts(face(cells))) > 2 * NOISE)


def _two_tones(level: Array, second: NDArray[np.bool_]) -> Array | None:
    """(2, 3) tones of the faces (R, C, 3) that are not `second` and that are, if they have two."""
    if second.all() or not second.any():
        return None
    faces = level[~second], level[second]
    tones = np.stack([np.median(some, axis=0) for some in faces])
    step = float(np.linalg.norm(tones[1] - tones[0]))
    scatter = [
        float(np.quantile(np.linalg.norm(some - tone, axis=-1), MOST))
        for some, tone in zip(faces, tones, strict=True)
    ]
    return tones if step > NOISE and max(scatter) < SCATTER * step else None


def _changes_with_tiles(ground: Array, cells: Array) -> bool:
    """Whether a ground steps where tiles begin: then it is the frames that touch each other."""
    rows, cols = cells.shape[:2]
    level = cv2.resize(ground, (cols, rows), interpolation=cv2.INTER_AREA)
    shown = contrasts(face(cells.reshape(-1, CELL, CELL, 3))).reshape(rows, cols)
    busy = shown > np.quantile(shown[1:-1, 1:-1], 0.75) / 2
    steps, starts = [], []
    for one, other in (np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:]):
        steps.append(np.linalg.norm(level[one] - level[other], axis=-1).ravel())
        starts.append((busy[one] != busy[other]).ravel())
    step, start = np.concatenate(steps), np.concatenate(starts)
    if start.all() or not start.any():
        return False
    return bool(np.median(step[start]) > STEP * np.median(step[~start]) + NOISE)


def _blurred(picture: Array) -> Array:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), REACH), np.float32)
