"""Read rendered Othello screens and tables from many sides, found by the finder alone.

    python benchmarks/othello_views.py [--views N]

Each seed draws one view of a condition with tilts up to 60 degrees; prints exact, wrong and missed
boards by game and condition, and the seeds that failed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import cv2
import numpy as np

from ar_assist.find import find, rectify
from ar_assist.games.othello import OthelloGame
from ar_assist.scene import open_scene
from ar_assist.types import Image, Points

GAMES = ("othello", "othello-table")
CONDITIONS = ("tripod", "rotated", "oblique45", "oblique60", "glare")
CANDIDATES = 4  # planes that a look reads
SURE = 0.9  # confidence at which a look stops
CORNER_TOL = 0.35  # cells: a border that is off by more is another grid


def read(picture: Image) -> tuple[Any, Points] | None:
    """What a look would believe: the surest board and its corners."""
    best: tuple[Any, Points] | None = None
    for candidate in list(find(picture))[:CANDIDATES]:
        reading = OthelloGame().read(rectify(picture, candidate.plane), candidate.lattice)
        if reading and (best is None or reading.confidence > best[0].confidence):
            best = reading, candidate.plane.to_frame(reading.corners)
        if best and best[0].confidence >= SURE:
            break
    return best


def outcome(found: tuple[Any, Points] | None, truth: dict[str, Any]) -> str:
    """`missed`, `exact` or `wrong`, whatever quarter turn the board was read in."""
    if found is None:
        return "missed"
    reading, corners = found
    wanted, cells = np.array(truth["corners"]), np.array(truth["cells"])
    side = np.sqrt(cv2.contourArea(wanted.astype(np.float32))) / 8
    for turn in range(4):
        away = np.linalg.norm(np.roll(corners, turn, axis=0) - wanted, axis=1).max()
        if away < CORNER_TOL * side:
            read_cells = np.rot90(np.array(reading.board.cells), -turn)
            return "exact" if (read_cells == cells).all() else "wrong"
    return "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=200)
    args = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    for seed in range(args.views):
        game = GAMES[seed % 2]
        condition = CONDITIONS[seed // 2 % len(CONDITIONS)]
        scene = open_scene(f"scene:tier={condition},seed={1000 + seed},game={game}")
        truth = scene.truth["frames"][0]["board"]
        if truth is None:
            continue
        result = outcome(read(next(iter(scene)).image), truth)
        counts[game, condition, result] += 1
        if result != "exact":
            print(f"{game} {condition} seed {1000 + seed}: {result}", flush=True)
    for game in GAMES:
        for condition in CONDITIONS:
            shares = {r: counts[game, condition, r] for r in ("exact", "wrong", "missed")}
            print(game, condition, *(f"{name} {count}" for name, count in shares.items()))


if __name__ == "__main__":
    main()
