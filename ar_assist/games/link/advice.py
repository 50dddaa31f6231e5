"""From a history of boards to the pairs worth showing: safe ones, surely read, easy to see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ar_assist.games.link.board import LinkBoard, Rules, play
from ar_assist.games.link.gravity import removed
from ar_assist.games.link.paths import Link, links
from ar_assist.games.link.solver import Solution, is_safe, odd_kinds, solve
from ar_assist.types import Advice, Cell

# Certainty from which a move may rest on a cell: a wrong pair costs more than a missed one. Surer
# ones are shown first: pairs from 0.995 are wrong 15 times less often.
SURE, SURER = 0.9, (0.98, 0.995)
SHOWN = 3  # safe pairs wanted: the hint and two others for the player who asks
TRIED = 3  # pairs judged at most, the planned one not counted
JUDGE_NODES = 2_000  # for judging one of them: some 5 ms compiled
PLANS = 64  # histories whose plan is remembered
NOT_KNOWN = "not known whether the board can still be cleared"
TURN_STEPS = 4  # a turn makes a path as hard to see as so many steps more

_plans: dict[tuple[tuple[LinkBoard, ...], Rules, int], Solution] = {}


@dataclass(frozen=True)
class LinkMove:
    """A pair to remove."""

    link: Link
    # Whether the rest can still be cleared after it, None if that is not known. Not compared: the
    # pair that is shown stays the same one when more comes to be known of it.
    safe: bool | None = field(default=None, compare=False)

    def record(self) -> dict[str, Any]:
        path = [list(cell) for cell in self.link.path]
        return {"a": list(self.link.a), "b": list(self.link.b), "path": path, "safe": self.safe}


def advise(
    history: Sequence[LinkBoard],
    rules: Rules,
    nodes: int,
    certainty: NDArray[np.float32] | None = None,
) -> Advice[LinkMove]:
    """Moves for the last board of a history.

    `certainty` is how sure its cells (rows, cols) are. Those that may be misread are in the way,
    and pairs are open on what remains. What follows is planned on the board as read, and not
    claimed to be known.
    """
    board = history[-1]
    sure = board if certainty is None else trusted(board, certainty)
    if not board.left:
        return Advice((), "solved", "solved: the board is cleared")
    open_links = links(sure, rules)
    labels = rules.labels(board)
    odd = odd_kinds(labels)
    if not open_links:
        return Advice((), "no move", _why_none_is_open(board, rules, sure == board, bool(odd)))
    paired = [found for found in open_links if labels.at(found.a) not in odd]
    if not paired:
        moves = tuple(LinkMove(found) for found in open_links)
        return Advice(moves, "ready", "an odd number of these is left: perhaps one was misread")
    solution = plan(history, rules, nodes)
    last = _last_move(history, rules)
    ranked = sorted(paired, key=lambda found: (_risk(found, certainty), _effort(found, last)))
    moves = judged(board, rules, ranked, solution)
    if sure != board:
        moves = tuple(replace(move, safe=None) for move in moves)
    return Advice(moves, "ready", _caution(moves, solution))


def not_called_lost(advised: Advice[LinkMove]) -> Advice[LinkMove]:
    """The same moves without the claim that nothing can clear the board."""
    if not advised.moves or advised.moves[0].safe is not False:
        return advised
    moves = tuple(replace(move, safe=None) for move in advised.moves)
    return replace(advised, moves=moves, reason=NOT_KNOWN)


def trusted(board: LinkBoard, certainty: NDArray[np.float32]) -> LinkBoard:
    """The board with a tile of a kind of its own in every doubtful cell: in the way, no match."""
    fresh = count(max(board.flat) + 1)
    doubtful = np.argwhere(certainty < SURE)
    return board.put({(r, c): next(fresh) for r, c in doubtful.tolist() if board.at((r, c)) >= 0})


def plan(history: Sequence[LinkBoard], rules: Rules, nodes: int) -> Solution:
    """The clearing order for the last board, kept as long as the player follows it.

    It depends on the history alone: what is remembered is what would be worked out again.
    """
    boards = _since_dealt(history)
    known = len(boards)
    while known and (boards[:known], rules, nodes) not in _plans:
        known -= 1
    for end in range(known + 1, len(boards) + 1):
        before = _plans.get((boards[: end - 1], rules, nodes))
        followed = before and _follow(before, boards[end - 2], boards[end - 1], rules)
        _plans[boards[:end], rules, nodes] = followed or solve(boards[end - 1], rules, nodes)
        if len(_plans) > PLANS:
            del _plans[next(iter(_plans))]
    return _plans[boards, rules, nodes]


def _since_dealt(history: Sequence[LinkBoard]) -> tuple[LinkBoard, ...]:
    """The boards since tiles were last added: no plan outlives that."""
    more = [i for i in range(1, len(history)) if history[i - 1].left < history[i].left]
    return tuple(history[more[-1] if more else 0 :])


def _follow(before: Solution, board: LinkBoard, now: LinkBoard, rules: Rules) -> Solution | None:
    """What is left of a clearing order when the player played its first pairs."""
    if before.verdict != "clears" or board.left < now.left:
        return None
    played = (board.left - now.left) // 2
    for a, b in before.order[:played]:
        board = play(board, rules, a, b)
    return replace(before, order=before.order[played:], nodes=0) if board == now else None


def judged(
    board: LinkBoard, rules: Rules, ranked: Sequence[Link], solution: Solution
) -> tuple[LinkMove, ...]:
    """The safe pairs as they are ranked; where none is known to be safe, the best order's first."""
    first = [found for found in ranked if {found.a, found.b} == set(sum(solution.order[:1], ()))]
    if solution.verdict != "clears":
        rest = [found for found in ranked if found not in first]
        safe = False if solution.verdict == "lost" else None
        return tuple(LinkMove(found, safe) for found in first + rest)
    safe_moves = [LinkMove(found, True) for found in first]
    for found in [found for found in ranked if found not in first][:TRIED]:
        if len(safe_moves) < SHOWN and is_safe(
            board, rules, (found.a, found.b), solution, JUDGE_NODES
        ):
            safe_moves.append(LinkMove(found, True))
    if not safe_moves:  # the order begins with a pair that is not among these
        return tuple(LinkMove(found, None) for found in ranked)
    return tuple(sorted(safe_moves, key=lambda move: ranked.index(move.link)))


def _last_move(history: Sequence[LinkBoard], rules: Rules) -> tuple[Cell, ...]:
    """Where the player removed a pair last."""
    pairs = removed(history[-2], history[-1], rules, most=1) if len(history) > 1 else None
    return pairs[0] if pairs else ()


def _risk(found: Link, certainty: NDArray[np.float32] | None) -> tuple[int, bool]:
    """Of how many classes of certainty the pair falls short, and whether its path leaves the cells
    that were read: a line that was missed may lie there."""
    if certainty is None:
        return 0, False
    worse = min(certainty[found.a], certainty[found.b])
    rows, cols = certainty.shape
    leaves = any(not (0 <= r < rows and 0 <= c < cols) for r, c in found.path)
    return sum(bool(worse < level) for level in SURER), leaves


def _effort(found: Link, last: tuple[Cell, ...]) -> int:
    """How hard a pair is to see and reach: turns, length, way from the last move; in steps."""
    ways = [abs(r - s) + abs(c - d) for r, c in (found.a, found.b) for s, d in last]
    return TURN_STEPS * found.turns + found.length + min(ways, default=0) // 2


def _why_none_is_open(board: LinkBoard, rules: Rules, is_sure: bool, is_odd: bool) -> str:
    """Why no pair can be shown. That none is left is claimed of a board that is known in every
    cell: a doubtful one may hold a tile's mate, or none and let a path through."""
    if not is_sure and links(board, rules):
        return "the pairs that are open rest on cells not read surely"
    if is_odd:
        return "no pair is open, but a tile's mate was not read"
    if not is_sure:
        return "no pair is open on the cells read surely"
    return "no pair left: the game should shuffle"


def _caution(moves: Sequence[LinkMove], solution: Solution) -> str:
    """What the player should know of the moves shown."""
    if moves[0].safe is False:
        return f"cannot be cleared any more: the best order found leaves {solution.left} tiles"
    return "" if moves[0].safe else NOT_KNOWN
