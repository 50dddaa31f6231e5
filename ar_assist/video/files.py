"""Sources that end: video files, pictures, folders and globs of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist.errors import SourceError
from ar_assist.types import Frame, Image
from ar_assist.video.feeds import UNKNOWN_FPS, stream_backend

PICTURE_SUFFIXES = {".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"}
TRANSPARENT_SUFFIXES = {".png", ".tif", ".tiff", ".webp"}  # of them, those that may be so
PICTURES_FPS = 1.0  # a folder is looked through at one picture a second unless told otherwise


def is_picture(path: Path) -> bool:
    """Whether the name says picture. A GIF counts as a video: most of them move."""
    return path.suffix.lower() in PICTURE_SUFFIXES


def pictures_in(path: Path) -> list[Path]:
    """The pictures of a folder or a glob, `2.png` before `10.png`."""
    found = path.iterdir() if path.is_dir() else path.parent.glob(path.name)
    pictures = sorted(filter(is_picture, found), key=_natural)
    if not pictures:
        raise SourceError(f"{path}: no pictures there")
    return pictures


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", path.name)]


def read_picture(path: Path) -> Image:
    """Read a picture as BGR, turned as its EXIF says, read-only; what is transparent is white."""
    try:
        # Not imread: it can't open names outside the code page on Windows.
        packed = np.fromfile(path, np.uint8)
        image = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        if path.suffix.lower() in TRANSPARENT_SUFFIXES:
            whole = cv2.imdecode(packed, cv2.IMREAD_UNCHANGED)  # not turned: hardly any such is
            image = _on_white(whole) if whole is not None and whole.shape[2:] == (4,) else image
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None
    except cv2.error:  # empty, or too large to be a picture
        image = None
    if image is None:
        raise SourceError(f"{path}: not a picture that can be read")
    return read_only(np.asarray(image, np.uint8))


def _on_white(image: NDArray[Any]) -> Image:
    """A picture with an alpha channel as it is seen on a page; else drawings are black on black."""
    shown = image.astype(np.float32) / np.iinfo(image.dtype).max
    return np.rint(255 * (1 + (shown[..., :3] - 1) * shown[..., 3:])).astype(np.uint8)


def read_only(image: Image) -> Image:
    """The same picture, closed to writing."""
    image.flags.writeable = False
    return image


class Pictures:
    """One picture, or several in order."""

    live = False

    def __init__(self, paths: Sequence[Path], fps: float | None, name: str) -> None:
        self.name = name
        self.fps = fps or PICTURES_FPS
        self._paths = paths
        height, width = read_picture(paths[0]).shape[:2]
        self.size_wh = (width, height)

    def __iter__(self) -> Iterator[Frame]:
        for i, path in enumerate(self._paths):
            yield Frame(i, i / self.fps, read_picture(path), name=str(path))

    def close(self) -> None:
        """Nothing is held open."""


class Clip:
    """A video file. It ends cleanly, also where it was cut off."""

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path.resolve()
        capture = self._open()
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0 < fps < 1000 else UNKNOWN_FPS  # some files say 0 or 90000
        found, image = capture.read()
        capture.release()
        if not found:
            raise SourceError(f"{path}: not a video that can be read")
        self.size_wh = (image.shape[1], image.shape[0])

    def __iter__(self) -> Iterator[Frame]:
        capture, index, time = self._open(), 0, 0.0
        try:
            while (grabbed := capture.read())[0]:
                stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
                # Damaged clips repeat a stamp or have none: then the frame rate counts on.
                time = stamp if index == 0 or stamp > time else time + 1 / self.fps
                yield Frame(index, time, read_only(np.asarray(grabbed[1], np.uint8)))
                index += 1
        finally:
            capture.release()

    def close(self) -> None:
        """The file is only open while it is iterated."""

    def _open(self) -> cv2.VideoCapture:
        return cv2.VideoCapture(str(self._path), stream_backend())
