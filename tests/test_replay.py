"""Clip time, single pictures and the replay verb."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest
from toy import AFTER, START, ToyGame, ToySource

from ar_assist import replay, runlog
from ar_assist.cli import main
from ar_assist.replay import ClipExecutor


def test_work_is_delivered_when_its_time_has_come():
    executor = ClipExecutor(0.5)
    executor.advance(1.0)
    future = executor.submit(lambda a, b: a + b, 2, b=3)
    executor.advance(1.49)
    assert not future.done()
    executor.advance(1.5)
    assert future.result(timeout=0) == 5


def test_a_look_at_a_board_that_is_followed_is_due_sooner(monkeypatch):
    source = ToySource(lambda t: START if t < 1.0 else AFTER, 2.5)
    source.replace_finder(monkeypatch)
    views = list(replay.run(source, [ToyGame()], look_latency_s=0.5))
    first = next(view for view in views if view.reading)
    assert first.frame.time == pytest.approx(0.5, abs=0.04)
    again = next(view for view in views if view.reading and view.reading.board == AFTER)
    assert again.frame.time < 1.0 + 2 * 0.5 * replay.FOLLOWING + 0.1


def test_without_latency_work_is_done_at_once():
    assert ClipExecutor().submit(len, "abc").done()


def test_errors_come_with_the_result():
    executor = ClipExecutor()
    with pytest.raises(ZeroDivisionError):
        executor.submit(lambda: 1 // 0).result(timeout=0)


def test_stride_leaves_frames_out(monkeypatch):
    source = ToySource(lambda t: START, 0.5)
    source.replace_finder(monkeypatch)
    views = list(replay.run(source, [ToyGame()], stride=3))
    assert [view.frame.index for view in views] == list(range(0, 15, 3))
    assert all(view.marks for view in views)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_a_single_picture_is_read_though_not_surely(monkeypatch, confidence: float):
    source = ToySource(lambda t: START)
    source.replace_finder(monkeypatch)
    view = replay.still(source.frame(0), [ToyGame(confidence=confidence)])
    assert view.state == "locked"
    assert view.reading.board == START


def test_what_is_likelier_no_board_is_not_claimed_to_be_one(monkeypatch):
    source = ToySource(lambda t: START)
    source.replace_finder(monkeypatch)
    view = replay.still(source.frame(0), [ToyGame(confidence=0.4)])
    assert (view.state, view.reading, view.reason) == ("searching", None, "not sure of the reading")


def test_the_verb_writes_log_and_recording(tmp_path, capsys):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for index in range(3):
        noise = np.random.default_rng(index).integers(0, 30, (120, 160, 3), np.uint8)
        cv2.imwrite(str(folder / f"{index}.png"), noise)
    log, film = tmp_path / "run.jsonl", tmp_path / "run.mp4"
    assert main(["replay", str(folder), "--log", str(log), "--record", str(film)]) == 0
    lines = list(runlog.read(log))
    assert [line["state"] for line in lines] == ["searching"] * 3
    assert all(json.dumps(line) and line["hint"] is None for line in lines)
    assert film.stat().st_size > 0
    assert "3 frames: 3 searching" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["none.mp4"], 3, "none.mp4"),
        (["none.mp4", "--stride", "0"], 2, "--stride"),
        (["none.mp4", "--latency", "-1"], 2, "--latency"),
        (["none.mp4", "--latency", "nan"], 2, "--latency"),
    ],
)
def test_wrong_usage_is_one_line(words, code, says, capsys):
    assert main(["replay", *words]) == code
    error = capsys.readouterr().err.strip()
    assert says in error
    assert "\n" not in error
