"""Engines: what runs a compiled program. The native one is the extension module; the other one starts the command `nestled` and exchanges `.npz` files with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .current import Current
from .data import decode, direct, encode, from_native, to_native
from .device import as_python, is_device
from .emit import program_text
from .errors import Fault
from .program import Compiled
from .types import T, nesl_type, tuple_of


class Engine(Protocol):
    def run(self, compiled: Compiled, args: list[Any]) -> Any: ...

    def run_many(self, compiled: Compiled, calls: list[list[Any]]) -> list[Any]: ...


class NativeEngine:
    """Runs calls in this process."""

    def __init__(self) -> None:
        from .. import _nestled
        from .._errors import Fault as NativeFault

        self.make: Any = _nestled.NeslFunction
        self.fault: Any = NativeFault

    def run(self, compiled: Compiled, args: list[Any]) -> Any:
        value = self.call(compiled, args, as_python=True)
        return value if compiled.plain[1] else from_native(value, compiled.result)

    def call(self, compiled: Compiled, args: list[Any], as_python: bool) -> Any:
        """The call, whose result is made of Python's lists or stays on the device."""
        if compiled.native is None:
            types = [nesl_type(t) for t in compiled.arguments] or ["int"]
            compiled.native = self.make(program_text(compiled), compiled.entry, types, nesl_type(compiled.result))
            compiled.plain = all(map(direct, compiled.arguments)), direct(compiled.result)
        given = args
        if not compiled.plain[0] or not args:
            given = [v if is_device(v) else to_native(v, t) for v, t in zip(args, compiled.arguments)] or [0]
        try:
            return compiled.native.call(given, as_python=as_python)
        except self.fault as fault:
            raise Fault(str(fault)) from None

    def run_many(self, compiled: Compiled, calls: list[list[Any]]) -> list[Any]:
        return [self.run(compiled, args) for args in calls]


class CommandEngine:
    """Runs each call as a process of the command."""

    def __init__(self, command: str | None = None, options: tuple[str, ...] = ()) -> None:
        import shutil

        found = command or os.environ.get("NESTLED_COMMAND") or shutil.which("nestled")
        if found is None:
            raise RuntimeError("the command `nestled` is not found; NESTLED_COMMAND may name it")
        self.command, self.options = found, options

    def run(self, compiled: Compiled, args: list[Any]) -> Any:
        return self.run_many(compiled, [args])[0]

    def run_many(self, compiled: Compiled, calls: list[list[Any]]) -> list[Any]:
        """Several calls in one process; a fault of one is a fault of all."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="nestled-") as folder:
            return self._run(compiled, calls, Path(folder))

    def _run(self, compiled: Compiled, calls: list[list[Any]], folder: Path) -> list[Any]:
        import subprocess

        options: list[str] = []
        written: list[str] = []
        for i, args in enumerate(calls):
            names = [f"given_{i}_{j}" for j in range(len(args))]
            written.append(f"{compiled.entry}({', '.join(names) or '0'})")
            for name, value, ty in zip(names, args, compiled.arguments):
                np.savez(folder / f"{name}.npz", **encode(as_python(value) if is_device(value) else value, ty))
                options += ["--arg", f"{name}=@{folder / name}.npz"]
        program = folder / "program.nesl"
        program.write_text(program_text(compiled) + "\n(" + ", ".join(written) + ");\n")
        out = folder / "out.npz"
        command = [self.command, "run", str(program), *options, "-o", str(out), "--math", "strict", *self.options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0 or not out.exists():
            message = done.stderr.strip() or done.stdout.strip()
            raise Fault(message) if "[E:" in message else RuntimeError(f"the compiled program does not run:\n{message}")
        result = tuple_of(*[compiled.result] * len(calls)) if len(calls) > 1 else compiled.result
        value = read_npz(out, result)
        return list(value) if len(calls) > 1 else [value]


def read_npz(path: Path, ty: T) -> Any:
    with np.load(path) as arrays:
        return decode({name: arrays[name] for name in arrays.files}, ty)


def engine() -> Engine:
    """The engine of this process: native, where the extension module is there."""
    found: Engine | None = Current.engine
    if found is None:
        try:
            found = NativeEngine()
        except ImportError:
            found = CommandEngine()
        Current.engine = found
    return found


def use_engine(chosen: Engine) -> None:
    """Takes another engine from now on."""
    Current.engine = chosen
