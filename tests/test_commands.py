"""What the player may ask for: another move, a setting, corrections, corners, turns."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace

import numpy as np
import pytest
from toy import AFTER, COLS, FPS, HINT, LATTICE, ROWS, START, ToyBoard, ToyGame, ToySource, shown

from ar_assist import look
from ar_assist.assistant import Assistant
from ar_assist.errors import UserError
from ar_assist.replay import ClipExecutor
from ar_assist.types import Candidate, Correction, Lattice, Plane, Points, Reading


def _locked(monkeypatch, game=None):
    source = ToySource(lambda t: START, 1.0)
    source.replace_finder(monkeypatch)
    assistant = Assistant([game or ToyGame()], ClipExecutor(), ClipExecutor())
    assert assistant.step(source.frame(0)).state == "locked"
    return assistant, source


def test_another_pair(monkeypatch):
    assistant, source = _locked(monkeypatch)
    assert assistant.another() == ""
    view = assistant.step(source.frame(1))
    assert view.choice == 1
    assert shown(view) != HINT


def test_that_there_is_no_other_is_said(monkeypatch):
    @dataclass(frozen=True)
    class OneMove(ToyGame):
        def advise(self, history, reading=None):
            advice = super().advise(history, reading)
            return replace(advice, moves=advice.moves[:1])

    assistant, source = _locked(monkeypatch, OneMove())
    assert assistant.another() == "no other move to show"
    assert shown(assistant.step(source.frame(1))) == HINT


@pytest.mark.parametrize("moved_at", [18, 28])
def test_the_games_setting_changes_the_hint_and_not_the_board(monkeypatch, moved_at: int):
    """A thought, or a look at the next board, is on its way when the key is pressed."""
    source = ToySource(lambda t: AFTER if t >= moved_at / FPS else START, 2.0)
    source.replace_finder(monkeypatch)
    looker, thinker = ClipExecutor(0.2), ClipExecutor(0.2)
    assistant, later = Assistant([ToyGame()], looker, thinker), ToyGame(later=True)
    hints = []
    for index in range(55):
        if index == 30:
            assert assistant.vary() == "another pair first"
        looker.advance(index / FPS)
        thinker.advance(index / FPS)
        view = assistant.step(source.frame(index))
        assert index < 30 or (view.state == "locked" and view.game == later)
        hints.append(shown(view))
    assert hints[17] == HINT
    assert set(hints[30:]) == {None, later.advise([AFTER]).moves[0]}


def test_without_a_board_there_is_no_game_to_set(monkeypatch):
    assert Assistant((ToyGame(),), ClipExecutor(), ClipExecutor()).vary() == ""


def test_corrections_hold_while_the_cells_are_read_alike(monkeypatch):
    assistant, source = _locked(monkeypatch)
    assistant.correct(Correction((0, 0), "empty"))
    for index in range(1, 25):
        view = assistant.step(source.frame(index))
        assert view.reading.board == START.put({(0, 0): 0})
        assert shown(view) != HINT


@pytest.mark.parametrize("hand", [7, 3])
def test_a_correction_outlasts_what_passes_before_its_cell_but_not_the_tile(monkeypatch, hand: int):
    """A hand is read as a tile that the board never held, or as another of its tiles."""
    shows = {0.0: 1, 0.5: hand, 1.5: 1, 3.0: 0, 3.5: 1}  # s: kind in the cell from then on

    def board(t: float) -> ToyBoard:
        return START.put({(0, 0): [kind for since, kind in shows.items() if since <= t][-1]})

    class SameGame(ToyGame):
        def correct(self, reading, corrections):
            cells = reading.board.cells
            same = {c.cell: cells[c.other[0]][c.other[1]] for c in corrections}
            return replace(reading, board=reading.board.put(same))

    source = ToySource(board, 5.0)
    source.replace_finder(monkeypatch)
    assistant = Assistant([SameGame()], ClipExecutor(), ClipExecutor())
    assistant.step(source.frame(0))
    assistant.correct(Correction((0, 0), "same", (0, 1)))
    believed = {}
    for index in range(1, int(4.5 * FPS), 4):
        view = assistant.step(source.frame(index))
        believed[view.frame.time] = view.reading.cells[0, 0]
    assert {kind for time, kind in believed.items() if time < 3.0} <= {2, hand}
    assert [kind for time, kind in believed.items() if time < 3.0][-1] == 2
    assert [kind for time, kind in believed.items() if time < 3.5][-1] == 0
    assert believed[view.frame.time] == 1, "dealt anew"


def test_how_the_reading_is_turned_is_said():
    assistant = Assistant((ToyGame(),), ClipExecutor(), ClipExecutor())
    turns = [assistant.turn() for _ in range(5)]
    assert turns == ["turned by 90°", "turned by 180°", "turned by 270°", "not turned", turns[0]]
    assert [assistant.mirror() for _ in range(2)] == ["mirrored", "not mirrored"]


@pytest.mark.parametrize(("turns", "mirrored"), [(1, False), (2, False), (3, False), (0, True)])
def test_the_player_turns_and_mirrors(monkeypatch, turns: int, mirrored: bool):
    seen = []

    @dataclass(frozen=True)
    class Spy(ToyGame):
        def read(self, picture, lattice, before=None):
            seen.append((picture, lattice))

    source = ToySource(lambda t: START, 1.0)
    source.replace_finder(monkeypatch)
    assistant = Assistant([Spy()], ClipExecutor(), ClipExecutor())
    assistant.step(source.frame(0))
    straight, lattice = seen[0]
    for _ in range(turns):
        assistant.turn()
    if mirrored:
        assistant.mirror()
    seen.clear()
    assistant.step(source.frame(0))
    picture, turned = seen[0]
    expected = np.fliplr(straight) if mirrored else np.rot90(straight, -turns)
    assert np.abs(picture.astype(int) - expected).mean() < 1.0
    assert (turned.rows, turned.cols) == ((COLS, ROWS) if turns % 2 else (ROWS, COLS))
    assert np.abs(turned.corners.min(0) - lattice.corners.min(0)).max() < 0.01


def test_corners_by_hand_are_read_where_they_were_set(monkeypatch):
    source = ToySource(lambda t: START, 1.0)
    source.replace_finder(monkeypatch)
    monkeypatch.setattr(look, "find", lambda image, outlined: [])
    seen = []

    @dataclass(frozen=True)
    class Spy(ToyGame):
        def read(self, picture, lattice, before=None):
            seen.append((picture.shape, lattice))

    assistant = Assistant([Spy()], ClipExecutor(), ClipExecutor())
    assert assistant.step(source.frame(0)).state == "searching"
    assert not seen
    assistant.set_corners(source.corners(0))
    assistant.step(source.frame(3))
    shape, _ = seen[0]
    assert abs(shape[0] / shape[1] - ROWS / COLS) < 0.1
    assert [lattice is None for _, lattice in seen].count(True) == 1  # then its own lattices alone


@dataclass(frozen=True)
class _Anywhere(ToyGame):
    """Takes any picture with a lattice for the board."""

    def read(self, picture, lattice, before=None):
        corners = lattice.corners if lattice else before.corners
        return Reading(START, corners, np.ones((ROWS, COLS), np.float32), 1.0)


def test_corners_by_hand_stay_when_the_reading_is_turned_or_mirrored(monkeypatch):
    """Also on a board that moved since."""

    def whole(image, plane: Plane) -> list[Candidate]:
        w, h = plane.size_wh
        lattice = Lattice((-0.5, -0.5), (w / COLS, h / ROWS), ROWS, COLS)
        return [Candidate(plane, lattice, 1.0)]

    source = ToySource(lambda t: START, 1.0)
    monkeypatch.setattr(look, "find", lambda image, outlined: [])
    monkeypatch.setattr(look, "within", whole)
    monkeypatch.setattr(look, "found_again", lambda *of: None)
    assistant = Assistant([_Anywhere()], ClipExecutor(), ClipExecutor())

    def corners_at(index: int) -> Points:
        view = assistant.step(source.frame(index))
        assert view.plane is not None and view.reading is not None
        return view.plane.to_frame(view.reading.corners)

    assistant.step(source.frame(0))
    assistant.set_corners(source.corners(0))
    for index in range(7):
        corners_at(index)
    assistant.turn()
    turned = np.roll(source.corners(6), 1, axis=0)
    assert np.abs(corners_at(6) - turned).max() < 3
    assistant.mirror()
    assert np.abs(corners_at(6) - turned[[1, 0, 3, 2]]).max() < 3
    assistant.find_anew()
    assert assistant.step(source.frame(6)).plane is None


@dataclass(frozen=True)
class _Finds(_Anywhere):
    """Is sure of what the finder saw, and not of what is in corners set by hand."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        return reading if lattice == LATTICE else replace(reading, confidence=0.5)


def test_corners_by_hand_are_forgotten_once_a_board_is_found_elsewhere(monkeypatch):
    read_by_hand = []

    def whole(image, plane: Plane) -> list[Candidate]:
        read_by_hand.append(plane)
        w, h = plane.size_wh
        lattice = Lattice((-0.5, -0.5), (w / COLS, h / ROWS), ROWS, COLS)
        return [Candidate(plane, lattice, 1.0)]

    source = ToySource(lambda t: START, 3.0)
    source.replace_finder(monkeypatch)
    monkeypatch.setattr(look, "within", whole)
    assistant = Assistant([_Finds()], ClipExecutor(), ClipExecutor())
    assistant.step(source.frame(0))
    assistant.set_corners(source.corners(0) + np.float32(60))
    views = [assistant.step(source.frame(index)) for index in range(80)]
    assert [view.reading.confidence for view in views if view.reading][:: len(views)] == [0.5]
    assert views[-1].reading.confidence == 1.0
    assistant.turn()
    assistant.step(source.frame(80))
    assert len(read_by_hand) == 1


def test_corners_are_clicked_where_the_lens_shows_them():
    """And read where the straight frame has them."""

    class Beside:
        shown = np.ones((480, 640), bool)

        def straighten(self, points: Points) -> Points:
            return points + np.float32(7)

    source, tasks = ToySource(lambda t: START, 1.0), []

    class Asked(Executor):
        def submit(self, work, task, clock):
            tasks.append(task)
            return Future()

    assistant = Assistant([ToyGame()], Asked(), ClipExecutor())
    assistant._newest = replace(source.frame(0), lens=Beside())
    assistant.set_corners(source.corners(0))
    assistant.step(source.frame(1))
    np.testing.assert_allclose(tasks[0].given.corners, source.corners(0) + 7, atol=0.01)


def test_corners_that_cross_over_are_refused(monkeypatch):
    assistant, source = _locked(monkeypatch)
    with pytest.raises(UserError, match="cross"):
        assistant.set_corners(source.corners(0)[[0, 2, 1, 3]])
    assert assistant.step(source.frame(1)).state == "locked"
