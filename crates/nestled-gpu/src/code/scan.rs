//! Segmented scans whose order does not show in the result: reduce, then scan. The others are in `ordered_scan.rs`.
//!
//! ```text
//! totals   a workgroup to a tile of the points: its total
//! carry    one workgroup: the prefix before each tile
//! write    a workgroup to a tile again: each thread continues from the prefix before its points
//! ```
//!
//! Segments are not part of the loop structure: a flag marks the first point of each (its head), and discards the prefix before it. So the work is
//! even whatever the lengths of segments. A scan of the whole has no heads. A backward scan visits the points from the last to the first. On machines with warps `single_pass_scan.rs`
//! emits a single-pass version.

use super::Unsupported;
use super::combine::States;
use super::element::Element;
use super::entry::Shared;
use super::single_pass_scan::SinglePass;
use super::sizes::{Grid, Size};
use super::tile::ITEMS;
use super::writer::Writer;
use crate::plan::{Pass, Scan};
use crate::text::Text;
use nestled_ir::{Combinator, Direction, Inclusion, Level, Monoid, MonoidPart};

/// The parameters of a scan: the level of groups, the monoid, the inclusion and the direction.
pub(super) type Which<'m> = (usize, &'m Monoid, Inclusion, Direction);

impl Writer<'_> {
    /// Returns the number of points of a workgroup.
    pub fn tile(&self) -> u32 {
        ITEMS * self.dialect.workgroup
    }

    /// Emits a pass that scans.
    pub fn scan_pass(
        &mut self,
        number: usize,
        pass: &Pass,
        step: &Combinator,
        (within, monoid, inclusion, direction): Which<'_>,
        scan: Scan,
    ) -> Result<(), Unsupported> {
        let element = self.element(number, pass, false)?;
        let values = match scan {
            Scan::Vectors | Scan::VectorsInOneSweep | Scan::Points => {
                return self.ordered_scan(number, &element, (step, scan));
            }
            Scan::SinglePass { values } => values,
            Scan::ReduceThenScan => false,
        };
        let size = Size::Share { level: pass.level, points: self.tile() };
        let states = self.states(number, monoid, &element, size)?;
        if values {
            self.write_value_runs(number, within > 0, (monoid, direction), &states);
        } else {
            self.write_runs(number, within > 0, direction, &states);
        }
        self.write_visit(number, (within, pass.level), direction, &element, (&states, values));
        let points = self.points(pass.level);
        if scan != Scan::ReduceThenScan {
            let (states, level, words) = (&states, pass.level, element.words());
            self.scan_in_warps(&SinglePass { number, within, level, values, words, step, inclusion, states });
            return Ok(());
        }
        self.write_totals(number, within > 0, size, &states);
        self.scan_totals(number, &points, size);
        self.scan_carry(number, &points, size);
        self.scan_write((number, within > 0), &points, size, (step, inclusion), &states);
        debug_assert_eq!(Level(pass.level), step.level());
        Ok(())
    }

    /// Emits the type of runs: states, `segmented` with a flag that tells whether a segment begins in them.
    fn write_runs(&mut self, number: usize, segmented: bool, direction: Direction, states: &States) {
        let (dialect, run) = (self.dialect, format!("Run{number}"));
        let state = &states.ty;
        let fields = [("head".to_owned(), "bool".to_owned()), ("state".to_owned(), state.clone())];
        self.define(dialect.structure(&run, &fields[usize::from(!segmented)..]));
        let mut text = Text::default();
        let sides = [("a".to_owned(), run.clone()), ("b".to_owned(), run.clone())];
        text.open(dialect.function(&format!("join_runs{number}"), &sides, Some(&run)));
        if segmented {
            text.line("if (b.head) { return b; }");
        }
        let joined = match direction {
            Direction::Forward => format!("{}(a.state, b.state)", states.join),
            Direction::Backward => format!("{}(b.state, a.state)", states.join),
        };
        let made = ["a.head".to_owned(), joined];
        text.line(format!("return {};", dialect.make(&run, &made[usize::from(!segmented)..])));
        text.close();
        self.define(text.finish());
    }

    /// Emits the type of runs that consist of values, `segmented` with the flag. Where nothing was said about them, they are the unit.
    fn write_value_runs(
        &mut self,
        number: usize,
        segmented: bool,
        (monoid, direction): (&Monoid, Direction),
        states: &States,
    ) {
        let run = format!("Run{number}");
        let (mut text, mut fields, mut joined) = (Text::default(), Vec::new(), Vec::new());
        if segmented {
            fields.push("bool head = false;".to_owned());
            joined.push("a.head".to_owned());
        }
        let (earlier, later) = match direction {
            Direction::Forward => ("a", "b"),
            Direction::Backward => ("b", "a"),
        };
        for (at, (part, repr)) in monoid.parts.iter().zip(&states.reprs).enumerate() {
            let MonoidPart::Op(op) = part else { unreachable!("the plan has seen that") };
            fields.push(format!("{} v{at} = {};", repr.ty(), states.unit[at]));
            joined.push(format!("{}_{}({earlier}.v{at}, {later}.v{at})", op.name(), repr.name()));
        }
        text.line(format!("struct {run} {{ {} }};", fields.join(" ")));
        let sides = [("a".to_owned(), run.clone()), ("b".to_owned(), run.clone())];
        text.open(self.dialect.function(&format!("join_runs{number}"), &sides, Some(&run)));
        if segmented {
            text.line("if (b.head) { return b; }");
        }
        text.line(format!("return {};", self.dialect.make(&run, &joined)));
        text.close();
        self.define(text.finish());
    }

    /// Emits the functions that load and store the runs of tiles.
    fn write_totals(&mut self, number: usize, segmented: bool, size: Size, states: &States) {
        let heads = segmented.then(|| self.take_scratch(size, 1));
        let (dialect, run) = (self.dialect, format!("Run{number}"));
        let mut text = Text::default();
        let at = ("at".to_owned(), "i32".to_owned());
        text.open(dialect.function(&format!("load_run{number}"), std::slice::from_ref(&at), Some(&run)));
        let head = heads.map(|heads| format!("ld_flag(address({heads}u), at)"));
        let loaded: Vec<String> = head.into_iter().chain([format!("{}(at)", states.load)]).collect();
        text.line(format!("return {};", dialect.make(&run, &loaded)));
        text.close();
        text.open(dialect.function(&format!("store_run{number}"), &[at, ("run".into(), run.clone())], None));
        if let Some(heads) = heads {
            text.line(format!("st_flag(address({heads}u), at, run.head);"));
        }
        text.line(format!("{}(at, run.state);", states.store));
        text.close();
        self.define(text.finish());
    }

    /// Emits the function that makes the run of one point, by its place in the order of the scan.
    fn write_visit(
        &mut self,
        number: usize,
        (within, level): (usize, usize),
        direction: Direction,
        element: &Element,
        (states, values): (&States, bool),
    ) {
        let (dialect, locate, point) = (self.dialect, self.locate(level), self.point_type(level));
        let one = dialect.small(1);
        let mut text = Text::default();
        let int = |name: &str| (name.to_owned(), "i32".to_owned());
        text.open(dialect.function(&format!("element{number}"), &[int("order"), int("points")], Some("i32")));
        match direction {
            Direction::Forward => text.line("return order;"),
            Direction::Backward => text.line(format!("return points - {one} - order;")),
        }
        text.close();
        let run = format!("Run{number}");
        text.open(dialect.function(&format!("visit{number}"), &[int("order"), int("points")], Some(&run)));
        let located = format!("{locate}(element{number}(order, points))");
        text.line(dialect.constant("p", &point, &located));
        let head = (within > 0).then(|| match direction {
            Direction::Forward => {
                format!("p.a{level} == {}", self.below(within, level, &format!("p.a{within}")))
            }
            Direction::Backward => {
                let next = self.below(within, level, &format!("(p.a{within} + {one})"));
                format!("p.a{level} + {one} == {next}")
            }
        });
        let taken = format!("{}(p)", element.name);
        let state = if values {
            text.line(dialect.constant("taken", &element.taken, &taken));
            (0..states.reprs.len()).map(|at| format!("taken.v{at}")).collect()
        } else {
            vec![format!("{}({taken})", states.of)]
        };
        let made: Vec<String> = head.into_iter().chain(state).collect();
        text.line(format!("return {};", dialect.make(&run, &made)));
        text.close();
        self.define(text.finish());
    }

    /// Emits the fold of a thread's points.
    fn fold_items(&self, text: &mut Text, number: usize, keep: bool) {
        let (dialect, run) = (self.dialect, format!("Run{number}"));
        let zero = dialect.small(0);
        let first = format!("i32(wid) * {} + i32(tid) * {ITEMS}", self.tile());
        text.line(dialect.constant("first", "i32", &first));
        text.line(dialect.variable("run", &run, None));
        text.line(dialect.variable("k", "i32", Some(&zero)));
        text.open(format!("while (k < {ITEMS} && first + k < points) {{"));
        let visited = format!("visit{number}(first + k, points)");
        text.line(dialect.constant("item", &run, &visited));
        if keep {
            text.line("items[k] = item;");
        }
        text.line(format!("run = join_runs{number}(run, item);"));
        text.line("k = k + 1;");
        text.close();
    }

    fn scan_totals(&mut self, number: usize, points: &str, size: Size) {
        let (dialect, shared) = (self.dialect, format!("totals{number}"));
        let run = format!("Run{number}");
        let mut text = Text::default();
        text.line(dialect.constant("points", "i32", points));
        self.fold_items(&mut text, number, false);
        text.line(format!("{shared}[tid] = run;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        self.fold_shared(&mut text, number, &shared, false);
        text.line(format!("store_run{number}(i32(wid), total);"));
        text.close();
        let shared = [Shared { name: shared, ty: run, len: dialect.workgroup }];
        self.entry(&format!("pass{number}_totals"), Grid::GroupsIfMany(size), &shared, text);
    }

    /// Emits the scan over the threads of a workgroup; with `exclusive`, it leaves the prefix before each thread.
    fn fold_shared(&self, text: &mut Text, number: usize, shared: &str, exclusive: bool) {
        let (dialect, run) = (self.dialect, format!("Run{number}"));
        if !exclusive {
            text.line(dialect.variable("total", &run, None));
        }
        text.line(dialect.variable("thread", "u32", Some("0u")));
        text.open(format!("while (thread < {}u) {{", dialect.workgroup));
        if exclusive {
            text.line(dialect.constant("own", &run, &format!("{shared}[thread]")));
            text.line(format!("{shared}[thread] = total;"));
            text.line(format!("total = join_runs{number}(total, own);"));
        } else {
            text.line(format!("total = join_runs{number}(total, {shared}[thread]);"));
        }
        text.line("thread = thread + 1u;");
        text.close();
    }

    fn scan_carry(&mut self, number: usize, points: &str, size: Size) {
        let (dialect, shared, run) = (self.dialect, format!("carried{number}"), format!("Run{number}"));
        let mut text = Text::default();
        let tiles = format!("({points}) / {} + 1", self.tile());
        text.line(dialect.constant("tiles", "i32", &tiles));
        let share = format!("(tiles + {}) / {}", dialect.workgroup - 1, dialect.workgroup);
        text.line(dialect.constant("share", "i32", &share));
        text.line(dialect.constant("first", "i32", "i32(tid) * share"));
        text.line(dialect.constant("end", "i32", "min(first + share, tiles)"));
        text.line(dialect.variable("run", &run, None));
        text.line(dialect.variable("tile", "i32", Some("first")));
        text.open("while (tile < end) {");
        text.line(format!("run = join_runs{number}(run, load_run{number}(tile));"));
        text.line("tile = tile + 1;");
        text.close();
        text.line(format!("{shared}[tid] = run;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(dialect.variable("total", &run, None));
        self.fold_shared(&mut text, number, &shared, true);
        text.close();
        text.line(dialect.barrier());
        text.line(format!("run = {shared}[tid];"));
        text.line("tile = first;");
        text.open("while (tile < end) {");
        text.line(dialect.constant("own", &run, &format!("load_run{number}(tile)")));
        text.line(format!("store_run{number}(tile, run);"));
        text.line(format!("run = join_runs{number}(run, own);"));
        text.line("tile = tile + 1;");
        text.close();
        let shared = [Shared { name: shared, ty: run, len: dialect.workgroup }];
        self.entry(&format!("pass{number}_carry"), Grid::OneIfMany(size), &shared, text);
    }

    fn scan_write(
        &mut self,
        (number, segmented): (usize, bool),
        points: &str,
        size: Size,
        (step, inclusion): (&Combinator, Inclusion),
        states: &States,
    ) {
        let (dialect, shared, run) = (self.dialect, format!("befores{number}"), format!("Run{number}"));
        let mut text = Text::default();
        text.line(dialect.constant("points", "i32", points));
        text.line(dialect.array("items", &run, u64::from(ITEMS)));
        self.fold_items(&mut text, number, true);
        text.line(format!("{shared}[tid] = run;"));
        text.line(dialect.barrier());
        text.open("if (tid == 0u) {");
        text.line(dialect.variable("total", &run, None));
        text.line(format!("if (wid > 0u) {{ total = load_run{number}(i32(wid)); }}"));
        self.fold_shared(&mut text, number, &shared, true);
        text.close();
        text.line(dialect.barrier());
        text.line(format!("run = {shared}[tid];"));
        text.line("k = 0;");
        text.open(format!("while (k < {ITEMS} && first + k < points) {{"));
        text.line(dialect.constant("item", &run, "items[k]"));
        text.line(dialect.constant("next", &run, &format!("join_runs{number}(run, item)")));
        text.line(dialect.constant("at", "i32", &format!("element{number}(first + k, points)")));
        let head = segmented.then_some("item.head");
        self.store_scanned(&mut text, (step, inclusion), states, (head, "item.state.some"));
        text.line("run = next;");
        text.line("k = k + 1;");
        text.close();
        let shared = [Shared { name: shared, ty: run, len: dialect.workgroup }];
        self.entry(&format!("pass{number}_write"), Grid::Groups(size), &shared, text);
    }

    /// Emits the store of a point's result, from `run` (the exclusive prefix) or `next` (the inclusive prefix).
    pub fn store_scanned(
        &self,
        text: &mut Text,
        (step, inclusion): (&Combinator, Inclusion),
        states: &States,
        (head, some): (Option<&str>, &str),
    ) {
        let continues = head.map_or(String::new(), |head| format!(" && !{head}"));
        for (position, (&bind, repr)) in step.binds.iter().zip(&states.reprs).enumerate() {
            let name = repr.name();
            let value = match inclusion {
                Inclusion::Inclusive => format!("next.state.v{position}"),
                Inclusion::Exclusive => {
                    let unit = &states.unit[position];
                    format!("select_{name}(run.state.some{continues}, run.state.v{position}, {unit})")
                }
            };
            let zero = self.dialect.zero(*repr);
            let value = format!("select_{name}({some}, {value}, {zero})");
            self.store_bind(text, bind, "at", &value);
        }
    }
}
