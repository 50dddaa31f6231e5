"""Options that several verbs share, and what follows from them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from ar_assist.errors import SourceError, UserError
from ar_assist.games import GAMES
from ar_assist.games.link import LinkGame
from ar_assist.games.link.board import GRAVITIES, GRAVITY_WORDS
from ar_assist.games.nonogram import NonogramGame
from ar_assist.games.othello import OthelloGame
from ar_assist.look import Orientation
from ar_assist.settings import FILES, Gathered, Settings, gather
from ar_assist.types import AnyGame, Source
from ar_assist.video import calibrated, evened, open_source

T = TypeVar("T")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The flags of `Settings`; not given is None, so that environment and profile can speak."""
    add = parser.add_argument
    source = parser.add_mutually_exclusive_group()
    what = "index, /dev/videoN, file, folder, glob, http://…, rtsp://… or scene:…"
    source.add_argument("--source", metavar="X", help=what)
    source.add_argument("--camera", dest="source", metavar="N", help="camera by index or device")
    source.add_argument("--video", dest="source", metavar="FILE", help="video file")
    add("--size", metavar="WxH", help="size asked of the camera")
    add("--fps", type=float, help="frames a second asked of the camera")
    add("--backend", metavar="NAME", help="OpenCV's camera backend: V4L2, DSHOW, AVFOUNDATION, …")
    add_corrections(parser)
    add_game(parser)
    add("--turn", type=int, metavar="N", help="turn the reading by N quarter turns clockwise")
    add("--mirror", action="store_true", default=None, help="the camera shows the board mirrored")
    add("--scale", type=float, metavar="F", help="size of letters and lines, 1 is normal")
    add("--speak", action="store_true", default=None, help="speak the hints")
    add("--profile", default="", metavar="NAME", help="settings kept under this name")


def add_corrections(parser: argparse.ArgumentParser) -> None:
    """What lens and light do to the pictures."""
    add = parser.add_argument
    add("--calibration", metavar="FILE", help="the camera's file made by `ar-assist calibrate`")
    add("--light", metavar="FILE", help="the screen's file made by `ar-assist calibrate --light`")


def add_game(parser: argparse.ArgumentParser) -> None:
    """Which game to look for, and its rules."""
    add = parser.add_argument
    add("--game", choices=["auto", *GAMES], help="auto looks for any game")
    help_ = f"{GRAVITY_WORDS}; auto, the usual: as the moves seen tell"
    add("--gravity", choices=["auto", *GRAVITIES], metavar="RULE", help=help_)
    add("--strength", type=int, metavar="N", help="Othello: 1 to 10; 5 takes about a second")
    add("--side", choices=["auto", "black", "white"], help="Othello: who is to move")
    add("--both", action="store_true", default=None, help="Othello: both sides' legal moves")
    add("--flips", action="store_true", default=None, help="Othello: discs the best move turns")
    add("--whole", action="store_true", default=None, help="nonogram: all cells that are certain")


def gathered(args: argparse.Namespace) -> Gathered:
    """The settings that hold for these flags."""
    return gather(vars(args), args.profile)


def games(settings: Settings) -> tuple[AnyGame, ...]:
    """The games to look for, with their rules."""
    if settings.game not in ("auto", *GAMES):
        raise UserError(f"game: auto, {', '.join(GAMES)}; got '{settings.game}'")
    if settings.gravity not in ("auto", *GRAVITIES):
        raise UserError(f"gravity: auto, {', '.join(GRAVITIES)}; got '{settings.gravity}'")
    chosen = GAMES.values() if settings.game == "auto" else [GAMES[settings.game]]
    return tuple(_with_rules(game, settings) for game in chosen)


def _with_rules(game: AnyGame, settings: Settings) -> AnyGame:
    if isinstance(game, LinkGame):
        return replace(game, gravity=settings.gravity)
    if isinstance(game, OthelloGame):
        side: Literal["black", "white"] | None = None
        if settings.side != "auto":
            side = "black" if settings.side == "black" else "white"
        strength, both, flips = settings.strength, settings.both, settings.flips
        return replace(game, side=side, strength=strength, both=both, flips=flips)
    if isinstance(game, NonogramGame):
        return replace(game, whole=settings.whole)
    return game


def orientation(settings: Settings) -> Orientation:
    """How the reading is turned and mirrored."""
    return Orientation(settings.turn % 4, settings.mirror)


def source(settings: Settings) -> Source:
    """The source as its camera made it."""
    wanted = settings.size_wh
    return open_source(settings.source, wanted, settings.fps or None, settings.backend)


def stored(settings: Settings) -> Source:
    """The source, of pictures or a clip; SourceError for a camera or a stream."""
    opened = source(settings)
    if opened.live:
        opened.close()
        raise SourceError(
            f"{opened.name}: not a picture (cameras and streams are for `ar-assist live`)"
        )
    return opened


def corrections(settings: Settings, size_wh: tuple[int, int]) -> Callable[[Source], Source]:
    """What undoes lens and light in a source of this size; a wrong file is said now."""
    from calibration import Camera
    from calibration.light import Light

    steps: list[Callable[[Source], Source]] = []
    if settings.light:
        light = _loaded(settings.light, Light.load)
        steps.append(lambda source: evened(source, light))
    if settings.calibration:  # last: what is read is even, and as the lens bends it
        camera = _loaded(settings.calibration, lambda path: Camera.load(path).at_size(*size_wh))
        steps.append(lambda source: calibrated(source, camera))

    def corrected(source: Source) -> Source:
        for step in steps:
            source = step(source)
        return source

    return corrected


def check_files(settings: Settings) -> None:
    """UserError where no camera's or screen's file is under its name; its size is not looked at."""
    from calibration import Camera
    from calibration.light import Light

    if settings.calibration:
        _loaded(settings.calibration, Camera.load)
    if settings.light:
        _loaded(settings.light, Light.load)


def _loaded(path: str, load: Callable[[str], T]) -> T:
    try:
        return load(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None


def check_output(path: Path) -> None:
    """UserError where no file can be written: said before the work and not after it."""
    if not path.absolute().parent.is_dir():
        raise UserError(f"{path}: can't be written (no such folder)")
    if path.is_dir():
        raise UserError(f"{path}: can't be written (it is a folder)")


def check_apart(settings: Settings, *outputs: str | Path | None) -> None:
    """UserError where a file is to be written that is read in the same run, or written twice."""
    inputs = (settings.source, *(getattr(settings, name) for name in FILES))
    taken = {Path(name).expanduser().resolve() for name in inputs}
    for output in outputs:
        if output is None:
            continue
        path = Path(output).resolve()
        if path in taken:
            raise UserError(f"{output}: can't be written (this run reads it, or writes it twice)")
        taken.add(path)


def check_latency(seconds: float) -> None:
    """UserError unless a look of a clip can take so long."""
    if not 0 <= seconds < math.inf:
        raise UserError(f"--latency: 0 s or more, got {seconds:g}")
