"""What the player waits for: all legal pairs of a board, and a new hint after an unplanned move.

    python benchmarks/link_speed.py [--boards N] [--positions N] [--games N] [--seed S]

Pairs are timed on positions of 8 x 18 from full to nearly empty and checked against a breadth-first
search over cells on small random boards with stones and holes. Hints: on 7 x 12 under every rule, a
player whose every second move is a random pair that is not the planned one. CPU seconds of one
core, the accelerator warm.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import deque
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from ar_assist.games.link import solver
from ar_assist.games.link.advice import advise
from ar_assist.games.link.board import EMPTY, GRAVITIES, HOLE, STONE, LinkBoard, Rules, play
from ar_assist.games.link.generate import deal
from ar_assist.games.link.paths import links
from ar_assist.types import Cell

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def reached(board: LinkBoard, outside: bool, a: Cell) -> dict[Cell, tuple[int, int]]:
    """Turns, then steps, of the best path from a cell to every tile: breadth first by turns."""

    def free(cell: Cell) -> bool:
        if 0 <= cell[0] < board.rows and 0 <= cell[1] < board.cols:
            return board.at(cell) == EMPTY or (outside and board.at(cell) == HOLE)
        return outside and -1 <= cell[0] <= board.rows and -1 <= cell[1] <= board.cols

    best: dict[Cell, tuple[int, int]] = {}
    shortest: dict[tuple[Cell, Cell, int], int] = {}  # cell, direction, turns: steps
    queue = deque((a, step, 0, 0) for step in STEPS)
    while queue:
        cell, step, turns, length = queue.popleft()
        ahead = cell[0] + step[0], cell[1] + step[1]
        within = 0 <= ahead[0] < board.rows and 0 <= ahead[1] < board.cols
        if within and board.at(ahead) > 0 and ahead != a:
            best[ahead] = min(best.get(ahead, (9, 0)), (turns, length + 1))
        if not free(ahead) or shortest.get((ahead, step, turns), 999) <= length:
            continue
        shortest[ahead, step, turns] = length
        queue.append((ahead, step, turns, length + 1))
        if turns < 2:
            sideways = (s for s in STEPS if s[0] * step[0] + s[1] * step[1] == 0)
            queue.extend((ahead, s, turns + 1, length + 1) for s in sideways)
    return best


def random_board(rng: random.Random) -> LinkBoard:
    """Up to 6 x 6 cells of any kind, half of them empty."""
    rows, cols = rng.randint(1, 6), rng.randint(1, 6)
    kinds = (EMPTY,) * 5 + (1, 2, 3, STONE, HOLE)
    return LinkBoard(tuple(tuple(rng.choices(kinds, k=cols)) for _ in range(rows)))


def differing(boards: int, rng: random.Random) -> int:
    """Random boards on which the links are not those of the reference."""
    wrong = 0
    for _ in range(boards):
        board, outside = random_board(rng), rng.random() < 0.5
        found = {(x.a, x.b): (x.turns, x.length) for x in links(board, Rules(outside=outside))}
        cells = [(r, c) for r in range(board.rows) for c in range(board.cols)]
        tiles = [cell for cell in cells if board.at(cell) > 0]
        ways = {cell: reached(board, outside, cell) for cell in tiles}
        alike = (pair for pair in combinations(tiles, 2) if board.at(pair[0]) == board.at(pair[1]))
        wrong += found != {(a, b): ways[a][b] for a, b in alike if b in ways[a]}
    return wrong


def game(rng: random.Random) -> Iterator[LinkBoard]:
    """The positions of a random game on 8 x 18."""
    board = deal(8, 18, 36, rng)
    while found := links(board, Rules()):
        yield board
        move = rng.choice(found)
        board = play(board, Rules(), move.a, move.b)


def time_pairs(games: int, rng: random.Random) -> list[float]:
    """Seconds that all links of a position take, the best of three: others use the machine."""
    spent = []
    for board in (board for _ in range(games) for board in game(rng)):
        tries = []
        for _ in range(3):
            start = time.process_time()
            links(board, Rules())
            tries.append(time.process_time() - start)
        spent.append(min(tries))
    return spent


def time_hints(rules: Rules, games: int, rng: random.Random) -> tuple[list[float], int]:
    """Seconds to a new hint after each move that was not planned; how many of these are safe.

    A game ends where a move has spoilt it, or where that is not known.
    """
    spent, safe = [], 0
    for _ in range(games):
        history = [deal(7, 12, 19, rng)]
        moves = advise(history, rules, solver.NODES).moves
        while moves:
            board, choice = history[-1], moves[0].link
            stray = len(history) % 2 == 0
            if stray:
                choice = rng.choice([x for x in links(board, rules) if x != choice] or [choice])
            history.append(play(board, rules, choice.a, choice.b))
            start = time.process_time()
            moves = advise(history, rules, solver.NODES).moves
            if stray and moves:
                spent.append(time.process_time() - start)
                if not moves[0].safe:
                    break
                safe += 1
    return spent, safe


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=100_000, help="checked against the search")
    parser.add_argument("--games", type=int, default=20, help="on 8 x 18, for the time of pairs")
    parser.add_argument("--hints", type=int, default=5, help="games under each rule, for hints")
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    solver.warm(wait=True)
    pairs = np.array(time_pairs(args.games, rng)) * 1000
    print(
        f"all pairs, {len(pairs)} positions: median {np.median(pairs):.3f} ms, "
        f"p99 {np.quantile(pairs, 0.99):.3f} ms, max {pairs.max():.3f} ms",
        flush=True,
    )
    print(f"{args.boards} boards, links differ from the reference on {differing(args.boards, rng)}")
    for gravity in GRAVITIES:
        spent, safe = time_hints(Rules(gravity), args.hints, rng)
        median, p95 = np.quantile(spent, (0.5, 0.95)) * 1000
        print(
            f"hint after another move, {gravity:9} {len(spent):4} moves, {safe:4} with a safe one: "
            f"median {median:6.1f} ms, p95 {p95:6.1f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
