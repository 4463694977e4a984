"""Ranges from conditions: where `i < len(a)` and `i >= 0` hold, `i` is a position, and needs no check for overflow or for its sign."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from .errors import Refused, Unknown
from .ir import INT64, E, Range, Var
from .scope import Env
from .types import INT

Lower = Callable[[ast.expr, Env], E]
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
INVERSE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}
NAMES: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def refined(test: ast.expr, env: Env, holds: bool, lower: Lower) -> Env:
    """Local names as they are where a condition holds, or where it does not."""
    out = env.child()
    _refine(test, out, holds, lower)
    return out


def _refine(test: ast.expr, env: Env, holds: bool, lower: Lower) -> None:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == holds:
        for part in test.values:
            _refine(part, env, holds, lower)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        _refine(test.operand, env, not holds, lower)
    elif isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
        sides = [test.left, *test.comparators]
        for left, op, right in zip(sides, test.ops, sides[1:]):
            word = NAMES.get(type(op))
            word = word if holds or word is None else INVERSE.get(word)
            if word in MIRROR and word is not None:
                _limit(left, word, right, env, lower)
                _limit(right, MIRROR[word], left, env, lower)


def _limit(left: ast.expr, op: str, right: ast.expr, env: Env, lower: Lower) -> None:
    """Narrows the range of a name that stands on one side."""
    bind = env.get(left.id) if isinstance(left, ast.Name) else None
    if bind is None or not isinstance(bind.x, Var) or bind.x.ty != INT or not isinstance(left, ast.Name):
        return
    rng = _range(right, env, lower)
    if rng is None:
        return
    low, high = bind.x.rng or INT64
    if op in ("<", "<=", "=="):
        high = min(high, rng[1] - (op == "<"))
    if op in (">", ">=", "=="):
        low = max(low, rng[0] + (op == ">"))
    if low <= high:
        env[left.id] = replace(bind, x=Var(INT, name=bind.x.name, rng=(low, high)))


def _range(node: ast.expr, env: Env, lower: Lower) -> Range:
    plain = (ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp, ast.Call, ast.Load, ast.operator, ast.unaryop)
    nodes = list(ast.walk(node))
    if len(nodes) > 12 or not all(isinstance(n, plain) for n in nodes):
        return None
    if any(isinstance(n, ast.Call) and not (isinstance(n.func, ast.Name) and n.func.id == "len") for n in nodes):
        return None
    try:
        e = lower(node, env)
    except (Refused, Unknown):
        return None
    return (e.rng or INT64) if e.ty == INT else None
