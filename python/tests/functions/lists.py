"""List puzzles: filters, runs, pairs, windows, rotations, and what else one does with lists every day."""

from .kinds import *


def squares(a: Ints):
    return [x * x for x in a]


def evens(a: Ints):
    return [x for x in a if x % 2 == 0]


def count_positive(a: Ints):
    return sum(1 for x in a if x > 0)


def dot(a: Reals, b: Reals):
    return sum(x * y for x, y in zip(a, b))


def flatten(rows: Rows):
    return [x for row in rows for x in row]


def row_sums(rows: Rows):
    return [sum(row) for row in rows]


def longest_row(rows: Rows):
    best = []
    for row in rows:
        if len(row) > len(best):
            best = row
    return best


def pairs_with_sum(a: Ints, target: Int):
    return [(a[i], a[j]) for i in range(len(a)) for j in range(i + 1, len(a)) if a[i] + a[j] == target]


def running_total(a: Ints):
    out = []
    total = 0
    for x in a:
        total += x
        out.append(total)
    return out


def running_max(a: Ints):
    out = []
    for x in a:
        if out and out[-1] > x:
            out.append(out[-1])
        else:
            out.append(x)
    return out


def differences(a: Ints):
    return [b - a for a, b in zip(a, a[1:])]


def is_sorted(a: Ints):
    return all(a[i] <= a[i + 1] for i in range(len(a) - 1))


def remove_adjacent_duplicates(a: Nats):
    out = []
    for x in a:
        if not out or out[-1] != x:
            out.append(x)
    return out


def unique_in_order(a: Ints):
    out = []
    for x in a:
        if x not in out:
            out.append(x)
    return out


def second_largest(a: Some):
    return sorted(a)[-2]


def rotate_left(a: Ints, k: Int):
    if not a:
        return a
    k %= len(a)
    return a[k:] + a[:k]


def rotate_right(a: Ints, k: Nat):
    for _ in range(k):
        a = a[-1:] + a[:-1]
    return a


def chunks(a: Ints, n: Pos):
    return [a[i : i + n] for i in range(0, len(a), n)]


def windows(a: Ints, n: Pos):
    return [a[i : i + n] for i in range(len(a) - n + 1)]


def moving_average(a: Reals, n: Pos):
    return [sum(a[i : i + n]) / n for i in range(len(a) - n + 1)]


def interleave(a: Ints, b: Ints):
    out = []
    for x, y in zip(a, b):
        out.append(x)
        out.append(y)
    return out


def every_other(a: Ints):
    return a[::2]


def reverse_list(a: Ints):
    return a[::-1]


def is_palindrome(a: Ints):
    return a == a[::-1]


def argmax(a: Some):
    best = 0
    for i in range(1, len(a)):
        if a[i] > a[best]:
            best = i
    return best


def argmin_key(a: Some):
    return min(range(len(a)), key=lambda i: abs(a[i]))


def partition(a: Ints, p: Int):
    return [x for x in a if x < p], [x for x in a if x >= p]


def zip_longest_zero(a: Ints, b: Ints):
    n = max(len(a), len(b))
    a = a + [0] * (n - len(a))
    b = b + [0] * (n - len(b))
    return [(x, y) for x, y in zip(a, b)]


def transpose(m: Grid):
    if not m:
        return []
    return [[row[j] for row in m] for j in range(len(m[0]))]


def diagonal(m: Square):
    return [m[i][i] for i in range(len(m))]


def count_runs(a: Nats):
    runs = 0
    for i in range(len(a)):
        if i == 0 or a[i] != a[i - 1]:
            runs += 1
    return runs


def run_length(a: Nats):
    out = []
    i = 0
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        out.append((a[i], j - i))
        i = j
    return out


def expand_runs(pairs: Pairs):
    return [v for v, n in pairs for _ in range(n)]


def max_subarray(a: Some):
    best = current = a[0]
    for x in a[1:]:
        current = max(x, current + x)
        best = max(best, current)
    return best


def prefix_sums_by_slices(a: Ints):
    return [sum(a[: i + 1]) for i in range(len(a))]


def suffix_max(a: Ints):
    out = [0] * len(a)
    m = -(10**9)
    for i in range(len(a) - 1, -1, -1):
        m = max(m, a[i])
        out[i] = m
    return out


def majority(a: Ints):
    candidate, count = 0, 0
    for x in a:
        if count == 0:
            candidate = x
        count += 1 if x == candidate else -1
    return candidate


def missing_number(n: Nat):
    a = [i for i in range(n + 1) if i != n // 2]
    return n * (n + 1) // 2 - sum(a)


def move_zeros(a: Ints):
    nonzero = [x for x in a if x != 0]
    return nonzero + [0] * (len(a) - len(nonzero))


def product_except_self(a: Ints):
    out = []
    for i in range(len(a)):
        p = 1
        for j in range(len(a)):
            if i != j:
                p *= a[j]
        out.append(p)
    return out


def trapped_water(h: Nats):
    total = 0
    for i in range(len(h)):
        level = min(max(h[: i + 1]), max(h[i:]))
        total += level - h[i]
    return total


def local_maxima(a: Ints):
    return [i for i in range(1, len(a) - 1) if a[i - 1] < a[i] > a[i + 1]]


def first_repeat(a: Nats):
    for i, x in enumerate(a):
        if x in a[:i]:
            return x
    return None


def index_of(a: Ints, x: Int):
    for i, y in enumerate(a):
        if x == y:
            return i
    return -1


def all_indices(a: Ints, x: Int):
    return [i for i, y in enumerate(a) if x == y]


def clamp_all(a: Ints, lo: Int, hi: Int):
    return [min(max(x, lo), hi) for x in a]


def histogram(a: Nats):
    counts = [0] * 31
    for x in a:
        counts[x] += 1
    return counts


def bucket_by_remainder(a: Ints, k: Pos):
    return [[x for x in a if x % k == r] for r in range(k)]


def cumulative_product(a: Nats):
    p = 1
    out = []
    for x in a:
        p = p * x % 1000007
        out.append(p)
    return out


def swap_pairs(a: Ints):
    b = a[:]
    for i in range(0, len(b) - 1, 2):
        b[i], b[i + 1] = b[i + 1], b[i]
    return b


def deal(a: Ints, n: Pos):
    return [a[i::n] for i in range(n)]


def common(a: Nats, b: Nats):
    return sorted(set(a) & set(b))


def symmetric(a: Nats, b: Nats):
    return sorted(set(a) ^ set(b))


def distinct_count(a: Nats):
    return len(set(a))


def count_values(a: Nats):
    counts = {}
    for x in a:
        counts[x] = counts.get(x, 0) + 1
    return sorted(counts.items())


def most_common(a: Some):
    return max(set(a), key=a.count)


def group_by_parity(a: Ints):
    groups = {"even": [], "odd": []}
    for x in a:
        groups["even" if x % 2 == 0 else "odd"].append(x)
    return groups["even"], groups["odd"]


def merge_sorted(a: Sorted, b: Sorted):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


def split_at_zeros(a: Ints):
    parts, part = [], []
    for x in a:
        if x == 0:
            parts.append(part)
            part = []
        else:
            part.append(x)
    parts.append(part)
    return parts


def take_while_positive(a: Ints):
    out = []
    for x in a:
        if x <= 0:
            break
        out.append(x)
    return out


def drop_while_positive(a: Ints):
    i = 0
    while i < len(a) and a[i] > 0:
        i += 1
    return a[i:]


def sum_of_nested(rows: Rows):
    total = 0
    for row in rows:
        for x in row:
            if x < 0:
                continue
            total += x
    return total
