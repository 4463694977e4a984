//! Test-case reduction: makes a program that fails smaller, as long as it still fails.
//!
//! Each *family* of edits makes one kind of construct smaller at its k-th place. Edits are tried place by place; one that leaves a valid program
//! that still fails is kept. No family is clever: most edits make an invalid program, which costs little to find out.

mod args;
mod definitions;
mod host;
mod kernel;
mod thunk;

use crate::check::LIMITS;
use crate::generate::Case;
use nestled_ir::Program;
use nestled_ir::compact::compact;
use nestled_ir::interp::{self, Error, TestWorld};
use nestled_ir::text::print;
use nestled_ir::verify::verify;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Counts places down to the one that is to be edited.
struct Nth {
    left: usize,
    found: bool,
}

impl Nth {
    /// True if this is the place.
    fn here(&mut self) -> bool {
        if self.found {
            return false;
        }
        self.found = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.found
    }

    /// The place among `n` in a row, if it is there.
    fn among(&mut self, n: usize) -> Option<usize> {
        (0..n).find(|_| self.here())
    }
}

/// Edits the place to which `Nth` counts down.
type Family = fn(&mut Case, &mut Nth);

/// Families of edits; those that remove much come first.
const FAMILIES: &[Family] = &[
    host::drop_result,
    |case, nth| host::drop_statements(case, nth, 8),
    |case, nth| host::drop_statements(case, nth, 2),
    |case, nth| host::drop_statements(case, nth, 1),
    host::inline_branch,
    kernel::drop_step,
    kernel::drop_returned,
    host::drop_function_result,
    host::forget_scalar,
    kernel::drop_guard,
    thunk::inline_branch,
    thunk::skip_loop,
    |case, nth| thunk::drop_statements(case, nth, 8),
    |case, nth| thunk::drop_statements(case, nth, 1),
    thunk::forget,
    thunk::plain_result,
    kernel::drop_component,
    thunk::plain_rules,
    kernel::drop_parameter,
    host::drop_parameter,
    definitions::drop_unused,
    args::drop_argument,
    args::shorten,
    args::zero,
    thunk::plain_operand,
];

/// Returns a smaller case that still fails, after at most `effort` calls of `fails`.
pub fn reduce(case: &Case, fails: &dyn Fn(&Case) -> bool, effort: usize) -> Case {
    let mut best = Case { program: compact(&case.program), ..case.clone() };
    let mut left = effort;
    loop {
        let before = left;
        let mut smaller = false;
        for family in FAMILIES {
            smaller |= exhaust(*family, &mut best, fails, &mut left);
        }
        if !smaller || left == 0 || left == before {
            return best;
        }
    }
}

/// Tries one family at every place.
fn exhaust(family: Family, best: &mut Case, fails: &dyn Fn(&Case) -> bool, left: &mut usize) -> bool {
    let mut smaller = false;
    let mut place = 0;
    while *left > 0 {
        let mut candidate = best.clone();
        let mut nth = Nth { left: place, found: false };
        family(&mut candidate, &mut nth);
        if !nth.found {
            break;
        }
        if is_valid(&mut candidate) && weight(&candidate) < weight(best) {
            *left -= 1;
            if fails(&candidate) {
                *best = candidate;
                smaller = true;
                continue;
            }
        }
        place += 1;
    }
    smaller
}

/// Renumbers the candidate; true if it is well-formed.
fn is_valid(candidate: &mut Case) -> bool {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let program = compact(&candidate.program);
        verify(&program).is_ok().then_some(program)
    }));
    let Ok(Some(program)) = checked else { return false };
    candidate.program = program;
    true
}

/// The size of a case, which every kept edit makes less.
fn weight(case: &Case) -> usize {
    let args: usize = case.args.iter().map(args::weight).sum();
    print(&case.program).len() + args
}

/// Formats the case as a test: the program, and a `; run:` or `; fault:` line with the interpreter's outcome.
pub fn as_test(case: &Case, words: &str) -> String {
    let mut text = String::new();
    for line in words.lines() {
        // The bar keeps words with a colon from being taken for a directive.
        let _ = writeln!(text, "; | {line}");
    }
    let list = |items: Vec<String>| items.join(", ");
    let shapes = list(case.shapes.iter().map(ToString::to_string).collect());
    let args = list(case.args.iter().map(ToString::to_string).collect());
    let shapes = if shapes.is_empty() { shapes } else { format!("<{shapes}>") };
    let call = format!("main{shapes}({args})");
    let mut world = TestWorld::default();
    let run = || interp::run(&case.program, Program::ENTRY, &case.shapes, &case.args, &LIMITS, &mut world);
    let _ = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(values)) if !values.is_empty() => {
            let values = list(values.iter().map(ToString::to_string).collect());
            writeln!(text, "; run: {call} = {values}")
        }
        Ok(Err(error @ Error::Fault(_))) => writeln!(text, "; fault: {call} = {error}"),
        Ok(_) | Err(_) => writeln!(text, "; run: {call}"),
    };
    for line in &world.output {
        let _ = writeln!(text, "; output: {line}");
    }
    text + &print(&case.program)
}
