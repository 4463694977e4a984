//! Execution of a `serial`: its bases are copied to its results, unless they share memory, and one thread updates them in place.
#![allow(unsafe_code)] // Copies elements between memory known by address, and says what compiled code may write.

use super::call::Piece;
use super::nest::NestRun;
use super::raw::RawArg;
use super::running::Running;
use super::scratch::NoMemory;
use super::sizes;
use nestled_ir::{Combinator, CombinatorKind, ValueId};
use std::ptr;

/// Returns the `serial` of a nest, if it is one.
pub(super) fn of_nest<'a>(nest: &NestRun<'a>) -> Option<&'a Combinator> {
    let step = &nest.running.kernel.plan.kernel.steps[nest.plan.nest.items.first()?.step];
    matches!(step.kind, CombinatorKind::Serial { .. }).then_some(step)
}

/// Runs the nest of a `serial`. If it faults, its arrays are zeroed.
pub(super) fn run(nest: &NestRun<'_>, step: &Combinator) -> Result<(), NoMemory> {
    let running = nest.running;
    for (&base, &bind) in step.kind.bases().iter().zip(&step.binds) {
        begin(running, base, bind);
    }
    let before = running.take_fault();
    // SAFETY: there is one piece, and nothing else runs: what it changes is its own.
    let buffers = unsafe { nest.piece(nest.entries.main, Piece::over(0..1))? };
    buffers.into_iter().for_each(|buffers| buffers.give(running));
    let fault = running.take_fault();
    if fault.is_some() {
        for (&base, &bind) in step.kind.bases().iter().zip(&step.binds) {
            let (place, bytes) = (running.place_of(bind), bytes(running, base));
            // SAFETY: a result of a `serial` has as many elements as its base, or it is an array of the launch of that size; its one piece is done.
            unsafe { ptr::write_bytes(place, 0, bytes) };
        }
    }
    before.into_iter().chain(fault).for_each(|fault| running.note(fault));
    Ok(())
}

/// Copies a base to the array that replaces it.
fn begin(running: &Running<'_>, base: ValueId, bind: ValueId) {
    let param = running.kernel.plan.kernel.params.iter().position(|&param| param == base);
    let from = match param.map(|at| running.launch.args[at]) {
        Some(RawArg::Dense { data, .. }) => data,
        _ => unreachable!("bases are dense parameters"),
    };
    let place = running.place_of(bind);
    if from != place.cast_const() {
        // SAFETY: both have so many elements; a result that does not begin where the base does overlaps no argument (`RawLaunch` says so).
        unsafe { ptr::copy_nonoverlapping(from, place, bytes(running, base)) };
    }
}

/// Returns the size of a base in bytes.
fn bytes(running: &Running<'_>, base: ValueId) -> usize {
    let kernel = &running.kernel.plan.kernel;
    let array = kernel.values[base.index()].ty.as_array().expect("bases are arrays");
    let extent = sizes::step(kernel, running.launch, array.shape.axes[0]).first(1);
    (extent as usize).saturating_mul(kernel.elem(base).size())
}
