//! Scatters.
//!
//! ```text
//! base     a thread to a place of the destination: what it holds before anything is written
//! claim    a thread to a point: of the points that want a place the first (or the last) is noted, by an atomic minimum
//! move     a thread to a point: who was noted writes; with `clash fault` the others fault
//! ```
//!
//! `clash proved` needs no claims; `clash add` and its like are atomic where integers of 32 bits are combined. Other monoids are left to the interpreter.

use super::Unsupported;
use super::entry::store;
use super::module::{Scratch, Writer};
use super::sizes::{Grid, Size};
use crate::plan::Pass;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Base, Collision, Combinator, MonoidOp, MonoidPart, Range, Shape};

/// Which scatter.
pub(super) type Which<'k> = (&'k Shape, &'k Base, Range, &'k Collision);

impl Writer<'_> {
    /// A pass that scatters.
    pub fn permute_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (dest, base, range, collision): Which<'_>,
    ) -> Result<(), Unsupported> {
        let element = self.element(number, pass, true)?;
        let steps = self.steps_of(&dest.axes);
        let rank = steps.len();
        let leaving: Vec<usize> = step.binds.iter().flat_map(|&bind| self.results_of(bind)).collect();
        let combine = match collision {
            Collision::Combine(monoid) => match monoid.parts.as_slice() {
                [MonoidPart::Op(op)] => Some(*op),
                _ => return Err(Unsupported::new("a scatter that combines by such a monoid")),
            },
            Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => None,
        };
        if let Some(&first) = leaving.first() {
            self.write_base(number, step, base, first)?;
        }
        self.write_target(number, &steps, range, &element.taken);
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
        let claims = match collision {
            Collision::Proved | Collision::Combine(_) => None,
            Collision::First | Collision::Last if leaving.is_empty() => None,
            Collision::First | Collision::Last | Collision::Fault(_) => {
                let Some(&first) = leaving.first() else {
                    return Err(Unsupported::new("a scatter whose result is dropped"));
                };
                Some(self.take(Scratch { size: Size::Result(first), words: 1, ones: true }))
            }
        };
        // The least of what is noted wins.
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
                match combine {
                    None => text.line(store(repr, word, "to", &value)),
                    Some(op) => text.line(atomic(op, repr, word, &value)?),
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

    fn write_base(
        &mut self,
        number: usize,
        step: &Combinator,
        base: &Base,
        first: usize,
    ) -> Result<(), Unsupported> {
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < i32(word({}u))) {{", self.layout.result(first) + 2));
        for (position, &bind) in step.binds.iter().enumerate() {
            let repr = Repr::of(self.elem(bind));
            self.need(repr)?;
            let value = match base {
                Base::Fill(values) => self.dialect.literal(values[position], repr),
                Base::Arrays(arrays) => {
                    let param = self.kernel.params.iter().position(|param| *param == arrays[position]);
                    let param = param.expect("the verifier lets only array parameters be a base");
                    format!("ld_{}(address({}u), at)", repr.name(), self.layout.param(param))
                }
            };
            for result in self.results_of(bind) {
                text.line(store(repr, self.layout.result(result), "at", &value));
            }
        }
        text.close();
        let grid = Grid::Threads { of: Size::Result(first), per: 1 };
        self.entry(&format!("pass{number}_base"), grid, &[], text);
        Ok(())
    }

    /// The function that says where a point goes: a negative number if nowhere.
    fn write_target(&mut self, number: usize, steps: &[super::point::Step], range: Range, taken: &str) {
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

/// Combines a value with what a place holds.
fn atomic(op: MonoidOp, repr: Repr, word: u32, value: &str) -> Result<String, Unsupported> {
    let name = match (op, repr) {
        (MonoidOp::Add | MonoidOp::And | MonoidOp::Or | MonoidOp::Xor, Repr::I32 | Repr::U32) => "u32",
        (MonoidOp::Min | MonoidOp::Max, Repr::U32) => "u32",
        (MonoidOp::Min | MonoidOp::Max, Repr::I32) => "i32",
        _ => return Err(Unsupported::new("a scatter that combines by such a monoid")),
    };
    let cast = if name == "u32" { format!("u32({value})") } else { value.to_owned() };
    Ok(format!("combine_{}_{name}(address({word}u), to, {cast});", op.name()))
}
