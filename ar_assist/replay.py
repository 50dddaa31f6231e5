"""The live pipeline on clip time: repeatable, as fast as can be, with the delays of a real run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from ar_assist.assistant import Assistant
from ar_assist.belief import CUT_OFF_LOOKS
from ar_assist.look import UPRIGHT, Orientation, Task
from ar_assist.types import AnyGame, Frame, Source, View

# Live, a look that finds a board takes 0.2 s of one core at the median where one game is sought,
# 0.25 s for all of them (0.5 s for one in ten), and one at a board of 84 tiles that is followed
# 0.08 s (54 first frames of all tiers, AMD EPYC, 2026-11).
LOOK_LATENCY_S = 0.3
FOLLOWING = 0.4  # of a look's latency, where the board need not be found

T = TypeVar("T")


class ClipExecutor(Executor):
    """Delivers work `latency_s` of clip time after it was asked for; 0: within `submit`.

    `share` tells from the arguments of work what share of that it takes.
    """

    def __init__(
        self, latency_s: float = 0.0, share: Callable[..., float] = lambda *_, **__: 1.0
    ) -> None:
        self._latency_s, self._share = latency_s, share
        self._time = 0.0
        self._waiting: list[tuple[float, Callable[[], None]]] = []  # when it is due, s; what

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """The future is done when the clip has come to its time."""
        future: Future[T] = Future()
        due = self._time + self._latency_s * self._share(*args, **kwargs)
        self._waiting.append((due, lambda: _work(future, fn, args, kwargs)))
        self.advance(self._time)
        return future

    def advance(self, time: float) -> None:
        """Let the clip come to `time`, s. Work that is due is done now and not within a step, so
        that a step costs what it costs live.
        """
        self._time = time
        due = [work for at, work in self._waiting if at <= time]
        self._waiting = [(at, work) for at, work in self._waiting if at > time]
        for work in due:
            work()


def _work(
    future: Future[T], fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    try:
        future.set_result(fn(*args, **kwargs))
    except Exception as error:
        future.set_exception(error)


def _share(task: Task, *_: object) -> float:
    """Of the latency of a look that finds a board: reading one that is followed takes less."""
    return FOLLOWING if task.tracked and not task.anew else 1.0


def run(
    source: Source,
    games: Sequence[AnyGame],
    look_latency_s: float = 0.0,
    think_latency_s: float = 0.0,
    stride: int = 1,
    orientation: Orientation = UPRIGHT,
) -> Iterator[View]:
    """What a user would have seen of the source, frame by frame; every `stride`-th frame.

    A look that has to find the board takes `look_latency_s`, one at a board that is followed less.
    """
    looker, thinker = ClipExecutor(look_latency_s, _share), ClipExecutor(think_latency_s)
    assistant = Assistant(games, looker, thinker, orientation=orientation)
    for frame in source:
        if frame.index % stride:
            continue
        looker.advance(frame.time)
        thinker.advance(frame.time)
        yield assistant.step(frame)


def still(frame: Frame, games: Sequence[AnyGame], orientation: Orientation = UPRIGHT) -> View:
    """What there is to say of a single picture."""
    assistant = Assistant(games, ClipExecutor(), ClipExecutor(), orientation=orientation)
    view = assistant.step(frame)
    # Looks at one picture agree: what the confidence is worth shows.
    for _ in range(CUT_OFF_LOOKS - 1):
        if view.state == "locked":
            break
        view = assistant.step(frame)
    return view
