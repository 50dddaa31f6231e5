"""The live loop with a screen and an assistant made of cardboard."""

from __future__ import annotations

import itertools
import json
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import pytest
from cardboard import Assistants, Frames
from mjpeg_server import mjpeg_server
from smalldisk import small_disk
from views import GREY_FRAME, Views, view_of

from ar_assist import bundle, live, replay
from ar_assist.assistant import Assistant
from ar_assist.errors import UserError
from ar_assist.games import GAMES
from ar_assist.live import Outputs, Session
from ar_assist.meter import Meter
from ar_assist.player import HELP, Player
from ar_assist.recorder import Recorder
from ar_assist.types import (
    Correction,
    Frame,
    Image,
    Source,
    View,
)
from ar_assist.video import Live, open_source

pytestmark = pytest.mark.alone


class Screens:
    """Plays a script: at picture number i come these keys and clicks."""

    def __init__(self, script: dict[int, list[str | tuple[float, float]]]) -> None:
        self.script, self.pictures = script, []  # type: ignore[var-annotated]
        self.is_closed = False
        self.asked = 0  # how often for keys

    def show(self, image: Image) -> None:
        self.pictures.append(image)

    def _now(self) -> list[str | tuple[float, float]]:
        return self.script.get(len(self.pictures), [])

    def keys(self, wait_s: float) -> list[str]:
        self.asked += 1
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
    assistant, _ = played({3: ["n"], 4: ["f"], 5: ["r"], 6: ["m"], 7: ["t"], 8: ["q"]})
    assert assistant.calls == ["another", "find anew", "turn", "mirror", "vary"]
    assert len(assistant.stepped) == 8, "q ends the loop"


def test_help_names_every_key() -> None:
    text = "\n".join(HELP)
    for key in ("q", "Esc", "space", "n", "t", "f", "c", "r", "m", "d", "v", "s", "R", "h", "b"):
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


def test_space_lets_no_other_frame_in_while_corners_are_set() -> None:
    corners = [(100.0, 100.0), (500.0, 120.0), (480.0, 400.0), (90.0, 380.0)]
    clicks = {6 + i: [corner] for i, corner in enumerate(corners)}
    assistant, _ = played({3: ["c"], 5: [" "], **clicks, 20: ["q"]})
    assert len({frame.index for frame in assistant.stepped[3:9]}) == 1


def test_a_pause_outlasts_corners_that_were_left() -> None:
    assistant, _ = played({3: [" "], 5: ["c"], 7: ["\x1b"], 12: ["q"]})
    assert len({frame.index for frame in assistant.stepped[3:12]}) == 1


def test_a_click_into_the_debug_view_is_none_into_the_frame() -> None:
    beside = (1290.0, 300.0)
    corners = [(100.0, 100.0), (500.0, 120.0), (480.0, 400.0), (90.0, 380.0)]
    clicks = {6 + i: [corner] for i, corner in enumerate(corners)}
    assistant, _ = played({2: ["d"], 3: ["c"], 5: [beside], **clicks})
    assert assistant.calls == [("corners", [list(corner) for corner in corners])]


def test_a_tile_is_seen_to_be_chosen_while_hints_are_off() -> None:
    _, screen = played({3: ["v"], 6: [centre(2, 3)]})
    off, chosen = screen.pictures[4], screen.pictures[7]
    x, y = map(round, centre(2, 3))
    around = np.s_[y - 40 : y + 40, x - 40 : x + 40]
    assert (off[around] != chosen[around]).any()
    assert (chosen[:500] == off[:500]).all(axis=2).mean() > 0.95, "but no hint"


def test_hints_that_are_off_are_said_to_be() -> None:
    player = Player(cast(Assistant, Assistants()), 1, {})
    assert player.look_now(("REC",)).status == ("REC",)
    screen = Screens({0: ["v"]})
    player.listen(screen, view_of(GREY_FRAME), 0.0)
    assert player.look_now(("REC",)).status == ("hint off", "REC")


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


def said_of(assistant: Assistants, view: View, later: View) -> str:
    """What is said when a cell of `view` is chosen, and `x` is pressed when `later` is on show."""
    screen, player = (
        Screens({1: [centre(2, 3)], 2: ["x"]}),
        Player(cast(Assistant, assistant), 1, {}),
    )
    said = ""
    for shown in (view, later):
        screen.show(GREY_FRAME)
        said = player.listen(screen, shown, 0.0)
    return said


def test_a_correction_that_no_cell_can_have_is_said_and_the_game_goes_on() -> None:
    class Refusing(Assistants):
        def correct(self, correction: Correction) -> None:
            raise ValueError("no Othello square can be blocked")

    view = view_of(GREY_FRAME)
    assert said_of(Assistants(), view, view) == "corrected"
    assert said_of(Refusing(), view, view) == "not corrected: no Othello square can be blocked"


def test_a_cell_of_a_board_that_is_gone_is_not_corrected() -> None:
    view = view_of(GREY_FRAME)
    assert view.reading
    smaller = replace(view.reading, certainty=view.reading.certainty[:2, :2])
    for gone in (replace(view, reading=None), replace(view, reading=smaller)):
        assistant = Assistants()
        assert said_of(assistant, view, gone).startswith("not corrected")
        assert not assistant.calls


def test_pause_holds_the_frame_and_keeps_working() -> None:
    assistant, _ = played({3: [" "], 8: ["n"], 10: [" "]})
    indices = [frame.index for frame in assistant.stepped]
    assert indices[2:10] == [2] * 8
    assert "another" in assistant.calls
    assert "paused" in {frame.note for frame in assistant.stepped}
    assert max(indices) == 29, "and it goes on to the end"


def test_a_lost_connection_is_told_where_there_is_no_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Lost(Frames):
        def __iter__(self) -> Iterator[Frame]:
            frame = next(super().__iter__())
            yield from (frame, replace(frame, note="connection lost"))

    monkeypatch.setattr(live, "TELL_S", 0.0)
    told: list[str] = []
    outputs = Outputs(tell=told.append)
    Session(Lost(1), cast(Assistant, Assistants()), None, outputs).run()
    assert len(told) == 2
    assert told[1].startswith("connection lost, ready")


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
    with zipfile.ZipFile(path) as kept:
        names = kept.namelist()
        assert {"log.jsonl", "settings.json", "versions.json"} < set(names)
        assert json.loads(kept.read("settings.json")) == {"source": "http://host/video"}
        frames = [name for name in names if name.startswith("frames/")]
        assert len(kept.read("log.jsonl").splitlines()) == len(frames) > 0


def test_a_recording_without_a_picture_is_not_kept(tmp_path: Path) -> None:
    played({3: [" "], 5: ["R"], 7: ["R"], 9: ["q"]}, outputs=Outputs(folder=tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_bundle_has_the_frames_as_the_camera_made_them(tmp_path: Path) -> None:
    original = np.full_like(GREY_FRAME, 7)
    frame = Frame(3, 0.1, GREY_FRAME, original=original)
    view = replay.still(frame, [GAMES["link"]])
    bundle.save(tmp_path / "bug.zip", [view], {})
    with zipfile.ZipFile(tmp_path / "bug.zip") as kept:
        png = np.frombuffer(kept.read("frames/000003.png"), np.uint8)
    assert (cv2.imdecode(png, cv2.IMREAD_COLOR) == original).all()


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


@pytest.mark.parametrize("name", ["picture.png", "bug.zip"])
def test_what_a_full_disk_has_no_room_for_is_said_and_leaves_no_part(
    name: str, tmp_path: Path
) -> None:
    path, noise = tmp_path / name, np.random.default_rng(1).integers(0, 256, (99, 99, 3), np.uint8)
    views = [replace(view_of(GREY_FRAME), frame=Frame(0, 0.0, noise))]

    def write() -> str:
        if path.suffix == ".png":
            return live._write_png(path, noise)
        return bundle.save(path, views, {})

    with small_disk(1000):
        assert live._filed(path, write).startswith(f"{path}: can't be written (")
    assert not path.exists()
    assert name in live._filed(path, write)


def test_a_bundle_tells_what_is_in_it(tmp_path: Path) -> None:
    """The frames are raw: who sees them again needs the camera's file."""
    camera = tmp_path / "mine.json"
    camera.write_text("{}")
    views = [replace(view_of(GREY_FRAME), frame=Frame(i, float(i), GREY_FRAME)) for i in range(3)]
    settings = {"calibration": str(camera), "light": str(tmp_path / "gone.json")}
    said = bundle.save(tmp_path / "bug.zip", views, settings)
    assert said == "bug.zip: 3 raw frames of the last 2 s, calibration, log, settings, versions"
    with zipfile.ZipFile(tmp_path / "bug.zip") as kept:
        assert kept.read("calibration.json") == b"{}"
        assert "light.json" not in kept.namelist()


def test_a_full_disk_ends_a_recording_and_not_the_game(tmp_path: Path) -> None:
    with small_disk(1000):
        assistant, _ = played({3: ["R"]}, outputs=Outputs(folder=tmp_path))
    assert max(frame.index for frame in assistant.stepped) == 29


class Tardy(Frames):
    """A source whose fifth frame comes when keys have been asked for twice meanwhile."""

    def __init__(self, screen: Screens, live: bool) -> None:
        super().__init__(8, live=live)
        self._screen = screen

    def __iter__(self) -> Iterator[Frame]:
        for frame in super().__iter__():
            deadline = time.monotonic() + 5
            while self.live and frame.index == 4 and self._screen.asked < 6:
                assert time.monotonic() < deadline, "keys wait for frames"
                time.sleep(0.01)
            yield frame


@pytest.mark.parametrize("is_live", [True, False])
def test_keys_are_asked_for_while_a_frame_is_awaited(is_live: bool) -> None:
    """Else shift and r that lie between two frames are r alone in a Qt window."""
    screen = Screens({})
    source = Tardy(screen, is_live)
    source.fps = 60.0 if is_live else 12.0
    Session(source, cast(Assistant, Assistants()), screen, Outputs()).run()
    assert screen.asked >= 8 + 2


def test_clips_are_paced_and_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only sleeping and drawing move."""
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(live.time, "sleep", lambda s: now.__setitem__(0, now[0] + s))
    pace = live._Pace(fps=10)
    shown = []
    for i in range(20):
        if pace.wait(i / 10, lambda: None):
            shown.append(i)
            now[0] += 0.15  # drawing takes longer than a frame
    assert 12 <= len(shown) < 20
    assert all(b - a <= 2 for a, b in itertools.pairwise(shown))
    assert pace.late(19 / 10) < live.LATE_S
    now[0] += 60  # a pause: the clip goes on where it was
    assert pace.wait(2.0, lambda: None)
    assert pace.late(2.0) == pytest.approx(0)


def test_meter_tells_latency_and_rate() -> None:
    meter = Meter()
    for i in range(101):
        meter.add(i / 1000, i / 50)
    assert meter.percentiles_ms() == pytest.approx((50, 95))
    assert meter.fps == pytest.approx(50)
    words = meter.words()
    assert words == ("50 fps", "latency 50/95 ms")
    meter.add(1.0, 2.1)
    assert meter.words() == words  # numbers that flicker can't be read
    meter.add(1.0, 2.6)
    assert meter.words() != words


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
