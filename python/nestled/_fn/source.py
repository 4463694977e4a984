"""Sources: the syntax tree of a live function, found through its code object.

The tree returned belongs to exactly this function, also when several lambdas stand on one line.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType
from typing import Any

from .._carried import source_lines
from .errors import Place, Refused

FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(eq=False)
class Source:
    """A function's tree, with what is needed to name places and to resolve global names."""

    node: FunctionNode
    file: str
    lines: list[str]
    first: int
    shift: int
    indent: int
    names: dict[str, Any]
    cells: dict[str, CellType]
    builtins: dict[str, Any]
    used: dict[str, Any] = field(default_factory=dict)

    def place(self, node: ast.AST) -> Place:
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        column = getattr(node, "col_offset", 0)
        return Place(self.file, line + self.first - 1, column + self.shift, " " * self.indent + text)

    def lookup(self, name: str) -> tuple[bool, Any]:
        """The value of a global or captured name, if there is one; it is kept, since the program holds for this value only."""
        found, value = self.current(name)
        if found:
            self.used[name] = value
        return found, value

    def current(self, name: str) -> tuple[bool, Any]:
        """The value that a name has now."""
        if name in self.cells:
            try:
                return True, self.cells[name].cell_contents
            except ValueError:
                return False, None
        if name in self.names:
            return True, self.names[name]
        return name in self.builtins, self.builtins.get(name)

    def is_current(self) -> bool:
        """True if all names that were looked up still have their values."""
        return all(self.current(name)[1] is value for name, value in self.used.items())


def source_of(function: FunctionType) -> Source:
    """The tree of a function, or a refusal that says why there is none."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    try:
        lines, first = source_lines(code)
    except (OSError, TypeError):
        hint = "define it in a file or a notebook cell; functions made by exec or typed into a bare prompt have no source"
        raise Refused(f"the source of `{function.__name__}` cannot be found", hint) from None
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    shift = len(lines[0]) - len(lines[0].lstrip()) if dedented != text else 0
    tree, moved = _parsed(dedented, function)
    shift -= moved
    node = _matching(tree, code, function, shift)
    names = function.__globals__
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    builtins = names.get("__builtins__", {})
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    indent = len(lines[0]) - len(lines[0].lstrip()) if dedented != text else 0
    return Source(node, code.co_filename, dedented.splitlines(), max(first, 1), shift, indent, names, cells, builtins)


def _parsed(text: str, function: FunctionType) -> tuple[ast.AST, int]:
    """The tree of an excerpt, and by how much its first line is moved; a lambda's lines may begin or end in the middle of an expression."""
    for candidate, moved in _candidates(text):
        try:
            return ast.parse(candidate), moved
        except SyntaxError:
            continue
    hint = "give the lambda a line of its own, or write a function with `def`"
    raise Refused(f"the source of `{function.__name__}` stands in the middle of an expression", hint)


def _candidates(text: str) -> list[tuple[str, int]]:
    text = text.rstrip()
    out = [(text, 0), (f"({text})", 1), (text.rstrip(","), 0), (f"({text.rstrip(',')})", 1), (f"[{text}]", 1)]
    at = text.find("lambda")
    if at >= 0:
        # Ever shorter pieces from the first `lambda` on.
        start = text.rfind("\n", 0, at) + 1
        above = "\n" * text.count("\n", 0, at)
        for end in range(len(text), at, -1):
            if end == len(text) or text[end] in ")]},\n ":
                out.append((f"{above}({text[at:end]})", 1 - (at - start)))
    return out


def _matching(tree: ast.AST, code: CodeType, function: FunctionType, shift: int) -> FunctionNode:
    """The one function of the tree whose compiled form is this code."""
    kinds: tuple[type[ast.AST], ...] = (ast.Lambda,) if code.co_name == "<lambda>" else (ast.FunctionDef,)
    found = [n for n in ast.walk(tree) if isinstance(n, kinds) and getattr(n, "name", code.co_name) == code.co_name]
    if len(found) > 1:
        placed = [n for n in found if _same_place(n, code, shift)]
        found = placed or [n for n in found if _same_code(n, code)] or found
    if not found:
        if any(isinstance(n, ast.AsyncFunctionDef) for n in ast.walk(tree)):
            raise Refused(f"`{function.__name__}` is asynchronous", "write it with `def`")
        raise Refused(f"the source of `{function.__name__}` cannot be found", "write it with `def` in a file")
    node = found[0]
    assert isinstance(node, (ast.FunctionDef, ast.Lambda))
    return node


def _compiled(node: ast.AST) -> CodeType:
    if isinstance(node, ast.Lambda):
        outer = compile(ast.fix_missing_locations(ast.Expression(body=node)), "<again>", "eval")
    else:
        assert isinstance(node, ast.FunctionDef)
        plain = ast.FunctionDef(**{f: getattr(node, f) for f in node._fields if hasattr(node, f)})
        plain.decorator_list = []
        ast.copy_location(plain, node)
        outer = compile(ast.fix_missing_locations(ast.Module(body=[plain], type_ignores=[])), "<again>", "exec")
    return next(c for c in outer.co_consts if isinstance(c, CodeType))


def _plain(code: CodeType) -> tuple[Any, ...]:
    names = code.co_names + code.co_varnames + code.co_freevars + code.co_cellvars
    consts = tuple(_plain(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts if c is not None)
    return code.co_argcount, len(set(names)), tuple(sorted(set(names))), consts


def _same_code(node: ast.AST, code: CodeType) -> bool:
    try:
        return _plain(_compiled(node)) == _plain(code)
    except (SyntaxError, ValueError, StopIteration):
        return False


def _same_place(node: ast.AST, code: CodeType, shift: int) -> bool:
    """True if the body of a lambda stands where the code was compiled from."""
    if not isinstance(node, ast.Lambda):
        return False
    body = node.body
    same_line = body.end_lineno == body.lineno
    wanted = (body.lineno, body.col_offset + shift, (body.end_col_offset or 0) + shift if same_line else None)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or column is None:
            continue
        end = end_column if end_line == line else None
        if (line - code.co_firstlineno + 1, column, end) == wanted:
            return True
    return False
