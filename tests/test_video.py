"""Every kind of source, good and bad."""

from __future__ import annotations

import itertools
import threading
import time
from email.message import Message
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import cv2
import numpy as np
import pytest
from mjpeg_server import mjpeg_server

from ar_assist.errors import SourceError, UserError
from ar_assist.types import Frame, Image, Source
from ar_assist.video import Live, calibrated, feeds, live, open_source, safe_name
from calibration import Camera

FPS = 29.97


def numbered(index: int, size_wh: tuple[int, int] = (160, 120)) -> Image:
    """A picture that tells its number by its brightness, in steps of 8."""
    return np.full((size_wh[1], size_wh[0], 3), index * 8 % 256, np.uint8)


def number_of(frame: Frame) -> int:
    return round(float(frame.image.mean()) / 8)


def encoded(image: Image) -> bytes:
    return cv2.imencode(".jpg", image)[1].tobytes()


def jpeg(index: int) -> bytes:
    return encoded(numbered(index % 32))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (160, 120))
    for i in range(20):
        writer.write(numbered(i))
    writer.release()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in (1, 2, 10):
        cv2.imwrite(str(tmp_path / f"{i}.png"), numbered(i))
    (tmp_path / "notes.txt").write_text("not a picture")
    return tmp_path


def check_contract(source: Source, frames: list[Frame]) -> None:
    """What every consumer relies on."""
    assert source.fps > 0
    assert all(b.index > a.index and b.time > a.time for a, b in itertools.pairwise(frames))
    for frame in frames:
        assert frame.image.shape == (source.size_wh[1], source.size_wh[0], 3)
        assert frame.image.dtype == np.uint8
        assert not frame.image.flags.writeable


def test_clip(clip: Path) -> None:
    source = open_source(str(clip))
    frames = list(source)
    check_contract(source, frames)
    assert [number_of(f) for f in frames] == list(range(20))
    assert source.fps == pytest.approx(FPS, abs=0.01)
    assert frames[10].time == pytest.approx(10 / FPS, abs=0.002)
    assert len(list(source)) == 20, "a clip can be gone through again"


def test_folder_and_glob_in_natural_order(folder: Path) -> None:
    for spec in (folder, folder / "*.png"):
        source = open_source(str(spec))
        frames = list(source)
        check_contract(source, frames)
        assert [Path(f.name).name for f in frames] == ["1.png", "2.png", "10.png"]


def test_rate_of_a_folder(folder: Path) -> None:
    assert [f.time for f in open_source(str(folder), fps=4)] == [0, 0.25, 0.5]


def test_picture(folder: Path) -> None:
    (frame,) = open_source(str(folder / "2.png"))
    assert number_of(frame) == 2


@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_what_is_transparent_in_a_picture_is_white(tmp_path: Path, depth: type) -> None:
    path, full = tmp_path / "logo.png", np.iinfo(depth).max
    cv2.imwrite(str(path), np.array([[[0, 0, 0, 0], [0, 0, full, full]]], depth))
    (frame,) = open_source(str(path))
    assert frame.image.tolist() == [[[255, 255, 255], [0, 0, 255]]]


def test_picture_is_turned_as_its_exif_says(tmp_path: Path) -> None:
    from PIL import Image as Pillow

    exif = Pillow.Exif()
    exif[0x0112] = 6  # a phone held upright
    path = tmp_path / "upright.jpg"
    Pillow.new("RGB", (40, 30)).save(path, exif=exif)
    assert open_source(str(path)).size_wh == (30, 40)


def test_a_clip_that_was_cut_off_plays_to_its_end(clip: Path) -> None:
    data = clip.read_bytes()
    clip.write_bytes(data[: len(data) * 4 // 5])
    assert 3 < len(list(open_source(str(clip)))) < 20


BAD_FILES = {
    "missing.mp4": None,
    "missing.png": None,
    "text.png": b"not a picture",
    "text.mp4": b"not a video",
    "empty.mp4": b"",
    "empty.jpg": b"",
    "no_such_folder/*.png": None,
    "headless.mp4": b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(5000),  # cut before its index
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_give_one_clear_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if (content := BAD_FILES[name]) is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        open_source(str(tmp_path / name))
    assert caught.value.exit_code == 3
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == "", "the libraries below stay quiet"


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no pictures"):
        open_source(str(tmp_path))


@pytest.mark.parametrize(
    "spec",
    ["99", "/dev/video99", "http://127.0.0.1:9/video", "rtsp://127.0.0.1:9/a", "gopher://x/y"],
)
def test_nothing_there(spec: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError):
        open_source(spec)
    assert capfd.readouterr().err == ""


def test_no_name_is_not_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SourceError, match="empty"):
        open_source("")


def test_index_zero_is_a_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr("ar_assist.video.open_device", lambda device, *_: opened.append(device))
    open_source(0)
    open_source("0")
    assert opened == [0, 0]


def test_unknown_backend() -> None:
    with pytest.raises(UserError, match="this OpenCV knows"):
        open_source(0, backend="nonsense")


@pytest.mark.parametrize("length", [True, False], ids=["length", "no length"])
@pytest.mark.parametrize("dashes", ["", "--"])
def test_mjpeg_dialects(length: bool, dashes: str) -> None:
    with mjpeg_server(jpeg, length=length, dashes=dashes) as served:
        source = open_source(served.url)
        frames = list(itertools.islice(source, 5))
        source.close()
    check_contract(source, frames)
    assert all(number_of(f) == f.index % 32 for f in frames)


def test_mjpeg_survives_two_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PAUSES_S", (0.2, 0.4))
    monkeypatch.setattr(live, "STALL_S", 0.1)
    cuts = {1: 8, 2: 8}
    with mjpeg_server(jpeg, cut_after=cuts.get) as served:
        source = open_source(served.url)
        fresh: list[Frame] = []
        notes = set()
        for frame in source:
            if frame.note:
                notes.add(frame.note)
            elif not fresh or frame.index != fresh[-1].index:
                fresh.append(frame)
            if frame.index >= 24:
                break
        source.close()
    assert served.connections == 3
    assert any("connection lost" in note for note in notes)
    check_contract(source, fresh)


def test_a_line_that_is_cut_with_pictures_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PAUSES_S", (0.1,))
    decode = cv2.imdecode
    monkeypatch.setattr(feeds.cv2, "imdecode", lambda *a: time.sleep(0.05) or decode(*a))
    with mjpeg_server(jpeg, fps=500, cut_after=lambda n: 20) as served:
        source = open_source(served.url)
        frames = iter(source)
        while served.connections < 4:
            assert next(frames).image is not None
        source.close()


def test_a_feed_that_breaks_is_heard() -> None:
    class Broken:
        def __init__(self) -> None:
            self._left = [numbered(0)]

        def read(self) -> tuple[Image, float, float | None]:
            return self._left.pop(), time.monotonic(), None

        def close(self) -> None:
            """Nothing to close."""

    with pytest.raises(IndexError):
        for _ in Live("broken", Broken, FPS):
            pass


def test_a_stall_is_said_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STALL_S", 0.2)
    with mjpeg_server(jpeg) as served:
        source = open_source(served.url)
        frames = iter(source)
        next(frames)
        served.stalled.set()
        stalled = next(f for f in frames if f.note)
        assert "no new picture" in stalled.note
        again = next(frames)
        assert again.index == stalled.index
        assert again.time > stalled.time
        served.stalled.clear()
        assert next(f for f in frames if not f.note).index > stalled.index
        source.close()


def test_slow_consumers_get_the_newest() -> None:
    with mjpeg_server(jpeg, fps=100) as served:
        source = open_source(served.url)
        frames = iter(source)
        first = next(frames)
        threading.Event().wait(0.5)
        late = next(frames)
        behind = (served.parts - number_of(late)) % 32
        source.close()
    assert late.index > first.index + 10
    assert behind < 16


def test_pictures_do_not_queue_where_decoding_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*jpeg: Any) -> Any:
        time.sleep(0.1)
        return decode(*jpeg)

    decode = cv2.imdecode
    with mjpeg_server(lambda i: encoded(np.zeros((16, 16 + i, 3), np.uint8)), fps=50) as served:
        source = open_source(served.url)
        monkeypatch.setattr(feeds.cv2, "imdecode", slow)
        frames = iter(source)
        time.sleep(2)
        for _ in range(3):
            newest = next(frames).image.shape[1] - 16
        late = served.parts - newest
        source.close()
    assert late < 20, "0.4 s; a queue would be 80 pictures long"


def oversized(index: int) -> bytes:
    """A picture whose size was damaged on its way: 65000 px a side."""
    whole = jpeg(index)
    size = whole.index(b"\xff\xc0") + 5
    return whole[:size] + bytes.fromhex("fde8fde8") + whole[size + 4 :]


def test_a_damaged_picture_is_passed_over() -> None:
    with mjpeg_server(lambda i: (oversized if i == 1 else jpeg)(i), fps=50) as served:
        source = open_source(served.url)
        seen = [next(frames) for frames in [iter(source)] for _ in range(3)]
        source.close()
    assert all(frame.note == "" for frame in seen)
    assert served.connections == 1


def test_a_damaged_picture_of_a_camera_is_a_lost_one(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = Mock()
    camera.retrieve.side_effect = cv2.error("damaged")
    camera.get.return_value = 30.0
    monkeypatch.setattr(feeds.cv2, "VideoCapture", lambda *_: camera)
    with pytest.raises(SourceError, match="no picture"):
        open_source(0)
    camera.release.assert_called_once()


@pytest.mark.parametrize("part", [b"no picture", b""])
def test_parts_that_are_no_pictures_end_the_wait(
    part: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "TIMEOUT_S", 0.4)
    with mjpeg_server(lambda _: part) as served, pytest.raises(SourceError, match="no picture"):
        open_source(served.url)


def test_a_server_that_never_pauses_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        headers, sent = Message(), 0

        def read1(self, _: int) -> bytes:
            self.sent += len(part)
            return part

    part = b"\n--\nContent-Type: image/jpeg\n\n" + jpeg(0)
    monkeypatch.setattr(feeds._Mjpeg, "_is_ready", lambda _: True)
    stream: Any = Endless()
    assert feeds._Mjpeg(stream).read()[0].shape == numbered(0).shape
    assert stream.sent < 1.1 * feeds.DRAINED_BYTES


def test_pauses_grow_until_a_picture_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PAUSES_S", (0.05, 0.1))
    monkeypatch.setattr(live, "STALL_S", 0.01)
    monkeypatch.setattr(live, "REPEAT_S", 0.01)
    with mjpeg_server(jpeg, cut_after=lambda n: 1 if n in (1, 6) else 0) as served:
        source = open_source(served.url)
        notes = [frame.note for frame in itertools.takewhile(lambda f: f.index < 1, source)]
        source.close()
    assert any("attempt 4" in note or "attempt 5" in note for note in notes)


def test_basic_authentication_and_hidden_credentials() -> None:
    with mjpeg_server(jpeg) as served:
        url = served.url.replace("http://", "http://me:s3cret@") + "?token=s3cret"
        source = open_source(url)
        source.close()
    assert served.authorization == "Basic bWU6czNjcmV0"
    assert served.paths == ["/video?token=s3cret"]
    assert "s3cret" not in source.name
    with pytest.raises(SourceError) as caught:
        open_source("http://me:s3cret@127.0.0.1:9/video?token=s3cret")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("rtsp://u:s3cret@h:5/p", "rtsp://h:5/p"),
        ("http://h/p?k=s3cret", "http://h/p?…"),
        ("ftp://u:s3cret@[", "ftp://…"),
        ("rtsp://u:s3@cret@h/p", "rtsp://h/p"),
        ("rtsp://u:s3/cret@h/p", "rtsp://…"),
        ("rtsp://u:s3#cret@h/p", "rtsp://…"),
        ("rtsp://u:s3?cret@h/p", "rtsp://…"),
        ("rtsp://h:554/user=u&password=s3cret.sdp", "rtsp://h:554/…"),
        ("u:s3cret@h/p", "…@h/p"),
        ("http://[::1]:80/p", "http://[::1]:80/p"),
        ("C:/clips/a.mp4", "C:/clips/a.mp4"),
        ("scene:tier=tripod", "scene:tier=tripod"),
    ],
)
def test_safe_name(url: str, name: str) -> None:
    assert safe_name(url) == name


def test_clock_takes_the_jitter_out_and_distrusts_jumps() -> None:
    clock = live._Clock()
    delays = [0.05, 0.02, 0.12, 0.03]
    times = [clock.time(1000 + i / 10, i / 10 + d) for i, d in enumerate(delays)]
    assert np.diff(times)[1:] == pytest.approx([0.1, 0.1])
    assert clock.time(5.0, 1.0) == pytest.approx(1.0), "another clock after a reconnection"
    assert clock.time(None, 1.5) == 1.5
    assert clock.time(None, 1.0) > 1.5, "never backwards"


def test_a_calibrated_source_tells_its_lens(folder: Path) -> None:
    camera = Camera(160, 120, 100, 100, 80, 60, (-0.3,))
    source = calibrated(open_source(str(folder / "2.png")), camera)
    (frame,) = frames = list(source)
    check_contract(source, frames)
    assert (frame.raw == numbered(2)).all()
    assert (frame.undistorted == camera.undistort(frame.raw)).all()
    assert frame.undistorted.shape[1] > 160


def test_the_lens_fits_pictures_of_every_size_that_the_camera_makes(tmp_path: Path) -> None:
    for i, size_wh in enumerate([(160, 120), (320, 240), (120, 160)]):
        cv2.imwrite(str(tmp_path / f"{i}.png"), numbered(2, size_wh))
    camera = Camera(160, 120, 100, 100, 80, 60, (-0.3,))
    frames = iter(calibrated(open_source(str(tmp_path)), camera))
    assert next(frames).lens == camera
    assert next(frames).lens == camera.at_size(320, 240)
    with pytest.raises(SourceError, match="is for 160x120, not for 120x160"):
        next(frames)
