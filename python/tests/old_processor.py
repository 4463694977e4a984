"""The trial of `python/wheel`, also on a processor without AVX: kernels of several kinds, all of them compiled, with results that Python finds too."""

from __future__ import annotations

import math

import nestled as nd


@nd.fn
def quicksort(a):
    if len(a) < 2:
        return a
    p = a[len(a) // 2]
    less, more = [quicksort(v) for v in [[x for x in a if x < p], [x for x in a if x > p]]]
    return less + [x for x in a if x == p] + more


numbers = [(k * 7919 + 13) % 1009 for k in range(1000)]
x = nd.asarray([float(k) for k in numbers])
assert nd.sort(x).tolist() == sorted(map(float, numbers))
assert math.isclose(nd.sum(nd.sqrt(x * x + 1.0)).item(), math.fsum(math.sqrt(k * k + 1.0) for k in numbers), rel_tol=1e-12)
assert nd.cumulative_sum(x).tolist()[-1] == float(sum(numbers))
m = nd.reshape(x[:900], (30, 30))
assert (m @ m)[3, 4].item() == sum(float(numbers[90 + k] * numbers[30 * k + 4]) for k in range(30))
rows = nd.Nested.from_iter([numbers[: k % 5] for k in range(200)])
assert rows.sum(axis=-1).to_list() == [sum(numbers[: k % 5]) for k in range(200)]
assert quicksort(numbers) == sorted(numbers)
print("all results are right on", nd.devices()[0])
