//! The text form: the programs of the documentation, the way back from print, and canonical numbering.

use nestled_ir::Program;
use nestled_ir::compact::compact;
use nestled_ir::text::{parse, print};
use std::path::{Path, PathBuf};

/// The programs of `docs/lcu.md`, one after another.
fn page() -> String {
    let page = include_str!("../../../docs/lcu.md");
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| ["fn ", "kernel ", "thunk "].iter().any(|word| block.contains(word))).collect()
}

fn program(text: &str) -> Program {
    parse("test.lcu", text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Parses, prints, and parses again.
#[track_caller]
fn round_trip(name: &str, text: &str) -> String {
    let first = parse(name, text).unwrap_or_else(|failure| panic!("{failure}"));
    let printed = print(&first);
    let second =
        parse("printed.lcu", &printed).unwrap_or_else(|failure| panic!("{name}\n{printed}\n{failure}"));
    assert_eq!(print(&second), printed, "{name}: printed twice");
    assert!(first == second, "{name}: not the same program\n{printed}");
    assert!(compact(&first) == first, "{name}: not in canonical order\n{printed}");
    printed
}

/// A text that prints as it is.
#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(round_trip("test.lcu", text), text);
}

#[test]
fn the_programs_of_the_page_parse() {
    let text = page();
    let program = program(&text);
    assert!(program.kernels.len() >= 3 && program.functions.len() >= 3 && program.thunks.len() >= 2);
    round_trip("lcu.md", &text);
}

#[test]
fn the_library_texts_parse() {
    round_trip("math.lcu", &[include_str!("../src/math.lcu"), include_str!("../src/random.lcu")].concat());
}

/// Every `.lcu` file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lcu") {
            found.push(path);
        }
    }
}

#[test]
fn the_programs_of_the_corpus_come_back() {
    let mut found = Vec::new();
    files(Path::new("../../tests/programs"), &mut found);
    assert!(found.len() > 10);
    for path in found {
        round_trip(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn shape_arguments_are_left_out_where_arguments_tell_them() {
    unchanged(
        "kernel fill<n, m>(xs: [n]f32) over m {
  ys = map { i => xs[i wrap] }
  ret ys
}

kernel copy<n>(xs: [n]f32) over n {
  ys = map { i => xs[i] }
  ret ys
}

fn main<n>(xs: [n]f32) -> (k: dim, [k]f32) {
  k = dim 7
  ys = run copy(xs)
  zs = run fill<n, k>(ys)
  ret k, zs
}
",
    );
}

#[test]
fn every_construct_comes_back() {
    println!("{}", round_trip("every_construct.lcu", include_str!("data/every_construct.lcu")));
}

#[test]
fn sites_have_numbers_where_counting_gives_others() {
    unchanged(
        "sites 9

kernel k<n>(xs: [n]f32) over n {
  a = map { i => xs[i]!7 }
  b = map { i => add xs[i] a[i] }
  (s, c) = partition 3!2 { i =>
    check (gt a[i] 0.0) \"E\"
    rem i 3, b[i]
  }
  d = permute to [n] base 0.0f32 range fault!5 clash fault { i => i, xs[i clamp] else 0.0 }
  ret d
}

fn main(n: i64) -> i64 {
  k = dim (idx n)!1
  check (gt n 1) \"two\"!0
  check (gt n 2) \"three\"
  ret n
}
",
    );
}

#[test]
fn sites_are_counted_in_order_of_statements() {
    let text = "kernel k(xs: [n]idx, ys: [n]f32) over n {\n  a = map { i => ys[xs[i]] }\n  b = map { i => ys[i] }\n  ret a, b\n}\n";
    let program = program(text);
    assert_eq!(program.sites.len(), 3);
    let sites: Vec<_> = program.sites.iter().map(|&span| program.sources.describe(span).unwrap()).collect();
    assert_eq!(sites, ["test.lcu:2:21", "test.lcu:2:18", "test.lcu:3:18"]);
}

#[test]
fn names_that_clash_or_are_reserved_get_numbers() {
    unchanged(
        "kernel k<n>(xs: [n]f32) over n {
  map.1 = map { i => mul xs[i] 2.0 }
  ret map.1
}

fn `a name; with \\\"marks\\\" and \\`ticks\\``(x: i64, x.1: i64, _.1: i64, true.1: i64) -> i64 {
  add.1 = add x x.1
  x.2 = if gt add.1 0 {
    x.3 = add x 1
    x.3
  } else {
    x.4 = sub x 1
    x.4
  }
  `ö` = mul x.2 _.1
  ret select (eq `ö` true.1) `ö` add.1
}
"
        .replace("\\\"", "\"")
        .as_str(),
    );
}

#[test]
fn literals_keep_their_bits() {
    let bits32 =
        [0u64, 1, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0x0080_0000];
    let mut texts = Vec::new();
    for bits in bits32 {
        texts.push(format!("0x{bits:08x}f32"));
        texts.push(format!("0x{:016x}f64", bits << 32 | 0x12345));
    }
    texts.extend(
        ["0x7e01f16", "1e300f64", "-0.0f64", "16777217f32", "0.1f32", "5e-324f64", "0xffffffffi32"]
            .map(str::to_owned),
    );
    let text = texts.iter().map(|text| format!("  print {text}\n")).collect::<String>();
    let text = format!("fn main() {{\n{text}}}\n");
    let printed = round_trip("literals.lcu", &text);
    assert!(
        printed.contains("nan.f32") && printed.contains("-inf.f32") && printed.contains("0x7f800001f32"),
        "{printed}"
    );
    assert!(printed.contains("print 16777216.0f32") && printed.contains("print -1i32"), "{printed}");
}

#[test]
fn texts_keep_their_characters() {
    unchanged(
        "fn main() {\n  print \"\" \"a\\\\b\\\"c\\n\\t\\u{0}\\u{1}; λ, x\"\n  x = \"λ, \\\"x\\\"\"\n  y = [0, 255]u8\n  print x y\n}\n",
    );
}

#[test]
fn long_lines_are_broken_after_commas() {
    let names: Vec<String> = (0..60).map(|number| format!("parameter{number}: i64")).collect();
    let text = format!(
        "fn main({}) -> i64 {{\n  x = [{}]i32\n  ret 1\n}}\n",
        names.join(", "),
        vec!["1"; 300].join(", ")
    );
    let printed = round_trip("long.lcu", &text);
    assert!(printed.lines().all(|line| line.len() <= 104), "{printed}");
}

#[test]
fn intermediate_results_are_folded_where_that_keeps_the_order() {
    unchanged(
        "thunk t(x: i64, y: i64) -> (i64, i64) {
  %2 = add x 1
  %5 = add (mul (add y 1) %2) x
  add %5 %5, sub (mul x y) (mul y 2)
}
",
    );
}

#[test]
fn a_last_statement_may_give_the_results() {
    let same = |long: &str, short: &str| assert!(program(long) == program(short), "{long}\n{short}");
    same(
        "thunk t(x: i64) -> i64 {\n  %1 = if gt x 0 { x } else { neg x }\n  %1\n}\n",
        "thunk t(x: i64) -> i64 { if gt x 0 { x } else { neg x } }\n",
    );
    same(
        "thunk f(x: u32) -> (u32, u32) {\n  (%1, %2) = threefry x x x x\n  %1, %2\n}\n",
        "thunk f(x: u32) -> (u32, u32) { threefry x x x x }\n",
    );
    same(
        "thunk t(n: idx) -> idx {\n  %1 = for i in 0..n with (a = 0idx) { add a i }\n  %1\n}\n",
        "thunk t(n: idx) -> idx {\n  for i in 0..n with (a = 0idx) { add a i }\n}\n",
    );
}

#[test]
fn extents_that_are_declared_nowhere_come_first() {
    let program = program("fn f<m, s: seg[n]>(xs: [k, m]f32, ys: [s]f32) -> [k]f32 {\n  ret xs\n}\n");
    let function = &program.functions[0];
    let names: Vec<&str> =
        function.shapes.iter().map(|shape| &*function.values[shape.index()].name).collect();
    assert_eq!(names, ["n", "k", "m", "s"]);
}

#[test]
fn several_errors_in_one_run() {
    let failure = parse(
        "two.lcu",
        "fn f() -> i64 {\n  ret add 1i64 y\n}\nfn g() -> i64 {\n  z = nothing(3)\n  ret z\n}\n",
    )
    .unwrap_err();
    assert_eq!(
        failure.to_string(),
        "error[L0101]: unknown name `y`
 --> two.lcu:2:16
  |
2 |   ret add 1i64 y
  |                ^

error[L0101]: unknown function `nothing`
 --> two.lcu:5:7
  |
5 |   z = nothing(3)
  |       ^^^^^^^
"
    );
}

/// The codes of the messages about a text, from the parser or the verifier.
fn codes(text: &str) -> Vec<&'static str> {
    let diagnostics = match parse("example.lcu", text) {
        Ok(program) => nestled_ir::verify::verify(&program).err().unwrap_or_default(),
        Err(failure) => failure.diagnostics,
    };
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn the_examples_of_messages_give_these_messages() {
    let page = include_str!("../../../docs/errors.md");
    let mut checked = 0;
    for entry in page.split("\n**").skip(1) {
        let code = entry.split(' ').next().unwrap();
        for block in entry.split("```text\n").skip(1) {
            let text = block.split("```").next().unwrap();
            assert!(codes(text).contains(&code), "{code}: {:?}\n{text}", codes(text));
            checked += 1;
        }
    }
    assert!(checked > 10);
}

#[test]
fn every_message_of_the_parser_is_documented() {
    let page = include_str!("../../../docs/errors.md");
    let mut sources = Vec::new();
    rust_files(Path::new("src/text"), &mut sources);
    for path in sources {
        let source = std::fs::read_to_string(&path).unwrap();
        for code in source.split("\"L0").skip(1).map(|rest| format!("L0{}", &rest[..3])) {
            assert!(page.contains(&format!("**{code} ")), "{code} in {}", path.display());
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn an_empty_else_is_left_out() {
    unchanged(
        "thunk t(x: i64) -> i64 {
  private a: [3]i64
  if gt x 0 { a[0] = x }
  if gt x 1 {
    a[1] = x
    a[2] = 1
  }
  if gt x 2 { } else { a[1] = 0 }
  add a[0] a[1]
}

fn act(n: i64) {
  if gt n 0 {
    print n
    act(sub n 1)
  }
}
",
    );
}
