//! Regions where the better of the paper's two greedy ways is strictly worse than the best plan: `instances/*.txt`.
//!
//! ```text
//! launch 33                        what every launch costs
//! array x 4000 wanted f : g h      bytes, wanted or not, the run that makes it (or none), the runs that read it
//! run f g h                        in program order
//! unfusable f g                    a dependence that separates
//! extra f g 300                    what two runs cost more when together
//! costs 900 800 700                of greedy down, greedy up, and the best plan
//! ```

use crate::problems::{Case, Made};
use nestled_pass::fuse::check::check;
use nestled_pass::fuse::problem::{Array, Edge, Problem, Run, RunId};
use nestled_pass::fuse::solve::{BottomUp, Effort, Search, Solver, TopDown};

use std::path::Path;

/// Reads an instance, and what it says about costs.
fn parse(text: &str) -> (Case, Vec<f64>) {
    let lines = || text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace());
    let words_of =
        |key: &'static str| lines().filter_map(move |mut words| (words.next() == Some(key)).then_some(words));
    let names: Vec<&str> = words_of("run").flatten().collect();
    let run = |name: &str| {
        RunId::from(names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("no run {name}")))
    };
    let number = |word: &str| word.parse::<f64>().unwrap_or_else(|_| panic!("{word} is no number"));
    let launch = number(words_of("launch").flatten().next().expect("a launch"));
    let mut problem = Problem { runs: vec![Run { launch, work: 0.0 }; names.len()], ..Problem::default() };
    for mut words in words_of("array") {
        words.next().expect("a name");
        let bytes = number(words.next().expect("bytes"));
        let words: Vec<&str> = words.collect();
        let colon = words.iter().position(|word| *word == ":").expect("a colon");
        let made: Vec<&str> = words[..colon].iter().copied().filter(|word| *word != "wanted").collect();
        let mut readers: Vec<RunId> = words[colon + 1..].iter().map(|name| run(name)).collect();
        readers.sort_unstable();
        let wanted = words[..colon].contains(&"wanted");
        problem.arrays.push(Array { bytes, producer: made.first().map(|name| run(name)), readers, wanted });
    }
    for words in words_of("unfusable") {
        let ends: Vec<RunId> = words.map(run).collect();
        problem.edges.push(Edge { from: ends[0], to: ends[1], fusable: false });
    }
    let mut case = Case { problem, limits: Made::default() };
    for words in words_of("extra") {
        let words: Vec<&str> = words.collect();
        case.limits.extra.push((run(words[0]), run(words[1]), None, number(words[2])));
    }
    (case, words_of("costs").flatten().map(number).collect())
}

#[test]
fn greedy_is_strictly_worse() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instances");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 10);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy();
        let (case, expected) = parse(&text);
        assert_eq!(case.problem.fault(), None, "{name}");
        let mut costs = Vec::new();
        for solver in [&TopDown as &dyn Solver, &BottomUp, &Search] {
            let solution = solver.solve(&case.problem, &case.limits, Effort::default());
            assert_eq!(check(&case.problem, &case.limits, &solution.plan), Ok(solution.cost), "{name}");
            assert!(solution.optimal || solver.name() != Search.name(), "{name}: not known to be the best");
            costs.push(solution.cost);
        }
        println!("{name}: {costs:?}");
        assert!(costs[2] < costs[0].min(costs[1]), "{name}: {costs:?}");
        if update {
            let kept: String = text
                .lines()
                .filter(|line| !line.starts_with("costs"))
                .flat_map(|line| [line, "\n"])
                .collect();
            std::fs::write(&path, format!("{kept}costs {} {} {}\n", costs[0], costs[1], costs[2])).unwrap();
        } else {
            assert_eq!(costs, expected, "{name}");
        }
    }
}
