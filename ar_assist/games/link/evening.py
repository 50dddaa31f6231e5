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
from ar_assist.games.tiles import CELL, NOISE, Array, face

BLOCK = 4  # cell px: the ground is sought in the mean colours of such blocks
REACH = 2.5  # blocks, sigma: a ground changes more slowly
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


def even_ground(cells: Array) -> Array:
    """(R, C, CELL, CELL, 3) cells, an uneven ground made of one colour if it runs on between tiles.

    It is the smooth surface through the blocks along borders (normalised convolution, Knutsson and
    Westin 1993). The outer cells lie around the board: they don't say whether it runs on, nor
    whether it is uneven: where the faces of tiles touch, the ground around has another colour.
    """
    rows, cols = cells.shape[:2]
    mosaic = cells.swapaxes(1, 2).reshape(rows * CELL, cols * CELL, 3)
    side = CELL // BLOCK
    blocks = cv2.resize(mosaic, (cols * side, rows * side), interpolation=cv2.INTER_AREA)
    edge = np.isin(np.arange(side), (0, side - 1))
    border = np.tile(edge[:, None] | edge, (rows, cols)).astype(np.float32)
    weight = border
    for _ in range(FITS):
        ground = _blurred(blocks * weight[..., None]) / (_blurred(weight)[..., None] + 1e-6)
        off = np.linalg.norm(blocks - ground, axis=-1)
        weight = border / (1 + (off / STICKS_OUT) ** 2)
    inner = slice(side, -side)
    usual = np.median(ground[inner, inner].reshape(-1, 3), axis=0).astype(np.float32)
    along = border[inner, inner] > 0
    on_ground, of_one_colour = (
        (apart[inner, inner][along] < STICKS_OUT).mean()
        for apart in (off, np.linalg.norm(blocks - usual, axis=-1))
    )
    is_even = of_one_colour > EVEN * on_ground
    if is_even or on_ground <= RUNS_ON or _changes_with_tiles(ground, cells):
        return cells
    ground = cv2.resize(ground, mosaic.shape[1::-1])
    off = cv2.GaussianBlur(np.linalg.norm(mosaic - ground, axis=-1), (0, 0), 0.7)
    inside = cv2.GaussianBlur(cv2.dilate(off, np.ones((EDGE, EDGE))), (0, 0), EDGE_BLUR)
    share = np.minimum(off / (inside + 1e-3), 1)[..., None]
    drawn = mosaic - ground - share * (usual - ground)
    tile = off**2 / (off**2 + ON_GROUND**2)
    even = usual + tile[..., None] * drawn
    evened: Array = even.reshape(rows, CELL, cols, CELL, 3).swapaxes(1, 2).astype(np.float32)
    return evened


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
