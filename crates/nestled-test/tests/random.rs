//! Random programs.

use nestled_ir::{MonoidOp, Op, ScalarType};
use nestled_test::check::{End, Engine, check_case, engines, interpret};
use nestled_test::coverage::Coverage;
use nestled_test::cpu::Kernels;
use nestled_test::generate::{Size, generate};
use std::ops::Range;
use std::sync::OnceLock;

/// Those that are the CPU, or those that are not. Code generation is told not to take much time.
fn some_engines(cpu: bool) -> Vec<Engine> {
    let mut engines = engines(Kernels::InMemory { level: 0 });
    engines.retain(|engine| engine.name.contains("cpu") == cpu);
    engines
}

/// Checks the programs of some seeds, each with so many of the engines; says how many ended with results. (The fuzzer takes all.)
fn check_seeds(seeds: Range<u64>, size: Size, mut engines: Vec<Engine>, each: usize) -> usize {
    let mut good = 0;
    for seed in seeds {
        engines.rotate_left(each);
        match check_case(&generate(seed, size), &engines[..each]) {
            Ok(outcome) => good += usize::from(outcome.end.is_ok()),
            Err(failure) => panic!("seed {seed}: {}: {}", failure.stage, failure.message),
        }
    }
    good
}

#[test]
fn engines_agree_on_quick_programs() {
    let good = check_seeds(0..3000, Size::QUICK, some_engines(false), 2);
    assert!(good > 2000, "only {good} programs end with results");
}

#[test]
fn engines_agree_on_normal_programs() {
    check_seeds(1_000_000..1_000_050, Size::NORMAL, some_engines(false), 3);
}

#[test]
fn the_cpu_agrees_on_tiny_programs() {
    let engines = some_engines(true);
    let all = engines.len();
    let good = check_seeds(0..250, Size::TINY, engines, all);
    assert!(good > 200, "only {good} programs end with results");
}

#[test]
fn the_cpu_agrees_on_quick_programs() {
    check_seeds(0..60, Size::QUICK, some_engines(true), 3);
}

#[test]
fn some_programs_fault() {
    let faults = |&seed: &u64| matches!(interpret(&generate(seed, Size::QUICK)).end, Err(End::Fault(_)));
    assert!((0..500).filter(faults).count() > 10);
}

#[test]
fn a_seed_always_gives_the_same_program() {
    for seed in 0..50 {
        let (a, b) = (generate(seed, Size::NORMAL), generate(seed, Size::NORMAL));
        assert_eq!(a.program, b.program, "seed {seed}");
    }
}

fn coverage() -> &'static Coverage {
    static COVERAGE: OnceLock<Coverage> = OnceLock::new();
    COVERAGE.get_or_init(|| {
        let mut coverage = Coverage::default();
        (0..3000).for_each(|seed| coverage.visit(&generate(seed, Size::QUICK).program));
        coverage
    })
}

#[test]
fn no_construct_is_left_out() {
    let coverage = coverage();
    let all = |table: &str, rows: &[&str], columns: &[&str]| {
        for row in rows {
            for column in columns {
                assert!(coverage.count(table, row, column) > 0, "no program has {table}: {row}, {column}");
            }
        }
    };
    let combinators = ["map", "reduce", "scan", "filter", "partition", "permute"];
    let rules = ["fault", "clamp", "wrap", "else", "proved"];
    let types: Vec<&str> = ScalarType::ALL.iter().map(|ty| ty.name()).collect();
    all("space", &combinators, &["1-D", "2-D", "3-D", "grid", "segments", "chain", "mixed"]);
    all("space", &["map", "permute"], &["whole"]);
    all("element type", &["map", "filter", "partition", "permute"], &types);
    all("guard", &combinators, &["own level", "outer level"]);
    all("level and group", &combinators[1..5], &["1 @0", "2 @0", "2 @1", "3 @0", "3 @1", "3 @2"]);
    all("read", &rules, &types);
    all("read of", &["grid", "segmented", "view"], &["2", "3"]);
    all("window", &rules, &["1", "2", "3"]);
    let clashes = ["clash proved", "clash fault", "clash first", "clash last", "clash monoid"];
    all("permute", &clashes, &["literal base", "array base", "range drop", "range fault"]);
    let scans = ["inclusive forward", "inclusive backward", "exclusive forward", "exclusive backward"];
    all("scan", &scans, &["1-D", "2-D", "segments", "chain"]);
    all("own read", &["map", "reduce", "scan"], &combinators);
    all("arrays", &types, &["view rank 1", "dense rank 1", "dense rank 2", "dense rank 3"]);
    let monoids: Vec<&str> = MonoidOp::ALL.iter().map(|op| op.name()).collect();
    all("monoid", &monoids, &["reduce", "scan", "permute"]);
    let users =
        ["argmin", "argmax", "affine", "matrix", "max_plus", "segmented", "brackets", "gcd", "latest"];
    all("monoid", &users, &["reduce", "scan", "permute"]);
}

#[test]
fn no_operation_is_left_out() {
    let coverage = coverage();
    for &op in Op::PLAIN.iter().filter(|op| !op.is_elementary()) {
        for ty in ScalarType::ALL {
            let mut operands = vec![ty; op.arity()];
            if op == Op::Select {
                operands[0] = ScalarType::Bool;
            }
            if op.result_type(&operands).is_ok() {
                let count = coverage.count("operation", op.name(), ty.name());
                assert!(count > 0, "no program has {op} of {ty}");
            }
        }
    }
}

#[test]
fn no_statement_is_left_out() {
    let coverage = coverage();
    let thunk = [
        "operation",
        "threefry",
        "read",
        "own",
        "window",
        "len",
        "start",
        "call",
        "if",
        "for",
        "while",
        "private",
        "private read",
        "private write",
        "check",
    ];
    thunk.iter().for_each(|row| assert!(coverage.row("statement", row) > 0, "no program has {row}"));
    let host = [
        "dim",
        "size",
        "segments",
        "regular",
        "widen",
        "lengths",
        "starts",
        "same",
        "reshape",
        "view",
        "check",
        "if",
        "call",
        "run",
        "each",
        "sort",
        "rank",
        "matmul",
        "print",
        "read_file",
        "write_file",
    ];
    host.iter().for_each(|row| assert!(coverage.row("host", row) > 0, "no program has {row}"));
}
