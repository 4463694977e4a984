"""Functions in NESL, for arguments whose types are seen at the call."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from . import _nestled as _n
from ._errors import NeslError
from ._nestled import Array, Nested, NeslFunction

_OF_SCHEMA = {"bool": "bool", "float16": "float", "float32": "float", "float64": "float"}


def type_of(value: Any) -> str:
    """The type of NESL's that a value has."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "[char]"
    if isinstance(value, Array):
        return "[" * value.ndim + _OF_SCHEMA.get(value._dtype, "int") + "]" * value.ndim
    if isinstance(value, Nested):
        return f"[{_type_of_nested(value)}]"
    if isinstance(value, tuple):
        return f"({', '.join(type_of(part) for part in value)})"
    if isinstance(value, list):
        return f"[{_element_type(value)}]"
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        kind = {"b": "bool", "f": "float", "i": "int", "u": "int"}.get(value.dtype.kind)
        if kind is not None:
            depth: int = value.ndim
            return "[" * depth + kind + "]" * depth
    raise NeslError(f"{type(value).__name__} has no counterpart in NESL")


def _element_type(values: list[Any]) -> str:
    """The type of the elements; what is empty has that of the others."""
    found: set[str] = set()
    for value in values:
        if value != [] if isinstance(value, list) else True:
            found.add(type_of(value))
    if found == {"int", "float"}:
        return "float"
    if len(found) > 1:
        message = f"the elements of a list have one type, not {' and '.join(sorted(found))}"
        raise NeslError(f"{message}: for a datatype with variants give nested data, or say the types: f.typed('[name]')")
    if not found:
        return "[float]" if values else "float"
    return found.pop()


def _type_of_nested(x: Nested) -> str:
    variants = _n.variants_of(x)
    if variants is not None:
        return f"union[{', '.join(_type_of_nested(variant) for variant in variants)}]"
    part = _n.part(x)
    if part[0] == "category":
        return _type_of_nested(part[2])
    if part[0] == "numbers":
        return _OF_SCHEMA.get(part[1]._dtype, "int")
    if part[0] in ("lists", "fixed"):
        return f"[{_type_of_nested(part[2])}]"
    if part[0] in ("strings", "bytes"):
        return "[char]"
    if part[0] in ("record", "tuple"):
        fields = part[1].values() if part[0] == "record" else part[1]
        return f"({', '.join(_type_of_nested(field) for field in fields)})"
    raise NeslError(f"`{x.schema}` has no counterpart in NESL: fill or drop what is missing, or choose fields")


class nesl:
    """The functions of a text in NESL, as attributes. Each is compiled for the types of its arguments when it is first called with them.

    >>> sums = nesl("function sums(rows) = {sum(row) : row in rows};").sums
    >>> sums([[1, 2], [], [3]]).tolist()
    [3, 0, 3]
    """

    def __init__(self, source: str) -> None:
        self.source = source

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(self.source, name)

    def __repr__(self) -> str:
        return f"nestled.nesl({self.source!r})"


class Drawing:
    """A window of a program in NESL, as SVG, which notebooks show."""

    def __init__(self, title: str, svg: str) -> None:
        self.title = title
        #: The text of the picture.
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<drawing {self.title!r}>"


class NeslRun(NamedTuple):
    """The output, drawings and functions of a program in NESL that ran."""

    #: The values of its statements, and what it printed.
    printed: str
    drawings: list[Drawing]
    #: Its functions, to be called.
    functions: nesl


def run_nesl(source: str) -> NeslRun:
    """Runs a program in NESL, statement after statement: `printed`, the `drawings` of its windows, and its `functions`.

    >>> run_nesl("sum([1:4]);").printed
    'it = 6 : int\\n'
    """
    printed, drawings, definitions = _n.run_nesl(source)
    return NeslRun(printed, [Drawing(title, svg) for title, svg in drawings], nesl(definitions))


class Function:
    """A function of a text in NESL, of whatever types."""

    def __init__(self, source: str, name: str) -> None:
        self.source = source
        self.name = name
        self._compiled: dict[tuple[str, ...], NeslFunction] = {}

    def typed(self, *types: str) -> NeslFunction:
        """The function for arguments of these types."""
        found = self._compiled.get(types)
        if found is None:
            found = self._compiled[types] = NeslFunction(self.source, self.name, list(types))
        return found

    def __call__(self, *args: Any, as_python: bool = False) -> Any:
        return self.typed(*(type_of(value) for value in args))(*args, as_python=as_python)

    def __reduce__(self) -> Any:
        """The text goes along; what was compiled is found in the cache on disk, or compiled anew."""
        return (Function, (self.source, self.name))

    def __repr__(self) -> str:
        return f"<NESL function {self.name}>"
