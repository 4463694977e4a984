//! Strategy of scans: whether the order of joining shows in results, and how often points are visited.

use super::split_mixed::ScanOrder;
use super::view::View;
use nestled_ir::{Combinator, Monoid, MonoidPart, ScalarType};

/// Values of a state of which there may be one for each vector of a block, in 48 KiB.
const MOST_VALUES: usize = 4;

/// How a scan runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scan {
    /// One sweep with decoupled look-back, where the order does not show.
    SinglePass {
        /// True if runs consist of values only: all points take part, and the unit changes nothing.
        values: bool,
    },
    /// Three entries where the order does not show: totals of tiles, what comes before each, and the tiles again.
    ReduceThenScan,
    /// In vectors and blocks of vectors, λcu's order for built-in operations: four entries.
    Vectors,
    /// The same in one sweep, for a scan of the whole.
    VectorsInOneSweep,
    /// In blocks, point by point: λcu's order for monoids of the program.
    Points,
}

impl View<'_> {
    pub fn scan(&self, step: &Combinator, within: usize, monoid: &Monoid) -> Scan {
        let types = self.result_types(step);
        let orders = ScanOrder::all(monoid, &types, &self.program.monoids, self.dialect.math);
        match orders.into_iter().max().unwrap_or(ScanOrder::Any) {
            ScanOrder::Any if self.has_warps() => {
                Scan::SinglePass { values: scans_values(step, monoid, &types) }
            }
            ScanOrder::Any => Scan::ReduceThenScan,
            ScanOrder::Vectors if self.has_warps() && within == 0 && types.len() <= MOST_VALUES => {
                Scan::VectorsInOneSweep
            }
            ScanOrder::Vectors => Scan::Vectors,
            ScanOrder::Points => Scan::Points,
        }
    }
}

/// True if the runs of a scan need not tell whether a point took part: all do, and the unit of integers, joined with them, changes nothing.
fn scans_values(step: &Combinator, monoid: &Monoid, types: &[ScalarType]) -> bool {
    let whole = |ty: &ScalarType| ty.is_integer() || *ty == ScalarType::Bool;
    step.guard.is_none()
        && types.iter().all(whole)
        && monoid.parts.iter().all(|part| matches!(part, MonoidPart::Op(_)))
}
