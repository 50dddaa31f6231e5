"""Does `--light` help? Single pictures of rendered link boards in bad light, as seen and evened.

    python benchmarks/light.py [--light plain|washed|faint|warm] [--seed S] [--count N]

For each seed the greys are shown on the screen first and measured, as `ar-assist calibrate --light`
does; then the same camera looks at the game, with its own automatic exposure.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import cv2
import numpy as np

from ar_assist import replay, runlog
from ar_assist.evaluate import ClipScore, parse_record, parse_truth, score
from ar_assist.games import GAMES
from ar_assist.scene.backdrop import Box
from ar_assist.scene.conditions import draw
from ar_assist.scene.render import Renderer
from ar_assist.scene.show import NoGame, device_of
from ar_assist.scene.tiers import Wanted
from ar_assist.scene.world import World
from ar_assist.types import Frame, Image
from calibration import greys
from calibration.light import measure

TIERS = ("tripod", "handheld", "phone", "farscreen")  # by turns
LIGHTS = {
    "plain": lambda world: world,
    "washed": lambda world: lit(world, haze=0.5, ambient=0.8),  # black as bright as half of white
    "faint": lambda world: lit(world, haze=0.6, ambient=1.5, brightness=0.5),  # 35 levels are left
    "warm": lambda world: replace(world, chip=replace(world.chip, balance=(0.45, 0.9, 1.25))),
}


class Greys(NoGame):
    """A screen that shows the greys."""

    def __init__(self, size_wh: tuple[int, int]) -> None:
        upright = size_wh[1] > size_wh[0]  # a phone is turned
        picture = np.rot90(greys.picture()) if upright else greys.picture()
        self.picture = cv2.resize(picture, size_wh, interpolation=cv2.INTER_AREA)
        self.size_wh, self.board = size_wh, None
        self.kept, self.device = Box(0, 0, *size_wh), device_of(size_wh)


def lit(world: World, **light: float) -> World:
    return replace(world, light=replace(world.light, **light))


def scored(image: Image, world: World) -> ClipScore:
    """What is said of a picture, against the truth."""
    truth = world.truth()
    record = runlog.record(replay.still(Frame(0, 0.0, image), [GAMES["link"]]))
    return score([parse_record(record)], parse_truth({**truth, "frames": truth["frames"][:1]}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--light", choices=LIGHTS, default="faint")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=24)
    args = parser.parse_args()
    counts: dict[str, np.ndarray] = {"as seen": np.zeros(3, int), "evened": np.zeros(3, int)}
    measured = 0
    for seed in range(args.seed, args.seed + args.count):
        world = LIGHTS[args.light](draw(Wanted(tier=TIERS[seed % 4], seed=seed, seconds=0.1)))
        shown = Renderer(replace(world, show=Greys(world.show.size_wh))).frame(0)
        patches = greys.patches(shown)
        if patches is None:
            continue  # the screen reaches out of the picture, or is too faint
        measured += 1
        image = Renderer(world).frame(0)
        pictures = {"as seen": image, "evened": measure([patches]).even(image)}
        for name, picture in pictures.items():
            frame = scored(picture, world).frames[0]
            hint = frame.hint is not None
            right = hint and bool(frame.hint_right)
            counts[name] += [frame.exact, right, hint and not right]
    print(f"{args.light}: {measured} of {args.count} could be measured")
    for name, (exact, right, wrong) in counts.items():
        print(f"{name}: {exact} boards exact, {right} right hints, {wrong} wrong")


if __name__ == "__main__":
    main()
