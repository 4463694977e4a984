//! Data of other programs in and out: types that are asked for, what has no counterpart, and what is known before anything is computed.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("data-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Standard output, standard error, status.
    fn run(&self, args: &[&str]) -> (String, String, Option<i32>) {
        self.run_under("true", args)
    }

    /// The same under a bound that a shell sets.
    fn run_under(&self, bound: &str, args: &[&str]) -> (String, String, Option<i32>) {
        let line = format!("{bound}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line, "sh", env!("CARGO_BIN_EXE_nestled")]).args(args).current_dir(&self.0);
        command.env("NO_COLOR", "1").env("NESTLED_DEVICE", "reference").stdin(Stdio::null());
        let output = command.output().expect("a shell");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    }

    /// What is said of a value of a file, whatever it is.
    fn value(&self, arg: &str) -> String {
        let (out, said, _) = self.run(&["run", "-e", "x", "--arg", arg]);
        out + &said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An `.npy` file.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\0"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn bytes_are_numbers_where_numbers_are_asked_for() {
    let folder = Folder::new("bytes");
    folder.put("a.npy", npy("|u1", "(3,)", &[65, 66, 255]));
    folder.put("b.npy", npy("|u1", "(2, 2)", &[1, 2, 3, 4]));
    folder.put("c.npy", npy("|u1", "(1, 2, 3)", &[1, 2, 3, 4, 5, 6]));
    folder.put("t.txt", "AB");
    for (arg, shown) in [
        ("x:[int]=@a.npy", "it = [65, 66, 255] : [int]\n"),
        ("x : [[int]]=@b.npy", "it = [[1, 2], [3, 4]] : [[int]]\n"),
        ("x:[[[int]]]=@c.npy", "it = [[[1, 2, 3], [4, 5, 6]]] : [[[int]]]\n"),
        ("x:[int]=@t.txt", "it = [65, 66] : [int]\n"),
        ("x=@t.txt", "it = \"AB\" : [char]\n"),
        ("x:[float]=[1.5]", "it = [1.5] : [float]\n"),
    ] {
        assert_eq!(folder.value(arg), shown, "{arg}");
    }
    for (arg, why) in [
        ("x:[[int]]=@a.npy", "--arg x: the value is of type `[int]`, and `[[int]]` is wanted"),
        ("x:[int]=[1.5]", "--arg x: the value is of type `[float]`, and `[int]` is wanted"),
        ("x:[float]=@a.npy", "it holds `u8`, and `float` is wanted; convert it with `.astype('f8')`"),
        ("x:[number]=@a.npy", "`number` is no type; int, float, char and bool are some"),
    ] {
        let said = folder.value(arg);
        assert!(said.contains(why), "{arg}: {said}");
    }
}

#[test]
fn integers_of_all_widths_are_read_and_what_has_no_counterpart_says_what_to_do() {
    let folder = Folder::new("widths");
    folder.put("small.npy", npy("<u8", "(1,)", &7u64.to_le_bytes()));
    folder.put("short.npy", npy(">i2", "(2,)", &[0xff, 0xfe, 0, 7]));
    folder.put("half.npy", npy("<f2", "(1,)", &0x3e00u16.to_le_bytes()));
    assert_eq!(folder.value("x=@small.npy"), "it = [7] : [int]\n");
    assert_eq!(folder.value("x=@short.npy"), "it = [-2, 7] : [int]\n");
    assert_eq!(folder.value("x=@half.npy"), "it = [1.5] : [float]\n");
    folder.put("large.npy", npy("<u8", "(1,)", &u64::MAX.to_le_bytes()));
    folder.put("texts.npy", npy("<U5", "(1,)", &[0; 20]));
    folder.put("bytes.npy", npy("|S3", "(1,)", b"abc"));
    folder.put("objects.npy", npy("|O", "(1,)", b""));
    for (file, why) in [
        (
            "large.npy",
            "18446744073709551615 in it is beyond `int`, which ends at 9223372036854775807; convert it with `.astype('f8')`",
        ),
        (
            "texts.npy",
            "its elements are texts (`<U5`), which have no counterpart here; save them with `json.dump(a.tolist(), file)`",
        ),
        (
            "bytes.npy",
            "its elements are byte strings (`|S3`), which have no counterpart here; save them with `json.dump",
        ),
        (
            "objects.npy",
            "its elements are Python objects (`|O`), which have no counterpart here; give it a type",
        ),
    ] {
        let said = folder.value(&format!("x=@{file}"));
        assert!(said.contains(&format!("cannot use `{file}`: {why}")), "{said}");
    }
    folder.put("id.lcu", "fn main<n>(x: [n]i64) -> dim {\n  ret n\n}\n");
    let said = folder.run(&["run", "id.lcu", "@small.npy"]).1;
    assert!(said.contains("it holds `u64`, but `i64` is wanted; convert it with `.astype('i8')`"), "{said}");
    folder.put("same.lcu", "fn main(x: [n]u64) -> [n]u64 {\n  ret x\n}\n");
    let said = folder.run(&["run", "same.lcu", "@large.npy"]).0;
    assert!(said.contains("[18446744073709551615]"), "{said}");
}

/// Nothing runs whose value cannot be written: what it would print is not there.
#[test]
fn what_does_not_fit_a_form_is_said_before_anything_is_computed() {
    let folder = Folder::new("forms");
    for (out, value, why) in [
        ("o.csv", "3", "a table is a sequence of rows"),
        ("o.csv", "[[[1]]]", "a table is a sequence of rows"),
        ("o.csv", "[(1, [2])]", "a table is a sequence of rows"),
        ("o.csv", "(1, [2])", "a table is a sequence of rows"),
        ("o.png", "[1]", "a picture is a sequence of rows of pixels"),
        ("o.png", "[[[1]]]", "a picture is a sequence of rows of pixels"),
        ("o.png", "[[(1, 2, 3, 4, 5)]]", "a picture has 1 to 4 values for each pixel, not 5"),
        ("o.npy", "[(1, 2.5)]", "the value has several parts"),
    ] {
        let text = format!("print_line(\"computed\"); {value}");
        let (printed, said, status) = folder.run(&["run", "-e", &text, "-o", out]);
        assert_eq!((printed.as_str(), status), ("", Some(2)), "{value} to {out}: {said}");
        assert!(said.contains(&format!("cannot write `{out}`: {why}")), "{said}");
    }
    for (out, value) in [
        ("o.csv", "[1, 2]"),
        ("o.csv", "\"text\""),
        ("o.csv", "[\"a\", \"b\"]"),
        ("o.csv", "[[1.5], [] float]"),
        ("o.csv", "[(1, \"a\", t)]"),
        ("o.csv", "[[\"a\"], [\"b\", \"c\"]]"),
        ("o.png", "[[1, 2]]"),
        ("o.png", "[[(1, 2, 3)]]"),
        ("o.png", "[[(0.5, 1.0)]]"),
        ("o.png", "[\"grey\"]"),
        ("o.json", "(1, [2])"),
    ] {
        let (_, said, status) = folder.run(&["run", "-e", value, "-o", out]);
        assert_eq!((said.as_str(), status), ("", Some(0)), "{value} to {out}");
    }
}

#[test]
fn a_column_of_a_table_comes_back_as_a_sequence() {
    let folder = Folder::new("column");
    for value in ["[1, 2, 3]", "[1.5]", "[t, f]", "[\"a\", \"b c\"]", "[[1, 2], [3, 4]]"] {
        let (direct, ..) = folder.run(&["run", "-e", value]);
        assert_eq!(folder.run(&["run", "-e", value, "-o", "o.csv"]).2, Some(0));
        assert_eq!(folder.value("x=@o.csv"), direct, "{}", folder.text("o.csv"));
    }
}

#[test]
fn objects_are_tuples_of_their_values() {
    let folder = Folder::new("objects");
    folder.put("o.json", r#"[{"name": "Ada", "age": 36}, {"age": 41, "name": "Grace"}]"#);
    assert_eq!(folder.value("x=@o.json"), "it = [(\"Ada\", 36), (\"Grace\", 41)] : [([char], int)]\n");
    folder.put("o.json", r#"{"x": [1, 2], "y": {"z": 2.5}}"#);
    assert_eq!(folder.value("x=@o.json"), "it = ([1, 2], 2.5) : [int], float\n");
    folder.put("o.json", "[{\"a\": 1},\n{\"b\": 2}]");
    let said = folder.value("x=@o.json");
    assert!(said.contains("line 2: the object before has no `a`, which the first of the list has"), "{said}");
}

#[test]
fn json_heeds_the_limit_of_memory() {
    let folder = Folder::new("room");
    folder.put("many.json", format!("[{}1]", "1,".repeat(5_000_000)));
    let args = ["run", "-e", "#x", "--arg", "x=@many.json", "--memory", "100M"];
    let (_, said, status) = folder.run_under("ulimit -v 1500000", &args);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("it takes more than the 104857600 bytes that there is room for"), "{said}");
}

#[test]
fn texts_count_as_memory() {
    let folder = Folder::new("texts");
    folder.put("t.txt", vec![b'x'; 40 << 20]);
    let text = "a = read_string_from_file(\"t.txt\"); b = read_string_from_file(\"t.txt\"); #index(10)";
    let run = |memory: &str| folder.run(&["run", "-e", text, "--device", "core", "--memory", memory]);
    let (out, said, status) = run("60M");
    assert_eq!((out.as_str(), status), ("", Some(1)), "{said}");
    assert!(said.contains("out of memory"), "{said}");
    assert_eq!(run("400M").0, "it = 10 : int\n");
}

#[test]
fn a_trace_takes_its_place_when_it_is_whole() {
    let folder = Folder::new("trace");
    folder.put("t.json", "before");
    let run = |bound: &str, text: &str, more: &[&str]| {
        folder.run_under(bound, &[&["run", "-e", text, "--trace", "t.json"], more].concat())
    };
    // No file may become longer than half a kilobyte.
    let (_, said, status) = run("trap '' XFSZ; ulimit -f 1", "sum({i * i : i in index(100)})", &[]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cannot write `t.json`"), "{said}");
    assert_eq!(folder.text("t.json"), "before");
    let (_, said, status) = run("true", "1", &["--sandbox"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("'--trace <FILE.json>' cannot be used with '--sandbox'"), "{said}");
    assert_eq!(folder.text("t.json"), "before");
    let (_, _, status) = run("true", "1 / 0", &[]);
    assert_eq!((status, folder.text("t.json").trim_end().ends_with(']')), (Some(1), true));
    let names = std::fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(names, 1, "nothing is left beside it");
}

#[test]
fn a_long_line_full_of_errors_takes_no_square_of_its_length() {
    let folder = Folder::new("line");
    let start = Instant::now();
    folder.put("many.nesl", "x + ; ".repeat(60_000));
    let (_, said, status) = folder.run_under("exec < many.nesl", &["repl"]);
    assert_eq!(status, Some(0));
    assert_eq!(said.matches("error[N0005]").count(), 60_000);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn all_of_a_value_is_printed_where_all_of_it_is_asked_for() {
    let folder = Folder::new("full");
    let (out, ..) = folder.run(&["run", "-e", "index(1000000)", "--full"]);
    assert!(out.ends_with(", 999998, 999999]\n   : [int]\n"), "{}", &out[out.len() - 60..]);
    assert_eq!(out.matches(',').count(), 999_999);
    folder.put("t.txt", "say \"a\\b\" ".repeat(50_000));
    let (out, ..) = folder.run(&["run", "-e", "x", "--arg", "x=@t.txt"]);
    assert_eq!(out, format!("it = \n  \"{}\"\n   : [char]\n", "say \\\"a\\\\b\\\" ".repeat(50_000)));
}
