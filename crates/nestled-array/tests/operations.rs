//! Every operation against a direct implementation: all types, ranks 0 to 5, empty axes and axes of one element.

use crate::direct::{Dice, Direct, indices, same};
use nestled_array::*;
use nestled_ir::{Op as ScalarOp, Scalar, ScalarType, interp::eval_op};
use nestled_test::again;

/// Elements that show borders of arithmetic.
trait Sample: Element {
    fn samples() -> Vec<Self>;
}

macro_rules! samples {
    ($($ty:ident: $($value:expr),*;)*) => {$(impl Sample for $ty {
        fn samples() -> Vec<$ty> {
            vec![$($value),*]
        }
    })*};
}

samples! {
    bool: false, true;
    u8: 0, 1, 2, 7, 200, 255;
    i32: 0, 1, -1, 5, -7, i32::MIN, i32::MAX;
    u32: 0, 1, 6, 31, u32::MAX;
    i64: 0, 1, -1, 9, -13, i64::MIN, i64::MAX;
    f32: 0.0, -0.0, 1.0, -1.5, 0.3, 7.25, -3e9, 1e20, f32::INFINITY, f32::NAN;
    f64: 0.0, -0.0, 1.0, -1.5, 0.3, 7.25, -3e9, 1e20, f64::INFINITY, f64::NAN;
}

impl Sample for F16 {
    fn samples() -> Vec<F16> {
        [0.0, -0.0, 1.0, -1.5, 0.3, 7.25, 6e-8, 65504.0, f64::INFINITY, f64::NAN].map(F16::of).to_vec()
    }
}

fn sample<T: Sample>(dice: &Dice, shape: &[usize]) -> Direct<T> {
    let samples = T::samples();
    Direct::from_fn(shape, |_| samples[dice.below(samples.len())])
}

fn plain<R: Element>(op: ScalarOp, args: &[Scalar]) -> R {
    R::from_scalar(eval_op(op, args)).expect("a result of the right type")
}

/// Shapes of ranks 0 to 5 for two operands, of which one is stretched.
fn pairs(dice: &Dice) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut all = vec![(vec![], vec![]), (vec![0], vec![0]), (vec![3], vec![])];
    for rank in 1..=5 {
        let shape = dice.shape(rank);
        let mut other: Vec<usize> = shape.iter().map(|&n| if dice.below(3) == 0 { 1 } else { n }).collect();
        other.drain(..dice.below(2));
        all.push((shape, other));
    }
    all
}

/// All results of a list at once, so that they are compiled together.
fn evaluate<T: Element>(list: &[(String, Array<T>, Direct<T>)]) {
    let arrays: Vec<&dyn Evaluate> = list.iter().map(|(_, array, _)| array as &dyn Evaluate).collect();
    Engine::current().eval(&arrays).unwrap();
    list.iter().for_each(|(what, array, direct)| same(what, array, direct));
}

macro_rules! unary_ops {
    ($ty:ident $dice:ident: $($name:ident $op:ident),*) => {
        let mut list = Vec::new();
        for rank in 0..=5 {
            let x = sample::<$ty>(&$dice, &$dice.shape(rank));
            $(list.push((
                format!("{} of {}", stringify!($name), stringify!($ty)),
                x.array().$name(),
                x.map(|x| plain::<$ty>(ScalarOp::$op, &[x.scalar()])),
            ));)*
        }
        evaluate(&list);
    };
}

macro_rules! binary_ops {
    ($ty:ident -> $result:ident $dice:ident: $($name:ident $op:ident),*) => {
        let mut list = Vec::new();
        for (left, right) in pairs(&$dice) {
            let (x, y) = (sample::<$ty>(&$dice, &left), sample::<$ty>(&$dice, &right));
            $(list.push((
                format!("{} of {} {left:?} {right:?}", stringify!($name), stringify!($ty)),
                x.array().$name(&y.array()),
                x.zip(&y, |x, y| plain::<$result>(ScalarOp::$op, &[x.scalar(), y.scalar()])),
            ));)*
        }
        evaluate(&list);
    };
}

#[test]
fn arithmetic() {
    let dice = Dice::new(1);
    macro_rules! numbers {
        ($($ty:ident),*) => {$(
            unary_ops!($ty dice: abs Abs);
            binary_ops!($ty -> $ty dice: add_to Add, minus Sub, times Mul, over Div, maximum Max, minimum Min);
        )*};
    }
    numbers!(u8, i64, f32);
    macro_rules! integers {
        ($($ty:ident),*) => {$(
            unary_ops!($ty dice: popcount Popcount, leading_zeros Clz, trailing_zeros Ctz);
            binary_ops!($ty -> $ty dice: rem_trunc Rem, div_floor DivFloor, rem_floor RemFloor, shift_left Shl, shift_right Shr);
        )*};
    }
    integers!(u8, i64);
    macro_rules! bits {
        ($($ty:ident),*) => {$(binary_ops!($ty -> $ty dice: and And, or Or, xor Xor);)*};
    }
    bits!(bool, i64);
    if !again::is_sample() {
        numbers!(i32, u32, f64);
        integers!(i32, u32);
        bits!(u8, i32, u32);
    }
}

#[test]
fn comparisons() {
    let dice = Dice::new(2);
    macro_rules! all {
        ($($ty:ident),*) => {$(binary_ops!($ty -> bool dice: eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge);)*};
    }
    all!(bool, u8, i64, f32);
    if !again::is_sample() {
        all!(i32, u32, f64);
    }
}

/// Every elementary function of a type. There is a test for each type, so that they run side by side: a GPU in software compiles each for long.
macro_rules! functions_of {
    ($ty:ident) => {{
        let dice = Dice::new(3);
        unary_ops!($ty dice: sqrt Sqrt, rsqrt Rsqrt, exp Exp, exp2 Exp2, expm1 Expm1, ln Ln, log2 Log2, log10 Log10, log1p Log1p);
        unary_ops!($ty dice: sin Sin, cos Cos, tan Tan, asin Asin, acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh);
        unary_ops!($ty dice: asinh Asinh, acosh Acosh, atanh Atanh, erf Erf, floor Floor, ceil Ceil, trunc Trunc, round Round, round_even RoundEven);
        binary_ops!($ty -> $ty dice: pow Pow, atan2 Atan2);
    }};
}

#[test]
fn functions_of_f32() {
    functions_of!(f32);
}

#[test]
fn functions_of_f64() {
    functions_of!(f64);
}

#[test]
fn conversions() {
    let dice = Dice::new(4);
    macro_rules! to {
        ($from:ident: $($to:ident),*) => {$(
            let mut list = Vec::new();
            for rank in [0, 1, 3] {
                let x = sample::<$from>(&dice, &dice.full_shape(rank));
                let expected = x.map(|x| plain::<$to>(ScalarOp::Convert(ScalarType::from_name(stringify!($to)).unwrap()), &[x.scalar()]));
                list.push((concat!(stringify!($from), " to ", stringify!($to)).to_owned(), x.array().cast::<$to>(), expected));
            }
            evaluate(&list);
        )*};
    }
    to!(i32: bool, u8, u32, i64, f32, f64);
    to!(f32: bool, u8, i32, u32, i64, f64);
    if !again::is_sample() {
        to!(bool: u8, i32, i64, f32, f64);
        to!(u8: bool, i32, u32, f32);
        to!(u32: i32, i64, f32, f64);
        to!(i64: bool, i32, f32, f64);
        to!(f64: bool, u8, i32, u32, i64, f32);
    }
    let x = Array::from_vec(vec![-1.5f32, -0.5, 0.5, 1.5, 2.5, 2.6]);
    assert_eq!(x.floor_to::<i32>().to_vec().unwrap(), [-2, -1, 0, 1, 2, 2]);
    assert_eq!(x.ceil_to::<i32>().to_vec().unwrap(), [-1, 0, 1, 2, 3, 3]);
    assert_eq!(x.round_to::<i32>().to_vec().unwrap(), [-2, 0, 0, 2, 2, 3]);
    assert_eq!(x.trunc_to::<i32>().to_vec().unwrap(), [-1, 0, 0, 1, 2, 2]);
}

#[test]
fn choices() {
    let dice = Dice::new(5);
    for rank in 0..=5 {
        let shape = dice.shape(rank);
        let (mask, x) = (sample::<bool>(&dice, &shape), sample::<f64>(&dice, &shape));
        let chosen = mask.array().select(x.array(), 5.0);
        same("select", &chosen, &mask.zip(&x, |mask, x| if mask { x } else { 5.0 }));
        same("not", &!mask.array(), &mask.map(|mask| !mask));
        let signs = x.map(|x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        });
        same("signum", &x.array().signum(), &signs);
    }
}

#[test]
fn reductions() {
    let dice = Dice::new(6);
    let mut list = Vec::new();
    for rank in 1..=5 {
        for _ in 0..2 {
            let x = dice.ints(&dice.shape(rank));
            let axis = dice.below(rank);
            let a = x.array();
            list.push((format!("sum {axis}"), a.wrapping_sum_axis(axis), x.fold_axis(axis, 0, |a, b| a + b)));
            list.push((
                format!("product {axis}"),
                a.wrapping_product_axis(axis),
                x.fold_axis(axis, 1, i32::wrapping_mul),
            ));
            list.push((format!("max {axis}"), a.max_axis(axis), x.fold_axis(axis, i32::MIN, i32::max)));
            list.push((format!("min {axis}"), a.min_axis(axis), x.fold_axis(axis, i32::MAX, i32::min)));
            let total = Direct { shape: vec![], data: vec![x.data.iter().sum()] };
            list.push(("sum".to_owned(), a.wrapping_sum(), total));
            if rank >= 2 {
                let both = x.fold_axis(rank - 1, 0, |a, b| a + b).fold_axis(0, 0, |a, b| a + b);
                list.push(("sum of two axes".to_owned(), a.wrapping_sum_axes(&[rank - 1, 0]), both));
            }
        }
    }
    evaluate(&list);
    let dice = Dice::new(7);
    for rank in 1..=4 {
        let x = sample::<bool>(&dice, &dice.shape(rank));
        let axis = dice.below(rank);
        same("all", &x.array().all_axis(axis), &x.fold_axis(axis, true, |a, b| a & b));
        same("any", &x.array().any_axis(axis), &x.fold_axis(axis, false, |a, b| a | b));
        let count = x.data.iter().filter(|&&holds| holds).count() as i64;
        assert_eq!(x.array().count().item().unwrap(), count);
        assert_eq!(x.array().all().item().unwrap(), x.data.iter().all(|&holds| holds));
        assert_eq!(x.array().any().item().unwrap(), x.data.iter().any(|&holds| holds));
    }
    let mean = Array::new(vec![1.0f64, 2.0, 3.0, 6.0], &[2, 2]);
    assert_eq!(mean.mean().item().unwrap(), 3.0);
    assert_eq!(mean.mean_axis(0).to_vec().unwrap(), [2.0, 4.0]);
}

#[test]
fn places_of_extremes() {
    let dice = Dice::new(8);
    for rank in 1..=5 {
        let x = dice.ints(&dice.full_shape(rank));
        let axis = dice.below(rank);
        same("argmax", &x.array().argmax_axis(axis), &x.arg_axis(axis, |a, b| a > b));
        same("argmin", &x.array().argmin_axis(axis), &x.arg_axis(axis, |a, b| a < b));
        let first = x.data.iter().position(|element| Some(element) == x.data.iter().max()).unwrap() as i64;
        assert_eq!(x.array().argmax().item().unwrap(), first);
        // Zeros are equal, whatever their sign; a NaN is before all else.
        let samples = [0.0, -0.0, -0.0, 0.0, 1.0, -1.0, f64::NAN];
        let of = 2 + dice.below(6);
        let x = Direct::from_fn(&x.shape, |_| samples[dice.below(of)]);
        let better = |above: bool| {
            move |a: f64, b: f64| !b.is_nan() && (a.is_nan() || if above { a > b } else { a < b })
        };
        same("argmax of floats", &x.array().argmax_axis(axis), &x.arg_axis(axis, better(true)));
        same("argmin of floats", &x.array().argmin_axis(axis), &x.arg_axis(axis, better(false)));
        let narrow = x.map(|x| x as f32);
        same("argmin of f32", &narrow.array().argmin_axis(axis), &x.arg_axis(axis, better(false)));
    }
    let zeros = Array::from_vec(vec![0.0, -0.0, 0.0]);
    assert_eq!((zeros.argmin().item().unwrap(), zeros.reverse(&[0]).argmax().item().unwrap()), (0, 0));
    let nothing = Array::<f32>::zeros(&[2, 0]);
    let error = nothing.try_argmax_axis(1).unwrap_err();
    assert!(
        error.to_string().ends_with("[2, 0] has no elements along axis 1, and so no greatest"),
        "{error}"
    );
    assert!(nothing.try_argmin().is_err());
    assert_eq!(nothing.argmin_axis(0).size(), 0);
}

#[test]
fn integers_are_added_up_wide() {
    let bytes = Array::from_vec(vec![200u8, 100, 3, 255]).reshape(&[2, 2]);
    assert_eq!(bytes.sum().item().unwrap(), 558i64);
    assert_eq!(bytes.sum_axis(0).to_vec().unwrap(), [203, 355]);
    assert_eq!(bytes.sum_axes(&[0, 1]).item().unwrap(), 558);
    assert_eq!(bytes.product_axis(1).to_vec().unwrap(), [20_000, 765]);
    assert_eq!(bytes.product().item().unwrap(), 15_300_000);
    assert_eq!(bytes.cumsum(1).to_vec().unwrap(), [200, 300, 3, 258]);
    assert_eq!(bytes.cumprod(1).to_vec().unwrap(), [200, 20_000, 3, 765]);
    assert_eq!(bytes.wrapping_sum().item().unwrap(), 46u8);
    assert_eq!(bytes.wrapping_sum_axis(0).to_vec().unwrap(), [203, 99]);
    assert_eq!(bytes.wrapping_product().item().unwrap(), (15_300_000 % 256) as u8);
    assert_eq!(bytes.wrapping_cumsum(1).to_vec().unwrap(), [200, 44, 3, 2]);
    assert_eq!(bytes.mean().item().unwrap(), 139.5f64);
    assert_eq!(bytes.mean_axis(1).to_vec().unwrap(), [150.0, 129.0]);
    let words = Array::from_vec(vec![i32::MIN, i32::MIN, -1]);
    assert_eq!(words.sum().item().unwrap(), 2 * i64::from(i32::MIN) - 1);
    assert_eq!(words.wrapping_sum().item().unwrap(), -1);
    assert_eq!(Array::from_vec(vec![u32::MAX; 3]).sum().item().unwrap(), 3 * i64::from(u32::MAX));
    assert_eq!(Array::from_vec(vec![0.5f32; 3]).sum().item().unwrap(), 1.5f32);
    let rows = Ragged::from_rows(&[vec![200u8, 100], vec![], vec![7]]);
    assert_eq!(rows.sum().to_vec().unwrap(), [300i64, 0, 7]);
    assert_eq!(rows.reduce(Operator::Add).to_vec().unwrap(), [44u8, 0, 7]);
}

#[test]
fn spreads() {
    let x = Array::from_vec(vec![1u8, 3, 5, 9]).reshape(&[2, 2]);
    assert_eq!(x.var().item().unwrap(), 8.75);
    assert_eq!(x.std().item().unwrap(), 8.75f64.sqrt());
    assert_eq!(x.var_axis(1).to_vec().unwrap(), [1.0, 4.0]);
    assert_eq!(x.std_axis(0).to_vec().unwrap(), [2.0, 3.0]);
    assert_eq!(x.cast::<f32>().std_axis(0).to_vec().unwrap(), [2.0f32, 3.0]);
    assert!(Array::<f64>::zeros(&[0]).var().item().unwrap().is_nan());
    assert_eq!(x.try_std_axis(2).unwrap_err().operation(), "std_axis");
}

/// Sizes that cannot be are errors that say what was asked, and displacements beyond all ends show the border.
#[test]
fn sizes_that_no_array_has() {
    let x = Array::from_vec(vec![1, 2, 3]);
    let m = Array::<i64>::range(6).reshape(&[2, 3]);
    let huge = usize::MAX;
    let says = |error: Error, text: &str| {
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.place().is_some_and(|place| place.file() == file!()), "{error}");
    };
    says(
        x.try_pad(&[huge], &[1], Border::Clamp).unwrap_err(),
        "18446744073709551615 before and 1 after the 3 along axis 0",
    );
    says(x.try_pad(&[1], &[huge - 1], Border::Default(0)).unwrap_err(), "pad at");
    says(x.try_pad(&[1 << 62], &[1 << 62], Border::Wrap).unwrap_err(), "more elements than can be counted");
    says(x.try_expand(&[huge], &[huge]).unwrap_err(), "expand at");
    says(x.try_pad(&[3], &[0], Border::Reflect).unwrap_err(), "nothing to reflect");
    says(x.try_reshape(&[huge, 2]).unwrap_err(), "reshape at");
    says(x.try_replicate(&[huge]).unwrap_err(), "replicate at");
    says(x.try_broadcast_to(&[huge, 3]).unwrap_err(), "broadcast_to at");
    says(m.try_slice(0, 1..huge).unwrap_err(), "1..18446744073709551615 is not inside axis 0 of [2, 3]");
    says(m.try_slice(1, -4..).unwrap_err(), "-4.. is not inside axis 1");
    says(m.try_at(1, 3).unwrap_err(), "3 is not inside axis 1");
    says(m.try_at(1, -4).unwrap_err(), "-4 is not inside axis 1");
    says(m.try_section(&[Section { start: huge, count: 1, stride: 1 }; 2]).unwrap_err(), "section at");
    says(m.try_section(&[Section { start: 1, count: huge, stride: i64::MIN }; 2]).unwrap_err(), "section at");
    says(Array::<u8>::ones(&[1 << 40]).try_outer(&Array::ones(&[1 << 40])).unwrap_err(), "outer at");
    says(m.try_take(0, &Array::<i64>::zeros(&[1; 8]), Outside::Clamp).unwrap_err(), "take at");
    let many = Array::<u8>::ones(&[1 << 62]);
    says(try_concat(&[&many, &many, &many], 0).unwrap_err(), "concat at");
    says(
        Segments::of(&Array::from_vec(vec![i64::MAX, i64::MAX, 2])).unwrap_err(),
        "more elements than can be counted",
    );
    says(Segments::of(&Array::from_vec(vec![1, -2])).unwrap_err(), "-2 is no length");
    says(x.repeat(0, &Array::from_vec(vec![i64::MAX; 3])).unwrap_err(), "repeat at");
    says(Segments::from_offsets(&[0, huge]).unwrap_err(), "from_offsets at");
    assert_eq!(x.every(0, 1, huge).to_vec().unwrap(), [2]);
    assert_eq!(x.section(&[Section { start: huge, count: 0, stride: 7 }]).size(), 0);
    assert_eq!(Array::<u8>::range(256).size(), 256);
    for wrong in [|| drop(Array::<u8>::range(257)), || drop(Segments::from_lengths(&[usize::MAX, 2]))] {
        assert!(std::panic::catch_unwind(wrong).is_err());
    }
    // Nothing cannot be continued by itself.
    let nothing = Array::<f32>::zeros(&[0]);
    says(nothing.try_pad(&[1], &[0], Border::Clamp).unwrap_err(), "nothing along axis 0");
    assert_eq!(nothing.pad(&[1], &[1], Border::Default(7.0)).to_vec().unwrap(), [7.0; 2]);
}

#[test]
fn displacements_beyond_all_ends() {
    let x = Direct::from_fn(&[3], |at| at[0] as i64 + 1);
    let far = [i64::MIN, i64::MIN + 1, -4_000_000_001, -3, 3, 4, 4_000_000_001, i64::MAX - 1, i64::MAX];
    for border in [Border::Clamp, Border::Wrap, Border::Default(9)] {
        for by in far {
            same(&format!("shift {by} {border:?}"), &x.array().shift(&[by], border), &x.shift(&[by], border));
        }
        for by in far {
            // Element i is element i + by.
            let expected = Direct::from_fn(&[3], |at| x.get_at(&[at[0] as i128 + i128::from(by)], border));
            same(&format!("neighbour {by} {border:?}"), &x.array().neighbour(&[by], border), &expected);
        }
    }
    let error = x.array().try_shift(&[i64::MIN], Border::Reflect).unwrap_err();
    assert!(error.to_string().contains("9223372036854775808 beyond an edge of [3] along axis 0"), "{error}");
}

/// Strides that differ in their upper bits only are different programs.
#[test]
fn strides_of_all_sizes() {
    let long = Array::<i64>::index(&[1 << 61], 0);
    for stride in [1, 1 + (1 << 55), 1 + (1 << 56)] {
        let two = long.section(&[Section { start: 0, count: 2, stride }]);
        assert_eq!(two.to_vec().unwrap(), [0, stride]);
    }
}

#[test]
fn places_and_ranges() {
    let x = Array::<i32>::range(5);
    let of = |x: Array<i32>| x.to_vec().unwrap();
    assert_eq!(of(x.slice(0, ..)), [0, 1, 2, 3, 4]);
    assert_eq!(of(x.slice(0, 3..)), [3, 4]);
    assert_eq!(of(x.slice(0, ..2)), [0, 1]);
    assert_eq!(of(x.slice(0, ..=2)), [0, 1, 2]);
    let (second, last) = (1, -2);
    assert_eq!(of(x.slice(0, second..=last)), [1, 2, 3]);
    assert_eq!(of(x.slice(0, -3..-1)), [2, 3]);
    assert_eq!(of(x.slice(0, 5..)), []);
    let (late, early) = (4, 2);
    assert_eq!(of(x.slice(0, late..early)), []);
    assert_eq!(of(x.slice(0, 1usize..3)), [1, 2]);
    assert_eq!(x.at(0, -1i64).item().unwrap(), 4);
    assert_eq!(x.shape(), [5]);
    assert!(*x.shape() == vec![5] && x.shape() != [4, 1]);
}

#[test]
fn parts_are_replaced() {
    let dice = Dice::new(40);
    for rank in 1..=3 {
        let x = dice.ints(&dice.full_shape(rank));
        let axis = dice.below(rank);
        let (a, b) = (dice.below(x.shape[axis] + 1), dice.below(x.shape[axis] + 1));
        let (start, end) = (a.min(b), a.max(b));
        let mut part = x.shape.clone();
        part[axis] = end - start;
        let values = dice.ints(&part);
        let expected = Direct::from_fn(&x.shape, |index| {
            let mut there = index.to_vec();
            match index[axis].checked_sub(start).filter(|&at| at < end - start) {
                Some(at) => {
                    there[axis] = at;
                    values.get(&there)
                }
                None => x.get(index),
            }
        });
        same("with_slice", &x.array().with_slice(axis, start..end, values.array()), &expected);
    }
    let mut x = Array::<i32>::range(4);
    let before = x.clone();
    x.set_slice(0, -2.., 7);
    assert_eq!((x.to_vec().unwrap(), before.to_vec().unwrap()), (vec![0, 1, 7, 7], vec![0, 1, 2, 3]));
    let error = x.try_with_slice(0, 1..3, Array::ones(&[3])).unwrap_err();
    assert!(error.to_string().contains("the shapes [2] and [3] do not go together"), "{error}");
}

#[test]
fn assigning_operators() {
    let mut x = Array::from_vec(vec![1, 2, 3]);
    let before = x.clone();
    x += 10;
    x -= &before;
    x *= before.clone();
    x /= 2;
    x %= 4;
    x <<= 3;
    x |= 1;
    x ^= 2;
    x &= 0xff;
    x >>= 1;
    let expected = [1, 2, 3].map(|k: i32| ((((((k + 10 - k) * k / 2) % 4) << 3 | 1) ^ 2) & 0xff) >> 1);
    assert_eq!(x.to_vec().unwrap(), expected);
    assert_eq!(before.to_vec().unwrap(), [1, 2, 3]);
    let wide = std::panic::catch_unwind(|| {
        let mut x = Array::<i32>::ones(&[3]);
        x += Array::ones(&[2, 3]);
    });
    let why = wide.unwrap_err();
    let why = why.downcast_ref::<String>().unwrap();
    assert!(why.starts_with("+= at ") && why.contains("[3] and [2, 3]"), "{why}");
}

#[test]
fn remainders_of_floats() {
    let samples = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.3,
        7.25,
        1e20,
        -3e9,
        5e-324,
        1e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.1,
        3.0,
        1e300,
        -1e-300,
    ];
    let x = Direct { shape: vec![samples.len(), 1], data: samples.to_vec() };
    let y = Direct { shape: vec![samples.len()], data: samples.to_vec() };
    same("% of f64", &(x.array() % y.array()), &x.zip(&y, |x, y| x % y));
    let (x, y) = (x.map(|x| x as f32), y.map(|y| y as f32));
    same("% of f32", &(x.array() % &y.array()), &x.zip(&y, |x, y| x % y));
    assert_eq!((Array::from_vec(vec![7.5, -7.5]) % 2.0).to_vec().unwrap(), [1.5, -1.5]);
    assert_eq!((7.5f64 % Array::from_vec(vec![2.0, -2.0])).to_vec().unwrap(), [1.5, 1.5]);
    let error = std::panic::catch_unwind(|| Array::<f32>::ones(&[2]) % Array::ones(&[3])).unwrap_err();
    assert!(error.downcast_ref::<String>().unwrap().starts_with("% at "));
}

#[test]
fn kinds_of_floats() {
    let x = Array::from_vec(vec![1.0f32, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40]);
    assert_eq!(x.is_nan().to_vec().unwrap(), [false, true, false, false, false, false]);
    assert_eq!(x.is_infinite().to_vec().unwrap(), [false, false, true, true, false, false]);
    assert_eq!(x.is_finite().to_vec().unwrap(), [true, false, false, false, true, true]);
}

#[test]
fn made_of_iterators() {
    let x: Array<i32> = (0..4).filter(|k| k % 2 == 1).collect();
    assert_eq!(x.to_vec().unwrap(), [1, 3]);
    assert_eq!(Array::from([1.5, 2.5]).sum().item().unwrap(), 4.0);
    assert_eq!(Array::<i64>::widened([u32::MAX; 2]).to_vec().unwrap(), [i64::from(u32::MAX); 2]);
    let rows: Ragged<u8> = vec![vec![1], vec![], vec![2, 3]].into_iter().collect();
    assert_eq!(rows.to_rows().unwrap(), [vec![1], vec![], vec![2, 3]]);
}

#[test]
fn scans() {
    let dice = Dice::new(9);
    let mut list = Vec::new();
    for rank in 1..=5 {
        let x = dice.ints(&dice.shape(rank));
        let axis = dice.below(rank);
        for (inclusive, inclusion) in [(true, Inclusion::Inclusive), (false, Inclusion::Exclusive)] {
            for (forward, direction) in [(true, Direction::Forward), (false, Direction::Backward)] {
                let scan = x.array().scan(axis, Operator::Add, inclusion, direction);
                list.push((
                    format!("scan {axis}"),
                    scan,
                    x.scan_axis(axis, 0, inclusive, forward, |a, b| a + b),
                ));
            }
        }
        list.push((
            format!("cummax {axis}"),
            x.array().cummax(axis),
            x.scan_axis(axis, i32::MIN, true, true, i32::max),
        ));
        list.push((
            format!("cummin {axis}"),
            x.array().cummin(axis),
            x.scan_axis(axis, i32::MAX, true, true, i32::min),
        ));
        list.push((
            format!("cumprod {axis}"),
            x.array().wrapping_cumprod(axis),
            x.scan_axis(axis, 1, true, true, i32::wrapping_mul),
        ));
    }
    evaluate(&list);
}

/// Rows that are long enough for loops without checks.
#[test]
fn reflected_edges_of_long_rows() {
    let x = Direct::from_fn(&[3, 150], |at| (at[0] * 1000 + at[1]) as i32);
    let mut list = Vec::new();
    for by in [[0, 1], [0, -3], [2, 149], [-2, -149], [1, 40], [-1, -17]] {
        list.push((format!("{by:?}"), x.array().shift(&by, Border::Reflect), x.shift(&by, Border::Reflect)));
    }
    let (before, after) = ([1, 149], [2, 20]);
    list.push((
        "pad".to_owned(),
        x.array().pad(&before, &after, Border::Reflect),
        x.pad(&before, &after, Border::Reflect),
    ));
    evaluate(&list);
    assert!(x.array().try_shift(&[3, 0], Border::Reflect).is_err());
    assert!(x.array().try_pad(&[0, 0], &[0, 150], Border::Reflect).is_err());
    assert!(Array::<i32>::zeros(&[0]).try_pad(&[1], &[0], Border::Reflect).is_err());
    assert_eq!(Array::<i32>::zeros(&[0]).shift(&[0], Border::Reflect).size(), 0);
}

fn transforms_of<T: Sample>(seed: u64) {
    let dice = Dice::new(seed);
    let mut list = Vec::new();
    for rank in 1..=5 {
        let x = sample::<T>(&dice, &dice.full_shape(rank));
        let a = x.array();
        let by: Vec<i64> = (0..rank).map(|_| dice.between(-3, 3)).collect();
        for border in [Border::Clamp, Border::Wrap, Border::Default(T::samples()[1]), Border::Reflect] {
            let by = if border == Border::Reflect { x.reflectable(&by) } else { by.clone() };
            list.push((format!("shift {by:?} {border:?}"), a.shift(&by, border), x.shift(&by, border)));
            let most = |axis: usize| if border == Border::Reflect { x.shape[axis].min(3) } else { 3 };
            let before: Vec<usize> = (0..rank).map(|axis| dice.below(most(axis))).collect();
            let after: Vec<usize> = (0..rank).map(|axis| dice.below(most(axis))).collect();
            list.push((
                format!("pad {before:?} {border:?}"),
                a.pad(&before, &after, border),
                x.pad(&before, &after, border),
            ));
        }
        list.push((format!("rotate {by:?}"), a.rotate(&by), x.shift(&by, Border::Wrap)));
        let parts: Vec<(usize, usize, i64)> = x
            .shape
            .iter()
            .map(|&extent| match dice.below(3) {
                0 => (extent - 1, extent, -1),
                1 => (0, extent.div_ceil(2), 2),
                _ => (extent / 2, extent - extent / 2, 1),
            })
            .collect();
        let sections: Vec<Section> =
            parts.iter().map(|&(start, count, stride)| Section { start, count, stride }).collect();
        list.push((format!("section {parts:?}"), a.section(&sections), x.section(&parts)));
        let mut order: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|at| order.swap(at, dice.below(at + 1)));
        list.push((format!("transpose {order:?}"), a.transpose(&order), x.transpose(&order)));
        let axis = dice.below(rank);
        let back: Vec<_> = (0..rank)
            .map(|d| if d == axis { (x.shape[d] - 1, x.shape[d], -1) } else { (0, x.shape[d], 1) })
            .collect();
        list.push((format!("reverse {axis}"), a.reverse(&[axis]), x.section(&back)));
        let more: Vec<usize> = x.shape.iter().map(|&extent| extent + dice.below(4)).collect();
        let tiled = Direct::from_fn(&more, |index| {
            x.get_at(&index.iter().map(|&at| at as i64).collect::<Vec<_>>(), Border::Wrap)
        });
        list.push((format!("replicate {more:?}"), a.replicate(&more), tiled));
        list.push(("ravel".to_owned(), a.ravel(), x.reshape(&[x.data.len()])));
        let mut one = x.shape.clone();
        one.insert(axis, 1);
        list.push((format!("add_dim {axis}"), a.add_dim(axis), x.reshape(&one)));
        list.push(("drop_dim".to_owned(), a.add_dim(axis).drop_dim(axis), x.clone()));
        let mut wide = x.shape.clone();
        wide.insert(0, 3);
        list.push((
            "broadcast".to_owned(),
            a.broadcast_to(&wide),
            Direct::from_fn(&wide, |index| x.get(&index[1..])),
        ));
        let place = dice.below(x.shape[axis]);
        let mut less = x.shape.clone();
        less.remove(axis);
        let at = Direct::from_fn(&less, |index| {
            let mut index = index.to_vec();
            index.insert(axis, place);
            x.get(&index)
        });
        list.push((format!("at {axis} {place}"), a.at(axis, place), at));
        let twice = concat(&[&a, &a.reverse(&[axis]), &a], axis);
        let mut long = x.shape.clone();
        long[axis] *= 3;
        let joined = Direct::from_fn(&long, |index| {
            let (part, at) = (index[axis] / x.shape[axis], index[axis] % x.shape[axis]);
            let mut index = index.to_vec();
            index[axis] = if part == 1 { x.shape[axis] - 1 - at } else { at };
            x.get(&index)
        });
        list.push((format!("concat {axis}"), twice, joined));
    }
    evaluate(&list);
}

#[test]
fn transforms() {
    transforms_of::<f32>(10);
    transforms_of::<u8>(12);
    transforms_of::<F16>(14);
    if again::is_sample() {
        return;
    }
    transforms_of::<i64>(11);
    transforms_of::<bool>(13);
    transforms_of::<f64>(15);
    transforms_of::<i32>(16);
    transforms_of::<u32>(17);
}

/// The plan that is made for one element, after one for two, serves any number.
#[test]
fn one_element_is_packed_like_any() {
    Engine::new(EngineConfig::default()).run(|| {
        for n in [2, 1, 5] {
            let x = Array::from_vec((0..n).collect::<Vec<i32>>()).eval().unwrap().clone();
            let mask = x.gt(1).eval().unwrap().clone();
            let expected: Vec<i32> = (2..n).collect();
            assert_eq!(x.compress(&mask).unwrap().to_vec().unwrap(), expected, "of {n}");
        }
    });
}

#[test]
fn empty_axes() {
    let x = Array::<f32>::zeros(&[0, 3]);
    assert_eq!(x.sum_axis(0).to_vec().unwrap(), [0.0; 3]);
    assert_eq!(x.max_axis(0).to_vec().unwrap(), [f32::NEG_INFINITY; 3]);
    assert_eq!(x.sum_axis(1).to_vec().unwrap(), []);
    assert_eq!(x.pad(&[1, 0], &[1, 0], Border::Default(7.0)).to_vec().unwrap(), [7.0; 6]);
    assert_eq!(concat(&[&x, &Array::ones(&[1, 3])], 0).to_vec().unwrap(), [1.0; 3]);
    assert_eq!(x.cumsum(0).to_vec().unwrap(), []);
    assert_eq!(x.sort(1).to_vec().unwrap(), []);
    assert_eq!(x.matmul(&Array::zeros(&[3, 2])).shape()[..], [0, 2]);
    assert_eq!(Array::<f32>::zeros(&[2, 0]).matmul(&Array::zeros(&[0, 2])).to_vec().unwrap(), [0.0; 4]);
    assert_eq!(x.compress(&x.gt(0.0)).unwrap().size(), 0);
    assert_eq!(x.sum().item().unwrap(), 0.0);
}

#[test]
fn products() {
    let dice = Dice::new(14);
    for _ in 0..4 {
        let (n, k, m) = (dice.below(5), dice.below(5), dice.below(5));
        let (a, b) = (dice.ints(&[n, k]), dice.ints(&[k, m]));
        let product =
            Direct::from_fn(&[n, m], |at| (0..k).map(|l| a.get(&[at[0], l]) * b.get(&[l, at[1]])).sum());
        same("matmul", &a.array().matmul(&b.array()), &product);
        same("inner", &a.array().inner(&b.array()), &product);
        let least = Direct::from_fn(&[n, m], |at| {
            (0..k).map(|l| a.get(&[at[0], l]) + b.get(&[l, at[1]])).min().unwrap_or(i32::MAX)
        });
        let found = a.array().inner_with(&b.array(), Operator::Min, |a, b| a + b);
        same("inner of min and +", &found, &least);
        let outer = Direct::from_fn(&[n, k, k, m], |at| a.get(&at[..2]) - b.get(&at[2..]));
        same("outer", &a.array().outer_with(&b.array(), |a, b| a - b), &outer);
    }
    let ranks: [(&[usize], &[usize]); 9] = [
        (&[4, 3, 4], &[4, 4, 5]),
        (&[2, 3, 4], &[4, 5]),
        (&[3, 4], &[2, 4, 5]),
        (&[2, 1, 3, 4], &[3, 4, 2]),
        (&[1, 2, 0], &[3, 0, 2]),
        (&[0, 2, 3], &[1, 3, 2]),
        (&[2, 1, 2, 1, 2, 1, 2, 3], &[2, 2, 1, 3, 2]),
        (&[2, 1, 2, 1, 1, 2, 3], &[3, 1]),
        (&[1, 1, 2, 1, 1, 2, 2], &[2, 1, 1, 1, 1, 1, 2, 2]),
    ];
    for (left, right) in ranks {
        let (a, b) = (dice.ints(left), dice.ints(right));
        let expected = a.matmul(&b, 0, i32::wrapping_add, i32::wrapping_mul);
        same(&format!("matmul {left:?} {right:?}"), &a.array().matmul(&b.array()), &expected);
    }
    let (row, cube) = (dice.ints(&[4]), dice.ints(&[2, 3, 4]));
    let column = Direct { shape: vec![4, 1], data: row.data.clone() };
    let product = cube.matmul(&column, 0, i32::wrapping_add, i32::wrapping_mul).reshape(&[2, 3]);
    same("matmul by a column", &cube.array().matmul(&row.array()), &product);
    let row = dice.ints(&[3]);
    let product =
        row.reshape(&[1, 3]).matmul(&cube, 0, i32::wrapping_add, i32::wrapping_mul).reshape(&[2, 4]);
    same("matmul of a row", &row.array().matmul(&cube.array()), &product);
    assert_eq!(row.array().matmul(&row.array()).shape(), []);
    let says = |left: &[usize], right: &[usize]| {
        let error = Array::<f32>::ones(left).try_matmul(&Array::ones(right)).unwrap_err().to_string();
        assert!(error.starts_with("matmul at crates/nestled-array/tests/operations.rs"), "{error}");
        assert!(error.contains(&format!("{left:?} and {right:?}")), "{error}");
    };
    says(&[4, 3, 4], &[4, 3, 5]);
    says(&[2, 3, 4], &[3, 4, 5]);
    says(&[], &[3]);
    says(&[2, 3], &[2, 3]);
    let cube = dice.ints(&[2, 3, 4]);
    let square = dice.ints(&[4, 5]);
    let product = Direct::from_fn(&[2, 3, 5], |at| {
        (0..4).map(|l| cube.get(&[at[0], at[1], l]) * square.get(&[l, at[2]])).sum()
    });
    same("inner of rank 3", &cube.array().inner(&square.array()), &product);
}

#[test]
fn convolutions() {
    let dice = Dice::new(41);
    for n in 1..=4 {
        let x = dice.ints(&[3, 5]).map(f64::from);
        let weights: Vec<f64> = (0..n).map(|_| f64::from(dice.between(-3, 3) as i32)).collect();
        for border in [Border::Clamp, Border::Wrap, Border::Default(2.0)] {
            for axis in 0..2 {
                let sum = |way: i64| {
                    Direct::from_fn(&x.shape, |index| {
                        let term = |(k, weight): (usize, &f64)| {
                            let mut at: Vec<i64> = index.iter().map(|&at| at as i64).collect();
                            at[axis] += way * (k as i64 - (n / 2) as i64);
                            weight * x.get_at(&at, border)
                        };
                        // No zero has a sign here.
                        weights.iter().enumerate().map(term).sum::<f64>() + 0.0
                    })
                };
                let a = x.array();
                same("convolve_axis", &(a.convolve_axis(axis, &weights, border) + 0.0), &sum(-1));
                same("correlate_axis", &(a.correlate_axis(axis, &weights, border) + 0.0), &sum(1));
            }
        }
    }
    let error = Array::<f32>::ones(&[3]).try_convolve_axis(0, &[], Border::Clamp).unwrap_err();
    assert_eq!(error.operation(), "convolve_axis");
}

#[test]
fn gathers_and_scatters() {
    let dice = Dice::new(15);
    for _ in 0..3 {
        let x = dice.ints(&[4, 3]);
        let (i, j) = (dice.ints(&[5, 1]), dice.ints(&[2]));
        for (outside, border) in [
            (Outside::Clamp, Border::Clamp),
            (Outside::Wrap, Border::Wrap),
            (Outside::Default(77), Border::Default(77)),
        ] {
            let expected = i.zip(&j, |i, j| x.get_at(&[i64::from(i), i64::from(j)], border));
            same("gather", &x.array().gather(&[&i.array(), &j.array()], outside), &expected);
            let packed = stack(&[&i.array().broadcast_to(&[5, 2]), &j.array().broadcast_to(&[5, 2])], 2);
            same("gather_packed", &x.array().gather_packed(&packed, outside), &expected);
            let taken =
                Direct::from_fn(&[4, 2], |at| x.get_at(&[at[0] as i64, i64::from(j.get(&at[1..]))], border));
            same("take", &x.array().take(1, &j.array(), outside), &taken);
        }
        let values = dice.ints(&[5, 2]);
        for collision in [Collision::First, Collision::Last, Collision::Combine(Operator::Add)] {
            let mut expected = x.clone();
            let mut written = [false; 12];
            for at in indices(&[5, 2]) {
                let (row, column) = (i.get(&[at[0], 0]), j.get(&[at[1]]));
                if (0..4).contains(&row) && (0..3).contains(&column) {
                    let to = (row * 3 + column) as usize;
                    match collision {
                        Collision::First if written[to] => {}
                        Collision::First | Collision::Last => expected.data[to] = values.get(&at),
                        Collision::Combine(_) => expected.data[to] += values.get(&at),
                    }
                    written[to] = true;
                }
            }
            let found = x.array().scatter(&[&i.array(), &j.array()], &values.array(), collision);
            same(&format!("scatter {collision:?}"), &found, &expected);
        }
    }
}

#[test]
fn orders() {
    let dice = Dice::new(16);
    for rank in 1..=4 {
        let x = dice.ints(&dice.full_shape(rank));
        let axis = dice.below(rank);
        let sorted = |index: &[usize]| -> Vec<(i32, i64)> {
            let mut row: Vec<(i32, i64)> = (0..x.shape[axis])
                .map(|at| {
                    let mut index = index.to_vec();
                    index[axis] = at;
                    (x.get(&index), at as i64)
                })
                .collect();
            row.sort();
            row
        };
        same("sort", &x.array().sort(axis), &Direct::from_fn(&x.shape, |index| sorted(index)[index[axis]].0));
        same(
            "argsort",
            &x.array().argsort(axis),
            &Direct::from_fn(&x.shape, |index| sorted(index)[index[axis]].1),
        );
        let keyed = x.array().sort_by_key(axis, &x.array());
        same("sort_by_key", &keyed, &Direct::from_fn(&x.shape, |index| sorted(index)[index[axis]].0));
    }
    let floats = Array::from_vec(vec![2.0f32, f32::NAN, -0.0, 0.0, f32::NEG_INFINITY]);
    assert_eq!(format!("{:?}", floats.sort(0).to_vec().unwrap()), "[-inf, -0.0, 0.0, 2.0, NaN]");
    // Infinity by zero is a NaN of any sign.
    let none = Array::from_vec(vec![f64::INFINITY, 5.0, f64::NEG_INFINITY, 1.0]) * 0.0;
    let mixed = none + Array::from_vec(vec![0.0, 5.0, 0.0, 1.0]);
    assert_eq!(mixed.argsort(0).to_vec().unwrap(), [3, 1, 0, 2]);
    assert_eq!(format!("{:?}", mixed.sort(0).to_vec().unwrap()), "[1.0, 5.0, NaN, NaN]");
    assert_eq!(format!("{:?}", mixed.sort_descending(0).to_vec().unwrap()), "[5.0, 1.0, NaN, NaN]");
    let order = Array::<i64>::permutation(100, 3).sort(0).to_vec().unwrap();
    assert_eq!(order, (0..100).collect::<Vec<_>>());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
