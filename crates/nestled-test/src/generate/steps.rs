//! Generation of combinators of a kernel.

use super::class::Class;
use super::expr::{self, Code, Known, random_scalar, random_type};
use super::host::HostCode;
use super::kernel::{KernelCode, or_zero};
use super::monoids::{self, Choice};
use super::surroundings::BindFacts;
use super::thunk::{SITE, ThunkCode};
use nestled_ir::{
    Atom, Axis, CombinatorKind, Direction, HostAtom, Inclusion, Level, Monoid, MonoidOp, Scalar, ScalarType,
    ValueId,
};

/// Writes a random kernel over something in scope and runs it.
pub fn random_kernel(host: &mut HostCode<'_>) {
    let axes = random_space(host);
    let mut kernel = KernelCode::over(host, &axes);
    let most = 1 + host.g.random.below(4);
    kernel.capture_some(host, most);
    let heavy = kernel.points[kernel.rank()] > 1000;
    let n = 1 + host.g.random.below(if heavy { 2 } else { host.g.size.combinators });
    for _ in 0..n {
        kernel.step(host);
    }
    let ret = kernel.choose_results(host);
    kernel.run(host, ret);
}

fn random_space(host: &mut HostCode<'_>) -> Vec<Axis> {
    if host.g.random.chance(5) {
        return Vec::new();
    }
    let limit = host.g.size.points;
    for _ in 0..6 {
        let shape = host.some_shape();
        let mut axes = host.chain(&shape);
        let long = host.g.long && host.g.random.chance(40);
        if axes.len() > 8 || (host.points(&shape) > limit && !long) {
            continue;
        }
        while axes.len() < 8 && host.g.random.chance(20) {
            let extra = host.some_axis();
            if host.points(&shape).saturating_mul(host.axis_bound(extra)) > limit {
                break;
            }
            axes.push(extra);
            if host.g.random.chance(70) || space_bound(host, &axes) > limit {
                break;
            }
        }
        if space_bound(host, &axes) <= limit.max(host.points(&shape)) {
            return axes;
        }
    }
    vec![Axis::Const(3)]
}

fn space_bound(host: &HostCode<'_>, axes: &[Axis]) -> u64 {
    axes.iter().fold(1u64, |points, &axis| match axis {
        Axis::Sym(symbol) if host.ty(symbol).as_seg().is_some() => host.axis_bound(axis),
        _ => points.saturating_mul(host.axis_bound(axis)),
    })
}

impl KernelCode {
    /// Captures some arrays, scalars and shapes, those over the own space more often.
    pub fn capture_some(&mut self, host: &mut HostCode<'_>, most: usize) {
        for _ in 0..most {
            let all = host.arrays(|_, _| true);
            if all.is_empty() {
                break;
            }
            let array = *host.g.random.pick(&all);
            let chain = host.chain(&host.array_type(array).shape.clone());
            let near = chain.iter().all(|&axis| {
                let axis = host.canonical(axis);
                matches!(axis, Axis::Const(_)) || self.formals.has(axis)
            });
            if near || host.g.random.chance(40) {
                self.capture(host, array);
            }
        }
        if host.g.random.chance(50) {
            let ty = random_type(&mut host.g.random);
            let scalar = expr::want_in(host, ty, Class::base(ty), 1);
            self.capture_scalar(scalar);
        }
        let segs = host.segs();
        if !segs.is_empty() && host.g.random.chance(20) {
            let seg = *host.g.random.pick(&segs);
            self.formals.axis(host, Axis::Sym(seg));
        }
    }

    fn step(&mut self, host: &mut HostCode<'_>) {
        let rank = self.rank();
        let inner = usize::from(rank > 0);
        match host.g.random.weighted(&[5, 4 * inner, 4 * inner, 3 * inner, 2 * inner, 2]) {
            0 => self.map(host),
            1 => self.reduce(host),
            2 => self.scan(host),
            3 => self.filter(host),
            4 => self.partition(host),
            _ => self.permute(host),
        }
    }

    /// A level, mostly the deepest, but at least `least`.
    pub(super) fn level(&self, host: &mut HostCode<'_>, least: usize) -> usize {
        let rank = self.rank();
        if host.g.random.chance(60) { rank } else { least + host.g.random.below(rank + 1 - least) }
    }

    fn guards(&self, level: usize) -> Vec<ValueId> {
        let fine = |bind: &&BindFacts| {
            bind.map && bind.ty == ScalarType::Bool && bind.guard.is_none() && bind.level <= level
        };
        self.around.binds.iter().filter(fine).map(|bind| bind.id).collect()
    }

    pub(super) fn some_guard(&mut self, host: &mut HostCode<'_>, level: usize) -> Option<ValueId> {
        let guards = self.guards(level);
        if guards.is_empty() && host.g.random.chance(15) {
            return Some(self.condition(host, level));
        }
        if guards.is_empty() || host.g.random.chance(45) {
            return None;
        }
        Some(*host.g.random.pick(&guards))
    }

    fn map(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 0);
        let guard = self.some_guard(host, level);
        let n = 1 + host.g.random.below(3);
        let (body, results) = self.thunk(host, level, guard, |code| some_results(code, n));
        self.add(CombinatorKind::Map, guard, body, &or_zero(&results, guard));
    }

    fn reduce(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 1);
        let to = Level(host.g.random.below(level));
        let guard = self.some_guard(host, level);
        let choice = monoids::choose(host.g, self.points[level]);
        let (body, _) = self.thunk(host, level, guard, |code| combined(code, &choice));
        self.add(CombinatorKind::Reduce { to, monoid: choice.monoid }, guard, body, &choice.results);
    }

    fn scan(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 1);
        let within = Level(host.g.random.below(level));
        let guard = self.some_guard(host, level);
        let choice = monoids::choose(host.g, self.points[level]);
        let (body, _) = self.thunk(host, level, guard, |code| combined(code, &choice));
        let kind = CombinatorKind::Scan {
            within,
            monoid: choice.monoid,
            inclusion: *host.g.random.pick(&[Inclusion::Exclusive, Inclusion::Inclusive]),
            direction: *host.g.random.pick(&[Direction::Forward, Direction::Backward]),
        };
        self.add(kind, guard, body, &choice.results);
    }

    fn filter(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 1);
        let guards = self.guards(level);
        let guard = if guards.is_empty() || host.g.random.chance(30) {
            self.condition(host, level)
        } else {
            *host.g.random.pick(&guards)
        };
        let within = Level(host.g.random.below(level));
        let n = 1 + host.g.random.below(2);
        let (body, results) = self.thunk(host, level, Some(guard), |code| some_results(code, n));
        let classes: Vec<Class> = results.iter().map(|known| known.class).collect();
        self.add(CombinatorKind::Filter { within }, Some(guard), body, &classes);
    }

    /// A `map` of a condition, to guard others.
    fn condition(&mut self, host: &mut HostCode<'_>, level: usize) -> ValueId {
        let at = if host.g.random.chance(80) { level } else { host.g.random.below(level + 1) };
        let (body, _) = self.thunk(host, at, None, |code| vec![expr::want(code, ScalarType::Bool, 3)]);
        self.add(CombinatorKind::Map, None, body, &[Class::Any])[0]
    }

    fn partition(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 1);
        // A point of the result has the coordinates of the group, a class and a position: at most eight.
        let within = Level(host.g.random.below(level).min(6));
        let guard = self.some_guard(host, level);
        let classes = 1 + host.g.random.below(4) as i64;
        let slip = host.g.random.chance(host.g.size.faults);
        let n = 1 + host.g.random.below(2);
        let (body, results) = self.thunk(host, level, guard, |code| {
            let most = if slip { classes } else { classes - 1 };
            let class = expr::want_in(code, ScalarType::Idx, Class::Range(0, most), 2);
            let mut results = vec![class];
            results.extend(some_results(code, n));
            results
        });
        let site = (slip || host.g.random.chance(70)).then_some(SITE);
        let known: Vec<Class> = results[1..].iter().map(|known| known.class).collect();
        let kind = CombinatorKind::Partition { within, classes: classes as u64, site };
        self.add(kind, guard, body, &known);
    }

    /// Chooses the results of the kernel: of each step all that it bound, or a part.
    fn choose_results(&mut self, host: &mut HostCode<'_>) -> Vec<ValueId> {
        let mut ret = Vec::new();
        for (binds, has_shape) in self.bound() {
            let keep: Vec<ValueId> = binds.iter().copied().filter(|_| host.g.random.chance(80)).collect();
            if has_shape && !keep.is_empty() && !keep.contains(&binds[0]) {
                ret.push(binds[0]);
            }
            ret.extend(keep);
        }
        if ret.is_empty() {
            ret.extend(self.bound().pop().and_then(|(binds, _)| binds.first().copied()));
        }
        ret
    }
}

/// Some values: small counts among them, because lengths and positions are made of those.
pub(super) fn some_results(code: &mut ThunkCode<'_>, n: usize) -> Vec<Known<Atom>> {
    let depth = code.size.depth;
    (0..n)
        .map(|_| {
            let ty = random_type(code.random());
            let count = ty.is_integer() && code.random().chance(40);
            if count {
                expr::want_in(code, ty, Class::Range(0, 3), depth)
            } else {
                expr::want(code, ty, depth)
            }
        })
        .collect()
}

/// Values for a monoid.
pub(super) fn combined(code: &mut ThunkCode<'_>, choice: &Choice) -> Vec<Known<Atom>> {
    let value = |&(ty, class): &(ScalarType, Class)| {
        let known = expr::want(code, ty, 2);
        monoids::bring(code, known, class)
    };
    choice.wanted.iter().map(value).collect()
}

/// Filters the points of a shape by a random condition: returns their number, which is a new extent, and arrays over them.
pub fn packed(host: &mut HostCode<'_>, axes: &[Axis], wanted: &[(ScalarType, Class)]) -> Vec<ValueId> {
    let mut kernel = KernelCode::over(host, axes);
    kernel.capture_some(host, 2);
    let level = kernel.rank();
    let guard = kernel.condition(host, level);
    let (body, results) = kernel.thunk(host, level, Some(guard), |code| {
        wanted.iter().map(|&(ty, class)| expr::want_in(code, ty, class, 2)).collect()
    });
    let classes: Vec<Class> = results.iter().map(|known| known.class).collect();
    let binds = kernel.add(CombinatorKind::Filter { within: Level::WHOLE }, Some(guard), body, &classes);
    kernel.run(host, binds)
}

/// The sum of an array of any rank as a host scalar, so that the elements of the array affect host code.
pub fn total(host: &mut HostCode<'_>, array: ValueId) -> Option<HostAtom> {
    let ty = host.array_type(array).clone();
    if !ty.elem.is_integer() {
        return None;
    }
    let axes = host.chain(&ty.shape);
    let mut kernel = KernelCode::over(host, &axes);
    kernel.capture(host, array);
    let level = kernel.rank();
    let (body, _) = kernel.thunk(host, level, None, |code| vec![expr::want(code, ty.elem, 0)]);
    let monoid = Monoid::op(MonoidOp::Add);
    let binds = kernel.add(CombinatorKind::Reduce { to: Level::WHOLE, monoid }, None, body, &[Class::Any]);
    kernel.run(host, binds).first().map(|&id| HostAtom::Value(id))
}

/// A literal for each component of a scatter.
pub(super) fn fills(host: &mut HostCode<'_>, types: &[(ScalarType, Class)]) -> Vec<Scalar> {
    types
        .iter()
        .map(|&(ty, class)| match class {
            Class::Dyadic { .. } => expr::tame(&mut host.g.random, ty),
            Class::Range(from, to) => Scalar::from_bits(ty, host.g.random.between(from, to) as u64),
            Class::Any => random_scalar(&mut host.g.random, ty),
        })
        .collect()
}
