//! Decoding of point numbers: computes coordinates from the number of a point, and the points of a group.

use super::writer::Writer;
use crate::plan::{Step, steps_of};
use nestled_ir::Axis;

impl Writer<'_> {
    /// Returns the steps of the axes of an array or of a space.
    pub fn steps_of(&self, axes: &[Axis]) -> Vec<Step> {
        steps_of(self.kernel, axes)
    }

    /// Returns the number of points that the point `at` owns.
    pub fn step_extent(&self, step: Step, at: &str) -> String {
        match step {
            Step::Const(extent) => self.dialect.small(extent as i64),
            Step::Extent(shape) => format!("extent({}u)", self.layout.shape_size(shape)),
            Step::Seg(seg) | Step::Placed { seg, .. } => {
                format!("seg_length({}u, {at})", self.layout.shape(seg))
            }
        }
    }

    /// Returns the first point that the point `at` owns.
    pub fn step_start(&self, step: Step, at: &str) -> String {
        match step {
            Step::Const(_) | Step::Extent(_) if at == self.dialect.small(0) => at.to_owned(),
            Step::Const(_) | Step::Extent(_) => format!("mul_i32({at}, {})", self.step_extent(step, at)),
            Step::Seg(seg) => format!("seg_start({}u, {at})", self.layout.shape(seg)),
            Step::Placed { param, .. } => {
                let word = self.layout.starts(param);
                format!("ld_small(address({word}u), {})", self.within(at, word))
            }
        }
    }

    /// Returns the number of points of a level of the space.
    pub fn points(&self, level: usize) -> String {
        self.points_of(&self.space[..level])
    }

    /// Returns the number of points that steps lead to.
    pub fn points_of(&self, steps: &[Step]) -> String {
        steps.iter().fold(self.dialect.small(1), |before, &step| match step {
            Step::Seg(seg) => format!("seg_total({}u, {before})", self.layout.shape(seg)),
            _ if before == self.dialect.small(1) => self.step_extent(step, &before),
            _ => format!("mul_i32({before}, {})", self.step_extent(step, &before)),
        })
    }

    /// Returns the first point at `level` that a point of level `from`, or a later one, owns.
    pub fn below(&self, from: usize, level: usize, at: &str) -> String {
        self.space[from..level].iter().fold(at.to_owned(), |at, &step| self.step_start(step, &at))
    }

    /// Returns the type of points of a level, and defines it at first use: positions `a0`, `a1` … at each level, coordinates `c0`, `c1` ….
    pub fn point_type(&mut self, level: usize) -> String {
        let name = format!("Point{level}");
        if self.once(&name) {
            let int = || "i32".to_owned();
            let positions = (0..=level).map(|level| (format!("a{level}"), int()));
            let coordinates = (0..level).map(|axis| (format!("c{axis}"), int()));
            let fields: Vec<(String, String)> = positions.chain(coordinates).collect();
            let text = self.dialect.structure(&name, &fields);
            self.define(text);
        }
        name
    }

    /// Returns the function that decodes the number of a point of a level, and defines it at first use.
    pub fn locate(&mut self, level: usize) -> String {
        let name = format!("locate{level}");
        if self.once(&name) {
            let ty = self.point_type(level);
            let mut text = crate::text::Text::default();
            text.open(self.dialect.function(&name, &[("at".into(), "i32".into())], Some(&ty)));
            text.line(self.dialect.constant(&format!("a{level}"), "i32", "at"));
            for axis in (0..level).rev() {
                let (inner, outer) = (format!("a{}", axis + 1), format!("a{axis}"));
                let (owner, coordinate) = match self.space[axis] {
                    _ if axis == 0 => (self.dialect.small(0), inner.clone()),
                    Step::Seg(seg) => {
                        let owners = self.points(axis);
                        let seg_at = self.layout.shape(seg);
                        let owner = format!("seg_owner({seg_at}u, {inner}, {owners})");
                        (owner, format!("sub_i32({inner}, seg_start({seg_at}u, {outer}))"))
                    }
                    step => {
                        let extent = self.step_extent(step, &outer);
                        let owner = format!("div_i32({inner}, {extent})");
                        (owner, format!("sub_i32({inner}, mul_i32({outer}, {extent}))"))
                    }
                };
                text.line(self.dialect.constant(&outer, "i32", &owner));
                text.line(self.dialect.constant(&format!("c{axis}"), "i32", &coordinate));
            }
            let positions = (0..=level).map(|level| format!("a{level}"));
            let fields: Vec<String> = positions.chain((0..level).map(|axis| format!("c{axis}"))).collect();
            text.line(format!("return {};", self.dialect.make(&ty, &fields)));
            text.close();
            self.define(text.finish());
        }
        name
    }
}
