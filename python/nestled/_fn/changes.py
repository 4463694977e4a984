"""Assignments and changes in place: a changed list is a new value of its variable.

That is what Python means only if no other variable, and no list, holds the same list. `Bind.own` says how many levels are certain to be held once;
what is not certain is refused.
"""

from __future__ import annotations

import ast

from .calls import Calls
from .convert import coerce, fresh, named, to_int, unwrap
from .errors import Refused
from .ir import ALL, E, FnV, Lit, Tup, Var, Zero, length, raw
from .scope import MUTATORS, Bind, Env
from .types import T, join, list_of, mutable

Bindings = list[tuple[list[str], E]]


class Changes(Calls):
    """Lowers assignments."""

    def assign(self, target: ast.expr, value: E, env: Env) -> Bindings:
        """Gives a target a value."""
        if isinstance(target, ast.Name):
            env.share(value.aliases)
            return self.bind_name(target.id, value, env, value.own)
        if isinstance(target, ast.Subscript):
            return self.store(target, value, env)
        if isinstance(target, ast.Attribute):
            raise Refused("assignment to a field", "make a new record")
        env.share(() if isinstance(value, Tup) else value.aliases)
        return self.bind_target(target, value, env)

    def bind_name(self, name: str, value: E, env: Env, own: int, roots: tuple[tuple[str, int], ...] = ()) -> Bindings:
        if isinstance(value, FnV) and value.captures is None:
            env[name] = Bind(value)
            return []
        if isinstance(value, FnV):
            return self._bind_function(name, value, env)
        if not mutable(value.ty):
            own = ALL
        if isinstance(value, (Lit, Var)) or (isinstance(value, Zero) and not value.ty.args):
            env[name] = Bind(value, own, roots)
            return []
        v = Var(value.ty, name=fresh(name), rng=value.rng)
        env[name] = Bind(v, own, roots)
        return [([v.name], value)]

    def _bind_function(self, name: str, value: FnV, env: Env) -> Bindings:
        bindings: Bindings = []
        held: dict[str, E] = {}
        for n, x in (value.captures or {}).items():
            held[n], more = (x, []) if isinstance(x, FnV) else named(n, x)
            bindings += more
        env[name] = Bind(FnV(value.ty, info=value.info, captures=held))
        return bindings

    def bind_target(self, target: ast.expr, value: E, env: Env, roots: tuple[tuple[str, int], ...] = ()) -> Bindings:
        """Takes a value apart into a target of names."""
        if isinstance(target, ast.Name):
            return self.bind_name(target.id, value, env, value.own, roots or value.aliases)
        if isinstance(target, ast.Starred):
            raise Refused("`*` here")
        if not isinstance(target, (ast.Tuple, ast.List)):
            return self.assign(target, value, env)
        value = unwrap(value)
        if value.ty.kind in ("list", "str", "chr"):
            return self._unpack_list(target.elts, value, env)
        if value.ty.kind not in ("tuple", "rec"):
            raise Refused(f"a value of type {value.ty} cannot be taken apart")
        if len(value.ty.args) != len(target.elts) or any(isinstance(t, ast.Starred) for t in target.elts):
            raise Refused(f"{len(target.elts)} names for {len(value.ty.args)} values")
        if isinstance(value, Tup):
            return self._unpack_written(target.elts, value, env, roots)
        parts = [Var(t, name=fresh("p"), own=0 if mutable(t) else ALL) for t in value.ty.args]
        out: Bindings = [([p.name for p in parts], value)]
        if value.own and not value.aliases and not roots:
            for p in parts:
                p.own = value.own
        for t, p in zip(target.elts, parts):
            out += self.bind_target(t, p, env, roots)
        return out

    def _unpack_written(self, targets: list[ast.expr], value: Tup, env: Env, roots: tuple[tuple[str, int], ...]) -> Bindings:
        """`a, b = x, y`: all values are there before any name changes. Lists that only change places stay owned."""
        names = {t.id for t in targets if isinstance(t, ast.Name)}
        moved = [x.aliases[0][0] for x in value.items if x.aliases and x.aliases[0][1] == 0]
        swap = len(set(moved)) == len(moved)
        out: Bindings = []
        held: list[tuple[E, int]] = []
        for x in value.items:
            own = x.own
            if swap and x.aliases and x.aliases[0][0] in names and x.aliases[0][1] == 0 and x.aliases[0][0] in env:
                own = env[x.aliases[0][0]].own
            elif x.aliases and not roots:
                env.share(x.aliases)
            if isinstance(x, (Lit, Var, FnV)):
                held.append((x, own))
                continue
            v = Var(x.ty, name=fresh("p"), rng=x.rng)
            out.append(([v.name], x))
            held.append((v, own))
        for t, (x, own) in zip(targets, held):
            x.own = own if mutable(x.ty) else ALL
            if isinstance(t, ast.Name):
                out += self.bind_name(t.id, x, env, own, roots)
            else:
                out += self.bind_target(t, x, env, roots) if not isinstance(t, ast.Subscript) else self.store(t, x, env)
        return out

    def _unpack_list(self, targets: list[ast.expr], value: E, env: Env) -> Bindings:
        """Names for the elements of a list, whose length is checked."""
        v, out = named("v", value)
        n = len(targets)
        stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
        if len(stars) > 1:
            raise Refused("two `*` in one target")
        text = f"py_need(#{{0}} >= {n - 1})" if stars else f"py_need(#{{0}} == {n})"
        out = out + [([fresh("ok")], raw(T("int"), text, v, risky=True))]
        env.share((name, d + 1) for name, d in value.aliases)
        elem = T("chr") if value.ty.kind in ("str", "chr") else value.ty.elem
        for i, t in enumerate(targets):
            if isinstance(t, ast.Starred):
                part: E = raw(list_of(elem), f"take(drop({{0}}, {i}), #{{0}} - {n - 1})", v)
                if mutable(elem):
                    part.own = 1
                out += self.bind_target(t.value, part, env)
                continue
            at = str(i) if not stars or i < stars[0] else f"#{{0}} - {n - i}"
            own = ALL if not mutable(elem) else max(value.own - 1, 0) if value.own < ALL else ALL
            x = raw(elem, f"{{0}}[{at}]", v, own=own)
            x.aliases = tuple((name, d + 1) for name, d in value.aliases) if mutable(elem) else ()
            out += self.bind_target(t, x, env)
        return out

    # Changes in place

    def owned(self, node: ast.expr, depth: int, env: Env) -> str:
        """The variable that a change goes to; it must hold its lists alone, so many levels deep."""
        if not isinstance(node, ast.Name):
            raise Refused("a change of a list that has no name", "change it through its variable")
        bind = env.get(node.id)
        if bind is None:
            if node.id in self.local_names:
                raise Refused(f"`{node.id}` may have no value here", f"give `{node.id}` a value on every way to this line")
            raise Refused(f"a change of `{node.id}`, which is not a local variable", "return the new value instead")
        if bind.own < depth:
            inner = " and its rows" if depth > 1 else ""
            hint = f"copy it before: `{node.id} = list({node.id})`" if depth == 1 else f"copy it before: `{node.id} = [row[:] for row in {node.id}]`"
            raise Refused(f"`{node.id}`{inner} may be held by another name or list, or by the caller, who would see this change", hint)
        return node.id

    def update(self, name: str, value: E, env: Env, own: int) -> Bindings:
        """The variable's new value after a change."""
        roots = env[name].roots
        v = Var(value.ty, name=fresh(name), rng=value.rng)
        env[name] = Bind(v, own if mutable(value.ty) else ALL, roots)
        return [([v.name], value)]

    def stored(self, value: E, env: Env, depth: int, own: int) -> int:
        """The levels that a variable still owns when a value has become part of it."""
        env.share(value.aliases)
        return min(own, depth + value.own) if mutable(value.ty) else own

    def store(self, target: ast.Subscript, value: E, env: Env, inside: int = 0) -> Bindings:
        """`a[i] = x`, `a[i][j] = x`, `d[k] = x`, `a[i:j] = v`; with `inside`, a change of the list that stands there."""
        path: list[ast.expr] = []
        base: ast.expr = target
        while isinstance(base, ast.Subscript):
            path.insert(0, base.slice)
            base = base.value
        name = self.owned(base, len(path) + inside, env)
        out: Bindings = []
        old = env[name].x
        v, more = named("x", value)
        out += more
        new, own = self._replaced(old, path, v, env, out), self.stored(value, env, len(path), env[name].own)
        return out + self.update(name, new, env, own)

    def _replaced(self, old: E, path: list[ast.expr], value: E, env: Env, out: Bindings) -> E:
        """The value with the element at a path replaced."""
        old = unwrap(old)
        if isinstance(path[0], ast.Slice):
            if len(path) > 1 or old.ty.kind != "list" or path[0].step is not None:
                raise Refused("assignment to this slice")
            lower, upper = (to_int(self.expr(p, env)) if p else None for p in (path[0].lower, path[0].upper))
            ty = join(old.ty, value.ty)
            ends = lower or coerce(Lit(T("int"), value=0), T("int")), upper or length(old)
            return raw(ty, "py_splice({0}, {1}, {2}, {3})", coerce(old, ty), *ends, coerce(value, ty))
        key, more = named("i", self.expr(path[0], env))
        out += more
        if old.ty.kind == "dict":
            return self._dict_replaced(old, path, key, value, env, out)
        if old.ty.kind != "list":
            raise Refused(f"assignment to an element of a value of type {old.ty}")
        if isinstance(old, Zero):
            return Zero(old.ty)
        at, more = named("i", to_int(key))
        out += more
        if at.rng is None or at.rng[0] < 0:
            at, more = named("i", raw(T("int"), "py_place({0}, {1})", old, at, rng=(0, 2**40)))
            out += more
        inner = value if len(path) == 1 else self._replaced(self.index(old, at), path[1:], value, env, out)
        ty = join(old.ty, list_of(inner.ty))
        rng = (min(old.rng[0], inner.rng[0]), max(old.rng[1], inner.rng[1])) if old.rng and inner.rng else None
        return raw(ty, "rep({0}, {1}, {2})", coerce(old, ty), coerce(inner, ty.elem), at, rng=rng, risky=True)

    def _dict_replaced(self, old: E, path: list[ast.expr], key: E, value: E, env: Env, out: Bindings) -> E:
        k, item = old.ty.args
        inner = value
        if len(path) > 1:
            part = raw(item, "py_dict_get({0}, {1})", old, coerce(key, k), risky=True)
            inner = self._replaced(part, path[1:], value, env, out)
        ty = T("dict", (join(k, key.ty), join(item, inner.ty)))
        return raw(ty, "py_dict_set({0}, {1}, {2})", coerce(old, ty), coerce(key, ty.args[0]), coerce(inner, ty.args[1]))

    def extend(self, target: ast.expr, value: E, env: Env) -> Bindings:
        """`a += v`."""
        from . import arithmetic

        if not isinstance(target, ast.Name):
            old = self.expr(target, env)
            assert isinstance(target, ast.Subscript)
            return self.store(target, arithmetic.concat_lists([old, value]), env, inside=1)
        name = self.owned(target, 1, env)
        own = env[name].own
        if mutable(value.ty.elem):
            env.share((n, d + 1) for n, d in value.aliases)
            own = min(own, max(value.own, 1))
        return self.update(name, arithmetic.concat_lists([env[name].x, value]), env, own)

    def change(self, node: ast.Call, func: ast.Attribute, env: Env) -> Bindings | None:
        """A method that changes its value, as a statement; none if it is no such method."""
        if func.attr not in MUTATORS:
            return None
        found, _ = self.static(func, env)
        if found:
            return None
        old = unwrap(self.expr(func.value, env))
        method = getattr(self, f"change_{old.ty.kind}_{func.attr}", None)
        if method is None:
            raise Refused(f"a value of type {old.ty} has no method `{func.attr}` here")
        if func.attr == "sort":
            return self._sort(node, func, old, env)
        args = [self.expr(a, env) for a in self.no_star(node.args)]
        new, own = method(old, args, env)
        return self._put_back(func.value, new, own, env)

    def _put_back(self, target: ast.expr, new: E, own: int, env: Env) -> Bindings:
        if isinstance(target, ast.Name):
            name = self.owned(target, 1, env)
            return self.update(name, new, env, min(env[name].own, own))
        if isinstance(target, ast.Subscript):
            new.own = own
            return self.store(target, new, env, inside=1)
        raise Refused("a change of a value that has no name")

    def _sort(self, node: ast.Call, func: ast.Attribute, old: E, env: Env) -> Bindings:
        from .builtin import keywords, sorted_value

        words = keywords(node, "key", "reverse")
        reverse = self.cond(words["reverse"], env) if "reverse" in words else None
        return self._put_back(func.value, sorted_value(self, old, words.get("key"), reverse, env), ALL, env)

    def popped(self, node: ast.expr, env: Env) -> tuple[E, Bindings] | None:
        """`x = a.pop()`: the element, and the change."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"):
            return None
        old = unwrap(self.expr(node.func.value, env))
        args = [self.expr(a, env) for a in node.args]
        v, out = named("v", old)
        if old.ty.kind == "dict":
            key, more = named("k", coerce(args[0], old.ty.args[0]))
            value: E = raw(old.ty.args[1], "py_dict_get({0}, {1})", v, key, risky=True)
            out = out + more
        elif old.ty.kind == "list":
            value = self.index(v, args[0] if args else self.constant(-1))
        else:
            raise Refused(f"`pop` of a value of type {old.ty}")
        x, more = named("x", value)
        x.own = env[node.func.value.id].own - 1 if isinstance(node.func.value, ast.Name) and node.func.value.id in env else 0
        x.own = max(x.own, 0) if mutable(x.ty) else ALL
        x.aliases = ()
        new, own = getattr(self, f"change_{old.ty.kind}_pop")(v, args, env)
        return x, out + more + self._put_back(node.func.value, new, own, env)

    def change_list_append(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        (x,) = args
        ty = join(v.ty, list_of(x.ty))
        own = self.stored(x, env, 1, ALL)
        if isinstance(v, Zero):
            from .ir import Seq

            return Seq(ty, items=[coerce(x, ty.elem)], rng=x.rng), own
        rng = (min(v.rng[0], x.rng[0]), max(v.rng[1], x.rng[1])) if v.rng and x.rng else None
        return raw(ty, "{0} ++ [{1}]", coerce(v, ty), coerce(x, ty.elem), rng=rng), own

    def change_list_extend(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        from . import arithmetic

        it = self.iter_value(args[0])
        value = it.columns[0] if it.columns[0].ty.kind == "list" else self.as_list(it.columns[0])
        env.share((n, d + 1) for n, d in args[0].aliases)
        from .convert import wrap

        return wrap(it.bindings, arithmetic.concat_lists([v, value])), max(args[0].own, 1) if mutable(value.ty.elem) else ALL

    def change_list_insert(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        at, x = to_int(args[0]), args[1]
        ty = join(v.ty, list_of(x.ty))
        return raw(ty, "py_insert({0}, {1}, {2})", coerce(v, ty), at, coerce(x, ty.elem)), self.stored(x, env, 1, ALL)

    def change_list_pop(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        if not args:
            return raw(v.ty, "py_pop({0})", v, rng=v.rng, risky=True), ALL
        return raw(v.ty, "py_pop_at({0}, {1})", v, to_int(args[0]), rng=v.rng, risky=True), ALL

    def change_list_remove(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return raw(v.ty, "py_pop_at({0}, py_found(find({1}, {0})))", v, coerce(args[0], v.ty.elem), rng=v.rng, risky=True), ALL

    def change_list_reverse(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return raw(v.ty, "reverse({0})", v, rng=v.rng), ALL

    def change_list_sort(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        raise Refused("`sort` with positional arguments")

    def change_list_clear(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return Zero(v.ty), ALL

    def change_set_add(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        ty = join(v.ty, T("set", (args[0].ty,)))
        return raw(ty, "py_set_add({0}, {1})", coerce(v, ty), coerce(args[0], ty.elem)), ALL

    def change_set_discard(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return raw(v.ty, "py_discard({0}, {1})", v, coerce(args[0], v.ty.elem)), ALL

    def change_set_remove(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return raw(v.ty, "py_pop_at({0}, py_found(find({1}, {0})))", v, coerce(args[0], v.ty.elem), risky=True), ALL

    def change_set_update(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        ty = join(v.ty, T("set", args[0].ty.args))
        other = coerce(args[0], T(args[0].ty.kind, ty.args))
        return raw(ty, "union({0}, {1})", coerce(v, ty), other), ALL

    def change_dict_pop(self, v: E, args: list[E], env: Env) -> tuple[E, int]:
        return raw(v.ty, "py_dict_drop({0}, {1})", v, coerce(args[0], v.ty.args[0]), risky=True), ALL

    def s_delete(self, target: ast.expr, env: Env) -> Bindings:
        """`del a[i]`, `del a[i:j]`, `del d[k]`."""
        if not isinstance(target, ast.Subscript):
            raise Refused("`del` of a name", "leave it out")
        old = unwrap(self.expr(target.value, env))
        if isinstance(target.slice, ast.Slice):
            bounds = target.slice
            lower, upper = (to_int(self.expr(p, env)) if p else None for p in (bounds.lower, bounds.upper))
            new: E = raw(old.ty, "py_splice({0}, {1}, {2}, {3})", old, lower or self.constant(0), upper or length(old), Zero(old.ty))
        elif old.ty.kind in ("list", "dict"):
            new, _ = getattr(self, f"change_{old.ty.kind}_pop")(old, [self.expr(target.slice, env)], env)
        else:
            raise Refused(f"`del` of a part of a value of type {old.ty}")
        return self._put_back(target.value, new, ALL, env)


