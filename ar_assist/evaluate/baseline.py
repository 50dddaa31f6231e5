"""Compare an evaluation with an earlier one of the same clips."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ar_assist.errors import UserError
from ar_assist.evaluate import report
from ar_assist.evaluate.figures import FIGURES, Figure
from ar_assist.evaluate.report import shown

ROUNDING = 1e-6  # files hold six digits
NOISE_FACTOR = 2.0  # the spread of a few repeats tells less than the whole of the noise


@dataclass(frozen=True)
class Difference:
    """A figure that is not what it was."""

    tier: str
    figure: Figure
    before: float | None
    now: float | None
    worse: bool  # beyond the noise


def load(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """An earlier summary; UserError if it is none, lacks what a comparison needs, or was `asked`
    for with other options than these."""
    try:
        before = report.load(path)
        compare(before, before)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"the baseline {path} is broken: {error!r}") from None
    if (then := before.get("asked", asked)) != asked:
        options = " ".join(f"--{name} {value}" for name, value in then.items())
        raise UserError(f"the baseline {path} was made with {options}: compare with the same")
    return before


def compare(before: dict[str, Any], now: dict[str, Any]) -> list[Difference]:
    """All differences, tier by tier; UserError if no tier has the same clips in both.

    All else follows from the clip, but costs hang on what the machine does besides: they are told
    on like machines, and are worse only where repeats of both show how far they vary.
    """
    apart = not_compared(before, now)
    same = [tier for tier in _tiers(now) if tier not in apart]
    if not same:
        raise UserError("the baseline is of other clips: there is no tier with the same in both")
    return [difference for tier in same for difference in _differences(before, now, tier)]


def not_compared(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The tiers that have not the same clips in both, of which nothing can be said."""
    tiers = dict.fromkeys([*_tiers(before), *_tiers(now)])
    return [tier for tier in tiers if _clips(before, tier) != _clips(now, tier)]


def _tiers(summary: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(clip["tier"] for clip in summary["clips"]))


def _clips(summary: dict[str, Any], tier: str) -> list[str]:
    return sorted(clip["name"] for clip in summary["clips"] if clip["tier"] == tier)


def _differences(before: dict[str, Any], now: dict[str, Any], tier: str) -> Iterator[Difference]:
    like_machines = before["machine"] == now["machine"]
    repeated = all("noise" in side for side in (before, now))
    for figure in FIGURES:
        if figure.group == "cost" and not like_machines:
            continue
        old, new = before["tiers"][tier].get(figure.name), now["tiers"][tier][figure.name]
        if not _is_same(old, new):
            margin = max(figure.slack, *(_noise(side, tier, figure.name) for side in (before, now)))
            counts = repeated or figure.group != "cost"
            worse = counts and _is_worse(figure, old, new, margin)
            yield Difference(tier, figure, old, new, worse)


def _is_same(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return old == new or abs(old - new) <= ROUNDING  # "never" is infinity, which is itself


def _noise(summary: dict[str, Any], tier: str, name: str) -> float:
    noise = summary.get("noise", {}).get(tier, {}).get(name, 0.0)
    return NOISE_FACTOR * float(noise)


def _is_worse(figure: Figure, old: float | None, new: float | None, margin: float) -> bool:
    """Whether the loss is larger than the margin. A figure that is new or gone is no loss."""
    if old is None or new is None:
        return False
    if math.isinf(old) or math.isinf(new):
        return math.isinf(new)
    return figure.better * (old - new) > margin + ROUNDING


def table(differences: list[Difference]) -> Table:
    """The differences for the terminal, regressions marked."""
    title = "Against the baseline" if differences else "Against the baseline: nothing differs"
    view = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for column in ("tier", "figure", "before", "now", ""):
        view.add_column(column)
    for one in differences:
        name = one.figure.name
        mark = "worse" if one.worse else "within noise or better"
        view.add_row(one.tier, name, shown(name, one.before), shown(name, one.now), mark)
    return view
