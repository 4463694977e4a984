"""Reductions and prefixes."""

from __future__ import annotations

import builtins
from typing import Any

from . import _nestled as _n
from ._common import Axis, as_array, axes_of, axis_of, cast, dtype as type_of, keep_axes, only_axis_of
from ._dtypes import DType, dtype_of, float64, int64, uint64
from ._elementwise import operand
from ._nestled import Array, Nested


def _reduced(name: str, x: Array, axis: Axis, keepdims: builtins.bool) -> Array:
    axes = axes_of(axis, x.ndim)
    made = _n.reduce(name, x, axes)
    return keep_axes(made, axes) if keepdims else made


def _nested(name: str, x: Nested, axis: Axis) -> Any:
    if axis is None:
        return _nested(name, _n.mapped("ravel", x), 0)
    from ._nested import along

    return along(name, x, axis)


def _wide(x: Array, dtype: Any) -> Array:
    """The array in the type of its sums: the widest of its kind for integers."""
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    wide: dict[str, DType] = {"b": int64, "i": int64, "u": uint64}
    return cast(x, wide.get(type_of(x).kind, type_of(x)))


def sum(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: builtins.bool = False) -> Any:
    """The sum; that of integers is of 64 bits."""
    x = operand(x)
    if isinstance(x, Nested):
        return _nested("sum", x, axis)
    made = _reduced("sum", _wide(as_array(x), dtype), axis, keepdims)
    return made if dtype is None else cast(made, dtype_of(dtype))


def prod(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: builtins.bool = False) -> Any:
    """The product; that of integers is of 64 bits."""
    x = operand(x)
    if isinstance(x, Nested):
        return _nested("prod", x, axis)
    made = _reduced("prod", _wide(as_array(x), dtype), axis, keepdims)
    return made if dtype is None else cast(made, dtype_of(dtype))


def _extreme(name: str, x: Any, axis: Axis, keepdims: builtins.bool) -> Any:
    x = operand(x)
    if isinstance(x, Nested):
        return _nested(name, x, axis)
    x = as_array(x)
    if builtins.any(x.shape[one] == 0 for one in axes_of(axis, x.ndim)):
        raise ValueError(f"{name}() of no elements has no value")
    if x._dtype == "bool":
        return _reduced("any" if name == "max" else "all", x, axis, keepdims)
    return _reduced(name, x, axis, keepdims)


def max(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """The greatest element."""
    return _extreme("max", x, axis, keepdims)


def min(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """The least element."""
    return _extreme("min", x, axis, keepdims)


def _truth(x: Array) -> Array:
    return x if x._dtype == "bool" else _n.binary("not_equal", x, 0)


def all(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """True if all elements are."""
    x = operand(x)
    if isinstance(x, Nested):
        return _nested("all", x, axis)
    return _reduced("all", _truth(as_array(x)), axis, keepdims)


def any(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """True if an element is."""
    x = operand(x)
    if isinstance(x, Nested):
        return _nested("any", x, axis)
    return _reduced("any", _truth(as_array(x)), axis, keepdims)


def _count(x: Array, axis: Axis) -> int:
    count = 1
    for one in axes_of(axis, x.ndim):
        count *= x.shape[one]
    return count


def _floats(x: Any) -> Array:
    x = as_array(x)
    return x if type_of(x).kind == "f" else cast(x, float64)


def mean(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Any:
    """The mean; that of integers is `float64`."""
    x = operand(x)
    if isinstance(x, Nested):
        return _nested("mean", x, axis)
    x = _floats(x)
    return _n.binary("divide", _reduced("sum", x, axis, keepdims), float(_count(x, axis)))


def var(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Any:
    """The variance: the mean of the squared distances from the mean, with `correction` elements fewer."""
    x = operand(x)
    if isinstance(x, Nested):
        return _n.counted("var", x, int(correction), -1 if axis is None else _one(axis))
    x = _floats(x)
    distances = _n.unary("square", _n.binary("subtract", x, mean(x, axis=axis, keepdims=True)))
    count = builtins.max(_count(x, axis) - correction, 0)
    return _n.binary("divide", _reduced("sum", distances, axis, keepdims), float(count))


def _one(axis: Axis) -> int:
    if not isinstance(axis, int):
        raise ValueError("nested data has operations along one axis")
    return axis


def std(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Any:
    """The standard deviation: the root of the variance."""
    from ._elementwise import sqrt

    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _prefixes(name: str, x: Array, axis: int | None, dtype: Any, include_initial: builtins.bool) -> Array:
    axis = only_axis_of(axis, x.ndim, "prefixes of")
    if name == "sum" and dtype is not None and dtype_of(dtype).name == x._dtype and dtype_of(dtype).kind in "iu":
        # Modulo its width a sum of integers is the same, whether they are widened or not.
        made = _n.scan("wrapping_sum", x, axis)
    else:
        made = _n.scan(name, _wide(x, dtype), axis)
    if dtype is not None:
        made = cast(made, dtype_of(dtype))
    if not include_initial:
        return made
    shape = list(x.shape)
    shape[axis] = 1
    return _n.concat([_n.full(shape, 0 if name == "sum" else 1, made._dtype), made], axis)


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    """The sums of the elements so far, along an axis."""
    return _prefixes("sum", as_array(x), axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    """The products of the elements so far, along an axis."""
    return _prefixes("prod", as_array(x), axis, dtype, include_initial)


def _extremes_so_far(name: str, x: Any, axis: int | None) -> Array:
    x = as_array(x)
    axis = only_axis_of(axis, x.ndim, "prefixes of")
    if x._dtype == "bool":
        return _n.cast(_n.scan(name, _n.cast(x, "uint8"), axis), "bool")
    return _n.scan(name, x, axis)


def cumulative_max(x: Any, /, *, axis: int | None = None) -> Array:
    """The greatest of the elements so far, along an axis; NaN from the first NaN on."""
    return _extremes_so_far("max", x, axis)


def cumulative_min(x: Any, /, *, axis: int | None = None) -> Array:
    """The least of the elements so far, along an axis; NaN from the first NaN on."""
    return _extremes_so_far("min", x, axis)


def diff(
    x: Any, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """The differences of neighbours along an axis, `n` times."""
    from ._manipulation import concat

    axis = axis_of(axis, as_array(x).ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    made = concat(parts, axis=axis) if len(parts) > 1 else as_array(x)
    for _ in range(n):
        count = builtins.max(made.shape[axis] - 1, 0)
        start = builtins.min(1, made.shape[axis])
        after, before = _n.section(made, axis, start, count, 1), _n.section(made, axis, 0, count, 1)
        made = _n.binary("not_equal" if made._dtype == "bool" else "subtract", after, before)
    return made
