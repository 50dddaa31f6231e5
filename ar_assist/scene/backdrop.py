"""What lies behind a board on a screen: plain colour, a slope, squares, a soft picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.random import Generator
from PIL import Image as Pil

from ar_assist.scene.glyphs import EMOJI, Colour, hues
from ar_assist.scene.icons import SETS
from ar_assist.types import Image, Points

Layout = Literal["window", "full", "phone"]
Ground = Literal["flat", "gradient", "picture", "panel", "checks"]

CHECK_PX = 30  # side of a square of the checked ground


@dataclass(frozen=True)
class Backdrop:
    """Where a game is shown, and on what."""

    layout: Layout
    ground: Ground
    colour: Colour  # the ground's

    @property
    def ink(self) -> Colour:
        """A colour that can be read on it."""
        return (255, 255, 255) if sum(self.colour) < 400 else (30, 30, 30)


@dataclass(frozen=True)
class Box:
    """A rectangle of whole px."""

    x: int
    y: int
    width: int
    height: int

    @property
    def corners(self) -> Points:
        """(4, 2) px of its outer border: top left, then clockwise."""
        right, bottom = self.x + self.width, self.y + self.height
        outer = [[self.x, self.y], [right, self.y], [right, bottom], [self.x, bottom]]
        return np.array(outer, np.float32) - 0.5


def ground(backdrop: Backdrop, size_wh: tuple[int, int], rng: Generator) -> Image:
    """What lies behind the board, over the game's whole area (BGR)."""
    width, height = size_wh
    base = np.array(backdrop.colour[::-1], np.float32)
    if backdrop.ground == "gradient":
        slope = np.linspace(1.25, 0.75, height, dtype=np.float32)[:, None, None]
        return np.broadcast_to(base * slope, (height, width, 3)).clip(0, 255).astype(np.uint8)
    if backdrop.ground == "checks":
        rows, columns = np.mgrid[:height, :width] // CHECK_PX
        shade = np.where((rows + columns) % 2, 1.0, 0.94)[..., None]
        return (base * shade).astype(np.uint8)
    if backdrop.ground in ("picture", "panel"):
        return wallpaper(size_wh, backdrop.colour, rng)
    return np.full((height, width, 3), base, np.uint8)


def wallpaper(size_wh: tuple[int, int], colour: Colour, rng: Generator) -> Image:
    """A soft picture such as games show behind the board: hills, lights and large emoji."""
    width, height = size_wh
    small = np.zeros((max(2, height // 8), max(2, width // 8), 3), np.float32)
    h, w = small.shape[:2]
    small[:] = np.array(colour[::-1]) * np.linspace(1.5, 0.7, h)[:, None, None]
    for tint in hues(18, rng, 0.6, 0.9):
        centre = int(rng.uniform(0, w)), int(rng.uniform(0, h))
        spot = np.zeros((h, w), np.float32)
        cv2.circle(spot, centre, int(rng.uniform(0.03, 0.25) * w), float(rng.uniform(0.1, 0.5)), -1)
        soft = np.asarray(cv2.GaussianBlur(spot, (0, 0), float(rng.uniform(1, 0.05 * w + 1))))[
            ..., None
        ]
        small = small * (1 - soft) + soft * np.array(tint[::-1], np.float32)
    picture = cv2.resize(small, size_wh, interpolation=cv2.INTER_CUBIC).clip(0, 255)
    scenery = Pil.fromarray(picture.astype(np.uint8)[..., ::-1]).convert("RGBA")
    for icon in SETS[str(rng.choice(list(EMOJI)))](7, rng):
        size = int(min(width, height) * rng.uniform(0.1, 0.3))
        at = [rng.uniform(-0.1, 0.95) * width, rng.uniform(-0.1, 0.95) * height]
        side = int(rng.integers(2))  # near one border, clear of the board's middle
        at[side] = rng.choice([-0.4 * size, size_wh[side] - 0.6 * size])
        part = icon.resize((size, size)).rotate(rng.uniform(-25, 25))
        scenery.paste(part, (int(at[0]), int(at[1])), part)
    return np.ascontiguousarray(np.array(scenery)[..., 2::-1])


def lay(picture: Image, tile: Image, at: tuple[int, int], alpha: float = 1.0) -> None:
    """Put a BGRA tile over a BGR or BGRA picture, in place; `at` is its top left corner, px."""
    left, top = max(at[0], 0), max(at[1], 0)
    tile = tile[top - at[1] :, left - at[0] :]
    part = picture[top : top + tile.shape[0], left : left + tile.shape[1]]
    tile = tile[: part.shape[0], : part.shape[1]]  # what lies beyond the picture is not seen
    cover = tile[..., 3:] * np.float32(alpha / 255)
    part[..., :3] = part[..., :3] + cover * (tile[..., :3].astype(np.float32) - part[..., :3])
    if picture.shape[2] == 4:
        part[..., 3:] = np.maximum(part[..., 3:], tile[..., 3:] * np.float32(alpha))
