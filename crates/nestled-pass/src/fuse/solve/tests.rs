//! Every solver on small problems, against each other and the checker.

use super::*;
use crate::fuse::check::check;
use crate::fuse::problem::{Array, Edge, Run, RunId, Unlimited};

/// `ys` is made by the first run and read by two others, which share `xs` with it.
fn fork() -> Problem {
    let (a, b, c) = (RunId(0), RunId(1), RunId(2));
    let array = |producer, readers: &[RunId], wanted| Array {
        bytes: 100.0,
        producer,
        readers: readers.to_vec(),
        wanted,
    };
    Problem {
        runs: vec![Run { launch: 10.0, work: 0.0 }; 3],
        arrays: vec![
            array(None, &[a, b], false),
            array(Some(a), &[b, c], false),
            array(Some(b), &[], true),
            array(Some(c), &[], true),
        ],
        edges: vec![Edge { from: a, to: c, fusable: false }],
        apart: Vec::new(),
        overlap: 0.0,
    }
}

#[test]
fn a_run_behind_an_unfusable_edge_stays_alone() {
    let problem = fork();
    assert_eq!(problem.fault(), None);
    let solution = BestFirst.solve(&problem, &Unlimited, Effort::default());
    assert_eq!(solution.plan.clusters, [vec![RunId(0), RunId(1)], vec![RunId(2)]]);
    assert_eq!(solution.cost, 10.0 + 100.0 + 100.0 + 100.0 + 10.0 + 100.0 + 100.0);
    assert_eq!(check(&problem, &Unlimited, &solution.plan), Ok(solution.cost));
}
