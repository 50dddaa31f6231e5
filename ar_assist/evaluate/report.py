"""What an evaluation says, as plain data (JSON) and as tables for the terminal."""

from __future__ import annotations

import json
import math
import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table

from ar_assist import __version__
from ar_assist.errors import UserError, writing
from ar_assist.evaluate.figures import FIGURES, Figures, figures, is_clear
from ar_assist.evaluate.score import ClipScore

FORMAT = 1
NEVER_TEXT = "never"  # JSON has no infinity
# What a first glance wants to know of each tier.
GLANCE = ("exact_settled", "exact", "hint_wrong", "hint_missing", "first_hint_p50",
          "first_hint_p95", "corner_p50", "sigma", "same_boards", "step_p95")  # fmt: skip
BY_NAME = {figure.name: figure for figure in FIGURES}


def summarise(rounds: Sequence[Sequence[ClipScore]]) -> dict[str, Any]:
    """All figures by clip, by tier and in all; several rounds of the same clips tell the noise."""
    clips = rounds[0]
    summary: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "machine": machine(),
        "all": figures(clips),
        "tiers": {tier: figures(members) for tier, members in by_tier(clips).items()},
        "causes": {tier: dict(causes(members)) for tier, members in by_tier(clips).items()},
        "clips": [{"name": c.name, "tier": c.tier, "figures": figures([c])} for c in clips],
    }
    if len(rounds) > 1:
        summary["noise"] = {
            tier: _spread([figures(by_tier(one)[tier]) for one in rounds])
            for tier in by_tier(clips)
        }
    return summary


def by_tier(clips: Iterable[ClipScore]) -> dict[str, list[ClipScore]]:
    """Clips grouped by tier, in the order in which the tiers come."""
    tiers: dict[str, list[ClipScore]] = {}
    for clip in clips:
        tiers.setdefault(clip.tier, []).append(clip)
    return tiers


def causes(clips: Iterable[ClipScore]) -> Counter[str]:
    """Why clear frames were not read exactly: frames by cause."""
    frames = (frame for clip in clips for frame in clip.frames)
    return Counter(frame.cause for frame in frames if is_clear(frame) and not frame.exact)


def _spread(rounds: Sequence[Figures]) -> dict[str, float]:
    """How far each figure differs between rounds."""
    spread = {}
    for name in rounds[0]:
        values = [v for one in rounds if (v := one[name]) is not None and math.isfinite(v)]
        if len(values) > 1:
            spread[name] = max(values) - min(values)
    return spread


def machine() -> str:
    """What times depend on, without saying whose machine it is."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {_processor()}"


def _processor() -> str:
    """The processor's model; the standard library only knows it on some systems."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def save(summary: dict[str, Any], path: Path) -> None:
    """Write a summary as JSON."""
    with writing(path):
        path.write_text(json.dumps(_finite(summary), indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> dict[str, Any]:
    """Read a summary; UserError if it is none."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the baseline {path}: {error}") from None
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise UserError(f"{path} is no result of `ar-assist evaluate --json`")
    return _infinite(summary)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, float):
        return NEVER_TEXT if math.isinf(value) else round(value, 6)
    return value


def _infinite(summary: dict[str, Any]) -> dict[str, Any]:
    """Undo `_finite` in the tables of figures."""
    tables = [summary["all"], *summary["tiers"].values(), *(c["figures"] for c in summary["clips"])]
    for table in tables:
        table |= {name: math.inf for name, value in table.items() if value == NEVER_TEXT}
    return summary


def shown(name: str, value: float | None) -> str:
    """A figure as people read it: shares in percent, as many digits as mean something."""
    if value is None:
        return "–"
    if math.isinf(value):
        return NEVER_TEXT
    unit = BY_NAME[name].unit
    if unit == "share":
        return f"{100 * value:.2f} %" if value < 0.01 or value > 0.99 else f"{100 * value:.1f} %"
    if unit in ("MB", "frames"):
        return f"{value:.0f}"
    return f"{value:.3f}" if unit in ("", "tiles") else f"{value:.2f}"


def tables(summary: dict[str, Any]) -> RenderableType:
    """A glance by tier, then every figure of all clips together."""
    glance = Table(title="By tier", title_justify="left", box=SIMPLE_HEAD)
    glance.add_column("tier", no_wrap=True)
    for name in GLANCE:
        glance.add_column(name.replace("_", "\n"), justify="right")
    rows = {**summary["tiers"], "all": summary["all"]}
    for tier, table in rows.items():
        glance.add_row(tier, *(shown(name, table[name]) for name in GLANCE))
    return Group(glance, _everything(summary))


def _everything(summary: dict[str, Any]) -> Table:
    count = len(summary["clips"])
    title = f"All figures, {count} clips"
    table = Table(title=title, title_justify="left", show_header=False, box=None)
    for figure in FIGURES:
        value = shown(figure.name, summary["all"][figure.name])
        unit = "" if figure.unit == "share" else figure.unit
        table.add_row(figure.group, figure.name, value, unit)
    return table
