//! Calls, tail calls and branches: pushes and pops blocks on the interpreter's own stack.

use super::super::error::{Error, Limit};
use super::super::meter;
use super::slot::Slot;
use super::{Activation, BlockRun, Machine};
use crate::host::{Function, HostAtom, HostBlock};
use crate::id::{FunctionId, ValueId};
use crate::value::AxisValue;

impl<'a> Machine<'a, '_> {
    /// Calls a function from a statement of the block on top; in tail position the caller ends first.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        shapes: Vec<AxisValue>,
        args: Vec<Slot>,
        binds: &'a [ValueId],
    ) -> Result<(), Error> {
        let Some(caller) = self.tail_caller(binds) else {
            return self.enter(function, shapes, args, binds);
        };
        let mut passed_to: &'a [ValueId] = binds;
        while self.stack.len() > caller {
            if let Some(Activation::Block(run)) = self.stack.pop() {
                self.forget(&run);
                passed_to = run.binds;
            }
        }
        self.enter(function, shapes, args, passed_to)
    }

    /// Stack position of the caller's body if this is a tail call: all that is left to do is to return the values bound to `binds`.
    fn tail_caller(&self, mut binds: &'a [ValueId]) -> Option<usize> {
        for (position, activation) in self.stack.iter().enumerate().rev() {
            let Activation::Block(run) = activation else { return None };
            if run.next < run.block.stmts.len() || !passes_on(run.block, binds) {
                return None;
            }
            if run.body_of.is_some() {
                return Some(position);
            }
            binds = run.binds;
        }
        None
    }

    /// Begins the body of a function.
    pub(super) fn enter(
        &mut self,
        function: FunctionId,
        shapes: Vec<AxisValue>,
        args: Vec<Slot>,
        binds: &'a [ValueId],
    ) -> Result<(), Error> {
        let function = self.program.function(function);
        let limit = self.meter.limits().depth;
        if self.depth >= limit {
            let name = function.name.clone();
            return Err(meter::error(Limit::Depth { function: name, limit }));
        }
        let base = self.slots.len();
        self.meter.take(frame_size(Some(function)))?;
        self.depth += 1;
        self.slots.resize(base + function.values.len(), Slot::Empty);
        for (&formal, shape) in function.shapes.iter().zip(shapes) {
            self.slots[base + formal.index()] = Slot::from(shape);
        }
        for (&formal, arg) in function.params.iter().zip(args) {
            self.slots[base + formal.index()] = arg;
        }
        let run = BlockRun { base, block: &function.body, next: 0, binds, body_of: Some(function) };
        self.stack.push(Activation::Block(run));
        Ok(())
    }

    /// Begins a branch.
    pub(super) fn enter_branch(&mut self, block: &'a HostBlock, binds: &'a [ValueId]) -> Result<(), Error> {
        self.meter.take(frame_size(None))?;
        let run = BlockRun { base: self.base(), block, next: 0, binds, body_of: None };
        self.stack.push(Activation::Block(run));
        Ok(())
    }

    /// Ends the innermost block and passes its results on; returns them if the stack is empty then.
    pub(super) fn end_block(&mut self, run: BlockRun<'a>) -> Option<Vec<Slot>> {
        let results: Vec<Slot> = run.block.results.iter().map(|&atom| self.operand(atom)).collect();
        self.stack.pop();
        self.forget(&run);
        match self.stack.last_mut() {
            None => return Some(results),
            Some(Activation::Block(below)) => {
                for (bind, result) in run.binds.iter().zip(results) {
                    self.slots[below.base + bind.index()] = result;
                }
            }
            Some(Activation::Each(each)) => each.collect(results),
        }
        None
    }

    /// Frees the memory of a block that was taken off the stack.
    fn forget(&mut self, run: &BlockRun<'_>) {
        self.meter.give(frame_size(run.body_of));
        if run.body_of.is_some() {
            self.depth -= 1;
            self.slots.truncate(run.base);
        }
    }
}

/// True if the block returns exactly these values, in order.
fn passes_on(block: &HostBlock, binds: &[ValueId]) -> bool {
    let results = block.results.iter();
    block.results.len() == binds.len()
        && results.zip(binds).all(|(result, bind)| *result == HostAtom::Value(*bind))
}

/// Bytes that a block takes on the stack, with its values if it is the body of a function.
fn frame_size(body_of: Option<&Function>) -> u64 {
    let n_values = body_of.map_or(0, |function| function.values.len());
    (size_of::<Activation<'_>>() + n_values * size_of::<Slot>()) as u64
}
