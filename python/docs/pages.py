"""Writes the pages of the site to a folder: those here as they are, and the notebooks with their results. `docs/build` runs it."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

HERE = Path(__file__).parent
OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)([^)]+)\)")


def inside(text: str) -> str:
    """Links out of this folder name the file in the repository; those to notebooks lead to their pages."""
    text = OUTSIDE.sub(lambda found: f"{found[1]} (`{'python/' if found[2] == '../' else ''}{found[3]}` in the repository)", text)
    return text.replace(".ipynb)", ".md)")


def of_notebook(path: Path, to: Path) -> None:
    book = nbformat.read(path, 4)
    NotebookClient(book, timeout=600, kernel_name="python3").execute(cwd=str(path.parent))
    text, more = MarkdownExporter().from_notebook_node(book, {"output_files_dir": path.stem, "unique_key": path.stem})
    (to / f"{path.stem}.md").write_text(text)
    for name, data in more["outputs"].items():
        (to / name).parent.mkdir(exist_ok=True)
        (to / name).write_bytes(data)


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "gallery").mkdir(parents=True)
    for page in HERE.glob("*.md"):
        (folder / page.name).write_text(inside(page.read_text()))
    shutil.copy(HERE / "site.css", folder)
    for book in sorted((HERE / "gallery").glob("*.ipynb")):
        of_notebook(book, folder / "gallery")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
