//! Where four neighbours are computed at once, the compiler makes one load or store of what lies beside each other: so many of 16 bytes there are in what the assembler is given.

use nestled_cuda::{Architecture, Effort, Nvrtc, dialect};
use nestled_gpu::generate;
use nestled_ir::{KernelId, text};

/// Set where the compiler has to be there: without it the test fails there instead of being skipped.
const REQUIRED: &str = "NESTLED_GPU_REQUIRED";

/// Loads and stores of 16 bytes in all entry points.
fn wide(nvrtc: &Nvrtc, kernel: &str) -> (usize, usize) {
    let program = text::parse("loads.lcu", kernel).expect("it is well-formed");
    let module = generate(&program, KernelId::from(0), &dialect()).expect("there is code for it");
    let ptx = nvrtc.compile(&module.text, Architecture(80), Effort::Full).expect("it compiles").ptx;
    let count = |what: &str| {
        ["v4.f32", "v4.u32", "v2.f64", "v2.u64"].map(|ty| ptx.matches(&format!("{what}.global.{ty}")).count())
    };
    (count("ld").iter().sum(), count("st").iter().sum())
}

#[test]
fn neighbours_are_loaded_at_once() {
    let nvrtc = match Nvrtc::open() {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            let required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
            assert!(!required, "{error}");
            return;
        }
    };
    // At least so many loads, and stores: each loop that is unrolled has some.
    let least = [
        (
            "kernel k(xs: [n]f32, ys: [n]f32) over n {\n z = map { i => fma xs[i proved] 2.0 ys[i proved] }\n ret z\n}\n",
            2,
            1,
        ),
        (
            "kernel k(xs: [n]f64, ys: [n]f64) over n {\n z = map { i => mul xs[i proved] ys[i proved] }\n ret z\n}\n",
            4,
            2,
        ),
        (
            "kernel k(xs: [n, m]f32, r: [n]f32) over n, m {\n z = map { i, j => mul xs[i proved, j proved] r[i proved] }\n ret z\n}\n",
            1,
            1,
        ),
        (
            "kernel k(xs: [n, 4]i32) over n, 4 {\n z = map { i, j => add xs[i proved, j proved] 1 }\n ret z\n}\n",
            1,
            1,
        ),
        ("kernel k(xs: [n]i32) over n {\n s = reduce { i => xs[i proved] } add\n ret s\n}\n", 5, 0),
        (
            "kernel k(xs: [n, m]f32) over n, m {\n s = reduce { i, j => xs[i proved, j proved] } max\n ret s\n}\n",
            5,
            0,
        ),
        (
            "kernel k(xs: [n, m]i64) over n, m {\n s = reduce @1 { i, j => xs[i proved, j proved] } add\n ret s\n}\n",
            4,
            0,
        ),
        (
            "kernel k<n, s: seg[n]>(xs: [s]i32) over n, s {\n t = reduce @1 { i, j => xs[i proved, j proved] } add\n ret t\n}\n",
            5,
            0,
        ),
        // The rows of a stencil, away from the borders.
        (
            "kernel k(a: [n, m]f32) over n, m {\n b = map { y, x => add a[y + 1 clamp, x proved] a[y proved, x proved] }\n ret b\n}\n",
            2,
            1,
        ),
    ];
    for (kernel, loads, stores) in least {
        let found = wide(&nvrtc, kernel);
        assert!(found.0 >= loads && found.1 >= stores, "{found:?} in\n{kernel}");
    }
    // The order of a sum of floats is fixed: sixteen neighbours go to sixteen lanes.
    let sum = "kernel k(xs: [n]f32) over n {\n s = reduce { i => xs[i proved] } add\n ret s\n}\n";
    assert_eq!(wide(&nvrtc, sum), (0, 0));
}
