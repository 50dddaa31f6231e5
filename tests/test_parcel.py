"""Jobs on their way to another process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import pytest

from ar_assist import parcel
from ar_assist.parcel import Packer, opened
from ar_assist.types import Frame, Image
from ar_assist.workers import Worker

SIZE = (240, 320, 3)


def picture(seed: int) -> Image:
    image = np.random.default_rng(seed).integers(0, 256, SIZE, np.uint8)
    image.flags.writeable = False
    return image


def mean(frames: list[Frame], of: str) -> tuple[str, list[float]]:
    return of, [float(frame.image.mean()) for frame in frames]


def test_pictures_do_not_go_through_the_pipe() -> None:
    packer = Packer()
    views = (picture(1), picture(2))
    job = {"views": views, "frame": views[0], "changed": np.arange(6).reshape(2, 3)}
    sent = packer.pack(job)
    assert len(pickle.dumps(sent)) < 1000
    one = opened(*sent)
    other = opened(*packer.pack((picture(3),)))
    packer.close()
    assert all((a == b).all() for a, b in zip(one["views"], views, strict=True))
    assert one["frame"] is one["views"][0], "and none goes twice"
    assert (one["changed"] == job["changed"]).all()
    assert (other[0] == picture(3)).all()


@pytest.mark.parametrize("free", [1000, None])
def test_where_there_is_no_shared_memory_for_it_it_comes_all_the_same(
    free: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object, **__: object) -> None:
        raise OSError

    if free is None:  # some containers have none
        monkeypatch.setattr(parcel, "SharedMemory", none)
    else:
        monkeypatch.setattr(parcel, "LINUX", Path("/"))
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr(parcel.shutil, "disk_usage", lambda _: usage)
    packer = Packer()
    sent = packer.pack((picture(1),))
    assert not sent[1]
    (came,) = opened(*sent)
    assert (came == picture(1)).all()


def test_a_worker_takes_jobs_of_growing_size_and_one_before_the_last_is_done() -> None:
    worker = Worker()
    frames = [Frame(i, i / 30, picture(i)) for i in range(9)]
    jobs = [worker.submit(mean, frames[:n], of=f"{n}") for n in (1, 2, 9)]
    jobs[-1].result(timeout=60)
    jobs.append(worker.submit(mean, frames[:5], of="5"))
    for n, job in zip((1, 2, 9, 5), jobs, strict=True):
        assert job.result(timeout=60) == mean(frames[:n], of=f"{n}")
    worker.shutdown()


KILLED = """
import numpy as np, time
from ar_assist.workers import Worker
if __name__ == "__main__":
    worker = Worker()
    worker.submit(np.sum, np.ones((999, 999))).result()
    print(worker._packer._memory.name, flush=True)
    time.sleep(120)
"""


def test_no_memory_is_left_behind(tmp_path: Path) -> None:
    packer = Packer()
    name = packer.pack(picture(1))[1]
    packer.close()
    with pytest.raises(FileNotFoundError):
        SharedMemory(name)
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    process.kill()
    process.communicate(timeout=30)  # ends when all who hold its pipes have ended
    with pytest.raises(FileNotFoundError):
        SharedMemory(name)
