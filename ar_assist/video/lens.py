"""What is known of camera and screen, told in the source once for all that comes after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from ar_assist.errors import SourceError
from ar_assist.types import Frame, Image, Lens, Source


class Camera(Protocol):
    """A calibrated camera (`calibration.Camera` is one)."""

    def at_size(self, width: int, height: int) -> Lens:
        """Its lens for pictures of so many px; ValueError if it can't have made such."""
        ...


class Light(Protocol):
    """The measured tones of the watched screen (`calibration.light.Light` is one)."""

    def even(self, image: Image) -> Image:
        """The picture as it were if the screen's black and white were seen as such."""
        ...


def calibrated(source: Source, camera: Camera) -> Source:
    """The source with the lens that bends its pictures, which undoes that where it is asked to."""

    def with_lens(frame: Frame) -> Frame:
        height, width = frame.image.shape[:2]
        return replace(frame, lens=camera.at_size(width, height))

    return _Corrected(source, with_lens)


def evened(source: Source, light: Light) -> Source:
    """The source as if the watched screen were seen in even light."""

    def even(frame: Frame) -> Frame:
        image = light.even(frame.image)
        image.flags.writeable = False
        return replace(frame, image=image, original=frame.raw)

    return _Corrected(source, even)


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
            yield corrected

    def close(self) -> None:
        self._source.close()
