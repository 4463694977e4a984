//! Compile time: it grows with the text of a program and not with the ways through it, and a program of 100 000 lines is read like any other.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far above what these programs take (a second or two of one core), far below what doubling with each line of them would.
const LIMIT: Duration = Duration::from_secs(200);

/// What a command says of a program, which is written to a file of its own.
fn outcome(args: &[&str], name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the program can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(args)
        .arg(&path)
        .env("NESTLED_CACHE", "")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if start.elapsed() > LIMIT {
            child.kill().expect("it can be ended");
            panic!("{name}: {args:?} takes too long");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it has ended");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&said));
    String::from_utf8(said).expect("text")
}

/// Each function does nothing but call the next one twice.
#[test]
fn calls_of_calls_in_vcode() {
    let mut text = String::from("FUNC MAIN CALL F0 RET\n");
    for at in 0..40 {
        text += &format!("FUNC F{at} CALL F{0} CALL F{0} RET\n", at + 1);
    }
    text += "FUNC F40 CONST INT 1 POP 1 0 RET\n";
    assert!(outcome(&["check"], "calls.vcode", &text).contains("well-formed"));
}

#[test]
fn calls_of_calls_in_nesl() {
    let chain = |first: &str, depth: usize| {
        let mut text = format!("function f0(x) = {first};\n");
        for at in 1..=depth {
            text += &format!("function f{at}(x) = f{0}(x) + f{0}(x + 1);\n", at - 1);
        }
        text
    };
    let each = chain("#index(x)", 12) + "{f12(x) : x in [1, 2, 3]};\n";
    assert!(outcome(&["run"], "calls.nesl", &each).contains("[28672, 32768, 36864]"));
    // In the rounds of a loop.
    let rounds = chain("rem(x, 5)", 14)
        + "function rounds(n, x) = if n == 0 then x else rounds(n - 1, f14(x));\n{rounds(2, x) : x in [1, 2]};\n";
    assert!(outcome(&["run"], "rounds.nesl", &rounds).contains(": [int]"));
    // Nobody runs what is only looked at.
    let deep =
        chain("#index(x)", 200) + "function g(x) = if x == 0 then 0 else f200(x);\n{g(x) : x in [0, 0]};\n";
    assert!(outcome(&["run"], "deep.nesl", &deep).contains("[0, 0]"));
}

/// Each branch waits for the one before.
#[test]
fn long_chains_of_branches() {
    let mut text = String::from("function g(x) = if x < 0 then 1 ");
    for at in 1..90 {
        text += &format!("else if x > {} then sum([x]) ", 1000 - at);
    }
    text += "else 0;\n{g(x) : x in [-1, 5, 950]};\n";
    assert!(outcome(&["run"], "branches.nesl", &text).contains("[1, 0, 950]"));
}

#[test]
fn a_hundred_thousand_lines() {
    const LINES: usize = 100_000;
    let mut nesl = String::new();
    for at in 0..LINES / 4 {
        nesl += &format!(
            "function f{at}(x) =\n  if x > {} then x + {at}\n  else x * 2;\na{at} = f{at}({at});\n",
            at % 7
        );
    }
    assert!(outcome(&["check"], "large.nesl", &nesl).contains("well-typed"));
    let mut long = String::from("function h(x) =\n  let y0 = x + 1;\n");
    for at in 1..LINES - 3 {
        long += &format!("      y{at} = y{} * 3 + x;\n", at - 1);
    }
    long += &format!("  in y{};\nh(1);\n", LINES - 4);
    assert!(outcome(&["check"], "long.nesl", &long).contains("well-typed"));

    let n_kernels = LINES / 10;
    let mut lcu = String::new();
    let mut main = String::from("fn main(x0: [n]i64) -> [n]i64 {\n");
    for at in 0..n_kernels {
        lcu += &format!(
            "kernel k{at}(xs: [n]i64) over n {{\n  ys = map {{ i => add xs[i] {at} }}\n  ret ys\n}}\n"
        );
        main += &format!("  x{} = run k{at}(x{at})\n", at + 1);
    }
    let mut last = String::from("1i64");
    for at in 0..LINES - 5 * n_kernels - 3 {
        main += &format!("  y{at} = add {last} 1i64\n");
        last = format!("y{at}");
    }
    lcu += &format!("{main}  ret x{n_kernels}\n}}\n");
    let path = outcome(&["check"], "large.lcu", &lcu);
    assert!(path.contains("well-formed"), "{path}");

    let mut vcode = String::from("FUNC MAIN\nCONST INT (1 2 3)\n");
    for at in 0..LINES / 5 {
        vcode += &format!("CALL G{at}\n");
    }
    vcode += "RET\n";
    for at in 0..LINES / 5 {
        vcode += &format!("FUNC G{at}\nCOPY 1 0\n+ INT\nRET\n");
    }
    assert!(outcome(&["check"], "large.vcode", &vcode).contains("well-formed"));
}

/// How many lines the programs have that are run: 10 000, or what `cargo xtask long` says.
fn lines() -> usize {
    std::env::var("NESTLED_TEST_LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(10_000)
}

/// Statements that each want a kernel, one after another; each runs once, and few are worth compiling.
#[test]
fn many_statements_run() {
    let mut text = String::new();
    for at in 0..lines() / 4 {
        text += &format!(
            "function f{at}(x) =\n  if x > {} then x + {at}\n  else x * 2;\na{at} = f{at}({at});\n",
            at % 7
        );
    }
    text += "a5 + a100;\n";
    assert!(outcome(&["run"], "statements.nesl", &text).contains("it = 210 : int"));
}

#[test]
fn long_bodies_run() {
    let count = lines();
    let mut nesl = String::from("function h(x) =\n  let y0 = x + 1;\n");
    let mut lcu = String::from("fn main(x: i64) -> i64 {\n  y0 = add x 1\n");
    let (mut vcode, mut wanted) = (String::from("FUNC MAIN\nCONST INT 2\n"), 2i64);
    for at in 1..count {
        nesl += &format!("      y{at} = y{} * 3 + x;\n", at - 1);
        lcu += &format!("  y{at} = add (mul y{} 3) x\n", at - 1);
        vcode += if at % 2 == 0 { "CONST INT 3\n* INT\n" } else { "CONST INT 1\n+ INT\n" };
        wanted = wanted.wrapping_mul(3).wrapping_add(1);
    }
    nesl += &format!("  in y{};\nh(1);\n", count - 1);
    lcu += &format!("  ret y{}\n}}\n", count - 1);
    vcode += "RET\n";
    assert!(outcome(&["run"], "body.nesl", &nesl).contains(&format!("it = {wanted} : int")));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("body.lcu");
    std::fs::write(&path, lcu).expect("the program can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_nestled")).arg("run").arg(&path).arg("1").output();
    let output = String::from_utf8(output.expect("the command runs").stdout).expect("text");
    assert_eq!(output.trim(), wanted.to_string());
    assert!(outcome(&["run"], "body.vcode", &vcode).contains('('));
}

/// Functions of one kernel each, all on one vector.
#[test]
fn many_functions_run() {
    let count = lines() / 5;
    let mut text = String::from("FUNC MAIN\nCONST INT (1 2 3)\n");
    text += &(0..count).map(|at| format!("CALL G{at}\n")).collect::<String>();
    text += "RET\n";
    text += &(0..count).map(|at| format!("FUNC G{at}\nCOPY 1 0\n+ INT\nRET\n")).collect::<String>();
    assert!(outcome(&["run"], "functions.vcode", &text).contains("( 0 0 0 )"));
}

/// What is long is not nested: arguments, results, lists and blocks of λcu.
#[test]
fn flat_programs_meet_no_limit_of_depth() {
    let list = |part: &dyn Fn(usize) -> String| (0..1000).map(part).collect::<Vec<_>>().join(", ");
    let (types, names) = (list(&|at| format!("x{at}: i64")), list(&|at| format!("x{at}")));
    let results = list(&|_| "i64".to_owned());
    let mut text = format!("fn id({types}) -> ({results}) {{\n  ret {names}\n}}\nfn main() -> i64 {{\n");
    text += &format!("  xs = [{}]i64\n", list(&|at| at.to_string()));
    text += &(0..1000).map(|at| format!("  x{at} = add {at} 1i64\n")).collect::<String>();
    text += &format!("  ({}) = id({names})\n  ret y999\n}}\n", list(&|at| format!("y{at}")));
    assert!(outcome(&["run"], "flat.lcu", &text).contains("1000"));
}
