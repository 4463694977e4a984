//! The commands, one file for each.

pub mod bench;
pub mod calibrate;
pub mod check;
mod code;
pub mod compare;
pub mod devices;
pub mod explain;
pub mod measure;
pub mod pass;
pub mod repl;
pub mod run;
pub mod show;
