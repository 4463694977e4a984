//! What stands in thunks: the lines of one point.

use super::groups::ZERO;
use super::kernel::KernelText;
use super::{Lower, array_type, literal};
use crate::node::{GatherAxis, Op, View};
use crate::plan::broadcast_mask;
use nestled_ir::{Op as ScalarOp, Rule, Scalar, ScalarType};

/// The coordinates of a point, outermost first.
pub(super) type Coordinates = Vec<String>;

/// The coordinate of a vector whose points are those of segments.
pub(super) const FLAT: &str = "flat";

/// The names of coordinates of a space.
pub(super) fn coordinates(rank: usize) -> Coordinates {
    (0..rank).map(|axis| format!("i{axis}")).collect()
}

impl Lower<'_> {
    /// Writes the lines of the items that belong to the kernel of `owner`, but not `owner` itself.
    pub(super) fn lines(&mut self, kernel: &mut KernelText, owner: usize, at: &Coordinates) {
        for member in self.members[owner].clone() {
            let place = self.groups.place[member];
            let own = (0..self.rank(member))
                .map(|axis| match place[axis] {
                    ZERO => "0idx".to_owned(),
                    axis => at[usize::from(axis)].clone(),
                })
                .collect();
            let name = self.line(kernel, member, &own);
            kernel.named.insert(member, name);
        }
    }

    /// The value of an argument at some coordinates, which are aligned at the last axis.
    pub(super) fn operand(
        &mut self,
        kernel: &mut KernelText,
        item: usize,
        arg: usize,
        at: &Coordinates,
    ) -> String {
        let at = self.aligned(item, arg, at);
        self.value(kernel, arg, &at)
    }

    /// The coordinates of an argument where an item has some.
    fn aligned(&self, item: usize, arg: usize, at: &Coordinates) -> Coordinates {
        let (shape, own) = (self.graph.items[arg].node.shape, self.graph.items[item].node.shape);
        let own = if own.len() == at.len() { own } else { shape };
        let (mask, ahead) = (broadcast_mask(&shape, &own), own.len() - shape.len());
        let one =
            |axis: usize| if mask >> axis & 1 == 1 { "0idx".to_owned() } else { at[axis + ahead].clone() };
        (0..shape.len()).map(one).collect()
    }

    /// An item of integers as an index. 64-bit arithmetic is that of indices, and is written as such: devices see how an index moves along with
    /// the coordinates.
    pub(super) fn index(
        &mut self,
        kernel: &mut KernelText,
        item: usize,
        at: &Coordinates,
        depth: usize,
    ) -> String {
        if let Some(name) = kernel.indices.get(&(item, at.clone())) {
            return name.clone();
        }
        let is_free = super::groups::is_free(self.graph, &self.graph.items[item]);
        let is_line = is_free || kernel.named.contains_key(&item);
        let name = match self.graph.items[item].op() {
            Some(Op::Iota { axis }) if self.elem(item) == ScalarType::I64 => at[*axis].clone(),
            Some(Op::Map { op, .. })
                if is_line
                    && self.elem(item) == ScalarType::I64
                    && same_for_indices(*op)
                    && depth < MOST_INDEX =>
            {
                let mut text = op.name().to_owned();
                for arg in self.graph.items[item].args.clone() {
                    let there = self.aligned(item, arg, at);
                    text.push(' ');
                    text.push_str(&self.index(kernel, arg, &there, depth + 1));
                }
                kernel.bind(&text)
            }
            Some(Op::Fill(Scalar::I64(value))) if self.constant[self.starts[item] + self.rank(item)] => {
                format!("{value}idx")
            }
            _ => {
                let value = self.value(kernel, item, at);
                kernel.bind(&format!("idx {value}"))
            }
        };
        kernel.indices.insert((item, at.clone()), name.clone());
        name
    }

    /// The value of an item at its own coordinates.
    pub(super) fn value(&mut self, kernel: &mut KernelText, item: usize, at: &Coordinates) -> String {
        if let Some(name) = kernel.named.get(&item) {
            return name.clone();
        }
        let is_free = super::groups::is_free(self.graph, &self.graph.items[item]);
        if !is_free {
            return self.read_own(kernel, item, at);
        }
        if let Some(name) = kernel.free.get(&(item, at.clone())) {
            return name.clone();
        }
        let name = self.line(kernel, item, at);
        kernel.free.insert((item, at.clone()), name.clone());
        name
    }

    /// A parameter of a kernel: an item that has a value.
    pub(super) fn param(&mut self, kernel: &mut KernelText, item: usize) -> String {
        let axes: Vec<String> =
            (0..self.rank(item)).map(|axis| self.kernel_axis(kernel, item, axis)).collect();
        let elem = self.elem(item);
        kernel.param(&format!("v{item}"), || array_type(&axes, elem))
    }

    /// An axis inside a kernel.
    pub(super) fn kernel_axis(&mut self, kernel: &mut KernelText, item: usize, axis: usize) -> String {
        match self.extent(item, axis) {
            Ok(number) => kernel.dim(number),
            Err(constant) => constant.to_string(),
        }
    }

    /// An extent as a number inside a kernel.
    pub(super) fn extent_value(&mut self, kernel: &mut KernelText, item: usize, axis: usize) -> String {
        match self.extent(item, axis) {
            Ok(number) => kernel.dim(number),
            Err(constant) => format!("{constant}idx"),
        }
    }

    /// A number inside a kernel.
    pub(super) fn number(&mut self, kernel: &mut KernelText, number: usize) -> String {
        let scalar = self.numbers[number].scalar();
        if self.constant[number] {
            return literal(scalar);
        }
        kernel.param(&format!("n{number}"), || scalar.ty().to_string())
    }

    fn read_own(&mut self, kernel: &mut KernelText, item: usize, at: &Coordinates) -> String {
        if let (Some(lengths), [own]) = (kernel.segments, &at[..])
            && own == FLAT
        {
            let array = self.segmented_param(kernel, item, lengths);
            return kernel.bind(&format!("{array}[i0 proved, i1 proved]"));
        }
        if let Some(merged) = kernel.merged.clone()
            && merged.at == *at
        {
            return self.read_merged(kernel, item, &merged);
        }
        let array = self.param(kernel, item);
        if at.is_empty() {
            return array;
        }
        let index: Vec<String> = at.iter().map(|at| format!("{at} proved")).collect();
        kernel.bind(&format!("{array}[{}]", index.join(", ")))
    }

    /// Writes an item as a line; what it is called.
    fn line(&mut self, kernel: &mut KernelText, item: usize, at: &Coordinates) -> String {
        let graph = self.graph;
        let args = &graph.items[item].args;
        let start = self.starts[item];
        match self.op(item) {
            Op::Fill(_) => self.number(kernel, start + self.rank(item)),
            Op::Iota { axis } => kernel.bind(&format!("{} {}", self.elem(item), at[*axis])),
            Op::Random { .. } => self.random(kernel, item, at),
            Op::Map { op, .. } => {
                let mut text = op.name().to_owned();
                for &arg in args {
                    text.push(' ');
                    text.push_str(&self.operand(kernel, item, arg, at));
                }
                kernel.bind(&text)
            }
            Op::Apply { body, result, .. } => {
                let (n, result) = (body.results.len(), *result);
                let operands: Vec<String> =
                    args.iter().map(|&arg| self.operand(kernel, item, arg, at)).collect();
                let thunk = self.thunk(item);
                let call = format!("{thunk}({})", operands.join(", "));
                let names: Vec<String> = (0..n).map(|_| kernel.fresh()).collect();
                let pattern = if n == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
                kernel.lines.push_str(&format!("    {pattern} = {call}\n"));
                names[result].clone()
            }
            Op::View { view, .. } => self.view(kernel, item, args[0], view, at),
            Op::Gather { axes, default, indices, .. } => {
                let mut index = Vec::with_capacity(axes.len());
                for how in axes {
                    index.push(match how {
                        GatherAxis::Own(axis) => format!("{} proved", at[*axis]),
                        GatherAxis::Index(position, rule) => {
                            let there = self.aligned(item, args[1 + position], at);
                            let value = self.index(kernel, args[1 + position], &there, 0);
                            format!("{value}{}", rule_text(*rule))
                        }
                    });
                }
                debug_assert_eq!(indices.len() + 1, args.len());
                let array = self.param(kernel, args[0]);
                if index.is_empty() {
                    return array;
                }
                let mut text = format!("{array}[{}]", index.join(", "));
                if default.is_some() && axes.iter().any(|how| matches!(how, GatherAxis::Index(_, Rule::Else)))
                {
                    text.push_str(&format!(" else {}", self.number(kernel, start)));
                }
                kernel.bind(&text)
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
            | Op::Sort { .. } => unreachable!("these are no lines"),
        }
    }

    /// Writes the item itself, whose kernel it is.
    pub(super) fn own_line(&mut self, kernel: &mut KernelText, item: usize, at: &Coordinates) -> String {
        let name = self.line(kernel, item, at);
        // The result of a block is a name.
        if name.starts_with('t') && name != "true" { name } else { kernel.bind(&name) }
    }

    fn view(
        &mut self,
        kernel: &mut KernelText,
        item: usize,
        source: usize,
        view: &View,
        at: &Coordinates,
    ) -> String {
        let start = self.starts[item];
        if !super::groups::reads_memory(self.graph, view, source) {
            return self.value(kernel, source, &coordinates(self.rank(source)));
        }
        let mut index = Vec::with_capacity(view.axes.len());
        for (position, axis) in view.axes.iter().enumerate() {
            let number = start + position;
            let offset = self.numbers[number].bits as i64;
            let constant = self.constant[number];
            let text = match (axis.from, axis.stride) {
                (None, _) | (_, 0) => self.number(kernel, number),
                (Some(from), _) if axis.reflected => {
                    let by = self.number(kernel, number);
                    self.reflected(kernel, source, position, &format!("add {} {by}", at[from]))
                }
                (Some(from), 1) if constant => match offset {
                    0 => at[from].clone(),
                    1.. => format!("{} + {offset}", at[from]),
                    ..0 => format!("{} - {}", at[from], offset.unsigned_abs()),
                },
                (Some(from), 1) => format!("{} + {}", at[from], self.number(kernel, number)),
                (Some(from), -1) => format!("{} - {}", self.number(kernel, number), at[from]),
                (Some(from), stride @ 2..) => {
                    format!("{stride} * {} + {}", at[from], self.number(kernel, number))
                }
                (Some(from), stride) => {
                    format!("{} - {} * {}", self.number(kernel, number), stride.unsigned_abs(), at[from])
                }
            };
            index.push(format!("{text}{}", rule_text(axis.rule)));
        }
        let array = self.param(kernel, source);
        if index.is_empty() {
            return array;
        }
        let mut text = format!("{array}[{}]", index.join(", "));
        if view.axes.iter().any(|axis| axis.rule == Rule::Else) {
            let news = view.out.iter().filter(|extent| **extent == crate::node::ViewExtent::New).count();
            text.push_str(&format!(" else {}", self.number(kernel, start + view.axes.len() + news)));
        }
        kernel.bind(&text)
    }

    /// An index, reflected at the first and the last element of an axis, number m: `|m − |m − i||`.
    fn reflected(&mut self, kernel: &mut KernelText, source: usize, axis: usize, index: &str) -> String {
        let extent = self.extent_value(kernel, source, axis);
        let last = kernel.bind(&format!("sub {extent} 1"));
        let behind = kernel.bind(&format!("abs (sub {last} ({index}))"));
        kernel.bind(&format!("abs (sub {last} {behind})"))
    }

    /// Bits that are a function of the seed and the position.
    fn random(&mut self, kernel: &mut KernelText, item: usize, at: &Coordinates) -> String {
        let rank = self.rank(item);
        let seed = self.starts[item] + rank;
        let mut position = "0idx".to_owned();
        for (axis, coordinate) in at.iter().enumerate() {
            let extent = self.extent_value(kernel, item, axis);
            position = kernel.bind(&format!("add (mul {position} {extent}) {coordinate}"));
        }
        let (k0, k1) = (self.number(kernel, seed), self.number(kernel, seed + 1));
        let low = kernel.bind(&format!("u32 {position}"));
        let high = kernel.bind(&format!("u32 (shr {position} 32)"));
        let (a, b) = (kernel.fresh(), kernel.fresh());
        kernel.lines.push_str(&format!("    ({a}, {b}) = threefry {k0} {k1} {low} {high}\n"));
        match self.elem(item) {
            ScalarType::F32 => kernel.bind(&format!("mul (f32 (shr {a} 8)) 5.9604645e-8f32")),
            ScalarType::F64 => kernel.bind(&format!(
                "mul (fma (f64 {a}) 2097152.0f64 (f64 (shr {b} 11))) 1.1102230246251565e-16f64"
            )),
            ScalarType::U32 => a,
            other => kernel.bind(&format!("{other} {a}")),
        }
    }
}

/// How deep arithmetic is followed to write it as that of indices.
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

/// The word after an index.
fn rule_text(rule: Rule) -> &'static str {
    match rule {
        // Said by the `else` behind the read, or by nothing.
        Rule::Fault | Rule::Else => "",
        Rule::Clamp => " clamp",
        Rule::Wrap => " wrap",
        Rule::Proved => " proved",
    }
}
