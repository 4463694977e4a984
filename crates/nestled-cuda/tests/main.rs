//! Tests that need NVRTC but no card, in one program.

mod corpus;
mod loads;
