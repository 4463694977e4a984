"""`nd.jit`: traced once for each combination of types and shapes, compiled once for each structure."""

import collections
import pickle
import threading

import numpy as np
import pytest

import nestled as nd
from nestled import _nestled as _n


def test_traced_once():
    calls = []

    @nd.jit
    def length(x, y):
        """The length."""
        calls.append(x.shape)
        return nd.sqrt(x * x + y * y)

    x, y = nd.asarray([3.0, 6.0]), nd.asarray([4.0, 8.0])
    for _ in range(3):
        assert length(x, y).tolist() == [5.0, 10.0]
    assert length(y, x).tolist() == [5.0, 10.0]
    assert len(calls) == 1
    assert length(x[:1], y[:1]).tolist() == [5.0]
    assert length(nd.astype(x, "float32"), nd.astype(y, "float32")).dtype == nd.float32
    assert calls == [(2,), (1,), (2,)]
    assert length.__name__ == "length" and length.__doc__ == "The length."
    assert length.python(x, y).tolist() == [5.0, 10.0]
    assert "kernel" in length.explain(x, y)


def test_new_shapes_do_not_compile():
    f = nd.jit(lambda x: (x * 3.0 + 1.0).sum())
    for n in (100, 200):
        f(nd.ones(n)).item()
    _, plans, kernels = _n.counts()
    for n in (300, 1000, 70_000):
        assert f(nd.ones(n)).item() == 4.0 * n
    assert _n.counts()[1:] == (plans, kernels)


def test_results_of_every_form():
    Pair = collections.namedtuple("Pair", "left right")

    @nd.jit
    def parts(x, *, by):
        return {"all": [x / by, (x + 1, 3)], "pair": Pair(x, x * x), "none": None}

    found = parts(nd.asarray([1, 2]), by=nd.asarray(2))
    assert found["all"][0].tolist() == [0.5, 1.0] and found["all"][1][0].tolist() == [2, 3]
    assert found["all"][1][1] == 3 and found["none"] is None
    assert found["pair"].right.tolist() == [1, 4]


def test_arguments_of_every_form():
    f = nd.jit(lambda data, power: data["x"][0] ** power + data["y"])
    assert f({"x": [np.asarray([1.0, 2.0])], "y": nd.asarray([10.0])}, 2).tolist() == [11.0, 14.0]
    assert f({"x": [np.asarray([1.0, 2.0])], "y": nd.asarray([10.0])}, 3).tolist() == [11.0, 18.0]
    with pytest.raises(TypeError, match="keys of a dict"):
        f({"x": [nd.ones(1)], "y": nd.ones(1)}, {1})
    with pytest.raises(TypeError, match="nd.fn"):
        f(nd.Nested.from_iter([[1]]), 1)


def test_zeros_of_both_signs_are_constants():
    f = nd.jit(lambda x, c: x / c)
    one = nd.asarray([1.0])
    assert f(one, 0.0).item() == np.inf and f(one, -0.0).item() == -np.inf


def test_methods():
    class Scale:
        @nd.jit
        def by(self, x):
            return x * self.factor

        factor = 3.0

    assert Scale().by(nd.ones(2)).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "wrong", [lambda x: float(x.sum()), lambda x: x[x > 0], lambda x: np.asarray(x), lambda x: x if x.sum() > 0 else -x]
)
def test_elements_are_not_there_while_tracing(wrong):
    f = nd.jit(wrong)
    for _ in range(2):
        with pytest.raises(TypeError, match="traces"):
            f(nd.ones(3))


def test_errors_pass_and_are_forgotten():
    fails = [True]

    def f(x):
        if fails:
            raise KeyError("no")
        return x + 1

    g = nd.jit(f)
    for _ in range(2):
        with pytest.raises(KeyError):
            g(nd.ones(2))
    fails.clear()
    assert g(nd.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(nd.ShapeError):
        nd.jit(lambda x, y: x + y)(nd.ones(2), nd.ones(3))


def test_programs_call_programs():
    inner = nd.jit(lambda x: (x + 1, x * 2))
    outer = nd.jit(lambda x: inner(x)[0] + inner(x)[1])
    assert outer(nd.asarray([1.0, 2.0])).tolist() == [4.0, 7.0]


def test_parts_are_iterated():
    f = nd.jit(lambda rows: sum(row * row for row in rows))
    assert f(nd.asarray([[1, 2], [3, 4]])).tolist() == [10, 20]


def test_captured_arrays_are_constants():
    table = nd.asarray([1.0, 2.0, 4.0])
    f = nd.jit(lambda places: nd.take(table, places))
    assert f(nd.asarray([2, 0])).tolist() == [4.0, 1.0]


def test_threads():
    f = nd.jit(lambda x: (x * 2.0).sum())
    found = []

    def call(n):
        found.append(all(f(nd.ones(n)).item() == 2.0 * n for _ in range(20)))

    threads = [threading.Thread(target=call, args=(n,)) for n in range(1, 9)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [True] * 8


@nd.jit
def doubled(x):
    return x * 2


def test_pickles():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
