"""Functions on their way to other processes: their code, their source, and the values of the names that they use.

Ordinary pickles hold a function's name only, so that lambdas, and functions of a notebook, do not arrive. What is compiled from source needs that source as well, which
is not where the function arrives.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import inspect
import marshal
import sys
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

#: The source of functions that came from elsewhere: lines, and the number of the first one.
_sources: dict[CodeType, tuple[list[str], int]] = {}

#: Code goes only between interpreters that have one form of it.
_FORM = (sys.implementation.cache_tag, marshal.version)


def source_lines(code: CodeType) -> tuple[list[str], int]:
    """The lines of a function's source, and the number of the first one; an `OSError` if nobody has them."""
    return _sources.get(code) or inspect.getsourcelines(code)


def found_by_name(decorated: Any, function: Any) -> bool:
    """True if a decorated function is found by its name in any process that imports its module."""
    module = getattr(function, "__module__", None)
    found: Any = sys.modules.get(module or "")
    for part in getattr(function, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found is decorated and module != "__main__"


def packed(function: FunctionType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What `unpacked` makes the function from, and what `filled` adds, in which the function itself may occur."""
    code = function.__code__
    try:
        source: tuple[list[str], int] | None = source_lines(code)
    except (OSError, TypeError):
        source = None
    made = (_FORM, marshal.dumps(code), function.__name__, function.__qualname__, function.__module__, source)
    names = {name: _Module.of(function.__globals__[name]) for name in _globals(code) if name in function.__globals__}
    cells = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            cells[name] = _Module.of(cell.cell_contents)
        except ValueError:
            pass  # It has no value yet.
    return made, {"names": names, "cells": cells, "defaults": function.__defaults__, "words": function.__kwdefaults__}


def unpacked(form: Any, code: bytes, name: str, qualname: str, module: str, source: tuple[list[str], int] | None) -> FunctionType:
    """A function whose names have no values yet."""
    if form != _FORM:
        raise ValueError(f"`{qualname}` was pickled by {form[0]}, and this is {_FORM[0]}: both sides need one version of Python")
    own: CodeType = marshal.loads(code)
    if source is not None:
        _sources[own] = source
    names = {"__builtins__": builtins, "__name__": module}
    function = FunctionType(own, names, name, None, tuple(CellType() for _ in own.co_freevars))
    function.__qualname__, function.__module__ = qualname, module
    return function


def filled(function: FunctionType, state: dict[str, Any]) -> None:
    """Gives the names of a function their values."""
    function.__globals__.update({name: _Module.back(value) for name, value in state["names"].items()})
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name in state["cells"]:
            cell.cell_contents = _Module.back(state["cells"][name])
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["words"]


def _globals(code: CodeType) -> set[str]:
    """The global names that a function and those inside of it use."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


class _Module:
    """A module, which is imported where it arrives."""

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def of(value: Any) -> Any:
        return _Module(value.__name__) if isinstance(value, ModuleType) else value

    @staticmethod
    def back(value: Any) -> Any:
        return importlib.import_module(value.name) if isinstance(value, _Module) else value
