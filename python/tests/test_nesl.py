"""Functions in NESL: types, values in and out, errors."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nestled as nd

QUICKSORT = """
function quicksort(a) = if #a < 2 then a else
    let pivot = a[#a / 2];
        parts = {quicksort(v) : v in [{e in a | e < pivot}, {e in a | e > pivot}]}
    in parts[0] ++ {e in a | e == pivot} ++ parts[1];
"""
VALUES = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "char": st.characters(max_codepoint=255),
    "[char]": st.text(st.characters(max_codepoint=255), max_size=5),
}
COMPOUND = {
    "[int]": st.lists(VALUES["int"]),
    "[bool]": st.lists(VALUES["bool"]),
    "(int, float)": st.tuples(VALUES["int"], VALUES["float"]),
    "(int, float, [char])": st.tuples(VALUES["int"], VALUES["float"], VALUES["[char]"]),
    "[[float]]": st.lists(st.lists(VALUES["float"], max_size=4), max_size=4),
    "[[[char]]]": st.lists(st.lists(VALUES["[char]"], max_size=3), max_size=3),
    "[(int, [bool])]": st.lists(st.tuples(VALUES["int"], st.lists(VALUES["bool"], max_size=3)), max_size=4),
    "[(int, bool, float)]": st.lists(st.tuples(VALUES["int"], VALUES["bool"], VALUES["float"]), max_size=4),
    "[[(float, [int])]]": st.lists(
        st.lists(st.tuples(VALUES["float"], st.lists(VALUES["int"], max_size=2)), max_size=2), max_size=3
    ),
}


@pytest.mark.parametrize("ty", [*VALUES, *COMPOUND])
@given(data=st.data())
def test_values_go_in_and_out(ty, data):
    value = data.draw((VALUES | COMPOUND)[ty])
    same = nd.NeslFunction("function same(x) = x;", "same", [ty], ty)
    assert same.result_type == ty
    found = same.call([value], as_python=True)
    assert found == value and repr(found) == repr(value)


@given(values=st.lists(st.integers(-50, 50)))
def test_quicksort(values):
    function = nd.NeslFunction(QUICKSORT, "quicksort", ["[int]"])
    assert function(values, as_python=True) == sorted(values)
    assert function(np.asarray(values, "int64")).tolist() == sorted(values)


def test_results_stay():
    text = nd.nesl(QUICKSORT + "function sums(rows) = {sum(row) : row in rows}; function parts(v) = (#v, {[x] : x in v}, v);")
    sums = text.sums([[1, 2], [], [3]])
    assert isinstance(sums, nd.Array) and sums.tolist() == [3, 0, 3]
    assert text.sums([[0.5], [1.5, 1.0]]).tolist() == [0.5, 2.5]
    assert text.sums(np.ones((2, 3))).tolist() == [3.0, 3.0]
    assert text.sums(nd.ones((2, 3), dtype="float32")).tolist() == [3.0, 3.0]
    assert text.sums(nd.Nested.from_iter([[1, 2], [3]])).tolist() == [3, 3]
    count, (single, whole) = text.parts.typed("[int]")([7, 8])
    assert count == 2 and isinstance(single, nd.Nested) and single.to_list() == [[7], [8]] and whole.tolist() == [7, 8]
    function = nd.NeslFunction(text.source, "parts", ["[int]"], "(int, [[int]], [int])")
    assert function([7], as_python=True) == (1, [[7]], [7])
    assert [part.to_list() if isinstance(part, nd.Nested) else part for part in function([7])[:2]] == [1, [[7]]]


def test_records_are_tuples():
    events = nd.Nested.from_iter([[{"pt": 1.5, "charge": 1}, {"pt": 0.5, "charge": -1}], []])
    best = nd.nesl("function charges(events) = {sum({q : (p, q) in e | p > 1.0}) : e in events};").charges
    assert best(events).tolist() == [1, 0]


def test_errors():
    with pytest.raises(nd.NeslError, match="y"):
        nd.NeslFunction("function g(x) = y;", "g", ["int"])
    with pytest.raises(nd.NeslError):
        nd.NeslFunction("function g(x) = x + 1;", "g", ["[char]"])
    with pytest.raises(nd.NeslError, match="no type"):
        nd.NeslFunction("function g(x) = x;", "g", ["integer"])
    with pytest.raises(nd.NeslError):
        nd.NeslFunction("function g(x) = x;", "h", ["int"])
    with pytest.raises(nd.NeslError, match="gives"):
        nd.NeslFunction("function g(x) = x;", "g", ["int"], "float")
    f = nd.NeslFunction("function g(v) =\n  v[7];", "g", ["[int]"])
    with pytest.raises(nd.Fault, match="7"):
        f([1, 2])
    for wrong in ([1.5], "ab", 3, [None], [[1]]):
        with pytest.raises(TypeError, match="int"):
            f(wrong)
    with pytest.raises(OverflowError):
        f([2**64])
    with pytest.raises(TypeError, match="arguments"):
        f([1], [2])
    with pytest.raises(ValueError, match="letter"):
        nd.NeslFunction("function g(v) = #v;", "g", ["[char]"])("π")


def test_pickles_and_shares():
    f = nd.NeslFunction("function g(x) = x + 1;", "g", ["int"])
    assert pickle.loads(pickle.dumps(f))(1) == 2
    assert f.arg_types == ["int"] and "g(int) -> int" in repr(f)
    found = []
    threads = [threading.Thread(target=lambda: found.append([f(k) for k in range(50)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[k + 1 for k in range(50)]] * 4
