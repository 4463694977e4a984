"""The functions of NumPy that have a meaning here: of numbers, and reductions of lists. Where Python has exceptions, these give infinity and NaN.

What NumPy gives as an array is refused: arrays are computed with element by element, and lists, which stand for them here, are not.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import arithmetic
from .builtin import Builtin, arguments, total
from .convert import fresh, named, to_float, to_int, truth, wrap
from .errors import Refused
from .ir import E, Var, each, length, raw
from .maths import product
from .scope import Env
from .types import BOOL, FLOAT, INT, NUMBERS

if TYPE_CHECKING:
    from .calls import Calls

#: From floats to floats. None of them faults.
FLOATS = {
    "arccos": "py_np_acos({0})", "arccosh": "py_np_acosh({0})", "arcsin": "py_np_asin({0})", "arcsinh": "py_asinh({0})", "arctan": "atan({0})",
    "arctanh": "py_np_atanh({0})", "cbrt": "py_cbrt({0})", "ceil": "py_np_ceil({0})", "cos": "cos({0})", "cosh": "cosh({0})",
    "deg2rad": "py_radians({0})", "degrees": "py_degrees({0})", "exp": "exp({0})", "exp2": "py_np_exp2({0})", "expm1": "py_np_expm1({0})",
    "fabs": "abs({0})", "floor": "py_np_floor({0})", "log": "py_np_log({0})", "log10": "py_np_log10({0})", "log1p": "py_np_log1p({0})",
    "log2": "py_np_log2({0})", "rad2deg": "py_degrees({0})", "radians": "py_radians({0})", "rint": "py_np_rint({0})", "sin": "sin({0})",
    "sinh": "sinh({0})", "sqrt": "py_np_sqrt({0})", "tan": "tan({0})", "tanh": "tanh({0})", "trunc": "py_np_trunc({0})",
}  # fmt: skip
#: From floats to truth.
TESTS = {"isfinite": "py_is_finite({0})", "isinf": "py_is_inf({0})", "isnan": "py_is_nan({0})"}
#: From two floats to one; those behind `!` may fault, and then Python decides.
PAIRS = {
    "arctan2": "!py_atan2({0}, {1})", "copysign": "!py_copysign({0}, {1})", "divide": "!py_np_divide({0}, {1})", "fmax": "py_np_fmax({0}, {1})",
    "fmin": "py_np_fmin({0}, {1})", "heaviside": "py_np_heaviside({0}, {1})", "hypot": "py_hypot({0}, {1})",
}  # fmt: skip
#: Python's operators.
OPERATORS = {
    "add": "Add", "bitwise_and": "BitAnd", "bitwise_or": "BitOr", "bitwise_xor": "BitXor", "floor_divide": "FloorDiv", "multiply": "Mult", "power": "Pow",
    "remainder": "Mod", "subtract": "Sub",
}  # fmt: skip
#: What to write for functions that give arrays.
INSTEAD = {
    "abs": "write [abs(x) for x in v]", "append": "write v + [x]", "arange": "use range", "argsort": "write sorted(range(len(v)), key=lambda i: v[i])",
    "array": "use the list itself", "asarray": "use the list itself", "concatenate": "write a + b", "cumsum": "write a loop that adds up and appends",
    "diff": "write [b - a for a, b in zip(v, v[1:])]", "empty": "write [0.0] * n", "eye": "write [[float(i == j) for j in range(n)] for i in range(n)]",
    "full": "write [x] * n", "linspace": "write [a + (b - a) * i / (n - 1) for i in range(n)]", "ones": "write [1.0] * n",
    "outer": "write [[x * y for y in b] for x in a]", "repeat": "write [x for x in v for _ in range(n)]", "reshape": "keep lists of lists",
    "sort": "use sorted", "tile": "write v * n", "transpose": "write [list(column) for column in zip(*m)]", "unique": "write sorted(set(v))",
    "where": "write `a if c else b`", "zeros": "write [0.0] * n",
}  # fmt: skip


def function(target: Any) -> Builtin | None:
    """The meaning of a function of NumPy's, if it is one; it may be to refuse."""
    name = getattr(target, "__name__", "")
    owner = type(target).__module__ if type(target).__name__ == "ufunc" else getattr(target, "__module__", "")
    if not str(owner).startswith("numpy") or not callable(target) or isinstance(target, type):
        return None
    found: Builtin | None = globals().get(f"np_{name}")
    if found is not None:
        return found
    for table, meaning in ((FLOATS, _float), (TESTS, _test), (PAIRS, _pair), (OPERATORS, _operator)):
        if name in table:
            return meaning(name, table[name])

    def refuse(lo: Calls, node: ast.Call, env: Env) -> E:
        raise Refused(f"`np.{name}`", INSTEAD.get(name, "write it in Python, or call it outside"))

    return refuse


def numbers(lo: Calls, node: ast.Call, env: Env, count: int) -> list[E]:
    """Arguments that are numbers."""
    found = arguments(lo, node, env, count)
    if any(x.ty.kind not in NUMBERS for x in found):
        call = ast.unparse(node.func)
        names = ", ".join("xyz"[:count])
        over = "v" if count == 1 else f"zip({', '.join('abc'[:count])})"
        raise Refused(f"`{call}` of lists, which gives an array", f"write [{call}({names}) for {names} in {over}]")
    return found


def _float(name: str, text: str) -> Builtin:
    return lambda lo, node, env: raw(FLOAT, text, *map(to_float, numbers(lo, node, env, 1)))


def _test(name: str, text: str) -> Builtin:
    return lambda lo, node, env: raw(BOOL, text, *map(to_float, numbers(lo, node, env, 1)))


def _pair(name: str, text: str) -> Builtin:
    return lambda lo, node, env: raw(FLOAT, text.lstrip("!"), *map(to_float, numbers(lo, node, env, 2)), risky=text.startswith("!"))


def _operator(name: str, operator: str) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        a, b = numbers(lo, node, env, 2)
        if a.ty == b.ty == BOOL and operator in ("Add", "Mult", "Sub"):
            raise Refused(f"`np.{name}` of truth values", "write `or`, `and`")
        return arithmetic.binary(operator, a, b)

    return call


def np_absolute(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = numbers(lo, node, env, 1)
    return raw(FLOAT, "abs({0})", x) if x.ty.kind == "float" else raw(INT, "py_abs({0})", to_int(x), risky=True)


def np_negative(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = numbers(lo, node, env, 1)
    return raw(FLOAT, "negate({0})", x) if x.ty.kind == "float" else raw(INT, "py_negate({0})", to_int(x), risky=True)


def np_positive(lo: Calls, node: ast.Call, env: Env) -> E:
    return numbers(lo, node, env, 1)[0]


def np_sign(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = numbers(lo, node, env, 1)
    if x.ty.kind == "float":
        return raw(FLOAT, "py_np_sign({0})", x)
    return raw(INT, "max(min({0}, 1), -1)", to_int(x), rng=(-1, 1))


def np_square(lo: Calls, node: ast.Call, env: Env) -> E:
    x, bindings = named("x", *numbers(lo, node, env, 1))
    return wrap(bindings, arithmetic.binary("Mult", x, x))


def np_reciprocal(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = numbers(lo, node, env, 1)
    if x.ty.kind != "float":
        raise Refused("`np.reciprocal` of integers, which is 0 but for 1 and -1", "write 1 // x")
    return raw(FLOAT, "py_np_divide(1.0, {0})", x, risky=True)


def _choice(name: str) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        return chosen(name, *numbers(lo, node, env, 2))

    return call


def chosen(name: str, a: E, b: E) -> E:
    """`minimum` or `maximum` of two numbers; NaN if one of them is."""
    if "float" in (a.ty.kind, b.ty.kind):
        return raw(FLOAT, f"py_np_{name}({{0}}, {{1}})", to_float(a), to_float(b))
    return raw(INT, f"{name[:3]}({{0}}, {{1}})", to_int(a), to_int(b))


np_minimum, np_maximum = _choice("minimum"), _choice("maximum")


def np_clip(lo: Calls, node: ast.Call, env: Env) -> E:
    x, low, high = numbers(lo, node, env, 3)
    return chosen("minimum", chosen("maximum", x, low), high)


def np_round(lo: Calls, node: ast.Call, env: Env) -> E:
    if len(node.args) != 1 or node.keywords:
        raise Refused("`np.round` to digits", "write round(x, digits)")
    (x,) = numbers(lo, node, env, 1)
    return raw(FLOAT, "py_np_rint({0})", x) if x.ty.kind == "float" else to_int(x)


np_around = np_round


def _logical(name: str, text: str, count: int) -> Builtin:
    return lambda lo, node, env: raw(BOOL, text, *map(truth, numbers(lo, node, env, count)))


np_logical_and, np_logical_or = _logical("logical_and", "{0} and {1}", 2), _logical("logical_or", "{0} or {1}", 2)
np_logical_xor, np_logical_not = _logical("logical_xor", "{0} xor {1}", 2), _logical("logical_not", "not({0})", 1)


def _comparison(text: str) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        a, b = numbers(lo, node, env, 2)
        if "float" in (a.ty.kind, b.ty.kind):
            return raw(BOOL, text, to_float(a), to_float(b))
        return raw(BOOL, text, to_int(a), to_int(b))

    return call


np_equal, np_not_equal = _comparison("{0} == {1}"), _comparison("{0} /= {1}")
np_less, np_less_equal = _comparison("{0} < {1}"), _comparison("{0} <= {1}")
np_greater, np_greater_equal = _comparison("{0} > {1}"), _comparison("{0} >= {1}")


def _divisor(name: str) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        return raw(INT, f"py_{name}({{0}}, {{1}})", *map(whole, numbers(lo, node, env, 2)), risky=True)

    return call


def whole(x: E) -> E:
    if x.ty.kind == "float":
        raise Refused("a float where NumPy wants integers", "give integers")
    return to_int(x)


np_gcd, np_lcm = _divisor("gcd"), _divisor("lcm")


# Reductions, of all numbers of a list or of lists of lists.


def flat(lo: Calls, node: ast.Call, env: Env) -> E:
    (x,) = arguments(lo, node, env, 1)
    while x.ty.kind == "list" and x.ty.elem.kind == "list":
        x = raw(x.ty.elem, "flatten({0})", x)
    if x.ty.kind != "list" or x.ty.elem.kind not in NUMBERS:
        raise Refused(f"`{ast.unparse(node.func)}` of a value of type {x.ty}", "give a list of numbers")
    return x


def floats(v: E) -> E:
    """The numbers as floats."""
    if v.ty.elem.kind == "float":
        return v
    x = Var(v.ty.elem, name=fresh("x"))
    return each(to_float(x), [(x.name, v)])


def np_sum(lo: Calls, node: ast.Call, env: Env) -> E:
    return total(flat(lo, node, env))


def np_prod(lo: Calls, node: ast.Call, env: Env) -> E:
    return product(flat(lo, node, env))


def _of_floats(text: str) -> Builtin:
    return lambda lo, node, env: raw(FLOAT, text, floats(flat(lo, node, env)), risky=True)


np_mean, np_var, np_median = _of_floats("py_np_mean({0})"), _of_floats("py_np_var({0})"), _of_floats("py_np_median({0})")
np_std = _of_floats("sqrt(py_np_var({0}))")


def _extreme(least: bool) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        v, name = flat(lo, node, env), "min" if least else "max"
        if v.ty.elem.kind == "bool":
            raise Refused(f"`np.{name}` of truth values", "use all or any")
        # One that is NaN is for Python.
        return raw(v.ty.elem, f"py_{name}_float({{0}})" if v.ty.elem.kind == "float" else f"py_{name}({{0}})", v, risky=True)

    return call


np_min, np_max = _extreme(True), _extreme(False)
np_amin, np_amax = np_min, np_max


def np_ptp(lo: Calls, node: ast.Call, env: Env) -> E:
    v, bindings = named("v", flat(lo, node, env))
    if v.ty.elem.kind == "float":
        return wrap(bindings, raw(FLOAT, "py_max_float({0}) - py_min_float({0})", v, risky=True))
    return wrap(bindings, raw(INT, "py_sub(py_max({0}), py_min({0}))", v, risky=True))


def _place(least: bool) -> Builtin:
    def call(lo: Calls, node: ast.Call, env: Env) -> E:
        v, bindings = named("v", flat(lo, node, env))
        if v.ty.elem.kind == "bool":
            raise Refused("places in truth values", "write v.index(True)")
        name = ("py_min" if least else "py_max") + ("_float" if v.ty.elem.kind == "float" else "")
        best, more = named("m", raw(v.ty.elem, f"{name}({{0}})", v, risky=True))
        x = Var(v.ty.elem, name=fresh("x"))
        found = each(raw(BOOL, "{0} == {1}", x, best), [(x.name, v)])
        return wrap(bindings + more, raw(INT, "find(t, {0})", found, risky=True))

    return call


np_argmin, np_argmax = _place(True), _place(False)


def truths(lo: Calls, node: ast.Call, env: Env) -> E:
    v = flat(lo, node, env)
    x = Var(v.ty.elem, name=fresh("x"))
    return v if v.ty.elem.kind == "bool" else each(truth(x), [(x.name, v)])


def np_any(lo: Calls, node: ast.Call, env: Env) -> E:
    return raw(BOOL, "any({0})", truths(lo, node, env))


def np_all(lo: Calls, node: ast.Call, env: Env) -> E:
    return raw(BOOL, "all({0})", truths(lo, node, env))


def np_count_nonzero(lo: Calls, node: ast.Call, env: Env) -> E:
    return raw(INT, "count({0})", truths(lo, node, env))


def np_size(lo: Calls, node: ast.Call, env: Env) -> E:
    return length(flat(lo, node, env))


def products(a: E, b: E) -> E:
    x, y = Var(a.ty.elem, name=fresh("x")), Var(b.ty.elem, name=fresh("y"))
    return total(each(arithmetic.binary("Mult", x, y), [(x.name, a), (y.name, b)]))


def np_dot(lo: Calls, node: ast.Call, env: Env) -> E:
    a, b = arguments(lo, node, env, 2)
    if a.ty.kind != "list" or b.ty.kind != "list" or "list" in (a.ty.elem.kind, b.ty.elem.kind):
        raise Refused("`np.dot` of what are not two lists of numbers", "write sum(x * y for x, y in zip(a, b)) for each row")
    return products(a, b)


np_vdot = np_dot


def np_norm(lo: Calls, node: ast.Call, env: Env) -> E:
    v, bindings = named("v", floats(flat(lo, node, env)))
    return wrap(bindings, raw(FLOAT, "sqrt({0})", products(v, v)))
