//! Random programs: λcu and the direct interpreter say the same, and nothing panics, whatever the text.

use crate::common::generate::{Random, program};
use crate::common::{Outcome, direct, through_lcu};
use nestled_ir::ScalarType;
use nestled_vcode::syntax::{listing::Listing, parse};
use nestled_vcode::{Options, Unequal, compile};

/// `NESTLED_SEEDS=from..to` runs others.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("NESTLED_SEEDS").ok();
    let range = given.as_deref().and_then(|text| text.split_once(".."));
    range.map_or(0..400, |(from, to)| from.parse().unwrap()..to.parse().unwrap())
}

#[test]
fn the_direct_interpreter_says_the_same() {
    let (mut compared, mut faults, mut refused) = (0, 0, 0);
    for seed in seeds() {
        let text = program(seed);
        let parsed = parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong:?}"));
        let found = through_lcu(&text, None, &Options::default());
        let Ok(expected) = direct::run(&parsed, &Listing::default()) else { continue };
        match (&expected, &found) {
            (Outcome::Fault(_), Outcome::Fault(_)) => faults += 1,
            (_, Outcome::Refused(_)) => refused += 1,
            (Outcome::Stack(a), Outcome::Stack(b)) => {
                for (line, (a, b)) in a.lines().zip(b.lines()).enumerate() {
                    assert_eq!(a, b, "seed {seed}, slot {line}\n{text}");
                }
                assert_eq!(a.len(), b.len(), "seed {seed}\n{text}");
            }
            _ => assert_eq!(expected, found, "seed {seed}\n{text}"),
        }
        compared += 1;
    }
    assert!(compared * 2 > seeds().count(), "{compared} compared");
    assert!(faults * 2 < compared && refused * 10 < compared, "{faults} faults, {refused} refused");
}

/// Wide integers, narrow floats, and no checks: nothing panics, and what the reference interpreter calls a bug is one.
#[test]
fn other_widths_and_no_checks() {
    for seed in seeds() {
        let unequal = [Unequal::Fault, Unequal::Fit, Unequal::Cut, Unequal::Fit][(seed % 4) as usize];
        let options =
            Options { int: ScalarType::I64, float: ScalarType::F32, checks: seed % 2 == 0, unequal };
        through_lcu(&program(seed), None, &options);
    }
}

/// Words put together at random: nearly all are refused, none makes anything panic.
#[test]
fn no_text_makes_it_panic() {
    const WORDS: &[&str] = &[
        "FUNC",
        "MAIN",
        "F",
        "A",
        "RET",
        "IF",
        "ELSE",
        "ENDIF",
        "CONST",
        "INT",
        "BOOL",
        "FLOAT",
        "SEGDES",
        "CHAR",
        "(",
        ")",
        "1",
        "-1",
        "2.5",
        "T",
        "\"x\"",
        "COPY 1 0",
        "COPY 2 1",
        "POP 1 0",
        "CPOP 1 1",
        "CALL A",
        "CALL MAIN",
        "+ INT",
        "/ INT",
        "MAKE_SEGDES",
        "+_REDUCE INT",
        "DIST INT",
        "PACK INT",
        "PAIR",
        "UNPAIR",
        "EXIT",
        "FUSED 0",
        "RAND",
        "READ INT",
        "WRITE CHAR",
        "CONST INT (1 2)",
        "CONST INT 1",
        "CONST BOOL T",
        "{",
        "}",
        "?",
        "99999999999",
    ];
    let mut random = Random(7);
    for _ in 0..3000 {
        let mut text = String::from(if random.below(2) == 0 { "FUNC MAIN " } else { "" });
        for _ in 0..random.below(30) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            text.push(' ');
        }
        if random.below(2) == 0 {
            text.push_str("RET FUNC A CONST INT 1 RET");
        }
        if let Ok(compiled) = compile("random.vcode", &text, None, &Options::default()) {
            nestled_ir::verify::verify(&compiled.program).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
        }
    }
}

/// Well-typed programs with words dropped, doubled and exchanged.
#[test]
fn no_damage_makes_it_panic() {
    let mut random = Random(11);
    for seed in 0..300 {
        let text = program(seed);
        let mut words: Vec<&str> = text.split_whitespace().collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(words.len());
            match random.below(3) {
                0 => {
                    words.remove(at);
                }
                1 => words.insert(at, words[random.below(words.len())]),
                _ => {
                    let other = random.below(words.len());
                    words.swap(at, other);
                }
            }
        }
        let text = words.join(" ");
        if let Ok(compiled) = compile("damaged.vcode", &text, None, &Options::default()) {
            nestled_ir::verify::verify(&compiled.program).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
        }
    }
}
