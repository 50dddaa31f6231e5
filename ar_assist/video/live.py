"""A live source: a thread keeps the newest frame, notices stalls, and reconnects."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from ar_assist.errors import SourceError
from ar_assist.types import Frame, Image

STALL_S = 0.5  # this long without a new picture is said; the slowest phone streams give 5 a second
REPEAT_S = 0.05  # while nothing comes, the last picture is shown again, so that windows stay alive
PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)  # between attempts to reconnect; the last one repeats
JOIN_S = 1.0  # a thread that hangs in a driver for longer is left behind (it is a daemon)
CLOCK_TRUST_S = 1.0  # a camera's own stamps that stray further from their arrival are not believed


class Feed(Protocol):
    """One connection to something live."""

    def read(self) -> tuple[Image, float, float | None]:
        """The next picture, when it arrived, and its own time stamp (any origin) if it has one.

        Arrival is on `time.monotonic()`'s clock, before the picture is decoded: that counts as
        latency too. Times are s. Blocks, though never for ever; OSError when the connection is
        lost.
        """
        ...

    def close(self) -> None: ...


class Live:
    """The newest frame of a feed, again and again: `types.Source`.

    While the feed stalls or is lost, the last picture comes again every REPEAT_S with the same
    index, a later time and a note that says what is wrong.
    """

    live = True

    def __init__(self, name: str, connect: Callable[[], Feed], fps: float) -> None:
        """Connects at once; SourceError if there is nothing. Later losses only lead to notes."""
        self.name, self.fps = name, fps
        self._connect = connect
        self._start = time.monotonic()
        self._clock = _Clock()
        self._note = ""
        self._failure: BaseException | None = None  # of the thread, which must not die unheard
        self._fresh = threading.Condition()
        self._closed = threading.Event()
        feed = connect()
        try:
            image, arrival, stamp = feed.read()
        except OSError as error:
            feed.close()
            raise SourceError(f"{name}: no picture came ({error})") from None
        self.size_wh = (image.shape[1], image.shape[0])
        self._newest = Frame(0, self._clock.time(stamp, arrival - self._start), image)
        self._thread = threading.Thread(target=self._run, args=(feed,), name="camera", daemon=True)
        self._thread.start()

    def now(self) -> float:
        """Now on the clock of the frames' times, s: tells how old a frame is."""
        return time.monotonic() - self._start

    def __iter__(self) -> Iterator[Frame]:
        shown, patience = -1, STALL_S
        while not self._closed.is_set():
            frame = self._wait(shown, patience)
            if frame.index == shown:
                frame = replace(frame, time=self.now(), note=self._note or self._stall(frame))
            patience = REPEAT_S if frame.note else STALL_S
            shown = frame.index
            if not self._closed.is_set():
                yield frame

    def close(self) -> None:
        self._closed.set()
        with self._fresh:
            self._fresh.notify_all()
        self._thread.join(JOIN_S)

    def _wait(self, shown: int, patience: float) -> Frame:
        """The newest frame: as soon as it is not number `shown`, or when patience (s) ends."""
        with self._fresh:
            self._fresh.wait_for(
                lambda: self._newest.index != shown or self._closed.is_set(), patience
            )
            if self._failure is not None:
                raise self._failure
            return self._newest

    def _stall(self, frame: Frame) -> str:
        return f"no new picture for {self.now() - frame.time:.0f} s"

    def _run(self, feed: Feed | None) -> None:
        """The thread: read for ever, reconnect when the feed is lost."""
        attempts = 0  # since a picture came: a server may answer and never send one
        try:
            while not self._closed.is_set():
                if feed is not None:
                    attempts = 0 if self._follow(feed) else attempts
                    feed.close()
                attempts += 1
                feed = self._reconnect(attempts)
        except BaseException as error:
            self._failure = error

    def _follow(self, feed: Feed) -> bool:
        """Keep the newest picture until the feed is lost or the source closed; whether one came."""
        first = self._newest.index
        while not self._closed.is_set():
            try:
                image, arrival, stamp = feed.read()
            except OSError:
                break
            with self._fresh:
                self._note = ""
                index = self._newest.index + 1
                time_s = self._clock.time(stamp, arrival - self._start)
                self._newest = Frame(index, time_s, image)
                self._fresh.notify_all()

        return self._newest.index > first

    def _reconnect(self, attempt: int) -> Feed | None:
        """A new connection, after the pause of this attempt (1, 2, …); None if there is none."""
        self._note = f"connection lost, reconnecting (attempt {attempt})"
        if self._closed.wait(PAUSES_S[min(attempt, len(PAUSES_S)) - 1]):
            return None
        try:
            return self._connect()
        except (SourceError, OSError):
            return None


class _Clock:
    """Puts a feed's own stamps on our clock.

    A picture is late by a varying transport delay, so stamps are shifted by the smallest delay
    seen (the minimum filter of NTP, RFC 5905 §10). Missing or broken stamps give the arrival.
    """

    def __init__(self) -> None:
        self._offset: float | None = None  # arrival - stamp of the quickest picture, s
        self._last = -1.0

    def time(self, stamp: float | None, arrival: float) -> float:
        """Seconds on our clock, always later than the time before it."""
        result = arrival
        if stamp:
            delay = arrival - stamp
            if self._offset is None or abs(delay - self._offset) > CLOCK_TRUST_S:
                self._offset = delay  # the first, or the clock jumped (reconnected)
            self._offset = min(self._offset, delay)
            result = stamp + self._offset
        self._last = max(result, self._last + 1e-6)
        return self._last
