"""Numeric code: number theory, statistics, linear algebra, series, simulation."""

import math

from .kinds import *

GRAVITY = 9.81


def gcd(a: Nat, b: Nat):
    while b:
        a, b = b, a % b
    return a


def lcm(a: Pos, b: Pos):
    return a * b // math.gcd(a, b)


def extended_gcd(a: Pos, b: Pos):
    x0, x1 = 1, 0
    y0, y1 = 0, 1
    while b != 0:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


def is_prime(n: Nat):
    if n < 2:
        return False
    return all(n % d != 0 for d in range(2, math.isqrt(n) + 1))


def primes_below(n: Nat):
    return [p for p in range(2, n) if all(p % d for d in range(2, p))]


def sieve(n: Nat):
    flags = [True] * (n + 1)
    p = 2
    while p * p <= n:
        if flags[p]:
            for m in range(p * p, n + 1, p):
                flags[m] = False
        p += 1
    return [i for i in range(2, n + 1) if flags[i]]


def prime_factors(n: Pos):
    out = []
    d = 2
    while d * d <= n:
        while n % d == 0:
            out.append(d)
            n //= d
        d += 1
    if n > 1:
        out.append(n)
    return out


def divisors(n: Pos):
    return [d for d in range(1, n + 1) if n % d == 0]


def is_perfect(n: Pos):
    return sum(d for d in range(1, n) if n % d == 0) == n


def totient(n: Pos):
    return len([k for k in range(1, n + 1) if math.gcd(n, k) == 1])


def collatz_length(n: Pos):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def collatz_record(n: Pos):
    best, best_at = 0, 1
    for k in range(1, n + 1):
        m, steps = k, 0
        while m > 1:
            if m % 2:
                m = 3 * m + 1
            else:
                m //= 2
            steps += 1
        if steps > best:
            best, best_at = steps, k
    return best_at


def digit_sum(n: Big):
    n = abs(n)
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


def digital_root(n: Nat):
    while n >= 10:
        n = sum([n // 10, n % 10])
    return n


def reverse_digits(n: Nat):
    r = 0
    while n:
        n, d = divmod(n, 10)
        r = 10 * r + d
    return r


def to_binary(n: Nat):
    bits = []
    while n:
        bits.append(n & 1)
        n >>= 1
    return bits[::-1]


def from_binary(bits: Bools):
    value = 0
    for b in bits:
        value = value << 1 | b
    return value


def popcount(n: Nat):
    return sum(n >> i & 1 for i in range(64 - 1))


def hamming(a: Nat, b: Nat):
    x = a ^ b
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


def fast_power(b: Int, n: Small, m: Pos):
    r = 1 % m
    while n > 0:
        if n & 1:
            r = r * b % m
        b = b * b % m
        n >>= 1
    return r


def power_table(n: Small):
    return [[i**j for j in range(n)] for i in range(n)]


def fib_loop(n: Nat):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def fib_list(n: Nat):
    f = [0, 1]
    while len(f) < n:
        f.append(f[-1] + f[-2])
    return f[:n]


def pascal_row(n: Small):
    row = [1]
    for _ in range(n):
        row = [1] + [a + b for a, b in zip(row, row[1:])] + [1]
    return row


def pascal_triangle(n: Small):
    rows = []
    for i in range(n):
        rows.append([math.comb(i, j) for j in range(i + 1)])
    return rows


def catalan(n: Small):
    return math.comb(2 * n, n) // (n + 1)


def binomial_mod(n: Nat, k: Nat):
    row = [1] + [0] * k
    for _ in range(n):
        for j in range(k, 0, -1):
            row[j] = (row[j] + row[j - 1]) % 1009
    return row[k]


def mean(a: SomeReals):
    return sum(a) / len(a)


def variance(a: SomeReals):
    m = sum(a) / len(a)
    return sum((x - m) ** 2 for x in a) / len(a)


def stdev(a: SomeReals):
    m = mean(a)
    return math.sqrt(sum((x - m) * (x - m) for x in a) / len(a))


def median(a: SomeReals):
    b = sorted(a)
    n = len(b)
    return b[n // 2] if n % 2 else (b[n // 2 - 1] + b[n // 2]) / 2


def mode(a: Some):
    best, times = a[0], 0
    for x in a:
        c = a.count(x)
        if c > times:
            best, times = x, c
    return best


def correlation(x: SomeReals, y: SomeReals):
    n = min(len(x), len(y))
    x, y = x[:n], y[:n]
    mx, my = sum(x) / n, sum(y) / n
    cov = sum((a - mx) * (b - my) for a, b in zip(x, y))
    vx = sum((a - mx) ** 2 for a in x)
    vy = sum((b - my) ** 2 for b in y)
    if vx == 0 or vy == 0:
        return 0.0
    return cov / math.sqrt(vx * vy)


def line_fit(points: Points):
    n = len(points)
    if n < 2:
        return (0.0, 0.0)
    sx = sum(x for x, _ in points)
    sy = sum(y for _, y in points)
    sxx = sum(x * x for x, _ in points)
    sxy = sum(x * y for x, y in points)
    d = n * sxx - sx * sx
    if abs(d) < 1e-9:
        return (0.0, sy / n)
    slope = (n * sxy - sx * sy) / d
    return slope, (sy - slope * sx) / n


def normalize(v: Reals):
    norm = math.sqrt(sum(x * x for x in v))
    return [x / norm for x in v] if norm > 0 else v


def softmax(v: SomeReals):
    top = max(v)
    e = [math.exp(x - top) for x in v]
    s = sum(e)
    return [x / s for x in e]


def sigmoid(v: Reals):
    return [1 / (1 + math.exp(-x)) for x in v]


def matmul(a: Square, b: Square):
    n = min(len(a), len(b))
    return [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]


def mat_vec(m: Square, v: Reals):
    return [sum(x * y for x, y in zip(row, v)) for row in m]


def trace(m: Square):
    return sum(m[i][i] for i in range(len(m)))


def is_symmetric(m: Square):
    n = len(m)
    return all(m[i][j] == m[j][i] for i in range(n) for j in range(i))


def determinant(m: Square):
    m = [row[:] for row in m]
    n = len(m)
    det = 1.0
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(m[i][k]))
        if m[p][k] == 0:
            return 0.0
        if p != k:
            m[p], m[k] = m[k], m[p]
            det = -det
        det *= m[k][k]
        for i in range(k + 1, n):
            c = m[i][k] / m[k][k]
            for j in range(k, n):
                m[i][j] -= c * m[k][j]
    return det


def identity(n: Small):
    return [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]


def horner(coefficients: Reals, x: Real):
    value = 0.0
    for c in coefficients:
        value = value * x + c
    return value


def poly_derivative(c: Ints):
    return [i * x for i, x in enumerate(c)][1:]


def poly_multiply(a: Ints, b: Ints):
    if not a or not b:
        return []
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def convolve_same(a: Reals, k: Reals):
    return [sum(a[i - j] * k[j] for j in range(len(k)) if 0 <= i - j < len(a)) for i in range(len(a))]


def newton_sqrt(x: PosReal):
    guess = x
    for _ in range(30):
        guess = (guess + x / guess) / 2
    return guess


def bisect_root(a: PosReal):
    lo, hi = 0.0, a + 1.0
    while hi - lo > 1e-9:
        mid = (lo + hi) / 2
        if mid * mid < a:
            lo = mid
        else:
            hi = mid
    return (lo + hi) / 2


def exp_series(x: Real):
    term, total = 1.0, 1.0
    n = 1
    while abs(term) > 1e-12:
        term *= x / n
        total += term
        n += 1
    return total


def pi_leibniz(n: Pos):
    return 4 * sum((-1) ** k / (2 * k + 1) for k in range(n))


def trapezoid(n: Pos):
    h = math.pi / n
    return h * (sum(math.sin(i * h) for i in range(1, n)) + 0.5 * (math.sin(0) + math.sin(math.pi)))


def simpson(a: Real, b: Real):
    n = 20
    h = (b - a) / n
    total = a**3 + b**3
    for i in range(1, n):
        x = a + i * h
        total += (4 if i % 2 else 2) * x**3
    return total * h / 3


def fall_times(heights: PosReals):
    return [math.sqrt(2 * h / GRAVITY) for h in heights]


def euler_step(x: Real, v: Real, n: Small):
    dt = 0.1
    for _ in range(n):
        x, v = x + v * dt, v - x * dt
    return x, v


def mandelbrot_count(cx: Real, cy: Real):
    x = y = 0.0
    for i in range(100):
        if x * x + y * y > 4:
            return i
        x, y = x * x - y * y + cx / 5, 2 * x * y + cy / 5
    return 100


def distance_matrix(points: Points):
    return [[math.hypot(x - u, y - v) for u, v in points] for x, y in points]


def centroid(points: Points):
    if len(points) == 0:
        return None
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def polygon_area(points: Points):
    n = len(points)
    s = 0.0
    for i in range(n):
        x, y = points[i]
        u, v = points[(i + 1) % n]
        s += x * v - u * y
    return abs(s) / 2


def nearest(points: Points, x: Real, y: Real):
    if not points:
        return -1
    d = [(px - x) ** 2 + (py - y) ** 2 for px, py in points]
    return d.index(min(d))


def round_all(a: Reals):
    return [round(x) for x in a]


def round_cents(a: Reals):
    return [round(x, 2) for x in a]


def floor_ceil(a: Reals):
    return [(math.floor(x), math.ceil(x), int(x)) for x in a]


def float_mod(a: Reals, m: PosReal):
    return [(x // m, x % m) for x in a]


def compound(principal: PosReal, years: Small):
    return principal * 1.05**years


def triangle_kind(a: Pos, b: Pos, c: Pos):
    if a + b <= c or a + c <= b or b + c <= a:
        return "none"
    if a == b == c:
        return "equilateral"
    return "isosceles" if a == b or b == c or a == c else "scalene"


def leap_years(a: Nat, n: Nat):
    return [y for y in range(1890 + a, 1890 + a + n) if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)]


def linear_congruential(seed: Nat, n: Nat):
    out = []
    x = seed
    for _ in range(n):
        x = (1103515245 * x + 12345) % 2**31
        out.append(x % 100)
    return out


def clamp_degrees(a: Reals):
    return [math.degrees(x) % 360 for x in a]


def josephus(n: Pos, k: Pos):
    r = 0
    for i in range(2, n + 1):
        r = (r + k) % i
    return r
