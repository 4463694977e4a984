"""A choice between two arrays of nested data, element by element."""

from __future__ import annotations

import functools
from typing import Any

from . import _nestled as _n
from ._nestled import Nested
from ._selection import depth


def choose(mask: Any, yes: Any, no: Any) -> Nested:
    """The elements of one where a mask holds, those of another elsewhere: `ak.where`. What is missing on the side that is not chosen does not matter."""
    from ._nested import of_one_length

    mask, yes, no = of_one_length(mask, yes, no)
    sides = [side for side in (mask, yes, no) if isinstance(side, Nested)]
    lists = [side for side in sides if depth(side) > 1]
    if len(lists) < 2 or not any(_n.part(side)[0] == "option" for side in lists) or len(set(map(len, sides))) > 1:
        return _n.choose(mask, yes, no)
    lacks = [_n.along("is_missing", side, 0) for side in lists]
    if not any(_n.combined("not_equal", lacks[0], other).any() for other in lacks[1:]):
        return _n.choose(mask, yes, no)
    lengths = [_n.along("num", _n.along("missing_as_empty", side, 0), 1) for side in lists]
    longest = functools.reduce(lambda one, other: _n.combined("maximum", one, other), lengths)
    if isinstance(mask, Nested) and depth(mask) == 1:
        # Whole lists are chosen, and what is missing is the list.
        gone = _n.fill_missing(_n.choose(mask, *lacks), True)
    else:
        gone = functools.reduce(lambda one, other: _n.combined("bitwise_and", one, other), lacks)
    mask, yes, no = (_full(side, longest) if isinstance(side, Nested) and depth(side) > 1 else side for side in (mask, yes, no))
    return _n.with_other("mask", _n.choose(mask, yes, no), _n.mapped("invert", gone))


def _full(x: Nested, lengths: Nested) -> Nested:
    """Lists of missing elements, of these lengths, in place of lists that are missing."""
    if _n.part(x)[0] != "option":
        return x
    lacks = _n.nested_cast(_n.along("is_missing", x, 0), "int64", False)
    own = _n.along("missing_as_empty", x, 0)
    counts = _n.combined("multiply", lengths, lacks)
    none = _n.counted("pad", _n.slice(_n.part(own)[2], 0, 0, 1, 0), int(counts.sum()), 0)
    return _n.of_several("concatenate", [own, _n.in_lists("lists", _n.part(counts)[1], none)], 1)
