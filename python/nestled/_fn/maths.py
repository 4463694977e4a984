"""The functions of `math`, and NumPy's where they mean the same: of numbers, and of lists element by element."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from . import arithmetic
from .builtin import Builtin, arguments, builtin, keywords, lesser, total
from .convert import fresh, named, to_float, to_int, wrap
from .errors import Refused
from .ir import E, Lit, Var, each, length, raw
from .scope import Env
from .types import BOOL, FLOAT, INT

if TYPE_CHECKING:
    from .calls import Calls

# Functions from floats to floats; a fault stands for an exception of Python. Those behind `=` never fault.
FLOATS = {
    "sqrt": "py_sqrt({0})", "exp": "py_exp({0})", "sin": "py_sin({0})", "cos": "py_cos({0})", "tan": "py_tan({0})",
    "asin": "py_asin({0})", "acos": "py_acos({0})", "atan": "=atan({0})", "sinh": "py_sinh({0})", "cosh": "py_cosh({0})",
    "tanh": "=tanh({0})", "log2": "py_log2({0})", "log10": "py_log10({0})", "degrees": "=py_degrees({0})",
    "radians": "=py_radians({0})", "cbrt": "=py_cbrt({0})", "exp2": "py_exp2({0})",
}  # fmt: skip


def apply(text: str, x: E) -> E:
    return raw(FLOAT, text.lstrip("="), to_float(x), risky=not text.startswith("="))


def _define(name: str, text: str) -> None:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        return apply(text, *arguments(lo, node, env, 1))

    if hasattr(math, name):
        builtin(getattr(math, name))(call)


for _name, _text in FLOATS.items():
    _define(_name, _text)


@builtin(math.log)
def m_log(lo: Calls, node: ast.Call, env: Env) -> E:
    args = [to_float(a) for a in arguments(lo, node, env, 1, 2)]
    if len(args) == 1:
        return raw(FLOAT, "py_log({0})", args[0], risky=True)
    if isinstance(args[1], Lit) and args[1].value in (2.0, 10.0):
        return raw(FLOAT, f"py_log{int(args[1].value)}({{0}})", args[0], risky=True)
    return raw(FLOAT, "py_log({0}) / py_log({1})", *args, risky=True)


@builtin(math.floor)
def m_floor(lo: Calls, node: ast.Call, env: Env) -> E:
    return whole("py_floor({0})", *arguments(lo, node, env, 1))


@builtin(math.ceil)
def m_ceil(lo: Calls, node: ast.Call, env: Env) -> E:
    return whole("py_ceil({0})", *arguments(lo, node, env, 1))


@builtin(math.trunc)
def m_trunc(lo: Calls, node: ast.Call, env: Env) -> E:
    return whole("py_trunc({0})", *arguments(lo, node, env, 1))


def whole(text: str, x: E) -> E:
    return raw(INT, text, x, risky=True) if x.ty.kind == "float" else to_int(x)


@builtin(math.pow)
def m_pow(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return arithmetic.power(to_float(a), b)


@builtin(math.hypot)
def m_hypot(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_hypot({0}, {1})", to_float(a), to_float(b))


@builtin(math.atan2)
def m_atan2(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_atan2({0}, {1})", to_float(a), to_float(b))


@builtin(math.fmod)
def m_fmod(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_fmod({0}, {1})", to_float(a), to_float(b), risky=True)


@builtin(math.copysign)
def m_copysign(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_copysign({0}, {1})", to_float(a), to_float(b))


@builtin(math.isclose)
def m_isclose(lo: Calls, node: ast.Call, env: Env) -> E:
    words = keywords(node, "rel_tol", "abs_tol")
    a, b = (to_float(lo.expr(x, env)) for x in node.args)
    rel = to_float(lo.expr(words["rel_tol"], env)) if "rel_tol" in words else Lit(FLOAT, value=1e-9)
    tol = to_float(lo.expr(words["abs_tol"], env)) if "abs_tol" in words else Lit(FLOAT, value=0.0)
    return raw(BOOL, "py_is_close({0}, {1}, {2}, {3})", a, b, rel, tol)


def _test(name: str, text: str) -> None:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        (x,) = arguments(lo, node, env, 1)
        return raw(BOOL, text, to_float(x))

    builtin(getattr(math, name))(call)


_test("isnan", "py_is_nan({0})")
_test("isinf", "py_is_inf({0})")
_test("isfinite", "py_is_finite({0})")


def _integers(name: str, text: str, count: int) -> None:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        args = [to_int(x) for x in arguments(lo, node, env, count)]
        return raw(INT, text, *args, risky=True, rng=(0, 2**63 - 1))

    builtin(getattr(math, name))(call)


_integers("gcd", "py_gcd({0}, {1})", 2)
_integers("lcm", "py_lcm({0}, {1})", 2)
_integers("factorial", "py_factorial({0})", 1)
_integers("comb", "py_comb({0}, {1})", 2)
_integers("perm", "py_perm({0}, {1})", 2)
_integers("isqrt", "py_isqrt({0})", 1)


@builtin(math.prod)
def m_prod(lo: Calls, node: ast.Call, env: Env) -> E:
    v = lo.listed(node.args[0], env, False)
    words = keywords(node, "start")
    out = product(v)
    return arithmetic.binary("Mult", lo.expr(words["start"], env), out) if words else out


def product(v: E) -> E:
    if v.ty.elem.kind == "float":
        return raw(FLOAT, "product({0})", v)
    if v.ty.elem.kind != "int":
        raise Refused(f"the product of values of type {v.ty.elem}")
    return raw(INT, "py_product({0})", v)


@builtin(math.fsum)
def m_fsum(lo: Calls, node: ast.Call, env: Env) -> E:
    raise Refused("`math.fsum`, which is exact", "use sum, which rounds")


@builtin(math.dist)
def m_dist(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = (lo.expr(x, env) for x in node.args)
    if a.ty.kind != "tuple" or b.ty.kind != "tuple" or len(a.ty.args) != len(b.ty.args):
        raise Refused("`math.dist` of what are not two tuples")
    from .ir import get

    (x, bx), (y, by) = named("a", a), named("b", b)
    squares: E | None = None
    for i in range(len(a.ty.args)):
        d, bd = named("d", arithmetic.binary("Sub", to_float(get(x, i)), to_float(get(y, i))))
        one = wrap(bd, arithmetic.binary("Mult", d, d))
        squares = one if squares is None else arithmetic.binary("Add", squares, one)
    assert squares is not None
    return wrap(bx + by, raw(FLOAT, "sqrt({0})", squares))


# NumPy: the functions of numbers, of lists element by element, and reductions.


def mapped(text: str, x: E) -> E:
    """A function of floats over a number, or over all numbers of a nested list."""
    if x.ty.kind != "list":
        return apply(text, x)
    v = Var(x.ty.elem, name=fresh("x"))
    return each(mapped(text, v), [(v.name, x)])


NUMPY = {
    "sqrt": "py_sqrt({0})", "exp": "py_exp({0})", "log": "py_log({0})", "sin": "sin({0})", "cos": "cos({0})", "tan": "tan({0})",
    "arctan": "atan({0})", "arcsin": "py_asin({0})", "arccos": "py_acos({0})", "log2": "py_log2({0})", "log10": "py_log10({0})",
    "tanh": "tanh({0})", "sinh": "py_sinh({0})", "cosh": "py_cosh({0})", "degrees": "py_degrees({0})", "radians": "py_radians({0})",
}  # fmt: skip


def numpy_function(target: Any) -> Builtin | None:
    name = getattr(target, "__name__", "")
    owner = type(target).__module__ if type(target).__name__ == "ufunc" else getattr(target, "__module__", "")
    if not str(owner).startswith("numpy"):
        return None
    if name in NUMPY:
        return lambda lo, node, env: mapped(NUMPY[name], arguments(lo, node, env, 1)[0])
    found = globals().get(f"np_{name}")
    return found if callable(found) else None


def np_minimum(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return lesser(a, b, True)


def np_maximum(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return lesser(a, b, False)


def np_absolute(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    return raw(FLOAT, "abs({0})", to_float(x)) if x.ty.kind == "float" else raw(INT, "py_abs({0})", to_int(x))


def np_sum(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    while x.ty.kind == "list" and x.ty.elem.kind == "list":
        x = raw(x.ty.elem, "flatten({0})", x)
    return total(x)


def np_mean(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    v, bindings = named("v", x)
    return wrap(bindings, raw(FLOAT, "{0} / float({1})", to_float(total(v)), length(v), risky=True))


def np_dot(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    if a.ty.kind != "list" or b.ty.kind != "list" or "list" in (a.ty.elem.kind, b.ty.elem.kind):
        raise Refused("`np.dot` of what are not two lists of numbers")
    x, y = Var(a.ty.elem, name=fresh("x")), Var(b.ty.elem, name=fresh("y"))
    return total(each(arithmetic.binary("Mult", x, y), [(x.name, a), (y.name, b)]))

