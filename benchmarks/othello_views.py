"""Read rendered Othello screens and tables from many sides, found by the finder alone.

    python benchmarks/othello_views.py [--views N] [--first SEED] [--glare]

Each seed draws one view of a condition, tilted by up to 55 degrees, that is looked at as the
program does; prints exact, wrong and missed boards by game and condition, the seeds that failed,
how many wrong boards were believed, and, of the boards that show coordinates, how many were turned
as these say, left as the camera saw them, and turned wrongly. `--glare`: with lamps mirrored in
it, which hide squares.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import cv2
import numpy as np

from ar_assist.belief import SURE
from ar_assist.games.othello import OthelloGame
from ar_assist.look import Task, look
from ar_assist.scene import open_scene
from ar_assist.types import Frame, Points

GAMES = ("othello", "othello-table")
CONDITIONS = ("tripod", "rotated", "oblique45", "oblique60", "handheld")
TILT = 55.0  # degrees; views from further aside are left out
CORNER_TOL = 0.35  # cells: a border that is off by more is another grid


def read(frame: Frame) -> tuple[Any, Points] | None:
    """What a look sees, and the board's corners in the frame."""
    sight = look(Task(frame, (OthelloGame(),)))
    return (sight.reading, sight.plane.to_frame(sight.reading.corners)) if sight else None


def turns(corners: Points, truth: dict[str, Any]) -> int | None:
    """Quarters by which the board was read turned clockwise; None where it is elsewhere."""
    wanted = np.array(truth["corners"])
    side = np.sqrt(cv2.contourArea(wanted.astype(np.float32))) / 8
    for turn in range(4):
        if (
            np.linalg.norm(np.roll(corners, turn, axis=0) - wanted, axis=1).max()
            < CORNER_TOL * side
        ):
            return turn
    return None


def outcome(found: tuple[Any, Points] | None, truth: dict[str, Any]) -> str:
    """`missed`, `exact` or `wrong`, whatever quarter turn the board was read in."""
    if found is None:
        return "missed"
    reading, corners = found
    turn = turns(corners, truth)
    if turn is None:
        return "wrong"
    read_cells = np.rot90(np.array(reading.board.cells), -turn)
    return "exact" if (read_cells == np.array(truth["cells"])).all() else "wrong"


def as_coordinates_say(corners: Points, truth: dict[str, Any]) -> str:
    """`right`, `wrong`, or `left` as the camera sees it where that is another way."""
    if turns(corners, truth) == 0:
        return "right"
    along = corners[1] - corners[0]
    return "left" if along[0] > abs(along[1]) else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=200)
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--glare", action="store_true")
    args = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    orientations: Counter[str] = Counter()
    conditions = ("glare",) if args.glare else CONDITIONS
    seed, believed = args.first, 0
    while counts.total() < args.views:
        game, condition = GAMES[seed % 2], conditions[seed // 2 % len(conditions)]
        scene = open_scene(f"scene:tier={condition},seed={seed},game={game}")
        truth = scene.truth["frames"][0]
        seed += 1
        if truth["board"] is None or truth["tilt_deg"] > TILT:
            continue
        found = read(next(iter(scene)))
        result = outcome(found, truth["board"])
        if found and truth["coordinates"]:
            orientations[as_coordinates_say(found[1], truth["board"])] += 1
        counts[game, condition, result] += 1
        if result != "exact":
            confidence = found[0].confidence if found else 0.0
            believed += confidence >= SURE
            print(
                f"{game} {condition} seed {seed - 1}: {result}, sure {confidence:.2f}", flush=True
            )
    for game in GAMES:
        for condition in conditions:
            shares = {r: counts[game, condition, r] for r in ("exact", "wrong", "missed")}
            print(game, condition, *(f"{name} {count}" for name, count in shares.items()))
    exact = sum(count for (_, _, result), count in counts.items() if result == "exact")
    print(f"{exact} of {counts.total()} exact, {believed} wrong ones believed at once")
    print("with coordinates:", *(f"{name} {count}" for name, count in sorted(orientations.items())))


if __name__ == "__main__":
    main()
