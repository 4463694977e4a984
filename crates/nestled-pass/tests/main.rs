//! Tests of the passes that no data file can hold, in one program.

mod common;
mod fuse_random;
mod ilp;
mod instances;
mod library;
mod problems;
mod runner;
mod scale;
mod solvers;
mod time_model;
mod unfused;
