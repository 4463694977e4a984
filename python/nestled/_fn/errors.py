"""Refusals: the place in the Python source, the reason, and what to write instead.

A function either means exactly what Python means, or is refused; there is no third outcome.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line and a column of a file, with the text of the line."""

    file: str
    line: int
    column: int
    text: str


class Fault(Exception):
    """Raised when a program stops: the message that NESL gives."""


class Refused(TypeError):
    """Raised when a function, or a call of it, has no exact meaning in NESL.

    `reason` is a short phrase by which refusals are counted, `hint` says what to write instead.
    """

    def __init__(self, reason: str, hint: str = "", place: Place | None = None) -> None:
        self.reason, self.hint, self.place = reason, hint, place
        super().__init__(self.report())

    def report(self) -> str:
        """The message as it is shown, with a caret below the place."""
        out = self.reason
        if self.place is not None:
            p = self.place
            stripped = p.text.lstrip()
            column = max(p.column - (len(p.text) - len(stripped)), 0)
            out = f"{p.file}:{p.line}:{p.column + 1}: {out}\n    {stripped}\n    {' ' * column}^"
        return out + (f"\n  instead: {self.hint}" if self.hint else "")

    def at(self, place: Place) -> Refused:
        """The same refusal with a place, unless it has one."""
        return self if self.place is not None else Refused(self.reason, self.hint, place)


class Unknown(Exception):
    """Raised where a recursive call's type is not known yet; it never leaves the compiler."""


class Overflow(OverflowError):
    """Raised when an integer of a call leaves 64 bits: Python's would grow, ours are refused, not wrapped."""


class FellBack(UserWarning):
    """Warns that a call was answered by the undecorated function, since the compiled one met what only Python decides."""
