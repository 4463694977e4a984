"""Programs: a function and all that it calls, each for the types it is called with.

Types of results of recursive functions are found by repetition: a round takes what the round before has found, until nothing changes.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from .convert import coerce, fresh, restart_names
from .errors import Refused, Unknown
from .ir import ALL, Call, E, FnV, Function, Hole, Var, Zero, walk
from .loops import Exits, settled_tree
from .scope import Bind, Env, FnInfo, assigned, free_of, parameters
from .source import FunctionNode, Source, source_of
from .statements import Statements
from .types import NEVER, NONE, T, join, mutable, settled

MOST_STEPS = 400_000
MOST_ROUNDS = 12
MOST_INSTANCES = 400
MOST_DEPTH = 60
DEEP = 20_000


@dataclass
class Result:
    """The state of a function for some types: its name in NESL, the type of its result, and what the result holds alone."""

    name: str
    ty: T = NEVER
    own: int = ALL


@dataclass
class Program:
    """The functions of one program."""

    functions: list[Function] = field(default_factory=list)
    results: dict[Any, Result] = field(default_factory=dict)
    infos: dict[Any, FnInfo] = field(default_factory=dict)
    done: set[Any] = field(default_factory=set)
    changed: bool = False
    steps: int = 0
    depth: int = 0
    texts: dict[str, None] = field(default_factory=dict)

    def sources(self) -> list[Source]:
        """The sources of all functions that looked up names outside of them."""
        found = {id(info.source): info.source for info in self.infos.values() if info.source.used}
        return list(found.values())

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Refused("a function whose compiled form is too large", "divide it into smaller functions")

    def add(self, f: Function) -> None:
        self.functions.append(f)

    def info_of(self, function: FunctionType) -> FnInfo:
        """A Python function of a module, found once."""
        key = function.__code__, id(function)
        if key not in self.infos:
            source = source_of(function)
            self.infos[key] = FnInfo(source.node, source, function.__name__, function=function)
        return self.infos[key]

    def local_info(self, node: FunctionNode, source: Source, name: str) -> FnInfo:
        """A function inside of another."""
        if id(node) not in self.infos:
            self.infos[id(node)] = FnInfo(node, source, name, free_of(node))
        return self.infos[id(node)]

    def defaults_of(self, info: FnInfo) -> dict[str, E]:
        f = info.function
        if f is None:
            return {}
        a = info.node.args
        names = [p.arg for p in a.posonlyargs + a.args]
        values: tuple[Any, ...] = f.__defaults__ or ()
        given = dict(zip(names[len(names) - len(values) :], values))
        given.update(getattr(f, "__kwdefaults__", None) or {})
        lower = self.lowerer(info)
        return {n: lower.constant(v, n) for n, v in given.items()}

    def lowerer(self, info: FnInfo) -> Statements:
        out = Statements()
        out.program, out.source = self, info.source
        return out

    def instance(self, info: FnInfo, names: list[str], types: list[T], functions: dict[str, FnV]) -> Result:
        """The function for these types; inside of itself, what the round before knew."""
        key = info, tuple(names), tuple(types), tuple((n, f.info) for n, f in functions.items())
        result = self.results.setdefault(key, Result(fresh(info.name)))
        if key in self.done:
            return result
        if len(self.done) > MOST_INSTANCES or self.depth > MOST_DEPTH:
            raise Refused("a recursion whose types grow", "keep the types of arguments the same in each call")
        self.done.add(key)
        self.depth += 1
        try:
            self.lower(info, names, types, functions, result)
        except Unknown:
            pass
        finally:
            self.depth -= 1
        return result

    def lower(self, info: FnInfo, names: list[str], types: list[T], functions: dict[str, FnV], result: Result) -> None:
        lower = self.lowerer(info)
        body = info.node.body
        stmts: list[ast.stmt] = list(body) if isinstance(body, list) else []
        lower.local_names = frozenset(parameters(info.node)) | frozenset(assigned(stmts, False))
        for s in stmts:
            if not isinstance(s, ast.FunctionDef) and any(isinstance(m, (ast.Yield, ast.YieldFrom)) for m in ast.walk(s)):
                raise Refused("a generator function", "return a list: a comprehension, or append to one").at(info.source.place(s))
        env = Env()
        params: list[tuple[str, T]] = []
        for n, t in zip(names, types):
            env[n] = Bind(received(n, t, params), 0 if mutable(t) else ALL)
        for n, f in functions.items():
            env.setdefault(n, Bind(f))
        ends: list[tuple[E, Hole, int]] = []

        def ret(e: Env, x: E) -> E:
            hole = Hole(NEVER)
            ends.append((x, hole, returned(x, e)))
            return hole

        exits = Exits(fall=lambda e: ret(e, Zero(NONE)), ret=ret)
        if isinstance(body, list):
            tree = lower.block(stmts, env, exits, frozenset())
        else:
            tree = ret(env, lower.as_value(lower.expr(body, env), env))
        self.close(info, params, tree, ends, result)

    def close(self, info: FnInfo, params: list[tuple[str, T]], tree: E, ends: list[tuple[E, Hole, int]], result: Result) -> None:
        """Joins the types of all returns, and keeps the function."""
        ty, own = result.ty, result.own
        for x, _, o in ends:
            if x.ty.kind == "fn":
                raise Refused("a function as a result", "call it here, and return its value").at(info.source.place(info.node))
            try:
                ty = join(ty, x.ty)
            except Refused as refusal:
                raise refusal.at(info.source.place(info.node)) from None
            own = min(own, o)
        if ty != result.ty or own != result.own:
            self.changed = True
            result.ty, result.own = ty, own
        for x, hole, _ in ends:
            hole.inner, hole.ty = coerce(x, ty), ty
            hole.risky = x.risky
        self.add(Function(result.name, params, ty, settled_tree(tree, ty), comment=f"{info.name}, line {info.source.place(info.node).line}"))


def received(name: str, ty: T, params: list[tuple[str, T]]) -> E:
    """A parameter; one that is a function is what it captures."""
    if ty.kind != "fn":
        v = Var(ty, name=fresh(name))
        params.append((v.name, ty))
        return v
    if not isinstance(ty.tag, tuple):
        raise Refused("this function as an argument", "give a lambda that calls it")
    info, names, _ = ty.tag
    return FnV(ty, info=info, captures={n: received(n, t, params) for n, t in zip(names, ty.args)})


def returned(x: E, env: Env) -> int:
    """The number of levels of a result that nobody holds after the return: local names end."""
    if not mutable(x.ty):
        return ALL
    if x.aliases and all(d == 0 for _, d in x.aliases):
        return min(env[n].own if n in env else 0 for n, _ in x.aliases)
    return x.own


@dataclass
class Compiled:
    """A whole program: its functions, the entry among them last, and the types of what goes in and out."""

    entry: str
    arguments: list[T]
    result: T
    functions: list[Function]
    texts: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    native: Any = None
    plain: tuple[bool, bool] = (False, False)

    def is_current(self) -> bool:
        """True if the global and captured names that it was compiled with still have their values."""
        return all(source.is_current() for source in self.sources)


def compile_function(function: FunctionType, types: list[T]) -> Compiled:
    """Compiles a function for arguments of these types. Long functions are deep trees."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    certain = list(map(settled, types))
    try:
        try:
            return _compile(function, types)
        except Refused:
            if certain == types:
                raise
            # Of an empty argument nothing is known; perhaps that is too little.
            return replace(_compile(function, certain), arguments=types)
    finally:
        sys.setrecursionlimit(limit)


def _compile(function: FunctionType, types: list[T]) -> Compiled:
    program = Program()
    info = program.info_of(function)
    names = parameters(info.node)
    if info.node.args.vararg or info.node.args.kwarg:
        raise Refused(f"`{info.name}` takes any number of arguments", "give it a parameter for each, or one list").at(info.source.place(info.node))
    for _ in range(MOST_ROUNDS):
        restart_names()
        program.functions, program.done, program.changed = [], set(), False
        program.results = {k: Result(fresh(k[0].name), r.ty, r.own) for k, r in program.results.items()}
        result = program.instance(info, names, types, {})
        if not program.changed:
            break
    if result.ty.kind == "never":
        raise Refused(f"`{info.name}` never returns for arguments of these types").at(info.source.place(info.node))
    return Compiled(result.name, types, result.ty, reachable(program.functions, result.name), list(program.texts), program.sources())


def reachable(functions: list[Function], entry: str) -> list[Function]:
    """The functions that an entry comes to; attempts at loops leave others behind."""
    by_name = {f.name: f for f in functions}
    seen: set[str] = set()
    todo = [entry]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [e.name for e in walk(by_name[name].body) if isinstance(e, Call)]
    return [f for f in functions if f.name in seen]

