//! Short groups, sixteen at a time.
//!
//! The values of a short group are computed as one masked vector, which is a row of a square; then the square is turned round, so that each
//! group has a lane, and its values are combined from left to right in all lanes at once. No jump depends on how
//! long a group is. Groups that are not short are left over, as bits.

use super::Unsupported;
use super::control::{each, when};
use super::emit::llvm_type;
use super::frame::Frame;
use super::function::Function;
use super::loops::{Row, Walk};
use super::plan::{At, Nest, Walk as Order, reads};
use super::point::Point;
use super::reduce::{self, Accumulators, Part};
use super::scan::Scans;
use super::steps::{Phase, Sinks};
use super::stream::Writers;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Atom, CombinatorKind, Direction, ScalarType, StmtKind, ValueId};
use std::collections::HashMap;

/// Groups of a batch, and positions of a group that is short.
pub const SIDE: usize = 16;

/// A batch with more elements has few short groups.
const MANY: usize = 24 * SIDE;

/// Each component is turned round by itself.
const MAX_COMPONENTS: usize = 2;

/// Whether short groups of a nest can run in batches.
pub fn suits(f: &Function<'_, '_>, nest: &Nest) -> bool {
    let parts = reduce::parts(f, nest.in_sweep(0));
    let components: usize = parts.iter().map(|part| part.types.len()).sum();
    nest.group == 1
        && nest.level == 2
        && nest.sweeps() == 1
        && nest.walk == Order::Vectors
        && nest.direction == Direction::Forward
        && f.emit.lanes == SIDE
        && (1..=MAX_COMPONENTS).contains(&components)
        && reads_own(f, nest)
        && nest.items.iter().all(|item| can_run(f, item.step, item.at))
}

fn can_run(f: &Function<'_, '_>, step: usize, at: At) -> bool {
    let combinator = &f.shared.kernel.steps[step];
    let suits = match (at, &combinator.kind) {
        (At::Group(1), CombinatorKind::Map) | (At::Element(_), CombinatorKind::Map) => true,
        (At::Element(_), CombinatorKind::Reduce { .. }) => reduce::parts(f, [step].into_iter())
            .iter()
            .all(|part| part.identity.is_some() && !(combinator.guard.is_some() && part.counts())),
        _ => false,
    };
    suits && reads(combinator).1.is_empty()
}

/// Whether there are only operations on elements of the group, which may run for nobody: a loop might not end, and what is read elsewhere is
/// there only if the group has a point, and better loaded one after another than gathered for a few lanes.
fn reads_own(f: &Function<'_, '_>, nest: &Nest) -> bool {
    let mut own = nest.flat;
    for step in nest.in_sweep(0) {
        f.shared.kernel.steps[step].body.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Own { .. } | StmtKind::Op { .. } => {}
            StmtKind::Read { index, .. } => {
                own &= index
                    .iter()
                    .enumerate()
                    .all(|(axis, index)| matches!(index.at, Atom::Local(local) if local.index() == axis));
            }
            _ => own = false,
        });
    }
    own
}

/// Runs the short ones of the groups `first..first + 16` and writes to `pending`, an `i64` variable, which are left, lowest bit first.
/// `pending` says that all are, before.
pub fn write(f: &mut Function<'_, '_>, nest: &Nest, first: &Name, pending: &str) -> Result<(), Unsupported> {
    let past = f.emit.define(format_args!("add i64 {first}, {SIDE}"));
    let (begin, end) = (f.first_of(1, 2, first), f.first_of(1, 2, &past));
    let elements = f.emit.define(format_args!("sub i64 {end}, {begin}"));
    let few = f.emit.define(format_args!("icmp sle i64 {elements}, {MANY}"));
    when(f, &few, &mut |f| square(f, nest, first, pending))
}

fn square(f: &mut Function<'_, '_>, nest: &Nest, first: &Name, pending: &str) -> Result<(), Unsupported> {
    let parts = reduce::parts(f, nest.in_sweep(0));
    let lengths = f.emit.variable(&format!("[{SIDE} x i64]"));
    let mut rooms: Vec<Vec<Name>> = Vec::new();
    for part in &parts {
        let types: Vec<String> = part.types.iter().map(|&ty| f.emit.vector_type(ty)).collect();
        rooms.push(types.iter().map(|ty| f.emit.variable(&format!("[{SIDE} x {ty}]"))).collect());
    }
    let writers = Writers::new(f, Vec::new());
    let scans = Scans::new(f, Vec::new(), nest.direction, true);
    let mut sinks = Sinks { accumulators: Accumulators::at(parts.clone(), Vec::new()), scans, writers };
    each(f, "0", &SIDE.to_string(), 1, &mut |f, number| {
        let group = f.emit.define(format_args!("add i64 {first}, {number}"));
        let next = f.emit.define(format_args!("add i64 {group}, 1"));
        let (begin, end) = (f.first_of(1, 2, &group), f.first_of(1, 2, &next));
        let length = f.emit.define(format_args!("sub i64 {end}, {begin}"));
        let place = f.emit.define(format_args!("getelementptr inbounds i64, ptr {lengths}, i64 {number}"));
        f.set(&place, &length);
        sinks.accumulators = row(f, &parts, &rooms, number);
        sinks.accumulators.reset(f);
        let less = f.emit.define(format_args!("sub i64 {length}, 1"));
        let short = f.emit.define(format_args!("icmp ult i64 {less}, {SIDE}"));
        let taken = f.emit.define(format_args!("select i1 {short}, i64 {length}, i64 0"));
        f.emit.row = f.emit.text.mark();
        let (coordinates, positions) = f.decode(1, &group);
        let frame = Frame { coordinates, positions, base: begin.clone(), made: HashMap::new() }.at_row();
        let walk = Walk {
            nest,
            sweep: 0,
            phase: Phase::Main,
            frame: frame.clone(),
            from: "0".into(),
            to: taken.clone(),
        };
        let mask = f.border_mask("0", "0", &taken, false);
        let row = Row { frame, start: begin.clone(), offset: "0".into(), column: None };
        let visit = f.visit(&walk, &row, &row.frame, "0".into(), mask);
        f.sweep_steps(nest, 0, visit, &row.frame.made, &mut sinks).map(|_| ())
    })?;
    let wide = f.emit.wide("i64");
    let length = f.emit.define(format_args!("load {wide}, ptr {lengths}, align 8"));
    let side = f.emit.splat_literal("i64", &SIDE.to_string());
    let mask = f.emit.define(format_args!("icmp sle {wide} {length}, {side}"));
    let mask = Val::varying(ScalarType::Bool, mask);
    let any = f.emit.define(format_args!("icmp sgt {wide} {length}, zeroinitializer"));
    let any = Val::varying(ScalarType::Bool, any);
    let mut all = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        let rows: Vec<Vec<Val>> = (0..SIDE)
            .map(|number| row(f, &parts, &rooms, &number.to_string()).current(f, position))
            .collect();
        let turned: Vec<Vec<Val>> = (0..part.types.len())
            .map(|component| turn(f, rows.iter().map(|row| row[component].clone()).collect()))
            .collect();
        let column = |number: usize| -> Vec<Val> {
            turned.iter().map(|component| component[number].clone()).collect()
        };
        let mut sum = column(0);
        for number in 1..SIDE {
            sum = f.combine(part.part, &sum, &column(number));
        }
        if part.counts() {
            for (val, &unit) in sum.iter_mut().zip(&part.unit) {
                *val = f.emit.blend(&any, val, &Val::constant(unit));
            }
        }
        all.push(sum);
    }
    f.emit.row = f.emit.text.mark();
    f.emit.first_lane = first.clone();
    results(f, nest, &Frame::whole(), (&parts, &all), &mask)?;
    let done = f.emit.bits(&mask);
    let left = f.emit.define(format_args!("xor i{SIDE} {done}, -1"));
    let left = f.emit.define(format_args!("zext i{SIDE} {left} to i64"));
    f.set(pending, &left);
    Ok(())
}

/// A row of the square.
fn row(f: &mut Function<'_, '_>, parts: &[Part], rooms: &[Vec<Name>], number: &str) -> Accumulators {
    let mut places = Vec::new();
    for (part, rooms) in parts.iter().zip(rooms) {
        let mut list = Vec::new();
        for (&ty, room) in part.types.iter().zip(rooms) {
            let wide = f.emit.wide(llvm_type(ty));
            list.push(f.emit.define(format_args!("getelementptr inbounds {wide}, ptr {room}, i64 {number}")));
        }
        places.push(list);
    }
    Accumulators::at(parts.to_vec(), places)
}

/// The columns of a square, from its rows.
fn turn(f: &mut Function<'_, '_>, mut rows: Vec<Val>) -> Vec<Val> {
    let mut step = 1;
    while step < SIDE {
        for upper in (0..SIDE).filter(|row| row & step == 0) {
            let (a, b) = (rows[upper].clone(), rows[upper + step].clone());
            // Lane l of the second operand is numbered 16 + l.
            let above = |lane: usize| if lane & step == 0 { lane } else { SIDE + lane - step };
            let below = |lane: usize| if lane & step == 0 { lane + step } else { SIDE + lane };
            rows[upper] = mix(f, &a, &b, above);
            rows[upper + step] = mix(f, &a, &b, below);
        }
        step *= 2;
    }
    rows
}

fn mix(f: &mut Function<'_, '_>, a: &Val, b: &Val, lane: impl Fn(usize) -> usize) -> Val {
    let (wide, left, right) = (f.emit.vector_type(a.ty), f.emit.vector(a), f.emit.vector(b));
    let order: Vec<String> = (0..SIDE).map(|at| format!("i32 {}", lane(at))).collect();
    let order = format!("<{SIDE} x i32> <{}>", order.join(", "));
    Val::varying(a.ty, f.emit.define(format_args!("shufflevector {wide} {left}, {wide} {right}, {order}")))
}

/// Writes what W groups come to, and runs what runs at the groups. Their coordinates along the last axis begin with the first lane's; `outer`
/// is the point that they lie below.
pub fn results(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    outer: &Frame,
    (parts, values): (&[Part], &[Vec<Val>]),
    mask: &Val,
) -> Result<(), Unsupported> {
    let (mut coordinates, mut positions) = (outer.coordinates.clone(), outer.positions.clone());
    let mut coordinate = Val::linear("0".into(), 1, Depth::Entry);
    coordinate.coordinate = Some(coordinates.len());
    coordinates.push(coordinate);
    positions.push(Val::linear(outer.base.clone(), 1, Depth::Here));
    let first = f.emit.first_lane.clone();
    let number = f.emit.define(format_args!("add i64 {}, {first}", outer.base));
    let mut made: HashMap<ValueId, Val> = outer.made.clone();
    for (part, values) in parts.iter().zip(values) {
        for (bind, val) in super::nest::binds(f, part).into_iter().zip(values) {
            if let Some(data) = f.stored(bind) {
                f.store_vector(&data, &number, val, mask, false);
            }
            made.insert(bind, val.clone());
        }
    }
    let point = Point { coordinates, positions, mask: mask.clone(), own: Default::default() };
    for step in nest.before_sweep(1) {
        let binds = f.group_step(step, &point, &made)?;
        made.extend(binds);
    }
    Ok(())
}
