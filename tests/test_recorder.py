"""Recordings: exact times, and playable whenever the program dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from smalldisk import small_disk

from ar_assist.errors import UserError
from ar_assist.mp4 import Mp4Writer
from ar_assist.recorder import Recorder, recorded
from ar_assist.types import Image
from ar_assist.video import open_source

SIZE_WH = (320, 240)


def numbered(index: int) -> Image:
    return np.full((SIZE_WH[1], SIZE_WH[0], 3), 40 + index * 8, np.uint8)


def played(path: Path) -> list[tuple[int, float]]:
    """(number, time) of every picture in the file."""
    return [(round((float(f.image.mean()) - 40) / 8), f.time) for f in open_source(str(path))]


def test_pictures_and_uneven_times_are_kept(tmp_path: Path) -> None:
    times = [5.0, 5.033, 5.1, 5.5, 5.54, 7.0]
    with Recorder(tmp_path / "a.mp4", SIZE_WH) as recorder:
        for i, at in enumerate(times):
            recorder.write(numbered(i), at)
    numbers, kept = zip(*played(tmp_path / "a.mp4"), strict=True)
    assert numbers == tuple(range(6))
    assert kept == pytest.approx([at - 5 for at in times], abs=0.001)


KILLED = """
import sys, numpy as np
from ar_assist.recorder import Recorder
recorder = Recorder(sys.argv[1], (320, 240))
for i in range(10**6):
    recorder.write(np.full((240, 320, 3), 40 + i % 20 * 8, np.uint8), i / 25)
    if i == 10: print("on", flush=True)
"""


@pytest.mark.parametrize("delay_s", [0.0, 0.05, 0.21])
def test_killed_at_any_instant_it_plays(tmp_path: Path, delay_s: float) -> None:
    path = tmp_path / "killed.mp4"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "on\n"
    time.sleep(delay_s)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    frames = played(path)
    assert len(frames) >= 2
    assert [n for n, _ in frames] == [i % 20 for i in range(len(frames))]
    assert frames[-1][1] == pytest.approx((len(frames) - 1) / 25, abs=0.001)


def test_a_long_recording_takes_hardly_any_memory(tmp_path: Path) -> None:
    pictures = 20_000  # eleven minutes at 30 a second
    writer = Mp4Writer(tmp_path / "a.mp4", SIZE_WH)
    tracemalloc.start()
    try:
        for i in range(pictures):
            writer.append(b"jpeg", i / 30, 1 / 30)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    writer.close()
    assert taken < 24 * pictures
    table = (tmp_path / "a.mp4").read_bytes().rpartition(b"tfra")[2]
    assert int.from_bytes(table[12:16], "big") == pictures


def test_torn_last_picture_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    recorder = Recorder(path, SIZE_WH)
    for i in range(5):
        recorder.write(numbered(i), i / 10)
    recorder.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"mdat") + 100])
    assert [n for n, _ in played(path)][:4] == [0, 1, 2, 3]


def test_finished_when_the_program_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "a.mp4", SIZE_WH) as recorder:
        recorder.write(numbered(0), 0.0)
        recorder.write(numbered(1), 0.1)
        _ = 1 / 0
    assert len(played(tmp_path / "a.mp4")) == 2
    assert b"mfra" in (tmp_path / "a.mp4").read_bytes()


def test_live_recordings_drop_rather_than_wait(tmp_path: Path) -> None:
    big = np.random.default_rng(0).integers(0, 256, (1080, 1920, 3), np.uint8)
    with Recorder(tmp_path / "a.mp4", (1920, 1080), live=True) as recorder:
        for i in range(60):
            recorder.write(big, i / 1000)
    assert 1 <= len(list(open_source(str(tmp_path / "a.mp4")))) < 60


def test_a_turned_phone_does_not_break_the_file(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", SIZE_WH) as recorder:
        recorder.write(numbered(0), 0.0)
        recorder.write(np.ascontiguousarray(numbered(1).transpose(1, 0, 2)), 0.1)
    assert [n for n, _ in played(tmp_path / "a.mp4")] == [0, 1]


@pytest.mark.parametrize("name", ["a.avi", "no/such/folder/a.mp4"])
def test_unwritable_names_give_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError) as caught:
        Recorder(tmp_path / name, SIZE_WH)
    assert name in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to be had here")
def test_full_disk_is_said(tmp_path: Path) -> None:
    (tmp_path / "full.mp4").symlink_to("/dev/full")
    with pytest.raises(UserError, match="No space"):
        Recorder(tmp_path / "full.mp4", SIZE_WH)


def test_a_disk_that_gets_full_is_said_and_leaves_whole_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    noise = np.random.default_rng(0).integers(0, 256, (SIZE_WH[1], SIZE_WH[0], 3), np.uint8)
    said = pytest.raises(UserError, match="recording stopped")
    with small_disk(100_000), said, Recorder(path, SIZE_WH) as full:
        for i in range(100):
            full.write(noise, i / 30)
    data, at = path.read_bytes(), 0
    while at < len(data):
        at += int.from_bytes(data[at : at + 4], "big")
    assert at == len(data), "the last box is torn"
    assert len(list(open_source(str(path)))) == data.count(b"mdat") > 0


def test_raw_recording_of_a_source(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", SIZE_WH) as recorder:
        for i in range(10):
            recorder.write(numbered(i), i / 10)
    source = open_source(str(tmp_path / "a.mp4"))
    copy = recorded(source, Recorder(tmp_path / "b.mp4", source.size_wh))
    assert len(list(copy)) == 10
    copy.close()
    assert played(tmp_path / "b.mp4") == played(tmp_path / "a.mp4")
