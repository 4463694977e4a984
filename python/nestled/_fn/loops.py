"""Loops: those that only collect or add up become comprehensions, all others functions that call themselves in tail position.

A loop's function takes what changes from round to round, and everything else that its body reads. It gives back what is read after the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from . import accumulators
from .changes import Changes
from .comprehensions import FAR, Iter, element
from .convert import coerce, fresh, named, retype, truth, wrap
from .errors import Refused
from .ir import ALL, Call, E, FnV, Function, Hole, If, Let, Lit, Tup, Var, Zero, bool_lit, free_names, if_, int_lit, let, raw
from .refine import refined
from .scope import MUTATORS, Bind, Env, assigned, read, targets
from .types import BOOL, INT, NEVER, T, join, mutable, tuple_of

Exit = Callable[[Env], E]


@dataclass(frozen=True)
class Exits:
    """The ways out of a block."""

    fall: Exit
    ret: Callable[[Env, E], E]
    brk: Exit | None = None
    cont: Exit | None = None

MOST_ROUNDS = 12


@dataclass
class Loop:
    """Findings of one lowering of a loop's body."""

    name: str
    carried: list[str]
    binds: dict[str, Bind]
    counter: Var | None = None
    next: list[tuple[Env, Call]] = field(default_factory=list)
    ends: list[tuple[Env, Hole, E | None]] = field(default_factory=list)


Test = Callable[[Env], E]


class Loops(Changes):
    """Lowers `for` and `while`."""

    def block(self, stmts: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        raise NotImplementedError

    def s_For(self, node: ast.For, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        collected = self.collected(node, rest, env, live)
        if collected is not None:
            return wrap(collected, self.block(rest, env, exits, live))
        for name in iterated(node.iter) & (assigned(node.body) - targets(node.target)):
            if name in env and not _rebound(name, node.body, _position(node)):
                raise Refused("a list that is changed while it is looped over", "loop over a copy, or over positions")
        it = self.iterable(node.iter, env)
        if it.columns[0].ty.kind in ("list", "set") and it.columns[0].ty.elem.kind == "never":
            return wrap(it.bindings, self.block(node.orelse + rest, env, exits, live))
        env.share((n, d + 1) for n, d in it.roots if any(mutable(element(c)) for c in it.columns))
        bindings = list(it.bindings)
        columns: list[E] = []
        for c in it.columns:
            v, more = _held(c)
            columns.append(v)
            bindings += more
        count, more = named("n", it.count)
        it = Iter(columns, it.shape, count, [], it.roots)
        return wrap(bindings + more, self.loop(node, it, rest, env, exits, live))

    def s_While(self, node: ast.While, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        return self.loop(node, None, rest, env, exits, live)

    def loop(self, node: ast.For | ast.While, it: Iter | None, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        """The loop as a function, its call, and what follows."""
        after = live | read(rest)
        body_reads = after | read(node.body) | read(node.orelse) | (read([node.test]) if isinstance(node, ast.While) else frozenset())
        carried = sorted(n for n in assigned(node.body) | assigned(node.orelse) if n in env and n in body_reads and not isinstance(env[n].x, FnV))
        binds = {n: replace(env[n], x=_open(env[n].x, n)) for n in carried}
        for _ in range(MOST_ROUNDS):
            found = Loop(fresh("loop"), carried, binds)
            body = self.round(node, it, found, env, after)
            again = _widened(found)
            if again is None:
                break
            binds = again
        else:
            raise Refused("a variable whose type changes from round to round", "give it one type before the loop")
        return self.finish(found, body, it, rest, env, exits, live, after)

    def round(self, node: ast.For | ast.While, it: Iter | None, found: Loop, env: Env, after: frozenset[str]) -> E:
        """One round: the body, with calls of the loop where it goes on."""
        inner = env.child()
        counter = found.counter = Var(INT, name=fresh("i"), rng=(0, FAR))
        for n, b in found.binds.items():
            inner[n] = b
        missing = targets(node.target) if isinstance(node, ast.For) else set()

        def go_on(e: Env) -> E:
            step: list[E] = [raw(INT, "{0} + 1", counter)] if it is not None else []
            call = Call(NEVER, name=found.name, args=step, risky=True)
            found.next.append((e, call))
            return call

        def leave(e: Env, value: E | None = None) -> E:
            hole = Hole(NEVER)
            found.ends.append((e, hole, value))
            return hole

        exits = Exits(fall=go_on, ret=lambda e, x: leave(e, x), brk=lambda e: leave(e), cont=go_on)
        wanted = after | read(node.body) | (read([node.test]) if isinstance(node, ast.While) else frozenset())
        outside = Exits(fall=lambda e: leave(e), ret=lambda e, x: leave(e, x))
        normal = self.block(list(node.orelse), inner.child(), outside, after)
        if isinstance(node, ast.While):
            test = truth(self.attempt(lambda: self.cond(node.test, inner)))
            if isinstance(test, Lit) and test.value:
                found.ends = [] if not node.orelse else found.ends
                return self.attempt(lambda: self.block(node.body, inner, exits, wanted))
            held = refined(node.test, inner, True, self.expr)
            return _choice(test, self.attempt(lambda: self.block(node.body, held, exits, wanted)), normal)
        assert it is not None
        parts: list[E] = [_element(c, counter) for c in it.columns]
        bindings = self.bind_target(node.target, it.value(parts), inner, tuple((n, d + 1) for n, d in it.roots))
        after_target = wanted - missing | (read(node.body) & missing)
        body = wrap(bindings, self.attempt(lambda: self.block(node.body, inner, exits, after_target)))
        return _choice(raw(BOOL, "{0} < {1}", counter, it.count), body, normal)

    def finish(self, found: Loop, body: E, it: Iter | None, rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str], after: frozenset[str]) -> E:
        """Fills the exits, makes the function, and goes on after the loop."""
        plain = [e for e, _, value in found.ends if value is None]
        names = sorted(n for n in set().union(*map(set, plain)) if n in after and all(n in e for e in plain)) if plain else []
        names = [n for n in names if n in found.carried or n not in env or any(e[n].x is not env[n].x for e in plain)]
        names = [n for n in names if not any(isinstance(e[n].x, FnV) for e in plain)]
        types = []
        for n in names:
            ty = NEVER
            for e in plain:
                ty = join(ty, e[n].x.ty)
            types.append(ty)
        values = [v for _, _, v in found.ends if v is not None]
        back = NEVER
        for v in values:
            back = join(back, v.ty)
        parts = types + ([tuple_of(BOOL, back)] if values else [])
        whole = parts[0] if len(parts) == 1 else tuple_of(*parts)
        for e, hole, value in found.ends:
            items: list[E] = [Zero(t) if value is not None else coerce(e[n].x, t) for n, t in zip(names, types)]
            if values:
                flag: list[E] = [bool_lit(value is not None), Zero(back) if value is None else coerce(value, back)]
                items.append(Tup(parts[-1], items=flag))
            hole.inner = items[0] if len(items) == 1 else Tup(whole, items=items) if items else int_lit(0)
            hole.ty = whole if items else INT
        start = [coerce(env[n].x, found.binds[n].x.ty) for n in found.carried]
        call = self.make_function(found, body, it, start, whole if parts else INT)
        return self.after_loop(found, call, names, types, plain, back, values, rest, env, exits, live)

    def make_function(self, found: Loop, body: E, it: Iter | None, start: list[E], result: T) -> Call:
        params: list[tuple[str, T]] = []
        if it is not None and found.counter is not None:
            params.append((found.counter.name, INT))
            start = [int_lit(0), *start]
        for n in found.carried:
            x = found.binds[n].x
            assert isinstance(x, Var)
            params.append((x.name, x.ty))
        for e, again in found.next:
            again.ty = result
            again.args = again.args + [coerce(e[n].x, found.binds[n].x.ty) for n in found.carried]
        body = settled_tree(body, result)
        own = {name for name, _ in params}
        free = [(n, t) for n, t in free_names(body).items() if n not in own]
        extra: list[E] = [Var(t, name=n) for n, t in free]
        for _, again in found.next:
            again.args = again.args + extra
        self.program.add(Function(found.name, params + free, result, body, comment="loop"))
        return Call(result, name=found.name, args=start + extra, risky=True)

    def after_loop(self, found: Loop, call: Call, names: list[str], types: list[T], plain: list[Env], back: T, values: list[E], rest: list[ast.stmt], env: Env, exits: Exits, live: frozenset[str]) -> E:
        out: list[str] = []
        for n in set(found.carried) | {n for e in plain for n in assigned_names(e, env)}:
            if n not in names:
                env.pop(n, None)
        for n in list(env):
            binds = [e[n] for e in plain if n in e]
            if binds and n not in names:
                env[n] = replace(env[n], own=min([b.own for b in binds] + [env[n].own]))
        for n, ty in zip(names, types):
            v = Var(ty, name=fresh(n), rng=_range([e[n].x for e in plain]))
            env[n] = Bind(v, min(e[n].own for e in plain), tuple(r for e in plain for r in e[n].roots))
            out.append(v.name)
        if not values:
            return let(out or [fresh("u")], call, self.block(rest, env, exits, live))
        flag = Var(tuple_of(BOOL, back), name=fresh("r"))
        given = exits.ret(env, _part(flag, 1, back))
        if not plain:
            return let(out + [flag.name], call, given)
        go_on = self.block(rest, env, exits, live)
        return let(out + [flag.name], call, _choice(_part(flag, 0, BOOL), given, go_on))

    # Loops that collect

    def collected(self, node: ast.For, rest: list[ast.stmt], env: Env, live: frozenset[str]) -> list[tuple[list[str], E]] | None:
        """The new values of variables that a loop only appends to or adds to."""
        found = accumulators.find(node)
        if not found:
            return None
        inside = assigned(node.body) | targets(node.target)
        names = {a.name for a in found}
        if (inside - names) & (live | read(rest)) or any(n in env for n in inside - names):
            return None
        for a in found:
            kind = env[a.name].x.ty.kind if a.name in env else ""
            ok = {"append": ("list",), "add": ("int", "float", "str", "list", "bool"), "sub": ("int", "float"), "max": ("int",), "min": ("int",)}[a.kind]
            if kind not in ok or (kind in ("list",) and env[a.name].own < 1):
                return None
        out: list[tuple[list[str], E]] = []
        for a in found:
            out += self.accumulate(a, env)
        return out

    def accumulate(self, a: accumulators.Accumulator, env: Env) -> list[tuple[list[str], E]]:
        from . import arithmetic
        from .builtin import lesser, total

        old = env[a.name].x
        kept = self.local_names
        self.local_names = kept | {"#part"}
        v = self.clauses(a.clauses, lambda inner: self.expr(a.value, inner), env)
        self.local_names = kept
        kind = old.ty.kind
        if a.kind == "append" or kind == "list":
            lists = v if a.kind == "append" else raw(v.ty.elem, "flatten({0})", v) if v.ty.elem.kind == "list" else v
            env.share((n, d) for n, d in v.aliases)
            own = min(env[a.name].own, v.own)
            return self.update(a.name, arithmetic.concat_lists([old, lists]), env, own)
        if kind == "str":
            text = raw(old.ty, "flatten({0})" if v.ty.elem.kind == "str" else "{0}", v)
            return self.update(a.name, arithmetic.concat_all([old, text]), env, ALL)
        if a.kind in ("max", "min"):
            x, bindings = named("v", v)
            name = a.kind
            most: E = raw(v.ty.elem, f"py_{name}({{0}})", x, rng=v.rng)
            value: E = if_(raw(BOOL, "#{0} == 0", x), old, lesser(old, most, name == "min"), old.ty)
            return bindings + self.update(a.name, value, env, ALL)
        added = total(v)
        value = arithmetic.binary("Add" if a.kind == "add" else "Sub", old, added)
        return self.update(a.name, value, env, ALL)


def settled_tree(e: E, ty: T) -> E:
    """Branches that end in a value of a type, or in no value at all."""
    if isinstance(e, If) and e.cond is not None and e.then is not None and e.other is not None:
        return if_(e.cond, settled_tree(e.then, ty), settled_tree(e.other, ty), ty)
    if isinstance(e, Let) and e.value is not None and e.body is not None:
        return let(e.names, e.value, settled_tree(e.body, ty))
    if isinstance(e, Hole):
        e.ty = ty
        return e
    return retype(e, ty) if e.ty == NEVER else e


def iterated(node: ast.expr) -> set[str]:
    """The names of the lists whose elements a loop takes one after another."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Call):
        parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        lazy = name in ("enumerate", "zip", "reversed", "map", "filter", "iter") or isinstance(node.func, ast.Attribute)
        return set().union(*map(iterated, parts)) if lazy else set()
    return set()


def _position(node: ast.For) -> str:
    """The index of `for i, x in enumerate(…)`."""
    call = node.iter
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "enumerate" and len(call.args) == 1:
        if isinstance(node.target, ast.Tuple) and isinstance(node.target.elts[0], ast.Name):
            return node.target.elts[0].id
    return ""


def _rebound(name: str, body: list[ast.stmt], position: str) -> bool:
    """True if a name in a body is only given other lists as wholes, or changed at the position that the loop has come to."""
    for s in body:
        for n in ast.walk(s):
            if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and name in targets(n):
                here = isinstance(n.slice, ast.Name) and n.slice.id == position and isinstance(n.value, ast.Name)
                if not here:
                    return False
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in MUTATORS and name in targets(n.func.value):
                return False
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and n.target.id == name:
                return False
            if isinstance(n, ast.Delete) and any(name in targets(t) for t in n.targets):
                return False
    return not position or position not in assigned(body)


def _open(x: E, name: str) -> Var:
    """A variable for a carried value."""
    return Var(x.ty, name=fresh(name), rng=x.rng)


def _held(column: E) -> tuple[E, list[tuple[list[str], E]]]:
    """A column bound to a name, unless its elements follow from the position."""
    from .ir import Raw

    if isinstance(column, Raw) and column.text in ("index({0})", "py_count_from({0}, {1})", "py_range({0}, {1}, {2})"):
        return column, []
    return named("s", column)


def _element(column: E, at: Var) -> E:
    from .ir import Raw

    if isinstance(column, Raw):
        if column.text == "index({0})":
            return Var(INT, name=at.name, rng=(0, FAR))
        if column.text == "py_count_from({0}, {1})":
            return raw(INT, "{0} + {1}", column.args[0], at, rng=column.rng)
        if column.text == "py_range({0}, {1}, {2})":
            return raw(INT, "{0} + {1} * {2}", column.args[0], at, column.args[2], rng=column.rng)
    ty = element(column)
    return raw(ty, "{0}[{1}]", column, at, rng=column.rng, risky=True, own=0 if mutable(ty) else ALL)


def _part(v: Var, index: int, ty: T) -> E:
    from .ir import Get

    return Get(ty, value=v, index=index, own=0 if mutable(ty) else ALL)


def _choice(test: E, then: E, other: E) -> E:
    """A conditional whose branches get their type later."""
    if isinstance(test, Lit):
        return then if test.value else other
    ty = then.ty if then.ty.kind != "never" else other.ty
    out = if_(truth(test), then, other, ty)
    return out


def assigned_names(e: Env, outer: Env) -> set[str]:
    return {n for n in e if n in outer and e[n].x is not outer[n].x}


def _range(values: list[E]) -> Any:
    rngs = [v.rng for v in values]
    return (min(r[0] for r in rngs if r), max(r[1] for r in rngs if r)) if rngs and all(rngs) else None


NEAR, STEP = 2**42, 16


def widened(old: Any, new: Any) -> Any:
    """A range that holds in each round, if one can be told.

    First a counter may stay below any length; then it may grow by a small step in each of 2^56 rounds, which no loop has.
    """
    if old is None or new is None:
        return None
    down, up = max(old[0] - new[0], 0), max(new[1] - old[1], 0)
    if not down and not up:
        return old
    most = max(abs(old[0]), abs(old[1]))
    if most < NEAR and max(abs(new[0]), abs(new[1])) <= NEAR:
        return (-NEAR if down else old[0], NEAR if up else old[1])
    if max(down, up) > STEP:
        return None
    if most < FAR:
        return (old[0] - down * FAR, old[1] + up * FAR)
    return old


def _widened(found: Loop) -> dict[str, Bind] | None:
    """The bindings of the variables at the start of a round, if that is more than was assumed."""
    out: dict[str, Bind] = {}
    changed = False
    for n in found.carried:
        old = found.binds[n]
        ty, own, rng = old.x.ty, old.own, old.x.rng
        roots = set(old.roots)
        for e, _ in found.next:
            if n not in e:
                raise Refused(f"`{n}` may have no value in the next round")
            b = e[n]
            ty, own = join(ty, b.x.ty), min(own, b.own)
            rng = widened(rng, b.x.rng)
            roots |= set(b.roots)
        if ty != old.x.ty or own != old.own or rng != old.x.rng or roots != set(old.roots):
            changed = True
        out[n] = Bind(Var(ty, name=fresh(n), rng=rng), own, tuple(sorted(roots)))
    return out if changed else None


