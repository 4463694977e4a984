//! Replay of a faulting statement: after a device reports a fault, the interpreter of the core runs the statement once more, in a private world, to find the
//! values and calls that led to it. So devices record nothing, and programs without faults pay nothing.
//!
//! The replay has a time limit; a fault that comes later is reported without its values.

use crate::core::{CoreTypes, Program};
use crate::fault::FaultCode;
use crate::interp::{self, Circumstances, Limits, Settings, TestWorld, Value, World};
use crate::typed::GlobalId;
use nestled_ir::Span;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Default time limit of a replay.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(2);
/// Largest number of elements that a replay makes: the time is checked only between operations.
const MOST_ELEMENTS: u64 = 100_000_000;
/// Memory in bytes that the elements of a replay may take in addition to those that already exist.
const ROOM: u64 = 1 << 30;

/// The program to replay, with its inputs.
pub(crate) struct Replay<'a> {
    pub core: &'a Program,
    pub types: &'a CoreTypes,
    pub values: &'a HashMap<GlobalId, Value>,
    pub settings: Settings,
    pub patience: Duration,
}

impl Replay<'_> {
    /// Replays the program and returns the circumstances of the fault, if it occurs again in time.
    pub fn why(&self, (code, span): (FaultCode, Span), interrupted: &dyn Fn() -> bool) -> Circumstances {
        if self.patience.is_zero() {
            return Circumstances::default();
        }
        let Limits { steps, depth, bytes } = self.settings.limits;
        let room = interp::Sequence::held().saturating_add(ROOM);
        let limits = Limits { steps: steps.min(MOST_ELEMENTS), depth, bytes: bytes.min(room) };
        let settings = Settings { limits, ..self.settings };
        let mut world =
            Quiet { inner: TestWorld::default(), until: Instant::now() + self.patience, interrupted };
        match interp::run(self.core, self.types, self.values, settings, &mut world) {
            Err(fault)
                if fault.code == code && (fault.span.start, fault.span.end) == (span.start, span.end) =>
            {
                *fault.why
            }
            _ => Circumstances::default(),
        }
    }
}

/// A world that prints nothing, keeps nothing, and interrupts the program at the deadline.
struct Quiet<'a> {
    inner: TestWorld,
    until: Instant,
    interrupted: &'a dyn Fn() -> bool,
}

impl World for Quiet<'_> {
    fn print(&mut self, _bytes: &[u8]) {}

    fn report(&mut self, _bytes: &[u8]) {}

    fn seconds(&mut self) -> f64 {
        self.inner.seconds()
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.inner.read_file(name)
    }

    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        self.inner.write_file(name, bytes, append)
    }

    fn variable(&mut self, name: &str) -> String {
        self.inner.variable(name)
    }

    fn read_input(&mut self) -> Option<u8> {
        self.inner.read_input()
    }

    fn interrupted(&self) -> bool {
        Instant::now() >= self.until || (self.interrupted)()
    }
}
