"""Arrays as Python and NumPy see them: indexing, protocols, operators, reprs, pickles, errors."""

import copy
import pickle
import threading

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from common import ALL, NUMBERS, arrays, full_shapes, same
from hypothesis import given
from hypothesis import strategies as st

import nestled as nd


@given(data=st.data())
def test_basic_indexing(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True, allow_ellipsis=True))
    same(nd.asarray(x)[key], x[key])


@given(data=st.data())
def test_integer_arrays(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    key = data.draw(hnp.integer_array_indices(x.shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3)))
    same(nd.asarray(x)[key], x[key])
    same(nd.asarray(x)[tuple(nd.asarray(one) for one in key)], x[key])


@pytest.mark.parametrize(
    "key",
    [
        (slice(None), [0, 2]),
        ([0, 1], slice(None), [0, 1]),
        (0, slice(None), [0, 1]),
        ([[0], [1]], [0, 2]),
        (slice(None, None, -1), [0, -1], 1),
        (Ellipsis, [1, 0, 1]),
        (None, [1, 0]),
        ([True, False],),
        (slice(None), np.array([True, False, True])),
    ],
)
def test_mixed_indexing(key):
    x = np.arange(24).reshape(2, 3, 4)
    same(nd.asarray(x)[key], x[key])


@given(data=st.data())
def test_masks(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    mask = data.draw(hnp.arrays("bool", x.shape))
    same(nd.asarray(x)[nd.asarray(mask)], x[mask])
    same(nd.asarray(x)[mask], x[mask])
    first = data.draw(hnp.arrays("bool", x.shape[:1]))
    same(nd.asarray(x)[nd.asarray(first)], x[first])


def test_wrong_places():
    x = nd.arange(3)
    for key in (3, -4, (0, 0), [5], 1.5, "a"):
        with pytest.raises((IndexError, TypeError)):
            x[key]
    with pytest.raises(nd.Fault):
        x[nd.asarray([7])].eval()


@given(data=st.data())
def test_with_at(data):
    x = data.draw(arrays(ALL, shape=full_shapes))
    key = data.draw(hnp.basic_indices(x.shape))
    theirs = x.copy()
    theirs[key] = 1
    same(nd.asarray(x).with_at(key, 1), theirs)
    with pytest.raises(TypeError, match="with_at"):
        nd.asarray(x)[key] = 1


@given(x=arrays([*ALL, "float16"]))
def test_numpy_and_back(x):
    ours = nd.asarray(x)
    same(ours, x)
    same(nd.from_numpy(np.asarray(ours)), x)
    assert ours.tolist() == x.tolist() or np.isnan(x.astype("float64")).any()


@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts(order):
    x = np.asarray(np.arange(24.0).reshape(2, 3, 4), order=order)
    same(nd.asarray(x), x)
    same(nd.asarray(x[::-1, 1:, ::2]), x[::-1, 1:, ::2])
    same(nd.asarray(x.astype(">f8")), x)
    same(nd.asarray(np.broadcast_to(x[0, 0], (3, 4))), np.broadcast_to(x[0, 0], (3, 4)))


@given(x=arrays(NUMBERS))
def test_dlpack(x):
    same(nd.from_dlpack(x.copy()), x)
    np.testing.assert_array_equal(np.from_dlpack(nd.asarray(x)), x)
    assert nd.asarray(x).__dlpack_device__() == (1, 0)


def test_functions_of_numpy_stay_ours():
    x = np.asarray([1.0, 4.0, 9.0])
    ours = nd.asarray(x)
    for function in (np.sqrt, np.sin, np.isnan, np.negative, np.sum, np.mean, np.max, np.cumsum, np.sort, np.argsort):
        same(function(ours), function(x), exact=False)
    same(np.add(ours, 1), x + 1)
    same(np.add.reduce(ours), np.add.reduce(x))
    same(x + ours, x + x)
    same(np.float64(2) * ours, 2 * x)
    same(np.float32(2) * ours, 2 * x)
    same(np.where(ours > 3, ours, 0.0), np.where(x > 3, x, 0.0))
    same(np.concatenate([ours, ours]), np.concatenate([x, x]))
    same(np.std(ours, ddof=1), np.std(x, ddof=1), exact=False)
    out = np.zeros(3)
    assert np.multiply(ours, 2, out=out) is out
    np.testing.assert_array_equal(out, 2 * x)
    with pytest.raises(NotImplementedError, match="numpy.asarray"):
        np.heaviside(ours, 0.5)


def test_numbers():
    x = nd.asarray(2.5)
    assert float(x) == 2.5 and int(x) == 2 and bool(x) and x.item() == 2.5
    assert [10, 20, 30][nd.asarray(1)] == 20
    assert 2 in nd.arange(3) and 5 not in nd.arange(3)
    with pytest.raises(ValueError, match="any"):
        bool(nd.arange(2))
    assert [int(v) for v in nd.arange(3)] == [0, 1, 2]
    assert nd.asarray([1, 2]).item is not None and nd.asarray(True).item() is True


def test_reprs():
    assert repr(nd.asarray([1, 2])) == "Array([1, 2])"
    assert repr(nd.asarray([1.5], dtype="float32")) == "Array([1.5], dtype=float32)"
    assert repr(nd.asarray(3)) == "Array(3)"
    assert str(nd.arange(3)) == "[0, 1, 2]"
    big = repr(nd.reshape(nd.arange(10**6), (1000, 1000)))
    assert "..." in big and "shape=(1000, 1000)" in big and "999999" in big
    assert repr(nd.zeros((0, 2))) == "Array([], dtype=float64, shape=(0, 2))"


@given(x=arrays(ALL))
def test_pickles(x):
    same(pickle.loads(pickle.dumps(nd.asarray(x) if x.dtype == bool else nd.asarray(x) * 1)), x)
    same(copy.deepcopy(nd.asarray(x)), x)
    assert pickle.loads(pickle.dumps(nd.int8)) is nd.int8


def test_errors():
    with pytest.raises(nd.ShapeError, match="do not go together"):
        nd.ones((2, 3)) + nd.ones((2, 4))
    with pytest.raises(TypeError, match="astype"):
        nd.asarray([True]) + nd.asarray([True])
    with pytest.raises(OverflowError):
        nd.asarray([1], dtype="int8") + 300
    with pytest.raises(ValueError, match="from_iter"):
        nd.asarray([[1], [1, 2]])
    with pytest.raises(NotImplementedError, match="complex"):
        nd.asarray([1j])
    with pytest.raises(TypeError):
        nd.asarray(["a"])
    with pytest.raises(ValueError):
        nd.max(nd.zeros((0,)))
    with pytest.raises(ValueError):
        nd.zeros(2, device="cuda:99")
    with pytest.raises(TypeError):
        hash(nd.arange(2))


def test_half_floats():
    x = np.asarray([0.5, 1.5, np.inf], "float16")
    ours = nd.asarray(x)
    same(ours * 2, x * 2)
    same(nd.sqrt(ours), np.sqrt(x), exact=False)
    same(nd.sort(nd.flip(ours)), x)
    same(nd.unique_values(ours), x)
    same(nd.max(ours), np.max(x))


def test_equal_structures_compile_once():
    from nestled import _nestled

    def step(x):
        return (nd.sqrt(x * x + 2.0) - 1.0).sum().item()

    step(nd.arange(10.0))
    step(nd.arange(20.0))
    before = _nestled.counts()
    for size in range(30, 40):
        step(nd.arange(float(size)))
    assert _nestled.counts()[2] == before[2]


def test_threads():
    found = {}

    def run(number):
        found[number] = [(nd.arange(1000) * number).sum().item() for _ in range(20)]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [499500 * number] * 20 for number in range(8)}


def test_engines():
    with nd.Engine("cpu", threads=1) as engine:
        assert nd.arange(4).sum().item() == 6
        assert engine.device
    with nd.device("reference"):
        assert (nd.arange(4) + 1).tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError):
        nd.Engine("gpu")
    assert nd.devices()[0] == "cpu"
    assert nd.arange(2).to_device("cpu").device == "cpu"


def test_random():
    x = nd.random.uniform((100,), seed=1)
    assert 0 <= float(x.min()) and float(x.max()) < 1 and x.shape == (100,)
    same(nd.random.uniform((100,), seed=1), x)
    assert sorted(nd.random.permutation(9, seed=2).tolist()) == list(range(9))
    assert nd.random.normal((3, 2), seed=1, dtype="float32").dtype == nd.float32


def test_explain():
    x = nd.ones(3)
    assert "kernel" in (x * x).sum().explain()
