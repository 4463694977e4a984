"""The constants of the standard, and what it asks of a namespace."""

from __future__ import annotations

import math
from typing import Any

from . import _dtypes
from ._dtypes import DType, isdtype

__array_api_version__ = "2024.12"

e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi


class Info:
    """The capabilities of the namespace, as the standard asks for them."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing and results whose shape is data are there; arrays have eight axes at most."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> str:
        """The device that computes if nobody says which."""
        from ._devices import current

        return current()

    def devices(self) -> list[str]:
        """The devices of this machine."""
        from ._devices import devices

        return devices()

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """The types of numbers whose type nobody says. Complex numbers are not there."""
        return {"real floating": _dtypes.float64, "integral": _dtypes.int64, "indexing": _dtypes.int64}

    def dtypes(self, *, device: object = None, kind: Any = None) -> dict[str, DType]:
        """The types of elements."""
        standard = [dtype for dtype in _dtypes.ALL if dtype.name != "float16"]
        return {dtype.name: dtype for dtype in standard if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> Info:
    """Capabilities of the namespace."""
    return Info()
