"""Parts of what is sorted: the greatest elements, partitions, quantiles."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _nestled as _n
from ._common import Axis, as_array, axes_of, axis_of, cast, dtype as type_of
from ._dtypes import float64
from ._nestled import Array
from ._searching import argsort, sort


class TopK(NamedTuple):
    """The first elements in order, and where they were."""

    values: Array
    indices: Array


def top_k(x: Any, k: int, /, *, axis: int = -1, largest: builtins.bool = True) -> TopK:
    """The `k` greatest (or least) elements along an axis, in order, and their places. Equal ones are in the order of their places; NaN comes last."""
    x = as_array(x)
    axis = axis_of(axis, x.ndim)
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"an axis of {x.shape[axis]} has no {k} greatest elements")
    order = _n.section(argsort(x, axis=axis, descending=largest), axis, 0, k, 1)
    return TopK(_n.take_along(x, axis, order), order)


def _check_kth(x: Array, kth: int | Sequence[int], axis: int) -> None:
    for one in kth if isinstance(kth, Sequence) else [kth]:
        axis_extent = x.shape[axis]
        if not -axis_extent <= one < axis_extent:
            raise ValueError(f"an axis of {axis_extent} has no place {one}")


def partition(x: Any, kth: int | Sequence[int], /, *, axis: int | None = -1) -> Array:
    """The elements with those at the places `kth` where a sort puts them, less ones before and greater ones after. All are sorted."""
    x, axis = _flat_or_axis(x, axis)
    _check_kth(x, kth, axis)
    made: Array = sort(x, axis=axis)
    return made


def argpartition(x: Any, kth: int | Sequence[int], /, *, axis: int | None = -1) -> Array:
    """The places of the elements in the order of `partition`."""
    x, axis = _flat_or_axis(x, axis)
    _check_kth(x, kth, axis)
    made: Array = argsort(x, axis=axis)
    return made


def _flat_or_axis(x: Any, axis: int | None) -> tuple[Array, int]:
    x = as_array(x)
    return (_n.reshape(x, [x.size]), 0) if axis is None else (x, axis_of(axis, x.ndim))


#: The ways to choose between two neighbours, as in NumPy.
METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _rows(x: Any, axis: Axis) -> tuple[Array, list[int]]:
    """The array in floats with the axes of a reduction as one, the last; and these axes."""
    x = as_array(x)
    x = x if type_of(x).kind == "f" else cast(x, float64)
    axes = axes_of(axis, x.ndim)
    others = [own for own in range(x.ndim) if own not in axes]
    moved = _n.permute(x, others + axes)
    extents = [x.shape[own] for own in others]
    return _n.reshape(moved, [*extents, math.prod(x.shape[own] for own in axes)]), axes


def _chances(q: Any, scale: float) -> tuple[list[float], tuple[int, ...]]:
    """The fractions of a call, and their shape."""
    import numpy

    found = numpy.asarray(q, dtype="float64") / scale
    if found.size and not (builtins.bool((found >= 0).all()) and builtins.bool((found <= 1).all())):
        raise ValueError(f"quantiles are from 0 to {1 if scale == 1 else 100}, not {q}")
    return [float(one) for one in found.reshape(-1)], found.shape


def _between(low: Array, high: Array, part: Array, method: str) -> Array:
    """The value between two neighbours. By the nearer one, as sums are rounded."""
    if method == "lower":
        return low
    if method == "higher":
        return high
    if method == "midpoint":
        part = _n.select(_n.binary("greater", part, 0.0), 0.5, part)
    span = _n.binary("subtract", high, low)
    up = _n.binary("add", low, _n.binary("multiply", span, part))
    down = _n.binary("subtract", high, _n.binary("multiply", span, _n.binary("subtract", 1.0, part)))
    made = _n.select(_n.binary("greater_equal", part, 0.5), down, up)
    return _n.select(_n.binary("equal", low, high), low, made)


def _one_quantile(ordered: Array, counts: Array, q: float, method: str) -> Array:
    """A quantile of the first `counts` elements of sorted rows; without any, what is there (NaN)."""
    axis = ordered.ndim - 1
    place = _n.binary("multiply", cast(_n.binary("maximum", counts - 1, 0), float64), q)
    if method == "nearest":
        place = _n.unary("round", place)
    low = _n.unary("floor", place)
    high = _n.unary("ceil", place)
    part = cast(_n.binary("subtract", place, low), type_of(ordered))
    there = [_n.take_along(ordered, axis, _n.add_axis(_n.cast(one, "int64"), axis)) for one in (low, high)]
    return _between(_n.drop_axis(there[0], axis), _n.drop_axis(there[1], axis), part, method)


def _quantiles(x: Any, q: Any, scale: float, axis: Axis, keepdims: builtins.bool, method: str, skip: builtins.bool) -> Array:
    if method not in METHODS:
        raise ValueError(f"{method!r} is no way to choose a quantile: one is {', '.join(METHODS)}")
    chances, shape = _chances(q, scale)
    rows, axes = _rows(x, axis)
    half = rows._dtype == "float16"
    rows = _n.cast(rows, "float32") if half else rows
    others = list(rows.shape[:-1])
    last = len(others)
    if rows.shape[last] == 0:
        made = _n.full([len(chances), *others], math.nan, rows._dtype)
    elif not chances:
        made = _n.full([0, *others], 0, rows._dtype)
    else:
        ordered = _n.sort(rows, last, False)
        bad = _n.unary("isnan", rows)
        counts = _n.reduce("sum", _n.cast(~bad, "int64"), [last])
        if not skip:
            counts = _n.full(others, rows.shape[last], "int64")
        found = [_one_quantile(ordered, counts, chance, method) for chance in chances]
        if not skip:
            has_nan = _n.reduce("any", bad, [last])
            found = [_n.select(has_nan, math.nan, one) for one in found]
        made = _n.concat([_n.add_axis(one, 0) for one in found], 0)
    made = _n.cast(made, "float16") if half else made
    kept = [1 if own in axes else extent for own, extent in enumerate(as_array(x).shape)]
    return _n.reshape(made, [*shape, *(kept if keepdims else others)])


def quantile(x: Any, q: Any, /, *, axis: Axis = None, method: str = "linear", keepdims: builtins.bool = False) -> Array:
    """The elements below which fractions `q` of all are, between neighbours by `method`. NaN where an element is; the axes of `q` come first."""
    return _quantiles(x, q, 1.0, axis, keepdims, method, False)


def percentile(x: Any, q: Any, /, *, axis: Axis = None, method: str = "linear", keepdims: builtins.bool = False) -> Array:
    """The elements below which so many per cent are: `quantile` of `q / 100`."""
    return _quantiles(x, q, 100.0, axis, keepdims, method, False)


def nanquantile(x: Any, q: Any, /, *, axis: Axis = None, method: str = "linear", keepdims: builtins.bool = False) -> Array:
    """`quantile` of the elements that are numbers."""
    return _quantiles(x, q, 1.0, axis, keepdims, method, True)


def nanpercentile(x: Any, q: Any, /, *, axis: Axis = None, method: str = "linear", keepdims: builtins.bool = False) -> Array:
    """`percentile` of the elements that are numbers."""
    return _quantiles(x, q, 100.0, axis, keepdims, method, True)


def median(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """The middle element, or the mean of the two in the middle. NaN where an element is."""
    return _quantiles(x, 0.5, 1.0, axis, keepdims, "linear", False)


def nanmedian(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """`median` of the elements that are numbers."""
    return _quantiles(x, 0.5, 1.0, axis, keepdims, "linear", True)
