//! Reshaping of vectors to the form that an instruction needs.
//!
//! An instruction takes vectors of equal lengths, possibly with different segmentations. Unless equality is known, it is stated (by `same` or a reshape), and is
//! a fault if it does not hold. Without checks vectors are cut or extended to equal lengths instead.

use super::equal_extents::Extent;
use super::kernel::position;
use super::slot::{Form, Vector};
use super::{Lower, Lowering, Unequal};
use crate::syntax::instr::Elem;
use nestled_ir::{Atom, Axis, HostAtom, HostOp, Rule, Shape, Span, Type};

impl Lowering<'_> {
    /// Returns a vector as a λcu value of another form. Faults unless it has as many elements; without checks it is cut or extended.
    pub fn shaped(&mut self, vector: &Vector, form: Form, span: Span) -> Lower<HostAtom> {
        if vector.form == form {
            return self.conform(vector.atom, form, span);
        }
        if self.options.unequal == Unequal::Fit && !self.fits(vector.form, form) {
            return self.fitted(vector, form, Rule::Clamp, span);
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
                let atom = self.conform(vector.atom, vector.form, span)?;
                let mut sweep = self.sweep("first", vector.form, span);
                let v = sweep.vector("v", self.options.scalar(vector.elem));
                sweep.space.clear();
                Self::begin(&mut sweep);
                let site = self.out.site(span);
                let first = sweep.element(v, &[position(0)], Rule::Fault, Some(site));
                let first = sweep.map("first", first);
                Ok(HostAtom::Value(self.run(sweep, vec![first], vec![axis], vec![atom], span)?[0]))
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

    /// Returns an operand of an elementwise instruction in another form; it may be cut.
    pub fn operand(&mut self, vector: &Vector, form: Form, span: Span) -> Lower<HostAtom> {
        let are_long = vector.form != Form::One && form != Form::One;
        if self.options.unequal == Unequal::Cut && are_long && !self.fits(vector.form, form) {
            return self.fitted(vector, form, Rule::Fault, span);
        }
        self.shaped(vector, form, span)
    }

    /// True if two forms are known to have equally many elements.
    fn fits(&mut self, left: Form, right: Form) -> bool {
        self.frame.facts.same(extent_of(left), extent_of(right))
    }

    /// Cuts a vector to another form; elements past its end follow the rule.
    fn fitted(&mut self, vector: &Vector, form: Form, rule: Rule, span: Span) -> Lower<HostAtom> {
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
        let mut sweep = self.sweep("fit", Form::One, span);
        let (m, n) = (sweep.extent("m"), sweep.extent("n"));
        let v = sweep.array("v", self.options.scalar(vector.elem), Some(m));
        sweep.space = vec![n];
        Self::begin(&mut sweep);
        let at = sweep.at();
        let site = (rule == Rule::Fault).then(|| self.out.site(span));
        let element = sweep.element(v, &at, rule, site);
        let fit = sweep.map("fit", element);
        let fit = HostAtom::Value(self.run(sweep, vec![fit], vec![from, to], vec![atom], span)?[0]);
        self.shaped(&Vector { form: Form::Flat(to), atom: fit, ..*vector }, form, span)
    }

    /// Reshapes a vector, once for each form.
    fn reshape(&mut self, atom: HostAtom, form: Form, span: Span) -> Lower<HostAtom> {
        let array = self.as_value(atom);
        if let Some(&done) = self.frame.shaped.get(&(array, form)) {
            return Ok(HostAtom::Value(done));
        }
        let site = self.out.site(span);
        let op = HostOp::Reshape { array, shape: form_shape(form), site };
        let name = self.frame.function.0.values[array.index()].name.clone();
        let result = self.emit(&[&name], op, span)?[0];
        self.frame.shaped.insert((array, form), result);
        self.frame.shaped_log.push((array, form));
        Ok(HostAtom::Value(result))
    }

    /// Returns a value with exactly this shape in its type, where it is known to have it.
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

    /// Makes a vector with the same element everywhere.
    pub fn fill(&mut self, elem: Elem, form: Form, atom: HostAtom, span: Span) -> Lower<HostAtom> {
        if form == Form::One {
            return Ok(atom);
        }
        let mut sweep = self.sweep("fill", form, span);
        let x = sweep.array("x", self.options.scalar(elem), None);
        Self::begin(&mut sweep);
        let fill = sweep.map("fill", Atom::Value(x));
        let shapes = self.form_symbols(form);
        Ok(HostAtom::Value(self.run(sweep, vec![fill], shapes, vec![atom], span)?[0]))
    }
}

/// Returns the extent that counts the elements of a form.
fn extent_of(form: Form) -> Extent {
    match form {
        Form::One => Extent::Axis(Axis::Const(1)),
        Form::Flat(axis) => Extent::Axis(axis),
        Form::Seg(seg) => Extent::Total(seg),
    }
}

/// Returns the λcu shape of a form.
pub fn form_shape(form: Form) -> Shape {
    match form {
        Form::One => Shape::SCALAR,
        Form::Flat(axis) => Shape::new([axis]),
        Form::Seg(seg) => Shape::of(seg),
    }
}
