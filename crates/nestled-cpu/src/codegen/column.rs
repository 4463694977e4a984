//! Rows of points across groups: one point of each group of a block, at the same place in its group.

use super::frame::Frame;
use super::function::Function;
use super::group_block::Layout;
use super::point::Point;
use super::sinks::Sinks;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;

/// A row of points, one of each group of a block.
#[derive(Clone, Debug)]
pub struct Column {
    /// The coordinates of the points in their groups, each with the extent of its axis.
    pub inner: Vec<(Name, Name)>,
    /// The address of the row of accumulators.
    pub row: Name,
    /// The coordinate of the block's first group.
    pub begin: Name,
    /// The prefetch distance: to the row visited next, in elements of an array with one element for each point; `None` without prefetching. Rows are short and far apart,
    /// so the next row is prefetched while this one is processed.
    pub next: Option<Name>,
}

impl Column {
    /// Returns the points of W groups, from the first lane's coordinate on; `start` is the number of the group with coordinate 0.
    pub fn point(&self, f: &mut Function<'_, '_>, frame: &Frame, start: &str, mask: Val) -> Point {
        let (mut coordinates, mut positions) = (frame.coordinates.clone(), frame.positions.clone());
        coordinates.push(lane_coordinate(coordinates.len()));
        let group = Val::linear(start.into(), 1, Depth::Row);
        let (mut number, wide) = (f.emit.vector(&group), f.emit.wide("i64"));
        positions.push(group);
        for (element, length) in &self.inner {
            let mut coordinate = Val::uniform(ScalarType::Idx, Depth::Row, element.clone());
            coordinate.coordinate = Some(coordinates.len());
            coordinates.push(coordinate);
            let length = f.emit.splat(Depth::Row, "i64", length);
            let element = f.emit.splat(Depth::Row, "i64", element);
            let first = f.emit.define(format_args!("mul {wide} {number}, {length}"));
            number = f.emit.define(format_args!("add {wide} {first}, {element}"));
            positions.push(Val::varying(ScalarType::Idx, number.clone()));
        }
        Point { coordinates, positions, mask, own: Default::default() }
    }

    /// Directs reductions to the accumulators of W groups, from coordinate `first` on.
    pub fn place(&self, f: &mut Function<'_, '_>, sinks: &mut Sinks, first: &str) {
        let at = f.emit.define(format_args!("sub i64 {first}, {}", self.begin));
        let parts = sinks.accumulators.parts.clone();
        let layout = Layout::of(parts);
        sinks.accumulators = layout.accumulators(f, &self.row, &at);
    }
}

fn lane_coordinate(axis: usize) -> Val {
    let mut coordinate = Val::linear("0".into(), 1, Depth::Entry);
    coordinate.coordinate = Some(axis);
    coordinate
}

/// Computes the coordinates of a group's point, each with the extent of its axis.
pub fn inner(f: &mut Function<'_, '_>, element: &str, extents: &[Name]) -> Vec<(Name, Name)> {
    let mut inner = Vec::new();
    let mut rest: Name = element.into();
    for (axis, extent) in extents.iter().enumerate().rev() {
        let mut coordinate = rest.clone();
        if axis > 0 {
            coordinate = f.emit.define(format_args!("urem i64 {rest}, {extent}"));
            rest = f.emit.define(format_args!("udiv i64 {rest}, {extent}"));
        }
        inner.push((coordinate, extent.clone()));
    }
    inner.reverse();
    inner
}
