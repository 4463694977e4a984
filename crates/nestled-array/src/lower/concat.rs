//! Arrays one after another: where a point lies decides which of them is read.

use super::Lower;
use super::kernel::KernelText;
use super::point::{Coordinates, coordinates};
use super::statement::header;

impl Lower<'_> {
    /// Where the own index lies decides which argument is read: a tree of branches.
    pub(super) fn concat(&mut self, item: usize, args: &[usize], axis: usize) {
        let rank = self.rank(item);
        let mut kernel = KernelText::default();
        let at = coordinates(rank);
        let result = self.concat_line(&mut kernel, args, axis, &at);
        let order: Vec<usize> = (0..rank).collect();
        let steps = format!("  r = map {{ {}{}    {result}\n  }}\n", header(&at), kernel.lines);
        self.kernel(kernel, item, (item, &order), &steps, "r");
    }

    pub(super) fn concat_line(
        &mut self,
        kernel: &mut KernelText,
        args: &[usize],
        axis: usize,
        at: &Coordinates,
    ) -> String {
        let mut begins = vec!["0idx".to_owned()];
        for &arg in &args[..args.len() - 1] {
            let extent = self.extent_value(kernel, arg, axis);
            let before = begins.last().cloned().unwrap_or_default();
            begins.push(kernel.bind(&format!("add {before} {extent}")));
        }
        self.part(kernel, args, &begins, axis, at)
    }

    fn part(
        &mut self,
        kernel: &mut KernelText,
        args: &[usize],
        begins: &[String],
        axis: usize,
        at: &Coordinates,
    ) -> String {
        if let ([arg], [begin]) = (args, begins) {
            let mut at = at.clone();
            if begin != "0idx" {
                at[axis] = kernel.bind(&format!("sub {} {begin}", at[axis]));
            }
            let array = self.param(kernel, *arg);
            let index: Vec<String> = at.iter().map(|at| format!("{at} proved")).collect();
            return kernel.bind(&format!("{array}[{}]", index.join(", ")));
        }
        let middle = args.len() / 2;
        let before = kernel.bind(&format!("lt {} {}", at[axis], begins[middle]));
        let lines = std::mem::take(&mut kernel.lines);
        let left = self.part(kernel, &args[..middle], &begins[..middle], axis, at);
        let left_lines = std::mem::take(&mut kernel.lines);
        let right = self.part(kernel, &args[middle..], &begins[middle..], axis, at);
        let right_lines = std::mem::replace(&mut kernel.lines, lines);
        kernel.bind(&format!(
            "if {before} {{\n{left_lines}    {left}\n  }} else {{\n{right_lines}    {right}\n  }}"
        ))
    }
}
