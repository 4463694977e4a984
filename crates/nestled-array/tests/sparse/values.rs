//! Operations on stored values, sums, and two matrices entry by entry.

use super::plain::for_all_types;

for_all_types! { sums_and_differences products_by_entry scaled mapped filtered added_up }

mod generic {
    use crate::direct::Dice;
    use crate::sparse::plain::{Plain, Value, dense, matrices, same, sum};
    use nestled_array::*;

    /// Matrices of one shape, many of whose places both store.
    fn pairs<T: Value>(seed: u64) -> Vec<(Plain<T>, Plain<T>)> {
        let dice = Dice::new(seed);
        let other = |plain: &Plain<T>| {
            let mut entries = plain.entries.clone();
            entries.retain(|_| dice.below(2) == 0);
            let mut entries: Vec<_> =
                entries.iter().map(|entry| (entry.0, entry.1, T::sample(&dice))).collect();
            if plain.shape[0] * plain.shape[1] > 0 {
                let [rows, columns] = plain.shape;
                let more =
                    (0..dice.below(20)).map(|_| (dice.below(rows), dice.below(columns), T::sample(&dice)));
                entries.extend(more);
            }
            Plain::of(plain.shape, entries)
        };
        matrices(seed).into_iter().map(|plain| (plain.clone(), other(&plain))).collect()
    }

    pub fn sums_and_differences<T: Value>() {
        for (one, other) in pairs::<T>(21) {
            let (a, b) = (one.sparse(), other.sparse());
            let with =
                |other: &Plain<T>| Plain::of(one.shape, [&one.entries[..], &other.entries[..]].concat());
            with(&other).same("add", &a.add(&b).unwrap());
            with(&other.map(|entry| entry.2.opposite())).same("subtract", &a.subtract(&b).unwrap());
        }
    }

    pub fn products_by_entry<T: Value>() {
        for (one, other) in pairs::<T>(22) {
            let both = one.entries.iter().filter_map(|&(row, column, value)| {
                other.get(row, column).map(|other| (row, column, value.times(other)))
            });
            let expected = Plain { shape: one.shape, entries: both.collect() };
            expected.same("multiply", &one.sparse().multiply(&other.sparse()).unwrap());
        }
    }

    pub fn scaled<T: Value>() {
        let dice = Dice::new(3);
        for plain in matrices::<T>(23) {
            let factors = dense(&dice, plain.shape[0]);
            let made = plain.sparse().scale_rows(&Array::from_slice(&factors));
            plain.map(|entry| entry.2.times(factors[entry.0])).same("scale_rows", &made);
            let factors = dense(&dice, plain.shape[1]);
            let made = plain.sparse().scale_columns(&Array::from_slice(&factors));
            plain.map(|entry| entry.2.times(factors[entry.1])).same("scale_columns", &made);
            let factor = T::sample(&dice);
            plain.map(|entry| entry.2.times(factor)).same("map", &plain.sparse().map(|x| x * factor));
        }
    }

    pub fn mapped<T: Value>() {
        for plain in matrices::<T>(24) {
            let made = plain
                .sparse()
                .map_entries(|rows, columns, x| rows * 1000 + columns + x.gt(T::ZERO).cast::<i64>());
            let of =
                |(row, column, x): (usize, usize, T)| (row * 1000 + column) as i64 + i64::from(x > T::ZERO);
            plain.map(of).same("map_entries", &made);
        }
    }

    pub fn filtered<T: Value>() {
        for plain in matrices::<T>(25) {
            let kept = |keep: &dyn Fn(&(usize, usize, T)) -> bool| {
                let entries = plain.entries.iter().copied().filter(|entry| keep(entry)).collect();
                Plain { shape: plain.shape, entries }
            };
            let made = plain.sparse();
            let lower = made.filter(|rows, columns, _| rows.ge(columns)).unwrap();
            kept(&|entry| entry.0 >= entry.1).same("filter", &lower);
            kept(&|entry| entry.2 > T::ZERO).same("filter", &made.filter(|_, _, x| x.gt(T::ZERO)).unwrap());
            kept(&|entry| entry.2 != T::ZERO).same("without_zeros", &made.without_zeros().unwrap());
        }
    }

    pub fn added_up<T: Value>()
    where
        T::Wide: Value,
    {
        for plain in matrices::<T>(26) {
            let made = plain.sparse();
            let row = |row| sum(&plain.row(row).map(|entry| entry.2.wide()).collect::<Vec<T::Wide>>());
            same("row_sums", &made.row_sums(), &(0..plain.shape[0]).map(row).collect::<Vec<T::Wide>>());
            let mut columns = vec![T::Wide::ZERO; plain.shape[1]];
            plain.entries.iter().for_each(|entry| columns[entry.1] = columns[entry.1].plus(entry.2.wide()));
            same("column_sums", &made.column_sums(), &columns);
        }
    }
}
