"""Awkward Array, by its buffers: forms as trees, arrays of offsets and masks, contents."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n
from ._creation import asarray, from_numpy
from ._nestled import Array, Nested


def from_awkward(array: Any) -> Nested:
    """An array of Awkward's. Unions and what Awkward computes itself (virtual arrays) are not there."""
    import awkward

    packed = awkward.to_packed(awkward.Array(array) if isinstance(array, list) else array)
    return _of_layout(packed.layout)


def _is_text(layout: Any) -> str | None:
    return {"string": "strings", "bytestring": "bytes"}.get(layout.parameter("__array__"))


def _of_layout(layout: Any) -> Nested:
    name = type(layout).__name__
    if name == "NumpyArray":
        return _of_numbers(layout)
    if name == "EmptyArray":
        return _n.from_array(asarray([], dtype="float64"))
    if name in ("ListOffsetArray", "ListArray"):
        compact = layout.to_ListOffsetArray64(True)
        return _of_lists(compact, _is_text(compact) or "lists")
    if name == "RegularArray":
        if _is_text(layout) or layout.size == 0:
            compact = layout.to_ListOffsetArray64(True)
            return _of_lists(compact, _is_text(layout) or "lists")
        return _n.in_fixed(_of_layout(layout.content[: layout.size * len(layout)]), layout.size)
    if name == "RecordArray":
        return _of_record(layout)
    if name in ("IndexedOptionArray", "BitMaskedArray", "ByteMaskedArray", "UnmaskedArray"):
        return _of_option(layout)
    if name == "IndexedArray":
        if layout.parameter("__array__") == "categorical":
            return _n.categories(asarray(layout.index.data, dtype="int64"), _of_layout(layout.content))
        return _of_layout(layout.project())
    raise NotImplementedError(f"{name} is not there for nested data: choose one kind of elements before")


def _of_numbers(layout: Any) -> Nested:
    import numpy

    data = numpy.asarray(layout.data)
    found = from_numpy(data)
    return _n.from_array(found)


def _of_lists(layout: Any, face: str) -> Nested:
    import numpy

    offsets = numpy.asarray(layout.offsets.data)
    content = layout.content[offsets[0] : offsets[-1]]
    return _n.in_lists(face, from_numpy(numpy.diff(offsets).astype("int64")), _of_layout(content))


def _of_record(layout: Any) -> Nested:
    parts = [_of_layout(content[: len(layout)]) for content in layout.contents]
    if not parts:
        raise NotImplementedError("records without fields are not there for nested data")
    return _n.records(None if layout.is_tuple else list(layout.fields), parts)


def _of_option(layout: Any) -> Nested:
    import numpy

    missing = numpy.asarray(layout.mask_as_bool(valid_when=False))
    valid = ~missing
    if len(valid) == 0:
        return _n.with_validity(_of_layout(layout.content[:0]), asarray([], dtype="bool"))
    if type(layout).__name__ == "IndexedOptionArray":
        index = numpy.asarray(layout.index.data)
        if not valid.any():
            return _all_missing(layout, len(valid))
        content = layout.content._carry(_index(numpy.where(valid, index, index[valid][0])), False)
        if type(content).__name__ == "IndexedArray" and content.parameter("__array__") != "categorical":
            content = content.project()
    else:
        content = layout.content[: len(valid)]
    return _n.with_validity(_of_layout(content), asarray(valid))


def _index(places: Any) -> Any:
    import awkward

    return awkward.index.Index64(places.astype("int64"))


def _all_missing(layout: Any, count: int) -> Nested:
    """As many missing elements, of the type of the content."""
    import awkward

    schema = str(awkward.types.ArrayType(layout.content.form.type, 0)).split(" * ", 1)[1].replace("unknown", "float64")
    return _n.from_values([None] * count, schema if schema.startswith("?") else f"option[{schema}]")


def to_awkward(x: Nested) -> Any:
    """Nested data as an array of Awkward's."""
    import awkward

    return awkward.Array(_layout(x))


def _numpy(x: Array) -> Any:
    import numpy

    return numpy.asarray(_n.host(x))


def _layout(x: Nested) -> Any:
    import awkward.contents as contents
    import numpy

    name, *parts = _n.part(x)
    if name == "numbers":
        return contents.NumpyArray(_numpy(parts[0]))
    if name in ("lists", "strings", "bytes"):
        offsets = numpy.concatenate([[0], numpy.cumsum(_numpy(parts[0]))]).astype("int64")
        return _lists(name, offsets, parts[1])
    if name == "fixed":
        return contents.RegularArray(_layout(parts[1]), parts[0], zeros_length=len(x))
    if name == "record":
        fields = parts[0]
        return contents.RecordArray([_layout(part) for part in fields.values()], list(fields), length=len(x))
    if name == "tuple":
        return contents.RecordArray([_layout(part) for part in parts[0]], None, length=len(x))
    if name == "option":
        return _option(_numpy(parts[0]), _layout(parts[1]))
    import awkward

    index = awkward.index.Index64(_numpy(parts[0]))
    return contents.IndexedArray(index, _layout(parts[1]), parameters={"__array__": "categorical"})


def _lists(name: str, offsets: Any, content: Nested) -> Any:
    import awkward

    inner = {"strings": "char", "bytes": "byte"}.get(name)
    outer = {"strings": "string", "bytes": "bytestring"}.get(name)
    made = _layout(content)
    if inner is not None:
        made = awkward.contents.NumpyArray(made.data, parameters={"__array__": inner})
    parameters = None if outer is None else {"__array__": outer}
    return awkward.contents.ListOffsetArray(awkward.index.Index64(offsets), made, parameters=parameters)


def _option(valid: Any, content: Any) -> Any:
    import awkward
    import numpy

    if isinstance(content, awkward.contents.IndexedArray):
        index = numpy.where(valid, content.index.data, -1)
        return awkward.contents.IndexedOptionArray(
            awkward.index.Index64(index), content.content, parameters={"__array__": "categorical"}
        )
    return awkward.contents.ByteMaskedArray(awkward.index.Index8(valid.view("int8")), content, valid_when=True)
