//! Flattening: turns nested blocks into a list of instructions with forward jumps. Slots are still the values of the function.

use super::instr::{Code, EachOperand, Instr, Literal, Operand, PrintOperand, Slot};
use super::kernel::KernelPlan;
use super::shape_equalities;
use nestled_ir::value::Buffer;
use nestled_ir::{
    Axis, Command, EachArg, Function, FunctionId, HostAtom, HostBlock, HostOp, HostStmt, Library, PrintItem,
    Program, Scalar, ScalarType, Shape, SiteId, Span, Type, ValueId,
};
use std::cell::OnceCell;
use std::sync::Arc;

/// Flattens a function.
pub(super) fn flatten(program: &Program, function: &Function, kernels: &[KernelPlan]) -> Code {
    let mut flattener = Flattener {
        program,
        function,
        kernels,
        code: Code {
            instrs: Vec::new(),
            least: Vec::new(),
            spans: Vec::new(),
            n_slots: 0,
            params: function.shapes.iter().chain(&function.params).map(|&value| slot(value)).collect(),
            unused: Vec::new(),
        },
        region_start: 0,
        span: function.span,
    };
    flattener.block(&function.body, Exit::Return);
    flattener.code
}

/// The destination of the results of a block.
#[derive(Clone, Copy)]
enum Exit<'a> {
    /// The caller of the function.
    Return,
    /// The values that an `if` binds.
    Bind(&'a [ValueId]),
}

struct Flattener<'a> {
    program: &'a Program,
    function: &'a Function,
    kernels: &'a [KernelPlan],
    /// Until a region is closed, `least` holds for each of its instructions the own site.
    code: Code,
    region_start: usize,
    span: Span,
}

fn slot(value: ValueId) -> Slot {
    value.0
}

fn slots(values: &[ValueId]) -> Vec<Slot> {
    values.iter().map(|&value| slot(value)).collect()
}

fn value(value: ValueId) -> Operand {
    Operand::Slot { slot: slot(value), last: false }
}

fn atom(atom: HostAtom) -> Operand {
    match atom {
        HostAtom::Value(id) => value(id),
        HostAtom::Const(scalar) => Operand::Const(scalar),
    }
}

fn atoms(list: &[HostAtom]) -> Vec<Operand> {
    list.iter().map(|&item| atom(item)).collect()
}

fn axis(axis: Axis) -> Operand {
    match axis {
        Axis::Const(extent) => Operand::Const(Scalar::Idx(extent as i64)),
        Axis::Sym(symbol) => value(symbol),
    }
}

fn axes(shape: &Shape) -> Vec<Operand> {
    shape.axes.iter().map(|&item| axis(item)).collect()
}

impl<'a> Flattener<'a> {
    fn push(&mut self, instr: Instr, site: Option<SiteId>) {
        self.code.instrs.push(instr);
        self.code.least.push(site);
        self.code.spans.push(self.span);
    }

    /// Ends the region, so that its faults are reported here. Then computes, for every instruction, the least site from it on.
    fn close_region(&mut self) {
        let mut site = None;
        for own in self.code.least[self.region_start..].iter_mut().rev() {
            site = least(site, *own);
            *own = site;
        }
        if site.is_some() {
            self.push(Instr::RegionEnd, None);
        }
        self.region_start = self.code.instrs.len();
    }

    /// The statement does not belong to a region.
    fn push_alone(&mut self, instr: Instr) {
        self.close_region();
        self.push(instr, None);
        self.region_start = self.code.instrs.len();
    }

    fn block(&mut self, block: &'a HostBlock, exit: Exit<'_>) {
        let (last, rest) = match (block.stmts.split_last(), exit) {
            (Some((last, rest)), Exit::Return) if is_tail(last, block) => (Some(last), rest),
            _ => (None, block.stmts.as_slice()),
        };
        rest.iter().for_each(|stmt| self.stmt(stmt));
        match last {
            Some(last) => self.tail(last),
            None => self.exit(block, exit),
        }
    }

    fn exit(&mut self, block: &HostBlock, exit: Exit<'_>) {
        self.close_region();
        match exit {
            Exit::Return => self.push(Instr::Return { results: atoms(&block.results) }, None),
            Exit::Bind(binds) => {
                for (&result, &bind) in block.results.iter().zip(binds) {
                    self.push(Instr::Move { from: atom(result), dst: slot(bind) }, None);
                }
            }
        }
        self.region_start = self.code.instrs.len();
    }

    /// Flattens a statement in tail position.
    fn tail(&mut self, stmt: &'a HostStmt) {
        self.span = stmt.span;
        match &stmt.op {
            HostOp::If { cond, then, otherwise } => self.branch(*cond, then, otherwise, Exit::Return),
            HostOp::Call { function, shapes, args } => {
                let args = call_args(shapes, args);
                self.push_alone(Instr::TailCall { function: function.0, args });
            }
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
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => unreachable!("only branches and calls are in tail position"),
        }
    }

    fn branch(&mut self, cond: HostAtom, then: &'a HostBlock, otherwise: &'a HostBlock, exit: Exit<'_>) {
        let reserve = match exit {
            Exit::Return => Vec::new(),
            Exit::Bind(binds) => slots(binds),
        };
        self.close_region();
        let fork = self.code.instrs.len();
        let no_drops = Vec::new;
        let cond = atom(cond);
        self.push_alone(Instr::JumpUnless {
            cond,
            target: 0,
            reserve,
            drop_then: no_drops(),
            drop_else: no_drops(),
        });
        self.block(then, exit);
        let leave = self.code.instrs.len();
        if matches!(exit, Exit::Bind(_)) {
            self.push_alone(Instr::Jump { target: 0 });
        }
        self.set_target(fork);
        self.block(otherwise, exit);
        if matches!(exit, Exit::Bind(_)) {
            self.set_target(leave);
        }
    }

    /// Patches a jump to lead to the next instruction.
    fn set_target(&mut self, jump: usize) {
        let here = self.code.instrs.len() as u32;
        match &mut self.code.instrs[jump] {
            Instr::Jump { target } | Instr::JumpUnless { target, .. } => *target = here,
            _ => unreachable!("a jump"),
        }
    }

    fn stmt(&mut self, stmt: &'a HostStmt) {
        self.span = stmt.span;
        let binds = &stmt.binds;
        match &stmt.op {
            HostOp::If { cond, then, otherwise } => self.branch(*cond, then, otherwise, Exit::Bind(binds)),
            HostOp::Call { function, shapes, args } => {
                let args = call_args(shapes, args);
                self.push_alone(Instr::Call { function: function.0, args, dsts: slots(binds) });
            }
            HostOp::Each { extent, function, shapes, args } => {
                let args = self.each_args(*function, shapes, args);
                let (extent, dsts) = (axis(*extent), slots(binds));
                self.push_alone(Instr::Each { extent, function: function.0, args, dsts });
            }
            HostOp::Command(command) => {
                let instr = self.command(command, binds);
                self.push_alone(instr);
            }
            HostOp::Library(library) => {
                self.fits(shape_equalities::library(self.function, library));
                let instr = self.library(library, binds);
                self.push(instr, None);
            }
            HostOp::Run { kernel, shapes, args } => {
                let site = self.kernels[kernel.index()].site;
                self.fits(shape_equalities::run(self.function, self.program.kernel(*kernel), shapes, args));
                let shapes = shapes.iter().map(|&item| axis(item)).collect();
                let (args, dsts) = (atoms(args), slots(binds));
                self.push(Instr::Run { kernel: kernel.0, shapes, args, dsts }, site);
            }
            HostOp::View { seg, starts, .. } => {
                self.fits(shape_equalities::view(self.function, *seg, *starts));
                self.push(self.simple(&stmt.op, binds), stmt.op.site());
            }
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
            | HostOp::Check { .. } => self.push(self.simple(&stmt.op, binds), stmt.op.site()),
        }
    }

    /// Emits the shape equalities that the next instruction relies on, if any.
    fn fits(&mut self, pairs: Vec<(Axis, Axis)>) {
        if !pairs.is_empty() {
            let pairs = pairs.into_iter().map(|(left, right)| (axis(left), axis(right))).collect();
            self.push(Instr::Fits { pairs }, None);
        }
    }

    /// Statements that stay inside their region and run no kernel of the program.
    fn simple(&self, op: &HostOp, binds: &[ValueId]) -> Instr {
        let dst = binds.first().map_or(super::NO_SLOT, |&bind| slot(bind));
        match op {
            HostOp::Scalar { op, args } => Instr::Scalar { op: *op, args: atoms(args), dst },
            HostOp::Literal { elem, extents: _, elements } => {
                let elements = Buffer::from_scalars(*elem, elements);
                Instr::Literal { literal: Literal { elements, uploaded: OnceCell::new() }, dst }
            }
            HostOp::Dim { extent, site } => Instr::Dim { extent: atom(*extent), site: *site, dst },
            HostOp::Size { shape } => Instr::Size { axes: axes(shape), dst },
            HostOp::Segments { lengths, site } => Instr::Segments {
                lengths: value(*lengths),
                parent: self.array_axes(*lengths),
                site: *site,
                dst,
            },
            HostOp::Regular { parent, length } => {
                Instr::Regular { parent: axes(parent), length: axis(*length), dst }
            }
            HostOp::Widen { seg } => Instr::Widen { seg: value(*seg), dst },
            HostOp::Lengths { seg } => Instr::Lengths { seg: value(*seg), dst },
            HostOp::Starts { seg } => Instr::Starts { seg: value(*seg), dst },
            HostOp::Same { left, right, site } => {
                Instr::Same { left: axis(*left), right: axis(*right), site: *site }
            }
            HostOp::Reshape { array, shape, site } => Instr::Reshape {
                array: value(*array),
                from: self.array_axes(*array),
                to: axes(shape),
                site: *site,
                dst,
            },
            HostOp::View { seg, starts, buffer, site } => Instr::View {
                seg: value(*seg),
                starts: value(*starts),
                buffer: value(*buffer),
                extent: self.vector_extent(*buffer),
                site: *site,
                dst,
            },
            HostOp::Check { cond, code, site } => {
                Instr::Check { cond: atom(*cond), code: Arc::clone(code), site: *site }
            }
            HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => unreachable!("lowered by itself"),
        }
    }

    fn library(&self, library: &Library, binds: &[ValueId]) -> Instr {
        match library {
            Library::Sort { keys, payload, order } => Instr::Sort {
                keys: value(*keys),
                payload: payload.iter().map(|&item| value(item)).collect(),
                axes: self.array_axes(*keys),
                order: *order,
                dsts: slots(binds),
            },
            Library::Rank { keys, order } => Instr::Rank {
                keys: value(*keys),
                axes: self.array_axes(*keys),
                order: *order,
                dst: slot(binds[0]),
            },
            Library::MatMul { left, right } => {
                let (a, b) = (self.array_axes(*left), self.array_axes(*right));
                Instr::MatMul {
                    left: value(*left),
                    right: value(*right),
                    sizes: [a[0], a[1], b[1]],
                    dst: slot(binds[0]),
                }
            }
        }
    }

    fn command(&self, command: &Command, binds: &[ValueId]) -> Instr {
        match command {
            Command::Print { items, to_error } => Instr::Print {
                items: items.iter().map(|item| self.print_item(item)).collect(),
                to_error: *to_error,
            },
            Command::ReadFile { path } => {
                Instr::ReadFile { path: value(*path), extent: self.vector_extent(*path), dsts: slots(binds) }
            }
            Command::WriteFile { path, bytes, append } => Instr::WriteFile {
                path: value(*path),
                path_extent: self.vector_extent(*path),
                bytes: value(*bytes),
                extent: self.vector_extent(*bytes),
                append: *append,
                dst: slot(binds[0]),
            },
            Command::Clock { .. } => Instr::Clock { dst: slot(binds[0]) },
            Command::Entropy => Instr::Entropy { dst: slot(binds[0]) },
        }
    }

    fn print_item(&self, item: &PrintItem) -> PrintOperand {
        match item {
            PrintItem::Text(text) => PrintOperand::Text(Arc::clone(text)),
            PrintItem::Value(HostAtom::Value(id)) => PrintOperand::Value(value(*id), self.array_axes(*id)),
            PrintItem::Value(literal) => PrintOperand::Value(atom(*literal), Vec::new()),
        }
    }

    fn each_args(&self, function: FunctionId, shapes: &[Option<Axis>], args: &[EachArg]) -> Vec<EachOperand> {
        let callee = self.program.function(function);
        let shapes = shapes.iter().zip(&callee.shapes).map(|(given, &formal)| match given {
            Some(given) => EachOperand::Uniform(axis(*given)),
            None => EachOperand::Length(self.segmentation_behind(callee, formal, args)),
        });
        let args = args.iter().map(|arg| match arg {
            EachArg::Uniform(uniform) => EachOperand::Uniform(atom(*uniform)),
            EachArg::Element(array) => match self.seg_of(*array) {
                Some(seg) => EachOperand::Segment(value(*array), value(seg)),
                None => EachOperand::Element(value(*array)),
            },
        });
        shapes.chain(args).collect()
    }

    /// The segmentation with the segment lengths that the callee calls `formal`.
    fn segmentation_behind(&self, callee: &Function, formal: ValueId, args: &[EachArg]) -> Operand {
        let over_formal = |param: &ValueId| match callee.values[param.index()].ty.as_array() {
            Some(array) => array.shape.axes.first() == Some(&Axis::Sym(formal)),
            None => false,
        };
        let seg = callee.params.iter().zip(args).find_map(|(param, arg)| match arg {
            EachArg::Element(array) if over_formal(param) => self.seg_of(*array),
            _ => None,
        });
        value(seg.expect("a verified `_` has an array whose segments give its length"))
    }

    fn seg_of(&self, array: ValueId) -> Option<ValueId> {
        match self.ty(array).as_array()?.shape.axes.first() {
            Some(&Axis::Sym(symbol)) if self.ty(symbol).as_seg().is_some() => Some(symbol),
            _ => None,
        }
    }

    fn ty(&self, id: ValueId) -> &'a Type {
        &self.function.values[id.index()].ty
    }

    /// The axes of an array; empty for other values.
    fn array_axes(&self, id: ValueId) -> Vec<Operand> {
        self.ty(id).as_array().map_or_else(Vec::new, |array| axes(&array.shape))
    }

    fn vector_extent(&self, id: ValueId) -> Operand {
        self.array_axes(id).first().copied().unwrap_or(Operand::Const(Scalar::zero(ScalarType::Idx)))
    }
}

fn call_args(shapes: &[Axis], args: &[HostAtom]) -> Vec<Operand> {
    shapes.iter().map(|&shape| axis(shape)).chain(args.iter().map(|&arg| atom(arg))).collect()
}

/// True if the block returns exactly the values bound by its last statement, and that is a call or a branch: it is in tail position.
fn is_tail(last: &HostStmt, block: &HostBlock) -> bool {
    let may_be = matches!(last.op, HostOp::Call { .. } | HostOp::If { .. });
    let binds = last.binds.iter().map(|&bind| HostAtom::Value(bind));
    may_be && binds.eq(block.results.iter().copied())
}

/// The lesser of two sites, of which either may be absent.
fn least(a: Option<SiteId>, b: Option<SiteId>) -> Option<SiteId> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
