"""Functions over arrays and nested data that lie on the device."""

from __future__ import annotations

import numpy as np
import pytest

import nestled as nd


@nd.fn
def leading(events):
    return [max(m.pt for m in e.muons) for e in events if len(e.muons) >= 2]


@nd.fn
def scaled(a, k):
    return [x * k for x in a]


def test_nested_records_have_fields() -> None:
    events = nd.Nested.from_iter([
        {"met": 1.5, "muons": [{"pt": 20.5, "charge": 1}, {"pt": 10.5, "charge": -1}]},
        {"met": 2.5, "muons": []},
    ])
    assert leading(events) == [20.5]
    rows = nd.Nested.from_iter([[1, 2], [], [3]])
    assert nd.fn(lambda rows: [sum(row) for row in rows])(rows) == [3, 0, 3]


def test_arrays_in_and_out() -> None:
    assert scaled(nd.asarray([1.0, 2.0]), 2.0) == [2.0, 4.0]
    assert scaled(np.array([1, 2], dtype=np.int32), 3) == [3, 6]
    out = scaled.on_device(nd.asarray([1.0, 2.0]), 2.0)
    assert isinstance(out, nd.Array) and out.tolist() == [2.0, 4.0]
    ragged = nd.fn(lambda n: [list(range(i)) for i in range(n)]).on_device(4)
    assert isinstance(ragged, nd.Nested) and ragged.to_list() == [[], [0], [0, 1], [0, 1, 2]]


def test_exceptions_of_device_values_are_pythons() -> None:
    with pytest.raises(IndexError):
        nd.fn(lambda a: a[7])(nd.asarray([1, 2]))


texts = nd.nesl("function halves(v) = bottop(v); function swap(a, b) = (b, a);")


@nd.fn
def sum_tree(a):
    if len(a) < 2:
        return sum(a)
    return sum([sum_tree(half) for half in texts.halves(a)])


def test_functions_in_nesl_are_called() -> None:
    assert sum_tree([1, 2, 3, 4, 5]) == 15
    assert nd.fn(lambda x, s: texts.swap(x, s))(1, "ab") == ("ab", 1)
