"""All functions of `math` and NumPy's of numbers and lists: each compiles and means what Python's means, or is refused by name with what to write instead."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from engines import chosen
from hypothesis import strategies as st

from nestled import _fn as nd
from nestled._fn import numpys


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    nd.use_engine(chosen())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def unsigned(x: float) -> float:
    """The number; the sign of a zero is not seen."""
    return x if x else 0.0


X = st.floats() | st.floats(-3, 3) | st.integers(-4, 4).map(float)
SMALL = st.floats(-100, 100)
N = st.integers(-5, 40)
LIST = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6)
INTS = st.lists(st.integers(-1000, 1000), min_size=1, max_size=6)

#: Each function of `math` with arguments; Python 3.11 has all of these.
MATH: dict[str, tuple[Any, ...]] = {
    "acos": (lambda x: math.acos(x), X), "acosh": (lambda x: math.acosh(x), X), "asin": (lambda x: math.asin(x), X),
    "asinh": (lambda x: math.asinh(x), X), "atan": (lambda x: math.atan(x), X), "atan2": (lambda x, y: math.atan2(x, y), X.map(unsigned), X),
    "atanh": (lambda x: math.atanh(x), X), "cbrt": (lambda x: math.cbrt(x), X), "ceil": (lambda x: math.ceil(x), X),
    "comb": (lambda n, k: math.comb(n, k), N, N), "copysign": (lambda x, y: math.copysign(x, y), X, X), "cos": (lambda x: math.cos(x), SMALL),
    "cosh": (lambda x: math.cosh(x), X), "degrees": (lambda x: math.degrees(x), X),
    "dist": (lambda x, y: math.dist((x, y), (y, 1.0)), SMALL, SMALL), "erf": (lambda x: math.erf(x), X), "erfc": (lambda x: math.erfc(x), X),
    "exp": (lambda x: math.exp(x), X), "exp2": (lambda x: math.exp2(x), SMALL), "expm1": (lambda x: math.expm1(x), X),
    "fabs": (lambda x: math.fabs(x), X), "factorial": (lambda n: math.factorial(n), N), "floor": (lambda x: math.floor(x), X),
    "fmod": (lambda x, y: math.fmod(x, y), X, X), "frexp": (lambda x: math.frexp(x), X), "gamma": (lambda x: math.gamma(x), X | st.floats(-180, 180)),
    "gcd": (lambda a, b, c: math.gcd(a, b, c) + math.gcd() + math.gcd(a), N, N, N), "hypot": (lambda x, y, z: math.hypot(x, y, z), X, X, X),
    "isclose": (lambda x, y: math.isclose(x, y, rel_tol=0.1), X, X), "isfinite": (lambda x: math.isfinite(x), X), "isinf": (lambda x: math.isinf(x), X),
    "isnan": (lambda x: math.isnan(x), X), "isqrt": (lambda n: math.isqrt(n), st.integers(-3, 10**15)),
    "lcm": (lambda a, b, c: math.lcm(a, b, c) + math.lcm() + math.lcm(a), N, N, N),
    "ldexp": (lambda x, n: math.ldexp(x, n), X, st.integers(-2200, 2200)), "lgamma": (lambda x: math.lgamma(x), X | st.floats(-100, 1e6)),
    "log": (lambda x: math.log(x) + math.log(x, 3.0), X), "log10": (lambda x: math.log10(x), X), "log1p": (lambda x: math.log1p(x), X),
    "log2": (lambda x: math.log2(x), X), "modf": (lambda x: math.modf(x), X), "nextafter": (lambda x, y: math.nextafter(x, y), X, X),
    "perm": (lambda n, k: math.perm(n, k) + math.perm(max(n, 0) // 4), N, N), "pow": (lambda x, y: math.pow(x, y), st.floats(0.1, 10), SMALL),
    "prod": (lambda v: math.prod(v), st.lists(st.integers(-9, 9), max_size=6)), "radians": (lambda x: math.radians(x), X),
    "remainder": (lambda x, y: math.remainder(x, y), X, X), "sin": (lambda x: math.sin(x), SMALL), "sinh": (lambda x: math.sinh(x), X),
    "sqrt": (lambda x: math.sqrt(x), X), "tan": (lambda x: math.tan(x), st.floats(-1.5, 1.5)), "tanh": (lambda x: math.tanh(x), X),
    "trunc": (lambda x: math.trunc(x), X), "ulp": (lambda x: math.ulp(x), X),
}  # fmt: skip
#: Those that round once only.
REFUSED = {"fma", "fsum", "sumprod"}


def test_the_list_of_math_is_whole() -> None:
    functions = {name for name, one in vars(math).items() if isinstance(one, types.BuiltinFunctionType)}
    assert functions - REFUSED <= set(MATH)


@pytest.mark.parametrize("name", MATH)
def test_math(name: str) -> None:
    function, *strategies = MATH[name]
    nd.check(nd.fn(function), *strategies, examples=60)


@pytest.mark.parametrize("x", [5e-324, 2.0**-1022, 1.0, 1.5, 0.5, 1e308, 1.7976931348623157e308, -1.0, -5e-324, 0.0, 3.0, 2.0**-1074 * 7])
def test_parts_of_floats_are_exact(x: float) -> None:
    parts = nd.fn(lambda x: (math.frexp(x), math.ulp(x), math.modf(x), math.nextafter(x, 0.25), math.nextafter(x, -2.0), math.nextafter(x, 1e308)))
    assert parts(x) == parts.python(x)
    back = nd.fn(lambda x: math.ldexp(math.frexp(x)[0], math.frexp(x)[1]))
    assert back(x) == x


@pytest.mark.parametrize("x", [1e-300, -1e-17, 1e-12, 1e-8, -1e-5, 1e-3, 0.3])
def test_no_digits_are_lost_near_zero(x: float) -> None:
    close = nd.fn(lambda x: (math.expm1(x), math.log1p(x), math.asinh(x), math.atanh(x), math.erf(x)))
    for got, expected in zip(close(x), close.python(x)):
        assert abs(got - expected) <= 1e-14 * abs(expected)
    assert abs(nd.fn(lambda x: math.erfc(x))(9.0) - math.erfc(9.0)) <= 1e-13 * math.erfc(9.0)


#: NumPy's functions of numbers.
NUMPY: dict[str, tuple[Any, ...]] = {
    "abs": (lambda x, n: np.abs(x) + np.absolute(n), X, N), "add": (lambda x, y: np.add(x, y), X, N), "arccos": (lambda x: np.arccos(x), X),
    "arccosh": (lambda x: np.arccosh(x), X), "arcsin": (lambda x: np.arcsin(x), X), "arcsinh": (lambda x: np.arcsinh(x), X),
    "arctan": (lambda x: np.arctan(x), X), "arctan2": (lambda x, y: np.arctan2(x, y), X.map(unsigned), X), "arctanh": (lambda x: np.arctanh(x), X),
    "bitwise": (lambda a, b: np.bitwise_and(a, b) + np.bitwise_or(a, b) * np.bitwise_xor(a, b), N, N), "cbrt": (lambda x: np.cbrt(x), X),
    "ceil": (lambda x: np.ceil(x), X), "clip": (lambda x, y: np.clip(x, y, y + 1.0), X, SMALL), "copysign": (lambda x, y: np.copysign(x, y), X, X),
    "cos": (lambda x: np.cos(x), SMALL), "cosh": (lambda x: np.cosh(x), X), "deg2rad": (lambda x: np.deg2rad(x) + np.radians(x), X),
    "divide": (lambda x, y: np.divide(x, y) + np.true_divide(x, y), X, X), "equal": (lambda x, y: (np.equal(x, y), np.not_equal(x, y)), X, X),
    "exp": (lambda x: np.exp(x), X), "exp2": (lambda x: np.exp2(x), SMALL), "expm1": (lambda x: np.expm1(x), X), "fabs": (lambda x: np.fabs(x), X),
    "floor": (lambda x: np.floor(x), X), "floor_divide": (lambda a, b: np.floor_divide(a, b), N, N), "fmax": (lambda x, y: np.fmax(x, y), X, X),
    "fmin": (lambda x, y: np.fmin(x, y), X, X), "gcd": (lambda a, b: np.gcd(a, b), N, N), "greater": (lambda x, y: (np.greater(x, y), np.greater_equal(x, y)), X, X),
    "heaviside": (lambda x: np.heaviside(x, 0.5), X), "hypot": (lambda x, y: np.hypot(x, y), SMALL, SMALL),
    "is": (lambda x: (np.isfinite(x), np.isinf(x), np.isnan(x)), X), "lcm": (lambda a, b: np.lcm(a, b), N, N),
    "less": (lambda a, y: (np.less(a, y), np.less_equal(a, y)), N, X), "log": (lambda x: np.log(x), X), "log10": (lambda x: np.log10(x), X),
    "log1p": (lambda x: np.log1p(x), X), "log2": (lambda x: np.log2(x), X),
    "logical": (lambda a, b: (np.logical_and(a, b), np.logical_or(a, b), np.logical_xor(a, b), np.logical_not(a)), N, N),
    "maximum": (lambda x, y: np.maximum(x, y), X, X), "minimum": (lambda x, y: np.minimum(x, y), X, X), "multiply": (lambda a, b: np.multiply(a, b), N, N),
    "negative": (lambda x, n: np.negative(x) - np.positive(n), X, N), "power": (lambda x, n: np.power(x, n), st.floats(0.5, 2), N),
    "rad2deg": (lambda x: np.rad2deg(x) + np.degrees(x), X), "reciprocal": (lambda x: np.reciprocal(x), X), "remainder": (lambda a, b: np.remainder(a, b), N, N),
    "rint": (lambda x: np.rint(x), X), "round": (lambda x: np.round(x) + np.around(x), X), "sign": (lambda x, n: np.sign(x) + np.sign(n), X, N),
    "sin": (lambda x: np.sin(x), SMALL), "sinh": (lambda x: np.sinh(x), X), "sqrt": (lambda x: np.sqrt(x), X), "square": (lambda x: np.square(x), X),
    "subtract": (lambda a, b: np.subtract(a, b), N, N), "tan": (lambda x: np.tan(x), st.floats(-1.5, 1.5)), "tanh": (lambda x: np.tanh(x), X),
    "trunc": (lambda x: np.trunc(x), X),
    # Reductions.
    "all": (lambda v: (np.all(v), np.any(v)), INTS), "argmax": (lambda v: (np.argmax(v), np.argmin(v)), LIST),
    "count_nonzero": (lambda v: np.count_nonzero(v), INTS), "dot": (lambda v: np.dot(v, v) + np.vdot(v, v), INTS), "max": (lambda v: np.max(v) - np.amax(v), LIST),
    "mean": (lambda v: np.mean(v), INTS), "median": (lambda v: np.median(v), LIST), "min": (lambda v: np.min(v) - np.amin(v), INTS),
    "norm": (lambda v: np.linalg.norm(v), st.lists(SMALL, min_size=1, max_size=5)), "prod": (lambda v: np.prod(v), st.lists(st.integers(-5, 5), min_size=1, max_size=5)),
    "ptp": (lambda v: np.ptp(v), INTS), "size": (lambda v: np.size(v), LIST), "std": (lambda v: np.std(v), st.lists(SMALL, min_size=1, max_size=5)),
    "sum": (lambda v: np.sum(v), INTS), "var": (lambda v: np.var(v), st.lists(SMALL, min_size=1, max_size=5)),
    "of rows": (lambda m: (np.sum(m), np.max(m)), st.lists(INTS, min_size=2, max_size=2).filter(lambda m: len(m[0]) == len(m[1]))),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMPY)
def test_numpy(name: str) -> None:
    function, *strategies = NUMPY[name]
    nd.check(nd.fn(function), *strategies, examples=60)


def test_the_list_of_numpy_is_whole() -> None:
    """Each function that has a meaning is compared with NumPy's."""
    known = {*numpys.FLOATS, *numpys.TESTS, *numpys.PAIRS, *numpys.OPERATORS, *(name[3:] for name in vars(numpys) if name.startswith("np_"))}
    used: set[str] = set()
    for function, *_ in NUMPY.values():
        used.update(function.__code__.co_names)
    assert known - used == set()
    assert not set(numpys.INSTEAD) & known


def test_where_numpy_has_no_exception_nothing_falls_back() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", nd.FellBack)
        assert nd.fn(lambda v: [np.sqrt(x) for x in v])([4.0, -1.0])[0] == 2.0
        assert nd.fn(lambda v: [np.log(x) for x in v])([1.0, 0.0]) == [0.0, -math.inf]
        assert nd.fn(lambda x: np.exp(x))(1000.0) == math.inf


REFUSALS = [
    (lambda v: np.sqrt(v), r"np\.sqrt\(x\) for x in v"), (lambda v: np.add(v, v), r"np\.add\(x, y\) for x, y in zip\(a, b\)"),
    (lambda v: np.zeros(3), r"write \[0\.0\] \* n"), (lambda v: np.where(v[0] > 0, 1, 2), "a if c else b"), (lambda v: np.cumsum(v), "loop that adds up"),
    (lambda v: np.unique(v), r"sorted\(set\(v\)\)"), (lambda v: np.sort(v), "use sorted"), (lambda v: np.interp(0.5, v, v), "np.interp"),
    (lambda v: np.dot([v], v), "two lists of numbers"), (lambda v: np.reciprocal(len(v)), "1 // x"), (lambda v: np.round(v[0], 2), r"round\(x, digits\)"),
    (lambda v: math.fsum(v), "use sum"), (lambda v: math.gcd(v[0], 2), "give integers"), (lambda v: math.ldexp(1.0, v[0]), "give an int"),
]  # fmt: skip


@pytest.mark.parametrize("function, hint", REFUSALS)
def test_refusals_say_what_to_write(function: Any, hint: str) -> None:
    with pytest.raises(nd.Refused, match=hint):
        nd.fn(function)([1.5, 2.5])
