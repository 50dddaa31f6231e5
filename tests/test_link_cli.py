"""The verbs solve, generate and play."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from ar_assist.cli import main
from ar_assist.games.link import solver
from ar_assist.games.link.board import LinkBoard, Rules, parse_board
from ar_assist.games.link.files import load_boards
from ar_assist.games.link.solver import replay, solve


def test_solve_prints_an_order_that_clears(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1 2 1\n3 2 3\n")
    assert main(["solve", str(board), "--gravity", "down", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["left"]) == ("clears", 0)
    order = [(tuple(step["a"]), tuple(step["b"])) for step in said["order"]]
    steps = replay(parse_board(board.read_text()), Rules("down"), order)
    assert [[list(cell) for cell in link.path] for _, link in steps] == [
        step["path"] for step in said["order"]
    ]


def test_solve_reads_json_lines_and_their_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boards = tmp_path / "boards.jsonl"
    lines = [[[1, 1]], {"cells": [[1, 2], [2, 1]]}, {"cells": [[1, 2, 1, 2]], "gravity": "left"}]
    boards.write_text("\n".join(map(json.dumps, lines)))
    assert main(["solve", str(boards), "--json"]) == 0
    verdicts = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == ["clears", "lost", "clears"]


@pytest.mark.parametrize(
    ("words", "gravity"),
    [
        ('{"cells": [[1, 1]], "gravity": "left", "same": null}', "left"),
        ('{"board": {"cells": [[1, 1]], "gravity": "left"}}', "left"),
        ('{"board": [[1, 1]], "gravity": "left"}', "left"),
        ('{"cells": [[1, 1]], "name": "a\u2028b"}', "none"),
    ],
)
def test_a_board_in_json_brings_its_rules(words: str, gravity: str) -> None:
    [(board, rules)] = load_boards(words, lines=True)
    assert (board.cells, rules) == (((1, 1),), Rules(gravity))


def test_solve_reads_standard_input_and_judges_all_pairs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\ufeff1 1 2 1\n3, 2, 1, 3\n"))
    assert main(["solve", "-", "--all-pairs"]) == 0
    out = capsys.readouterr().out
    assert "clears all 8 tiles" in out
    assert "safe" in out


def test_an_odd_kind_is_said_and_the_rest_is_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1 1 1\n2 2 .\n"))
    assert main(["solve", "-"]) == 0
    assert "cannot be cleared; the best order found leaves 1 tile (3 of kind 1)" in (
        capsys.readouterr().out
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("1 1 1\n2 2 .\n"))
    assert main(["solve", "-", "--all-pairs", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {tuple(pair["a"]): pair["verdict"] for pair in said["pairs"]} == {
        (0, 0): "unknown",  # one of the three was misread, and which is not known
        (0, 1): "unknown",
        (1, 0): "safe",
    }


def test_pairs_beside_an_odd_kind_in_the_way_are_not_called_unsafe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("2 1 1 1\n4 1 1 2\n3 1 2 4"))
    assert main(["solve", "-", "--all-pairs", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "lost"
    assert {pair["verdict"] for pair in said["pairs"]} == {"unknown"}


def test_kinds_that_match_make_no_odd_kind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("same=1,2\n1 2 3 4 3 4"))
    assert main(["solve", "-", "--no-outside"]) == 0
    assert "leaves 4 tiles, " in capsys.readouterr().out


def test_json_has_the_keys_that_are_promised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1 1"))
    assert main(["solve", "-", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said.pop("ms") >= 0
    step = {"a": [0, 0], "b": [0, 1], "path": [[0, 0], [0, 1]]}
    assert said == {"verdict": "clears", "order": [step], "left": 0}


def test_a_board_without_tiles_is_said_to_be_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(". #"))
    assert main(["solve", "-"]) == 0
    assert "no tile is left to clear" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("1 2\n1\n", 2, "row 2 has 1 cells"),
        ("1 ?\n", 2, "'?' is no cell"),
        ("[[1, 1.5]]", 2, "1.5 is no cell"),
        ('{"cells": 3}', 2, "no board"),
        ("[[1,", 2, "no JSON: Expecting value"),
        ("[[1, 1]]\n[[2, 2]]", 2, "boards one a line are a .jsonl"),
        ("1,,1\n2,,2", 2, "'' is no cell"),
        ("x" * 10_000, 2, "x… is no cell"),
        ("\x1b[31m 1", 2, r"'\x1b[31m' is no cell"),
        ('{"cells": [[1, 1]], "same": 5}', 2, "'same' is 5"),
        ('{"cells": [[1, 1]], "same": [["a"]]}', 2, "'a' under 'same' is no kind"),
        ('{"cells": [[1, 1]], "same": [[1, 0]]}', 2, "0 under 'same' is no kind"),
        ('{"cells": [[1, 3]], "same": [[1, 2], [2, 3]]}', 2, "kind 2 is in two groups"),
        ('{"cells": [[1, 1]], "outside": "no"}', 2, "'outside' is 'no': true or false"),
        ('{"cells": [[1, 1]], "gravity": ["down"]}', 2, "'gravity' is ['down']: a name"),
        ('{"cells": [[1, 1]], "gravity": false}', 2, "'gravity' is False: a name"),
        ("[" * 100_000, 2, "lists within lists"),
        ("same=1,²\n1 1", 2, "'same=1,²' is no rule"),
        ("same=1,2 same=2,3\n1 3", 2, "kind 2 is in two groups"),
        (None, 3, "No such file"),
    ],
)
def test_bad_boards_are_told_in_one_line(
    text: str | None, code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board.txt"
    if text is not None:
        board.write_text(text)
    assert main(["solve", str(board)]) == code
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert len(said) < 300


def test_a_file_without_boards_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = tmp_path / "boards.jsonl"
    boards.write_text("\n")
    assert main(["solve", str(boards)]) == 2
    assert "no board in it" in capsys.readouterr().err


def test_a_text_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1 1\n", encoding="utf-8-sig")
    assert main(["solve", str(board)]) == 0


@pytest.mark.parametrize(
    "budget", [["--seconds", "0"], ["--seconds", "nan"], ["--seconds", "inf"], ["--nodes", "0"]]
)
def test_a_budget_of_nothing_is_refused(budget: list[str], tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1 1\n")
    assert main(["solve", str(board), *budget]) == 2


@pytest.mark.parametrize("seconds", [0.05, 0.5, 3, 60])
def test_seconds_are_neither_exceeded_nor_left(
    seconds: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock, budgets = [0.0], []

    def search(board: LinkBoard, rules: Rules, nodes: int) -> solver.Solution:
        clock[0] += nodes * (1e-6 if "loaded" in budgets else 1e-4)
        budgets.append(nodes)
        return solver.Solution("unknown", (), board.left, nodes)

    def load(wait: bool) -> None:
        if "loaded" not in budgets:
            clock[0] += 0.8
            budgets.append("loaded")

    monkeypatch.setattr(solver, "solve", search)
    monkeypatch.setattr(solver, "warm", load)
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    board = tmp_path / "board.txt"
    board.write_text("1 1\n")
    assert main(["solve", str(board), "--seconds", str(seconds)]) == 0
    assert ("loaded" in budgets) == (seconds > 1)
    assert seconds / 3 < clock[0] <= max(seconds, 0.1)


def test_the_order_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, picture, film = tmp_path / "b.txt", tmp_path / "b.png", tmp_path / "b.gif"
    board.write_text("1 2 1\n3 2 3\n")
    assert main(["solve", str(board), "--gravity", "left", "--out", str(picture)]) == 0
    assert main(["solve", str(board), "--gravity", "left", "--out", str(film)]) == 0
    assert Image.open(picture).size == Image.open(film).size
    assert Image.open(film).n_frames == 4  # three pairs and the end
    assert main(["solve", str(board), "--out", str(tmp_path / "b.txt")]) == 2
    capsys.readouterr()
    assert main(["solve", str(board), "--out", str(tmp_path / "no" / "b.png")]) == 2
    assert not capsys.readouterr().out  # drawn first: one who reads one line only gets it all


def test_boards_of_one_file_are_drawn_into_files_of_their_own(tmp_path: Path) -> None:
    boards = tmp_path / "b.jsonl"
    boards.write_text("[[1, 1]]\n[[1, 1, 1, 1]]\n")
    assert main(["solve", str(boards), "--out", str(tmp_path / "b.png")]) == 0
    pictures = sorted(tmp_path.glob("*.png"))
    assert [picture.name for picture in pictures] == ["b-1.png", "b-2.png"]
    assert Image.open(pictures[0]).width < Image.open(pictures[1]).width


@pytest.mark.parametrize("gravity", ["none", "down", "cw"])
def test_generated_boards_are_what_they_say(
    gravity: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "--board", "4x6", "--gravity", gravity, "--seed", "3", "--count", "3"]
    for extra, verdict in (([], "clears"), (["--lost"], "lost")):
        assert main(words + extra) == 0
        for line in capsys.readouterr().out.splitlines():
            [(board, rules)] = load_boards(line, lines=False)
            assert rules.gravity == gravity
            assert solve(board, rules).verdict == verdict


def test_a_generated_level_is_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--board", "3x4", "--gravity", "up", "--no-outside"]) == 0
    [(board, rules)] = load_boards(capsys.readouterr().out, lines=False)
    assert (board.rows, board.cols) == (3, 4)
    assert rules == Rules("up", outside=False)


@pytest.mark.parametrize(
    "words",
    [
        ["--board", "0x9"],
        ["--board", "²x3"],
        ["--board", "7x12x3"],
        ["--board", "61x2"],
        ["--board", "9999999x9999999"],
        ["--kinds", "0"],
        ["--count", "0"],
        ["--lost", "--difficulty", "easy"],
    ],
)
def test_boards_that_cannot_be_dealt_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *words]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert not said.out


def test_play_clears_the_photograph(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = tmp_path / "film.gif"
    photo = str(data / "link" / "tsinghua_graycapture.jpg")
    assert main(["play", photo, "--out", str(film)]) == 0
    assert "42 pairs removed, 0 tiles stay" in capsys.readouterr().out
    assert Image.open(film).n_frames == 43


def test_play_says_when_there_is_no_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Image.new("RGB", (320, 240), "grey").save(tmp_path / "grey.png")
    assert main(["play", str(tmp_path / "grey.png")]) == 2
    assert "no link board was found" in capsys.readouterr().err
