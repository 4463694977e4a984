"""Sorting, searching, and sets."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from . import _nestled as _n
from ._common import Axis, as_array, axis_of, cast, dtype as type_of, keep_axes
from ._dtypes import int64
from ._elementwise import operand
from ._nestled import Array, Nested


def _place(name: str, x: Any, axis: int | None, keepdims: builtins.bool) -> Any:
    x = operand(x)
    if isinstance(x, Nested):
        from ._statistics import _nested

        return _nested(name, x, axis)
    x = as_array(x)
    if x._dtype == "bool":
        x = _n.cast(x, "uint8")
    if axis is None:
        made = _n.arg_reduce(name, _n.reshape(x, [x.size]), 0)
        return keep_axes(made, range(x.ndim)) if keepdims else made
    axis = axis_of(axis, x.ndim)
    made = _n.arg_reduce(name, x, axis)
    return keep_axes(made, [axis]) if keepdims else made


def argmax(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Any:
    """The place of the first greatest element."""
    return _place("argmax", x, axis, keepdims)


def argmin(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Any:
    """The place of the first least element."""
    return _place("argmin", x, axis, keepdims)


def count_nonzero(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """The number of elements that are not 0."""
    from ._statistics import _nested, _reduced, _truth

    x = operand(x)
    if isinstance(x, Nested):
        return _nested("count_nonzero", x, axis)
    return _reduced("sum", cast(_truth(as_array(x)), int64), axis, keepdims)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The places of the elements that are not 0: an array for each axis. Computes which at once."""
    from ._statistics import _truth

    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("nonzero() of an array of no axis has no places")
    mask = _truth(x)
    shape = list(x.shape)
    return tuple(_n.compress(_n.index(shape, axis), mask) for axis in range(x.ndim))


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """The elements of one array where a condition holds, and those of another elsewhere."""
    condition, x1, x2 = (x if isinstance(x, str) else operand(x) for x in (condition, x1, x2))
    if builtins.any(isinstance(x, Nested) for x in (condition, x1, x2)):
        from ._nested import as_nested_operand, of_one_length

        return _n.choose(*of_one_length(*(as_nested_operand(x) for x in (condition, x1, x2))))
    return _n.select(as_array(condition), x1, x2)


def sort(x: Any, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Any:
    """Sorted along an axis, NaN last."""
    x = operand(x)
    if isinstance(x, Nested):
        return _n.sorted("sort", x, axis, not descending)
    x = as_array(x)
    return _half(x, lambda wide: _n.sort(wide, axis_of(axis, x.ndim), descending))


def _half(x: Array, function: Any) -> Array:
    """A function of floats of 16 bits by way of 32, which hold them."""
    if x._dtype != "float16":
        made: Array = function(x)
        return made
    made = function(_n.cast(x, "float32"))
    return _n.cast(made, "float16") if made._dtype == "float32" else made


def argsort(x: Any, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Any:
    """The places of the elements in sorted order; equal ones stay in theirs."""
    x = operand(x)
    if isinstance(x, Nested):
        return _n.sorted("argsort", x, axis, not descending)
    x = as_array(x)
    axis = axis_of(axis, x.ndim)
    if not descending:
        return _half(x, lambda wide: _n.argsort(wide, axis))
    places = _half(_n.flip(x, [axis]), lambda wide: _n.argsort(wide, axis))
    return _n.flip(_n.binary("subtract", x.shape[axis] - 1, places), [axis])


def searchsorted(
    x1: Array, x2: Any, /, *, side: str = "left", sorter: Array | None = None
) -> Array:
    """The places in a sorted vector before which (or, with `side="right"`, after which) elements belong."""
    if side not in ("left", "right"):
        raise ValueError("side is 'left' or 'right'")
    from ._dtypes import common

    x2 = as_array(x2)
    of = common([type_of(x1), type_of(x2)])
    vector, wanted = cast(x1, of), cast(x2, of)
    if sorter is not None:
        vector = _n.take(vector, 0, sorter)
    # The same order in a type that has one.
    wide = {"float16": "float32", "bool": "uint8"}.get(of.name, of.name)
    return _n.search_sorted(_n.cast(vector, wide), _n.cast(wanted, wide), side == "right")


def isin(x1: Any, x2: Any, /, *, invert: builtins.bool = False) -> Array:
    """True where an element is one of others."""
    from ._dtypes import common

    x1, x2 = as_array(x1), as_array(x2)
    of = common([type_of(x1), type_of(x2)])
    wanted = _n.reshape(cast(x2, of), [x2.size])
    if x2.size == 0:
        found = _n.full(list(x1.shape), False, "bool")
    else:
        ordered = sort(_n.cast(wanted, "uint8") if of.name == "bool" else wanted)
        known = cast(cast(x1, of), type_of(ordered))
        place = _n.binary("minimum", searchsorted(ordered, known), x2.size - 1)
        found = _n.binary("equal", _n.take(ordered, 0, place), known)
    return _n.unary("invert", found) if invert else found


def bincount(x: Array, /, *, minlength: int = 0, weights: Array | None = None, length: int | None = None) -> Array:
    """Counts each of the numbers from 0, or sums its weights. With a `length`, numbers from there on are not counted, and nothing is computed yet."""
    from ._statistics import max as greatest

    x = as_array(x)
    if type_of(x).kind not in "iu":
        raise TypeError("bincount() counts integers")
    if length is not None and length < 0:
        raise ValueError("a length is not negative")
    bins = length if length is not None else builtins.max(minlength, int(greatest(x).item()) + 1 if x.size else 0)
    each = _n.full([x.size], 1, "int64") if weights is None else as_array(weights)
    narrow = x._dtype in ("int8", "uint8", "int16", "uint16", "int32")
    return _n.scatter(_n.full([bins], 0, each._dtype), [_n.cast(x, "int32" if narrow else "int64")], each, "add")


class UniqueAll(NamedTuple):
    """The different elements, where each is first, which of them each element is, and how often each appears."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The different elements, and how often each appears."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The different elements, and which of them each element is."""

    values: Array
    inverse_indices: Array


def _is_first(ordered: Array) -> Array:
    """True where a sorted vector has another element than before. NaNs are all different."""
    count = ordered.size
    if count == 0:
        return _n.full([0], True, "bool")
    differ = _n.binary("not_equal", _n.section(ordered, 0, 1, count - 1, 1), _n.section(ordered, 0, 0, count - 1, 1))
    return _n.concat([_n.full([1], True, "bool"), differ], 0)


def unique_values(x: Any, /) -> Array:
    """The different elements, sorted. Computes how many there are at once."""
    x = as_array(x)
    return _half(_n.reshape(x, [x.size]), lambda wide: _distinct(_n.sort(wide, 0, False)))


def _distinct(ordered: Array) -> Array:
    return _n.compress(ordered, _is_first(ordered))


def unique_all(x: Any, /) -> UniqueAll:
    """The different elements, sorted, and all that is known of them. Computes how many there are at once."""
    x = as_array(x)
    flat = _n.reshape(x, [x.size])
    wide = _n.cast(flat, "float32") if x._dtype == "float16" else flat
    order = _n.argsort(wide, 0)
    ordered = _n.take(wide, 0, order)
    first = _is_first(ordered)
    begins = _n.compress(_n.index([x.size], 0), first)
    indices = _n.compress(order, first)
    group = _n.scan("sum", _n.cast(first, "int64"), 0) - 1
    inverse = _n.scatter(_n.full([x.size], 0, "int64"), [order], group, "last")
    ends = _n.concat([_n.section(begins, 0, 1, begins.size - 1, 1), _n.full([1], x.size, "int64")], 0) if begins.size else begins
    values = _n.take(flat, 0, indices)
    return UniqueAll(values, indices, _n.reshape(inverse, list(x.shape)), ends - begins)


def unique_counts(x: Any, /) -> UniqueCounts:
    """The different elements, sorted, and how often each appears."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """The different elements, sorted, and which of them each element is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)
