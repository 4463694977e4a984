"""Types of elements, and the rules by which they are promoted."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Final

from . import _nestled as _n

if TYPE_CHECKING:
    from numpy import dtype as NumpyDType


class DType:
    """The type of elements of an array. It equals NumPy's type of the same name."""

    __slots__ = ("itemsize", "kind", "name")

    def __init__(self, name: str, kind: str, itemsize: int) -> None:
        self.name: Final = name
        self.kind: Final = kind
        self.itemsize: Final = itemsize

    def __repr__(self) -> str:
        return f"nestled.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, DType):
            return self.name == other.name
        return getattr(other, "name", getattr(other, "__name__", other)) == self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (dtype_of, (self.name,))

    @property
    def numpy(self) -> NumpyDType[Any]:
        """The same type of NumPy's."""
        import numpy

        return numpy.dtype(self.name)


bool: Final = DType("bool", "b", 1)
int8: Final = DType("int8", "i", 1)
int16: Final = DType("int16", "i", 2)
int32: Final = DType("int32", "i", 4)
int64: Final = DType("int64", "i", 8)
uint8: Final = DType("uint8", "u", 1)
uint16: Final = DType("uint16", "u", 2)
uint32: Final = DType("uint32", "u", 4)
uint64: Final = DType("uint64", "u", 8)
float16: Final = DType("float16", "f", 2)
float32: Final = DType("float32", "f", 4)
float64: Final = DType("float64", "f", 8)

ALL: Final = (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64)
_BY_NAME: Final = {dtype.name: dtype for dtype in ALL}
_OF_PYTHON: Final = {builtins.bool: bool, int: int64, float: float64}


def dtype_of(dtype: Any) -> DType:
    """The type that something names: a type of ours, of NumPy's or of Python's, or its name."""
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, type) and dtype in _OF_PYTHON:
        return _OF_PYTHON[dtype]
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", "")
    found = _BY_NAME.get(str(name))
    if found is not None:
        return found
    if "complex" in str(name) or dtype is complex:
        raise NotImplementedError("arrays have no complex numbers: keep real and imaginary parts as two arrays")
    import numpy

    try:
        found = _BY_NAME.get(numpy.dtype(dtype).name)
    except TypeError:
        found = None
    if found is None:
        raise TypeError(f"{dtype!r} is no type of elements: one is {', '.join(_BY_NAME)}")
    return found


def common(dtypes: list[DType]) -> DType:
    """The type that holds the elements of all."""
    found = dtypes[0]
    for dtype in dtypes[1:]:
        if dtype is not found:
            found = _BY_NAME[_n.common_type(found.name, dtype.name)]
    return found


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type that an operation on these arrays, types and numbers has."""
    dtypes = []
    numbers = []
    for one in arrays_and_dtypes:
        if isinstance(one, (builtins.bool, int, float)):
            numbers.append(_OF_PYTHON[type(one)])
        elif isinstance(one, _n.Array):
            dtypes.append(_BY_NAME[one._dtype])
        else:
            dtypes.append(dtype_of(one))
    if not dtypes:
        if not numbers:
            raise ValueError("result_type() wants an array or a type")
        return common(numbers)
    found = common(dtypes)
    for number in numbers:
        if number.kind == "f" and found.kind != "f":
            found = float64
        elif number.kind == "i" and found.kind == "b":
            found = int64
    return found


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """True if the elements of one type are converted to another by promotion."""
    start = _BY_NAME[from_._dtype] if isinstance(from_, _n.Array) else dtype_of(from_)
    return common([start, dtype_of(to)]) == dtype_of(to)


_KINDS: Final = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "",
    "numeric": "iuf",
}


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """True if a type is of a kind, such as `"integral"`, or one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return dtype_of(dtype).kind in _KINDS[kind]
    if isinstance(kind, str):
        raise ValueError(f"{kind!r} is no kind of types: one is {', '.join(_KINDS)}")
    return dtype_of(dtype) == dtype_of(kind)


class finfo:
    """The limits of a type of floats."""

    def __init__(self, type: Any, /) -> None:
        import numpy

        self.dtype = _BY_NAME[type._dtype] if isinstance(type, _n.Array) else dtype_of(type)
        if self.dtype.kind != "f":
            raise TypeError(f"{self.dtype} is no type of floats")
        found = numpy.finfo(self.dtype.numpy)
        self.bits = int(found.bits)
        self.eps = float(found.eps)
        self.max = float(found.max)
        self.min = float(found.min)
        self.smallest_normal = float(found.smallest_normal)


class iinfo:
    """The limits of a type of integers."""

    def __init__(self, type: Any, /) -> None:
        self.dtype = _BY_NAME[type._dtype] if isinstance(type, _n.Array) else dtype_of(type)
        if self.dtype.kind not in "iu":
            raise TypeError(f"{self.dtype} is no type of integers")
        self.bits = 8 * self.dtype.itemsize
        signed = self.dtype.kind == "i"
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0
