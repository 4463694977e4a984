//! Every benchmark. To add one: a program in `benches/`, an entry here with a function that makes its inputs and a plain reference, and C
//! in `benches/c`.

mod images;
mod irregular;
mod matrices;
mod numeric;
mod vectors;

use crate::bench::Tolerance::{Exact, Mismatches, OfGreatest};
use crate::bench::{Bench, Sizes};
use nestled_ir::Scalar;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use std::sync::{Arc, LazyLock};

/// Tiny, small and large vectors.
const VECTOR: Sizes = Sizes::Elements([5_003, 1_000_000, 10_000_000]);
/// Tiny, small and large matrices.
const MATRIX: Sizes = Sizes::Side([67, 1000, 8000]);

macro_rules! program {
    ($file:literal) => {
        include_str!(concat!("../../../../benches/", $file, ".lcu"))
    };
}

/// All of them, flat ones first.
#[rustfmt::skip]
pub const BENCHES: &[Bench] = &[
    Bench { name: "chain", title: "eight elementwise operations", program: program!("chain"),
            sizes: VECTOR, tolerance: OfGreatest(2e-4), case: vectors::chain }, // a root of almost nothing: see its case
    Bench { name: "black-scholes", title: "prices of European options", program: program!("black_scholes"),
            sizes: VECTOR, tolerance: OfGreatest(2e-5), case: numeric::black_scholes },
    Bench { name: "mandelbrot", title: "rounds until a point escapes, 255 at most", program: program!("mandelbrot"),
            sizes: Sizes::Side([24, 500, 2000]), tolerance: Mismatches(0.01), case: numeric::mandelbrot },
    Bench { name: "sum", title: "sum of a vector", program: program!("sum"),
            sizes: VECTOR, tolerance: OfGreatest(1e-5), case: vectors::sum },
    Bench { name: "sum-abs", title: "sum of absolute values of a matrix", program: program!("sum_abs"),
            sizes: MATRIX, tolerance: OfGreatest(1e-5), case: matrices::sum_abs },
    Bench { name: "dot", title: "dot product", program: program!("dot"),
            sizes: VECTOR, tolerance: OfGreatest(1e-5), case: vectors::dot },
    Bench { name: "row-sums", title: "sums of the rows of a matrix", program: program!("row_sums"),
            sizes: MATRIX, tolerance: OfGreatest(1e-5), case: matrices::row_sums },
    Bench { name: "column-sums", title: "sums of the columns of a matrix", program: program!("column_sums"),
            sizes: MATRIX, tolerance: OfGreatest(1e-5), case: matrices::column_sums },
    Bench { name: "scan-f32", title: "prefix sums of floats", program: program!("scan_f32"),
            sizes: VECTOR, tolerance: OfGreatest(5e-4), case: vectors::scan_f32 },
    Bench { name: "scan-i32", title: "prefix sums of integers", program: program!("scan_i32"),
            sizes: VECTOR, tolerance: Exact, case: vectors::scan_i32 },
    Bench { name: "filter", title: "elements greater than 0, about half", program: program!("filter"),
            sizes: VECTOR, tolerance: Exact, case: vectors::filter },
    Bench { name: "histogram", title: "256 bins", program: program!("histogram"),
            sizes: VECTOR, tolerance: Exact, case: vectors::histogram },
    Bench { name: "segmented-sum", title: "sums of segments, lengths after a power law", program: program!("segmented_sum"),
            sizes: VECTOR, tolerance: OfGreatest(1e-4), case: irregular::segmented_sum },
    Bench { name: "spmv", title: "sparse matrix times vector", program: program!("spmv"),
            sizes: Sizes::Elements([503, 100_000, 1_000_000]), tolerance: OfGreatest(1e-5), case: irregular::spmv },
    Bench { name: "sort", title: "sorting random integers", program: program!("sort"),
            sizes: VECTOR, tolerance: Exact, case: vectors::sort },
    Bench { name: "life", title: "a step of Life on a torus", program: program!("life"),
            sizes: MATRIX, tolerance: Exact, case: images::life },
    Bench { name: "gaussian", title: "Gaussian of 5×5, edges repeat", program: program!("gaussian"),
            sizes: MATRIX, tolerance: OfGreatest(1e-5), case: images::gaussian },
    Bench { name: "klt", title: "corners after Kanade, Lucas, Tomasi", program: program!("klt"),
            sizes: Sizes::Side([67, 1000, 4000]), tolerance: OfGreatest(1e-4), case: images::klt },
    Bench { name: "matmul", title: "product of two matrices", program: program!("matmul"),
            sizes: Sizes::Side([67, 1000, 2048]), tolerance: OfGreatest(1e-5), case: matrices::matmul },
];

/// Programs as a naive front end would write them, one operation or so to a kernel, and the names of their benchmarks.
const UNFUSED_PROGRAMS: &[(&str, &str)] = &[
    ("chain", program!("unfused/chain")),
    ("black-scholes", program!("unfused/black_scholes")),
    ("sum-abs", program!("unfused/sum_abs")),
    ("dot", program!("unfused/dot")),
    ("filter", program!("unfused/filter")),
    ("histogram", program!("unfused/histogram")),
    ("spmv", program!("unfused/spmv")),
    ("life", program!("unfused/life")),
    ("gaussian", program!("unfused/gaussian")),
    ("klt", program!("unfused/klt")),
];

static UNFUSED: LazyLock<Vec<Bench>> = LazyLock::new(|| {
    let program = |bench: &Bench| UNFUSED_PROGRAMS.iter().find(|(name, _)| *name == bench.name);
    BENCHES.iter().filter_map(|bench| Some(Bench { program: program(bench)?.1, ..*bench })).collect()
});

/// The benchmarks with an unfused program (more kernels than need be), with that program.
pub fn unfused() -> &'static [Bench] {
    &UNFUSED
}

fn vector(data: &Arc<Buffer>) -> Value {
    Value::Array(Array::vector(Arc::clone(data)))
}

fn matrix(rows: usize, columns: usize, data: &Arc<Buffer>) -> Value {
    let shape = [rows, columns].map(|extent| AxisValue::Extent(extent as u64));
    Value::Array(Array::dense(shape.into(), Arc::clone(data)))
}

fn float(value: f32) -> Value {
    Value::Scalar(Scalar::F32(value))
}

fn floats(data: Vec<f32>) -> Arc<Buffer> {
    Arc::new(Buffer::F32(data))
}

fn integers(data: Vec<i32>) -> Arc<Buffer> {
    Arc::new(Buffer::I32(data))
}
