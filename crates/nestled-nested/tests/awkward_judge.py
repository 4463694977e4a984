"""Compares operations with those of Awkward Array, on random arrays.

    cargo build -p nestled-nested --example judged
    python3 crates/nestled-nested/tests/awkward_judge.py target/debug/examples/judged [ARRAYS]

Without the package `awkward` it says so, and compares nothing.
"""

import collections
import json
import math
import re
import subprocess
import sys

try:
    import awkward as ak
except ImportError:
    print("SKIPPED: the package `awkward` is not installed, so operations were not compared with it (pip install awkward)")
    sys.exit(0)


def cut(start, stop, step):
    """A slice along an axis."""
    return lambda array, axis: array[(slice(None),) * axis + (slice(start, stop, step),)]


def along(function):
    return lambda array, axis: function(array, axis=axis)


OPERATIONS = {
    name: along(getattr(ak, name))
    for name in (
        "num local_index flatten is_none drop_none singletons count count_nonzero sum prod any all min max argmin argmax mean firsts sort argsort var std ptp".split()
    )
}
REDUCTIONS = "count count_nonzero sum prod any all min max argmin argmax var std ptp".split()

OPERATIONS |= {name: along(getattr(ak, name)) for name in "nansum nanprod nanmin nanmax nanmean nanvar nanstd nanargmin nanargmax".split()}
OPERATIONS |= {
    "pad_none": lambda array, axis: ak.pad_none(array, 2, axis=axis),
    "pad_none_clip": lambda array, axis: ak.pad_none(array, 2, axis=axis, clip=True),
    "combinations": lambda array, axis: ak.combinations(array, 2, axis=axis),
    "combinations_of_3": lambda array, axis: ak.combinations(array, 3, axis=axis),
    "argcombinations": lambda array, axis: ak.argcombinations(array, 2, axis=axis),
    "argcartesian": lambda array, axis: ak.argcartesian([array, array], axis=axis),
    "first_two": cut(None, 2, None),
    "last_two": cut(-2, None, None),
    "every_other": cut(1, None, 2),
    "backward": cut(None, None, -1),
    "softmax": lambda array, axis: ak.softmax(array, axis=-1),
    "nan_to_num": lambda array, axis: ak.nan_to_num(array, nan=0.5),
    "nan_to_none": lambda array, axis: ak.nan_to_none(array),
    "run_lengths": lambda array, axis: ak.run_lengths(array),
    "pick_backward": lambda array, axis: array[ak.local_index(array, axis=-1)[..., ::-1]],
    "get_greatest": lambda array, axis: ak.firsts(array[ak.argmax(array, axis=-1, keepdims=True)], axis=-1),
    "broadcast_counts": lambda array, axis: ak.broadcast_arrays(array, ak.num(array, axis=1))[1],
    "ravel": lambda array, axis: ak.drop_none(ak.ravel(array), axis=0),
    "fill_none": lambda array, axis: ak.fill_none(array, 7, axis=-1),
    "sort_descending": lambda array, axis: ak.sort(array, axis=axis, ascending=False),
    "twice": lambda array, axis: array + array,
    "positive": lambda array, axis: array > 0,
    "mask": lambda array, axis: ak.mask(array, array > 0),
    "concatenate": lambda array, axis: ak.concatenate([array, array], axis=axis),
    "minus_num": lambda array, axis: array - ak.num(array, axis=1),
    "filter_lists": lambda array, axis: array[ak.fill_none(ak.num(array, axis=1) > 1, False, axis=0)],
    "cartesian": lambda array, axis: ak.cartesian([array, array], axis=axis),
}


def has_nan(value):
    if isinstance(value, list):
        return any(map(has_nan, value))
    return isinstance(value, float) and math.isnan(value)


def plain(value):
    """Tuples as lists, and numbers as they are."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def with_nan(value):
    """NaN for what is missing."""
    if isinstance(value, list):
        return [with_nan(one) for one in value]
    return math.nan if value is None else value


def same(one, other):
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None or other is None or isinstance(one, list) or isinstance(other, list):
        return one is other
    near = not math.isinf(one) and abs(one - other) <= 1e-5 * max(abs(one), abs(other))
    return one == other or near or (one != one and other != other)


# Where the two differ on purpose; `docs/ragged.md` says why.
def on_purpose(case):
    operation, text = case["operation"], case["type"]
    is_outer = case["axis"] < text.count(" * ") - 1
    if has_nan(case["input"]) and operation in ("min", "max", "ptp", "argmin", "argmax", "sort", "sort_descending", "argsort", "get_greatest"):
        return "NaN"
    if "bool" in text and operation in ("twice", "sort", "sort_descending", "argsort"):
        return "booleans"
    if "float32" in text and operation in ("mean", "nanmean"):
        return "a mean of float32 is float32"
    if "option[" in text and operation in ("sort", "sort_descending", "argsort"):
        return "Awkward puts elements into lists of others"
    if "option[" in text and operation in ("argmin", "argmax") and case["axis"] >= 0:
        return "a place along an outer axis also counts lists that are missing"
    if operation in ("argmin", "argmax", "argsort") and is_outer:
        return "a place along an outer axis also counts lists that are too short"
    if "?" in text and operation == "drop_none" and is_outer:
        return "Awkward also drops what is missing one level deeper"
    if re.search(r"option\[var \* \?", text) and operation == "concatenate":
        return "Awkward makes lists of missing numbers"
    if operation == "softmax" and re.search("bool|int8|int16", text):
        return "shares of narrow integers are float64"
    if operation == "run_lengths" and re.search(r"option\[|\?", text):
        return "what is missing is equal to what is missing, and Awkward leaves it out"
    fixed = re.search(r"[*[] ?[0-9]+ \*", text)
    if fixed and operation in REDUCTIONS and 0 <= case["axis"]:
        return "lists of one length that are reduced become lists of any length"
    if fixed and operation in ("softmax", "pick_backward"):
        return "Awkward divides by the sums of other lists, and takes places of lists that all have one length by NumPy's rules"
    if fixed and operation in ("drop_none", "concatenate"):
        return "Awkward takes another axis, or forgets how many lists of nothing there are"
    return None


def made_by_awkward(case):
    plainly = ak.from_iter(case["input"])
    array = ak.enforce_type(plainly, case["type"].split(" * ", 1)[1])
    # For some types `enforce_type` loses elements.
    if not same(case["input"], plain(ak.to_list(array))):
        raise ValueError("the array cannot be built with this type")
    made = OPERATIONS[case["operation"]](array, case["axis"])
    made = plain(ak.to_list(made))
    # One number along the outermost axis is an array of one here.
    return made if isinstance(made, list) else [made]


# Of nothing these are NaN here, as `mean` and `var` are on both sides, and missing in Awkward.
OF_SOME = ("nanmean", "nanvar", "nanstd")


def main():
    output = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout
    good, left_out, refused, wrong = (collections.Counter() for _ in range(4))
    for line in output.splitlines():
        case = json.loads(line)
        name = case["operation"]
        if on_purpose(case):
            left_out[name] += 1
            continue
        try:
            wanted = made_by_awkward(case)
        except Exception as error:
            refused[f"{name}: {type(error).__name__} {str(error).splitlines()[0][:80] if str(error) else ''}"] += 1
            continue
        if same(case["output"], wanted) or name in OF_SOME and same(with_nan(case["output"]), with_nan(wanted)):
            good[name] += 1
            continue
        wrong[name] += 1
        if wrong[name] <= 2:
            print(f"{name} along {case['axis']} of {case['type']}\n  {case['input']}\n  here    {case['output']}\n  Awkward {wanted}")
    print(f"awkward {ak.__version__}: {sum(good.values())} equal, {sum(wrong.values())} wrong, {sum(left_out.values())} left out on purpose")
    for message, number in sorted(refused.items()):
        print(f"  refused by Awkward, {number} times: {message}")
    for name, number in sorted(wrong.items()):
        print(f"  wrong: {name}, {number} of {number + good[name]}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
