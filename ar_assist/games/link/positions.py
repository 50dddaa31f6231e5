"""Positions under gravity, for its searches: moves that slide, and what is open after them.

Plain or compiled alike. Equal positions have equal hashes (Zobrist), whichever of a kind's tiles
is where.
"""

from __future__ import annotations

from typing import NamedTuple

from ar_assist.games.link.lanes import ints, linked, random
from ar_assist.games.link.puzzle import Ints, Puzzle

RANDOM, NODES, DROPPED, LOOSE = range(4)  # places in Field.notes


class Field(NamedTuple):
    """What the searches write on."""

    state: Ints  # masks and reaches of the position looked at; see puzzle.Shape
    depth: Ints  # per cell and side, left, right, up, down: tiles up to the next free cell
    places: Ints  # per tile its cell, 0 if it is gone; the last one for tiles in the way
    outer: Ints  # per row a mask of the cells beside a free one; then tiles of a kind on these
    moves: Ints  # legal pairs, numbered as in Puzzle
    replies: Ints  # legal pairs after a move
    grid: Ints  # the position looked at, as puzzle.grid
    zobrist: Ints  # per cell and kind a random number
    notes: Ints  # random state, nodes left, whether this beam dropped a position, see make


def open_field(puzzle: Puzzle, nodes: int, seed: int) -> Field:
    """Room for searches; the position looked at is an empty board."""
    kinds = len(puzzle.first)
    numbers = ints(4)
    numbers[RANDOM] = seed
    zobrist = ints(len(puzzle.grid) * kinds)
    for i in range(len(zobrist)):
        zobrist[i] = 1 + random(numbers, 1 << 20) + (random(numbers, 1 << 20) << 20)
    numbers[NODES] = nodes
    pairs = len(puzzle.pair_a)
    state = ints(puzzle.shape.size)
    clear_lines(state, 0, puzzle.shape.height, puzzle.shape.width, puzzle.shape.outside)
    clear_lines(
        state, puzzle.shape.cols, puzzle.shape.width, puzzle.shape.height, puzzle.shape.outside
    )
    places = ints(len(puzzle.cell) + 1)
    depth = ints(4 * len(puzzle.grid))
    grid = ints(len(puzzle.grid))
    outer = ints(puzzle.shape.height + len(puzzle.cell))
    return Field(state, depth, places, outer, ints(pairs), ints(pairs), grid, zobrist, numbers)


def clear_lines(state: Ints, first: int, lines: int, size: int, outside: int) -> None:
    """Write the free masks of an empty board's rows or columns; only outside the margin is free."""
    for line in range(lines):
        margin = 1 | 1 << size - 1
        inside = 0 if line in (0, lines - 1) else (1 << size) - 1 - margin
        state[first + line] = inside
        if outside:
            state[first + line] = (1 << size) - 1


def make(grid: Ints, field: Field, puzzle: Puzzle, a: int, b: int) -> int:
    """Remove two tiles and slide the rest; returns by what the position's hash changes.

    All lines are packed where the position before may be loose: the first one, and any where
    lines cross, so that packing one line may loosen another.
    """
    kinds, kind = len(puzzle.first), puzzle.kind[grid[a] - 1]
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
        tile = grid[cell]
        if tile:
            if target < i:
                to = puzzle.line_cells[target]
                grid[to] = tile
                grid[cell] = 0
                kind = puzzle.kind[tile - 1]
                code ^= field.zobrist[cell * kinds + kind]
                code ^= field.zobrist[to * kinds + kind]
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
                code ^= field.zobrist[cell * kinds + puzzle.kind[grid[cell] - 1]]
    return code


def look(grid: Ints, field: Field, puzzle: Puzzle) -> None:
    """Work out masks, reaches, depths and places of a position: the work that a node counts.

    Masks, reaches and depths rest on which cells are free alone, and under gravity that changes
    at the lines' ends only. So only lines that differ from the position looked at before are
    scanned.
    """
    shape, state, places = puzzle.shape, field.state, field.places
    for tile in range(len(places)):
        places[tile] = 0
    field.notes[NODES] -= 1
    changed = 0
    for r in range(1, shape.height - 1):
        row = r << shape.shift
        free = 0
        for c in range(shape.width):
            tile = grid[row + c]
            if tile == 0:
                free |= 1 << c
            elif tile > 0:
                places[tile - 1] = row + c
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
    """Write down all legal pairs of the position looked at; returns how many.

    A tile that reaches no free cell links with its neighbours only.
    """
    state, places, outer, shape = field.state, field.places, field.outer, puzzle.shape
    below, last = 1 << shape.shift, (1 << shape.shift) - 1
    for r in range(1, shape.height - 1):
        outer[r] = state[r] << 1 | state[r] >> 1 | state[r - 1] | state[r + 1]
    count = 0
    for kind in range(len(puzzle.first) - 1):
        first, end = puzzle.first[kind], shape.height
        for tile in range(first, puzzle.first[kind + 1]):
            a = places[tile]
            if a == 0:
                continue
            pair_with = puzzle.mate_first[tile] - first  # mates are in order, earlier ones first
            for mate in range(first, tile):
                way = abs(a - places[mate])
                if way == 1 or way == below:
                    moves[count] = puzzle.mate_pair[pair_with + mate]
                    count += 1
            if outer[a >> shape.shift] >> (a & last) & 1:
                for i in range(shape.height, end):
                    b = places[outer[i]]
                    way = abs(a - b)
                    if way != 1 and way != below and linked(state, shape, a, b):
                        moves[count] = puzzle.mate_pair[pair_with + outer[i]]
                        count += 1
                outer[end] = tile
                end += 1
    return count


def is_over(field: Field, puzzle: Puzzle) -> bool:
    """Whether the position looked at has no tiles left that have a partner."""
    there = 0
    for tile in range(len(puzzle.cell)):
        there |= field.places[tile]
    return there == 0
