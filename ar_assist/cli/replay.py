"""`ar-assist replay CLIP`: the live pipeline on clip time, the same result each time."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import ExitStack, closing

from ar_assist import replay, runlog
from ar_assist.cli import options
from ar_assist.errors import UserError
from ar_assist.overlay import Look, draw
from ar_assist.recorder import Recorder
from ar_assist.types import Source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("source", metavar="CLIP", help="a clip, folder, picture or scene:…")
    add("--log", metavar="FILE", help="write the run log, one JSON object a line")
    add("--record", metavar="FILE", help="write the clip with the hints drawn (MP4)")
    add("--stride", type=int, default=1, metavar="N", help="every N-th frame only")
    add(
        "--latency",
        type=float,
        default=0.0,
        metavar="S",
        help="seconds that a look takes which finds a board",
    )
    options.add_corrections(parser)
    options.add_game(parser)
    add("--profile", default="", metavar="NAME", help="settings kept under a name")


def run(args: argparse.Namespace) -> int:
    """Replay the clip; prints how many frames were in which state."""
    if args.stride < 1:
        raise UserError(f"--stride: 1 or more, got {args.stride}")
    options.check_latency(args.latency)
    settings = options.gathered(args).settings
    options.check_apart(settings, args.log, args.record)
    games, orientation = options.games(settings), options.orientation(settings)
    states: Counter[str] = Counter()
    with ExitStack() as stack:
        source: Source = stack.enter_context(closing(options.source(settings)))
        source = options.corrections(settings, source.size_wh)(source)
        log = stack.enter_context(runlog.Writer(args.log)) if args.log else None
        record = args.record and stack.enter_context(Recorder(args.record, source.size_wh))
        views = replay.run(source, games, args.latency, stride=args.stride, orientation=orientation)
        for view in views:
            states[view.state] += 1
            if log:
                log.write(view)
            if record:
                record.write(draw(view, Look(scale=settings.scale)), view.frame.time)
    counted = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    print(f"{sum(states.values())} frames: {counted}", file=sys.stderr)
    return 0
