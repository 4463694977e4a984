//! Blocks of groups: rows of accumulators in memory, with one group in each lane, and the fixed order in which rows are combined.
//!
//! A block has sixteen rows, and point i of each group is combined into row i mod 16. At the end of a tile the rows are combined pairwise, in the order in
//! which lanes are combined elsewhere; the results of tiles wait for their neighbours in further rows.

use super::Unsupported;
use super::control::each;
use super::function::Function;
use super::reduce::Accumulators;
use super::text::Name;
use nestled_ir::ScalarType;
use nestled_kernel::nest::Nest;
use nestled_kernel::reduction::Part;
use nestled_kernel::strategy::across_groups::ROWS;

/// Number of rows for tiles that wait for their neighbours: one for each power of two.
pub const WAITING: u64 = 50;

/// Bytes of a row.
const ROW: u64 = 8192;

/// Rows begin at multiples of this.
pub const ALIGN: u64 = 128;

/// The memory layout of the rows of a block.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The reductions.
    pub parts: Vec<Part>,
    /// Number of groups of a block.
    pub block: u64,
    /// Bytes of a row.
    pub row: u64,
}

impl Layout {
    /// Lays out the reductions of a nest.
    pub fn new(f: &Function<'_, '_>, nest: &Nest) -> Layout {
        Layout::of(f.reductions(nest.in_sweep(0)))
    }

    /// Lays out these reductions.
    pub fn of(parts: Vec<Part>) -> Layout {
        let size: usize = parts.iter().flat_map(|part| &part.types).map(|ty| ty.size()).sum();
        let block = (ROW / size as u64 / ROWS * ROWS).clamp(64, 2048);
        let row = parts.iter().flat_map(|part| &part.types).map(|&ty| column(block, ty)).sum();
        Layout { parts, block, row }
    }

    /// Returns the accumulators of W groups of a row, from the block's group `at` on.
    pub fn accumulators(&self, f: &mut Function<'_, '_>, row: &str, at: &str) -> Accumulators {
        let mut offset = 0;
        let mut places = Vec::new();
        for part in &self.parts {
            let mut list = Vec::new();
            for ty in &part.types {
                let bytes = f.emit.define(format_args!("mul i64 {at}, {}", ty.size()));
                let bytes = f.emit.define(format_args!("add i64 {bytes}, {offset}"));
                list.push(f.emit.define(format_args!("getelementptr inbounds i8, ptr {row}, i64 {bytes}")));
                offset += column(self.block, *ty);
            }
            places.push(list);
        }
        Accumulators::at(self.parts.clone(), places, f.emit.lanes)
    }
}

/// Returns the size of a component in a row, in bytes: aligned so that vectors of any type may follow.
fn column(block: u64, ty: ScalarType) -> u64 {
    (block * ty.size() as u64).next_multiple_of(ALIGN)
}

/// The rows of the current block.
#[derive(Debug)]
pub struct GroupBlock<'l> {
    /// The layout of its rows.
    pub layout: &'l Layout,
    /// The address of its rows.
    pub memory: Name,
    /// Number of groups.
    pub count: Name,
}

impl GroupBlock<'_> {
    /// Returns the address of a row.
    pub fn row(&self, f: &mut Function<'_, '_>, number: &str) -> Name {
        let at = f.emit.define(format_args!("mul i64 {number}, {}", self.layout.row));
        f.emit.define(format_args!("getelementptr inbounds i8, ptr {}, i64 {at}", self.memory))
    }

    fn waiting(&self, f: &mut Function<'_, '_>, level: &str) -> Name {
        let number = f.emit.define(format_args!("add i64 {level}, {ROWS}"));
        self.row(f, &number)
    }

    /// Resets a row.
    pub fn fill(&self, f: &mut Function<'_, '_>, row: &str) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let accumulators = self.layout.accumulators(f, row, at);
            accumulators.reset(f);
            Ok(())
        })
    }

    fn copy(&self, f: &mut Function<'_, '_>, from: &str, to: &str) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let from = self.layout.accumulators(f, from, at);
            let to = self.layout.accumulators(f, to, at);
            for position in 0..self.layout.parts.len() {
                let values = from.current(f, position);
                to.keep(f, position, &values);
            }
            Ok(())
        })
    }

    /// Emits `into = left ∘ right`.
    fn combine(
        &self,
        f: &mut Function<'_, '_>,
        left: &str,
        right: &str,
        into: &str,
    ) -> Result<(), Unsupported> {
        each(f, "0", &self.count, ROWS, &mut |f, at| {
            let left = self.layout.accumulators(f, left, at);
            let right = self.layout.accumulators(f, right, at);
            let into = self.layout.accumulators(f, into, at);
            for (position, part) in self.layout.parts.iter().enumerate() {
                let (a, b) = (left.current(f, position), right.current(f, position));
                let sum = f.combine(part.part, &a, &b);
                into.keep(f, position, &sum);
            }
            Ok(())
        })
    }

    /// Combines the first `rows` rows, a power of two, pairwise into the first one.
    pub fn fold(&self, f: &mut Function<'_, '_>, rows: &str) -> Result<(), Unsupported> {
        let half = f.emit.variable("i64");
        let first = f.emit.define(format_args!("lshr i64 {rows}, 1"));
        f.set(&half, &first);
        let (head, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let width = f.get(&half);
        let more = f.emit.define(format_args!("icmp sgt i64 {width}, 0"));
        f.emit.branch(&more, body, done);
        f.emit.text.begin(body);
        each(f, "0", &width, 1, &mut |f, lane| {
            let other = f.emit.define(format_args!("add i64 {lane}, {width}"));
            let (left, right) = (self.row(f, lane), self.row(f, &other));
            self.combine(f, &left, &right, &left)
        })?;
        let next = f.emit.define(format_args!("lshr i64 {width}, 1"));
        f.set(&half, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        Ok(())
    }

    /// Pushes the result of tile `number`, which is in the first row, onto the stack of waiting rows.
    pub fn push(&self, f: &mut Function<'_, '_>, number: &str) -> Result<(), Unsupported> {
        let level = f.emit.variable("i64");
        f.set(&level, "0");
        let (head, merge, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let at = f.get(&level);
        let rest = f.emit.define(format_args!("lshr i64 {number}, {at}"));
        let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
        let waiting = self.waiting(f, &at);
        f.emit.branch(&odd, merge, done);
        f.emit.text.begin(merge);
        self.combine(f, &waiting, &self.memory, &self.memory)?;
        let next = f.emit.define(format_args!("add i64 {at}, 1"));
        f.set(&level, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        self.copy(f, &self.memory, &waiting)
    }

    /// Combines the waiting rows after `tiles` tiles, at least one, into the first row.
    pub fn finish(&self, f: &mut Function<'_, '_>, tiles: &str) -> Result<(), Unsupported> {
        f.emit.declare("declare i64 @llvm.cttz.i64(i64, i1)");
        let lowest = f.emit.define(format_args!("call i64 @llvm.cttz.i64(i64 {tiles}, i1 true)"));
        let waiting = self.waiting(f, &lowest);
        self.copy(f, &waiting, &self.memory)?;
        let up = f.emit.define(format_args!("add i64 {lowest}, 1"));
        each(f, &up, &WAITING.to_string(), 1, &mut |f, level| {
            let (merge, next) = (f.emit.label(), f.emit.label());
            let rest = f.emit.define(format_args!("lshr i64 {tiles}, {level}"));
            let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
            f.emit.branch(&odd, merge, next);
            f.emit.text.begin(merge);
            let waiting = self.waiting(f, level);
            self.combine(f, &waiting, &self.memory, &self.memory)?;
            f.emit.fall_into(next);
            Ok(())
        })
    }
}
