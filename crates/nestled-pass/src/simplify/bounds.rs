//! Reads that cannot be out of range, because of what the types say: equal symbols are equal shapes.
//!
//! An index is inside its axis if it is
//! - the own coordinate along the same axis of the space (`xs[i]` in a kernel `over n`, with `xs: [n]f32`);
//! - the counter of a loop from a literal that is not negative to the extent of the axis, or to the `len` of the segment;
//! - a literal below a literal extent.
//!
//! Its rule becomes `proved`: one fault less that a device looks for, and code that cannot fault can be shared, moved and dropped.

use super::thunk::ThunkScope;
use nestled_ir::typing::Scope;
use nestled_ir::{Atom, Axis, Index, LocalId, Rule, Scalar, Shape, SiteId, StmtKind, Type, ValueId};

/// What is known about locals while a thunk is walked.
#[derive(Debug, Default)]
pub struct Ranges {
    /// For counters of loops: where they begin and end.
    pub counters: std::collections::HashMap<LocalId, (Atom, Atom)>,
    /// For results of `len`: the segmentation, and the parent's coordinates.
    pub lengths: std::collections::HashMap<LocalId, (ValueId, Vec<Atom>)>,
}

/// One coordinate of an array.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Coordinate {
    /// Along an extent.
    Extent(Axis),
    /// Inside a segment.
    Segment(ValueId),
}

/// Marks the indices of a read that are inside their axis.
pub fn prove(read: &mut StmtKind, n_params: usize, scope: &ThunkScope<'_>, ranges: &Ranges) {
    let StmtKind::Read { dst: _, array, index, default, site } = read else { return };
    let Some(array) = scope.values[array.index()].ty.as_array() else { return };
    let mut coordinates = Vec::new();
    expand(Scope::new(scope.values), &array.shape, &mut coordinates);
    let inside: Vec<bool> = coordinates
        .iter()
        .enumerate()
        .map(|(k, &coordinate)| is_inside(k, coordinate, index, n_params, scope, ranges))
        .collect();
    for (index, _) in index.iter_mut().zip(inside).filter(|(_, inside)| *inside) {
        index.rule = Rule::Proved;
    }
    keep_what_rules_need(index, default, site);
}

/// A read has a default exactly if an axis asks for it, and a site exactly if an axis may fault.
fn keep_what_rules_need(index: &[Index], default: &mut Option<Atom>, site: &mut Option<SiteId>) {
    if index.iter().all(|index| index.rule != Rule::Else) {
        *default = None;
    }
    if index.iter().all(|index| index.rule != Rule::Fault) {
        *site = None;
    }
}

/// The coordinates of a shape: for a segmentation those of its parent, then the position in the segment.
fn expand(values: Scope<'_>, shape: &Shape, coordinates: &mut Vec<Coordinate>) {
    for &axis in &shape.axes {
        match axis {
            Axis::Sym(symbol) => match values.ty(symbol) {
                Type::Seg(seg) => {
                    expand(values, &seg.parent, coordinates);
                    coordinates.push(Coordinate::Segment(symbol));
                }
                Type::Dim | Type::Array(_) => coordinates.push(Coordinate::Extent(axis)),
            },
            Axis::Const(_) => coordinates.push(Coordinate::Extent(axis)),
        }
    }
}

fn is_inside(
    k: usize,
    coordinate: Coordinate,
    index: &[Index],
    n_params: usize,
    scope: &ThunkScope<'_>,
    ranges: &Ranges,
) -> bool {
    let at = index[k].at;
    let own_axis = |local: LocalId| {
        if local.index() < n_params { scope.space.get(local.index()).copied() } else { None }
    };
    match (at, coordinate) {
        (Atom::Local(local), Coordinate::Extent(axis)) => {
            own_axis(local) == Some(axis)
                || ranges.counters.get(&local).is_some_and(|&(from, to)| counts_inside(from, to, axis))
        }
        (Atom::Local(local), Coordinate::Segment(seg)) => {
            let own = own_axis(local) == Some(Axis::Sym(seg))
                && local.index() == k
                && (0..k).all(|outer| index[outer].at == Atom::Local(LocalId::from(outer)));
            own || ranges
                .counters
                .get(&local)
                .is_some_and(|&(from, to)| counts_segment(from, to, seg, &index[..k], ranges))
        }
        (Atom::Const(Scalar::Idx(at)), Coordinate::Extent(Axis::Const(extent))) => {
            u64::try_from(at).is_ok_and(|at| at < extent)
        }
        (Atom::Const(_) | Atom::Value(_), _) => false,
    }
}

fn starts_inside(from: Atom) -> bool {
    matches!(from, Atom::Const(Scalar::Idx(from)) if from >= 0)
}

/// Whether a loop counts positions of an axis.
fn counts_inside(from: Atom, to: Atom, axis: Axis) -> bool {
    let ends_inside = match (to, axis) {
        (Atom::Value(value), Axis::Sym(symbol)) => value == symbol,
        (Atom::Const(Scalar::Idx(to)), Axis::Const(extent)) => {
            u64::try_from(to).map_or(true, |to| to <= extent)
        }
        _ => false,
    };
    starts_inside(from) && ends_inside
}

/// Whether a loop counts positions of the segment that outer indices name.
fn counts_segment(from: Atom, to: Atom, seg: ValueId, outer: &[Index], ranges: &Ranges) -> bool {
    let Atom::Local(to) = to else { return false };
    let Some((of, at)) = ranges.lengths.get(&to) else { return false };
    starts_inside(from) && *of == seg && outer.iter().map(|index| index.at).eq(at.iter().copied())
}
