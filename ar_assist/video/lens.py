"""Correcting a source once, so that everything after it sees a straight, evenly lit world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Queue
from threading import Thread
from typing import Protocol

from ar_assist.errors import SourceError
from ar_assist.types import Frame, Image, Lens, Source


class Camera(Lens, Protocol):
    """A calibrated camera (`calibration.Camera` is one)."""

    def undistort(self, image: Image) -> Image:
        """The picture as a camera without distortion would have made it, all of it."""
        ...


class Light(Protocol):
    """The measured tones of the watched screen (`calibration.light.Light` is one)."""

    def even(self, image: Image) -> Image:
        """The picture as it were if the screen's black and white were seen as such."""
        ...


def undistorted(source: Source, camera: Camera) -> Source:
    """The source as seen by a camera without distortion; its frames carry the lens."""

    def straight(frame: Frame) -> Frame:
        return replace(frame, image=camera.undistort(frame.image), lens=camera, bent=frame.image)

    return _Corrected(source, straight)


def evened(source: Source, light: Light) -> Source:
    """The source as if the watched screen were seen in even light."""
    return _Corrected(source, lambda frame: replace(frame, image=light.even(frame.image)))


class _Corrected:
    def __init__(self, source: Source, correct: Callable[[Frame], Frame]) -> None:
        self._source, self._correct = source, correct
        self.name, self.fps = source.name, source.fps
        self.size_wh, self.live = source.size_wh, source.live

    def __iter__(self) -> Iterator[Frame]:
        frames = map(self._corrected, self._source)
        return _ahead(frames) if self.live else frames

    def _corrected(self, frame: Frame) -> Frame:
        try:
            corrected = self._correct(frame)
        except ValueError as error:  # a picture of another shape than before
            raise SourceError(f"{self.name}: {error}") from None
        corrected.image.flags.writeable = False
        return replace(corrected, original=frame.raw)

    def close(self) -> None:
        self._source.close()


def _ahead(frames: Iterator[Frame]) -> Iterator[Frame]:
    """The newest of the frames, worked out by a thread while the caller still has the last one.

    To correct a frame takes as long as to follow a board in it: one after the other they are too
    slow for a quick camera.
    """
    newest: Queue[Frame | BaseException | None] = Queue(1)

    def put(item: Frame | BaseException | None) -> None:
        with suppress(Empty):
            newest.get_nowait()  # nobody came for it in time
        newest.put(item)

    def run() -> None:
        try:
            for frame in frames:
                put(frame)
        except BaseException as error:
            put(error)
        else:
            put(None)

    Thread(target=run, name="lens", daemon=True).start()
    while (item := newest.get()) is not None:
        if isinstance(item, BaseException):
            raise item
        yield item
