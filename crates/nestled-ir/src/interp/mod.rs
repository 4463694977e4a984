//! The reference interpreter: it defines the meaning of programs.
//!
//! It is the oracle for every pass and every device, so it evaluates in the plainest way: one combinator after another, one point after
//! another. It allocates nothing for a scalar operation, and counts steps and memory, so that every program ends within given
//! [limits](Limits). For kernels that are not compiled yet there is a [quicker way](TileCode) to the same results.

mod bounds;
mod capture;
mod combinator;
mod combine;
mod error;
mod host;
mod interrupt;
mod kernel;
pub mod library;
mod math;
mod meter;
mod operation;
mod ops;
mod points;
mod reduce_order;
mod sandbox;
pub mod scan_order;
mod sweep;
#[cfg(test)]
mod tests;
mod thunk;
mod tile;
mod world;

pub use error::{Error, Fault, FaultKind, Limit};
pub use host::run;
pub use interrupt::Interrupt;
pub use kernel::{KernelRun, run_kernel};
pub use math::{MATH_TEXT, RANDOM_TEXT, math_program, math_thunk};
pub use meter::{Limits, Meter, StopCondition};
pub use operation::eval_op;
pub use ops::threefry2x32;
pub use sandbox::{Clock, Entropy, Environment, Files, Gate, Processes, Refused, WayOut};
pub use tile::TileCode;
pub use world::{QuietWorld, StdWorld, TestWorld, World};
