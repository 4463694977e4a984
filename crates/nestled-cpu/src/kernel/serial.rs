//! The nest of a `serial`: what its bases hold is copied to where its results lie, unless it lies there already, and one thread changes it there.
#![allow(unsafe_code)] // Copies elements between memory known by address.

use super::launch::Running;
use super::loaded::Function;
use super::raw::RawArg;
use super::scratch::NoMemory;
use super::sizes;
use crate::codegen::nest::NestPlan;
use nestled_ir::{Combinator, CombinatorKind, ValueId};
use nestled_kernel::nest::elem;
use std::ptr;

/// The `serial` that a nest is, if it is one.
pub fn of_nest<'a>(running: &Running<'a>, plan: &NestPlan) -> Option<&'a Combinator> {
    let step = &running.kernel.plan.kernel.steps[plan.nest.items.first()?.step];
    matches!(step.kind, CombinatorKind::Serial { .. }).then_some(step)
}

/// Runs the nest of a `serial`. If it faults, its arrays are zero.
pub fn run(
    running: &Running<'_>,
    plan: &NestPlan,
    main: Function,
    step: &Combinator,
) -> Result<(), NoMemory> {
    for (&base, &bind) in step.kind.bases().iter().zip(&step.binds) {
        begin(running, base, bind);
    }
    let before = running.take_fault();
    running.piece(plan, main, (0, 1), None, |_| {})?;
    let fault = running.take_fault();
    if fault.is_some() {
        for (&base, &bind) in step.kind.bases().iter().zip(&step.binds) {
            let (place, bytes) = (running.place_of(bind), bytes(running, base));
            // SAFETY: there is room for so many elements, and nobody else is there.
            unsafe { ptr::write_bytes(place, 0, bytes) };
        }
    }
    before.into_iter().chain(fault).for_each(|fault| running.note(fault));
    Ok(())
}

/// Copies a base to where the array lies that it becomes.
fn begin(running: &Running<'_>, base: ValueId, bind: ValueId) {
    let param = running.kernel.plan.kernel.params.iter().position(|&param| param == base);
    let from = match param.map(|at| running.launch.args[at]) {
        Some(RawArg::Dense { data, .. }) => data,
        _ => unreachable!("bases are dense parameters"),
    };
    let place = running.place_of(bind);
    if from != place.cast_const() {
        // SAFETY: both have so many elements; a result that does not begin where the base does lies elsewhere.
        unsafe { ptr::copy_nonoverlapping(from, place, bytes(running, base)) };
    }
}

/// How many bytes a base takes.
fn bytes(running: &Running<'_>, base: ValueId) -> usize {
    let kernel = &running.kernel.plan.kernel;
    let array = kernel.values[base.index()].ty.as_array().expect("bases are arrays");
    let extent = sizes::step(kernel, running.launch, array.shape.axes[0]).first(1);
    (extent as usize).saturating_mul(elem(kernel, base).size())
}
