//! Lowering of the lines of one point: the scalar code inside thunks.

use super::coordinates::{Coordinates, ZERO_INDEX, index, proved};
use super::groups::ZERO;
use super::kernel::KernelWriter;
use super::{Argument, Lower};
use crate::node::{Body, GatherAxis, Op, View, ViewAxis};
use crate::plan::broadcast_mask;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{Atom, Index, Op as ScalarOp, Rule, Scalar, ScalarType, Type, ValueId};
use std::sync::Arc;

impl Lower<'_> {
    /// Writes the lines of the items that belong to the kernel of `owner`, but not `owner` itself.
    pub(super) fn lines(&mut self, kernel: &mut KernelWriter, owner: usize, at: &Coordinates) {
        for member in self.members[owner].clone() {
            let place = self.groups.place[member];
            let own = (0..self.rank(member))
                .map(|axis| match place[axis] {
                    ZERO => ZERO_INDEX,
                    axis => at[usize::from(axis)],
                })
                .collect();
            let atom = self.line(kernel, member, &own);
            self.begin_item(member);
            kernel.named.insert(member, atom);
        }
    }

    /// The value of an argument at some coordinates, which are aligned at the last axis.
    pub(super) fn operand(
        &mut self,
        kernel: &mut KernelWriter,
        item: usize,
        arg: usize,
        at: &Coordinates,
    ) -> Atom {
        let at = self.aligned(item, arg, at);
        self.value(kernel, arg, &at)
    }

    /// The coordinates of an argument at a point of an item: aligned at the last axis, 0 along broadcast axes.
    fn aligned(&self, item: usize, arg: usize, at: &Coordinates) -> Coordinates {
        let (shape, own) = (self.graph.items[arg].node.shape, self.graph.items[item].node.shape);
        let own = if own.len() == at.len() { own } else { shape };
        let (mask, ahead) = (broadcast_mask(&shape, &own), own.len() - shape.len());
        let one = |axis: usize| if mask >> axis & 1 == 1 { ZERO_INDEX } else { at[axis + ahead] };
        (0..shape.len()).map(one).collect()
    }

    /// An item of integers as an index. 64-bit arithmetic is that of indices, and is written as such: devices see how an index moves along with
    /// the coordinates.
    pub(super) fn index(
        &mut self,
        kernel: &mut KernelWriter,
        item: usize,
        at: &Coordinates,
        depth: usize,
    ) -> Atom {
        if let Some(&known) = kernel.indices.get(&(item, at.clone())) {
            return known;
        }
        let is_free = super::groups::is_free(self.graph, &self.graph.items[item]);
        let is_line = is_free || kernel.named.contains_key(&item);
        let atom = match self.graph.items[item].op() {
            Some(Op::Iota { axis }) if self.elem(item) == ScalarType::I64 => at[*axis],
            Some(Op::Map { op, .. })
                if is_line
                    && self.elem(item) == ScalarType::I64
                    && same_for_indices(*op)
                    && depth < MOST_INDEX =>
            {
                let mut args = Vec::new();
                for arg in self.graph.items[item].args.clone() {
                    let there = self.aligned(item, arg, at);
                    args.push(self.index(kernel, arg, &there, depth + 1));
                }
                kernel.k.code.op(*op, &args)
            }
            Some(Op::Fill(Scalar::I64(value))) if self.constant[self.starts[item] + self.rank(item)] => {
                index(*value)
            }
            Some(Op::Owners { .. }) if self.is_own_segment(kernel, item, at) => kernel.k.code.params()[0],
            _ => {
                let value = self.value(kernel, item, at);
                kernel.k.code.convert(value, ScalarType::Idx)
            }
        };
        kernel.indices.insert((item, at.clone()), atom);
        atom
    }

    /// The value of an item at its own coordinates.
    pub(super) fn value(&mut self, kernel: &mut KernelWriter, item: usize, at: &Coordinates) -> Atom {
        if let Some(&known) = kernel.named.get(&item) {
            return known;
        }
        let is_free = super::groups::is_free(self.graph, &self.graph.items[item]);
        if !is_free {
            return self.read_own(kernel, item, at);
        }
        if let Some(&known) = kernel.free.get(&(item, at.clone())) {
            return known;
        }
        let atom = self.line(kernel, item, at);
        self.begin_item(item);
        kernel.free.insert((item, at.clone()), atom);
        atom
    }

    /// A parameter of a kernel: an item that has a value.
    pub(super) fn param(&mut self, kernel: &mut KernelWriter, item: usize) -> ValueId {
        let value = self.host(item);
        kernel.k.param(&self.main, value)
    }

    /// An extent as a number inside a kernel.
    pub(super) fn extent_value(&mut self, kernel: &mut KernelWriter, item: usize, axis: usize) -> Atom {
        let axis = self.axis(item, axis);
        kernel.k.extent(&self.main, axis)
    }

    /// A number inside a kernel.
    pub(super) fn number(&mut self, kernel: &mut KernelWriter, number: usize) -> Atom {
        let scalar = self.numbers[number].scalar();
        if self.constant[number] {
            return Atom::Const(scalar);
        }
        let value = match self.scalars.get(&number) {
            Some(&known) => known,
            None => {
                let value = self.main.param(&format!("n{number}"), Type::scalar(scalar.ty()));
                self.args.push(Argument::Number(number));
                self.scalars.insert(number, value);
                value
            }
        };
        Atom::Value(kernel.k.param(&self.main, value))
    }

    /// True if an item has the segments of the own point, in a kernel over these: then that is a coordinate.
    fn is_own_segment(&self, kernel: &KernelWriter, item: usize, at: &Coordinates) -> bool {
        matches!(self.graph.items[item].op(), Some(Op::Owners { .. }))
            && kernel.segments.is_some_and(|segments| {
                self.graph.items[item].args[0] == segments.lengths && at[..] == [segments.flat]
            })
    }

    fn read_own(&mut self, kernel: &mut KernelWriter, item: usize, at: &Coordinates) -> Atom {
        if self.is_own_segment(kernel, item, at) {
            let own = kernel.k.code.params()[0];
            return kernel.k.code.convert(own, ScalarType::I64);
        }
        if let (Some(segments), [own]) = (kernel.segments, &at[..])
            && *own == segments.flat
        {
            let array = self.segmented_param(kernel, item, segments.lengths);
            let own = kernel.k.code.params();
            return kernel.k.code.read(array, proved(&own), None, None);
        }
        if let Some(merged) = kernel.merged.clone()
            && merged.at == *at
        {
            return self.read_merged(kernel, item, &merged);
        }
        let array = self.param(kernel, item);
        self.read(kernel, array, proved(at), None)
    }

    /// Reads a parameter: an array, or a scalar if there is no index.
    pub(super) fn read(
        &mut self,
        kernel: &mut KernelWriter,
        array: ValueId,
        at: Vec<Index>,
        default: Option<Atom>,
    ) -> Atom {
        if at.is_empty() {
            return Atom::Value(array);
        }
        let faults = at.iter().any(|index| index.rule == Rule::Fault);
        let site = faults.then(|| self.out.site(self.main.span));
        kernel.k.code.read(array, at, default, site)
    }

    /// Writes an item as a line; returns its value.
    pub(super) fn line(&mut self, kernel: &mut KernelWriter, item: usize, at: &Coordinates) -> Atom {
        let graph = self.graph;
        let args = &graph.items[item].args;
        let start = self.starts[item];
        match self.op(item) {
            Op::Fill(_) => self.number(kernel, start + self.rank(item)),
            Op::Iota { axis } => kernel.k.code.op(ScalarOp::Convert(self.elem(item)), &[at[*axis]]),
            Op::Random { .. } => self.random(kernel, item, at),
            Op::Map { op, .. } => {
                let args: Vec<Atom> = args.iter().map(|&arg| self.operand(kernel, item, arg, at)).collect();
                kernel.k.code.op(*op, &args)
            }
            Op::Apply { body, result, .. } => {
                let args = args.iter().map(|&arg| self.operand(kernel, item, arg, at)).collect();
                self.called(kernel, body, args)[*result]
            }
            Op::View { view, .. } => self.view(kernel, item, args[0], view, at),
            Op::Gather { axes, default, .. } => {
                let mut index = Vec::with_capacity(axes.len());
                for how in axes {
                    index.push(match how {
                        GatherAxis::Own(axis) => Index { at: at[*axis], rule: Rule::Proved },
                        GatherAxis::Index(position, rule) => {
                            let there = self.aligned(item, args[1 + position], at);
                            let at = self.index(kernel, args[1 + position], &there, 0);
                            Index { at, rule: *rule }
                        }
                    });
                }
                let is_else = default.is_some() && index.iter().any(|index| index.rule == Rule::Else);
                let default = is_else.then(|| self.number(kernel, start));
                let array = self.param(kernel, args[0]);
                self.read(kernel, array, index, default)
            }
            Op::Param(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Scan { .. }
            | Op::Fold { .. }
            | Op::Reshape { .. }
            | Op::Concat { .. }
            | Op::Scatter { .. }
            | Op::MatMul { .. }
            | Op::Filter { .. }
            | Op::Segmented { .. }
            | Op::Owners { .. }
            | Op::Function { .. }
            | Op::Sort { .. } => unreachable!("these are no lines"),
        }
    }

    /// Calls a closure once for all its results; a call with the same arguments is found again.
    fn called(&mut self, kernel: &mut KernelWriter, body: &Arc<Body>, args: Vec<Atom>) -> Vec<Atom> {
        let call = (self.thunk(body), args);
        if let Some(known) = kernel.calls.get(&call) {
            return known.clone();
        }
        let results = kernel.k.code.call(&self.out, call.0, &call.1);
        kernel.calls.insert(call, results.clone());
        results
    }

    fn view(
        &mut self,
        kernel: &mut KernelWriter,
        item: usize,
        source: usize,
        view: &View,
        at: &Coordinates,
    ) -> Atom {
        let start = self.starts[item];
        if !super::groups::reads_memory(self.graph, view, source) {
            // The same at all places.
            return self.value(kernel, source, &vec![ZERO_INDEX; self.rank(source)]);
        }
        let mut index = Vec::with_capacity(view.axes.len());
        for (position, axis) in view.axes.iter().enumerate() {
            let moved = self.moved(kernel, axis, start + position, at);
            let at = if axis.reflected { self.reflected(kernel, source, position, moved) } else { moved };
            index.push(Index { at, rule: axis.rule });
        }
        // All elements of segments in their order are those of the own segment and point.
        if let (Some(segments), [only]) = (kernel.segments, &index[..])
            && only.at == segments.flat
            && self.rank(item) == 1
            && self.extent(source, 0) == self.extent(item, 0)
        {
            return self.read_own(kernel, source, &vec![segments.flat]);
        }
        let is_else = view.axes.iter().any(|axis| axis.rule == Rule::Else);
        let news = view.out.iter().filter(|extent| **extent == crate::node::ViewExtent::New).count();
        let default = is_else.then(|| self.number(kernel, start + view.axes.len() + news));
        let array = self.param(kernel, source);
        self.read(kernel, array, index, default)
    }

    /// `stride · i + offset`, with the offset that is number `number`.
    fn moved(&mut self, kernel: &mut KernelWriter, axis: &ViewAxis, number: usize, at: &Coordinates) -> Atom {
        let by = self.number(kernel, number);
        let Some(from) = axis.from.filter(|_| axis.stride != 0) else { return by };
        let (from, code) = (at[from], &mut kernel.k.code);
        let offset = if self.constant[number] { Some(self.numbers[number].bits as i64) } else { None };
        match (axis.stride, offset) {
            _ if axis.reflected => code.op(ScalarOp::Add, &[from, by]),
            (1, Some(0)) => from,
            (1, Some(..0)) => {
                let back = offset.unwrap_or(0).wrapping_neg();
                code.op(ScalarOp::Sub, &[from, self::index(back)])
            }
            (1, _) => code.op(ScalarOp::Add, &[from, by]),
            (-1, _) => code.op(ScalarOp::Sub, &[by, from]),
            (stride @ 2.., _) => {
                let scaled = code.op(ScalarOp::Mul, &[self::index(stride), from]);
                code.op(ScalarOp::Add, &[scaled, by])
            }
            (stride, _) => {
                let scaled = code.op(ScalarOp::Mul, &[self::index(stride.wrapping_neg()), from]);
                code.op(ScalarOp::Sub, &[by, scaled])
            }
        }
    }

    /// An index, reflected at the first and the last element of an axis, number m: `|m − |m − i||`.
    fn reflected(&mut self, kernel: &mut KernelWriter, source: usize, axis: usize, index: Atom) -> Atom {
        let extent = self.extent_value(kernel, source, axis);
        let code = &mut kernel.k.code;
        let last = code.op(ScalarOp::Sub, &[extent, self::index(1)]);
        let behind = code.op(ScalarOp::Sub, &[last, index]);
        let behind = code.op(ScalarOp::Abs, &[behind]);
        let before = code.op(ScalarOp::Sub, &[last, behind]);
        code.op(ScalarOp::Abs, &[before])
    }

    /// Bits that are a function of the seed and the position.
    fn random(&mut self, kernel: &mut KernelWriter, item: usize, at: &Coordinates) -> Atom {
        let seed = self.starts[item] + self.rank(item);
        let mut position = ZERO_INDEX;
        for (axis, &coordinate) in at.iter().enumerate() {
            let extent = self.extent_value(kernel, item, axis);
            let rows = kernel.k.code.op(ScalarOp::Mul, &[position, extent]);
            position = kernel.k.code.op(ScalarOp::Add, &[rows, coordinate]);
        }
        let key = [self.number(kernel, seed), self.number(kernel, seed + 1)];
        let code = &mut kernel.k.code;
        let low = code.op(ScalarOp::Convert(ScalarType::U32), &[position]);
        let high = code.op(ScalarOp::Shr, &[position, self::index(32)]);
        let high = code.op(ScalarOp::Convert(ScalarType::U32), &[high]);
        let [a, b] = code.threefry(key, [low, high]);
        let upper = |code: &mut CodeBuilder, word: Atom, bits: u32, ty: ScalarType| {
            let upper = code.op(ScalarOp::Shr, &[word, Atom::Const(Scalar::U32(32 - bits))]);
            code.op(ScalarOp::Convert(ty), &[upper])
        };
        match self.elem(item) {
            ScalarType::F32 => {
                let bits = upper(code, a, 24, ScalarType::F32);
                code.op(ScalarOp::Mul, &[bits, Atom::Const(Scalar::F32(f32::EPSILON / 2.0))])
            }
            ScalarType::F64 => {
                let high = code.op(ScalarOp::Convert(ScalarType::F64), &[a]);
                let low = upper(code, b, 21, ScalarType::F64);
                let bits = code.op(ScalarOp::Fma, &[high, Atom::Const(Scalar::F64(2_097_152.0)), low]);
                code.op(ScalarOp::Mul, &[bits, Atom::Const(Scalar::F64(f64::EPSILON / 2.0))])
            }
            ScalarType::U32 => a,
            other => code.op(ScalarOp::Convert(other), &[a]),
        }
    }
}

/// The largest depth to which integer arithmetic is followed and rewritten as index arithmetic.
const MOST_INDEX: usize = 16;

/// Operations that do the same to 64-bit integers and to indices.
fn same_for_indices(op: ScalarOp) -> bool {
    matches!(
        op,
        ScalarOp::Add
            | ScalarOp::Sub
            | ScalarOp::Mul
            | ScalarOp::Neg
            | ScalarOp::Min
            | ScalarOp::Max
            | ScalarOp::Div
            | ScalarOp::Rem
            | ScalarOp::DivFloor
            | ScalarOp::RemFloor
    )
}
