"""Types of values: Python's, as far as they are known before a call, and NESL's for them.

A type is immutable and compared by its parts. `str` of length one, as indexing and iteration give it, is a type of its own (`chr`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from .errors import Refused


@dataclass(frozen=True)
class T:
    """A type: its kind, the types of its parts, and for records the class, for functions the code and captured names."""

    kind: str
    args: tuple[T, ...] = ()
    tag: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.kind, self.args, self.tag)))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    @property
    def elem(self) -> T:
        return self.args[0]

    def __str__(self) -> str:
        if self.kind in ("list", "set", "dict", "tuple", "opt"):
            inside = ", ".join(map(str, self.args))
            return f"{inside} | None" if self.kind == "opt" else f"{self.kind}[{inside}]"
        if self.kind == "rec":
            return str(self.tag.__name__)
        return {"chr": "str", "none": "None", "fn": "function"}.get(self.kind, self.kind)


INT, FLOAT, BOOL = T("int"), T("float"), T("bool")
CHR, STR, NONE, NEVER = T("chr"), T("str"), T("none"), T("never")
NUMBERS = ("int", "float", "bool")
SEQUENCES = ("list", "str")


def list_of(t: T) -> T:
    return T("list", (t,))


def set_of(t: T) -> T:
    return T("set", (t,))


def dict_of(k: T, v: T) -> T:
    return T("dict", (k, v))


def tuple_of(*args: T) -> T:
    return T("tuple", args)


def opt_of(t: T) -> T:
    return t if t.kind in ("opt", "none") else T("opt", (t,))


def mutable(t: T) -> bool:
    """True if a value of the type can be changed through another name for it."""
    return t.kind in ("list", "set", "dict") or (t.kind != "fn" and any(map(mutable, t.args)))


def join(a: T, b: T) -> T:
    """The least type that has the values of both, which then compare equal to what they were."""
    if a == b or b.kind == "never":
        return a
    if a.kind == "never":
        return b
    if "none" in (a.kind, b.kind):
        return opt_of(b if a.kind == "none" else a)
    if "opt" in (a.kind, b.kind):
        return opt_of(join(a.elem if a.kind == "opt" else a, b.elem if b.kind == "opt" else b))
    if a.kind in NUMBERS and b.kind in NUMBERS:
        return FLOAT if "float" in (a.kind, b.kind) else INT
    if {a.kind, b.kind} == {"chr", "str"}:
        return STR
    if a.kind == b.kind and len(a.args) == len(b.args) and a.tag == b.tag and a.args:
        return T(a.kind, tuple(map(join, a.args, b.args)), a.tag)
    hint = "give each variable, list and result values of one type"
    raise Refused(f"values of two types meet here: {a} and {b}", hint)


def unknown(t: T) -> bool:
    """True if something empty leaves a part of the type open."""
    return t.kind == "never" or any(map(unknown, t.args))


def settled(t: T) -> T:
    """The type of an argument: empty lists, of which nothing is known, are taken for lists of integers."""
    return INT if t.kind == "never" else T(t.kind, tuple(map(settled, t.args)), t.tag) if t.args else t


def nesl_type(t: T) -> str:
    """The type in NESL."""
    if t.kind in ("int", "float", "bool"):
        return t.kind
    if t.kind == "chr":
        return "char"
    if t.kind == "str":
        return "[char]"
    if t.kind in ("list", "set"):
        return f"[{nesl_type(t.elem)}]"
    if t.kind == "opt":
        return f"(bool, {nesl_type(t.elem)})"
    if t.kind == "dict":
        return f"([{nesl_type(t.args[0])}], [{nesl_type(t.args[1])}])"
    if t.args:
        inside = ", ".join(map(nesl_type, t.args))
        return f"({inside})" if len(t.args) > 1 else inside
    return "int"


def from_nesl(text: str) -> T:
    """The type of Python's that a type of NESL stands for."""
    text = text.strip()
    if text == "[char]":
        return STR
    if text.startswith("["):
        return list_of(from_nesl(text[1:-1]))
    if text.startswith("("):
        parts, level, start = [], 0, 1
        for i, c in enumerate(text):
            level += (c in "([") - (c in ")]")
            if (c == "," and level == 1) or (c == ")" and level == 0):
                parts.append(from_nesl(text[start:i]))
                start = i + 1
        return tuple_of(*parts)
    plain = {"int": INT, "float": FLOAT, "bool": BOOL, "char": CHR}
    if text not in plain:
        raise Refused(f"a value of NESL's type `{text}`", "give numbers, texts, tuples and lists")
    return plain[text]


def fields_of(cls: type) -> tuple[str, ...] | None:
    """The fields of a named tuple or dataclass."""
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return tuple(cls._fields)
    return None


def type_of(value: Any, where: str = "an argument") -> T:
    """The type of a Python value; lists are looked through, since an empty one says nothing of its elements."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise Refused(f"{where} holds an integer beyond 64 bits")
        return INT
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, str):
        if not value.isascii():
            raise Refused(f"{where} holds text with characters beyond ASCII", "pass it as code points: [ord(c) for c in text]")
        return STR
    if value is None:
        return NONE
    if isinstance(value, (bytes, bytearray)):
        return list_of(INT)
    fields = fields_of(type(value))
    if fields is not None:
        return T("rec", tuple(type_of(getattr(value, f), where) for f in fields), type(value))
    if isinstance(value, tuple):
        return tuple_of(*(type_of(v, where) for v in value))
    return _collection(value, where)


def _collection(value: Any, where: str) -> T:
    if isinstance(value, (list, set, frozenset)):
        out = NEVER
        kinds = {type(v) for v in value}
        if kinds <= {int} and kinds:
            for v in value:
                type_of(v, where)
            out = INT
        elif kinds == {float}:
            out = FLOAT
        else:
            for v in value:
                out = join(out, type_of(v, where))
        return list_of(out) if isinstance(value, list) else set_of(out)
    if isinstance(value, dict):
        k = v = NEVER
        for key, item in value.items():
            k, v = join(k, type_of(key, where)), join(v, type_of(item, where))
        return dict_of(k, v)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _array(value, where)
    raise Refused(f"{where} is of type `{type(value).__name__}`", "pass numbers, text, tuples, records, lists, sets, dicts or NumPy arrays")


def _array(value: Any, where: str) -> T:
    kind = {"i": INT, "u": INT, "f": FLOAT, "b": BOOL}.get(value.dtype.kind)
    if kind is None:
        raise Refused(f"{where} is an array of `{value.dtype}`", "pass an array of integers, floats or truth values")
    for _ in value.shape:
        kind = list_of(kind)
    return kind
