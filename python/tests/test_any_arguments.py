"""No argument makes the extension module panic: random calls of its functions give a result or an error."""

import inspect
import os
import random

import pytest

import nestled as nd
from nestled import _nestled

ARRAYS = [
    nd.arange(4), nd.ones((2, 3)), nd.asarray(True), nd.zeros((0, 2)), nd.asarray([True, False]), nd.asarray(3),
    nd.asarray([1.5], dtype="float16"), nd.asarray([1, 2], dtype="uint8"), nd.full((1,) * 8, 1),
    nd.asarray([-5, 100, 2**62]),
]  # fmt: skip
NESTED = [
    nd.Nested.from_iter(values)
    for values in ([1, 2], [[1], []], ["a", "b"], [None, 1], [{"a": 1, "b": [2]}], [(1, "x")], [[[1.5]], []], [True], [])
]
PLACES = [0, 1, 2, -1, -2, 3, 9, 64]
NUMBERS = [*PLACES, 2**31, 2**62, -(2**63), 2**63 - 1]
WORDS = [
    "sum", "max", "add", "pow", "sort", "argmax", "divide", "remainder", "floor_divide", "unflatten", "mask", "filter",
    "pick", "is_in", "group_by", "combinations", "pad", "top", "var", "concatenate", "cartesian", "flatten", "all",
    "firsts", "unique", "cumsum", "bitwise_left_shift", "sqrt", "abs", "negative", "ravel", "to_upper", "equal", "less",
    "first", "last", "strings", "lists", "bytes", "left", "uniform", "float32", "int8", "bool", "x", "",
]  # fmt: skip
#: Parameters by what they usually take.
USUAL = {
    **dict.fromkeys(("x", "x1", "x2", "left", "right", "other", "content", "mask", "places", "values"), "data"),
    **dict.fromkeys(("axes", "order", "by", "shape"), "lists"),
    **dict.fromkeys(("name", "how", "face", "kind", "dtype"), "words"),
    **dict.fromkeys(("axis", "place", "start", "stop", "count", "step", "size"), "numbers"),
}
FUNCTIONS = [
    function
    for function in vars(_nestled).values()
    if callable(function) and not isinstance(function, type) and function.__name__ not in ("devices", "device_name")
]


def argument(draw, usual):
    if usual is None or draw.random() < 0.1:
        usual = draw.choice(["data", "lists", "words", "numbers", "other"])
    if usual == "data":
        return draw.choice(ARRAYS if draw.random() < 0.6 else NESTED)
    if usual == "lists":
        return [draw.choice(PLACES) for _ in range(draw.randrange(4))]
    if usual == "words":
        return draw.choice(WORDS)
    if usual == "numbers":
        return draw.choice(NUMBERS if draw.random() < 0.3 else PLACES)
    return draw.choice([None, 1.5, True, [ARRAYS[0]] * 2, [NESTED[0]] * 2, (1,), {}, float("nan")])


@pytest.mark.parametrize("seed", range(4))
def test_calls_never_panic(seed):
    draw = random.Random(seed)
    made = 0
    for _ in range(int(os.environ.get("NESTLED_CALLS", "1500"))):
        function = draw.choice(FUNCTIONS)
        parameters = inspect.signature(function).parameters
        arguments = [argument(draw, USUAL.get(name)) for name in parameters]
        # What is as large as was asked for takes long to show.
        if function.__name__ in ("full", "index", "random", "permutation", "repeat", "broadcast"):
            arguments = [min(one, 64) if isinstance(one, int) else one for one in arguments]
        try:
            result = function(*arguments)
            if isinstance(result, nd.Array) and result.size < 10**6:
                result.tolist()
            if isinstance(result, nd.Nested) and len(result) < 10**5:
                result.to_list()
            made += 1
        except Exception:
            continue
    assert made > 50
