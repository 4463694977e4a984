//! The queries on made-up events beside naive loops over the same, in memory and streamed.

use nestled_events::event::{Event, event, events, write};
use nestled_events::measure::kernels;
use nestled_events::naive::{histogram, numbers};
use nestled_events::queries::{Counts, QUERIES, Query};

/// The limits of a query's histograms are its own; those of the naive numbers are found by what they count.
const LIMITS: [(&str, &[(f64, f64)]); 9] = [
    ("dimuon", &[(0.0, 150.0)]),
    ("Q1", &[(0.0, 200.0)]),
    ("Q2", &[(15.0, 60.0)]),
    ("Q3", &[(15.0, 60.0)]),
    ("Q4", &[(0.0, 200.0)]),
    ("Q5", &[(0.0, 200.0)]),
    ("Q6", &[(15.0, 40.0), (0.0, 1.0)]),
    ("Q7", &[(15.0, 200.0)]),
    ("Q8", &[(0.0, 250.0)]),
];

const COUNT: u64 = 4000;

fn naive(query: &Query) -> Counts {
    let all: Vec<Event> = (0..COUNT).map(event).collect();
    let (_, limits) = LIMITS.iter().find(|(name, _)| *name == query.name).expect("its limits are known");
    let numbers = numbers(query.name, &all);
    numbers.iter().zip(*limits).map(|(numbers, &(low, high))| histogram(numbers, 100, low, high)).collect()
}

/// Elementary functions differ in last bits, so that a number at the edge of a bin may be in the next.
fn agree(query: &Query, made: &Counts) {
    let expected = naive(query);
    assert_eq!(made.len(), expected.len(), "{}", query.name);
    for (made, expected) in made.iter().zip(&expected) {
        let moved: i64 = made.iter().zip(expected).map(|(one, other)| (one - other).abs()).sum();
        assert!(moved <= 6, "{}: {made:?}, but naively {expected:?}", query.name);
        assert!(expected.iter().sum::<i64>() > 20, "{} selects next to nothing", query.name);
    }
}

/// The number of kernels of each query, what is computed at once included, and what they are for.
const KERNELS: [(&str, u64); 9] = [
    // Selection, formula and histogram are one, with the prefix sum of the lengths.
    ("dimuon", 1),
    ("Q1", 1),
    ("Q2", 1),
    ("Q3", 1),
    // The counts of each list, too.
    ("Q4", 1),
    // How many pairs; where the lists of muons begin, those of pairs, and whose each pair is; the masses in full vectors; `any`, and the histogram.
    ("Q5", 5),
    // As Q5, for three; the momenta of jets; the least of each list, its place, and both histograms.
    ("Q6", 6),
    // Muons and electrons are brought together, field by field; pairs, their distances, `any`, the sum with the histogram.
    ("Q7", 11),
    // As Q7, for five fields; the events with three leptons, of each field; then pairs and the nearest of each list, as Q6, and the greatest of the others.
    ("Q8", 22),
];

#[test]
fn kernels_are_few() {
    let events = events(0..COUNT);
    let made = QUERIES.each_ref().map(|query| (query.name, kernels(query, &events).unwrap()));
    assert_eq!(made, KERNELS);
}

#[test]
fn queries_in_memory_are_those_of_naive_loops() {
    let events = events(0..COUNT);
    for query in &QUERIES {
        agree(query, &query.counts(&events).unwrap());
    }
}

#[test]
fn queries_by_row_groups_are_those_of_naive_loops() {
    let path = std::env::temp_dir().join(format!("nestled-events-{}.parquet", std::process::id()));
    write(&path, COUNT, 1300).unwrap();
    for query in &QUERIES {
        agree(query, &query.streamed(nestled::tables::scan(&path).unwrap()).unwrap());
    }
    std::fs::remove_file(&path).unwrap();
}
