"""Classic algorithms: sorting, searching, dynamic programming, graphs."""

from .kinds import *


def quicksort(a: Ints):
    if len(a) < 2:
        return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
    return less + [x for x in a if x == p] + more


def merge(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return out


def merge_sort(a: Ints):
    if len(a) <= 1:
        return a
    mid = len(a) // 2
    return merge(merge_sort(a[:mid]), merge_sort(a[mid:]))


def insertion_sort(a: Ints):
    a = list(a)
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


def bubble_sort(a: Ints):
    a = a[:]
    n = len(a)
    swapped = True
    while swapped:
        swapped = False
        for i in range(1, n):
            if a[i - 1] > a[i]:
                a[i - 1], a[i] = a[i], a[i - 1]
                swapped = True
    return a


def selection_sort(a: Ints):
    a = list(a)
    for i in range(len(a)):
        m = i
        for j in range(i + 1, len(a)):
            if a[j] < a[m]:
                m = j
        a[i], a[m] = a[m], a[i]
    return a


def counting_sort(a: Nats):
    counts = [0] * 31
    for x in a:
        counts[x] += 1
    return [v for v in range(31) for _ in range(counts[v])]


def radix_sort(a: Nats):
    for bit in range(5):
        a = [x for x in a if not x >> bit & 1] + [x for x in a if x >> bit & 1]
    return a


def shell_sort(a: Ints):
    a = a.copy()
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            x = a[i]
            j = i
            while j >= gap and a[j - gap] > x:
                a[j] = a[j - gap]
                j -= gap
            a[j] = x
        gap //= 2
    return a


def heapify_sort(a: Ints):
    a = list(a)
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        i = start
        while 2 * i + 1 < n:
            c = 2 * i + 1
            if c + 1 < n and a[c + 1] > a[c]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = a[c], a[i]
            i = c
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        i = 0
        while 2 * i + 1 < end:
            c = 2 * i + 1
            if c + 1 < end and a[c + 1] > a[c]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = a[c], a[i]
            i = c
    return a


def binary_search(a: Sorted, x: Int):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def contains_sorted(a: Sorted, x: Int):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == x:
            return True
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return False


def quickselect(a: Some, k: Nat):
    k = k % len(a)
    while True:
        p = a[len(a) // 2]
        less = [x for x in a if x < p]
        equal = [x for x in a if x == p]
        if k < len(less):
            a = less
        elif k < len(less) + len(equal):
            return p
        else:
            k -= len(less) + len(equal)
            a = [x for x in a if x > p]


def kadane_range(a: Some):
    best, start, best_start, best_end, current = a[0], 0, 0, 1, 0
    for i, x in enumerate(a):
        current += x
        if current > best:
            best, best_start, best_end = current, start, i + 1
        if current < 0:
            current, start = 0, i + 1
    return best, best_start, best_end


def lis_length(a: Ints):
    tails = []
    for x in a:
        lo, hi = 0, len(tails)
        while lo < hi:
            mid = (lo + hi) // 2
            if tails[mid] < x:
                lo = mid + 1
            else:
                hi = mid
        if lo == len(tails):
            tails.append(x)
        else:
            tails[lo] = x
    return len(tails)


def lis_quadratic(a: Ints):
    best = [1] * len(a)
    for i in range(len(a)):
        for j in range(i):
            if a[j] < a[i]:
                best[i] = max(best[i], best[j] + 1)
    return max(best, default=0)


def edit_distance(a: Word, b: Word):
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        corner = row[0]
        row[0] = i + 1
        for j in range(1, len(b) + 1):
            above = row[j]
            row[j] = min(corner + (a[i] != b[j - 1]), above + 1, row[j - 1] + 1)
            corner = above
    return row[-1]


def lcs_length(a: Word, b: Word):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if x == y:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def knapsack(weights: Nats, capacity: Nat):
    best = [0] * (capacity + 1)
    for w in weights:
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + w)
    return best[capacity]


def coin_ways(total: Nat):
    ways = [1] + [0] * total
    for coin in (1, 2, 5, 10):
        for t in range(coin, total + 1):
            ways[t] += ways[t - coin]
    return ways[total]


def fewest_coins(coins: Nats, total: Nat):
    best = [0] + [10**6] * total
    for t in range(1, total + 1):
        for c in coins:
            if 0 < c <= t:
                best[t] = min(best[t], best[t - c] + 1)
    return best[total] if best[total] < 10**6 else -1


def matrix_chain(p: Nats):
    n = len(p) - 1
    if n < 1:
        return 0
    cost = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = min(cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))
    return cost[0][n - 1]


def merge_intervals(intervals: Intervals):
    out = []
    for a, b in sorted(intervals):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


def max_overlap(intervals: Intervals):
    return max((sum(1 for a, b in intervals if a <= x <= b) for x, _ in intervals), default=0)


def activity_selection(intervals: Intervals):
    chosen = 0
    end = -1000
    for a, b in sorted(intervals, key=lambda p: p[1]):
        if a > end:
            chosen += 1
            end = b
    return chosen


def convex_hull(points: Points):
    points = sorted(points)
    hull = []
    for p in points:
        while len(hull) >= 2 and (hull[-1][0] - hull[-2][0]) * (p[1] - hull[-2][1]) - (hull[-1][1] - hull[-2][1]) * (p[0] - hull[-2][0]) <= 0:
            hull.pop()
        hull.append(p)
    return hull


def closest_pair(points: Points):
    best = float("inf")
    for i in range(len(points)):
        for j in range(i):
            dx = points[i][0] - points[j][0]
            dy = points[i][1] - points[j][1]
            best = min(best, dx * dx + dy * dy)
    return best


def flood_count(grid: Grid):
    h = len(grid)
    w = len(grid[0]) if grid else 0
    seen = [[False] * w for _ in range(h)]
    count = 0
    for y in range(h):
        for x in range(w):
            if grid[y][x] > 0 and not seen[y][x]:
                count += 1
                stack = [(y, x)]
                seen[y][x] = True
                while stack:
                    i, j = stack.pop()
                    for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                        if 0 <= a < h and 0 <= b < w and grid[a][b] > 0 and not seen[a][b]:
                            seen[a][b] = True
                            stack.append((a, b))
    return count


def path_sum_grid(grid: Grid):
    if not grid or not grid[0]:
        return 0
    row = [0] * len(grid[0])
    for i, line in enumerate(grid):
        for j, x in enumerate(line):
            if i == 0 and j == 0:
                row[j] = x
            elif i == 0:
                row[j] = row[j - 1] + x
            elif j == 0:
                row[j] = row[j] + x
            else:
                row[j] = min(row[j], row[j - 1]) + x
    return row[-1]


def boyer_moore_vote(a: Ints):
    x = None
    n = 0
    for y in a:
        if n == 0:
            x = y
        n += 1 if x == y else -1
    return x


def gray_code(n: Small):
    codes = [0]
    for i in range(n):
        codes = codes + [c | 1 << i for c in reversed(codes)]
    return codes


def next_permutation(a: Ints):
    a = list(a)
    i = len(a) - 2
    while i >= 0 and a[i] >= a[i + 1]:
        i -= 1
    if i < 0:
        return sorted(a)
    j = len(a) - 1
    while a[j] <= a[i]:
        j -= 1
    a[i], a[j] = a[j], a[i]
    return a[: i + 1] + a[i + 1 :][::-1]


def two_sum_sorted(a: Sorted, target: Int):
    i, j = 0, len(a) - 1
    while i < j:
        s = a[i] + a[j]
        if s == target:
            return (i, j)
        if s < target:
            i += 1
        else:
            j -= 1
    return None


def dutch_flag(a: Nats):
    a = [x % 3 for x in a]
    lo, mid, hi = 0, 0, len(a) - 1
    while mid <= hi:
        if a[mid] == 0:
            a[lo], a[mid] = a[mid], a[lo]
            lo += 1
            mid += 1
        elif a[mid] == 1:
            mid += 1
        else:
            a[mid], a[hi] = a[hi], a[mid]
            hi -= 1
    return a
