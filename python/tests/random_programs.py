"""Random programs of comprehensions: expressions of known types, in functions with local functions, loops and early returns; drawn by a seed."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

INT, BOOL, LIST, ROWS, TEXT, PAIRS = "int", "bool", "list", "rows", "text", "pairs"
FLOAT, TEXTS, FLOATS = "float", "texts", "floats"
KINDS = [INT, BOOL, LIST, ROWS, TEXT, PAIRS, FLOAT, TEXTS, FLOATS]


class Writer:
    """Writes expressions; names in scope have types, and integers stay small."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.names: list[tuple[str, str]] = [("a", LIST), ("b", LIST), ("rows", ROWS), ("s", TEXT), ("n", INT)]
        self.helpers: list[str] = []
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
        more = {
            ROWS: self.r.choice(["rows", "[a, [1]]", "[[], b]"]),
            TEXT: self.r.choice(['"ab"', "s", '""']),
            PAIRS: self.r.choice(["list(zip(a, b))", "[(n, 1)]"]),
            FLOAT: self.r.choice(["0.5", "-2.0", "1e3", "n / 4"]),
            TEXTS: self.r.choice(["s.split()", '["b", s]', "list(s)"]),
            FLOATS: self.r.choice(["[0.5, -1.5]", "[v / 2 for v in a]"]),
        }
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
            lambda d: f"{e(LIST, d)}[{self.place()}]",
            lambda d: f"{e(ROWS, d)}[{self.place()}][{self.place()}]",
            lambda d: f"{e(PAIRS, d)}[{self.place()}][{self.r.choice(['0', '1', '-1'])}]",
            lambda d: f"{e(LIST, d)}.index({e(INT, 0)})",
            lambda d: f"int({e(FLOAT, d)} % 100)",
            lambda d: f"round({e(FLOAT, d)} % 100)",
            lambda d: f"divmod({e(INT, d)}, {e(INT, 0)})[{self.r.choice(['0', '1'])}]",
            lambda d: f"({e(INT, d)} {self.r.choice(['//', '%'])} {e(INT, 0)})",
            lambda d: f"sum(map(lambda {(v := self.name())}: {self.sub(INT, d, (v, INT))}, {e(LIST, d)}))",
            lambda d: f"max({e(INT, d)}, {e(INT, d)}, {e(INT, 0)})",
            lambda d: f"max({e(LIST, d)}, key=lambda {(v := self.name())}: {self.sub(INT, d, (v, INT))}, default={e(INT, 0)})",
            lambda d: f"len({e(ROWS, d)}[{self.place()}])",
            lambda d: f"len(set({e(self.r.choice([LIST, TEXT, TEXTS]), d)}))",
            lambda d: f"sum({e(BOOL, d)} {self.loops(d)})",
            lambda d: f"{e(TEXT, d)}.count({e(TEXT, 0)})",
            lambda d: f"ord({e(TEXT, d)}[{self.place()}])",
            lambda d: f"(-{e(INT, d)})",
            lambda d: f"({e(INT, d)} or {e(INT, d)})",
            lambda d: f"min({self.generator(INT, d)})",
            lambda d: f"{self.helper()}({e(INT, d)})",
        ]

    def float_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"({e(FLOAT, d)} {self.r.choice(['+', '-', '*'])} {e(FLOAT, d)})",
            lambda d: f"({e(FLOAT, d)} {self.r.choice(['+', '-', '*'])} {e(INT, d)})",
            lambda d: f"({e(INT, d)} / {e(INT, d)})",
            lambda d: f"({e(FLOAT, d)} {self.r.choice(['//', '%', '/'])} {self.r.choice(['2.0', '0.5', '-3', '7'])})",
            lambda d: f"sum({e(FLOATS, d)})",
            lambda d: f"abs({e(FLOAT, d)})",
            lambda d: f"max({self.clauses(FLOAT, d)})",
            lambda d: f"max({e(FLOATS, d)}, default=0.25)",
            lambda d: f"({e(FLOAT, d)} if {e(BOOL, d)} else {e(FLOAT, d)})",
            lambda d: f"float({e(INT, d)})",
            lambda d: f"{e(FLOATS, d)}[{self.place()}]",
            lambda d: f"round({e(FLOAT, d)}, 1)",
        ]

    def floats_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"[{self.clauses(FLOAT, d)}]",
            lambda d: f"[{self.clauses(FLOAT, d)}]",
            lambda d: f"sorted({e(FLOATS, d)})",
            lambda d: f"{e(FLOATS, d)}[{e(INT, 0)}:]",
            lambda d: f"({e(FLOATS, d)} + {e(FLOATS, d)})",
        ]

    def texts_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"[{self.clauses(TEXT, d)}]",
            lambda d: f"[{self.clauses(TEXT, d)}]",
            lambda d: f"sorted({e(TEXTS, d)})",
            lambda d: f"{e(TEXT, d)}.split({self.r.choice(['', chr(34) + 'a' + chr(34)])})",
            lambda d: f"list(map(str, {e(LIST, d)}))",
            lambda d: f"{e(TEXTS, d)}[{e(INT, 0)}:]",
            lambda d: f"list({e(TEXT, d)})",
            lambda d: f"({e(TEXTS, d)} + {e(TEXTS, d)})",
        ]

    def place(self) -> str:
        """A position, which may be out of range: such calls must fault as Python raises."""
        return self.r.choice(["0", "-1", "1", "-2", "n", "n % 3", "-n", self.pick(INT) or "0"])

    def helper(self) -> str:
        """A local function that is defined before, if there is one; else a builtin."""
        return self.r.choice(self.helpers) if self.helpers else "abs"

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
            lambda d: f"({e(TEXT, 0)} in {e(TEXT, d)})",
            lambda d: f"{e(TEXT, d)}.{self.r.choice(['startswith', 'endswith'])}({e(TEXT, 0)})",
            lambda d: f"({e(TEXT, d)} {op} {e(TEXT, d)})",
            lambda d: f"({e(FLOAT, d)} {op} {e(self.r.choice([INT, FLOAT]), d)})",
            lambda d: f"({e(INT, d)} not in {e(LIST, d)})",
            lambda d: f"any(map(lambda {(v := self.name())}: {self.sub(BOOL, d, (v, INT))}, {e(LIST, d)}))",
            lambda d: f"(({e(INT, 0)}, {e(INT, d)}) {op} ({e(INT, 0)}, {e(INT, d)}))",
            lambda d: f"({e(LIST, d)} in {e(ROWS, d)})",
            lambda d: f"({e(INT, 0)} in {{{e(INT, 0)}, {e(INT, d)}}})",
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
            lambda d: f"{e(LIST, d)}[{e(INT, 0)}:{e(INT, 0)}:{self.r.choice(['-1', '2', '-2', '3'])}]",
            lambda d: f"{e(ROWS, d)}[{self.place()}]",
            lambda d: f"list(map(lambda {(v := self.name())}: {self.sub(INT, d, (v, INT))}, {e(LIST, d)}))",
            lambda d: f"list(filter(lambda {(v := self.name())}: {self.sub(BOOL, d, (v, INT))}, {e(LIST, d)}))",
            lambda d: f"list(reversed({e(LIST, d)}))",
            lambda d: f"list(range({e(INT, 0)}, {e(INT, 0)}, {self.r.choice(['1', '2', '-1', '-3'])}))",
            lambda d: f"sorted({self.generator(INT, d)})",
            lambda d: f"({e(LIST, d)} * {self.r.choice(['2', '0', '(n % 3)', 'n'])})",
            lambda d: f"({e(LIST, d)} if {e(BOOL, d)} else {e(LIST, d)})",
            lambda d: f"max({e(ROWS, d)}, key=len, default={e(LIST, 0)})",
            lambda d: f"min({e(ROWS, d)})",
            lambda d: f"[{(v := self.name())} for {(w := self.name())} in {e(ROWS, d)} for {v} in {w}]",
            lambda d: f"sum({e(ROWS, d)}, [])",
            lambda d: f"[ord({(v := self.name())}) for {v} in {e(TEXT, d)}]",
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
            lambda d: f"[{self.clauses(LIST, d)}]",
            lambda d: f"[list({(v := self.name())}) for {v} in zip({e(LIST, d)}, {e(LIST, d)}, {e(LIST, d)})]",
            lambda d: f"sorted({e(ROWS, d)}, key=len)",
            lambda d: f"[{(v := self.name())} for {v} in {e(ROWS, d)} if {v}]",
            lambda d: f"list(map(sorted, {e(ROWS, d)}))",
            lambda d: f"{e(ROWS, d)}[{e(INT, 0)}:{e(INT, 0)}]",
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
            lambda d: f"''.join({e(TEXTS, d)})",
            lambda d: f"{e(TEXT, d)}[::-1]",
            lambda d: f"{e(TEXT, d)}[{self.place()}]",
            lambda d: f"{e(TEXT, d)}.{self.r.choice(['upper', 'strip', 'lower', 'title', 'capitalize'])}()",
            lambda d: f"f'{{{e(INT, 0)}}}:{{{self.pick(TEXT)}}}'",
            lambda d: f"{e(TEXTS, d)}[{self.place()}]",
            lambda d: f"({e(TEXT, d)} * {self.r.choice(['2', '0', 'n'])})",
            lambda d: f"({e(TEXT, d)} if {e(BOOL, d)} else {e(TEXT, d)})",
            lambda d: f"max({e(TEXTS, d)}, default='')",
            lambda d: f"chr({e(INT, d)} % 26 + 97)",
        ]

    def pairs_choices(self) -> list[Callable[[int], str]]:
        e = self.expr
        return [
            lambda d: f"list(zip({e(LIST, d)}, {e(LIST, d)}))",
            lambda d: f"[({(v := self.name())}, {self.sub(INT, d, (v, INT))}) for {v} in {e(LIST, d)}]",
            lambda d: f"sorted({e(PAIRS, d)})",
            lambda d: f"list(enumerate({e(LIST, d)}))",
            lambda d: f"[{self.clauses(PAIRS, d)}][{self.place()}]",
            lambda d: f"[({e(INT, d)}, {e(INT, 0)}) {self.loops(d)}]",
            lambda d: f"sorted({e(PAIRS, d)}, key=lambda {(v := self.name())}: ({v}[1], -{v}[0]))",
            lambda d: f"{e(PAIRS, d)}[::-1]",
            lambda d: f"[divmod({(v := self.name())}, 3) for {v} in {e(LIST, d)}]",
            lambda d: f"[({(v := self.name())}[1], {v}[0]) for {v} in {e(PAIRS, d)}]",
        ]

    def generator(self, kind: str, depth: int) -> str:
        return self.clauses(kind, depth)

    def clauses(self, kind: str, depth: int) -> str:
        """The inside of a comprehension."""
        out, added = self.bound(depth)
        body = self.expr(kind, depth)
        del self.names[len(self.names) - added :]
        return f"{body} {out}"

    def loops(self, depth: int) -> str:
        """The `for`s of a comprehension whose body needs none of their names."""
        out, added = self.bound(depth)
        del self.names[len(self.names) - added :]
        return out

    def bound(self, depth: int) -> tuple[str, int]:
        """The `for`s and `if`s of a comprehension, and the number of names that they bring."""
        out: list[str] = []
        added = 0
        for _ in range(self.r.choice([1, 1, 1, 2, 2, 3])):
            target, source, names = self.source(depth if added < 2 else 0)
            out.append(f"for {target} in {source}")
            self.names += names
            added += len(names)
            while self.r.random() < 0.3:
                out.append(f"if {self.expr(BOOL, min(depth, 1))}")
        return " ".join(out), added

    def source(self, depth: int) -> tuple[str, str, list[tuple[str, str]]]:
        """The names of a `for`, what it goes through, and the types of the names."""
        v, w = self.name(), self.name()
        e = self.expr
        kinds: list[tuple[str, Callable[[], str], list[tuple[str, str]]]] = [
            (v, lambda: e(LIST, depth), [(v, INT)]),
            (v, lambda: e(LIST, depth), [(v, INT)]),
            (v, lambda: e(ROWS, depth), [(v, LIST)]),
            (f"{v}, {w}", lambda: f"enumerate({e(LIST, depth)})", [(v, INT), (w, INT)]),
            (f"{v}, {w}", lambda: f"zip({e(LIST, depth)}, {e(LIST, depth)})", [(v, INT), (w, INT)]),
            (v, lambda: f"range(abs({e(INT, 0)}) % 6)", [(v, INT)]),
            (f"{v}, {w}", lambda: e(PAIRS, depth), [(v, INT), (w, INT)]),
            (v, lambda: e(TEXT, depth), [(v, TEXT)]),
            (v, lambda: e(TEXTS, depth), [(v, TEXT)]),
            (v, lambda: e(FLOATS, depth), [(v, FLOAT)]),
            (v, lambda: f"({e(INT, depth)} for {v} in {e(LIST, 0)} if {e(BOOL, 0)})", [(v, INT)]),
            (f"{v}, {w}", lambda: f"zip({e(LIST, depth)}, {e(TEXT, depth)})", [(v, INT), (w, TEXT)]),
            (f"{v}, {w}", lambda: f"enumerate({e(ROWS, depth)}, {e(INT, 0)})", [(v, INT), (w, LIST)]),
            (v, lambda: f"reversed({e(LIST, depth)})", [(v, INT)]),
            (v, lambda: f"sorted({e(LIST, depth)})", [(v, INT)]),
        ]
        target, write, names = self.r.choice(kinds)
        return target, write(), names

    # Statements around the expressions

    def define(self, depth: int) -> list[str]:
        """A local function, which may leave early."""
        name, v = f"f{len(self.helpers)}", self.name()
        self.names.append((v, INT))
        out = [f"def {name}({v}):"]
        if self.r.random() < 0.6:
            out += [f"    if {self.expr(BOOL, 1)}:", f"        return {self.expr(INT, 1)}"]
        out.append(f"    return {self.expr(INT, depth)}")
        self.names.pop()
        self.helpers.append(name)
        return out

    def loop(self) -> list[str]:
        """A loop whose rounds depend on the rounds before; at most nine of them."""
        x, i = self.name(), self.name()
        self.names += [(x, INT), (i, INT)]
        inside = [f"    {x} = ({self.expr(INT, 1)}) % 1000"]
        if self.r.random() < 0.5:
            inside += [f"    if {self.expr(BOOL, 1)}:", f"        {self.r.choice(['break', 'continue'])}"]
        self.names.pop()
        if self.r.random() < 0.5:
            return [f"{x} = {self.r.randint(-3, 9)}", f"{i} = 0", f"while {i} < {self.r.randint(1, 9)}:", f"    {i} += 1", *inside]
        return [f"{x} = {self.r.randint(-3, 9)}", f"for {i} in range({self.r.randint(1, 9)}):", *inside]

    def collect(self) -> list[str]:
        """A loop that only collects, which is a comprehension."""
        out, (target, source, names) = self.name(), self.source(1)
        self.names += names
        test, value = self.expr(BOOL, 1), self.expr(INT, 1)
        del self.names[len(self.names) - len(names) :]
        self.names.append((out, LIST))
        return [f"{out} = []", f"for {target} in {source}:", f"    if {test}:", f"        {out}.append({value})"]

    def leave(self, names: list[str], kinds: list[str]) -> list[str]:
        """An early return."""
        values = [self.expr(kind, 0) for kind in kinds[len(names) :]]
        return [f"if {self.expr(BOOL, 1)}:", f"    return ({', '.join([*names, *values])},)"]


def program(seed: int, count: int = 1, depth: int = 3) -> Callable[..., Any]:
    """A function of `a, b, rows, s, n` that gives a tuple of random expressions."""
    w = Writer(seed)
    kinds = [w.r.choice(KINDS) for _ in range(count)]
    lines: list[str] = []
    results: list[str] = []
    for kind in kinds:
        chance = w.r.random()
        if chance < 0.15:
            lines += w.define(min(depth, 2))
        elif chance < 0.3:
            lines += w.loop()
        elif chance < 0.4:
            lines += w.collect()
        elif chance < 0.5:
            lines += w.leave(results, kinds)
        name = f"x{len(results)}"
        lines.append(f"{name} = {w.expr(kind, depth)}")
        results.append(name)
        if w.r.random() < 0.5:
            w.names.append((name, kind))
    lines.append(f"return ({', '.join(results)},)")
    text = "def program(a, b, rows, s, n):\n" + "".join(f"    {line}\n" for line in lines)
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
