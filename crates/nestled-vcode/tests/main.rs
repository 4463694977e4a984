//! Tests of the VCODE front end, in one program.

mod common;
mod data;
mod from_nesl;
mod io;
mod random;
mod size;
mod worked;
