//! VCODE and FCODE: from the text of the stack machine to λcu.
//!
//! ```text
//! FUNC MAIN  CONST FLOAT (1.0 2.0)  CONST SEGDES 2  +_REDUCE FLOAT  RET
//! ```
//!
//! It goes in three steps: `syntax` reads the text, `stack` turns slots of the stack into named values, and `lower` writes λcu.
#![forbid(unsafe_code)]

pub mod syntax;
