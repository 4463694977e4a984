"""Products of matrices and vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import _nestled as _n
from ._common import as_array, axis_of, cast, dtype as type_of
from ._dtypes import common
from ._nestled import Array


def _one_type(x1: Any, x2: Any) -> tuple[Array, Array]:
    x1, x2 = as_array(x1), as_array(x2)
    of = common([type_of(x1), type_of(x2)])
    return cast(x1, of), cast(x2, of)


def matmul(x1: Any, x2: Any, /) -> Array:
    """The product of matrices; axes before the last two are broadcast."""
    x1, x2 = _one_type(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("a number is no matrix: multiply by *")
    return _n.matmul(x1, x2)


def matrix_transpose(x: Array, /) -> Array:
    """The last two axes in the other order."""
    if x.ndim < 2:
        raise ValueError("an array of fewer than two axes is no matrix")
    return _n.permute(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def outer(x1: Any, x2: Any, /) -> Array:
    """The products of each element of one vector with each of another."""
    x1, x2 = as_array(x1), as_array(x2)
    return _n.binary("multiply", _n.add_axis(_n.reshape(x1, [x1.size]), 1), _n.add_axis(_n.reshape(x2, [x2.size]), 0))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The inner products of vectors along an axis."""
    x1, x2 = _one_type(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError("the axis of vecdot() is counted from the last, and both arrays have it")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vectors of {x1.shape[axis]} and {x2.shape[axis]} elements have no inner product")
    products = _n.binary("multiply", x1, x2)
    made = _n.reduce("sum", products, [axis_of(axis, products.ndim)])
    return cast(made, type_of(x1))


def tensordot(x1: Any, x2: Any, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sums of products along axes of both."""
    x1, x2 = _one_type(x1, x2)
    if isinstance(axes, int):
        axes = (range(x1.ndim - axes, x1.ndim), range(axes))
    left = [axis_of(axis, x1.ndim) for axis in axes[0]]
    right = [axis_of(axis, x2.ndim) for axis in axes[1]]
    if [x1.shape[axis] for axis in left] != [x2.shape[axis] for axis in right]:
        raise ValueError(f"the axes {axes} of {x1.shape} and {x2.shape} have other extents")
    rows = [axis for axis in range(x1.ndim) if axis not in left]
    columns = [axis for axis in range(x2.ndim) if axis not in right]
    shape = [x1.shape[axis] for axis in rows] + [x2.shape[axis] for axis in columns]
    inner = math.prod(x1.shape[axis] for axis in left)
    one = _n.reshape(_n.permute(x1, rows + left), [math.prod(x1.shape[axis] for axis in rows), inner])
    other = _n.reshape(_n.permute(x2, right + columns), [inner, math.prod(x2.shape[axis] for axis in columns)])
    return _n.reshape(_n.matmul(one, other), shape)
