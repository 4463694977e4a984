//! One file for each command.

pub mod check;
pub mod pass;
pub mod run;
pub mod show;
