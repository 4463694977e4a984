//! Host code: serial code over scalars, arrays, extents and segmentations.
//!
//! A function is a block of statements in order; each binds values, assigned once and visible to the end of the block. Recursion is
//! allowed, also mutual, and its depth is limited by memory and a stated bound, never by the machine's stack; a call
//! in tail position takes no room.

mod parts;

pub use parts::{HostPart, HostPartMut};

use crate::describe::{described, part};
use crate::id::{FunctionId, KernelId, SiteId, ValueId};
use crate::name::{Name, Value};
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::types::{Axis, Shape};

/// A function of host code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Everything that the function names.
    pub values: Vec<Value>,
    /// Shape parameters (extents and segmentations); a segmentation's type uses only earlier ones.
    pub shapes: Vec<ValueId>,
    /// Array and scalar parameters.
    pub params: Vec<ValueId>,
    /// Formal results: values that are never assigned and give the types of the results. Types may use shape
    /// parameters and earlier formal results that are extents or segmentations.
    pub results: Vec<ValueId>,
    /// The code.
    pub body: HostBlock,
    /// The source place of its definition.
    pub span: Span,
}

/// Statements, then results.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct HostBlock {
    /// Run in order.
    pub stmts: Vec<HostStmt>,
    /// The values of the block.
    pub results: Vec<HostAtom>,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HostAtom {
    /// A value of the function.
    Value(ValueId),
    /// A literal.
    Const(Scalar),
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HostStmt {
    /// The values it defines.
    pub binds: Vec<ValueId>,
    /// The operation.
    pub op: HostOp,
    /// Its place in the source.
    pub span: Span,
}

described! {
    HostPart, HostPartMut;

    /// An operation of host code. N is the number of elements of its arguments.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum HostOp {
        /// `x = add a b`: scalar arithmetic. Typed by [`Op::result_type`]. O(1).
        Scalar {
            /// The operation.
            op: Op as Data,
            /// As many scalars as the operation takes.
            args: Vec<HostAtom> as Atom,
        },
        /// `[1, 2, 3]i32` or `"abc"`: a literal array, `=> [3]i32`, with constant extents. O(N).
        Literal {
            /// The type of the elements.
            elem: ScalarType as Data,
            /// The extents; rank 1 or more.
            extents: Vec<u64> as Data,
            /// The elements in row-major order.
            elements: Vec<Scalar> as Data,
        },
        /// `k = dim x`: an extent from an index, `idx => dim`. Faults when negative. O(1).
        Dim {
            /// An `idx`.
            extent: HostAtom as Atom,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `k = size [s]`: the number of points of a shape, `=> dim`. O(1).
        Size {
            /// Any shape.
            shape: Shape as Axis,
        },
        /// `s = segments lens`: a segmentation from its lengths, `[p]T => seg[p]` with T an integer. Faults when a length is negative.
        /// Work O(N), depth O(log N).
        Segments {
            /// The length of each segment.
            lengths: ValueId as Value,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `s = regular [p] m`: segments of equal length, `=> regular[p]`. O(1).
        Regular {
            /// The points that own a segment each.
            parent: Shape as Axis,
            /// The length of each: an extent.
            length: Axis as Axis,
        },
        /// `t = widen s`: the same segmentation with offsets, `regular[p] => seg[p]`. Work O(segments).
        Widen {
            /// A regular segmentation.
            seg: ValueId as Value,
        },
        /// `xs = lengths s`: the length of each segment, `seg[p] => [p]idx`. Work O(segments), depth O(1).
        Lengths {
            /// A segmentation.
            seg: ValueId as Value,
        },
        /// `xs = starts s`: the number of elements before each segment, `seg[p] => [p]idx`. Work O(segments), depth O(1).
        Starts {
            /// A segmentation.
            seg: ValueId as Value,
        },
        /// `same a b`: faults unless both shapes are equal; from here to the end of the block they count as one symbol. Extents: O(1).
        /// Segmentations (of parents that count as equal): work O(segments).
        Same {
            /// An extent or a segmentation.
            left: Axis as Axis,
            /// Of the same kind.
            right: Axis as Axis,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `ys = reshape xs [n, m]`: the same elements, row by row, under another shape. `[..]T => [n, m]T`, dense. Faults unless the number
        /// of points agrees. Copies nothing. O(1).
        Reshape {
            /// A dense array.
            array: ValueId as Value,
            /// The new shape; rank 1 or more.
            shape: Shape as Axis,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `v = view s starts buffer`: a nested sequence whose segments lie at given starts, `seg[p], [p]idx, [m]T => view[s]T`. Faults when
        /// a segment is not inside the buffer (an empty one may start anywhere in 0..=m). Copies nothing. Work O(segments).
        View {
            /// The segmentation.
            seg: ValueId as Value,
            /// The position in the buffer at which each segment begins.
            starts: ValueId as Value,
            /// A dense array of rank 1.
            buffer: ValueId as Value,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `check c "E12"`: a fault with this code unless the condition holds. O(1).
        Check {
            /// A `bool`.
            cond: HostAtom as Atom,
            /// The fault code.
            code: Name as Data,
            /// The site of the fault.
            site: SiteId as Site,
        },
        /// `(k, ys) = if c { … } else { … }`: runs one branch. A result of type `dim` or `seg` is a new symbol, and the types of later
        /// results may use it.
        If {
            /// A `bool`.
            cond: HostAtom as Atom,
            /// The branch taken if it is true.
            then: HostBlock as Block,
            /// The branch taken if it is false.
            otherwise: HostBlock as Block,
        },
        /// `(k, ys) = f<n>(xs)`: a call. Work and depth are those of the function.
        Call {
            /// The callee.
            function: FunctionId as Function,
            /// One for each shape parameter.
            shapes: Vec<Axis> as Axis,
            /// One for each parameter.
            args: Vec<HostAtom> as Atom,
        },
        /// `(k, ys) = run kernel<n>(xs)`: runs a kernel. Work and depth are those of its combinators, added up.
        Run {
            /// The kernel.
            kernel: KernelId as Kernel,
            /// One for each shape parameter.
            shapes: Vec<Axis> as Axis,
            /// One for each parameter.
            args: Vec<HostAtom> as Atom,
        },
        /// `ys = each n f<_>(xs[_], c)`: calls a function independently for each point of an extent. Scalar results become arrays
        /// `[n]T`; a result `k: dim` with arrays `[k]T` becomes `s: seg[n]` with arrays `[s]T`. Work: the sum over the instances; depth: the
        /// greatest. Reserved: devices may refuse it; the interpreters run it. The function runs no commands.
        Each {
            /// Number of instances: an extent.
            extent: Axis as Axis,
            /// The callee.
            function: FunctionId as Function,
            /// One for each shape parameter; `None` (written `_`) where the length of an instance's segment is meant.
            shapes: Vec<Option<Axis>> as Axis,
            /// One for each parameter.
            args: Vec<EachArg> as Parts,
        },
        /// An operation that devices implement natively.
        Library(library: Library as Parts),
        /// An effect on the world. Commands keep their order, and wait for the faults of everything before them.
        Command(command: Command as Parts),
    }
}

described! {
    HostPart, HostPartMut;

    /// An argument of [`HostOp::Each`].
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum EachArg {
        /// The same for every instance.
        Uniform(atom: HostAtom as Atom),
        /// `xs[_]`: of a dense `[n]T` the element; of a dense `[s]T` with `s: seg[n]` the segment, an array `[k]T`.
        Element(array: ValueId as Value),
    }
}

/// Direction of sorting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Order {
    /// Least first.
    Ascending,
    /// Greatest first.
    Descending,
}

described! {
    HostPart, HostPartMut;

    /// Operations that devices implement natively, on dense arrays.
    ///
    /// Sorting works inside each row of the last axis (of `[n]T` the whole, of `[s]T` each segment). It is stable in both orders, and
    /// puts floats in the order −∞ < … < −0.0 < +0.0 < … < +∞ or the other way round. To an order every NaN is the same, whatever its sign and
    /// payload, and in both orders it comes last.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum Library {
        /// `(ks, ps) = sort ascending keys, payload…`: the keys in order, and the payload moved along. All of one shape; keys of any type but
        /// `f16`. Work O(N log N), for fixed-width keys O(N).
        Sort {
            /// The keys to sort by.
            keys: ValueId as Value,
            /// Arrays that are permuted along with the keys.
            payload: Vec<ValueId> as Value,
            /// The order.
            order: Order as Data,
        },
        /// `rs = rank ascending keys`: the position that each key would take in its row if sorted, `[..]T => [..]idx`. Work as for sort.
        Rank {
            /// The keys to rank.
            keys: ValueId as Value,
            /// The order.
            order: Order as Data,
        },
        /// `c = matmul a b`: `[n, k]T, [k, m]T => [n, m]T` for numbers. Integers wrap; floats are summed in an order of the device's own,
        /// possibly with fused multiply-add: last bits and signs of zeros may differ from device to device, never from run to run. Work O(n·m·k), depth O(log k).
        MatMul {
            /// The left matrix.
            left: ValueId as Value,
            /// The right matrix.
            right: ValueId as Value,
        },
    }
}

described! {
    HostPart, HostPartMut;

    /// Commands. `path` and `bytes` are dense arrays `[_]u8`.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum Command {
        /// `print "x = " x`: writes texts and values to standard output (`eprint`: standard error), and ends the line.
        Print {
            /// The texts and values to write, with no separator.
            items: Vec<PrintItem> as Parts,
            /// True for standard error, false for standard output.
            to_error: bool as Data,
        },
        /// `(ok, k, bytes) = read_file path`: `=> bool, dim, [k]u8`. Empty when it fails.
        ReadFile {
            /// The name of the file.
            path: ValueId as Value,
        },
        /// `ok = write_file path bytes` or `append_file`: `=> bool`.
        WriteFile {
            /// The name of the file.
            path: ValueId as Value,
            /// The bytes to write.
            bytes: ValueId as Value,
            /// True to append to the file, false to replace its contents.
            append: bool as Data,
        },
        /// `t = clock xs ys`: seconds since some fixed moment, `=> f64`, as soon as these values are there.
        Clock {
            /// Values that must have been computed before the clock is read.
            after: Vec<ValueId> as Value,
        },
        /// `x = entropy`: an unpredictable number, for seeding, `=> i64`.
        Entropy,
    }
}

described! {
    HostPart, HostPartMut;

    /// An item to print.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub enum PrintItem {
        /// Literal text.
        Text(text: Name as Data),
        /// An array `[n]u8` as the text that it is; any other value as results are printed.
        Value(atom: HostAtom as Atom),
    }
}

impl HostOp {
    /// True if a region ends before the statement, so that pending faults are reported first.
    pub fn ends_region(&self) -> bool {
        match self {
            HostOp::If { .. } | HostOp::Call { .. } | HostOp::Each { .. } | HostOp::Command(_) => true,
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Same { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::Run { .. }
            | HostOp::Library(_) => false,
        }
    }
}

impl HostAtom {
    /// Calls `visit` on the value, if it is one.
    pub fn for_value(&mut self, visit: &mut dyn FnMut(&mut ValueId)) {
        match self {
            HostAtom::Value(value) => visit(value),
            HostAtom::Const(_) => {}
        }
    }
}

impl HostBlock {
    /// Calls `visit` on every statement in pre-order: a statement comes before those inside its blocks.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a HostStmt)) {
        for stmt in &self.stmts {
            visit(stmt);
            for block in stmt.op.blocks() {
                block.walk(visit);
            }
        }
    }
}
