"""The searches compiled: the same source, loaded once more with every function jitted by numba.

So both give the same answers by construction. Needs the extra `fast`; the first compilation takes
some ten seconds, later starts read numba's cache.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any, cast

import numba
import numpy as np

from ar_assist.games.link.board import LinkBoard, Rules
from ar_assist.games.link.puzzle import Engine, Ints, puzzle

PARTS = (
    "lanes",
    "pairings",
    "still",
    "positions",
    "playouts",
    "beams",
    "sliding",
)  # modules of plain functions, used before their users


@numba.njit
def ints(size):  # type: ignore[no-untyped-def]
    """An array of zeros, in place of the plain list."""
    return np.zeros(size, np.int64)


def array(values: Sequence[int]) -> Ints:
    """An int64 array; to the type checker it is the list that it stands for."""
    return cast(Ints, np.array(values, np.int64))


def engine() -> Engine:
    """The compiled searches, compiled: each has solved a board of one pair."""
    parts = compiled()
    found = Engine(parts["still"].search, parts["sliding"].search, array)
    smallest = puzzle(LinkBoard(((1, 1),)), Rules(), array)
    found.still(smallest, 1000, 1)
    found.sliding(smallest, 1000, 1)
    return found


def compiled() -> dict[str, ModuleType]:
    """Copies of the parts in which every function is jitted, by name."""
    jitted: dict[str, Any] = {}
    return {part: _copy(f"{__package__}.{part}", jitted) for part in PARTS}


def _copy(name: str, jitted: dict[str, Any]) -> ModuleType:
    """Load a module anew; its own functions and those of earlier parts are the jitted ones."""
    spec = importlib.util.find_spec(name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for key, value in vars(module).items():
        if isinstance(value, FunctionType):
            if value.__globals__ is vars(module):
                options: dict[str, Any] = {"cache": True, "_nrt": _allocates(value, jitted)}
                jitted[key] = numba.njit(**options)(value)
            setattr(module, key, ints if key == "ints" else jitted.get(key, value))
    return module


def _allocates(function: FunctionType, jitted: dict[str, Any]) -> bool:
    """Whether a function makes arrays (slices may be copied), itself or by those that it calls.

    One that doesn't need not count the references to those it is given, a third of the time.
    """
    names = function.__code__.co_names
    tree = ast.parse(inspect.getsource(function))
    slices = any(isinstance(node, ast.Slice) for node in ast.walk(tree))
    calls = [jitted[name].targetoptions for name in names if name in jitted]
    return slices or "ints" in names or any(options["_nrt"] for options in calls)
