//! Whatever the text: no panic, bounded time, and what is printed is read again.

use crate::common::random::Random;
use nestled_nesl::ast::print;
use nestled_nesl::parser::parse;
use nestled_nesl::{Dialect, lexer::lex};

const WORDS: [&str; 64] = [
    "x", "y", "f", "t", "g", "if", "then", "else", "let", "in", "function", "datatype", "and", "or", "xor",
    "time", "1", "2.5", "`a", "\"s\"", "->", "<-", "=>", "::", ":=", "++", "==", "/=", "<=", "&=", "|=",
    "||", "+", "-", "*", "/", "^", "#", "@", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "<", ">", "|",
    "$", "'", "?", "%", "\n", "int", "[]", "set", "_", "é", "match", "with",
];

const PROGRAMS: [&str; 5] = [
    "function primes_below(m) = {n in [2:m] | not(any({zerop(rem(n, d)) : d in [2:n]}))}; primes_below(20);",
    "datatype pt(a, a) :: (a in number); function scale(pt(x, y), k) = pt(k*x, k*y);",
    "let (a, b) = (1, 2); c = if a == b then \"x\" else \"y\" in [a, b, #c]; [1:10:2] <- [(1, 2)];",
    "function first_of(v) : [a] -> a :: a in any \"doc\" = v[0]; q = x => x * 2; {* q(y) : y in [1, 2]};",
    "datatype e = num(int) | add(e, e) | no; function v(x) = match x with num(n) => n | add(a, b) => v(a) + v(b) | _ => 0;",
];

/// Reads a text in both dialects; whatever was understood must survive printing.
fn must_stand(text: &str) {
    for dialect in [Dialect::default(), Dialect::COMPAT] {
        let parsed = parse(text, 0, dialect);
        for statement in &parsed.statements {
            let printed = print::statement(statement);
            let again = parse(&printed, 0, dialect);
            assert!(again.diagnostics.is_empty(), "{text:?} → {printed:?}: {:?}", again.diagnostics);
            assert_eq!(again.statements.first(), Some(statement), "{text:?} → {printed:?}");
        }
    }
}

#[test]
fn random_tokens_never_panic() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let length = 1 + random.below(24);
        let words: Vec<&str> = (0..length).map(|_| random.pick(&WORDS)).collect();
        must_stand(&words.join(" "));
    }
}

#[test]
fn mutated_programs_never_panic() {
    let mut random = Random::new(2);
    for _ in 0..20_000 {
        let mut text = random.pick(&PROGRAMS).to_owned();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len() + 1);
            if !text.is_char_boundary(at) {
                continue;
            }
            match random.below(3) {
                0 => text.insert_str(at, random.pick(&WORDS)),
                1 => text.truncate(at),
                _ if at < text.len() && text.is_char_boundary(at + 1) => drop(text.remove(at)),
                _ => {}
            }
        }
        must_stand(&text);
    }
}

#[test]
fn long_texts_take_linear_time() {
    for piece in [
        "x = 1;\n",
        "% c %",
        "(((",
        ") ; ",
        "let ",
        "`",
        "\"",
        "[1, 2];\n",
        "function g(x) = ;\n",
        "match ",
        "match x with a => 1 | ",
    ] {
        let text = piece.repeat(100_000);
        lex(&text, 0, Dialect::default());
        parse(&text, 0, Dialect::default());
    }
}

#[test]
fn deep_texts_are_refused_and_nothing_worse() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{x : x in ", "}"),
        ("let x = ", " in x"),
        ("if t then ", " else 1"),
        ("- ", ""),
        ("# ", ""),
        ("g ", ""),
        ("x => ", ""),
        ("1 + ", ""),
        ("1, ", ""),
        ("v[", "]"),
        ("g(1, a := ", ")"),
        ("time(", ")"),
        ("{* ", "}"),
        ("a -> ", ""),
        ("[] [", "]"),
    ] {
        for depth in [100, 100_000] {
            let inside = open.repeat(depth) + "1";
            must_stand(&inside);
            must_stand(&format!("{inside}{};", close.repeat(depth)));
            must_stand(&format!("function h({inside}{}) = 1;", close.repeat(depth)));
            must_stand(&format!("function h(x) : {inside}{} = 1;", close.repeat(depth)));
            must_stand(&format!("datatype r {inside}{};", close.repeat(depth)));
        }
    }
}
