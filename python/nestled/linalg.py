"""Linear algebra: the extension `linalg` of the array API standard, for matrices and batches of them.

Products, norms, diagonals are lazy, as other operations are. Decompositions and solutions (`cholesky`, `solve`, `qr`, `svd`, `eigh` and what is made of them) are computed at once, on the host, by
NumPy's LAPACK, in `float32` or `float64`; a matrix without one is a `numpy.linalg.LinAlgError`, which is a `ValueError`. Complex numbers are not there, so `eig` is refused.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

from . import _dtypes
from . import _nestled as _n
from ._common import Axis, as_array, axes_of, axis_of, cast, dtype as type_of, keep_axes
from ._dtypes import DType, common, dtype_of
from ._linalg import matmul, matrix_transpose, tensordot, vecdot
from ._nestled import Array
from ._statistics import _floats, _reduced, max as _max, min as _min, sum as _sum


class EighResult(NamedTuple):
    """The eigenvalues, which rise, and the eigenvectors, which are columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Orthonormal columns, and a matrix of zeros below its diagonal."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its magnitude."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors as columns, the singular values, which fall, and right singular vectors as rows."""

    U: Array
    S: Array
    Vh: Array


def _matrices(given: Any, name: str, *, square: bool = False) -> Array:
    """Matrices of floats; integers become `float64`."""
    x: Array = _floats(given)
    if x.ndim < 2:
        raise ValueError(f"{name}() is of matrices: an array of {x.ndim} axes is none")
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}() is of square matrices, not of {x.shape[-2]} by {x.shape[-1]}")
    return x


def _on_host(name: str, given: list[Array], **options: Any) -> Any:
    """The result of a function of NumPy's. It has no floats of 16 bits: 32 hold them."""
    import numpy

    arrays = [numpy.asarray(_n.cast(x, "float32") if x._dtype == "float16" else x) for x in given]
    return getattr(numpy.linalg, name)(*arrays, **options)


def _back(found: Any, of: DType) -> Array:
    import numpy

    return cast(as_array(numpy.ascontiguousarray(found).reshape(numpy.shape(found))), of)


def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """The lower (or upper) triangle whose product with its transpose is a symmetric matrix. Reads its lower triangle, or the upper one."""
    x = _matrices(x, "cholesky", square=True)
    made = _back(_on_host("cholesky", [matrix_transpose(x) if upper else x]), type_of(x))
    return matrix_transpose(made) if upper else made


def det(x: Any, /) -> Array:
    """The determinant."""
    x = _matrices(x, "det", square=True)
    return _back(_on_host("det", [x]), type_of(x))


def slogdet(x: Any, /) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its magnitude, which does not overflow."""
    x = _matrices(x, "slogdet", square=True)
    sign, logarithm = _on_host("slogdet", [x])
    return SlogdetResult(_back(sign, type_of(x)), _back(logarithm, type_of(x)))


def inv(x: Any, /) -> Array:
    """The inverse."""
    x = _matrices(x, "inv", square=True)
    return _back(_on_host("inv", [x]), type_of(x))


def solve(x1: Any, x2: Any, /) -> Array:
    """What, multiplied by the matrix `x1`, gives `x2`: a vector if it has one axis, and otherwise matrices."""
    x1 = _matrices(x1, "solve", square=True)
    x2 = _floats(x2)
    if x2.ndim == 0 or x2.shape[0 if x2.ndim == 1 else -2] != x1.shape[-1]:
        raise ValueError(f"matrices of shape {x1.shape} and right sides of shape {x2.shape} do not go together")
    of = common([type_of(x1), type_of(x2)])
    if x2.ndim > 1:
        return _back(_on_host("solve", [cast(x1, of), cast(x2, of)]), of)
    found = _on_host("solve", [cast(x1, of), _n.add_axis(cast(x2, of), 1)])
    return _back(found[..., 0], of)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Orthonormal columns and an upper triangle, whose product the matrix is; with `mode="complete"` as many columns as rows."""
    if mode not in ("reduced", "complete"):
        raise ValueError("the mode of qr() is 'reduced' or 'complete'")
    x = _matrices(x, "qr")
    q, r = _on_host("qr", [x], mode=mode)
    return QRResult(_back(q, type_of(x)), _back(r, type_of(x)))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular values and vectors; with `full_matrices=False` no more vectors than values."""
    x = _matrices(x, "svd")
    u, s, vh = _on_host("svd", [x], full_matrices=full_matrices)
    return SVDResult(_back(u, type_of(x)), _back(s, type_of(x)), _back(vh, type_of(x)))


def svdvals(x: Any, /) -> Array:
    """The singular values, which fall."""
    x = _matrices(x, "svdvals")
    return _back(_on_host("svd", [x], compute_uv=False), type_of(x))


def eigh(x: Any, /) -> EighResult:
    """The eigenvalues and eigenvectors of a symmetric matrix, of which the lower triangle is read."""
    x = _matrices(x, "eigh", square=True)
    values, vectors = _on_host("eigh", [x])
    return EighResult(_back(values, type_of(x)), _back(vectors, type_of(x)))


def eigvalsh(x: Any, /) -> Array:
    """The eigenvalues of a symmetric matrix, of which the lower triangle is read."""
    x = _matrices(x, "eigvalsh", square=True)
    return _back(_on_host("eigvalsh", [x]), type_of(x))


def _refused(name: str, instead: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}() has complex results, and arrays have no complex numbers: {instead} is for symmetric matrices, numpy.linalg.{name}(numpy.asarray(x)) for others"
    )


def eig(x: Any, /) -> NoReturn:
    """Refused: the eigenvalues of a matrix that is not symmetric are complex."""
    _refused("eig", "eigh()")


def eigvals(x: Any, /) -> NoReturn:
    """Refused: the eigenvalues of a matrix that is not symmetric are complex."""
    _refused("eigvals", "eigvalsh()")


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Array:
    """How many singular values are greater than `rtol` times the greatest; by default what roundings leave of 0."""
    x = _matrices(x, "matrix_rank")
    values = svdvals(x)
    if values.shape[-1] == 0:
        return _n.full(list(values.shape[:-1]), 0, "int64")
    if rtol is None:
        rtol = max(x.shape[-2:]) * _dtypes.finfo(type_of(values)).eps
    limit = _n.binary("multiply", _max(values, axis=-1, keepdims=True), _beside(rtol, values))
    return _n.reduce("sum", _n.cast(_n.binary("greater", values, limit), "int64"), [values.ndim - 1])


def _beside(rtol: Any, values: Array) -> Any:
    """A tolerance, or one for each matrix, beside the singular values."""
    if isinstance(rtol, (int, float)):
        return float(rtol)
    found = cast(as_array(rtol), type_of(values))
    return _n.add_axis(found, found.ndim)


def pinv(x: Any, /, *, rtol: Any = None) -> Array:
    """The pseudo-inverse: singular values up to `rtol` times the greatest count as 0."""
    x = _matrices(x, "pinv")
    of = type_of(x)
    if x.size == 0:
        return _n.full([*x.shape[:-2], x.shape[-1], x.shape[-2]], 0, of.name)
    u, s, vh = svd(x, full_matrices=False)
    if rtol is None:
        rtol = max(x.shape[-2:]) * _dtypes.finfo(of).eps
    limit = _n.binary("multiply", _max(s, axis=-1, keepdims=True), _beside(rtol, s))
    inverse = _n.select(_n.binary("greater", s, limit), _n.binary("divide", 1.0, s), 0.0)
    scaled = _n.binary("multiply", matrix_transpose(vh), _n.add_axis(inverse, inverse.ndim - 1))
    return _n.matmul(scaled, matrix_transpose(u))


def matrix_power(x: Any, n: int, /) -> Array:
    """The matrix multiplied `n` times; for negative `n`, its inverse."""
    x = as_array(x)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"powers are of square matrices, not of shape {x.shape}")
    if n < 0:
        x, n = inv(x), -n
    size = x.shape[-1]
    if n == 0:
        shape = list(x.shape)
        return cast(_n.binary("equal", _n.index(shape, x.ndim - 1), _n.index(shape, x.ndim - 2)), type_of(x)) if size else x
    made: Array | None = None
    while True:
        if n & 1:
            made = x if made is None else _n.matmul(made, x)
        n >>= 1
        if not n:
            assert made is not None
            return made
        x = _n.matmul(x, x)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The vectors that are at right angles to two, of three elements along an axis."""
    x1, x2 = as_array(x1), as_array(x2)
    of = common([type_of(x1), type_of(x2)])
    x1, x2 = cast(x1, of), cast(x2, of)
    one, other = axis_of(axis, x1.ndim), axis_of(axis, x2.ndim)
    if x1.shape[one] != 3 or x2.shape[other] != 3:
        raise ValueError("cross() is of vectors of three elements")
    parts = []
    for at in range(3):
        a, b = (at + 1) % 3, (at + 2) % 3
        first = _n.binary("multiply", _n.at(x1, one, a), _n.at(x2, other, b))
        parts.append(_n.binary("subtract", first, _n.binary("multiply", _n.at(x1, one, b), _n.at(x2, other, a))))
    # Counted from the last axis, as those before are broadcast.
    place = parts[0].ndim + 1 + axis if axis < 0 else axis
    return _n.concat([_n.add_axis(part, place) for part in parts], place)


def outer(x1: Any, x2: Any, /) -> Array:
    """The products of each element of one vector with each of another."""
    from ._linalg import outer as of_any

    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("outer() is of vectors")
    return of_any(x1, x2)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """The elements on a diagonal of the last two axes, `offset` places to the right."""
    x = as_array(x)
    if x.ndim < 2:
        raise ValueError("a diagonal is that of an array of two axes or more")
    rows, columns = x.shape[-2:]
    top, left = max(-offset, 0), max(offset, 0)
    count = max(min(rows - top, columns - left), 0)
    flat = _n.reshape(x, [*x.shape[:-2], rows * columns])
    if count == 0:
        return _n.section(flat, x.ndim - 2, 0, 0, 1)
    return _n.section(flat, x.ndim - 2, top * columns + left, count, columns + 1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal of the last two axes; that of integers is of 64 bits."""
    made: Array = _sum(diagonal(x, offset=offset), axis=-1, dtype=None if dtype is None else dtype_of(dtype))
    return made


def vector_norm(x: Any, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array:
    """The length of vectors: the root of the sum of powers `ord` of magnitudes; of ±∞ the greatest and the least magnitude, of 0 how many are not 0."""
    x = _floats(x)
    size = _n.unary("abs", x)
    if ord == math.inf or ord == -math.inf:
        found = _extreme(size, axis, keepdims, greatest=ord > 0)
    elif ord == 0:
        found = _reduced("sum", cast(_n.binary("not_equal", x, 0), type_of(x)), axis, keepdims)
    elif ord == 1:
        found = _reduced("sum", size, axis, keepdims)
    elif ord == 2:
        found = _n.unary("sqrt", _reduced("sum", _n.unary("square", x), axis, keepdims))
    else:
        powers = _reduced("sum", _n.binary("pow", size, float(ord)), axis, keepdims)
        found = _n.binary("pow", powers, 1.0 / ord)
    return found


def _extreme(size: Array, axis: Axis, keepdims: bool, *, greatest: bool) -> Array:
    if greatest and any(size.shape[one] == 0 for one in axes_of(axis, size.ndim)):
        axes = axes_of(axis, size.ndim)
        made = _n.reduce("sum", size, axes)
        return keep_axes(made, axes) if keepdims else made
    found: Array = (_max if greatest else _min)(size, axis=axis, keepdims=keepdims)
    return found


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The size of matrices: `"fro"`, `"nuc"`, ±1 (sums of columns), ±2 (singular values), ±∞ (sums of rows)."""
    x = _matrices(x, "matrix_norm")
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        along = -2 if ord in (1, -1) else -1
        sums = _reduced("sum", _n.unary("abs", x), along, True)
        made = _extreme(sums, (-2, -1), True, greatest=ord > 0)
    elif ord in (2, -2, "nuc"):
        values = svdvals(x)
        made = _sum(values, axis=-1) if ord == "nuc" else _extreme(values, -1, False, greatest=ord == 2)
        made = keep_axes(made, [x.ndim - 2, x.ndim - 1])
    else:
        raise ValueError(f"{ord!r} is no norm of matrices: one is 'fro', 'nuc', 1, -1, 2, -2, inf, -inf")
    return made if keepdims else _n.reshape(made, list(x.shape[:-2]))


__all__ = [
    "EighResult", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip
