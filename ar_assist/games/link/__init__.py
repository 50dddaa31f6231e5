"""The link game: equal tiles go in pairs that a path of at most two turns joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ar_assist.games.link import advice, solver
from ar_assist.games.link.advice import LinkMove
from ar_assist.games.link.board import (
    EMPTY,
    GRAVITIES,
    STONE,
    LinkBoard,
    Rules,
    parse_board,
    play,
    settle,
)
from ar_assist.games.link.gravity import Gravity, infer, is_cleared, removed
from ar_assist.games.link.paths import link
from ar_assist.types import Advice, Correction, Image, Lattice, Mark, Reading, transform

CERTAIN = 0.95  # chance of a gravity rule from which a board is called lost under it
MARGIN = 1.25  # cells: one row of what lies around, and as far as a lens may bend it


@dataclass(frozen=True)
class LinkGame:
    """The link game with its settings."""

    gravity: str = "auto"  # a key of board.GRAVITIES; auto: inferred from the moves seen
    outside: bool = True  # paths may run round the outside of the board
    nodes: int = solver.NODES  # the solver's budget for a position

    def __post_init__(self) -> None:
        if self.gravity != "auto":
            Rules(self.gravity)  # says what is wrong with a name

    @property
    def name(self) -> str:
        return "link"

    @property
    def is_atomic(self) -> bool:
        return False

    @property
    def finds_board(self) -> bool:
        return False

    @property
    def margin(self) -> float | None:
        return MARGIN

    def parse(self, notation: str) -> LinkBoard:
        return parse_board(notation)

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[LinkBoard] | None = None
    ) -> Reading[LinkBoard] | None:
        from ar_assist.games.link import reader

        return reader.read(picture, lattice, before)

    def correct(
        self, reading: Reading[LinkBoard], corrections: Sequence[Correction]
    ) -> Reading[LinkBoard]:
        """Put what the player said over what was read; such cells are certain."""
        board, certainty = reading.board, reading.certainty.copy()
        for correction in corrections:
            board = board.put({correction.cell: _said(board, correction)})
            certainty[correction.cell] = 1.0
            if correction.other:
                certainty[correction.other] = 1.0
        return Reading(board, reading.corners, certainty, reading.confidence, reading.evidence)

    def advise(
        self, history: Sequence[LinkBoard], reading: Reading[LinkBoard] | None = None
    ) -> Advice[LinkMove]:
        solver.warm()
        gravity = self._gravity(history)
        rules = Rules(gravity.name, self.outside)
        nodes = self.nodes if solver.accelerated() else min(self.nodes, solver.QUICK_NODES)
        advised = advice.advise(history, rules, nodes, reading.certainty if reading else None)
        if gravity.certainty < CERTAIN:  # it may clear under another rule
            advised = advice.not_called_lost(advised)
        words = [advised.reason] if advised.reason else []
        if advised.moves and self.gravity == "auto" and len(history) > 1:
            name = "no gravity" if gravity.name == "none" else f"gravity {gravity.name}"
            words.append(f"{name} ({100 * gravity.certainty:.0f} %)")
        return replace(advised, reason="; ".join(words), slides=rules.gravity != "none")

    def play(self, board: LinkBoard, move: LinkMove) -> LinkBoard:
        """The board after the move; ValueError if it is illegal."""
        rules = self.rules([board])
        if link(board, rules, move.link.a, move.link.b) is None:
            raise ValueError(f"{move.link.a} and {move.link.b} cannot be linked")
        return play(board, rules, move.link.a, move.link.b)

    def follows(self, before: LinkBoard, after: LinkBoard) -> bool:
        if before == after:
            return False
        names = GRAVITIES if self.gravity == "auto" else (self.gravity,)
        if "none" in names and is_cleared(before, after, self.outside):
            return True  # the player went on while nobody looked
        return any(
            removed(before, after, Rules(name, self.outside))
            or settle(before, name) == after  # a look fell between a removal and its slide
            for name in names
        )

    def marks(
        self, reading: Reading[LinkBoard], advice: Advice[LinkMove], choice: int = 0
    ) -> tuple[Mark, ...]:
        """Frames around the pair and the path between them."""
        if not advice.moves:
            return ()
        found = advice.moves[choice % len(advice.moves)].link
        quads = reading.cell_quads()
        centres = np.array([(c + 0.5, r + 0.5) for r, c in found.path])
        return (
            Mark("frame", quads[found.a], role="a"),
            Mark("frame", quads[found.b], role="b"),
            Mark("path", transform(reading.plane_from_grid, centres)),
        )

    def varied(self) -> tuple[Self, str]:
        return self, ""

    def summary(self, reading: Reading[LinkBoard], advice: Advice[LinkMove] | None) -> str:
        return f"{reading.board.left} tiles left"

    def rules(self, history: Sequence[LinkBoard]) -> Rules:
        """The rules as set or, for gravity, as inferred from the boards seen."""
        return Rules(self._gravity(history).name, self.outside)

    def _gravity(self, history: Sequence[LinkBoard]) -> Gravity:
        if self.gravity != "auto":
            return Gravity(self.gravity, 1.0)
        return infer(history, self.outside)


def _said(board: LinkBoard, correction: Correction) -> int:
    """The value of a cell after the player's word."""
    if correction.says == "same":
        if correction.other is None:
            raise ValueError(f"cell {correction.cell} is the same as which other?")
        return board.at(correction.other)
    return EMPTY if correction.says == "empty" else STONE
