"""What the assistant shows and when: on a toy game before a moving camera."""

from __future__ import annotations

import weakref
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any

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
    ToySource,
    plane_at,
    screen_picture,
    shown,
)

from ar_assist import look, replay, runlog
from ar_assist.assistant import EARLIER, EARLIER_S, TRAIL, Assistant
from ar_assist.errors import UserError
from ar_assist.follow import Followed
from ar_assist.look import Sight
from ar_assist.replay import ClipExecutor
from ar_assist.track import Tracker
from ar_assist.types import Candidate, Correction, Frame, Lattice, Plane, Points, Reading
from calibration import Camera


class Remembers(ClipExecutor):
    """Keeps the tasks of its looks."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[look.Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        self.tasks.append(args[0])
        return super().submit(fn, *args, **kwargs)


def _cell(r: int, c: int, around: float = 0.4) -> np.ndarray:
    """A square over a cell, in the toy's plane px."""
    x, y = (c + 1.5) * PX, (r + 1.5) * PX
    d = (0.5 + around) * PX
    return np.array([[x - d, y - d], [x + d, y - d], [x + d, y + d], [x - d, y + d]])


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


def test_a_hand_elsewhere_hides_nothing(play):
    views = play(ToySource(lambda t: START, 1.2, hand=lambda t: _cell(3, 2) if t > 0.6 else None))
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
    source = ToySource(lambda t: START, 0.8, hand=lambda t: _cell(0, 1) if t > 0.6 else None)
    views = play(source, ToyGame(slides=slides), look_latency_s=0.1)
    assert shown(views[round(0.6 * FPS) - 1]) == HINT
    after = {shown(view) for view in views[round(0.6 * FPS) + 1 :]}
    assert (HINT in after) != slides


def test_a_hand_on_the_hint_hides_it(play):
    views = play(
        ToySource(lambda t: START, 0.8, hand=lambda t: _cell(0, 0) if t > 0.6 else None),
        look_latency_s=0.1,
    )
    assert shown(views[round(0.6 * FPS) - 1]) == HINT
    assert all(shown(view) != HINT for view in views[round(0.6 * FPS) + 1 :])


class Blind(ToyGame):
    """Reads no board of which something is hidden."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        return None if reading is None or not reading.cells.all() else reading


def test_a_hand_that_stays_is_told_from_a_move(play):
    """Looks have seen what a move made, but not what a hand hides."""
    moves, hides = "something moves, reading again", "a hand or something else is in the way"
    hand = ToySource(lambda t: START, 2.9, lambda t: _cell(0, 0) if t > 2 else None, fps=SLOW)
    said = [view.reason for view in play(hand, Blind(), look_latency_s=0.1)]
    assert set(said[round(2.1 * SLOW) :]) == {moves, hides}
    assert said[-1] == hides
    for look_s in (0.1, 1.0):
        moved = ToySource(lambda t: START if t < 2 else AFTER, 6.0, fps=SLOW)
        said = [view.reason for view in play(moved, look_latency_s=look_s)]
        assert moves in said and hides not in said and not said[-1]


def test_a_hand_that_stays_is_told_by_a_camera_that_is_slow_in_the_dark(play):
    """Its frames are further apart than a touch lasts."""
    hand = ToySource(lambda t: START, 4.5, hand=lambda t: _cell(0, 0) if 2 < t < 2.9 else None)
    said = {v.frame.time: v.reason for v in play(hand, Blind(), look_latency_s=0.1, stride=4)}
    assert "a hand or something else is in the way" in said.values()
    assert not any(reason for time, reason in said.items() if time > 3.2)


def test_a_hint_that_was_hidden_comes_back_when_its_cells_are_calm(play):
    """A hand that shakes at the edge of a tile, or noise while a tile begins to fade."""

    def hand(t: float) -> np.ndarray | None:
        return _cell(0, 0) if 0.5 < t < 0.7 and round(t * FPS) % 2 else None

    views = play(ToySource(lambda t: START, 1.2, hand=hand), look_latency_s=0.4)
    assert all(shown(view) == HINT for view in views if 0.45 < view.frame.time < 0.5)
    assert not any(shown(view) == HINT for view in views if 0.55 < view.frame.time < 0.7)
    assert all(shown(view) == HINT for view in views if view.frame.time > 0.9)


def test_lost_is_said_at_once_and_found_again(play):
    source = ToySource(lambda t: None if 0.5 <= t < 1.0 else START, 1.5)
    views = play(source)
    for view in views:
        there = source.board_at(view.frame.time) is not None
        assert view.state == ("locked" if there else "lost")
        assert (shown(view) == HINT) == there
        assert (runlog.record(view)["board"] is not None) == there


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
        corners = _cell(0, 0, around=0.0)
        part = corners[0] + 0.5 * (corners - corners[0])
        return part if time >= 0.8 else None

    views = play(ToySource(board, 0.85, hand=bit), look_latency_s=0.2)
    (first,) = [view for view in views if view.frame.index == round(0.8 * FPS)]
    assert any(shown(view) == HINT for view in views)
    assert first.state == "locked"
    assert (shown(first) == HINT) == (not why)


def test_a_look_that_finds_anew_knows_the_board_that_is_out_of_sight(play, monkeypatch):
    """Its last tiles of a line may be gone: then it is found a line smaller."""
    tasks = []
    monkeypatch.setattr(
        "ar_assist.assistant.look", lambda task: tasks.append(task) or look.look(task)
    )
    play(ToySource(lambda t: None if 0.5 <= t < 1.0 else START, 1.5))
    found = [task.remembered for task in tasks if task.tracked is None and task.frame.time > 0]
    assert len(found) > 1
    assert all(known is not None and known.board == START for known in found)


def _aside(columns: float, since: float, until: float):
    """A camera that shows the board so many columns further to the right for a while."""

    def plane(time: float) -> Plane:
        there = plane_at(time)
        share = np.clip(min(time - since, until - time) / 0.4, 0, 1)  # it takes its time to turn
        move = np.array([[1, 0, 1.2 * PX * columns * share], [0, 1, 0], [0, 0, 1]])
        return Plane(move @ there.frame_from_plane, PLANE_WH)

    return plane


@pytest.mark.parametrize("latency_s", [0.0, 0.2])
def test_what_lies_beyond_the_edge_of_the_picture_is_as_it_was(play, latency_s: float):
    source = ToySource(lambda t: START, 3.3, plane=_aside(4.5, since=0.5, until=2.5))
    views = play(source, look_latency_s=latency_s)
    cut = [v for v in views if v.frame.time >= 0.3 and source.corners(v.frame.index).max() > 640]
    assert len(cut) > 30
    assert all(view.reading and view.reading.board == START for view in cut)
    assert all(shown(view) == HINT for view in views[-5:])


def test_a_move_on_the_part_in_view_is_believed(play):
    moved = START.put({(0, 2): 0, (2, 1): 0})
    plane = _aside(3.5, since=0.5, until=9)
    source = ToySource(lambda t: START if t < 1.5 else moved, 2.5, plane=plane)
    views = play(source)
    after = [v for v in views if v.frame.time >= 1.8]
    assert all(source.corners(v.frame.index).max() > 640 for v in after)
    assert all(v.reading.board == moved for v in after)


@pytest.mark.parametrize("pan_s", [0.4, 2.0])  # of a slow one each frame shows hardly less
def test_the_picture_that_showed_the_most_is_kept_while_the_board_moves_out(pan_s: float):
    def plane(time: float) -> Plane:
        move = np.array([[1, 0, 1.2 * PX * 4.5 * min(time / pan_s, 1)], [0, 1, 0], [0, 0, 1]])
        return Plane(move @ plane_at(0).frame_from_plane, PLANE_WH)

    source = ToySource(lambda t: START, pan_s + 0.2, plane=plane)
    first, *others = source
    sight = Sight(
        ToyGame(), plane(0), LATTICE, None, ToyGame().read(screen_picture(START), LATTICE)
    )
    followed = Followed(sight, Tracker(first, plane(0)), plane(0), 0.0)
    for frame in others:
        followed.update(frame)
        assert followed.plane is not None
    image, there = followed.fuller(frame)
    whole, cut = (seen.to_frame(LATTICE.corners).max() for seen in (there, followed.plane))
    assert whole < 640 < cut
    assert np.abs(there.corners - plane(source.time_of(image)).corners).max() < 2


def test_through_a_lens_what_its_picture_shows_counts_and_not_what_the_straight_one_holds():
    """The straight picture is black in its corners."""
    camera = Camera(640, 480, 500, 500, 320, 240, (-0.35, 0.12))
    bent = np.zeros((480, 640, 3), np.uint8)
    frame = Frame(0, 0.0, bent, lens=camera)
    h, w = camera.shown.shape
    middle, corner = (
        Plane(np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1]]), PLANE_WH)
        for x, y in ((w / 2 - 160, h / 2 - 120), (w - 320, h - 240))
    )

    class Told:
        plane = middle

        def update(self, image):
            return self.plane

    sight = Sight(ToyGame(), middle, LATTICE, None, ToyGame().read(screen_picture(START), LATTICE))
    tracker = Told()
    followed = Followed(sight, tracker, middle, 0.0)
    followed.update(frame)
    assert followed.fuller(frame) is None
    tracker.plane = corner
    later = replace(frame, index=1, image=bent.copy())
    followed.update(later)
    assert followed.fuller(later)[0] is bent


def test_of_a_board_found_at_the_edge_what_lies_beyond_is_not_certain(monkeypatch):
    source = ToySource(lambda t: START, 0.1, plane=_aside(4.5, since=-1, until=9))
    source.replace_finder(monkeypatch)
    seen = look.look(look.Task(source.frame(0), (ToyGame(),)))
    in_frame = seen.plane.to_frame(seen.reading.cell_quads()).max((2, 3)) <= 639.5
    assert 0 < in_frame.sum() < in_frame.size
    assert (seen.reading.certainty == np.where(in_frame, 1, 0)).all()


@dataclass(frozen=True)
class _Imagines(ToyGame):
    """Sees some board, though not surely, where there is none."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        if reading is not None:
            return reading
        board = ToyBoard(START.cells[::-1])
        sides = np.ones((ROWS, COLS), np.float32)
        return Reading(board, (lattice or LATTICE).corners, sides, confidence=0.2)


@pytest.mark.parametrize("game", [ToyGame(), _Imagines()])
def test_a_board_that_was_out_of_sight_is_back_before_it_is_found(monkeypatch, game: ToyGame):
    source = ToySource(lambda t: None if 0.5 <= t < 2.0 else START, 2.5)

    def find(image, outlined=None):
        time = source.time_of(image)
        return [Candidate(source.plane(time), LATTICE, 1.0)] if time < 2.0 else []

    source.replace_finder(monkeypatch)
    monkeypatch.setattr(look, "find", find)
    for view in replay.run(source, [game]):
        assert view.frame.time < 2.0 + 2 / FPS or shown(view) == HINT
    assert view.state == "locked"


def test_nothing_there_is_searching(play):
    views = play(ToySource(lambda t: None, 0.3))
    assert {view.state for view in views} == {"searching"}
    assert views[0].reason == "searching for a board"


def test_a_picture_that_stands_still_is_looked_at_in_vain_only_once(monkeypatch):
    source, looks = ToySource(lambda t: None), Remembers()
    source.replace_finder(monkeypatch)
    assistant = Assistant([ToyGame()], looks, ClipExecutor())
    for index in (0, 0, 0, 1, 1, 2):
        assistant.step(source.frame(index))
    assert [task.frame.index for task in looks.tasks] == [0, 1, 2]


def test_a_find_averages_earlier_frames_only_where_one_alone_did_not_do(monkeypatch):
    source = ToySource(lambda t: START if t > 1 else None, 2.0)
    source.replace_finder(monkeypatch)
    looks = Remembers()
    assistant = Assistant([ToyGame()], looks, ClipExecutor())
    for frame in source:
        assistant.step(frame)
    first, *others = looks.tasks
    assert not first.earlier
    for task in others:
        times = [one.time for one in (task.frame, *task.earlier)]
        assert (len(times) > 1) == (task.tracked is None)
        assert len(times) <= EARLIER + 1
        assert all(np.diff(times[1:]) < 1e-6 - EARLIER_S)
    assert max(len(task.earlier) for task in others) == EARLIER


def test_runs_repeat_to_the_letter(play):
    def log():
        source = ToySource(lambda t: START if t < 0.4 else AFTER, 0.8)
        lines = [runlog.record(view) for view in play(source, look_latency_s=0.1)]
        return [{k: v for k, v in line.items() if k not in ("ms", "look_ms")} for line in lines]

    assert log() == log()


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


def test_how_the_reading_is_turned_is_said():
    assistant = Assistant((ToyGame(),), ClipExecutor(), ClipExecutor())
    turns = [assistant.turn() for _ in range(5)]
    assert turns == ["turned by 90°", "turned by 180°", "turned by 270°", "not turned", turns[0]]
    assert [assistant.mirror() for _ in range(2)] == ["mirrored", "not mirrored"]


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


def test_an_answer_for_another_board_is_nevershown(play):
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


def test_a_look_of_a_second_still_lands_on_the_board(play):
    """The camera turns on while the finder works: flow goes by frames in between."""

    def turning(time: float) -> Plane:
        angle = 0.9 * time
        turn = np.array(
            [[np.cos(angle), -np.sin(angle), 320], [np.sin(angle), np.cos(angle), 240], [0, 0, 1]]
        )
        centred = np.array([[1, 0, -PLANE_WH[0] / 2], [0, 1, -PLANE_WH[1] / 2], [0, 0, 1.0]])
        return Plane(turn @ centred, PLANE_WH)

    source = ToySource(lambda t: START, 1.2, plane=turning)
    first = next(view for view in play(source, look_latency_s=1.0) if view.plane)
    assert first.frame.time >= 1.0
    corners = first.plane.to_frame(first.reading.corners)
    assert np.abs(corners - source.corners(first.frame.index)).max() < 1.5


def test_corners_that_cross_over_are_refused(monkeypatch):
    assistant, source = _locked(monkeypatch)
    with pytest.raises(UserError, match="cross"):
        assistant.set_corners(source.corners(0)[[0, 2, 1, 3]])
    assert assistant.step(source.frame(1)).state == "locked"


@dataclass(frozen=True)
class _Blinded(ToyGame):
    """Sees no board while a pair fades: discs that turn over are neither black nor white."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        one = reading is not None and reading.board == START.put({HINT.a: 0})
        return None if one else reading


@pytest.mark.parametrize(
    ("seconds", "confidence", "is_lost"),
    [(0.4, 1.0, False), (2.0, 1.0, False), (6.0, 1.0, True), (0.4, 0.5, False), (2.0, 0.5, True)],
)
def test_a_plane_without_a_board_is_given_up_after_a_while(
    play, seconds: float, confidence: float, is_lost: bool
):
    """Sooner if the board was never trusted: it may have been none."""

    def board(time: float) -> ToyBoard:
        if 0.5 <= time < 0.5 + seconds:
            return START.put({HINT.a: 0})
        return START if time < 1.0 else AFTER

    views = play(ToySource(board, 1.5 + seconds, fps=SLOW), _Blinded(confidence=confidence))
    assert (views[-1].reading.board, views[-1].state) == (AFTER, "locked")
    begun = next(i for i, view in enumerate(views) if view.state == "locked")
    assert any(view.state != "locked" for view in views[begun:]) == is_lost


@dataclass(frozen=True)
class _Loses(ToyGame):
    """After some looks sees the board no more where it was, and another doubtfully elsewhere."""

    looks = []  # noqa: RUF012

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if len(self.looks) < 3:
            return reading
        return None if before else replace(reading, board=AFTER, confidence=0.5)


def test_a_plane_that_shows_no_board_gives_way_to_a_doubtful_one(play):
    _Loses.looks.clear()
    views = play(ToySource(lambda t: START, 3.0, fps=SLOW), _Loses())
    assert shown(views[5]) == HINT
    assert any(view.reading is not None and view.reading.confidence == 0.5 for view in views)
    assert shown(views[-1]) is None


@dataclass(frozen=True)
class _Dazzled(ToyGame):
    """Reads a board with a doubt."""

    doubted: ToyBoard = START

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        doubt = reading is not None and reading.board == self.doubted
        return replace(reading, confidence=0.5) if doubt else reading


@pytest.mark.parametrize(
    ("board", "is_known"), [(AFTER, True), (ToyBoard(START.cells[::-1]), False)]
)
def test_a_doubtful_board_is_the_one_that_was_lost_if_moves_make_it_of_that(play, board, is_known):
    there = lambda t: START if t < 0.5 else board if t >= 2.0 else None  # noqa: E731

    def plane(time: float) -> Plane:
        across = np.array([[0.7, -0.7, 264], [0.7, 0.7, -152], [0, 0, 1]])
        turned = across if time > 1.5 else np.eye(3)  # so that it has to be found anew
        return Plane(turned @ plane_at(time).frame_from_plane, PLANE_WH)

    views = play(ToySource(there, 2.4, plane=plane, fps=SLOW), _Dazzled(doubted=board))
    assert (
        any(view.reading is not None and view.reading.board == board for view in views) == is_known
    )


class Killed(ClipExecutor):
    """Its process does not survive the first jobs."""

    jobs = 2

    def submit(self, *job: Any, **named: Any) -> Future:
        if not self.jobs:
            return super().submit(*job, **named)
        self.jobs -= 1
        dead: Future[Any] = Future()
        dead.set_exception(BrokenProcessPool())
        return dead


@pytest.mark.parametrize("stands_still", [False, True])
def test_a_killed_look_is_followed_by_the_next(monkeypatch, stands_still: bool):
    source = ToySource(lambda t: START, 1.0)
    source.replace_finder(monkeypatch)
    assistant = Assistant([ToyGame()], Killed(), ClipExecutor())
    states = [assistant.step(source.frame(i * (not stands_still))).state for i in range(3)]
    assert states == ["searching", "searching", "locked"]


@pytest.mark.parametrize("is_busy", [False, True])
def test_other_planes_are_looked_for_now_and_then_but_not_while_cells_change(monkeypatch, is_busy):
    def hand(time: float) -> np.ndarray | None:
        return _cell(int(9 * time) % ROWS, int(7 * time) % COLS) if is_busy and time else None

    source, looks = ToySource(lambda t: START, 3.5, hand, fps=SLOW), Remembers()
    source.replace_finder(monkeypatch)
    assistant = Assistant([ToyGame()], looks, ClipExecutor())
    for frame in source:
        assistant.step(frame)
    tracked = [task for task in looks.tasks if task.tracked]
    assert len(tracked) >= 5
    assert any(task.anew for task in tracked) == (not is_busy)


def test_a_board_that_is_back_is_read_before_others_are_looked_for(monkeypatch):
    """After however many looks it went out of sight."""
    back = []
    for gone in (0.6, 1.1, 1.6, 2.1, 2.6):
        board = lambda t, a=gone: None if a <= t < a + 1.2 else START  # noqa: E731
        source = ToySource(board, gone + 1.5, plane=lambda t: plane_at(0.0), fps=SLOW)
        looks = Remembers()
        source.replace_finder(monkeypatch)
        assistant = Assistant([ToyGame()], looks, ClipExecutor())
        for frame in source:
            assistant.step(frame)
        back.append([task.anew for task in looks.tasks if task.tracked and task.remembered])
    assert all(back) and not any(map(any, back))


class Never(Executor):
    """A machine too busy for its jobs."""

    def submit(self, *job: object, **named: object) -> Future:
        return Future()


def test_a_look_that_takes_for_ever_holds_few_frames():
    assistant = Assistant([ToyGame()], Never(), Never())
    images = []
    for i in range(60 * 30):
        image = np.zeros((48, 64, 3), np.uint8)
        images.append(weakref.ref(image))
        assistant.step(Frame(i, i / 30, image))
        del image
    assert sum(image() is not None for image in images) <= TRAIL + EARLIER + 1


def test_a_look_of_five_seconds_still_lands_where_the_board_is(play):
    source = ToySource(lambda t: START, 5.3)
    views = play(source, look_latency_s=5.0)
    landed = next(view for view in views if view.plane)
    truth = source.corners(landed.frame.index)
    assert np.abs(landed.plane.to_frame(landed.reading.corners) - truth).max() < 1.5
