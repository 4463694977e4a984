"""Builtins, `math` and NumPy's functions: what each of them is in NESL.

A builtin is found by the object that its name stands for, so that a shadowed name is never taken for it.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import arithmetic
from .convert import coerce, fresh, get_keys, known, named, ordered, to_float, to_int, to_str, truth, unwrap, wrap
from .errors import Refused
from .ir import ALL, LENGTH, E, Lit, Tup, Var, Zero, bool_lit, each, fail, get, if_, int_lit, length, let, raw
from .scope import Env
from .types import BOOL, CHR, FLOAT, INT, STR, T, join, mutable, set_of, tuple_of

if TYPE_CHECKING:
    from .calls import Calls

Builtin = Callable[["Calls", ast.Call, Env], E]
TABLE: dict[Any, Builtin] = {}


def find(target: Any) -> Builtin | None:
    """The meaning of a call of an object; none if it is no builtin, or none with a meaning here."""
    from . import maths, numpys  # they fill the table; they need what stands here

    assert maths.FLOATS
    try:
        return TABLE.get(target) or numpys.function(target)
    except TypeError:
        return None


def builtin(*targets: Any) -> Callable[[Builtin], Builtin]:
    def keep(f: Builtin) -> Builtin:
        TABLE.update(dict.fromkeys(targets, f))
        return f

    return keep


def keywords(node: ast.Call, *allowed: str) -> dict[str, ast.expr]:
    for k in node.keywords:
        if k.arg not in allowed:
            raise Refused(f"the argument `{k.arg}` of this function")
    return {k.arg: k.value for k in node.keywords if k.arg}


def arguments(lo: Calls, node: ast.Call, env: Env, low: int, high: int | None = None) -> list[E]:
    keywords(node)
    if not low <= len(node.args) <= (low if high is None else high):
        raise Refused("this number of arguments")
    return [unwrap(lo.expr(a, env)) for a in node.args]


def scalar_var(v: E) -> tuple[Var, E]:
    """A variable for the elements of a list."""
    if v.ty.kind == "str":
        return Var(CHR, name=fresh("c")), v
    return Var(v.ty.elem, name=fresh("x"), rng=v.rng), v


@builtin(len)
def b_len(lo: Calls, node: ast.Call, env: Env) -> E:
    if isinstance(node.args[0], (ast.GeneratorExp, ast.ListComp)):
        return length(lo.listed(node.args[0], env, False))
    (x,) = arguments(lo, node, env, 1)
    if x.ty.kind in ("tuple", "rec"):
        return known(int_lit(len(x.ty.args)), x)
    if x.ty.kind == "dict":
        return length(get_keys(x))
    if isinstance(x, Zero):
        return int_lit(0)
    if x.ty.kind == "chr":
        return known(int_lit(1), x)
    if isinstance(x, Lit) and x.ty == STR:
        return int_lit(len(x.value))
    if x.ty.kind not in ("list", "str", "set"):
        raise Refused(f"`len` of a value of type {x.ty}")
    return length(x)


def nothing(v: E, value: E) -> E | None:
    """A value for a list of which no element has a type: it is empty, or the call fails."""
    if v.ty.elem.kind != "never":
        return None
    return let([fresh("none")], v, value) if v.risky else value


def total(v: E) -> E:
    """The sum of a list of numbers."""
    none = nothing(v, int_lit(0))
    if none is not None:
        return none
    k = v.ty.elem.kind
    if k == "float":
        return raw(FLOAT, "sum({0})", v)
    if k == "bool":
        return raw(INT, "count({0})", v, rng=LENGTH)
    if k != "int":
        raise Refused(f"`sum` of values of type {v.ty.elem}")
    if v.rng is not None and max(abs(v.rng[0]), abs(v.rng[1])) <= 2**22:
        return raw(INT, "sum({0})", v, rng=(v.rng[0] * 2**40 if v.rng[0] < 0 else 0, max(v.rng[1], 0) * 2**40))
    return raw(INT, "py_sum({0})", v)


@builtin(sum)
def b_sum(lo: Calls, node: ast.Call, env: Env) -> E:
    words = keywords(node, "start")
    v = lo.listed(node.args[0], env, False)
    start = node.args[1] if len(node.args) > 1 else words.get("start")
    if v.ty.elem.kind in ("list", "str", "chr"):
        begin = lo.expr(start, env) if start is not None else None
        if begin is None or begin.ty.kind != "list":
            raise Refused(f"`sum` of values of type {v.ty.elem}", "join texts by ''.join(…), lists by sum(lists, [])")
        flat = raw(v.ty.elem, "flatten({0})", v, own=1 if mutable(v.ty.elem.elem) else ALL)
        return arithmetic.concat_lists([begin, flat])
    if v.ty.elem.kind == "opt":
        x, _ = scalar_var(v)
        v = each(unwrap(x), [(x.name, v)])
    s = total(v)
    return s if start is None else arithmetic.binary("Add", lo.expr(start, env), s)


def boolean(lo: Calls, node: ast.Call, env: Env) -> E:
    """The truths of the elements of an iterable."""
    arg = node.args[0]
    keywords(node)
    if isinstance(arg, (ast.GeneratorExp, ast.ListComp)):
        return lo.comprehension(arg.generators, lambda inner: lo.cond(arg.elt, inner), env, False)
    v = lo.listed(arg, env, False)
    if v.ty.elem.kind == "never":
        return v
    x, v = scalar_var(v)
    return v if v.ty.elem == BOOL else each(truth(x), [(x.name, v)])


@builtin(any)
def b_any(lo: Calls, node: ast.Call, env: Env) -> E:
    v = boolean(lo, node, env)
    return nothing(v, bool_lit(False)) or raw(BOOL, "any({0})", v)


@builtin(all)
def b_all(lo: Calls, node: ast.Call, env: Env) -> E:
    v = boolean(lo, node, env)
    return nothing(v, bool_lit(True)) or raw(BOOL, "all({0})", v)


def keyed(lo: Calls, v: E, key: ast.expr | None, env: Env) -> E:
    """The keys of the elements of a list."""
    if key is None or (isinstance(key, ast.Constant) and key.value is None):
        return v
    f = lo.function_arg(key, env)
    x, _ = scalar_var(v)
    return each(lo.apply(f, [x], env), [(x.name, v)])


def extreme(lo: Calls, node: ast.Call, env: Env, least: bool) -> E:
    """`min` and `max`."""
    words = keywords(node, "key", "default")
    name = "min" if least else "max"
    if len(node.args) > 1:
        values = [unwrap(lo.expr(a, env)) for a in node.args]
        if "key" not in words:
            return functools.reduce(lambda a, b: lesser(a, b, least), values)
        v: E = lo.seq(values)
    else:
        v = lo.listed(node.args[0], env, "key" in words)
    default = lo.expr(words["default"], env) if "default" in words else None
    if v.ty.elem.kind == "never":
        return nothing(v, default if default is not None else fail()) or fail()
    v, bindings = named("v", v)
    if default is not None and default.risky:
        # It is computed, and may fail, though the list has elements.
        default, before = named("default", default)
        bindings = bindings + before
    k = v.ty.elem.kind
    if "key" not in words and k in ("int", "float", "chr"):
        text = f"py_{name}({{0}})" if k != "float" else f"py_{name}_float({{0}})"
        out: E = raw(v.ty.elem, text, v, risky=True, rng=v.rng)
    else:
        keys = keyed(lo, v, words.get("key"), env)
        how = ("scalar_" if keys.ty.elem.kind in ("int", "chr") else "") + name
        out = raw(v.ty.elem, f"py_{how}_by({{0}}, {{1}})", v, keys, risky=True, own=0 if mutable(v.ty.elem) else ALL)
        out.aliases = tuple((n, d + 1) for n, d in v.aliases) if mutable(v.ty.elem) else ()
    if default is not None:
        ty = join(out.ty, default.ty)
        out = if_(raw(BOOL, "#{0} == 0", v), coerce(default, ty), coerce(out, ty), ty)
    return wrap(bindings, out)


def lesser(a: E, b: E, least: bool) -> E:
    """The lesser or greater of two values; the first one if they are equal."""
    ty = join(a.ty, b.ty)
    if ty == BOOL:
        ty = INT
    x, bx = named("a", coerce(a, ty))
    y, by = named("b", coerce(b, ty))
    if ty == INT:
        rng = None
        pick = min if least else max
        if x.rng and y.rng:
            rng = (pick(x.rng[0], y.rng[0]), pick(x.rng[1], y.rng[1]))
        elif (x.rng or y.rng) and (one := x.rng or y.rng):
            rng = (-(2**63), one[1]) if least else (one[0], 2**63 - 1)
        return raw(INT, f"{'min' if least else 'max'}({{0}}, {{1}})", coerce(a, ty), coerce(b, ty), rng=rng)
    return wrap(bx + by, if_(ordered("<" if least else ">", y, x), y, x, ty))


@builtin(min)
def b_min(lo: Calls, node: ast.Call, env: Env) -> E:
    return extreme(lo, node, env, True)


@builtin(max)
def b_max(lo: Calls, node: ast.Call, env: Env) -> E:
    return extreme(lo, node, env, False)


def sorted_value(lo: Calls, v: E, key: ast.expr | None, reverse: E | None, env: Env) -> E:
    """A list in order; equal elements keep theirs."""
    if isinstance(v, Zero) or v.ty.elem.kind == "never":
        return v
    down = isinstance(reverse, Lit) and bool(reverse.value)
    if reverse is not None and not isinstance(reverse, Lit):
        raise Refused("`reverse` that is computed", "write both in an if")
    v, bindings = named("v", v)
    keys = keyed(lo, v, key, env)
    if keys.ty.elem.kind in ("fn", "dict", "set", "opt"):
        raise Refused(f"sorting by values of type {keys.ty.elem}")
    if keys.ty.elem.kind == "float":
        x, _ = scalar_var(keys)
        keys = each(raw(FLOAT, "{0} + 0.0", x), [(x.name, keys)])
    if keys is v and not down:
        out = raw(v.ty, "sort({0})", v, rng=v.rng)
    else:
        out = raw(v.ty, f"put({{0}}, {'rank_down' if down else 'rank'}({{1}}), {{0}})", v, keys, rng=v.rng)
    if mutable(v.ty.elem):
        out.own, out.aliases = 1, tuple((n, d + 1) for n, d in v.aliases)
    return wrap(bindings, out)


@builtin(sorted)
def b_sorted(lo: Calls, node: ast.Call, env: Env) -> E:
    words = keywords(node, "key", "reverse")
    reverse = lo.cond(words["reverse"], env) if "reverse" in words else None
    return sorted_value(lo, lo.listed(node.args[0], env, "key" in words), words.get("key"), reverse, env)


@builtin(list, tuple)
def b_list(lo: Calls, node: ast.Call, env: Env) -> E:
    keywords(node)
    if isinstance(node.func, ast.Name) and node.func.id == "tuple":
        raise Refused("`tuple` of values whose number is not known", "use a list")
    return lo.listed(node.args[0], env) if node.args else lo.seq([])


@builtin(range)
def b_range(lo: Calls, node: ast.Call, env: Env) -> E:
    return lo.listed(node, env)


@builtin(zip, enumerate, reversed)
def b_zip(lo: Calls, node: ast.Call, env: Env) -> E:
    return lo.listed(node, env)


@builtin(set, frozenset)
def b_set(lo: Calls, node: ast.Call, env: Env) -> E:
    if not node.args:
        return lo.seq([], "set")
    v = lo.listed(node.args[0], env, False)
    return Zero(T("set", v.ty.args)) if isinstance(v, Zero) else raw(set_of(v.ty.elem), "remove_duplicates({0})", v)


@builtin(dict)
def b_dict(lo: Calls, node: ast.Call, env: Env) -> E:
    keywords(node)
    if not node.args:
        return lo.x_Dict(ast.Dict(keys=[], values=[]), env)
    v = lo.expr(node.args[0], env)
    if v.ty.kind == "dict":
        return raw(v.ty, "{0}", v, own=1)
    it = lo.iter_value(lo.listed(node.args[0], env))
    x = Var(it.columns[0].ty.elem, name=fresh("x"))
    keys, values = (each(get(x, i), [(x.name, it.columns[0])]) for i in (0, 1))
    return wrap(it.bindings, lo.dict_of_pairs(keys, values))


@builtin(map)
def b_map(lo: Calls, node: ast.Call, env: Env) -> E:
    f = lo.function_arg(node.args[0], env)
    lists = [lo.listed(a, env) for a in node.args[1:]]
    bindings: list[tuple[list[str], E]] = []
    sources: list[tuple[str, E]] = []
    values: list[E] = []
    n: E | None = None
    for v in lists:
        v, more = named("v", v)
        bindings += more
        n = length(v) if n is None else raw(INT, "min({0}, {1})", n, length(v))
        x, _ = scalar_var(v)
        sources.append((x.name, v))
        values.append(x)
    if len(sources) > 1 and n is not None:
        count, more = named("n", n)
        bindings += more
        sources = [(name, raw(v.ty, "take({0}, {1})", v, count)) for name, v in sources]
    return wrap(bindings, each(lo.apply(f, values, env), sources))


@builtin(filter)
def b_filter(lo: Calls, node: ast.Call, env: Env) -> E:
    v = lo.listed(node.args[1], env)
    x, _ = scalar_var(v)
    empty = isinstance(node.args[0], ast.Constant) and node.args[0].value is None
    test = truth(x if empty else lo.apply(lo.function_arg(node.args[0], env), [x], env))
    return each(x, [(x.name, v)], test)


@builtin(functools.reduce)
def b_reduce(lo: Calls, node: ast.Call, env: Env) -> E:
    start = [ast.copy_location(ast.Subscript(value=node.args[1], slice=ast.Constant(value=0), ctx=ast.Load()), node)]
    begin: ast.expr = node.args[2] if len(node.args) > 2 else start[0]
    rest: ast.expr = node.args[1]
    if len(node.args) < 3:
        rest = ast.Subscript(value=rest, slice=ast.Slice(lower=ast.Constant(value=1)), ctx=ast.Load())
    names = [ast.Name(id=n, ctx=ast.Load()) for n in ("#acc", "#item")]
    step = ast.Assign(targets=[ast.Name(id="#acc", ctx=ast.Store())], value=ast.Call(func=node.args[0], args=list(names), keywords=[]))
    loop = ast.For(target=ast.Name(id="#item", ctx=ast.Store()), iter=rest, body=[step], orelse=[])
    first = ast.Assign(targets=[ast.Name(id="#acc", ctx=ast.Store())], value=begin)
    body: list[ast.stmt] = [first, loop, ast.Return(value=names[0])]
    for s in body:
        for n in ast.walk(s):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, node)
    return lo.inline_block(body, env)


@builtin(abs, math.fabs)
def b_abs(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    if x.ty.kind == "float" or isinstance(node.func, ast.Attribute):
        return raw(FLOAT, "abs({0})", to_float(x))
    x = to_int(x)
    rng = (0, max(abs(x.rng[0]), abs(x.rng[1]))) if x.rng else (0, 2**63 - 1)
    return raw(INT, "abs({0})" if x.rng and x.rng[0] > -(2**63) else "py_abs({0})", x, rng=rng)


@builtin(divmod)
def b_divmod(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    (x, bx), (y, by) = named("a", a), named("b", b)
    q, r = arithmetic.binary("FloorDiv", x, y), arithmetic.binary("Mod", x, y)
    return wrap(bx + by, Tup(tuple_of(q.ty, r.ty), items=[q, r], risky=True))


@builtin(pow)
def b_pow(lo: Calls, node: ast.Call, env: Env) -> E:
    args = arguments(lo, node, env, 2, 3)
    if len(args) == 2:
        return arithmetic.binary("Pow", *args)
    return raw(INT, "py_power_mod({0}, {1}, {2})", *map(to_int, args), risky=True)


@builtin(round)
def b_round(lo: Calls, node: ast.Call, env: Env) -> E:
    args = arguments(lo, node, env, 1, 2)
    if args[0].ty.kind != "float":
        if len(args) == 2:
            raise Refused("`round` of an integer to digits")
        return to_int(args[0])
    if len(args) == 1:
        return raw(INT, "py_round({0})", args[0], risky=True)
    return raw(FLOAT, "py_round_to({0}, {1})", args[0], to_int(args[1]), risky=True)


@builtin(int)
def b_int(lo: Calls, node: ast.Call, env: Env) -> E:
    args = arguments(lo, node, env, 0, 2)
    if not args:
        return int_lit(0)
    if len(args) == 2:
        if not (isinstance(args[1], Lit) and args[1].value in (2, 8, 16)):
            raise Refused("`int` of a text in this base")
        return raw(INT, "py_parse_base({0}, {1})", to_str(args[0]), args[1], risky=True)
    (x,) = args
    if x.ty.kind in ("str", "chr"):
        if x.ty.kind == "chr":
            return raw(INT, "py_digit({0})", x, risky=True, rng=(0, 9))
        return raw(INT, "py_parse({0})", x, risky=True)
    return raw(INT, "py_trunc({0})", x, risky=True) if x.ty.kind == "float" else to_int(x)


@builtin(float)
def b_float(lo: Calls, node: ast.Call, env: Env) -> E:
    if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
        try:
            return Lit(FLOAT, value=float(node.args[0].value))
        except ValueError:
            return fail(FLOAT)
    args = arguments(lo, node, env, 0, 1)
    if args and args[0].ty.kind in ("str", "chr"):
        raise Refused("`float` of a text", "convert texts before the call")
    return to_float(args[0]) if args else Lit(FLOAT, value=0.0)


@builtin(bool)
def b_bool(lo: Calls, node: ast.Call, env: Env) -> E:
    return lo.cond(node.args[0], env) if node.args else bool_lit(False)


@builtin(str)
def b_str(lo: Calls, node: ast.Call, env: Env) -> E:
    args = arguments(lo, node, env, 0, 1)
    return arithmetic.as_text(args[0]) if args else Lit(STR, value="")


@builtin(ord)
def b_ord(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    if isinstance(x, Lit) and isinstance(x.value, str) and len(x.value) == 1:
        return int_lit(ord(x.value))
    if x.ty.kind == "str":
        return raw(INT, "char_code(py_only({0}))", x, rng=(0, 127), risky=True)
    if x.ty.kind != "chr":
        raise Refused(f"`ord` of a value of type {x.ty}")
    return raw(INT, "char_code({0})", x, rng=(0, 127))


@builtin(chr)
def b_chr(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    x = to_int(x)
    safe = x.rng is not None and x.rng[0] >= 0 and x.rng[1] < 128
    return raw(CHR, "code_char({0})" if safe else "py_chr({0})", x, risky=not safe)


@builtin(bin)
def b_bin(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    return raw(STR, "py_bin({0})", to_int(x))


@builtin(isinstance)
def b_isinstance(lo: Calls, node: ast.Call, env: Env) -> E:
    x = lo.expr(node.args[0], env)
    found, cls = lo.static(node.args[1], env)
    if not found or not isinstance(cls, type):
        raise Refused("`isinstance` with what is not one class")
    kinds: dict[type, tuple[str, ...]] = {int: ("int", "bool"), float: ("float",), bool: ("bool",), str: ("str", "chr"), list: ("list",), tuple: ("tuple",), set: ("set",), dict: ("dict",)}
    if x.ty.kind == "opt":
        raise Refused("`isinstance` of what may be None", "compare with None first")
    return known(bool_lit(x.ty.kind in kinds.get(cls, ()) or (x.ty.kind == "rec" and issubclass(x.ty.tag, cls))), x)


@builtin(type)
def b_type(lo: Calls, node: ast.Call, env: Env) -> E:
    raise Refused("`type` as a value", "use isinstance")


@builtin(print, input, open)
def b_print(lo: Calls, node: ast.Call, env: Env) -> E:
    raise Refused("output and input", "return the value, and print it outside")
