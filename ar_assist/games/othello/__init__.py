"""Othello: legal moves, counts and the best move, on a screen or on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ar_assist.games.othello.board import (
    BLACK,
    NAMES,
    WHITE,
    Colour,
    OthelloBoard,
    cell_of,
    other,
    squares,
)
from ar_assist.games.othello.transcript import likely_turn, lines_between, turn_after
from ar_assist.types import Advice, Correction, Image, Lattice, Mark, Points, Reading

Side = Literal["black", "white"]
INNER_RING = 0.5  # of a cell: the other side's rings, inside the mover's where both may move


@dataclass(frozen=True)
class OthelloMove:
    """A move, with all that were legal beside it."""

    colour: Colour
    square: int
    legal: tuple[int, ...]
    value: float | None = None  # discs that the mover ends up ahead, as far as searched
    exact: bool = False  # searched to the end of the game

    def record(self) -> dict[str, Any]:
        return {
            "moves": [list(cell_of(square)) for square in self.legal],
            "best": list(cell_of(self.square)),
            "to_move": self.colour,
            "value": self.value,
            "exact": self.exact,
        }


@dataclass(frozen=True)
class OthelloGame:
    """Othello with its settings."""

    side: Side | None = None  # to move; None: told from the game seen so far
    strength: int = 5  # 1 to 10: each step doubles the search; 5 takes about a second
    both: bool = False  # mark the other side's legal moves, too
    flips: bool = False  # mark the discs that the move would turn over

    @property
    def name(self) -> str:
        return "othello"

    @property
    def is_atomic(self) -> bool:
        return True

    @property
    def finds_board(self) -> bool:
        return False

    @property
    def margin(self) -> float | None:
        return None

    def parse(self, notation: str) -> OthelloBoard:
        return OthelloBoard.parse(notation)

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[OthelloBoard] | None = None
    ) -> Reading[OthelloBoard] | None:
        from ar_assist.games.othello import reader

        return reader.read(picture, lattice, before)

    def correct(
        self, reading: Reading[OthelloBoard], corrections: Sequence[Correction]
    ) -> Reading[OthelloBoard]:
        """Put what the player said over what was read; such cells are certain."""
        cells = [list(row) for row in reading.board.cells]
        certainty = reading.certainty.copy()
        for correction in corrections:
            row, column = correction.cell
            cells[row][column] = _said(cells, correction)
            certainty[row, column] = 1.0
        board = OthelloBoard.from_cells(colour for row in cells for colour in row)
        return replace(reading, board=board, certainty=certainty)

    def advise(
        self, history: Sequence[OthelloBoard], reading: Reading[OthelloBoard] | None = None
    ) -> Advice[OthelloMove]:
        from ar_assist.games.othello.search import search

        board = history[-1]
        if not board.occupied:
            return Advice((), "no move", "the board is empty")
        if board.is_over:
            return Advice((), "solved", _result(board))
        colour, known = self._to_move(history)
        if not board.moves(colour):
            reason = f"{NAMES[colour]} has no move and passes"
            return Advice((), "no move", reason)
        found = search(*board.sides(colour), self.strength)
        legal = tuple(squares(board.moves(colour)))
        moves = tuple(
            OthelloMove(colour, square, legal, value, found.exact) for square, value in found.moves
        )
        turn = f"{NAMES[colour]} to move" + ("" if known else " (assumed)")
        return Advice(moves, "ready", f"{turn}: {found.words()}")

    def play(self, board: OthelloBoard, move: OthelloMove) -> OthelloBoard:
        """The board after the move; ValueError if it is illegal."""
        return board.play(move.colour, move.square)

    def follows(self, before: OthelloBoard, after: OthelloBoard) -> bool:
        """A move, and the answer that may come with it."""
        if before.empties - after.empties > 2:
            return False
        return any(lines_between(before, colour, after) for colour in (BLACK, WHITE))

    def marks(
        self, reading: Reading[OthelloBoard], advice: Advice[OthelloMove], choice: int = 0
    ) -> tuple[Mark, ...]:
        """Rings on the legal moves, the one on show as best; more where the settings ask for it."""
        if not advice.moves:
            return ()
        move = advice.moves[choice % len(advice.moves)]
        quads = reading.cell_quads().reshape(64, 4, 2)
        marks = [
            Mark(
                "ring", quads[square], role="best" if square == move.square else NAMES[move.colour]
            )
            for square in move.legal
        ]
        if self.both:
            theirs = set(squares(reading.board.moves(other(move.colour))))
            marks += [
                Mark("ring", _within(quads[square], INNER_RING), role=NAMES[other(move.colour)])
                for square in sorted(theirs)
            ]
        if self.flips:
            flips = squares(reading.board.flips(move.colour, move.square))
            marks += [Mark("flip", quads[square]) for square in flips]
        return tuple(marks)

    def varied(self) -> tuple[Self, str]:
        """The next side to move: as the game tells, black, white."""
        after: dict[Side | None, Side | None] = {None: "black", "black": "white", "white": None}
        side = after[self.side]
        return replace(self, side=side), f"{side or 'whoever the game tells'} is to move"

    def summary(self, reading: Reading[OthelloBoard], advice: Advice[OthelloMove] | None) -> str:
        board = reading.board
        words = f"black {board.count(BLACK)}, white {board.count(WHITE)}"
        if advice is None:
            return words
        legal = len(advice.moves[0].legal) if advice.moves else 0
        return f"{words}, moves {legal}"

    def _to_move(self, history: Sequence[OthelloBoard]) -> tuple[Colour, bool]:
        """Who moves in the last board, and whether that is known rather than assumed."""
        if self.side is not None:
            return (BLACK if self.side == "black" else WHITE), True
        told = turn_after(history)
        return told or likely_turn(history[-1]) or BLACK, told is not None


def _said(cells: Sequence[Sequence[Colour]], correction: Correction) -> Colour:
    """The value of a cell after the player's word."""
    if correction.says == "empty":
        return 0
    if correction.says == "same" and correction.other is not None:
        row, column = correction.other
        return cells[row][column]
    raise ValueError(f"no Othello square can be {correction.says}")


def _result(board: OthelloBoard) -> str:
    """Who won, in words."""
    score = board.score(BLACK)
    if score == 0:
        return "the game is over: a draw"
    return f"the game is over: {NAMES[BLACK if score > 0 else WHITE]} wins by {abs(score)}"


def _within(quad: Points, share: float) -> Points:
    """The quad shrunk about its middle."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + (quad - middle) * share, np.float32)
