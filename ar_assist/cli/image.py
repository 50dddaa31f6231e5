"""`ar-assist image`: find the board in photographs and show the next move on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ar_assist import replay, runlog
from ar_assist.addresses import without_credentials
from ar_assist.cli import options
from ar_assist.cli.files import make_folder, write_png
from ar_assist.errors import SourceError
from ar_assist.overlay import Look, draw, status_words
from ar_assist.settings import Settings
from ar_assist.types import AnyGame, Frame, View


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="pictures, folders or globs")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the pictures with the hint")
    parser.add_argument("--log", metavar="FILE", help="write a line of JSON for each picture")
    parser.add_argument("--debug", action="store_true", help="with what was read beside it")
    options.add_game(parser)
    options.add_corrections(parser)
    parser.add_argument("--scale", type=float, metavar="F", help="size of letters and lines")
    parser.add_argument("--profile", default="", metavar="NAME", help="settings kept under a name")


def run(args: argparse.Namespace) -> int:
    """Look at each picture; a bad one is told and the others still looked at, exit code 3."""
    settings = options.gathered(args).settings
    games = options.games(settings)
    look = Look(scale=settings.scale, debug=args.debug)
    failed = 0
    with ExitStack() as stack:
        log = stack.enter_context(runlog.Writer(args.log)) if args.log else None
        for photo in args.photos:
            try:
                for view in _views(photo, settings, games):
                    print(f"{view.frame.name}: {', '.join(status_words(view))}")
                    if log is not None:
                        log.write(view)
                    if args.out is not None:
                        make_folder(args.out)
                        free = _free(args.out, Path(view.frame.name).stem)
                        write_png(free, draw(view, look))
            except SourceError as error:
                print(f"ar-assist: {without_credentials(str(error))}", file=sys.stderr)
                failed = error.exit_code
    return failed


def _views(photo: str, settings: Settings, games: tuple[AnyGame, ...]) -> Iterator[View]:
    source = options.stored(replace(settings, source=photo))
    for frame in options.corrections(settings, source.size_wh)(source):
        named: Frame = frame if frame.name else replace(frame, name=f"{photo}:{frame.index}")
        yield replay.still(named, games, orientation=options.orientation(settings))


def _free(folder: Path, stem: str) -> Path:
    """A PNG's name that is still free in the folder."""
    path, number = folder / f"{stem}.png", 2
    while path.exists():
        path, number = folder / f"{stem}-{number}.png", number + 1
    return path
