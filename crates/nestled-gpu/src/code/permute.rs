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
use super::element::Element;
use super::home::Lies;
use super::module::Scratch;
use super::pack::{Packed, TOGETHER};
use super::privatised_scatter::Gathered;
use super::scatter::Scatter;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::Pass;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Base, Collision, Combinator, Monoid, MonoidOp, MonoidPart, Range, Shape};
use nestled_rt::device::Math;

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
        let operations = match collision {
            Collision::Combine(monoid) => atomics(monoid, &element, rank, self.dialect.math),
            Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => None,
        };
        if let (Some(scatter), Collision::Combine(monoid), None) = (&scatter, collision, &operations) {
            return self.runs(scatter, monoid, &element);
        }
        if let (true, Some(scatter), Some(operations)) = (self.has_warps(), &scatter, &operations)
            && let [Atomic { name, cast }] = operations[..]
            && self.results_of(step.binds[0]).len() == 1
            && let Some(gathered) = Gathered::of(name, cast)
        {
            self.gather(scatter, &element, gathered);
            return Ok(());
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
        let claims = match collision {
            Collision::Proved | Collision::Combine(_) => None,
            Collision::First | Collision::Last if scatter.is_none() => None,
            Collision::First | Collision::Last | Collision::Fault(_) => {
                let size = match &scatter {
                    Some(scatter) => Size::Result(scatter.result),
                    // The results are unused, but collisions must still be detected.
                    None => self.destination(dest),
                };
                Some(self.take(Scratch { size, words: 1, ones: true }))
            }
        };
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
    fn write_target(&mut self, number: usize, steps: &[super::step::Step], range: Range, taken: &str) {
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

/// An atomic function that combines a value with the value of a place.
#[derive(Clone, Copy)]
struct Atomic {
    /// Its name, such as `add_u32`.
    name: &'static str,
    /// Whether it takes other values of 32 bits as unsigned numbers.
    cast: bool,
}

/// Returns the atomics of all components, if each has one: for operations that do not depend on the order, or where any order is accepted.
fn atomics(monoid: &Monoid, element: &Element, rank: usize, math: Math) -> Option<Vec<Atomic>> {
    let types = &element.types[rank..];
    let one = |(part, &ty): (&MonoidPart, _)| match part {
        MonoidPart::Op(op) => atomic(*op, Repr::of(ty), math),
        MonoidPart::ArgMin | MonoidPart::ArgMax | MonoidPart::User(_) => None,
    };
    (monoid.parts.len() == types.len()).then(|| monoid.parts.iter().zip(types).map(one).collect())?
}

fn atomic(op: MonoidOp, repr: Repr, math: Math) -> Option<Atomic> {
    use MonoidOp::{Add, And, Max, Min, Mul, Or, Xor};
    let (name, cast) = match (op, repr) {
        (Add, Repr::I32 | Repr::U32) => ("add_u32", true),
        (Mul, Repr::I32 | Repr::U32) => ("mul_u32", true),
        (And, Repr::I32 | Repr::U32) => ("and_u32", true),
        (Or, Repr::I32 | Repr::U32) => ("or_u32", true),
        (Xor, Repr::I32 | Repr::U32) => ("xor_u32", true),
        (And | Min, Repr::Bool) => ("and_u8", true),
        (Or | Max, Repr::Bool) => ("or_u8", true),
        (Xor, Repr::Bool) => ("xor_u8", true),
        (Add, Repr::I8) => ("add_i8", false),
        (Mul, Repr::I8) => ("mul_i8", false),
        (Min, Repr::I8) => ("min_i8", false),
        (Max, Repr::I8) => ("max_i8", false),
        (And, Repr::I8) => ("and_i8", false),
        (Or, Repr::I8) => ("or_i8", false),
        (Xor, Repr::I8) => ("xor_i8", false),
        (Add, Repr::U8) => ("add_u8", false),
        (Mul, Repr::U8) => ("mul_u8", false),
        (Min, Repr::U8) => ("min_u8", false),
        (Max, Repr::U8) => ("max_u8", false),
        (And, Repr::U8) => ("and_u8", false),
        (Or, Repr::U8) => ("or_u8", false),
        (Xor, Repr::U8) => ("xor_u8", false),
        (Add, Repr::I16) => ("add_i16", false),
        (Mul, Repr::I16) => ("mul_i16", false),
        (Min, Repr::I16) => ("min_i16", false),
        (Max, Repr::I16) => ("max_i16", false),
        (And, Repr::I16) => ("and_i16", false),
        (Or, Repr::I16) => ("or_i16", false),
        (Xor, Repr::I16) => ("xor_i16", false),
        (Add, Repr::U16) => ("add_u16", false),
        (Mul, Repr::U16) => ("mul_u16", false),
        (Min, Repr::U16) => ("min_u16", false),
        (Max, Repr::U16) => ("max_u16", false),
        (And, Repr::U16) => ("and_u16", false),
        (Or, Repr::U16) => ("or_u16", false),
        (Xor, Repr::U16) => ("xor_u16", false),
        (Min, Repr::U32) => ("min_u32", false),
        (Max, Repr::U32) => ("max_u32", false),
        (Min, Repr::I32) => ("min_i32", false),
        (Max, Repr::I32) => ("max_i32", false),
        (Min, Repr::F32) => ("min_f32", false),
        (Max, Repr::F32) => ("max_f32", false),
        (Add, Repr::I64) => ("add_i64", false),
        (And, Repr::I64) => ("and_i64", false),
        (Or, Repr::I64) => ("or_i64", false),
        (Xor, Repr::I64) => ("xor_i64", false),
        (Add, Repr::U64) => ("add_u64", false),
        (And, Repr::U64) => ("and_u64", false),
        (Or, Repr::U64) => ("or_u64", false),
        (Xor, Repr::U64) => ("xor_u64", false),
        (Add, Repr::F32) if math == Math::FastSums => ("add_f32", false),
        (Add, Repr::F64) if math == Math::FastSums => ("add_f64", false),
        (Mul | Min | Max, Repr::I64 | Repr::U64)
        | (Add | Mul, Repr::F32 | Repr::Bool)
        | (And | Or | Xor, Repr::F32)
        | (_, Repr::F64 | Repr::F16) => return None,
    };
    Some(Atomic { name, cast })
}
