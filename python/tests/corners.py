"""Corners of Python's meaning: a function and arguments for it, one case a line."""

import math

SIGNS = [(a, b) for a in (-9, -7, -1, 0, 1, 6, 7) for b in (-4, -1, 1, 2, 3, 8)]
FLOATS = [(a, b) for a in (-7.5, -1.0, -0.25, 0.0, 0.1, 1e-3, 5.5, 1e15) for b in (-3.0, -0.1, 0.1, 0.3, 2.0, 1e10)]
TEXTS = [("",), (" a b ",), ("abc",), ("ABC",), ("aB c1",), ("1234",), ("x-y z",), ("\tq\n",), ("aaa",)]
LISTS = [([],), ([3],), ([1, 2, 3],), ([5, -1, 4, 4, 0, -7, 2],)]
PLACES = [([1, 2, 3, 4, 5], i, j) for i in (-7, -5, -2, 0, 1, 4, 5, 9) for j in (-6, -1, 0, 2, 5, 8)]
ROWS = [([],), ([[]],), ([[1], [], [2, 3]],), ([[4, 5], [6, 7]],)]

CASES = [
    (lambda a, b: (a // b, a % b, divmod(a, b)), SIGNS),
    (lambda a, b: (a // b, a % b), FLOATS),
    (lambda a, b: (a + b, a - b, a * b, a / b, a < b, a == b, a <= b), SIGNS),
    (lambda a, b: (a & b, a | b, a ^ b, ~a, a >> 1, a << 3), SIGNS),
    (lambda a, b: a**2 + b**3, SIGNS),
    (lambda a, b: a ** abs(b), SIGNS),
    (lambda a, b: abs(a) ** 0.5, SIGNS),
    (lambda x, y: (round(x), round(y), int(x), int(y), math.floor(x), math.ceil(y)), FLOATS),
    (lambda x: (round(x, 1), round(x, 2), round(x, 0)), [(0.25,), (0.35,), (2.675,), (1.005,), (-1.15,), (0.5,), (1e10,), (123.456,)]),
    (lambda x: (round(x), round(-x)), [(0.5,), (1.5,), (2.5,), (2.4999,), (3.7,), (-0.5,), (0.49999999999999994,)]),
    (lambda x: f"{x:.2f}|{x:.0f}|{x:8.3f}", [(0.125,), (2.5,), (-1.005,), (99.995,), (0.0,), (12345.678,)]),
    (lambda n: f"{n}|{n:5}|{n:<5}|{n:^5}|{n:05d}", [(0,), (7,), (-42,), (123456,)]),
    (lambda s: f"[{s:>6}|{s:<6}|{s:^7}]", TEXTS),
    (lambda s: (s.upper(), s.lower(), s.swapcase(), s.title(), s.capitalize()), TEXTS),
    (lambda s: (s.isdigit(), s.isalpha(), s.isalnum(), s.isspace(), s.isupper(), s.islower()), TEXTS),
    (lambda s: (s.strip(), s.lstrip(), s.rstrip(), s.strip("ac"), s.split(), len(s.split(" "))), TEXTS),
    (lambda s: (s.find("a"), s.rfind("a"), s.count("a"), s.count("aa"), s.find(""), s.find("zz")), TEXTS),
    (lambda s: (s.replace("a", "xy"), s.replace("aa", ""), s.replace("b ", "_")), TEXTS),
    (lambda s: (s.startswith("a"), s.endswith("c"), s.startswith(("x", "1")), s.startswith("", 2)), TEXTS),
    (lambda s: (s.ljust(5, "*"), s.rjust(5), s.center(6, "."), s.center(7, "."), s.zfill(6)), TEXTS),
    (lambda s: (s * 2, s[::-1], s[1:], s[:-1], s[-2:], s + "!", len(s)), TEXTS),
    (lambda a: max(a, default=a[1]), LISTS),
    (lambda a, b: (min([b], default=a[b]), max(a, key=abs, default=a[b] * 2)), [([1, -2], 0), ([], 0), ([3], 5)]),
    (lambda s: [c for c in s if c != "a"], TEXTS),
    (lambda s: (sorted(s), sorted(set(s)), "".join(sorted(s, reverse=True))), TEXTS),
    (lambda s: ("a" in s, "ab" in s, "" in s, "z" not in s), TEXTS),
    (lambda s: (s < "abc", s <= "abc", s == "abc", s > "B", max(s, "b"), min("b", s)), TEXTS),
    (lambda s: (s.partition if False else s.removeprefix("a"), s.removesuffix("c"), s.splitlines()), TEXTS),
    (lambda s: int(s), [("12",), (" 7 ",), ("-5",), ("+3",), ("x",), ("",), ("1_0",), ("-",)]),
    (lambda s: s[0], TEXTS),
    (lambda s: [ord(c) - ord("a") for c in s], TEXTS),
    (lambda a: (a[0], a[-1]), LISTS),
    (lambda a: (sum(a), len(a), sorted(a), sorted(a, reverse=True), a[::-1]), LISTS),
    (lambda a: max(a), LISTS),
    (lambda a: min(a, key=lambda x: (abs(x), x)), LISTS),
    (lambda a: max(a, key=abs), LISTS),
    (lambda a: (max(a, default=0), min(a, default=-1)), LISTS),
    (lambda a: (any(a), all(a), any(x > 3 for x in a), all(x > -9 for x in a)), LISTS),
    (lambda a: (a[1:], a[:1], a[-1:], a[:-1], a[::2], a[1::2], a[::-2], a[5:0:-1]), LISTS),
    (lambda a: a.index(4), LISTS),
    (lambda a: (a.count(4), 4 in a, 9 not in a), LISTS),
    (lambda a: (a == [1, 2, 3], a < [2], a <= [1, 2, 3], a != []), LISTS),
    (lambda a: [x for i, x in enumerate(a) if i % 2 == 0 and x > 0], LISTS),
    (lambda a: list(zip(a, a[1:], a[2:])), LISTS),
    (lambda a: [(i, j) for i in range(len(a)) for j in range(i) if a[i] > a[j]], LISTS),
    (lambda a: [10 // x for x in a if x != 0], LISTS),
    (lambda a: [10 // x for x in a], LISTS),
    (lambda a: [x if x > 0 else -x for x in a], LISTS),
    (lambda a: [1 if x == 0 else 10 // x for x in a], LISTS),
    (lambda a: any(x != 0 and 10 // x > 2 for x in a), LISTS),
    (lambda a: (a or [7], not a, bool(a), a and [2]), LISTS),
    (lambda a: sorted(a, key=lambda x: x % 3), LISTS),
    (lambda a: sorted(a, key=lambda x: x % 3, reverse=True), LISTS),
    (lambda a: sorted([(x % 2, str(x)) for x in a]), LISTS),
    (lambda a: (list(reversed(a)), list(range(len(a), 0, -1)), list(range(0, len(a), 2))), LISTS),
    (lambda a: (a * 2, [0] * len(a), a + [1], [[0] * 2 for _ in a]), LISTS),
    (lambda a: len({x % 3 for x in a}), LISTS),
    (lambda a: {x: x * x for x in a}, LISTS),
    (lambda a: {x % 2: x for x in a}, LISTS),
    (lambda a: set(a) | {1}, LISTS),
    (lambda a: list(map(lambda x: x + 1, filter(None, a))), LISTS),
    (lambda a, i, j: (a[i:j], a[i:], a[:j]), PLACES),
    (lambda a, i, j: (a[i:j:2], a[i:j:-1], a[i::-2], a[:j:3]), PLACES),
    (lambda a, i, j: a[i] + a[j], PLACES),
    (lambda a, i, j: list(range(i, j)), PLACES),
    (lambda a, i, j: (list(range(i, j, 3)), list(range(i, j, -2)), len(range(i, j, 2))), PLACES),
    (lambda r: (sum(r, []), [len(x) for x in r], [x for y in r for x in y], sorted(r), max(r, default=[])), ROWS),
    (lambda r: [[x + 1 for x in y if x > 1] for y in r if y], ROWS),
    (lambda r: [max(y) for y in r if y], ROWS),
    (lambda r: [max(y) for y in r], ROWS),
    (lambda r: (r == [[1], [], [2, 3]], [] in r, r[::-1]), ROWS),
    (lambda r: [y[0] if y else None for y in r], ROWS),
    (lambda x: (math.sqrt(x), math.log(x), math.exp(-x), math.sin(x)), [(0.0,), (1.0,), (2.5,), (-1.0,), (1e300,)]),
    (lambda n: (math.isqrt(n), math.factorial(n % 8), math.comb(n, 2), math.gcd(n, 12)), [(0,), (1,), (15,), (16,), (10**12,), (2**52 - 1,)]),
    (lambda x, y: (math.hypot(x, y), math.atan2(x, y), math.fmod(x, y)), FLOATS),
    (lambda a, b: a < b < 5 or not a == b != 3, SIGNS),
    (lambda a, b: (a or b, a and b, a if b else 7, (a > b) + (a < b)), SIGNS),
    (lambda a, b: [a, b, a][b % 3], SIGNS),
    (lambda a, b: (lambda x, k=3: x * k)(a) + (lambda *, z: z)(z=b), SIGNS),
    (lambda n: [n if n % 2 else str(n) for _ in range(1)] if False else n, [(3,)]),
    (lambda n: n * 10**15 * 100, [(1,), (90,), (100,)]),
    (lambda n: 2**n, [(0,), (10,), (62,), (63,)]),
    (lambda n: sum([n, n, -n]), [(5,), (2**62,), (2**63 - 1,)]),
    (lambda b: (b + 1, b * 2.5, -b, b & True, b | False, sum([b, b]), str(b), int(b)), [(True,), (False,)]),
]


def nested_mutation(n):
    grid = [[0] * 3 for _ in range(n)]
    for i in range(n):
        grid[i][i % 3] = i
        grid[i][0] += 5
    return grid


def shared_rows(n):
    grid = [[0] * 3] * n
    grid[0][0] = 1
    return grid


def aliased(a):
    b = [x for x in a]
    c = b
    c.append(1)
    return b


def alias_read(a):
    b = list(a)
    c = b
    b = b + [1]
    return b, c


def row_alias(n):
    grid = [[0, 0] for _ in range(n + 1)]
    row = grid[0]
    grid[0][1] = 9
    return row, grid


def appended_then_changed(n):
    out = []
    row = []
    for i in range(n):
        row.append(i)
        out.append(row)
    return out


def appended_copies(n):
    out = []
    row = []
    for i in range(n):
        row.append(i)
        out.append(row[:])
    return out


def argument_changed(a):
    a.append(1)
    return a


def two_rows(n):
    previous = [0] * 4
    for i in range(n):
        current = [0] * 4
        for j in range(1, 4):
            current[j] = previous[j - 1] + i
        previous = current
    return previous


def swapped_rows(n):
    a, b = [0] * 3, [1] * 3
    for i in range(n):
        a[0] += b[1] + i
        a, b = b, a
    return a, b


def loop_variable_after(a):
    x = -1
    for x in a:
        if x > 2:
            break
    return x


def range_not_changed(n):
    seen = []
    for i in range(n):
        seen.append(i)
        i += 5
    return seen


def bound_is_fixed(a):
    b = list(a)
    for i in range(len(b)):
        b.append(i)
    return b


def late_binding(n):
    k = 1

    def f(x):
        return x + k

    k = 10
    return f(n)


def captured_in_loop(n):
    total = 0
    for i in range(n):
        add = lambda x, i=i: x + i
        total = add(total)
    return total


def return_in_nested_loops(n):
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return (i, j)
            if j > i:
                break
    return None


def continue_twice(a):
    out = 0
    for x in a:
        if x < 0:
            continue
        if x % 2:
            out += 1
            continue
        out += x
    return out


def while_with_else(n):
    while n > 0:
        n -= 3
        if n == 1:
            break
    else:
        n = 100
    return n


def unassigned(n):
    if n > 0:
        x = 1
    return x


def partly_assigned(n):
    if n > 3:
        x = n
    else:
        x = -1
    y = x if n else 0
    return x + y


def comprehension_scope(a):
    x = 5
    b = [x for x in a]
    return x, b


def extreme_by_hand(a):
    best = a[0]
    where = 0
    for i, x in enumerate(a):
        if x > best:
            best, where = x, i
    return best, where


def add_both(a):
    plus = minus = 0
    for x in a:
        if x > 0:
            plus += x
        else:
            minus -= x
    return plus, minus


def divide_until(a):
    for x in a:
        if x == 0:
            return -1
        if 100 % x:
            return x
    return 0


def raising(n):
    if n > 2:
        raise ValueError("large")
    return n


def pop_loop(a):
    b = a[:]
    out = []
    while b:
        x = b.pop()
        if x % 2 == 0 and b:
            out.append(b.pop(0))
        out.append(x)
    return out


def dict_loop(a):
    d = {}
    for x in a:
        if x in d:
            d[x] += 1
        else:
            d[x] = 1
    return d, [k for k in d if d[k] > 1], sum(d.values())


def string_building(n):
    s = ""
    for i in range(n):
        s = s + str(i) if i % 2 else str(i) + s
    return s


def mixed_numbers(n):
    x = 0
    for i in range(n):
        x += i / 2
    return x


def floats_and_ints(n):
    return [1, 2.5, n], max(n, 2.5), (n if n > 2 else 0.5)


def lambda_is_late(n):
    k = 1
    f = lambda x: x + k
    k = 10
    return f(n)


def comprehension_does_not_reach_in(a):
    x = 100
    f = lambda y: y + x
    return [f(x) for x in a], f(1)


def hidden_name(n):
    k = 3

    def g():
        return k

    def f():
        k = 5
        return g() + k

    return f() + n


def shared_append(n):
    rows = [[]] * n
    for i in range(n):
        rows[i].append(i)
    return rows


def owned_append(n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i // 2].append(i)
        rows[0] += [i, i]
    return rows


def wrapped(a):
    return [a]


def alias_by_call(n):
    a = [n]
    b = wrapped(a)
    a.append(1)
    return b


def changed_ahead(a):
    b = list(a)
    out = []
    for i, x in enumerate(b):
        out.append(x)
        if i + 1 < len(b):
            b[i + 1] = x + 1
    return out


def changed_here(a):
    b = list(a)
    for i, x in enumerate(b):
        b[i] = x * 2 + b[i - 1]
    return b


def two_names(n):
    a = b = [n]
    a.append(1)
    return b


def list_in_tuple(n):
    a = [n]
    t = (a, 1)
    a.append(2)
    return t


def removed_while_looping(a):
    b = list(a)
    for x in b:
        if x < 0:
            b.remove(x)
    return b


def py_add(n):
    return n + 1


def helper_by_name(n):
    return py_add(n)


def dict_of_rows(a):
    d = {}
    for x in a:
        if x % 2 not in d:
            d[x % 2] = []
        d[x % 2].append(x)
    return d


def nested_break(rows):
    found = []
    for row in rows:
        for x in row:
            if x > 5:
                break
            found.append(x)
        else:
            found.append(-1)
    return found


def several_accumulators(a):
    small, large, count, top = [], [], 0, -100
    for i, x in enumerate(a):
        y = x * x
        if y < 10:
            small.append(y)
        else:
            large.append((i, y))
            count += i
        top = max(top, y - i)
    return small, large, count, top


def sum_of_two(rows):
    total = 0
    text = ""
    for row in rows:
        total += len(row)
        for x in row:
            total += x
            text += str(x)
    return total, text


def lengths_shared_on_one_side(a):
    """Two results have one length in the first branch, and two in the second."""
    if len(a) > 2:
        return [1 for x in a], a, [[x] for x in a]
    return [2 for x in a + a], a, [[x, x] for x in a[1:]]


def lengths_shared_across_kinds(a):
    if len(a) > 1:
        return [[x] for x in a], [x / 2 for x in a]
    return [a, a, a], [0.5]


ONE = [(0,), (1,), (2,), (3,), (4,), (7,)]
FUNCTIONS = [
    (nested_mutation, ONE), (shared_rows, ONE), (aliased, LISTS), (alias_read, LISTS), (row_alias, ONE), (appended_then_changed, ONE),
    (appended_copies, ONE), (argument_changed, LISTS), (two_rows, ONE), (swapped_rows, ONE), (loop_variable_after, LISTS),
    (range_not_changed, ONE), (bound_is_fixed, LISTS), (late_binding, ONE), (captured_in_loop, ONE), (return_in_nested_loops, ONE),
    (continue_twice, LISTS), (while_with_else, ONE), (unassigned, ONE), (partly_assigned, ONE), (comprehension_scope, LISTS),
    (extreme_by_hand, LISTS), (add_both, LISTS), (divide_until, LISTS), (raising, ONE), (pop_loop, LISTS), (dict_loop, LISTS),
    (lambda_is_late, ONE), (comprehension_does_not_reach_in, LISTS), (hidden_name, ONE), (shared_append, ONE), (owned_append, ONE[1:]),
    (alias_by_call, ONE), (changed_ahead, LISTS), (changed_here, LISTS), (two_names, ONE), (list_in_tuple, ONE), (removed_while_looping, LISTS),
    (helper_by_name, ONE), (dict_of_rows, LISTS), (nested_break, ROWS), (several_accumulators, LISTS), (sum_of_two, ROWS), (string_building, ONE), (mixed_numbers, ONE), (floats_and_ints, ONE),
    (lengths_shared_on_one_side, LISTS), (lengths_shared_across_kinds, LISTS),
]  # fmt: skip
REFUSED = {"hidden_name", "shared_append", "alias_by_call", "changed_ahead", "two_names", "list_in_tuple", "removed_while_looping", "shared_rows", "aliased", "row_alias", "appended_then_changed", "argument_changed", "unassigned"}
