"""Values between Python and NESL: flat arrays by the layout of `nestled`'s `.npz` files, one for each part of a type.

The layout depends on the type alone: lengths beside elements, pairs nested to the right, columns instead of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import CHR, INT, T, fields_of, list_of, tuple_of

Arrays = dict[str, Any]
DTYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_, "chr": np.uint8}


def plain(ty: T) -> T:
    """A type by its layout: scalars, lists and pairs only."""
    k = ty.kind
    if k == "str":
        return list_of(CHR)
    if k in ("list", "set"):
        return list_of(plain(ty.elem))
    if k == "opt":
        return T("pair", (T("bool"), plain(ty.elem)))
    if k == "dict":
        return T("pair", (list_of(plain(ty.args[0])), list_of(plain(ty.args[1]))))
    if k in ("tuple", "rec") and ty.args:
        head = plain(ty.args[0])
        return head if len(ty.args) == 1 else T("pair", (head, plain(tuple_of(*ty.args[1:]))))
    return ty if k in DTYPES else INT


def lowered(value: Any, ty: T) -> Any:
    """A value as lists and pairs of scalars."""
    k = ty.kind
    if hasattr(value, "tolist") and k == "list":
        value = value.tolist()
    if k == "str":
        return list(value.encode("ascii"))
    if k == "chr":
        return ord(value)
    if k in ("list", "set"):
        return value if ty.elem.kind in ("int", "float", "bool") else [lowered(v, ty.elem) for v in value]
    if k == "opt":
        return (False, empty(ty.elem)) if value is None else (True, lowered(value, ty.elem))
    if k == "dict":
        return lowered(list(value), list_of(ty.args[0])), lowered(list(value.values()), list_of(ty.args[1]))
    if k == "rec":
        value = [getattr(value, f) for f in fields_of(ty.tag) or ()]
    if k in ("tuple", "rec") and ty.args:
        items = [lowered(v, t) for v, t in zip(value, ty.args)]
        out = items[-1]
        for x in reversed(items[:-1]):
            out = (x, out)
        return out
    return value if k in DTYPES else 0


def empty(ty: T) -> Any:
    """Some value of a type."""
    zeros: dict[str, Any] = {"str": "", "chr": " ", "list": [], "set": [], "dict": {}, "opt": None, "float": 0.0, "bool": False}
    if ty.kind in ("tuple", "rec"):
        return lowered_tuple([empty(t) for t in ty.args])
    value = zeros.get(ty.kind, 0)
    return lowered(value, ty)


def lowered_tuple(items: list[Any]) -> Any:
    if not items:
        return 0
    out = items[-1]
    for x in reversed(items[:-1]):
        out = (x, out)
    return out


def raised(value: Any, ty: T) -> Any:
    """The value that Python sees."""
    k = ty.kind
    if k == "str":
        return bytes(value).decode("ascii")
    if k == "chr":
        return chr(value)
    if k in ("list", "set"):
        items = value if ty.elem.kind in ("int", "float", "bool") else [raised(v, ty.elem) for v in value]
        return set(items) if k == "set" else items
    if k == "opt":
        return raised(value[1], ty.elem) if value[0] else None
    if k == "dict":
        keys, items = raised(value[0], list_of(ty.args[0])), raised(value[1], list_of(ty.args[1]))
        return dict(zip(keys, items))
    if k in ("tuple", "rec"):
        parts: list[Any] = []
        for i, t in enumerate(ty.args):
            last = i + 1 == len(ty.args)
            parts.append(raised(value if last else value[0], t))
            value = value if last else value[1]
        return ty.tag(*parts) if k == "rec" else tuple(parts)
    return None if k == "none" else value


def direct(ty: T) -> bool:
    """True if a value goes to the extension module and back as it is."""
    if ty.kind in ("list", "tuple"):
        return all(map(direct, ty.args)) and (ty.kind == "list" or len(ty.args) > 1)
    return ty.kind in ("int", "float", "bool", "str")


def to_native(value: Any, ty: T) -> Any:
    """A value as the extension module takes it: numbers, texts, lists and tuples."""
    if direct(ty):
        return value
    k = ty.kind
    if k in ("list", "set"):
        return [to_native(v, ty.elem) for v in value]
    if k == "opt":
        return (False, vacant(ty.elem)) if value is None else (True, to_native(value, ty.elem))
    if k == "dict":
        return [to_native(v, ty.args[0]) for v in value], [to_native(v, ty.args[1]) for v in value.values()]
    if k == "rec":
        value = [getattr(value, f) for f in fields_of(ty.tag) or ()]
    if k in ("tuple", "rec") and ty.args:
        items = tuple(to_native(v, t) for v, t in zip(value, ty.args))
        return items if len(items) > 1 else items[0]
    return 0


def vacant(ty: T) -> Any:
    """Some value of a type, as the extension module takes it."""
    if ty.kind in ("tuple", "rec") and ty.args:
        items = tuple(map(vacant, ty.args))
        return items if len(items) > 1 else items[0]
    zeros: dict[str, Any] = {"str": "", "chr": " ", "list": [], "set": [], "dict": ([], []), "float": 0.0, "bool": False}
    return (False, vacant(ty.elem)) if ty.kind == "opt" else zeros.get(ty.kind, 0)


def from_native(value: Any, ty: T) -> Any:
    """A result of the extension module as Python sees it."""
    if direct(ty):
        return value
    k = ty.kind
    if k in ("list", "set"):
        items = list(value) if ty.elem.kind in ("chr", "int", "float", "bool") else [from_native(v, ty.elem) for v in value]
        return set(items) if k == "set" else items
    if k == "opt":
        return from_native(value[1], ty.elem) if value[0] else None
    if k == "dict":
        return dict(zip(from_native(value[0], list_of(ty.args[0])), from_native(value[1], list_of(ty.args[1]))))
    if k in ("tuple", "rec"):
        given = value if len(ty.args) > 1 else (value,)
        parts = [from_native(v, t) for v, t in zip(given, ty.args)]
        return ty.tag(*parts) if k == "rec" else tuple(parts)
    return None if k == "none" else value


def under(name: str, part: str) -> str:
    return f"{name}.{part}" if name else part


def encode(value: Any, ty: T) -> Arrays:
    """The arrays of a value."""
    out: Arrays = {}
    _one(out, "", lowered(value, ty), plain(ty))
    return out


def _one(out: Arrays, name: str, value: Any, ty: T) -> None:
    if ty.kind == "pair":
        _one(out, under(name, "0"), value[0], ty.args[0])
        _one(out, under(name, "1"), value[1], ty.args[1])
    elif ty.kind != "list":
        out[name or "value"] = np.array(value, DTYPES[ty.kind])
    elif ty.elem.kind == "list":
        _many(out, name, value, ty.elem)
    elif ty.elem.kind == "pair":
        _many(out, under(name, "elements"), value, ty.elem)
    else:
        out[name or "value"] = np.array(value, DTYPES[ty.elem.kind])


def _many(out: Arrays, name: str, values: Any, ty: T) -> None:
    if ty.kind == "pair":
        _many(out, under(name, "0"), [v[0] for v in values], ty.args[0])
        _many(out, under(name, "1"), [v[1] for v in values], ty.args[1])
    elif ty.kind == "list":
        out[under(name, "lengths")] = np.array([len(v) for v in values], np.int64)
        _many(out, under(name, "elements"), [x for v in values for x in v], ty.elem)
    else:
        out[name] = np.array(values, DTYPES[ty.kind])


def decode(arrays: Any, ty: T, name: str = "") -> Any:
    """The value of the arrays."""
    return raised(_read(arrays, name, plain(ty), 0), ty)


def _read(arrays: Any, name: str, ty: T, depth: int) -> Any:
    """Values under so many axes, as nested lists."""
    if ty.kind == "pair":
        left, right = (_read(arrays, under(name, part), t, depth) for part, t in zip("01", ty.args))
        return _zipped(left, right, depth)
    if ty.kind != "list":
        return arrays[name or "value"].tolist()
    lengths = arrays.get(under(name, "lengths"))
    if lengths is not None and lengths.ndim == depth:
        flat = _read(arrays, under(name, "elements"), ty.elem, 1)
        rows, at = [], 0
        for n in lengths.reshape(-1).tolist():
            rows.append(flat[at : at + n])
            at += n
        return _shaped(rows, lengths.shape)
    return _read(arrays, under(name, "elements") if ty.elem.kind == "pair" else name, ty.elem, depth + 1)


def _zipped(left: Any, right: Any, depth: int) -> Any:
    return (left, right) if depth == 0 else [_zipped(a, b, depth - 1) for a, b in zip(left, right)]


def _shaped(rows: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return rows[0]
    if len(shape) == 1:
        return rows
    step = len(rows) // shape[0] if shape[0] else 0
    return [_shaped(rows[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
