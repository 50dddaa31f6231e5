"""Recording pictures with their times, by a thread of its own, safe against being killed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np

from ar_assist.errors import UserError, writing
from ar_assist.mp4 import Mp4Writer
from ar_assist.types import Frame, Image, Source

QUALITY = 90  # of JPEG: tiles read the same as in the original picture
BACKLOG = 8  # pictures waiting for the encoder; a live source drops further ones, 20 MB at 720p
FIRST_DURATION_S = 1 / 30  # of a picture before the next one tells


class Recorder:
    """Writes pictures into an MP4 file that plays up to the instant at which the program dies.

    `live`: pictures that come faster than they can be encoded are left out; the times of the
    others stay right. Otherwise `write` waits.
    """

    def __init__(self, path: str | Path, size_wh: tuple[int, int], live: bool = False) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() not in (".mp4", ".m4v", ".mov"):
            raise UserError(f"{path}: recordings are MP4, please give a name that ends in .mp4")
        with writing(path):
            self._writer = Mp4Writer(self.path, size_wh)
        self._size_wh, self._live = size_wh, live
        self._start: float | None = None
        self._last = 0.0  # s, time of the newest picture in the file
        self._encoder = ThreadPoolExecutor(1, thread_name_prefix="recorder")
        self._pending: deque[Future[None]] = deque()

    @property
    def is_empty(self) -> bool:
        """Whether no picture has been written yet."""
        return self._start is None

    def write(self, image: Image, time: float) -> None:
        """Hand over a picture and its time (s, rising); UserError if the file can't be written."""
        self._collect(BACKLOG if not self._live else None)
        if len(self._pending) < BACKLOG:
            self._pending.append(self._encoder.submit(self._append, image, time))

    def close(self) -> None:
        """Write what is waiting and finish the file."""
        try:
            self._collect(1)
        finally:
            self._encoder.shutdown()
            self._finish()

    def _finish(self) -> None:
        try:
            self._writer.close()
        except OSError as error:
            raise UserError(f"{self.path}: recording stopped ({error.strerror})") from None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _collect(self, wait_above: int | None) -> None:
        """Take the results of what was encoded; wait while `wait_above` or more are pending."""
        while self._pending and (
            self._pending[0].done() or (wait_above and len(self._pending) >= wait_above)
        ):
            try:
                self._pending.popleft().result()
            except OSError as error:
                raise UserError(f"{self.path}: recording stopped ({error.strerror})") from None

    def _append(self, image: Image, time: float) -> None:
        if (image.shape[1], image.shape[0]) != self._size_wh:  # a phone was turned
            image = np.asarray(cv2.resize(image, self._size_wh), np.uint8)
        jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
        if self._start is None:
            self._start = self._last = time
            duration = FIRST_DURATION_S
        else:
            duration = time - self._last
            self._last = time
        self._writer.append(jpeg, time - self._start, duration)


def recorded(source: Source, recorder: Recorder) -> Source:
    """The source, every new picture of which is also written as it came; closes the recorder."""
    return _Recorded(source, recorder)


class _Recorded:
    def __init__(self, source: Source, recorder: Recorder) -> None:
        self._source, self._recorder = source, recorder
        self.name, self.fps = source.name, source.fps
        self.size_wh, self.live = source.size_wh, source.live

    def __iter__(self) -> Iterator[Frame]:
        last = -1
        for frame in self._source:
            if frame.index != last:  # a stalled camera repeats its last picture
                self._recorder.write(frame.image, frame.time)
            last = frame.index
            yield frame

    def close(self) -> None:
        self._source.close()
        self._recorder.close()
