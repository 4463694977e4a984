"""The functions of `math`."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from . import arithmetic
from .builtin import arguments, builtin, keywords
from .convert import named, to_float, to_int, wrap
from .errors import Refused
from .ir import E, Lit, get, raw
from .scope import Env
from .types import BOOL, FLOAT, INT, tuple_of

if TYPE_CHECKING:
    from .calls import Calls

#: The most arguments of functions that take any number.
MOST = 16

# Functions from floats to floats; a fault stands for an exception of Python. Those behind `=` never fault.
FLOATS = {
    "sqrt": "py_sqrt({0})", "exp": "py_exp({0})", "sin": "py_sin({0})", "cos": "py_cos({0})", "tan": "py_tan({0})",
    "asin": "py_asin({0})", "acos": "py_acos({0})", "atan": "=atan({0})", "sinh": "py_sinh({0})", "cosh": "py_cosh({0})",
    "tanh": "=tanh({0})", "log2": "py_log2({0})", "log10": "py_log10({0})", "degrees": "=py_degrees({0})",
    "radians": "=py_radians({0})", "cbrt": "=py_cbrt({0})", "exp2": "py_exp2({0})", "acosh": "py_acosh({0})", "asinh": "=py_asinh({0})",
    "atanh": "py_atanh({0})", "erf": "=py_erf({0})", "erfc": "=py_erfc({0})", "expm1": "py_expm1({0})", "gamma": "py_gamma({0})",
    "lgamma": "py_lgamma({0})", "log1p": "py_log1p({0})", "ulp": "=py_ulp({0})",
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
    first, *others = [to_float(a) for a in arguments(lo, node, env, 1, MOST)]
    out = raw(FLOAT, "abs({0})", first)
    for other in others:
        out = raw(FLOAT, "py_hypot({0}, {1})", out, other)
    return out


@builtin(math.atan2)
def m_atan2(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_atan2({0}, {1})", to_float(a), to_float(b))


@builtin(math.fmod)
def m_fmod(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_fmod({0}, {1})", to_float(a), to_float(b), risky=True)


@builtin(math.remainder)
def m_remainder(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_remainder({0}, {1})", to_float(a), to_float(b), risky=True)


@builtin(math.nextafter)
def m_nextafter(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    return raw(FLOAT, "py_nextafter({0}, {1})", to_float(a), to_float(b), risky=True)


@builtin(math.ldexp)
def m_ldexp(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    if b.ty.kind == "float":
        raise Refused("`math.ldexp` by a float", "give an int")
    return raw(FLOAT, "py_ldexp({0}, {1})", to_float(a), to_int(b), risky=True)


@builtin(math.frexp)
def m_frexp(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    return raw(tuple_of(FLOAT, INT), "py_frexp({0})", to_float(x))


@builtin(math.modf)
def m_modf(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    return raw(tuple_of(FLOAT, FLOAT), "py_modf({0})", to_float(x))


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


def _integers(name: str, text: str, count: int, with_fewer: str | None = None) -> None:
    """A function of so many integers, or of one fewer."""

    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        args = arguments(lo, node, env, count - (with_fewer is not None), count)
        if any(x.ty.kind == "float" for x in args):
            raise Refused(f"`math.{name}` of floats", "give integers")
        form = text if len(args) == count else with_fewer
        assert form is not None
        return raw(INT, form, *map(to_int, args), risky=True, rng=(0, 2**63 - 1))

    builtin(getattr(math, name))(call)


def _folded(name: str, text: str, none: int) -> None:
    """A function of any number of integers."""

    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        out: E = Lit(INT, value=none)
        for x in arguments(lo, node, env, 0, MOST):
            if x.ty.kind == "float":
                raise Refused(f"`math.{name}` of floats", "give integers")
            out = raw(INT, text, out, to_int(x), risky=True, rng=(0, 2**63 - 1))
        return out

    builtin(getattr(math, name))(call)


_folded("gcd", "py_gcd({0}, {1})", 0)
_folded("lcm", "py_lcm({0}, {1})", 1)
_integers("factorial", "py_factorial({0})", 1)
_integers("comb", "py_comb({0}, {1})", 2)
_integers("perm", "py_perm({0}, {1})", 2, "py_factorial({0})")
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


def _exact(name: str, hint: str) -> None:
    """A function that rounds once only: of some versions of Python."""

    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        raise Refused(f"`math.{name}`, which rounds once only", hint)

    if hasattr(math, name):
        builtin(getattr(math, name))(call)


_exact("fsum", "use sum, which rounds")
_exact("fma", "write x * y + z, which rounds twice")
_exact("sumprod", "write sum(x * y for x, y in zip(p, q)), which rounds")


@builtin(math.dist)
def m_dist(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = (lo.expr(x, env) for x in node.args)
    if a.ty.kind != "tuple" or b.ty.kind != "tuple" or len(a.ty.args) != len(b.ty.args):
        raise Refused("`math.dist` of what are not two tuples")
    (x, bx), (y, by) = named("a", a), named("b", b)
    squares: E | None = None
    for i in range(len(a.ty.args)):
        d, bd = named("d", arithmetic.binary("Sub", to_float(get(x, i)), to_float(get(y, i))))
        one = wrap(bd, arithmetic.binary("Mult", d, d))
        squares = one if squares is None else arithmetic.binary("Add", squares, one)
    assert squares is not None
    return wrap(bx + by, raw(FLOAT, "sqrt({0})", squares))
