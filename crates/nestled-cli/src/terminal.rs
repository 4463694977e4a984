//! What the commands of a program act on: this machine, and the terminal.

use crate::output;
use nestled_ir::interp::{StdWorld, World};

/// The machine; but a program that can no longer print ends.
#[derive(Debug, Default)]
pub struct Terminal(StdWorld);

impl World for Terminal {
    fn print(&mut self, line: &[u8]) {
        if let Err(failure) = output::print_bytes(&[line, b"\n"].concat()) {
            output::print_failure(&failure);
            std::process::exit(failure.code.into());
        }
    }

    fn eprint(&mut self, line: &[u8]) {
        self.0.eprint(line);
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.0.read_file(path, max_bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.0.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        self.0.clock()
    }

    fn entropy(&mut self) -> i64 {
        self.0.entropy()
    }
}
