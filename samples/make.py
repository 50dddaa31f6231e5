"""Renders the sample clips anew, with truth, camera files and checksums, beside this file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ar_assist.cli import main

HERE = Path(__file__).parent
SHORT = "--fps 15 --seconds 4"
CLIPS = (  # one for each group of tiers, and one for each other game
    f"--tier tripod --seed 3 {SHORT}",
    "--tier handheld --seed 4 --fps 15 --seconds 2.4",
    "--tier phone --seed 6 --fps 15 --seconds 3",
    f"--tier oblique45 --seed 2 {SHORT}",
    "--tier windowed --seed 5 --look monsters --fps 15 --seconds 3",
    f"--tier bigboard --seed 3 --look picnic {SHORT}",
    "--tier moire --seed 2 --look letters --fps 15 --seconds 2",
    f"--tier occlusion --seed 2 {SHORT}",
    f"--tier relock --seed 3 {SHORT}",
    f"--tier gravity --seed 5 {SHORT}",
    f"--tier negative --seed 1 {SHORT}",
    "--tier rotated --seed 1 --game othello --size 960x540 --fps 15 --seconds 2",
    "--tier greycam --seed 3 --game nonogram --size 960x540 --fps 15 --seconds 2",
)


if __name__ == "__main__":
    for words in CLIPS:
        main(["scene", *words.split(), "--out", str(HERE)])
    files = sorted(path for clip in HERE.glob("*.mp4") for path in HERE.glob(clip.stem + ".*"))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files]
    (HERE / "checksums.txt").write_text("\n".join(sums) + "\n")
