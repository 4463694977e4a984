//! Narrower vectors: what must go in order takes a vector of W lanes sixteen after sixteen.

use super::function::Function;
use super::reduce::shuffle;
use super::value::{Form, Val};
use nestled_ir::{Direction, ScalarType};

impl Function<'_, '_> {
    /// Emits once for each part of so many lanes of these values, with the part's first lane and the values in it, in this direction.
    pub fn by_lanes(
        &mut self,
        lanes: usize,
        direction: Direction,
        vals: &[Val],
        mut emit: impl FnMut(&mut Self, usize, &[Val]),
    ) {
        let mut firsts: Vec<usize> = (0..self.emit.lanes).step_by(lanes).collect();
        if direction == Direction::Backward {
            firsts.reverse();
        }
        for first in firsts {
            let part: Vec<Val> = vals.iter().map(|val| self.some_lanes(val, first, lanes)).collect();
            self.with_lanes(lanes, |f| emit(f, first, &part));
        }
    }

    /// Emits with so many lanes instead of W.
    pub fn with_lanes<R>(&mut self, lanes: usize, emit: impl FnOnce(&mut Self) -> R) -> R {
        let wider = std::mem::replace(&mut self.emit.lanes, lanes);
        let result = emit(self);
        self.emit.lanes = wider;
        result
    }

    /// Returns a vector of W lanes from parts, each with its first lane.
    pub fn all_lanes(&mut self, mut parts: Vec<(usize, Val)>) -> Val {
        parts.sort_by_key(|(first, _)| *first);
        let mut vals: Vec<Val> = parts.into_iter().map(|(_, val)| val).collect();
        let all = self.emit.lanes;
        let mut lanes = all / vals.len();
        while vals.len() > 1 {
            vals =
                vals.chunks(2).map(|pair| self.with_lanes(lanes, |f| f.joined(&pair[0], &pair[1]))).collect();
            lanes *= 2;
        }
        vals.remove(0)
    }

    /// Returns the lanes of two values, one behind the other.
    fn joined(&mut self, low: &Val, high: &Val) -> Val {
        let (wide, lanes) = (self.emit.vector_type(low.ty), 2 * self.emit.lanes);
        let (a, b) = (self.emit.vector(low), self.emit.vector(high));
        let order: Vec<String> = (0..lanes).map(|lane| format!("i32 {lane}")).collect();
        let order = format!("<{lanes} x i32> <{}>", order.join(", "));
        Val::varying(low.ty, self.emit.define(format_args!("shufflevector {wide} {a}, {wide} {b}, {order}")))
    }

    /// Returns so many lanes of a value, from `first` on.
    fn some_lanes(&mut self, val: &Val, first: usize, lanes: usize) -> Val {
        if lanes == self.emit.lanes || val.uniform_depth().is_some() {
            return val.clone();
        }
        let order: Vec<usize> = (first..first + lanes).collect();
        if val.form == Form::Narrow {
            let words = Val::varying(ScalarType::I32, val.name.clone());
            return Val::narrow(shuffle(self, &words, &order).name);
        }
        shuffle(self, val, &order)
    }
}
