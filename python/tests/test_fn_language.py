"""Decorated functions as users meet them: sources, closures, methods, notebooks, refusals, faults and overflow."""

from __future__ import annotations

import linecache
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from engines import chosen

from nestled import _fn as nd


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    nd.use_engine(chosen())
    yield


SCALE = 3


@nd.fn
def quicksort(a):
    if len(a) < 2:
        return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
    return less + [x for x in a if x == p] + more


@nd.fn
def scaled(a, k=SCALE, *, shift=0):
    return [x * k + shift for x in a]


@nd.fn
def both(a):
    return quicksort(scaled(a))


def test_a_decorated_function_and_its_python() -> None:
    assert quicksort([5, 2, 9, 1, 5]) == [1, 2, 5, 5, 9] == quicksort.python([5, 2, 9, 1, 5])
    assert quicksort([2.5, -1.0]) == [-1.0, 2.5]
    assert quicksort([]) == []
    assert quicksort.__name__ == "quicksort" and len(quicksort.compiled) == 2


def test_defaults_keywords_and_calls_of_each_other() -> None:
    assert scaled([1, 2]) == [3, 6] and scaled([1, 2], 5, shift=1) == [6, 11]
    assert both([3, 1]) == [3, 9]


def test_lambdas_on_one_line() -> None:
    f, g = nd.fn(lambda a: [x + 1 for x in a]), nd.fn(lambda a: [x - 1 for x in a])
    assert (f([1, 2]), g([1, 2])) == ([2, 3], [0, 1])
    pair = [nd.fn(lambda x: x * 2), nd.fn(lambda x: x * 3)]
    assert [h(5) for h in pair] == [10, 15]
    assert nd.fn(
        lambda rows: [
            sum(row)
            for row in rows
        ]
    )([[1, 2], [], [3]]) == [3, 0, 3]


def test_closures_and_methods() -> None:
    def adder(k: int) -> Any:
        return nd.fn(lambda a: [x + k for x in a])

    assert adder(10)([1, 2]) == [11, 12] and adder(20)([1]) == [21]

    @dataclass
    class Model:
        slope: float

        @nd.fn
        def at(self, xs):
            return [self.slope * x for x in xs]

    assert Model(2.0).at([1.0, 3.0]) == [2.0, 6.0]


def test_notebook_cells() -> None:
    text = "@nd.fn\ndef twice(x):\n    return 2 * x\n"
    file = "<ipython-input-7>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"nd": nd}
    exec(compile(text, file, "exec"), names)
    assert names["twice"](21) == 42


def test_no_source_is_said() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", names)
    with pytest.raises(nd.Refused, match="source of `f` cannot be found"):
        nd.fn(names["f"])(1)


def test_a_refusal_has_its_place() -> None:
    @nd.fn
    def noisy(a):
        print(a)
        return a

    with pytest.raises(nd.Refused) as refusal:
        noisy([1])
    place = refusal.value.place
    assert place is not None and place.file == __file__ and place.text.strip() == "print(a)"
    shown = str(refusal.value).splitlines()
    assert shown[1].strip() == "print(a)" and shown[2].index("^") == shown[1].index("print")
    assert shown[3].strip().startswith("instead: return the value")


def test_changes_that_the_caller_would_see_are_refused() -> None:
    @nd.fn
    def push(a):
        a.append(1)
        return len(a)

    with pytest.raises(nd.Refused, match=r"copy it before: `a = list\(a\)`"):
        push([1])


def test_exceptions_are_pythons_own() -> None:
    second = nd.fn(lambda a: a[1])
    with pytest.raises(IndexError, match="list index out of range"):
        second([1])
    with pytest.raises(ZeroDivisionError):
        nd.fn(lambda a, b: a // b)(1, 0)
    with pytest.raises(ValueError, match="empty"):
        nd.fn(lambda a: max(a))([])
    with pytest.raises(ValueError):
        nd.fn(lambda x: math.sqrt(x))(-1.0)


def test_integers_beyond_64_bits_are_refused() -> None:
    product = nd.fn(lambda a, b: a * b)
    assert product(2**31, 2**31) == 2**62
    with pytest.raises(nd.Overflow, match="left 64 bits"):
        product(2**40, 2**40)
    assert nd.fn(lambda a: sum(a))([2**62, 2**62, -(2**62)]) == 2**62
    with pytest.raises(nd.Overflow):
        nd.fn(lambda a: sum(a))([2**62, 2**62])
    with pytest.raises(nd.Refused, match="beyond 64 bits"):
        product(2**70, 1)


def test_what_only_python_decides_is_said() -> None:
    with pytest.warns(nd.FellBack):
        assert nd.fn(lambda s: int(s))("1_000") == 1000
    lazy = nd.fn(lambda a: any(10 // x > 2 for x in a))
    with pytest.warns(nd.FellBack):
        assert lazy([1, 0]) is True


def test_numpy_arguments() -> None:
    norm = nd.fn(lambda v: np.sqrt(sum(x * x for x in v)))
    assert norm(np.array([3.0, 4.0])) == 5.0
    assert nd.fn(lambda m: [sum(row) for row in m])(np.arange(6).reshape(2, 3)) == [3, 12]


def test_source_and_explanation() -> None:
    text = quicksort.source_nesl([1])
    assert "function quicksort_1(" in text and "{quicksort_1(" in text
    assert quicksort.explain([1]).startswith("quicksort: (list[int]) -> list[int]")
    dot = nd.fn(lambda a, b: sum(x * y for x, y in zip(a, b)))
    assert "sum(" in dot.source_nesl([1.0], [1.0])


def test_check_with_hypothesis() -> None:
    st = pytest.importorskip("hypothesis.strategies")
    nd.check(quicksort, st.lists(st.integers(-100, 100), max_size=12), examples=15)


def test_check_finds_differences() -> None:
    from nestled._fn.compare import alike, compare

    assert alike([1, 2.0], [1.0, 2]) and not alike([1], (1,)) and not alike([1, 2], [1])
    wrong: Any = nd.fn(lambda a: a)
    wrong.python = lambda a: [*a, 1]
    wrong.compiled[(nd.types_of([1]))] = nd.fn(lambda a: a).compile(nd.types_of([1]))
    with pytest.raises(AssertionError, match="Python gives"):
        compare(wrong, ([1],))


def test_threads_may_call_at_once() -> None:
    f = nd.fn(lambda a, k: [x * k for x in a if x % k])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: f([1, 2, 3, 4], k), [2, 3, 2, 3, 5, 7]))
    assert found == [f.python([1, 2, 3, 4], k) for k in [2, 3, 2, 3, 5, 7]]


def test_functions_of_a_module_pickle() -> None:
    assert pickle.loads(pickle.dumps(quicksort)) is quicksort


def test_empty_lists_of_anything() -> None:
    @nd.fn
    def names(people):
        return [name.upper() for name, age in people if age > 30]

    assert names([]) == []
    assert names([("ann", 40), ("bob", 20)]) == ["ANN"]
    assert names([]) == [] and quicksort([[]]) == [[]]


def test_names_outside_have_their_values_of_now() -> None:
    k = 1
    f = nd.fn(lambda x: x + k * SCALE)
    assert f(1) == 4
    k = 2
    assert f(1) == 7
    globals()["SCALE"] = 10
    assert f(1) == 21
    globals()["SCALE"] = 3


def test_recursion_whose_types_grow_is_refused() -> None:
    @nd.fn
    def deeper(x, n):
        return 0 if n == 0 else deeper([x], n - 1)

    with pytest.raises(nd.Refused, match="types grow"):
        deeper(1, 3)


def test_no_warning_without_reason() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nd.fn(lambda a: [1 if x == 0 else 10 // x for x in a])([0, 5]) == [1, 2]


_ = Callable


#: Lambdas in the middle of an expression of many lines, several on each.
TABLE = {
    "one": (lambda x: x + 1, 1), "two": (lambda x: x + 2, 1),
    "three": (lambda x: (x + 3) * 1, 1), "four": (lambda x, k=4: x + k, lambda x: x + 5), "long": (lambda x:
        x + 6, 1),
}  # fmt: skip


def test_lambdas_in_tables() -> None:
    for number, name in enumerate(("one", "two", "three", "four"), 1):
        assert nd.fn(TABLE[name][0])(10) == 10 + number, name
    assert nd.fn(TABLE["four"][1])(10) == 15 and nd.fn(TABLE["long"][0])(10) == 16
    # Carried to another process, where there is no file.
    for number, name in enumerate(("one", "two", "three", "four"), 1):
        assert pickle.loads(pickle.dumps(nd.fn(TABLE[name][0])))(10) == 10 + number, name
