"""Sets of icons: functions of (count, rng) that return `count` different RGBA pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from numpy.random import Generator

from ar_assist.scene import shapes
from ar_assist.scene.glyphs import EMOJI, Icon, emoji, letters, symbols

IconSet = Callable[[int, Generator], list[Icon]]

SETS: dict[str, IconSet] = {
    **{name: partial(emoji, name) for name in EMOJI},
    "balls": shapes.balls,
    "clocks": shapes.clocks,
    "dominoes": shapes.dominoes,
    "gems": shapes.gems,
    "letters": letters,
    "mahjong": shapes.mahjong,
    "monsters": shapes.monsters,
    "pixels": shapes.pixels,
    "squares": shapes.squares,
    "symbols": symbols,
    "textures": shapes.textures,
}
# Kinds that a player can still tell apart, where a set has fewer than 45.
MOST = {"balls": 10, "dominoes": 28, "faces": 36, "gems": 18, "mahjong": 34, "squares": 14}
