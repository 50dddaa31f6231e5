"""A hand that comes in to tap on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ar_assist.scene.glyphs import one_of
from ar_assist.types import Homography, Image, Points, transform

PICTURE_WH = (520, 900)  # px of the hand's picture
TIP = (119.0, 20.0)  # px, where its finger points
FINGER_PX = 62  # its finger's width …
FINGER_MM = 17.0  # … and that of a grown-up
REACH_S = 0.45  # from out of view to the screen
LINGER_S = 0.15  # on the screen after the second tap
HOVER = 0.02  # distance between hand and screen, in screen widths
SKINS = ((140, 170, 225), (105, 140, 198), (70, 95, 150), (50, 66, 105))  # B, G, R
# (from, to, width) px: pointing finger, three curled ones, thumb, palm, wrist and forearm.
LIMBS = (
    ((150, 330), (120, 45), FINGER_PX),
    ((215, 340), (225, 235), 66),
    ((280, 365), (290, 280), 64),
    ((335, 400), (345, 335), 58),
    ((130, 470), (75, 360), 60),
    ((240, 430), (250, 520), 230),
    ((255, 520), (300, 760), 175),
    ((300, 760), (300, 960), 180),
)

Tap = tuple[float, float, float]  # time s, x, y world px


@dataclass(frozen=True)
class Reach:
    """The finger tip's way over the screen."""

    keys: tuple[Tap, ...]  # at rest out of view, then to the tiles and back, in order of time
    scale: float  # world px per px of the hand's picture

    def plane_from_hand(self, time: float) -> Homography:
        """(3, 3) world px from px of the hand's picture."""
        x, y = self.tip(time)
        s = self.scale
        return np.array([[s, 0, x - s * TIP[0]], [0, s, y - s * TIP[1]], [0, 0, 1.0]])

    def tip(self, time: float) -> tuple[float, float]:
        """World px of the finger tip."""
        times, xs, ys = np.array(self.keys).T
        after = int(np.clip(np.searchsorted(times, time), 1, len(times) - 1))
        share = np.clip((time - times[after - 1]) / (times[after] - times[after - 1]), 0, 1)
        share = share * share * (3 - 2 * share)
        x, y = (v[after - 1] + share * (v[after] - v[after - 1]) for v in (xs, ys))
        return float(x), float(y)


def reach(taps: Sequence[tuple[Tap, Tap]], away: tuple[float, float], mm: float) -> Reach:
    """A hand that comes from `away` for each pair of taps; `mm` is a millimetre in world px."""
    keys: list[Tap] = [(-1.0, *away)]
    for first, second in taps:
        start = max(first[0] - REACH_S, keys[-1][0] + 0.01)
        end = second[0] + LINGER_S
        keys += [(start, *away), first, second, (end, *second[1:]), (end + REACH_S, *away)]
    keys.append((keys[-1][0] + 1.0, *away))
    return Reach(tuple(keys), FINGER_MM * mm / FINGER_PX)


@cache
def shape() -> NDArray[np.float32]:
    """(H, W) the hand's outline, 0 to 1; its last row goes on as the arm."""
    width, height = PICTURE_WH
    mask = np.zeros((height, width), np.uint8)
    for start, end, thick in LIMBS:
        cv2.line(mask, start, end, 255, thick, cv2.LINE_AA)
    return cv2.GaussianBlur(mask, (0, 0), 2.5).astype(np.float32) / np.float32(255)


def picture(rng: Generator) -> Image:
    """The hand's colours (BGR): skin, rounder where it is thick, and a nail."""
    solid = (shape() > 0.5).astype(np.uint8)
    depth = cv2.distanceTransform(solid, cv2.DIST_L2, 5)
    light = 0.55 + 0.45 * np.clip(depth / 40, 0, 1)[..., None]
    nail = np.zeros_like(solid)
    cv2.ellipse(nail, (121, 40), (15, 20), 6, 0, 360, 1, -1)
    skin = np.array(one_of(SKINS, rng)) * light + 30.0 * nail[..., None]
    creases = cv2.GaussianBlur(rng.standard_normal(solid.shape), (0, 0), 3)[..., None]
    creased: Image = (skin * (1 + 0.25 * creases)).clip(0, 255).astype(np.uint8)
    return creased


def covered(points: Points, hand_from_points: Homography) -> NDArray[np.bool_]:
    """(N,) which of (N, 2) points the hand hides."""
    at = transform(hand_from_points, points)
    width, height = PICTURE_WH
    inside = (at[:, 0] >= 0) & (at[:, 0] < width) & (at[:, 1] >= 0)
    x = np.clip(at[:, 0], 0, width - 1).astype(int)
    y = np.clip(at[:, 1], 0, height - 1).astype(int)  # below the picture the arm goes on
    hidden: NDArray[np.bool_] = inside & (shape()[y, x] > 0.5)
    return hidden
