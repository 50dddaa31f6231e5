"""Fixtures: the shared real pictures (tests skip where the folder is absent), no display."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from toy import ToyGame

from ar_assist import replay

# A shell's background job ignores Ctrl-C, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no fault of what is tested.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.get_closest_marker(name) for name in ("desktop", "programs")):
            item.add_marker("alone")


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


@pytest.fixture
def play(monkeypatch):
    """Run a toy source; its truth is the finder."""

    def views(source, game=None, **delays):
        source.replace_finder(monkeypatch)
        return list(replay.run(source, [game or ToyGame()], **delays))

    return views
