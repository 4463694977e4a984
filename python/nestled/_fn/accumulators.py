"""Accumulators: loops that only append to lists, add to numbers or keep an extreme, as clauses of comprehensions.

A loop qualifies if no variable is read in a later round but its accumulators, and these only to be added to.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .comprehensions import Clause
from .scope import assigned


@dataclass
class Accumulator:
    """A variable, how it collects, and for which values: `name op= value for clauses`."""

    name: str
    kind: str
    clauses: list[Clause]
    value: ast.expr


def update_of(s: ast.stmt) -> tuple[str, str, ast.expr] | None:
    """The accumulator that a statement adds to, how, and what."""
    if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
        f = s.value.func
        if f.attr == "append" and isinstance(f.value, ast.Name) and len(s.value.args) == 1 and not s.value.keywords:
            return f.value.id, "append", s.value.args[0]
    if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and isinstance(s.op, (ast.Add, ast.Sub)):
        return s.target.id, "add" if isinstance(s.op, ast.Add) else "sub", s.value
    if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
        return _assigned_update(s.targets[0].id, s.value)
    return None


def _assigned_update(name: str, value: ast.expr) -> tuple[str, str, ast.expr] | None:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and isinstance(value.left, ast.Name) and value.left.id == name:
        return name, "add", value.right
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("max", "min") and len(value.args) == 2:
        first, second = value.args
        if isinstance(first, ast.Name) and first.id == name:
            return name, value.func.id, second
        if isinstance(second, ast.Name) and second.id == name:
            return name, value.func.id, first
    return None


def updates(stmts: list[ast.stmt]) -> set[str]:
    """The names of all variables that look like accumulators."""
    out: set[str] = set()
    for s in stmts:
        for n in ast.walk(s):
            if isinstance(n, ast.stmt) and (u := update_of(n)):
                out.add(u[0])
    return out


def find(node: ast.For) -> list[Accumulator]:
    """The accumulators of a loop, if collecting is all it does."""
    if node.orelse:
        return []
    names = updates(node.body)
    if not names or _other_reads(node, names):
        return []
    out: list[Accumulator] = []
    for name in sorted(names):
        chains = _chain([*node.body], name, names)
        if chains is None:
            return []
        kind, clauses, value = chains
        out.append(Accumulator(name, kind, [Clause("for", node.iter, node.target), *clauses], value))
    return out


def _other_reads(node: ast.For, names: set[str]) -> bool:
    """True if an accumulator is read or assigned elsewhere than in its updates."""
    updating: set[int] = set()
    for s in node.body:
        for n in ast.walk(s):
            if isinstance(n, ast.stmt) and (u := update_of(n)):
                name, _, value = u
                inside = {id(m) for m in ast.walk(value)}
                updating |= {id(m) for m in ast.walk(n) if isinstance(m, ast.Name) and m.id == name and id(m) not in inside}
    every = [m for m in ast.walk(node) if isinstance(m, ast.Name) and m.id in names]
    return any(id(m) not in updating for m in every)


Chain = tuple[str, list[Clause], ast.expr]


def _chain(stmts: list[ast.stmt], name: str, names: set[str]) -> Chain | None:
    """The clauses on the way to the one update of an accumulator; updates of others are passed over."""
    clauses: list[Clause] = []
    for i, s in enumerate(stmts):
        u = update_of(s)
        if u is not None and u[0] in names:
            if u[0] != name:
                continue
            if _mentions(stmts[i + 1 :], name):
                return _several(stmts[i:], name, names, clauses)
            return (u[1], clauses, u[2]) if not _leaves(stmts[i + 1 :]) else None
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
            clauses.append(Clause("let", s.value, s.targets[0]))
        elif isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Tuple) and all(isinstance(t, ast.Name) for t in s.targets[0].elts):
            clauses.append(Clause("let", s.value, s.targets[0]))
        elif isinstance(s, ast.If):
            if _skips(s):
                clauses.append(Clause("if", ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=s.test), s.test)))
                continue
            if not _mentions([s], name):
                if assigned([s]) - names or _leaves([s]):
                    return None
                continue
            return None if _mentions(stmts[i + 1 :], name) or _leaves(stmts[i + 1 :]) else _conditional(s, name, names, clauses)
        elif isinstance(s, ast.For) and not s.orelse:
            if not _mentions([s], name):
                if assigned([s]) - names - {n.id for n in ast.walk(s.target) if isinstance(n, ast.Name)}:
                    return None
                continue
            if _mentions(stmts[i + 1 :], name) or _leaves(stmts[i + 1 :]):
                return None
            inner = _chain(s.body, name, names)
            return None if inner is None else (inner[0], [*clauses, Clause("for", s.iter, s.target), *inner[1]], inner[2])
        elif not isinstance(s, ast.Pass):
            return None
    return None


def _conditional(s: ast.If, name: str, names: set[str], clauses: list[Clause]) -> Chain | None:
    """An update in one branch is a filter; one in each is a conditional value."""
    then = _chain(s.body, name, names) if _mentions(s.body, name) else None
    other = _chain(s.orelse, name, names) if _mentions(s.orelse, name) else None
    if then is not None and not _mentions(s.orelse, name):
        return then[0], [*clauses, Clause("if", s.test), *then[1]], then[2]
    if other is not None and not _mentions(s.body, name):
        negated = ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=s.test), s.test)
        return other[0], [*clauses, Clause("if", negated), *other[1]], other[2]
    if then is None or other is None or then[1] or other[1] or then[0] != other[0]:
        return None
    value = ast.copy_location(ast.IfExp(test=s.test, body=then[2], orelse=other[2]), s.test)
    return then[0], clauses, value


def _several(stmts: list[ast.stmt], name: str, names: set[str], clauses: list[Clause]) -> Chain | None:
    """Several appends, one behind the other: a loop over a list of their values."""
    found = [update_of(s) for s in stmts]
    if any(u is None or u[0] not in names for u in found):
        return None
    mine = [u for u in found if u is not None and u[0] == name]
    if any(u[1] != mine[0][1] for u in mine) or mine[0][1] not in ("append", "add", "sub"):
        return None
    values = ast.copy_location(ast.List(elts=[u[2] for u in mine], ctx=ast.Load()), stmts[0])
    part = ast.copy_location(ast.Name(id="#part", ctx=ast.Load()), stmts[0])
    return mine[0][1], [*clauses, Clause("for", values, part)], part


def _mentions(stmts: list[ast.stmt], name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for s in stmts for n in ast.walk(s))


def _leaves(stmts: list[ast.stmt]) -> bool:
    """True if a statement leaves the loop's round, or the function."""
    bad = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.While, ast.Try, ast.With, ast.FunctionDef)
    return any(isinstance(n, bad) for s in stmts for n in ast.walk(s))


def _skips(s: ast.If) -> bool:
    return not s.orelse and len(s.body) == 1 and isinstance(s.body[0], ast.Continue)
