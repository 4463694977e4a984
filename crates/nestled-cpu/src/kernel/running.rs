//! The shared state of a launch during its execution: its inputs, and the least fault so far.
#![allow(unsafe_code)] // Threads share the pointers of a launch.

use super::loaded::LoadedKernel;
use super::raw::{RawArg, RawFault, RawLaunch, RawShape};
use super::scratch::{Scratch, ScratchBlock};
use super::sizes;
use super::thresholds::Thresholds;
use crate::codegen::fault::{FaultRecord, FaultTemplate};
use crate::codegen::nest::NestPlan;
use nestled_ir::interp::{FaultKind, Interrupt};
use nestled_ir::{SiteId, ValueId};
use nestled_pool::Pool;
use std::sync::{Mutex, PoisonError};

/// A launch during its execution.
pub(super) struct Running<'a> {
    /// The kernel.
    pub kernel: &'a LoadedKernel,
    /// The thread pool.
    pub pool: &'a Pool,
    /// The arguments.
    pub launch: &'a RawLaunch<'a>,
    /// Scratch memory.
    pub scratch: &'a Scratch,
    /// Number of points of each level.
    pub points: &'a [u64],
    /// The tuning parameters.
    pub thresholds: Thresholds,
    /// The slots of compiled code; threads of a band have copies with private entries.
    pub slots: &'a [u64],
    /// The arrays that live as long as the launch.
    pub stored: Vec<ScratchBlock>,
    /// The interrupt flag at which it ends, if there is one.
    pub interrupt: Option<&'a Interrupt>,
    /// The least fault so far.
    pub fault: Mutex<Option<RawFault>>,
}

// SAFETY: while threads share it nothing in it changes but the fault, which has a lock. The pointers in it (of the launch, and of the blocks) are only read here;
// following one takes `unsafe` of its own, which says why no two threads are at one place.
unsafe impl Sync for Running<'_> {}

impl Running<'_> {
    /// Returns the address of a value that is a result, or lives as long as the launch.
    pub(super) fn place_of(&self, value: ValueId) -> *mut u8 {
        let plan = &self.kernel.plan;
        if let Some(position) = plan.kernel.ret.iter().position(|&ret| ret == value) {
            return self.launch.results[position].data;
        }
        let stored = plan.stored.iter().position(|(stored, _)| stored.bind == value);
        self.stored[stored.expect("it lies in memory")].address()
    }

    /// Takes the least fault so far.
    pub(super) fn take_fault(&self) -> Option<RawFault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// True if there was a fault.
    pub(super) fn has_faulted(&mut self) -> bool {
        self.fault.get_mut().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// True if an interrupt was requested.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_requested)
    }

    /// Notes a fault, if it is the least.
    pub(super) fn note(&self, fault: RawFault) {
        let mut least = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let before = |other: &RawFault| (fault.site, fault.element) < (other.site, other.element);
        if least.as_ref().is_none_or(before) {
            *least = Some(fault);
        }
    }

    /// Notes the fault in a record of compiled code, if there is one.
    pub(super) fn note_record(&self, record: &FaultRecord) {
        if record.site < 0 {
            return;
        }
        let (template, level) = &self.kernel.tables.faults[record.template as usize];
        let kind = match template {
            FaultTemplate::OutOfRange { array } => {
                FaultKind::OutOfRange { index: record.a, extent: record.b as u64, array: array.clone() }
            }
            FaultTemplate::Check { code } => FaultKind::Check { code: code.clone() },
            FaultTemplate::Class { classes } => FaultKind::Class { class: record.a, classes: *classes },
            FaultTemplate::Collision => FaultKind::Collision { destination: record.a as u64 },
        };
        let site = SiteId::from(record.site as usize);
        self.note(RawFault { site, element: record.element as u64, level: *level, kind, unsure: false });
    }

    /// True if a nest over `positions` positions is worth several threads.
    pub(super) fn is_parallel(&self, positions: u64) -> bool {
        positions >= self.thresholds.parallel && self.pool.threads() > 1
    }

    /// Returns a scalar or extent parameter.
    pub(super) fn scalar(&self, value: ValueId) -> i64 {
        let kernel = &self.kernel.plan.kernel;
        if let Some(at) = kernel.params.iter().position(|&param| param == value)
            && let RawArg::Scalar(scalar) = self.launch.args[at]
        {
            return scalar.as_integer().unwrap_or(0);
        }
        match kernel.shapes.iter().position(|&shape| shape == value).map(|at| self.launch.shapes[at]) {
            Some(RawShape::Extent(extent)) => extent as i64,
            _ => 0,
        }
    }

    /// Returns the extent of an axis of the space.
    pub(super) fn extent(&self, level: usize) -> u64 {
        let kernel = &self.kernel.plan.kernel;
        sizes::step(kernel, self.launch, kernel.space[level]).first(1)
    }

    /// Returns the number of elements below the groups before `group`.
    pub(super) fn elements(&self, plan: &NestPlan, group: u64) -> u64 {
        let kernel = &self.kernel.plan.kernel;
        let mut number = group;
        for level in plan.nest.group..plan.nest.level {
            number = sizes::step(kernel, self.launch, kernel.space[level]).first(number);
        }
        number
    }
}
