"""The rectified picture of a plane."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.types import Bend, Image, Plane, Points

Box = tuple[int, int, int, int]  # px of a picture: left, top, right, bottom

Mask = NDArray[np.bool_]

COMMON_EVERY = 4  # px: enough of two pictures to tell which is brighter
BEND_PX = 16  # plane px: a lens bends a plane smoothly, so that few points tell it


def rectify(image: Image, plane: Plane, part: Box | None = None) -> Image:
    """The plane's picture, or a part of it: upright, perspective and a lens's bend removed."""
    left, top, right, bottom = part or (0, 0, *plane.size_wh)
    if plane.bend is None:
        plane_from_part = np.array([[1, 0, left], [0, 1, top], [0, 0, 1]])
        picture = cv2.warpPerspective(
            image,
            plane.frame_from_plane @ plane_from_part,
            (right - left, bottom - top),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        return np.asarray(picture, np.uint8)
    bent = _bent_px(plane.bend, plane.size_wh)[top:bottom, left:right]
    seen = cv2.perspectiveTransform(bent, plane.frame_from_plane)
    return np.asarray(cv2.remap(image, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR), np.uint8)


def completed(picture: Image, shown: Mask, other: Image) -> Image:
    """A rectified picture, where it is not `shown` (H, W) by its frame, as another one has it.

    That one is made as bright first: the mean of what both show.
    """
    common = shown[::COMMON_EVERY, ::COMMON_EVERY]
    if not common.any():
        return picture
    ours, theirs = (
        np.maximum(one[::COMMON_EVERY, ::COMMON_EVERY][common].mean(0), 1)
        for one in (picture, other)
    )
    as_bright = np.clip(other * (ours / theirs), 0, 255)
    return np.where(shown[..., None], picture, as_bright).astype(np.uint8)


def shown(image: Image, plane: Plane, part: Box | None = None) -> Mask:
    """(H, W) which px of `rectify` the picture shows; others are black."""
    return np.asarray(rectify(np.full(image.shape[:2], 255, np.uint8), plane, part) == 255)


@lru_cache(maxsize=1)  # a plane is rectified part by part
def _bent_px(bend: Bend, size_wh: tuple[int, int]) -> Points:
    """(H, W, 2) where the bend has each px of a plane."""
    return mapped(bend.bent, size_wh, BEND_PX)


def mapped(to: Callable[[Points], Points], size_wh: tuple[int, int], every: int) -> Points:
    """(H, W, 2) where a smooth map leads each px: interpolated from one in `every` to each side."""
    w, h = size_wh
    # With a block more on each side: beyond the middles of the outermost, none is interpolated.
    x, y = ((np.arange(-1, -(-side // every) + 1) + 0.5) * every - 0.5 for side in size_wh)
    some = np.stack(np.meshgrid(x, y), -1).astype(np.float32)
    coarse = to(some)
    whole = (coarse.shape[1] * every, coarse.shape[0] * every)
    everywhere = cv2.resize(coarse, whole, interpolation=cv2.INTER_LINEAR)
    return np.asarray(everywhere[every : every + h, every : every + w], np.float32)
