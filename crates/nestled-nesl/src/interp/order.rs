//! Order of floating-point reductions and scans, the same as λcu's (`docs/lcu.md`, "Order of an inexact reduction"), so that flattened programs give the same bits.

use nestled_ir::Direction;
use nestled_ir::interp::scan_order::{self, Scanned};
use nestled_ir::reduction_order::{LANES, SHORT, TILE};
use std::convert::Infallible;

/// Reduces values in this order; `None` if there are none.
pub(super) fn reduce(values: &[f64], combine: &dyn Fn(f64, f64) -> f64) -> Option<f64> {
    if values.len() <= SHORT as usize {
        return values.iter().copied().reduce(combine);
    }
    let mut row: Vec<f64> = values.chunks(TILE as usize).map(|tile| reduce_tile(tile, combine)).collect();
    while row.len() > 1 {
        row = row
            .chunks(2)
            .map(|pair| pair.iter().copied().reduce(combine).expect("no chunk is empty"))
            .collect();
    }
    row.pop()
}

/// Scans values in this order. Returns the exclusive prefixes, of which the first is the unit.
pub(super) fn scan(values: Vec<f64>, unit: f64, combine: &dyn Fn(f64, f64) -> f64) -> Vec<f64> {
    let n = values.len() as u64;
    let mut group = Prefixes { values, unit, combine };
    let Ok(()) = scan_order::scan(&mut group, n, Direction::Forward);
    group.values
}

/// Values, which become prefixes.
struct Prefixes<'c> {
    values: Vec<f64>,
    unit: f64,
    combine: &'c dyn Fn(f64, f64) -> f64,
}

impl Scanned for Prefixes<'_> {
    type Item = f64;
    type Error = Infallible;

    fn value(&mut self, position: u64) -> Option<f64> {
        Some(self.values[position as usize])
    }

    fn join(&mut self, earlier: f64, later: f64) -> Result<f64, Infallible> {
        Ok((self.combine)(earlier, later))
    }

    fn put(&mut self, position: u64, before: Option<f64>, _: f64) {
        self.values[position as usize] = before.unwrap_or(self.unit);
    }
}

fn reduce_tile(tile: &[f64], combine: &dyn Fn(f64, f64) -> f64) -> f64 {
    let mut lanes: Vec<Option<f64>> =
        (0..LANES).map(|lane| tile.iter().skip(lane).step_by(LANES).copied().reduce(combine)).collect();
    for stride in [8, 4, 2, 1] {
        for lane in 0..stride {
            lanes[lane] = match (lanes[lane], lanes[lane + stride]) {
                (Some(left), Some(right)) => Some(combine(left, right)),
                (left, right) => left.or(right),
            };
        }
    }
    lanes[0].expect("no tile is empty")
}

#[cfg(test)]
mod tests {
    use super::{reduce, scan};
    use nestled_ir::interp::{Limits, TestWorld, run};
    use nestled_ir::value::{Array, AxisValue, Buffer, Value};
    use nestled_ir::{Program, Scalar};

    /// Runs a program on values of which every rounding shows.
    fn of_lcu(text: &str, n: usize) -> (Vec<f64>, Value) {
        let program = nestled_ir::text::parse("order.lcu", text).expect("a program");
        let values: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 0.3)).collect();
        let shape = vec![AxisValue::Extent(n as u64)];
        let array = Value::Array(Array::dense(shape.clone(), Buffer::F64(values.clone())));
        let mut world = TestWorld::default();
        let results = run(&program, Program::ENTRY, &shape, &[array], &Limits::default(), &mut world);
        (values, results.expect("a result").remove(0))
    }

    #[test]
    fn the_order_of_reductions_is_that_of_lcu() {
        let text = "kernel total(xs: [n]f64) over n {\n  s = reduce { i => xs[i] } add\n  ret s\n}\n\
                    fn main<n>(xs: [n]f64) -> f64 {\n  s = run total(xs)\n  ret s\n}\n";
        for n in [1usize, 31, 32, 33, 47, 4096, 4097, 12_289, 20_000] {
            let (values, wanted) = of_lcu(text, n);
            let found = reduce(&values, &|a, b| a + b).map(Scalar::F64);
            assert_eq!(found, wanted.as_scalar(), "{n} values");
        }
    }

    #[test]
    fn the_order_of_scans_is_that_of_lcu() {
        let text = "kernel prefixes(xs: [n]f64) over n {\n  s = scan { i => xs[i] } add exclusive forward\n  ret s\n}\n\
                    fn main<n>(xs: [n]f64) -> [n]f64 {\n  s = run prefixes(xs)\n  ret s\n}\n";
        for n in [1usize, 15, 16, 17, 100, 16_384, 16_385, 40_000] {
            let (values, wanted) = of_lcu(text, n);
            let Value::Array(wanted) = wanted else { panic!("{wanted:?} is no array") };
            let found = scan(values, 0.0, &|a, b| a + b);
            assert!((0..n).all(|at| wanted.data.get(at) == Scalar::F64(found[at])), "{n} values");
        }
    }
}
