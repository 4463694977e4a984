"""Arguments that lie on a device: `nd.Array` and `nd.Nested`, with their types. They are not copied for a call.

Records of nested data are seen as named tuples, with a class for each set of fields.
"""

from __future__ import annotations

import collections
import functools
from typing import Any

from .errors import Refused
from .types import BOOL, FLOAT, INT, STR, T, list_of, tuple_of


def is_device(value: Any) -> bool:
    """True if a value is one of this package's."""
    kind = type(value)
    return kind.__module__.startswith("nestled") and kind.__name__ in ("Array", "Nested")


def device_type(value: Any) -> T:
    """The type of an array or of nested data."""
    if type(value).__name__ == "Nested":
        return list_of(_nested(value))
    ty = _number(str(value.dtype))
    for _ in range(value.ndim):
        ty = list_of(ty)
    return ty


def _number(dtype: str) -> T:
    if "bool" in dtype:
        return BOOL
    return FLOAT if "float" in dtype else INT


def _nested(x: Any) -> T:
    """The type of the elements of nested data."""
    from .. import _nestled

    kind, *parts = _nestled.part(x)
    if kind == "numbers":
        return _number(str(parts[0].dtype))
    if kind in ("lists", "fixed"):
        return list_of(_nested(parts[1]))
    if kind in ("strings", "bytes"):
        return STR
    if kind == "tuple":
        return tuple_of(*map(_nested, parts[0]))
    if kind == "record":
        return T("rec", tuple(map(_nested, parts[0].values())), record_class(tuple(parts[0])))
    raise Refused(f"nested data with a part of kind `{kind}`", "fill or drop what is missing, or choose fields")


@functools.cache
def record_class(names: tuple[str, ...]) -> Any:
    """The class of records with these fields."""
    return collections.namedtuple("record", names)  # noqa: PYI024  (the fields are known at run time only)


def as_python(value: Any) -> Any:
    """The value as lists, for the undecorated function."""
    if type(value).__name__ == "Nested":
        return _raised(value.to_list(), device_type(value))
    return value.tolist()


def _raised(value: Any, ty: T) -> Any:
    if ty.kind == "list":
        return [_raised(v, ty.elem) for v in value]
    if ty.kind == "rec":
        return ty.tag(*(_raised(value[n], t) for n, t in zip(ty.tag._fields, ty.args)))
    return tuple(_raised(v, t) for v, t in zip(value, ty.args)) if ty.kind == "tuple" else value
