"""The run log: one JSON object a line, one line a processed frame. Other programs read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ar_assist.errors import SourceError, UserError, writing
from ar_assist.types import Points, View

# 0.01 px is finer than anything here is measured; the time stamps of a 240 Hz camera differ by 4 ms
PIXEL_DIGITS, SECOND_DIGITS = 2, 4


def record(view: View) -> dict[str, Any]:
    """One line of the log. Points are in px of the original (distorted) picture."""
    view = view.original
    line: dict[str, Any] = {
        "frame": view.frame.index,
        "t": round(view.frame.time, SECOND_DIGITS),
        "game": view.game.name if view.game else None,
        "state": view.state,
        "screen": None if view.screen is None else _pairs(view.screen),
        "board": _board(view),
        "hint": _hint(view),
        "ms": round(view.ms, 2),
        "reason": view.reason,
        "age": round(view.age, SECOND_DIGITS),
    }
    if "look" in view.timing:
        line["look_ms"] = round(view.timing["look"], 2)
    if view.frame.name:
        line["source"] = view.frame.name
    return line


def _board(view: View) -> dict[str, Any] | None:
    if view.reading is None or view.plane is None:
        return None
    return {
        **view.reading.board.record(),
        "corners": _pairs(view.plane.to_frame(view.reading.corners)),
        "confidence": round(float(view.reading.confidence), 4),
    }


def _hint(view: View) -> dict[str, Any] | None:
    if view.advice is None or not view.advice.moves:
        return None
    hint: dict[str, Any] = view.advice.moves[view.choice].record()
    return hint


def _pairs(points: Points) -> list[list[float]]:
    """(N, 2) px → a list of pairs."""
    pairs: list[list[float]] = np.round(points.astype(np.float64), PIXEL_DIGITS).tolist()
    return pairs


class Writer:
    """Writes views to a file, each line out at once so that another program can follow it."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        with writing(path):
            self._file = Path(path).open("w", encoding="utf-8", buffering=1)  # noqa: SIM115

    def write(self, view: View) -> None:
        """Add one line; UserError if the disk is full."""
        try:
            self._file.write(json.dumps(record(view), ensure_ascii=False) + "\n")
        except OSError as error:
            raise UserError(f"{self._path}: the log stopped ({error.strerror})") from None

    def close(self) -> None:
        """Finish the file; harmless when it is closed already."""
        with suppress(OSError):  # a line that could not be written, as `write` said
            self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read(path: str | Path) -> Iterator[dict[str, Any]]:
    """The lines of a log, in order; a `UserError` names the line that is not one."""
    return (line for _, line in numbered(path))


def numbered(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a log with their numbers in the file, which may have blank ones."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                if text.strip():
                    yield number, _parsed(text, f"{path}:{number}")
    except OSError as error:
        raise SourceError(f"cannot read the log {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not a run log: it is not text") from None


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(line, dict):
        raise UserError(f"{where}: a line of the log is an object, got {type(line).__name__}")
    missing = [key for key in ("frame", "t", "state") if key not in line]
    if missing:
        raise UserError(f"{where}: no {' and no '.join(repr(key) for key in missing)}")
    return line
