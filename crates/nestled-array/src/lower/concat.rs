//! Lowering of concatenation: a tree of branches on the coordinate selects the array that is read.

use super::Lower;
use super::coordinates::{Coordinates, ZERO_INDEX, proved};
use super::kernel::KernelWriter;
use nestled_ir::{Atom, CombinatorKind, Op as ScalarOp};

impl Lower<'_> {
    /// Writes a concatenation as a kernel of its own.
    pub(super) fn concat(&mut self, item: usize, args: &[usize], axis: usize) {
        let order: Vec<usize> = (0..self.rank(item)).collect();
        let mut kernel = self.begin_over(item, item, &order);
        let at = kernel.k.code.params();
        let result = self.concat_line(&mut kernel, args, axis, &at);
        let made = kernel.end(CombinatorKind::Map, vec![result])[0];
        self.run_as(item, kernel, made);
    }

    pub(super) fn concat_line(
        &mut self,
        kernel: &mut KernelWriter,
        args: &[usize],
        axis: usize,
        at: &Coordinates,
    ) -> Atom {
        let mut begins = vec![ZERO_INDEX];
        let mut before = ZERO_INDEX;
        for &arg in &args[..args.len() - 1] {
            let extent = self.extent_value(kernel, arg, axis);
            before = kernel.k.code.op(ScalarOp::Add, &[before, extent]);
            begins.push(before);
        }
        self.part(kernel, args, &begins, axis, at)
    }

    fn part(
        &mut self,
        kernel: &mut KernelWriter,
        args: &[usize],
        begins: &[Atom],
        axis: usize,
        at: &Coordinates,
    ) -> Atom {
        if let ([arg], [begin]) = (args, begins) {
            let mut at = at.clone();
            if *begin != ZERO_INDEX {
                at[axis] = kernel.k.code.op(ScalarOp::Sub, &[at[axis], *begin]);
            }
            let array = self.param(kernel, *arg);
            return kernel.k.code.read(array, proved(&at), None, None);
        }
        let middle = args.len() / 2;
        let before = kernel.k.code.op(ScalarOp::Lt, &[at[axis], begins[middle]]);
        kernel.k.code.open();
        let left = self.part(kernel, &args[..middle], &begins[..middle], axis, at);
        let left = kernel.k.code.close(vec![left]);
        kernel.k.code.open();
        let right = self.part(kernel, &args[middle..], &begins[middle..], axis, at);
        let right = kernel.k.code.close(vec![right]);
        kernel.k.code.branch(before, left, right)[0]
    }
}
