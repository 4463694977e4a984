//! Vectors in other shapes.
//!
//! An instruction takes vectors of as many elements, which may be cut in different ways. Unless it is known that there are as many, it is said (`same`, or a
//! reshape), and faults where it is not so. Without checks a vector is made to have as many instead.

use super::facts::Extent;
use super::slot::{Form, Vector};
use super::template::fresh_site;
use super::{Lower, Lowering, Unequal};
use crate::syntax::instr::Elem;
use nestled_ir::{Axis, HostAtom, HostOp, Shape, Span, Type};

impl Lowering<'_> {
    /// The vector as a λcu value of another form. Faults unless it has as many elements; without checks it is made to.
    pub fn shaped(&mut self, vector: &Vector, form: Form, span: Span) -> Lower<HostAtom> {
        if vector.form == form {
            return self.conform(vector.atom, form, span);
        }
        if self.options.unequal == Unequal::Fit && !self.fits(vector.form, form) {
            return self.fitted(vector, form, "clamp", span);
        }
        match (vector.form, form) {
            (Form::One, Form::One) => Ok(vector.atom),
            (Form::One, Form::Flat(axis)) => {
                self.same(axis, Axis::Const(1), span)?;
                self.fill(vector.elem, form, vector.atom, span)
            }
            (Form::Flat(from), Form::Flat(to)) => {
                self.same(from, to, span)?;
                Ok(vector.atom)
            }
            (Form::Flat(axis), Form::One) => {
                self.same(axis, Axis::Const(1), span)?;
                let ty = self.options.scalar(vector.elem);
                let text =
                    format!("kernel first<n>(v: [n]{ty}) {{\nfirst = once {{ => v[0] }}\nret first\n}}");
                let atom = self.conform(vector.atom, vector.form, span)?;
                Ok(HostAtom::Value(self.run(text, "first", vec![axis], vec![atom], span)?[0]))
            }
            (Form::Seg(seg), Form::One) => {
                let total = self.total(seg, span)?;
                let flat = Form::Flat(total);
                let atom = self.shaped(vector, flat, span)?;
                self.shaped(&Vector { form: flat, atom, ..*vector }, Form::One, span)
            }
            (Form::One, Form::Seg(seg)) => {
                let flat = Form::Flat(Axis::Const(1));
                let atom = self.fill(vector.elem, flat, vector.atom, span)?;
                self.shaped(&Vector { form: flat, atom, ..*vector }, Form::Seg(seg), span)
            }
            (Form::Flat(_) | Form::Seg(_), Form::Seg(_)) | (Form::Seg(_), Form::Flat(_)) => {
                let result = self.reshape(vector.atom, form, span)?;
                self.frame.facts.unite(extent_of(vector.form), extent_of(form));
                Ok(result)
            }
        }
    }

    /// The same for an operand of an instruction that goes over its vectors element by element: it may be cut.
    pub fn operand(&mut self, vector: &Vector, form: Form, span: Span) -> Lower<HostAtom> {
        let are_long = vector.form != Form::One && form != Form::One;
        if self.options.unequal == Unequal::Cut && are_long && !self.fits(vector.form, form) {
            return self.fitted(vector, form, "fault", span);
        }
        self.shaped(vector, form, span)
    }

    /// Whether two forms are known to have as many elements.
    fn fits(&mut self, left: Form, right: Form) -> bool {
        self.frame.facts.same(extent_of(left), extent_of(right))
    }

    /// A vector of another form with the same elements, as far as they go, and then what the rule says.
    fn fitted(&mut self, vector: &Vector, form: Form, rule: &str, span: Span) -> Lower<HostAtom> {
        let from = self.extent(vector, span)?;
        let flat = Form::Flat(from);
        if vector.form == Form::One {
            return self.fill(vector.elem, form, vector.atom, span);
        }
        let atom = self.shaped(vector, flat, span)?;
        let to = match form {
            Form::One => Axis::Const(1),
            Form::Flat(axis) => axis,
            Form::Seg(seg) => self.total(seg, span)?,
        };
        let ty = self.options.scalar(vector.elem);
        let text =
            format!("kernel fit<n>(v: [m]{ty}) over n {{\nfit = map {{ i => v[i {rule}] }}\nret fit\n}}");
        let fit = HostAtom::Value(self.run(text, "fit", vec![from, to], vec![atom], span)?[0]);
        self.shaped(&Vector { form: Form::Flat(to), atom: fit, ..*vector }, form, span)
    }

    /// The same elements in another shape.
    fn reshape(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<HostAtom> {
        let array = self.as_value(atom);
        if let Some(&done) = self.frame.shaped.get(&(array, form)) {
            return Ok(HostAtom::Value(done));
        }
        let site = fresh_site(&mut self.out, span);
        let op = HostOp::Reshape { array, shape: form_shape(form), site };
        let name = self.frame.function.0.values[array.index()].name.clone();
        let result = self.emit(&[&name], op, span)?[0];
        self.frame.shaped.insert((array, form), result);
        self.frame.shaped_log.push((array, form));
        Ok(HostAtom::Value(result))
    }

    /// The value with exactly this shape in its type, where it is known to have it.
    pub fn conform(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<HostAtom> {
        let HostAtom::Value(value) = atom else { return Ok(atom) };
        let shape = form_shape(form);
        let found = match self.frame.ty(value) {
            Type::Array(array) => array.shape.clone(),
            Type::Dim | Type::Seg(_) => return Ok(atom),
        };
        if found == shape {
            return Ok(atom);
        }
        match (&found.axes[..], &shape.axes[..]) {
            (&[from], &[to]) if !self.is_seg(from) && !self.is_seg(to) => {
                self.same(from, to, span)?;
                Ok(atom)
            }
            (&[Axis::Sym(from)], &[Axis::Sym(to)])
                if self.frame.said.same(Extent::Total(from), Extent::Total(to)) =>
            {
                Ok(atom)
            }
            _ => self.reshape(atom, form, span),
        }
    }

    fn is_seg(&self, axis: Axis) -> bool {
        match axis {
            Axis::Const(_) => false,
            Axis::Sym(value) => matches!(self.frame.ty(value), Type::Seg(_)),
        }
    }

    /// A vector that is the same everywhere.
    pub fn fill(&mut self, elem: Elem, form: Form, atom: HostAtom, span: Span) -> Lower<HostAtom> {
        let ty = self.options.scalar(elem);
        let (text, shapes) = match form {
            Form::One => return Ok(atom),
            Form::Flat(axis) => (
                format!("kernel fill<n>(x: {ty}) over n {{\nfill = map {{ i => x }}\nret fill\n}}"),
                vec![axis],
            ),
            Form::Seg(seg) => (
                format!(
                    "kernel fill<m, s: seg[m]>(x: {ty}) over m, s {{\nfill = map {{ i, j => x }}\nret fill\n}}"
                ),
                vec![self.parent(seg), Axis::Sym(seg)],
            ),
        };
        Ok(HostAtom::Value(self.run(text, "fill", shapes, vec![atom], span)?[0]))
    }
}

/// What says how many elements a form has.
fn extent_of(form: Form) -> Extent {
    match form {
        Form::One => Extent::Axis(Axis::Const(1)),
        Form::Flat(axis) => Extent::Axis(axis),
        Form::Seg(seg) => Extent::Total(seg),
    }
}

/// The shape of a form.
pub fn form_shape(form: Form) -> Shape {
    match form {
        Form::One => Shape::SCALAR,
        Form::Flat(axis) => Shape::new([axis]),
        Form::Seg(seg) => Shape::of(seg),
    }
}
