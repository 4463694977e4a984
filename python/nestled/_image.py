"""Images: arrays of two axes, or three with channels, as PNG pictures that notebooks show and files keep."""

from __future__ import annotations

import os
from typing import Any

from ._common import as_array, cast
from ._dtypes import float64, uint8
from ._elementwise import clip, isnan, round
from ._nestled import Array
from ._searching import where

#: Kinds of pixels in PNG's words, by the number of channels: gray, gray and alpha, colours, colours and alpha.
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def _bytes_of(x: Array, low: float | None, high: float | None) -> Array:
    """Values from `low` to `high` as numbers from 0 to 255; what is no number is black."""
    if x._dtype == "bool":
        return cast(x, uint8) * 255
    if x._dtype == "uint8" and low is None and high is None:
        return x
    x = cast(x, float64)
    if x.size == 0:
        return cast(x, uint8)
    known = where(isnan(x), float("inf"), x)
    least = known.min().item() if low is None else float(low)
    known = where(isnan(x), float("-inf"), x)
    most = known.max().item() if high is None else float(high)
    # One value everywhere is black, and infinite ends leave the colours to what is finite.
    scale = 255.0 / (most - least) if most > least and most - least < float("inf") else 0.0
    scaled = round(clip((x - least) * scale, 0.0, 255.0))
    return cast(where(isnan(scaled), 0.0, scaled), uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    import zlib

    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(pixels: Any) -> bytes:
    """The PNG file of pixels, an array of NumPy's of bytes with the axes rows, columns, channels."""
    import struct
    import zlib

    import numpy

    rows, columns, channels = pixels.shape
    # Each row begins with the number of its filter: none.
    lines = numpy.zeros((rows, 1 + columns * channels), numpy.uint8)
    lines[:, 1:] = pixels.reshape(rows, columns * channels)
    head = struct.pack(">IIBBBBB", columns, rows, 8, _KINDS[channels], 0, 0, 0)
    parts = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


class Image:
    """A picture, which notebooks show."""

    def __init__(self, data: bytes, width: int, height: int) -> None:
        #: The PNG file.
        self.png = data
        self.width, self.height = width, height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<image of {self.width} × {self.height} pixels>"


def image(x: Any, /, *, low: float | None = None, high: float | None = None, zoom: int = 1) -> Image:
    """An array as a picture: rows from the top, values from `low` (black) to `high` (white), which are the least and the greatest unless they are said.

    Arrays of three axes have channels in the last one: gray, gray and alpha, colours, or colours and alpha. Bytes are taken as they are, and so are colours in floats
    from 0 to 1. A pixel is `zoom` pixels wide and high.
    """
    x = as_array(x)
    if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] not in _KINDS):
        raise ValueError(f"a picture has rows and columns, and 1 to 4 channels perhaps: not the shape {x.shape}")
    if 0 in x.shape:
        raise ValueError(f"a picture has at least one pixel: not the shape {x.shape}")
    if zoom < 1:
        raise ValueError(f"a pixel is at least one pixel wide, not {zoom}")
    if x.ndim == 3 and x._dtype.startswith("float"):
        low, high = 0.0 if low is None else low, 1.0 if high is None else high
    pixels = _bytes_of(x, low, high).numpy()
    pixels = pixels.reshape(*x.shape[:2], -1).repeat(zoom, axis=0).repeat(zoom, axis=1)
    return Image(png(pixels), pixels.shape[1], pixels.shape[0])
