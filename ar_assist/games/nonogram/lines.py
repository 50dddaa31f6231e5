"""Line solving: all that one clue says of a line, exactly, on Python integers.

A line of n cells is a pair of integers, `filled` and `crossed`, with bit j for cell j. Block by
block, one integer holds every position that can be reached; a run of cells that may be empty is
crossed by one addition, whose carry runs through the whole run at once (as in bit-parallel string
matching: Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances",
2003). A line costs a few dozen integer operations per block, whatever its length.
"""

from __future__ import annotations

from ar_assist.games.nonogram.board import Clue

Line = tuple[int, int]  # filled, crossed: bit j for cell j

_MIRRORED_BYTE = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def solve_line(clue: Clue, length: int, filled: int, crossed: int) -> Line | None:
    """The line with every cell that is alike in all its fillings; None if there is no filling."""
    swept = _sweep(clue, length, filled, crossed)
    if swept is None:
        return None
    starts, can_empty = swept
    together = dict.fromkeys(clue, 0)  # blocks of one length are spread over their cells at once
    for block, start in zip(clue, starts, strict=True):
        together[block] |= start
    can_fill = 0
    for block, start in together.items():
        can_fill |= _dilate(start, block)
    return can_fill & ~can_empty, ((1 << length) - 1) & ~can_fill


def block_starts(clue: Clue, length: int, filled: int, crossed: int) -> list[int] | None:
    """For each block the cells that it can start at, as bits; None if there is no filling."""
    swept = _sweep(clue, length, filled, crossed)
    return None if swept is None else swept[0]


def _sweep(clue: Clue, length: int, filled: int, crossed: int) -> tuple[list[int], int] | None:
    """The starts of every block, and the cells that some filling leaves empty."""
    # Position p lies before cell p. One cell beyond the end must be empty, so that every block
    # has a gap behind it; a line is done at position `end`, behind that cell.
    end = length + 1
    octets = (end >> 3) + 1
    may_fill = ((1 << length) - 1) & ~crossed
    may_empty = ((1 << end) - 1) & ~filled

    fits = {}  # block: positions where it and the gap behind it fit
    for block in set(clue):
        fits[block] = _erode(may_fill, block) & (may_empty >> block)
    reach = 1 | ((may_empty + (may_empty & 1)) ^ may_empty)  # the first free run, by carry
    forward = [reach]  # [i]: positions that i blocks and their gaps can end at
    for block in clue:
        seeds = (reach & fits[block]) << (block + 1)
        reach = seeds | (((seeds & may_empty) + may_empty) ^ may_empty)
        forward.append(reach)
    if not reach >> end & 1:
        return None

    # The same from the end, on the mirrored line, where the gap comes before its block.
    aside = 8 * octets - end - 1
    free = _mirror(may_empty, octets) >> (aside + 1)
    filling = _mirror(may_fill, octets) >> (aside + 2)
    fits_back = {block: _erode(filling, block) & free for block in fits}
    reach = 1 | ((free + (free & 1)) ^ free)
    behind = _mirror(reach, octets) >> aside  # positions that the rest of the line can begin at
    can_empty = forward[-1] & (behind >> 1) & may_empty
    starts = [0] * len(clue)
    for index in range(len(clue) - 1, -1, -1):
        block = clue[index]
        starts[index] = forward[index] & fits[block] & (behind >> (block + 1))
        seeds = (reach & fits_back[block]) << (block + 1)
        reach = seeds | (((seeds & free) + free) ^ free)
        behind = _mirror(reach, octets) >> aside
        can_empty |= (starts[index] << block) | (forward[index] & (behind >> 1) & may_empty)
    return starts, can_empty


def _mirror(bits: int, octets: int) -> int:
    """Bit b becomes bit 8 * octets - 1 - b."""
    return int.from_bytes(bits.to_bytes(octets, "little").translate(_MIRRORED_BYTE), "big")


def _erode(bits: int, length: int) -> int:
    """Where `length` set bits begin."""
    width = 1
    while 2 * width <= length:
        bits &= bits >> width
        width *= 2
    return bits & (bits >> (length - width))


def _dilate(bits: int, length: int) -> int:
    """Every bit repeated `length` times upward."""
    width = 1
    while 2 * width <= length:
        bits |= bits << width
        width *= 2
    return bits | (bits << (length - width))
