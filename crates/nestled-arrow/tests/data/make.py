"""Writes the files of this folder by pyarrow: `pip install pyarrow`, then run it here. The tests need only the files."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

lists = [[1, 2], None, [], [3, None], [4]]
kinds = {
    **{f"{name}": pa.array([1, None, 2, 3, 4], type=kind) for name, kind in [
        ("int8", pa.int8()), ("uint8", pa.uint8()), ("int16", pa.int16()), ("uint16", pa.uint16()),
        ("int32", pa.int32()), ("uint32", pa.uint32()), ("int64", pa.int64()), ("uint64", pa.uint64()),
    ]},
    "float16": pa.array([0.5, None, 1.5, -2.0, 0.0], pa.float32()).cast(pa.float16()),
    "float32": pa.array([0.5, None, 1.5, -2.0, 0.0], pa.float32()),
    "float64": pa.array([0.5, None, 1.5, -2.0, 0.0]),
    "bool": pa.array([True, None, False, False, True]),
    "string": pa.array(["a", None, "", "grün", "bc"]),
    "large_string": pa.array(["a", None, "", "grün", "bc"], pa.large_string()),
    "binary": pa.array([b"a", None, b"", b"\x00\xff", b"bc"]),
    "fixed_binary": pa.array([b"ab", None, b"cd", b"ef", b"gh"], pa.binary(2)),
    "lists": pa.array(lists, pa.list_(pa.int64())),
    "large_lists": pa.array(lists, pa.large_list(pa.int32())),
    "pairs": pa.array([[1, 2], None, [3, 4], [5, None], [6, 7]], pa.list_(pa.int64(), 2)),
    "nested": pa.array([[["a"], []], [], [None, ["b", None]], None, [[]]], pa.list_(pa.list_(pa.string()))),
    "records": pa.array([{"x": 1, "y": "p"}, None, {"x": None, "y": "q"}, {"x": 2, "y": None}, {"x": 3, "y": "r"}]),
    "muons": pa.array([[{"pt": 1.5, "q": 1}, {"pt": 2.5, "q": -1}], [], [{"pt": 3.5, "q": 1}], [], []]),
    "words": pa.array(["u", None, "v", "u", "u"]).dictionary_encode(),
    "map": pa.array([[("k", 1)], None, [], [("l", None), ("m", 2)], []], pa.map_(pa.string(), pa.int64())),
    "nothing": pa.nulls(5),
}
table = pa.table(kinds)
# What is missing has a length of its own, and there is something before and behind.
gaps = pa.ListArray.from_arrays(pa.array([1, 3, 4, 4], pa.int32()), pa.array([9, 1, 2, 7, 8]), mask=pa.array([False, True, False]))

parquet.write_table(table, "kinds.parquet", row_group_size=3)
feather.write_feather(table, "kinds.feather", compression="lz4")
with pa.ipc.new_stream("kinds.arrow", table.slice(1, 3).schema) as stream:
    stream.write_table(table.slice(1, 3))
views = pa.ListViewArray.from_arrays(pa.array([2, 0, 1], pa.int32()), pa.array([1, 3, 0], pa.int32()), pa.array([1, 2, 3]))
texts = ["a text that is longer than twelve bytes", None, "short"]
batch = pa.record_batch({
    "string": pa.array(texts, pa.string_view()),
    "binary": pa.array([b"\x01", None, b"twelve bytes and more"], pa.binary_view()),
    "lists": views,
    "gaps": gaps,
})
with pa.ipc.new_file("views.arrow", batch.schema) as file:
    file.write_batch(batch)

plain = pa.table({"x": pa.array(range(2000), pa.int64()), "s": pa.array([f"word {n % 7}" if n % 5 else None for n in range(2000)])})
for codec in ["zstd", "gzip", "lz4", "snappy", "brotli"]:
    parquet.write_table(plain, f"{codec}.parquet", compression=codec, row_group_size=700)
# As they are, compressed one by one; a stream of several batches, of which the last is short.
feather.write_feather(table, "kinds-zstd.feather", compression="zstd")
with pa.ipc.new_stream("zstd.arrow", plain.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
    stream.write_table(plain, max_chunksize=900)
for codec in ["zstd", "brotli"]:
    parquet.write_table(plain, f"{codec}-pages-2.parquet", compression=codec, data_page_version="2.0", row_group_size=700)
# A thousand times the same, unpacked by itself.
for codec, end in {"zstd": "zst", "brotli": "br"}.items():
    with open(f"a.{end}", "wb") as file:
        file.write(pa.compress(b"a" * 1000, codec=codec, asbytes=True))

times = pa.table({
    "when": pa.array([datetime.datetime(2024, 1, 2), None], pa.timestamp("us", tz="UTC")),
    "day": pa.array([datetime.date(1970, 1, 3), None]),
    "x": pa.array([1, 2]),
})
parquet.write_table(times, "times.parquet")

# Dates, times and decimals of all units, and their texts as Python writes them.
EPOCH = datetime.datetime(1970, 1, 1)
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
NANOS = [0, 1_709_209_425_123_456_789, None, -1, -6_857_222_400_000_000_001]


def clock(nanos, digits):
    """What a clock shows after so many nanoseconds, cut to so many digits of a second."""
    moment = EPOCH + datetime.timedelta(seconds=nanos // 10**9)
    fraction = f"{nanos % 10**9:09}"[:digits]
    return moment.isoformat() + (f".{fraction}" if digits else "")


def span(nanos, digits):
    """A span of less than a day."""
    hours, minutes, seconds = nanos // 10**9 // 3600, nanos // 10**9 // 60 % 60, nanos // 10**9 % 60
    fraction = f"{nanos % 10**9:09}"[:digits].rstrip("0")
    last = f"{seconds}.{fraction}S" if fraction else f"{seconds}S" if seconds else ""
    text = "".join([f"{hours}H" if hours else "", f"{minutes}M" if minutes else "", last])
    return f"PT{text or '0S'}"


def every(make):
    return [None if nanos is None else make(nanos) for nanos in NANOS]


moments, texts = {}, {}
for unit, digits in UNITS.items():
    by, day = 10 ** (9 - digits), 86_400 * 10**9
    stamps = every(lambda nanos: nanos // by)
    times = every(lambda nanos: nanos % day // by)
    kind = pa.time32(unit) if digits < 6 else pa.time64(unit)
    moments[f"clock_{unit}"] = pa.array(stamps, pa.timestamp(unit))
    texts[f"clock_{unit}"] = f"?timestamp[{unit}]", every(lambda nanos: clock(nanos, digits))
    moments[f"utc_{unit}"] = pa.array(stamps, pa.timestamp(unit, "UTC"))
    texts[f"utc_{unit}"] = f'?timestamp[{unit}, "UTC"]', every(lambda nanos: clock(nanos, digits) + "Z")
    moments[f"time_{unit}"] = pa.array(times, pa.int64()).cast(pa.int32() if digits < 6 else pa.int64()).cast(kind)
    texts[f"time_{unit}"] = f"?time[{unit}]", every(lambda nanos: clock(nanos, digits)[11:])
    moments[f"span_{unit}"] = pa.array(every(lambda nanos: nanos % day // by), pa.duration(unit))
    texts[f"span_{unit}"] = f"?duration[{unit}]", every(lambda nanos: span(nanos % day, digits))
dates = every(lambda nanos: (EPOCH + datetime.timedelta(seconds=nanos // 10**9)).date())
moments["there"] = pa.array(every(lambda nanos: nanos // 1000), pa.timestamp("us", "+05:30"))
texts["there"] = '?timestamp[us, "+05:30"]', every(lambda nanos: clock(nanos + 19_800 * 10**9, 6) + "+05:30")
for name, kind in {"date32": pa.date32(), "date64": pa.date64()}.items():
    moments[name] = pa.array(dates, kind)
    texts[name] = "?date", [date and date.isoformat() for date in dates]
digits = ["0", "123456.78", None, "-0.05", "92233720368547758.07"]
for name, kind in {"decimal128": pa.decimal128(19, 2), "decimal256": pa.decimal256(40, 2)}.items():
    moments[name] = pa.array([text and decimal.Decimal(text) for text in digits], kind)
    precision = min(kind.precision, 38)
    texts[name] = f"?decimal[{precision}, 2]", [text and f"{decimal.Decimal(text):.2f}" for text in digits]
table = pa.table(moments)
parquet.write_table(table.drop_columns(["decimal256"]), "moments.parquet")
feather.write_feather(table, "moments.feather", compression="uncompressed")
with open("moments.txt", "w") as file:
    for name in moments:
        schema, values = texts[name]
        if values is not None:
            listed = ", ".join("None" if value is None else value for value in values)
            print(f"{name}: {schema}\n  [{listed}]", file=file)
parquet.write_table(pa.table({"sum": pa.array([decimal.Decimal("1e20")])}), "decimals.parquet")

# A union whose variants lie one behind the other, and one whose variants lie side by side.
ids = pa.array([0, 1, 1, 0, 2], pa.int8())
words, lists = pa.array(["a", None]), pa.array([[1, 2], [3]])
dense = pa.UnionArray.from_dense(ids, pa.array([0, 1, 0, 1, 0], pa.int32()), [pa.array([7, 8]), words, lists])
sparse = pa.UnionArray.from_sparse(ids, [
    pa.array([7, 0, 0, 8, 0]), pa.array(["", None, "a", "", ""]), pa.array([[], [], [9], [], [1, 2]]),
])
feather.write_feather(pa.table({"dense": dense, "sparse": sparse}), "unions.feather", compression="uncompressed")
