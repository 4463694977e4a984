//! Sorting and ranking against the standard library's stable sort, on data of many kinds.

use super::counting::CountingSort;
use super::job::Words;
use super::key::{Code, KeyType};
use super::{Column, Key, Order, Rows, rank, sort};
use nestled_pool::Pool;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;

/// A small generator of random bits.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A key as the tests see it: made from bits, and compared by the standard library.
trait Tested: Key + Debug {
    fn make(bits: u64) -> Self;
    fn order(&self, other: &Self, order: Order) -> Ordering;
}

macro_rules! tested {
    ($($type:ty: $make:expr, $order:expr;)*) => {$(
        impl Tested for $type {
            fn make(bits: u64) -> $type {
                let make: fn(u64) -> $type = $make;
                make(bits)
            }

            fn order(&self, other: &$type, order: Order) -> Ordering {
                if self != self || other != other {
                    return (self != self).cmp(&(other != other));
                }
                let ascending: Ordering = $order(self, other);
                if order == Order::Ascending { ascending } else { ascending.reverse() }
            }
        }
    )*};
}

tested! {
    bool: |bits| bits % 2 == 1, Ord::cmp;
    i8: |bits| bits as i8, Ord::cmp;
    u8: |bits| bits as u8, Ord::cmp;
    i16: |bits| bits as i16, Ord::cmp;
    u16: |bits| bits as u16, Ord::cmp;
    i32: |bits| bits as i32, Ord::cmp;
    u32: |bits| bits as u32, Ord::cmp;
    i64: |bits| bits as i64, Ord::cmp;
    u64: |bits| bits, Ord::cmp;
    f32: |bits| f32::from_bits(bits as u32), f32::total_cmp;
    f64: |bits| f64::from_bits(bits), f64::total_cmp;
}

/// Kinds of data: the bits of element `i` of `n`.
type Kind = (&'static str, fn(&mut Random, u64, u64) -> u64);

const KINDS: [Kind; 17] = [
    ("random", |random, _, _| random.next()),
    ("rising", |_, i, _| i),
    ("falling", |_, i, n| n - i),
    ("equal", |_, _, _| 77),
    ("few", |random, _, _| random.next() % 3 * 0x4000_0001),
    ("narrow", |random, _, _| random.next() % 1000 + (1 << 30)),
    ("skewed", |random, i, _| if i % 50 == 0 { random.next() } else { 5 }),
    ("low and high bits", |random, _, _| random.next() & 0xe000_0000_8000_0003),
    ("powers", |random, _, _| random.next() >> random.below(64)),
    ("rising but for the last", |_, i, n| if i + 1 == n { 3 } else { i + 5 }),
    ("rising twice", |_, i, n| i % n.div_ceil(2) + 7),
    // Of floats one in three is no number.
    ("no numbers", |random, i, _| random.next() | if i % 3 == 0 { 0x7ff0_0000_7f80_0000 } else { 0 }),
    ("exponents", |random, _, _| random.next() & 0xfff0_0000_ff80_0000),
    (
        "low bits of one key in two",
        |random, i, _| if i % 2 == 0 { 9 << 20 } else { (9 << 20) + random.next() % 512 },
    ),
    ("between 0 and 1", |random, _, _| ((random.next() >> 11) as f64 / (1u64 << 53) as f64).to_bits()),
    // The keys that are looked at first, from which intervals are chosen, say nothing about the others.
    ("sample closer than the rest", |random, i, n| {
        if is_sampled(i, n) { (1 << 30) + random.next() % 5000 } else { random.next() }
    }),
    ("sample wider than the rest", |random, i, n| {
        if is_sampled(i, n) { random.next() } else { (1 << 30) + random.next() % 5000 }
    }),
];

fn is_sampled(i: u64, n: u64) -> bool {
    i.is_multiple_of(n.div_ceil(64))
}

fn keys<K: Tested>(kind: Kind, len: usize) -> Vec<K> {
    let mut random = Random(len as u64);
    (0..len as u64).map(|i| K::make(kind.1(&mut random, i, len as u64))).collect()
}

/// For each place of the result the position that its element comes from, row by row.
fn expected<K: Tested>(rows: &[Range<usize>], order: Order, keys: &[K]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..keys.len()).collect();
    for row in rows {
        positions[row.clone()].sort_by(|a, b| keys[*a].order(&keys[*b], order));
    }
    positions
}

/// Sorts and ranks in all ways, and compares bit for bit.
fn check<K: Tested>(pool: &Pool, rows: Rows<'_>, row_ranges: &[Range<usize>], what: &str, keys: &[K]) {
    let len = keys.len();
    for order in [Order::Ascending, Order::Descending] {
        let what =
            format!("{what}, {len} of {}, {order:?}, {} threads", std::any::type_name::<K>(), pool.threads());
        let positions = expected(row_ranges, order, keys);
        // What is equal in the order of tests has the same bits, or is no number.
        let is_sorted = |sorted: &[K]| {
            sorted.iter().zip(&positions).all(|(key, from)| key.order(&keys[*from], order) == Ordering::Equal)
        };

        let mut sorted = keys.to_vec();
        sort(pool, rows, order, keys, &mut sorted, &mut []);
        assert!(is_sorted(&sorted), "keys alone: {what}");

        let payload: Vec<usize> = (0..len).collect();
        let bytes: Vec<u8> = payload.iter().map(|position| *position as u8).collect();
        let (mut moved, mut moved_bytes) = (vec![0; len], vec![0; len]);
        let columns: &mut [Column<'_>] =
            &mut [Column::new(&payload, &mut moved), Column::new(&bytes, &mut moved_bytes)];
        sort(pool, rows, order, keys, &mut sorted, columns);
        assert!(is_sorted(&sorted), "keys with payload: {what}");
        assert!(moved == positions, "payload: {what}");
        assert!(moved_bytes.iter().zip(&positions).all(|(byte, at)| *byte == *at as u8), "bytes: {what}");

        let mut ranks = vec![-1; len];
        rank(pool, rows, order, keys, &mut ranks);
        for row in row_ranges {
            for at in row.clone() {
                assert_eq!(ranks[positions[at]], (at - row.start) as i64, "ranks: {what}");
            }
        }
    }
}

fn pools() -> [Pool; 2] {
    [1, 2].map(Pool::new)
}

fn one_row<K: Tested>(lens: &[usize]) {
    for pool in pools() {
        for (kind, len) in KINDS.iter().flat_map(|kind| lens.iter().map(move |len| (*kind, *len))) {
            let keys = keys::<K>(kind, len);
            let row = std::slice::from_ref(&(0..len)).to_vec();
            check(&pool, Rows::One, &row, kind.0, &keys);
            if len <= 256 {
                check(&pool, Rows::Regular { length: len }, &row, kind.0, &keys);
            }
        }
    }
}

/// Below and above each threshold: comparing, the cache, all threads.
const LENS: [usize; 7] = [0, 1, 2, 33, 255, 256, 20_000];

#[test]
fn one_row_of_each_type() {
    one_row::<bool>(&LENS);
    one_row::<i8>(&LENS);
    one_row::<u8>(&LENS);
    one_row::<i16>(&LENS);
    one_row::<u16>(&LENS);
    one_row::<i32>(&LENS);
    one_row::<u32>(&LENS);
    one_row::<i64>(&LENS);
    one_row::<f32>(&LENS);
    one_row::<f64>(&LENS);
}

#[test]
fn a_row_for_all_threads() {
    one_row::<u8>(&[131_072]);
    one_row::<u16>(&[131_072]);
    one_row::<f32>(&[200_003]);
    one_row::<i64>(&[160_000]);
}

/// A row that is larger than caches, in one order.
fn large<K: Tested>(len: usize, kinds: &[&str]) {
    let pool = Pool::new(2);
    for (kind, order) in kinds.iter().zip([Order::Ascending, Order::Descending].into_iter().cycle()) {
        let kind = *KINDS.iter().find(|known| known.0 == *kind).expect("there is such a kind");
        let keys = keys::<K>(kind, len);
        let mut expected: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
        expected.sort_by(|a, b| a.0.order(&b.0, order));
        let what = format!("{}, {len} of {}, {order:?}", kind.0, std::any::type_name::<K>());
        let is_sorted = |sorted: &[K]| {
            sorted
                .iter()
                .zip(&expected)
                .all(|(key, (expected, _))| key.order(expected, order) == Ordering::Equal)
        };
        let mut sorted = keys.clone();
        sort(&pool, Rows::One, order, &keys, &mut sorted, &mut []);
        assert!(is_sorted(&sorted), "keys alone: {what}");

        let positions: Vec<u32> = (0..len as u32).collect();
        let mut moved = vec![0; len];
        sort(&pool, Rows::One, order, &keys, &mut sorted, &mut [Column::new(&positions, &mut moved)]);
        assert!(is_sorted(&sorted), "keys with payload: {what}");
        assert!(moved.iter().zip(&expected).all(|(from, (_, expected))| from == expected), "payload: {what}");

        let mut ranks = vec![-1; len];
        rank(&pool, Rows::One, order, &keys, &mut ranks);
        assert!(
            (0..len as i64).zip(&expected).all(|(rank, (_, from))| ranks[*from as usize] == rank),
            "{what}"
        );
    }
}

#[test]
fn rows_larger_than_caches() {
    large::<i32>(
        1_200_001,
        &["random", "falling", "skewed", "powers", "low bits of one key in two", "rising twice"],
    );
    large::<f32>(1_100_000, &["no numbers", "exponents", "random", "no numbers"]);
    large::<f64>(700_000, &["random", "few", "exponents", "equal", "between 0 and 1", "between 0 and 1"]);
    large::<i64>(600_000, &["powers", "rising", "low and high bits", "rising but for the last"]);
    large::<u64>(600_000, &["sample closer than the rest", "sample wider than the rest"]);
}

#[test]
fn payload_of_each_size() {
    fn check<K: Tested, T: super::Element + PartialEq + Default>(make: fn(usize) -> T) {
        for len in [50, 3000, 70_000] {
            let keys = keys::<K>(KINDS[5], len);
            let from: Vec<T> = (0..len).map(make).collect();
            let (mut to, mut sorted) = (vec![T::default(); len], keys.clone());
            sort(
                &Pool::new(2),
                Rows::One,
                Order::Ascending,
                &keys,
                &mut sorted,
                &mut [Column::new(&from, &mut to)],
            );
            let positions = expected(std::slice::from_ref(&(0..len)), Order::Ascending, &keys);
            assert!(to.iter().zip(&positions).all(|(to, position)| *to == from[*position]), "{len}");
        }
    }
    fn check_all<K: Tested>() {
        check::<K, bool>(|position| position % 3 == 1);
        check::<K, u8>(|position| position as u8);
        check::<K, u16>(|position| position as u16);
        check::<K, i32>(|position| -(position as i32));
        check::<K, f32>(|position| position as f32);
        check::<K, i64>(|position| -(position as i64));
        check::<K, f64>(|position| position as f64);
    }
    check_all::<u8>();
    check_all::<i16>();
    check_all::<i32>();
    check_all::<f64>();
}

/// The offsets and ranges of rows of such lengths.
fn rows_of(lengths: &[usize]) -> (Vec<i64>, Vec<Range<usize>>) {
    let (mut offsets, mut ranges) = (vec![0], Vec::new());
    let mut end = 0;
    for length in lengths {
        ranges.push(end..end + length);
        end += length;
        offsets.push(end as i64);
    }
    (offsets, ranges)
}

fn segments<K: Tested>(lengths: &[usize]) {
    let (offsets, ranges) = rows_of(lengths);
    for pool in pools() {
        for kind in KINDS {
            let keys = keys::<K>(kind, *offsets.last().expect("0 at least") as usize);
            check(&pool, Rows::Offsets(&offsets), &ranges, kind.0, &keys);
        }
    }
}

#[test]
fn segments_of_many_lengths() {
    let mut random = Random(1);
    segments::<i32>(&[]);
    segments::<i32>(&[0]);
    segments::<i32>(&[0, 0, 3, 0, 1, 0]);
    segments::<f32>(&(0..5000).map(|_| random.below(7)).collect::<Vec<_>>());
    segments::<i64>(&(0..60).map(|_| random.below(2000)).collect::<Vec<_>>());
    segments::<i16>(&(0..60).map(|_| random.below(2000)).collect::<Vec<_>>());
    segments::<u8>(&[16_384, 16_384, 1, 16_383, 0, 0, 16_385, 40_000]);
}

#[test]
fn long_segments_among_short_ones() {
    segments::<u32>(&[5, 140_000, 0, 3, 131_072, 131_071, 0, 1, 1, 20_000]);
    segments::<f64>(&[131_072, 131_072, 9]);
}

#[test]
fn regular_rows() {
    for pool in pools() {
        for (length, count) in [(1, 40_000), (3, 20_001), (1000, 50), (16_384, 3), (0, 0)] {
            let ranges: Vec<_> = (0..count).map(|row| row * length..(row + 1) * length).collect();
            for kind in KINDS {
                let keys = keys::<f32>(kind, length * count);
                check(&pool, Rows::Regular { length }, &ranges, kind.0, &keys);
            }
        }
    }
}

/// The longest rows that one thread sorts in the cache, of random keys: three digits tell these apart.
#[test]
fn rows_of_three_digits() {
    let length = 1 << 18;
    let keys = keys::<u32>(KINDS[0], 4 * length);
    let mut sorted = vec![0; keys.len()];
    sort(&Pool::new(1), Rows::Regular { length }, Order::Ascending, &keys, &mut sorted, &mut []);
    let mut expected = keys;
    expected.chunks_mut(length).for_each(<[u32]>::sort_unstable);
    assert!(sorted == expected);
}

/// Keys that lie close together are counted, others are not; the results (above) do not show which.
#[test]
fn close_keys_are_counted() {
    let counts = |rows: Rows<'_>, keys: &[u64]| {
        let words = Words::U64(keys, Code::new(KeyType::of::<i64>(), Order::Descending));
        CountingSort::new(&Pool::new(2), rows, words, keys.len()).is_some()
    };
    let keys = |len: u64, values: u64| -> Vec<u64> {
        (0..len).map(|i| (i * 7919 % values).wrapping_sub(values / 2)).collect()
    };
    assert!(counts(Rows::One, &keys(1000, 250)) && !counts(Rows::One, &keys(1000, 251)));
    assert!(counts(Rows::One, &keys(200_000, 8192)) && !counts(Rows::One, &keys(200_000, 8193)));
    assert!(!counts(Rows::One, &keys(511, 3)) && counts(Rows::One, &keys(512, 1)));
    assert!(counts(Rows::Offsets(&[0, 1000]), &keys(1000, 9)));
    assert!(!counts(Rows::Offsets(&[0, 500, 1000]), &keys(1000, 9)));
    assert!(!counts(Rows::Regular { length: 500 }, &keys(1000, 9)));
    // The last one lies far away.
    let mut keys = keys(70_000, 9);
    keys.push(1 << 40);
    assert!(!counts(Rows::One, &keys));
    // Those of each block lie close together, but not those of both.
    let keys: Vec<u64> = (0..140_000).map(|i| i % 9 + if i < 70_000 { 0 } else { 1 << 40 }).collect();
    assert!(!counts(Rows::One, &keys));
}

/// On both sides of the border, of each type and in both orders.
#[test]
fn rows_about_as_close_as_are_counted() {
    fn around<K: Tested>(pool: &Pool) {
        for (len, values) in [(512, 128), (3000, 700), (3000, 760), (140_001, 8190), (140_001, 8200)] {
            let mut random = Random(values);
            let keys: Vec<K> = (0..len).map(|_| K::make(random.next() % values)).collect();
            check(pool, Rows::One, std::slice::from_ref(&(0..len)), "close", &keys);
        }
    }
    for pool in pools() {
        around::<u8>(&pool);
        around::<i32>(&pool);
        around::<i64>(&pool);
        around::<f64>(&pool);
    }
}

#[test]
fn several_sort_at_once() {
    let pool = Pool::new(2);
    std::thread::scope(|scope| {
        for len in [70_000, 80_001, 3000] {
            let pool = &pool;
            scope.spawn(move || {
                let row = std::slice::from_ref(&(0..len)).to_vec();
                for kind in &KINDS[..5] {
                    check(pool, Rows::One, &row, kind.0, &keys::<i64>(*kind, len));
                }
            });
        }
    });
    // Inside of what is parallel itself.
    pool.for_each_chunk(3, |chunk| {
        let len = 66_000 + chunk;
        let row = std::slice::from_ref(&(0..len)).to_vec();
        check(&pool, Rows::One, &row, "random", &keys::<u32>(KINDS[0], len));
    });
}

#[test]
fn the_order_of_floats() {
    let rising = [f32::NEG_INFINITY, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::INFINITY];
    let mut falling = rising;
    falling.reverse();
    // The least and the greatest payloads of both signs.
    let none = [0xff80_0001, 0x7fff_ffff, 0xffff_ffff, 0x7f80_0001].map(f32::from_bits);
    let keys = [&none[..2], &falling[..], &none[2..]].concat();
    for (order, numbers) in [(Order::Ascending, rising), (Order::Descending, falling)] {
        let mut sorted = [0.0; 12];
        sort(&Pool::new(1), Rows::One, order, &keys, &mut sorted, &mut []);
        let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sorted[..8]), bits(&numbers));
        assert!(sorted[8..].iter().all(|number| number.is_nan()));
    }
}

#[test]
#[should_panic(expected = "as many keys as the rows have elements")]
fn rows_that_do_not_fit_are_refused() {
    sort(&Pool::new(1), Rows::Offsets(&[0, 2]), Order::Ascending, &[1, 2, 3], &mut [0; 3], &mut []);
}
