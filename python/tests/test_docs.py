"""The examples of the pages in docs/: each line with a comment behind it gives the value in it; and the notebooks of the gallery run."""

from __future__ import annotations

import linecache
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from engines import chosen

import nestled
from nestled import _fn

DOCS = Path(__file__).parent.parent / "docs"
CODE = re.compile(r"```python\n(.*?)```", re.S)
EXPECTED = re.compile(r"^(\S.*?\))\s+# (.+)$")
#: The pages, and how many values each shows at least.
PAGES = {"fn.md": 14, "from-numba.md": 3, "from-numpy.md": 16, "index.md": 3, "notebook.md": 4, "performance.md": 2}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    if page == "fn.md":
        _fn.use_engine(chosen())
    elif os.environ.get("NESTLED_COMMAND"):
        pytest.skip("the command runs functions only, and these pages have arrays")
    names: dict[str, Any] = {"__name__": page}
    shown = 0
    for i, code in enumerate(CODE.findall((DOCS / page).read_text())):
        if "nd.Nested" in code and os.environ.get("NESTLED_COMMAND"):
            continue  # the command has no nested data to give
        file = f"{page}-{i}"
        lines = code.splitlines()
        for n, line in enumerate(lines):
            found = EXPECTED.match(line)
            if found and not line.startswith((" ", "#")) and " = " not in found[1]:
                lines[n] = f"shown(lambda: {found[1]}, {found[2]!r})"

        def expect(value: Any, text: str) -> None:
            nonlocal shown
            shown += 1
            if text.startswith("Refused"):
                with pytest.raises(_fn.Refused, match=re.escape(text.split(": ", 1)[1])):
                    value()
            else:
                assert repr(value()) == text

        names["shown"] = expect
        plain = "\n".join(lines) + "\n"
        linecache.cache[file] = (len(plain), None, plain.splitlines(True), file)
        exec(compile(plain, file, "exec"), names)
    assert shown >= PAGES[page]


def test_every_page_is_tested() -> None:
    """Pages with code are on the list."""
    assert {page.name for page in DOCS.glob("*.md") if CODE.search(page.read_text())} == set(PAGES)


#: Functions without types are what these pages are about; all else is strict.
UNTYPED = ["--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls", "--allow-untyped-decorators", "--disable-error-code=var-annotated"]


def test_types_of_examples(tmp_path: Path) -> None:
    """A checker of types knows all that the pages and the README use."""
    pytest.importorskip("mypy")
    for page in sorted({*PAGES, "../README.md"}):
        blocks = CODE.findall((DOCS / page).read_text())
        name = page.removesuffix(".md").strip("./").replace("-", "_").lower()
        # Blocks of the README are programs of their own.
        parts = ["\n".join(blocks)] if page in PAGES else blocks
        for number, part in enumerate(parts):
            (tmp_path / f"{name}_{number}.py").write_text(part)
    files = sorted(path.name for path in tmp_path.glob("*.py"))
    assert len(files) >= len(PAGES) + 2
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", *UNTYPED, *files], capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_gallery() -> None:
    """Each notebook runs in a kernel of its own, two at a time. What draws is left out, as that wants matplotlib: `docs/build` runs it."""
    nbformat = pytest.importorskip("nbformat", reason="the package `nbclient` is not installed, so the notebooks were not run")
    from nbclient import NotebookClient

    books = sorted((DOCS / "gallery").glob("*.ipynb"))
    assert len(books) >= 5

    def run(path: Path) -> None:
        book = nbformat.read(path, 4)
        book.cells = [cell for cell in book.cells if "plot" not in cell.metadata.get("tags", [])]
        assert any("assert" in cell.source for cell in book.cells)
        NotebookClient(book, timeout=300, kernel_name="python3").execute(cwd=str(path.parent))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, books))


def test_notebooks_have_no_results() -> None:
    """Results are made where the pages are built, and are no part of the sources."""
    for path in (DOCS / "gallery").glob("*.ipynb"):
        text = path.read_text()
        assert '"outputs": []' in text and '"output_type"' not in text, path


def test_nothing_claims_to_lie_in_cuda_memory() -> None:
    """Elements on a GPU are in buffers of the engine's own, which other libraries cannot be given: they have no address here."""
    assert not hasattr(nestled.ones(3), "__cuda_array_interface__")
    assert not hasattr(nestled.ones(3).eval(), "__cuda_array_interface__")
