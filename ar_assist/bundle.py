"""The bug bundle: what somebody else needs to see a live fault again, in one zip."""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cv2

from ar_assist.runlog import record
from ar_assist.settings import FILES
from ar_assist.types import View

KEPT_S = 4.0  # of views, where they come so often
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
    """Write the zip; returns a line that says what is in it.

    The files of camera and light that `settings` names go in too: the frames are raw.
    """
    lines = [json.dumps(record(view)) + "\n" for view in views]
    files = dict(_files(settings))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for view in views:
            png = cv2.imencode(".png", view.frame.raw, _QUICKLY)[1].tobytes()
            name = f"frames/{view.frame.index:06d}.png"
            bundle.writestr(name, png, zipfile.ZIP_STORED)
        for name, data in files.items():
            bundle.writestr(f"{name}.json", data)
        bundle.writestr("log.jsonl", "".join(lines))
        bundle.writestr("settings.json", json.dumps(dict(settings), indent=1))
        bundle.writestr("versions.json", json.dumps(versions(), indent=1))
    seconds = views[-1].frame.time - views[0].frame.time if views else 0.0
    contents = ", ".join([*files, "log", "settings", "versions"])
    return f"{path.name}: {len(lines)} raw frames of the last {seconds:.0f} s, {contents}"


def _files(settings: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Those that settings name, as far as they are there yet."""
    for name in FILES:
        with suppress(OSError):
            if settings.get(name):
                yield name, Path(settings[name]).read_bytes()
