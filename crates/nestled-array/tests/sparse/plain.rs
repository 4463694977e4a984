//! Sparse matrices on the host, one entry after another, in the plainest way.

use crate::direct::Dice;
use nestled_array::*;

/// Elements of the matrices that are tested.
pub trait Value: Signed + PartialOrd {
    /// A value whose sums depend on their order, if the type has such.
    fn sample(dice: &Dice) -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn opposite(self) -> Self;
    fn wide(self) -> Self::Wide;
    /// The same value: of floats the same bits, but for those of NaN.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(impl Value for $ty {
        fn sample(dice: &Dice) -> $ty {
            match dice.below(6) {
                0 => $ty::MAX - dice.below(3) as $ty,
                _ => dice.between(-9, 9) as $ty,
            }
        }
        fn plus(self, other: $ty) -> $ty {
            self.wrapping_add(other)
        }
        fn times(self, other: $ty) -> $ty {
            self.wrapping_mul(other)
        }
        fn opposite(self) -> $ty {
            self.wrapping_neg()
        }
        fn wide(self) -> i64 {
            self.into()
        }
        fn is_same(self, other: $ty) -> bool {
            self == other
        }
    })*};
}

macro_rules! floats {
    ($($ty:ident)*) => {$(impl Value for $ty {
        fn sample(dice: &Dice) -> $ty {
            match dice.below(8) {
                0 => 0.0,
                1 => -0.0,
                _ => dice.between(-1_000_000, 1_000_000) as $ty / 7.0,
            }
        }
        fn plus(self, other: $ty) -> $ty {
            self + other
        }
        fn times(self, other: $ty) -> $ty {
            self * other
        }
        fn opposite(self) -> $ty {
            -self
        }
        fn wide(self) -> $ty {
            self
        }
        fn is_same(self, other: $ty) -> bool {
            self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
        }
    })*};
}

integers!(i32 i64);
floats!(f32 f64);

/// The sum in the order that is documented: up to 32 from left to right; more in tiles of 4096, each in 16 lanes that are combined in pairs, as tiles are.
pub fn sum<T: Value>(values: &[T]) -> T {
    let in_order = |values: &mut dyn Iterator<Item = T>| values.reduce(T::plus);
    if values.len() <= 32 {
        return in_order(&mut values.iter().copied()).unwrap_or(T::ZERO);
    }
    let tile = |tile: &[T]| {
        let mut lanes: Vec<Option<T>> =
            (0..16).map(|lane| in_order(&mut tile.iter().copied().skip(lane).step_by(16))).collect();
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                lanes[lane] = both(lanes[lane], lanes[lane + half]);
            }
        }
        lanes[0]
    };
    let mut tiles: Vec<Option<T>> = values.chunks(4096).map(tile).collect();
    while tiles.len() > 1 {
        tiles = tiles.chunks(2).map(|pair| both(pair[0], pair.get(1).copied().flatten())).collect();
    }
    tiles[0].unwrap_or(T::ZERO)
}

fn both<T: Value>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.plus(other)),
        (one, other) => one.or(other),
    }
}

/// The row, the column and the value of an entry.
pub type Entry<T> = (usize, usize, T);

/// A sparse matrix: entries in order, no two of one place.
#[derive(Clone, Debug)]
pub struct Plain<T> {
    pub shape: [usize; 2],
    pub entries: Vec<Entry<T>>,
}

impl<T: Value> Plain<T> {
    /// Of entries in any order; those of one place are added up.
    pub fn of(shape: [usize; 2], mut entries: Vec<Entry<T>>) -> Plain<T> {
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let one = |same: &[Entry<T>]| {
            let values: Vec<T> = same.iter().map(|&(_, _, value)| value).collect();
            (same[0].0, same[0].1, sum(&values))
        };
        let entries = entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(one).collect();
        Plain { shape, entries }
    }

    pub fn get(&self, row: usize, column: usize) -> Option<T> {
        self.entries.iter().find(|entry| (entry.0, entry.1) == (row, column)).map(|entry| entry.2)
    }

    pub fn dense(&self) -> Vec<T> {
        let mut dense = vec![T::ZERO; self.shape[0] * self.shape[1]];
        self.entries.iter().for_each(|&(row, column, value)| dense[row * self.shape[1] + column] = value);
        dense
    }

    pub fn row(&self, row: usize) -> impl Iterator<Item = &Entry<T>> {
        self.entries.iter().filter(move |entry| entry.0 == row)
    }

    pub fn map<U>(&self, of: impl Fn(Entry<T>) -> U) -> Plain<U> {
        let entries = self.entries.iter().map(|&entry| (entry.0, entry.1, of(entry))).collect();
        Plain { shape: self.shape, entries }
    }

    pub fn sparse(&self) -> Sparse<T> {
        let (rows, columns, values) = parts(&self.entries);
        Sparse::from_coo(self.shape, &rows, &columns, &values).unwrap()
    }

    /// Panics if another matrix does not have the same shape and the same entries, bit for bit.
    #[track_caller]
    pub fn same(&self, what: &str, made: &Sparse<T>) {
        assert_eq!(made.shape(), self.shape, "{what}");
        let (offsets, columns, values) = made.to_csr();
        let offsets = offsets.to_vec().unwrap();
        let before = |row: usize| self.entries.iter().filter(|entry| entry.0 < row).count() as i64;
        let expected: Vec<i64> = (0..=self.shape[0]).map(before).collect();
        assert_eq!(offsets, expected, "{what}: offsets of {self:?}");
        let expected: Vec<i64> = self.entries.iter().map(|entry| entry.1 as i64).collect();
        assert_eq!(columns.to_vec().unwrap(), expected, "{what}: columns of {self:?}");
        let expected: Vec<T> = self.entries.iter().map(|entry| entry.2).collect();
        same(&format!("{what} of shape {:?}", self.shape), &values, &expected);
    }
}

/// Panics if elements are not those that are expected, bit for bit.
#[track_caller]
pub fn same<T: Value>(what: &str, made: &Array<T>, expected: &[T]) {
    let made = made.to_vec().unwrap();
    assert_eq!(made.len(), expected.len(), "{what}");
    for (at, (&made, &expected)) in made.iter().zip(expected).enumerate() {
        assert!(made.is_same(expected), "{what}: {made:?} instead of {expected:?} at {at}");
    }
}

/// Rows, columns and values.
pub fn parts<T: Value>(entries: &[Entry<T>]) -> (Array<i64>, Array<i64>, Array<T>) {
    let rows = entries.iter().map(|entry| entry.0 as i64).collect();
    let columns = entries.iter().map(|entry| entry.1 as i64).collect();
    (rows, columns, entries.iter().map(|entry| entry.2).collect())
}

/// A shape, and entries in any order, some of one place.
pub type Case<T> = ([usize; 2], Vec<Entry<T>>);

/// Matrices without rows, columns or entries, with empty rows, with one row that has half of all entries, of one row, of one column, and with entries of one place.
pub fn cases<T: Value>(seed: u64) -> Vec<Case<T>> {
    let dice = Dice::new(seed);
    let entry = |[rows, columns]: [usize; 2]| (dice.below(rows), dice.below(columns), T::sample(&dice));
    let some = |shape, count| (shape, (0..count).map(|_| entry(shape)).collect::<Vec<_>>());
    let mut heavy = some([23, 300], 90);
    heavy.1.extend((0..90).map(|_| (5, dice.below(300), T::sample(&dice))));
    let mut crowded = some([3, 2], 150);
    crowded.1.extend((0..5000).map(|_| (1, 1, T::sample(&dice))));
    let mut all = vec![([0, 0], vec![]), ([0, 4], vec![]), ([4, 0], vec![]), ([3, 5], vec![])];
    all.extend([
        some([1, 1], 1),
        some([1, 70], 40),
        some([60, 1], 20),
        some([9, 13], 25),
        some([31, 40], 300),
    ]);
    all.extend([heavy, crowded]);
    all
}

/// The matrices of these cases.
pub fn matrices<T: Value>(seed: u64) -> Vec<Plain<T>> {
    cases(seed).into_iter().map(|(shape, entries)| Plain::of(shape, entries)).collect()
}

/// Elements of a dense array.
pub fn dense<T: Value>(dice: &Dice, count: usize) -> Vec<T> {
    (0..count).map(|_| T::sample(dice)).collect()
}

/// Runs a generic test for each type of elements, on GPUs for two of them.
macro_rules! for_all_types {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            generic::$name::<i64>();
            generic::$name::<f32>();
            if !nestled_test::again::is_sample() {
                generic::$name::<i32>();
                generic::$name::<f64>();
            }
        }
    )*};
}
pub(crate) use for_all_types;
