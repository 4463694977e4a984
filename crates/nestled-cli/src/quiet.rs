//! The world of runs that are measured: no files, no time, and output that nobody sees.

use nestled_ir::interp::{TestWorld, World};

/// A world without files and time, whose output nobody sees.
#[derive(Default)]
pub struct Quiet(TestWorld);

impl World for Quiet {
    fn print(&mut self, _: &[u8]) {}

    fn eprint(&mut self, _: &[u8]) {}

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.0.read_file(path, max_bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.0.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        0.0
    }

    fn entropy(&mut self) -> i64 {
        0
    }
}
