"""Sums of products by Einstein's convention."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from . import _nestled as _n
from ._common import as_array, cast, dtype as type_of
from ._dtypes import common, int64
from ._nestled import Array

#: Labels of the axes for which `...` stands: numbers, so that no letter is like them.
Label = str | int


class _Term:
    """An array, and a label for each of its axes."""

    __slots__ = ("array", "labels")

    def __init__(self, array: Array, labels: list[Label]) -> None:
        self.array = array
        self.labels = labels


def einsum(subscripts: str, /, *operands: Any, optimize: Any = True) -> Array:
    """The sums of products of arrays, by NumPy's notation: `einsum("ij,jk->ik", a, b)` is `a @ b`.

    Letters that both operands have and the result has not are summed, by a product of matrices where there are such. Pairs are taken in the order in which the
    results are smallest; `optimize=False` takes them from the left.
    """
    if not isinstance(subscripts, str):
        raise TypeError("einsum() takes a text such as 'ij,jk->ik' first")
    given = [as_array(x) for x in operands]
    inputs, output = _parsed(subscripts, given)
    of = common([type_of(x) for x in given])
    # Products and sums of booleans are counted, and then are there or not.
    inside = int64 if of.kind == "b" else of
    terms = [_Term(cast(x, inside), labels) for x, labels in zip(given, inputs, strict=True)]
    sizes = _sizes(terms)
    terms = [_diagonals(_spread(term, sizes)) for term in terms]
    while len(terms) > 1:
        one, other = _next_pair(terms, output, sizes) if optimize else (0, 1)
        right, left = terms.pop(other), terms.pop(one)
        kept = set(output).union(*[term.labels for term in terms])
        product = _product(_summed(left, kept | set(right.labels)), _summed(right, kept | set(left.labels)), kept)
        terms.insert(0, product)
    made = _summed(terms[0], set(output))
    result = _n.permute(made.array, [made.labels.index(label) for label in output])
    return _n.binary("not_equal", result, 0) if of.kind == "b" else cast(result, of)


def _parsed(subscripts: str, operands: list[Array]) -> tuple[list[list[Label]], list[Label]]:
    """The labels of each operand and of the result."""
    text = "".join(subscripts.split())
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(operands) or not operands:
        raise ValueError(f"{subscripts!r} is for {len(parts)} arrays, and {len(operands)} are given")
    rest = [x.ndim - len(part.replace("...", "")) for part, x in zip(parts, operands, strict=True)]
    most = max((count for part, count in zip(parts, rest, strict=True) if "..." in part), default=0)
    inputs = [_labels(part, count, x, subscripts) for part, count, x in zip(parts, rest, operands, strict=True)]
    if arrow:
        output = _expanded(right, most, subscripts)
        if len(set(output)) < len(output):
            raise ValueError(f"{subscripts!r}: the result has a letter twice")
        if unknown := set(output) - {label for labels in inputs for label in labels} - set(range(most)):
            raise ValueError(f"{subscripts!r}: no array has {', '.join(sorted(map(str, unknown)))}")
        return inputs, output
    counts = Counter(label for labels in inputs for label in labels)
    once = sorted(label for label, count in counts.items() if isinstance(label, str) and count == 1)
    return inputs, [*range(most - 1, -1, -1), *once]


def _labels(part: str, rest: int, x: Array, subscripts: str) -> list[Label]:
    if rest < 0 or (rest > 0 and "..." not in part):
        raise ValueError(f"{subscripts!r}: {part!r} is not for an array of {x.ndim} axes")
    return _expanded(part, rest, subscripts)


def _expanded(part: str, rest: int, subscripts: str) -> list[Label]:
    """The labels of a part; the axes of `...` are numbered from the last one."""
    before, dots, after = part.partition("...")
    for letter in before + after:
        if not (letter.isascii() and letter.isalpha()):
            raise ValueError(f"{subscripts!r}: {letter!r} is no letter")
    return [*before, *(range(rest - 1, -1, -1) if dots else ()), *after]


def _sizes(terms: list[_Term]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for term in terms:
        for label, extent in zip(term.labels, term.array.shape, strict=True):
            known = sizes.setdefault(label, extent)
            if known == 1:
                sizes[label] = extent
            elif extent not in (1, known):
                where = f"the axes {label!r}" if isinstance(label, str) else "the axes of '...'"
                raise ValueError(f"{where} have {known} and {extent} elements")
    return sizes


def _spread(term: _Term, sizes: dict[Label, int]) -> _Term:
    """The term with the extents of the others: axes of one element are repeated."""
    return _Term(_n.broadcast(term.array, [sizes[label] for label in term.labels]), term.labels)


def _diagonals(term: _Term) -> _Term:
    """The term with one axis for each label: what is where two places are equal."""
    array, labels = term.array, list(term.labels)
    while (twice := next((label for label in labels if labels.count(label) > 1), None)) is not None:
        one = labels.index(twice)
        other = labels.index(twice, one + 1)
        others = [axis for axis in range(len(labels)) if axis not in (one, other)]
        extent = array.shape[one]
        moved = _n.permute(array, [*others, one, other])
        shape = list(moved.shape[:-2])
        flat = _n.reshape(moved, [*shape, extent * extent])
        array = _n.section(flat, len(shape), 0, extent, extent + 1)
        labels = [labels[axis] for axis in others] + [twice]
    return _Term(array, labels)


def _summed(term: _Term, kept: set[Label]) -> _Term:
    """The term without the axes that nobody needs any more."""
    gone = [axis for axis, label in enumerate(term.labels) if label not in kept]
    if not gone:
        return term
    made = cast(_n.reduce("sum", term.array, gone), type_of(term.array))
    return _Term(made, [label for label in term.labels if label in kept])


def _next_pair(terms: list[_Term], output: list[Label], sizes: dict[Label, int]) -> tuple[int, int]:
    """The two terms whose product is smallest."""
    best: tuple[int, int, int] | None = None
    for one in range(len(terms)):
        for other in range(one + 1, len(terms)):
            rest = [term.labels for at, term in enumerate(terms) if at not in (one, other)]
            kept = set(output).union(*rest)
            labels = (set(terms[one].labels) | set(terms[other].labels)) & kept
            found = (math.prod(sizes[label] for label in labels), one, other)
            best = found if best is None or found < best else best
    assert best is not None
    return best[1], best[2]


def _product(left: _Term, right: _Term, kept: set[Label]) -> _Term:
    """The product of two terms, summed over what both have and nobody needs."""
    both = [label for label in left.labels if label in right.labels]
    batch = [label for label in both if label in kept]
    inner = [label for label in both if label not in kept]
    rows = [label for label in left.labels if label not in both]
    columns = [label for label in right.labels if label not in both]
    if inner and (rows or columns):
        return _Term(_by_matrices(left, right, batch, rows, inner, columns), batch + rows + columns)
    labels = batch + rows + columns + inner
    product = _n.binary("multiply", _aligned(left, labels), _aligned(right, labels))
    return _summed(_Term(product, labels), kept)


def _by_matrices(
    left: _Term, right: _Term, batch: list[Label], rows: list[Label], inner: list[Label], columns: list[Label]
) -> Array:
    """The product as one of matrices for each place of the axes of a batch."""
    size = dict(zip(left.labels + right.labels, left.array.shape + right.array.shape, strict=True))
    extents = [[size[label] for label in labels] for labels in (batch, rows, inner, columns)]
    counts = [math.prod(one) for one in extents]
    one = _ordered(left, batch + rows + inner, [counts[0], counts[1], counts[2]] if batch else [counts[1], counts[2]])
    other = _ordered(right, batch + inner + columns, [counts[0], counts[2], counts[3]] if batch else [counts[2], counts[3]])
    return _n.reshape(_n.matmul(one, other), extents[0] + extents[1] + extents[3])


def _ordered(term: _Term, labels: list[Label], shape: list[int]) -> Array:
    return _n.reshape(_n.permute(term.array, [term.labels.index(label) for label in labels]), shape)


def _aligned(term: _Term, labels: list[Label]) -> Array:
    """The array with an axis for each label, of one element where it has none."""
    own = [label for label in labels if label in term.labels]
    array = _n.permute(term.array, [term.labels.index(label) for label in own])
    for axis, label in enumerate(labels):
        if label not in own:
            array = _n.add_axis(array, axis)
    return array
