"""The runner over real clips, with a pipeline that knows the truth in place of the real one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from ar_assist.errors import UserError
from ar_assist.evaluate import run
from ar_assist.evaluate.deadends import dead_ends
from ar_assist.evaluate.jobs import Job, jobs_of_path, jobs_of_tiers
from ar_assist.evaluate.score import score
from ar_assist.evaluate.truth import parse_record, parse_truth
from ar_assist.games.link import LinkGame
from ar_assist.games.link.board import LinkBoard, Rules, play
from ar_assist.types import Advice, Lattice, Plane, Reading, Source, View

BOARD = LinkBoard(((1, 2, 1), (2, 3, 3)))
AFTER = play(BOARD, Rules(), (1, 1), (1, 2))
LATTICE = Lattice((40, 40), (50, 50), 2, 3)
SIZE_WH = (240, 180)
FRAMES, MOVE_AT = 60, 31


def board_at(frame: int) -> LinkBoard:
    return BOARD if frame < MOVE_AT else AFTER


def view_of(frame: Any, board: LinkBoard) -> View:
    reading = Reading(board, LATTICE.corners, np.ones((2, 3), np.float32), 0.9)
    advice: Advice[Any] = LinkGame().advise([board])
    plane = Plane(np.eye(3), SIZE_WH)
    return View(frame, "locked", LinkGame(), plane, None, reading, advice, ms=3.0)


def all_knowing(source: Source, *_: Any) -> Iterator[View]:
    """Reads every board right; on every third frame and rarer it is blind to the last move."""
    slow = source.fps < 15
    for frame in source:
        yield view_of(frame, BOARD if slow else board_at(frame.index))


def all_merging(source: Source, *_: Any) -> Iterator[View]:
    """Takes all tiles for the same kind and so shows wrong hints."""
    for frame in source:
        yield view_of(frame, LinkBoard(((1, 1, 1), (1, 1, 1))))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A short clip with truth; what it shows does not matter here."""
    path = tmp_path / "clip.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, SIZE_WH)
    for i in range(FRAMES):
        writer.write(np.full((SIZE_WH[1], SIZE_WH[0], 3), 4 * i, np.uint8))
    writer.release()
    placed = {"corners": LATTICE.corners.tolist()}
    frames = [
        {"frame": i, "t": i / 30, "board": board_at(i).record() | placed} for i in range(FRAMES)
    ]
    truth = {"video": path.name, "fps": 30, "size": SIZE_WH, "game": "link", "frames": frames}
    path.with_suffix(".json").write_text(json.dumps(truth))
    return path


def job_of(clip: Path, **changes: Any) -> Job:
    return Job("clip", "tier", str(clip), truth=clip.with_suffix(".json"), **changes)


def test_strides_run_in_step_over_one_pass(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.replay, "run", all_knowing)
    result = run.run_job(job_of(clip, strides=(2, 3))).score
    assert all(frame.exact for frame in result.frames) and len(result.frames) == FRAMES
    assert result.same_boards == pytest.approx({2: 1.0, 3: 2 / 3})
    assert result.fresh == (0.0,)
    assert result.peak_mb is None or result.peak_mb > 1


def test_looks_are_as_slow_as_asked_for(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latencies = []

    def waiting(source: Source, games: Any, look_s: float, think_s: float) -> Iterator[View]:
        latencies.append(look_s)
        return all_knowing(source)

    monkeypatch.setattr(run.replay, "run", waiting)
    run.run_job(job_of(clip, look_latency_s=0.3, strides=(2,)))
    assert latencies == [0.3, 0.3]


def test_the_worst_frames_are_drawn(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.replay, "run", all_merging)
    pictures = run.run_job(job_of(clip, pictures=3)).pictures
    assert "wrong hint, kinds merged" in pictures[0].fault
    drawn = cv2.imdecode(np.frombuffer(pictures[0].jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert drawn is not None and drawn.std() > 0


def test_a_single_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.replay, "still", lambda frame, games: view_of(frame, BOARD))
    cv2.imwrite(str(tmp_path / "photo.png"), np.zeros((SIZE_WH[1], SIZE_WH[0], 3), np.uint8))
    truth = {"image": "photo.png", **BOARD.record(), "corners": LATTICE.corners.tolist()}
    (tmp_path / "photo.json").write_text(json.dumps(truth))
    (job,) = jobs_of_path(tmp_path)
    assert job.is_picture
    (frame,) = run.run_job(job).score.frames
    assert frame.exact and frame.hint_right


def test_a_scene_is_run_with_its_own_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run.replay, "run", lambda source, *_: (View(f, "searching") for f in source)
    )
    (job,) = jobs_of_tiers(["tripod"], [1])
    short = Job(job.name, job.tier, job.source + ",seconds=0.1,size=320x180")
    result = run.run_job(short).score
    assert [frame.board_iou for frame in result.frames] == [0.0] * 3


def test_truth_of_another_clip(clip: Path) -> None:
    truth = json.loads(clip.with_suffix(".json").read_text())
    source = run.open_source(str(clip))
    log = [parse_record({"frame": i, "t": i / 30, "state": "lost"}) for i in range(FRAMES)]
    run._check_length(parse_truth(truth), source, log)
    with pytest.raises(UserError, match="goes to frame 59, the clip has 40 frames"):
        run._check_length(parse_truth(truth), source, log[:40])


def test_truth_of_another_size(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.replay, "run", None)  # it is said before the clip is run
    path = clip.with_suffix(".json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "size": [100, 100]}))
    with pytest.raises(UserError, match="the clip has"):
        run.run_job(job_of(clip))


def test_a_hint_that_spoils_the_board_is_a_dead_end() -> None:
    # If the two 1s at the right go first, the other two are shut in with the 3s.
    cells = ((1, 3, 2, 2), (3, 1, 1, 1))
    good, bad = ((0, 2), (0, 3)), ((1, 2), (1, 3))
    corners = [[0, 0], [40, 0], [40, 20], [0, 20]]
    entry = {"rows": 2, "cols": 4, "cells": cells, "corners": corners}
    truth = parse_truth({"frames": [{"frame": i, "t": i, "board": entry} for i in range(2)]})
    lines = [
        {"frame": i, "t": i, "board": entry, "hint": {"a": a, "b": b, "path": (a, b)}}
        for i, (a, b) in enumerate((good, bad))
    ]
    clip = score([parse_record(line) for line in lines], truth)
    assert [frame.hint_right for frame in clip.frames] == [True, True]
    assert dead_ends(clip, truth) == (False, True)
