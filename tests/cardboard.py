"""An assistant and a source of cardboard, for tests of what lies around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from views import GREY_FRAME, TinyMove, view_of

from ar_assist.types import Advice, Correction, Frame, Points, View


class Assistants:
    """Sees a board in every frame, and remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.stepped: list[Frame] = []

    def step(self, frame: Frame) -> View:
        self.stepped.append(frame)
        move = TinyMove({"a": [0, 1], "b": [0, 6]})
        return view_of(frame.image, frame=frame, advice=Advice((move,), "ready"))

    def another(self) -> None:
        self.calls.append("another")

    def vary(self) -> str:
        self.calls.append("vary")
        return "varied"

    def find_anew(self) -> None:
        self.calls.append("find anew")

    def turn(self) -> None:
        self.calls.append("turn")

    def mirror(self) -> None:
        self.calls.append("mirror")

    def set_corners(self, corners: Points) -> None:
        self.calls.append(("corners", corners.tolist()))

    def correct(self, correction: Correction) -> None:
        self.calls.append(correction)


class Frames:
    """Grey frames: as fast as they are taken, or at the pace of a clip."""

    name, fps, size_wh = "grey", 60.0, (1280, 720)

    def __init__(self, count: int, name: str = "", live: bool = True) -> None:
        self._count, self._name, self.live = count, name, live

    def __iter__(self) -> Iterator[Frame]:
        for i in range(self._count):
            yield Frame(i, i / self.fps, GREY_FRAME, name=self._name)

    def close(self) -> None:
        """Nothing to close."""
