//! Results that take the place of an argument on the CPU are those that a place of their own would hold.
//!
//! Each kernel runs twice on the same arrays: once while the caller holds them, and once when nobody does.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_ir::interp::TestWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Segmentation, Value, count_points, same_bits};
use nestled_ir::{Program, render_all, text, verify};
use nestled_rt::Executable;
use std::rc::Rc;
use std::sync::Arc;

/// A kernel's head, its body, how many results of `[…]f64` it has, and how many of them take the place of one of the two arguments.
struct Case {
    what: &'static str,
    body: &'static str,
    results: usize,
    in_place: usize,
}

const FLAT: &[Case] = &[
    Case {
        what: "a map",
        body: "y = map { i => add xs[i] (mul 2.0 ys[i]) }\n z = map { i => sub 0.0 y[i] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "two maps of one thunk take a place each",
        body: "(y, z) = map { i => add xs[i] ys[i], sub xs[i] ys[i] }\n ret y, z",
        results: 2,
        in_place: 2,
    },
    Case {
        what: "a reader behind the writer keeps its argument",
        body: "y = map { i => add xs[i] 1.0 }\n z = map { i => mul y[i] (add xs[i] ys[i]) }\n ret y, z",
        results: 2,
        in_place: 1,
    },
    Case {
        what: "a reader of another place keeps its argument",
        body: "y = map { i => add xs[i] xs[i - 1 clamp] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "readers of other places in a nest before are done",
        body: "a = reduce { i => add xs[i - 1 clamp] ys[i] } add\n y = map { i => sub xs[i] (mul a ys[i]) }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "a scan over the whole",
        body: "p = scan { i => add xs[i] ys[i] } add inclusive forward\n ret p",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "a map before a scan runs twice",
        body: "a = map { i => add xs[i] 1.0 }\n p = scan { i => mul a[i] ys[i] } add exclusive forward\n ret a, p",
        results: 2,
        in_place: 1,
    },
    Case {
        what: "a backward scan",
        body: "p = scan { i => xs[i] } add exclusive backward\n q = map { i => add p[i] ys[i] }\n ret q",
        results: 1,
        in_place: 0,
    },
    Case {
        what: "a sum beside a map",
        body: "y = map { i => mul xs[i] ys[i] }\n s = reduce { i => y[i] } add\n z = map { i => add s ys[i] }\n ret y, z",
        results: 2,
        in_place: 2,
    },
    Case {
        what: "a guarded map",
        body: "g = map { i => gt xs[i] 20.0 }\n y = map where g { i => sub xs[i] ys[i] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "a window reads what took the place",
        body: "a = map { i => add xs[i] 1.0 }\n b = map { i => add a[i] a[i - 1 clamp] }\n ret a, b",
        results: 2,
        in_place: 2,
    },
    Case {
        what: "a scatter in order writes when all its nest reads of its base is read",
        body: "y = permute to [n] base xs range drop clash last { i => sub (sub n 1) i, add xs[i - 1 clamp] ys[i] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "a scatter in any order writes while its nest reads",
        body: "y = permute to [n] base xs range drop clash proved { i => sub (sub n 1) i, add xs[i] ys[i] }\n ret y",
        results: 1,
        in_place: 0,
    },
    Case {
        what: "a scatter in any order takes the place of what nests before read",
        body: "a = reduce { i => xs[i] } add\n y = permute to [n] base xs range drop clash proved { i => sub (sub n 1) i, add a ys[i] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "two scatters whose bases are read in between, once",
        body: "k = once { if gt n 0 { xs[n - 1] } else { 1.5 } }\n y = permute to [n] base xs range drop clash last { i => i, add k ys[i] }\n \
               l = once { if gt n 0 { xs[0] } else { 2.5 } }\n z = permute to [n] base ys range drop clash last { i => i, mul l 3.0 }\n ret y, z",
        results: 2,
        in_place: 2,
    },
    Case {
        what: "two scatters with one base",
        body: "y = permute to [n] base xs range drop clash last { i => sub (sub n 1) i, add xs[i] ys[i] }\n \
               z = permute to [n] base xs range drop clash first { i => sub (sub n 1) i, sub xs[i] ys[i] }\n ret y, z",
        results: 2,
        in_place: 0,
    },
];

const ROWS: &[Case] = &[
    Case {
        what: "a map of a grid or of segments",
        body: "y = map { i, j => add xs[i, j] (mul 2.0 ys[i, j]) }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "a row is divided by its sum in a second sweep",
        body: "sum = reduce @1 { i, j => xs[i, j] } add\n y = map { i, j => div xs[i, j] sum[i] }\n ret y",
        results: 1,
        in_place: 1,
    },
    Case {
        what: "the second sweep still needs what the first would write over",
        body: "sum = reduce @1 { i, j => xs[i, j] } add\n t = map { i, j => add ys[i, j] (div xs[i, j] sum[i]) }\n \
               y = map { i, j => mul 2.0 xs[i, j] }\n ret y, t",
        results: 2,
        in_place: 1,
    },
    Case {
        what: "scans of rows",
        body: "p = scan @1 { i, j => xs[i, j] } add inclusive forward\n y = map { i, j => add p[i, j] ys[i, j] }\n ret p, y",
        results: 2,
        in_place: 2,
    },
    Case {
        what: "maps beside sums of rows",
        body: "y = map { i, j => mul xs[i, j] ys[i, j] }\n sum = reduce @1 { i, j => y[i, j] } add\n \
               t = map { i => mul 2.0 sum[i] }\n z = map { i, j => add ys[i, j] 1.0 }\n ret y, z",
        results: 2,
        in_place: 2,
    },
];

/// Stages of grids run in bands, which begin with rows of others again.
const BANDS: &[Case] = &[
    Case {
        what: "what a band recomputes is not gone",
        body: "a = map { i, j => add xs[i, j] 1.0 }\n b = map { i, j => add a[i + 1 clamp, j] a[i - 1 clamp, j] }\n ret b",
        results: 1,
        in_place: 0,
    },
    Case {
        what: "in none of three stages",
        body: "a = map { i, j => add xs[i, j] ys[i, j] }\n b = map { i, j => add a[i + 1 clamp, j] a[i - 1 clamp, j] }\n \
               c = map { i, j => add b[i - 2 wrap, j] xs[i, j] }\n ret c",
        results: 1,
        in_place: 0,
    },
];

fn program(case: &Case, shapes: &str, array: &str) -> Program {
    let results = vec![array; case.results].join(", ");
    let names: Vec<String> = (0..case.results).map(|at| format!("r{at}")).collect();
    let names = names.join(", ");
    let (bind, arguments) = (if case.results == 1 { names.clone() } else { format!("({names})") }, "xs, ys");
    let space = if array == "[n]f64" {
        "n"
    } else if array == "[s]f64" {
        "n, s"
    } else {
        "n, m"
    };
    let body = case.body;
    let source = format!(
        "kernel k<{shapes}>(xs: {array}, ys: {array}) over {space} {{\n {body}\n}}\n\
         fn main<{shapes}>(xs: {array}, ys: {array}) -> ({results}) {{\n {bind} = run k({arguments})\n ret {names}\n}}"
    );
    let program = text::parse(case.what, &source)
        .unwrap_or_else(|failure| panic!("{}", render_all(&failure.diagnostics, &failure.sources)));
    verify::verify(&program).unwrap_or_else(|errors| panic!("{}", render_all(&errors, &program.sources)));
    program
}

fn check(case: &Case, shapes: &str, array: &str, axes: &[AxisValue], shape: &[AxisValue]) {
    let program = program(case, shapes, array);
    let count = count_points(shape) as usize;
    let numbers = |seed: usize| (0..count).map(|at| ((at * 7 + seed) % 41) as f64 + 0.5).collect();
    let value = |seed| Value::Array(Array::dense(shape.to_vec(), Buffer::F64(numbers(seed))));
    let values = [value(1), value(5)];
    for threads in [1, 2, 5] {
        let device = Rc::new(CpuDevice::new(CpuConfig { threads: Some(threads), ..CpuConfig::default() }));
        let executable = Executable::new(&program, Rc::clone(&device) as _).unwrap();
        let mut world = TestWorld::default();
        let held = executable.put(&values).unwrap();
        let mut formals = held[0].axes();
        if let (AxisValue::Extent(parent), true) = (&axes[0], axes.len() > shape.len()) {
            formals.splice(0..0, executable.put(&[Value::Dim(*parent)]).unwrap());
        }
        let made = executable.run_handles("main", &formals, &held, &mut world).unwrap();
        let apart: Vec<Value> = made.iter().map(|handle| handle.to_value().unwrap()).collect();
        drop((held, formals, made));
        executable.restart_peak();
        let together = executable.run("main", axes, &values, &mut world).unwrap();
        let same = apart.iter().zip(&together).all(|(apart, together)| same_bits(apart, together));
        assert!(same, "{} with {threads} threads, {count} elements", case.what);
        // Offsets take room as well.
        let is_large = count > 1000 && count as u64 > 4 * count_points(&axes[..1]);
        if device.hint().is_none() && (is_large || shape.len() == axes.len() && count > 1000) {
            let arrays = executable.peak_bytes() as f64 / (8 * count) as f64;
            let least = (2 + case.results - case.in_place.min(case.results)) as f64;
            assert!((least..least + 0.4).contains(&arrays), "{}: {arrays} arrays, not {least}", case.what);
        }
    }
}

#[test]
fn over_the_whole() {
    for case in FLAT {
        for n in [0, 1, 31, 33, 5000, 70_001] {
            let shape = [AxisValue::Extent(n)];
            check(case, "n", "[n]f64", &shape, &shape);
        }
    }
}

#[test]
fn over_rows_of_a_grid() {
    for case in ROWS.iter().chain(BANDS) {
        for (n, m) in [(3, 5), (700, 70), (2, 30_001), (20_000, 3)] {
            let shape = [AxisValue::Extent(n), AxisValue::Extent(m)];
            check(case, "n, m", "[n, m]f64", &shape, &shape);
        }
    }
}

#[test]
fn over_segments() {
    let seg = |lengths: Vec<u64>| {
        let parent = vec![AxisValue::Extent(lengths.len() as u64)];
        AxisValue::Seg(Arc::new(Segmentation::from_lengths(parent, lengths.into_iter()).unwrap()))
    };
    for case in ROWS {
        for lengths in
            [vec![2, 0, 3], (0..900).map(|at| at % 37).collect(), vec![5, 60_000, 0, 7], vec![1; 3000]]
        {
            let n = AxisValue::Extent(lengths.len() as u64);
            let s = seg(lengths);
            check(case, "n, s: seg[n]", "[s]f64", &[n, s.clone()], &[s]);
        }
    }
}
