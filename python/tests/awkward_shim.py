"""Awkward's operations computed by `nd.Nested`: a plugin of pytest for Awkward's own tests.

The functions of `awkward` that have a counterpart are replaced by ones that convert their arrays, compute here, and convert the result; so are indexing and ufuncs of its arrays.
Arrays of a kind that nested data does not have (unions, complex numbers, dates, behaviours, type tracers …) are handed back to Awkward, and counted by reason.
Layouts are Awkward's own matter: forms are compared by their types.
"""

from __future__ import annotations

import collections
import functools
import inspect
import json
import os
from typing import Any, Callable

import awkward as ak
import numpy as np

import nestled as nd
from nestled import Nested

COUNTS: collections.Counter[str] = collections.Counter()
HANDED_BACK: collections.Counter[str] = collections.Counter()
FILES: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
OUTCOMES: dict[str, dict[str, str]] = collections.defaultdict(dict)
ORIGINAL_GETITEM = ak.Array.__getitem__
ORIGINAL_UFUNC = ak.Array.__array_ufunc__


class Foreign(Exception):
    """What nested data does not have."""


def check(layout: Any) -> None:
    """Raises `Foreign` for what has no counterpart."""
    kind = type(layout).__name__
    if layout.backend.name != "cpu":
        raise Foreign(f"backend {layout.backend.name}")
    allowed = {"string", "bytestring", "char", "byte", "categorical"}
    if {key: value for key, value in layout.parameters.items() if key != "__array__" or value not in allowed}:
        raise Foreign("parameters")
    if kind == "UnionArray":
        raise Foreign("unions")
    if kind == "NumpyArray":
        if layout.dtype.kind not in "biuf" or layout.dtype.itemsize > 8:
            raise Foreign(f"numbers of type {layout.dtype}")
    elif kind == "RecordArray":
        if not layout.contents:
            raise Foreign("records without fields")
        for part in layout.contents:
            check(part)
    elif kind != "EmptyArray":
        check(layout.content)


def ours(array: Any) -> Nested:
    """An argument as nested data."""
    if isinstance(array, (ak.Record, ak.ArrayBuilder)) or type(array).__name__ == "Record":
        raise Foreign("single records")
    if isinstance(array, ak.Array) and (array.attrs or array._behavior):
        raise Foreign("attributes and behaviours")
    try:
        layout = ak.to_layout(array, primitive_policy="error")
    except TypeError as error:
        raise Foreign("scalars") from error
    if not isinstance(layout, ak.contents.Content):
        raise Foreign(type(layout).__name__)
    check(layout)
    return Nested.from_awkward(ak.Array(layout))


def theirs(made: Any, highlevel: bool = True) -> Any:
    """A result as Awkward gives it."""
    if isinstance(made, Nested):
        array = made.to_awkward()
        return array if highlevel else array.layout
    if isinstance(made, (tuple, list)):
        return type(made)(theirs(one, highlevel) for one in made)
    if isinstance(made, (bool, int, float)) and not isinstance(made, np.generic):
        return np.asarray(made)[()]
    return made


def replaced(name: str, function: Callable[..., Any], several: bool = False) -> None:
    """Puts our function in the place of Awkward's: its arguments are the same, arrays as nested data."""
    original = getattr(ak, name)
    signature = inspect.signature(function)

    @functools.wraps(original)
    def wrapped(*args: Any, highlevel: bool = True, behavior: Any = None, attrs: Any = None, **options: Any) -> Any:
        def back(reason: str) -> Any:
            HANDED_BACK[reason] += 1
            extra: dict[str, Any] = {} if highlevel is True else {"highlevel": highlevel}
            extra |= {} if behavior is None else {"behavior": behavior}
            extra |= {} if attrs is None else {"attrs": attrs}
            return original(*args, **options, **extra)

        if behavior is not None or attrs is not None:
            return back("attributes and behaviours")
        try:
            bound = signature.bind(*args, **options)
        except TypeError:
            return back("other arguments")
        try:
            first = next(iter(bound.arguments))
            if several:
                whole = bound.arguments[first]
                if isinstance(whole, dict):
                    bound.arguments[first] = {key: ours(one) for key, one in whole.items()}
                else:
                    bound.arguments[first] = tuple(map(ours, whole)) if isinstance(whole, (list, tuple)) else list(map(ours, whole))
            else:
                bound.arguments[first] = ours(bound.arguments[first])
            if isinstance(bound.arguments.get("axis"), str):
                raise Foreign("named axes")
            made = function(*bound.args, **bound.kwargs)
        except Foreign as error:
            return back(str(error))
        COUNTS[name] += 1
        return theirs(made, highlevel)

    setattr(ak, name, wrapped)
    setattr(ak.operations, name, wrapped)


def reduction(name: str) -> None:
    method = getattr(Nested, name)
    has_initial = name in ("min", "max")
    masked = name in ("min", "max", "argmin", "argmax", "ptp")

    def function(
        array: Any, axis: Any = None, *, keepdims: bool = False, mask_identity: bool = masked, initial: Any = None, ddof: Any = None
    ) -> Any:
        if initial is not None or (mask_identity is False and masked) and name in ("min", "max"):
            made = method(array, axis=axis, keepdims=keepdims)
            return with_identity(name, array, made, initial, mask_identity, axis)
        extra = {} if ddof is None else {"ddof": ddof}
        made = method(array, axis=axis, keepdims=keepdims, **extra)
        if mask_identity and name in ("sum", "prod", "any", "all", "count", "count_nonzero", "mean", "var", "std"):
            return where_some(array, made, axis, keepdims)
        if name == "ptp" and not mask_identity:
            return identified(array, made, 0, axis) if isinstance(made, Nested) else made or 0
        return made

    parameters = inspect.signature(function).parameters.values()
    kept = [part for part in parameters if (part.name != "initial" or has_initial) and (part.name != "ddof" or name in ("var", "std"))]
    function.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
    replaced(name, function)


def where_some(array: Nested, made: Any, axis: Any, keepdims: bool) -> Any:
    """The results of lists that have something."""
    count = array.count(axis=axis, keepdims=keepdims)
    if not isinstance(made, Nested):
        return made if count else None
    return made.mask(count > 0)


def identified(array: Nested, made: Nested, start: Any, axis: Any) -> Nested:
    """Results with an identity for empty lists; lists that are missing stay so."""
    depth = array.schema.count("var") + 1
    filled = made.fill_none(start)
    return filled.mask(~array.is_none(axis=0)) if axis in (-1, 1) and depth == 2 and array.is_none(axis=0).any() else filled


def with_identity(name: str, array: Nested, made: Any, initial: Any, mask_identity: bool, axis: Any) -> Any:
    """Extremes that begin with a number."""
    kind = np.dtype(array.schema.split(" ")[-1].strip("?)]").split("[")[-1])
    info = np.iinfo(kind) if kind.kind in "iu" else None
    low = initial if initial is not None else (info.min if info else -np.inf)
    high = initial if initial is not None else (info.max if info else np.inf)
    start = low if name == "max" else high
    if not isinstance(made, Nested):
        return start if made is None and not mask_identity else made if made is None else (max if name == "max" else min)(made, start)
    extreme = nd.maximum if name == "max" else nd.minimum
    made = extreme(made, start)
    return made if mask_identity else identified(array, made, start, axis)


def simple(name: str, function: Callable[..., Any] | None = None, several: bool = False) -> None:
    replaced(name, function or getattr(Nested, name), several)


def install() -> None:
    for name in "sum prod any all count count_nonzero min max argmin argmax ptp mean var std".split():
        reduction(name)
    for name in "nansum nanprod nanmin nanmax nanmean nanargmin nanargmax".split():
        simple(name, lambda array, axis=None, *, keepdims=False, name=name: getattr(array, name)(axis=axis, keepdims=keepdims))
    for name in "num local_index is_none drop_none flatten firsts ravel run_lengths unzip to_regular from_regular nan_to_none".split():
        simple(name)
    simple("singletons")
    simple("is_none", lambda array, axis=0: array.is_none(axis))
    simple("unflatten", lambda array, counts, axis=0: array.unflatten(ours(counts) if not isinstance(counts, (int, np.integer)) else int(counts), axis))
    simple("pad_none", lambda array, target, axis=1, *, clip=False: array.pad_none(int(target), axis, clip=clip))
    simple("fill_none", filled)
    simple("sort", lambda array, axis=-1, *, ascending=True, stable=True: array.sort(axis, ascending=ascending))
    simple("argsort", lambda array, axis=-1, *, ascending=True, stable=True: array.argsort(axis, ascending=ascending))
    simple("softmax", lambda x, axis=None, *, keepdims=False, mask_identity=False: x.softmax(axis))
    simple("combinations", lambda array, n, *, replacement=False, axis=1, fields=None: array.combinations(n, axis, replacement=replacement, fields=fields))
    simple("argcombinations", lambda array, n, *, replacement=False, axis=1, fields=None: array.argcombinations(n, axis, replacement=replacement, fields=fields))
    simple("cartesian", lambda arrays, axis=1, *, nested=None: Nested.cartesian(arrays, axis, nested=nested), True)
    simple("argcartesian", lambda arrays, axis=1, *, nested=None: Nested.argcartesian(arrays, axis, nested=nested), True)
    simple("concatenate", lambda arrays, axis=0: Nested.concatenate(arrays, axis), True)
    simple("zip", lambda arrays: Nested.zip(arrays), True)
    simple("nan_to_num", lambda array, copy=True, nan=0.0, posinf=None, neginf=None: array.nan_to_num(*map(lambda x: x if x is None else operand(x), (nan, posinf, neginf))))
    simple("zeros_like", lambda array, *, dtype=None: array.zeros_like(dtype))
    simple("ones_like", lambda array, *, dtype=None: array.ones_like(dtype))
    simple("full_like", lambda array, fill_value, *, dtype=None: array.full_like(fill_value, dtype))
    simple("values_astype", lambda array, to: array.astype(to))
    simple("mask", lambda array, mask, *, valid_when=True: array.mask(ours(mask) if valid_when else ~ours(mask)))
    simple("where", lambda condition, x, y: nd.where(condition, operand(x), operand(y)))
    simple("with_field", lambda array, what, where: array.with_field(operand(what), where))
    simple("without_field", lambda array, where: array.without_field(where))
    simple("isclose", lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: a.isclose(ours(b), rtol, atol, equal_nan))
    simple("corr", lambda x, y, weight=None, axis=None: Nested.corr(x, ours(y), weight, axis))
    simple("covar", lambda x, y, weight=None, axis=None: Nested.covar(x, ours(y), weight, axis))
    simple("moment", lambda x, n, weight=None, axis=None: x.moment(n, weight=weight, axis=axis))
    ak.Array.__getitem__ = getitem
    ak.Array.__array_ufunc__ = of_ufunc
    ak.forms.Form.__eq__ = lambda self, other: isinstance(other, ak.forms.Form) and self.type == other.type


def filled(array: Any, value: Any, axis: Any = -1) -> Any:
    if isinstance(value, (ak.Array, np.ndarray)) and len(value) == 1:
        value = value.tolist()[0]
    return array.fill_none(value.item() if hasattr(value, "item") else value, axis)


def operand(x: Any) -> Any:
    return x if isinstance(x, (bool, int, float, str)) else x.item() if isinstance(x, np.generic) else ours(x)


def key_of(key: Any) -> Any:
    if isinstance(key, (ak.Array, ak.contents.Content)):
        return ours(key)
    if isinstance(key, tuple):
        return tuple(map(key_of, key))
    return key


def getitem(self: Any, key: Any) -> Any:
    try:
        x, wanted = ours(self), key_of(key)
    except Foreign as error:
        HANDED_BACK[str(error)] += 1
        return ORIGINAL_GETITEM(self, key)
    COUNTS["[]"] += 1
    made = x[wanted]
    if isinstance(made, (dict, tuple)):
        return ORIGINAL_GETITEM(self, key)
    return theirs(made)


def of_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    try:
        if method != "__call__" or options:
            raise Foreign("other methods of ufuncs")
        parts = [operand(one) for one in inputs]
    except Foreign as error:
        HANDED_BACK[str(error)] += 1
        return ORIGINAL_UFUNC(self, ufunc, method, *inputs, **options)
    COUNTS["ufuncs"] += 1
    return theirs(ufunc(*parts))


def pytest_configure(config: Any) -> None:
    if not os.environ.get("NESTLED_SUITE_PLAIN"):
        install()


def pytest_runtest_setup(item: Any) -> None:
    COUNTS.clear()
    HANDED_BACK.clear()


def pytest_runtest_logreport(report: Any) -> None:
    name, test = report.nodeid.split("::", 1)
    if report.when == "call" or report.outcome != "passed":
        OUTCOMES[name][test] = report.outcome
    if report.when == "call":
        FILES[name] += COUNTS
        FILES[name]["handed back"] += sum(HANDED_BACK.values())


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        OUTCOMES[report.nodeid]["collection"] = "failed"


def pytest_sessionfinish(session: Any) -> None:
    path = os.environ.get("NESTLED_SUITE_RESULT")
    if path:
        with open(path, "w") as file:
            json.dump({name: {"outcomes": OUTCOMES[name], "counts": FILES[name]} for name in OUTCOMES}, file)
