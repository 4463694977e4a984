"""The examples of docs/fn.md: each line with a comment gives the value in it."""

from __future__ import annotations

import linecache
import os
import re
from pathlib import Path
from typing import Any

import pytest
from engines import chosen

from nestled import _fn as nd

PAGE = Path(__file__).parent.parent / "docs" / "fn.md"
CODE = re.compile(r"```python\n(.*?)```", re.S)
EXPECTED = re.compile(r"^(\S.*?\))\s+# (.+)$")


def test_examples() -> None:
    nd.use_engine(chosen())
    names: dict[str, Any] = {"__name__": "fn"}
    shown = 0
    for i, code in enumerate(CODE.findall(PAGE.read_text())):
        if "nd.Nested" in code and os.environ.get("NESTLED_COMMAND"):
            continue  # the command has no nested data to give
        file = f"fn.md-{i}"
        lines = code.splitlines()
        for n, line in enumerate(lines):
            found = EXPECTED.match(line)
            if found and not line.startswith((" ", "#")):
                lines[n] = f"shown(lambda: {found[1]}, {found[2]!r})"

        def expect(value: Any, text: str) -> None:
            nonlocal shown
            shown += 1
            if text.startswith("Refused"):
                with pytest.raises(nd.Refused, match=re.escape(text.split(": ", 1)[1])):
                    value()
            else:
                assert repr(value()) == text

        names["shown"] = expect
        plain = "\n".join(lines) + "\n"
        linecache.cache[file] = (len(plain), None, plain.splitlines(True), file)
        exec(compile(plain, file, "exec"), names)
    assert shown >= 14
