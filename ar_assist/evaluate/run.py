"""Run clips through the very pipeline of live, on clip time, and score their logs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from typing import Any

import cv2
import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor

from ar_assist import replay, runlog
from ar_assist.errors import UserError
from ar_assist.evaluate.deadends import dead_ends
from ar_assist.evaluate.jobs import Job
from ar_assist.evaluate.pictures import Picture, side_by_side, worst
from ar_assist.evaluate.score import ClipScore, likeness, score
from ar_assist.evaluate.truth import Record, Truth, load_log, load_truth, parse_record, parse_truth
from ar_assist.games import GAMES
from ar_assist.scene.source import open_scene
from ar_assist.types import Frame, Image, Source, View
from ar_assist.video import open_source

try:
    import resource
except ImportError:  # not on Windows: no figure for memory there
    resource = None  # type: ignore[assignment]

# A search for a safe pair takes 8 to 26 ms of a slow core at the median, on 48 to 216 tiles.
THINK_LATENCY_S = 0.03
JPEG_QUALITY = 85
CONNECT_S = 10
MEGABYTE = 2**20
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes, as getrusage(2) of each system says


@dataclass(frozen=True, eq=False)
class Result:
    """A scored clip and pictures of its worst frames."""

    score: ClipScore
    pictures: tuple[Picture, ...] = ()


def run_all(jobs: Sequence[Job], workers: int = -1, dask: str | None = None) -> Iterator[Result]:
    """Score all jobs in parallel, each as it is done, in order; on a Dask cluster if given."""
    backend = {"backend": "dask"} if dask else {"backend": "loky", "inner_max_num_threads": 1}
    client = _connect(dask) if dask else None
    try:
        with parallel_config(n_jobs=workers, **backend):
            yield from Parallel(return_as="generator")(delayed(run_job)(job) for job in jobs)
    finally:
        if client:
            client.close()
        else:  # joblib's workers would wait for more, and keep our output open, for five minutes
            get_reusable_executor().shutdown(kill_workers=True)


def _connect(scheduler: str) -> Any:
    """A client of a running cluster; joblib's Dask backend then finds it."""
    try:
        from distributed import Client
    except ImportError:
        raise UserError("--dask needs the extra: pip install 'ar-assist[dask]'") from None
    try:
        return Client(scheduler, timeout=CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UserError(f"no Dask scheduler at {scheduler}: {error}") from None


def run_job(job: Job) -> Result:
    """Score one clip or log."""
    cv2.setNumThreads(1)  # the cores are shared out clip by clip
    if job.log:
        truth = load_truth(job.truth or job.log.with_suffix(".json"))
        scored = score(load_log(job.log), truth, job.name, job.tier)
        return Result(replace(scored, dead_ends=dead_ends(scored, truth)))
    truth = load_truth(job.truth) if job.truth else parse_truth(open_scene(job.source).truth)
    source = open_source(job.source)
    try:
        _check_size(truth, source)
        logs, shots = _play(source, job)
    except Exception as error:
        error.add_note(f"in the clip {job.name} ({job.source})")
        raise
    finally:
        source.close()
    _check_length(truth, source, logs[1])
    scored = score(logs[1], truth, job.name, job.tier)
    scored = replace(
        scored,
        dead_ends=dead_ends(scored, truth),
        same_boards={n: likeness(logs[1], logs[n]) for n in job.strides},
        peak_mb=_peak_mb(),
    )
    return Result(scored, tuple(_pictures(scored, shots, logs[1], truth, job.pictures)))


def _play(source: Source, job: Job) -> tuple[dict[int, list[Record]], list[bytes]]:
    """The clip's logs by stride, and its frames as JPEG where pictures are wanted.

    All strides run in step over one pass, so a scene is rendered once and no clip is held in
    memory.
    """
    feeds = zip((1, *job.strides), tee(source, 1 + len(job.strides)), strict=True)
    runs = {n: _views(EveryNth(source, feed, n), job) for n, feed in feeds}
    logs: dict[int, list[Record]] = {n: [] for n in runs}
    shots = []
    for position, view in enumerate(runs[1]):
        logs[1].append(_record(view))
        for n in job.strides:
            if position % n == 0:
                logs[n] += map(_record, islice(runs[n], 1))
        if job.pictures:
            shots.append(_jpeg(view.frame.image))
    return logs, shots


def _views(source: Source, job: Job) -> Iterator[View]:
    """The views of a clip; a single picture is looked at for as long as it takes."""
    games = tuple(GAMES.values()) if job.game == "auto" else (GAMES[job.game],)
    if job.is_picture:
        return (replay.still(frame, games) for frame in source)
    return replay.run(source, games, job.look_latency_s, THINK_LATENCY_S)


class EveryNth:
    """A source that gives every n-th frame of another."""

    def __init__(self, source: Source, frames: Iterator[Frame], n: int) -> None:
        self.name, self.size_wh, self.live = source.name, source.size_wh, source.live
        self.fps = source.fps / n
        self._frames = islice(frames, 0, None, n)

    def __iter__(self) -> Iterator[Frame]:
        return self._frames

    def close(self) -> None:
        """The source itself is closed by who opened it."""


def _record(view: View) -> Record:
    return parse_record(runlog.record(view))


def _check_size(truth: Truth, source: Source) -> None:
    """UserError where the truth is for frames of another size."""
    if truth.size_wh and truth.size_wh != source.size_wh:
        raise UserError(
            f"the truth of {source.name} does not fit: it is for {truth.size_wh} px, "
            f"the clip has {source.size_wh}"
        )


def _check_length(truth: Truth, source: Source, log: Sequence[Record]) -> None:
    """UserError where the truth is for a longer clip."""
    last = truth.frames[-1].frame
    if not log or last > log[-1].frame:
        raise UserError(
            f"the truth of {source.name} does not fit: it goes to frame {last}, "
            f"the clip has {len(log)} frames"
        )


def _jpeg(image: Image) -> bytes:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return bytes(data)


def _pictures(result: ClipScore, shots: Sequence[bytes], log: Sequence[Record], truth: Truth,
              most: int) -> Iterator[Picture]:  # fmt: skip
    """The worst frames, drawn."""
    records = {record.frame: (record, shot) for record, shot in zip(log, shots, strict=False)}
    trues = {true.frame: true for true in truth.frames}
    for frame, fault, severity in worst(result, most):
        record, shot = records[frame.frame]
        image = np.asarray(cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        drawn = _jpeg(side_by_side(image, trues[frame.frame], record))
        yield Picture(result.name, result.tier, frame.frame, fault, severity, drawn)


def _peak_mb() -> float | None:
    """Most memory that this process has held."""
    if resource is None:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT / MEGABYTE
