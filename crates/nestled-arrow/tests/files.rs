//! Files: those of pyarrow are read, ours are read back, columns are left out, and errors name the file and the column.

use crate::{Scratch, data, everything, message};
use nestled_arrow::{Writer, read, scan, write};
use nestled_nested::{Array, Kind, Nested, Schema, Unit};

/// The columns of `kinds.parquet`, as `make.py` has written them.
const KINDS: &str = include_str!("data/kinds.txt");

#[track_caller]
fn shown(rows: &Nested) -> String {
    let mut text = String::new();
    for name in rows.fields() {
        let field = rows.field(name.as_ref()).unwrap();
        text += &format!("{name}: {}\n  {}\n", field.schema(), field.to_list().unwrap());
    }
    text
}

#[test]
fn what_pyarrow_wrote_is_read() {
    assert_eq!(shown(&read(data("kinds.parquet")).unwrap()), KINDS);
    assert_eq!(shown(&read(data("kinds.feather")).unwrap()), KINDS);
    let part = read(data("kinds.arrow")).unwrap();
    assert_eq!(part.len(), 3);
    let all = read(data("kinds.parquet")).unwrap();
    assert_eq!(part.to_values().unwrap(), all.to_values().unwrap()[1..4]);
    let pieces: Vec<usize> =
        scan(data("kinds.parquet")).unwrap().pieces().unwrap().map(|piece| piece.unwrap().len()).collect();
    assert_eq!(pieces, [3, 2]);
}

#[test]
fn views_lie_anywhere() {
    assert_eq!(
        shown(&read(data("views.arrow")).unwrap()),
        "string: ?string\n  [\"a text that is longer than twelve bytes\", None, \"short\"]\n\
         binary: ?bytes\n  [b\"\\x01\", None, b\"twelve bytes and more\"]\n\
         lists: option[var * ?int64]\n  [[3], [1, 2, 3], []]\n\
         gaps: option[var * ?int64]\n  [[1, 2], None, []]\n"
    );
}

#[test]
fn all_codecs() {
    let want = read(data("snappy.parquet")).unwrap().to_list().unwrap();
    for name in [
        "zstd.parquet",
        "gzip.parquet",
        "lz4.parquet",
        "brotli.parquet",
        "zstd-pages-2.parquet",
        "brotli-pages-2.parquet",
        "zstd.arrow",
    ] {
        assert_eq!(read(data(name)).unwrap().to_list().unwrap(), want, "{name}");
    }
    let pieces = scan(data("zstd.arrow")).unwrap().columns(["s"]).pieces().unwrap();
    assert_eq!(pieces.map(|piece| piece.unwrap().len()).collect::<Vec<_>>(), [900, 900, 200]);
    // With a dictionary, and buffers that are not compressed because that would make them longer.
    assert_eq!(shown(&read(data("kinds-zstd.feather")).unwrap()), KINDS);
    let words = scan(data("kinds-zstd.feather")).unwrap().columns(["words", "int8"]).read().unwrap();
    assert_eq!(words.type_string(), "5 * {words: ?categorical[type=string], int8: ?int8}");
}

#[test]
fn times_are_numbers_where_that_is_wanted() {
    assert_eq!(
        shown(&read(data("times.parquet")).unwrap()),
        "when: ?timestamp[us, \"UTC\"]\n  [2024-01-02T00:00:00.000000Z, None]\nday: ?date\n  [1970-01-03, None]\nx: ?int64\n  [1, 2]\n"
    );
    let x = scan(data("times.parquet")).unwrap().columns(["x"]).read().unwrap();
    assert_eq!(x.to_list().unwrap().to_string(), "[{x: 1}, {x: 2}]");
    let all = scan(data("times.parquet")).unwrap().times_as_numbers().read().unwrap();
    assert_eq!(
        shown(&all),
        "when: ?int64\n  [1704153600000000, None]\nday: ?int32\n  [2, None]\nx: ?int64\n  [1, 2]\n"
    );
    let why = message(read(data("decimals.parquet")));
    assert!(
        why.ends_with("column `sum`: the decimal 100000000000000000000 has more digits than 64 bits"),
        "{why}"
    );
}

/// The columns of `moments.parquet`, as Python has them.
const MOMENTS: &str = include_str!("data/moments.txt");

/// Parquet has no times and timestamps in seconds: those are in milliseconds there.
#[track_caller]
fn same_moments(one: &Nested, other: &Nested) {
    let is_fine = one.schema().to_string().contains("[s") && other.schema().to_string().contains("[ms");
    let other = if is_fine { other.in_unit(Unit::Second).unwrap() } else { other.clone() };
    assert!(one.is_equal(&other).unwrap(), "{one} {other}");
}

#[test]
fn dates_and_times_of_pyarrow() {
    let all = read(data("moments.feather")).unwrap();
    assert_eq!(shown(&all), MOMENTS);
    let most = read(data("moments.parquet")).unwrap();
    for name in most.fields() {
        same_moments(&all.field(name.as_ref()).unwrap(), &most.field(name.as_ref()).unwrap());
    }
    for name in ["m.parquet", "m.arrow", "m.csv", "m.jsonl"] {
        let path = Scratch::new(name);
        write(&path.0, &all).unwrap();
        let back = read(&path.0).unwrap();
        for name in all.fields() {
            let (one, other) = (all.field(name.as_ref()).unwrap(), back.field(name.as_ref()).unwrap());
            let is_text = path.0.extension().is_some_and(|end| end == "csv" || end == "jsonl");
            match name.as_ref() {
                // Text has no durations and no decimals, and its instants are in UTC.
                name if is_text && name.starts_with("span") => {
                    let Schema::Option(meaning) = one.schema() else { panic!("{name}") };
                    let Schema::Meant(meaning) = *meaning else { panic!("{name}") };
                    assert!(other.parse_as(&meaning).unwrap().is_equal(&one).unwrap(), "{name}");
                }
                name if is_text && name.starts_with("decimal") => {
                    assert!(one.cast(Kind::Float64).unwrap().is_equal(&other).unwrap(), "{name}");
                }
                "there" if is_text => {
                    assert!(one.with_zone(Some("UTC")).unwrap().is_equal(&other).unwrap(), "{other}");
                }
                _ => same_moments(&one, &other),
            }
        }
    }
}

#[test]
fn unions_of_pyarrow() {
    let rows = read(data("unions.feather")).unwrap();
    let wanted = "[7, None, \"a\", 8, [1, 2]]";
    for name in ["dense", "sparse"] {
        let union = rows.field(name).unwrap();
        assert_eq!(union.variants().unwrap().to_list().unwrap().to_string(), "[0, None, 1, 0, 2]", "{name}");
        assert_eq!(union.to_list().unwrap().to_string(), wanted, "{name}");
    }
    let path = Scratch::new("unions.arrow");
    write(&path.0, &rows).unwrap();
    assert_eq!(read(&path.0).unwrap().to_values().unwrap(), rows.to_values().unwrap());
    let path = Scratch::new("unions.jsonl");
    write(&path.0, &rows).unwrap();
    assert!(std::fs::read_to_string(&path.0).unwrap().starts_with("{\"dense\":7,\"sparse\":7}\n"));
    let why = message(write(Scratch::new("unions.parquet").0.clone(), &rows));
    assert!(why.ends_with("column `dense`: Parquet has no unions; .arrow has them"), "{why}");
    let why = message(write(Scratch::new("unions.csv").0.clone(), &rows));
    assert!(why.contains("column `dense`: a table of text has cells of"), "{why}");
}

#[test]
fn texts_that_say_times() {
    let path = Scratch::new("t.csv");
    let lines = "a,b,c,d,e\n2024-01-02,2024-01-02T10:00,10:00:00,2024-01-02,2024-01-02T00:00:00Z\n,2024-01-02 11:00:00.5,10:00:00.25,7,2024-01-02T00:00:00\n";
    std::fs::write(&path.0, lines).unwrap();
    let wanted = "{a: ?date, b: ?timestamp[ms], c: ?time[ms], d: ?string, e: ?string}";
    assert_eq!(scan(&path.0).unwrap().schema().unwrap().to_string(), wanted);
    let texts = scan(&path.0).unwrap().times_as_numbers();
    assert_eq!(
        texts.schema().unwrap().to_string(),
        wanted.replace("date", "string").replace("timestamp[ms]", "string").replace("time[ms]", "string")
    );
    let path = Scratch::new("t.jsonl");
    std::fs::write(
        &path.0,
        "{\"a\": [\"2024-01-02\", null], \"b\": \"x\"}\n{\"a\": [], \"b\": \"2024-01-02\"}\n",
    )
    .unwrap();
    assert_eq!(scan(&path.0).unwrap().schema().unwrap().to_string(), "{a: option[var * ?date], b: ?string}");
    assert_eq!(
        scan(&path.0).unwrap().times_as_numbers().schema().unwrap().to_string(),
        "{a: option[var * ?string], b: ?string}"
    );
    // A text that looks like a date stays one.
    let path = Scratch::new("u.csv");
    write(&path.0, &Nested::from_iter(["2024-01-02", "x"])).unwrap();
    assert_eq!(read(&path.0).unwrap().type_string(), "2 * {value: ?string}");
}

#[test]
fn ours_are_read_back() {
    for name in ["a.parquet", "a.arrow", "a.feather", "a.jsonl"] {
        let path = Scratch::new(name);
        write(&path.0, &everything()).unwrap();
        let back = read(&path.0).unwrap();
        // Lines of JSON do not say that nothing may be missing.
        if name != "a.jsonl" {
            assert_eq!(back.type_string(), everything().type_string(), "{name}");
        }
        assert_eq!(back.to_list().unwrap(), everything().to_list().unwrap(), "{name}");
    }
}

#[test]
fn tables_of_text() {
    let path = Scratch::new("b.csv");
    let (x, y) = (Nested::from_iter([Some(1), None, Some(3)]), Nested::from_iter(["a,b", "c \"d\"", "e"]));
    let z = Nested::from_iter([1.5, 2.0, -0.25]);
    write(&path.0, &Nested::records(&[("x", &x), ("y", &y), ("z", &z)]).unwrap()).unwrap();
    let text = std::fs::read_to_string(&path.0).unwrap();
    assert_eq!(text, "x,y,z\n1,\"a,b\",1.5\n,\"c \"\"d\"\"\",2.0\n3,e,-0.25\n");
    let back = scan(&path.0).unwrap().columns(["z", "x"]).read().unwrap();
    assert_eq!(back.type_string(), "3 * {z: ?float64, x: ?int64}");
    assert_eq!(back.field("x").unwrap().to_list().unwrap().to_string(), "[1, None, 3]");
    let why = message(write(&path.0, &Nested::records(&[("jets", &Nested::from_iter([vec![1]]))]).unwrap()));
    assert!(
        why.contains("column `jets`: a table of text has cells of numbers, times and texts only"),
        "{why}"
    );
    assert_eq!(std::fs::read_to_string(&path.0).unwrap(), text, "the older file stays");
    // A text that looks like a number stays one, and an empty one is not missing.
    let path = Scratch::new("d.csv");
    write(&path.0, &Nested::from_iter([Some("12"), Some(""), None])).unwrap();
    assert_eq!(
        read(&path.0).unwrap().to_list().unwrap().to_string(),
        "[{value: \"12\"}, {value: \"\"}, {value: None}]"
    );
    std::fs::write(&path.0, "code,n\n\"12\",1\n\"007\",2\n").unwrap();
    assert_eq!(
        read(&path.0).unwrap().to_list().unwrap().to_string(),
        "[{code: \"12\", n: 1}, {code: \"007\", n: 2}]"
    );
    // Tabs separate where the name says so.
    let path = Scratch::new("c.tsv");
    std::fs::write(&path.0, "day\tn\n2024-01-02\t1\n2024-01-03\t2\n").unwrap();
    assert_eq!(read(&path.0).unwrap().type_string(), "2 * {day: ?date, n: ?int64}");
}

#[test]
fn columns_by_need() {
    let muons = scan(data("kinds.parquet")).unwrap().columns(["muons.pt", "records.y", "int8"]);
    assert_eq!(
        muons.schema().unwrap().to_string(),
        "{muons: option[var * ?{pt: ?float64}], records: ?{y: ?string}, int8: ?int8}"
    );
    let rows = muons.read().unwrap();
    assert_eq!(
        rows.field("muons").unwrap().field("pt").unwrap().to_list().unwrap().to_string(),
        "[[1.5, 2.5], [], [3.5], [], []]"
    );
    let first = muons.rows(2).pieces().unwrap().next().unwrap().unwrap();
    assert_eq!(first.field("int8").unwrap().to_list().unwrap().to_string(), "[1, None]");
    // The file has `int8` first.
    assert_eq!(first.fields(), ["muons", "records", "int8"]);
    let why = message(scan(data("kinds.parquet")).unwrap().columns(["muon"]).read());
    assert!(why.contains("kinds.parquet: there is no column `muon`; it has `int8`, "), "{why}");
    let feather = scan(data("kinds.feather")).unwrap().columns(["words", "int8"]).read().unwrap();
    assert_eq!(feather.type_string(), "5 * {words: ?categorical[type=string], int8: ?int8}");
}

#[test]
fn pieces_of_a_file_have_one_schema() {
    let path = Scratch::new("d.parquet");
    let mut writer = Writer::create(&path.0).unwrap();
    writer.write(&Nested::from_iter([1, 2])).unwrap();
    let why = message(writer.write(&Nested::from_iter([1.5])));
    assert!(why.ends_with("a piece is of `{value: float64}`, and the first is of `{value: int64}`"), "{why}");
    writer.write(&Nested::from_iter([3])).unwrap();
    assert!(!path.0.exists());
    writer.finish().unwrap();
    assert_eq!(read(&path.0).unwrap().to_list().unwrap().to_string(), "[{value: 1}, {value: 2}, {value: 3}]");
    assert!(message(Writer::create(&path.0).unwrap().finish()).ends_with("nothing was written"));
}

#[test]
fn names_without_a_format() {
    assert!(
        message(read("x.txt"))
            .ends_with("x.txt: its name should end with .parquet, .arrow, .feather, .csv, .tsv or .jsonl")
    );
    assert!(message(read("nowhere.parquet")).starts_with("nowhere.parquet: "));
}

#[test]
fn a_summary_says_what_is_there() {
    let text = scan(data("times.parquet")).unwrap().summary(1).unwrap();
    assert!(text.contains("2 rows in one part"), "{text}");
    assert!(text.contains("2024-01-02T00:00:00.000000Z"), "{text}");
    assert!(text.contains("?date"), "{text}");
}

#[test]
fn many_rows_on_all_cores() {
    let path = Scratch::new("e.parquet");
    let count = 200_000;
    let x = Nested::from(Array::<i64>::range(count));
    let lists = x.in_fixed(4).unwrap();
    let (y, z) = (Nested::from(Array::<f64>::index(&[count / 4], 0)), lists.sum(-1).unwrap());
    write(&path.0, &Nested::records(&[("lists", &lists), ("y", &y), ("z", &z)]).unwrap()).unwrap();
    let back = read(&path.0).unwrap();
    assert_eq!(back.type_string(), "50000 * {lists: 4 * int64, y: float64, z: int64}");
    let sums = back.field("lists").unwrap().sum(-1).unwrap();
    assert_eq!(sums.eq(back.field("z").unwrap()).unwrap().all(0).unwrap().item().unwrap(), true.into());
}

#[test]
fn pages_of_any_size() {
    // Pages have 20 000 rows. One behind another begins with its size, which may look like a header that is malformed.
    let path = Scratch::new("pages.parquet");
    for seed in 0..24 {
        let lengths = Array::<i64>::random_integers(&[41_000], 0..=3, seed);
        let count = lengths.sum().item().unwrap() as usize;
        let bits = Array::<i64>::random_integers(&[count], 0..=i64::MAX, seed);
        let lists = Nested::from(bits).unflatten(&Nested::from(lengths)).unwrap();
        write(&path.0, &Nested::records(&[("lists", &lists)]).unwrap()).unwrap();
        assert!(read(&path.0).unwrap().field("lists").unwrap().is_equal(&lists).unwrap(), "{seed}");
    }
}
