"""Find and read real link boards turned, tilted and pasted into clutter: 200 seeded variants.

Each variant is a 1280x720 picture: one of the shared boards, turned by any angle, tilted by up to
45 degrees, at 35 to 90 % of the width, over one of the cluttered rooms. Prints the share of exact
boards and of wrong hints (a pair that is not equal, or a path through a tile) by angle, tilt and
tile size, and the failures.

    python benchmarks/link_variants.py ../shared/data --count 200 --seed 1
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from link_reader import exact

from ar_assist.find import find
from ar_assist.games import GAMES
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.paths import link
from ar_assist.look import TRUST
from ar_assist.types import Image, Reading
from ar_assist.warp import rectify

SIZE = 1280, 720  # px
WIDTH = 0.35, 0.9  # of the picture's width that the board's picture takes
TILT = 45.0  # degrees at most
EYE = 2.0  # widths: how far the camera is from the screen; a phone held near


@dataclass(frozen=True)
class Result:
    name: str
    angle: float  # degrees
    tilt: float  # degrees
    tile: float  # px, of the longer side of a tile in the middle
    exact: bool
    wrong_hint: bool


def view(
    size_wh: tuple[int, int], angle: float, tilt: float, rng: np.random.Generator
) -> np.ndarray:
    """(3, 3) frame from picture: turned in the plane, tilted about a random axis, pasted."""
    w, h = size_wh
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float) - 0.5
    flat = (corners - corners.mean(0)) / w
    turn, axis = np.deg2rad(angle), rng.uniform(0, 2 * np.pi)
    flat = flat @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    along = np.array([np.cos(axis), np.sin(axis)])
    depth = flat @ along
    lean = np.deg2rad(tilt)
    seen = flat + np.outer(depth * (np.cos(lean) - 1), along)
    seen = seen / (1 + depth * np.sin(lean) / EYE)[:, None]
    span = np.ptp(seen, axis=0)
    scale = min(rng.uniform(*WIDTH) * SIZE[0] / span[0], 0.95 * SIZE[1] / span[1])
    seen = (seen - seen.min(0)) * scale
    seen += rng.uniform(0, 1, 2) * (np.array(SIZE) - 1 - np.ptp(seen, axis=0))
    return cv2.getPerspectiveTransform(np.float32(corners), np.float32(seen))


def paste(image: Image, room: Image, plane: np.ndarray) -> Image:
    """The picture in the room, anti-aliased."""
    h, w = image.shape[:2]
    back = cv2.resize(room, SIZE, interpolation=cv2.INTER_AREA)
    shrink = np.sqrt(abs(np.linalg.det(plane[:2, :2])))
    if shrink < 1:
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / shrink)
    mask = cv2.warpPerspective(np.ones((h, w), np.float32), plane, SIZE, flags=cv2.INTER_LINEAR)
    front = cv2.warpPerspective(image, plane, SIZE, flags=cv2.INTER_LINEAR)
    mixed = front * mask[..., None] + back * (1 - mask[..., None])
    return mixed.astype(np.uint8)


def look(picture: Image) -> Reading[LinkBoard] | None:
    """The most confident reading among the finder's first candidates; a sure one at once."""
    best = None
    for candidate in find(picture):
        reading = GAMES["link"].read(rectify(picture, candidate.plane), candidate.lattice)
        if reading and (best is None or reading.confidence > best.confidence):
            best = reading
        if best and best.confidence > 0.9:
            break
    return best


def turned(cells: np.ndarray) -> list[np.ndarray]:
    """The board as seen from its four sides: which one is up cannot be known."""
    return [np.rot90(cells, k) for k in range(4)]


def judge(reading: Reading[LinkBoard] | None, truth: dict) -> tuple[bool, bool]:
    """Is the board exact, is its hint wrong?"""
    if reading is None:
        return False, False
    found = np.array(reading.board.cells)
    if any(exact(side, truth) for side in turned(found)):
        return True, False
    advice = GAMES["link"].advise([reading.board], reading)
    if reading.confidence < TRUST or not advice.moves:
        return False, False
    cells = np.array(truth["cells"])
    a, b = advice.moves[0].link.path[0], advice.moves[0].link.path[-1]
    for k, side in enumerate(turned(found)):
        if side.shape != cells.shape:
            continue
        marks = np.zeros(found.shape, int)
        marks[tuple(a)], marks[tuple(b)] = 1, 2
        first, second = (
            tuple(map(int, np.argwhere(np.rot90(marks, k) == mark)[0])) for mark in (1, 2)
        )
        board = LinkBoard(tuple(tuple(map(int, row)) for row in cells))
        if (
            cells[first] > 0
            and cells[first] == cells[second]
            and link(board, Rules(), first, second)
        ):
            return False, False
    return False, True


def run(folder: Path, count: int, seed: int) -> list[Result]:
    """All variants, one line for each failure."""
    boards = sorted((folder / "link").glob("*.json"))
    rooms = [cv2.imread(str(p)) for p in sorted((folder / "clutter").iterdir())]
    rooms = [room for room in rooms if room is not None]
    results = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        path = boards[number % len(boards)]
        truth = json.loads(path.read_text())
        image = cv2.imread(str(path.parent / truth["image"]))
        angle = float(rng.choice([0, 90, 180, 270]) if rng.random() < 0.5 else rng.uniform(0, 360))
        tilt = float(rng.uniform(0, TILT))
        plane = view(image.shape[1::-1], angle, tilt, rng)
        picture = paste(image, rooms[rng.integers(len(rooms))], plane)
        corners = cv2.perspectiveTransform(np.float32(truth["corners"])[None], plane)[0]
        top, side = (np.linalg.norm(corners[k] - corners[0]) for k in (1, 3))
        tile = float(max(top / truth["cols"], side / truth["rows"]))
        right, wrong = judge(look(picture), truth)
        results.append(Result(path.stem, angle, tilt, tile, right, wrong))
        if not right:
            note = "WRONG HINT" if wrong else ""
            print(f"  {number:3} {path.stem:28} {angle:4.0f} {tilt:3.0f} {tile:4.0f} px {note}")
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="holds link/ and clutter/")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    results = run(args.folder, args.count, args.seed)
    groups: dict[str, list[Result]] = defaultdict(list)
    for r in results:
        groups["all"].append(r)
        groups["turned by quarters" if r.angle % 90 == 0 else "turned freely"].append(r)
        groups[f"tilt {int(r.tilt // 15) * 15:2}-{int(r.tilt // 15) * 15 + 15} degrees"].append(r)
        groups[f"tile {min(int(r.tile // 10) * 10, 60):2}+ px"].append(r)
    print(f"{'':24} exact  wrong hints")
    for name, group in sorted(groups.items()):
        right, wrong = np.mean([r.exact for r in group]), np.mean([r.wrong_hint for r in group])
        print(f"{name:24} {right:6.1%} {wrong:6.1%}  of {len(group)}")


if __name__ == "__main__":
    main()
