//! Nested arrays against a naive implementation on trees of values, and by hand.

mod categories;
mod chains;
mod fusion;
mod groups;
mod layers;
mod naive;
mod nesl;
mod nesl_unions;
mod operations;
mod order;
mod outside;
mod random;
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

/// Returns how many of `all` random cases are tried: half, unless `NESTLED_TEST_ALL` is set, as by `cargo xtask long`.
fn some_of(all: u64) -> u64 {
    if std::env::var_os("NESTLED_TEST_ALL").is_some() { all } else { all / 2 }
}
