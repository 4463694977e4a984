"""Single calls: how many operations they take, that they leak nothing, from many threads, after a fork, in another interpreter."""

import gc
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import nestled as nd


@nd.fn
def squares(numbers):
    return sum([n * n for n in numbers])


@nd.fn
def quotient(a, b):
    return a // b


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def program(code, **variables):
    environment = dict(os.environ, **variables)
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)


def test_a_thousand_calls_leak_nothing():
    x, y = nd.ones(8).eval(), nd.ones(8).eval()
    frozen = np.arange(50_000.0)
    frozen.flags.writeable = False
    double = nd.jit(lambda x: x * 2.0)

    def once():
        (x + y).eval()
        double(x).eval()
        np.asarray(x + 1.0)
        memoryview(x).tolist()
        nd.asarray(frozen).sum().item()
        assert squares([1, 2, 3]) == 14

    for _ in range(200):
        once()
    gc.collect()
    before, objects = resident(), len(gc.get_objects())
    for _ in range(1000):
        once()
    gc.collect()
    assert resident() - before < 10_000_000
    assert len(gc.get_objects()) - objects < 100


@pytest.mark.parametrize("after", [0, 20, 50, 80, 120, 200])
def test_python_ends_while_a_daemon_compiles(after):
    run = program(f"""
import threading, time
import nestled as nd

def compile_more():
    x, steps = nd.arange(1000, dtype=nd.float64).eval(), 0
    while True:
        # A longer kernel each time.
        steps += 1
        y = x
        for _ in range(steps):
            y = nd.sin(y) + 1.0
        y.eval()

threading.Thread(target=compile_more, daemon=True).start()
(nd.ones(8) * 2.0).eval()
time.sleep({after} / 1000)
""", NESTLED_COMPILE="first", NESTLED_CACHE="")
    assert run.returncode == 0, run.stderr


def test_threads_call_at_once():
    x, found = nd.arange(1000).eval(), []

    def call(k):
        ok = all(
            squares([k, j]) == k * k + j * j and (x + k)[j].item() == j + k and quotient(k * j, k) == j for j in range(30)
        )
        found.append(ok)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(1, 9)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [True] * 8


def test_types_of_a_call_are_told_apart():
    assert squares([1, 2]) == 5 and type(squares([1, 2])) is int
    assert squares([1.0, 2.0]) == 5.0 and type(squares([1.0, 2.0])) is float
    assert squares([True, True]) == 2 and squares([]) == 0
    assert squares(np.asarray([1, 2])) == 5 and squares(numbers=[3]) == 9
    assert squares([1, 2.0]) == 5.0
    assert type(quotient(7, 2)) is int and type(quotient(7.0, 2)) is float
    with pytest.raises(nd.Overflow):
        squares([2**40])
    with pytest.raises((nd.Overflow, OverflowError, nd.Refused)):
        squares([2**70])
    with pytest.raises(ZeroDivisionError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quotient(1, 0)


FACTOR = 2


@nd.fn
def times(n):
    return n * FACTOR


def test_globals_that_change_are_seen():
    global FACTOR
    assert [times(3), times(4)] == [6, 8]
    FACTOR = 5
    assert [times(3), times(4)] == [15, 20]
    FACTOR = 2


def test_forks():
    """In the child everything goes on: threads are started anew."""
    done = program(
        "import os, nestled as nd\n"
        "x = nd.sort(nd.random.uniform((300_000,), seed=1)).eval()\n"
        "double = nd.jit(lambda x: x * 2.0)\n"
        "double(x).sum().item()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    ok = (x + 1.0).sum().item() > 0 and double(x).sum().item() > 0 and nd.sort(x).eval() is not None\n"
        "    os._exit(0 if ok else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), (x + 2.0).sum().item() > 0)\n"
    )
    assert done.stdout == "0 True\n", done.stderr


def test_forks_of_a_process_that_computes():
    """A child of a process with work under way in another thread works, or says why not."""
    done = program(
        "import os, threading, warnings, nestled as nd\n"
        "warnings.simplefilter('ignore')\n"
        "x = nd.random.uniform((2_000_000,), seed=1).eval()\n"
        "thread = threading.Thread(target=lambda: [nd.sort(x + float(k)).eval() for k in range(5)])\n"
        "thread.start()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        ok = (nd.arange(6) + 1).sum().item() == 21\n"
        "    except BaseException as error:\n"
        "        ok = 'fork' in str(error)\n"
        "    os._exit(0 if ok else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "thread.join()\n"
    )
    assert done.stdout == "0\n", done.stderr


def test_other_interpreters_are_refused():
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    done = program(
        f"import {name} as interpreters, nestled\n"
        "other = interpreters.create()\n"
        "try:\n"
        "    found = interpreters.run_string(other, 'import sys; sys.path[:] = ' + repr(__import__(\"sys\").path) + '; import nestled')\n"
        "    print(found)\n"
        "except Exception as error:\n"
        "    print(error)\n"
        "print(nestled.arange(3).sum().item())\n"
    )
    assert done.returncode == 0 and "ImportError" in done.stdout and "subinterpreters" in done.stdout, done
    assert done.stdout.splitlines()[-1] == "3"
