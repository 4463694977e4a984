"""Nested data-parallel programs at the speed of hand-written kernels.

Arrays are lazy: an operation computes nothing until somebody asks for elements, and then the graph becomes a few kernels. The names are those of the array API
standard (2024.12). `Nested` has lists of any lengths, records and missing values, with the names of Awkward Array. `nesl` and `NeslFunction` are functions in NESL.
"""

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
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._devices import Engine, device, devices, evaluate, explain
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
from ._errors import Cancelled, DeviceError, Error, Fault, FileError, NeslError, OutOfMemory, ShapeError
from ._linalg import matmul, matrix_transpose, outer, tensordot, vecdot
from ._manipulation import (
    astype,
    broadcast_arrays,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from ._array import Array
from ._indexing import take, take_along_axis
from ._namespace import __array_api_version__, __array_namespace_info__, e, inf, nan, newaxis, pi
from ._nesl import NeslFunction, nesl
from ._nested import Nested
from ._searching import (
    argmax,
    argmin,
    argsort,
    bincount,
    count_nonzero,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from ._statistics import all, any, cumulative_prod, cumulative_sum, diff, max, mean, min, prod, std, sum, var
from ._nestled import __version__
from . import random
