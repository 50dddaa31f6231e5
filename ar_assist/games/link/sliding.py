"""The search with gravity: over orders, by beams. Runs as plain Python and compiled alike.

A removal moves tiles, so orders matter and nothing is safe to take at once. A beam keeps the best
positions of each ply; equal positions are one (Zobrist hashing). The next beam is wider, as far as
the cost of the last one allows. A beam that never had to drop a position has seen them all: where
it finds no clearing there is none. Most lost boards die early, where wide beams are cheap.

A position is worth its legal pairs (mobility), looked at after the move. A tile costs points for
its *depth*, the tiles between it and the nearest free cell. A kind down to its last two tiles
costs more: they have only each other left, and what lies on both their ways to the same side must
go before. Some noise keeps a beam varied.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, linked, random
from ar_assist.games.link.puzzle import CLEARS, LOST, UNKNOWN, Ints, Puzzle

RANDOM, NODES, DROPPED, LOOSE = range(4)  # places in Field.notes
BRANCHES = 8  # new positions that one leads to, about: a ply costs width * BRANCHES nodes
SPREAD = 64  # moves kept for choice per position of a beam's width
FIRST_WIDTH = 4  # positions of the first beam
GROWTH = 4  # how much wider the next one is: the last beam gets most of the nodes
WIDEST = 8192  # positions, for the memory that they take: some 60 MB
HORIZON = 6  # plies that the nodes left should last at least: a beam narrows before they end
NOISE = 16  # random points below this
PAIR = 8  # points of a legal pair
DEPTH = 1  # points that a tile costs for each tile between it and the nearest free cell
LAST_TWO = 8  # points that a kind down to two tiles costs
APART = 4  # and for each tile that must go before both reach the same side
BINS = 1 << 12  # scores fall into this many bins, which is more than any position is worth
ZERO_BIN = 3 * BINS // 4  # most positions cost more than they are worth


class Field(NamedTuple):
    """What a beam writes on."""

    state: Ints  # masks and reaches of the position looked at; see puzzle.Shape
    depth: Ints  # per cell and side, left, right, up, down: tiles up to the next free cell
    places: Ints  # per kind the number of its tiles; then the cells of each kind's tiles
    moves: Ints  # legal pairs, two cells each
    replies: Ints  # legal pairs after a move
    grid: Ints  # the position looked at
    zobrist: Ints  # per cell and kind a random number
    notes: Ints  # random state, nodes left, whether this beam dropped a position, see make


class Beam(NamedTuple):
    """The positions of a beam and how it came to them."""

    width: int
    parent: Ints  # per ply and position: the position of the ply before
    a: Ints  # and the cells of the pair that was removed from it
    b: Ints


def make(grid: Ints, field: Field, puzzle: Puzzle, a: int, b: int) -> int:
    """Remove two tiles and slide the rest; returns by what the position's hash changes.

    All lines are packed where the position before may be loose: the first one, and any where
    lines cross, so that packing one line may loosen another.
    """
    kinds, kind = len(puzzle.first), grid[a] - 1
    code = field.zobrist[a * kinds + kind] ^ field.zobrist[b * kinds + kind]
    grid[a] = 0
    grid[b] = 0
    if field.notes[LOOSE]:
        for line in range(len(puzzle.line_first) - 1):
            code ^= slide(grid, field, puzzle, line)
    else:
        code ^= slide(grid, field, puzzle, puzzle.line_at[a])
        if puzzle.line_at[b] != puzzle.line_at[a]:
            code ^= slide(grid, field, puzzle, puzzle.line_at[b])
    return code


def slide(grid: Ints, field: Field, puzzle: Puzzle, line: int) -> int:
    """Pack a line towards its first cell; returns by what the hash changes."""
    kinds, code = len(puzzle.first), 0
    target = puzzle.line_first[line]
    for i in range(target, puzzle.line_first[line + 1]):
        cell = puzzle.line_cells[i]
        kind = grid[cell]
        if kind:
            if target < i:
                to = puzzle.line_cells[target]
                grid[to] = kind
                grid[cell] = 0
                code ^= field.zobrist[cell * kinds + kind - 1]
                code ^= field.zobrist[to * kinds + kind - 1]
            target += 1
    return code


def hash_of(grid: Ints, field: Field, puzzle: Puzzle) -> int:
    """The Zobrist hash of a position."""
    shape = puzzle.shape
    kinds = len(puzzle.first)
    code = 0
    for r in range(1, shape.height - 1):
        row = r << shape.shift
        for cell in range(row + 1, row + shape.width - 1):
            if grid[cell] > 0:
                code ^= field.zobrist[cell * kinds + grid[cell] - 1]
    return code


def look(grid: Ints, field: Field, puzzle: Puzzle) -> None:
    """Work out masks, reaches, depths and places of a position: the work that a node counts.

    Masks, reaches and depths rest on which cells are free alone, and under gravity that changes
    at the lines' ends only. So only lines that differ from the position looked at before are
    scanned.
    """
    shape, state, places = puzzle.shape, field.state, field.places
    kinds = len(puzzle.first) - 1
    for kind in range(kinds):
        places[kind] = 0
    field.notes[NODES] -= 1
    changed = 0
    for r in range(1, shape.height - 1):
        row = r << shape.shift
        free = 0
        for c in range(shape.width):
            kind = grid[row + c] - 1
            if kind == -1:
                free |= 1 << c
            elif 0 <= kind < kinds:
                places[kinds + puzzle.first[kind] + places[kind]] = row + c
                places[kind] += 1
        if free != state[r]:
            changed |= free ^ state[r]
            state[r] = free
            scan(grid, row, 1, shape.width, state, shape.across, field.depth, 0)
    for c in range(1, shape.width - 1):
        if changed >> c & 1:
            reach = shape.down + (c << shape.shift) - c
            step = 1 << shape.shift
            free = scan(grid, c, step, shape.height, state, reach, field.depth, 2)
            state[shape.cols + c] = free


def scan(
    grid: Ints, begin: int, step: int, size: int, state: Ints, reach: int, depth: Ints, side: int
) -> int:
    """The free places of a line as a mask; writes what its tiles reach along it, and their depths.

    The line's cells are begin, begin + step, …; the reach of its place x goes to state[reach +
    begin + x], the tiles that lie between it and the nearest free cell on either side to
    depth[4 * cell + side] and the entry after it.
    """
    free, low, last, buried = 0, 0, -1, 0
    for x in range(size):
        cell = begin + x * step
        if grid[cell] == 0:
            free |= 1 << x
            buried = 0
        else:
            run = (1 << x) - (1 << low)
            if last >= 0:
                state[last] |= run
            last = reach + begin + x
            state[last] = run | 1 << x
            low = x + 1
            depth[4 * cell + side] = buried
            buried += 1
    if last >= 0:
        state[last] |= (1 << size) - (1 << low)
    buried = 0
    for x in range(size - 1, -1, -1):
        cell = begin + x * step
        if grid[cell] == 0:
            buried = 0
        else:
            depth[4 * cell + side + 1] = buried
            buried += 1
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
    points = PAIR * moves + random(field.notes, NOISE)
    places, depth = field.places, field.depth
    kinds = len(puzzle.first) - 1
    for kind in range(kinds):
        begin = kinds + puzzle.first[kind]
        for i in range(begin, begin + places[kind]):
            at = 4 * places[i]
            points -= DEPTH * min(min(depth[at], depth[at + 1]), min(depth[at + 2], depth[at + 3]))
        if places[kind] == 2:
            points -= LAST_TWO + APART * apart(depth, 4 * places[begin], 4 * places[begin + 1])
    return points


def apart(depth: Ints, one: int, other: int) -> int:
    """The tiles that must go before two tiles both reach the same side, the best one."""
    best = depth[one] + depth[other]
    for side in range(1, 4):
        best = min(best, depth[one + side] + depth[other + side])
    return best


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
        before = field.notes[NODES]
        verdict, order = sweep(puzzle, field, width)
        if len(order) > len(best):
            best = order
        left = field.notes[NODES]
        if verdict != UNKNOWN or left <= plies * BRANCHES:
            return verdict, best, nodes - left
        width = max(1, min(WIDEST, GROWTH * width, width * left // (before - left)))


def open_field(puzzle: Puzzle, nodes: int, seed: int) -> Field:
    """Room for a search; the position looked at is an empty board."""
    kinds = len(puzzle.first)
    numbers = ints(4)
    numbers[RANDOM] = seed
    zobrist = ints(len(puzzle.grid) * kinds)
    for i in range(len(zobrist)):
        zobrist[i] = 1 + random(numbers, 1 << 20) + (random(numbers, 1 << 20) << 20)
    numbers[NODES] = nodes
    pairs = 2 * len(puzzle.pair_a)
    state = ints(puzzle.shape.size)
    clear_lines(state, 0, puzzle.shape.height, puzzle.shape.width, puzzle.shape.outside)
    clear_lines(
        state, puzzle.shape.cols, puzzle.shape.width, puzzle.shape.height, puzzle.shape.outside
    )
    places = ints(kinds + len(puzzle.cell))
    depth = ints(4 * len(puzzle.grid))
    grid = ints(len(puzzle.grid))
    return Field(state, depth, places, ints(pairs), ints(pairs), grid, zobrist, numbers)


def clear_lines(state: Ints, first: int, lines: int, size: int, outside: int) -> None:
    """Write the free masks of an empty board's rows or columns; only outside the margin is free."""
    for line in range(lines):
        margin = 1 | 1 << size - 1
        inside = 0 if line in (0, lines - 1) else (1 << size) - 1 - margin
        state[first + line] = inside
        if outside:
            state[first + line] = (1 << size) - 1


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
    field.notes[LOOSE] = 1
    for ply in range(plies):
        count = spread(puzzle, field, grids, alive, next_of, points, ints(table))
        room = min(width, max(1, field.notes[NODES] // (min(plies - ply, HORIZON) * BRANCHES)))
        if field.notes[NODES] <= 0 or count > room:
            field.notes[DROPPED] = 1
        if field.notes[NODES] <= 0 or count == 0:
            return UNKNOWN if field.notes[DROPPED] else LOST, trace(beam, ply)
        alive = choose(beam, ply, next_of, points, count, room)
        for i in range(alive):
            at = ply * width + i
            came = beam.parent[at] * size
            field.grid[:] = grids[came : came + size]
            make(field.grid, field, puzzle, beam.a[at], beam.b[at])
            spare[i * size : (i + 1) * size] = field.grid
        grids, spare = spare, grids
        field.notes[LOOSE] = len(puzzle.line_at) == 0
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
        code = hash_of(field.grid, field, puzzle)
        for move in range(moves):
            a, b = field.moves[2 * move], field.moves[2 * move + 1]
            field.grid[:] = grids[position * size : (position + 1) * size]
            if is_new(seen, code ^ make(field.grid, field, puzzle, a, b)):
                fresh += 1
                look(field.grid, field, puzzle)
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


def choose(beam: Beam, ply: int, found: Beam, points: Ints, count: int, most: int) -> int:
    """Keep the best of the moves found, so many at most, as this ply; returns how many."""
    bins = ints(BINS)
    for i in range(count):
        points[i] = min(max(points[i] + ZERO_BIN, 0), BINS - 1)
        bins[points[i]] += 1
    least, room = BINS - 1, most - bins[BINS - 1]
    while least > 0 and bins[least - 1] <= room:
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
