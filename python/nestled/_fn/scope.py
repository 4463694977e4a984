"""Names: which a piece of Python assigns, reads and changes, and what they are bound to while it is lowered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import FunctionType

from .ir import ALL, E
from .source import FunctionNode, Source

MUTATORS = {"append", "extend", "insert", "pop", "remove", "sort", "reverse", "clear", "add", "discard", "update", "setdefault", "popitem"}
JUMPS = (ast.Return, ast.Break, ast.Continue)


@dataclass(eq=False)
class FnInfo:
    """A function that can be called: its tree and the source it stands in."""

    node: FunctionNode
    source: Source
    name: str
    free: frozenset[str] = frozenset()
    defaults: dict[str, E] = field(default_factory=dict)
    function: FunctionType | None = None


@dataclass(frozen=True)
class Bind:
    """A local name: its value, how many levels of its lists nobody else holds, and the variables whose parts it may be."""

    x: E
    own: int = ALL
    roots: tuple[tuple[str, int], ...] = ()


class Env(dict[str, Bind]):
    """Local names. Branches work on copies."""

    def child(self) -> Env:
        return Env(self)

    def share(self, aliases: Iterable[tuple[str, int]]) -> None:
        """Parts of these variables are now held elsewhere too."""
        for name, depth in aliases:
            bind = self.get(name)
            if bind is not None:
                self[name] = replace(bind, own=min(bind.own, depth))
                self.share((n, d + depth) for n, d in bind.roots if n != name)


def targets(node: ast.AST) -> set[str]:
    """The names in an assignment's target, those of changed lists included."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, (ast.Tuple, ast.List)):
        return set().union(*map(targets, node.elts))
    if isinstance(node, ast.Starred):
        return targets(node.value)
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return targets(node.value)
    return set()


def _nested(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef))


def assigned(nodes: Iterable[ast.AST], changes: bool = True) -> set[str]:
    """The names that statements give other values, by assignment or by changing their lists."""
    found = _assigned(nodes, targets if changes else _bound, changes)
    return found


def _bound(node: ast.AST) -> set[str]:
    """The names that a target binds."""
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return set()
    if isinstance(node, (ast.Tuple, ast.List)):
        return set().union(*map(_bound, node.elts))
    return _bound(node.value) if isinstance(node, ast.Starred) else targets(node)


def _assigned(nodes: Iterable[ast.AST], targets: Callable[[ast.AST], set[str]], changes: bool) -> set[str]:
    out: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef):
            out.add(node.name)
        if _nested(node):
            continue
        if isinstance(node, ast.Assign):
            out |= set().union(*map(targets, node.targets))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            out |= targets(node.target)
        elif isinstance(node, ast.Delete) and changes:
            out |= set().union(*(targets(t) for t in node.targets if isinstance(t, ast.Subscript)))
        elif isinstance(node, ast.Call) and changes:
            f = node.func
            if isinstance(f, ast.Attribute) and f.attr in MUTATORS:
                out |= targets(f.value)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        todo.extend(ast.iter_child_nodes(node))
    return out


def read(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that statements may read, those of functions inside included."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def jumps(nodes: Iterable[ast.AST], loops: bool = False) -> bool:
    """True if statements may leave their block by return, or by break and continue of a loop around them."""
    for node in nodes:
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not loops):
            return True
        if isinstance(node, (ast.For, ast.While)):
            if jumps(node.body, True) or jumps(node.orelse, loops):
                return True
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            if jumps(ast.iter_child_nodes(node), loops):
                return True
        elif isinstance(node, ast.Match):
            if any(jumps(c.body, loops) for c in node.cases):
                return True
    return False


def returns(nodes: Iterable[ast.AST]) -> bool:
    """True if statements may return."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            return True
        if not _nested(node):
            todo.extend(ast.iter_child_nodes(node))
    return False


def parameters(node: FunctionNode) -> list[str]:
    a = node.args
    return [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs] + [p.arg for p in (a.vararg, a.kwarg) if p]


def free_of(node: FunctionNode) -> frozenset[str]:
    """The names that a function reads and does not bind."""
    body: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else [node.body]
    own = set(parameters(node)) | assigned(body, False)
    free: set[str] = set()
    todo: list[tuple[ast.AST, frozenset[str]]] = [(n, frozenset()) for n in body]
    while todo:
        n, inside = todo.pop()
        if isinstance(n, ast.Name):
            if n.id not in inside:
                free.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.Lambda)):
            free |= free_of(n) - inside
            todo.extend((d, inside) for d in n.args.defaults + [k for k in n.args.kw_defaults if k])
        elif isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            names = inside.union(*(targets(g.target) for g in n.generators))
            todo.append((n.generators[0].iter, inside))
            todo.extend((c, names) for c in ast.iter_child_nodes(n) if not isinstance(c, ast.comprehension))
            for g in n.generators:
                todo.extend((c, names) for c in [g.target, *g.ifs])
            todo.extend((g.iter, names) for g in n.generators[1:])
        else:
            todo.extend((c, inside) for c in ast.iter_child_nodes(n))
    return frozenset(free - own)
