"""Arrays from numbers, lists, NumPy and others."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _dtypes
from . import _nestled as _n
from ._common import as_array, cast, check_device, dtype as type_of, shape_of
from ._dtypes import DType, dtype_of, float64, int64
from ._nestled import Array

if TYPE_CHECKING:
    import numpy as np


def from_numpy(x: np.ndarray[Any, Any], /, *, copy: builtins.bool | None = None) -> Array:
    """An array of the elements of one of NumPy's. What nobody can write is used where it lies; with `copy=False` so is what must then not be written any more."""
    name = x.dtype.name
    if name not in _dtypes._BY_NAME:
        if x.dtype.kind == "c":
            raise NotImplementedError("arrays have no complex numbers: keep x.real and x.imag as two arrays")
        raise TypeError(f"{x.dtype} is no type of elements: convert it by astype() first")
    flags = x.flags
    if copy is False or (copy is None and not flags.writeable and x.nbytes >= _LARGE and _is_constant(x)):
        fits = flags.c_contiguous and flags.aligned and x.dtype.isnative and x.ndim > 0
        found: Array | None = _n.from_memory(x, name, x.shape) if fits else None
        if found is not None:
            return found
        if copy is False:
            raise ValueError("elements that are not in row-major order, as this machine stores them, are copied: leave copy=False out")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    flat = x.reshape(-1) if x.ndim != 1 else x
    if not flat.flags.aligned:
        # Parts of files and of messages, as those of Dask, begin anywhere.
        flat = flat.copy()
    bits = _AS_BITS.get(name)
    return _n.from_buffer(flat.view(bits) if bits else flat, name, x.shape)


#: Bytes that are rather shared than copied.
_LARGE = 1 << 16

#: Types that go by their bits.
_AS_BITS = {"bool": "uint8", "float16": "uint16"}


def _is_constant(x: Any) -> builtins.bool:
    """True if nobody can write the elements: neither by this array nor by any that it is a view of."""
    import numpy

    while isinstance(x, numpy.ndarray):
        if x.flags.writeable:
            return False
        x = x.base
    try:
        return x is None or memoryview(x).readonly
    except TypeError:
        return True


def asarray(
    obj: Any, /, *, dtype: Any = None, device: object = None, copy: builtins.bool | None = None
) -> Array:
    """An array of a number, nested lists of one shape, an array of NumPy's, or of whoever has its protocols.

    Arrays of others that nobody can write are used where they lie, others are copied as they are now; `copy=False` copies nothing, and then the elements must not be
    written as long as they are used.
    """
    if device is not None:
        check_device(device)
    wanted = None if dtype is None else dtype_of(dtype)
    found = _read(obj, wanted, copy)
    if wanted is None or found._dtype == wanted.name:
        return found
    if copy is False:
        raise ValueError(f"elements of {found._dtype} as {wanted} are copied: leave copy=False out")
    return cast(found, wanted)


array = asarray


def _read(obj: Any, wanted: DType | None, copy: builtins.bool | None) -> Array:
    if isinstance(obj, Array):
        return obj
    if copy is False and (isinstance(obj, (list, tuple, bool, int, float, _n.Nested))):
        raise ValueError("numbers of Python and lists are copied: leave copy=False out")
    if isinstance(obj, _n.Nested):
        return _of_nested(obj)
    if isinstance(obj, (bool, int, float)):
        return _n.full([], obj, (wanted or _dtypes._OF_PYTHON.get(type(obj), float64)).name)
    import numpy

    if type(obj) is numpy.ndarray and obj.dtype.kind != "O":
        return from_numpy(obj, copy=copy)
    if hasattr(obj, "__cuda_array_interface__"):
        if copy is False:
            raise ValueError("elements of other libraries on a card are copied: leave copy=False out")
        return from_numpy(_of_card(obj))
    if isinstance(obj, complex):
        raise NotImplementedError("arrays have no complex numbers: keep real and imaginary parts as two arrays")
    try:
        found = numpy.asarray(obj) if not _has_only_dlpack(obj) else numpy.from_dlpack(obj)
    except ValueError as error:
        if isinstance(obj, (list, tuple)):
            raise ValueError(f"{error}: for lists of different lengths there is nestled.Nested.from_iter()") from None
        raise
    if wanted is not None and found.dtype.kind == "O":
        found = found.astype(wanted.numpy)
    if found.size == 0 and isinstance(obj, (list, tuple)) and wanted is None:
        found = found.astype("float64")
    # What was made here is nobody else's.
    return from_numpy(found, copy=False if copy is None and _is_fresh(obj, found) else copy)


def _is_fresh(obj: Any, found: Any) -> builtins.bool:
    """True if NumPy made the elements of a list, so that nobody else has them, and they are many."""
    return isinstance(obj, (list, tuple)) and found.nbytes >= _LARGE and found.flags.c_contiguous and found.flags.owndata


def _of_card(obj: Any) -> Any:
    """The elements of another library's array on a card, on the host."""
    import numpy

    said = obj.__cuda_array_interface__
    shape, kind = tuple(said["shape"]), numpy.dtype(said["typestr"])
    strides, size = said.get("strides"), kind.itemsize
    if said.get("mask") is not None:
        raise NotImplementedError("masked elements on a card are not read: fill them in")
    for extent, stride in zip(reversed(shape), reversed(strides or ())):
        if stride != size and extent > 1:
            raise BufferError(f"elements on a card are read if they lie one after another, not with strides of {tuple(strides)} bytes: give a contiguous copy")
        size *= extent
    count = math.prod(shape) * kind.itemsize
    found = _n.cuda_bytes(said["data"][0], count, said.get("stream") or 0) if count else b""
    return numpy.frombuffer(found, kind).reshape(shape)


def _has_only_dlpack(obj: Any) -> builtins.bool:
    return hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__") and not isinstance(obj, (list, tuple))


def _of_nested(x: _n.Nested) -> Array:
    parts = _n.part(x)
    if parts[0] == "numbers":
        numbers: Array = parts[1]
        return numbers
    if parts[0] == "fixed":
        content = _of_nested(parts[2])
        return _n.reshape(content, [len(x), parts[1], *content.shape[1:]])
    raise ValueError(f"`{x.schema}` is no array of one shape: choose a field, flatten() it, or pad_none() it")


def from_dlpack(x: Any, /, *, device: object = None, copy: builtins.bool | None = None) -> Array:
    """An array of the elements of any library that has DLPack. They are copied, or not, as by `asarray`."""
    check_device(device)
    if isinstance(x, Array):
        return x
    import numpy

    return from_numpy(numpy.from_dlpack(x), copy=copy)


def full(
    shape: int | Sequence[int], fill_value: Any, *, dtype: Any = None, device: object = None
) -> Array:
    """One number everywhere."""
    check_device(device)
    if isinstance(fill_value, Array):
        fill_value = fill_value.item()
    of = dtype_of(dtype) if dtype is not None else _dtypes._OF_PYTHON.get(type(fill_value), float64)
    return _n.full(list(shape_of(shape)), fill_value, of.name)


def zeros(shape: int | Sequence[int], *, dtype: Any = None, device: object = None) -> Array:
    """0 everywhere."""
    return full(shape, 0, dtype=float64 if dtype is None else dtype, device=device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: object = None) -> Array:
    """1 everywhere."""
    return full(shape, 1, dtype=float64 if dtype is None else dtype, device=device)


def empty(shape: int | Sequence[int], *, dtype: Any = None, device: object = None) -> Array:
    """Elements that nobody has set; they are 0."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: object = None) -> Array:
    """One number everywhere, in the shape and the type of another array."""
    return full(x.shape, fill_value, dtype=type_of(x) if dtype is None else dtype, device=device)


def zeros_like(x: Array, /, *, dtype: Any = None, device: object = None) -> Array:
    """0 everywhere, in the shape and the type of another array."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: object = None) -> Array:
    """1 everywhere, in the shape and the type of another array."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: Any = None, device: object = None) -> Array:
    """Elements that nobody has set, in the shape and the type of another array."""
    return zeros_like(x, dtype=dtype, device=device)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: object = None,
) -> Array:
    """Numbers from one to another that is not reached, in equal steps."""
    check_device(device)
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("the step of arange() is not 0")
    count = max(math.ceil((stop - start) / step), 0)
    is_int = all(isinstance(one, int) for one in (start, stop, step))
    of = dtype_of(dtype) if dtype is not None else int64 if is_int else float64
    if step == 1 and start == 0:
        return _n.index([count], 0, of.name)
    places = _n.index([count], 0)
    if of.kind == "f":
        return cast(cast(places, float64) * float(step) + float(start), of)
    return cast(places * int(step) + int(start), of)


def indices(shape: Sequence[int], /, *, dtype: Any = None) -> tuple[Array, ...]:
    """For each axis the index along it, at each place of a shape."""
    of = int64 if dtype is None else dtype_of(dtype)
    return tuple(_n.index(list(shape), axis, of.name) for axis in range(len(shape)))


def linspace(
    start: float,
    stop: float,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: object = None,
    endpoint: builtins.bool = True,
) -> Array:
    """So many numbers from one to another, at equal distances."""
    check_device(device)
    of = float64 if dtype is None else dtype_of(dtype)
    if num < 0:
        raise ValueError("linspace() gives 0 numbers or more")
    intervals = num - 1 if endpoint else num
    places = cast(_n.index([num], 0), float64)
    if intervals <= 0:
        return cast(places + float(start), of)
    made = places * ((float(stop) - float(start)) / intervals) + float(start)
    if endpoint:
        made = _n.select(_n.binary("equal", places, float(intervals)), float(stop), made)
    return cast(made, of)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: object = None
) -> Array:
    """1 on a diagonal, and 0 elsewhere."""
    check_device(device)
    shape = [n_rows, n_rows if n_cols is None else n_cols]
    on = _n.binary("equal", _n.index(shape, 1) - _n.index(shape, 0), k)
    return cast(on, float64 if dtype is None else dtype_of(dtype))


def _beside(x: Array, name: str, k: int) -> Array:
    if x.ndim < 2:
        raise ValueError("a triangle is that of an array of two axes or more")
    shape = list(x.shape)
    across = _n.index(shape, x.ndim - 1) - _n.index(shape, x.ndim - 2)
    zero: Any = False if x._dtype == "bool" else 0
    return _n.select(_n.binary(name, across, k), x, zero)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and below a diagonal, and 0 above."""
    return _beside(as_array(x), "less_equal", k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and above a diagonal, and 0 below."""
    return _beside(as_array(x), "greater_equal", k)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """Vectors as arrays of coordinates."""
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing is 'xy' or 'ij'")
    order = list(range(len(arrays)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = [0] * len(arrays)
    for axis, x in zip(order, arrays, strict=True):
        shape[axis] = x.size
    made = []
    for axis, x in zip(order, arrays, strict=True):
        spread = _n.reshape(x, [x.size])
        for _ in range(len(arrays) - axis - 1):
            spread = _n.add_axis(spread, spread.ndim)
        made.append(_n.broadcast(spread, shape))
    return made
