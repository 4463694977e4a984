//! Strength reduction on indices: keeps an index linear along the lanes, or narrow (32 bits), where a general operation would make a vector of 64
//! bits.

use super::super::emit::{Emit, literal, llvm_type};
use super::super::text::Name;
use super::super::value::{Depth, Form, Val};
use super::writer::Writer;
use nestled_ir::{Op, Scalar, ScalarType};

/// `base + stride · j`; the stride may be 0.
struct Progression {
    base: Name,
    stride: i64,
    depth: Depth,
}

impl Emit<'_> {
    /// Emits the operation, if there is a better way than with vectors of 64 bits.
    pub(super) fn index_op(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        if args.iter().any(|arg| matches!(arg.form, Form::Linear { .. }))
            && let Some(linear) = self.linear_op(op, args)
        {
            return Some(linear);
        }
        if let Some(sum) = self.offset(op, args) {
            return Some(sum);
        }
        if args.iter().any(|arg| arg.form == Form::Narrow) {
            return self.narrow_op(op, args);
        }
        match (op, args) {
            (Op::Convert(ScalarType::Idx), [x]) if x.form == Form::Varying => self.narrow_from(x),
            _ => None,
        }
    }

    /// Adds a literal to a uniform index. Nested sums are reassociated to a sum with one literal, so that a row has the same name however its index
    /// was computed.
    fn offset(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        let (index, by) = match (op, args) {
            (Op::Add, [index, by]) if by.as_const().is_some() => (index, by.as_const()?.as_integer()?),
            (Op::Add, [by, index]) => (index, by.as_const()?.as_integer()?),
            (Op::Sub, [index, by]) => (index, by.as_const()?.as_integer()?.wrapping_neg()),
            _ => return None,
        };
        if index.ty != ScalarType::Idx || !matches!(index.form, Form::Uniform(_)) {
            return None;
        }
        Some(self.moved(index, by))
    }

    /// Returns a uniform index plus a literal.
    pub fn moved(&mut self, index: &Val, by: i64) -> Val {
        let plain = Val { coordinate: None, ..index.clone() };
        let (base, before) = self.sums.get(&index.name).cloned().unwrap_or((plain, 0));
        let by = before.wrapping_add(by);
        if by == 0 {
            return base;
        }
        let depth = index.uniform_depth().expect("it is uniform");
        let name = self.define_at(depth, format_args!("add i64 {}, {by}", base.name));
        self.sums.insert(name.clone(), (base, by));
        Val::uniform(ScalarType::Idx, depth, name)
    }

    // Linear indices. All arithmetic wraps, like the strides and bases of the results.

    fn linear_op(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        match (op, args) {
            (Op::Add, [a, b]) => {
                let (a, b) = (progression(a)?, progression(b)?);
                Some(self.linear_sum("add", &a, &b, a.stride.wrapping_add(b.stride)))
            }
            (Op::Sub, [a, b]) => {
                let (a, b) = (progression(a)?, progression(b)?);
                Some(self.linear_sum("sub", &a, &b, a.stride.wrapping_sub(b.stride)))
            }
            (Op::Neg, [a]) => Some(self.linear_product(&progression(a)?, -1)),
            (Op::Mul, [a, b]) => match (a.as_const(), b.as_const()) {
                (Some(factor), _) => Some(self.linear_product(&progression(b)?, factor.as_integer()?)),
                (_, Some(factor)) => Some(self.linear_product(&progression(a)?, factor.as_integer()?)),
                _ => None,
            },
            (Op::Shl, [a, count]) => {
                let count = count.as_const()?.as_integer()?;
                Some(self.linear_product(&progression(a)?, 1i64.wrapping_shl(count as u32)))
            }
            (Op::Select, [condition, a, b]) => {
                let depth = condition.uniform_depth()?;
                let (a, b) = (progression(a)?, progression(b)?);
                if a.stride != b.stride {
                    return None;
                }
                let depth = depth.max(a.depth).max(b.depth);
                let value = format!("select i1 {}, i64 {}, i64 {}", condition.name, a.base, b.base);
                let base = self.define_at(depth, value);
                Some(Progression { base, stride: a.stride, depth }.val())
            }
            (Op::Convert(to), [a]) => self.linear_convert(to, a),
            _ => None,
        }
    }

    fn linear_sum(&mut self, instruction: &str, a: &Progression, b: &Progression, stride: i64) -> Val {
        let depth = a.depth.max(b.depth);
        let base = match (&*a.base, &*b.base, instruction) {
            (_, "0", _) => a.base.clone(),
            ("0", _, "add") => b.base.clone(),
            (x, y, _) => self.define_at(depth, format_args!("{instruction} i64 {x}, {y}")),
        };
        Progression { base, stride, depth }.val()
    }

    fn linear_product(&mut self, a: &Progression, factor: i64) -> Val {
        let base = match (&*a.base, factor) {
            (_, 0) => return Val::idx(0),
            ("0", _) | (_, 1) => a.base.clone(),
            (base, _) => self.define_at(a.depth, format_args!("mul i64 {base}, {factor}")),
        };
        Progression { base, stride: a.stride.wrapping_mul(factor), depth: a.depth }.val()
    }

    /// Converts to a smaller integer: lane 0 is converted, and a shorter ramp is added.
    fn linear_convert(&mut self, to: ScalarType, a: &Val) -> Option<Val> {
        let Form::Linear { stride, .. } = a.form else { return None };
        let element = match to {
            ScalarType::I32 | ScalarType::U32 => "i32",
            ScalarType::I16 | ScalarType::U16 => "i16",
            ScalarType::I8 | ScalarType::U8 => "i8",
            ScalarType::Bool | ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => return None,
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
        };
        let first = self.first(a);
        let first = self.define(format_args!("trunc i64 {first} to {element}"));
        let splat = self.splat(Depth::Here, element, &first);
        let (wide, ramp) = (self.wide(element), self.wrapping_ramp(to, stride));
        Some(Val::varying(to, self.define(format_args!("add {wide} {splat}, {ramp}"))))
    }

    /// Writes `<0, stride, 2·stride, …>`, each element wrapped to its type.
    fn wrapping_ramp(&self, ty: ScalarType, stride: i64) -> String {
        let (element, above) = (llvm_type(ty), 64 - ty.bits());
        let item = |lane: usize| {
            let value = stride.wrapping_mul(lane as i64) << above >> above;
            format!("{element} {value}")
        };
        format!("<{}>", (0..self.lanes).map(item).collect::<Vec<String>>().join(", "))
    }

    // Narrow indices.

    fn narrow_from(&mut self, x: &Val) -> Option<Val> {
        let instruction = match x.ty {
            ScalarType::I32 => return Some(Val::narrow(x.name.clone())),
            ScalarType::Bool | ScalarType::U8 | ScalarType::U16 => "zext",
            ScalarType::I8 | ScalarType::I16 => "sext",
            ScalarType::U32 | ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => return None,
            ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
        };
        let name = Writer::vectors(self).cast(instruction, llvm_type(x.ty), &x.name, "i32");
        Some(Val::narrow(name))
    }

    /// Emits an operation on narrow indices; all operands (except the condition of `select`) must be known to fit 32 bits.
    fn narrow_op(&mut self, op: Op, args: &[Val]) -> Option<Val> {
        if let (Op::Convert(to), [x]) = (op, args) {
            let narrowed = Val::varying(ScalarType::I32, x.name.clone());
            return Some(self.op(Op::Convert(to), &[narrowed]));
        }
        if op == Op::Select {
            let (yes, no) = (as_i32(&args[1])?, as_i32(&args[2])?);
            let chosen = self.op(Op::Select, &[args[0].clone(), yes, no]);
            return Some(self.as_narrow(&chosen));
        }
        if matches!(op, Op::Shl | Op::Shr) {
            // The count is taken modulo 64, and shifting by more than 31 leaves the sign.
            let count = args[1].as_const()?.as_integer()? & 63;
            let count = Val::constant(Scalar::I32(count.min(31) as i32));
            let shifted = Val::varying(ScalarType::I32, args[0].name.clone());
            return (op == Op::Shr).then(|| self.op(op, &[shifted, count])).map(|val| self.as_narrow(&val));
        }
        let narrowed: Vec<Val> = args.iter().map(as_i32).collect::<Option<_>>()?;
        match op {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Some(self.op(op, &narrowed)),
            Op::And | Op::Or | Op::Xor | Op::Not | Op::Min | Op::Max | Op::Rem | Op::RemFloor => {
                let result = self.op(op, &narrowed);
                Some(self.as_narrow(&result))
            }
            // Only min / −1 does not fit.
            Op::Div | Op::DivFloor if args[1].as_const().is_some_and(|by| by != Scalar::Idx(-1)) => {
                let result = self.op(op, &narrowed);
                Some(self.as_narrow(&result))
            }
            _ => None,
        }
    }

    /// Converts an `i32` to a narrow index.
    fn as_narrow(&mut self, val: &Val) -> Val {
        match val.as_const() {
            Some(Scalar::I32(value)) => Val::idx(value.into()),
            _ => Val::narrow(self.vector(val)),
        }
    }
}

/// Converts a narrow index, or a literal that fits, to an `i32`.
fn as_i32(val: &Val) -> Option<Val> {
    match val.form {
        Form::Narrow => Some(Val::varying(ScalarType::I32, val.name.clone())),
        Form::Const(scalar) => {
            let value = i32::try_from(scalar.as_integer()?).ok()?;
            Some(Val::constant(Scalar::I32(value)))
        }
        Form::Uniform(_) | Form::Linear { .. } | Form::Varying => None,
    }
}

/// Returns the base and stride of a linear or uniform index.
fn progression(val: &Val) -> Option<Progression> {
    match val.form {
        Form::Const(scalar) => {
            Some(Progression { base: literal(scalar).into(), stride: 0, depth: Depth::Entry })
        }
        Form::Uniform(depth) => Some(Progression { base: val.name.clone(), stride: 0, depth }),
        Form::Linear { stride, depth } => Some(Progression { base: val.name.clone(), stride, depth }),
        Form::Varying | Form::Narrow => None,
    }
}

impl Progression {
    fn val(self) -> Val {
        match (self.stride, self.base.parse::<i64>()) {
            (0, Ok(base)) => Val::idx(base),
            (0, Err(_)) => Val::uniform(ScalarType::Idx, self.depth, self.base),
            _ => Val::linear(self.base, self.stride, self.depth),
        }
    }
}
