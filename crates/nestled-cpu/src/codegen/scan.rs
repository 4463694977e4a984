//! Vectorised scans: prefixes inside a vector, the running total of the piece, and the carry from the pieces before.
//!
//! The prefixes of a vector take log W shuffle steps; W is 16 here, so that the order of an inexact scan is the same on every machine. The running
//! total is reset at the start of each piece, and the carry from the pieces before is combined last, on the left. So the total of a piece can be
//! computed before its carry is known, and the bits do not depend on the order in which pieces finish.

use super::emit::llvm_type;
use super::function::Function;
use super::reduce::{load_cell, shuffle, store_cell};
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Direction, Inclusion, MonoidPart, Scalar, ScalarType};
use nestled_kernel::scan::ScanPart;
use std::collections::HashMap;

/// The running totals of a piece.
#[derive(Clone, Debug)]
pub struct Scans {
    /// The parts.
    pub parts: Vec<ScanPart>,
    direction: Direction,
    /// Whether points come W at a time.
    lanes: bool,
    /// For each part, a variable for each component: a scalar; or, if points come W at a time, a vector. The last lane of a vector is significant;
    /// where prefixes are computed, all lanes are equal.
    running: Vec<Vec<Name>>,
    /// For each part, whether every lane has a total of its own instead.
    spread: Vec<bool>,
    /// For each part and component, the identity in all lanes, as a vector with contents unknown to LLVM.
    idle: HashMap<(usize, usize), Name>,
    /// For each part, an `i1` variable that tells whether a point came before, in the piece.
    seen: Vec<Name>,
    /// For each part, the total of earlier pieces; none for exact ones, which start with it.
    carry: Vec<Option<(Vec<Val>, Val)>>,
}

impl Scans {
    /// Defines the variables for the parts.
    pub fn new(f: &mut Function<'_, '_>, parts: Vec<ScanPart>, direction: Direction, lanes: bool) -> Scans {
        let mut variable = |ty: ScalarType| match lanes {
            true => {
                let wide = f.emit.vector_type(ty);
                f.emit.variable(&wide)
            }
            false => f.scalar_variable(ty),
        };
        let running = parts.iter().map(|part| part.types.iter().map(|&ty| variable(ty)).collect()).collect();
        let spread = vec![false; parts.len()];
        let seen = parts.iter().map(|_| f.emit.variable("i1")).collect();
        let carry = parts.iter().map(|_| None).collect();
        Scans { parts, direction, lanes, running, spread, idle: HashMap::new(), seen, carry }
    }

    /// Resets the running totals; to the carry in the row at `carry`, if there is one.
    pub fn reset(&mut self, f: &mut Function<'_, '_>, carry: Option<&str>) {
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            let start = part.identity.clone().unwrap_or_else(|| part.unit.clone());
            let mut values: Vec<Val> = start.into_iter().map(Val::constant).collect();
            let mut seen: Name = "false".into();
            if let Some(row) = carry {
                let before: Vec<Val> = (0..part.types.len())
                    .map(|at| load_cell(f, row, part.cell + at, part.types[at]))
                    .collect();
                let any = load_cell(f, row, part.cell + part.types.len(), ScalarType::Bool);
                if part.exact {
                    (values, seen) = (before, any.name);
                } else {
                    self.carry[position] = Some((before, any));
                }
            }
            self.keep(f, position, &values);
            f.emit.line(format_args!("store i1 {seen}, ptr {}", self.seen[position]));
        }
    }

    fn current(&self, f: &mut Function<'_, '_>, position: usize) -> Vec<Val> {
        let mut values = Vec::new();
        for (variable, &ty) in self.running[position].iter().zip(&self.parts[position].types) {
            values.push(match self.lanes {
                true => {
                    let wide = f.emit.vector_type(ty);
                    Val::varying(ty, f.emit.define(format_args!("load {wide}, ptr {variable}")))
                }
                false => {
                    let name = f.emit.define(format_args!("load {}, ptr {variable}", llvm_type(ty)));
                    Val::uniform(ty, Depth::Here, name)
                }
            });
        }
        values
    }

    fn keep(&self, f: &mut Function<'_, '_>, position: usize, values: &[Val]) {
        for (variable, val) in self.running[position].iter().zip(values) {
            if self.lanes {
                let (wide, name) = (f.emit.vector_type(val.ty), f.emit.vector(val));
                f.emit.line(format_args!("store {wide} {name}, ptr {variable}"));
            } else {
                let name = f.emit.scalar(val);
                f.emit.line(format_args!("store {} {name}, ptr {variable}", llvm_type(val.ty)));
            }
        }
    }

    /// Combines two values in index order.
    fn in_order(
        &self,
        f: &mut Function<'_, '_>,
        part: MonoidPart,
        before: &[Val],
        after: &[Val],
    ) -> Vec<Val> {
        match self.direction {
            Direction::Forward => f.combine(part, before, after),
            Direction::Backward => f.combine(part, after, before),
        }
    }

    /// Returns, for each lane, the lane that is `steps` closer to the scan's beginning; lanes without one keep their own.
    fn earlier(&self, lanes: usize, steps: usize) -> Vec<Option<usize>> {
        (0..lanes)
            .map(|lane| match self.direction {
                Direction::Forward => lane.checked_sub(steps),
                Direction::Backward => Some(lane + steps).filter(|&lane| lane < lanes),
            })
            .collect()
    }

    /// Shifts the lanes of a part's components by `steps` away from the scan's beginning, and inserts the identity.
    fn shift(&mut self, f: &mut Function<'_, '_>, position: usize, values: &[Val], steps: usize) -> Vec<Val> {
        let identity = self.parts[position].identity.clone().expect("of a built-in monoid");
        let one = |(at, (val, &idle)): (usize, (&Val, &Scalar))| match f.shared.plan.target.avx512
            && matches!(val.ty.size(), 4 | 8)
        {
            true => self.rotate(f, (position, at), val, steps, idle),
            false => self.shuffle_in(f, val, steps, idle),
        };
        values.iter().zip(&identity).enumerate().map(one).collect()
    }

    /// Shifts by a rotation of two registers, which is one instruction: LLVM finds it, unless it knows the inserted values.
    fn rotate(
        &mut self,
        f: &mut Function<'_, '_>,
        (position, at): (usize, usize),
        val: &Val,
        steps: usize,
        fill: Scalar,
    ) -> Val {
        let lanes = f.emit.lanes;
        let ty = if val.ty.size() == 8 { "i64" } else { "i32" };
        let (own, wide) = (f.emit.vector_type(val.ty), f.emit.wide(ty));
        let idle = match self.idle.get(&(position, at)) {
            Some(idle) => idle.clone(),
            None => {
                let (entry, literal) = (f.emit.entry, f.emit.vector(&Val::constant(fill)));
                let place = f.emit.variable(&own);
                f.emit.text.line(entry, format_args!("store volatile {own} {literal}, ptr {place}"));
                let idle = f.emit.text.define(entry, format_args!("load volatile {wide}, ptr {place}"));
                self.idle.insert((position, at), idle.clone());
                idle
            }
        };
        let vector = f.emit.vector(val);
        let bits = f.emit.define(format_args!("bitcast {own} {vector} to {wide}"));
        let order = (0..lanes).map(|lane| match self.direction {
            Direction::Forward => (lane + 2 * lanes - steps) % (2 * lanes),
            Direction::Backward => lane + steps,
        });
        let items: Vec<String> = order.map(|lane| format!("i32 {lane}")).collect();
        let mask = format!("<{lanes} x i32> <{}>", items.join(", "));
        let moved = f.emit.define(format_args!("shufflevector {wide} {bits}, {wide} {idle}, {mask}"));
        Val::varying(val.ty, f.emit.define(format_args!("bitcast {wide} {moved} to {own}")))
    }

    fn shuffle_in(&self, f: &mut Function<'_, '_>, val: &Val, steps: usize, fill: Scalar) -> Val {
        let lanes = f.emit.lanes;
        let (wide, vector) = (f.emit.vector_type(val.ty), f.emit.vector(val));
        let idle = f.emit.vector(&Val::constant(fill));
        let order = self.earlier(lanes, steps);
        let items: Vec<String> = order.iter().map(|lane| format!("i32 {}", lane.unwrap_or(lanes))).collect();
        let mask = format!("<{lanes} x i32> <{}>", items.join(", "));
        Val::varying(
            val.ty,
            f.emit.define(format_args!("shufflevector {wide} {vector}, {wide} {idle}, {mask}")),
        )
    }

    /// Emits the prefixes at W points, from the results of the combinator's thunk. Zero where the mask does not hold.
    pub fn vector(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) -> Vec<Val> {
        let lanes = f.emit.lanes;
        let mut results: Vec<Val> = values.to_vec();
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
                continue;
            }
            let identity = part.identity.clone().expect("only built-in monoids are scanned in vectors");
            let range = part.first..part.first + part.types.len();
            let mut prefix: Vec<Val> = values[range.clone()]
                .iter()
                .zip(&identity)
                .map(|(val, &idle)| f.emit.blend(mask, val, &Val::constant(idle)))
                .collect();
            let mut steps = 1;
            while steps < lanes {
                let moved = self.shift(f, position, &prefix, steps);
                prefix = self.in_order(f, part.part, &moved, &prefix);
                steps *= 2;
            }
            let last = vec![self.last(lanes); lanes];
            let totals: Vec<Val> = prefix.iter().map(|val| shuffle(f, val, &last)).collect();
            if part.inclusion == Inclusion::Exclusive {
                prefix = self.shift(f, position, &prefix, 1);
            }
            let running = self.current(f, position);
            let mut out = self.in_order(f, part.part, &running, &prefix);
            if let Some((carry, _)) = self.carry[position].clone() {
                out = self.in_order(f, part.part, &carry, &out);
            }
            if part.counts() {
                out = self.units_before_first(f, position, out, mask);
            }
            for (at, val) in range.zip(&out) {
                let zero = Val::constant(Scalar::zero(val.ty));
                results[at] = f.emit.blend(mask, val, &zero);
            }
            let running = self.in_order(f, part.part, &running, &totals);
            self.keep(f, position, &running);
        }
        results
    }

    /// Accumulates W points into the running totals, in the totals phase, where prefixes are not needed.
    pub fn total(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) {
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
                continue;
            }
            let identity = part.identity.clone().expect("only built-in monoids are scanned in vectors");
            let range = part.first..part.first + part.types.len();
            let mut sums: Vec<Val> = values[range]
                .iter()
                .zip(&identity)
                .map(|(val, &idle)| f.emit.blend(mask, val, &Val::constant(idle)))
                .collect();
            // If the order does not affect the bits, each lane has a total of its own until the end.
            self.spread[position] = part.exact;
            if !part.exact {
                sums = self.across(f, part.part, sums);
            }
            let running = self.current(f, position);
            let running = self.in_order(f, part.part, &running, &sums);
            self.keep(f, position, &running);
            if part.counts() {
                let any = f.emit.any(mask);
                let seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
                let seen = f.emit.define(format_args!("or i1 {seen}, {any}"));
                f.emit.line(format_args!("store i1 {seen}, ptr {}", self.seen[position]));
            }
        }
    }

    /// Returns the lane that comes last.
    fn last(&self, lanes: usize) -> usize {
        match self.direction {
            Direction::Forward => lanes - 1,
            Direction::Backward => 0,
        }
    }

    /// Reduces the lanes pairwise, in the order of the prefixes: the last lane receives the same bits as the last prefix.
    fn across(&self, f: &mut Function<'_, '_>, part: MonoidPart, mut sums: Vec<Val>) -> Vec<Val> {
        let lanes = f.emit.lanes;
        let mut width = 1;
        while width < lanes {
            let order: Vec<usize> = (0..lanes).map(|lane| lane ^ width).collect();
            let moved: Vec<Val> = sums.iter().map(|val| shuffle(f, val, &order)).collect();
            sums = self.in_order(f, part, &moved, &sums);
            width *= 2;
        }
        sums
    }

    /// Returns the running totals, each as one scalar.
    fn totals(&self, f: &mut Function<'_, '_>, position: usize) -> Vec<Val> {
        let mut values = self.current(f, position);
        if !self.lanes {
            return values;
        }
        if self.spread[position] {
            values = self.across(f, self.parts[position].part, values);
        }
        let last = self.last(f.emit.lanes);
        values.iter().map(|val| lane(f, val, last)).collect()
    }

    /// Inserts the unit where no point came before.
    fn units_before_first(
        &self,
        f: &mut Function<'_, '_>,
        position: usize,
        out: Vec<Val>,
        mask: &Val,
    ) -> Vec<Val> {
        let part = &self.parts[position];
        let lanes = f.emit.lanes;
        let seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
        let before = match &self.carry[position] {
            Some((_, any)) => f.emit.define(format_args!("or i1 {seen}, {}", any.name)),
            None => seen.clone(),
        };
        let mut bits = f.emit.bits(mask);
        let any = f.emit.define(format_args!("icmp ne i{lanes} {bits}, 0"));
        if self.direction == Direction::Backward {
            f.emit.declare(format!("declare i{lanes} @llvm.bitreverse.i{lanes}(i{lanes})"));
            bits = f.emit.define(format_args!("call i{lanes} @llvm.bitreverse.i{lanes}(i{lanes} {bits})"));
        }
        // The lanes after the first in the mask: all bits above the lowest.
        let less = f.emit.define(format_args!("sub i{lanes} {bits}, 1"));
        let upto = f.emit.define(format_args!("xor i{lanes} {bits}, {less}"));
        let mut above = f.emit.define(format_args!("xor i{lanes} {upto}, -1"));
        if self.direction == Direction::Backward {
            above = f.emit.define(format_args!("call i{lanes} @llvm.bitreverse.i{lanes}(i{lanes} {above})"));
        }
        let lanes_after = f.emit.define(format_args!("select i1 {before}, i{lanes} -1, i{lanes} {above}"));
        let wide = f.emit.wide("i1");
        let after = f.emit.define(format_args!("bitcast i{lanes} {lanes_after} to {wide}"));
        let after = Val::varying(ScalarType::Bool, after);
        let seen = f.emit.define(format_args!("or i1 {seen}, {any}"));
        f.emit.line(format_args!("store i1 {seen}, ptr {}", self.seen[position]));
        out.iter()
            .zip(&part.unit)
            .map(|(val, &unit)| f.emit.blend(&after, val, &Val::constant(unit)))
            .collect()
    }

    /// Emits the prefix at one point, and updates the running total. The mask is an `i1`.
    pub fn point(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) -> Vec<Val> {
        let mut results: Vec<Val> = values.to_vec();
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
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
            if let Some((carry, earlier)) = self.carry[position].clone() {
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

    /// Writes the total of the piece into a row, combined with the carry if that is known: the carry of the next piece.
    pub fn write_row(&self, f: &mut Function<'_, '_>, row: &str) {
        for (position, part) in self.parts.iter().enumerate() {
            let mut values = self.totals(f, position);
            let mut seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
            if let Some((carry, any)) = self.carry[position].clone() {
                let own = Val::uniform(ScalarType::Bool, Depth::Here, seen.clone());
                let both = self.in_order(f, part.part, &carry, &values);
                for at in 0..values.len() {
                    if part.identity.is_some() {
                        values[at] = both[at].clone();
                        continue;
                    }
                    let with_own = f.emit.blend(&own, &both[at], &carry[at]);
                    values[at] = f.emit.blend(&any, &with_own, &values[at]);
                }
                seen = f.emit.define(format_args!("or i1 {seen}, {}", any.name));
            }
            for (at, val) in values.iter().enumerate() {
                let name = f.emit.scalar(val);
                store_cell(f, row, part.cell + at, val.ty, &name);
            }
            let seen = if part.counts() { seen } else { "true".into() };
            store_cell(f, row, part.cell + part.types.len(), ScalarType::Bool, &seen);
        }
    }
}

/// Extracts one lane as a uniform value.
fn lane(f: &mut Function<'_, '_>, val: &Val, lane: usize) -> Val {
    let (wide, vector) = (f.emit.vector_type(val.ty), f.emit.vector(val));
    let name = f.emit.define(format_args!("extractelement {wide} {vector}, i64 {lane}"));
    Val::uniform(val.ty, Depth::Here, name)
}

/// Emits the combination of a piece's carry with its total, into the carry of the next piece.
pub fn combine_carries(
    f: &mut Function<'_, '_>,
    parts: &[ScanPart],
    direction: Direction,
    carry: &str,
    total: &str,
    into: &str,
) {
    for part in parts {
        let width = part.types.len();
        let cells = |f: &mut Function<'_, '_>, row: &str| -> Vec<Val> {
            (0..width).map(|at| load_cell(f, row, part.cell + at, part.types[at])).collect()
        };
        let (before, own) = (cells(f, carry), cells(f, total));
        let seen_before = load_cell(f, carry, part.cell + width, ScalarType::Bool);
        let seen_own = load_cell(f, total, part.cell + width, ScalarType::Bool);
        let mut sum = match direction {
            Direction::Forward => f.combine(part.part, &before, &own),
            Direction::Backward => f.combine(part.part, &own, &before),
        };
        for at in 0..width {
            let with_own = f.emit.blend(&seen_own, &sum[at], &before[at]);
            sum[at] = f.emit.blend(&seen_before, &with_own, &own[at]);
        }
        for (at, val) in sum.iter().enumerate() {
            let name = f.emit.scalar(val);
            store_cell(f, into, part.cell + at, val.ty, &name);
        }
        let seen = f.emit.define(format_args!("or i1 {}, {}", seen_before.name, seen_own.name));
        store_cell(f, into, part.cell + width, ScalarType::Bool, &seen);
    }
}
