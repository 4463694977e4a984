//! Monoids defined by the program: their thunk combines one value after another.

use super::function::Function;
use super::lane::Lane;
use super::monoid;
use super::point::Point;
use super::value::Val;
use nestled_ir::MonoidPart;
use std::collections::HashMap;

impl Function<'_, '_> {
    /// Emits the combination of values by a part of a monoid; for a monoid of the program, by its thunk, which does not fault.
    pub fn combine(&mut self, part: MonoidPart, left: &[Val], right: &[Val]) -> Vec<Val> {
        let shared = &mut *self.shared;
        let (program, kernel) = (shared.program, shared.kernel);
        let point = Point {
            coordinates: Vec::new(),
            positions: Vec::new(),
            mask: Val::truth(true),
            own: HashMap::new(),
        };
        let (captures, faults, privates, wide) =
            (&self.captures, &mut shared.faults, &mut self.privates, shared.wide);
        let mut lane = Lane {
            program,
            kernel,
            captures,
            faults,
            privates,
            point: &point,
            assumed: None,
            beside: false,
            wide,
            alone: false,
            given: Vec::new(),
        };
        let refused = &mut shared.refused;
        monoid::combine(&mut self.emit, program, part, left, right, &mut |emit, thunk, args| {
            // The result is never used: the whole kernel is refused then.
            lane.run_named(emit, thunk, args).unwrap_or_else(|error| {
                *refused = Some(error);
                args[..args.len() / 2].to_vec()
            })
        })
    }
}
