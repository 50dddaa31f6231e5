"""Hints in words, and a voice that is a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ar_assist import speech
from ar_assist.speech import Voice, in_words


def test_hints_in_words() -> None:
    assert in_words({"a": [2, 4], "b": [6, 4], "path": []}) == "row 3 column 5, row 7 column 5"
    assert in_words({"moves": [[0, 0]], "best": [0, 7]}) == "row 1 column 8"
    line = {"line": 3, "cells": [[3, c, 1 if c else -1] for c in range(6)]}
    assert in_words(line).startswith("row 4 column 1 empty, row 4 column 2 full")
    assert in_words(line).endswith("and 2 more")


def test_each_hint_is_spoken_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    script = tmp_path / "voice"
    script.write_text(f'#!/bin/sh\necho "$1" >> {said}\n')
    script.chmod(0o755)
    monkeypatch.setattr(speech, "VOICES", ((str(script),),))
    voice = Voice()
    hints: list[dict[str, Any]] = [{"best": [0, c]} for c in (0, 0, 0, 1, 1)]
    for hint in hints:
        voice.hint(hint)
        assert voice._speaking is not None
        voice._speaking.wait()
    voice.close()
    assert said.read_text().splitlines() == ["row 1 column 1", "row 1 column 2"]


def test_no_voice_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "VOICES", ())
    monkeypatch.setattr(speech.shutil, "which", lambda _: None)
    voice = Voice()
    assert not voice.is_there
    voice.hint({"best": [0, 0]})
    voice.close()
