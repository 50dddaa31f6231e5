"""What surrounds a screen: its device, the desk or wall behind, and the room that it mirrors."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import ImageDraw, ImageFilter

from ar_assist.scene.desktop import UI_FONT
from ar_assist.scene.glyphs import font, hues, one_of
from ar_assist.scene.icons import SETS
from ar_assist.scene.show import Device
from ar_assist.types import Image

DESK_WH = (1800, 1350)  # texels of the desk's picture
ROOM_PX = 512  # side of the picture of the mirrored room
# sRGB of tables and walls: woods, white, greys, black, blue-grey cloth
SURFACES = (
    (150, 108, 70), (190, 150, 105), (105, 70, 45), (205, 180, 150), (225, 222, 215),
    (240, 240, 238), (150, 150, 150), (85, 88, 92), (40, 40, 42), (95, 105, 125),
)  # fmt: skip
SHELLS = (18, 30, 60, 150, 205)  # greys of a device's shell
# Shares of the screen's shorter side: the border around it, and the radius of the outer corners.
RIMS = {"phone": (0.02, 0.05), "monitor": (0.015, 0.04), "table": (0.0, 0.0)}
ROUND = {"phone": 0.1, "monitor": 0.015, "table": 0.012}
Mask = NDArray[np.float32]  # (H, W) 0 to 1


def body(
    device: Device, size_wh: tuple[int, int], rng: Generator
) -> tuple[Image, Mask, tuple[int, int]]:
    """A device around a dark screen: picture, shape, and px of the screen's corner in both."""
    width, height = size_wh
    short = min(size_wh)
    rim = int(short * rng.uniform(*RIMS[device]))
    chin = int(short * rng.uniform(0.02, 0.09)) if device == "monitor" else rim
    pad = 4  # px of nothing around the shape, so that its edge can be smooth
    outer = width + 2 * (rim + pad), height + rim + chin + 2 * pad
    picture = np.full((outer[1], outer[0], 3), rng.choice(SHELLS), np.uint8)
    shape = Pil.new("L", outer)
    edge = (pad, pad, outer[0] - pad, outer[1] - pad)
    ImageDraw.Draw(shape).rounded_rectangle(edge, int(short * ROUND[device]), fill=255)
    if rim:
        inner = (rim // 2, rim // 2), (outer[0] - rim // 2, outer[1] - rim // 2)
        cv2.rectangle(picture, *inner, (12, 12, 12), rim)
    if device == "monitor":
        low = outer[0] // 2 - 30, outer[1] - pad - chin // 2
        cv2.putText(picture, "VIEW", low, 2, chin / 60 + 0.2, (120, 120, 120), 1, cv2.LINE_AA)
    return picture, np.asarray(shape, np.float32) / np.float32(255), (rim + pad, rim + pad)


def desk(cluttered: float, rng: Generator) -> Image:
    """A table or wall with things on it; `cluttered` from 0 (bare) to 1 (things everywhere)."""
    drawn = Pil.fromarray(_surface(rng))
    things = (_paper, _book, _keyboard, _mug, _note, _photo)
    for _ in range(int(4 + 26 * cluttered)):
        part = one_of(things, rng)(rng).rotate(rng.uniform(0, 360), expand=True)
        at = int(rng.uniform(-0.1, 1.0) * DESK_WH[0]), int(rng.uniform(-0.1, 1.0) * DESK_WH[1])
        shadow = part.getchannel("A").point(lambda a: a // 3).filter(ImageFilter.GaussianBlur(6))
        drawn.paste((0, 0, 0), (at[0] + 9, at[1] + 11), shadow)
        drawn.paste(part, at, part)
    return np.ascontiguousarray(np.asarray(drawn)[..., ::-1])


def _surface(rng: Generator) -> Image:
    """Wood, cloth or paint (RGB); drawn at half size, for it lies out of focus."""
    colour = np.array(one_of(SURFACES, rng)) * rng.uniform(0.6, 1.2)
    if rng.random() < 0.2:
        colour = np.array(hues(1, rng, rng.uniform(0.1, 0.5), rng.uniform(0.3, 0.9))[0])
    along = float(rng.choice([1.0, 8.0, 40.0]))
    layers = [_noise(along * k, k, rng) for k in (0.7, 1.5, 4.0)]
    level = 1 + np.sum(layers, 0) * rng.uniform(0.01, 0.035) + 0.06 * _noise(80, 80, rng)
    half: Image = (colour.astype(np.float32) * level[..., None]).clip(0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(half, DESK_WH, interpolation=cv2.INTER_LINEAR), np.uint8)


def _noise(across: float, down: float, rng: Generator) -> Mask:
    """Blurred noise of standard deviation 1, at half the desk's size; smooth noise drawn small."""
    shrink = max(1, int(min(across, down) / 2))
    width, height = DESK_WH[0] // 2, DESK_WH[1] // 2
    noise = rng.standard_normal((height // shrink, width // shrink), np.float32)
    soft = np.asarray(cv2.GaussianBlur(noise, (0, 0), across / shrink, sigmaY=down / shrink))
    full = cv2.resize(soft / soft.std(), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(full, np.float32)


def _sheet(width: float, height: float, colour: object) -> tuple[Pil.Image, ImageDraw.ImageDraw]:
    part = Pil.new("RGBA", (int(width), int(height)), colour)  # type: ignore[arg-type]
    return part, ImageDraw.Draw(part)


def _paper(rng: Generator) -> Pil.Image:
    """A printed page."""
    width, height = 300, 420
    part, pen = _sheet(width, height, (244, 243, 238))
    for row in range(30, height - 30, 16):
        pen.line((30, row, rng.uniform(0.5, 0.92) * width, row), fill=(90, 90, 95), width=4)
    return part


def _book(rng: Generator) -> Pil.Image:
    """A book, a box or a dark tablet: a plain rectangle with a title."""
    cover, title = hues(2, rng, 0.6, rng.uniform(0.2, 0.9))
    width, height = rng.uniform(150, 420), rng.uniform(120, 380)
    part, pen = _sheet(width, height, cover)
    pen.rectangle((8, 8, width - 8, height - 8), outline=title, width=5)
    pen.text((width / 2, height / 3), "Notes", title, font(UI_FONT, 40), anchor="mm")
    return part


def _keyboard(rng: Generator) -> Pil.Image:
    """Rows of keys: a lattice that is no game."""
    dark = rng.random() < 0.6
    body, key, ink = (
        ((35, 35, 38), (60, 60, 65), (230, 230, 230))
        if dark
        else ((200, 200, 200), (245, 245, 245), (40, 40, 40))
    )
    part, pen = _sheet(620, 230, body)
    for row in range(5):
        for column in range(14):
            x, y = 10 + 43 * column, 10 + 43 * row
            pen.rounded_rectangle((x, y, x + 38, y + 38), 6, fill=key)
            pen.text((x + 12, y + 8), chr(int(rng.integers(65, 91))), ink, font(UI_FONT, 16))
    return part


def _mug(rng: Generator) -> Pil.Image:
    """A mug from above."""
    (colour,) = hues(1, rng, 0.5, 0.9)
    part, pen = _sheet(170, 170, (0, 0, 0, 0))
    pen.rounded_rectangle((120, 70, 168, 100), 12, fill=colour)
    pen.ellipse((10, 20, 140, 150), fill=colour)
    pen.ellipse((22, 32, 128, 138), fill=(60, 35, 20))
    return part


def _note(rng: Generator) -> Pil.Image:
    """A sticky note."""
    (colour,) = hues(1, rng, 0.4, 0.95)
    part, pen = _sheet(130, 130, colour)
    for row in range(25, 110, 22):
        pen.line(
            (15, row, rng.uniform(50, 115), row + rng.uniform(-4, 4)), fill=(40, 40, 90), width=3
        )
    return part


def _photo(rng: Generator) -> Pil.Image:
    """A printed picture."""
    part, _ = _sheet(230, 180, (250, 250, 250))
    part.paste(SETS["textures"](1, rng)[0].resize((206, 156)), (12, 12))
    icon = SETS["things"](1, rng)[0]
    part.alpha_composite(icon, (52, 26))
    return part


def room(rng: Generator) -> Image:
    """The room as the glass mirrors it, sharp or matt: lamps and windows before the dark (BGR)."""
    picture = np.zeros((ROOM_PX, ROOM_PX, 3), np.uint8)
    for _ in range(rng.integers(2, 6)):
        x, y = (int(v) for v in rng.uniform(0.1, 0.9, 2) * ROOM_PX)
        if rng.random() < 0.5:
            cv2.circle(picture, (x, y), int(rng.uniform(10, 28)), (210, 240, 255), -1, cv2.LINE_AA)
        else:
            w, h = (int(v) for v in rng.uniform(20, 90, 2))
            cv2.rectangle(picture, (x, y), (x + w, y + h), (255, 240, 225), -1)
            cv2.line(picture, (x + w // 2, y), (x + w // 2, y + h), (60, 60, 60), 4)
    matt = float(np.exp(rng.uniform(*np.log((1.5, 25.0)))))
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), matt), np.uint8)
