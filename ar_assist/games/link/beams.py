"""Beams: the search under gravity that proves. Plain or compiled alike.

A beam keeps the best positions of each ply; equal positions are one. A beam that never had to drop
a position has seen them all: where it finds no clearing there is none. Most lost boards die early,
where wide beams are cheap.

A position is worth its legal pairs (mobility), looked at after the move. A tile costs points for
its *depth*, the tiles between it and the nearest free cell. A kind down to its last two tiles
costs more: they have only each other left, and what lies on both their ways to the same side must
go before. Some noise keeps a beam varied.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, random
from ar_assist.games.link.playouts import most_liked
from ar_assist.games.link.positions import (
    DROPPED,
    LOOSE,
    NODES,
    Field,
    hash_of,
    is_over,
    list_moves,
    look,
    make,
)
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Ints, Puzzle

BRANCHES = 8  # new positions that one leads to, about: a ply costs width * BRANCHES nodes
SPREAD = 64  # moves kept for choice per position of a beam's width
HORIZON = 6  # plies that the nodes left should last at least: a beam narrows before they end
NOISE = 16  # random points below this
PAIR = 8  # points of a legal pair
DEPTH = 1  # points that a tile costs for each tile between it and the nearest free cell
LAST_TWO = 8  # points that a kind down to two tiles costs
LIKING = 4  # steps by which a pair is liked less than the best open one: they cost a point
APART = 4  # and for each tile that must go before both reach the same side
BINS = 1 << 12  # scores fall into this many bins, which is more than any position is worth
ZERO_BIN = 3 * BINS // 4  # most positions cost more than they are worth


class Beam(NamedTuple):
    """The positions of a beam and how it came to them."""

    width: int
    parent: Ints  # per ply and position: the position of the ply before
    a: Ints  # and the cells of the pair that was removed from it
    b: Ints
    less: Ints  # and how much less than the best ones the pairs of its line were liked, in sum


def sweep(puzzle: Puzzle, field: Field, width: int, likings: Ints) -> tuple[int, Ints]:
    """One beam from the start to the end; its verdict and the order of its longest line."""
    plies, size = len(puzzle.cell) // 2, len(puzzle.grid)
    beam = open_beam(width, plies * width)
    grids, spare = ints(width * size), ints(width * size)
    grids[:size] = puzzle.grid
    table = 1 << 6
    while table < 2 * SPREAD * width:
        table *= 2
    next_of = open_beam(SPREAD * width, SPREAD * width)
    points, less = ints(SPREAD * width), ints(width)
    alive = 1
    field.notes[DROPPED] = 0
    field.notes[LOOSE] = 1
    for ply in range(plies):
        next_of.a[0] = 0
        count = spread(puzzle, field, likings, grids, less, alive, next_of, points, ints(table))
        room = min(width, max(1, field.notes[NODES] // (min(plies - ply, HORIZON) * BRANCHES)))
        if field.notes[NODES] <= 0 or count > room:
            field.notes[DROPPED] = 1
        if field.notes[NODES] <= 0 or count == 0:
            verdict = UNKNOWN if field.notes[DROPPED] else LOST
            return verdict, trace(beam, ply, next_of)
        alive = choose(beam, ply, next_of, points, count, room)
        for i in range(alive):
            at = ply * width + i
            came = beam.parent[at] * size
            field.grid[:] = grids[came : came + size]
            make(field.grid, field, puzzle, beam.a[at], beam.b[at])
            spare[i * size : (i + 1) * size] = field.grid
            less[i] = beam.less[at]
        grids, spare = spare, grids
        field.notes[LOOSE] = len(puzzle.line_at) == 0
    next_of.a[0] = 0
    return CLEARS, trace(beam, plies, next_of)


def open_beam(width: int, size: int) -> Beam:
    """Room for so many positions."""
    return Beam(width, ints(size), ints(size), ints(size), ints(size))


def spread(
    puzzle: Puzzle,
    field: Field,
    likings: Ints,
    grids: Ints,
    less: Ints,
    alive: int,
    found: Beam,
    points: Ints,
    seen: Ints,
) -> int:
    """List the moves of all positions of a ply that lead to new positions; returns how many.

    What the list cannot hold is dropped, and noted. A move after which none is open is not counted,
    but stands behind the last one of the list: it ends a line where there is no other.
    """
    size = len(field.grid)
    count, fresh = 0, 0
    cells = ints(2 * len(puzzle.pair_a))
    for position in range(alive):
        field.grid[:] = grids[position * size : (position + 1) * size]
        look(field.grid, field, puzzle)
        moves = list_moves(field, puzzle, field.moves)
        code = hash_of(field.grid, field, puzzle)
        best = most_liked(likings, field.moves, 0, moves)
        for move in range(moves):
            cells[2 * move] = field.places[puzzle.pair_a[field.moves[move]]]
            cells[2 * move + 1] = field.places[puzzle.pair_b[field.moves[move]]]
        for move in range(moves):
            a, b = cells[2 * move], cells[2 * move + 1]
            field.grid[:] = grids[position * size : (position + 1) * size]
            if is_new(seen, code ^ make(field.grid, field, puzzle, a, b)):
                fresh += 1
                look(field.grid, field, puzzle)
                replies = list_moves(field, puzzle, field.replies)
                found.parent[count] = position
                found.a[count] = a
                found.b[count] = b
                if replies or is_over(field, puzzle):
                    liked = likings[field.moves[move]]
                    found.less[count] = less[position] + best - liked
                    points[count] = worth(field, puzzle, replies) - found.less[count] // LIKING
                    count += 1
                if fresh == found.width:
                    field.notes[DROPPED] = 1
                    return count
    return count


def is_new(seen: Ints, code: int) -> bool:
    """Whether a hash was not yet in the table (open addressing, a power of two); it is now."""
    at = code & len(seen) - 1
    while seen[at]:
        if seen[at] == code:
            return False
        at = at + 1 & len(seen) - 1
    seen[at] = code
    return True


def choose(beam: Beam, ply: int, found: Beam, points: Ints, count: int, most: int) -> int:
    """Keep the best of the moves found, so many at most, as this ply; returns how many."""
    bins = ints(BINS)
    worst, least = BINS, 0
    for i in range(count):
        points[i] = min(max(points[i] + ZERO_BIN, 0), BINS - 1)
        bins[points[i]] += 1
        worst, least = min(worst, points[i]), max(least, points[i] + 1)
    room = most
    while least > worst and bins[least - 1] <= room:
        least -= 1
        room -= bins[least]
    kept = 0
    for i in range(count):
        fits = points[i] >= least or (points[i] == least - 1 and room > 0)
        if fits and kept < most:
            room -= points[i] == least - 1
            at = ply * beam.width + kept
            beam.parent[at] = found.parent[i]
            beam.a[at] = found.a[i]
            beam.b[at] = found.b[i]
            beam.less[at] = found.less[i]
            kept += 1
    return kept


def trace(beam: Beam, plies: int, last: Beam) -> Ints:
    """The moves of so many plies and the last one, where there is one: the first of its list."""
    ends = last.a[0] != 0
    order = ints(2 * (plies + ends))
    position = 0
    if ends:
        order[2 * plies] = last.a[0]
        order[2 * plies + 1] = last.b[0]
        position = last.parent[0]
    for ply in range(plies - 1, -1, -1):
        at = ply * beam.width + position
        order[2 * ply] = beam.a[at]
        order[2 * ply + 1] = beam.b[at]
        position = beam.parent[at]
    return order


def worth(field: Field, puzzle: Puzzle, moves: int) -> int:
    """The points of the position looked at."""
    points = PAIR * moves + random(field.notes, NOISE)
    places, depth = field.places, field.depth
    for kind in range(len(puzzle.first) - 1):
        count, one, other = 0, 0, 0
        for i in range(puzzle.first[kind], puzzle.first[kind + 1]):
            at = 4 * places[i]
            if at:
                deep = min(min(depth[at], depth[at + 1]), min(depth[at + 2], depth[at + 3]))
                points -= DEPTH * deep
                count, one, other = count + 1, at, one
        if count == 2:
            points -= LAST_TWO + APART * apart(depth, one, other)
    return points


def apart(depth: Ints, one: int, other: int) -> int:
    """The tiles that must go before two tiles both reach the same side, the best one."""
    best = depth[one] + depth[other]
    for side in range(1, 4):
        best = min(best, depth[one + side] + depth[other + side])
    return best
