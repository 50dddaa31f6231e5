"""A link game in progress: a script of what the screen shows when, played by the rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from ar_assist.games.link.board import LinkBoard, Rules, play, settle
from ar_assist.games.link.paths import Link, links
from ar_assist.scene.tiers import Range
from ar_assist.types import Cell

Show = Literal["rest", "select", "link", "slide", "shuffle"]

# How long things take on a screen, s: shortest and longest.
SELECT_S: Range = (0.15, 0.5)  # from the first tap to the second
LINK_S: Range = (0.25, 0.6)  # the line stands and the pair fades
SLIDE_S: Range = (0.15, 0.35)
SHUFFLE_S: Range = (0.4, 0.8)
FADED = 0.2  # alpha of a pair just before it goes


@dataclass(frozen=True)
class Sprite:
    """A tile as it is drawn now."""

    kind: int  # 1 …
    row: float
    col: float
    alpha: float = 1.0
    lit: bool = False  # selected


@dataclass(frozen=True)
class Moment:
    """What the screen shows at one time, and the board that is true then."""

    board: LinkBoard
    sprites: tuple[Sprite, ...]
    path: tuple[Cell, ...]
    show: Show
    fading: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Act:
    """A stretch of the script."""

    start: float  # s
    end: float  # s
    show: Show
    board: LinkBoard  # the board that is true meanwhile
    before: LinkBoard  # what a slide or a shuffle starts from
    link: Link | None = None  # the pair that is being taken
    gravity: str = "none"

    def at(self, time: float) -> Moment:
        """The screen at a time within this act."""
        share = (time - self.start) / (self.end - self.start)
        linked = self.link if self.show == "link" else None
        path, fading = (linked.path, (linked.a, linked.b)) if linked else ((), ())
        return Moment(self.board, tuple(self._sprites(share)), path, self.show, fading)

    def _sprites(self, share: float) -> Iterator[Sprite]:
        if self.show == "slide":
            for old, new in ways(self.before, self.gravity).items():
                row, col = (o + share * (n - o) for o, n in zip(old, new, strict=True))
                yield Sprite(self.before.at(old), row, col)
        elif self.show == "shuffle":
            board = self.before if share < 0.5 else self.board
            yield from (Sprite(board.at(cell), *cell, abs(2 * share - 1)) for cell in tiles(board))
        else:
            lit = () if not self.link else (self.link.a, self.link.b)[: 1 + (self.show == "link")]
            alpha = 1.0 if self.show != "link" else 1.0 - (1.0 - FADED) * share
            for cell in tiles(self.board):
                own = cell in lit
                yield Sprite(self.board.at(cell), *cell, alpha if own else 1.0, own)


def tiles(board: LinkBoard) -> Iterator[Cell]:
    """The cells that hold a tile."""
    return ((r, c) for r, row in enumerate(board.cells) for c, kind in enumerate(row) if kind > 0)


def ways(board: LinkBoard, gravity: str) -> dict[Cell, Cell]:
    """Where gravity takes each tile: new cells by old ones."""
    numbers = {i + 1: cell for i, cell in enumerate(tiles(board))}
    settled = settle(board.put({cell: i for i, cell in numbers.items()}), gravity)
    return {numbers[settled.at(cell)]: cell for cell in tiles(settled)}


def deal(rows: int, cols: int, kinds: int, rng: Generator) -> LinkBoard:
    """A full board of pairs, every kind about equally often; rows times cols is even."""
    pairs = rows * cols // 2
    drawn = [1 + i % kinds for i in range(pairs)] * 2
    order = [drawn[i] for i in rng.permutation(len(drawn))]
    return LinkBoard(tuple(tuple(order[r * cols : (r + 1) * cols]) for r in range(rows)))


def shuffled(board: LinkBoard, rng: Generator) -> LinkBoard:
    """The same tiles dealt anew over the same cells."""
    cells = list(tiles(board))
    targets = [cells[i] for i in rng.permutation(len(cells))]
    return board.put({new: board.at(old) for old, new in zip(cells, targets, strict=True)})


class Script:
    """A game from a given position up to a time; when no pair is left, the game deals anew."""

    def __init__(
        self, board: LinkBoard, rules: Rules, pause_s: Range, end: float, rng: Generator
    ) -> None:
        self.rules, self.rng, self.acts = rules, rng, list[Act]()
        self._add("rest", pause_s, board, board)
        while self.acts[-1].end < end and board.left:
            board = self._turn(board)
            self._add("rest", pause_s, board, board)
        self.starts = [act.start for act in self.acts]

    def at(self, time: float) -> Moment:
        """The screen at a time in seconds."""
        act = self.acts[max(0, bisect_right(self.starts, time) - 1)]
        return act.at(min(time, act.end))

    def _turn(self, board: LinkBoard) -> LinkBoard:
        """A pair is taken, or the board is shuffled because there is none."""
        pairs = links(board, self.rules)
        if not pairs:
            anew = shuffled(board, self.rng)
            self._add("shuffle", SHUFFLE_S, anew, board)
            return anew
        pair = pairs[self.rng.integers(len(pairs))]
        self._add("select", SELECT_S, board, board, pair)
        self._add("link", LINK_S, board, board, pair)
        gap = board.put({pair.a: 0, pair.b: 0})
        after = play(board, self.rules, pair.a, pair.b)
        if after != gap:
            self._add("slide", SLIDE_S, after, gap)
        return after

    def _add(
        self,
        show: Show,
        span_s: Range,
        board: LinkBoard,
        before: LinkBoard,
        link: Link | None = None,
    ) -> None:
        start = self.acts[-1].end if self.acts else 0.0
        end = start + self.rng.uniform(*span_s)
        self.acts.append(Act(start, end, show, board, before, link, self.rules.gravity))


def opening(
    rows: int, cols: int, kinds: int, taken: float, rules: Rules, rng: Generator
) -> LinkBoard:
    """A dealt board of which up to a share of the tiles has been taken by legal moves.

    Its outer rows and columns keep a tile each: how far an empty rim reaches cannot be seen.
    """
    board = deal(rows, cols, kinds, rng)
    goal = board.left * (1 - taken)
    while not (pairs := links(board, rules)) or board.left > goal:
        if not pairs:
            board = shuffled(board, rng)
            continue
        tries = (pairs[i] for i in rng.permutation(len(pairs)))
        boards = (play(board, rules, pair.a, pair.b) for pair in tries)
        after = next(filter(_is_framed, boards), None)
        if after is None:
            break
        board = after
    return board


def _is_framed(board: LinkBoard) -> bool:
    """Whether no outer row or column is empty."""
    cells = board.cells
    outer = cells[0], cells[-1], [row[0] for row in cells], [row[-1] for row in cells]
    return all(any(kind > 0 for kind in line) for line in outer)
