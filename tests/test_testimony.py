"""What is believed of each cell, and how surely, by what looks said of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from toy import (
    AFTER,
    COLS,
    FPS,
    HINT,
    LATTICE,
    PLANE_WH,
    PX,
    ROWS,
    SLOW,
    START,
    Misreader,
    ToyGame,
    ToySource,
    grey,
    screen_picture,
    shown,
    sight_of,
)

from ar_assist.belief import Belief
from ar_assist.look import Sight
from ar_assist.types import Plane, Reading


@pytest.mark.parametrize(("first", "wait"), [(3, 0.5), (6, 0.9)])
def test_readings_that_contradict_the_view_hide_the_hint_and_lead_only_after_long(
    play, first: int, wait: float
):
    """As long as looks had confirmed what they contradict, up to a second."""
    views = play(
        ToySource(lambda t: START, 3.0 + wait, fps=SLOW), Misreader(errs=lambda look: look >= first)
    )
    other = START.put({(0, 0): 2})
    first_doubt = next(v.frame.time for v in views if v.advice is None and v.reading)
    led = next(v.frame.time for v in views if v.reading.board == other)
    assert wait - 0.01 <= led - first_doubt <= wait + 0.2
    doubtful = [v for v in views if first_doubt <= v.frame.time < led]
    assert all(shown(v) is None and "disagree" in v.reason for v in doubtful)


def test_what_one_look_alone_had_said_gives_way_to_the_two_after_it(play):
    views = play(ToySource(lambda t: START, 2.0), Misreader(errs=lambda look: look >= 2))
    other = START.put({(0, 0): 2})
    led = next(v for v in views if v.reading.board == other)
    assert 0.4 <= led.frame.time <= 0.7
    # for some time no hint rests on what looks disagreed about
    assert led.reading.certainty[0, 0] < 0.5


@dataclass(frozen=True)
class _Doubter(Misreader):
    """It is not sure of that."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        if reading is None or reading.board == START:
            return reading
        return replace(reading, certainty=np.where(reading.cells != START.cells, 0.3, 1.0))


def test_looks_that_doubt_what_is_believed_are_heard_if_they_go_on(play):
    views = play(ToySource(lambda t: START, 3.0, fps=SLOW), _Doubter())
    other = START.put({(0, 0): 2})
    led = next(v for v in views if v.reading.board == other)
    assert led.frame.time >= 1.0
    assert led.reading.certainty[0, 0] == pytest.approx(0.3)
    assert all("disagree" not in v.reason for v in views)  # each of them says little


@dataclass(frozen=True)
class _Flickering(ToyGame):
    """Reads some cells as another kind in every look: of a large board there is always one."""

    cells: tuple[tuple[int, int], ...] = ((2, 3), (3, 1))
    certainty: float = 1.0
    looks: list[int] = field(default_factory=list, compare=False)

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if reading is None:
            return None
        certainty = reading.certainty.copy()
        cell = self.cells[len(self.looks) % len(self.cells)]
        kind = 1 + (reading.board.cells[cell[0]][cell[1]] + len(self.looks)) % 6
        if len(self.looks) == 1:
            return reading
        certainty[cell] = self.certainty
        return replace(reading, board=reading.board.put({cell: kind}), certainty=certainty)


def test_a_move_is_believed_though_other_cells_are_read_anew_each_time(play):
    views = play(ToySource(lambda t: START if t < 0.5 else AFTER, 1.2), _Flickering())
    assert {view.reading.board for view in views} == {START, AFTER}
    assert next(v.frame.time for v in views if v.reading.board == AFTER) <= 0.5 + 2.5 / FPS


def test_cells_that_looks_contradict_are_doubted_unless_those_looks_are_unsure(play):
    for certainty, doubted in ((1.0, True), (0.3, False)):
        views = play(ToySource(lambda t: START, 1.5), _Flickering(certainty=certainty))
        assert all(view.reading.board == START for view in views)
        worst = [min(v.reading.certainty[2, 3], v.reading.certainty[3, 1]) for v in views]
        assert (min(worst) <= 0.2) == doubted
        assert all(view.reading.certainty[0, 0] == 1 for view in views)


@pytest.mark.parametrize("goes", [True, False])
def test_a_line_that_a_game_draws_through_cells_as_a_pair_goes_leaves_no_doubt(goes: bool):
    belief, certainties = Belief(), []
    gone = np.array(START.cells) != AFTER.cells
    on_line = START.put({(2, 3): 7, (3, 1): 7})  # too thin to be seen to change
    after = AFTER if goes else START
    for time, board, shown_board in (
        (0.0, START, START),
        (0.5, on_line, START),
        (0.9, after, after),
    ):
        belief.hear(sight_of(board, gone), time, grey(shown_board), np.eye(3))
        certainties.append(belief.reading.certainty[2, 3])
    assert belief.reading.board == after
    assert certainties == pytest.approx([1.0, 0.2, 1.0 if goes else 0.2])


@pytest.mark.parametrize("goes", [True, False])
def test_a_line_that_is_still_on_view_when_the_pair_is_gone_leaves_no_doubt_for_long(goes: bool):
    belief, certainties = Belief(), []
    gone = np.array(START.cells) != AFTER.cells
    after = AFTER if goes else START
    line = {(2, 3): 7, (3, 1): 7}
    for time, board, shown_board in (
        (-2.0, START, START),
        (0.0, START, START),
        (0.3, START.put(line), START),
        (0.5, after.put(line), after),
        (0.7, after.put(line), after),
        (0.9, after, after),
        (1.2, after, after),
    ):
        belief.hear(sight_of(board, gone), time, grey(shown_board), np.eye(3))
        certainties.append(belief.reading.certainty[2, 3])
    assert belief.reading.board == after
    assert certainties == pytest.approx([1.0, 1.0, *[0.2] * 4, 1.0 if goes else 0.2])


@pytest.mark.parametrize("goes", [True, False])
def test_looks_that_a_line_made_doubt_a_cell_say_nothing_of_it_once_the_pair_is_gone(goes: bool):
    """Such a look is not sure enough to contradict, but cells are as sure as most looks are."""
    belief, certainties = Belief(), []
    gone = np.array(START.cells) != AFTER.cells
    after = AFTER if goes else START
    looks = ((-2.0, START), (0.0, START), (0.2, None), (0.4, None), (0.6, after))
    for time, board in looks:
        sight = sight_of(board or START.put({(2, 3): 7}), gone)
        if board is None:
            doubtful = np.ones((ROWS, COLS), np.float32)
            doubtful[2, 3] = 0.3
            sight = replace(sight, reading=replace(sight.reading, certainty=doubtful))
        belief.hear(sight, time, grey(board or START), np.eye(3))
        certainties.append(belief.reading.certainty[2, 3])
    assert certainties == pytest.approx([1.0, 1.0, 1.0, 0.3, 1.0 if goes else 0.3])


@pytest.mark.parametrize("blurs", [False, True])
@pytest.mark.parametrize("is_shown", [True, False])
def test_tiles_that_went_without_a_move_are_doubted_and_there_at_once_if_they_look_as_before(
    is_shown: bool, blurs: bool
):
    """A message lay over them, and over all of their kinds; or there are others now. It may go in
    a blur, which a look takes for quite another board."""
    belief, believed, sure = Belief(), [], []
    under = [(1, c) for c in range(COLS)]
    none = START.put(dict.fromkeys(under, 0))
    kinds = {
        cell: 90 + START.cells[cell[0]][cell[1]] for cell in under
    }  # by names that the board does not hold
    message, later = grey(START), grey(START)
    for r, c in under:
        (x, y), _, (right, bottom), _ = LATTICE.quads()[r, c].astype(int)
        message[y:bottom, x:right] = 255
        if not is_shown:
            later[y:bottom, x:right] = message[y:bottom, x:right][::-1] // 2
    looks = [(-1.0, START, grey(START)), (0.0, START, grey(START))]
    looks += [(0.1 + t / 10, none, message) for t in range(5)]
    if blurs:
        strange = START.with_cells(np.array(START.cells)[::-1] + 80)
        looks += [(0.6, strange, cv2.GaussianBlur(message, (0, 0), PX / 8))]
    looks += [(0.7, START.put(kinds), later), (0.8, START.put(kinds), later)]
    for time, board, seen in looks:
        belief.hear(sight_of(board), time, seen, np.eye(3))
        believed.append(belief.reading.board)
        sure.append(max(belief.reading.certainty[cell] for cell in under))
    assert believed[1] == START
    assert set(believed[6:-1]) == {none}
    assert max(sure[6:-1]) <= 0.2
    assert believed[-1] == (START.put(kinds) if is_shown else none)
    assert sure[-1] > 0.9 if is_shown else sure[-1] <= 0.2


@pytest.mark.parametrize(("certainty", "led_after"), [(1.0, 0.4), (0.7, None)])
def test_a_tile_is_not_believed_gone_while_it_may_be_covered(
    certainty: float, led_after: float | None
) -> None:
    """Bare skin over a tile passes for an empty cell, but not surely."""
    belief, covered = Belief(), HINT.a
    certainties = np.ones((ROWS, COLS), np.float32)
    certainties[covered] = certainty
    read = START.put({covered: 0})
    belief.hear(sight_of(START), 0.0, grey(START), np.eye(3))
    led = None
    for time in np.arange(0.5, 7.0, 0.2):
        sight = sight_of(read)
        sight = replace(sight, reading=replace(sight.reading, certainty=certainties))
        belief.hear(sight, time, grey(read), np.eye(3))
        if led is None and belief.reading.board == read:
            led = time - 0.5
    assert led == (led_after and pytest.approx(led_after))


@pytest.mark.parametrize("is_pair", [True, False])
def test_a_pair_of_which_one_tile_was_seen_to_go_before_the_other_was_a_move(is_pair: bool):
    """A hand let a tile be seen to go, then the other one, so that no look saw a move."""
    belief, certainties = Belief(), []
    first, second = HINT.a, HINT.b if is_pair else (1, 4)
    boards = [START] * 2 + [START.put({first: 0})] * 4 + [START.put({first: 0, second: 0})] * 4
    for number, board in enumerate(boards):
        belief.hear(sight_of(board), number / 5, grey(board), np.eye(3))
        certainties.append(belief.reading.certainty[first])
    assert belief.reading.board == boards[-1]
    assert certainties[5] <= 0.2
    assert certainties[-1] > 0.9 if is_pair else certainties[-1] <= 0.2


@pytest.mark.parametrize("luck", [0.9, 0.3])  # certainty in every third look; else the other
def test_a_cell_is_as_sure_as_most_looks_are(luck: float):
    source, belief, said = ToySource(lambda t: START, 3.0), Belief(), []
    (candidate,) = source.find(source.frame(0).image)
    seen = grey(START)
    for number in range(9):
        certainty = np.ones((ROWS, COLS), np.float32)
        certainty[1, 2] = luck if number % 3 == 1 else 1.2 - luck
        reading = Reading(START, LATTICE.corners, certainty, 0.95)
        sight = Sight(ToyGame(), candidate.plane, LATTICE, None, reading)
        belief.hear(sight, number / 2, seen, np.eye(3))
        said.append(belief.reading.certainty[1, 2])
    assert said[1] == pytest.approx(0.3)  # of two looks the one that doubts
    assert said[2:] == pytest.approx([1.2 - luck] * 7)


def test_what_a_look_is_sure_of_after_doubts_is_looked_at_again_at_once(play):
    looks = []

    @dataclass(frozen=True)
    class Hesitant(ToyGame):
        def read(self, picture, lattice, before=None):
            looks.append(np.float32(0.3 if len(looks) < 3 else 1))
            reading = super().read(picture, lattice, before)
            return replace(reading, certainty=reading.certainty * looks[-1])

    views = play(ToySource(lambda t: START, 3.0), game=Hesitant(), look_latency_s=0.1)
    sure = [v.frame.time for v in views if v.reading and v.reading.certainty.min() > 0.9]
    assert sure[0] == pytest.approx(1.7, abs=0.1)  # s: half a second lies between other looks


def test_a_slide_of_tiles_that_hardly_differ_is_believed_whole_though_one_is_read_doubtfully():
    belief, plane = Belief(), Plane(np.eye(3), PLANE_WH)
    seen = grey(START)
    row = START.cells[1]
    after = START.put({(1, c): kind for c, kind in enumerate((0, *row[:-1]))})
    certainty = np.ones((ROWS, COLS), np.float32)
    certainty[1, 3] = 0.3
    for time, board, sure in ((0.0, START, np.ones_like(certainty)), (0.5, after, certainty)):
        reading = Reading(board, LATTICE.corners, sure, 0.95)
        natural = None if board == START else np.array(START.cells) != board.cells
        belief.hear(Sight(ToyGame(), plane, LATTICE, None, reading, natural), time, seen, np.eye(3))
    assert belief.reading.board == after
    assert belief.reading.certainty[1, 3] == pytest.approx(0.3)


@pytest.mark.parametrize("is_covered", [True, False])
def test_what_most_looks_read_otherwise_is_not_sure_though_they_are_not_either(is_covered: bool):
    """Tiles slid that hardly differ: looks take the cell now for this kind, now for that."""
    belief, plane, certainties = Belief(), Plane(np.eye(3), PLANE_WH), []
    for number, kind in enumerate((START.cells[2][3],) * 3 + (7, 8, 7, 8)):
        picture, certainty = screen_picture(START), np.ones((ROWS, COLS), np.float32)
        reading = ToyGame().read(picture, LATTICE)
        if number >= 3:
            certainty[2, 3] = 0.3
            if is_covered:  # …and a hand is no reason to doubt what it covers
                x, y = LATTICE.quads()[2, 3, 0].astype(int)
                picture[y : y + PX, x : x + PX] = 0
        board = START.put({(2, 3): kind})
        sight = Sight(
            ToyGame(), plane, LATTICE, None, replace(reading, board=board, certainty=certainty)
        )
        belief.hear(sight, number / 5, cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.eye(3))
        assert belief.reading.board == START
        certainties.append(belief.reading.certainty[2, 3])
    assert certainties == pytest.approx([1.0] * 4 + [1.0 if is_covered else 0.3] * 3)


@pytest.mark.parametrize("is_atomic", [False, True])
def test_parts_of_a_move_that_is_atomic_are_not_believed_soon(play, is_atomic: bool):
    """The second tile of a pair goes half a second after the first."""
    part = START.put({HINT.a: 0})
    at = {0.0: START, 0.5: part, 1.0: AFTER}
    source = ToySource(lambda t: at[max(start for start in at if start <= t)], 2.0)
    views = play(source, ToyGame(is_atomic=is_atomic), look_latency_s=0.1)
    assert (part in {view.reading.board for view in views if view.reading}) != is_atomic
    assert views[-1].reading.board == AFTER


def test_a_chosen_tile_and_the_line_from_it_are_nothing_new_on_the_board(play):
    """They look like nothing that the board held, until the pair is gone."""
    marked = START.put({HINT.a: 7, HINT.b: 8})
    at = {0.0: START, 0.5: marked, 2.0: AFTER}
    source = ToySource(lambda t: at[max(start for start in at if start <= t)], 3.0)
    views = play(source, look_latency_s=0.1)
    assert {view.reading.board for view in views if view.reading} == {START, AFTER}
    read = next(view.frame.time for view in views if view.reading and view.reading.board == AFTER)
    assert read < 2.0 + 0.25
