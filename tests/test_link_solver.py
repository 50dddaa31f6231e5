"""The link solver: orders that clear, proofs, plain and compiled alike."""

from __future__ import annotations

import random
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ar_assist.games.link import beams, playouts, positions, solver
from ar_assist.games.link.board import GRAVITIES, LinkBoard, Rules, parse_board, play
from ar_assist.games.link.files import load_boards
from ar_assist.games.link.generate import deal
from ar_assist.games.link.paths import links
from ar_assist.games.link.puzzle import Puzzle, puzzle
from ar_assist.games.link.solver import PLAIN, finish, is_safe, replay, solve

SMALL = ((2, 3), (2, 4), (3, 3), (3, 4))


def small_board(rng: random.Random) -> LinkBoard:
    """A board of up to twelve cells, often one that cannot be cleared; some gaps and stones."""
    rows, cols = rng.choice(SMALL)
    cells = rows * cols
    kinds = [rng.randint(1, 4) for _ in range(cells // 2 - rng.randint(0, 1))]
    tiles = 2 * kinds
    tiles += [rng.choice((0, 0, -1)) for _ in range(cells - len(tiles))]
    rng.shuffle(tiles)
    return LinkBoard(tuple(tuple(tiles[r * cols : (r + 1) * cols]) for r in range(rows)))


@cache
def fewest_left(board: LinkBoard, rules: Rules) -> int:
    """How many tiles stay at best: all orders tried, until one clears the board."""
    fewest = board.left
    moves = iter(links(board, rules))
    while fewest and (move := next(moves, None)):
        fewest = min(fewest, fewest_left(play(board, rules, move.a, move.b), rules))
    return fewest


@pytest.mark.parametrize("gravity", GRAVITIES)
def test_verdicts_agree_with_exhaustive_search(gravity: str) -> None:
    rng = random.Random(2)
    lost, boards = 0, 300
    for _ in range(boards):
        board, rules = small_board(rng), Rules(gravity, outside=rng.random() < 0.8)
        solution = solve(board, rules)
        left = fewest_left(board, rules)
        assert solution.verdict == ("clears" if left == 0 else "lost"), f"{rules}\n{board}"
        assert solution.left == left, f"{rules}\n{board}"
        lost += left > 0
    assert 0 < lost < boards
    fewest_left.cache_clear()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(list(GRAVITIES)))
def test_an_order_leaves_what_it_says(seed: int, gravity: str) -> None:
    board, rules = deal(5, 6, 8, random.Random(seed)), Rules(gravity)
    solution = solve(board, rules, nodes=3000)
    steps = list(replay(board, rules, solution.order))  # raises if a pair cannot be linked
    assert solution.left == board.left - 2 * len(steps)
    assert (solution.verdict == "clears") == (solution.left == 0)


@pytest.mark.parametrize("gravity", GRAVITIES)
def test_plain_and_compiled_searches_give_the_same_answers(gravity: str) -> None:
    pytest.importorskip("numba")
    from ar_assist.games.link import fast

    engine = fast.engine()
    rng = random.Random(7)
    search = "still" if gravity == "none" else "sliding"
    for rows, cols, kinds in ((4, 6, 6), (6, 8, 12), (4, 7, 13), (8, 8, 16)):
        board, rules = deal(rows, cols, kinds, rng), Rules(gravity)
        plain = getattr(PLAIN, search)(puzzle(board, rules), 2000, 1)
        compiled = getattr(engine, search)(puzzle(board, rules, engine.array), 2000, 1)
        assert (plain[0], list(plain[1]), plain[2]) == (
            compiled[0],
            list(compiled[1]),
            compiled[2],
        )


@pytest.mark.parametrize("gravity", [name for name in GRAVITIES if name != "none"])
def test_what_is_kept_from_the_position_before_is_what_a_fresh_look_gives(gravity: str) -> None:
    """Moves slide and hash as the rules say, and the lines that are scanned again are enough."""
    rng, rules = random.Random(9), Rules(gravity)
    for _ in range(8):
        board = small_board(rng)
        layout = puzzle(board, rules)
        kept, grid = positions.open_field(layout, 1000, 1), list(layout.grid)
        kept.notes[positions.LOOSE] = 1  # a dealt board may have gaps
        kind = {0: 0} | dict(zip(inside(grid, board, layout), board.flat, strict=True))
        while moves := links(board, rules):
            a, b = (((r + 1) << layout.shape.shift | c + 1) for r, c in (moves[0].a, moves[0].b))
            code = positions.hash_of(grid, kept, layout)
            code ^= positions.make(grid, kept, layout, a, b)
            kept.notes[positions.LOOSE] = not layout.line_at
            board = play(board, rules, moves[0].a, moves[0].b)
            assert [kind[tile] for tile in inside(grid, board, layout)] == list(board.flat)
            assert code == positions.hash_of(grid, kept, layout)
            fresh = positions.open_field(layout, 1000, 1)
            positions.look(grid, kept, layout)
            positions.look(grid, fresh, layout)
            assert positions.list_moves(kept, layout, kept.moves) == len(links(board, rules))
            fresh.notes[positions.RANDOM] = kept.notes[positions.RANDOM]
            assert beams.worth(kept, layout, 0) == beams.worth(fresh, layout, 0)


def inside(grid: list[int], board: LinkBoard, layout: Puzzle) -> list[int]:
    """The board's cells of a padded grid."""
    shift = layout.shape.shift
    return [grid[(r + 1) << shift | c + 1] for r in range(board.rows) for c in range(board.cols)]


@pytest.mark.parametrize("gravity", ["down", "in-h", "down-left"])
def test_the_pairs_listed_are_the_legal_ones(gravity: str) -> None:
    rng, rules = random.Random(8), Rules(gravity)
    for kinds in (3, 6, 12):  # up to sixteen tiles of a kind
        board = deal(6, 8, kinds, rng)
        layout = puzzle(board, rules)
        field, grid = positions.open_field(layout, 1000, 1), list(layout.grid)
        field.notes[positions.LOOSE] = 1
        while moves := links(board, rules):
            positions.look(grid, field, layout)
            count = positions.list_moves(field, layout, field.moves)
            listed = [
                tuple(field.places[tile] for tile in (layout.pair_a[pair], layout.pair_b[pair]))
                for pair in field.moves[:count]
            ]
            legal = [
                tuple((r + 1) << layout.shape.shift | c + 1 for r, c in (move.a, move.b))
                for move in moves
            ]
            assert sorted(map(sorted, listed)) == sorted(map(sorted, legal))
            move = rng.choice(moves)
            a, b = legal[moves.index(move)]
            positions.make(grid, field, layout, a, b)
            board = play(board, rules, move.a, move.b)


def test_games_take_the_pairs_that_they_were_taught() -> None:
    layout = puzzle(deal(6, 8, 4, random.Random(4)), Rules("left"))  # 12 of each: many pairs
    field, chances = positions.open_field(layout, 1000, 1), playouts.open_chances()
    likings = [0] * len(layout.pair_a)
    taught, untaught, after = (playouts.open_line(layout) for _ in range(3))
    playouts.play_out(layout, field, likings, chances, taught)
    playouts.play_out(layout, field, likings, chances, untaught)
    for _ in range(20):
        playouts.teach(likings, chances, taught)
    playouts.play_out(layout, field, likings, chances, after)
    model = set(taught.chosen[: taught.length[0]])
    shared = [len(model & set(line.chosen[: line.length[0]])) for line in (untaught, after)]
    assert shared[0] < len(model) / 2 < shared[1]


def test_a_beam_is_led_by_what_is_liked() -> None:
    layout = puzzle(deal(6, 14, 21, random.Random(4)), Rules("left"))
    field = positions.open_field(layout, 10**6, 1)
    positions.look(layout.grid, field, layout)
    legal = field.moves[: positions.list_moves(field, layout, field.moves)]
    assert len(legal) > 2
    for pair in legal:
        likings = [0] * len(layout.pair_a)
        likings[pair] = 100 * playouts.UNIT
        _, order = beams.sweep(layout, field, 1, likings)
        assert set(order[:2]) == {
            layout.cell[layout.pair_a[pair]],
            layout.cell[layout.pair_b[pair]],
        }


def test_the_line_that_games_find_is_legal() -> None:
    board, rules = deal(6, 14, 21, random.Random(2)), Rules("left")
    layout = puzzle(board, rules)
    likings = [0] * len(layout.pair_a)
    line = playouts.learn(layout, positions.open_field(layout, 8000, 1), 8000, likings)
    assert line.length[0] > 0
    shift = layout.shape.shift
    where = [((x >> shift) - 1, (x & (1 << shift) - 1) - 1) for x in line.order]
    moves = line.length[0]
    order = list(zip(where[: 2 * moves : 2], where[1 : 2 * moves : 2], strict=True))
    assert len(list(replay(board, rules, order))) == moves  # raises if a pair cannot be linked


def test_the_plain_search_answers_where_numba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "accelerated", lambda: False)
    assert solve(deal(7, 12, 19, random.Random(1)), Rules("down")).verdict == "clears"


def test_the_plain_search_answers_where_numba_does_not_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ar_assist.games.link.fast", None)  # its import fails
    monkeypatch.delattr("ar_assist.games.link.fast", raising=False)
    monkeypatch.setattr(solver, "_accelerator", cache(solver._accelerator.__wrapped__))
    monkeypatch.setattr(solver, "_installed", lambda: True)
    solver.warm(wait=True)
    assert not solver.accelerated()
    assert solve(deal(7, 12, 19, random.Random(1)), Rules("down")).verdict == "clears"


def test_many_equal_tiles_wait_for_the_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, waits = solver._engine, []
    monkeypatch.setattr(solver, "_engine", lambda wait: waits.append(wait) or engine(wait))
    assert solve(deal(7, 12, 19, random.Random(1)), Rules(), 100).verdict == "clears"
    assert solve(deal(24, 24, 8, random.Random(1)), Rules(), 100).verdict == "clears"
    assert waits == [False, True]


def test_a_budget_beyond_what_the_compiled_search_counts_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "QUICK_NODES", 1)
    for gravity in ("none", "left"):
        board = deal(7, 12, 19, random.Random(1))
        assert solve(board, Rules(gravity), 10**25).verdict == "clears"


def test_the_camera_board_clears_under_every_gravity(data: Path) -> None:
    solver.warm(wait=True)
    text = (data / "link" / "tsinghua_graycapture.json").read_text()
    [(board, _)] = load_boards(text, lines=False)
    for gravity in GRAVITIES:
        assert solve(board, Rules(gravity)).verdict == "clears", gravity


def test_turned_boards_have_the_same_verdict() -> None:
    rng = random.Random(3)
    verdicts = []
    for _ in range(40):
        board = small_board(rng)
        mirrored = LinkBoard(tuple(row[::-1] for row in board.cells))
        turned = LinkBoard(tuple(zip(*board.cells[::-1], strict=True)))  # clockwise
        left = solve(board, Rules("left")).verdict
        assert solve(mirrored, Rules("right")).verdict == left
        assert solve(turned, Rules("up")).verdict == left
        verdicts.append(left)
    assert len(set(verdicts)) == 2


def test_a_kind_of_odd_number_stays_and_the_rest_is_cleared() -> None:
    board = parse_board("1 2 2\n3 1 3\n3 4 4")
    solution = solve(board, Rules())
    assert solution.verdict == "clears"  # all that has a partner
    assert solution.left == 3
    assert all(board.at(a) != 3 for a, _ in solution.order)
    assert len(finish(board, Rules(), solution.order)) == 4


def test_safe_and_unsafe_pairs_are_told_apart() -> None:
    rng = random.Random(5)
    judged = set()
    for _ in range(60):
        board, rules = small_board(rng), Rules(rng.choice(list(GRAVITIES)))
        solution = solve(board, rules)
        for move in links(board, rules):
            safe = is_safe(board, rules, (move.a, move.b), solution)
            assert safe == (fewest_left(play(board, rules, move.a, move.b), rules) == 0)
            judged.add((solution.verdict, safe))
    assert judged == {("clears", True), ("clears", False), ("lost", False)}


def test_an_order_with_an_illegal_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be linked"):
        list(replay(parse_board("1 2\n2 1"), Rules(), [((0, 0), (1, 1))]))


@pytest.mark.parametrize("notation", [".", "# _", "1", "1 2 3"])
def test_boards_without_a_pair_are_answered(notation: str) -> None:
    board = parse_board(notation)
    assert solve(board, Rules()).order == solve(board, Rules("down")).order == ()
    assert solve(board, Rules()).left == board.left
