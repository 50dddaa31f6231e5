"""`ar-assist doctor`: what a bug report needs, and whether this machine is up to the task."""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from ar_assist import bundle
from ar_assist.assistant import Assistant
from ar_assist.errors import UserError
from ar_assist.games import GAMES
from ar_assist.live import Outputs, Session
from ar_assist.recorder import Recorder
from ar_assist.settings import DEFAULT_PROFILE, gather, profile_path
from ar_assist.speech import Voice
from ar_assist.types import Frame, Image
from ar_assist.video import Live, open_source
from ar_assist.video.devices import cameras
from ar_assist.video.files import read_only
from ar_assist.window import can_show
from ar_assist.workers import workers

TRIAL_S = 4.0  # of the pipeline on rendered frames
TRIAL_FPS = 30.0
TRIAL_SCENE = "scene:tier=tripod,seed=1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb has no options."""


def run(args: argparse.Namespace) -> int:
    """Print one line for each thing that matters; nothing here ends the report."""
    for name, text in bundle.versions().items():
        print(f"{name}: {text}")
    print(f"cores: {os.cpu_count()}")
    checks: dict[str, Callable[[], str]] = {
        "display": lambda: "a window can be opened" if can_show() else "none: use --headless",
        "video": _video,
        "recording": _recording,
        "voice": lambda: "there is one" if Voice().is_there else "none (--speak needs one)",
        "profile": _profile,
        "cameras": lambda: "; ".join(f"{c.index} {c.name}" for c in cameras()) or "none found",
        "latency": _latency,
    }
    for name, check in checks.items():
        try:
            print(f"{name}: {check()}")
        except (UserError, OSError, cv2.error) as error:
            print(f"{name}: FAILED, {error}")
    return 0


def _video() -> str:
    registry = cv2.videoio_registry
    names = {registry.getBackendName(b) for b in registry.getBackends()}
    return f"OpenCV reads by {', '.join(sorted(names))}"


def _recording() -> str:
    """Write a clip and read it back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.mp4"
        with Recorder(path, (320, 240)) as recorder:
            for i in range(10):
                recorder.write(np.full((240, 320, 3), i * 20, np.uint8), i / 30)
        played = len(list(open_source(str(path))))
    return "works" if played == 10 else f"FAILED, {played} of 10 frames could be read back"


def _profile() -> str:
    gather({})  # says what is wrong with it, or with the environment
    return str(profile_path(DEFAULT_PROFILE))


def _latency() -> str:
    """Run the live loop, unseen, on a camera made of rendered frames."""
    games = tuple(GAMES.values())
    frames = list(itertools.islice(open_source(TRIAL_SCENE), 15))
    source = Live("trial", lambda: _Rendered(frames), TRIAL_FPS)
    try:
        with workers(games) as executors:
            assistant = Assistant(games, *executors)
            limited = _Limited(source, TRIAL_S)
            session = Session(limited, assistant, None, Outputs(), now=source.now)
            session.run()
    finally:
        source.close()
    p50, p95 = session.meter.percentiles_ms()
    width, height = source.size_wh
    return (
        f"p50 {p50:.0f} ms, p95 {p95:.0f} ms from a frame's arrival to its picture, "
        f"{session.meter.fps:.0f} of {TRIAL_FPS:.0f} frames/s at {width}x{height}"
    )


class _Rendered:
    """A feed that gives the same few frames to and fro at TRIAL_FPS, as JPEG like most cameras."""

    def __init__(self, frames: list[Frame]) -> None:
        jpegs = [cv2.imencode(".jpg", frame.image)[1] for frame in frames]
        self._jpegs = itertools.cycle(jpegs + jpegs[-2:0:-1])
        self._due = time.monotonic()

    def read(self) -> tuple[Image, float, float | None]:
        self._due += 1 / TRIAL_FPS
        time.sleep(max(0.0, self._due - time.monotonic()))
        arrival = time.monotonic()
        image = cv2.imdecode(next(self._jpegs), cv2.IMREAD_COLOR)
        assert image is not None
        return read_only(np.asarray(image, np.uint8)), arrival, None

    def close(self) -> None:
        """Nothing is held open."""


class _Limited:
    """The first seconds of a live source."""

    live = True

    def __init__(self, source: Live, seconds: float) -> None:
        self.name, self.fps, self.size_wh = source.name, source.fps, source.size_wh
        self._source, self._seconds = source, seconds
        self.close = source.close

    def __iter__(self) -> Iterator[Frame]:
        return itertools.takewhile(lambda frame: frame.time < self._seconds, self._source)
