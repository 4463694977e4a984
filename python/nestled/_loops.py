"""Loops at each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _nestled as _n
from ._common import as_array
from ._nestled import Array


def while_loop(going: Callable[..., Any], step: Callable[..., Any], start: Any, /) -> Any:
    """Repeats `step` as long as `going` holds, for each element by itself, in one kernel.

    `start` is an array or a tuple of arrays, which are broadcast together. Both functions get as many arguments, which stand for single elements: `going` gives a boolean,
    `step` what the arguments are next, in the same types.
    """
    single = not isinstance(start, (tuple, list))
    arrays = [as_array(one) for one in ([start] if single else start)]

    def stepped(carried: list[Array]) -> list[Array]:
        made = step(*carried)
        parts = [made] if single else list(made)
        if len(parts) != len(carried):
            raise ValueError(f"a loop that carries {len(carried)} arrays goes on with as many, not {len(parts)}")
        return [_of_type(part, one._dtype) for part, one in zip(parts, carried)]

    made = _n.while_loop(lambda carried: _of_type(going(*carried), "bool"), stepped, arrays)
    return made[0] if single else tuple(made)


def _of_type(value: Any, dtype: str) -> Array:
    """What a function of a loop gives; numbers of Python take the type that is wanted."""
    if isinstance(value, (bool, int, float)):
        return _n.full([], value, dtype)
    made = as_array(value)
    if made._dtype != dtype:
        raise TypeError(f"a loop goes on with {dtype} here, not {made._dtype}: nd.astype() converts")
    return made
