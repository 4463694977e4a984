//! Lowering of elementwise and other instructions on vectors, except permutations, scans and reductions.

use super::point::{self, Code, InHost, InThunk};
use super::slot::{Descr, Form, Origin, Slot, Vector};
use super::{Lower, Lowering, Options, single};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Instr, Point};
use crate::syntax::listing::{Param, Superoperator};
use nestled_ir::{
    Atom, Axis, CombinatorKind, HostAtom, HostOp, Library, Op, Order, Scalar, ScalarType, Span,
};

/// Returns the form of vectors under a descriptor.
pub fn under(descr: Descr) -> Form {
    match descr {
        Descr::Single(axis) => Form::Flat(axis),
        Descr::Many { seg, .. } => Form::Seg(seg),
    }
}

/// Returns the form of vectors with one element for each segment.
pub fn per_segment(descr: Descr) -> Form {
    match descr {
        Descr::Single(_) => Form::One,
        Descr::Many { parent, .. } => Form::Flat(parent),
    }
}

/// Returns the symbols of a descriptor, as shape arguments of a kernel.
pub fn symbols(descr: Descr) -> Vec<Axis> {
    match descr {
        Descr::Single(axis) => vec![axis],
        Descr::Many { seg, parent } => vec![parent, Axis::Sym(seg)],
    }
}

/// The operation at each position.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// An instruction.
    Point(Point, Elem),
    /// A superoperator.
    Fused(&'a Superoperator),
}

impl Work<'_> {
    fn write<C: Code>(
        self,
        options: &Options,
        given: &[Option<C::Operand>],
        code: &mut C,
    ) -> Lower<C::Operand> {
        match self {
            Work::Fused(op) => point::fused(options, op, given, code),
            Work::Point(what, elem) => {
                let args: Vec<C::Operand> = given.iter().flatten().copied().collect();
                point::compute(options, (what, elem), &args, code)
            }
        }
    }
}

impl Lowering<'_> {
    /// Returns the shape arguments of a kernel over vectors of a form.
    pub fn form_symbols(&self, form: Form) -> Vec<Axis> {
        match form {
            Form::One => Vec::new(),
            Form::Flat(axis) => vec![axis],
            Form::Seg(seg) => vec![self.parent(seg), Axis::Sym(seg)],
        }
    }

    /// Chooses the form in which an elementwise instruction is done.
    fn common(&mut self, vectors: &[&Vector], wanted: Option<Descr>) -> Form {
        if vectors.iter().any(|vector| vector.form == Form::One) {
            return Form::One;
        }
        if let Some(descr) = wanted {
            return under(descr);
        }
        let seg = vectors.iter().find(|vector| matches!(vector.form, Form::Seg(_)));
        let form = seg.or(vectors.first()).map_or(Form::One, |vector| vector.form);
        match form {
            Form::Flat(axis) => Form::Flat(self.named(axis)),
            form => form,
        }
    }

    /// Writes an elementwise instruction.
    pub fn point(
        &mut self,
        (what, suffix): (Point, Elem),
        args: &[Vector],
        wanted: Option<Descr>,
        span: Span,
    ) -> Lower<Vector> {
        let (types, result) = what.signature(suffix);
        let params: Vec<Param> = types.into_iter().map(Param::Vector).collect();
        let name = Instr::Point(what, suffix).to_string();
        let args: Vec<Option<Vector>> = args.iter().copied().map(Some).collect();
        self.each_point((&params, &args), (Work::Point(what, suffix), result), &name, wanted, span)
    }

    /// Writes an operation at every position. An argument that is no vector is `None`.
    fn each_point(
        &mut self,
        (params, args): (&[Param], &[Option<Vector>]),
        (work, result): (Work<'_>, Elem),
        name: &str,
        wanted: Option<Descr>,
        span: Span,
    ) -> Lower<Vector> {
        let vectors: Vec<&Vector> = args.iter().flatten().collect();
        let form = match (vectors.is_empty(), wanted) {
            (true, Some(descr)) => under(descr),
            _ => self.common(&vectors, wanted),
        };
        let mut given = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            given.push(match (param, arg) {
                (Param::Vector(elem), Some(arg)) => Some((*elem, self.operand(arg, form, span)?)),
                (Param::Vector(_) | Param::Segdes, _) => None,
            });
        }
        let options = self.options;
        if form == Form::One {
            let given: Vec<Option<HostAtom>> = given.into_iter().map(|given| Some(given?.1)).collect();
            let atom = work.write(options, &given, &mut InHost { lowering: self, span })?;
            return Ok(Vector::new(result, form, atom));
        }
        let mut sweep = self.sweep(name, form, span);
        let mut declared = Vec::new();
        for (position, given) in given.iter().enumerate() {
            declared.push(given.map(|(elem, _)| sweep.vector(&format!("v{position}"), options.scalar(elem))));
        }
        Self::begin(&mut sweep);
        let own: Vec<Option<Atom>> = declared.into_iter().map(|vector| Some(sweep.own(vector?))).collect();
        let atom =
            work.write(options, &own, &mut InThunk { code: sweep.code(), out: &mut self.out, span })?;
        let made = sweep.map("r", atom);
        let symbols = self.form_symbols(form);
        let given = given.into_iter().flatten().map(|given| given.1).collect();
        let value = self.run(sweep, vec![made], symbols, given, span)?[0];
        Ok(Vector::new(result, form, HostAtom::Value(value)))
    }

    /// Writes a superoperator. Of its descriptors only the number of elements matters.
    pub fn fused(
        &mut self,
        number: usize,
        args: &[Slot],
        wanted: Option<Descr>,
        span: Span,
    ) -> Lower<Vector> {
        let listing = self.listing;
        let Some(op) = listing.get(number) else {
            unreachable!("undefined superoperators have been refused")
        };
        let result = op.types.last().copied().unwrap_or(Elem::Int);
        let mut vectors = Vec::new();
        let mut descrs = Vec::new();
        for arg in args {
            match arg {
                Slot::Vector(vector) => vectors.push(Some(*vector)),
                Slot::Descr(descr) => {
                    descrs.push(*descr);
                    vectors.push(None);
                }
                Slot::Pair(_) | Slot::State(..) => unreachable!("operands have been checked"),
            }
        }
        let wanted = wanted.or(descrs.first().copied());
        let name = format!("FUSED {number}");
        let made = self.each_point((&op.params, &vectors), (Work::Fused(op), result), &name, wanted, span)?;
        let extent = self.extent(&made, span)?;
        for descr in descrs {
            let total = self.descr_total(descr, span)?;
            self.same(extent, total, span)?;
        }
        Ok(made)
    }

    /// Writes `DIST`.
    pub fn dist(&mut self, elem: Elem, w: &Vector, descr: Descr, span: Span) -> Lower<Vector> {
        let given = self.shaped(w, per_segment(descr), span)?;
        if single(descr).is_some_and(|axis| self.named(axis) == Axis::Const(1)) {
            return Ok(Vector::new(elem, Form::One, given));
        }
        let form = under(descr);
        let mut sweep = self.sweep(&Instr::Dist(elem).to_string(), form, span);
        let w = sweep.per_segment("w", self.options.scalar(elem));
        Self::begin(&mut sweep);
        let w = sweep.of_segment(w);
        let dist = sweep.map("dist", w);
        let result = self.run(sweep, vec![dist], symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(result)))
    }

    /// Writes `INDEX`.
    pub fn index_instr(&mut self, a: &Vector, b: &Vector, descr: Descr, span: Span) -> Lower<Vector> {
        let given =
            vec![self.shaped(a, per_segment(descr), span)?, self.shaped(b, per_segment(descr), span)?];
        let form = under(descr);
        let int = self.options.int;
        let mut sweep = self.sweep("INDEX", form, span);
        let (a, b) = (sweep.per_segment("a", int), sweep.per_segment("b", int));
        Self::begin(&mut sweep);
        let a = sweep.of_segment(a);
        let at = sweep.at();
        let at = sweep.code().op(Op::Convert(int), &[at[at.len() - 1]]);
        let b = sweep.of_segment(b);
        let steps = sweep.code().op(Op::Mul, &[at, b]);
        let index = sweep.code().op(Op::Add, &[a, steps]);
        let index = sweep.map("index", index);
        let result = self.run(sweep, vec![index], symbols(descr), given, span)?[0];
        Ok(Vector::new(Elem::Int, form, HostAtom::Value(result)))
    }

    /// Writes `RANK_UP` or `RANK_DOWN`.
    pub fn rank(&mut self, down: bool, v: &Vector, descr: Descr, span: Span) -> Lower<Vector> {
        let form = under(descr);
        let given = self.shaped(v, form, span)?;
        let keys = self.as_value(given);
        let order = if down { Order::Descending } else { Order::Ascending };
        let ranks = self.emit_one("ranks", HostOp::Library(Library::Rank { keys, order }), span)?;
        let mut result = self.ints_of(HostAtom::Value(ranks), form, span)?;
        result.origin = Origin::RanksIn(descr);
        Ok(result)
    }

    /// Converts indices to integers of the program.
    pub fn ints_of(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<Vector> {
        let mut sweep = self.sweep("ints", form, span);
        let v = sweep.vector("v", ScalarType::Idx);
        Self::begin(&mut sweep);
        let v = sweep.own(v);
        let int = sweep.code().op(Op::Convert(self.options.int), &[v]);
        let ints = sweep.map("ints", int);
        let symbols = self.form_symbols(form);
        let result = self.run(sweep, vec![ints], symbols, vec![atom], span)?[0];
        Ok(Vector::new(Elem::Int, form, HostAtom::Value(result)))
    }

    /// Writes `PACK`.
    pub fn pack(
        &mut self,
        elem: Elem,
        (v, f): (&Vector, &Vector),
        descr: Descr,
        span: Span,
    ) -> Lower<(Vector, Descr)> {
        let form = under(descr);
        let given = vec![self.shaped(v, form, span)?, self.shaped(f, form, span)?];
        let flags = given[1];
        let mut sweep = self.sweep(&Instr::Pack(elem).to_string(), form, span);
        let (v, f) = (sweep.vector("v", self.options.scalar(elem)), sweep.vector("f", ScalarType::Bool));
        Self::begin(&mut sweep);
        let f = sweep.own(f);
        let p = sweep.map("p", f);
        sweep.again();
        let v = sweep.own(v);
        let kind = CombinatorKind::Filter { within: sweep.outer() };
        let packed = sweep.kernel.end("pack", kind, Some(p), vec![v]);
        sweep.kernel.rename(packed[0], "kept");
        let binds = self.run(sweep, packed, symbols(descr), given, span)?;
        let made = match descr {
            Descr::Single(_) => Descr::Single(Axis::Sym(binds[0])),
            Descr::Many { parent, .. } => Descr::Many { seg: binds[0], parent },
        };
        // What is packed by the same flags has the same shape, and is known to.
        let same = |entry: &&(HostAtom, Descr, Descr)| entry.0 == flags && entry.1 == descr;
        let kept = match self.frame.packed.iter().find(same).map(|entry| entry.2) {
            None => {
                self.frame.packed.push((flags, descr, made));
                made
            }
            Some(earlier) => {
                match (earlier, made) {
                    (Descr::Single(left), Descr::Single(right)) => self.same(left, right, span)?,
                    (Descr::Many { seg: left, .. }, Descr::Many { seg: right, .. }) => {
                        self.same_segs(left, right, span)?;
                    }
                    (Descr::Single(_), Descr::Many { .. }) | (Descr::Many { .. }, Descr::Single(_)) => {}
                }
                earlier
            }
        };
        Ok((Vector::new(elem, under(kept), HostAtom::Value(binds[1])), kept))
    }

    /// Writes `CONST`.
    pub fn constant(&mut self, constant: &Constant, span: Span) -> Lower<Slot> {
        let int = |value: &i64| Scalar::from_bits(self.options.int, *value as u64);
        let scalars: Vec<Scalar> = match constant {
            Constant::Ints(all) | Constant::Segdes(all) => all.iter().map(int).collect(),
            Constant::Bools(all) => all.iter().map(|&value| Scalar::Bool(value)).collect(),
            Constant::Floats(all) if self.options.float == ScalarType::F32 => {
                all.iter().map(|&value| Scalar::F32(value as f32)).collect()
            }
            Constant::Floats(all) => all.iter().map(|&value| Scalar::F64(value)).collect(),
        };
        if let (Constant::Segdes(_), [length]) = (constant, &scalars[..]) {
            let extent = length.as_integer().unwrap_or(0).max(0) as u64;
            return Ok(Slot::Descr(Descr::Single(Axis::Const(extent))));
        }
        let elem = constant.elem().unwrap_or(Elem::Int);
        let vector = if let [scalar] = scalars[..] {
            Vector::new(elem, Form::One, HostAtom::Const(scalar))
        } else {
            let extent = scalars.len() as u64;
            let ty = self.options.scalar(elem);
            let op = HostOp::Literal { elem: ty, extents: vec![extent], elements: scalars };
            let value = self.emit_one("", op, span)?;
            Vector::new(elem, Form::Flat(Axis::Const(extent)), HostAtom::Value(value))
        };
        match constant {
            Constant::Segdes(_) => Ok(Slot::Descr(self.make_segdes(&vector, span)?)),
            Constant::Ints(_) | Constant::Floats(_) | Constant::Bools(_) => Ok(Slot::Vector(vector)),
        }
    }
}
