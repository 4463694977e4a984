//! Kernel launches: resolves arguments, allocates or reuses result buffers, and queues the launch.

use super::call::Call;
use super::datum::{ArrayData, Bound, CellData, Datum, DeviceBuffer, LengthsData, SegData, WIDE};
use super::live_buffers::Purpose;
use super::machine::Machine;
use crate::device::{Arg, Compiled, DeviceError, InPlace, Launch, ShapeArg, Slice};
use crate::error::Error;
use crate::lower::{KernelPlan, Operand, ParamPlan, ResultKind, ResultPlan, Slot};
use crate::trace::{Event, Work};
use nestled_ir::ScalarType;
use std::cell::OnceCell;
use std::rc::Rc;

impl Machine<'_> {
    pub(super) fn run_kernel(
        &mut self,
        kernel: u32,
        shapes: &[Operand],
        args: &[Operand],
        dsts: &[Slot],
    ) -> Result<(), Error> {
        let mut call = std::mem::take(&mut self.call);
        let outcome = self.prepare_and_launch(&mut call, kernel, shapes, args);
        if outcome.is_ok() && !self.uses_poison {
            for datum in &call.made {
                match datum {
                    Datum::Cell(cell) => self.expect(cell),
                    Datum::Seg(seg) => self.expect_total(seg),
                    Datum::Empty | Datum::Scalar(_) | Datum::Array(_) => {}
                }
            }
        }
        for (&dst, datum) in dsts.iter().zip(call.made.drain(..)) {
            self.set(dst, datum);
        }
        call.clear();
        self.call = call;
        outcome
    }

    fn prepare_and_launch(
        &mut self,
        call: &mut Call,
        kernel: u32,
        shapes: &[Operand],
        args: &[Operand],
    ) -> Result<(), Error> {
        let exe = self.exe;
        let plan = &exe.lowered.kernels[kernel as usize];
        for &operand in shapes.iter().chain(args) {
            let datum = self.take(operand);
            call.held.push(datum);
        }
        let mut wide = false;
        for at in 0..shapes.len() {
            let shape = self.shape_arg(&call.held[at])?;
            wide |= self.bound_of_points(&call.held[at..=at])? >= WIDE;
            call.shapes.push(shape);
        }
        for (at, &param) in plan.params.iter().enumerate() {
            let arg = self.arg(&call.held[shapes.len() + at], param)?;
            wide |= is_wide(&arg);
            call.args.push(arg);
        }
        let compiled = exe.compiled(kernel, wide)?;
        for (position, result) in plan.results.iter().enumerate() {
            let datum = self.result(call, compiled, position, result, shapes.len())?;
            call.results.push(slice_of(&datum));
            call.made.push(datum);
        }
        self.queue(plan, compiled, call)
    }

    fn queue(&mut self, plan: &KernelPlan, compiled: &Compiled, call: &Call) -> Result<(), Error> {
        if self.uses_poison {
            return Ok(());
        }
        self.look_for_interrupt()?;
        let work = if self.exe.trace.is_some() { self.work(plan, call)? } else { Work::default() };
        let queued = Event::Launch { kernel: &plan.name, places: &plan.places, span: self.span(), work };
        let launch = Launch {
            kernel: compiled.handle,
            shapes: &call.shapes,
            args: &call.args,
            results: &call.results,
            region: self.region,
            least_site: self.least_site(),
        };
        self.faults_pending |= plan.site.is_some();
        match self.watched(|device| device.launch(&launch), queued) {
            // What the device needs for itself may fit once everything before is done.
            Err(DeviceError::OutOfMemory { .. }) if !call.in_place => {
                self.look(&[])?;
                self.faults_pending |= plan.site.is_some();
                Ok(self.watched(|device| device.launch(&launch), queued)?)
            }
            outcome => Ok(outcome?),
        }
    }

    /// Work of a launch. Computed only for traces.
    #[cold]
    fn work(&mut self, plan: &KernelPlan, call: &Call) -> Result<Work, Error> {
        let space: Vec<Datum> = plan.space.iter().map(|&axis| call.axis(axis)).collect();
        let points = self.bound_of_points(&space)?;
        let read = call.held.iter().map(bytes_of).fold(0, u64::saturating_add);
        let written = call.made.iter().map(bytes_of).fold(0, u64::saturating_add);
        Ok(Work { points, read, written })
    }

    fn shape_arg(&mut self, shape: &Datum) -> Result<ShapeArg, Error> {
        let Datum::Seg(seg) = shape else {
            return Ok(ShapeArg::Extent(self.extent(shape)?));
        };
        Ok(match &seg.lengths {
            LengthsData::Regular(length) => ShapeArg::Regular { length: self.extent(length)? },
            LengthsData::Offsets { offsets, total } => {
                ShapeArg::Offsets { offsets: offsets.slice(), total: self.extent(total)? }
            }
        })
    }

    fn arg(&mut self, arg: &Datum, param: ParamPlan) -> Result<Arg, Error> {
        Ok(match (param, arg) {
            (ParamPlan::Dense, Datum::Array(array)) => Arg::Dense(array.slice()),
            (ParamPlan::View, Datum::Array(array)) => match &array.view {
                Some(view) => Arg::View { data: array.slice(), starts: view.starts.slice() },
                None => return Err(Error::Bug("a dense array where a view is wanted".to_owned())),
            },
            (ParamPlan::Scalar, Datum::Cell(cell)) => match cell.known.get() {
                Some(&known) => Arg::Scalar(known),
                None => Arg::Cell(cell.cell()),
            },
            (ParamPlan::Scalar, Datum::Scalar(scalar)) => Arg::Scalar(*scalar),
            _ => return Err(Error::Bug(format!("{arg:?} does not fit a parameter {param:?}"))),
        })
    }

    /// Makes room for one result.
    fn result(
        &mut self,
        call: &mut Call,
        compiled: &Compiled,
        position: usize,
        result: &ResultPlan,
        n_shapes: usize,
    ) -> Result<Datum, Error> {
        match &result.kind {
            ResultKind::Scalar => self.new_cell(result.elem, &result.purpose, None),
            ResultKind::Dim(points) => {
                let bound = self.bound_with_root(call, points)?;
                self.new_cell(result.elem, &result.purpose, Some(bound))
            }
            ResultKind::Array(shape) => {
                let len = self.bound_of_plan(call, shape)?;
                let mut params = compiled.in_place.iter().filter(|pair| pair.result == position);
                let held = |pair: &InPlace| reusable(&call.held[n_shapes + pair.param], result.elem, len);
                let data = match params.find_map(held) {
                    Some(data) => {
                        data.rename(&result.purpose);
                        call.in_place = true;
                        data
                    }
                    None => match self.allocate(result.elem, len, &result.purpose) {
                        // Meanwhile the host may know better how much is needed.
                        Err(Error::OutOfMemory { .. }) => {
                            let len = self.bound_of_plan(call, shape)?;
                            self.allocate(result.elem, len, &result.purpose)?
                        }
                        outcome => outcome?,
                    },
                };
                let sum = result.sum.as_ref().and_then(|terms| self.sum_of_result(call, terms)).map(Rc::new);
                Ok(Datum::Array(Rc::new(ArrayData { sum, ..ArrayData::whole(data) })))
            }
            ResultKind::Seg { parent, points } => {
                let parent: Vec<Datum> = parent.iter().map(|&axis| call.axis(axis)).collect();
                let segments = self.bound_of_points(&parent)?;
                let bound = self.bound_with_root(call, points)?;
                let offsets = self.allocate(ScalarType::Idx, segments.saturating_add(1), &result.purpose)?;
                Ok(Datum::Seg(Rc::new(offsets_seg(parent, offsets, Some(bound)))))
            }
        }
    }

    fn new_cell(
        &mut self,
        elem: ScalarType,
        purpose: &Purpose,
        bound: Option<Bound>,
    ) -> Result<Datum, Error> {
        let buffer = self.allocate(elem, 1, purpose)?;
        Ok(Datum::Cell(Rc::new(CellData { buffer, at: 0, bound, known: OnceCell::new() })))
    }

    /// Allocates memory for a value. When there is none left, waits for the queue, which may free some, and tries again.
    pub(super) fn allocate(
        &mut self,
        elem: ScalarType,
        len: u64,
        purpose: &Purpose,
    ) -> Result<Rc<DeviceBuffer>, Error> {
        let (trace, live_buffers) = (self.exe.trace.as_ref(), &self.exe.live_buffers);
        let mut outcome = DeviceBuffer::allocate(self.device, trace, live_buffers, elem, len, purpose);
        if let Err(DeviceError::OutOfMemory { .. }) = outcome {
            self.look(&[])?;
            outcome = DeviceBuffer::allocate(self.device, trace, live_buffers, elem, len, purpose);
        }
        match outcome {
            Ok(buffer) => Ok(Rc::new(buffer)),
            Err(DeviceError::OutOfMemory { wanted, free }) => {
                let (value, live) = (purpose.to_string(), live_buffers.largest());
                Err(Error::OutOfMemory { wanted, free, value, live, span: self.span() })
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// A segmentation with the total at the end of its offsets.
pub(super) fn offsets_seg(parent: Vec<Datum>, offsets: Rc<DeviceBuffer>, bound: Option<Bound>) -> SegData {
    let at = offsets.len - 1;
    let total = CellData { buffer: Rc::clone(&offsets), at, bound, known: OnceCell::new() };
    SegData::new(parent, LengthsData::Offsets { offsets, total: Datum::Cell(Rc::new(total)) })
}

/// The buffer of a dense array with no other reference, and of exactly this size.
fn reusable(arg: &Datum, elem: ScalarType, len: u64) -> Option<Rc<DeviceBuffer>> {
    let Datum::Array(array) = arg else { return None };
    let alone = Rc::strong_count(array) == 1 && Rc::strong_count(&array.data) == 1;
    let fits = array.view.is_none() && array.offset == 0 && array.data.fits(elem, len);
    (alone && fits).then(|| Rc::clone(&array.data))
}

/// The destination slice of a result.
fn slice_of(datum: &Datum) -> Slice {
    match datum {
        Datum::Array(array) => array.slice(),
        Datum::Cell(cell) => cell.buffer.slice(),
        Datum::Seg(seg) => match &seg.lengths {
            LengthsData::Offsets { offsets, .. } => offsets.slice(),
            LengthsData::Regular(_) => unreachable!("kernels make offsets"),
        },
        Datum::Empty | Datum::Scalar(_) => unreachable!("results of kernels live on the device"),
    }
}

/// Bytes that a value occupies on the device.
fn bytes_of(datum: &Datum) -> u64 {
    let array = |array: &ArrayData| array.len.saturating_mul(array.data.elem.size() as u64);
    match datum {
        Datum::Array(data) => {
            array(data).saturating_add(data.view.as_ref().map_or(0, |view| array(&view.starts)))
        }
        Datum::Cell(cell) => cell.buffer.elem.size() as u64,
        Datum::Seg(seg) => match &seg.lengths {
            LengthsData::Offsets { offsets, .. } => offsets.len.saturating_mul(offsets.elem.size() as u64),
            LengthsData::Regular(length) => bytes_of(length),
        },
        Datum::Empty | Datum::Scalar(_) => 0,
    }
}

fn is_wide(arg: &Arg) -> bool {
    match arg {
        Arg::Scalar(_) | Arg::Cell(_) => false,
        Arg::Dense(slice) => slice.len >= WIDE,
        Arg::View { data, starts } => data.len >= WIDE || starts.len >= WIDE,
    }
}
