"""Functions of a row, mapped over the rows of nested data: each judged by plain Python."""

import dataclasses
import math
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import nestled as nd

EVENTS = [
    {"met": 1.5, "muons": [{"pt": 20.5, "charge": 1}, {"pt": 10.5, "charge": -1}]},
    {"met": 2.5, "muons": []},
    {"met": 3.5, "muons": [{"pt": 8.0, "charge": 1}]},
]


class Pair(NamedTuple):
    total: float
    count: int


@dataclasses.dataclass
class Point:
    x: float
    y: float


@nd.row
def total(event):
    return sum(m.pt for m in event.muons)


@nd.row
def above(event, cut, scale):
    return [m.pt * scale for m in event.muons if m.pt > cut]


@nd.row
def summary(event):
    return Pair(sum(m.pt for m in event.muons), len(event.muons))


def test_rows_of_records():
    events = nd.Nested.from_iter(EVENTS)
    made = total(events)
    assert isinstance(made, nd.Nested) and made.to_list() == [31.0, 0.0, 8.0]
    assert above(events, 9.0, 2.0).to_list() == [[41.0, 21.0], [], []]
    assert summary(events).to_list() == [{"total": 31.0, "count": 2}, {"total": 0.0, "count": 0}, {"total": 8.0, "count": 1}]
    assert summary(events).total.to_list() == [31.0, 0.0, 8.0]
    assert events.map_rows(total).to_list() == made.to_list()
    assert events.map_rows(lambda e: len(e.muons)).to_list() == [2, 0, 1]
    assert nd.Nested.from_iter([[1, 2], [4]]).map_rows("function total(v) = sum(v);", "total").to_list() == [3, 4]


def test_other_rows():
    mean = nd.row(lambda row: sum(row) / len(row) if len(row) > 0 else 0.0)
    assert mean([[1.0, 2.0], [], [3.0]]).to_list() == [1.5, 0.0, 3.0]
    assert mean(np.array([[1.0, 2.0], [3.0, 5.0]])).to_list() == [1.5, 4.0]
    assert nd.row(lambda x: math.sqrt(x))(nd.asarray([4.0, 9.0])).to_list() == [2.0, 3.0]
    assert nd.row(lambda x: Point(x, -x))([1.5]).to_list() == [{"x": 1.5, "y": -1.5}]
    assert nd.row(lambda x: [(x, [x])])([1, 2]).to_list() == [[(1, [1])], [(2, [2])]]
    assert nd.row(lambda name: len(name))(nd.Nested.from_iter(["ab", "", "c"])).to_list() == [2, 0, 1]


def test_refusals():
    with pytest.raises(nd.Refused, match="no function of a row"):
        nd.row(lambda: 1)
    with pytest.raises(nd.Refused, match="give numbers"):
        nd.row(lambda x: None if x > 1 else x)([1, 2])
    with pytest.raises(TypeError, match="takes 3 arguments"):
        above(nd.Nested.from_iter(EVENTS))
    with pytest.raises(TypeError, match="says which"):
        nd.Nested.from_iter(EVENTS).map_rows("function one(e) = 1;")


def test_faults_are_pythons():
    with pytest.raises(ZeroDivisionError):
        nd.row(lambda x: 1 // x)([1, 0])


def test_pickles():
    assert pickle.loads(pickle.dumps(total))(nd.Nested.from_iter(EVENTS)).to_list() == [31.0, 0.0, 8.0]
    away = nd.row(lambda row, k=2: sum(row) * k)
    assert pickle.loads(pickle.dumps(away))([[1, 2], [3]], 5).to_list() == [15, 15]
    assert "total" in repr(total) and "function" in total.source_nesl(nd.Nested.from_iter(EVENTS))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(-1000, 1000), st.floats(-10, 10)), max_size=4), min_size=1, max_size=6), st.integers(-5, 5))
def test_like_python(rows, k):
    def one(row, k):
        return [(b + k, a * k) for a, b in row if a >= k]

    nested = nd.Nested.from_iter(rows, "var * (int64, float64)")
    assert nd.row(one)(nested, k).to_list() == [one(row, k) for row in rows]
