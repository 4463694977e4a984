"""The class of arrays: operators, methods, and the protocols of Python and NumPy, on top of what the extension module has."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import _elementwise, _indexing, _manipulation, _searching, _statistics
from . import _nestled as _n
from ._common import as_array, dtype
from ._explained import Explanation
from ._linalg import matmul, matrix_transpose
from ._nestled import Array, Nested

#: More elements than these are shown by their ends only.
WHOLE = 1000
#: Elements that are shown at each end of an axis.
ENDS = 3


def _of_numpys(function: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Operators by functions that know more than one operation of the extension module."""

    def forward(self: Array, other: Any) -> Any:
        return function(self, other) if isinstance(other, (Array, bool, int, float)) else NotImplemented

    def backward(self: Array, other: Any) -> Any:
        return function(other, self) if isinstance(other, (Array, bool, int, float)) else NotImplemented

    return forward, backward


def _matmul(self: Array, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Array) else NotImplemented


def _shape_text(x: Array) -> str:
    return f", shape={x.shape}" if x.size > WHOLE or x.size == 0 else ""


def _ends(x: Array) -> Array:
    """The elements that are shown: of long axes those at the ends, and one between."""
    for axis, extent in enumerate(x.shape):
        if extent > 2 * ENDS + 1:
            first = _n.section(x, axis, 0, ENDS + 1, 1)
            x = _n.concat([first, _n.section(x, axis, extent - ENDS, ENDS, 1)], axis)
    return x


def _text(x: Array, prefix: str) -> str:
    import numpy

    shown = numpy.asarray(_ends(x) if x.size > WHOLE else x)
    threshold = 0 if x.size > WHOLE else sys.maxsize
    return numpy.array2string(shown, separator=", ", prefix=prefix, threshold=threshold, edgeitems=ENDS)


def _repr(self: Array) -> str:
    text = _text(self, "Array(")
    implied = self._dtype in ("bool", "float64", "int64") and self.size > 0
    return f"Array({text}{'' if implied else f', dtype={self._dtype}'}{_shape_text(self)})"


def _str(self: Array) -> str:
    return _text(self, "")


def _len(self: Array) -> int:
    if self.ndim == 0:
        raise TypeError("an array of no axis has no length")
    return self.shape[0]


def _iter(self: Array) -> Iterator[Array]:
    if self.ndim == 0:
        raise TypeError("an array of no axis has no parts")
    if not _n.is_tracing():
        _n.evaluate([self])
    return (_n.at(self, 0, place) for place in range(self.shape[0]))


def _contains(self: Array, value: Any) -> bool:
    return bool(_statistics.any(_elementwise.equal(self, value)))


def _single(self: Array) -> Any:
    if self.size != 1:
        raise ValueError(f"an array of shape {self.shape} is no single number: any() or all() make one of booleans")
    return _n.item(self)


def _index(self: Array) -> int:
    if self.ndim != 0 or dtype(self).kind not in "iu":
        raise TypeError(f"an array of shape {self.shape} of {self._dtype} is no index")
    return operator.index(_n.item(self))


def _complex(self: Array) -> complex:
    return complex(_single(self))


def _item(self: Array) -> Any:
    """The only element, as a number of Python."""
    return _single(self)


def _tolist(self: Array) -> Any:
    """The elements as nested lists of Python's numbers."""
    if 0 in self.shape:
        return _empty_lists(self.shape)
    # Python's views of memory have no lists of floats of 16 bits.
    return memoryview(_n.host(_n.cast(self, "float32") if self._dtype == "float16" else self)).tolist()


def _empty_lists(shape: tuple[int, ...]) -> list[Any]:
    return [_empty_lists(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []


def _numpy(self: Array, dtype: Any = None, copy: bool | None = None) -> Any:
    """The elements as an array of NumPy's, a view that cannot be written; with `copy=True` one that can."""
    import numpy

    held = _n.host(self)
    if copy is False and held.is_copy:
        raise ValueError("the elements are not where NumPy can read them: they are copied")
    found = numpy.asarray(held)
    if dtype is None or found.dtype == dtype:
        return found.copy() if copy else found
    if copy is False:
        raise ValueError(f"elements of {self._dtype} as {dtype} are copied")
    return found.astype(dtype)


def _numpy_method(self: Array, *, copy: bool | None = None) -> Any:
    """The elements as an array of NumPy's, a view that cannot be written; with `copy=True` one that can."""
    return _numpy(self, copy=copy)


def _dlpack(
    self: Array,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The elements for another library, on the host. Who does not know of elements that cannot be written gets a copy."""
    if dl_device not in (None, (1, 0)):
        raise BufferError(f"the elements are given on the host, (1, 0), not on {dl_device}")
    knows = max_version is not None and max_version >= (1, 0)
    if copy is False and not knows:
        raise BufferError("elements that cannot be written are given by DLPack from version 1.0 on: they are copied")
    found = _numpy(self, copy=copy if knows else True)
    if not knows:
        return found.__dlpack__()
    try:
        return found.__dlpack__(max_version=max_version)
    except (BufferError, TypeError):
        # This NumPy does not know of them.
        return found.copy().__dlpack__()


def _cuda_array_interface(self: Array) -> dict[str, Any]:
    """The elements on the card that computes here, for other libraries for CUDA, which must not write them: they lie there as long as the array. On other devices there is no such attribute."""
    address = None if _n.is_tracing() else self._cuda()
    if address is None:
        raise AttributeError("the elements are not on a card: `with nd.device(\"cuda:0\"):` computes there, or brings them there")
    return {"version": 3, "shape": self.shape, "typestr": dtype(self).numpy.str, "data": (address if self.size else 0, False), "strides": None}


def _dlpack_device(self: Array) -> tuple[int, int]:
    """The host: device 0 of type 1."""
    return (1, 0)


def _namespace(self: Array, /, *, api_version: str | None = None) -> Any:
    import nestled

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"version {api_version} of the standard is not there: 2024.12 is")
    return nestled


def _device(self: Array) -> str:
    """The device that computes here. Arrays are not bound to one: engines lend each other what they hold."""
    from ._devices import current

    return current()


def _to_device(self: Array, device: Any, /, *, stream: Any = None) -> Array:
    """The array, which is computed on a device now if it is not the one that computes here. Whoever uses it elsewhere has it brought there."""
    from ._devices import move

    move([self], device)
    return self


def _reduce(self: Array) -> Any:
    from ._creation import from_numpy

    return (from_numpy, (_numpy(self),))


def _setitem(self: Array, key: Any, value: Any) -> None:
    raise TypeError(
        "arrays never change: x.with_at(key, value) is a copy with other elements, nestled.where() chooses by a mask"
    )


def _with_at(self: Array, key: Any, value: Any) -> Array:
    """A copy with other elements at a key."""
    value = as_array(value) if not isinstance(value, (bool, int, float)) else value
    if _indexing._is_mask(key) and key.shape == self.shape:
        other = value if not isinstance(value, Array) or value.ndim == 0 else None
        if other is not None:
            return _n.cast(_searching.where(key, other, self), self._dtype)
    flat = _n.reshape(_n.index([self.size], 0), list(self.shape))
    there = _indexing.getitem(flat, key)
    count = there.size
    if isinstance(value, Array):
        values = _n.cast(_manipulation.broadcast_to(value, there.shape), self._dtype)
    else:
        values = _n.full(list(there.shape), value, self._dtype)
    base = _n.reshape(self, [self.size])
    made = _n.scatter(base, [_n.reshape(there, [count])], _n.reshape(values, [count]), "last")
    return _n.reshape(made, list(self.shape))


def _get_dtype(self: Array) -> Any:
    """The type of the elements."""
    return dtype(self)


def _transposed(self: Array) -> Array:
    """The axes in reverse order."""
    return _n.permute(self, list(range(self.ndim))[::-1])


def _explain(self: Array) -> Explanation:
    """Says how the array is computed: its nodes, its kernels, their code; notebooks show the kernels as a picture."""
    return Explanation.of(_n.explain([self]))


def _method(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A function as a method, whose first arguments after the array may be positional, as in NumPy."""

    def method(self: Array, *args: Any, **options: Any) -> Any:
        for name, value in zip(names, args, strict=False):
            options[name] = value
        return function(self, **options)

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


def _reshape(self: Array, *shape: Any) -> Array:
    """The same elements in another shape; −1 stands for the extent that is left."""
    return _manipulation.reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)


def _astype(self: Array, dtype: Any, *, copy: bool = True) -> Array:
    """The array with elements of another type."""
    return _manipulation.astype(self, dtype, copy=copy)


def _ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    from ._numpy import of_ufunc

    return of_ufunc(ufunc, method, inputs, options)


def _function(self: Array, function: Any, types: Any, args: Any, options: Any) -> Any:
    from ._numpy import of_function

    return of_function(function, args, options)


#: Python's operators, which the extension module gives to arrays.
_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
_FUNCTIONS = {
    "pow": _elementwise.pow, "lshift": _elementwise.bitwise_left_shift, "rshift": _elementwise.bitwise_right_shift,
}  # fmt: skip
_METHODS: dict[str, Callable[..., Any]] = {
    "__abs__": _elementwise.abs,
    "__array__": _numpy,
    "__array_function__": _function,
    "__array_namespace__": _namespace,
    "__array_ufunc__": _ufunc,
    "__bool__": lambda self: bool(_single(self)),
    "__complex__": _complex,
    "__contains__": _contains,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
    "__float__": lambda self: float(_single(self)),
    "__getitem__": _indexing.getitem,
    "__index__": _index,
    "__int__": lambda self: int(_single(self)),
    "__invert__": _elementwise.bitwise_invert,
    "__iter__": _iter,
    "__len__": _len,
    "__matmul__": _matmul,
    "__neg__": _elementwise.negative,
    "__pos__": _elementwise.positive,
    "__reduce__": _reduce,
    "__repr__": _repr,
    "__setitem__": _setitem,
    "__str__": _str,
    "all": _method(_statistics.all, "axis"),
    "any": _method(_statistics.any, "axis"),
    "argmax": _method(_searching.argmax, "axis"),
    "argmin": _method(_searching.argmin, "axis"),
    "argsort": _method(_searching.argsort, "axis"),
    "astype": _astype,
    "clip": _elementwise.clip,
    "cumprod": _method(_statistics.cumulative_prod, "axis"),
    "cumsum": _method(_statistics.cumulative_sum, "axis"),
    "explain": _explain,
    "item": _item,
    "max": _method(_statistics.max, "axis"),
    "mean": _method(_statistics.mean, "axis"),
    "min": _method(_statistics.min, "axis"),
    "numpy": _numpy_method,
    "prod": _method(_statistics.prod, "axis"),
    "ravel": lambda self: _n.reshape(self, [self.size]),
    "reshape": _reshape,
    "std": _method(_statistics.std, "axis"),
    "sum": _method(_statistics.sum, "axis"),
    "to_device": _to_device,
    "tolist": _tolist,
    "var": _method(_statistics.var, "axis"),
    "with_at": _with_at,
}
_PROPERTIES = {"__cuda_array_interface__": _cuda_array_interface, "T": _transposed, "device": _device, "dtype": _get_dtype, "mT": matrix_transpose}


def _install() -> None:
    """Gives the class its operators, methods and properties."""
    for name, function in _FUNCTIONS.items():
        forward, backward = _of_numpys(function)
        setattr(Array, f"__{name}__", forward)
        setattr(Array, f"__r{name}__", backward)
    for name, method in _METHODS.items():
        setattr(Array, name, method)
    for name, getter in _PROPERTIES.items():
        setattr(Array, name, property(getter))
    Array.__hash__ = None  # type: ignore[assignment,method-assign]


_install()

__all__ = ["Array", "Nested"]
