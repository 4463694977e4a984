"""Ctrl-C stops a kernel that runs, and the session goes on."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import nestled as nd

#: An array that takes long to compute: a minute, at least.
LONG = "x = nd.random.uniform((3000,), seed=1).eval(); y = (nd.outer(x, x)[:, :, None] * x[None, None, :]).sum()"


def interrupted(code, after=1.0, times=1):
    """The lines of a program that gets SIGINT a while after it said that it began."""
    program = f"import signal, sys, time, nestled as nd\n{LONG}\n(x + 1.0).eval()\n" + textwrap.dedent(code)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has it ignored, which a program inherits.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "begins\n"
    for _ in range(times):
        time.sleep(after)
        process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return out.splitlines(), err


def test_kernels_stop_and_the_session_goes_on():
    said, err = interrupted(
        """
        print("begins", flush=True)
        t = time.monotonic()
        try:
            y.eval()
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - t < 10)
        print((x + 1.0).sum().item() == (x + 1.0).eval().sum().item(), y.is_ready)
        """
    )
    assert said == ["interrupted True", "True False"], err


def test_functions_in_nesl_stop():
    said, err = interrupted(
        """
        f = nd.nesl("function loop(n) = if n == 0 then 0 else loop(n - 1); function long(n) = sum({sum({i * j : j in [0:n]}) : i in [0:n]});").long
        f(10)
        print("begins", flush=True)
        try:
            for _ in range(100):
                f(300_000)
        except KeyboardInterrupt:
            print("interrupted")
        print(f(3))
        """
    )
    assert said == ["interrupted", "9"], err


def test_other_handlers():
    """The program's own handler decides."""
    said, err = interrupted(
        """
        class Stop(Exception): pass
        def stop(*_): raise Stop
        signal.signal(signal.SIGINT, stop)
        print("begins", flush=True)
        try:
            y.eval()
        except Stop:
            print("stopped")
        presses = []
        signal.signal(signal.SIGINT, lambda *_: presses.append(1))
        z = nd.sort(nd.random.uniform((30_000_000,), seed=2))
        print(z.sum().item() > 0)
        """
    )
    assert said == ["stopped", "True"], err


def test_a_handler_that_goes_on():
    said, err = interrupted(
        """
        presses = []
        signal.signal(signal.SIGINT, lambda *_: presses.append(1))
        z = nd.sort(nd.random.uniform((20_000_000,), seed=2))
        print("begins", flush=True)
        print(z.sum().item() > 0, len(presses))
        """,
        after=0.3,
    )
    assert said == ["True 1"], err


def test_other_threads_go_on():
    said, err = interrupted(
        """
        import threading
        found = []
        thread = threading.Thread(target=lambda: found.append(nd.sort(nd.random.uniform((20_000_000,), seed=2)).sum().item() > 0))
        print("begins", flush=True)
        thread.start()
        try:
            y.eval()
        except KeyboardInterrupt:
            thread.join()
            print(found)
        """,
        after=0.5,
    )
    assert said == ["[True]"], err


def test_without_a_handler():
    said, err = interrupted(
        """
        print("begins", flush=True)
        y.eval()
        """
    )
    assert said == [] and "KeyboardInterrupt" in err


def test_engines_are_cancelled():
    x = nd.random.uniform((3000,), seed=1).eval()
    y = (nd.outer(x, x)[:, :, None] * x[None, None, :]).sum()
    engine = nd.Engine(threads=1)
    threading.Timer(0.5, engine.cancel).start()
    with engine, pytest.raises(nd.Cancelled):
        y.eval()
