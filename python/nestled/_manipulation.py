"""The same elements in other shapes and orders."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, Literal

from . import _nestled as _n
from ._common import Axis, as_array, axes_of, axis_of, cast, check_device, dtype as type_of, shape_of
from ._dtypes import common, dtype_of
from ._nestled import Array


def astype(
    x: Array, dtype: Any, /, *, copy: builtins.bool = True, device: object = None
) -> Array:
    """The array with elements of another type."""
    check_device(device)
    return cast(as_array(x), dtype_of(dtype))


def broadcast_to(x: Array, /, shape: Sequence[int]) -> Array:
    """The array in a shape to which it is broadcast."""
    return _n.broadcast(as_array(x), list(shape_of(shape)))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together."""
    from ._errors import ShapeError

    rank = max((len(shape) for shape in shapes), default=0)
    found = [1] * rank
    for shape in shapes:
        for axis, extent in enumerate(shape, rank - len(shape)):
            if found[axis] == 1:
                found[axis] = extent
            elif extent not in (1, found[axis]):
                raise ShapeError(f"the shapes {', '.join(str(list(shape)) for shape in shapes)} do not go together")
    return tuple(found)


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """The arrays in the shape that they have together."""
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return [broadcast_to(x, shape) for x in arrays]


def _one_type(arrays: Sequence[Any]) -> list[Array]:
    given = [as_array(x) for x in arrays]
    if not given:
        raise ValueError("there is no array to join")
    of = common([type_of(x) for x in given])
    return [cast(x, of) for x in given]


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Array:
    """Arrays one after another along an axis; without one, their elements."""
    given = _one_type(arrays)
    if axis is None:
        return _n.concat([_n.reshape(x, [x.size]) for x in given], 0)
    return _n.concat(given, axis_of(axis, given[0].ndim))


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Array:
    """Arrays of one shape beside each other, along a new axis."""
    given = _one_type(arrays)
    axis = axis_of(axis, given[0].ndim + 1)
    return _n.concat([_n.add_axis(x, axis) for x in given], axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts along an axis."""
    axis = axis_of(axis, x.ndim)
    return tuple(_n.at(x, axis, place) for place in range(x.shape[axis]))


def expand_dims(x: Array, /, *, axis: int = 0) -> Array:
    """The array with one more axis, of extent 1."""
    return _n.add_axis(x, axis_of(axis, x.ndim + 1))


def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array without axes of extent 1."""
    ones = [place for place, extent in enumerate(x.shape) if extent == 1]
    for one in reversed(ones if axis is None else axes_of(axis, x.ndim)):
        if x.shape[one] != 1:
            raise ValueError(f"axis {one} of {x.shape} is not of extent 1")
        x = _n.drop_axis(x, one)
    return x


def flip(x: Array, /, *, axis: Axis = None) -> Array:
    """The elements in reverse order along axes."""
    return _n.flip(x, axes_of(axis, x.ndim))


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The axes in another order."""
    order = [axis_of(axis, x.ndim) for axis in axes]
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"{tuple(axes)} is no order of {x.ndim} axes")
    return _n.permute(x, order)


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """Some axes at other places."""
    sources = [axis_of(axis, x.ndim) for axis in (source if isinstance(source, tuple) else (source,))]
    places = [axis_of(axis, x.ndim) for axis in (destination if isinstance(destination, tuple) else (destination,))]
    if len(sources) != len(places) or len(set(sources)) < len(sources) or len(set(places)) < len(places):
        raise ValueError("moveaxis() wants as many different places as axes")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return _n.permute(x, order)


def reshape(x: Array, /, shape: int | Sequence[int], *, copy: builtins.bool | None = None) -> Array:
    """The same elements, in row-major order, in another shape; −1 stands for the extent that is left."""
    wanted = list(shape_of(shape))
    if wanted.count(-1) > 1:
        raise ValueError("only one extent is found from the others")
    if -1 in wanted:
        others = math.prod(extent for extent in wanted if extent != -1)
        if others == 0 or x.size % others:
            raise ValueError(f"{x.size} elements do not fill the shape {tuple(wanted)}")
        wanted[wanted.index(-1)] = x.size // others
    if any(extent < 0 for extent in wanted):
        raise ValueError(f"{tuple(wanted)} is no shape")
    return _n.reshape(x, wanted)


def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Array:
    """The elements further along axes, those beyond an end at the other."""
    if axis is None:
        if not isinstance(shift, int):
            raise ValueError("several shifts want as many axes")
        return _n.reshape(_n.roll(_n.reshape(x, [x.size]), [shift]), list(x.shape))
    axes = [axis_of(one, x.ndim) for one in (axis if isinstance(axis, tuple) else (axis,))]
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError("roll() wants as many shifts as axes")
    by = [0] * x.ndim
    for one, own in zip(axes, shifts, strict=True):
        by[one] += own
    return _n.roll(x, by)


def shift(
    x: Array,
    by: int | tuple[int, ...],
    /,
    *,
    axis: Axis = None,
    mode: Literal["edge", "reflect", "wrap", "constant"] = "edge",
    value: float = 0,
) -> Array:
    """The elements further along axes: `roll` with a border. What comes in is, by the names of NumPy's `pad`, the element at the edge, those before it backward, those from the
    other end, or a value. Without `axis` the shifts are those of all axes."""
    x = as_array(x)
    shifts = by if isinstance(by, tuple) else (by,)
    given = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [axis_of(one, x.ndim) for one in given]
    if len(shifts) != len(axes):
        raise ValueError("shift() wants as many shifts as axes")
    whole = [0] * x.ndim
    for one, own in zip(axes, shifts, strict=True):
        whole[one] += own
    return _n.shift(x, whole, mode, value)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element, or each part along an axis, several times."""
    if axis is None:
        x, axis = _n.reshape(x, [x.size]), 0
    axis = axis_of(axis, x.ndim)
    if isinstance(repeats, int):
        spread = _n.add_axis(x, axis + 1)
        shape = list(spread.shape)
        shape[axis + 1] = repeats
        whole = list(x.shape)
        whole[axis] *= repeats
        return _n.reshape(_n.broadcast(spread, shape), whole)
    counts = as_array(repeats)
    return _n.repeat(x, axis, _n.broadcast(counts, [x.shape[axis]]))


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The array several times along each axis."""
    repetitions = shape_of(repetitions)
    for _ in range(len(repetitions) - x.ndim):
        x = _n.add_axis(x, 0)
    repetitions = (1,) * (x.ndim - len(repetitions)) + repetitions
    for axis, times in enumerate(repetitions):
        if times != 1:
            x = concat([x] * times, axis=axis) if times else _n.section(x, axis, 0, 0, 1)
    return x
