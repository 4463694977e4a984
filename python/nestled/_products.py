"""Tuples of elements of nested data: of several arrays, and of one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from . import _nestled as _n
from ._nestled import Nested
from ._selection import depth


def product(name: str) -> Callable[..., Nested]:
    def function(
        arrays: dict[str, Any] | Sequence[Any], axis: int = 1, *, nested: bool | Sequence[Any] | None = None
    ) -> Nested:
        from ._nested import as_nested

        names = list(arrays) if isinstance(arrays, dict) else list(range(len(arrays)))
        parts = [as_nested(part) for part in (arrays.values() if isinstance(arrays, dict) else arrays)]
        if axis == 1 and any(depth(part) > 1 for part in parts):
            # A number stands for a list of it.
            parts = [_n.along("add_axis", part, 1) if depth(part) == 1 and not part.fields else part for part in parts]
        made = _n.of_several(name, parts, axis)
        if isinstance(arrays, dict):
            made = _n.rename_fields(made, [str(name) for name in names])
        levels = range(len(parts) - 1) if nested is True else [names.index(one) for one in nested or ()]
        return _grouped(made, parts, sorted(levels, reverse=True), axis)

    function.__name__ = name
    function.__doc__ = "All tuples of one element of each array; with `nested`, in a list for each element of these arrays."
    return function


def _grouped(made: Nested, parts: list[Nested], levels: list[int], axis: int) -> Nested:
    """The tuples of a product in lists: one for each tuple of the arrays up to a level."""
    last = len(parts)
    if levels and axis not in (0, 1):
        raise NotImplementedError("products with nested=True are along the first two axes")
    for level in levels:
        if axis == 0:
            count = math.prod(len(part) for part in parts[level + 1 : last])
            above = math.prod(len(part) for part in parts[: level + 1])
            made = _n.unflatten(made, _n.from_values([count] * above, "int64"), 0)
        else:
            counts = [_n.along("num", part, 1) for part in parts[level + 1 : last]]
            each = functools.reduce(lambda one, other: _n.combined("multiply", one, other), counts)
            tuples = _n.of_several("cartesian", parts[: level + 1], 1)
            first = _n.along("local_index", tuples, 1)
            spread = _n.combined("add", _n.combined("multiply", first, 0), each)
            made = _n.unflatten(made, _n.along("flatten", spread, 1), 1)
        last = level + 1
    return made


def combinations(name: str) -> Callable[..., Nested]:
    def method(
        self: Nested, n: int, axis: int = 1, *, replacement: bool = False, fields: Sequence[str] | None = None
    ) -> Nested:
        made = _n.counted(f"{name}_with_replacement" if replacement else name, self, n, axis)
        return made if fields is None else _n.rename_fields(made, list(fields))

    method.__name__ = name
    method.__doc__ = "All tuples of `n` elements of each list, in order; with `replacement`, an element goes with itself too."
    return method
