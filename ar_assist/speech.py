"""Saying hints through the system's voice, where there is one."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

VOICES = (  # the first that is installed speaks; the text is the last argument
    ("say",),
    ("spd-say", "--wait"),
    ("espeak-ng",),
    ("espeak",),
)
WINDOWS_VOICE = (
    "Add-Type -AssemblyName System.Speech; "
    "(New-Object System.Speech.Synthesis.SpeechSynthesizer).Speak($args[0])"
)
CELLS_SPOKEN = 4  # of a long list; nobody can remember more


class Voice:
    """Speaks each new hint once; a hint that comes while it speaks waits, the newest wins."""

    def __init__(self) -> None:
        self._command = _voice()
        self._said = self._wanted = ""
        self._speaking: subprocess.Popen[bytes] | None = None

    @property
    def is_there(self) -> bool:
        """Whether the system has a voice."""
        return self._command is not None

    def hint(self, hint: dict[str, Any] | None) -> None:
        """Speak the hint if it is another one than before; call it at every frame."""
        if hint is not None:
            self._wanted = in_words(hint)
        if self._command is None or self._wanted == self._said:
            return
        if self._speaking is None or self._speaking.poll() is not None:
            self._speaking = subprocess.Popen(
                [*self._command, self._wanted],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._said = self._wanted

    def close(self) -> None:
        """Stop in the middle of the word."""
        if self._speaking is not None:
            self._speaking.terminate()
            self._speaking.wait()


def _voice() -> tuple[str, ...] | None:
    for command in VOICES:
        if shutil.which(command[0]):
            return command
    if powershell := shutil.which("powershell"):
        return (powershell, "-NoProfile", "-Command", WINDOWS_VOICE)
    return None


def in_words(hint: dict[str, Any]) -> str:
    """The log's hint as a sentence; rows and columns count from 1 as people do."""
    if "a" in hint:
        return f"{_cell(hint['a'])}, {_cell(hint['b'])}"
    if "best" in hint:
        return _cell(hint["best"])
    cells = hint.get("cells", [])
    words = [f"{_cell(cell)} {'full' if cell[2] > 0 else 'empty'}" for cell in cells[:CELLS_SPOKEN]]
    more = len(cells) - CELLS_SPOKEN
    return ", ".join(words) + (f", and {more} more" if more > 0 else "")


def _cell(cell: list[int]) -> str:
    return f"row {cell[0] + 1} column {cell[1] + 1}"
