"""The engine of the tests of `nd.fn`: the extension module, or the command where `NESTLED_COMMAND` names one, with the device of `NESTLED_TEST_DEVICE`."""

from __future__ import annotations

import os

from nestled._fn import CommandEngine, Engine, NativeEngine


def chosen() -> Engine:
    command = os.environ.get("NESTLED_COMMAND")
    if command is None:
        return NativeEngine()
    return CommandEngine(command, ("--device", os.environ.get("NESTLED_TEST_DEVICE", "core")))
