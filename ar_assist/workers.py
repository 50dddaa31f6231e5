"""The executors of the slow jobs when live: looking and thinking, each in a process of its own."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import numpy as np

from ar_assist.errors import where
from ar_assist.parcel import Packer, Parcel
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
def workers(games: Sequence[AnyGame]) -> Iterator[tuple[Executor, Executor]]:
    """(look, think), warming up for these games; ended without waiting for a job."""
    look, think = Worker(), Worker()
    try:
        look.submit(_load, tuple(games))
        think.submit(os.getpid)  # starts the process, so that the first board needn't wait for it
        yield look, think
    finally:
        for child in multiprocessing.active_children():
            child.terminate()
        # Not for a job: for the pools' own threads, which may otherwise close a pipe that the
        # interpreter writes to when it ends, and a traceback would be the program's last word.
        for worker in (look, think):
            worker.shutdown(cancel_futures=True)


class Worker(Executor):
    """One process; the next job after its death (a system short of memory kills) gets a new one."""

    def __init__(self) -> None:
        self._pool = _new_process()
        self._packer = Packer()
        self._last: Future[Any] | None = None  # of the jobs that came in a parcel

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """A job that the process does not survive ends with a BrokenExecutor."""
        if self._last is not None and not self._last.done():  # the shared memory is taken
            return self._submit(_placed, fn, *args, **kwargs)
        self._last = self._submit(_placed_of, Parcel((fn, args, kwargs), self._packer))
        return self._last

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As any executor; no job is taken after it."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
        self._packer.close()

    def _submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        with _uninterrupted():
            try:
                return self._pool.submit(fn, *args, **kwargs)
            except BrokenExecutor:
                self._pool = _new_process()
                return self._pool.submit(fn, *args, **kwargs)


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


def _placed_of(job: tuple[Callable[..., T], tuple[Any, ...], dict[str, Any]]) -> T:
    fn, args, kwargs = job  # a parcel has become this on its way
    return _placed(fn, *args, **kwargs)


def _placed(fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    try:
        return fn(*args, **kwargs)
    except Exception as error:
        error.add_note(where(error))  # its traceback does not leave the process
        raise


def _new_process() -> ProcessPoolExecutor:
    for name, size in KEPT_BYTES.items():
        os.environ.setdefault(name, str(size))
    # Spawned on every system: a fork would copy the locks of OpenCV's threads in any state.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin)


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
