"""Settings: a flag wins over the environment, that over the profile, that over the default."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

import platformdirs
import tomlkit

from ar_assist.errors import UserError, writing

ENVIRONMENT = "AR_ASSIST_"  # AR_ASSIST_SIZE=1280x720 is `size`
FILES = "calibration", "light"  # settings that name one
FOLDER_VARIABLE = "AR_ASSIST_CONFIG"  # another folder for the profiles
DEFAULT_PROFILE = "default"  # read without being asked for, if it is there
FASTEST = 1000  # frames/s; no camera for a desk gives more
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Settings:
    """What a profile can hold. Every field has a flag of the same name."""

    source: str = "0"  # camera index, device, file, folder, URL or scene:…
    size: str = ""  # WIDTHxHEIGHT asked of the camera; "": the program's own wish
    fps: float = 0.0  # frames/s asked of the camera; 0: as it likes
    backend: str = ""  # OpenCV's camera backend
    calibration: str = ""  # the camera's file, made by `ar-assist calibrate`
    light: str = ""  # the watched screen's file, made by `ar-assist calibrate --light`
    game: str = "auto"
    gravity: str = "auto"  # how link tiles slide
    strength: int = 5  # of Othello's search, 1 to 10
    side: str = "auto"  # to move in Othello: black, white, or told from the game seen so far
    both: bool = False  # mark both sides' legal moves in Othello
    flips: bool = False  # mark the discs that the best move turns over
    whole: bool = False  # show all cells of a nonogram that are certain, not those of one line
    turn: int = 0  # quarter turns, clockwise, that the reading is turned by
    mirror: bool = False  # the camera shows the board mirrored
    scale: float = 1.0  # of letters and lines
    speak: bool = False  # hints are spoken

    def __post_init__(self) -> None:
        if self.size:
            self.size_wh  # noqa: B018 - a wrong size is said at once
        if not 0 <= self.fps <= FASTEST:
            raise UserError(f"fps: 0 (as the camera likes) to {FASTEST}, got {self.fps}")
        if not 1 <= self.strength <= 10:
            raise UserError(f"strength: 1 to 10, got {self.strength}")
        if self.side not in ("auto", "black", "white"):
            raise UserError(f"side: auto, black or white; got '{self.side}'")
        if not 0.3 <= self.scale <= 10:
            raise UserError(f"scale: 0.3 to 10, got {self.scale}")

    @property
    def size_wh(self) -> tuple[int, int] | None:
        """The wanted size in px."""
        if not self.size:
            return None
        width, _, height = self.size.lower().partition("x")
        if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
            raise UserError(f"size: WIDTHxHEIGHT such as 1280x720, got '{self.size}'")
        return int(width), int(height)


@dataclass(frozen=True)
class Gathered:
    """Settings and where each of them comes from."""

    settings: Settings
    origin: dict[str, str]  # by field: "flag", "environment", "profile NAME", "default"


def gather(
    flags: Mapping[str, Any], profile: str = "", environ: Mapping[str, str] = os.environ
) -> Gathered:
    """Settings from all places; flags that are None were not given."""
    kept = read_profile(profile)
    for name, value in kept.items():
        if not isinstance(value, dict):  # tables are other programs' and other versions' business
            _kind(name, f"profile {profile or DEFAULT_PROFILE}")
    values, origin = {}, {}
    for field in fields(Settings):
        name, variable = field.name, ENVIRONMENT + field.name.upper()
        if flags.get(name) is not None:
            values[name], origin[name] = flags[name], "flag"
        elif variable in environ:
            values[name] = _converted(name, environ[variable], variable)
            origin[name] = "environment"
        elif name in kept:
            where = f"profile {profile or DEFAULT_PROFILE}"
            values[name] = _converted(name, kept[name], where)
            origin[name] = where
        else:
            origin[name] = "default"
    return Gathered(Settings(**values), origin)


def profile_path(name: str) -> Path:
    """Where a profile is kept: a TOML file in the platform's config folder."""
    if not name or not name.replace("-", "").replace("_", "").isalnum():
        raise UserError(f"profile names are letters, digits, - and _, got '{name}'")
    folder = os.environ.get(FOLDER_VARIABLE) or platformdirs.user_config_dir("ar-assist", False)
    return Path(folder) / f"{name}.toml"


def read_profile(name: str = "") -> dict[str, Any]:
    """A profile's settings; without a name those of the default profile, if there is one."""
    path = profile_path(name or DEFAULT_PROFILE)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not name:
            return {}
        raise UserError(f"no profile '{name}' ({path}); `ar-assist config set` makes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: can't be read ({error})") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: {error}") from None


def parsed(changes: Mapping[str, Any]) -> Settings:
    """Settings of which some are given, may be as text; UserError says what is wrong."""
    return Settings(**{key: _converted(key, value, key) for key, value in changes.items()})


def save_profile(name: str, changes: Mapping[str, Any]) -> Path:
    """Put settings into a profile and keep what else it holds, comments too; returns its file."""
    path = profile_path(name)
    page = tomlkit.document()
    if path.exists():
        read_profile(name)  # says what is wrong with it
        page = tomlkit.parse(path.read_text(encoding="utf-8"))
    settings = parsed(changes)  # says what is wrong before it is written
    page.update({key: getattr(settings, key) for key in changes})
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path.resolve(), page.as_string())
    return path


def _replace(path: Path, text: str) -> None:
    """Write a file for this user alone, for it may hold a password; on a full disk it stays."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    os.close(handle)
    new = Path(name)
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError:
        new.unlink()
        raise


def _converted(name: str, value: Any, where: str) -> Any:
    """A value as the field's type; text comes from the environment and the command line."""
    kind = _kind(name, where)
    if kind is bool:
        if str(value).lower() in ("1", "true", "yes", "on"):
            return True
        if str(value).lower() in ("0", "false", "no", "off", ""):
            return False
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            converted = kind(value)
            if str in (kind, type(value)) or converted == value:  # 1.5 is no whole number
                return converted
        except (ValueError, OverflowError):
            pass
    raise UserError(f"{where}: {name} is {KINDS[kind]}, got '{value}'")


def _kind(name: str, where: str) -> type:
    """The type of the field of this name."""
    hints: dict[str, type] = get_type_hints(Settings)
    if name not in hints:
        raise UserError(f"{where}: no setting '{name}'; there are {', '.join(hints)}")
    return hints[name]
