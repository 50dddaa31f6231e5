"""Sources of frames behind one interface (`types.Source`), whatever they come from."""

from __future__ import annotations

import os
from pathlib import Path

import cv2

from ar_assist.addresses import safe_name
from ar_assist.errors import SourceError
from ar_assist.types import Source
from ar_assist.video.feeds import open_device, open_url
from ar_assist.video.files import Clip, Pictures, is_picture, pictures_in
from ar_assist.video.lens import Camera, Light, calibrated, evened
from ar_assist.video.live import Live

# OpenCV and FFmpeg write warnings of their own to stderr; users get one clear line from us instead.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
(getattr(cv2, "setLogLevel", None) or cv2.utils.logging.setLogLevel)(0)  # OpenCV 4, OpenCV 5

__all__ = [
    "Camera",
    "Clip",
    "Light",
    "Live",
    "Pictures",
    "calibrated",
    "evened",
    "open_source",
    "safe_name",
]


def open_source(
    spec: str | int,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    backend: str = "",
) -> Source:
    """Open any source; SourceError says in one line what is wrong.

    `spec`: a camera index, a device path, a video file, a picture, a folder or glob of pictures,
    `http(s)://…`, `rtsp://…` or `scene:…`. `size` (width, height) and `fps` are what a camera is
    asked for (see the source's `size_wh` and `fps` for what it gives); `fps` is also the rate of a
    folder of pictures. `backend` is OpenCV's name of a camera backend: `V4L2`, `DSHOW`, …
    """
    text = str(spec)
    if text.isdecimal():
        return open_device(int(text), size, fps, backend)
    if text.startswith("scene:"):
        from ar_assist.scene import open_scene

        return open_scene(text)
    if "://" in text:
        return open_url(text, safe_name(text))
    if not text:  # a path of no name is the current folder
        raise SourceError("the source is empty: name a camera, a file, a folder or an address")
    path = Path(text).expanduser()
    if path.is_char_device():
        return open_device(str(path), size, fps, backend)
    return _open_path(path, fps)


def _open_path(path: Path, fps: float | None) -> Source:
    if path.is_dir() or (not path.exists() and any(c in path.name for c in "*?[")):
        return Pictures(pictures_in(path), fps, str(path))
    if str(path).startswith("/dev/"):
        raise SourceError(f"{path}: no such camera (`ar-assist cameras` lists them)")
    if not path.exists():
        raise SourceError(f"{path}: no such file")
    return Pictures([path], fps, str(path)) if is_picture(path) else Clip(path)
