"""The link game's notation, sliding and paths."""

from __future__ import annotations

from collections import deque
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ar_assist.games.link.board import (
    GRAVITIES,
    LinkBoard,
    Rules,
    parse_board,
    parse_level,
    parse_rules,
    settle,
)
from ar_assist.games.link.paths import link, links
from ar_assist.types import Cell

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def boards(most: int = 7, kinds: int = 4) -> st.SearchStrategy[LinkBoard]:
    """Boards with gaps, stones and holes."""
    values = st.sampled_from([-2, -1, 0, 0, 0, *range(1, kinds + 1)])
    return st.tuples(st.integers(1, most), st.integers(1, most)).flatmap(
        lambda size: st.lists(
            st.lists(values, min_size=size[1], max_size=size[1]).map(tuple),
            min_size=size[0],
            max_size=size[0],
        ).map(lambda rows: LinkBoard(tuple(rows)))
    )


def reference(board: LinkBoard, outside: bool, a: Cell) -> dict[Cell, tuple[int, int]]:
    """Fewest turns, then steps, from a cell to all tiles, breadth first cell by cell."""
    rows, cols = board.rows, board.cols

    def free(cell: Cell) -> bool:
        r, c = cell
        if -1 <= r <= rows and -1 <= c <= cols:
            inside = 0 <= r < rows and 0 <= c < cols
            return (
                (board.at(cell) == 0 or (board.at(cell) == -2 and outside)) if inside else outside
            )
        return False

    best: dict[Cell, tuple[int, int]] = {}
    queue = deque([(a, step, 0, 0) for step in STEPS])
    seen: dict[tuple[Cell, tuple[int, int], int], int] = {}
    while queue:
        (r, c), (dr, dc), turns, length = queue.popleft()
        cell = r + dr, c + dc
        inside = 0 <= cell[0] < rows and 0 <= cell[1] < cols
        if inside and board.at(cell) > 0 and cell != a:
            best[cell] = min(best.get(cell, (9, 0)), (turns, length + 1))
        if not free(cell) or seen.get((cell, (dr, dc), turns), 999) <= length:
            continue
        seen[cell, (dr, dc), turns] = length
        queue.append((cell, (dr, dc), turns, length + 1))
        if turns < 2:
            queue.extend(
                (cell, s, turns + 1, length + 1) for s in STEPS if s[0] * dr + s[1] * dc == 0
            )
    return best


@given(boards())
def test_a_board_is_read_back_from_its_notation(board: LinkBoard) -> None:
    assert parse_board(str(board)) == board


@given(
    st.sampled_from(list(GRAVITIES)),
    st.booleans(),
    st.lists(st.integers(1, 99), min_size=2, unique=True),
    st.integers(1, 4),
)
def test_rules_are_read_back_from_their_notation(
    gravity: str, outside: bool, kinds: list[int], groups: int
) -> None:
    rules = Rules(
        gravity, outside, tuple(tuple(kinds[i::groups]) for i in range(groups))[: len(kinds)]
    )
    assert parse_rules(str(rules)) == rules


def test_a_level_is_rules_above_a_board() -> None:
    board, rules = parse_level("gravity=in-h outside=no\n1 2\n. #")
    assert board.cells == ((1, 2), (0, -1))
    assert rules == Rules("in-h", outside=False)


@pytest.mark.parametrize(
    ("notation", "word"),
    [
        ("1 2\n1", "row 2 has 1 cells"),
        ("1 x", "'x' is no cell"),
        ("", "no cells"),
        ("gravity=sideways\n1 1", "sideways"),
        ("colour=red\n1 1", "'colour=red' is no rule"),
        ("1 " * 70, "larger than"),
    ],
)
def test_what_is_no_board_is_said(notation: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        parse_level(notation)


@pytest.mark.parametrize(
    ("gravity", "after"),
    [
        ("none", "1 . 2 .\n. 3 . .\n. . 4 5"),
        ("down", ". . . .\n. . 2 .\n1 3 4 5"),
        ("up", "1 3 2 5\n. . 4 .\n. . . ."),
        ("left", "1 2 . .\n3 . . .\n4 5 . ."),
        ("right", ". . 1 2\n. . . 3\n. . 4 5"),
        ("in-h", ". 1 2 .\n. 3 . .\n. . 4 5"),
        ("out-h", "1 . . 2\n3 . . .\n. . 4 5"),
        ("in-v", "1 . 2 .\n. 3 4 5\n. . . ."),
        ("out-v", "1 . 2 .\n. . . .\n. 3 4 5"),
        ("in", ". 1 2 .\n. 3 4 5\n. . . ."),
        ("out", "1 . . 2\n. . . .\n3 . 4 5"),
        ("down-left", ". . . .\n2 . . .\n1 3 4 5"),
        ("cw", ". . 1 2\n3 . . .\n4 5 . ."),
        ("ccw", "1 2 . .\n. . . 3\n. . 4 5"),
    ],
)
def test_tiles_slide_as_the_rule_says(gravity: str, after: str) -> None:
    board = parse_board("1 . 2 .\n. 3 . .\n. . 4 5")
    assert settle(board, gravity) == parse_board(after)


def test_stones_and_holes_stop_sliding_tiles() -> None:
    board = parse_board("1 2\n. .\n# _\n. .")
    assert settle(board, "down") == parse_board(". .\n1 2\n# _\n. .")


@given(boards(), st.sampled_from(list(GRAVITIES)))
def test_sliding_keeps_all_tiles_and_settles_at_once(board: LinkBoard, gravity: str) -> None:
    after = settle(board, gravity)
    assert after.counts == board.counts
    if gravity not in ("down-left", "in", "out"):  # stones: two slides in turn may not settle it
        assert settle(after, gravity) == after


@settings(max_examples=300)
@given(boards(), st.booleans())
def test_links_are_those_of_a_breadth_first_search(board: LinkBoard, outside: bool) -> None:
    rules = Rules(outside=outside)
    found = {(one.a, one.b): (one.turns, one.length) for one in links(board, rules)}
    tiles = [(r, c) for r in range(board.rows) for c in range(board.cols) if board.at((r, c)) > 0]
    wanted = {}
    for a, b in combinations(tiles, 2):
        if board.at(a) == board.at(b):
            reached = reference(board, outside, a)
            if b in reached:
                wanted[a, b] = reached[b]
    assert found == wanted


@given(boards(), st.booleans())
def test_paths_run_through_free_cells_with_two_turns_at_most(
    board: LinkBoard, outside: bool
) -> None:
    for found in links(board, Rules(outside=outside)):
        assert found.path[0] == found.a
        assert found.path[-1] == found.b
        assert found.turns <= 2
        for (r, c), (s, d) in zip(found.path, found.path[1:], strict=False):
            assert (r == s) != (c == d)
            steps = max(abs(r - s), abs(c - d))
            for i in range(steps + 1):
                cell = r + (s - r) * i // steps, c + (d - c) * i // steps
                inside = 0 <= cell[0] < board.rows and 0 <= cell[1] < board.cols
                if cell in (found.a, found.b):
                    continue
                assert board.at(cell) in ((0, -2) if outside else (0,)) if inside else outside


@given(boards())
def test_a_mirrored_or_turned_board_has_mirrored_or_turned_links(board: LinkBoard) -> None:
    def measures(cells: np.ndarray) -> list[tuple[int, int, int]]:
        turned = LinkBoard(tuple(tuple(map(int, row)) for row in cells))
        return sorted((turned.at(one.a), one.turns, one.length) for one in links(turned, Rules()))

    cells = np.array(board.cells)
    assert measures(cells) == measures(cells[:, ::-1]) == measures(np.rot90(cells))


def test_kinds_of_a_group_match() -> None:
    board = parse_board("35 36")
    assert not links(board, Rules())
    assert link(board, Rules(same=((35, 36),)), (0, 0), (0, 1)) is not None


def test_no_link_for_cells_that_hold_no_pair() -> None:
    board = parse_board("1 1 2 .")
    for a, b in [((0, 0), (0, 0)), ((0, 0), (0, 2)), ((0, 0), (0, 3)), ((0, 0), (5, 5))]:
        assert link(board, Rules(), a, b) is None
