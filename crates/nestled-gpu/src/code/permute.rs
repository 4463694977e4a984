//! Scatters.
//!
//! ```text
//! base     a thread to a place of the destination: its value before anything is written
//! claim    a thread to a point: an atomic minimum notes the first (or the last) point for each place
//! move     a thread to a point: the noted point writes; with `clash fault` the others fault
//! ```
//!
//! `clash proved` needs no claims. `clash add` and its like use atomics where the result does not depend on the order (or any order is accepted) and
//! a word or two hold the value. Other monoids combine [runs](super::runs) of sorted points. Where places are few, workgroups first
//! [accumulate](super::gather) in shared memory.

use super::Unsupported;
use super::home::Lies;
use super::module::Scratch;
use super::pack::{Packed, TOGETHER};
use super::privatised_scatter::Gathered;
use super::scatter::Scatter;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::{Atomic, Pass, Scatter as Schedule, Step, atomics};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Base, Collision, Combinator, Range, Shape};

/// The parameters of a scatter: destination, base, range rule and collision rule.
pub(super) type Which<'k> = (&'k Shape, &'k Base, Range, &'k Collision);

impl Writer<'_> {
    /// Emits a pass that scatters.
    pub fn permute_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (dest, base, range, collision): Which<'_>,
        schedule: Schedule,
    ) -> Result<(), Unsupported> {
        let element = self.element(number, pass, true)?;
        let steps = self.steps_of(&dest.axes);
        let rank = steps.len();
        let leaving = step.binds.iter().flat_map(|&bind| self.results_of(bind)).next();
        let scatter = leaving.map(|result| Scatter { number, level: pass.level, rank, result, step, base });
        if let Some(scatter) = &scatter {
            self.write_base(scatter)?;
        }
        self.write_target(number, &steps, range, &element.taken);
        let operations = match (schedule, collision) {
            (Schedule::Atomics | Schedule::Privatised, Collision::Combine(monoid)) => {
                atomics(monoid, &element.types[rank..], self.dialect.math)
            }
            _ => None,
        };
        match (schedule, &scatter, collision, operations.as_deref()) {
            (Schedule::Sort(long), Some(scatter), Collision::Combine(monoid), _) => {
                return self.runs(scatter, (monoid, long), &element);
            }
            (Schedule::Privatised, Some(scatter), _, Some(&[Atomic { name, cast }])) => {
                let gathered = Gathered::of(name, cast).expect("the plan has seen that shared memory has it");
                self.gather(scatter, &element, gathered);
                return Ok(());
            }
            _ => {}
        }
        let dialect = self.dialect;
        let locate = self.locate(pass.level);
        let visit = |writer: &Writer<'_>, text: &mut Text| {
            writer.thread(text);
            text.open(format!("if (at < {}) {{", writer.points(pass.level)));
            text.line(dialect.constant("taken", &element.taken, &format!("{}({locate}(at))", element.name)));
            text.line(dialect.constant("to", "i32", &format!("target{number}(at, taken)")));
            text.open("if (to >= 0) {");
        };
        let grid = Grid::Threads { of: Size::Level(pass.level), per: 1 };
        let claims = (schedule == Schedule::Claims).then(|| {
            let size = match &scatter {
                Some(scatter) => Size::Result(scatter.result),
                // The results are unused, but collisions must still be detected.
                None => self.destination(dest),
            };
            self.take(Scratch { size, words: 1, ones: true })
        });
        // The least key wins.
        let key = if *collision == Collision::Last { "4294967294u - u32(at)" } else { "u32(at)" };
        if let Some(claims) = claims {
            let mut text = Text::default();
            visit(self, &mut text);
            text.line(format!("atomic_min(address({claims}u), to, {key});"));
            text.close();
            text.close();
            self.entry(&format!("pass{number}_claim"), grid, &[], text);
        }
        let mut text = Text::default();
        visit(self, &mut text);
        if let Some(claims) = claims {
            text.open(format!("if (ld_u32(address({claims}u), to) == {key}) {{"));
        }
        for (position, &bind) in step.binds.iter().enumerate() {
            let repr = Repr::of(element.types[rank + position]);
            for result in self.results_of(bind) {
                let value = format!("taken.v{}", rank + position);
                let word = self.layout.result(result);
                match &operations {
                    None => text.line(Lies::InBuffer.store(repr, word, "to", &value)),
                    Some(operations) => {
                        let Atomic { name, cast } = operations[position];
                        let value = if cast { format!("u32({value})") } else { value };
                        text.line(format!("combine_{name}(address({word}u), to, {value});"));
                    }
                }
            }
        }
        if claims.is_some() {
            if let Collision::Fault(site) = collision {
                text.otherwise();
                text.line(format!("fault({}, at);", dialect.small(self.slot(*site) as i64)));
            }
            text.close();
        }
        text.close();
        text.close();
        self.entry(&format!("pass{number}_move"), grid, &[], text);
        Ok(())
    }

    fn write_base(&mut self, scatter: &Scatter<'_, '_>) -> Result<(), Unsupported> {
        let Scatter { number, result: first, step, .. } = *scatter;
        let mut text = Text::default();
        if step.binds.iter().any(|&bind| self.packs(Repr::of(self.elem(bind)))) {
            let places = format!("i32(word({}u))", self.layout.result(first) + 2);
            self.each_of_four(&mut text, &places, |text| self.base_at(text, scatter))?;
            let pieces = Size::ShareOfResult { at: first, elements: TOGETHER };
            let grid = Grid::Threads { of: pieces, per: 1 };
            self.entry(&format!("pass{number}_base"), grid, &[], text);
            return Ok(());
        }
        self.thread(&mut text);
        text.open(format!("if (at < i32(word({}u))) {{", self.layout.result(first) + 2));
        self.base_at(&mut text, scatter)?;
        text.close();
        let grid = Grid::Threads { of: Size::Result(first), per: 1 };
        self.entry(&format!("pass{number}_base"), grid, &[], text);
        Ok(())
    }

    /// Emits the stores of a place's base value. Returns those that are to be packed four at a time.
    fn base_at(&self, text: &mut Text, scatter: &Scatter<'_, '_>) -> Result<Vec<Packed>, Unsupported> {
        let mut packed = Vec::new();
        for (position, &bind) in scatter.step.binds.iter().enumerate() {
            let value = self.base_value(scatter, position, "at")?;
            let repr = Repr::of(self.elem(bind));
            let words: Vec<u32> =
                self.results_of(bind).into_iter().map(|at| self.layout.result(at)).collect();
            if self.packs(repr) {
                packed.push(Packed { repr, words, value });
                continue;
            }
            for word in words {
                text.line(Lies::InBuffer.store(repr, word, "at", &value));
            }
        }
        Ok(packed)
    }

    /// Returns the value of a place of the destination before anything is written.
    pub(super) fn base_value(
        &self,
        scatter: &Scatter<'_, '_>,
        position: usize,
        at: &str,
    ) -> Result<String, Unsupported> {
        let repr = Repr::of(self.elem(scatter.step.binds[position]));
        self.need(repr)?;
        Ok(match scatter.base {
            Base::Fill(values) => self.dialect.literal(values[position], repr),
            Base::Arrays(arrays) => {
                let param = self.kernel.params.iter().position(|param| *param == arrays[position]);
                let param = param.expect("the verifier lets only array parameters be a base");
                Lies::InBuffer.load(repr, self.layout.param(param), at)
            }
        })
    }

    /// Emits the function that returns the destination of a point: negative if there is none.
    fn write_target(&mut self, number: usize, steps: &[Step], range: Range, taken: &str) {
        let dialect = self.dialect;
        let mut text = Text::default();
        let params = [("at".to_owned(), "i32".to_owned()), ("taken".to_owned(), taken.to_owned())];
        text.open(dialect.function(&format!("target{number}"), &params, Some("i32")));
        let nowhere = format!("return {};", dialect.small(-1));
        text.line(format!("if (!taken.alive) {{ {nowhere} }}"));
        let mut place = dialect.small(0);
        for (axis, &step) in steps.iter().enumerate() {
            let extent = self.step_extent(step, &place);
            text.open(format!("if (!inside_i64(taken.v{axis}, {extent})) {{"));
            if let Range::Fault(site) = range {
                text.line(format!("fault({}, at);", dialect.small(self.slot(site) as i64)));
            }
            text.line(&nowhere);
            text.close();
            let start = self.step_start(step, &place);
            place = format!("to{axis}");
            let value = format!("add_i32({start}, narrow_i64(taken.v{axis}))");
            text.line(dialect.constant(&place, "i32", &value));
        }
        text.line(format!("return {place};"));
        text.close();
        self.define(text.finish());
    }
}
