//! Totals of the rows of a batch: rows that are transposed are kept as vectors, the others as one value each.

use super::emit::memory_type;
use super::function::Function;
use super::reduce::fold_lanes;
use super::square::{row, store_row, turned};
use super::text::Name;
use super::value::Val;
use nestled_ir::{MonoidOp, MonoidPart, Scalar, ScalarType};
use nestled_kernel::reduction::Part;
use nestled_kernel::strategy::row_totals::{RowTotal, choose};
use nestled_kernel::strategy::transpose::SIDE;

/// The memory of the rows of one part of a reduction.
pub struct RowTotals {
    part: Part,
    how: RowTotal,
    /// For each component sixteen rows, or sixteen totals.
    buffers: Vec<Name>,
}

impl RowTotals {
    /// Makes room for sixteen rows.
    pub fn new(f: &mut Function<'_, '_>, part: &Part) -> RowTotals {
        let how = choose(f.shared.kernel, part);
        let mut buffers = Vec::new();
        for &ty in &part.types {
            let element = match how {
                RowTotal::Transposed => f.emit.vector_type(ty),
                RowTotal::Folded | RowTotal::Counted | RowTotal::Tested => memory_type(ty).into(),
            };
            buffers.push(f.emit.variable(&format!("[{SIDE} x {element}]")));
        }
        RowTotals { part: part.clone(), how, buffers }
    }

    /// The reduction of the lanes of a row: for a count that of the truth values that are counted, since each lane takes one element at most.
    pub fn accumulated(&self) -> Part {
        let part = self.part.clone();
        match self.how {
            RowTotal::Counted => Part {
                part: MonoidPart::Op(MonoidOp::Or),
                types: vec![ScalarType::Bool],
                unit: vec![Scalar::Bool(false)],
                identity: Some(vec![Scalar::Bool(false)]),
                ..part
            },
            RowTotal::Folded | RowTotal::Tested | RowTotal::Transposed => part,
        }
    }

    /// Keeps the lanes of a row, or their total.
    pub fn keep(&self, f: &mut Function<'_, '_>, number: &str, lanes: Vec<Val>) {
        if self.how == RowTotal::Transposed {
            lanes.iter().zip(&self.buffers).for_each(|(val, buffer)| store_row(f, buffer, number, val));
            return;
        }
        let ty = self.part.types[0];
        let total = self.total(f, lanes);
        f.store(&self.buffers[0], ty, number, &total);
    }

    /// The total of the lanes of a row, in any order.
    fn total(&self, f: &mut Function<'_, '_>, lanes: Vec<Val>) -> Name {
        let bits = format!("i{}", f.emit.lanes);
        match (self.how, self.part.part) {
            (RowTotal::Tested, MonoidPart::Op(MonoidOp::And)) => f.emit.all(&lanes[0]),
            (RowTotal::Tested, MonoidPart::Op(MonoidOp::Or)) => f.emit.any(&lanes[0]),
            (RowTotal::Tested, _) => {
                let count = set_bits(f, &lanes[0]);
                f.emit.define(format_args!("trunc {bits} {count} to i1"))
            }
            (RowTotal::Counted, _) => {
                // Flat rows hold the integers.
                let truths = f.emit.truths_of(&lanes[0]);
                let count = set_bits(f, &truths);
                widened(f, &bits, &count, self.part.types[0])
            }
            (RowTotal::Folded | RowTotal::Transposed, _) => {
                let folded = fold_lanes(f, self.part.part, lanes);
                f.emit.scalar(&folded[0])
            }
        }
    }

    /// The results of sixteen groups, one per lane.
    pub fn results(&self, f: &mut Function<'_, '_>) -> Vec<Val> {
        let columns = self.columns(f);
        self.combined(f, columns)
    }

    /// The same, where earlier positions of the groups have these results.
    pub fn results_after(&self, f: &mut Function<'_, '_>, earlier: Vec<Val>) -> Vec<Val> {
        let mut columns = self.columns(f);
        columns.insert(0, earlier);
        self.combined(f, columns)
    }

    fn combined(&self, f: &mut Function<'_, '_>, columns: Vec<Vec<Val>>) -> Vec<Val> {
        let mut columns = columns.into_iter();
        let first = columns.next().unwrap_or_default();
        columns.fold(first, |sum, column| f.combine(self.part.part, &sum, &column))
    }

    /// What is combined for each group, one group per lane: its values, or their total.
    fn columns(&self, f: &mut Function<'_, '_>) -> Vec<Vec<Val>> {
        if self.how != RowTotal::Transposed {
            return vec![vec![f.load_vector(&self.buffers[0], self.part.types[0], "0", &Val::truth(true))]];
        }
        let mut components = Vec::new();
        for (&ty, buffer) in self.part.types.iter().zip(&self.buffers) {
            let rows = (0..SIDE).map(|number| row(f, ty, buffer, number)).collect();
            components.push(turned(f, rows));
        }
        let column = |number: usize| components.iter().map(|component| component[number].clone()).collect();
        (0..SIDE).map(column).collect()
    }
}

/// The number of lanes that hold, an integer of as many bits as there are lanes.
fn set_bits(f: &mut Function<'_, '_>, mask: &Val) -> Name {
    let bits = format!("i{}", f.emit.lanes);
    f.emit.declare(format!("declare {bits} @llvm.ctpop.{bits}({bits})"));
    let mask = f.emit.bits(mask);
    f.emit.define(format_args!("call {bits} @llvm.ctpop.{bits}({bits} {mask})"))
}

/// A count in the type of the sum, which may be narrower: it wraps around like the sum.
fn widened(f: &mut Function<'_, '_>, bits: &str, count: &str, ty: ScalarType) -> Name {
    let (to, lanes) = (memory_type(ty), f.emit.lanes);
    match (ty.size() * 8).cmp(&lanes) {
        std::cmp::Ordering::Equal => count.into(),
        std::cmp::Ordering::Less => f.emit.define(format_args!("trunc {bits} {count} to {to}")),
        std::cmp::Ordering::Greater => f.emit.define(format_args!("zext {bits} {count} to {to}")),
    }
}
