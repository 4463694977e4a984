//! Generation of permutes (scatters): every destination, base, range and clash rule.

use super::class::Class;
use super::expr::{self, Code, Known};
use super::host::HostCode;
use super::kernel::KernelCode;
use super::monoids::{self, Choice};
use super::random::Random;
use super::steps::{combined, fills, some_results};
use super::surroundings::Coordinate;
use super::thunk::{SITE, ThunkCode};
use nestled_ir::typing::Scope;
use nestled_ir::{
    Atom, Base, Collision, CombinatorKind, Level, Op, Placement, Range, Scalar, ScalarType, Shape, ValueId,
};

impl KernelCode {
    pub(super) fn permute(&mut self, host: &mut HostCode<'_>) {
        let level = self.level(host, 0);
        let guard = self.some_guard(host, level);
        let target = self.destination(host, level);
        let dest = self.formals.shape(host, &target);
        let coordinates = self.coordinates(&dest);
        let one_to_one = coordinates.len() == level && self.around.own_prefix(&coordinates, level) == level;
        let one_to_one = one_to_one && host.g.random.chance(60);
        let collision = collision(host, one_to_one, self.points[level]);
        let choice = match &collision {
            Rule::Combine(choice) => Some(choice.clone()),
            Rule::Plain(_) => None,
        };
        let n = 1 + host.g.random.below(2);
        let updated = if choice.is_none() { updated(host, &target, n) } else { Vec::new() };
        let elems: Vec<ScalarType> = updated.iter().map(|&array| host.array_type(array).elem).collect();
        let slip = host.g.random.chance(host.g.size.faults);
        let (body, results) = self.thunk(host, level, guard, |code| {
            let mut results =
                if one_to_one { own(code, &coordinates) } else { somewhere(code, &coordinates) };
            match &choice {
                Some(choice) => results.extend(combined(code, choice)),
                None if elems.is_empty() => results.extend(some_results(code, n)),
                None => results.extend(elems.iter().map(|&elem| expr::want(code, elem, 2))),
            }
            results
        });
        let range = range(&mut host.g.random, one_to_one, slip);
        let values = &results[coordinates.len()..];
        let wanted: Vec<(ScalarType, Class)> = match &choice {
            Some(choice) => choice.wanted.clone(),
            None => values.iter().map(|known| (known.ty, Class::Any)).collect(),
        };
        let (base, bases) = if updated.is_empty() {
            self.base(host, &target, &wanted)
        } else {
            let classes = updated.iter().map(|&array| host.fact(array).class).collect();
            (Base::Arrays(updated.iter().map(|&array| self.capture(host, array)).collect()), classes)
        };
        let classes: Vec<Class> = match &choice {
            Some(choice) => choice.results.clone(),
            None => values.iter().zip(&bases).map(|(known, base)| known.class.join(*base)).collect(),
        };
        let collision = match collision {
            Rule::Plain(collision) => collision,
            Rule::Combine(choice) => Collision::Combine(choice.monoid),
        };
        self.add(CombinatorKind::Permute { dest, base, range, collision }, guard, body, &classes);
    }

    /// A shape of the caller: that of a level of this kernel, or another.
    fn destination(&self, host: &mut HostCode<'_>, level: usize) -> Shape {
        if level > 0 && host.g.random.chance(40) {
            return Scope::new(&host.values).level_shape(&self.callers_space, Level(level));
        }
        for _ in 0..4 {
            let shape = host.some_shape();
            let wide = host.chain(&shape).len();
            if host.points(&shape) <= host.g.size.points * 2 && wide <= 8 {
                return shape;
            }
        }
        Shape::new([nestled_ir::Axis::Const(4)])
    }

    /// The base, and the class of its elements.
    fn base(
        &mut self,
        host: &mut HostCode<'_>,
        dest: &Shape,
        wanted: &[(ScalarType, Class)],
    ) -> (Base, Vec<Class>) {
        let mut arrays = Vec::new();
        let mut classes = Vec::new();
        for &(ty, class) in wanted {
            let fine: Vec<ValueId> = host.arrays(|array, fact| {
                let dense = array.placement == Placement::Dense;
                array.elem == ty && dense && fact.class.fits(class) && host.same_shape(&array.shape, dest)
            });
            if !fine.is_empty() {
                let array = *host.g.random.pick(&fine);
                classes.push(host.fact(array).class);
                arrays.push(array);
            }
        }
        if arrays.len() == wanted.len() && host.g.random.chance(80) {
            return (Base::Arrays(arrays.iter().map(|&array| self.capture(host, array)).collect()), classes);
        }
        let fills = fills(host, wanted);
        let classes = fills.iter().map(|&fill| Class::of(fill)).collect();
        (Base::Fill(fills), classes)
    }
}

/// Arrays of the caller that a scatter may begin with.
fn updated(host: &mut HostCode<'_>, dest: &Shape, n: usize) -> Vec<ValueId> {
    let fine =
        host.arrays(|array, _| array.placement == Placement::Dense && host.same_shape(&array.shape, dest));
    if fine.is_empty() || host.g.random.chance(30) {
        return Vec::new();
    }
    (0..n).map(|_| *host.g.random.pick(&fine)).collect()
}

/// A rule for collisions, with all that is known about its monoid.
enum Rule {
    Plain(Collision),
    Combine(Choice),
}

fn collision(host: &mut HostCode<'_>, one_to_one: bool, points: u64) -> Rule {
    let (proved, fault) = if one_to_one { (3, 3) } else { (0, usize::from(host.g.random.chance(10))) };
    match host.g.random.weighted(&[proved, fault, 3, 3, 3]) {
        0 => Rule::Plain(Collision::Proved),
        1 => Rule::Plain(Collision::Fault(SITE)),
        2 => Rule::Plain(Collision::First),
        3 => Rule::Plain(Collision::Last),
        _ => Rule::Combine(monoids::choose(host.g, points + 1)),
    }
}

fn range(random: &mut Random, inside: bool, slip: bool) -> Range {
    let proved = if inside { 2 } else { 0 };
    match random.weighted(&[3, proved, if inside || slip { 4 } else { 0 }]) {
        0 => Range::Drop,
        1 => Range::Proved,
        _ => Range::Fault(SITE),
    }
}

/// The own point, or along one extent the one mirrored.
fn own(code: &mut ThunkCode<'_>, coordinates: &[Coordinate]) -> Vec<Known<Atom>> {
    let mut at: Vec<Known<Atom>> = (0..coordinates.len()).map(|axis| code.coordinate(axis)).collect();
    let last = coordinates.len().wrapping_sub(1);
    let extent = match coordinates.last() {
        Some(Coordinate::Extent(n)) => {
            Known { atom: Atom::Value(*n), ty: ScalarType::Idx, class: Class::Any }
        }
        Some(Coordinate::Const(n)) => expr::exactly(code, Scalar::Idx(*n as i64)),
        Some(Coordinate::Segment(_)) | None => return at,
    };
    if code.random().chance(60) {
        let one = expr::index(code, 1);
        let end = expr::must(code, Op::Sub, &[extent, one]);
        at[last] = expr::must(code, Op::Sub, &[end, at[last]]);
    }
    at
}

/// Any point, mostly inside.
fn somewhere(code: &mut ThunkCode<'_>, coordinates: &[Coordinate]) -> Vec<Known<Atom>> {
    let mut at: Vec<Known<Atom>> = Vec::new();
    for &coordinate in coordinates {
        let place = match coordinate {
            Coordinate::Const(n) if n > 0 => {
                expr::want_in(code, ScalarType::Idx, Class::Range(0, n as i64 - 1), 2)
            }
            Coordinate::Extent(n) => {
                let extent = Known { atom: Atom::Value(n), ty: ScalarType::Idx, class: Class::Any };
                let place = expr::want(code, ScalarType::Idx, 2);
                if code.random().chance(85) {
                    expr::must(code, Op::RemFloor, &[place, extent])
                } else {
                    place
                }
            }
            Coordinate::Segment(seg) => code.inside_segment(seg, &at),
            Coordinate::Const(_) => expr::want(code, ScalarType::Idx, 1),
        };
        at.push(place);
    }
    at
}
