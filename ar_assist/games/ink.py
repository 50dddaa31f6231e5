"""Printed signs: ink out of a picture, glyphs out of ink, and small networks that name them.

Ink is a float picture, 0 background to 1 full ink, whatever the theme. A network has one hidden
layer and was trained on signs rendered in many fonts (ink_training.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Ink = NDArray[np.float32]  # (H, W) 0 to 1

PATCH = 20  # px: side of the square that a glyph is scaled into
INK_THRESHOLD = 0.45  # of full ink: half, less a little for strokes thinner than the blur
FAINT_INK = 0.3  # …and what it joins: hairlines hold a sign's stems together
MIN_CONTRAST = 14.0  # grey levels between ink and paper, below which all is noise


@dataclass(frozen=True)
class Glyph:
    """A connected piece of ink: its box in px of the ink picture (x0, y0 inclusive; x1, y1 not)."""

    x0: int
    y0: int
    x1: int
    y1: int
    is_struck: bool = False  # a part of what a line joins

    @property
    def width(self) -> int:
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    @property
    def side(self) -> int:
        """The longer one."""
        return max(self.width, self.height)

    @property
    def centre(self) -> tuple[float, float]:
        """x, y, pixel centres at integers."""
        return (self.x0 + self.x1 - 1) / 2, (self.y0 + self.y1 - 1) / 2


def depth_of(grey: NDArray[np.uint8], stroke_px: float, dark: bool) -> NDArray[np.float32]:
    """Grey levels between every pixel and the paper around it; strokes up to twice stroke_px."""
    paper_side = 2 * round(stroke_px) + 1
    kernel = np.ones((paper_side, paper_side), np.uint8)
    hat = cv2.MORPH_BLACKHAT if dark else cv2.MORPH_TOPHAT
    return np.asarray(cv2.morphologyEx(grey, hat, kernel), np.float32)


def ink_of(depth: NDArray[np.float32], reach_px: float, least: float = MIN_CONTRAST) -> Ink:
    """Depth scaled by the darkest ink within reach, as far as the light is alike.

    `least`: the depth below which even the darkest is none.
    """
    side = 2 * round(reach_px) + 1
    full = cv2.dilate(cv2.GaussianBlur(depth, (3, 3), 0), np.ones((side, side), np.uint8))
    full = np.maximum(cv2.blur(full, (side, side)), least)
    return np.asarray(np.clip(depth / full, 0, 1), np.float32)


def glyphs_of(ink: Ink, deep: float = INK_THRESHOLD) -> list[Glyph]:
    """The connected pieces of faint ink that hold deep ink (hysteresis, as in Canny 1986)."""
    _, is_glyph, stats = pieces_of(ink, deep)
    boxes = stats[is_glyph, :4].tolist()
    return [Glyph(x, y, x + w, y + h) for x, y, w, h in boxes]


def without_glyphs(
    depth: NDArray[np.float32], ink: Ink, deep: float = INK_THRESHOLD
) -> NDArray[np.float32]:
    """What is left of the depth that the ink was made of, without the glyphs and their blur."""
    labels, is_glyph, _ = pieces_of(ink, deep)
    blurred = cv2.dilate(is_glyph[labels].astype(np.uint8), np.ones((5, 5), np.uint8))
    return np.asarray(np.where(blurred, 0, depth), np.float32)


def pieces_of(
    ink: Ink, deep: float = INK_THRESHOLD
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32]]:
    """(H, W) numbers of the pieces of faint ink; which hold deep ink; (N, 5) boxes and areas."""
    faint = (ink > FAINT_INK).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(faint, connectivity=8)
    is_glyph = np.zeros(count, bool)
    is_glyph[labels[ink > deep]] = True
    return np.asarray(labels, np.int32), is_glyph, np.asarray(stats, np.int32)


def patch_of(ink: Ink, glyph: Glyph) -> Ink:
    """The glyph scaled into the middle of a PATCH square, aspect kept, full ink 1."""
    cut = ink[glyph.y0 : glyph.y1, glyph.x0 : glyph.x1]
    scale = PATCH / max(cut.shape)
    width, height = (max(1, round(side * scale)) for side in (glyph.width, glyph.height))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(cut, (width, height), interpolation=way)
    patch = np.zeros((PATCH, PATCH), np.float32)
    top, left = (PATCH - height) // 2, (PATCH - width) // 2
    patch[top : top + height, left : left + width] = scaled
    return patch / max(float(patch.max()), 0.1)


def classify(model: Path, patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, classes) the chance of every class for (N, PATCH, PATCH) patches."""
    weights = _weights(model)
    x = patches.reshape(-1, PATCH * PATCH)
    hidden = np.maximum(x @ weights["w1"] + weights["b1"], 0)
    logits = hidden @ weights["w2"] + weights["b2"]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


@cache
def _weights(model: Path) -> dict[str, NDArray[Any]]:
    with np.load(model) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
