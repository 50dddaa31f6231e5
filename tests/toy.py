"""A toy game on a moving camera, for tests of what happens between the stages.

Tiles are textures; equal ones go in pairs, without paths. The finder is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from ar_assist.types import (
    Advice,
    Candidate,
    Correction,
    Frame,
    Image,
    Lattice,
    Mark,
    Plane,
    Points,
    Reading,
    View,
    transform,
)

ROWS, COLS, PX = 4, 6, 40  # the board on the toy's screen
MARGIN = 1  # cells around it
KINDS = 8  # two more than the boards hold
SIZE_WH = (640, 480)
FPS = 30.0
LATTICE = Lattice((MARGIN * PX - 0.5, MARGIN * PX - 0.5), (PX, PX), ROWS, COLS)
PLANE_WH = ((COLS + 2 * MARGIN) * PX, (ROWS + 2 * MARGIN) * PX)
_RNG = np.random.default_rng(5)
_BACKGROUND = cv2.resize(_RNG.integers(30, 110, (60, 80, 3), np.uint8), SIZE_WH)
_TILES = [
    cv2.resize(_RNG.integers(0, 256, (6, 6, 3), np.uint8), (PX, PX), interpolation=cv2.INTER_CUBIC)
    for _ in range(KINDS)
]


@dataclass(frozen=True)
class ToyBoard:
    cells: tuple[tuple[int, ...], ...]

    def record(self) -> dict[str, Any]:
        return {"rows": ROWS, "cols": COLS, "cells": [list(row) for row in self.cells]}

    def with_cells(self, cells: Sequence[Sequence[int]]) -> ToyBoard:
        return ToyBoard(tuple(map(tuple, cells)))

    def put(self, changes: dict[tuple[int, int], int]) -> ToyBoard:
        cells = [list(row) for row in self.cells]
        for (r, c), value in changes.items():
            cells[r][c] = value
        return ToyBoard(tuple(tuple(row) for row in cells))


START = ToyBoard(((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1), (1, 3, 5, 2, 4, 6), (2, 4, 6, 1, 3, 5)))


@dataclass(frozen=True)
class ToyMove:
    a: tuple[int, int]
    b: tuple[int, int]

    def record(self) -> dict[str, Any]:
        return {"a": list(self.a), "b": list(self.b)}


HINT = ToyMove((0, 0), (1, 5))  # the toy's first pair
AFTER = START.put({HINT.a: 0, HINT.b: 0})


@dataclass(frozen=True)
class ToyGame:
    name: str = "toy"
    confidence: float = 0.95
    is_atomic: bool = False
    margin: float | None = None
    slides: bool = False
    later: bool = False  # the first pair comes last

    def parse(self, notation: str) -> ToyBoard:
        return ToyBoard(tuple(tuple(map(int, row.split())) for row in notation.splitlines()))

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[ToyBoard] | None = None
    ) -> Reading[ToyBoard] | None:
        corners = (lattice or LATTICE).corners
        cells = np.empty((ROWS, COLS), int)
        for r in range(ROWS):
            for c in range(COLS):
                x, y = np.rint(corners[0] + 0.5 + (c * PX, r * PX)).astype(int)
                cells[r, c] = _kind(picture[y : y + PX, x : x + PX])
        if (cells == 0).mean() > 0.9:
            return None
        board = ToyBoard(tuple(tuple(int(v) for v in row) for row in cells))
        return Reading(board, corners, np.ones((ROWS, COLS), np.float32), self.confidence)

    def correct(
        self, reading: Reading[ToyBoard], corrections: Sequence[Correction]
    ) -> Reading[ToyBoard]:
        board = reading.board.put({c.cell: 0 for c in corrections})
        return Reading(board, reading.corners, reading.certainty, reading.confidence)

    def advise(
        self, history: Sequence[ToyBoard], reading: Reading[ToyBoard] | None = None
    ) -> Advice[ToyMove]:
        tiles = [(r, c) for r in range(ROWS) for c in range(COLS) if history[-1].cells[r][c] > 0]
        kind = {(r, c): history[-1].cells[r][c] for r, c in tiles}
        moves = tuple(ToyMove(a, b) for a in tiles for b in tiles if a < b and kind[a] == kind[b])
        if not tiles:
            return Advice((), "solved", "solved")
        if not moves:
            return Advice((), "no move", "no pair is left")
        if self.later:
            moves = (*moves[1:], moves[0])
        return Advice(moves, "ready", slides=self.slides)

    def play(self, board: ToyBoard, move: ToyMove) -> ToyBoard:
        return board.put({move.a: 0, move.b: 0})

    def follows(self, before: ToyBoard, after: ToyBoard) -> bool:
        moves = ToyGame().advise([before]).moves
        return any(self.play(before, move) == after for move in moves)

    def marks(
        self, reading: Reading[ToyBoard], advice: Advice[ToyMove], choice: int = 0
    ) -> tuple[Mark, ...]:
        if not advice.moves:
            return ()
        quads, move = reading.cell_quads(), advice.moves[choice]
        return (Mark("frame", quads[move.a], role="a"), Mark("frame", quads[move.b], role="b"))

    def varied(self) -> tuple[ToyGame, str]:
        return replace(self, later=not self.later), "another pair first"

    def summary(self, reading: Reading[ToyBoard], advice: Advice[ToyMove] | None) -> str:
        return ""


def _kind(cell: Image) -> int:
    """The tile that is most alike, 0 where none is."""
    likeness = [float(cv2.matchTemplate(tile, cell, cv2.TM_CCOEFF_NORMED)[0, 0]) for tile in _TILES]
    best = int(np.argmax(likeness))
    return best + 1 if likeness[best] > 0.5 else 0


def screen_picture(board: ToyBoard) -> Image:
    picture = np.full((PLANE_WH[1], PLANE_WH[0], 3), 160, np.uint8)
    picture[::7] = 140
    for r, row in enumerate(board.cells):
        for c, kind in enumerate(row):
            if kind:
                y, x = (r + MARGIN) * PX, (c + MARGIN) * PX
                picture[y : y + PX, x : x + PX] = _TILES[kind - 1]
    return picture


def plane_at(time: float) -> Plane:
    """A camera that sways, turns and tilts a little, as one in a hand does."""
    sway = np.sin(2 * np.pi * time / 1.7), np.cos(2 * np.pi * time / 2.3)
    turn = 0.1 * np.sin(2 * np.pi * time / 3.1)
    rotation = np.array(
        [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    )
    centred = np.array([[1, 0, -PLANE_WH[0] / 2], [0, 1, -PLANE_WH[1] / 2], [0, 0, 1.0]])
    tilt = np.array([[1, 0.05, 0], [0, 1, 0], [3e-4 * sway[0], 2e-4, 1]])
    place = np.array([[1.2, 0, 320 + 40 * sway[0]], [0, 1.2, 240 + 30 * sway[1]], [0, 0, 1]])
    return Plane(place @ tilt @ rotation @ centred, PLANE_WH)


Hand = Callable[[float], Points | None]  # time, s → a polygon in plane px that is covered


class ToySource:
    """A clip of the toy game: a `Source` with truth."""

    name, fps, size_wh, live = "toy", FPS, SIZE_WH, False

    def __init__(
        self,
        board_at: Callable[[float], ToyBoard | None],
        seconds: float = 1.0,
        hand: Hand = lambda time: None,
        plane: Callable[[float], Plane] = plane_at,
    ) -> None:
        self.board_at, self.seconds, self.hand, self.plane = board_at, seconds, hand, plane
        self._times: dict[bytes, float] = {}

    def __iter__(self):
        for index in range(round(self.seconds * FPS)):
            yield self.frame(index)

    def frame(self, index: int) -> Frame:
        time = index / FPS
        image = _BACKGROUND.copy()
        board, hand, plane = self.board_at(time), self.hand(time), self.plane(time)
        if board is not None:
            picture = screen_picture(board)
            mask = np.full(picture.shape[:2], 255, np.uint8)
            if hand is not None:
                cv2.fillConvexPoly(picture, np.int32(hand), (90, 120, 200))
            warped = cv2.warpPerspective(picture, plane.frame_from_plane, SIZE_WH)
            cover = cv2.warpPerspective(mask, plane.frame_from_plane, SIZE_WH)[..., None] / 255.0
            image = (warped * cover + image * (1 - cover)).astype(np.uint8)
        noise = np.random.default_rng(index).normal(0, 2, image.shape)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
        image.flags.writeable = False
        self._times[image.tobytes()] = time
        return Frame(index, time, image)

    def close(self) -> None:
        pass

    def find(self, image: Image, outlined: object = None) -> list[Candidate]:
        """The finder, being the truth: it knows the frame by its picture."""
        time = self._times[image.tobytes()]
        there = self.board_at(time) is not None
        return [Candidate(self.plane(time), LATTICE, 1.0)] if there else []

    def corners(self, index: int) -> Points:
        """(4, 2) frame px of the board's true corners."""
        return transform(self.plane(index / FPS).frame_from_plane, LATTICE.corners)


def shown(view: View) -> ToyMove | None:
    """The move that the picture points at."""
    return view.advice.moves[view.choice] if view.advice and view.marks else None
