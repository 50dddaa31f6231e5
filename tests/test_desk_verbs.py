"""The verbs of the desk: exit codes, one clear line, nothing lost."""

from __future__ import annotations

import itertools
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from cardboard import Frames
from mjpeg_server import mjpeg_server
from smalldisk import small_disk

from ar_assist.assistant import Assistant
from ar_assist.cli import VERBS, main
from ar_assist.cli import live as cli_live
from ar_assist.cli.demo import Looped
from ar_assist.cli.options import corrections, games
from ar_assist.games import GAMES
from ar_assist.recorder import Recorder
from ar_assist.settings import Settings
from ar_assist.types import Frame, Image, View
from ar_assist.video import devices, open_source
from calibration import Camera, greys, pictures, watch
from calibration.light import Light


@pytest.fixture(autouse=True)
def no_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AR_ASSIST_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """A picture with no game in it."""
    path = tmp_path / "noise.png"
    small = np.random.default_rng(1).integers(60, 190, (12, 16, 3), np.uint8)
    cv2.imwrite(str(path), cv2.resize(small, (320, 240), interpolation=cv2.INTER_CUBIC))
    return path


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("ar-assist: ")
    return lines[0]


@pytest.mark.parametrize(
    "words",
    [
        ["--source", "missing.mp4"],
        ["--camera", "97"],
        ["--video", "missing.mp4"],
        ["--source", "http://me:s3cret@127.0.0.1:9/video"],
        ["image", "missing.png"],
        ["demo", "--source", "missing.mp4"],
    ],
    ids=" ".join,
)
def test_no_source(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    headless = [] if words[0] == "image" else ["--headless"]
    assert main([*words, *headless]) == 3
    assert "s3cret" not in one_line(capsys)


@pytest.mark.parametrize("address", ["rtsp://me:s3cret@127.0.0.1:9/x", "me:s3cret@127.0.0.1:9/x"])
@pytest.mark.parametrize(
    "words",
    [
        ["{}"],
        ["live", "{}"],
        ["--source", "0", "{}"],
        ["image", "--profile", "{}", "x.png"],
        ["config", "set", "size={}"],
        ["evaluate", "{}"],
        ["label", "{}"],
        ["image", "{}"],
    ],
    ids=" ".join,
)
def test_what_was_typed_is_not_quoted_with_its_password(
    words: list[str], address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(address) for word in words]) > 1
    line = one_line(capsys)
    assert "cret" not in line
    assert "127.0.0.1:9/x" in line


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--help"], "draws the next move"), (["cameras", "--help"], VERBS["cameras"])],
)
def test_help_tells_what_program_and_verb_are_for(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    text = capsys.readouterr().out
    assert left.value.code == 0
    assert said in text
    assert "add_arguments" not in text  # that is for who reads the code


@pytest.mark.parametrize(
    "flags",
    [
        ["--log", "no/such/folder/run.jsonl"],
        ["--record", "no/such/folder/out.mp4"],
        ["--record", "out.avi"],
        ["--save-raw", "no/such/folder/raw.mp4"],
        ["--size", "large"],
        ["--calibration", "missing.json"],
        ["--light", "missing.json"],
        ["--profile", "missing"],
    ],
    ids=" ".join,
)
def test_wrong_usage(flags: list[str], noise: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--source", str(noise), "--headless", *flags]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("ar-assist: ")
    assert flags[1] in line


@pytest.mark.parametrize(
    "words",
    [
        ["--source", "{clip}", "--headless", "--save-raw", "{clip}"],
        ["--source", "{clip}", "--headless", "--record", "sub/../{clip}"],
        ["--source", "{clip}", "--headless", "--log", "{clip}"],
        ["--source", "{clip}", "--headless", "--record", "a.mp4", "--save-raw", "./a.mp4"],
        ["replay", "{clip}", "--record", "{clip}"],
        ["replay", "{clip}", "--log", "{clip}"],
        ["demo", "--source", "{clip}", "--headless", "--out", "."],
    ],
    ids=" ".join,
)
def test_nothing_is_written_over_what_is_read(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with Recorder("demo.mp4", (64, 48)) as recorder:
        recorder.write(np.zeros((48, 64, 3), np.uint8), 0.0)
    clip = Path("demo.mp4").read_bytes()
    assert main([word.format(clip="demo.mp4") for word in words]) == 2
    assert "can't be written" in one_line(capsys)
    assert Path("demo.mp4").read_bytes() == clip


@pytest.mark.parametrize("name", ["--log", "--record", "--save-raw"])
def test_full_disk(name: str, noise: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = noise.with_name("out.mp4")
    with small_disk(100):
        assert main(["--source", str(noise), "--headless", name, str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2, "the camera's size and what is wrong"
    assert str(file) in lines[1]


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (3000, 2), (33, 40)])
def test_pictures_too_small_for_a_board(
    shape: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.png"
    cv2.imwrite(str(path), np.zeros((*shape, 3), np.uint8))
    assert main(["image", str(path)]) == 0
    assert "searching" in capsys.readouterr().out


def test_unknown_game_in_a_profile(
    noise: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AR_ASSIST_GAME", "chess")
    assert main(["image", str(noise)]) == 2
    assert "chess" in one_line(capsys)


def test_a_stream_is_no_picture(capsys: pytest.CaptureFixture[str]) -> None:
    jpeg = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    with mjpeg_server(lambda _: jpeg) as served:
        assert main(["image", served.url.replace("http://", "http://me:s3cret@")]) == 3
    assert "s3cret" not in one_line(capsys)


def test_picture_without_a_game(noise: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = noise.parent / "run.jsonl"
    out = noise.parent / "out"
    assert main(["image", str(noise), "--log", str(log), "--out", str(out)]) == 0
    assert "searching" in capsys.readouterr().out
    (line,) = map(json.loads, log.read_text().splitlines())
    assert (line["state"], line["source"], line["hint"]) == ("searching", str(noise), None)
    assert cv2.imread(str(out / "noise.png")).shape == (240, 320, 3)


def test_bad_pictures_do_not_stop_the_good(noise: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = noise.with_name("bad.png")
    bad.write_text("not a picture")
    assert main(["image", str(bad), str(noise)]) == 3
    printed = capsys.readouterr()
    assert "bad.png" in printed.err
    assert "noise.png" in printed.out


def test_pictures_of_one_name_are_all_kept(noise: Path) -> None:
    out = noise.parent / "out"
    assert main(["image", str(noise), str(noise), "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["noise-2.png", "noise.png"]


def test_headless_clip_is_logged_and_recorded(noise: Path) -> None:
    folder = noise.parent
    flags = ["--log", str(folder / "a.jsonl"), "--record", str(folder / "a.mp4")]
    flags += ["--save-raw", str(folder / "raw.mp4")]
    assert main(["--source", str(noise), "--headless", *flags]) == 0
    assert len((folder / "a.jsonl").read_text().splitlines()) == 1
    (shown,), (raw,) = (list(open_source(str(folder / f))) for f in ("a.mp4", "raw.mp4"))
    picture = cv2.imread(str(noise)).astype(int)
    assert np.abs(raw.image - picture).mean() < 4
    assert np.abs(shown.image - picture)[-20:].mean() > 20, "the status line"


def test_a_clip_that_nobody_watches_is_not_spoken_and_says_so(
    noise: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--source", str(noise), "--headless", "--speak"]) == 0  # with a voice or without
    assert "nothing is spoken" in capsys.readouterr().err


def test_live_without_a_display_says_so(no_display: dict[str, str]) -> None:
    command = [sys.executable, "-m", "ar_assist", "--source", "x.png"]
    done = subprocess.run(command, env=no_display, capture_output=True, text=True)
    if done.returncode == 3:
        pytest.skip("this system shows windows without DISPLAY")
    assert done.returncode == 2
    assert "--headless" in done.stderr


WHILE_A_COMPILER_WORKS = """
import atexit, threading, time
from ar_assist import __main__
def main():
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print("last words")
    return 3
atexit.register(print, "libraries are taken down")
__main__.main = main
__main__.run()
"""


def test_libraries_are_not_taken_down_under_a_thread_that_works() -> None:
    """LLVM, at work in such a thread, ended the program by a segmentation fault now and then."""
    command = [sys.executable, "-c", WHILE_A_COMPILER_WORKS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (3, "last words\n", "")


def test_a_stream_is_measured_as_any_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jpeg = cv2.imencode(".jpg", greys.picture())[1].tobytes()
    monkeypatch.setattr(watch, "SETTLE", 2)
    monkeypatch.setattr(watch, "ENOUGH", 2)
    monkeypatch.setattr(pictures, "can_show", lambda: False)
    out = tmp_path / "light.json"
    with mjpeg_server(lambda i: jpeg) as served:
        assert main(["calibrate", "--light", "--camera", served.url, "--out", str(out)]) == 0
    assert Light.load(out).frames == 2
    gone = served.url.replace("//", "//me:s3cret@")
    assert main(["calibrate", "--camera", gone, "--out", str(out)]) == 3
    assert "cret" not in capsys.readouterr().err


def test_config(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["config", "set", "size=800x600", "--profile", "desk"]) == 0
    monkeypatch.setenv("AR_ASSIST_SOURCE", "http://me:s3cret@host/video")
    assert main(["config", "show", "--profile", "desk"]) == 0
    shown = capsys.readouterr().out
    assert "800x600" in shown
    assert "s3cret" not in shown
    assert main(["config", "set", "nonsense"]) == 2
    assert main(["config", "set", "colour=red"]) == 2


@pytest.mark.parametrize(
    "change",
    [
        "calibration=/nowhere.json",
        "light=/nowhere.json",
        "game=chess",
        "gravity=sideways",
        "backend=FOO",
    ],
)
def test_nothing_is_kept_that_a_run_would_refuse(
    change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "set", change]) == 2
    assert change.split("=")[1] in one_line(capsys)
    assert main(["config", "show"]) == 0
    assert change.split("=")[1] not in capsys.readouterr().out


def test_any_value_is_shown_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Brackets too, and long paths in one piece."""
    monkeypatch.chdir(tmp_path)
    Camera(320, 240, 300.0, 300.0, 160.0, 120.0).save("camera.json")
    pictures = f"{'long/' * 20}[/pictures]/img[abc]*.png"
    assert main(["config", "set", f"source={pictures}", "calibration=camera.json"]) == 0
    assert main(["config", "show"]) == 0
    shown = capsys.readouterr().out
    assert pictures in shown
    assert str(tmp_path / "camera.json") in shown, "to be found from any folder"


def test_doctor_tells_of_a_broken_profile(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ar_assist.cli.doctor._latency", lambda: "not measured here")
    monkeypatch.setenv("AR_ASSIST_FPS", "quick")
    assert main(["doctor"]) == 0
    assert "profile: FAILED, AR_ASSIST_FPS: fps is a number" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "is_live", "told"),
    [
        ("clip.mp4", False, "grey: 1280x720, 60 frames/s"),
        ("0", True, "grey: 1280x720, 60 frames/s (asked for 800x600 at 15/s)"),
        ("http://phone/video", True, "grey: 1280x720"),
    ],
)
def test_what_was_asked_of_a_camera_and_what_it_gives_is_printed(
    source: str, is_live: bool, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stream is asked for nothing, and its rate is often not known."""
    cli_live._print_obtained(
        Frames(1, live=is_live), Settings(source=source, size="800x600", fps=15)
    )
    assert capsys.readouterr().err == f"{told}\n"


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[Image]:
    """The pictures that steps get."""
    pictures: list[Image] = []
    step = Assistant.step

    def spied(assistant: Assistant, frame: Frame) -> View:
        pictures.append(frame.undistorted)
        return step(assistant, frame)

    monkeypatch.setattr(Assistant, "step", spied)
    return pictures


def test_calibration_straightens_what_is_looked_at_and_recordings_keep_the_lens(
    noise: Path, looked_at: list[Image]
) -> None:
    folder, camera = noise.parent, noise.with_name("camera.json")
    numbers = {"width": 640, "height": 480, "fx": 500, "fy": 500, "cx": 319.5, "cy": 239.5}
    camera.write_text(json.dumps({**numbers, "dist": [-0.3]}))
    flags = ["--calibration", str(camera), "--save-raw", str(folder / "raw.mp4")]
    flags += ["--record", str(folder / "shown.mp4")]
    assert main(["--source", str(noise), "--headless", *flags]) == 0
    (shown,), (raw,) = (list(open_source(str(folder / f))) for f in ("shown.mp4", "raw.mp4"))
    picture = cv2.imread(str(noise)).astype(int)
    assert np.abs(raw.image - picture).mean() < 4, "what the camera gave"
    assert np.abs(shown.image - picture)[:200].mean() < 4, "with marks"
    assert looked_at[0].shape[0] > 240 and looked_at[0].shape[1] > 320, "nothing is cut off"
    assert json.loads((folder / "raw.camera.json").read_text())["fx"] == 500


def test_a_camera_file_that_is_or_cannot_be_beside_the_recording(
    noise: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    camera = noise.with_name("raw.camera.json")
    camera.write_text(json.dumps({"width": 320, "height": 240, "fx": 9, "fy": 9, "cx": 0, "cy": 0}))
    words = ["--source", str(noise), "--headless", "--calibration", str(camera), "--save-raw"]
    assert main([*words, str(noise.with_name("raw.mp4"))]) == 0
    assert json.loads(camera.read_text())["fx"] == 9
    noise.with_name("other.camera.json").mkdir()
    assert main([*words, str(noise.with_name("other.mp4"))]) == 2
    assert "other.camera.json: can't be written" in capsys.readouterr().err.splitlines()[-1]


def test_light_evens_what_is_looked_at_and_recordings_keep_it(
    noise: Path, looked_at: list[Image]
) -> None:
    folder, light = noise.parent, noise.with_name("screen.json")
    tones = {"white": [250, 190, 190], "black": [60, 60, 60], "gamma": 1, "flicker": None}
    light.write_text(json.dumps({**tones, "frames": 1, "date": ""}))
    flags = ["--light", str(light), "--save-raw", str(folder / "raw.mp4")]
    flags += ["--record", str(folder / "shown.mp4")]
    assert main(["--source", str(noise), "--headless", *flags]) == 0
    (shown,), (raw,) = (list(open_source(str(folder / f))) for f in ("shown.mp4", "raw.mp4"))
    picture = cv2.imread(str(noise)).astype(int)
    assert np.abs(raw.image - picture).mean() < 4, "what the camera gave"
    even = 16 + (picture - 60) * (235 - 16) / (np.array([250, 190, 190]) - 60)
    assert np.abs(shown.image - picture)[:200].mean() < 4, "with marks"
    assert np.abs(looked_at[0] - even.clip(0, 255)).mean() < 1
    assert json.loads((folder / "raw.light.json").read_text())["white"] == [250, 190, 190]


def test_a_bent_picture_is_evened_too(noise: Path) -> None:
    """It is the one that is read."""
    lens, light = noise.with_name("camera.json"), noise.with_name("screen.json")
    Camera(320, 240, 250, 250, 160, 120, (-0.3,)).save(lens)
    Light((250, 190, 190), (60, 60, 60), 1.0, None, 1, "").save(light)
    source = open_source(str(noise))
    settings = Settings(calibration=str(lens), light=str(light))
    (frame,) = corrections(settings, source.size_wh)(source)
    even = Light.load(light).even(cv2.imread(str(noise)))
    assert (frame.image == even).all()
    assert (frame.undistorted == Camera.load(lens).undistort(even)).all()
    assert (frame.original == cv2.imread(str(noise))).all()


def test_calibration_of_another_camera(noise: Path, capsys: pytest.CaptureFixture[str]) -> None:
    camera = noise.with_name("camera.json")
    camera.write_text(json.dumps({"width": 640, "height": 360, "fx": 1, "fy": 1, "cx": 0, "cy": 0}))
    assert main(["image", str(noise), "--calibration", str(camera)]) == 2
    assert "640x360" in one_line(capsys)


def test_rules_reach_the_game() -> None:
    (link,) = games(Settings(game="link", gravity="down"))
    assert getattr(link, "gravity") == "down"  # noqa: B009
    assert [game.name for game in games(Settings())] == list(GAMES)


MODES = {b"MJPG": {(1280, 720): [30, 15], (640, 480): [60]}, b"YUYV": {(640, 480): [30]}}


def fake_driver(request: int, argument: bytes) -> bytes:
    """A V4L2 driver with the modes above (videodev2.h)."""
    number = request & 0xFF
    if number == 0:
        return bytes(84) + struct.pack("<2I", 0x84200001, 0x04200001) + bytes(12)
    index = struct.unpack_from("<I", argument)[0]
    try:
        if number == 2:
            return argument[:44] + list(MODES)[index] + argument[48:]
        sizes = MODES[argument[4:8]]
        if number == 0x4A:
            return argument[:8] + struct.pack("<3I", 1, *list(sizes)[index]) + bytes(24)
        rate = sizes[struct.unpack_from("<2I", argument, 8)][index]
        return argument[:16] + struct.pack("<3I", 1, 1, rate) + bytes(24)
    except IndexError:
        raise OSError(22, "Invalid argument") from None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="V4L2 is Linux")
def test_cameras_on_linux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import fcntl

    (tmp_path / "video2").mkdir()
    (tmp_path / "video2" / "name").write_text("Desk Cam\n")
    monkeypatch.setattr(devices, "SYS_FOLDER", tmp_path)
    monkeypatch.setattr(devices.os, "open", lambda *_: os.dup(0))
    monkeypatch.setattr(
        fcntl, "ioctl", lambda _file, request, argument: fake_driver(request, argument)
    )
    assert main(["cameras"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "2: Desk Cam",
        "   MJPG 1280x720 30/s",
        "   MJPG 640x480 60/s",
        "   YUYV 640x480 30/s",
    ]


def test_doctor_names_what_a_report_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ar_assist.cli.doctor._latency", lambda: "not measured here")
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    for name in ("ar-assist:", "opencv", "numpy:", "display:", "recording: works", "cameras:"):
        assert name in printed


def test_the_demo_begins_again_when_its_clip_ends() -> None:
    frames = list(itertools.islice(Looped(Frames(4, live=False)), 10))
    assert [frame.index for frame in frames] == list(range(10))
    np.testing.assert_allclose([frame.time for frame in frames], np.arange(10) / Frames.fps)


@pytest.mark.slow
def test_demo_without_a_display(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = "scene:tier=tripod,seed=1,seconds=0.7"
    assert main(["demo", "--headless", "--out", str(tmp_path), "--source", spec]) == 0
    assert len(list(open_source(str(tmp_path / "demo.mp4")))) == 21
    assert cv2.imread(str(tmp_path / "demo.png")).shape[1] == 3 * 640
