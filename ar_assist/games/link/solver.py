"""Whole clearing orders, and which pairs are safe. No clock: budgets are in nodes.

A node is about the work of looking at one position: 1 to 2 µs compiled, some 65 times that in plain
Python. Both give the same answers; the plain searches are always there and answer at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from typing import Literal

from ar_assist.games.link import sliding, still
from ar_assist.games.link.board import LinkBoard, Rules, play
from ar_assist.games.link.paths import Link, link, links
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Engine, puzzle
from ar_assist.types import Cell

NODES = 750_000  # some 0.9 s compiled on 84 tiles, where it must all be spent
QUICK_NODES = 16_000  # about 1 s in plain Python: enough for most boards, so it is tried first
MANY_PAIRS = 10_000  # of equal tiles: from here on plain Python plays no game within a second
MOST_NODES = 10**12  # a month; compiled searches count in 64 bits
SEED = 1  # searches repeat to the bit

PLAIN = Engine(still.search, sliding.search, list)

Verdict = Literal["clears", "lost", "unknown"]
Pair = tuple[Cell, Cell]


@dataclass(frozen=True)
class Solution:
    """What is known of a position.

    It speaks of the tiles that have a partner; a kind of which an odd number is left stays, for
    some tile of it must have been misread. Where it stands in the way nothing is proved lost.
    """

    verdict: Verdict  # lost: proved, no order clears it
    order: tuple[Pair, ...]  # the best order found, cells in the board as it stands at that move
    left: int  # tiles that stay after it, those without a partner included
    nodes: int  # what the search took


def solve(board: LinkBoard, rules: Rules, nodes: int = NODES) -> Solution:
    """The best clearing order that the budget allows; the accelerator comes in when it pays."""
    slow = sum(n * (n - 1) // 2 for n in rules.labels(board).counts.values()) > MANY_PAIRS
    solution = _run(board, rules, min(nodes, QUICK_NODES), wait=slow)
    if solution.verdict == "unknown" and nodes > QUICK_NODES:
        solution = _run(board, rules, nodes, wait=True)
    if solution.verdict == "lost" and odd_kinds(rules.labels(board)):
        return replace(solution, verdict="unknown")
    return solution


def odd_kinds(board: LinkBoard) -> set[int]:
    """The kinds of which an odd number is left: one of their tiles must have been misread."""
    return {kind for kind, count in board.counts.items() if count % 2}


def replay(
    board: LinkBoard, rules: Rules, order: Sequence[Pair]
) -> Iterator[tuple[LinkBoard, Link]]:
    """Play an order: each board with the link taken from it; ValueError if one is illegal."""
    for a, b in order:
        found = link(board, rules, a, b)
        if found is None:
            raise ValueError(f"{a} and {b} cannot be linked")
        yield board, found
        board = play(board, rules, a, b)


def is_safe(
    board: LinkBoard, rules: Rules, pair: Pair, solution: Solution, nodes: int = NODES
) -> bool | None:
    """Whether the position can still be cleared after a legal pair; None: not known."""
    if solution.verdict == "lost":
        return False
    known = solution.order if rules.gravity == "none" else solution.order[:1]
    if solution.verdict == "clears" and (pair in known or pair[::-1] in known):
        return True  # without gravity a pair of the order may go at any earlier time
    after = solve(play(board, rules, *pair), rules, nodes)
    return {"clears": True, "lost": False, "unknown": None}[after.verdict]


def finish(board: LinkBoard, rules: Rules, order: Sequence[Pair]) -> tuple[Pair, ...]:
    """Lengthen an order by whatever still links at its end, odd kinds included."""
    done = list(order)
    for a, b in order:
        board = play(board, rules, a, b)
    while open_links := links(board, rules):
        done.append((open_links[0].a, open_links[0].b))
        board = play(board, rules, *done[-1])
    return tuple(done)


def warm(wait: bool = False) -> None:
    """Get the accelerator ready, where it is installed: in the background, or wait for it."""
    if accelerated() and not wait:
        _accelerator()
    _engine(wait)


def accelerated() -> bool:
    """Whether the accelerator is installed and, as far as is known, loads."""
    return _installed() and not (_loaded() and _accelerator().exception())


@cache
def _installed() -> bool:
    return find_spec("numba") is not None


def _loaded() -> bool:
    """Whether the accelerator is ready, or failed to load."""
    return _accelerator.cache_info().currsize > 0 and _accelerator().done()


def _run(board: LinkBoard, rules: Rules, nodes: int, wait: bool) -> Solution:
    """One search under one budget."""
    engine = _engine(wait)
    problem = puzzle(board, rules, engine.array)
    tiles = len(problem.cell)
    if not tiles:
        return Solution("clears", (), board.left, 0)
    search = engine.still if rules.gravity == "none" else engine.sliding
    verdict, cells, used = search(problem, min(nodes, MOST_NODES), SEED)
    last = (1 << problem.shape.shift) - 1
    where = [((cell >> problem.shape.shift) - 1, (cell & last) - 1) for cell in map(int, cells)]
    order = tuple(zip(where[::2], where[1::2], strict=True))
    names: dict[int, Verdict] = {CLEARS: "clears", LOST: "lost", UNKNOWN: "unknown"}
    return Solution(names[verdict], order, board.left - 2 * len(order), used)


def _engine(wait: bool) -> Engine:
    """The accelerator if it is installed and ready (or worth to wait for), else plain Python."""
    if not accelerated() or not (wait or _loaded()):
        return PLAIN
    return PLAIN if _accelerator().exception() else _accelerator().result()


@cache
def _accelerator() -> Future[Engine]:
    """Starts to load the compiled searches in a thread of their own, once."""
    loaded: Future[Engine] = Future()

    def load() -> None:
        try:
            from ar_assist.games.link import fast

            engine = fast.engine()
        except Exception as error:  # such as a numpy that this numba does not know
            loaded.set_exception(error)
        else:
            loaded.set_result(engine)

    threading.Thread(target=load, name="compile the link solver", daemon=True).start()
    return loaded
