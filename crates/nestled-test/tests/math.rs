//! The elementary functions, as the interpreter computes them from `math.lcu`, against values of higher precision.

use nestled_ir::interp::{Limits, TestWorld, eval_op, run};
use nestled_ir::value::{Array, Buffer, Value};
use nestled_ir::{Op, Program, Scalar, ScalarType};
use nestled_test::math::bounds::{MATH, RANDOM, bounds};
use nestled_test::math::exact::{EXACT, Symmetry};
use nestled_test::math::reference::{Reference, parse};
use nestled_test::math::ulp::error_f32;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn f32_functions_keep_their_bounds_at_the_reference_values() {
    check_file(ScalarType::F32, include_str!("../../../tests/math/f32-reference.txt"));
}

#[test]
fn f64_functions_keep_their_bounds_at_the_reference_values() {
    check_file(ScalarType::F64, include_str!("../../../tests/math/f64-reference.txt"));
}

/// Every line within its bound, and every function of the type has lines.
fn check_file(ty: ScalarType, text: &str) {
    let bounds = bounds();
    let mut seen = BTreeSet::new();
    let mut failures = Vec::new();
    for reference in parse(text) {
        let computed = evaluate(ty, &reference);
        let error = reference.error(computed);
        if error > bounds[&reference.function] {
            let Reference { function, args, rounded, .. } = &reference;
            failures.push(format!("{function} at {args:x?}: {computed:?} for {rounded:?}, {error} ULP"));
        }
        seen.insert(reference.function);
    }
    assert!(failures.is_empty(), "{} failures, such as\n{}", failures.len(), failures[0]);
    for op in elementary() {
        assert!(seen.contains(&format!("{op}_{ty}")), "no values for {op}_{ty}");
    }
}

fn evaluate(ty: ScalarType, reference: &Reference) -> Scalar {
    let op = Op::from_name(reference.name()).expect("an operation");
    let args: Vec<Scalar> = reference.args.iter().map(|&bits| Scalar::from_bits(ty, bits)).collect();
    eval_op(op, &args)
}

fn elementary() -> impl Iterator<Item = Op> {
    Op::PLAIN.iter().copied().filter(|op| op.is_elementary())
}

/// A sample of what the program `math-exhaustive` does for all arguments.
#[test]
fn f32_functions_keep_their_bounds_all_over_their_domain() {
    // Prime, so that the sample has all kinds of low bits.
    const STRIDE: usize = 262_139;
    let bounds = bounds();
    for &(name, symmetry, exact) in EXACT {
        let op = Op::from_name(name).expect("an operation");
        let compute = |x: f32| match eval_op(op, &[Scalar::F32(x)]) {
            Scalar::F32(y) => y,
            other => panic!("{name} gives {other:?}"),
        };
        for bits in (0..=u32::MAX).step_by(STRIDE) {
            let x = f32::from_bits(bits);
            let (y, mirrored) = (compute(x), compute(-x));
            let error = error_f32(y, exact(f64::from(x)));
            assert!(
                error <= bounds[&format!("{name}_f32")],
                "{name} at {x:e} ({bits:08x}): {y:e}, {error} ULP"
            );
            let expected = match symmetry {
                Symmetry::None => continue,
                Symmetry::Even => y,
                Symmetry::Odd => -y,
            };
            let same = mirrored.to_bits() == expected.to_bits() || (mirrored.is_nan() && y.is_nan());
            assert!(same, "{name} at -({x:e}): {mirrored:e}, not {expected:e}");
        }
    }
}

/// The table of `docs/math.md` says what the text promises, and no measured error is above its bound.
#[test]
fn the_documented_bounds_are_the_promised_ones() {
    let documented = documented(include_str!("../../../docs/math.md"));
    for op in elementary() {
        for ty in ["f32", "f64"] {
            let function = format!("{op}_{ty}");
            let Some(&(bound, measured)) = documented.get(&function) else { panic!("{function} has no row") };
            assert_eq!(bound, bounds()[&function], "{function}");
            assert!(measured <= bound, "{function}");
        }
    }
}

/// Rows such as ``| `exp` | f32 | 1 | 0.8763 | … |`` as function, bound and measured error.
fn documented(text: &str) -> BTreeMap<String, (f64, f64)> {
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, name, ty @ ("f32" | "f64"), bound, measured, ..] = cells[..] {
            let numbers = (bound.parse().expect("a bound"), measured.parse().expect("an error"));
            rows.insert(format!("{}_{ty}", name.trim_matches('`')), numbers);
        }
    }
    rows
}

/// The thunks of `random.lcu`, each at all points of arrays.
const ON_ARRAYS: &str = "
kernel threefry_kernel(k0: [n]u32, k1: [n]u32, c0: [n]u32, c1: [n]u32) over n {
  (x, y) = map { i => threefry2x32(k0[i], k1[i], c0[i], c1[i]) }
  (u, v) = map { i =>
    (a, b) = threefry k0[i] k1[i] c0[i] c1[i]
    a, b
  }
  ret x, y, u, v
}
fn threefry2(k0: [n]u32, k1: [n]u32, c0: [n]u32, c1: [n]u32) -> ([n]u32, [n]u32, [n]u32, [n]u32) {
  (x, y, u, v) = run threefry_kernel(k0, k1, c0, c1)
  ret x, y, u, v
}
kernel uniform_kernel(a: [n]u32, b: [n]u32) over n {
  x = map { i => uniform_f32(a[i]) }
  y = map { i => uniform_f64(a[i], b[i]) }
  ret x, y
}
fn uniform(a: [n]u32, b: [n]u32) -> ([n]f32, [n]f64) {
  (x, y) = run uniform_kernel(a, b)
  ret x, y
}
kernel normal_kernel_f32(a: [n]u32, b: [n]u32) over n {
  x = map { i => normal_f32(a[i], b[i]) }
  ret x
}
fn normal_f32s(a: [n]u32, b: [n]u32) -> [n]f32 {
  x = run normal_kernel_f32(a, b)
  ret x
}
kernel normal_kernel_f64(a: [n]u32, b: [n]u32, c: [n]u32, d: [n]u32) over n {
  x = map { i => normal_f64(a[i], b[i], c[i], d[i]) }
  ret x
}
fn normal_f64s(a: [n]u32, b: [n]u32, c: [n]u32, d: [n]u32) -> [n]f64 {
  x = run normal_kernel_f64(a, b, c, d)
  ret x
}
";

/// Runs a function of [`ON_ARRAYS`] on columns of words; gives columns.
fn on_arrays(function: &str, columns: &[Vec<u32>]) -> Vec<Buffer> {
    let text = [MATH, RANDOM, ON_ARRAYS].concat();
    let program: Program = nestled_ir::text::parse("random.lcu", &text).expect("the text is well-formed");
    nestled_ir::verify::verify(&program).expect("and so is the program");
    let args: Vec<Value> =
        columns.iter().map(|column| Value::Array(Array::vector(Buffer::U32(column.clone())))).collect();
    let results = run(&program, function, &[], &args, &Limits::default(), &mut TestWorld::default());
    let columns = results.expect("it runs").into_iter();
    columns.map(|value| value.as_array().expect("an array").data.as_ref().clone()).collect()
}

/// The known answers that come with Random123.
#[test]
fn threefry_gives_its_known_answers() {
    let columns = [
        vec![0, u32::MAX, 0x1319_8a2e],
        vec![0, u32::MAX, 0x0370_7344],
        vec![0, u32::MAX, 0x243f_6a88],
        vec![0, u32::MAX, 0x85a3_08d3],
    ];
    let first = Buffer::U32(vec![0x6b20_0159, 0x1cb9_96fc, 0xc492_3a9c]);
    let second = Buffer::U32(vec![0x99ba_4efe, 0xbb00_2be7, 0x483d_f7a0]);
    let expected = [first.clone(), second.clone(), first, second];
    assert_eq!(format!("{:?}", on_arrays("threefry2", &columns)), format!("{expected:?}"));
}

#[test]
fn uniforms_are_fractions_below_one() {
    let columns = [vec![0, 0x100, 0x8000_0000, u32::MAX], vec![0x800, 0x7ff, 0, u32::MAX]];
    let f32s = Buffer::F32(vec![0.0, f32::EPSILON / 2.0, 0.5, 1.0 - f32::EPSILON / 2.0]);
    let f64s = Buffer::F64(vec![f64::EPSILON / 2.0, 1.0 / 16_777_216.0, 0.5, 1.0 - f64::EPSILON / 2.0]);
    assert_eq!(format!("{:?}", on_arrays("uniform", &columns)), format!("{:?}", [f32s, f64s]));
}

#[test]
fn normal_numbers_keep_their_bounds() {
    let references = parse(include_str!("../../../tests/math/random-reference.txt"));
    for (function, n_args) in [("normal_f32", 2), ("normal_f64", 4)] {
        let lines: Vec<&Reference> = references.iter().filter(|line| line.function == function).collect();
        assert!(lines.len() > 100, "{function}");
        let column = |k: usize| lines.iter().map(|line| line.args[k] as u32).collect();
        let columns: Vec<Vec<u32>> = (0..n_args).map(column).collect();
        let computed: Vec<Scalar> = match &on_arrays(&format!("{function}s"), &columns)[..] {
            [Buffer::F32(xs)] => xs.iter().map(|&x| Scalar::F32(x)).collect(),
            [Buffer::F64(xs)] => xs.iter().map(|&x| Scalar::F64(x)).collect(),
            other => panic!("{other:?}"),
        };
        for (line, computed) in lines.iter().zip(computed) {
            let error = line.error(computed);
            assert!(error <= bounds()[function], "{function} of {:x?}: {computed:?}, {error} ULP", line.args);
        }
    }
}
