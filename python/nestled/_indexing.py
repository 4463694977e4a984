"""Elements by place: NumPy's indexing."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Literal

from . import _nestled as _n
from ._common import as_array, axis_of, dtype as type_of, only_axis_of
from ._manipulation import broadcast_shapes
from ._nestled import Array


def take(x: Array, indices: Any, /, *, axis: int | None = None) -> Array:
    """The parts at places along an axis. A place that is not there is an error when it is computed."""
    x = as_array(x)
    axis = only_axis_of(axis, x.ndim, "places in")
    return _n.take(x, axis, places(indices, x.shape[axis]))


def take_along_axis(x: Array, indices: Any, /, *, axis: int = -1) -> Array:
    """For each row along an axis the elements at the places in the same row of `indices`."""
    x = as_array(x)
    axis = axis_of(axis, x.ndim)
    found = places(indices, x.shape[axis])
    others = [[1 if own == axis else extent for own, extent in enumerate(one.shape)] for one in (x, found)]
    shape = broadcast_shapes(*others)
    whole = list(shape)
    whole[axis] = x.shape[axis]
    wanted = list(shape)
    wanted[axis] = found.shape[axis]
    return _n.take_along(_n.broadcast(x, whole), axis, _n.broadcast(found, wanted))


def gather(
    x: Array, indices: Sequence[Any], /, *, mode: Literal["raise", "clip", "wrap", "constant"] = "raise", value: float = 0
) -> Array:
    """The elements at places that have an index along each axis, counted from the first: `indices` are broadcast together. For a place that is not there stands an error
    when it is computed; with other modes the nearest element, that at the place modulo the extents, or a value."""
    x = as_array(x)
    found = [as_array(one) for one in indices]
    if len(found) != x.ndim:
        raise IndexError(f"an element of an array of {x.ndim} axes has as many indices, not {len(found)}")
    for one in found:
        if type_of(one).kind not in "iu":
            raise IndexError(f"places are integers, not {one._dtype}")
    return _n.gather(x, found, mode, value)


def places(indices: Any, extent: int) -> Array:
    """Places counted from the first. Those that are known now are checked now."""
    if not isinstance(indices, Array):
        import numpy

        known = numpy.asarray(indices)
        if known.size == 0:
            known = known.astype("int64")
        if known.dtype.kind not in "iu":
            raise IndexError(f"places are integers or booleans, not {known.dtype}")
        outside = known[(known < -extent) | (known >= extent)]
        if outside.size:
            raise IndexError(f"index {outside.flat[0]} is not inside an axis of {extent}")
        return as_array(numpy.where(known < 0, known + extent, known).astype("int64"))
    if type_of(indices).kind not in "iu":
        raise IndexError(f"places are integers or booleans, not {indices._dtype}")
    if type_of(indices).kind == "u":
        return indices
    wide = _n.cast(indices, "int64")
    return _n.select(_n.binary("less", wide, 0), wide + extent, wide)


def _is_array(key: Any) -> bool:
    return isinstance(key, (Array, list)) or (hasattr(key, "dtype") and getattr(key, "ndim", 0) > 0)


def _keys(x: Array, key: Any) -> list[Any]:
    """The key as one entry for each axis or new axis; masks of several axes stand for as many."""
    given = list(key) if isinstance(key, tuple) else [key]
    keys: list[Any] = []
    for one in given:
        if isinstance(one, list) or (_is_array(one) and not isinstance(one, Array)):
            import numpy

            one = numpy.asarray(one)
            if one.dtype.kind == "b":
                one = as_array(one)
        keys.append(one)
    used = sum(_consumed(one) for one in keys)
    if used > x.ndim:
        raise IndexError(f"an array of {x.ndim} axes has no element at {used} places")
    rest = [slice(None)] * (x.ndim - used)
    at = [number for number, one in enumerate(keys) if one is Ellipsis]
    if len(at) > 1:
        raise IndexError("an index has at most one ...")
    return keys[: at[0]] + rest + keys[at[0] + 1 :] if at else keys + rest


def _is_mask(key: Any) -> bool:
    return isinstance(key, Array) and key._dtype == "bool"


def _consumed(key: Any) -> int:
    if key is None or key is Ellipsis:
        return 0
    return key.ndim if _is_mask(key) else 1


def getitem(x: Array, key: Any) -> Array:
    """Selects by a key: integers, slices, `...`, `None`, masks, and arrays of places."""
    if isinstance(key, int) and not isinstance(key, bool):
        return _at(x, 0, key)
    keys = _keys(x, key)
    masks = [one for one in keys if _is_mask(one)]
    if masks and all(_is_mask(one) or one == slice(None) for one in keys if one is not None) and len(masks) == 1:
        if not any(one is None for one in keys):
            return _masked(x, keys.index(masks[0]) if len(keys) == 1 else _place_of_mask(keys), masks[0])
    if any(_is_array(one) for one in keys):
        return _gathered(x, keys)
    return _basic(x, keys)


def _place_of_mask(keys: list[Any]) -> int:
    return next(number for number, one in enumerate(keys) if _is_mask(one))


def _at(x: Array, axis: int, place: Any) -> Array:
    place = operator.index(place)
    if axis >= x.ndim or not -x.shape[axis] <= place < x.shape[axis]:
        raise IndexError(f"index {place} is not inside axis {axis} of an array of shape {x.shape}")
    return _n.at(x, axis, place)


def _section(x: Array, axis: int, key: slice) -> Array:
    if key.step == 0:
        raise ValueError("the step of a slice is not 0")
    part = range(*key.indices(x.shape[axis]))
    if part == range(x.shape[axis]):
        return x
    return _n.section(x, axis, part.start if len(part) else 0, len(part), part.step)


def _basic(x: Array, keys: list[Any]) -> Array:
    axis = 0
    for key in keys:
        if key is None:
            x = _n.add_axis(x, axis)
            axis += 1
        elif isinstance(key, slice):
            x = _section(x, axis, key)
            axis += 1
        else:
            x = _at(x, axis, key)
    return x


def _masked(x: Array, axis: int, mask: Array) -> Array:
    """The parts where a mask holds, which spans axes from one on."""
    if mask.shape != x.shape[axis : axis + mask.ndim]:
        raise IndexError(f"a mask of shape {mask.shape} is not for axes {x.shape[axis : axis + mask.ndim]}")
    if mask.ndim == x.ndim and x.ndim > 0:
        return _n.compress(x, mask)
    if mask.ndim == 0:
        return _n.compress_axis(_n.add_axis(x, axis), axis, _n.reshape(mask, [1]))
    if mask.ndim > 1:
        count = math.prod(mask.shape)
        x = _n.reshape(x, [*x.shape[:axis], count, *x.shape[axis + mask.ndim :]])
        mask = _n.reshape(mask, [count])
    return _n.compress_axis(x, axis, mask)


def _gathered(x: Array, keys: list[Any]) -> Array:
    """The elements at places of several axes, which are broadcast together; integers beside them are places too."""
    from ._searching import nonzero

    spread: list[Any] = []
    for key in keys:
        spread.extend(nonzero(key) if _is_mask(key) else [key])
    axis = 0
    plain: list[Any] = []
    for key in spread:
        if key is None:
            x = _n.add_axis(x, axis)
            plain.append(slice(None))
        elif isinstance(key, slice):
            x = _section(x, axis, key)
            plain.append(slice(None))
        else:
            plain.append(places(key, x.shape[axis]))
        axis += 1
    at = [number for number, key in enumerate(plain) if isinstance(key, Array)]
    if len(at) == 1:
        return _n.take(x, at[0], plain[at[0]])
    shape = broadcast_shapes(*[plain[number].shape for number in at])
    # Axes of places stay where they are if they are neighbours, as in NumPy.
    front = at[0] if at == list(range(at[0], at[0] + len(at))) and _are_neighbours(spread) else 0
    others = [number for number in range(x.ndim) if number not in at]
    result = [x.shape[number] for number in others]
    result[front:front] = shape
    indices = []
    for number in range(x.ndim):
        if number in at:
            index = _n.broadcast(plain[number], list(shape))
            behind = len(others) - front
            for _ in range(behind):
                index = _n.add_axis(index, index.ndim)
        else:
            index = _n.index([x.shape[number]], 0)
            place = others.index(number)
            place = place if place < front else place + len(shape)
            for _ in range(len(result) - place - 1):
                index = _n.add_axis(index, index.ndim)
        indices.append(_n.broadcast(index, result))
    return _n.gather(x, indices, "raise", 0)


def _are_neighbours(keys: list[Any]) -> bool:
    at = [number for number, key in enumerate(keys) if not (key is None or isinstance(key, slice))]
    return at == list(range(at[0], at[-1] + 1))
