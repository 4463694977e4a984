//! Tests of the CPU device through its public face, in one program.

mod concurrent;
mod device;
mod large;
mod offsets;
