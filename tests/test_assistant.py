"""What the assistant looks at and follows: on a toy game before a moving camera."""

from __future__ import annotations

import weakref
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
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
    ROWS,
    SLOW,
    START,
    ToyBoard,
    ToyGame,
    ToySource,
    over_cell,
    plane_at,
    shown,
)

from ar_assist import look, replay, runlog
from ar_assist.assistant import EARLIER, EARLIER_S, Assistant
from ar_assist.follow import TRAIL, Trail
from ar_assist.replay import ClipExecutor
from ar_assist.types import Candidate, Frame, Plane, Reading


def test_nothing_there_is_searching(play):
    views = play(ToySource(lambda t: None, 0.3))
    assert {view.state for view in views} == {"searching"}
    assert views[0].reason == "searching for a board"


def test_lost_is_said_at_once_and_found_again(play):
    source = ToySource(lambda t: None if 0.5 <= t < 1.0 else START, 1.5)
    views = play(source)
    for view in views:
        there = source.board_at(view.frame.time) is not None
        assert view.state == ("locked" if there else "lost")
        assert (shown(view) == HINT) == there
        assert (runlog.record(view)["board"] is not None) == there


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


class Remembers(ClipExecutor):
    """Keeps the tasks of its looks."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[look.Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        self.tasks.append(args[0])
        return super().submit(fn, *args, **kwargs)


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


@dataclass(frozen=True)
class _Known(ToyGame):
    """Believed at once, and then of some confidence."""

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        return reading if before else replace(reading, confidence=0.95)


@pytest.mark.parametrize(
    ("confidence", "is_busy", "is_challenged"),
    [(0.8, False, True), (0.8, True, False), (0.95, False, False)],
)
def test_other_planes_are_looked_for_now_and_then_but_not_while_cells_change(
    monkeypatch, confidence: float, is_busy: bool, is_challenged: bool
):
    """Nor where what is followed is so sure that none could be surer."""

    def hand(time: float) -> np.ndarray | None:
        return over_cell(int(9 * time) % ROWS, int(7 * time) % COLS) if is_busy and time else None

    source, looks = ToySource(lambda t: START, 3.5, hand, fps=SLOW), Remembers()
    source.replace_finder(monkeypatch)
    assistant = Assistant([_Known(confidence=confidence)], looks, ClipExecutor())
    for frame in source:
        assistant.step(frame)
    tracked = [task for task in looks.tasks if task.tracked]
    assert len(tracked) >= 5
    assert any(task.anew for task in tracked) == is_challenged


class _Late(ClipExecutor):
    """A challenger that takes a second, and whoever waits for it."""

    def __init__(self) -> None:
        super().__init__(latency_s=1.0)
        self.tasks: list[look.Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        self.tasks.append(args[0])
        return super().submit(fn, *args, **kwargs)


class _Stuck(Executor):
    """Never ends its first job, nor what waits behind it."""

    def __init__(self) -> None:
        self.jobs: list[look.Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future:
        self.jobs.append(args[0])
        return Future()


def test_a_board_that_comes_into_view_does_not_wait_for_a_search_that_takes_long(monkeypatch):
    source, stuck = ToySource(lambda t: START if t >= 0.5 else None, 3.0), _Stuck()
    source.replace_finder(monkeypatch)
    assistant = Assistant([ToyGame()], stuck, ClipExecutor(), ClipExecutor())
    views = [assistant.step(frame) for frame in source]
    first = next(view.frame.time for view in views if view.reading)
    assert first == pytest.approx(1.0, abs=0.1)
    assert len(stuck.jobs) == 1, "looks at the board do not wait behind it"
    assert views[-1].age < 1.0


def test_no_search_overtakes_a_look_at_corners_that_were_set_by_hand(monkeypatch):
    source, stuck, challenges = ToySource(lambda t: START, 2.0), _Stuck(), Remembers()
    source.replace_finder(monkeypatch)
    assistant = Assistant([ToyGame()], stuck, ClipExecutor(), challenges)
    first, *others = source
    assistant.step(first)
    assistant.set_corners(source.corners(0))
    for frame in others:
        assistant.step(frame)
    assert stuck.jobs[-1].given is not None
    assert not challenges.tasks


@pytest.mark.parametrize("moves", [False, True])
def test_a_long_challenge_holds_up_no_look_and_is_void_where_a_move_came_first(monkeypatch, moves):
    source, challenges = ToySource(lambda t: AFTER if moves and t >= 1.3 else START, 4.0), _Late()
    source.replace_finder(monkeypatch)
    assistant = Assistant([_Surer()], ClipExecutor(), ClipExecutor(), challenges)
    views = []
    for frame in source:
        challenges.advance(frame.time)
        views.append(assistant.step(frame))
    begun = challenges.tasks[0].frame.time
    assert begun < 1.3, "else the move is not amid it"
    sure = next(v.frame.time for v in views if v.reading and v.reading.confidence == 0.95)
    if moves:
        read = next(v.frame.time for v in views if v.reading and v.reading.board == AFTER)
        assert read < 1.3 + 0.1
        assert sure > begun + 2.0, "only the next challenge counts"
        assert all(v.reading.board == AFTER for v in views if v.reading and v.frame.time > read)
    else:
        assert sure == pytest.approx(begun + 1.0, abs=0.1)


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


def test_a_look_of_five_seconds_still_lands_where_the_board_is(play):
    source = ToySource(lambda t: START, 5.3)
    views = play(source, look_latency_s=5.0)
    landed = next(view for view in views if view.plane)
    truth = source.corners(landed.frame.index)
    assert np.abs(landed.plane.to_frame(landed.reading.corners) - truth).max() < 1.5


class Never(Executor):
    """A machine too busy for its jobs."""

    def submit(self, *job: object, **named: object) -> Future:
        return Future()


@dataclass(frozen=True)
class _Surer(ToyGame):
    """Surer of a board that it finds than of one that it knows."""

    finds: list[int] = field(default_factory=list, compare=False)

    def read(self, picture, lattice, before=None):
        self.finds.extend([] if before else [1])
        reading = super().read(picture, lattice, before)
        is_first = len(self.finds) <= 2  # a find, and a look that agrees
        return replace(reading, confidence=0.75 if before or is_first else 0.95)


def test_a_find_that_is_not_led_to_now_does_not_take_the_place_of_what_is_followed(monkeypatch):
    source = ToySource(lambda t: START, 3.0)
    source.replace_finder(monkeypatch)
    game = _Surer()
    assistant = Assistant([game], ClipExecutor(), ClipExecutor())
    assistant.step(source.frame(0))
    assistant.step(source.frame(0))
    monkeypatch.setattr(Trail, "lead", lambda *of: None)
    views = [assistant.step(source.frame(index)) for index in range(1, 80)]
    assert len(game.finds) > 2
    assert {view.state for view in views} == {"locked"}


def test_a_look_that_takes_for_ever_holds_few_frames():
    assistant = Assistant([ToyGame()], Never(), Never())
    images = []
    for i in range(60 * 30):
        image = np.zeros((48, 64, 3), np.uint8)
        images.append(weakref.ref(image))
        assistant.step(Frame(i, i / 30, image))
        del image
    assert sum(image() is not None for image in images) <= 2 * TRAIL + EARLIER + 1


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

    looks: list[int] = field(default_factory=list, compare=False)

    def read(self, picture, lattice, before=None):
        reading = super().read(picture, lattice, before)
        self.looks.append(1)
        if len(self.looks) < 3:
            return reading
        return None if before else replace(reading, board=AFTER, confidence=0.5)


def test_a_plane_that_shows_no_board_gives_way_to_a_doubtful_one(play):
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

    views = play(ToySource(there, 3.2, plane=plane, fps=SLOW), _Dazzled(doubted=board))
    assert (
        any(view.reading is not None and view.reading.board == board for view in views) == is_known
    )


def test_runs_repeat_to_the_letter(play):
    def log():
        source = ToySource(lambda t: START if t < 0.4 else AFTER, 0.8)
        lines = [runlog.record(view) for view in play(source, look_latency_s=0.1)]
        return [{k: v for k, v in line.items() if k not in ("ms", "look_ms")} for line in lines]

    assert log() == log()
