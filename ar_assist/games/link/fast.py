"""The searches compiled: the same source, loaded once more with every function jitted by numba.

So both give the same answers by construction. Needs the extra `fast`; the first compilation takes
some ten seconds, later starts read numba's cache.
"""

from __future__ import annotations

import importlib.util
from types import FunctionType, ModuleType

import numba
import numpy as np


@numba.njit
def ints(size):  # type: ignore[no-untyped-def]
    """An array of zeros."""
    return np.zeros(size, np.int64)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


def compiled(name: str) -> ModuleType:
    """A copy of a module of plain functions in which all of them are jitted."""
    spec = importlib.util.find_spec(name)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for key, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__globals__ is vars(module):
            setattr(module, key, ints if key == "ints" else numba.njit(cache=True)(value))
    return module
