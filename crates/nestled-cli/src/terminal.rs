//! The world of a program: this machine, and the terminal.

use crate::exit_codes::Failure;
use crate::output;
use nestled_ir::interp::{Gate, Interrupt, StdWorld, World};

/// The machine; but a program that can no longer print is interrupted.
#[derive(Debug)]
pub struct Terminal {
    world: StdWorld,
    interrupt: Interrupt,
    /// The reason why nothing can be printed any more.
    pub failure: Option<Failure>,
}

impl Terminal {
    /// A terminal that requests an interrupt when output is lost; the machine is behind a gate.
    pub fn new(gate: Gate, interrupt: Interrupt) -> Terminal {
        Terminal { world: StdWorld::behind(gate), interrupt, failure: None }
    }
}

impl World for Terminal {
    fn print(&mut self, line: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        if let Err(failure) = output::print_bytes(&[line, b"\n"].concat()) {
            self.failure = Some(failure);
            self.interrupt.request();
        }
    }

    fn eprint(&mut self, line: &[u8]) {
        self.world.eprint(line);
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.world.read_file(path, max_bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.world.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        self.world.clock()
    }

    fn entropy(&mut self) -> i64 {
        self.world.entropy()
    }
}
