"""Random programs of comprehensions: expressions of known types, drawn by a seed."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

INT, BOOL, LIST, ROWS, TEXT, PAIRS = "int", "bool", "list", "rows", "text", "pairs"


class Writer:
    """Writes expressions; names in scope have types, and integers stay small."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.names: list[tuple[str, str]] = [("a", LIST), ("b", LIST), ("rows", ROWS), ("s", TEXT), ("n", INT)]
        self.fresh = 0

    def pick(self, kind: str) -> str | None:
        found = [n for n, k in self.names if k == kind]
        return self.r.choice(found) if found else None

    def name(self) -> str:
        self.fresh += 1
        return f"v{self.fresh}"

    def expr(self, kind: str, depth: int) -> str:
        if depth <= 0:
            return self.leaf(kind)
        choices: list[Callable[[int], str]] = getattr(self, f"{kind}_choices")()
        return self.r.choice(choices)(depth - 1)

    def leaf(self, kind: str) -> str:
        name = self.pick(kind)
        if name is not None and self.r.random() < 0.8:
            return name
        literals = {INT: str(self.r.randint(-5, 9)), BOOL: self.r.choice(["True", "False"]), LIST: self.r.choice(["[3, 1]", "a", "b[1:]"])}
        more = {ROWS: "rows", TEXT: self.r.choice(['"ab"', "s"]), PAIRS: "list(zip(a, b))"}
        return literals.get(kind) or more[kind]

    def sub(self, kind: str, depth: int, *names: tuple[str, str]) -> str:
        """An expression with more names in scope."""
        self.names += names
        out = self.expr(kind, depth)
        del self.names[len(self.names) - len(names) :]
        return out

    # For each type the ways to write it

    def int_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        op = self.r.choice(["+", "-", "*", "//", "%", "&", "|", "^"])
        small = self.r.choice(["2", "3", "7", "(-3)"])

        def binary(d: int) -> str:
            return f"({e(INT, d)} {op} {small if op in ('//', '%', '*') else e(INT, d)})"

        return [
            binary,
            binary,
            lambda d: f"len({e(self.r.choice([LIST, ROWS, TEXT]), d)})",
            lambda d: f"sum({e(LIST, d)})",
            lambda d: f"sum({self.generator(INT, d)})",
            lambda d: f"max({e(LIST, d)}, default={e(INT, d)})",
            lambda d: f"min(({self.generator(INT, d)}), default=0)",
            lambda d: f"({e(INT, d)} if {e(BOOL, d)} else {e(INT, d)})",
            lambda d: f"abs({e(INT, d)})",
            lambda d: f"{e(LIST, d)}.count({e(INT, d)})",
            lambda d: f"{e(TEXT, d)}.find({e(TEXT, 0)})",
            lambda d: f"(lambda {(v := self.name())}: {self.sub(INT, d, (v, INT))})({e(INT, d)})",
        ]

    def bool_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        op = self.r.choice(["<", "<=", "==", "!=", ">", ">="])
        word = self.r.choice(["and", "or"])
        return [
            lambda d: f"{e(INT, d)} {op} {e(INT, d)}",
            lambda d: f"({e(BOOL, d)} {word} {e(BOOL, d)})",
            lambda d: f"(not {e(BOOL, d)})",
            lambda d: f"any({self.generator(BOOL, d)})",
            lambda d: f"all({self.generator(BOOL, d)})",
            lambda d: f"({e(INT, d)} in {e(LIST, d)})",
            lambda d: f"({e(LIST, d)} {op} {e(LIST, d)})",
            lambda d: f"({e(INT, 0)} < {e(INT, d)} <= {e(INT, 0)})",
            lambda d: f"bool({e(LIST, d)})",
        ]

    def list_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"[{self.clauses(INT, d)}]",
            lambda d: f"[{self.clauses(INT, d)}]",
            lambda d: f"[{self.clauses(INT, d)}]",
            lambda d: f"({e(LIST, d)} + {e(LIST, d)})",
            lambda d: f"sorted({e(LIST, d)})",
            lambda d: f"sorted({e(LIST, d)}, key=lambda {(v := self.name())}: {self.sub(INT, d, (v, INT))}, reverse={self.r.choice(['True', 'False'])})",
            lambda d: f"{e(LIST, d)}[{e(INT, 0)}:{e(INT, 0)}]",
            lambda d: f"{e(LIST, d)}[::{self.r.choice(['-1', '2', '-2'])}]",
            lambda d: f"[{e(INT, d)}, {e(INT, d)}]",
            lambda d: f"[len({(v := self.name())}) for {v} in {e(ROWS, d)}]",
            lambda d: f"({e(LIST, d)} or {e(LIST, d)})",
            lambda d: f"sorted(set({e(LIST, d)}))",
        ]

    def rows_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"[{self.clauses(LIST, d)}]",
            lambda d: f"[{self.clauses(LIST, d)}]",
            lambda d: f"[{e(LIST, d)}, {e(LIST, d)}]",
            lambda d: f"sorted({e(ROWS, d)})",
            lambda d: f"{e(ROWS, d)}[::-1]",
            lambda d: f"({e(ROWS, d)} + {e(ROWS, d)})",
        ]

    def text_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"({e(TEXT, d)} + {e(TEXT, d)})",
            lambda d: f"{e(TEXT, d)}[{e(INT, 0)}:]",
            lambda d: f"''.join([{(v := self.name())} for {v} in {e(TEXT, d)} if {v} != 'a'])",
            lambda d: f"str({e(INT, d)})",
            lambda d: f"{e(TEXT, d)}.replace('a', {e(TEXT, 0)})",
            lambda d: f"'-'.join(str({(v := self.name())}) for {v} in {e(LIST, d)})",
        ]

    def pairs_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"list(zip({e(LIST, d)}, {e(LIST, d)}))",
            lambda d: f"[({(v := self.name())}, {self.sub(INT, d, (v, INT))}) for {v} in {e(LIST, d)}]",
            lambda d: f"sorted({e(PAIRS, d)})",
            lambda d: f"list(enumerate({e(LIST, d)}))",
        ]

    def generator(self, kind: str, depth: int) -> str:
        return self.clauses(kind, depth)

    def clauses(self, kind: str, depth: int) -> str:
        """The inside of a comprehension."""
        out: list[str] = []
        added = 0
        for _ in range(self.r.choice([1, 1, 1, 2])):
            target, source, names = self.source(depth)
            out.append(f"for {target} in {source}")
            self.names += names
            added += len(names)
            if self.r.random() < 0.4:
                out.append(f"if {self.expr(BOOL, min(depth, 1))}")
        body = self.expr(kind, depth)
        del self.names[len(self.names) - added :]
        return " ".join([body, *out])

    def source(self, depth: int) -> tuple[str, str, list[tuple[str, str]]]:
        v, w = self.name(), self.name()
        e = self.expr
        kinds: list[tuple[str, str, list[tuple[str, str]]]] = [
            (v, e(LIST, depth), [(v, INT)]),
            (v, e(ROWS, depth), [(v, LIST)]),
            (f"{v}, {w}", f"enumerate({e(LIST, depth)})", [(v, INT), (w, INT)]),
            (f"{v}, {w}", f"zip({e(LIST, depth)}, {e(LIST, depth)})", [(v, INT), (w, INT)]),
            (v, f"range(abs({e(INT, 0)}) % 6)", [(v, INT)]),
            (f"{v}, {w}", e(PAIRS, depth), [(v, INT), (w, INT)]),
        ]
        return self.r.choice(kinds)


def program(seed: int, count: int = 1, depth: int = 3) -> Callable[..., Any]:
    """A function of `a, b, rows, s, n` that gives a tuple of random expressions."""
    w = Writer(seed)
    body = [f"    x{i} = {w.expr(w.r.choice([INT, BOOL, LIST, ROWS, TEXT, PAIRS]), depth)}" for i in range(count)]
    text = "def program(a, b, rows, s, n):\n" + "\n".join(body) + f"\n    return ({', '.join(f'x{i}' for i in range(count))},)\n"
    file = f"<random program {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    f: Callable[..., Any] = names["program"]
    return f


def arguments(seed: int) -> tuple[Any, ...]:
    r = random.Random(seed)

    def ints() -> list[int]:
        return [r.randint(-9, 9) for _ in range(r.choice([0, 1, 3, 6]))]

    return ints(), ints(), [ints() for _ in range(r.randint(0, 4))], "".join(r.choice("abc ") for _ in range(r.randint(0, 6))), r.randint(-6, 6)
