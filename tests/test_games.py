"""The contract of a game, over all games: notation, log, advice, marks; nothing seen in clutter."""

import json
import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest

from ar_assist.games import GAMES
from ar_assist.types import Lattice, Plane, Reading
from ar_assist.warp import rectify

POSITIONS = {
    "link": ["1 2 1\n. 2 .\n3 # 3", "1 1"],
    "othello": ["-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27],
    "nonogram": ["1 3 1 : 1 3 1 : .../.../..."],
}
PITCH = 20


@pytest.fixture(params=[(name, text) for name, texts in POSITIONS.items() for text in texts])
def position(request: pytest.FixtureRequest):
    name, text = request.param
    game = GAMES[name]
    board = game.parse(text)
    record = board.record()
    shape = (record["rows"], record["cols"])
    lattice = Lattice((-0.5, -0.5), (PITCH, PITCH), *shape)
    certain = np.ones(shape, np.float32)
    return game, board, Reading(board, lattice.corners, certain, 1.0)


def test_every_game_has_a_position_here() -> None:
    assert set(POSITIONS) == set(GAMES)


def test_names_are_the_registry_keys_and_games_travel(position) -> None:
    game, board, _ = position
    assert GAMES[game.name] == game
    assert pickle.loads(pickle.dumps(game)) == game
    assert pickle.loads(pickle.dumps(board)) == board


def test_notation_is_its_own_inverse(position) -> None:
    game, board, _ = position
    assert game.parse(str(board)) == board
    assert hash(game.parse(str(board))) == hash(board)
    with pytest.raises(ValueError, match=r"\S"):
        game.parse("no board at all ~")


def test_what_a_move_leads_to_follows(position) -> None:
    game, board, reading = position
    move = game.advise([board], reading).moves[0]
    assert game.follows(board, game.play(board, move))
    assert not game.follows(board, board)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("link", "1 2 1\n3 4 3\n2 4 5", "1 . 1\n3 4 3\n. 4 5"),  # too many turns
        ("link", "1 1 2\n2 3 3", "1 . 2\n2 . 3"),  # no pair
        ("link", "1 1 2\n2 3 3", "1 1 2"),  # another shape
        ("link", ". .\n3 3", "1 1\n3 3"),
        ("link", "1 1 2 2\n3 3 4 4", ". . . .\n. . 4 4"),  # three moves, or a hand
        ("link", "1 1 2 2\n3 3 4 4", ". . . .\n. 3 4 4"),  # one without its mate
        ("othello", "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27, "X" + "-" * 63),
        ("nonogram", "1 3 1 : 1 3 1 : .../.../...", "1 3 1 : 1 3 1 : #../.../..#"),  # two lines
        ("nonogram", "1 3 1 : 1 3 1 : .../.../...", "1 ? 1 : 1 3 1 : .../#../..."),  # other clues
    ],
)
def test_what_no_move_leads_to_does_not_follow(name: str, before: str, after: str) -> None:
    game = GAMES[name]
    assert not game.follows(game.parse(before), game.parse(after))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("link", "1 1 2 2\n3 3 4 4", ". . . .\n3 3 4 4"),
        ("link", "1 2\n3 3", ". .\n1 2"),  # what is above falls
        ("link", "1 2\n. .", ". .\n1 2"),  # and has done so since a look saw the pair gone
        ("nonogram", "1 3 1 : 1 3 1 : .../.../...", "1 3 1 : 1 3 1 : .../##./..."),
    ],
)
def test_moves_that_nobody_advised_follow(name: str, before: str, after: str) -> None:
    game = GAMES[name]
    assert game.follows(game.parse(before), game.parse(after))


def test_records_are_plain_json(position) -> None:
    game, board, reading = position
    advice = game.advise([board], reading)
    for value in (board.record(), *(move.record() for move in advice.moves)):
        assert json.loads(json.dumps(value)) == value
    cells = board.record()["cells"]
    assert np.shape(cells) == reading.certainty.shape


def test_advice_can_be_played_and_drawn(position) -> None:
    game, board, reading = position
    advice = game.advise([board], reading)
    assert advice.status == "ready"
    assert game.play(board, advice.moves[0]) != board
    marks = game.marks(reading, advice)
    assert marks
    rows, cols = reading.certainty.shape
    for mark in marks:
        assert np.isfinite(mark.points).all()
        # Marks lie on the board, or within the cell around it where links run.
        assert mark.points.min() >= -PITCH - 1
        assert (mark.points.max(axis=0) <= ((cols + 1) * PITCH, (rows + 1) * PITCH)).all()
    assert game.summary(reading, advice)


@pytest.mark.parametrize(("name", "values"), [("link", 1), ("othello", 3), ("nonogram", 2)])
def test_a_setting_goes_round(name: str, values: int) -> None:
    seen = [GAMES[name]]
    for _ in range(values):
        seen.append(seen[-1].varied()[0])
    assert seen[-1] == seen[0]
    assert len(set(seen)) == values


def test_advice_repeats(position) -> None:
    game, board, reading = position
    assert game.advise([board], reading) == game.advise([board], reading)


@pytest.mark.parametrize("name", GAMES)
def test_no_board_is_seen_where_there_is_none(name: str) -> None:
    rng = np.random.default_rng(3)
    grey = np.full((400, 500, 3), 127, np.uint8)
    noise = rng.integers(0, 256, (400, 500, 3), dtype=np.uint8)
    for picture in (grey, noise, cv2.GaussianBlur(noise, (0, 0), 8)):
        for lattice in (None, Lattice((50, 50), (40, 40), 7, 9)):
            assert GAMES[name].read(picture, lattice) is None


@pytest.mark.parametrize("name", GAMES)
def test_no_board_is_seen_in_clutter(data: Path, name: str) -> None:
    for path in sorted((data / "clutter").glob("*.*")):
        image = cv2.imread(str(path))
        plane = Plane(np.eye(3), image.shape[1::-1])
        for lattice in (None, Lattice((40, 40), (44, 44), 6, 9)):
            reading = GAMES[name].read(rectify(image, plane), lattice)
            assert reading is None, path.name
