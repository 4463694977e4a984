//! The command line of `nestled bench`.

use super::inspect::{math, parse_planner};
use super::{Distrust, NESL, NeslOptions};
use crate::kinds::Kind;
use crate::runner::parse_threads;
use clap::Args;
use nestled_pass::fuse::solve::Planner;
use nestled_rt::device::Math;
use std::path::PathBuf;
use std::time::Duration;

pub(super) const BENCH_HELP: &str = "\
Every statement of a program in NESL that launches kernels is measured, and the function of one in λcu. It runs once (`first`, with what has to be
compiled), then without being measured for a tenth of the time, then until the time is over, at least five times; arguments are on the device before.
`median` comes with the 95 % interval of the median. Measured runs find no files, the clock stands still for them, and nobody sees what they print.

With --compare a statement counts as slower if its median is more than --worse percent above the old one, and the intervals do not overlap; then the exit
status is 1.

Examples:
  nestled bench examples/quicksort.nesl
  nestled bench sort.nesl --n 1e3..1e7                  n = 1000, 10 000, …; the program's own `n = …;` is replaced
  nestled bench sort.nesl --n 1e3..1e7 --svg sort.svg   a chart of time against n
  nestled bench sort.nesl --json before.json            then, after a change:
  nestled bench sort.nesl --compare before.json --worse 5
  nestled bench -e 'sum({x * x : x in [0:1000000]})' --threads 1
  nestled bench dot.lcu @a.npy @b.npy --device cuda";

/// `nestled bench`
#[derive(Args, Debug)]
pub struct Bench {
    /// The program, or `-` for standard input
    #[arg(required_unless_present = "expression")]
    pub file: Option<PathBuf>,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Arguments of the function, as `nestled run` takes them
    #[arg(allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The function that is measured
    #[arg(long = "fn", value_name = "NAME")]
    pub function: Option<String>,
    /// The function's shape parameters, in order
    #[arg(long, value_name = "N,…", allow_hyphen_values = true)]
    pub shape: Option<String>,
    /// Values of `n`, one program for each: a list (1000,20000), or powers of ten (1e3..1e7)
    #[arg(long = "n", value_name = "SIZES", help_heading = NESL, value_parser = parse_sizes)]
    pub sizes: Option<Sizes>,
    /// The seconds that each statement is measured for
    #[arg(long = "time", value_name = "SECONDS", default_value = "1", value_parser = parse_seconds)]
    pub seconds: Duration,
    /// Also write every measurement to a file, for --compare
    #[arg(long = "json", value_name = "FILE", conflicts_with = "sandbox")]
    pub record: Option<PathBuf>,
    /// Also write a chart of the medians: by n, if there are several
    #[arg(long = "svg", value_name = "FILE", conflicts_with = "sandbox", requires = "sizes")]
    pub chart: Option<PathBuf>,
    /// Compare with measurements that --json wrote
    #[arg(long = "compare", value_name = "FILE")]
    pub old: Option<PathBuf>,
    /// With --compare: how many percent slower is a failure
    #[arg(long, value_name = "PERCENT", default_value = "10", requires = "old")]
    pub worse: f64,
    /// Device that runs the kernels, as for `nestled run`
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// The number of threads of the CPU; by default NESTLED_THREADS, or one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<u16>,
    /// `strict`: nothing is contracted to a fused multiply-add, sums of what a filter keeps are grouped as if it were an array, and products of matrices add from left to right; `fast-sums`: with CUDA scans and scatters add in any order
    #[arg(long, value_name = "RULE", default_value = "default", value_parser = math())]
    pub math: Math,
    /// Fusion planner, as for `nestled run`
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// Statements of NESL, instead of a program or after it
    #[arg(short = 'e', value_name = "EXPR", help_heading = NESL, allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// A name, optionally a type, and its value: an expression, or @FILE
    #[arg(long = "arg", value_name = "NAME[:TYPE]=VALUE", help_heading = NESL)]
    pub named: Vec<String>,
    /// Options of programs in NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}

/// The sizes that a program is measured for, rising.
#[derive(Clone, PartialEq, Debug)]
pub struct Sizes(pub Vec<u64>);

/// `1e3..1e6`, or `1000,2e4`
fn parse_sizes(text: &str) -> Result<Sizes, String> {
    let wanted = || "sizes are wanted, such as 1000,20000 or 1e3..1e7".to_owned();
    let sizes = match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (parse_size(from).ok_or_else(wanted)?, parse_size(to).ok_or_else(wanted)?);
            if from == 0 || from > to {
                return Err("a range goes from a size of at least 1 to a larger one".to_owned());
            }
            std::iter::successors(Some(from), |size| size.checked_mul(10))
                .take_while(|size| *size <= to)
                .collect()
        }
        None => text.split(',').map(parse_size).collect::<Option<Vec<u64>>>().ok_or_else(wanted)?,
    };
    Ok(Sizes(sizes))
}

/// `20000`, `2e4`
fn parse_size(text: &str) -> Option<u64> {
    match text.split_once(['e', 'E']) {
        None => text.parse().ok(),
        Some((digits, zeros)) => {
            digits.parse::<u64>().ok()?.checked_mul(10u64.checked_pow(zeros.parse().ok()?)?)
        }
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let wanted = "a number of seconds above 0 is wanted";
    Duration::try_from_secs_f64(seconds.ok_or(wanted)?).map_err(|_| wanted.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let of = |text| parse_sizes(text).map(|sizes| sizes.0);
        assert_eq!(of("1e3..1e5"), Ok(vec![1000, 10_000, 100_000]));
        assert_eq!(of("20..5000"), Ok(vec![20, 200, 2000]));
        assert_eq!(of("7,2e4"), Ok(vec![7, 20_000]));
        for wrong in ["", "0..10", "10..1", "x", "1e40", "1..", "-3", "1.5"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
