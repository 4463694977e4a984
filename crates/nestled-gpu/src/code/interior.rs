//! Interior versions of maps over grids: the condition under which a point runs them. `plan/interior.rs` says what they are.

use super::writer::Writer;
use crate::plan::{Along, Inner, Pass, Schedule, Step, needs};
use crate::text::Text;
use nestled_ir::Thunk;

impl Writer<'_> {
    /// Returns the simplifications of a thunk while the interior version is emitted.
    pub fn inner_of(&self, thunk: &Thunk) -> Option<Inner> {
        self.inner.then(|| Inner::of(self.kernel, &self.space, thunk))
    }

    /// Emits the function that tells whether a point, and `more` points after it in its row, are in the interior. Returns its name, or `None` if there is
    /// no interior version.
    pub fn write_inside(&mut self, number: usize, pass: &Pass) -> Option<String> {
        if !matches!(&pass.schedule, Schedule::Maps(maps) if maps.interior) {
            return None;
        }
        let needs = needs(self.kernel, &self.space, &pass.maps);
        let name = format!("inside{number}");
        let point = self.point_type(pass.level);
        let params = [("p".to_owned(), point), ("more".to_owned(), "i32".to_owned())];
        let mut text = Text::default();
        text.open(self.dialect.function(&name, &params, Some("bool")));
        let conditions: Vec<String> = needs.iter().map(|need| self.is_positive(pass.level, need)).collect();
        text.line(format!("return {};", conditions.join(" && ")));
        text.close();
        self.define(text.finish());
        Some(name)
    }

    /// Emits a condition such as `p.c0 + (-1) >= 0`.
    fn is_positive(&self, level: usize, need: &Along) -> String {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        if let Some((axis, minus)) = need.coordinate {
            let last = if minus && axis + 1 == level { " + more" } else { "" };
            if minus { &mut right } else { &mut left }.push(format!("p.c{axis}{last}"));
        }
        if let Some((shape, minus)) = need.extent {
            let extent = self.step_extent(Step::Extent(shape), "0");
            if minus { &mut right } else { &mut left }.push(extent);
        }
        left.push(self.dialect.small(need.low));
        let right = if right.is_empty() { self.dialect.small(0) } else { right.join(" + ") };
        format!("({} >= {right})", left.join(" + "))
    }
}
