//! Stack of rows: partial results of tiles, combined pairwise while they arrive, so that at most one row waits for each power of two.

use super::function::Function;
use super::reduce::{combine_rows, write_units};
use super::text::Name;
use nestled_kernel::reduction::{Part, row_cells};

/// A stack of rows, combined pairwise: at most one for each power of two.
#[derive(Clone, Debug)]
pub struct RowStack {
    /// Memory for 64 rows.
    rows: Name,
    /// Memory for one more.
    spare: Name,
    /// An `i64` variable with the number of rows pushed.
    count: Name,
    /// Bytes of a row.
    size: usize,
}

impl RowStack {
    /// Allocates a stack.
    pub fn new(f: &mut Function<'_, '_>, parts: &[Part]) -> RowStack {
        let cells = row_cells(parts).max(1);
        let rows = f.emit.variable(&format!("[{} x i64]", 64 * cells));
        let spare = f.emit.variable(&format!("[{cells} x i64]"));
        RowStack { rows, spare, count: f.emit.variable("i64"), size: 8 * cells }
    }

    /// Returns the address where the next row is to be written.
    pub fn next(&self) -> Name {
        self.spare.clone()
    }

    /// Empties the stack.
    pub fn reset(&self, f: &mut Function<'_, '_>) {
        f.set(&self.count, "0");
    }

    /// Combines `count` contiguous rows; the result is then at [`RowStack::next`].
    pub fn take(&self, f: &mut Function<'_, '_>, parts: &[Part], rows: &str, count: &str) {
        self.reset(f);
        let at = f.emit.variable("i64");
        f.set(&at, "0");
        let (head, body, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let number = f.get(&at);
        let more = f.emit.define(format_args!("icmp slt i64 {number}, {count}"));
        f.emit.branch(&more, body, done);
        f.emit.text.begin(body);
        let offset = f.emit.define(format_args!("mul i64 {number}, {}", self.size));
        let row = f.emit.define(format_args!("getelementptr inbounds i8, ptr {rows}, i64 {offset}"));
        self.copy(f, &self.spare, &row);
        self.push(f, parts);
        let next = f.emit.define(format_args!("add i64 {number}, 1"));
        f.set(&at, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        self.finish(f, parts);
    }

    fn row(&self, f: &mut Function<'_, '_>, at: &str) -> Name {
        let offset = f.emit.define(format_args!("mul i64 {at}, {}", self.size));
        f.emit.define(format_args!("getelementptr inbounds i8, ptr {}, i64 {offset}", self.rows))
    }

    fn copy(&self, f: &mut Function<'_, '_>, to: &str, from: &str) {
        for cell in 0..self.size / 8 {
            let a = f.emit.define(format_args!("getelementptr inbounds i64, ptr {from}, i64 {cell}"));
            let b = f.emit.define(format_args!("getelementptr inbounds i64, ptr {to}, i64 {cell}"));
            let value = f.emit.define(format_args!("load i64, ptr {a}"));
            f.emit.line(format_args!("store i64 {value}, ptr {b}"));
        }
    }

    /// Pushes the row at [`RowStack::next`].
    pub fn push(&self, f: &mut Function<'_, '_>, parts: &[Part]) {
        let level = f.emit.variable("i64");
        f.set(&level, "0");
        let (head, merge, done) = (f.emit.label(), f.emit.label(), f.emit.label());
        f.emit.fall_into(head);
        let (count, at) = (f.get(&self.count), f.get(&level));
        let rest = f.emit.define(format_args!("lshr i64 {count}, {at}"));
        let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
        f.emit.branch(&odd, merge, done);
        f.emit.text.begin(merge);
        let row = self.row(f, &at);
        combine_rows(f, parts, &row, &self.spare, &self.spare);
        let next = f.emit.define(format_args!("add i64 {at}, 1"));
        f.set(&level, &next);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
        let row = self.row(f, &at);
        self.copy(f, &row, &self.spare);
        let more = f.emit.define(format_args!("add i64 {count}, 1"));
        f.set(&self.count, &more);
    }

    /// Combines the remaining rows; the result is then at [`RowStack::next`].
    pub fn finish(&self, f: &mut Function<'_, '_>, parts: &[Part]) {
        write_units(f, parts, &self.spare);
        let (level, empty) = (f.emit.variable("i64"), f.emit.variable("i1"));
        f.set(&level, "0");
        f.emit.line(format_args!("store i1 true, ptr {empty}"));
        let labels: Vec<_> = (0..7).map(|_| f.emit.label()).collect();
        let [head, look, take, first, merge, next, done] = labels[..] else { unreachable!("seven labels") };
        f.emit.fall_into(head);
        let (count, at) = (f.get(&self.count), f.get(&level));
        let rest = f.emit.define(format_args!("lshr i64 {count}, {at}"));
        let more = f.emit.define(format_args!("icmp ne i64 {rest}, 0"));
        f.emit.branch(&more, look, done);
        f.emit.text.begin(look);
        let odd = f.emit.define(format_args!("trunc i64 {rest} to i1"));
        f.emit.branch(&odd, take, next);
        f.emit.text.begin(take);
        let row = self.row(f, &at);
        let is_empty = f.emit.define(format_args!("load i1, ptr {empty}"));
        f.emit.branch(&is_empty, first, merge);
        f.emit.text.begin(first);
        self.copy(f, &self.spare, &row);
        f.emit.line(format_args!("store i1 false, ptr {empty}"));
        f.emit.line(format_args!("br label %{next}"));
        f.emit.text.begin(merge);
        combine_rows(f, parts, &row, &self.spare, &self.spare);
        f.emit.fall_into(next);
        let up = f.emit.define(format_args!("add i64 {at}, 1"));
        f.set(&level, &up);
        f.emit.line(format_args!("br label %{head}"));
        f.emit.text.begin(done);
    }
}
