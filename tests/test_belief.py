"""What the assistant believes of a board, and how soon: on a toy game before a moving camera."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

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
    ToyBoard,
    ToyGame,
    ToyMove,
    ToySource,
    plane_at,
    screen_picture,
    shown,
)

from ar_assist import change, replay
from ar_assist.belief import Belief
from ar_assist.look import Sight
from ar_assist.types import Correction, Frame, Plane, Reading, View


@dataclass(frozen=True)
class _Misreader(ToyGame):
    """Misreads the board in one look of so many."""

    looks = []  # noqa: RUF012
    every: int = 3

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if reading and len(self.looks) % self.every == 0:
            return replace(reading, board=reading.board.put({(0, 0): 2}))
        return reading


def test_a_single_misread_look_never_leads(play):
    _Misreader.looks.clear()
    views = play(ToySource(lambda t: START, 3.0, fps=SLOW), _Misreader(confidence=0.6))
    boards = {view.reading.board for view in views if view.reading}
    assert len(_Misreader.looks) > 5
    assert boards == {START}


def test_a_likely_reading_is_believed_when_looks_agree(play):
    views = play(ToySource(lambda t: START, 0.3), ToyGame(confidence=0.8))
    assert views[0].state == "searching"
    assert shown(views[1]) == HINT


def test_no_hint_rests_on_an_unlikely_reading(play):
    views = play(ToySource(lambda t: START, 0.3), ToyGame(confidence=0.3))
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
    for confidence in (0.3, 0.95):
        views = play(ToySource(lambda t: START, 0.3, plane=far), ToyGame(confidence=confidence))
        assert views[-1].reading.board == START
        reasons[confidence] = views[-1].reason
    assert reasons == {0.3: "not sure of the reading: the cells are small, come nearer", 0.95: ""}


@dataclass(frozen=True)
class _Stubborn(ToyGame):
    """Misreads a cell at first, and keeps to that as long as it reads the same plane."""

    finds = []  # noqa: RUF012

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.finds.extend([] if before else [1])
        if before or len(self.finds) <= 2:  # a find, and a look that agrees
            board = before.board if before else reading.board.put({(0, 0): 2})
            return replace(reading, board=board, confidence=before.confidence if before else 0.75)
        return reading


@pytest.mark.parametrize("sure", [0.95, 0.8])
def test_a_find_at_the_same_place_that_is_far_surer_owes_nothing_to_the_belief(play, sure):
    """A plane that lies badly parts kinds, which a reading of it remembers."""
    _Stubborn.finds.clear()
    views = play(ToySource(lambda t: START, 3.5, fps=SLOW), _Stubborn(confidence=sure))
    assert views[8].reading.board == START.put({(0, 0): 2})
    assert (views[-1].reading.board == START) == (sure > 0.9)


def test_what_the_player_said_outlives_a_surer_plane():
    def sight(board: ToyBoard, confidence: float) -> Sight:
        reading = ToyGame(confidence=confidence).read(screen_picture(board), LATTICE)
        return Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, reading)

    belief, seen = Belief(), cv2.cvtColor(screen_picture(START), cv2.COLOR_BGR2GRAY)
    belief.hear(sight(START, 0.75), 0.0, seen, np.eye(3))
    belief.hear(sight(START, 0.75), 0.1, seen, np.eye(3))
    belief.correct(Correction((0, 0), "empty"))
    belief.give_way(sight(START, 0.99).reading)
    belief.hear(sight(START, 0.99), 0.2, seen, np.eye(3))
    assert belief.reading.board == START.put({(0, 0): 0})


def test_what_the_player_said_counts_at_once_where_the_view_is_compared():
    """Cells that were read alike may look like each other without having been dealt anew."""
    belief, reading = Belief(), ToyGame().read(screen_picture(START), LATTICE)
    sight = Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, reading)
    belief.hear(sight, 0.0, _grey(START), np.eye(3))
    belief.correct(Correction((0, 0), "empty"))
    assert (belief.reference.kinds == belief.reading.cells).all()


def test_what_is_read_faintly_is_no_board_however_often_looks_agree(play):
    views = play(ToySource(lambda t: START, 2.0, fps=SLOW), ToyGame(confidence=0.1))
    assert {view.state for view in views} == {"searching"}


@dataclass(frozen=True)
class _Unsure(ToyGame):
    """Sure of the start only."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        if reading is None or reading.board == START:
            return reading
        return replace(reading, confidence=0.2)


def test_a_board_that_a_move_explains_needs_no_second_look(play):
    strange = START.put({(3, 0): 0, (3, 1): 0})  # no pair
    for board, wait in ((AFTER, 0.0), (strange, 0.25)):
        views = play(ToySource(lambda t, b=board: START if t < 0.5 else b, 1.2), _Unsure())
        read = next(view.frame.time for view in views if view.reading.board == board)
        assert wait <= read - 0.5 <= wait + 2.5 / FPS
        # what a move explains is as sure as the board before it; the other is not
        assert (views[-1].reading.confidence > 0.9) == (board == AFTER)
        assert (shown(views[-1]) is not None) == (board == AFTER)


@dataclass(frozen=True)
class _Wanderer(ToyGame):
    """From its third look on it reads a tile otherwise, though the view has not changed."""

    looks = []  # noqa: RUF012
    first: int = 3

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if reading and len(self.looks) >= self.first:
            return replace(reading, board=reading.board.put({(0, 0): 2}))
        return reading


@pytest.mark.parametrize(("first", "wait"), [(3, 0.5), (6, 0.9)])
def test_readings_that_contradict_the_view_hide_the_hint_and_lead_only_after_long(
    play, first: int, wait: float
):
    """As long as looks had confirmed what they contradict, up to a second."""
    _Wanderer.looks.clear()
    views = play(ToySource(lambda t: START, 3.0 + wait, fps=SLOW), _Wanderer(first=first))
    other = START.put({(0, 0): 2})
    first_doubt = next(v.frame.time for v in views if v.advice is None and v.reading)
    led = next(v.frame.time for v in views if v.reading.board == other)
    assert wait - 0.01 <= led - first_doubt <= wait + 0.2
    doubtful = [v for v in views if first_doubt <= v.frame.time < led]
    assert all(shown(v) is None and "disagree" in v.reason for v in doubtful)


def test_what_one_look_alone_had_said_gives_way_to_the_two_after_it(play):
    _Wanderer.looks.clear()
    views = play(ToySource(lambda t: START, 2.0), _Wanderer(first=2))
    other = START.put({(0, 0): 2})
    led = next(v for v in views if v.reading.board == other)
    assert 0.4 <= led.frame.time <= 0.7
    # for some time no hint rests on what looks disagreed about
    assert led.reading.certainty[0, 0] < 0.5


@dataclass(frozen=True)
class _Doubter(_Wanderer):
    """… and is not sure of it."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        if reading is None or reading.board == START:
            return reading
        return replace(reading, certainty=np.where(reading.cells != START.cells, 0.3, 1.0))


def test_looks_that_doubt_what_is_believed_are_heard_if_they_go_on(play):
    _Wanderer.looks.clear()
    views = play(ToySource(lambda t: START, 3.0, fps=SLOW), _Doubter())
    other = START.put({(0, 0): 2})
    led = next(v for v in views if v.reading.board == other)
    assert led.frame.time >= 1.0
    assert led.reading.certainty[0, 0] == pytest.approx(0.3)
    assert all("disagree" not in v.reason for v in views)  # each of them says little


def back(play, board: ToyBoard, seconds: float = 3.5) -> list[View]:
    """From when a board is in view again after it was away for long enough to be given up."""
    there = lambda t: START if t < 0.5 else board if t >= 2.5 else None  # noqa: E731
    views = play(ToySource(there, seconds, fps=SLOW))
    return [view for view in views if view.reading and view.frame.time >= 2.5]


@pytest.mark.parametrize("board", [START, AFTER])
def test_a_board_that_comes_back_as_it_was_or_as_moves_leave_it_is_believed_at_once(play, board):
    first = back(play, board)[0]
    assert first.reading.board == board
    assert first.frame.time == pytest.approx(2.5, abs=1.5 / SLOW)


def test_what_no_move_explains_of_a_board_that_comes_back_must_be_read_alike_for_long(play):
    """A camera that was aimed anew is dazzled at first, and looks that follow agree in error: the
    board is known by its other tiles, those that are read otherwise are doubted."""
    strange = START.put({(3, 0): 0, (3, 1): 0})  # no pair
    views = back(play, strange, seconds=5.0)
    assert views[0].frame.time == pytest.approx(2.5, abs=1.5 / SLOW)
    assert views[0].reading.board == START
    assert (views[0].reading.certainty[3, :2] <= 0.2).all()
    assert views[0].reading.confidence == 0.95
    changes = [v.frame.time for v in views if v.reading.board == strange]
    assert 3.0 < changes[0] < 4.5
    assert views[-1].reading.board == strange


def test_another_board_that_comes_back_must_be_read_alike(play):
    other = START.put(dict.fromkeys(product(range(2), range(3)), 0))
    first = back(play, other)[0]
    assert first.reading.board == other
    assert first.frame.time == pytest.approx(3.0, abs=1.5 / SLOW)


@pytest.mark.parametrize(
    ("misread", "is_believed"),  # how many of 24 cells, look by look
    [((1, 1, 1, 1, 1), True), ((0, 0, 0, 0, 1), True), ((5, 5, 5, 5, 5), False)],
)
def test_of_another_board_that_comes_back_a_few_cells_may_be_read_otherwise_in_every_look(
    misread: tuple[int, ...], is_believed: bool
):
    """They are doubted, and believed to be what most looks say, not the last one."""
    belief, dealt = Belief(), START.with_cells(np.array(START.cells)[::-1])

    def hear(board: ToyBoard, time: float) -> None:
        sight = _sight_of_a_pair(START, np.zeros((ROWS, COLS), bool))
        reading = replace(sight.reading, board=board)
        sight = replace(sight, reading=reading, natural=None)
        belief.hear(sight, time, _grey(board), np.eye(3))

    hear(START, 0.0)
    belief.lose_sight()
    for number, cells in enumerate(misread):
        assert belief.reading is None
        kinds = {(3, c): 2 + (number + c) % 5 for c in range(cells)}
        hear(dealt.put(kinds), 3 + 0.15 * number)
    assert (belief.reading is not None) == is_believed
    if is_believed:
        assert belief.reading.board.cells[:3] == dealt.cells[:3]
        assert (belief.reading.board == dealt) == (0 in misread)
        assert np.argwhere(belief.reading.certainty <= 0.2).tolist() == [[3, 0]]


@dataclass(frozen=True)
class _Flickering(ToyGame):
    """Reads some cells as another kind in every look: of a large board there is always one."""

    cells: tuple[tuple[int, int], ...] = ((2, 3), (3, 1))
    certainty: float = 1.0
    looks = []  # noqa: RUF012

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
        _Flickering.looks.clear()
        views = play(ToySource(lambda t: START, 1.5), _Flickering(certainty=certainty))
        assert all(view.reading.board == START for view in views)
        worst = [min(v.reading.certainty[2, 3], v.reading.certainty[3, 1]) for v in views]
        assert (min(worst) <= 0.2) == doubted
        assert all(view.reading.certainty[0, 0] == 1 for view in views)


@pytest.mark.parametrize("is_atomic", [False, True])
@pytest.mark.parametrize("gone", [HINT, ToyMove((0, 1), (1, 4))])
def test_a_hint_that_a_move_elsewhere_leaves_stays_until_the_next(gone: ToyMove, is_atomic: bool):
    belief, game = Belief(), ToyGame(is_atomic=is_atomic)
    for time, board in ((0.0, START), (0.5, game.play(START, gone))):
        picture = screen_picture(board)
        reading = game.read(picture, LATTICE)
        taken = None if board == START else np.array(START.cells) != board.cells
        sight = Sight(game, Plane(np.eye(3), PLANE_WH), LATTICE, None, reading, taken)
        belief.hear(sight, time, cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.eye(3))
        if board == START:
            belief.advise(START, game.advise([START]))
    assert belief.reading.board == board
    stays = gone != HINT and not is_atomic
    assert belief.hint == (HINT if stays else None)
    assert bool(belief.marks) == stays
    assert belief.wants_advice


@pytest.mark.parametrize("misread", [0, 1])
def test_what_moves_while_looks_agree_is_known_and_a_flight_is_no_part_of_it(misread: int):
    """Of three looks that read the board alike the calmest tells."""
    belief, none = Belief(), np.zeros((ROWS, COLS), bool)
    y, x = np.mgrid[: PLANE_WH[1], : PLANE_WH[0]]
    restless = []
    for number in range(5):
        board = START.put({(2, 3): 7}) if misread and number == 3 else START
        wave = 10 * np.sin(x / 6 + y / 11 + 2 * number)
        seen = (_grey(START) * 0.8 + 20 + wave).astype(np.uint8)
        belief.hear(_sight_of_a_pair(board, none), 0.3 * number, seen, np.eye(3))
        restless.append(belief.restless)
    assert restless[:3] == [0.0] * 3
    assert (restless[3] > 0.05) == (not misread)
    assert restless[4] > 0.05
    belief.lose_sight()
    assert belief.restless == 0.0


@pytest.mark.parametrize(
    ("is_whole", "confidence", "looks"), [(True, 0.8, 2), (False, 0.8, 3), (False, 0.95, 1)]
)
def test_a_board_that_the_picture_cuts_off_is_believed_by_three_looks_or_a_sure_one(
    is_whole: bool, confidence: float, looks: int
):
    belief, sight = Belief(), _sight_of_a_pair(START, np.zeros((ROWS, COLS), bool))
    in_view = np.ones((ROWS, COLS), bool)
    in_view[:, 0] = is_whole
    reading = replace(sight.reading, confidence=confidence)
    sight = replace(sight, reading=reading, in_view=None if is_whole else in_view)
    believed = []
    for time in (0.0, 0.3, 0.6):
        belief.hear(sight, time, _grey(START), np.eye(3))
        believed.append(belief.reading is not None)
    assert believed == [number >= looks for number in (1, 2, 3)]


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
        belief.hear(_sight_of_a_pair(board, gone), time, _grey(shown_board), np.eye(3))
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
        belief.hear(_sight_of_a_pair(board, gone), time, _grey(shown_board), np.eye(3))
        certainties.append(belief.reading.certainty[2, 3])
    assert belief.reading.board == after
    assert certainties == pytest.approx([1.0, 1.0, *[0.2] * 4, 1.0 if goes else 0.2])


def test_a_pair_that_is_read_doubtfully_as_it_fades_is_soon_believed_to_be_gone():
    """Half faded it is no picture of what is believed: what becomes of it hardly differs."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    fading = START.put({(r, c): 7 + i for i, (r, c) in enumerate(np.argwhere(gone).tolist())})
    tiles, ground = (_grey(board).astype(float) for board in (START, AFTER))
    there, faded, away = (((1 - share) * tiles + share * ground) for share in (0, 0.3, 0.6))
    for time, board, seen in (
        (0.0, START, there),
        (1.5, START, there),
        (2.0, fading, faded),
        (2.5, AFTER, away),
        (2.8, AFTER, away),
    ):
        sight = replace(_sight_of_a_pair(board, gone), natural=None)
        doubtful = np.where(gone & (board == fading), 0.3, 1).astype(np.float32)
        sight = replace(sight, reading=replace(sight.reading, certainty=doubtful))
        belief.hear(sight, time, seen.astype(np.uint8), np.eye(3))
        if board == fading:
            assert belief.reading.board == START
    assert belief.reading.board == AFTER


@pytest.mark.parametrize("goes", [True, False])
def test_looks_that_a_line_made_doubt_a_cell_say_nothing_of_it_once_the_pair_is_gone(goes: bool):
    """Such a look is not sure enough to contradict, but cells are as sure as most looks are."""
    belief, certainties = Belief(), []
    gone = np.array(START.cells) != AFTER.cells
    after = AFTER if goes else START
    looks = ((-2.0, START), (0.0, START), (0.2, None), (0.4, None), (0.6, after))
    for time, board in looks:
        sight = _sight_of_a_pair(board or START.put({(2, 3): 7}), gone)
        if board is None:
            doubtful = np.ones((ROWS, COLS), np.float32)
            doubtful[2, 3] = 0.3
            sight = replace(sight, reading=replace(sight.reading, certainty=doubtful))
        belief.hear(sight, time, _grey(board or START), np.eye(3))
        certainties.append(belief.reading.certainty[2, 3])
    assert certainties == pytest.approx([1.0, 1.0, 1.0, 0.3, 1.0 if goes else 0.3])


def test_a_cell_that_is_empty_looks_as_it_did_last_though_its_tile_was_still_fading():
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (_grey(board).astype(float) for board in (START, AFTER))
    for time, board, share in ((0.0, START, 0), (0.5, AFTER, 0.3), (0.7, AFTER, 1)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(_sight_of_a_pair(board, gone), time, seen, np.eye(3))
    now = change.cells(_grey(AFTER), np.eye(3), belief.reading)
    assert not _changed(belief.reference, now).any()


def test_a_pale_pair_that_a_look_saw_begin_to_fade_is_seen_to_go():
    """It differs from the ground by half a board's contrast, and from what the look saw by less."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (_grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((0.0, 0), (1.5, 0), (1.6, 0.2)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(_sight_of_a_pair(START, gone), time, seen, np.eye(3))
    away = change.cells((0.5 * tiles + 0.5 * ground).astype(np.uint8), np.eye(3), belief.reading)
    assert _changed(belief.reference, away)[gone].all()


def test_a_tile_that_is_lit_now_so_now_so_keeps_no_old_picture_for_long():
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (_grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((-2.0, 0), (0.0, 0), (0.15, 0.3), (0.3, 0.6), (0.45, 0.3), (0.6, 0.6)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(_sight_of_a_pair(START, gone), time, seen, np.eye(3))
        if share == 0:
            first = belief.reference
        assert _changed(first, belief.reference.picture)[gone].all() == (time > 0.5)


@pytest.mark.parametrize("fades", [False, True])
def test_a_tile_that_was_only_marked_is_soon_seen_as_it_looks_now(fades: bool):
    """One that fades is still read, but is no picture of a board at rest."""
    belief, gone = Belief(), np.array(START.cells) != AFTER.cells
    tiles, ground = (_grey(board).astype(float) for board in (START, AFTER))
    for time, share in ((-2.0, 0), (0.0, 0), (0.15, 0.5), (0.3, 0.75 if fades else 0.5)):
        seen = ((1 - share) * tiles + share * ground).astype(np.uint8)
        belief.hear(_sight_of_a_pair(START, gone), time, seen, np.eye(3))
    now = change.cells(seen, np.eye(3), belief.reading)
    changed = _changed(belief.reference, now)
    assert changed[gone].all() == fades
    assert changed.any() == fades


@pytest.mark.parametrize("is_shuffled", [True, False])
def test_the_last_tiles_dealt_anew_are_believed_at_once_and_all_together(is_shuffled: bool):
    """Few of all cells, and tiles that hardly differ; kinds may get new names."""
    few = START.put({(r, c): 0 for r in (0, 3) for c in range(COLS)}).put({(1, 0): 0, (1, 5): 0})
    dealt = few.put({(1, 1): 4, (1, 2): 8, (1, 3): 2, (1, 4): 5, (2, 1): 8})
    if not is_shuffled:
        dealt = dealt.put({(2, 0): 4})
    belief, boards = Belief(), []
    for time, board in ((-2.0, few), (0.0, few), (0.2, dealt), (0.5, dealt)):
        sight = _sight_of_a_pair(board, np.zeros((ROWS, COLS), bool))
        belief.hear(replace(sight, natural=None), time, _grey(few), np.eye(3))
        boards.append(belief.reading.board)
    assert boards == [few, few, few, dealt if is_shuffled else few]


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
    message, later = _grey(START), _grey(START)
    for r, c in under:
        (x, y), _, (right, bottom), _ = LATTICE.quads()[r, c].astype(int)
        message[y:bottom, x:right] = 255
        if not is_shown:
            later[y:bottom, x:right] = message[y:bottom, x:right][::-1] // 2
    looks = [(-1.0, START, _grey(START)), (0.0, START, _grey(START))]
    looks += [(0.1 + t / 10, none, message) for t in range(5)]
    if blurs:
        strange = START.with_cells(np.array(START.cells)[::-1] + 80)
        looks += [(0.6, strange, cv2.GaussianBlur(message, (0, 0), PX / 8))]
    looks += [(0.7, START.put(kinds), later), (0.8, START.put(kinds), later)]
    for time, board, seen in looks:
        sight = _sight_of_a_pair(START, np.zeros((ROWS, COLS), bool))
        reading = replace(sight.reading, board=board)
        belief.hear(replace(sight, reading=reading, natural=None), time, seen, np.eye(3))
        believed.append(belief.reading.board)
        sure.append(max(belief.reading.certainty[cell] for cell in under))
    assert believed[1] == START
    assert set(believed[6:-1]) == {none}
    assert max(sure[6:-1]) <= 0.2
    assert believed[-1] == (START.put(kinds) if is_shown else none)
    assert sure[-1] > 0.9 if is_shown else sure[-1] <= 0.2


@pytest.mark.parametrize("is_pair", [True, False])
def test_a_pair_of_which_one_tile_was_seen_to_go_before_the_other_was_a_move(is_pair: bool):
    """A hand let a tile be seen to go, then the other one, so that no look saw a move."""
    belief, certainties = Belief(), []
    first, second = HINT.a, HINT.b if is_pair else (1, 4)
    boards = [START] * 2 + [START.put({first: 0})] * 4 + [START.put({first: 0, second: 0})] * 4
    for number, board in enumerate(boards):
        sight = _sight_of_a_pair(START, np.zeros((ROWS, COLS), bool))
        sight = replace(sight, reading=replace(sight.reading, board=board), natural=None)
        belief.hear(sight, number / 5, _grey(board), np.eye(3))
        certainties.append(belief.reading.certainty[first])
    assert belief.reading.board == boards[-1]
    assert certainties[5] <= 0.2
    assert certainties[-1] > 0.9 if is_pair else certainties[-1] <= 0.2


def _sight_of_a_pair(board: ToyBoard, gone: np.ndarray) -> Sight:
    """A look that knows that the pair's cells, if they are empty, are a move."""
    reading = replace(ToyGame().read(screen_picture(START), LATTICE), board=board)
    natural = gone if (np.array(board.cells) == 0).any() else None
    return Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, reading, natural)


def _grey(board: ToyBoard) -> np.ndarray:
    return cv2.cvtColor(screen_picture(board), cv2.COLOR_BGR2GRAY)


def _changed(read: change.Reference, now: np.ndarray) -> np.ndarray:
    return change.Compared(read, now).changed()


@pytest.mark.parametrize("luck", [0.9, 0.3])  # certainty in every third look; else the other
def test_a_cell_is_as_sure_as_most_looks_are(luck: float):
    source, belief, said = ToySource(lambda t: START, 3.0), Belief(), []
    (candidate,) = source.find(source.frame(0).image)
    seen = cv2.cvtColor(screen_picture(START), cv2.COLOR_BGR2GRAY)
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
    seen = cv2.cvtColor(screen_picture(START), cv2.COLOR_BGR2GRAY)
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


@pytest.mark.parametrize("looks_so", [True, False])  # tiles that hardly differ do not
def test_quite_another_board_is_believed_but_not_the_cells_that_flicker(looks_so: bool):
    other = ToyBoard(tuple(tuple(1 + kind % 6 for kind in row) for row in START.cells))
    plane = Plane(np.eye(3), PLANE_WH)
    belief, boards, certainties = Belief(), [], []
    for look_, time in enumerate((0.0, 0.5, 0.7, 0.9)):
        board = START if look_ == 0 else other
        flicker = board if look_ == 0 else board.put({(2, 3): look_, (3, 1): 4 - look_})
        reading = ToyGame().read(screen_picture(board), LATTICE)
        sight = Sight(ToyGame(), plane, LATTICE, None, replace(reading, board=flicker))
        seen = cv2.cvtColor(screen_picture(board if looks_so else START), cv2.COLOR_BGR2GRAY)
        belief.hear(sight, time, seen, np.eye(3))
        boards.append(belief.reading.board)
        certainties.append(belief.reading.certainty)
    assert boards == [START, START, START, flicker]  # never some cells of each
    doubted = np.argwhere(certainties[-1] < 0.5).tolist()
    assert doubted == [[2, 3], [3, 1]]


@pytest.mark.parametrize(
    ("confidence", "is_read_so", "is_remembered"),
    [(0.5, True, False), (0.8, False, False), (0.8, True, True)],
)
def test_what_is_not_believed_of_a_look_does_not_sway_the_next(
    confidence: float, is_read_so: bool, is_remembered: bool
):
    """Neither what a doubtful look saw of tiles that move, nor kinds that it alone tells apart."""
    belief, plane = Belief(), Plane(np.eye(3), PLANE_WH)
    seen = cv2.cvtColor(screen_picture(START), cv2.COLOR_BGR2GRAY)
    certainty = np.ones((ROWS, COLS), np.float32)
    again = START if is_read_so else START.put({(0, 0): 7, (1, 5): 7})
    for time, board, sure, kinds in ((0.0, START, 0.95, "old"), (0.5, again, confidence, "new")):
        reading = Reading(board, LATTICE.corners, certainty, sure, kinds)
        belief.hear(Sight(ToyGame(), plane, LATTICE, None, reading), time, seen, np.eye(3))
    assert belief.reading.board == START
    assert belief.reading.evidence == ("new" if is_remembered else "old")


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


@dataclass(frozen=True)
class _Obedient(ToyGame):
    """What the player said is certain."""

    def correct(self, reading, corrections):
        corrected = super().correct(reading, corrections)
        certainty = corrected.certainty.copy()
        for correction in corrections:
            certainty[correction.cell] = 1.0
        return replace(corrected, certainty=certainty)


def test_the_players_word_is_certain_at_once_whatever_looks_had_doubted():
    belief, plane = Belief(), Plane(np.eye(3), PLANE_WH)
    seen = cv2.cvtColor(screen_picture(START), cv2.COLOR_BGR2GRAY)
    for number in range(6):
        if number == 3:
            belief.correct(Correction((1, 2), "empty"))
        doubtful = np.where(np.indices((ROWS, COLS))[1] == 2, 0.4, 1.0).astype(np.float32)
        reading = Reading(START, LATTICE.corners, doubtful, 0.95)
        belief.hear(Sight(_Obedient(), plane, LATTICE, None, reading), number / 2, seen, np.eye(3))
        assert belief.reading.certainty[1, 2] == pytest.approx(0.4 if number < 3 else 1.0)
        assert belief.reading.certainty[2, 2] == pytest.approx(0.4)


@dataclass(frozen=True)
class _Blocking(ToyGame):
    """Knows blocked cells too."""

    def correct(self, reading, corrections):
        board = reading.board.put({c.cell: -1 for c in corrections})
        return replace(reading, board=board)


def test_a_cell_that_the_player_called_blocked_is_soon_so_again_when_a_hand_is_gone():
    belief, plane, game = Belief(), Plane(np.eye(3), PLANE_WH), _Blocking()
    blocked, covered = START.put({(0, 0): -1}), START.put({(0, 0): 2})
    back_at = None
    for time in np.arange(0, 5, 0.1):
        is_covered = 1 <= time < 3
        picture = screen_picture(covered if is_covered else START)
        seen, reading = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), game.read(picture, LATTICE)
        belief.hear(Sight(game, plane, LATTICE, None, reading), time, seen, np.eye(3))
        if time == 0.5:
            belief.correct(Correction((0, 0), "blocked"))
            assert belief.reading.board == blocked
        if 2 < time < 3:
            assert belief.reading.board == covered
        if time > 3 and belief.reading.board == blocked:
            back_at = back_at or time
    assert back_at is not None
    assert back_at < 3.5
