"""The live pipeline on clip time: repeatable, as fast as can be, with the delays of a real run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from ar_assist.assistant import Assistant
from ar_assist.look import UPRIGHT, Orientation
from ar_assist.types import AnyGame, Frame, Source, View

LOOKS_AT_A_STILL = 2  # they agree, being of one picture: what the confidence is worth shows

T = TypeVar("T")


class ClipExecutor(Executor):
    """Works at once and delivers `latency_s` of clip time later; 0 delivers at once."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self._latency_s = latency_s
        self._time = 0.0
        self._waiting: list[tuple[float, Future[Any], Any, BaseException | None]] = []

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Do the work now; the future is done when the clip has come to its time."""
        future: Future[T] = Future()
        result: T | None = None
        error: BaseException | None = None
        try:
            result = fn(*args, **kwargs)
        except Exception as raised:
            error = raised
        self._waiting.append((self._time + self._latency_s, future, result, error))
        self.advance(self._time)
        return future

    def advance(self, time: float) -> None:
        """Let the clip come to `time`, s: what is due by then is delivered."""
        self._time = time
        due = [job for job in self._waiting if job[0] <= time]
        self._waiting = [job for job in self._waiting if job[0] > time]
        for _, future, result, error in due:
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)


def run(
    source: Source,
    games: Sequence[AnyGame],
    look_latency_s: float = 0.0,
    think_latency_s: float = 0.0,
    stride: int = 1,
    orientation: Orientation = UPRIGHT,
) -> Iterator[View]:
    """What a user would have seen of the source, frame by frame; every `stride`-th frame."""
    looker, thinker = ClipExecutor(look_latency_s), ClipExecutor(think_latency_s)
    assistant = Assistant(games, looker, thinker, orientation)
    for frame in source:
        if frame.index % stride:
            continue
        looker.advance(frame.time)
        thinker.advance(frame.time)
        yield assistant.step(frame)


def still(frame: Frame, games: Sequence[AnyGame], orientation: Orientation = UPRIGHT) -> View:
    """What there is to say of a single picture."""
    assistant = Assistant(games, ClipExecutor(), ClipExecutor(), orientation)
    view = assistant.step(frame)
    for _ in range(LOOKS_AT_A_STILL - 1):
        if view.state == "locked":
            break
        view = assistant.step(frame)
    return view
