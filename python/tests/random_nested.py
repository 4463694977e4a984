"""Random nested data: schemas of up to five axes with lists of any and of one length, missing values at all levels, records, texts, NaN; and values of them."""

from __future__ import annotations

import random
from typing import Any

NUMBERS = ("int64", "float64", "int8", "float32", "bool", "uint16", "int32", "uint8", "int16", "uint32", "uint64")
#: Of what kind elements are, by name; records and tuples may have fields of several depths.
LEAVES = {
    "numbers": NUMBERS,
    "integers": tuple(name for name in NUMBERS if "int" in name),
    "signed": ("int64", "float64", "float32", "int32"),
    "floats": ("float64", "float32"),
    "exact": ("int64", "float64"),
    "booleans": ("bool",),
    "texts": ("string",),
    "points": ("{x: int64, y: float64}",),
    "records": ("{x: int64, y: float64}", "{a: ?float32}", "{name: string, n: uint8}", "(int64, bool)"),
}


def schema(rng: random.Random, leaf: str, depth: int, options: bool, regular: bool) -> str:
    """A schema with so many axes, the outermost of which is that of the array."""
    made = rng.choice(LEAVES[leaf])
    for level in range(depth):
        if options and rng.random() < 0.3 and not (level == 0 and made[0] in "{("):
            made = f"option[{made}]" if "*" in made else f"?{made}"
        if level < depth - 1:
            made = f"{rng.randrange(4)} * {made}" if regular and rng.random() < 0.25 else f"var * {made}"
    return made


def _parts(text: str) -> list[str]:
    """The fields of a record or a tuple, as they are written."""
    parts, level, start = [], 0, 0
    for place, letter in enumerate(text):
        level += (letter in "{([") - (letter in "})]")
        if letter == "," and level == 0:
            parts.append(text[start:place])
            start = place + 1
    return [part.strip() for part in [*parts, text[start:]]]


def value(rng: random.Random, of: str) -> Any:
    """A value of a schema."""
    if of.startswith("option[") or of.startswith("?"):
        return None if rng.random() < 0.25 else value(rng, of[1:] if of[0] == "?" else of[7:-1])
    if of.startswith("{"):
        fields = (part.split(":", 1) for part in _parts(of[1:-1]))
        return {name.strip(): value(rng, inner.strip()) for name, inner in fields}
    if of.startswith("("):
        return tuple(value(rng, inner) for inner in _parts(of[1:-1]))
    if " * " in of:
        size, inner = of.split(" * ", 1)
        length = int(size) if size != "var" else 0 if rng.random() < 0.25 else rng.randrange(5)
        return [value(rng, inner) for _ in range(length)]
    if of == "bool":
        return rng.random() < 0.5
    if of == "string":
        return "".join(rng.choice("aabBµ ,") for _ in range(rng.choice((0, 1, 2, 3, 5))))
    if of.startswith("float"):
        return float("nan") if rng.random() < 0.04 else rng.randrange(-8, 9) / 2
    return rng.randrange(0, 6) if of.startswith("u") else rng.randrange(-4, 5)


def values(rng: random.Random, of: str) -> list[Any]:
    """The values of an array."""
    return [value(rng, of) for _ in range(0 if rng.random() < 0.08 else rng.randrange(1, 6))]
