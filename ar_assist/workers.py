"""The executors of the slow jobs when live, each a process of its own."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ar_assist.errors import where
from ar_assist.parcel import Packed, Packer, opened
from ar_assist.types import AnyGame

NOTHING_PX = 32  # side of a picture of nothing
NICENESS = 5  # of these processes: the picture goes first
# A look's pictures take megabytes each. Where glibc hands these back to the system at once, the
# next are paged in and wiped anew, which takes up to an eighth of a look; so a process keeps what
# it has once had. Read when a process begins, so set in this one for those that it starts.
KEPT_BYTES = {"MALLOC_MMAP_THRESHOLD_": 32 << 20, "MALLOC_TRIM_THRESHOLD_": 256 << 20}
M_ARENA_MAX = -8  # glibc's malloc.h

T = TypeVar("T")


@contextmanager
def workers(games: Sequence[AnyGame]) -> Iterator[tuple[Executor, Executor, Executor]]:
    """(look, think, challenge), the first two warming up for these games; ended without waiting
    for a job. Most boards are never challenged."""
    look, think, challenge = Worker(), Worker(), Worker(at_once=False)
    try:
        look.submit(_load, tuple(games))
        yield look, think, challenge
    finally:
        for worker in (look, think, challenge):
            worker.shutdown(cancel_futures=True)


class Worker(Executor):
    """One process, which begins `at_once` or with the first job, and a thread that hands it one job
    after another.

    A job that the process does not survive (a system short of memory kills) ends with a
    BrokenExecutor; the next one gets a new process. A `ProcessPoolExecutor` holds the end of its
    pipe that its processes write to as well: if one is ended in the middle of a result, the pool
    waits for the rest of that for ever, and so does whoever waits for the pool.
    """

    def __init__(self, at_once: bool = True) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._packer = Packer()
        self._process = _Process() if at_once else None
        self._lock = threading.Lock()  # of the process: one thread ends it, one begins another
        self._is_ended = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As any executor."""
        if not self._thread.is_alive():
            raise RuntimeError("this worker has been shut down")
        job = _Job(Future(), (fn, args, kwargs))
        self._jobs.put(job)
        return job.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As any executor, but for the job that is being done, which `cancel_futures` ends too."""
        if cancel_futures:
            with self._lock:
                self._is_ended = True
                self._end_process()
        self._jobs.put(None)
        if wait:
            self._thread.join()

    def _run(self) -> None:
        """The thread: hand over jobs until there is None."""
        with closing(self._packer):
            while (job := self._jobs.get()) is not None:
                process = self._living()
                if process is None:
                    job.future.cancel()
                elif job.future.set_running_or_notify_cancel():
                    job.run(process, self._packer)
        with self._lock:
            self._end_process()

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.end()

    def _living(self) -> _Process | None:
        """The process, a new one after its death; None where all is to end."""
        with self._lock:
            if self._is_ended:
                return None
            if self._process is None or not self._process.is_alive():
                self._process = _Process()
            return self._process


@dataclass(frozen=True, eq=False)
class _Job:
    future: Future[Any]
    call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

    def run(self, process: _Process, packer: Packer) -> None:
        """Have it done and its future told; an error in what is sent is one of the job's."""
        try:
            is_done, outcome = process.ask(packer.pack(self.call))
        except (EOFError, OSError):
            process.end()  # its pipe may end a little before it
            is_done, outcome = False, BrokenExecutor("the process ended amid its job")
        except Exception as error:
            is_done, outcome = False, error
        if is_done:
            self.future.set_result(outcome)
        else:
            self.future.set_exception(outcome)


class _Process:
    """A process and our end of the pipe to it; the other end is its own alone, so that we hear of
    its death."""

    def __init__(self) -> None:
        for name, size in KEPT_BYTES.items():
            os.environ.setdefault(name, str(size))
        # Spawned on every system: a fork would copy the locks of OpenCV's threads in any state.
        spawn = multiprocessing.get_context("spawn")
        self._pipe, its = spawn.Pipe()
        self._process = spawn.Process(target=_work, args=(its,), daemon=True)
        with _uninterrupted(), its:
            self._process.start()

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def ask(self, packed: Packed) -> tuple[bool, Any]:
        """Whether a job could be done, and its result or error; EOFError or OSError if the process
        ends before."""
        self._pipe.send(packed)
        answer: tuple[bool, Any] = self._pipe.recv()
        return answer

    def end(self) -> None:
        """At once, whatever it does."""
        self._process.terminate()
        self._process.join()


def share_one_heap() -> None:
    """Let all threads that this process begins from now on have one heap, where glibc has many.

    Pictures are made in one thread and dropped in another, and holes stay in the heaps of all: with
    two recordings the program had 260 MB after a quarter of an hour, and with one heap 195.
    """
    if sys.platform.startswith("linux"):
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _load(games: Sequence[AnyGame]) -> None:
    """Import what the games read with: a second or two, in which a camera opens."""
    nothing = np.zeros((NOTHING_PX, NOTHING_PX, 3), np.uint8)
    for game in games:
        game.read(nothing, None)


def _work(pipe: Connection) -> None:
    """The process: jobs come as `Packer` packs them, until the pipe ends."""
    _begin()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_answer(pipe.recv()))


def _answer(packed: Packed) -> bytes:
    """Pickled: whether a job could be done, and its result or error, which says where it was, for
    its traceback does not leave the process. A result that cannot be pickled is such an error."""
    try:
        fn, args, kwargs = opened(*packed)
        return pickle.dumps((True, fn(*args, **kwargs)))
    except Exception as error:
        error.add_note(where(error))
        return pickle.dumps((False, error))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """A process that begins in here hears no Ctrl-C, which a terminal sends to the whole family: it
    would end with a traceback while it still loads, which takes a second."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """In the new process: Ctrl-C is the parent's business; import the games; compile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    from ar_assist.games import GAMES  # noqa: F401 - imported now rather than at the first board


def _end_with_parent() -> None:
    """A parent that is killed can't end this process, which would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
