"""What looks have said of each cell of a board, and what of it is to be believed.

Of many cells one is always misread, so that each is believed by itself: at once, if legal moves
explain all that changed; once hands and animations would have passed, if it no longer looks as it
did; a cell that does must be read otherwise for long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ar_assist import change
from ar_assist.look import EVEN, Sight
from ar_assist.types import Reading

PERSIST_S = 0.25  # s that a change which no move explains must be read alike
FADE_S = 0.4  # s for which cells that look otherwise may fade though they are read as before
# …and cells which look as they did, or for as long as looks have confirmed them if that is less,
CONTRADICTION_S = 1.0  # and parts of a move that is atomic
NOVEL_S = 5.0  # …and what the board never held: a player seldom keeps a tile chosen for longer,
# …and what looks are not sure of, as under a hand,
# …nor does a message stay for longer over tiles that went without a move: they are doubted so long
BARE = 0.9  # certainty from which a cell is seen to be empty: less, and something may lie over it
MOST = 0.9  # of the cells of quite another board, or of one that is back, must be read alike;
# …the others are doubted
STANDS_S = 0.1  # s in which a tile that fades comes to look otherwise again
DOUBT_S = 2.0  # s for which a cell is doubted that a look has contradicted
PLAYED_S = 1.0  # s before a move is seen: lines that a game draws through cells contradict nothing,
# …and what they do as tiles fade, with it and FADE_S after, does so for no longer than that
DOUBTED = 0.2  # certainty of such cells: no advice rests on them
LOOKS = 3  # that say together how sure a cell is
NEW_CERTAINTY = 0.1  # change of a cell's certainty that is worth another look, and advice anew

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a look shows of the board's cells, beside how they looked when they were read."""

    read: NDArray[np.float32]  # picture of the cells when read, as `change.cells` makes it
    now: NDArray[np.float32]
    changed: Mask  # (rows, cols) those that have since
    begun: Mask  # … that have begun to, and all that have


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is believed of a look, (rows, cols) each."""

    reading: Reading[Any]  # the board that was believed, with what is taken, as sure as looks are
    otherwise: Mask  # read otherwise than was believed
    taken: Mask  # cells that are now believed so
    kept: Mask  # cells whose picture stays that in which they were read as they are believed to
    # be: now they are read otherwise, or fade though they are still read


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


class Testimony:
    """What looks have said of the cells of a board, since it was first believed at `time` (s)."""

    def __init__(self, reading: Reading[Any], time: float, confirmed_for: float = 0.0) -> None:
        shape = reading.certainty.shape
        never = np.full(shape, np.inf)
        self._word = _Word(reading.cells, never, np.zeros(shape, bool), -never)
        self._said = [_Said(reading.certainty, np.zeros(shape, bool))]
        self._confirmed_at = np.full(shape, time)  # s, of each cell
        self._believed_at = self._confirmed_at - confirmed_for
        self._heard_at = time
        self._fading_since = never  # s, of each cell that is read as before
        self._moved_at = -np.inf  # s: the last look that saw a move
        # Tiles that went without a move, since when (s): something may lie over them; and the
        # board's picture as it would be without that.
        self._covered_since = never
        self._beneath: NDArray[np.float32] | None = None
        self._whole = reading  # what was believed, with these tiles
        self._shown: tuple[NDArray[np.float32], float] | None = None  # a look's cells, and when: s

    @property
    def is_contradicted(self) -> bool:
        """Whether the last look was the first to read a cell otherwise: another must say more."""
        return bool((self._word.firm & (self._word.since == self._heard_at)).any())

    @property
    def disputed(self) -> Mask:
        """(rows, cols) cells that the last looks agreed to read otherwise."""
        return self._word.firm & (self._word.since < self._heard_at)

    def outdoes(self, believed: Reading[Any]) -> bool:
        """Whether the last look is surer of a cell than is believed: another may confirm it."""
        if not self._said:
            return False
        return bool(np.nanmax(self._said[-1].certainty - believed.certainty) > NEW_CERTAINTY)

    def forget_doubts(self) -> None:
        """The player has spoken: how sure looks were before says nothing."""
        self._said = []

    def hear(
        self,
        sight: Sight,
        old: Reading[Any],
        reading: Reading[Any],
        shown: Shown,
        time: float,
    ) -> Verdict:
        """Weigh a look's `reading`, made at `time`, against the `old` one that is believed."""
        self._heard_at = time
        off = _Differences.of(old, reading, shown.changed)
        word = self._taken_down(reading, time)
        uncovered = self._uncovered(shown)
        needed = self._needed_s(sight, old, reading, off, uncovered)
        taken, unheard = self._taken(sight, off, word, needed, time)
        back = uncovered & (taken | ~off.otherwise)
        gone = taken & ~off.steady & (old.cells != 0)
        is_other = off.another and bool(taken.any())
        contrary = off.otherwise & ~taken
        heard = reading.patched(old, contrary)
        known = back if sight.natural is None else back | sight.natural
        self._note_covered(gone, known | is_other, old, time)
        self._explain_covered(sight, heard)
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
        # A cell that seems to be as it was is no surer to be so than a look is that it is not.
        no_surer = np.minimum(heard.certainty, reading.certainty)
        heard = replace(heard, certainty=np.where(off.steady, no_surer, heard.certainty))
        heard = self._with_doubts(self._steadied(heard, taken, contrary), time)
        # What is empty already may fade on, and shows what it is in the end; a tile that is only
        # marked stands.
        may_fade = shown.begun & ~off.differs & (reading.cells != 0)
        may_fade &= ~self._stands(shown.now, time)
        may_fade &= time - self._believed_at >= FADE_S  # sooner it is still on its way to its place
        return Verdict(heard, off.otherwise, taken, contrary | self._fading(may_fade, time))

    def _taken(
        self,
        sight: Sight,
        off: _Differences,
        word: _Word,
        needed: NDArray[np.float64],
        time: float,
    ) -> tuple[Mask, Mask]:
        """(rows, cols) cells that are to be believed as they are read, for looks have agreed on
        them for as long as is `needed` (s), and those that only most of another board speaks for.
        """
        taken = off.otherwise & (word.since < time) & (time - word.since >= needed)
        unheard = np.zeros_like(taken)
        if sight.natural is not None:
            taken |= off.otherwise & sight.natural  # a part of a slide is no board that ever was
        elif off.another:  # with cells of both it would be neither
            unheard = off.differs & ~taken
            taken = off.differs & (taken.sum() >= MOST * off.differs.sum())
        return taken, unheard

    def _needed_s(
        self,
        sight: Sight,
        old: Reading[Any],
        reading: Reading[Any],
        off: _Differences,
        uncovered: Mask,
    ) -> NDArray[np.float64]:
        """(rows, cols) s for which looks have to agree on a cell that is read otherwise."""
        soon = CONTRADICTION_S if sight.game.is_atomic else PERSIST_S
        confirmed_for = np.minimum(self._confirmed_at - self._believed_at, CONTRADICTION_S)
        needed = np.where(off.steady, confirmed_for, soon)
        # No move brings what was nowhere: it is a tile that was marked, or the line through a cell,
        # if it is not what the player said is there, nor what may have been covered.
        novel = (reading.cells != 0) & ~np.isin(reading.cells, old.cells)
        novel &= (reading.cells == sight.reading.cells) & (self._covered_since == np.inf)
        unsure = reading.certainty < EVEN
        needed[(novel | unsure) & ~off.steady & (not off.another)] = NOVEL_S
        # Nor does any take tiles away for good of which it is not seen that they are gone.
        hidden = (old.cells != 0) & (reading.cells == 0) & (reading.certainty < BARE)
        needed[hidden & ~off.steady & (not off.another)] = np.inf
        needed[uncovered & ~off.steady] = 0.0
        return needed

    def _uncovered(self, shown: Shown) -> Mask:
        """(rows, cols) tiles that went without a move, and look as they did before they went: a
        message lay over them, and is gone."""
        covered = self._covered_since < np.inf
        if not covered.any():  # at nearly every look
            self._beneath = shown.read
            return covered
        beneath = shown.read if self._beneath is None else self._beneath
        self._beneath = change.patched(shown.read, beneath, covered)
        before = change.Reference(self._beneath, self._whole.cells)
        return covered & ~change.Compared(before, shown.now).changed()

    def _note_covered(self, gone: Mask, known: Mask, old: Reading[Any], time: float) -> None:
        """Of the tiles that have `gone`, (rows, cols), those that no move took may be covered, if
        it is not known otherwise."""
        covered = self._covered_since < np.inf
        self._whole = old.patched(self._whole, covered) if covered.any() else old
        since = np.where(gone, np.minimum(self._covered_since, time), self._covered_since)
        self._covered_since = np.where(known, np.inf, since)

    def _explain_covered(self, sight: Sight, heard: Reading[Any]) -> None:
        """What is believed to be as it was before it went is covered no more. What else went may
        have been a move after all, of which one tile was seen to go before the other."""
        covered = (self._covered_since < np.inf) & (heard.cells != self._whole.cells)
        if covered.any():
            whole = heard.patched(self._whole, covered)
            covered &= not sight.game.follows(whole.board, heard.board)
        self._covered_since = np.where(covered, self._covered_since, np.inf)

    def _without_lines(self, word: _Word, time: float) -> _Word:
        """A move is seen: what looks said against other cells as it was played came of the line
        that games draw through them."""
        self._said = [one.but_of(one.contrary) for one in self._said]
        self._moved_at = time
        return replace(
            word, against=np.where(time - word.against < PLAYED_S, -np.inf, word.against)
        )

    def _with_doubts(self, heard: Reading[Any], time: float) -> Reading[Any]:
        """With doubts of cells that looks have contradicted lately, or that may be covered."""
        against = self._word.against
        by_line = (against >= self._moved_at) & (against < self._moved_at + FADE_S)
        doubted_s = np.where(by_line, FADE_S, DOUBT_S)
        covered = (self._covered_since <= time) & (time - self._covered_since < NOVEL_S)
        return doubted(heard, (time - against < doubted_s) | covered)

    def _taken_down(self, reading: Reading[Any], time: float) -> _Word:
        """What was heard of each cell until this reading of it."""
        word = self._word
        same = word.cells == reading.cells
        return replace(word, since=np.where(same, np.minimum(word.since, time), time))

    def _steadied(self, reading: Reading[Any], taken: Mask, contrary: Mask) -> Reading[Any]:
        """As sure of each cell as most of the last looks are: one is sometimes sure by luck."""
        said = [one.but_of(taken) for one in self._said[1 - LOOKS :]]
        self._said = [*said, _Said(reading.certainty, contrary)]
        certainties = np.stack([one.certainty for one in self._said])
        usual = np.nanquantile(certainties, 0.5, axis=0, method="lower")
        return replace(reading, certainty=usual.astype(np.float32))

    def _fading(self, fading: Mask, time: float) -> Mask:
        """Which of the cells that are read as before, but have begun to look otherwise, still may.

        A tile that fades is still read: what it looks like now is no picture of a board at rest.
        """
        self._fading_since = np.where(fading, np.minimum(self._fading_since, time), np.inf)
        return fading & (time - self._fading_since < FADE_S)

    def _stands(self, shown: NDArray[np.float32], time: float) -> Mask:
        """(rows, cols) cells that look as they did a moment ago, when a look saw them."""
        before, then = self._shown or (shown, time)
        is_late = time - then >= STANDS_S  # sooner a fade would hardly show
        self._shown = (shown, time) if is_late else (before, then)
        return change.still(before, shown) & is_late


def _is_dealt_anew(old: Reading[Any], reading: Reading[Any], otherwise: Mask) -> bool:
    """Whether most cells are surely read `otherwise`; or most tiles, but as many are there of each
    kind, whatever these are called now. Where the same cells hold tiles, kinds have such sizes but
    for a few misread ones: if a look joins kinds in a view that has not changed, it errs.
    """
    tiles, now = old.cells != 0, reading.cells != 0
    apart = _sizes_apart(old.cells[tiles], reading.cells[now])
    if change.is_another_board(otherwise):
        return not np.array_equal(tiles, now) or apart <= (1 - MOST) * tiles.sum()
    return bool(otherwise.any()) and change.is_another_board(otherwise[tiles | now]) and not apart


def _sizes_apart(kinds: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """Of how many tiles the kind must change to make the sizes of (N,) kinds those of (M,) others,
    whatever they are called."""
    sizes, sizes_now = (
        np.sort(np.unique(some, return_counts=True)[1])[::-1] for some in (kinds, others)
    )
    length = max(len(sizes), len(sizes_now))
    padded = (np.pad(some, (0, length - len(some))) for some in (sizes, sizes_now))
    return float(np.abs(np.subtract(*padded)).sum() / 2)


def doubted(reading: Reading[Any], cells: Mask) -> Reading[Any]:
    """With no advice to rest on (rows, cols) cells."""
    certainty = np.where(cells, np.minimum(DOUBTED, reading.certainty), reading.certainty)
    return replace(reading, certainty=certainty.astype(np.float32))
