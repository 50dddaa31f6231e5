"""The live loop: frames in, pictures out, keys and clicks between."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from textwrap import shorten
from typing import Any, Protocol

import cv2

from ar_assist import bundle
from ar_assist.assistant import Assistant
from ar_assist.errors import UserError, where
from ar_assist.meter import Meter
from ar_assist.overlay import draw, status_words
from ar_assist.player import Player, Screen
from ar_assist.recorder import Recorder
from ar_assist.speech import Voice
from ar_assist.types import Frame, Image, Source, View

IDLE_S = 0.03  # between pictures while they stand still
POLL_S = 0.02  # between looks at keys and mouse while a frame is awaited: of keys that come between
# two of them OpenCV's Qt window gives the last alone, and R is shift and then r
SAY_S = 4.0  # that a message stays in the status line
TELL_S = 10.0  # between status lines of a session without a window
FAULT_LETTERS = 90  # of an error's words, so that they fit a line of the picture
LATE_S = 0.5  # a clip that is further behind than this is played slower rather than thinned


class Log(Protocol):
    """Where views are logged; `runlog.Writer` is one."""

    def write(self, view: View) -> None: ...


@dataclass(frozen=True)
class Outputs:
    """What a session writes, besides the window."""

    log: Log | None = None
    record: Recorder | None = None  # pictures with the hint drawn
    voice: Voice | None = None
    tell: Callable[[str], None] | None = None  # the status line, every TELL_S
    folder: Path = Path()  # for snapshots, recordings and bundles begun by a key
    settings: Mapping[str, Any] = field(default_factory=dict)  # for bundles; no credentials


class Session:
    """One run of the live loop; `run` returns when it is over.

    Without a screen it does the same unseen.
    """

    def __init__(
        self,
        source: Source,
        assistant: Assistant,
        screen: Screen | None,
        outputs: Outputs,
        scale: float = 1.0,
        now: Callable[[], float] | None = None,
    ) -> None:
        """`now` tells the time on the clock of a live source's frames (`video.Live.now`), s."""
        self._now = now
        self._source, self._assistant, self._screen = source, assistant, screen
        self._outputs, self._recorder = outputs, outputs.record
        keys = {"s": self._snapshot, "R": self._toggle_record, "b": self._save_bundle}
        self._player = Player(assistant, scale, keys)
        self._pace = None if source.live else _Pace(source.fps)
        self._last_views = bundle.LastViews()
        self._said, self._said_at = "", -SAY_S
        self._told_at = time.monotonic()
        self._picture: Image | None = None  # on show
        self._view: View | None = None  # of that picture
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="files")
        self._written: deque[Future[str]] = deque()  # what is being written; results are said
        self.meter = Meter()

    def run(self) -> None:
        """Until the source ends or the player leaves; recordings begun by a key are finished."""
        newest = -1
        try:
            for frame in self._frames():
                view = self._step(frame)
                self._show(view)
                self._tell(view)
                self._listen(IDLE_S * (frame.index == newest))
                if frame.index != newest:  # stalled and paused sources repeat their last frame
                    self._keep(view)
                newest = frame.index
        finally:
            self._writing.shutdown()
            if self._recorder is not None and self._recorder is not self._outputs.record:
                self._recorder.close()

    def _frames(self) -> Iterator[Frame]:
        """The source's frames; the same one again and again while the picture stands still."""
        frame = None
        for frame in self._arriving():
            if self._pace is None or self._pace.wait(frame.time, self._listen):
                yield frame
                while self._player.is_paused and not self._player.has_left:
                    yield replace(frame, note="paused")
            if self._player.has_left:
                return
        while frame and frame.name and self._screen and not self._player.has_left:
            yield frame  # the last picture of a folder stays

    def _arriving(self) -> Iterator[Frame]:
        """The source's frames; the window lives while one is awaited."""
        if self._screen is None:
            yield from self._source
            return
        frames = iter(self._source)
        with ThreadPoolExecutor(1, thread_name_prefix="source") as reading:
            while True:
                coming = reading.submit(next, frames, None)
                while wait((coming,), POLL_S).not_done:
                    self._listen()
                if (frame := coming.result()) is None:
                    return
                yield frame

    def _listen(self, wait_s: float = 0.0) -> None:
        """Do what the player asked for."""
        if self._screen is not None and self._view is not None:
            self._say(self._player.listen(self._screen, self._view, wait_s))

    def _step(self, frame: Frame) -> View:
        """The assistant's step. One that fails is said, and the game and its recording go on."""
        try:
            return self._assistant.step(frame)
        except Exception as error:  # whatever a look, a thought or the step itself may raise
            words = _fault(error)
            if self._outputs.tell is not None and words != self._said:
                self._outputs.tell(words)
            self._say(words)
            return View(frame, "searching", reason=words)

    def _show(self, view: View) -> None:
        status = self.meter.words()
        while self._written and self._written[0].done():
            self._say(self._written.popleft().result())
        if self._recorder is not None:
            status = ("REC", *status)
        if time.monotonic() - self._said_at < SAY_S and self._said != view.reason:
            status = (self._said, *status)
        self._picture = draw(self._player.dressed(view), self._player.look_now(status))
        self._view = view
        if self._screen is not None:
            self._screen.show(self._picture)

    def _tell(self, view: View) -> None:
        """The status line now and then, also of a source that gives nothing new."""
        now = time.monotonic()
        if self._outputs.tell is not None and now - self._told_at > TELL_S:
            self._outputs.tell(", ".join((*status_words(view), *self.meter.words())))
            self._told_at = now

    def _keep(self, view: View) -> None:
        """Measure, log, record and speak what is new."""
        now = time.monotonic()
        self.meter.add(self._age(view.frame), now)
        self._last_views.add(view)
        if self._outputs.log is not None:
            self._outputs.log.write(view)
        if self._outputs.voice is not None and view.advice is not None and view.advice.moves:
            self._outputs.voice.hint(view.advice.moves[view.choice].record())
        self._record(view)

    def _record(self, view: View) -> None:
        if self._recorder is None or self._picture is None:
            return
        width = view.frame.raw.shape[1]  # without the debug view beside it
        try:
            self._recorder.write(self._picture[:, :width], view.frame.time)
        except UserError as error:
            if self._recorder is self._outputs.record:
                raise
            recorder, self._recorder = self._recorder, None
            with suppress(UserError):  # the same again
                recorder.close()
            self._say(str(error))  # begun by a key: a full disk is no reason to stop

    def _age(self, frame: Frame) -> float:
        """How long ago the frame came or was due, s."""
        if self._pace is not None:
            return self._pace.late(frame.time)
        return self._now() - frame.time if self._now else 0.0

    def _say(self, words: str) -> None:
        if words:
            self._said, self._said_at = words, time.monotonic()

    def _snapshot(self) -> str:
        path, picture = self._outputs.folder / f"ar-assist-{_stamp()}.png", self._picture
        assert picture is not None
        self._file(path, lambda: _write_png(path, picture))
        return ""

    def _toggle_record(self) -> str:
        if self._recorder is None:
            path = self._outputs.folder / f"ar-assist-{_stamp()}.mp4"
            self._recorder = Recorder(path, self._source.size_wh, live=True)
            return ""
        recorder, self._recorder = self._recorder, None
        recorder.close()
        if recorder.is_empty:  # begun and ended while the picture stood still
            recorder.path.unlink()
            return "no picture came to be recorded"
        return f"saved {recorder.path.name}"

    def _save_bundle(self) -> str:
        path = self._outputs.folder / f"ar-assist-bug-{_stamp()}.zip"
        views, settings = tuple(self._last_views), self._outputs.settings
        self._file(path, lambda: bundle.save(path, views, settings))
        return "writing the bug bundle"

    def _file(self, path: Path, write: Callable[[], str]) -> None:
        """Write a file meanwhile; what `write` gives back is said then."""
        self._written.append(self._writing.submit(_filed, path, write))


def _fault(error: Exception) -> str:
    """One short line that tells where to look."""
    what = shorten(f"{type(error).__name__}: {error}", FAULT_LETTERS, placeholder=" …")
    return f"fault in {where(error)}: {what}"


def _write_png(path: Path, image: Image) -> str:
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return f"saved {path.name}"


def _filed(path: Path, write: Callable[[], str]) -> str:
    """What `write` gives back, or what went wrong: a full disk is no reason to stop."""
    try:
        return write()
    except OSError as error:
        with suppress(OSError):
            path.unlink()  # a part of it is of no use
        return f"{path}: can't be written ({error.strerror})"


class _Pace:
    """Plays a clip at its own speed: waits for frames, and leaves some out when it is late."""

    def __init__(self, fps: float) -> None:
        self._period = 1 / fps
        self._start = float("-inf")  # clock at the clip's time 0
        self._skipped = False

    def late(self, time_s: float) -> float:
        """How long ago the frame of this clip time was due, s."""
        return time.monotonic() - self._start - time_s

    def wait(self, time_s: float, idle: Callable[[], None]) -> bool:
        """Wait until the frame is due; False: it is late and may be left out, never two in a row.

        Meanwhile `idle` is called every POLL_S.

        When far behind (a slow disk, a pause) the clip goes on from here at its own speed.
        """
        late = self.late(time_s)
        if late > LATE_S:
            self._start = time.monotonic() - time_s
            late = 0.0
        while (early := -self.late(time_s)) > POLL_S:
            time.sleep(POLL_S)
            idle()
        time.sleep(max(0.0, early))
        self._skipped = late > self._period and not self._skipped
        return not self._skipped


def _stamp() -> str:
    return datetime.now().strftime("%Y%m%d-%H%M%S-%f")[:-4]
