"""Where a lens bends a picture: costly to tell, so told once for all pictures through it."""

from __future__ import annotations

from functools import cache

import numpy as np

from ar_assist.types import Points
from calibration import Camera


@cache
def straight_px(camera: Camera) -> Points:
    """(height, width, 2) where each px of its picture lies without distortion."""
    grid = np.stack(np.meshgrid(np.arange(camera.width), np.arange(camera.height)), axis=-1)
    return camera.straighten(grid.astype(np.float32))
