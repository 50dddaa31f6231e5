"""Hints that lead to a dead end: after them the rest can no longer be cleared."""

from __future__ import annotations

from ar_assist.evaluate.score import ClipScore
from ar_assist.evaluate.truth import Truth
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.solver import QUICK_NODES, is_safe, solve
from ar_assist.types import Cell


def dead_ends(clip: ClipScore, truth: Truth) -> tuple[bool, ...]:
    """For each right hint of a link game that was shown: whether it spoils the board.

    Boards that cannot be cleared anyway, and those that the solver cannot decide within its
    budget, do not count.
    """
    if truth.game != "link":
        return ()
    trues = {true.frame: true for true in truth.frames}
    shown: dict[tuple[LinkBoard, str, Cell, Cell], None] = {}  # a set that keeps its order
    for frame in clip.frames:
        board = trues[frame.frame].board
        if frame.hint and frame.hint_right and board and board.cells:
            gravity = trues[frame.frame].gravity
            shown[LinkBoard(board.cells), gravity, frame.hint[0], frame.hint[1]] = None
    verdicts = (_spoils(board, Rules(gravity), a, b) for board, gravity, a, b in shown)
    return tuple(verdict for verdict in verdicts if verdict is not None)


def _spoils(board: LinkBoard, rules: Rules, a: Cell, b: Cell) -> bool | None:
    solution = solve(board, rules, QUICK_NODES)
    if solution.verdict != "clears":
        return None
    safe = is_safe(board, rules, (a, b), solution, QUICK_NODES)
    return None if safe is None else not safe
