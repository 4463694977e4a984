//! One launch: from slices to values, through the interpreter, and back.

use super::State;
use super::queue::OwnedLaunch;
use crate::device::{Arg, DeviceError, DeviceFault, InPlace, ShapeArg, Slice};
use nestled_ir::interp::{Error, Fault, KernelRun, Limit, Limits, Meter, run_kernel};
use nestled_ir::value::{Array, AxisValue, Bindings, Buffer, Lengths, Segmentation, Value, count_points};
use nestled_ir::{ArrayType, Base, CombinatorKind, Kernel, Type, ValueId};
use std::sync::Arc;

/// Results that may be written over an argument: scatters into an array, which the interpreter reads before it writes.
pub(super) fn in_place(kernel: &Kernel) -> Vec<InPlace> {
    let mut pairs = Vec::new();
    for step in &kernel.steps {
        let CombinatorKind::Permute { base: Base::Arrays(bases), .. } = &step.kind else { continue };
        for (base, bind) in bases.iter().zip(&step.binds) {
            let param = kernel.params.iter().position(|param| param == base);
            let result = kernel.ret.iter().position(|result| result == bind);
            if let (Some(param), Some(result)) = (param, result) {
                pairs.push(InPlace { param, result });
            }
        }
    }
    pairs
}

impl State {
    pub(super) fn run_launch(&mut self, launch: &OwnedLaunch) -> Result<(), DeviceError> {
        match self.try_launch(launch) {
            // What follows a fault may be called with values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => {
                launch.results.iter().try_for_each(|&slice| self.memory.spoil(slice))
            }
            outcome => outcome,
        }
    }

    fn try_launch(&mut self, launch: &OwnedLaunch) -> Result<(), DeviceError> {
        let (program, id) = &self.kernels[launch.kernel.0 as usize];
        let (program, id) = (Arc::clone(program), *id);
        let kernel = program.kernel(id);
        let mut bindings = Bindings::new(&kernel.values);
        let mut shapes = Vec::with_capacity(launch.shapes.len());
        for (&formal, shape) in kernel.shapes.iter().zip(&launch.shapes) {
            let axis = self.axis(kernel, formal, *shape, &bindings)?;
            bindings.set(formal, axis.clone());
            shapes.push(axis);
        }
        let mut args = Vec::with_capacity(launch.args.len());
        for (&param, arg) in kernel.params.iter().zip(&launch.args) {
            args.push(self.arg(kernel, param, *arg, &bindings)?);
        }
        let run = run_kernel(&program, id, &shapes, &args, &mut self.meter()).map_err(device_error)?;
        drop(args);
        self.finish(launch, run)
    }

    fn finish(&mut self, launch: &OwnedLaunch, run: KernelRun) -> Result<(), DeviceError> {
        for (value, &slice) in run.values.into_iter().zip(&launch.results) {
            self.memory.write(slice, stored(value, slice))?;
        }
        if let Some(fault) = run.fault {
            let Fault { site, element, point, kind, span: _ } = fault;
            self.note(DeviceFault { region: launch.region, site, element, point, kind });
        }
        Ok(())
    }

    fn axis(
        &self,
        kernel: &Kernel,
        formal: ValueId,
        shape: ShapeArg,
        bindings: &Bindings<'_>,
    ) -> Result<AxisValue, DeviceError> {
        let parent = || match &kernel.values[formal.index()].ty {
            Type::Seg(seg) => bindings.shape(&seg.parent).ok_or_else(unknown_shape),
            Type::Array(_) | Type::Dim => Err(unknown_shape()),
        };
        let (parent, lengths) = match shape {
            ShapeArg::Extent(extent) => return Ok(AxisValue::Extent(self.memory.exact(extent)?)),
            ShapeArg::Regular { length } => {
                (parent()?, Lengths::Regular { length: self.memory.exact(length)? })
            }
            ShapeArg::Offsets { offsets, total: _ } => {
                let parent = parent()?;
                let entries = self.memory.indices(offsets, count_points(&parent) + 1)?;
                (parent, Lengths::Offsets(entries.into()))
            }
        };
        Ok(AxisValue::Seg(Arc::new(Segmentation { parent, lengths })))
    }

    fn arg(
        &self,
        kernel: &Kernel,
        param: ValueId,
        arg: Arg,
        bindings: &Bindings<'_>,
    ) -> Result<Value, DeviceError> {
        let ty = &kernel.values[param.index()].ty;
        let scalar = match arg {
            Arg::Scalar(scalar) => scalar,
            Arg::Cell(cell) => self.memory.number(cell)?,
            Arg::Dense(slice) => {
                let (array, shape) = array_type(ty, bindings)?;
                let data = self.memory.read(Slice { len: count_points(&shape), ..slice })?;
                return Ok(Value::Array(Array { elem: array.elem, shape, starts: None, data }));
            }
            Arg::View { data, starts } => {
                let (array, shape) = array_type(ty, bindings)?;
                let Some(AxisValue::Seg(seg)) = shape.first() else { return Err(unknown_shape()) };
                let starts = self.memory.indices(starts, seg.n_segments())?;
                let len = self.memory.written(data)?;
                let data = self.memory.read(Slice { len, ..data })?;
                return Ok(Value::Array(Array {
                    elem: array.elem,
                    shape,
                    starts: Some(starts.into()),
                    data,
                }));
            }
        };
        Ok(match (ty, scalar.as_integer()) {
            (Type::Dim, Some(extent)) => Value::Dim(extent.max(0) as u64),
            _ => Value::Scalar(scalar),
        })
    }
}

fn array_type<'t>(
    ty: &'t Type,
    bindings: &Bindings<'_>,
) -> Result<(&'t ArrayType, Vec<AxisValue>), DeviceError> {
    let array = ty.as_array().ok_or_else(unknown_shape)?;
    Ok((array, bindings.shape(&array.shape).ok_or_else(unknown_shape)?))
}

fn unknown_shape() -> DeviceError {
    DeviceError::Bug("a launch does not fit its kernel's parameters".to_owned())
}

/// A result as it lies in memory.
fn stored(value: Value, slice: Slice) -> Arc<Buffer> {
    match value {
        Value::Scalar(scalar) => Arc::new(Buffer::from_scalars(scalar.ty(), &[scalar])),
        Value::Dim(extent) => Arc::new(Buffer::Idx(vec![extent as i64])),
        Value::Array(array) => array.data,
        Value::Seg(seg) => Arc::new(Buffer::Idx(padded(&seg, slice.len))),
    }
}

/// Offsets, then the total up to the length of the slice.
fn padded(seg: &Segmentation, len: u64) -> Vec<i64> {
    let total = seg.total() as i64;
    let mut entries = match &seg.lengths {
        Lengths::Offsets(offsets) => offsets.to_vec(),
        Lengths::Regular { length } => {
            (0..=seg.n_segments()).map(|at| at.saturating_mul(*length) as i64).collect()
        }
    };
    entries.resize(entries.len().max(len as usize), total);
    entries
}

/// The device has limits of its own; the interpreter's are not used.
/// Bytes that the interpreter may take on a device with little memory, where it copies what a device would not.
const LEAST_SCRATCH: u64 = 1 << 28;

impl State {
    /// Time is not limited. What a launch takes for itself is: as much as all memory, or what the interpreter's copies of small
    /// buffers take in any case.
    pub(super) fn meter(&self) -> Meter {
        let bytes = self.memory.limit().max(LEAST_SCRATCH);
        let meter = Meter::new(&Limits { steps: u64::MAX, bytes, depth: usize::MAX });
        match &self.interrupt {
            Some(interrupt) => meter.with_interrupt(interrupt.clone()),
            None => meter,
        }
    }
}

pub(super) fn device_error(error: Error) -> DeviceError {
    match error {
        Error::Limit { limit: Limit::Bytes { wanted, .. }, .. } => {
            DeviceError::OutOfMemory { wanted, free: None }
        }
        Error::Limit { limit: Limit::Points, .. } => DeviceError::Points,
        Error::Interrupted => DeviceError::Interrupted,
        Error::Limit { limit, .. } => {
            let help = "simplify the kernel, or run it on another device".to_owned();
            DeviceError::Unsupported { what: limit.to_string(), help }
        }
        other => DeviceError::Bug(other.to_string()),
    }
}
