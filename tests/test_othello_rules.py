"""The rules of Othello, its notation, and games followed from boards that were seen."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ar_assist.cli import main
from ar_assist.games.othello.board import (
    BLACK,
    START,
    WHITE,
    OthelloBoard,
    perft,
    square_name,
    squares,
)
from ar_assist.games.othello.transcript import Step, follow, likely_turn, replay, turn_after


def random_game(seed: int) -> list[tuple[OthelloBoard, int | None]]:
    """All boards of a game, each with its side to move."""
    rng = random.Random(seed)
    played: list[tuple[OthelloBoard, int | None]] = [(START, BLACK)]
    while (turn := played[-1][1]) is not None:
        board = played[-1][0]
        after = board.play(turn, rng.choice(list(squares(board.moves(turn)))))
        played.append((after, after.next_to_move(turn)))
    return played


def test_lines_of_play_are_counted_right() -> None:
    counts = [perft(START.black, START.white, depth) for depth in range(1, 7)]
    assert counts == [4, 12, 56, 244, 1396, 8200]


@given(st.lists(st.sampled_from("-XO"), min_size=64, max_size=64).map("".join))
def test_notation_is_its_own_inverse(text: str) -> None:
    assert str(OthelloBoard.parse(text)) == text


def test_notation_is_tolerant() -> None:
    other = str(START).replace("X", "*").replace("O", "w").replace("-", ".")
    lines = "\n".join(other[i : i + 8] for i in range(0, 64, 8))
    assert OthelloBoard.parse(lines) == START


@pytest.mark.parametrize("text", ["", "X" * 63, "?" + "-" * 63])
def test_bad_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        OthelloBoard.parse(text)


@given(st.integers(0, 10_000))
def test_a_move_flips_and_adds_one_disc(seed: int) -> None:
    game = random_game(seed)
    for (before, turn), (after, _) in pairwise(game):
        assert turn is not None
        assert after.empties == before.empties - 1
        assert after.count(turn) - before.count(turn) >= 2
        assert before.occupied & ~after.occupied == 0
    assert game[-1][0].is_over


def test_illegal_moves_are_refused() -> None:
    with pytest.raises(ValueError, match="black cannot move to a1"):
        START.play(BLACK, 0)
    with pytest.raises(ValueError, match="d4"):
        START.play(BLACK, 27)


def test_empty_squares_go_to_the_winner() -> None:
    wipe_out = OthelloBoard(0b111, 0)
    assert wipe_out.is_over
    assert (wipe_out.score(BLACK), wipe_out.score(WHITE)) == (64, -64)


def moves_of(game: list[tuple[OthelloBoard, int | None]]) -> str:
    boards = [board.occupied for board, _ in game]
    new = [after & ~before for before, after in pairwise(boards)]
    return "".join(square_name(square.bit_length() - 1) for square in new)


@given(st.integers(0, 10_000))
def test_a_game_is_followed_and_its_transcript_replays(seed: int) -> None:
    game = random_game(seed)
    seen = follow([board for board, _ in game])
    assert seen is not None
    assert str(seen) == moves_of(game)
    assert seen.certain
    assert replay(str(seen)) == game
    assert seen.board.diagram() in seen.export()


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_moves_between_looks_are_found_or_said_to_be_in_doubt(seed: int, stride: int) -> None:
    game = random_game(seed)[: 1 + 12 * stride]
    seen = follow([board for board, _ in game[::stride]])
    assert seen is not None
    known = moves_of(game[: (len(game) - 1) // stride * stride + 1])
    at = 0
    for step in seen.steps:
        part = known[at : at + 2 * len(step.lines[0])]
        at += len(part)
        assert any("".join(map(square_name, line)) == part for line in step.lines) or (
            len(step.lines) > 1
        )
    assert seen.to_move == game[(len(game) - 1) // stride * stride][1] or not seen.certain


def test_two_orders_that_end_with_different_sides_to_move_are_in_doubt() -> None:
    """c7 d8 c8 h1 and, by a pass, c7 h1 d8 c8 lead to the same board; so do those after them."""
    game = random_game(3590)
    seen = follow([board for board, _ in game[:49:4]])
    assert seen is not None
    assert not seen.certain
    assert [
        sorted(map(str, (Step((line,)) for line in step.lines))) for step in seen.steps[10:]
    ] == [
        ["c7d8c8h1", "c7h1d8c8"],
        ["a4c6h6f8", "c6a4f8h6", "c6h6f8a4", "h6c6a4f8"],
    ]


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(0, 63))
def test_a_misread_board_never_enters_the_game(seed: int, at: int, square: int) -> None:
    game = [board for board, _ in random_game(seed)][:40]
    at = min(at, len(game) - 1)  # some games end early
    board, bit = game[at], 1 << square
    misread = OthelloBoard(board.black & ~bit, board.white & ~bit)
    if not board.occupied & bit:
        misread = OthelloBoard(board.black | bit, board.white)
    seen = follow([*game[: at + 1], misread, *game[at + 1 :]])
    assert seen is not None
    assert str(seen) == str(follow(game))


def test_side_to_move_comes_from_the_game_seen() -> None:
    boards = [board for board, _ in replay("f5d6c3")]
    assert turn_after(boards) == WHITE
    assert turn_after(boards[:1]) == BLACK
    assert turn_after(boards[-1:]) is None
    assert likely_turn(boards[-1]) == WHITE


def test_a_pass_is_known_from_the_moves_seen() -> None:
    for passed in map(random_game, range(1000)):
        turns = [turn for _, turn in passed]
        index = next((i for i, (a, b) in enumerate(pairwise(turns)) if a == b), None)
        if index is not None:
            break
    assert index is not None
    boards = [board for board, _ in passed[: index + 2]]
    assert turn_after(boards) == passed[index][1]


def test_transcripts_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="e5"):
        replay("f5e5")
    with pytest.raises(ValueError, match="z9"):
        replay("z9")


def test_a_log_becomes_a_transcript_and_a_diagram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = [board for board, _ in replay("f5d6c3d3c4")]
    seen = [game[0], game[0], *game[1:3], OthelloBoard(0b11, 0), *game[3:]]  # one is misread
    lines = [
        {"frame": i, "t": i / 2, "state": "locked", "game": "othello", "board": board.record()}
        for i, board in enumerate(seen)
    ]
    lines.append({"frame": 9, "t": 5.0, "state": "lost", "game": None, "board": None})
    log = tmp_path / "run.jsonl"
    log.write_text("\n".join(map(json.dumps, lines)))
    assert main(["othello", "transcript", str(log)]) == 0
    assert capsys.readouterr().out == f"f5d6c3d3c4\n{game[-1].diagram()}\n"
    log.write_text(json.dumps(lines[0]))
    assert main(["othello", "transcript", str(log)]) == 1


@pytest.mark.parametrize(
    "position", ["f5d6", (board := str(replay("f5d6")[-1][0])), board.replace("-", ".")]
)
def test_moves_of_a_position(position: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["othello", "moves", position, "--strength", "1"]) == 0
    shown = capsys.readouterr().out
    assert f"black moves {replay('f5d6')[-1][0].moves(BLACK).bit_count()}:" in shown


@pytest.mark.parametrize(
    "words",
    [
        ["moves", "f5e5"],
        ["moves", "XO"],
        ["moves", "f5d6", "--strength", "11"],
        ["transcript", "none.jsonl"],
    ],
)
def test_errors_are_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["othello", *words]) in (2, 3)
    assert capsys.readouterr().err.count("\n") == 1
