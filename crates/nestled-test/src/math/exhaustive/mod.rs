//! Exhaustive accuracy test of the functions of one `f32`: writes them as a Rust program, compiles it for this machine with full
//! optimisation, and runs it on all arguments. A minute or two a function.
//!
//! `main.rs` and `rt.rs` in this folder are parts of that program, not of this crate.

use super::bounds::{MATH, bounds};
use super::exact::EXACT;
use super::to_rust::{function_name, to_rust};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options of a run.
pub struct Options {
    /// Names of functions without the type; empty means all.
    pub functions: Vec<String>,
    /// The stride over arguments.
    pub stride: u64,
    /// Number of threads.
    pub threads: usize,
}

/// The findings for one function.
pub struct Row {
    /// Its name without the type.
    pub function: String,
    /// The promised bound in ULP.
    pub bound: f64,
    /// The largest error in ULP.
    pub error: f64,
    /// The argument with the largest error.
    pub argument: f32,
    /// Number of results that differ from those of the negated arguments, for even and odd functions.
    pub asymmetric: u64,
    /// The running time, in seconds.
    pub seconds: u64,
}

impl Row {
    /// True if the function keeps its promises.
    pub fn holds(&self) -> bool {
        self.error <= self.bound && self.asymmetric == 0
    }
}

/// Tries the functions in a program built in `folder`; calls `report` with each row as it is found.
///
/// # Errors
/// A message about the step that failed: writing, compiling or running the program.
pub fn run(folder: &Path, options: &Options, report: &mut dyn FnMut(&Row)) -> Result<Vec<Row>, String> {
    let program = build(folder)?;
    let mut child = Command::new(&program)
        .args([options.stride.to_string(), options.threads.to_string()])
        .args(&options.functions)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let lines = BufReader::new(child.stdout.take().ok_or("the program has no output")?).lines();
    let mut rows = Vec::new();
    for line in lines {
        let line = line.map_err(|error| error.to_string())?;
        let row = row(&line).ok_or_else(|| format!("not a row: {line}"))?;
        report(&row);
        rows.push(row);
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(rows) } else { Err(format!("the program failed ({status})")) }
}

fn row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split(' ').collect();
    let [function, error, argument, asymmetric, seconds] = words[..] else { return None };
    Some(Row {
        function: function.to_owned(),
        bound: *bounds().get(&format!("{function}_f32"))?,
        error: error.parse().ok()?,
        argument: f32::from_bits(u32::from_str_radix(argument, 16).ok()?),
        asymmetric: asymmetric.parse().ok()?,
        seconds: seconds.parse().ok()?,
    })
}

/// Writes and compiles the program.
fn build(folder: &Path) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = [
        ("main.rs", include_str!("main.rs").to_owned()),
        ("rt.rs", include_str!("rt.rs").to_owned()),
        ("exact.rs", include_str!("../exact.rs").to_owned()),
        ("ulp.rs", include_str!("../ulp.rs").to_owned()),
        ("functions.rs", functions()?),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    let program = folder.join("math-exhaustive");
    let status = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "-Copt-level=3", "-Ctarget-cpu=native", "--cap-lints=allow", "-o"])
        .args([&program, &folder.join("main.rs")])
        .status()
        .map_err(|error| format!("cannot start rustc: {error}"))?;
    if status.success() { Ok(program) } else { Err(format!("rustc failed ({status})")) }
}

/// The translated thunks, and a list of the functions over slices, which the compiler vectorises.
fn functions() -> Result<String, String> {
    let program = nestled_ir::text::parse("math.lcu", MATH).map_err(|failure| format!("{failure:?}"))?;
    nestled_ir::verify::verify(&program).map_err(|errors| format!("{errors:?}"))?;
    let mut text = "#[path = \"rt.rs\"]\nmod rt;\nuse rt::*;\n\n".to_owned();
    text += &to_rust(&program).map_err(|unsupported| unsupported.to_string())?;
    let mut list = String::new();
    for (name, ..) in EXACT {
        let id = program.find_thunk(&format!("{name}_f32")).ok_or(format!("no thunk for `{name}`"))?;
        let callee = function_name(&program, id);
        text += &format!(
            "fn all_{name}(xs: &[f32], ys: &mut [f32]) {{\n    for (x, y) in xs.iter().zip(ys) {{\n        *y = {callee}(*x);\n    }}\n}}\n\n"
        );
        list += &format!("    (\"{name}\", all_{name}),\n");
    }
    Ok(text + "pub const FUNCTIONS: &[(&str, fn(&[f32], &mut [f32]))] = &[\n" + &list + "];\n")
}
