//! Integers of every width, against Rust's own: operators, conversions, reductions, sorting, files.

use crate::batch::Batch;
use crate::direct::Dice;
use nestled_array::*;
use nestled_test::again;

/// Numbers of a type, those at its ends among them.
macro_rules! numbers {
    ($ty:ident, $dice:expr, $count:expr) => {{
        let edges = [
            0,
            1,
            2,
            7,
            $ty::MIN,
            $ty::MIN + 1,
            $ty::MAX,
            $ty::MAX - 1,
            $ty::MAX / 3,
            (0 as $ty).wrapping_sub(1),
        ];
        let one = |_| match $dice.below(3) {
            0 => edges[$dice.below(edges.len())],
            1 => $dice.between(-9, 9) as $ty,
            _ => ($dice.between(i64::MIN / 4, i64::MAX / 4) >> $dice.below(62)) as $ty,
        };
        (0..$count).map(one).collect::<Vec<$ty>>()
    }};
}

macro_rules! every_integer {
    ($test:ident: $body:ident) => {
        #[test]
        fn $test() {
            for (seed, count) in [(1, 0), (2, 1), (3, 17), (4, 300)] {
                let dice = &Dice::new(seed);
                $body!(dice, count; i8 u8 i16 u16 i32 u32 i64 u64);
            }
        }
    };
}

macro_rules! operators {
    ($dice:expr, $count:expr; $($ty:ident)*) => {$({
        let (x, y) = (numbers!($ty, $dice, $count), numbers!($ty, $dice, $count));
        let (a, b) = (Array::from_vec(x.clone()), Array::from_vec(y.clone()));
        let mut batch = Batch::default();
        let mut same = |name: &str, found: Array<$ty>, of: &dyn Fn($ty, $ty) -> $ty| {
            let expected: Vec<$ty> = x.iter().zip(&y).map(|(&x, &y)| of(x, y)).collect();
            batch.expect(&format!("{name} of {}", stringify!($ty)), found, expected);
        };
        same("+", &a + &b, &|x, y| x.wrapping_add(y));
        same("-", &a - &b, &|x, y| x.wrapping_sub(y));
        same("*", &a * &b, &|x, y| x.wrapping_mul(y));
        same("/", &a / &b, &|x, y| if y == 0 { 0 } else { x.wrapping_div(y) });
        same("%", &a % &b, &|x, y| if y == 0 { x } else { x.wrapping_rem(y) });
        same("/ 7", &a / 7, &|x, _| x / 7);
        same("% 7", &a % 7, &|x, _| x % 7);
        same("7 -", 7 - &a, &|x, _| (7 as $ty).wrapping_sub(x));
        same("&", &a & &b, &|x, y| x & y);
        same("|", &a | &b, &|x, y| x | y);
        same("^", &a ^ &b, &|x, y| x ^ y);
        same("!", !&a, &|x, _| !x);
        same("<<", &a << &b, &|x, y| x.wrapping_shl(y as u32));
        same(">>", &a >> &b, &|x, y| x.wrapping_shr(y as u32));
        same("maximum", a.maximum(&b), &|x, y| x.max(y));
        same("minimum", a.minimum(&b), &|x, y| x.min(y));
        same("select", a.lt(&b).select(&a, &b), &|x, y| x.min(y));
        same("closure", a.zip_with(&b, |a, b| &a * &b + a), &|x, y| x.wrapping_mul(y).wrapping_add(x));
        let mut sum = a.clone();
        sum += &b;
        same("+=", sum, &|x, y| x.wrapping_add(y));
        batch.check();
    })*};
}
every_integer!(operators_are_rusts: operators);

macro_rules! reductions {
    ($dice:expr, $count:expr; $($ty:ident)*) => {$({
        let x = numbers!($ty, $dice, $count);
        let a = Array::from_vec(x.clone());
        let of = |fold: fn($ty, $ty) -> $ty, unit: $ty| x.iter().fold(unit, |sum, &x| fold(sum, x));
        let prefixes = |fold: fn($ty, $ty) -> $ty, unit: $ty| {
            let mut sum = unit;
            x.iter().map(|&x| { sum = fold(sum, x); sum }).collect::<Vec<$ty>>()
        };
        type Wide = <$ty as Number>::Wide;
        let mut sorted = x.clone();
        sorted.sort();
        let mut order: Vec<i64> = (0..x.len() as i64).collect();
        order.sort_by_key(|&at| x[at as usize]);
        let greatest = a.scan_with(0, $ty::MIN, Inclusion::Inclusive, Direction::Forward, |a, b| a.maximum(b));
        let mut batch = Batch::default();
        batch.expect("sum", a.wrapping_sum(), vec![of($ty::wrapping_add, 0)]);
        batch.expect("product", a.wrapping_product(), vec![of($ty::wrapping_mul, 1)]);
        batch.expect("wide sum", a.sum(), vec![x.iter().fold(0, |sum: Wide, &x| sum.wrapping_add(x as Wide))]);
        batch.expect("max", a.max(), vec![of($ty::max, $ty::MIN)]);
        batch.expect("min", a.min(), vec![of($ty::min, $ty::MAX)]);
        batch.expect("cumsum", a.wrapping_cumsum(0), prefixes($ty::wrapping_add, 0));
        batch.expect("scan_with", greatest, prefixes($ty::max, $ty::MIN));
        batch.expect("sort", a.sort(0), sorted);
        batch.expect("argsort", a.argsort(0), order);
        batch.expect("reverse", a.reverse(&[0]), x.iter().rev().copied().collect());
        batch.expect("range", Array::<$ty>::range(100), (0..100).collect());
        batch.check();
        let kept: Vec<$ty> = x.iter().copied().filter(|&x| x > 1).collect();
        assert_eq!(a.compress(&a.gt(1)).unwrap().to_vec().unwrap(), kept);
        assert_eq!(a.shift(&[1], Border::Default(3)).to_vec().unwrap().len(), x.len());
    })*};
}
every_integer!(reductions_are_rusts: reductions);

macro_rules! conversions {
    ($dice:expr, $count:expr; $($ty:ident)*) => {$({
        let x = numbers!($ty, $dice, $count);
        let a = Array::from_vec(x.clone());
        let mut batch = Batch::default();
        conversions!(@to batch, a, x: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
        batch.expect("to bool", a.cast::<bool>(), x.iter().map(|&x| x != 0).collect());
        let f: Vec<f64> = x.iter().flat_map(|&x| [x as f64 + 0.5, -(x as f64) * 1.5]).chain([f64::NAN, 1e300, -1e300]).collect();
        batch.expect("of f64", Array::from_vec(f.clone()).cast::<$ty>(), f.iter().map(|&x| x as $ty).collect());
        let f: Vec<f32> = f.iter().map(|&x| x as f32).collect();
        batch.expect("of f32", Array::from_vec(f.clone()).cast::<$ty>(), f.iter().map(|&x| x as $ty).collect());
        batch.expect("of bool", Array::from_vec(vec![false, true]).cast::<$ty>(), vec![0, 1]);
        batch.check();
    })*};
    (@to $batch:ident, $a:ident, $x:ident: $($to:ident)*) => {$(
        $batch.expect(concat!("to ", stringify!($to)), $a.cast::<$to>(), $x.iter().map(|&x| x as $to).collect());
    )*};
}
every_integer!(conversions_are_rusts: conversions);

macro_rules! files {
    ($dice:expr, $count:expr; $($ty:ident)*) => {$({
        let x = numbers!($ty, $dice, $count);
        let name = format!("nestled-integers-{}-{}-{}.npy", stringify!($ty), $count, std::process::id());
        let path = std::env::temp_dir().join(name);
        Array::from_vec(x.clone()).write_npy(&path).unwrap();
        assert_eq!(Array::<$ty>::read_npy(&path).unwrap().to_vec().unwrap(), x);
        std::fs::remove_file(path).unwrap();
    })*};
}
every_integer!(files_hold_them: files);

/// What several points make of one place.
#[test]
fn tables_of_two_axes() {
    let x = Array::new((0..60).map(|at: i32| (at * 37 % 251) as i8).collect(), &[4, 15]);
    let rows: Vec<i64> = x.sum_axis(1).to_vec().unwrap();
    let wide = x.cast::<i64>();
    assert_eq!(rows, wide.sum_axis(1).to_vec().unwrap());
    assert_eq!(x.max_axis(0).cast::<i64>().to_vec().unwrap(), wide.max_axis(0).to_vec().unwrap());
    let y = x.cast::<u16>();
    assert_eq!(y.matmul(&y.t()).to_vec().unwrap(), wide.matmul(&wide.t()).cast::<u16>().to_vec().unwrap());
    assert_eq!(Array::from_vec(vec![-3i8, 7]).mean().item().unwrap(), 2.0);
    assert_eq!((-Array::from_vec(vec![i8::MIN, 5])).to_vec().unwrap(), [i8::MIN, -5]);
    assert_eq!(Array::from_vec(vec![i16::MIN, -5]).abs().to_vec().unwrap(), [i16::MIN, 5]);
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
