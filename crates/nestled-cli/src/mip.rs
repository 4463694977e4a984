//! Solvers of integer programs, found at run time: cbc, HiGHS, or HiGHS in Python. `NESTLED_MIP` names one.
//!
//! Each is started as a process with a file in LP format and writes a file with its solution. What it says is not trusted: the plan is checked, and its cost computed anew.

use nestled_pass::fuse::solve::ilp::{Answer, Mip, MipFailed};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Time for all rounds of a region.
const TIME: Duration = Duration::from_secs(60);
/// Gap at which a solver may stop, as a part of the cost.
const GAP: &str = "1e-7";

/// Arguments: the program, the file for the solution, seconds, and the gap.
const PYTHON: &str = "\
import highspy, sys
h = highspy.Highs()
h.setOptionValue('output_flag', False)
h.setOptionValue('time_limit', float(sys.argv[3]))
h.setOptionValue('mip_rel_gap', float(sys.argv[4]))
if h.readModel(sys.argv[1]) == highspy.HighsStatus.kError: sys.exit('the program cannot be read')
h.run()
h.writeSolution(sys.argv[2], 0)
print('Dual bound', repr(h.getInfo().mip_dual_bound))
";

/// The kinds of solvers, which differ in their command lines and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cbc,
    Highs,
    Python,
}

/// A solver of integer programs outside of this process.
#[derive(Debug)]
pub struct Outside {
    command: PathBuf,
    kind: Kind,
    folder: PathBuf,
    /// The beginning of the first round of the current region.
    began: Cell<Instant>,
}

impl Outside {
    /// Finds a solver.
    ///
    /// # Errors
    /// A message that says which solvers are missing, and how to get one.
    pub fn find() -> Result<Outside, String> {
        let named = std::env::var_os("NESTLED_MIP").filter(|name| !name.is_empty());
        let (command, kind) = match &named {
            Some(name) => (PathBuf::from(name), kind_of(Path::new(name))),
            None => [("cbc", Kind::Cbc), ("highs", Kind::Highs), ("python3", Kind::Python)]
                .into_iter()
                .map(|(name, kind)| (PathBuf::from(name), kind))
                .find(|(command, kind)| is_there(command, *kind))
                .ok_or(NONE)?,
        };
        if named.is_some() && !is_there(&command, kind) {
            let what = if kind == Kind::Python { "a Python with highspy" } else { "a solver that starts" };
            return Err(format!("NESTLED_MIP names `{}`, which is not {what}\n{HELP}", command.display()));
        }
        let folder = folder().map_err(|error| format!("no folder for the solver's files: {error}"))?;
        Ok(Outside { command, kind, folder, began: Cell::new(Instant::now()) })
    }

    fn ask(&self, program: &str, seconds: f64) -> Result<Answer, String> {
        let (model, solution) = (self.folder.join("fusion.lp"), self.folder.join("solution.txt"));
        let failed = |error: std::io::Error| error.to_string();
        std::fs::write(&model, program).map_err(failed)?;
        if solution.exists() {
            std::fs::remove_file(&solution).map_err(failed)?;
        }
        let output = self.command(&model, &solution, seconds).map_err(failed)?.output().map_err(failed)?;
        let said = String::from_utf8_lossy(&output.stdout);
        let text = std::fs::read_to_string(&solution).map_err(|_| last_words(&output))?;
        let answer = match self.kind {
            Kind::Cbc => read_cbc(&text, &said),
            Kind::Highs | Kind::Python => read_highs(&text, &said),
        };
        answer.ok_or_else(|| last_words(&output))
    }

    fn command(&self, model: &Path, solution: &Path, seconds: f64) -> std::io::Result<Command> {
        let mut command = Command::new(&self.command);
        let seconds = seconds.to_string();
        match self.kind {
            Kind::Cbc => command
                .arg(model)
                .args(["-timeMode", "elapsed", "-sec", &seconds, "-ratioGap", GAP, "-solve", "-solution"])
                .arg(solution),
            Kind::Highs => {
                let options = self.folder.join("options.txt");
                // Unless a file is named, its log lies where it was started.
                let log = self.folder.join("highs.log");
                let text =
                    format!("mip_rel_gap = {GAP}\ntime_limit = {seconds}\nlog_file = {}\n", log.display());
                std::fs::write(&options, text)?;
                command.arg(model).arg("--options_file").arg(options).arg("--solution_file").arg(solution)
            }
            Kind::Python => command.args(["-c", PYTHON]).args([model, solution]).args([&seconds, GAP]),
        };
        command.stdin(Stdio::null());
        Ok(command)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // It lies among temporary files: if it cannot be removed, the system does so.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Mip for Outside {
    fn solve(&self, program: &str, round: u64) -> Result<Answer, MipFailed> {
        if round == 0 {
            self.began.set(Instant::now());
        }
        let left = TIME.saturating_sub(self.began.get().elapsed());
        if left.is_zero() {
            return Err(MipFailed);
        }
        self.ask(program, left.as_secs_f64().max(1.0)).map_err(|why| {
            eprintln!(
                "warning: `{}` solved no program: {why}; the best plan so far is used",
                self.command.display()
            );
            MipFailed
        })
    }
}

const NONE: &str = "\
no solver of integer programs is here: there is neither `cbc` nor `highs`, nor a `python3` with highspy
  = help: any of these is enough: `pip install highspy`, `apt install coinor-cbc`, `brew install highs`; NESTLED_MIP names a solver, or a Python, at another place";

const HELP: &str =
    "  = help: it is the path of `cbc`, of `highs`, or of a Python with highspy (`pip install highspy`)";

fn kind_of(command: &Path) -> Kind {
    let name = command.file_stem().unwrap_or_default().to_string_lossy();
    if name.starts_with("cbc") {
        Kind::Cbc
    } else if name.starts_with("python") || name.starts_with("pypy") {
        Kind::Python
    } else {
        Kind::Highs
    }
}

/// True if a solver starts.
fn is_there(command: &Path, kind: Kind) -> bool {
    let args: &[&str] = match kind {
        Kind::Cbc => &["-quit"],
        Kind::Highs => &["--version"],
        Kind::Python => &["-c", "import highspy"],
    };
    let silent = Command::new(command).args(args).stdin(Stdio::null()).output();
    silent.is_ok_and(|output| kind == Kind::Cbc || output.status.success())
}

/// Makes a folder of our own under a name that nobody can know beforehand.
fn folder() -> std::io::Result<PathBuf> {
    use std::hash::{BuildHasher, RandomState};
    let name = format!("nestled-mip-{}-{:016x}", std::process::id(), RandomState::new().hash_one(0));
    let folder = std::env::temp_dir().join(name);
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    Ok(folder)
}

/// The last line that a solver wrote.
fn last_words(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&both);
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
    last.unwrap_or_else(|| output.status.to_string())
}

/// The number behind some words at the beginning of a line.
fn number_after(text: &str, words: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(words));
    lines.next_back()?.split_whitespace().next()?.parse().ok()
}

/// `Optimal - objective value 12`, and a line `0 x_1_1 1 0` for each variable that is not 0.
fn read_cbc(text: &str, said: &str) -> Option<Answer> {
    let mut lines = text.lines();
    let (status, objective) = lines.next()?.split_once(" - objective value ")?;
    let bound = match status {
        "Optimal" => objective.trim().parse().ok()?,
        _ => number_after(said, "Lower bound:").unwrap_or(0.0),
    };
    let values = lines.filter_map(|line| {
        let mut words = line.split_whitespace().filter(|word| *word != "**");
        Some((words.nth(1)?.to_owned(), words.next()?.parse().ok()?))
    });
    // Without a solution it writes the relaxed one.
    let values: HashMap<String, f64> = values.collect();
    let is_whole =
        |(name, value): (&String, &f64)| !name.starts_with('x') || (value - value.round()).abs() < 1e-4;
    Some(Answer { values: if values.iter().all(is_whole) { values } else { HashMap::new() }, bound })
}

/// The section `# Primal solution values`, and in it a line `x_1_1 1` for each variable.
fn read_highs(text: &str, said: &str) -> Option<Answer> {
    let (_, primal) = text.split_once("# Primal solution values")?;
    let (primal, _) = primal.split_once("# Rows").unwrap_or((primal, ""));
    let is_feasible = primal.trim_start().starts_with("Feasible");
    let bound = number_after(primal, "Objective_bound").or_else(|| number_after(said, "Dual bound"));
    let values = primal.lines().filter(|_| is_feasible).filter_map(|line| {
        let (name, value) = line.trim().split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    });
    Some(Answer { values: values.collect(), bound: bound.filter(|bound| bound.is_finite()).unwrap_or(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_of_cbc() {
        let text = "Optimal - objective value 130.00000000\n      0 fixed   1   100\n**    2 x_2_1   1  0\n";
        let answer = read_cbc(text, "").unwrap();
        assert_eq!((answer.bound, answer.values["x_2_1"]), (130.0, 1.0));
        let stopped = "Stopped on time - objective value 150\n 0 x_2_1 1 0\n";
        assert_eq!(read_cbc(stopped, "Lower bound:                    120.5\n").unwrap().bound, 120.5);
        let relaxed = "Stopped on time - objective value 150\n 0 x_2_1 0.5 0\n";
        assert!(read_cbc(relaxed, "").unwrap().values.is_empty());
        assert_eq!(read_cbc("nonsense", ""), None);
    }

    #[test]
    fn solutions_of_highs() {
        let text = "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 130\n# Columns 2\nfixed 1\nx_2_1 1\n# Rows 1\nc1_1 1\n";
        let answer = read_highs(text, "  Dual bound        129.9\n").unwrap();
        assert_eq!((answer.bound, answer.values["x_2_1"]), (129.9, 1.0));
        assert!(!answer.values.contains_key("c1_1"));
        let newer = text.replace("# Columns", "Objective_bound 128\n# Columns");
        assert_eq!(read_highs(&newer, "").unwrap().bound, 128.0);
        let without = "# Primal solution values\nNone\n";
        assert!(read_highs(without, "").unwrap().values.is_empty());
    }
}
