"""Random numbers: functions of a seed and of the place, so the same on every device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _nestled as _n
from ._common import shape_of
from ._dtypes import dtype_of, float64
from ._nestled import Array


def uniform(shape: int | Sequence[int], *, seed: int, dtype: Any = float64) -> Array:
    """Numbers from 0 to 1."""
    return _n.random("uniform", list(shape_of(shape)), seed, dtype_of(dtype).name)


def normal(shape: int | Sequence[int], *, seed: int, dtype: Any = float64) -> Array:
    """Numbers of the normal distribution."""
    return _n.random("normal", list(shape_of(shape)), seed, dtype_of(dtype).name)


def permutation(n: int, *, seed: int) -> Array:
    """The numbers from 0 to n − 1 in a random order."""
    return _n.permutation(n, seed)
