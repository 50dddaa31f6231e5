"""The rules of Othello on bitboards, in plain Python.

A set of squares is an integer: bit 8 * row + column, so bit 0 is a1 (top left) and bit 63 is h8.
Files a to h are columns, ranks 1 to 8 rows from the top, as the World Othello Federation numbers
them. `Colour` is 1 for black, 2 for white, as the log writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ar_assist.types import Cell

Colour = int
BLACK: Colour = 1
WHITE: Colour = 2
NAMES = {BLACK: "black", WHITE: "white"}

ALL = (1 << 64) - 1
NOT_A_FILE = 0xFEFEFEFEFEFEFEFE  # a step to the right must not wrap into file a …
NOT_H_FILE = 0x7F7F7F7F7F7F7F7F  # … nor one to the left into file h
# Steps to the right or down shift left, the others shift right; the mask stops wrapping.
STEPS = (
    (1, NOT_A_FILE),
    (7, NOT_H_FILE),
    (8, ALL),
    (9, NOT_A_FILE),
    (-1, NOT_H_FILE),
    (-7, NOT_A_FILE),
    (-8, ALL),
    (-9, NOT_H_FILE),
)
SYMBOLS = {
    **dict.fromkeys("XxBb*", BLACK),
    **dict.fromkeys("OoWw", WHITE),
    **dict.fromkeys(".-_", 0),
}


def other(colour: Colour) -> Colour:
    """The opponent's colour."""
    return BLACK + WHITE - colour


def squares(bits: int) -> Iterator[int]:
    """The squares of a set, lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def square_name(square: int) -> str:
    """`d3` for a square number."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def parse_square(name: str) -> int:
    """The square number of `d3` or `D3`; ValueError for anything else."""
    text = name.lower()
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise ValueError(f"no square: {name!r} (a1 to h8)")
    return "abcdefgh".index(text[0]) + 8 * (int(text[1]) - 1)


def cell_of(square: int) -> Cell:
    """(row, column) of a square number."""
    return square // 8, square % 8


def shifted(bits: int, step: int, mask: int) -> int:
    """The set moved by one step, squares that leave the board dropped."""
    return (bits << step if step > 0 else bits >> -step) & mask


def legal_moves(own: int, theirs: int) -> int:
    """The squares where the owner of `own` may move."""
    empty = ALL & ~(own | theirs)
    moves = 0
    for step, mask in STEPS:
        run = shifted(own, step, mask) & theirs
        for _ in range(5):
            run |= shifted(run, step, mask) & theirs
        moves |= shifted(run, step, mask) & empty
    return moves


def flipped(own: int, theirs: int, square: int) -> int:
    """The discs that a disc of `own` on `square` turns over."""
    flips = 0
    for step, mask in STEPS:
        run, at = 0, shifted(1 << square, step, mask)
        while at & theirs:
            run |= at
            at = shifted(at, step, mask)
        if at & own:
            flips |= run
    return flips


@dataclass(frozen=True)
class OthelloBoard:
    """The discs of a position. Whose move it is belongs to the game, not to the board."""

    black: int
    white: int

    def __post_init__(self) -> None:
        if self.black & self.white:
            raise ValueError("a square holds both colours")

    @classmethod
    def parse(cls, notation: str) -> OthelloBoard:
        """From 64 symbols, row by row: `X * b` black, `O w` white, `- . _` empty; not spaces."""
        symbols = "".join(notation.split())
        unknown = sorted(set(symbols) - set(SYMBOLS))
        if unknown:
            raise ValueError(f"no Othello symbol: {unknown[0]!r} (X O -)")
        if len(symbols) != 64:
            raise ValueError(f"an Othello board has 64 squares, got {len(symbols)}")
        return cls.from_cells(SYMBOLS[symbol] for symbol in symbols)

    @classmethod
    def from_cells(cls, colours: Iterator[Colour]) -> OthelloBoard:
        """From 64 values, row by row: 0 empty, 1 black, 2 white."""
        bits = {0: 0, BLACK: 0, WHITE: 0}
        for square, colour in enumerate(colours):
            bits[colour] |= 1 << square
        return cls(bits[BLACK], bits[WHITE])

    def __str__(self) -> str:
        return "".join("-XO"[self[square]] for square in range(64))

    def __getitem__(self, square: int) -> Colour:
        """0 empty, 1 black, 2 white."""
        return (self.black >> square & 1) + 2 * (self.white >> square & 1)

    @property
    def cells(self) -> tuple[tuple[Colour, ...], ...]:
        """Eight rows of eight: 0 empty, 1 black, 2 white."""
        return tuple(tuple(self[8 * r + c] for c in range(8)) for r in range(8))

    @property
    def occupied(self) -> int:
        """The squares with a disc."""
        return self.black | self.white

    @property
    def empties(self) -> int:
        """How many squares are free."""
        return 64 - self.occupied.bit_count()

    @property
    def is_over(self) -> bool:
        """Whether neither side can move."""
        return not (self.moves(BLACK) or self.moves(WHITE))

    def sides(self, colour: Colour) -> tuple[int, int]:
        """(own, theirs) as seen by a colour."""
        return (self.black, self.white) if colour == BLACK else (self.white, self.black)

    def moves(self, colour: Colour) -> int:
        """The squares where a colour may move."""
        return legal_moves(*self.sides(colour))

    def flips(self, colour: Colour, square: int) -> int:
        """The discs that a move turns over; 0 where it is illegal."""
        if self.occupied >> square & 1:
            return 0
        return flipped(*self.sides(colour), square)

    def play(self, colour: Colour, square: int) -> OthelloBoard:
        """The board after a move; ValueError if it is illegal."""
        flips = self.flips(colour, square)
        if not flips:
            raise ValueError(f"{NAMES[colour]} cannot move to {square_name(square)}: {self}")
        own, theirs = self.sides(colour)
        own, theirs = own | flips | 1 << square, theirs & ~flips
        return OthelloBoard(own, theirs) if colour == BLACK else OthelloBoard(theirs, own)

    def next_to_move(self, moved: Colour) -> Colour | None:
        """Who moves after `moved` has moved: the opponent unless he must pass; None at the end."""
        if self.moves(other(moved)):
            return other(moved)
        return moved if self.moves(moved) else None

    def count(self, colour: Colour) -> int:
        """How many discs a colour has."""
        return self.sides(colour)[0].bit_count()

    def score(self, colour: Colour) -> int:
        """Final disc difference for a colour; empty squares go to the winner."""
        difference = self.count(colour) - self.count(other(colour))
        sign = (difference > 0) - (difference < 0)
        return difference + sign * self.empties

    def diagram(self) -> str:
        """The board as text with coordinates."""
        text = str(self)
        rows = [f"{r + 1} " + " ".join(text[8 * r : 8 * r + 8]) for r in range(8)]
        return "\n".join(["  a b c d e f g h", *rows])

    def record(self) -> dict[str, Any]:
        """The log's `board` without geometry."""
        return {"rows": 8, "cols": 8, "cells": [list(row) for row in self.cells]}

    def with_cells(self, cells: Sequence[Sequence[Colour]]) -> OthelloBoard:
        """Another position."""
        return OthelloBoard.from_cells(colour for row in cells for colour in row)


START = OthelloBoard.parse("-" * 27 + "OX------XO" + "-" * 27)


def perft(own: int, theirs: int, depth: int) -> int:
    """How many lines of `depth` plies there are; a pass is a ply, the end is a line."""
    if depth == 0:
        return 1
    moves = legal_moves(own, theirs)
    if not moves:
        return perft(theirs, own, depth - 1) if legal_moves(theirs, own) else 1
    lines = 0
    for square in squares(moves):
        flips = flipped(own, theirs, square)
        lines += perft(theirs & ~flips, own | flips | 1 << square, depth - 1)
    return lines
