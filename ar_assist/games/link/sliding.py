"""The search with gravity: over orders, by beams. Runs as plain Python and compiled alike.

A removal moves tiles, so orders matter and nothing is safe to take at once. A beam keeps the best
positions of each ply; equal positions are one (Zobrist hashing), and the next beam is wider. A beam
that never had to drop a position has seen them all: where it finds no clearing there is none.

A position is worth its legal pairs (mobility), looked at after the move. A kind down to its last
two tiles costs a point: they have only each other left. Some noise keeps a beam varied.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, linked, random
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Ints, Puzzle

RANDOM, NODES, DROPPED = range(3)  # places in Field.notes
BRANCHES = 12  # moves of a position, about: a beam costs plies * width * BRANCHES nodes
SPREAD = 64  # moves kept for choice per position of a beam's width
FIRST_WIDTH = 4  # positions of the first beam
GROWTH = 4  # how much wider the next one is: the last beam gets most of the nodes
NOISE = 4  # random points, in tenths of which a legal pair is worth one
PAIR = 8  # points of a legal pair
LAST_TWO = 8  # points that a kind down to two tiles costs
BINS = 1 << 12  # scores fall into this many bins, which is more than any position is worth


class Field(NamedTuple):
    """What a beam writes on."""

    state: Ints  # masks and reaches of the position looked at; see puzzle.Shape
    places: Ints  # per kind the number of its tiles; then the cells of each kind's tiles
    moves: Ints  # legal pairs, two cells each
    replies: Ints  # legal pairs after a move
    grid: Ints  # the position looked at
    zobrist: Ints  # per cell and kind a random number
    notes: Ints  # random state, nodes left, whether this beam dropped a position


class Beam(NamedTuple):
    """The positions of a beam and how it came to them."""

    width: int
    parent: Ints  # per ply and position: the position of the ply before
    a: Ints  # and the cells of the pair that was removed from it
    b: Ints


def slide(grid: Ints, puzzle: Puzzle) -> None:
    """Pack every line towards its first cell."""
    for line in range(len(puzzle.line_first) - 1):
        target = puzzle.line_first[line]
        for i in range(target, puzzle.line_first[line + 1]):
            kind = grid[puzzle.line_cells[i]]
            if kind:
                if target < i:
                    grid[puzzle.line_cells[target]] = kind
                    grid[puzzle.line_cells[i]] = 0
                target += 1


def look(grid: Ints, field: Field, puzzle: Puzzle) -> int:
    """Work out masks, reaches and places of a position; returns its Zobrist hash."""
    shape, state, places = puzzle.shape, field.state, field.places
    kinds = len(puzzle.first) - 1
    for kind in range(kinds):
        places[kind] = 0
    code = 0
    for r in range(1, shape.height - 1):
        state[r] = scan(grid, r << shape.shift, 1, shape.width, state, shape.across)
        for cell in range((r << shape.shift) + 1, (r << shape.shift) + shape.width - 1):
            kind = grid[cell] - 1
            if kind >= 0:
                code ^= field.zobrist[cell * (kinds + 1) + kind]
                if kind < kinds:
                    places[kinds + puzzle.first[kind] + places[kind]] = cell
                    places[kind] += 1
    for c in range(1, shape.width - 1):
        reach = shape.down + (c << shape.shift) - c
        state[shape.cols + c] = scan(grid, c, 1 << shape.shift, shape.height, state, reach)
    return code


def scan(grid: Ints, begin: int, step: int, size: int, state: Ints, reach: int) -> int:
    """The free places of a line as a mask; writes what its tiles reach along it.

    The line's cells are begin, begin + step, …; the reach of its place x goes to state[reach +
    begin + x].
    """
    free, low, last = 0, 0, -1
    for x in range(size):
        if grid[begin + x * step] == 0:
            free |= 1 << x
        else:
            run = (1 << x) - (1 << low)
            if last >= 0:
                state[last] |= run
            last = reach + begin + x
            state[last] = run | 1 << x
            low = x + 1
    if last >= 0:
        state[last] |= (1 << size) - (1 << low)
    return free


def list_moves(field: Field, puzzle: Puzzle, moves: Ints) -> int:
    """Write down all legal pairs of the position looked at; returns how many."""
    places = field.places
    kinds = len(puzzle.first) - 1
    count = 0
    for kind in range(kinds):
        begin = kinds + puzzle.first[kind]
        for i in range(begin, begin + places[kind]):
            for j in range(i + 1, begin + places[kind]):
                if linked(field.state, puzzle.shape, places[i], places[j]):
                    moves[2 * count] = places[i]
                    moves[2 * count + 1] = places[j]
                    count += 1
    return count


def worth(field: Field, puzzle: Puzzle, moves: int) -> int:
    """The points of the position looked at."""
    points = PAIR * moves + random(field.notes, NOISE * PAIR)
    for kind in range(len(puzzle.first) - 1):
        if field.places[kind] == 2:
            points -= LAST_TWO
    return points


def make(grid: Ints, puzzle: Puzzle, a: int, b: int) -> None:
    """Remove two tiles and slide the rest."""
    grid[a] = 0
    grid[b] = 0
    slide(grid, puzzle)


def is_new(seen: Ints, code: int) -> bool:
    """Whether a hash was not yet in the table (open addressing, a power of two); it is now."""
    at = code & len(seen) - 1
    while seen[at]:
        if seen[at] == code:
            return False
        at = at + 1 & len(seen) - 1
    seen[at] = code
    return True


def search(puzzle: Puzzle, nodes: int, seed: int) -> tuple[int, Ints, int]:
    """Verdict, the best order found (cells, two by two) and the nodes that it took."""
    field = open_field(puzzle, nodes, seed)
    plies = len(puzzle.cell) // 2
    best = ints(0)
    width = FIRST_WIDTH
    while True:
        width = max(1, min(width, field.notes[NODES] // (plies * BRANCHES)))
        verdict, order = sweep(puzzle, field, width)
        if len(order) > len(best):
            best = order
        if verdict != UNKNOWN or field.notes[NODES] <= plies * BRANCHES:
            return verdict, best, nodes - field.notes[NODES]
        width *= GROWTH


def open_field(puzzle: Puzzle, nodes: int, seed: int) -> Field:
    """Room for a search."""
    kinds = len(puzzle.first)
    numbers = ints(3)
    numbers[RANDOM] = seed
    zobrist = ints(len(puzzle.grid) * kinds)
    for i in range(len(zobrist)):
        zobrist[i] = 1 + random(numbers, 1 << 20) + (random(numbers, 1 << 20) << 20)
    numbers[NODES] = nodes
    pairs = 2 * len(puzzle.pair_a)
    state = ints(puzzle.shape.size)
    for r in (0, puzzle.shape.height - 1):
        state[r] = puzzle.shape.outside * ((1 << puzzle.shape.width) - 1)
    for c in (0, puzzle.shape.width - 1):
        state[puzzle.shape.cols + c] = puzzle.shape.outside * ((1 << puzzle.shape.height) - 1)
    places = ints(kinds + len(puzzle.cell))
    return Field(state, places, ints(pairs), ints(pairs), ints(len(puzzle.grid)), zobrist, numbers)


def sweep(puzzle: Puzzle, field: Field, width: int) -> tuple[int, Ints]:
    """One beam from the start to the end; its verdict and the order of its longest line."""
    plies, size = len(puzzle.cell) // 2, len(puzzle.grid)
    beam = Beam(width, ints(plies * width), ints(plies * width), ints(plies * width))
    grids, spare = ints(width * size), ints(width * size)
    grids[:size] = puzzle.grid
    table = 1 << 6
    while table < 2 * SPREAD * width:
        table *= 2
    next_of = Beam(SPREAD * width, ints(SPREAD * width), ints(SPREAD * width), ints(SPREAD * width))
    points = ints(SPREAD * width)
    alive = 1
    field.notes[DROPPED] = 0
    for ply in range(plies):
        count = spread(puzzle, field, grids, alive, next_of, points, ints(table))
        if field.notes[NODES] <= 0 or count > width:
            field.notes[DROPPED] = 1
        if field.notes[NODES] <= 0 or count == 0:
            return UNKNOWN if field.notes[DROPPED] else LOST, trace(beam, ply)
        alive = choose(beam, ply, next_of, points, count)
        for i in range(alive):
            at = ply * width + i
            came = beam.parent[at] * size
            field.grid[:] = grids[came : came + size]
            make(field.grid, puzzle, beam.a[at], beam.b[at])
            spare[i * size : (i + 1) * size] = field.grid
        grids, spare = spare, grids
    return CLEARS, trace(beam, plies)


def spread(
    puzzle: Puzzle, field: Field, grids: Ints, alive: int, found: Beam, points: Ints, seen: Ints
) -> int:
    """List the moves of all positions of a ply that lead to new positions; returns how many.

    What the list cannot hold is dropped, and noted.
    """
    size = len(field.grid)
    count, fresh = 0, 0
    for position in range(alive):
        field.grid[:] = grids[position * size : (position + 1) * size]
        look(field.grid, field, puzzle)
        moves = list_moves(field, puzzle, field.moves)
        for move in range(moves):
            a, b = field.moves[2 * move], field.moves[2 * move + 1]
            field.grid[:] = grids[position * size : (position + 1) * size]
            make(field.grid, puzzle, a, b)
            field.notes[NODES] -= 1
            if is_new(seen, look(field.grid, field, puzzle)):
                fresh += 1
                replies = list_moves(field, puzzle, field.replies)
                if replies or is_over(field, puzzle):
                    found.parent[count] = position
                    found.a[count] = a
                    found.b[count] = b
                    points[count] = worth(field, puzzle, replies)
                    count += 1
                if fresh == found.width:
                    field.notes[DROPPED] = 1
                    return count
    return count


def is_over(field: Field, puzzle: Puzzle) -> bool:
    """Whether the position looked at has no tiles left that have a partner."""
    tiles = 0
    for kind in range(len(puzzle.first) - 1):
        tiles += field.places[kind]
    return tiles == 0


def choose(beam: Beam, ply: int, found: Beam, points: Ints, count: int) -> int:
    """Keep the best of the moves found as this ply's positions; returns how many."""
    bins = ints(BINS)
    for i in range(count):
        points[i] = min(max(points[i] + BINS // 4, 0), BINS - 1)
        bins[points[i]] += 1
    least, room = BINS - 1, beam.width - bins[BINS - 1]
    while least > 0 and bins[least - 1] <= room:
        least -= 1
        room -= bins[least]
    kept = 0
    for i in range(count):
        fits = points[i] >= least or (points[i] == least - 1 and room > 0)
        if fits and kept < beam.width:
            room -= points[i] == least - 1
            at = ply * beam.width + kept
            beam.parent[at] = found.parent[i]
            beam.a[at] = found.a[i]
            beam.b[at] = found.b[i]
            kept += 1
    return kept


def trace(beam: Beam, plies: int) -> Ints:
    """The moves that led to the first position of a ply."""
    order = ints(2 * plies)
    position = 0
    for ply in range(plies - 1, -1, -1):
        at = ply * beam.width + position
        order[2 * ply] = beam.a[at]
        order[2 * ply + 1] = beam.b[at]
        position = beam.parent[at]
    return order
