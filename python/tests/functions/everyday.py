"""Everyday pieces: records, closures, lambdas, dictionaries, sets, exceptions, builtins, NumPy."""

import math
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from .kinds import *


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Particle:
    mass: float
    speed: float


RATES = [0.1, 0.2, 0.3]
LIMITS = {"low": 3, "high": 7}


def named_points(points: Points):
    return [Point(x, y) for x, y in points]


def farthest(points: Points):
    named = [Point(x, y) for x, y in points]
    return max((math.hypot(p.x, p.y) for p in named), default=0.0)


def energies(masses: PosReals, speeds: PosReals):
    return [0.5 * p.mass * p.speed**2 for p in [Particle(m, v) for m, v in zip(masses, speeds)]]


def heaviest(masses: PosReals):
    particles = [Particle(m, 1.0 / m) for m in masses]
    return max(particles, key=lambda p: p.mass).speed if particles else 0.0


def adder_closure(a: Ints, k: Int):
    def add(x):
        return x + k

    return [add(x) for x in a]


def composed(a: Ints):
    double = lambda x: 2 * x
    inc = lambda x: x + 1
    return [inc(double(x)) for x in a]


def apply_twice(x: Int):
    def twice(g, v):
        return g(g(v))

    return twice(lambda v: v * 3, x)


def map_filter(a: Ints):
    return list(map(lambda x: x * x, filter(lambda x: x > 0, a)))


def reduce_sum(a: Ints):
    return reduce(lambda x, y: x + y, a, 0)


def global_rates(x: Real):
    return [x * r for r in RATES]


def global_limits(a: Ints):
    return [x for x in a if LIMITS["low"] <= x <= LIMITS["high"]]


def tuple_swap(a: Int, b: Int):
    a, b = b, a
    return a, b


def star_unpack(a: Some):
    first, *rest = a
    return first, rest


def chained(a: Int, b: Int, c: Int):
    return a < b < c, a <= b == c, a != b > c


def conditional_types(a: Int):
    return 0 if a < 0 else a / 2


def truthiness(a: Ints, s: Word, n: Int):
    return (not a, not s, not n, bool(a) or bool(s))


def or_default(a: Ints, n: Int):
    return (a or [1, 2]), (n or 5), (n and 7)


def any_all(rows: Rows):
    return [(any(row), all(row)) for row in rows]


def enumerate_from(a: Ints):
    return [i * x for i, x in enumerate(a, 1)]


def zip_three(a: Ints, b: Ints, c: Ints):
    return [x + y * z for x, y, z in zip(a, b, c)]


def min_max_of(a: Int, b: Int, c: Int):
    return min(a, b, c), max(a, b, c), sum((a, b, c))


def default_max(a: Ints):
    return max(a, default=-1), min(a, default=1)


def sorted_desc(a: Ints):
    return sorted(a, reverse=True), sorted(a, key=lambda x: -x), sorted(a, key=abs)


def sort_pairs(pairs: Pairs):
    return sorted(pairs), sorted(pairs, key=lambda p: (p[1], -p[0]))


def sort_in_place(a: Ints):
    b = list(a)
    b.sort(reverse=True)
    b.reverse()
    return b


def list_methods(a: Some):
    b = a[:]
    b.insert(1, 99)
    b.append(7)
    b.extend([1, 2])
    x = b.pop()
    y = b.pop(0)
    return b, x, y, b.index(99), b.count(7)


def remove_item(a: Some):
    b = a.copy()
    b.remove(a[0])
    del b[:1]
    return b


def slice_assign(a: Some):
    b = list(a)
    b[1:3] = [0, 0, 0]
    return b


def while_else(n: Nat):
    d = 2
    while d * d <= n:
        if n % d == 0:
            kind = "composite"
            break
        d += 1
    else:
        kind = "prime or less"
    return kind


def for_else(a: Ints):
    for x in a:
        if x > 10:
            break
    else:
        return "none"
    return "some"


def walrus(a: Ints):
    return [y for x in a if (y := x * 2) > 5]


def match_kind(n: Int):
    match n % 3:
        case 0:
            return "zero"
        case 1 | 2:
            return "other"
        case _:
            return "never"


def try_parse(s: Word):
    try:
        return int(s)
    except ValueError:
        return -1


def checked_div(a: Int, b: Int):
    if b == 0:
        raise ZeroDivisionError("no")
    return a // b


def asserted(a: Some):
    assert len(a) > 0
    return a[0]


def int_dict(a: Nats):
    d = {x: x * x for x in a}
    return [d[x] for x in a], len(d)


def invert_dict(words: Words):
    lengths = {w: len(w) for w in words}
    return sorted((n, w) for w, n in lengths.items())


def dict_of_lists(words: Words):
    by_length = {}
    for w in words:
        by_length.setdefault(len(w), []).append(w)
    return [by_length[k] for k in sorted(by_length)]


def set_ops(a: Nats, b: Nats):
    s, t = set(a), set(b)
    return sorted(s | t), sorted(s - t), len(s & t), 3 in s


def subset_check(a: Nats, b: Nats):
    return set(a) <= set(b)


def set_building(a: Ints):
    seen = set()
    out = []
    for x in a:
        if x not in seen:
            seen.add(x)
            out.append(x)
    return out


def np_scalar(a: PosReals):
    return [np.sqrt(x) + np.log(x) for x in a]


def np_minimum(a: Real, b: Real):
    return np.minimum(a, b) + np.maximum(a, 0.0)


def bit_tricks(a: Int, b: Nat):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1


def int_division(a: Int, b: Pos):
    return a // b, a % b, -a // b, -a % b, divmod(a, -b)


def numeric_tower(a: Int, x: Real, c: Bool):
    return a + x, a * c, x - c, a / 4, int(x), float(a), c + c


def ternary_chain(x: Int):
    return "big" if x > 10 else "small" if x > 0 else "none"


def global_function_call(a: Some):
    return helper_spread(a) * 2


def helper_spread(a):
    return max(a) - min(a)


def default_arguments(a: Int):
    def scale(x, k=3, *, shift=1):
        return x * k + shift

    return scale(a), scale(a, 2), scale(a, shift=5), scale(k=4, x=a)


def nested_comprehension(n: Small):
    return [[(i, j) for j in range(i) if (i + j) % 2] for i in range(n) if i != 2]


def multiplication_table(n: Small):
    return [[i * j for j in range(1, n + 1)] for i in range(1, n + 1)]


def pythagorean(n: Nat):
    return [(a, b, c) for a in range(1, n) for b in range(a, n) for c in range(b, n) if a * a + b * b == c * c]


def big_numbers(a: Int):
    return a * 10**17


def global_counter(a: Ints):
    best: int = 0
    for index, (x, y) in enumerate(zip(a, reversed(a))):
        best = max(best, x * y - index)
    return best


def is_instance(a: Int, x: Real):
    return isinstance(a, int), isinstance(x, int), type(a) is int


def complex_numbers(x: Real):
    return abs(complex(x, 1.0))


def string_of_float(x: Real):
    return str(x)


def print_it(a: Int):
    print(a)
    return a
