//! Partitions: a stable counting sort of the points of each group by class.
//!
//! ```text
//! count, carry    as a filter counts, class by class
//! write           the number of points of its own class before each point, and of every class before each group
//! move            the place of each point: group g and class c begin after all points before the group, and after its points of lesser classes
//! ```

use super::Unsupported;
use super::filter::Counting;
use super::home::Lies;
use super::sizes::{Grid, Size};
use super::writer::Writer;
use crate::plan::{Pack, Pass};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::{Combinator, ScalarType, SiteId};

/// The scratch with numbers of points.
#[derive(Clone, Copy)]
struct Scratch {
    /// For each point, the number of points of its class before it.
    ranks: u32,
    /// For each group, the number of points of each class before it.
    groups: u32,
}

impl Writer<'_> {
    /// Emits a pass that partitions.
    pub fn partition_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (within, classes, site): (usize, u64, Option<SiteId>),
        pack: Pack,
    ) -> Result<(), Unsupported> {
        let counted = pack != Pack::Sort;
        let element = self.element(number, pass, false)?;
        let dialect = self.dialect;
        let zeros = element.types.iter().map(|&ty| dialect.zero(Repr::of(ty)));
        let zeros: Vec<String> = std::iter::once("true".to_owned()).chain(zeros).collect();
        let zeros = dialect.make(&element.taken, &zeros);
        let slot = site.map(|site| self.slot(site));
        let counting = self.classify(
            (number, pass.level),
            (if counted { classes } else { 1 }, pack),
            &element,
            |text| {
                text.open("if (taken.alive) {");
                text.open(format!("if (inside_i64(taken.v0, {})) {{", dialect.small(classes as i64)));
                text.line("class_at = narrow_i64(taken.v0);");
                text.otherwise();
                if let Some(slot) = slot {
                    text.line(format!("fault({}, at);", dialect.small(slot as i64)));
                }
                text.line("class_at = 0;");
                text.line(format!("taken = {zeros};"));
                text.close();
                text.close();
            },
        );
        if !counted {
            self.partition_sorted(&counting, (within, classes), step, &element.types);
            return Ok(());
        }
        let tiles = self.count_tiles(&counting);
        let scratch = Scratch {
            ranks: self.take_scratch(Size::Level(pass.level), 1),
            groups: self.take_scratch(Size::Times { level: within, by: classes }, 1),
        };
        self.write_ranks(&counting, within, tiles, scratch);
        self.write_starts(&counting, within, scratch);
        self.offsets(number, within, step, classes);
        self.move_points(&counting, within, step, (&element.types, scratch));
        Ok(())
    }

    /// Stores the counts before each point and each group, and the totals after the last group.
    fn write_ranks(&mut self, counting: &Counting, within: usize, tiles: u32, scratch: Scratch) {
        let Counting { number, level, classes, .. } = *counting;
        let (dialect, point, locate) = (self.dialect, self.point_type(level), self.locate(level));
        let mut text = Text::default();
        let params = [("counts".into(), format!("Counts{number}")), ("class_at".into(), "i32".into())];
        text.open(dialect.function(&format!("pick{number}"), &params, Some("i32")));
        for class in 0..classes {
            text.line(format!("if (class_at == {class}) {{ return counts.n{class}; }}"));
        }
        text.line(format!("return {};", dialect.small(0)));
        text.close();
        self.define(text.finish());
        let mut text = Text::default();
        self.visit_tile(&mut text, counting, tiles);
        text.line(Lies::InScratch.store(
            Repr::I32,
            scratch.ranks,
            "at",
            &format!("pick{number}(counts, own.class_at)"),
        ));
        text.line(dialect.constant("p", &point, &format!("{locate}(at)")));
        text.line(dialect.constant("group_at", "i32", &format!("p.a{within}")));
        let origin = self.below(within, level, "group_at");
        text.open(format!("if ({origin} == at) {{"));
        store_all(&mut text, scratch.groups, classes, "group_at", "counts");
        text.close();
        self.end_visit(&mut text, counting);
        text.line(dialect.constant("groups_at", "i32", &self.points(within)));
        store_all(&mut text, scratch.groups, classes, "groups_at", "total");
        self.finish_write(text, counting);
    }

    /// Emits the function that returns the start of a class of a group.
    fn write_starts(&mut self, counting: &Counting, within: usize, scratch: Scratch) {
        let Counting { number, level, classes, .. } = *counting;
        let (dialect, locate) = (self.dialect, self.locate(level));
        let mut text = Text::default();
        let int = |name: &str| (name.to_owned(), "i32".to_owned());
        text.open(dialect.function(&format!("before{number}"), &[int("row"), int("class_at")], Some("i32")));
        text.line(format!("return ld_i32(address({}u), row * {classes} + class_at);", scratch.groups));
        text.close();
        // For groups without points no counts were stored; they begin at the next group that has points.
        text.open(dialect.function(&format!("row{number}"), &[int("group")], Some("i32")));
        text.line(dialect.constant("origin", "i32", &self.below(within, level, "group")));
        text.line(format!("if (origin >= {}) {{ return {}; }}", self.points(level), self.points(within)));
        text.line(format!("return {locate}(origin).a{within};"));
        text.close();
        text.open(dialect.function(&format!("start{number}"), &[int("group"), int("class_at")], Some("i32")));
        text.line(dialect.constant("row", "i32", &format!("row{number}(group)")));
        let next = format!("row{number}(group + {})", dialect.small(1));
        text.line(dialect.constant("next", "i32", &next));
        text.line(dialect.variable("start", "i32", Some(&dialect.small(0))));
        text.line(dialect.variable("c", "i32", Some(&dialect.small(0))));
        text.open(format!("while (c < {classes}) {{"));
        text.line(format!("start = start + before{number}(select_i32(c < class_at, next, row), c);"));
        text.line("c = c + 1;");
        text.close();
        text.line("return start;");
        text.close();
        self.define(text.finish());
    }

    fn offsets(&mut self, number: usize, within: usize, step: &Combinator, classes: u64) {
        for result in self.results_of(step.binds[0]) {
            let mut text = Text::default();
            self.thread(&mut text);
            let word = self.layout.result(result);
            text.open(format!("if (at < i32(word({}u))) {{", word + 2));
            text.line(self.dialect.constant("groups_at", "i32", &self.points(within)));
            text.line(self.dialect.variable("offset", "i32", Some(&self.dialect.small(0))));
            text.open(format!("if (at < groups_at * {classes}) {{"));
            text.line(format!("offset = start{number}(at / {classes}, at % {classes});"));
            text.otherwise();
            // All points; there is no group to read from.
            text.line(format!("if (groups_at > 0) {{ offset = start{number}(groups_at - 1, {classes}); }}"));
            text.close();
            text.line(format!("st_small(address({word}u), at, offset);"));
            text.close();
            let grid = Grid::Threads { of: Size::Result(result), per: 1 };
            self.entry(&format!("pass{number}_offsets{result}"), grid, &[], text);
        }
    }

    fn move_points(
        &mut self,
        counting: &Counting,
        within: usize,
        step: &Combinator,
        (types, scratch): (&[ScalarType], Scratch),
    ) {
        let Counting { number, level, .. } = *counting;
        let (dialect, locate) = (self.dialect, self.locate(level));
        let mut text = Text::default();
        self.thread(&mut text);
        self.narrow_threads(&mut text, level);
        text.open(format!("if (at < {}) {{", self.points(level)));
        text.line(dialect.constant("own", &counting.classified, &format!("{}(at)", counting.classify)));
        text.open("if (own.class_at >= 0) {");
        let group = if within == 0 { dialect.small(0) } else { format!("{locate}(at).a{within}") };
        text.line(dialect.constant("group_at", "i32", &group));
        let rank =
            format!("ld_i32(address({}u), at) - before{number}(group_at, own.class_at)", scratch.ranks);
        let to = format!("start{number}(group_at, own.class_at) + {rank}");
        text.line(dialect.constant("to", "i32", &to));
        for (position, &bind) in step.binds[1..].iter().enumerate() {
            let repr = Repr::of(types[position + 1]);
            for result in self.results_of(bind) {
                let value = format!("own.taken.v{}", position + 1);
                text.line(Lies::InBuffer.store(repr, self.layout.result(result), "to", &value));
            }
        }
        text.close();
        text.close();
        let grid = Grid::Threads { of: Size::Level(level), per: 1 };
        self.entry(&format!("pass{number}_move"), grid, &[], text);
    }
}

fn store_all(text: &mut Text, places: u32, classes: u64, at: &str, counts: &str) {
    for class in 0..classes {
        let at = format!("{at} * {classes} + {class}");
        text.line(Lies::InScratch.store(Repr::I32, places, &at, &format!("{counts}.n{class}")));
    }
}
