//! Command-line options.

use crate::bench::Size;
use clap::Parser;
use nestled_devices::DeviceChoice;
use std::path::PathBuf;

/// Measures Nestled against hand-written C, in one process and in turns.
///
/// Each benchmark runs a λcu program of `benches/` through parser, verifier, the pass `expand-math` and the executor on a device,
/// and C that does the same, compiled now with `cc -O3 -march=native`. Both results are checked against a plain reference before
/// anything is timed. Inputs stay on the device, results stay there too, and memory for results is there beforehand, on both sides.
///
/// The machine may be busy with other things; so believe the ratio and nothing else. It is the median over all pairs of (our time /
/// time of C), both taken one right after the other.
#[derive(Parser, Clone, Debug)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
#[command(after_help = "\
Examples:
  cargo xtask bench --list                  what there is
  cargo xtask bench                         everything, small
  cargo xtask bench sum life --size large   two of them, large
  cargo xtask bench --check                 only whether results are right, at tiny sizes
  cargo xtask bench --sweep sum chain       time from 10³ to 10⁸ elements
  cargo xtask bench --nesl                  programs in NESL, and tables of work over sizes
  cargo xtask bench --plans                 what our plans of fusion are worth against greedy ones, and which are slower than none
  cargo xtask bench --model                 predicted and measured times of launches
  cargo xtask bench --plans --random 1000   and random pipelines whose plan is slower than another

Columns:
  ours, C     time of one run: the fastest of five batches, then the median over the pairs
  kernels     the part of ours that kernels took on a GPU, where that can tell: in runs of their own, because taking it
              costs the host time; kernels that run at the same time count one by one
  ratio       median of ours / C over the pairs, and the middle half of the pairs in brackets; below 1 we are faster
  rate        what we reach: bytes that have to move at least, or floating-point operations, per second
  of kernels  the same by the time of the kernels
  limit       what the machine reaches with as much memory, measured in the same turns: reading, copying, or adding two
              arrays into a third, with plain or non-temporal stores, whichever is faster; or fused multiply-adds
  share       the part of the limit that we reach, and that C reaches")]
pub struct Options {
    /// Which benchmarks; all if none is named.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Lists the benchmarks with their sizes.
    #[arg(long)]
    pub list: bool,
    /// How large the inputs are: `small` if nothing is said, `tiny` for `--check`.
    #[arg(long, value_enum)]
    pub size: Option<Size>,
    /// Pairs of runs, ours and C.
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,
    /// Threads on both sides.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: u32,
    /// Lets threads wander: otherwise, on Linux, each has a processor of its own, on both sides.
    #[arg(long)]
    pub no_pin: bool,
    /// The device that runs our side.
    #[arg(long, default_value_t = DeviceChoice::default())]
    pub device: DeviceChoice,
    /// Runs all passes between a front end and a device, not only `expand-math`.
    #[arg(long)]
    pub all_passes: bool,
    /// Takes the programs of `benches/unfused/`, written with an operation or so to a kernel, and runs all passes.
    #[arg(long)]
    pub unfused: bool,
    /// Compares the programs of `benches/unfused/` after all passes with those that were fused by hand.
    #[arg(long, conflicts_with_all = ["unfused", "sweep", "check", "list"])]
    pub by_hand: bool,
    /// Compares plans of fusion instead: real programs of `benches/plans/`, each with our plan, the two greedy ones, and without fusion. Then lists the
    /// benchmarks, and the statements of the examples in NESL, whose plan is slower than another by more than 5 %; slower than no fusion is an error.
    #[arg(long, conflicts_with_all = ["unfused", "sweep"])]
    pub plans: bool,
    /// With `--plans`: also looks for plans that lose in so many random pipelines of 5 to 60 kernels, over a million elements.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "plans")]
    pub random: u64,
    /// The first of these pipelines.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random")]
    pub seed: u64,
    /// Predicts and measures the time of each launch of the benchmarks, the plans, examples in NESL and random pipelines, and says how well they agree.
    #[arg(long, conflicts_with_all = ["unfused", "sweep", "plans"])]
    pub model: bool,
    /// With `--model`: rates that `nestled calibrate` wrote.
    #[arg(long, value_name = "FILE", requires = "model")]
    pub rates: Option<PathBuf>,
    /// Times programs in NESL instead, each with our plan, a greedy one and without fusion; and tables that show that flat programs do no more
    /// work than nested ones.
    #[arg(long, conflicts_with_all = ["unfused", "sweep", "plans"])]
    pub nesl: bool,
    /// A folder with the experts' C (`accel.c`, `nested.c` in it or in `c/`); without it only our own C is compared with.
    #[arg(long, value_name = "DIR", default_value = "../shared/peers")]
    pub peers: PathBuf,
    /// A BLAS with its interface for C, to compare the product of matrices with; it has threads of its own.
    #[arg(long, value_name = "FILE")]
    pub blas: Option<PathBuf>,
    /// Also writes the measurements to a file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Times sizes from 10³ to 10⁸ elements.
    #[arg(long, conflicts_with_all = ["check", "size"])]
    pub sweep: bool,
    /// The most elements of a sweep.
    #[arg(long, value_name = "N", default_value_t = 100_000_000, requires = "sweep")]
    pub sweep_to: usize,
    /// With `--sweep`: also draws the times, ours and dashed those of C.
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub svg: Option<PathBuf>,
    /// Only compares results with the reference, at tiny sizes unless `--size` says otherwise.
    #[arg(long)]
    pub check: bool,
}
