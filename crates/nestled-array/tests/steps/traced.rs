//! Programs that are traced: several results, the same one twice, arguments that are results, dropped in any order.

use super::Program;
use crate::direct::Direct;
use nestled_array::*;

impl Program<'_> {
    pub(super) fn traced(&mut self) {
        let (a, x) = self.ints[self.dice.below(self.ints.len())].clone();
        let k = self.dice.between(-3, 3) as i32;
        let captured = Array::scalar(k);
        captured.eval().unwrap();
        let twice = self.dice.below(2) == 0;
        let program = jit(move |x: Array<i32>| {
            let y = &x * 2 + &captured;
            let again = if twice { y.clone() } else { &y - 1 };
            [y.clone(), x.clone(), again, y.ravel().reshape(x.shape())]
        });
        let y = x.map(|x| x.wrapping_mul(2).wrapping_add(k));
        let again = if twice { y.clone() } else { y.map(|y| y.wrapping_sub(1)) };
        let mut results: Vec<(Array<i32>, Direct<i32>)> = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            let made = program.call((&a,)).unwrap();
            results.extend(made.into_iter().zip([y.clone(), x.clone(), again.clone(), y.clone()]));
        }
        // The program may go before its results do.
        let kept = (self.dice.below(2) == 0).then_some(program);
        while !results.is_empty() {
            let one = results.swap_remove(self.dice.below(results.len()));
            if self.dice.below(4) == 0 {
                self.ints.push(one);
            }
        }
        drop(kept);
    }
}
