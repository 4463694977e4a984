//! Partitions into many classes, as a stable sort by group and class.
//!
//! ```text
//! keys       a thread to a point: its group and class as one number, or one past the end, and its values
//!            (here the device sorts the points by these keys; see `Sorting`)
//! offsets    a thread to a class of a group: counts the lesser keys
//! move       a thread to a sorted point: its values leave there
//! ```

use super::filter::Counting;
use super::home::Lies;
use super::module::Sorting;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Combinator, ScalarType};

impl Writer<'_> {
    /// Emits the passes of a partition of the groups of level `within` into `classes` classes, by sorting.
    pub(super) fn partition_sorted(
        &mut self,
        counting: &Counting,
        (within, classes): (usize, u64),
        step: &Combinator,
        types: &[ScalarType],
    ) {
        let Counting { number, level, .. } = *counting;
        let points = Grid::Threads { of: Size::Level(level), per: 1 };
        let dialect = self.dialect;
        let shapes = self.results_of(step.binds[0]);
        let Some(&result) = shapes.first() else {
            // None of the results is used, but the thunk may still fault.
            let mut text = Text::default();
            self.thread(&mut text);
            text.line(format!("if (at < {}) {{ {}(at); }}", self.points(level), counting.classify));
            return self.entry(&format!("pass{number}_classify"), points, &[], text);
        };
        let length = self.layout.result(result) + 2;
        let keys = self.take_scratch(Size::Level(level), 1);
        let places = self.take_scratch(Size::Exactly(1), 1);
        let leaving: Vec<(usize, Repr, Vec<usize>)> = (1..step.binds.len())
            .map(|at| (at, Repr::of(types[at]), self.results_of(step.binds[at])))
            .filter(|(_, _, results)| !results.is_empty())
            .collect();
        let mut values = Vec::new();
        for &(at, ..) in &leaving {
            values.push(self.take_scratch(Size::Level(level), crate::repr::words(types[at])));
        }
        let locate = self.locate(level);
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < i32(word({}u))) {{", keys + 2));
        text.line(dialect.variable("key", "u32", Some(&format!("word({length}u)"))));
        text.open(format!("if (at < {}) {{", self.points(level)));
        text.line(dialect.constant("own", &counting.classified, &format!("{}(at)", counting.classify)));
        text.open("if (own.class_at >= 0) {");
        let group = if within == 0 { dialect.small(0) } else { format!("{locate}(at).a{within}") };
        text.line(format!("key = u32({group} * {classes} + own.class_at);"));
        for ((at, repr, _), &word) in leaving.iter().zip(&values) {
            text.line(Lies::InScratch.store(*repr, word, "at", &format!("own.taken.v{at}")));
        }
        text.close();
        text.close();
        text.line(Lies::InScratch.store(Repr::U32, keys, "at", "key"));
        text.close();
        self.entry(&format!("pass{number}_keys"), points, &[], text);
        self.sorts.push(Sorting { after: self.entries.len(), level, result, keys, places });

        for result in shapes {
            let word = self.layout.result(result);
            let mut text = Text::default();
            self.thread(&mut text);
            text.open(format!("if (at < i32(word({}u))) {{", word + 2));
            text.line(dialect.variable("low", "i32", Some(&dialect.small(0))));
            text.line(dialect.variable("high", "i32", Some(&format!("i32(word({}u))", keys + 2))));
            text.open("while (low < high) {");
            text.line(dialect.constant("middle", "i32", "(low + high) / 2"));
            let less = format!("ld_u32(address({keys}u), middle) < u32(at)");
            text.line(format!("if ({less}) {{ low = middle + 1; }} else {{ high = middle; }}"));
            text.close();
            text.line(format!("st_small(address({word}u), at, low);"));
            text.close();
            let grid = Grid::Threads { of: Size::Result(result), per: 1 };
            self.entry(&format!("pass{number}_offsets{result}"), grid, &[], text);
        }
        if leaving.is_empty() {
            return;
        }
        let mut text = Text::default();
        self.thread(&mut text);
        text.line(dialect.variable("key", "u32", Some(&format!("word({length}u)"))));
        text.line(format!("if (at < i32(word({}u))) {{ key = ld_u32(address({keys}u), at); }}", keys + 2));
        text.open(format!("if (key < word({length}u)) {{"));
        text.line(dialect.constant("origin", "i32", &format!("ld_i32(address({places}u), at)")));
        for ((_, repr, results), &word) in leaving.iter().zip(&values) {
            let value = Lies::InScratch.load(*repr, word, "origin");
            for &result in results {
                text.line(Lies::InBuffer.store(*repr, self.layout.result(result), "at", &value));
            }
        }
        text.close();
        self.entry(&format!("pass{number}_move"), points, &[], text);
    }
}
