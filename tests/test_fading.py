"""Tiles that fade, or are lit for a while: what they looked like, and when they are gone."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from toy import AFTER, FPS, HINT, START, ToyBoard, ToySource, grey, shown, sight_of

from ar_assist import change, replay
from ar_assist.belief import Belief
from ar_assist.types import Frame


def test_a_pair_that_is_read_doubtfully_as_it_fades_is_soon_believed_to_be_gone():
    """Half faded it is no picture of what is believed: what becomes of it hardly differs."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    fading = START.put({(r, c): 7 + i for i, (r, c) in enumerate(np.argwhere(gone).tolist())})
    tiles, ground = (grey(board).astype(float) for board in (START, AFTER))
    there, faded, away = (((1 - share) * tiles + share * ground) for share in (0, 0.3, 0.6))
    for time, board, seen in (
        (0.0, START, there),
        (1.5, START, there),
        (2.0, fading, faded),
        (2.5, AFTER, away),
        (2.8, AFTER, away),
    ):
        sight = sight_of(board)
        doubtful = np.where(gone & (board == fading), 0.3, 1).astype(np.float32)
        sight = replace(sight, reading=replace(sight.reading, certainty=doubtful))
        belief.hear(sight, time, seen.astype(np.uint8), np.eye(3))
        if board == fading:
            assert belief.reading.board == START
    assert belief.reading.board == AFTER


def _changed(read: change.Reference, now: np.ndarray) -> np.ndarray:
    return change.Compared(read, now).changed()


def test_a_cell_that_is_empty_looks_as_it_did_last_though_its_tile_was_still_fading():
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (grey(board).astype(float) for board in (START, AFTER))
    for time, board, share in ((0.0, START, 0), (0.5, AFTER, 0.3), (0.7, AFTER, 1)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(sight_of(board, gone), time, seen, np.eye(3))
    now = change.cells(grey(AFTER), np.eye(3), belief.reading)
    assert not _changed(belief.reference, now).any()


def test_a_pale_pair_that_a_look_saw_begin_to_fade_is_seen_to_go():
    """It differs from the ground by half a board's contrast, and from what the look saw by less."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((0.0, 0), (1.5, 0), (1.6, 0.2)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(sight_of(START, gone), time, seen, np.eye(3))
    away = change.cells((0.5 * tiles + 0.5 * ground).astype(np.uint8), np.eye(3), belief.reading)
    assert _changed(belief.reference, away)[gone].all()


def test_a_tile_that_is_lit_now_so_now_so_keeps_no_old_picture_for_long():
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((-2.0, 0), (0.0, 0), (0.15, 0.3), (0.3, 0.6), (0.45, 0.3), (0.6, 0.6)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(sight_of(START, gone), time, seen, np.eye(3))
        if share == 0:
            first = belief.reference
        assert _changed(first, belief.reference.picture)[gone].all() == (time > 0.5)


def test_a_tile_that_was_read_on_its_way_is_soon_seen_as_it_looks_at_its_place():
    came_to, came_from = (tuple(cell) for cell in np.argwhere(np.array(AFTER.cells) == 0)[:2])
    before = START.put({came_to: 0})
    after = START.put({came_to: START.cells[came_from[0]][came_from[1]], came_from: 0})
    moved = np.array(before.cells) != after.cells
    belief, pictures = Belief(), [grey(board).astype(float) for board in (before, after)]
    for time, share in ((0.0, 0.0), (1.0, 0.5), (1.15, 1.0)):
        seen = ((1 - share) * pictures[0] + share * pictures[1]).astype(np.uint8)
        belief.hear(sight_of(after if share else before, moved), time, seen, np.eye(3))
        assert belief.reading.board == (after if share else before)
    assert not _changed(belief.reference, change.cells(seen, np.eye(3), belief.reading)).any()


@pytest.mark.parametrize("fades", [False, True])
def test_a_tile_that_was_only_marked_is_soon_seen_as_it_looks_now(fades: bool):
    """One that fades is still read, but is no picture of a board at rest."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((-2.0, 0), (0.0, 0), (0.15, 0.5), (0.3, 0.75 if fades else 0.5)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(sight_of(START, gone), time, seen, np.eye(3))
    now = change.cells(seen, np.eye(3), belief.reading)
    changed = _changed(belief.reference, now)
    assert changed[gone].all() == fades
    assert changed.any() == fades


class Fading(ToySource):
    """From 1 s to 1.5 s the first pair fades away."""

    def __init__(self) -> None:
        super().__init__(lambda t: START, 2.5)

    def frame(self, index: int) -> Frame:
        share = float(np.clip((index / FPS - 1.0) / 0.5, 0, 1))
        still, gone = (self._showing(board, index) for board in (START, AFTER))
        image = cv2.addWeighted(still.image, 1 - share, gone.image, share, 0)
        return self.kept(replace(still, image=image))

    def _showing(self, board: ToyBoard, index: int) -> Frame:
        self.board_at = lambda t: board
        return super().frame(index)


@pytest.mark.parametrize("latency_s", [0.03, 0.1, 0.17, 0.33])
def test_a_hint_on_tiles_that_fade_does_not_come_back(play, latency_s: float):
    """Whatever a look at the board that is followed takes."""
    views = play(Fading(), look_latency_s=latency_s / replay.FOLLOWING)
    hidden = next(view.frame.index for view in views if view.frame.time > 1.0 and not view.marks)
    assert hidden < 1.5 * FPS
    assert all(shown(view) != HINT for view in views[hidden:])
    assert shown(views[-1])
