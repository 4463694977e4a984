"""The LLVM that compiles kernels: the one in llvmlite will do, and without any a sentence says so, once."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import nestled as nd
x = nd.arange(100_000)
print((x * 3 + 1).sum().item(), nd.sqrt(nd.asarray([4.0, 9.0])).tolist())
words = nd.nesl("function sums(v) = {sum(r) : r in v};").sums([[1, 2], [], [3]], as_python=True)
print(words, nd.sort(x % 7).sum().item())
"""


def run(llvm):
    # Nothing is found in a cache.
    settings = {**os.environ, "NESTLED_LLVM": str(llvm), "NESTLED_CACHE": "", "NESTLED_COMPILE": "first"}
    return subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=600, env=settings)


def check(done):
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == f"{3 * sum(range(100_000)) + 100_000} [2.0, 3.0]"
    assert second == f"[3, 0, 3] {sum(k % 7 for k in range(100_000))}"


def llvmlite():
    found = importlib.util.find_spec("llvmlite")
    places = [] if found is None else [Path(found.origin).parent]
    places += [Path(os.environ["NESTLED_TEST_LLVMLITE"])] if "NESTLED_TEST_LLVMLITE" in os.environ else []
    files = [file for place in places for file in (place / "binding").glob("libllvmlite.*")]
    return files[0] if files else None


@pytest.mark.skipif(llvmlite() is None, reason="llvmlite is not installed")
def test_that_of_llvmlite():
    done = run(llvmlite())
    check(done)
    assert "interpreted" not in done.stderr


def test_without_any(tmp_path):
    done = run(tmp_path / "libLLVM.so")
    check(done)
    assert done.stderr.count("kernels are interpreted") == 1
    assert "NESTLED_LLVM" in done.stderr
