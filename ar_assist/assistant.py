"""The assistant: a frame goes in, what is known at that frame comes out.

Tracking is done on every frame. Slow jobs run elsewhere, one of each at a time, each in a process:
*looking* (read what is followed; where nothing is, find it), *challenging* (find from nothing,
while looks or a long search go on) and *thinking* (the game's solver). Boards and marks live in
plane px, so a late answer is drawn where the plane is now.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ar_assist import change
from ar_assist.belief import Belief
from ar_assist.follow import Followed, Trail, plane_by_hand
from ar_assist.look import LEAD, SURE, TRUST, UPRIGHT, Orientation, Sight, Task, look
from ar_assist.types import (
    Advice,
    AnyGame,
    Board,
    Correction,
    Frame,
    Homography,
    Plane,
    Points,
    Reading,
    State,
    View,
)

CALM_S = 0.5  # s between looks at a board that does not change
ANEW_EVERY, ANEW_AT_REST = 5, 2  # looks: with one of them the plane is challenged by a find
SEARCH_S = 1.0  # s that a search may take until another begins: a board may have come into view
BLIND_S = 0.5  # s that looks see no board in the plane, until one is sought elsewhere as well:
# discs that turn and tiles that fly pass
GIVE_UP_S = 1.0  # s out of sight until a board counts as lost, or a plane that shows no board is
COVERED_S = 5.0  # … until a trusted one is that is seen in most cells: a hand or a message is there
CALM_HINT_S = 0.1  # s without change after which a hint comes back: noise, or a fade that begins
IN_THE_WAY = 3  # looks since a hint was touched that would have seen what a move made
AWAY_S = 3.0  # s for which a doubtful board does not pass for one that is out of sight
SMALL_PX = 20.0  # side of a cell in the frame: of what is in smaller ones a camera leaves little
EARLIER = 7  # frames that a find averages in, where one frame did not do: noise is a third then, …
EARLIER_S = 1 / 15  # s from one of them to the next at least: moire and refresh bands differ more
KILLED = Advice[Any]((), "no move", "the thinking process was killed twice over this board")


@dataclass(frozen=True, eq=False)
class _Looking:
    """A look in flight."""

    future: Future[tuple[Sight | None, float]]
    task: Task
    followed: Followed | None  # what is read, or challenged; None: a board is sought
    seen: NDArray[np.uint8] | None  # that plane as its tracker saw it in the task's frame
    trail: Trail  # from there on


@dataclass(frozen=True)
class _Touch:
    """Cells that a hint rests on, or that there is none, look otherwise than they were read."""

    said: Any
    since: float  # s
    until: float  # s: the last frame in which they did; none for CALM_HINT_S ends the touch
    looks: int = 0  # that began since and are answered


class Assistant:
    """Sees frames in order and says what it knows. Not for several threads at once."""

    def __init__(
        self,
        games: Sequence[AnyGame],
        look: Executor,
        think: Executor,
        challenge: Executor | None = None,
        orientation: Orientation = UPRIGHT,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Where no executor is given to `challenge`, `look` works at both at once."""
        self._games = tuple(games)
        self._looker, self._thinker, self._clock = look, think, clock
        self._challenger = challenge or look
        self._orientation = orientation
        self._thinking: tuple[Future[Advice[Any]], Board] | None = None
        self._killed_over: Board | None = None  # where the thinking process ended
        self._newest: Frame | None = None
        self._timing: dict[str, float] = {}
        self.find_anew()

    # ------------------------------------------------------------------ what the player can do

    def find_anew(self) -> None:
        """Forget the plane and the board, and begin from nothing."""
        self._followed: Followed | None = None
        self._belief = Belief()
        # The answers of looks in flight are not wanted.
        self._looking: _Looking | None = None
        self._challenge: _Looking | None = None
        self._looked_at = -np.inf  # s
        self._is_vain = False  # the last look found no board
        self._earlier: list[Frame] = []  # while no board is trusted; newest first
        self._given: tuple[Frame, Plane] | None = None
        self._by_hand: tuple[Frame, Points] | None = None  # corners that led to what is followed
        self._changed: NDArray[np.bool_] | None = None
        self._compared: change.Compared | None = None  # the cells of the newest frame
        self._touch: _Touch | None = None  # the last one

    def turn(self) -> str:
        """Turn the reading clockwise by a quarter; how it is now, in words."""
        turned = (self._orientation.quarter_turns + 1) % 4
        self._orientation = replace(self._orientation, quarter_turns=turned)
        self._read_anew(quarter_turns=1)
        return f"turned by {90 * turned}°" if turned else "not turned"

    def mirror(self) -> str:
        """Read the board as a mirror shows it, or no longer; how it is now, in words."""
        mirrored = not self._orientation.mirrored
        self._orientation = replace(self._orientation, mirrored=mirrored)
        self._read_anew(quarter_turns=0)
        return "mirrored" if mirrored else "not mirrored"

    def vary(self) -> str:
        """Change the setting of the game on view that a key is for; what it is now, in words."""
        game = self._belief.game
        if game is None:
            return ""
        varied, words = game.varied()
        self._games = tuple(varied if one == game else one for one in self._games)
        if self._followed:
            self._followed.sight = self._as_set(self._followed.sight)
        self._thinking = None  # its answer is not wanted
        self._belief.play_as(varied)
        return words

    def set_corners(self, corners: Points) -> None:
        """Read the board in this quad of the newest frame, top left, then clockwise.

        `corners` (4, 2) are px of the picture as the camera made it.
        """
        assert self._newest is not None, "corners of which frame?"
        self._read_in(self._newest, self._newest.straight(corners))

    def another(self) -> str:
        """Show the next of the advised moves; what there is to say, if there is none."""
        self._belief.choose_next()
        advice = self._belief.advice
        return "no other move to show" if advice and len(advice.moves) == 1 else ""

    def correct(self, correction: Correction) -> None:
        """Put the player's word over what was read; ValueError says why that can't be."""
        self._belief.correct(correction)

    def _read_in(self, frame: Frame, corners: Points) -> None:
        """Forget the board, and read what is in this quad, (4, 2) px of the frame."""
        plane = plane_by_hand(corners)
        self.find_anew()
        self._given, self._by_hand = (frame, plane), (frame, corners)

    def _read_anew(self, quarter_turns: int) -> None:
        """Begin from nothing, or from corners that were set by hand, turned clockwise."""
        hand, followed = self._by_hand, self._followed
        if hand and followed:
            on_plane, hand = followed.sight.plane.to_plane(hand[1]), None
            if followed.plane and self._newest:
                hand = self._newest, followed.plane.to_frame(on_plane)
        self.find_anew()
        if hand:
            self._read_in(hand[0], np.roll(hand[1], quarter_turns, axis=0))

    # ------------------------------------------------------------------ a frame

    def step(self, frame: Frame) -> View:
        """What is known at this frame. Never waits for the slow jobs."""
        start, given = self._clock(), frame
        frame = replace(given, original=None)  # is not to go to other processes, nor to be kept
        self._timing = {}
        self._newest = frame
        self._follow(frame)
        self._timing["track"] = (self._clock() - start) * 1e3
        self._take_looks(frame)
        self._leave_trails(frame)
        self._compare()
        self._begin_look(frame)
        self._keep_for_find(frame)
        if self._take_looks(frame):  # an executor that works at once has the answer already
            self._compare()
        self._take_thought()
        self._begin_thought()
        self._take_thought()
        self._note_touched(frame)
        view = self._view(given)
        return replace(view, ms=(self._clock() - start) * 1e3, timing=self._timing)

    def _follow(self, frame: Frame) -> None:
        followed = self._followed
        if followed is None:
            return
        followed.update(frame)
        if followed.plane is None and frame.time - followed.seen_at > GIVE_UP_S:
            self._belief.lose_sight()  # the tracker may see the plane come back before a search
            followed.looks = 0  # then it is to be read before it is challenged

    def _lose_plane(self) -> None:
        self._followed = self._by_hand = None
        self._belief.lose_sight()

    def _begin_look(self, frame: Frame) -> None:
        if self._looking is not None:
            is_search = self._looking.followed is None and self._looking.task.given is None
            if is_search and self._challenge is None and frame.time - self._looked_at >= SEARCH_S:
                task = self._finding_task(frame)
                self._challenge = self._begun(self._challenger, task, None)
            return
        if self._is_vain and frame.time == self._looked_at:
            return  # the picture stands still: another look at it would find no more
        followed = self._followed if self._followed and self._followed.plane else None
        if followed and not self._is_restless() and abs(frame.time - self._looked_at) < CALM_S:
            return
        self._looked_at = frame.time
        if followed is None:
            self._looking = self._begun(self._looker, self._finding_task(frame), None)
            return
        task = self._tracked_task(frame, followed)
        self._looking = self._begun(self._looker, task, followed)
        if self._challenge is None and self._is_to_be_challenged(frame, followed):
            challenge = replace(task, anew=True, earlier=tuple(self._earlier))
            self._challenge = self._begun(self._challenger, challenge, followed)

    def _begun(self, executor: Executor, task: Task, followed: Followed | None) -> _Looking:
        future = executor.submit(_timed_look, task, self._clock)
        seen = followed.tracker.seen if followed else None
        return _Looking(future, task, followed, seen, Trail(task.frame))

    def _is_to_be_challenged(self, frame: Frame, followed: Followed) -> bool:
        """Whether to find from nothing, while what is followed is read on."""
        if followed.confidence + LEAD >= 1:  # no find would be that much surer
            return False
        if followed.blind_s(frame.time) >= BLIND_S and not self._is_covered:
            return True
        return self._is_calm and followed.looks % self._anew_every == 0

    def _is_restless(self) -> bool:
        """Whether there is anything to learn at once."""
        belief = self._belief
        is_settled = self._is_calm and belief.is_trusted
        return not is_settled or belief.is_contradicted or belief.is_outdone

    @property
    def _is_calm(self) -> bool:
        """Whether all cells look as they were read: no move waits to be read at once."""
        return self._changed is None or not self._changed.any()

    @property
    def _anew_every(self) -> int:
        """Looks, of which one finds from nothing: sooner where they are rare but not yet sure."""
        known = self._belief.reading
        is_sure = known is not None and known.confidence >= SURE
        return ANEW_EVERY if is_sure or self._is_restless() else ANEW_AT_REST

    @property
    def _is_covered(self) -> bool:
        """Whether some cells look otherwise than they were read, and most do not."""
        changed = self._changed
        return changed is not None and bool(changed.any()) and not change.is_another_board(changed)

    def _keep_for_find(self, frame: Frame) -> None:
        """Frames that the next finds average, as long as what is read is not trusted."""
        if self._belief.is_trusted:
            self._earlier.clear()
        elif not self._earlier or abs(frame.time - self._earlier[0].time) >= EARLIER_S:
            self._earlier = [frame, *self._earlier[: EARLIER - 1]]

    def _finding_task(self, frame: Frame) -> Task:
        given = None
        if self._given:
            (frame, given), self._given = self._given, None
        remembered = self._belief.reading or self._belief.remembered  # out of sight, or lost
        earlier = tuple(self._earlier) if self._is_vain and given is None else ()
        return Task(
            frame,
            self._games,
            self._orientation,
            given=given,
            remembered=remembered,
            earlier=earlier,
        )

    def _tracked_task(self, frame: Frame, followed: Followed) -> Task:
        assert followed.plane is not None
        followed.looks += 1
        views = followed.views(frame)
        if self._changed is not None and change.is_another_board(self._changed):
            views = views[:1]  # the earlier ones may show what was there before
        return Task(
            frame,
            self._games,
            self._orientation,
            tracked=replace(followed.sight, plane=followed.plane),
            views=views,
            fuller=followed.fuller(frame),
            believed=self._belief.reading,
            changed=self._changed,
            remembered=self._belief.remembered,
            anew=False,
        )

    def _take_looks(self, frame: Frame) -> bool:
        """Take in looks that are done; whether there were any."""
        is_any = False
        if (looking := self._looking) and looking.future.done():
            self._looking, is_any = None, True
            self._weigh(frame, looking)
        if (challenge := self._challenge) and challenge.future.done():  # and not void since
            self._challenge, is_any = None, True
            self._weigh_challenge(frame, challenge)
        return is_any

    def _weigh(self, frame: Frame, looking: _Looking) -> None:
        if self._touch and looking.task.frame.time > self._touch.since:
            self._touch = replace(self._touch, looks=self._touch.looks + 1)
        sight = self._answer(looking)
        if sight is not None and sight.tracker is not None:
            self._move_to(sight, looking, frame)
            return
        followed = looking.followed
        if followed is None:
            return
        if sight is None:
            followed.confidence = 0.0
            self._see_nothing(followed, looking.task)
            return
        followed.confidence, followed.blind_since = sight.reading.confidence, None
        assert looking.seen is not None
        picture = (looking.seen, followed.tracker.template_from_plane)
        self._belief.hear(sight, looking.task.frame.time, *picture)

    def _weigh_challenge(self, frame: Frame, challenge: _Looking) -> None:
        """Follow what was found elsewhere or lies better, if it was found of the board as it is: in
        the time of a long find a move may have been seen."""
        sight = self._answer(challenge)
        then, now = challenge.task.believed, self._belief.reading
        is_past = then is not None and now is not None and then.board != now.board
        is_there = challenge.followed in (None, self._followed)
        if sight is not None and sight.tracker is not None and is_there and not is_past:
            self._move_to(sight, challenge, frame)
            # The other one may search on for seconds: looks at what was found do not wait for it.
            self._looker, self._challenger = self._challenger, self._looker

    def _answer(self, looking: _Looking) -> Sight | None:
        try:
            sight, self._timing["look"] = looking.future.result()
        except BrokenExecutor:  # the process was killed; the next look gets a new one
            return None
        self._is_vain = sight is None
        return sight and self._as_set(sight)

    def _as_set(self, sight: Sight) -> Sight:
        """With the game as it is set now: a look may have begun before."""
        games = {game.name: game for game in self._games}
        return replace(sight, game=games.get(sight.game.name, sight.game))

    def _see_nothing(self, followed: Followed, task: Task) -> None:
        """Give up a plane in which looks have seen no board for long, by what of it is in view."""
        if task.tracked is None:
            return
        if followed.blind_since is None:
            followed.blind_since = task.frame.time
        may_be_covered = self._is_covered and self._belief.is_trusted
        if followed.blind_s(task.frame.time) >= (COVERED_S if may_be_covered else GIVE_UP_S):
            self._lose_plane()

    def _move_to(self, sight: Sight, looking: _Looking, frame: Frame) -> None:
        """Follow the plane that was found: optical flow leads to now in a few hops."""
        task, tracker, followed = looking.task, sight.tracker, self._followed
        assert tracker is not None
        if task.tracked is None and self._may_come_back(frame, sight):
            return
        seen = tracker.seen
        plane = looking.trail.lead(sight.plane, tracker, self._guess(sight, task), frame)
        if plane is None and followed and followed.plane:
            return
        self._followed = Followed(sight, tracker, plane, frame.time)
        self._looking = self._challenge = None  # looks at the plane that is left
        if task.given is None:  # found elsewhere, or better
            self._by_hand = None
        self._belief.give_way(sight.reading)
        self._belief.hear(sight, task.frame.time, seen, tracker.template_from_plane)

    def _may_come_back(self, frame: Frame, sight: Sight) -> bool:
        """Whether the board that went out of sight is another than one seen meanwhile, and more
        credible."""
        followed, known = self._followed, self._belief.reading or self._belief.remembered
        if followed is None or known is None or frame.time - followed.seen_at >= AWAY_S:
            return False
        doubtful = sight.reading.confidence < min(TRUST, known.confidence)
        return doubtful and not self._belief.recognises(sight)

    def _leave_trails(self, frame: Frame) -> None:
        for looking in (self._looking, self._challenge):
            if looking:
                looking.trail.leave(frame)

    def _guess(self, sight: Sight, task: Task) -> Homography | None:
        """Where the sight's plane is now, if the one followed until now tells the motion."""
        followed = self._followed
        if followed is None or followed.plane is None or task.tracked is None:
            return None
        then, now = task.tracked.plane.frame_from_plane, followed.plane.frame_from_plane
        return np.asarray(now @ np.linalg.inv(then) @ sight.plane.frame_from_plane)

    def _compare(self) -> None:
        """Which cells no longer look as they were read."""
        followed, belief = self._followed, self._belief
        self._changed = self._compared = None
        if followed and followed.plane and belief.reading and belief.reference:
            tracker = followed.tracker
            now = change.cells(tracker.seen, tracker.template_from_plane, belief.reading)
            self._compared = change.Compared(belief.reference, now, belief.restless)
            self._changed = self._compared.changed()

    def _begin_thought(self) -> None:
        belief = self._belief
        if self._thinking is not None or belief.reading is None or not belief.wants_advice:
            return
        assert belief.game is not None
        reading = replace(belief.reading, evidence=None)  # of no use there, and heavy to send
        future = self._thinker.submit(belief.game.advise, tuple(belief.history), reading)
        self._thinking = (future, reading.board)
        belief.wants_advice = False

    def _take_thought(self) -> None:
        if self._thinking is None or not self._thinking[0].done():
            return
        (future, board), self._thinking = self._thinking, None
        try:
            self._belief.advise(board, future.result())
        except BrokenExecutor:  # the process was killed: by chance, or by what this board takes
            if board == self._killed_over:
                self._belief.advise(board, KILLED)
            else:
                self._killed_over, self._belief.wants_advice = board, True

    # ------------------------------------------------------------------ what to show

    def _view(self, frame: Frame) -> View:
        followed, belief = self._followed, self._belief
        if followed is None or followed.plane is None:
            state: State = "lost" if belief.remembered or belief.reading else "searching"
            return View(frame, state, reason=_reason_without_plane(state, belief.reading))
        screen = followed.sight.screen
        view = View(
            frame,
            "searching",
            game=followed.sight.game,
            plane=followed.plane,
            screen=None if screen is None else followed.plane.to_frame(screen),
            reason="reading the board",
        )
        if belief.reading is None:
            read = belief.unbelieved
            return replace(view, reason=self._why_unsure(read)) if read else view
        hidden = self._why_no_hint()
        return replace(
            view,
            state="locked",
            reading=belief.reading,
            advice=None if hidden else belief.advice,
            choice=belief.choice,
            marks=() if hidden else belief.marks,
            reason=hidden or (belief.advice.reason if belief.advice else ""),
            age=frame.time - belief.read_at,
        )

    def _why_no_hint(self) -> str:
        belief = self._belief
        if belief.advice is None or belief.reading is None:
            return "working out a move"
        if not belief.is_trusted:
            return self._why_unsure(belief.reading)
        if self._touch is None:
            is_disputed = belief.disputed is not None and belief.touches_said(belief.disputed)
            return "two readings disagree, looking on" if is_disputed else ""
        if self._touch.looks >= IN_THE_WAY:
            return "a hand or something else is in the way"
        if self._changed is not None and change.is_another_board(self._changed):
            return "the board has changed, reading it again"
        return "something moves, reading again"

    def _why_unsure(self, reading: Reading[Any]) -> str:
        unsure = "not sure of the reading"
        is_small = self._cell_px(reading) < SMALL_PX
        return f"{unsure}: the cells are small, come nearer" if is_small else unsure

    def _cell_px(self, reading: Reading[Any]) -> float:
        """Side of a typical cell in the frame."""
        followed = self._followed
        assert followed is not None and followed.plane is not None
        quads = followed.plane.to_frame(reading.cell_quads())
        sides = np.linalg.norm(quads - np.roll(quads, 1, axis=2), axis=-1)
        return float(np.median(sides))

    def _note_touched(self, frame: Frame) -> None:
        said, touch = self._belief.said, self._touch
        now = frame.time
        if touch and touch.said != said:
            touch = None
        if said is not None and self._is_touched():
            touch = replace(touch, until=now) if touch else _Touch(said, now, now)
        elif touch and now - touch.until >= CALM_HINT_S:
            touch = None
        if touch and touch.looks >= IN_THE_WAY and self._points_elsewhere():
            touch = None
        self._touch = touch

    def _points_elsewhere(self) -> bool:
        """Point at a move that nothing is in the way of, if there is one."""
        changed, compared = self._changed, self._compared
        if changed is None or compared is None:
            return False
        return self._belief.point_elsewhere(changed | compared.may_have_begun)

    def _is_touched(self) -> bool:
        """Whether what is said rests on cells that look otherwise than they were read."""
        changed, compared = self._changed, self._compared
        if changed is None or compared is None:
            return False
        if self._belief.touches_said(changed):
            return True
        # Tiles that fly together pass for a camera that moves, until they are seen apart.
        is_back = self._followed is not None and self._followed.is_back
        return (is_back or compared.may_fly) and self._belief.touches_said(
            changed | compared.may_have_begun
        )


def _timed_look(task: Task, clock: Callable[[], float]) -> tuple[Sight | None, float]:
    start = clock()
    return look(task), (clock() - start) * 1e3


def _reason_without_plane(state: State, believed: Reading[Any] | None) -> str:
    if state == "searching":
        return "searching for a board"
    return "lost sight of the board" if believed else "lost the board, searching for it"
