"""Linear algebra: by what defines a decomposition, and by NumPy for what is one number."""

import math

import numpy as np
import pytest

import nestled as nd

SHAPES = [(1, 1), (3, 3), (2, 4, 4), (2, 1, 5, 5)]
WIDE = [(2, 3), (4, 2), (2, 3, 5), (1, 1), (3, 0), (0, 2, 2)]


def noise(shape, dtype="float64", seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def near(found, theirs, tolerance=1e-10):
    found, theirs = np.asarray(found), np.asarray(theirs)
    assert found.shape == theirs.shape
    tolerance = 1e-3 if found.dtype == "float32" else tolerance
    np.testing.assert_allclose(found, theirs, rtol=tolerance, atol=tolerance)


def swapped(x):
    return np.swapaxes(np.asarray(x), -1, -2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_square(shape, dtype):
    x = noise(shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
    ours, unit = nd.asarray(x), np.broadcast_to(np.eye(shape[-1]), shape)
    assert nd.linalg.inv(ours).dtype == dtype
    near(ours @ nd.linalg.inv(ours), unit)
    b = noise((*shape[:-1], 2), dtype, 1)
    near(ours @ nd.linalg.solve(ours, b), b)
    vector = noise(shape[-1], dtype, 2)
    near((ours @ nd.linalg.solve(ours, vector)[..., None])[..., 0], np.broadcast_to(vector, shape[:-1]))
    near(nd.linalg.det(ours), np.linalg.det(x))
    sign, logarithm = nd.linalg.slogdet(ours)
    near(np.asarray(sign) * np.exp(np.asarray(logarithm)), np.linalg.det(x))
    positive = ours @ nd.matrix_transpose(ours)
    lower = nd.linalg.cholesky(positive)
    near(lower @ nd.matrix_transpose(lower), positive)
    np.testing.assert_array_equal(np.triu(np.asarray(lower), 1), 0)
    near(nd.linalg.cholesky(positive, upper=True), swapped(lower))
    values, vectors = nd.linalg.eigh(positive)
    near(positive @ vectors, np.asarray(vectors) * np.asarray(values)[..., None, :])
    near(nd.linalg.eigvalsh(positive), values)
    for n in (0, 1, 2, 5, -2):
        near(nd.linalg.matrix_power(ours, n), np.linalg.matrix_power(x.astype("float64"), n), 1e-6) if dtype == "float64" else None


@pytest.mark.parametrize("shape", WIDE)
def test_any_matrix(shape):
    x = noise(shape)
    ours = nd.asarray(x)
    for mode in ("reduced", "complete"):
        q, r = nd.linalg.qr(ours, mode=mode)
        near(q @ r, x)
        near(swapped(q) @ np.asarray(q), np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])))
        np.testing.assert_array_equal(np.tril(np.asarray(r), -1), 0)
    u, s, vh = nd.linalg.svd(ours, full_matrices=False)
    near(np.asarray(u) * np.asarray(s)[..., None, :] @ np.asarray(vh), x)
    assert nd.linalg.svd(ours).U.shape == (*shape[:-1], shape[-2])
    near(nd.linalg.svdvals(ours), s)
    near(nd.linalg.pinv(ours), np.linalg.pinv(x))
    near(nd.linalg.matrix_rank(ours), np.linalg.matrix_rank(x))


def test_rank_of_what_depends():
    x = np.outer([1.0, 2, 3], [4.0, 5, 6])
    assert nd.linalg.matrix_rank(x).item() == 1
    assert nd.linalg.matrix_rank(np.zeros((3, 3))).item() == 0
    near(nd.linalg.pinv(x), np.linalg.pinv(x))
    near(nd.linalg.matrix_rank(np.diag([1.0, 0.1, 0.01]), rtol=0.05), 2)


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices(ord, keepdims):
    x = noise((2, 3, 4))
    near(nd.linalg.matrix_norm(x, ord=ord, keepdims=keepdims), np.linalg.matrix_norm(x, ord=ord, keepdims=keepdims))


@pytest.mark.parametrize("ord", [0, 1, 2, 3, -1, 0.5, math.inf, -math.inf])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_norms_of_vectors(ord, axis):
    x = noise((2, 3, 4))
    for keepdims in (False, True):
        found = nd.linalg.vector_norm(x, ord=ord, axis=axis, keepdims=keepdims)
        near(found, np.linalg.vector_norm(x, ord=ord, axis=axis, keepdims=keepdims))


def test_products_and_diagonals():
    x, y = noise((2, 3)), noise((2, 3), seed=1)
    near(nd.linalg.cross(x, y), np.cross(x, y))
    near(nd.linalg.cross(x.T.copy(), y.T.copy(), axis=0), np.cross(x.T, y.T, axis=0))
    near(nd.linalg.cross(x[0], y), np.cross(x[0], y))
    near(nd.linalg.outer([1.0, 2], [3.0, 4, 5]), np.outer([1.0, 2], [3.0, 4, 5]))
    z = noise((2, 3, 4))
    for offset in range(-4, 6):
        near(nd.linalg.diagonal(z, offset=offset), np.linalg.diagonal(z, offset=offset))
        near(nd.linalg.trace(z, offset=offset), np.linalg.trace(z, offset=offset))
    assert nd.linalg.trace(nd.eye(3, dtype="int8")).dtype == nd.int64
    near(nd.linalg.vecdot(x, y), np.linalg.vecdot(x, y))
    near(nd.linalg.tensordot(z, z, axes=((0, 2), (0, 2))), np.linalg.tensordot(z, z, axes=((0, 2), (0, 2))))


def test_integers_and_half_floats():
    near(nd.linalg.inv([[2, 0], [0, 4]]), [[0.5, 0], [0, 0.25]])
    found = nd.linalg.inv(nd.asarray([[2, 0], [0, 4]], dtype="float16"))
    assert found.dtype == nd.float16 and found.tolist() == [[0.5, 0], [0, 0.25]]
    assert nd.linalg.matrix_power(nd.asarray([[1, 1], [1, 0]]), 10).tolist() == [[89, 55], [55, 34]]


def test_errors():
    with pytest.raises(np.linalg.LinAlgError):
        nd.linalg.inv(np.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        nd.linalg.cholesky(-np.eye(2))
    with pytest.raises(np.linalg.LinAlgError):
        nd.linalg.svd([[np.nan, 1.0], [2.0, 3.0]])
    square = ["cholesky", "det", "slogdet", "inv", "eigh", "eigvalsh"]
    for name in square:
        with pytest.raises(ValueError, match="square"):
            getattr(nd.linalg, name)(np.zeros((2, 3)))
    for name in [*square, "qr", "svd", "svdvals", "pinv", "matrix_rank", "diagonal", "matrix_norm"]:
        with pytest.raises(ValueError):
            getattr(nd.linalg, name)(np.zeros(3))
    with pytest.raises(ValueError):
        nd.linalg.solve(np.eye(2), np.zeros(3))
    with pytest.raises(ValueError):
        nd.linalg.cross(np.zeros(2), np.zeros(2))
    for name in ("eig", "eigvals"):
        with pytest.raises(NotImplementedError, match="eigh|eigvalsh"):
            getattr(nd.linalg, name)(np.eye(2))
