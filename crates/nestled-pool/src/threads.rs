//! Number of threads of the global pool.

/// The environment variable that says how many threads the global pool has.
pub const THREADS_VARIABLE: &str = "NESTLED_THREADS";

/// The most threads that a pool has.
pub const MAX_THREADS: usize = 1024;

/// Returns the number of threads that the environment asks for, or else that of the machine. A value that is no number is reported and ignored.
pub(super) fn wanted() -> usize {
    let offered = std::thread::available_parallelism().map_or(1, |count| count.get());
    let Some(text) = std::env::var_os(THREADS_VARIABLE) else { return offered };
    let text = text.to_string_lossy();
    parse(&text).unwrap_or_else(|| {
        eprintln!("{THREADS_VARIABLE}: `{text}` is not a number from 1 to {MAX_THREADS}; using {offered}");
        offered
    })
}

fn parse(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|count| (1..=MAX_THREADS).contains(count))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_from_one_to_the_most() {
        assert_eq!(["1", " 8 ", "1024"].map(parse), [Some(1), Some(8), Some(1024)]);
        assert_eq!(["", "0", "1025", "-1", "two", "1.5"].map(parse), [None; 6]);
    }
}
