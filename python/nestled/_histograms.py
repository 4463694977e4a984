"""Bins: where elements belong among edges, how many there are, and values between given points."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from . import _dtypes
from . import _nestled as _n
from ._common import as_array, cast, dtype as type_of
from ._dtypes import float64
from ._nestled import Array
from ._searching import searchsorted


def digitize(x: Any, bins: Any, /, *, right: builtins.bool = False) -> Array:
    """The number of the bin of each element: so many edges are not greater (or, with `right=True`, are less). Edges may fall. Looks at the edges at once."""
    import numpy

    edges = numpy.asarray(bins)
    if edges.ndim != 1:
        raise ValueError("the edges of bins are a vector")
    steps = edges[1:] >= edges[:-1]
    rises = builtins.bool(steps.all())
    if not rises and not builtins.bool((edges[1:] <= edges[:-1]).all()):
        raise ValueError("the edges of bins rise or fall")
    side = "left" if right else "right"
    if rises:
        return searchsorted(as_array(edges), x, side=side)
    return _n.binary("subtract", len(edges), searchsorted(as_array(edges[::-1].copy()), x, side=side))


def histogram_bin_edges(x: Any, bins: Any = 10, range: tuple[float, float] | None = None) -> Array:
    """The edges of so many bins of one width, from the least element to the greatest one or over `range`; edges that are given; or those of a rule of NumPy's, by its name. Computes at once."""
    import numpy

    x = as_array(x)
    if isinstance(bins, str) or not hasattr(bins, "__index__") or bool(getattr(bins, "shape", None)):
        found = numpy.histogram_bin_edges(numpy.asarray(x) if isinstance(bins, str) else numpy.empty(0), _edges(bins), range)
        return as_array(found)
    if bins.__index__() < 1:
        raise ValueError("a histogram has a bin or more")
    # NumPy makes the edges from the ends alone.
    ends = numpy.empty(0, x._dtype) if x.size == 0 or range is not None else numpy.asarray(_n.concat(_ends(x), 0))
    return as_array(numpy.histogram_bin_edges(ends, bins.__index__(), range))


def _edges(bins: Any) -> Any:
    import numpy

    return bins if isinstance(bins, str) else numpy.asarray(bins)


def _ends(x: Array) -> list[Array]:
    from ._statistics import max as greatest, min as least

    return [_n.reshape(of(x), [1]) for of in (least, greatest)]


def _bins_of(x: Array, edges: Array) -> Array:
    """The bin of each element; that after the last one for what is in none. The last bin has its right edge too."""
    count = edges.size - 1
    of = _dtypes.common([type_of(x), type_of(edges)])
    x, edges = cast(x, of), cast(edges, of)
    place = _n.binary("minimum", searchsorted(edges, x, side="right") - 1, count - 1)
    is_in = _n.binary("greater_equal", x, _n.at(edges, 0, 0)) & _n.binary("less_equal", x, _n.at(edges, 0, count))
    return _n.select(is_in, place, count)


def histogram(
    x: Any,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    *,
    weights: Any = None,
    density: builtins.bool = False,
) -> tuple[Array, Array]:
    """How many elements are in each bin (or the sums of their weights), and the edges. With `density`, the integral is 1. Without edges, computes the range at once."""
    x = as_array(x)
    x = _n.cast(x, "uint8") if x._dtype == "bool" else x
    edges = histogram_bin_edges(x, bins, range)
    flat = _n.reshape(x, [x.size])
    if weights is None:
        each = _n.full([x.size], 1, "int64")
    else:
        each = as_array(weights)
        if each.shape != x.shape:
            raise ValueError(f"weights of shape {each.shape} are not for an array of shape {x.shape}")
        each = _n.reshape(each, [x.size])
    count = edges.size - 1
    if count < 1:
        return _n.full([0], 0, each._dtype), edges
    found = _n.scatter(_n.full([count + 1], 0, each._dtype), [_bins_of(flat, edges)], each, "add")
    found = _n.section(found, 0, 0, count, 1)
    return (_as_density(found, [edges]) if density else found), edges


def _as_density(counts: Array, edges: Sequence[Array]) -> Array:
    made = cast(counts, float64)
    total = _n.reduce("sum", made, list(builtins.range(counts.ndim)))
    for axis, one in enumerate(edges):
        widths = _n.section(one, 0, 1, one.size - 1, 1) - _n.section(one, 0, 0, one.size - 1, 1)
        shape = [widths.size if own == axis else 1 for own in builtins.range(counts.ndim)]
        made = _n.binary("divide", made, _n.reshape(cast(widths, float64), shape))
    return _n.binary("divide", made, total)


def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    *,
    weights: Any = None,
    density: builtins.bool = False,
) -> tuple[Array, Array, Array]:
    """How many points are in each rectangle, and the edges along x and y. `bins` and `range` are for both, or a pair."""
    x, y = as_array(x), as_array(y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError("the points are two vectors of one length")
    both = isinstance(bins, (tuple, list)) and len(bins) == 2
    own = bins if both else (bins, bins)
    ranges = (None, None) if range is None else range
    edges = [histogram_bin_edges(one, own[at], ranges[at]) for at, one in enumerate((x, y))]
    counts = [one.size - 1 for one in edges]
    each = _n.full([x.size], 1.0, "float64") if weights is None else cast(as_array(weights), float64)
    base = _n.full([counts[0] + 1, counts[1] + 1], 0.0, "float64")
    found = _n.scatter(base, [_bins_of(x, edges[0]), _bins_of(y, edges[1])], each, "add")
    found = _n.section(_n.section(found, 0, 0, counts[0], 1), 1, 0, counts[1], 1)
    return (_as_density(found, edges) if density else found), edges[0], edges[1]


def interp(
    x: Any, xp: Any, fp: Any, /, *, left: float | None = None, right: float | None = None, period: float | None = None
) -> Array:
    """The values at `x` of the line through the points `xp` (which rise) and `fp`; before the first and after the last, theirs or `left` and `right`."""
    x, xp, fp = (cast(as_array(one), float64) for one in (x, xp, fp))
    if xp.ndim != 1 or xp.shape != fp.shape or xp.size == 0:
        raise ValueError("the points of interp() are two vectors of one length, which is not 0")
    if period is not None:
        x, xp, fp = _around(x, xp, fp, period)
        left = right = None
    last = xp.size - 1
    first, end = (_n.at(fp, 0, at) for at in (0, last))
    before = _n.binary("less", x, _n.at(xp, 0, 0))
    after = _n.binary("greater", x, _n.at(xp, 0, last))
    made = _on_line(x, xp, fp)
    made = _n.select(before, first if left is None else float(left), made)
    return _n.select(after, end if right is None else float(right), made)


def _on_line(x: Array, xp: Array, fp: Array) -> Array:
    last = xp.size - 1
    place = _n.binary("maximum", searchsorted(xp, x, side="right") - 1, 0)
    y0 = _n.take(fp, 0, place)
    if last == 0:
        return _n.select(_n.unary("isnan", x), x, y0)
    low = _n.binary("minimum", place, last - 1)
    x0, x1 = _n.take(xp, 0, low), _n.take(xp, 0, low + 1)
    y0, y1 = _n.take(fp, 0, low), _n.take(fp, 0, low + 1)
    slope = _n.binary("divide", y1 - y0, x1 - x0)
    made = slope * (x - x0) + y0
    made = _n.select(_n.unary("isnan", made), slope * (x - x1) + y1, made)
    made = _n.select(_n.unary("isnan", made) & _n.binary("equal", y0, y1), y0, made)
    # The last point, exactly.
    made = _n.select(_n.binary("equal", x, _n.at(xp, 0, last)), _n.at(fp, 0, last), made)
    return _n.select(_n.unary("isnan", x), x, made)


def _around(x: Array, xp: Array, fp: Array, period: float) -> tuple[Array, Array, Array]:
    """The points of one period, with one more on each side."""
    period = builtins.abs(float(period))
    if period == 0:
        raise ValueError("the period of interp() is not 0")
    x, xp = (_n.binary("remainder", one, period) for one in (x, xp))
    order = _n.argsort(xp, 0)
    xp, fp = _n.take(xp, 0, order), _n.take(fp, 0, order)
    last = xp.size - 1
    ends = [[_n.section(one, 0, at, 1, 1) for at in (last, 0)] for one in (xp, fp)]
    wide = _n.concat([ends[0][0] - period, xp, ends[0][1] + period], 0)
    return x, wide, _n.concat([ends[1][0], fp, ends[1][1]], 0)


__all__ = ["digitize", "histogram", "histogram2d", "histogram_bin_edges", "interp"]
