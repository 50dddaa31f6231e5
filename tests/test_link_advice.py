"""What the link game advises, and how it tells the gravity from the moves seen."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ar_assist.belief import Belief
from ar_assist.games.link import LinkGame, advice, solver
from ar_assist.games.link.board import GRAVITIES, LinkBoard, Rules, parse_board, play
from ar_assist.games.link.generate import deal
from ar_assist.games.link.gravity import infer, is_cleared, removed
from ar_assist.games.link.paths import links
from ar_assist.types import Correction, Lattice, Reading


def reading_of(board: LinkBoard, doubtful: tuple[tuple[int, int], ...] = ()) -> Reading[LinkBoard]:
    certainty = np.ones((board.rows, board.cols), np.float32)
    for cell in doubtful:
        certainty[cell] = 0.2
    corners = Lattice((10, 20), (40, 50), board.rows, board.cols).corners
    return Reading(board, corners, certainty, 1.0)


def played(gravity: str, moves: int, seed: int) -> list[LinkBoard]:
    """A game of random moves."""
    rng = random.Random(seed)
    history = [deal(6, 8, 12, rng)]
    for _ in range(moves):
        move = rng.choice(links(history[-1], Rules(gravity)))
        history.append(play(history[-1], Rules(gravity), move.a, move.b))
    return history


def test_a_game_of_hints_clears_the_board() -> None:
    game = LinkGame("left")
    history = [deal(4, 6, 6, random.Random(2))]
    while (said := game.advise(history)).status == "ready":
        assert said.moves[0].safe
        history.append(game.play(history[-1], said.moves[0]))
    assert said.status == "solved"
    assert history[-1].left == 0


@pytest.mark.parametrize("gravity", ["none", "down"])
def test_where_tiles_slide_a_change_may_reach_the_cells_beside_it(gravity: str) -> None:
    history = played(gravity, 3, seed=4)
    assert LinkGame(gravity).advise(history).slides == (gravity != "none")
    assert LinkGame().advise(history).slides == (gravity != "none")


def test_a_planned_move_needs_no_new_search(monkeypatch: pytest.MonkeyPatch) -> None:
    history, rules = [deal(6, 8, 12, random.Random(4))], Rules()
    first = advice.plan(history, rules, solver.NODES)
    history.append(play(history[0], rules, *first.order[0]))
    monkeypatch.setattr(advice, "solve", lambda *_: pytest.fail("searched again"))
    assert advice.plan(history, rules, solver.NODES).order == first.order[1:]


def test_games_played_before_are_not_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an evening the oldest boards go for every new one, so that no history is known."""
    evening = [board for seed in range(30) for board in played("none", 3, seed)]
    searched = []
    monkeypatch.setattr(advice, "_plans", {})
    monkeypatch.setattr(advice, "solve", lambda *args: searched.append(args) or solver.solve(*args))
    advice.plan(evening, Rules(), 1000)
    assert len(searched) <= 4, "boards since the last deal"


def test_what_is_remembered_does_not_change_the_advice() -> None:
    game, history = LinkGame(), played("none", 5, seed=6)
    for end in range(1, len(history)):
        game.advise(history[:end])
    warm = game.advise(history)
    advice._plans.clear()
    assert game.advise(history) == warm


def test_the_easiest_safe_pair_comes_first() -> None:
    board = parse_board("1 . . 2\n. . . .\n2 . 3 3\n1 . . .")
    shown = LinkGame("none").advise([board]).moves
    assert (shown[0].link.a, shown[0].link.b) == ((2, 2), (2, 3))
    assert [move.link.turns for move in shown] == sorted(move.link.turns for move in shown)


def test_the_pair_on_show_stays_when_more_is_known_of_it() -> None:
    """A cell that is read surely makes known what comes after pairs elsewhere."""
    belief, game, board = (
        Belief(),
        LinkGame("none"),
        parse_board("1 . . 2\n. 4 4 .\n2 . 3 3\n1 . . ."),
    )
    unsure, sure = reading_of(board, ((0, 0),)), reading_of(board)
    belief.reading = unsure
    for reading in (unsure, sure):
        belief.advise(board, game.advise([board], reading))
        if reading is unsure:
            belief.choose_next()
            chosen = belief.hint.link
    assert belief.hint.link == chosen and belief.hint.safe


def test_a_pair_that_spoils_the_board_is_not_shown() -> None:
    rng = random.Random(8)
    kept = 0
    for _ in range(30):
        board, rules = deal(3, 4, 3, rng), Rules("down")
        said = LinkGame("down").advise([board])
        legal = links(board, rules)
        if said.moves and said.moves[0].safe:
            kept += len(said.moves) < len(legal)
            for move in said.moves:
                after = play(board, rules, move.link.a, move.link.b)
                assert solver.solve(after, rules).verdict == "clears"
    assert kept


def test_a_lost_board_is_said_to_be_lost_and_played_on() -> None:
    board = parse_board("1 2 3 3\n2 1 4 4")
    said = LinkGame("none").advise([board])
    assert said.moves[0].safe is False
    assert "leaves 4 tiles" in said.reason


def test_no_board_is_called_lost_before_its_gravity_is_known() -> None:
    rng = random.Random(4)
    rest = [kind for kind in range(3, 14) for _ in range(4)]
    rng.shuffle(rest)
    cells = [1, 2, *rest[:6], 2, 1, *rest[6:]]  # ones and twos bar each other's way for ever
    history = [LinkBoard(tuple(tuple(cells[i : i + 8]) for i in range(0, 48, 8)))]
    said = LinkGame().advise(history)
    assert said.moves
    assert all(move.safe is None for move in said.moves)
    assert "cannot be cleared" not in said.reason
    while infer(history).certainty < 0.99:
        move = rng.choice(links(history[-1], Rules()))
        history.append(play(history[-1], Rules(), move.a, move.b))
    said = LinkGame().advise(history)
    assert said.moves[0].safe is False
    assert "cannot be cleared" in said.reason


def test_without_a_pair_it_says_so() -> None:
    said = LinkGame("none").advise([parse_board("1 2\n2 1")])
    assert (said.status, said.moves) == ("no move", ())
    assert "shuffle" in said.reason


def test_no_shuffle_is_called_for_where_a_tile_has_no_mate() -> None:
    said = LinkGame("none").advise([parse_board("1 2\n2 3")])
    assert (said.status, said.moves) == ("no move", ())
    assert "shuffle" not in said.reason
    assert "mate" in said.reason


def test_no_shuffle_is_called_for_where_a_cell_is_doubtful() -> None:
    board = parse_board("1 2\n2 1")  # open if the tile at the top left were none
    assert "shuffle" in LinkGame("none").advise([board], reading_of(board, ())).reason
    said = LinkGame("none").advise([board], reading_of(board, ((0, 0),)))
    assert (said.status, said.moves) == ("no move", ())
    assert "read surely" in said.reason
    assert "shuffle" not in said.reason


def test_no_move_rests_on_a_doubtful_cell() -> None:
    board = parse_board("1 1 2 2\n3 . . 3")
    said = LinkGame("none").advise([board], reading_of(board, ((0, 1), (1, 2))))
    assert (said.moves[0].link.a, said.moves[0].link.b) == ((0, 2), (0, 3))
    for move in said.moves:
        assert (0, 1) not in (move.link.a, move.link.b)
        assert (1, 1) not in move.link.path
    lone = parse_board("1 1")
    said = LinkGame("none").advise([lone], reading_of(lone, ((0, 1),)))
    assert said.status == "no move"
    assert "not read surely" in said.reason


def test_of_safe_pairs_the_surer_is_shown_though_it_is_harder_to_see() -> None:
    board = parse_board("1 1 5 2\n3 4 4 3\n2 6 6 5")
    easy = LinkGame("none").advise([board]).moves[0].link
    reading = reading_of(board, ())
    reading.certainty[easy.a] = 0.95
    shown = [(move.link.a, move.link.b) for move in LinkGame("none").advise([board], reading).moves]
    assert len(shown) > 1
    assert shown[-1] == (easy.a, easy.b)


def test_a_pair_linked_inside_is_shown_before_one_linked_round_cells_that_nobody_read() -> None:
    board = parse_board("1 3 1 9 4\n5 . . . 6\n6 . . . 5\n4 9 8 3 8")
    easiest = LinkGame("none").advise([board]).moves[0].link
    assert easiest.path == ((0, 0), (-1, 0), (-1, 2), (0, 2))
    moves = LinkGame("none").advise([board], reading_of(board)).moves
    assert all(0 <= r < 4 and 0 <= c < 5 for r, c in moves[0].link.path)
    assert easiest in [move.link for move in moves]


def test_a_misread_tile_leaves_safe_pairs_among_the_rest() -> None:
    board = parse_board("1 1 9 2 2\n3 4 9 4 3\n9 5 5 6 6")
    said = LinkGame("none").advise([board])
    assert said.moves[0].safe
    assert all(board.at(move.link.a) != 9 for move in said.moves)


def test_a_misread_tile_in_the_way_does_not_make_a_board_lost() -> None:
    board = parse_board("2 1 1 1\n4 1 1 2\n3 1 2 4")  # it clears: the first 2 is the other 3
    said = LinkGame("none").advise([board])
    assert said.moves
    assert all(move.safe is None for move in said.moves)
    assert "cannot be cleared" not in said.reason


@pytest.mark.parametrize("gravity", GRAVITIES)
def test_gravity_is_told_from_a_few_moves(gravity: str) -> None:
    found = infer(played(gravity, 6, seed=11))
    assert found.name == gravity
    assert found.certainty > 0.8


def test_one_misread_board_does_not_turn_the_gravity() -> None:
    history = played("down", 6, seed=12)
    history.insert(3, history[3].put({(5, 0): 77, (5, 3): 78}))
    assert infer(history).name == "down"


def test_a_look_between_a_removal_and_the_slide_does_not_turn_the_gravity() -> None:
    history = played("up", 2, seed=16)
    rules = Rules("up")
    both = (
        (history[-1].put({m.a: 0, m.b: 0}), play(history[-1], rules, m.a, m.b))
        for m in links(history[-1], rules)
    )
    gone, slid = next((gone, slid) for gone, slid in both if gone != slid)
    for last in ([gone], [gone, slid], [slid]):
        assert infer([*history, *last]).name == "up"
    still = played("none", 2, seed=16)
    assert infer(still[:2]).name == infer(still).name == "none"


def test_the_gravity_inferred_is_said_with_its_certainty() -> None:
    history = played("down", 3, seed=5)
    assert "gravity" not in LinkGame().advise(history[:1]).reason  # no move was seen
    sure = f"{100 * infer(history).certainty:.0f} %"
    assert f"gravity down ({sure})" in LinkGame().advise(history).reason
    assert "gravity" not in LinkGame("down").advise(history).reason  # set by the player


def test_two_moves_between_looks_are_told() -> None:
    history = played("left", 2, seed=13)
    pairs = removed(history[0], history[2], Rules("left"))
    assert pairs is not None
    assert len(pairs) == 2
    assert removed(history[0], history[2], Rules("right")) is None


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 999), st.integers(1, 14))
def test_what_was_played_while_nobody_looked_follows_however_much(seed: int, moves: int) -> None:
    """Where each kind has two tiles it is told exactly; and no tile goes without its mate."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(np.repeat(np.arange(1, 15), 2)).reshape(4, 7).tolist()
    before = after = LinkBoard(tuple(map(tuple, cells)))
    for _ in range(moves):
        can = links(after, Rules())
        if can:
            found = can[rng.integers(len(can))]
            after = play(after, Rules(), found.a, found.b)
    assert is_cleared(before, after, outside=True) == (before != after)
    for cell in np.argwhere(np.array(after.cells) > 0)[:1].tolist():
        assert not is_cleared(before, after.put({tuple(cell): 0}), outside=True)


def test_tiles_that_no_path_joins_have_not_gone() -> None:
    """But if those between go too, they may have."""
    below = "\n4 4 5\n5 6 6\n7 7 8\n8 9 9\n10 10 11\n11 12 12"
    before = parse_board("1 2 1\n2 3 3" + below)
    assert not is_cleared(before, parse_board(". 2 .\n2 3 3" + below), outside=False)
    assert is_cleared(before, parse_board(". . .\n. . ." + below), outside=False)


@pytest.mark.parametrize("kinds", [4, 30])
def test_what_a_message_hides_is_no_board_that_was_played_on(kinds: int) -> None:
    """Of few kinds eight tiles often hide their mates with them, of many never."""
    cells = [[1 + c // 2 + 4 * r for c in range(8)] for r in range(15)]
    before = LinkBoard(tuple(tuple((kind - 1) % kinds + 1 for kind in row) for row in cells))
    after = before.put({(6, c): 0 for c in range(8)})
    assert is_cleared(before, after, outside=True) == (kinds == 30)


def test_corrections_are_put_over_the_reading() -> None:
    board = parse_board("1 2\n3 4")
    before = reading_of(board, ((0, 0), (0, 1), (1, 1)))
    after = LinkGame().correct(
        before,
        [
            Correction((0, 0), "empty"),
            Correction((0, 1), "same", (1, 0)),
            Correction((1, 1), "blocked"),
        ],
    )
    assert after.board == parse_board(". 3\n3 #")
    assert after.certainty.min() == 1
    assert before.board == board


def test_marks_frame_the_pair_and_run_through_the_paths_corners() -> None:
    board = parse_board("1 2\n2 1\n1 2")
    game, reading = LinkGame("none"), reading_of(board)
    said = game.advise([board])
    a, b, path = game.marks(reading, said)
    assert (a.role, b.role, path.kind) == ("a", "b", "path")
    link = said.moves[0].link
    assert a.points.tolist() == reading.cell_quads()[link.a].tolist()
    wanted = [(10 + 40 * (c + 0.5), 20 + 50 * (r + 0.5)) for r, c in link.path]
    assert np.allclose(path.points, wanted)


def test_the_game_travels_to_another_process() -> None:
    game = LinkGame("down", outside=False)
    assert pickle.loads(pickle.dumps(game)) == game
    with pytest.raises(ValueError, match="sideways"):
        LinkGame("sideways")


def test_a_board_not_read_surely_is_never_called_lost() -> None:
    board = deal(6, 8, 12, random.Random(3))
    assert LinkGame("none").advise([board]).moves[0].safe
    mates = [
        tuple(map(int, cell)) for cell in np.argwhere(np.array(board.cells) == board.cells[2][3])
    ]
    said = LinkGame("none").advise([board], reading_of(board, tuple(mates[:1])))
    assert said.moves
    assert all(move.safe is None for move in said.moves)
    assert "cannot be cleared" not in said.reason


def test_pairs_are_shown_where_the_clearing_order_begins_with_one_not_read_surely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = deal(6, 8, 12, random.Random(1))
    first, second = solver.solve(board, Rules(), 1000).order[0]
    monkeypatch.setattr(advice, "is_safe", lambda *_: False)  # nor is another known to be safe
    said = LinkGame().advise([board], reading_of(board, doubtful=(first, second)))
    assert said.moves
    assert all(move.safe is None for move in said.moves)
    assert all({first, second}.isdisjoint((move.link.a, move.link.b)) for move in said.moves)
