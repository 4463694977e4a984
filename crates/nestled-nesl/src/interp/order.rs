//! Order of floating-point reductions, the same as λcu's (`docs/lcu.md`, "Order of an inexact reduction"), so that flattened programs give the same bits.

use nestled_ir::reduction_order::{LANES, SHORT, TILE};

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
    use super::reduce;
    use nestled_ir::interp::{Limits, TestWorld, run};
    use nestled_ir::value::{Array, AxisValue, Buffer, Value};
    use nestled_ir::{Program, Scalar};

    #[test]
    fn the_order_is_that_of_lcu() {
        let text = "kernel total(xs: [n]f64) over n {\n  s = reduce { i => xs[i] } add\n  ret s\n}\n\
                    fn main<n>(xs: [n]f64) -> f64 {\n  s = run total(xs)\n  ret s\n}\n";
        let program = nestled_ir::text::parse("sum.lcu", text).expect("a program");
        for n in [1usize, 31, 32, 33, 47, 4096, 4097, 12_289, 20_000] {
            let values: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 0.3)).collect();
            let shape = vec![AxisValue::Extent(n as u64)];
            let array = Value::Array(Array::dense(shape, Buffer::F64(values.clone())));
            let mut world = TestWorld::default();
            let shapes = [AxisValue::Extent(n as u64)];
            let results = run(&program, Program::ENTRY, &shapes, &[array], &Limits::default(), &mut world);
            let wanted = results.expect("a sum")[0].as_scalar();
            let found = reduce(&values, &|a, b| a + b).map(Scalar::F64);
            assert_eq!(found, wanted, "{n} values");
        }
    }
}
