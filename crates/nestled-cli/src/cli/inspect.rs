//! The command lines of what looks at programs: `compare`, `check`, `show`, `explain`, `pass`; and at devices: `calibrate`.

use super::{Distrust, NESL, NeslOptions, Reach, VcodeReading, Widths};
use crate::explain::expected::Expected;
use crate::kinds::Kind;
use crate::runner::parse_threads;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use nestled_devices::DeviceChoice;
use nestled_pass::fuse::solve::Planner;
use nestled_rt::device::Math;
use std::path::PathBuf;

pub(super) const SHOW_HELP: &str = "\
Examples:
  nestled show f.lcu                      the program in canonical layout
  nestled show f.lcu --after simplify     after the default passes up to and with `simplify`
  nestled show f.lcu --kernels            a table of kernels: levels, combinators, sweeps, stages
  nestled show f.lcu --stage plan         how each kernel runs on the CPU, after the default passes (docs/plans.md)
  nestled show f.lcu --stage plan --device cuda   and on a GPU: passes and their strategies
  nestled show f.lcu --stage llvm         what is given to LLVM for each kernel, after the default passes
  nestled show f.lcu --stage asm --kernel k --device-width 256
  nestled show f.nesl --stage vcode       the program in VCODE (docs/vcode.md); fcode: with superoperators
  nestled show data run.parquet           the columns of a table, their types and sizes, and the first rows";

pub(super) const EXPLAIN_HELP: &str = "\
Runs of kernels in one stretch of host code, without calls, branches or commands, can become one kernel; then what flows between
them need not go through memory. Which ones do is decided by what the whole costs: bytes moved, launches, work done twice.

Examples:
  nestled explain f.lcu                      kernels, what they keep to themselves, and why there are not fewer
  nestled explain f.lcu --draw plan.svg      a drawing, made by Graphviz
  nestled explain f.lcu --dot | dot -Tpng    the same by hand
  nestled explain f.lcu --json               for programs
  nestled explain f.lcu --limit sweeps=1     as if the device took kernels of one sweep only
  nestled explain f.lcu --fuse ilp           is there a better plan? Solved exactly, by HiGHS or cbc
  nestled explain f.lcu --lp programs        the integer program of each region, for any solver
  nestled explain --run f.lcu @data.npy      runs with each planner's plan: estimated bytes, measured times
  nestled explain f.nesl --expect kernels=3  for tests: fails, with the kernels, if there are not so many
  nestled explain f.nesl                     one program after another: each expression is one";

pub(super) const PASS_HELP: &str = "\
Examples:
  nestled pass simplify f.lcu
  nestled pass expand-math,simplify f.lcu
  nestled pass split --limit sweeps=1 --limit combinators=8 f.lcu
  nestled pass --list                     the passes there are";

/// `nestled calibrate`
#[derive(Args, Debug)]
pub struct Calibrate {
    /// The device that is measured; by default NESTLED_DEVICE, or the one that programs run on
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceChoice>,
    /// Number of threads of the CPU; by default NESTLED_THREADS, or one for each core. Each number has rates of its own
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<u16>,
    /// Prints the rates instead of remembering them
    #[arg(long)]
    pub print: bool,
}

/// `nestled compare`
#[derive(Args, Debug)]
pub struct Compare {
    /// The programs: .vcode, .ucode or .fcode
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Devices that run the kernels, separated by commas. By default the CPU and all GPUs that are not software
    #[arg(long, value_name = "DEVICE", value_delimiter = ',')]
    pub device: Vec<DeviceChoice>,
    /// Number of runs of each form (as it is, optimised, fused); the median is reported
    #[arg(long, value_name = "N", default_value = "11")]
    pub runs: usize,
    /// How the programs are read
    #[command(flatten)]
    pub vcode: VcodeReading,
    /// The widths of numbers
    #[command(flatten)]
    pub widths: Widths,
    /// What they may reach
    #[command(flatten)]
    pub reach: Reach,
    /// What holds them
    #[command(flatten)]
    pub distrust: Distrust,
    /// Fusion planner of the fused form: `search` (local search for the least estimated cost), `greedy-down` or `greedy-up` (heuristics, for comparison), `ilp` (exact, by an integer program; needs HiGHS or cbc, docs/environment.md), `off` (no fusion, for debugging)
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// The number of threads of the CPU; by default NESTLED_THREADS, or one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<u16>,
    /// Memory limit, in bytes, or with K, M, G, T; by default four fifths of what is free
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// `nestled check`
#[derive(Args, Debug)]
pub struct Check {
    /// The programs, or `-` for standard input
    #[arg(required_unless_present = "expression")]
    pub files: Vec<PathBuf>,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Statements of NESL, to be checked by themselves
    #[arg(short = 'e', value_name = "EXPR", help_heading = NESL, allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// Options of programs in NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// Options of programs in VCODE
    #[command(flatten)]
    pub vcode: VcodeReading,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}

/// `nestled show`
#[derive(Args, Debug)]
pub struct Show {
    /// The program, or `-` for standard input; or the word `data`, and a file of data
    #[arg(required_unless_present = "expression")]
    pub file: Option<PathBuf>,
    /// After `data`: a table (.parquet, .arrow, .feather, .csv, .jsonl), of which columns, types, sizes and the first rows are shown
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// After `data`: how many rows are shown
    #[arg(long, value_name = "N", default_value = "10", requires = "data")]
    pub rows: usize,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Statements of NESL, instead of a program or after it
    #[arg(short = 'e', value_name = "EXPR", help_heading = NESL, allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// Run the default passes up to and with this one
    #[arg(long, value_name = "PASS")]
    pub after: Option<String>,
    /// A table of the kernels instead of the text
    #[arg(long)]
    pub kernels: bool,
    /// How far the program is followed: of NESL from its text on, of others what devices make of the kernels after the passes
    #[arg(long, value_enum, conflicts_with = "kernels")]
    pub stage: Option<Stage>,
    /// Only this kernel
    #[arg(long, value_name = "NAME", requires = "stage")]
    pub kernel: Option<String>,
    /// Whose plan `--stage plan` shows: `cpu` (the default), `cuda` or `wgpu`; none needs to be there
    #[arg(long, value_name = "DEVICE", requires = "stage")]
    pub device: Option<DeviceChoice>,
    /// For vectors of at most so many bits: 512, 256 or 128; by default as wide as the processor's
    #[arg(long, value_name = "BITS", requires = "stage", value_parser = parse_width)]
    pub device_width: Option<u32>,
    /// `strict`: nothing is contracted to a fused multiply-add, sums of what a filter keeps are grouped as if it were an array, and products of matrices add from left to right; `fast-sums`: with CUDA scans and scatters add in any order
    #[arg(long, value_name = "RULE", default_value = "default", value_parser = math())]
    pub math: Math,
    /// Fusion planner: `search` (local search for the least estimated cost), `greedy-down` or `greedy-up` (heuristics, for comparison), `ilp` (exact, by an integer program; needs HiGHS or cbc, docs/environment.md), `off` (no fusion, for debugging)
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// Options of programs in NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// Options of programs in VCODE
    #[command(flatten)]
    pub vcode: VcodeReading,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}

/// Stages of lowering, from the program's text to a device's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// NESL: the syntax tree, as text again
    Ast,
    /// NESL: what each statement defines or gives, with its type
    Typed,
    /// NESL: the typed, monomorphic core of each expression, before flattening
    Core,
    /// NESL: the program of the stack machine, as compilers of NESL wrote it; `nestled run` runs that too
    Vcode,
    /// NESL: the same with superoperators for chains of elementwise instructions, listed at its end
    Fcode,
    /// NESL: the λcu program of each expression, also called `lcu`
    #[value(alias = "lcu")]
    Flat,
    /// NESL: the λcu program after all passes (not only fusion)
    Fused,
    /// How the CPU runs each kernel: loop nests, schedules, access paths
    Plan,
    /// The text that is given to LLVM
    Llvm,
    /// Machine code of this processor, as assembly language; needs LLVM
    Asm,
    /// The text that is given to WebGPU
    Wgsl,
    /// The text that is given to NVRTC
    Cuda,
}

pub(super) fn parse_width(text: &str) -> Result<u32, String> {
    let width = text.parse().ok().filter(|width| [128, 256, 512].contains(width));
    width.ok_or_else(|| "128, 256 or 512 is wanted".to_owned())
}

/// `sweeps=1`
pub(super) fn parse_limit(text: &str) -> Result<(String, u64), String> {
    let parts = text.split_once('=').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    let (name, number) = parts.ok_or("NAME=N is wanted, such as sweeps=1")?;
    nestled_pass::Limits::default().set(name, number).map_err(|unknown| unknown.to_string())?;
    Ok((name.to_owned(), number))
}

/// The rules for floats.
pub(super) fn math() -> impl TypedValueParser<Value = Math> {
    PossibleValuesParser::new(Math::NAMES).map(|name| Math::named(&name).unwrap_or_default())
}

/// `greedy-down`
pub(super) fn parse_planner(text: &str) -> Result<Planner, String> {
    let names = Planner::ALL.map(Planner::name);
    Planner::from_name(text).ok_or_else(|| format!("one of {} is wanted", names.join(", ")))
}

/// `nestled pass`
#[derive(Args, Debug)]
pub struct PassCommand {
    /// The passes, in order, separated by commas
    #[arg(required_unless_present = "list")]
    pub passes: Option<String>,
    /// The program, or `-` for standard input
    #[arg(required_unless_present = "list")]
    pub file: Option<PathBuf>,
    /// List the passes there are
    #[arg(long)]
    pub list: bool,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Lower a limit of the device: sweeps, stages, combinators, arguments (parameters and results), values (live between combinators), private (bytes of the private arrays of a lane); docs/lcu.md, section 7
    #[arg(long = "limit", value_name = "NAME=N", value_parser = parse_limit)]
    pub limits: Vec<(String, u64)>,
    /// `strict`: nothing is contracted to a fused multiply-add, sums of what a filter keeps are grouped as if it were an array, and products of matrices add from left to right; `fast-sums`: with CUDA scans and scatters add in any order
    #[arg(long, value_name = "RULE", default_value = "default", value_parser = math())]
    pub math: Math,
    /// Fusion planner: `search` (local search for the least estimated cost), `greedy-down` or `greedy-up` (heuristics, for comparison), `ilp` (exact, by an integer program; needs HiGHS or cbc, docs/environment.md), `off` (no fusion, for debugging)
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// Options of programs in VCODE
    #[command(flatten)]
    pub vcode: VcodeReading,
    /// The widths of numbers
    #[command(flatten)]
    pub widths: Widths,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}

/// `nestled explain`
#[derive(Args, Debug)]
pub struct Explain {
    /// The program, or `-` for standard input
    #[arg(required_unless_present = "expression")]
    pub file: Option<PathBuf>,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Statements of NESL, instead of a program or after it
    #[arg(short = 'e', value_name = "EXPR", help_heading = NESL, allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// Only what this function does
    #[arg(long = "fn", value_name = "NAME")]
    pub function: Option<String>,
    /// The graph, for Graphviz
    #[arg(long, conflicts_with_all = ["json", "draw"])]
    pub dot: bool,
    /// Everything, for programs
    #[arg(long, conflicts_with = "draw")]
    pub json: bool,
    /// Have Graphviz draw the graph: .svg, .png or .pdf
    #[arg(long, value_name = "FILE", conflicts_with = "sandbox")]
    pub draw: Option<PathBuf>,
    /// Write the integer program of each region to a file of this folder, in LP format; with `--fuse ilp` as it was solved last
    #[arg(long, value_name = "FOLDER", conflicts_with = "sandbox")]
    pub lp: Option<PathBuf>,
    /// Run the program with the plan of each planner, compare the results, and say what was estimated and measured for each kernel
    #[arg(long, conflicts_with_all = ["dot", "json", "draw", "expect", "limits", "fuse", "device_width"])]
    pub run: bool,
    /// With --run: arguments as `nestled run` takes them
    #[arg(allow_negative_numbers = true, requires = "run")]
    pub args: Vec<String>,
    /// With --run: a name, optionally a type, and its value: an expression, or @FILE
    #[arg(long = "arg", value_name = "NAME[:TYPE]=VALUE", help_heading = NESL, requires = "run")]
    pub named: Vec<String>,
    /// With --run: the function's shape parameters, in order
    #[arg(long, value_name = "N,…", allow_hyphen_values = true, requires = "run")]
    pub shape: Option<String>,
    /// With --run: the device that runs the kernels, as for `nestled run`
    #[arg(long, value_name = "DEVICE", requires = "run")]
    pub device: Option<String>,
    /// For tests: instead of explaining, fail with the launches if there are not so many kernels, or places that launch one
    #[arg(long, value_name = "kernels=N|launches=N", value_parser = Expected::parse, conflicts_with_all = ["dot", "json", "draw"])]
    pub expect: Vec<Expected>,
    /// Lower a limit of the device: sweeps, stages, combinators, arguments (parameters and results), values (live between combinators), private (bytes of the private arrays of a lane); docs/lcu.md, section 7
    #[arg(long = "limit", value_name = "NAME=N", value_parser = parse_limit)]
    pub limits: Vec<(String, u64)>,
    /// `strict`: nothing is contracted to a fused multiply-add, sums of what a filter keeps are grouped as if it were an array, and products of matrices add from left to right; `fast-sums`: with CUDA scans and scatters add in any order
    #[arg(long, value_name = "RULE", default_value = "default", value_parser = math())]
    pub math: Math,
    /// The widest vectors of the CPU's schedules: 128, 256 or 512 bits; at most what the processor has
    #[arg(long, value_name = "BITS", value_parser = parse_width)]
    pub device_width: Option<u32>,
    /// Fusion planner: `search` (local search for the least estimated cost), `greedy-down` or `greedy-up` (heuristics, for comparison), `ilp` (exact, by an integer program; needs HiGHS or cbc, docs/environment.md), `off` (no fusion, for debugging)
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// Options of programs in VCODE
    #[command(flatten)]
    pub vcode: VcodeReading,
    /// Options of programs in NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}
