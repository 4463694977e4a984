"""Elementwise functions. Operands are broadcast and promoted; numbers of Python take the type of the array."""

from __future__ import annotations

import math
from typing import Any

from . import _dtypes
from . import _nestled as _n
from ._common import as_array, cast, dtype as type_of
from ._dtypes import float64, result_type
from ._nestled import Array, Nested

__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "cos",
    "cosh", "divide", "divmod", "equal", "erf", "exp", "exp2", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot",
    "imag", "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative",
    "nextafter", "not_equal", "positive", "pow", "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin",
    "sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc",
]  # fmt: skip


def operand(x: Any) -> Any:
    """The operand as an array, nested data, or a number of Python."""
    return x if isinstance(x, (Array, Nested, bool, int, float)) else as_array(x)


def unary(name: str, x: Any) -> Any:
    """An operation of one operand."""
    x = operand(x)
    if isinstance(x, Nested):
        return _n.mapped(name, x)
    return _n.unary(name, as_array(x))


def binary(name: str, x1: Any, x2: Any) -> Any:
    """An operation of two operands."""
    found = _n.binary(name, x1, x2)
    if found is not NotImplemented:
        return found
    x1, x2 = operand(x1), operand(x2)
    if isinstance(x1, Nested) or isinstance(x2, Nested):
        from ._nested import as_nested_operand, of_one_length

        return _n.combined(name, *of_one_length(as_nested_operand(x1), as_nested_operand(x2)))
    return _n.binary(name, x1, x2)


def floating(name: str, x1: Any, x2: Any) -> Any:
    """An operation of two operands, which are floats; integers become `float64`."""
    x1, x2 = operand(x1), operand(x2)
    if not isinstance(x1, Nested) and not isinstance(x2, Nested) and result_type(x1, x2).kind != "f":
        x1, x2 = (cast(x, float64) if isinstance(x, Array) else float(x) for x in (x1, x2))
    return binary(name, x1, x2)


def _chosen(mask: Any, yes: Any, no: Any) -> Any:
    """One or the other, by a mask."""
    return _n.choose(mask, yes, no) if isinstance(mask, Nested) else _n.select(mask, yes, no)


def abs(x: Any, /) -> Any:
    """|x|."""
    return unary("abs", x)


def acos(x: Any, /) -> Any:
    """The arc cosine."""
    return unary("acos", x)


def acosh(x: Any, /) -> Any:
    """The inverse hyperbolic cosine."""
    return unary("acosh", x)


def asin(x: Any, /) -> Any:
    """The arc sine."""
    return unary("asin", x)


def asinh(x: Any, /) -> Any:
    """The inverse hyperbolic sine."""
    return unary("asinh", x)


def atan(x: Any, /) -> Any:
    """The arc tangent."""
    return unary("atan", x)


def atanh(x: Any, /) -> Any:
    """The inverse hyperbolic tangent."""
    return unary("atanh", x)


def ceil(x: Any, /) -> Any:
    """The least integer that is not less."""
    return unary("ceil", x)


def cos(x: Any, /) -> Any:
    """The cosine."""
    return unary("cos", x)


def cosh(x: Any, /) -> Any:
    """The hyperbolic cosine."""
    return unary("cosh", x)


def erf(x: Any, /) -> Any:
    """The error function."""
    return unary("erf", x)


def exp(x: Any, /) -> Any:
    """e to the power of x."""
    return unary("exp", x)


def exp2(x: Any, /) -> Any:
    """2 to the power of x."""
    return unary("exp2", x)


def expm1(x: Any, /) -> Any:
    """e to the power of x, less 1."""
    return unary("expm1", x)


def floor(x: Any, /) -> Any:
    """The greatest integer that is not greater."""
    return unary("floor", x)


def isfinite(x: Any, /) -> Any:
    """True where a number is neither infinite nor NaN."""
    return unary("isfinite", x)


def isinf(x: Any, /) -> Any:
    """True where a number is infinite."""
    return unary("isinf", x)


def isnan(x: Any, /) -> Any:
    """True where there is no number."""
    return unary("isnan", x)


def log(x: Any, /) -> Any:
    """The natural logarithm."""
    return unary("log", x)


def log10(x: Any, /) -> Any:
    """The logarithm to base 10."""
    return unary("log10", x)


def log1p(x: Any, /) -> Any:
    """The natural logarithm of 1 + x."""
    return unary("log1p", x)


def log2(x: Any, /) -> Any:
    """The logarithm to base 2."""
    return unary("log2", x)


def negative(x: Any, /) -> Any:
    """−x."""
    x = operand(x)
    if isinstance(x, Array) and type_of(x).kind == "u":
        return binary("subtract", 0, x)
    if isinstance(x, Nested):
        return binary("subtract", 0, x)
    return unary("negative", x)


def positive(x: Any, /) -> Any:
    """The numbers themselves."""
    x = operand(x)
    if isinstance(x, Array) and x._dtype == "bool":
        raise TypeError("+x is not for elements of bool: convert them by astype()")
    return x if isinstance(x, Nested) else as_array(x)


def reciprocal(x: Any, /) -> Any:
    """1 / x."""
    return unary("reciprocal", x)


def round(x: Any, /) -> Any:
    """The nearest integer, ties to even."""
    return unary("round", x)


def sign(x: Any, /) -> Any:
    """−1, 0 or 1."""
    return unary("sign", x)


def signbit(x: Any, /) -> Any:
    """True where the sign is negative, that of −0 too. The sign of a NaN counts as positive."""
    return unary("signbit", x)


def sin(x: Any, /) -> Any:
    """The sine."""
    return unary("sin", x)


def sinh(x: Any, /) -> Any:
    """The hyperbolic sine."""
    return unary("sinh", x)


def sqrt(x: Any, /) -> Any:
    """The square root."""
    return unary("sqrt", x)


def square(x: Any, /) -> Any:
    """x · x."""
    return unary("square", x)


def tan(x: Any, /) -> Any:
    """The tangent."""
    return unary("tan", x)


def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent."""
    return unary("tanh", x)


def trunc(x: Any, /) -> Any:
    """The nearest integer toward 0."""
    return unary("trunc", x)


def bitwise_invert(x: Any, /) -> Any:
    """Not, bit by bit."""
    return unary("invert", x)


def logical_not(x: Any, /) -> Any:
    """Not, of booleans; a number is true unless it is 0."""
    return unary("invert", _truth(x))


def real(x: Any, /) -> Any:
    """The numbers themselves, which are real."""
    return positive(x)


def conj(x: Any, /) -> Any:
    """The numbers themselves, which are real."""
    return positive(x)


def imag(x: Any, /) -> Any:
    """Complex numbers are not there."""
    raise NotImplementedError("arrays have no complex numbers: keep real and imaginary parts as two arrays")


def add(x1: Any, x2: Any, /) -> Any:
    """x₁ + x₂."""
    return binary("add", x1, x2)


def atan2(x1: Any, x2: Any, /) -> Any:
    """The angle of the point (x₂, x₁)."""
    return floating("atan2", x1, x2)


def bitwise_and(x1: Any, x2: Any, /) -> Any:
    """And, bit by bit."""
    return binary("bitwise_and", x1, x2)


def bitwise_or(x1: Any, x2: Any, /) -> Any:
    """Or, bit by bit."""
    return binary("bitwise_or", x1, x2)


def bitwise_xor(x1: Any, x2: Any, /) -> Any:
    """Exclusive or, bit by bit."""
    return binary("bitwise_xor", x1, x2)


def _shift(name: str, x1: Any, x2: Any, beyond: Any) -> Any:
    """A shift; by the width of the type or more nothing of the number is left."""
    x1, x2 = operand(x1), operand(x2)
    bits = 8 * result_type(x1, x2).itemsize
    inside = binary("bitwise_and", binary("less", x2, bits), binary("greater_equal", x2, 0))
    if isinstance(inside, Array) and inside.ndim == 0 and isinstance(x2, int):
        return binary(name, x1, x2) if 0 <= x2 < bits else binary("multiply", beyond, 1)
    return _chosen(inside, binary(name, x1, x2), beyond)


def bitwise_left_shift(x1: Any, x2: Any, /) -> Any:
    """x₁ · 2^x₂, with wrap-around."""
    return _shift("bitwise_left_shift", x1, x2, binary("multiply", operand(x1), 0))


def bitwise_right_shift(x1: Any, x2: Any, /) -> Any:
    """x₁ / 2^x₂, rounded down."""
    x1, x2 = operand(x1), operand(x2)
    of = result_type(x1, x2)
    one = x1 if isinstance(x1, Array) else _n.full([], x1, of.name)
    return _shift("bitwise_right_shift", x1, x2, _n.select(binary("less", one, 0), *_minus_one(of)))


def _minus_one(of: _dtypes.DType) -> tuple[Array, Array]:
    zero = _n.full([], 0, of.name)
    return (zero if of.kind == "u" else _n.full([], -1, of.name), zero)


def copysign(x1: Any, x2: Any, /) -> Any:
    """The magnitude of x₁ with the sign of x₂."""
    return floating("copysign", x1, x2)


def divide(x1: Any, x2: Any, /) -> Any:
    """x₁ / x₂; that of integers is `float64`."""
    return binary("divide", x1, x2)


def equal(x1: Any, x2: Any, /) -> Any:
    """True where elements are equal."""
    return binary("equal", x1, x2)


def divmod(x1: Any, x2: Any, /) -> tuple[Any, Any]:
    """The floor of the quotient, and the remainder, which has the divisor's sign."""
    return floor_divide(x1, x2), remainder(x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """x₁ / x₂, rounded down."""
    return binary("floor_divide", x1, x2)


def greater(x1: Any, x2: Any, /) -> Any:
    """True where x₁ > x₂."""
    return binary("greater", x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> Any:
    """True where x₁ ≥ x₂."""
    return binary("greater_equal", x1, x2)


def less(x1: Any, x2: Any, /) -> Any:
    """True where x₁ < x₂."""
    return binary("less", x1, x2)


def less_equal(x1: Any, x2: Any, /) -> Any:
    """True where x₁ ≤ x₂."""
    return binary("less_equal", x1, x2)


def maximum(x1: Any, x2: Any, /) -> Any:
    """The greater of each two elements."""
    return binary("maximum", x1, x2)


def minimum(x1: Any, x2: Any, /) -> Any:
    """The lesser of each two elements."""
    return binary("minimum", x1, x2)


def multiply(x1: Any, x2: Any, /) -> Any:
    """x₁ · x₂."""
    return binary("multiply", x1, x2)


def not_equal(x1: Any, x2: Any, /) -> Any:
    """True where elements differ."""
    return binary("not_equal", x1, x2)


def pow(x1: Any, x2: Any, /) -> Any:
    """x₁ to the power of x₂."""
    if isinstance(x2, int) and x2 < 0 and isinstance(x1, Array) and type_of(x1).kind in "iu":
        raise ValueError("an integer to a negative power is no integer: convert it by astype() first")
    if isinstance(x2, (int, float)) and x2 == 2 and isinstance(x1, Array) and type_of(x1).kind == "f":
        return binary("multiply", x1, x1)
    return binary("pow", x1, x2)


def remainder(x1: Any, x2: Any, /) -> Any:
    """The remainder of x₁ by x₂, with the sign of x₂."""
    return binary("remainder", x1, x2)


def subtract(x1: Any, x2: Any, /) -> Any:
    """x₁ − x₂."""
    return binary("subtract", x1, x2)


def _truth(x: Any) -> Any:
    x = operand(x)
    if isinstance(x, bool) or (isinstance(x, Array) and x._dtype == "bool"):
        return as_array(x)
    return binary("not_equal", x, 0)


def logical_and(x1: Any, x2: Any, /) -> Any:
    """And, of booleans; a number is true unless it is 0."""
    return binary("bitwise_and", _truth(x1), _truth(x2))


def logical_or(x1: Any, x2: Any, /) -> Any:
    """Or, of booleans; a number is true unless it is 0."""
    return binary("bitwise_or", _truth(x1), _truth(x2))


def logical_xor(x1: Any, x2: Any, /) -> Any:
    """Exclusive or, of booleans; a number is true unless it is 0."""
    return binary("bitwise_xor", _truth(x1), _truth(x2))


def hypot(x1: Any, x2: Any, /) -> Any:
    """√(x₁² + x₂²), without overflow between."""
    one, other = abs(x1), abs(x2)
    most, least = floating("maximum", one, other), floating("minimum", one, other)
    ratio = binary("divide", least, most)
    long = binary("multiply", most, sqrt(binary("add", square(ratio), 1.0)))
    # Nothing is 0 / 0, and infinite is infinite, whatever the other is.
    plain = binary("bitwise_or", equal(most, 0.0), equal(ratio, 0.0))
    found = _chosen(plain, most, long)
    endless = binary("bitwise_or", isinf(one), isinf(other))
    return _chosen(endless, math.inf, found)


def logaddexp(x1: Any, x2: Any, /) -> Any:
    """log(exp(x₁) + exp(x₂))."""
    most, least = floating("maximum", x1, x2), floating("minimum", x1, x2)
    found = binary("add", most, log1p(exp(binary("subtract", least, most))))
    # Both are infinite, and the same.
    return _chosen(binary("bitwise_and", isinf(most), equal(most, least)), most, found)


def nextafter(x1: Any, x2: Any, /) -> Any:
    """Is not there."""
    raise NotImplementedError("nextafter() is not there: numpy.nextafter(numpy.asarray(x1), x2) computes it on the host")


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The numbers, or the nearest bound. NaN stays."""
    x = operand(x)
    if isinstance(x, Nested):
        x = x if min is None else maximum(x, min)
        return x if max is None else minimum(x, max)
    of = type_of(as_array(x))
    for name, bound in (("maximum", min), ("minimum", max)):
        if bound is not None:
            bound = operand(bound)
            x = binary(name, x, cast(bound, of) if isinstance(bound, Array) else bound)
    return as_array(x)
