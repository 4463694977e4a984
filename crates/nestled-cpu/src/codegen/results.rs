//! Results of reductions at groups: stored in memory, and bound for the combinators that run at the groups.

use super::Unsupported;
use super::frame::Frame;
use super::function::Function;
use super::point::Point;
use super::value::{Depth, Val};
use nestled_ir::ValueId;
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use std::collections::HashMap;

/// Returns the bound value of each component of a part.
fn binds(f: &Function<'_, '_>, part: &Part) -> Vec<ValueId> {
    let binds = &f.shared.kernel.steps[part.step].binds;
    binds[part.first..part.first + part.types.len()].to_vec()
}

/// Stores the results of one group, whose number is `at`.
pub fn store_results(f: &mut Function<'_, '_>, parts: &[Part], values: &[Vec<Val>], at: &str) {
    for (part, values) in parts.iter().zip(values) {
        for (bind, val) in binds(f, part).into_iter().zip(values) {
            if let Some(data) = f.stored(bind) {
                let name = f.emit.scalar(val);
                f.store(&data, val.ty, at, &name);
            }
        }
    }
}

/// Binds the results of one group.
pub fn bind_results(f: &Function<'_, '_>, parts: &[Part], values: &[Vec<Val>], frame: &mut Frame) {
    for (part, values) in parts.iter().zip(values) {
        frame.made.extend(binds(f, part).into_iter().zip(values.iter().cloned()));
    }
}

/// Stores and binds the results of one group after its only sweep, and emits the combinators that run at it then.
pub fn close_group(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    (parts, values): (&[Part], &[Vec<Val>]),
    (frame, at): (&mut Frame, &str),
) -> Result<(), Unsupported> {
    store_results(f, parts, values, at);
    bind_results(f, parts, values, frame);
    f.group_steps(nest, 1, frame)
}

/// Stores the results of W groups of a sweep, and runs the combinators at the groups after it. The coordinates along the last axis begin with that of
/// the first lane; `outer` is the point above the groups. Returns the values bound at the groups then.
pub fn lane_results(
    f: &mut Function<'_, '_>,
    nest: &Nest,
    (sweep, outer): (usize, &Frame),
    (parts, values): (&[Part], &[Vec<Val>]),
    mask: &Val,
) -> Result<HashMap<ValueId, Val>, Unsupported> {
    let (mut coordinates, mut positions) = (outer.coordinates.clone(), outer.positions.clone());
    let mut coordinate = Val::linear("0".into(), 1, Depth::Entry);
    coordinate.coordinate = Some(coordinates.len());
    coordinates.push(coordinate);
    positions.push(Val::linear(outer.base.clone(), 1, Depth::Here));
    let first = f.emit.first_lane.clone();
    let number = f.emit.define(format_args!("add i64 {}, {first}", outer.base));
    let mut made: HashMap<ValueId, Val> = outer.made.clone();
    for (part, values) in parts.iter().zip(values) {
        for (bind, val) in binds(f, part).into_iter().zip(values) {
            if let Some(data) = f.stored(bind) {
                f.store_vector(&data, &number, val, mask, false);
            }
            made.insert(bind, val.clone());
        }
    }
    let point = Point { coordinates, positions, mask: mask.clone(), own: Default::default() };
    for step in nest.before_sweep(sweep + 1) {
        let binds = f.group_step(step, &point, &made)?;
        made.extend(binds);
    }
    Ok(made)
}
