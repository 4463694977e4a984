"""Inputs for the functions of the list: random values of their kinds, the same for one seed."""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Callable
from typing import Any, get_args

THEMES = ["lists", "algorithms", "graphs", "numeric", "strings", "recursion", "everyday"]


def functions() -> dict[str, Callable[..., Any]]:
    """All functions of the list, by theme and name; those without kinds are helpers."""
    out: dict[str, Callable[..., Any]] = {}
    for theme in THEMES:
        module = importlib.import_module(f"functions.{theme}")
        for name, f in vars(module).items():
            if inspect.isfunction(f) and f.__module__ == module.__name__ and f.__annotations__ and name != "merge":
                out[f"{theme}.{name}"] = f
    return out


def draw(kind: Any, r: random.Random) -> Any:
    """A value of a kind."""
    _, *note = get_args(kind)
    name, *rest = note
    return globals()[f"draw_{name}"](r, *rest)


def inputs(f: Callable[..., Any], seed: int) -> tuple[Any, ...]:
    r = random.Random(f"{f.__module__}.{f.__name__}.{seed}")
    return tuple(draw(p.annotation, r) for p in inspect.signature(f).parameters.values())


def draw_int(r: random.Random, low: int, high: int) -> int:
    return r.randint(low, high)


def draw_float(r: random.Random, low: float, high: float) -> float:
    return round(r.uniform(low, high), r.choice([1, 2, 15]))


def draw_bool(r: random.Random) -> bool:
    return r.random() < 0.5


def draw_list(r: random.Random, kind: Any) -> list[Any]:
    return [draw(kind, r) for _ in range(r.choice([0, 1, 2, 3, 5, 8, 12]))]


def draw_list1(r: random.Random, kind: Any) -> list[Any]:
    return [draw(kind, r) for _ in range(r.randint(1, 9))]


def draw_short(r: random.Random, kind: Any) -> list[Any]:
    return [draw(kind, r) for _ in range(r.randint(0, 4))]


def draw_sorted(r: random.Random) -> list[int]:
    return sorted(r.randint(-20, 20) for _ in range(r.randint(0, 10)))


def draw_grid(r: random.Random, kind: Any) -> list[list[Any]]:
    h, w = r.randint(0, 5), r.randint(1, 5)
    return [[draw(kind, r) for _ in range(w)] for _ in range(h)]


def draw_square(r: random.Random) -> list[list[float]]:
    n = r.randint(0, 4)
    return [[draw_float(r, -10, 10) for _ in range(n)] for _ in range(n)]


def draw_graph(r: random.Random) -> list[list[int]]:
    n = r.randint(0, 8)
    return [sorted(r.sample(range(n), r.randint(0, min(n, 3)))) for _ in range(n)]


def draw_dag(r: random.Random) -> list[list[int]]:
    n = r.randint(0, 7)
    return [sorted(r.sample(range(i + 1, n), r.randint(0, min(n - i - 1, 2)))) for i in range(n)]


def draw_text(r: random.Random, letters: str) -> str:
    return "".join(r.choice(letters) for _ in range(r.choice([0, 1, 2, 4, 7, 11])))


def draw_word4(r: random.Random) -> str:
    return "".join(r.choice("abc") for _ in range(r.randint(0, 4)))


def draw_digits(r: random.Random) -> str:
    return "".join(r.choice("0123456789") for _ in range(r.randint(1, 12)))


def draw_pairs(r: random.Random) -> list[tuple[int, int]]:
    return [(r.randint(0, 9), r.randint(0, 5)) for _ in range(r.randint(0, 6))]


def draw_intervals(r: random.Random) -> list[tuple[int, int]]:
    starts = [r.randint(0, 30) for _ in range(r.randint(0, 7))]
    return [(a, a + r.randint(0, 8)) for a in starts]


def draw_points(r: random.Random) -> list[tuple[float, float]]:
    return [(draw_float(r, -10, 10), draw_float(r, -10, 10)) for _ in range(r.randint(0, 6))]
