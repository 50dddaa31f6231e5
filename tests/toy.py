"""A toy game on a moving camera, for tests of what happens between the stages.

Tiles are textures; equal ones go in pairs, without paths. The finder is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ar_assist import look
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
SLOW = 15.0  # fps of clips in which only what goes on for seconds matters
LATTICE = Lattice((MARGIN * PX - 0.5, MARGIN * PX - 0.5), (PX, PX), ROWS, COLS)
PLANE_WH = ((COLS + 2 * MARGIN) * PX, (ROWS + 2 * MARGIN) * PX)
_RNG = np.random.default_rng(5)
_BACKGROUND = cv2.resize(_RNG.integers(30, 110, (60, 80, 3), np.uint8), SIZE_WH)
# Each frame shows another part of one field: normal noise of its own would be half a frame's cost.
_NOISE = np.rint(
    np.random.default_rng(6).normal(0, 2, (SIZE_WH[1] + 64, SIZE_WH[0] + 64, 3))
).astype(np.int16)
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
    finds_board: bool = False
    margin: float | None = None
    slides: bool = False
    later: bool = False  # the first pair comes last

    def parse(self, notation: str) -> ToyBoard:
        return ToyBoard(tuple(tuple(map(int, row.split())) for row in notation.splitlines()))

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[ToyBoard] | None = None
    ) -> Reading[ToyBoard] | None:
        corners = (lattice or LATTICE).corners
        x, y = np.rint(corners[0] + 0.5).astype(int)
        board = picture[y : y + ROWS * PX, x : x + COLS * PX]
        cells = _kinds(board.reshape(ROWS, PX, COLS, PX, 3).swapaxes(1, 2))
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


@dataclass(frozen=True)
class Misreader(ToyGame):
    """Misreads the first tile in looks, counted from 1, that err, though nothing has changed."""

    errs: Callable[[int], bool] = lambda look: look >= 3
    looks: list[int] = field(default_factory=list, compare=False)

    def read(
        self, picture: Image, lattice: Lattice | None, before: Reading[ToyBoard] | None = None
    ) -> Reading[ToyBoard] | None:
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if reading and self.errs(len(self.looks)):
            return replace(reading, board=reading.board.put({(0, 0): 2}))
        return reading


def _unit(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(…, N) values of cells (…, PX, PX, 3) whose product is their cross-correlation."""
    values = cells.astype(np.float32)
    values -= values.mean(axis=(-3, -2), keepdims=True)
    flat = values.reshape(*cells.shape[:-3], -1)
    return flat / np.maximum(np.linalg.norm(flat, axis=-1, keepdims=True), 1e-3)


def _kinds(cells: NDArray[np.uint8]) -> NDArray[np.int_]:
    """(rows, cols): the tile that is most alike, 0 where none is."""
    likeness = _unit(cells) @ _UNIT_TILES.T
    return np.where(likeness.max(-1) > 0.5, likeness.argmax(-1) + 1, 0)


_UNIT_TILES = _unit(np.stack(_TILES))


def screen_picture(board: ToyBoard) -> Image:
    picture = np.full((PLANE_WH[1], PLANE_WH[0], 3), 160, np.uint8)
    picture[::7] = 140
    for r, row in enumerate(board.cells):
        for c, kind in enumerate(row):
            if kind:
                y, x = (r + MARGIN) * PX, (c + MARGIN) * PX
                picture[y : y + PX, x : x + PX] = _TILES[kind - 1]
    return picture


def grey(board: ToyBoard) -> NDArray[np.uint8]:
    """Its screen picture as the tracker sees one."""
    return np.asarray(cv2.cvtColor(screen_picture(board), cv2.COLOR_BGR2GRAY))


def over_cell(r: int, c: int, around: float = 0.4) -> Points:
    """(4, 2) plane px of a square over a cell, so many cells wider on each side."""
    x, y = (c + MARGIN + 0.5) * PX, (r + MARGIN + 0.5) * PX
    d = (0.5 + around) * PX
    return np.array([[x - d, y - d], [x + d, y - d], [x + d, y + d], [x - d, y + d]])


def sight_of(board: ToyBoard, moved: NDArray[np.bool_] | None = None) -> look.Sight:
    """A surely read board. If it has empty cells, a move explains those that `moved`."""
    reading = replace(ToyGame().read(screen_picture(START), LATTICE), board=board)
    natural = moved if (np.array(board.cells) == 0).any() else None
    return look.Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, reading, natural)


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

    name, size_wh, live = "toy", SIZE_WH, False

    def __init__(
        self,
        board_at: Callable[[float], ToyBoard | None],
        seconds: float = 1.0,
        hand: Hand = lambda time: None,
        plane: Callable[[float], Plane] = plane_at,
        fps: float = FPS,
    ) -> None:
        self.board_at, self.seconds, self.hand, self.plane = board_at, seconds, hand, plane
        self.fps = fps
        self._times: dict[int, float] = {}  # of frames, by what their pixels hash to

    def __iter__(self):
        for index in range(round(self.seconds * self.fps)):
            yield self.frame(index)

    def frame(self, index: int) -> Frame:
        time = index / self.fps
        image = _BACKGROUND
        board, hand, plane = self.board_at(time), self.hand(time), self.plane(time)
        if board is not None:
            picture = screen_picture(board)
            if hand is not None:
                cv2.fillConvexPoly(picture, np.int32(hand), (90, 120, 200))
            warped = cv2.warpPerspective(picture, plane.frame_from_plane, SIZE_WH)
            whole = np.ones(picture.shape[:2], np.float32)
            cover = cv2.warpPerspective(whole, plane.frame_from_plane, SIZE_WH)
            image = cv2.blendLinear(warped, image, cover, 1 - cover)
        y, x = divmod(37 * index % 64**2, 64)
        noise = _NOISE[y : y + SIZE_WH[1], x : x + SIZE_WH[0]]
        image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U))
        return self.kept(Frame(index, time, image))

    def kept(self, frame: Frame) -> Frame:
        """The frame, whose time is remembered by its picture."""
        frame.image.flags.writeable = False
        self._times[hash(frame.image.tobytes())] = frame.time
        return frame

    def time_of(self, image: Image) -> float:
        return self._times[hash(image.tobytes())]

    def close(self) -> None:
        pass

    def find(self, image: Image, outlined: object = None) -> list[Candidate]:
        """The finder, being the truth: it knows the frame by its picture."""
        time = self.time_of(image)
        there = self.board_at(time) is not None
        return [Candidate(self.plane(time), LATTICE, 1.0)] if there else []

    def replace_finder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Looks are told the truth, find no better, and do not search for a screen around it: by
        the frame's own picture, so that none is averaged."""
        monkeypatch.setattr(look, "averaged", lambda frame, earlier: frame)
        monkeypatch.setattr(look, "find", self.find)
        monkeypatch.setattr(look, "found_again", lambda *of: None)
        monkeypatch.setattr(look, "outlines", lambda image: [])

    def corners(self, index: int) -> Points:
        """(4, 2) frame px of the board's true corners."""
        return transform(self.plane(index / self.fps).frame_from_plane, LATTICE.corners)


def shown(view: View) -> ToyMove | None:
    """The move that the picture points at."""
    return view.advice.moves[view.choice] if view.advice and view.marks else None
