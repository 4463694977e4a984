//! Steps with arrays of one shape.

use super::Program;
use crate::direct::Direct;
use nestled_array::*;

impl Program<'_> {
    pub(super) fn dense_step(&mut self) {
        let (a, x) = self.ints[self.dice.below(self.ints.len())].clone();
        let rank = x.shape.len();
        if rank == 0 && self.dice.below(4) > 0 {
            let rank = 1 + self.dice.below(3);
            let shape = self.dice.shape(rank);
            return self.leaf(&shape);
        }
        let axis = self.dice.below(rank.max(1));
        match self.dice.below(12) {
            0 | 1 => self.arithmetic(&a, &x),
            2 | 3 if rank > 0 => self.places(&a, &x),
            4 if rank > 0 => self.reductions(&a, &x, axis),
            5 if rank > 0 => self.closures(&a, &x, axis),
            6 if rank > 0 => self.orders(&a, &x, axis),
            7 => self.choices(&a, &x),
            8 => self.float_step(),
            9 if rank > 1 => self.products(&a, &x),
            10 if rank > 0 => self.parts(a, &x, axis),
            _ => self.arithmetic(&a, &x),
        }
    }

    /// Another array of the same shape, if there is one.
    fn alike(&self, x: &Direct<i32>) -> (Array<i32>, Direct<i32>) {
        let alike: Vec<_> = self.ints.iter().filter(|(_, other)| other.shape == x.shape).collect();
        let (array, direct) = alike[self.dice.below(alike.len())];
        (array.clone(), direct.clone())
    }

    fn arithmetic(&mut self, a: &Array<i32>, x: &Direct<i32>) {
        let (b, y) = self.alike(x);
        let k = self.dice.between(-3, 3) as i32;
        self.ints.push(match self.dice.below(6) {
            0 => (a + &b, x.zip(&y, i32::wrapping_add)),
            1 => (a - &b * k, x.zip(&y, |x, y| x.wrapping_sub(y.wrapping_mul(k)))),
            2 => (a.maximum(&b), x.zip(&y, i32::max)),
            3 => {
                let mut sum = a.clone();
                sum += &b;
                sum %= 7;
                (sum, x.zip(&y, |x, y| x.wrapping_add(y) % 7))
            }
            4 => (a.clamp(-k.abs(), 5), x.map(|x| x.max(-k.abs()).min(5))),
            _ => (a.cast::<u8>().cast(), x.map(|x| i32::from(x as u8))),
        });
    }

    fn places(&mut self, a: &Array<i32>, x: &Direct<i32>) {
        let rank = x.shape.len();
        let full = x.shape.iter().all(|&extent| extent > 0);
        let border = match self.dice.below(3) {
            0 if full => Border::Clamp,
            1 if full => Border::Wrap,
            _ => Border::Default(self.dice.between(-1, 1) as i32),
        };
        let mut by: Vec<i64> = (0..rank).map(|_| self.dice.between(-3, 3)).collect();
        if self.dice.below(5) == 0 {
            by[0] = [i64::MIN, i64::MAX, 1 << 40][self.dice.below(3)];
        }
        let (before, after): (Vec<usize>, Vec<usize>) =
            (0..rank).map(|_| (self.dice.below(2), self.dice.below(3))).unzip();
        let order: Vec<usize> = (0..rank).rev().collect();
        let small = x.data.len() < 400;
        self.ints.push(match self.dice.below(4) {
            0 | 1 => (a.shift(&by, border), x.shift(&by, border)),
            2 if small => (a.pad(&before, &after, border), x.pad(&before, &after, border)),
            _ => (a.t(), x.transpose(&order)),
        });
    }

    fn reductions(&mut self, a: &Array<i32>, x: &Direct<i32>, axis: usize) {
        let wide = x.map(i64::from);
        match self.dice.below(5) {
            0 => self.longs.push((a.sum_axis(axis), wide.fold_axis(axis, 0, i64::wrapping_add))),
            1 => {
                let (sum, expected) = (a.wrapping_sum_axis(axis), x.fold_axis(axis, 0, i32::wrapping_add));
                self.ints.push((sum, expected));
            }
            2 => self.longs.push((a.cumsum(axis), wide.scan_axis(axis, 0, true, true, i64::wrapping_add))),
            3 if x.shape[axis] > 0 => {
                self.longs.push((a.argmax_axis(axis), x.arg_axis(axis, |new, best| new > best)));
            }
            _ => self.ints.push((a.max_axis(axis), x.fold_axis(axis, i32::MIN, i32::max))),
        }
    }

    fn closures(&mut self, a: &Array<i32>, x: &Direct<i32>, axis: usize) {
        let (b, y) = self.alike(x);
        let k = self.dice.between(-2, 4) as i32;
        let captured = Array::scalar(k);
        self.ints.push(match self.dice.below(5) {
            0 => (a.map_with(|a| &a * &captured - 1), x.map(|x| x.wrapping_mul(k).wrapping_sub(1))),
            1 => (
                a.zip_with(&b, |a, b| a.gt(&b).select(&a - &b, b * k)),
                x.zip(&y, |x, y| if x > y { x.wrapping_sub(y) } else { y.wrapping_mul(k) }),
            ),
            2 => (
                a.scan_with(axis, i32::MIN, Inclusion::Inclusive, Direction::Backward, |a, b| a.maximum(b)),
                x.scan_axis(axis, i32::MIN, true, false, i32::max),
            ),
            3 => (
                a.fold_with(axis, k, |sum: Array<i32>, a| sum * 3 + a),
                x.fold_axis(axis, k, |sum, x| sum.wrapping_mul(3).wrapping_add(x)),
            ),
            _ => {
                let (loops, _) = while_with(
                    (a.clone(), b.clone()),
                    |(a, _): &(Array<i32>, Array<i32>)| a.lt(20).and(a.gt(0)),
                    |(a, b)| (&a * 2, b + a),
                );
                let doubled = |mut x: i32| {
                    while x > 0 && x < 20 {
                        x *= 2;
                    }
                    x
                };
                (loops, x.map(doubled))
            }
        });
    }

    fn orders(&mut self, a: &Array<i32>, x: &Direct<i32>, axis: usize) {
        let row = |index: &[usize]| -> Vec<(i32, i64)> {
            let of = |at: usize| {
                let mut index = index.to_vec();
                index[axis] = at;
                (x.get(&index), at as i64)
            };
            let mut row: Vec<_> = (0..x.shape[axis]).map(of).collect();
            row.sort();
            row
        };
        let sorted = Direct::from_fn(&x.shape, |index| row(index)[index[axis]].0);
        let order = a.argsort(axis);
        let taken =
            if self.dice.below(2) == 0 { a.sort(axis) } else { a.take_along(axis, &order, Outside::Fault) };
        self.ints.push((taken, sorted));
        self.longs.push((order, Direct::from_fn(&x.shape, |index| row(index)[index[axis]].1)));
    }

    fn choices(&mut self, a: &Array<i32>, x: &Direct<i32>) {
        let (b, y) = self.alike(x);
        let (mask, holds) = (a.lt(&b), x.zip(&y, |x, y| x < y));
        match self.dice.below(3) {
            0 => self.ints.push((mask.select(a, 4), holds.zip(x, |holds, x| if holds { x } else { 4 }))),
            1 => {
                // How many there are is data: it is computed here and now.
                let kept: Vec<i32> =
                    x.data.iter().zip(&holds.data).filter(|(_, holds)| **holds).map(|(&x, _)| x).collect();
                let expected = Direct { shape: vec![kept.len()], data: kept };
                self.ints.push((a.compress(&mask).unwrap(), expected));
            }
            _ => {}
        }
        self.masks.push((mask, holds));
    }

    fn float_step(&mut self) {
        let (a, x) = self.floats[self.dice.below(self.floats.len())].clone();
        self.floats.push(match self.dice.below(5) {
            0 => (&a * 0.5 - 2.0, x.map(|x| x * 0.5 - 2.0)),
            1 => (-&a, x.map(|x| -x)),
            2 => (&a % 1.25, x.map(|x| x % 1.25)),
            3 => (a.is_finite().select(&a, 1.0), x.map(|x| if x.is_finite() { x } else { 1.0 })),
            _ => (a.map_with(|a| (&a + 1.0).abs()), x.map(|x| (x + 1.0).abs())),
        });
        let rank = x.shape.len();
        if rank > 0 && x.shape[rank - 1] > 0 {
            let better = |new: f64, best: f64| !best.is_nan() && (new.is_nan() || new < best);
            self.longs.push((a.argmin_axis(rank - 1), x.arg_axis(rank - 1, better)));
        }
    }

    fn products(&mut self, a: &Array<i32>, x: &Direct<i32>) {
        let rank = x.shape.len();
        let mut turned: Vec<usize> = (0..rank).collect();
        turned.swap(rank - 2, rank - 1);
        if x.data.len() < 300 {
            let expected = x.matmul(&x.transpose(&turned), 0, i32::wrapping_add, i32::wrapping_mul);
            self.ints.push((a.matmul(&a.transpose(&turned)), expected));
        }
    }

    fn parts(&mut self, a: Array<i32>, x: &Direct<i32>, axis: usize) {
        let extent = x.shape[axis];
        let (one, other) = (self.dice.below(extent + 1), self.dice.below(extent + 1));
        let (start, end) = (one.min(other), one.max(other));
        let inside = |index: &[usize]| (start..end).contains(&index[axis]);
        let k = self.dice.between(-9, 9) as i32;
        self.ints.push(match self.dice.below(3) {
            0 => {
                let parts: Vec<_> = x
                    .shape
                    .iter()
                    .enumerate()
                    .map(|(other, &n)| if other == axis { (start, end - start, 1) } else { (0, n, 1) })
                    .collect();
                (a.slice(axis, start..end), x.section(&parts))
            }
            1 if extent > 0 => {
                let mut shape = x.shape.clone();
                shape.remove(axis);
                let last = Direct::from_fn(&shape, |index| {
                    let mut index = index.to_vec();
                    index.insert(axis, extent - 1);
                    x.get(&index)
                });
                (a.at(axis, -1), last)
            }
            _ => {
                let mut a = a;
                a.set_slice(axis, start..end, k);
                (a, Direct::from_fn(&x.shape, |index| if inside(index) { k } else { x.get(index) }))
            }
        });
    }
}
