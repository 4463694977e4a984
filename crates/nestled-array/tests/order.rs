//! Searches, different elements and order statistics, compared with plain loops.

use nestled_array::{Array, Outside, Result, Side};
use std::cmp::Ordering;

/// Numbers that look random, many of them equal.
fn numbers(seed: u64, count: usize, kinds: u64) -> Vec<i64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    (0..count).map(|_| (next() % kinds) as i64 - (kinds / 2) as i64).collect()
}

/// As floats, with NaN, both zeros and infinities among them.
fn floats(seed: u64, count: usize, kinds: u64) -> Vec<f64> {
    let special = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, -f64::NAN];
    let float = |number: i64| special.get((number + 3) as usize).copied().unwrap_or(number as f64 / 4.0);
    numbers(seed, count, kinds).into_iter().map(float).collect()
}

/// The order of sorts, but for the signs of zeros.
fn order(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}

const SIZES: [usize; 8] = [0, 1, 2, 3, 7, 8, 100, 1000];

#[test]
fn places_in_sorted_vectors() -> Result<()> {
    for (seed, count) in SIZES.into_iter().enumerate() {
        let mut sorted = floats(seed as u64, count, 40);
        sorted.sort_by(|&one, &other| order(one, other));
        let wanted = floats(seed as u64 + 100, 64, 40);
        let (vector, x) = (Array::from_vec(sorted.clone()), Array::from_vec(wanted.clone()).reshape(&[8, 8]));
        let places = |side: Side| vector.search_sorted(&x, side).to_vec();
        let before = |x: &f64| sorted.partition_point(|&y| order(y, *x).is_lt()) as i64;
        let after = |x: &f64| sorted.partition_point(|&y| order(y, *x).is_le()) as i64;
        assert_eq!(places(Side::Before)?, wanted.iter().map(before).collect::<Vec<_>>(), "{sorted:?}");
        assert_eq!(places(Side::After)?, wanted.iter().map(after).collect::<Vec<_>>(), "{sorted:?}");
        let is_in = |x: &f64| sorted.iter().any(|y| x == y);
        assert_eq!(x.is_in(&vector).to_vec()?, wanted.iter().map(is_in).collect::<Vec<_>>());
    }
    let letters = Array::from(*b"nestled");
    assert_eq!(
        letters.is_in(&Array::from(*b"aeiou")).to_vec()?,
        [false, true, false, false, false, true, false]
    );
    let truths = Array::from([false, true]);
    assert_eq!(truths.search_sorted(&truths, Side::After).to_vec()?, [1, 2]);
    let matrix = Array::<i32>::range(6).reshape(&[2, 3]);
    let error = matrix.try_search_sorted(&matrix, Side::Before).unwrap_err().to_string();
    assert!(error.contains("is no vector"), "{error}");
    Ok(())
}

#[test]
fn a_search_is_one_kernel() -> Result<()> {
    let sorted = Array::<i64>::range(1000) * 3;
    sorted.eval()?;
    let found = (sorted.search_sorted(&Array::<i64>::range(5000), Side::Before) * 2).sum();
    assert_eq!(found.explain()?.kernels(), 1);
    assert_eq!(found.item()?, (0..5000).map(|x: i64| ((x + 2) / 3).min(1000) * 2).sum::<i64>());
    Ok(())
}

#[test]
fn different_elements() -> Result<()> {
    for (seed, count) in SIZES.into_iter().enumerate() {
        let values = floats(seed as u64, count, 30);
        let array = Array::from_vec(values.clone());
        let mut expected: Vec<f64> = Vec::new();
        let mut sorted = values.clone();
        sorted.sort_by(|&one, &other| order(one, other));
        for value in sorted {
            if expected.last().is_none_or(|&last| order(last, value).is_ne()) {
                expected.push(value);
            }
        }
        let equal = |one: f64, other: f64| order(one, other).is_eq();
        let unique = array.unique()?.to_vec()?;
        assert_eq!(unique.len(), expected.len());
        assert!(
            unique.iter().zip(&expected).all(|(&one, &other)| equal(one, other)),
            "{unique:?} {expected:?}"
        );
        let found = array.distinct()?;
        let (distinct, first, which, counts) =
            (found.values.to_vec()?, found.first.to_vec()?, found.which.to_vec()?, found.counts.to_vec()?);
        assert_eq!((distinct.len(), which.len()), (expected.len(), count));
        for (at, &value) in distinct.iter().enumerate() {
            assert!(equal(value, expected[at]));
            let own = values.iter().position(|&other| equal(value, other)).unwrap();
            assert_eq!((first[at], value.to_bits()), (own as i64, values[own].to_bits()));
            assert_eq!(counts[at], values.iter().filter(|&&other| equal(value, other)).count() as i64);
        }
        assert!(values.iter().zip(&which).all(|(&value, &at)| equal(value, expected[at as usize])));
    }
    let matrix = Array::from([2u8, 1, 2, 2]).reshape(&[2, 2]);
    let found = matrix.distinct()?;
    assert_eq!((found.values.to_vec()?, found.which.shape().to_vec()), (vec![1, 2], vec![2, 2]));
    assert_eq!(matrix.take(0, &Array::from([0]), Outside::Clamp).unique()?.to_vec()?, [1, 2]);
    Ok(())
}

#[test]
fn quantiles_along_each_axis() -> Result<()> {
    for (seed, share) in [0.0, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0].into_iter().enumerate() {
        let values = numbers(seed as u64, 6 * 5 * 4, 50);
        let array = Array::new(values.clone(), &[6, 5, 4]);
        for axis in 0..3 {
            let steps = [20, 4, 1];
            let extents = [6, 5, 4];
            let (step, extent) = (steps[axis], extents[axis]);
            let starts = (0..120).filter(|at| at / step % extent == 0);
            let expected: Vec<f64> = starts
                .map(|start| {
                    let mut line: Vec<i64> = (0..extent).map(|at| values[start + at * step]).collect();
                    line.sort_unstable();
                    let place = share * (extent - 1) as f64;
                    let (low, high) =
                        (line[place.floor() as usize] as f64, line[place.ceil() as usize] as f64);
                    low + (high - low) * place.fract()
                })
                .collect();
            let found = array.quantile_axis(axis, share).to_vec()?;
            assert!(
                found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-12),
                "{found:?} {expected:?}"
            );
            if share == 0.5 {
                assert_eq!(array.median_axis(axis).to_vec()?, expected);
            }
        }
    }
    let with_nan = Array::from([1.0f32, f32::NAN, 2.0, 3.0]).reshape(&[2, 2]);
    let medians = with_nan.median_axis(1).to_vec()?;
    assert!(medians[0].is_nan() && medians[1] == 2.5);
    assert!(Array::<f64>::zeros(&[2, 0]).median_axis(1).to_vec()?.iter().all(|x| x.is_nan()));
    assert_eq!(Array::<f64>::zeros(&[0, 2]).median_axis(1).to_vec()?, [0.0; 0]);
    assert!(with_nan.try_quantile_axis(2, 0.5).is_err() && with_nan.try_quantile_axis(0, f64::NAN).is_err());
    Ok(())
}

#[test]
fn greatest_few_and_differences() -> Result<()> {
    let m = Array::from([5.0, f64::NAN, 3.0, 8.0, 2.0, 4.0]).reshape(&[2, 3]);
    assert_eq!(m.top_axis(1, 2).to_vec()?, [5.0, 3.0, 8.0, 4.0]);
    assert_eq!(m.top_axis(0, 9).shape().to_vec(), [2, 3]);
    assert_eq!(m.top_axis(0, 0).shape().to_vec(), [0, 3]);
    let x = Array::from([1u8, 4, 2]);
    assert_eq!(x.differences(0).to_vec()?, [3, 254]);
    assert_eq!(Array::<i32>::zeros(&[0]).differences(0).size(), 0);
    assert_eq!(Array::<i32>::zeros(&[2, 1]).differences(1).shape().to_vec(), [2, 0]);
    assert!(x.try_differences(1).is_err() && x.try_top_axis(1, 1).is_err());
    Ok(())
}

#[test]
fn lines_through_points() -> Result<()> {
    let places: Vec<f64> = (0..50).map(|at| f64::from(at * at) / 8.0).collect();
    let heights: Vec<f64> = numbers(7, 50, 100).into_iter().map(|y| y as f64).collect();
    let wanted: Vec<f64> = (-20..900).map(|x| f64::from(x) / 2.5).collect();
    let line = |x: &f64| {
        let after = places.partition_point(|place| place <= x);
        match after {
            0 => heights[0],
            50 => heights[49],
            _ => {
                let (x0, x1, y0, y1) = (places[after - 1], places[after], heights[after - 1], heights[after]);
                y0 + (y1 - y0) / (x1 - x0) * (x - x0)
            }
        }
    };
    let [places_array, heights_array] = [&places, &heights].map(|x| Array::from_slice(x));
    let found = Array::from_slice(&wanted).interpolate(&places_array, &heights_array).to_vec()?;
    assert!(found.iter().zip(wanted.iter().map(line)).all(|(x, y)| (x - y).abs() < 1e-9));
    let one =
        Array::from([f64::NAN, -1.0, 5.0]).interpolate(&Array::from([2.0]), &Array::from([7.0])).to_vec()?;
    assert!(one[0].is_nan() && one[1..] == [7.0, 7.0]);
    let none = Array::<f64>::zeros(&[0]);
    assert!(none.try_interpolate(&none, &none).is_err());
    Ok(())
}

#[test]
fn evenly_spaced_numbers() -> Result<()> {
    assert_eq!(Array::linspace(0.0f32, 1.0, 11).at(0, -1).item()?, 1.0);
    assert_eq!(Array::linspace(2.0, 9.0, 1).to_vec()?, [2.0]);
    assert_eq!(Array::linspace(2.0, 9.0, 0).size(), 0);
    assert_eq!(Array::<f64>::eye(0, 2).size(), 0);
    Ok(())
}
