"""True-type text on pictures, rendered once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from ar_assist.types import Image

Mask = NDArray[np.uint8]  # (H, W) how much of each pixel the text covers, 0 to 255
LINE_HEIGHT = 1.35  # of the letter size
PANEL_LIGHT = 0.28  # how much of the picture shines through a panel; white text stays above 7:1


@lru_cache(maxsize=16)
def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own true-type font (Aileron, CC0), so that no font has to be found or shipped."""
    return ImageFont.load_default(size_px)


@lru_cache(maxsize=512)
def text_mask(text: str, size_px: int) -> Mask:
    """The text's coverage, one line high, read-only."""
    font = _font(size_px)
    canvas = Pillow.new("L", (_length(text, size_px), round(size_px * LINE_HEIGHT)))
    ImageDraw.Draw(canvas).text((0, size_px * (LINE_HEIGHT - 1) / 4), text, fill=255, font=font)
    mask = np.asarray(canvas, np.uint8)
    mask.flags.writeable = False
    return mask


def put_mask(image: Image, mask: Mask, xy: tuple[int, int], bgr: tuple[int, int, int]) -> None:
    """Paint a mask in a colour with its top left at xy; what lies outside is cut off."""
    x, y = max(xy[0], 0), max(xy[1], 0)
    mask = mask[y - xy[1] :, x - xy[0] :]
    part = image[y : y + mask.shape[0], x : x + mask.shape[1]]
    if part.size == 0:
        return
    cover = cv2.merge([mask[: part.shape[0], : part.shape[1]]] * 3)
    ink = np.full_like(part, bgr)
    part[:] = cv2.add(
        cv2.multiply(part, cv2.bitwise_not(cover), scale=1 / 255),
        cv2.multiply(ink, cover, scale=1 / 255),
    )


def put_text(
    image: Image, text: str, xy: tuple[float, float], size_px: int, bgr: tuple[int, int, int]
) -> None:
    """One line of text centred on xy, with a dark rim that keeps it readable anywhere."""
    mask = text_mask(text, size_px)
    left, top = round(xy[0] - mask.shape[1] / 2), round(xy[1] - mask.shape[0] / 2)
    rim = max(1, size_px // 10)
    put_mask(image, _rim(text, size_px, rim), (left - rim, top - rim), (0, 0, 0))
    put_mask(image, mask, (left, top), bgr)


@lru_cache(maxsize=512)
def _rim(text: str, size_px: int, rim: int) -> Mask:
    padded = np.pad(text_mask(text, size_px), rim)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * rim + 1, 2 * rim + 1))
    return np.asarray(cv2.dilate(padded, disc), np.uint8)


def put_panel(
    image: Image,
    lines: Sequence[Sequence[str]],
    size_px: int,
    bottom: bool = False,
    bgr: tuple[int, int, int] = (255, 255, 255),
) -> None:
    """Lines of words on a darkened strip: across the bottom, or a box in the middle.

    Every word is rendered by itself, so that a number that changes costs one word.
    """
    gap = size_px
    words = [[text_mask(word, size_px) for word in line] for line in lines]
    widths = [sum(m.shape[1] for m in line) + gap * max(0, len(line) - 1) for line in words]
    line_px = round(size_px * LINE_HEIGHT)
    h, w = image.shape[:2]
    height = panel_px(len(lines), size_px)
    width = w if bottom else max(widths, default=0) + 2 * gap
    left, top = (0, h - height) if bottom else ((w - width) // 2, (h - height) // 2)
    panel = image[max(0, top) : top + height, max(0, left) : left + width]
    cv2.convertScaleAbs(panel, dst=panel, alpha=PANEL_LIGHT)
    for i, masks in enumerate(words):
        x, y = left + gap, top + size_px // 4 + i * line_px
        for mask in masks:
            put_mask(image, mask, (x, y), bgr)
            x += mask.shape[1] + gap


def panel_px(lines: int, size_px: int) -> int:
    """Height of a panel of so many lines, px."""
    return lines * round(size_px * LINE_HEIGHT) + size_px // 2


def fit(
    rows: Sequence[Sequence[str]], size_px: int, least_px: int, room_wh: tuple[int, int]
) -> tuple[list[list[str]], int]:
    """Rows of phrases as lines for a panel of at most this size, and the size of their letters.

    Letters get smaller for want of room, but not than `least_px`.
    """
    width, height = room_wh
    while True:
        lines = [line for row in rows for line in wrap(row, size_px, width)]
        if panel_px(len(lines), size_px) <= height or size_px <= least_px:
            return lines, size_px
        size_px = max(least_px, size_px * 9 // 10)


def wrap(phrases: Sequence[str], size_px: int, width_px: int) -> list[list[str]]:
    """Break a row of phrases into as few lines as fit the width; long ones between their words."""
    lines: list[list[str]] = [[]]
    used = size_px
    parts = (_parts(phrase, size_px, width_px - 2 * size_px) for phrase in phrases)
    for part in chain.from_iterable(parts):
        needed = _length(part, size_px) + size_px
        if lines[-1] and used + needed > width_px:
            lines.append([])
            used = size_px
        lines[-1].append(part)
        used += needed
    return lines


def _parts(phrase: str, size_px: int, width_px: int) -> list[str]:
    """The phrase, or as much of it at a time as fits the width."""
    if _length(phrase, size_px) <= width_px:
        return [phrase]
    parts: list[str] = []
    for word in phrase.split():
        if parts and _length(f"{parts[-1]} {word}", size_px) <= width_px:
            parts[-1] += f" {word}"
        else:
            parts += _pieces(word, size_px, width_px)
    return parts


def _pieces(word: str, size_px: int, width_px: int) -> list[str]:
    """The word, or as many of its letters at a time as fit the width, such as of a long path."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and _length(pieces[-1] + letter, size_px) > width_px:
            pieces.append("")
        pieces[-1] += letter
    return pieces


@lru_cache(maxsize=2048)
def _length(text: str, size_px: int) -> int:
    """Width of the text's mask, px."""
    return max(1, round(_font(size_px).getlength(text)))
