//! Small cases whose results were worked out by hand, beside those that the tests of all operations compare with direct implementations.
//!
//! They run on the reference interpreter: what is judged is how arrays become programs, and which plan a program takes.

use nestled_array::*;

fn judge() -> Engine {
    Engine::new(EngineConfig::on(DeviceChoice::Reference))
}

fn ints(elements: &[i64], shape: &[usize]) -> Array<i64> {
    Array::new(elements.to_vec(), shape)
}

/// A computed row is used along the last axis of a matrix.
#[test]
fn computed_rows_are_stretched_over_a_matrix() {
    judge().run(|| {
        let row = ints(&[1, 2, 3], &[3]) * ints(&[5, 7, 11], &[3]);
        let sum = ints(&[0, 100, 200, 300, 400, 500], &[2, 3]) + row;
        assert_eq!(sum.to_vec().unwrap(), [5, 114, 233, 305, 414, 533]);
    });
}

#[test]
fn what_is_padded_is_a_constant() {
    judge().run(|| {
        let framed = Array::<i64>::fill(3, &[2]).pad(&[1], &[2], Border::Default(9));
        assert_eq!((framed + ints(&[10, 20, 30, 40, 50], &[5])).to_vec().unwrap(), [19, 23, 33, 49, 59]);
    });
}

/// Colours of three components, beside each other and from planes.
#[test]
fn planes_become_components() {
    judge().run(|| {
        let [red, green, blue] =
            [1, 5, 9].map(|first| ints(&[first, first + 1, first + 2, first + 3], &[2, 2]));
        let image = stack(&[&red, &green, &blue], 2);
        assert_eq!(image.to_vec().unwrap(), [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12]);
    });
}

#[test]
fn several_axes_go() {
    judge().run(|| {
        // 0 to 11; the first two axes go, and what they are multiplied by lies along the first only.
        let x = Array::<i64>::range(12).reshape(&[2, 3, 2]);
        let sums = x.sum_axes(&[0, 1]);
        assert_eq!(sums.to_vec().unwrap(), [30, 36]);
        let weighted =
            (Array::<i64>::range(12).reshape(&[2, 3, 2]) * ints(&[1, 10], &[2, 1, 1])).sum_axes(&[0, 1]);
        assert_eq!(weighted.to_vec().unwrap(), [246, 279]);
        let last = Array::<i64>::range(12).reshape(&[2, 3, 2]).sum_axes(&[1, 2]);
        assert_eq!(last.to_vec().unwrap(), [15, 51]);
    });
}

#[test]
fn rows_are_taken_by_a_matrix_of_places() {
    judge().run(|| {
        let rows = ints(&[1, 2, 3, 40, 50, 60], &[2, 3]);
        let taken = rows.take(0, &ints(&[1, 0, 0, 1], &[2, 2]), Outside::Clamp);
        assert_eq!(**taken.shape(), [2, 2, 3]);
        assert_eq!(taken.to_vec().unwrap(), [40, 50, 60, 1, 2, 3, 1, 2, 3, 40, 50, 60]);
    });
}

#[test]
fn counts_of_a_repeat_are_zero_or_less() {
    judge().run(|| {
        let x = ints(&[10, 20, 30, 40], &[4]);
        assert_eq!(x.repeat(0, &ints(&[1, 0, 0, 2], &[4])).unwrap().to_vec().unwrap(), [10, 40, 40]);
        assert_eq!(x.repeat(0, &ints(&[2, -1, 1, -5], &[4])).unwrap().to_vec().unwrap(), [10, 10, 30]);
    });
}

/// Each pair has one structure but for one thing, so that the second must not take the plan of the first.
#[test]
fn plans_are_those_of_one_structure() {
    judge().run(|| {
        let x = Array::<i64>::range(1000);
        x.eval().unwrap();
        assert_eq!(x.slice(0, 300..700).to_vec().unwrap(), (300..700).collect::<Vec<i64>>());
        let framed = x.pad(&[300], &[300], Border::Reflect).to_vec().unwrap();
        let before = (1..=300).rev();
        let after = (699..999).rev();
        assert_eq!(framed, before.chain(0..1000).chain(after).collect::<Vec<i64>>());

        let chain = || {
            let sum = &x + 1;
            let product = &sum * 2;
            let difference = &product - 3;
            [sum, product, difference]
        };
        let seventh = |array: &Array<i64>| array.to_vec().unwrap()[7];
        let [sum, _, difference] = chain();
        Engine::current().eval(&[&difference, &sum]).unwrap();
        assert_eq!([&sum, &difference].map(seventh), [8, 13]);
        let [_, product, difference] = chain();
        Engine::current().eval(&[&difference, &product]).unwrap();
        assert_eq!([&product, &difference].map(seventh), [16, 13]);

        let nothing = Array::<i64>::zeros(&[0]);
        let folded = |unit: i64| nothing.reduce_with(0, unit, |a, b| a + b).item().unwrap();
        assert_eq!([folded(4), folded(7)], [4, 7]);
    });
}
