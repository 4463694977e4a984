"""`nd.fn`: ordinary Python functions over nested lists, compiled to NESL and so to fused parallel kernels.

A compiled function means exactly what its undecorated form means, or is refused with the place and what to write instead.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._carried import filled, found_by_name, packed, unpacked
from .._errors import Fault as NativeFault
from .._nestled import signature
from .current import Current
from .device import as_python, device_type, is_device
from .errors import Fault, FellBack, Overflow, Refused
from .types import BOOL, FLOAT, INT, T, join, list_of, nesl_type, type_of, unknown

if TYPE_CHECKING:
    from .engine import CommandEngine, Engine, NativeEngine, use_engine
    from .program import Compiled
    from .rows import Row

F = TypeVar("F", bound=Callable[..., Any])
CO_VARARGS, CO_VARKEYWORDS = 4, 8  # as in `inspect`, which takes long to read
OVERFLOW = "square root of a negative number"


class Fn(Generic[F]):
    """A function that is compiled for the types of its arguments, once for each combination."""

    def __init__(self, function: F) -> None:
        if not isinstance(function, FunctionType):
            raise Refused(f"`{function!r}` is not a Python function", "decorate a `def` or a lambda")
        self.python: F = function
        self.compiled: dict[tuple[T, ...], Compiled] = {}
        #: The calls that are made at once for arguments of plain types, by their signature, with the engine that it is for.
        self.ready: dict[int, tuple[Callable[[tuple[Any, ...], bool], Any], object, Compiled]] = {}
        code = function.__code__
        plain = not code.co_kwonlyargcount and not code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
        self.count = code.co_argcount if plain else -1
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<nd.fn {self.python.__name__}>"

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all parameters, in their order."""
        if len(args) == self.count and not kwargs:
            return [_plain(v) for v in args]
        import inspect

        given = inspect.signature(self.python).bind(*args, **kwargs)
        given.apply_defaults()
        return [_plain(v) for v in given.arguments.values()]

    def compile(self, types: tuple[T, ...]) -> Compiled:
        """The program for arguments of these types."""
        with _compiling:
            if types not in self.compiled:
                from .program import compile_function

                function: Any = self.python
                self.compiled[types] = compile_function(function, list(types))
            return self.compiled[types]

    def __reduce__(self) -> Any:
        """A function of a module is found there again by its name; others go with their code, their source and the values that they use."""
        function: Any = self.python
        if found_by_name(self, function):
            return function.__qualname__
        made, state = packed(function)
        return _remade, made, state

    def __setstate__(self, state: dict[str, Any]) -> None:
        function: Any = self.python
        filled(function, state)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        code = 0 if kwargs else signature(args)
        ready = self.ready.get(code)
        if ready is None or ready[1] is not Current.engine or not ready[2].is_current():
            return self.slowly(code, args, kwargs)
        try:
            return ready[0](args, True)
        except NativeFault as fault:
            return self.decide(fault, args, kwargs)

    def slowly(self, code: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call, which finds the types of its arguments, and compiles for them if need be."""
        values = self.bound(args, kwargs)
        types = tuple([_type_of_argument(v) for v in values])
        compiled = self.compiled.get(types)
        if compiled is not None and not compiled.is_current():
            self.compiled.clear()
            compiled = None
        if compiled is None:
            compiled = self.compatible(types)
            if compiled is None:
                return self.undecorated(args, kwargs)
        from .engine import engine

        try:
            result = engine().run(compiled, values)
        except Fault as fault:
            return self.decide(fault, args, kwargs, 4)
        if code and len(args) == self.count and compiled.native is not None and all(compiled.plain) and args:
            self.ready[code] = (compiled.native.call, Current.engine, compiled)
        return result

    def compatible(self, types: tuple[T, ...]) -> Compiled | None:
        """The program for these types. Of empty lists nothing is known: what is compiled for some elements will do, and if there is nothing yet, Python."""
        if not any(map(unknown, types)):
            return self.compile(types)
        for known, compiled in self.compiled.items():
            if all(a == b or _joins(a, b) for a, b in zip(types, known)):
                return compiled
        try:
            return self.compile(types)
        except Refused:
            return None

    def undecorated(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call in plain Python."""
        return self.python(*map(_listed, args), **{name: _listed(value) for name, value in kwargs.items()})

    def on_device(self, *args: Any, **kwargs: Any) -> Any:
        """The call, whose lists come back as `nd.Array` and `nd.Nested`, and stay on the device."""
        from .engine import NativeEngine

        values = self.bound(args, kwargs)
        compiled = self.compile(tuple([_type_of_argument(v) for v in values]))
        try:
            return NativeEngine().call(compiled, values, as_python=False)
        except Fault as fault:
            return self.decide(fault, args, kwargs)

    def decide(self, fault: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], level: int = 3) -> Any:
        """After a fault: integers beyond 64 bits are refused; else Python says which exception it is, if any."""
        message = str(fault)
        if OVERFLOW in message:
            name = self.python.__name__
            raise Overflow(f"`{name}`: an integer left 64 bits; Python's would grow, here it is refused") from None
        result = self.undecorated(args, kwargs)
        warnings.warn(f"`{self.python.__name__}` ran as plain Python: {message.splitlines()[0]}", FellBack, stacklevel=level)
        return result

    def types_of(self, *args: Any) -> tuple[T, ...]:
        """The types of example values, or types given as such."""
        return tuple(a if isinstance(a, T) else _type_of_argument(_plain(a)) for a in args)

    def source_nesl(self, *args: Any) -> str:
        """The NESL program for arguments like these; without any, for those of the last call."""
        from .emit import program_text

        return program_text(self._chosen(args))

    def explain(self, *args: Any) -> str:
        """The outcome of compiling: types, the functions of the program, and its text."""
        from .emit import program_text

        compiled = self._chosen(args)
        given = ", ".join(map(str, compiled.arguments))
        lines = [f"{self.python.__name__}: ({given}) -> {compiled.result}"]
        for f in compiled.functions:
            kind = "a loop" if f.comment == "loop" else f.comment
            lines.append(f"  {f.name}: ({', '.join(nesl_type(t) for _, t in f.params)}) -> {nesl_type(f.result)}   {kind}")
        return "\n".join(lines) + "\n\n" + program_text(compiled)

    def _chosen(self, args: tuple[Any, ...]) -> Compiled:
        if args or not self.compiled:
            return self.compile(self.types_of(*args))
        return list(self.compiled.values())[-1]


_compiling = threading.RLock()
def _joins(a: T, b: T) -> bool:
    """True if a value of the one type is one of the other."""
    try:
        return join(a, b) == b
    except Refused:
        return False


_KNOWN: dict[type, T] = {float: FLOAT, bool: BOOL}
_LISTS: dict[type, T] = {int: list_of(INT), float: list_of(FLOAT), bool: list_of(BOOL)}
_LEAST, _MOST = -(2**63), 2**63 - 1


def _type_of_argument(value: Any) -> T:
    """The type of an argument; the commonest kinds without a walk."""
    kind = type(value)
    if kind is int and _LEAST <= value <= _MOST:
        return INT
    if kind is list and value:
        kinds = set(map(type, value))
        if len(kinds) == 1:
            found = _LISTS.get(kinds.pop())
            if found is not None and (found is not _LISTS[int] or (min(value) >= _LEAST and max(value) <= _MOST)):
                return found
    if is_device(value):
        return device_type(value)
    return _KNOWN.get(kind) or type_of(value)


_AS_THEY_ARE = frozenset((int, float, bool, str, list, tuple, dict, set))


def _remade(*made: Any) -> Fn[Any]:
    return Fn(unpacked(*made))


def _listed(value: Any) -> Any:
    """An argument as the undecorated function gets it: arrays and nested data are lists."""
    if is_device(value):
        return as_python(value)
    value = _plain(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _plain(value: Any) -> Any:
    """An argument as nested values; NumPy's scalars are numbers, and its arrays are seen as lists."""
    if type(value) in _AS_THEY_ARE:
        return value
    if hasattr(value, "dtype") and hasattr(value, "tolist") and not is_device(value):
        return value.tolist() if value.ndim == 0 or value.dtype.kind not in "iufb" else value
    if isinstance(value, range):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return list(value)
    return value


def __getattr__(name: str) -> Any:
    """The engines, which are read with the compiler when the first function is called."""
    if name in ("CommandEngine", "Engine", "NativeEngine", "use_engine"):
        import importlib

        return getattr(importlib.import_module(".engine", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def types_of(*args: Any) -> tuple[T, ...]:
    """The types by which a call with these arguments is compiled."""
    return tuple(_type_of_argument(_plain(a)) for a in args)


def fn(function: F) -> Fn[F]:
    """Compiles a function at its calls."""
    return Fn(function)


def row(function: F) -> Row[F]:
    """A function of a row, for all rows of nested data: called with rows, and other arguments behind them, it gives the results as nested data.

    >>> @row
    ... def hardest(event):
    ...     return max(m.pt for m in event.muons)
    >>> hardest(events)
    """
    from .rows import Row

    return Row(function)


def check(f: Fn[Any], *strategies: Any, examples: int = 100) -> None:
    """Compares a compiled function with its undecorated form on values of hypothesis' strategies, one for each parameter."""
    from .compare import compare_with_hypothesis

    compare_with_hypothesis(f, strategies, examples)


__all__ = ["CommandEngine", "Engine", "Fault", "FellBack", "Fn", "NativeEngine", "Overflow", "Refused", "check", "fn", "row", "types_of", "use_engine"]
