"""Which board is believed, and how soon: on a toy game before a moving camera."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
    ROWS,
    SLOW,
    START,
    Misreader,
    ToyBoard,
    ToyGame,
    ToyMove,
    ToySource,
    grey,
    screen_picture,
    shown,
    sight_of,
)

from ar_assist.belief import Belief
from ar_assist.look import Sight
from ar_assist.types import Correction, Plane, Reading, View


def test_a_single_misread_look_never_leads(play):
    game = Misreader(confidence=0.6, errs=lambda look: look % 3 == 0)
    views = play(ToySource(lambda t: START, 3.0, fps=SLOW), game)
    boards = {view.reading.board for view in views if view.reading}
    assert len(game.looks) > 5
    assert boards == {START}


def test_a_likely_reading_is_believed_when_looks_agree(play):
    views = play(ToySource(lambda t: START, 0.3), ToyGame(confidence=0.8))
    assert views[0].state == "searching"
    assert shown(views[1]) == HINT


def test_what_is_read_faintly_is_no_board_however_often_looks_agree(play):
    views = play(ToySource(lambda t: START, 2.0, fps=SLOW), ToyGame(confidence=0.1))
    assert {view.state for view in views} == {"searching"}


@pytest.mark.parametrize(
    ("is_whole", "confidence", "looks"), [(True, 0.8, 2), (False, 0.8, 3), (False, 0.95, 1)]
)
def test_a_board_that_the_picture_cuts_off_is_believed_by_three_looks_or_a_sure_one(
    is_whole: bool, confidence: float, looks: int
):
    belief, sight = Belief(), sight_of(START)
    in_view = np.ones((ROWS, COLS), bool)
    in_view[:, 0] = is_whole
    reading = replace(sight.reading, confidence=confidence)
    sight = replace(sight, reading=reading, in_view=None if is_whole else in_view)
    believed = []
    for time in (0.0, 0.3, 0.6):
        belief.hear(sight, time, grey(START), np.eye(3))
        believed.append(belief.reading is not None)
    assert believed == [number >= looks for number in (1, 2, 3)]


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
class _Stubborn(ToyGame):
    """Misreads a cell at first, and keeps to that as long as it reads the same plane."""

    finds: list[int] = field(default_factory=list, compare=False)

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
    views = play(ToySource(lambda t: START, 3.5, fps=SLOW), _Stubborn(confidence=sure))
    assert views[8].reading.board == START.put({(0, 0): 2})
    assert (views[-1].reading.board == START) == (sure > 0.9)


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
        belief.hear(sight_of(board), time, grey(board), np.eye(3))

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
        seen = grey(board if looks_so else START)
        belief.hear(sight, time, seen, np.eye(3))
        boards.append(belief.reading.board)
        certainties.append(belief.reading.certainty)
    assert boards == [START, START, START, flicker]  # never some cells of each
    doubted = np.argwhere(certainties[-1] < 0.5).tolist()
    assert doubted == [[2, 3], [3, 1]]


@pytest.mark.parametrize("is_shuffled", [True, False])
def test_the_last_tiles_dealt_anew_are_believed_at_once_and_all_together(is_shuffled: bool):
    """Few of all cells, and tiles that hardly differ; kinds may get new names."""
    few = START.put({(r, c): 0 for r in (0, 3) for c in range(COLS)}).put({(1, 0): 0, (1, 5): 0})
    dealt = few.put({(1, 1): 4, (1, 2): 8, (1, 3): 2, (1, 4): 5, (2, 1): 8})
    if not is_shuffled:
        dealt = dealt.put({(2, 0): 4})
    belief, boards = Belief(), []
    for time, board in ((-2.0, few), (0.0, few), (0.2, dealt), (0.5, dealt)):
        belief.hear(sight_of(board), time, grey(few), np.eye(3))
        boards.append(belief.reading.board)
    assert boards == [few, few, few, dealt if is_shuffled else few]


@pytest.mark.parametrize("joins", [False, True])
def test_kinds_that_a_look_joins_in_a_view_that_has_not_changed_were_not_dealt_anew(joins: bool):
    """A deal of tiles that hardly differ leaves as many kinds of each size."""
    belief, boards = Belief(), []
    kinds = np.array(START.cells)
    dealt = START.with_cells((7 - (kinds + kinds % 2 if joins else kinds)).tolist())
    for time, board in ((-2.0, START), (0.0, START), (0.2, dealt), (0.5, dealt)):
        belief.hear(sight_of(board), time, grey(START), np.eye(3))
        boards.append(belief.reading.board)
    assert boards == [START, START, START, START if joins else dealt]


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
    belief = Belief()
    y, x = np.mgrid[: PLANE_WH[1], : PLANE_WH[0]]
    restless = []
    for number in range(5):
        board = START.put({(2, 3): 7}) if misread and number == 3 else START
        wave = 10 * np.sin(x / 6 + y / 11 + 2 * number)
        seen = (grey(START) * 0.8 + 20 + wave).astype(np.uint8)
        belief.hear(sight_of(board), 0.3 * number, seen, np.eye(3))
        restless.append(belief.restless)
    assert restless[:3] == [0.0] * 3
    assert (restless[3] > 0.05) == (not misread)
    assert restless[4] > 0.05
    belief.lose_sight()
    assert belief.restless == 0.0


@pytest.mark.parametrize(
    ("confidence", "is_read_so", "is_remembered"),
    [(0.5, True, False), (0.8, False, False), (0.8, True, True)],
)
def test_what_is_not_believed_of_a_look_does_not_sway_the_next(
    confidence: float, is_read_so: bool, is_remembered: bool
):
    """Neither what a doubtful look saw of tiles that move, nor kinds that it alone tells apart."""
    belief, plane = Belief(), Plane(np.eye(3), PLANE_WH)
    seen = grey(START)
    certainty = np.ones((ROWS, COLS), np.float32)
    again = START if is_read_so else START.put({(0, 0): 7, (1, 5): 7})
    for time, board, sure, kinds in ((0.0, START, 0.95, "old"), (0.5, again, confidence, "new")):
        reading = Reading(board, LATTICE.corners, certainty, sure, kinds)
        belief.hear(Sight(ToyGame(), plane, LATTICE, None, reading), time, seen, np.eye(3))
    assert belief.reading.board == START
    assert belief.reading.evidence == ("new" if is_remembered else "old")


def test_what_the_player_said_outlives_a_surer_plane():
    def sight(board: ToyBoard, confidence: float) -> Sight:
        reading = ToyGame(confidence=confidence).read(screen_picture(board), LATTICE)
        return Sight(ToyGame(), Plane(np.eye(3), PLANE_WH), LATTICE, None, reading)

    belief, seen = Belief(), grey(START)
    belief.hear(sight(START, 0.75), 0.0, seen, np.eye(3))
    belief.hear(sight(START, 0.75), 0.1, seen, np.eye(3))
    belief.correct(Correction((0, 0), "empty"))
    belief.give_way(sight(START, 0.99).reading)
    belief.hear(sight(START, 0.99), 0.2, seen, np.eye(3))
    assert belief.reading.board == START.put({(0, 0): 0})


def test_what_the_player_said_counts_at_once_where_the_view_is_compared():
    """Cells that were read alike may look like each other without having been dealt anew."""
    belief = Belief()
    belief.hear(sight_of(START), 0.0, grey(START), np.eye(3))
    belief.correct(Correction((0, 0), "empty"))
    assert (belief.reference.kinds == belief.reading.cells).all()


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
    seen = grey(START)
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
