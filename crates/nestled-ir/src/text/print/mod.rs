//! Printing (soon).
use crate::program::Program;
/// Prints.
pub fn print(_program: &Program) -> String {
    String::new()
}
