"""Correcting a source once, so that everything after it sees a straight, evenly lit world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
        for frame in self._source:
            try:
                corrected = self._correct(frame)
            except ValueError as error:  # a picture of another shape than before
                raise SourceError(f"{self.name}: {error}") from None
            corrected.image.flags.writeable = False
            yield replace(corrected, original=frame.raw)

    def close(self) -> None:
        self._source.close()
