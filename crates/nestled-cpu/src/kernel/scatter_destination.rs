//! Destinations of scatters: arrays with their base. What threads do with tables of their own is in `privatised_tables.rs`.
#![allow(unsafe_code)] // Fills and copies memory known by address.

use super::loaded::LoadedFunction;
use super::raw::RawArg;
use super::running::Running;
use super::scratch::{NoMemory, ScratchBlock};
use super::shared::SharedPointer;
use super::sizes::{self, Step};
use nestled_ir::{Base, Combinator, CombinatorKind, Scalar, ScalarType};
use std::ptr;
use std::sync::Mutex;

/// The destination of a scatter.
pub struct ScatterDestination {
    /// The steps of its shape.
    pub steps: Vec<Step>,
    /// Number of places.
    pub places: usize,
    /// The address of the first place of each component.
    pub into: Vec<(*mut u8, ScalarType)>,
    pub(super) temporary: Vec<ScratchBlock>,
    pub(super) tables: Option<PrivatisedTables>,
}

// SAFETY: its blocks may go to other threads, and nothing here depends on which thread it is in; `into` are addresses, which nothing here follows.
unsafe impl Send for ScatterDestination {}
// SAFETY: through a shared reference only the free tables change, which have a lock. Who writes to the addresses in `into` says there why nobody else does.
unsafe impl Sync for ScatterDestination {}

/// Privatised tables of the shape of a destination, one set for each active thread.
pub(super) struct PrivatisedTables {
    /// Number of copies of each component.
    pub copies: usize,
    /// The initial value of each component.
    pub start: Vec<Scalar>,
    pub merge: LoadedFunction,
    /// The tables that no thread uses at the moment.
    pub free: Mutex<Vec<ScratchBlock>>,
}

impl ScatterDestination {
    /// Makes the destination of a scatter, filled with its base.
    pub fn new(running: &Running<'_>, step: &Combinator) -> Result<ScatterDestination, NoMemory> {
        let mut destination = ScatterDestination {
            steps: Vec::new(),
            places: 0,
            into: Vec::new(),
            temporary: Vec::new(),
            tables: None,
        };
        let CombinatorKind::Permute { dest, base, .. } = &step.kind else { return Ok(destination) };
        let kernel = &running.kernel.plan.kernel;
        destination.steps = sizes::steps(kernel, running.launch, dest);
        destination.places = destination.steps.iter().fold(1, |points, step| step.first(points)) as usize;
        for &bind in &step.binds {
            let ty = kernel.elem(bind);
            let data = match kernel.ret.iter().position(|&value| value == bind) {
                Some(position) => running.launch.results[position].data,
                None => {
                    let block = running.scratch.take(destination.places.saturating_mul(ty.size()))?;
                    let data = block.address();
                    destination.temporary.push(block);
                    data
                }
            };
            destination.into.push((data, ty));
        }
        destination.write_base(running, base);
        Ok(destination)
    }

    fn write_base(&self, running: &Running<'_>, base: &Base) {
        let kernel = &running.kernel.plan.kernel;
        for (component, &(data, ty)) in self.into.iter().enumerate() {
            let (to, size) = (SharedPointer(data), ty.size());
            let from = match base {
                Base::Fill(_) => None,
                Base::Arrays(arrays) => {
                    let position = kernel.params.iter().position(|&param| param == arrays[component]);
                    match position.map(|at| running.launch.args[at]) {
                        Some(RawArg::Dense { data: from, .. }) if from != data.cast_const() => {
                            Some(SharedPointer(from.cast_mut()))
                        }
                        // Already there.
                        _ => continue,
                    }
                }
            };
            let value = match base {
                Base::Fill(values) => values[component],
                Base::Arrays(_) => Scalar::zero(ty),
            };
            let most = running.thresholds.destination_chunk;
            running.pool.for_each_chunk(self.places.div_ceil(most), |chunk| {
                let first = chunk * most;
                let len = most.min(self.places - first);
                match from {
                    // SAFETY: the destination has `len` more places from `first` on, and chunks do not overlap.
                    None => unsafe { fill(to.add(first * size), ty, value, len) },
                    // SAFETY: the base has the shape of the destination, and both have `len` more elements from `first` on. A result overlaps no argument but at the very same
                    // place, which is left out above. Chunks do not overlap.
                    Some(from) => unsafe {
                        ptr::copy_nonoverlapping(from.add(first * size), to.add(first * size), len * size);
                    },
                }
            });
        }
    }
}

/// Fills `places` elements with a value.
///
/// # Safety
/// `data` is the address of room for `places` elements of the type, a multiple of their size, and no other thread accesses it.
pub(super) unsafe fn fill(data: *mut u8, ty: ScalarType, value: Scalar, places: usize) {
    let bits = value.to_bits();
    // SAFETY: there is room for so many integers of the size of the elements, aligned as they are, and it is our caller's alone. It may hold anything: a slice of
    // integers that is only written to.
    unsafe {
        match ty.size() {
            1 => ptr::write_bytes(data, bits as u8, places),
            2 => std::slice::from_raw_parts_mut(data.cast::<u16>(), places).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(data.cast::<u32>(), places).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(data.cast::<u64>(), places).fill(bits),
        }
    }
}
