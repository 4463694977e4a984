//! Data in and out of the command: NumPy's files, broken ones, huge ones, full disks; and what ends a run.
#![cfg(unix)]

use nestled_rt::npz;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
        command.args(args).current_dir(&self.0).env("NO_COLOR", "1").env("NESTLED_DEVICE", "reference");
        command.stdin(Stdio::null());
        command
    }

    /// Standard output, standard error, status.
    fn run(&self, args: &[&str]) -> (String, String, Option<i32>) {
        words(self.command(args).output().expect("nestled starts"))
    }

    /// The same under a bound that a shell sets.
    fn run_under(&self, bound: &str, args: &[&str]) -> (String, String, Option<i32>) {
        let line = format!("{bound}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line, "sh", env!("CARGO_BIN_EXE_nestled")]).args(args).current_dir(&self.0);
        words(
            command
                .env("NO_COLOR", "1")
                .env("NESTLED_DEVICE", "reference")
                .stdin(Stdio::null())
                .output()
                .expect("a shell"),
        )
    }
}

fn words(output: Output) -> (String, String, Option<i32>) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_was_written_is_read_back() {
    let folder = Folder::new("back");
    for value in [
        "3",
        "2.5",
        "`c",
        "[1, 2]",
        "[] int",
        "\"text\"",
        "[[1], [2, 3], [] int]",
        "[[1, 2], [3, 4]]",
        "[[] int, [] int]",
        "(1, [2.5])",
        "[(1, 2.5), (3, 4.5)]",
        "drop([(1, 2.5)], 1)",
        "([1, 2], [3, 4])",
        "(1, 2, t)",
        "[(1, (2.5, t)), (2, (3.5, f))]",
        "[[(1, t)], drop([(1, t)], 1)]",
        "[[[1]], [[2], [3, 4]]]",
        "([(1, `a)], [\"x\", \"yz\"])",
        "[([1, 2], 2.5), ([] int, 3.5)]",
    ] {
        let (direct, ..) = folder.run(&["run", "-e", value]);
        let (_, said, status) = folder.run(&["run", "-e", value, "-o", "r.npz"]);
        assert_eq!((said.as_str(), status), ("", Some(0)), "{value}");
        let (back, said, _) = folder.run(&["run", "-e", "x", "--arg", "x=@r.npz"]);
        assert_eq!(back, direct, "{value}: {said}");
    }
}

/// The layout of a file says what type a value has, and nothing of its lengths.
#[test]
fn each_type_has_one_layout() {
    let folder = Folder::new("layout");
    for (values, names) in [
        (
            &["[[1, 2], [3, 4]]", "[[1], [2, 3]]", "[[] int]", "drop([[1]], 1)"][..],
            &["lengths", "elements"][..],
        ),
        (&["[1, 2]", "[] int"], &["value"]),
        (&["[(1, 2.5)]", "drop([(1, 2.5)], 1)"], &["elements.0", "elements.1"]),
        (&["(1, [[2]])", "(1, [[2], [3, 4]])"], &["0", "1.lengths", "1.elements"]),
        (&["[[(1, 2.5)]]", "[[(1, 2.5)], drop([(1, 2.5)], 1)]"], &["lengths", "elements.0", "elements.1"]),
    ] {
        for value in values {
            folder.run(&["run", "-e", value, "-o", "r.npz"]);
            let arrays = npz::read(&std::fs::read(folder.0.join("r.npz")).unwrap(), 1 << 20).unwrap();
            let found: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(found, names, "{value}");
        }
    }
}

/// `np.savez_compressed("x.npz", a=np.arange(300, dtype="i4") % 7)`
const DEFLATED: &[u8] = include_bytes!("../../../tests/cli/programs/deflated.npz");

#[test]
fn archives_of_others_are_read_by_name() {
    let folder = Folder::new("named");
    folder.put("d.npz", DEFLATED);
    for arg in ["x=@d.npz", "x=@d.npz:a"] {
        assert_eq!(folder.run(&["run", "-e", "(#x, x[299])", "--arg", arg]).0, "it = (300, 5) : int, int\n");
    }
    folder.put("sum.lcu", "kernel all<n>(xs: [n]i32) over n {\n  s = reduce { i => xs[i] } add\n  ret s\n}\nfn main<n>(xs: [n]i32) -> i32 {\n  s = run all(xs)\n  ret s\n}\n");
    let (sum, said, _) = folder.run(&["run", "sum.lcu", "@d.npz"]);
    assert_eq!((sum.as_str(), said.as_str()), ("897\n", ""));
    let (_, said, status) = folder.run(&["run", "-e", "x", "--arg", "x=@d.npz:b"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("it holds the arrays a; `@FILE.npz:a` is one of them"), "{said}");
}

#[test]
fn what_is_no_data_is_refused() {
    let folder = Folder::new("broken");
    folder.run(&["run", "-e", "[1.5, 2.5]", "-o", "good.npy"]);
    let good = std::fs::read(folder.0.join("good.npy")).unwrap();
    folder.put("short.npy", &good[..good.len() - 1]);
    folder.put("damaged.npy", [b"X", &good[1..]].concat());
    folder.put("damaged.npz", &DEFLATED[..DEFLATED.len() - 1]);
    folder.put("picture.tiff", b"II*\0\x08\0\0\0");
    for (file, why) in [
        ("short.npy", "it ends early"),
        ("damaged.npy", "it is not an .npy file"),
        ("damaged.npz", "it is a broken archive"),
        (
            "picture.tiff",
            "it is neither a NumPy file (.npy, .npz) nor a text; in NESL `read_string_from_file`",
        ),
    ] {
        let (out, said, status) = folder.run(&["run", "-e", "x", "--arg", &format!("x=@{file}")]);
        assert_eq!((out.as_str(), status), ("", Some(2)), "{file}: {said}");
        assert!(said.contains(&format!("cannot use `{file}`: {why}")), "{said}");
    }
    let grey = "fn main<n>(x: [n]u8) -> dim {\n  ret n\n}\n";
    folder.put("grey.lcu", grey);
    assert_eq!(folder.run(&["run", "grey.lcu", "@picture.tiff"]).0, "8\n");
    assert_eq!(folder.run(&["run", "grey.lcu", "@damaged.npy"]).2, Some(2));
}

/// A file of no elements with this shape.
fn empty_npy(shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\0"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat()
}

#[test]
fn rows_without_elements_need_room_too() {
    let folder = Folder::new("rows");
    folder.put("most.npy", empty_npy("(9223372036854775807, 0)"));
    folder.put("many.npy", empty_npy("(1000000000, 0)"));
    folder.put("few.npy", empty_npy("(3, 0)"));
    folder.put("rows.lcu", "fn main<n, s: seg[n]>(x: [s]f64) -> dim {\n  ret n\n}\n");
    folder.put("grid.lcu", "fn main<n, m>(x: [n, m]f64) -> dim {\n  ret n\n}\n");
    for (file, fits) in [("most.npy", false), ("many.npy", false), ("few.npy", true)] {
        let arg = format!("x=@{file}");
        let (out, said, status) =
            folder.run_under("ulimit -v 4000000", &["run", "-e", "#x", "--arg", &arg, "--memory", "200M"]);
        assert_eq!(status, Some(if fits { 0 } else { 2 }), "{file}: {out}{said}");
        assert!(fits || said.contains("there is room for 209715200"), "{said}");
        let at = format!("@{file}");
        let (out, said, status) =
            folder.run_under("ulimit -v 4000000", &["run", "grid.lcu", &at, "--memory", "200M"]);
        assert!(
            status == Some(0) || matches!(status, Some(1 | 2)) && !fits,
            "{file}: {status:?} {out}{said}"
        );
        let (_, said, status) =
            folder.run_under("ulimit -v 4000000", &["run", "rows.lcu", &at, "--memory", "200M"]);
        assert!(matches!(status, Some(0..=2)), "{file}: {status:?} {said}");
        assert!(fits || !said.contains("panicked"), "{said}");
    }
}

#[test]
fn the_interpreter_of_nested_programs_heeds_the_limit_of_memory() {
    let folder = Folder::new("core");
    for text in [
        "#index(100000000)",
        "function g(n) : int -> int = sum({g(n - 1) : i in index(100000)}); g(1000)",
        "function g(v, n) : ([int], int) -> int = if n == 0 then #v else g(v ++ v, n - 1); g([1], 60)",
    ] {
        let (out, said, status) = folder
            .run_under("ulimit -v 4000000", &["run", "-e", text, "--device", "core", "--memory", "100M"]);
        assert_eq!((out.as_str(), status), ("", Some(1)), "{text}: {said}");
        assert!(
            said.contains("out of memory") && said.contains("at most 104857600 are allowed"),
            "{text}: {said}"
        );
    }
    assert_eq!(
        folder.run(&["run", "-e", "sum(index(1000))", "--device", "core", "--memory", "1M"]).2,
        Some(0)
    );
}

#[test]
fn files_without_end_are_not_read() {
    let folder = Folder::new("endless");
    let text = "#read_string_from_file(\"/dev/zero\")";
    let (out, ..) = folder.run_under("ulimit -v 4000000", &["run", "-e", text, "--memory", "100M"]);
    assert!(out.contains("it takes more than the 104857600 bytes that there is room for"), "{out}");
    let (_, said, status) = folder
        .run_under("ulimit -v 4000000", &["run", "-e", "#x", "--arg", "x=@/dev/zero", "--memory", "100M"]);
    // The message is below whether all went well.
    let zero = "FUNC MAIN CONST CHAR \"/dev/zero\" CONST INT 1 FOPEN POP 2 0\n\
                CONST CHAR \"x\" CONST INT -1 COPY 1 2 FREAD_CHAR POP 1 0 WRITE CHAR RET\n";
    folder.put("zero.vcode", zero);
    let (_, why, _) = folder.run_under("ulimit -v 4000000", &["run", "zero.vcode", "--memory", "100M"]);
    assert!(why.contains("it takes more than the 104857600 bytes that there is room for"), "{why}");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("more than the 104857600 bytes that there is room for"), "{said}");
}

#[test]
fn many_messages_about_one_line_take_little() {
    let folder = Folder::new("messages");
    folder.put("many.nesl", "zz;".repeat(30_000));
    folder.put("many.lcu", format!("fn main() {{ {} }}\n", "ret @ ".repeat(15_000)));
    folder.put("many.vcode", format!("FUNC MAIN {} RET\n", "QQ ".repeat(30_000)));
    for file in ["many.nesl", "many.lcu", "many.vcode"] {
        let start = Instant::now();
        let (_, said, status) = folder.run_under("ulimit -v 3000000", &["check", file]);
        assert_eq!(status, Some(1), "{file}");
        assert!(said.len() < 200_000, "{file}: {} bytes", said.len());
        assert!(start.elapsed() < Duration::from_secs(60), "{file}: {:?}", start.elapsed());
    }
    let (_, said, _) = folder.run(&["check", "many.nesl"]);
    assert!(
        said.contains("… and 29900 more messages\n") && said.ends_with("refused: 30000 errors\n"),
        "{said}"
    );
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = Folder::new("full");
    folder.put("out.npy", "before");
    folder.put("out.npz", "before");
    for out in ["out.npy", "out.npz"] {
        // No file may become longer than some kilobytes; who asks to be told is told.
        let (_, said, status) =
            folder.run_under("trap '' XFSZ; ulimit -f 8", &["run", "-e", "index(100000)", "-o", out]);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(&format!("cannot write `{out}`")), "{said}");
        assert_eq!(std::fs::read_to_string(folder.0.join(out)).unwrap(), "before");
    }
    let names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_command_that_fails_ends_a_run() {
    let folder = Folder::new("load");
    folder.put("inner.nesl", "x = 1; 1 / 0; print_line(\"inner\");");
    folder.put("outer.nesl", "load \"inner\"; print_line(\"after\");");
    for text in [
        "load \"nowhere\"; print_line(\"after\");",
        "load \"inner\"; print_line(\"after\");",
        "load \"outer\"; print_line(\"after\");",
        "shell \"true\"; set nothing on; print_line(\"after\");",
    ] {
        folder.put("main.nesl", text);
        let (out, said, status) = folder.run(&["run", "main.nesl"]);
        assert_eq!(status, Some(1), "{text}: {out}{said}");
        assert!(
            !out.contains("after") && !out.contains("inner\n") && !said.is_empty(),
            "{text}: {out}{said}"
        );
    }
    folder.put("inner.nesl", "x = 1; print_line(\"inner\");");
    let (out, _, status) = folder.run(&["run", "outer.nesl"]);
    assert_eq!((out.contains("inner\n") && out.contains("after\n"), status), (true, Some(0)), "{out}");
}

#[test]
fn ctrl_c_ends_the_reading_of_a_program_at_once() {
    let folder = Folder::new("reading");
    let numbers: Vec<String> = (0..3_000_000).map(|number| number.to_string()).collect();
    folder.put("long.nesl", format!("#[{}];", numbers.join(", ")));
    let mut child =
        folder.command(&["run", "long.nesl"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "it is still being read");
    let start = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let took = start.elapsed();
    let said = words(child.wait_with_output().unwrap()).1;
    assert_eq!((said.as_str(), status.code()), ("interrupted\n", Some(130)));
    assert!(took < Duration::from_millis(900), "{took:?}");
}
