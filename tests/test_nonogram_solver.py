"""Nonograms: rules, notation, line solving, solving, advice, files and making of puzzles."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

from ar_assist.cli import main
from ar_assist.games.nonogram import NonogramGame, make, sat, solver
from ar_assist.games.nonogram.board import (
    CROSSED,
    FILLED,
    UNKNOWN,
    clue_of,
    is_solution,
    parse,
    puzzle,
    puzzle_of,
)
from ar_assist.games.nonogram.drawing import draw, to_image, to_svg
from ar_assist.games.nonogram.files import read_puzzle, write_puzzle
from ar_assist.games.nonogram.grid import Grid, Propagator
from ar_assist.games.nonogram.lines import solve_line
from ar_assist.games.nonogram.make import cells_of, make_unique
from ar_assist.games.nonogram.solver import certain_clues, solve

grids = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from([FILLED, CROSSED]), min_size=size[1], max_size=size[1]),
        min_size=size[0],
        max_size=size[0],
    )
)
lines = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=9)

needs_sat = pytest.mark.skipif(not sat.available(), reason="python-sat is not installed")
needs_fast = pytest.mark.skipif(
    not (sat.available() and solver.HAS_NUMBA), reason="the extra `fast` is not installed"
)


@given(lines)
def test_line_solving_is_exact(cells: list[tuple[bool, bool, bool]]) -> None:
    """Against all fillings of the line; some of what is entered may be wrong."""
    length = len(cells)
    clue = clue_of([FILLED if filled else CROSSED for filled, _, _ in cells])
    filled = crossed = 0
    for j, (value, shown, wrong) in enumerate(cells):
        if shown and value != wrong:
            filled |= 1 << j
        elif shown:
            crossed |= 1 << j
    fillings = [
        sum(1 << j for j, bit in enumerate(bits) if bit)
        for bits in product((0, 1), repeat=length)
        if clue_of([FILLED if bit else CROSSED for bit in bits]) == clue
    ]
    fits = [bits for bits in fillings if bits & filled == filled and not bits & crossed]
    every = (1 << length) - 1
    all_filled, all_crossed = every, every
    for bits in fits:
        all_filled &= bits
        all_crossed &= ~bits
    assert solve_line(clue, length, filled, crossed) == (
        (all_filled, all_crossed) if fits else None
    )


@given(grids)
def test_notation_is_its_own_inverse(cells: list[list[int]]) -> None:
    board = puzzle_of(cells)
    assert parse(str(board)) == board
    assert parse(str(board.with_cells(cells))) == board.with_cells(cells)


def _all_solutions(board: object, rows: int, cols: int) -> int:
    return sum(
        is_solution(board, np.reshape(bits, (rows, cols)).tolist())  # type: ignore[arg-type]
        for bits in product((FILLED, CROSSED), repeat=rows * cols)
    )


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.sampled_from([FILLED, CROSSED]), min_size=4, max_size=4), min_size=3, max_size=3
    )
)
def test_solver_counts_as_trying_everything_does(cells: list[list[int]]) -> None:
    board = puzzle_of(cells)
    outcome = solve(board, wanted=5000)
    assert outcome.complete
    assert len(outcome.solutions) == len(set(outcome.solutions)) == _all_solutions(board, 3, 4)


@needs_sat
def test_sat_and_search_find_the_same_solutions() -> None:
    board = puzzle([[1]] * 5, [[1]] * 5)  # every permutation
    searched, by_sat = solve(board, wanted=500), solve(board, wanted=500, seconds=30.0)
    assert len(searched.solutions) == 120
    assert set(searched.solutions) == set(by_sat.solutions)
    assert by_sat.complete


@needs_sat
def test_a_question_that_takes_too_long_spoils_no_other() -> None:
    hard, easy = puzzle([[1]] * 12, [[1]] * 12), puzzle([[1]] * 4, [[1]] * 4)
    assert solve(easy, wanted=100, seconds=30.0).complete
    for seconds in (0.0, 0.2):  # too little to ask it, and to answer it
        late = solve(hard, wanted=10**6, seconds=seconds)
        assert not late.complete
        assert len(solve(easy, wanted=100, seconds=30.0).solutions) == 24


@needs_sat
def test_questions_from_several_threads_do_not_mix() -> None:
    with ThreadPoolExecutor(4) as threads:
        boards = [puzzle([[1]] * n, [[1]] * n) for n in (3, 4, 5) * 4]
        outcomes = threads.map(lambda board: solve(board, wanted=200, seconds=30.0), boards)
        assert [len(outcome.solutions) for outcome in outcomes] == [6, 24, 120] * 4


@needs_fast
def test_a_line_tells_the_chances_of_its_cells_over_all_fillings() -> None:
    from ar_assist.games.nonogram.chances import Lines

    clues, length = [(2, 1), (), (3,), (1, 1, 2)], 8
    odds = np.random.default_rng(5).normal(0, 2, (len(clues), length))
    chances = Lines(clues, length, [(0, 0)] * len(clues)).chances(odds)
    for clue, told, found in zip(clues, odds, chances, strict=True):
        fillings = [
            np.array(bits)
            for bits in product((0, 1), repeat=length)
            if clue_of([FILLED if bit else CROSSED for bit in bits]) == clue
        ]
        weights = [np.exp((bits * told).sum()) for bits in fillings]
        np.testing.assert_allclose(found, np.average(fillings, axis=0, weights=weights))


@needs_fast
def test_a_line_that_is_known_has_nothing_to_tell() -> None:
    from ar_assist.games.nonogram.chances import Lines

    lines = Lines([(2,), (2,)], 4, [(0b0011, 0b1100), (0, 0)])
    chances = lines.chances(np.zeros((2, 4)))
    np.testing.assert_allclose(chances, [[0, 0, 0, 0], [1 / 3, 2 / 3, 2 / 3, 1 / 3]])


@pytest.fixture
def only_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every board is large, and the SAT solver without guesses finds nothing."""
    monkeypatch.setattr(solver, "MANY_OPEN", 1)
    monkeypatch.setattr(sat, "solutions", lambda *_: ([], False))


@needs_fast
@pytest.mark.usefixtures("only_guesses")
def test_guesses_lead_to_solutions() -> None:
    picture = gaussian_filter(np.random.default_rng(1).normal(size=(24, 24)), 1.2) > 0
    board = puzzle_of(np.where(picture, FILLED, CROSSED).tolist())
    outcome = solve(board, 3, seconds=60.0)
    assert len(set(outcome.solutions)) == 3
    assert all(is_solution(board, cells) for cells in outcome.solutions)


@needs_fast
@pytest.mark.usefixtures("only_guesses")
def test_guesses_are_given_up_until_all_solutions_are_found() -> None:
    board = puzzle([[1]] * 5, [[1]] * 5)  # every permutation
    outcome = solve(board, wanted=500, seconds=60.0)
    assert len(set(outcome.solutions)) == 120
    assert outcome.complete


@needs_fast
def test_beliefs_know_what_is_likely_and_are_not_too_sure() -> None:
    from ar_assist.games.nonogram.guess import _Beliefs

    for size, seed in ((40, 1), (60, 2)):  # hundreds of cells open, nearly all alike everywhere
        picture = gaussian_filter(np.random.default_rng(seed).normal(size=(size, size)), 1.2) > 0
        board = puzzle_of(np.where(picture, FILLED, CROSSED).tolist())
        lines_of, grid = Propagator(*certain_clues(board)), Grid.of(board.cells)
        assert lines_of.run_all(grid)
        odds = _Beliefs(lines_of).odds(grid)
        surprise = np.log1p(np.exp(np.where(picture, -odds, odds)))[odds != 0]
        assert len(surprise) > 1_000
        assert surprise.mean() < 0.05  # plain belief propagation: 0.11 and 0.2


@needs_fast
@pytest.mark.usefixtures("only_guesses")
@pytest.mark.parametrize(("size", "conflicts"), [(12, 100), (24, 25)])
def test_the_more_cells_are_open_the_less_is_searched_between_guesses(
    size: int, conflicts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ar_assist.games.nonogram import guess

    budgets: list[int] = []
    monkeypatch.setattr(guess, "WORK", 14_400)
    monkeypatch.setattr(
        "pysat.solvers.Glucose4.conf_budget", lambda _, budget: budgets.append(budget)
    )
    assert solve(puzzle([[1]] * size, [[1]] * size), 1, seconds=60.0).solutions
    assert budgets == [conflicts]


@needs_fast
def test_guesses_that_hold_make_bold_and_those_that_can_not_be_make_shy() -> None:
    from pysat.solvers import Glucose4

    from ar_assist.games.nonogram.guess import _Beliefs, _Guesses

    board = puzzle([[1]] * 30, [[1]] * 30)
    lines_of, grid = Propagator(*certain_clues(board)), Grid.of(board.cells)
    assert lines_of.run_all(grid)
    cells, formula = sat.formula_of(lines_of.row_clues, lines_of.col_clues, grid)
    beliefs = _Beliefs(lines_of)

    def guessed() -> int:
        before = len(guesses._made)
        guesses.add(beliefs, lines_of)
        return len(guesses._made) - before

    with Glucose4(bootstrap_with=formula.clauses()) as solver:
        guesses = _Guesses(solver, cells, grid)
        holding = [guessed() for _ in range(3)]
        assert holding == sorted(set(holding))  # more each time, though fewer cells are open
        guesses._made.update({1: None, 2: None})  # two filled cells in a row that has one
        assert guesses.tried(60.0) is False
        assert guesses.give_up()
        assert guessed() < holding[-1]


@needs_fast
def test_a_try_ends_with_its_time() -> None:
    from pysat.solvers import Glucose4

    from ar_assist.games.nonogram.guess import _Guesses

    size = 12  # so many pigeons and a hole less: billions of conflicts
    holes = [[pigeon * size + hole + 1 for hole in range(size - 1)] for pigeon in range(size)]
    with Glucose4(bootstrap_with=holes) as solver:
        for hole in zip(*holes, strict=True):
            for one, other in combinations(hole, 2):
                solver.add_clause([-one, -other])
        guesses = _Guesses(solver, [], Grid.of(((UNKNOWN,),)))  # no cells: WORK conflicts, hours
        begin = time.monotonic()
        assert guesses.tried(0.2) is None
        assert time.monotonic() - begin < 5  # the machine may be busy


@needs_fast
def test_one_guessed_solution_leads_to_those_next_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from ar_assist.games.nonogram import guess

    monkeypatch.setattr(solver, "MANY_OPEN", 1)
    monkeypatch.setattr(guess, "BAND", 4)
    guessed: list[object] = []
    taken = guess._Guesses.taken
    monkeypatch.setattr(guess._Guesses, "taken", lambda each: guessed.append(1) or taken(each))
    board = puzzle([[1]] * 12, [[1]] * 12)  # every permutation: 24 of them in four rows
    outcome = solve(board, 60, seconds=60.0)
    assert len(outcome.solutions) == len(set(outcome.solutions)) == 60
    assert len(guessed) == 1
    every = solve(puzzle([[1]] * 5, [[1]] * 5), 500, seconds=60.0)  # some in a band, none twice
    assert len(every.solutions) == len(set(every.solutions)) == 120
    assert every.complete


@needs_fast
def test_what_guesses_do_not_find_in_half_of_the_time_is_left_to_the_other_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ar_assist.games.nonogram import guess

    monkeypatch.setattr(solver, "MANY_OPEN", 1)
    monkeypatch.setattr(guess, "solutions", lambda *_: ([], False))
    outcome = solve(puzzle([[1]] * 4, [[1]] * 4), wanted=500, seconds=60.0)
    assert (len(outcome.solutions), outcome.complete) == (24, True)


def test_verdicts() -> None:
    assert solve(puzzle([[2], [2]], [[2], [2]])).verdict == "one"
    assert solve(puzzle([[1], [1]], [[1], [1]])).verdict == "many"
    assert solve(puzzle([[3], [], [1, 1]], [[1, 1], [2], [1]])).verdict == "none"
    assert solve(puzzle([[1]] * 6, [[1]] * 6), wanted=10_000, lines=0).solutions == ()


def test_a_search_that_runs_out_says_so() -> None:
    outcome = solve(puzzle([[1]] * 9, [[1]] * 9), wanted=10**9, lines=200)
    assert not outcome.complete


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        ([[4]], [[1], [1], [1]], "row 1: .4. needs 4 of 3 cells"),
        ([[1], [1]], [[1], []], "fill 2 cells, the column clues 1"),
        ([], [[1]], "1 to 500 rows"),
        ([[1]] * 501, [[1]], "1 to 500 rows"),
        ([[0]], [[]], "at least one cell"),
    ],
)
def test_clues_that_can_not_be(rows: list[list[int]], cols: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        puzzle(rows, cols)


HEART = [".##.##.", "#######", "#######", ".#####.", "..###..", "...#..."]
HEART_CELLS = [[FILLED if sign == "#" else CROSSED for sign in row] for row in HEART]


def test_hints_lead_to_the_solution_line_by_line() -> None:
    game, board = NonogramGame(), puzzle_of(HEART_CELLS)
    for _ in range(50):
        advice = game.advise([board])
        if not advice.moves:
            break
        move = advice.moves[0]
        assert move.axis is not None
        line = {cell[0] if move.axis == "row" else cell[1] for cell in move.cells}
        assert line == {move.index}
        assert move.why.startswith(f"{move.axis} {move.index + 1} ")
        assert all(HEART_CELLS[r][c] == value for r, c, value in move.cells)
        board = game.play(board, move)
    assert advice.status == "solved"


def test_the_last_choice_is_the_whole_solution() -> None:
    board = puzzle_of(HEART_CELLS)
    move = NonogramGame().advise([board]).moves[-1]
    assert NonogramGame().play(board, move).cells == tuple(map(tuple, HEART_CELLS))


def test_the_whole_solution_comes_first_on_request() -> None:
    board = puzzle_of(HEART_CELLS)
    lines = NonogramGame().advise([board]).moves
    whole = NonogramGame().varied()[0].advise([board]).moves
    assert whole == (lines[-1], *lines[:-1])
    assert len(whole[0].cells) == np.size(HEART_CELLS)
    assert whole[0].axis is None


def test_a_wrong_entry_is_named_and_not_built_on() -> None:
    cells = [[UNKNOWN] * 7 for _ in range(6)]
    cells[0][0] = FILLED
    move = NonogramGame().advise([puzzle_of(HEART_CELLS).with_cells(cells)]).moves[0]
    assert move.mistakes == ((0, 0),)
    assert all(HEART_CELLS[r][c] == value for r, c, value in move.cells)


def test_no_hint_rests_on_a_doubtful_or_contradictory_clue() -> None:
    game = NonogramGame()
    doubtful = game.parse("? 1 : 1 1 : ../..")
    assert game.advise([doubtful]).moves == ()
    assert "row 1 is in doubt" in game.advise([doubtful]).reason
    assert "contradict" in game.advise([puzzle([[3], [], [1, 1]], [[1, 1], [2], [1]])]).reason


@pytest.mark.parametrize(
    ("cells", "status", "reason"),
    [
        ("../..", "no move", "several solutions"),
        ("#./.#", "solved", ""),
        (".#/#x", "solved", ""),
        ("##/..", "no move", "what is entered contradicts the clues"),
    ],
)
def test_each_of_several_solutions_is_one_and_an_empty_board_is_not(
    cells: str, status: str, reason: str
) -> None:
    advice = NonogramGame().advise([parse(f"1 1 : 1 1 : {cells}")])
    assert (advice.status, advice.moves, advice.reason) == (status, (), reason)


def test_entries_tell_which_of_several_solutions_is_meant() -> None:
    board = parse("1 1 : 1 1 : #./..")
    move = NonogramGame().advise([board]).moves[-1]
    assert NonogramGame().play(board, move) == parse("1 1 : 1 1 : #x/x#")


def test_play_refuses_what_is_entered() -> None:
    game, board = NonogramGame(), puzzle_of(HEART_CELLS)
    move = game.advise([board]).moves[0]
    with pytest.raises(ValueError, match="entered already"):
        game.play(game.play(board, move), move)


@pytest.mark.parametrize("ending", [".non", ".nin", ".cwd", ".json"])
def test_files_are_read_as_they_were_written(ending: str) -> None:
    board = puzzle_of([*HEART_CELLS, [CROSSED] * 7])
    assert read_puzzle(Path("heart" + ending), write_puzzle(board, ending)) == board


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.non", "rows\n1\n1,x\ncolumns\n1\n1", "line 3: '1,x' is no clue"),
        ("a.non", "rows\n1\n1_0\ncolumns\n1\n1", "line 3: '1_0' is no clue"),
        ("a.non", "rows\n1\n" + "9" * 5000 + "\ncolumns\n1", r"line 3: '9+\.\.\.9+' is no clue"),
        ("a.non", "rows\n1,0,1\ncolumns\n1\n0\n1", r"line 2: a 0 between blocks: \[1, 0, 1\]"),
        ("a.non", "rows\n1\ncolumns\n1\nrows\n0\n", "line 5: the section 'rows' once more"),
        ("a.non", "rows\n1\n", "'columns' is missing"),
        ("a.nin", "2 2\n1\n1\n1\n", "line 4: 4 clues announced, 3 found"),
        ("a.nin", "2 1\n1\n1\n0\n1 1\n", "line 5: '1 1' after the 3 clues announced"),
        ("a.nin", "0 0\n", "1 to 500 rows and columns"),
        ("a.non", "rows\n1\n3\ncolumns\n1\n1", r"line 3: \[3\] needs 3 of 2 cells"),
        ("a.nin", "2 2\n1\n1\n1\n2 1\n", r"line 5: \[2, 1\] needs 4 of 2 cells"),
        ("a.non", "width 2\nrows\n1\ncolumns\n1", "line 1: 2 columns announced, 1 found"),
        ("a.cwd", "1\n1\n", "no line '#'"),
        ("a.json", '{"rows": [[1]],\n oops}', "line 2"),
        ("a.json", '{"rows": [[' + "9" * 5000 + "]]}", "a number of too many digits"),
        ("a.json", '{"rows": [[1, 0, 1]], "columns": [[1], [], [1]]}', "a 0 between blocks"),
        ("a.json", '{"rows": 3}', "use"),
        ("a.json", '{"rows": 3, "columns": []}', '"rows" is no list of clues'),
        ("a.json", '{"rows": [[1], ["x"]], "columns": []}', r'"rows", clue 2: \["x"\] is no list'),
        ("a.txt", "", "unknown ending"),
    ],
)
def test_file_errors_name_the_line(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_puzzle(Path(name), text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.non", 'difficulty 3\nrows 3\nrows\n2\n\n0\n\n1\n\ncolumns\n2\n1\ngoal "110010"'),
        ("a.non", "height 3\nwidth 2\nrows\n2\n\n1\n\ncolumns\n2\n1\n"),  # empty for no blocks
        ("a.json", '{"rows": [[2], [0], [1]], "columns": [[2], [1]]}'),
    ],
)
def test_files_are_read_as_other_programs_write_them(name: str, text: str) -> None:
    assert read_puzzle(Path(name), text) == puzzle([(2,), (), (1,)], [(2,), (1,)])


def test_an_empty_line_that_may_be_a_clue_or_not_is_refused() -> None:
    with pytest.raises(ValueError, match="line 3: empty among the rows: write 0"):
        read_puzzle(Path("a.non"), "rows\n1\n\n1\ncolumns\n2\n")


def test_a_file_may_begin_with_the_mark_that_windows_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.non"
    path.write_text("rows\n1\ncolumns\n1\n", "utf-8-sig")
    assert main(["nonogram", "check", str(path)]) == 0


def _disc() -> np.ndarray:
    y, x = np.mgrid[:80, :120]
    inside = (x - 60) ** 2 + (y - 40) ** 2 < 30**2
    return np.where(inside, 40, 220).astype(np.uint8)[..., None].repeat(3, 2)


def test_a_picture_becomes_a_puzzle_of_its_own_shape() -> None:
    cells = np.array(cells_of(_disc(), 20, 30))
    assert cells[10, 15] == FILLED and cells[0, 0] == CROSSED
    assert abs((cells == FILLED).mean() - np.pi * 30**2 / (80 * 120)) < 0.02
    square = np.array(cells_of(_disc(), 20, 20))  # cut at the sides: the disc stays round
    assert abs((square == FILLED).any(axis=0).sum() - (square == FILLED).any(axis=1).sum()) <= 1


def test_unique_ends_when_its_time_does() -> None:
    with pytest.raises(ValueError, match="the time ended, cells altered: 0; nothing is known"):
        make_unique(((FILLED, CROSSED), (CROSSED, FILLED)), seconds=0)


def test_unique_does_not_call_several_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> tuple[list[object], list[list[int]], bool]:
        time.sleep(0.02)
        return [], [[UNKNOWN, UNKNOWN]], False

    monkeypatch.setattr(make, "_others", late)
    with pytest.raises(ValueError, match="altered: 1; it is open whether there are others"):
        make_unique(((FILLED, CROSSED),), seconds=0.01)


@needs_sat
def test_rivals_are_other_solutions_and_do_not_meet() -> None:
    from ar_assist.games.nonogram.rivals import rivals

    cells = np.full((6, 6), CROSSED)
    for place in (0, 1, 4, 5):  # two pairs of which each alone could lie the other way
        cells[place, place] = FILLED
    sets, known, is_decided = rivals(cells.tolist(), seconds=10, most=9)
    assert is_decided and len(sets) == 2
    assert np.count_nonzero(known) == 36 - 16
    assert len({cell for each in sets for cell in each}) == sum(map(len, sets))
    for each in sets:
        other = cells.copy()
        other[tuple(np.transpose(each))] *= -1
        assert is_solution(puzzle_of(cells.tolist()), other.tolist())


def test_what_was_altered_for_nothing_is_taken_back() -> None:
    grid, altered = [[FILLED] * 3 for _ in range(3)], {(0, 0)}
    grid[0][0] = CROSSED  # both have one solution
    make._restore(grid, altered, None)
    assert grid == [[FILLED] * 3] * 3 and not altered


@pytest.mark.parametrize(
    ("seed", "dark", "most"),
    [(3, 0.45, 12), (4, 0.3, 30)],  # of the second two cells took turns without an end
)
def test_unique_alters_few_cells(seed: int, dark: float, most: int) -> None:
    rng = np.random.default_rng(seed)
    cells = np.where(rng.random((12, 12)) < dark, FILLED, CROSSED).tolist()
    assert solve(puzzle_of(cells)).verdict == "many"
    unique, altered = make_unique(tuple(map(tuple, cells)), seconds=20)
    assert solve(puzzle_of(unique)).verdict == "one"
    assert 0 < altered <= most
    assert int((np.array(unique) != np.array(cells)).sum()) == altered


def test_the_drawing_shows_every_number_once() -> None:
    board = puzzle_of(HEART_CELLS)
    drawing = draw(board)
    numbers = sum(len(clue or ()) for clue in (*board.row_clues, *board.col_clues))
    assert to_svg(drawing).count("<text") == numbers
    image = to_image(drawing, 20)
    assert image.size == (round(drawing.width * 20), round(drawing.height * 20))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "heart.non"
    path.write_text(write_puzzle(puzzle_of(HEART_CELLS), ".non"))
    assert main(["nonogram", "check", str(path)]) == 0
    assert main(["nonogram", "solve", str(path)]) == 0
    assert "#######" in capsys.readouterr().out
    picture, pdf = tmp_path / "heart.png", tmp_path / "heart.pdf"
    assert main(["nonogram", "convert", str(path), str(picture), str(pdf)]) == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    assert (
        main(["nonogram", "make", str(picture), "--size", "10x10", "--threshold", "adaptive"]) == 0
    )
    assert "columns" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["make", "none.png", "--size", "5x5"], 3),
        (["make", "empty.png", "--size", "5x5"], 3),
        (["make", "white.png", "--size", "5x5"], 2),
        (["make", "white.png", "--size", "-5x5"], 2),
        (["make", "white.png", "--size", "0x5"], 2),
        (["make", "white.png", "--size", "big"], 2),
        (["make", "white.png", "--size", "5x5", "--threshold", "dark"], 2),
        (["solve", "none.non"], 3),
        (["solve", "bad.non"], 2),
        (["convert", "bad.non", "x.gif"], 2),
        (["make", "half.png", "--size", "5x5", "--out", "x.gif"], 2),
        (["make", "half.png", "--size", "5x5", "--out", "none/x.svg"], 2),
        (["make", "half.png", "--size", "5x5", "--out", "x.svg", "--out", "x.gif"], 2),
        (["make", "half.png", "--size", "501x5"], 2),
        (["check", "good.non", "--time", "0"], 2),
        (["check", "good.non", "--time", "nan"], 2),
        (["check", "good.non", "--time", "inf"], 2),
        (["check", "deep.json"], 2),
        (["solve", "good.non", "--count", "0"], 2),
    ],
)
def test_errors_are_one_line(
    words: list[str],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.non").write_text("rows\n1\ncolumns\n2\n")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "empty.png").touch()
    white = to_image(draw(puzzle([[]], [[]])), 4).resize((20, 20))
    white.paste("#ffffff", (0, 0, 20, 20))
    white.save("white.png")
    white.paste("#000000", (0, 0, 10, 20))
    white.save("half.png")
    (tmp_path / "good.non").write_text("rows\n1\ncolumns\n1\n")
    assert main(["nonogram", *words]) == code
    assert not list(tmp_path.glob("x.*"))  # nothing is written before an error
    assert capsys.readouterr().err.count("\n") == 1
