//! NESL from outside: pipes, files, drawings, Ctrl-C.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn nestled(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nestled"));
    command
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("HOME", "/nowhere");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end with this on standard input.
fn run(args: &[&str], input: &str) -> (String, String, Option<i32>) {
    let mut child = nestled(args).spawn().expect("nestled starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(stdout), text(stderr), status.code())
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_session_from_a_pipe() {
    let (out, err, status) =
        run(&["repl"], "x = 2;\n1 / 0;\nx +\n 1;\nprint_string(\"hi\");\n@\"a;\n;b\";\n");
    assert_eq!(
        out,
        "\nx = 2 : int\n\nit = 3 : int\nhi\nit = T : bool\n\nit = \"[`a, `;, `\n, `;, `b]\" : [char]\n"
    );
    assert!(err.starts_with("RUNTIME ERROR: division by zero\nerror[E:divide]"), "{err}");
    assert_eq!(status, Some(0));
}

#[test]
fn programs_read_standard_input() {
    let (out, ..) = run(&["run", "-e", "read_check(read_line(stdin))"], "a line\nanother\n");
    assert_eq!(out, "it = (\"a line\", F) : [char], bool\n");
    let (out, ..) = run(&["repl", "--compat"], "prompt(\"who? \");\nAda\n1;\n");
    assert_eq!(out, "who? \nit = \"Ada\" : [char]\n\nit = 1 : int\n");
}

#[test]
fn messages_come_after_what_was_printed_before() {
    let both = "{ cat <<< 'print_line(\"one\"); 1 / 0; print_line(\"two\");' | $0 repl; } 2>&1";
    let output =
        Command::new("bash").args(["-c", both, env!("CARGO_BIN_EXE_nestled")]).output().expect("bash");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let places = ["one", "RUNTIME ERROR", "two"].map(|part| text.find(part).expect(part));
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn processes() {
    let program = "let ((i, o, e), r) = spawn(\"tr a-z A-Z\", nullstr, nullstr, stderr);
                       sent = write_check(write_string(\"some words\", i));
                       closed = close_check(close_file(i));
                       ((line, eof), s) = read_line(o)
                   in (line, eof);
                   first(rest(spawn(\"no-such-program\", nullstr, nullstr, nullstr)));
                   #shell_command(\"cat\", dist(`x, 1000000));";
    let (out, err, _) = run(&["run", "-e", program], "");
    assert_eq!(out, "it = (\"SOME WORDS\", T) : [char], bool\nit = F : bool\nit = 1000000 : int\n", "{err}");
}

#[test]
fn numpy_files_go_in_and_out() {
    let file = temporary("matrix.npy");
    let name = file.to_str().expect("UTF-8");
    let (out, err, _) = run(&["run", "-e", "{{float(i * j) : j in [0:3]} : i in [0:2]}", "-o", name], "");
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    let (out, ..) = run(&["run", "-e", "m; {sum(row) : row in m}", "--arg", &format!("m=@{name}")], "");
    assert_eq!(out, "it = [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0]] : [[float]]\nit = [0.0, 3.0] : [float]\n");
    let (_, err, status) = run(&["run", "-e", "[[1], [] int]", "-o", name], "");
    assert!(err.contains("give the file a name that ends with .npz"), "{err}");
    assert_eq!(status, Some(2));
    let archive = temporary("nested.npz");
    let (_, err, _) = run(&["run", "-e", "(t, [[1], [] int])", "-o", archive.to_str().expect("UTF-8")], "");
    assert_eq!(err, "");
    let bytes = std::fs::read(archive).expect("the archive");
    for name in ["0.npy", "1.lengths.npy", "1.elements.npy"] {
        assert!(bytes.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
    let bytes = temporary("bytes.bin");
    std::fs::write(&bytes, b"a\xffb").expect("a writable folder");
    let (out, ..) =
        run(&["run", "-e", "{char_code(c) : c in s}", "--arg", &format!("s=@{}", bytes.display())], "");
    assert_eq!(out, "it = [97, 255, 98] : [int]\n");
}

#[test]
fn all_but_what_is_written_is_shown() {
    let file = temporary("last.npy");
    let name = file.to_str().expect("UTF-8");
    let (out, err, _) = run(&["run", "-e", "1; x = 2; [x]; y = 3", "-o", name], "");
    assert_eq!((out.as_str(), err.as_str()), ("it = 1 : int\n", ""));
    let (out, ..) = run(&["run", "-e", "v", "--arg", &format!("v=@{name}")], "");
    assert_eq!(out, "it = [2] : [int]\n");
}

#[test]
fn tables_and_pictures_go_in_and_out() {
    let cases = [
        ("ragged.json", "[[1.5], [] float, [2.0, 3.0]]", "[[1.5], [], [2.0, 3.0]] : [[float]]"),
        ("pair.json", "(1, \"two\", [t])", "(1, \"two\", [T]) : int, [char], [bool]"),
        ("ragged.csv", "[[1], [] int, [2, 3]]", "[[1], [], [2, 3]] : [[int]]"),
        (
            "people.csv",
            "[(\"a,b\", 1.5), (\"7\", 2.5)]",
            "[(\"a,b\", 1.5), (\"7\", 2.5)] : [([char], float)]",
        ),
        ("gray.png", "[[0, 255], [300, -1]]", "[[0, 255], [255, 0]] : [[int]]"),
        ("colour.png", "[[(1.0, 0.5, 0.0)]]", "[[(255, 128, 0)]] : [[(int, int, int)]]"),
    ];
    for (name, value, shown) in cases {
        let file = temporary(name);
        let file = file.to_str().expect("UTF-8");
        let (out, err, _) = run(&["run", "-e", value, "-o", file], "");
        assert_eq!((out.as_str(), err.as_str()), ("", ""), "{name}");
        let (out, err, _) = run(&["run", "-e", "x", "--arg", &format!("x=@{file}")], "");
        assert_eq!(out, format!("it = {shown}\n"), "{name}: {err}");
    }
    let (_, err, status) =
        run(&["run", "-e", "[[1], [2, 3]]", "-o", temporary("x.png").to_str().expect("UTF-8")], "");
    assert!(err.contains("the rows of a picture are of one length"), "{err}");
    assert_eq!(status, Some(2));
}

#[test]
fn lists_of_many_types_end_in_an_error() {
    let (file, pairs) = (temporary("many.json"), 100_000);
    std::fs::write(&file, format!("[{}0]", "0, \"a\", ".repeat(pairs))).expect("a writable folder");
    let (_, err, status) = run(&["run", "-e", "x", "--arg", &format!("x=@{}", file.display())], "");
    assert!(
        err.contains("a list in it has 200001 values of different types; a tuple has up to 200"),
        "{err}"
    );
    assert_eq!(status, Some(2));
}

#[test]
fn a_program_on_standard_input_has_a_language() {
    let (out, ..) = run(&["run", "-", "--lang", "nesl"], "1 + 1;\n");
    assert_eq!(out, "it = 2 : int\n");
    let (out, ..) = run(&["check", "-", "--lang", "nesl"], "1 + 1;\n");
    assert_eq!(out, "<stdin>: well-typed (0 functions, 1 other statement)\n");
    let (out, ..) = run(&["run", "-", "--lang", "vcode"], "FUNC MAIN CONST INT 7 RET\n");
    assert_eq!(out, "( 7 )\n");
}

#[test]
fn times_are_whole_microseconds() {
    for device in ["cpu", "core"] {
        let (out, ..) = run(
            &["run", "--device", device, "-e", "let (total, seconds) = time(sum([0:1000])) in seconds"],
            "",
        );
        let text = out.strip_prefix("it = ").and_then(|rest| rest.split(' ').next()).expect("a value");
        let micros = text.parse::<f64>().expect("a number") * 1e6;
        assert!((micros - micros.round()).abs() < 1e-6, "{out}");
    }
}

#[test]
fn drivers_say_nothing() {
    let mut command = nestled(&["devices"]);
    // There is no desktop, which loaders of drivers complain about.
    command.env_remove("XDG_RUNTIME_DIR").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let output = command.output().expect("nestled starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("cpu "));
}

#[test]
fn drawings_become_files() {
    let folder = temporary("drawings");
    std::fs::create_dir_all(&folder).expect("a folder");
    let folder = folder.to_str().expect("UTF-8").to_owned();
    let args = ["run", "tests/cli/programs/drawing.nesl", "--drawings", &folder];
    let (out, err, _) = run(&args, "");
    assert!(out.ends_with("it = \"quit\" : [char]\nit = T : bool\n"), "{out}{err}");
    let text = std::fs::read_to_string(Path::new(&folder).join("some-drawing.svg")).expect("a drawing");
    for part in
        ["<title>Some Drawing</title>", "&lt;text&gt;", "M35 115h0M60 90h0", ">quit</text>", "base64,iVBOR"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let (out, ..) = run(&[&args[..], &["--no-files"]].concat(), "");
    assert!(out.starts_with("drawings are refused by --no-files"), "{out}");
}

#[test]
fn ctrl_c_ends_a_program() {
    let endless = "function forever(v) = if #v == 0 then v else forever(reverse(v)); print_line(\"begun\"); read_line(stdin); forever([1, 2])";
    let mut child = nestled(&["run", "-e", endless]).spawn().expect("nestled starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    lines.next().expect("a line").expect("UTF-8");
    child.stdin.take().expect("a pipe").write_all(b"go\n").expect("a reader");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    lines.for_each(drop);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "interrupted\n");
}
