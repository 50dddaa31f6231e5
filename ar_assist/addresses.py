"""Addresses of streams without what is secret in them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"\w[\w+.-]+:/+[^\s'\"]*[^\s'\":,;.)]")  # in a message, also from a `Path`
_LOGIN = re.compile(r"[^\s:/'\"]+:[^\s'\"]+@")  # where the scheme was forgotten


def safe_name(spec: str | int) -> str:
    """The source's name without user, password and query, for pictures, logs and errors."""
    scheme, mark, address = str(spec).partition("://")
    if not mark:
        return _LOGIN.sub("…@", scheme)
    try:
        parts = urlsplit(f"x://{address}")
    except ValueError:
        return f"{scheme}://…"
    login, _, host = parts.netloc.rpartition("@")
    if "@" in address[len(login) + 1 :]:  # of a password with a slash: no telling where it ends
        return f"{scheme}://…"
    path = "/…" if "=" in parts.path else parts.path  # /user=…&password=…, as some cameras want it
    return f"{scheme}://{host}{path}" + ("?…" if parts.query else "")


def without_credentials(message: str) -> str:
    """A message that may quote what was typed."""
    return _LOGIN.sub("…@", _ADDRESS.sub(lambda found: _shown(found[0]), message))


def _shown(address: str) -> str:
    is_plain = not re.search("[@?=#]", address)
    return address if is_plain else safe_name(re.sub(":/+", "://", address, count=1))
