"""NESL text of a compiled program, with those helpers of the library that it needs."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path
from typing import Any

from .errors import Refused
from .ir import Call, E, Each, Fail, FnV, Function, Get, Hole, If, Let, Lit, Raw, Seq, Tup, Var, Zero
from .program import Compiled
from .types import T, nesl_type

PLACE = re.compile(r"\{(\d)\}")
ATOM = re.compile(r"[A-Za-z_0-9.]+")
HELPER = re.compile(r"\bpy_\w+")


def program_text(compiled: Compiled) -> str:
    """The whole program, without the call of its entry."""
    own = "\n".join(function_text(f) for f in compiled.functions)
    return library_for(own) + "".join(text + "\n" for text in compiled.texts) + own


def function_text(f: Function) -> str:
    names = ", ".join(n for n, _ in f.params) or "unused"
    types = ", ".join(nesl_type(t) for _, t in f.params) or "int"
    whole = f"({types})" if len(f.params) > 1 else types
    head = f"function {f.name}({names}) : {whole} -> {nesl_type(f.result)} ="
    comment = f"% {f.comment} %\n" if f.comment else ""
    return f"{comment}{head}\n  {text(f.body, 1)};\n"


def text(e: E, depth: int) -> str:
    """An expression as it stands where nothing can follow that would belong to it."""
    while isinstance(e, Hole) and e.inner is not None:
        e = e.inner
    if isinstance(e, Let):
        return _let(e, depth)
    if isinstance(e, If):
        assert e.cond is not None and e.then is not None and e.other is not None
        gap = "\n" + "  " * depth
        then = atom(e.then, depth + 1) if isinstance(_plain(e.then), (If, Let)) else text(e.then, depth + 1)
        return f"if {text(e.cond, depth)} then {then}{gap}else {text(e.other, depth)}"
    return _simple(e, depth)


def _plain(e: E) -> E:
    while isinstance(e, Hole) and e.inner is not None:
        e = e.inner
    return e


def _let(e: Let, depth: int) -> str:
    gap = "\n" + "  " * depth
    out: list[str] = []
    node: E = e
    while isinstance(node, Let):
        assert node.value is not None and node.body is not None
        name = node.names[0] if len(node.names) == 1 else f"({', '.join(node.names)})"
        out.append(f"{name} = {atom(node.value, depth + 2) if isinstance(_plain(node.value), (If, Let)) else text(node.value, depth + 2)}")
        node = _plain(node.body)
    return "let " + (";" + gap + "    ").join(out) + f"{gap}in {text(node, depth)}"


def _simple(e: E, depth: int) -> str:
    if isinstance(e, Lit):
        return literal(e)
    if isinstance(e, Var):
        return e.name
    if isinstance(e, Zero):
        return zero(e.ty)
    if isinstance(e, Fail):
        return f"py_fail({zero(e.ty)})"
    if isinstance(e, Call):
        return f"{e.name}({', '.join(argument(a, depth) for a in e.args) or '0'})"
    if isinstance(e, Raw):
        return PLACE.sub(lambda m: _hole(e, m, depth), e.text)
    if isinstance(e, Tup):
        return _tuple([argument(x, depth) for x in e.items])
    if isinstance(e, Get):
        return _get(e, depth)
    if isinstance(e, Seq):
        return f"[{', '.join(argument(x, depth) for x in e.items)}]" if e.items else zero(e.ty)
    if isinstance(e, Each):
        assert e.body is not None
        sources = "; ".join(f"{n} in {argument(s, depth + 1)}" for n, s in e.sources)
        test = f" | {text(e.cond, depth + 1)}" if e.cond is not None else ""
        body = argument(e.body, depth + 1)
        return f"{{{body} : {sources}{test}}}"
    if isinstance(e, FnV):
        raise Refused("a function among values", "call it here, or give it to a function")
    raise AssertionError(type(e))


def _hole(e: Raw, m: re.Match[str], depth: int) -> str:
    """An argument of a template; one between brackets or commas needs none of its own."""
    before, after = e.text[: m.start()].rstrip(), e.text[m.end() :].lstrip()
    alone = before[-1:] in ("(", ",") and after[:1] in (")", ",")
    whole = not before and not after
    arg = e.args[int(m.group(1))]
    return argument(arg, depth) if alone or whole else atom(arg, depth)


def argument(e: E, depth: int) -> str:
    """An expression between commas."""
    return atom(e, depth) if isinstance(_plain(e), (If, Let)) else text(e, depth)


def atom(e: E, depth: int) -> str:
    """An expression as an operand."""
    out = text(e, depth)
    return out if _is_atom(out) else f"({out})"


def _is_atom(out: str) -> bool:
    if ATOM.fullmatch(out) or (out.startswith('"') and out.find('"', 1) == len(out) - 1) or (out.startswith("`") and len(out) == 2):
        return True
    start = re.match(r"[A-Za-z_0-9]*[\(\[\{]", out)
    if start is None or re.match(r"(if|let|not)\b", out) or out[start.end() - 1] == "[" and start.end() > 1:
        return False
    level, quoted = 0, False
    for i, c in enumerate(out):
        if c == '"' and out[i - 1 : i] not in ("\\", "`"):
            quoted = not quoted
        elif not quoted and out[i - 1 : i] != "`":
            level += (c in "([{") - (c in ")]}")
            if level == 0 and c in ")]}" and i + 1 < len(out):
                return False
    return level == 0


def _tuple(items: list[str]) -> str:
    if not items:
        return "0"
    return f"({', '.join(items)})" if len(items) > 1 else items[0]


def _get(e: Get, depth: int) -> str:
    assert e.value is not None
    kind = e.value.ty.kind
    n = 2 if kind in ("opt", "dict") else len(e.value.ty.args)
    if n == 1:
        return text(e.value, depth)
    out = argument(e.value, depth)
    for _ in range(e.index):
        out = f"rest({out})"
    return out if e.index == n - 1 else f"first({out})"


def literal(e: Lit) -> str:
    k: str = e.ty.kind
    v: Any = e.value
    if k == "bool":
        return "t" if v else "f"
    if k == "int":
        return "min_int" if v == -(2**63) else str(v) if v >= 0 else f"(-{-v})"
    if k == "float":
        if math.isnan(v):
            return "py_nan(0)"
        if math.isinf(v):
            return "py_infinity(0)" if v > 0 else "negate(py_infinity(0))"
        return repr(v) if not math.copysign(1.0, v) < 0 else f"negate({-v!r})"
    if k == "chr":
        return f"`{v}" if v.isprintable() else f"code_char({ord(v)})"
    if all(c.isprintable() for c in v):
        escaped: str = v.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "[" + ", ".join(f"code_char({ord(c)})" for c in v) + "]"


def zero(ty: T) -> str:
    """Some value of a type."""
    k = ty.kind
    if k in ("list", "set"):
        return f"([] {nesl_type(ty.elem)})"
    if k == "dict":
        return f"(([] {nesl_type(ty.args[0])}), ([] {nesl_type(ty.args[1])}))"
    if k == "opt":
        return f"(f, {zero(ty.elem)})"
    if k in ("tuple", "rec") and ty.args:
        return _tuple([zero(t) for t in ty.args])
    plain: dict[str, str] = {"float": "0.0", "bool": "f", "chr": "space", "str": '""'}
    return plain.get(k, "0")


@functools.cache
def library() -> dict[str, str]:
    """The helpers by their names."""
    whole = (Path(__file__).parent / "library.nesl").read_text()
    out: dict[str, str] = {}
    for part in re.split(r"(?m)^(?=function )", whole)[1:]:
        out[part.split("(")[0].removeprefix("function ")] = re.sub(r"(?m)^%.*%\n", "", part).strip() + "\n"
    return out


def library_for(own: str) -> str:
    """The helpers that a text needs, in their order."""
    wanted: set[str] = set()
    todo = HELPER.findall(own)
    while todo:
        name = todo.pop()
        if name not in wanted and name in library():
            wanted.add(name)
            todo += HELPER.findall(library()[name])
    return "".join(code for name, code in library().items() if name in wanted)
