"""`nd.str`, judged by `ak.str` on texts of all kinds of characters, on the device and on the reference interpreter; letters are those of ASCII where they matter."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

import nestled as nd

ak = pytest.importorskip("awkward", reason="the package `awkward` is not installed, so texts were not compared with it")
pc = pytest.importorskip("pyarrow.compute", reason="the package `pyarrow` is not installed, which Awkward computes with texts by")

ENGINES = [nd.Engine(), nd.Engine(os.environ.get("NESTLED_TEST_DEVICE", "reference"))]
ASCII = "abAB zZ09\t\n-_~aab"
ANY = ASCII + "äµß€😀"
CORNERS = ["", " ", "\t \n", "a", "A", "é", "aaaa", "aaaaa", "Ab Cd", "AB", "ab1", "12", " a b  c ", "😀", "-a-", "aab" * 9]


def lists(seed: int, letters: str) -> list[list[str | None]]:
    """Lists of texts, some of which are missing, and all corners."""
    r = random.Random(seed)
    words: list[str | None] = [word for word in CORNERS if all(letter in letters + "éCd12bc" for letter in word)]
    if letters == ASCII:
        words = [word for word in words if word is not None and word.isascii()]
    words += ["".join(r.choices(letters, k=r.randrange(9))) for _ in range(60)]
    words += [None] * 4
    r.shuffle(words)
    rows: list[list[str | None]] = [[], []]
    while words:
        count = r.randrange(1, 6)
        rows.append(words[:count])
        del words[:count]
    return rows


#: Functions with their further arguments, and the letters on which they are compared.
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    *((name, (), {}, ASCII) for name in "is_alnum is_alpha is_decimal is_digit is_numeric is_lower is_printable is_space is_title is_upper".split()),
    *((name, (), {}, ASCII) for name in "capitalize swapcase title lower upper trim_whitespace ltrim_whitespace rtrim_whitespace split_whitespace".split()),
    *((name, (), {}, ANY) for name in "is_ascii length reverse".split()),
    *((name, (pattern,), {}, ANY) for name in "starts_with ends_with match_substring find_substring".split() for pattern in ["a", "aa", "", "€", "ab"]),
    *((name, ("AA",), {"ignore_case": True}, ASCII) for name in "starts_with ends_with match_substring find_substring count_substring".split()),
    *(("count_substring", (pattern,), {}, ANY) for pattern in ["a", "aa", "aba", "µ"]),
    *(("replace_substring", pair, {}, ANY) for pair in [("a", ""), ("aa", "€"), ("b", "longer")]),
    *(("replace_slice", ends, {}, ANY) for ends in [(0, 0, "x"), (1, 3, "€€"), (2, 1, "-"), (-2, -1, ""), (-1, 100, "ab"), (-100, 2, "")]),
    *(("slice", ends, {}, ANY) for ends in [(0,), (1, 3), (2, 1), (-3,), (-3, -1), (1, None, 2), (0, 100, 3), (-100, 2), (5, 1, -1), (-1, -4, -2), (100, 0, -3)]),
    *((name, (width,), {"padding": padding}, ANY) for name in "lpad rpad center".split() for width, padding in [(5, " "), (0, "x"), (7, "€")]),
    *((name, (characters,), {}, ANY) for name in "trim ltrim rtrim".split() for characters in ["a", "ab \t", "ä€😀", ""]),
    *(("repeat", (times,), {}, ANY) for times in [0, 1, 3]),
    *(("split_whitespace", (), {"max_splits": most, "reverse": back}, ASCII) for most in [0, 1, 2] for back in [False, True]),
    *(("split_pattern", (pattern,), {"max_splits": most, "reverse": back}, ANY) for pattern in ["a", "€"] for most in [None, 1, 2] for back in [False, True]),
    ("split_pattern", ("aa",), {}, ANY),
    *((name, (pattern,), {}, ANY) for name in "match_substring_regex find_substring_regex".split() for pattern in ["a+b", "^a", "[0-9]$", "€|ä", "b*", "(a|ab)(c|b)?"]),
    *((name, ("A+B",), {"ignore_case": True}, ASCII) for name in "match_substring_regex find_substring_regex count_substring_regex".split()),
    *(("count_substring_regex", (pattern,), {}, ANY) for pattern in ["a+", "a.", "[ab]{2}", "µ|€"]),
    *(("replace_substring_regex", pair, {}, ANY) for pair in [("a+", ""), ("a.", "€"), ("[0-9]", "##")]),
    *(("split_pattern_regex", (pattern,), {"max_splits": most}, ANY) for pattern in ["a+", "[ \t€]"] for most in [None, 1]),
    ("split_pattern", ("aa",), {"max_splits": 1}, ANY),
    ("join", (", ",), {}, ANY),
    ("join", ("",), {}, ANY),
    ("to_categorical", (), {}, ANY),
    *((name, (values,), {}, ANY) for name in ["is_in", "index_in"] for values in [["a", "", "😀", "a"], ["nowhere"]]),
]


def split_whitespace(rows: list[list[str | None]], **options: Any) -> list[list[list[str] | None]]:
    """By Arrow's function for ASCII: that for UTF-8, which Awkward takes, finds two rows of white space in the one at the end of a text."""
    import pyarrow

    return [pc.ascii_split_whitespace(pyarrow.array(row, "string"), **options).to_pylist() for row in rows]


@pytest.mark.parametrize("name, more, options, letters", CASES, ids=lambda part: repr(part) if isinstance(part, (str, tuple, dict)) else None)
def test_as_awkward(name: str, more: tuple[Any, ...], options: dict[str, Any], letters: str) -> None:
    rows = lists(len(name) + 7 * len(repr(more)), letters)
    if name == "join":
        # Awkward makes a text that is missing of each list that has one, which we leave out.
        rows = [[word for word in row if word is not None] for row in rows]
    if name == "split_whitespace":
        wanted = split_whitespace(rows, **options)
    else:
        wanted = getattr(ak.str, name)(ak.Array(rows), *more, **options).to_list()
    if name in ("is_in", "index_in"):
        wanted = [[None if word is None else there for word, there in zip(row, made)] for row, made in zip(rows, wanted)]
    for engine in ENGINES:
        with engine:
            found = getattr(nd.str, name)(nd.Nested.from_iter(rows), *more, **options)
            assert found.to_list() == wanted, rows


def test_element_wise() -> None:
    first, second = [["a", "ä"], [], ["", None]], [["1", ""], [], ["€", "x"]]
    wanted = ak.str.join_element_wise(ak.Array(first), ak.Array(second), ak.Array(["-", "+", "="])).to_list()
    for engine in ENGINES:
        with engine:
            assert nd.str.join_element_wise(first, second, ["-", "+", "="]).to_list() == wanted
            assert nd.str.join_element_wise(first, second, "-").to_list() == [["a-1", "ä-"], [], ["-€", None]]


def test_categories_and_bytes() -> None:
    words = nd.Nested.from_awkward(ak.str.to_categorical(ak.Array(["ab", "Cd", "ab", None])))
    assert nd.str.upper(words).to_list() == ["AB", "CD", "AB", None]
    assert nd.str.reverse(words).to_list() == ["ba", "dC", "ba", None]
    assert nd.str.is_title(words).to_list() == [False, True, False, None]
    raw = nd.Nested.from_awkward(ak.Array([b"a\xff", b""]))
    assert nd.str.slice(raw, 1).to_list() == [b"\xff", b""]
    assert nd.str.length(raw).to_list() == [2, 0]


def test_nothing_and_errors() -> None:
    nothing = nd.Nested.from_iter([], "string")
    assert nd.str.reverse(nothing).to_list() == nd.str.lpad(nothing, 3).to_list() == nd.str.trim(nothing, "a").to_list() == []
    assert nd.str.split_whitespace(nothing).to_list() == nd.str.title(nothing).to_list() == nd.str.is_alpha(nothing).to_list() == []
    assert nd.str.index_in(["a", None], nothing).to_list() == [None, None]
    with pytest.raises(Exception, match="no text"):
        nd.str.reverse([1, 2])
    with pytest.raises(Exception, match="one character"):
        nd.str.lpad(["a"], 3, "ab")
    with pytest.raises(Exception, match="step of zero"):
        nd.str.slice(["a"], 0, 1, 0)
    with pytest.raises(Exception, match="-1 times"):
        nd.str.repeat(["a"], -1)
    with pytest.raises(Exception, match="from the end"):
        nd.str.split_pattern(["aaa"], "aa", max_splits=1, reverse=True)


def test_the_table_names_what_is_there() -> None:
    """Every function of `ak.str` is ours, or the table says why it is not."""
    page = (Path(__file__).parent.parent / "docs" / "awkward.md").read_text()
    theirs = {name for name in dir(ak.str) if callable(getattr(ak.str, name)) and not name.startswith("_")}
    told = dict(re.findall(r"^\| `ak\.str\.(\w+)` \| (.*) \|$", page, re.M))
    assert set(told) >= theirs
    for name in theirs:
        assert hasattr(nd.str, name) == (f"`nd.str.{name}`" in told[name]), name
        assert hasattr(nd.str, name) or told[name].startswith("— "), name
