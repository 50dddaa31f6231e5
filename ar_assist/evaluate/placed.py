"""A board and where it lies in the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ar_assist.evaluate import geometry
from ar_assist.types import Cell, Homography, Lattice, Points, homography, transform

Cells = tuple[tuple[int, ...], ...]
Clues = tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True, eq=False)
class PlacedBoard:
    """A board as a log or the truth has it.

    In grid units cell (r, c) has its centre at (c + 0.5, r + 0.5).
    """

    rows: int
    cols: int
    corners: Points  # (4, 2) px, outer border of the cell grid, in order round it
    cells: Cells | None  # None: the truth does not know them
    row_clues: Clues = ()
    col_clues: Clues = ()
    confidence: float = 1.0

    @property
    def has_place(self) -> bool:
        """Whether its corners go round anything."""
        return geometry.is_convex(self.corners)

    @property
    def frame_from_grid(self) -> Homography:
        """(3, 3) px from grid units."""
        return homography(Lattice((0, 0), (1, 1), self.rows, self.cols).corners, self.corners)

    @property
    def grid_from_frame(self) -> Homography:
        """(3, 3) grid units from px."""
        return np.linalg.inv(self.frame_from_grid).astype(np.float64)

    @property
    def centres(self) -> Points:
        """(rows, cols, 2) px of the cells' centres."""
        return transform(self.frame_from_grid, self.grid_centres)

    @property
    def grid_centres(self) -> NDArray[np.float64]:
        """(rows, cols, 2) the same in grid units."""
        c, r = np.meshgrid(np.arange(self.cols) + 0.5, np.arange(self.rows) + 0.5)
        return np.stack([c, r], -1)

    def quad(self, cell: Cell) -> Points:
        """(4, 2) px of a cell's border."""
        row, col = cell
        x, y = col + np.array([0, 1, 1, 0]), row + np.array([0, 0, 1, 1])
        return transform(self.frame_from_grid, np.stack([x, y], -1).astype(np.float64))
