"""Write truth for a clip by hand: the editing, apart from any window.

A session steps through key frames. Each starts from a proposal and is put right with clicks, drags
and keys; `docs/evaluation.md` has the table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ar_assist.evaluate.placed import Cells, PlacedBoard
from ar_assist.types import Cell, Frame, Image, transform

Propose = Callable[[Image], PlacedBoard | None]
XY = tuple[float, float]

GRAB_PX = 18.0  # a corner is grabbed from as far as a hand points
NEW_BOARD = (4, 4)  # rows and columns where there is nothing to start from
NEW_BOARD_MARGIN = 0.2  # of the picture, round a new board
EMPTY, STONE = 0, -1
# Keys that go to another key frame, and those that change rows and columns.
STEPS = {" ": 1, "right": 1, "left": -1}
SIZES = {"]": (0, 1), "[": (0, -1), "}": (1, 0), "{": (-1, 0)}


class Labelling:
    """The boards of some key frames while they are being put right."""

    def __init__(self, frames: Sequence[Frame], propose: Propose) -> None:
        self.frames = frames
        self.position = 0
        self.chosen: Cell | None = None
        self._propose = propose
        self._boards: dict[int, PlacedBoard | None] = {}  # by position; those that were visited
        self._dragged: int | None = None  # number of the corner
        self._go_to(0)

    @property
    def frame(self) -> Frame:
        return self.frames[self.position]

    @property
    def board(self) -> PlacedBoard | None:
        return self._boards[self.position]

    def press(self, key: str) -> None:
        """Do what a key stands for; keys without a meaning do nothing."""
        if key in STEPS:
            self._go_to(self.position + STEPS[key])
        elif key == "p":
            self._put(self._propose(self.frame.image) or self._new_board())
        elif key == "b":
            self._put(None)
        elif self.board and key in SIZES:
            rows, cols = SIZES[key]
            self._put(resized(self.board, self.board.rows + rows, self.board.cols + cols))
        elif self.board and self.chosen:
            self._label(self.board, self.chosen, key)

    def _label(self, board: PlacedBoard, cell: Cell, key: str) -> None:
        """Give the chosen cell the label that a key stands for."""
        labels = {"e": EMPTY, "x": STONE, "n": unused_label(board)}
        label = int(key) if key.isdecimal() else labels.get(key)
        if label is not None:
            self._put(labelled(board, cell, label))

    def click(self, point: XY, alike: bool = False) -> None:
        """Grab a corner, or choose a cell; `alike`: give it the label of the one chosen before."""
        if self.board is None:
            return
        self._dragged = corner_at(self.board, point)
        if self._dragged is not None:
            return
        cell = cell_at(self.board, point)
        if alike and cell and self.chosen and self.board.cells:
            row, col = self.chosen
            self._put(labelled(self.board, cell, self.board.cells[row][col]))
        else:
            self.chosen = cell

    def drag(self, point: XY) -> None:
        """Move the corner that is held."""
        if self.board and self._dragged is not None:
            corners = self.board.corners.copy()
            corners[self._dragged] = point
            self._put(replace(self.board, corners=corners))

    def release(self) -> None:
        """Let go of a corner."""
        self._dragged = None

    def truth(self, media: str, fps: float, size_wh: tuple[int, int], game: str) -> dict[str, Any]:
        """The truth file of the key frames that were visited."""
        return {
            "video": media,
            "fps": fps,
            "size": list(size_wh),
            "game": game,
            "sparse": True,
            "frames": [_entry(self.frames[i], board) for i, board in sorted(self._boards.items())],
        }

    def _put(self, board: PlacedBoard | None) -> None:
        self._boards[self.position] = board

    def _go_to(self, position: int) -> None:
        """Another key frame; a new one starts from a proposal or from the board before."""
        before = self._boards.get(self.position)
        self.position = min(max(position, 0), len(self.frames) - 1)
        self.chosen, self._dragged = None, None
        if self.position not in self._boards:
            self._put(self._propose(self.frame.image) or before)

    def _new_board(self) -> PlacedBoard:
        height, width = self.frame.image.shape[:2]
        low = np.array([width, height]) * NEW_BOARD_MARGIN
        (x0, y0), (x1, y1) = low, np.array([width, height]) - low
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
        rows, cols = NEW_BOARD
        return PlacedBoard(rows, cols, corners, ((EMPTY,) * cols,) * rows)


def corner_at(board: PlacedBoard, point: XY) -> int | None:
    """The corner near a point, if one is."""
    away = np.hypot(*(board.corners - np.array(point, np.float32)).T)
    return int(away.argmin()) if away.min() <= GRAB_PX else None


def cell_at(board: PlacedBoard, point: XY) -> Cell | None:
    """The cell under a point."""
    if not board.has_place:
        return None
    spot = transform(board.grid_from_frame, np.array([point], np.float64))[0]
    col, row = (int(v) for v in np.floor(spot))
    return (row, col) if 0 <= row < board.rows and 0 <= col < board.cols else None


def labelled(board: PlacedBoard, cell: Cell, label: int) -> PlacedBoard:
    """The board with one cell changed."""
    cells = [list(row) for row in board.cells or ()]
    cells[cell[0]][cell[1]] = label
    return replace(board, cells=tuple(map(tuple, cells)))


def resized(board: PlacedBoard, rows: int, cols: int) -> PlacedBoard:
    """The same area cut into other rows and columns; new cells are empty, clues unknown."""
    rows, cols = max(rows, 1), max(cols, 1)
    old = board.cells or ()
    cells: Cells = tuple(tuple(_at(old, r, c) for c in range(cols)) for r in range(rows))
    return replace(board, rows=rows, cols=cols, cells=cells, row_clues=(), col_clues=())


def _at(cells: Cells, row: int, col: int) -> int:
    return cells[row][col] if row < len(cells) and col < len(cells[row]) else EMPTY


def unused_label(board: PlacedBoard) -> int:
    """A label that no cell has."""
    return 1 + max((label for row in board.cells or () for label in row), default=0)


def _entry(frame: Frame, board: PlacedBoard | None) -> dict[str, Any]:
    """A frame of the truth file."""
    entry: dict[str, Any] = {"frame": frame.index, "t": frame.time, "screen": None, "board": None}
    if board:
        corners = np.round(board.corners.astype(float), 2).tolist()
        cells = [list(row) for row in board.cells or ()]
        entry["board"] = {
            "rows": board.rows,
            "cols": board.cols,
            "corners": corners,
            "cells": cells,
        }
        if board.row_clues or board.col_clues:
            entry["board"] |= {"row_clues": board.row_clues, "col_clues": board.col_clues}
    return entry
