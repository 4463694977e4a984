//! `RAND` and `SRAND`.

use super::slot::{Form, Vector};
use super::vector::{Space, space};
use super::{Lower, Lowering, point};
use crate::syntax::instr::Elem;
use nestled_ir::{HostAtom, Span};

impl Lowering<'_> {
    /// `RAND`: the numbers of the generator in order of the elements, each computed from where the generator stood.
    pub fn rand(&mut self, a: &Vector, state: HostAtom, span: Span) -> Lower<(Vector, HostAtom)> {
        let form = match a.form {
            Form::Seg(seg) => Form::Flat(self.total(seg, span)?),
            form => form,
        };
        let given = self.shaped(a, form, span)?;
        let Space { shapes, over, map, own, ty, .. } = space(form);
        let int = self.options.int;
        let check = if self.options.checks {
            format!("check (ne b 0) \"{}\"\n", point::BY_ZERO)
        } else {
            String::new()
        };
        let (draw, count) = if form == Form::One { ("1", "1") } else { ("(add i 1)", "n") };
        let text = format!(
            "{SKIP}\nkernel rand{shapes}(a: {ty}{int}, x: i64) {over} {{\nrand = {map}\nb = a{own}\n{check}y = lcg_skip(x, {draw})\n\
             rem ({int} (shr y 17)) b\n}}\nstate = once {{ => lcg_skip(x, {count}) }}\nret rand, state\n}}"
        );
        let symbols = self.form_symbols(form);
        let binds = self.run(text, "RAND", symbols, vec![given, state], span)?;
        Ok((Vector::new(Elem::Int, form, HostAtom::Value(binds[0])), HostAtom::Value(binds[1])))
    }

    /// `SRAND`: the usual seeding of this generator.
    pub fn srand(&mut self, seed: &Vector, span: Span) -> Lower<HostAtom> {
        let given = self.shaped(seed, Form::One, span)?;
        let int = self.options.int;
        let text =
            format!("fn f(s: {int}) -> i64 {{\nx = and (add (shl (i64 s) 16) 13070) {MASK}\nret x\n}}");
        Ok(self.splice(text, &[given], span)?[0])
    }
}

/// 48 bits.
const MASK: &str = "281474976710655";

/// The state of the generator `k` draws later. The map of one draw, `x ↦ a·x + c`, is squared along the bits of `k`; all is modulo 2⁴⁸, of which
/// 2⁶⁴ is a multiple.
const SKIP: &str = "thunk lcg_skip(x: i64, k: idx) -> i64 {
  (y, _, _, _) = while (y0 = x, a = 25214903917i64, c = 11i64, left = k) { gt left 0 } do {
    y1 = select (eq (and left 1) 1) (add (mul a y0) c) y0
    y1, (mul a a), (mul (add a 1) c), (shr left 1)
  }
  and y 281474976710655
}";
