//! Number of threads of the global pool.

/// The environment variable that says how many threads the global pool has; an empty one says nothing.
pub const THREADS_VARIABLE: &str = "NESTLED_THREADS";

/// The most threads that a pool has.
pub const MAX_THREADS: usize = 1024;

/// The variable by which engines that run others in their workers (Dask, joblib) say how many threads each has: `4`, or `4,2`, of which the first number counts.
const WORKER_VARIABLE: &str = "OMP_NUM_THREADS";

/// Returns the number of threads that the environment asks for, or else that of the machine. A value of ours that is no number is reported and ignored.
pub(super) fn wanted() -> usize {
    let offered = std::thread::available_parallelism().map_or(1, |count| count.get());
    let value = |name| std::env::var_os(name).filter(|text| !text.is_empty());
    if let Some(text) = value(THREADS_VARIABLE) {
        let text = text.to_string_lossy();
        return parse(&text).unwrap_or_else(|| {
            eprintln!(
                "{THREADS_VARIABLE}: `{text}` is not a number from 1 to {MAX_THREADS}; using {offered}"
            );
            offered
        });
    }
    value(WORKER_VARIABLE).and_then(|text| parse_first(&text.to_string_lossy())).unwrap_or(offered)
}

fn parse_first(text: &str) -> Option<usize> {
    parse(text.split(',').next()?)
}

fn parse(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|count| (1..=MAX_THREADS).contains(count))
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_first};

    #[test]
    fn numbers_from_one_to_the_most() {
        assert_eq!(["1", " 8 ", "1024"].map(parse), [Some(1), Some(8), Some(1024)]);
        assert_eq!(["", "0", "1025", "-1", "two", "1.5"].map(parse), [None; 6]);
        assert_eq!(
            ["3", "4,2", " 2 , 1", "", "0", ",2"].map(parse_first),
            [Some(3), Some(4), Some(2), None, None, None]
        );
    }
}
