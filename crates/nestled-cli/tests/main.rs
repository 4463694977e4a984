//! Tests of the command, in one program: each runs `nestled` as users do.

mod bench;
mod calibrate;
mod data;
mod files;
mod gpu;
mod ilp;
mod interrupt;
mod kernel_cache;
mod nesl;
mod readme;
mod repl;
mod sandbox;
mod sessions;
mod show;
mod tables;
mod trace;
mod vcode;
