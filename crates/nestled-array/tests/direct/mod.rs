//! Arrays computed at once, one element after another, in the plainest way.

#![allow(dead_code)]

use nestled_array::{Array, Border, Element};

/// An array that was computed at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct<T> {
    pub shape: Vec<usize>,
    pub data: Vec<T>,
}

/// Every index of a shape, in row-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &extent in shape {
        all = all
            .into_iter()
            .flat_map(|index| {
                (0..extent).map(move |at| {
                    let mut index = index.clone();
                    index.push(at);
                    index
                })
            })
            .collect();
    }
    all
}

impl<T: Element> Direct<T> {
    pub fn from_fn(shape: &[usize], of: impl FnMut(&[usize]) -> T) -> Direct<T> {
        let mut of = of;
        Direct { shape: shape.to_vec(), data: indices(shape).iter().map(|index| of(index)).collect() }
    }

    pub fn get(&self, index: &[usize]) -> T {
        let at = index.iter().zip(&self.shape).fold(0, |at, (&index, &extent)| {
            assert!(index < extent);
            at * extent + index
        });
        self.data[at]
    }

    /// The element at an index that may be outside, axis by axis.
    pub fn get_at<I: Into<i128> + Copy>(&self, index: &[I], border: Border<T>) -> T {
        let mut inside = Vec::new();
        for (&at, &extent) in index.iter().zip(&self.shape) {
            let (at, extent) = (at.into(), extent as i128);
            inside.push(match border {
                _ if at >= 0 && at < extent => at,
                Border::Default(value) => return value,
                Border::Clamp => at.clamp(0, extent - 1),
                Border::Wrap => at.rem_euclid(extent),
                Border::Reflect if at < 0 => -at,
                Border::Reflect => 2 * (extent - 1) - at,
            } as usize);
        }
        self.get(&inside)
    }

    /// Displacements cut to what an edge can reflect.
    pub fn reflectable(&self, by: &[i64]) -> Vec<i64> {
        let reach = |extent: usize| (extent as i64 - 1).max(0);
        by.iter().zip(&self.shape).map(|(&by, &extent)| by.clamp(-reach(extent), reach(extent))).collect()
    }

    pub fn array(&self) -> Array<T> {
        Array::new(self.data.clone(), &self.shape)
    }

    pub fn map<U: Element>(&self, of: impl Fn(T) -> U) -> Direct<U> {
        Direct { shape: self.shape.clone(), data: self.data.iter().map(|&element| of(element)).collect() }
    }

    /// By NumPy's rule.
    pub fn zip<U: Element, V: Element>(&self, other: &Direct<U>, of: impl Fn(T, U) -> V) -> Direct<V> {
        let rank = self.shape.len().max(other.shape.len());
        let extent = |shape: &[usize], axis: usize| {
            (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis])
        };
        let shape: Vec<usize> = (0..rank)
            .map(|axis| match (extent(&self.shape, axis), extent(&other.shape, axis)) {
                (1, other) => other,
                (own, _) => own,
            })
            .collect();
        let own = |shape: &[usize], index: &[usize]| -> Vec<usize> {
            let index = &index[rank - shape.len()..];
            index.iter().zip(shape).map(|(&at, &extent)| if extent == 1 { 0 } else { at }).collect()
        };
        Direct::from_fn(&shape, |index| {
            of(self.get(&own(&self.shape, index)), other.get(&own(&other.shape, index)))
        })
    }

    pub fn fold_axis(&self, axis: usize, unit: T, of: impl Fn(T, T) -> T) -> Direct<T> {
        let mut shape = self.shape.clone();
        let extent = shape.remove(axis);
        Direct::from_fn(&shape, |index| {
            (0..extent).fold(unit, |sum, at| {
                let mut index = index.to_vec();
                index.insert(axis, at);
                of(sum, self.get(&index))
            })
        })
    }

    pub fn scan_axis(
        &self,
        axis: usize,
        unit: T,
        inclusive: bool,
        forward: bool,
        of: impl Fn(T, T) -> T,
    ) -> Direct<T> {
        Direct::from_fn(&self.shape, |index| {
            let own = index[axis];
            let range: Vec<usize> = match (inclusive, forward) {
                (true, true) => (0..=own).collect(),
                (false, true) => (0..own).collect(),
                (true, false) => (own..self.shape[axis]).collect(),
                (false, false) => (own + 1..self.shape[axis]).collect(),
            };
            range.into_iter().fold(unit, |sum, at| {
                let mut index = index.to_vec();
                index[axis] = at;
                of(sum, self.get(&index))
            })
        })
    }

    /// The place along an axis that is better than all before it.
    pub fn arg_axis(&self, axis: usize, better: impl Fn(T, T) -> bool) -> Direct<i64> {
        let mut shape = self.shape.clone();
        let extent = shape.remove(axis);
        Direct::from_fn(&shape, |index| {
            let at = |k: usize| {
                let mut index = index.to_vec();
                index.insert(axis, k);
                self.get(&index)
            };
            (1..extent).fold(0, |best, k| if better(at(k), at(best)) { k } else { best }) as i64
        })
    }

    /// By NumPy's rule for `@`, of arrays of two axes at least.
    pub fn matmul(
        &self,
        other: &Direct<T>,
        zero: T,
        add: impl Fn(T, T) -> T,
        mul: impl Fn(T, T) -> T,
    ) -> Direct<T> {
        let (own, others) = (self.shape.len() - 2, other.shape.len() - 2);
        let batch = own.max(others);
        let extent = |shape: &[usize], n: usize, axis: usize| {
            (axis + n).checked_sub(batch).map_or(1, |axis| shape[axis])
        };
        let mut shape: Vec<usize> = (0..batch)
            .map(|axis| match (extent(&self.shape, own, axis), extent(&other.shape, others, axis)) {
                (1, other) => other,
                (own, _) => own,
            })
            .collect();
        let k = self.shape[own + 1];
        shape.extend([self.shape[own], other.shape[others + 1]]);
        let at = |one: &Direct<T>, n: usize, index: &[usize], last: [usize; 2]| {
            let index = index[batch - n..batch].iter().zip(&one.shape);
            let mut index: Vec<usize> =
                index.map(|(&at, &extent)| if extent == 1 { 0 } else { at }).collect();
            index.extend(last);
            one.get(&index)
        };
        Direct::from_fn(&shape, |index| {
            let (row, column) = (index[batch], index[batch + 1]);
            let product = |l| mul(at(self, own, index, [row, l]), at(other, others, index, [l, column]));
            (0..k).map(product).fold(zero, &add)
        })
    }

    pub fn shift(&self, by: &[i64], border: Border<T>) -> Direct<T> {
        Direct::from_fn(&self.shape, |index| {
            let at: Vec<i128> = index.iter().zip(by).map(|(&at, &by)| at as i128 - i128::from(by)).collect();
            self.get_at(&at, border)
        })
    }

    pub fn pad(&self, before: &[usize], after: &[usize], border: Border<T>) -> Direct<T> {
        let shape: Vec<usize> = (0..self.shape.len()).map(|d| before[d] + self.shape[d] + after[d]).collect();
        Direct::from_fn(&shape, |index| {
            let at: Vec<i64> = index.iter().zip(before).map(|(&at, &by)| at as i64 - by as i64).collect();
            self.get_at(&at, border)
        })
    }

    pub fn section(&self, parts: &[(usize, usize, i64)]) -> Direct<T> {
        let shape: Vec<usize> = parts.iter().map(|part| part.1).collect();
        Direct::from_fn(&shape, |index| {
            let at: Vec<usize> = index
                .iter()
                .zip(parts)
                .map(|(&at, part)| (part.0 as i64 + part.2 * at as i64) as usize)
                .collect();
            self.get(&at)
        })
    }

    pub fn transpose(&self, order: &[usize]) -> Direct<T> {
        let shape: Vec<usize> = order.iter().map(|&axis| self.shape[axis]).collect();
        Direct::from_fn(&shape, |index| {
            let mut at = vec![0; order.len()];
            order.iter().zip(index).for_each(|(&axis, &index)| at[axis] = index);
            self.get(&at)
        })
    }

    pub fn reshape(&self, shape: &[usize]) -> Direct<T> {
        assert_eq!(shape.iter().product::<usize>(), self.data.len());
        Direct { shape: shape.to_vec(), data: self.data.clone() }
    }
}

/// A plain generator of pseudo-random numbers.
pub struct Dice(std::cell::Cell<u64>);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(std::cell::Cell::new(seed))
    }

    pub fn next(&self) -> u64 {
        let state = self.0.get().wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0.set(state);
        let mixed = (state ^ state >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ mixed >> 32
    }

    pub fn below(&self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn between(&self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// A shape of a rank, also with extents of 0 and 1.
    pub fn shape(&self, rank: usize) -> Vec<usize> {
        const EXTENTS: [usize; 7] = [0, 1, 1, 2, 3, 4, 5];
        (0..rank).map(|_| EXTENTS[if self.below(6) == 0 { 0 } else { 1 + self.below(6) }]).collect()
    }

    /// A shape with elements.
    pub fn full_shape(&self, rank: usize) -> Vec<usize> {
        (0..rank).map(|_| 1 + self.below(5)).collect()
    }

    pub fn ints(&self, shape: &[usize]) -> Direct<i32> {
        Direct::from_fn(shape, |_| self.between(-9, 9) as i32)
    }

    /// Mostly small ones, and some at the ends of their type.
    pub fn any_ints(&self, shape: &[usize]) -> Direct<i32> {
        const EDGES: [i32; 5] = [i32::MIN, i32::MIN + 1, i32::MAX, 1 << 30, -(1 << 16)];
        Direct::from_fn(shape, |_| match self.below(8) {
            0 => EDGES[self.below(EDGES.len())],
            _ => self.between(-9, 9) as i32,
        })
    }
}

/// The same shape and the same bits.
#[track_caller]
pub fn same<T: Element>(what: &str, array: &Array<T>, direct: &Direct<T>) {
    assert_eq!(**array.shape(), direct.shape[..], "the shape of {what}");
    let found = array.to_vec().unwrap_or_else(|error| panic!("{what}: {error}"));
    let bits = |element: &T| format!("{element:?}");
    let differ = found.iter().map(bits).ne(direct.data.iter().map(bits));
    assert!(!differ, "{what} of shape {:?}: found {found:?}, expected {:?}", direct.shape, direct.data);
}
