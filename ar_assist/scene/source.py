"""A rendered scene as a source of frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ar_assist.errors import UserError
from ar_assist.scene.conditions import draw
from ar_assist.scene.render import Renderer
from ar_assist.scene.tiers import TIERS, Wanted
from ar_assist.types import Frame

PREFIX = "scene:"
WHOLE = ("seed", "rows", "cols", "kinds")
REAL = ("fps", "seconds", "taken")
LINK_ALONE = ("look", "kinds", "gravity", "taken")  # settings that no other game has
SHAPE = ("rows", "cols")
SIDES = (64, 4096)  # px
LIMITS = {
    "seed": (0, 2**63),
    "fps": (1, 240),
    "seconds": (0.01, 3600),
    "rows": (2, 40),
    "cols": (2, 40),
    "kinds": (1, 45),
    "taken": (0, 0.95),
}


class Scene:
    """Frames of a world, the same in every iteration."""

    live = False

    def __init__(self, wanted: Wanted) -> None:
        self.world = draw(wanted)
        self.name = f"{PREFIX}tier={wanted.tier},seed={wanted.seed}"
        self.fps = wanted.fps
        self.size_wh = wanted.size_wh

    @cached_property
    def truth(self) -> dict[str, Any]:
        """The truth file's content, but for the clip's name; renders nothing."""
        return self.world.truth()

    def __iter__(self) -> Iterator[Frame]:
        renderer = Renderer(self.world)
        for index in range(self.world.count):
            picture = renderer.frame(index)
            picture.flags.writeable = False
            yield Frame(index, self.world.time(index), picture)

    def close(self) -> None:
        """Nothing is held open."""


def open_scene(spec: str) -> Scene:
    """The scene of `scene:tier=handheld,seed=3,size=1280x720,fps=30,seconds=8,…`."""
    return Scene(wanted(spec))


def wanted(spec: str) -> Wanted:
    """What a spec asks for; UserError says what is wrong with it."""
    settings: dict[str, Any] = {}
    for word in filter(None, spec.removeprefix(PREFIX).split(",")):
        key, _, value = word.partition("=")
        settings["size_wh" if key == "size" else key] = _value(key, value)
    unknown = set(settings) - set(Wanted.__dataclass_fields__)
    if unknown:
        known = " ".join(Wanted.__dataclass_fields__).replace("size_wh", "size")
        raise UserError(f"scene: '{sorted(unknown)[0]}' is no setting; there are: {known}")
    found = Wanted(**settings)
    if found.tier not in TIERS:
        raise UserError(f"scene: tier '{found.tier}' is none of: {' '.join(TIERS)}")
    for name, (least, most) in LIMITS.items():
        value = getattr(found, name)
        if value is not None and not least <= value <= most:
            raise UserError(f"scene: {name}={value} is not between {least} and {most}")
    without = [*LINK_ALONE] if found.game != "link" else []
    for name in [*without, *(SHAPE if found.game.startswith("othello") else ())]:
        if getattr(found, name) is not None:
            raise UserError(f"scene: {name} is no setting of the game {found.game}")
    if not all(SIDES[0] <= side <= SIDES[1] for side in found.size_wh):
        raise UserError(f"scene: a side of size is not between {SIDES[0]} and {SIDES[1]} px")
    return found


def _value(key: str, text: str) -> Any:
    try:
        if key == "size":
            width, _, height = text.partition("x")
            return int(width), int(height)
        if key in WHOLE:
            return int(text)
        return float(text) if key in REAL else text
    except ValueError:
        raise UserError(f"scene: {key}={text} is no number (size: WIDTHxHEIGHT)") from None
