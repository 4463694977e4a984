"""The package: how fast it is imported, that its types are complete, that calls leak nothing and let others run."""

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import nestled as nd


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_is_quick():
    """The least of several times of the processor, as other work may run beside."""
    code = "import time; t = time.process_time(); import nestled; print(time.process_time() - t)"
    assert min(float(run(code)) for _ in range(5)) < 0.1
    assert run("import sys, nestled; print('numpy' in sys.modules)") == "False"


def test_examples_of_the_readme(tmp_path):
    text = (Path(__file__).parent.parent / "README.md").read_text()
    blocks = text.split("```python\n")[1:]
    assert blocks
    for block in blocks:
        code = block.split("```")[0]
        # In a file, as users have it: functions are compiled from their source.
        program = tmp_path / "example.py"
        program.write_text(code)
        lines = run(f"import runpy; runpy.run_path({str(program)!r})").splitlines()
        said = [line.split("# ")[1] for line in code.splitlines() if line.startswith("print") and "# [" in line]
        assert lines[-len(said) :] == said


def test_every_name_has_a_type():
    assert (Path(nd.__file__).parent / "py.typed").exists()
    assert [name for name in nd.__all__ if not hasattr(nd, name)] == []


def test_names_that_are_not_there():
    assert not hasattr(nd, "busday_count")
    with pytest.raises(AttributeError, match="numpy.lexsort"):
        nd.lexsort
    with pytest.raises(AttributeError, match="no nonsense"):
        nd.nonsense


def test_types_of_examples(tmp_path):
    example = tmp_path / "example.py"
    example.write_text(
        "import nestled as nd\n"
        "def half(x: nd.Array) -> nd.Array:\n    return x / 2 + nd.ones(3)\n"
        "rows: nd.Nested = nd.Nested.from_iter([[1, 2], []])\n"
        "number: float = float(half(nd.arange(3)).sum())\n"
    )
    pytest.importorskip("mypy")
    found = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(example)], capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, found.stdout


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def test_calls_leak_nothing():
    f = nd.NeslFunction("function sums(rows) = {sum(row) : row in rows};", "sums", ["[[int]]"])
    rows, x = [[1, 2, 3]] * 100, np.ones(10_000)

    def once():
        f(rows, as_python=True)
        (nd.asarray(x) * 2.0).sum().item()
        nd.Nested.from_iter(rows).sum(axis=-1).to_list()

    for _ in range(200):
        once()
    gc.collect()
    before = resident()
    for _ in range(1000):
        once()
    gc.collect()
    assert resident() - before < 20_000_000


def test_others_run_meanwhile():
    """While one thread computes, another has the interpreter."""
    x = nd.random.uniform((4_000_000,), seed=1).eval()
    nd.sort(x).eval()
    ticks, done = 0, threading.Event()

    def compute():
        for k in range(3):
            nd.sort(x + float(k)).eval()
        done.set()

    thread = threading.Thread(target=compute)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 20


def test_forks():
    code = (
        "import os, nestled as nd\n"
        "assert nd.arange(5).sum().item() == 10\n"
        "child = os.fork()\n"
        "if child == 0:\n    os._exit(0 if (nd.arange(6) + 1).sum().item() == 21 else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), nd.arange(5).sum().item())\n"
    )
    assert run(code) == "0 10"
