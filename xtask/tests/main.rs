//! Tests of the repository as a whole.

mod architecture;
mod houses;
mod reach;
mod worked_example;
