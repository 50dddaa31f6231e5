"""Games as text (`f5d6…`), and a live game followed from the boards that were seen of it.

A camera sees a game as a list of boards: some moves fall between two looks, and now and then a
board is misread. The rules tell them apart: the game is the longest chain of boards in which each
follows from the one before it by legal moves, so a misread board, which leads nowhere, drops out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ar_assist.games.othello.board import (
    BLACK,
    NAMES,
    START,
    WHITE,
    Colour,
    OthelloBoard,
    parse_square,
    square_name,
    squares,
)

GAP = 6  # plies that may fall between two looks; more have too many orders to mean anything
ORDERS = 4  # orders of the same moves kept for a gap: beyond that "in doubt" says it all

Line = tuple[int, ...]  # the squares moved to, in order; passes are implied by the rules


@dataclass(frozen=True)
class Step:
    """What lies between two boards: one line of moves, or several that nothing tells apart."""

    lines: tuple[Line, ...]

    def or_else(self, other: Step) -> Step:
        """Nothing tells the two apart."""
        return Step(tuple(dict.fromkeys(self.lines + other.lines)))

    def __str__(self) -> str:
        texts = ["".join(map(square_name, line)) for line in self.lines]
        return texts[0] if len(texts) == 1 else f"({'|'.join(texts)})"


@dataclass(frozen=True)
class Transcript:
    """A game, or the part of it that was seen."""

    start: OthelloBoard
    first: Colour  # who moved first from `start`
    steps: tuple[Step, ...]
    board: OthelloBoard  # after the last step
    to_move: Colour | None  # None: the game is over

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    @property
    def certain(self) -> bool:
        """Whether every step has one line only."""
        return all(len(step.lines) == 1 for step in self.steps)

    def export(self) -> str:
        """The game as text: the position it began from unless it is the usual one, moves, board."""
        usual = self.start == START and self.first == BLACK
        begun = [] if usual else [f"from {self.start} {NAMES[self.first]} to move"]
        return "\n".join([*begun, str(self), self.board.diagram()])


def replay(
    text: str, start: OthelloBoard = START, first: Colour = BLACK
) -> list[tuple[OthelloBoard, Colour | None]]:
    """The boards of a transcript such as `f5d6c3`, each with its side to move, `start` included.

    Passes need not be written (`--`, `pa` and `pass` are skipped). ValueError names what is wrong.
    """
    played: list[tuple[OthelloBoard, Colour | None]] = [(start, first)]
    for word in re.findall(r"pass|pa|ps|--|\S\S?", "".join(text.lower().split())):
        if word in ("pass", "pa", "ps", "--"):
            continue
        board, colour = played[-1]
        if colour is None:
            raise ValueError(f"the game is over before {word}")
        after = board.play(colour, parse_square(word))
        played.append((after, after.next_to_move(colour)))
    return played


@lru_cache(maxsize=4096)
def lines_between(
    board: OthelloBoard, colour: Colour, target: OthelloBoard
) -> tuple[tuple[Line, Colour | None], ...]:
    """Legal lines from a board to another, each with the side to move after it; at most ORDERS."""
    found: list[tuple[Line, Colour | None]] = []
    if board.occupied & ~target.occupied or not 0 < board.empties - target.empties <= GAP:
        return ()
    dead: set[tuple[OthelloBoard, Colour]] = set()

    def descend(at: OthelloBoard, mover: Colour, line: Line) -> bool:
        reached = False
        for square in squares(at.moves(mover) & target.occupied):
            after = at.play(mover, square)
            turn, longer = after.next_to_move(mover), (*line, square)
            if after == target:
                found.append((longer, turn))
                reached = True
            elif turn is not None and (after, turn) not in dead and len(found) < ORDERS:
                reached |= descend(after, turn, longer)
        if not reached and len(found) < ORDERS:
            dead.add((at, mover))
        return reached

    descend(board, colour, ())
    return tuple(found[:ORDERS])


@dataclass(frozen=True)
class _Node:
    """The best chain that ends in one seen board with one side to move."""

    seen: int  # boards in the chain
    turn: Colour | None
    board: OthelloBoard
    before: _Node | None
    step: Step | None
    rivals: tuple[_Node, ...] = ()  # as good as `before`: the same board, the other side to move


def follow(history: Sequence[OthelloBoard]) -> Transcript | None:
    """The longest rule-true game in a list of seen boards; None if no two of them follow.

    Of equally long chains the one that ends last counts. Where only one board was seen of a game,
    no side to move is known.
    """
    ends = [node for nodes in _chains(history) for node in nodes if node.before]
    if not ends:
        return None
    most = max(node.seen for node in ends)
    *others, end = [node for node in ends if node.seen == most]
    return _transcript(end, [node for node in others if node.board == end.board])


def turn_after(history: Sequence[OthelloBoard]) -> Colour | None:
    """Who moves in the last board, as far as the boards before it (or the start) tell."""
    ends = _chains(history)[-1]
    best = max(node.seen for node in ends)
    turns = {node.turn for node in ends if node.seen == best}
    return turns.pop() if len(turns) == 1 else None


def likely_turn(board: OthelloBoard) -> Colour | None:
    """Who moves if nobody has passed yet; a side without a move passes; None at the end."""
    return board.next_to_move(WHITE if board.empties % 2 == 0 else BLACK)


def _chains(history: Sequence[OthelloBoard]) -> list[list[_Node]]:
    """For every board the best chain that ends there, one for each side that may be to move."""
    chains: list[list[_Node]] = []
    for index, board in enumerate(history):
        nodes: dict[Colour | None, _Node] = {}
        for earlier in range(index - 1, -1, -1):
            for before in chains[earlier]:
                _extend(nodes, before, board)
            longest_before = max((n.seen for c in chains[:earlier] for n in c), default=0)
            if nodes and max(n.seen for n in nodes.values()) > longest_before:
                break
        starts = (BLACK,) if board.empties == 60 else (BLACK, WHITE)
        alone = [_Node(1, colour, board, None, None) for colour in starts]
        chains.append(list(nodes.values()) or alone)
    return chains


def _extend(nodes: dict[Colour | None, _Node], before: _Node, board: OthelloBoard) -> None:
    """Add `board` behind a chain where the rules allow it and no longer chain is known."""
    if before.turn is None:
        return
    lines = lines_between(before.board, before.turn, board)
    for turn in {turn for _, turn in lines}:
        known = nodes.get(turn)
        step = Step(tuple(line for line, after in lines if after == turn))
        if known is not None and known.step and known.seen == before.seen + 1:
            if known.before and known.before.board == before.board:
                rivals = (*known.rivals, before)
                nodes[turn] = replace(known, rivals=rivals, step=known.step.or_else(step))
        elif known is None or known.seen <= before.seen:
            nodes[turn] = _Node(before.seen + 1, turn, board, before, step)


def _transcript(end: _Node, rivals: Sequence[_Node]) -> Transcript:
    """The chain that ends in a node, from its first board on.

    `rivals` end as well with the other side to move: what led there is in doubt, as far back as
    they differ.
    """
    steps: list[Step] = []
    node = end
    while node.before is not None and node.step is not None:
        step = node.step
        for rival in rivals:
            step = step.or_else(rival.step) if rival.step else step
        steps.insert(0, step)
        before = node.before
        earlier = [*node.rivals, *(n.before for n in rivals if n.before)]
        rivals = [n for n in earlier if n is not before and n.board == before.board]
        node = before
    first = node.turn if node.turn is not None else BLACK
    return Transcript(node.board, first, tuple(steps), end.board, end.turn)
