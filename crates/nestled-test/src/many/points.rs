//! Checks with many points, of scans, filters, partitions, scatters, reductions and products: the look-back of tiles spans more than one window, and reductions have more
//! tiles than a workgroup.

use super::agree;
use crate::corpus::Engine;
use nestled_ir::text::parse;
use nestled_ir::value::{AxisValue, Value};
use nestled_ir::{Program, Scalar};

/// The program.
///
/// # Panics
/// If it is wrong.
pub fn program() -> Program {
    parse("points.lcu", include_str!("points.lcu")).expect("it is well-formed")
}

/// Everything that takes many points.
pub fn many_points(engine: &Engine) {
    let program = program();
    for (function, shapes, args) in [
        ("main", vec![140_000], vec![]),
        ("main", vec![4096], vec![]),
        ("in_rows", vec![200_000], vec![Value::Scalar(Scalar::Idx(4000))]),
        ("bins", vec![140_000], vec![]),
        ("bins", vec![300], vec![]),
        ("bins", vec![0], vec![]),
        ("products", vec![70, 45, 130], vec![]),
        ("products", vec![1, 300, 1], vec![]),
        ("products", vec![64, 0, 3], vec![]),
        ("products", vec![0, 5, 64], vec![]),
    ] {
        let shapes: Vec<AxisValue> = shapes.into_iter().map(AxisValue::Extent).collect();
        // Blocks and threads take turns otherwise each time.
        for round in 0..3 {
            agree(engine, &program, function, &shapes, &args, &format!("round {round}"));
        }
    }
}
