//! The solvers of fusion problems, against each other, against the checker, and against all plans there are.

use crate::problems;
use crate::problems::{Case, KINDS, random};
use nestled_pass::fuse::check::check;
use nestled_pass::fuse::plan::FusionPlan;
use nestled_pass::fuse::solve::{BestFirst, BottomUp, Effort, Search, Solver, TopDown};

const SOLVERS: [&dyn Solver; 4] = [&TopDown, &BottomUp, &BestFirst, &Search];

/// The least cost of all valid plans.
fn brute_force(case: &Case) -> f64 {
    fn next(labels: &mut [usize]) -> bool {
        for at in (1..labels.len()).rev() {
            if labels[at] <= *labels[..at].iter().max().expect("not the first") {
                labels[at] += 1;
                labels[at + 1..].fill(0);
                return true;
            }
        }
        false
    }
    let mut labels = vec![0; case.problem.runs.len()];
    let mut least = f64::INFINITY;
    loop {
        if let Some(plan) = FusionPlan::from_labels(&case.problem, &labels) {
            least = check(&case.problem, &case.limits, &plan).unwrap_or(f64::INFINITY).min(least);
        }
        if !next(&mut labels) {
            return least;
        }
    }
}

/// Every solver's plan is valid and costs what the solver says, which is never below the least, nor is the bound above it.
fn all_solvers(case: &Case, least: Option<f64>, effort: Effort, words: &str) {
    assert_eq!(case.problem.fault(), None, "{words}");
    let mut cheapest = f64::INFINITY;
    for solver in SOLVERS {
        let solution = solver.solve(&case.problem, &case.limits, effort);
        let again = solver.solve(&case.problem, &case.limits, effort);
        assert_eq!(solution, again, "{words}: the same problem gives the same plan");
        let name = solver.name();
        let cost = check(&case.problem, &case.limits, &solution.plan);
        let cost = cost.unwrap_or_else(|why| panic!("{words}, {name}: {why}\n{case:#?}"));
        assert!(
            (cost - solution.cost).abs() <= 1e-9 * cost,
            "{words}, {name}: {cost}, not {}",
            solution.cost
        );
        assert!(solution.bound <= cost + 1e-9 * cost, "{words}, {name}: bound {} of {cost}", solution.bound);
        cheapest = cost.min(cheapest);
        assert!(
            solution.bound <= cheapest + 1e-9 * cheapest,
            "{words}, {name}: another solver beats the bound"
        );
        if name == Search.name() && case.problem.runs.len() <= 512 {
            assert!(cost <= cheapest + 1e-9 * cost, "{words}: a greedy plan is better");
        }
        if let Some(least) = least {
            assert!(
                solution.bound <= least + 1e-9 * least,
                "{words}, {name}: bound {} of {least}",
                solution.bound
            );
            if name == Search.name() || solution.optimal {
                assert!(solution.optimal, "{words}: not known to be optimal");
                assert!(cost <= least + 1e-9 * least, "{words}, {name}: {cost}, not {least}\n{case:#?}");
            }
        }
    }
}

#[test]
fn small_problems_have_no_better_plan() {
    let effort = Effort { steps: 10_000_000 };
    for seed in 0..400 {
        for kind in KINDS {
            let case = random(kind, 1 + seed as usize % 7, seed);
            all_solvers(&case, Some(brute_force(&case)), effort, &format!("{kind:?} {seed}"));
        }
    }
    for seed in 0..20 {
        for kind in KINDS {
            let case = random(kind, 8, seed);
            all_solvers(&case, Some(brute_force(&case)), effort, &format!("{kind:?} {seed} of 8"));
        }
    }
}

#[test]
fn large_problems_have_valid_plans() {
    for seed in 0..4 {
        for kind in KINDS {
            for len in [9, 20, 65, 90] {
                let case = random(kind, len, seed);
                all_solvers(&case, None, Effort { steps: 5_000 }, &format!("{kind:?} {seed} of {len}"));
            }
        }
    }
}

#[test]
fn no_effort_at_all_gives_a_plan() {
    for kind in KINDS {
        all_solvers(&random(kind, 70, 0), None, Effort { steps: 0 }, &format!("{kind:?}"));
    }
}

#[test]
fn windows_of_very_large_regions_fit_together() {
    let case = random(problems::Kind::Mixed, 600, 0);
    all_solvers(&case, None, Effort { steps: 1_000 }, "600 runs");
}
