//! The integer program of fusion as it is written: every plan of small problems is a solution of the text that costs the same, and what is no plan is none.

use crate::problems::{Case, KINDS, random};
use nestled_pass::fuse::check::check;
use nestled_pass::fuse::plan::FusionPlan;
use nestled_pass::fuse::problem::{Judgement, Limits, RunId};
use nestled_pass::fuse::solve::ilp::{Answer, Cut, Finder, Ilp, Mip, MipFailed, Program};
use nestled_pass::fuse::solve::{Effort, Search, Solver};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

/// A constraint: a sum of factors and variables, a relation, and a number.
type Row = (Vec<(f64, String)>, String, f64);

/// A program that was read from its text.
#[derive(Debug, Default)]
struct Read {
    objective: Vec<(f64, String)>,
    rows: Vec<Row>,
    binaries: Vec<String>,
}

fn read(text: &str) -> Read {
    let lines = text.lines().filter(|line| !line.starts_with('\\'));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let section = |from: &str, to: &str| {
        let (_, rest) = text.split_once(&format!("\n{from}\n")).unwrap_or_else(|| panic!("no {from}"));
        rest.split_once(&format!("\n{to}")).unwrap_or_else(|| panic!("no {to}")).0.to_owned()
    };
    let mut read = Read::default();
    let (objective, _, _) = expression(section("Minimize", "Subject To").split_once(':').unwrap().1);
    read.objective = objective;
    // A row goes up to the name of the next.
    let mut words: Vec<&str> = Vec::new();
    let rows = section("Subject To", "Bounds");
    for word in rows.split_whitespace().chain(["end:"]) {
        if word.ends_with(':') {
            if !words.is_empty() {
                read.rows.push(expression(&words.join(" ")));
            }
            words.clear();
        } else {
            words.push(word);
        }
    }
    read.binaries = section("Binaries", "End").split_whitespace().map(str::to_owned).collect();
    read
}

/// `+ 2 x_1_1 - w_3 <= 4`; an objective has no relation.
fn expression(text: &str) -> (Vec<(f64, String)>, String, f64) {
    let (mut terms, mut sign, mut factor) = (Vec::new(), 1.0, 1.0);
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "+" | "-" => (sign, factor) = (if word == "-" { -1.0 } else { 1.0 }, 1.0),
            "<=" | ">=" | "=" => return (terms, word.to_owned(), words.next().unwrap().parse().unwrap()),
            _ => match word.parse::<f64>() {
                Ok(number) => factor = number,
                Err(_) => terms.push((sign * factor, word.to_owned())),
            },
        }
    }
    (terms, String::new(), 0.0)
}

type Values = HashMap<String, f64>;

impl Read {
    fn value(terms: &[(f64, String)], values: &Values) -> f64 {
        terms
            .iter()
            .map(|(factor, name)| factor * values.get(name).unwrap_or_else(|| panic!("no {name}")))
            .sum()
    }

    fn holds(&self, values: &Values) -> bool {
        self.rows.iter().all(|(terms, relation, right)| {
            let left = Read::value(terms, values);
            match relation.as_str() {
                "<=" => left <= right + 1e-9,
                ">=" => left >= right - 1e-9,
                _ => (left - right).abs() <= 1e-9,
            }
        })
    }

    /// The values of all variables in the text, by what they mean.
    fn values(&self, case: &Case, labels: &[usize]) -> Values {
        let mut names: Vec<&String> = self.binaries.iter().collect();
        names.extend(
            self.objective.iter().chain(self.rows.iter().flat_map(|row| &row.0)).map(|(_, name)| name),
        );
        names.into_iter().map(|name| (name.clone(), meaning(case, labels, name))).collect()
    }
}

fn meaning(case: &Case, labels: &[usize], name: &str) -> f64 {
    let parts: Vec<&str> = name.split('_').collect();
    let at = |part: usize| parts[part].parse::<usize>().unwrap() - 1;
    let first = |run: usize| labels.iter().position(|&label| label == labels[run]).unwrap();
    let cluster = |run: usize| (0..labels.len()).filter(move |&other| labels[other] == labels[run]);
    let says = |is: bool| f64::from(u8::from(is));
    let array = |at: usize| &case.problem.arrays[at];
    let home = |at: usize| array(at).producer.map(|run| first(run.index()));
    let reading = |at: usize| -> Vec<usize> {
        let reading = array(at).readers.iter().map(|run| first(run.index()));
        reading.filter(|&cluster| Some(cluster) != home(at)).collect()
    };
    let is_written = |at: usize| home(at).is_some() && (array(at).wanted || !reading(at).is_empty());
    let moves = |at: usize, cluster: usize| {
        reading(at).contains(&cluster) || is_written(at) && home(at) == Some(cluster)
    };
    match parts[0] {
        "fixed" => 1.0,
        "x" => says(first(at(1)) == at(2)),
        "w" => says(is_written(at(1))),
        "r" => says(reading(at(1)).contains(&at(2))),
        "u" => says(is_written(at(1)) && home(at(1)) == Some(at(2))),
        "t" => says(labels[at(1)] == labels[at(2)]),
        _ if first(at(1)) != at(1) => 0.0,
        "l" => {
            let launch = |run: usize| case.problem.runs[run].launch;
            cluster(at(1)).map(launch).fold(0.0, f64::max) - launch(at(1))
        }
        "h" => {
            let work: f64 = cluster(at(1)).map(|run| case.problem.runs[run].work).sum();
            let moved = (0..case.problem.arrays.len()).filter(|&array| moves(array, at(1)));
            let bytes: f64 = moved.map(|at| array(at).bytes).sum();
            (1.0 - case.problem.overlap) * (work - bytes).max(0.0)
        }
        "e" => match case.limits.judge(&cluster(at(1)).map(RunId::from).collect::<Vec<_>>()) {
            Judgement::Fits { extra } if cluster(at(1)).count() > 1 => extra,
            Judgement::Fits { .. } | Judgement::Unfit | Judgement::Over { .. } => 0.0,
        },
        _ => panic!("what is {name}?"),
    }
}

/// All partitions of so many runs.
fn partitions(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..len {
        let longer = |labels: &Vec<usize>| {
            let most = labels.iter().max().map_or(0, |most| most + 1);
            (0..=most).map(|label| [&labels[..], &[label]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn cost(case: &Case, labels: &[usize]) -> Option<f64> {
    check(&case.problem, &case.limits, &FusionPlan::from_labels(&case.problem, labels)?).ok()
}

/// The program with all cuts that any partition runs into, and those cuts.
fn with_all_cuts(case: &Case, all: &[Vec<usize>]) -> (Program, Vec<Cut>) {
    let (mut finder, mut program) = (Finder::new(&case.problem, &case.limits), Program::new(&case.problem));
    let cuts: Vec<Cut> = all.iter().flat_map(|labels| finder.cuts(labels)).collect();
    cuts.iter().for_each(|cut| program.add(cut));
    (program, cuts)
}

fn text_says_what_plans_cost(case: &Case, words: &str) -> usize {
    let all = partitions(case.problem.runs.len());
    let (program, cuts) = with_all_cuts(case, &all);
    let (first, last) = (read(&Program::new(&case.problem).to_string()), read(&program.to_string()));
    let unfused = cost(case, &(0..case.problem.runs.len()).collect::<Vec<_>>()).expect("no fusion is valid");
    for labels in &all {
        let values = last.values(case, labels);
        let words = format!("{words}, {labels:?}");
        let Some(cost) = cost(case, labels) else {
            assert!(!last.holds(&values), "{words}: not valid, and no constraint says so");
            continue;
        };
        assert!(first.holds(&first.values(case, labels)), "{words}: valid, but not without cuts");
        if !last.holds(&values) {
            assert!(cost >= unfused, "{words}: valid, but not with all cuts");
            continue;
        }
        let said = Read::value(&last.objective, &values);
        assert!((said - cost).abs() <= 1e-9 * cost.max(1.0), "{words}: costs {cost}, the text says {said}");
        // None of what is paid can be less.
        for (_, name) in
            last.objective.iter().filter(|(_, name)| values[name] > 0.0 && !last.binaries.contains(name))
        {
            let less = Values::from_iter([(name.clone(), values[name] * 0.5)]);
            let less: Values = values
                .iter()
                .map(|(name, &value)| (name.clone(), *less.get(name).unwrap_or(&value)))
                .collect();
            assert!(name == "fixed" || !last.holds(&less), "{words}: {name} can be less");
        }
    }
    cuts.len()
}

#[test]
fn the_text_says_what_plans_cost() {
    let mut n_cuts = 0;
    for seed in 0..24 {
        for kind in KINDS {
            let case = random(kind, 1 + seed as usize % 6, seed);
            n_cuts += text_says_what_plans_cost(&case, &format!("{kind:?} {seed}"));
        }
    }
    assert!(n_cuts > 100, "{n_cuts} cuts");
}

/// A solver that tries all plans, as the text says what they cost.
struct Trying<'a> {
    case: &'a Case,
    rounds: Cell<u64>,
}

impl Mip for Trying<'_> {
    fn solve(&self, program: &str, round: u64) -> Result<Answer, MipFailed> {
        assert_eq!(round, self.rounds.replace(round + 1));
        let read = read(program);
        let all = partitions(self.case.problem.runs.len()).into_iter();
        // What the text does not know yet is free.
        let solutions = all.map(|labels| read.values(self.case, &labels)).filter(|values| read.holds(values));
        let best = solutions
            .min_by(|a, b| Read::value(&read.objective, a).total_cmp(&Read::value(&read.objective, b)));
        let values = best.expect("no fusion is a solution");
        Ok(Answer { bound: Read::value(&read.objective, &values), values })
    }
}

#[test]
fn rounds_end_with_the_least_cost() {
    let mut most = BTreeMap::new();
    for seed in 0..12 {
        for kind in KINDS {
            let case = random(kind, 2 + seed as usize % 5, seed);
            let trying = Trying { case: &case, rounds: Cell::new(0) };
            let exact = Ilp::new(&trying).solve(&case.problem, &case.limits, Effort::default());
            let words = format!("{kind:?} {seed}");
            assert_eq!(check(&case.problem, &case.limits, &exact.plan), Ok(exact.cost), "{words}");
            let search = Search.solve(&case.problem, &case.limits, Effort { steps: 10_000_000 });
            assert!(exact.optimal && search.optimal, "{words}: {exact:?}");
            assert!((exact.cost - search.cost).abs() <= 1e-9 * exact.cost, "{words}");
            *most.entry(exact.work.rounds).or_insert(0) += 1;
        }
    }
    assert!(most.len() > 1, "{most:?}");
}

/// A solver that never answers.
struct Silent;

impl Mip for Silent {
    fn solve(&self, _: &str, _: u64) -> Result<Answer, MipFailed> {
        Err(MipFailed)
    }
}

#[test]
fn without_an_answer_the_plan_of_the_search_stays() {
    let case = random(KINDS[0], 9, 1);
    let search = Search.solve(&case.problem, &case.limits, Effort::default());
    let exact = Ilp::new(&Silent).solve(&case.problem, &case.limits, Effort::default());
    assert_eq!((exact.plan, exact.cost, exact.optimal), (search.plan, search.cost, false));
    assert!(exact.bound <= search.bound);
}
