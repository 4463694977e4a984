//! Scalar operations inside thunks, as expressions and calls of the operations of the dialect (`rts/` of `nestled-wgpu` and `nestled-cuda`).

use super::Unsupported;
use super::thunk::Body;
use crate::repr::Repr;
use nestled_ir::interp::math_thunk;
use nestled_ir::{Atom, LocalId, Op, ScalarType};

impl<'t> Body<'_, '_, 't> {
    pub(super) fn op(&mut self, dst: LocalId, op: Op, args: &[Atom]) -> Result<(), Unsupported> {
        if let Some(handed) = self.inner.as_ref().and_then(|inner| inner.handed(dst)) {
            let repr = self.repr(handed);
            let text = self.atom(handed, repr);
            return self.set(dst, &text, repr);
        }
        if op.is_elementary() {
            return self.elementary(dst, op, args);
        }
        let first = op.first_shared_operand();
        let mut repr = self.repr(args[first]);
        if repr == Repr::I32 || repr == Repr::I64 {
            // Of several indices some may fit 32 bits and others not.
            let shared = || args[first..].iter();
            let small = shared().all(|&atom| self.repr(atom) == Repr::I32);
            let is_index = self.is_index(args[first]);
            let result = self.local_repr(dst);
            let wide_result =
                is_index && self.thunk.local_type(dst) == ScalarType::Idx && result == Repr::I64;
            let counts = is_index
                && matches!(op, Op::Popcount | Op::Clz | Op::Ctz | Op::Shl | Op::Shr | Op::Bitcast(_));
            if is_index {
                repr = if small && !wide_result && !counts { Repr::I32 } else { Repr::I64 };
            }
        }
        self.writer.need(repr)?;
        let mut texts = Vec::new();
        for (at, &atom) in args.iter().enumerate() {
            let want = if at < first { Repr::Bool } else { repr };
            texts.push(self.atom(atom, want));
        }
        let texts = texts.join(", ");
        let name = op.name();
        let (call, have) = match op {
            Op::Convert(to) => {
                let to = match (to, self.local_repr(dst)) {
                    (ScalarType::Idx, held) if repr != Repr::I64 && held == Repr::I32 => Repr::I32,
                    (to, _) => Repr::of(to),
                };
                self.writer.need(to)?;
                let call =
                    if to == repr { texts } else { format!("cvt_{}_{}({texts})", repr.name(), to.name()) };
                (call, to)
            }
            Op::Bitcast(to) => {
                let to = Repr::of(to);
                let call =
                    if to == repr { texts } else { format!("bits_{}_{}({texts})", repr.name(), to.name()) };
                (call, to)
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                (format!("{name}_{}({texts})", repr.name()), Repr::Bool)
            }
            _ => (format!("{name}_{}({texts})", repr.name()), repr),
        };
        self.set(dst, &call, have)
    }

    pub(super) fn is_index(&self, atom: Atom) -> bool {
        match atom {
            Atom::Local(local) => self.thunk.local_type(local) == ScalarType::Idx,
            Atom::Const(scalar) => scalar.ty() == ScalarType::Idx,
            Atom::Value(value) => self.values[value.index()].ty.as_scalar() == Some(ScalarType::Idx),
        }
    }

    pub(super) fn elementary(&mut self, dst: LocalId, op: Op, args: &[Atom]) -> Result<(), Unsupported> {
        let repr = self.repr(args[0]);
        self.writer.need(repr)?;
        let ty = if repr == Repr::F32 { ScalarType::F32 } else { ScalarType::F64 };
        let (program, thunk) = math_thunk(op, ty);
        let name = format!("math_{op}_{ty}");
        self.writer.named(program, &name, thunk)?;
        let args: Vec<String> = args.iter().map(|&atom| self.atom(atom, repr)).collect();
        self.set(dst, &format!("{name}({})", args.join(", ")), repr)
    }
}
