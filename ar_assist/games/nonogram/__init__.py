"""Nonograms: the clues beside a grid say how long the runs of filled cells are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ar_assist.games.nonogram.advice import NonogramMove, advise
from ar_assist.games.nonogram.board import (
    CROSSED,
    DOUBTFUL,
    FILLED,
    UNKNOWN,
    NonogramBoard,
    parse,
)
from ar_assist.types import (
    Advice,
    Correction,
    Image,
    Lattice,
    Mark,
    MarkKind,
    Points,
    Reading,
    transform,
)

CLUE_PLACE = 0.6  # cells outside the grid, where a doubtful clue is marked


@dataclass(frozen=True)
class NonogramGame:
    """The nonogram as the assistant knows it."""

    whole: bool = False  # all cells that are certain come first, and not those of one line

    @property
    def name(self) -> str:
        return "nonogram"

    @property
    def is_atomic(self) -> bool:
        return False

    @property
    def finds_board(self) -> bool:
        return True

    @property
    def margin(self) -> float | None:
        return None

    def parse(self, notation: str) -> NonogramBoard:
        """The inverse of str(board); ValueError says what is wrong."""
        return parse(notation)

    def read(
        self,
        picture: Image,
        lattice: Lattice | None,
        before: Reading[NonogramBoard] | None = None,
    ) -> Reading[NonogramBoard] | None:
        """The nonogram in a picture, in its own orientation; None: there is none.

        The grid is found anew each time: the lattice that the finder saw is not needed. That of
        `before` is kept where none is found.
        """
        from ar_assist.games.nonogram.reader import read  # loads OpenCV only where it is needed

        return read(picture, before)

    def correct(
        self, reading: Reading[NonogramBoard], corrections: Sequence[Correction]
    ) -> Reading[NonogramBoard]:
        """What the player said: "empty" is an open cell, "blocked" a crossed one."""
        cells = [list(row) for row in reading.board.cells]
        certainty = reading.certainty.copy()
        for correction in corrections:
            row, col = correction.cell
            if correction.says == "same" and correction.other is not None:
                cells[row][col] = cells[correction.other[0]][correction.other[1]]
            else:
                cells[row][col] = UNKNOWN if correction.says == "empty" else CROSSED
            certainty[row, col] = 1
        return replace(reading, board=reading.board.with_cells(cells), certainty=certainty)

    def advise(
        self,
        history: Sequence[NonogramBoard],
        reading: Reading[NonogramBoard] | None = None,
    ) -> Advice[NonogramMove]:
        """The lines that say something now; nothing rests on doubtful entries or clues."""
        board = history[-1]
        if reading is not None and reading.certainty.shape == board.size:
            sure = np.where(reading.certainty < DOUBTFUL, UNKNOWN, board.cells)
            board = board.with_cells(sure.tolist())
        advice = advise(board)
        if self.whole:  # the last of the moves
            return replace(advice, moves=(*advice.moves[-1:], *advice.moves[:-1]))
        return advice

    def play(self, board: NonogramBoard, move: NonogramMove) -> NonogramBoard:
        """The board with the move's cells entered; ValueError if one is entered already."""
        cells = [list(row) for row in board.cells]
        for row, col in move.mistakes:
            cells[row][col] = UNKNOWN
        for row, col, value in move.cells:
            if cells[row][col] != UNKNOWN:
                raise ValueError(f"cell ({row}, {col}) is entered already")
            cells[row][col] = value
        return board.with_cells(cells)

    def follows(self, before: NonogramBoard, after: NonogramBoard) -> bool:
        """A click or a drag along one line."""
        clues = before.row_clues, before.col_clues
        if before == after or clues != (after.row_clues, after.col_clues):
            return False
        rows, cols = np.nonzero(np.array(before.cells) != np.array(after.cells))
        return len(set(rows)) == 1 or len(set(cols)) == 1

    def marks(
        self, reading: Reading[NonogramBoard], advice: Advice[NonogramMove], choice: int = 0
    ) -> tuple[Mark, ...]:
        """The line, its cells, wrong entries, and a question mark at every doubtful clue."""
        quads = reading.cell_quads()
        marks = [*_doubts(reading)]
        if advice.moves:
            move = advice.moves[choice]
            if move.axis:
                marks.append(Mark("frame", _line_quad(reading, move), role=move.axis))
            for row, col, value in move.cells:
                kind: MarkKind = "fill" if value == FILLED else "cross"
                marks.append(Mark(kind, quads[row, col]))
            marks += [Mark("error", quads[cell]) for cell in move.mistakes]
        return tuple(marks)

    def varied(self) -> tuple[Self, str]:
        """All that is certain, or one line at a time."""
        words = "one line at a time" if self.whole else "all cells that are certain"
        return replace(self, whole=not self.whole), words

    def summary(self, reading: Reading[NonogramBoard], advice: Advice[NonogramMove] | None) -> str:
        """Size and progress, as far as entries are sure, for the status line."""
        rows, cols = reading.board.size
        is_entered = np.array(reading.board.cells) != UNKNOWN
        entered = int((is_entered & (reading.certainty >= DOUBTFUL)).sum())
        if advice and advice.status == "solved":
            return f"{cols}x{rows}"  # crosses are the player's own affair
        words = [f"{cols}x{rows}, {entered} of {rows * cols} entered"]
        doubts = [*reading.board.row_clues, *reading.board.col_clues].count(None)
        if doubts:
            words.append(f"{doubts} clues in doubt" if doubts > 1 else "one clue in doubt")
        if advice and advice.moves:
            words.append(advice.moves[0].why)
        return "; ".join(words)


def _line_quad(reading: Reading[NonogramBoard], move: NonogramMove) -> Points:
    rows, cols = reading.board.size
    i = move.index
    left, top, right, bottom = (0, i, cols, i + 1) if move.axis == "row" else (i, 0, i + 1, rows)
    quad = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    return transform(reading.plane_from_grid, quad)


def _doubts(reading: Reading[NonogramBoard]) -> list[Mark]:
    places = [
        (-CLUE_PLACE, index + 0.5) if axis == "row" else (index + 0.5, -CLUE_PLACE)
        for axis, index, clue, _ in reading.board.lines()
        if clue is None
    ]
    anchors = transform(reading.plane_from_grid, np.array(places, float).reshape(-1, 1, 2))
    return [Mark("text", anchor, "?", role="doubt") for anchor in anchors]
