//! The command line, as data.

mod bench;
mod inspect;

use bench::BENCH_HELP;
pub use bench::Bench;
pub use inspect::{Calibrate, Check, Compare, Explain, PassCommand, Show, Stage};
use inspect::{EXPLAIN_HELP, PASS_HELP, SHOW_HELP, math, parse_planner};

use crate::exit_codes::{Failure, USAGE};
use crate::kinds::Kind;
use crate::runner::{Runner, parse_runner, parse_threads};
use clap::{Args, FromArgMatches, Parser, Subcommand};
use nestled_ir::interp::{Gate, WayOut};
use nestled_pass::fuse::solve::Planner;
use nestled_rt::device::Math;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs, checks and shows data-parallel programs.
#[derive(Parser, Debug)]
#[command(
    name = "nestled",
    version,
    about = "Runs, checks and shows data-parallel programs, flat or nested.",
    long_about = "Runs, checks and shows data-parallel programs, flat or nested.\n\n\
        Programs are written in NESL (.nesl): functions over nested sequences; docs/nesl.md describes the language. \
        Or they are λcu text (.lcu): kernels that run over arrays, and host code that runs kernels; docs/lcu.md describes it. \
        Programs in VCODE and FCODE (.vcode, .ucode, .fcode) run as well.",
    after_help = EXAMPLES
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  nestled run -e 'sum({x * x : x in [1:4]})'       a NESL expression
  nestled run examples/mandelbrot.nesl             a NESL program
  nestled repl                                     an interactive NESL session
  nestled run dot.lcu '[1, 2, 3]' '[4, 5, 6]'      call `main` with two arrays
  nestled run rows.lcu '[[1, 2], [], [3]]'         a nested array: three segments
  nestled run blur.lcu @image.npy -o out.npy       read and write NumPy files
  nestled run qsort.fcode                          with the listing of its fused operations (superoperators), qsort.cu
  nestled check dot.lcu                            is the program well-formed?
  nestled show dot.lcu --after simplify            what a pass makes of it
  nestled pass expand-math,simplify f.lcu          run just these passes

Exit status: 0 all well · 1 the program was refused or faulted · 2 usage error · 70 a bug in nestled ·
130 interrupted.
NO_COLOR turns colours off.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program and print its results
    #[command(after_help = RUN_HELP)]
    Run(Run),
    /// Start an interactive NESL session; also runs statements from a pipe
    #[command(after_help = REPL_HELP)]
    Repl(Repl),
    /// Say whether a program is well-formed
    Check(Check),
    /// Show a program, as it is or after passes
    #[command(after_help = SHOW_HELP)]
    Show(Show),
    /// Show which kernel calls were fused into one kernel, which were not, and why
    #[command(after_help = EXPLAIN_HELP)]
    Explain(Explain),
    /// Measure how long the statements of a program take, at several sizes, and compare with an earlier measurement
    #[command(after_help = BENCH_HELP)]
    Bench(Bench),
    /// Run programs in VCODE as they are, optimised, and fused: times, launches, bytes, and whether the results are the same
    Compare(Compare),
    /// List what can run kernels here
    Devices,
    /// Measure how fast a device does each class of work, for the plans of fusion
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(Calibrate),
    /// Run the named passes only, and print the program they make
    #[command(after_help = PASS_HELP)]
    Pass(PassCommand),
}

impl Command {
    /// The kinds of the programs that are named.
    pub fn kinds(&self) -> Vec<Kind> {
        let of = |file: &Option<PathBuf>, expression: &Option<String>, said: Option<Kind>| {
            let alone = expression.as_ref().filter(|_| file.is_none()).map(|_| Kind::Nesl);
            file.iter().map(|file| Kind::of(file, said)).chain(alone).collect()
        };
        match self {
            Command::Run(options) => of(&options.file, &options.expression, options.lang),
            Command::Show(options) => of(&options.file, &options.expression, options.lang),
            Command::Explain(options) => of(&options.file, &options.expression, options.lang),
            Command::Bench(options) => of(&options.file, &options.expression, options.lang),
            Command::Pass(options) => of(&options.file, &None, options.lang),
            Command::Check(options) => {
                let files = options.files.iter().map(|file| Kind::of(file, options.lang));
                files.chain(options.expression.iter().map(|_| Kind::Nesl)).collect()
            }
            Command::Compare(options) => options.files.iter().map(|file| Kind::of(file, None)).collect(),
            Command::Repl(_) | Command::Devices | Command::Calibrate(_) => Vec::new(),
        }
    }

    /// The wall-clock limit of the command.
    pub fn time_limit(&self) -> Option<Duration> {
        match self {
            Command::Run(options) => options.distrust.time_limit,
            Command::Repl(options) => options.distrust.time_limit,
            Command::Check(options) => options.distrust.time_limit,
            Command::Show(options) => options.distrust.time_limit,
            Command::Explain(options) => options.distrust.time_limit,
            Command::Bench(options) => options.distrust.time_limit,
            Command::Compare(options) => options.distrust.time_limit,
            Command::Pass(options) => options.distrust.time_limit,
            Command::Devices | Command::Calibrate(_) => None,
        }
    }
}

const CALIBRATE_HELP: &str = "\
Runs small programs for some seconds, on a machine that does little else, and remembers the rates of the device beside its
compiled kernels. From then on programs are planned with them; without them, with the defaults for the kind of device. The
same rates give the same plans.

Environment:
  NESTLED_RATES   a file of rates that is written, and read for any device, instead; empty: no file";

const REPL_HELP: &str = "\
A statement ends with `;`. `help` lists the commands, `exit` leaves. Results go to standard output, messages to standard error.
At a terminal Ctrl-C cancels what is typed or what runs, and no name is lost; Tab completes names; the arrows bring earlier lines back, which
are kept in nestled/history in XDG_STATE_HOME, by default ~/.local/state.
At a terminal and with --compat, `.nesl` in the home directory is loaded first, if there is one.

Examples:
  nestled repl
  nestled repl --arg x=@data.npy --device auto
  nestled repl --compat < session.nesl";

const RUN_HELP: &str = "\
A program in NESL is run statement by statement, up to the first error; the values of its expressions are printed. An argument
  --arg n=100   --arg 'v=[1, 2]'   --arg x=@data.npy
is an expression or a NumPy file (.npy, .npz; `@data.npz:name` is one array of it); it takes the place of the program's own `n = …;`.
Files of tables (.parquet, .arrow, .feather, .jsonl) are sequences of rows, which are tuples of their columns (docs/files.md):
  --arg events=@run.parquet   --arg events=@run.parquet:met,muons.pt   some columns only
  --arg 'x:[[int]]=@grey.npy'   says of which type it must be; bytes are read as numbers then

Of a program in λcu a function is run, by default `main`, whose results are printed. Its arguments are literals, typed by the function's parameters:
  3   -1.5   true   inf         scalars
  '[1, 2, 3]'   '\"text\"'        arrays; a text is an array of u8
  '[[1, 2], [3, 4]]'            a grid `[n, m]`, or segments `[s]`, as the parameter says
  @data.npy   @data.npz:name    a NumPy file, an array of a NumPy archive
  @notes.txt                    for a parameter `[n]u8`: the bytes of any other file

With -o a nested array is written as its elements, one segment after another; a function that also returns the
segmentation has the lengths written as well.

Shapes are read off the arrays. Those that no array tells are given with --shape, in order: --shape 100,3

--profile and --trace time each kernel where it is launched. Bytes are those of the arrays that a kernel is given and makes,
each counted once. On a device that works on its own while the host goes on, launches take next to nothing, and the time of the
kernels is that of the waits; --profile then also says what all kernels took together, where a GPU can tell. A trace is written
also when the program faults; open it in https://ui.perfetto.dev

Kernels run compiled on all cores. Compiling them takes an LLVM (libLLVM 15 or newer), which is looked for among the system's libraries
and the Rust toolchains; NESTLED_LLVM names another one. Without any the reference interpreter runs the kernels, much more slowly.
Compiled kernels, and programs as passes made them, are kept in the user's cache; NESTLED_CACHE names another directory, and is empty
for none.

Examples:
  nestled run big.lcu @points.npy --memory 4G --threads 2
  nestled run small.lcu '[1, 2, 3]' --device reference    does the interpreter say the same?
  nestled run theirs.nesl --sandbox --memory 1G --time-limit 10s    a program that nobody trusts";

/// `nestled run`
#[derive(Args, Debug)]
pub struct Run {
    /// The program, or `-` for standard input
    #[arg(required_unless_present = "expression")]
    pub file: Option<PathBuf>,
    /// The language of the program; by default its name says so
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub lang: Option<Kind>,
    /// Arguments of the function: literals, or @file
    #[arg(allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The function to run
    #[arg(long = "fn", value_name = "NAME", default_value = "main")]
    pub function: String,
    /// The function's shape parameters, in order, if its arrays do not tell them: extents, or lists of lengths
    #[arg(long, value_name = "N,…", allow_hyphen_values = true)]
    pub shape: Option<String>,
    /// Write the results to NumPy files: FILE, or FILE with .0, .1 … if there are several
    #[arg(short, long, value_name = "FILE.npy")]
    pub output: Option<PathBuf>,
    /// Print arrays whole, however large
    #[arg(long)]
    pub full: bool,
    /// Run the program as it is, without any pass
    #[arg(long)]
    pub no_passes: bool,
    /// `strict`: nothing is contracted to a fused multiply-add, sums of what a filter keeps are grouped as if it were an array, and products of matrices add from left to right; `fast-sums`: with CUDA scans and scatters add in any order
    #[arg(long, value_name = "RULE", default_value = "default", value_parser = math())]
    pub math: Math,
    /// Fusion planner: `search` (local search for the least estimated cost), `greedy-down` or `greedy-up` (heuristics, for comparison), `ilp` (exact, by an integer program; needs HiGHS or cbc, docs/environment.md), `off` (no fusion, for debugging)
    #[arg(long, value_name = "PLANNER", default_value = "search", value_parser = parse_planner)]
    pub fuse: Planner,
    /// Say on standard error what was launched, copied and waited for
    #[arg(long)]
    pub stats: bool,
    /// Say on standard error where the time went, kernel by kernel
    #[arg(long)]
    pub profile: bool,
    /// Write what happened when to a file that ui.perfetto.dev shows
    #[arg(long, value_name = "FILE.json", conflicts_with = "sandbox")]
    pub trace: Option<PathBuf>,
    /// Device that runs the kernels: cpu, cuda or cuda:N, wgpu or wgpu:N (see `nestled devices`), auto, reference (the interpreter that defines the language), or core (NESL only: an interpreter that runs nested code without flattening it); by default NESTLED_DEVICE, or cpu
    #[arg(long, value_name = "DEVICE", value_parser = parse_runner)]
    pub device: Option<Runner>,
    /// The number of threads of the CPU; by default NESTLED_THREADS, or one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<u16>,
    /// Memory limit, for arrays and for the scratch memory of kernels and sorts, in bytes, or with K, M, G, T; by default four fifths of what is free
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Options of programs in NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// The folder of drawings
    #[arg(long, value_name = "DIRECTORY", default_value = ".", help_heading = NESL, conflicts_with = "sandbox")]
    pub drawings: PathBuf,
    /// Statements of NESL, instead of a program or after it
    #[arg(short = 'e', value_name = "EXPR", help_heading = NESL, allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// A name, optionally a type, and its value: an expression, or @FILE
    #[arg(long = "arg", value_name = "NAME[:TYPE]=VALUE", help_heading = NESL, value_parser = parse_named)]
    pub named: Vec<Named>,
    /// Print values as JSON, one to a line
    #[arg(long, help_heading = NESL)]
    pub json: bool,
    /// Options of programs in VCODE
    #[command(flatten)]
    pub vcode: VcodeOptions,
    /// The parts of the machine that it may reach
    #[command(flatten)]
    pub reach: Reach,
    /// Limits of a program that is not trusted
    #[command(flatten)]
    pub distrust: Distrust,
}

impl Run {
    /// The gate: resources outside that the program may reach.
    pub fn gate(&self) -> Gate {
        self.reach.gate(&self.distrust)
    }

    /// The options that `nestled run` would have with these: pairs of a name and its value, then what is run.
    pub fn of(
        options: &[(&str, &str)],
        file: Option<&Path>,
        expression: Option<&str>,
        args: &[String],
    ) -> Result<Run, Failure> {
        let mut words = vec!["nestled".to_owned()];
        words.extend(options.iter().map(|(name, value)| format!("--{name}={value}")));
        words.extend(expression.map(|expression| format!("-e{expression}")));
        words.push("--".to_owned());
        words.extend(file.map(|file| file.to_string_lossy().into_owned()));
        words.extend(args.iter().cloned());
        let matches = Run::augment_args(clap::Command::default()).try_get_matches_from(words);
        let run = matches.and_then(|matches| Run::from_arg_matches(&matches));
        run.map_err(|error| Failure { message: error.to_string(), code: USAGE })
    }
}

const NESL: &str = "NESL options";

/// The dialect of NESL.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = NESL)]
pub struct NeslOptions {
    /// Do as the original implementation does, accidents included; `int` has 32 bits then
    #[arg(long)]
    pub compat: bool,
    /// The widths of numbers
    #[command(flatten)]
    pub widths: Widths,
}

/// What a program may reach while it runs.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = REACH)]
pub struct Reach {
    /// Refuse to read and write files
    #[arg(long)]
    pub no_files: bool,
    /// Refuse to start processes
    #[arg(long)]
    pub no_spawn: bool,
}

impl Reach {
    /// The gate that these options and a sandbox make.
    pub fn gate(&self, distrust: &Distrust) -> Gate {
        let mut gate = distrust.gate();
        if self.no_files {
            gate = gate.refuse(WayOut::Files, "--no-files").refuse(WayOut::Drawings, "--no-files");
        }
        if self.no_spawn {
            gate = gate.refuse(WayOut::Processes, "--no-spawn");
        }
        gate
    }
}

const REACH: &str = "Untrusted programs";

/// What holds programs that are not trusted, also where they are only read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = REACH)]
pub struct Distrust {
    /// Refuse all that reaches outside: files, processes, the environment, the clock, random bits, drawings; and keep no file after an internal error
    #[arg(long)]
    pub sandbox: bool,
    /// End after so long, whatever goes on: 10s, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time_limit: Option<Duration>,
}

impl Distrust {
    /// A gate without a way out for a sandbox, else an open one.
    pub fn gate(&self) -> Gate {
        if self.sandbox { Gate::sealed("--sandbox") } else { Gate::default() }
    }
}

/// `10s`
fn parse_time(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let time = number.parse::<f64>().map_or(f64::NAN, |number| number * seconds);
    let time = Duration::try_from_secs_f64(time).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "a time is wanted, such as 10s, 500ms or 2m".to_owned())
}

/// The widths of numbers.
#[derive(Args, Clone, Debug, Default)]
pub struct Widths {
    /// How wide `int` is; by default 64 bits, in VCODE 32
    #[arg(long, value_name = "BITS", value_parser = ["32", "64"])]
    pub int: Option<String>,
    /// How wide `float` is; by default 64 bits
    #[arg(long, value_name = "BITS", value_parser = ["32", "64"])]
    pub float: Option<String>,
    /// How wide both are
    #[arg(long, value_name = "BITS", value_parser = ["32", "64"], conflicts_with_all = ["int", "float"])]
    pub precision: Option<String>,
}

impl Widths {
    /// The width of integers, if one was asked for.
    pub fn int(&self) -> Option<&str> {
        self.int.as_deref().or(self.precision.as_deref())
    }

    /// The width of floats, if one was asked for.
    pub fn float(&self) -> Option<&str> {
        self.float.as_deref().or(self.precision.as_deref())
    }
}

/// `nestled repl`
#[derive(Args, Debug)]
pub struct Repl {
    /// Device that runs the kernels: cpu, cuda or cuda:N, wgpu or wgpu:N (see `nestled devices`), auto, reference (the interpreter that defines the language), or core (an interpreter that runs nested code without flattening it); by default NESTLED_DEVICE, or cpu
    #[arg(long, value_name = "DEVICE", value_parser = parse_runner)]
    pub device: Option<Runner>,
    /// The number of threads of the CPU; by default NESTLED_THREADS, or one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<u16>,
    /// Memory limit, for arrays and for the scratch memory of kernels and sorts, in bytes, or with K, M, G, T; by default four fifths of what is free
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// A name, optionally a type, and its value: an expression, or @FILE
    #[arg(long = "arg", value_name = "NAME[:TYPE]=VALUE", value_parser = parse_named)]
    pub named: Vec<Named>,
    /// The dialect of NESL
    #[command(flatten)]
    pub nesl: NeslOptions,
    /// The folder of drawings
    #[arg(long, value_name = "DIRECTORY", default_value = ".", help_heading = NESL, conflicts_with = "sandbox")]
    pub drawings: PathBuf,
    /// What programs may reach
    #[command(flatten)]
    pub reach: Reach,
    /// What holds them
    #[command(flatten)]
    pub distrust: Distrust,
}

/// `n=100`
fn parse_named(text: &str) -> Result<Named, String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE is wanted, such as n=100")?;
    let (name, ty) = match name.split_once(':') {
        Some((name, ty)) => (name, Some(ty.trim().to_lowercase())),
        None => (name, None),
    };
    Ok(Named { name: name.trim().to_lowercase(), ty, value: value.to_owned() })
}

/// A name that a program in NESL finds bound.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name, in lower case.
    pub name: String,
    /// The type that the value must have; files are read as such.
    pub ty: Option<String>,
    /// An expression, or `@` and a file.
    pub value: String,
}

/// Options for reading programs in VCODE and FCODE.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = VCODE)]
pub struct VcodeReading {
    /// The listing of superoperators; by default the `.cu` file beside the program
    #[arg(short = 'l', long, value_name = "FILE")]
    pub fused: Option<PathBuf>,
    /// Check neither indices nor divisors: what is outside is taken from the nearest place, or dropped
    #[arg(long)]
    pub unchecked: bool,
}

const VCODE: &str = "VCODE options";

/// What only running programs in VCODE and FCODE has.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = VCODE)]
pub struct VcodeOptions {
    /// How they are read
    #[command(flatten)]
    pub reading: VcodeReading,
    /// Also reject an operand longer than its partner; by default the excess elements are ignored
    #[arg(short = 'c', conflicts_with = "unchecked")]
    pub check: bool,
    /// Say on standard error how long the run took
    #[arg(short = 't', long)]
    pub time: bool,
    /// Memory of the original, in numbers; more is never needed here
    #[arg(short = 'm', hide = true, value_name = "N")]
    pub vectors: Option<u64>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn times() {
        let millis = |text| super::parse_time(text).ok().map(|time| time.as_millis());
        assert_eq!(
            ["2", "10s", "500ms", "1.5m", "1h"].map(millis),
            [2000, 10_000, 500, 90_000, 3_600_000].map(Some)
        );
        assert_eq!(["", "s", "0", "-1s", "1x", "inf", "1e400"].map(millis), [None; 7]);
    }
}
