"""The benches of our catalog as peers in Python get them: inputs of the same kind, size and distribution, made from a seed; what NumPy finds for them;
and the bytes or operations that we count."""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

RATE, VOLATILITY = 0.02, 0.30
# How far a sum of everything may be off: libraries add in orders of their own.
ONE_SUM = 1e-4
NORMAL = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


@dataclass
class Case:
    """`wrong` gets what was found, and says what is wrong with it or nothing; `amount` is that of `unit`, or depends on what was found."""

    inputs: list
    wrong: Callable
    amount: float | Callable
    unit: str = "GB/s"
    # Numbers that are known before, as a size is.
    numbers: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Sizes:
    vector: int = 10_000_000
    side: int = 8000
    klt: int = 4000
    product: int = 2048
    rows: int = 1_000_000
    mandelbrot: int = 2000


LARGE = Sizes()
HERE = Sizes(100_000, 800, 400, 204, 10_000, 200)


def seeded(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def floats(random, n, low=0.0, high=1.0):
    return np.float32(low) + np.float32(high - low) * random.random(n, dtype=np.float32)


def near(expected, part, pick=slice(None)):
    """Off by no more than a part of the greatest value, at those places that are looked at."""

    def wrong(found):
        found = np.asarray(found)[pick].astype(np.float64)
        if found.shape != expected.shape:
            return f"its shape is {found.shape}, not {expected.shape}"
        off, allowed = np.abs(found - expected).max(initial=0.0), part * np.abs(expected).max(initial=0.0)
        # Not `>`: a NaN is never near.
        return None if off <= allowed else f"off by {off:.3g} where {allowed:.3g} is allowed"

    return wrong


def exact(expected, pick=slice(None), part=0.0):
    """The same, but for a part of the elements."""

    def wrong(found):
        found = np.asarray(found)[pick]
        if found.shape != expected.shape:
            return f"its shape is {found.shape}, not {expected.shape}"
        differ = np.count_nonzero(found != expected)
        return None if differ <= part * expected.size else f"{differ} of {expected.size} differ"

    return wrong


@functools.lru_cache(None)
def matrix(n):
    return floats(seeded("matrix"), (n, n), -1.0, 1.0)


def copy(s):
    m = matrix(s.side)
    return Case([m], exact(m), 8 * m.size)


def saxpy(s):
    random = seeded("saxpy")
    x, y = (floats(random, s.vector) for _ in range(2))
    return Case([x, y], near(2.5 * x.astype(np.float64) + y, 1e-6), 12 * s.vector)


def chain(s):
    random = seeded("chain")
    x, y = (floats(random, s.vector) for _ in range(2))
    wide = x[::10].astype(np.float64), y[::10].astype(np.float64)
    expected = np.sqrt(np.abs((1.5 * wide[0] + wide[1]) ** 2 - wide[0])) * 0.7 + wide[1]
    return Case([x, y], near(expected, 2e-4, slice(None, None, 10)), 12 * s.vector)


def black_scholes(s):
    random = seeded("black-scholes")
    price, strike, years = (floats(random, s.vector, *between) for between in [(5, 30), (1, 100), (0.25, 10)])
    pick = slice(None, None, 10)
    p, k, t = (part[pick].astype(np.float64) for part in (price, strike, years))

    def normal(x):
        u = 1 / (1 + 0.2316419 * np.abs(x))
        tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * functools.reduce(lambda sum, b: u * (sum + b), NORMAL[::-1], 0.0)
        return np.where(x > 0, 1 - tail, tail)

    spread = VOLATILITY * np.sqrt(t)
    d = (np.log(p / k) + (RATE + 0.5 * VOLATILITY**2) * t) / spread
    later = k * np.exp(-RATE * t)
    call = p * normal(d) - later * normal(d - spread)
    each = [near(call, 2e-5, pick), near(call - p + later, 2e-5, pick)]

    def wrong(found):
        return next(filter(None, (wrong(part) for wrong, part in zip(each, found))), None)

    return Case([price, strike, years], wrong, 60 * s.vector, "GFLOP/s")


def mandelbrot(s):
    n = s.mandelbrot
    step = np.float32(2.5 / n)
    cx = np.arange(n, dtype=np.float32) * step - np.float32(2)
    cy = (np.arange(n, dtype=np.float32) * step - np.float32(1.25))[::16, None]
    x = y = np.zeros((len(cy), n), np.float32)
    count = np.zeros(x.shape, np.int32)
    with np.errstate(all="ignore"):
        for _ in range(255):
            # Who has left never comes back.
            count += x * x + y * y <= 4
            x, y = x * x - y * y + cx, 2 * x * y + cy
    operations = lambda found: 8 * int(np.sum(found, dtype=np.int64))
    return Case([], exact(count, slice(None, None, 16), 0.01), operations, "GFLOP/s", {"n": n, "step": float(step)})


def sum_(s):
    x = floats(seeded("sum"), s.vector)
    return Case([x], near(x.sum(dtype=np.float64), ONE_SUM, ...), 4 * s.vector)


def sum_abs(s):
    m = matrix(s.side)
    return Case([m], near(np.abs(m).sum(dtype=np.float64), ONE_SUM, ...), 4 * (m.size + 1))


def dot(s):
    random = seeded("dot")
    x, y = (floats(random, s.vector) for _ in range(2))
    return Case([x, y], near(np.multiply(x, y, dtype=np.float64).sum(), ONE_SUM, ...), 8 * s.vector)


def row_sums(s):
    m = matrix(s.side)
    return Case([m], near(m.sum(1, dtype=np.float64), 1e-5), 4 * (m.size + s.side))


def column_sums(s):
    m = matrix(s.side)
    return Case([m], near(m.sum(0, dtype=np.float64), 1e-5), 4 * (m.size + s.side))


def scan_f32(s):
    x = floats(seeded("scan-f32"), s.vector, -1.0, 1.0)
    return Case([x], near(np.cumsum(x, dtype=np.float64), 5e-4), 8 * s.vector)


def scan_i32(s):
    x = seeded("scan-i32").integers(-100, 101, s.vector, dtype=np.int32)
    return Case([x], exact(np.cumsum(x, dtype=np.int32)), 8 * s.vector)


def filter_(s):
    x = floats(seeded("filter"), s.vector, -1.0, 1.0)
    kept = x[x > 0]
    return Case([x], exact(kept), 4 * (s.vector + kept.size))


def histogram(s):
    x = floats(seeded("histogram"), s.vector)
    return Case([x], exact(np.bincount((x * 256).astype(np.int32), minlength=256)), 4 * s.vector)


def pareto(random, n, shape):
    """Exceeds x with probability x^(−shape)."""
    return (1 - random.random(n, dtype=np.float32).astype(np.float64)) ** (-1 / shape)


def segments(lengths):
    """Where segments begin and the last one ends, and the segment of each element."""
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return offsets, np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)


def segment_sums(data, offsets):
    sums = np.concatenate([[0.0], np.cumsum(data)])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def segmented_sum(s):
    n, random = s.vector, seeded("segmented-sum")
    # So many segments are always enough: they have a mean length of 4 and more.
    lengths = np.minimum(pareto(random, n // 2, 1.1), max(n / 20, 1)).astype(np.int64)
    lengths[random.random(len(lengths)) < 0.05] = 0
    ends = np.cumsum(lengths)
    count = int(np.searchsorted(ends, n)) + 1
    lengths = lengths[:count]
    lengths[-1] -= ends[count - 1] - n
    offsets, ids = segments(lengths)
    x = floats(random, n, -1.0, 1.0)
    return Case([x, offsets, ids], near(segment_sums(x.astype(np.float64), offsets), 1e-4), 4 * (n + 2 * count))


def spmv(s):
    n, random = s.rows, seeded("spmv")
    lengths = np.minimum(3.5 * pareto(random, n, 1.5), 5000).astype(np.int64)
    lengths[random.random(n) < 0.03] = 0
    offsets, ids = segments(lengths)
    # Random in each row, and in order there.
    columns = (np.sort(ids * np.int64(n) + random.integers(0, n, len(ids))) % n).astype(np.int32)
    values, x = floats(random, len(ids), -1.0, 1.0), floats(random, n, -1.0, 1.0)
    expected = segment_sums(values.astype(np.float64) * x[columns], offsets)
    return Case([values, columns, offsets, ids, x], near(expected, 1e-5), 8 * len(ids) + 12 * n)


def sort(s):
    x = seeded("sort").integers(-(2**31), 2**31, s.vector, dtype=np.int32)
    return Case([x], exact(np.sort(x)), 8 * s.vector)


def life(s):
    n = s.side
    cells = seeded("life").random((n, n), dtype=np.float32) < 0.35
    bits = cells.astype(np.uint8)
    around = sum(np.roll(bits, by, 0) for by in (-1, 0, 1))
    around = sum(np.roll(around, by, 1) for by in (-1, 0, 1)) - bits
    return Case([cells.astype(np.float32)], exact((around == 3) | ((around == 2) & cells)), 8 * n * n)


def picture(name, n):
    patch = np.sin(np.arange(n) * 40.0 / n).astype(np.float32)
    return np.float32(0.5) + np.float32(0.2) * patch[:, None] * patch + floats(seeded(name), (n, n), -0.05, 0.05)


def weights(count, sigma):
    """Both sides of a Gaussian."""
    at = np.arange(1 - count, count)
    w = np.exp(-(at**2) / (2 * sigma**2))
    return [float(weight) for weight in w / w.sum()]


def blur(image, w):
    reach = len(w) // 2
    padded = np.pad(image, ((reach, reach), (0, 0)), mode="edge")
    columns = sum(weight * padded[at : at + len(image)] for at, weight in enumerate(w))
    padded = np.pad(columns, ((0, 0), (reach, reach)), mode="edge")
    return sum(weight * padded[:, at : at + image.shape[1]] for at, weight in enumerate(w))


def corners(b, a):
    across, down = np.pad(b, ((0, 0), (1, 1)), mode="edge"), np.pad(b, ((1, 1), (0, 0)), mode="edge")
    gx, gy = 0.5 * (across[:, 2:] - across[:, :-2]), 0.5 * (down[2:] - down[:-2])
    xx, xy, yy = blur(gx * gx, a), blur(gx * gy, a), blur(gy * gy, a)
    mean = 0.5 * (xx + yy)
    return 1.5 * mean - 0.5 * np.hypot(0.5 * (xx - yy), xy)


def bands(image, function, part, high=48, margin=8):
    """Looks at the first rows, some in the middle and the last: they depend on nothing that is farther away than a margin."""
    n = len(image)
    starts = sorted({0, (n - high) // 2, n - high})
    pick = np.concatenate([np.arange(start, start + high) for start in starts])
    expected = []
    for start in starts:
        low = max(0, start - margin)
        found = function(image[low : start + high + margin].astype(np.float64))
        expected.append(found[start - low :][:high])
    return near(np.concatenate(expected), part, pick)


def gaussian(s):
    image, w = picture("gaussian", s.side), weights(3, 1.0)
    return Case([image], bands(image, lambda image: blur(image, w), 1e-5), 8 * image.size, numbers={"w": w})


def klt(s):
    image, w, a = picture("klt", s.klt), weights(3, 1.0), weights(5, 2.0)
    wrong = bands(image, lambda image: corners(blur(image, w), a), 1e-4)
    return Case([image], wrong, 8 * image.size, numbers={"w": w, "a": a})


def matmul(s):
    n, random = s.product, seeded("matmul")
    a, b = (floats(random, (n, n), -1.0, 1.0) for _ in range(2))
    pick = slice(None, None, 32)
    return Case([a, b], near(a[pick].astype(np.float64) @ b, 1e-5, pick), 2 * n**3, "GFLOP/s")


# Two that say what memory gives, and the catalog.
CASES = {
    "copy": copy,
    "saxpy": saxpy,
    "chain": chain,
    "black-scholes": black_scholes,
    "mandelbrot": mandelbrot,
    "sum": sum_,
    "sum-abs": sum_abs,
    "dot": dot,
    "row-sums": row_sums,
    "column-sums": column_sums,
    "scan-f32": scan_f32,
    "scan-i32": scan_i32,
    "filter": filter_,
    "histogram": histogram,
    "segmented-sum": segmented_sum,
    "spmv": spmv,
    "sort": sort,
    "life": life,
    "gaussian": gaussian,
    "klt": klt,
    "matmul": matmul,
}
