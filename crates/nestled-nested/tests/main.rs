//! Nested arrays against a naive implementation on trees of values, and by hand.

mod chains;
mod fusion;
mod groups;
mod naive;
mod nesl;
mod operations;
mod outside;
mod random;
mod schema;
mod selection;
mod shown;
mod statistics;
mod texts;
