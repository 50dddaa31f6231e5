"""From light on the sensor to the picture that a webcam delivers.

Linear light, 1 = the white of the screen at its brightest. The order is that of a real camera:
vignetting, lens blur, exposure, Bayer filter, noise, white balance, demosaicing, tone curve,
denoising, sharpening, chroma subsampling and JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ar_assist.scene.camera import Light
from ar_assist.types import Image

LEVELS = 4095  # of the sensor's converter: 12 bits, as small sensors have
SETTLE_S = 0.6  # its time constant
GAIN_RANGE = (0.15, 12.0)  # of exposure and amplifier together
BRIGHT = 97  # percentile of the brightest parts that it keeps from washing out
SHARPEN_PX = 1.2  # sigma of the unsharp mask that cameras use
METER_STEP = 8  # px: the meter looks at every eighth pixel


@dataclass(frozen=True)
class Chip:
    """A camera's imaging character."""

    blur: float  # sigma of lens and focus, px
    veil: float  # share of all light that the lens scatters over the whole picture
    shot: float  # variance of the noise per unit of signal, at gain 1
    read: float  # standard deviation of the noise in the dark, at gain 1
    balance: tuple[float, float, float]  # what is left of the light's tint, B, G, R
    drift: float  # how far white balance wanders, share
    vignette: float  # loss in the corners, share
    contrast: float  # of the S-shaped tone curve, 0 none
    denoise: float  # sigma of the camera's own smoothing, px; it costs detail
    colour_blur: float  # sigma of its smoothing of colour alone, px
    sharpen: float  # strength of the camera's own sharpening
    jpeg: int  # quality
    target: float  # mean linear level that the automatic exposure aims at
    headroom: float  # level that the brightest parts may reach; over 1 they wash out
    grey: bool = False


class Sensor:
    """A chip with its exposure control; frames must come in order."""

    def __init__(self, chip: Chip, size_wh: tuple[int, int], rng: Generator) -> None:
        self.chip, self.rng, self.gain = chip, rng, 0.0
        width, height = size_wh
        x, y = np.linspace(-1, 1, width), np.linspace(-1, 1, height)[:, None]
        self.falloff = (1 - chip.vignette * (x * x + y * y) / 2).astype(np.float32)
        self.curve = tone_curve(chip.contrast)
        self.phase = rng.uniform(0, 2 * np.pi)

    def expose(self, light: Light, time: float, step: float) -> Image:
        """The picture of a frame's light; `step` is the time since the frame before, s."""
        self._meter(light, step)
        light = light + np.float32(self.chip.veil) * light.mean((0, 1))
        soft = np.asarray(cv2.GaussianBlur(light, (0, 0), self.chip.blur), np.float32)
        raw = self._noisy(_mosaic(soft) * (self.falloff * np.float32(self.gain)))
        planes = cv2.split(cv2.demosaicing(raw, cv2.COLOR_BayerRGGB2BGR))
        curves = self._balanced(time)
        picture = cv2.merge([c[plane] for plane, c in zip(planes, curves, strict=True)])
        return self._finished(np.asarray(picture, np.uint8))

    def _meter(self, light: Light, step: float) -> None:
        """Move the gain towards its goal, as automatic exposure does."""
        seen = light[::METER_STEP, ::METER_STEP]
        height, width = seen.shape[:2]
        middle = seen[height // 4 : -height // 4, width // 4 : -width // 4]
        level = 0.5 * float(seen.mean()) + 0.5 * float(middle.mean())  # weighs the middle more
        bright = float(np.percentile(seen.max(-1), BRIGHT))
        goal = min(self.chip.target / max(level, 1e-6), self.chip.headroom / max(bright, 1e-6))
        goal = float(np.clip(goal, *GAIN_RANGE))
        share = 1.0 if not self.gain else 1 - np.exp(-step / SETTLE_S)
        self.gain = goal if not self.gain else self.gain * (goal / self.gain) ** share

    def _noisy(self, mosaic: NDArray[np.float32]) -> NDArray[np.uint16]:
        """The mosaic with shot and read noise, converted."""
        chip = self.chip
        variance = mosaic * np.float32(chip.shot * self.gain)
        variance += np.float32((chip.read * self.gain) ** 2)
        noise = self.rng.standard_normal(mosaic.shape, np.float32)
        level = mosaic + noise * np.sqrt(variance)
        raw: NDArray[np.uint16] = (level * np.float32(LEVELS)).clip(0, LEVELS).astype(np.uint16)
        return raw

    def _balanced(self, time: float) -> list[NDArray[np.uint8]]:
        """Tone curves of B, G, R with the white balance of this moment."""
        sway = 1 + self.chip.drift * np.sin(0.9 * time + self.phase) * np.array([1, 0, -1])
        scale = np.arange(LEVELS + 1)[None] * (np.array(self.chip.balance) * sway)[:, None]
        return [self.curve[np.minimum(row, LEVELS).astype(int)] for row in scale]

    def _finished(self, picture: Image) -> Image:
        """Denoised, sharpened, compressed."""
        chip = self.chip
        luma, *colour = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb))
        if chip.denoise:
            luma = cv2.GaussianBlur(luma, (0, 0), chip.denoise)
        if chip.sharpen:
            soft = cv2.GaussianBlur(luma, (0, 0), SHARPEN_PX)
            luma = cv2.addWeighted(luma, 1 + chip.sharpen, soft, -chip.sharpen, 0)
        if chip.grey:
            finished = cv2.merge([luma] * 3)
        else:
            colour = [cv2.GaussianBlur(plane, (0, 0), chip.colour_blur) for plane in colour]
            finished = cv2.cvtColor(cv2.merge([luma, *colour]), cv2.COLOR_YCrCb2BGR)
        packed = cv2.imencode(".jpg", finished, [cv2.IMWRITE_JPEG_QUALITY, chip.jpeg])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def tone_curve(contrast: float) -> NDArray[np.uint8]:
    """8-bit output for each sensor level: sRGB with an S-curve laid over it."""
    level = np.arange(LEVELS + 1) / LEVELS
    srgb = np.where(level < 0.0031308, 12.92 * level, 1.055 * level ** (1 / 2.4) - 0.055)
    curved = srgb + contrast * (srgb * srgb * (3 - 2 * srgb) - srgb)
    curve: NDArray[np.uint8] = np.round(255 * curved).astype(np.uint8)
    return curve


def _mosaic(light: Light) -> NDArray[np.float32]:
    """What an RGGB Bayer filter lets through."""
    mosaic = light[..., 1].copy()
    mosaic[0::2, 0::2] = light[0::2, 0::2, 2]
    mosaic[1::2, 1::2] = light[1::2, 1::2, 0]
    return mosaic
