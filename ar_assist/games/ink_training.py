"""Trains networks that name printed signs: draws the signs in many fonts and sees them as a camera.

Signs are drawn small, turned, squeezed, blurred and noisy, with what may stand in their place, and
cut with the reader's own functions. The fonts of the shipped networks: DejaVu, Liberation, Roboto,
Open Sans, Lato and Noto as Debian packages them, and those that come with matplotlib.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont
from sklearn.neural_network import MLPClassifier

from ar_assist.games.ink import (
    PATCH,
    Glyph,
    Ink,
    depth_of,
    glyphs_of,
    ink_of,
    patch_of,
)

CANVAS = 96  # px: the drawing, four times the largest sign's size as it is seen
LARGEST = 1_000_000  # bytes of a network's weights
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

Drawing = NDArray[np.uint8]  # (CANVAS, CANVAS) black on white
Draw = Callable[[np.random.Generator, Sequence[Path]], tuple[Drawing, int]]  # a sign and its class


def fonts_in(folders: Sequence[Path], signs: str) -> list[Path]:
    """The fonts that can draw all of the signs upright."""
    found = sorted(path for folder in folders for path in folder.rglob("*.[to]tf"))
    return [path for path in found if _draws(path, signs)]


def _draws(path: Path, signs: str) -> bool:
    if any(style in path.name for style in SKIPPED_STYLES):
        return False
    try:
        font = ImageFont.truetype(str(path), 40)
        masks = [bytes(font.getmask(sign)) for sign in signs]
    except OSError:
        return False
    return len(set(masks)) == len(signs)


def drawn(rng: np.random.Generator, text: str, fonts: Sequence[Path]) -> Drawing:
    """White paper with the text in the middle; two signs are pushed together until they touch."""
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


def drawn_mark(rng: np.random.Generator) -> Drawing:
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


def struck(rng: np.random.Generator, drawing: Drawing) -> Drawing:
    """The sign with a line through it, as what is done is struck: level, or falling, or rising.

    The line is painted over the sign, as dark or paler. It may be that of two signs side by side,
    of which this is one.
    """
    rows, columns = (np.flatnonzero((drawing < 128).any(axis=axis)) for axis in (1, 0))
    height, width = float(np.ptp(rows)), float(np.ptp(columns))
    x, y = columns.mean() + rng.choice([0, 0, -0.5, 0.5]) * width, rows.mean()
    slope = np.deg2rad(rng.choice([0, 45, -45]) + rng.normal(0, 6))
    reach = height * rng.uniform(0.4, 0.85)
    step = reach * np.array([np.cos(slope), -np.sin(slope)]) + rng.normal(0, 0.03 * height, 2)
    begin, end = (np.rint(np.array([x, y]) + way * step).astype(int).tolist() for way in (-1, 1))
    shade, thickness = rng.choice([0, int(rng.integers(150))]), int(rng.integers(2, 7))
    lined = cv2.line(drawing.copy(), begin, end, int(shade), thickness, cv2.LINE_AA)
    beside = round(rng.uniform(0, 0.3) * height)  # where it is parted from its neighbours, if any
    lined[:, : columns[0] - beside] = lined[:, columns[-1] + 1 + beside :] = 255
    return np.asarray(lined, np.uint8)


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
    for glyph in glyphs_of(ink):
        if glyph.x0 <= middle < glyph.x1 and glyph.y0 <= middle < glyph.y1 and glyph.height > 6:
            return glyph
    return None


def _as_read(rng: np.random.Generator, drawing: Drawing) -> Ink | None:
    """The patch that a reader would cut; None where it sees no glyph."""
    grey = _see(rng, drawing)
    ink = ink_of(depth_of(grey, grey.shape[0] / 3, dark=True), grey.shape[0] / 2)
    glyph = _middle_glyph(ink)
    return None if glyph is None else patch_of(ink, glyph)


def _sample(rng: np.random.Generator, draw: Draw, fonts: Sequence[Path]) -> tuple[Ink, int]:
    """One patch and its class."""
    while True:
        drawing, label = draw(rng, fonts)
        patch = _as_read(rng, drawing)
        if patch is not None:
            return patch, label


def train(
    draw: Draw, fonts: Sequence[Path], count: int, hidden: int, seed: int = 0
) -> dict[str, Any]:
    """The weights of the network; prints how it does on samples that it has not seen."""
    rng = np.random.default_rng(seed)
    samples = [_sample(rng, draw, fonts) for _ in range(count)]
    patches = np.stack([patch.ravel() for patch, _ in samples])
    labels = np.array([label for _, label in samples])
    kept = count * 9 // 10
    network = MLPClassifier((hidden,), alpha=1e-3, batch_size=256, max_iter=16, random_state=seed)
    network.fit(patches[:kept], labels[:kept])
    print(f"{len(fonts)} fonts, unseen: {network.score(patches[kept:], labels[kept:]):.4f} right")
    (w1, w2), (b1, b2) = network.coefs_, network.intercepts_
    weights = {"w1": w1, "b1": b1, "w2": w2, "b2": b2}
    return {name: value.astype(np.float16) for name, value in weights.items()}


def run(model: Path, draw: Draw, signs: str, samples: int, hidden: int) -> None:
    """The command line of a training: fonts in, a network out."""
    assert 2 * PATCH * PATCH * hidden < LARGEST, "too many weights"
    parser = argparse.ArgumentParser(description=f"Train {model.name}.")
    parser.add_argument("fonts", nargs="+", type=Path, help="folders with .ttf or .otf fonts")
    parser.add_argument("--samples", type=int, default=samples)
    args = parser.parse_args()
    fonts = fonts_in(args.fonts, signs)
    weights: dict[str, Any] = train(draw, fonts, args.samples, hidden)
    np.savez_compressed(model, **weights)
