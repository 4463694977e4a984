"""Nested data: the class, with Awkward's names, on top of what the extension module has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from . import _elementwise
from . import _nestled as _n
from ._array import _COMPARISONS, _OPERATORS
from ._common import as_array
from ._nestled import Array, Nested

#: Awkward's names of operations along an axis, and ours.
_ALONG = {"drop_none": "drop_missing", "is_none": "is_missing"}


def from_iter(values: Iterable[Any], schema: str | None = None) -> Nested:
    """Nested data from lists of numbers, texts, `None`, tuples, dicts as records; the schema is inferred if it is not given."""
    return _n.from_values(values if isinstance(values, list) else list(values), schema)


def as_nested(x: Any) -> Nested:
    """An operand as nested data."""
    if isinstance(x, Nested):
        return x
    if isinstance(x, list):
        return from_iter(x)
    if type(x).__module__.startswith("awkward"):
        return from_awkward(x)
    return _n.from_array(as_array(x))


def as_nested_operand(x: Any) -> Any:
    """An operand as nested data, or as a number or a text."""
    if isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, Array) and x.ndim == 0:
        return x.item()
    return as_nested(x)


def along(name: str, x: Nested, axis: int | tuple[int, ...] | None) -> Nested:
    """An operation along an axis."""
    if not isinstance(axis, int):
        raise ValueError("nested data has operations along one axis")
    return _n.along(_ALONG.get(name, name), x, axis)


def _plain(x: Nested) -> Any:
    """The only element of a result of axis 0, as a number or a value of Python; other results as they are."""
    return _n.to_list(x)[0]


def _reduction(name: str) -> Callable[..., Any]:
    def reduction(self: Nested, axis: int | None = None, *, keepdims: bool = False) -> Any:
        if axis is None:
            return _plain(_n.along(name, _n.mapped("ravel", self), 0))
        made = _n.along(name, self, axis)
        if not keepdims:
            return made
        if axis in (0, -_depth(self)):
            raise NotImplementedError("keepdims=True along axis 0 is not there: the result has one element already")
        return _n.in_fixed(made, 1) if axis in (1, -1) and _depth(self) == 2 else _unsqueezed(made)

    reduction.__name__ = name
    reduction.__doc__ = f"`ak.{name}` along an axis; of all numbers if there is none."
    return reduction


def _unsqueezed(made: Nested) -> Nested:
    raise NotImplementedError("keepdims=True is there for axis 1 of two: fields of more axes broadcast without it")


def _depth(x: Nested) -> int:
    part = _n.part(x)
    if part[0] in ("lists", "fixed"):
        return 1 + _depth(part[2])
    if part[0] == "option":
        return _depth(part[2])
    return 1


def _method(name: str, doc: str) -> Callable[..., Any]:
    def method(self: Nested, axis: int = -1) -> Nested:
        return along(name, self, axis)

    method.__name__ = name
    method.__doc__ = doc
    return method


def _mapped(name: str) -> Callable[[Nested], Nested]:
    def method(self: Nested) -> Nested:
        return _n.mapped(name, self)

    method.__name__ = name
    method.__doc__ = f"`{name}` of each element."
    return method


def _operator(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    def forward(self: Nested, other: Any) -> Any:
        return _n.combined(name, self, as_nested_operand(other))

    def backward(self: Nested, other: Any) -> Any:
        return _n.combined(name, as_nested_operand(other), self)

    return forward, backward


def _getitem(self: Nested, key: Any) -> Any:
    """A field by its name, an element by its place, a slice, those where a mask holds, or those at places; a tuple goes one axis further for each."""
    if isinstance(key, tuple):
        return _deep(self, key)
    return _outer(self, key, 0)


def _deep(x: Nested, key: tuple[Any, ...]) -> Any:
    axis = 0
    for number, one in enumerate(key):
        if one is Ellipsis:
            axis = _depth(x) - (len(key) - number - 1)
            continue
        if isinstance(one, int) and not isinstance(one, bool):
            x = _n.element(x, one, axis, False) if axis else _parts_at(x, one)
            if not isinstance(x, Nested):
                rest = key[number + 1 :]
                return x if not rest else x[rest]
            continue
        x = _outer(x, one, axis)
        axis += 1
    return x


def _parts_at(x: Nested, place: int) -> Any:
    """One element: nested data if it is a list, and a value of Python if not."""
    if not -len(x) <= place < len(x):
        raise IndexError(f"index {place} is not inside {len(x)} elements")
    one = _n.slice(x, place, None if place == -1 else place + 1, 1, 0)
    part = _n.part(one)
    return _n.along("flatten", one, 1) if part[0] in ("lists", "fixed") else _n.to_list(one)[0]


def _outer(x: Nested, key: Any, axis: int) -> Any:
    if isinstance(key, str):
        return _n.field(x, key)
    if isinstance(key, slice):
        return _n.slice(x, key.start, key.stop, 1 if key.step is None else key.step, axis)
    if axis:
        raise NotImplementedError("beyond the first axis there are numbers and slices: a list of places or a mask is an index alone")
    if isinstance(key, int) and not isinstance(key, bool):
        return _parts_at(x, key)
    if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
        return _n.records(key, [_n.field(x, name) for name in key])
    other = as_nested(key)
    return _n.with_other("filter" if "bool" in other.schema else "pick", x, other)


def _getattr(self: Nested, name: str) -> Nested:
    if name.startswith("__") or name not in self.fields:
        raise AttributeError(f"`{self.schema}` has no field {name}")
    return _n.field(self, name)


def _iter(self: Nested) -> Iterator[Any]:
    return iter(_n.to_list(self))


def _repr(self: Nested) -> str:
    import shutil

    columns = max(shutil.get_terminal_size().columns, 40)
    return f"{_n.show(self, 12, columns)}"


def _truth(self: Nested) -> bool:
    raise ValueError("nested data is neither true nor false: any() or all() make one of booleans")


def _tolist(self: Nested) -> list[Any]:
    """The elements as values of Python."""
    return _n.to_list(self)


def _array(self: Nested, dtype: Any = None, copy: bool | None = None) -> Any:
    """The numbers as an array of NumPy's, if all lists of a level have one length."""
    from ._creation import _of_nested

    return _of_nested(self).__array__(dtype, copy)


def _reduce(self: Nested) -> Any:
    return (_rebuilt, (_taken_apart(self),))


def _taken_apart(x: Nested) -> Any:
    """Nested data as names and arrays of NumPy's, for pickles."""
    name, *parts = _n.part(x)
    if name == "record":
        return (name, {field: _taken_apart(part) for field, part in parts[0].items()})
    if name == "tuple":
        return (name, [_taken_apart(part) for part in parts[0]])
    return (name, *(_taken_apart(part) if isinstance(part, Nested) else part for part in parts))


def _rebuilt(parts: Any) -> Nested:
    name = parts[0]
    if name == "numbers":
        return _n.from_array(parts[1])
    if name in ("lists", "strings", "bytes"):
        return _n.in_lists(name, parts[1], _rebuilt(parts[2]))
    if name == "fixed":
        return _n.in_fixed(_rebuilt(parts[2]), parts[1])
    if name == "record":
        return _n.records(list(parts[1]), [_rebuilt(part) for part in parts[1].values()])
    if name == "tuple":
        return _n.records(None, [_rebuilt(part) for part in parts[1]])
    if name == "option":
        return _n.with_validity(_rebuilt(parts[2]), parts[1])
    return _n.categories(parts[1], _rebuilt(parts[2]))


def _ufunc(self: Nested, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    if method != "__call__" or options:
        return NotImplemented
    from ._numpy import _ours

    return _ours(ufunc.__name__)(*inputs)


def from_awkward(array: Any) -> Nested:
    """An array of Awkward's, by its buffers."""
    from ._awkward import from_awkward as convert

    return convert(array)


def to_awkward(self: Nested) -> Any:
    """The data as an array of Awkward's, by its buffers."""
    from ._awkward import to_awkward as convert

    return convert(self)


def _zip(arrays: dict[str, Any] | Sequence[Any]) -> Nested:
    """Records of arrays that go together, as deep as lists go; tuples of a sequence: `ak.zip`."""
    if isinstance(arrays, dict):
        return _n.zip(list(arrays), [as_nested(part) for part in arrays.values()])
    names = [str(number) for number in range(len(arrays))]
    return _n.zip(names, [as_nested(part) for part in arrays])


def _several(name: str) -> Callable[..., Nested]:
    def function(arrays: Sequence[Any], axis: int = 1 if name != "concatenate" else 0) -> Nested:
        return _n.of_several(name, [as_nested(part) for part in arrays], axis)

    return function


def _counted(name: str) -> Callable[..., Nested]:
    def method(self: Nested, n: int, axis: int = 1) -> Nested:
        return _n.counted(name, self, n, axis)

    return method


def _pad_none(self: Nested, target: int, axis: int = 1, *, clip: bool = False) -> Nested:
    """Lists of a length at least, by missing elements; of just that length with `clip`: `ak.pad_none`."""
    return _n.counted("pad_clip" if clip else "pad", self, target, axis)


def _sorted(name: str) -> Callable[..., Nested]:
    def method(self: Nested, axis: int = -1, *, ascending: bool = True) -> Nested:
        return _n.sorted(name, self, axis, ascending)

    return method


def _other(name: str) -> Callable[..., Nested]:
    def method(self: Nested, other: Any) -> Nested:
        return _n.with_other(name, self, as_nested(other))

    return method


def _text(name: str) -> Callable[..., Nested]:
    def method(self: Nested, pattern: str) -> Nested:
        return _n.text(name, self, pattern)

    return method


def _flatten(self: Nested, axis: int | None = 1) -> Nested:
    """The lists of an axis one after another: `ak.flatten`."""
    return _n.mapped("ravel", self) if axis is None else _n.along("flatten", self, axis)


def _num(self: Nested, axis: int = 1) -> Any:
    """The lengths of lists: `ak.num`."""
    return len(self) if axis == 0 else _n.along("num", self, axis)


def _first(self: Nested, axis: int = 1) -> Nested:
    """The first element of each list, missing where there is none: `ak.firsts`."""
    return _n.along("firsts", self, axis)


def _unzip(self: Nested) -> tuple[Nested, ...]:
    """The fields: `ak.unzip`."""
    return tuple(_n.field(self, name) for name in self.fields)


def _spread(name: str) -> Callable[..., Any]:
    def method(self: Nested, axis: int | None = None, *, ddof: int = 0) -> Any:
        if axis is None:
            return _plain(_n.counted(name, _n.mapped("ravel", self), ddof, 0))
        return _n.counted(name, self, ddof, axis)

    return method


_METHODS: dict[str, Any] = {
    "__abs__": _elementwise.abs,
    "__array__": _array,
    "__array_ufunc__": _ufunc,
    "__bool__": _truth,
    "__getattr__": _getattr,
    "__getitem__": _getitem,
    "__invert__": lambda self: _n.mapped("invert", self),
    "__iter__": _iter,
    "__neg__": _elementwise.negative,
    "__reduce__": _reduce,
    "__repr__": _repr,
    "argcombinations": _counted("arg_combinations"),
    "astype": lambda self, dtype: _n.nested_cast(self, as_dtype(dtype), False),
    "combinations": _counted("combinations"),
    "contains": _text("contains"),
    "count_text": _text("count_text"),
    "drop_none": _method("drop_none", "`ak.drop_none`."),
    "ends_with": _text("ends_with"),
    "equals": lambda self, other: _n.is_equal(self, as_nested(other)),
    "fill_none": lambda self, value: _n.fill_missing(self, value),
    "filter": _other("filter"),
    "find": _text("find"),
    "firsts": _first,
    "flatten": _flatten,
    "group_by": _other("group_by"),
    "histogram": lambda self, bins, low, high, axis=-1: _n.nested_histogram(self, (bins, low, high), axis),
    "is_in": _other("is_in"),
    "is_none": lambda self, axis=0: _n.along("is_missing", self, axis),
    "join": lambda self, other, on, how="inner": _n.join(self, other, [on] if isinstance(on, str) else list(on), how),
    "join_texts": _text("join_texts"),
    "local_index": _method("local_index", "`ak.local_index`."),
    "map_rows": lambda self, source, function: _n.map_rows(self, source, function),
    "mask": _other("mask"),
    "nan_to_none": _mapped("nan_to_missing"),
    "num": _num,
    "pad_none": _pad_none,
    "parse": lambda self, dtype: _n.nested_cast(self, as_dtype(dtype), True),
    "pick": _other("pick"),
    "quantile": lambda self, q, axis=-1: _n.quantile(self, q, axis),
    "rank": _sorted("rank"),
    "ravel": _mapped("ravel"),
    "replace": lambda self, pattern, by: _n.replace(self, pattern, by),
    "run_lengths": _mapped("run_lengths"),
    "singletons": _method("singletons", "`ak.singletons`."),
    "sort": _sorted("sort"),
    "argsort": _sorted("argsort"),
    "split": _text("split"),
    "starts_with": _text("starts_with"),
    "std": _spread("std"),
    "text_length": _mapped("text_length"),
    "to_awkward": to_awkward,
    "to_list": _tolist,
    "to_lower": _mapped("to_lower"),
    "to_numpy": _array,
    "to_text": _mapped("to_text"),
    "to_upper": _mapped("to_upper"),
    "tolist": _tolist,
    "top": _counted("top"),
    "trim": _mapped("trim"),
    "unflatten": _other("unflatten"),
    "unzip": _unzip,
    "var": _spread("var"),
    "with_field": lambda self, value, name: _n.with_field(self, name, as_nested(value)),
}
_STATIC: dict[str, Any] = {
    "argcartesian": _several("arg_cartesian"),
    "broadcast_arrays": lambda *arrays: _n.broadcast_arrays([as_nested(part) for part in arrays]),
    "cartesian": _several("cartesian"),
    "concatenate": _several("concatenate"),
    "from_array": lambda x: _n.from_array(as_array(x)),
    "from_awkward": from_awkward,
    "from_iter": from_iter,
    "zip": _zip,
}
_REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "mean", "median", "ptp", "count", "count_nonzero", "argmin", "argmax")
_CUMULATIVE = ("cumsum", "cumprod", "cummin", "cummax", "softmax", "reversed", "unique", "value_counts")


def as_dtype(dtype: Any) -> str:
    """The name of a type of elements."""
    from ._dtypes import dtype_of

    return dtype_of(dtype).name


def _install() -> None:
    for name, operation in (_OPERATORS | {"pow": "pow"}).items():
        forward, backward = _operator(operation)
        setattr(Nested, f"__{name}__", forward)
        setattr(Nested, f"__r{name}__", backward)
    for name, operation in _COMPARISONS.items():
        setattr(Nested, f"__{name}__", _operator(operation)[0])
    for name in _REDUCTIONS:
        setattr(Nested, name, _reduction(name))
    for name in _CUMULATIVE:
        setattr(Nested, name, _method(name, f"`{name}` along an axis, in each list."))
    for name, method in _METHODS.items():
        setattr(Nested, name, method)
    for name, function in _STATIC.items():
        setattr(Nested, name, staticmethod(function))
    Nested.__hash__ = None  # type: ignore[assignment,method-assign]


_install()
