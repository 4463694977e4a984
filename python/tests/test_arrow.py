"""Arrow's interface with other packages, and files of tables."""

import numpy as np
import pytest

import nestled as nd
from nestled import Nested

pa = pytest.importorskip("pyarrow", reason="the package `pyarrow` is not installed, so its arrays were not exchanged")

EVENTS = [
    {"met": 1.5, "muons": [{"pt": 20.5, "charge": 1}, {"pt": 10.5, "charge": -1}], "name": "a", "tag": None},
    {"met": 2.5, "muons": [], "name": "é", "tag": 3},
    {"met": 3.5, "muons": [{"pt": 5.5, "charge": 1}], "name": "", "tag": None},
]
CASES = [
    pa.array([1, 2, None], pa.int32()),
    pa.array([True, False, None]),
    pa.array([[1.5], [], None, [2.0, None]]),
    pa.array([[1.5], [], [2.0]], pa.large_list(pa.float32())),
    pa.array(["a", "", None, "\u00e9"]),
    pa.array(["a", "b", "a", None]).dictionary_encode(),
    pa.array([{"x": 1, "y": ["p", "q"]}, {"x": None, "y": []}]),
    pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)),
    pa.array([0, 86_400_000_000], pa.timestamp("us", "UTC")),
    pa.array([], pa.list_(pa.int8())),
]


@pytest.mark.parametrize("array", CASES, ids=lambda array: str(array.type))
def test_arrays_go_both_ways(array):
    ours = Nested.from_arrow(array)
    assert len(ours) == len(array)
    back = pa.array(ours)
    assert Nested.from_arrow(back).to_list() == ours.to_list()
    if not pa.types.is_temporal(array.type):
        assert back.to_pylist() == array.to_pylist()
        assert ours.to_list() == [list(v) if isinstance(v, tuple) else v for v in array.to_pylist()]
    # A part of an array, which begins anywhere.
    part = array[1:]
    assert pa.array(Nested.from_arrow(part)).to_pylist() == part.to_pylist()


def test_tables_are_records():
    table = pa.Table.from_pylist(EVENTS)
    events = Nested.from_arrow(table)
    assert events.to_list() == EVENTS
    assert pa.table(events).to_pylist() == EVENTS
    assert Nested.from_arrow(table.to_batches()[0]).to_list() == EVENTS
    chunks = pa.chunked_array([[[1], []], [[2, 3]]])
    assert Nested.from_arrow(chunks).to_list() == [[1], [], [2, 3]]
    assert Nested.from_arrow(pa.table({"x": pa.array([], pa.int64())})).to_list() == []


def test_operands_of_operations_may_speak_arrow():
    ours = Nested.from_iter([[1, 2], [3]])
    assert Nested.concatenate([ours, pa.array([[7]])]).to_list() == [[1, 2], [3], [7]]


def test_numbers_are_not_copied():
    array = pa.array(np.arange(1_000_000, dtype=np.float64))
    ours = Nested.from_arrow(array)
    address = array.buffers()[1].address
    assert pa.array(ours).buffers()[1].address == address
    lists = pa.ListArray.from_arrays(pa.array([0, 400_000, 1_000_000], pa.int32()), array)
    assert pa.array(Nested.from_arrow(lists)).values.buffers()[1].address == address
    # Memory of pyarrow's stays as long as it is needed.
    del array, lists
    assert float(ours.sum()) == 499999500000.0


def test_what_does_not_speak_arrow_is_refused():
    with pytest.raises(TypeError, match="does not speak Arrow"):
        Nested.from_arrow(object())

    class Wrong:
        def __arrow_c_array__(self):
            return "a", "b"

    with pytest.raises(TypeError):
        Nested.from_arrow(Wrong())
    # A capsule gives its array once.
    capsules = pa.array([1]).__arrow_c_array__()

    class Again:
        def __arrow_c_array__(self):
            return capsules

    assert Nested.from_arrow(Again()).to_list() == [1]
    with pytest.raises(nd.Error, match="released"):
        Nested.from_arrow(Again())


def test_polars_pandas_and_duckdb():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1, 2, 3], "l": [[1.5], [], [2.5, 3.5]], "s": ["a", None, "c"]})
    rows = Nested.from_arrow(frame)
    assert rows.to_list() == frame.to_dicts()
    assert polars.DataFrame(rows).to_dicts() == frame.to_dicts()
    assert Nested.from_arrow(frame["l"]).to_list() == [[1.5], [], [2.5, 3.5]]
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"x": [1, 2], "y": [0.5, 1.5]})
    assert Nested.from_arrow(table).to_list() == [{"x": 1, "y": 0.5}, {"x": 2, "y": 1.5}]
    duckdb = pytest.importorskip("duckdb")
    found = Nested.from_arrow(duckdb.sql("select 1 as a, [1, 2] as b union all select 2, []"))
    assert found.to_list() == [{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}]
    assert duckdb.sql("select sum(x) from rows").fetchall() == [(6,)]


@pytest.mark.parametrize("ending", ["parquet", "feather", "jsonl"])
def test_files(tmp_path, ending):
    path = tmp_path / f"events.{ending}"
    Nested.from_iter(EVENTS).write(path)
    assert Nested.read(path).to_list() == EVENTS
    scan = nd.Scan(path, rows=2)
    # Texts do not say what may be missing.
    assert scan.schema == Nested.from_iter(EVENTS).schema or ending == "jsonl"
    pieces = [piece.to_list() for piece in scan]
    assert [len(piece) for piece in pieces] == [2, 1]
    assert sum(pieces, []) == EVENTS == scan.read().to_list()
    # A scan may be read again.
    assert sum(len(piece) for piece in scan) == 3


def test_parquet_of_others(tmp_path):
    import pyarrow.parquet

    path = tmp_path / "events.parquet"
    pyarrow.parquet.write_table(pa.Table.from_pylist(EVENTS * 50), path, row_group_size=40)
    assert Nested.from_parquet(path).to_list() == EVENTS * 50
    pt = Nested.from_parquet(path, columns=["met", "muons.pt"])
    assert pt[:1].to_list() == [{"met": 1.5, "muons": [{"pt": 20.5}, {"pt": 10.5}]}]
    total = sum(float(piece["met"].sum()) for piece in nd.Scan(path, "met", rows=64))
    assert total == 50 * 7.5
    ours = tmp_path / "ours.parquet"
    Nested.from_iter(EVENTS).to_parquet(ours)
    assert pyarrow.parquet.read_table(ours).to_pylist() == EVENTS


def test_errors_of_files(tmp_path):
    with pytest.raises((nd.Error, OSError), match="nothing"):
        Nested.read(tmp_path / "nothing.parquet")
    path = tmp_path / "x.parquet"
    path.write_bytes(b"no table")
    with pytest.raises(nd.Error):
        Nested.read(path)
    Nested.from_iter(EVENTS).write(path)
    with pytest.raises(nd.Error, match="mett"):
        Nested.read(path, "mett")
    with pytest.raises(ValueError, match="one row"):
        iter(nd.Scan(path, rows=0))
