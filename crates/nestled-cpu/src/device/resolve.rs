//! Resolution of a launch's handles to pointers and numbers.
//!
//! The lists are reused from one launch to the next, so that a launch allocates nothing.

use super::memory::Memory;
use crate::kernel::{RawArg, RawLaunch, RawShape, RawSlice};
use nestled_ir::{Axis, Kernel, Shape, Type, ValueId};
use nestled_rt::device::{Arg, DeviceError, Launch, ShapeArg};

/// The shapes of a kernel's parameters.
#[derive(Debug)]
pub(super) struct Signature {
    /// For each shape parameter that is a segmentation, the axes of its parent.
    parents: Vec<Option<Vec<PlanAxis>>>,
    /// For each parameter that is an array, its axes.
    arrays: Vec<Option<Vec<PlanAxis>>>,
}

#[derive(Clone, Copy, Debug)]
enum PlanAxis {
    Const(u64),
    /// A shape parameter, by position.
    Shape(usize),
}

impl Signature {
    /// Computes the signature of a well-formed kernel.
    pub(super) fn new(kernel: &Kernel) -> Signature {
        let axis = |axis: &Axis| match *axis {
            Axis::Const(extent) => PlanAxis::Const(extent),
            Axis::Sym(symbol) => {
                let position = kernel.shapes.iter().position(|&formal| formal == symbol);
                PlanAxis::Shape(
                    position.expect("the verifier checks that shapes of parameters are parameters"),
                )
            }
        };
        let axes = |shape: &Shape| -> Vec<PlanAxis> { shape.axes.iter().map(axis).collect() };
        let parent = |&formal: &ValueId| match &kernel.values[formal.index()].ty {
            Type::Seg(seg) => Some(axes(&seg.parent)),
            Type::Array(_) | Type::Dim => None,
        };
        let array = |&param: &ValueId| match &kernel.values[param.index()].ty {
            Type::Array(array) if !array.shape.is_scalar() => Some(axes(&array.shape)),
            Type::Array(_) | Type::Dim | Type::Seg(_) => None,
        };
        Signature {
            parents: kernel.shapes.iter().map(parent).collect(),
            arrays: kernel.params.iter().map(array).collect(),
        }
    }
}

/// The resolved lists of a launch.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    shapes: Vec<RawShape>,
    args: Vec<RawArg>,
    results: Vec<RawSlice>,
    /// For each shape parameter, the number of its points, including its parents.
    points: Vec<u64>,
    /// For each shape parameter, the number of its segments.
    segments: Vec<u64>,
}

impl Resolved {
    /// Resolves all handles. False if an array has fewer elements than its shape promises, which is possible after a `same` that does not hold.
    pub(super) fn fill(
        &mut self,
        memory: &Memory,
        signature: &Signature,
        launch: &Launch<'_>,
    ) -> Result<bool, DeviceError> {
        let Resolved { shapes, args, results, points, segments } = self;
        shapes.clear();
        args.clear();
        results.clear();
        points.clear();
        segments.clear();
        let mut fits = true;
        for (shape, parent) in launch.shapes.iter().zip(&signature.parents) {
            let owners = parent.as_deref().map_or(1, |parent| count(parent, points));
            let (shape, total) = match *shape {
                ShapeArg::Extent(extent) => {
                    let extent = memory.exact(extent)?;
                    (RawShape::Extent(extent), extent)
                }
                ShapeArg::Regular { length } => {
                    let length = memory.exact(length)?;
                    (RawShape::Regular { length }, owners.saturating_mul(length))
                }
                ShapeArg::Offsets { offsets, total } => {
                    let (place, total) = (memory.place(offsets)?, memory.exact(total)?);
                    fits &= owners < place.len;
                    (RawShape::Offsets { offsets: place.data.cast(), len: place.len, total }, total)
                }
            };
            shapes.push(shape);
            points.push(total);
            segments.push(owners);
        }
        for (arg, axes) in launch.args.iter().zip(&signature.arrays) {
            let axes = axes.as_deref().unwrap_or(&[]);
            args.push(match *arg {
                Arg::Scalar(scalar) => RawArg::Scalar(scalar),
                Arg::Cell(cell) => RawArg::Scalar(memory.number(cell)?),
                Arg::Dense(slice) => {
                    fits &= count(axes, points) <= slice.len;
                    let place = memory.place(slice)?;
                    RawArg::Dense { data: place.data, len: place.len }
                }
                Arg::View { data, starts } => {
                    let owners = match axes.first() {
                        Some(&PlanAxis::Shape(at)) => segments[at],
                        Some(PlanAxis::Const(_)) | None => u64::MAX,
                    };
                    fits &= owners <= starts.len;
                    let (data, starts) = (memory.place(data)?, memory.place(starts)?);
                    RawArg::View {
                        data: data.data,
                        len: data.len,
                        starts: starts.data.cast_const().cast(),
                        n_starts: starts.len,
                    }
                }
            });
        }
        for &result in launch.results {
            results.push(memory.place(result)?);
        }
        Ok(fits)
    }

    /// Returns the resolved launch.
    pub(super) fn launch(&self) -> RawLaunch<'_> {
        RawLaunch { shapes: &self.shapes, args: &self.args, results: &self.results }
    }
}

/// Returns the number of points of a shape.
fn count(axes: &[PlanAxis], points: &[u64]) -> u64 {
    axes.iter().fold(1, |count: u64, axis| {
        count.saturating_mul(match *axis {
            PlanAxis::Const(extent) => extent,
            PlanAxis::Shape(at) => points[at],
        })
    })
}
