"""Nested data as names and arrays of NumPy's, for pickles."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n
from ._nestled import Nested


def taken_apart(x: Nested) -> Any:
    """Nested data as names and arrays of NumPy's, for pickles."""
    name, *parts = _n.part(x)
    if name == "record":
        return (name, {field: taken_apart(part) for field, part in parts[0].items()})
    if name == "tuple":
        return (name, [taken_apart(part) for part in parts[0]])
    return (name, *(taken_apart(part) if isinstance(part, Nested) else part for part in parts))


def rebuilt(parts: Any) -> Nested:
    name = parts[0]
    if name == "numbers":
        return _n.from_array(parts[1])
    if name in ("lists", "strings", "bytes"):
        return _n.in_lists(name, parts[1], rebuilt(parts[2]))
    if name == "fixed":
        return _n.in_fixed(rebuilt(parts[2]), parts[1])
    if name == "record":
        return _n.records(list(parts[1]), [rebuilt(part) for part in parts[1].values()])
    if name == "tuple":
        return _n.records(None, [rebuilt(part) for part in parts[1]])
    if name == "option":
        return _n.with_validity(rebuilt(parts[2]), parts[1])
    return _n.categories(parts[1], rebuilt(parts[2]))
