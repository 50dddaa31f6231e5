"""Boards with a known verdict and a measured difficulty."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ar_assist.games.link.board import LinkBoard, Rules, play
from ar_assist.games.link.paths import links
from ar_assist.games.link.solver import NODES, Solution, replay, solve

PLAYOUTS = 50  # random games that measure a board
# A board is named by the least share of random games that win it.
DIFFICULTIES = {"easy": 0.5, "medium": 0.1, "hard": 0.0}


@dataclass(frozen=True)
class Difficulty:
    """How easily a board is spoilt."""

    wins: float  # share of random games that clear it
    forced: int  # moves of the clearing order with no other legal pair

    @property
    def name(self) -> str:
        return next(name for name, least in DIFFICULTIES.items() if self.wins >= least)


def deal(rows: int, cols: int, kinds: int, rng: random.Random) -> LinkBoard:
    """A shuffled full board, pairs dealt to the kinds in turn; an odd cell out is left empty."""
    pairs = rows * cols // 2
    tiles = [pair % kinds + 1 for pair in range(pairs) for _ in (0, 1)]
    tiles += [0] * (rows * cols - len(tiles))
    rng.shuffle(tiles)
    return LinkBoard(tuple(tuple(tiles[r * cols : (r + 1) * cols]) for r in range(rows)))


def generate(
    rows: int, cols: int, kinds: int, rules: Rules, rng: random.Random, clears: bool, tries: int
) -> tuple[LinkBoard, Solution] | None:
    """The first dealt board that is proved to clear, or not to; None: none in so many tries."""
    for _ in range(tries):
        board = deal(rows, cols, kinds, rng)
        solution = solve(board, rules, NODES)
        if solution.verdict == ("clears" if clears else "lost"):
            return board, solution
    return None


def measure(board: LinkBoard, rules: Rules, solution: Solution, rng: random.Random) -> Difficulty:
    """Play at random, and look for forced moves in the clearing order."""
    wins = sum(_random_game(board, rules, rng) for _ in range(PLAYOUTS))
    forced = sum(len(links(at, rules)) == 1 for at, _ in replay(board, rules, solution.order))
    return Difficulty(wins / PLAYOUTS, forced)


def _random_game(board: LinkBoard, rules: Rules, rng: random.Random) -> bool:
    """Whether a game of random pairs clears the board."""
    while found := links(board, rules):
        move = rng.choice(found)
        board = play(board, rules, move.a, move.b)
    return board.left == 0
