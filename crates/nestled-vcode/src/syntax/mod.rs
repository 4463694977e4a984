//! The text of VCODE and FCODE: tokens, instructions, functions, and the listing of superoperators.

pub mod ast;
pub mod codes;
pub mod instr;
mod lexer;
pub mod listing;
mod parser;

pub use parser::parse;
