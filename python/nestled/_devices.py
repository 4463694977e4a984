"""Devices and engines: what computes."""

from __future__ import annotations

import os
from typing import Any

from . import _nestled as _n
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
    """The name of the device that computes here."""
    name = os.environ.get("NESTLED_DEVICE") or "cpu"
    return name


def check(device: object) -> None:
    """Refuses what is no device of this machine."""
    name = str(device)
    if name not in ("cpu", current()) and name not in devices():
        raise ValueError(f"{name} is no device here: one is {', '.join(devices())}")


def evaluate(*arrays: Any) -> None:
    """Computes arrays together: what they share is computed once."""
    _n.evaluate([x for x in arrays if isinstance(x, Array)])


def explain(x: Array) -> str:
    """Says how an array is computed: its nodes, its kernels, their code."""
    return _n.explain(x)
