"""Values of one type as values of another: numbers promoted, `None` wrapped, truth, equality and order.

A conversion happens where types meet, and gives a value that compares equal.
"""

from __future__ import annotations

from .errors import Refused, Unknown
from .ir import LENGTH, E, Fail, Get, Hole, If, Let, Lit, Seq, Tup, Var, Zero, bool_lit, each, fail, get, if_, int_lit, let, raw
from .types import BOOL, FLOAT, INT, NUMBERS, STR, T, list_of

EXACT = (-(2**53), 2**53)
_counter = [0]


def fresh(hint: str) -> str:
    """A name that nothing else has; NESL's names know no capitals."""
    _counter[0] += 1
    word = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in hint.lower()).strip("_") or "v"
    return f"{word if word[0].isalpha() else 'v' + word}_{_counter[0]}"


def restart_names() -> None:
    _counter[0] = 0


def named(hint: str, value: E) -> tuple[E, list[tuple[list[str], E]]]:
    """A variable for a value, and the binding that it wants; numbers and names need none."""
    if isinstance(value, Var) or (isinstance(value, Lit) and value.ty.kind != "str"):
        return value, []
    v = Var(value.ty, name=fresh(hint), rng=value.rng, own=value.own, aliases=value.aliases)
    return v, [([v.name], value)]


def wrap(bindings: list[tuple[list[str], E]], body: E) -> E:
    for names, value in reversed(bindings):
        body = let(names, value, body)
    return body


def retype(e: E, ty: T) -> E:
    """An expression without a value of its own, seen at a type."""
    if isinstance(e, Let) and e.value is not None and e.body is not None:
        return let(e.names, e.value, retype(e.body, ty))
    if isinstance(e, If) and e.cond is not None and e.then is not None and e.other is not None:
        return if_(e.cond, retype(e.then, ty), retype(e.other, ty), ty)
    return e if isinstance(e, Hole) else Fail(ty, risky=True)


def coerce(e: E, ty: T) -> E:
    """The value as one of another type; `join` says which are possible."""
    a, b = e.ty, ty
    if a == b:
        return e
    if a.kind == "never":
        return retype(e, ty)
    if b.kind == "float":
        return to_float(e, exact=True)
    if b.kind == "int" and a.kind == "bool":
        return raw(INT, "btoi({0})", e, rng=(0, 1))
    if b.kind == "str" and a.kind == "chr":
        if isinstance(e, Lit):
            return Lit(STR, value=e.value)
        return Seq(STR, items=[e], risky=e.risky)
    if b.kind == "opt" and a.kind != "opt":
        if a.kind == "none":
            return Tup(b, items=[bool_lit(False), Zero(b.elem)])
        return Tup(b, items=[bool_lit(True), coerce(e, b.elem)], risky=e.risky, own=e.own, aliases=e.aliases)
    if a.kind == "opt" and b.kind != "opt":
        return coerce(unwrap(e), ty)
    return _inside(e, ty)


def _inside(e: E, ty: T) -> E:
    a = e.ty
    if a.kind != ty.kind:
        raise Refused(f"a value of type {a} where {ty} is wanted")
    if a.kind in ("list", "set"):
        if a.elem.kind == "never":
            return let([fresh("none")], e, Zero(ty)) if e.risky else Zero(ty)
        if isinstance(e, Seq):
            return Seq(ty, items=[coerce(x, ty.elem) for x in e.items], risky=e.risky, own=e.own, aliases=e.aliases)
        item = Var(a.elem, name=fresh("x"))
        out = each(coerce(item, ty.elem), [(item.name, e)])
        out.ty, out.own, out.aliases = ty, e.own, e.aliases
        return out
    v, bindings = named("p", e)
    if a.kind == "dict":
        parts = [coerce(Get(list_of(x), value=v, index=i), list_of(y)) for i, (x, y) in enumerate(zip(a.args, ty.args))]
        return wrap(bindings, Tup(ty, items=parts, own=e.own))
    if a.kind == "opt":
        parts = [Get(BOOL, value=v, index=0), coerce(Get(a.elem, value=v, index=1), ty.elem)]
    elif a.kind in ("tuple", "rec"):
        parts = [coerce(get(v if bindings else e, i), t) for i, t in enumerate(ty.args)]
    else:
        raise Refused(f"a value of type {a} where {ty} is wanted")
    return wrap(bindings, Tup(ty, items=parts, risky=e.risky, own=e.own, aliases=e.aliases))


def opt_parts(e: E) -> tuple[E, E]:
    """A truth value, true if there is a value, and the value."""
    if isinstance(e, Tup):
        return e.items[0], e.items[1]
    elem = Get(e.ty.elem, value=e, index=1, own=e.own, aliases=e.aliases)
    return Get(BOOL, value=e, index=0), elem


def unwrap(e: E) -> E:
    """The value of one that may be None; the call stops if it is. Types that are not known yet, and None itself, end the attempt."""
    if e.ty.kind in ("never", "none"):
        raise Unknown
    if e.ty.kind != "opt":
        return e
    v, bindings = named("o", e)
    there, value = opt_parts(v if bindings else e)
    return wrap(bindings, if_(there, value, fail(e.ty.elem), e.ty.elem))


def to_float(e: E, exact: bool = False) -> E:
    """A number as a float. Where types merely meet, integers that a float cannot hold are refused."""
    if e.ty.kind == "float":
        return e
    if e.ty.kind == "opt":
        return to_float(unwrap(e), exact)
    if isinstance(e, Lit):
        return Lit(FLOAT, value=float(e.value))
    if e.ty.kind == "bool":
        return raw(FLOAT, "float(btoi({0}))", e)
    if e.ty.kind != "int":
        raise Refused(f"a value of type {e.ty} where a number is wanted")
    safe = not exact or (e.rng is not None and EXACT[0] <= e.rng[0] and e.rng[1] <= EXACT[1])
    return raw(FLOAT, "float({0})" if safe else "py_exact({0})", e)


def to_int(e: E) -> E:
    e = unwrap(e)
    if e.ty.kind == "int":
        return e
    if e.ty.kind == "bool":
        if isinstance(e, Lit):
            return int_lit(int(e.value))
        return raw(INT, "btoi({0})", e, rng=(0, 1))
    raise Refused(f"a value of type {e.ty} where an integer is wanted")


def to_str(e: E) -> E:
    return coerce(unwrap(e), STR)


def truth(e: E) -> E:
    """The truth of a value, as `if` sees it."""
    k = e.ty.kind
    if k == "bool":
        return e
    if isinstance(e, Lit):
        return bool_lit(bool(e.value))
    if k == "int":
        return raw(BOOL, "{0} /= 0", e)
    if k == "float":
        return raw(BOOL, "{0} /= 0.0", e)
    if k in ("list", "str", "set"):
        return raw(BOOL, "#{0} > 0", e)
    if k == "dict":
        return raw(BOOL, "#{0} > 0", get_keys(e))
    if k == "opt":
        v, bindings = named("o", e)
        there, value = opt_parts(v)
        return wrap(bindings, both(there, truth(value)))
    if k == "none":
        return known(bool_lit(False), e)
    if k == "never":
        return retype(e, BOOL)
    return known(bool_lit(k in ("chr", "fn") or bool(e.ty.args)), e)


def known(result: E, *values: E) -> E:
    """A result that the types say, of values that are computed all the same where that may raise."""
    return wrap([([fresh("unused")], value) for value in values if value.risky and value.ty.kind != "never"], result)


def decided(test: E) -> tuple[E, list[tuple[list[str], E]]]:
    """The outcome of a test that the types decide, with what is computed before all the same."""
    bindings, e = [], test
    while isinstance(e, Let) and e.value is not None and e.body is not None:
        bindings.append((e.names, e.value))
        e = e.body
    return (e, bindings) if isinstance(e, Lit) else (test, [])


def get_keys(e: E) -> E:
    return Get(list_of(e.ty.args[0]), value=e, index=0)


def get_values(e: E) -> E:
    return Get(list_of(e.ty.args[1]), value=e, index=1)


def both(a: E, b: E) -> E:
    """`a and b` of truth values; the right one guarded only if it may stop the call."""
    lit, bindings = decided(a)
    if isinstance(lit, Lit):
        return wrap(bindings, b if lit.value else lit)
    if isinstance(b, Lit) and b.value:
        return a
    return if_(a, b, bool_lit(False), BOOL) if b.risky else raw(BOOL, "{0} and {1}", a, b)


def either(a: E, b: E) -> E:
    lit, bindings = decided(a)
    if isinstance(lit, Lit):
        return wrap(bindings, lit if lit.value else b)
    if isinstance(b, Lit) and not b.value:
        return a
    return if_(a, bool_lit(True), b, BOOL) if b.risky else raw(BOOL, "{0} or {1}", a, b)


def negation(a: E) -> E:
    lit, bindings = decided(a)
    return wrap(bindings, bool_lit(not lit.value)) if isinstance(lit, Lit) else raw(BOOL, "not({0})", a)


def equal(a: E, b: E) -> E:
    """`a == b`."""
    ka, kb = a.ty.kind, b.ty.kind
    if "opt" in (ka, kb) or "none" in (ka, kb):
        return _equal_opt(a, b)
    if ka in NUMBERS and kb in NUMBERS:
        if ka == kb == "bool":
            return raw(BOOL, "eql({0}, {1})", a, b)
        if "float" in (ka, kb):
            return raw(BOOL, "{0} == {1}", to_float(a, True), to_float(b, True))
        return raw(BOOL, "{0} == {1}", to_int(a), to_int(b))
    if ka == kb == "chr":
        return raw(BOOL, "{0} == {1}", a, b)
    if ka == kb == "set":
        return raw(BOOL, "py_set_equal({0}, {1})", a, coerce(b, a.ty))
    if ka == kb == "dict":
        raise Refused("dictionaries compared as wholes", "compare sorted(d.items())")
    try:
        from .types import join

        ty = join(a.ty, b.ty)
    except Refused:
        return known(bool_lit(False), a, b)
    return raw(BOOL, "eql({0}, {1})", coerce(a, ty), coerce(b, ty))


def _equal_opt(a: E, b: E) -> E:
    if a.ty.kind == "none" or b.ty.kind == "none":
        other = b if a.ty.kind == "none" else a
        if other.ty.kind == "opt":
            return negation(opt_parts(other)[0])
        return known(bool_lit(other.ty.kind == "none"), a, b)
    va, ba = named("o", a)
    vb, bb = named("o", b)
    if a.ty.kind == b.ty.kind == "opt":
        (ta, xa), (tb, xb) = opt_parts(va), opt_parts(vb)
        same = raw(BOOL, "eql({0}, {1})", ta, tb)
        return wrap(ba + bb, both(same, either(negation(ta), equal(xa, xb))))
    there, x = opt_parts(va if a.ty.kind == "opt" else vb)
    return wrap(ba + bb, both(there, equal(x, vb if a.ty.kind == "opt" else va)))


def ordered(op: str, a: E, b: E) -> E:
    """`a op b` for one of `<`, `<=`, `>`, `>=`."""
    a, b = unwrap(a), unwrap(b)
    if a.ty.kind in NUMBERS and b.ty.kind in NUMBERS:
        if "float" in (a.ty.kind, b.ty.kind):
            a, b = to_float(a, True), to_float(b, True)
        else:
            a, b = to_int(a), to_int(b)
        return raw(BOOL, f"{{0}} {op} {{1}}", a, b)
    if a.ty.kind == b.ty.kind == "chr":
        return raw(BOOL, f"{{0}} {op} {{1}}", a, b)
    if a.ty.kind == b.ty.kind == "set":
        text = {"<=": "py_subset({0}, {1})", ">=": "py_subset({1}, {0})", "<": "py_proper({0}, {1})", ">": "py_proper({1}, {0})"}
        return raw(BOOL, text[op], a, coerce(b, a.ty))
    from .types import join

    ty = join(a.ty, b.ty)
    if ty.kind in ("opt", "dict", "fn", "set"):
        raise Refused(f"`{op}` of values of type {ty}")
    a, b = coerce(a, ty), coerce(b, ty)
    text = {"<": "py_less({0}, {1})", ">": "py_less({1}, {0})", "<=": "not(py_less({1}, {0}))", ">=": "not(py_less({0}, {1}))"}
    return raw(BOOL, text[op], a, b)


def small(rng: tuple[int, int] | None) -> bool:
    return rng is not None and rng[0] >= 0


def as_length(e: E) -> E:
    """A count that may be negative, which then means none."""
    if e.rng is not None and e.rng[0] >= 0:
        return e
    if isinstance(e, Lit):
        return int_lit(max(e.value, 0))
    hi = LENGTH[1] if e.rng is None else max(e.rng[1], 0)
    return raw(INT, "max({0}, 0)", e, rng=(0, hi))
