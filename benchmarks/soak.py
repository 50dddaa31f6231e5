"""A long run on a network camera that drops: is memory flat, latency steady, nothing lost?

A looped clip is served as MJPEG over HTTP at its own rate; the connection is cut every
`--drop-every` seconds. `ar-assist --headless` follows it with log and both recordings. Printed:
memory and the program's own status line as time goes on; at the end, whether the recordings play
to their end and agree with the log.

    python benchmarks/soak.py --minutes 30
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import cv2

from ar_assist.video import open_source

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from mjpeg_server import mjpeg_server

LATENCY = re.compile(r"latency (\d+)/(\d+) ms")
WRITTEN = re.compile(r"Pss_(?:Anon|Shmem): +(\d+) kB")


def main() -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clip", default="scene:tier=handheld,seed=1", help="any source that ends")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--drop-every", type=float, default=120.0, metavar="S")
    parser.add_argument("--frames", type=int, default=240, help="of the clip, to and fro")
    args = parser.parse_args()
    pictures, fps = _jpegs(args.clip, args.frames)
    cut_after = round(args.drop_every * fps)
    with (
        tempfile.TemporaryDirectory() as name,
        mjpeg_server(lambda i: pictures[i % len(pictures)], fps, lambda _: cut_after) as served,
    ):
        folder = Path(name)
        memory, latency = _follow(served.url, folder, args.minutes * 60)
        print(f"connections: {served.connections}, pictures served: {served.parts}")
        return _judge(folder, memory, latency)


def _jpegs(clip: str, count: int) -> tuple[list[bytes], float]:
    """The clip forth and back as JPEG, so that it loops without a jump."""
    source = open_source(clip)
    frames = itertools.islice(source, count)
    forth = [cv2.imencode(".jpg", frame.image)[1].tobytes() for frame in frames]
    return forth + forth[-2:0:-1], source.fps


def _follow(url: str, folder: Path, seconds: float) -> tuple[list[list[float]], list[float]]:
    """Run the program; memory (MB) of its processes and p95 latency (ms) over time."""
    command = [sys.executable, "-m", "ar_assist", "--source", url, "--headless"]
    command += ["--log", str(folder / "log.jsonl"), "--record", str(folder / "shown.mp4")]
    command += ["--save-raw", str(folder / "raw.mp4")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    memory: list[list[float]] = []
    latency: list[float] = []

    def listen() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            processes = _memory_mb(process.pid)
            told = " + ".join(f"{megabytes:.0f}" for megabytes in processes)
            print(f"{time.monotonic() - start:6.0f} s {told} MB  {line}", end="", flush=True)
            if found := LATENCY.search(line):
                memory.append(processes)
                latency.append(float(found[2]))

    start = time.monotonic()
    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(seconds)
    process.terminate()  # as Ctrl-C, which is not heard in the background
    process.wait(timeout=60)
    listener.join()
    return memory, latency


def _memory_mb(pid: int) -> list[float]:
    """What a process and those it began have written, what they share counted once (Linux).

    Pages of libraries and files are not in it: each process that has them mapped counts for a
    share, so that a program that stands still gains 15 MB when three strangers beside it end.

    The program's own processes come in the order in which they began: main, the tracker of
    Python's resources, looking, thinking.
    """
    try:
        used = Path(f"/proc/{pid}/smaps_rollup").read_text()
        begun = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    own = sum(int(kilobytes) for kilobytes in WRITTEN.findall(used)) / 1024
    children = sorted(int(child) for line in begun for child in line.split())
    return [own, *(megabytes for child in children for megabytes in _memory_mb(child))]


def _judge(folder: Path, memory: list[list[float]], latency: list[float]) -> int:
    """Compare the middle with the end: what grows, grows on."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    locked = sum(line["state"] == "locked" for line in lines) / max(1, len(lines))
    print(
        f"log: {len(lines)} frames over {lines[-1]['t'] - lines[0]['t']:.0f} s, {locked:.1%} locked"
    )
    for name in ("raw.mp4", "shown.mp4"):
        path = folder / name
        frames, last = 0, 0.0
        for frame in open_source(str(path)):
            frames, last = frames + 1, frame.time
        print(f"{name}: {frames} frames, plays to {last:.0f} s, {path.stat().st_size >> 20} MB")
    begun = [processes for processes in memory if len(processes) == len(memory[-1])]
    by_process = [
        (f"memory MB of process {i}", mb) for i, mb in enumerate(zip(*begun, strict=True), start=1)
    ]
    for words, values in (*by_process, ("latency p95 ms", latency)):
        quarter = max(1, len(values) // 4)
        means = [_mean(values[i : i + quarter]) for i in range(0, 4 * quarter, quarter)]
        print(f"{words} by quarter of the run: {', '.join(means)}")
    return 0


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / max(1, len(values)):.0f}"


if __name__ == "__main__":
    sys.exit(main())
