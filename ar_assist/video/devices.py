"""Which cameras there are, as far as the system tells."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2

from ar_assist.video.feeds import camera_backend

TRIED = 5  # indices that are opened one after another where the system has no list
SYS_FOLDER = Path("/sys/class/video4linux")

# Linux, videodev2.h: ioctl numbers are direction << 30 | size << 16 | 'V' << 8 | number.
_QUERYCAP = 2 << 30 | 104 << 16 | 0x5600
_ENUM_FORMATS = 3 << 30 | 64 << 16 | 0x5602
_ENUM_SIZES = 3 << 30 | 44 << 16 | 0x564A
_ENUM_RATES = 3 << 30 | 52 << 16 | 0x564B
_CAPTURES = 1  # V4L2_CAP_VIDEO_CAPTURE, also the buffer type
_DISCRETE = 1  # sizes and rates one by one, not as ranges


@dataclass(frozen=True)
class Device:
    """A camera; modes are `MJPG 1280x720 30/s` and the like, best rate of each size."""

    index: int
    name: str
    modes: tuple[str, ...]


def cameras() -> list[Device]:
    """All cameras that can be found."""
    if sys.platform.startswith("linux"):
        return [camera for camera in map(_linux_camera, _linux_nodes()) if camera]
    return [camera for camera in map(_opened, range(TRIED)) if camera]


def _opened(index: int) -> Device | None:
    """What one finds by opening a camera: whether it is there, and its usual mode."""
    capture = cv2.VideoCapture(index, camera_backend(""))
    try:
        if not capture.isOpened():
            return None
        width, height = (
            round(capture.get(p)) for p in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        )
        mode = f"{width}x{height} {capture.get(cv2.CAP_PROP_FPS):g}/s"
        return Device(index, capture.getBackendName(), (mode,))
    finally:
        capture.release()


def _linux_nodes() -> list[Path]:
    nodes = SYS_FOLDER.glob("video*") if SYS_FOLDER.is_dir() else ()
    return sorted(nodes, key=lambda node: int(node.name.removeprefix("video")))


def _linux_camera(node: Path) -> Device | None:
    """A camera by its sysfs node; None if the node captures nothing (metadata, outputs)."""
    index = int(node.name.removeprefix("video"))
    name = (node / "name").read_text(encoding="utf-8").strip()
    try:
        file = os.open(f"/dev/{node.name}", os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:
        return Device(index, name, (f"can't be opened: {error.strerror}",))
    try:
        if not _captures(file):
            return None
        return Device(index, name, tuple(_modes(file)))
    finally:
        os.close(file)


def _captures(file: int) -> bool:
    answer = _ask(file, _QUERYCAP, bytes(104))
    if answer is None:
        return False
    all_nodes, this_node = struct.unpack_from("<2I", answer, 84)
    return bool((this_node or all_nodes) & _CAPTURES)


def _modes(file: int) -> Iterator[str]:
    for i in range(64):
        answer = _ask(file, _ENUM_FORMATS, struct.pack("<2I56x", i, _CAPTURES))
        if answer is None:
            return
        four_cc = answer[44:48]
        for width, height in _sizes(file, four_cc):
            rate = _best_rate(file, four_cc, width, height)
            yield f"{four_cc.decode('ascii', 'replace').strip()} {width}x{height}{rate}"


def _sizes(file: int, four_cc: bytes) -> Iterator[tuple[int, int]]:
    for i in range(256):
        answer = _ask(file, _ENUM_SIZES, struct.pack("<I4s36x", i, four_cc))
        if answer is None:
            return
        kind, width, height, _, _, last_height = struct.unpack_from("<6I", answer, 8)
        if kind == _DISCRETE:
            yield width, height
        else:  # a range: min width, max width, step, min height, max height, step
            yield height, last_height
            return


def _best_rate(file: int, four_cc: bytes, width: int, height: int) -> str:
    """` 30/s`, or nothing where the driver doesn't say."""
    best = 0.0
    for i in range(256):
        answer = _ask(file, _ENUM_RATES, struct.pack("<I4s2I36x", i, four_cc, width, height))
        if answer is None:
            break
        numerator, denominator = struct.unpack_from("<2I", answer, 20)
        best = max(best, denominator / max(1, numerator))
    return f" {best:g}/s" if best else ""


def _ask(file: int, request: int, argument: bytes) -> bytes | None:
    """An ioctl's answer; None when the driver has no (further) one."""
    import fcntl  # not on Windows

    try:
        return fcntl.ioctl(file, request, argument)
    except OSError:
        return None
