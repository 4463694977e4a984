//! Movements of elements: gathers and scatters.
//!
//! Where two elements go to one place the later one stays, as in the original's serial library; what is never written is zero.

use super::slot::{Descr, Origin, Vector};
use super::vector::{per_segment, symbols, under};
use super::{Lower, Lowering, single};
use crate::syntax::instr::{Elem, Instr, Move};
use nestled_ir::{HostAtom, Span};

/// The operands of a movement.
#[derive(Clone, Copy)]
pub struct Moved<'a> {
    /// What moves.
    pub v: &'a Vector,
    /// Where to, or where from.
    pub x: &'a Vector,
    /// Which.
    pub f: Option<&'a Vector>,
    /// What is there before.
    pub d: Option<&'a Vector>,
    /// How the source is cut.
    pub from: Descr,
    /// How the destination is cut.
    pub to: Descr,
}

impl Lowering<'_> {
    /// The words for a read that may be outside, and for a write that may be.
    fn rules(&self) -> (&'static str, &'static str) {
        if self.options.checks { ("", "range fault") } else { (" clamp", "range drop") }
    }

    /// `PERMUTE` and its kin.
    pub fn move_elements(&mut self, way: Move, elem: Elem, moved: Moved<'_>, span: Span) -> Lower<Vector> {
        let (from, to) = self.corresponding(moved.from, moved.to, span)?;
        let gathers = matches!(way, Move::Bpermute | Move::Bfpermute);
        // Indices and flags lie beside the destination of a gather, and beside the source of a scatter.
        let beside = under(if gathers { to } else { from });
        let mut given = vec![self.shaped(moved.v, under(from), span)?, self.shaped(moved.x, beside, span)?];
        for (operand, form) in [(moved.f, beside), (moved.d, under(to))] {
            if let Some(vector) = operand {
                given.push(self.shaped(vector, form, span)?);
            }
        }
        let exact = way == Move::Permute && self.is_permutation(moved.x, from);
        let text = if gathers {
            self.gather(moved.f.is_some(), elem, single(from).is_some())
        } else {
            self.scatter((moved.f.is_some(), moved.d.is_some(), exact), elem, single(from).is_some())
        };
        let mut shapes = symbols(from);
        shapes.extend(symbols(to).pop());
        let name = Instr::Move(way, elem).to_string();
        let result = self.run(text, &name, shapes, given, span)?[0];
        Ok(Vector::new(elem, under(to), HostAtom::Value(result)))
    }

    /// Whether indices are known to hit every place once.
    fn is_permutation(&self, x: &Vector, descr: Descr) -> bool {
        x.origin == Origin::RanksIn(descr)
    }

    /// Two descriptors of one kind, whose segments correspond.
    fn corresponding(&mut self, from: Descr, to: Descr, span: Span) -> Lower<(Descr, Descr)> {
        if let (Descr::Single(_), Descr::Single(_)) = (from, to) {
            return Ok((from, to));
        }
        let (from, parent) = self.many(from, span)?;
        let (to, other) = self.many(to, span)?;
        self.same(parent, other, span)?;
        Ok((Descr::Many { seg: from, parent }, Descr::Many { seg: to, parent }))
    }

    fn gather(&self, flags: bool, elem: Elem, flat: bool) -> String {
        let (ty, int) = (self.options.scalar(elem), self.options.int);
        let (clamp, _) = self.rules();
        let (s, t, at, own, segment) = if flat {
            ("n", "k", "i", "[i proved]", "")
        } else {
            ("s", "t", "i, j", "[i proved, j proved]", "i proved, ")
        };
        let shapes = if flat { "n, k" } else { "m, s: seg[m], t: seg[m]" };
        let over = if flat { "k" } else { "m, t" };
        let flag = if flags { format!(", f: [{t}]bool") } else { String::new() };
        let read = format!("at = idx x{own}\nv[{segment}at{clamp}]\n");
        let body = if flags {
            let zero = match elem {
                Elem::Bool => "false".to_owned(),
                Elem::Int | Elem::Float => format!("{}{ty}", self.options.zero(elem)),
            };
            format!("if f{own} {{\n{read}}} else {{\n{zero}\n}}\n")
        } else {
            read
        };
        format!(
            "kernel k<{shapes}>(v: [{s}]{ty}, x: [{t}]{int}{flag}) over {over} {{\n\
             moved = map {{ {at} =>\n{body}}}\nret moved\n}}"
        )
    }

    fn scatter(&self, (flags, base, exact): (bool, bool, bool), elem: Elem, flat: bool) -> String {
        let (ty, int) = (self.options.scalar(elem), self.options.int);
        let (_, range) = self.rules();
        let rules =
            if exact { "range proved clash proved".to_owned() } else { format!("{range} clash last") };
        let (s, t, at, own) =
            if flat { ("n", "k", "i", "[i proved]") } else { ("s", "t", "i, j", "[i proved, j proved]") };
        let shapes = if flat { "n, k" } else { "m, s: seg[m], t: seg[m]" };
        let over = if flat { "n" } else { "m, s" };
        let flag = if flags { format!(", f: [{s}]bool") } else { String::new() };
        let guard = if flags { format!("p = map {{ {at} => f{own} }}\n") } else { String::new() };
        let only = if flags { "where p " } else { "" };
        let before = if base { format!(", d: [{t}]{ty}") } else { String::new() };
        let base = if base { "d" } else { self.options.zero(elem) };
        let segment = if flat { "" } else { "i, " };
        format!(
            "kernel k<{shapes}>(v: [{s}]{ty}, x: [{s}]{int}{flag}{before}) over {over} {{\n{guard}\
             moved = permute to [{t}] base {base} {rules} {only}{{ {at} => {segment}idx x{own}, v{own} }}\nret moved\n}}"
        )
    }

    /// `EXTRACT`
    pub fn extract(
        &mut self,
        elem: Elem,
        (v, x): (&Vector, &Vector),
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let result = per_segment(descr);
        let given = vec![self.shaped(v, under(descr), span)?, self.shaped(x, result, span)?];
        let (ty, int) = (self.options.scalar(elem), self.options.int);
        let (clamp, _) = self.rules();
        let text = match descr {
            Descr::Single(_) => format!(
                "kernel k<n>(v: [n]{ty}, x: {int}) {{\nextract = once {{ =>\nat = idx x\nv[at{clamp}]\n}}\nret extract\n}}"
            ),
            Descr::Many { .. } => format!(
                "kernel k<m, s: seg[m]>(v: [s]{ty}, x: [m]{int}) over m {{\n\
                 extract = map {{ i =>\nat = idx x[i proved]\nv[i proved, at{clamp}]\n}}\nret extract\n}}"
            ),
        };
        let name = Instr::Extract(elem).to_string();
        let value = self.run(text, &name, symbols(descr), given, span)?[0];
        Ok(Vector::new(elem, result, HostAtom::Value(value)))
    }

    /// `REPLACE`
    pub fn replace(
        &mut self,
        elem: Elem,
        (v, x, w): (&Vector, &Vector, &Vector),
        descr: Descr,
        span: Span,
    ) -> Lower<Vector> {
        let form = under(descr);
        let one = per_segment(descr);
        let given = vec![self.shaped(v, form, span)?, self.shaped(x, one, span)?, self.shaped(w, one, span)?];
        let (ty, int) = (self.options.scalar(elem), self.options.int);
        let (_, range) = self.rules();
        let text = match descr {
            Descr::Single(_) => format!(
                "kernel k<n>(v: [n]{ty}, x: {int}, w: {ty}) {{\n\
                 replace = permute to [n] base v {range} clash proved {{ => idx x, w }}\nret replace\n}}"
            ),
            Descr::Many { .. } => format!(
                "kernel k<m, s: seg[m]>(v: [s]{ty}, x: [m]{int}, w: [m]{ty}) over m {{\n\
                 replace = permute to [s] base v {range} clash proved {{ i => i, idx x[i proved], w[i proved] }}\nret replace\n}}"
            ),
        };
        let name = Instr::Replace(elem).to_string();
        let value = self.run(text, &name, symbols(descr), given, span)?[0];
        Ok(Vector::new(elem, form, HostAtom::Value(value)))
    }
}
