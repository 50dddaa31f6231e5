"""`ar-assist` (live): see the board through a camera and show the next move on the picture."""

from __future__ import annotations

import argparse
import shutil
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, replace
from pathlib import Path

from ar_assist import replay, runlog
from ar_assist.assistant import Assistant
from ar_assist.cli import options
from ar_assist.errors import UserError, writing
from ar_assist.live import Outputs, Session
from ar_assist.overlay import Look, draw
from ar_assist.recorder import Recorder, recorded
from ar_assist.settings import Settings
from ar_assist.speech import Voice
from ar_assist.types import Source
from ar_assist.video import Live, safe_name
from ar_assist.window import Window, can_show
from ar_assist.workers import share_one_heap, workers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    options.add_settings(parser)
    add = parser.add_argument
    add("--log", metavar="FILE", help="write the run log, one JSON object a line")
    add("--record", metavar="FILE", help="record the picture with the hint (MP4)")
    add("--save-raw", metavar="FILE", help="record what the camera gave (MP4), to replay it")
    add("--headless", action="store_true", help="no window")


def run(args: argparse.Namespace) -> int:
    """Run until the source ends or the player leaves."""
    share_one_heap()
    settings = options.gathered(args).settings
    options.check_apart(settings, args.log, args.record, args.save_raw)
    shows = not args.headless
    if shows and not can_show():
        raise UserError("no window can be opened here; use --headless with --log or --record")
    games = options.games(settings)
    with ExitStack() as stack:
        warming = stack.enter_context(workers(games)) if shows else None  # while a camera opens
        camera = stack.enter_context(closing(options.source(settings)))
        source = _dressed(stack, camera, settings, args.save_raw)
        is_replay = not shows and not source.live
        if is_replay and settings.speak:
            print("nothing is spoken of a clip that nobody watches", file=sys.stderr)
            settings = replace(settings, speak=False)
        outputs = _outputs(stack, settings, args, source)
        if is_replay:
            _replay(source, settings, outputs)
            return 0
        window = stack.enter_context(Window(source.size_wh)) if shows else None
        executors = warming or stack.enter_context(workers(games))
        orientation = options.orientation(settings)
        assistant = Assistant(games, *executors, orientation=orientation)
        now = camera.now if isinstance(camera, Live) else None
        Session(source, assistant, window, outputs, settings.scale, now).run()
    return 0


def _dressed(stack: ExitStack, source: Source, settings: Settings, raw: str | None) -> Source:
    """The source recorded as it comes, then corrected."""
    _print_obtained(source, settings)
    corrected = options.corrections(settings, source.size_wh)
    if raw:
        recorder = stack.enter_context(Recorder(raw, source.size_wh, live=source.live))
        _keep_beside(Path(raw), settings)
        source = recorded(source, recorder)
    return corrected(source)


def _keep_beside(raw: Path, settings: Settings) -> None:
    """The files of camera and light under the recording's name."""
    kept = {".camera.json": settings.calibration, ".light.json": settings.light}
    for suffix, file in kept.items():
        copy = raw.with_suffix(suffix)
        if file:
            with writing(copy), suppress(shutil.SameFileError):  # it is there
                shutil.copyfile(file, copy)


def _print_obtained(source: Source, settings: Settings) -> None:
    """What the source gives; of a camera, what it was asked for too.

    A stream cannot be asked for anything, and its rate is often not told: the status line has it.
    """
    width, height = source.size_wh
    obtained = f"{source.name}: {width}x{height}"
    if not source.live:
        obtained += f", {source.fps:g} frames/s"
    elif "://" not in settings.source:
        rate = f" at {settings.fps:g}/s" if settings.fps else ""
        asked = f"{settings.size or 'the default size'}{rate}"
        obtained += f", {source.fps:g} frames/s (asked for {asked})"
    print(obtained, file=sys.stderr)


def _outputs(
    stack: ExitStack, settings: Settings, args: argparse.Namespace, source: Source
) -> Outputs:
    voice = stack.enter_context(closing(Voice())) if settings.speak else None
    if voice is not None and not voice.is_there:
        raise UserError(
            "--speak: this system has no voice (install espeak-ng or speech-dispatcher)"
        )
    shown = asdict(replace(settings, source=safe_name(settings.source)))
    return Outputs(
        log=stack.enter_context(runlog.Writer(args.log)) if args.log else None,
        record=stack.enter_context(Recorder(args.record, source.size_wh, live=source.live))
        if args.record
        else None,
        voice=voice,
        tell=(lambda words: print(words, file=sys.stderr)) if args.headless else None,
        settings=shown,
    )


def _replay(source: Source, settings: Settings, outputs: Outputs) -> None:
    """A clip that nobody watches: on clip time, every frame, the same result each time."""
    orientation = options.orientation(settings)
    for view in replay.run(source, options.games(settings), orientation=orientation):
        if outputs.log is not None:
            outputs.log.write(view)
        if outputs.record is not None:
            outputs.record.write(draw(view, Look(scale=settings.scale)), view.frame.time)
