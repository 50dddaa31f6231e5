"""When a hint is on the picture, and what is said where none is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pytest
from toy import (
    AFTER,
    FPS,
    HINT,
    SLOW,
    START,
    ToyBoard,
    ToyGame,
    ToySource,
    over_cell,
    plane_at,
    shown,
)

from ar_assist.types import Advice, Plane


def test_the_hint_comes_at_once_and_stays_on_the_board(play):
    source = ToySource(lambda t: START, 2.0)
    views = play(source)
    assert all(view.state == "locked" and shown(view) == HINT for view in views)
    errors = [
        np.abs(v.plane.to_frame(v.reading.corners) - source.corners(v.frame.index)).max()
        for v in views
    ]
    assert max(errors) < 1.0


def test_late_answers_land_where_the_board_is_now(play):
    source = ToySource(lambda t: START, 1.5)
    views = play(source, look_latency_s=0.3, think_latency_s=0.2)
    states = [view.state for view in views]
    assert states[0] == "searching"
    first = next(view for view in views if shown(view))
    assert 0.45 <= first.frame.time <= 0.65
    corners = first.plane.to_frame(first.reading.corners)
    assert np.abs(corners - source.corners(first.frame.index)).max() < 1.0
    assert first.age == pytest.approx(first.frame.time, abs=1 / FPS)


def test_a_move_takes_the_hint_away_at_once_and_brings_the_next(play):
    views = play(ToySource(lambda t: START if t < 0.5 else AFTER, 1.5), look_latency_s=0.1)
    moved = round(0.5 * FPS)
    assert shown(views[moved - 1]) == HINT
    assert all(shown(view) != HINT for view in views[moved:])
    assert shown(views[moved]) is None
    assert "again" in views[moved].reason
    again = next(view for view in views[moved:] if shown(view))
    assert again.frame.time < 0.5 + 0.3
    assert again.reading.board == AFTER


def test_an_answer_for_another_board_is_never_shown(play):
    """The solver is slow, so that its answers come when the board has moved on."""
    boards = [START]
    for _ in range(4):
        boards.append(ToyGame().play(boards[-1], ToyGame().advise([boards[-1]]).moves[0]))

    def board_at(t: float) -> ToyBoard:
        return boards[min(int(t / 0.3), len(boards) - 1)]

    views = play(ToySource(board_at, 2.0), think_latency_s=0.25)
    for view in views:
        if shown(view):
            assert shown(view) in ToyGame().advise([board_at(view.frame.time)]).moves
    assert shown(views[-1])


def test_a_hand_elsewhere_hides_nothing(play):
    views = play(
        ToySource(lambda t: START, 1.2, hand=lambda t: over_cell(3, 2) if t > 0.6 else None)
    )
    assert all(shown(view) == HINT for view in views)
    assert all(view.reading.board == START for view in views if view.frame.time < 0.8)


def test_any_change_ends_a_hint_of_an_atomic_game(play):
    """Which moves are legal rests on all discs, not on those beside the rings."""
    elsewhere = START.put({(3, 2): 0, (2, 5): 0})
    source = ToySource(lambda t: START if t < 1.0 else elsewhere, 1.5)
    views = play(source, ToyGame(is_atomic=True), look_latency_s=0.3)
    shown = {view.frame.time: view.reading.board for view in views if view.marks}
    assert START in shown.values()
    assert all(board == elsewhere for time, board in shown.items() if time >= 1.0)


@pytest.mark.parametrize("slides", [False, True])
def test_a_change_beside_the_hint_hides_it_where_tiles_slide(play, slides: bool):
    source = ToySource(lambda t: START, 0.8, hand=lambda t: over_cell(0, 1) if t > 0.6 else None)
    views = play(source, ToyGame(slides=slides), look_latency_s=0.1)
    assert shown(views[round(0.6 * FPS) - 1]) == HINT
    after = {shown(view) for view in views[round(0.6 * FPS) + 1 :]}
    assert (HINT in after) != slides


def test_a_hand_on_the_hint_hides_it(play):
    views = play(
        ToySource(lambda t: START, 0.8, hand=lambda t: over_cell(0, 0) if t > 0.6 else None),
        look_latency_s=0.1,
    )
    assert shown(views[round(0.6 * FPS) - 1]) == HINT
    assert all(shown(view) != HINT for view in views[round(0.6 * FPS) + 1 :])


class Blind(ToyGame):
    """Reads no board of which something is hidden."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        return None if reading is None or not reading.cells.all() else reading


class OneMove(Blind):
    """Advises no second one."""

    def advise(self, history, reading=None):
        advice = super().advise(history, reading)
        return replace(advice, moves=advice.moves[:1])


def test_what_is_said_in_place_of_a_hint_is_not_said_of_a_board_that_changes(play):
    """That no pair is left rests on every cell: a shuffle may be under way."""
    odd = ToyBoard(((1, 2, 3, 4, 5, 6), *((0,) * 6,) * 3))
    dealt = ToyBoard(((6, 5, 1, 2, 3, 4), *((0,) * 6,) * 3))
    views = play(ToySource(lambda t: odd if t < 1 else dealt, 1.6), look_latency_s=0.4)
    said = [(view.frame.time, view.reason) for view in views]
    assert {why for time, why in said if 0.6 < time < 0.95} == {"no pair is left"}
    assert not any(why == "no pair is left" for time, why in said if 1.05 < time < 1.35)
    assert said[-1][1] == "no pair is left"


@dataclass(frozen=True)
class Ended(ToyGame):
    """Has no move to show."""

    status: Literal["no move", "solved"] = "no move"

    def advise(self, history, reading=None):
        return Advice((), self.status, "that's all")


@pytest.mark.parametrize("status", ["no move", "solved"])
def test_that_a_board_is_solved_stays_true_whatever_comes_over_it(play, status: str):
    """A game that ends says so in a box over what was the board."""
    box = ToySource(lambda t: START, 1.5, hand=lambda t: over_cell(0, 0) if t > 1 else None)
    said = [view.reason for view in play(box, Ended(status=status), look_latency_s=0.1)]
    assert "that's all" in said
    assert (said[-1] == "that's all") == (status == "solved")


def test_a_hand_that_stays_is_told_from_a_move(play):
    """Looks have seen what a move made, but not what a hand hides."""
    moves, hides = "something moves, reading again", "a hand or something else is in the way"
    hand = ToySource(lambda t: START, 2.9, lambda t: over_cell(0, 0) if t > 2 else None, fps=SLOW)
    said = [view.reason for view in play(hand, OneMove(), look_latency_s=0.1)]
    assert set(said[round(2.1 * SLOW) :]) == {moves, hides}
    assert said[-1] == hides
    for look_s in (0.1, 1.0):
        moved = ToySource(lambda t: START if t < 2 else AFTER, 6.0, fps=SLOW)
        said = [view.reason for view in play(moved, look_latency_s=look_s)]
        assert moves in said and hides not in said and not said[-1]


def test_a_hint_under_a_hand_that_stays_gives_way_to_one_elsewhere(play):
    hand = ToySource(lambda t: START, 2.9, lambda t: over_cell(0, 0) if t > 1 else None, fps=SLOW)
    views = play(hand, Blind(), look_latency_s=0.1)
    assert HINT.a == (0, 0)
    hidden = [v for v in views if v.frame.time > 1 and shown(v) is None]
    assert hidden and hidden[-1].frame.time < 2
    later = [shown(v) for v in views if v.frame.time > hidden[-1].frame.time]
    assert len(set(later)) == 1
    assert later[0] in views[-1].advice.moves[1:]
    assert (0, 0) not in (later[0].a, later[0].b)


def test_a_hand_that_stays_is_told_by_a_camera_that_is_slow_in_the_dark(play):
    """Its frames are further apart than a touch lasts."""
    hand = ToySource(lambda t: START, 4.5, hand=lambda t: over_cell(0, 0) if 2 < t < 2.9 else None)
    said = {v.frame.time: v.reason for v in play(hand, OneMove(), look_latency_s=0.1, stride=4)}
    assert "a hand or something else is in the way" in said.values()
    assert not any(reason for time, reason in said.items() if time > 3.2)


def test_a_hint_that_was_hidden_comes_back_when_its_cells_are_calm(play):
    """A hand that shakes at the edge of a tile, or noise while a tile begins to fade."""

    def hand(t: float) -> np.ndarray | None:
        return over_cell(0, 0) if 0.5 < t < 0.7 and round(t * FPS) % 2 else None

    views = play(ToySource(lambda t: START, 1.2, hand=hand), look_latency_s=0.4)
    assert all(shown(view) == HINT for view in views if 0.45 < view.frame.time < 0.5)
    assert not any(shown(view) == HINT for view in views if 0.55 < view.frame.time < 0.7)
    assert all(shown(view) == HINT for view in views if view.frame.time > 0.9)


@pytest.mark.parametrize("why", ["back", "dealt", ""])
def test_a_hint_is_not_to_rest_on_a_cell_that_has_begun_to_change_as_others_move(play, why: str):
    """Tiles that fly together pass for a camera that moves. A bit of a cell that is covered by
    itself is no change."""
    dealt = START.with_cells([*START.cells[:2], (2, 4, 6, 1, 4, 6), (1, 3, 5, 2, 3, 5)])

    def board(time: float) -> ToyBoard | None:
        if time < 0.8:
            return None if why == "back" and time >= 0.5 else START
        return dealt if why == "dealt" else START

    def bit(time: float) -> np.ndarray | None:
        corners = over_cell(0, 0, around=0.0)
        part = corners[0] + 0.5 * (corners - corners[0])
        return part if time >= 0.8 else None

    views = play(ToySource(board, 0.85, hand=bit), look_latency_s=0.2)
    (first,) = [view for view in views if view.frame.index == round(0.8 * FPS)]
    assert any(shown(view) == HINT for view in views)
    assert first.state == "locked"
    assert (shown(first) == HINT) == (not why)


def test_no_hint_rests_on_an_unlikely_reading(play):
    views = play(ToySource(lambda t: START, 0.3), ToyGame(confidence=0.6))
    assert views[-1].reading.board == START
    assert all(shown(view) is None for view in views)
    assert views[-1].reason == "not sure of the reading"


def test_small_cells_are_said_to_be_small_where_the_reading_is_unlikely(play):
    def far(time: float) -> Plane:
        middle = np.array(
            [[0.35, 0, 0.65 * 320], [0, 0.35, 0.65 * 240], [0, 0, 1]]
        )  # cells of 17 px
        return replace(plane_at(time), frame_from_plane=middle @ plane_at(time).frame_from_plane)

    reasons = {}
    for confidence in (0.3, 0.6, 0.95):
        views = play(ToySource(lambda t: START, 0.3, plane=far), ToyGame(confidence=confidence))
        reasons[confidence] = views[-1].reason
    near = "not sure of the reading: the cells are small, come nearer"
    assert reasons == {0.3: near, 0.6: near, 0.95: ""}
