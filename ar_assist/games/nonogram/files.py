"""Puzzle files: NON, NIN, CWD and JSON. Errors name the line.

NON (Steve Simpson's): lines `rows` and `columns`, each followed by a clue a line, numbers joined
by commas, and properties such as `title`. NIN: `columns rows`, then the row clues and the column
clues, numbers joined by blanks. CWD: the row clues, a line `#`, the column clues; blanks too. In
all of them 0 is an empty line.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Callable, Sequence
from pathlib import Path

from ar_assist.games.nonogram.board import Clue, NonogramBoard, check_size, known, puzzle, room

Found = list[tuple[int, Clue]]  # clues, each with the number of its line in the file

PROPERTY = re.compile(r"[A-Za-z]\w*(\s|$)")  # title "Heart": whatever the word, as NON wants it
MAX_DIGITS = 9  # of a number: more than any side, and too few for int() to refuse
ANNOUNCED = {"width": "columns", "height": "rows", "columns": "columns", "rows": "rows"}


def read_puzzle(path: Path, text: str) -> NonogramBoard:
    """The puzzle in a file's text, by its ending; ValueError says where it is wrong."""
    try:
        parse = _READERS[path.suffix.lower()]
    except KeyError:
        raise ValueError(f"{path}: unknown ending, use {', '.join(_READERS)}") from None
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def write_puzzle(board: NonogramBoard, ending: str) -> str:
    """The text of a puzzle file with this ending (`.non` …); ValueError for an unknown one."""
    try:
        write = _WRITERS[ending.lower()]
    except KeyError:
        raise ValueError(f"unknown ending {ending!r}, use {', '.join(ENDINGS)}") from None
    return write(known(board.row_clues), known(board.col_clues))


def _clue(line: str, number: int, separator: str | None = None) -> Clue:
    if not line.strip():
        return ()
    words = [word.strip() for word in line.split(separator)]
    if not all(word.isdecimal() and len(word) <= MAX_DIGITS for word in words):
        raise ValueError(f"line {number}: {reprlib.repr(line.strip())} is no clue")
    try:
        return _blocks([int(word) for word in words])
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None


def _blocks(numbers: Sequence[int]) -> Clue:
    """The clue; zeros at its ends are none of its blocks, for some programs pad clues."""
    held = [place for place, number in enumerate(numbers) if number]
    blocks = tuple(numbers[held[0] : held[-1] + 1]) if held else ()
    if 0 in blocks:
        raise ValueError(f"a 0 between blocks: {reprlib.repr(list(blocks))}")
    return blocks


def _puzzle(rows: Found, cols: Found) -> NonogramBoard:
    """The puzzle with these clues; ValueError names the line of one that has no room."""
    for clues, length in ((rows, len(cols)), (cols, len(rows))):
        for number, clue in clues:
            if room(clue) > length:
                raise ValueError(
                    f"line {number}: {list(clue)} needs {room(clue)} of {length} cells"
                )
    return puzzle([clue for _, clue in rows], [clue for _, clue in cols])


def _read_non(text: str) -> NonogramBoard:
    sections: dict[str, list[tuple[int, str]]] = {"rows": [], "columns": []}
    announced: dict[str, tuple[int, str]] = {}  # section: line, how many clues
    section: list[tuple[int, str]] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        if word in sections and not rest:
            if sections[word]:
                raise ValueError(f"line {number}: the section '{word}' once more")
            section = sections[word]
        elif PROPERTY.match(word):
            section = None
            if word in ANNOUNCED:
                announced[ANNOUNCED[word]] = number, rest.strip()
        elif section is not None and not word.startswith("#"):
            section.append((number, line))
        elif word and not word.startswith("#"):
            raise ValueError(f"line {number}: {line.strip()!r} before 'rows' or 'columns'")
    rows, cols = (_clues_of_non(name, sections[name], announced.get(name)) for name in sections)
    return _puzzle(rows, cols)


def _clues_of_non(
    name: str, section: Sequence[tuple[int, str]], announced: tuple[int, str] | None
) -> Found:
    """The clues of a section. Empty lines between are none, unless so many clues are announced."""
    given = [place for place, (_, line) in enumerate(section) if line.strip()]
    if not given:
        raise ValueError(f"the section '{name}' is missing or empty")
    end = given[-1] + 1  # what is empty from here on parts this section from the next
    if announced is None and end - given[0] > len(given):
        empty = next(line for line, clue in section[given[0] :] if not clue.strip())
        raise ValueError(
            f"line {empty}: empty among the {name}: write 0, or how many {name} there are"
        )
    if announced is None or announced[1] == str(len(given)):
        return [(section[i][0], _clue(section[i][1], section[i][0], ",")) for i in given]
    count = int(announced[1]) if announced[1].isdecimal() else 0
    if not end <= count <= max(end, len(section) - 1):
        raise ValueError(
            f"line {announced[0]}: {announced[1]} {name} announced, {len(given)} found"
        )
    return [(number, _clue(line, number, ",")) for number, line in section[:count]]


def _read_nin(text: str) -> NonogramBoard:
    lines = text.splitlines()
    try:
        cols, rows = (int(part) for part in lines[0].split())
    except (ValueError, IndexError):
        raise ValueError("line 1: a NIN file begins with 'columns rows'") from None
    check_size(rows, cols)
    body, beyond = lines[1 : 1 + rows + cols], lines[1 + rows + cols :]
    if len(body) < rows + cols:
        raise ValueError(f"line {len(lines)}: {rows + cols} clues announced, {len(body)} found")
    for number, line in enumerate(beyond, 2 + len(body)):
        if line.strip():
            raise ValueError(
                f"line {number}: {line.strip()!r} after the {len(body)} clues announced"
            )
    clues = [(number, _clue(line, number)) for number, line in enumerate(body, 2)]
    return _puzzle(clues[:rows], clues[rows:])


def _read_cwd(text: str) -> NonogramBoard:
    rows: Found = []
    cols: Found = []
    section = rows
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() == "#":
            if section is cols:
                raise ValueError(f"line {number}: a second '#'")
            section = cols
        elif line.strip():
            section.append((number, _clue(line, number)))
    if section is rows:
        raise ValueError("no line '#' between row and column clues")
    return _puzzle(rows, cols)


def _read_json(text: str) -> NonogramBoard:
    try:
        stored = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise ValueError("too many brackets within each other") from None
    except ValueError:  # of int()
        raise ValueError("a number of too many digits") from None
    if not isinstance(stored, dict) or not {"rows", "columns"} <= stored.keys():
        raise ValueError('use {"rows": [[1, 2], …], "columns": [[3], …]}')
    for name in ("rows", "columns"):
        if not isinstance(stored[name], list):
            raise ValueError(f'"{name}" is no list of clues')
        for number, clue in enumerate(stored[name], 1):
            if not isinstance(clue, list) or not all(type(block) is int for block in clue):
                raise ValueError(
                    f'"{name}", clue {number}: {json.dumps(clue)} is no list of numbers'
                )
    return puzzle(*([_blocks(clue) for clue in stored[name]] for name in ("rows", "columns")))


def _write_non(rows: Sequence[Clue], cols: Sequence[Clue]) -> str:
    parts = [f"width {len(cols)}", f"height {len(rows)}", ""]
    for name, clues in (("rows", rows), ("columns", cols)):
        parts += [name, *(_joined(clue, ",") for clue in clues), ""]
    return "\n".join(parts)


def _write_nin(rows: Sequence[Clue], cols: Sequence[Clue]) -> str:
    lines = [f"{len(cols)} {len(rows)}", *(_joined(clue, " ") for clue in (*rows, *cols))]
    return "\n".join(lines) + "\n"


def _write_cwd(rows: Sequence[Clue], cols: Sequence[Clue]) -> str:
    lines = [*(_joined(c, " ") for c in rows), "#", *(_joined(c, " ") for c in cols)]
    return "\n".join(lines) + "\n"


def _write_json(rows: Sequence[Clue], cols: Sequence[Clue]) -> str:
    return json.dumps({"rows": list(rows), "columns": list(cols)}) + "\n"


def _joined(clue: Clue, separator: str) -> str:
    return separator.join(map(str, clue or (0,)))


_READERS: dict[str, Callable[[str], NonogramBoard]] = {
    ".non": _read_non,
    ".nin": _read_nin,
    ".cwd": _read_cwd,
    ".json": _read_json,
}
_WRITERS: dict[str, Callable[[Sequence[Clue], Sequence[Clue]], str]] = {
    ".non": _write_non,
    ".nin": _write_nin,
    ".cwd": _write_cwd,
    ".json": _write_json,
}
ENDINGS = tuple(_WRITERS)
