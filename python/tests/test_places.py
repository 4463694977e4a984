"""Shifts with a border, elements at places outside, counts of a given length, loops at each element: each judged by NumPy or by plain Python."""

import numpy as np
import pytest

import nestled as nd


def by_pad(x, by, mode, value=0):
    """A shift by NumPy's pad."""
    width = [(abs(one), abs(one)) for one in by]
    more = {"constant_values": value} if mode == "constant" else {}
    wide = np.pad(x, width, mode=mode, **more)
    return wide[tuple(slice(abs(one) - one, abs(one) - one + extent) for one, extent in zip(by, x.shape))]


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap", "constant"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.uint64, np.float16])
def test_shifts(mode, dtype):
    x = np.arange(1, 13).reshape(3, 4).astype(dtype)
    for by in [(0, 0), (1, 0), (-2, 3), (2, -1), (0, -3)]:
        made = nd.shift(nd.asarray(x), by, mode=mode, value=7)
        assert made.dtype == nd.asarray(x).dtype
        np.testing.assert_array_equal(np.asarray(made), by_pad(x, by, mode, 7))


def test_shifts_along_axes():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(nd.shift(nd.asarray(x), 1, axis=1)), by_pad(x, (0, 1), "edge"))
    np.testing.assert_array_equal(np.asarray(nd.shift(nd.asarray(x), -1, axis=-2)), by_pad(x, (-1, 0), "edge"))
    assert nd.shift(nd.asarray([True, False]), 1, mode="constant").tolist() == [False, True]
    assert nd.shift(nd.asarray([1.0, 2.0]), 5, mode="constant", value=float("inf")).tolist() == [float("inf")] * 2
    assert nd.shift(nd.zeros((0,)), 1, mode="constant").tolist() == []
    with pytest.raises(ValueError):
        nd.shift(nd.asarray(x), 1)
    with pytest.raises(ValueError):
        nd.shift(nd.asarray(x), (1, 1), mode="nearest")
    with pytest.raises(OverflowError):
        nd.shift(nd.asarray([1], dtype=nd.int8), 1, mode="constant", value=1000)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_elements_at_places_outside(dtype):
    x = np.arange(12.0).reshape(3, 4)
    far = np.array([[0, 2, 5]]).astype(dtype)
    rows, columns = (far, far.T) if dtype == np.uint8 else (far - 2, far.T - 3)
    at = [a.astype(np.int64) for a in np.broadcast_arrays(rows, columns)]
    inside = (at[0] >= 0) & (at[0] < 3) & (at[1] >= 0) & (at[1] < 4)
    clipped = x[np.clip(at[0], 0, 2), np.clip(at[1], 0, 3)]
    given = [nd.asarray(rows), nd.asarray(columns)]
    ours = lambda **how: np.asarray(nd.gather(nd.asarray(x), given, **how))  # noqa: E731
    np.testing.assert_array_equal(ours(mode="clip"), clipped)
    np.testing.assert_array_equal(ours(mode="wrap"), x[at[0] % 3, at[1] % 4])
    np.testing.assert_array_equal(ours(mode="constant", value=-1.5), np.where(inside, clipped, -1.5))
    with pytest.raises(nd.Fault):
        ours()
    with pytest.raises(IndexError):
        nd.gather(nd.asarray(x), given[:1])
    with pytest.raises(IndexError):
        nd.gather(nd.asarray(x), [nd.asarray([0.5]), nd.asarray([1.0])])
    with pytest.raises(ValueError):
        ours(mode="mirror")


def test_counts_of_a_length():
    x = nd.asarray([0, 3, 1, 3, 9, -1], dtype=nd.int32)
    assert nd.bincount(x, length=4).tolist() == [1, 1, 0, 2]
    assert nd.bincount(x, length=0).tolist() == []
    assert nd.bincount(nd.astype(x, nd.int64), length=4, weights=nd.asarray([0.5, 1, 2, 4, 8, 16])).tolist() == [0.5, 2, 0, 5]
    # A program has no elements yet.
    assert nd.jit(lambda x: nd.bincount(x, length=4))(x).tolist() == [1, 1, 0, 2]
    with pytest.raises(ValueError):
        nd.bincount(x, length=-1)


def collatz(n):
    k = 0
    while n > 1:
        n, k = (n // 2 if n % 2 == 0 else 3 * n + 1), k + 1
    return k


def test_loops_at_each_element():
    n = np.arange(1, 40)
    run = lambda n: nd.while_loop(  # noqa: E731
        lambda n, k: n > 1,
        lambda n, k: (nd.where(n % 2 == 0, n // 2, 3 * n + 1), k + 1),
        (n, nd.zeros(n.shape, dtype=nd.int32)),
    )[1]
    wanted = [collatz(one) for one in n.tolist()]
    assert run(nd.asarray(n)).tolist() == wanted and run(nd.asarray(n)).dtype == nd.int32
    assert nd.jit(run)(nd.asarray(n)).tolist() == wanted


def test_loops_of_one_array_and_of_captured_ones():
    most = nd.asarray(100.0)
    assert nd.while_loop(lambda x: x < most, lambda x: x * 2.0, nd.asarray([1.0, 3.0, 500.0])).tolist() == [128.0, 192.0, 500.0]
    assert nd.while_loop(lambda x: x < 3, lambda x: x + 1, nd.zeros((0,), dtype=nd.int64)).tolist() == []
    # What is carried is broadcast together.
    x, y = nd.while_loop(lambda x, y: x < y, lambda x, y: (x + 1, y), (nd.asarray([[0], [5]]), nd.asarray([1, 7])))
    assert x.tolist() == [[1, 7], [5, 7]] and y.tolist() == [[1, 7], [1, 7]]


def test_wrong_loops():
    x = nd.asarray([1.0])
    with pytest.raises(TypeError, match="float64"):
        nd.while_loop(lambda x: x < 3, lambda x: nd.astype(x, nd.float32), x)
    with pytest.raises(TypeError, match="bool"):
        nd.while_loop(lambda x: x, lambda x: x + 1, x)
    with pytest.raises(ValueError):
        nd.while_loop(lambda x, y: x < 3, lambda x, y: (x,), (x, x))
    with pytest.raises(ZeroDivisionError):
        nd.while_loop(lambda x: 1 / 0, lambda x: x, x)
    with pytest.raises(TypeError):
        nd.while_loop(lambda x: x < 3 if x.item() else x > 3, lambda x: x + 1, x)
    with pytest.raises(nd.Error):
        nd.while_loop(lambda x: x < 3, lambda x: nd.sum(nd.asarray([1.0, 2.0])) + x * nd.sum(nd.stack([x, x])), x)


def test_cut_as_others():
    rows = nd.Nested.from_iter([[1, 2], [], [3]])
    assert nd.Nested.from_array(nd.asarray([7.0, 8.0, 9.0])).unflatten(rows).to_list() == [[7.0, 8.0], [], [9.0]]
    with pytest.raises(ValueError):
        nd.Nested.from_array(nd.asarray([7.0, 8.0])).unflatten(rows)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint16", "float32", "float64", "float16"])
def test_indices(dtype):
    for shape in [(2, 3), (4,), (2, 0, 3), (1, 1, 5)]:
        for ours, theirs in zip(nd.indices(shape, dtype=dtype), np.indices(shape, dtype=dtype), strict=True):
            assert ours.dtype == getattr(nd, dtype)
            np.testing.assert_array_equal(np.asarray(ours), theirs)
    assert nd.indices(()) == ()
    np.testing.assert_array_equal(np.asarray(nd.arange(5, dtype=dtype)), np.arange(5, dtype=dtype))
    with pytest.raises(ValueError):
        nd.indices((2, -1))


def test_squares():
    x = np.array([0.1, -3.0, np.inf, -0.0, np.nan, 1e-30], dtype=np.float32)
    for power in (2, 2.0):
        np.testing.assert_array_equal(np.asarray(nd.asarray(x) ** power), x * x)
    assert (nd.asarray(x) ** 2).dtype == nd.float32


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_prefix_sums_of_a_width(dtype):
    x = np.array([[100, 100, 100], [1, 2, 3]]).astype(dtype)
    top = np.array([np.iinfo(dtype).max, 5, 7], dtype=dtype)
    for given, axis in [(x, 0), (x, 1), (top, 0), (top[:0], 0)]:
        made = nd.cumulative_sum(nd.asarray(given), axis=axis, dtype=dtype)
        assert made.dtype == getattr(nd, dtype)
        np.testing.assert_array_equal(np.asarray(made), np.cumsum(given, axis=axis, dtype=dtype))
    assert nd.cumulative_sum(nd.asarray(top), dtype=dtype, include_initial=True).tolist() == [0, *np.cumsum(top, dtype=dtype).tolist()]
