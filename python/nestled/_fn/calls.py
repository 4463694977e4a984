"""Calls: of functions of the program, of classes, of builtins and modules, of methods.

A called function is compiled for the types of this call; functions as arguments are known at compile time, with what they capture as values.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from . import builtin, methods
from .convert import unwrap
from .errors import Refused, Unknown
from .exprs import Exprs
from .ir import ALL, Call, E, FnV, raw
from .scope import MUTATORS, Env, FnInfo, assigned, parameters
from .types import T, fields_of, from_nesl, mutable, nesl_type


class Calls(Exprs):
    """Lowers calls."""

    def inline_block(self, body: list[ast.stmt], env: Env) -> E:
        raise NotImplementedError

    def x_Call(self, node: ast.Call, env: Env) -> E:
        if isinstance(node.func, ast.Attribute):
            found, target = self.static(node.func, env)
            if not found:
                return self.method(node, node.func, env)
        else:
            found, target = self.static(node.func, env)
        if found:
            return self.call_object(node, target, env)
        f = self.expr(node.func, env)
        if not isinstance(f, FnV):
            raise Refused("what is called here is no function")
        return self.call_with_nodes(f, node, env)

    def call_object(self, node: ast.Call, target: Any, env: Env) -> E:
        """A call of an object that is there before the call: a function, a class, a builtin."""
        inner = getattr(target, "python", None)
        if isinstance(inner, FunctionType):
            target = inner
        known = builtin.find(target)
        if known is not None:
            self.no_star(node.args)
            return known(self, node, env)
        if isinstance(target, FunctionType):
            f = self.constant(target)
            assert isinstance(f, FnV)
            return self.call_with_nodes(f, node, env)
        if type(target).__module__ == "nestled._nesl":
            return self.call_nesl(node, target, env)
        if isinstance(target, type) and fields_of(target) is not None:
            return self.construct(target, node, env)
        name = getattr(target, "__name__", str(target))
        raise Refused(f"`{name}` has no meaning here", "see the list of functions in fn.md")

    def call_nesl(self, node: ast.Call, target: Any, env: Env) -> E:
        """A call of a function of a text in NESL; the text becomes part of the program."""
        if node.keywords or not node.args:
            raise Refused("a function in NESL takes arguments by position")
        args = [self.expr(a, env) for a in self.no_star(node.args)]
        ty = from_nesl(target.typed(*(nesl_type(a.ty) for a in args)).result_type)
        self.program.texts.setdefault(target.source)
        places = ", ".join(f"{{{i}}}" for i in range(len(args)))
        return raw(ty, f"{target.name}({places})", *args, risky=True)

    def construct(self, cls: type, node: ast.Call, env: Env) -> E:
        """A named tuple or dataclass, by position and by name."""
        names = fields_of(cls) or ()
        values = dict(zip(names, (self.expr(a, env) for a in self.no_star(node.args))))
        for k in node.keywords:
            if k.arg is None or k.arg not in names:
                raise Refused(f"`{cls.__name__}` has no field `{k.arg}`")
            values[k.arg] = self.expr(k.value, env)
        if "__post_init__" in vars(cls) or any(n not in values for n in names):
            raise Refused(f"`{cls.__name__}` is not made of exactly its fields", "give every field")
        items = [values[n] for n in names]
        return self.tuple_of_values(items, T("rec", tuple(x.ty for x in items), cls))

    def call_with_nodes(self, f: FnV, node: ast.Call, env: Env) -> E:
        args = [self.expr(a, env) for a in self.no_star(node.args)]
        named: dict[str, E] = {}
        for k in node.keywords:
            if k.arg is None:
                raise Refused("`**` in a call")
            named[k.arg] = self.expr(k.value, env)
        return self.call_fn(f, args, env, named)

    def call_fn(self, f: E, args: list[E], env: Env, named: dict[str, E] | None = None) -> E:
        """A call of a function of the program with values."""
        if not isinstance(f, FnV):
            raise Refused("what is called here is no function")
        info: FnInfo = f.info
        if f.captures is None:
            captures, functions = self.closure(info, env)
        else:
            captures, functions = f.captures, dict(f.ty.tag[2])
        given = self.arguments(info, args, named or {})
        values = [self.as_value(x, env) for x in given] + list(captures.values())
        names = parameters(info.node) + list(captures)
        body = info.node.body
        inner = assigned(body, False) if isinstance(body, list) else set()
        if len(set(names)) != len(names) or inner & captures.keys():
            raise Refused(f"a name of `{info.name}` hides one that a function in it needs", "rename it")
        result = self.program.instance(info, names, [v.ty for v in values], functions)
        flat = [x for v in values for x in self.flat(v)]
        ty = result.ty
        if ty.kind == "never":
            raise Unknown
        out = Call(ty, name=result.name, args=flat, risky=True, own=result.own if mutable(ty) else ALL)
        if mutable(ty) and result.own < ALL:
            out.aliases = tuple((n, 0) for v in values for n, _ in v.aliases)
        return out

    def flat(self, v: E) -> list[E]:
        """A value as arguments: functions are what they capture."""
        if isinstance(v, FnV):
            return [x for c in (v.captures or {}).values() for x in self.flat(c)]
        return [v]

    def arguments(self, info: FnInfo, args: list[E], named: dict[str, E]) -> list[E]:
        """The values of the parameters in their order."""
        a = info.node.args
        if a.vararg or a.kwarg:
            raise Refused(f"`{info.name}` takes any number of arguments", "give it a parameter for each, or one list")
        positional = [p.arg for p in a.posonlyargs + a.args]
        if len(args) > len(positional):
            raise Refused(f"`{info.name}` is called with {len(args)} arguments, and has {len(positional)}")
        values = dict(zip(positional, args))
        for name, value in named.items():
            if name in values or name not in parameters(info.node):
                raise Refused(f"`{info.name}` has no parameter `{name}` left")
            values[name] = value
        defaults = info.defaults or self.program.defaults_of(info)
        for name in parameters(info.node):
            if name not in values:
                if name not in defaults:
                    raise Refused(f"`{info.name}` is called without `{name}`")
                values[name] = defaults[name]
        return [values[p] for p in parameters(info.node)]

    def function_arg(self, node: ast.expr, env: Env) -> FnV | Any:
        """A function given to `map`, `sorted` and the like: one of the program, or a builtin."""
        found, target = self.static(node, env)
        if found:
            inner = getattr(target, "python", target)
            if isinstance(inner, FunctionType):
                return self.constant(inner)
            return inner
        if isinstance(node, ast.Attribute):
            return node
        f = self.expr(node, env)
        if not isinstance(f, FnV):
            raise Refused("a function is wanted here")
        return f

    def apply(self, f: FnV | Any, args: list[E], env: Env) -> E:
        """A call of such a function."""
        if isinstance(f, FnV):
            return self.call_fn(f, args, env)
        names = [f"#{i}" for i in range(len(args))]
        inner = env.child()
        from .scope import Bind

        for n, x in zip(names, args):
            inner[n] = Bind(x, 0 if mutable(x.ty) else ALL)
        nodes: list[ast.expr] = [ast.Name(id=n, ctx=ast.Load(), lineno=1, col_offset=0) for n in names]
        if isinstance(f, ast.Attribute):
            call = ast.Call(func=f, args=nodes, keywords=[], lineno=f.lineno, col_offset=f.col_offset)
            return self.x_Call(call, inner)
        text = getattr(f, "__qualname__", "")
        if isinstance(getattr(f, "__objclass__", None), type) and f.__objclass__ is str:
            func = ast.Attribute(value=nodes[0], attr=text.split(".")[-1], ctx=ast.Load(), lineno=1, col_offset=0)
            return self.x_Call(ast.Call(func=func, args=nodes[1:], keywords=[], lineno=1, col_offset=0), inner)
        return self.call_object(ast.Call(func=nodes[0], args=nodes, keywords=[], lineno=1, col_offset=0), f, inner)

    def method(self, node: ast.Call, func: ast.Attribute, env: Env) -> E:
        """A method of a value; those that change it are statements."""
        value = unwrap(self.expr(func.value, env))
        if func.attr in MUTATORS and value.ty.kind in ("list", "set", "dict"):
            raise Refused(f"`.{func.attr}` inside of an expression", "write it as a statement of its own, or `x = v.pop()`")
        args = [self.expr(a, env) for a in self.no_star(node.args)]
        if node.keywords:
            raise Refused(f"`.{func.attr}` with keywords")
        out = methods.call(value, func.attr, args)
        if out is None:
            hint = "see the list of methods in fn.md"
            raise Refused(f"a value of type {value.ty} has no method `{func.attr}` here", hint)
        return out

