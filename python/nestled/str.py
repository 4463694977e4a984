"""Functions of texts in nested data, with the names of `ak.str`.

Where letters, digits and white space matter, they are those of ASCII; places and widths count characters, that of `find_substring` bytes. What is missing stays missing.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from . import _nestled as _n
from ._nested import as_nested
from ._nestled import Nested

Text = builtins.str


def _pair(array: Any, pattern: Text, ignore_case: bool) -> tuple[Nested, Text]:
    x = as_nested(array)
    if not ignore_case:
        return x, pattern
    # The letters of ASCII only, as those of the array.
    return _n.mapped("to_lower", x), "".join(letter.lower() if letter.isascii() else letter for letter in pattern)


def _named(function: Callable[[Any], Nested], name: Text) -> Callable[[Any], Nested]:
    function.__name__ = name
    function.__doc__ = f"`ak.str.{name}`."
    return function


def _kind(name: Text) -> Callable[[Any], Nested]:
    def function(array: Any) -> Nested:
        return _n.letters_are(name, as_nested(array))

    return _named(function, f"is_{name}")


def _case(name: Text) -> Callable[[Any], Nested]:
    def function(array: Any) -> Nested:
        return _n.with_case(name, as_nested(array))

    return _named(function, name)


def _mapped(ours: Text, name: Text) -> Callable[[Any], Nested]:
    def function(array: Any) -> Nested:
        return _n.mapped(ours, as_nested(array))

    return _named(function, name)


is_alnum = _kind("alnum")
is_alpha = _kind("alpha")
is_ascii = _kind("ascii")
is_decimal = is_digit = is_numeric = _kind("digit")
is_lower = _kind("lower")
is_printable = _kind("printable")
is_space = _kind("space")
is_title = _kind("title")
is_upper = _kind("upper")
capitalize = _case("capitalize")
swapcase = _case("swapcase")
title = _case("title")
length = _mapped("text_length", "length")
lower = _mapped("to_lower", "lower")
upper = _mapped("to_upper", "upper")
trim_whitespace = _mapped("trim", "trim_whitespace")


def starts_with(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """True for each text that begins with another."""
    return _n.text("starts_with", *_pair(array, pattern, ignore_case))


def ends_with(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """True for each text that ends with another."""
    return _n.text("ends_with", *_pair(array, pattern, ignore_case))


def match_substring(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """True for each text that has another in it."""
    return _n.text("contains", *_pair(array, pattern, ignore_case))


def count_substring(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """The number of times that each text has another in it, without overlaps."""
    return _n.text("count_text", *_pair(array, pattern, ignore_case))


def find_substring(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """The place of the byte at which a text is found first in each, −1 where it is not."""
    return _n.text("find", *_pair(array, pattern, ignore_case))


def replace_substring(array: Any, pattern: Text, replacement: Text) -> Nested:
    """Each text with one text in the place of another."""
    return _n.replace(as_nested(array), pattern, replacement)


def _regex(pattern: Text, ignore_case: bool) -> Text:
    return f"(?i:{pattern})" if ignore_case else pattern


def match_substring_regex(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """`ak.str.match_substring_regex`: true for each text in which a regular expression matches. The syntax is that of Rust's `regex`, without remembered groups."""
    return _n.text("matches_regex", as_nested(array), _regex(pattern, ignore_case))


def count_substring_regex(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """`ak.str.count_substring_regex`: the number of matches, none of which may be empty, in each text."""
    return _n.text("count_regex", as_nested(array), _regex(pattern, ignore_case))


def find_substring_regex(array: Any, pattern: Text, *, ignore_case: bool = False) -> Nested:
    """`ak.str.find_substring_regex`: the byte at which the first match begins, −1 where there is none."""
    return _n.text("find_regex", as_nested(array), _regex(pattern, ignore_case))


def replace_substring_regex(array: Any, pattern: Text, replacement: Text) -> Nested:
    """`ak.str.replace_substring_regex`: each text with another, as it is, in the place of each match, none of which may be empty."""
    if "\\" in replacement:
        raise ValueError("a replacement cannot refer to groups: it is put there as it is, so it must not have a backslash")
    return _n.replace_regex(as_nested(array), pattern, replacement)


def split_pattern_regex(array: Any, pattern: Text, *, max_splits: int | None = None, reverse: bool = False) -> Nested:
    """`ak.str.split_pattern_regex`: the parts of each text between the matches, none of which may be empty."""
    return _n.split_regex(as_nested(array), pattern, max_splits, reverse)


def replace_slice(array: Any, start: int, stop: int, replacement: Text) -> Nested:
    """Each text with another in the place of the characters from one place to another."""
    return _n.replace_slice(as_nested(array), start, stop, replacement)


def slice(array: Any, start: int | None, stop: int | None = None, step: int = 1) -> Nested:
    """Characters of each text, as by a slice of Python's."""
    return _n.slice_texts(as_nested(array), start, stop, step)


def reverse(array: Any) -> Nested:
    """The characters of each text, the last one first."""
    return _n.slice_texts(as_nested(array), None, None, -1)


def repeat(array: Any, num_repeats: int) -> Nested:
    """Each text so many times, one after another."""
    return _n.repeat_texts(as_nested(array), num_repeats)


def lpad(array: Any, width: int, padding: Text = " ") -> Nested:
    """Each text with a character before it until it has a width."""
    return _n.pad_texts(as_nested(array), width, padding, "left")


def rpad(array: Any, width: int, padding: Text = " ") -> Nested:
    """Each text with a character behind it until it has a width."""
    return _n.pad_texts(as_nested(array), width, padding, "right")


def center(array: Any, width: int, padding: Text = " ") -> Nested:
    """Each text in the middle of a width; where both sides differ, the right one is the longer one."""
    return _n.pad_texts(as_nested(array), width, padding, "both")


def trim(array: Any, characters: Text) -> Nested:
    """Each text without some characters at its ends."""
    return _n.trim_of(as_nested(array), characters, "both")


def ltrim(array: Any, characters: Text) -> Nested:
    """Each text without some characters at its beginning."""
    return _n.trim_of(as_nested(array), characters, "left")


def rtrim(array: Any, characters: Text) -> Nested:
    """Each text without some characters at its end."""
    return _n.trim_of(as_nested(array), characters, "right")


_SPACE = "\t\n\v\f\r "


def ltrim_whitespace(array: Any) -> Nested:
    """Each text without white space at its beginning."""
    return ltrim(array, _SPACE)


def rtrim_whitespace(array: Any) -> Nested:
    """Each text without white space at its end."""
    return rtrim(array, _SPACE)


def split_whitespace(array: Any, *, max_splits: int | None = None, reverse: bool = False) -> Nested:
    """The parts of each text around rows of white space; around the first ones only, or the last ones by `reverse`, with `max_splits`."""
    return _n.split_texts(as_nested(array), None, max_splits, reverse)


def split_pattern(array: Any, pattern: Text, *, max_splits: int | None = None, reverse: bool = False) -> Nested:
    """The parts of each text around another; around the first places only, or the last ones by `reverse`, with `max_splits`."""
    return _n.split_texts(as_nested(array), pattern, max_splits, reverse)


def join(array: Any, separator: Text) -> Nested:
    """The texts of each innermost list as one, with another between them. What is missing is left out."""
    return _n.text("join_texts", as_nested(array), separator)


def join_element_wise(*arrays: Any) -> Nested:
    """The texts at one place of several arrays as one, with that of the last array, or the last text, between them."""
    if len(arrays) < 2:
        raise TypeError("what is joined wants an array at least, and a separator")
    *parts, separator = arrays
    made = as_nested(parts[0])
    between = as_nested([separator] * len(made) if isinstance(separator, Text) else separator)
    for part in parts[1:]:
        made = _n.with_other("followed_by", _n.with_other("followed_by", made, between), as_nested(part))
    return made


def is_in(array: Any, value_set: Any) -> Nested:
    """True for each text that is among others."""
    return _n.with_other("is_in", as_nested(array), as_nested(value_set))


def index_in(array: Any, value_set: Any) -> Nested:
    """The first place of each text among others; missing where it is none of them."""
    return _n.with_other("index_in", as_nested(array), as_nested(value_set))


def to_categorical(array: Any) -> Nested:
    """The texts as categories: each different one is stored once, in the order of first appearance."""
    return _n.mapped("to_categorical", as_nested(array))
