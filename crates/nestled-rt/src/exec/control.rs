//! Calls, tail calls and returns, on an explicit stack: the machine's stack does not grow.

use super::datum::Datum;
use super::machine::{Frame, Machine, Returned};
use crate::error::Error;
use crate::lower::{Instr, Operand};

impl Machine<'_> {
    /// Enters a function. Its arguments lie at the end of the stack.
    pub(super) fn enter(&mut self, function: u32) {
        let code = &self.exe.lowered.functions[function as usize];
        self.base = self.stack.len() - code.params.len();
        self.stack.resize(self.base + code.n_slots as usize, Datum::Empty);
        self.code = code;
        self.function = function;
        self.pc = 0;
        self.drop_slots(&code.unused);
    }

    pub(super) fn call_function(&mut self, function: u32, args: &[Operand]) -> Result<(), Error> {
        self.push_frame(function)?;
        for &arg in args {
            let datum = self.take(arg);
            self.stack.push(datum);
        }
        self.enter(function);
        Ok(())
    }

    /// Remembers where to go on after a call of a function.
    pub(super) fn push_frame(&mut self, callee: u32) -> Result<(), Error> {
        if self.frames.len() >= self.exe.limits.depth {
            return Err(self.too_deep(callee));
        }
        self.frames.push(Frame { function: self.function, pc: self.pc as u32, base: self.base });
        Ok(())
    }

    #[cold]
    fn too_deep(&self, callee: u32) -> Error {
        let function = self.exe.program.functions[callee as usize].name.to_string();
        Error::Depth { limit: self.exe.limits.depth, function, span: self.span() }
    }

    /// A call that takes the place of its caller.
    pub(super) fn tail_call(&mut self, function: u32, args: &[Operand]) {
        let mut moved = std::mem::take(&mut self.returned);
        moved.extend(args.iter().map(|&arg| self.take(arg)));
        self.stack.truncate(self.base);
        self.stack.append(&mut moved);
        self.returned = moved;
        self.enter(function);
    }

    /// Returns to the caller.
    pub(super) fn leave(&mut self, results: &[Operand]) -> Returned {
        for &result in results {
            let datum = self.take(result);
            self.returned.push(datum);
        }
        self.stack.truncate(self.base);
        let Some(frame) = self.frames.pop() else { return Returned::Nowhere };
        self.function = frame.function;
        self.code = &self.exe.lowered.functions[frame.function as usize];
        self.pc = frame.pc as usize;
        self.base = frame.base;
        match &self.code.instrs[self.pc - 1] {
            Instr::Call { dsts, .. } => {
                let mut returned = std::mem::take(&mut self.returned);
                for (&dst, datum) in dsts.iter().zip(returned.drain(..)) {
                    self.set(dst, datum);
                }
                self.returned = returned;
                Returned::Call
            }
            Instr::Each { function, .. } => Returned::Each(*function),
            _ => unreachable!("only calls and `each` push frames"),
        }
    }
}
