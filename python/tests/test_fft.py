"""Fourier transforms, judged by NumPy's."""

import numpy as np
import pytest

import nestled as nd

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 37, 60, 64, 67, 71, 97, 100, 128, 134, 243, 251, 256, 1000, 1024, 1009]


def noise(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def near(found, theirs, tolerance=1e-12):
    found = found.numpy() if isinstance(found, nd.fft.Complex) else np.asarray(found)
    assert found.shape == theirs.shape and found.dtype.kind == theirs.dtype.kind
    scale = max(1.0, float(np.abs(theirs).max(initial=0)))
    np.testing.assert_allclose(found, theirs, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(n):
    x, y = noise((2, n)), noise((2, n), 1)
    z = nd.fft.Complex(nd.asarray(x), nd.asarray(y))
    near(nd.fft.fft(z), np.fft.fft(x + 1j * y))
    near(nd.fft.ifft(z), np.fft.ifft(x + 1j * y))
    near(nd.fft.rfft(nd.asarray(x)), np.fft.rfft(x))
    near(nd.fft.irfft(nd.fft.rfft(nd.asarray(x)), n=n), x)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 4, 9, 13])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arguments(norm, n, axis):
    x, y = noise((5, 6)), noise((5, 6), 1)
    z = (nd.asarray(x), nd.asarray(y))
    theirs = x + 1j * y
    options = {"n": n, "axis": axis, "norm": norm}
    near(nd.fft.fft(z, **options), np.fft.fft(theirs, **options))
    near(nd.fft.ifft(z, **options), np.fft.ifft(theirs, **options))
    near(nd.fft.rfft(x, **options), np.fft.rfft(x, **options))
    near(nd.fft.irfft(z, **options), np.fft.irfft(theirs, **options))
    near(nd.fft.hfft(z, **options), np.fft.hfft(theirs, **options))
    near(nd.fft.ihfft(x, **options), np.fft.ihfft(x, **options))


def test_several_axes():
    x, y = noise((3, 4, 5)), noise((3, 4, 5), 1)
    z, theirs = nd.fft.Complex(nd.asarray(x), nd.asarray(y)), x + 1j * y
    near(nd.fft.fftn(z), np.fft.fftn(theirs))
    near(nd.fft.ifftn(z, axes=(0, 2)), np.fft.ifftn(theirs, axes=(0, 2)))
    near(nd.fft.fftn(z, s=(4, 4), axes=(1, 2)), np.fft.fftn(theirs, s=(4, 4), axes=(1, 2)))
    near(nd.fft.rfftn(nd.asarray(x)), np.fft.rfftn(x))
    near(nd.fft.irfftn(nd.fft.rfftn(nd.asarray(x)), s=(3, 4, 5), axes=(0, 1, 2)), x)
    with pytest.raises(ValueError):
        nd.fft.fftn(z, s=(1,), axes=(0, 1))


def test_types():
    x = noise(48).astype("float32")
    found = nd.fft.rfft(nd.asarray(x))
    assert found.real.dtype == nd.float32 and found.imag.dtype == nd.float32
    near(found, np.fft.rfft(x.astype("float64")), 1e-6)
    assert nd.fft.fft([1, 2, 3]).real.dtype == nd.float64
    near(nd.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]))
    near(nd.fft.ifft(np.asarray([1 + 2j, 3j])), np.fft.ifft([1 + 2j, 3j]))


def test_frequencies_and_shifts():
    for n in (1, 4, 5):
        near(nd.fft.fftfreq(n, d=0.1), np.fft.fftfreq(n, d=0.1))
        near(nd.fft.rfftfreq(n, d=0.1), np.fft.rfftfreq(n, d=0.1))
        x = noise((n, 3))
        near(nd.fft.fftshift(x), np.fft.fftshift(x))
        near(nd.fft.ifftshift(x, axes=0), np.fft.ifftshift(x, axes=0))
    z = nd.fft.fft(noise(5))
    near(nd.fft.fftshift(z), np.fft.fftshift(z.numpy()))


def test_complex_numbers():
    z, w = noise(4) + 1j * noise(4, 1), noise(4, 2) + 1j * noise(4, 3)
    ours = nd.fft.Complex(nd.asarray(z.real.copy()), nd.asarray(z.imag.copy()))
    near(ours.times((w.real.copy(), w.imag.copy())), z * w)
    near(ours.conj(), z.conj())
    near(ours.abs(), np.abs(z))
    near(ours.angle(), np.angle(z))


def test_infinity_and_nan_reach_the_whole_spectrum():
    assert np.isnan(nd.fft.fft([1.0, np.nan, 2.0]).numpy()).all()


def test_errors():
    for call in (
        lambda: nd.fft.fft(np.zeros(0)),
        lambda: nd.fft.fft(np.zeros(3), n=0),
        lambda: nd.fft.fft(np.zeros(3), norm="none"),
        lambda: nd.fft.fft((np.zeros(3), np.zeros(2))),
        lambda: nd.fft.irfft(np.zeros(1)),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError, match="complex"):
        nd.fft.rfft((np.zeros(3), np.zeros(3)))
    with pytest.raises(IndexError):
        nd.fft.fft(np.zeros(3), axis=1)
