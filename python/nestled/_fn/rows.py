"""`nd.row`: a function of one row, mapped over the rows of nested data; the results are nested data on the device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .. import _nestled as _n
from .._carried import found_by_name
from . import Fn
from .errors import Refused
from .types import T

if TYPE_CHECKING:
    from .._nestled import Nested

F = TypeVar("F", bound=Callable[..., Any])


# One for each number of arguments behind the row: the compiler reads them.
def _over_rows(f: Any) -> Any:
    def over(rows):  # type: ignore[no-untyped-def]
        return [f(row) for row in rows]

    return over


def _with_one(f: Any) -> Any:
    def over(rows, a):  # type: ignore[no-untyped-def]
        return [f(row, a) for row in rows]

    return over


def _with_two(f: Any) -> Any:
    def over(rows, a, b):  # type: ignore[no-untyped-def]
        return [f(row, a, b) for row in rows]

    return over


def _with_three(f: Any) -> Any:
    def over(rows, a, b, c):  # type: ignore[no-untyped-def]
        return [f(row, a, b, c) for row in rows]

    return over


_OVER = [_over_rows, _with_one, _with_two, _with_three]


class Row(Generic[F]):
    """A function of a row, which is called with rows. Arguments behind them are the same for all rows."""

    def __init__(self, function: F) -> None:
        self.of_one: Fn[F] = Fn(function)
        #: The function of one row, in plain Python.
        self.python = self.of_one.python
        if not 1 <= self.of_one.count <= len(_OVER):
            raise Refused(f"`{function.__name__}` is no function of a row", f"give it a row, and {len(_OVER) - 1} other arguments at most")
        self._over: Fn[Any] = Fn(_OVER[self.of_one.count - 1](self.of_one))
        functools.update_wrapper(self, function)

    def __call__(self, rows: Any, *others: Any) -> Nested:
        """The results for all rows. Rows are nested data, arrays, or lists; where a function gives records, so does this."""
        from .._nested import as_nested

        given = as_nested(rows)
        if len(others) + 1 != self.of_one.count:
            raise TypeError(f"`{self.python.__name__}` takes {self.of_one.count} arguments, rows first, not {len(others) + 1}")
        ty = self._result(given, *others)
        made = self._over.on_device(given, *others)
        return _named(as_nested(made), ty)

    def _result(self, *args: Any) -> T:
        """The type of what one row gives."""
        ty = self._over.compile(self._over.types_of(*args)).result.elem
        if not _is_data(ty):
            raise Refused(f"`{self.python.__name__}` gives {ty}", "give numbers, texts, lists, tuples, named tuples or dataclasses of them for a row")
        return ty

    def source_nesl(self, rows: Any, *others: Any) -> str:
        """The NESL program for rows like these."""
        from .._nested import as_nested

        return self._over.source_nesl(as_nested(rows), *others)

    def __reduce__(self) -> Any:
        """A function of a module is found there again by its name; others go as `nd.fn`'s do."""
        function: Any = self.python
        return function.__qualname__ if found_by_name(self, function) else (_remade, (self.of_one,))

    def __repr__(self) -> str:
        return f"<nd.row {self.python.__name__}>"


def _remade(of_one: Fn[Any]) -> Row[Any]:
    return Row(of_one.python)


def _named(x: Nested, ty: T) -> Nested:
    """Nested data whose tuples have the names of the records that they are."""
    kind, *parts = _n.part(x)
    if ty.kind == "list" and kind == "lists":
        return _n.in_lists("lists", parts[0], _named(parts[1], ty.elem))
    if ty.kind in ("rec", "tuple") and kind == "tuple":
        made = [_named(part, one) for part, one in zip(parts[0], ty.args)]
        return _n.records(list(_fields(ty)) if ty.kind == "rec" else None, made)
    return x


def _is_data(ty: T) -> bool:
    """True if values of the type are nested data as they are."""
    return ty.kind in ("int", "float", "bool", "str", "chr") or (ty.kind in ("list", "tuple", "rec") and all(map(_is_data, ty.args)))


def _fields(ty: T) -> Any:
    names = getattr(ty.tag, "_fields", None)
    return names if names is not None else tuple(ty.tag.__dataclass_fields__)


def map_rows(self: Nested, source: Any, function: str | None = None) -> Any:
    """A function for each row: one of Python's, or the name of one of a text in NESL, which takes the lists of each row."""
    if isinstance(source, str):
        if function is None:
            raise TypeError("a text in NESL has many functions: map_rows(text, name) says which")
        return _n.map_rows(self, source, function)
    of_row = source.python if isinstance(source, Fn) else source
    return (of_row if isinstance(of_row, Row) else Row(of_row))(self)
