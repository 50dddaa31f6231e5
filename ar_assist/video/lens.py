"""Undistorting a source once, so that everything after it sees a straight world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from ar_assist.errors import SourceError
from ar_assist.types import Frame, Image, Lens, Source


class Camera(Lens, Protocol):
    """A calibrated camera (`calibration.Camera` is one)."""

    def undistort(self, image: Image) -> Image:
        """The picture as a camera without distortion would have made it, of the same size."""
        ...


def undistorted(source: Source, camera: Camera) -> Source:
    """The source as seen by a camera without distortion; its frames carry the lens."""
    return _Undistorted(source, camera)


class _Undistorted:
    def __init__(self, source: Source, camera: Camera) -> None:
        self._source, self._camera = source, camera
        self.name, self.fps = source.name, source.fps
        self.size_wh, self.live = source.size_wh, source.live

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            try:
                image = self._camera.undistort(frame.image)
            except ValueError as error:  # a picture of another shape than before
                raise SourceError(f"{self.name}: {error}") from None
            image.flags.writeable = False
            yield replace(frame, image=image, lens=self._camera)

    def close(self) -> None:
        self._source.close()
