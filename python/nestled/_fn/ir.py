"""The typed core: expressions between Python's statements and NESL's text.

Every node has a type; integers may have a range, which saves checks for overflow. Nodes are trees: a value used twice is bound by `Let`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .types import BOOL, INT, NEVER, T, list_of, mutable

Range = tuple[int, int] | None
ALL = 1 << 30  # as many levels of lists as there may be
INT64 = (-(2**63), 2**63 - 1)
LENGTH = (0, 2**40)


@dataclass(eq=False)
class E:
    """An expression. `own` is how many levels of lists in its value nobody else holds, `aliases` the variables that do hold some."""

    ty: T
    rng: Range = field(default=None, kw_only=True)
    risky: bool = field(default=False, kw_only=True)
    own: int = field(default=ALL, kw_only=True)
    aliases: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)

    def parts(self) -> list[E]:
        return []

    def bound(self) -> list[str]:
        """Names bound for the last part."""
        return []


@dataclass(eq=False)
class Lit(E):
    """A number, truth value, character or text."""

    value: Any = None


@dataclass(eq=False)
class Var(E):
    name: str = ""


@dataclass(eq=False)
class Zero(E):
    """Some value of a type, which is never looked at; empty for lists."""


@dataclass(eq=False)
class Fail(E):
    """Stops the call: Python raises an exception here."""


@dataclass(eq=False)
class Let(E):
    """Binds one name, or the parts of a tuple."""

    names: list[str] = field(default_factory=list)
    value: E | None = None
    body: E | None = None

    def parts(self) -> list[E]:
        assert self.value is not None and self.body is not None
        return [self.value, self.body]


@dataclass(eq=False)
class If(E):
    cond: E | None = None
    then: E | None = None
    other: E | None = None

    def parts(self) -> list[E]:
        assert self.cond is not None and self.then is not None and self.other is not None
        return [self.cond, self.then, self.other]


@dataclass(eq=False)
class Call(E):
    """A call of a function of the program."""

    name: str = ""
    args: list[E] = field(default_factory=list)

    def parts(self) -> list[E]:
        return self.args


@dataclass(eq=False)
class Raw(E):
    """NESL text with places for arguments: an operator, or a function of either library."""

    text: str = ""
    args: list[E] = field(default_factory=list)

    def parts(self) -> list[E]:
        return self.args


@dataclass(eq=False)
class Tup(E):
    items: list[E] = field(default_factory=list)

    def parts(self) -> list[E]:
        return self.items


@dataclass(eq=False)
class Get(E):
    """A part of a tuple."""

    value: E | None = None
    index: int = 0

    def parts(self) -> list[E]:
        assert self.value is not None
        return [self.value]


@dataclass(eq=False)
class Seq(E):
    """A list of written elements."""

    items: list[E] = field(default_factory=list)

    def parts(self) -> list[E]:
        return self.items


@dataclass(eq=False)
class Each(E):
    """Apply-to-each over sources of one length."""

    body: E | None = None
    sources: list[tuple[str, E]] = field(default_factory=list)
    cond: E | None = None

    def parts(self) -> list[E]:
        assert self.body is not None
        return [s for _, s in self.sources] + [self.body] + ([self.cond] if self.cond else [])


@dataclass(eq=False)
class Hole(E):
    """A place filled later, when the types that meet are known."""

    inner: E | None = None

    def parts(self) -> list[E]:
        return [self.inner] if self.inner is not None else []


@dataclass(eq=False)
class FnV(E):
    """A function as a value: the code, and captured values by name (none if they are taken from around the call)."""

    info: Any = None
    captures: dict[str, E] | None = None


@dataclass
class Function:
    """A function of the program, for one combination of types."""

    name: str
    params: list[tuple[str, T]]
    result: T
    body: E
    comment: str = ""


def int_lit(n: int) -> Lit:
    return Lit(INT, value=n, rng=(n, n))


def bool_lit(b: bool) -> Lit:
    return Lit(BOOL, value=b)


def raw(ty: T, text: str, *args: E, rng: Range = None, risky: bool = False, own: int = ALL) -> Raw:
    return Raw(ty, text=text, args=list(args), rng=rng, risky=risky or any(a.risky for a in args), own=own)


def let(names: list[str], value: E, body: E) -> E:
    return Let(body.ty, names=names, value=value, body=body, rng=body.rng, risky=value.risky or body.risky, own=body.own, aliases=body.aliases)


def if_(cond: E, then: E, other: E, ty: T) -> If:
    rng = (min(then.rng[0], other.rng[0]), max(then.rng[1], other.rng[1])) if then.rng and other.rng else None
    risky = cond.risky or then.risky or other.risky
    return If(ty, cond=cond, then=then, other=other, rng=rng, risky=risky, own=min(then.own, other.own), aliases=then.aliases + other.aliases)


def each(body: E, sources: list[tuple[str, E]], cond: E | None = None) -> Each:
    own = min(body.own + 1, ALL) if mutable(body.ty) else ALL
    risky = body.risky or any(s.risky for _, s in sources) or bool(cond and cond.risky)
    out = Each(list_of(body.ty), body=body, sources=sources, cond=cond, own=own, risky=risky)
    out.aliases = tuple((n, d) for n, d in body.aliases)
    return out


def length(v: E) -> E:
    return raw(INT, "#{0}", v, rng=LENGTH)


def get(value: E, index: int) -> E:
    if isinstance(value, Tup):
        return value.items[index]
    out = Get(value.ty.args[index], value=value, index=index, risky=value.risky, own=0 if mutable(value.ty.args[index]) else ALL)
    out.aliases = value.aliases
    return out


def free_names(e: E) -> dict[str, T]:
    """The variables of an expression that it does not bind, in the order of their first use."""
    out: dict[str, T] = {}
    todo: list[tuple[E, frozenset[str]]] = [(e, frozenset())]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, Var):
            if node.name not in inside:
                out.setdefault(node.name, node.ty)
        elif isinstance(node, Let):
            value, body = node.parts()
            todo.append((body, inside | set(node.names)))
            todo.append((value, inside))
        elif isinstance(node, Each):
            names = inside | {n for n, _ in node.sources}
            assert node.body is not None
            todo.extend((x, names) for x in ([node.cond] if node.cond else []) + [node.body])
            todo.extend((s, inside) for _, s in node.sources)
        elif isinstance(node, FnV):
            todo.extend((c, inside) for c in (node.captures or {}).values())
        else:
            todo.extend((p, inside) for p in reversed(node.parts()))
    return out


def walk(e: E) -> Iterator[E]:
    """All nodes."""
    todo = [e]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(node.parts())


def fail(ty: T = NEVER) -> Fail:
    return Fail(ty, risky=True)
