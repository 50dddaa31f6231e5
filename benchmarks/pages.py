"""Pages in random styles that a browser paints, as a camera sees them: pictures not of our making.

The rendered world's looks were at hand while the readers were made; these are not.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from link_variants import SIZE, view

from ar_assist.types import Image

PAGE = 1280, 800  # px
ROLL, TILT = 12.0, 35.0  # degrees at most


def arguments(purpose: str) -> argparse.Namespace:
    """What all these benchmarks are asked, and `chromium`, which they need."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write what was seen")
    args = parser.parse_args()
    args.chromium = shutil.which("chromium")
    if args.chromium is None:
        parser.error("chromium is not installed")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
    return args


def keep(folder: Path | None, number: int, frame: Image, truth: dict[str, Any]) -> None:
    """Write what was seen, if that is wanted, and the truth of it."""
    if folder:
        cv2.imwrite(str(folder / f"{number:03}.png"), frame)
        (folder / f"{number:03}.json").write_text(json.dumps(truth), encoding="utf-8")


def colour(rng: Random, light: int | None = None) -> str:
    light = rng.randint(15, 95) if light is None else light
    return f"hsl({rng.randint(0, 359)}, {rng.randint(0, 90)}%, {light}%)"


def ground(rng: Random) -> str:
    """A CSS background: flat, a gradient, stripes or squares."""
    a, b, c = (colour(rng) for _ in range(3))
    step = rng.randint(10, 80)
    return rng.choice(
        [
            a,
            a,
            f"linear-gradient({rng.randint(0, 359)}deg, {a}, {b})",
            f"radial-gradient(circle at {rng.randint(0, 100)}% 30%, {a}, {b}, {c})",
            f"repeating-linear-gradient(45deg, {a} 0 {step}px, {b} {step}px {2 * step}px)",
            f"conic-gradient({a} 25%, {b} 0 50%, {a} 0 75%, {b} 0) 0 0 / {step}px {step}px",
        ]
    )


def painted(html: str, chromium: str, folder: Path) -> Image:
    """What the browser shows of a page."""
    source, target = folder / "page.html", folder / "page.png"
    source.write_text(html, encoding="utf-8")
    window = f"--window-size={PAGE[0]},{PAGE[1]}"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", window]
    command = [chromium, *flags, f"--screenshot={target}", source.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return np.asarray(cv2.imread(str(target)), np.uint8)


def seen(picture: Image, corners: list[list[float]], rng: np.random.Generator) -> Image:
    """The board and what is around it before a camera."""
    part = around(picture, corners)
    return photographed(part, pose(part, rng), rng)


def around(picture: Image, corners: list[list[float]]) -> Image:
    """The board with some of the page beside it."""
    low, high = np.min(corners, 0), np.max(corners, 0)
    beside = 0.12 * (high - low)
    x, y = np.maximum(low - beside, 0).astype(int)
    right, bottom = np.minimum(high + beside, PAGE).astype(int)
    return np.ascontiguousarray(picture[y:bottom, x:right])


def pose(part: Image, rng: np.random.Generator) -> np.ndarray:
    """(3, 3) frame from part: a little turned, more or less tilted."""
    return view(part.shape[1::-1], rng.uniform(-ROLL, ROLL), rng.uniform(0, TILT), rng)


def photographed(part: Image, plane: np.ndarray, rng: np.random.Generator) -> Image:
    """What a camera makes of it: perspective, blur, light, noise, JPEG."""
    frame = cv2.warpPerspective(part, plane, SIZE, borderValue=(45, 40, 40)).astype(np.float32)
    frame = cv2.GaussianBlur(frame, (0, 0), rng.uniform(0.5, 1.1)) * rng.uniform(0.7, 1.1, 3)
    noise = rng.normal(0, rng.uniform(3, 9), frame.shape).astype(np.float32)
    frame += cv2.GaussianBlur(noise, (0, 0), 0.6)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 95))]
    _, coded = cv2.imencode(".jpg", np.clip(frame, 0, 255).astype(np.uint8), quality)
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
