"""Fourier transforms: the extension `fft` of the array API standard, with pairs of arrays for complex numbers.

Arrays have no complex numbers: a spectrum is a `Complex`, a pair of arrays `real` and `imag`. Functions take one, a pair, or an array of real numbers, and are lazy; `nd.jit` takes them too. Any length
is transformed in about `n·log n` steps: by factors, each a product with a small matrix, and a prime factor beyond 64 by a convolution of a power of two (Bluestein's algorithm).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from . import _nestled as _n
from ._common import as_array, axis_of, cast, dtype as type_of
from ._dtypes import common, float64
from ._nestled import Array

#: The longest transform that is one product with a matrix.
SHORT = 32
#: The greatest prime factor that is one product with a matrix.
PRIME = 64


class Complex(NamedTuple):
    """Complex numbers: an array of real parts, and one of imaginary parts."""

    real: Array
    imag: Array

    def numpy(self) -> Any:
        """The numbers as an array of NumPy's, whose type is complex."""
        import numpy

        return numpy.asarray(self.real) + 1j * numpy.asarray(self.imag)

    def abs(self) -> Array:
        """The magnitudes."""
        from ._elementwise import hypot

        found: Array = hypot(self.real, self.imag)
        return found

    def angle(self) -> Array:
        """The angles, from −π to π."""
        from ._elementwise import atan2

        found: Array = atan2(self.imag, self.real)
        return found

    def conj(self) -> Complex:
        """The numbers with the other sign of the imaginary parts."""
        return Complex(self.real, _n.unary("negative", self.imag))

    def times(self, other: Any) -> Complex:
        """The product with other complex numbers, or with real ones."""
        a, b = self
        c, d = _complex(other)
        return Complex(a * c - b * d, a * d + b * c)


def _complex(x: Any) -> Complex:
    """A pair of arrays of floats of one type; what is real has imaginary parts of 0."""
    if isinstance(x, tuple) and len(x) == 2:
        real, imag = as_array(x[0]), as_array(x[1])
    elif type(x).__module__.partition(".")[0] == "numpy" and getattr(x.dtype, "kind", "") == "c":
        real, imag = as_array(x.real.copy()), as_array(x.imag.copy())
    else:
        real = _float(as_array(x))
        return Complex(real, _n.full(list(real.shape), 0, real._dtype))
    if real.shape != imag.shape:
        raise ValueError(f"real parts of shape {real.shape} and imaginary parts of shape {imag.shape} are no complex numbers")
    of = common([type_of(_float(real)), type_of(_float(imag))])
    return Complex(cast(real, of), cast(imag, of))


def _float(x: Array) -> Array:
    if x._dtype == "float16":
        return _n.cast(x, "float32")
    return x if type_of(x).kind == "f" else cast(x, float64)


def _real(x: Any) -> Array:
    if isinstance(x, tuple):
        raise TypeError("this transform takes real numbers: fft() takes complex ones")
    return _float(as_array(x))


def _sized(x: Array, n: int, axis: int) -> Array:
    """The array with `n` elements along an axis: the first, or all and zeros."""
    have = x.shape[axis]
    if n <= have:
        return _n.section(x, axis, 0, n, 1)
    shape = list(x.shape)
    shape[axis] = n - have
    return _n.concat([x, _n.full(shape, 0, x._dtype)], axis)


def _length(n: int | None, there: int) -> int:
    n = there if n is None else n
    if n < 1:
        raise ValueError(f"a transform has a point or more, not {n}")
    return n


def _scale(norm: str, n: int, *, inverse: bool) -> float | None:
    """The factor of a transform; `None` for 1."""
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"norm is 'backward', 'ortho' or 'forward', not {norm!r}")
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    return 1.0 / n if (norm == "backward") == inverse else None


def _scaled(z: Complex, factor: float | None) -> Complex:
    return z if factor is None else Complex(z.real * factor, z.imag * factor)


def _turns(numerator: Array, n: int, dtype: str) -> Complex:
    """exp(−2πi · numerator / n), by the remainder, so that the angle is exact."""
    angle = cast(_n.binary("remainder", numerator, n), float64) * (-2.0 * math.pi / n)
    return Complex(_n.cast(_n.unary("cos", angle), dtype), _n.cast(_n.unary("sin", angle), dtype))


def _products(n: int, m: int) -> Array:
    """j·k for the places of a matrix."""
    return _n.binary("multiply", _n.index([n, m], 0), _n.index([n, m], 1))


def _by_matrix(z: Complex, n: int) -> Complex:
    """The transform of rows of `n` points as one product of real matrices."""
    w = _turns(_products(n, n), n, z.real._dtype)
    upper = _n.concat([w.real, w.imag], 1)
    lower = _n.concat([_n.unary("negative", w.imag), w.real], 1)
    made = _n.matmul(_n.concat([z.real, z.imag], 1), _n.concat([upper, lower], 0))
    return Complex(_n.section(made, 1, 0, n, 1), _n.section(made, 1, n, n, 1))


def _factor(n: int) -> int:
    """The factor of `n` that is transformed first: the greatest up to `SHORT`; a prime if there is none; `n` itself if it is prime."""
    found = max((one for one in range(2, SHORT + 1) if n % one == 0), default=0)
    if found:
        return found
    at = SHORT + 1
    while at * at <= n:
        if n % at == 0:
            return at
        at += 1
    return n


def _rows(z: Complex, n: int) -> Complex:
    """The transforms of the rows of a matrix of `n` columns."""
    if n == 1:
        return z
    if n <= SHORT:
        return _by_matrix(z, n)
    first = _factor(n)
    if first == n:
        return _by_matrix(z, n) if n <= PRIME else _by_convolution(z, n)
    second = n // first
    rows = z.real.shape[0]
    # x[j1·second + j2] as rows of j1, one for each j2.
    parts = _moved(z, [rows, first, second], [0, 2, 1], [rows * second, first])
    parts = _rows(parts, first)
    turns = _turns(_products(second, first), n, z.real._dtype)
    parts = Complex(*(_n.reshape(part, [rows, second, first]) for part in parts)).times(turns)
    # One row of j2 for each k1.
    parts = _rows(_moved(parts, [rows, second, first], [0, 2, 1], [rows * first, second]), second)
    return _moved(parts, [rows, first, second], [0, 2, 1], [rows, n])


def _moved(z: Complex, shape: list[int], order: list[int], to: list[int]) -> Complex:
    return Complex(*(_n.reshape(_n.permute(_n.reshape(part, shape), order), to) for part in z))


def _by_convolution(z: Complex, n: int) -> Complex:
    """The transform as a convolution with a chirp, for which there are transforms of a power of two: jk = (j² + k² − (k − j)²)/2."""
    size = 1 << (2 * n - 2).bit_length()
    places = _n.index([n], 0)
    # j² modulo 2n: the angle has a period of 2n.
    chirp = _turns(places * places, 2 * n, z.real._dtype)
    back = chirp.conj()
    tails = [_n.flip(_n.section(part, 0, 1, n - 1, 1), [0]) for part in back]
    gap = _n.full([size - 2 * n + 1], 0, z.real._dtype)
    kernel = Complex(*(_n.reshape(_n.concat([part, gap, tail], 0), [1, size]) for part, tail in zip(back, tails, strict=True)))
    spread = Complex(*(_sized(part, size, 1) for part in z.times(chirp)))
    product = _rows(spread, size).times(_rows(kernel, size))
    # The inverse transform, by conjugates.
    found = _rows(product.conj(), size).conj()
    cut = Complex(*(_n.section(part, 1, 0, n, 1) for part in found))
    return _scaled(cut.times(chirp), 1.0 / size)


def _along(z: Complex, n: int, axis: int, *, inverse: bool) -> Complex:
    """The transform along an axis, without a factor."""
    ndim = z.real.ndim
    order = [own for own in range(ndim) if own != axis] + [axis]
    back = [order.index(own) for own in range(ndim)]
    moved = Complex(*(_n.permute(_sized(part, n, axis), order) for part in z))
    shape = list(moved.real.shape)
    flat = Complex(*(_n.reshape(part, [math.prod(shape[:-1]), n]) for part in moved))
    # The inverse is the transform of conjugates, conjugated.
    made = _rows(flat.conj(), n).conj() if inverse else _rows(flat, n)
    return Complex(*(_n.permute(_n.reshape(part, shape), back) for part in made))


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Complex:
    """The discrete Fourier transform along an axis, of `n` points: more are cut off, fewer are followed by zeros."""
    z = _complex(x)
    axis = axis_of(axis, z.real.ndim)
    n = _length(n, z.real.shape[axis])
    return _scaled(_along(z, n, axis, inverse=False), _scale(norm, n, inverse=False))


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Complex:
    """The inverse of `fft`."""
    z = _complex(x)
    axis = axis_of(axis, z.real.ndim)
    n = _length(n, z.real.shape[axis])
    return _scaled(_along(z, n, axis, inverse=True), _scale(norm, n, inverse=True))


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Complex:
    """The first half of the spectrum of real numbers, `n // 2 + 1` points: the other half mirrors it."""
    real = _real(x)
    axis = axis_of(axis, real.ndim)
    n = _length(n, real.shape[axis])
    made = fft(real, n=n, axis=axis, norm=norm)
    return Complex(*(_n.section(part, axis, 0, n // 2 + 1, 1) for part in made))


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The real numbers of the first half of a spectrum, `n` of them; by default twice as many as points, less two."""
    z = _complex(x)
    axis = axis_of(axis, z.real.ndim)
    n = _length(n, 2 * (z.real.shape[axis] - 1))
    half = Complex(*(_sized(part, n // 2 + 1, axis) for part in z))
    # The first point, and the middle one of an even length, are their own mirrors: they are real.
    place = _n.index([n // 2 + 1], 0)
    own = _n.binary("equal", place, 0)
    own = own | _n.binary("equal", place, n // 2) if n % 2 == 0 else own
    own = _n.reshape(own, [n // 2 + 1 if at == axis else 1 for at in range(half.real.ndim)])
    half = Complex(half.real, _n.select(_n.broadcast(own, list(half.imag.shape)), 0.0, half.imag))
    count = n - (n // 2 + 1)
    rest = [_n.flip(_n.section(part, axis, 1, count, 1), [axis]) for part in half.conj()]
    whole = Complex(*(_n.concat([part, tail], axis) for part, tail in zip(half, rest, strict=True))) if count else half
    return ifft(whole, n=n, axis=axis, norm=norm).real


def _axes(z: Complex, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    ndim = z.real.ndim
    if axes is None:
        axes = range(ndim) if s is None else range(ndim - len(s), ndim)
    axes = [axis_of(axis, ndim) for axis in axes]
    if s is not None and len(s) != len(axes):
        raise ValueError(f"{len(s)} lengths are not for {len(axes)} axes")
    return list(zip(axes, s if s is not None else [None] * len(axes), strict=True))


def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Complex:
    """`fft` along several axes, by default all, with the lengths `s`."""
    z = _complex(x)
    for axis, n in _axes(z, s, axes):
        z = fft(z, n=n, axis=axis, norm=norm)
    return z


def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Complex:
    """The inverse of `fftn`."""
    z = _complex(x)
    for axis, n in _axes(z, s, axes):
        z = ifft(z, n=n, axis=axis, norm=norm)
    return z


def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Complex:
    """`fftn` of real numbers: the half of the spectrum along the last of the axes."""
    real = _real(x)
    pairs = _axes(Complex(real, real), s, axes)
    z = rfft(real, n=pairs[-1][1], axis=pairs[-1][0], norm=norm)
    for axis, n in pairs[:-1]:
        z = fft(z, n=n, axis=axis, norm=norm)
    return z


def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse of `rfftn`."""
    z = _complex(x)
    pairs = _axes(z, s, axes)
    for axis, n in pairs[:-1]:
        z = ifft(z, n=n, axis=axis, norm=norm)
    return irfft(z, n=pairs[-1][1], axis=pairs[-1][0], norm=norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The spectrum, which is real, of numbers of which the second half mirrors the first."""
    other = {"backward": "forward", "forward": "backward"}.get(norm, norm)
    return irfft(_complex(x).conj(), n=n, axis=axis, norm=other)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Complex:
    """The inverse of `hfft`."""
    other = {"backward": "forward", "forward": "backward"}.get(norm, norm)
    return rfft(x, n=n, axis=axis, norm=other).conj()


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: object = None) -> Array:
    """The frequencies of the points of `fft`, where neighbours are `d` apart."""
    from ._manipulation import astype

    n = _length(n, n)
    place = _n.index([n], 0)
    wrapped = _n.select(_n.binary("less", place, (n + 1) // 2), place, place - n)
    return astype(cast(wrapped, float64) / (n * d), float64 if dtype is None else dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: object = None) -> Array:
    """The frequencies of the points of `rfft`."""
    from ._manipulation import astype

    n = _length(n, n)
    made = cast(_n.index([n // 2 + 1], 0), float64) / (n * d)
    return astype(made, float64 if dtype is None else dtype, device=device)


def _shifts(x: Any, axes: Any, *, inverse: bool) -> Any:
    if isinstance(x, tuple):
        return Complex(*(_shifts(part, axes, inverse=inverse) for part in x))
    x = as_array(x)
    chosen = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    own = {axis_of(axis, x.ndim) for axis in chosen}
    by = [x.shape[axis] // 2 if axis in own else 0 for axis in range(x.ndim)]
    return _n.roll(x, [(-one if inverse else one) for one in by])


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The spectrum with the frequency 0 in the middle."""
    return _shifts(x, axes, inverse=False)


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The inverse of `fftshift`."""
    return _shifts(x, axes, inverse=True)


__all__ = [
    "Complex", "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn",
    "rfft", "rfftfreq", "rfftn",
]  # fmt: skip
