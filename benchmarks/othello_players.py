"""Let the Othello search play simple opponents from varied openings.

    python benchmarks/othello_players.py [--games N] [--strength S]

Opponents: greedy (most flips), mobility (fewest replies) and a search of three plies that counts
corners and moves. Each opening, eight random moves, is played twice with colours changed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

from ar_assist.games.othello import plain
from ar_assist.games.othello.board import BLACK, START, WHITE, OthelloBoard, other, squares
from ar_assist.games.othello.search import search

Player = Callable[[OthelloBoard, int], int]
OPENING = 8  # random moves


def greedy(board: OthelloBoard, turn: int) -> int:
    return max(squares(board.moves(turn)), key=lambda s: board.flips(turn, s).bit_count())


def mobility(board: OthelloBoard, turn: int) -> int:
    def replies(square: int) -> int:
        return board.play(turn, square).moves(other(turn)).bit_count()

    return min(squares(board.moves(turn)), key=replies)


def three_plies(board: OthelloBoard, turn: int) -> int:
    return plain.search(*board.sides(turn), plain.USUAL).moves[0][0]


def result(board: OthelloBoard, turn: int | None, players: dict[int, Player]) -> int:
    """Black's score of a game between two players."""
    while turn:
        board = board.play(turn, players[turn](board, turn))
        turn = board.next_to_move(turn)
    return board.score(BLACK)


def opening(rng: random.Random) -> tuple[OthelloBoard, int | None]:
    board, turn = START, BLACK
    for _ in range(OPENING):
        board = board.play(turn, rng.choice(list(squares(board.moves(turn)))))
        turn = board.next_to_move(turn) or BLACK
    return board, turn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--strength", type=int, default=5)
    args = parser.parse_args()

    def ours(board: OthelloBoard, turn: int) -> int:
        return search(*board.sides(turn), args.strength).moves[0][0]

    for opponent in (greedy, mobility, three_plies):
        rng, won = random.Random(11), 0
        for _ in range(args.games // 2):
            board, turn = opening(rng)
            won += result(board, turn, {BLACK: ours, WHITE: opponent}) > 0
            won += result(board, turn, {BLACK: opponent, WHITE: ours}) < 0
        print(f"{opponent.__name__}: {won} of {args.games // 2 * 2} games won", flush=True)


if __name__ == "__main__":
    main()
