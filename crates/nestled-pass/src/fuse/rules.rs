//! Legality of fusion: which values may flow from one run to another inside a kernel.
//!
//! A kernel's space is a chain of levels, so two runs can share one only where the space of one is a prefix of the other's: then a point of a level of both has the same
//! coordinates. In such a pair
//!
//! | made by | read by a combinator of its own or a deeper level | |
//! |---|---|---|
//! | `map` | at its own point | a register |
//! | `map`, `scan` | at a constant distance, on a grid, at the same level | a window |
//! | `scan` | at its own point | a register |
//! | `reduce` | at its own point | where it is read below its level, one more sweep |
//! | `once`, `reduce @0` | as a scalar | the same; scalar host code on the way becomes a `once` |
//! | `filter` | by a kernel over the points that it keeps | a `map` under the filter's guard |
//! | `partition proved` | by a kernel over its classes, if order does not matter | a `map` before the points are split |
//! | `permute` | at its own point, if each place gets one point, and order does not matter | a `map` before the scatter |
//! | other `partition` and `permute`, `serial` | | never: it only leaves, and a `serial` runs alone |
//!
//! All other reads go through memory. The further conditions on a consumer over the points of a filter or partition, or over the places of a scatter, are tested by
//! [merging](super::merge) the two.

use super::access::Access;
use super::reason::Reason;
use super::uses::ParamUse;
use nestled_ir::typing::Scope;
use nestled_ir::{Axis, Combinator, CombinatorKind, Kernel, Level, ThunkPart, ValueId};

/// Checks that a consumer may read, inside one kernel, an array that a combinator of the producer binds.
pub fn array_flow(producer: &Kernel, bind: ValueId, reader: &ParamUse) -> Result<(), Reason> {
    let maker = readable(producer, bind)?;
    if reader.is_base {
        return Err(Reason::IsBase);
    }
    for (level, access) in &reader.reads {
        match access {
            Access::Own => {}
            Access::Near(_) => window(producer, maker, *level)?,
            Access::Anywhere => return Err(Reason::AnotherPoint),
        }
    }
    Ok(())
}

/// Checks that a consumer may run over the points that a filter of the producer keeps, or a partition splits. The producer calls their shape `shape`, the consumer `formal`.
pub fn filter_flow(
    producer: &Kernel,
    shape: ValueId,
    consumer: &Kernel,
    formal: ValueId,
    reader: &ParamUse,
    may_fault: bool,
) -> Result<(), Reason> {
    let kept = producer.binder(shape).and_then(|(_, step)| kept_points(&step.kind));
    let Some(Kept { within, axes }) = kept else { return Err(Reason::ShapeIsMade) };
    let runs_over =
        consumer.space.len() == within + axes && consumer.space.last() == Some(&Axis::Sym(formal));
    if !runs_over {
        Err(Reason::ShapeIsMade)
    } else if reader.is_operand || reader.is_asked || reader.is_size {
        Err(Reason::CountIsNeeded)
    } else if may_fault {
        Err(Reason::MayFault)
    } else {
        Ok(())
    }
}

/// The names of points in the shape that a filter or partition makes.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The level within which it packs or splits.
    pub within: usize,
    /// The number of axes behind that: a position, or a class and a position.
    pub axes: usize,
}

/// Returns how a filter names the points that it keeps, or a partition those that it splits, if consumers may run over them before they move. Not of a partition that may fault,
/// which takes points into class 0 that have another for their readers.
pub fn kept_points(kind: &CombinatorKind) -> Option<Kept> {
    match *kind {
        CombinatorKind::Filter { within } => Some(Kept { within: within.0, axes: 1 }),
        CombinatorKind::Partition { within, classes: _, site: None } => {
            Some(Kept { within: within.0, axes: 2 })
        }
        CombinatorKind::Partition { site: Some(_), .. }
        | CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => None,
    }
}

/// Checks that a consumer over the points of a filter or partition may read an array of them, inside one kernel.
pub fn packed_flow(reader: &ParamUse) -> Result<(), Reason> {
    if reader.is_base {
        return Err(Reason::IsBase);
    }
    let is_own = reader.reads.iter().all(|(_, access)| *access == Access::Own);
    if is_own { Ok(()) } else { Err(Reason::AnotherPoint) }
}

/// Checks that a consumer may read, inside one kernel, an array that a one-to-one scatter moves: it reads at the points before they move.
pub fn scattered_flow(consumer: &Kernel, reader: &ParamUse, may_fault: bool) -> Result<(), Reason> {
    packed_flow(reader)?;
    if may_fault {
        Err(Reason::MayFault)
    } else if consumer.space.len() != 1 {
        Err(Reason::OtherSpace)
    } else {
        Ok(())
    }
}

/// Checks that a consumer may use, inside one kernel, a scalar that a combinator of the producer binds.
pub fn scalar_flow(producer: &Kernel, bind: ValueId, reader: &ParamUse) -> Result<(), Reason> {
    readable(producer, bind)?;
    if reader.is_size { Err(Reason::IsSize) } else { Ok(()) }
}

/// Returns the combinator that binds a value, if others may read it.
fn readable(producer: &Kernel, bind: ValueId) -> Result<&Combinator, Reason> {
    let Some((position, maker)) = producer.binder(bind) else { return Err(Reason::ThroughHost) };
    if !maker.kind.is_readable() {
        let is_shape = producer.values[bind.index()].ty.is_shape();
        return Err(if is_shape { Reason::CountIsNeeded } else { Reason::OnlyLeaves(maker.kind.name()) });
    }
    if !can_do_without_guard(producer, position) {
        return Err(Reason::GuardedScan);
    }
    Ok(maker)
}

/// True if a combinator can do without its guard: a `map` can, with an `if` instead, as long as all guarded combinators that it reads can.
fn can_do_without_guard(kernel: &Kernel, position: usize) -> bool {
    let mut guarded = vec![false; position + 1];
    guarded[position] = true;
    for at in (0..=position).rev() {
        let step = &kernel.steps[at];
        if !guarded[at] || step.guard.is_none() || matches!(step.kind, CombinatorKind::Reduce { .. }) {
            continue;
        }
        if step.kind != CombinatorKind::Map {
            return false;
        }
        step.body.body.walk(&mut |stmt| {
            stmt.kind.for_each_part(&mut |part| {
                if let ThunkPart::Earlier(bind) = part
                    && let Some((binder, _)) = kernel.binder(*bind)
                {
                    guarded[binder] = true;
                }
            });
        });
    }
    true
}

/// Checks that a reader at a level may read neighbours of its point (a stencil).
fn window(producer: &Kernel, maker: &Combinator, reader: Level) -> Result<(), Reason> {
    let scope = Scope::new(&producer.values);
    let is_grid = !producer.space[..maker.level().0].iter().any(|&axis| scope.is_seg(axis));
    if is_grid && maker.kind.keeps_points() && maker.level() == reader {
        Ok(())
    } else {
        Err(Reason::NoWindow)
    }
}
