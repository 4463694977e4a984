"""Nested data: the class, with Awkward's names, on top of what the extension module has."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from . import _elementwise
from . import _nestled as _n
from ._array import _COMPARISONS, _OPERATORS
from ._common import as_array
from ._nestled import Array, Nested
from ._products import combinations, product
from ._selection import depth, getitem, parts_at
from ._tables import arrow_array, arrow_schema, arrow_stream, from_arrow, read, speaks_arrow, to_arrow, write

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
    if not isinstance(x, Array) and speaks_arrow(x):
        return from_arrow(x)
    return _n.from_array(as_array(x))


def as_nested_operand(x: Any) -> Any:
    """An operand as nested data, or as a number or a text."""
    if isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, Array) and x.ndim == 0:
        return x.item()
    return as_nested(x)


def of_one_length(*sides: Any) -> tuple[Any, ...]:
    """Operands of an operation; an array of one element is repeated for all elements of the others."""
    lengths = {len(side) for side in sides if isinstance(side, Nested)}
    if len(lengths) != 2 or 1 not in lengths:
        return sides
    places = _n.binary("multiply", _n.index([max(lengths - {1}, default=0)], 0), 0)
    return tuple(side[places] if isinstance(side, Nested) and len(side) == 1 else side for side in sides)


def along(name: str, x: Nested, axis: int | tuple[int, ...] | None) -> Nested:
    """An operation along an axis."""
    if not isinstance(axis, int):
        raise ValueError("nested data has operations along one axis")
    return _n.along(_ALONG.get(name, name), x, axis)


def _plain(x: Nested) -> Any:
    """The only element of a result of axis 0, as a number or a value of Python; other results as they are."""
    return _n.to_list(x)[0]


def reduced(name: str, x: Nested, axis: int | None, keepdims: bool, ddof: int = 0) -> Any:
    """A reduction along an axis; of all numbers if there is none."""
    if axis is None:
        whole = _flat(x, name in ("argmin", "argmax"))
        made = _n.counted(name, whole, ddof, 0) if name in ("var", "std") else _n.along(name, whole, 0)
        return _plain(made) if not keepdims else _around(made, depth(x) - 1)
    if keepdims:
        return _n.kept(name, x, axis, ddof)
    made = _n.counted(name, x, ddof, axis) if name in ("var", "std") else _n.along(name, x, axis)
    return _plain(made) if depth(x) == 1 and not x.fields else made


def _around(x: Nested, levels: int) -> Nested:
    """As many levels of lists of one element around what is there."""
    for _ in range(levels):
        x = _n.in_fixed(x, 1)
    return x


def _flat(x: Nested, with_missing: bool) -> Nested:
    return _ravel(x) if with_missing else _n.mapped("ravel", x)


def _ravel(x: Nested) -> Nested:
    """All elements one after another, with those that are missing: `ak.ravel`."""
    while depth(x) > 1:
        x = _n.along("flatten", x, 1)
    return x


def _reduction(name: str) -> Callable[..., Any]:
    def reduction(self: Nested, axis: int | None = None, *, keepdims: bool = False) -> Any:
        return reduced(name, self, axis, keepdims)

    reduction.__name__ = name
    reduction.__doc__ = f"`ak.{name}` along an axis; of all numbers if there is none."
    return reduction


def _without_nan(name: str) -> Callable[..., Any]:
    def reduction(self: Nested, axis: int | None = None, *, keepdims: bool = False) -> Any:
        return reduced(name, _n.mapped("nan_to_missing", self), axis, keepdims)

    reduction.__name__ = f"nan{name}"
    reduction.__doc__ = f"`ak.nan{name}`: `{name}` that passes over NaN."
    return reduction


def _method(name: str, doc: str, default: int = -1) -> Callable[..., Any]:
    def method(self: Nested, axis: int = default) -> Nested:
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
        return _n.combined(name, *of_one_length(self, as_nested_operand(other)))

    def backward(self: Nested, other: Any) -> Any:
        return _n.combined(name, *of_one_length(as_nested_operand(other), self))

    return forward, backward


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
    from ._parts import rebuilt, taken_apart

    return (rebuilt, (taken_apart(self),))


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
    parts = [as_nested(part) for part in arrays]
    return _n.mapped("to_tuples", _n.zip([str(number) for number in range(len(parts))], parts))


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Nested:
    """Arrays one after another, or list by list: `ak.concatenate`."""
    return _n.of_several("concatenate", [as_nested(part) for part in arrays], axis)


def _fill_none(self: Nested, value: Any, axis: int | None = None) -> Nested:
    """A number or a text in place of what is missing; `[]` in place of lists that are missing along an axis."""
    if isinstance(value, list) and not value:
        return _n.along("missing_as_empty", self, 0 if axis is None else axis)
    return _n.fill_missing(self, value)


def _drop_none(self: Nested, axis: int | None = None) -> Nested:
    """The elements of an axis that are not missing, of all axes if there is none: `ak.drop_none`."""
    if axis is not None:
        return along("drop_none", self, axis)
    for level in reversed(range(depth(self))):
        self = along("drop_none", self, level)
    return self


def _nan_to_num(self: Nested, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Nested:
    """Numbers in place of NaN and of infinities, or elements of arrays: `ak.nan_to_num`."""
    plain = isinstance(nan, (bool, int, float))
    made = _n.nan_to_num(self, nan if plain else 0.0)
    if not plain:
        made = _n.choose(_n.combined("not_equal", self, self), as_nested_operand(nan), made)
    for value, end in ((posinf, math.inf), (neginf, -math.inf)):
        if value is not None:
            made = _n.choose(_n.combined("equal", self, end), as_nested_operand(value), made)
    return made


def _full_like(self: Nested, value: Any, dtype: Any = None) -> Nested:
    """The same lists, with one number everywhere: `ak.full_like`."""
    return _n.nested_full_like(self if dtype is None else _n.nested_cast(self, as_dtype(dtype), False), value)


def _unflatten(self: Nested, lengths: Any, axis: int = 0) -> Nested:
    """Lists of these lengths, or of one length, cut out of those along an axis: `ak.unflatten`."""
    if isinstance(lengths, int):
        inside = _n.along("flatten", self, axis) if axis else self
        count = len(inside) // lengths if lengths else 0
        made = _n.unflatten(self, from_iter([lengths] * count, "int64"), axis)
        return _n.along("to_regular", made, axis + 1 if axis >= 0 else axis)
    lengths = as_nested(lengths)
    if axis == 0 and depth(lengths) == 1 and _n.part(lengths)[0] == "option":
        # A list is missing where its length is.
        return _n.unflatten(self, lengths.fill_none(0), 0).mask(~lengths.is_none())
    return _n.unflatten(self, lengths, axis)


def _at_axes(name: str, ours: str) -> Callable[..., Nested]:
    def method(self: Nested, axis: int | None = 1) -> Nested:
        for level in range(1, depth(self)) if axis is None else (axis,):
            self = _n.along(ours, self, level)
        return self

    method.__name__ = name
    method.__doc__ = f"`ak.{name}`."
    return method


def _with_field(self: Nested, value: Any, name: str | Sequence[str]) -> Nested:
    """The records with one more field, or another one of that name; a list of names goes into records of records: `ak.with_field`."""
    names = [name] if isinstance(name, str) else list(name)
    if isinstance(value, (bool, int, float, str)):
        value = [value] * len(self)
    if len(names) > 1:
        value = _with_field(_n.field(self, names[0]), value, names[1:])
    return _n.with_field(self, names[0], as_nested(value))


def _without_field(self: Nested, name: str | Sequence[str]) -> Nested:
    """The records without a field; a list of names goes into records of records: `ak.without_field`."""
    names = [name] if isinstance(name, str) else list(name)
    if len(names) > 1:
        return _with_field(self, _without_field(_n.field(self, names[0]), names[1:]), names[0])
    _n.field(self, names[0])
    return _n.select_fields(self, [field for field in self.fields if field != names[0]])


def _categories(self: Nested) -> Nested | None:
    """The different elements of categories: `ak.categories`."""
    part = _n.part(self)
    if part[0] == "category":
        return part[2]  # type: ignore[no-any-return]
    return _categories(part[2]) if part[0] in ("lists", "fixed", "option") else None


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
    return len(self) if axis in (0, -depth(self)) else _n.along("num", self, axis)


def _first(self: Nested, axis: int = 1) -> Any:
    """The first element of each list, missing where there is none: `ak.firsts`."""
    if axis in (0, -depth(self)):
        return parts_at(self, 0) if len(self) else None
    return _n.along("firsts", self, axis)


def _unzip(self: Nested) -> tuple[Nested, ...]:
    """The fields: `ak.unzip`."""
    return tuple(_n.field(self, name) for name in self.fields)


def _spread(name: str, without_nan: bool = False) -> Callable[..., Any]:
    def method(self: Nested, axis: int | None = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
        # Floats of 32 bits have a spread of 64, as in Awkward: their squares would lose what tells them apart.
        wide = self.astype("float64") if "float32" in self.schema else self
        return reduced(name, _n.mapped("nan_to_missing", wide) if without_nan else wide, axis, keepdims, ddof)

    return method


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is read when it is first wanted, so that the package is imported quickly."""

    def function(*args: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(f"nestled.{module}"), name)(*args, **options)

    function.__name__ = name
    return function


_METHODS: dict[str, Any] = {
    "__abs__": _elementwise.abs,
    "__array__": _array,
    "__array_ufunc__": _ufunc,
    "__bool__": _truth,
    "__getattr__": _getattr,
    "__getitem__": getitem,
    "__invert__": lambda self: _n.mapped("invert", self),
    "__iter__": _iter,
    "__neg__": _elementwise.negative,
    "__reduce__": _reduce,
    "__repr__": _repr,
    "_repr_html_": _later("_notebook", "html_of_nested"),
    "almost_equal": _later("_statistics_nested", "almost_equal"),
    "argcombinations": combinations("arg_combinations"),
    "astype": lambda self, dtype: _n.nested_cast(self, as_dtype(dtype), False),
    "categories": _categories,
    "combinations": combinations("combinations"),
    "contains": _text("contains"),
    "count_text": _text("count_text"),
    "drop_none": _drop_none,
    "ends_with": _text("ends_with"),
    "equals": lambda self, other: _n.is_equal(self, as_nested(other)),
    "fill_none": _fill_none,
    "filter": _other("filter"),
    "find": _text("find"),
    "firsts": _first,
    "flatten": _flatten,
    "from_categorical": _mapped("from_categorical"),
    "from_regular": _at_axes("from_regular", "to_ragged"),
    "full_like": _full_like,
    "histogram": lambda self, bins, low, high, axis=-1: _n.nested_histogram(self, (bins, low, high), axis),
    "is_in": _other("is_in"),
    "is_none": lambda self, axis=0: _n.along("is_missing", self, axis),
    "join": lambda self, other, on, how="inner": _n.join(self, other, [on] if isinstance(on, str) else list(on), how),
    "join_texts": _text("join_texts"),
    "isclose": _later("_statistics_nested", "isclose"),
    "local_index": _method("local_index", "`ak.local_index`."),
    "map_rows": _later("_fn.rows", "map_rows"),
    "mask": _other("mask"),
    "moment": _later("_statistics_nested", "moment"),
    "nan_to_none": _mapped("nan_to_missing"),
    "nan_to_num": _nan_to_num,
    "nanstd": _spread("std", True),
    "nanvar": _spread("var", True),
    "num": _num,
    "pad_none": _pad_none,
    "parse": lambda self, dtype: _n.nested_cast(self, as_dtype(dtype), True),
    "pick": _other("pick"),
    "quantile": lambda self, q, axis=-1: _n.quantile(self, q, axis),
    "rank": _sorted("rank"),
    "ones_like": lambda self, dtype=None: _full_like(self, 1, dtype),
    "ravel": _ravel,
    "rename_fields": lambda self, names: _n.rename_fields(self, list(names)),
    "replace": lambda self, pattern, by: _n.replace(self, pattern, by),
    "singletons": _method("singletons", "`ak.singletons`.", 0),
    "softmax": _later("_statistics_nested", "softmax"),
    "sort": _sorted("sort"),
    "argsort": _sorted("argsort"),
    "split": _text("split"),
    "starts_with": _text("starts_with"),
    "std": _spread("std"),
    "text_length": _mapped("text_length"),
    "__arrow_c_array__": arrow_array,
    "__arrow_c_schema__": arrow_schema,
    "__arrow_c_stream__": arrow_stream,
    "to_arrow": to_arrow,
    "to_awkward": to_awkward,
    "to_list": _tolist,
    "to_categorical": _mapped("to_categorical"),
    "to_json": _later("_exchange", "to_json"),
    "to_lower": _mapped("to_lower"),
    "to_numpy": _array,
    "to_parquet": write,
    "to_regular": _at_axes("to_regular", "to_regular"),
    "to_scipy": _later("_exchange", "to_scipy"),
    "to_text": _mapped("to_text"),
    "to_upper": _mapped("to_upper"),
    "tolist": _tolist,
    "top": _counted("top"),
    "trim": _mapped("trim"),
    "unflatten": _unflatten,
    "unzip": _unzip,
    "var": _spread("var"),
    "with_field": _with_field,
    "write": write,
    "without_field": _without_field,
    "zeros_like": lambda self, dtype=None: _full_like(self, 0, dtype),
}
_STATIC: dict[str, Any] = {
    "argcartesian": product("arg_cartesian"),
    "broadcast_arrays": lambda *arrays: _n.broadcast_arrays([as_nested(part) for part in arrays]),
    "cartesian": product("cartesian"),
    "concatenate": _concatenate,
    "corr": _later("_statistics_nested", "corr"),
    "covar": _later("_statistics_nested", "covar"),
    "from_arrow": from_arrow,
    "from_array": lambda x: _n.from_array(as_array(x)),
    "from_awkward": from_awkward,
    "from_iter": from_iter,
    "from_json": _later("_exchange", "from_json"),
    "from_parquet": read,
    "from_scipy": _later("_exchange", "from_scipy"),
    "linear_fit": _later("_statistics_nested", "linear_fit"),
    "read": read,
    "zip": _zip,
}
_REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "mean", "median", "ptp", "count", "count_nonzero", "argmin", "argmax")
_WITHOUT_NAN = ("sum", "prod", "min", "max", "mean", "argmin", "argmax")
_CUMULATIVE = ("cumsum", "cumprod", "cummin", "cummax", "reversed", "run_lengths", "unique", "value_counts")
#: Methods that are functions of `_rows`.
_ROWS = ("argsort_by", "group_by", "merge_sorted", "nearest", "places_in", "set_difference", "set_intersection", "set_union", "sort_by")


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
    for name in _WITHOUT_NAN:
        setattr(Nested, f"nan{name}", _without_nan(name))
    for name in _CUMULATIVE:
        setattr(Nested, name, _method(name, f"`{name}` along an axis, in each list."))
    for name in _ROWS:
        setattr(Nested, name, _later("_rows", name))
    for name, method in _METHODS.items():
        setattr(Nested, name, method)
    for name, function in _STATIC.items():
        setattr(Nested, name, staticmethod(function))
    Array._repr_html_ = _later("_notebook", "html_of_array")  # type: ignore[method-assign]
    Nested.__hash__ = None  # type: ignore[assignment,method-assign]


_install()
