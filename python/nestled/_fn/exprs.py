"""Expressions: Python's syntax trees to the core, typed as they are built.

What Python decides at run time by types is decided here; what it decides by values stays a conditional.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from . import arithmetic
from .comprehensions import Comprehensions
from .convert import both, coerce, decided, either, equal, fresh, get_keys, known, named, negation, ordered, to_int, truth, unwrap, wrap
from .errors import Refused, Unknown
from .ir import ALL, E, FnV, Lit, Raw, Seq, Tup, Var, Zero, bool_lit, fail, get, if_, int_lit, raw
from .refine import refined
from .scope import Bind, Env, FnInfo, free_of
from .types import BOOL, CHR, INT, NEVER, NONE, STR, T, fields_of, join, list_of, mutable, tuple_of, type_of

if TYPE_CHECKING:
    from .program import Program
    from .source import Source

ORDER = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Exprs(Comprehensions):
    """Lowers expressions."""

    program: Program
    source: Source

    def expr(self, node: ast.expr, env: Env) -> E:
        """The value of an expression; refusals get its place."""
        method = getattr(self, "x_" + type(node).__name__, None)
        try:
            if method is None:
                raise Refused(f"`{type(node).__name__}` expressions are not supported")
            self.program.step()
            out: E = method(node, env)
            return out
        except Refused as refusal:
            raise refusal.at(self.source.place(node)) from None

    def cond(self, node: ast.expr, env: Env) -> E:
        """The truth of an expression; `and` and `or` need no common type here."""
        if isinstance(node, ast.BoolOp):
            parts = [self.cond(node.values[0], env)]
            for before, v in zip(node.values, node.values[1:]):
                env = refined(before, env, isinstance(node.op, ast.And), self.expr)
                parts.append(truth(self.attempt(functools.partial(self.cond, v, env))))
            out = parts[-1]
            for p in reversed(parts[:-1]):
                out = both(p, out) if isinstance(node.op, ast.And) else either(p, out)
            return out
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negation(self.cond(node.operand, env))
        return truth(self.expr(node, env))

    def attempt(self, lower: Callable[[], E]) -> E:
        """A part that may wait for a recursive call's type: until that is known, the other ways tell the type."""
        try:
            return lower()
        except Unknown:
            return fail()

    # Names and constants

    def x_Name(self, node: ast.Name, env: Env) -> E:
        bind = env.get(node.id)
        if bind is not None:
            x = bind.x
            if isinstance(x, Var) and mutable(x.ty):
                return Var(x.ty, name=x.name, rng=x.rng, own=0, aliases=((node.id, 0), *bind.roots))
            return x
        if node.id in self.local_names:
            raise Refused(f"`{node.id}` may have no value here", f"give `{node.id}` a value on every way to this line")
        found, value = self.source.lookup(node.id)
        if not found:
            raise Refused(f"the name `{node.id}` is not defined")
        return self.constant(value, node.id)

    def constant(self, value: Any, name: str = "the value") -> E:
        """A value that is there before the call."""
        if isinstance(value, FunctionType):
            return FnV(T("fn", (), value), info=self.program.info_of(value), captures=None)
        inner = getattr(value, "python", None)
        if isinstance(inner, FunctionType):
            return self.constant(inner, name)
        if isinstance(value, (ModuleType, type)) or callable(value):
            raise Refused(f"`{name}` is not a value that can be used here")
        ty = type_of(value, f"`{name}`")
        return self._literal(value, ty)

    def _literal(self, value: Any, ty: T) -> E:
        k = ty.kind
        if k == "int":
            return int_lit(int(value))
        if k in ("float", "bool"):
            return Lit(ty, value=value)
        if k == "str":
            return Lit(CHR if len(value) == 1 else STR, value=value)
        if k == "none":
            return Zero(NONE)
        if k in ("list", "set"):
            items = [coerce(self._literal(v, type_of(v)), ty.elem) for v in value]
            return Seq(ty, items=items, own=0) if items else Zero(ty)
        if k == "dict":
            keys = self._literal(list(value), list_of(ty.args[0]))
            return Tup(ty, items=[keys, self._literal(list(value.values()), list_of(ty.args[1]))], own=0)
        if k == "rec":
            fields = fields_of(ty.tag) or ()
            value = [getattr(value, f) for f in fields]
        return Tup(ty, items=[coerce(self._literal(v, type_of(v)), t) for v, t in zip(value, ty.args)], own=0)

    def x_Constant(self, node: ast.Constant, env: Env) -> E:
        if isinstance(node.value, (complex, bytes)) or node.value is Ellipsis:
            raise Refused(f"a constant of type `{type(node.value).__name__}`")
        return self.constant(node.value, repr(node.value))

    def x_JoinedStr(self, node: ast.JoinedStr, env: Env) -> E:
        parts: list[E] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(self.formatted(part, env))
            else:
                parts.append(coerce(self.expr(part, env), STR))
        return arithmetic.concat_all(parts)

    def formatted(self, node: ast.FormattedValue, env: Env) -> E:
        spec = ""
        if node.format_spec is not None:
            assert isinstance(node.format_spec, ast.JoinedStr)
            if not all(isinstance(v, ast.Constant) for v in node.format_spec.values):
                raise Refused("a format that is computed")
            spec = "".join(str(v.value) for v in node.format_spec.values if isinstance(v, ast.Constant))
        value = unwrap(self.expr(node.value, env))
        if node.conversion not in (-1, 115):
            raise Refused("a conversion in a format", "leave out `!r`")
        return arithmetic.format_value(value, spec)

    # Collections

    def x_Tuple(self, node: ast.Tuple, env: Env) -> E:
        return self.tuple_of_values([self.expr(x, env) for x in self.no_star(node.elts)])

    def tuple_of_values(self, items: list[E], ty: T | None = None) -> E:
        items = [self.as_value(x, None) if isinstance(x, FnV) else x for x in items]
        ty = ty or tuple_of(*(x.ty for x in items))
        out = Tup(ty, items=[coerce(x, t) for x, t in zip(items, ty.args)], risky=any(x.risky for x in items))
        out.own = min((x.own for x in items), default=ALL)
        out.aliases = tuple(a for x in items for a in x.aliases)
        return out

    def no_star(self, items: list[ast.expr]) -> list[ast.expr]:
        for x in items:
            if isinstance(x, ast.Starred):
                raise Refused("`*` in a list or call", "join lists by `+`")
        return items

    def x_List(self, node: ast.List, env: Env) -> E:
        parts: list[E] = []
        run: list[E] = []
        for x in node.elts:
            if isinstance(x, ast.Starred):
                parts += [self.seq(run), self.listed(x.value, env)]
                run = []
            else:
                run.append(self.expr(x, env))
        if not parts:
            return self.seq(run)
        return arithmetic.concat_lists([p for p in [*parts, self.seq(run)] if p.ty.elem.kind != "never"] or [self.seq([])])

    def seq(self, items: list[E], kind: str = "list") -> E:
        ty = NEVER
        for x in items:
            ty = join(ty, x.ty)
        if not items:
            return Zero(T(kind, (NEVER,)))
        own = ALL if not mutable(ty) else 1 + min(x.own for x in items)
        aliases = tuple((n, d) for x in items for n, d in x.aliases)
        rngs = [x.rng for x in items]
        rng = (min(r[0] for r in rngs if r), max(r[1] for r in rngs if r)) if all(rngs) else None
        risky = any(x.risky for x in items)
        return Seq(T(kind, (ty,)), items=[coerce(x, ty) for x in items], own=own, aliases=aliases, rng=rng, risky=risky)

    def x_Set(self, node: ast.Set, env: Env) -> E:
        v = self.seq([self.expr(x, env) for x in self.no_star(node.elts)])
        return raw(T("set", v.ty.args), "remove_duplicates({0})", v)

    def x_Dict(self, node: ast.Dict, env: Env) -> E:
        if None in node.keys:
            raise Refused("`**` in a dictionary")
        keys = self.seq([self.expr(k, env) for k in node.keys if k is not None])
        values = self.seq([self.expr(v, env) for v in node.values])
        if all(isinstance(k, ast.Constant) for k in node.keys) and len({repr(k.value) for k in node.keys if isinstance(k, ast.Constant)}) == len(node.keys):
            return Tup(T("dict", (keys.ty.elem, values.ty.elem)), items=[keys, values], own=values.own)
        return self.dict_of_pairs(keys, values)

    def dict_of_pairs(self, keys: E, values: E) -> E:
        ty = T("dict", (keys.ty.elem, values.ty.elem))
        return raw(ty, "py_dict({0}, {1})", keys, values, own=values.own)

    # Operators

    def x_BinOp(self, node: ast.BinOp, env: Env) -> E:
        a, b = self.expr(node.left, env), self.expr(node.right, env)
        return arithmetic.binary(type(node.op).__name__, a, b)

    def x_UnaryOp(self, node: ast.UnaryOp, env: Env) -> E:
        if isinstance(node.op, ast.Not):
            return negation(self.cond(node.operand, env))
        return arithmetic.unary(type(node.op).__name__, self.expr(node.operand, env))

    def x_BoolOp(self, node: ast.BoolOp, env: Env) -> E:
        parts = [self.expr(node.values[0], env)] + [self.attempt(functools.partial(self.expr, v, env)) for v in node.values[1:]]
        out = parts[-1]
        for p in reversed(parts[:-1]):
            if p.ty == out.ty == BOOL:
                out = both(p, out) if isinstance(node.op, ast.And) else either(p, out)
                continue
            v, bindings = named("x", p)
            v.aliases, v.own = p.aliases, p.own
            first, second = (out, v) if isinstance(node.op, ast.And) else (v, out)
            test = truth(v)
            if isinstance(test, Lit):
                chosen = first if test.value else second
                out = wrap(bindings, chosen) if chosen is v or p.risky else chosen
                continue
            ty = join(first.ty, second.ty)
            out = wrap(bindings, if_(test, coerce(first, ty), coerce(second, ty), ty))
        return out

    def x_IfExp(self, node: ast.IfExp, env: Env) -> E:
        test, bindings = decided(self.cond(node.test, env))
        if isinstance(test, Lit):
            return wrap(bindings, self.expr(node.body if test.value else node.orelse, env))
        yes, no = (refined(node.test, env, holds, self.expr) for holds in (True, False))
        a, b = self.attempt(lambda: self.expr(node.body, yes)), self.attempt(lambda: self.expr(node.orelse, no))
        ty = join(a.ty, b.ty)
        return if_(test, coerce(a, ty), coerce(b, ty), ty)

    def x_Compare(self, node: ast.Compare, env: Env) -> E:
        if isinstance(node.left, ast.Call) and isinstance(node.left.func, ast.Name) and node.left.func.id == "type" and len(node.ops) == 1:
            return self.type_test(node, node.left, env)
        bindings: list[tuple[list[str], E]] = []
        left = self.expr(node.left, env)
        tests: list[E] = []
        for i, (op, right_node) in enumerate(zip(node.ops, node.comparators)):
            right = self.expr(right_node, env)
            if i + 1 < len(node.ops):
                right, more = named("m", right)
                bindings += more
            tests.append(self.compare(op, left, right))
            left = right
        out = tests[-1]
        for t in reversed(tests[:-1]):
            out = both(t, out)
        return wrap(bindings, out)

    def type_test(self, node: ast.Compare, call: ast.Call, env: Env) -> E:
        """`type(x) is int`, which the types decide."""
        x = self.expr(call.args[0], env)
        found, cls = self.static(node.comparators[0], env)
        if not found or not isinstance(cls, type) or x.ty.kind == "opt":
            raise Refused("`type` as a value", "use isinstance")
        name = {"chr": "str", "rec": getattr(x.ty.tag, "__name__", "")}.get(x.ty.kind, x.ty.kind)
        same = name == cls.__name__
        return known(bool_lit(same if isinstance(node.ops[0], (ast.Is, ast.Eq)) else not same), x)

    def compare(self, op: ast.cmpop, a: E, b: E) -> E:
        if type(op) in ORDER:
            return ordered(ORDER[type(op)], a, b)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            e = equal(a, b)
            if isinstance(op, ast.Eq):
                return e
            if isinstance(e, Raw) and e.text == "{0} == {1}":
                return raw(BOOL, "{0} /= {1}", *e.args)
            return negation(e)
        if isinstance(op, (ast.Is, ast.IsNot)):
            if a.ty.kind != "none" and b.ty.kind != "none" and not {a.ty.kind, b.ty.kind} <= {"bool"}:
                raise Refused("`is` between values", "use `==`; `is` works with None, True and False")
            e = equal(a, b)
            return e if isinstance(op, ast.Is) else negation(e)
        e = self.contains(a, b)
        return e if isinstance(op, ast.In) else negation(e)

    def contains(self, x: E, v: E) -> E:
        v = unwrap(v)
        k = v.ty.kind
        if k in ("str", "chr"):
            if x.ty.kind == "chr":
                return raw(BOOL, "py_has_char({0}, {1})", coerce(v, STR), x)
            return raw(BOOL, "py_find({0}, {1}, 0) >= 0", coerce(v, STR), coerce(unwrap(x), STR))
        if k == "dict":
            v = get_keys(v)
        elif k in ("tuple", "rec"):
            v = self.seq([get(v, i) for i in range(len(v.ty.args))])
        elif k not in ("list", "set"):
            raise Refused(f"`in` a value of type {v.ty}")
        if isinstance(v, Zero):
            return known(bool_lit(False), x)
        name = fresh("x")
        elem = Var(v.ty.elem, name=name)
        value, bindings = named("k", x)
        from .ir import each

        return wrap(bindings, raw(BOOL, "any({0})", each(equal(elem, value), [(name, v)])))

    # Parts

    def x_Subscript(self, node: ast.Subscript, env: Env) -> E:
        value = unwrap(self.expr(node.value, env))
        if isinstance(node.slice, ast.Slice):
            return self.slice(value, node.slice, env)
        if value.ty.kind in ("tuple", "rec"):
            i = self.expr(node.slice, env)
            n = len(value.ty.args)
            if not isinstance(i, Lit) or i.ty != INT:
                if len(set(value.ty.args)) == 1:
                    return self.index(self.seq([get(value, j) for j in range(n)]), i)
                raise Refused("a position in a tuple that is computed", "use a list")
            if not -n <= i.value < n:
                return fail()
            return self.one_of(value, i.value % n)
        if value.ty.kind == "dict":
            if value.ty.args[0].kind == "never":
                raise Unknown
            key = coerce(self.expr(node.slice, env), value.ty.args[0])
            return raw(value.ty.args[1], "py_dict_get({0}, {1})", value, key, risky=True, own=0)
        return self.index(value, self.expr(node.slice, env))

    def one_of(self, value: E, index: int) -> E:
        """A part of a tuple or record; what stands beside it is computed all the same where that may raise."""
        rest = [x for i, x in enumerate(value.items) if i != index] if isinstance(value, Tup) else []
        return known(get(value, index), *rest)

    def index(self, v: E, i: E) -> E:
        """`v[i]` of a list or text, negative positions counted from the end."""
        if v.ty.kind == "chr":
            v = coerce(v, STR)
        if v.ty.kind not in ("list", "str"):
            raise Refused(f"a value of type {v.ty} has no positions")
        ty = CHR if v.ty.kind == "str" else v.ty.elem
        if isinstance(v, Zero):
            return fail(ty)
        own = min(v.own - 1, ALL) if v.own < ALL else ALL
        text = self.index_text(i := to_int(i))
        out = raw(ty, text, v, i, rng=v.rng, risky=True, own=max(own, 0))
        if mutable(ty):
            out.aliases = tuple((n, d + 1) for n, d in v.aliases)
        return out

    def index_text(self, i: E) -> str:
        if isinstance(i, Lit) and i.value < 0:
            return "py_last({0}, {1})"
        return "{0}[{1}]" if i.rng is not None and i.rng[0] >= 0 else "py_at({0}, {1})"

    def slice(self, v: E, node: ast.Slice, env: Env) -> E:
        if v.ty.kind == "chr":
            v = coerce(v, STR)
        if v.ty.kind == "tuple":
            parts = [self.expr(p, env) if p else None for p in (node.lower, node.upper, node.step)]
            if all(p is None or isinstance(p, Lit) for p in parts):
                keep = range(len(v.ty.args))[slice(*(p.value if isinstance(p, Lit) else None for p in parts))]
                rest = [x for i, x in enumerate(v.items) if i not in keep] if isinstance(v, Tup) else []
                return known(self.tuple_of_values([get(v, i) for i in keep]), *rest)
        if v.ty.kind not in ("list", "str"):
            raise Refused(f"a slice of a value of type {v.ty}")
        lower, upper, step = ((unwrap(self.expr(p, env)) if p else None) for p in (node.lower, node.upper, node.step))
        lower, upper, step = (None if p is None or p.ty.kind == "none" else to_int(p) for p in (lower, upper, step))
        out = self._slice(v, lower, upper, step)
        out.rng = v.rng
        if v.ty.kind == "list" and mutable(v.ty.elem):
            out.own, out.aliases = 1, tuple((n, d + 1) for n, d in v.aliases)
        return out

    def _slice(self, v: E, lower: E | None, upper: E | None, step: E | None) -> E:
        if step is not None and not (isinstance(step, Lit) and step.value == 1):
            if isinstance(step, Lit) and step.value == -1 and lower is None and upper is None:
                return raw(v.ty, "reverse({0})", v)
            flags = bool_lit(lower is not None), bool_lit(upper is not None)
            return raw(v.ty, "py_slice_step({0}, {1}, {2}, {3}, {4}, {5})", v, flags[0], lower or int_lit(0), flags[1], upper or int_lit(0), step, risky=True)
        if lower is None and upper is None:
            return raw(v.ty, "{0}", v)
        if upper is None:
            return raw(v.ty, "py_from({0}, {1})", v, lower or int_lit(0))
        if lower is None or (isinstance(lower, Lit) and lower.value == 0):
            return raw(v.ty, "py_to({0}, {1})", v, upper)
        return raw(v.ty, "py_slice({0}, {1}, {2})", v, lower, upper)

    def x_Attribute(self, node: ast.Attribute, env: Env) -> E:
        found, value = self.static(node, env)
        if found:
            return self.constant(value, node.attr)
        v = unwrap(self.expr(node.value, env))
        fields = fields_of(v.ty.tag) if v.ty.kind == "rec" else None
        if not fields or node.attr not in fields:
            raise Refused(f"a value of type {v.ty} has no field `{node.attr}` here")
        return self.one_of(v, fields.index(node.attr))

    def static(self, node: ast.expr, env: Env) -> tuple[bool, Any]:
        """The object that a global name, or an attribute of a module or class, stands for."""
        if isinstance(node, ast.Name) and node.id not in env and node.id not in self.local_names:
            return self.source.lookup(node.id)
        if isinstance(node, ast.Attribute):
            found, owner = self.static(node.value, env)
            text = type(owner).__module__ == "nestled._nesl"
            if found and (isinstance(owner, (ModuleType, type)) or text) and hasattr(owner, node.attr):
                return True, getattr(owner, node.attr)
        return False, None

    # Functions

    def x_Lambda(self, node: ast.Lambda, env: Env) -> E:
        info = self.program.local_info(node, self.source, "lambda")
        info.defaults = self.defaults(node, env)
        return FnV(T("fn", (), info), info=info)

    def defaults(self, node: ast.Lambda | ast.FunctionDef, env: Env) -> dict[str, E]:
        a = node.args
        names = [p.arg for p in a.posonlyargs + a.args]
        out = dict(zip(names[len(names) - len(a.defaults) :], a.defaults))
        out.update({p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
        return {n: self.expr(d, env) for n, d in out.items()}

    def closure(self, info: FnInfo, env: Env) -> tuple[dict[str, E], dict[str, FnV]]:
        """The values and the functions around a local function that it needs, through other local functions too."""
        values: dict[str, E] = {}
        functions: dict[str, FnV] = {}
        todo = list(free_of(info.node))
        while todo:
            name = todo.pop()
            bind = env.get(name)
            if bind is None or name in values or name in functions:
                continue
            if isinstance(bind.x, FnV) and bind.x.captures is None and bind.x.info.node is not None:
                functions[name] = bind.x
                todo.extend(free_of(bind.x.info.node))
            else:
                values[name] = self.as_value(bind.x, env) if isinstance(bind.x, FnV) else bind.x
        return dict(sorted(values.items())), dict(sorted(functions.items()))

    def freeze(self, env: Env, names: set[str]) -> None:
        """Functions that need these names take their values now, before a comprehension gives the names others."""
        for name, bind in list(env.items()):
            if isinstance(bind.x, FnV) and bind.x.captures is None:
                values, _ = self.closure(bind.x.info, env)
                if names & values.keys():
                    env[name] = Bind(self.as_value(bind.x, env))

    def as_value(self, f: E, env: Env | None) -> E:
        """A function with what it captures, as a value that can be passed on."""
        if not isinstance(f, FnV) or f.captures is not None:
            return f
        values, functions = self.closure(f.info, env) if env is not None else ({}, {})
        tag = (f.info, tuple(values), tuple(functions.items()))
        return FnV(T("fn", tuple(v.ty for v in values.values()), tag), info=f.info, captures=values)

    def x_NamedExpr(self, node: ast.NamedExpr, env: Env) -> E:
        raise Refused("`:=` outside of a comprehension's condition", "assign on a line before")

    def x_Await(self, node: ast.Await, env: Env) -> E:
        raise Refused("`await`")

    def x_Yield(self, node: ast.Yield, env: Env) -> E:
        raise Refused("a generator function", "return a list: a comprehension, or append to one")

    local_names: frozenset[str] = frozenset()

