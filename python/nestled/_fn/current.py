"""The engine that runs functions in this process."""

from __future__ import annotations

from typing import Any


class Current:
    """Holds it; None before it is first wanted."""

    engine: Any = None
