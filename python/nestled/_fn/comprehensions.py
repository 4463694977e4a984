"""Comprehensions: clauses to apply-to-each, filters before bodies, inner loops flattened.

An iterable is a bundle of columns of one length: `enumerate(zip(a, b))` is three columns, and no list of pairs is made.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .convert import as_length, both, coerce, fresh, get_keys, get_values, named, to_int, unwrap, wrap
from .errors import Refused, Unknown
from .ir import ALL, INT64, LENGTH, E, Lit, Range, Seq, Tup, Var, Zero, each, fail, get, int_lit, length, raw
from .refine import refined
from .scope import Env, targets
from .types import CHR, INT, NEVER, STR, T, list_of, mutable, tuple_of

Shape = Any  # the number of a column, or a list of shapes
FAR = 2**56
Bindings = list[tuple[list[str], E]]


@dataclass
class Iter:
    """Columns, and how the element is made of theirs."""

    columns: list[E]
    shape: Shape
    count: E
    bindings: list[tuple[list[str], E]] = field(default_factory=list)
    roots: tuple[tuple[str, int], ...] = ()

    def value(self, parts: list[E], shape: Shape = None) -> E:
        shape = self.shape if shape is None else shape
        if isinstance(shape, int):
            return parts[shape]
        items = [self.value(parts, s) for s in shape]
        return Tup(tuple_of(*(x.ty for x in items)), items=items, own=min((x.own for x in items), default=ALL), aliases=tuple(a for x in items for a in x.aliases))


@dataclass
class Clause:
    """`for target in value`, `if value`, or `target = value`."""

    kind: str
    value: ast.expr
    target: ast.expr | None = None


def element(column: E) -> T:
    return CHR if column.ty.kind == "str" else column.ty.elem


def shifted(shape: Shape, by: int) -> Shape:
    return shape + by if isinstance(shape, int) else [shifted(s, by) for s in shape]


def index_column(n: E, start: E | None = None) -> E:
    """The integers from a start on, so many of them."""
    v = raw(list_of(INT), "index({0})", n, rng=LENGTH)
    if start is None or (isinstance(start, Lit) and start.value == 0):
        return v
    rng = (start.rng[0], start.rng[1] + FAR) if start.rng and abs(start.rng[1]) < 2**61 else None
    return raw(list_of(INT), "py_count_from({0}, {1})", start, n, rng=rng)


def stepped(start: E, stop: E, step: E) -> Range:
    """The range of a range's integers: none reaches its end. No list is longer than any may be."""
    a, b, c = start.rng or INT64, stop.rng or INT64, step.rng or INT64
    if c[0] > 0:
        return a[0], max(a[0], min(b[1] - 1, a[1] + FAR * c[1]))
    if c[1] < 0:
        return min(a[1], max(b[0] + 1, a[0] + FAR * c[0])), a[1]
    return None


class Comprehensions:
    """Lowers comprehensions and what one loops over."""

    def expr(self, node: ast.expr, env: Env) -> E:
        raise NotImplementedError

    def cond(self, node: ast.expr, env: Env) -> E:
        raise NotImplementedError

    def call_fn(self, f: E, args: list[E], env: Env) -> E:
        raise NotImplementedError

    def static(self, node: ast.expr, env: Env) -> tuple[bool, Any]:
        raise NotImplementedError

    def freeze(self, env: Env, names: set[str]) -> None:
        raise NotImplementedError

    # Iterables

    def iterable(self, node: ast.expr, env: Env, ordered: bool = True) -> Iter:
        if isinstance(node, ast.Call):
            found, f = self.static(node.func, env)
            if found and f in (range, enumerate, zip, reversed) and not any(isinstance(a, ast.Starred) for a in node.args):
                return getattr(self, f"iter_{f.__name__}")(node, env, ordered)  # type: ignore[no-any-return]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "items" and not node.args:
                d = unwrap(self.expr(node.func.value, env))
                if d.ty.kind == "dict":
                    v, bindings = named("d", d)
                    return Iter([get_keys(v), get_values(v)], [0, 1], length(get_keys(v)), bindings, d.aliases)
        return self.iter_value(self.expr(node, env), ordered)

    def iter_value(self, value: E, ordered: bool = True) -> Iter:
        value = unwrap(value)
        k = value.ty.kind
        if k == "set" and ordered:
            raise Refused("the order of a set's elements", "loop over sorted(…)")
        if k == "dict":
            value = get_keys(value)
        elif k == "chr":
            value = coerce(value, STR)
        elif k in ("tuple", "rec"):
            value = self.seq([get(value, i) for i in range(len(value.ty.args))])
        elif k not in ("list", "str", "set"):
            raise Refused(f"a value of type {value.ty} cannot be looped over")
        v, bindings = named("s", value)
        return Iter([v if bindings else value], 0, length(v), bindings, value.aliases)

    def seq(self, items: list[E], kind: str = "list") -> E:
        raise NotImplementedError

    def range_parts(self, node: ast.Call, env: Env) -> tuple[E, E, E]:
        args = [to_int(self.expr(a, env)) for a in node.args]
        if node.keywords or not 1 <= len(args) <= 3:
            raise Refused("`range` wants one to three arguments")
        if len(args) == 1:
            return int_lit(0), args[0], int_lit(1)
        return args[0], args[1], args[2] if len(args) == 3 else int_lit(1)

    def iter_range(self, node: ast.Call, env: Env, ordered: bool) -> Iter:
        start, stop, step = self.range_parts(node, env)
        zero = isinstance(start, Lit) and start.value == 0
        if isinstance(step, Lit) and step.value == 1:
            (a, ba), (b, bb) = named("a", start), named("b", stop)
            n, bn = named("n", as_length(stop) if zero else raw(INT, "max({0} - {1}, 0)", b, a, rng=LENGTH))
            column = index_column(n, None if zero else a)
            if not zero:
                column.rng = stepped(start, stop, step)
            return Iter([column], 0, n, ba + bb + bn)
        (a, ba), (b, bb), (s, bs) = named("a", start), named("b", stop), named("c", step)
        n, bn = named("n", raw(INT, "py_range_length({0}, {1}, {2})", a, b, s, rng=LENGTH, risky=not isinstance(step, Lit)))
        column = raw(list_of(INT), "py_range({0}, {1}, {2})", a, n, s, rng=stepped(start, stop, step))
        return Iter([column], 0, n, ba + bb + bs + bn)

    def iter_enumerate(self, node: ast.Call, env: Env, ordered: bool) -> Iter:
        inner = self.iterable(node.args[0], env)
        extra = node.args[1:] + [k.value for k in node.keywords if k.arg == "start"]
        start = to_int(self.expr(extra[0], env)) if extra else None
        return Iter([index_column(inner.count, start), *inner.columns], [0, shifted(inner.shape, 1)], inner.count, inner.bindings, inner.roots)

    def iter_zip(self, node: ast.Call, env: Env, ordered: bool) -> Iter:
        if any(k.arg != "strict" for k in node.keywords) or not node.args:
            raise Refused("`zip` with these arguments")
        parts = [self.iterable(a, env) for a in node.args]
        bindings = [b for p in parts for b in p.bindings]
        n = parts[0].count
        for p in parts[1:]:
            n = raw(INT, "min({0}, {1})", n, p.count, rng=LENGTH)
        strict = [k.value for k in node.keywords]
        if strict:
            raise Refused("`zip` with `strict`", "leave it out, and assert the lengths")
        count, more = named("n", n) if len(parts) > 1 else (n, [])
        columns: list[E] = []
        shape: list[Shape] = []
        for p in parts:
            shape.append(shifted(p.shape, len(columns)))
            columns += [raw(c.ty, "take({0}, {1})", c, count, rng=c.rng, own=c.own) if len(parts) > 1 else c for c in p.columns]
        return Iter(columns, shape, count, bindings + more, tuple(r for p in parts for r in p.roots))

    def iter_reversed(self, node: ast.Call, env: Env, ordered: bool) -> Iter:
        inner = self.iterable(node.args[0], env)
        columns: list[E] = [raw(c.ty, "reverse({0})", c, rng=c.rng) for c in inner.columns]
        return Iter(columns, inner.shape, inner.count, inner.bindings, inner.roots)

    def listed(self, node: ast.expr, env: Env, ordered: bool = True) -> E:
        """An iterable as one list."""
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return self.comprehension(node.generators, lambda inner: self.expr(node.elt, inner), env, ordered)
        it = self.iterable(node, env, ordered)
        if it.shape == 0:
            column = it.columns[0]
            if column.ty.kind in ("str", "set"):
                column = self.as_list(column)
            out = wrap(it.bindings, column)
        else:
            names = [Var(element(c), name=fresh("x"), rng=c.rng) for c in it.columns]
            out = wrap(it.bindings, each(it.value(list(names)), [(v.name, c) for v, c in zip(names, it.columns)]))
        if mutable(out.ty.elem):
            out = raw(out.ty, "{0}", out, rng=out.rng, own=1)
            out.aliases = tuple((n, d + 1) for n, d in it.roots)
        elif out.own < ALL and not isinstance(out, Zero):
            out = raw(out.ty, "{0}", out, rng=out.rng)
        return out

    def as_list(self, e: E) -> E:
        """A text or set as the list of its elements, which is the same in NESL."""
        if isinstance(e, Seq):
            return Seq(list_of(element(e)), items=e.items)
        if isinstance(e, Zero):
            return Zero(list_of(element(e)))
        return raw(list_of(element(e)), "{0}", e, rng=e.rng)

    # Comprehensions

    def x_ListComp(self, node: ast.ListComp, env: Env) -> E:
        return self.comprehension(node.generators, lambda inner: self.expr(node.elt, inner), env)

    def x_GeneratorExp(self, node: ast.GeneratorExp, env: Env) -> E:
        return self.comprehension(node.generators, lambda inner: self.expr(node.elt, inner), env)

    def x_SetComp(self, node: ast.SetComp, env: Env) -> E:
        v = self.comprehension(node.generators, lambda inner: self.expr(node.elt, inner), env, ordered=False)
        return raw(T("set", v.ty.args), "remove_duplicates({0})", v)

    def x_DictComp(self, node: ast.DictComp, env: Env) -> E:
        pair = ast.copy_location(ast.Tuple(elts=[node.key, node.value], ctx=ast.Load()), node)
        v, bindings = named("d", self.comprehension(node.generators, lambda inner: self.expr(pair, inner), env))
        if v.ty.elem.kind == "never":
            return wrap(bindings, Zero(T("dict", (NEVER, NEVER))))
        k, item = v.ty.elem.args
        names = Var(v.ty.elem, name=fresh("x")), Var(v.ty.elem, name=fresh("x"))
        keys, values = each(get(names[0], 0), [(names[0].name, v)]), each(get(names[1], 1), [(names[1].name, v)])
        return wrap(bindings, raw(T("dict", (k, item)), "py_dict({0}, {1})", keys, values, own=values.own))

    def comprehension(self, generators: list[ast.comprehension], elem: Callable[[Env], E], env: Env, ordered: bool = True) -> E:
        clauses: list[Clause] = []
        for g in generators:
            if g.is_async:
                raise Refused("an asynchronous comprehension")
            clauses.append(Clause("for", g.iter, g.target))
            for test in g.ifs:
                clauses += self.test_clauses(test)
        return self.clauses(clauses, elem, env, ordered)

    def test_clauses(self, test: ast.expr) -> list[Clause]:
        """A condition; what it names by `:=` becomes a clause of its own."""
        found = [n for n in ast.walk(test) if isinstance(n, ast.NamedExpr)]
        if not found or isinstance(test, ast.BoolOp):
            return [Clause("if", test)]
        replaced = _Unnamed().visit(ast.parse(ast.unparse(test), mode="eval").body)
        for n in ast.walk(replaced):
            ast.copy_location(n, test)
        return [Clause("let", n.value, n.target) for n in found] + [Clause("if", replaced)]

    def bind_target(self, target: ast.expr, value: E, env: Env, roots: tuple[tuple[str, int], ...] = ()) -> list[tuple[list[str], E]]:
        raise NotImplementedError

    def clauses(self, clauses: list[Clause], elem: Callable[[Env], E], env: Env, ordered: bool = True) -> E:
        """The list that a chain of clauses gives; the first one is a `for`."""
        first, rest = clauses[0], clauses[1:]
        assert first.target is not None
        it = self.iterable(first.value, env, ordered)
        if any(element(c).kind == "never" for c in it.columns):
            return Zero(list_of(NEVER))
        names = [Var(element(c), name=fresh("x"), rng=c.rng, own=0 if mutable(element(c)) else ALL) for c in it.columns]
        inner = env.child()
        self.freeze(inner, targets(first.target))
        roots = tuple((n, d + 1) for n, d in it.roots)
        bindings = self.bind_target(first.target, it.value(list(names)), inner, roots)
        test: E | None = None
        try:
            bindings, test, rest, inner = self.before_body(rest, bindings, inner)
            body = self.clauses(rest, elem, inner) if rest else elem(inner)
        except Unknown:
            # The elements have no type yet, or no value at all: there are none, or the call fails.
            return wrap(it.bindings, each(fail(), [(v.name, c) for v, c in zip(names, it.columns)]))
        out = self._apply(names, it.columns, wrap(bindings, body), test)
        if rest:
            out = raw(body.ty, "flatten({0})", out, own=body.own, rng=body.rng)
            out.aliases = body.aliases
        elif body.ty == INT:
            out.rng = body.rng
        return wrap(it.bindings, out)

    def before_body(self, rest: list[Clause], bindings: Bindings, inner: Env) -> tuple[Bindings, E | None, list[Clause], Env]:
        """Conditions and names between a `for` and what is computed for each element."""
        test: E | None = None
        while rest and rest[0].kind != "for":
            clause = rest[0]
            rest = rest[1:]
            if clause.kind == "let":
                assert clause.target is not None
                bindings = bindings + self.bind_target(clause.target, self.expr(clause.value, inner), inner)
                continue
            one = wrap(bindings, self.cond(clause.value, inner))
            inner = refined(clause.value, inner, True, self.expr)
            if not (isinstance(one, Lit) and one.value):
                test = one if test is None else both(test, one)
        return bindings, test, rest, inner

    def _apply(self, names: list[Var], columns: list[E], body: E, test: E | None) -> E:
        sources = [(v.name, c) for v, c in zip(names, columns)]
        if test is None:
            return each(body, sources)
        if not body.risky and body.ty.kind in ("int", "float", "bool", "chr"):
            return each(body, sources, test)
        if isinstance(body, Var) and body.name == names[0].name:
            return each(body, sources, test)
        if len(names) == 1:
            return each(body, [(names[0].name, each(names[0], sources, test))])
        kept = each(Tup(tuple_of(*(v.ty for v in names)), items=list(names)), sources, test)
        row = Var(kept.ty.elem, name=fresh("r"))
        return each(wrap([([v.name for v in names], row)], body), [(row.name, kept)])


class _Unnamed(ast.NodeTransformer):
    """Replaces `(x := e)` by `x`."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        return ast.Name(id=node.target.id, ctx=ast.Load())

