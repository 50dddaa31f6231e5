"""Connections to live things: devices and streams by OpenCV, MJPEG over HTTP by ourselves.

MJPEG is read here and not by FFmpeg because phone webcam apps serve it in many dialects, FFmpeg
probes for seconds before the first picture, and its time-outs can't be relied on.
"""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from select import select
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

import cv2
import numpy as np

from ar_assist.errors import SourceError, UserError
from ar_assist.types import Image
from ar_assist.video.live import Live

CAMERA_SIZE_WH = (1280, 720)  # asked for by default: tiles of 30 px for a 480-tile board
UNKNOWN_FPS = 30.0  # for streams and files that don't tell their rate
TIMEOUT_S = 5.0  # to connect, and for one picture; phones on a busy WLAN pause for two or three
CHUNK_BYTES = 1 << 16
PART_LIMIT_BYTES = 1 << 25  # a "picture" beyond 32 MB is no picture
DRAINED_BYTES = 1 << 23  # read ahead at most; systems queue 6 MB and less
STREAMS = frozenset({"http", "https", "rtsp", "rtsps", "rtmp", "rtp", "srt", "tcp", "udp"})


def open_device(
    device: int | str, size: tuple[int, int] | None, fps: float | None, backend: str
) -> Live:
    """A camera by index or device path."""
    which = f"camera {device}" if isinstance(device, int) else device
    capture_api = camera_backend(backend)

    def connect() -> _Capture:
        capture = cv2.VideoCapture(device, capture_api)
        if not capture.isOpened():
            raise SourceError(f"{which}: no such camera (`ar-assist cameras` lists them)")
        # Compressed first: over USB 2 most cameras give 1280x720 at 30 a second only so.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        width, height = size or CAMERA_SIZE_WH
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        if fps:
            capture.set(cv2.CAP_PROP_FPS, fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return _Capture(capture)

    return _live(which, connect)


def camera_backend(name: str) -> int:
    """OpenCV's number of a camera backend; "" leaves the choice to OpenCV."""
    if not name:
        return cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
    known = {cv2.videoio_registry.getBackendName(b): b for b in _camera_backends()}
    if name.upper() not in known:
        raise UserError(f"--backend {name}: this OpenCV knows {', '.join(sorted(known))}")
    return int(known[name.upper()])


def _camera_backends() -> list[int]:
    return list(cv2.videoio_registry.getCameraBackends())


def stream_backend() -> int:
    """FFmpeg where OpenCV has it, so that no other backend tries its luck with a file name."""
    has_ffmpeg = cv2.CAP_FFMPEG in cv2.videoio_registry.getStreamBackends()
    return cv2.CAP_FFMPEG if has_ffmpeg else cv2.CAP_ANY


def open_url(url: str, name: str) -> Live:
    """A network stream; `name` is the URL as it may be shown."""
    scheme = url.partition("://")[0].lower()
    if scheme not in STREAMS:
        raise SourceError(f"{name}: unknown kind of address ({', '.join(sorted(STREAMS))})")
    if scheme in ("http", "https"):
        return _live(name, lambda: _connect_http(url, name))
    return _live(name, lambda: _connect_stream(url, name))


def _live(name: str, connect: Callable[[], Any]) -> Live:
    """A live source whose rate is what its first connection says."""
    feed = connect()
    first = [feed]  # hand the open connection over instead of opening it twice
    return Live(name, lambda: first.pop() if first else connect(), feed.fps)


def _connect_stream(url: str, name: str) -> _Capture:
    limits = [
        *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(TIMEOUT_S * 1000)),
        *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(TIMEOUT_S * 1000)),
    ]
    capture = cv2.VideoCapture(url, stream_backend(), limits)
    if not capture.isOpened():
        raise SourceError(f"{name}: nobody serves a video there")
    return _Capture(capture)


class _Capture:
    """A feed by OpenCV."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture
        self.fps = capture.get(cv2.CAP_PROP_FPS) or UNKNOWN_FPS

    def read(self) -> tuple[Image, float, float | None]:
        is_there = self._capture.grab()
        arrival = time.monotonic()
        try:
            image = self._capture.retrieve()[1] if is_there else None
        except cv2.error:  # a damaged picture
            image = None
        if image is None:
            raise OSError("the camera gives no picture")
        image.flags.writeable = False
        stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        return np.asarray(image, np.uint8), arrival, stamp if stamp > 0 else None

    def close(self) -> None:
        self._capture.release()


def _connect_http(url: str, name: str) -> _Mjpeg | _Capture:
    try:
        response = urlopen(_request(url), timeout=TIMEOUT_S)
    except HTTPError as error:
        raise SourceError(f"{name}: the server says {error.code} {error.reason}") from None
    except URLError as error:
        raise SourceError(f"{name}: {_reason(error.reason)}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise SourceError(f"{name}: {_reason(error)}") from None
    if response.headers.get_content_maintype() == "multipart":
        return _Mjpeg(response)
    response.close()
    return _connect_stream(url, name)  # a video over HTTP: OpenCV's business


def _reason(error: object) -> str:
    """What went wrong, without anything that could quote the address."""
    return (isinstance(error, OSError) and error.strerror) or "nobody answers there"


def _request(url: str) -> Request:
    """The request, with the URL's user and password as basic authentication (RFC 7617)."""
    parts = urlsplit(url)
    user_info, _, host = parts.netloc.rpartition("@")
    request = Request(urlunsplit(parts._replace(netloc=host)))
    if user_info:
        token = base64.b64encode(unquote(user_info).encode()).decode()
        request.add_header("Authorization", f"Basic {token}")
    return request


class _Mjpeg:
    """JPEG pictures as parts of one endless `multipart/x-mixed-replace` answer."""

    fps = UNKNOWN_FPS

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        # Servers disagree on whether the boundary's leading dashes belong to its name.
        name = (response.headers.get_boundary() or "").lstrip("-")
        self._delimiter = b"\n--" if not name else b"--" + name.encode("latin-1")
        self._buffer = bytearray()
        self._deadline = 0.0  # for the next picture, on `time.monotonic()`'s clock

    def read(self) -> tuple[Image, float, float | None]:
        self._deadline = time.monotonic() + TIMEOUT_S
        is_drained = False
        while True:
            headers = self._headers()
            length = headers.get(b"content-length", b"")
            body = self._take(int(length)) if length.isdigit() else self._until(self._delimiter)
            arrival = time.monotonic()
            if not is_drained:  # once: a server that never pauses always has a newer one
                is_drained = True
                if self._drain():
                    continue
            image = _decoded(body)
            if image is not None:  # a damaged picture is skipped
                return image, arrival, _stamp(headers)

    def close(self) -> None:
        self._response.close()

    def _headers(self) -> dict[bytes, bytes]:
        """The next part's headers; boundaries and blank lines before them are passed over."""
        headers: dict[bytes, bytes] = {}
        while True:
            line = self._until(b"\n").strip()
            name, colon, value = line.partition(b":")
            if colon and not line.startswith(b"--"):
                headers[name.strip().lower()] = value.strip()
            elif not line and headers:
                return headers

    def _drain(self) -> bool:
        """Drop all but the newest whole part of what has come; whether there is one.

        On a busy machine old pictures queue in the system. A part is whole when the next one's
        delimiter is there.
        """
        try:
            while len(self._buffer) < DRAINED_BYTES and self._is_ready():
                self._fill()
        except OSError:
            pass  # the stream ended, as will be found out when it is read next
        next_one = self._buffer.rfind(self._delimiter)
        newest = self._buffer.rfind(self._delimiter, 0, max(next_one, 0))
        if newest < 0:
            return False
        del self._buffer[:newest]
        return True

    def _is_ready(self) -> bool:
        """Whether there is something to read at once."""
        return not self._response.isclosed() and bool(select([self._response], [], [], 0)[0])

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._fill()
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _until(self, end: bytes) -> bytes:
        """Everything before `end`, which is dropped."""
        searched = 0
        while (found := self._buffer.find(end, searched)) < 0:
            searched = max(0, len(self._buffer) - len(end))
            self._fill()
        return self._take(found + len(end))[:found]

    def _fill(self) -> None:
        if time.monotonic() > self._deadline:  # bytes may come for ever and never be a picture
            raise OSError(f"what comes is no picture for {TIMEOUT_S:g} s")
        try:
            chunk = self._response.read1(CHUNK_BYTES)
        except (HTTPException, ValueError, AttributeError) as error:  # closed under our hands
            raise OSError(str(error)) from None
        if not chunk or len(self._buffer) > PART_LIMIT_BYTES:
            raise OSError("the stream ended")
        self._buffer += chunk


def _decoded(jpeg: bytes) -> Image | None:
    """The picture, read-only; None where it is damaged."""
    try:
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # nothing, or a size that no picture has
        return None
    if image is None:
        return None
    image.flags.writeable = False
    return np.asarray(image, np.uint8)


def _stamp(headers: dict[bytes, bytes]) -> float | None:
    """The server's own time (mjpg-streamer, IP cameras), s."""
    try:
        return float(headers.get(b"x-timestamp", b""))
    except ValueError:
        return None
