"""Tables elsewhere: objects of other packages by Arrow's interface, and files, read whole or piece after piece."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import _nestled as _n
from ._nestled import Nested


def speaks_arrow(x: Any) -> bool:
    """True for objects with Arrow's interface."""
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def from_arrow(x: Any) -> Nested:
    """An array or a table of any package that speaks Arrow (pyarrow, Polars, pandas, DuckDB): rows are records. Memory is shared where it can be."""
    if hasattr(x, "__arrow_c_array__"):
        return _n.from_arrow_array(*x.__arrow_c_array__())
    if hasattr(x, "__arrow_c_stream__"):
        return _n.from_arrow_stream(x.__arrow_c_stream__())
    raise TypeError(f"`{type(x).__name__}` does not speak Arrow: it has neither `__arrow_c_array__` nor `__arrow_c_stream__`")


def to_arrow(self: Nested) -> Any:
    """The elements as an array of pyarrow's, which shares memory where it can: `ak.to_arrow`."""
    import pyarrow

    return pyarrow.array(self)


def arrow_schema(self: Nested) -> Any:
    """The type of the elements, for packages that speak Arrow."""
    return _n.to_arrow_array(self[:0])[0]


def arrow_array(self: Nested, requested_schema: Any = None) -> tuple[Any, Any]:
    """The elements, for packages that speak Arrow. Another type than the data have is not made."""
    return _n.to_arrow_array(self)


def arrow_stream(self: Nested, requested_schema: Any = None) -> Any:
    """A table in one piece, for packages that speak Arrow: fields of records are its columns; other elements are the column `value`."""
    return _n.to_arrow_stream(self)


def _names(columns: str | Sequence[str] | None) -> list[str] | None:
    return [columns] if isinstance(columns, str) else None if columns is None else list(columns)


def read(path: str | os.PathLike[str], columns: str | Sequence[str] | None = None) -> Nested:
    """The rows of a file, as records: `.parquet`, `.feather` or `.arrow`, `.csv`, `.jsonl`. Columns may be parts of others: `muons.pt`."""
    return _n.read_table(os.fspath(path), _names(columns))


def write(self: Nested, path: str | os.PathLike[str]) -> None:
    """Writes the elements as rows of a file, of the format that its name says: `.parquet`, `.feather` or `.arrow`, `.csv`, `.jsonl`."""
    _n.write_table(os.fspath(path), self)


class Scan:
    """A file of a table, larger than memory perhaps: iterated over, it gives piece after piece, and the next is read while one is computed with."""

    def __init__(
        self, path: str | os.PathLike[str], columns: str | Sequence[str] | None = None, rows: int | None = None
    ) -> None:
        """`columns` are those that are read, and `rows` is the most that a piece has."""
        self._path, self._columns, self._rows = os.fspath(path), _names(columns), rows
        #: The schema of a row, and the number of rows where the file says it.
        self.schema, self.row_count = _n.table_schema(self._path)

    def __iter__(self) -> Iterator[Nested]:
        return _n.TablePieces(self._path, self._columns, self._rows)

    def read(self) -> Nested:
        """All rows at once."""
        return read(self._path, self._columns)

    def __repr__(self) -> str:
        return f"nestled.Scan({self._path!r}): {self.schema}"
