"""Methods that only read their value: of texts, lists, sets and dictionaries.

Those that change it are statements (`changes.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from . import arithmetic
from .convert import coerce, get_keys, get_values, named, to_int, to_str, unwrap, wrap
from .errors import Refused
from .ir import ALL, LENGTH, E, Lit, Tup, Zero, bool_lit, if_, int_lit, raw
from .types import BOOL, CHR, INT, STR, T, join, list_of, mutable, set_of, tuple_of

Method = Callable[[E, list[E]], E]


def call(value: E, name: str, args: list[E]) -> E | None:
    """The method's value, or none if there is no such method."""
    kind = value.ty.kind
    if kind in ("str", "chr"):
        if name in CHAR_TESTS and not args:
            return _char_test(value, name)
        if name in ("upper", "lower", "swapcase") and kind == "chr":
            return raw(CHR, f"py_{name}_char({{0}})", value)
        value, kind = to_str(value), "str"
    f = {"str": TEXT, "list": LIST, "set": SET, "dict": DICT, "tuple": TUPLE}.get(kind, {}).get(name)
    return None if f is None else f(value, args)


CHAR_TESTS = ("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isdecimal", "isnumeric")


def _char_test(value: E, name: str) -> E:
    name = {"isdecimal": "isdigit", "isnumeric": "isdigit"}.get(name, name)
    if value.ty.kind == "chr":
        return raw(BOOL, f"py_{name}_char({{0}})", value)
    return raw(BOOL, f"py_{name}({{0}})", value)


def want(args: list[E], low: int, high: int | None = None) -> None:
    if not low <= len(args) <= (low if high is None else high):
        raise Refused("this number of arguments")


def _plain(text: str, ty: T, n: int = 0) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, n)
        return raw(ty, text, v, *(to_str(a) for a in args))

    return method


def _strip(name: str) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, 0, 1)
        if not args or args[0].ty.kind == "none":
            return raw(STR, f"py_{name}({{0}})", v)
        return raw(STR, f"py_{name}_of({{0}}, {{1}})", v, to_str(args[0]))

    return method


def _split(v: E, args: list[E]) -> E:
    want(args, 0, 1)
    if not args or args[0].ty.kind == "none":
        return raw(list_of(STR), "py_words({0})", v)
    if args[0].ty.kind == "chr":
        return raw(list_of(STR), "py_split_at({0}, {1})", v, args[0])
    return raw(list_of(STR), "py_split({0}, {1})", v, to_str(args[0]), risky=True)


def _join(v: E, args: list[E]) -> E:
    want(args, 1)
    items = unwrap(args[0])
    if isinstance(items, Zero):
        return Lit(STR, value="")
    if items.ty.kind in ("str", "chr"):
        items = coerce(raw(list_of(CHR), "{0}", to_str(items)), list_of(STR))
    if items.ty.kind != "list" or items.ty.elem.kind not in ("str", "chr"):
        raise Refused(f"`join` of a value of type {items.ty}")
    if isinstance(v, Lit) and v.value == "":
        return raw(STR, "flatten({0})" if items.ty.elem.kind == "str" else "{0}", items)
    return raw(STR, "py_join({0}, {1})", v, coerce(items, list_of(STR)))


def _replace(v: E, args: list[E]) -> E:
    want(args, 2)
    if args[0].ty.kind == "chr":
        return raw(STR, "py_replace_char({0}, {1}, {2})", v, args[0], to_str(args[1]))
    return raw(STR, "py_replace({0}, {1}, {2})", v, to_str(args[0]), to_str(args[1]), risky=True)


def _starts(name: str) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, 1, 2)
        if args[0].ty.kind == "tuple":
            from .convert import either
            from .ir import get

            out: E = bool_lit(False)
            for i in range(len(args[0].ty.args)):
                out = either(out, method(v, [get(args[0], i)]))
            return out
        if len(args) == 2:
            return raw(BOOL, f"py_{name}({{0}}, {{1}}, {{2}})", v, to_str(args[0]), to_int(args[1]))
        return raw(BOOL, f"py_{name}({{0}}, {{1}}, 0)", v, to_str(args[0]))

    return method


def _find(name: str, must: bool = False) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, 1, 2)
        start = to_int(args[1]) if len(args) == 2 else int_lit(0)
        if name == "rfind" and len(args) == 2:
            raise Refused("`rfind` from a place on")
        text = f"py_{name}({{0}}, {{1}}, {{2}})" if name == "find" else f"py_{name}({{0}}, {{1}})"
        rng = (-1, LENGTH[1])
        found = raw(INT, text, v, to_str(args[0]), *([start] if name == "find" else []), rng=rng)
        return raw(INT, "py_found({0})", found, rng=LENGTH, risky=True) if must else found

    return method


def _count(v: E, args: list[E]) -> E:
    want(args, 1)
    if args[0].ty.kind == "chr":
        return raw(INT, "py_count_char({0}, {1})", v, args[0], rng=LENGTH)
    return raw(INT, "py_count({0}, {1})", v, to_str(args[0]), rng=LENGTH, risky=True)


def _pad(name: str) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, 1, 2)
        fill = args[1] if len(args) == 2 else Lit(CHR, value=" ")
        if fill.ty.kind != "chr":
            raise Refused("padding with a text that is not known to be one character")
        return raw(STR, f"py_{name}({{0}}, {{1}}, {{2}})", v, to_int(args[0]), fill)

    return method


TEXT: dict[str, Method] = {
    "upper": _plain("py_upper({0})", STR), "lower": _plain("py_lower({0})", STR), "swapcase": _plain("py_swapcase({0})", STR),
    "casefold": _plain("py_lower({0})", STR), "capitalize": _plain("py_capitalize({0})", STR), "title": _plain("py_title({0})", STR),
    "strip": _strip("strip"), "lstrip": _strip("lstrip"), "rstrip": _strip("rstrip"), "split": _split, "join": _join,
    "replace": _replace, "startswith": _starts("starts"), "endswith": _starts("ends"), "find": _find("find"), "rfind": _find("rfind"),
    "index": _find("find", True), "rindex": _find("rfind", True), "count": _count, "splitlines": _plain("py_lines({0})", list_of(STR)),
    "ljust": _pad("ljust"), "rjust": _pad("rjust"), "center": _pad("center"),
    "zfill": lambda v, args: raw(STR, "py_zfill({0}, {1})", v, to_int(args[0])),
    "removeprefix": _plain("py_remove_prefix({0}, {1})", STR, 1), "removesuffix": _plain("py_remove_suffix({0}, {1})", STR, 1),
}  # fmt: skip


def _list_index(v: E, args: list[E]) -> E:
    want(args, 1)
    ty = join(v.ty.elem, args[0].ty)
    return raw(INT, "py_found(find({1}, {0}))", coerce(v, list_of(ty)), coerce(args[0], ty), rng=LENGTH, risky=True)


def _list_count(v: E, args: list[E]) -> E:
    want(args, 1)
    if isinstance(v, Zero):
        return int_lit(0)
    from .convert import equal, fresh
    from .ir import Var, each

    (x, bindings), y = named("x", args[0]), Var(v.ty.elem, name=fresh("y"))
    return wrap(bindings, raw(INT, "count({0})", each(equal(y, x), [(y.name, v)]), rng=LENGTH))


def _copy(v: E, args: list[E]) -> E:
    want(args, 0)
    out = raw(v.ty, "{0}", v, rng=v.rng)
    if any(map(mutable, v.ty.args)):
        out.own, out.aliases = 1, tuple((n, d + 1) for n, d in v.aliases)
    return out


LIST: dict[str, Method] = {"index": _list_index, "count": _list_count, "copy": _copy, "tolist": _copy}
TUPLE: dict[str, Method] = {}


def _set_op(op: str) -> Method:
    def method(v: E, args: list[E]) -> E:
        want(args, 1)
        other = args[0]
        if other.ty.kind == "list":
            other = raw(set_of(other.ty.elem), "remove_duplicates({0})", other)
        if op in ("<=", ">="):
            from .convert import ordered

            return ordered(op, v, other)
        if op == "apart":
            return raw(BOOL, "#{0} == 0", arithmetic.binary("BitAnd", v, other))
        return arithmetic.binary(op, v, other)

    return method


SET: dict[str, Method] = {
    "union": _set_op("BitOr"), "intersection": _set_op("BitAnd"), "difference": _set_op("Sub"), "copy": _copy,
    "symmetric_difference": _set_op("BitXor"), "issubset": _set_op("<="), "issuperset": _set_op(">="), "isdisjoint": _set_op("apart"),
}  # fmt: skip


def _dict_get(v: E, args: list[E]) -> E:
    want(args, 1, 2)
    k, item = v.ty.args
    if k.kind == "never":
        return args[1] if len(args) == 2 else Zero(T("none"))
    key = coerce(args[0], k)
    if len(args) == 2:
        ty = join(item, args[1].ty)
        d = coerce(v, T("dict", (k, ty)))
        return raw(ty, "py_dict_default({0}, {1}, {2})", d, key, coerce(args[1], ty), own=0 if mutable(ty) else ALL)
    (d, bd), (x, bx) = named("d", v), named("k", key)
    ty = T("opt", (item,))
    there = Tup(ty, items=[bool_lit(True), raw(item, "py_dict_get({0}, {1})", d, x, own=0)])
    test = raw(BOOL, "py_dict_has({0}, {1})", d, x)
    return wrap(bd + bx, if_(test, there, Tup(ty, items=[bool_lit(False), Zero(item)]), ty))


def _items(v: E, args: list[E]) -> E:
    k, item = v.ty.args
    (d, bindings) = named("d", v)
    return wrap(bindings, raw(list_of(tuple_of(k, item)), "zip({0}, {1})", get_keys(d), get_values(d), own=0 if mutable(item) else ALL))


DICT: dict[str, Method] = {
    "get": _dict_get, "items": _items, "keys": lambda v, args: get_keys(v), "values": lambda v, args: get_values(v), "copy": _copy,
}  # fmt: skip
