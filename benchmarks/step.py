"""How long a step takes while tracking, and a look, with the live program's own workers.

Frames of a rendered clip are kept in memory and fed at the clip's rate, so that looks and thoughts
compete with the steps for the processor as they do before a camera.

    python benchmarks/step.py [--seconds 8] [--rate 30]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ar_assist.assistant import Assistant
from ar_assist.games import GAMES
from ar_assist.scene import open_scene
from ar_assist.types import Frame
from ar_assist.workers import workers

BOARDS = {84: "rows=7,cols=12", 480: "rows=20,cols=24"}  # tiles: the scene's settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rate", type=float, default=30.0, help="frames/s")
    parser.add_argument("--tier", default="handheld")
    args = parser.parse_args()
    print(
        f"{'tiles':>6} {'step p50':>9} {'p95':>6} {'p99':>6} {'looks':>6} {'p50':>6} {'max':>6} ms"
    )
    for tiles, board in BOARDS.items():
        spec = f"scene:tier={args.tier},seed=1,seconds={args.seconds},{board}"
        steps, looks = measure(list(open_scene(spec)), args.rate)
        p50, p95, p99 = np.percentile(steps, [50, 95, 99])
        print(
            f"{tiles:6d} {p50:9.1f} {p95:6.1f} {p99:6.1f}"
            f" {len(looks):6d} {np.median(looks):6.0f} {max(looks):6.0f}"
        )


def measure(frames: list[Frame], rate: float) -> tuple[list[float], list[float]]:
    """(steps, looks) in ms; steps of tracked frames only."""
    steps, looks = [], []
    games = list(GAMES.values())
    with workers(games) as executors:
        executors[0].submit(int).result()  # loaded
        assistant = Assistant(games, *executors)
        start = time.perf_counter()
        for number, frame in enumerate(frames):
            time.sleep(max(0.0, start + number / rate - time.perf_counter()))
            view = assistant.step(frame)
            if view.plane is not None:
                steps.append(view.ms)
            if "look" in view.timing:
                looks.append(view.timing["look"])
    return steps, looks


if __name__ == "__main__":
    main()
