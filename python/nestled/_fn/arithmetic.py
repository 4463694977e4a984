"""Operators by the types of their operands, with checks for overflow where ranges do not rule it out."""

from __future__ import annotations

from .convert import coerce, named, to_float, to_int, truth, unwrap, wrap
from .errors import Refused
from .ir import ALL, INT64, E, Lit, Range, Seq, Tup, Zero, get, int_lit, raw
from .types import BOOL, CHR, FLOAT, INT, NUMBERS, STR, join, mutable, tuple_of


def fits(rng: Range) -> bool:
    return rng is not None and INT64[0] <= rng[0] and rng[1] <= INT64[1]


def corners(a: Range, b: Range, op: str) -> Range:
    """The range of a sum, difference or product."""
    if a is None or b is None:
        return None
    if op == "Add":
        return a[0] + b[0], a[1] + b[1]
    if op == "Sub":
        return a[0] - b[1], a[1] - b[0]
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def clipped(rng: Range) -> Range:
    """The range of a result that has passed its check."""
    if rng is None or (rng[0] <= INT64[0] and rng[1] >= INT64[1]):
        return None
    return max(rng[0], INT64[0]), min(rng[1], INT64[1])


def binary(op: str, a: E, b: E) -> E:
    """`a op b`, by the name of the operator's node."""
    a, b = unwrap(a), unwrap(b)
    if a.ty.kind in NUMBERS and b.ty.kind in NUMBERS:
        return _numbers(op, a, b)
    if op == "Add":
        return _concat(a, b)
    if op == "Mult":
        return _repeat(a, b) if b.ty.kind in NUMBERS else _repeat(b, a)
    if a.ty.kind == b.ty.kind == "set":
        return _sets(op, a, b)
    if op == "Mod" and a.ty.kind in ("str", "chr"):
        raise Refused("`%` formats", "use an f-string")
    if "never" in (a.ty.kind, b.ty.kind):
        return a if a.ty.kind == "never" else b
    raise Refused(f"this operator between values of type {a.ty} and {b.ty}")


def _numbers(op: str, a: E, b: E) -> E:
    if op == "Div":
        x, y = to_float(a), to_float(b)
        if a.ty.kind != "float" and b.ty.kind != "float":
            x, y = to_float(a, exact=True), to_float(b, exact=True)
        safe = isinstance(b, Lit) and b.value != 0
        return raw(FLOAT, "{0} / {1}", x, y, risky=not safe)
    if op in ("BitAnd", "BitOr", "BitXor") and a.ty == b.ty == BOOL:
        return raw(BOOL, "{0} " + {"BitAnd": "and", "BitOr": "or", "BitXor": "xor"}[op] + " {1}", a, b)
    if "float" in (a.ty.kind, b.ty.kind):
        return _floats(op, a, b)
    return _ints(op, to_int(a), to_int(b))


def _floats(op: str, a: E, b: E) -> E:
    if op == "Pow":
        return power(a, b)
    x, y = to_float(a), to_float(b)
    plain = {"Add": "+", "Sub": "-", "Mult": "*"}
    if op in plain:
        return raw(FLOAT, f"{{0}} {plain[op]} {{1}}", x, y)
    helper = {"FloorDiv": "py_float_div", "Mod": "py_float_mod"}.get(op)
    if helper is None:
        raise Refused("a bit operation between floats")
    return raw(FLOAT, f"{helper}({{0}}, {{1}})", x, y, risky=True)


def _ints(op: str, a: E, b: E) -> E:
    if isinstance(a, Lit) and isinstance(b, Lit) and op in ("Add", "Sub", "Mult"):
        value = {"Add": a.value + b.value, "Sub": a.value - b.value, "Mult": a.value * b.value}[op]
        if fits((value, value)):
            return int_lit(value)
    if op in ("Add", "Sub", "Mult"):
        rng = corners(a.rng, b.rng, op)
        if fits(rng):
            return raw(INT, "{0} " + {"Add": "+", "Sub": "-", "Mult": "*"}[op] + " {1}", a, b, rng=rng)
        checked = {"Add": "py_add", "Sub": "py_sub", "Mult": "py_mul"}[op]
        return raw(INT, checked + "({0}, {1})", a, b, rng=clipped(corners(a.rng or INT64, b.rng or INT64, op)))
    if op in ("FloorDiv", "Mod"):
        return _division(op, a, b)
    if op == "Pow":
        return power(a, b)
    if op in ("LShift", "RShift"):
        return _shift(op, a, b)
    rng = None
    if a.rng and b.rng and a.rng[0] >= 0 and b.rng[0] >= 0:
        top = min(a.rng[1], b.rng[1]) if op == "BitAnd" else (1 << max(a.rng[1], b.rng[1]).bit_length()) - 1
        rng = (0, top)
    elif op == "BitAnd" and (low := [r for r in (a.rng, b.rng) if r and r[0] >= 0]):
        rng = (0, min(r[1] for r in low))
    words = {"BitAnd": "and", "BitOr": "or", "BitXor": "xor"}
    if op not in words:
        raise Refused("this operator between integers")
    return raw(INT, f"{{0}} {words[op]} {{1}}", a, b, rng=rng)


def _division(op: str, a: E, b: E) -> E:
    known = isinstance(b, Lit) and b.value > 0
    if known and isinstance(b, Lit):
        low = a.rng is not None and a.rng[0] >= 0
        rng: Range = (a.rng[0] // b.value, a.rng[1] // b.value) if a.rng else None
        if op == "Mod":
            text = "{0} and {1}" if b.value & (b.value - 1) == 0 else "rem({0}, {1})" if low else "mod({0}, {1})"
            right = int_lit(b.value - 1) if text == "{0} and {1}" else b
            return raw(INT, text, a, right, rng=(0, b.value - 1))
        if b.value & (b.value - 1) == 0:
            return raw(INT, "rshift({0}, {1})", a, int_lit(b.value.bit_length() - 1), rng=rng)
        return raw(INT, "{0} / {1}" if low else "py_floor_div({0}, {1})", a, b, rng=rng)
    positive = a.rng is not None and b.rng is not None and a.rng[0] >= 0 and b.rng[0] >= 0
    if op == "Mod":
        bound: Range = (min(b.rng[0] + 1, 0), max(b.rng[1] - 1, 0)) if b.rng else None
        if positive and b.rng:
            bound = (0, max(b.rng[1] - 1, 0))
        return raw(INT, "rem({0}, {1})" if positive else "mod({0}, {1})", a, b, rng=bound, risky=True)
    top = max(abs(a.rng[0]), abs(a.rng[1])) if a.rng else 0
    quotient: Range = (0, top) if positive else (-top - 1, top + 1) if a.rng and fits((-top - 1, top + 1)) else None
    return raw(INT, "{0} / {1}" if positive else "py_floor_div({0}, {1})", a, b, rng=quotient, risky=True)


def _shift(op: str, a: E, b: E) -> E:
    known = isinstance(b, Lit) and 0 <= b.value < 63
    if op == "RShift":
        rng: Range = (a.rng[0] >> b.value, a.rng[1] >> b.value) if known and isinstance(b, Lit) and a.rng else None
        if rng is None and a.rng and a.rng[0] >= 0:
            rng = (0, a.rng[1])
        return raw(INT, "rshift({0}, {1})" if known else "py_rshift({0}, {1})", a, b, rng=rng, risky=not known)
    rng = (a.rng[0] << b.value, a.rng[1] << b.value) if known and isinstance(b, Lit) and a.rng else None
    if fits(rng):
        return raw(INT, "lshift({0}, {1})", a, b, rng=rng)
    return raw(INT, "py_lshift({0}, {1})", a, b, risky=not known)


def power(a: E, b: E) -> E:
    """`a ** b`. Of integers it is an integer unless the exponent is negative, which Python gives as a float."""
    whole = a.ty.kind != "float" and b.ty.kind != "float"
    if isinstance(b, Lit) and b.ty.kind == "int" and 0 <= b.value <= 3:
        x, bindings = named("x", to_int(a) if whole else to_float(a))
        out: E = int_lit(1) if whole else Lit(FLOAT, value=1.0)
        for i in range(b.value):
            out = x if i == 0 else binary("Mult", out, x)
        return wrap(bindings, out)
    if whole:
        if isinstance(b, Lit) and b.value < 0:
            return raw(FLOAT, "py_float_power({0}, {1})", to_float(a, True), to_int(b), risky=True)
        return raw(INT, "py_power({0}, {1})", to_int(a), to_int(b), risky=True)
    if b.ty.kind != "float":
        return raw(FLOAT, "py_float_power({0}, {1})", to_float(a), to_int(b), risky=True)
    if isinstance(b, Lit) and b.value == 0.5:
        return raw(FLOAT, "py_sqrt({0})", to_float(a), risky=True)
    return raw(FLOAT, "py_pow({0}, {1})", to_float(a), b, risky=True)


def unary(op: str, a: E) -> E:
    a = unwrap(a)
    if a.ty.kind == "float" and op in ("USub", "UAdd"):
        if isinstance(a, Lit):
            return Lit(FLOAT, value=-a.value if op == "USub" else a.value)
        return raw(FLOAT, "negate({0})", a) if op == "USub" else a
    if op == "Not":
        return truth(a)
    a = to_int(a)
    if op == "UAdd":
        return a
    if op == "Invert":
        return raw(INT, "not({0})", a, rng=(-a.rng[1] - 1, -a.rng[0] - 1) if a.rng else None)
    if isinstance(a, Lit):
        return int_lit(-a.value)
    rng = (-a.rng[1], -a.rng[0]) if a.rng else None
    return raw(INT, "negate({0})" if fits(rng) else "py_negate({0})", a, rng=rng if fits(rng) else None)


def _concat(a: E, b: E) -> E:
    ka, kb = a.ty.kind, b.ty.kind
    if {ka, kb} <= {"str", "chr"}:
        return concat_all([coerce(a, STR), coerce(b, STR)])
    if ka == kb == "tuple":
        parts = [get(a, i) for i in range(len(a.ty.args))] + [get(b, i) for i in range(len(b.ty.args))]
        return Tup(tuple_of(*(p.ty for p in parts)), items=parts, own=min(a.own, b.own), aliases=a.aliases + b.aliases)
    if ka == kb == "list":
        return concat_lists([a, b])
    if "never" in (ka, kb):
        return a if ka == "never" else b
    raise Refused(f"`+` between values of type {a.ty} and {b.ty}")


def concat_all(parts: list[E]) -> E:
    """Texts, one behind the other."""
    parts = [p for p in parts if not (isinstance(p, Lit) and p.value == "")]
    if not parts:
        return Lit(STR, value="")
    out = parts[0]
    for p in parts[1:]:
        out = raw(STR, "{0} ++ {1}", out, p)
    return out


def concat_lists(parts: list[E]) -> E:
    """Lists, one behind the other; the elements stay those of the parts."""
    ty = parts[0].ty
    for p in parts[1:]:
        ty = join(ty, p.ty)
    if all(isinstance(p, Zero) for p in parts):
        return Zero(ty)
    kept = [coerce(p, ty) for p in parts if not isinstance(p, Zero)]
    aliases = tuple((n, d + 1) for p in parts for n, d in p.aliases) if mutable(ty.elem) else ()
    own = ALL if not mutable(ty.elem) else max(min(p.own for p in parts), 1)
    out = kept[0]
    for p in kept[1:]:
        rng = (min(out.rng[0], p.rng[0]), max(out.rng[1], p.rng[1])) if out.rng and p.rng else None
        out = raw(ty, "{0} ++ {1}", out, p, own=own, rng=rng)
    if len(kept) == 1:
        out = raw(ty, "{0}", out, own=own, rng=out.rng)
    out.aliases = aliases
    return out


def _repeat(v: E, n: E) -> E:
    n = to_int(n)
    if v.ty.kind in ("str", "chr"):
        return raw(STR, "py_repeat({0}, {1})", coerce(v, STR), n)
    if v.ty.kind == "tuple" and isinstance(n, Lit):
        parts = [get(v, i) for _ in range(max(n.value, 0)) for i in range(len(v.ty.args))]
        return Tup(tuple_of(*(p.ty for p in parts)), items=parts)
    if v.ty.kind != "list":
        raise Refused(f"`*` with a value of type {v.ty}")
    own = 1 if mutable(v.ty.elem) else ALL
    if isinstance(v, Zero):
        return v
    if isinstance(v, Seq) and len(v.items) == 1:
        return raw(v.ty, "dist({0}, max({1}, 0))", v.items[0], n, own=own, rng=v.rng)
    return raw(v.ty, "py_repeat({0}, {1})", v, n, own=own, rng=v.rng)


def _sets(op: str, a: E, b: E) -> E:
    ty = join(a.ty, b.ty)
    text = {"BitOr": "union({0}, {1})", "BitAnd": "py_both({0}, {1})", "Sub": "py_without({0}, {1})", "BitXor": "py_one_of({0}, {1})"}
    if op not in text:
        raise Refused("this operator between sets")
    return raw(ty, text[op], coerce(a, ty), coerce(b, ty))


def as_text(e: E) -> E:
    """`str(e)`."""
    e = unwrap(e)
    k = e.ty.kind
    if k in ("str", "chr"):
        return coerce(e, STR)
    if k == "int":
        return Lit(STR, value=str(e.value)) if isinstance(e, Lit) else raw(STR, "int_string({0})", e)
    if k == "bool":
        from .ir import if_

        return if_(e, Lit(STR, value="True"), Lit(STR, value="False"), STR)
    raise Refused(f"a value of type {e.ty} as text", "format floats with digits: f'{x:.3f}'")


def format_value(e: E, spec: str) -> E:
    """A value in an f-string."""
    if not spec:
        return as_text(e)
    fill, align, width, kind, digits, sign = _spec(spec)
    if kind == "f":
        text: E = raw(STR, "py_fixed({0}, {1})", to_float(e, exact=True), int_lit(digits), risky=True)
    elif e.ty.kind == "float" or kind not in ("d", "s", "") or digits >= 0 or sign:
        raise Refused(f"the format `{spec}`", "use widths, `d`, and `.2f` with so many digits")
    else:
        text = as_text(e)
    if not width:
        return text
    numeric = e.ty.kind in NUMBERS
    if fill == "0" and align == "=":
        return raw(STR, "py_zfill({0}, {1})", text, int_lit(width))
    helper = {"<": "py_ljust", ">": "py_rjust", "^": "py_center_format"}[align or (">" if numeric else "<")]
    return raw(STR, f"{helper}({{0}}, {{1}}, {{2}})", text, int_lit(width), Lit(CHR, value=fill))


def _spec(spec: str) -> tuple[str, str, int, str, int, str]:
    import re

    m = re.fullmatch(r"(?:(.)?([<>^=]))?([+ ]?)(0?)(\d*)(?:\.(\d+))?([a-zA-Z]?)", spec)
    if m is None:
        raise Refused(f"the format `{spec}`")
    fill, align, sign, zero, width, digits, kind = m.groups()
    if zero and not align:
        fill, align = "0", "="
    return fill or " ", align or "", int(width or 0), kind, int(digits) if digits else (6 if kind == "f" else -1), sign

