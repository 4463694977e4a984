"""Sources: the syntax tree of a live function, found through its code object.

The tree returned belongs to exactly this function, also when several lambdas stand on one line.
"""

from __future__ import annotations

import ast
import linecache
import re
import textwrap
from collections.abc import Iterator
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
    names = function.__globals__
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    builtins = names.get("__builtins__", {})
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    node, text, first, shift, indent = _found(lines, max(first, 1), function)
    return Source(node, code.co_filename, text, first, shift, indent, names, cells, builtins)


#: A function's tree; the lines that its positions are of, the number of the first one, by how many columns its first line is moved, and how much all were indented.
Found = tuple[FunctionNode, list[str], int, int, int]


def _found(lines: list[str], first: int, function: FunctionType) -> Found:
    code = function.__code__
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    indent = len(lines[0]) - len(lines[0].lstrip()) if dedented != text else 0
    whole = dedented.rstrip()
    for candidate, moved in [(whole, 0), (f"({whole})", 1), (whole.rstrip(","), 0), (f"({whole.rstrip(',')})", 1), (f"[{whole}]", 1)]:
        tree = _tree(candidate)
        if tree is not None:
            node = _matching(tree, code, function, indent - moved)
            return node, dedented.splitlines(), first, indent - moved, indent
    # The lines of a lambda may begin or end in the middle of an expression.
    if code.co_name == "<lambda>":
        file = linecache.getlines(code.co_filename)
        tree = _tree("".join(file)) if file[first - 1 : first] == lines[:1] else None
        placed = [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and _same_place(n, code, 0, 1)]
        if placed:
            return placed[0], [line.rstrip("\n") for line in file], 1, 0, 0
        for candidate, moved in _pieces(whole):
            tree = _tree(candidate)
            for one in ast.walk(tree) if tree is not None else ():
                if isinstance(one, ast.Lambda) and _same_place(one, code, indent - moved) and _same_code(one, code):
                    return one, dedented.splitlines(), first, indent - moved, indent
    hint = "give the lambda a line of its own, or write a function with `def`"
    raise Refused(f"the source of `{function.__name__}` stands in the middle of an expression", hint)


def _tree(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Ever shorter pieces from each `lambda` of the first line on, and by how much the line is moved."""
    for found in re.finditer(r"\blambda\b", text.split("\n", 1)[0]):
        at = found.start()
        for end in range(len(text), at, -1):
            if end == len(text) or text[end] in ")]},\n ":
                yield f"({text[at:end]})", 1 - at


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


def _same_place(node: ast.AST, code: CodeType, shift: int, first: int | None = None) -> bool:
    """True if the body of a lambda stands where the code was compiled from; `first` is the number of the tree's first line."""
    if not isinstance(node, ast.Lambda):
        return False
    body = node.body
    same_line = body.end_lineno == body.lineno
    wanted = (body.lineno, body.col_offset + shift, (body.end_col_offset or 0) + shift if same_line else None)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or column is None:
            continue
        end = end_column if end_line == line else None
        if (line - (code.co_firstlineno if first is None else first) + 1, column, end) == wanted:
            return True
    return False
