//! The instruction set of lowered host code.

use crate::exec::DeviceBuffer;
use nestled_ir::value::Buffer;
use nestled_ir::{Name, Op, Order, Scalar, SiteId, Span};
use std::cell::OnceCell;
use std::rc::Rc;

/// A place in a function's window of the stack.
pub(crate) type Slot = u32;

/// The slot of results that are never used.
pub(crate) const NO_SLOT: Slot = Slot::MAX;

/// An operand. Extents of the program text are `idx` literals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    /// The value of a slot; moved out at its last use.
    Slot { slot: Slot, last: bool },
    /// A literal.
    Const(Scalar),
}

/// A function, lowered.
#[derive(Debug)]
pub(crate) struct Code {
    /// Run in order but for jumps.
    pub instrs: Vec<Instr>,
    /// For each instruction, the least site of it and of those that follow in its region.
    pub least: Vec<Option<SiteId>>,
    /// For each instruction its place in the source.
    pub spans: Vec<Span>,
    /// The size of the window.
    pub n_slots: u32,
    /// The slots of shape arguments and arguments: `0, 1, 2, …` in the end.
    pub params: Vec<Slot>,
    /// Parameters that are never used.
    pub unused: Vec<Slot>,
}

/// A literal array. It is copied to the device when it is first wanted, and stays there.
#[derive(Debug)]
pub(crate) struct Literal {
    /// The elements.
    pub elements: Buffer,
    /// The array on the device.
    pub uploaded: OnceCell<Rc<DeviceBuffer>>,
}

/// An item to print.
#[derive(Debug)]
pub(crate) enum PrintOperand {
    /// Literal text.
    Text(Name),
    /// A value, and the axes of its shape where it is an array.
    Value(Operand, Vec<Operand>),
}

/// An argument of `each`.
#[derive(Debug)]
pub(crate) enum EachOperand {
    /// The same for every instance: also a shape argument that is given.
    Uniform(Operand),
    /// `_`: the length of the instance's segment.
    Length(Operand),
    /// The element of an array over the extent.
    Element(Operand),
    /// The segment of an array over a segmentation, which comes second.
    Segment(Operand, Operand),
}

/// One instruction. Operands are taken in the order of [`Instr::operands`], before anything is written.
#[derive(Debug)]
pub(crate) enum Instr {
    Scalar {
        op: Op,
        args: Vec<Operand>,
        dst: Slot,
    },
    Move {
        from: Operand,
        dst: Slot,
    },
    Literal {
        literal: Literal,
        dst: Slot,
    },
    Dim {
        extent: Operand,
        site: SiteId,
        dst: Slot,
    },
    Size {
        axes: Vec<Operand>,
        dst: Slot,
    },
    Segments {
        lengths: Operand,
        parent: Vec<Operand>,
        site: SiteId,
        dst: Slot,
    },
    Regular {
        parent: Vec<Operand>,
        length: Operand,
        dst: Slot,
    },
    Widen {
        seg: Operand,
        dst: Slot,
    },
    Lengths {
        seg: Operand,
        dst: Slot,
    },
    Starts {
        seg: Operand,
        dst: Slot,
    },
    Same {
        left: Operand,
        right: Operand,
        site: SiteId,
    },
    Reshape {
        array: Operand,
        from: Vec<Operand>,
        to: Vec<Operand>,
        site: SiteId,
        dst: Slot,
    },
    View {
        seg: Operand,
        starts: Operand,
        buffer: Operand,
        extent: Operand,
        site: SiteId,
        dst: Slot,
    },
    Check {
        cond: Operand,
        code: Name,
        site: SiteId,
    },
    /// Jumps to `target` if the condition is false. Either way drops the values that only the other branch needs.
    JumpUnless {
        cond: Operand,
        target: u32,
        reserve: Vec<Slot>,
        drop_then: Vec<Slot>,
        drop_else: Vec<Slot>,
    },
    Jump {
        target: u32,
    },
    /// A region that can fault ends here.
    RegionEnd,
    Call {
        function: u32,
        args: Vec<Operand>,
        dsts: Vec<Slot>,
    },
    TailCall {
        function: u32,
        args: Vec<Operand>,
    },
    Return {
        results: Vec<Operand>,
    },
    Run {
        kernel: u32,
        shapes: Vec<Operand>,
        args: Vec<Operand>,
        dsts: Vec<Slot>,
    },
    /// After a fault: if these pairs of shapes differ, the next instruction does not run, and its results are lost. Emitted where only a
    /// `same` ensures that operands fit each other.
    Fits {
        pairs: Vec<(Operand, Operand)>,
    },
    Each {
        extent: Operand,
        function: u32,
        args: Vec<EachOperand>,
        dsts: Vec<Slot>,
    },
    Sort {
        keys: Operand,
        payload: Vec<Operand>,
        axes: Vec<Operand>,
        order: Order,
        dsts: Vec<Slot>,
    },
    Rank {
        keys: Operand,
        axes: Vec<Operand>,
        order: Order,
        dst: Slot,
    },
    MatMul {
        left: Operand,
        right: Operand,
        sizes: [Operand; 3],
        dst: Slot,
    },
    Print {
        items: Vec<PrintOperand>,
        to_error: bool,
    },
    ReadFile {
        path: Operand,
        extent: Operand,
        dsts: Vec<Slot>,
    },
    WriteFile {
        path: Operand,
        path_extent: Operand,
        bytes: Operand,
        extent: Operand,
        append: bool,
        dst: Slot,
    },
    Clock {
        dst: Slot,
    },
    Entropy {
        dst: Slot,
    },
}

impl Instr {
    /// Calls `visit` on each operand, in the order in which they are taken.
    pub fn operands(&mut self, visit: &mut dyn FnMut(&mut Operand)) {
        match self {
            Instr::Scalar { args, .. } | Instr::Call { args, .. } | Instr::TailCall { args, .. } => {
                args.iter_mut().for_each(visit);
            }
            Instr::Move { from: operand, .. }
            | Instr::Dim { extent: operand, .. }
            | Instr::Widen { seg: operand, .. }
            | Instr::Lengths { seg: operand, .. }
            | Instr::Starts { seg: operand, .. }
            | Instr::Check { cond: operand, .. }
            | Instr::JumpUnless { cond: operand, .. } => visit(operand),
            Instr::Size { axes, .. } => axes.iter_mut().for_each(visit),
            Instr::Segments { lengths, parent, .. } => {
                visit(lengths);
                parent.iter_mut().for_each(visit);
            }
            Instr::Regular { parent, length, .. } => {
                parent.iter_mut().for_each(&mut *visit);
                visit(length);
            }
            Instr::Same { left, right, .. } => {
                visit(left);
                visit(right);
            }
            Instr::Reshape { array, from, to, .. } => {
                visit(array);
                from.iter_mut().chain(to).for_each(visit);
            }
            Instr::View { seg, starts, buffer, extent, .. } => {
                [seg, starts, buffer, extent].into_iter().for_each(visit);
            }
            Instr::Return { results } => results.iter_mut().for_each(visit),
            Instr::Fits { pairs } => {
                for (left, right) in pairs {
                    visit(left);
                    visit(right);
                }
            }
            Instr::Run { shapes, args, .. } => shapes.iter_mut().chain(args).for_each(visit),
            Instr::Each { extent, args, .. } => {
                visit(extent);
                args.iter_mut().for_each(|arg| each_operands(arg, visit));
            }
            Instr::Sort { keys, payload, axes, .. } => {
                visit(keys);
                payload.iter_mut().chain(axes).for_each(visit);
            }
            Instr::Rank { keys, axes, .. } => {
                visit(keys);
                axes.iter_mut().for_each(visit);
            }
            Instr::MatMul { left, right, sizes, .. } => {
                visit(left);
                visit(right);
                sizes.iter_mut().for_each(visit);
            }
            Instr::Print { items, .. } => {
                for item in items {
                    if let PrintOperand::Value(value, axes) = item {
                        visit(value);
                        axes.iter_mut().for_each(&mut *visit);
                    }
                }
            }
            Instr::ReadFile { path, extent, .. } => {
                visit(path);
                visit(extent);
            }
            Instr::WriteFile { path, path_extent, bytes, extent, .. } => {
                [path, path_extent, bytes, extent].into_iter().for_each(visit);
            }
            Instr::Literal { .. }
            | Instr::Jump { .. }
            | Instr::RegionEnd
            | Instr::Clock { .. }
            | Instr::Entropy { .. } => {}
        }
    }

    /// The slots that are written.
    pub fn dsts_mut(&mut self) -> &mut [Slot] {
        match self {
            Instr::Scalar { dst, .. }
            | Instr::Move { dst, .. }
            | Instr::Literal { dst, .. }
            | Instr::Dim { dst, .. }
            | Instr::Size { dst, .. }
            | Instr::Segments { dst, .. }
            | Instr::Regular { dst, .. }
            | Instr::Widen { dst, .. }
            | Instr::Lengths { dst, .. }
            | Instr::Starts { dst, .. }
            | Instr::Reshape { dst, .. }
            | Instr::View { dst, .. }
            | Instr::Rank { dst, .. }
            | Instr::MatMul { dst, .. }
            | Instr::WriteFile { dst, .. }
            | Instr::Clock { dst }
            | Instr::Entropy { dst } => std::slice::from_mut(dst),
            Instr::Call { dsts, .. }
            | Instr::Run { dsts, .. }
            | Instr::Each { dsts, .. }
            | Instr::Sort { dsts, .. }
            | Instr::ReadFile { dsts, .. } => dsts,
            Instr::Same { .. }
            | Instr::Fits { .. }
            | Instr::Check { .. }
            | Instr::JumpUnless { .. }
            | Instr::Jump { .. }
            | Instr::RegionEnd
            | Instr::TailCall { .. }
            | Instr::Return { .. }
            | Instr::Print { .. } => &mut [],
        }
    }

    /// The slots that a statement inside a region writes.
    pub fn dsts_in_region(&self) -> &[Slot] {
        match self {
            Instr::Scalar { dst, .. }
            | Instr::Move { dst, .. }
            | Instr::Literal { dst, .. }
            | Instr::Dim { dst, .. }
            | Instr::Size { dst, .. }
            | Instr::Segments { dst, .. }
            | Instr::Regular { dst, .. }
            | Instr::Widen { dst, .. }
            | Instr::Lengths { dst, .. }
            | Instr::Starts { dst, .. }
            | Instr::Reshape { dst, .. }
            | Instr::View { dst, .. }
            | Instr::Rank { dst, .. }
            | Instr::MatMul { dst, .. } => std::slice::from_ref(dst),
            Instr::Run { dsts, .. } | Instr::Sort { dsts, .. } => dsts,
            Instr::Same { .. }
            | Instr::Fits { .. }
            | Instr::Check { .. }
            | Instr::JumpUnless { .. }
            | Instr::Jump { .. }
            | Instr::RegionEnd
            | Instr::Call { .. }
            | Instr::TailCall { .. }
            | Instr::Return { .. }
            | Instr::Each { .. }
            | Instr::Print { .. }
            | Instr::ReadFile { .. }
            | Instr::WriteFile { .. }
            | Instr::Clock { .. }
            | Instr::Entropy { .. } => &[],
        }
    }
}

fn each_operands(arg: &mut EachOperand, visit: &mut dyn FnMut(&mut Operand)) {
    match arg {
        EachOperand::Uniform(operand) | EachOperand::Element(operand) | EachOperand::Length(operand) => {
            visit(operand)
        }
        EachOperand::Segment(array, seg) => {
            visit(array);
            visit(seg);
        }
    }
}
