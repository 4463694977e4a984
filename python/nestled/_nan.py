"""Reductions of the elements that are numbers, and other functions that know of NaN."""

from __future__ import annotations

import builtins
import math
from typing import Any

from . import _dtypes
from . import _nestled as _n
from . import _searching, _statistics
from ._common import Axis, as_array, axes_of, cast, dtype as type_of
from ._dtypes import DType, int64
from ._nestled import Array


def _is_float(x: Array) -> builtins.bool:
    return type_of(x).kind == "f"


def isnan_of(x: Array) -> Array:
    """True where an element is NaN; of other types than floats, never."""
    return _n.unary("isnan", _n.cast(x, "float32") if x._dtype == "float16" else x)


def _filled(x: Any, value: float) -> Array:
    """The array with another number for NaN."""
    x = as_array(x)
    return _n.select(isnan_of(x), value, x) if _is_float(x) else x


def _known(x: Array, axis: Axis, keepdims: builtins.bool) -> Array:
    """How many elements are numbers."""
    mask = ~isnan_of(x) if _is_float(x) else _n.full(list(x.shape), True, "bool")
    return _statistics._reduced("sum", cast(mask, int64), axis, keepdims)


def nansum(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    """The sum of the elements that are numbers."""
    made: Array = _statistics.sum(_filled(x, 0.0), axis=axis, dtype=dtype, keepdims=keepdims)
    return made


def nanprod(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    """The product of the elements that are numbers."""
    made: Array = _statistics.prod(_filled(x, 1.0), axis=axis, dtype=dtype, keepdims=keepdims)
    return made


def _nan_extreme(name: str, x: Any, axis: Axis, keepdims: builtins.bool) -> Array:
    x = as_array(x)
    if not _is_float(x):
        made: Array = _statistics._extreme(name, x, axis, keepdims)
        return made
    filled = _filled(x, -math.inf if name == "max" else math.inf)
    found: Array = _statistics._extreme(name, filled, axis, keepdims)
    return _n.select(_n.binary("equal", _known(x, axis, keepdims), 0), math.nan, found)


def nanmax(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """The greatest element that is a number; NaN if there is none."""
    return _nan_extreme("max", x, axis, keepdims)


def nanmin(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """The least element that is a number; NaN if there is none."""
    return _nan_extreme("min", x, axis, keepdims)


def nanargmax(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    """The place of the first greatest element, NaN counting as the other end; 0 for NaN alone, where NumPy raises an error."""
    made: Array = _searching.argmax(_filled(x, -math.inf), axis=axis, keepdims=keepdims)
    return made


def nanargmin(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    """The place of the first least element, NaN counting as the other end; 0 for NaN alone, where NumPy raises an error."""
    made: Array = _searching.argmin(_filled(x, math.inf), axis=axis, keepdims=keepdims)
    return made


def nanmean(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """The mean of the elements that are numbers; NaN if there is none."""
    x = _statistics._floats(x)
    return _n.binary("divide", nansum(x, axis=axis, keepdims=keepdims), cast(_known(x, axis, keepdims), type_of(x)))


def nanvar(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    """The variance of the elements that are numbers; NaN if there are `correction` or fewer."""
    x = _statistics._floats(x)
    distances = _n.unary("square", _n.binary("subtract", x, nanmean(x, axis=axis, keepdims=True)))
    count = _n.binary("subtract", cast(_known(x, axis, keepdims), type_of(x)), float(correction))
    made = _n.binary("divide", nansum(distances, axis=axis, keepdims=keepdims), count)
    return _n.select(_n.binary("less_equal", count, 0.0), math.nan, made)


def nanstd(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    """The standard deviation of the elements that are numbers."""
    return _n.unary("sqrt", nanvar(x, axis=axis, correction=correction, keepdims=keepdims))


def nancumsum(x: Any, /, *, axis: int | None = None, dtype: Any = None) -> Array:
    """The sums of the numbers so far, along an axis; NaN counts as 0."""
    return _statistics.cumulative_sum(_flat(_filled(x, 0.0), axis), axis=axis, dtype=dtype)


def nancumprod(x: Any, /, *, axis: int | None = None, dtype: Any = None) -> Array:
    """The products of the numbers so far, along an axis; NaN counts as 1."""
    return _statistics.cumulative_prod(_flat(_filled(x, 1.0), axis), axis=axis, dtype=dtype)


def _flat(x: Array, axis: int | None) -> Array:
    return _n.reshape(x, [x.size]) if axis is None else x


def nan_to_num(x: Any, /, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
    """Other numbers for NaN and the infinities: by default 0, and the greatest and least finite ones."""
    floats: Array = as_array(x)
    if not _is_float(floats):
        return floats
    limits = _dtypes.finfo(type_of(floats))
    made: Array = _n.select(isnan_of(floats), nan, floats)
    made = _n.select(_n.binary("equal", floats, math.inf), limits.max if posinf is None else posinf, made)
    made = _n.select(_n.binary("equal", floats, -math.inf), limits.min if neginf is None else neginf, made)
    return made


def isclose(x1: Any, x2: Any, /, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> Array:
    """True where two elements are equal, or differ by at most `atol + rtol·|x2|`."""
    x1, x2 = _statistics._floats(x1), _statistics._floats(x2)
    of: DType = _dtypes.common([type_of(x1), type_of(x2)])
    x1, x2 = cast(x1, of if of.name != "float16" else _dtypes.float32), cast(x2, of if of.name != "float16" else _dtypes.float32)
    distance = _n.unary("abs", _n.binary("subtract", x1, x2))
    near = _n.binary("less_equal", distance, _n.binary("add", _n.binary("multiply", _n.unary("abs", x2), rtol), atol))
    made: Array = (near & _n.unary("isfinite", x2)) | _n.binary("equal", x1, x2)
    if equal_nan:
        made = made | (_n.unary("isnan", x1) & _n.unary("isnan", x2))
    return made


def allclose(x1: Any, x2: Any, /, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: builtins.bool = False) -> builtins.bool:
    """True if all elements are close, by `isclose`. Computes at once."""
    return builtins.bool(_statistics.all(isclose(x1, x2, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def array_equal(x1: Any, x2: Any, /, *, equal_nan: builtins.bool = False) -> builtins.bool:
    """True if two arrays have one shape and equal elements. Computes at once."""
    x1, x2 = as_array(x1), as_array(x2)
    if x1.shape != x2.shape:
        return False
    of = _dtypes.common([type_of(x1), type_of(x2)])
    x1, x2 = cast(x1, of), cast(x2, of)
    same = _n.binary("equal", x1, x2)
    if equal_nan and of.kind == "f":
        same = same | (isnan_of(x1) & isnan_of(x2))
    return builtins.bool(_statistics.all(same))


def average(x: Any, /, *, axis: Axis = None, weights: Any = None, keepdims: builtins.bool = False) -> Array:
    """The mean, or that with a weight for each element (or for each place along the one axis)."""
    x = _statistics._floats(x)
    if weights is None:
        made: Array = _statistics.mean(x, axis=axis, keepdims=keepdims)
        return made
    weights = _statistics._floats(weights)
    if weights.shape != x.shape:
        axes = axes_of(axis, x.ndim)
        if weights.ndim != 1 or len(axes) != 1 or weights.size != x.shape[axes[0]]:
            raise ValueError(f"weights of shape {weights.shape} are not for an array of shape {x.shape}")
        weights = _n.reshape(weights, [weights.size if own == axes[0] else 1 for own in range(x.ndim)])
    of = _dtypes.common([type_of(x), type_of(weights)])
    x, weights = cast(x, of), _n.broadcast(cast(weights, of), list(x.shape))
    total = _statistics._reduced("sum", weights, axis, keepdims)
    return _n.binary("divide", _statistics._reduced("sum", _n.binary("multiply", x, weights), axis, keepdims), total)


def ptp(x: Any, /, *, axis: Axis = None, keepdims: builtins.bool = False) -> Array:
    """The greatest element less the least one."""
    x = as_array(x)
    return _n.binary("subtract", _statistics.max(x, axis=axis, keepdims=keepdims), _statistics.min(x, axis=axis, keepdims=keepdims))


def cov(x: Any, /, *, rowvar: builtins.bool = True, correction: float = 1.0) -> Array:
    """The covariances of rows (or, with `rowvar=False`, of columns)."""
    x = _statistics._floats(x)
    if x.ndim > 2:
        raise ValueError("covariances are those of the rows of a matrix")
    rows = _n.reshape(x, [1, x.size]) if x.ndim < 2 else x if rowvar else _n.permute(x, [1, 0])
    apart = _n.binary("subtract", rows, _statistics.mean(rows, axis=1, keepdims=True))
    made = _n.binary("divide", _n.matmul(apart, _n.permute(apart, [1, 0])), builtins.max(rows.shape[1] - correction, 0.0))
    return _n.reshape(made, []) if made.size == 1 else made


def corrcoef(x: Any, /, *, rowvar: builtins.bool = True) -> Array:
    """The correlations of rows (or, with `rowvar=False`, of columns), from −1 to 1."""
    found = cov(x, rowvar=rowvar)
    if found.ndim == 0:
        return _n.binary("divide", found, found)
    size = found.shape[0]
    spread = _n.unary("sqrt", _n.section(_n.reshape(found, [size * size]), 0, 0, size, size + 1))
    made = _n.binary("divide", _n.binary("divide", found, _n.add_axis(spread, 1)), _n.add_axis(spread, 0))
    return _n.binary("minimum", _n.binary("maximum", made, -1.0), 1.0)


__all__ = [
    "allclose", "array_equal", "average", "corrcoef", "cov", "isclose", "nan_to_num", "nanargmax", "nanargmin",
    "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "ptp",
]  # fmt: skip
