"""`nd.jit`: functions over arrays as programs. The function runs once for each combination of types and shapes; afterwards a call launches what was compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any, Generic, TypeVar

from . import _nestled as _n
from ._carried import filled, found_by_name, packed, unpacked
from ._explained import Explanation
from ._nestled import Array, Nested

F = TypeVar("F", bound=Callable[..., Any])

#: Programs that are kept for a function, one for each combination of arguments that are no arrays.
KEPT = 256

#: The form of an array.
_ARRAY = "array"


class Jit(Generic[F]):
    """A function whose operations on arrays are a program. `python` is the function itself."""

    def __init__(self, function: F) -> None:
        if not callable(function):
            raise TypeError(f"{function!r} is no function")
        self.python: F = function
        self._programs: dict[Any, _n.Program] = {}
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<nd.jit {getattr(self.python, '__qualname__', self.python)}>"

    def __reduce__(self) -> Any:
        """A function of a module is found there again by its name; others go with their code and the values that they use."""
        function: Any = self.python
        if found_by_name(self, function):
            return function.__qualname__
        if not isinstance(function, FunctionType):
            return Jit, (function,)
        made, state = packed(function)
        return _remade, made, state

    def __setstate__(self, state: dict[str, Any]) -> None:
        function: Any = self.python
        filled(function, state)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        program, arrays = self._program(args, kwargs)
        results, form = program.call(arrays)
        return results[0] if form == _ARRAY else _made(form, iter(results))

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """The program for arguments like these: its nodes, its kernels, their code; notebooks show the kernels as a picture."""
        program, arrays = self._program(args, kwargs)
        return Explanation.of(program.explain(arrays))

    def _program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[_n.Program, list[Array]]:
        arrays: list[Array] = []
        form = _form((args, kwargs), arrays)
        try:
            found = self._programs.get(form)
        except TypeError:
            raise TypeError(f"{self!r} takes arrays, and values that can be keys of a dict: {form!r} has another") from None
        if found is None:
            if len(self._programs) >= KEPT:
                self._programs.clear()
            found = self._programs[form] = _n.Program(functools.partial(_traced, self.python, form))
        return found, arrays


def _remade(*made: Any) -> Jit[Any]:
    return Jit(unpacked(*made))


def _traced(function: Callable[..., Any], form: Any, given: list[Array]) -> tuple[list[Array], Any]:
    args, kwargs = _made(form, iter(given))
    results: list[Array] = []
    form = _form(function(*args, **kwargs), results)
    return results, form


def _form(value: Any, arrays: list[Array]) -> Any:
    """The value without its arrays, which are appended to a list."""
    kind = type(value)
    if kind is Array:
        arrays.append(value)
        return _ARRAY
    if kind is tuple or kind is list:
        return (kind, *[_form(part, arrays) for part in value])
    if kind is dict:
        return (kind, tuple(value), *[_form(part, arrays) for part in value.values()])
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return (kind, *[_form(part, arrays) for part in value])
    if isinstance(value, Nested):
        raise TypeError("nd.jit is for arrays: functions over nested data are nd.fn's")
    if hasattr(value, "__array_interface__"):
        from ._creation import asarray

        arrays.append(asarray(value))
        return _ARRAY
    # 0.0 and -0.0 are equal.
    return (None, kind, value, repr(value) if kind is float else None)


def _made(form: Any, arrays: Iterator[Array]) -> Any:
    """The value of a form with these arrays."""
    if form == _ARRAY:
        return next(arrays)
    kind, *parts = form
    if kind is None:
        return parts[1]
    if kind is dict:
        return dict(zip(parts[0], [_made(part, arrays) for part in parts[1:]], strict=True))
    made = [_made(part, arrays) for part in parts]
    return kind(*made) if hasattr(kind, "_make") else kind(made)


def jit(function: F) -> Jit[F]:
    """A function over arrays as a program: it runs once for each combination of types and shapes, with arrays that have no elements yet.

    Arguments and results are arrays, and tuples, lists, dicts of arrays; other arguments are constants, and each value of one has a program of its own.
    """
    return Jit(function)
