"""Operations of nested data, judged by Awkward Array on random arrays: a row for each operation, and a reason wherever the two differ.

`NESTLED_TEST_COUNT=200` compares each operation on so many arrays.
"""

import ctypes
import math
import os
import pathlib
import random
import re
import zlib
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
import pytest
import random_nested

import nestled as nd
from nestled import Nested

ak = pytest.importorskip("awkward", reason="the package `awkward` is not installed, so operations were not compared with it")

#: The device that computes all arrays but the first of each operation.
DEVICE = os.environ.get("NESTLED_TEST_DEVICE", "reference")
#: For the first array, and for all others.
ENGINES = [nd.Engine(), nd.Engine(DEVICE)]
COUNT = int(os.environ.get("NESTLED_TEST_COUNT", "10"))


@dataclass
class Row:
    """An operation: ours and Awkward's, on which arrays, along which axes, and where both are known to differ."""

    name: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    of: str = "numbers"
    axes: str = "all"
    depths: tuple[int, int] = (1, 5)
    differs: Callable[[str, int, Any], str | None] | None = None
    options: bool = True
    regular: bool = True
    #: As `differs`, of the schema and the axis as it is written.
    differs_at: Callable[[str, int], str | None] | None = None


def along(names: str, *, axes: str = "all", **more: Any) -> list[Row]:
    """Operations of one array and an axis that have one name."""

    def row(name: str) -> Row:
        method, function = getattr(Nested, name), getattr(ak, name)
        return Row(name, lambda x, axis: method(x, axis=axis), lambda x, axis: function(x, axis=axis), axes=axes, **more)

    return [row(name) for name in names.split()]


def whole(name: str, ours: Any, theirs: Any, **more: Any) -> Row:
    """An operation without an axis."""
    return Row(name, lambda x, _: ours(x), lambda x, _: theirs(x), axes="none", **more)


def has_nan(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return any(map(has_nan, values))
    if isinstance(values, dict):
        return any(map(has_nan, values.values()))
    return isinstance(values, float) and math.isnan(values)


# Reasons: where both differ on purpose, or where Awkward goes wrong.


def nan_counts(schema: str, axis: int, values: Any) -> str | None:
    """NaN is a number that is not missing: what is found in a list with one is NaN, or its place, as in NumPy; Awkward passes over it."""
    return nan_counts.__doc__ if has_nan(values) else None


def outer_places(schema: str, axis: int, values: Any) -> str | None:
    """Places along an outer axis also count lists that are too short or missing; Awkward leaves them out."""
    return outer_places.__doc__ if axis < schema.count(" * ") else None


def sorts(schema: str, axis: int, values: Any) -> str | None:
    """Awkward's sorts along outer axes, and of what may be missing, move elements into lists of others; NaN is first there."""
    return sorts.__doc__ if has_nan(values) or is_optional(schema) or axis < schema.count(" * ") else None


def regular_outer(schema: str, axis: int, values: Any) -> str | None:
    """Lists of one length that are reduced together become lists of any length; those of an empty list are empty."""
    return regular_outer.__doc__ if is_regular(schema) and axis < schema.count(" * ") else None


def lost_lists(schema: str, axis: int, values: Any) -> str | None:
    """Awkward 2.14 puts lists that are missing into other places when it pads inside of them, or loses them."""
    return lost_lists.__doc__ if is_optional(schema) and axis > 0 else None


def is_optional(schema: str) -> bool:
    return "?" in schema or "option" in schema


def is_regular(schema: str) -> bool:
    return any(f"{size} *" in schema for size in range(4))


def booleans(schema: str, axis: int, values: Any) -> str | None:
    """Sums of booleans are integers; in NumPy, and so in Awkward, `+` of two booleans is `or`."""
    return booleans.__doc__ if "bool" in schema else None


def drops_deeper(schema: str, axis: int, values: Any) -> str | None:
    """Awkward's `drop_none` along an axis also drops what is missing one level deeper."""
    return drops_deeper.__doc__ if is_optional(schema) and axis < schema.count(" * ") else None


def negative_outer(schema: str, axis: int) -> str | None:
    """Along an outer axis that is counted from the innermost, Awkward 2.14 takes the places of another axis."""
    return negative_outer.__doc__ if axis < -1 else None


def lists_of_none(schema: str, axis: int, values: Any) -> str | None:
    """Of lists of length 0 Awkward loses how many there are."""
    return lists_of_none.__doc__ if "0 *" in schema else None


def only_regular(schema: str, axis: int, values: Any) -> str | None:
    """Where all lists have one length, Awkward goes by NumPy's rules: a mask gives one list, and a dimension goes with the last of another array. Here these are lists."""
    return only_regular.__doc__ if is_regular(schema) and "var" not in schema.split("{")[0] else None


def softmax_of_regular(schema: str, axis: int, values: Any) -> str | None:
    """Of lists of one length Awkward 2.14 divides by the sums of others."""
    return softmax_of_regular.__doc__ if is_regular(schema) else None


def missing_everywhere(schema: str, axis: int, values: Any) -> str | None:
    """A list that is missing in the condition and on both sides is missing; Awkward 2.14 gives an empty one."""
    return missing_everywhere.__doc__ if "option[" in schema else None


def takes_the_type(schema: str, axis: int, values: Any) -> str | None:
    """A number takes the type of the array; Awkward makes floats of `uint64` and an integer."""
    return takes_the_type.__doc__ if "uint64" in schema else None


def either(*reasons: Callable[[str, int, Any], str | None] | None) -> Callable[[str, int, Any], str | None]:
    return lambda schema, axis, values: next((found for reason in reasons if reason and (found := reason(schema, axis, values))), None)


def cut(key: Any) -> Callable[[Any, int], Any]:
    """An index along an axis."""
    return lambda x, axis: x[(slice(None),) * axis + (key,)]


def positive(x: Any) -> Any:
    return x > 0


def kept(names: str) -> list[Row]:
    """Reductions that leave their axis behind."""

    def row(name: str) -> Row:
        method, function = getattr(Nested, name), getattr(ak, name)
        return Row(
            f"{name} keepdims",
            lambda x, axis: method(x, axis=axis, keepdims=True),
            lambda x, axis: function(x, axis=axis, keepdims=True),
            differs=either(nan_counts, regular_outer, outer_places if name.startswith("arg") else None),
        )

    return [row(name) for name in names.split()]


def of_all(names: str) -> list[Row]:
    """Reductions of all numbers."""

    def row(name: str) -> Row:
        method, function = getattr(Nested, name), getattr(ak, name)
        return whole(f"{name} of all", method, function, differs=nan_counts)

    return [row(name) for name in names.split()]


def of_some(names: str) -> list[Row]:
    """Reductions that pass over NaN: those of nothing are NaN here, as those that do not are on both sides, and missing in Awkward."""

    def with_nan(value: Any) -> Any:
        value = plain(value)
        return [with_nan(one) for one in value] if isinstance(value, list) else math.nan if value is None else value

    def row(name: str) -> Row:
        method, function = getattr(Nested, name), getattr(ak, name)
        ours, theirs = (lambda x, axis: with_nan(method(x, axis=axis))), (lambda x, axis: with_nan(function(x, axis=axis)))
        return Row(name, ours, theirs, of="floats", differs=regular_outer)

    return [row(name) for name in names.split()]


def formula(name: str, of: Callable[[Any], Any], kind: str = "numbers", **more: Any) -> Row:
    """An expression that is written alike on both sides."""
    return whole(name, of, of, of=kind, **more)


def ufuncs(names: str, kind: str) -> list[Row]:
    return [formula(f"numpy.{name}", getattr(np, name), kind) for name in names.split()]


def pair(name: str, ours: Any, theirs: Any, **more: Any) -> Row:
    """An operation of one array and an axis."""
    return Row(name, ours, theirs, **more)


def texts_of(x: Any) -> Any:
    """The numbers as texts, of Awkward's."""
    return Nested.from_awkward(x).to_text().to_awkward()


def merged(x: Nested) -> Nested:
    """Records whose fields are missing where records were."""
    return Nested.zip(dict(zip(x.fields, x.unzip(), strict=True)))


ROWS: list[Row] = [
    *along("sum prod any all count count_nonzero mean var std", differs=regular_outer),
    *along("min max ptp", differs=either(nan_counts, regular_outer)),
    *along("argmin argmax", differs=either(nan_counts, outer_places, regular_outer)),
    *along("nansum nanprod nanmin nanmax", of="floats", differs=regular_outer),
    *of_some("nanmean nanvar nanstd"),
    *along("nanargmin nanargmax", of="floats", differs=either(outer_places, regular_outer)),
    *kept("sum prod any all count count_nonzero min max argmin argmax"),
    *of_all("sum prod any all count count_nonzero min max ptp mean var std argmin argmax"),
    whole("sum of all keepdims", lambda x: x.sum(keepdims=True), lambda x: ak.sum(x, axis=None, keepdims=True), regular=False),
    # The structure of lists.
    *along("num local_index is_none singletons flatten"),
    *along("num local_index flatten", of="records"),
    *along("drop_none", differs=drops_deeper),
    *along("drop_none", of="records", differs=drops_deeper),
    *along("num local_index is_none firsts flatten", of="texts"),
    *along("drop_none", of="texts", differs=drops_deeper),
    *along("firsts", axes="lists"),
    *along("firsts", axes="lists", of="records"),
    whole("ravel", Nested.ravel, ak.ravel),
    whole("flatten of all", lambda x: x.flatten(axis=None), lambda x: ak.flatten(x, axis=None)),
    whole("drop_none of all", Nested.drop_none, ak.drop_none),
    whole("run_lengths", Nested.run_lengths, ak.run_lengths, options=False, of="exact"),
    pair("pad_none", lambda x, axis: x.pad_none(2, axis), lambda x, axis: ak.pad_none(x, 2, axis=axis), differs=lost_lists),
    pair("pad_none clip", lambda x, axis: x.pad_none(2, axis, clip=True), lambda x, axis: ak.pad_none(x, 2, axis=axis, clip=True), differs=lost_lists),
    pair("pad_none", lambda x, axis: x.pad_none(3, axis), lambda x, axis: ak.pad_none(x, 3, axis=axis), of="records", differs=lost_lists),
    pair("concatenate", lambda x, axis: Nested.concatenate([x, x], axis), lambda x, axis: ak.concatenate([x, x], axis=axis), differs=lists_of_none),
    pair("concatenate", lambda x, axis: Nested.concatenate([x, x, x], axis), lambda x, axis: ak.concatenate([x, x, x], axis=axis), of="records", differs=lists_of_none),
    pair("from_regular", Nested.from_regular, lambda x, axis: ak.from_regular(x, axis=axis), axes="lists"),
    pair("to_regular", Nested.to_regular, lambda x, axis: ak.to_regular(x, axis=axis), axes="lists", options=False),
    whole("unflatten", lambda x: x.flatten(1).unflatten(x.num()), lambda x: ak.unflatten(ak.flatten(x), ak.num(x)), depths=(2, 4), options=False),
    whole("unflatten to one length", lambda x: x.unflatten(1), lambda x: ak.unflatten(x, 1)),
    whole("unflatten within lists", lambda x: x.flatten(2).unflatten(x.num(2).flatten(1), axis=1), lambda x: ak.unflatten(ak.flatten(x, axis=2), ak.flatten(ak.num(x, axis=2)), axis=1), depths=(3, 5), options=False, regular=False),
    # Tuples of elements.
    pair("combinations", lambda x, axis: x.combinations(2, axis), lambda x, axis: ak.combinations(x, 2, axis=axis)),
    pair("combinations of three", lambda x, axis: x.combinations(3, axis), lambda x, axis: ak.combinations(x, 3, axis=axis)),
    pair("combinations with replacement", lambda x, axis: x.combinations(2, axis, replacement=True), lambda x, axis: ak.combinations(x, 2, axis=axis, replacement=True)),
    pair("combinations with fields", lambda x, axis: x.combinations(2, axis, fields=["a", "b"]), lambda x, axis: ak.combinations(x, 2, axis=axis, fields=["a", "b"]), of="records"),
    pair("argcombinations", lambda x, axis: x.argcombinations(2, axis), lambda x, axis: ak.argcombinations(x, 2, axis=axis), differs_at=negative_outer),
    pair("argcombinations with replacement", lambda x, axis: x.argcombinations(3, axis, replacement=True), lambda x, axis: ak.argcombinations(x, 3, axis=axis, replacement=True), differs_at=negative_outer),
    pair("cartesian", lambda x, axis: Nested.cartesian([x, x], axis), lambda x, axis: ak.cartesian([x, x], axis=axis)),
    pair("cartesian with fields", lambda x, axis: Nested.cartesian({"a": x, "b": x}, axis), lambda x, axis: ak.cartesian({"a": x, "b": x}, axis=axis), of="texts"),
    pair("argcartesian", lambda x, axis: Nested.argcartesian([x, x], axis), lambda x, axis: ak.argcartesian([x, x], axis=axis), differs_at=negative_outer),
    whole("cartesian nested", lambda x: Nested.cartesian([x, x, x], nested=True), lambda x: ak.cartesian([x, x, x], nested=True), depths=(2, 3), options=False, regular=False),
    whole("cartesian nested in one", lambda x: Nested.cartesian([x, x, x], nested=[0]), lambda x: ak.cartesian([x, x, x], nested=[0]), depths=(2, 3), options=False, regular=False),
    # Order.
    *along("sort argsort", differs=sorts),
    *along("sort argsort", axes="inner", of="texts", differs=sorts),
    pair("sort descending", lambda x, axis: x.sort(axis, ascending=False), lambda x, axis: ak.sort(x, axis=axis, ascending=False), differs=sorts),
    *along("softmax", axes="inner", of="floats", options=False, differs=softmax_of_regular),
    # Choices.
    formula("filter", lambda x: x[x > 0], differs=only_regular),
    formula("filter of lists", lambda x: x[:, :1][[True] * len(x)], depths=(2, 5), options=False),
    formula("filter of records", lambda x: x[x.x > 0], "points", differs=only_regular),
    formula("a mask with missing values", lambda x: x[x > 0], depths=(1, 1)),
    whole("mask", lambda x: x.mask(x > 0), lambda x: ak.mask(x, x > 0)),
    whole("where", lambda x: nd.where(x > 0, x, -1), lambda x: ak.where(x > 0, x, -1), of="signed", differs=missing_everywhere),
    whole("where of two", lambda x: nd.where(x > 0, x, -x), lambda x: ak.where(x > 0, x, -x), of="signed", differs=missing_everywhere),
    whole("places of a sort", lambda x: x[x.argsort()], lambda x: x[ak.argsort(x)], of="exact", options=False, differs=sorts),
    whole("places with keepdims", lambda x: x[x.argmax(axis=-1, keepdims=True)], lambda x: x[ak.argmax(x, axis=-1, keepdims=True)], depths=(2, 4), options=False, of="integers"),
    whole("missing places", lambda x: x[[0, None, -1]], lambda x: x[ak.Array([0, None, -1])]),
    *[
        Row(f"index {name}", cut(key), cut(key), of=kind)
        for kind in ("numbers", "records", "texts")
        for name, key in (("first two", slice(None, 2)), ("last two", slice(-2, None)), ("every other", slice(1, None, 2)), ("backward", slice(None, None, -1)))
    ],
    *[Row(f"index {place}", cut(place), cut(place), options=False) for place in (0, -1)],
    formula("index newaxis", lambda x: x[:, np.newaxis], options=False),
    formula("index ...", lambda x: x[..., :1]),
    formula("index 0", lambda x: x[0]),
    Row("index of places", cut([0]), cut([0]), axes="lists", options=False, regular=False),
    formula("index of an array", lambda x: x[np.array([[0, -1], [0, 0]])], options=False),
    formula("index of a field", lambda x: x["x"], "points"),
    formula("index of fields", lambda x: x[["y", "x"]], "points"),
    formula("index of a field and a slice", lambda x: x["y", ::-1], "points"),
    # Missing values and NaN.
    whole("fill_none", lambda x: x.fill_none(7), lambda x: ak.fill_none(x, 7, axis=-1), differs=takes_the_type),
    whole("fill_none of texts", lambda x: x.fill_none("?"), lambda x: ak.fill_none(x, "?", axis=-1), of="texts"),
    whole("fill_none with lists", lambda x: x.fill_none([]), lambda x: ak.fill_none(x, [], axis=0), depths=(2, 4), regular=False),
    whole("nan_to_num", lambda x: x.nan_to_num(0.5), lambda x: ak.nan_to_num(x, nan=0.5), of="floats"),
    whole("nan_to_num of arrays", lambda x: x.nan_to_num(x * 0 + 1, neginf=x), lambda x: ak.nan_to_num(x, nan=x * 0 + 1, neginf=x), of="floats", differs=nan_counts, options=False),
    whole("nan_to_none", Nested.nan_to_none, ak.nan_to_none, of="floats"),
    # Texts of numbers, and categories.
    whole("strings_astype", lambda x: x.to_text().parse("float64"), lambda x: ak.strings_astype(texts_of(x), "float64"), of="exact"),
    whole("strings_astype int64", lambda x: x.to_text().parse("int64"), lambda x: ak.strings_astype(texts_of(x), "int64"), of="integers"),
    whole("to_categorical", Nested.to_categorical, ak.str.to_categorical, of="texts"),
    # Awkward has an empty word for texts that are missing.
    whole("categories", lambda x: x.to_categorical().categories(), lambda x: ak.categories(ak.str.to_categorical(x)), of="texts", options=False),
    whole("from_categorical", lambda x: x.to_categorical().from_categorical(), lambda x: ak.from_categorical(ak.str.to_categorical(x)), of="texts"),
    # Arithmetic.
    *[
        formula(f"x {sign} 2", eval(f"lambda x: x {sign} 2"), "exact")
        for sign in ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=")
    ],
    *[formula(f"x {sign} x", eval(f"lambda x: x {sign} x"), "numbers", differs=booleans) for sign in ("+", "*", "/", "==", "<", ">=")],
    *[formula(f"3 {sign} x", eval(f"lambda x: 3 {sign} x"), "exact") for sign in ("+", "-", "*", "==", "<")],
    *[formula(f"x {sign} x of booleans", eval(f"lambda x: x {sign} (x == True)"), "booleans") for sign in ("&", "|", "^")],
    formula("~x", lambda x: ~x, "booleans"),
    formula("-x", lambda x: -x, "signed"),
    formula("abs(x)", lambda x: abs(x), "signed"),
    *ufuncs("sqrt exp sin cos tan arctan sinh cosh tanh floor ceil trunc rint sign isnan isfinite square negative expm1 log1p exp2", "floats"),
    *ufuncs("sign square", "signed"),
    *[formula(f"numpy.{name}", eval(f"lambda x: np.{name}(x, 1.5)"), "floats") for name in ("minimum", "maximum", "hypot", "arctan2", "power", "logaddexp", "copysign")],
    formula("x == 'a'", lambda x: x == "a", "texts"),
    formula("x == x of texts", lambda x: x == x, "texts"),
    whole("x - num", lambda x: x - x.num(), lambda x: x - ak.num(x), of="signed", depths=(2, 5), differs=only_regular),
    # Of lists of one length that may be missing, Awkward 2.14 loses numbers beside a NaN.
    whole("num * x", lambda x: x.num() * x, lambda x: ak.num(x) * x, of="signed", depths=(2, 4), regular=False),
    formula("arange * x", lambda x: np.arange(len(x)) * x, "signed", differs=only_regular),
    whole("broadcast_arrays", lambda x: Nested.broadcast_arrays(x, x.num()), lambda x: ak.broadcast_arrays(x, ak.num(x)), depths=(2, 4), differs=only_regular),
    whole("isclose", lambda x: x.isclose(x * 1.000001), lambda x: ak.isclose(x, x * 1.000001), of="floats"),
    whole("almost_equal", lambda x: x.almost_equal(x * 1.000001, equal_nan=False), lambda x: ak.almost_equal(x, x * 1.000001), of="floats"),
    whole("array_equal", lambda x: x.equals(x[::-1]), lambda x: ak.array_equal(x, x[::-1], equal_nan=True), of="exact", regular=False),
    *[whole(name, getattr(Nested, name), getattr(ak, name)) for name in ("zeros_like", "ones_like")],
    whole("full_like", lambda x: x.full_like(3), lambda x: ak.full_like(x, 3)),
    *[
        whole(f"values_astype {kind}", lambda x, kind=kind: x.astype(kind), lambda x, kind=kind: ak.values_astype(x, kind), of="integers")
        for kind in ("float64", "float32", "int64", "uint8", "bool")
    ],
    # Of lists Awkward 2.14 loses some.
    whole("enforce_type", lambda x: x.astype("float64"), lambda x: ak.enforce_type(x, str(x.type.content).replace("int64", "float64")), of="exact", depths=(1, 1)),
    whole("round", nd.round, ak.round, of="floats"),
    whole("moment", lambda x: x.moment(2), lambda x: ak.moment(x, 2), of="signed", differs=nan_counts),
    whole("moment of lists", lambda x: x.moment(3, axis=-1), lambda x: ak.moment(x, 3, axis=-1), of="exact", depths=(2, 4)),
    whole("covar", lambda x: Nested.covar(x, x * x), lambda x: ak.covar(x, x * x), of="exact"),
    whole("corr", lambda x: Nested.corr(x, x * x), lambda x: ak.corr(x, x * x), of="exact", differs=nan_counts),
    whole("linear_fit", lambda x: Nested.linear_fit(x, x * 2), lambda x: ak.linear_fit(x, x * 2), of="exact", differs=nan_counts),
    # Records.
    whole("zip", lambda x: Nested.zip({"a": x, "b": x}), lambda x: ak.zip({"a": x, "b": x})),
    whole("zip of depths", lambda x: Nested.zip({"a": x, "n": x.num()}), lambda x: ak.zip({"a": x, "n": ak.num(x)}), depths=(2, 4)),
    whole("zip of three", lambda x: Nested.zip([x, x, x]), lambda x: ak.zip([x, x, x]), of="texts"),
    whole("zip_no_broadcast", lambda x: Nested.zip([x, x]), lambda x: ak.zip_no_broadcast([x, x])),
    whole("zip_no_broadcast of names", lambda x: Nested.zip({"a": x.x, "b": x.y}), lambda x: ak.zip_no_broadcast({"a": x.x, "b": x.y}), of="points"),
    whole("merge_option_of_records", lambda x: merged(x.mask(x.x > 0)), lambda x: ak.merge_option_of_records(ak.mask(x, x.x > 0)), of="points"),
    whole("unzip", Nested.unzip, ak.unzip, of="records"),
    whole("fields", lambda x: x.fields, ak.fields, of="records"),
    whole("with_field", lambda x: x.with_field(x.x * 2, "z"), lambda x: ak.with_field(x, x.x * 2, "z"), of="points"),
    whole("with_field in place", lambda x: x.with_field(x.y, "x"), lambda x: ak.with_field(x, x.y, "x"), of="points"),
    whole("without_field", lambda x: x.without_field("x"), lambda x: ak.without_field(x, "x"), of="points"),
    *[whole(f"{name} of fields", lambda x, name=name: getattr(x.y, name)(axis=-1), lambda x, name=name: getattr(ak, name)(x.y, axis=-1), of="points", differs=nan_counts) for name in ("sum", "max", "argmin", "mean")],
    # In and out.
    whole("to_json", lambda x: x.to_json().replace(" ", ""), lambda x: ak.to_json(x), of="integers", regular=False),
    whole("from_json", lambda x: Nested.from_json(x.to_json()), lambda x: ak.from_json(ak.to_json(x)), of="integers"),
    whole("from_awkward", lambda x: Nested.from_awkward(x.to_awkward()), lambda x: x, of="records"),
    whole("to_numpy", lambda x: x.to_numpy().tolist(), lambda x: ak.to_numpy(x).tolist(), options=False, depths=(1, 1)),
]


def plain(value: Any) -> Any:
    """Of either side: values of Python."""
    if isinstance(value, Nested):
        return value.to_list()
    if isinstance(value, (ak.Array, ak.Record)):
        return value.to_list()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other) or abs(one - other) <= 2e-5 * max(abs(one), abs(other))
    return type(one) is type(other) and one == other


def axis_of(row: Row, rng: random.Random, depth: int) -> int:
    if row.axes == "none":
        return 0
    if row.axes == "inner":
        return -1
    axis = rng.randrange(1 if row.axes == "lists" else 0, depth)
    return axis if row.axes == "lists" or rng.random() < 0.7 else axis - depth


def case(row: Row, number: int) -> tuple[str, list[Any], int]:
    rng = random.Random(zlib.crc32(f"{row.name} {row.of} {number}".encode()))
    least = max(row.depths[0], 2 if row.axes == "lists" else 1)
    depth = rng.randint(least, max(least, min(row.depths[1], 5 if rng.random() < 0.2 else 3)))
    schema = random_nested.schema(rng, row.of, depth, row.options, row.regular)
    return schema, random_nested.values(rng, schema), axis_of(row, rng, depth)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.name} of {row.of}" for row in ROWS])
def test_as_awkward(row: Row) -> None:
    compared = 0
    for number in range(COUNT):
        # Interpreted, for each array would be compiled by itself; the first by compiled kernels, in a short run that of every fourth operation.
        compiled = number == 0 and (COUNT > 10 or zlib.crc32(row.name.encode()) % 4 == 0)
        with ENGINES[not compiled]:
            compared += one_case(row, number)
    assert compared or COUNT < 5, "nothing was compared"


def one_case(row: Row, number: int) -> bool:
    """Compares both sides on one array; false where they are known to differ, or Awkward refuses."""
    schema, values, axis = case(row, number)
    ours = Nested.from_iter(values, schema)
    theirs = ours.to_awkward()
    assert same(plain(theirs), values), schema
    if row.differs is not None and row.differs(schema, axis % (schema.count(" * ") + 1), values):
        return False
    if row.differs_at is not None and row.differs_at(schema, axis):
        return False
    try:
        wanted = plain(row.theirs(theirs, axis))
    # What an attribute lacks is a bug of Awkward's, of lists of one length that may be missing; an argument of C, one of texts of which there are none.
    except (ValueError, TypeError, AssertionError, NotImplementedError, IndexError, AttributeError, ctypes.ArgumentError) as error:
        wanted = error
    try:
        made = plain(row.ours(ours, axis))
    except (ValueError, TypeError, IndexError) as error:
        assert isinstance(wanted, Exception), f"{row.name} along {axis} of {schema}: {values} gives {error}, wanted {wanted}"
        return False
    if isinstance(wanted, Exception):
        return False
    assert same(made, wanted), f"{row.name} along {axis} of {schema}: {values}\ngives  {made}\nwanted {wanted}"
    return True


def table() -> dict[str, str]:
    """The functions of Awkward that the documentation lists, and what it says of each."""
    text = (pathlib.Path(__file__).parent.parent / "docs" / "awkward.md").read_text()
    return dict(re.findall(r"^\| `ak\.([\w.]+)` \| (.*) \|$", text, re.MULTILINE))


def test_table_lists_all_functions() -> None:
    functions = {name for name in dir(ak) if not name.startswith("_") and callable(getattr(ak, name))}
    texts = {f"str.{name}" for name in dir(ak.str) if not name.startswith("_") and callable(getattr(ak.str, name))}
    listed = table()
    assert functions | texts <= listed.keys()
    for name, ours in listed.items():
        for owner, method in re.findall(r"`(nd|Nested)\.(\w+)`", ours):
            assert hasattr(nd if owner == "nd" else Nested, method) or method == "fields", f"{name}: {ours}"
        assert ours.startswith("— ") or "`" in ours, name
