"""The exceptions of the package. Each is also one of Python's own, which names the kind."""


class Error(Exception):
    """Any error of the package."""


class ShapeError(Error, ValueError):
    """Shapes do not go together, or an argument makes no sense."""


class NeslError(Error, ValueError):
    """A text in NESL is wrong; the message has the line."""


class Fault(Error, RuntimeError):
    """A value was computed that must not be, such as an index out of range."""


class OutOfMemory(Error, MemoryError):
    """The device has not enough memory. Arrays that were computed stay valid."""


class Cancelled(Error, RuntimeError):
    """A computation was cancelled, or its deadline has passed."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class DeviceError(Error, RuntimeError):
    """A device cannot do it, does not exist, or is lost."""
