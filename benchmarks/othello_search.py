"""Measure the Othello search on this machine's one core.

    python benchmarks/othello_search.py [--positions N] [--seed S]
        [--ffo FOLDER [--first N] [--last N]]

Prints perft, the depth of the mid-game search at the usual strength and the time to solve positions
of random games, N of each number of empty squares; with a folder of `.obf` files, endgames of
the FFO set from one number to another. Times are the processor's.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from ar_assist.games.othello import deepening, fast
from ar_assist.games.othello.board import BLACK, START, WHITE, Colour, OthelloBoard, squares

T = TypeVar("T")
UNLIMITED = 1 << 40
Position = tuple[OthelloBoard, Colour]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result and the seconds of processor time."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def random_position(empties: int, rng: random.Random) -> Position:
    """A position from a game whose first 16 plies are random and the rest lightly searched."""
    while True:
        board, turn = START, BLACK
        while turn and board.empties > empties:
            own, theirs = board.sides(turn)
            moves = list(squares(board.moves(turn)))
            early = board.empties > 44
            chosen = rng.choice(moves) if early else deepening.deepen(own, theirs, 3000).moves[0][0]
            board = board.play(turn, chosen)
            turn = board.next_to_move(turn) or 0
        if turn:
            return board, turn


def ffo(folder: Path) -> list[tuple[Position, dict[str, int]]]:
    """The positions of a folder of .obf files with the value of every move."""
    found = []
    for path in sorted(folder.glob("*.obf")):
        for line in filter(str.strip, path.read_text().splitlines()):
            text, *values = line.split(";")
            cells, turn = text.split()
            moves = dict(re.findall(r"(\w\d):([+-]\d+)", " ".join(values)))
            known = {move.lower(): int(value) for move, value in moves.items()}
            position = OthelloBoard.parse(cells), BLACK if turn == "X" else WHITE
            found.append((position, known))
    return found


def solve(position: Position) -> deepening.Found:
    board, turn = position
    found = deepening.solve(*board.sides(turn), UNLIMITED)
    assert found is not None
    return found


def measure_ffo(folder: Path, first: int, last: int) -> None:
    total, right = 0.0, 0
    for number, (position, known) in enumerate(ffo(folder)[first - 1 : last], first):
        found, seconds = timed(partial(solve, position))
        square, value = found.moves[0]
        name = "abcdefgh"[square % 8] + str(square // 8 + 1)
        agrees = value == max(known.values()) == known.get(name)
        total, right = total + seconds, right + agrees
        print(
            f"FFO {number}: {name} {value:+.0f} {seconds:.2f} s {'' if agrees else known}",
            flush=True,
        )
    print(f"FFO {first}-{last}: {right} right, {total:.1f} s in all", flush=True)


def measure_endgames(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for empties in (18, 20, 22):
        positions = [random_position(empties, rng) for _ in range(count)]
        times = [timed(partial(solve, position))[1] for position in positions]
        median, nine = np.quantile(times, (0.5, 0.9))
        print(
            f"{empties} empties: median {median:.2f} s, 90 % {nine:.2f}, max {max(times):.2f}",
            flush=True,
        )


def measure_midgame(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for empties in (52, 44, 36, 28):
        depths, times = [], []
        for _ in range(count):
            board, turn = random_position(empties, rng)
            look = partial(deepening.deepen, *board.sides(turn), deepening.MIDGAME_NODES)
            found, seconds = timed(look)
            depths.append(found.depth)
            times.append(seconds)
        print(
            f"{empties} empties: depth {min(depths)} at least, {np.median(depths):.0f} median, "
            f"{np.median(times):.2f} s median, {max(times):.2f} at most",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ffo", type=Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=39)
    args = parser.parse_args()
    for depth in (9, 10, 11):
        own, theirs = np.uint64(START.black), np.uint64(START.white)
        lines, seconds = timed(partial(fast.perft, own, theirs, depth))
        print(f"perft({depth}) = {lines}: {seconds:.2f} s")
    measure_midgame(args.positions, args.seed)
    measure_endgames(args.positions, args.seed)
    if args.ffo:
        measure_ffo(args.ffo, args.first, args.last)


if __name__ == "__main__":
    main()
