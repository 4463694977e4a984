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
    assert text.sums(np.ones((2, 3), "int32")).tolist() == [3, 3]
    assert text.parts(np.asarray([True, False]))[1][0].to_list() == [[True], [False]]
    assert text.sums([np.asarray([1, 2]), np.asarray([3])]).tolist() == [3, 3]
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


SHAPES = """
datatype shape = circle(float) | rect(float, float, [char]) | dot;
datatype option = none | some(a) :: (a in any);
datatype colour = red | green;
datatype tree = leaf | node(tree, tree);
function area(s) = match s with circle(r) => r * r | rect(a, b, name) => a * b * float(#name) | dot => 0.0;
function areas(v) = {area(s) : s in v};
function next(s) = match s with circle(r) => rect(r, 2.0, "x") | rect(a, b, name) => dot | dot => circle(0.5);
function nexts(v) = {next(s) : s in v};
function grouped(v) = ({s in v | area(s) > 1.0}, #v);
function first_or(v) = if #v > 0 then some(v[0]) else none;
function other(c) = match c with red => green | green => red;
function grown(n) = node(leaf, leaf);
function same(x) = x;
"""


def test_datatypes_are_unions():
    text = nd.nesl(SHAPES)
    schema = "union[float64, (float64, float64, string), string]"
    shapes = nd.Nested.from_iter([(2.0, 3.0, "ab"), 1.5, "dot"], schema)
    assert text.areas(shapes).tolist() == [12.0, 2.25, 0.0]
    after = text.nexts(shapes)
    assert isinstance(after, nd.Nested) and after.to_list() == ["dot", (1.5, 2.0, "x"), 0.5]
    assert after.schema == "union[float64, (float64, float64, string), categorical[type=string]]"
    # What came out goes in again.
    assert text.nexts(after).to_list() == [0.5, "dot", (0.5, 2.0, "x")]
    kept, count = text.grouped(shapes)
    assert kept.to_list() == [(2.0, 3.0, "ab"), 1.5] and count == 3
    assert text.nexts(nd.Nested.from_iter([], schema)).to_list() == []
    with pytest.raises(nd.NeslError, match="other texts"):
        text.areas(nd.Nested.from_iter([1.5, "point"], schema))
    with pytest.raises(nd.NeslError, match="which datatype"):
        text.same(shapes)
    with pytest.raises(nd.NeslError, match="`circle` holds float, not int"):
        text.areas(nd.Nested.from_iter([1], "union[int64, (float64, float64, string), string]"))
    with pytest.raises(nd.NeslError, match="variants"):
        text.areas(nd.Nested.from_iter([1.5, "dot"]))
    words = nd.nesl(SHAPES + "function others(v) = {other(c) : c in v};").others
    assert words(nd.Nested.from_iter(["red", "green"])).to_list() == ["green", "red"]
    assert words(words(nd.Nested.from_iter(["red", "green"]))).to_list() == ["red", "green"]


@given(values=st.lists(st.sampled_from([2.0, -0.5, (1.0, 3.0, ""), (0.5, 4.0, "abc"), "dot"])))
def test_values_of_datatypes_go_in_and_out(values):
    text = nd.nesl(SHAPES)
    same = text.same.typed("[shape]")
    assert same(values, as_python=True) == values
    assert same(values).to_list() == values
    area = {"dot": 0.0}
    wanted = [area[v] if v == "dot" else v * v if isinstance(v, float) else v[0] * v[1] * len(v[2]) for v in values]
    assert text.areas.typed("[shape]")(values).tolist() == wanted
    for value in values:
        assert text.same.typed("shape")(value, as_python=True) == value
        assert text.same.typed("shape")(value) == value
    first = text.first_or.typed("[int]")
    assert first([7], as_python=True) == 7 and first([], as_python=True) == "none"


def test_types_of_datatypes():
    f = nd.NeslFunction(SHAPES, "next", ["shape"])
    assert f.arg_types == ["shape"] and f.result_type == "shape"
    assert pickle.loads(pickle.dumps(f))(1.0, as_python=True) == (1.0, 2.0, "x")
    f = nd.NeslFunction(SHAPES, "first_or", ["[(int, float, int)]"], "option((int, float, int))")
    assert f([(1, 2.0, 3)], as_python=True) == (1, 2.0, 3)
    assert nd.NeslFunction(SHAPES, "same", ["option(Shape)"]).arg_types == ["option(shape)"]
    assert nd.NeslFunction(SHAPES, "same", ["option(int)"])(3, as_python=True) == 3
    number = nd.NeslFunction(
        "datatype either = flag(bool) | number(int) | real(float); function same(x) = x;",
        "same",
        ["[either]"],
    )
    assert repr(number([True, 1, 1.5, False], as_python=True)) == "[True, 1, 1.5, False]"
    two = nd.NeslFunction("datatype two = one(int) | other(int); function same(x) = x;", "same", ["two"])
    with pytest.raises(TypeError, match="could be `one` or `other`"):
        two(3)
    with pytest.raises(TypeError, match="shape"):
        nd.NeslFunction(SHAPES, "area", ["shape"])("point")
    with pytest.raises(nd.NeslError, match="may hold itself"):
        nd.NeslFunction(SHAPES, "grown", ["int"])
    with pytest.raises(nd.NeslError, match="may hold itself"):
        nd.NeslFunction(SHAPES, "same", ["tree"])
    with pytest.raises(nd.NeslError, match="1 parameters"):
        nd.NeslFunction(SHAPES, "same", ["option"])
    with pytest.raises(nd.NeslError, match="gives shape, not option"):
        nd.NeslFunction(SHAPES, "next", ["shape"], "option(int)")
