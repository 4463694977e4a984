//! Sorting inside rows, by the elements and by keys, against the same with vectors.

use nestled_array::*;
use nestled_test::again;

/// Numbers that look random.
fn noise(seed: u64, at: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 31;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 29)
}

fn rows(seed: u64, lengths: &[usize]) -> Vec<Vec<i64>> {
    let mut at = 0;
    let mut next = || {
        at += 1;
        (noise(seed, at) % 7) as i64
    };
    lengths.iter().map(|&length| (0..length).map(|_| next()).collect()).collect()
}

#[test]
fn rows_are_sorted_by_keys() {
    let shapes: [&[usize]; 5] = [&[], &[0], &[3, 0, 1, 40, 2, 2], &[1000, 1, 0, 17], &[5; 60]];
    for (seed, lengths) in shapes.into_iter().enumerate() {
        let (keys, values) = (rows(seed as u64, lengths), rows(seed as u64 + 100, lengths));
        let expected: Vec<Vec<i64>> = keys
            .iter()
            .zip(&values)
            .map(|(keys, values)| {
                let mut order: Vec<usize> = (0..keys.len()).collect();
                order.sort_by_key(|&at| keys[at]);
                order.into_iter().map(|at| 10 * values[at]).collect()
            })
            .collect();
        let flat = Array::from_vec(keys.concat());
        // Both computed, so that the sort is in the middle of a plan.
        let ragged = Ragged::from_rows(&values).map(|x| x * 10);
        let sorted = ragged.sort_by_key(&(&flat * 2 + 1));
        assert_eq!(sorted.to_rows().unwrap(), expected, "{lengths:?}");
        assert_eq!(sorted.map(|x| x + 1).sum().to_vec().unwrap(), sums(&expected));
        let floats = ragged.sort_by_key(&flat.cast::<f32>());
        assert_eq!(floats.to_rows().unwrap(), expected);
        let mut alone = values.clone();
        alone.iter_mut().for_each(|row| row.sort());
        assert_eq!(Ragged::from_rows(&values).sort().to_rows().unwrap(), alone);
    }
}

#[test]
fn what_is_no_number_comes_last_in_its_row() {
    let rows = [vec![f64::INFINITY, 2.0], vec![], vec![f64::NEG_INFINITY, f64::INFINITY, 1.0]];
    let sorted = Ragged::from_rows(&rows).map(|x| x * 0.0 + x).sort();
    assert_eq!(format!("{:?}", sorted.to_rows().unwrap()), "[[2.0, NaN], [], [1.0, NaN, NaN]]");
}

fn sums(rows: &[Vec<i64>]) -> Vec<i64> {
    rows.iter().map(|row| row.iter().map(|x| x + 1).sum()).collect()
}

#[test]
#[should_panic(expected = "sort_by_key")]
fn keys_are_as_many_as_elements() {
    let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    let _ = rows.sort_by_key(&Array::from_vec(vec![1, 2]));
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
