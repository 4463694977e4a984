//! Tests of the CPU device through its public face, in one program.

mod device;
mod large;
