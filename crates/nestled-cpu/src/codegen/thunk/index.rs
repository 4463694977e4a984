//! Arithmetic on indices and positions at W points, narrowed to 32 bits where the range allows.
//!
//! Unless the kernel is compiled wide, every array has fewer than 2³¹ elements. So the position of an element that exists fits 32 bits, and so do all
//! sums that lead to it, with wrap-around. Where no element exists, the position is not used. Indices that a thunk computes have no such bound; they
//! are truncated to 32 bits only after a check that they are inside.

use super::Run;
use crate::codegen::lane_groups;
use crate::codegen::text::Name;
use crate::codegen::value::{Depth, Form, Val};
use nestled_ir::{Scalar, ScalarType};

/// Returns an index literal.
fn literal(val: &Val) -> Option<i64> {
    val.as_const().and_then(Scalar::as_integer)
}

impl Run<'_, '_, '_> {
    /// Returns the index in a form known to fit 32 bits: narrow, or a literal.
    pub fn narrowed(&self, val: &Val) -> Option<Val> {
        match val.form {
            Form::Narrow => Some(val.clone()),
            Form::Const(Scalar::Idx(index)) => {
                let index = i32::try_from(index).ok()?;
                Some(Val::narrow(self.emit.splat_literal("i32", &index.to_string()).into()))
            }
            Form::Const(_) | Form::Uniform(_) | Form::Linear { .. } | Form::Varying => None,
        }
    }

    /// Returns the low 32 bits of an index in each lane, as LLVM vector.
    pub fn lanes32(&mut self, val: &Val) -> Name {
        let wide = self.emit.wide("i32");
        match val.form {
            Form::Const(scalar) => {
                let low = scalar.as_integer().unwrap_or(0) as i32;
                self.emit.splat_literal("i32", &low.to_string()).into()
            }
            Form::Uniform(depth) => {
                let low = self.emit.define_at(depth, format_args!("trunc i64 {} to i32", val.name));
                self.emit.splat(depth, "i32", &low)
            }
            Form::Linear { stride, .. } => {
                let first = self.emit.first(val);
                let low = self.emit.define(format_args!("trunc i64 {first} to i32"));
                let splat = self.emit.splat(Depth::Here, "i32", &low);
                let items: Vec<String> = (0..self.emit.lanes as i64)
                    .map(|lane| format!("i32 {}", stride.wrapping_mul(lane) as i32))
                    .collect();
                self.emit.define(format_args!("add {wide} {splat}, <{}>", items.join(", ")))
            }
            Form::Varying => self.emit.low_halves(&val.name),
            Form::Narrow => val.name.clone(),
        }
    }

    /// Emits an instruction on vectors of positions, in the width of positions.
    fn positions(&mut self, instruction: &str, a: &Val, b: &Val) -> Val {
        if self.lane.wide {
            let (left, right, wide) = (self.emit.vector(a), self.emit.vector(b), self.emit.wide("i64"));
            let name = self.emit.define(format_args!("{instruction} {wide} {left}, {right}"));
            return Val::varying(ScalarType::Idx, name);
        }
        let (left, right, wide) = (self.lanes32(a), self.lanes32(b), self.emit.wide("i32"));
        Val::narrow(self.emit.define(format_args!("{instruction} {wide} {left}, {right}")))
    }

    /// Emits the sum of positions.
    pub fn sum(&mut self, a: &Val, b: &Val) -> Val {
        match (literal(a), literal(b)) {
            (Some(a), Some(b)) => return Val::idx(a.wrapping_add(b)),
            (Some(0), _) => return b.clone(),
            (_, Some(0)) => return a.clone(),
            _ => {}
        }
        if let (Some(left), Some(right)) = (a.uniform_depth(), b.uniform_depth()) {
            return self.scalar_op("add", left.max(right), a, b);
        }
        match (a.form, b.form) {
            (Form::Linear { stride, depth }, Form::Const(_) | Form::Uniform(_)) => {
                self.shift_linear(a, stride, depth, b)
            }
            (Form::Const(_) | Form::Uniform(_), Form::Linear { stride, depth }) => {
                self.shift_linear(b, stride, depth, a)
            }
            _ => Val { group: lane_groups::of_sum(a, b, 1), ..self.positions("add", a, b) },
        }
    }

    fn shift_linear(&mut self, linear: &Val, stride: i64, depth: Depth, by: &Val) -> Val {
        // The summand is uniform.
        let depth = depth.max(by.uniform_depth().unwrap_or(Depth::Here));
        let by = self.emit.scalar(by);
        let base = match &*linear.name {
            "0" => by,
            base => self.emit.define_at(depth, format_args!("add i64 {base}, {by}")),
        };
        Val::linear(base, stride, depth)
    }

    /// Emits the product of a position and an extent.
    pub fn product(&mut self, a: &Val, extent: &Val) -> Val {
        match (literal(a), literal(extent)) {
            (Some(a), Some(extent)) => return Val::idx(a.wrapping_mul(extent)),
            (Some(0), _) | (_, Some(0)) => return Val::idx(0),
            (Some(1), _) => return extent.clone(),
            (_, Some(1)) => return a.clone(),
            _ => {}
        }
        if let (Some(left), Some(right)) = (a.uniform_depth(), extent.uniform_depth()) {
            return self.scalar_op("mul", left.max(right), a, extent);
        }
        if let (Form::Linear { stride, depth }, Some(extent)) = (a.form, literal(extent))
            && let Some(stride) = stride.checked_mul(extent)
        {
            let base = match &*a.name {
                "0" => a.name.clone(),
                base => self.emit.define_at(depth, format_args!("mul i64 {base}, {extent}")),
            };
            return Val::linear(base, stride, depth);
        }
        Val { group: lane_groups::of_product(a, extent), ..self.positions("mul", a, extent) }
    }

    /// Emits `a − b`, of positions with `a ≥ b`.
    pub fn difference(&mut self, a: &Val, b: &Val) -> Val {
        match (a.uniform_depth(), b.uniform_depth()) {
            (Some(left), Some(right)) => self.scalar_op("sub", left.max(right), a, b),
            _ => Val { group: lane_groups::of_sum(a, b, -1), ..self.positions("sub", a, b) },
        }
    }

    /// Emits an instruction on uniform indices.
    pub fn scalar_op(&mut self, instruction: &str, depth: Depth, a: &Val, b: &Val) -> Val {
        let (left, right) = (self.emit.scalar(a), self.emit.scalar(b));
        let name = self.emit.define_at(depth, format_args!("{instruction} i64 {left}, {right}"));
        Val::uniform(ScalarType::Idx, depth, name)
    }

    /// Emits one of `smin smax umin umax` of scalars.
    pub fn scalar_extreme(&mut self, which: &str, depth: Depth, a: &str, b: &str) -> Name {
        self.emit.declare(format!("declare i64 @llvm.{which}.i64(i64, i64)"));
        self.emit.define_at(depth, format_args!("call i64 @llvm.{which}.i64(i64 {a}, i64 {b})"))
    }

    fn vector_extreme(&mut self, which: &str, element: &str, a: &str, b: &str) -> Name {
        let (wide, lanes) = (self.emit.wide(element), self.emit.lanes);
        let name = format!("@llvm.{which}.v{lanes}{element}");
        self.emit.declare(format!("declare {wide} {name}({wide}, {wide})"));
        self.emit.define(format_args!("call {wide} {name}({wide} {a}, {wide} {b})"))
    }

    /// Returns an extent (or an extent minus one) clamped to a bound, as a vector of 32 bits; `None` if it is a vector of 64.
    fn bounded32(&mut self, val: &Val, which: &str, bound: i64) -> Option<Name> {
        match val.form {
            Form::Const(_) | Form::Uniform(_) => {
                let depth = val.uniform_depth().unwrap_or(Depth::Entry);
                let name = self.emit.scalar(val);
                let least = self.scalar_extreme(which, depth, &name, &bound.to_string());
                let low = self.emit.define_at(depth, format_args!("trunc i64 {least} to i32"));
                Some(self.emit.splat(depth, "i32", &low))
            }
            Form::Narrow => Some(val.name.clone()),
            Form::Linear { .. } | Form::Varying => None,
        }
    }

    /// Emits the test `0 ≤ index < extent`; an extent is never negative.
    pub fn within(&mut self, index: &Val, extent: &Val) -> Val {
        if let (Some(index), Some(extent)) = (literal(index), literal(extent)) {
            return Val::truth(0 <= index && index < extent);
        }
        if let (Some(left), Some(right)) = (index.uniform_depth(), extent.uniform_depth()) {
            let depth = left.max(right);
            let (index, extent) = (self.emit.scalar(index), self.emit.scalar(extent));
            let name = self.emit.define_at(depth, format_args!("icmp ult i64 {index}, {extent}"));
            return Val::uniform(ScalarType::Bool, depth, name);
        }
        if let (Some(lanes), Some(extent)) = (index.lanes(), literal(extent))
            && lanes <= extent
        {
            return Val::truth(true);
        }
        let group = lane_groups::alike([index, extent]);
        // A negative index is, unsigned, at least 2³¹.
        if index.form == Form::Narrow
            && let Some(extent) = self.bounded32(extent, "umin", 1 << 31)
        {
            let wide = self.emit.wide("i32");
            let name = self.emit.define(format_args!("icmp ult {wide} {}, {extent}", index.name));
            return Val { group, ..Val::varying(ScalarType::Bool, name) };
        }
        let (index, extent, wide) =
            (self.emit.vector(index), self.emit.vector(extent), self.emit.wide("i64"));
        let name = self.emit.define(format_args!("icmp ult {wide} {index}, {extent}"));
        Val { group, ..Val::varying(ScalarType::Bool, name) }
    }

    /// Emits the nearest index inside; −1 if the axis is empty.
    pub fn clamped(&mut self, index: &Val, extent: &Val) -> Val {
        let minus_one = Val::idx(-1);
        if let (Some(left), Some(right)) = (index.uniform_depth(), extent.uniform_depth()) {
            let depth = left.max(right);
            let last = self.last(extent, &minus_one);
            let (index, last) = (self.emit.scalar(index), self.emit.scalar(&last));
            let above = self.scalar_extreme("smax", depth, &index, "0");
            let name = self.scalar_extreme("smin", depth, &above, &last);
            return Val::uniform(ScalarType::Idx, depth, name);
        }
        let last = self.last(extent, &minus_one);
        if index.form == Form::Narrow
            && let Some(last) = self.bounded32(&last, "smin", (1 << 31) - 1)
        {
            let zero = self.emit.splat_literal("i32", "0");
            let above = self.vector_extreme("smax", "i32", &index.name, &zero);
            let name = self.vector_extreme("smin", "i32", &above, &last);
            return Val { group: lane_groups::alike([index, extent]), ..Val::narrow(name) };
        }
        let group = lane_groups::alike([index, extent]);
        let (index, last) = (self.emit.vector(index), self.emit.vector(&last));
        let zero = self.emit.splat_literal("i64", "0");
        let above = self.vector_extreme("smax", "i64", &index, &zero);
        let name = self.vector_extreme("smin", "i64", &above, &last);
        Val { group, ..Val::varying(ScalarType::Idx, name) }
    }

    fn last(&mut self, extent: &Val, minus_one: &Val) -> Val {
        match (extent.form, literal(extent)) {
            (_, Some(extent)) => Val::idx(extent - 1),
            (Form::Const(_) | Form::Uniform(_) | Form::Narrow, None) => self.sum(extent, minus_one),
            (Form::Linear { .. } | Form::Varying, None) => {
                let (vector, wide) = (self.emit.vector(extent), self.emit.wide("i64"));
                let ones = self.emit.splat_literal("i64", "-1");
                let name = self.emit.define(format_args!("add {wide} {vector}, {ones}"));
                Val::varying(ScalarType::Idx, name)
            }
        }
    }
}
