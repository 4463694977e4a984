"""The functions of the list: compiled and undecorated give the same, and refusals are counted by reason."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

import pytest
from engines import chosen
from inputs import functions, inputs

from nestled._fn import Engine, Fault, Refused
from nestled._fn.compare import alike
from nestled._fn.program import Compiled, compile_function
from nestled._fn.types import T, join, settled, type_of

FUNCTIONS = functions()
SAMPLES = 10
# Refusals with their reasons; whoever makes one of them compile takes it out.
REFUSALS = {
    "lists.most_common": "the order of a set's elements",
    "recursion.permutations_in_place": "`out` may be held by another name",
    "recursion.generate_squares": "a generator function",
    "recursion.memo_fib": "`memo` may be held by another name",
    "everyday.try_parse": "`try`",
    "everyday.dict_of_lists": "`.setdefault` inside of an expression",
    "everyday.complex_numbers": "`complex` has no meaning here",
    "everyday.string_of_float": "a value of type float as text",
    "everyday.print_it": "output and input",
}


def types_for(calls: list[tuple[Any, ...]]) -> list[T]:
    """The types that all calls have in common."""
    types = [type_of(x) for x in calls[0]]
    for args in calls[1:]:
        types = [join(t, type_of(x)) for t, x in zip(types, args)]
    return [settled(t) for t in types]


def compiled(f: Any, calls: list[tuple[Any, ...]]) -> Compiled:
    return compile_function(f, types_for(calls))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return chosen()


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - REFUSALS.keys()))
def test_compiled_is_undecorated(name: str, engine: Engine) -> None:
    f = FUNCTIONS[name]
    calls = [inputs(f, seed) for seed in range(SAMPLES)]
    program = compiled(f, calls)
    values, raising = [], []
    for args in calls:
        try:
            values.append((args, f(*copy.deepcopy(args))))
        except Exception:
            raising.append(args)
    if values:
        results = engine.run_many(program, [list(args) for args, _ in values])
        for (args, wanted), found in zip(values, results):
            assert alike(wanted, found), f"{name}{args!r}: {wanted!r} became {found!r}"
    for args in raising[:2]:
        with pytest.raises(Fault):
            engine.run(program, list(args))


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refused_for_its_reason(name: str) -> None:
    f: Callable[..., Any] = FUNCTIONS[name]
    with pytest.raises(Refused) as refusal:
        compiled(f, [inputs(f, seed) for seed in range(SAMPLES)])
    assert refusal.value.reason.startswith(REFUSALS[name])
    assert refusal.value.place is not None
    assert refusal.value.place.file.endswith(".py")


def test_at_least_nine_of_ten_compile() -> None:
    reasons = collections.Counter(REFUSALS.values())
    print(f"{len(FUNCTIONS) - len(REFUSALS)} of {len(FUNCTIONS)} compile; refused:", dict(reasons))
    assert len(FUNCTIONS) >= 300
    assert len(REFUSALS) * 10 <= len(FUNCTIONS)
