//! Exhaustive accuracy test: tries all 2³² arguments of the elementary functions of one `f32` against their promised bounds.

use nestled_test::math::exhaustive::{Options, Row, run};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Usage: math-exhaustive [OPTIONS] [FUNCTION]...

Tries all arguments of the given elementary functions of one f32 (default: all of them), prints the largest error of
each, and fails above a promised bound. About a minute a function and thread.

  --stride N     only every N-th argument, for a quick look
  --threads N    how many threads (default: as many as the machine has)
";

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprint!("error: {message}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/math-exhaustive");
    println!("| Function | Bound | Largest error | at | Seconds |\n|---|---|---|---|---|");
    match run(&folder, &options, &mut print_row) {
        Ok(rows) if rows.iter().all(Row::holds) => ExitCode::SUCCESS,
        Ok(_) => {
            eprintln!("error: a bound does not hold");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn print_row(row: &Row) {
    let Row { function, bound, error, argument, asymmetric, seconds } = row;
    let bits = argument.to_bits();
    println!("| {function} | {bound} | {error:.4} | {argument:e} ({bits:08x}) | {seconds} |");
    if *asymmetric > 0 {
        println!("{function}: {asymmetric} results break its symmetry");
    }
}

/// `None` asks for help.
fn options(mut args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options { functions: Vec::new(), stride: 1, threads };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-h" | "--help" => return Ok(None),
            "--stride" => options.stride = number(&arg, args.next())?,
            "--threads" => options.threads = number(&arg, args.next())? as usize,
            name if nestled_test::math::exact::EXACT.iter().any(|exact| exact.0 == name) => {
                options.functions.push(arg);
            }
            other => {
                return Err(format!(
                    "`{other}` is neither an option nor an elementary function of one argument"
                ));
            }
        }
    }
    Ok(Some(options))
}

fn number(option: &str, value: Option<String>) -> Result<u64, String> {
    let number = value.as_deref().unwrap_or_default().parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("`{option}` takes a positive number"))
}
