//! Nested arrays against a naive implementation on trees of values, and by hand.

mod chains;
mod fusion;
mod naive;
mod operations;
mod outside;
mod random;
mod schema;
mod shown;
