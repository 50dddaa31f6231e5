"""`ar-assist evaluate` over logs: tables, JSON, HTML, baselines, bad input; clusters."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from ar_assist.cli import main
from ar_assist.errors import UserError
from ar_assist.evaluate import baseline, html, load_truth, parse_record, parse_truth, report, score
from ar_assist.evaluate.jobs import jobs_of_path, jobs_of_tiers, parse_seeds
from ar_assist.evaluate.pictures import Picture, side_by_side, worst
from ar_assist.evaluate.run import Result, run_all
from ar_assist.evaluate.score import ClipScore

CELLS = [[1, 2, 1], [2, 3, 3]]
CORNERS = [[100, 100], [250, 104], [248, 200], [98, 196]]
HINT = {"a": [1, 1], "b": [1, 2], "path": [[1, 1], [1, 2]], "safe": True}
BOARD = {"rows": 2, "cols": 3, "cells": CELLS, "corners": CORNERS}
WRONG = {**BOARD, "cells": [[1, 2, 1], [2, 3, 2]], "confidence": 0.9}


def truth(name: str = "clip", frames: int = 90) -> dict[str, Any]:
    entries = [{"frame": i, "t": i / 30, "screen": None, "board": BOARD} for i in range(frames)]
    return {"video": f"{name}.mp4", "size": [320, 240], "fps": 30, "game": "link",
            "tier": "tripod", "frames": entries}  # fmt: skip


def log(frames: int = 90, wrong: range = range(0)) -> list[dict[str, Any]]:
    return [
        {"frame": i, "t": i / 30, "state": "locked", "screen": None, "hint": HINT, "ms": 4.0,
         "board": WRONG if i in wrong else {**BOARD, "confidence": 0.9}}
        for i in range(frames)
    ]  # fmt: skip


def written(folder: Path, name: str = "clip", wrong: range = range(0)) -> Path:
    """A log with its truth beside it."""
    (folder / f"{name}.json").write_text(json.dumps(truth(name)))
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in log(wrong=wrong)))
    return path


def scored(wrong: range = range(0)) -> ClipScore:
    records = [parse_record(line) for line in log(wrong=wrong)]
    return score(records, parse_truth(truth()), name="clip", tier="tripod")


def test_a_log_beside_its_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["evaluate", str(written(tmp_path)), "--json", str(out), "--jobs", "1"]) == 0
    summary = json.loads(out.read_text())
    assert summary["tiers"]["tripod"]["exact"] == 1.0
    assert summary["all"]["hint_wrong"] == 0.0
    assert "tripod" in capsys.readouterr().out


def test_a_folder_of_logs_and_a_log_as_truth(tmp_path: Path) -> None:
    logs = [written(tmp_path, "one"), written(tmp_path, "two", range(30))]
    (tmp_path / "camera.json").write_text('{"matrix": []}')
    assert [job.name for job in jobs_of_path(tmp_path)] == ["one", "two"]
    (job,) = jobs_of_path(logs[1], truth=logs[0])
    (result,) = run_all([job], workers=1)
    assert sum(frame.exact for frame in result.score.frames) == 60


def test_a_log_as_truth_is_of_the_game_that_it_names(tmp_path: Path) -> None:
    """Colours of discs are no labels: black and white may not change places."""
    board = {**BOARD, "confidence": 1.0}
    seen = [[1, 2, 1], [2, 1, 0]], [[2, 1, 2], [1, 2, 0]]
    paths = [tmp_path / "black.jsonl", tmp_path / "white.jsonl"]
    for path, cells in zip(paths, seen, strict=True):
        line = {**log()[0], "game": "othello", "board": {**board, "cells": cells}, "hint": None}
        path.write_text(json.dumps(line) + "\n")
    (result,) = run_all(jobs_of_path(paths[1], truth=paths[0]), workers=1)
    assert not result.score.frames[0].exact
    paths[0].write_text(json.dumps({**log()[0], "game": "chess"}) + "\n")
    with pytest.raises(UserError, match="of one game, and names: chess"):
        load_truth(paths[0])


def test_a_regression_gives_exit_code_1(tmp_path: Path) -> None:
    good, out = written(tmp_path), tmp_path / "old.json"
    assert main(["evaluate", str(good), "--json", str(out), "--jobs", "1"]) == 0
    same = ["evaluate", str(good), "--baseline", str(out), "--jobs", "1"]
    assert main(same) == 0
    written(tmp_path, wrong=range(30, 40))
    assert main(same) == 1


def test_a_baseline_of_a_run_with_other_options_is_refused(tmp_path: Path, capsys) -> None:
    good, out = written(tmp_path), tmp_path / "old.json"
    assert main(["evaluate", str(good), "--json", str(out), "--jobs", "1"]) == 0
    other = ["evaluate", str(good), "--baseline", str(out), "--jobs", "1", "--latency", "0.1"]
    assert main(other) == 2
    assert "was made with --game auto --latency 0.3" in capsys.readouterr().err


def test_a_baseline_forgives_noise_and_praises_gains() -> None:
    good, bad = report.summarise([[scored()]]), report.summarise([[scored(range(30, 40))]])
    noisy = report.summarise([[scored()], [scored(range(30, 40))]])
    assert {d.figure.name for d in baseline.compare(good, bad) if d.worse} >= {"exact"}
    assert not any(d.worse for d in baseline.compare(noisy, bad) if d.figure.name == "exact")
    assert not any(d.worse for d in baseline.compare(bad, good))


def test_a_figure_that_a_file_rounds_is_no_difference(tmp_path: Path) -> None:
    now = report.summarise([[scored(range(20))]])
    now["tiers"]["tripod"] |= {"false_lock": 2 / 3, "exact": 1 / 3}  # of no slack, and of some
    report.save(now, tmp_path / "old.json")
    differences = baseline.compare(report.load(tmp_path / "old.json"), now)
    assert differences == [] and "nothing differs" in str(baseline.table(differences).title)


def test_never_is_worse_than_any_time_and_survives_the_file(tmp_path: Path) -> None:
    before, now = report.summarise([[scored()]]), report.summarise([[scored()]])
    now["tiers"]["tripod"]["first_hint_p50"] = math.inf
    report.save(now, tmp_path / "now.json")
    again = report.load(tmp_path / "now.json")
    assert again["tiers"]["tripod"]["first_hint_p50"] == math.inf
    assert [d.figure.name for d in baseline.compare(before, again) if d.worse] == ["first_hint_p50"]


def test_costs_count_only_where_repeats_show_how_far_they_vary() -> None:
    """And are not compared across machines at all."""
    before, now = report.summarise([[scored()]]), report.summarise([[scored()]])
    now["tiers"]["tripod"]["step_p95"] = 100.0
    assert [(d.figure.name, d.worse) for d in baseline.compare(before, now)] == [
        ("step_p95", False)
    ]
    before["noise"] = now["noise"] = {"tripod": {"step_p95": 3.0}}
    assert [d.worse for d in baseline.compare(before, now)] == [True]
    before["machine"] = "another"
    assert baseline.compare(before, now) == []


def test_a_baseline_of_other_clips_is_refused() -> None:
    before, now = report.summarise([[scored()]]), report.summarise([[scored()]])
    before["clips"][0]["name"] = "another"
    with pytest.raises(UserError, match="other clips"):
        baseline.compare(before, now)


def test_tiers_of_other_clips_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = [scored(), replace(scored(), name="more", tier="glare")]
    report.save(report.summarise([both]), tmp_path / "old.json")
    again = ["--baseline", str(tmp_path / "old.json"), "--jobs", "1"]
    assert main(["evaluate", str(written(tmp_path)), *again]) == 0
    assert "the clips are others: glare" in capsys.readouterr().out


def test_the_report_is_one_file_with_pictures(tmp_path: Path) -> None:
    result = scored(range(30, 40))
    jpeg = bytes(cv2.imencode(".jpg", np.zeros((9, 9, 3), np.uint8))[1])
    picture = Picture("clip <1>", "tripod", 30, "kinds merged", 2.0, jpeg)
    path = tmp_path / "report.html"
    html.save(report.summarise([[result]]), [Result(result, (picture,))], path)
    page = path.read_text()
    assert page.count("<svg") == 4
    assert "data:image/jpeg;base64" in page
    assert "clip &lt;1&gt;, frame 30" in page
    assert 'src="http' not in page and "<link" not in page


def test_the_worst_frames_come_first_and_are_drawn() -> None:
    clip = scored(range(30, 40))
    (frame, fault, _), *_ = worst(clip, 3)
    assert (frame.frame in range(30, 40), "kinds" in fault) == (True, True)
    grey = np.full((240, 320, 3), 90, np.uint8)
    record = parse_record(log(wrong=range(30, 40))[30])
    drawn = side_by_side(grey, parse_truth(truth()).frames[30], record)
    left, right = np.hsplit(drawn, 2)
    assert left.shape == right.shape and (left != right).any()


def test_every_figure_is_explained() -> None:
    text = (Path(__file__).parent.parent / "docs" / "evaluation.md").read_text()
    missing = [figure.name for figure in report.FIGURES if f"`{figure.name}`" not in text]
    assert not missing


def test_seeds_and_tiers() -> None:
    assert parse_seeds("100-102,7") == [100, 101, 102, 7]
    names = [job.name for job in jobs_of_tiers(["tripod", "glare"], [1, 2])]
    assert names == ["tripod-1", "tripod-2", "glare-1", "glare-2"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "nothing to evaluate"),
        (["nowhere.mp4"], 3, "no such file"),
        (["."], 3, "no clip with truth"),
        (["--tiers", "moon"], 2, "none of: tripod"),
        (["--tiers", "tripod", "--seeds", "x"], 2, "expected numbers"),
        (["--tiers", "tripod", "--seeds", "5-3"], 2, "expected numbers"),
        (["lone.jsonl"], 3, "lone.json is missing"),
        (["broken.jsonl"], 2, "broken.jsonl:2"),
        (["lone.jsonl", "--truth", "long.json"], 2, "does not fit"),
        (["lone.jsonl", "--truth", "empty.json"], 2, "no truth file"),
        ([".", "--truth", "long.json"], 2, "is a folder"),
        (["--tiers", "tripod", "--baseline", "empty.json"], 2, "no result of"),
        (["--tiers", "tripod", "--baseline", "torn.json"], 2, "torn.json is broken"),
        (["--tiers", "tripod", "--baseline", "poor.json"], 2, "poor.json is broken: KeyError"),
        (["--tiers", "tripod", "--json", "nowhere/x.json"], 2, "no such folder"),
        (["--tiers", "tripod", "--json", "."], 2, "it is a folder"),
        (["--tiers", "tripod", "--html", "."], 2, "it is a folder"),
        (["--tiers", "tripod", "--repeat", "0"], 2, "--repeat"),
        (["--tiers", "tripod", "--latency", "nan"], 2, "--latency"),
        (["--tiers", "tripod", "--jobs", "0"], 2, "--jobs"),
        (["--tiers", "tripod", "--jobs", "-2"], 2, "--jobs"),
        (["--tiers", "tripod", "--strides", "1"], 2, "--strides"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    line = json.dumps(log()[0]) + "\n"
    Path("lone.jsonl").write_text(json.dumps(log()[80]) + "\n")
    Path("broken.jsonl").write_text(line + '{"frame": 1, "t": 0.1, "state": "lost", "board": {}}\n')
    Path("broken.json").write_text(json.dumps({**truth(frames=2), "video": ""}))
    Path("empty.json").write_text("{}")
    Path("odd.json").write_text('{"video": 7}')
    Path("torn.json").write_text('{"format": 1}')
    whole = report.summarise([[scored()]])
    report.save({**whole, "tiers": {}}, Path("poor.json"))
    Path("long.json").write_text(json.dumps(truth(frames=60)))
    jobs = [] if "--jobs" in arguments else ["--jobs", "1"]
    assert main(["evaluate", *arguments, *jobs]) == code
    error = capsys.readouterr().err
    assert said in error and len(error.splitlines()) == 1


def test_a_broken_truth_is_said_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        written(tmp_path, name)
    (tmp_path / "two.json").write_text('{"video": "two.mp4", "frames": []}')
    monkeypatch.setattr("ar_assist.cli.evaluate.run_all", None)
    assert main(["evaluate", str(tmp_path)]) == 2
    assert "two.json is no truth file: it has no frames" in capsys.readouterr().err


def test_it_ends_with_its_work(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path, name)
    command = [sys.executable, "-m", "ar_assist", "evaluate", str(tmp_path), "--jobs", "2"]
    # Whoever reads its output waits for the workers too, which hold it open.
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "2 clips" in ended.stdout and not ended.stderr


@pytest.mark.slow
def test_a_dask_cluster_scores_the_same(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    for name in ("one", "three", "twelve"):
        written(tmp_path, name, range(len(name)))
    jobs = jobs_of_path(tmp_path)
    here = [exact(result) for result in run_all(jobs, workers=1)]
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        there = [exact(result) for result in run_all(jobs, dask=cluster.scheduler_address)]
    assert there == here
    assert len(set(here)) == len(jobs)


def exact(result: Result) -> tuple[bool, ...]:
    return tuple(frame.exact for frame in result.score.frames)


def test_a_cluster_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("ar_assist.evaluate.run.CONNECT_S", 0.5)
    with pytest.raises(UserError, match="no Dask scheduler"):
        list(run_all(jobs_of_path(written(tmp_path)), dask="127.0.0.1:9"))
