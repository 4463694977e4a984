//! Builder of host code: appends statements to the innermost open block and infers their types.

use super::program::ProgramBuilder;
use crate::host::{Function, HostAtom, HostBlock, HostOp, HostStmt};
use crate::id::{FunctionId, ValueId};
use crate::name::{Name, Value};
use crate::span::Span;
use crate::types::{Axis, Shape, Type};
use crate::typing;
use std::collections::HashSet;

/// A function.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    /// The statements of the blocks that are open, the outermost first.
    blocks: Vec<OpenBlock>,
    /// Symbols that `same` made one with an axis, in order; a block that ends forgets its own.
    same: Vec<(ValueId, Axis)>,
    /// Shapes whose sizes the host knows when they are made, without a wait for a device. Parameters are taken to be such: whoever calls has their sizes as a rule.
    sizes_known: HashSet<ValueId>,
    /// The source place given to the statements that follow.
    pub span: Span,
}

/// A block that is being written.
#[derive(Debug, Default)]
struct OpenBlock {
    stmts: Vec<HostStmt>,
    /// Length of `FunctionBuilder::same` when the block began.
    same: usize,
}

/// A block that is not complete, and that nothing is written in for now.
#[derive(Debug)]
pub struct SuspendedBlock {
    stmts: Vec<HostStmt>,
    /// The symbols that `same` made equal to an axis inside the block.
    same: Vec<(ValueId, Axis)>,
}

impl FunctionBuilder {
    /// A function with nothing in it.
    pub fn new(name: &str, span: Span) -> FunctionBuilder {
        let function = Function {
            name: Name::from(name),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: HostBlock::default(),
            span,
        };
        let (blocks, same, sizes_known) = (vec![OpenBlock::default()], Vec::new(), HashSet::new());
        FunctionBuilder { function, blocks, same, sizes_known, span }
    }

    /// A value for the signature: [`take`](Self::take) makes it a parameter, [`give`](Self::give) a result. So the types of several values
    /// can be made, and refer to each other, before their order is decided.
    pub fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.function.values.push(Value { name: Name::from(name), ty, span: self.span });
        ValueId::from(self.function.values.len() - 1)
    }

    /// The value is the next parameter: a shape parameter, if its type says so.
    pub fn take(&mut self, value: ValueId) {
        match self.ty(value).is_shape() {
            true => {
                self.function.shapes.push(value);
                self.sizes_known.extend(matches!(self.ty(value), Type::Dim).then_some(value));
            }
            false => self.function.params.push(value),
        }
    }

    /// The value is the next formal result.
    pub fn give(&mut self, value: ValueId) {
        self.function.results.push(value);
    }

    /// A shape parameter.
    pub fn shape_param(&mut self, name: &str, ty: Type) -> ValueId {
        self.param(name, ty)
    }

    /// A parameter: of an array or scalar type, or a shape parameter.
    pub fn param(&mut self, name: &str, ty: Type) -> ValueId {
        let value = self.value(name, ty);
        self.take(value);
        value
    }

    /// A formal result; types of later ones may use it if it is an extent or a segmentation.
    pub fn result(&mut self, name: &str, ty: Type) -> ValueId {
        let value = self.value(name, ty);
        self.give(value);
        value
    }

    /// The shape parameters so far.
    pub fn shapes(&self) -> &[ValueId] {
        &self.function.shapes
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.function.values[value.index()].ty
    }

    /// The name of a value.
    pub fn name(&self, value: ValueId) -> &str {
        &self.function.values[value.index()].name
    }

    /// The representative of the axes that `same` made equal to this one.
    pub fn canonical(&self, mut axis: Axis) -> Axis {
        while let Axis::Sym(symbol) = axis {
            match self.same.iter().rev().find(|(from, _)| *from == symbol) {
                Some((_, to)) => axis = *to,
                None => break,
            }
        }
        axis
    }

    /// Replaces a symbol by an axis to the end of the block: the two are known to be equal.
    pub fn unite(&mut self, symbol: ValueId, axis: Axis) {
        if self.canonical(Axis::Sym(symbol)) != self.canonical(axis) {
            self.same.push((symbol, axis));
        }
    }

    /// True if the host knows the extent of an axis, or the number of elements of a regular segmentation, without a wait for a device.
    pub fn is_size_known(&self, axis: Axis) -> bool {
        match axis {
            Axis::Const(_) => true,
            Axis::Sym(symbol) => self.sizes_known.contains(&symbol),
        }
    }

    /// Emits a statement; returns the values it binds, under these names.
    pub fn emit(&mut self, program: &ProgramBuilder, names: &[&str], op: HostOp) -> Vec<ValueId> {
        let first = self.function.values.len();
        let binds: Vec<ValueId> = (first..first + names.len()).map(ValueId::from).collect();
        let types = typing::host_types(program.program(), &self.function, &op, &binds);
        let types = types.unwrap_or_else(|error| panic!("{op:?} does not fit its operands: {error}"));
        for (name, ty) in names.iter().zip(types) {
            self.value(name, ty);
        }
        let is_size_known = match &op {
            HostOp::Dim { .. } | HostOp::Size { .. } => true,
            HostOp::Regular { parent, length } => {
                parent.axes.iter().chain([length]).all(|&axis| self.is_size_known(axis))
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Segments { .. }
            | HostOp::Widen { .. }
            | HostOp::Same { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => false,
        };
        if is_size_known {
            self.sizes_known.extend(&binds);
        }
        let span = self.span;
        let block = self.blocks.last_mut().expect("a block is open");
        block.stmts.push(HostStmt { binds: binds.clone(), op, span });
        binds
    }

    /// A statement that binds one value.
    pub fn emit_one(&mut self, program: &ProgramBuilder, name: &str, op: HostOp) -> ValueId {
        self.emit(program, &[name], op)[0]
    }

    /// Emits a reshape: the same elements under another shape, with as many points.
    pub fn reshape(
        &mut self,
        program: &mut ProgramBuilder,
        name: &str,
        array: ValueId,
        shape: Shape,
    ) -> ValueId {
        let site = program.site(self.span);
        self.emit_one(program, name, HostOp::Reshape { array, shape, site })
    }

    /// Begins a block inside the one that is being written.
    pub fn open(&mut self) {
        self.blocks.push(OpenBlock { stmts: Vec::new(), same: self.same.len() });
    }

    /// Ends the block that was begun last.
    pub fn close(&mut self, results: Vec<HostAtom>) -> HostBlock {
        HostBlock { stmts: self.suspend().stmts, results }
    }

    /// Suspends the innermost block, to resume it once the results of its other branch are known.
    pub fn suspend(&mut self) -> SuspendedBlock {
        let block = self.blocks.pop().expect("a block is open");
        SuspendedBlock { stmts: block.stmts, same: self.same.split_off(block.same) }
    }

    /// Resumes a suspended block inside the current one.
    pub fn resume(&mut self, block: SuspendedBlock) {
        self.blocks.push(OpenBlock { stmts: block.stmts, same: self.same.len() });
        self.same.extend(block.same);
    }

    /// The function with its results.
    pub fn finish(mut self, results: Vec<HostAtom>) -> Function {
        debug_assert_eq!(self.blocks.len(), 1, "every block that was opened is closed");
        let body = self.close(results);
        Function { body, ..self.function }
    }
}

impl ProgramBuilder {
    /// A function of which there is only the signature so far: others can call it, and [`define`](Self::define) gives it its code.
    pub fn declare(&mut self, function: &FunctionBuilder) -> FunctionId {
        self.function(function.function.clone())
    }
}
