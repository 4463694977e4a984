//! Items that have a value of their own: a kernel and its run, or a statement of host code.

use super::kernel::KernelText;
use super::point::{Coordinates, coordinates};
use super::{Argument, Lower, array_type, literal};
use crate::node::{Body, Clash, Fold, Op, Segmented};
use nestled_ir::{Direction, Inclusion, ScalarType};
use std::fmt::Write as _;

impl Lower<'_> {
    /// Writes what computes an item.
    pub(super) fn statement(&mut self, item: usize) {
        let args = self.graph.items[item].args.clone();
        match self.op(item) {
            Op::Param(_) => unreachable!("parameters are inputs"),
            Op::Fill(_)
            | Op::Iota { .. }
            | Op::Random { .. }
            | Op::Map { .. }
            | Op::Apply { .. }
            | Op::View { .. }
            | Op::Gather { .. } => {
                if let Some(merged) = self.merged(item) {
                    return self.merged_map(item, merged);
                }
                self.map(item);
            }
            Op::Reduce { axes, monoid, .. } => {
                let (axes, monoid) = (axes.clone(), monoid.clone());
                let arg_rank = self.rank(args[0]);
                let kept: Vec<usize> = (0..arg_rank).filter(|axis| !axes.contains(axis)).collect();
                let order: Vec<usize> = kept.iter().copied().chain(axes.iter().copied()).collect();
                let monoid = self.monoid(item, &monoid);
                let mut kernel = KernelText::default();
                let at = coordinates(arg_rank);
                self.lines(&mut kernel, item, &at);
                let result = self.operand(&mut kernel, item, args[0], &at);
                let steps = format!(
                    "  r = reduce @{} {{ {}{}    {result}\n  }} {monoid}\n",
                    kept.len(),
                    header(&order.iter().map(|&axis| at[axis].clone()).collect()),
                    kernel.lines
                );
                self.kernel(kernel, item, (args[0], &order), &steps, "r");
            }
            Op::ArgReduce { axis, max, .. } => {
                let (axis, max) = (*axis, *max);
                let arg_rank = self.rank(args[0]);
                let kept: Vec<usize> = (0..arg_rank).filter(|&other| other != axis).collect();
                let order: Vec<usize> = kept.iter().copied().chain([axis]).collect();
                let mut kernel = KernelText::default();
                let at = coordinates(arg_rank);
                self.lines(&mut kernel, item, &at);
                let key = self.operand(&mut kernel, item, args[0], &at);
                let outer: Coordinates = kept.iter().map(|&axis| at[axis].clone()).collect();
                let own = if outer.is_empty() { String::new() } else { format!("[{}]", outer.join(", ")) };
                let steps = format!(
                    "  (best, place) = reduce @{} {{ {}{}    {key}, i{axis}\n  }} {}\n  r = {} {{ {}    t0 = place{own}\n    i64 t0\n  }}\n",
                    kept.len(),
                    header(&order.iter().map(|&axis| at[axis].clone()).collect()),
                    kernel.lines,
                    if max { "argmax" } else { "argmin" },
                    if outer.is_empty() { "once" } else { "map" },
                    header(&outer),
                );
                self.kernel(kernel, item, (args[0], &order), &steps, "r");
            }
            Op::Fold { axis, .. } => {
                let axis = *axis;
                self.fold(item, args[0], axis);
            }
            Op::Scan { axis, monoid, inclusion, direction, .. } => {
                let how = match (inclusion, direction) {
                    (Inclusion::Inclusive, Direction::Forward) => "inclusive forward",
                    (Inclusion::Inclusive, Direction::Backward) => "inclusive backward",
                    (Inclusion::Exclusive, Direction::Forward) => "exclusive forward",
                    (Inclusion::Exclusive, Direction::Backward) => "exclusive backward",
                };
                let (axis, monoid) = (*axis, monoid.clone());
                self.scan(item, args[0], axis, &monoid, how);
            }
            Op::Reshape { .. } => self.reshape(item, args[0]),
            Op::Concat { axis, .. } => {
                let axis = *axis;
                match self.merged(item) {
                    Some(merged) => self.merged_map(item, merged),
                    None => self.concat(item, &args, axis),
                }
            }
            Op::Scatter { indices, clash, .. } => {
                let (n, clash) = (indices.len(), *clash);
                self.scatter(item, &args, n, clash);
            }
            Op::MatMul { .. } => {
                let _ = writeln!(self.body, "  v{item} = matmul v{} v{}", args[0], args[1]);
            }
            Op::Filter { .. } => {
                let mut kernel = KernelText::default();
                let at = coordinates(1);
                self.lines(&mut kernel, item, &at);
                let mask = self.value(&mut kernel, args[0], &at);
                let mask_lines = std::mem::take(&mut kernel.lines);
                // The elements are read again where the mask holds.
                kernel.named.clear();
                kernel.free.clear();
                kernel.indices.clear();
                self.lines(&mut kernel, item, &at);
                let source = self.value(&mut kernel, args[1], &at);
                let steps = format!(
                    "  keep = map {{ i0 =>\n{mask_lines}    {mask}\n  }}\n  (k, r) = filter where keep {{ i0 =>\n{}    {source}\n  }}\n",
                    kernel.lines
                );
                let bound = format!("(k{item}, v{item})");
                self.named_kernel(kernel, &format!("k{item}"), &bound, (args[0], &[0]), &steps, "k, r");
            }
            Op::Segmented { how, .. } => {
                let how = how.clone();
                self.segmented(item, (args[0], args[1], args.get(2).copied()), &how);
            }
            Op::Sort { payload, descending, .. } => {
                let order = if *descending { "descending" } else { "ascending" };
                let _ = match payload {
                    None => writeln!(self.body, "  v{item} = sort {order} v{}", args[0]),
                    Some(_) => {
                        writeln!(self.body, "  (s{item}, v{item}) = sort {order} v{}, v{}", args[0], args[1])
                    }
                };
            }
        }
    }

    /// A kernel with one point for each element. Axes that always have one element are left out of its space: a loop of one round has no use.
    fn map(&mut self, item: usize) {
        let rank = self.rank(item);
        let mut order: Vec<usize> = (0..rank).filter(|&axis| self.extent(item, axis) != Err(1)).collect();
        if order.is_empty() && rank > 0 {
            order.push(rank - 1);
        }
        let mut kernel = KernelText::default();
        let mut at = vec!["0idx".to_owned(); rank];
        order.iter().for_each(|&axis| at[axis] = format!("i{axis}"));
        self.lines(&mut kernel, item, &at);
        let result = self.own_line(&mut kernel, item, &at);
        let own: Coordinates = order.iter().map(|&axis| at[axis].clone()).collect();
        let map = if rank == 0 { "once" } else { "map" };
        let steps = format!("  r = {map} {{ {}{}    {result}\n  }}\n", header(&own), kernel.lines);
        if order.len() == rank {
            return self.kernel(kernel, item, (item, &order), &steps, "r");
        }
        self.named_kernel(kernel, &format!("k{item}"), &format!("y{item}"), (item, &order), &steps, "r");
        let axes: Vec<String> = (0..rank).map(|axis| self.axis(item, axis)).collect();
        let _ = writeln!(self.body, "  v{item} = reshape y{item} [{}]", axes.join(", "));
    }

    /// Writes a kernel over some axes of `space`, and its run.
    pub(super) fn kernel(
        &mut self,
        kernel: KernelText,
        item: usize,
        space: (usize, &[usize]),
        steps: &str,
        result: &str,
    ) {
        self.named_kernel(kernel, &format!("k{item}"), &format!("v{item}"), space, steps, result);
    }

    pub(super) fn named_kernel(
        &mut self,
        mut kernel: KernelText,
        name: &str,
        bound: &str,
        (space, order): (usize, &[usize]),
        steps: &str,
        result: &str,
    ) {
        let mut over: Vec<String> =
            order.iter().map(|&axis| self.kernel_axis(&mut kernel, space, axis)).collect();
        if let Some(merged) = &kernel.merged {
            over = merged.space.clone();
        }
        let segments = kernel.segments.map(|lengths| (format!("s{lengths}"), self.axis(lengths, 0)));
        over.extend(segments.as_ref().map(|(name, _)| name.clone()));
        let over = if over.is_empty() { String::new() } else { format!(" over {}", over.join(", ")) };
        let mut dims: Vec<String> = kernel.dims.iter().map(|number| format!("d{number}")).collect();
        for &number in &kernel.dims {
            if !self.dims.contains(&number) {
                self.dims.push(number);
            }
        }
        let mut formals = dims.clone();
        if let Some(extent) = kernel.merged.and_then(|merged| merged.extent) {
            formals.push(extent.clone());
            dims.push(extent);
        }
        if let Some((name, parent)) = segments {
            formals.push(format!("{name}: seg[{parent}]"));
            dims.push(name);
        }
        let angles =
            |list: &[String]| if list.is_empty() { String::new() } else { format!("<{}>", list.join(", ")) };
        let (angle, formals) = (angles(&dims), angles(&formals));
        let params: Vec<String> = kernel.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let args: Vec<&str> = kernel.params.iter().map(|(name, _)| name.as_str()).collect();
        for name in &args {
            if let Some(number) = name.strip_prefix('n').and_then(|number| number.parse().ok())
                && !self.args.contains(&Argument::Number(number))
            {
                self.args.push(Argument::Number(number));
            }
        }
        let _ = writeln!(self.defs, "kernel {name}{formals}({}){over} {{", params.join(", "));
        let _ = writeln!(self.defs, "{steps}  ret {result}\n}}");
        let _ = writeln!(self.body, "  {bound} = run {name}{angle}({})", args.join(", "));
    }

    /// Defines the thunk of a closure, once however often the item is written out; its name.
    pub(super) fn thunk(&mut self, item: usize) -> String {
        let body = match self.op(item) {
            Op::Apply { body, .. } | Op::Fold { body, .. } => body.clone(),
            Op::Reduce { monoid: Fold::User(body, _), .. }
            | Op::Scan { monoid: Fold::User(body, _), .. }
            | Op::Segmented {
                how: Segmented::Reduce(Fold::User(body, _)) | Segmented::Scan(Fold::User(body, _), ..),
                ..
            } => body.clone(),
            _ => unreachable!("no closure"),
        };
        // `f` and a number may be the name of a type.
        let name = format!("function{item}");
        if !self.said.contains(&name) {
            self.define(&name, &body);
            self.said.push(name.clone());
        }
        name
    }

    fn define(&mut self, name: &str, body: &Body) {
        let list =
            |types: &[ScalarType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let params: Vec<String> =
            body.params.iter().enumerate().map(|(at, ty)| format!("p{at}: {ty}")).collect();
        let results = list(&body.results);
        let results = if body.results.len() == 1 { results } else { format!("({results})") };
        let text = format!("thunk {name}({}) -> {results} {{\n{}\n}}\n", params.join(", "), body.text);
        self.defs.push_str(&text);
    }

    pub(super) fn monoid(&mut self, item: usize, fold: &Fold) -> String {
        match fold {
            Fold::Op(op) => op.name().to_owned(),
            Fold::User(_, unit) => {
                let thunk = self.thunk(item);
                let name = format!("m{item}");
                let _ = writeln!(self.defs, "monoid {name} = unit {} combine {thunk}", literal(*unit));
                name
            }
        }
    }

    /// One element after another, in a loop of each row.
    fn fold(&mut self, item: usize, arg: usize, axis: usize) {
        let thunk = self.thunk(item);
        let kept: Vec<usize> = (0..self.rank(arg)).filter(|&other| other != axis).collect();
        let mut kernel = KernelText::default();
        let array = self.param(&mut kernel, arg);
        let index: Vec<String> = (0..self.rank(arg))
            .map(|at| if at == axis { "k proved".to_owned() } else { format!("i{at} proved") })
            .collect();
        let start = self.number(&mut kernel, self.starts[item]);
        let extent = self.kernel_axis(&mut kernel, arg, axis);
        let own: Coordinates = kept.iter().map(|at| format!("i{at}")).collect();
        let steps = format!(
            "  r = {} {{ {}    t1 = for k in 0..{extent} with (a = {start}) {{\n    x = {array}[{}]\n    {thunk}(a, x)\n    }}\n    t1\n  }}\n",
            if kept.is_empty() { "once" } else { "map" },
            header(&own),
            index.join(", "),
        );
        self.kernel(kernel, item, (arg, &kept), &steps, "r");
    }

    /// A scan runs along the last axis of its space; the result of another is turned.
    fn scan(&mut self, item: usize, arg: usize, axis: usize, monoid: &Fold, how: &str) {
        let rank = self.rank(item);
        let order: Vec<usize> = (0..rank).filter(|&other| other != axis).chain([axis]).collect();
        let monoid = self.monoid(item, monoid);
        let mut kernel = KernelText::default();
        let at = coordinates(rank);
        self.lines(&mut kernel, item, &at);
        let result = self.operand(&mut kernel, item, arg, &at);
        let inner: Coordinates = order.iter().map(|&axis| at[axis].clone()).collect();
        let steps = format!(
            "  r = scan @{} {{ {}{}    {result}\n  }} {monoid} {how}\n",
            rank - 1,
            header(&inner),
            kernel.lines
        );
        if axis + 1 == rank {
            return self.kernel(kernel, item, (item, &order), &steps, "r");
        }
        self.named_kernel(kernel, &format!("k{item}"), &format!("s{item}"), (item, &order), &steps, "r");
        let mut turn = KernelText::default();
        let axes: Vec<String> = order.iter().map(|&axis| self.kernel_axis(&mut turn, item, axis)).collect();
        let elem = self.elem(item);
        turn.param(&format!("s{item}"), || array_type(&axes, elem));
        let index: Vec<String> = inner.iter().map(|at| format!("{at} proved")).collect();
        let steps = format!("  r = map {{ {}    s{item}[{}]\n  }}\n", header(&at), index.join(", "));
        let order: Vec<usize> = (0..rank).collect();
        self.named_kernel(turn, &format!("turn{item}"), &format!("v{item}"), (item, &order), &steps, "r");
    }

    fn reshape(&mut self, item: usize, arg: usize) {
        let (rank, arg_rank) = (self.rank(item), self.rank(arg));
        if rank > 0 && arg_rank > 0 {
            let axes: Vec<String> = (0..rank).map(|axis| self.axis(item, axis)).collect();
            let _ = writeln!(self.body, "  v{item} = reshape v{arg} [{}]", axes.join(", "));
            return;
        }
        // From or to a single number.
        let mut kernel = KernelText::default();
        let at = vec!["0idx".to_owned(); arg_rank];
        let value = self.value(&mut kernel, arg, &at);
        let own = coordinates(rank);
        let map = if rank == 0 { "once" } else { "map" };
        let steps = format!("  r = {map} {{ {}{}    {value}\n  }}\n", header(&own), kernel.lines);
        let order: Vec<usize> = (0..rank).collect();
        self.kernel(kernel, item, (item, &order), &steps, "r");
    }

    fn scatter(&mut self, item: usize, args: &[usize], n_indices: usize, clash: Clash) {
        let (base, source) = (args[0], args[args.len() - 1]);
        let rank = self.rank(source);
        let mut kernel = KernelText::default();
        let at = coordinates(rank);
        self.lines(&mut kernel, item, &at);
        let mut results = Vec::new();
        for &index in &args[1..=n_indices] {
            results.push(self.index(&mut kernel, index, &at, 0));
        }
        results.push(self.value(&mut kernel, source, &at));
        let base = match self.graph.items[base].op() {
            Some(Op::Fill(value)) if self.constant[self.starts[base] + self.rank(base)] => literal(*value),
            _ => self.param(&mut kernel, base),
        };
        let dest: Vec<String> =
            (0..self.rank(item)).map(|axis| self.kernel_axis(&mut kernel, item, axis)).collect();
        let clash = match clash {
            Clash::First => "first",
            Clash::Last => "last",
            Clash::Combine(op) => op.name(),
        };
        let steps = format!(
            "  r = permute to [{}] base {base} range drop clash {clash} {{ {}{}    {}\n  }}\n",
            dest.join(", "),
            header(&at),
            kernel.lines,
            results.join(", ")
        );
        let order: Vec<usize> = (0..rank).collect();
        self.kernel(kernel, item, (source, &order), &steps, "r");
    }
}

/// `i, j =>` and the end of the line.
pub(super) fn header(at: &Coordinates) -> String {
    let own = at.join(", ");
    if own.is_empty() { "=>\n".to_owned() } else { format!("{own} =>\n") }
}
