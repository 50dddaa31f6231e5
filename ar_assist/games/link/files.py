"""Link boards from and to files: rows of text, JSON, or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ar_assist.games.link.board import LinkBoard, Rules, parse_level, shown


def load_boards(text: str, lines: bool) -> Iterator[tuple[LinkBoard, Rules]]:
    """All boards of a file's text, one a line if `lines`; ValueError says what is wrong."""
    if not lines:
        yield _load(text)
        return
    if not text.strip():
        raise ValueError("no board in it")
    for number, line in enumerate(text.split("\n"), 1):  # JSON strings may hold other line ends
        if line.strip():
            try:
                yield _load(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error


def _load(text: str) -> tuple[LinkBoard, Rules]:
    """One board, in JSON or as rows of text."""
    if text.lstrip().startswith(("{", "[", '"')):
        try:
            return _from_json(json.loads(text))
        except RecursionError:
            raise ValueError("no board: lists within lists without end") from None
        except json.JSONDecodeError as error:
            more = "; boards one a line are a .jsonl" if error.msg == "Extra data" else ""
            raise ValueError(f"no JSON: {error}{more}") from None
    return parse_level(text)


def _from_json(data: Any) -> tuple[LinkBoard, Rules]:
    """A list of rows, the notation as a string, or an object that has `cells` (or a `board`)."""
    if isinstance(data, str):
        return parse_level(data)
    rules = Rules()
    if isinstance(data, dict):
        inner = data.get("board") or {}
        data = data | (inner if isinstance(inner, dict) else {"cells": inner})
        rules = _rules(data)
        data = data.get("cells")
    if not isinstance(data, list) or not all(isinstance(row, list) for row in data):
        raise ValueError("no board: rows of whole numbers are wanted, as a list or under 'cells'")
    for cell in (cell for row in data for cell in row):
        if not isinstance(cell, int) or isinstance(cell, bool) or cell < -2:
            wanted = "a whole number, 0 empty, -1 stone, -2 hole"
            raise ValueError(f"{shown(cell)} is no cell: {wanted}")
    return LinkBoard(tuple(tuple(row) for row in data)), rules


def _rules(data: dict[str, Any]) -> Rules:
    """Rules beside a board; what is not said, or null, stays as usual."""
    said = {key: data[key] for key in ("gravity", "outside") if data.get(key) is not None}
    if not isinstance(said.get("gravity", ""), str):
        raise ValueError(f"'gravity' is {said['gravity']!r}: a name is wanted, as in \"down\"")
    if not isinstance(said.get("outside", True), bool):
        raise ValueError(f"'outside' is {said['outside']!r}: true or false is wanted")
    return Rules(**said, same=_groups([] if data.get("same") is None else data["same"]))


def _groups(data: Any) -> tuple[tuple[int, ...], ...]:
    """Kinds that match each other, in lists."""
    if not isinstance(data, list) or not all(isinstance(group, list) for group in data):
        raise ValueError(f"'same' is {data!r}: lists of kinds are wanted, as in [[35, 36]]")
    for kind in (kind for group in data for kind in group):
        if not isinstance(kind, int) or isinstance(kind, bool):
            raise ValueError(f"{kind!r} under 'same' is no kind: a whole number above 0")
    return tuple(map(tuple, data))


def to_json(board: LinkBoard, rules: Rules) -> dict[str, Any]:
    """What load_boards takes."""
    extra: dict[str, Any] = {"same": [list(group) for group in rules.same]} if rules.same else {}
    return {
        "cells": [list(row) for row in board.cells],
        "gravity": rules.gravity,
        "outside": rules.outside,
        **extra,
    }
