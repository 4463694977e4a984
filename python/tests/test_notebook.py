"""Sparse matrices, tables for notebooks, and cells in NESL."""

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
    cell("", "function f(x) = x;")
    assert "functions" in shell.names
