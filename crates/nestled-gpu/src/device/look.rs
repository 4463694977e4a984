//! Looks: reading the fault words of launches together with the numbers that somebody wants. A launch that faulted runs once more, on the interpreter, which knows what to say.

use super::machine::{Machine, Place};
use super::pending::{Found, Waiting};
use super::{State, bug, native};
use nestled_ir::Scalar;
use nestled_ir::interp::Fault;
use nestled_rt::device::{Cell, DeviceError, DeviceFault, LaunchMemory, Operands, interpret, launch_meter};

impl<M: Machine> State<M> {
    /// Reads the faults of all pending launches.
    pub(super) fn look(&mut self) -> Result<(), DeviceError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.look_and_read(&[], &mut Vec::new())
    }

    /// The same, and reads numbers in the same transfer.
    pub(super) fn look_and_read(
        &mut self,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
    ) -> Result<(), DeviceError> {
        let waiting = std::mem::take(&mut self.waiting);
        let (mut places, mut words) = (std::mem::take(&mut self.places), std::mem::take(&mut self.words));
        let looked = self.looked(&waiting, cells, &mut places, &mut words, into);
        // Their allocations are kept.
        places.clear();
        (self.waiting, self.places, self.words) = (waiting, places, words);
        self.forget_waiting();
        looked
    }

    /// Forgets the launches whose faults have not been read, with all that they held.
    pub(super) fn forget_waiting(&mut self) {
        self.looks += 1;
        self.waiting.clear(&mut self.memory);
        self.kernels.forget_all(&self.memory);
    }

    fn looked(
        &mut self,
        waiting: &Waiting,
        cells: &[Cell],
        places: &mut Vec<(Place, u64)>,
        words: &mut Vec<u32>,
        into: &mut Vec<Scalar>,
    ) -> Result<(), DeviceError> {
        waiting.places(&self.memory, places);
        self.places_of(cells, places)?;
        if places.is_empty() {
            return Ok(());
        }
        self.memory.words(places, words)?;
        let read = self.note_faults(waiting, words)?;
        self.numbers(cells, &words[read..], into)
    }

    /// Appends the places of numbers.
    pub(super) fn places_of(
        &self,
        cells: &[Cell],
        places: &mut Vec<(Place, u64)>,
    ) -> Result<(), DeviceError> {
        for &cell in cells {
            let window = self.memory.cell_window(cell)?;
            places.push((window.place, window.words));
        }
        Ok(())
    }

    /// Notes the least fault that the fault words of launches tell, and returns their number.
    pub(super) fn note_faults(&mut self, waiting: &Waiting, words: &[u32]) -> Result<usize, DeviceError> {
        let (faulted, read) = waiting.faulted(words);
        for found in &faulted {
            // A fault that the interpreter did not confirm may hide a greater one.
            if self.fault.as_ref().is_some_and(|known| known.rank() < found.rank()) {
                break;
            }
            self.explain(found)?;
        }
        Ok(read)
    }

    /// Appends the numbers that these words hold.
    pub(super) fn numbers(
        &self,
        cells: &[Cell],
        words: &[u32],
        into: &mut Vec<Scalar>,
    ) -> Result<(), DeviceError> {
        let mut rest = words.iter();
        for &cell in cells {
            let elem = self.memory.cell_type(cell)?;
            let window = self.memory.cell_window(cell)?;
            let mut bits = 0;
            for part in 0..window.words {
                bits |= rest.next().map_or(0, |&word| u64::from(word)) << (32 * part);
            }
            into.push(Scalar::from_bits(elem, bits >> (8 * window.skip)));
        }
        Ok(())
    }

    /// Runs a launch that faulted again on the interpreter, and records its fault.
    fn explain(&mut self, found: &Found<'_>) -> Result<(), DeviceError> {
        let fault = self.explained(found, &found.memory(&self.memory))?;
        fault.into_iter().for_each(|fault| self.note(fault));
        Ok(())
    }

    /// The fault of a launch, as the interpreter finds it in the memory that the launch read.
    pub(super) fn explained(
        &self,
        found: &Found<'_>,
        memory: &impl LaunchMemory,
    ) -> Result<Option<DeviceFault>, DeviceError> {
        let &Found { ref launch, native, site, element, .. } = found;
        let prepared = self.kernels.get(launch.kernel)?;
        let kernel = prepared.program.kernel(prepared.kernel);
        let operands = Operands { shapes: launch.shapes, args: launch.args, results: launch.results };
        if let Some(native) = native {
            // A length may be too great for kernels to add up, yet correct by itself.
            let (_, fault) = native::on_host(memory, native)?;
            return fault.map(Some).ok_or(DeviceError::Points);
        }
        let mut meter = launch_meter(memory.limit(), u64::MAX, self.interrupt.as_ref());
        let run = interpret(memory, &prepared.program, prepared.kernel, None, operands, &mut meter)?;
        let confirmed =
            run.fault.as_ref().is_some_and(|fault| (fault.site, fault.element) == (site, element));
        // With a broken proof a lane is disabled on the interpreter, but computes some value here.
        if !confirmed && !kernel.steps.iter().any(|step| prepared.program.has_proof(step)) {
            return Err(bug(format!(
                "`{}` faults at {site:?} and point {element} on the device, and on the interpreter: {:?}",
                kernel.name, run.fault
            )));
        }
        let fault = |Fault { site, element, point, kind, span: _ }| DeviceFault {
            region: launch.region,
            site,
            element,
            point,
            kind,
        };
        Ok(run.fault.map(fault))
    }
}
