"""Who may import whom: the rule of docs/architecture.md, read from the source."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

FORBIDDEN = {  # part: prefixes that it may not import
    "ar_assist/types.py": ("ar_assist", "cv2", "scipy", "sklearn"),
    "ar_assist/errors.py": ("ar_assist", "cv2", "numpy"),
    "ar_assist/find": (
        "ar_assist.track",
        "ar_assist.video",
        "ar_assist.overlay",
        "ar_assist.games",
    ),
    "ar_assist/track.py": (
        "ar_assist.find",
        "ar_assist.video",
        "ar_assist.overlay",
        "ar_assist.games",
    ),
    "ar_assist/video": (
        "ar_assist.find",
        "ar_assist.track",
        "ar_assist.overlay",
        "ar_assist.games",
    ),
    "ar_assist/overlay": (
        "ar_assist.find",
        "ar_assist.track",
        "ar_assist.video",
        "ar_assist.games",
    ),
    "ar_assist/assistant.py": ("ar_assist.games.", "ar_assist.cli", "ar_assist.live"),
    "ar_assist/look.py": ("ar_assist.games.", "ar_assist.cli", "ar_assist.live"),
    "ar_assist/games/tiles.py": ("ar_assist.games.",),
    "ar_assist/games/link": (
        "ar_assist.games.othello",
        "ar_assist.games.nonogram",
        "ar_assist.find",
    ),
    "ar_assist/games/othello": (
        "ar_assist.games.link",
        "ar_assist.games.nonogram",
        "ar_assist.find",
    ),
    "ar_assist/games/nonogram": (
        "ar_assist.games.link",
        "ar_assist.games.othello",
        "ar_assist.find",
    ),
    "ar_assist/games/link/board.py": ("cv2", "numpy", "sklearn"),
    "ar_assist/games/othello/board.py": ("cv2", "numpy", "sklearn"),
    "ar_assist/games/nonogram/board.py": ("cv2", "numpy", "sklearn"),
    "calibration": ("ar_assist",),
}


def imported(source: str) -> set[str]:
    """Modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def trespasses(source: str, forbidden: tuple[str, ...]) -> set[str]:
    return {
        name
        for name in imported(source)
        if any(name == f or name.startswith(f if f.endswith(".") else f + ".") for f in forbidden)
    }


@pytest.mark.parametrize("part", FORBIDDEN)
def test_no_part_imports_what_it_may_not_know(part: str) -> None:
    place = ROOT / part
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    assert files, f"{part} is gone: bring the rule up to date"
    wrong = {str(f): t for f in files if (t := trespasses(f.read_text(), FORBIDDEN[part]))}
    assert not wrong


def test_a_planted_import_is_caught() -> None:
    planted = "def f():\n    from ar_assist.find import find\n    return find\n"
    assert trespasses(planted, FORBIDDEN["ar_assist/track.py"])
    assert not trespasses("import numpy as np", FORBIDDEN["ar_assist/track.py"])
