"""The figures: what each is called, what it means, and how clips are pooled into it.

`docs/evaluation.md` explains each in a sentence with its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

import numpy as np

from ar_assist.evaluate.frames import FrameScore
from ar_assist.evaluate.score import ClipScore, Verdict

Clips = Sequence[ClipScore]
Figures = dict[str, float | None]  # None: does not apply; inf: never

# A tile smeared by more than a third of itself cannot be told from its like (goal of the tiers).
READABLE_BLUR_TILES = 1 / 3
# Belief is finest where it matters, near 1.
BELIEF_EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    group: str
    name: str
    unit: str
    better: Literal[1, -1]  # 1: more is better
    slack: float  # a difference below this is noise even where repeats show none
    of: Callable[[Clips], float | None]


def figures(clips: Clips) -> Figures:
    """All figures of some clips pooled."""
    return {figure.name: figure.of(clips) for figure in FIGURES}


def _mean(values: Iterable[float | bool | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _percentile(share: float) -> Callable[[Iterable[float | None]], float | None]:
    def percentile(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        # "higher" keeps to values that occurred: between a time and never there is no middle.
        return float(np.percentile(known, share, method="higher")) if known else None

    return percentile


_median, _p95, _p99 = _percentile(50), _percentile(95), _percentile(99)


def _frames(clips: Clips) -> Iterable[FrameScore]:
    return chain.from_iterable(clip.frames for clip in clips)


def _boards(clips: Clips) -> Iterable[FrameScore]:
    """Frames with the whole board in view."""
    return (frame for frame in _frames(clips) if frame.in_view)


def is_clear(frame: FrameScore) -> bool:
    """Whether a reader could be asked to read it: in view, still, hardly blurred."""
    return frame.in_view and frame.still and (frame.blur_tiles or 0) < READABLE_BLUR_TILES


def _clear(clips: Clips) -> Iterable[FrameScore]:
    return filter(is_clear, _frames(clips))


def _settled(clips: Clips) -> Iterable[FrameScore]:
    pairs = chain.from_iterable(zip(c.frames, c.settled, strict=True) for c in clips)
    return (frame for frame, settled in pairs if settled and is_clear(frame))


def _share(clips: Clips, verdict: Verdict, among: Sequence[Verdict]) -> float | None:
    verdicts = [v for clip in clips for v in clip.verdicts if v in among]
    return verdicts.count(verdict) / len(verdicts) if verdicts else None


def _per_minute(clips: Clips, verdict: Verdict) -> float | None:
    """Seconds per minute that frames with this verdict were on show."""
    total = sum(sum(clip.seconds) for clip in clips)
    pairs = chain.from_iterable(zip(clip.verdicts, clip.seconds, strict=True) for clip in clips)
    return 60 * sum(s for v, s in pairs if v == verdict) / total if total else None


def _changes(clips: Clips) -> float | None:
    pairs = chain.from_iterable(zip(clip.frames, clip.seconds, strict=True) for clip in clips)
    minutes = sum(s for frame, s in pairs if frame.in_view) / 60
    return sum(clip.changes for clip in clips) / minutes if minutes else None


def _sigma(clips: Clips) -> float | None:
    count = sum(clip.jitter[1] for clip in clips)
    return float(np.sqrt(sum(clip.jitter[0] for clip in clips) / count)) if count else None


def _off(frame: FrameScore) -> float | None:
    return frame.corner_tiles


def _exact(frame: FrameScore) -> bool:
    return frame.exact


def _wrong(frame: FrameScore) -> float | None:
    return frame.wrong_cells


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _same_boards(clips: Clips) -> float | None:
    return _mean(chain.from_iterable(clip.same_boards.values() for clip in clips))


@dataclass(frozen=True)
class Belief:
    """One bar of a reliability diagram."""

    low: float
    high: float
    believed: float  # mean confidence
    right: float  # share
    count: int


def reliability(frames: Iterable[FrameScore]) -> list[Belief]:
    """Of the hints shown at a confidence, the share that is right, in bins of confidence.

    DeGroot and Fienberg, The comparison and evaluation of forecasters, 1983.
    """
    shown = [frame for frame in frames if frame.hint is not None]
    confidence = np.array([frame.confidence for frame in shown])
    right = np.array([frame.hint_right for frame in shown], bool)
    bins = np.digitize(confidence, BELIEF_EDGES[1:-1])
    return [
        Belief(
            low,
            high,
            float(confidence[bins == i].mean()),
            float(right[bins == i].mean()),
            int((bins == i).sum()),
        )
        for i, (low, high) in enumerate(pairwise(BELIEF_EDGES))
        if (bins == i).any()
    ]


def _calibration(clips: Clips) -> float | None:
    """Expected calibration error: the mean gap between belief and truth, over shown hints."""
    bars = reliability(_frames(clips))
    total = sum(bar.count for bar in bars)
    return sum(abs(bar.believed - bar.right) * bar.count for bar in bars) / total if bars else None


def _all(pick: Callable[[ClipScore], Iterable[float]]) -> Callable[[Clips], Iterable[float]]:
    return lambda clips: chain.from_iterable(pick(clip) for clip in clips)


_firsts, _returns = _all(lambda clip: clip.first_hints), _all(lambda clip: clip.returns)
_dead_ends = _all(lambda clip: clip.dead_ends)
_stale, _fresh = _all(lambda clip: clip.stale), _all(lambda clip: clip.fresh)
SHOWN: tuple[Verdict, ...] = ("right", "stale", "wrong")
WANTED: tuple[Verdict, ...] = ("right", "stale", "wrong", "missing")

FIGURES: tuple[Figure, ...] = (
    Figure("find", "screen_iou", "", 1, 0.005, lambda c: _mean(f.screen_iou for f in _frames(c))),
    Figure("find", "board_iou", "", 1, 0.005, lambda c: _mean(f.board_iou for f in _boards(c))),
    Figure("find", "corner_p50", "tiles", -1, 0.01, lambda c: _median(map(_off, _boards(c)))),
    Figure("find", "corner_p95", "tiles", -1, 0.03, lambda c: _p95(map(_off, _boards(c)))),
    Figure("find", "shape", "share", 1, 0.01, lambda c: _mean(f.shape for f in _boards(c))),
    Figure("find", "false_lock", "share", -1, 0, lambda c: _mean(f.false_lock for f in _frames(c))),
    Figure("find", "return_p50", "s", -1, 0.1, lambda c: _median(_returns(c))),
    Figure("find", "return_p95", "s", -1, 0.2, lambda c: _p95(_returns(c))),
    Figure("read", "exact", "share", 1, 0.01, lambda c: _mean(f.exact for f in _clear(c))),
    Figure("read", "exact_settled", "share", 1, 0.01, lambda c: _mean(map(_exact, _settled(c)))),
    Figure("read", "wrong_cells", "share", -1, 0.002, lambda c: _mean(map(_wrong, _clear(c)))),
    Figure("advise", "hint_right", "share", 1, 0.01, lambda c: _share(c, "right", WANTED)),
    Figure("advise", "hint_missing", "share", -1, 0.01, lambda c: _share(c, "missing", WANTED)),
    Figure("advise", "hint_wrong", "share", -1, 0.001, lambda c: _share(c, "wrong", SHOWN)),
    Figure("advise", "hint_stale", "share", -1, 0.005, lambda c: _share(c, "stale", SHOWN)),
    Figure("advise", "right_s", "s/min", 1, 1.0, lambda c: _per_minute(c, "right")),
    Figure("advise", "missing_s", "s/min", -1, 1.0, lambda c: _per_minute(c, "missing")),
    Figure("advise", "wrong_s", "s/min", -1, 0.1, lambda c: _per_minute(c, "wrong")),
    Figure("advise", "stale_s", "s/min", -1, 0.2, lambda c: _per_minute(c, "stale")),
    Figure("advise", "first_hint_p50", "s", -1, 0.1, lambda c: _median(_firsts(c))),
    Figure("advise", "first_hint_p95", "s", -1, 0.2, lambda c: _p95(_firsts(c))),
    Figure("advise", "outlived_p50", "s", -1, 0.07, lambda c: _median(_stale(c))),
    Figure("advise", "outlived_p95", "s", -1, 0.1, lambda c: _p95(_stale(c))),
    Figure("advise", "new_hint_p50", "s", -1, 0.1, lambda c: _median(_fresh(c))),
    Figure("advise", "new_hint_p95", "s", -1, 0.2, lambda c: _p95(_fresh(c))),
    Figure("advise", "hint_changes", "/min", -1, 1.0, _changes),
    Figure("advise", "dead_end", "share", -1, 0.005, lambda c: _mean(_dead_ends(c))),
    Figure("advise", "calibration", "", -1, 0.01, _calibration),
    Figure("steady", "sigma", "px", -1, 0.05, _sigma),
    Figure("robust", "same_boards", "", 1, 0.02, _same_boards),
    Figure("cost", "step_p50", "ms", -1, 1.0, lambda c: _median(f.ms for f in _frames(c))),
    Figure("cost", "step_p95", "ms", -1, 2.0, lambda c: _p95(f.ms for f in _frames(c))),
    Figure("cost", "step_p99", "ms", -1, 4.0, lambda c: _p99(f.ms for f in _frames(c))),
    Figure("cost", "look_p50", "ms", -1, 10.0, lambda c: _median(f.look_ms for f in _frames(c))),
    Figure("cost", "look_p95", "ms", -1, 20.0, lambda c: _p95(f.look_ms for f in _frames(c))),
    Figure("cost", "look_p99", "ms", -1, 40.0, lambda c: _p99(f.look_ms for f in _frames(c))),
    Figure("cost", "dropped", "frames", -1, 0, lambda c: float(sum(clip.dropped for clip in c))),
    Figure("cost", "peak_mb", "MB", -1, 100.0, lambda c: _most(clip.peak_mb for clip in c)),
)
