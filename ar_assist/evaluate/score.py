"""Score a run log against the truth of its clip. Pure: values in, values out, no pictures."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Literal

import numpy as np

from ar_assist.errors import UserError
from ar_assist.evaluate.frames import FrameScore, score_frame
from ar_assist.evaluate.truth import Record, Truth

Verdict = Literal["right", "stale", "wrong", "missing", "none"]
Stretch = tuple[FrameScore, ...]

# A hint that a move has just made illegal is stale for so long, then wrong: a viewer needs about
# as long to see that it no longer holds.
STALE_S = 0.2
# Boards are settled when they have been in view, or unchanged, for the time that the goals allow
# for a first hint and for the hint after a move.
SETTLE_IN_VIEW_S, SETTLE_UNCHANGED_S = 0.8, 0.6
# A board that goes away, or changes, sooner than this without a hint tells nothing; a longer wait
# was in vain. Both are well above what the goals allow.
PATIENCE_S, MOVE_PATIENCE_S = 2.0, 1.0
NEVER = float("inf")
# Corners nearer than this put every hint on the right tile.
PLACED_TILES = 0.5


@dataclass(frozen=True, eq=False)
class ClipScore:
    """All that the figures of one clip, or of many pooled, are made of."""

    frames: Stretch
    seconds: tuple[float, ...]  # how long each frame was on show
    verdicts: tuple[Verdict, ...]
    settled: tuple[bool, ...]
    dropped: int  # frames between the first and the last line of the log without a line
    first_hints: tuple[float, ...]  # s from each appearance of a board to its first right hint
    returns: tuple[float, ...]  # s from each reappearance until the board is placed again
    stale: tuple[float, ...]  # s that a hint outlives the move that made it illegal
    fresh: tuple[float, ...]  # s from each move to the next right hint
    changes: int  # hints that changed or went though the board stood still
    jitter: tuple[float, int]  # sum of squares (px²) and count of coordinates, mean drift removed
    name: str = ""
    tier: str = ""
    same_boards: Mapping[int, float] = field(default_factory=dict)  # stride: likeness, 0 to 1
    dead_ends: tuple[bool, ...] = ()  # of each right hint that was shown: leads to a dead end
    peak_mb: float | None = None


def score(records: Sequence[Record], truth: Truth, name: str = "", tier: str = "") -> ClipScore:
    """Hold a log against the truth.

    Frames between two lines were dropped: counted, not judged. Frames before the first line or
    after the last are judged as if nothing had been seen.
    """
    frames, dropped = _judged(records, truth)
    seen = list(_appearances(frames))
    jitters = [_jitter(stretch) for stretch in seen]
    return ClipScore(
        frames=frames,
        seconds=_on_show(frames),
        verdicts=_verdicts(frames),
        settled=_settled(frames),
        dropped=dropped,
        first_hints=tuple(s for stretch in seen for s in _wait_for_hint(stretch)),
        returns=tuple(s for stretch in seen[1:] for s in _wait_for_place(stretch)),
        stale=tuple(s for stretch in seen for s in _outlived(stretch)),
        fresh=tuple(s for stretch in seen for s in _fresh(stretch)),
        changes=sum(_changes(stretch) for stretch in seen),
        jitter=(sum(j[0] for j in jitters), sum(j[1] for j in jitters)),
        name=name,
        tier=tier,
    )


def _judged(records: Sequence[Record], truth: Truth) -> tuple[Stretch, int]:
    """The frames scored, and how many were dropped."""
    lines = {record.frame: record for record in records}
    known = {true.frame for true in truth.frames}
    strange = next((frame for frame in lines if frame not in known), None)
    if strange is not None and not truth.sparse:
        raise UserError(
            f"the truth of {truth.media or 'the clip'} does not fit: it has {len(known)} frames, "
            f"the log speaks of frame {strange}"
        )
    between = range(min(lines, default=0), max(lines, default=-1))
    dropped = {t.frame for t in truth.frames if t.frame not in lines and t.frame in between}
    judged = (true for true in truth.frames if true.frame not in dropped)
    return tuple(score_frame(lines.get(t.frame), t, truth) for t in judged), len(dropped)


def _on_show(frames: Stretch) -> tuple[float, ...]:
    """Seconds until the next frame; the last one is given the usual time."""
    if len(frames) < 2:
        return (0.0,) * len(frames)
    gaps = [after.time - before.time for before, after in pairwise(frames)]
    return (*gaps, float(np.median(gaps)))


def _appearances(frames: Stretch) -> Iterator[Stretch]:
    """The stretches of frames through which a board is in view."""
    for in_view, stretch in groupby(frames, lambda frame: frame.in_view):
        if in_view:
            yield tuple(stretch)


def _verdicts(frames: Stretch) -> tuple[Verdict, ...]:
    """What the hint on show is worth, frame by frame."""
    verdicts: list[Verdict] = []
    overtaken: float | None = None  # s, when a move made the hint on show illegal
    before: FrameScore | None = None
    for frame in frames:
        kept = before is not None and frame.hint is not None and frame.hint == before.hint
        if frame.hint_right or not kept:
            overtaken = None
        elif verdicts[-1] == "right":
            overtaken = frame.time
        verdicts.append(_verdict(frame, overtaken))
        before = frame
    return tuple(verdicts)


def _verdict(frame: FrameScore, overtaken: float | None) -> Verdict:
    if frame.hint is None or frame.cut:
        return "missing" if frame.can_hint and frame.in_view else "none"
    if frame.hint_right:
        return "right"
    is_stale = overtaken is not None and frame.time - overtaken < STALE_S
    return "stale" if is_stale else "wrong"


def _settled(frames: Stretch) -> tuple[bool, ...]:
    """Whether the board has been in view and unchanged for as long as the goals allow."""
    settled = []
    since = changed = NEVER
    before: FrameScore | None = None
    for frame in frames:
        if before is None or not before.in_view:
            since, changed = frame.time, -NEVER
        elif frame.board_id != before.board_id or not frame.still:
            changed = frame.time
        in_time = frame.time - since >= SETTLE_IN_VIEW_S
        settled.append(frame.in_view and in_time and frame.time - changed >= SETTLE_UNCHANGED_S)
        before = frame
    return tuple(settled)


def _wait(stretch: Stretch, ready: Sequence[bool], patience_s: float) -> Iterator[float]:
    """Seconds until the first frame that is ready; nothing if the stretch was too short to say."""
    for frame, is_ready in zip(stretch, ready, strict=True):
        if is_ready:
            yield frame.time - stretch[0].time
            return
    if stretch[-1].time - stretch[0].time >= patience_s:
        yield NEVER


def _wait_for_hint(stretch: Stretch, patience_s: float = PATIENCE_S) -> Iterator[float]:
    """From the first frame on which there was something to advise."""
    start = next((i for i, frame in enumerate(stretch) if frame.can_hint), None)
    if start is not None:
        rest = stretch[start:]
        yield from _wait(rest, [frame.hint_right for frame in rest], patience_s)


def _wait_for_place(stretch: Stretch) -> Iterator[float]:
    return _wait(stretch, [_is_placed(frame) for frame in stretch], PATIENCE_S)


def _is_placed(frame: FrameScore) -> bool:
    return frame.corner_tiles is not None and frame.corner_tiles < PLACED_TILES


def _boards(stretch: Stretch) -> list[Stretch]:
    """An appearance cut where the true board changes."""
    return [tuple(part) for _, part in groupby(stretch, lambda frame: frame.board_id)]


def _outlived(stretch: Stretch) -> Iterator[float]:
    """For each right hint that a move made illegal: how long it stayed."""
    for before, after in pairwise(_boards(stretch)):
        last, first = before[-1], after[0]
        if not last.hint_right or (first.hint == last.hint and first.hint_right):
            continue
        rest = [frame for frame in stretch if frame.time >= first.time]
        gone = next((frame.time for frame in rest if frame.hint != last.hint), rest[-1].time)
        yield gone - first.time


def _fresh(stretch: Stretch) -> Iterator[float]:
    """For each move: from the moment that the board stands still again to the next right hint."""
    for part in _boards(stretch)[1:]:
        start = next((i for i, frame in enumerate(part) if frame.still), None)
        if start is not None:
            yield from _wait_for_hint(part[start:], MOVE_PATIENCE_S)


def _changes(stretch: Stretch) -> int:
    """Hints that turned into another or went while the board stood still."""
    return sum(
        before.hint is not None and after.hint != before.hint
        for before, after in pairwise(stretch)
        if before.board_id == after.board_id and before.still and after.still
    )


def _jitter(stretch: Stretch) -> tuple[float, int]:
    """Sum of squares and count of the drawn corners' deviations, their mean removed."""
    drifts = [f.drift for f in stretch if f.drift is not None and _is_placed(f)]
    if len(drifts) < 2:
        return 0.0, 0
    off = np.stack(drifts).astype(np.float64)
    return float(((off - off.mean(0)) ** 2).sum()), off.size


def boards_seen(records: Sequence[Record]) -> list[tuple[tuple[int, ...], ...]]:
    """The boards of a log in order, each once in a row, labels numbered as they come."""
    boards = [_numbered(r.board.cells) for r in records if r.board and r.board.cells]
    return [board for board, _ in groupby(boards)]


def _numbered(cells: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Kinds renamed 1, 2, … in reading order; what is no tile stays."""
    names: dict[int, int] = {}
    return tuple(
        tuple(v if v <= 0 else names.setdefault(v, len(names) + 1) for v in row) for row in cells
    )


def likeness(one: Sequence[Record], other: Sequence[Record]) -> float:
    """How alike the lists of boards of two logs are: 1 the same, 0 nothing in common."""
    first, second = boards_seen(one), boards_seen(other)
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
