//! Nested arrays against a naive implementation on trees of values, and by hand.

mod categories;
mod chains;
mod fusion;
mod groups;
mod in_row;
mod layers;
mod layouts;
mod naive;
mod nesl;
mod nesl_datatypes;
mod nesl_missing;
mod nesl_recursive;
mod nesl_rows;
mod nesl_unions;
mod operations;
mod order;
mod outside;
mod random;
mod record_columns;
mod regex;
mod rows;
mod schema;
mod selection;
mod shapes;
mod shown;
mod sorted_by;
mod statistics;
mod texts;
mod times;
mod unions;

use nestled_array::Engine;
use nestled_test::again;

/// Returns how many of `all` random cases are tried: half, on another device a sixth, unless `NESTLED_TEST_ALL` is set, as by `cargo xtask long`.
fn some_of(all: u64) -> u64 {
    match std::env::var_os("NESTLED_TEST_ALL") {
        Some(_) => all,
        None => again::some_of(all / 2),
    }
}

/// No kernel ran on the interpreter so far, where each is to be compiled.
#[track_caller]
fn check_compiled() {
    if again::is_compiled() {
        assert_eq!(Engine::current().counts().interpreted, 0, "kernels were interpreted");
    }
}
