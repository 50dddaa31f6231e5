"""Processes that look and think: they die, fail, take long, and leave nobody behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import platform
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy
from views import Views

from ar_assist.assistant import Assistant
from ar_assist.errors import where
from ar_assist.games import GAMES
from ar_assist.live import Outputs, Session
from ar_assist.overlay import status_words
from ar_assist.recorder import Recorder
from ar_assist.types import (
    Advice,
    Candidate,
    Frame,
    Reading,
    View,
    homography,
)
from ar_assist.video import open_source
from ar_assist.workers import Worker, workers

pytestmark = pytest.mark.alone
PATIENT = 1800  # frames, a minute: busy machines start processes slowly


def test_threads_end_with_the_workers() -> None:
    before = threading.active_count()
    with workers(()) as (look, think, challenge):
        assert look.submit(int, "3").result(timeout=60) == 3
        assert think.submit(int, "4").result(timeout=60) == 4
        assert challenge.submit(int, "5").result(timeout=60) == 5
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_readers_are_loaded_before_the_first_look() -> None:
    with workers([GAMES["link"]]) as (look, think, _):
        loaded = "'ar_assist.games.link.reader' in __import__('sys').modules"
        assert look.submit(eval, loaded).result(timeout=60)
        assert not think.submit(eval, loaded).result(timeout=60)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_a_process_that_still_loads_hears_no_ctrl_c(capfd: pytest.CaptureFixture[str]) -> None:
    with Worker() as worker:
        answer = worker.submit(int, "3")
        (process,) = multiprocessing.active_children()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        assert answer.result(timeout=60) == 3
    assert capfd.readouterr().err == ""
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()), "we do hear it"


HEAPS = """
import ctypes, threading
from ar_assist.workers import share_one_heap
{first}
kept = []
def work(): kept.append([bytes(50_000) for _ in range(99)])
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="it is glibc that has many heaps, and counts them"
)
def test_threads_share_one_heap() -> None:
    def heaps(first: str) -> int:
        script = [sys.executable, "-c", HEAPS.format(first=first)]
        told = subprocess.run(script, capture_output=True, text=True, check=True).stdout
        return told.count("<heap ")

    assert heaps("share_one_heap()") == 1 < heaps("")


def test_a_long_thought_does_not_hold_up_the_end() -> None:
    start = time.monotonic()
    with workers(()) as (_, think, _):
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


def half_a_result() -> None:
    """In the process: it is ended while it writes."""
    (pipe,) = (some for some in gc.get_objects() if isinstance(some, Connection) and some.writable)
    os.write(pipe.fileno(), struct.pack("!i", 999) + b"half")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are others there")
def test_a_process_that_ends_amid_its_result_holds_up_nobody() -> None:
    with Worker() as worker:
        assert isinstance(worker.submit(half_a_result).exception(timeout=60), BrokenExecutor)
        assert worker.submit(int, "3").result(timeout=60) == 3


def test_what_cannot_be_sent_is_an_error_of_its_job() -> None:
    with Worker() as worker:
        assert worker.submit(lambda: 3).exception(timeout=60) is not None
        assert worker.submit(threading.Lock).exception(timeout=60) is not None
        assert worker.submit(int, "3").result(timeout=60) == 3
    with pytest.raises(RuntimeError):
        worker.submit(int, "3")


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
            assert len(self.log) < PATIENT, "it never came"
            yield self.frame(len(self.log))
            time.sleep(1 / self.fps)

    def play(self, game: toy.ToyGame, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """A headless session of which every frame is kept; `find` is the toy's in a thread only."""
        self.replace_finder(monkeypatch)
        with (
            workers(()) as (_, think, _),
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
    (line,) = (said for said in source.told if "fault" in said)  # on a busy machine also how it is
    assert "test_workers.py" in line
    assert "ZeroDivisionError: a fault long" in line
    assert len(line) < 150
    assert [view.reason for view in source.log].count(line) == 2


BUSY = """
import time
import sys
from ar_assist.workers import workers
if __name__ == "__main__":
    with workers(()) as (look, think, _):
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
