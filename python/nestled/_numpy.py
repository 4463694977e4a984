"""Functions of NumPy's that are given our arrays: they are ours then."""

from __future__ import annotations

from typing import Any

from . import _nestled as _n

#: NumPy's names of functions for which the standard has others.
_OTHER_NAMES = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "concatenate": "concat",
    "conjugate": "conj", "cumprod": "cumulative_prod", "cumsum": "cumulative_sum", "fabs": "abs", "float_power": "pow",
    "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "mod": "remainder", "power": "pow",
    "right_shift": "bitwise_right_shift", "rint": "round", "transpose": "permute_dims", "true_divide": "divide",
}  # fmt: skip
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
    "bitwise_and": "all", "bitwise_or": "any",
}  # fmt: skip


def _ours(name: str) -> Any:
    import nestled

    found = getattr(nestled, _OTHER_NAMES.get(name, name), None)
    if found is None or not callable(found):
        raise NotImplementedError(
            f"numpy.{name} is not there for nestled's arrays: numpy.asarray(x) gives their elements to NumPy"
        )
    return found


def of_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a ufunc, or of a reduction or prefixes by one."""
    out = options.pop("out", None)
    options = {name: value for name, value in options.items() if value is not None and name not in ("casting", "order", "subok")}
    name = ufunc.__name__
    if method == "reduce":
        options.pop("initial", None)
        made = _ours(_REDUCTIONS.get(name, f"{name}.reduce"))(*inputs[:1], axis=options.pop("axis", 0), **options)
    elif method == "accumulate":
        known = {"add": "cumulative_sum", "multiply": "cumulative_prod", "maximum": "cumulative_max", "minimum": "cumulative_min"}
        made = _ours(known.get(name, f"{name}.accumulate"))(*inputs[:1], axis=options.pop("axis", 0))
    elif method == "__call__":
        of = options.pop("dtype", None)
        made = _ours(name)(*inputs, **options)
        made = made if of is None else made.astype(of)
    else:
        return NotImplemented
    return made if out is None else _stored(made, out)


def _stored(made: Any, out: Any) -> Any:
    """Writes a result where the caller wants it, which has to be an array of NumPy's."""
    import numpy

    target = out[0] if isinstance(out, tuple) else out
    if isinstance(target, _n.Array):
        raise TypeError("arrays of nestled never change: out= takes an array of NumPy's")
    numpy.copyto(target, numpy.asarray(made), casting="same_kind")
    return target


def of_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a function of NumPy's that is no ufunc."""
    name = function.__name__
    options = {key: value for key, value in options.items() if value is not None}
    out = options.pop("out", None)
    if name in ("shape", "size", "ndim"):
        return getattr(args[0], name)
    if name == "array_equal":
        one, other = args[0], args[1]
        return one.shape == other.shape and bool((one == other).all())
    if name in ("concatenate", "stack", "transpose", "sum", "mean", "max", "min", "amax", "amin", "prod", "all", "any", "std",
                "var", "argmax", "argmin", "cumsum", "cumprod", "sort", "argsort", "expand_dims", "flip"):  # fmt: skip
        args, options = _by_name(name, args, options)
    made = _ours(name)(*args, **options)
    return made if out is None else _stored(made, out)


def _by_name(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The second argument as the axis, where NumPy takes it by place."""
    options = dict(options)
    if "ddof" in options:
        options["correction"] = options.pop("ddof")
    if name == "transpose":
        axes = args[1] if len(args) > 1 else options.pop("axes", None)
        return (args[0], tuple(axes) if axes is not None else tuple(range(args[0].ndim))[::-1]), options
    if len(args) > 1:
        options["axis"] = args[1]
    if name in ("cumsum", "cumprod") and options.get("axis") is None:
        options.pop("axis", None)
        return (args[0].reshape(-1), *args[2:]), options
    return args[:1], options
