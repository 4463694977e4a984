//! Steps with rows of any lengths.

use super::Program;
use crate::direct::Direct;
use nestled_array::*;

impl Program<'_> {
    /// New rows; some of them are empty.
    pub(super) fn row_leaf(&mut self) {
        let row = |_| self.dice.any_ints(&[[0, 1, 2, 5, 20][self.dice.below(5)]]).data;
        let rows: Vec<Vec<i32>> = (0..self.dice.below(5)).map(row).collect();
        self.rows.push((Ragged::from_rows(&rows), rows));
    }

    pub(super) fn row_step(&mut self) {
        let (a, x) = self.rows[self.dice.below(self.rows.len())].clone();
        let k = self.dice.between(-2, 4) as i32;
        let each = |of: &dyn Fn(&[i32]) -> Vec<i32>| x.iter().map(|row| of(row)).collect::<Vec<_>>();
        match self.dice.below(12) {
            0 => self.row_leaf(),
            1 => self.rows.push((
                a.map(|a| a * k + 1),
                each(&|row| row.iter().map(|x| x.wrapping_mul(k).wrapping_add(1)).collect()),
            )),
            2 => {
                let sums = x.iter().map(|row| row.iter().map(|&x| i64::from(x)).sum()).collect::<Vec<i64>>();
                self.longs.push((a.sum(), Direct { shape: vec![x.len()], data: sums }));
            }
            3 => {
                let most =
                    x.iter().map(|row| row.iter().copied().max().unwrap_or(i32::MIN)).collect::<Vec<_>>();
                self.ints.push((a.max(), Direct { shape: vec![x.len()], data: most }));
            }
            4 => {
                let sums = |row: &[i32]| {
                    let mut sum = 0i32;
                    let next = |x: &i32| {
                        let before = sum;
                        sum = sum.wrapping_add(*x);
                        before
                    };
                    row.iter().map(next).collect()
                };
                let scanned = a.scan(Operator::Add, Inclusion::Exclusive, Direction::Forward);
                self.rows.push((scanned, each(&sums)));
            }
            5 => {
                let sorted = |row: &[i32]| {
                    let mut row = row.to_vec();
                    row.sort();
                    row
                };
                self.rows.push((a.sort(), each(&sorted)));
            }
            6 => {
                // How many are left is data: it is computed here and now.
                let kept = a.filter(|a| a.gt(k)).unwrap();
                self.rows.push((kept, each(&|row| row.iter().copied().filter(|&x| x > k).collect())));
            }
            7 => {
                let last = a.reduce_with(i32::MIN, |a, b| a.maximum(b)).unwrap();
                let greatest =
                    x.iter().map(|row| row.iter().copied().max().unwrap_or(i32::MIN)).collect::<Vec<_>>();
                self.ints.push((last, Direct { shape: vec![x.len()], data: greatest }));
            }
            8 => {
                let lengths = x.iter().map(|row| row.len() as i64).collect::<Vec<_>>();
                let expected = Direct { shape: vec![x.len()], data: lengths };
                self.longs.push((a.segments().lengths().clone(), expected));
            }
            9 => {
                let start = self.dice.below(x.len() + 1);
                self.rows.push((a.slice(start..x.len()).unwrap(), x[start..].to_vec()));
            }
            10 => {
                let first = self.dice.below(x.len() + 1);
                let joined = a.in_segments(&[first, x.len() - first]).unwrap().joined();
                self.rows.push((joined, vec![x[..first].concat(), x[first..].concat()]));
            }
            _ => {
                let less = a.map_with_segment(&a.max(), |a, max| max - a);
                let of = |row: &[i32]| {
                    let most = row.iter().copied().max().unwrap_or(0);
                    row.iter().map(|x| most.wrapping_sub(*x)).collect()
                };
                self.rows.push((less, each(&of)));
            }
        }
    }
}
