"""Random numbers: functions of a seed and of the place, so the same on every device.

One seed gives one array: draws that have to be independent take different seeds.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from . import _nestled as _n
from ._common import as_array, axis_of, shape_of
from ._dtypes import dtype_of, float64, iinfo, int64, isdtype
from ._nestled import Array

Size = int | Sequence[int] | None


def _shape(size: Size) -> list[int]:
    return [] if size is None else list(shape_of(size))


def uniform(shape: int | Sequence[int], *, seed: int, low: float = 0.0, high: float = 1.0, dtype: Any = float64) -> Array:
    """Numbers from `low` to `high`, all equally likely."""
    drawn = _n.random("uniform", list(shape_of(shape)), seed, dtype_of(dtype).name)
    return drawn if (low, high) == (0.0, 1.0) else drawn * (high - low) + low


def normal(shape: int | Sequence[int], *, seed: int, loc: float = 0.0, scale: float = 1.0, dtype: Any = float64) -> Array:
    """Numbers of the normal distribution with a mean and a standard deviation."""
    drawn = _n.random("normal", list(shape_of(shape)), seed, dtype_of(dtype).name)
    return drawn if (loc, scale) == (0.0, 1.0) else drawn * scale + loc


def exponential(shape: int | Sequence[int], *, seed: int, scale: float = 1.0, dtype: Any = float64) -> Array:
    """Numbers of the exponential distribution with a mean."""
    # From 0, included, to 1, which is not: a logarithm of zero cannot come up.
    drawn = _n.random("uniform", list(shape_of(shape)), seed, dtype_of(dtype).name)
    return _n.unary("log1p", drawn * -1.0) * -scale


def integers(low: int, high: int | None = None, size: Size = None, *, seed: int, dtype: Any = int64, endpoint: bool = False) -> Array:
    """Integers from `low` up to but not including `high`, or with it by `endpoint`; from 0 to `low` if there is no `high`. All are equally likely, but for 2⁻⁶⁴ of their number."""
    low, high = (0, operator.index(low)) if high is None else (operator.index(low), operator.index(high))
    last = high if endpoint else high - 1
    if last < low:
        raise ValueError(f"there is no integer from {low} to {last}")
    kind = dtype_of(dtype)
    if not isdtype(kind, "integral"):
        raise TypeError(f"random integers are integers, not {kind.name}")
    limits = iinfo(kind)
    if low < limits.min or last > limits.max:
        raise ValueError(f"{low} to {last} is more than {kind.name} holds, {limits.min} to {limits.max}")
    # What 64 bits with a sign do not hold is drawn as if it began at the least of them.
    by = low + 2**63 if last >= 2**63 else 0
    drawn = _n.random_integers(_shape(size), low - by, last - by, seed)
    made = _n.cast(drawn, kind.name)
    return made + by % 2**64 if by else made


def permutation(n: int | Any, *, seed: int, axis: int = 0) -> Array:
    """The numbers from 0 to n − 1 in a random order; of an array, its parts along an axis. (NumPy's `shuffle` changes an array, which ours never do.)"""
    if isinstance(n, int):
        if n < 0:
            raise ValueError(f"there are no {n} numbers")
        return _n.permutation(n, seed)
    x = as_array(n)
    axis = axis_of(axis, x.ndim)
    return _n.take(x, axis, _n.permutation(x.shape[axis], seed))


def choice(
    a: int | Any, size: Size = None, replace: bool = True, p: Any = None, *, seed: int, axis: int = 0
) -> Array:
    """Numbers below `a`, or parts of an array along an axis, drawn at random: each any number of times, or once only without `replace`; as likely as `p` says."""
    values = None if isinstance(a, int) else as_array(a)
    axis = 0 if values is None else axis_of(axis, values.ndim)
    count = operator.index(a) if values is None else values.shape[axis]
    shape = _shape(size)
    wanted = math.prod(shape)
    if count < 1 and wanted:
        raise ValueError("there is nothing to choose from")
    if not replace and wanted > count:
        raise ValueError(f"{wanted} cannot be drawn from {count} without replacement")
    if p is not None:
        places = _weighted(count, shape, replace, p, seed)
    elif replace:
        places = _n.random_integers(shape, 0, max(count - 1, 0), seed)
    else:
        places = _n.reshape(_n.permutation(count, seed)[:wanted], shape)
    if values is None:
        return places
    if len(shape) == 1:
        return _n.take(values, axis, places)
    made = _n.take(values, axis, _n.reshape(places, [wanted]))
    return _n.reshape(made, [*values.shape[:axis], *shape, *values.shape[axis + 1 :]])


def _weighted(count: int, shape: list[int], replace: bool, p: Any, seed: int) -> Array:
    """Places that are drawn as likely as `p` says, which is looked at."""
    import numpy as np

    weights = np.asarray(p, dtype="float64")
    if weights.shape != (count,):
        raise ValueError(f"there are {count} values, and probabilities of shape {weights.shape}")
    if not (weights >= 0).all() or abs(weights.sum() - 1.0) > 1e-8:
        raise ValueError("probabilities are not negative, and their sum is 1")
    wanted = math.prod(shape)
    drawn = _n.random("uniform", shape if replace else [count], seed, "float64")
    if replace:
        from ._searching import searchsorted

        if not wanted:
            return _n.full(shape, 0, "int64")
        sums = np.cumsum(weights)
        # The last that has a weight takes what rounding left.
        sums[np.flatnonzero(weights)[-1] :] = 2.0
        return searchsorted(as_array(sums), drawn, side="right")
    if wanted > np.count_nonzero(weights):
        raise ValueError(f"{wanted} cannot be drawn from the {np.count_nonzero(weights)} that have a probability")
    from ._searching import argsort

    # Those whose exponential times come first, at rates that are their weights, are as drawn one after another.
    times = _n.unary("log1p", drawn * -1.0) * -1.0 / as_array(weights)
    return _n.reshape(argsort(times)[:wanted], shape)
