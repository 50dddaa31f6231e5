"""Which clips to score: files and folders, logs, and tiers to be rendered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ar_assist.errors import SourceError, UserError
from ar_assist.replay import LOOK_LATENCY_S
from ar_assist.video.files import is_picture


@dataclass(frozen=True)
class Job:
    """One clip to score, or one log that was made already."""

    name: str
    tier: str
    source: str = ""  # what `video.open_source` opens
    log: Path | None = None
    truth: Path | None = None  # None: the rendered scene knows
    game: str = "auto"
    strides: tuple[int, ...] = ()  # also run every n-th frame
    pictures: int = 0  # how many of the worst frames to draw
    look_latency_s: float = LOOK_LATENCY_S

    @property
    def is_picture(self) -> bool:
        """Whether it is a single picture and no clip."""
        return is_picture(Path(self.source))


def jobs_of_path(path: Path, truth: Path | None = None) -> list[Job]:
    """A folder of clips with truth, one clip or picture, or a log; `truth` if it lies elsewhere."""
    if path.is_dir():
        found = list(_jobs_in(path))
        if not found:
            raise SourceError(f"no clip with truth (clip.mp4 beside clip.json) in {path}")
        return found
    if not path.exists():
        raise SourceError(f"{path}: no such file")
    truth = truth or path.with_suffix(".json")
    if not truth.exists():
        raise SourceError(f"{path} has no truth beside it: {truth.name} is missing")
    tier = _tier(truth)
    if path.suffix == ".jsonl":
        return [Job(path.stem, tier, log=path, truth=truth)]
    return [Job(path.stem, tier, source=str(path), truth=truth)]


def _jobs_in(folder: Path) -> Iterator[Job]:
    """Every truth file below a folder that has its clip, picture or log beside it."""
    for truth in sorted(folder.rglob("*.json")):
        data = _read(truth)
        media = str(data.get("video") or data.get("image") or "")
        log = truth.with_suffix(".jsonl")
        if media and (truth.parent / media).exists():
            yield Job(truth.stem, _tier(truth), source=str(truth.parent / media), truth=truth)
        elif media and log.exists():
            yield Job(truth.stem, _tier(truth), log=log, truth=truth)


def _read(path: Path) -> dict[str, Any]:
    """A JSON object, or an empty one: a folder may hold other files too."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _tier(truth: Path) -> str:
    """What the truth says, or the folder that the clip lies in."""
    return str(_read(truth).get("tier") or truth.resolve().parent.name)


def jobs_of_tiers(tiers: Sequence[str], seeds: Sequence[int]) -> list[Job]:
    """Clips to be rendered on the fly."""
    return [
        Job(f"{tier}-{seed}", tier, source=f"scene:tier={tier},seed={seed}")
        for tier in tiers
        for seed in seeds
    ]


def parse_seeds(text: str) -> list[int]:
    """`100-111` or `3,5,8`, also mixed."""
    seeds: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            seeds += range(int(first), int(last or first) + 1)
    except ValueError:
        seeds = []
    if not seeds:
        raise UserError(f"--seeds {text}: expected numbers like 100-111 or 3,5,8")
    return seeds
