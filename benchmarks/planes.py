"""How well sheets, tablets, markers, grids and chessboards are outlined on real photographs.

Of every picture the finder's first planes are taken, as a look would read them: outlines, and the
borders of lattices. The best intersection over union with the truth counts, for the games know
which plane is theirs, not the finder; what is missed counts 0. The truth of a chessboard has only
its inner squares: any box of as many whole cells may be taken of a lattice.

    python benchmarks/planes.py ../shared/data
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from ar_assist.evaluate.geometry import iou
from ar_assist.find import find, outlines
from ar_assist.types import Candidate, Lattice, Points

MISSED = 0.5  # intersection over union: less is another thing, and counts 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of real pictures")
    folder = parser.parse_args().data / "planes"
    ious = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        image = np.asarray(cv2.imread(str(folder / truth["image"])), np.uint8)
        planes = list(find(image, outlines(image)))
        points = [truth[f"{side}_points"] for side in ("rows", "cols") if "grid" in truth]
        cells = tuple(count - 1 for count in points)
        for name, corners in (truth.get("tiles") or {"": truth["corners"]}).items():
            best = max(
                iou(box, np.array(corners, np.float32)) for p in planes for box in _boxes(p, cells)
            )
            ious.append(best if best >= MISSED else 0.0)
            print(f"{truth['image']:28s} {name:5s} {ious[-1]:.3f}")
    print(f"mean of {len(ious)}: {np.mean(ious):.3f} (goal 0.97), least {min(ious):.3f}")


def _boxes(candidate: Candidate, cells: tuple[int, ...]) -> Iterator[Points]:
    """(4, 2) frame px: the plane's outline or its lattice's; or all boxes of so many `cells`."""
    plane, lattice = candidate.plane, candidate.lattice
    if lattice is None:
        yield plane.to_frame(Lattice((-0.5, -0.5), plane.size_wh, 1, 1).corners)
    elif not cells:
        yield plane.to_frame(lattice.corners)
    else:
        (x, y), (dx, dy) = lattice.origin_xy, lattice.pitch_xy
        for rows, cols in {cells, cells[::-1]}:
            for row in range(lattice.rows - rows + 1):
                for col in range(lattice.cols - cols + 1):
                    box = Lattice((x + col * dx, y + row * dy), (dx, dy), rows, cols)
                    yield plane.to_frame(box.corners)


if __name__ == "__main__":
    main()
