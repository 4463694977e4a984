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
    if isinstance(mask, Nested) and depth(mask) == 1 and _is_text(yes) and _is_text(no):
        return _text(mask, yes, no)
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


def _is_text(x: Any) -> bool:
    if not isinstance(x, Nested):
        return isinstance(x, str)
    part = _n.part(x)
    return (_n.part(part[2]) if part[0] == "option" else part)[0] in ("strings", "bytes")


def _text(mask: Nested, yes: Any, no: Any) -> Nested:
    """Texts by their places in both sides, one after the other; a text alone is for all."""
    at = _n.along("local_index", mask, 0)
    sides, places, before = [], [], 0
    for side in (yes, no):
        alone = isinstance(side, str)
        texts = _n.from_values([side], "string") if alone else side
        if not alone and len(texts) != len(mask):
            raise ValueError(f"{len(texts)} texts do not go together with a mask of {len(mask)}")
        places.append(_n.combined("add", _n.combined("multiply", at, 0) if alone else at, before))
        sides.append(texts)
        before += len(texts)
    return _n.with_other("pick", _n.of_several("concatenate", sides, 0), _n.choose(mask, *places))
