//! Syntax of VCODE and FCODE: tokens, instructions, functions, and the listing of superoperators.

pub mod ast;
pub mod codes;
mod constants;
pub mod instr;
mod lexer;
mod link;
pub mod listing;
mod parser;
mod words;

pub use parser::parse;
