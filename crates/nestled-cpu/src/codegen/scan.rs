//! Vectorised scans: prefixes inside a vector, the running total of the piece, and the carry from the pieces before.
//!
//! The prefixes of a vector take log W shuffle steps; W is 16 here. The running total is reset at the start of each piece, and the carry from the pieces
//! before is combined last, on the left. So the total of a piece can be computed before its carry is known, and the bits do not depend on the order in which
//! pieces finish.
//!
//! If the order shows in the result, it is that of λcu. Across the whole the pieces are λcu's blocks. In a group that may be longer than a block, each
//! new block takes the running total into a carry of its own. `scan_points.rs` emits scans point by point.

use super::control::when;
use super::emit::llvm_type;
use super::function::Function;
use super::reduce::{load_cell, shuffle};
use super::scan_steps::Steps;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::reduction_order::LANES;
use nestled_ir::{Direction, Inclusion, MonoidPart, Scalar, ScalarType};
use nestled_kernel::axes::literal_length;
use nestled_kernel::nest::Nest;
use nestled_kernel::scan::ScanPart;
use std::collections::HashMap;

/// The running totals of a piece.
#[derive(Clone, Debug)]
pub struct Scans {
    /// The parts.
    pub parts: Vec<ScanPart>,
    pub(super) direction: Direction,
    /// Points come in vectors, not one by one.
    lanes: bool,
    /// For each part, a variable for each component: a scalar; or, if points come in vectors, a vector of sixteen. The last lane of a vector is significant;
    /// where prefixes are computed, all lanes are equal.
    running: Vec<Vec<Name>>,
    /// For each part, whether every lane has a total of its own instead.
    spread: Vec<bool>,
    /// For each part and component, the identity in all lanes, as a vector with contents unknown to LLVM.
    idle: HashMap<(usize, usize), Name>,
    /// For each part, an `i1` variable that tells whether a point came before, in the piece.
    pub(super) seen: Vec<Name>,
    /// For each part, the total of earlier pieces or blocks.
    carry: Vec<Carry>,
    /// For each part, the four steps of its prefixes, if its points go one by one in the order of vectors.
    pub(super) steps: Vec<Option<Steps>>,
}

/// The total of earlier pieces or blocks.
#[derive(Clone, Debug)]
enum Carry {
    /// None: exact parts start with the total of earlier pieces, and groups known to be short have a single block.
    None,
    /// The total of earlier pieces, and whether a point came before.
    Given(Vec<Val>, Val),
    /// The total of earlier blocks of the group: a variable for each component, and one that tells whether a point came before.
    Kept(Vec<Name>, Name),
}

impl Scans {
    /// Defines the variables for the parts.
    pub fn new(f: &mut Function<'_, '_>, parts: Vec<ScanPart>, nest: &Nest, lanes: bool) -> Scans {
        f.with_lanes(LANES, |f| Scans::of_lanes(f, parts, nest, lanes))
    }

    fn of_lanes(f: &mut Function<'_, '_>, parts: Vec<ScanPart>, nest: &Nest, lanes: bool) -> Scans {
        let variable = |f: &mut Function<'_, '_>, ty: ScalarType| match lanes {
            true => {
                let wide = f.emit.vector_type(ty);
                f.emit.variable(&wide)
            }
            false => f.scalar_variable(ty),
        };
        let running: Vec<Vec<Name>> =
            parts.iter().map(|part| part.types.iter().map(|&ty| variable(f, ty)).collect()).collect();
        let spread = vec![false; parts.len()];
        let seen = parts.iter().map(|_| f.emit.variable("i1")).collect();
        let length = literal_length(f.shared.kernel, nest.group, nest.level);
        let one_block = |part: &ScanPart| length.is_some_and(|length| length <= part.block());
        let carry = parts
            .iter()
            .map(|part| {
                if nest.chained || part.exact || one_block(part) {
                    return Carry::None;
                }
                let values = part.types.iter().map(|&ty| variable(f, ty)).collect();
                Carry::Kept(values, f.emit.variable("i1"))
            })
            .collect();
        let steps = parts
            .iter()
            .map(|part| (!lanes && part.in_vectors()).then(|| Steps::new(f, part.types[0])))
            .collect();
        let direction = nest.direction;
        Scans { parts, direction, lanes, running, spread, idle: HashMap::new(), seen, carry, steps }
    }

    /// Resets the running totals; to the carry in the row at `carry`, if there is one.
    pub fn reset(&mut self, f: &mut Function<'_, '_>, carry: Option<&str>) {
        f.with_lanes(LANES, |f| self.reset_lanes(f, carry));
    }

    fn reset_lanes(&mut self, f: &mut Function<'_, '_>, carry: Option<&str>) {
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
                    self.carry[position] = Carry::Given(before, any);
                }
            }
            if let Carry::Kept(variables, any) = &self.carry[position] {
                self.put(f, variables, &values);
                f.emit.line(format_args!("store i1 false, ptr {any}"));
            }
            if let Some(steps) = &self.steps[position] {
                steps.reset(f, &values[0]);
            }
            self.keep(f, position, &values);
            f.emit.line(format_args!("store i1 {seen}, ptr {}", self.seen[position]));
        }
    }

    pub(super) fn current(&self, f: &mut Function<'_, '_>, position: usize) -> Vec<Val> {
        self.read(f, &self.running[position], &self.parts[position].types)
    }

    fn read(&self, f: &mut Function<'_, '_>, variables: &[Name], types: &[ScalarType]) -> Vec<Val> {
        let mut values = Vec::new();
        for (variable, &ty) in variables.iter().zip(types) {
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

    pub(super) fn keep(&self, f: &mut Function<'_, '_>, position: usize, values: &[Val]) {
        self.put(f, &self.running[position], values);
    }

    fn put(&self, f: &mut Function<'_, '_>, variables: &[Name], values: &[Val]) {
        for (variable, val) in variables.iter().zip(values) {
            if self.lanes {
                let (wide, name) = (f.emit.vector_type(val.ty), f.emit.vector(val));
                f.emit.line(format_args!("store {wide} {name}, ptr {variable}"));
            } else {
                let name = f.emit.scalar(val);
                f.emit.line(format_args!("store {} {name}, ptr {variable}", llvm_type(val.ty)));
            }
        }
    }

    /// Returns the total of earlier pieces or blocks, and whether a point came before.
    pub(super) fn earlier(&self, f: &mut Function<'_, '_>, position: usize) -> Option<(Vec<Val>, Val)> {
        match &self.carry[position] {
            Carry::None => None,
            Carry::Given(values, any) => Some((values.clone(), any.clone())),
            Carry::Kept(variables, any) => {
                let values = self.read(f, variables, &self.parts[position].types);
                let any = f.emit.define(format_args!("load i1, ptr {any}"));
                Some((values, Val::uniform(ScalarType::Bool, Depth::Here, any)))
            }
        }
    }

    /// Emits the begin of a block of a group: the running total goes into the carry.
    pub(super) fn enter_block(&self, f: &mut Function<'_, '_>, position: usize) {
        let (part, Carry::Kept(variables, any)) = (&self.parts[position], &self.carry[position]) else {
            return;
        };
        let behind = match (self.direction, self.lanes) {
            (Direction::Forward, _) => 0,
            (Direction::Backward, true) => f.emit.lanes,
            (Direction::Backward, false) => 1,
        };
        let at = f.emit.position.clone();
        let first = f.emit.define(format_args!("add i64 {at}, {behind}"));
        let within = f.emit.define(format_args!("and i64 {first}, {}", part.block() - 1));
        let enters = f.emit.define(format_args!("icmp eq i64 {within}, 0"));
        let outcome = when(f, &enters, &mut |f| {
            let (carry, running) = (self.read(f, variables, &part.types), self.current(f, position));
            let mut sum = self.in_order(f, part.part, &carry, &running);
            let seen = f.emit.define(format_args!("load i1, ptr {}", self.seen[position]));
            let before = f.emit.define(format_args!("load i1, ptr {any}"));
            let start = match &part.identity {
                Some(identity) => identity.iter().map(|&scalar| Val::constant(scalar)).collect(),
                None => {
                    let [own, all] = [&seen, &before]
                        .map(|flag| Val::uniform(ScalarType::Bool, Depth::Here, flag.clone()));
                    for at in 0..sum.len() {
                        let both = f.emit.blend(&own, &sum[at], &carry[at]);
                        sum[at] = f.emit.blend(&all, &both, &running[at]);
                    }
                    part.unit.iter().map(|&scalar| Val::constant(scalar)).collect::<Vec<Val>>()
                }
            };
            self.put(f, variables, &sum);
            self.keep(f, position, &start);
            let seen = f.emit.define(format_args!("or i1 {seen}, {before}"));
            f.emit.line(format_args!("store i1 {seen}, ptr {any}"));
            f.emit.line(format_args!("store i1 false, ptr {}", self.seen[position]));
            Ok(())
        });
        outcome.expect("a block's begin is plain code");
    }

    /// Combines two values in index order.
    pub(super) fn in_order(
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
    fn earlier_lanes(&self, lanes: usize, steps: usize) -> Vec<Option<usize>> {
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
        let order = self.earlier_lanes(lanes, steps);
        let items: Vec<String> = order.iter().map(|lane| format!("i32 {}", lane.unwrap_or(lanes))).collect();
        let mask = format!("<{lanes} x i32> <{}>", items.join(", "));
        Val::varying(
            val.ty,
            f.emit.define(format_args!("shufflevector {wide} {vector}, {wide} {idle}, {mask}")),
        )
    }

    /// Emits the prefixes at W points, from the results of the combinator's thunk. Zero where the mask does not hold.
    pub fn vector(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) -> Vec<Val> {
        let mut results = vec![Vec::new(); values.len()];
        let all = [values, std::slice::from_ref(mask)].concat();
        f.by_lanes(LANES, self.direction, &all, |f, first, part| {
            let (mask, values) = part.split_last().expect("the mask is last");
            let some = self.prefixes(f, step, values, mask);
            results.iter_mut().zip(some).for_each(|(result, some)| result.push((first, some)));
        });
        results.into_iter().map(|parts| f.all_lanes(parts)).collect()
    }

    fn prefixes(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) -> Vec<Val> {
        let lanes = f.emit.lanes;
        let mut results: Vec<Val> = values.to_vec();
        for position in 0..self.parts.len() {
            let part = self.parts[position].clone();
            if part.step != step {
                continue;
            }
            self.enter_block(f, position);
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
            if let Some((carry, _)) = self.earlier(f, position) {
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
        let all = [values, std::slice::from_ref(mask)].concat();
        f.by_lanes(LANES, self.direction, &all, |f, _, part| {
            let (mask, values) = part.split_last().expect("the mask is last");
            self.total_of_lanes(f, step, values, mask);
        });
    }

    fn total_of_lanes(&mut self, f: &mut Function<'_, '_>, step: usize, values: &[Val], mask: &Val) {
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
    pub(super) fn totals(&self, f: &mut Function<'_, '_>, position: usize) -> Vec<Val> {
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
        let before = match self.earlier(f, position) {
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
}

/// Extracts one lane as a uniform value.
fn lane(f: &mut Function<'_, '_>, val: &Val, lane: usize) -> Val {
    let (wide, vector) = (f.emit.vector_type(val.ty), f.emit.vector(val));
    let name = f.emit.define(format_args!("extractelement {wide} {vector}, i64 {lane}"));
    Val::uniform(val.ty, Depth::Here, name)
}
