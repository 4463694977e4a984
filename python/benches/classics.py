"""Four classics as ordinary Python functions beside Numba's loops: quicksort, triangles of a graph, Barnes-Hut, nearest neighbours. `python python/benches/classics.py [name …]` prints a
table of milliseconds, each the least of several rounds, with plain Python's on a small part. Every result is compared with one that is made in another way.

The package that is measured is the one that is installed (`python/check --install`); Numba is wanted beside it (`pip install numba`), and has as many threads.
"""

import math
import sys
import time

import numba
import numpy as np

import nestled as nd

# Quicksort.


@nd.fn
def quicksort(a):
    if len(a) < 2:
        return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
    return less + [x for x in a if x == p] + more


@numba.njit
def sort_part(a, low, high):
    while high - low > 1:
        p, i, j = a[(low + high) // 2], low, high - 1
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i, j = i + 1, j - 1
        sort_part(a, low, j + 1)
        low = i


@numba.njit(parallel=True)
def numba_quicksort(given):
    """One cut, and then a part for each of two threads."""
    a = given.copy()
    p = a[len(a) // 2]
    less, more = a[a < p], a[a >= p]
    for part in numba.prange(2):
        sort_part(less if part == 0 else more, 0, len(less) if part == 0 else len(more))
    return np.concatenate((less, more))


# Triangles: rows of a graph are sorted, and have the greater neighbours only.


@nd.fn
def triangles(rows):
    def common(a, b):
        i = j = n = 0
        while i < len(a) and j < len(b):
            x, y = a[i], b[j]
            n += 1 if x == y else 0
            i += 1 if x <= y else 0
            j += 1 if y <= x else 0
        return n

    return sum(common(row, rows[other]) for row in rows for other in row)


@numba.njit(parallel=True)
def numba_triangles(starts, ends):
    total = 0
    for row in numba.prange(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            i, j = starts[row], starts[ends[at]]
            while i < starts[row + 1] and j < starts[ends[at] + 1]:
                x, y = ends[i], ends[j]
                total += x == y
                i += x <= y
                j += y <= x
    return total


# The nearest neighbours of each point among points in boxes: of each list, the distances of the k nearest.


@nd.fn
def nearest(points, k):
    return [sorted([(px - x) * (px - x) + (py - y) * (py - y) for px, py in points])[1 : k + 1] for x, y in points]


@numba.njit(parallel=True)
def numba_nearest(x, y, k):
    out = np.empty((len(x), k))
    for i in numba.prange(len(x)):
        d = (x - x[i]) * (x - x[i]) + (y - y[i]) * (y - y[i])
        out[i] = np.sort(d)[1 : k + 1]
    return out


# Barnes-Hut: squares of a quadtree are parts of the bodies in the order of a curve; a walk goes on to the next square, or past all that are inside of this one.


def spread(x):
    a = (x | (x << 8)) & 0x00FF00FF
    b = (a | (a << 4)) & 0x0F0F0F0F
    c = (b | (b << 2)) & 0x33333333
    return (c | (c << 1)) & 0x55555555


def begins(codes, bits, q, low, high):
    while low < high:
        middle = (low + high) // 2
        if ((codes[middle] >> bits) & 3) >= q:
            high = middle
        else:
            low = middle + 1
    return low


def quarters(codes, bits, low, high):
    cuts = [begins(codes, bits, q, low, high) for q in range(5)]
    return [(cuts[q], cuts[q + 1]) for q in range(4) if cuts[q] < cuts[q + 1]]


def square(xs, ys, ms, low, high, width, bits):
    mass = sum(ms[low:high])
    cx = sum([x * m for x, m in zip(xs[low:high], ms[low:high])]) / mass
    cy = sum([y * m for y, m in zip(ys[low:high], ms[low:high])]) / mass
    return low, high, bits, -1.0 if high - low == 1 or bits < 0 else width * width, mass, cx, cy


def build(xs, ys, ms, codes, parts, bits, width, squares):
    found = squares + [square(xs, ys, ms, low, high, width, bits) for low, high in parts]
    large = [(low, high) for low, high in parts if high - low > 1]
    if len(large) == 0 or bits < 0:
        return found
    return build(xs, ys, ms, codes, [part for low, high in large for part in quarters(codes, bits, low, high)], bits - 2, 0.5 * width, found)


def before(starts, place):
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


def walk(x, y, theta2, softening, after, widths, masses, cx, cy):
    at, ax, ay = 0, 0.0, 0.0
    while at < len(after):
        dx, dy = cx[at] - x, cy[at] - y
        d2 = dx * dx + dy * dy
        if widths[at] < theta2 * d2:
            r2 = d2 + softening
            pull = masses[at] / (r2 * math.sqrt(r2))
            ax, ay, at = ax + pull * dx, ay + pull * dy, after[at]
        else:
            at = at + 1
    return ax, ay


@nd.fn
def barnes_hut(gx, gy, gm, theta2, softening):
    left, bottom = min(gx), min(gy)
    side = max(max(gx) - left, max(gy) - bottom)
    cells = 32767.0 / side
    given = [spread(int((x - left) * cells)) + 2 * spread(int((y - bottom) * cells)) for x, y in zip(gx, gy)]
    order = sorted(range(len(gx)), key=lambda i: given[i])
    xs, ys, ms, codes = [gx[i] for i in order], [gy[i] for i in order], [gm[i] for i in order], [given[i] for i in order]
    root = square(xs, ys, ms, 0, len(xs), 32768.0 / cells, 30)
    found = build(xs, ys, ms, codes, quarters(codes, 28, 0, len(xs)), 26, 16384.0 / cells, [root])
    tree = sorted(found, key=lambda one: 16 * one[0] - one[2] // 2)
    starts = [one[0] for one in tree]
    after = [before(starts, one[1]) for one in tree]
    widths, masses, cx, cy = [one[3] for one in tree], [one[4] for one in tree], [one[5] for one in tree], [one[6] for one in tree]
    return [walk(x, y, theta2, softening, after, widths, masses, cx, cy) for x, y in zip(gx, gy)]


@numba.njit
def numba_tree(xs, ys, ms, codes, side):
    """Squares in the order of a walk: where a square ends in the tree, its width squared, its mass and its centre."""
    most = 4 * len(xs) + 64
    after, widths, masses = np.empty(most, np.int64), np.empty(most), np.empty(most)
    cx, cy = np.empty(most), np.empty(most)
    n, depth = 0, 0
    lows, highs, bitses, nodes = np.empty(256, np.int64), np.empty(256, np.int64), np.empty(256, np.int64), np.empty(256, np.int64)
    lows[0], highs[0], bitses[0], nodes[0] = 0, len(xs), 28, -1
    depth = 1
    while depth > 0:
        depth -= 1
        low, high, bits, node = lows[depth], highs[depth], bitses[depth], nodes[depth]
        if node >= 0:
            after[node] = n
            continue
        mass = mx = my = 0.0
        for i in range(low, high):
            mass += ms[i]
            mx += xs[i] * ms[i]
            my += ys[i] * ms[i]
        width = side / (1 << ((28 - bits) // 2))
        is_leaf = high - low == 1 or bits < 0
        widths[n], masses[n], cx[n], cy[n] = (-1.0 if is_leaf else width * width), mass, mx / mass, my / mass
        lows[depth], highs[depth], bitses[depth], nodes[depth] = 0, 0, 0, n
        depth += 1
        n += 1
        if is_leaf:
            continue
        end = high
        for q in range(3, -1, -1):
            begin = low
            stop = end
            while begin < stop:
                middle = (begin + stop) // 2
                if ((codes[middle] >> bits) & 3) >= q:
                    stop = middle
                else:
                    begin = middle + 1
            if begin < end:
                lows[depth], highs[depth], bitses[depth], nodes[depth] = begin, end, bits - 2, -1
                depth += 1
            end = begin
    return after[:n], widths[:n], masses[:n], cx[:n], cy[:n]


numba_spread, numba_walk = numba.njit(spread), numba.njit(walk)


@numba.njit(parallel=True)
def numba_forces(gx, gy, theta2, softening, after, widths, masses, cx, cy):
    out = np.empty((len(gx), 2))
    for i in numba.prange(len(gx)):
        out[i, 0], out[i, 1] = numba_walk(gx[i], gy[i], theta2, softening, after, widths, masses, cx, cy)
    return out


@numba.njit
def numba_codes(gx, gy, left, bottom, cells):
    codes = np.empty(len(gx), np.int64)
    for i in range(len(gx)):
        codes[i] = numba_spread(int((gx[i] - left) * cells)) + 2 * numba_spread(int((gy[i] - bottom) * cells))
    return codes


def numba_barnes_hut(gx, gy, gm, theta2, softening):
    left, bottom = gx.min(), gy.min()
    cells = 32767.0 / max(gx.max() - left, gy.max() - bottom)
    codes = numba_codes(gx, gy, left, bottom, cells)
    order = np.argsort(codes)
    tree = numba_tree(gx[order], gy[order], gm[order], codes[order], 32768.0 / cells)
    return numba_forces(gx, gy, theta2, softening, *tree)


def all_pairs(x, y, m, softening, some):
    dx, dy = x[None, :] - x[some, None], y[None, :] - y[some, None]
    r2 = dx * dx + dy * dy + softening
    pull = m[None, :] / (r2 * np.sqrt(r2))
    return np.stack([(pull * dx).sum(axis=1), (pull * dy).sum(axis=1)], axis=1)


def graph(n, degree, random):
    """Rows of the greater neighbours of each node, in order, as starts and ends."""
    pairs = np.sort(random.integers(0, n, (n * degree // 2, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=n))]), pairs[:, 1].copy()


def least(function, rounds=7):
    """The time of a call, in milliseconds; the first one compiles."""
    made, times = function(), []
    for _ in range(rounds):
        begun = time.perf_counter()
        made = function()
        times.append(time.perf_counter() - begun)
    return 1e3 * min(times), made


def quicksorts(random):
    a = random.integers(0, 1 << 40, 1_000_000)
    x, part = nd.asarray(a).eval(), a[:20_000].tolist()
    yield lambda: quicksort.on_device(x).eval(), lambda: numba_quicksort(a), (lambda: quicksort.python(part), 50)
    yield lambda ours, theirs: (np.asarray(ours) == np.sort(a)).all() and (theirs == np.sort(a)).all()


def trianglings(random):
    starts, ends = graph(50_000, 40, random)
    lists = nd.Nested.from_array(nd.asarray(ends)).unflatten(nd.asarray(np.diff(starts)))
    small_starts, small_ends = graph(1_000, 40, random)
    small = [small_ends[low:high].tolist() for low, high in zip(small_starts, small_starts[1:])]
    yield lambda: triangles.on_device(lists), lambda: numba_triangles(starts, ends), (lambda: triangles.python(small), 50)
    yield lambda ours, theirs: ours == theirs > 0 and triangles(small) == triangles.python(small)


def neighbours(random):
    x, y = random.random(2_000), random.random(2_000)
    points = nd.Nested.zip([nd.Nested.from_array(nd.asarray(x)), nd.Nested.from_array(nd.asarray(y))])
    few = list(zip(x[:200].tolist(), y[:200].tolist()))
    yield lambda: nearest.on_device(points, 8), lambda: numba_nearest(x, y, 8), (lambda: nearest.python(few, 8), 100)
    yield lambda ours, theirs: np.allclose(ours.to_list(), theirs)


def gravities(random):
    x, y, m = random.random(50_000), random.random(50_000), np.full(50_000, 1.0 / 50_000)
    given = [nd.asarray(one).eval() for one in (x, y, m)]
    few = [one[:1_000].tolist() for one in (x, y, m)]
    some = np.arange(0, 50_000, 997)
    wanted = all_pairs(x, y, m, 1e-4, some)

    def is_near(forces):
        wrong = np.linalg.norm(forces[some] - wanted, axis=1)
        return (wrong <= 0.05 * np.linalg.norm(wanted, axis=1).max()).all()

    yield lambda: barnes_hut.on_device(*given, 0.25, 1e-4), lambda: numba_barnes_hut(x, y, m, 0.25, 1e-4), (lambda: barnes_hut.python(*few, 0.25, 1e-4), 50)
    yield lambda ours, theirs: is_near(np.array(ours.to_list())) and is_near(theirs)


CLASSICS = {"quicksort": quicksorts, "triangles": trianglings, "nearest": neighbours, "barnes-hut": gravities}


def main():
    numba.set_num_threads(min(nd.threads(), numba.config.NUMBA_NUM_THREADS))
    print(f"{'milliseconds':12} {'nd.fn':>9} {'Numba':>9} {'ratio':>6} {'Python, of a part':>18} {'part':>6}")
    for name in sys.argv[1:] or CLASSICS:
        (ours, theirs, (plain, part)), is_right = CLASSICS[name](np.random.default_rng(1))
        our_time, made = least(ours)
        their_time, other = least(theirs)
        if not is_right(made, other):
            raise SystemExit(f"{name}: a result is wrong")
        begun = time.perf_counter()
        plain()
        print(f"{name:12} {our_time:9.2f} {their_time:9.2f} {our_time / their_time:6.2f} {1e3 * (time.perf_counter() - begun):18.2f} {f'1/{part}':>6}", flush=True)


if __name__ == "__main__":
    main()
