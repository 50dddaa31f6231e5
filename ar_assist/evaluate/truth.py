"""Truth files and run logs as values. Both have the shape of the run log, so either can be truth.

Points are px of the stored, distorted picture, as in the log's contract.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ar_assist import runlog
from ar_assist.errors import UserError
from ar_assist.types import Cell, Points

Cells = tuple[tuple[int, ...], ...]
Clues = tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True, eq=False)
class PlacedBoard:
    """A board and where it lies in the picture."""

    rows: int
    cols: int
    corners: Points  # (4, 2) px, outer border of the cell grid, in order round it
    cells: Cells | None  # None: the truth does not know them
    row_clues: Clues = ()
    col_clues: Clues = ()
    confidence: float = 1.0


@dataclass(frozen=True, eq=False)
class Record:
    """One line of a run log."""

    frame: int
    time: float  # s
    state: str
    screen: Points | None
    board: PlacedBoard | None
    hint: dict[str, Any] | None
    ms: float | None = None  # work of the step
    look_ms: float | None = None  # work of a look that ended at this frame


@dataclass(frozen=True, eq=False)
class TrueFrame:
    """What is so at one frame."""

    frame: int
    time: float  # s
    screen: Points | None
    board: PlacedBoard | None
    still: bool = True  # nothing on the board is in motion
    gravity: str = "none"  # where tiles slide in a link game
    cut: bool = False  # a part of the board that has no truth here is in view
    unsure: frozenset[Cell] = frozenset()  # cells that may be read either way: a pair that fades
    tile_px: float | None = None
    blur_tiles: float | None = None  # length of the motion blur, in tiles
    tilt_deg: float | None = None


@dataclass(frozen=True, eq=False)
class Truth:
    """What is so at every frame of a clip, or at those that were labelled."""

    game: str
    frames: tuple[TrueFrame, ...]
    media: str = ""  # file name of the clip or picture
    size_wh: tuple[int, int] | None = None  # px
    fps: float | None = None
    sparse: bool = False  # only some frames are labelled
    solution: tuple[str, ...] = ()  # of a nonogram, `#` is filled


def load_truth(path: Path) -> Truth:
    """Read a truth file, or a run log as truth; UserError says what is wrong with it."""
    if path.suffix == ".jsonl":
        return truth_from_log(load_log(path), path)
    try:
        return parse_truth(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"cannot read the truth {path}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path} is no truth file: {_said(error)}") from None


def parse_truth(data: dict[str, Any]) -> Truth:
    """The truth of a clip (`frames` or `quads`) or of a single picture; ValueError, KeyError."""
    if not isinstance(data, dict):
        raise ValueError("expected an object with `frames` or `corners`")
    size = data.get("size")
    return Truth(
        game=data.get("game") or _guess_game(data),
        frames=_true_frames(data),
        media=data.get("video") or data.get("image") or "",
        size_wh=(int(size[0]), int(size[1])) if size else None,
        fps=data.get("fps"),
        sparse=bool(data.get("sparse", False)),
        solution=tuple(data.get("solution", ())),
    )


def load_log(path: Path) -> tuple[Record, ...]:
    """Read a run log; UserError names the line that is broken."""
    records = []
    for number, line in enumerate(runlog.read(path), 1):
        try:
            records.append(parse_record(line))
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"{path}:{number}: {_said(error)}") from None
    return tuple(records)


def parse_record(line: dict[str, Any]) -> Record:
    """One line of the log's contract; KeyError, TypeError or ValueError where it is broken."""
    board = _board(line.get("board"))
    if board and board.cells is None:
        raise KeyError("cells")
    return Record(
        frame=_index(line),
        time=float(line["t"]),
        state=line.get("state", "searching"),
        screen=_quad(line.get("screen"), "screen"),
        board=board,
        hint=line.get("hint"),
        ms=line.get("ms"),
        look_ms=line.get("look_ms"),
    )


def truth_from_log(records: Sequence[Record], path: Path) -> Truth:
    """Take a log at its word, so that another can be scored against it."""
    frames = tuple(TrueFrame(r.frame, r.time, r.screen, r.board) for r in records)
    return Truth("link", frames, path.stem, sparse=True)


def _said(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _guess_game(data: dict[str, Any]) -> str:
    """Single pictures do not say their game, but each game's truth has a key of its own."""
    if "row_clues" in data:
        return "nonogram"
    return "othello" if "cells_meaning" in data else "link"


def _true_frames(data: dict[str, Any]) -> tuple[TrueFrame, ...]:
    if "frames" in data:
        return tuple(_true_frame(entry) for entry in data["frames"])
    if "quads" in data:
        quads = enumerate(data["quads"])
        fps = float(data["fps"])
        return tuple(TrueFrame(i, i / fps, _quad(q, f"quads[{i}]"), None) for i, q in quads)
    corners = _quad(data["corners"], "corners")
    if "rows" not in data:
        return (TrueFrame(0, 0.0, corners, None),)
    fading = frozenset((int(r), int(c)) for r, c in data.get("link", ()))
    return (TrueFrame(0, 0.0, None, _board(data), unsure=fading),)


def _true_frame(entry: dict[str, Any]) -> TrueFrame:
    return TrueFrame(
        frame=_index(entry),
        time=float(entry["t"]),
        screen=_quad(entry.get("screen"), "screen"),
        board=_board(entry.get("board")),
        still=bool(entry.get("still", True)),
        gravity=entry.get("gravity") or "none",
        cut=not entry.get("board") and bool(entry.get("visible")),
        unsure=frozenset((int(r), int(c)) for r, c in entry.get("link") or ()),
        tile_px=entry.get("tile_px"),
        blur_tiles=entry.get("blur_tiles"),
        tilt_deg=entry.get("tilt_deg"),
    )


def _index(entry: dict[str, Any]) -> int:
    return int(entry["frame"] if "frame" in entry else entry["i"])


def _quad(points: Any, name: str) -> Points | None:
    if points is None:
        return None
    quad = np.array(points, np.float32)
    if quad.shape != (4, 2) or not np.isfinite(quad).all():
        raise ValueError(f"`{name}` should be four points [x, y], got {points!r}"[:120])
    return quad


def _board(entry: dict[str, Any] | None) -> PlacedBoard | None:
    if entry is None:
        return None
    rows, cols = int(entry["rows"]), int(entry["cols"])
    corners = _quad(entry["corners"], "corners")
    if corners is None:
        raise ValueError("`corners` of a board may not be null")
    return PlacedBoard(
        rows=rows,
        cols=cols,
        corners=corners,
        cells=_cells(entry.get("cells"), rows, cols),
        row_clues=_clues(entry.get("row_clues")),
        col_clues=_clues(entry.get("col_clues")),
        confidence=float(entry.get("confidence", 1.0)),
    )


def _cells(rows_of_cells: Any, rows: int, cols: int) -> Cells | None:
    if rows_of_cells is None:
        return None
    cells = tuple(tuple(int(v) for v in row) for row in rows_of_cells)
    if len(cells) != rows or any(len(row) != cols for row in cells):
        widths = sorted({len(row) for row in cells})
        raise ValueError(f"`cells` should be {rows} x {cols}, got {len(cells)} rows of {widths}")
    return cells


def _clues(lists: Any) -> Clues:
    return tuple(None if clue is None else tuple(int(n) for n in clue) for clue in lists or ())
