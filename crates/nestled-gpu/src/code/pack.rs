//! Packed stores of bytes and halves in WGSL, whose smallest store is a word: a thread computes four neighbours and stores them together.
//!
//! ```text
//! let first = i32(…) * 4; let count = min(points - first, 4);
//! while (k < count) { let at = first + k; … kept0 = pack_u8(kept0, k, …); k = k + 1; }
//! put_u8(address(12u), first, count, kept0);
//! ```
//!
//! At the end of an array, and where it does not begin at a word, elements are stored one after another by atomics, as are all scattered stores.

use super::Unsupported;
use super::home::Lies;
use super::sizes::{Grid, Size};
use super::vectorise::Computing;
use super::writer::Writer;
use crate::dialect::Language;
use crate::plan::Pass;
use crate::repr::Repr;
use crate::text::Text;

/// Number of points per thread.
pub(super) const TOGETHER: u32 = 4;

/// Values that are stored four at a time.
pub(super) struct Packed {
    /// Their representation.
    pub repr: Repr,
    /// The words with the addresses of the destinations.
    pub words: Vec<u32>,
    /// The value of the point.
    pub value: String,
}

impl Writer<'_> {
    /// True if values of the representation are stored four at a time where possible.
    pub fn packs(&self, repr: Repr) -> bool {
        self.dialect.language == Language::Wgsl && repr.is_narrow()
    }

    /// Emits a loop that visits four points, each as `at`, followed by the packed stores of the values that `visit` returns.
    pub fn each_of_four(
        &self,
        text: &mut Text,
        points: &str,
        visit: impl FnOnce(&mut Text) -> Result<Vec<Packed>, Unsupported>,
    ) -> Result<(), Unsupported> {
        let dialect = self.dialect;
        let mut body = Text::default();
        let packed = visit(&mut body)?;
        let first = format!("i32(wid * {}u + tid) * {TOGETHER}", dialect.workgroup);
        text.line(dialect.constant("first", "i32", &first));
        text.line(dialect.constant("count", "i32", &format!("min({points} - first, {TOGETHER})")));
        for (at, Packed { repr, .. }) in packed.iter().enumerate() {
            let ty = if repr.is_half() { "vec2<u32>" } else { "u32" };
            text.line(dialect.variable(&format!("kept{at}"), ty, None));
        }
        text.line(dialect.variable("k", "i32", Some(&dialect.small(0))));
        text.open("while (k < count) {");
        text.line(dialect.constant("at", "i32", "first + k"));
        text.append(body);
        for (at, Packed { repr, value, .. }) in packed.iter().enumerate() {
            text.line(format!("kept{at} = pack_{}(kept{at}, k, {value});", repr.name()));
        }
        text.line("k = k + 1;");
        text.close();
        text.open("if (count > 0) {");
        for (at, Packed { repr, words, .. }) in packed.iter().enumerate() {
            for word in words {
                text.line(format!("put_{}(address({word}u), first, count, kept{at});", repr.name()));
            }
        }
        text.close();
        Ok(())
    }

    /// Emits a pass of maps that makes such arrays.
    pub fn map_packed(&mut self, number: usize, pass: &Pass) -> Result<(), Unsupported> {
        let (level, point, locate) = (pass.level, self.point_type(pass.level), self.locate(pass.level));
        let Computing { inside, compute, inner, values, made } = self.computing_both(number, pass)?;
        let mut text = Text::default();
        self.each_of_four(&mut text, &self.points(level), |text| {
            text.line(self.dialect.constant("p", &point, &format!("{locate}(at)")));
            match inside.zip(inner) {
                Some((inside, inner)) => {
                    text.line(self.dialect.variable("values", &values, None));
                    let at_ends = format!("values = {compute}(p);");
                    text.line(format!("if ({inside}(p, 0)) {{ values = {inner}(p); }} else {{ {at_ends} }}"));
                }
                None => text.line(self.dialect.constant("values", &values, &format!("{compute}(p)"))),
            }
            let mut packed = Vec::new();
            for (position, &bind) in made.iter().enumerate() {
                let (repr, value) = (Repr::of(self.elem(bind)), format!("values.v{position}"));
                if self.packs(repr) && self.home(bind).is_some_and(|home| home.lies == Lies::InBuffer) {
                    let words = self.results_of(bind).into_iter().map(|at| self.layout.result(at)).collect();
                    packed.push(Packed { repr, words, value });
                } else {
                    self.store_bind(text, bind, "at", &value);
                }
            }
            Ok(packed)
        })?;
        let grid = Grid::Threads { of: Size::Share { level, points: TOGETHER }, per: 1 };
        self.entry(&format!("pass{number}"), grid, &[], text);
        Ok(())
    }
}
