//! `each`: calls a function once for each point of an extent, and gathers its results into arrays.

use super::super::error::{Error, Limit};
use super::super::meter;
use super::slot::Slot;
use super::{Activation, Machine};
use crate::host::{EachArg, Function, HostStmt};
use crate::id::{FunctionId, ValueId};
use crate::scalar::{Scalar, ScalarType};
use crate::types::{Axis, Type};
use crate::value::{Array, AxisValue, Buffer, Segmentation};
use std::sync::Arc;

/// An `each` that is being run.
pub(super) struct EachRun<'a> {
    function: FunctionId,
    callee: &'a Function,
    n: u64,
    next: u64,
    shapes: Vec<Option<AxisValue>>,
    args: Vec<Arg>,
    /// The results of the instances so far, one entry for each result of the function.
    gathered: Vec<Gathered>,
    binds: &'a [ValueId],
    /// Bytes of results that the meter has not counted yet.
    uncounted: u64,
    counted: u64,
}

enum Arg {
    Uniform(Slot),
    Element(Arc<Array>),
}

/// One result of all instances.
enum Gathered {
    /// Extents, and whether they become a segmentation.
    Lengths(Vec<u64>),
    /// Scalars, or elements of arrays one after another; for arrays the position of the result that is their extent.
    Elements(Buffer, Option<usize>),
}

impl<'a> Machine<'a, '_> {
    pub(super) fn enter_each(
        &mut self,
        stmt: &'a HostStmt,
        extent: Axis,
        function: FunctionId,
        shapes: &[Option<Axis>],
        args: &[EachArg],
    ) -> Result<(), Error> {
        let AxisValue::Extent(n) = self.axis(extent) else {
            unreachable!("the verifier lets only extents be given to `each`");
        };
        let callee = self.program.function(function);
        let args = args.iter().map(|arg| match arg {
            EachArg::Uniform(atom) => Arg::Uniform(self.operand(*atom)),
            EachArg::Element(value) => Arg::Element(self.array(*value)),
        });
        let run = EachRun {
            function,
            callee,
            n,
            next: 0,
            args: args.collect(),
            shapes: shapes.iter().map(|shape| shape.map(|axis| self.axis(axis))).collect(),
            gathered: callee.results.iter().map(|&result| Gathered::new(callee, result)).collect(),
            binds: &stmt.binds,
            uncounted: 0,
            counted: 0,
        };
        self.stack.push(Activation::Each(Box::new(run)));
        Ok(())
    }

    /// Begins the next instance of the `each` on top, or ends it.
    pub(super) fn advance_each(&mut self) -> Result<(), Error> {
        let Some(Activation::Each(run)) = self.stack.last_mut() else { return Ok(()) };
        self.meter.step(1)?;
        self.meter.take(run.uncounted)?;
        run.counted += std::mem::take(&mut run.uncounted);
        if run.next == run.n {
            return self.end_each();
        }
        let instance = run.next;
        run.next += 1;
        let (args, bytes) = run.instance_args(instance);
        let shapes = run.instance_shapes(instance);
        let function = run.function;
        self.meter.step(bytes / 64)?;
        self.meter.room_for(bytes)?;
        self.enter(function, shapes, args, &[])
    }

    fn end_each(&mut self) -> Result<(), Error> {
        let Some(Activation::Each(run)) = self.stack.pop() else { return Ok(()) };
        self.meter.give(run.counted);
        let binds = run.binds;
        let slots = run.results().ok_or_else(|| meter::error(Limit::Points))?;
        let base = self.base();
        for (bind, slot) in binds.iter().zip(slots) {
            match &slot {
                Slot::Array(array) => self.meter.watch(array)?,
                Slot::Seg(seg) => self.meter.watch_offsets(seg)?,
                Slot::Empty | Slot::Lost | Slot::Scalar(_) | Slot::Dim(_) => {}
            }
            self.slots[base + bind.index()] = slot;
        }
        Ok(())
    }
}

impl EachRun<'_> {
    /// The arguments of an instance, and the bytes that were copied for them.
    fn instance_args(&self, instance: u64) -> (Vec<Slot>, u64) {
        let mut bytes = 0;
        let args = self.args.iter().map(|arg| match arg {
            Arg::Uniform(slot) => slot.clone(),
            Arg::Element(array) => match array.shape.first() {
                Some(AxisValue::Seg(seg)) => {
                    let start = seg.lengths.start(instance) as usize;
                    let end = start + seg.lengths.length(instance) as usize;
                    let segment = array.data.slice(start, end);
                    bytes += segment.size();
                    Slot::Array(Arc::new(Array::vector(segment)))
                }
                _ => Slot::Scalar(array.data.get(instance as usize)),
            },
        });
        (args.collect(), bytes)
    }

    /// The shape arguments of an instance: the given ones, else the length of the instance's segment.
    fn instance_shapes(&self, instance: u64) -> Vec<AxisValue> {
        let formals = self.callee.shapes.iter().zip(&self.shapes);
        let shape = |(&formal, given): (&ValueId, &Option<AxisValue>)| {
            given.clone().unwrap_or_else(|| AxisValue::Extent(self.instance_length(formal, instance)))
        };
        formals.map(shape).collect()
    }

    fn instance_length(&self, formal: ValueId, instance: u64) -> u64 {
        let params = self.callee.params.iter().zip(&self.args);
        params
            .filter_map(|(&param, arg)| {
                let array = self.callee.values[param.index()].ty.as_array()?;
                match arg {
                    Arg::Element(value) if array.shape.axes == [Axis::Sym(formal)] => value.shape.first(),
                    Arg::Element(_) | Arg::Uniform(_) => None,
                }
            })
            .find_map(|axis| match axis {
                AxisValue::Seg(seg) => Some(seg.lengths.length(instance)),
                AxisValue::Extent(_) => None,
            })
            .unwrap_or(0)
    }

    /// Takes the results of an instance.
    pub(super) fn collect(&mut self, results: Vec<Slot>) {
        for (gathered, result) in self.gathered.iter_mut().zip(results) {
            self.uncounted += gathered.push(&result);
        }
    }

    /// The gathered results of all instances; `None` if the sum of the lengths overflows.
    fn results(self) -> Option<Vec<Slot>> {
        let extent = AxisValue::Extent(self.n);
        let mut slots: Vec<Slot> = Vec::new();
        for gathered in self.gathered {
            slots.push(match gathered {
                Gathered::Lengths(lengths) => {
                    let parent = vec![extent.clone()];
                    Slot::Seg(Arc::new(Segmentation::from_lengths(parent, lengths.into_iter())?))
                }
                Gathered::Elements(data, length) => {
                    let shape = length.map_or(extent.clone(), |length| slots[length].axis());
                    Slot::Array(Arc::new(Array::dense(vec![shape], data)))
                }
            });
        }
        Some(slots)
    }
}

impl Gathered {
    fn new(callee: &Function, result: ValueId) -> Gathered {
        match &callee.values[result.index()].ty {
            Type::Dim => Gathered::Lengths(Vec::new()),
            Type::Array(array) => {
                let length = match array.shape.axes.as_slice() {
                    [Axis::Sym(length)] => callee.results.iter().position(|result| result == length),
                    _ => None,
                };
                Gathered::Elements(Buffer::zeroed(array.elem, 0), length)
            }
            Type::Seg(_) => {
                unreachable!("the verifier lets no function with such a result be given to `each`")
            }
        }
    }

    /// Appends the result of an instance; returns its size in bytes.
    fn push(&mut self, result: &Slot) -> u64 {
        match (self, result) {
            (Gathered::Lengths(lengths), slot) => {
                lengths.push(slot.scalar().as_integer().unwrap_or(0) as u64);
                size_of::<u64>() as u64
            }
            (Gathered::Elements(data, _), Slot::Array(array)) => {
                array.elements().for_each(|element| data.push(element));
                array.points() * array.elem.size() as u64
            }
            (Gathered::Elements(data, _), slot) => {
                data.push(slot.scalar());
                ScalarType::size(Scalar::ty(slot.scalar())) as u64
            }
        }
    }
}
