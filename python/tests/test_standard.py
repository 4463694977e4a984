"""The functions of the array API standard, judged by array-api-strict."""

import array_api_strict as strict
import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from common import ALL, FLOATS, INTS, NUMBERS, SIGNED, arrays, full_shapes, same
from hypothesis import assume, given
from hypothesis import strategies as st

import nestled as nd

np.seterr(all="ignore")

BITS = ["bool", *INTS]
UNARY = {
    **dict.fromkeys(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p", "log2",
                     "log10", "sin", "sinh", "sqrt", "tan", "tanh", "reciprocal", "signbit"], FLOATS),
    **dict.fromkeys(["abs", "ceil", "floor", "isfinite", "isinf", "isnan", "positive", "round", "sign", "square",
                     "trunc"], NUMBERS),
    "bitwise_invert": BITS,
    "logical_not": ["bool"],
    "negative": SIGNED + FLOATS,
}  # fmt: skip
BINARY = {
    **dict.fromkeys(["add", "subtract", "multiply", "maximum", "minimum", "less", "less_equal", "greater",
                     "greater_equal"], NUMBERS),
    **dict.fromkeys(["equal", "not_equal"], ALL),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor"], BITS),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], ["bool"]),
    **dict.fromkeys(["atan2", "copysign", "divide", "hypot", "logaddexp"], FLOATS),
}  # fmt: skip
ROUNDED = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "cos", "cosh", "exp", "expm1", "hypot", "log", "log1p",
           "log2", "log10", "logaddexp", "sin", "sinh", "tan", "tanh", "pow"}  # fmt: skip


def of_strict(x):
    return strict.asarray(x)


@pytest.mark.parametrize("name", sorted(UNARY))
@given(data=st.data())
def test_unary(name, data):
    x = data.draw(arrays(UNARY[name], small=name in ("square", "exp", "cosh", "sinh", "expm1")))
    if name == "signbit":
        assume(not np.isnan(x).any())
    same(getattr(nd, name)(nd.asarray(x)), getattr(strict, name)(of_strict(x)), exact=name not in ROUNDED)


@pytest.mark.parametrize("name", sorted(BINARY))
@given(data=st.data())
def test_binary(name, data):
    dtype = data.draw(st.sampled_from(BINARY[name]))
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)).input_shapes
    x, y = (data.draw(arrays([dtype], shape=shape)) for shape in shapes)
    if name == "copysign":
        assume(not np.isnan(y).any())
    found = getattr(nd, name)(nd.asarray(x), nd.asarray(y))
    same(found, getattr(strict, name)(of_strict(x), of_strict(y)), exact=name not in ROUNDED)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@given(data=st.data())
def test_quotients(name, data):
    x = data.draw(arrays(NUMBERS, shape=(3,), small=True))
    y = data.draw(arrays([x.dtype.name], shape=(3,), small=True))
    assume((y != 0).all() and (x.dtype.kind != "f" or (np.abs(y) > 1e-3).all()))
    same(getattr(nd, name)(nd.asarray(x), nd.asarray(y)), getattr(strict, name)(of_strict(x), of_strict(y)), exact=False)


@given(data=st.data())
def test_pow(data):
    x = data.draw(arrays(NUMBERS, shape=(3,), small=True))
    y = np.abs(data.draw(arrays([x.dtype.name], shape=(3,), small=True)))
    same(nd.pow(nd.asarray(x), nd.asarray(y)), strict.pow(of_strict(x), of_strict(y)), exact=x.dtype.kind != "f")


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
@given(data=st.data())
def test_shifts(name, data):
    x = data.draw(arrays(INTS, shape=(4,)))
    y = data.draw(hnp.arrays(x.dtype, 4, elements=st.integers(0, 8 * x.dtype.itemsize - 1)))
    same(getattr(nd, name)(nd.asarray(x), nd.asarray(y)), getattr(strict, name)(of_strict(x), of_strict(y)))


@given(data=st.data())
def test_promotion(data):
    """Types of one kind are promoted alike; and so are numbers of Python."""
    kinds = data.draw(st.sampled_from([INTS[:4], INTS[4:], FLOATS]))
    x, y = (data.draw(arrays([data.draw(st.sampled_from(kinds))], shape=(2,), small=True)) for _ in range(2))
    same(nd.add(nd.asarray(x), nd.asarray(y)), strict.add(of_strict(x), of_strict(y)))
    same(nd.asarray(x) + 3, of_strict(x) + 3)
    same(3 * nd.asarray(x), 3 * of_strict(x))
    assert nd.result_type(nd.asarray(x), nd.asarray(y)) == (x[:1] + y[:1]).dtype


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "all", "any", "mean", "var", "std", "count_nonzero"])
@given(data=st.data())
def test_reductions(name, data):
    dtypes = {"all": ALL, "any": ALL, "count_nonzero": NUMBERS, "mean": FLOATS, "var": FLOATS, "std": FLOATS}
    x = data.draw(arrays(dtypes.get(name, NUMBERS), shape=full_shapes, small=True))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) | st.just(tuple(range(x.ndim))))
    keepdims = data.draw(st.booleans())
    found = getattr(nd, name)(nd.asarray(x), axis=axis, keepdims=keepdims)
    expected = getattr(strict, name)(of_strict(x), axis=axis, keepdims=keepdims)
    same(found, expected, exact=x.dtype.kind != "f", scale=100.0)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@given(data=st.data())
def test_prefixes(name, data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    initial = data.draw(st.booleans())
    found = getattr(nd, name)(nd.asarray(x), axis=axis, include_initial=initial)
    same(found, getattr(strict, name)(of_strict(x), axis=axis, include_initial=initial), exact=x.dtype.kind != "f")


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(data=st.data())
def test_places_of_extremes(name, data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    keepdims = data.draw(st.booleans())
    found = getattr(nd, name)(nd.asarray(x), axis=axis, keepdims=keepdims)
    same(found, getattr(strict, name)(of_strict(x), axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["sort", "argsort"])
@given(data=st.data())
def test_sorting(name, data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    options = {"axis": data.draw(st.integers(-x.ndim, x.ndim - 1)), "descending": data.draw(st.booleans())}
    same(getattr(nd, name)(nd.asarray(x), **options), getattr(strict, name)(of_strict(x), **options))


@given(data=st.data())
def test_searchsorted(data):
    x = np.sort(data.draw(arrays(NUMBERS, shape=hnp.array_shapes(min_dims=1, max_dims=1, max_side=9))))
    y = data.draw(arrays([x.dtype.name], shape=(2, 3)))
    side = data.draw(st.sampled_from(["left", "right"]))
    same(nd.searchsorted(nd.asarray(x), nd.asarray(y), side=side), np.searchsorted(x, y, side=side))


@given(data=st.data())
def test_isin(data):
    x = data.draw(arrays(ALL, shape=(2, 3), small=True))
    y = data.draw(arrays([x.dtype.name], shape=hnp.array_shapes(min_dims=1, max_dims=2, min_side=0), small=True))
    same(nd.isin(nd.asarray(x), nd.asarray(y)), np.isin(x, y))
    same(nd.isin(nd.asarray(x), nd.asarray(y), invert=True), np.isin(x, y, invert=True))


@given(x=arrays(NUMBERS, shape=full_shapes, small=True))
def test_unique(x):
    values, indices, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    found = nd.unique_all(nd.asarray(x))
    same(found.values, values)
    same(found.indices, indices)
    same(found.inverse_indices, inverse.reshape(x.shape))
    same(found.counts, counts)
    same(nd.unique_values(nd.asarray(x)), values)


@given(data=st.data())
def test_manipulation(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    ours, theirs = nd.asarray(x), of_strict(x)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shift = data.draw(st.integers(-5, 5))
    same(nd.flip(ours, axis=axis), strict.flip(theirs, axis=axis))
    same(nd.roll(ours, shift, axis=axis), strict.roll(theirs, shift, axis=axis))
    same(nd.roll(ours, shift), strict.roll(theirs, shift))
    same(nd.concat([ours, ours], axis=axis), strict.concat([theirs, theirs], axis=axis))
    same(nd.stack([ours, ours], axis=axis), strict.stack([theirs, theirs], axis=axis))
    same(nd.expand_dims(ours, axis=axis), strict.expand_dims(theirs, axis=axis))
    same(nd.squeeze(ours[None], axis=0), theirs)
    same(nd.repeat(ours, 2, axis=axis), strict.repeat(theirs, 2, axis=axis))
    same(nd.tile(ours, (2, 1)), strict.tile(theirs, (2, 1)))
    same(nd.moveaxis(ours, axis, 0), strict.moveaxis(theirs, axis, 0))
    order = data.draw(st.permutations(range(x.ndim)))
    same(nd.permute_dims(ours, tuple(order)), strict.permute_dims(theirs, tuple(order)))
    same(nd.reshape(ours, (-1, 1)), strict.reshape(theirs, (-1, 1)))
    same(nd.broadcast_to(ours, (2, *x.shape)), strict.broadcast_to(theirs, (2, *x.shape)))
    for one, other in zip(nd.unstack(ours, axis=axis), strict.unstack(theirs, axis=axis), strict=True):
        same(one, other)


@given(data=st.data())
def test_choices(data):
    x = data.draw(arrays(ALL, shape=(2, 3)))
    y = data.draw(arrays([x.dtype.name], shape=(3,)))
    mask = data.draw(arrays(["bool"], shape=(2, 1)))
    found = nd.where(nd.asarray(mask), nd.asarray(x), nd.asarray(y))
    same(found, strict.where(of_strict(mask), of_strict(x), of_strict(y)))
    places = data.draw(hnp.arrays("int64", 4, elements=st.integers(0, 2)))
    same(nd.take(nd.asarray(x), nd.asarray(places), axis=1), strict.take(of_strict(x), of_strict(places), axis=1))
    along = data.draw(hnp.arrays("int64", (2, 2), elements=st.integers(0, 2)))
    same(nd.take_along_axis(nd.asarray(x), nd.asarray(along), axis=1), np.take_along_axis(x, along, axis=1))
    for one, other in zip(nd.nonzero(nd.asarray(x)), np.nonzero(x), strict=True):
        same(one, other)


@given(data=st.data())
def test_clip(data):
    x = data.draw(arrays(NUMBERS, shape=(5,)))
    low, high = sorted(data.draw(arrays([x.dtype.name], shape=(2,), small=True)).tolist())
    same(nd.clip(nd.asarray(x), low, high), np.clip(x, low, high))
    same(nd.clip(nd.asarray(x), nd.asarray(np.asarray(low, x.dtype))), np.clip(x, low, None))


@given(data=st.data())
def test_products(data):
    dtype = data.draw(st.sampled_from(["int64", "float64", "float32", "int32"]))
    x = data.draw(arrays([dtype], shape=(2, 3, 4), small=True))
    y = data.draw(arrays([dtype], shape=(4, 2), small=True))
    a, b, p, q = nd.asarray(x), nd.asarray(y), of_strict(x), of_strict(y)
    same(a @ b, p @ q, exact=False)
    same(nd.matmul(a[0, 0], b), strict.matmul(p[0, 0, :], q), exact=False)
    same(nd.tensordot(a, b, axes=1), strict.tensordot(p, q, axes=1), exact=False)
    same(nd.tensordot(a, b, axes=((2, 0), (0, 1))), strict.tensordot(p, q, axes=((2, 0), (0, 1))), exact=False)
    same(nd.vecdot(a, a), strict.vecdot(p, p), exact=False)
    same(nd.matrix_transpose(a), strict.matrix_transpose(p))


@given(data=st.data())
def test_creation(data):
    start, count, step = (data.draw(st.integers(*bounds)) for bounds in ((-9, 9), (0, 9), (1, 3)))
    same(nd.arange(start, start + count, step), strict.arange(start, start + count, step))
    same(nd.arange(float(count)), strict.arange(float(count)))
    same(nd.linspace(start, 5.5, count), strict.linspace(start, 5.5, count), exact=False)
    same(nd.linspace(start, 5.5, count, endpoint=False), strict.linspace(start, 5.5, count, endpoint=False), exact=False)
    same(nd.eye(count, 3, k=start), strict.eye(count, 3, k=start))
    for dtype in ALL:
        same(nd.zeros((2, count), dtype=dtype), np.zeros((2, count), dtype))
        same(nd.ones_like(nd.zeros((2, count), dtype=dtype)), np.ones((2, count), dtype))
        same(nd.full(count, 1, dtype=dtype), np.full(count, 1, dtype))
    x = nd.reshape(nd.arange(12), (3, 4))
    same(nd.tril(x, k=start), np.tril(np.arange(12).reshape(3, 4), start))
    same(nd.triu(x, k=start), np.triu(np.arange(12).reshape(3, 4), start))
    for indexing in ("xy", "ij"):
        for one, other in zip(nd.meshgrid(nd.arange(2), nd.arange(3), indexing=indexing),
                              np.meshgrid(np.arange(2), np.arange(3), indexing=indexing), strict=True):  # fmt: skip
            same(one, other)


@given(data=st.data())
def test_conversions(data):
    x = data.draw(arrays(ALL, shape=(4,), small=True))
    to = data.draw(st.sampled_from(NUMBERS))
    if x.dtype.kind in "if" and to.startswith("u"):
        x = np.abs(x)
    same(nd.astype(nd.asarray(x), to), x.astype(to))
    assert nd.can_cast(nd.asarray(x), to) == np.can_cast(x.dtype, to)


@given(data=st.data())
def test_diff(data):
    x = data.draw(arrays(NUMBERS, shape=full_shapes, small=True))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    same(nd.diff(nd.asarray(x), axis=axis), np.diff(x, axis=axis), exact=False)


def test_every_function_is_there():
    """A name that array-api-strict has and we have not is an error that says so, or listed here with its reason."""
    missing = {
        # Complex numbers are not there.
        "complex64", "complex128",
        # Of array-api-strict itself.
        "Device", "ArrayAPIStrictFlags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
        "set_array_api_strict_flags",
    }  # fmt: skip
    names = {name for name in strict.__all__ if not name.startswith("__")}
    assert names - set(dir(nd)) <= missing
    assert {name for name in strict.linalg.__all__} - {"Array", "DType"} <= set(nd.linalg.__all__)
    assert set(strict.fft.__all__) <= set(nd.fft.__all__)


def test_namespace():
    x = nd.asarray([1.0])
    assert x.__array_namespace__() is nd
    info = nd.__array_namespace_info__()
    assert info.dtypes()["int8"] == nd.int8
    assert set(info.dtypes(kind="integral")) == set(INTS)
    assert "cpu" in info.devices()
    assert nd.isdtype(nd.float32, "real floating") and not nd.isdtype(nd.float32, ("bool", "integral"))
    assert nd.finfo(nd.float32).bits == 32 and nd.iinfo("int8").min == -128
