//! Kernel launches: resolves arguments, allocates or reuses result buffers, and queues the launch.

use super::call::Call;
use super::datum::{ArrayData, Bound, CellData, Datum, DeviceBuffer, LengthsData, SegData, WIDE};
use super::live_buffers::Purpose;
use super::machine::Machine;
use super::pause::{Pause, Unknown};
use super::size_bounds::{bound_of_plan, bound_of_points, bound_with_root, extent};
use crate::device::{Arg, Compiled, DeviceError, InPlace, Launch, ShapeArg, Slice};
use crate::error::Error;
use crate::lower::{KernelPlan, Operand, ParamPlan, ResultKind, ResultPlan, Slot};
use crate::trace::{Event, Work};
use nestled_ir::ScalarType;
use std::cell::OnceCell;
use std::rc::Rc;

impl Machine<'_> {
    /// Queues a launch. If the host has to wait first, the operands stay held, and [`launch_later`](Self::launch_later) goes on.
    pub(super) fn run_kernel(
        &mut self,
        kernel: u32,
        shapes: &[Operand],
        args: &[Operand],
        dsts: &[Slot],
    ) -> Result<(), Pause> {
        for &operand in shapes.iter().chain(args) {
            let datum = self.take(operand);
            self.call.held.push(datum);
        }
        self.go_on(kernel, shapes.len(), dsts)
    }

    /// Waits for what a launch lacks, as often as it lacks something, and queues it.
    pub(super) async fn launch_later(
        &mut self,
        kernel: u32,
        n_shapes: usize,
        dsts: &[Slot],
        mut pause: Pause,
    ) -> Result<(), Error> {
        loop {
            let waited = match pause {
                Pause::Extent(extent) => self.learn(Unknown(extent)).await,
                Pause::Memory => {
                    self.call.has_waited = true;
                    self.look(&[]).await
                }
                Pause::Whole => Ok(()),
                Pause::Error(error) => Err(error),
            };
            if let Err(error) = waited {
                self.call.clear();
                return Err(error);
            }
            match self.go_on(kernel, n_shapes, dsts) {
                Ok(()) => return Ok(()),
                Err(more) => pause = more,
            }
        }
    }

    /// Goes on with the launch whose operands are held, from where it stopped.
    fn go_on(&mut self, kernel: u32, n_shapes: usize, dsts: &[Slot]) -> Result<(), Pause> {
        let mut call = std::mem::take(&mut self.call);
        let outcome = self.prepare_and_launch(&mut call, kernel, n_shapes);
        if let Err(Pause::Extent(_) | Pause::Memory) = outcome {
            self.call = call;
            return outcome;
        }
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

    /// The lists of the call say how far it came: what is in them is not done again.
    fn prepare_and_launch(&mut self, call: &mut Call, kernel: u32, n_shapes: usize) -> Result<(), Pause> {
        let exe = self.exe;
        let plan = &exe.lowered.kernels[kernel as usize];
        while call.shapes.len() < n_shapes {
            let at = call.shapes.len();
            let shape = shape_arg(&call.held[at])?;
            call.is_wide |= bound_of_points(&call.held[at..=at])? >= WIDE;
            call.shapes.push(shape);
        }
        while let Some(&param) = plan.params.get(call.args.len()) {
            let arg = arg(&call.held[n_shapes + call.args.len()], param)?;
            call.is_wide |= is_wide(&arg);
            call.args.push(arg);
        }
        let compiled = exe.compiled(kernel, call.is_wide)?;
        while let Some(result) = plan.results.get(call.made.len()) {
            let datum = self.result(call, compiled, result, n_shapes)?;
            call.has_waited = false;
            call.results.push(slice_of(&datum));
            call.made.push(datum);
        }
        self.queue(plan, compiled, call)
    }

    fn queue(&mut self, plan: &KernelPlan, compiled: &Compiled, call: &Call) -> Result<(), Pause> {
        if self.uses_poison {
            return Ok(());
        }
        self.look_for_interrupt()?;
        let work = if self.exe.trace.is_some() { work(plan, call)? } else { Work::default() };
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
            Err(DeviceError::OutOfMemory { .. }) if !call.in_place && !call.has_waited => Err(Pause::Memory),
            outcome => Ok(outcome?),
        }
    }

    /// Makes room for the next result.
    fn result(
        &mut self,
        call: &mut Call,
        compiled: &Compiled,
        result: &ResultPlan,
        n_shapes: usize,
    ) -> Result<Datum, Pause> {
        match &result.kind {
            ResultKind::Scalar => self.new_cell(call, result, None),
            ResultKind::Dim(points) => {
                let bound = bound_with_root(call, points)?;
                self.new_cell(call, result, Some(bound))
            }
            ResultKind::Array(shape) => {
                let len = bound_of_plan(call, shape)?;
                let position = call.made.len();
                let mut params = compiled.in_place.iter().filter(|pair| pair.result == position);
                let held = |pair: &InPlace| reusable(&call.held[n_shapes + pair.param], result.elem, len);
                let data = match params.find_map(held) {
                    Some(data) => {
                        data.rename(&result.purpose);
                        call.in_place = true;
                        data
                    }
                    None => self.room_of_result(call, result.elem, len, &result.purpose)?,
                };
                let sum = result.sum.as_ref().and_then(|terms| self.sum_of_result(call, terms)).map(Rc::new);
                Ok(Datum::Array(Rc::new(ArrayData { sum, ..ArrayData::whole(data) })))
            }
            ResultKind::Seg { parent, points } => {
                let parent: Vec<Datum> = parent.iter().map(|&axis| call.axis(axis)).collect();
                let len = bound_of_points(&parent)?.saturating_add(1);
                let bound = bound_with_root(call, points)?;
                let offsets = self.room_of_result(call, ScalarType::Idx, len, &result.purpose)?;
                Ok(Datum::Seg(Rc::new(offsets_seg(parent, offsets, Some(bound)))))
            }
        }
    }

    fn new_cell(&self, call: &Call, result: &ResultPlan, bound: Option<Bound>) -> Result<Datum, Pause> {
        let buffer = self.room_of_result(call, result.elem, 1, &result.purpose)?;
        Ok(Datum::Cell(Rc::new(CellData { buffer, at: 0, bound, known: OnceCell::new() })))
    }

    /// Memory for a result. When there is none left, the queue, which may free some, is waited for; and meanwhile the host may know better how much is needed.
    fn room_of_result(
        &self,
        call: &Call,
        elem: ScalarType,
        len: u64,
        purpose: &Purpose,
    ) -> Result<Rc<DeviceBuffer>, Pause> {
        match self.room(elem, len, purpose) {
            Err(DeviceError::OutOfMemory { .. }) if !call.has_waited => Err(Pause::Memory),
            outcome => outcome.map_err(|error| self.no_room(error, purpose).into()),
        }
    }

    /// Allocates memory for a value. When there is none left, waits for the queue, which may free some, and tries again.
    pub(super) async fn allocate(
        &mut self,
        elem: ScalarType,
        len: u64,
        purpose: &Purpose,
    ) -> Result<Rc<DeviceBuffer>, Error> {
        let mut outcome = self.room(elem, len, purpose);
        if let Err(DeviceError::OutOfMemory { .. }) = outcome {
            self.look(&[]).await?;
            outcome = self.room(elem, len, purpose);
        }
        outcome.map_err(|error| self.no_room(error, purpose))
    }

    /// Allocates memory for a value, without a wait.
    pub(super) fn room(
        &self,
        elem: ScalarType,
        len: u64,
        purpose: &Purpose,
    ) -> Result<Rc<DeviceBuffer>, DeviceError> {
        let (trace, live_buffers) = (self.exe.trace.as_ref(), &self.exe.live_buffers);
        DeviceBuffer::allocate(self.device, trace, live_buffers, elem, len, purpose).map(Rc::new)
    }

    /// The error where there is no memory for a value.
    #[cold]
    fn no_room(&self, error: DeviceError, purpose: &Purpose) -> Error {
        match error {
            DeviceError::OutOfMemory { wanted, free } => {
                let (value, live) = (purpose.to_string(), self.exe.live_buffers.largest());
                Error::OutOfMemory { wanted, free, value, live, span: self.span() }
            }
            other => other.into(),
        }
    }
}

/// Work of a launch. Computed only for traces.
#[cold]
fn work(plan: &KernelPlan, call: &Call) -> Result<Work, Unknown> {
    let space: Vec<Datum> = plan.space.iter().map(|&axis| call.axis(axis)).collect();
    let points = bound_of_points(&space)?;
    let read = call.held.iter().map(bytes_of).fold(0, u64::saturating_add);
    let written = call.made.iter().map(bytes_of).fold(0, u64::saturating_add);
    Ok(Work { points, read, written })
}

#[inline]
fn shape_arg(shape: &Datum) -> Result<ShapeArg, Unknown> {
    let Datum::Seg(seg) = shape else {
        return Ok(ShapeArg::Extent(extent(shape)?));
    };
    Ok(match &seg.lengths {
        LengthsData::Regular(length) => ShapeArg::Regular { length: extent(length)? },
        LengthsData::Offsets { offsets, total } => {
            ShapeArg::Offsets { offsets: offsets.slice(), total: extent(total)? }
        }
    })
}

#[inline]
fn arg(arg: &Datum, param: ParamPlan) -> Result<Arg, Error> {
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
