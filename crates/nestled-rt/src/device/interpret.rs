//! Launches by the reference interpreter: converts slices to values, and back.
//!
//! The reference device runs all its kernels so. Other devices use it where they cannot run a kernel, or should not: after a fault, when
//! offsets, starts and counts may be rubbish, the interpreter checks everything before use.

use super::{Arg, Cell, DeviceError, Extent, InPlace, ShapeArg, Slice};
use nestled_ir::interp::{Error, Fault, Interrupt, Limit, Limits, Meter, TileCode, run_kernel};
use nestled_ir::value::{Array, AxisValue, Bindings, Buffer, Lengths, Segmentation, Value, count_points};
use nestled_ir::{ArrayType, Kernel, KernelId, Program, Scalar, Type, ValueId};
use std::sync::Arc;

/// Bytes that the interpreter may always take, even on a device with little memory, for copies that a device would not make.
const LEAST_SCRATCH: u64 = 1 << 28;

/// Access to a device's memory, for the interpreter.
pub trait LaunchMemory {
    /// The elements of a slice, all of which have been written.
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError>;

    /// One element.
    fn number(&self, cell: Cell) -> Result<Scalar, DeviceError>;

    /// Number of elements of a slice that have been written, from its beginning.
    fn written(&self, slice: Slice) -> Result<u64, DeviceError> {
        Ok(slice.len)
    }

    /// Bytes that the device may hold.
    fn limit(&self) -> u64;

    /// The exact value of an extent, kept within its bound.
    fn exact(&self, extent: Extent) -> Result<u64, DeviceError> {
        let Some(cell) = extent.exact else { return Ok(extent.bound) };
        let value = self.number(cell)?.as_integer().unwrap_or(0);
        Ok((value.max(0) as u64).min(extent.bound))
    }
}

/// Results that may take the place of an argument where kernels are interpreted: all that have its type, because the interpreter reads
/// everything before anything is written.
pub fn in_place_interpreted(kernel: &Kernel) -> Vec<InPlace> {
    let ty = |value: ValueId| &kernel.values[value.index()].ty;
    let is_array = |value: ValueId| ty(value).as_array().is_some_and(|array| !array.shape.is_scalar());
    let mut pairs = Vec::new();
    for (result, &value) in kernel.ret.iter().enumerate().filter(|(_, value)| is_array(**value)) {
        let params = kernel.params.iter().enumerate().filter(|(_, param)| ty(**param) == ty(value));
        pairs.extend(params.map(|(param, _)| InPlace { param, result }));
    }
    pairs
}

/// The operands of a launch, as in [`Launch`](super::Launch).
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// The shape arguments.
    pub shapes: &'a [ShapeArg],
    /// The arguments.
    pub args: &'a [Arg],
    /// The destinations of the results.
    pub results: &'a [Slice],
}

/// The outcome of an interpreted launch.
#[derive(Debug)]
pub struct Interpreted {
    /// The first elements of each result slice.
    pub results: Vec<Arc<Buffer>>,
    /// The least fault.
    pub fault: Option<Fault>,
}

/// Runs a launch.
///
/// # Errors
/// Errors of the memory, or [`DeviceError::Bug`] where the operands do not fit the kernel.
pub fn interpret(
    memory: &dyn LaunchMemory,
    program: &Program,
    kernel: KernelId,
    tiles: Option<&TileCode>,
    operands: Operands<'_>,
    meter: &mut Meter,
) -> Result<Interpreted, DeviceError> {
    let reader = Reader { memory, kernel: program.kernel(kernel) };
    let (shapes, args) = reader.arguments(operands)?;
    let run = run_kernel(program, kernel, tiles, &shapes, &args, meter).map_err(device_error)?;
    let results = run.values.into_iter().zip(operands.results);
    Ok(Interpreted {
        results: results.map(|(value, &slice)| stored(value, slice)).collect(),
        fault: run.fault,
    })
}

/// The limits of a launch. It may take so many steps. Scratch memory is: to the size of the device's memory, but at least 256 MiB.
pub fn launch_meter(limit: u64, steps: u64, interrupt: Option<&Interrupt>) -> Meter {
    let meter = Meter::new(&Limits { steps, bytes: limit.max(LEAST_SCRATCH), depth: usize::MAX });
    match interrupt {
        Some(interrupt) => meter.with_interrupt(interrupt.clone()),
        None => meter,
    }
}

/// Converts an error of the interpreter to one of a device.
pub fn device_error(error: Error) -> DeviceError {
    match error {
        Error::Limit { limit: Limit::Bytes { wanted, .. }, .. } => {
            DeviceError::OutOfMemory { wanted, free: None }
        }
        Error::Limit { limit: Limit::Points, .. } => DeviceError::Points,
        Error::Interrupted => DeviceError::Interrupted,
        Error::Limit { limit, .. } => {
            let help = "simplify the kernel".to_owned();
            DeviceError::Unsupported { what: limit.to_string(), help }
        }
        other => bug(other.to_string()),
    }
}

fn bug(what: impl Into<String>) -> DeviceError {
    DeviceError::Bug(what.into())
}

/// Converts slices of memory to values.
struct Reader<'a> {
    memory: &'a dyn LaunchMemory,
    kernel: &'a Kernel,
}

impl Reader<'_> {
    fn arguments(&self, operands: Operands<'_>) -> Result<(Vec<AxisValue>, Vec<Value>), DeviceError> {
        let mut bindings = Bindings::new(&self.kernel.values);
        let mut shapes = Vec::with_capacity(operands.shapes.len());
        for (&formal, shape) in self.kernel.shapes.iter().zip(operands.shapes) {
            let axis = self.axis(formal, *shape, &bindings)?;
            bindings.set(formal, axis.clone());
            shapes.push(axis);
        }
        let mut args = Vec::with_capacity(operands.args.len());
        for (&param, arg) in self.kernel.params.iter().zip(operands.args) {
            args.push(self.arg(param, *arg, &bindings)?);
        }
        Ok((shapes, args))
    }

    fn axis(
        &self,
        formal: ValueId,
        shape: ShapeArg,
        bindings: &Bindings<'_>,
    ) -> Result<AxisValue, DeviceError> {
        let parent = || match &self.kernel.values[formal.index()].ty {
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
                let entries = self.indices(offsets, count_points(&parent).saturating_add(1))?;
                (parent, Lengths::Offsets(entries.into()))
            }
        };
        Ok(AxisValue::Seg(Arc::new(Segmentation { parent, lengths })))
    }

    fn arg(&self, param: ValueId, arg: Arg, bindings: &Bindings<'_>) -> Result<Value, DeviceError> {
        let ty = &self.kernel.values[param.index()].ty;
        let scalar = match arg {
            Arg::Scalar(scalar) => scalar,
            Arg::Cell(cell) => self.memory.number(cell)?,
            Arg::Dense(slice) => {
                let (array, shape) = array_type(ty, bindings)?;
                let data = self.first(slice, count_points(&shape))?;
                return Ok(Value::Array(Array { elem: array.elem, shape, starts: None, data }));
            }
            Arg::View { data, starts } => {
                let (array, shape) = array_type(ty, bindings)?;
                let Some(AxisValue::Seg(seg)) = shape.first() else { return Err(unknown_shape()) };
                let starts = self.indices(starts, seg.n_segments())?;
                let data = self.memory.read(Slice { len: self.memory.written(data)?, ..data })?;
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

    /// The first elements of a slice.
    fn first(&self, slice: Slice, len: u64) -> Result<Arc<Buffer>, DeviceError> {
        if len > slice.len {
            return Err(bug(format!("{len} elements are wanted of {slice:?}")));
        }
        self.memory.read(Slice { len, ..slice })
    }

    /// The first elements of a slice of indices.
    fn indices(&self, slice: Slice, len: u64) -> Result<Vec<i64>, DeviceError> {
        match &*self.first(slice, len)? {
            Buffer::Idx(indices) => Ok(indices.clone()),
            other => Err(bug(format!("indices are wanted, not {}", other.elem()))),
        }
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
    bug("a launch does not fit its kernel's parameters")
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
