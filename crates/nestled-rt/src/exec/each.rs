//! `each`: runs the instances one after another and gathers their results on the host. This makes every program run on every device; it is not fast.

use super::datum::{ArrayData, Datum, LengthsData, SegData};
use super::instances::{EachData, EachState};
use super::live_buffers::Purpose;
use super::machine::Machine;
use crate::device::Slice;
use crate::error::Error;
use crate::lower::{EachOperand, Instr, Operand};
use nestled_ir::value::Buffer;
use nestled_ir::{Axis, Scalar, ScalarType, Type};
use std::rc::Rc;

impl Machine<'_> {
    pub(super) async fn start_each(
        &mut self,
        extent: Operand,
        function: u32,
        args: &[EachOperand],
    ) -> Result<(), Error> {
        let extent = self.take(extent);
        let instances = self.exact(&extent).await?;
        let mut data = Vec::with_capacity(args.len());
        for arg in args {
            data.push(self.each_data(arg).await?);
        }
        let n_results = self.exe.program.functions[function as usize].results.len();
        let results = vec![Vec::new(); n_results];
        self.each.push(EachState { extent, instances, next: 0, args: data, results });
        self.next_instance(function).await
    }

    async fn each_data(&mut self, arg: &EachOperand) -> Result<EachData, Error> {
        Ok(match arg {
            EachOperand::Uniform(operand) => EachData::Uniform(self.take(*operand)),
            EachOperand::Length(seg) => {
                let seg = self.take_seg(*seg)?;
                EachData::Length(self.reader().seg(&seg).await?)
            }
            EachOperand::Element(array) => EachData::Element(self.take_array(*array)?),
            EachOperand::Segment(array, seg) => {
                let (array, seg) = (self.take_array(*array)?, self.take_seg(*seg)?);
                EachData::Segment(array, self.reader().seg(&seg).await?)
            }
        })
    }

    /// An instance has returned.
    pub(super) async fn next_each(&mut self, function: u32) -> Result<(), Error> {
        let mut returned = std::mem::take(&mut self.returned);
        if let Some(state) = self.each.last_mut() {
            for (list, result) in state.results.iter_mut().zip(returned.drain(..)) {
                list.push(result);
            }
        }
        self.returned = returned;
        self.next_instance(function).await
    }

    /// Begins the next instance, or gathers the results of all.
    async fn next_instance(&mut self, function: u32) -> Result<(), Error> {
        let Some(state) = self.each.last_mut() else {
            return Err(Error::Bug("an instance of no `each`".to_owned()));
        };
        if state.next == state.instances {
            return self.finish_each(function).await;
        }
        let instance = state.next;
        state.next += 1;
        let args: Vec<Datum> = state.args.iter().map(|arg| arg.of_instance(instance)).collect();
        self.push_frame(function)?;
        self.stack.extend(args);
        self.enter(function);
        Ok(())
    }

    async fn finish_each(&mut self, function: u32) -> Result<(), Error> {
        let Some(state) = self.each.pop() else { return Ok(()) };
        let exe = self.exe;
        let callee = &exe.program.functions[function as usize];
        let mut gathered = Vec::with_capacity(callee.results.len());
        for (list, result) in state.results.iter().zip(&callee.results) {
            gathered.push(match &callee.values[result.index()].ty {
                Type::Dim => self.gather_lengths(&state.extent, list).await?,
                Type::Array(array) => match array.shape.axes.as_slice() {
                    [Axis::Sym(length)] => {
                        let at = callee.results.iter().position(|formal| formal == length);
                        let lengths = at.map_or(&[][..], |at| &state.results[at]);
                        self.gather_arrays(array.elem, lengths, list).await?
                    }
                    _ => self.gather_scalars(array.elem, list).await?,
                },
                Type::Seg(_) => return Err(Error::Bug("`each` cannot gather segmentations".to_owned())),
            });
        }
        let Instr::Each { dsts, .. } = &self.code.instrs[self.pc - 1] else {
            return Err(Error::Bug("`each` returns to another instruction".to_owned()));
        };
        for (&dst, datum) in dsts.iter().zip(gathered) {
            self.set(dst, datum);
        }
        Ok(())
    }

    async fn gather_scalars(&mut self, elem: ScalarType, list: &[Datum]) -> Result<Datum, Error> {
        self.fetch(list).await?;
        let mut elements = Buffer::zeroed(elem, 0);
        for datum in list {
            elements.push(self.number(datum).await?);
        }
        let data = self.upload(&elements, &Purpose::Words("the results of `each`")).await?;
        Ok(Datum::Array(Rc::new(ArrayData::whole(data))))
    }

    async fn gather_lengths(&mut self, extent: &Datum, list: &[Datum]) -> Result<Datum, Error> {
        self.fetch(list).await?;
        let mut offsets = vec![0];
        let mut total = 0i64;
        for datum in list {
            total += self.exact(datum).await? as i64;
            offsets.push(total);
        }
        let offsets = self.upload(&Buffer::Idx(offsets), &Purpose::Words("the results of `each`")).await?;
        let lengths = LengthsData::Offsets { offsets, total: Datum::Scalar(Scalar::Idx(total)) };
        Ok(Datum::Seg(Rc::new(SegData::new(vec![extent.clone()], lengths))))
    }

    async fn gather_arrays(
        &mut self,
        elem: ScalarType,
        lengths: &[Datum],
        list: &[Datum],
    ) -> Result<Datum, Error> {
        let mut elements = Buffer::zeroed(elem, 0);
        for (length, datum) in lengths.iter().zip(list) {
            let Datum::Array(array) = datum else {
                return Err(Error::Bug(format!("{datum:?} where an array is wanted")));
            };
            let len = self.exact(length).await?;
            let part = self.reader().copy_out(Slice { len, ..array.slice() }).await?;
            (0..part.len()).for_each(|at| elements.push(part.get(at)));
        }
        let data = self.upload(&elements, &Purpose::Words("the results of `each`")).await?;
        Ok(Datum::Array(Rc::new(ArrayData::whole(data))))
    }
}
