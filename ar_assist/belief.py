"""What is believed of the board on view: which reading, how it came to be, what follows from it.

A single misread frame must never lead. The first reading is believed when it is sure or when the
next look agrees. From then on each cell is believed by itself, for of many cells one is always
misread: at once, if all that changed is explained by legal moves; once hands and animations would
have passed, if it no longer looks as it did; a cell that does must be read otherwise for long.
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
from ar_assist.look import EVEN, LEAD, TRUST, Sight
from ar_assist.types import Advice, AnyGame, Board, Correction, Homography, Mark, Reading

SURE = 0.9  # confidence at which one look at a new plane is believed
AFTER_MOVE = 0.99  # chance that a look is right which shows the very cells change that a move takes
PERSIST_S = 0.25  # s that a change which no move explains must be read alike
FADE_S = 0.4  # s for which cells that look otherwise may fade though they are read as before
# …and cells which look as they did, or for as long as looks have confirmed them if that is less,
CONTRADICTION_S = 1.0  # and parts of a move that is atomic
NOVEL_S = 5.0  # …and what the board never held: a player seldom keeps a tile chosen for longer
MOST = 0.9  # of the cells of quite another board, or of one that is back, must be read alike;
# …the others are doubted
ENOUGH = 6  # tiles that are read as before: not by chance
STANDS_S = 0.1  # s in which a tile that fades comes to look otherwise again
AIMED_S = 0.5  # s for which a camera that was aimed anew adjusts its exposure
DOUBT_S = 2.0  # s for which a cell is doubted that a look has contradicted
PLAYED_S = 1.0  # s before a move is seen: lines that a game draws through cells contradict nothing,
# …and what they do as tiles fade, with it and FADE_S after, does so for no longer than that
DOUBTED = 0.2  # certainty of such cells: no advice rests on them
SMOOTH = 8  # readings whose corners are averaged: in plane px, where averaging costs no lag
SAME_PLACE = 0.15  # of a cell: corners that differ by less are noise about one place
LOOKS = 3  # that say together how sure a cell is
NEW_CERTAINTY = 0.1  # change of a cell's certainty after which advice is asked for again
MISREAD = 4  # boards back that a return to one of them means the boards between were misread
HISTORY = 400  # boards kept: more than a game has moves

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Rumour:
    """A board that was read but is not believed yet."""

    board: Board
    since: float  # s


@dataclass(frozen=True, eq=False)
class _Word:
    """What the last looks said of each cell, (rows, cols)."""

    cells: NDArray[np.int64]  # as read last
    since: NDArray[np.float64]  # s of the first look that read it so; inf: as it is believed
    firm: Mask  # read otherwise than believed, and not just by a doubtful look at a steady cell
    against: NDArray[np.float64]  # s of the last look that contradicted the belief; -inf: none


@dataclass(frozen=True, eq=False)
class _Said:
    """What a look said of how sure each cell is, (rows, cols)."""

    certainty: NDArray[np.float32]  # nan: nothing
    contrary: Mask  # where it read otherwise than was believed

    def but_of(self, cells: Mask) -> _Said:
        """What it said of the others."""
        return replace(self, certainty=np.where(cells, np.float32(np.nan), self.certainty))


@dataclass(frozen=True, eq=False)
class _Differences:
    """How a look differs from what is believed, (rows, cols) each."""

    otherwise: Mask  # read otherwise
    steady: Mask  # looks as it did when it was read
    differs: Mask  # read otherwise, and surely so or with reason
    another: bool  # so much does that it is another board

    @classmethod
    def of(cls, old: Reading[Any], reading: Reading[Any], changed: Mask) -> _Differences:
        otherwise = old.cells != reading.cells
        # Tiles that hardly differ may be dealt anew: they look as before, but are read otherwise.
        # A look that is not sure of that contradicts nothing.
        sure = otherwise & (reading.certainty >= EVEN)
        another = change.is_another_board(changed) or _is_dealt_anew(old, reading, sure)
        steady = ~changed & (not another)
        return cls(otherwise, steady, otherwise & ~steady | sure, another)


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
        self.picture: NDArray[np.float32] | None = None  # the cells as they were when read
        self.history: list[Board] = []
        self.advice: Advice[Any] | None = None
        self.wants_advice = False
        self.marks: tuple[Mark, ...] = ()
        self.choice = 0
        self._amended: tuple[_Amended, ...] = ()
        self._raw: NDArray[np.int64] | None = None  # (rows, cols) as read last, before corrections
        self._averaged = 0
        self._rumour: _Rumour | None = None
        self._word: _Word | None = None
        self._said: list[_Said] = []  # by the last looks
        self._believed_at = self._confirmed_at = np.zeros((0, 0))  # s, of each cell
        self._changing_since = np.inf  # s: cells that are read as before
        self._moved_at = -np.inf  # s: the last look that saw a move
        self._shown: tuple[NDArray[np.float32], float] | None = None  # a look's cells, and when: s

    @property
    def is_trusted(self) -> bool:
        """Whether a hint may rest on the board."""
        return self.reading is not None and self.reading.confidence >= TRUST

    @property
    def is_contradicted(self) -> bool:
        """Whether the last look was the first to read a cell otherwise: another must say more."""
        word = self._word
        return word is not None and bool((word.firm & (word.since == self.read_at)).any())

    @property
    def is_outdone(self) -> bool:
        """Whether the last look is surer of a cell than most are: another may confirm it."""
        if self.reading is None or not self._said:
            return False
        gain = self._said[-1].certainty - self.reading.certainty
        return bool(np.nanmax(gain) > NEW_CERTAINTY)

    @property
    def disputed(self) -> Mask | None:
        """(rows, cols) cells that the last looks agreed to read otherwise; None: all is well."""
        word = self._word
        return None if word is None else word.firm & (word.since < self.read_at)

    @property
    def hint(self) -> Any:
        """The advised move that is pointed at; None: there is none."""
        moves = self.advice.moves if self.advice else ()
        return moves[self.choice] if moves else None

    def touches_hint(self, cells: Mask) -> bool:
        """Whether a change of (rows, cols) cells meets what the hint rests on."""
        assert self.game is not None and self.reading is not None
        if self.game.is_atomic and self.marks:
            return bool(cells.any())
        slides = self.advice is not None and self.advice.slides
        return change.touches(cells, self.marks, self.reading, slides)

    def lose_sight(self) -> None:
        """The plane is no longer followed: keep what is known, but not as what is on view."""
        self.remembered = self.reading or self.remembered
        self.reading = self.picture = self._rumour = self._word = None
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
        if old is None or self.picture is None:
            again = self._recognised(sight, reading)
            if again is not None:
                self._start(sight.game, again, time, confirmed_for=CONTRADICTION_S)
            elif self._is_good_start(sight, reading, time):
                self._start(sight.game, reading, time)
            else:
                return
            kept = None
        else:
            shown = change.cells(seen, seen_from_plane, old)
            changed = change.changed(self.picture, shown)
            unseen = np.zeros_like(changed) if sight.in_view is None else ~sight.in_view
            if unseen.shape == changed.shape:
                changed &= ~unseen
            if old.is_like(reading):
                stands = self._stands(shown, time)
                kept = self._judge(sight, old, reading, changed, stands, time) | unseen
            elif self._is_insistent(old, reading, changed, time):
                self._start(sight.game, reading, time)
                kept = None
            else:
                return
        assert self.reading is not None
        self._raw, self._rumour, self.read_at = sight.reading.cells, None, time
        self._amended = tuple(a for a in self._amended if self._holds(a.correction, known))
        now = change.cells(seen, seen_from_plane, self.reading)
        if kept is not None and self.picture is not None:
            now = change.patched(now, self.picture, kept)
        self.picture = now

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
        self._amended = (*self._amended, _Amended(correction, _labels(self._raw, correction)))
        self._said = []  # before the player spoke
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
        tiles = (known.cells != 0) | (reading.cells != 0)
        if tiles.sum() < ENOUGH or otherwise.sum() > (1 - MOST) * tiles.sum():
            return None
        again = reading.patched(known, otherwise)
        doubted = np.where(otherwise, DOUBTED, again.certainty).astype(np.float32)
        return _at_least(replace(again, certainty=doubted), known.confidence)

    def _is_good_start(self, sight: Sight, reading: Reading[Any], time: float) -> bool:
        """Whether to believe the first reading of a plane: of a board that was lost, if moves
        explain what has become of it."""
        known = self.remembered
        strange = known is not None and known.is_like(reading) and sight.natural is None
        was_lost = bool(self.history) and self.history[-1] == reading.board
        agreed = self._agreed_for(reading.board, time)
        if strange:
            return was_lost or (agreed is not None and agreed >= AIMED_S)
        return was_lost or agreed is not None or reading.confidence >= SURE

    def _is_insistent(
        self, old: Reading[Any], reading: Reading[Any], changed: Mask, time: float
    ) -> bool:
        """Whether to believe a board of another shape, or with other clues."""
        agreed = self._agreed_for(reading.board, time)
        if agreed is None:
            return False
        if old.certainty.shape == reading.certainty.shape:
            explained = bool(changed[old.cells != reading.cells].all())
        else:
            explained = change.is_another_board(changed)
        return agreed >= (PERSIST_S if explained else CONTRADICTION_S)

    def _agreed_for(self, board: Board, time: float) -> float | None:
        """s for which looks have read this board, one after another; None: this is the first."""
        if self._rumour is None or self._rumour.board != board:
            self._rumour = _Rumour(board, time)
            return None
        return time - self._rumour.since

    def _stands(self, shown: NDArray[np.float32], time: float) -> Mask:
        """(rows, cols) cells that look as they did a moment ago, when a look saw them."""
        before, then = self._shown or (shown, time)
        if before.shape != shown.shape:
            before, then = shown, time
        is_late = time - then >= STANDS_S  # sooner a fade would hardly show
        self._shown = (shown, time) if is_late else (before, then)
        return change.still(before, shown) & is_late

    def _judge(
        self,
        sight: Sight,
        old: Reading[Any],
        reading: Reading[Any],
        changed: Mask,
        stands: Mask,
        time: float,
    ) -> Mask:
        """Believe of a look what there is reason to. Of its cells some have `changed` since they
        were read, of which some have done so for a moment and `stand`.

        (rows, cols) cells whose picture is kept, that in which they were read as they are believed
        to be: now they are read otherwise, or fade though they are still read.
        """
        off = _Differences.of(old, reading, changed)
        word = self._taken_down(reading, time)
        taken, unheard = self._taken(sight, old, reading, off, word, time)
        contrary = off.otherwise & ~taken
        self._believed_at = np.where(taken, time, self._believed_at)
        self._confirmed_at = np.where(contrary, self._confirmed_at, time)
        if sight.natural is not None and (taken & sight.natural).any():
            word = self._without_lines(word, time)
        waits = off.differs & ~taken
        self._word = _Word(
            reading.cells,
            since=np.where(contrary, word.since, np.inf),
            firm=waits,
            against=np.where(waits & off.steady | taken & unheard, time, word.against),
        )
        heard = self._as_sure_as_looks(reading.patched(old, contrary), reading, off, taken, time)
        if taken.any():
            after_move = 0.0 if sight.natural is None else AFTER_MOVE * old.confidence
            self._accept(sight.game, _at_least(heard, after_move), self._holding(taken))
        else:
            # Kinds that are not believed, or of tiles that move, are not to sway the next look.
            if off.otherwise.any() or heard.confidence < min(TRUST, old.confidence):
                heard = replace(heard, evidence=old.evidence)
            self._confirm(old, heard)
        # What is empty already may fade on, and shows what it is in the end; a tile that is only
        # marked stands.
        may_fade = changed & ~off.differs & ~stands & (reading.cells != 0)
        return np.asarray(contrary | self._fading(may_fade, time))

    def _taken(
        self,
        sight: Sight,
        old: Reading[Any],
        reading: Reading[Any],
        off: _Differences,
        word: _Word,
        time: float,
    ) -> tuple[Mask, Mask]:
        """(rows, cols) cells that are to be believed as they are read, and those that only most of
        another board speaks for."""
        needed = self._needed_s(sight, old, reading, off)
        taken = off.otherwise & (word.since < time) & (time - word.since >= needed)
        unheard = np.zeros_like(taken)
        if sight.natural is not None:
            taken |= off.otherwise & sight.natural  # a part of a slide is no board that ever was
        elif off.another:  # with cells of both it would be neither
            unheard = off.differs & ~taken
            taken = off.differs & (taken.sum() >= MOST * off.differs.sum())
        return taken, unheard

    def _needed_s(
        self, sight: Sight, old: Reading[Any], reading: Reading[Any], off: _Differences
    ) -> NDArray[np.float64]:
        """(rows, cols) s for which looks have to agree on a cell that is read otherwise."""
        soon = CONTRADICTION_S if sight.game.is_atomic else PERSIST_S
        confirmed_for = np.minimum(self._confirmed_at - self._believed_at, CONTRADICTION_S)
        needed = np.where(off.steady, confirmed_for, soon)
        # No move brings what was nowhere: it is a tile that was marked, or the line through a cell,
        # if it is not what the player said is there.
        novel = (reading.cells != 0) & ~np.isin(reading.cells, old.cells)
        novel &= reading.cells == sight.reading.cells
        needed[novel & ~off.steady & (not off.another)] = NOVEL_S
        return needed

    def _without_lines(self, word: _Word, time: float) -> _Word:
        """A move is seen: what looks said against other cells as it was played came of the line
        that games draw through them."""
        self._said = [one.but_of(one.contrary) for one in self._said]
        self._moved_at = time
        return replace(
            word, against=np.where(time - word.against < PLAYED_S, -np.inf, word.against)
        )

    def _as_sure_as_looks(
        self,
        heard: Reading[Any],
        reading: Reading[Any],
        off: _Differences,
        taken: Mask,
        time: float,
    ) -> Reading[Any]:
        """What was `heard` of a look's `reading`, with certainties as looks allow them."""
        assert self._word is not None
        # A cell that seems to be as it was is no surer to be so than a look is that it is not.
        no_surer = np.minimum(heard.certainty, reading.certainty)
        heard = replace(heard, certainty=np.where(off.steady, no_surer, heard.certainty))
        heard = self._steadied(heard, taken, off.otherwise & ~taken)
        against = self._word.against
        by_line = (against >= self._moved_at) & (against < self._moved_at + FADE_S)
        doubted_s = np.where(by_line, FADE_S, DOUBT_S)
        doubted = np.where(time - against < doubted_s, DOUBTED, 1.0).astype(np.float32)
        return replace(heard, certainty=np.minimum(heard.certainty, doubted))

    def _taken_down(self, reading: Reading[Any], time: float) -> _Word:
        """What was heard of each cell until this reading of it."""
        word = self._word
        if word is None or word.cells.shape != reading.cells.shape:
            shape = reading.cells.shape
            never, nothing = np.full(shape, -np.inf), np.zeros(shape, bool)
            return _Word(reading.cells, np.full(shape, time), nothing, never)
        same = word.cells == reading.cells
        return replace(word, since=np.where(same, np.minimum(word.since, time), time))

    def _steadied(self, reading: Reading[Any], taken: Mask, contrary: Mask) -> Reading[Any]:
        """As sure of each cell as most of the last looks are: one is sometimes sure by luck."""
        said = [one.but_of(taken) for one in self._said[1 - LOOKS :]]
        self._said = [*said, _Said(reading.certainty, contrary)]
        certainties = np.stack([one.certainty for one in self._said])
        usual = np.nanquantile(certainties, 0.5, axis=0, method="lower")
        return replace(reading, certainty=usual.astype(np.float32))

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

    def _fading(self, fading: Mask, time: float) -> Mask:
        """Which of the cells that are read as before, but have begun to look otherwise, still may.

        A tile that fades is still read: what it looks like now is no picture of a board at rest.
        """
        if not fading.any() or time - self._changing_since >= FADE_S:
            self._changing_since = np.inf
            return np.zeros_like(fading)
        self._changing_since = min(self._changing_since, time)
        return fading

    def _start(
        self, game: AnyGame, reading: Reading[Any], time: float, confirmed_for: float = 0.0
    ) -> None:
        """A board that owes nothing to what was believed before, or one that is back (s)."""
        self._said = [_Said(reading.certainty, np.zeros_like(reading.certainty, bool))]
        self._confirmed_at = np.full(reading.certainty.shape, time)
        self._believed_at = self._confirmed_at - confirmed_for
        self._accept(game, reading)

    def _holding(self, taken: Mask) -> Advice[Any] | None:
        """The move on show, if the cells that are now believed otherwise leave it: it stays until
        the solver has answered, for a hint that goes and comes again disturbs."""
        if self.advice is None or self.hint is None or self.touches_hint(taken):
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


def _is_dealt_anew(old: Reading[Any], reading: Reading[Any], otherwise: Mask) -> bool:
    """Whether most cells are surely read `otherwise`; or most tiles, but as many are there of each
    kind, whatever these are called now."""
    if change.is_another_board(otherwise):
        return True
    tiles = (old.cells != 0) | (reading.cells != 0)
    many = bool(otherwise.any()) and change.is_another_board(otherwise[tiles])
    return many and _sizes_of_kinds(old) == _sizes_of_kinds(reading)


def _sizes_of_kinds(reading: Reading[Any]) -> list[int]:
    _, sizes = np.unique(reading.cells[reading.cells != 0], return_counts=True)
    return sorted(sizes.tolist())


def _at_least(reading: Reading[Any], confidence: float) -> Reading[Any]:
    return replace(reading, confidence=max(reading.confidence, confidence))


def _cells(correction: Correction) -> Sequence[tuple[int, int]]:
    return (correction.cell,) if correction.other is None else (correction.cell, correction.other)


def _labels(cells: NDArray[np.int64], correction: Correction) -> tuple[int, ...]:
    """What is read of the cells that the player spoke of."""
    return tuple(int(cells[cell]) for cell in _cells(correction))
