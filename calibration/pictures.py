"""Where pictures come from and go to: folders, clips, cameras, files, the screen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Page
from PIL import ImageDraw, ImageFont

from calibration.camera import Image

# What is wrong is said by this program in one line; read when OpenCV opens its first clip.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
(getattr(cv2, "setLogLevel", None) or cv2.utils.logging.setLogLevel)(0)  # OpenCV 4, OpenCV 5

SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"}
CLIP_STRIDE = 5  # frames: neighbours in a clip show the same
DPI = 300  # of a page to print
TITLE = "target"
LETTERS_PX = 22
TRIAL_S = 20.0  # a slow machine loads OpenCV for seconds
WAIT_MS = 50  # for a key
FIRST_WH = (1280, 720)  # of a screen's picture, until the window tells how large it is
KIND = cv2.WINDOW_NORMAL | cv2.WINDOW_FREERATIO | cv2.WINDOW_GUI_NORMAL  # no bar of tools


Size = tuple[int, int]  # px: width, height
Opens = Callable[[str, tuple[int, int]], Iterator[Image]]  # a camera, by name and wished size


class CalibrationError(Exception):
    """One line for the user, and the exit code: 2 wrong usage, 3 no source, 1 not good enough."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def from_files(source: str) -> Iterator[tuple[str, Image]]:
    """Pictures of a folder or frames of a clip, with their names."""
    path = Path(source)
    if path.is_dir():
        for file in sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES):
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


def from_camera(index: str, size_wh: tuple[int, int]) -> Iterator[Image]:
    """What a camera gives, asked for this size; CalibrationError when it gives nothing."""
    if not index.isdecimal():  # of a negative one OpenCV ends the program by a segmentation fault
        raise CalibrationError(f"--camera: its index, 0 or more, got {index}", 2)
    camera = cv2.VideoCapture(int(index))
    if not camera.isOpened():
        raise CalibrationError(f"camera {index} can't be opened; `ar-assist cameras` lists them", 3)
    camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # large and quick over USB 2
    camera.set(cv2.CAP_PROP_FRAME_WIDTH, size_wh[0])
    camera.set(cv2.CAP_PROP_FRAME_HEIGHT, size_wh[1])
    try:
        while True:
            ok, image = camera.read()
            if not ok:
                raise CalibrationError(f"camera {index} stopped giving pictures", 3)
            yield np.asarray(image, np.uint8)
    finally:
        camera.release()


def check_output(path: Path) -> None:
    """CalibrationError where no file can be written: said before the work and not after it."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CalibrationError(f"can't write {path}: it is a folder, or in none that is there", 2)


def write_page(path: Path, picture: Image) -> None:
    """A target as a picture, or as a PDF to print."""
    try:
        if path.suffix.lower() == ".pdf":
            Page.fromarray(np.ascontiguousarray(picture[..., ::-1])).save(path, resolution=DPI)
        else:
            # Not imwrite: it doesn't say what is wrong.
            path.write_bytes(cv2.imencode(path.suffix, picture)[1].tobytes())
    except (OSError, ValueError, cv2.error) as error:
        reason = getattr(error, "strerror", None) or "use a name that ends in .png or .pdf"
        raise CalibrationError(f"can't write {path}: {reason}", 2) from error


def captioned(picture: Image, words: str) -> Image:
    """The picture with a line of true type at its top, readable on any ground."""
    page = Page.fromarray(np.ascontiguousarray(picture[..., ::-1]))
    font = ImageFont.load_default(LETTERS_PX)
    ImageDraw.Draw(page).text(
        (12, 8), words, fill="white", font=font, stroke_width=2, stroke_fill="black"
    )
    return np.asarray(page)[..., ::-1].copy()


@cache
def can_show() -> bool:
    """Whether a window can be opened; tried in another process, for Qt without a display aborts."""
    trial = "import cv2; cv2.namedWindow('trial'); cv2.waitKey(1)"
    try:
        done = subprocess.run([sys.executable, "-c", trial], capture_output=True, timeout=TRIAL_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def show_until_key(page: Callable[[Size], Image]) -> int:
    """A screen is the flattest of targets; returns the exit code. Closing the window will do, too.

    `page` draws for so many px, width and height, or has a ValueError. Ctrl-C is not heard while
    OpenCV waits, so that it waits a little at a time.
    """
    if not can_show():
        raise CalibrationError("no display to show the target on; use --target FILE", 2)
    size_wh = FIRST_WH
    try:
        while not show(page(size_wh), WAIT_MS) and not _is_closed():
            _, _, width, height = cv2.getWindowImageRect(TITLE)
            if min(width, height) > 0:
                size_wh = width, height
    except ValueError as error:
        raise CalibrationError(str(error), 2) from error
    return 0


def _is_closed() -> bool:
    try:
        return cv2.getWindowProperty(TITLE, cv2.WND_PROP_VISIBLE) < 1
    except cv2.error:  # Qt: no such window any more
        return True


def show(picture: Image, wait_ms: int) -> bool:
    """Show it full-screen where there is a display; whether a key was pressed within `wait_ms`."""
    if not can_show():
        return False
    cv2.namedWindow(TITLE, KIND)
    cv2.setWindowProperty(TITLE, cv2.WND_PROP_FULLSCREEN, cv2.WINDOW_FULLSCREEN)
    cv2.imshow(TITLE, picture)
    return cv2.waitKey(wait_ms) >= 0


def say(words: str, said: str) -> str:
    """Tell what is new on the terminal; returns what was told last."""
    if words != said:
        print(words, file=sys.stderr)
    return words
