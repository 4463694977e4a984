//! Random conversations with the top level: statements, commands, broken lines, endless ones. No panic, no hang; and what is read line by
//! line means what it means as a whole. `SEED=7` in the environment gives other conversations.

use crate::common::random::Random;
use nestled_nesl::interp::{Limits, TestWorld};
use nestled_nesl::{Dialect, TopLevel};
use std::time::Instant;

const WORDS: [&str; 60] = [
    "set",
    "trace",
    "profile",
    "print_length",
    "arg_check",
    "on",
    "off",
    "show",
    "code",
    "status",
    "describe",
    "apropos",
    "load",
    "get",
    "dump",
    "info",
    "vcode",
    "shell",
    "edit",
    "help",
    "defconfig",
    "x",
    "y",
    "g",
    "h",
    "pt",
    "it",
    "take",
    "sum",
    "1",
    "0",
    "2.5",
    "\"ab\"",
    "`a",
    "=",
    "|=",
    "&=",
    ":=",
    "+",
    "->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "|",
    ";",
    "$",
    "let",
    "in",
    "if",
    "then",
    "else",
    "function",
    "%",
    "=>",
    "?",
];

/// Statements that are fine by themselves, in some order.
const STATEMENTS: [&str; 34] = [
    "x = 1",
    "y = [1, 2, 3]",
    "function g(x) = x + 1",
    "function g(x) \"doc\" = let y = x * 2; z = y in if z > 3 then z else g(z + 1)",
    "function h(v) = {g(x) : x in v}",
    "datatype pt(a, a) :: (a in number)",
    "g(x)",
    "h(y)",
    "pt(x, x)",
    "set trace g 2",
    "set trace g 4",
    "set trace h 3",
    "set trace take 1",
    "set trace off",
    "set profile g on",
    "set profile off",
    "set arg_check off",
    "set arg_check on",
    "set print_length 2",
    "show code g",
    "describe g",
    "describe sort",
    "apropos scan",
    "(x, z) = (y, x)",
    "z |= {x * x : x in y}",
    "w &= sum(y)",
    "get w",
    "take(y, 9)",
    "print_line(@y)",
    "write_object_to_file(y, \"o\")",
    "read_object_from_file([] int, \"o\")",
    "write_string_to_file(\"x = 7; load \\\"l\\\";\", \"l\")",
    "load \"l\"",
    "show status",
];

fn top(dialect: Dialect) -> TopLevel {
    let mut top = TopLevel::new(dialect);
    top.session.limits = Limits { steps: 100_000, depth: 5_000, ..Limits::default() };
    top
}

fn converse(dialect: Dialect, text: &str) -> TestWorld {
    let mut world = TestWorld::typing(text);
    top(dialect).converse(&mut world);
    world
}

#[test]
fn random_conversations_never_panic() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let mut text = String::new();
        for _ in 0..30 {
            match random.below(3) {
                0 => {
                    for _ in 0..1 + random.below(8) {
                        text.push_str(random.pick(&WORDS));
                        text.push_str(if random.below(6) == 0 { "\n" } else { " " });
                    }
                }
                _ => {
                    let statement = random.pick(&STATEMENTS);
                    let cut = statement.len()
                        - if random.below(5) == 0 { random.below(statement.len()) } else { 0 };
                    text.push_str(&statement[..cut]);
                }
            }
            text.push_str(random.pick(&[";\n", "$\n", ";\n", "; ", "\n"]));
        }
        converse(if round % 2 == 0 { Dialect::default() } else { Dialect::COMPAT }, &text);
    }
}

#[test]
fn lines_do_not_matter() {
    let mut random = Random::new(12);
    for _ in 0..40 {
        let statements: Vec<&str> = (0..20).map(|_| random.pick(&STATEMENTS)).collect();
        let together = converse(Dialect::default(), &(statements.join("; ") + ";"));
        // Blanks outside of strings may be line ends.
        let apart =
            statements.iter().map(|statement| statement.replace(" = ", " =\n") + ";\n").collect::<String>();
        let apart = converse(Dialect::default(), &apart);
        let text = |world: &TestWorld| String::from_utf8_lossy(&world.output).into_owned();
        assert_eq!(text(&together), text(&apart), "{statements:?}");
    }
}

#[test]
fn long_conversations_take_linear_time() {
    let start = Instant::now();
    for piece in [
        "1;\n",
        "1; ",
        "let a = 1;\n",
        "% c ;\n",
        "(;\n",
        "\"s\";",
        "x = [1, 2];\n",
        "` ;",
        "{a in b;\n",
        "?\n",
    ] {
        converse(Dialect::COMPAT, &piece.repeat(5_000));
        converse(Dialect::default(), &piece.repeat(5_000));
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
