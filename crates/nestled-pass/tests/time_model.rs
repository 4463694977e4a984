//! The time model: what it counts in a kernel, and how rates are read.

use nestled_ir::ValueId;
use nestled_pass::time::Work;
use nestled_pass::time::features::{Features, Sizes};
use nestled_pass::time::rates::{Curve, Rates};

/// All extents are 1000.
struct Thousand;

impl Sizes for Thousand {
    fn extent(&self, _: ValueId) -> f64 {
        1000.0
    }

    fn scalar(&self, _: ValueId) -> Option<f64> {
        Some(1000.0)
    }
}

fn features(kernel: &str) -> Features {
    let program = nestled_ir::text::parse("k.lcu", kernel).expect("it is well-formed");
    nestled_ir::verify::verify(&program).expect("it is well-typed");
    Features::of(&program, &program.kernels[0], &Thousand)
}

fn work(features: &Features) -> Vec<(&'static str, f64)> {
    let amounts = Work::ALL.into_iter().map(|(class, name)| (name, features.work[class as usize]));
    amounts.filter(|(_, amount)| *amount > 0.0).collect()
}

#[test]
fn a_map_streams_its_arrays() {
    let found = features(
        "kernel k(a: [n]f32, b: [n]f64) over n {\n  r = map { i => mul (f64 a[i]) b[i] }\n  ret r\n}",
    );
    assert_eq!(found.streamed, 1000.0 * (4.0 + 8.0 + 8.0));
    // The conversion and the product are of eight bytes.
    assert_eq!(work(&found), [("plain", 4000.0), ("load", 3000.0), ("argument", 1.0)]);
    assert!(found.gathers.is_empty());
}

#[test]
fn an_array_is_streamed_once() {
    let found = features(
        "kernel k(a: [n]f32) over n {\n  r = map { i => add a[i - 1 clamp] a[i + 1 clamp] }\n  ret r\n}",
    );
    assert_eq!((found.streamed, work(&found)[1]), (8000.0, ("load", 2000.0)));
}

#[test]
fn reads_at_data_gather_from_the_whole_array() {
    let found = features(
        "kernel k(a: [m]f64, at: [n]i32) over n {\n  r = map { i => a[idx at[i] clamp] }\n  ret r\n}",
    );
    assert_eq!(found.gathers.len(), 1);
    assert_eq!((found.gathers[0].count, found.gathers[0].bytes), (1000.0, 8000.0));
}

#[test]
fn mirrored_and_wrapped_reads_are_in_order() {
    let gathers = |at: &str| {
        let text =
            format!("kernel k(a: [n]f32) over n {{\n  r = map {{ i => a[({at}) clamp] }}\n  ret r\n}}");
        features(&text).gathers.len()
    };
    for at in ["abs (sub i 1)", "sub n (abs (sub n (add i 1)))", "rem (add i 1) n", "max (sub i 3) 0"] {
        assert_eq!(gathers(at), 0, "{at}");
    }
    assert_eq!(gathers("rem i 7"), 1);
}

#[test]
fn columns_are_read_with_a_stride() {
    let found =
        features("kernel k(a: [m, n]f32) over n, m {\n  r = reduce @1 { i, j => a[j, i] } add\n  ret r\n}");
    assert!(found.gathers.is_empty());
    assert_eq!(
        work(&found),
        [("load", 2e6), ("reduce", 1e6), ("reduced", 1000.0), ("argument", 1.0), ("combinator", 1.0)]
    );
}

#[test]
fn loops_count_their_rounds() {
    let text = "kernel k(a: [n]f32) over n {\n  r = map { i =>\n    s = for j in 10..n with (s = a[i]) { mul s 0.5 }\n    s\n  }\n  ret r\n}";
    assert_eq!(work(&features(text)), [("plain", 990_000.0), ("load", 1000.0), ("round", 990_000.0)]);
}

#[test]
fn a_dear_arm_is_rare() {
    let map = |otherwise: &str| {
        format!(
            "kernel k(a: [n]f32) over n {{\n  r = map {{ i =>\n    x = a[i]\n    y = if lt x 1.0 {{ mul x 2.0 }} else {{ {otherwise} }}\n    y\n  }}\n  ret r\n}}"
        )
    };
    let plain = |text: &str| features(&map(text)).work[Work::Plain as usize];
    assert_eq!(plain("add x 1.0"), 4000.0, "the branch, the comparison, both arms");
    assert!(plain("exp (sin (cos x))") < 60_000.0);
}

#[test]
fn what_is_alike_along_a_row_is_computed_once_for_it() {
    let divided = |by: &str| {
        let text = format!(
            "kernel k(a: [n, m]f32, b: [n]f32, s: f32) over n, m {{\n  t = reduce @1 {{ i, j => a[i, j] }} add\n  r = map {{ i, j => mul a[i, j] (div 1.0 {by}) }}\n  ret r\n}}"
        );
        features(&text).work[Work::Divide as usize]
    };
    assert_eq!(["s", "b[i]", "t[i]", "a[i, j]"].map(divided), [1000.0, 1000.0, 1000.0, 1e6]);
}

#[test]
fn launches_with_many_arguments_and_results_count_them() {
    let text = "kernel k(a: [n]f32, b: [n]f32, c: [n]f32) over n {\n  r = map { i => add a[i] (mul b[i] c[i]) }\n  s = reduce { i => r[i] } add\n  ret r, s\n}";
    let found = features(text);
    assert_eq!([Work::Argument, Work::Combinator].map(|class| found.work[class as usize]), [3.0, 1.0]);
}

#[test]
fn scatters_are_told_from_combining_ones() {
    let permute = |clash: &str| {
        format!(
            "kernel k<m>(at: [n]i32) over n {{\n  r = permute to [m] base 0 range drop clash {clash} {{ i => idx at[i], 1i32 }}\n  ret r\n}}"
        )
    };
    let (last, add) = (features(&permute("last")), features(&permute("add")));
    assert_eq!((last.scatters.len(), last.combines.len()), (1, 0));
    assert_eq!((add.scatters.len(), add.combines.len()), (0, 1));
    assert_eq!(add.combines[0].bytes, 4000.0);
}

#[test]
fn rates_are_read_as_they_are_printed() {
    let mut read = Rates::GPU;
    read.read(&format!("# a comment\n\n{}", Rates::default())).expect("it is well-formed");
    assert_eq!(read, Rates::default());
    read.read("launch 7").expect("the others stay");
    assert_eq!((read.launch, read.stream), (7.0, Rates::default().stream));
}

#[test]
fn lines_that_are_no_rates_are_named() {
    let five = "stream 1 1\nstream 2 1\nstream 3 1\nstream 4 1\nstream 5 1";
    for text in [
        "launch",
        "launch -1",
        "launch inf",
        "speed 3",
        "stream 1 0",
        "stream 2 1\nstream 1 1",
        five,
        "plain 1 2 3",
    ] {
        let error = Rates::default().read(text).expect_err(text);
        assert!(error.contains(text.lines().last().expect("a line")), "{error}");
    }
}

#[test]
fn curves_rise_from_sample_to_sample() {
    let curve = Curve([(10.0, 1.0), (100.0, 10.0), (1000.0, 10.0), (10_000.0, 40.0)]);
    assert_eq!([1.0, 10.0, 100.0, 500.0, 1e9].map(|size| curve.at(size)), [1.0, 1.0, 10.0, 10.0, 40.0]);
    assert!((curve.at(31.622_776_6) - 3.162_277_66).abs() < 1e-6);
}

#[test]
fn a_launch_takes_the_greater_of_memory_and_work() {
    let rates = Rates { launch: 5.0, overlap: 0.25, ..Rates::default() };
    let byte = rates.stream.at(1000.0);
    let mut features = Features { streamed: 1000.0, ..Features::default() };
    assert!((rates.time(&features) - (5.0 + 1000.0 * byte)).abs() < 1e-9);
    features.work[Work::Plain as usize] = 4000.0 * byte / rates.work[Work::Plain as usize];
    assert!((rates.time(&features) - (5.0 + 4000.0 * byte + 250.0 * byte)).abs() < 1e-6);
}
