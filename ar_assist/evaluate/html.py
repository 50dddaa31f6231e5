"""The report as one self-contained HTML file: tables, plots, pictures of the worst frames."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from ar_assist.errors import writing
from ar_assist.evaluate.figures import FIGURES, is_clear, reliability
from ar_assist.evaluate.frames import FrameScore
from ar_assist.evaluate.report import shown
from ar_assist.evaluate.run import Result

MOST_PICTURES = 40
PLOT_INCHES = (4.6, 3.0)
# Edges of the bins, and what lies beyond either end goes to the last bin there.
TILE_EDGES = (0, 16, 20, 24, 28, 32, 40, 50, 65, 80, 120)  # px
TILT_EDGES = (0, 10, 20, 30, 40, 50, 60, 70)  # degrees
BLUR_EDGES = (0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 1 / 3)  # tiles; more is not asked to be read


def save(summary: dict[str, Any], results: Sequence[Result], path: Path) -> None:
    """Write the report."""
    template = resources.files(__package__).joinpath("report.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    page = environment.from_string(template).render(
        summary=summary,
        figures=FIGURES,
        shown=shown,
        plots=_plots(results),
        pictures=_worst(results),
    )
    with writing(path):
        path.write_text(page, encoding="utf-8")


def _worst(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The gravest pictures of all clips."""
    every = [picture for result in results for picture in result.pictures]
    gravest = sorted(every, key=lambda picture: -picture.severity)[:MOST_PICTURES]
    return [
        {"picture": picture, "data": base64.b64encode(picture.jpeg).decode()} for picture in gravest
    ]


def _plots(results: Sequence[Result]) -> list[Markup]:
    frames = [frame for result in results for frame in result.score.frames]
    clear = [frame for frame in frames if is_clear(frame)]
    return [
        _exact_plot(clear, lambda frame: frame.tile_px, TILE_EDGES, "tile size (px)"),
        _exact_plot(clear, lambda frame: frame.tilt_deg, TILT_EDGES, "tilt (degrees)"),
        _exact_plot(clear, lambda frame: frame.blur_tiles, BLUR_EDGES, "motion blur (tiles)"),
        _reliability_plot(frames),
    ]


def _exact_plot(
    frames: Sequence[FrameScore],
    of: Callable[[FrameScore], float | None],
    edges: Sequence[float],
    label: str,
) -> Markup:
    """Share of exact boards by a condition; the number of frames stands on each bar."""
    known = [(value, frame.exact) for frame in frames if (value := of(frame)) is not None]
    bins = np.digitize([value for value, _ in known], edges[1:-1])
    exact = np.array([is_exact for _, is_exact in known], bool)
    figure, axes = _axes(label, "share of exact boards")
    for i, (low, high) in enumerate(pairwise(edges)):
        if (count := int((bins == i).sum())) > 0:
            share = float(exact[bins == i].mean())
            axes.bar((low + high) / 2, share, 0.9 * (high - low), color="#4878a8")
            axes.text((low + high) / 2, share, str(count), ha="center", va="bottom", fontsize=7)
    return _svg(figure)


def _reliability_plot(frames: Sequence[FrameScore]) -> Markup:
    """Belief against truth of the hints shown; on the diagonal they agree."""
    figure, axes = _axes("confidence of the hints shown", "share of right hints")
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
    for bar in reliability(frames):
        axes.plot(bar.believed, bar.right, "o", color="#4878a8")
        axes.annotate(str(bar.count), (bar.believed, bar.right), fontsize=7, xytext=(4, -9),
                      textcoords="offset points")  # fmt: skip
    return _svg(figure)


def _axes(x_label: str, y_label: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=PLOT_INCHES, layout="tight")
    axes = figure.add_subplot()
    axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, 1.1))
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> Markup:
    """The drawing as an element of the page."""
    text = io.StringIO()
    figure.savefig(text, format="svg")
    drawn = text.getvalue()
    return Markup(drawn[drawn.index("<svg") :])
