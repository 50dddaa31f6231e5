"""Where the camera gives no more: what may lie under a lamp's reflection or in too much light.

Cells are those of a lattice with its rim as the picture has them, (R, C, CELL, CELL, 3).
"""

from __future__ import annotations

import cv2
import numpy as np
from scipy import ndimage

from ar_assist.games import tiles
from ar_assist.games.link.colours import SAME, Mask
from ar_assist.games.tiles import CELL, LUMINANCE, NOISE, Array
from ar_assist.srgb import CLIPPED

SPOT = 5  # cell px: wider than a sharpened edge is, and narrower than the least lamp that hides


def ceiling(cells: Array) -> Array:
    """(3,) the brightest that a spot of (R, C, CELL, CELL, 3) cells is: where a lamp is mirrored,
    all that the camera gives. Sharpened edges may be brighter, and white balance takes of it."""
    brightest: Array = cv2.blur(tiles.mosaic(cells), (SPOT, SPOT)).max((0, 1))
    return brightest


def overexposed(cells: Array, evened: Array, bare: Mask, doubt: Mask) -> Mask:
    """(N,) which of the `bare` (R, C, CELL, CELL, 3) cells may show a white tile, or what a lamp
    hides: those as bright as can be, where others differ in colour by more than light makes, or are
    darker in even light (the `evened` cells), or are in `doubt` since the same lamp reaches them.

    A ground of which the light takes a part to white is no brighter there than elsewhere when its
    light is evened.
    """
    some = bare | doubt
    grey, colour = tiles.opponent(tiles.face(cells.reshape(-1, CELL, CELL, 3)[some]))
    share, light = np.zeros((2, len(some)), np.float32)
    share[some] = _clipped(grey)
    light[some] = tiles.level(tiles.face(evened.reshape(-1, CELL, CELL, 3)[some])) @ LUMINANCE
    clipped = bare & (share > 0.5)
    others = bare & ~clipped
    if not clipped.any() or not others.any():
        return np.zeros_like(bare)
    is_picture = np.ptp(tiles.level(colour[others[some]]), axis=0).max() > SAME
    is_lamp = light > np.median(light[others]) + NOISE
    if clipped.sum() < others.sum():  # else the ground itself is as bright
        is_lamp |= _reached(clipped, doubt & (share > (SPOT / CELL) ** 2), cells.shape[:2])
    hidden: Mask = clipped & (is_picture | is_lamp)
    return hidden


def are_white(cells: Array) -> Mask:
    """(R, C) which of (R, C, CELL, CELL, 3) cells are mostly as bright as can be: what else is so
    bright does not show on them."""
    grey, _ = tiles.opponent(tiles.face(cells.reshape(-1, CELL, CELL, 3)))
    white: Mask = (_clipped(grey) > 0.5).reshape(cells.shape[:2])
    return white


def _clipped(grey: Array) -> Array:
    """(N,) shares of (N, H, W) pictures that are as bright as can be."""
    share: Array = (grey >= CLIPPED).mean((1, 2))
    return share


def _reached(cells: Mask, start: Mask, grid: tuple[int, ...]) -> Mask:
    """(N,) which `cells` of a grid lie side by side up to some of the `start`."""
    patches, _ = ndimage.label((cells | start).reshape(grid))
    reached: Mask = cells & np.isin(patches.ravel(), patches.ravel()[start])
    return reached
