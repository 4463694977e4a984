"""Indexing of nested data, as Awkward does it: names of fields, places, slices, masks and lists of places, for one axis after another."""

from __future__ import annotations

import itertools
from typing import Any

from . import _nestled as _n
from ._nestled import Array, Nested


def depth(x: Nested) -> int:
    """The number of axes, of the deepest field of records."""
    part = _n.part(x)
    if part[0] in ("lists", "fixed"):
        return 1 + depth(part[2])
    if part[0] == "option":
        return depth(part[2])
    if part[0] in ("record", "tuple"):
        return max(map(depth, part[1].values() if part[0] == "record" else part[1]))
    return 1


def getitem(x: Nested, key: Any) -> Any:
    """A field by its name, an element by its place, a slice, those where a mask holds, or those at places; a tuple goes one axis further for each."""
    if not isinstance(key, tuple) and not (key is None or key is Ellipsis):
        return _outer(x, key)
    keys = key if isinstance(key, tuple) else (key,)
    for names in filter(_is_fields, keys):
        x = _outer(x, names)
    keys = tuple(one for one in keys if not _is_fields(one))
    if sum(map(_is_array, keys)) < 2:
        return _deep(x, keys)
    leading = list(itertools.takewhile(lambda one: _is_array(one) or _place(one) is not None, keys))
    rest = keys[len(leading) :]
    if any(map(_is_array, rest)):
        raise NotImplementedError("several arrays of places or masks are in an index for the first axes only")
    made = _together(x, leading)
    return _deep(made, (slice(None), *rest)) if rest else made


def _is_fields(key: Any) -> bool:
    return isinstance(key, str) or (isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key))


def _is_array(key: Any) -> bool:
    return not (key is None or key is Ellipsis or isinstance(key, slice) or _place(key) is not None)


def _place(key: Any) -> int | None:
    """A key that is one place."""
    if isinstance(key, bool) or isinstance(key, (list, Nested)) or (isinstance(key, Array) and key.ndim):
        return None
    try:
        return key.__index__()  # type: ignore[no-any-return]
    except (AttributeError, TypeError):
        return None


def _deep(x: Nested, keys: tuple[Any, ...]) -> Any:
    axis = 0
    for number, one in enumerate(keys):
        rest = keys[number + 1 :]
        if one is Ellipsis:
            axis = max(axis, depth(x) - sum(other is not None for other in rest))
        elif one is None:
            x = _n.along("add_axis", x, axis)
            axis += 1
        elif (place := _place(one)) is not None:
            x = _n.element(x, place, axis, False) if axis else parts_at(x, place)
            if not isinstance(x, Nested):
                return x if not rest else x[rest]
        else:
            x = _at_axis(x, one, axis)
            axis += 1
    return x


def _at_axis(x: Nested, key: Any, axis: int) -> Nested:
    """A slice, a mask or places for each list of an axis."""
    if axis == 0:
        found: Nested = _outer(x, key)
        return found
    if isinstance(key, slice):
        return _sliced(x, key, axis)
    places = _integers(key)
    at = _n.along("add_axis", _n.combined("multiply", _n.along("num", x, axis), 0), axis)
    if not places:
        return _n.slice(x, 0, 0, 1, axis)
    lists = [_n.combined("add", at, place) for place in places]
    return _n.with_other("pick", x, lists[0] if len(lists) == 1 else _n.of_several("concatenate", lists, axis))


def _integers(key: Any) -> list[int]:
    """The places that a key of one axis means."""
    values = key.to_list() if isinstance(key, Nested) else key.tolist() if hasattr(key, "tolist") else list(key)
    if values and all(isinstance(value, bool) for value in values):
        return [place for place, value in enumerate(values) if value]
    if not all(isinstance(value, int) for value in values):
        raise NotImplementedError("beyond the first axis, places are a list of integers, the same for each list")
    return values


def _together(x: Nested, keys: list[Any]) -> Nested:
    """One element for each row of places along the first axes."""
    places = [_places(key) for key in keys]
    count = max(map(len, places))
    every = _n.combined("multiply", next(part for part in places if len(part) == count), 0)
    first, *others = (part if len(part) == count else _repeated(part, every) for part in places)
    made = _n.with_other("pick", x, first)
    for other in others:
        made = _n.element(made, other, 1, False)
    return made


def _places(key: Any) -> Nested:
    """A key of several as places: those where a mask holds, or one place alone."""
    from ._nested import as_nested

    one = _place(key)
    places = as_nested(key) if one is None else _n.from_values([one], "int64")
    if depth(places) > 1:
        raise NotImplementedError("of several arrays in an index each is a list of places, or a mask, for one axis")
    if places.schema == "bool":
        return _n.with_other("filter", _n.along("local_index", places, 0), places)
    return places


def _repeated(one: Nested, every: Nested) -> Nested:
    """One place for each of others, which are zeros."""
    if len(one) != 1:
        raise IndexError(f"{len(one)} places do not go together with {len(every)}")
    return _n.with_other("pick", one, every)


def parts_at(x: Nested, place: int) -> Any:
    """One element: nested data if it is a list, and a value of Python if not."""
    if not -len(x) <= place < len(x):
        raise IndexError(f"index {place} is not inside {len(x)} elements")
    one = _n.slice(x, place, None if place == -1 else place + 1, 1, 0)
    part = _n.part(one)
    if part[0] in ("lists", "fixed"):
        return _n.along("flatten", one, 1)
    if part[0] == "option" and _n.part(part[2])[0] in ("lists", "fixed"):
        return _n.along("flatten", one, 1) if bool(part[1].all()) else None
    return _n.to_list(one)[0]


def _sliced(x: Nested, key: slice, axis: int) -> Nested:
    return _n.slice(x, key.start, key.stop, 1 if key.step is None else key.step, axis)


def _outer(x: Nested, key: Any) -> Any:
    from ._nested import as_nested

    if isinstance(key, str):
        return _n.field(x, key)
    if isinstance(key, slice):
        return _sliced(x, key, 0)
    if _is_fields(key):
        return _n.select_fields(x, key)
    if (place := _place(key)) is not None:
        return parts_at(x, place)
    if not hasattr(key, "__len__"):
        raise TypeError(f"an index is a place, a slice, a name, a mask or places, not a {type(key).__name__}")
    if isinstance(key, list) and not key:
        return _n.slice(x, 0, 0, 1, 0)
    if getattr(key, "ndim", 1) > 1 and not isinstance(key, Nested):
        return _of_many_axes(x, key)
    other = as_nested(key)
    if "bool" not in other.schema:
        return _n.with_other("pick", x, other)
    if "?bool" in other.schema:
        # What is missing in a mask is missing in the result.
        known = _n.mapped("invert", _n.along("is_missing", other, -1))
        return _n.with_other("filter", _n.with_other("mask", x, known), _n.fill_missing(other, True))
    return _n.with_other("filter", x, other)


def _of_many_axes(x: Nested, key: Any) -> Nested:
    """The elements at places of an array of several axes, or where a mask of several axes holds."""
    from ._creation import asarray
    from ._nested import as_nested

    key = asarray(key)
    if key.dtype.name == "bool":
        kept = _n.with_other("filter", x, as_nested(key))
        for _ in range(key.ndim - 1):
            kept = _n.along("flatten", kept, 1)
        return kept
    made = _n.with_other("pick", x, as_nested(key.reshape(-1)))
    for size in reversed(key.shape[1:]):
        made = _n.in_fixed(made, size)
    return made
