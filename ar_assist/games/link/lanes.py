"""Bit masks of free lanes for the searches; paths.py tells the method. Plain or compiled alike.

The arrays are parts of a state, see puzzle.Shape.
"""

from __future__ import annotations

from ar_assist.games.link.puzzle import Ints, Shape


def ints(size: int) -> Ints:
    """An array of zeros; compiled, an int64 array."""
    return [0] * size


def random(numbers: Ints, below: int) -> int:
    """A number from 0 to below - 1; the first entry is the generator's state (ANSI C's)."""
    numbers[0] = (numbers[0] * 1103515245 + 12345) & 0x7FFFFFFF
    return (numbers[0] >> 8) % below


def vacate(state: Ints, shape: Shape, cell: int) -> None:
    """Free a cell."""
    r, c = cell >> shape.shift, cell & (1 << shape.shift) - 1
    join(state, r, shape.across + (r << shape.shift), c, shape.width)
    join(state, shape.cols + c, shape.down + (c << shape.shift), r, shape.height)


def join(state: Ints, line: int, reach: int, place: int, size: int) -> None:
    """Free one place of a line; its neighbours' reaches run together."""
    free = state[line] | 1 << place
    state[line] = free
    run = state[reach + place]
    x = place - 1
    while x >= 0 and free >> x & 1:
        state[reach + x] = run
        x -= 1
    if x >= 0:
        state[reach + x] |= run
    x = place + 1
    while x < size and free >> x & 1:
        state[reach + x] = run
        x += 1
    if x < size:
        state[reach + x] |= run


def linked(state: Ints, shape: Shape, a: int, b: int) -> bool:
    """Whether a path of at most two turns joins the tiles of two cells (there or not)."""
    last = (1 << shape.shift) - 1
    row_a, col_a, row_b, col_b = a >> shape.shift, a & last, b >> shape.shift, b & last
    shared = state[shape.across + a] & state[shape.across + b]
    if shared and row_a != row_b and open_lane(state, shared, row_a, row_b):
        return True
    shared = state[shape.down + (col_a << shape.shift | row_a)]
    shared &= state[shape.down + (col_b << shape.shift | row_b)]
    if not shared or col_a == col_b:
        return False
    return open_lane(state, shared, shape.cols + col_a, shape.cols + col_b)


def open_lane(state: Ints, shared: int, one: int, other: int) -> bool:
    """Whether a lane of `shared` is free on every line strictly between two lines."""
    low, high = min(one, other) + 1, max(one, other)
    while shared and low < high:
        shared &= state[low]
        low += 1
    return shared != 0
