"""Comparison of a compiled function with its undecorated form, which is its judge."""

from __future__ import annotations

import copy
import math
import warnings
from typing import TYPE_CHECKING, Any

from .errors import FellBack, Overflow

if TYPE_CHECKING:
    from . import Fn


def alike(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """True if two results are equal, floats up to the order in which they were added."""
    if isinstance(a, float) or isinstance(b, float):
        if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
            return False
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        same = isinstance(a, list) == isinstance(b, list)
        return same and len(a) == len(b) and all(alike(x, y, tolerance) for x, y in zip(a, b))
    return bool(a == b)


def outcome(f: Any, args: tuple[Any, ...]) -> tuple[str, Any]:
    """The outcome of a call: a value, or an exception."""
    try:
        return "value", f(*args)
    except Exception as error:
        return type(error).__name__, error


def compare(f: Fn[Any], args: tuple[Any, ...]) -> None:
    """Fails unless both forms give the same value, or exceptions of one class, for these arguments."""
    expected, wanted = outcome(f.python, copy.deepcopy(args))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FellBack)
        got, found = outcome(f, args)
    if isinstance(found, Overflow):
        return
    if expected != got or (expected == "value" and not alike(wanted, found)):
        raise AssertionError(f"`{f.python.__name__}`{args!r}: Python gives {wanted!r}, the compiled form {found!r}")


def compare_with_hypothesis(f: Fn[Any], strategies: tuple[Any, ...], examples: int) -> None:
    from hypothesis import HealthCheck, given, settings
    from hypothesis.strategies import tuples

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(tuples(*strategies))
    def run(args: tuple[Any, ...]) -> None:
        compare(f, args)

    run()
