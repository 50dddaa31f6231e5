"""Errors meant for the user: one clear line, and the exit code that the command line gives."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UserError(Exception):
    """Wrong usage or bad input; the message says what to do. Exit code 2."""

    exit_code = 2


class SourceError(UserError):
    """A camera, stream, clip or picture that isn't there or can't be read. Exit code 3."""

    exit_code = 3


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Where a file or folder is written: what the system refuses becomes a UserError with why."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: can't be written ({error.strerror or error})") from None


def where(error: BaseException) -> str:
    """`file line N`: where it was raised; in another process, as noted there."""
    noted = getattr(error, "__notes__", None)
    if noted:
        return str(noted[-1])
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(place.filename).name} line {place.lineno}"
