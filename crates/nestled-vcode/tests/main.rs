//! Tests of the VCODE front end, in one program.

mod common;
mod data;
mod io;
mod random;
mod size;
mod worked;
