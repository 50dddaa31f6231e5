"""Trains the digit network: `python -m ar_assist.games.nonogram.digits_training FONT_FOLDER...`

Digits, and signs that are no digits, are drawn in every font of the folders, seen as a camera
would (small, turned, squeezed, blurred, noisy, with a line of the grid near by) and cut with the
reader's own functions. The fonts of the shipped network: DejaVu, Liberation, Roboto, Open Sans,
Lato and Noto as Debian packages them, and those that come with matplotlib.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont
from sklearn.neural_network import MLPClassifier

from ar_assist.games.nonogram.digits import (
    INK_THRESHOLD,
    MODEL,
    NO_DIGIT,
    PATCH,
    Glyph,
    Ink,
    depth_of,
    glyphs_of,
    ink_of,
    patch_of,
)

SAMPLES = 120_000
HIDDEN = 192
CANVAS = 96  # px: the drawing, four times the largest digit's size as it is seen
NO_DIGITS = "xX×+?%#&@AEFHKMNRTUVWYaefhkmnrtuvwy*=/\\|"  # l, I, O, S … look like digits
SKIPPED_STYLES = (
    "Hairline",
    "Thin",
    "Display",
    "NonUni",
    "SymBol",
    "SymReg",
    "cmex",
    "cmsy",
    "cmmi",
)


def fonts_in(folders: Sequence[Path]) -> list[Path]:
    """The fonts that can draw digits upright."""
    found = sorted(path for folder in folders for path in folder.rglob("*.[to]tf"))
    return [path for path in found if _draws_digits(path)]


def _draws_digits(path: Path) -> bool:
    if any(style in path.name for style in SKIPPED_STYLES):
        return False
    try:
        font = ImageFont.truetype(str(path), 40)
        masks = [bytes(font.getmask(digit)) for digit in "0123456789"]
    except OSError:
        return False
    return len(set(masks)) == 10


def sample(rng: np.random.Generator, fonts: Sequence[Path]) -> tuple[Ink, int]:
    """One patch and its class, as the reader would cut it."""
    while True:
        text, label = _text(rng)
        drawing = _draw(rng, text, fonts) if text else _draw_mark(rng)
        grey = _see(rng, drawing)
        ink = ink_of(depth_of(grey, grey.shape[0] / 3, dark=True), grey.shape[0] / 2)
        glyph = _middle_glyph(ink)
        if glyph is not None:
            return patch_of(ink, glyph), label


def _text(rng: np.random.Generator) -> tuple[str, int]:
    chance = rng.random()
    if chance < 0.8:
        digit = int(rng.integers(10))
        return str(digit), digit
    if chance < 0.87:
        return str(rng.choice(list(NO_DIGITS))), NO_DIGIT
    if chance < 0.94:
        return f"{rng.integers(10)}{rng.integers(10)}", NO_DIGIT
    return "", NO_DIGIT


def _draw(rng: np.random.Generator, text: str, fonts: Sequence[Path]) -> NDArray[np.uint8]:
    """White paper with the text in the middle; two digits are pushed together until they touch."""
    image = PilImage.new("L", (CANVAS, CANVAS), 255)
    font = ImageFont.truetype(str(fonts[int(rng.integers(len(fonts)))]), int(rng.integers(44, 60)))
    draw = ImageDraw.Draw(image)
    if len(text) == 1:
        draw.text((CANVAS / 2, CANVAS / 2), text, 0, font, anchor="mm")
    else:
        half = font.getlength(text) / 4 - 3
        for sign, offset in zip(text, (-half, half), strict=True):
            draw.text((CANVAS / 2 + offset, CANVAS / 2), sign, 0, font, anchor="mm")
    return np.array(image)


def _draw_mark(rng: np.random.Generator) -> NDArray[np.uint8]:
    """What players and programs put into cells: a cross, a dot, a square, a ring."""
    image = np.full((CANVAS, CANVAS), 255, np.uint8)
    middle, r = CANVAS // 2, int(rng.integers(8, 26))
    kind = rng.integers(4)
    if kind == 0:
        width = int(rng.integers(2, 8))
        for sign in (-1, 1):
            ends = (middle - r, middle - sign * r), (middle + r, middle + sign * r)
            cv2.line(image, *ends, 0, width, cv2.LINE_AA)
    elif kind == 1:
        cv2.circle(image, (middle, middle), r, 0, -1, cv2.LINE_AA)
    elif kind == 2:
        cv2.rectangle(image, (middle - r, middle - r), (middle + r, middle + r), 0, -1)
    else:
        h = int(r * rng.uniform(0.05, 0.3)) + 1
        w, h = (r, h) if rng.random() < 0.5 else (h, r)
        cv2.rectangle(image, (middle - w, middle - h), (middle + w, middle + h), 0, -1)
    return image


def _see(rng: np.random.Generator, drawing: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The drawing through a camera: turned a little, shrunk, blurred, noisy, enlarged again."""
    turn = np.deg2rad(rng.normal(0, 3))
    squeeze, shear = np.exp(rng.normal(0, 0.12)), rng.normal(0, 0.06)
    linear = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    linear = linear @ np.array([[squeeze, shear], [0, 1]])
    small = round(CANVAS * (0.13 + 0.55 * rng.random() ** 1.5))  # digits of 5 to 26 px
    scale = small / CANVAS
    middle = np.array([CANVAS / 2, CANVAS / 2])
    shift = scale * (middle - linear @ middle) + rng.uniform(-0.5, 0.5, 2)
    blurred = cv2.GaussianBlur(drawing, (0, 0), rng.uniform(0.3, 1.0) / scale)
    seen = cv2.warpAffine(
        blurred, np.column_stack([scale * linear, shift]), (small, small), borderValue=255.0
    )
    dark, light = rng.uniform(0, 110), rng.uniform(150, 255)
    values = dark + (light - dark) * seen.astype(np.float32) / 255
    values += rng.normal(0, rng.uniform(0, 8), values.shape)
    side = int(rng.integers(36, 72))  # as large as the reader's sheets have them
    seen = np.clip(values, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 97))]
        seen = np.asarray(cv2.imdecode(cv2.imencode(".jpg", seen, quality)[1], 0), np.uint8)
    return np.asarray(cv2.resize(seen, (side, side), interpolation=cv2.INTER_CUBIC), np.uint8)


def _middle_glyph(ink: Ink) -> Glyph | None:
    """The glyph at the picture's middle."""
    middle = ink.shape[0] / 2
    for glyph in glyphs_of((ink > INK_THRESHOLD).astype(np.uint8)):
        if glyph.x0 <= middle < glyph.x1 and glyph.y0 <= middle < glyph.y1 and glyph.height > 6:
            return glyph
    return None


def train(fonts: Sequence[Path], count: int, seed: int = 0) -> dict[str, Any]:
    """The weights of the network; prints how it does on samples that it has not seen."""
    rng = np.random.default_rng(seed)
    drawn = [sample(rng, fonts) for _ in range(count)]
    patches = np.stack([patch.ravel() for patch, _ in drawn])
    labels = np.array([label for _, label in drawn])
    kept = count * 9 // 10
    network = MLPClassifier((HIDDEN,), alpha=1e-3, batch_size=256, max_iter=16, random_state=seed)
    network.fit(patches[:kept], labels[:kept])
    print(f"{len(fonts)} fonts, unseen: {network.score(patches[kept:], labels[kept:]):.4f} right")
    (w1, w2), (b1, b2) = network.coefs_, network.intercepts_
    weights = {"w1": w1, "b1": b1, "w2": w2, "b2": b2}
    return {name: value.astype(np.float16) for name, value in weights.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the digit network.")
    parser.add_argument("fonts", nargs="+", type=Path, help="folders with .ttf or .otf fonts")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    args = parser.parse_args()
    weights: dict[str, Any] = train(fonts_in(args.fonts), args.samples)
    np.savez_compressed(MODEL, **weights)


if __name__ == "__main__":
    assert PATCH * PATCH * HIDDEN < 500_000, "the weights must stay below 1 MB"
    main()
