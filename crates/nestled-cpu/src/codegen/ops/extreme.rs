//! Minimum and maximum of floats.

use super::super::emit::llvm_type;
use super::super::text::Name;
use super::super::value::Val;
use super::float::bits_of;
use super::writer::Writer;
use nestled_ir::interp::eval_op;
use nestled_ir::{Op, Scalar};

/// Returns a float literal as a double.
fn as_double(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::F32(value) => Some(f64::from(value)),
        Scalar::F64(value) => Some(value),
        _ => None,
    }
}

impl Writer<'_, '_> {
    /// Emits a minimum or maximum: NaN if either is NaN, and −0.0 less than +0.0.
    ///
    /// Other processors have an instruction for it. That of x86, `min(a, b) = a < b ? a : b`, gives b also if either is NaN or both are zero. Two of
    /// them, with the operands in both orders, give {x, y} in these cases, and twice the same otherwise:
    /// - minimum: their *or* has the sign of a −0.0, and all the bits of a NaN. 3 instructions.
    /// - maximum: their *and* is +0.0 if either is; a NaN is handled separately. 5 instructions.
    ///
    /// AVX-512 has an instruction that orders zeros, but prefers numbers to NaNs: with it a maximum takes 3 instructions.
    ///
    /// One is enough (or a comparison and a mask, for zeros of one sign) with a literal on one side.
    pub fn float_extreme(&mut self, op: Op, args: &[Val]) -> Val {
        let ty = args[0].ty;
        for (literal, other) in [(&args[0], &args[1]), (&args[1], &args[0])] {
            if let Some(scalar) = literal.as_const() {
                return self.extreme_with(op, scalar, other);
            }
        }
        let element = llvm_type(ty);
        let (x, y) = (self.value(&args[0]), self.value(&args[1]));
        if !cfg!(target_arch = "x86_64") {
            let name = if op == Op::Min { "minimum" } else { "maximum" };
            let name = self.intrinsic(name, element, &[&x, &y]);
            return self.result(ty, name);
        }
        if op == Op::Max && self.has_ranges(element) {
            let greater = self.greater_by_range(element, &x, &y);
            let unordered = self.binary("fcmp uno", element, &x, &y);
            let nan = self.float_literal(element, f64::NAN);
            let name = self.select(&unordered, element, &nan, &greater);
            return self.result(ty, name);
        }
        let better = if op == Op::Min { "fcmp olt" } else { "fcmp ogt" };
        let integer = bits_of(element);
        let forth = self.pick(better, element, &x, &y);
        let back = self.pick(better, element, &y, &x);
        let forth = self.cast("bitcast", element, &forth, integer);
        let back = self.cast("bitcast", element, &back, integer);
        let bits = if op == Op::Min {
            self.binary("or", integer, &forth, &back)
        } else {
            let both = self.binary("and", integer, &forth, &back);
            let unordered = self.binary("fcmp uno", element, &x, &y);
            // All bits set are a NaN, and cheap to select.
            let nan = self.literal(integer, -1);
            self.select(&unordered, integer, &nan, &both)
        };
        let name = self.cast("bitcast", integer, &bits, element);
        self.result(ty, name)
    }

    /// Returns `x` if the comparison with `y` holds, otherwise `y`.
    fn pick(&mut self, compare: &str, element: &str, x: &Name, y: &Name) -> Name {
        let better = self.binary(compare, element, x, y);
        self.select(&better, element, x, y)
    }

    fn extreme_with(&mut self, op: Op, literal: Scalar, other: &Val) -> Val {
        if literal.is_nan() {
            return Val::constant(eval_op(op, &[literal, literal]));
        }
        let (ty, element) = (other.ty, llvm_type(other.ty));
        let limit = as_double(literal).unwrap_or_else(|| panic!("{literal:?} is no float"));
        let (x, limit_name) = (self.value(other), self.float_literal(element, limit));
        // Of two zeros the other operand is taken in the first way, and the literal in the second.
        let literal_wins = limit == 0.0 && limit.is_sign_negative() == (op == Op::Min);
        let name = match (literal_wins, op) {
            (false, Op::Min) => self.pick("fcmp olt", element, &limit_name, &x),
            (false, _) => self.pick("fcmp ogt", element, &limit_name, &x),
            (true, Op::Min) => self.pick("fcmp ult", element, &x, &limit_name),
            (true, _) => self.pick("fcmp ugt", element, &x, &limit_name),
        };
        self.result(ty, name)
    }

    /// True if vectors of this element fill registers of AVX-512.
    fn has_ranges(&self, element: &str) -> bool {
        self.is_vector() && self.emit.target.avx512 && self.emit.lanes * size_of(element) >= 16
    }

    /// Emits `vrange`, register by register: the greater of two numbers, +0.0 of two zeros, the number of a number and a NaN.
    fn greater_by_range(&mut self, element: &str, x: &Name, y: &Name) -> Name {
        /// The maximum, with the sign that it has.
        const MAXIMUM: u32 = 0b0101;
        let lanes = self.emit.lanes;
        let part = lanes.min(64 / size_of(element));
        let bits = part * size_of(element) * 8;
        let (ty, mask) = (format!("<{part} x {element}>"), format!("i{}", part.max(8)));
        let letter = if element == "float" { 's' } else { 'd' };
        let name = format!("@llvm.x86.avx512.mask.range.p{letter}.{bits}");
        // For the widest registers, the last operand is the rounding mode.
        let (last_type, last) = if bits == 512 { (", i32", ", i32 4") } else { ("", "") };
        self.emit.declare(format!("declare {ty} {name}({ty}, {ty}, i32, {ty}, {mask}{last_type})"));
        let pieces: Vec<Name> = (0..lanes / part)
            .map(|number| {
                let (x, y) = (
                    self.piece(element, x, number * part, part),
                    self.piece(element, y, number * part, part),
                );
                let operands =
                    format!("{ty} {x}, {ty} {y}, i32 {MAXIMUM}, {ty} zeroinitializer, {mask} -1{last}");
                self.define(format_args!("call {ty} {name}({operands})"))
            })
            .collect();
        self.joined(element, pieces, part)
    }

    /// Extracts `len` lanes of a vector, from lane `from` on.
    fn piece(&mut self, element: &str, vector: &Name, from: usize, len: usize) -> Name {
        if len == self.emit.lanes {
            return vector.clone();
        }
        let (wide, order) = (self.ty(element), lane_list(from, len));
        self.define(format_args!("shufflevector {wide} {vector}, {wide} poison, <{len} x i32> {order}"))
    }

    /// Concatenates pieces of `len` lanes each.
    fn joined(&mut self, element: &str, mut pieces: Vec<Name>, mut len: usize) -> Name {
        while pieces.len() > 1 {
            let ty = format!("<{len} x {element}>");
            len *= 2;
            let order = lane_list(0, len);
            let join = |pair: &[Name]| {
                let [a, b] = [&pair[0], &pair[1]];
                self.define(format_args!("shufflevector {ty} {a}, {ty} {b}, <{len} x i32> {order}"))
            };
            pieces = pieces.chunks(2).map(join).collect();
        }
        pieces.swap_remove(0)
    }
}

/// Returns the size of a float in bytes.
fn size_of(element: &str) -> usize {
    if element == "float" { 4 } else { 8 }
}

/// `<i32 from, i32 from + 1, …>`.
fn lane_list(from: usize, len: usize) -> String {
    let lanes: Vec<String> = (from..from + len).map(|lane| format!("i32 {lane}")).collect();
    format!("<{}>", lanes.join(", "))
}
