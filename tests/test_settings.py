"""Where settings come from, and profiles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smalldisk import small_disk

from ar_assist.errors import UserError
from ar_assist.settings import (
    Settings,
    gather,
    profile_path,
    read_profile,
    save_profile,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AR_ASSIST_CONFIG", str(tmp_path))
    return tmp_path


def test_flag_beats_environment_beats_profile_beats_default() -> None:
    save_profile("desk", {"size": "640x480", "fps": "15", "scale": "2", "mirror": "yes"})
    environ = {"AR_ASSIST_FPS": "25", "AR_ASSIST_SCALE": "1.5"}
    found = gather({"scale": 3.0, "fps": None}, "desk", environ)
    settings = found.settings
    assert (settings.scale, settings.fps, settings.size) == (3.0, 25.0, "640x480")
    assert settings.mirror is True
    assert settings.game == "auto"
    assert [found.origin[k] for k in ("scale", "fps", "size", "game")] == [
        "flag",
        "environment",
        "profile desk",
        "default",
    ]


def test_default_profile_is_read_unasked() -> None:
    assert gather({}, environ={}).settings == Settings()
    save_profile("default", {"source": "1"})
    assert gather({}, environ={}).settings.source == "1"


def test_saving_keeps_the_rest(folder: Path) -> None:
    by_hand = '# my desk\nsize = "640x480"  # as before\n{}\n[screen]\nblack = [3, 4.5]\n'
    (folder / "desk.toml").write_text(by_hand.format("fps = 5.0"))
    save_profile("desk", {"fps": "30"})
    assert (folder / "desk.toml").read_text() == by_hand.format("fps = 30.0")
    save_profile("desk", {"scale": "2"})
    kept = {"size": "640x480", "fps": 30.0, "scale": 2.0, "screen": {"black": [3, 4.5]}}
    assert read_profile("desk") == kept
    assert gather({}, "desk", {}).settings.fps == 30


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fps = 'quick'", "fps"),
        ("size = 'big'", "1280x720"),
        ("= 3", "line 1"),
        ("scale = 99", "scale"),
        ("strenght = 3", "no setting 'strenght'"),
        ("strength = 1.5", "whole number"),
        ("strength = true", "whole number"),
        ("source = ['0']", "text"),
        ("fps = -3", "fps: 0"),
        ("fps = nan", "number"),
    ],
)
def test_wrong_profiles_give_one_line(folder: Path, text: str, says: str) -> None:
    (folder / "desk.toml").write_text(text)
    with pytest.raises(UserError, match=says):
        gather({}, "desk", {})


@pytest.mark.parametrize(
    "changes", [{"colour": "red"}, {"fps": "quick"}, {"mirror": "perhaps"}, {"size": "0x10"}]
)
def test_nothing_wrong_is_saved(folder: Path, changes: dict[str, str]) -> None:
    with pytest.raises(UserError):
        save_profile("desk", changes)
    assert not (folder / "desk.toml").exists()


def test_a_full_disk_leaves_a_profile_as_it_is(folder: Path) -> None:
    path = save_profile("desk", {"size": "640x480"})
    with small_disk(5), pytest.raises(UserError, match="can't be written"):
        save_profile("desk", {"fps": "30"})
    assert read_profile("desk") == {"size": "640x480"}
    assert list(folder.iterdir()) == [path], "and nothing beside it"


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_profile_may_hold_a_password_and_is_for_its_user_alone(folder: Path) -> None:
    kept = folder / "kept"
    kept.write_text("")
    (folder / "desk.toml").symlink_to(kept)
    save_profile("desk", {"source": "rtsp://me:s3cret@host/x"})
    assert "s3cret" in kept.read_text(), "a link stays one"
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", "../evil", "a b", "a/b"])
def test_profile_names(name: str) -> None:
    with pytest.raises(UserError):
        profile_path(name)


def test_unknown_profile_is_said() -> None:
    with pytest.raises(UserError, match="no profile 'desk'"):
        gather({}, "desk", {})


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans(), st.floats(0.3, 10))
def test_any_value_survives_being_saved(source: str, speak: bool, scale: float) -> None:
    changes = {"source": source, "speak": speak, "scale": scale}
    save_profile("desk", changes)
    assert read_profile("desk") == changes
