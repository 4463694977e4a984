//! Instructions on vectors, other than movements of elements, scans and reductions.

use super::point;
use super::slot::{Descr, Form, Origin, Slot, Vector};
use super::{Lower, Lowering};
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Instr, Point};
use crate::syntax::listing::Param;
use nestled_ir::{Axis, HostAtom, HostOp, Library, Order, Scalar, ScalarType, Span};

/// The words of λcu that name a space.
#[derive(Clone, Copy)]
pub struct Space {
    /// Shape parameters of the kernel.
    pub shapes: &'static str,
    /// `over …`
    pub over: &'static str,
    /// `map { i =>`
    pub map: &'static str,
    /// The own coordinates.
    pub at: &'static str,
    /// A read at the own coordinates.
    pub own: &'static str,
    /// The shape of arrays.
    pub ty: &'static str,
}

/// The space of vectors of a form.
pub fn space(form: Form) -> Space {
    match form {
        Form::One => Space { shapes: "", over: "", map: "once { =>", at: "", own: "", ty: "" },
        Form::Flat(_) => {
            Space { shapes: "<n>", over: "over n", map: "map { i =>", at: "i", own: "[i proved]", ty: "[n]" }
        }
        Form::Seg(_) => Space {
            shapes: "<m, s: seg[m]>",
            over: "over m, s",
            map: "map { i, j =>",
            at: "i, j",
            own: "[i proved, j proved]",
            ty: "[s]",
        },
    }
}

/// The form of vectors under a descriptor.
pub fn under(descr: Descr) -> Form {
    match descr {
        Descr::Single(axis) => Form::Flat(axis),
        Descr::Many { seg, .. } => Form::Seg(seg),
    }
}

/// The form of vectors with one element for each segment.
pub fn per_segment(descr: Descr) -> Form {
    match descr {
        Descr::Single(_) => Form::One,
        Descr::Many { parent, .. } => Form::Flat(parent),
    }
}

/// The symbols of a form, as shape arguments of a kernel.
pub fn symbols(descr: Descr) -> Vec<Axis> {
    match descr {
        Descr::Single(axis) => vec![axis],
        Descr::Many { seg, parent } => vec![parent, Axis::Sym(seg)],
    }
}

impl Lowering<'_> {
    /// The shape arguments of a kernel over vectors of a form.
    pub fn form_symbols(&self, form: Form) -> Vec<Axis> {
        match form {
            Form::One => Vec::new(),
            Form::Flat(axis) => vec![axis],
            Form::Seg(seg) => vec![self.parent(seg), Axis::Sym(seg)],
        }
    }

    /// The form in which an elementwise instruction is done.
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

    /// An elementwise instruction.
    pub fn point(
        &mut self,
        (what, suffix): (Point, Elem),
        args: &[Vector],
        wanted: Option<Descr>,
        span: Span,
    ) -> Lower<Vector> {
        let (types, result) = what.signature(suffix);
        let params: Vec<Param> = types.into_iter().map(Param::Vector).collect();
        let names: Vec<String> = (0..args.len()).map(|position| format!("a{position}")).collect();
        let mut lines = String::new();
        point::lines(self.options, what, suffix, &names, "r", &mut lines);
        let name = Instr::Point(what, suffix).to_string();
        let args: Vec<Option<Vector>> = args.iter().copied().map(Some).collect();
        self.each_point((&params, &args), (&lines, "r", result), &name, wanted, span)
    }

    /// Lines that are run at every position. Where there is no vector, `args` has nothing.
    fn each_point(
        &mut self,
        (params, args): (&[Param], &[Option<Vector>]),
        (lines, last, result): (&str, &str, Elem),
        name: &str,
        wanted: Option<Descr>,
        span: Span,
    ) -> Lower<Vector> {
        let vectors: Vec<&Vector> = args.iter().flatten().collect();
        let form = match (vectors.is_empty(), wanted) {
            (true, Some(descr)) => under(descr),
            _ => self.common(&vectors, wanted),
        };
        let space = space(form);
        let mut given = Vec::new();
        let (mut declared, mut reads) = (Vec::new(), String::new());
        for (position, (param, arg)) in params.iter().zip(args).enumerate() {
            if let (Param::Vector(elem), Some(arg)) = (param, arg) {
                given.push(self.operand(arg, form, span)?);
                let ty = self.options.scalar(*elem);
                if form == Form::One {
                    declared.push(format!("a{position}: {ty}"));
                } else {
                    declared.push(format!("v{position}: {}{ty}", space.ty));
                    reads.push_str(&format!("a{position} = v{position}{}\n", space.own));
                }
            }
        }
        let declared = declared.join(", ");
        let atom = if form == Form::One {
            let ty = self.options.scalar(result);
            self.splice(format!("fn f({declared}) -> {ty} {{\n{lines}ret {last}\n}}"), &given, span)?[0]
        } else {
            let Space { shapes, over, map, .. } = space;
            let text = format!(
                "kernel k{shapes}({declared}) {over} {{\nr = {map}\n{reads}{lines}{last}\n}}\nret r\n}}"
            );
            let symbols = self.form_symbols(form);
            HostAtom::Value(self.run(text, name, symbols, given, span)?[0])
        };
        Ok(Vector::new(result, form, atom))
    }

    /// A superoperator. Of its descriptors only how many elements they describe counts.
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
        let mut lines = String::new();
        let last = point::fused(self.options, op, &mut lines);
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
        let made = self.each_point((&op.params, &vectors), (&lines, &last, result), &name, wanted, span)?;
        let extent = self.extent(&made, span)?;
        for descr in descrs {
            let total = self.descr_total(descr, span)?;
            self.same(extent, total, span)?;
        }
        Ok(made)
    }

    /// `DIST`
    pub fn dist(&mut self, elem: Elem, w: &Vector, descr: Descr, span: Span) -> Lower<Vector> {
        let given = self.shaped(w, per_segment(descr), span)?;
        let ty = self.options.scalar(elem);
        let (form, text) = match descr {
            Descr::Single(axis) => {
                if self.named(axis) == Axis::Const(1) {
                    return Ok(Vector::new(elem, Form::One, given));
                }
                let text = format!("kernel k<n>(w: {ty}) over n {{\ndist = map {{ i => w }}\nret dist\n}}");
                (Form::Flat(axis), text)
            }
            Descr::Many { seg, .. } => (
                Form::Seg(seg),
                format!(
                    "kernel k<m, s: seg[m]>(w: [m]{ty}) over m, s {{\ndist = map {{ i, j => w[i proved] }}\nret dist\n}}"
                ),
            ),
        };
        let name = Instr::Dist(elem).to_string();
        let result = self.run(text, &name, symbols(descr), vec![given], span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(result)))
    }

    /// `INDEX`
    pub fn index_instr(&mut self, a: &Vector, b: &Vector, descr: Descr, span: Span) -> Lower<Vector> {
        let given =
            vec![self.shaped(a, per_segment(descr), span)?, self.shaped(b, per_segment(descr), span)?];
        let form = under(descr);
        let int = self.options.int;
        let text = match descr {
            Descr::Single(_) => format!(
                "kernel k<n>(a: {int}, b: {int}) over n {{\nindex = map {{ i => add a (mul ({int} i) b) }}\nret index\n}}"
            ),
            Descr::Many { .. } => format!(
                "kernel k<m, s: seg[m]>(a: [m]{int}, b: [m]{int}) over m, s {{\n\
                 index = map {{ i, j => add a[i proved] (mul ({int} j) b[i proved]) }}\nret index\n}}"
            ),
        };
        let result = self.run(text, "INDEX", symbols(descr), given, span)?[0];
        Ok(Vector::new(Elem::Int, form, HostAtom::Value(result)))
    }

    /// `RANK_UP`, `RANK_DOWN`
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

    /// Indices as integers of the program.
    pub fn ints_of(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<Vector> {
        let Space { shapes, over, map, own, ty, .. } = space(form);
        let int = self.options.int;
        let text =
            format!("kernel k{shapes}(v: {ty}idx) {over} {{\nints = {map} {int} v{own} }}\nret ints\n}}");
        let symbols = self.form_symbols(form);
        let result = self.run(text, "ints", symbols, vec![atom], span)?[0];
        Ok(Vector::new(Elem::Int, form, HostAtom::Value(result)))
    }

    /// `PACK`
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
        let Space { shapes, over, map, at, own, ty } = space(form);
        let scalar = self.options.scalar(elem);
        let within = if matches!(descr, Descr::Many { .. }) { "@1" } else { "@0" };
        let text = format!(
            "kernel k{shapes}(v: {ty}{scalar}, f: {ty}bool) {over} {{\np = {map} f{own} }}\n\
             (kept, pack) = filter {within} where p {{ {at} => v{own} }}\nret kept, pack\n}}"
        );
        let name = Instr::Pack(elem).to_string();
        let binds = self.run(text, &name, symbols(descr), given, span)?;
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

    /// `CONST`
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
