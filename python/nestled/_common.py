"""Operands, axes and types, for all parts of the package."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _dtypes
from . import _nestled as _n
from ._dtypes import DType
from ._nestled import Array

if TYPE_CHECKING:
    from typing import TypeAlias

Number: TypeAlias = "bool | int | float"
Axis: TypeAlias = "int | tuple[int, ...] | None"


def dtype(x: Array) -> DType:
    """The type of the elements."""
    return _dtypes._BY_NAME[x._dtype]


def cast(x: Array, to: DType) -> Array:
    """The array with elements of a type."""
    return x if x._dtype == to.name else _n.cast(x, to.name)


def as_array(x: Any) -> Array:
    """The operand as an array."""
    if isinstance(x, Array):
        return x
    from ._creation import asarray

    return asarray(x)


def axis_of(axis: int, ndim: int) -> int:
    """The axis, counted from the first."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise IndexError(f"an array of {ndim} axes has no axis {axis}")
    return axis + ndim if axis < 0 else axis


def only_axis_of(axis: int | None, ndim: int, what: str) -> int:
    """The axis, counted from the first; without one that of a vector."""
    if axis is None:
        if ndim != 1:
            raise ValueError(f"{what} an array of several axes want one of them")
        axis = 0
    return axis_of(axis, ndim)


def axes_of(axis: Axis, ndim: int) -> list[int]:
    """The axes, counted from the first, in order; all of them for `None`."""
    if axis is None:
        return list(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = sorted(axis_of(one, ndim) for one in given)
    if len(set(axes)) < len(axes):
        raise ValueError(f"the axes {given} are not all different")
    return axes


def keep_axes(x: Array, axes: Sequence[int]) -> Array:
    """The result of a reduction, with axes of extent 1 again where they went."""
    for axis in axes:
        x = _n.add_axis(x, axis)
    return x


def shape_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """The shape; a number is that of a vector."""
    if isinstance(shape, Sequence):
        return tuple(operator.index(extent) for extent in shape)
    return (operator.index(shape),)


def check_device(device: object) -> None:
    """Refuses devices that do not compute here. Arrays are not bound to a device: the engine that computes them chooses."""
    if device is not None:
        from ._devices import check

        check(device)
