"""The executors of the slow jobs when live: looking in a thread, thinking in a process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ar_assist.leaving import LOOKER
from ar_assist.types import AnyGame

SWITCH_S = 0.001  # Python's default of 5 ms lets the looking thread hold up five frames' worth
LEAST_PX = 32  # side of a picture of nothing
NICENESS = 5  # of the thinking process: the picture goes first

T = TypeVar("T")


@contextmanager
def workers() -> Iterator[tuple[Executor, Executor]]:
    """(look, think): each with one worker, warm or warming up; ended without waiting for a job."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    look = ThreadPoolExecutor(1, thread_name_prefix=LOOKER)
    think = Thinker()
    try:
        think.submit(os.getpid)  # starts the process, so that the first board needn't wait for it
        yield look, think
    finally:
        sys.setswitchinterval(before)
        look.shutdown(wait=False, cancel_futures=True)
        children = multiprocessing.active_children()
        think.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()


def load(games: Sequence[AnyGame]) -> None:
    """Import what the games read with, in the background.

    It takes a second or two: time in which a camera opens.
    """
    nothing = np.zeros((LEAST_PX, LEAST_PX, 3), np.uint8)

    def read() -> None:
        for game in games:
            game.read(nothing, None)

    threading.Thread(target=read, name=f"{LOOKER}-load", daemon=True).start()


class Thinker(Executor):
    """One process; the next job after its death (a system short of memory kills) gets a new one."""

    def __init__(self) -> None:
        self._pool = _new_process()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """A job that the process does not survive ends with a BrokenExecutor."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool = _new_process()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As any executor."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _new_process() -> ProcessPoolExecutor:
    # Spawned on every system: a fork would copy the locks of OpenCV's threads in any state.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin_thinking)


def _begin_thinking() -> None:
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
