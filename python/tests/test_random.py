"""Random numbers: judged by integers of Python's, by their distributions, and by another device, which draws the same."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

import nestled as nd
from nestled import random

REFERENCE = nd.Engine(os.environ.get("NESTLED_TEST_DEVICE", "reference"))


def chi_squared(counts, wanted):
    """The number of standard deviations that the sum of squares is above its mean."""
    wanted = np.asarray(wanted, float)
    kept = wanted > 0
    assert (np.asarray(counts)[~kept] == 0).all()
    found = ((np.asarray(counts)[kept] - wanted[kept]) ** 2 / wanted[kept]).sum()
    freedom = kept.sum() - 1
    return (found - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize(
    "low, high",
    [(0, 1), (0, 2), (-3, 4), (5, 5 + 2**32), (-(2**40), 2**40 + 7), (-(2**63), 2**63 - 1), (-(2**63), 2**63), (0, 3**33), (2**63 - 2, 2**63)],
)
def test_integers_are_the_upper_half_of_a_product(low, high):
    bits = random.integers(0, 2**64, 50, seed=11, dtype="uint64").tolist()
    wanted = [low + (one * (high - low) >> 64) for one in bits]
    assert random.integers(low, high, 50, seed=11).tolist() == wanted
    with REFERENCE:
        assert random.integers(low, high - 1, 50, seed=11, endpoint=True).tolist() == wanted


def test_integers_have_types_and_shapes():
    x = random.integers(200, 256, (3, 4), seed=1, dtype="uint8")
    assert x.dtype == nd.uint8 and x.shape == (3, 4) and nd.min(x).item() >= 200
    assert random.integers(7, seed=1).shape == () and random.integers(7, size=0, seed=1).tolist() == []
    most = random.integers(2**64 - 3, 2**64, 60, seed=2, dtype="uint64").tolist()
    assert set(most) == {2**64 - 3, 2**64 - 2, 2**64 - 1}
    assert random.integers(-128, 127, 5, seed=2, dtype="int8", endpoint=True).dtype == nd.int8
    for wrong in [(5, 5), (5, 4), (0,)]:
        with pytest.raises(ValueError, match="no integer"):
            random.integers(*wrong, size=3, seed=1)
    with pytest.raises(ValueError, match="uint8"):
        random.integers(0, 257, 3, seed=1, dtype="uint8")
    with pytest.raises(ValueError, match="int64"):
        random.integers(0, 2**64, 3, seed=1)
    with pytest.raises(TypeError, match="float64"):
        random.integers(0, 3, 3, seed=1, dtype="float64")


def test_distributions():
    dice = random.integers(1, 7, 60_000, seed=3).numpy()
    assert abs(chi_squared(np.bincount(dice, minlength=7), [0] + [10_000] * 6)) < 5
    u = random.uniform(60_000, seed=4, low=-2, high=6).numpy()
    assert -2 <= u.min() and u.max() < 6 and abs(chi_squared(np.histogram(u, 8, (-2, 6))[0], [7500] * 8)) < 5
    n = random.normal(60_000, seed=5, loc=3, scale=2).numpy()
    assert abs(n.mean() - 3) < 0.05 and abs(n.std() - 2) < 0.03
    e = random.exponential(60_000, seed=6, scale=2).numpy()
    assert e.min() >= 0 and np.isfinite(e).all() and abs(e.mean() - 2) < 0.05 and abs(e.std() - 2) < 0.1
    assert random.exponential(3, seed=1, dtype="float32").dtype == nd.float32
    p = [0.1, 0.0, 0.6, 0.3]
    c = random.choice(4, 60_000, p=p, seed=7).numpy()
    assert abs(chi_squared(np.bincount(c, minlength=4), np.multiply(p, 60_000))) < 5


def test_choices():
    values = np.array([10.0, 20.0, 30.0])
    x = random.choice(values, (4, 5), seed=1)
    assert x.shape == (4, 5) and set(x.numpy().ravel()) <= set(values)
    assert (random.choice(3, 20, seed=1).numpy() * 10 + 10 == random.choice(values, 20, seed=1).numpy()).all()
    rows = np.arange(12).reshape(3, 4)
    assert random.choice(rows, 2, seed=3, axis=1).shape == (3, 2) and random.choice(rows, (5, 2), seed=3).shape == (5, 2, 4)
    assert sorted(random.choice(50, 50, replace=False, seed=2).tolist()) == list(range(50))
    assert len(set(random.choice(50, 20, replace=False, seed=2).tolist())) == 20
    assert random.choice(5, seed=1).shape == () and random.choice(5, 0, seed=1).tolist() == []
    assert random.choice(0, 0, seed=1).tolist() == []
    with pytest.raises(ValueError, match="nothing to choose"):
        random.choice(0, 1, seed=1)
    with pytest.raises(ValueError, match="without replacement"):
        random.choice(3, 4, replace=False, seed=1)
    with pytest.raises(ValueError, match="sum is 1"):
        random.choice(2, 4, p=[0.5, 0.6], seed=1)
    with pytest.raises(ValueError, match="sum is 1"):
        random.choice(2, 4, p=[-0.5, 1.5], seed=1)
    with pytest.raises(ValueError, match="shape"):
        random.choice(2, 4, p=[1.0], seed=1)
    with pytest.raises(ValueError, match="have a probability"):
        random.choice(3, 3, replace=False, p=[0.5, 0.5, 0], seed=1)


def test_choices_without_replacement_are_as_likely_as_drawn_one_by_one():
    p = np.array([0.5, 0.3, 0.2, 0.0])
    pairs = np.zeros((4, 4))
    for seed in range(600):
        one, other = random.choice(4, 2, replace=False, p=p, seed=seed).tolist()
        pairs[one, other] += 1
    wanted = np.array([[0 if i == j else p[i] * p[j] / (1 - p[i]) for j in range(4)] for i in range(4)])
    assert abs(chi_squared(pairs.ravel(), wanted.ravel() * 600)) < 5


def test_permutations():
    assert sorted(random.permutation(30, seed=1).tolist()) == list(range(30))
    x = np.arange(12).reshape(3, 4)
    order = random.permutation(4, seed=5).numpy()
    np.testing.assert_array_equal(random.permutation(nd.asarray(x), seed=5, axis=1).numpy(), x[:, order])
    assert random.permutation(0, seed=1).tolist() == []
    with pytest.raises(ValueError):
        random.permutation(-1, seed=1)


def test_another_device_draws_the_same():
    def drawn():
        return [
            random.integers(-5, 10**12, 40, seed=8).tolist(),
            random.choice([1.5, 2.5, 3.5], 40, p=[0.2, 0.3, 0.5], seed=8).tolist(),
            random.choice(40, 10, replace=False, seed=8).tolist(),
            random.permutation(40, seed=8).tolist(),
        ]

    ours = drawn()
    with REFERENCE:
        assert drawn() == ours
