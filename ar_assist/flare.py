"""Take off the light that a screen mirrors: a window or a lamp lies over several cells of a board.

Such light is added to what the screen shows. Drawings are narrower than a cell, and nearly all have
something dark in them or around: what stays when all that is narrower is taken off the darkest
channel is that light, with its edges, over the screen's own black (the dark channel of He, Sun and
Tang 2009, by a morphological opening in place of their local minimum, which has no edges).
"""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.srgb import CLIPPED, to_light
from ar_assist.types import Image, Lattice

BLACK = 5  # percentile of the dark channel over the board: the screen's own black
NOISE_BLUR = 1.0  # px, sigma: a minimum takes noise for dark
EDGE_BLUR = 0.12  # of a cell, sigma: a pane's edge is out of focus
STEPS = 4095  # of linear light, told apart when it becomes grey levels again


def without_flare(picture: Image, lattice: Lattice) -> Image:
    """The rectified picture without the light that lies over cells of the lattice. What the camera
    clips stays as it is, for nothing is known of it; so does all where the lattice is not in it."""
    light = _LINEAR[picture]
    dark = cv2.GaussianBlur(light.min(2), (0, 0), NOISE_BLUR)
    cell = [round(pitch) | 1 for pitch in lattice.pitch_xy]
    broad = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones(cell[::-1], np.uint8))
    broad = cv2.GaussianBlur(broad, (0, 0), EDGE_BLUR * min(cell))
    (left, top), (right, bottom) = lattice.corners[[0, 2]].round().astype(int).clip(0).tolist()
    board = broad[top:bottom, left:right]
    if not board.size:
        return picture
    black = np.percentile(board, BLACK)
    left_over = light - np.maximum(broad - black, 0)[..., None]
    shown = _GREY[(left_over.clip(0) * STEPS).round().astype(int)]
    return np.where((picture >= CLIPPED).any(2, keepdims=True), picture, shown)


_LINEAR = to_light()
_GREY = np.interp(np.arange(STEPS + 1) / STEPS, _LINEAR, np.arange(256)).round().astype(np.uint8)
