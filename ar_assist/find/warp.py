"""The rectified picture of a plane."""

from __future__ import annotations

import cv2
import numpy as np

from ar_assist.types import Image, Plane


def rectify(image: Image, plane: Plane) -> Image:
    """The plane's picture, upright, perspective removed."""
    picture = cv2.warpPerspective(
        image,
        plane.frame_from_plane,
        plane.size_wh,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
    )
    return np.asarray(picture, np.uint8)
