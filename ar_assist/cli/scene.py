"""`ar-assist scene`: write a rendered clip and its truth."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2

from ar_assist.errors import UserError, writing
from ar_assist.scene import Scene, open_scene
from ar_assist.scene.conditions import GAMES
from ar_assist.scene.looks import LOOKS
from ar_assist.scene.tiers import TIERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("--tier", default="handheld", metavar="NAME", help=", ".join(TIERS))
    parser.add_argument("--seed", type=int, default=0, help="another number, another clip")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where to write")
    parser.add_argument("--size", default="1280x720", metavar="WxH", help="of the frames, px")
    parser.add_argument("--fps", type=float, default=30.0, help="frames a second")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of the clip")
    games = "link (the usual one), " + ", ".join(game for game in GAMES if game != "link")
    parser.add_argument("--game", metavar="NAME", help=games)
    parser.add_argument("--look", metavar="NAME", help=", ".join(LOOKS))
    for name in ("rows", "cols", "kinds"):
        parser.add_argument(f"--{name}", type=int, help=f"{name} of a link board")
    parser.add_argument("--gravity", help="how tiles slide after a pair is gone")
    parser.add_argument("--taken", type=float, help="share of the tiles gone at the start")


def run(args: argparse.Namespace) -> int:
    """Write `TIER-SEED.mp4`, its truth `.json` and the camera file `.camera.json`."""
    names = (
        "tier",
        "seed",
        "size",
        "fps",
        "seconds",
        "game",
        "look",
        "rows",
        "cols",
        "kinds",
        "gravity",
        "taken",
    )
    given = {name: getattr(args, name) for name in names}
    spec = ",".join(f"{name}={value}" for name, value in given.items() if value is not None)
    scene = open_scene("scene:" + spec)
    if any(side % 2 for side in scene.size_wh):
        raise UserError(f"--size {args.size}: a video's sides are even")
    with writing(args.out):
        args.out.mkdir(parents=True, exist_ok=True)
        clip = write(scene, args.out / f"{args.tier}-{args.seed}.mp4")
    print(clip)
    return 0


def write(scene: Scene, clip: Path) -> Path:
    """Render a scene into a clip, with its truth and its camera beside it."""
    truth = {"video": clip.name, **scene.truth}
    clip.with_suffix(".json").write_text(json.dumps(truth, separators=(",", ":")) + "\n")
    camera = json.dumps(scene.world.optics.record(), indent=1)
    clip.with_suffix(".camera.json").write_text(camera + "\n")
    writer = cv2.VideoWriter(str(clip), cv2.VideoWriter.fourcc(*"mp4v"), scene.fps, scene.size_wh)
    if not writer.isOpened():
        raise UserError(f"{clip}: can't be written as a video")
    try:
        for frame in scene:
            writer.write(frame.image)
    finally:
        writer.release()
    return clip
