"""Which gravity rule a game follows, told from the boards seen.

Two boards in a row are explained by a rule when some legal removal of the tiles that are gone
leads, under that rule, from one to the other. Besides, every board must be settled under the rule,
but for the newest one: tiles slide a moment after the pair is gone.
The chances of the rules are multiplied over all this evidence (Bayes); a board may be misread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb, ldexp

from ar_assist.games.link.board import EMPTY, GRAVITIES, LinkBoard, Rules, play, settle
from ar_assist.games.link.paths import links
from ar_assist.types import Cell

STILL_PRIOR = 0.5  # most link games have no gravity; the other rules share the rest evenly
MISREAD = 0.02  # chance that a rule looks broken though it holds
LATE = 0.5  # chance that tiles which will slide have not done so when a look sees the pair gone
MOST_MOVES = 2  # removals that two looks may lie apart; more may be, where nobody looked, …
BY_CHANCE = 0.01  # … if by less than that a hand or a message hides just such tiles


@dataclass(frozen=True)
class Gravity:
    """The most likely rule."""

    name: str  # a key of board.GRAVITIES
    certainty: float  # its chance, 0 to 1


def infer(history: Sequence[LinkBoard], outside: bool = True) -> Gravity:
    """Weigh all rules against the boards seen, oldest first."""
    chances = {
        name: STILL_PRIOR if name == "none" else (1 - STILL_PRIOR) / (len(GRAVITIES) - 1)
        for name in GRAVITIES
    }
    evidence = [explaining(*step, outside) for step in pairwise(_at_rest(history))]
    for name in GRAVITIES:
        is_settled = settle(history[-1], name) == history[-1]
        waits = not is_settled and evidence != [] and "none" in evidence[-1]
        for rules in evidence[:-1] if waits else evidence:
            if rules:
                chances[name] *= 1 if name in rules else MISREAD
        if not is_settled:
            chances[name] *= LATE if waits else MISREAD
    best = max(chances, key=lambda name: chances[name])
    return Gravity(best, chances[best] / sum(chances.values()))


def _at_rest(history: Sequence[LinkBoard]) -> list[LinkBoard]:
    """The boards without those from which tiles only slid on."""
    slid = [before.left == after.left for before, after in pairwise(history)]
    return [board for board, moves_on in zip(history, [*slid, False], strict=True) if not moves_on]


@lru_cache(maxsize=1024)
def explaining(before: LinkBoard, after: LinkBoard, outside: bool) -> frozenset[str]:
    """The rules under which a few legal removals lead from one board to the other."""
    return frozenset(
        name for name in GRAVITIES if removed(before, after, Rules(name, outside)) is not None
    )


def removed(
    before: LinkBoard, after: LinkBoard, rules: Rules, most: int = MOST_MOVES
) -> tuple[tuple[Cell, Cell], ...] | None:
    """The pairs that went from one board to the other under a rule; None: that cannot be."""
    if before.left == after.left:
        return () if before == after else None
    if most == 0 or (before.rows, before.cols) != (after.rows, after.cols):
        return None
    fewer = before.counts - after.counts
    if after.counts - before.counts or fewer.total() > 2 * most:
        return None
    for found in links(before, rules):
        if before.at(found.a) in fewer:
            rest = removed(play(before, rules, found.a, found.b), after, rules, most - 1)
            if rest is not None:
                return ((found.a, found.b), *rest)
    return None


def is_cleared(before: LinkBoard, after: LinkBoard, outside: bool) -> bool:
    """Whether pairs went from one board to the other, however many, where nothing slides.

    No removal closes a path, so that each may go as soon as it can. Of four equal tiles those may
    be paired first that leave the others no path: then they are said not to have gone. So they are
    where as many tiles that something hides would often have their mates hidden with them.
    """
    if (before.rows, before.cols) != (after.rows, after.cols):
        return False
    cells = [(r, c) for r in range(before.rows) for c in range(before.cols)]
    gone = {cell for cell in cells if before.at(cell) != after.at(cell)}
    if any(before.at(cell) <= EMPTY or after.at(cell) != EMPTY for cell in gone):
        return False
    if len(gone) > 2 * MOST_MOVES and _chance_of_mates(before, len(gone)) > BY_CHANCE:
        return False
    rules, board = Rules("none", outside), before
    while gone:
        can = [found for found in links(board, rules) if {found.a, found.b} <= gone]
        if not can:
            return False
        of_kind = Counter(board.at(cell) for cell in gone)
        sure = [found for found in can if of_kind[board.at(found.a)] == 2]
        for found in sure or can[:1]:
            board = play(board, rules, found.a, found.b)
            gone -= {found.a, found.b}
    return before != after


def _chance_of_mates(board: LinkBoard, count: int) -> float:
    """The chance that so many tiles at random hold an even number of each kind.

    Of k kinds of one size it is the mean of (s / k) ** count over all sums s of k signs. Kinds of
    other sizes count for as many as two random tiles are as often equal among (Simpson 1949).
    """
    sizes = board.counts.values()
    k = round(sum(sizes) ** 2 / sum(size**2 for size in sizes))
    return ldexp(sum(comb(k, minus) * (1 - 2 * minus / k) ** count for minus in range(k + 1)), -k)
