//! Tests of lazy arrays, in one program: what they compute on every device, and what engines promise.

mod batch;
mod beside;
mod by_hand;
mod closures;
mod direct;
mod engine;
mod expressions;
mod fork;
mod half;
mod integers;
mod interpreted;
mod nesl;
mod nesl_fusion;
mod operations;
mod order;
mod programs;
mod ragged;
mod ragged_operators;
mod random;
mod sparse;
mod steps;
mod structure;
mod vectors;
