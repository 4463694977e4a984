"""Corners of Python's meaning, and random programs of comprehensions, against Python itself."""

from __future__ import annotations

import copy
import os
from typing import Any

import pytest
import random_programs
import random_statements
from corners import CASES, FUNCTIONS, REFUSED
from engines import chosen
from test_fn_functions import compiled

from nestled._fn import Engine, Fault, Refused
from nestled._fn.compare import alike
from nestled._fn.program import compile_function
from nestled._fn.types import INT, STR, list_of

COUNT = int(os.environ.get("NESTLED_TEST_COUNT", "60"))
# Left to Python: the call faults, and the undecorated function answers.
DECIDED = {
    "quotients of floats beyond 2^52": lambda args: len(args) == 2 and isinstance(args[0], float) and args[0] == 1e15,
    "integers with underscores": lambda args: args == ("1_0",),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return chosen()


def big(value: Any) -> bool:
    """True if an integer is beyond 64 bits."""
    if isinstance(value, (list, tuple)):
        return any(map(big, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


@pytest.mark.parametrize("case", range(len(CASES) + len(FUNCTIONS)), ids=lambda i: f"line-{(CASES + FUNCTIONS)[i][0].__code__.co_firstlineno}")
def test_corner(case: int, engine: Engine) -> None:
    f, calls = (CASES + FUNCTIONS)[case]
    name: str = f.__name__  # type: ignore[attr-defined]
    if name in REFUSED:
        with pytest.raises(Refused):
            compiled(f, calls)
        return
    whole = compiled(f, calls)
    values, raising = [], []
    for args in calls:
        if any(test(args) for test in DECIDED.values()):
            continue
        try:
            value = f(*copy.deepcopy(args))  # type: ignore[operator]
        except Exception:
            raising.append(args)
            continue
        (raising if big(value) else values).append(args)
    results = engine.run_many(whole, [list(args) for args in values]) if values else []
    for args, found in zip(values, results):
        wanted = f(*copy.deepcopy(args))  # type: ignore[operator]
        assert alike(wanted, found, 1e-12), f"{args!r}: {wanted!r} became {found!r}"
    for args in raising[:3]:
        with pytest.raises(Fault):
            engine.run(whole, list(args))


@pytest.mark.parametrize("kind", ["comprehensions", "statements"])
@pytest.mark.parametrize("block", range(10))
def test_random_programs(block: int, kind: str, engine: Engine) -> None:
    """`NESTLED_TEST_COUNT` says how many of each kind. Where Python raises, the compiled function faults."""
    values = random_programs if kind == "comprehensions" else random_statements
    types = [list_of(INT), list_of(INT), list_of(list_of(INT)), STR, INT] if kind == "comprehensions" else [list_of(INT), INT]
    for seed in range(block * COUNT // 10, (block + 1) * COUNT // 10):
        f: Any = random_programs.program(seed, 3, 1 + seed % 3) if kind == "comprehensions" else random_statements.program(seed, 1 + seed % 3)
        whole = compile_function(f, types)
        calls, raising = [], []
        for k in range(6):
            args = values.arguments(seed * 10 + k)
            try:
                calls.append((args, f(*copy.deepcopy(args))))
            except Exception as error:
                raising.append((args, error))
        for args, error in raising:
            try:
                found = engine.run(whole, list(args))
            except Fault:
                continue
            pytest.fail(f"program {seed}{args!r}: {error!r} became {found!r}")
        try:
            results = engine.run_many(whole, [list(args) for args, _ in calls]) if calls else []
        except Fault as fault:
            assert "square root of a negative number" in str(fault), f"program {seed}: {fault}"
            continue
        for (args, wanted), found in zip(calls, results):
            assert alike(wanted, found), f"program {seed}{args!r}: {wanted!r} became {found!r}"
