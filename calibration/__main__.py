"""`python -m calibration`: make a target; measure from pictures, a clip or a camera; check.

Measured is the lens or, with --light, how the watched screen's tones are seen.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

import cv2
import numpy as np

from calibration import pictures, watch
from calibration.camera import Camera, Image
from calibration.fit import MIN_VIEWS, calibrate, reprojection_rms
from calibration.guide import objection, wanted
from calibration.pictures import CalibrationError, Opens
from calibration.target import Target, View

TITLE = "calibrate (q ends)"
SQUARE_PX = 200  # of a target to print, at 300 dpi 17 mm
ADDRESS = re.compile(r"[^\s'\"]*(://|@)[^\s'\"]*")  # of a stream, with a password perhaps
GOOD_RMS_PX = 1.0  # of a camera file that fits the camera: corners themselves are good to 0.3 px


def main(argv: Sequence[str] | None = None) -> int:
    parser = _Parser(prog="calibrate", description=__doc__)
    add_arguments(parser)
    try:
        return run(parser.parse_args(argv))
    except CalibrationError as error:
        print(f"calibrate: {ADDRESS.sub('…', str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


class _Parser(argparse.ArgumentParser):
    """One that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise CalibrationError(f"{message} (--help tells more)", 2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--target", metavar="FILE", help="write the target: .png, or .pdf to print")
    what.add_argument("--show", action="store_true", help="show the target on this screen")
    what.add_argument("--from", dest="source", metavar="FOLDER|CLIP", help="measure on pictures")
    what.add_argument(
        "--camera", metavar="N", help="measure live, with guidance (q or Ctrl-C ends)"
    )
    what.add_argument(
        "--check",
        metavar="CAMERA.json",
        help="tell of a camera file, and test it on --with pictures",
    )
    parser.add_argument(
        "--light", action="store_true", help="not the lens: the tones of the screen to be watched"
    )
    parser.add_argument("--size", default="1280x720", metavar="WxH", help="asked of the camera")
    parser.add_argument("--pattern", default="charuco:9x6", help="charuco:CxR or chessboard:CxR")
    parser.add_argument(
        "--square-mm", type=float, default=0.0, help="side of a square as measured, for the record"
    )
    parser.add_argument("--with", dest="pictures", metavar="FOLDER|CLIP", help="for --check")
    parser.add_argument(
        "--out", metavar="FILE", help="camera.json, light.json, or --check's picture camera.png"
    )


def run(args: argparse.Namespace, camera: Opens = pictures.from_camera) -> int:
    """Do what the arguments ask; CalibrationError for what the user can mend."""
    asked_wh = _size(args.size)
    if args.light:
        return watch.run(args, asked_wh, camera)
    try:
        target = Target.parse(args.pattern, args.square_mm)
    except ValueError as error:
        raise CalibrationError(str(error), 2) from error
    if args.target:
        pictures.write_page(Path(args.target), target.picture(SQUARE_PX))
        how = "print it and glue it flat, or open it full-screen on a phone (or a monitor: --show)"
        print(f"{args.target}: {target}; {how}")
        return 0
    if args.show:
        if pictures.can_show():
            print(f"{target}; measure a square if you like (--square-mm keeps it); any key ends")
        return pictures.show_until_key(cache(target.page))
    out = Path(args.out or "camera.json")
    if args.check:
        return _check(args, target, out.with_suffix(".png"))
    pictures.check_output(out)
    if args.source is None:
        found = _live(target, camera(args.camera, asked_wh))
    else:
        found = _from_files(target, args.source)
    return _save(*found, target, out)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise CalibrationError(f"--size: WIDTHxHEIGHT such as 1280x720, got '{text}'", 2)
    return int(width), int(height)


def _save(views: Sequence[View], size_wh: tuple[int, int], target: Target, out: Path) -> int:
    try:
        date = datetime.date.today().isoformat()
        camera = calibrate(views, size_wh, target.in_full, date)
        camera.save(out)
    except ValueError as error:
        raise CalibrationError(str(error), 1) from error
    except OSError as error:
        raise CalibrationError(f"can't write {out}: {error.strerror}", 2) from error
    e = camera.evidence
    print(
        f"{out}: focal length {camera.fx:.1f} ± {e.focal_sigma_px:.1f} px, rms {e.rms_px:.2f} px, "
        f"{e.views} views ({e.rejected} left out), {100 * e.coverage:.0f} % of the picture covered"
    )
    missing = wanted(views, size_wh)
    if missing:
        print(f"it would be better still with more views: {missing}")
    return 0


def _from_files(target: Target, source: str) -> tuple[list[View], tuple[int, int]]:
    """The views that are of use; the first picture of the target tells the camera's size."""
    views: list[View] = []
    size_wh = (0, 0)
    seen = others = 0
    for name, image in pictures.from_files(source):
        seen += 1
        view = target.detect(image, name)
        if view is None:
            continue
        if not any(size_wh):
            size_wh = (image.shape[1], image.shape[0])
        if image.shape[1::-1] != size_wh:
            others += 1
        elif not objection(image, view, views, size_wh):
            views.append(view)
    if not seen:
        raise CalibrationError(f"no pictures in {source}", 3)
    left_out = f"{others} are of another size than {size_wh[0]}x{size_wh[1]}"
    if len(views) < MIN_VIEWS:
        raise CalibrationError(
            f"{len(views)} of {seen} pictures show a sharp {target}; at least {MIN_VIEWS} must"
            + (f" ({left_out})" if others else ""),
            1,
        )
    if others:
        print(f"of {seen} pictures {left_out} and left out", file=sys.stderr)
    return views, size_wh


def _live(target: Target, camera: Iterator[Image]) -> tuple[list[View], tuple[int, int]]:
    """Collect views from a camera, saying what is missing, until nothing is (or q, or Ctrl-C).

    All are of one size: the last that came.
    """
    views: list[View] = []
    size_wh = (0, 0)
    said = ""
    with suppress(KeyboardInterrupt):  # where there is no window it is the only key
        for picture in camera:
            if picture.shape[1::-1] != size_wh:  # a phone was turned: what was seen does not count
                views, size_wh = [], (picture.shape[1], picture.shape[0])
            view = target.detect(picture)
            words = (
                objection(picture, view, views, size_wh) if view else "the target is not in view"
            )
            if view and not words:
                views.append(view)
            missing = wanted(views, size_wh)
            said = pictures.say(
                f"{len(views)} views; {missing or 'done'} ({words or 'kept'})", said
            )
            if not missing or _stopped(picture, said):
                break
    return views, size_wh


def _stopped(picture: Image, words: str) -> bool:
    """Show the picture where there is a display; whether q was pressed."""
    if not pictures.can_show():
        return False  # guidance goes to the terminal alone
    cv2.namedWindow(TITLE, cv2.WINDOW_AUTOSIZE | cv2.WINDOW_GUI_NORMAL)  # no bar of tools
    cv2.imshow(TITLE, pictures.captioned(picture, words))
    return (cv2.waitKey(1) & 0xFF) in (ord("q"), 27)


def _check(args: argparse.Namespace, target: Target, out: Path) -> int:
    """Whether a camera file fits these pictures: size, reprojection, lines that stay straight."""
    try:
        camera = Camera.load(args.check)
    except OSError as error:
        raise CalibrationError(f"can't read {args.check}: {error.strerror}", 2) from error
    except ValueError as error:
        raise CalibrationError(f"can't use {args.check}: {error}", 2) from error
    if not args.pictures:
        print(
            f"{args.check}: {camera.width}x{camera.height} px, focal length {camera.fx:.1f} px; "
            "--with FOLDER|CLIP of the target tells whether it fits the camera"
        )
        return 0
    errors = []
    last: Image | None = None
    for name, image in pictures.from_files(args.pictures):
        view = target.detect(image, name)
        if view is None:
            continue  # whatever else lies in the folder may have another size
        try:
            scaled = camera.at_size(image.shape[1], image.shape[0])
        except ValueError as error:
            raise CalibrationError(f"{name}: {error}", 1) from error
        errors.append(reprojection_rms(scaled, view))
        last = image
    if last is None:
        raise CalibrationError(f"no picture in {args.pictures} shows a {target}", 3)
    rms = float(np.sqrt(np.mean(np.square(errors))))
    pictures.write_page(out, _beside(last, camera.undistort(last)))
    fits = rms < GOOD_RMS_PX
    verdict = "it fits this camera" if fits else "it does NOT fit this camera"
    print(f"{args.check}: rms {rms:.2f} px on {len(errors)} pictures: {verdict}; see {out}")
    return 0 if fits else 1


def _beside(one: Image, other: Image) -> Image:
    """Two pictures in one, black where the lower one ends."""
    height = max(len(one), len(other))
    ends = ((0, height - len(picture)) for picture in (one, other))
    padded = [
        np.pad(picture, (end, (0, 0), (0, 0)))
        for picture, end in zip((one, other), ends, strict=True)
    ]
    return np.hstack(padded)


if __name__ == "__main__":
    sys.exit(main())
