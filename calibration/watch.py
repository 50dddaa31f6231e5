"""`calibrate --light`: show the greys, or measure how a camera sees them."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from calibration import greys, pictures
from calibration.camera import Image
from calibration.greys import Patches
from calibration.light import Light, measure
from calibration.pictures import CalibrationError, Opens

SETTLE = 30  # frames of a camera that sets its exposure to the greys
ENOUGH = 30  # frames: one or two seconds, in which slow beats of a flicker pass too


def run(args: argparse.Namespace, size_wh: tuple[int, int], camera: Opens) -> int:
    """Do what the arguments of `calibrate` ask; CalibrationError for what the user can mend."""
    if args.target:
        pictures.write_page(Path(args.target), greys.picture())
        print(f"{args.target}: show it on the whole screen that is to be watched")
        return 0
    if args.show:
        shown = greys.picture()
        return pictures.show_until_key(lambda size_wh: shown)
    if args.check:
        raise CalibrationError("--light has no --check: measure anew", 2)
    out = Path(args.out or "light.json")
    pictures.check_output(out)
    if args.source:
        pictures_of = pictures.from_files(args.source)
        found = [p for _, image in pictures_of if (p := greys.patches(image)) is not None]
    else:
        found = _live(camera(args.camera, size_wh))
    return _save(found, out)


def _save(found: list[Patches], out: Path) -> int:
    try:
        light = measure(found, datetime.date.today().isoformat())
        light.save(out)
    except ValueError as error:
        raise CalibrationError(str(error), 1) from error
    except OSError as error:
        raise CalibrationError(f"can't write {out}: {error.strerror}", 2) from error
    print(f"{out}: {_words(light)}")
    for line in light.advice():
        print(line)
    return 0


def _words(light: Light) -> str:
    def tone(values: Iterable[float]) -> str:
        return "/".join(f"{value:.0f}" for value in reversed(tuple(values)))

    flicker = "not seen often enough" if light.flicker is None else f"{100 * light.flicker:.1f} %"
    return (
        f"white {tone(light.white)}, black {tone(light.black)} (red/green/blue, 0 to 255), "
        f"gamma {light.gamma:.2f}, flicker {flicker}, {light.frames} pictures"
    )


def _live(camera: Iterable[Image]) -> list[Patches]:
    """Show the greys here too, in case this is the screen that is watched, and look on."""
    seen: list[Patches] = []
    said = ""
    with suppress(KeyboardInterrupt):  # the only key where there is no window
        for image in camera:
            patches = greys.patches(image)
            if patches is not None:
                seen.append(patches)
            words = "measuring" if patches is not None else "the greys are not in view"
            said = pictures.say(f"{words} (any key ends, or Ctrl-C)", said)
            if len(seen) == SETTLE + ENOUGH or pictures.show(greys.picture(), 1):
                break
    return seen[SETTLE:]
