//! Decoding of point numbers: computes the coordinates and positions of groups and rows from the number that a loop counts.

use super::function::Function;
use super::point::StepRef;
use super::text::Name;
use super::value::{Depth, Form, Val};
use nestled_ir::{ScalarType, ValueId};
use std::collections::HashMap;

/// A point of an outer level, with the values known there.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its coordinates.
    pub coordinates: Vec<Val>,
    /// The numbers of the points that contain it, its own last.
    pub positions: Vec<Val>,
    /// The number of the first element below it.
    pub base: Name,
    /// The values bound at it.
    pub made: HashMap<ValueId, Val>,
}

/// Returns a uniform value as known before the loop that begins now.
pub fn at_row(val: &Val) -> Val {
    known_at(val, Depth::Row)
}

fn known_at(val: &Val, depth: Depth) -> Val {
    let mut val = val.clone();
    if val.form == Form::Uniform(Depth::Here) {
        val.form = Form::Uniform(depth);
    }
    val
}

impl Frame {
    /// Returns the frame of the whole.
    pub fn whole() -> Frame {
        Frame {
            coordinates: Vec::new(),
            positions: vec![Val::idx(0)],
            base: "0".into(),
            made: HashMap::new(),
        }
    }

    /// Returns the frame as known before the loop that begins now.
    pub fn at_row(&self) -> Frame {
        self.known_at(Depth::Row)
    }

    /// Returns the frame as known before a loop over rows that begins now.
    pub fn at_group(&self) -> Frame {
        self.known_at(Depth::Group)
    }

    fn known_at(&self, depth: Depth) -> Frame {
        let known = |val| known_at(val, depth);
        Frame {
            coordinates: self.coordinates.iter().map(known).collect(),
            positions: self.positions.iter().map(known).collect(),
            base: self.base.clone(),
            made: self.made.iter().map(|(&bind, val)| (bind, known(val))).collect(),
        }
    }
}

impl Function<'_, '_> {
    fn step(&self, level: usize) -> StepRef {
        self.captures.space[level].step.clone()
    }

    /// Returns the number of the first point of `level + 1` below point `number` of `level`.
    fn first_below(&mut self, level: usize, number: &str) -> Name {
        match self.step(level) {
            StepRef::Extent(extent) => {
                let extent = self.emit.scalar(&extent);
                self.emit.define(format_args!("mul i64 {number}, {extent}"))
            }
            StepRef::Offsets(offsets) => self.load(Depth::Here, &offsets, ScalarType::I64, number).name,
            StepRef::View { .. } => unreachable!("a space is made of shapes"),
        }
    }

    /// Returns the number of the first element of level `to` below point `number` of level `from`.
    pub fn first_of(&mut self, from: usize, to: usize, number: &str) -> Name {
        let mut number: Name = number.into();
        for level in from..to {
            number = self.first_below(level, &number);
        }
        number
    }

    /// Returns the point of a level that contains point `number` of the next level.
    pub fn parent(&mut self, level: usize, number: &str) -> Name {
        match self.step(level) {
            StepRef::Extent(extent) => {
                let extent = self.emit.scalar(&extent);
                self.emit.define(format_args!("udiv i64 {number}, {extent}"))
            }
            StepRef::Offsets(offsets) => self.segment_of(level, &offsets, number),
            StepRef::View { .. } => unreachable!("a space is made of shapes"),
        }
    }

    /// Decodes the coordinates and numbers of point `number` of a level.
    pub fn decode(&mut self, level: usize, number: &str) -> (Vec<Val>, Vec<Val>) {
        let mut coordinates = Vec::new();
        let mut positions = vec![Val::uniform(ScalarType::Idx, Depth::Here, number.into())];
        let mut number: Name = number.into();
        for outer in (0..level).rev() {
            let parent: Name = if outer == 0 { "0".into() } else { self.parent(outer, &number) };
            let first = if outer == 0 { "0".into() } else { self.first_below(outer, &parent) };
            let coordinate = match &*first {
                "0" => number.clone(),
                first => self.emit.define(format_args!("sub i64 {number}, {first}")),
            };
            let mut val = Val::uniform(ScalarType::Idx, Depth::Here, coordinate);
            val.coordinate = Some(outer);
            coordinates.push(val);
            positions.push(match outer {
                0 => Val::idx(0),
                _ => Val::uniform(ScalarType::Idx, Depth::Here, parent.clone()),
            });
            number = parent;
        }
        if level == 0 {
            positions = vec![Val::idx(0)];
        }
        coordinates.reverse();
        positions.reverse();
        (coordinates, positions)
    }

    /// Decodes the coordinates and numbers of point `number` of a level below a point of an outer one, whose known coordinates save a division for
    /// each axis. `None` if there are segments in between.
    pub fn decode_below(
        &mut self,
        outer: usize,
        frame: &Frame,
        level: usize,
        number: &str,
    ) -> Option<(Vec<Val>, Vec<Val>)> {
        let extents: Option<Vec<Val>> = (outer..level)
            .map(|axis| match self.step(axis) {
                StepRef::Extent(extent) => Some(extent),
                StepRef::Offsets(_) | StepRef::View { .. } => None,
            })
            .collect();
        let (extents, own) = (extents?, frame.positions.get(outer)?.clone());
        if outer == 0 || frame.coordinates.len() != outer || frame.positions.len() != outer + 1 {
            return None;
        }
        // The number of the first point of the level below the outer point.
        let mut first = self.emit.scalar(&own);
        for extent in &extents {
            let extent = self.emit.scalar(extent);
            first = self.emit.define(format_args!("mul i64 {first}, {extent}"));
        }
        let mut rest = self.emit.define(format_args!("sub i64 {number}, {first}"));
        let (mut coordinates, mut positions) = (Vec::new(), Vec::new());
        let mut point: Name = number.into();
        for (axis, extent) in (outer..level).zip(&extents).rev() {
            positions.push(Val::uniform(ScalarType::Idx, Depth::Here, point.clone()));
            let mut coordinate = rest.clone();
            if axis > outer {
                let extent = self.emit.scalar(extent);
                let above = self.emit.define(format_args!("udiv i64 {rest}, {extent}"));
                let begin = self.emit.define(format_args!("mul i64 {above}, {extent}"));
                coordinate = self.emit.define(format_args!("sub i64 {rest}, {begin}"));
                point = self.emit.define(format_args!("udiv i64 {point}, {extent}"));
                rest = above;
            }
            let mut val = Val::uniform(ScalarType::Idx, Depth::Here, coordinate);
            val.coordinate = Some(axis);
            coordinates.push(val);
        }
        let mut all = (frame.coordinates.clone(), frame.positions.clone());
        all.0.extend(coordinates.into_iter().rev());
        all.1.extend(positions.into_iter().rev());
        Some(all)
    }

    /// Returns placeholder coordinates for a nest that knows points by their numbers only, as uniform as those are.
    pub fn no_coordinates(&self, level: usize, number: &Val) -> Vec<Val> {
        (0..level)
            .map(|axis| {
                let mut val = match number.uniform_depth() {
                    Some(_) => Val::idx(0),
                    None => Val::linear("0".into(), 1, Depth::Entry),
                };
                val.coordinate = Some(axis);
                val
            })
            .collect()
    }
}
