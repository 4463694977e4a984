//! Tests of the executor, in one program.

mod agree;
mod calls;
mod common;
mod devices;
mod faults;
mod forms;
mod interrupt;
mod memory;
mod null_device;
mod refusals;
mod retries;
mod stops;
mod trace;
mod waiting;
