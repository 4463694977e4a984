"""Values that are computed only to be dropped raise all the same: a length, a truth value or a type that is known, and a part of a tuple that is not taken."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from engines import chosen

from nestled import _fn as nd


class Pair(NamedTuple):
    first: int
    second: int


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (lambda s,n: len(s[n]), ("abc", 5)),
    (lambda s,n: bool(s[n]), ("abc", 5)),
    (lambda s,n: 1 if s[n] else 2, ("abc", 5)),
    (lambda s,n: 1 if not s[n] else 2, ("abc", 5)),
    (lambda s,n: s[n] and n, ("abc", 5)),
    (lambda a,n: len((a[n],1)), ([1], 5)),
    (lambda a,n: (a[n],1)[1], ([1], 5)),
    (lambda a,n: bool((a[n],1)), ([1], 5)),
    (lambda a,n: (a[n],1) == 3, ([1], 5)),
    (lambda a,n: a[n] == "x", ([1], 5)),
    (lambda a,n: a[n] is None, ([1], 5)),
    (lambda a,n: a[n] is not None, ([1], 5)),
    (lambda a,n: a[n] in [], ([1], 5)),
    (lambda a,n: [a[n]].count("x"), ([1], 5)),
    (lambda a,n: isinstance(a[n], int), ([1], 5)),
    (lambda a,n: a[n] ** 0, ([1], 5)),
    (lambda a,n: a[n] * 0, ([1], 5)),
    (lambda a,n: 0 and a[n], ([1], 5)),
    (lambda a,n: a[n] % 1, ([1], 5)),
    (lambda a,n: a[n] // 1, ([1], 5)),
    (lambda a,n: [a[n]] * 0, ([1], 5)),
    (lambda a,n: [a[n]][:0], ([1], 5)),
    (lambda a,n: "abc" * 0 + str(a[n])[:0], ([1], 5)),
    (lambda a,n: max(a[n], 3) > 2, ([1], 5)),
    (lambda a,n: len(str(a[n])) >= 0, ([1], 5)),
    (lambda a,n: len([a[n]]) > 0, ([1], 5)),
    (lambda a,n: len(range(a[n])) >= 0, ([1], 5)),
    (lambda a,n: {a[n]: 1}.get(3, 0), ([1], 5)),
    (lambda a,n: len({a[n]}), ([1], 5)),
    (lambda a,n: sum([] if a[n] else []), ([1], 5)),
    (lambda a,n: [0 for _ in [a[n]]], ([1], 5)),
    (lambda a,n: [0 for _ in a if a[n] or True], ([1], 5)),
    (lambda a,n: [0 for x in a for _ in [x // n]], ([1], 0)),
    (lambda a,n: any([a[n] or True]), ([1], 5)),
    (lambda a,n: all([True, a[n] == a[n]]), ([1], 5)),
    (lambda a,n: f"{a[n]}"[:0], ([1], 5)),
    (lambda a,n: (lambda x: 3)(a[n]), ([1], 5)),
    (lambda a,n: divmod(a[n], 1)[1], ([1], 5)),
    (lambda a,n: min([a[n], 1])*0, ([1], 5)),
    (lambda s,n: s[n].isalpha() or True, ("abc", 5)),
    (lambda s,n: len(s[n] + "x"), ("abc", 5)),
    (lambda s,n: len(s[n].upper()), ("abc", 5)),
    (lambda s,n: s[n] != 3, ("abc", 5)),
    (lambda a,n: None == a[n], ([1], 5)),
    (lambda a,n: [a[n], 2].index(2), ([1], 5)),
    (lambda a,n: abs(a[n]) >= 0, ([1], 5)),
    (lambda a,n: len(a[:1 // n]) >= 0, ([1], 0)),
    (lambda a,n: a[:0:1 // n], ([1], 0)),
    (lambda a,n: sorted([a[n]]) != [] , ([1], 5)),
    (lambda a,n: list(enumerate([a[n]]))[0][0], ([1], 5)),
    (lambda a,n: [i for i, _ in enumerate([x // n for x in a])], ([1], 0)),
    (lambda a,n: [i for i, _ in zip(a, [x // n for x in a])], ([1], 0)),
    (lambda s, n: s[n] or "z", ("abc", 5)),
    (lambda s, n: s[n] or "z", ("abc", 1)),
    (lambda s, n: "z" if s[n] else "y", ("abc", 5)),
    (lambda a, n: (1, a[n], 2)[::2], ([1], 5)),
    (lambda a, n: Pair(a[n], 2).second, ([1], 5)),
    (lambda a, n: [(x // n, x)[1] for x in a], ([1, 2], 0)),
    (lambda a, n: [(x // n, x)[1] for x in a], ([], 0)),
    (lambda a, n: type(a[n]) is int, ([1], 5)),
    (lambda a, n: not (a[n] is None), ([1], 5)),
    (lambda a, n: a[n] is None or n > 3, ([1], 5)),
]


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.filterwarnings("error::nestled.FellBack")
def test_as_python(case: int) -> None:
    nd.use_engine(chosen())
    function, args = CASES[case]
    try:
        wanted = function(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            nd.fn(function)(*args)
        return
    assert nd.fn(function)(*args) == wanted
