//! Builder of host code: statements of the λcu function that is being written.

use super::Emitter;
use nestled_ir::{
    Axis, Diagnostic, HostAtom, HostOp, Scalar, ScalarType, Shape, SiteId, Span, Type, ValueId,
};

/// Returns an extent as an operand.
pub(super) fn axis_atom(axis: Axis) -> HostAtom {
    match axis {
        Axis::Const(extent) => HostAtom::Const(Scalar::Idx(extent as i64)),
        Axis::Sym(value) => HostAtom::Value(value),
    }
}

/// Returns the shape of a level.
pub(super) fn level_shape(chain: &[Axis]) -> Shape {
    chain.last().map_or(Shape::SCALAR, |axis| Shape::new([*axis]))
}

/// The type of an array of positions over a chain.
pub(super) fn idx_array(chain: &[Axis]) -> Type {
    Type::dense(ScalarType::Idx, level_shape(chain))
}

impl Emitter<'_> {
    /// Makes a fault site.
    pub fn site(&mut self, code: crate::fault::FaultCode, span: Span) -> SiteId {
        self.out.sites.add(code, self.origin.order);
        self.out.program.site(span)
    }

    /// Writes a statement and returns the values that it binds.
    pub fn emit(&mut self, name: &str, op: HostOp, count: usize) -> Vec<ValueId> {
        self.f.span = self.origin.span;
        self.f.emit(&self.out.program, &vec![name; count], op)
    }

    pub fn emit_one(&mut self, name: &str, op: HostOp) -> ValueId {
        self.emit(name, op, 1)[0]
    }

    /// Returns the number of points of a level.
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

    /// Makes a segmentation from lengths; a negative length faults.
    pub fn segments(&mut self, lengths: HostAtom, code: crate::fault::FaultCode) -> Axis {
        let site = self.site(code, self.origin.span);
        Axis::Sym(self.emit_one("seg", HostOp::Segments { lengths: array(lengths), site }))
    }

    /// Returns the segmentation with explicit offsets.
    pub fn widened(&mut self, axis: Axis) -> Axis {
        let Axis::Sym(seg) = axis else { return axis };
        let regular = self.f.ty(seg).as_seg().is_some_and(|ty| ty.form == nestled_ir::Form::Regular);
        if !regular {
            return axis;
        }
        let wide = self.emit_one("seg", HostOp::Widen { seg });
        self.f.unite(wide, axis);
        Axis::Sym(wide)
    }

    /// States that two axes are equal, which is checked; they are one from here on.
    pub fn make_same(&mut self, kept: Axis, other: Axis, code: crate::fault::FaultCode) {
        let site = self.site(code, self.origin.span);
        self.emit("", HostOp::Same { left: kept, right: other, site }, 0);
        let (kept, other) = (self.f.canonical(kept), self.f.canonical(other));
        match (kept, other) {
            (kept, Axis::Sym(other)) => self.f.unite(other, kept),
            (Axis::Sym(kept), Axis::Const(_)) => self.f.unite(kept, other),
            (Axis::Const(_), Axis::Const(_)) => {}
        }
    }

    /// Makes an extent of a number; a negative one faults.
    pub fn dim(&mut self, extent: HostAtom, code: crate::fault::FaultCode) -> Axis {
        if let HostAtom::Const(Scalar::Idx(known)) = extent
            && known >= 0
        {
            return Axis::Const(known as u64);
        }
        let site = self.site(code, self.origin.span);
        Axis::Sym(self.emit_one("n", HostOp::Dim { extent, site }))
    }

    /// Reshapes an array to another shape with the same number of points.
    pub fn reshape(&mut self, value: HostAtom, shape: Shape, code: crate::fault::FaultCode) -> HostAtom {
        let site = self.site(code, self.origin.span);
        HostAtom::Value(self.emit_one("", HostOp::Reshape { array: array(value), shape, site }))
    }

    /// Writes a scalar operation of host code; folds constants.
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

    /// Returns the type of a scalar operand.
    pub fn host_type(&self, atom: HostAtom) -> ScalarType {
        match atom {
            HostAtom::Const(scalar) => scalar.ty(),
            HostAtom::Value(value) => match self.f.ty(value) {
                Type::Array(array) => array.elem,
                Type::Dim | Type::Seg(_) => ScalarType::Idx,
            },
        }
    }

    /// Returns the error that the program is too large.
    pub fn too_large(&self, what: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::new("N0205", format!("the program is too large: {what}"), self.origin.span))
    }
}

/// Returns an array operand.
pub(super) fn array(atom: HostAtom) -> ValueId {
    match atom {
        HostAtom::Value(value) => value,
        HostAtom::Const(scalar) => unreachable!("{scalar:?} is no array"),
    }
}
