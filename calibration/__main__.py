"""`python -m calibration`: make a target; calibrate from pictures, a clip or a camera; check."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import Camera, Image
from calibration.fit import MIN_VIEWS, calibrate, reprojection_rms
from calibration.guide import objection, wanted
from calibration.target import Target, View

PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"}
CLIP_STRIDE = 5  # frames: neighbours in a clip show the same
SQUARE_PX = 200  # of a target to print, at 300 dpi 17 mm
GOOD_RMS_PX = 1.0  # of a camera file that fits the camera: corners themselves are good to 0.3 px
DPI = 300


class CalibrationError(Exception):
    """One line for the user, and the exit code: 2 wrong usage, 3 no source, 1 not good enough."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="calibrate", description=__doc__)
    add_arguments(parser)
    try:
        return run(parser.parse_args(argv))
    except CalibrationError as error:
        print(f"calibrate: {error}", file=sys.stderr)
        return error.exit_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--target", metavar="FILE", help="write the target: .png, or .pdf to print")
    what.add_argument("--show", action="store_true", help="show the target on this screen")
    what.add_argument(
        "--from", dest="source", metavar="FOLDER|CLIP", help="calibrate from pictures"
    )
    what.add_argument("--camera", type=int, metavar="N", help="calibrate live, with guidance")
    what.add_argument(
        "--check", metavar="CAMERA.json", help="test a camera file on --with pictures"
    )
    parser.add_argument("--pattern", default="charuco:9x6", help="charuco:CxR or chessboard:CxR")
    parser.add_argument("--square-mm", type=float, default=0.0, help="side of a printed square")
    parser.add_argument("--with", dest="pictures", metavar="FOLDER|CLIP", help="for --check")
    parser.add_argument(
        "--out", default="camera.json", metavar="FILE", help="the camera file, or --check's picture"
    )


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask; CalibrationError for what the user can mend."""
    try:
        target = Target.parse(args.pattern, args.square_mm)
    except ValueError as error:
        raise CalibrationError(str(error), 2) from error
    if args.target:
        return _write_target(target, Path(args.target))
    if args.show:
        return _show_target(target)
    if args.check:
        return _check(args, target)
    found = _live(target, args.camera) if args.source is None else _from_files(target, args.source)
    views, size_wh = found
    return _save(views, size_wh, target, Path(args.out))


def _save(views: Sequence[View], size_wh: tuple[int, int], target: Target, out: Path) -> int:
    try:
        date = datetime.date.today().isoformat()
        camera = calibrate(views, size_wh, str(target), date)
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


def _write_target(target: Target, path: Path) -> int:
    picture = target.picture(SQUARE_PX)
    try:
        if path.suffix.lower() == ".pdf":
            from PIL import Image as Page  # only for this

            Page.fromarray(np.ascontiguousarray(picture[..., ::-1])).save(path, resolution=DPI)
        else:
            _write_picture(path, picture)
    except (OSError, ValueError, cv2.error) as error:
        reason = getattr(error, "strerror", None) or "use a name that ends in .png or .pdf"
        raise CalibrationError(f"can't write {path}: {reason}", 2) from error
    print(f"{path}: {target}; print it at 100 %, glue it flat, measure a square (--square-mm)")
    return 0


def _write_picture(path: Path, picture: Image) -> None:
    """Not imwrite: it doesn't say what is wrong."""
    path.write_bytes(cv2.imencode(path.suffix, picture)[1].tobytes())


def _show_target(target: Target) -> int:
    """Full-screen until a key: the watched screen itself is the flattest target."""
    name = "target"
    try:
        cv2.namedWindow(name, cv2.WINDOW_NORMAL)
        cv2.setWindowProperty(name, cv2.WND_PROP_FULLSCREEN, cv2.WINDOW_FULLSCREEN)
        cv2.imshow(name, target.picture(100))
        cv2.waitKey(0)
        cv2.destroyWindow(name)
    except cv2.error as error:
        raise CalibrationError("no display to show the target on; use --target FILE", 2) from error
    return 0


def _frames(source: str) -> Iterator[tuple[str, Image]]:
    """Pictures of a folder or frames of a clip, with their names."""
    path = Path(source)
    if path.is_dir():
        for file in sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES):
            image = cv2.imread(str(file))
            if image is not None:
                yield file.name, np.asarray(image, np.uint8)
        return
    if not path.exists():
        raise CalibrationError(f"no such file or folder: {source}", 3)
    clip = cv2.VideoCapture(str(path))
    index = 0
    while clip.grab():
        if index % CLIP_STRIDE == 0:
            ok, image = clip.retrieve()
            if ok:
                yield f"frame {index}", np.asarray(image, np.uint8)
        index += 1
    clip.release()


def _from_files(target: Target, source: str) -> tuple[list[View], tuple[int, int]]:
    views: list[View] = []
    size_wh = (0, 0)
    seen = 0
    for name, image in _frames(source):
        seen += 1
        size_wh = size_wh if seen > 1 else (image.shape[1], image.shape[0])
        view = target.detect(image, name) if image.shape[1::-1] == size_wh else None
        if view is not None and not objection(image, view, views, size_wh):
            views.append(view)
    if not seen:
        raise CalibrationError(f"no pictures in {source}", 3)
    if len(views) < MIN_VIEWS:
        raise CalibrationError(
            f"{len(views)} of {seen} pictures show a sharp {target}; at least {MIN_VIEWS} must", 1
        )
    return views, size_wh


def _live(target: Target, index: int) -> tuple[list[View], tuple[int, int]]:
    """Collect views from a camera, saying what is missing, until nothing is (or q)."""
    camera = cv2.VideoCapture(index)
    if not camera.isOpened():
        raise CalibrationError(f"camera {index} can't be opened; `ar-assist cameras` lists them", 3)
    views: list[View] = []
    size_wh = (0, 0)
    said = ""
    try:
        while True:
            ok, image = camera.read()
            if not ok:
                raise CalibrationError(f"camera {index} stopped giving pictures", 3)
            picture = np.asarray(image, np.uint8)
            size_wh = (picture.shape[1], picture.shape[0])
            view = target.detect(picture)
            words = (
                objection(picture, view, views, size_wh) if view else "the target is not in view"
            )
            if view and not words:
                views.append(view)
            missing = wanted(views, size_wh)
            said = _say(f"{len(views)} views; {missing or 'done'} ({words or 'kept'})", said)
            if not missing or _stopped(picture, said):
                return views, size_wh
    finally:
        camera.release()


def _say(words: str, said: str) -> str:
    if words != said:
        print(words, file=sys.stderr)
    return words


def _stopped(picture: Image, words: str) -> bool:
    """Show the picture where there is a display; whether q was pressed."""
    try:
        shown = picture.copy()
        cv2.putText(
            shown, words, (12, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 4, cv2.LINE_AA
        )
        cv2.putText(
            shown, words, (12, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 1, cv2.LINE_AA
        )
        cv2.imshow("calibrate (q ends)", shown)
        return (cv2.waitKey(1) & 0xFF) in (ord("q"), 27)
    except cv2.error:  # no display: guidance goes to the terminal alone
        return False


def _check(args: argparse.Namespace, target: Target) -> int:
    """Whether a camera file fits these pictures: size, reprojection, lines that stay straight."""
    try:
        camera = Camera.load(args.check)
    except (OSError, ValueError) as error:
        raise CalibrationError(f"can't use {args.check}: {error}", 2) from error
    if not args.pictures:
        raise CalibrationError("--check needs --with FOLDER|CLIP, pictures of the target", 2)
    errors = []
    last: Image | None = None
    for name, image in _frames(args.pictures):
        try:
            scaled = camera.at_size(image.shape[1], image.shape[0])
        except ValueError as error:
            raise CalibrationError(f"{name}: {error}", 1) from error
        view = target.detect(image, name)
        if view:
            errors.append(reprojection_rms(scaled, view))
            last = image
    if last is None:
        raise CalibrationError(f"no picture in {args.pictures} shows a {target}", 3)
    rms = float(np.sqrt(np.mean(np.square(errors))))
    out = Path(args.out).with_suffix(".png")
    try:
        _write_picture(out, np.hstack([last, camera.undistort(last)]))
    except OSError as error:
        raise CalibrationError(f"can't write {out}: {error.strerror}", 2) from error
    fits = rms < GOOD_RMS_PX
    verdict = "it fits this camera" if fits else "it does NOT fit this camera"
    print(f"{args.check}: rms {rms:.2f} px on {len(errors)} pictures: {verdict}; see {out}")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
