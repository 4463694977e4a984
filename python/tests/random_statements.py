"""Random programs of statements: assignments, branches, loops with breaks and early returns, changes of lists; drawn by a seed."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

INTS, LISTS = ["x", "y", "n"], ["b", "out"]


class Statements:
    """Writes the body of a function of a list `a` and an integer `n`; every loop ends after a few rounds."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.loops = 0
        self.counters: list[str] = []

    def number(self, depth: int = 2) -> str:
        r = self.r
        ways: list[Callable[[], str]] = [
            lambda: r.choice(INTS + self.counters),
            lambda: str(r.randint(-3, 7)),
            lambda: f"len({r.choice(LISTS)})",
        ]
        if depth:
            ways += [
                lambda: f"({self.number(depth - 1)} {r.choice(['+', '-'])} {self.number(depth - 1)})",
                lambda: f"({self.number(depth - 1)} {r.choice(['%', '//'])} {r.choice(['2', '3', '5'])})",
                lambda: f"({self.number(depth - 1)} * {r.choice(['2', '3', '(-1)'])} % 17)",
                lambda: f"b[{self.number(depth - 1)} % len(b)]",
                lambda: f"({self.number(depth - 1)} if {self.test(depth - 1)} else {self.number(depth - 1)})",
                lambda: f"max({self.number(depth - 1)}, {self.number(depth - 1)})",
                lambda: f"sum(v for v in {r.choice(LISTS)} if v > {self.number(0)})",
            ]
        return r.choice(ways)()

    def test(self, depth: int = 1) -> str:
        r = self.r
        one = f"{self.number(depth)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.number(depth)}"
        if depth and r.random() < 0.3:
            return f"({one} {r.choice(['and', 'or'])} {self.test(depth - 1)})"
        return r.choice([one, one, f"not {one}", f"{r.choice(INTS)} in {r.choice(LISTS)}", r.choice(LISTS)])

    def block(self, depth: int, inside: bool) -> list[str]:
        out: list[str] = []
        for _ in range(self.r.randint(1, 3)):
            out += self.statement(depth, inside)
        return ["    " + line for line in out]

    def statement(self, depth: int, inside: bool) -> list[str]:
        r = self.r
        simple: list[Callable[[], list[str]]] = [
            lambda: [f"{r.choice(['x', 'y'])} = {self.number()}"],
            lambda: [f"{r.choice(['x', 'y'])} {r.choice(['+=', '-='])} {self.number()}"],
            lambda: [f"out.append({self.number()})"],
            lambda: [f"b[{self.number(1)} % len(b)] = {self.number()}"],
            lambda: ["x, y = y, x"],
            lambda: [f"b = [v + {self.number(0)} for v in b]"],
            lambda: [f"x = max(x, {self.number(1)})"],
        ]
        if inside:
            simple.append(lambda: [f"if {self.test()}:", f"    {r.choice(['break', 'continue', 'return x, b, out'])}"])
        if depth == 0:
            return r.choice(simple)()
        return r.choice([*simple, self.branch(depth, inside), self.branch(depth, inside), self.loop(depth), self.loop(depth)])()

    def branch(self, depth: int, inside: bool) -> Callable[[], list[str]]:
        def write() -> list[str]:
            out = [f"if {self.test()}:", *self.block(depth - 1, inside)]
            if self.r.random() < 0.3:
                out += [f"elif {self.test()}:", *self.block(depth - 1, inside)]
            if self.r.random() < 0.5:
                out += ["else:", *self.block(depth - 1, inside)]
            return out

        return write

    def loop(self, depth: int) -> Callable[[], list[str]]:
        def write() -> list[str]:
            self.loops += 1
            name = f"i{self.loops}"
            kind = self.r.choice(["range", "range", "list", "while"])
            if kind == "while":
                head = [f"{name} = 0", f"while {name} < 6 and {self.test()}:", f"    {name} += 1"]
            elif kind == "list":
                head = [f"for {name} in {self.r.choice(['a', 'list(b)', 'sorted(out)[:5]'])}:"]
            else:
                head = [f"for {name} in range({self.r.choice(['5', 'len(b)', '4, 0, -1', '1, 9, 3', 'n % 4'])}):"]
            self.counters.append(name)
            body = self.block(depth - 1, True)
            self.counters.pop()
            tail = ["else:", *self.block(0, False)] if self.r.random() < 0.15 else []
            return [*head, *body, *tail]

        return write


def program(seed: int, depth: int = 2) -> Callable[..., Any]:
    """A function of `a` and `n`."""
    w = Statements(seed)
    body = w.block(depth, False) + w.block(depth, False)
    text = "\n".join(["def program(a, n):", "    x, y = n, 1", "    b = list(a) + [3]", "    out = []", *body, "    return x, b, out"]) + "\n"
    file = f"<random statements {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    f: Callable[..., Any] = names["program"]
    return f


def arguments(seed: int) -> tuple[list[int], int]:
    r = random.Random(seed)
    return [r.randint(-9, 9) for _ in range(r.choice([0, 1, 3, 6]))], r.randint(-6, 9)
