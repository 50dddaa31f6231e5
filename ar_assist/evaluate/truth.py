"""Truth files and run logs as values. Both have the shape of the run log, so either can be truth.

Points are px of the stored, distorted picture, as in the log's contract.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from ar_assist import runlog
from ar_assist.errors import UserError
from ar_assist.evaluate.placed import Cells, Clues, PlacedBoard
from ar_assist.games import GAMES
from ar_assist.games.link.board import GRAVITIES
from ar_assist.types import Cell, Points

# What cells may hold: holes, stones, empty and kinds; discs; crossed, open and filled.
VALUES = {"link": (-2, math.inf), "othello": (0, 2), "nonogram": (-1, 1)}


@dataclass(frozen=True, eq=False)
class Record:
    """One line of a run log."""

    frame: int
    time: float  # s
    state: str
    screen: Points | None
    board: PlacedBoard | None
    hint: dict[str, Any] | None
    game: str | None = None
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
    game, size = data.get("game") or _guess_game(data), data.get("size")
    if game not in GAMES:
        raise ValueError(f"`game` {game!r} is none of: {' '.join(GAMES)}")
    frames = _true_frames(data)
    if not frames:
        raise ValueError("it has no frames")
    _check_order(frames)
    _check_boards(frames, game)
    return Truth(
        game=game,
        frames=frames,
        media=str(data.get("video") or data.get("image") or ""),
        size_wh=_pair(size) if size else None,
        fps=data.get("fps"),
        sparse=bool(data.get("sparse", False)),
        solution=_solution(data.get("solution", ()), frames),
    )


def load_log(path: Path) -> tuple[Record, ...]:
    """Read a run log; UserError names the line that is broken."""
    records: list[Record] = []
    for number, line in runlog.numbered(path):
        try:
            records.append(parse_record(line))
            _check_order(records[-2:])
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
        time=_number(line, "t"),
        state=line.get("state", "searching"),
        screen=_quad(line.get("screen"), "screen"),
        board=board,
        hint=_hint(line.get("hint")),
        game=line.get("game"),
        ms=_number_or_none(line, "ms"),
        look_ms=_number_or_none(line, "look_ms"),
    )


def hint_game(hint: dict[str, Any]) -> str:
    """The game that a hint is for, told by the keys that the log's contract gives it."""
    if "path" in hint:
        return "link"
    return "othello" if "best" in hint else "nonogram"


def hint_cells(hint: dict[str, Any]) -> list[Cell]:
    """All cells of a hint of any game, in a fixed order, as `rules.hint_is_right` takes them."""
    game = hint_game(hint)
    if game == "link":
        spots = [hint["a"], hint["b"], *hint["path"]]
    elif game == "othello":
        spots = [hint["best"], *hint["moves"]]
    else:
        spots = [*(entry[:2] for entry in hint["cells"]), *hint.get("mistakes", ())]
    return [_pair(spot) for spot in spots]


def truth_from_log(records: Sequence[Record], path: Path) -> Truth:
    """Take a log at its word, so that another can be scored against it; UserError if it has none.

    A log that names no game is one of link games.
    """
    frames = tuple(TrueFrame(r.frame, r.time, r.screen, r.board) for r in records)
    games = {r.game for r in records if r.board and r.game} or {"link"}
    game = games.pop()
    if games or game not in GAMES:
        named = " ".join(sorted(map(str, {game, *games})))
        raise UserError(f"{path} is no truth: it should be of one game, and names: {named}")
    return Truth(game, frames, path.stem, sparse=True)


def _check_order(lines: Sequence[Record | TrueFrame]) -> None:
    """ValueError where frames do not follow each other."""
    for before, after in pairwise(lines):
        if after.frame <= before.frame:
            raise ValueError(f"frame {after.frame} comes after frame {before.frame}")
        if after.time < before.time:
            raise ValueError(f"frame {after.frame}, at {after.time:g} s, is before {before.time:g}")


def _check_boards(frames: Sequence[TrueFrame], game: str) -> None:
    """ValueError where a board has no place, or its cells hold what the game does not know."""
    least, most = VALUES[game]
    for frame, board in ((frame.frame, frame.board) for frame in frames if frame.board):
        if not board.has_place:
            raise ValueError(f"frame {frame}: `corners` go round no board")
        odd = [v for row in board.cells or () for v in row if not least <= v <= most]
        if odd:
            raise ValueError(f"frame {frame}: no cell of the game {game} holds {odd[0]}")


def _said(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _guess_game(data: dict[str, Any]) -> str:
    """Single pictures do not say their game, but each game's truth has a key of its own."""
    if "row_clues" in data:
        return "nonogram"
    return "othello" if "cells_meaning" in data else "link"


def _true_frames(data: dict[str, Any]) -> tuple[TrueFrame, ...]:
    if "frames" in data:
        if not all(isinstance(entry, dict) for entry in data["frames"]):
            raise ValueError("`frames` should be a list of objects")
        return tuple(_true_frame(entry) for entry in data["frames"])
    if "quads" in data:
        quads = enumerate(data["quads"])
        fps = float(data["fps"])
        return tuple(TrueFrame(i, i / fps, _quad(q, f"quads[{i}]"), None) for i, q in quads)
    corners = _quad(data["corners"], "corners")
    if "rows" not in data:
        return (TrueFrame(0, 0.0, corners, None),)
    board = _board(data)
    return (TrueFrame(0, 0.0, None, board, unsure=_fading(data, board)),)


def _true_frame(entry: dict[str, Any]) -> TrueFrame:
    board, gravity = _board(entry.get("board")), entry.get("gravity") or "none"
    if gravity not in GRAVITIES:
        raise ValueError(f"`gravity` {gravity!r} is none of: {' '.join(GRAVITIES)}")
    return TrueFrame(
        frame=_index(entry),
        time=_number(entry, "t"),
        screen=_quad(entry.get("screen"), "screen"),
        board=board,
        still=bool(entry.get("still", True)),
        gravity=gravity,
        cut=board is None and bool(entry.get("visible")),
        unsure=_fading(entry, board),
        tile_px=_number_or_none(entry, "tile_px"),
        blur_tiles=_number_or_none(entry, "blur_tiles"),
        tilt_deg=_number_or_none(entry, "tilt_deg"),
    )


def _solution(lines: Sequence[str], frames: Sequence[TrueFrame]) -> tuple[str, ...]:
    """A nonogram's solution; ValueError if it is of another size than the boards."""
    shape = len(lines), *sorted({len(line) for line in lines})
    for board in (frame.board for frame in frames):
        if lines and board and shape != (board.rows, board.cols):
            raise ValueError(f"`solution` should be {board.rows} lines of {board.cols}")
    return tuple(lines)


def _fading(entry: dict[str, Any], board: PlacedBoard | None) -> frozenset[Cell]:
    """The pair that is just being removed."""
    cells = frozenset(_pair(cell) for cell in entry.get("link") or ())
    if board and not all(0 <= r < board.rows and 0 <= c < board.cols for r, c in cells):
        raise ValueError(f"`link` names a cell that is not on the board: {sorted(cells)}")
    return cells


def _hint(entry: dict[str, Any] | None) -> dict[str, Any] | None:
    """The hint as it is, if its cells and what belongs to them are there."""
    if entry is None:
        return None
    if not isinstance(entry, dict):
        raise ValueError(f"`hint` should be an object, got {entry!r}"[:120])
    hint_cells(entry)
    if "best" in entry and entry["to_move"] not in (1, 2):
        raise ValueError(f"`to_move` should be 1 or 2, got {entry['to_move']!r}"[:120])
    return entry


def _index(entry: dict[str, Any]) -> int:
    return index(entry["frame"] if "frame" in entry else entry["i"])


def _pair(values: Any) -> tuple[int, int]:
    """Two whole numbers: a cell, a size."""
    try:
        first, second = values
        return index(first), index(second)
    except (TypeError, ValueError):
        raise ValueError(f"expected two whole numbers, got {values!r}"[:120]) from None


def _number(entry: dict[str, Any], key: str) -> float:
    """A finite number; KeyError or ValueError."""
    value = entry[key]
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"`{key}` should be a number, got {value!r}"[:120])
    return float(value)


def _number_or_none(entry: dict[str, Any], key: str) -> float | None:
    return None if entry.get(key) is None else _number(entry, key)


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
    rows, cols = index(entry["rows"]), index(entry["cols"])
    if rows < 1 or cols < 1:
        raise ValueError(f"a board of {rows} x {cols} cells")
    corners = _quad(entry["corners"], "corners")
    if corners is None:
        raise ValueError("`corners` of a board may not be null")
    return PlacedBoard(
        rows=rows,
        cols=cols,
        corners=corners,
        cells=_cells(entry.get("cells"), rows, cols),
        row_clues=_clues(entry, "row_clues", rows),
        col_clues=_clues(entry, "col_clues", cols),
        confidence=_number({"confidence": 1.0, **entry}, "confidence"),
    )


def _cells(rows_of_cells: Any, rows: int, cols: int) -> Cells | None:
    if rows_of_cells is None:
        return None
    cells = tuple(tuple(int(v) for v in row) for row in rows_of_cells)
    if len(cells) != rows or any(len(row) != cols for row in cells):
        widths = sorted({len(row) for row in cells})
        raise ValueError(f"`cells` should be {rows} x {cols}, got {len(cells)} rows of {widths}")
    return cells


def _clues(entry: dict[str, Any], key: str, count: int) -> Clues:
    lists = entry.get(key) or ()
    if len(lists) not in (0, count):
        raise ValueError(f"`{key}` should be {count} lists, got {len(lists)}")
    return tuple(None if clue is None else tuple(int(n) for n in clue) for clue in lists)
