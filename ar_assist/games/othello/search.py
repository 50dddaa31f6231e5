"""The best moves of a position, as far as a given number of nodes allows.

First a mid-game search that deepens ply by ply, then, near enough to the end, an exact one; the
deepest that was finished counts. Nodes bound the search, not the clock, so that it repeats. Without
numba a plain search in Python does the same with fewer nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from ar_assist.games.othello.board import square_name

HAS_NUMBA = find_spec("numba") is not None


@dataclass(frozen=True)
class Found:
    """What a search found."""

    moves: tuple[tuple[int, float | None], ...]  # (square, disc difference), best first
    depth: int  # plies looked ahead
    exact: bool  # the best move's value is final, not estimated
    nodes: int

    def words(self) -> str:
        """The result in words: `d3 wins by 6 for sure`."""
        square, value = self.moves[0]
        name = square_name(square)
        if value is None:
            return name
        if not self.exact:
            return f"{name}, about {round(value):+} ({self.depth} moves ahead)"
        if value == 0:
            return f"{name} draws"
        return f"{name} {'wins' if value > 0 else 'loses'} by {abs(value):.0f} for sure"


def search(own: int, theirs: int, strength: int) -> Found:
    """The best moves for the owner of `own`, who has a legal move; strength 1 to 10."""
    if HAS_NUMBA:
        from ar_assist.games.othello.deepening import search as compiled

        return compiled(own, theirs, strength)
    from ar_assist.games.othello.plain import search as interpreted

    return interpreted(own, theirs, strength)
