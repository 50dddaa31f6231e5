"""The run log's contract: keys, frames of reference, and what bad lines say."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from smalldisk import small_disk

from ar_assist import runlog
from ar_assist.errors import SourceError, UserError
from ar_assist.types import Advice, Frame, Plane, Reading, View

CORNERS = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
PICTURE = np.zeros((4, 4, 3), np.uint8)
SHIFTED = np.array([[2.0, 0, 100], [0, 2.0, 50], [0, 0, 1]])


@dataclass(frozen=True)
class _Board:
    def record(self) -> dict[str, Any]:
        return {"rows": 1, "cols": 2, "cells": [[1, 1]]}


@dataclass(frozen=True)
class _Move:
    name: str

    def record(self) -> dict[str, Any]:
        return {"a": [0, 0], "b": [0, 1], "name": self.name}


class _Lens:
    def distort(self, points):
        return points + np.float32(7)

    def straighten(self, points):
        return points - np.float32(7)


def _view(**changes: Any) -> View:
    reading = Reading(_Board(), CORNERS, np.ones((1, 2), np.float32), 0.93)
    values: dict[str, Any] = {
        "frame": Frame(17, 0.56789, PICTURE),
        "state": "locked",
        "plane": Plane(SHIFTED, (11, 11)),
        "reading": reading,
        "advice": Advice((_Move("first"), _Move("second")), "ready"),
        "ms": 6.1,
    }
    return View(**{**values, **changes})


def test_a_line_has_the_keys_of_the_contract():
    line = runlog.record(_view())
    assert {"frame", "t", "game", "state", "screen", "board", "hint", "ms", "reason"} <= set(line)
    assert line["frame"] == 17
    assert line["t"] == 0.5679
    assert line["board"]["cells"] == [[1, 1]]
    assert line["board"]["confidence"] == 0.93
    json.dumps(line)


def test_the_board_lies_in_frame_px():
    corners = runlog.record(_view())["board"]["corners"]
    assert corners == [[100, 50], [120, 50], [120, 70], [100, 70]]


def test_points_go_out_as_the_lens_made_them():
    view = _view(frame=Frame(0, 0.0, PICTURE, lens=_Lens()), screen=CORNERS)
    line = runlog.record(view)
    assert line["screen"][0] == [7, 7]
    assert line["board"]["corners"][0] == [107, 57]


def test_the_hint_is_the_chosen_move():
    assert runlog.record(_view(choice=1))["hint"]["name"] == "second"


@pytest.mark.parametrize("missing", ["advice", "reading", "plane"])
def test_what_is_not_known_is_null(missing: str):
    line = runlog.record(_view(**{missing: None}))
    assert line["hint" if missing == "advice" else "board"] is None


def test_lines_are_out_at_once(tmp_path):
    path = tmp_path / "run.jsonl"
    with runlog.Writer(path) as writer:
        for count in (1, 2, 3):
            writer.write(_view())
            assert len(list(runlog.read(path))) == count


@pytest.mark.parametrize(
    ("text", "says"),
    [("{oops}", ":2: not JSON"), ("[1]", ":2: a line"), ('{"frame": 1}', ":2: no 't' and no")],
)
def test_a_bad_line_is_named(tmp_path, text: str, says: str):
    path = tmp_path / "run.jsonl"
    path.write_text('{"frame": 0, "t": 0, "state": "lost"}\n' + text + "\n")
    with pytest.raises(UserError, match=says):
        list(runlog.read(path))


def test_a_full_disk_is_said_and_leaves_whole_lines(tmp_path):
    path = tmp_path / "run.jsonl"
    said = pytest.raises(UserError, match="the log stopped")
    with small_disk(5000), said, runlog.Writer(path) as writer:
        for _ in range(100):
            writer.write(_view())
    *whole, _torn = path.read_text().split("\n")
    assert len(whole) > 1
    assert len({*map(len, whole)}) == 1


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(SourceError, match="cannot read"):
        list(runlog.read(tmp_path / "none.jsonl"))
    with pytest.raises(UserError, match="can't be written"):
        runlog.Writer(tmp_path / "no" / "folder.jsonl")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\xff\xfe")
    with pytest.raises(UserError, match="not text"):
        list(runlog.read(tmp_path / "picture.png"))
