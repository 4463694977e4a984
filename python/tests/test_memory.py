"""Memory that arrays share with NumPy and others: addresses, lifetimes, who may write."""

import array
import gc
import io
import sys
import threading
import weakref

import numpy as np
import pytest

import nestled as nd

BIG = 1 << 17


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


def frozen(n=BIG, dtype="float64"):
    x = (np.arange(n) % 1000 if dtype != "float64" else np.arange(n)).astype(dtype)
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"])
def test_what_nobody_can_write_is_used_where_it_lies(dtype):
    x = frozen(dtype=dtype)
    y = nd.asarray(x)
    assert address(y) == address(x)
    assert np.array_equal(y, x)


def test_large_arrays_stay_where_they_are():
    x = frozen(1 << 21)
    y = nd.asarray(x)
    assert (y + 1.0).sum().item() == x.sum() + x.size
    assert address(y.eval()) == address(x)


@pytest.mark.parametrize("shape", [(BIG,), (4, BIG // 4), (2, 2, BIG // 4), (3,), (0,), (2, 0)])
def test_shapes(shape):
    x = frozen(int(np.prod(shape))).reshape(shape)
    y = nd.asarray(x)
    assert y.shape == shape and (x.size < BIG or address(y) == address(x))
    assert np.array_equal(y, x)
    assert np.array_equal(y + 1.0, x + 1.0)


def test_what_can_be_written_is_copied():
    x = np.arange(float(BIG))
    y = nd.asarray(x)
    z = y + 1.0
    x[:] = -1.0
    assert y[5].item() == 5.0 and z[5].item() == 6.0
    # A view that cannot be written, of what can.
    x = np.arange(float(BIG))
    view = x[:]
    view.flags.writeable = False
    y = nd.asarray(view)
    x[:] = -1.0
    assert y[5].item() == 5.0


def test_copy():
    x = np.arange(float(BIG))
    assert address(nd.asarray(x, copy=False)) == address(x)
    assert address(nd.from_dlpack(x, copy=False)) == address(x)
    assert address(nd.asarray(frozen(), copy=True)) != address(frozen())
    for wrong in (x[::2], x.reshape(2, -1).T, x.astype(">f8"), [1.0], 1.0, (1, 2)):
        with pytest.raises(ValueError, match="copied"):
            nd.asarray(wrong, copy=False)
    with pytest.raises(ValueError, match="copied"):
        nd.asarray(x, dtype="float32", copy=False)


def test_other_owners():
    text = bytes(range(256)) * 1000
    x = np.frombuffer(text, dtype="uint8")
    assert address(nd.asarray(x)) == address(x)
    numbers = array.array("d", range(BIG))
    assert nd.asarray(memoryview(numbers)).sum().item() == sum(numbers)
    y = np.asarray(nd.asarray(frozen()) * 2.0)
    assert address(nd.asarray(y)) == address(y)


def test_results_are_views():
    x = (nd.arange(BIG) * 2).eval()
    one, other = np.asarray(x), x.numpy()
    assert address(one) == address(other) and not one.flags.writeable
    assert address(np.from_dlpack(x)) == address(one)
    assert address(np.frombuffer(memoryview(x), dtype="int64")) == address(one)
    assert memoryview(x).readonly and memoryview(x).shape == (BIG,)
    assert np.array_equal(one, np.arange(BIG) * 2)
    with pytest.raises(ValueError):
        one[0] = 1
    with pytest.raises((TypeError, BufferError)):
        io.BytesIO(b"12345678").readinto(x)


def test_copies_may_be_written():
    x = (nd.arange(BIG) * 2).eval()
    for copied in (np.array(x), x.numpy(copy=True), np.asarray(x[1:]).copy(), x.__array__(copy=True)):
        copied[0] = 7
    assert x[0].item() == 0
    assert x.__array__("float32").dtype == "float32"
    with pytest.raises(ValueError, match="copied"):
        x.__array__("float32", copy=False)
    legacy = x.__dlpack__()
    assert "dltensor" in repr(legacy) and "versioned" not in repr(legacy)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_sub_arrays_are_copies():
    x = nd.asarray(frozen())
    assert address(x[1:]) != address(x) + 8
    assert np.array_equal(x[1:], frozen()[1:])


def test_views_outlive_arrays():
    view = np.asarray((nd.arange(BIG) * 3).eval())
    part = view[10:20]
    del view
    gc.collect()
    for _ in range(20):
        (nd.arange(BIG) * 5).eval()
    assert part.tolist() == [3 * k for k in range(10, 20)]


def test_sources_live_as_long_as_they_are_needed():
    x = frozen()
    gone = weakref.ref(x)
    y = nd.asarray(x)
    del x
    gc.collect()
    assert gone() is not None and y.sum().item() == BIG * (BIG - 1) / 2
    z = y + 1.0
    del y
    gc.collect()
    assert z[3].item() == 4.0
    del z
    gc.collect()
    assert [None for _ in range(10)] and gone() is None


def test_sources_are_given_back():
    for _ in range(50):
        x = frozen()
        gone = weakref.ref(x)
        (nd.asarray(x) + 1.0).eval()
        del x
        assert [None for _ in range(10)] and gone() is None


def test_threads_share_a_source():
    x, found = frozen(), []
    y = nd.asarray(x)

    def read(k):
        found.append((y * float(k)).sum().item() == (x * float(k)).sum())

    threads = [threading.Thread(target=read, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [True] * 8


def test_references_are_counted():
    x = frozen()
    before = sys.getrefcount(x)
    for _ in range(100):
        nd.asarray(x).sum().item()
    gc.collect()
    assert sys.getrefcount(x) <= before + 1


def test_elements_that_begin_anywhere():
    import pickle

    for name in ("int16", "float64", "float16"):
        wanted = np.arange(6, dtype=name)
        raw = np.frombuffer(b"x" + wanted.tobytes(), dtype=name, offset=1)
        assert not raw.flags.aligned
        assert nd.asarray(raw).tolist() == nd.asarray(raw.reshape(2, 3)).reshape(-1).tolist() == wanted.tolist()
    parts = []
    frame = pickle.dumps(nd.arange(4.0).eval(), protocol=5, buffer_callback=parts.append)
    shifted = [np.frombuffer(b"x" + bytes(part), dtype="u1")[1:] for part in parts]
    assert pickle.loads(frame, buffers=shifted).tolist() == [0.0, 1.0, 2.0, 3.0]
