"""`ar-assist demo`: the whole program without a camera."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from ar_assist import replay
from ar_assist.assistant import Assistant
from ar_assist.cli import options
from ar_assist.cli.files import make_folder, write_png
from ar_assist.live import Outputs, Session
from ar_assist.overlay import Look, draw
from ar_assist.recorder import Recorder
from ar_assist.settings import Settings
from ar_assist.types import Frame, Image, Source
from ar_assist.video import open_source
from ar_assist.window import Window, can_show
from ar_assist.workers import workers

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "tripod-3.mp4"  # in a checkout
RENDERED = "scene:tier=handheld,seed=1"  # where there are no samples
SHEET_COLS, SHEET_ROWS, SHEET_WIDTH_PX = 3, 3, 640  # of the contact sheet and its pictures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("--headless", action="store_true", help="no window, write files")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where to")
    parser.add_argument("--source", metavar="X", help="another clip or scene")
    options.add_game(parser)
    parser.add_argument("--scale", type=float, metavar="F", help="size of letters and lines")


def run(args: argparse.Namespace) -> int:
    """Show the sample clip in a window; without a display write a video and a contact sheet."""
    settings = Settings(
        source=args.source or _sample(),
        game=args.game or "auto",
        gravity=args.gravity or "auto",
        scale=args.scale or 1.0,
    )
    with closing(open_source(settings.source)) as source:
        if args.headless or not can_show():
            _write(source, settings, args.out)
        else:
            _show(source, settings)
    return 0


def _sample() -> str:
    return str(SAMPLE) if SAMPLE.exists() else RENDERED


def _show(source: Source, settings: Settings) -> None:
    print(f"{source.name}: press h in the window for the keys, q to quit")
    games = options.games(settings)
    with Window(source.size_wh) as window, workers(games) as executors:
        assistant = Assistant(games, *executors)
        Session(Looped(source), assistant, window, Outputs(), settings.scale).run()


class Looped:
    """A clip again and again, until the player leaves."""

    live = False

    def __init__(self, clip: Source) -> None:
        self.name, self.fps, self.size_wh = clip.name, clip.fps, clip.size_wh
        self._clip = clip
        self.close = clip.close

    def __iter__(self) -> Iterator[Frame]:
        index, start = 0, 0.0
        while True:
            end = start
            for frame in self._clip:
                end = start + frame.time
                yield replace(frame, index=index, time=end)
                index += 1
            start = end + 1 / self.fps


def _write(source: Source, settings: Settings, folder: Path) -> None:
    make_folder(folder)
    video, sheet = folder / "demo.mp4", folder / "demo.png"
    options.check_apart(settings, video, sheet)
    pictures = []
    width, height = source.size_wh
    small = (SHEET_WIDTH_PX, round(SHEET_WIDTH_PX * height / width))
    with Recorder(video, source.size_wh) as recorder:
        for view in replay.run(source, options.games(settings), replay.LOOK_LATENCY_S):
            image = draw(view, Look(scale=settings.scale))
            recorder.write(image, view.frame.time)
            shrunk = cv2.resize(image, small, interpolation=cv2.INTER_AREA)
            pictures.append(np.asarray(shrunk, np.uint8))
    write_png(sheet, _contact_sheet(pictures))
    print(f"{source.name}: {len(pictures)} frames, see {video} and {sheet}")


def _contact_sheet(pictures: list[Image]) -> Image:
    """Pictures spread evenly over the clip, in rows."""
    chosen = np.linspace(0, len(pictures) - 1, SHEET_COLS * SHEET_ROWS).round().astype(int)
    rows = np.split(chosen, SHEET_ROWS)
    return np.vstack([np.hstack([pictures[i] for i in row]) for row in rows])
