//! Scatters that combine by any monoid: a stable sort by destination, then a segmented fold of the runs of equal keys.
//!
//! ```text
//! keys     a thread to a point: its destination, or one past the end, and its values
//!          (here the device sorts the points by these keys; see `Sorting`)
//! heads    a thread to a sorted point: the beginning and the end of the run of each place
//! fold     a thread to the first point of a run: it is folded onto the base from left to right
//! long     on machines with warps: a workgroup to a long run, which its threads load and one of them folds
//! ```
//!
//! The sort is stable, so the points of a run are in index order, which is the order of λcu. Where any order will do, long runs are cut instead:
//!
//! ```text
//! pieces   a thread to a piece of the sorted points: its part of long runs
//! join     a workgroup to the piece in which a long run begins: all its pieces, in order
//! ```

use super::Unsupported;
use super::combine::States;
use super::element::Element;
use super::entry::Shared;
use super::home::Lies;
use super::module::Sorting;
use super::scatter::Scatter;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::LongRuns;
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::Monoid;

/// Points of a piece, and of the longest run that one thread folds by itself where others could help.
const PIECE: u32 = 64;

/// The words with the addresses of all arrays.
struct Places {
    /// The keys, which the device sorts.
    keys: u32,
    /// The numbers of the sorted points.
    places: u32,
    firsts: u32,
    ends: u32,
    /// The values of the points, in their original order.
    values: Vec<u32>,
    /// The result whose length is the number of destinations.
    length: u32,
}

impl Writer<'_> {
    /// Emits the passes of a combining scatter, after its base is written.
    pub(super) fn runs(
        &mut self,
        scatter: &Scatter<'_, '_>,
        (monoid, long): (&Monoid, LongRuns),
        element: &Element,
    ) -> Result<(), Unsupported> {
        let Scatter { number, level, rank, result, .. } = *scatter;
        let types = element.types[rank..].to_vec();
        let reprs: Vec<Repr> = types.iter().copied().map(Repr::of).collect();
        let taken = self.results_type(&reprs);
        let pieces = Size::Share { level, points: PIECE / 4 };
        let values = Element { name: String::new(), taken, types: types.clone() };
        let states = self.states(number, monoid, &values, pieces)?;
        let length = self.layout.result(result) + 2;
        let mut word = |size, words| self.take_scratch(size, words);
        let places = Places {
            keys: word(Size::Level(level), 1),
            places: word(Size::Exactly(1), 1),
            firsts: word(Size::Result(result), 1),
            ends: word(Size::Result(result), 1),
            values: types.iter().map(|&ty| word(Size::Level(level), crate::repr::words(ty))).collect(),
            length,
        };
        self.write_keys(scatter, element, &places, &reprs);
        self.sorts.push(Sorting {
            after: self.entries.len(),
            level,
            result,
            keys: places.keys,
            places: places.places,
        });
        self.write_access(scatter, &states, &places, long)?;
        self.write_heads(number, level, &places);
        self.write_fold(scatter, &states);
        match long {
            LongRuns::Cut => {
                self.write_pieces(number, level, &states);
                self.join_pieces(scatter, &states);
            }
            LongRuns::Workgroup => self.fold_long(scatter, &states),
            LongRuns::Thread => {}
        }
        Ok(())
    }

    fn write_keys(&mut self, scatter: &Scatter<'_, '_>, element: &Element, places: &Places, reprs: &[Repr]) {
        let Scatter { number, level, rank, .. } = *scatter;
        let (dialect, locate) = (self.dialect, self.locate(level));
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < i32(word({}u))) {{", places.keys + 2));
        text.line(dialect.variable("key", "u32", Some(&format!("word({}u)", places.length))));
        text.open(format!("if (at < {}) {{", self.points(level)));
        text.line(dialect.constant("taken", &element.taken, &format!("{}({locate}(at))", element.name)));
        text.line(dialect.constant("to", "i32", &format!("target{number}(at, taken)")));
        text.open("if (to >= 0) {");
        text.line("key = u32(to);");
        for (position, (&repr, &word)) in reprs.iter().zip(&places.values).enumerate() {
            text.line(Lies::InScratch.store(repr, word, "at", &format!("taken.v{}", rank + position)));
        }
        text.close();
        text.close();
        text.line(Lies::InScratch.store(Repr::U32, places.keys, "at", "key"));
        text.close();
        self.entry(
            &format!("pass{number}_keys"),
            Grid::Threads { of: Size::Level(level), per: 1 },
            &[],
            text,
        );
    }

    /// Emits the functions on sorted points: their number, destinations, runs and values; and the initial state of a destination.
    fn write_access(
        &mut self,
        scatter: &Scatter<'_, '_>,
        states: &States,
        places: &Places,
        long: LongRuns,
    ) -> Result<(), Unsupported> {
        let (dialect, number) = (self.dialect, scatter.number);
        let Places { keys, places: from, firsts, ends, values, length } = places;
        let int = |name: &str| [(name.to_owned(), "i32".to_owned())];
        let mut text = Text::default();
        text.open(dialect.function(&format!("sorted{number}"), &[], Some("i32")));
        text.line(format!("return i32(word({}u));", keys + 2));
        text.close();
        // Negative for points without a destination.
        text.open(dialect.function(&format!("to{number}"), &int("k"), Some("i32")));
        text.line(dialect.constant("key", "u32", &format!("ld_u32(address({keys}u), k)")));
        text.line(format!("if (key >= word({length}u)) {{ return {}; }}", dialect.small(-1)));
        text.line("return i32(key);");
        text.close();
        for (name, word) in [("first", firsts), ("end", ends)] {
            text.open(dialect.function(&format!("{name}{number}"), &int("to"), Some("i32")));
            text.line(format!("return ld_i32(address({word}u), to);"));
            text.close();
        }
        text.open(dialect.function(&format!("is_long{number}"), &int("to"), Some("bool")));
        match long {
            LongRuns::Thread => text.line("return false;"),
            LongRuns::Cut | LongRuns::Workgroup => text.line(format!(
                "if (to < 0) {{ return false; }}\nreturn end{number}(to) - first{number}(to) > {PIECE};"
            )),
        }
        text.close();
        text.open(dialect.function(&format!("value{number}"), &int("k"), Some(&states.ty)));
        text.line(dialect.constant("at", "i32", &format!("ld_i32(address({from}u), k)")));
        let loads = states.reprs.iter().zip(values);
        let loads = loads.map(|(repr, word)| Lies::InScratch.load(*repr, *word, "at"));
        let fields: Vec<String> = std::iter::once("true".to_owned()).chain(loads).collect();
        text.line(format!("return {};", dialect.make(&states.ty, &fields)));
        text.close();
        text.open(dialect.function(&format!("base{number}"), &int("to"), Some(&states.ty)));
        let mut fields = vec!["true".to_owned()];
        for position in 0..states.reprs.len() {
            fields.push(self.base_value(scatter, position, "to")?);
        }
        text.line(format!("return {};", dialect.make(&states.ty, &fields)));
        text.close();
        let params = [int("to"), [("state".to_owned(), states.ty.clone())]].concat();
        text.open(dialect.function(&format!("leave{number}"), &params, None));
        for (position, (&bind, &repr)) in scatter.step.binds.iter().zip(&states.reprs).enumerate() {
            for result in self.results_of(bind) {
                let value = format!("state.v{position}");
                text.line(Lies::InBuffer.store(repr, self.layout.result(result), "to", &value));
            }
        }
        text.close();
        // Folds from one sorted point to another, onto a given state.
        let params =
            [vec![("before".to_owned(), states.ty.clone())], int("begin").to_vec(), int("end").to_vec()];
        text.open(dialect.function(&format!("fold{number}"), &params.concat(), Some(&states.ty)));
        text.line(dialect.variable("state", &states.ty, Some("before")));
        text.line(dialect.variable("k", "i32", Some("begin")));
        text.open("while (k < end) {");
        text.line(format!("state = {}(state, value{number}(k));", states.join));
        text.line("k = k + 1;");
        text.close();
        text.line("return state;");
        text.close();
        self.define(text.finish());
        Ok(())
    }

    fn write_heads(&mut self, number: usize, level: usize, places: &Places) {
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < sorted{number}()) {{"));
        text.line(self.dialect.constant("to", "i32", &format!("to{number}(at)")));
        text.open("if (to >= 0) {");
        text.line(self.dialect.variable("differs", "bool", Some("at == 0")));
        text.line(format!("if (!differs) {{ differs = to{number}(at - 1) != to; }}"));
        text.line(format!(
            "if (differs) {{ {} }}",
            Lies::InScratch.store(Repr::I32, places.firsts, "to", "at")
        ));
        text.line(format!("differs = at + 1 == sorted{number}();"));
        text.line(format!("if (!differs) {{ differs = to{number}(at + 1) != to; }}"));
        text.line(format!(
            "if (differs) {{ {} }}",
            Lies::InScratch.store(Repr::I32, places.ends, "to", "at + 1")
        ));
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Level(level), per: 1 };
        self.entry(&format!("pass{number}_heads"), grid, &[], text);
    }

    fn write_fold(&mut self, scatter: &Scatter<'_, '_>, states: &States) {
        let Scatter { number, level, .. } = *scatter;
        let mut text = Text::default();
        self.thread(&mut text);
        text.open(format!("if (at < sorted{number}()) {{"));
        text.line(self.dialect.constant("to", "i32", &format!("to{number}(at)")));
        text.line(self.dialect.variable("folds", "bool", Some("to >= 0")));
        text.line(format!("if (folds) {{ folds = first{number}(to) == at && !is_long{number}(to); }}"));
        text.open("if (folds) {");
        let folded = format!("fold{number}(base{number}(to), at, end{number}(to))");
        text.line(self.dialect.constant("state", &states.ty, &folded));
        text.line(format!("leave{number}(to, state);"));
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Level(level), per: 1 };
        self.entry(&format!("pass{number}_fold"), grid, &[], text);
    }

    /// Binds the destination of the long run that begins in the piece of a workgroup, and whether there is one.
    fn long_run(&self, text: &mut Text, number: usize) {
        let dialect = self.dialect;
        text.line(dialect.constant("begin", "i32", &format!("i32(wid) * {PIECE}")));
        text.line(dialect.constant("end", "i32", &format!("min(begin + {PIECE}, sorted{number}())")));
        text.line(dialect.variable("to", "i32", Some(&dialect.small(-1))));
        text.line(format!("if (begin < end) {{ to = to{number}(end - 1); }}"));
        text.line(dialect.variable("speaks", "bool", Some(&format!("is_long{number}(to)"))));
        text.line(format!("if (speaks) {{ speaks = first{number}(to) >= begin; }}"));
    }

    /// Emits the fold of long runs from left to right: all threads load, and the first folds.
    fn fold_long(&mut self, scatter: &Scatter<'_, '_>, states: &States) {
        let Scatter { number, level, .. } = *scatter;
        let (dialect, lanes) = (self.dialect, format!("loaded{number}"));
        let workgroup = dialect.workgroup;
        let mut text = Text::default();
        self.long_run(&mut text, number);
        text.open("if (speaks) {");
        text.line(format!("const i32 stop = end{number}(to);"));
        text.line(format!("{} state = base{number}(to);", states.ty));
        text.open(format!("for (i32 k = first{number}(to); k < stop; k += {workgroup}) {{"));
        text.line(format!("if (k + i32(tid) < stop) {{ {lanes}[tid] = value{number}(k + i32(tid)); }}"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(format!("const i32 count = min(stop - k, {workgroup});"));
        text.line(format!(
            "for (i32 at = 0; at < count; at++) {{ state = {}(state, {lanes}[at]); }}",
            states.join
        ));
        text.close();
        text.line(dialect.barrier());
        text.close();
        text.line(format!("if (tid == 0u) {{ leave{number}(to, state); }}"));
        text.close();
        let shared = [Shared { name: lanes, ty: states.ty.clone(), len: workgroup }];
        let grid = Grid::GroupsIfMany(Size::Share { level, points: PIECE });
        self.entry(&format!("pass{number}_long"), grid, &shared, text);
    }

    fn write_pieces(&mut self, number: usize, level: usize, states: &States) {
        let dialect = self.dialect;
        let mut text = Text::default();
        self.thread(&mut text);
        text.line(dialect.constant("begin", "i32", &format!("at * {PIECE}")));
        text.open(format!("if (begin < sorted{number}()) {{"));
        text.line(dialect.constant("end", "i32", &format!("min(begin + {PIECE}, sorted{number}())")));
        text.line(dialect.constant("left", "i32", &format!("to{number}(begin)")));
        text.line(dialect.constant("right", "i32", &format!("to{number}(end - 1)")));
        text.line(dialect.variable("none", &states.ty, None));
        // A long run cannot lie strictly between two others in a piece.
        text.open(format!("if (is_long{number}(left)) {{"));
        let folded = format!("fold{number}(none, begin, min(end, end{number}(left)))");
        text.line(format!("{}(2 * at, {folded});", states.store));
        text.close();
        text.open(format!("if (right != left && is_long{number}(right)) {{"));
        let folded = format!("fold{number}(none, first{number}(right), end)");
        text.line(format!("{}(2 * at + 1, {folded});", states.store));
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Share { level, points: PIECE }, per: 1 };
        self.entry(&format!("pass{number}_pieces"), grid, &[], text);
    }

    fn join_pieces(&mut self, scatter: &Scatter<'_, '_>, states: &States) {
        let Scatter { number, level, .. } = *scatter;
        let (dialect, lanes) = (self.dialect, format!("joined{number}"));
        let workgroup = dialect.workgroup;
        let mut text = Text::default();
        self.long_run(&mut text, number);
        text.line(dialect.variable("state", &states.ty, None));
        text.open("if (speaks) {");
        let count = format!("(end{number}(to) - 1) / {PIECE} + 1 - i32(wid)");
        text.line(dialect.constant("count", "i32", &count));
        text.line(dialect.constant("share", "i32", &format!("(count + {}) / {workgroup}", workgroup - 1)));
        text.line(dialect.variable("piece", "i32", Some("i32(tid) * share")));
        text.line(dialect.constant("stop", "i32", "min(piece + share, count)"));
        text.open("while (piece < stop) {");
        text.line(dialect.variable("half", "i32", Some(&dialect.small(0))));
        text.line(format!("if (piece == 0 && first{number}(to) > begin) {{ half = 1; }}"));
        let part = format!("{}(2 * (i32(wid) + piece) + half)", states.load);
        text.line(format!("state = {}(state, {part});", states.join));
        text.line("piece = piece + 1;");
        text.close();
        text.close();
        text.line(format!("{lanes}[tid] = state;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u && speaks) {");
        text.line(format!("state = base{number}(to);"));
        text.line(dialect.variable("thread", "u32", Some("0u")));
        text.open(format!("while (thread < {workgroup}u) {{"));
        text.line(format!("state = {}(state, {lanes}[thread]);", states.join));
        text.line("thread = thread + 1u;");
        text.close();
        text.line(format!("leave{number}(to, state);"));
        text.close();
        let shared = [Shared { name: lanes, ty: states.ty.clone(), len: workgroup }];
        let grid = Grid::GroupsIfMany(Size::Share { level, points: PIECE });
        self.entry(&format!("pass{number}_join"), grid, &shared, text);
    }
}
