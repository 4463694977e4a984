"""Choices between arrays where something is missing, and indices by several arrays: judged by what lists of Python give."""

import random

import numpy as np
import pytest

import nestled as nd
from nestled import Nested


def chosen(mask, yes, no):
    """The choice by lists of Python; elements that are missing in a list that is missing."""
    if isinstance(mask, list) or (mask is None and isinstance(yes, list) and isinstance(no, list)):
        lengths = [len(side) for side in (mask, yes, no) if isinstance(side, list)]
        parts = [side if isinstance(side, list) else [None] * lengths[0] for side in (mask, yes, no)]
        return [chosen(*each) for each in zip(*parts)]
    return None if mask is None else yes if mask else no


def missing_at_random(random, of):
    return None if random.random() < 0.3 else of


@pytest.mark.parametrize("seed", range(20))
def test_lists_that_are_missing_on_the_other_side(seed):
    draw = random.Random(seed)
    masks, ones, others = [], [], []
    for _ in range(draw.randrange(1, 6)):
        count = draw.randrange(4)
        masks.append(missing_at_random(draw, [missing_at_random(draw, draw.random() < 0.5) for _ in range(count)]))
        ones.append(missing_at_random(draw, [missing_at_random(draw, draw.randrange(9)) for _ in range(count)]))
        others.append([draw.randrange(9) for _ in range(count)])
    made = nd.where(
        Nested.from_iter(masks, "option[var * ?bool]"),
        Nested.from_iter(ones, "option[var * ?int64]"),
        Nested.from_iter(others, "var * int64"),
    )
    expected = []
    for mask, one, other in zip(masks, ones, others):
        width = [None] * len(other)
        expected.append(chosen(width if mask is None else mask, width if one is None else one, other))
    assert made.to_list() == expected


def test_whole_lists_are_chosen():
    mask = Nested.from_iter([True, False, True, None])
    yes = Nested.from_iter([[1, 2], None, None, [7]])
    no = Nested.from_iter([None, [3], [4, 5], [8]])
    assert nd.where(mask, yes, no).to_list()[:3] == [[1, 2], [3], None]
    everywhere = Nested.from_iter([[True], None], "option[var * bool]")
    pairs = Nested.from_iter([[3], None], "option[var * int64]")
    assert nd.where(everywhere, pairs, pairs).to_list() == [[3], None]


def test_a_list_that_is_missing_in_the_mask_stands_for_missing_elements():
    mask = Nested.from_iter([[True, False], None, None], "option[var * bool]")
    yes = Nested.from_iter([[1, 2], [3], None], "option[var * int64]")
    no = Nested.from_iter([None, [4], [5, 6]], "option[var * int64]")
    assert nd.where(mask, yes, no).to_list() == [[1, None], [None], [None, None]]
    assert nd.where(mask, yes, 7).to_list() == [[1, 7], [None], None]
    assert nd.where(mask, 7, 8).to_list() == [[7, 8], None, None]


def test_texts():
    mask = Nested.from_iter([False, True, None])
    words, others = Nested.from_iter(["this", None, "that"]), Nested.from_iter(["foo", "bar", "baz"])
    assert nd.where(mask, words, others).to_list() == ["foo", None, None]
    assert nd.where(mask, others, words).to_list() == ["this", "bar", None]
    assert nd.where(mask, "yes", "no").to_list() == ["no", "yes", None]
    assert nd.where(mask, others, "").to_list() == ["", "bar", None]
    assert nd.where(Nested.from_iter([], "bool"), "yes", Nested.from_iter([], "string")).to_list() == []
    with pytest.raises(ValueError, match="do not go together"):
        nd.where(mask, others[:2], "")


def test_indices_by_several_arrays():
    values = [[[1, 2, 3], [4, 5]], [[6], [7, 8]]]
    x = Nested.from_iter(values)
    assert x[[0, 1, 1], [1], [0]].to_list() == [4, 7, 7]
    assert x[[0, 1], 0, [0, -1]].to_list() == [1, 6]
    assert x[[0, 1], [1, 0], :1].to_list() == [[4], [6]]
    assert x[[0, 1], [1, 0], 0].to_list() == [4, 6]
    assert x[[0, 1], [1, 0]].to_list() == [[4, 5], [6]]
    assert x[[False, True], [1], [1]].to_list() == [8]
    assert x[1, [0, 1], [0, 1]].to_list() == [6, 8]
    with pytest.raises((ValueError, IndexError, nd.Error)):
        x[[0, 1], [1, 0], [0, 1]]
    with pytest.raises(IndexError, match="do not go together"):
        x[[0, 1, 0], [1, 0]]
    with pytest.raises(NotImplementedError):
        x[:, [0, 1], [0, 0]]
    with pytest.raises(NotImplementedError):
        x[[[0, 1]], [1, 0]]


def test_one_element_goes_with_all():
    x, one = Nested.from_iter([[1, 2], [], [3]]), Nested.from_iter([10])
    assert (x + one).to_list() == (one + x).to_list() == [[11, 12], [], [13]]
    assert nd.where(Nested.from_iter([True, False]), Nested.from_iter([5]), Nested.from_iter([6, 7])).to_list() == [5, 7]
    assert (Nested.from_iter([], "int64") + one).to_list() == []
    with pytest.raises(ValueError, match="do not go together"):
        x + Nested.from_iter([1, 2])


def test_lists_without_a_length_are_missing():
    x = Nested.from_iter([1.5, 2.5, 3.5])
    assert x.unflatten([None, 2, 0, None, 1]).to_list() == [None, [1.5, 2.5], [], None, [3.5]]
    with pytest.raises(ValueError):
        x.unflatten([None, 2])


def test_a_number_in_a_product_stands_for_a_list_of_it():
    made = Nested.cartesian([Nested.from_iter([1, 2]), Nested.from_iter([["a", "b"], []])])
    assert made.to_list() == [[(1, "a"), (1, "b")], []]
    with pytest.raises(ValueError, match="no such axis"):
        Nested.cartesian([Nested.from_iter([1, 2]), Nested.from_iter(["a", "b"])])


def test_the_spread_of_short_floats_is_long():
    x = Nested.from_iter([[1e7, 1e7 + 1, 1e7 + 2], []]).astype("float32")
    assert x.var(axis=-1).to_list()[0] == pytest.approx(2 / 3, rel=1e-12)
    assert x.var() == pytest.approx(2 / 3, rel=1e-12)


def test_quotients_and_remainders():
    x = Nested.from_iter([[7, -7], [5]])
    quotients, remainders = np.divmod(x, 3)
    assert quotients.to_list() == [[2, -3], [1]] and remainders.to_list() == [[1, 2], [2]]
    found = nd.divmod(nd.asarray([7, -7]), 3)
    assert [part.tolist() for part in found] == [[2, -3], [1, 2]]
