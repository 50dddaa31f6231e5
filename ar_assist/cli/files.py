"""Files that several verbs write."""

from __future__ import annotations

from pathlib import Path

import cv2

from ar_assist.errors import writing
from ar_assist.types import Image


def make_folder(path: Path) -> None:
    """The folder and those on its way, if they are not there; UserError where that can't be."""
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)


def write_png(path: Path, image: Image) -> None:
    """Write a picture into a folder that is there; UserError where that can't be."""
    with writing(path):
        # Not imwrite: it doesn't say what is wrong.
        path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
