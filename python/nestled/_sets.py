"""Sets and groups: different elements with what is known of them, and the elements of each key."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from . import _nestled as _n
from ._common import as_array, cast, dtype as type_of
from ._dtypes import common
from ._manipulation import concat
from ._nan import isnan_of
from ._nestled import Array, Nested
from ._searching import isin, unique_all


class Groups(NamedTuple):
    """The different keys, sorted, and for each a list of the elements that have it, in their order."""

    keys: Array
    values: Nested


def unique(
    x: Any,
    /,
    *,
    return_index: builtins.bool = False,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    equal_nan: builtins.bool = True,
) -> Any:
    """NumPy's `unique`: the different elements, sorted, and on demand where each is first, which of them each element is, and how often each appears. Computes at once."""
    found = unique_all(x)
    values, indices, inverse, counts = found
    if equal_nan and type_of(values).kind == "f":
        values, indices, inverse, counts = _one_nan(values, indices, inverse, counts)
    made = [values]
    made += [part for part, wanted in ((indices, return_index), (inverse, return_inverse), (counts, return_counts)) if wanted]
    return made[0] if len(made) == 1 else tuple(made)


def _one_nan(values: Array, indices: Array, inverse: Array, counts: Array) -> tuple[Array, Array, Array, Array]:
    """All NaNs, which are the last, as one."""
    nans = int(_n.item(_n.reduce("sum", _n.cast(isnan_of(values), "int64"), [0])))
    if nans < 2:
        return values, indices, inverse, counts
    kept = values.size - nans + 1
    rest = _n.reduce("sum", _n.section(counts, 0, kept - 1, nans, 1), [0])
    together = _n.concat([_n.section(counts, 0, 0, kept - 1, 1), _n.reshape(rest, [1])], 0)
    first = [_n.section(part, 0, 0, kept, 1) for part in (values, indices)]
    return first[0], first[1], _n.binary("minimum", inverse, kept - 1), together


def group_by(keys: Any, values: Any = None, /) -> Groups:
    """The elements of a vector by keys: a list for each different key. Without values, their places. All NaNs are one key. Computes the keys at once."""
    keys = as_array(keys)
    if keys.ndim != 1:
        raise ValueError("keys are a vector")
    values = _n.index([keys.size], 0) if values is None else as_array(values)
    if values.ndim != 1 or values.size != keys.size:
        raise ValueError(f"keys of shape {keys.shape} are not for values of shape {values.shape}")
    wide = _n.cast(keys, "float32") if keys._dtype == "float16" else keys
    # Zeros of both signs are one key, whose elements keep their order.
    order = _n.argsort(wide + 0.0 if type_of(keys).kind == "f" else wide, 0)
    different, counts = unique(keys, return_counts=True)
    return Groups(different, _n.in_lists("lists", counts, _n.from_array(_n.take(values, 0, order))))


def _both(x1: Any, x2: Any) -> tuple[Array, Array]:
    x1, x2 = as_array(x1), as_array(x2)
    of = common([type_of(x1), type_of(x2)])
    return _n.reshape(cast(x1, of), [x1.size]), _n.reshape(cast(x2, of), [x2.size])


def union1d(x1: Any, x2: Any, /) -> Array:
    """The different elements of both arrays, sorted. Computes at once."""
    made: Array = unique(concat(_both(x1, x2)))
    return made


def _known(x1: Any, x2: Any, *, invert: builtins.bool) -> Array:
    one, other = _both(x1, x2)
    different: Array = unique(one)
    return _n.compress(different, isin(different, other, invert=invert))


def intersect1d(x1: Any, x2: Any, /) -> Array:
    """The different elements that are in both arrays, sorted. NaN is in none. Computes at once."""
    return _known(x1, x2, invert=False)


def setdiff1d(x1: Any, x2: Any, /) -> Array:
    """The different elements of one array that are not in another, sorted. Computes at once."""
    return _known(x1, x2, invert=True)


def setxor1d(x1: Any, x2: Any, /) -> Array:
    """The different elements that are in one of two arrays only, sorted. Computes at once."""
    return union1d(_known(x1, x2, invert=True), _known(x2, x1, invert=True))


__all__ = ["Groups", "group_by", "intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"]
