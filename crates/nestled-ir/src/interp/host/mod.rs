//! Interpreter of host code, with an explicit stack: neither calls nor blocks take room on the machine's stack.

mod call;
mod command;
mod each;
mod region;
mod shapes;
mod slot;

use super::error::{Error, Fault, FaultKind};
use super::kernel;
use super::meter::{Limits, Meter};
use super::world::World;
use super::{eval_op, library};
use crate::host::{Function, HostAtom, HostBlock, HostOp, HostStmt, Library};
use crate::id::{KernelId, SiteId, ValueId};
use crate::program::Program;
use crate::scalar::Scalar;
use crate::types::{Axis, Shape};
use crate::value::{Array, AxisValue, Bindings, Buffer, Segmentation, Value};
use each::EachRun;
use region::Region;
use slot::Slot;
use std::sync::Arc;

/// Runs a function of a verified program and gives its results. Without shape arguments they are read off the arguments.
///
/// ```
/// use nestled_ir::interp::{Limits, StdWorld, run};
/// use nestled_ir::{text, value};
///
/// let source = "
/// kernel double(xs: [n]i32) over n {
///   ys = map { i => mul 2 xs[i] }
///   ret ys
/// }
/// fn main(xs: [n]i32) -> [n]i32 {
///   ys = run double(xs)
///   ret ys
/// }";
/// let program = text::parse("double.lcu", source).unwrap();
/// let main = program.find_function("main").unwrap();
/// let args = value::parse_args(&program, main, &["[1, 2, 3]"]).unwrap();
/// let limits = Limits::default();
/// let results = run(&program, "main", &args.shapes, &args.values, &limits, &mut StdWorld::default());
/// assert_eq!(results.unwrap()[0].to_string(), "[2, 4, 6]");
/// ```
pub fn run(
    program: &Program,
    function: &str,
    shapes: &[AxisValue],
    args: &[Value],
    limits: &Limits,
    world: &mut dyn World,
) -> Result<Vec<Value>, Error> {
    let id = program
        .find_function(function)
        .ok_or_else(|| Error::BadArgument(format!("there is no function `{function}`")))?;
    let wrong = |error| Error::BadArgument(format!("`{function}` does not take its arguments: {error}"));
    if !(shapes.iter().all(AxisValue::is_valid) && args.iter().all(Value::is_valid)) {
        return Err(Error::BadArgument("an argument is not a well-formed value".to_owned()));
    }
    let shapes = match shapes {
        [] => crate::value::infer_shapes(program, id, args).map_err(wrong)?,
        given => given.to_vec(),
    };
    let function = program.function(id);
    let mut bindings = Bindings::of_arguments(&function.values, &function.shapes, &shapes).map_err(wrong)?;
    bindings.unify_arguments(&function.params, args).map_err(wrong)?;
    let mut machine = Machine::new(program, Meter::new(limits), world);
    let slots = args.iter().cloned().map(Slot::from).collect();
    machine.enter(id, shapes, slots, &[])?;
    let results = machine.run()?;
    Ok(function.results.iter().zip(results).map(|(&formal, slot)| outside(function, formal, &slot)).collect())
}

/// A result as its type says: an extent may stand where an `idx` is wanted.
fn outside(function: &Function, formal: ValueId, slot: &Slot) -> Value {
    match (slot.value(), &function.values[formal.index()].ty) {
        (value @ Value::Dim(_), ty) if !ty.is_shape() => Value::Scalar(value.as_scalar().expect("an extent")),
        (value, _) => value,
    }
}

/// An entry of the stack: resumed when the entries above it have ended.
enum Activation<'a> {
    Block(BlockRun<'a>),
    Each(Box<EachRun<'a>>),
}

/// A block that is being run.
#[derive(Clone, Copy)]
struct BlockRun<'a> {
    /// Start of the function's values in `slots`.
    base: usize,
    block: &'a HostBlock,
    /// The statement to run next.
    next: usize,
    /// The values of the block below on the stack that receive its results.
    binds: &'a [ValueId],
    /// The function, if this is the body of one.
    body_of: Option<&'a Function>,
}

/// The interpreter of host code.
struct Machine<'a, 'w> {
    program: &'a Program,
    meter: Meter,
    world: &'w mut dyn World,
    stack: Vec<Activation<'a>>,
    /// The values of all functions that are being run.
    slots: Vec<Slot>,
    /// Number of functions that are being run: the call depth.
    depth: usize,
    region: Region,
}

impl<'a, 'w> Machine<'a, 'w> {
    fn new(program: &'a Program, meter: Meter, world: &'w mut dyn World) -> Machine<'a, 'w> {
        let region = Region::new(program.kernels.len());
        Machine { program, meter, world, stack: Vec::new(), slots: Vec::new(), depth: 0, region }
    }

    /// Runs until the stack is empty; returns the results of its bottom entry.
    fn run(&mut self) -> Result<Vec<Slot>, Error> {
        loop {
            match self.stack.last_mut() {
                Some(Activation::Block(run)) if run.next < run.block.stmts.len() => {
                    let (block, at) = (run.block, run.next);
                    run.next += 1;
                    let stmt = &block.stmts[at];
                    self.meter.step(1).map_err(|error| error.at(stmt.span))?;
                    self.stmt(block, at).map_err(|error| error.at(stmt.span))?;
                }
                Some(Activation::Block(run)) => {
                    let run = *run;
                    self.end_region()?;
                    if let Some(results) = self.end_block(run) {
                        return Ok(results);
                    }
                }
                Some(Activation::Each(_)) => {
                    self.advance_each()?;
                }
                None => unreachable!("the last block answers"),
            }
        }
    }

    fn stmt(&mut self, block: &'a HostBlock, at: usize) -> Result<(), Error> {
        let stmt = &block.stmts[at];
        if stmt.op.ends_region() {
            self.end_region()?;
        } else if self.region.fault.is_some() {
            self.end_region_early(block, at)?;
            let mut lost = false;
            stmt.op.for_each_use(&mut |value| lost |= matches!(self.slot(value), Slot::Lost));
            if lost {
                self.lose(stmt);
                return Ok(());
            }
        }
        self.perform(stmt)
    }

    fn perform(&mut self, stmt: &'a HostStmt) -> Result<(), Error> {
        match &stmt.op {
            HostOp::Scalar { op, args } => {
                // No operation takes more than three operands.
                let mut values = [Scalar::Bool(false); 3];
                for (value, &arg) in values.iter_mut().zip(args) {
                    *value = self.scalar(arg);
                }
                self.bind(stmt, [Slot::Scalar(eval_op(*op, &values[..args.len()]))]);
                Ok(())
            }
            HostOp::Literal { elem, extents, elements } => {
                self.meter.room_for(elements.len() as u64 * elem.size() as u64)?;
                let shape = extents.iter().map(|&extent| AxisValue::Extent(extent)).collect();
                self.bind_array(stmt, Array::dense(shape, Buffer::from_scalars(*elem, elements)))
            }
            HostOp::Dim { extent, site } => self.dim(stmt, *extent, *site),
            HostOp::Size { shape } => self.size(stmt, shape),
            HostOp::Segments { lengths, site } => self.segments(stmt, *lengths, *site),
            HostOp::Regular { parent, length } => self.regular(stmt, parent, *length),
            HostOp::Widen { seg } => self.widen(stmt, *seg),
            HostOp::Lengths { seg } => self.of_segments(stmt, *seg, |seg, at| seg.lengths.length(at)),
            HostOp::Starts { seg } => self.of_segments(stmt, *seg, |seg, at| seg.lengths.start(at)),
            HostOp::Same { left, right, site } => self.same(*left, *right, *site),
            HostOp::Reshape { array, shape, site } => self.reshape(stmt, *array, shape, *site),
            HostOp::View { seg, starts, buffer, site } => self.view(stmt, *seg, *starts, *buffer, *site),
            HostOp::Check { cond, code, site } => {
                if self.scalar(*cond) != Scalar::Bool(true) {
                    self.fault(*site, 0, FaultKind::Check { code: code.clone() });
                }
                Ok(())
            }
            HostOp::If { cond, then, otherwise } => {
                let block = if self.scalar(*cond) == Scalar::Bool(true) { then } else { otherwise };
                self.enter_branch(block, &stmt.binds)
            }
            HostOp::Call { function, shapes, args } => {
                let shapes = shapes.iter().map(|&axis| self.axis(axis)).collect();
                let args = args.iter().map(|&arg| self.operand(arg)).collect();
                self.call(*function, shapes, args, &stmt.binds)
            }
            HostOp::Run { kernel, shapes, args } => self.launch(stmt, *kernel, shapes, args),
            HostOp::Each { extent, function, shapes, args } => {
                self.enter_each(stmt, *extent, *function, shapes, args)
            }
            HostOp::Library(library) => self.library(stmt, library),
            HostOp::Command(command) => self.command(stmt, command),
        }
    }

    fn launch(
        &mut self,
        stmt: &HostStmt,
        kernel: KernelId,
        shapes: &[Axis],
        args: &[HostAtom],
    ) -> Result<(), Error> {
        let shapes: Vec<AxisValue> = shapes.iter().map(|&axis| self.axis(axis)).collect();
        let args: Vec<Value> = args.iter().map(|&arg| self.operand(arg).value()).collect();
        let after_fault = self.region.fault.is_some();
        match kernel::launch(self.program, kernel, &shapes, &args, after_fault, None, &mut self.meter) {
            Ok(run) => {
                if let Some(fault) = run.fault {
                    self.region.note(fault);
                }
                self.bind(stmt, run.values.into_iter().map(Slot::from));
                Ok(())
            }
            Err(Error::BadArgument(message)) => self.unfit(stmt, message),
            Err(error) => Err(error),
        }
    }

    fn library(&mut self, stmt: &HostStmt, op: &Library) -> Result<(), Error> {
        let outcome = match op {
            Library::Sort { keys, payload, order } => {
                let payload: Vec<Arc<Array>> = payload.iter().map(|&value| self.array(value)).collect();
                library::sort(&self.array(*keys), &payload, *order, &mut self.meter)
            }
            Library::Rank { keys, order } => {
                library::rank(&self.array(*keys), *order, &mut self.meter).map(|ranks| vec![ranks])
            }
            Library::MatMul { left, right } => {
                library::matmul(&self.array(*left), &self.array(*right), &mut self.meter)
                    .map(|product| vec![product])
            }
        };
        match outcome {
            Ok(arrays) => {
                arrays.iter().try_for_each(|array| self.meter.watch(array))?;
                self.bind(stmt, arrays.into_iter().map(|array| Slot::Array(Arc::new(array))));
                Ok(())
            }
            Err(Error::BadArgument(message)) => self.unfit(stmt, message),
            Err(error) => Err(error),
        }
    }

    /// Handles operands that do not fit each other. After a fault the cause is a `same` that does not hold, and the results are lost.
    /// Otherwise a promise is broken.
    fn unfit(&mut self, stmt: &HostStmt, message: String) -> Result<(), Error> {
        if self.region.fault.is_none() {
            return Err(Error::Bug { message, span: stmt.span });
        }
        self.lose(stmt);
        Ok(())
    }

    fn fault(&mut self, site: SiteId, element: u64, kind: FaultKind) {
        self.region.note(Fault::new(self.program, site, element, kind));
    }

    fn base(&self) -> usize {
        match self.stack.last() {
            Some(Activation::Block(run)) => run.base,
            Some(Activation::Each(_)) | None => unreachable!("statements stand in blocks"),
        }
    }

    fn slot(&self, value: ValueId) -> &Slot {
        &self.slots[self.base() + value.index()]
    }

    fn operand(&self, atom: HostAtom) -> Slot {
        match atom {
            HostAtom::Value(value) => self.slot(value).clone(),
            HostAtom::Const(scalar) => Slot::Scalar(scalar),
        }
    }

    fn scalar(&self, atom: HostAtom) -> Scalar {
        match atom {
            HostAtom::Value(value) => self.slot(value).scalar(),
            HostAtom::Const(scalar) => scalar,
        }
    }

    fn axis(&self, axis: Axis) -> AxisValue {
        match axis {
            Axis::Const(extent) => AxisValue::Extent(extent),
            Axis::Sym(value) => self.slot(value).axis(),
        }
    }

    fn shape(&self, shape: &Shape) -> Vec<AxisValue> {
        shape.axes.iter().map(|&axis| self.axis(axis)).collect()
    }

    fn array(&self, value: ValueId) -> Arc<Array> {
        match self.slot(value) {
            Slot::Array(array) => Arc::clone(array),
            Slot::Empty | Slot::Lost | Slot::Scalar(_) | Slot::Dim(_) | Slot::Seg(_) => {
                unreachable!("the verifier lets only arrays be used so")
            }
        }
    }

    fn seg(&self, value: ValueId) -> Arc<Segmentation> {
        match self.slot(value) {
            Slot::Seg(seg) => Arc::clone(seg),
            Slot::Empty | Slot::Lost | Slot::Scalar(_) | Slot::Dim(_) | Slot::Array(_) => {
                unreachable!("the verifier lets only segmentations be used so")
            }
        }
    }

    fn bind(&mut self, stmt: &HostStmt, results: impl IntoIterator<Item = Slot>) {
        let base = self.base();
        for (bind, result) in stmt.binds.iter().zip(results) {
            self.slots[base + bind.index()] = result;
        }
    }

    fn bind_array(&mut self, stmt: &HostStmt, array: Array) -> Result<(), Error> {
        self.meter.watch(&array)?;
        self.bind(stmt, [Slot::Array(Arc::new(array))]);
        Ok(())
    }

    /// Marks the results of a statement as lost: statements that use them are not run either.
    fn lose(&mut self, stmt: &HostStmt) {
        self.bind(stmt, stmt.binds.iter().map(|_| Slot::Lost));
    }
}
