//! The queries on made-up events beside naive loops over the same, in memory and streamed.

use nestled_events::event::{Event, event, events, write};
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
