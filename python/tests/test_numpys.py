"""Functions that NumPy has beyond the standard, judged by NumPy."""

import math
import warnings

import numpy as np
import pytest
from common import ALL, FLOATS, NUMBERS, arrays, full_shapes, same
from hypothesis import given
from hypothesis import strategies as st

import nestled as nd

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def drawn_axis(data, x, none=True):
    axes = st.integers(-x.ndim, x.ndim - 1)
    return data.draw((st.none() | axes) if none else axes)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"])
@given(data=st.data())
def test_nan_reductions(name, data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    if x.dtype.kind == "f":
        x[data.draw(arrays(["bool"], shape=x.shape))] = np.nan
    axis = drawn_axis(data, x)
    keepdims = data.draw(st.booleans())
    found = getattr(nd, name)(nd.asarray(x), axis=axis, keepdims=keepdims)
    same(found, getattr(np, name)(x, axis=axis, keepdims=keepdims), exact=False, scale=1e4)


@given(data=st.data())
def test_places_past_nan(data):
    x = data.draw(arrays(FLOATS, shape=(3, 4), small=True))
    x[:, 0] = np.nan
    axis = data.draw(st.sampled_from([1, -1, None]))
    for name in ("nanargmax", "nanargmin"):
        same(getattr(nd, name)(nd.asarray(x), axis=axis), getattr(np, name)(x, axis=axis))
    for name in ("nancumsum", "nancumprod"):
        same(getattr(nd, name)(nd.asarray(x), axis=axis), getattr(np, name)(x, axis=axis), exact=False, scale=1e4)
    same(nd.nan_to_num(nd.asarray(x), nan=2.0), np.nan_to_num(x, nan=2.0))


def test_no_numbers_at_all():
    x = nd.asarray([[math.nan, math.nan], [1.0, math.nan]])
    assert np.array_equal(np.asarray(nd.nanmax(x, axis=1)), [math.nan, 1.0], equal_nan=True)
    assert np.array_equal(np.asarray(nd.nanmean(x, axis=1)), [math.nan, 1.0], equal_nan=True)
    assert nd.nansum(x).item() == 1.0
    assert nd.nanargmax(x, axis=1).tolist() == [0, 0]
    with pytest.raises(ValueError):
        nd.nanmax(nd.zeros((0,)))
    assert math.isnan(nd.nanmedian(nd.zeros((0,))).item())


@given(data=st.data())
def test_quantiles(data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    axis = drawn_axis(data, x)
    keepdims = data.draw(st.booleans())
    q = data.draw(st.floats(0, 1, width=16))
    method = data.draw(st.sampled_from(["linear", "lower", "higher", "midpoint", "nearest"]))
    theirs = np.quantile(x.astype("float64"), q, axis=axis, method=method, keepdims=keepdims)
    found = nd.quantile(nd.asarray(x), q, axis=axis, method=method, keepdims=keepdims)
    assert found.dtype == ("float32" if x.dtype == "float32" else "float64")
    same(nd.astype(found, "float64"), theirs.astype(found.dtype.name).astype("float64"), exact=False, scale=1e7)
    several = nd.percentile(nd.asarray(x), [10, 50, 100], axis=axis, keepdims=keepdims)
    assert several.shape == np.percentile(x, [10, 50, 100], axis=axis, keepdims=keepdims).shape
    np.testing.assert_allclose(np.asarray(several), np.percentile(x, [10, 50, 100], axis=axis, keepdims=keepdims), rtol=1e-5, atol=1e-4)
    same(nd.median(nd.asarray(x), axis=axis), np.median(x, axis=axis), exact=False, scale=1e2)


@given(data=st.data())
def test_quantiles_with_nan(data):
    x = data.draw(arrays(["float64"], shape=(3, 5), small=True))
    x[data.draw(arrays(["bool"], shape=x.shape))] = np.nan
    q = data.draw(st.floats(0, 1, width=16))
    for axis in (None, 0, 1, (0, 1)):
        same(nd.quantile(nd.asarray(x), q, axis=axis), np.quantile(x, q, axis=axis), exact=False, scale=1e2)
        same(nd.nanquantile(nd.asarray(x), q, axis=axis), np.nanquantile(x, q, axis=axis), exact=False, scale=1e2)
        same(nd.nanpercentile(nd.asarray(x), [25, 75], axis=axis), np.nanpercentile(x, [25, 75], axis=axis), exact=False, scale=1e2)


def test_quantile_errors():
    for q in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="quantiles"):
            nd.quantile(nd.arange(3), q)
    with pytest.raises(ValueError, match="linear"):
        nd.quantile(nd.arange(3), 0.5, method="best")
    assert nd.quantile(nd.asarray([math.inf, math.inf]), 0.5).item() == math.inf


@given(data=st.data())
def test_greatest_elements(data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes))
    axis = drawn_axis(data, x, none=False)
    k = data.draw(st.integers(0, x.shape[axis]))
    largest = data.draw(st.booleans())
    values, places = nd.top_k(nd.asarray(x), k, axis=axis, largest=largest)
    same(values, np.take_along_axis(x, np.asarray(places), axis))
    ordered = np.sort(x, axis=axis)
    if largest:
        # NaN is the last here too.
        rows = np.moveaxis(ordered, axis, -1).reshape(-1, x.shape[axis])
        rows = [[*row[~np.isnan(row)][::-1], *row[np.isnan(row)]] for row in rows]
        moved = np.asarray(rows, x.dtype).reshape(np.moveaxis(ordered, axis, -1).shape)
        ordered = np.moveaxis(moved, -1, axis)
    same(values, np.take(ordered, range(k), axis))
    with pytest.raises(ValueError):
        nd.top_k(nd.asarray(x), x.shape[axis] + 1, axis=axis)


@given(data=st.data())
def test_partitions(data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes))
    axis = drawn_axis(data, x, none=False)
    kth = data.draw(st.integers(-x.shape[axis], x.shape[axis] - 1))
    found = np.asarray(nd.partition(nd.asarray(x), kth, axis=axis))
    np.testing.assert_array_equal(np.take(found, kth, axis), np.take(np.sort(x, axis), kth, axis))
    places = np.asarray(nd.argpartition(nd.asarray(x), kth, axis=axis))
    np.testing.assert_array_equal(np.take_along_axis(x, places, axis), found)
    with pytest.raises(ValueError):
        nd.partition(nd.asarray(x), x.shape[axis], axis=axis)


@given(data=st.data())
def test_extremes_so_far(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    axis = drawn_axis(data, x, none=False)
    same(nd.cumulative_max(nd.asarray(x), axis=axis), np.maximum.accumulate(x, axis=axis))
    same(nd.cumulative_min(nd.asarray(x), axis=axis), np.minimum.accumulate(x, axis=axis))


@given(data=st.data())
def test_unique(data):
    x = data.draw(arrays(ALL, small=True) | arrays(FLOATS))
    equal_nan = data.draw(st.booleans())
    theirs = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    found = nd.unique(nd.asarray(x), return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    same(found[0], theirs[0])
    same(found[1], theirs[1])
    same(found[2], theirs[2].reshape(x.shape))
    same(found[3], theirs[3])
    same(nd.unique(nd.asarray(x)), np.unique(x))


@given(data=st.data())
def test_sets(data):
    dtype = data.draw(st.sampled_from(["int64", "float32", "uint8"]))
    x, y = (data.draw(arrays([dtype], small=True)) for _ in range(2))
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        same(getattr(nd, name)(nd.asarray(x), nd.asarray(y)), getattr(np, name)(x, y))


@given(keys=arrays(["int8", "float64"], shape=(9,), small=True))
def test_groups(keys):
    keys = np.round(keys / 40)
    values = np.arange(9.0)
    found = nd.group_by(keys, values)
    same(found.keys, np.unique(keys))
    assert found.values.to_list() == [values[keys == key].tolist() for key in np.unique(keys)]
    assert nd.group_by(keys).values.to_list() == [np.flatnonzero(keys == key).tolist() for key in np.unique(keys)]


def test_groups_of_nothing():
    found = nd.group_by(nd.zeros(0), nd.zeros(0))
    assert found.keys.tolist() == [] and found.values.to_list() == []
    with pytest.raises(ValueError):
        nd.group_by(nd.zeros(3), nd.zeros(2))


@given(data=st.data())
def test_digitize(data):
    x = data.draw(arrays(["float64", "int32"]))
    bins = np.sort(data.draw(arrays(["float64"], shape=(4,), small=True)))
    bins = bins[::-1].copy() if data.draw(st.booleans()) else bins
    right = data.draw(st.booleans())
    same(nd.digitize(nd.asarray(x), bins, right=right), np.digitize(x, bins, right=right))


def test_digitize_errors():
    with pytest.raises(ValueError, match="rise or fall"):
        nd.digitize(nd.zeros(2), [1, 3, 2])


@given(data=st.data())
def test_histograms(data):
    x = data.draw(arrays(NUMBERS, small=True))
    count = data.draw(st.integers(1, 7))
    for bins, bounds in ((count, None), (count, (-5.0, 50.0)), ([-50, -1, 0, 0.5, 100], None)):
        for density in (False, True):
            found, edges = nd.histogram(nd.asarray(x), bins, bounds, density=density)
            theirs, their_edges = np.histogram(x, bins, bounds, density=density)
            same(edges, their_edges)
            same(found, theirs, exact=not density)
    weights = data.draw(arrays(["float64"], shape=x.shape, small=True))
    same(nd.histogram(nd.asarray(x), 4, weights=weights)[0], np.histogram(x, 4, weights=weights)[0], exact=False, scale=1e3)


@given(data=st.data())
def test_histograms_of_planes(data):
    x, y = (data.draw(arrays(["float64"], shape=(9,), small=True)) for _ in range(2))
    bins = data.draw(st.sampled_from([3, [2, 4], [[-100, 0, 10, 100], 2]]))
    for one, other in zip(nd.histogram2d(x, y, bins), np.histogram2d(x, y, bins), strict=True):
        same(one, other)


def test_histograms_at_the_edges():
    x = np.asarray([1.0, 2.0, 3.0, math.nan, math.inf, -math.inf, 0.999])
    same(nd.histogram(x, [1, 2, 3])[0], np.histogram(x, [1, 2, 3])[0])
    same(nd.histogram(np.zeros(0), 3)[0], np.histogram(np.zeros(0), 3)[0])
    same(nd.histogram(np.ones(4), 3)[1], np.histogram(np.ones(4), 3)[1])
    same(nd.histogram(np.arange(20.0), "sturges")[0], np.histogram(np.arange(20.0), "sturges")[0])
    for bins in (0, -1, [2, 1]):
        with pytest.raises(ValueError):
            nd.histogram(np.ones(3), bins)
    with pytest.raises(ValueError):
        nd.histogram(x, 3)
    with pytest.raises(ValueError):
        nd.histogram(np.ones(3), 3, weights=np.ones(2))


@given(data=st.data())
def test_interp(data):
    x = data.draw(arrays(["float64", "int32", "float32"]))
    xp = np.unique(data.draw(arrays(["float64"], shape=(5,), small=True)))
    fp = data.draw(arrays(["float64"], shape=xp.shape, small=True))
    left = data.draw(st.none() | st.just(-7.0))
    same(nd.interp(x, xp, fp, left=left), np.interp(x, xp, fp, left=left), exact=False, scale=1e4)
    finite = np.where(np.isfinite(x), x, 0)
    # Points that a period puts beside each other, a rounding apart, are a jump at which either side may be meant.
    around = np.unique(np.round(xp, 2) % 360)
    same(nd.interp(finite, around, fp[: around.size], period=360), np.interp(finite, around, fp[: around.size], period=360), exact=False, scale=1e6)
    same(nd.interp(nd.asarray(xp), xp, fp), fp, exact=False, scale=1e2)


def test_interp_errors():
    for xp, fp in (([], []), ([1, 2], [1])):
        with pytest.raises(ValueError):
            nd.interp(1.0, xp, fp)


@given(data=st.data())
def test_means_with_weights(data):
    x = data.draw(arrays(FLOATS, shape=(3, 4), small=True))
    weights = np.asarray([1.0, 2.0, 0.5, 3.0], x.dtype)
    same(nd.average(nd.asarray(x), axis=1, weights=weights), np.average(x, axis=1, weights=weights), exact=False, scale=1e2)
    same(nd.average(nd.asarray(x)), np.average(x), exact=False, scale=1e2)
    same(nd.ptp(nd.asarray(x), axis=0), np.ptp(x, axis=0))
    x = x.astype("float64")
    same(nd.cov(x), np.cov(x), exact=False, scale=1e5)
    same(nd.cov(x, rowvar=False), np.cov(x, rowvar=False), exact=False, scale=1e5)
    spread = x + np.arange(12).reshape(3, 4) ** 2 * 1000
    same(nd.corrcoef(spread), np.corrcoef(spread), exact=False, scale=1e3)
    with pytest.raises(ValueError):
        nd.average(x, axis=1, weights=[1.0])


@given(data=st.data())
def test_closeness(data):
    x, y = (data.draw(arrays(FLOATS, shape=(4,))) for _ in range(2))
    for equal_nan in (False, True):
        x64, y64 = x.astype("float64"), y.astype("float64")
        same(nd.isclose(x64, y64, equal_nan=equal_nan), np.isclose(x64, y64, equal_nan=equal_nan))
        assert nd.allclose(x, x, equal_nan=equal_nan) == np.allclose(x, x, equal_nan=equal_nan)
        assert nd.array_equal(x, x, equal_nan=equal_nan) == np.array_equal(x, x, equal_nan=equal_nan)
    assert not nd.array_equal(x, x[:3])


EINSUMS = [
    ("ij,jk->ik", "ab", "bc"), ("ij,jk", "ab", "bc"), ("ij->ji", "ab"), ("ij", "ab"), ("ba", "ab"), ("ii", "aa"), ("ii->i", "aa"),
    ("ij->", "ab"), ("ij,ij->", "ab", "ab"), ("ij,ij->i", "ab", "ab"), ("ij,jk,kl->il", "ab", "bc", "ca"), ("i,j->ij", "a", "b"),
    ("bij,bjk->bik", "cab", "cbd"), ("...ij,...jk->...ik", "cab", "bd"), ("...", "ab"), ("...i->i...", "abc"), ("i...,i...", "ab", "ac"),
    ("iij,jk->ik", "aab", "bc"), ("ijk,k->", "abc", "c"), ("i,i,i->i", "a", "a", "a"), ("ij,kl->", "ab", "cd"),
    ("iji->j", "aba"), ("ij,j", "ab", "b"), (",ij->ij", "", "ab"), ("ijij->ij", "abab"), ("abc,acd,d->b", "abc", "acd", "d"),
]  # fmt: skip


@pytest.mark.parametrize("case", EINSUMS, ids=lambda case: case[0])
@given(data=st.data())
def test_einsum(case, data):
    text, *forms = case
    size = {"a": 3, "b": 2, "c": 4, "d": 3}
    if text.startswith("i...,"):
        size["c"] = size["b"]
    dtype = data.draw(st.sampled_from(["float64", "int64", "int8", "float32", "bool"]))
    given_ = [data.draw(arrays([dtype], shape=tuple(size[letter] for letter in form), small=True)) for form in forms]
    theirs = np.einsum(text, *given_)
    same(nd.einsum(text, *map(nd.asarray, given_)), theirs, exact=False, scale=1e8)
    same(nd.einsum(text, *map(nd.asarray, given_), optimize=False), theirs, exact=False, scale=1e8)


def test_einsum_of_single_and_no_elements():
    one, many = np.ones((1, 3)), np.arange(6.0).reshape(2, 3)
    same(nd.einsum("ij,ij->ij", one, many), np.einsum("ij,ij->ij", one, many))
    same(nd.einsum("ij,jk->ik", np.ones((2, 0)), np.ones((0, 3))), np.zeros((2, 3)))
    same(nd.einsum("ij->j", np.ones((0, 3))), np.zeros(3))


@pytest.mark.parametrize(
    "text, count", [("ij,jk->il", 2), ("ij->ii", 1), ("ij", 2), ("i->i", 1), ("ijk", 1), ("i1", 1), ("ij,jk", 2), ("", 0)]
)
def test_einsum_errors(text, count):
    with pytest.raises(ValueError):
        nd.einsum(text, *[nd.ones((2, 3))] * count)


def test_batches_of_matrices():
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5)
    same(nd.asarray(x) @ nd.asarray(y), x @ y)
    same(nd.asarray(x) @ nd.asarray(y[0]), x @ y[0])
    same(nd.matmul(nd.asarray(x)[:, None], nd.asarray(y)), np.matmul(x[:, None], y))
