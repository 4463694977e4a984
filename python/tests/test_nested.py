"""Nested data, judged by Awkward Array."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nestled as nd
from nestled import Nested

ak = pytest.importorskip("awkward", reason="the package `awkward` is not installed, so nested data was not compared with it")

EVENTS = [
    {"met": 1.5, "muons": [{"pt": 20.5, "charge": 1}, {"pt": 10.5, "charge": -1}]},
    {"met": 2.5, "muons": []},
    {"met": 3.5, "muons": [{"pt": 5.5, "charge": 1}]},
]
lists = st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=5)
deep = st.lists(st.lists(st.lists(st.floats(-9, 9), max_size=3), max_size=3), min_size=1, max_size=4)
missing = st.lists(st.none() | st.lists(st.none() | st.integers(-9, 9), max_size=4), min_size=1, max_size=5)


def both(values, schema):
    """The values as nested data of both; empty lists have no type of their own."""
    ours = Nested.from_iter(values, schema)
    return ours, ours.to_awkward()


def test_first_example():
    events = Nested.from_iter(EVENTS)
    assert events.typestr == "3 * {met: float64, muons: var * {pt: float64, charge: int64}}"
    assert events.fields == ["met", "muons"]
    hard = events.muons[events.muons.pt > 8]
    assert hard.pt.to_list() == [[20.5, 10.5], [], []]
    assert hard.pt.max(axis=-1).to_list() == [20.5, None, None]
    assert (events.met * events.muons.pt).sum(axis=-1).to_list() == [46.5, 0.0, 19.25]
    pairs = events.muons.combinations(2)
    opposite = pairs[(pairs["0"].charge + pairs["1"].charge) == 0]
    assert opposite.num().to_list() == [1, 0, 0]
    assert events.to_list() == EVENTS and events[0] == EVENTS[0]
    with pytest.raises(AttributeError, match="jets"):
        events.jets


@given(values=lists)
def test_reductions(values):
    ours, theirs = both(values, "var * int64")
    for name in ("sum", "prod", "min", "max", "any", "all", "count", "count_nonzero", "argmin", "argmax"):
        for axis in (0, 1, -1):
            assert getattr(ours, name)(axis=axis).to_list() == getattr(ak, name)(theirs, axis=axis).to_list(), name
    assert ours.sum() == ak.sum(theirs) and ours.count() == ak.count(theirs)
    np.testing.assert_allclose(ours.mean(axis=1).to_list(), ak.mean(theirs, axis=1).to_list())


@given(values=deep)
def test_structure(values):
    ours, theirs = both(values, "var * var * float64")
    for axis in (1, 2):
        assert ours.flatten(axis).to_list() == ak.flatten(theirs, axis=axis).to_list()
        assert ours.num(axis).to_list() == ak.num(theirs, axis=axis).to_list()
        assert ours.local_index(axis).to_list() == ak.local_index(theirs, axis=axis).to_list()
        assert ours.firsts(axis).to_list() == ak.firsts(theirs, axis=axis).to_list()
        assert ours.pad_none(2, axis).to_list() == ak.pad_none(theirs, 2, axis=axis).to_list()
    assert ours.ravel().to_list() == ak.ravel(theirs).to_list()
    assert ours.sort(-1).to_list() == ak.sort(theirs, axis=-1).to_list()
    assert ours[:, :1].to_list() == theirs[:, :1].to_list()
    assert ours[::-1].to_list() == theirs[::-1].to_list()
    assert ours[..., -1:].to_list() == theirs[..., -1:].to_list()


@given(values=lists)
def test_arithmetic(values):
    ours, theirs = both(values, "var * int64")
    for made, expected in [
        (ours + 1, theirs + 1), (2 - ours, 2 - theirs), (ours * ours, theirs * theirs), (ours / 2, theirs / 2),
        (ours % 3, theirs % 3), (ours // 2, theirs // 2), (ours > 0, theirs > 0), (-ours, -theirs),
        (abs(ours), abs(theirs)), (ours**2, theirs**2), (np.sqrt(abs(ours)), np.sqrt(abs(theirs))),
        (nd.exp(ours), np.exp(theirs)), (ours & 3, theirs & 3), (~(ours > 0), ~(theirs > 0)),
        (nd.where(ours > 0, ours, -1), ak.where(theirs > 0, theirs, -1)),
    ]:  # fmt: skip
        assert isinstance(made, Nested)
        np.testing.assert_allclose(made.ravel().to_list(), ak.to_list(ak.ravel(expected)), rtol=1e-12)
        assert made.num().to_list() == ak.num(expected).to_list()
    lengths = ours.num()
    assert (lengths * ours).to_list() == (ak.num(theirs) * theirs).to_list()
    assert (np.arange(len(values)) + ours).to_list() == (np.arange(len(values)) + theirs).to_list()


@given(values=lists)
def test_filters(values):
    ours, theirs = both(values, "var * int64")
    assert ours[ours > 0].to_list() == theirs[theirs > 0].to_list()
    rows = [len(row) % 2 == 0 for row in values]
    assert ours[rows].to_list() == theirs[rows].to_list()
    places = [0, len(values) - 1, 0]
    assert ours[places].to_list() == theirs[places].to_list()
    assert ours.pick(ours.argsort(-1)).to_list() == ak.sort(theirs, axis=-1).to_list()
    assert ours.combinations(2).to_list() == ak.combinations(theirs, 2).to_list()
    assert Nested.cartesian([ours, ours]).to_list() == ak.cartesian([theirs, theirs]).to_list()
    assert Nested.concatenate([ours, ours], 1).to_list() == ak.concatenate([theirs, theirs], axis=1).to_list()


@given(values=missing)
def test_missing(values):
    ours, theirs = both(values, "option[var * ?int64]")
    assert ours.to_list() == values == theirs.to_list()
    for name in ("sum", "max", "count"):
        assert getattr(ours, name)(axis=1).to_list() == getattr(ak, name)(theirs, axis=1).to_list()
    assert ours.is_none().to_list() == ak.is_none(theirs).to_list()
    assert ours.drop_none(0).to_list() == ak.drop_none(theirs, axis=0).to_list()
    assert (ours + 1).to_list() == (theirs + 1).to_list()
    assert Nested.from_awkward(theirs).to_list() == values




@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        [1.5, None],
        ["muon", "", "µ€"],
        [b"\x00\xff", b""],
        [["a", None], None, []],
        EVENTS,
        [(1, "a"), (2, "b")],
        [[(1, [2.5])], []],
        [{"a": None, "b": [1]}, {"a": 2, "b": []}],
        [True, False],
        np.arange(6, dtype="int16").reshape(2, 3),
    ],
)
def test_awkward_and_back(values):
    ours = Nested.from_array(values) if isinstance(values, np.ndarray) else Nested.from_iter(values)
    theirs = ours.to_awkward()
    assert theirs.to_list() == ours.to_list()
    back = Nested.from_awkward(theirs)
    assert back.to_list() == ours.to_list() and back.schema == ours.schema
    assert str(theirs.type) == ours.typestr.replace("?var *", "option[var *") or "option" in str(theirs.type)
    assert pickle.loads(pickle.dumps(ours)).equals(ours)


@given(values=deep)
def test_layouts_of_awkward(values):
    theirs = ak.values_astype(ak.Array([*values, [[1.0]]]), "float64")
    for layout in (theirs, theirs[::-1], theirs[ak.num(theirs) > 0], theirs[1:], ak.to_packed(theirs)):
        assert Nested.from_awkward(layout).to_list() == layout.to_list()


def test_categories():
    index = ak.index.Index64(np.asarray([0, 1, 0]))
    words = ak.Array(["a", "b"]).layout
    theirs = ak.Array(ak.contents.IndexedArray(index, words, parameters={"__array__": "categorical"}))
    found = Nested.from_awkward(theirs)
    assert found.to_list() == ["a", "b", "a"] and found.schema == "categorical[type=string]"
    assert found.to_awkward().type == theirs.type


def test_texts():
    words = Nested.from_iter([["Muon", "jet"], [], ["Muon"]])
    assert words.to_upper().to_list() == [["MUON", "JET"], [], ["MUON"]]
    assert (words == "Muon").to_list() == [[True, False], [], [True]]
    assert words.starts_with("M").to_list() == [[True, False], [], [True]]
    assert words.replace("u", "o").to_list() == [["Moon", "jet"], [], ["Moon"]]
    assert Nested.from_iter(["1", "x"]).parse("int64").to_list() == [1, None]


def test_tables():
    runs = Nested.from_iter([{"run": 2, "x": 1.5}, {"run": 1, "x": 2.5}, {"run": 2, "x": 3.5}])
    groups = runs.group_by(runs.run)
    assert groups.key.to_list() == [1, 2] and groups.rows.x.sum(axis=-1).to_list() == [2.5, 5.0]
    names = Nested.from_iter([{"run": 2, "name": "b"}])
    assert runs.join(names, "run").name.to_list() == ["b", "b"]
    wide = runs.with_field(runs.x * 2, "y")
    assert wide.y.to_list() == [3.0, 5.0, 7.0] and wide[["run", "y"]].fields == ["run", "y"]
    assert Nested.zip({"a": runs.run, "b": runs.x}).fields == ["a", "b"]
    assert len(runs.unzip()) == 2


def test_rows_of_two_arrays():
    left, right = Nested.from_iter([[3, 1, 3], [], None]), Nested.from_iter([[1, 2], [5], [7]])
    assert left.set_union(right).to_list() == [[1, 2, 3], [5], None]
    assert left.set_intersection(right, axis=1).to_list() == [[1], [], None]
    assert left.set_difference(right).to_list() == [[3], [], None]
    assert left.places_in(right).to_list() == [[None, 0, None], [], None]
    assert left.sort().merge_sorted([[0, 3], [5], [7]]).to_list() == [[0, 1, 3, 3, 3], [5], None]
    assert left.nearest(right).to_list() == [[1, 0, 1], [], None]
    with pytest.raises(Exception, match="list 0 of this array is not sorted"):
        left.merge_sorted(right)
    assert Nested.from_iter([[1], [2], [1]]).unique(axis=0).to_list() == [[1], [2]]
    assert Nested.from_iter([[1], [1], [2]]).run_lengths(axis=0).to_list() == [2, 1]


def test_records_in_order():
    muons = Nested.from_iter([[{"q": 1, "pt": 2.5}, {"q": -1, "pt": 1.5}, {"q": 1, "pt": 3.5}], []])
    assert muons.sort_by("pt").pt.to_list() == [[1.5, 2.5, 3.5], []]
    assert muons.sort_by(["q", "pt"], ascending=[True, False]).pt.to_list() == [[1.5, 3.5, 2.5], []]
    assert muons.argsort_by(["q", "pt"], 1, ascending=False).to_list() == [[2, 0, 1], []]
    with pytest.raises(ValueError, match="1 directions for 2 fields"):
        muons.sort_by(["q", "pt"], ascending=[True])
    groups = muons.group_by(muons.q, axis=1)
    assert groups.key.to_list() == [[-1, 1], []] and groups.rows.pt.to_list() == [[[1.5], [2.5, 3.5]], []]


def test_categories():
    words = Nested.from_iter([["b", "a"], [None], ["b"]]).to_categorical()
    assert words.schema == "var * ?categorical[type=string]" and words.to_list() == [["b", "a"], [None], ["b"]]
    assert words.categories().to_list() == ["b", "a"]
    assert words.from_categorical().schema == "var * ?string"


def test_rows_in_nesl():
    rows = Nested.from_iter([[3, 1, 2], [], [5]])
    text = "function most(v) = if #v == 0 then -1 else max_val(v);"
    assert rows.map_rows(text, "most").to_list() == [3, -1, 5]


def test_shows():
    rows = Nested.from_iter([[1, 2], []])
    assert "var * int64" in repr(rows)
    assert len(rows) == 2 and list(rows) == [[1, 2], []]
    assert rows[0].to_list() == [1, 2] and rows[0, 1] == 2 and rows[-1].to_list() == []
    with pytest.raises(ValueError, match="any"):
        bool(rows)
    with pytest.raises(IndexError):
        rows[5]


def test_arrays_and_nested():
    x = nd.ones((2, 3))
    nested = Nested.from_array(x)
    assert nested.schema == "3 * float64"
    assert nd.asarray(nested).shape == (2, 3)
    assert np.asarray(nested).shape == (2, 3)
    with pytest.raises(ValueError, match="no array"):
        nd.asarray(Nested.from_iter([[1], []]))


def test_errors():
    mixed = Nested.from_iter([[1], "a"])
    assert mixed.to_list() == [[1], "a"] and "union" in mixed._repr_html_()
    with pytest.raises(nd.Error):
        mixed + 1
    with pytest.raises(TypeError):
        Nested.from_iter([object()])
    with pytest.raises(nd.ShapeError):
        Nested.from_iter([[1, 2], []]) + Nested.from_iter([[1], [2]])
    with pytest.raises(ValueError):
        Nested.from_iter([1], "var * nonsense")
