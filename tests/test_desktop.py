"""The real window under Xvfb, driven by xdotool."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from mjpeg_server import mjpeg_server
from views import GREY_FRAME, view_of
from xvfb import Display, display, start, wait_until

from ar_assist.cli import label
from ar_assist.scene import open_scene
from ar_assist.types import Correction
from ar_assist.video import open_source
from calibration.pictures import TITLE

pytestmark = pytest.mark.desktop
DRIVER = Path(__file__).with_name("desk_driver.py")


@pytest.fixture(scope="module")
def desk() -> Iterator[Display]:
    with display() as opened:
        yield opened


class Program:
    """The driver, running."""

    def __init__(self, desk: Display, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self._output = folder / "output.txt"
        command = [sys.executable, str(DRIVER), str(folder)]
        self.process = start(desk, command, self._output)
        wait_until(lambda: "frame 0" in self.output(), "no frame came")
        # It is told before it is painted: till then Qt's window is there, and grey.
        wait_until(desk.is_still, "no picture was painted")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def output(self) -> str:
        return self._output.read_text()

    def tells(self, words: object) -> None:
        wait_until(lambda: f"{words}\n" in self.output(), f"never said: {words}")

    def ends(self) -> None:
        self.tells("left")
        assert self.process.wait(timeout=20) == 0


@pytest.fixture
def program(desk: Display, tmp_path: Path) -> Iterator[Program]:
    started = Program(desk, tmp_path)
    try:
        yield started
    finally:
        started.stop()


def centre(row: int, col: int) -> tuple[float, float]:
    """Of a cell, px of the window."""
    view = view_of(GREY_FRAME)
    assert view.plane and view.reading
    x, y = view.plane.to_frame(view.reading.cell_quads()[row, col].mean(axis=0))
    return float(x), float(y)


def test_keys_and_mouse_reach_the_assistant(program: Program) -> None:
    program.desk.press("n", "f", "r", "m")
    for words in ("another", "find anew", "turn", "mirror"):
        program.tells(words)
    corners = [(100.0, 100.0), (500.0, 120.0), (480.0, 400.0), (90.0, 380.0)]
    program.desk.press("c")
    program.desk.click(*corners)
    program.tells(("corners", [list(corner) for corner in corners]))
    program.desk.click(centre(2, 3))
    program.desk.press("e")
    program.tells(Correction((2, 3), "empty"))
    program.desk.click(centre(5, 9), centre(0, 0))
    program.tells(Correction((5, 9), "same", (0, 0)))
    program.desk.press("q")
    program.ends()


def test_the_window_shows_the_hint_and_its_states(program: Program) -> None:
    plain = program.desk.screenshot()
    assert (plain[:600, :1280] == (66, 228, 240)).all(axis=2).sum() > 500, "no yellow path"
    program.desk.press("v")
    wait_until(
        lambda: not (program.desk.screenshot()[:600] == (66, 228, 240)).all(axis=2).any(),
        "v leaves the hint on",
    )
    program.desk.press("h")
    middle = np.s_[300:420, 600:680]
    wait_until(
        lambda: bool((program.desk.screenshot()[middle] != plain[middle]).any()), "no help came"
    )
    program.desk.press("Escape", "Escape")
    program.ends()


def test_files_by_key(program: Program) -> None:
    program.desk.press("s", "R", "b", "R")
    for pattern in ("ar-assist-*.png", "ar-assist-*.mp4", "ar-assist-bug-*.zip"):
        wait_until(lambda p=pattern: any(program.folder.glob(p)), f"no {pattern}")  # type: ignore[misc]
    program.desk.press("q")
    program.ends()


def test_the_whole_program_on_a_network_camera(desk: Display, tmp_path: Path) -> None:
    """`ar-assist --source http://…`: a hint comes, the camera drops and comes back, all is kept."""
    frames = [f.image for f in itertools.islice(open_source("scene:tier=tripod,seed=1"), 8)]
    pictures = [cv2.imencode(".jpg", image)[1].tobytes() for image in frames]
    log = tmp_path / "run.jsonl"

    def logged(key: str, value: object) -> bool:
        lines = log.read_text().splitlines()[:-1] if log.exists() else []
        return any(json.loads(line)[key] == value for line in lines[-30:])

    with mjpeg_server(lambda i: pictures[i % 8], 15, lambda n: 75 if n == 1 else None) as served:
        command = [sys.executable, "-m", "ar_assist", "--source", served.url, "--log", str(log)]
        command += [
            "--record",
            str(tmp_path / "shown.mp4"),
            "--save-raw",
            str(tmp_path / "raw.mp4"),
        ]
        process = subprocess.Popen(command, env=desk.env, stderr=subprocess.PIPE, text=True)
        try:
            desk.wait_for_window()
            wait_until(lambda: logged("state", "locked"), "never locked")
            wait_until(lambda: served.connections > 1, "never reconnected")
            desk.press("f")
            wait_until(lambda: logged("state", "locked"), "never locked again")
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=30)[1]
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 130
    assert len(errors.splitlines()) == 1, "the line that tells the camera's size, and no traceback"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    shown = [frame.time for frame in open_source(str(tmp_path / "shown.mp4"))]
    raw = [frame.time for frame in open_source(str(tmp_path / "raw.mp4"))]
    assert len(lines) >= len(shown) > 0.5 * len(lines)
    assert shown[-1] == pytest.approx(lines[-1]["t"] - lines[0]["t"], abs=1)
    assert raw[-1] == pytest.approx(shown[-1], abs=1)


def test_truth_is_labelled_in_a_window(tmp_path: Path) -> None:
    """Its own reading is proposed, corrected by mouse and key, and written."""
    scene = open_scene("scene:tier=tripod,seed=3,seconds=0.1")
    cv2.imwrite(str(tmp_path / "photo.png"), next(iter(scene)).image)
    true = scene.truth["frames"][0]["board"]
    row, col = next((r, c) for r, line in enumerate(true["cells"]) for c, v in enumerate(line) if v)
    lattice = cv2.getPerspectiveTransform(
        np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32),
        np.array(true["corners"], np.float32),
    )
    middle = [[[(col + 0.5) / true["cols"], (row + 0.5) / true["rows"]]]]
    ((spot,),) = cv2.perspectiveTransform(np.array(middle), lattice)
    written = tmp_path / "photo.json"
    with display(("--name", f"^{label.WINDOW}$")) as desk:
        command = [sys.executable, "-m", "ar_assist", "label", str(tmp_path / "photo.png")]
        process = subprocess.Popen(command, env=desk.env, stdout=subprocess.DEVNULL)
        try:
            desk.wait_for_window()
            desk.shows_something(lambda: process.poll() is not None)
            desk.press("w")
            wait_until(written.exists, "nothing was written")
            (before,) = json.loads(written.read_text())["frames"]
            desk.click((float(spot[0]), float(spot[1])))
            desk.press("e", "w")
            wait_until(lambda: json.loads(written.read_text())["frames"] != [before], "no change")
            (after,) = json.loads(written.read_text())["frames"]
            desk.press("q")
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
            process.wait()
    one, other = (np.array(frame["board"]["cells"]) for frame in (before, after))
    assert one.shape == (true["rows"], true["cols"])
    assert np.argwhere(one != other).tolist() == [[row, col]] and other[row, col] == 0


def test_closing_the_window_ends_the_program(program: Program) -> None:
    program.desk.close_window()
    program.ends()


@pytest.mark.parametrize("end", ["key", "button", "Ctrl-C"])
def test_a_target_on_the_screen_goes_when_asked_to(end: str, tmp_path: Path) -> None:
    with display(("--name", f"^{TITLE}$")) as desk:
        command = [sys.executable, "-m", "calibration", "--show"]
        process = start(desk, command, tmp_path / "output.txt")
        try:
            if end == "Ctrl-C":
                process.send_signal(signal.SIGINT)
            elif end == "button":
                desk.close_window()
            else:
                desk.press("q")
            process.wait(timeout=30)
            assert "Traceback" not in (tmp_path / "output.txt").read_text()
        finally:
            process.kill()
            process.wait()
