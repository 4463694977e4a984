"""Nested data-parallel programs at the speed of hand-written kernels.

Arrays are lazy: an operation computes nothing until somebody asks for elements, and then the graph becomes a few kernels. The names are those of the array API
standard (2024.12). `Nested` has lists of any lengths, records and missing values, with the names of Awkward Array. `nesl` and `NeslFunction` are functions in NESL.
"""

from typing import TYPE_CHECKING

from ._creation import (
    arange,
    array,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    indices,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._devices import device, devices, evaluate, explain, set_default_device, threads
from ._dtypes import (
    DType,
    bool,
    can_cast,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._elementwise import *  # noqa: F403
from ._fn import FellBack, Overflow, Refused, check, fn, row
from ._explained import Explanation
from ._errors import Cancelled, DeviceError, Error, Fault, FileError, NeslError, OutOfMemory, ShapeError
from ._jit import jit
from ._loops import while_loop
from ._einsum import einsum
from ._histograms import digitize, histogram, histogram2d, histogram_bin_edges, interp
from ._linalg import matmul, matrix_transpose, outer, tensordot, vecdot
from ._manipulation import (
    astype,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    shift,
    squeeze,
    stack,
    tile,
    unstack,
)
from . import _array, _nested
from ._indexing import gather, take, take_along_axis
from ._nan import (
    allclose,
    array_equal,
    average,
    corrcoef,
    cov,
    isclose,
    nan_to_num,
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    ptp,
)
from ._namespace import __array_api_version__, __array_namespace_info__, e, inf, nan, newaxis, pi
from ._image import Image, image
from ._nesl import Drawing, NeslRun, nesl, run_nesl
from ._nestled import Array, Engine, Nested, NeslFunction, __version__
from ._progress import progress
from ._ranks import (
    TopK,
    argpartition,
    median,
    nanmedian,
    nanpercentile,
    nanquantile,
    partition,
    percentile,
    quantile,
    top_k,
)
from ._searching import (
    argmax,
    argmin,
    argsort,
    bincount,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from ._sets import Groups, group_by, intersect1d, setdiff1d, setxor1d, union1d, unique
from ._statistics import all, any, cumulative_max, cumulative_min, cumulative_prod, cumulative_sum, diff, max, mean, min, prod, std, sum, var
from ._tables import Scan
from . import fft, linalg, random, str


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext nestled`: cells that begin with `%%nesl` are programs in NESL."""
    from ._notebook import load_ipython_extension as load

    load(ipython)


# Checkers of types are to refuse what is not there.
if not TYPE_CHECKING:

    def __getattr__(name):
        """Says of what NumPy has and we have not what to do instead."""
        if not name.startswith("_"):
            import numpy

            if hasattr(numpy, name):
                raise AttributeError(f"nestled has no {name}: numpy.asarray(x) gives the elements to numpy.{name}")
        raise AttributeError(f"nestled has no {name}")


__all__ = [
    "Array", "Cancelled", "DType", "DeviceError", "Engine", "Error", "Fault", "FileError", "NeslError",
    "NeslFunction", "Nested", "OutOfMemory", "Scan", "ShapeError", "__array_api_version__", "__array_namespace_info__",
    "__version__", "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "array",
    "asarray", "asin", "asinh", "astype", "atan", "atan2", "atanh", "bincount", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bool", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "ceil", "clip", "concat", "conj", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "device", "devices", "diff", "divide", "divmod", "e", "empty", "empty_like", "equal",
    "erf", "evaluate", "exp", "exp2", "expand_dims", "explain", "expm1", "eye", "finfo", "flip", "float16",
    "float32", "float64", "floor", "floor_divide", "from_dlpack", "from_numpy", "full", "full_like", "greater",
    "greater_equal", "hypot", "iinfo", "imag", "inf", "int16", "int32", "int64", "int8", "isdtype", "isfinite", "isin",
    "isinf", "isnan", "less", "less_equal", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "meshgrid",
    "min", "minimum", "moveaxis", "multiply", "nan", "negative", "nesl", "newaxis", "nextafter", "nonzero",
    "not_equal", "ones", "ones_like", "outer", "permute_dims", "pi", "positive", "pow", "prod", "random", "real",
    "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sign",
    "signbit", "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "take",
    "take_along_axis", "tan", "tanh", "tensordot", "threads", "tile", "tril", "triu", "trunc", "uint16", "uint32", "uint64",
    "uint8", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "var", "vecdot", "where",
    "zeros", "zeros_like",
]  # fmt: skip
__all__ += ["Drawing", "Explanation", "Image", "NeslRun", "image", "progress", "row", "run_nesl", "set_default_device"]
__all__ += ["FellBack", "Overflow", "Refused", "check", "fn", "jit"]
__all__ += [
    "Groups", "TopK", "allclose", "argpartition", "array_equal", "average", "corrcoef", "cov", "cumulative_max", "cumulative_min",
    "digitize", "einsum", "fft", "gather", "group_by", "histogram", "histogram2d", "histogram_bin_edges", "indices", "interp", "intersect1d",
    "isclose", "linalg", "median", "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean",
    "nanmedian", "nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "partition",
    "percentile", "ptp", "quantile", "setdiff1d", "setxor1d", "shift", "top_k", "union1d",
    "unique", "while_loop",
]  # fmt: skip
