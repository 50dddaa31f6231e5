"""How often is a link board read exactly? Real pictures by their true corners, made worse.

Every picture is degraded in a named way, rectified by its true corners moved by up to 5 % of a
tile, and read; `lattice` adds or drops rows and columns. Prints the share of exact boards and the
share of wrong boards read with confidence over one half.

    python benchmarks/link_reader.py ../shared/data/link --seeds 1-3
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ar_assist.evaluate.jobs import parse_seeds
from ar_assist.games.link import reader
from ar_assist.types import Image, Lattice, Points

CELL = 48  # px of a rectified cell, as the finder makes them
MARGIN = 3  # cells around the board
SHIFT = 0.05  # of a tile: how far the finder's corners may be off


def degrade(image: Image, corners: Points, kind: str, rng: np.random.Generator) -> Image:
    """The picture as a worse camera would have taken it; corners (4, 2) tell the tiles' size."""
    h, w = image.shape[:2]
    work = image.astype(np.float32)
    side = float(np.linalg.norm(corners[1] - corners[0]))
    if kind == "blur":
        work = cv2.GaussianBlur(work, (0, 0), side / 300)
    elif kind == "noise":
        work = work + rng.normal(0, 12, work.shape)
    elif kind == "light":
        y, x = np.mgrid[:h, :w].astype(np.float32)
        slope = rng.uniform(-0.4, 0.4, 2)
        x, y = x / w - 0.5, y / h - 0.5
        fall = 0.65 + slope[0] * x + slope[1] * y - 0.4 * (x**2 + y**2)
        work = work * fall[..., None] * rng.uniform(0.85, 1.1, 3) + rng.normal(20, 4, work.shape)
    elif kind == "washed out":
        work = work * 0.4 + 130 + rng.normal(0, 3, work.shape)
    elif kind == "grey":
        work = np.repeat(work.mean(2, keepdims=True), 3, 2) + rng.normal(0, 4, work.shape)
    worse = np.clip(work, 0, 255).astype(np.uint8)
    if kind == "jpeg":
        packed = cv2.imencode(".jpg", worse, [cv2.IMWRITE_JPEG_QUALITY, 25])[1]
        worse = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    return worse


KINDS = ("as it is", "lattice", "blur", "noise", "light", "washed out", "grey", "jpeg", "small")
SMALL = 22  # px of a tile in the variant `small`


def rectified(
    image: Image, truth: dict[str, Any], kind: str, rng: np.random.Generator
) -> tuple[Image, Lattice]:
    """The degraded picture as the finder would hand it over."""
    corners = np.float32(truth["corners"])
    rows, cols = truth["rows"], truth["cols"]
    worse = degrade(image, corners, kind, rng)
    scale = SMALL * cols / float(np.linalg.norm(corners[1] - corners[0]))
    if kind == "small" and scale < 1:
        worse = cv2.resize(worse, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        corners = (corners + 0.5) * scale - 0.5
    origin = MARGIN * CELL - 0.5
    lattice = Lattice((origin, origin), (CELL, CELL), rows, cols)
    off = rng.uniform(-SHIFT, SHIFT, (4, 2)) * CELL
    plane = cv2.getPerspectiveTransform(corners, np.float32(lattice.corners + off))
    size = (cols + 2 * MARGIN) * CELL, (rows + 2 * MARGIN) * CELL
    if kind == "lattice":
        top, bottom, left, right = (int(n) for n in rng.integers(-1, 2, 4))
        start = origin - left * CELL, origin - top * CELL
        lattice = Lattice(start, (CELL, CELL), rows + top + bottom, cols + left + right)
    return cv2.warpPerspective(worse, plane, size), lattice


def held(cells: np.ndarray) -> np.ndarray:
    """The board without outer rows and columns that are empty: nothing there can be seen."""
    rows, cols = np.nonzero(cells.any(1))[0], np.nonzero(cells.any(0))[0]
    if not len(rows):
        return cells[:0]
    return cells[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]


def exact(found: np.ndarray, truth: dict[str, Any]) -> bool:
    """Are empties and partition right? A pair that is being removed may be read either way."""
    cells = np.array(truth["cells"])
    found, right = held(found), held(cells)
    free = np.zeros(cells.shape, int)
    for cell in truth.get("link") or []:
        free[tuple(cell)] = 1
    if found.shape != right.shape:
        return False
    rows, cols = np.nonzero(cells.any(1))[0], np.nonzero(cells.any(0))[0]
    sure = free[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1] == 0
    a, b = found[sure].tolist(), right[sure].tolist()
    pairs = set(zip(a, b, strict=True))
    return len(pairs) == len(set(a)) == len(set(b)) and all((x == 0) == (y == 0) for x, y in pairs)


def outcomes(folder: Path, seeds: list[int]) -> Iterator[tuple[str, str, bool, float]]:
    """Kind, file, is it exact, its confidence."""
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        image = cv2.imread(str(path.parent / truth["image"]))
        for seed in seeds:
            for number, kind in enumerate(KINDS):
                rng = np.random.default_rng([seed, number])
                reading = reader.read(*rectified(image, truth, kind, rng))
                if reading is None:
                    yield kind, path.stem, False, 0.0
                    continue
                right = exact(np.array(reading.board.cells), truth)
                yield kind, path.stem, right, reading.confidence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="pictures with truth beside them")
    parser.add_argument("--seeds", default="1-2", help="first-last, or by commas")
    args = parser.parse_args()
    table: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for kind, name, right, confidence in outcomes(args.folder, parse_seeds(args.seeds)):
        table[kind].append((right, confidence))
        if not right:
            print(f"  {kind:10} {name:28} confidence {confidence:.2f}", flush=True)
    print(f"{'variant':12} exact  wrong though sure")
    for kind, results in table.items():
        wrong = np.mean([not right and confidence > 0.5 for right, confidence in results])
        print(f"{kind:12} {np.mean([r for r, _ in results]):5.1%}  {wrong:.1%}  of {len(results)}")


if __name__ == "__main__":
    main()
