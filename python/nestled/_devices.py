"""Devices and engines: what computes."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

from . import _nestled as _n
from ._explained import Explanation
from ._nestled import Array, Engine


def devices() -> list[str]:
    """The devices of this machine, the CPU first, by the names that `Engine` and `NESTLED_DEVICE` take."""
    return _n.devices()


def threads() -> int:
    """The number of threads of the CPU that an engine takes unless it is told: `NESTLED_THREADS`, or else `OMP_NUM_THREADS`, or else all cores of this process."""
    return _n.threads()


def device(name: str) -> Engine:
    """An engine on a device: `with nd.device("cuda:0"):` computes there."""
    return Engine(name)


def current() -> str:
    """The name of the device that computes here: that of the engine of `with`, or the default."""
    return _n.chosen_device() or os.environ.get("NESTLED_DEVICE") or "cpu"


def set_default_device(name: str | None) -> None:
    """Lets another device compute, in all threads, wherever `with` says nothing else; `None` is the first one again: `NESTLED_DEVICE`, or the CPU."""
    _n.set_default_engine(None if name is None else _engine(name))


@functools.cache
def _engine(name: str) -> Engine:
    """One engine for each device, so that a default that changes to and fro finds its kernels again."""
    return Engine(name)


def move(arrays: Sequence[Array], device: object) -> None:
    """Computes arrays on a device, where they then lie; arrays that are there already are brought when they are next used there."""
    check(device)
    if str(device) != current():
        with _engine(str(device)):
            _n.evaluate(arrays)


def check(device: object) -> None:
    """Refuses what is no device of this machine."""
    name = str(device)
    if name not in ("cpu", current()) and name not in devices():
        raise ValueError(f"{name} is no device here: one is {', '.join(devices())}")


def evaluate(*arrays: Any) -> None:
    """Computes arrays together: what they share is computed once."""
    _n.evaluate([x for x in arrays if isinstance(x, Array)])


def explain(*arrays: Array) -> Explanation:
    """Says how arrays are computed together: their nodes, their kernels, the code of these; notebooks show the kernels as a picture."""
    return Explanation.of(_n.explain(arrays))
