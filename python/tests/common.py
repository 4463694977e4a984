"""Judges and strategies of the tests."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import strategies as st

import nestled as nd

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SIGNED = INTS[:4]
FLOATS = ["float32", "float64"]
NUMBERS = INTS + FLOATS
ALL = ["bool", *NUMBERS]

shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
full_shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def elements(dtype, small=False):
    if dtype == "bool":
        return st.booleans()
    if dtype in ("float16", *FLOATS):
        width = int(dtype[5:])
        if small:
            return st.floats(-100, 100, width=width, allow_subnormal=False)
        special = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan])
        return st.floats(-2.0**15, 2.0**15, width=width, allow_subnormal=False) | special
    info = np.iinfo(dtype)
    low, high = (max(info.min, -10), min(info.max, 10)) if small else (info.min, info.max)
    return st.integers(low, high)


def arrays(dtypes, shape=shapes, small=False):
    def of(dtype):
        return hnp.arrays(dtype, shape, elements=elements(dtype, small))

    return st.sampled_from(dtypes).flatmap(of)


def same(ours, theirs, exact=True, scale=1.0):
    """Ours has the type, the shape and the elements of theirs, but for roundings of numbers as great as `scale`."""
    assert isinstance(ours, nd.Array), type(ours)
    theirs = np.asarray(theirs)
    found = np.asarray(ours)
    assert ours.dtype.name == theirs.dtype.name, (ours.dtype, theirs.dtype)
    assert found.shape == theirs.shape == ours.shape, (found.shape, theirs.shape)
    if theirs.dtype.kind != "f" or exact:
        np.testing.assert_array_equal(found, theirs)
        return
    tolerance = {"float32": 2e-5, "float64": 1e-12, "float16": 2e-3}[theirs.dtype.name]
    np.testing.assert_allclose(found, theirs, rtol=tolerance, atol=tolerance * scale)
