//! No text makes the parser panic or overflow the stack, and what it accepts comes back from print.

use nestled_ir::compact::compact;
use nestled_ir::text::{parse, print};

/// A small generator of random numbers (splitmix64), so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

const EXAMPLES: &[&str] = &[
    include_str!("data/every_construct.lcu"),
    "thunk f(x: f32) -> (f32, i64) {\n  (a, b) = while (k = 0i64, x = x) { lt k 3 } do {\n    add k 1, mul x 2\n  }\n  b, a\n}\n",
    "kernel k(xs: [n]f32) over n {\n  p = map { i => gt xs[i] 0.0 }\n  (m, ys) = filter where p { i => xs[i] }\n  ret m, ys\n}\n",
    "fn main() -> i64 {\n  x = if true { 1 } else { 2i64 }\n  check (lt x 3) \"E\"\n  ret add x 1\n}\n",
];

const WORDS: &[&str] = &[
    "fn",
    "kernel",
    "thunk",
    "monoid",
    "over",
    "ret",
    "if",
    "else",
    "for",
    "in",
    "with",
    "while",
    "do",
    "check",
    "map",
    "once",
    "reduce",
    "scan",
    "filter",
    "partition",
    "permute",
    "where",
    "to",
    "base",
    "range",
    "clash",
    "drop",
    "last",
    "proved",
    "fault",
    "clamp",
    "wrap",
    "exclusive",
    "private",
    "len",
    "start",
    "dim",
    "seg",
    "regular",
    "view",
    "run",
    "each",
    "sort",
    "ascending",
    "print",
    "same",
    "reshape",
    "sites",
    "unit",
    "combine",
    "add",
    "mul",
    "select",
    "f32",
    "idx",
    "bool",
    "f16",
    "x",
    "y",
    "xs",
    "n",
    "s",
    "i",
    "_",
    "%7",
    "x.7",
    "`a b`",
    "1",
    "-1",
    "0x1f",
    "1.5",
    "1e9f32",
    "0x3c00f16",
    "inf.f32",
    "-nan",
    "true",
    "99999999999999999999999",
    "\"a\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ":",
    "=",
    "=>",
    "->",
    "..",
    "+",
    "-",
    "*",
    "!",
    "!3",
    "@",
    "@1",
    "\n",
    "\n",
    "\n",
    " ",
    "; c\n",
];

/// Parses; what is a program must print and come back as the same program. Answers whether it is one.
#[track_caller]
fn check(text: &str) -> bool {
    match parse("random.lcu", text) {
        Ok(program) => {
            let printed = print(&program);
            let again = parse("printed.lcu", &printed)
                .unwrap_or_else(|failure| panic!("--- from\n{text}\n--- printed\n{printed}\n{failure}"));
            assert!(again == program, "--- from\n{text}\n--- printed\n{printed}");
            assert!(compact(&program) == program, "--- from\n{text}\n--- printed\n{printed}");
            true
        }
        Err(failure) => {
            assert!(!failure.diagnostics.is_empty());
            assert!(!failure.to_string().is_empty());
            false
        }
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..random.below(80)).map(|_| random.next() as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
        let ascii: String = bytes.iter().map(|byte| char::from(byte % 128)).collect();
        check(&ascii);
    }
}

#[test]
fn random_words() {
    let mut random = Random(2);
    for round in 0..3000 {
        let mut text = String::new();
        if round % 2 == 0 {
            text += random.pick(&[
                "fn main() {\n",
                "kernel k(xs: [n]f32) over n {\n",
                "thunk t(x: f32) -> f32 {\n",
            ]);
        }
        for _ in 0..random.below(60) {
            text += random.pick(WORDS);
            if random.below(4) > 0 {
                text.push(' ');
            }
        }
        check(&text);
    }
}

/// Pieces of a text: words, marks, spaces and line breaks.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c == ' ' {
            2
        } else {
            3
        }
    };
    for (at, c) in text.char_indices().skip(1) {
        let before = text[start..].chars().next().unwrap();
        if class(before) != class(c) || class(c) == 3 {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn mutate(parts: &mut Vec<&str>, others: &[&'static str], random: &mut Random) {
    if parts.is_empty() {
        return;
    }
    let at = random.below(parts.len());
    let other = random.below(parts.len());
    match random.below(5) {
        0 => drop(parts.remove(at)),
        1 => parts.insert(at, parts[other]),
        2 => parts.swap(at, other),
        3 => parts[at] = random.pick(others),
        _ => parts.insert(at, random.pick(others)),
    }
}

#[test]
fn changed_words_of_programs() {
    let mut random = Random(3);
    let mut accepted = 0;
    for _ in 0..2500 {
        let text = random.pick(EXAMPLES);
        let mut parts = pieces(text);
        for _ in 0..=random.below(3) {
            mutate(&mut parts, WORDS, &mut random);
        }
        accepted += usize::from(check(&parts.concat()));
    }
    assert!(accepted > 50, "only {accepted} texts were programs");
}

#[test]
fn changed_lines_of_programs() {
    let mut random = Random(4);
    for _ in 0..1500 {
        let text = random.pick(EXAMPLES);
        let mut parts: Vec<&str> = text.split_inclusive('\n').collect();
        for _ in 0..=random.below(3) {
            mutate(&mut parts, &["}\n", "  ret x\n", "  x = add x 1\n", "{\n"], &mut random);
        }
        check(&parts.concat());
    }
}

#[test]
fn programs_cut_off_anywhere() {
    for text in EXAMPLES {
        for (at, _) in text.char_indices().step_by(3) {
            check(&text[..at]);
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let many = 100_000;
    let texts = [
        format!("fn main() -> i64 {{\n  ret {}1i64\n}}\n", "(".repeat(many)),
        format!("fn main() -> i64 {{\n  ret {}\n}}\n", "(neg ".repeat(many)),
        format!("thunk t(i: idx) -> idx {{\n  private a: [3]idx\n  a[i{}]\n}}\n", " + 1".repeat(many)),
        format!("thunk t(i: idx) -> idx {{\n  private a: [3]idx\n  a[i{}]\n}}\n", " * i".repeat(many)),
        format!("thunk t(i: idx) -> idx {{\n  private a: [3]idx\n  {}i\n}}\n", "a[".repeat(many)),
        format!("thunk t(i: idx) -> idx {{\n  private a: [3]idx\n  a[i] {}\n}}\n", "else a[i] ".repeat(many)),
        format!("thunk t(x: bool) {{\n{}\n}}\n", "if x {\n".repeat(many)),
        format!("fn main() {{\n  x = {}\n}}\n", "[".repeat(many)),
        "{".repeat(many),
        format!("fn main{}", "<".repeat(many)),
    ];
    for text in texts {
        let failure = parse("deep.lcu", &text).unwrap_err();
        assert!(failure.diagnostics.iter().all(|diagnostic| diagnostic.code.starts_with("L00")), "{failure}");
        assert!(failure.diagnostics.len() < 60);
    }
}

#[test]
fn nesting_up_to_the_limit_works() {
    let deep = 280;
    let text =
        format!("fn main(x: i64) -> i64 {{\n  ret {}x{}\n}}\n", "neg (".repeat(deep), ")".repeat(deep));
    check(&text);
    assert!(parse("deep.lcu", &text).is_ok());
    let blocks =
        format!("thunk t(x: bool) {{\n{}{}\n}}\n", "if x {\n".repeat(deep), "\n} else { }".repeat(deep));
    assert!(parse("deep.lcu", &blocks).is_ok(), "{}", parse("deep.lcu", &blocks).unwrap_err());
    check(&blocks);
}

/// Changes ids of a program at random, so that it is no longer well-formed.
fn scramble(program: &mut nestled_ir::Program, random: &mut Random) {
    let number = |old: u32, random: &mut Random| match random.below(12) {
        0 => random.below(40) as u32,
        1 => u32::MAX - random.below(3) as u32,
        _ => old,
    };
    for thunk in program.all_thunks_mut() {
        thunk.n_params = random.below(4);
        for stmt in &mut thunk.body.stmts {
            stmt.kind.for_each_local(&mut |local| local.0 = number(local.0, random));
            stmt.kind.for_each_atom(&mut |atom| match atom {
                nestled_ir::Atom::Local(local) => local.0 = number(local.0, random),
                nestled_ir::Atom::Value(value) => value.0 = number(value.0, random),
                nestled_ir::Atom::Const(_) => {}
            });
        }
    }
    for kernel in &mut program.kernels {
        kernel.ret.iter_mut().for_each(|value| value.0 = number(value.0, random));
        kernel.params.iter_mut().for_each(|value| value.0 = number(value.0, random));
        for step in &mut kernel.steps {
            step.binds.iter_mut().for_each(|value| value.0 = number(value.0, random));
        }
        for value in &mut kernel.values {
            value.ty.for_each_symbol_mut(&mut |value| value.0 = number(value.0, random));
        }
    }
    for function in &mut program.functions {
        function.results.iter_mut().for_each(|value| value.0 = number(value.0, random));
        for stmt in &mut function.body.stmts {
            stmt.op.for_each_value(&mut |value| value.0 = number(value.0, random));
            match &mut stmt.op {
                nestled_ir::HostOp::Call { function, .. } => function.0 = number(function.0, random),
                nestled_ir::HostOp::Run { kernel, .. } => kernel.0 = number(kernel.0, random),
                _ => {}
            }
        }
    }
    program.thunks.truncate(program.thunks.len() - random.below(2));
    program.monoids.truncate(program.monoids.len() - random.below(2));
}

#[test]
fn programs_that_are_not_well_formed_print() {
    let mut random = Random(5);
    let program = parse("every.lcu", EXAMPLES[0]).unwrap();
    for _ in 0..150 {
        let mut changed = program.clone();
        scramble(&mut changed, &mut random);
        let text = print(&changed);
        assert!(text.contains("fn main"));
        // Nor do they break what renumbers them, or reading what was printed.
        print(&compact(&changed));
        let _ = parse("printed.lcu", &text);
    }
}
