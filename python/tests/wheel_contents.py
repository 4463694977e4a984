"""The files that a wheel has to carry: `wheel_contents.py WHEEL` ends with an error where one is missing."""

from __future__ import annotations

import sys
import zipfile

# The notices, the types, and the code that is compiled by the package itself.
WANTED = [
    ".dist-info/licenses/licences/LICENSE-APACHE",
    ".dist-info/licenses/licences/LICENSE-MIT",
    ".dist-info/licenses/licences/NOTICES.txt",
    ".dist-info/licenses/licences/RUST-STANDARD-LIBRARY.html",
    "nestled/_fn/library.nesl",
    "nestled/_nestled.pyi",
    "nestled/py.typed",
]
# Crates that are linked into every wheel.
LINKED = ["libc v", "libloading v", "pyo3 v"]


def missing(path: str) -> list[str]:
    """The files that a wheel lacks, and the crates that its notices do not name."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        full = [name for name in names if wheel.getinfo(name).file_size or name.endswith("py.typed")]
        lacking = [wanted for wanted in WANTED if not any(name.endswith(wanted) for name in full)]
        texts = [wheel.read(name).decode() for name in names if name.endswith("NOTICES.txt")]
        metadata = "".join(wheel.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    lacking += [f"the notice of {crate}" for crate in LINKED if not any(crate in text for text in texts)]
    lacking += [f"`{line}` in METADATA" for line in ["License-Expression: MIT OR Apache-2.0", "License-File: licences/NOTICES.txt"] if line not in metadata]
    return lacking


if __name__ == "__main__":
    lacking = missing(sys.argv[1])
    if lacking:
        sys.exit(f"{sys.argv[1]} lacks " + ", ".join(lacking))
