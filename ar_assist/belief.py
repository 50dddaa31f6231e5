"""What is believed of the board on view: which reading, how it came to be, what follows from it.

A single misread frame must never lead. The first reading is believed when it is sure or when the
next looks agree. From then on `testimony.py` says which of its cells are believed otherwise.
A board that was lost is believed at once where it shows what it did, or what moves make of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ar_assist import change
from ar_assist.look import LEAD, TRUST, Sight
from ar_assist.testimony import (
    CONTRADICTION_S,
    LOOKS,
    MOST,
    NEW_CERTAINTY,
    PERSIST_S,
    Mask,
    Shown,
    Testimony,
    Verdict,
    doubted,
)
from ar_assist.types import Advice, AnyGame, Board, Correction, Homography, Mark, Reading

SURE = 0.9  # confidence at which one look at a new plane is believed
EVEN = 0.5  # … and under which none is, however many agree: likelier than not it is no board
# Looks that agree, if one is not sure; of what the picture cuts off, a keyboard or icons, enough
# may be alike for two.
WHOLE_LOOKS, CUT_OFF_LOOKS = 2, 3
AFTER_MOVE = 0.99  # chance that a look is right which shows the very cells change that a move takes
ENOUGH = 6  # tiles that are read as before: not by chance
HEARD = 8  # looks that say what an unbelieved board is: no more are made in a second
AIMED_S = 0.5  # s for which a camera that was aimed anew adjusts its exposure
SMOOTH = 8  # readings whose corners are averaged: in plane px, where averaging costs no lag
SAME_PLACE = 0.15  # of a cell: corners that differ by less are noise about one place
MISREAD = 4  # boards back that a return to one of them means the boards between were misread
HISTORY = 400  # boards kept: more than a game has moves


@dataclass(frozen=True, eq=False)
class _Rumour:
    """A board that was read but is not believed yet."""

    heard: tuple[Reading[Any], ...]  # by the last looks: one board, but for a few cells
    first: float  # s of the look that began it
    since: float  # s: from then on looks read the very board that the last one did
    looks: int = 1  # that did so, one after another

    def then(self, reading: Reading[Any], time: float) -> _Rumour:
        """What is heard once another look says this."""
        last, heard = self.heard[-1], (*self.heard, reading)[-HEARD:]
        if reading.board == last.board:
            return replace(self, heard=heard, looks=self.looks + 1)
        if last.is_like(reading) and _are_few(_disputed(heard), last, reading):
            return _Rumour(heard, self.first, time)
        return _Rumour((reading,), time, time)

    @property
    def gist(self) -> Reading[Any]:
        """What is most like all that looks said, with doubts where they disagreed."""

        def unlike(one: Reading[Any]) -> int:
            return sum(int((one.cells != other.cells).sum()) for other in self.heard)

        return doubted(min(reversed(self.heard), key=unlike), _disputed(self.heard))


@dataclass(frozen=True)
class _Amended:
    """The player's word, and what was read of its cells when it was given."""

    correction: Correction
    read: tuple[int, ...]


class Belief:
    """The board that is believed, its history, advice and marks. Changed only by its methods."""

    def __init__(self) -> None:
        self.game: AnyGame | None = None
        self.reading: Reading[Any] | None = None  # in px of the plane that is followed
        self.remembered: Reading[Any] | None = None  # of a plane that is lost
        self.read_at = 0.0  # s
        self.reference: change.Reference | None = None  # the cells as they looked when read
        self.history: list[Board] = []
        self.advice: Advice[Any] | None = None
        self.wants_advice = False
        self.marks: tuple[Mark, ...] = ()
        self.choice = 0
        self._amended: tuple[_Amended, ...] = ()
        self._raw: NDArray[np.int64] | None = None  # (rows, cols) as read last, before corrections
        self._averaged = 0
        self._rumour: _Rumour | None = None
        self._testimony: Testimony | None = None  # on the board that is believed
        self._usual: list[float] = []  # `change.Compared.usual` of the last looks that read it all

    @property
    def is_trusted(self) -> bool:
        """Whether a hint may rest on the board."""
        return self.reading is not None and self.reading.confidence >= TRUST

    @property
    def unbelieved(self) -> Reading[Any] | None:
        """What was read last, if it is likelier no board and so is not believed."""
        rumour = self._rumour
        if self.reading is not None or rumour is None or rumour.heard[-1].confidence >= EVEN:
            return None
        return rumour.heard[-1]

    @property
    def is_contradicted(self) -> bool:
        """Whether the last look was the first to read a cell otherwise: another must say more."""
        return self._testimony is not None and self._testimony.is_contradicted

    @property
    def is_outdone(self) -> bool:
        """Whether the last look is surer of a cell than is believed: another may confirm it."""
        known, testimony = self.reading, self._testimony
        return known is not None and testimony is not None and testimony.outdoes(known)

    @property
    def disputed(self) -> Mask | None:
        """(rows, cols) cells that the last looks agreed to read otherwise; None: no board."""
        return self._testimony.disputed if self._testimony else None

    @property
    def restless(self) -> float:
        """Share of the board's contrast by which its typical cell differs from look to look though
        all read it alike: by waves of moire. Tiles that fly are soon read otherwise."""
        return min(self._usual) if len(self._usual) == LOOKS else 0.0

    @property
    def hint(self) -> Any:
        """The advised move that is pointed at; None: there is none."""
        moves = self.advice.moves if self.advice else ()
        return moves[self.choice] if moves else None

    @property
    def said(self) -> Any:
        """What the player is told of the board as it is now: the hint, or why there is none; None:
        nothing yet, or that it is solved, which whatever comes then leaves true."""
        return self.advice if self._has_no_move else self.hint

    @property
    def _has_no_move(self) -> bool:
        return self.advice is not None and self.advice.status == "no move"

    def touches_said(self, cells: Mask) -> bool:
        """Whether a change of (rows, cols) cells meets what is said of the board: a hint rests on
        the cells it is drawn in, and that there is none on all."""
        assert self.game is not None and self.reading is not None
        if self._has_no_move or (self.game.is_atomic and self.marks):
            return bool(cells.any())
        slides = self.advice is not None and self.advice.slides
        return change.touches(cells, self.marks, self.reading, slides)

    def lose_sight(self) -> None:
        """The plane is no longer followed: keep what is known, but not as what is on view."""
        self.remembered = self.reading or self.remembered
        self.reading = self.reference = self._rumour = self._testimony = None
        self._usual = []
        self._drop_advice()

    def give_way(self, to: Reading[Any]) -> None:
        """Another plane is followed. One that is read far more surely owes nothing to what was
        believed, but for the player's word: a plane that lies badly parts kinds that are one."""
        known = self.reading
        is_worse = known is not None and to.confidence >= known.confidence + LEAD
        self.lose_sight()
        if is_worse and not self._amended:
            self.remembered = None

    def recognises(self, sight: Sight) -> bool:
        """Whether it shows the board that is believed, or was when it was lost, or what moves make
        of that."""
        return sight.natural is not None or self._recognised(sight, sight.reading) is not None

    def hear(
        self, sight: Sight, time: float, seen: NDArray[np.uint8], seen_from_plane: Homography
    ) -> None:
        """Take in what a look saw at `time`; `seen` is the small picture of its frame."""
        reading, old = self._corrected(sight), self.reading
        known = old or self.remembered
        if old is None or self.reference is None:
            again = self._recognised(sight, reading)
            if again is not None:
                self._start(sight.game, again, time, confirmed_for=CONTRADICTION_S)
            else:
                start = self._good_start(sight, reading, time)
                if start is None:
                    return
                self._start(sight.game, start, time)
            kept = None
        else:
            shown = change.cells(seen, seen_from_plane, old)
            compared = change.Compared(self.reference, shown)
            changed, begun = compared.changed(), compared.changed(change.BEGUN)
            unseen = np.zeros_like(changed) if sight.in_view is None else ~sight.in_view
            if unseen.shape == changed.shape:
                changed &= ~unseen
            if old.is_like(reading):
                assert self._testimony is not None
                cells = Shown(self.reference.picture, shown, changed, begun)
                verdict = self._testimony.hear(sight, old, reading, cells, time)
                self._take(verdict, sight, old)
                if not verdict.otherwise.any():
                    self._usual = [*self._usual[1 - LOOKS :], compared.usual]
                kept = verdict.kept | unseen
            elif self._is_insistent(old, reading, changed, time):
                self._start(sight.game, reading, time)
                kept = None
            else:
                return
        assert self.reading is not None
        self._raw, self._rumour, self.read_at = sight.reading.cells, None, time
        self._amended = tuple(a for a in self._amended if self._holds(a.correction, known))
        now = change.cells(seen, seen_from_plane, self.reading)
        if kept is not None and self.reference is not None:
            now = change.patched(now, self.reference.picture, kept)
        self.reference = change.Reference(now, self.reading.cells)

    def advise(self, board: Board, advice: Advice[Any]) -> None:
        """Take the solver's answer for `board`, if that is still the believed one."""
        if self.reading is None or board != self.reading.board:
            return
        chosen = self.hint
        self.advice = advice
        self._show(advice.moves.index(chosen) if chosen in advice.moves else 0)

    def choose_next(self) -> None:
        """Show the next of the advised moves."""
        if self.advice and self.advice.moves:
            self._show((self.choice + 1) % len(self.advice.moves))

    def point_elsewhere(self, cells: Mask) -> bool:
        """Point at the first of the advised moves that a change of (rows, cols) cells does not
        meet, if there is one."""
        shown, count = self.choice, len(self.advice.moves) if self.advice else 0
        for choice in range(count):
            self._show(choice)
            if not self.touches_said(cells):
                return True
        self._show(shown)
        return False

    def play_as(self, game: AnyGame) -> None:
        """The same game with another setting: boards stay, advice is asked for anew."""
        self.game = game
        self._drop_advice()
        self.wants_advice = True

    def correct(self, correction: Correction) -> None:
        """Put the player's word over the reading, now and whenever those cells are read as now,
        until their tiles are gone or there is another board. A hand may pass.

        ValueError says what no cell of this game can be; nothing is changed then.
        """
        if self.reading is None or self.game is None or self._raw is None:
            return
        self.reading = self.game.correct(self.reading, [correction])
        if self.reference:
            self.reference = replace(self.reference, kinds=self.reading.cells)
        self._amended = (*self._amended, _Amended(correction, _labels(self._raw, correction)))
        if self._testimony:
            self._testimony.forget_doubts()
        self.history[-1:] = [self.reading.board]
        self._drop_advice()
        self.wants_advice = True

    def _corrected(self, sight: Sight) -> Reading[Any]:
        known, reading = self.reading or self.remembered, sight.reading
        if known is None or not known.is_like(reading):
            return reading
        now = reading.cells
        hold = [a.correction for a in self._amended if _labels(now, a.correction) == a.read]
        return sight.game.correct(reading, hold) if hold else reading

    def _holds(self, correction: Correction, before: Reading[Any] | None) -> bool:
        """Whether it may count yet: its tiles have not gone, and the board is no other one."""
        assert self.reading is not None and self._raw is not None
        if before is None or not before.is_like(self.reading):
            return False
        was, now = before.cells, self.reading.cells
        gone = (was != 0) & (now == 0) & (self._raw == 0)
        is_gone = any(gone[cell] for cell in _cells(correction))
        return not (is_gone or change.is_another_board(was != now))

    def _recognised(self, sight: Sight, reading: Reading[Any]) -> Reading[Any] | None:
        """The board that was lost, if nearly all its tiles are read as they were and no move
        explains the others: those are doubted. None: it is not known to be that board."""
        known = self.reading or self.remembered
        if known is None or not known.is_like(reading):
            return None
        otherwise = known.cells != reading.cells
        if sight.natural is not None and otherwise.any():
            return None
        if not _are_few(otherwise, known, reading):
            return None
        again = doubted(reading.patched(known, otherwise), otherwise)
        return _at_least(again, known.confidence)

    def _good_start(self, sight: Sight, reading: Reading[Any], time: float) -> Reading[Any] | None:
        """What to believe of the first reading of a plane: of a board that was lost, if moves
        explain what has become of it. Of another in its place most must be read alike for long, and
        the rest is doubted: of many cells one is always misread. None: nothing yet."""
        known = self.remembered
        strange = known is not None and known.is_like(reading) and sight.natural is None
        was_lost = bool(self.history) and self.history[-1] == reading.board
        rumour = self._heard_of(reading, time)
        if strange:
            if was_lost:
                return reading
            return rumour.gist if time - rumour.first >= AIMED_S else None
        looks = WHOLE_LOOKS if sight.in_view is None else CUT_OFF_LOOKS
        is_good = reading.confidence >= (SURE if rumour.looks < looks else EVEN)
        return reading if was_lost or is_good else None

    def _is_insistent(
        self, old: Reading[Any], reading: Reading[Any], changed: Mask, time: float
    ) -> bool:
        """Whether to believe a board of another shape, or with other clues."""
        rumour = self._heard_of(reading, time)
        if old.certainty.shape == reading.certainty.shape:
            explained = bool(changed[old.cells != reading.cells].all())
        else:
            explained = change.is_another_board(changed)
        return time - rumour.since >= (PERSIST_S if explained else CONTRADICTION_S)

    def _heard_of(self, reading: Reading[Any], time: float) -> _Rumour:
        """For how long looks have read this board, or nearly, one after another."""
        heard = self._rumour
        self._rumour = heard.then(reading, time) if heard else _Rumour((reading,), time, time)
        return self._rumour

    def _take(self, verdict: Verdict, sight: Sight, old: Reading[Any]) -> None:
        """Believe of a look what there is reason to."""
        heard = verdict.reading
        if verdict.taken.any():
            after_move = 0.0 if sight.natural is None else AFTER_MOVE * old.confidence
            self._accept(sight.game, _at_least(heard, after_move), self._holding(verdict.taken))
            return
        # Kinds that are not believed, or of tiles that move, are not to sway the next look.
        if verdict.otherwise.any() or heard.confidence < min(TRUST, old.confidence):
            heard = replace(heard, evidence=old.evidence)
        self._confirm(old, heard)

    def _confirm(self, old: Reading[Any], reading: Reading[Any]) -> None:
        """The believed board again: its corners get better, its certainty newer."""
        reading = _at_least(reading, old.confidence)  # who agrees takes nothing away
        cell = np.sqrt(cv2.contourArea(old.corners) / old.certainty.size)
        moved = reading.corners - old.corners
        if np.abs(moved).max() < SAME_PLACE * cell:
            self._averaged = min(self._averaged + 1, SMOOTH)
            reading = replace(reading, corners=old.corners + moved / np.float32(self._averaged))
        else:
            self._averaged = 1
        self.reading = reading
        self._show(self.choice)
        if np.abs(reading.certainty - old.certainty).max() > NEW_CERTAINTY:
            self.wants_advice = True

    def _start(
        self, game: AnyGame, reading: Reading[Any], time: float, confirmed_for: float = 0.0
    ) -> None:
        """A board that owes nothing to what was believed before, or one that is back (s)."""
        self._testimony = Testimony(reading, time, confirmed_for)
        self._accept(game, reading)

    def _holding(self, taken: Mask) -> Advice[Any] | None:
        """The move on show, if the cells that are now believed otherwise leave it: it stays until
        the solver has answered, for a hint that goes and comes again disturbs."""
        if self.advice is None or self.hint is None or self.touches_said(taken):
            return None
        return replace(self.advice, moves=(self.hint,))

    def _accept(
        self, game: AnyGame, reading: Reading[Any], advice: Advice[Any] | None = None
    ) -> None:
        """Another board: the next of the game on view, or one that was misread until now; with the
        advice that holds on it."""
        known = self.reading or self.remembered
        if known is None or game != self.game or known.certainty.shape != reading.certainty.shape:
            self.history = []
        lately = self.history[-MISREAD:]
        if reading.board in lately:
            del self.history[len(self.history) - len(lately) + lately.index(reading.board) :]
        self.history = [*self.history, reading.board][-HISTORY:]
        self.game, self.reading, self.remembered = game, reading, None
        self._averaged = 1
        self._drop_advice()
        self.advice = advice
        self._show(0)
        self.wants_advice = True

    def _drop_advice(self) -> None:
        self.advice, self.marks, self.choice = None, (), 0

    def _show(self, choice: int) -> None:
        """Point at one of the advised moves."""
        self.choice = choice
        if self.game and self.reading and self.advice:
            self.marks = self.game.marks(self.reading, self.advice, choice)


def _at_least(reading: Reading[Any], confidence: float) -> Reading[Any]:
    return replace(reading, confidence=max(reading.confidence, confidence))


def _disputed(heard: Sequence[Reading[Any]]) -> Mask:
    """(rows, cols) cells that looks at one board disagree on."""
    cells = np.stack([reading.cells for reading in heard])
    return np.asarray((cells != cells[0]).any(axis=0))


def _are_few(otherwise: Mask, known: Reading[Any], reading: Reading[Any]) -> bool:
    """Whether two readings with (rows, cols) cells `otherwise` show one board: of many tiles nearly
    all are read alike."""
    tiles = int(((known.cells != 0) | (reading.cells != 0)).sum())
    return tiles >= ENOUGH and bool(otherwise.sum() <= (1 - MOST) * tiles)


def _cells(correction: Correction) -> Sequence[tuple[int, int]]:
    return (correction.cell,) if correction.other is None else (correction.cell, correction.other)


def _labels(cells: NDArray[np.int64], correction: Correction) -> tuple[int, ...]:
    """What is read of the cells that the player spoke of."""
    return tuple(int(cells[cell]) for cell in _cells(correction))
