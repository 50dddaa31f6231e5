"""The searches of Othello: exact values against brute force, and what the advice says."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from ar_assist.games.othello import OthelloGame, plain, search
from ar_assist.games.othello.board import (
    BLACK,
    NAMES,
    START,
    WHITE,
    OthelloBoard,
    flipped,
    legal_moves,
    other,
    square_name,
    squares,
)
from ar_assist.games.othello.transcript import replay


def position(empties: int, seed: int) -> tuple[OthelloBoard, int]:
    """A position from a random game, with its side to move."""
    rng = random.Random(seed)
    while True:
        board, turn = START, BLACK
        while turn and board.empties > empties:
            board = board.play(turn, rng.choice(list(squares(board.moves(turn)))))
            turn = board.next_to_move(turn) or 0
        if turn:
            return board, turn


def brute_force(board: OthelloBoard, turn: int) -> int:
    """The value by trying everything."""
    moves = board.moves(turn)
    if not moves:
        if board.is_over:
            return board.score(turn)
        return -brute_force(board, other(turn))
    return max(-brute_force(board.play(turn, s), other(turn)) for s in squares(moves))


@pytest.mark.parametrize("seed", range(12))
def test_plain_endgames_are_exact(seed: int) -> None:
    board, turn = position(6, seed)
    found = plain.search(*board.sides(turn), 5)
    assert found.exact
    assert found.moves[0][1] == brute_force(board, turn)


@pytest.mark.parametrize("seed", range(6))
def test_compiled_and_plain_endgames_agree(seed: int) -> None:
    deepening = pytest.importorskip("ar_assist.games.othello.deepening")
    board, turn = position(10, seed)
    compiled = deepening.solve(*board.sides(turn), 1 << 40)
    assert compiled.moves[0][1] == plain.search(*board.sides(turn), 5).moves[0][1]
    best = board.play(turn, compiled.moves[0][0])
    assert -plain_value(best, other(turn)) == compiled.moves[0][1]


def plain_value(board: OthelloBoard, turn: int) -> float:
    own, theirs = board.sides(turn)
    return plain._solve(own, theirs, -64, 64, {})


def test_compiled_rules_agree_with_the_plain_ones() -> None:
    fast = pytest.importorskip("ar_assist.games.othello.fast")
    for seed in range(40):
        board, turn = position(5 + seed, seed)
        own, theirs = board.sides(turn)
        mine, yours = np.uint64(own), np.uint64(theirs)
        moves = int(fast.legal_moves(mine, yours))
        assert moves == legal_moves(own, theirs)
        for square in squares(moves):
            assert int(fast.flipped(mine, yours, square)) == flipped(own, theirs, square)


def test_lines_of_play_are_counted_right() -> None:
    fast = pytest.importorskip("ar_assist.games.othello.fast")
    own, theirs = np.uint64(START.black), np.uint64(START.white)
    counts = [fast.perft(own, theirs, depth) for depth in (7, 8, 9, 10)]
    assert counts == [55092, 390216, 3005288, 24571284]


def test_a_known_endgame_is_solved() -> None:
    """Position 1 of the FFO test set: g8 wins by 18."""
    pytest.importorskip("numba")
    board = OthelloBoard.parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--")
    found = search.search(*board.sides(BLACK), 5)
    assert (square_name(found.moves[0][0]), found.moves[0][1], found.exact) == ("g8", 18, True)


def test_the_search_repeats() -> None:
    board, turn = position(40, 1)
    own, theirs = board.sides(turn)
    assert search.search(own, theirs, 0) == search.search(own, theirs, 0)


@pytest.mark.parametrize("engine", ["plain", "deepening"])
def test_every_legal_move_is_ranked(engine: str) -> None:
    module = pytest.importorskip(f"ar_assist.games.othello.{engine}")
    board, turn = position(30, 3)
    found = module.search(*board.sides(turn), 0)
    assert sorted(s for s, _ in found.moves) == list(squares(board.moves(turn)))
    assert not found.exact


def test_the_search_beats_a_greedy_player() -> None:
    rng = random.Random(4)
    for ours in (BLACK, WHITE, BLACK, WHITE):
        board, turn = position(52, rng.randrange(1000))
        while turn:
            moves = list(squares(board.moves(turn)))
            square = max(moves, key=lambda s: board.flips(turn, s).bit_count())
            if turn == ours:
                square = search.search(*board.sides(turn), -3).moves[0][0]
            board = board.play(turn, square)
            turn = board.next_to_move(turn) or 0
        assert board.score(ours) > 0


def boards(transcript: str) -> list[OthelloBoard]:
    return [board for board, _ in replay(transcript)]


def test_advice_names_the_side_and_all_its_moves() -> None:
    game = OthelloGame(strength=0)
    advice = game.advise(boards("f5"))
    assert advice.status == "ready"
    assert "white to move" in advice.reason
    move = advice.moves[0]
    record = move.record()
    assert record["to_move"] == WHITE
    assert record["moves"] == [[3, 5], [5, 3], [5, 5]]
    assert record["best"] in record["moves"]
    assert game.play(boards("f5")[-1], move).count(WHITE) == 3


def test_an_unknown_side_is_said_to_be_assumed_unless_set() -> None:
    board = boards("f5d6c3")[-1:]
    assert "assumed" in OthelloGame(strength=0).advise(board).reason
    told = OthelloGame(strength=0, side="black").advise(board)
    assert told.moves[0].colour == BLACK
    assert "assumed" not in told.reason


def test_no_move_and_the_end_are_said() -> None:
    over = OthelloBoard(0b11, 0)
    assert OthelloGame().advise([over]).status == "solved"
    assert "black wins by 64" in OthelloGame().advise([over]).reason
    bare = OthelloGame().advise([OthelloBoard.parse("." * 64)])
    assert (bare.status, bare.reason) == ("no move", "the board is empty")
    stuck = OthelloBoard.parse("XO------" + "-" * 56)
    advice = OthelloGame(side="white").advise([stuck])
    assert (advice.status, advice.moves) == ("no move", ())
    assert NAMES[WHITE] in advice.reason


def test_the_game_pickles_with_its_settings() -> None:
    game = OthelloGame(side="white", strength=7, both=True)
    assert pickle.loads(pickle.dumps(game)) == game


def test_stable_discs_are_never_turned() -> None:
    stability = pytest.importorskip("ar_assist.games.othello.stability")
    seen = 0
    for seed in range(60):
        board, turn = position(5 + seed % 30, seed)
        kept = int(stability.stable(np.uint64(board.black), np.uint64(board.white)))
        rng = random.Random(seed)
        while turn:
            board = board.play(turn, rng.choice(list(squares(board.moves(turn)))))
            turn = board.next_to_move(turn) or 0
        assert kept & ~board.black == 0
        seen += kept.bit_count()
    assert seen > 100


def test_a_row_of_moves_is_picked_in_order() -> None:
    positions = pytest.importorskip("ar_assist.games.othello.positions")
    row = np.array([weight << 6 | square for square, weight in enumerate([3, -7, 0, 5])], np.int32)
    assert [positions.next_move(row, index, 4) for index in range(4)] == [1, 2, 0, 3]


def test_a_hair_behind_is_not_told_as_minus_nothing() -> None:
    found = search.Found(((19, -0.3),), depth=12, exact=False, nodes=1)
    assert found.words() == "d3, about +0 (12 moves ahead)"
