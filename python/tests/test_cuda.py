"""Arrays on a card and other libraries for CUDA, by `__cuda_array_interface__`. The card is the stand-in of the tests in Rust: its memory is that of the host."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

STAND_IN = pathlib.Path(__file__).parents[2] / "crates" / "nestled-test" / "stand-in"

PROGRAM = '''
import ctypes
import gc

import numpy as np

import nestled as nd


def lies_at(said):
    kind = np.dtype(said["typestr"])
    count = int(np.prod(said["shape"]))
    bytes_there = (ctypes.c_char * (count * kind.itemsize)).from_address(said["data"][0])
    return np.frombuffer(bytes_there, kind).reshape(said["shape"])


x = nd.arange(10, dtype=nd.float32)
assert not hasattr(x, "__cuda_array_interface__") and x.__dlpack_device__() == (1, 0)
assert nd.jit(lambda v: v + (1.0 if hasattr(v, "__cuda_array_interface__") else 2.0))(x).tolist() == [i + 2.0 for i in range(10)]

with nd.device("cuda:0"):
    # Computed there.
    given = np.arange(30_000, dtype="float32").reshape(100, 300)
    y = nd.asarray(given) * 2.0 + 1.0
    said = y.__cuda_array_interface__
    assert said["version"] == 3 and said["shape"] == (100, 300) and said["typestr"] == "<f4" and said["strides"] is None, said
    assert (lies_at(said) == given * 2 + 1).all()
    # It stays, whatever is computed and let go.
    for _ in range(20):
        (nd.asarray(given) + 1.0).__cuda_array_interface__
    gc.collect()
    assert y.__cuda_array_interface__ == said and (lies_at(said) == given * 2 + 1).all()
    # Brought there, of all types, and a part of an array.
    for kind in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
        some = (np.arange(1000) % 5).astype(kind)
        held = nd.asarray(some)
        there = held.__cuda_array_interface__
        assert there["typestr"] == some.dtype.str and (lies_at(there) == some).all(), kind
        part = held[3:77]
        assert (lies_at(part.__cuda_array_interface__) == some[3:77]).all(), kind
    none = nd.zeros((3, 0)).__cuda_array_interface__
    assert none["shape"] == (3, 0) and none["data"] == (0, False)
    # What came from the host is there now; elsewhere there is no such attribute.
    assert (lies_at(x.__cuda_array_interface__) == np.arange(10)).all()


class Theirs:
    """An array of another library."""

    def __init__(self, array, **more):
        self.array, self.more = array, more

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__ | self.more


with nd.device("cuda:0"):
    z = nd.asarray(Theirs(y))
    assert (z.numpy() == given * 2 + 1).all() and (z + y).sum().item() == float((2 * (given * 2 + 1)).sum(dtype="float64"))
    assert (nd.asarray(Theirs(y, strides=(1200, 4))).numpy() == given * 2 + 1).all()
    assert nd.asarray(Theirs(nd.zeros((0, 4)))).shape == (0, 4)
    for more, error, words in [({"strides": (4, 400)}, BufferError, "contiguous"), ({"mask": y}, NotImplementedError, "masked")]:
        try:
            nd.asarray(Theirs(y, **more))
        except error as said:
            assert words in str(said), said
        else:
            raise AssertionError(more)
    try:
        nd.asarray(Theirs(y), copy=False)
    except ValueError as said:
        assert "copied" in str(said)
    else:
        raise AssertionError
assert (nd.asarray(Theirs(y)).numpy() == given * 2 + 1).all(), "read without an engine of CUDA's"
print("done")
'''


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    """The variables that name the stand-in for the driver."""
    if shutil.which("g++") is None or not STAND_IN.exists():
        assert not os.environ.get("NESTLED_GPU_REQUIRED"), "the stand-in for CUDA needs g++ and the sources of the tests"
        pytest.skip("the stand-in for CUDA needs g++ and the sources of the tests")
    folder = tmp_path_factory.mktemp("stand-in")
    (folder / "modules").mkdir()
    for name in ("cuda.cpp", "device.hpp"):
        shutil.copy(STAND_IN / name, folder / name)
    library = folder / "libcuda.so"
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", "-o", str(library), str(folder / "cuda.cpp"), "-ldl"]
    subprocess.run(command, check=True)
    return {"NESTLED_CUDA": str(library), "NESTLED_NVRTC": str(library), "STAND_IN_FLAGS": "-O0"}


def test_other_libraries_for_cuda_share_elements(card):
    found = subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | card, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0 and found.stdout == "done\n", found.stderr
