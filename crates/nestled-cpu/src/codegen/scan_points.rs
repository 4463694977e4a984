//! Scans point by point: by monoids of the program, and in the short groups of sweeps that reduce from left to right.

use super::emit::llvm_type;
use super::function::Function;
use super::scan::Scans;
use super::scan_steps::Steps;
use super::value::{Depth, Val};
use nestled_ir::reduction_order::LANES;
use nestled_ir::{Direction, Inclusion, Scalar, ScalarType};

impl Scans {
    /// Emits the prefix at one point, and updates the running total. The mask is an `i1`.
    pub fn point(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) -> Vec<Val> {
        let mut results: Vec<Val> = values.to_vec();
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
                continue;
            }
            self.enter_block(f, position);
            if let Some(steps) = self.steps[position].clone() {
                results[part.first] = self.in_steps(f, position, &steps, &values[part.first], mask);
                continue;
            }
            let range = part.first..part.first + part.types.len();
            let running = self.current(f, position);
            let seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
            let before = Val::uniform(ScalarType::Bool, Depth::Here, seen.clone());
            let sum = self.in_order(f, part.part, &running, &values[range.clone()]);
            let own = &values[range.clone()];
            let sum: Vec<Val> =
                sum.iter().zip(own).map(|(sum, own)| f.emit.blend(&before, sum, own)).collect();
            let (mut local, mut any) = match part.inclusion {
                Inclusion::Inclusive => (sum.clone(), Val::truth(true)),
                Inclusion::Exclusive => (running.clone(), before.clone()),
            };
            if let Some((carry, earlier)) = self.earlier(f, position) {
                let both = self.in_order(f, part.part, &carry, &local);
                for at in 0..local.len() {
                    let only_carry_or_both = f.emit.blend(&any, &both[at], &carry[at]);
                    local[at] = f.emit.blend(&earlier, &only_carry_or_both, &local[at]);
                }
                let left = f.emit.scalar(&any);
                let name = f.emit.define(format_args!("or i1 {left}, {}", earlier.name));
                any = Val::uniform(ScalarType::Bool, Depth::Here, name);
            }
            for (offset, at) in range.enumerate() {
                let unit = Val::constant(part.unit[offset]);
                let out = f.emit.blend(&any, &local[offset], &unit);
                let zero = Val::constant(Scalar::zero(part.types[offset]));
                results[at] = f.emit.blend(mask, &out, &zero);
            }
            let kept: Vec<Val> =
                sum.iter().zip(&running).map(|(sum, old)| f.emit.blend(mask, sum, old)).collect();
            self.keep(f, position, &kept);
            let holds = f.emit.scalar(mask);
            let seen = f.emit.define(format_args!("or i1 {seen}, {holds}"));
            f.emit.line(format_args!("store i1 {seen}, ptr {}", self.seen[position]));
        }
        results
    }

    /// Emits the prefix at one point in the order of vectors.
    fn in_steps(&self, f: &mut Function<'_, '_>, at: usize, steps: &Steps, value: &Val, mask: &Val) -> Val {
        let part = &self.parts[at];
        let identity = Val::constant(part.identity.as_ref().expect("of a built-in operation")[0]);
        let position = f.emit.position.clone();
        let lane = f.emit.define(format_args!("and i64 {position}, {}", LANES - 1));
        let place = match self.direction {
            Direction::Forward => lane,
            Direction::Backward => f.emit.define(format_args!("sub i64 {}, {lane}", LANES - 1)),
        };
        let value = f.emit.blend(mask, value, &identity);
        let both = |f: &mut Function<'_, '_>, earlier: &Val, later: &Val| {
            self.in_order(f, part.part, std::slice::from_ref(earlier), std::slice::from_ref(later)).remove(0)
        };
        let prefix = steps.prefix(f, (&value, &place), &identity, &both);
        let inside = f.emit.define(format_args!("load {}, ptr {}", llvm_type(steps.ty), steps.inside));
        let inside = match part.inclusion {
            Inclusion::Inclusive => prefix.clone(),
            Inclusion::Exclusive => Val::uniform(steps.ty, Depth::Here, inside),
        };
        let running = self.current(f, at);
        let mut out = self.in_order(f, part.part, &running, &[inside]);
        let mut seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[at]));
        let holds = f.emit.scalar(mask);
        let now = f.emit.define(format_args!("or i1 {seen}, {holds}"));
        f.emit.line(format_args!("store i1 {now}, ptr {}", self.seen[at]));
        if let Some((carry, any)) = self.earlier(f, at) {
            out = self.in_order(f, part.part, &carry, &out);
            seen = f.emit.define(format_args!("or i1 {seen}, {}", any.name));
        }
        if part.counts() {
            let seen = Val::uniform(ScalarType::Bool, Depth::Here, seen);
            out[0] = f.emit.blend(&seen, &out[0], &Val::constant(part.unit[0]));
        }
        // The last place completes the vector.
        let ends = f.emit.define(format_args!("icmp eq i64 {place}, {}", LANES - 1));
        let ends = Val::uniform(ScalarType::Bool, Depth::Here, ends);
        let total = self.in_order(f, part.part, &running, std::slice::from_ref(&prefix));
        let kept = f.emit.blend(&ends, &total[0], &running[0]);
        self.keep(f, at, &[kept]);
        let inside = f.emit.blend(&ends, &identity, &prefix);
        let inside = f.emit.scalar(&inside);
        f.emit.line(format_args!("store {} {inside}, ptr {}", llvm_type(steps.ty), steps.inside));
        f.emit.blend(mask, &out[0], &Val::constant(Scalar::zero(steps.ty)))
    }

    /// Adds the points of a vector that has not ended to the running total.
    pub fn end_points(&self, f: &mut Function<'_, '_>) {
        for (at, steps) in self.steps.iter().enumerate() {
            let Some(steps) = steps else { continue };
            let inside = f.emit.define(format_args!("load {}, ptr {}", llvm_type(steps.ty), steps.inside));
            let running = self.current(f, at);
            let inside = Val::uniform(steps.ty, Depth::Here, inside);
            let total = self.in_order(f, self.parts[at].part, &running, &[inside]);
            self.keep(f, at, &total);
        }
    }
}
