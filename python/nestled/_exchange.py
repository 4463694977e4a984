"""Nested data elsewhere: sparse matrices of SciPy's, as lists of pairs of a column and a value, and texts in JSON."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n
from ._nestled import Nested


def from_scipy(matrix: Any) -> Nested:
    """A sparse matrix of any format as rows of pairs: the number of a column, and its value."""
    import numpy

    from ._creation import asarray

    rows = matrix.tocsr()
    columns = _n.from_array(asarray(rows.indices.astype("int64")))
    pairs = _n.records(None, [columns, _n.from_array(asarray(rows.data))])
    return _n.in_lists("lists", asarray(numpy.diff(rows.indptr).astype("int64")), pairs)


def to_scipy(self: Nested, columns: int | None = None) -> Any:
    """Rows of pairs as a `scipy.sparse.csr_array`; the number of columns is the least that holds all unless it is given."""
    import numpy
    import scipy.sparse

    name, *parts = _n.part(self)
    inner = _n.part(parts[1]) if name == "lists" else (name,)
    if inner[0] not in ("tuple", "record") or len(inner[1]) != 2:
        raise ValueError(f"`{self.schema}` is no sparse matrix: a row is a list of pairs of a column and a value")
    fields = inner[1] if inner[0] == "tuple" else tuple(inner[1].values())
    places, values = (field.to_numpy() for field in fields)
    offsets = numpy.concatenate([[0], numpy.cumsum(numpy.asarray(parts[0]))])
    count = columns if columns is not None else int(places.max()) + 1 if len(places) else 0
    return scipy.sparse.csr_array((values, places, offsets), shape=(len(self), count))


def from_json(text: str, schema: str | None = None) -> Nested:
    """Nested data of a text in JSON: `ak.from_json`."""
    import json

    return _n.from_values(json.loads(text), schema)


def to_json(self: Nested) -> str:
    """The elements in JSON: `ak.to_json`."""
    import json

    return json.dumps(_n.to_list(self))
