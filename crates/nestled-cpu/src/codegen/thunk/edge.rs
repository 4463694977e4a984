//! Clamped reads across the end of a row: one contiguous masked load, and a broadcast of the first or last element to the lanes beyond.
//!
//! A gather for the few vectors at the ends of a row would take longer than all vectors between them.

use super::Run;
use super::fetch::Memory;
use super::read::{At, ElementWalk, Source};
use crate::codegen::point::StepRef;
use crate::codegen::value::{Depth, Form, Val};
use nestled_ir::{Op, Rule, Scalar, ScalarType};

impl Run<'_, '_, '_> {
    /// Emits a clamped read along the last axis, if vectors run along it. `row` has the start of the row's elements, and their number. `None` if
    /// another way is needed.
    pub fn edge(&mut self, source: &Source, at: &At, row: (&Val, &Val), walk: &ElementWalk) -> Option<Val> {
        let (start, extent) = row;
        let along = matches!(at.val.form, Form::Linear { stride: 1, .. });
        // Where there are points, their axes are not empty.
        let own = &self.lane.captures.space[..self.lane.point.coordinates.len()];
        let last = source.array.axes.last()?;
        let exists = matches!(last.step, StepRef::Extent(_)) && own.iter().any(|own| own.axis == last.axis);
        let suits = at.rule == Rule::Clamp
            && self.lane.assumed.is_none()
            && along
            && exists
            && !matches!(source.elem, ScalarType::Bool | ScalarType::F16)
            && [start, extent, &walk.surely].into_iter().all(|val| val.uniform_depth().is_some());
        if !suits {
            return None;
        }
        // Uniform values may be loaded before it is known whether there are points.
        let some = self.within(&Val::idx(0), extent);
        let surely = self.emit.and(&walk.surely, &some);
        let memory = Memory {
            data: &source.array.data,
            elem: source.elem,
            from: source.from,
            below: None,
            dereferenceable: source.array.dereferenceable.as_ref(),
            slide: None,
        };
        let zero = Val::idx(0);
        let below = self.emit.op(Op::Lt, &[at.val.clone(), zero.clone()]);
        let within = self.within(&at.val, extent);
        let ends = match source.ring.as_ref().is_some_and(|ring| ring.width.is_some()) {
            // The first and the last element may be outside of the strip; where no lane needs them, those of the first and the last lane are loaded
            // instead.
            true => {
                let first = self.emit.first(&at.val);
                let behind = self.emit.lanes - 1;
                let last = self.emit.define(format_args!("add i64 {first}, {behind}"));
                [first, last].map(|index| {
                    let index = Val::uniform(ScalarType::Idx, Depth::Here, index);
                    self.clamped(&index, extent)
                })
            }
            false => [zero.clone(), self.sum(extent, &Val::idx(-1))],
        };
        let [left, right] = ends.map(|index| {
            let at = self.sum(start, &index);
            let safe = self.emit.blend(&surely, &at, &zero);
            self.load_scalar(memory, &safe)
        });
        let ends = self.emit.blend(&below, &left, &right);
        let mask = self.emit.and(&walk.inside, &within);
        let position = self.sum(start, &at.val);
        let val = self.load_vector(memory, &position, &mask, &ends);
        if walk.inside.is(Scalar::Bool(true)) {
            return Some(val);
        }
        let nothing = Val::constant(Scalar::zero(source.elem));
        let outside = match &source.default {
            Some(default) => self.emit.blend(&walk.zero, &nothing, default),
            None => nothing,
        };
        Some(self.emit.blend(&walk.inside, &val, &outside))
    }
}
