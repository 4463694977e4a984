"""The programs of `examples/peers` on small inputs; `examples/peers/run.py` checks all of them on those of the comparison."""

import pathlib
import sys

import numpy as np

import nestled as nd

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "examples" / "peers"))
import images  # noqa: E402
import nested  # noqa: E402


def test_life():
    world = np.zeros((5, 6), dtype=np.float32)
    world[1, 1:4] = 1
    turned = np.asarray(images.life(nd.asarray(world)))
    assert turned[0:3, 2].tolist() == [1, 1, 1] and turned.sum() == 3


def test_blur():
    flat = np.asarray(images.gauss(nd.ones((4, 5), dtype=nd.float32), 2, 1))
    np.testing.assert_allclose(flat, np.ones((4, 5)), rtol=1e-6)


def test_recursion():
    numbers = np.random.default_rng(1).integers(0, 20, 50)
    assert nested.quicksort(numbers) == sorted(numbers.tolist())
    angles = np.linspace(0, 6, 7)
    x, y = np.append(np.cos(angles), [0.1, 0.2]), np.append(np.sin(angles), [0.1, -0.1])
    assert sorted(nested.quickhull(x, y)) == list(range(7))


def test_hull_of_many():
    # So many that a sample is looked at first.
    numbers = np.random.default_rng(2)
    angles, far = numbers.uniform(0, 2 * np.pi, 100_000), np.sqrt(numbers.uniform(0, 1, 100_000))
    x, y = (nd.asarray((far * wave(angles)).astype(np.float32)) for wave in (np.cos, np.sin))
    assert sorted(nested.hull(x, y).tolist()) == sorted(nested.quickhull.on_device(x, y).tolist())


def test_mandelbrot():
    def steps(c):
        z, k = 0, 0
        while k < 255 and abs(z) <= 2:
            z, k = z * z + c, k + 1
        return k

    grid = [[steps(complex(-2 + 2.5 / 8 * column, -1.25 + 2.5 / 8 * row)) for column in range(8)] for row in range(8)]
    assert nested.mandelbrot(8).tolist() == grid


def test_sparse_and_segments():
    import impl_nestled

    values, columns = nd.asarray([1.0, 2.0, 4.0], dtype=nd.float32), nd.asarray([2, 0, 2], dtype=nd.int32)
    entries = impl_nestled.in_rows(values, nd.asarray([0, 2, 2, 3], dtype=nd.int32))
    assert impl_nestled.multiply(entries, columns, nd.asarray([10.0, 20.0, 30.0], dtype=nd.float32)).tolist() == [50.0, 0.0, 120.0]


def test_forces():
    x, y, mass = np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.5, 2.0]), np.array([1.0, 2.0, 3.0])
    pulls = nested.all_pairs(*map(nd.asarray, (x, y, mass)), 1e-4)
    for pull, other in zip(pulls, nested.barnes_hut(x, y, mass)):
        np.testing.assert_allclose(np.asarray(pull), np.asarray(other), rtol=0.05)
