//! The queue of a machine, shared by several devices in as many threads: a device locks the machine while it queues something.
//!
//! ```text
//! device of a track ──┐ lock: queue a launch
//! device of a track ──┼──────────────────────► machine: memory, one order of everything that is queued
//! what they share  ───┘ no lock: compile, wait
//! ```
//!
//! No thread holds the lock while it waits or compiles, so a device waits for work that others have queued, and never for their host code. Memory belongs to the machine: memory that one device
//! frees may be allocated by another, and the machine orders their accesses.

use super::codes::Codes;
use super::machine::{Machine, Place};
use crate::code::Module;
use crate::dialect::Dialect;
use nestled_fork as fork;
use nestled_rt::device::{Description, DeviceError};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};

/// A handle of a shared machine. Clones belong to the same device.
#[derive(Debug)]
pub struct Queue<M: Machine> {
    parts: Arc<Parts<M>>,
    client: u32,
}

#[derive(Debug)]
struct Parts<M: Machine> {
    description: Description,
    dialect: Dialect,
    compiler: M::Compiler,
    codes: Codes<M::Code>,
    machine: Mutex<M>,
    /// Number of live devices, and of all devices so far.
    clients: AtomicU32,
    numbers: AtomicU32,
    /// Fork count when it was opened: a child cannot use the driver.
    forks: usize,
}

impl<M: Machine> Clone for Queue<M> {
    fn clone(&self) -> Queue<M> {
        Queue { parts: Arc::clone(&self.parts), client: self.client }
    }
}

impl<M: Machine> Queue<M> {
    /// Creates the queue of a machine.
    pub fn new(machine: M) -> Queue<M> {
        fork::watch();
        let parts = Parts {
            description: machine.describe(),
            dialect: machine.dialect().clone(),
            compiler: machine.compiler(),
            codes: Codes::default(),
            machine: Mutex::new(machine),
            clients: AtomicU32::new(0),
            numbers: AtomicU32::new(0),
            forks: fork::count(),
        };
        Queue { parts: Arc::new(parts), client: 0 }
    }

    /// Returns the number of compiled modules.
    pub fn modules(&self) -> usize {
        self.parts.codes.count()
    }

    /// Returns a handle for another device.
    pub(super) fn join(&self) -> Queue<M> {
        self.parts.clients.fetch_add(1, Ordering::Relaxed);
        let client = self.parts.numbers.fetch_add(1, Ordering::Relaxed);
        Queue { parts: Arc::clone(&self.parts), client }
    }

    /// Removes the device of this handle.
    pub(super) fn leave(&self) {
        if let Ok(mut machine) = self.lock() {
            machine.leave(self.client);
        }
        self.parts.clients.fetch_sub(1, Ordering::Relaxed);
    }

    /// True if both belong to one machine.
    pub(super) fn is(&self, other: &Queue<M>) -> bool {
        Arc::ptr_eq(&self.parts, &other.parts)
    }

    pub(super) fn describe(&self) -> &Description {
        &self.parts.description
    }

    pub(super) fn dialect(&self) -> &Dialect {
        &self.parts.dialect
    }

    /// Locks the machine, to queue something.
    pub(super) fn lock(&self) -> Result<MutexGuard<'_, M>, DeviceError> {
        if self.is_left_behind() {
            return Err(DeviceError::Lost(
                "it stayed with the process that this one was forked from".to_owned(),
            ));
        }
        let mut machine = fork::lock(&self.parts.machine);
        machine.turn_to(self.client, self.parts.clients.load(Ordering::Relaxed).max(1));
        Ok(machine)
    }

    fn is_left_behind(&self) -> bool {
        self.parts.forks != fork::count()
    }

    /// Returns the compiled modules.
    pub(super) fn codes(&self) -> &Codes<M::Code> {
        &self.parts.codes
    }

    /// Releases compiled modules that no kernel uses.
    pub(super) fn trim(&self) {
        self.parts.codes.trim();
        if let Ok(mut machine) = self.lock() {
            machine.trim();
        }
    }

    /// Returns the code of a module, and true if it was compiled now.
    pub(super) fn code(&self, module: &Module) -> Result<(Arc<M::Code>, bool), DeviceError> {
        if let Some(code) = self.parts.codes.get(&module.text) {
            return Ok((code, false));
        }
        let code = self.compile(module)?;
        Ok((self.parts.codes.add(&module.text, code), true))
    }

    /// Compiles a module that is not shared.
    pub(super) fn compile(&self, module: &Module) -> Result<M::Code, DeviceError> {
        M::compile(&self.parts.compiler, module)
    }

    /// Frees memory.
    pub(super) fn free(&self, place: Place, bytes: u64) {
        if let Ok(mut machine) = self.lock() {
            machine.free(place, bytes);
        }
    }

    /// Writes words.
    pub(super) fn write(&self, place: Place, words: Vec<u32>) -> Result<(), DeviceError> {
        let wait = self.lock()?.write(place, words)?;
        wait.map_or(Ok(()), |wait| self.wait(wait).map(drop))
    }

    /// Waits, and reads words of several places. Replaces the contents of `into`.
    pub(super) fn read(&self, places: &[(Place, u64)], into: &mut Vec<u32>) -> Result<(), DeviceError> {
        let wait = self.lock()?.read(places, std::mem::take(into))?;
        *into = self.wait(wait)?;
        Ok(())
    }

    /// Begins to read words of several places.
    pub(super) fn begin_read(&self, places: &[(Place, u64)]) -> Result<M::Wait, DeviceError> {
        self.lock()?.read(places, Vec::new())
    }

    /// Begins to wait for all work queued so far, if there is any.
    pub(super) fn begin_finish(&self) -> Result<Option<M::Wait>, DeviceError> {
        self.lock()?.finish()
    }

    /// Asks after a wait that has begun. Once it is over its words come, and nothing is left of it.
    pub(super) fn poll(
        &self,
        begun: &mut Option<M::Wait>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Vec<u32>, DeviceError>> {
        let Some(wait) = begun else { return Poll::Ready(Ok(Vec::new())) };
        ready!(M::poll(wait, context))?;
        let words = begun.take().map(|wait| self.lock()?.waited(wait));
        Poll::Ready(words.unwrap_or_else(|| Ok(Vec::new())))
    }

    /// Waits for all work queued so far.
    pub(super) fn finish(&self) -> Result<(), DeviceError> {
        let wait = self.lock()?.finish()?;
        wait.map_or(Ok(()), |wait| self.wait(wait).map(drop))
    }

    fn wait(&self, mut wait: M::Wait) -> Result<Vec<u32>, DeviceError> {
        M::wait(&mut wait)?;
        self.lock()?.waited(wait)
    }
}

impl<M: Machine> Drop for Queue<M> {
    fn drop(&mut self) {
        if self.is_left_behind() {
            // The last handle would close what belongs to the parent.
            std::mem::forget(Arc::clone(&self.parts));
        }
    }
}
