//! Each way out of each language, open and under `--sandbox`, from the lists of ways: one that nobody tries does not compile.
#![cfg(unix)]

use nestled_ir::interp::WayOut;
use nestled_nesl::primitive::HostCall;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Nesl,
    Vcode,
    Fcode,
    Lcu,
}

impl Language {
    const ALL: [Language; 4] = [Language::Nesl, Language::Vcode, Language::Fcode, Language::Lcu];

    fn extension(self) -> &'static str {
        match self {
            Language::Nesl => "nesl",
            Language::Vcode => "vcode",
            Language::Fcode => "fcode",
            Language::Lcu => "lcu",
        }
    }
}

/// A program that goes out, and how one sees that it came there.
struct Probe {
    text: String,
    sign: Sign,
}

enum Sign {
    /// This is printed.
    Prints(&'static str),
    /// This is not printed.
    Lacks(&'static str),
    /// This file is there, with these words in it.
    Makes(&'static str, &'static str),
}

use Sign::{Lacks, Makes, Prints};

fn probe(text: impl Into<String>, sign: Sign) -> Probe {
    Probe { text: text.into(), sign }
}

/// What is in the file `secret`, and in the variables of the environment.
const SECRET: &str = "s3cret";

/// The programs that take a way; none where a language has no words for it.
fn probes(way: WayOut, language: Language) -> Vec<Probe> {
    match language {
        Language::Nesl => nesl(way),
        // The same language; a listing of superoperators is optional.
        Language::Vcode | Language::Fcode => vcode(way),
        Language::Lcu => lcu(way),
    }
}

fn nesl(way: WayOut) -> Vec<Probe> {
    match way {
        WayOut::Files => vec![
            probe("read_string_from_file(\"secret\");", Prints(SECRET)),
            probe("write_string_to_file(\"words\", \"made\");", Makes("made", "words")),
            probe("append_string_to_file(\"words\", \"made\");", Makes("made", "words")),
            probe("let (s, e) = open_in_file(\"secret\") in read_line(s);", Prints(SECRET)),
            probe(
                "write_check(write_string(\"words\", open_check(open_out_file(\"made\"))));",
                Makes("made", "words"),
            ),
            probe("open_append_file(\"made\");", Makes("made", "")),
            probe("load \"secret\";", Prints("loaded")),
            probe("dump info \"made\";", Makes("made", "nestled")),
        ],
        WayOut::Drawings => vec![probe(
            "w = w_make_window(((0, 0), (20, 20)), \"made\", w_black, display); w_kill_window(w);",
            Makes("made.svg", "<svg"),
        )],
        WayOut::KeptFiles => vec![],
        WayOut::Processes => vec![
            probe("shell_command(\"cat secret\", \"\");", Prints(SECRET)),
            probe("spawn(\"cp secret made\", stdin, stdin, stderr);", Makes("made", SECRET)),
            probe("shell \"cp secret made\";", Makes("made", SECRET)),
            probe("set editor \"cp secret\"; edit \"made\";", Makes("made", SECRET)),
        ],
        WayOut::Environment => vec![
            probe("get_environment_variable(\"PROBE\");", Prints(SECRET)),
            probe("user;", Prints(SECRET)),
        ],
        WayOut::Clock => {
            vec![probe(
                "let a = start_timer(1); b = sum({i * a : i in index(100000)}) in stop_timer(b) > 0.0;",
                Prints("it = T"),
            )]
        }
        // `rand` is a function of its seed.
        WayOut::Entropy => vec![],
    }
}

fn vcode(way: WayOut) -> Vec<Probe> {
    let main = |body: &str| format!("FUNC MAIN\n{body}\nRET\n");
    let open = |mode: &str| format!("CONST CHAR \"made\" CONST INT {mode} FOPEN");
    match way {
        WayOut::Files => vec![
            probe(
                main(
                    "CONST CHAR \"secret\" CONST INT 1 FOPEN POP 2 0\n\
                     CONST CHAR \"\" CONST INT -1 COPY 1 2 FREAD_CHAR POP 3 0 WRITE CHAR",
                ),
                Prints(SECRET),
            ),
            probe(main(&open("2")), Makes("made", "")),
            probe(main(&open("3")), Makes("made", "")),
        ],
        WayOut::Processes => vec![probe(
            main("CONST CHAR \"cp secret made\" CONST INT 0 CONST INT 1 CONST INT 2 SPAWN"),
            Makes("made", SECRET),
        )],
        WayOut::Clock => vec![probe(
            main(
                "START_TIMER CONST INT 100000 MAKE_SEGDES CONST INT 100000 MAKE_SEGDES CONST INT 7 CPOP 1 2 DIST INT CPOP 1 1 +_REDUCE INT POP 1 0 STOP_TIMER",
            ),
            Lacks("( 0.00000000000000e+00 )"),
        )],
        // There are no instructions for these.
        WayOut::Drawings | WayOut::KeptFiles | WayOut::Environment | WayOut::Entropy => vec![],
    }
}

fn lcu(way: WayOut) -> Vec<Probe> {
    let main = |body: &str| format!("fn main() {{\n{body}\n}}\n");
    match way {
        WayOut::Files => vec![
            probe(
                main("  path = \"secret\"\n  (ok, k, bytes) = read_file path\n  print \"\" bytes"),
                Prints(SECRET),
            ),
            probe(
                main("  path = \"made\"\n  text = \"words\"\n  ok = write_file path text\n  print \"\" ok"),
                Makes("made", "words"),
            ),
            probe(
                main("  path = \"made\"\n  text = \"words\"\n  ok = append_file path text\n  print \"\" ok"),
                Makes("made", "words"),
            ),
        ],
        WayOut::Clock => vec![probe(main("  t = clock\n  print \"t \" t"), Lacks("t 0.0\n"))],
        WayOut::Entropy => vec![probe(main("  e = entropy\n  print \"e \" e"), Lacks("e 0\n"))],
        WayOut::Drawings | WayOut::KeptFiles | WayOut::Processes | WayOut::Environment => vec![],
    }
}

/// The function of the library that a call of the host is behind, where it goes out.
fn function_of(call: HostCall) -> Option<&'static str> {
    match call {
        HostCall::ReadFile => Some("read_string_from_file"),
        HostCall::WriteFile => Some("write_string_to_file"),
        HostCall::Open => Some("open_in_file"),
        HostCall::Shell => Some("shell_command"),
        HostCall::Variable => Some("get_environment_variable"),
        HostCall::Spawn => Some("spawn"),
        HostCall::Draw => Some("w_make_window"),
        // These want a stream, which the others open.
        HostCall::Close
        | HostCall::Read
        | HostCall::Write
        | HostCall::ReadColumn(_)
        | HostCall::WriteColumn(_) => None,
    }
}

/// A folder with a secret in it, where programs run.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sandbox-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        // A text, and a program in NESL.
        std::fs::write(path.join("secret"), format!("% {SECRET} % print_line(\"loaded\");\n")).unwrap();
        Folder(path)
    }

    fn run(&self, file: &str, options: &[&str]) -> std::process::Output {
        Command::new(env!("CARGO_BIN_EXE_nestled"))
            .args(["run", file, "--device", "reference"])
            .args(options)
            .current_dir(&self.0)
            .env("PROBE", SECRET)
            .env("USER", SECRET)
            .stdin(Stdio::null())
            .output()
            .expect("nestled starts")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a program came out, and what it printed and said.
fn comes_out(probe: &Probe, language: Language, options: &[&str]) -> (bool, String) {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = Folder::new(&number.to_string());
    let name = format!("program.{}", language.extension());
    std::fs::write(folder.0.join(&name), &probe.text).unwrap();
    let output = folder.run(&name, options);
    let printed =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let status = output.status.code();
    assert!(
        matches!(status, Some(0 | 1)) && !printed.contains("bug"),
        "{}\n{status:?} {printed}",
        probe.text
    );
    let out = match probe.sign {
        Prints(words) => printed.contains(words),
        Lacks(words) => status == Some(0) && !printed.contains(words),
        Makes(name, words) => {
            // A process may still be about to write it.
            let until = Instant::now() + Duration::from_millis(if options.is_empty() { 2000 } else { 50 });
            let there =
                || std::fs::read_to_string(folder.0.join(name)).is_ok_and(|text| text.contains(words));
            while !there() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
            }
            there()
        }
    };
    (out, printed)
}

fn each_way_is_open_and_closed(language: Language) {
    for way in WayOut::ALL {
        for probe in probes(way, language) {
            let (out, printed) = comes_out(&probe, language, &[]);
            assert!(out, "{language:?} {way:?}: it does not come out at all\n{}\n{printed}", probe.text);
            let (out, printed) = comes_out(&probe, language, &["--sandbox"]);
            assert!(!out, "{language:?} {way:?}\n{}\n{printed}", probe.text);
            assert!(!printed.contains(SECRET), "{language:?} {way:?}\n{}\n{printed}", probe.text);
        }
    }
}

#[test]
fn nesl_stays_inside() {
    each_way_is_open_and_closed(Language::Nesl);
}

#[test]
fn vcode_stays_inside() {
    each_way_is_open_and_closed(Language::Vcode);
}

#[test]
fn fcode_stays_inside() {
    each_way_is_open_and_closed(Language::Fcode);
}

#[test]
fn lcu_stays_inside() {
    each_way_is_open_and_closed(Language::Lcu);
}

/// The narrower options close what they say, and no more.
#[test]
fn files_and_processes_are_closed_by_themselves() {
    let options =
        [("--no-files", [WayOut::Files, WayOut::Drawings].as_slice()), ("--no-spawn", &[WayOut::Processes])];
    for (option, closed) in options {
        for language in Language::ALL {
            for way in [WayOut::Files, WayOut::Drawings, WayOut::Processes] {
                for probe in probes(way, language) {
                    let (out, printed) = comes_out(&probe, language, &[option]);
                    let same = out != closed.contains(&way);
                    assert!(same, "{option} {language:?} {way:?}\n{}\n{printed}", probe.text);
                }
            }
        }
    }
}

#[test]
fn every_way_and_every_call_of_the_host_is_tried() {
    for way in WayOut::ALL {
        let tried = Language::ALL.iter().any(|&language| !probes(way, language).is_empty());
        // What is kept after an internal error has tests beside `kept.rs`: no program makes one on purpose.
        assert!(tried || way == WayOut::KeptFiles, "{way:?}");
    }
    let texts: Vec<String> = WayOut::ALL.into_iter().flat_map(nesl).map(|probe| probe.text).collect();
    let calls = [
        HostCall::ReadFile,
        HostCall::WriteFile,
        HostCall::Open,
        HostCall::Shell,
        HostCall::Variable,
        HostCall::Spawn,
        HostCall::Draw,
    ];
    for function in calls.into_iter().filter_map(function_of) {
        assert!(texts.iter().any(|text| text.contains(function)), "{function}");
    }
}

/// What the session itself asks of the machine: the file that is loaded first, and commands that are typed.
#[test]
fn sessions_stay_inside() {
    use std::io::Write;
    let folder = Folder::new("session");
    std::fs::write(folder.0.join(".nesl"), "print_line(\"loaded\");").unwrap();
    let talk = |options: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
            .args(["repl", "--compat"])
            .args(options)
            .current_dir(&folder.0)
            .envs([("HOME", folder.0.to_str().unwrap()), ("PROBE", SECRET), ("USER", SECRET)])
            .env("NESTLED_DEVICE", "reference")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let typed = "user;\nload \"secret\";\nshell \"cat secret\";\ndump info \"made\";\nget_environment_variable(\"PROBE\");\n";
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    };
    let said = talk(&[]);
    assert!(said.contains(SECRET) && said.contains("loaded") && folder.0.join("made").exists(), "{said}");
    std::fs::remove_file(folder.0.join("made")).unwrap();
    let said = talk(&["--sandbox"]);
    assert!(!said.contains(SECRET) && !said.contains("loaded") && !folder.0.join("made").exists(), "{said}");
    for refused in ["files are", "processes are", "the environment is"] {
        assert!(said.contains(&format!("{refused} refused by --sandbox")), "{said}");
    }
}

#[test]
fn a_time_limit_ends_whatever_goes_on() {
    let folder = Folder::new("time");
    let endless = [
        ("loop.nesl", "function on(n) : int -> int = if n < 0 then n else on(n + 1); on(1);"),
        (
            "loop.lcu",
            "kernel on(x: i64) {\n  y = once {\n    (a) = while (a = x) { true } do { add a 1 }\n    a\n  }\n  ret y\n}\n\
             fn main() {\n  y = run on(1)\n  print y\n}\n",
        ),
        (
            "loop.vcode",
            "FUNC MAIN CONST INT 1 CALL ON RET\nFUNC ON CONST INT 1 + INT COPY 1 0 CONST INT 0 >= INT IF CALL ON ELSE ENDIF RET\n",
        ),
    ];
    for (name, text) in endless {
        std::fs::write(folder.0.join(name), text).unwrap();
        let start = Instant::now();
        let output = folder.run(name, &["--time-limit", "1s"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("`--time-limit` gave it 1 s"), "{name}: {said}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn options_that_say_nothing_to_a_program_are_refused() {
    let folder = Folder::new("options");
    std::fs::write(folder.0.join("p.nesl"), "1;").unwrap();
    std::fs::write(folder.0.join("p.lcu"), "fn main() {\n  print \"x\"\n}\n").unwrap();
    std::fs::write(folder.0.join("p.vcode"), "FUNC MAIN CONST INT 1 RET\n").unwrap();
    for (file, options, word) in [
        ("p.lcu", &["--json"][..], "--json"),
        ("p.lcu", &["--compat"], "--compat"),
        ("p.lcu", &["--drawings", "."], "--drawings"),
        ("p.lcu", &["-e", "1"], "-e"),
        ("p.lcu", &["--unchecked"], "--unchecked"),
        ("p.vcode", &["-o", "x.npy"], "--output"),
        ("p.vcode", &["--arg", "x=1"], "--arg"),
        ("p.nesl", &["--fn", "f"], "--fn"),
        ("p.nesl", &["--shape", "1"], "--shape"),
        ("p.nesl", &["-c"], "-c"),
    ] {
        let output = folder.run(file, options);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{file} {options:?}: {said}");
        assert!(said.starts_with(&format!("error: `{word}` says nothing to a program in ")), "{said}");
    }
    assert!(folder.run("p.lcu", &["--no-files", "--no-spawn", "--sandbox"]).status.success());
}

/// What reaches outside past the gate, word by word, and the files that may say it: they act on what the command line names.
#[test]
fn nothing_goes_past_the_gate() {
    let words = [
        "std::fs::",
        " fs::",
        "File::open",
        "File::create",
        "OpenOptions::new",
        "Command::new",
        ".spawn()",
        "env::var",
        "RandomState",
        "SystemTime",
    ];
    let allowed: [(&str, &[&str]); 9] = [
        // The files that the command line names.
        ("nestled-cli/src/files.rs", &["std::fs::", "File::open", "File::create", "OpenOptions::new"]),
        // Graphviz for `--draw`, which is refused with `--sandbox`.
        ("nestled-cli/src/commands/explain.rs", &["Command::new", ".spawn()"]),
        // Solvers for `--fuse ilp` and the files between, and the folder of `--lp`, all of which are refused with `--sandbox`.
        ("nestled-cli/src/mip.rs", &["std::fs::", "Command::new", "env::var", "RandomState"]),
        ("nestled-cli/src/explain/programs.rs", &["std::fs::"]),
        // The rates of a device, of a command that runs no program of the user's.
        ("nestled-cli/src/commands/calibrate.rs", &["std::fs::"]),
        // NO_COLOR.
        ("nestled-cli/src/output.rs", &["env::var"]),
        // The lines that somebody typed at the terminal, which are kept only where the gate lets files through.
        ("nestled-cli/src/nesl/editor.rs", &["env::var", "std::fs::"]),
        // Commands are put together there; the gate starts them.
        ("nestled-cli/src/nesl/world.rs", &["Command::new"]),
        ("nestled-vcode/src/world.rs", &["Command::new"]),
    ];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut past = Vec::new();
    for name in ["nestled-cli", "nestled-nesl", "nestled-vcode"] {
        for path in sources(&crates.join(name).join("src")) {
            let short = path.strip_prefix(&crates).unwrap().display().to_string();
            let may = allowed.iter().find(|(file, _)| *file == short).map_or(&[][..], |(_, words)| words);
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            // Who only names the type of an open file has not opened any.
            let is_code = |line: &&str| !line.trim_start().starts_with("//") && *line != "use std::fs::File;";
            let goes_out = |line: &&str| words.iter().any(|word| line.contains(word) && !may.contains(word));
            for line in text.lines().filter(is_code).filter(goes_out) {
                past.push(format!("{short}: {}", line.trim()));
            }
        }
    }
    assert!(past.is_empty(), "these go past the gate:\n{}", past.join("\n"));
    for (file, _) in allowed {
        assert!(crates.join(file).exists(), "{file}");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path]
                .into_iter()
                .filter(|path| path.extension().is_some_and(|end| end == "rs"))
                .collect(),
        })
        .collect()
}
