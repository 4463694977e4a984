//! Lowering of the random number instructions `RAND` and `SRAND`.

use super::kernel::{number, position};
use super::slot::{Form, Vector};
use super::{Lower, Lowering, point};
use crate::syntax::instr::Elem;
use nestled_ir::build::CodeBuilder;
use nestled_ir::{Atom, Axis, HostAtom, Op, Scalar, ScalarType, Span, ThunkId};

impl Lowering<'_> {
    /// Writes `RAND`: the numbers of the generator in order of the elements, each computed from the state before them.
    pub fn rand(&mut self, a: &Vector, state: HostAtom, span: Span) -> Lower<(Vector, HostAtom)> {
        let form = match a.form {
            Form::Seg(seg) => Form::Flat(self.total(seg, span)?),
            form => form,
        };
        let given = self.shaped(a, form, span)?;
        let skip = self.skip(span);
        let (int, i64) = (self.options.int, ScalarType::I64);
        let mut sweep = self.sweep("RAND", form, span);
        let (a, x) = (sweep.vector("a", int), Atom::Value(sweep.array("x", i64, None)));
        let n = sweep.space.first().copied();
        Self::begin(&mut sweep);
        let bound = sweep.own(a);
        if self.options.checks {
            let divides = sweep.code().op(Op::Ne, &[bound, number(int, 0)]);
            let site = self.out.site(span);
            sweep.code().check(divides, point::BY_ZERO, site);
        }
        let draw = match sweep.at().first() {
            Some(&at) => sweep.code().op(Op::Add, &[at, position(1)]),
            None => position(1),
        };
        let drawn_from = sweep.code().call(&self.out, skip, &[x, draw])[0];
        let code = sweep.code();
        let bits = code.op(Op::Shr, &[drawn_from, number(i64, 17)]);
        let bits = code.op(Op::Convert(int), &[bits]);
        let drawn = code.op(Op::Rem, &[bits, bound]);
        let rand = sweep.map("rand", drawn);
        sweep.kernel.begin(0);
        let count = match n {
            Some(Axis::Sym(n)) => Atom::Value(n),
            Some(Axis::Const(_)) | None => position(1),
        };
        let state_after = sweep.code().call(&self.out, skip, &[x, count])[0];
        let state_after = sweep.map("state", state_after);
        let symbols = self.form_symbols(form);
        let binds = self.run(sweep, vec![rand, state_after], symbols, vec![given, state], span)?;
        Ok((Vector::new(Elem::Int, form, HostAtom::Value(binds[0])), HostAtom::Value(binds[1])))
    }

    /// Writes `SRAND`: the usual seeding of this generator.
    pub fn srand(&mut self, seed: &Vector, span: Span) -> Lower<HostAtom> {
        let given = self.shaped(seed, Form::One, span)?;
        let number = |value| HostAtom::Const(Scalar::I64(value));
        let seed = self.scalar(Op::Convert(ScalarType::I64), vec![given], span)?;
        let high = self.scalar(Op::Shl, vec![seed, number(16)], span)?;
        let state = self.scalar(Op::Add, vec![high, number(13070)], span)?;
        self.scalar(Op::And, vec![state, number(MASK)], span)
    }

    /// Makes the thunk that skips `k` draws ahead. The map of one draw, `x ↦ a·x + c`, is squared along the bits of `k`. All arithmetic is modulo 2⁴⁸, which
    /// divides 2⁶⁴.
    fn skip(&mut self, span: Span) -> ThunkId {
        const NAME: &str = "lcg_skip";
        if let Some(known) = self.out.program().find_thunk(NAME) {
            return known;
        }
        let i64 = ScalarType::I64;
        let mut code = CodeBuilder::new(&[i64, ScalarType::Idx], span);
        let [x, k] = code.params()[..] else { unreachable!("it has two parameters") };
        let carried = vec![
            code.carried("y", x),
            code.carried("a", number(i64, 25_214_903_917)),
            code.carried("c", number(i64, 11)),
            code.carried("left", k),
        ];
        let [y, a, c, left] = [0, 1, 2, 3].map(|at: usize| Atom::Local(carried[at].local));
        code.open();
        let goes_on = code.op(Op::Gt, &[left, position(0)]);
        let cond = code.close(vec![goes_on]);
        code.open();
        let bit = code.op(Op::And, &[left, position(1)]);
        let is_odd = code.op(Op::Eq, &[bit, position(1)]);
        let product = code.op(Op::Mul, &[a, y]);
        let next = code.op(Op::Add, &[product, c]);
        let y = code.op(Op::Select, &[is_odd, next, y]);
        let square = code.op(Op::Mul, &[a, a]);
        let more = code.op(Op::Add, &[a, number(i64, 1)]);
        let c = code.op(Op::Mul, &[more, c]);
        let left = code.op(Op::Shr, &[left, position(1)]);
        let body = code.close(vec![y, square, c, left]);
        let y = code.while_loop(carried, cond, body)[0];
        let state = code.op(Op::And, &[y, number(i64, MASK)]);
        let thunk = code.finish(vec![state]);
        self.out.thunk(NAME, thunk, span)
    }
}

/// The bits of a state: 48.
const MASK: i64 = (1 << 48) - 1;
