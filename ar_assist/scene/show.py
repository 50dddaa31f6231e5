"""What happens on a screen or a table in the course of a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from numpy.random import Generator

from ar_assist.scene import desktop
from ar_assist.scene.backdrop import Box
from ar_assist.scene.glyphs import one_of
from ar_assist.scene.hand import Tap
from ar_assist.types import Image

Device = Literal["phone", "monitor", "table"]  # a table's things shine by the room's light only


@dataclass(frozen=True, eq=False)
class Slab:
    """A picture that lies above the main one: a slice of something thick."""

    height: float  # px of the picture
    picture: Image  # (H, W, 4) BGRA, as large as the main one


class Show(Protocol):
    """A picture that changes with time, and its truth. Points are px of the picture."""

    game: str | None
    look: str
    device: Device
    size_wh: tuple[int, int]
    board: Box | None  # the cell grid
    kept: Box  # what the camera keeps in view, if nothing more
    near: bool  # small print: the camera comes as near as it can

    def at(self, time: float) -> Any:
        """The state at a time in seconds; equal states look alike."""
        ...

    def paint(self, state: Any) -> Image: ...
    def relief(self, state: Any) -> Sequence[Slab]:
        """What rises above the picture, lowest first."""
        ...

    def record(self, state: Any) -> dict[str, Any]:
        """The truth's board without geometry: rows, cols, cells, …"""
        ...

    def notes(self, state: Any) -> dict[str, Any]:
        """What else the truth says of a frame: `transition`, whether the board is changing; …"""
        ...

    def taps(self) -> Sequence[tuple[Tap, Tap]]:
        """When and where a player taps, a pair at a time."""
        ...


def device_of(size_wh: tuple[int, int]) -> Device:
    """Upright screens are phones."""
    return "phone" if size_wh[1] > size_wh[0] else "monitor"


class NoGame:
    """A screen without a game."""

    game: str | None = None
    look = "none"
    near = False
    board: Box | None = None

    def __init__(self, rng: Generator) -> None:
        draw = one_of((desktop.desk_windows, desktop.home_screen, desktop.calendar), rng)
        self.picture = draw(rng)
        self.size_wh = self.picture.shape[1], self.picture.shape[0]
        self.device: Device = device_of(self.size_wh)
        self.kept = Box(0, 0, *self.size_wh)

    def at(self, time: float) -> None:
        return None

    def paint(self, state: None) -> Image:
        return self.picture

    def relief(self, state: None) -> Sequence[Slab]:
        return ()

    def record(self, state: None) -> dict[str, Any]:
        return {}

    def notes(self, state: None) -> dict[str, Any]:
        return {"transition": False}

    def taps(self) -> Sequence[tuple[Tap, Tap]]:
        return ()
