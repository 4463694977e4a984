"""What notebooks show: nested data and arrays as small tables in HTML, with the type below."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n
from ._nestled import Array, Nested

#: So many rows and columns are shown, half of them from the end.
ROWS, COLUMNS, LETTERS = 10, 12, 60


def _escaped(text: str) -> str:
    # Not when the package is imported: it takes a while.
    import html

    return html.escape(text)


def _ends(count: int, most: int) -> list[int | None]:
    """The first and the last places, with `None` between."""
    if count <= most:
        return list(range(count))
    return [*range(most // 2), None, *range(count - most // 2, count)]


def _cell(text: str, tag: str = "td") -> str:
    short = text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
    return f"<{tag}>{_escaped(short)}</{tag}>"


def _line(cells: list[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _table(head: list[str], lines: list[str], below: str) -> str:
    first = _line(head) if head else ""
    return f"<table>{first}{''.join(lines)}</table><small>{_escaped(below)}</small>"


def html_of_nested(self: Nested) -> str:
    """Records with a column for each field, other elements with one."""
    if self.schema.startswith("union["):
        return f"<pre>{_escaped(repr(self))}</pre>"
    names = self.fields if _n.part(self)[0] in ("record", "tuple") else []
    shown = _ends(len(self), ROWS)
    head = _n.to_list(_n.slice(self, 0, ROWS, 1, 0))
    tail = _n.to_list(_n.slice(self, -ROWS, None, 1, 0))
    lines = []
    for place in shown:
        if place is None:
            lines.append(_line([_cell("⋮")] * max(2, len(names) + 1)))
            continue
        value = head[place] if place < ROWS else tail[place - len(self)]
        values = value.values() if isinstance(value, dict) else value if names else [value]
        lines.append(_line([_cell(str(place), "th"), *(_cell(repr(one)) for one in values)]))
    return _table([_cell("", "th"), *(_cell(name, "th") for name in names)] if names else [], lines, self.typestr)


def html_of_array(self: Array) -> str:
    """A vector or a matrix as a table; what has other axes as text."""
    below = f"{' × '.join(map(str, self.shape)) or 'one number'}, {self._dtype}"
    if self.ndim not in (1, 2) or 0 in self.shape:
        return f"<pre>{_escaped(repr(self))}</pre><small>{below}</small>"
    matrix = self if self.ndim == 2 else self.reshape(1, -1)
    rows, columns = _ends(matrix.shape[0], ROWS), _ends(matrix.shape[1], COLUMNS)
    places = [0 if place is None else place for place in columns]
    # Only what is shown is brought to the host.
    wanted = matrix[[0 if place is None else place for place in rows], :][:, places].tolist()
    lines = [
        _line([_cell("⋮" if row is None else "…" if column is None else f"{value:g}" if isinstance(value, float) else str(value)) for column, value in zip(columns, values)])
        for row, values in zip(rows, wanted)
    ]
    return _table([], lines, below)


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext nestled`: cells that begin with `%%nesl` are programs in NESL: what they print and draw is shown, and their functions stay."""

    def cell(line: str, text: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        from ._nesl import run_nesl

        run = run_nesl(text)
        ipython.push({line.strip() or "functions": run.functions})
        print(run.printed, end="")
        for drawing in run.drawings:
            display(drawing)  # type: ignore[no-untyped-call,unused-ignore]

    ipython.register_magic_function(cell, "cell", "nesl")
