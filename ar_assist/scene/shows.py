"""What happens on the screen in the course of a clip: a game in progress, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.random import Generator

from ar_assist.errors import UserError
from ar_assist.games.link.board import Rules
from ar_assist.scene import desktop
from ar_assist.scene.game import Moment, Script, opening
from ar_assist.scene.hand import Tap
from ar_assist.scene.looks import LOOKS, Look, varied
from ar_assist.scene.screen import LinkScreen
from ar_assist.scene.tiers import Tier
from ar_assist.types import Image, Points

if TYPE_CHECKING:
    from ar_assist.scene.world import Wanted


class Show(Protocol):
    """A picture that changes with time, and its truth. Points are px of the picture."""

    game: str | None
    look: str
    note: dict[str, Any]  # what truth says of every frame
    size_wh: tuple[int, int]
    board_corners: Points | None  # (4, 2) outer border of the cell grid

    @property
    def screen_corners(self) -> Points: ...
    def at(self, time: float) -> Any:
        """The state at a time; equal states look alike."""
        ...

    def paint(self, state: Any) -> Image: ...
    def record(self, state: Any) -> dict[str, Any]:
        """The truth's board: rows, cols, cells."""
        ...

    def moving(self, state: Any) -> bool:
        """Whether the board is changing just now."""
        ...

    def taps(self) -> list[tuple[Tap, Tap]]:
        """When and where a player taps, a pair at a time."""
        ...


def outer_corners(size_wh: tuple[int, int]) -> Points:
    """(4, 2) px of a picture's outer border: top left, then clockwise."""
    w, h = size_wh
    return np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5


class LinkShow:
    """A link game that is being played."""

    game = "link"

    def __init__(self, wanted: Wanted, tier: Tier, rng: Generator) -> None:
        self.look, look = _look(wanted, tier, rng)
        look = varied(look, rng)
        rows, cols = _shape(wanted, tier, look.layout == "phone", rng)
        most = min(look.most_kinds, rows * cols // 2)
        kinds = wanted.kinds or min(most, int(rng.integers(*tier.kinds, endpoint=True)))
        gravity = wanted.gravity or str(rng.choice(tier.gravities))
        rules = Rules(gravity)
        self.note = {"gravity": gravity}
        self.screen = LinkScreen(look, rows, cols, kinds, rng.uniform(*tier.window), rng)
        taken = rng.uniform(*tier.taken) if wanted.taken is None else wanted.taken
        board = opening(rows, cols, kinds, taken, rules, rng)
        self.script = Script(board, rules, tier.pause_s, wanted.seconds, rng)
        self.size_wh = self.screen.size_wh
        self.board_corners: Points | None = self.screen.board.corners

    @property
    def screen_corners(self) -> Points:
        return outer_corners(self.size_wh)

    def at(self, time: float) -> Moment:
        return self.script.at(time)

    def paint(self, state: Moment) -> Image:
        return self.screen.paint(state)

    def record(self, state: Moment) -> dict[str, Any]:
        return state.board.record()

    def moving(self, state: Moment) -> bool:
        return state.show != "rest"

    def taps(self) -> list[tuple[Tap, Tap]]:
        pairs = [(act, act.link) for act in self.script.acts if act.show == "select" and act.link]
        return [
            ((act.start, *self.screen.centre(*link.a)), (act.end, *self.screen.centre(*link.b)))
            for act, link in pairs
        ]


class NoShow:
    """A screen without a game."""

    game = None
    look = "none"
    board_corners: Points | None = None

    def __init__(self, rng: Generator) -> None:
        self.note: dict[str, Any] = {}
        self.picture = desktop.desk_windows(rng)
        self.size_wh = self.picture.shape[1], self.picture.shape[0]

    @property
    def screen_corners(self) -> Points:
        return outer_corners(self.size_wh)

    def at(self, time: float) -> None:
        return None

    def paint(self, state: None) -> Image:
        return self.picture

    def record(self, state: None) -> dict[str, Any]:
        return {}

    def moving(self, state: None) -> bool:
        return False

    def taps(self) -> list[tuple[Tap, Tap]]:
        return []


def make(wanted: Wanted, tier: Tier, rng: Generator) -> Show:
    """The show that a tier asks for."""
    return LinkShow(wanted, tier, rng) if tier.game else NoShow(rng)


def _look(wanted: Wanted, tier: Tier, rng: Generator) -> tuple[str, Look]:
    """The look asked for, or one that has kinds enough, in the layout that the tier asks for."""
    if wanted.look and wanted.look not in LOOKS:
        raise UserError(f"look '{wanted.look}' is none of: {' '.join(LOOKS)}")
    rich = [name for name, look in LOOKS.items() if look.most_kinds >= min(tier.kinds[0], 45)]
    name = wanted.look or str(rng.choice(rich))
    look = LOOKS[name]
    return name, look if tier.layout == "any" else replace(look, layout=tier.layout)


def _shape(wanted: Wanted, tier: Tier, upright: bool, rng: Generator) -> tuple[int, int]:
    """Rows and columns; an even number of cells, and upright boards on phones."""
    rows, cols = (int(rng.integers(*span, endpoint=True)) for span in (tier.rows, tier.cols))
    if upright and cols > rows:
        rows, cols = cols, rows
    rows, cols = wanted.rows or rows, wanted.cols or cols
    if rows * cols % 2 and not wanted.cols:
        cols += 1
    return rows, cols
