"""How a watched screen looks to this camera: white, black, gamma, flicker, and what to change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Image
from calibration.greys import LEVELS, Patches

CLIPPED = 250.0  # grey level: a white beyond it has lost its colours
DARK = 90.0  # grey level of white: below it noise hides faint frames
FLICKER = 0.03  # of white, between frames or between bands of one: seen as stripes
MIN_CONTRAST = 40.0  # grey levels between black and white: what even light can hardly mend
LEAST_CONTRAST = 8.0  # grey levels: less is not told from noise
# Where black and white are put: the room below and above that video leaves too (ITU-R BT.601), for
# an automatic exposure is never just what it was when the greys were seen.
EVEN_BLACK, EVEN_WHITE = 16.0, 235.0

Tone = tuple[float, float, float]  # B, G, R, 0 to 255


@dataclass(frozen=True)
class Light:
    """The screen's tones in this camera's pictures."""

    white: Tone
    black: Tone
    gamma: float  # exponent from shown to seen level, both from black 0 to white 1
    flicker: float | None  # standard deviation as a share of white; None: not seen often enough
    frames: int  # that it was measured on
    date: str = ""

    @classmethod
    def load(cls, path: str | Path) -> Light:
        """Read a light file; OSError if it can't be read, ValueError if it is no light file."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            white, black = (_tone(data[key]) for key in ("white", "black"))
            flicker = None if data["flicker"] is None else float(data["flicker"])
            light = cls(
                white, black, float(data["gamma"]), flicker, int(data["frames"]), str(data["date"])
            )
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"not a light file ({error})") from error
        except KeyError as error:
            raise ValueError(f"not a light file ({error} is missing)") from error
        except (TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"not a light file ({error})") from error
        light._check()
        return light

    def save(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def even(self, image: Image) -> Image:
        """The picture as it were if the screen's black and white were seen as such.

        Straight between the two: undoing gamma too makes dark tones apart and bright ones alike.
        """
        return np.asarray(cv2.LUT(image, self._table), np.uint8)

    def advice(self) -> list[str]:
        """What to change before the screen is watched; nothing when all is well."""
        white, contrast = np.max(self.white), np.mean(self.white) - np.mean(self.black)
        said = []
        if white > CLIPPED:
            said.append("white is clipped: lower the exposure or the screen's brightness")
        if white < DARK:
            said.append("the screen is dark to the camera: raise the exposure or the brightness")
        elif contrast < MIN_CONTRAST:
            said.append("black is bright: shade the screen from lamps and windows")
        if self.flicker is not None and self.flicker > FLICKER:
            said.append("the screen flickers: set the exposure to a whole number of 1/50 or 1/60 s")
        return said

    @cached_property
    def _table(self) -> NDArray[np.uint8]:
        """(1, 256, 3) the even level of each level, B, G, R."""
        black, white = np.array(self.black), np.array(self.white)
        share = (np.arange(256)[:, None] - black) / (white - black)
        even = EVEN_BLACK + share * (EVEN_WHITE - EVEN_BLACK)
        table: NDArray[np.uint8] = np.round(even.clip(0, 255)).astype(np.uint8)[None]
        return table

    def _check(self) -> None:
        numbers = np.array([*self.white, *self.black, self.gamma, self.flicker or 0.0])
        if not np.isfinite(numbers).all() or (numbers < 0).any() or (numbers[:6] > 255).any():
            raise ValueError("white and black must lie between 0 and 255")
        if np.min(np.subtract(self.white, self.black)) < LEAST_CONTRAST:
            raise ValueError("black is as bright as white: nothing on this screen can be told")


def measure(seen: Sequence[Patches], date: str = "") -> Light:
    """From pictures of the greys; ValueError if there are none, or black is as bright as white."""
    if not seen:
        raise ValueError(
            "no picture shows the greys with their corners (`calibrate --light --target FILE`)"
        )
    all_seen = np.stack(seen).astype(np.float32)  # (frames, levels, rows, y, x, 3)
    tones = np.median(all_seen.mean((3, 4)), axis=(0, 2))  # (levels, 3)
    light = Light(
        _tone(tones[-1].round(2)),
        _tone(tones[0].round(2)),
        round(_gamma(tones.mean(1)), 3),
        round(_flicker(all_seen[:, -1]), 4) if len(seen) > 1 else None,
        len(seen),
        date,
    )
    light._check()
    return light


def _tone(values: Sequence[float] | NDArray[np.floating]) -> Tone:
    blue, green, red = (float(value) for value in values)
    return blue, green, red


def _flicker(white: NDArray[np.float32]) -> float:
    """Spread of the means of lines over frames, less what all frames have in common."""
    lines = white.mean((3, 4))  # (frames, rows, y)
    return float((lines - lines.mean(0)).std() / max(lines.mean(), 1.0))


def _gamma(tones: NDArray[np.floating]) -> float:
    """Slope of log seen over log shown, between black and white; 1 where nothing lies between."""
    shown = np.array(LEVELS[1:-1]) / 255
    seen = (tones[1:-1] - tones[0]) / max(float(tones[-1] - tones[0]), 1e-6)
    between = (seen > 0) & (seen < 1)
    if not between.any():
        return 1.0
    x, y = np.log(shown[between]), np.log(seen[between])
    return float((x * y).sum() / (x * x).sum())
