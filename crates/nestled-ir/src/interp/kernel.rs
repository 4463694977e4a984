//! Interpreter of kernels, unfused: every combinator runs over the whole space before the next one begins.
//!
//! Fusion changes no results, so this is also the meaning of a fused kernel.

use super::capture::{Capture, Captures};
use super::combinator;
use super::error::{Error, Fault};
use super::meter::Meter;
use super::sweep::Tools;
use super::tile::TileCode;
use crate::id::{KernelId, ValueId};
use crate::kernel::{Combinator, CombinatorKind, Kernel, Level};
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::types::Type;
use crate::typing::Scope;
use crate::value::{Array, AxisValue, Bindings, Buffer, Layout, Value};
use std::sync::Arc;

/// The outcome of a kernel launch.
#[derive(Clone, Debug)]
pub struct KernelRun {
    /// The results, in the order of the kernel's `ret`.
    pub values: Vec<Value>,
    /// The least fault, if lanes faulted; their results are zero.
    pub fault: Option<Fault>,
}

/// Runs a kernel, tile by tile if its code for that is given. Arguments that do not fit it are an error.
pub fn run_kernel(
    program: &Program,
    kernel: KernelId,
    tiles: Option<&TileCode>,
    shapes: &[AxisValue],
    args: &[Value],
    meter: &mut Meter,
) -> Result<KernelRun, Error> {
    if !(shapes.iter().all(AxisValue::is_valid) && args.iter().all(Value::is_valid)) {
        return Err(Error::BadArgument("an argument is not a well-formed value".to_owned()));
    }
    launch(program, kernel, shapes, args, false, tiles, meter)
}

/// Runs a kernel on values that are known to be well-formed, perhaps after a fault.
pub(super) fn launch(
    program: &Program,
    kernel: KernelId,
    shapes: &[AxisValue],
    args: &[Value],
    after_fault: bool,
    tiles: Option<&TileCode>,
    meter: &mut Meter,
) -> Result<KernelRun, Error> {
    let kernel = program.kernel(kernel);
    let bindings = bind(kernel, shapes, args).map_err(|error| {
        Error::BadArgument(format!("the kernel `{}` does not take its arguments: {error}", kernel.name))
    })?;
    let captures = capture(kernel, &bindings, args);
    let mut launch = Launch {
        kernel,
        bindings,
        captures,
        made: vec![None; kernel.values.len()],
        tools: Tools::new(program, after_fault, meter),
    };
    for (position, step) in kernel.steps.iter().enumerate() {
        launch.tools.code = tiles.and_then(|tiles| tiles.of(position));
        launch.run(step)?;
    }
    launch.end()
}

/// Checks the arguments against the types of the parameters.
fn bind<'a>(
    kernel: &'a Kernel,
    shapes: &[AxisValue],
    args: &[Value],
) -> Result<Bindings<'a>, crate::value::ShapeError> {
    let mut bindings = Bindings::of_arguments(&kernel.values, &kernel.shapes, shapes)?;
    bindings.unify_arguments(&kernel.params, args)?;
    Ok(bindings)
}

/// The captures before the first combinator runs: the parameters of the kernel.
fn capture<'a>(kernel: &'a Kernel, bindings: &Bindings<'_>, args: &[Value]) -> Captures<'a> {
    let axes = bindings.axes_of(&kernel.space);
    // The verifier checks that spaces use shape parameters only.
    let space = Layout::new(&axes.expect("the axes of a space are shape parameters"));
    let mut values: Vec<Capture> = kernel.values.iter().map(|_| Capture::Nothing).collect();
    for &shape in &kernel.shapes {
        values[shape.index()] = match bindings.axis(crate::types::Axis::Sym(shape)) {
            Some(AxisValue::Extent(extent)) => Capture::Scalar(Scalar::Idx(extent as i64)),
            Some(AxisValue::Seg(seg)) => {
                Capture::Seg { parent: Layout::new(&seg.parent), lengths: seg.lengths.clone() }
            }
            None => Capture::Nothing,
        };
    }
    for (&param, arg) in kernel.params.iter().zip(args) {
        values[param.index()] = match arg {
            Value::Array(array) => Capture::Array { layout: array.layout(), data: Arc::clone(&array.data) },
            Value::Scalar(_) | Value::Dim(_) | Value::Seg(_) => {
                arg.as_scalar().map_or(Capture::Nothing, Capture::Scalar)
            }
        };
    }
    Captures { values, table: &kernel.values, space }
}

/// A kernel that is being run.
pub(super) struct Launch<'a, 'm> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The run-time shapes of its shape symbols.
    pub bindings: Bindings<'a>,
    /// The values that its thunks can read.
    pub captures: Captures<'a>,
    /// Results that no thunk of the kernel reads, by [`ValueId`].
    pub made: Vec<Option<Value>>,
    /// The evaluator of thunks and monoids.
    pub tools: Tools<'a, 'm>,
}

impl Launch<'_, '_> {
    fn run(&mut self, step: &Combinator) -> Result<(), Error> {
        let outcome = match &step.kind {
            CombinatorKind::Map => combinator::map(self, step),
            CombinatorKind::Reduce { to, monoid } => combinator::reduce(self, step, *to, monoid),
            CombinatorKind::Scan { within, monoid, inclusion, direction } => {
                combinator::scan(self, step, *within, monoid, *inclusion, *direction)
            }
            CombinatorKind::Filter { within } => combinator::filter(self, step, *within),
            CombinatorKind::Partition { within, classes, site } => {
                combinator::partition(self, step, *within, *classes, *site)
            }
            CombinatorKind::Permute { dest, base, range, collision } => {
                combinator::permute(self, step, dest, base, *range, collision)
            }
            CombinatorKind::Serial { bases } => combinator::serial(self, step, bases),
        };
        outcome.map_err(|error| error.at(step.span))
    }

    /// The types of the results of a thunk.
    pub fn result_types(&self, step: &Combinator) -> Vec<ScalarType> {
        Scope::new(&self.kernel.values).thunk_results(&step.body)
    }

    /// The shape of a level.
    pub fn level_shape(&self, level: Level) -> Vec<AxisValue> {
        let shape = Scope::new(&self.kernel.values).level_shape(&self.kernel.space, level);
        self.bindings.shape(&shape).expect("the axes of a space are shape parameters")
    }

    /// Makes the results of a combinator readable by later thunks.
    pub fn bind(&mut self, step: &Combinator, level: Level, buffers: Vec<Buffer>) {
        for (&bind, data) in step.binds.iter().zip(buffers) {
            self.captures.values[bind.index()] = Capture::Bind { level, data };
        }
    }

    /// Keeps a result until the kernel ends; shapes also become bound symbols.
    pub fn keep(&mut self, bind: ValueId, value: Value) {
        if let (Type::Dim | Type::Seg(_), Some(axis)) =
            (&self.kernel.values[bind.index()].ty, value.as_axis())
        {
            self.bindings.set(bind, axis);
        }
        self.made[bind.index()] = Some(value);
    }

    /// Keeps arrays over a shape, or scalars if that has no axes.
    pub fn keep_arrays(&mut self, binds: &[ValueId], shape: &[AxisValue], buffers: Vec<Buffer>) {
        for (&bind, data) in binds.iter().zip(buffers) {
            self.keep(bind, array_or_scalar(shape, data));
        }
    }

    fn end(mut self) -> Result<KernelRun, Error> {
        let ret = self.kernel.ret.clone();
        let values: Vec<Value> = ret.iter().map(|&value| self.leave(value)).collect();
        let fault = self.tools.end(&self.captures.space);
        for value in &values {
            match value {
                Value::Array(array) => self.tools.meter.watch(array)?,
                Value::Seg(seg) => self.tools.meter.watch_offsets(seg)?,
                Value::Scalar(_) | Value::Dim(_) => {}
            }
        }
        Ok(KernelRun { values, fault })
    }

    /// The final value of a result of the kernel.
    fn leave(&mut self, value: ValueId) -> Value {
        if let Capture::Bind { level, .. } = self.captures.values[value.index()] {
            let shape = self.level_shape(level);
            let bind = std::mem::replace(&mut self.captures.values[value.index()], Capture::Nothing);
            if let Capture::Bind { data, .. } = bind {
                self.made[value.index()] = Some(array_or_scalar(&shape, data));
            }
        }
        let made = self.made[value.index()].clone();
        made.expect("the verifier lets only what combinators bind leave a kernel")
    }
}

fn array_or_scalar(shape: &[AxisValue], data: Buffer) -> Value {
    if shape.is_empty() {
        Value::Scalar(data.get(0))
    } else {
        Value::Array(Array::dense(shape.to_vec(), data))
    }
}
