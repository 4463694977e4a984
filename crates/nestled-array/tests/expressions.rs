//! Random expressions: joined kernels, one kernel for each node, and the direct way give the same.

use crate::direct;
use crate::direct::{Dice, Direct};
use nestled_array::*;
use nestled_test::again;

type Pair = (Array<i32>, Direct<i32>);

/// One more expression over those that there are.
fn grow(dice: &Dice, pool: &[Pair]) -> Pair {
    let (a, x) = pool[dice.below(pool.len())].clone();
    let (b, y) = pool[dice.below(pool.len())].clone();
    let rank = x.shape.len();
    let alike = x.shape == y.shape;
    let border = match dice.below(4) {
        0 => Border::Clamp,
        1 => Border::Wrap,
        2 if x.shape.iter().all(|&extent| extent > 1) => Border::Reflect,
        _ => Border::Default(dice.between(-1, 1) as i32),
    };
    let mut by: Vec<i64> = (0..rank).map(|_| dice.between(-2, 2)).collect();
    if border == Border::Reflect {
        by = x.reflectable(&by);
    }
    let axis = if rank == 0 { 0 } else { dice.below(rank) };
    let full = x.shape.iter().all(|&extent| extent > 0);
    match dice.below(14) {
        0 if alike => (&a + &b, x.zip(&y, i32::wrapping_add)),
        1 if alike => (&a - &b, x.zip(&y, i32::wrapping_sub)),
        2 if alike => (a.maximum(&b), x.zip(&y, i32::max)),
        3 if alike => {
            (a.lt(&b).select(&a, &b * 2), x.zip(&y, |x, y| if x < y { x } else { y.wrapping_mul(2) }))
        }
        4 => (&a * 3 - 1, x.map(|x| x.wrapping_mul(3).wrapping_sub(1))),
        5 | 6 if full => (a.shift(&by, border), x.shift(&by, border)),
        7 if rank == 2 => (a.t(), x.transpose(&[1, 0])),
        8 if rank > 0 && full => {
            let parts: Vec<_> = (0..rank)
                .map(|d| if d == axis { (x.shape[d] - 1, x.shape[d], -1) } else { (0, x.shape[d], 1) })
                .collect();
            (a.reverse(&[axis]), x.section(&parts))
        }
        9 if rank > 0 => {
            let sum = x.fold_axis(axis, 0, i32::wrapping_add);
            let mut shape = x.shape.clone();
            shape[axis] = 1;
            let wide = x.zip(&sum.reshape(&shape), i32::wrapping_sub);
            (&a - a.wrapping_sum_axis(axis).add_dim(axis), wide)
        }
        10 if rank > 0 => (a.wrapping_cumsum(axis), x.scan_axis(axis, 0, true, true, i32::wrapping_add)),
        11 if rank == 2 && full && x.shape[0] > 1 => {
            (a.slice(0, 1..x.shape[0]), x.section(&[(1, x.shape[0] - 1, 1), (0, x.shape[1], 1)]))
        }
        12 if rank == 2 && full => (a.pad(&[1, 0], &[0, 1], border), x.pad(&[1, 0], &[0, 1], border)),
        13 if rank == 2 => (a.reshape(&[x.shape[1], x.shape[0]]), x.reshape(&[x.shape[1], x.shape[0]])),
        _ => (-&a, x.map(i32::wrapping_neg)),
    }
}

fn expressions(seed: u64) -> Vec<Pair> {
    let dice = Dice::new(seed);
    let shape = [1 + dice.below(6), 1 + dice.below(6)];
    let mut pool: Vec<Pair> = (0..2)
        .map(|_| {
            let x = dice.ints(&shape);
            (x.array(), x)
        })
        .collect();
    for _ in 0..14 {
        pool.push(grow(&dice, &pool));
    }
    pool
}

fn check(engine: &Engine, first: u64, count: u64) {
    for seed in first..first + again::some_of(count) {
        engine.run(|| {
            let pool = expressions(seed);
            let last = &pool[pool.len() - 1];
            // The last alone, then all together.
            direct::same(&format!("the last of seed {seed}"), &last.0, &last.1);
            let all: Vec<&dyn Evaluate> = pool.iter().map(|(array, _)| array as &dyn Evaluate).collect();
            engine.eval(&all).unwrap();
            pool.iter()
                .enumerate()
                .for_each(|(at, (array, x))| direct::same(&format!("{at} of seed {seed}"), array, x));
        });
    }
}

#[test]
fn joined() {
    check(&Engine::new(EngineConfig { compile_first: Some(true), ..EngineConfig::default() }), 0, 25);
}

#[test]
fn interpreted_first() {
    check(&Engine::new(EngineConfig { compile_first: Some(false), ..EngineConfig::default() }), 70, 50);
}

#[test]
fn one_kernel_for_each() {
    check(
        &Engine::new(EngineConfig { fuse: false, compile_first: Some(true), ..EngineConfig::default() }),
        25,
        10,
    );
}

#[test]
fn in_small_parts() {
    check(&Engine::new(EngineConfig { part: 3, ..EngineConfig::default() }), 35, 10);
}

#[test]
fn by_the_interpreter() {
    check(&Engine::new(EngineConfig::on(DeviceChoice::Reference)), 45, 25);
}

/// The composition table: every pair of borders, small displacements in all directions.
#[test]
fn compositions() {
    let n = 5;
    let x = Direct::from_fn(&[n], |at| at[0] as i32 + 1);
    let a = x.array();
    let mut list = Vec::new();
    for inner in [Border::Wrap, Border::Clamp, Border::Default(90), Border::Reflect] {
        for outer in [Border::Wrap, Border::Clamp, Border::Default(90), Border::Default(91), Border::Reflect]
        {
            for s in [-4, -2, -1, 0, 1, 3] {
                for t in [-3, -1, 0, 1, 2, 4] {
                    // All residues modulo 3 of the sum occur with each pair of borders.
                    if again::is_sample() && (s + t) % 3 != 0 {
                        continue;
                    }
                    let found = a.shift(&[s], inner).shift(&[t], outer);
                    let expected = x.shift(&[s], inner).shift(&[t], outer);
                    list.push((format!("{inner:?} {s}, then {outer:?} {t}"), found, expected));
                }
            }
        }
    }
    for chunk in list.chunks(72) {
        let all: Vec<&dyn Evaluate> = chunk.iter().map(|(_, array, _)| array as &dyn Evaluate).collect();
        Engine::current().eval(&all).unwrap();
        chunk.iter().for_each(|(what, array, expected)| direct::same(what, array, expected));
    }
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
