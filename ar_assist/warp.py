"""The rectified picture of a plane."""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.types import Image, Plane

BEND_PX = 16  # plane px: a lens bends a plane smoothly, so that few points tell it


def rectify(image: Image, plane: Plane) -> Image:
    """The plane's picture, upright, perspective and a lens's bend removed."""
    if plane.bend is None:
        picture = cv2.warpPerspective(
            image,
            plane.frame_from_plane,
            plane.size_wh,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        return np.asarray(picture, np.uint8)
    w, h = plane.size_wh
    x, y = ((np.arange(-(-side // BEND_PX)) + 0.5) * BEND_PX - 0.5 for side in (w, h))
    some = np.stack(np.meshgrid(x, y), -1).astype(np.float32)
    coarse = plane.bend.bent(some) - some
    whole = (coarse.shape[1] * BEND_PX, coarse.shape[0] * BEND_PX)
    bend = cv2.resize(coarse, whole, interpolation=cv2.INTER_LINEAR)[:h, :w]
    places = np.stack(np.meshgrid(np.arange(w), np.arange(h)), -1).astype(np.float32) + bend
    seen = cv2.perspectiveTransform(places, plane.frame_from_plane)
    return np.asarray(cv2.remap(image, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR), np.uint8)
