"""Views made by hand: a board seen at an angle, with whatever marks a test wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ar_assist.types import (
    Advice,
    Frame,
    Image,
    Lattice,
    Mark,
    Plane,
    Points,
    Reading,
    View,
    homography,
)

CELL_PX = 48.0
GREY_FRAME = np.full((720, 1280, 3), 128, np.uint8)
GREY_FRAME.flags.writeable = False


@dataclass(frozen=True)
class TinyBoard:
    """A board of labels."""

    cells: tuple[tuple[int, ...], ...]

    def record(self) -> dict[str, Any]:
        return {
            "rows": len(self.cells),
            "cols": len(self.cells[0]),
            "cells": [list(row) for row in self.cells],
        }


@dataclass(frozen=True)
class TinyMove:
    """A move that is its own line of the log."""

    hint: dict[str, Any]

    def record(self) -> dict[str, Any]:
        return self.hint


class TinyGame:
    """Just enough of a game for the status line."""

    name = "link"

    def summary(self, reading: Any, advice: Any) -> str:
        return "42 tiles left"


def tilted_plane(frame: Image, size_wh: tuple[int, int]) -> Plane:
    """A plane seen at an angle, in the middle of the frame."""
    h, w = frame.shape[:2]
    w_p, h_p = size_wh
    outer = np.array([[0, 0], [w_p, 0], [w_p, h_p], [0, h_p]], np.float32) - 0.5
    seen = np.array([[0.18, 0.2], [0.8, 0.12], [0.9, 0.85], [0.12, 0.75]], np.float32) * (w, h)
    return Plane(homography(outer, seen.astype(np.float32)), size_wh)


def link_marks(lattice: Lattice) -> tuple[Mark, ...]:
    """Two framed cells and the path between them, round the outside."""
    quads = lattice.quads()
    a, b = quads[0, 1], quads[0, 6]
    up = np.array([0, -CELL_PX], np.float32)
    path = np.array([a.mean(0), a.mean(0) + up, b.mean(0) + up, b.mean(0)], np.float32)
    return (
        Mark("frame", a, role="a"),
        Mark("frame", b, role="b"),
        Mark("path", path),
    )


def view_of(image: Image, marks: tuple[Mark, ...] | None = None, **changes: Any) -> View:
    """A locked view of a 6 x 10 board; `marks` default to a pair of a link game."""
    lattice = Lattice((CELL_PX * 2, CELL_PX * 2), (CELL_PX, CELL_PX), 6, 10)
    plane = tilted_plane(image, (int(14 * CELL_PX), int(10 * CELL_PX)))
    cells = tuple(tuple((r * 10 + c) % 7 for c in range(10)) for r in range(6))
    certainty = np.linspace(0.2, 1, 60, dtype=np.float32).reshape(6, 10)
    reading = Reading(TinyBoard(cells), lattice.corners, certainty, 0.97)
    known: dict[str, Any] = {
        "game": TinyGame(),
        "plane": plane,
        "reading": reading,
        "advice": Advice((), "ready"),
        "marks": link_marks(lattice) if marks is None else marks,
        "age": 0.4,
    }
    known["frame"] = Frame(3, 0.1, image)
    return View(state="locked", **(known | changes))


def cell_quad(row: int, col: int) -> Points:
    """The corners of a cell of that board, plane px."""
    lattice = Lattice((CELL_PX * 2, CELL_PX * 2), (CELL_PX, CELL_PX), 6, 10)
    quad: Points = lattice.quads()[row, col]
    return quad


class Views(list[View]):
    """A log in memory."""

    write = list.append
