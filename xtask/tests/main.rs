//! Tests of the repository as a whole.

mod architecture;
mod circles;
mod houses;
mod long_files;
mod reach;
mod worked_example;
