"""Is a hint right on a board that is known? Written from the rules, apart from the solvers.

A solver that misunderstands a rule would otherwise vouch for itself. Hints come with their cells
already carried over into the true board, so margins are rows or columns -1, `rows` and `cols`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ar_assist.evaluate.placed import Cells, Clues
from ar_assist.evaluate.truth import hint_game
from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.paths import links
from ar_assist.games.nonogram.board import puzzle
from ar_assist.games.nonogram.solver import solve
from ar_assist.types import Cell

MOST_TURNS = 2  # of a link path
HOLE = -2  # a cell that is not part of a link board's shape: paths pass
EIGHT_WAYS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


def link_is_legal(cells: Cells, a: Cell, b: Cell, path: Sequence[Cell]) -> bool:
    """Two equal tiles, and a path from one to the other over empty cells with at most two turns."""
    alike = a != b and _at(cells, a) == _at(cells, b) > 0
    if not alike or not path or (path[0], path[-1]) != (a, b):
        return False
    if any(p[0] != q[0] and p[1] != q[1] for p, q in pairwise(path)):
        return False
    way = [a] + [cell for p, q in pairwise(path) for cell in _steps(p, q)]
    ways = [(s - r, d - c) for (r, c), (s, d) in pairwise(way)]
    turns = sum(one != other for one, other in pairwise(ways))
    return turns <= MOST_TURNS and all(_is_free(cells, cell) for cell in way[1:-1])


def _steps(p: Cell, q: Cell) -> Iterator[Cell]:
    """The cells from p (left out) straight to q."""
    (r, c), (s, d) = p, q
    count = max(abs(s - r), abs(d - c))
    for i in range(1, count + 1):
        yield r + (s - r) * i // count, c + (d - c) * i // count


def _is_free(cells: Cells, cell: Cell) -> bool:
    """Empty, a hole, or in the margin that is one cell wide all round."""
    (r, c), rows, cols = cell, len(cells), len(cells[0])
    if not (-1 <= r <= rows and -1 <= c <= cols):
        return False
    return not _on(cells, cell) or cells[r][c] in (0, HOLE)


def _on(cells: Cells, cell: Cell) -> bool:
    return 0 <= cell[0] < len(cells) and 0 <= cell[1] < len(cells[cell[0]])


def _at(cells: Cells, cell: Cell) -> int:
    return cells[cell[0]][cell[1]] if _on(cells, cell) else 0


@lru_cache(maxsize=4096)
def link_exists(cells: Cells) -> bool:
    """Whether any pair can be removed."""
    return bool(links(LinkBoard(cells), Rules()))


def flips(cells: Cells, move: Cell, colour: int) -> list[Cell]:
    """The discs that an Othello move turns over; none: the move is illegal."""
    if not _on(cells, move) or _at(cells, move) != 0:
        return []
    return [disc for way in EIGHT_WAYS for disc in _run(cells, move, way, colour)]


def _run(cells: Cells, move: Cell, way: Cell, colour: int) -> list[Cell]:
    """The other side's discs from a move in one direction, if a disc of ours ends them."""
    run: list[Cell] = []
    r, c = move[0] + way[0], move[1] + way[1]
    while _at(cells, (r, c)) == 3 - colour:
        run.append((r, c))
        r, c = r + way[0], c + way[1]
    return run if _at(cells, (r, c)) == colour else []


def othello_moves(cells: Cells, colour: int) -> frozenset[Cell]:
    """All legal moves of black (1) or white (2)."""
    every = ((r, c) for r in range(len(cells)) for c in range(len(cells[0])))
    return frozenset(cell for cell in every if flips(cells, cell, colour))


@lru_cache(maxsize=256)
def nonogram_answer(solution: tuple[str, ...], row_clues: Clues, col_clues: Clues) -> Cells:
    """What the cells must be (1 filled, -1 empty, 0 open): as the truth says or the clues force."""
    if solution:
        return tuple(tuple(1 if mark == "#" else -1 for mark in row) for row in solution)
    rows, cols = ([clue or () for clue in clues] for clues in (row_clues, col_clues))
    return solve(puzzle(rows, cols)).known if None not in (*row_clues, *col_clues) else ()


def hint_is_right(
    game: str, hint: dict[str, Any], spots: Sequence[Cell], cells: Cells, answer: Cells = ()
) -> bool:
    """Whether a hint is right on the true board; `spots` are its `truth.hint_cells` there.

    `cells` are empty where there is no board. `answer` is that of a nonogram. An Othello hint is
    judged for the side that it names, since a picture does not tell whose turn it is. A hint of
    another game is wrong: two discs may well be equal and have a path.
    """
    if not cells or hint_game(hint) != game:
        return False
    if game == "link":
        return link_is_legal(cells, spots[0], spots[1], spots[2:])
    if game == "othello":
        legal = othello_moves(cells, int(hint["to_move"]))
        return spots[0] in legal and frozenset(spots[1:]) == legal
    fills = [int(entry[2]) for entry in hint["cells"]]
    values = [*fills, *(-_at(cells, cell) for cell in spots[len(fills) :])]  # a mistake is not so
    return bool(spots) and all(
        value != 0 and _at(answer, cell) == value for cell, value in zip(spots, values, strict=True)
    )


def hint_exists(game: str, cells: Cells, answer: Cells = ()) -> bool:
    """Whether there is anything to advise on a board."""
    if not cells:
        return False
    if game == "link":
        return link_exists(cells)
    if game == "othello":
        return any(othello_moves(cells, colour) for colour in (1, 2))
    where = ((r, c) for r, row in enumerate(answer) for c, value in enumerate(row) if value == 1)
    return any(_at(cells, cell) != 1 for cell in where)
