"""Recursion: numbers, lists, divide and conquer, combinations, mutual recursion, local functions."""

from .kinds import *


def factorial(n: Small):
    return 1 if n == 0 else n * factorial(n - 1)


def fib(n: Small):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def power(x: Real, n: Small):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def gcd_rec(a: Nat, b: Nat):
    return a if b == 0 else gcd_rec(b, a % b)


def ackermann(m: Annotated[int, "int", 0, 2], n: Annotated[int, "int", 0, 3]):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def is_even(n: Nat):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: Nat):
    return False if n == 0 else is_even(n - 1)


def hofstadter_f(n: Small):
    return 1 if n == 0 else n - hofstadter_m(hofstadter_f(n - 1))


def hofstadter_m(n: Small):
    return 0 if n == 0 else n - hofstadter_f(hofstadter_m(n - 1))


def sum_list(a: Ints):
    if not a:
        return 0
    return a[0] + sum_list(a[1:])


def max_rec(a: Some):
    if len(a) == 1:
        return a[0]
    mid = len(a) // 2
    return max(max_rec(a[:mid]), max_rec(a[mid:]))


def reverse_rec(a: Ints):
    return [] if not a else reverse_rec(a[1:]) + [a[0]]


def palindrome_rec(s: Word):
    return len(s) < 2 or (s[0] == s[-1] and palindrome_rec(s[1:-1]))


def flatten_twice(rows: Rows):
    def depth_sum(row, k):
        return 0 if not row else k * row[0] + depth_sum(row[1:], k + 1)

    return [depth_sum(row, 1) for row in rows]


def binary_search_rec(a: Sorted, x: Int):
    def go(lo, hi):
        if lo >= hi:
            return -1
        mid = (lo + hi) // 2
        if a[mid] == x:
            return mid
        return go(mid + 1, hi) if a[mid] < x else go(lo, mid)

    return go(0, len(a))


def tree_sum(a: Ints):
    if len(a) < 2:
        return sum(a)
    mid = len(a) // 2
    return sum(tree_sum(half) for half in [a[:mid], a[mid:]])


def count_inversions(a: Ints):
    if len(a) < 2:
        return 0
    mid = len(a) // 2
    left, right = a[:mid], a[mid:]
    across = sum(1 for x in left for y in right if x > y)
    return count_inversions(left) + count_inversions(right) + across


def max_subarray_split(a: Some):
    if len(a) == 1:
        return a[0]
    mid = len(a) // 2
    left = max(sum(a[i:mid]) for i in range(mid))
    right = max(sum(a[mid : j + 1]) for j in range(mid, len(a)))
    return max(left + right, max_subarray_split(a[:mid]), max_subarray_split(a[mid:]))


def subsets(a: Annotated[list[int], "short", Int]):
    if not a:
        return [[]]
    rest = subsets(a[1:])
    return rest + [[a[0]] + s for s in rest]


def permutations(a: Annotated[list[int], "short", Int]):
    if len(a) <= 1:
        return [a]
    return [[a[i]] + p for i in range(len(a)) for p in permutations(a[:i] + a[i + 1 :])]


def combinations(a: Annotated[list[int], "short", Int], k: Annotated[int, "int", 0, 3]):
    if k == 0:
        return [[]]
    if not a:
        return []
    return [[a[0]] + c for c in combinations(a[1:], k - 1)] + combinations(a[1:], k)


def compositions(n: Small):
    if n == 0:
        return [[]]
    return [[k] + rest for k in range(1, n + 1) for rest in compositions(n - k)]


def partitions_count(n: Small, k: Small):
    if n == 0:
        return 1
    if k == 0 or n < 0:
        return 0
    return partitions_count(n - k, k) + partitions_count(n, k - 1)


def subset_sum(a: Nats, target: Nat):
    if target == 0:
        return True
    if not a or target < 0:
        return False
    return subset_sum(a[1:], target - a[0]) or subset_sum(a[1:], target)


def hanoi(n: Small):
    def move(k, a, b, c):
        if k == 0:
            return []
        return move(k - 1, a, c, b) + [(a, b)] + move(k - 1, c, b, a)

    return move(n, 0, 2, 1)


def hanoi_count(n: Small):
    return 0 if n == 0 else 2 * hanoi_count(n - 1) + 1


def n_queens(n: Annotated[int, "int", 0, 5]):
    def place(queens):
        row = len(queens)
        if row == n:
            return 1
        return sum(place(queens + [c]) for c in range(n) if all(c != q and abs(c - q) != row - r for r, q in enumerate(queens)))

    return place([])


def grid_paths(h: Small, w: Small):
    if h == 0 or w == 0:
        return 1
    return grid_paths(h - 1, w) + grid_paths(h, w - 1)


def gray_rec(n: Small):
    if n == 0:
        return [""]
    rest = gray_rec(n - 1)
    return ["0" + s for s in rest] + ["1" + s for s in rest[::-1]]


def binary_strings(n: Annotated[int, "int", 0, 5]):
    if n == 0:
        return [""]
    return [s + c for s in binary_strings(n - 1) for c in "01"]


def parentheses(n: Annotated[int, "int", 0, 5]):
    def go(s, left, right):
        if right == 0:
            return [s]
        out = []
        if left > 0:
            out += go(s + "(", left - 1, right)
        if right > left:
            out += go(s + ")", left, right - 1)
        return out

    return go("", n, n)


def to_binary_rec(n: Nat):
    return str(n) if n < 2 else to_binary_rec(n // 2) + str(n % 2)


def digits_rec(n: Nat):
    return [n] if n < 10 else digits_rec(n // 10) + [n % 10]


def collatz_path(n: Pos):
    if n == 1:
        return [1]
    return [n] + collatz_path(n // 2 if n % 2 == 0 else 3 * n + 1)


def merge_rec(a: Sorted, b: Sorted):
    if not a:
        return b
    if not b:
        return a
    if a[0] <= b[0]:
        return [a[0]] + merge_rec(a[1:], b)
    return [b[0]] + merge_rec(a, b[1:])


def quickselect_rec(a: Some, k: Nat):
    k %= len(a)
    p = a[len(a) // 2]
    less = [x for x in a if x < p]
    more = [x for x in a if x > p]
    if k < len(less):
        return quickselect_rec(less, k)
    if k >= len(a) - len(more):
        return quickselect_rec(more, k - (len(a) - len(more)))
    return p


def fft_like(a: Annotated[list[float], "list1", Real]):
    n = len(a)
    if n < 2:
        return a
    even, odd = [fft_like(half) for half in (a[::2], a[1::2])]
    m = min(len(even), len(odd))
    return [even[i] + odd[i] for i in range(m)] + [even[i] - odd[i] for i in range(m)]


def knapsack_rec(w: Annotated[list[int], "short", Nat], cap: Nat):
    def best(i, room):
        if i == len(w):
            return 0
        skip = best(i + 1, room)
        if w[i] > room:
            return skip
        return max(skip, w[i] + best(i + 1, room - w[i]))

    return best(0, cap)


def lcs_rec(a: Annotated[str, "word4"], b: Annotated[str, "word4"]):
    if not a or not b:
        return ""
    if a[0] == b[0]:
        return a[0] + lcs_rec(a[1:], b[1:])
    x, y = lcs_rec(a[1:], b), lcs_rec(a, b[1:])
    return x if len(x) >= len(y) else y


def edit_rec(a: Annotated[str, "word4"], b: Annotated[str, "word4"]):
    if not a or not b:
        return len(a) + len(b)
    if a[-1] == b[-1]:
        return edit_rec(a[:-1], b[:-1])
    return 1 + min(edit_rec(a[:-1], b), edit_rec(a, b[:-1]), edit_rec(a[:-1], b[:-1]))


def mutual_counts(s: Brackets):
    def inside(i):
        if i == len(s):
            return 0
        return outside(i + 1) if s[i] == ")" else 1 + inside(i + 1)

    def outside(i):
        if i == len(s):
            return 0
        return inside(i + 1) if s[i] == "(" else outside(i + 1)

    return outside(0)


def stern_brocot(n: Small):
    if n == 0:
        return [(0, 1), (1, 0)]
    row = stern_brocot(n - 1)
    out = []
    for (a, b), (c, d) in zip(row, row[1:]):
        out.append((a, b))
        out.append((a + c, b + d))
    out.append(row[-1])
    return out


def sierpinski(n: Annotated[int, "int", 0, 3]):
    if n == 0:
        return ["*"]
    small = sierpinski(n - 1)
    space = " " * (2 ** (n - 1))
    return [space + s + space for s in small] + [s + " " + s for s in small]


def quad_areas(n: Annotated[int, "int", 0, 4], size: PosReal):
    if n == 0:
        return [size]
    return [a for _ in range(4) for a in quad_areas(n - 1, size / 4)]


def all_paths(graph: Dag):
    def go(u):
        if not graph[u]:
            return [[u]]
        return [[u] + p for v in graph[u] for p in go(v)]

    return go(0) if graph else []


def longest_path(graph: Dag):
    def depth(u):
        return 1 + max((depth(v) for v in graph[u]), default=0)

    return max((depth(u) for u in range(len(graph))), default=0)


def permutations_in_place(a: Annotated[list[int], "short", Int]):
    a = list(a)
    out = []

    def go(k):
        if k == len(a):
            out.append(a[:])
        for i in range(k, len(a)):
            a[k], a[i] = a[i], a[k]
            go(k + 1)
            a[k], a[i] = a[i], a[k]

    go(0)
    return out


def generate_squares(n: Nat):
    def gen():
        for i in range(n):
            yield i * i

    return list(gen())


def memo_fib(n: Nat):
    memo = {}

    def go(k):
        if k not in memo:
            memo[k] = k if k < 2 else go(k - 1) + go(k - 2)
        return memo[k]

    return go(n)
