"""The live loop with a screen and an assistant made of cardboard."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest
import toy
from cardboard import Assistants, Frames
from mjpeg_server import mjpeg_server
from smalldisk import small_disk
from views import GREY_FRAME, view_of

from ar_assist import live, speech
from ar_assist.assistant import Assistant
from ar_assist.errors import UserError, where
from ar_assist.live import Outputs, Session
from ar_assist.meter import Meter
from ar_assist.overlay import status_words
from ar_assist.player import HELP
from ar_assist.recorder import Recorder
from ar_assist.speech import Voice, in_words
from ar_assist.types import (
    Advice,
    Candidate,
    Correction,
    Frame,
    Image,
    Reading,
    Source,
    View,
    homography,
)
from ar_assist.video import Live, open_source
from ar_assist.workers import Worker, workers


class Screens:
    """Plays a script: at picture number i come these keys and clicks."""

    def __init__(self, script: dict[int, list[str | tuple[float, float]]]) -> None:
        self.script, self.pictures = script, []  # type: ignore[var-annotated]
        self.is_closed = False

    def show(self, image: Image) -> None:
        self.pictures.append(image)

    def _now(self) -> list[str | tuple[float, float]]:
        return self.script.get(len(self.pictures), [])

    def keys(self, wait_s: float) -> list[str]:
        return [event for event in self._now() if isinstance(event, str)]

    def clicks(self) -> list[tuple[float, float]]:
        return [event for event in self._now() if not isinstance(event, str)]


def played(
    script: dict[int, list[str | tuple[float, float]]],
    source: Source | None = None,
    outputs: Outputs | None = None,
) -> tuple[Assistants, Screens]:
    """Run a session of 30 frames with this script."""
    assistant, screen = Assistants(), Screens(script)
    Session(source or Frames(30), cast(Assistant, assistant), screen, outputs or Outputs()).run()
    return assistant, screen


def centre(row: int, col: int) -> tuple[float, float]:
    """Of a cell, frame px."""
    view = view_of(GREY_FRAME)
    assert view.plane and view.reading
    x, y = view.plane.to_frame(view.reading.cell_quads()[row, col].mean(axis=0))
    return float(x), float(y)


def test_every_key_does_its_work() -> None:
    assistant, _ = played({3: ["n"], 4: ["f"], 5: ["r"], 6: ["m"], 7: ["q"]})
    assert assistant.calls == ["another", "find anew", "turn", "mirror"]
    assert len(assistant.stepped) == 7, "q ends the loop"


def test_help_names_every_key() -> None:
    text = "\n".join(HELP)
    for key in ("q", "Esc", "space", "n", "f", "c", "r", "m", "d", "v", "s", "R", "h", "b"):
        assert key in text.split()


@pytest.mark.parametrize("key", ["v", "d", "h"])
def test_switches_change_the_picture_and_change_it_back(key: str) -> None:
    _, screen = played({3: [key], 6: [key]})
    plain, changed, again = (screen.pictures[i] for i in (1, 4, 7))
    assert changed.shape != plain.shape or (changed != plain)[:-60].any()
    assert (again[:-60] == plain[:-60]).all()


def test_corners_by_mouse_on_a_picture_that_stands_still() -> None:
    corners = [(100.0, 100.0), (500.0, 120.0), (480.0, 400.0), (90.0, 380.0)]
    clicks = {4 + i: [corner] for i, corner in enumerate(corners)}
    assistant, _ = played({3: ["c"], **clicks})
    assert assistant.calls == [("corners", [list(corner) for corner in corners])]
    assert len({frame.index for frame in assistant.stepped[3:7]}) == 1


def test_crossed_corners_are_refused() -> None:
    corners = [(100.0, 100.0), (480.0, 400.0), (500.0, 120.0), (90.0, 380.0)]
    assistant, _ = played({3: ["c"], 5: list(corners)})
    assert assistant.calls == []


def test_escape_ends_the_question_first_and_the_program_next() -> None:
    assistant, _ = played({3: ["c"], 5: [(10.0, 10.0)], 6: ["\x1b"], 8: ["\x1b"]})
    assert assistant.calls == []
    assert len(assistant.stepped) == 8


def test_click_on_a_tile_corrects_it() -> None:
    assistant, screen = played(
        {
            3: [centre(2, 3)], 4: ["e"],
            6: [centre(1, 1)], 7: ["x"],
            9: [centre(5, 9)], 10: [centre(0, 0)],
            12: [centre(4, 4)], 13: [centre(4, 4)], 14: ["e"],
            16: [(5.0, 5.0)], 17: ["x"],
        }
    )  # fmt: skip
    assert assistant.calls == [
        Correction((2, 3), "empty"),
        Correction((1, 1), "blocked"),
        Correction((5, 9), "same", (0, 0)),
    ], "a second click takes the choice back; a click beside the board chooses nothing"
    assert (screen.pictures[3] != screen.pictures[1])[:-60].any(), "the chosen cell is framed"


def test_pause_holds_the_frame_and_keeps_working() -> None:
    assistant, _ = played({3: [" "], 8: ["n"], 10: [" "]})
    indices = [frame.index for frame in assistant.stepped]
    assert indices[2:10] == [2] * 8
    assert "another" in assistant.calls
    assert "paused" in {frame.note for frame in assistant.stepped}
    assert max(indices) == 29, "and it goes on to the end"


def test_a_clip_ends_and_a_picture_stays() -> None:
    assistant, _ = played({})
    assert max(frame.index for frame in assistant.stepped) == 29
    assistant, _ = played({50: ["q"]}, Frames(1, name="a.png"))
    assert len(assistant.stepped) == 50


def test_closing_the_window_ends_the_loop() -> None:
    screen = Screens({})
    screen.is_closed = True
    assistant = Assistants()
    Session(Frames(30), cast(Assistant, assistant), screen, Outputs()).run()
    assert len(assistant.stepped) == 1


class Views(list[View]):
    """A log in memory."""

    write = list.append


def test_log_and_recording_hold_every_frame_once(tmp_path: Path) -> None:
    log = Views()
    with Recorder(tmp_path / "a.mp4", (1280, 720)) as recorder:
        played({3: [" "], 9: [" "], 12: ["d"]}, outputs=Outputs(log=log, record=recorder))
    indices = [view.frame.index for view in log]
    assert indices == sorted(set(indices))
    recorded = list(open_source(str(tmp_path / "a.mp4")))
    assert len(recorded) == len(indices)
    assert recorded[-1].image.shape == (720, 1280, 3), "without the debug view"


def test_snapshot_recording_and_bundle_by_key(tmp_path: Path) -> None:
    outputs = Outputs(folder=tmp_path, settings={"source": "http://host/video"})
    played({3: ["s"], 5: ["R"], 15: ["R"], 20: ["b"]}, outputs=outputs)
    (picture,) = tmp_path.glob("ar-assist-*.png")
    assert next(iter(open_source(str(picture)))).image.shape == (720, 1280, 3)
    (clip,) = tmp_path.glob("ar-assist-*.mp4")
    assert len(list(open_source(str(clip)))) >= 5
    (path,) = tmp_path.glob("ar-assist-bug-*.zip")
    with zipfile.ZipFile(path) as bundle:
        names = bundle.namelist()
        assert {"log.jsonl", "settings.json", "versions.json"} < set(names)
        assert json.loads(bundle.read("settings.json")) == {"source": "http://host/video"}
        frames = [name for name in names if name.startswith("frames/")]
        assert len(bundle.read("log.jsonl").splitlines()) == len(frames) > 0


def test_a_recording_begun_by_key_is_finished_when_the_program_fails(tmp_path: Path) -> None:
    class Failing(Frames):
        def __iter__(self) -> Iterator[Frame]:
            yield from super().__iter__()
            raise UserError("the cable is out")

    with pytest.raises(UserError):
        played({3: ["R"]}, Failing(20), Outputs(folder=tmp_path))
    (clip,) = tmp_path.glob("*.mp4")
    assert b"mfra" in clip.read_bytes()


def test_unwritable_folder_is_said_and_the_loop_goes_on(tmp_path: Path) -> None:
    outputs = Outputs(folder=tmp_path / "missing")
    assistant, _ = played({3: ["s"], 4: ["R"], 5: ["b"]}, outputs=outputs)
    assert max(frame.index for frame in assistant.stepped) == 29


def test_a_full_disk_ends_a_recording_and_not_the_game(tmp_path: Path) -> None:
    with small_disk(1000):
        assistant, _ = played({3: ["R"]}, outputs=Outputs(folder=tmp_path))
    assert max(frame.index for frame in assistant.stepped) == 29


def test_clips_are_paced_and_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only sleeping and drawing move."""
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(live.time, "sleep", lambda s: now.__setitem__(0, now[0] + s))
    pace = live._Pace(fps=10)
    shown = []
    for i in range(20):
        if pace.wait(i / 10):
            shown.append(i)
            now[0] += 0.15  # drawing takes longer than a frame
    assert 12 <= len(shown) < 20
    assert all(b - a <= 2 for a, b in itertools.pairwise(shown))
    assert pace.late(19 / 10) < live.LATE_S
    now[0] += 60  # a pause: the clip goes on where it was
    assert pace.wait(2.0)
    assert pace.late(2.0) == pytest.approx(0)


def test_meter_tells_latency_and_rate() -> None:
    meter = Meter()
    for i in range(101):
        meter.add(i / 1000, i / 50)
    assert meter.percentiles_ms() == pytest.approx((50, 95))
    assert meter.fps == pytest.approx(50)
    assert meter.words() == ("50 fps", "latency 50/95 ms")


def test_latency_is_what_a_clock_beside_the_program_measures() -> None:
    """From a network camera's sending to the screen, with a step that takes long."""
    step_s, sent_at, seen = 0.06, {}, []

    def picture(i: int) -> bytes:
        sent_at[i % 30] = time.monotonic()
        return cv2.imencode(".jpg", np.full((720, 1280, 3), 8 * (i % 30), np.uint8))[1].tobytes()

    class Slow(Assistants):
        def step(self, frame: Frame) -> View:
            time.sleep(step_s)
            return super().step(frame)

    class Clock(Screens):
        def show(self, image: Image) -> None:
            super().show(image)
            number = round(float(image[300:400, 1200:].mean()) / 8)
            seen.append(time.monotonic() - sent_at[number])

    with mjpeg_server(picture) as served:
        source = open_source(served.url)
        assert isinstance(source, Live)
        session = Session(
            source, cast(Assistant, Slow()), Clock({40: ["q"]}), Outputs(), now=source.now
        )
        session.run()
        source.close()
    p50, _ = session.meter.percentiles_ms()
    assert p50 >= 1000 * step_s
    assert p50 == pytest.approx(1000 * float(np.median(seen)), abs=15)


def test_hints_in_words() -> None:
    assert in_words({"a": [2, 4], "b": [6, 4], "path": []}) == "row 3 column 5, row 7 column 5"
    assert in_words({"moves": [[0, 0]], "best": [0, 7]}) == "row 1 column 8"
    line = {"line": 3, "cells": [[3, c, 1 if c else -1] for c in range(6)]}
    assert in_words(line).startswith("row 4 column 1 empty, row 4 column 2 full")
    assert in_words(line).endswith("and 2 more")


def test_each_hint_is_spoken_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    script = tmp_path / "voice"
    script.write_text(f'#!/bin/sh\necho "$1" >> {said}\n')
    script.chmod(0o755)
    monkeypatch.setattr(speech, "VOICES", ((str(script),),))
    voice = Voice()
    hints: list[dict[str, Any]] = [{"best": [0, c]} for c in (0, 0, 0, 1, 1)]
    for hint in hints:
        voice.hint(hint)
        assert voice._speaking is not None
        voice._speaking.wait()
    voice.close()
    assert said.read_text().splitlines() == ["row 1 column 1", "row 1 column 2"]


def test_no_voice_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "VOICES", ())
    monkeypatch.setattr(speech.shutil, "which", lambda _: None)
    voice = Voice()
    assert not voice.is_there
    voice.hint({"best": [0, 0]})
    voice.close()


def test_threads_end_with_the_workers() -> None:
    before = threading.active_count()
    with workers(()) as (look, think):
        assert look.submit(int, "3").result(timeout=60) == 3
        assert think.submit(int, "4").result(timeout=60) == 4
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_a_long_thought_does_not_hold_up_the_end() -> None:
    start = time.monotonic()
    with workers(()) as (_, think):
        think.submit(int, "4").result(timeout=60)
        think.submit(time.sleep, 60)
        time.sleep(0.2)
    assert time.monotonic() - start < 30


def test_a_fault_in_another_process_tells_where_it_was() -> None:
    worker = Worker()
    job = worker.submit(homography, np.zeros(3), np.zeros(3))
    error = job.exception(timeout=60)
    worker.shutdown()
    assert error is not None
    assert where(error).startswith("types.py line ")


@dataclass(frozen=True)
class Deadly(toy.ToyGame):
    """Its first thoughts end their process, as a system short of memory does."""

    folder: Path = Path()  # remembers each death
    deaths: int = 1

    def advise(
        self, history: Sequence[toy.ToyBoard], reading: Reading[toy.ToyBoard] | None = None
    ) -> Advice[toy.ToyMove]:
        died = len(list(self.folder.glob("died-*")))
        if died < self.deaths:
            (self.folder / f"died-{died}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().advise(history, reading)


class Toys(toy.ToySource):
    """The toy at its own pace, until a view in its log is the last one wanted."""

    live = True

    def __init__(self, is_last: Callable[[View], bool]) -> None:
        self.board = toy.START
        super().__init__(lambda time: self.board)
        self.is_last, self.log, self.told = is_last, Views(), list[str]()

    def __iter__(self) -> Iterator[Frame]:
        while not self.log or not self.is_last(self.log[-1]):
            assert len(self.log) < 300, "it never came"
            yield self.frame(len(self.log))
            time.sleep(1 / self.fps)

    def play(self, game: toy.ToyGame, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """A headless session of which every frame is kept; `find` is the toy's in a thread only."""
        monkeypatch.setattr("ar_assist.look.find", self.find)
        with (
            workers(()) as (_, think),
            ThreadPoolExecutor(1) as look,
            Recorder(folder / "a.mp4", toy.SIZE_WH) as recorder,
        ):
            outputs = Outputs(log=self.log, record=recorder, tell=self.told.append)
            Session(self, Assistant([game], look, think), None, outputs).run()
        assert [view.frame.index for view in self.log] == list(range(len(self.log)))
        assert len(list(open_source(str(folder / "a.mp4")))) == len(self.log)


def test_a_killed_thinking_process_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Killed at its first thought, and again when it has nothing to do."""
    after = toy.START.put({(0, 0): 0, (1, 5): 0})

    def is_last(view: View) -> bool:
        if view.marks and source.board == toy.START:
            for child in multiprocessing.active_children():
                child.kill()
            source.board = after
        return bool(view.marks and view.reading and view.reading.board == after)

    source = Toys(is_last)
    source.play(Deadly(folder=tmp_path), monkeypatch, tmp_path)
    assert len(list(tmp_path.glob("died-*"))) == 1


def test_a_board_that_kills_each_thought_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = Toys(lambda view: "killed twice" in ", ".join(status_words(view)))
    source.play(Deadly(folder=tmp_path, deaths=99), monkeypatch, tmp_path)
    assert len(list(tmp_path.glob("died-*"))) == 2


def test_a_failing_look_is_said_in_one_line_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Failing(Toys):
        failures = 0

        def find(self, *seen: Any) -> list[Candidate]:
            self.failures += 1
            if self.failures <= 2:
                raise ZeroDivisionError("a\nfault " + 99 * "long ")
            return super().find(*seen)

    source = Failing(lambda view: bool(view.marks))
    source.play(toy.ToyGame(), monkeypatch, tmp_path)
    (line,) = source.told
    assert "test_live.py" in line
    assert "ZeroDivisionError: a fault long" in line
    assert len(line) < 150
    assert [view.reason for view in source.log].count(line) == 2


BUSY = """
import time
import sys
from ar_assist.workers import workers
if __name__ == "__main__":
    with workers(()) as (look, think):
        think.submit(int, "4").result()
        look.submit(time.sleep, 120)
        print("busy", flush=True)
        {then}
    sys.exit(7)
"""


def busy(folder: Path, then: str) -> subprocess.Popen[str]:
    """A program with a look in flight, and what it does then."""
    script = folder / "busy.py"
    script.write_text(BUSY.format(then=then))
    command = [sys.executable, str(script)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "busy\n"
    return process


def test_a_long_look_does_not_hold_up_the_end(tmp_path: Path) -> None:
    process = busy(tmp_path, then="pass")
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 7


def test_nobody_is_left_behind_by_a_program_that_is_killed(tmp_path: Path) -> None:
    process = busy(tmp_path, then="time.sleep(120)")
    process.kill()
    process.communicate(timeout=30)  # ends when all who hold its pipes have ended
