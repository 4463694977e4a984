//! Tests that need NVRTC but no card, in one program.

mod accepted;
mod corpus;
mod loads;
