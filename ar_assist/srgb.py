"""How sRGB values stand for light (IEC 61966-2-1), and where a camera's say nothing of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CLIPPED = 250  # grey levels: cameras give no more


def to_light() -> NDArray[np.float32]:
    """(256,) linear light, 0 to 1, of each sRGB value."""
    srgb = np.arange(256) / 255
    light = np.where(srgb < 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return light.astype(np.float32)
