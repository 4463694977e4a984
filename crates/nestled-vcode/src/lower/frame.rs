//! Builder of host code: the function that is being written, with the known shapes and the statements that establish them.

use super::equal_extents::{EqualExtents, Extent, Mark};
use super::slot::{Descr, Form, Origin, Slot, Vector};
use super::{Lower, Lowering};
use crate::stack::ir::Var;
use crate::syntax::codes;
use crate::syntax::instr::Elem;
use nestled_ir::{
    Axis, Diagnostic, Function, HostAtom, HostOp, HostStmt, Name, Op, Scalar, ScalarType, Shape, Span, Type,
    Value, ValueId, typing,
};
use std::collections::HashMap;

/// Largest number of statements written, discarded ones included; beyond it compilation would take minutes.
const MAX_WORK: usize = 2_000_000;

/// The function that is being written.
#[derive(Debug, Default)]
pub struct Frame {
    /// The function; `function.values` is the table of its values.
    pub function: Written,
    /// The block that is being written.
    pub stmts: Vec<HostStmt>,
    /// The slot of each variable.
    pub env: Vec<Option<Slot>>,
    /// The extents known to be equal.
    pub facts: EqualExtents,
    /// The extents that the verifier knows to be equal: those for which `same` was written.
    pub said: EqualExtents,
    /// Cache of vectors reshaped to other forms.
    pub shaped: HashMap<(ValueId, Form), ValueId>,
    pub shaped_log: Vec<(ValueId, Form)>,
    /// Cache of the shapes of packed vectors, by flags and descriptor.
    pub packed: Vec<(HostAtom, Descr, Descr)>,
}

/// An empty function.
#[derive(Debug)]
pub struct Written(pub Function);

impl Default for Written {
    fn default() -> Written {
        Written(Function {
            name: "".into(),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: nestled_ir::HostBlock::default(),
            span: Span::NONE,
        })
    }
}

/// The knowledge at a place in the function, to return to.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    facts: Mark,
    said: Mark,
    shaped: usize,
    packed: usize,
}

impl Frame {
    /// Returns a mark of the present knowledge.
    pub fn known(&self) -> Known {
        let (facts, said) = (self.facts.mark(), self.said.mark());
        Known { facts, said, shaped: self.shaped_log.len(), packed: self.packed.len() }
    }

    /// Forgets the knowledge gained in a block that ends.
    pub fn forget(&mut self, known: Known) {
        self.facts.forget(known.facts);
        self.said.forget(known.said);
        for key in self.shaped_log.drain(known.shaped..) {
            self.shaped.remove(&key);
        }
        self.packed.truncate(known.packed);
    }

    /// Adds a value.
    pub fn value(&mut self, name: &Name, ty: Type, span: Span) -> ValueId {
        self.function.0.values.push(Value { name: name.clone(), ty, span });
        ValueId::from(self.function.0.values.len() - 1)
    }

    /// Returns the slot of a variable.
    ///
    /// # Panics
    /// If it is not bound: values are bound before they are used.
    pub fn slot(&self, var: Var) -> &Slot {
        self.env[var.index()].as_ref().expect("values are bound before they are used")
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.function.0.values[value.index()].ty
    }
}

/// Returns an extent as an operand.
pub fn axis_atom(axis: Axis) -> HostAtom {
    match axis {
        Axis::Const(extent) => HostAtom::Const(Scalar::Idx(extent as i64)),
        Axis::Sym(value) => HostAtom::Value(value),
    }
}

impl Lowering<'_> {
    /// Writes a statement that binds values of these names.
    pub fn emit(&mut self, names: &[&Name], op: HostOp, span: Span) -> Lower<Vec<ValueId>> {
        self.work += 1;
        if self.work > MAX_WORK {
            let message = "the functions call each other in too many ways";
            return Err(Box::new(Diagnostic::new(codes::LIMIT, message, span)));
        }
        let first = self.frame.function.0.values.len();
        let binds: Vec<ValueId> = (first..first + names.len()).map(ValueId::from).collect();
        let types = typing::host_types(self.out.program(), &self.frame.function.0, &op, &binds);
        let types = types.unwrap_or_else(|error| panic!("a statement does not fit its operands: {error:?}"));
        for (name, ty) in names.iter().zip(types) {
            self.frame.value(name, ty, span);
        }
        self.frame.stmts.push(HostStmt { binds: binds.clone(), op, span });
        Ok(binds)
    }

    /// Writes a statement that binds one value.
    pub fn emit_one(&mut self, name: &str, op: HostOp, span: Span) -> Lower<ValueId> {
        Ok(self.emit(&[&Name::from(name)], op, span)?[0])
    }

    /// Writes a scalar operation.
    pub fn scalar(&mut self, op: Op, args: Vec<HostAtom>, span: Span) -> Lower<HostAtom> {
        Ok(HostAtom::Value(self.emit_one("", HostOp::Scalar { op, args }, span)?))
    }

    /// Returns the preferred name of an axis.
    pub fn named(&mut self, axis: Axis) -> Axis {
        self.frame.facts.axis(Extent::Axis(axis)).unwrap_or(axis)
    }

    /// Makes two extents one symbol from here on, by `same`.
    pub fn same(&mut self, left: Axis, right: Axis, span: Span) -> Lower<()> {
        let (a, b) = (Extent::Axis(left), Extent::Axis(right));
        if !self.frame.said.same(a, b) {
            let site = self.out.site(span);
            self.emit(&[], HostOp::Same { left, right, site }, span)?;
            self.frame.said.unite(a, b);
        }
        self.frame.facts.unite(a, b);
        Ok(())
    }

    /// Returns the number of elements of a segmentation as an extent.
    pub fn total(&mut self, seg: ValueId, span: Span) -> Lower<Axis> {
        if let Some(axis) = self.frame.facts.axis(Extent::Total(seg)) {
            return Ok(axis);
        }
        let total = self.emit_one("n", HostOp::Size { shape: Shape::of(seg) }, span)?;
        self.frame.facts.unite(Extent::Axis(Axis::Sym(total)), Extent::Total(seg));
        Ok(Axis::Sym(total))
    }

    /// Returns the extent of a vector.
    pub fn extent(&mut self, vector: &Vector, span: Span) -> Lower<Axis> {
        match vector.form {
            Form::One => Ok(Axis::Const(1)),
            Form::Flat(axis) => Ok(axis),
            Form::Seg(seg) => self.total(seg, span),
        }
    }

    /// Returns a value that is no literal.
    pub fn as_value(&mut self, atom: HostAtom) -> ValueId {
        match atom {
            HostAtom::Value(value) => value,
            HostAtom::Const(_) => unreachable!("arrays are no literals"),
        }
    }

    /// Returns the number of segments of a segmentation.
    pub fn parent(&self, seg: ValueId) -> Axis {
        match self.frame.ty(seg) {
            Type::Seg(seg) => seg.parent.axes[0],
            Type::Array(_) | Type::Dim => unreachable!("this is a segmentation"),
        }
    }

    /// Converts an integer to an index.
    pub fn index(&mut self, atom: HostAtom, span: Span) -> Lower<HostAtom> {
        match atom {
            HostAtom::Const(scalar) => Ok(HostAtom::Const(Scalar::Idx(scalar.as_integer().unwrap_or(0)))),
            HostAtom::Value(_) => self.scalar(Op::Convert(ScalarType::Idx), vec![atom], span),
        }
    }

    /// Returns an extent as an integer of the program.
    pub fn extent_as_int(&mut self, axis: Axis, span: Span) -> Lower<Vector> {
        let axis = self.named(axis);
        let atom = match axis {
            Axis::Const(extent) => HostAtom::Const(Scalar::from_bits(self.options.int, extent)),
            Axis::Sym(_) => self.scalar(Op::Convert(self.options.int), vec![axis_atom(axis)], span)?,
        };
        Ok(Vector { elem: Elem::Int, form: Form::One, atom, origin: Origin::Extent(axis) })
    }
}
