"""Times of single calls on small data, beside NumPy's: `python python/benches/calls.py` prints a table of microseconds, each the least of several rounds.

The package that is measured is the one that is installed (`python/check --install`): a quick build says little.
"""

import timeit

import numpy as np

import nestled as nd


@nd.fn
def increment(n):
    return n + 1


@nd.fn
def squares(numbers):
    return sum([n * n for n in numbers])


@nd.jit
def scaled(x, y):
    return x * 2.0 + y


def micros(function):
    """The time of a call when it was seen before."""
    for _ in range(100):
        function()
    count = max(int(0.02 / (timeit.timeit(function, number=50) / 50)), 1)
    return min(timeit.repeat(function, number=count, repeat=15)) / count * 1e6


def rows():
    a, b = np.arange(8.0), np.ones(8)
    frozen = np.arange(8.0)
    frozen.flags.writeable = False
    x, y = nd.asarray(a).eval(), nd.asarray(b).eval()
    four = [1, 2, 3, 4]
    yield "x + y", lambda: a + b, lambda: x + y
    yield "(x + y).eval()", lambda: a + b, lambda: (x + y).eval()
    yield "(x * 2.0 + y).eval()", lambda: a * 2.0 + b, lambda: (x * 2.0 + y).eval()
    yield "nd.jit: x * 2.0 + y", lambda: a * 2.0 + b, lambda: scaled(x, y)
    yield "x.sum().item()", lambda: a.sum().item(), lambda: x.sum().item()
    yield "np.asarray(x)", lambda: np.asarray(a), lambda: np.asarray(x)
    yield "nd.asarray(a)", lambda: a.copy(), lambda: nd.asarray(a)
    yield "nd.asarray(a), read-only", lambda: a.copy(), lambda: nd.asarray(frozen)
    yield "nd.fn: n + 1", lambda: increment.python(3), lambda: increment(3)
    yield "nd.fn: sum of four squares", lambda: squares.python(four), lambda: squares(four)


def main():
    print(f"{'microseconds':28} {'NumPy, Python':>14} {'Nestled':>9}")
    for name, theirs, ours in rows():
        print(f"{name:28} {micros(theirs):14.2f} {micros(ours):9.2f}", flush=True)


if __name__ == "__main__":
    main()
