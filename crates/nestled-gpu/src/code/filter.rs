//! Filters (stream compaction), and the counting by tiles that they share with partitions.
//!
//! ```text
//! count    a workgroup to a tile of the points: the number of points of each class
//! carry    one workgroup: the number of points before each tile
//! write    a workgroup to a tile again: the place of each point
//! ```
//!
//! A filter has one class, and stores a point at its place at once, for the packed points keep their order. Where groups are packed by themselves,
//! the places are stored, and read where groups begin. On machines with warps all of it is one single-pass entry: see `look_back.rs`.

use super::Unsupported;
use super::element::Element;
use super::entry::Shared;
use super::home::Lies;
use super::sizes::{Grid, Size};
use super::tile::{ITEMS, rows};
use super::writer::Writer;
use crate::plan::{Pack, Pass};
use crate::repr::Repr;
use crate::text::Text;
use nestled_ir::Combinator;

/// Points that are counted by class. `classify` takes the number of a point; it returns `class_at`, negative for a point that takes no part, and
/// `taken`.
pub(super) struct Counting {
    /// The number of the pass.
    pub number: usize,
    /// The level of the points.
    pub level: usize,
    /// Number of classes.
    pub classes: u64,
    /// Number of points of a tile.
    pub tile: u32,
    /// True if tiles are visited once, and wait for the counts of those before them.
    pub single_pass: bool,
    /// The type that `classify` returns.
    pub classified: String,
    /// The name of the function.
    pub classify: String,
}

impl Writer<'_> {
    /// Emits a pass that filters.
    pub fn filter_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (within, pack): (usize, Pack),
    ) -> Result<(), Unsupported> {
        let element = self.element(number, pass, false)?;
        let counting = self.classify((number, pass.level), (1, pack), &element, |text| {
            text.line("if (taken.alive) { class_at = 0; }");
        });
        let tiles = self.count_tiles(&counting);
        let places = (within > 0).then(|| self.take_scratch(Size::Times { level: pass.level, by: 1 }, 1));
        let mut text = Text::default();
        self.visit_tile(&mut text, &counting, tiles);
        for (position, &bind) in step.binds[1..].iter().enumerate() {
            let repr = Repr::of(element.types[position]);
            for result in self.results_of(bind) {
                let value = format!("own.taken.v{position}");
                let line = Lies::InBuffer.store(repr, self.layout.result(result), "counts.n0", &value);
                text.line(format!("if (own.class_at == 0) {{ {line} }}"));
            }
        }
        if let Some(places) = places {
            text.line(Lies::InScratch.store(Repr::I32, places, "at", "counts.n0"));
        }
        self.end_visit(&mut text, &counting);
        let total = self.results_of(step.binds[0]);
        match places {
            Some(places) => text.line(Lies::InScratch.store(Repr::I32, places, "points", "total.n0")),
            None => {
                for &result in &total {
                    text.line(format!("st_small(address({}u), 0, total.n0);", self.layout.result(result)));
                }
            }
        }
        self.finish_write(text, &counting);
        let Some(places) = places else { return Ok(()) };
        for result in total {
            let mut text = Text::default();
            self.thread(&mut text);
            text.line(self.dialect.variable("place", "i32", Some(&self.points(pass.level))));
            let first = self.below(within, pass.level, "at");
            text.line(format!("if (at < {}) {{ place = {first}; }}", self.points(within)));
            let word = self.layout.result(result);
            text.open(format!("if (at < i32(word({}u))) {{", word + 2));
            text.line(format!("st_small(address({word}u), at, ld_i32(address({places}u), place));"));
            text.close();
            let grid = Grid::Threads { of: Size::Result(result), per: 1 };
            self.entry(&format!("pass{number}_offsets{result}"), grid, &[], text);
        }
        Ok(())
    }

    /// Emits the function that classifies a point; the lines of `judge` set `class_at`.
    pub fn classify(
        &mut self,
        (number, level): (usize, usize),
        (classes, pack): (u64, Pack),
        element: &Element,
        judge: impl FnOnce(&mut Text),
    ) -> Counting {
        let (dialect, locate, point) = (self.dialect, self.locate(level), self.point_type(level));
        let (classified, classify) = (format!("Classified{number}"), format!("classify{number}"));
        // `class` is a keyword in both languages.
        let fields = [("class_at".to_owned(), "i32".to_owned()), ("taken".to_owned(), element.taken.clone())];
        self.define(dialect.structure(&classified, &fields));
        let mut text = Text::default();
        text.open(dialect.function(&classify, &[("at".into(), "i32".into())], Some(&classified)));
        text.line(dialect.constant("p", &point, &format!("{locate}(at)")));
        text.line(dialect.variable("taken", &element.taken, Some(&format!("{}(p)", element.name))));
        text.line(dialect.variable("class_at", "i32", Some(&dialect.small(-1))));
        judge(&mut text);
        text.line(format!("return {};", dialect.make(&classified, &["class_at".into(), "taken".into()])));
        text.close();
        let counts = format!("Counts{number}");
        let fields: Vec<(String, String)> =
            (0..classes).map(|class| (format!("n{class}"), "i32".to_owned())).collect();
        text.line(dialect.structure(&counts, &fields));
        let sides = [("a".to_owned(), counts.clone()), ("b".to_owned(), counts.clone())];
        text.open(dialect.function(&format!("add{number}"), &sides, Some(&counts)));
        let sums: Vec<String> = (0..classes).map(|class| format!("a.n{class} + b.n{class}")).collect();
        text.line(format!("return {};", dialect.make(&counts, &sums)));
        text.close();
        text.open(dialect.function(
            &format!("one{number}"),
            &[("class_at".into(), "i32".into())],
            Some(&counts),
        ));
        let (zero, one) = (dialect.small(0), dialect.small(1));
        let ones: Vec<String> =
            (0..classes).map(|class| format!("select_i32(class_at == {class}, {one}, {zero})")).collect();
        text.line(format!("return {};", dialect.make(&counts, &ones)));
        text.close();
        self.define(text.finish());
        let single_pass = pack == Pack::SinglePass;
        let tile = if single_pass { rows(1 + element.words()) * dialect.workgroup } else { self.tile() };
        Counting { number, level, classes, tile, single_pass, classified, classify }
    }

    fn load_counts(&self, counting: &Counting, tiles: u32, at: &str) -> String {
        let classes = counting.classes;
        let loads: Vec<String> = (0..classes)
            .map(|class| format!("ld_i32(address({tiles}u), ({at}) * {classes} + {class})"))
            .collect();
        self.dialect.make(&format!("Counts{}", counting.number), &loads)
    }

    fn store_counts(&self, text: &mut Text, counting: &Counting, tiles: u32, at: &str, counts: &str) {
        let classes = counting.classes;
        for class in 0..classes {
            let at = format!("({at}) * {classes} + {class}");
            text.line(Lies::InScratch.store(Repr::I32, tiles, &at, &format!("{counts}.n{class}")));
        }
    }

    /// Emits the counting of the points of each tile and of those before it. Returns the word with the address of the scratch that holds the counts.
    pub fn count_tiles(&mut self, counting: &Counting) -> u32 {
        if counting.single_pass {
            return self.count_places(counting);
        }
        let Counting { number, level, classes, .. } = *counting;
        let size = Size::Share { level, points: self.tile() };
        let tiles = self.take_scratch(size, classes);
        let (dialect, counts) = (self.dialect, format!("Counts{number}"));
        let points = self.points(level);
        let shared = |name: &str| Shared {
            name: format!("{name}{number}"),
            ty: format!("Counts{number}"),
            len: dialect.workgroup,
        };
        let mut text = Text::default();
        text.line(dialect.constant("points", "i32", &points));
        self.count_items(&mut text, counting, false);
        text.line(format!("numbers{number}[tid] = counts;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(dialect.variable("total", &counts, None));
        self.add_shared(&mut text, number, &format!("numbers{number}"), false);
        self.store_counts(&mut text, counting, tiles, "i32(wid)", "total");
        text.close();
        self.entry(&format!("pass{number}_count"), Grid::GroupsIfMany(size), &[shared("numbers")], text);

        let mut text = Text::default();
        text.line(dialect.constant("tiles", "i32", &format!("({points}) / {} + 1", self.tile())));
        let share = format!("(tiles + {}) / {}", dialect.workgroup - 1, dialect.workgroup);
        text.line(dialect.constant("share", "i32", &share));
        text.line(dialect.constant("first", "i32", "i32(tid) * share"));
        text.line(dialect.constant("end", "i32", "min(first + share, tiles)"));
        text.line(dialect.variable("counts", &counts, None));
        text.line(dialect.variable("tile", "i32", Some("first")));
        text.open("while (tile < end) {");
        text.line(format!("counts = add{number}(counts, {});", self.load_counts(counting, tiles, "tile")));
        text.line("tile = tile + 1;");
        text.close();
        text.line(format!("sums{number}[tid] = counts;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(dialect.variable("total", &counts, None));
        self.add_shared(&mut text, number, &format!("sums{number}"), true);
        text.close();
        text.line(dialect.barrier());
        text.line(format!("counts = sums{number}[tid];"));
        text.line("tile = first;");
        text.open("while (tile < end) {");
        text.line(dialect.constant("own", &counts, &self.load_counts(counting, tiles, "tile")));
        self.store_counts(&mut text, counting, tiles, "tile", "counts");
        text.line(format!("counts = add{number}(counts, own);"));
        text.line("tile = tile + 1;");
        text.close();
        self.entry(&format!("pass{number}_carry"), Grid::OneIfMany(size), &[shared("sums")], text);
        tiles
    }

    fn count_items(&self, text: &mut Text, counting: &Counting, keep: bool) {
        let (dialect, number) = (self.dialect, counting.number);
        let first = format!("i32(wid) * {} + i32(tid) * {ITEMS}", self.tile());
        text.line(dialect.constant("first", "i32", &first));
        text.line(dialect.variable("counts", &format!("Counts{number}"), None));
        text.line(dialect.variable("k", "i32", Some(&dialect.small(0))));
        text.open(format!("while (k < {ITEMS} && first + k < points) {{"));
        text.line(dialect.constant(
            "own",
            &counting.classified,
            &format!("{}(first + k)", counting.classify),
        ));
        if keep {
            text.line("items[k] = own;");
        }
        text.line(format!("counts = add{number}(counts, one{number}(own.class_at));"));
        text.line("k = k + 1;");
        text.close();
    }

    fn add_shared(&self, text: &mut Text, number: usize, shared: &str, exclusive: bool) {
        let dialect = self.dialect;
        text.line(dialect.variable("thread", "u32", Some("0u")));
        text.open(format!("while (thread < {}u) {{", dialect.workgroup));
        text.line(dialect.constant("one", &format!("Counts{number}"), &format!("{shared}[thread]")));
        if exclusive {
            text.line(format!("{shared}[thread] = total;"));
        }
        text.line(format!("total = add{number}(total, one);"));
        text.line("thread = thread + 1u;");
        text.close();
    }

    /// Begins the entry that visits each point `at` as `own`, with the `counts` of the points before it.
    pub fn visit_tile(&self, text: &mut Text, counting: &Counting, tiles: u32) {
        if counting.single_pass {
            return self.visit_tile_once(text, counting, tiles);
        }
        let (dialect, number) = (self.dialect, counting.number);
        text.line(dialect.constant("points", "i32", &self.points(counting.level)));
        text.line(dialect.array("items", &counting.classified, u64::from(ITEMS)));
        self.count_items(text, counting, true);
        text.line(format!("befores{number}[tid] = counts;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(dialect.variable("total", &format!("Counts{number}"), None));
        let before = self.load_counts(counting, tiles, "i32(wid)");
        text.line(format!("if (wid > 0u) {{ total = {before}; }}"));
        self.add_shared(text, number, &format!("befores{number}"), true);
        text.close();
        text.line(dialect.barrier());
        text.line(format!("counts = befores{number}[tid];"));
        text.line("k = 0;");
        text.open(format!("while (k < {ITEMS} && first + k < points) {{"));
        text.line(dialect.constant("own", &counting.classified, "items[k]"));
        text.line(dialect.constant("at", "i32", "first + k"));
    }

    /// Ends the visit of a point. The lines that follow run once, with the `total`.
    pub fn end_visit(&self, text: &mut Text, counting: &Counting) {
        if counting.single_pass {
            return self.end_visit_once(text, counting);
        }
        let number = counting.number;
        text.line(format!("counts = add{number}(counts, one{number}(own.class_at));"));
        text.line("k = k + 1;");
        text.close();
        // The thread of the last point knows the total; without points the first one does.
        let (zero, one) = (self.dialect.small(0), self.dialect.small(1));
        text.line(self.dialect.constant("total", &format!("Counts{number}"), "counts"));
        let last = format!("first <= points - {one} && points - {one} < first + {ITEMS}");
        text.open(format!("if (({last}) || (points == {zero} && first == {zero})) {{"));
    }

    /// Ends the part that runs once, and the entry.
    pub fn finish_write(&mut self, mut text: Text, counting: &Counting) {
        let Counting { number, level, tile, .. } = *counting;
        text.close();
        let size = Size::Share { level, points: tile };
        let shared = Shared {
            name: format!("befores{number}"),
            ty: format!("Counts{number}"),
            len: if counting.single_pass { self.warps() } else { self.dialect.workgroup },
        };
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &[shared], text);
    }
}
