"""How a watched screen looks to this camera: white, black, gamma, flicker, and what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Image

CLIPPED = 250.0  # grey level: a white beyond it has lost its colours
DARK = 90.0  # grey level of white: below it noise hides faint frames
FLICKER = 0.03  # of white, between frames or between bands of one: seen as stripes
MIN_CONTRAST = 40.0  # grey levels between black and white


@dataclass(frozen=True)
class Light:
    """The screen's tones in this camera's pictures."""

    white: tuple[float, float, float]  # BGR, 0 to 255
    black: tuple[float, float, float]  # BGR
    gamma: float  # exponent from shown to seen level
    flicker: float  # share of white
    advice: str  # "" when all is well


def measure(patches: Mapping[int, Sequence[Image]]) -> Light:
    """From pictures of the screen's middle that show even greys: shown level (0 to 255) → frames.

    Levels 0 and 255 must be there, with two frames or more; ValueError otherwise.
    """
    if 0 not in patches or 255 not in patches or len(patches[255]) < 2:
        raise ValueError("show black (0) and white (255), two frames each or more")
    mean = {
        level: np.mean([f.mean(axis=(0, 1)) for f in frames], axis=0)
        for level, frames in patches.items()
    }
    white, black = mean[255], mean[0]
    flicker = _flicker(patches[255])
    gamma = _gamma({level: float(m.mean()) for level, m in mean.items()})
    return Light(
        (float(white[0]), float(white[1]), float(white[2])),
        (float(black[0]), float(black[1]), float(black[2])),
        gamma,
        flicker,
        _advice(float(white.max()), float(white.mean() - black.mean()), flicker),
    )


def _flicker(frames: Sequence[Image]) -> float:
    """Spread of row means over rows and frames, less what the frames have in common."""
    rows = np.array([frame.mean(axis=(1, 2)) for frame in frames], np.float64)
    steady: NDArray[np.float64] = rows.mean(axis=0)  # vignetting and reflections stay
    return float((rows - steady).std() / max(rows.mean(), 1.0))


def _gamma(seen: Mapping[int, float]) -> float:
    """Slope of log seen over log shown, between black and white; 1 where nothing lies between."""
    span = seen[255] - seen[0]
    between = [
        (level / 255, (value - seen[0]) / span)
        for level, value in seen.items()
        if 0 < level < 255 and span > 0
    ]
    points = [(np.log(shown), np.log(value)) for shown, value in between if 0 < value < 1]
    if not points:
        return 1.0
    x, y = np.array(points).T
    return float((x * y).sum() / (x * x).sum())


def _advice(white: float, contrast: float, flicker: float) -> str:
    if white > CLIPPED:
        return "white is clipped: lower the exposure or the screen's brightness"
    if white < DARK:
        return "the screen is dark to the camera: raise the exposure or the brightness"
    if contrast < MIN_CONTRAST:
        return "black is bright: shade the screen from lamps and windows"
    if flicker > FLICKER:
        return "the screen flickers: set the exposure to a whole number of 1/50 or 1/60 s"
    return ""
