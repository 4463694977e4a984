"""Sparse matrices, tables for notebooks, and cells in NESL."""

import threading

import numpy as np
import pytest

import nestled as nd
from nestled import Nested


def test_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 2.5, 0], [0, 0, 0], [1.5, 0, -3.0]])
    for matrix in (sparse.csr_array(dense), sparse.coo_array(dense), sparse.csc_matrix(dense)):
        rows = Nested.from_scipy(matrix)
        assert rows.to_list() == [[(1, 2.5)], [], [(0, 1.5), (2, -3.0)]]
        assert (rows.to_scipy(3).toarray() == dense).all()
    assert rows.to_scipy().shape == (3, 3) and rows[:2].to_scipy().shape == (2, 2)
    x = nd.asarray([1.0, 2.0, 3.0])
    products = rows["1"] * Nested.from_array(x)[rows["0"].flatten()].unflatten(rows.num())
    assert products.sum(axis=-1).to_list() == (dense @ [1.0, 2.0, 3.0]).tolist()
    with pytest.raises(ValueError, match="sparse"):
        Nested.from_iter([[1.5]]).to_scipy()


def test_tables():
    events = Nested.from_iter([{"met": 1.5, "name": "<b>"}, {"met": 2.5, "name": "µ"}])
    assert "<th>met</th>" in events._repr_html_() and "&lt;b&gt;" in events._repr_html_()
    assert "2 * {met: float64, name: string}" in events._repr_html_()
    long = Nested.from_iter(range(100))._repr_html_()
    assert "<th>99</th><td>99</td>" in long and "⋮" in long and "<th>50</th>" not in long
    picture = nd.reshape(nd.arange(10_000), (100, 100))._repr_html_()
    assert "<td>9999</td>" in picture and "100 × 100, int64" in picture and picture.count("<tr>") == 11
    assert "<td>2.5</td>" in nd.asarray([2.5])._repr_html_()
    assert "<pre>" in nd.ones((2, 2, 2))._repr_html_() and "<pre>" in nd.asarray(1)._repr_html_()
    assert Nested.from_iter([])._repr_html_().startswith("<table>")


CELLS = [
    "import nestled as nd\n%load_ext nestled",
    """%%nesl mine
function twice(v) = {2 * x : x in v};
(window, box) = w_make_window_box(((0, 0), 90, 60), ((0.0, 0.0), 1.0, 1.0), "a line", w_black, "");
w_draw_segments([((0.0, 0.0), 1.0, 1.0)], 1, w_red, box);
sum(twice([1, 2]));""",
    "mine.twice([1, 2]).tolist()",
    "x = nd.random.uniform((100,), seed=1)\n(x * 2.0).explain()",
    "nd.image(nd.eye(4))",
    "import time\nfor _ in nd.progress(range(2)):\n    time.sleep(0.8)",
    # A minute, at least, if nobody stops it.
    "kept = x.sum().item()\nx = nd.random.uniform((3000,), seed=1).eval()\n(nd.outer(x, x)[:, :, None] * x[None, None, :]).sum().eval()",
    "kept > 0, (x + 1.0).sum().item() > 3000",
]


@pytest.fixture(scope="module")
def outputs():
    """What the cells show in a kernel of their own, where the one that takes long is interrupted."""
    manager = pytest.importorskip("jupyter_client", reason="the package `nbclient` is not installed, so no kernel was run").manager
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    found = []
    try:
        for cell in CELLS:
            shown = []
            if "outer" in cell:
                timer = threading.Timer(3.0, kernel.interrupt_kernel)
                timer.start()
            client.execute_interactive(cell, timeout=120, output_hook=lambda message: shown.append((message["msg_type"], message["content"])))
            found.append(shown)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    return found


def data(shown):
    """The forms of what a cell shows."""
    return [content["data"] for kind, content in shown if kind in ("execute_result", "display_data", "update_display_data")]


def test_a_kernel_shows_programs_in_nesl(outputs):
    text = "".join(content["text"] for kind, content in outputs[1] if kind == "stream")
    assert "it = 6 : int" in text, outputs[1]
    (drawing,) = data(outputs[1])
    assert drawing["image/svg+xml"].startswith("<svg") and "#ff0000" in drawing["image/svg+xml"]
    assert data(outputs[2])[0]["text/plain"] == "[2, 4]"


def test_a_kernel_shows_pictures(outputs):
    (explained,) = data(outputs[3])
    assert "<rect" in explained["image/svg+xml"] and "kernels" in explained["text/plain"] and "\n" in explained["text/plain"]
    assert data(outputs[4])[0]["image/png"].startswith("iVBORw0KGgo")


def test_a_kernel_shows_progress(outputs):
    lines = [shown["text/plain"] for shown in data(outputs[5])]
    assert any("1 of 2" in line and " 50 %" in line for line in lines)
    assert "2 of 2" in lines[-1] and "100 %" in lines[-1]
    kinds = [kind for kind, _ in outputs[5]]
    assert kinds.count("display_data") == 1 and "update_display_data" in kinds


def test_an_interrupted_kernel_keeps_its_session(outputs):
    errors = [content["ename"] for kind, content in outputs[6] if kind == "error"]
    assert errors == ["KeyboardInterrupt"]
    assert data(outputs[7])[0]["text/plain"] == "(True, True)"


def test_cells_in_nesl():
    class Shell:
        names = {}

        def push(self, names):
            self.names |= names

        def register_magic_function(self, function, kind, name):
            self.magic = (kind, name, function)

    shell = Shell()
    nd.load_ipython_extension(shell)
    kind, name, cell = shell.magic
    assert (kind, name) == ("cell", "nesl")
    cell("mine", "function twice(v) = {2 * x : x in v};")
    assert shell.names["mine"].twice([1, 2]).tolist() == [2, 4]
    cell("", "function same(x) = x;")
    assert "functions" in shell.names
