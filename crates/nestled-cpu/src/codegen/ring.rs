//! Ring buffers of rows: the address of a row of a rolling window.

use super::emit::Emit;
use super::value::Val;
use nestled_ir::ScalarType;

/// The address parameters of a ring. The address in the value's slot is such that row r lies at r itself before row `turn`, and at `r − rows` from
/// there on.
#[derive(Clone, Debug)]
pub struct RingRef {
    /// An index known at the entry.
    pub turn: Val,
    /// Number of rows; known at the entry.
    pub rows: Val,
    /// Number of columns, of a band in strips; known at the entry.
    pub width: Option<Val>,
}

impl RingRef {
    /// Returns the place of a row; an index as deep as that of the row.
    pub fn place(&self, emit: &mut Emit<'_>, row: &Val) -> Val {
        let depth = row.uniform_depth().expect("rows are walked one after another");
        let (row, turn, rows) = (emit.scalar(row), emit.scalar(&self.turn), emit.scalar(&self.rows));
        let turned = emit.define_at(depth, format_args!("icmp sge i64 {row}, {turn}"));
        let back = emit.define_at(depth, format_args!("sub i64 {row}, {rows}"));
        let place = emit.define_at(depth, format_args!("select i1 {turned}, i64 {back}, i64 {row}"));
        Val::uniform(ScalarType::Idx, depth, place)
    }
}
