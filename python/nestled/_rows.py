"""Lists of two arrays at one place, groups within lists, and records in the order of fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _nestled as _n
from ._nested import as_nested
from ._nestled import Nested


def _of_two(name: str) -> Callable[..., Nested]:
    def function(x: Nested, other: Any, axis: int = -1) -> Nested:
        return _n.with_other_along(name, x, as_nested(other), axis)

    return function


merge_sorted = _of_two("merge_sorted")
nearest = _of_two("nearest")
places_in = _of_two("places_in")
set_difference = _of_two("set_difference")
set_intersection = _of_two("set_intersection")
set_union = _of_two("set_union")


def group_by(x: Nested, keys: Any, axis: int = 0) -> Nested:
    """Elements with equal keys as records of the `key` and its `rows`, in the order of keys, in each list along an axis."""
    return _n.with_other_along("group_by", x, as_nested(keys), axis)


def sort_by(x: Nested, fields: str | Sequence[str], axis: int = -1, *, ascending: bool | Sequence[bool] = True) -> Nested:
    """The records of each list along an axis in the order of a field, or of several, each upward or downward."""
    return _n.sorted_by(False, x, _directed(fields, ascending), axis)


def argsort_by(x: Nested, fields: str | Sequence[str], axis: int = -1, *, ascending: bool | Sequence[bool] = True) -> Nested:
    """The places of the records of each list along an axis in the order of `sort_by`."""
    return _n.sorted_by(True, x, _directed(fields, ascending), axis)


def _directed(fields: str | Sequence[str], ascending: bool | Sequence[bool]) -> list[tuple[str, bool]]:
    names = [fields] if isinstance(fields, str) else list(fields)
    directions = [ascending] * len(names) if isinstance(ascending, bool) else list(ascending)
    if len(names) != len(directions):
        raise ValueError(f"{len(directions)} directions for {len(names)} fields")
    return list(zip(names, directions, strict=True))
