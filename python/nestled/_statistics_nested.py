"""Statistics of nested data that are made of sums: moments, covariance, correlation, straight lines; and comparisons within a tolerance."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n
from ._nestled import Nested
from ._selection import depth


def _both(x: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    from ._nested import as_nested

    return _floats(as_nested(x)), _floats(as_nested(y)), None if weight is None else as_nested(weight)


def _floats(x: Nested) -> Nested:
    """Integers as floats, whose powers do not overflow."""
    return x if "float" in x.schema else x.astype("float64")


def _sum(x: Any, weight: Any, axis: int | None) -> Any:
    return (x if weight is None else x * weight).sum(axis=axis)


def _count(x: Nested, weight: Any, axis: int | None) -> Any:
    return x.count(axis=axis) if weight is None else (x * 0 + weight).sum(axis=axis)


def _ratio(one: Any, other: Any) -> Any:
    """`one / other`; NaN or infinite where the other is 0."""
    if isinstance(one, Nested) or isinstance(other, Nested):
        return one / other
    import numpy

    with numpy.errstate(all="ignore"):
        return float(numpy.float64(one) / numpy.float64(other))


def _root(x: Any) -> Any:
    from ._elementwise import sqrt

    if isinstance(x, Nested):
        return sqrt(x)
    import numpy

    with numpy.errstate(all="ignore"):
        return float(numpy.sqrt(numpy.float64(x)))


def moment(x: Nested, n: int, *, weight: Any = None, axis: int | None = None) -> Any:
    """The mean of x**n, weighted: `ak.moment`."""
    x = _floats(x)
    return _ratio(_sum(x**n, weight, axis), _count(x, weight, axis))


def covar(x: Any, y: Any, weight: Any = None, axis: int | None = None) -> Any:
    """The covariance of two arrays: `ak.covar`."""
    x, y, weight = _both(x, y, weight)
    count = _count(x, weight, axis)
    means = [_ratio(_sum(part, weight, axis), count) for part in (x, y)]
    if axis is not None and axis not in (-1, depth(x) - 1):
        raise NotImplementedError("a covariance is that of all numbers, or along the innermost axis")
    return _ratio(_sum((x - means[0]) * (y - means[1]), weight, axis), count)


def corr(x: Any, y: Any, weight: Any = None, axis: int | None = None) -> Any:
    """The correlation of two arrays: `ak.corr`."""
    spread = covar(x, x, weight, axis) * covar(y, y, weight, axis)
    return _ratio(covar(x, y, weight, axis), _root(spread))


def linear_fit(x: Any, y: Any, weight: Any = None, axis: int | None = None) -> Any:
    """The straight line of least squares, with errors: `ak.linear_fit`. A record of the intercept, the slope, and their errors."""
    x, y, weight = _both(x, y, weight)
    n = _count(x, weight, axis)
    sums = {name: _sum(of, weight, axis) for name, of in (("x", x), ("y", y), ("xx", x * x), ("xy", x * y))}
    delta = n * sums["xx"] - sums["x"] * sums["x"]
    parts = {
        "intercept": _ratio(sums["xx"] * sums["y"] - sums["x"] * sums["xy"], delta),
        "slope": _ratio(n * sums["xy"] - sums["x"] * sums["y"], delta),
        "intercept_error": _root(_ratio(sums["xx"], delta)),
        "slope_error": _root(_ratio(n, delta)),
    }
    return Nested.zip(parts) if isinstance(delta, Nested) else parts


def softmax(x: Nested, axis: int | None = -1) -> Nested:
    """The shares of exponentials, in each list along an axis, or of all numbers: `ak.softmax`."""
    if axis is not None:
        return _n.along("softmax", x, axis)
    from ._elementwise import exp

    powers = exp(x - x.max())
    shares: Nested = powers / powers.sum()
    return shares


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Nested:
    """Where two arrays are equal but for roundings: `ak.isclose`."""
    from ._nested import as_nested

    near: Any
    x, y = as_nested(x), as_nested(y)
    near = (abs(x - y) <= atol + rtol * abs(y)) | (x == y)
    near = near & ((abs(y) < float("inf")) | (x == y)) if "float" in y.schema else near
    made: Nested = near | ((x != x) & (y != y)) if equal_nan else near
    return made


def almost_equal(x: Nested, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True) -> bool:
    """True if lists, fields and missing values are the same, and numbers but for roundings: `ak.almost_equal`."""
    from ._nested import as_nested

    return _alike(_n.to_list(x), _n.to_list(as_nested(other)), rtol, atol, equal_nan)


def _alike(one: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    if isinstance(one, (list, tuple)):
        return (
            type(one) is type(other)
            and len(one) == len(other)
            and all(_alike(x, y, rtol, atol, equal_nan) for x, y in zip(one, other))
        )
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(_alike(one[key], other[key], rtol, atol, equal_nan) for key in one)
        )
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None or isinstance(one, str) or isinstance(other, (str, list, tuple, dict)):
            return False
        return one == other or abs(one - other) <= atol + rtol * abs(other) or (equal_nan and one != one and other != other)
    return bool(one == other)
