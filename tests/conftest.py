"""Fixtures: the shared real pictures (tests skip where the folder is absent)."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real pictures with truth; other people's, so not in the repository."""
    if not DATA.is_dir():
        pytest.skip("the folder of real pictures is not here")
    return DATA
