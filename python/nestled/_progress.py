"""Progress of long work, shown in notebooks and on terminals: of iterations with their counts, of everything else with the time and the kernels that were compiled."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, TextIO

from . import _nestled as _n
from ._nestled import Nested
from ._tables import Scan

#: Seconds: work that takes less is not told of, and what is told of is brought up to date so often.
PATIENCE, PERIOD = 0.5, 0.2


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


class progress:
    """Shows how far work has come.

    >>> for piece in progress(Scan("events.parquet")):   # a bar, by rows
    ...     total += piece.met.sum()
    >>> with progress("fit"):                            # time, and kernels that are compiled
    ...     y.eval()
    """

    def __init__(self, work: Iterable[Any] | str | None = None, *, total: int | None = None, file: TextIO | None = None) -> None:
        """`work` is a scan, or whatever is iterated over, or the name of what a block does. `total` is the number of rows or elements, where the work does not tell it."""
        self._work = work
        self._name = work if isinstance(work, str) else ""
        if total is None:
            total = work.row_count if isinstance(work, Scan) else len(work) if isinstance(work, Sized) and not isinstance(work, str) else None
        self._total = total
        #: Rows, or elements, so far.
        self.done = 0
        self._shown = _Shown(file)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def _kernels(self) -> int:
        return _n.counts()[2] - self._before

    def line(self) -> str:
        """The line as it is now."""
        took = time.monotonic() - self._begun
        parts = [self._name] if self._name else []
        if self._total:
            part = min(1.0, self.done / self._total)
            full = int(24 * part)
            parts.append(f"{'█' * full}{'░' * (24 - full)} {100 * part:3.0f} %")
        if self._total is not None or not isinstance(self._work, (str, type(None))):
            of = "" if self._total is None else f" of {self._total:_}"
            parts.append(f"{self.done:_}{of}".replace("_", " "))
        left = "" if not self._total or not self.done else f", {_clock(took * max(0, self._total - self.done) / self.done)} left"
        parts.append(_clock(took) + left)
        kernels = self._kernels()
        if kernels:
            parts.append("1 kernel compiled" if kernels == 1 else f"{kernels} kernels compiled")
        return "  ".join(parts)

    def _tell(self) -> None:
        wait = PATIENCE
        while not self._ended.wait(wait):
            self._shown.show(self.line())
            wait = PERIOD

    def __enter__(self) -> progress:
        self._begun, self._before = time.monotonic(), _n.counts()[2]
        self._ended.clear()
        if self._shown.is_there:
            import contextvars

            # Notebooks know by its context which cell a thread belongs to.
            run = contextvars.copy_context().run
            self._thread = threading.Thread(target=lambda: run(self._tell), name="nestled-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._shown.end(self.line())

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._work, (str, type(None))):
            raise TypeError("a block's progress is not iterated over: give progress() what to go through")
        with self:
            for one in self._work:
                yield one
                self.done += len(one) if isinstance(self._work, Scan) and isinstance(one, Nested) else 1


class _Shown:
    """Where a line is shown and then shown anew: the output of a notebook's cell, a terminal, or a file that was named."""

    def __init__(self, file: TextIO | None) -> None:
        self._notebook = file is None and _is_notebook()
        self._file = sys.stderr if file is None else file
        self.is_there = self._notebook or file is not None or (self._file is not None and self._file.isatty())
        self._handle: Any = None
        self._width = 0

    def show(self, line: str) -> None:
        if self._notebook:
            from IPython.display import Pretty, display  # type: ignore[import-not-found,unused-ignore]

            if self._handle is None:
                self._handle = display(Pretty(line), display_id=True)  # type: ignore[no-untyped-call,unused-ignore]
            else:
                self._handle.update(Pretty(line))  # type: ignore[no-untyped-call,unused-ignore]
            return
        self._file.write("\r" + line.ljust(self._width))
        self._file.flush()
        self._width = len(line)

    def end(self, line: str) -> None:
        """The last line stays, where there was one before."""
        if self._handle is not None or self._width:
            self.show(line)
            if not self._notebook:
                self._file.write("\n")
                self._file.flush()


def _is_notebook() -> bool:
    """True in cells of a notebook, not in IPython on a terminal."""
    # Nobody else brings it along.
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None and hasattr(found, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")
