//! The function that is being written.

use super::{Flattener, Stop};
use nestled_ir::{
    Axis, Function, HostAtom, HostBlock, HostOp, HostStmt, Name, Scalar, ScalarType, Shape, SiteId, Span,
    Type, Value, ValueId, typing,
};

/// The function that is being written.
#[derive(Debug)]
pub(super) struct Written {
    pub function: Function,
    /// The block that is being written.
    pub stmts: Vec<HostStmt>,
    /// Extents and segmentations that `same` made one, in order; a block that ends forgets its own.
    pub same: Vec<(ValueId, Axis)>,
}

impl Written {
    pub fn new(name: &str, span: Span) -> Written {
        let function = Function {
            name: Name::from(name),
            values: Vec::new(),
            shapes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: HostBlock::default(),
            span,
        };
        Written { function, stmts: Vec::new(), same: Vec::new() }
    }

    pub fn value(&mut self, name: &str, ty: Type, span: Span) -> ValueId {
        self.function.values.push(Value { name: Name::from(name), ty, span });
        ValueId::from(self.function.values.len() - 1)
    }

    pub fn ty(&self, value: ValueId) -> &Type {
        &self.function.values[value.index()].ty
    }

    /// The first name of an axis.
    pub fn canonical(&self, mut axis: Axis) -> Axis {
        while let Axis::Sym(symbol) = axis {
            match self.same.iter().rev().find(|(from, _)| *from == symbol) {
                Some((_, to)) => axis = *to,
                None => break,
            }
        }
        axis
    }
}

/// An extent as an operand.
pub(super) fn axis_atom(axis: Axis) -> HostAtom {
    match axis {
        Axis::Const(extent) => HostAtom::Const(Scalar::Idx(extent as i64)),
        Axis::Sym(value) => HostAtom::Value(value),
    }
}

/// The shape of a level.
pub(super) fn level_shape(chain: &[Axis]) -> Shape {
    chain.last().map_or(Shape::SCALAR, |axis| Shape::new([*axis]))
}

impl Flattener<'_> {
    /// A place that can fault.
    pub fn site(&mut self, code: crate::fault::FaultCode, span: Span) -> SiteId {
        self.out.sites.push(span);
        self.codes.push(code);
        self.keys.push(self.order);
        SiteId::from(self.codes.len() - 1)
    }

    /// Writes a statement, and gives what it binds.
    pub fn emit(&mut self, name: &str, op: HostOp, count: usize) -> Vec<ValueId> {
        let span = self.span;
        let first = self.f.function.values.len();
        let binds: Vec<ValueId> = (first..first + count).map(ValueId::from).collect();
        let types = typing::host_types(&self.out, &self.f.function, &op, &binds);
        let types = types.unwrap_or_else(|error| panic!("{op:?} does not fit its operands: {error:?}"));
        for ty in types {
            self.f.value(name, ty, span);
        }
        self.f.stmts.push(HostStmt { binds: binds.clone(), op, span });
        binds
    }

    pub fn emit_one(&mut self, name: &str, op: HostOp) -> ValueId {
        self.emit(name, op, 1)[0]
    }

    /// How many points a level has.
    pub fn size(&mut self, chain: &[Axis]) -> Axis {
        match chain {
            [] => Axis::Const(1),
            [only] => *only,
            _ => {
                let shape = level_shape(chain);
                Axis::Sym(self.emit_one("size", HostOp::Size { shape }))
            }
        }
    }

    /// A segmentation from lengths, which are not negative.
    pub fn segments(&mut self, lengths: HostAtom, code: crate::fault::FaultCode) -> Axis {
        let site = self.site(code, self.span);
        Axis::Sym(self.emit_one("seg", HostOp::Segments { lengths: array(lengths), site }))
    }

    /// The segmentation with offsets.
    pub fn widened(&mut self, axis: Axis) -> Axis {
        let Axis::Sym(seg) = axis else { return axis };
        let regular = self.f.ty(seg).as_seg().is_some_and(|ty| ty.form == nestled_ir::Form::Regular);
        if !regular {
            return axis;
        }
        let wide = self.emit_one("seg", HostOp::Widen { seg });
        self.f.same.push((wide, axis));
        Axis::Sym(wide)
    }

    /// From here on two axes are one.
    pub fn make_same(&mut self, kept: Axis, other: Axis, code: crate::fault::FaultCode) {
        let site = self.site(code, self.span);
        self.emit("", HostOp::Same { left: kept, right: other, site }, 0);
        let (kept, other) = (self.f.canonical(kept), self.f.canonical(other));
        match (kept, other) {
            (kept, Axis::Sym(other)) if kept != Axis::Sym(other) => self.f.same.push((other, kept)),
            (Axis::Sym(kept), other @ Axis::Const(_)) => self.f.same.push((kept, other)),
            _ => {}
        }
    }

    /// A number as an extent.
    pub fn dim(&mut self, extent: HostAtom, code: crate::fault::FaultCode) -> Axis {
        if let HostAtom::Const(Scalar::Idx(known)) = extent
            && known >= 0
        {
            return Axis::Const(known as u64);
        }
        let site = self.site(code, self.span);
        Axis::Sym(self.emit_one("n", HostOp::Dim { extent, site }))
    }

    /// The same elements under another shape, which has as many points.
    pub fn reshape(&mut self, value: HostAtom, shape: Shape, code: crate::fault::FaultCode) -> HostAtom {
        let site = self.site(code, self.span);
        HostAtom::Value(self.emit_one("", HostOp::Reshape { array: array(value), shape, site }))
    }

    /// A scalar operation of host code.
    pub fn host_op(&mut self, op: nestled_ir::Op, args: Vec<HostAtom>) -> HostAtom {
        let known: Option<Vec<Scalar>> = args
            .iter()
            .map(|arg| match arg {
                HostAtom::Const(scalar) => Some(*scalar),
                HostAtom::Value(_) => None,
            })
            .collect();
        if let Some(known) = known {
            return HostAtom::Const(nestled_ir::interp::eval_op(op, &known));
        }
        HostAtom::Value(self.emit_one("", HostOp::Scalar { op, args }))
    }

    /// The type of a scalar operand.
    pub fn host_type(&self, atom: HostAtom) -> ScalarType {
        match atom {
            HostAtom::Const(scalar) => scalar.ty(),
            HostAtom::Value(value) => match self.f.ty(value) {
                Type::Array(array) => array.elem,
                _ => ScalarType::Idx,
            },
        }
    }

    /// Begins a block of host code inside the one that is being written.
    pub fn open(&mut self) -> Outer {
        Outer {
            stmts: std::mem::take(&mut self.f.stmts),
            same: self.f.same.len(),
            resolved: self.resolutions.len(),
            finished: self.finished.len(),
        }
    }

    /// Ends it; what was computed in it is not there any more.
    pub fn close(&mut self, outer: Outer) -> Vec<HostStmt> {
        self.f.same.truncate(outer.same);
        for id in self.resolutions.split_off(outer.resolved) {
            self.pendings[id].result = None;
        }
        for group in self.finished.split_off(outer.finished) {
            self.groups[group].done = false;
        }
        std::mem::replace(&mut self.f.stmts, outer.stmts)
    }

    /// Says that the program is too large for us.
    pub fn too_large(&mut self, what: &str) -> Stop {
        let diagnostic =
            nestled_ir::Diagnostic::new("N0205", format!("the program is too large: {what}"), self.span);
        self.failure.get_or_insert(diagnostic);
        Stop
    }
}

/// What was being written before a block began.
pub(super) struct Outer {
    stmts: Vec<HostStmt>,
    pub same: usize,
    resolved: usize,
    finished: usize,
}

/// An array operand.
pub(super) fn array(atom: HostAtom) -> ValueId {
    match atom {
        HostAtom::Value(value) => value,
        HostAtom::Const(scalar) => unreachable!("{scalar:?} is no array"),
    }
}
