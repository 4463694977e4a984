"""Statements: blocks become expressions, each with what follows it inside.

A block is lowered with its exits: what to do at its end, at `break`, `continue` and `return`. So early returns need no flags.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import replace

from . import arithmetic
from .convert import coerce, decided, fresh, unwrap, wrap
from .errors import Refused
from .ir import ALL, E, FnV, Hole, Lit, Tup, Var, Zero, fail, if_, int_lit, let
from .loops import Exits, Loops, settled_tree
from .refine import refined
from .scope import JUMPS, Bind, Env, assigned, jumps, read
from .types import NEVER, NONE, T, join, mutable, tuple_of


class Statements(Loops):
    """Lowers statements."""

    def block(self, stmts: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        """The value of a block. `live` are the names that may be read after it."""
        if not stmts:
            return exits.fall(env)
        pops = hoisted_pops(stmts[0])
        if pops:
            return self.block(pops + stmts[1:], env, exits, live)
        first, rest = stmts[0], stmts[1:]
        method = getattr(self, "s_" + type(first).__name__, None)
        try:
            if method is None:
                raise Refused(f"`{type(first).__name__.lower()}` statements are not supported")
            self.program.step()
            out: E = method(first, rest, env, exits, live)
            return out
        except Refused as refusal:
            raise refusal.at(self.source.place(first)) from None

    def s_Pass(self, node: ast.Pass, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        return self.block(rest, env, exits, live)

    def s_Return(self, node: ast.Return, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        value = self.expr(node.value, env) if node.value is not None else Zero(NONE)
        return exits.ret(env, self.as_value(value, env))

    def s_Break(self, node: ast.Break, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        assert exits.brk is not None
        return exits.brk(env)

    def s_Continue(self, node: ast.Continue, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        assert exits.cont is not None
        return exits.cont(env)

    def s_Delete(self, node: ast.Delete, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        bindings: list[tuple[list[str], E]] = []
        for target in node.targets:
            bindings += self.s_delete(target, env)
        return wrap(bindings, self.block(rest, env, exits, live))

    def s_Raise(self, node: ast.Raise, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        return fail()

    def s_Assert(self, node: ast.Assert, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        test = self.cond(node.test, env)
        after = self.block(rest, env, exits, live)
        return if_(test, after, fail(after.ty), after.ty)

    def s_Expr(self, node: ast.Expr, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        if isinstance(node.value, ast.Constant):
            return self.block(rest, env, exits, live)
        if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
            raise Refused("a generator function", "return a list: a comprehension, or append to one")
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            bindings = self.change(node.value, node.value.func, env)
            if bindings is not None:
                return wrap(bindings, self.block(rest, env, exits, live))
        value = self.expr(node.value, env)
        if not value.risky:
            return self.block(rest, env, exits, live)
        return let([fresh("unused")], value if value.ty != NEVER else fail(NONE), self.block(rest, env, exits, live))

    def s_Assign(self, node: ast.Assign, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        popped = self.popped(node.value, env)
        if popped is not None:
            value, bindings = popped
        else:
            value, bindings = self.assigned_value(node.value, env), []
        if _permutes(node) and isinstance(value, Tup):
            for x in value.items:
                x.own, x.aliases = ALL, ()
        if len(node.targets) > 1 and not isinstance(value, (Lit, Var)):
            v = Var(value.ty, name=fresh("v"), rng=value.rng, own=0 if mutable(value.ty) else ALL)
            bindings, value = bindings + [([v.name], value)], v
        for target in node.targets:
            bindings = bindings + self.assign(target, value, env)
        return wrap(bindings, self.block(rest, env, exits, live))

    def assigned_value(self, node: ast.expr, env: Env) -> E:
        """The value; names that only change places keep what they own."""
        return self.expr(node, env)

    def s_AnnAssign(self, node: ast.AnnAssign, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        if node.value is None:
            return self.block(rest, env, exits, live)
        return wrap(self.assign(node.target, self.expr(node.value, env), env), self.block(rest, env, exits, live))

    def s_AugAssign(self, node: ast.AugAssign, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        for n in ast.walk(target):
            ast.copy_location(n, node.target)
        old, value = unwrap(self.expr(target, env)), self.expr(node.value, env)
        if old.ty.kind in ("list", "set"):
            if isinstance(node.op, ast.Add):
                value = self.iter_value(value).columns[0] if value.ty.kind != "list" else value
                return wrap(self.extend(node.target, value, env), self.block(rest, env, exits, live))
            raise Refused("this operator, which changes a list or set", "write `a = a … b`")
        out = arithmetic.binary(type(node.op).__name__, old, value)
        return wrap(self.assign(node.target, out, env), self.block(rest, env, exits, live))

    def s_FunctionDef(self, node: ast.FunctionDef, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        if node.decorator_list:
            raise Refused("a decorated local function", "leave the decorator out")
        info = self.program.local_info(node, self.source, node.name)
        info.defaults = self.defaults(node, env)
        env[node.name] = Bind(FnV(T("fn", (), info), info=info))
        return self.block(rest, env, exits, live)

    def s_Nonlocal(self, node: ast.Nonlocal, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise Refused("`nonlocal`", "return the new value, and assign it outside")

    def s_Global(self, node: ast.Global, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise Refused("`global`", "return the new value, and assign it outside")

    def s_Try(self, node: ast.Try, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise Refused("`try`", "test for the case before it happens")

    def s_With(self, node: ast.With, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise Refused("`with`")

    def s_Import(self, node: ast.Import, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise Refused("`import` inside of a function", "import at the top of the file")

    s_ImportFrom = s_Import

    # Conditionals

    def s_If(self, node: ast.If, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        test, bindings = decided(self.cond(node.test, env))
        if isinstance(test, Lit):
            return wrap(bindings, self.block((node.body if test.value else node.orelse) + rest, env, exits, live))
        yes, no = (refined(node.test, env, holds, self.expr) for holds in (True, False))
        return self.branch(test, node.body, node.orelse, rest, env, exits, live, (yes, no))

    def branch(self, test: E, body: list[ast.stmt], orelse: list[ast.stmt], rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str], envs: tuple[Env, Env]) -> E:
        if jumps(body) or jumps(orelse) or _stops(body) or _stops(orelse):
            after = replace(exits, fall=lambda e: self.block(rest, e, exits, live))
            inside = live | read(rest)
            then = self.attempt(lambda: self.block(body, envs[0], after, inside))
            other = self.attempt(lambda: self.block(orelse, envs[1], after, inside))
            return self.joined(test, then, other)
        return self.merge(test, body, orelse, rest, env, exits, live, envs)

    def joined(self, test: E, then: E, other: E) -> E:
        ty = join(then.ty, other.ty)
        return if_(test, coerce(then, ty), coerce(other, ty), ty)

    def merge(self, test: E, body: list[ast.stmt], orelse: list[ast.stmt], rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str], envs: tuple[Env, Env]) -> E:
        """Both branches end here: what they assign comes out as a tuple."""
        wanted = live | read(rest)
        ends: list[tuple[Env, Hole]] = []

        def fall(e: Env) -> E:
            hole = Hole(NEVER)
            ends.append((e, hole))
            return hole

        inner = replace(exits, fall=fall)
        then = self.attempt(lambda: self.block(body, envs[0], inner, wanted))
        other = self.attempt(lambda: self.block(orelse, envs[1], inner, wanted))
        names = sorted((assigned(body) | assigned(orelse)) & wanted)
        kept = [n for n in names if all(n in e for e, _ in ends) and not any(isinstance(e[n].x, FnV) for e, _ in ends)]
        for n in names:
            if n not in kept:
                env.pop(n, None)
        for n in list(env):
            binds = [e[n] for e, _ in ends if n in e]
            if n not in kept and binds:
                env[n] = replace(env[n], own=min(b.own for b in binds))
        bindings = self.merged(test, then, other, kept, ends, env)
        return wrap(bindings, self.block(rest, env, exits, live))

    def merged(self, test: E, then: E, other: E, kept: list[str], ends: list[tuple[Env, Hole]], env: Env) -> list[tuple[list[str], E]]:
        types: list[T] = []
        for n in kept:
            ty = NEVER
            for e, _ in ends:
                ty = join(ty, e[n].x.ty)
            types.append(ty)
        whole = types[0] if len(kept) == 1 else tuple_of(*types)
        for e, hole in ends:
            items = [coerce(e[n].x, t) for n, t in zip(kept, types)]
            hole.inner = items[0] if len(items) == 1 else Tup(whole, items=items) if items else int_lit(0)
            hole.risky = any(x.risky for x in items)
        if not kept:
            risky = then.risky or other.risky
            return [([fresh("u")], settled_tree(if_(test, then, other, NONE), NONE))] if risky else []
        value = settled_tree(if_(test, then, other, whole), whole)
        out: list[str] = []
        for i, n in enumerate(kept):
            binds = [e[n] for e, _ in ends]
            rngs = [b.x.rng for b in binds]
            rng = (min(r[0] for r in rngs if r), max(r[1] for r in rngs if r)) if all(rngs) and rngs else None
            v = Var(types[i], name=fresh(n), rng=rng)
            env[n] = Bind(v, min((b.own for b in binds), default=ALL), tuple(r for b in binds for r in b.roots))
            out.append(v.name)
        return [(out, value)]

    def s_Match(self, node: ast.Match, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        """`match` as a chain of conditionals."""
        name = f"#match{node.lineno}"
        chain: list[ast.stmt] = []
        subject = ast.Name(id=name, ctx=ast.Load())
        for case in reversed(node.cases):
            test, binds = self.pattern(case.pattern, subject)
            body: list[ast.stmt] = [*binds, *case.body]
            if case.guard is not None:
                if binds:
                    raise Refused("a guard of a pattern that names values")
                test = case.guard if test is None else ast.BoolOp(op=ast.And(), values=[test, case.guard])
            chain = body if test is None else [ast.If(test=test, body=body, orelse=chain)]
        first = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=node.subject)
        for s in [first, *chain]:
            for n in ast.walk(s):
                if not hasattr(n, "lineno"):
                    ast.copy_location(n, node)
        return self.block([first, *chain, *rest], env, exits, live | {name})

    def pattern(self, p: ast.pattern, subject: ast.expr) -> tuple[ast.expr | None, list[ast.stmt]]:
        if isinstance(p, ast.MatchValue):
            return ast.Compare(left=subject, ops=[ast.Eq()], comparators=[p.value]), []
        if isinstance(p, ast.MatchSingleton):
            return ast.Compare(left=subject, ops=[ast.Is()], comparators=[ast.Constant(value=p.value)]), []
        if isinstance(p, ast.MatchOr):
            tests = [self.pattern(q, subject)[0] for q in p.patterns]
            return (None if None in tests else ast.BoolOp(op=ast.Or(), values=[t for t in tests if t])), []
        if isinstance(p, ast.MatchAs) and p.pattern is None:
            bind: list[ast.stmt] = [] if p.name is None else [ast.Assign(targets=[ast.Name(id=p.name, ctx=ast.Store())], value=subject)]
            return None, bind
        raise Refused("this pattern", "use values, `|` and `_`, or if and elif")

    def inline_block(self, body: list[ast.stmt], env: Env) -> E:
        """Statements with a return at the end, as an expression."""
        old = self.local_names
        self.local_names = old | assigned(body, False)
        try:
            exits = Exits(fall=lambda e: fail(), ret=lambda e, x: x)
            return self.block(body, env.child(), exits, frozenset())
        finally:
            self.local_names = old


class _Pops(ast.NodeTransformer):
    """Takes `v.pop()` out of an expression, unless the expression may not come to it, or reads `v` elsewhere."""

    def __init__(self) -> None:
        self.found: list[tuple[str, ast.Call]] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        f = node.func
        if not (isinstance(f, ast.Attribute) and f.attr == "pop" and isinstance(f.value, ast.Name)):
            return node
        name = f"#pop{node.lineno}_{node.col_offset}"
        self.found.append((name, node))
        return ast.copy_location(ast.Name(id=name, ctx=ast.Load()), node)

    def stay(self, node: ast.AST) -> ast.AST:
        return node

    visit_Lambda = visit_ListComp = visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_IfExp = visit_BoolOp = stay


def hoisted_pops(s: ast.stmt) -> list[ast.stmt]:
    """A statement with pops inside of its expressions as several statements; nothing if it has none."""
    if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)) or s.value is None:
        return []
    if isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute) and s.value.func.attr == "pop":
        return []
    if not any(isinstance(n, ast.Attribute) and n.attr == "pop" for n in ast.walk(s)):
        return []
    pops = _Pops()
    again = copy.deepcopy(s)
    pops.visit(again)
    popped = {f.value.id for _, c in pops.found if isinstance(f := c.func, ast.Attribute) and isinstance(f.value, ast.Name)}
    if not pops.found or any(isinstance(n, ast.Name) and n.id in popped for n in ast.walk(again)):
        return []
    out: list[ast.stmt] = []
    for name, call in pops.found:
        target = ast.copy_location(ast.Name(id=name, ctx=ast.Store()), call)
        out.append(ast.copy_location(ast.Assign(targets=[target], value=call), call))
    return [*out, again]


def _permutes(node: ast.Assign) -> bool:
    """True if elements only change places: `a[i], a[j] = a[j], a[i]`. Who holds which lists stays as it is."""
    target, value = node.targets[0], node.value
    if len(node.targets) > 1 or not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return False
    places = [ast.unparse(t) for t in target.elts]
    elements = all(isinstance(t, ast.Subscript) for t in target.elts)
    return elements and len(set(places)) == len(places) and sorted(places) == sorted(map(ast.unparse, value.elts))


def _stops(stmts: list[ast.stmt]) -> bool:
    return any(isinstance(s, (*JUMPS, ast.Raise)) for s in stmts)
