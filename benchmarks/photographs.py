"""Are rendered frames like photographs of screens? Greys and fineness of both, side by side.

Of the board's bounding box: percentiles of grey, and the energy (root mean square, grey levels) in
bands of spatial frequency. `--out` writes a sheet of boards, photographs first.

    python benchmarks/photographs.py ../shared/data --out sheet.png
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.scene import open_scene
from ar_assist.scene.tiers import TIERS
from ar_assist.types import Image

# The pictures of `link` that a camera took of a screen; all others are screenshots.
PHOTOGRAPHS = ("tsinghua_colorcapture.jpg", "tsinghua_graycapture.jpg", "ldt_monitor_a.png")
PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
BANDS = (0.05, 0.1, 0.2, 0.3, 0.5)  # cycles a pixel: edges; the last is the sampling limit
TILE_WH = 480, 300  # px of a picture on the sheet
COLUMNS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of real pictures")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--out", type=Path, help="write a sheet of all boards")
    args = parser.parse_args()
    names = [f"p{share}" for share in PERCENTILES]
    names += [f"{low}-{high}" for low, high in pairwise(BANDS)]
    print(" " * 28 + "".join(f"{name:>9}" for name in names))
    boards, tables = [], []
    for title, pictures in (("photographs", photographed(args.data / "link")),
                            ("rendered", rendered(args.seeds))):  # fmt: skip
        rows = []
        for name, board in pictures:
            rows.append(measured(cv2.cvtColor(board, cv2.COLOR_BGR2GRAY)))
            boards.append(board)
            _print(name, rows[-1])
        tables.append(np.array(rows))
        _print(f"{title}: least", tables[-1].min(0))
        _print(f"{title}: most", tables[-1].max(0))
    photographs, renderings = tables
    inside = (renderings.min(0) <= photographs) & (photographs <= renderings.max(0))
    print(f"photographs within what is rendered: {inside.mean():.0%} of {inside.size} values")
    if args.out:
        cv2.imwrite(str(args.out), sheet(boards))


def photographed(folder: Path) -> Iterator[tuple[str, Image]]:
    """Boards of real photographs."""
    for name in PHOTOGRAPHS:
        truth = json.loads((folder / name).with_suffix(".json").read_text(encoding="utf-8"))
        yield name, cut(np.asarray(cv2.imread(str(folder / name)), np.uint8), truth["corners"])


def rendered(seeds: list[int]) -> Iterator[tuple[str, Image]]:
    """Boards of the first frames of all tiers that have one."""
    for tier in TIERS:
        for seed in seeds:
            scene = open_scene(f"scene:tier={tier},seed={seed}")
            if board := scene.truth["frames"][0]["board"]:
                yield f"{tier} {seed}", cut(next(iter(scene)).image, board["corners"])


def cut(image: Image, corners: Any) -> Image:
    """The board's bounding box, as far as it is in the picture."""
    points = np.array(corners)
    (x0, y0), (x1, y1) = points.min(0).clip(0).astype(int), points.max(0).astype(int)
    return image[y0 : y1 + 1, x0 : x1 + 1]


def measured(grey: NDArray[Any]) -> NDArray[np.float64]:
    """Percentiles of grey, then the energy in each band: by a windowed Fourier transform."""
    picture = grey.astype(np.float64)
    height, width = picture.shape
    window = np.outer(np.hanning(height), np.hanning(width))
    spectrum = np.abs(np.fft.fft2((picture - picture.mean()) * window)) ** 2
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width))
    scale = (window**2).sum() * picture.size
    energies = [
        np.sqrt(spectrum[(frequency >= low) & (frequency < high)].sum() / scale)
        for low, high in pairwise(BANDS)
    ]
    return np.array([*np.percentile(picture, PERCENTILES), *energies])


def sheet(boards: list[Image]) -> Image:
    """All boards in rows, each scaled to fit its place."""
    width, height = TILE_WH
    places = []
    for board in boards:
        scale = min(width / board.shape[1], height / board.shape[0])
        small = cv2.resize(board, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        place = np.zeros((height, width, 3), np.uint8)
        place[: small.shape[0], : small.shape[1]] = small[:height, :width]
        places.append(place)
    places += [np.zeros_like(places[0])] * (-len(places) % COLUMNS)
    rows = [np.hstack(places[i : i + COLUMNS]) for i in range(0, len(places), COLUMNS)]
    return np.vstack(rows)


def _print(name: str, values: NDArray[np.float64]) -> None:
    print(f"{name:28}" + "".join(f"{value:9.1f}" for value in values))


if __name__ == "__main__":
    main()
