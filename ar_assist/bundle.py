"""The bug bundle: what somebody else needs to see a live fault again, in one zip."""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cv2

from ar_assist.runlog import record
from ar_assist.types import View

KEPT_S = 4.0  # of views
EVERY_S = 0.2  # one view; 20 frames at 720p take 55 MB of memory, corrected ones twice that
_QUICKLY = [cv2.IMWRITE_PNG_COMPRESSION, 1]
PACKAGES = ("ar-assist", "opencv-python", "opencv-python-headless", "numpy", "scipy",
            "scikit-learn", "pillow", "numba", "python-sat")  # fmt: skip


class LastViews:
    """The views of the last seconds, thinned."""

    def __init__(self) -> None:
        self._views: deque[View] = deque(maxlen=round(KEPT_S / EVERY_S))

    def add(self, view: View) -> None:
        """Remember a view if the last one is old enough."""
        if not self._views or abs(view.frame.time - self._views[-1].frame.time) >= EVERY_S:
            self._views.append(view)

    def __iter__(self) -> Iterator[View]:
        return iter(self._views)


def versions() -> dict[str, str]:
    """Versions of everything that a bug report needs."""
    found = {"python": sys.version.split()[0], "system": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def save(path: Path, views: Sequence[View], settings: Mapping[str, Any]) -> str:
    """Write the zip; returns a line that says what is in it."""
    lines = [json.dumps(record(view)) + "\n" for view in views]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for view in views:
            png = cv2.imencode(".png", view.frame.raw, _QUICKLY)[1].tobytes()
            name = f"frames/{view.frame.index:06d}.png"
            bundle.writestr(name, png, zipfile.ZIP_STORED)
        bundle.writestr("log.jsonl", "".join(lines))
        bundle.writestr("settings.json", json.dumps(dict(settings), indent=1))
        bundle.writestr("versions.json", json.dumps(versions(), indent=1))
    return (
        f"{path.name}: {len(lines)} raw frames of the last {KEPT_S:.0f} s, log, settings, versions"
    )
