"""Fixtures: the shared real pictures (tests skip where the folder is absent), no display."""

import os
import signal
from pathlib import Path

import pytest

# A shell's background job ignores Ctrl-C, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real pictures with truth; other people's, so not in the repository."""
    if not DATA.is_dir():
        pytest.skip("the folder of real pictures is not here")
    return DATA


@pytest.fixture
def no_display() -> dict[str, str]:
    """The environment of a machine without a display, for a subprocess."""
    return {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
