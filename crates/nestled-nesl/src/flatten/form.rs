//! Layouts of values at control-flow joins of host code: the ends of branches, and function calls.

use super::Emitter;
use super::host::{array, level_shape};
use super::val::{At, Base, Leaf, Place, Val};
use crate::fault::FaultCode;
use nestled_ir::build::FunctionBuilder;
use nestled_ir::{Axis, Form, HostAtom, HostOp, Scalar, ScalarType, Type, ValueId};
use std::rc::Rc;

/// The symbols of equal shapes among results: one, or one for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shapes {
    Shared,
    Apart,
}

/// The layout of a value: its type, level, and whether sequences are views.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Sig {
    Scalar {
        level: usize,
        ty: ScalarType,
    },
    Tuple(Vec<Sig>),
    /// Sequences; all parts of the elements have one level.
    Seq {
        level: usize,
        view: bool,
        elem: Box<Sig>,
    },
}

impl Sig {
    /// Returns the layout with all parts moved to one level.
    pub fn at(&self, level: usize) -> Sig {
        match self {
            Sig::Scalar { ty, .. } => Sig::Scalar { level, ty: *ty },
            Sig::Tuple(parts) => Sig::Tuple(parts.iter().map(|part| part.at(level)).collect()),
            Sig::Seq { elem, .. } => Sig::Seq { level, view: false, elem: Box::new(elem.at(level + 1)) },
        }
    }

    /// Returns the least layout to which both can be converted.
    pub fn join(a: &Sig, b: &Sig) -> Sig {
        match (a, b) {
            (Sig::Scalar { level, ty }, Sig::Scalar { level: other, .. }) => {
                Sig::Scalar { level: *level.max(other), ty: *ty }
            }
            (Sig::Tuple(a), Sig::Tuple(b)) => {
                Sig::Tuple(a.iter().zip(b).map(|(a, b)| Sig::join(a, b)).collect())
            }
            (Sig::Seq { level, elem, .. }, Sig::Seq { level: other, .. }) => {
                let level = *level.max(other);
                Sig::Seq { level, view: false, elem: Box::new(elem.at(level + 1)) }
            }
            _ => unreachable!("both have one type"),
        }
    }
}

impl Emitter<'_> {
    /// Returns the layout of a value.
    pub fn sig(&self, val: &Val) -> Sig {
        match val {
            Val::Scalar(leaf) => Sig::Scalar { level: leaf.level, ty: leaf.ty },
            Val::Tuple(parts) => Sig::Tuple(parts.iter().map(|part| self.sig(part)).collect()),
            Val::Seq(seq) => {
                let (view, elems) = match &seq.place {
                    Place::Dense(elems) => (false, elems),
                    Place::View { base, .. } => (true, &base.elems),
                };
                let under = if view { 1 } else { seq.level + 1 };
                let elem = self.sig(elems).at(under);
                Sig::Seq { level: seq.level, view, elem: Box::new(elem) }
            }
        }
    }

    /// Returns the layout of a type with all parts at one level.
    pub fn sig_of_type(&self, ty: crate::core::Ty, level: usize) -> Sig {
        match self.shape_of(ty) {
            super::TypeShape::Scalar(ty) => Sig::Scalar { level, ty },
            super::TypeShape::Tuple(parts) => {
                Sig::Tuple(parts.into_iter().map(|part| self.sig_of_type(part, level)).collect())
            }
            super::TypeShape::Seq(element) => {
                Sig::Seq { level, view: false, elem: Box::new(self.sig_of_type(element, level + 1)) }
            }
        }
    }

    /// Converts a value to a layout.
    pub fn convert(&mut self, val: &Val, sig: &Sig, chain: &[Axis]) -> Val {
        match (val, sig) {
            (Val::Tuple(parts), Sig::Tuple(sigs)) => {
                Val::tuple(parts.iter().zip(sigs).map(|(part, sig)| self.convert(part, sig, chain)).collect())
            }
            (Val::Seq(seq), Sig::Seq { view: true, level, .. }) => {
                let Place::View { starts, base } = &seq.place else { unreachable!("it is a view") };
                let elems = self.solid(&base.elems, &[base.extent]);
                let base = Rc::new(Base { extent: base.extent, elems });
                let starts = Leaf { at: At::Host(self.resolve(starts)), ..starts.clone() };
                let shape = if *level == 0 { seq.shape } else { self.widened(seq.shape) };
                Val::seq(*level, shape, Place::View { starts, base })
            }
            (_, Sig::Scalar { level, .. } | Sig::Seq { level, .. }) => self.solid(val, &chain[..*level]),
            _ => unreachable!("the layout is that of another type"),
        }
    }

    /// Appends the parts of a value in its layout, shapes before the arrays over them. `chain` names the axes exactly.
    pub fn pack(&mut self, val: &Val, sig: &Sig, results: &mut Vec<HostAtom>) {
        let chain = self.scope.chain.clone();
        self.pack_under(val, sig, &chain, results);
    }

    /// The parts of a value in its layout, where no two shapes are one symbol.
    pub fn pack_apart(&mut self, val: &Val, sig: &Sig) -> Vec<HostAtom> {
        let chain = self.scope.chain.clone();
        let val = self.convert(val, sig, &chain);
        let mut results = Vec::new();
        self.pack_parts(&val, sig, &chain, Shapes::Apart, &mut results);
        results
    }

    /// The symbol for a shape: another one, if it stands in the results already and must not.
    fn symbol(&mut self, shape: ValueId, shapes: Shapes, results: &[HostAtom]) -> ValueId {
        if shapes == Shapes::Shared || !results.contains(&HostAtom::Value(shape)) {
            return shape;
        }
        if self.f.ty(shape).as_seg().is_none() {
            let site = self.site(FaultCode::Limit, self.origin.span);
            return self.emit_one("n", HostOp::Dim { extent: HostAtom::Value(shape), site });
        }
        let lengths = HostAtom::Value(self.emit_one("lengths", HostOp::Lengths { seg: shape }));
        match self.segments(lengths, FaultCode::Limit) {
            Axis::Sym(new) => new,
            Axis::Const(extent) => unreachable!("{extent} is no segmentation"),
        }
    }

    pub fn pack_under(&mut self, val: &Val, sig: &Sig, chain: &[Axis], results: &mut Vec<HostAtom>) {
        self.pack_parts(val, sig, chain, Shapes::Shared, results);
    }

    fn pack_parts(
        &mut self,
        val: &Val,
        sig: &Sig,
        chain: &[Axis],
        shapes: Shapes,
        results: &mut Vec<HostAtom>,
    ) {
        match (val, sig) {
            (Val::Tuple(parts), Sig::Tuple(sigs)) => {
                for (part, sig) in parts.iter().zip(sigs) {
                    self.pack_parts(part, sig, chain, shapes, results);
                }
            }
            (Val::Scalar(leaf), Sig::Scalar { level, .. }) => {
                let atom = self.resolve(leaf);
                results.push(self.exactly(atom, &chain[..*level]));
            }
            (Val::Seq(seq), Sig::Seq { level, view, elem }) => {
                let shape = self.exact_shape(seq.shape, &chain[..*level]);
                let shape = self.symbol(shape, shapes, results);
                results.push(HostAtom::Value(shape));
                let mut inner = chain[..*level].to_vec();
                inner.push(Axis::Sym(shape));
                match &seq.place {
                    Place::Dense(elems) => self.pack_parts(elems, elem, &inner, shapes, results),
                    Place::View { starts, base } => {
                        debug_assert!(*view, "a view in a dense place");
                        let starts = self.resolve(starts);
                        results.push(self.exactly(starts, &chain[..*level]));
                        let extent = self.exact_shape(base.extent, &[]);
                        let extent = self.symbol(extent, shapes, results);
                        results.push(HostAtom::Value(extent));
                        self.pack_parts(&base.elems, elem, &[Axis::Sym(extent)], shapes, results);
                    }
                }
            }
            _ => unreachable!("the layout is that of another type"),
        }
    }

    /// Returns an array over exactly this axis.
    fn exactly(&mut self, atom: HostAtom, chain: &[Axis]) -> HostAtom {
        let wanted = level_shape(chain);
        if wanted.is_scalar() {
            return atom;
        }
        let found = self.f.ty(array(atom)).as_array().expect("arrays have shapes").shape.clone();
        if found == wanted { atom } else { self.reshape(atom, wanted, FaultCode::Limit) }
    }

    /// Returns a shape as a symbol: an extent, or a segmentation of exactly this level.
    pub fn exact_shape(&mut self, axis: Axis, chain: &[Axis]) -> ValueId {
        match axis {
            Axis::Const(extent) => {
                let site = self.site(FaultCode::Limit, self.origin.span);
                let extent = HostAtom::Const(Scalar::Idx(extent as i64));
                let symbol = self.emit_one("n", HostOp::Dim { extent, site });
                self.f.unite(symbol, axis);
                let site = self.site(FaultCode::Limit, self.origin.span);
                self.emit("", HostOp::Same { left: axis, right: Axis::Sym(symbol), site }, 0);
                symbol
            }
            Axis::Sym(symbol) => {
                let parent = self.f.ty(symbol).as_seg().map(|seg| seg.parent.clone());
                match parent {
                    Some(parent) if parent != level_shape(chain) => {
                        let lengths =
                            HostAtom::Value(self.emit_one("lengths", HostOp::Lengths { seg: symbol }));
                        let lengths = self.reshape(lengths, level_shape(chain), FaultCode::Limit);
                        match self.segments(lengths, FaultCode::Limit) {
                            Axis::Sym(new) => new,
                            Axis::Const(extent) => unreachable!("{extent} is no segmentation"),
                        }
                    }
                    _ => symbol,
                }
            }
        }
    }

    /// Rebuilds a value from its parts.
    pub fn unpack(&mut self, sig: &Sig, chain: &[Axis], parts: &mut dyn Iterator<Item = ValueId>) -> Val {
        match sig {
            Sig::Scalar { level, ty } => {
                Val::host(*level, *ty, HostAtom::Value(parts.next().expect("a part for each scalar")))
            }
            Sig::Tuple(sigs) => Val::tuple(sigs.iter().map(|sig| self.unpack(sig, chain, parts)).collect()),
            Sig::Seq { level, view, elem } => {
                let mut next = || parts.next().expect("parts for each sequence");
                let shape = Axis::Sym(next());
                if *view {
                    let starts =
                        Leaf { level: *level, ty: ScalarType::Idx, at: At::Host(HostAtom::Value(next())) };
                    let extent = Axis::Sym(next());
                    let elems = self.unpack(elem, &[extent], parts);
                    let base = Rc::new(Base { extent, elems });
                    return Val::seq(*level, shape, Place::View { starts, base });
                }
                let mut inner = chain[..*level].to_vec();
                inner.push(shape);
                Val::seq(*level, shape, Place::Dense(self.unpack(elem, &inner, parts)))
            }
        }
    }
}

/// Declares the parts of a value in a function, in order, and appends them to `parts`.
pub(super) fn declare(f: &mut FunctionBuilder, sig: &Sig, chain: &[Axis], parts: &mut Vec<ValueId>) {
    match sig {
        Sig::Scalar { level, ty } => {
            parts.push(f.value("", Type::dense(*ty, level_shape(&chain[..*level]))));
        }
        Sig::Tuple(sigs) => sigs.iter().for_each(|sig| declare(f, sig, chain, parts)),
        Sig::Seq { level, view, elem } => {
            let ty = match level {
                0 => Type::Dim,
                level => Type::seg(level_shape(&chain[..*level]), Form::Offsets),
            };
            let shape = f.value("", ty);
            parts.push(shape);
            if *view {
                parts.push(f.value("", Type::dense(ScalarType::Idx, level_shape(&chain[..*level]))));
                let extent = f.value("", Type::Dim);
                parts.push(extent);
                return declare(f, elem, &[Axis::Sym(extent)], parts);
            }
            let mut inner = chain[..*level].to_vec();
            inner.push(Axis::Sym(shape));
            declare(f, elem, &inner, parts);
        }
    }
}

/// True if a part is a shape; shapes are passed apart from the others.
pub(super) fn is_shape(f: &FunctionBuilder, value: ValueId) -> bool {
    f.ty(value).is_shape()
}
