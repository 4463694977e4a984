"""Devices: the one that computes, a default that is set, engines of `with`, and arrays that move."""

import threading

import numpy as np
import pytest

import nestled as nd


def test_the_device_of_with_is_said():
    x = nd.ones(3)
    before = x.device
    with nd.device("reference"):
        assert x.device == "reference" and nd.__array_namespace_info__().default_device() == "reference"
        with nd.Engine("cpu", threads=1):
            assert x.device == "cpu"
        assert (x + 1.0).tolist() == [2.0, 2.0, 2.0] and x.device == "reference"
    assert x.device == before


def test_a_default_is_set():
    before = nd.ones(1).device
    nd.set_default_device("reference")
    try:
        x = nd.arange(5) * 2
        assert x.device == "reference" and x.sum().item() == 20
        found = []
        thread = threading.Thread(target=lambda: found.append((x.device, (x + 1).tolist())))
        thread.start()
        thread.join()
        assert found == [("reference", [1, 3, 5, 7, 9])]
        with nd.device("cpu"):
            assert x.device == "cpu" and x.tolist() == [0, 2, 4, 6, 8]
        assert nd.asarray([1.0], device="reference").device == "reference"
    finally:
        nd.set_default_device(None)
    assert x.device == before and x.tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(ValueError):
        nd.set_default_device("elsewhere")
    assert x.device == before


def test_arrays_move():
    x = nd.arange(10) * 3
    y = x.to_device("cpu")
    assert y.tolist() == list(range(0, 30, 3))
    with nd.device("reference"):
        assert (y + 1).to_device("cpu").tolist() == list(range(1, 31, 3))
        z = (y * 2).to_device("cpu")
        assert z.is_ready
    assert (z + y).tolist() == [9 * i for i in range(10)]
    with pytest.raises(ValueError, match="no device here"):
        x.to_device("nowhere:7")
    for make in (nd.zeros, nd.ones, nd.empty):
        assert make(3, device="cpu").shape == (3,)
        with pytest.raises(ValueError, match="no device here"):
            make(3, device="nowhere")
    assert nd.asarray(np.ones(2), device="cpu").tolist() == [1.0, 1.0]
    assert x.__dlpack_device__() == (1, 0)


def test_all_creation_functions_take_a_device():
    x = nd.asarray([1.0])
    calls = [
        lambda d: nd.arange(3, device=d), lambda d: nd.asarray([1], device=d), lambda d: nd.empty(2, device=d), lambda d: nd.empty_like(x, device=d),
        lambda d: nd.eye(2, device=d), lambda d: nd.from_dlpack(np.ones(2), device=d), lambda d: nd.full(2, 1.5, device=d), lambda d: nd.full_like(x, 2, device=d),
        lambda d: nd.linspace(0, 1, 3, device=d), lambda d: nd.ones(2, device=d), lambda d: nd.ones_like(x, device=d), lambda d: nd.zeros(2, device=d),
        lambda d: nd.zeros_like(x, device=d), lambda d: nd.astype(x, nd.float32, device=d),
    ]  # fmt: skip
    for call in calls:
        assert call("cpu").tolist() == call(None).tolist()
        with pytest.raises(ValueError, match="no device here"):
            call("nowhere")


@pytest.mark.parametrize("call", [
    lambda x, out: np.add(x, 1.0, out=out), lambda x, out: np.sqrt(x, out=out), lambda x, out: np.multiply(x, x, out=(out,)),
    lambda x, out: np.sum(np.asarray([x, x]), axis=0, out=out), lambda x, out: np.cumsum(x, out=out), lambda x, out: np.maximum.accumulate(x, out=out),
    lambda x, out: np.clip(x, 2.0, 3.0, out=out), lambda x, out: np.where(x > 2, x, 0.0),
])  # fmt: skip
def test_out(call):
    """Results go into NumPy's arrays, as in NumPy."""
    plain = np.array([1.0, 4.0, 2.0])
    ours, theirs = np.zeros(3), np.zeros(3)
    made, wanted = call(nd.asarray(plain), ours), call(plain, theirs)
    np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(np.asarray(made), wanted)


def test_out_that_is_refused():
    x = nd.asarray([1.5, 2.5])
    with pytest.raises(TypeError, match="never change"):
        np.add(x, 1.0, out=nd.zeros(2))
    with pytest.raises(TypeError):
        np.add(x, 1.0, out=np.zeros(2, np.int64))
